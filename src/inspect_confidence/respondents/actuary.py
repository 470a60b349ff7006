"""A simulated respondent to LifeEval whose hard-easy effect is known."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inspect_confidence.answers import TokenChoice
from inspect_confidence.arguments import choice
from inspect_confidence.datasets.life_tables import WINDOWS, read_life_table
from inspect_confidence.respondents.utterance import (
    Utterance,
    logarithm,
    perhaps_spoilt,
    seeded,
    within,
)

FloatArray = NDArray[np.float64]

MIDDLE = 0.57
"""The mean maximum achievable score of the study's items, to two digits."""


def actuarial_confidence(
    maximum: ArrayLike,
    *,
    sensitivity: float = 1.0,
    bias: float = 0.0,
    noise: ArrayLike = 0.0,
    rounding: float = 0.0,
) -> FloatArray:
    """Confidence m + s (MAS - m) + bias + noise, then rounded; not clipped to [0, 1].

    With noise 0 and the best answers, overconfidence is (1 - s)(m - MAS) + bias: its slope on
    1 - MAS is 1 - s.

    Args:
        maximum: MAS, one an item; m is 0.57, its mean over the study's items.
        sensitivity: s.
        bias: Added to each.
        noise: Likewise, one an item.
        rounding: Confidences are multiples of it; 0 for none.
    """
    exact = MIDDLE + sensitivity * (np.asarray(maximum, float) - MIDDLE) + bias + np.asarray(noise)
    return np.asarray(rounding * np.rint(exact / rounding) if rounding else exact, float)


@dataclass(frozen=True)
class Actuary:
    """Answers the best age; its confidence follows what can be known as far as it is sensitive.

    Attributes:
        seed: Of the noise.
        sensitivity: s of `actuarial_confidence`, in [-2, 3]; the hard-easy slope is 1 - s.
        bias: Added to confidence, in [-1, 1]; by `overconfidence`.
        noise: Standard deviation of normal noise on confidence, in [0, 1].
        rounding: Confidences are multiples of it, in [0, 0.5]; 0 for none.
        error_rate: Share of replies that hold no answer, in [0, 1].
        window: `half-open` or `closed`, in which its answers are the best.
    """

    seed: int = 0
    sensitivity: float = within(0.5, -2, 3)
    bias: float = within(0.0, -1, 1)
    noise: float = within(0.0, 0, 1)
    rounding: float = within(0.0, 0, 0.5)
    error_rate: float = within(0.0, 0, 1)
    window: str = "half-open"

    def __post_init__(self) -> None:
        choice("window", self.window, WINDOWS)  # a mistake is an error before the first question

    def answer(self, form: str, asked: Mapping[str, Any], temperature: float) -> Utterance | None:
        """The reply to a question for an age; the temperature changes nothing."""
        if form != "age":
            return None
        rng = seeded(self.seed, "age", asked["item"], asked["draw"])
        best = read_life_table("ssa-2022").best_answer(
            str(asked["sex"]), int(asked["age"]), float(asked["radius"]), self.window
        )
        confidence = actuarial_confidence(
            best.probability,
            sensitivity=self.sensitivity,
            bias=self.bias,
            noise=self.noise * rng.standard_normal(),
            rounding=self.rounding,
        )
        # A probability is what was asked for, so that what lies outside is said as its end.
        stated = float(np.clip(confidence, 0, 1))
        begun, rest = '{"Reasoning": "I go by the life table.", "Answer": ', ', "Confidence":'
        said = _in_tokens(begun, best.answer, f"{rest} {stated:.12g}}}", stated)
        return perhaps_spoilt(said, self.error_rate, f"{begun}{best.answer}{rest}", rng)


def _in_tokens(begun: str, age: int, rest: str, probability: float) -> Utterance:
    """The reply, its age with that probability and the years before and after it with the rest."""
    beside = logarithm((1 - probability) / 2)
    ages = {str(age - 1): beside, str(age): logarithm(probability), str(age + 1): beside}
    tokens = (
        TokenChoice(begun, 0.0, {begun: 0.0}),
        TokenChoice(str(age), ages[str(age)], ages),
        TokenChoice(rest, 0.0, {rest: 0.0}),
    )
    return Utterance("".join(one.token for one in tokens), tokens=tokens)
