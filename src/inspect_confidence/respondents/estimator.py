"""Simulated respondent to FermiEval, seeded by (seed, item, condition, draw)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from inspect_confidence.answers import TokenChoice
from inspect_confidence.datasets.fermi import known_fermi
from inspect_confidence.metrics.integer_sets import tempered
from inspect_confidence.respondents.belief import (
    Beliefs,
    draw_beliefs,
    integer_probabilities,
    stated_bounds,
)
from inspect_confidence.respondents.utterance import (
    Utterance,
    logarithm,
    parameter,
    seeded,
    spoil_at_rate,
)

MAX_TOKENS = 20
"""Maximum number of alternatives that a provider returns for a token."""

COLDEST = 1e-3
"""Temperature used in place of 0: all mass is on the most probable integer."""


@dataclass(frozen=True)
class Estimator:
    """Respondent that answers from a latent belief about the exponent.

    Attributes:
        seed: Seed of beliefs and replies.
        tunnel: Share of the belief that one query uses, in (0, 1].
        shrink: Factor on the intervals' distance from the belief's median, above 0.
        error_rate: Share of replies without an answer, in [0, 1]: a quarter each in the wrong
            format, a refusal, empty, and cut off.
        integers: Whether bounds are rounded to whole exponents, as models do.
        distortion: T0 of the reported token probabilities p^(1/T0), above 0.
    """

    seed: int = 0
    tunnel: float = parameter(1.0, 0.01, 1)
    shrink: float = parameter(1.0, 0.01, 100)
    error_rate: float = parameter(0.0, 0, 1)
    integers: bool = False
    distortion: float = parameter(1.0, 0.01, 100)

    def answer(self, form: str, request: Mapping[str, Any], temperature: float) -> Utterance | None:
        """Reply to a question; None if the respondent does not know the form.

        Args:
            form: `interval`, `point`, `integer` (with token probabilities) or `trace` (reasoning).
            request: Name of the `item`, number of the `draw` (0 by default), and for an interval
                its nominal `level` in percent.
            temperature: Decoding temperature of points and integers; other forms ignore it.
        """
        item, draw = str(request.get("item")), int(request.get("draw", 0))
        if form == "interval":
            return self.interval(item, draw, float(request["level"]))
        if form == "point":
            return self.point(item, draw, temperature)
        if form == "integer":
            return self.integer(item, draw, temperature)
        if form == "trace":
            return self.trace(item, draw)
        return None

    def belief(self, item: str) -> Beliefs:
        """Return the belief about an item: a normal distribution over exponents of ten.

        Raises:
            KeyError: The item is neither bundled nor of `scioly`.
        """
        return draw_beliefs(known_fermi(item).exponent, seeded(self.seed, "belief", item))

    def interval(self, item: str, draw: int, level: float) -> Utterance:
        """Reply to a question for an interval of a nominal level in percent.

        Its bounds are exponents of ten, from a part of the belief (a share `tunnel` of it, at a
        random position), and moved towards the median by the factor `shrink`. With probability
        `error_rate` the reply has no answer or is cut off.
        """
        rng = seeded(self.seed, "interval", item, f"{level:g}", str(draw))
        lower, upper = stated_bounds(
            self.belief(item), level, tunnel=self.tunnel, position=rng.uniform(), shrink=self.shrink
        )
        digits = 0 if self.integers else 6
        cut_off_text = f"Lower: {lower[0]:.{digits}f}\nUpper:"
        reply = Utterance(f"{cut_off_text} {upper[0]:.{digits}f}")
        return spoil_at_rate(reply, self.error_rate, cut_off_text, rng)

    def point(self, item: str, draw: int, temperature: float) -> Utterance:
        """Reply to a question for an exponent, sampled at a decoding temperature."""
        rng = seeded(self.seed, "point", item, str(draw))
        masses = self._masses(item, rng.uniform(), temperature)  # of a random part of the belief
        value = rng.choice(list(masses), p=list(masses.values()))
        reply = Utterance(f"Exponent: {value}")
        return spoil_at_rate(reply, self.error_rate, cut_off_text="Exponent:", rng=rng)

    def integer(self, item: str, draw: int, temperature: float = 1.0) -> Utterance:
        """Reply to a question for one integer, the most probable, with log probabilities.

        Reported probabilities are proportional to p^(1/(T0 T)), where p is the probability of an
        integer by a part of the belief (a share `tunnel` of it, at a random position), T the
        temperature, which counts as `COLDEST` if it is below that (0 would divide by zero), and T0
        the distortion. With probability `error_rate` the reply has no answer.
        """
        rng = seeded(self.seed, "integer", item, str(draw))
        masses = self._masses(item, rng.uniform(), self.distortion * max(temperature, COLDEST))
        log_probabilities = {str(value): logarithm(mass) for value, mass in masses.items()}
        by_probability = sorted(log_probabilities.items(), key=lambda pair: -pair[1])
        alternatives = dict(by_probability[:MAX_TOKENS])
        likeliest, log_probability = by_probability[0]
        token = TokenChoice(likeliest, log_probability, alternatives)
        reply = Utterance(token.token, tokens=(token,))
        return spoil_at_rate(reply, self.error_rate, cut_off_text="", rng=rng)

    def trace(self, item: str, draw: int) -> Utterance:
        """Return a reasoning trace; the integer that follows it uses the draw's belief."""
        return Utterance(f"Trace {draw}: I consider what the answer to {item} depends on.")

    def _masses(self, item: str, position: float, temperature: float) -> dict[int, float]:
        """Return the probability of each integer at a temperature, in a part of the belief.

        The part has the share `tunnel` of the belief's mass, and its `position` is from 0 (lowest)
        to 1 (highest). Temperature 0, for which `COLDEST` stands, puts all mass on one integer.
        """
        masses = integer_probabilities(self.belief(item), tunnel=self.tunnel, position=position)
        heated = tempered(np.array([list(masses.values())]), max(temperature, COLDEST))
        return dict(zip(masses, heated[0].tolist(), strict=True))
