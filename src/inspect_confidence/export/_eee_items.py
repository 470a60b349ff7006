"""Judgments as per-item records of Every Eval Ever."""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from inspect_confidence.export._eee_readings import READINGS, Reading
from inspect_confidence.export._material import ResultSet
from inspect_confidence.studies import TABLES

NO_ITEMS = "no per-item file: the schema demands right or wrong, and these judgments are neither"

# Whole replies stay in the logs.
_TEXTS = {"reply", "text"}
_FIRST_OF_REPLY = {"hedge_markers"}
# What a row says of its one marker is not the reply's.
_OF_MARKER = {
    *("sentence", "marker", "confidence", "consistent", "undecided", "inconsistent", "failed"),
    *("decisiveness", "n_markers"),
}


@dataclass(frozen=True)
class Items:
    """Per-item records of a result set.

    Attributes:
        lines: One a judgment that has a score.
        left_out: How many have none, by status.
    """

    lines: Sequence[dict[str, Any]]
    left_out: Mapping[str, int]


def items_of(one: ResultSet, evaluation_id: str, model_id: str, version: str) -> Items | None:
    """The records of a result set; None where its judgments are neither right nor wrong.

    Args:
        one: The result set.
        evaluation_id: Of its aggregate file.
        model_id: As the aggregate file has it.
        version: Of the schema.
    """
    read = READINGS.get(one.task)
    if read is None:
        return None
    rows = one.judgments
    if one.task in _FIRST_OF_REPLY:  # a row a marker: the reply counts once
        rows = rows.drop_duplicates(["uuid", "item", "epoch"])
    lines, left_out = [], Counter[str]()
    for row in rows.to_dict("records"):
        reading = read({str(name): value for name, value in row.items()})
        if math.isnan(reading.score):
            left_out[str(row["status"])] += 1
            continue
        common = {
            "schema_version": version,
            "evaluation_id": evaluation_id,
            "model_id": model_id,
            "evaluation_name": f"inspect_confidence.{one.task}",
        }
        lines.append({**common, **_record(row, reading, one.task)})
    return Items(lines, left_out)


def _record(row: Mapping[Any, Any], reading: Reading, task: str) -> dict[str, Any]:
    columns = ["split", "epoch", "draw", "status", *TABLES[task].columns]
    hidden = _TEXTS | (_OF_MARKER if task in _FIRST_OF_REPLY else set())
    metadata = {
        name: _text(row[name]) for name in columns if name not in hidden and not _missing(row[name])
    }
    return {
        "sample_id": str(row["item"]),
        "interaction_type": "single_turn",
        # The schema demands both; question and reply stay in the log.
        "input": {
            "raw": str(row["item"]),
            "reference": [reading.reference] if reading.reference else [],
        },
        "output": {"raw": []},
        "answer_attribution": [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": reading.extracted,
                "extraction_method": f"inspect_confidence.{task}",
                "is_terminal": True,
            }
        ],
        "evaluation": {"score": reading.score, "is_correct": bool(reading.correct)},
        "metadata": {
            **metadata,
            "means": reading.means,
            "input": "the item's name; question and reply are in the log",
        },
    }


def as_lines(records: Sequence[Mapping[str, Any]]) -> str:
    """Records as lines of JSON."""
    return "".join(f"{json.dumps(one, ensure_ascii=False, allow_nan=False)}\n" for one in records)


def _missing(value: object) -> bool:
    return value is None or value == "" or bool(pd.isna(value))  # type: ignore[call-overload]


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
