"""Simulated respondents to words of estimative probability: people's answers, and a chooser."""

from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

import numpy as np

from inspect_confidence.datasets.wep_choices import CHOICE_SETS, RANGES, ChoicePrompt, design
from inspect_confidence.datasets.wep_survey import surveyed_counts
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.prompts.wep_probes import CHOICES
from inspect_confidence.respondents.utterance import Utterance, perhaps_spoilt, seeded, within

_PROMPTS: dict[str, ChoicePrompt] = {one.id: one for one in design()}


@dataclass(frozen=True)
class Surveyed:
    """Says what one of the 123 people surveyed said, drawn anew for each context and word.

    Attributes:
        seed: Of the draws.
        shift: Added to what the person said, in percentage points, in [-100, 100].
        shrink: Factor on its distance from 50%, applied before the shift, in [0, 10].
        error_rate: Share of replies that hold no answer, in [0, 1].
    """

    seed: int = 0
    shift: float = within(0.0, -100, 100)
    shrink: float = within(1.0, 0, 10)
    error_rate: float = within(0.0, 0, 1)

    def answer(self, form: str, asked: Mapping[str, Any], temperature: float) -> Utterance | None:
        """The reply to a question for a word's probability; the temperature changes nothing."""
        if form != "probability":
            return None
        word = str(asked["word"])
        if word not in surveyed_counts():
            raise InvalidArgument(
                f"respondent/surveyed knows the 17 words surveyed, not {word!r}; use words=survey."
            )
        rng = seeded(self.seed, "word", word, asked["item"], asked["draw"])
        said = Utterance(f"{self.probability(word, rng):.10g}")
        return perhaps_spoilt(said, self.error_rate, "0.", rng)

    def probability(self, word: str, rng: np.random.Generator) -> float:
        """What a person drawn at random says that the word means, shrunk and shifted."""
        counts = surveyed_counts()[word]
        people = np.array(list(counts.values()), float)
        value = float(rng.choice(list(counts), p=people / people.sum()))
        moved = 50 + (value - 50) * self.shrink + self.shift
        return min(max(moved, 0.0), 100.0) / 100


@dataclass(frozen=True)
class Chooser:
    """Chooses words by thresholds on a noisy count of the numbers inside the interval.

    Attributes:
        seed: Of the noise.
        noise: Standard deviation of what is added to the share before it is compared, in [0, 1].
        five: Least shares of the first four of five choices, descending, between commas.
        three: Likewise, of the first two of three choices.
        error_rate: Share of replies that hold no answer, in [0, 1].
    """

    seed: int = 0
    noise: float = within(0.0, 0, 1)
    five: str | list[float] = "0.92,0.61,0.41,0.13"
    three: str | list[float] = "0.61,0.41"
    error_rate: float = within(0.0, 0, 1)

    def __post_init__(self) -> None:
        for choice_set in CHOICE_SETS:  # a mistake is an error before the first question
            self.thresholds(choice_set)

    def answer(self, form: str, asked: Mapping[str, Any], temperature: float) -> Utterance | None:
        """The reply to a sentence to complete; the temperature changes nothing."""
        if form != "word":
            return None
        prompt = _PROMPTS[str(asked["item"])]
        rng = seeded(self.seed, "choice", prompt.id, asked["cot"], asked["draw"])
        place = self.choice(prompt, rng)
        said = f"{ascii_uppercase[place]}.{CHOICES[prompt.choice_set][place]}"
        if asked["cot"]:
            count = round(20 * prompt.share)
            said = f"{count} of the 20 numbers are {prompt.text}.\n\nI choose: {said}"
        return perhaps_spoilt(Utterance(said), self.error_rate, said[:3], rng)

    def choice(self, prompt: ChoicePrompt, rng: np.random.Generator) -> int:
        """The place of the choice: the first whose threshold the noisy share exceeds."""
        perceived = prompt.share + self.noise * rng.standard_normal()
        above = [perceived > least for least in self.thresholds(prompt.choice_set)]
        return above.index(True) if any(above) else len(above)

    def thresholds(self, choice_set: int) -> list[float]:
        """The least shares of all choices but the last.

        Raises:
            InvalidArgument: There are too few or too many, or they don't descend.
        """
        name, given = ("five", self.five) if choice_set == 5 else ("three", self.three)
        parts = given if isinstance(given, list) else str(given).split(",")
        try:
            values = [float(part) for part in parts]
        except ValueError:
            values = []
        descend = values == sorted(values, reverse=True) and all(0 <= one <= 1 for one in values)
        if len(values) != len(RANGES[choice_set]) - 1 or not descend:
            raise InvalidArgument(
                f"{name}={given}: give {choice_set - 1} shares in descending order, from 1 to 0."
            )
        return values
