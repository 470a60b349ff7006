"""Simulated respondent to LifeEval with a known hard-easy effect."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from inspect_confidence.answers import TokenChoice
from inspect_confidence.arguments import choice
from inspect_confidence.datasets.life_tables import WINDOWS, read_life_table
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.respondents.utterance import (
    Utterance,
    logarithm,
    parameter,
    seeded,
    spoil_at_rate,
)

MIDDLE = 0.57
"""Mean maximum achievable score of the study's items, to two digits."""


def actuarial_confidence(
    maximum: ArrayLike,
    *,
    sensitivity: float = 1.0,
    bias: float = 0.0,
    noise: ArrayLike = 0.0,
    rounding: float = 0.0,
) -> FloatArray:
    """Return m + s (MAS - m) + bias + noise, rounded but not clipped to [0, 1].

    With noise 0 and the best answers, overconfidence is (1 - s)(m - MAS) + bias: its slope on
    1 - MAS is 1 - s.

    Args:
        maximum: Maximum achievable score (MAS) of each item; m is 0.57, its mean in the study.
        sensitivity: Sensitivity s.
        bias: Constant added to every confidence.
        noise: Noise added to the confidence of each item.
        rounding: Step of the confidences; 0 for no rounding.
    """
    exact = MIDDLE + sensitivity * (np.asarray(maximum, float) - MIDDLE) + bias + np.asarray(noise)
    return np.asarray(rounding * np.rint(exact / rounding) if rounding else exact, float)


@dataclass(frozen=True)
class Actuary:
    """Respondent that answers the best age, with a confidence that depends on the maximum score.

    Attributes:
        seed: Seed of the noise.
        sensitivity: s of `actuarial_confidence`, in [-2, 3]; the hard-easy slope is 1 - s.
        bias: Constant added to confidence, in [-1, 1]; estimated by `overconfidence`.
        noise: Standard deviation of normal noise on confidence, in [0, 1].
        rounding: Step of the confidences, in [0, 0.5]; 0 for no rounding.
        error_rate: Share of replies without an answer, in [0, 1].
        window: Window for which the answers are best, `half-open` or `closed`.
    """

    seed: int = 0
    sensitivity: float = parameter(0.5, -2, 3)
    bias: float = parameter(0.0, -1, 1)
    noise: float = parameter(0.0, 0, 1)
    rounding: float = parameter(0.0, 0, 0.5)
    error_rate: float = parameter(0.0, 0, 1)
    window: str = "half-open"

    def __post_init__(self) -> None:
        choice("window", self.window, WINDOWS)  # fail before the first question

    def answer(self, form: str, request: Mapping[str, Any], temperature: float) -> Utterance | None:
        """Reply to a question for an age, None to another form; the temperature has no effect."""
        if form != "age":
            return None
        rng = seeded(self.seed, "age", request["item"], request["draw"])
        best = read_life_table("ssa-2022").best_answer(
            str(request["sex"]), int(request["age"]), float(request["radius"]), self.window
        )
        confidence = actuarial_confidence(
            best.probability,
            sensitivity=self.sensitivity,
            bias=self.bias,
            noise=self.noise * rng.standard_normal(),
            rounding=self.rounding,
        )
        # The question asks for a probability, so values outside [0, 1] are clipped.
        probability = float(np.clip(confidence, 0, 1))
        prefix, suffix = '{"Reasoning": "I go by the life table.", "Answer": ', ', "Confidence":'
        reply = _age_reply(prefix, best.answer, f"{suffix} {probability:.12g}}}", probability)
        # At this rate a reply is spoilt: it has no answer.
        return spoil_at_rate(reply, self.error_rate, f"{prefix}{best.answer}{suffix}", rng)


def _age_reply(prefix: str, age: int, suffix: str, probability: float) -> Utterance:
    """Return a reply whose age token has `probability`; the two adjacent years share the rest."""
    adjacent = logarithm((1 - probability) / 2)
    ages = {str(age - 1): adjacent, str(age): logarithm(probability), str(age + 1): adjacent}
    tokens = (
        TokenChoice(prefix, 0.0, {prefix: 0.0}),
        TokenChoice(str(age), ages[str(age)], ages),
        TokenChoice(suffix, 0.0, {suffix: 0.0}),
    )
    return Utterance(f"{prefix}{age}{suffix}", tokens=tokens)
