"""The studies' own recorded answers, as they published them, read into judgments."""

from __future__ import annotations

import ast
import csv
import json
from collections.abc import Collection, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence import InvalidArgument
from inspect_confidence.answers import ParseFailure, read_word_choice
from inspect_confidence.arguments import read_text
from inspect_confidence.datasets.life_eval import study_items
from inspect_confidence.datasets.life_tables import read_life_table
from inspect_confidence.datasets.wep_choices import CHOICE_SETS, INTERVALS, POINTS, SCENARIOS
from inspect_confidence.prompts.wep_probes import CHOICES

NAN = float("nan")
MODES = {10: "narrow", 40: "wide"}
FILES = {
    **{"boolq": "boolq_valid", "sciq": "sciq_test", "lsat_ar": "lsat_ar_test"},
    **{"sat_en": "sat_en", "halueval": "halu_eval_qa"},
}
"""What the study calls its files of each question set."""


def ages(
    shared_data: Path, *, all_of_them: bool = False, window: str = "half-open"
) -> pd.DataFrame:
    """LifeEval's recorded answers as judgments."""
    keep = None if all_of_them else set(_kept_items(shared_data, "life_eval"))
    path = shared_data / "life_eval" / "answers" / "life_eval.csv"
    return recorded_ages(path, keep=keep, window=window)


def options(shared_data: Path, *, all_of_them: bool = False) -> pd.DataFrame:
    """Likewise the question sets'."""
    keep = _kept_items(shared_data, "question_sets")
    folder = shared_data / "question_sets"
    parts = [
        recorded_options(
            folder / "answers" / f"{file}.csv",
            folder / "items" / f"{file}.csv",
            dataset,
            keep=None if all_of_them else set(keep[file]),
        )
        for dataset, file in FILES.items()
    ]
    return pd.concat(parts, ignore_index=True)


def _kept_items(shared_data: Path, folder: str) -> Any:
    """What the study kept: items that all of its eleven models answered."""
    return json.loads((shared_data / folder / "kept_items.json").read_text("utf-8"))


def recorded_ages(
    path: Path,
    *,
    keep: Collection[str] | None = None,
    table: str = "ssa-2022",
    window: str = "half-open",
) -> pd.DataFrame:
    """Judgments of `life_eval` from the study's file of recorded answers.

    Args:
        path: A csv file with `model, Answer, Confidence, Question ID`, as in the study's repository
            (github NoamMichael/Comparing-Confidence-in-LLMs, Parsed Results, put together).
        keep: Question IDs to keep, where not all: those that all of the study's models answered.
        table: As `life_eval` takes it.
        window: Likewise.
    """
    lives, items = read_life_table(table), study_items()
    rows = []
    for record in _records(path):
        if keep is not None and record["Question ID"] not in keep:
            continue
        item = items[int(record["Question ID"])]
        answer, confidence = _number(record["Answer"]), _number(record["Confidence"])
        best = lives.best_answer(item.sex, item.age, item.radius, window)
        rows.append(
            {
                "task": "life_eval",
                "model": record["model"],
                "dataset": lives.name,
                "table": lives.name,
                "window": window,
                "source": "stated",
                "item": item.id,
                "sex": item.sex,
                "age": item.age,
                "radius": item.radius,
                "answer": answer,
                "confidence": confidence,
                "score": lives.window_probability(item.sex, item.age, answer, item.radius, window),
                "mas": best.probability,
                "best_answer": best.answer,
                **_recorded_status(np.isnan(answer) or np.isnan(confidence)),
            }
        )
    return pd.DataFrame(rows)


def recorded_options(
    answers: Path, items: Path, dataset: str, *, keep: Collection[str] | None = None
) -> pd.DataFrame:
    """Judgments of `question_sets` from the study's files of recorded answers and of items.

    Args:
        answers: A csv file with `model, Answer, Question ID` and either a column of probabilities
            for each letter or `Confidence`, as in the study's repository.
        items: The set's items as the study published them.
        dataset: `boolq`, `sciq`, `lsat_ar`, `sat_en` or `halueval`.
        keep: Question IDs to keep, where not all: those that all of the study's models answered.
    """
    targets = {
        row["Question ID"]: row.get("Correct Answer Letter") or row.get("Correct Answer", "")
        for row in _records(items)
    }
    rows = []
    for record in _records(answers):
        name = record["Question ID"]
        if keep is not None and name not in keep:
            continue
        row: dict[str, Any] = {
            "source": "stated",
            "task": "question_sets",
            "model": record["model"],
            "dataset": dataset,
        }
        if dataset == "halueval":
            question, answer_kind = name.rsplit("_", 1)
            row |= {"kind": "given", "item": f"{dataset}-{question}", "given": answer_kind}
            row |= _recorded_given(record, right=answer_kind == "r")
        else:
            row |= {"item": f"{dataset}-{name}", "target": targets[name]}
            row |= _recorded_truth(record) if dataset == "boolq" else _recorded_letter(record)
            if row["status"] == "ok":
                row["correct"] = float(row["answer"] == row["target"])
        rows.append(row)
    return pd.DataFrame(rows)


def _recorded_given(record: Mapping[str, str], *, right: bool) -> dict[str, Any]:
    confidence = _number(record["Confidence"])
    read = {"target": str(right), "confidence": confidence}
    failed = bool(np.isnan(confidence))
    return {**read, "correct": NAN if failed else float(right), **_recorded_status(failed)}


def _recorded_truth(record: Mapping[str, str]) -> dict[str, Any]:
    answer, confidence = record["Answer"].strip(), _number(record["Confidence"])
    failed = answer not in ("True", "False") or bool(np.isnan(confidence))
    return {
        "kind": "true_false",
        "choices": 2,
        "answer": answer if not failed else "",
        "confidence": confidence,
        **_recorded_status(failed),
    }


def _recorded_letter(record: Mapping[str, str]) -> dict[str, Any]:
    letters = [name for name in record if len(name) == 1]
    probabilities = np.array([_number(record[letter]) for letter in letters])
    answer, total = record["Answer"].strip().upper(), float(probabilities.sum())
    failed = answer not in letters or not total > 0
    row = {"kind": "options", "choices": len(letters), "answer": "" if failed else answer}
    if failed:
        return {**row, **_recorded_status(failed)}
    shares = probabilities / total
    return {
        **row,
        "raw_sum": total,
        "probabilities": json.dumps(list(map(float, shares))),
        "confidence": float(shares[letters.index(answer)]),
        **_recorded_status(failed),
    }


def _recorded_status(failed: bool) -> dict[str, Any]:
    if not failed:
        return {"status": "ok", "reason": ""}
    return {"status": "invalid_response_format", "reason": "the study read no answer from it"}


def _records(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(read_text(path), newline="")))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return NAN


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
                value = float(text) if text.strip() not in ("", "NA") else NAN
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
        numbers = MODES[int(record["mean_std"][1])]
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
                "choice": "" if isinstance(answer, ParseFailure) else CHOICES[size][answer.index],
                "status": answer.status if isinstance(answer, ParseFailure) else "ok",
                "reason": answer.reason if isinstance(answer, ParseFailure) else "",
            }
        )
    return pd.DataFrame(rows)
