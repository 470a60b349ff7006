"""A simulated respondent to FermiEval, seeded on (seed, item, condition, draw)."""

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
    perhaps_spoilt,
    seeded,
    within,
)

MOST_TOKENS = 20
"""Alternatives that a provider gives at most."""

COLDEST = 1e-3
"""The temperature that stands for 0: all mass is on the likeliest integer."""


@dataclass(frozen=True)
class Estimator:
    """Answers from a latent belief about the exponent.

    Attributes:
        seed: Of belief and replies.
        tunnel: Share of its belief that it sees in one query, in (0, 1].
        shrink: Factor on its intervals' distance from the belief's median, above 0.
        error_rate: Share of replies that hold no answer, in [0, 1]: a quarter each in the wrong
            format, a refusal, empty, and cut off.
        integers: Whether bounds are rounded to whole exponents, as models do.
        distortion: T0 of the token probabilities p^(1/T0) that it reports, above 0.
    """

    seed: int = 0
    tunnel: float = within(1.0, 0.01, 1)
    shrink: float = within(1.0, 0.01, 100)
    error_rate: float = within(0.0, 0, 1)
    integers: bool = False
    distortion: float = within(1.0, 0.01, 100)

    def answer(self, form: str, asked: Mapping[str, Any], temperature: float) -> Utterance | None:
        """The reply to a question for an interval, a point, an integer or a trace."""
        item, draw = str(asked.get("item")), int(asked.get("draw", 0))
        if form == "interval":
            return self.interval(item, draw, float(asked["level"]))
        if form == "point":
            return self.point(item, draw, temperature)
        if form == "integer":
            return self.integer(item, draw, temperature)
        return self.trace(item, draw) if form == "trace" else None

    def belief(self, item: str) -> Beliefs:
        """The belief about a bundled item or one of `scioly`; of others a `KeyError`."""
        return draw_beliefs(known_fermi(item).exponent, seeded(self.seed, "belief", item))

    def interval(self, item: str, draw: int, level: float) -> Utterance:
        """The reply to a question for an interval."""
        rng = seeded(self.seed, "interval", item, f"{level:g}", str(draw))
        lower, upper = stated_bounds(
            self.belief(item), level, tunnel=self.tunnel, place=rng.uniform(), shrink=self.shrink
        )
        digits = 0 if self.integers else 6
        low = f"Lower: {lower[0]:.{digits}f}\nUpper:"
        return perhaps_spoilt(Utterance(f"{low} {upper[0]:.{digits}f}"), self.error_rate, low, rng)

    def point(self, item: str, draw: int, temperature: float) -> Utterance:
        """The reply to a question for an exponent, sampled at a decoding temperature."""
        rng = seeded(self.seed, "point", item, str(draw))
        masses = self._masses(item, rng.uniform(), temperature)
        value = rng.choice(list(masses), p=list(masses.values()))
        return perhaps_spoilt(Utterance(f"Exponent: {value}"), self.error_rate, "Exponent:", rng)

    def integer(self, item: str, draw: int, temperature: float = 1.0) -> Utterance:
        """The reply to a question for one integer, with log probabilities.

        They are of p^(1/(T0 T)), normalised: at a temperature T, of a belief distorted by T0.
        """
        rng = seeded(self.seed, "integer", item, str(draw))
        masses = self._masses(item, rng.uniform(), self.distortion * max(temperature, COLDEST))
        logs = {str(value): logarithm(mass) for value, mass in masses.items()}
        likeliest = sorted(logs, key=lambda token: -logs[token])[:MOST_TOKENS]
        alternatives = {key: logs[key] for key in likeliest}
        token = TokenChoice(likeliest[0], alternatives[likeliest[0]], alternatives)
        said = Utterance(token.token, tokens=(token,))
        return perhaps_spoilt(said, self.error_rate, "", rng)

    def trace(self, item: str, draw: int) -> Utterance:
        """A reasoning trace; what it saw of the belief shows in the integer that follows it."""
        return Utterance(f"Trace {draw}: I consider what the answer to {item} depends on.")

    def _masses(self, item: str, place: float, temperature: float) -> dict[int, float]:
        """What is seen of the belief, as a temperature makes of it: p^(1/T), normalised."""
        seen = integer_probabilities(self.belief(item), tunnel=self.tunnel, place=place)
        at = tempered(np.array([list(seen.values())]), max(temperature, COLDEST))
        return dict(zip(seen, at[0].tolist(), strict=True))
