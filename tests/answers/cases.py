"""What the tests of readers share: cases of replies, and pieces that texts are made of."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from inspect_confidence.answers import AnswerToken, IntegerDistribution, ParseFailure, TokenChoice

FOLDER = Path(__file__).parent / "corpus"
CITIES = ["London", "Paris", "The Hague", "New York"]
FIVE = [
    "is almost certainly",
    "is likely to be",
    "is maybe",
    "is unlikely to be",
    "is almost certainly not",
]
Case = dict[str, Any]
Place = str | tuple[str, Mapping[str, float]]
"""A certain token, or the one chosen with the probabilities of all listed, itself included."""


def cases(form: str) -> list[Case]:
    """The lines of a corpus."""
    # Replies hold line separators that `splitlines` would take for the end of a line.
    lines = (FOLDER / f"{form}.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def pieces(kind: str, use: str) -> list[str]:
    """Texts that models write, to make others of: `pieces`, `repeated`, `starts` or `ends`."""
    path = Path(__file__).parent / "pieces.json"
    texts = json.loads(path.read_text(encoding="utf-8"))[kind].get(use, [])
    return list(map(str, texts))


def token_choice(place: Place) -> TokenChoice:
    """A token with the logarithms of the probabilities; -9999 for 0, as OpenAI sends it."""
    token, probabilities = (place, {place: 1.0}) if isinstance(place, str) else place
    logs = log_probabilities(probabilities)
    return TokenChoice(token, logs[token], logs)


def log_probabilities(probabilities: Mapping[str, float]) -> dict[str, float]:
    """The logarithms of probabilities; -9999 for 0, as OpenAI sends it."""
    return {name: math.log(p) if p > 0 else -9999.0 for name, p in probabilities.items()}


def integer_masses(answer: IntegerDistribution) -> dict[int, float]:
    """The probabilities before they were normalised, by what was left unseen."""
    return {value: p * (1 - answer.unseen_mass) for value, p in answer.probabilities.items()}


def option_masses(answer: AnswerToken | ParseFailure) -> list[float]:
    """The same of a question's options."""
    assert isinstance(answer, AnswerToken), answer
    assert sum(answer.probabilities) == pytest.approx(1, abs=1e-12)
    return [p * (1 - answer.unseen_mass) for p in answer.probabilities]
