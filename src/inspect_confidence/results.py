"""Results: one long table of numbers, whose they are, and what was varied."""

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Literal
from urllib.parse import unquote

import pandas as pd

# Spreadsheets also take the full-width forms, and skip blanks before a formula.
_FORMULA = re.compile(r"[\t\r]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")


def as_csv(frame: pd.DataFrame, index: str = "") -> str:
    """Rows as csv; numbers stay numbers, also negative ones.

    Args:
        frame: The rows.
        index: What the column of the frame's index is called; left out if empty.
    """
    text = {
        name: frame[name].map(harmless)
        for name in map(str, frame.columns)
        if not pd.api.types.is_numeric_dtype(frame[name])
    }
    rows = frame.assign(**text)
    return rows.to_csv(
        index=bool(index), index_label=index or None, lineterminator="\n", quoting=quoting(rows)
    )


def quoting(frame: pd.DataFrame) -> Literal[0, 2]:
    """How csv has to be quoted for all text to be read back.

    `csv` before Python 3.13 leaves a lone carriage return bare, and readers end the row there.
    """
    texts = (frame[name] for name in frame if not pd.api.types.is_numeric_dtype(frame[name]))
    broken = any("\r" in str(text) for column in texts for text in column.unique())
    return csv.QUOTE_NONNUMERIC if broken else csv.QUOTE_MINIMAL


def harmless(text: object) -> str:
    """Text that no spreadsheet takes for a formula.

    Example:
        >>> harmless("=1+1"), harmless("a=1")
        ("'=1+1", 'a=1')
    """
    return f"'{text}" if _FORMULA.match(str(text)) else str(text)


SCHEMA_VERSION = 1
"""Of files of judgments and of results; docs/judgments.md says what changes it."""


@dataclass(frozen=True)
class Result:
    """One number.

    Attributes:
        task: Without the package's prefix.
        model: As Inspect names it.
        dataset: As the log names it.
        condition: What the study varied, as `encode_condition` writes it.
        metric: A name from the metric registry.
        value: The number; NaN where it is undefined, with the reason in `note`.
        ci_low: Lower end of its 95% interval; NaN where it has none.
        ci_high: Upper end.
        n: Judgments that the value rests on.
        note: Reason of a NaN, definition chosen, counts left out.
    """

    task: str
    model: str
    dataset: str
    condition: str
    metric: str
    value: float
    ci_low: float
    ci_high: float
    n: int
    note: str


COLUMNS = [field.name for field in fields(Result)]


def results_frame(results: Iterable[Result]) -> pd.DataFrame:
    """Results as a data frame with its columns in order, also where there are none."""
    # Given the results themselves, pandas would copy each of them deeply first.
    return pd.DataFrame(list(map(attrgetter(*COLUMNS), results)), columns=COLUMNS)


def encode_condition(parts: Mapping[str, object]) -> str:
    """`key=value` pairs joined by `;` in the keys' alphabetical order; empty values left out.

    Example:
        >>> encode_condition({"method": "direct", "level": 90.0, "variant": ""})
        'level=90;method=direct'
        >>> encode_condition({"variant": "temperature=1"})
        'variant=temperature%3D1'
    """
    written = {key: _written(value) for key, value in parts.items()}
    return ";".join(f"{key}={written[key]}" for key in sorted(written) if written[key])


def decode_condition(condition: str) -> dict[str, str]:
    """The pairs of an encoded condition.

    Example:
        >>> decode_condition("level=90;variant=temperature%3D1")
        {'level': '90', 'variant': 'temperature=1'}
    """
    pairs = (part.split("=", 1) for part in condition.split(";") if part)
    return {key: unquote(value) for key, value in pairs}


def with_parts(results: pd.DataFrame, names: Iterable[str]) -> pd.DataFrame:
    """Results with the parts of their condition as columns, empty where a part is missing.

    The column `row` says which row of the results each one was, by its index.
    """
    if "row" not in results:
        results = results.assign(row=results.index)
    decoded = [decode_condition(text) for text in results["condition"]]
    parts = {name: [one.get(name, "") for one in decoded] for name in names}
    return results.reset_index(drop=True).assign(**parts)


def without(condition: str, name: str) -> str:
    """The condition less one of its pairs.

    Example:
        >>> without("effort=low;temperature=1", "temperature")
        'effort=low'
    """
    parts = decode_condition(condition)
    parts.pop(name, None)
    return encode_condition(parts)


def _written(value: object) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    # Only what would break the pairs: quoting everything would make model names unreadable.
    return text.replace("%", "%25").replace("=", "%3D").replace(";", "%3B")
