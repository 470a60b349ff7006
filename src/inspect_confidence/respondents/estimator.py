"""A simulated respondent to FermiEval, seeded on (seed, item, condition, draw)."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from inspect_confidence.datasets.fermi import bundled_fermi
from inspect_confidence.respondents.belief import (
    Beliefs,
    draw_beliefs,
    integer_probabilities,
    stated_bounds,
)

MOST_TOKENS = 20
"""Alternatives that a provider gives at most."""


@dataclass(frozen=True)
class Utterance:
    """What a respondent says.

    Attributes:
        text: The reply.
        cut: Whether it was cut off.
        alternatives: Log probabilities of the reply's one token and of its likeliest alternatives;
            None where the reply isn't one token.
    """

    text: str
    cut: bool = False
    alternatives: Mapping[str, float] | None = None


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
    tunnel: float = 1.0
    shrink: float = 1.0
    error_rate: float = 0.0
    integers: bool = False
    distortion: float = 1.0

    def belief(self, item: str) -> Beliefs:
        """The belief about a bundled item.

        Raises:
            KeyError: The item isn't bundled.
        """
        return draw_beliefs(bundled_fermi()[item].exponent, self._rng("belief", item))

    def interval(self, item: str, draw: int, level: float) -> Utterance:
        """The reply to a question for an interval."""
        rng = self._rng("interval", item, f"{level:g}", str(draw))
        lower, upper = stated_bounds(
            self.belief(item), level, tunnel=self.tunnel, place=rng.uniform(), shrink=self.shrink
        )
        digits = 0 if self.integers else 6
        low = f"Lower: {lower[0]:.{digits}f}\nUpper:"
        return self._perhaps_spoilt(Utterance(f"{low} {upper[0]:.{digits}f}"), low, rng)

    def point(self, item: str, draw: int, temperature: float) -> Utterance:
        """The reply to a question for an exponent, sampled at a decoding temperature."""
        rng = self._rng("point", item, str(draw))
        masses = self._masses(item, rng.uniform())
        sharpened = np.power(list(masses.values()), 1 / max(temperature, 1e-3))
        value = rng.choice(list(masses), p=sharpened / sharpened.sum())
        return self._perhaps_spoilt(Utterance(f"Exponent: {value}"), "Exponent:", rng)

    def integer(self, item: str, draw: int) -> Utterance:
        """The reply to a question for one integer, with log probabilities."""
        rng = self._rng("integer", item, str(draw))
        masses = self._masses(item, rng.uniform())
        reported = np.power(list(masses.values()), 1 / self.distortion)
        logs = dict(zip(map(str, masses), np.log(reported / reported.sum()), strict=True))
        likeliest = sorted(logs, key=lambda token: -logs[token])[:MOST_TOKENS]
        said = Utterance(likeliest[0], alternatives={key: float(logs[key]) for key in likeliest})
        return self._perhaps_spoilt(said, "", rng)

    def trace(self, item: str, draw: int) -> Utterance:
        """A reasoning trace; what it saw of the belief shows in the integer that follows it."""
        return Utterance(f"Trace {draw}: I consider what the answer to {item} depends on.")

    def _masses(self, item: str, place: float) -> dict[int, float]:
        return integer_probabilities(self.belief(item), tunnel=self.tunnel, place=place)

    def _perhaps_spoilt(self, said: Utterance, begun: str, rng: np.random.Generator) -> Utterance:
        """The reply, or at the error rate one that holds no answer."""
        if rng.uniform() >= self.error_rate:
            return said
        return (
            Utterance("That depends on many things, and people differ about them."),
            Utterance("I'm sorry, but I can't answer that."),
            Utterance(""),
            Utterance(begun, cut=True),
        )[rng.integers(4)]

    def _rng(self, *key: str) -> np.random.Generator:
        digest = hashlib.blake2b("\0".join([str(self.seed), *key]).encode(), digest_size=16)
        return np.random.default_rng(int.from_bytes(digest.digest()))


Answer = Callable[[Estimator, Mapping[str, object], float], Utterance]

FORMS: Mapping[str, Answer] = {
    "interval": lambda one, asked, _: one.interval(
        str(asked["item"]), int(str(asked["draw"])), float(str(asked["level"]))
    ),
    "point": lambda one, asked, temperature: one.point(
        str(asked["item"]), int(str(asked["draw"])), temperature
    ),
    "integer": lambda one, asked, _: one.integer(str(asked["item"]), int(str(asked["draw"]))),
    "trace": lambda one, asked, _: one.trace(str(asked["item"]), int(str(asked["draw"]))),
}
"""How each form of elicitation is answered, from the message's metadata and the temperature."""

PRESETS: dict[str, Estimator] = {
    "calibrated": Estimator(),
    "overconfident": Estimator(shrink=0.36),
    "tunnel": Estimator(tunnel=0.65),
    "erratic": Estimator(error_rate=0.2),
}
"""Respondents by name. At shrink 0.36 nominal 99% intervals cover 65%, as the study found."""
