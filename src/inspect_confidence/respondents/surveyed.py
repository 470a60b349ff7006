"""Simulated respondents to words of estimative probability: `Surveyed` and `Chooser`."""

from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

import numpy as np

from inspect_confidence.datasets.wep_choices import CHOICE_SETS, RANGES, ChoicePrompt, design
from inspect_confidence.datasets.wep_survey import surveyed_counts
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.prompts.wep_probes import CHOICES
from inspect_confidence.respondents.utterance import Utterance, parameter, seeded, spoil_at_rate

_PROMPTS: dict[str, ChoicePrompt] = {prompt.id: prompt for prompt in design()}


@dataclass(frozen=True)
class Surveyed:
    """Respondent that gives the answer of a random person of the survey for each context and word.

    Attributes:
        seed: Seed of the draws.
        shift: Constant added to the person's answer, in percentage points, in [-100, 100].
        shrink: Factor on the answer's distance from 50%, applied before the shift, in [0, 10].
        error_rate: Share of replies without an answer, in [0, 1].
    """

    seed: int = 0
    shift: float = parameter(0.0, -100, 100)
    shrink: float = parameter(1.0, 0, 10)
    error_rate: float = parameter(0.0, 0, 1)

    def answer(self, form: str, request: Mapping[str, Any], temperature: float) -> Utterance | None:
        """Reply to a question for one of the 17 surveyed words, None to other forms.

        The temperature has no effect.
        """
        if form != "probability":
            return None
        word = str(request["word"])
        if word not in surveyed_counts():
            raise InvalidArgument(
                f"respondent/surveyed knows the 17 words surveyed, not {word!r}; use words=survey."
            )
        rng = seeded(self.seed, "word", word, request["item"], request["draw"])
        reply = Utterance(f"{self.probability(word, rng):.10g}")
        return spoil_at_rate(reply, self.error_rate, cut_off_text="0.", rng=rng)

    def probability(self, word: str, rng: np.random.Generator) -> float:
        """Draw a person's answer for the word, shrunk towards 50%, shifted, and cut to [0, 1]."""
        counts = surveyed_counts()[word]  # the number of people by their answer in percent
        people = np.array(list(counts.values()), float)
        answer = float(rng.choice(list(counts), p=people / people.sum()))
        percent = 50 + (answer - 50) * self.shrink + self.shift
        return min(max(percent, 0.0), 100.0) / 100


@dataclass(frozen=True)
class Chooser:
    """Respondent that chooses words by thresholds on a noisy share of numbers in the interval.

    Attributes:
        seed: Seed of the noise.
        noise: Standard deviation of the noise added to the share, in [0, 1].
        five: Shares above which the first four of five choices are made, as `0.92,0.61,0.41,0.13`.
        three: Shares above which the first two of three choices are made, as `0.61,0.41`.
        error_rate: Share of replies without an answer, in [0, 1].
    """

    seed: int = 0
    noise: float = parameter(0.0, 0, 1)
    five: str | list[float] = "0.92,0.61,0.41,0.13"
    three: str | list[float] = "0.61,0.41"
    error_rate: float = parameter(0.0, 0, 1)

    def __post_init__(self) -> None:
        for choice_set in CHOICE_SETS:  # fail before the first question
            self.thresholds(choice_set)

    def answer(self, form: str, request: Mapping[str, Any], temperature: float) -> Utterance | None:
        """Reply to a sentence to complete, None to another form; the temperature has no effect."""
        if form != "word":
            return None
        prompt = _PROMPTS[str(request["item"])]
        rng = seeded(self.seed, "choice", prompt.id, request["cot"], request["draw"])
        index = self.choice(prompt, rng)
        text = f"{ascii_uppercase[index]}.{CHOICES[prompt.choice_set][index]}"
        if request["cot"]:
            count = round(20 * prompt.share)
            text = f"{count} of the 20 numbers are {prompt.text}.\n\nI choose: {text}"
        return spoil_at_rate(Utterance(text), self.error_rate, cut_off_text=text[:3], rng=rng)

    def choice(self, prompt: ChoicePrompt, rng: np.random.Generator) -> int:
        """Return the index of the first choice whose threshold the perceived share exceeds.

        Perceived is the share of the prompt's numbers that lie in the interval, with normal noise.
        The thresholds descend, as choices do from "almost certainly"; the last choice has none and
        remains.
        """
        perceived = prompt.share + self.noise * rng.standard_normal()
        thresholds = self.thresholds(prompt.choice_set)
        for index, threshold in enumerate(thresholds):
            if perceived > threshold:
                return index
        return len(thresholds)

    def thresholds(self, choice_set: int) -> list[float]:
        """Return a threshold for each choice but the last: a share of numbers in the interval.

        A choice is made above its threshold, the last one below all. `choice_set` is the number of
        choices, 5 or 3; the thresholds descend.

        Raises:
            InvalidArgument: A share is not a number in [0, 1], or shares are too many, too few or
                not descending.
        """
        name, shares = ("five", self.five) if choice_set == 5 else ("three", self.three)
        parts = shares if isinstance(shares, list) else str(shares).split(",")
        try:
            values = list(map(float, parts))
        except (TypeError, ValueError):  # a list may have members such as None
            values = []
        are_shares = all(0 <= value <= 1 for value in values)
        descend = are_shares and values == sorted(values, reverse=True)
        if len(values) != len(RANGES[choice_set]) - 1 or not descend:
            raise InvalidArgument(
                f"{name}={shares}: give {choice_set - 1} shares in descending order, from 1 to 0."
            )
        return values
