"""A simulated respondent to FermiEval, seeded on (seed, item, condition, draw)."""

import hashlib
from dataclasses import dataclass

import numpy as np

from inspect_confidence.datasets.fermi import bundled_fermi
from inspect_confidence.respondents.belief import Beliefs, draw_beliefs, stated_bounds


@dataclass(frozen=True)
class Utterance:
    """What a respondent says.

    Attributes:
        text: The reply.
        cut: Whether it was cut off.
    """

    text: str
    cut: bool = False


@dataclass(frozen=True)
class Estimator:
    """States intervals from a latent belief.

    Attributes:
        seed: Of belief and replies.
        tunnel: Share of its belief that it sees in one query, in (0, 1].
        shrink: Factor on its intervals' distance from the belief's median, above 0.
        error_rate: Share of replies that hold no answer, in [0, 1]: a quarter each in the wrong
            format, a refusal, empty, and cut off.
        integers: Whether bounds are rounded to whole exponents, as models do.
    """

    seed: int = 0
    tunnel: float = 1.0
    shrink: float = 1.0
    error_rate: float = 0.0
    integers: bool = False

    def belief(self, item: str) -> Beliefs:
        """The belief about a bundled item.

        Raises:
            KeyError: The item isn't bundled.
        """
        return draw_beliefs(bundled_fermi()[item].exponent, self._rng("belief", item))

    def interval(self, item: str, level: float, draw: int) -> Utterance:
        """The reply to a question for an interval."""
        rng = self._rng("interval", item, f"{level:g}", str(draw))
        lower, upper = stated_bounds(
            self.belief(item), level, tunnel=self.tunnel, place=rng.uniform(), shrink=self.shrink
        )
        digits = 0 if self.integers else 6
        text = f"Lower: {lower[0]:.{digits}f}\nUpper: {upper[0]:.{digits}f}"
        return self._spoilt(text, rng) if rng.uniform() < self.error_rate else Utterance(text)

    def _spoilt(self, text: str, rng: np.random.Generator) -> Utterance:
        return (
            Utterance("That depends on many things, and people differ about them."),
            Utterance("I'm sorry, but I can't answer that."),
            Utterance(""),
            Utterance(text[: text.index("Upper") + 6], cut=True),
        )[rng.integers(4)]

    def _rng(self, *key: str) -> np.random.Generator:
        digest = hashlib.blake2b("\0".join([str(self.seed), *key]).encode(), digest_size=16)
        return np.random.default_rng(int.from_bytes(digest.digest()))


PRESETS: dict[str, Estimator] = {
    "calibrated": Estimator(),
    "overconfident": Estimator(shrink=0.36),
    "tunnel": Estimator(tunnel=0.65),
    "erratic": Estimator(error_rate=0.2),
}
"""Respondents by name. At shrink 0.36 nominal 99% intervals cover 65%, as the study found."""
