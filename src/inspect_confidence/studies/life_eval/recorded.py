"""The study's recorded answers, of LifeEval and of the question sets, as judgments."""

import csv
import json
from collections.abc import Collection, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence.arguments import read_text
from inspect_confidence.datasets.life_eval import study_items
from inspect_confidence.datasets.life_tables import read_life_table
from inspect_confidence.studies.life_eval.judgments import STATED

_NAN = float("nan")


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
                "source": STATED,
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
            "source": STATED,
            "task": "question_sets",
            "model": record["model"],
            "dataset": dataset,
        }
        if dataset == "halueval":
            question, given = name.rsplit("_", 1)
            row |= {"kind": "given", "item": f"{dataset}-{question}", "given": given}
            row |= _recorded_given(record, right=given == "r")
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
    return {**read, "correct": _NAN if failed else float(right), **_recorded_status(failed)}


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
    stated = np.array([_number(record[letter]) for letter in letters])
    answer, total = record["Answer"].strip().upper(), float(stated.sum())
    failed = answer not in letters or not total > 0
    row = {"kind": "options", "choices": len(letters), "answer": "" if failed else answer}
    if failed:
        return {**row, **_recorded_status(failed)}
    shares = stated / total
    return {
        **row,
        "raw_sum": total,
        "probabilities": json.dumps([float(share) for share in shares]),
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
        return _NAN
