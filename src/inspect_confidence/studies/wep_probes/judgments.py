"""The samples of both probes as rows of judgments, and the study's recorded replies as such."""

import ast
import csv
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd

from inspect_confidence.answers import Unreadable, read_word_choice
from inspect_confidence.arguments import read_text
from inspect_confidence.datasets.wep_choices import CHOICE_SETS, INTERVALS, POINTS, SCENARIOS
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.prompts.wep_probes import CHOICES
from inspect_confidence.studies.study import SampleFacts

_NAN = float("nan")
_MODES = {10: "narrow", 40: "wide"}


def read_statement(sample: SampleFacts) -> list[dict[str, Any]]:
    """The judgment of a statement: the probability that its word means, or why there is none."""
    asked = ("item", "split", "context", "setting", "language", "word")
    score, became = sample.read("stated_probability")
    row = {name: sample.metadata[name] for name in asked}
    return [{**row, **score.only("probability"), **became}]


def read_sentence(sample: SampleFacts) -> list[dict[str, Any]]:
    """The judgment of a sentence: the choice that completes it, or why there is none."""
    asked = ("item", "split", "scenario", "choice_set", "numbers", "point", "interval", "cot")
    score, became = sample.read("word_choice")
    row = {name: sample.metadata[name] for name in asked}
    return [
        {
            **row,
            "choice": score.answer or "",
            "reply": score.metadata.get("reply", ""),
            **became,
        }
    ]


def recorded_statements(
    path: Path, *, model: str, setting: str = "concise", language: str = "en"
) -> pd.DataFrame:
    """Judgments of `wep_elicitation` from the study's own file of recorded probabilities.

    Args:
        path: A csv file with a word a row and a context a column, as in the study's repository
            (github jasontangzs0/Estimative-Uncertainty); empty cells are answers that were dropped.
        model: Whose answers they are.
        setting: Of all its contexts.
        language: Likewise.

    Raises:
        InvalidArgument: A value is not a probability.
    """
    rows = []
    for record in csv.reader(StringIO(read_text(path), newline="")):
        if not record or not record[0].strip():
            continue
        for number, text in enumerate(record[1:], start=1):
            try:
                value = float(text) if text.strip() not in ("", "NA") else _NAN
            except ValueError:
                value = 2.0
            if value > 1 or value < 0:
                raise InvalidArgument(f"{path.name}: {text!r} is not a probability.")
            rows.append(
                {
                    "task": "wep_elicitation",
                    "model": model,
                    "dataset": "recorded",
                    "item": f"{setting}-{number:02d}",
                    "context": f"{setting}-{number:02d}",
                    "setting": setting,
                    "language": language,
                    "word": record[0].strip().lower(),
                    "probability": value,
                }
            )
    return pd.DataFrame(rows)


def recorded_sentences(path: Path, *, model: str, cot: bool) -> pd.DataFrame:
    """Judgments of `wep_choice` from the study's own file of recorded replies.

    Args:
        path: A text file with a Python literal a line, as in the study's repository: `mean_std`,
            `ci`, `interval`, `index` (2 * scenario + choice set) and `answer`.
        model: Whose replies they are.
        cot: Whether they are the ones with a chain of thought.
    """
    rows = []
    for line in read_text(path).splitlines():
        if not line.strip():
            continue
        record = ast.literal_eval(line)
        scenario, choice_set = divmod(int(record["index"]), 2)
        numbers = _MODES[int(record["mean_std"][1])]
        point = float(record["ci"])
        low, high = POINTS[numbers][point]
        texts = {text.format(low=low, high=high): name for name, text in INTERVALS.items()}
        interval = texts[record["interval"]]
        size = CHOICE_SETS[choice_set]
        answer = read_word_choice(record["answer"], CHOICES[size], chain_of_thought=cot)
        rows.append(
            {
                "task": "wep_choice",
                "model": model,
                "dataset": "recorded",
                "item": f"{SCENARIOS[scenario]}-{size}-{numbers}-{point:g}-{interval}",
                "scenario": SCENARIOS[scenario],
                "choice_set": size,
                "numbers": numbers,
                "point": point,
                "interval": interval,
                "cot": cot,
                "reply": record["answer"],
                "choice": "" if isinstance(answer, Unreadable) else CHOICES[size][answer.index],
                "status": answer.status if isinstance(answer, Unreadable) else "ok",
                "reason": answer.reason if isinstance(answer, Unreadable) else "",
            }
        )
    return pd.DataFrame(rows)
