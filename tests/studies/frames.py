"""Rows of judgments and of results, as the tests of studies make and read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from build import frame_rows
from inspect_confidence import summarize
from inspect_confidence.results import Condition
from inspect_confidence.studies.unread import without_unread

NAN = float("nan")
KEYS = ["model", "dataset", "condition", "metric"]
NUMBERS = ["value", "ci_low", "ci_high"]

Row = dict[str, Any]
Rows = dict[tuple[frozenset[tuple[str, str]], str], Row]
"""Rows of results by decoded condition and metric."""


def frame(rows: Sequence[Mapping[str, Any]], task: str) -> pd.DataFrame:
    """Rows as judgments of a task."""
    return pd.DataFrame(rows).assign(task=task)


def study_results(source: object, **settings: Any) -> pd.DataFrame:
    """The results of judgments, without the rows that every study has on unread replies."""
    return without_unread(summarize(source, **settings))  # type: ignore[arg-type]  # as given


def without_choice(results: pd.DataFrame, name: str = "convention") -> pd.DataFrame:
    """The results with an analysis choice taken out of their variants, to compare them by key."""
    conditions = []
    for text in results["condition"]:
        condition = Condition.read(text)
        variant = condition.get("variant", "").split(";")
        variant = [part for part in variant if not part.startswith(f"{name}=")]
        conditions.append(str(condition.but(variant=";".join(variant))))
    return results.assign(condition=conditions)


def keyed(results: pd.DataFrame, **columns: str) -> Rows:
    """Rows of results by condition and metric, each once; what is undefined says so."""
    chosen = results
    for name, value in columns.items():
        chosen = chosen[chosen[name] == value]
    rows: Rows = {}
    for row in frame_rows(chosen):
        key = frozenset(Condition.read(row["condition"]).items()), row["metric"]
        assert key not in rows, key
        rows[key] = row
        if np.isnan(row["value"]):
            assert row["note"].startswith("undefined"), row
            assert np.isnan([row["ci_low"], row["ci_high"]]).all(), row
    return rows


def result_row(results: pd.DataFrame, condition: str, metric: str, **columns: str) -> Row:
    """The one row of a condition, as it is written, and a metric."""
    chosen = results[(results["condition"] == condition) & (results["metric"] == metric)]
    for name, value in columns.items():
        chosen = chosen[chosen[name] == value]
    assert len(chosen) == 1, (condition, metric, columns, len(chosen))
    (row,) = frame_rows(chosen)
    return row


def value(results: pd.DataFrame, condition: str, metric: str, **columns: str) -> float:
    """The value of that row."""
    return float(result_row(results, condition, metric, **columns)["value"])


def frames_are_equal(first: pd.DataFrame, second: pd.DataFrame) -> bool:
    """Whether both agree to the last bit, in every row, their order and every note."""
    try:
        pd.testing.assert_frame_equal(first, second, check_exact=True)
    except AssertionError:
        return False
    return True


def changed(once: pd.DataFrame, repeated: pd.DataFrame) -> pd.DataFrame:
    """Of the same rows those whose value or interval differs, but for counts."""
    pd.testing.assert_frame_equal(once[KEYS], repeated[KEYS])
    differs = ~np.isclose(once[NUMBERS], repeated[NUMBERS], rtol=0, atol=1e-9, equal_nan=True)
    wrong = once[np.asarray(differs).any(axis=1) & (once["metric"] != "n").to_numpy()]
    return wrong[[*KEYS, *NUMBERS]]


# The scale study


def scale_rows(
    scale: str = "0-100",
    items: int = 80,
    choices: float = 2,
    seed: int = 0,
    unreadable: float = 0.1,
    **columns: object,
) -> list[Row]:
    """Rows of judgments on one scale, a share of them unreadable."""
    rng = np.random.default_rng(seed)
    low, high = map(int, scale.split("-"))
    rows = []
    for number in range(items):
        offered = 4 if np.isnan(choices) else int(choices)
        truth = int(rng.integers(offered))
        sure = rng.uniform()
        right = rng.uniform() < 0.4 + 0.5 * sure
        chosen = truth if right else (truth + 1) % offered
        row = {"item": f"i{number:03d}", "low": low, "high": high, "choices": choices, "epoch": 1}
        row |= {"raw": low + round((high - low) * sure), "correct": float(right), "status": "ok"}
        row |= {"target": "ABCDE"[truth], "answer": "ABCDE"[chosen]}
        if rng.uniform() < unreadable:
            row |= {"raw": NAN, "correct": NAN, "answer": "", "status": "refusal"}
        rows.append({"uuid": f"{columns} {scale} {number}", **row, **columns})
    return rows


def scaled(rows: Sequence[Mapping[str, Any]], resamples: int = 100, **options: Any) -> pd.DataFrame:
    """The results of rows of judgments on scales."""
    return study_results(frame(rows, "scale_variants"), resamples=resamples, **options)
