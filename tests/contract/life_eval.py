"""LifeEval's far end: ages with a probability, in many forms of JSON.

The life table is read and summed here in plain loops, so that the expected numbers need neither our
reader nor our table.
"""

from __future__ import annotations

import csv
import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from statistics import correlation, linear_regression, mean
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from build import attributes_of, column_of, entries_of, rows_by
from conftest import CHECKOUT
from contract.far_end import Case, failure_rate, of_condition
from inspect_confidence.tasks.life_eval import life_eval
from provider_server import Finish, Reply, Request
from runs import Values

Person = tuple[str, int, Fraction]

OURS = re.compile(
    r"American.* (man|boy|woman|girl) .*is alive at the age of (\d+)\."
    r".* lies within (\d+(?:\.\d+)?) years? of"
)
AUTHORS = re.compile(
    r"an American (male|female) has lived at least (\d+) years?.* within (\d+) years? of", re.DOTALL
)
SEX = {"man": "male", "boy": "male", "woman": "female", "girl": "female"}

# Replies that state an age @A with a probability @C, or @P percent.
READABLE = [
    '{"Reasoning": "Life tables.", "Answer": @A, "Confidence": @C}',
    '```json\n{\n "Reasoning": "Older, {sic}.",\n "Answer": "@A",\n "Confidence": "@C",\n}\n```',
    "{'Reasoning': 'It isn\\'t certain.', 'Answer': @A, 'Confidence': @C}",
    'Sure, here it is:\n\n{"Reasoning": "x", "Answer": "about @A", "Confidence": "@P%"}\n\nDone.',
    '{"Reasoning": "x", "Answer": @A, "Confidence": @P%,}',
    '{"Answer": "@A years", "Confidence": "about @C", "Reasoning": "Said last."}',
    '{\n  "answer": @A, // in years\n  "CONFIDENCE": @C\n}',
    '<think>{"Answer": 1, "Confidence": 1}?</think>\n{"Answer": @A.0, "Confidence": @C}',
    '{"Reasoning": "He said \\"90\\", 0.9 sure.", "Answer": @A, "Confidence": @C',
    '{"response": {"Reasoning": "x", "Answer": @A, "Confidence": @C}}',
    '\n\n{"Reasoning":"x","Answer":@A,"Confidence":"@C (fairly sure)"}\r\n',
    "It will be @A, of which I'm @P% sure.",
    "**Answer:** @A\n\n**Confidence:** @C",
]
HALF = '{"Reasoning": "Between two years.", "Answer": @A.5, "Confidence": @C}'


@dataclass(frozen=True)
class Form:
    """A kind of reply: what it looks like and what can be read in it."""

    text: str
    has_age: bool = False
    has_confidence: bool = False
    half: bool = False
    status: str = "ok"
    finish: Finish = "stop"


FORMS = [
    *(Form(text, has_age=True, has_confidence=True) for text in READABLE),
    Form(HALF, has_age=True, has_confidence=True, half=True),
    Form('{"Answer": @A, "Confidence": "high"}', has_age=True, status="invalid_response_format"),
    Form('{"Answer": @A, "Confidence": 8}', has_age=True, status="invalid_response_format"),
    Form('{"Answer": @A}', has_age=True, status="invalid_response_format"),
    Form('{"Answer": @A, "Confidence": 0.', has_age=True, status="truncated", finish="length"),
    Form('{"Reasoning": "First, the', status="truncated", finish="length"),
    Form('{"Answer": "75-80", "Confidence": @C}', False, True, status="ambiguous"),
    Form('{"Answer": "maybe", "Confidence": @C}', False, True, status="invalid_response_format"),
    Form('{"Answer": 200, "Confidence": "?"}', status="out_of_range"),
    Form("In the late eighties, of which I'm fairly sure.", status="invalid_response_format"),
    Form("I'm sorry, but I can't answer that.", status="refusal"),
    Form("", status="no_response"),
    Form('{"Answer": "<the age at death>", "Confidence": "<a number>"}', status="echo"),
    Form("", status="content_filter", finish="content_filter"),
]


@dataclass(frozen=True)
class AgeMeaning:
    """What a reply says of whom; None where it doesn't say it."""

    person: Person
    age: Fraction | None
    hundredths: int | None
    status: str


class Actuary:
    """Answers by turns in every form, and notes what it means."""

    def __init__(
        self,
        forms: Sequence[Form] = FORMS,
        asked: re.Pattern[str] = OURS,
        window: str = "half-open",
    ) -> None:
        self.meant: list[AgeMeaning] = []
        self.withholds = True
        self._forms, self._asked, self._window = forms, asked, window

    def __call__(self, request: Request) -> Reply:
        """A reply; each has its own age and probability."""
        match = self._asked.search(request.prompt)
        assert match, request.prompt
        person = (SEX.get(match[1], match[1]), int(match[2]), Fraction(match[3]))
        rng = Random(len(self.meant))
        forms = self._forms if self.withholds else self._forms[:12]
        form = forms[len(self.meant) % len(forms)]
        years = rng.choice([rng.randint(55, 100), rng.randint(74, 88), rng.randint(0, 130)])
        hundredths = rng.choice([rng.randint(0, 100), 5 * rng.randint(0, 20), 0, 100])
        age = years + Fraction(form.half, 2) if form.has_age else None
        confidence = hundredths if form.has_confidence else None
        self.meant.append(AgeMeaning(person, age, confidence, form.status))
        text = form.text.replace("@A", str(years)).replace("@P", str(hundredths))
        return Reply(text.replace("@C", f"{hundredths / 100:g}"), form.finish)

    def judgments(self) -> list[dict[str, Any]]:
        """Person, answer with its true probability, confidence and status."""
        rows = []
        for m in self.meant:
            sex, age, radius = m.person
            row: dict[str, Any] = {"sex": sex, "age": age, "radius": radius, "status": m.status}
            row |= {"mas": highest(m.person, self._window), "answer": m.age, "score": None}
            row["confidence"] = None if m.hundredths is None else m.hundredths / 100
            if m.age is not None:
                row["score"] = truth(m.person, m.age, self._window)
            rows.append(row)
        return rows

    def log(self) -> dict[str, float]:
        """Over all radii."""
        numbers = self.numbers()
        names = ("overconfidence", "accuracy", "mean_confidence", "ece", "auroc")
        return entries_of(numbers, (*names, "hard_easy_slope", "format_failure_rate"))

    def table(self) -> Values:
        """Over all radii, and by radius where there are many judgments."""
        prompts = "ours" if self._asked is OURS else "authors"
        window = "" if self._window == "half-open" else f";window={self._window}"
        condition = f"variant=prompts%3D{prompts}{window}"
        values = of_condition(condition, self.numbers())
        radii = set(column_of(attributes_of(self.meant, "person"), 2))
        for radius in sorted(radii) if len(self.meant) > 80 and len(radii) > 1 else ():
            meanings = [m for m in self.meant if m.person[2] == radius]
            numbers = expected(meanings, self._window)
            del numbers["hard_easy_slope"]
            values |= of_condition(f"radius={radius};{condition}", numbers)
        return values

    def numbers(self) -> dict[str, float]:
        """Metric -> value."""
        return expected(self.meant, self._window)


@cache
def dying() -> dict[str, list[float]]:
    """The probabilities to die, by sex and age, from the csv file."""
    folder = CHECKOUT / "src" / "inspect_confidence" / "datasets" / "bundled"
    with (folder / "ssa_2022.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    male, female = column_of(rows, "male"), column_of(rows, "female")
    return {"male": list(map(float, male)), "female": list(map(float, female))}


@cache
def deaths(sex: str, age: int) -> list[float]:
    """The probability of dying at each age, of somebody alive at an age; 119 takes all the rest."""
    alive, probabilities = 1.0, [0.0] * age
    for k in range(age, 120):
        dies = 1.0 if k == 119 else dying()[sex][k]
        probabilities.append(alive * dies)
        alive *= 1 - dies
    return probabilities


@cache
def truth(person: Person, answer: Fraction, window: str = "half-open") -> float:
    """The probability of dying in the window around an answer, age by age."""
    sex, age, radius = person
    low, high = answer - radius, answer + radius
    first, last = math.ceil(low), math.floor(high)
    if window == "half-open":
        first, last = math.floor(low), math.ceil(high) - 1
    total = 0.0
    for k in range(max(first, 0), min(last, 119) + 1):
        total += deaths(sex, age)[k]
    return total


@cache
def highest(person: Person, window: str = "half-open") -> float:
    """The most that a whole answer can have."""
    return max(truth(person, Fraction(answer), window) for answer in range(-20, 141))


def expected(meanings: list[AgeMeaning], window: str = "half-open") -> dict[str, float]:
    """Metric -> value, from what the replies mean."""
    ages, maxima_of_ages, true, hundredths, maxima = [], [], [], [], []
    for meaning in meanings:
        if meaning.age is not None:
            probability = truth(meaning.person, meaning.age, window)
            maximum = highest(meaning.person, window)
            ages.append(probability)
            maxima_of_ages.append(maximum)
            if meaning.hundredths is not None:
                true.append(probability)
                hundredths.append(meaning.hundredths)
                maxima.append(maximum)
    sure, hard = list(np.array(hundredths) / 100), list(1 - np.array(maxima))
    excess = list(np.subtract(sure, true))
    gaps: dict[int, float] = defaultdict(float)
    for gap, number in zip(excess, hundredths, strict=True):
        gaps[number // 10] += gap  # 100 has a bin of its own
    right = np.repeat([1, 0], len(true))
    weights = np.concatenate([true, np.subtract(1, true)])
    brier = [p * (1 - s) ** 2 + (1 - p) * s**2 for p, s in zip(true, sure, strict=True)]
    return {
        "accuracy": mean(ages),
        "mean_confidence": mean(sure),
        "overconfidence": mean(excess),
        "ece": sum(map(abs, gaps.values())) / len(true),
        "auroc": float(roc_auc_score(right, sure + sure, sample_weight=weights)),
        "hard_easy_slope": linear_regression(hard, excess).slope if len(set(hard)) > 1 else 0.0,
        "format_failure_rate": failure_rate(attributes_of(meanings, "status")),
        "brier": mean(brier),
        "round_rate": mean(number % 5 == 0 for number in hundredths),
        "confidence_truth_correlation": correlation(sure, true),
        "maximum_achievable_score": mean(highest(m.person, window) for m in meanings),
        "optimal_answer_gap": mean(np.subtract(maxima_of_ages, ages)),
        "n": len(meanings),
    }


def people(**arguments: Any) -> Case:
    """The people of the bundled table."""
    return Case(
        "life_eval",
        life_eval,
        lambda home: (dict(arguments), lambda task: Actuary()),
        minimal={"radii": "5"},
        ok='{"Reasoning": "x", "Answer": 80, "Confidence": 0.5}',
        cut='{"Reasoning": "x", "Answer": 80, "Confidence": 0.',
        condition="variant=prompts%3Dours",
        system=True,
    )


CASE = people(ages="0,17,40,62-64,90,119", radii="1,5,20")


def study_rows(data: Path) -> list[tuple[Person, str, str]]:
    """Person, user and system message of the study's 808 prompts."""
    with (data / "life_eval" / "life_eval_prompts.csv").open(encoding="utf-8", newline="") as file:
        prompts = rows_by(csv.DictReader(file), "Question ID")
    rows = []
    with (data / "life_eval" / "items.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            text = row["Question Prompt"] + row["Confidence Prompt"]
            match = re.search(r"American (\w+) .* least (\d+) years.*within (\d+) years", text)
            assert match
            prompt = prompts[row["Question ID"]]
            person = (match[1], int(match[2]), Fraction(match[3]))
            rows.append((person, prompt["Full Prompt"], prompt["System Prompt"]))
    return rows
