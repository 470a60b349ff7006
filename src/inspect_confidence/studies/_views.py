"""Cells and layouts of the tables that people read."""

import math
from collections.abc import Hashable
from typing import Any

import pandas as pd

from inspect_confidence.studies._study import View

_INTERVAL_COLUMNS = (
    ("coverage", "coverage", 2),
    ("interval_score", "interval score", 1),
    ("mean_width", "width", 1),
    ("format_failure_rate", "unreadable", 2),
)


def cell(value: float, low: float, high: float, digits: int = 2) -> str:
    """A number with its interval, `0.63 [0.58, 0.68]`; a dash where it is undefined.

    Example:
        >>> cell(0.631, 0.58, 0.68)
        '0.63 [0.58, 0.68]'
        >>> cell(float("nan"), 0, 1)
        '-'
    """
    if math.isnan(value):
        return "-"
    number = f"{value:.{digits}f}"
    return number if math.isnan(low) else f"{number} [{low:.{digits}f}, {high:.{digits}f}]"


def interval_table(title: str, results: pd.DataFrame) -> View:
    """Levels in rows; coverage, interval score and width before and after conformal adjustment.

    Args:
        title: Of the table.
        results: Of one model, data set and variant, with `level`, `method` and `split` columns.
    """
    split = "test" if (results["split"] == "test").any() else ""
    shown = results[results["split"] == split]
    found: dict[tuple[str, str, str], dict[Hashable, Any]] = {
        (row["method"], row["level"], row["metric"]): row for row in shown.to_dict("records")
    }

    def number(method: str, level: str, metric: str, digits: int = 2) -> str:
        row = found.get((method, level, metric))
        return cell(row["value"], row["ci_low"], row["ci_high"], digits) if row else "-"

    levels = sorted({level for _, level, _ in found if level}, key=float)
    table = pd.DataFrame({"level": [f"{level}%" for level in levels]})
    for metric, label, digits in _INTERVAL_COLUMNS:
        for method in dict.fromkeys(method for method, _, _ in found):
            numbers = [number(method, level, metric, digits) for level in levels]
            if set(numbers) != {"-"}:
                table[f"{method} {label}"] = numbers
    captions = [f"{_total(found, 'n')} judgments; 95% intervals in brackets"]
    captions += [
        f"coverage plateau ({method}): {number(method, '', 'coverage_plateau')}"
        for method, level, metric in found
        if metric == "coverage_plateau"
    ]
    captions += [
        f"{level}%: {row['note']}"
        for (_, level, metric), row in found.items()
        if metric == "conformal_offset" and math.isinf(row["value"])
    ]
    return View(
        title + (", test split" if split else ""), table, ".\n".join([*captions, ""]).strip()
    )


def _total(found: dict[tuple[str, str, str], dict[Hashable, Any]], metric: str) -> int:
    return sum(int(row["value"]) for key, row in found.items() if key[2] == metric)
