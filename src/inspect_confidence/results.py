"""Results: one long table of numbers, whose they are, and what was varied."""

import csv
import functools
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Literal
from urllib.parse import unquote

import pandas as pd

from inspect_confidence.printing import in_json

NO_INTERVAL = (math.nan, math.nan)
"""The ends of an interval that a number hasn't."""

# Spreadsheets also take the full-width forms, and skip blanks before a formula. Text that has
# apostrophes before it gets one more, so that what was put there can be told.
_FORMULA = re.compile(r"'*(?:[\t\r]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])")


def as_csv(frame: pd.DataFrame, index: str = "") -> str:
    """Rows as csv; numbers stay numbers, also negative ones.

    Args:
        frame: The rows.
        index: What the column of the frame's index is called; left out if empty.
    """
    text = {
        name: frame[name].map(harmless, na_action="ignore")
        for name in map(str, frame.columns)
        if not pd.api.types.is_numeric_dtype(frame[name])
    }
    rows = frame.assign(**text)
    return rows.to_csv(
        index=bool(index), index_label=index or None, lineterminator="\n", quoting=quoting(rows)
    )


def as_json(frame: pd.DataFrame) -> str:
    """Rows as a JSON array; NaN is null, infinite numbers are `"Infinity"` and `"-Infinity"`."""
    records = frame.to_dict("records")
    rows = [{str(name): _in_json(value) for name, value in row.items()} for row in records]
    return in_json(json.dumps(rows, indent=1, ensure_ascii=False, allow_nan=False))


def _in_json(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return value


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


def as_meant(text: str) -> str:
    """The text that `harmless` gave this for.

    Example:
        >>> as_meant("'=1+1"), as_meant("'tis")
        ('=1+1', "'tis")
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


SCHEMA_VERSION = 1
"""Of files of judgments and of results; docs/judgments.md says what changes it."""


class Condition(Mapping[str, str]):
    """What a study varied for a number: a frozen mapping whose `str` is the encoded text.

    Values are texts, numbers as `g` writes them; parts with an empty value are left out; keys are
    in alphabetical order. It equals, and is hashed as, its parts.

    Example:
        >>> condition = Condition(method="direct", level=90.0, variant="")
        >>> str(condition), condition["level"]
        ('level=90;method=direct', '90')
        >>> str(condition.but(variant="temperature=1", method=""))
        'level=90;variant=temperature%3D1'
        >>> Condition.read("level=90;variant=temperature%3D1")
        Condition(level='90', variant='temperature=1')
    """

    __slots__ = ("_parts",)

    def __init__(self, parts: Mapping[str, object] | None = None, **more: object) -> None:
        written = {key: _written(value) for key, value in {**(parts or {}), **more}.items()}
        self._parts = {key: written[key] for key in sorted(written) if written[key]}

    @classmethod
    @functools.cache
    def read(cls, text: str) -> "Condition":
        """The condition that a text encodes, as `str` writes it."""
        pairs = (part.split("=", 1) for part in text.split(";") if part)
        return cls({key: unquote(value) for key, value in pairs})

    def but(self, **parts: object) -> "Condition":
        """With some parts set anew, or left out where they are empty."""
        return Condition(self._parts, **parts)

    def __getitem__(self, key: str) -> str:
        return self._parts[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def __hash__(self) -> int:
        return hash(tuple(self._parts.items()))

    def __str__(self) -> str:
        return ";".join(f"{key}={value.translate(_ESCAPED)}" for key, value in self._parts.items())

    def __repr__(self) -> str:
        return f"Condition({', '.join(f'{key}={value!r}' for key, value in self._parts.items())})"


# Only what would break the pairs: quoting everything would make model names unreadable.
_ESCAPED = str.maketrans({"%": "%25", "=": "%3D", ";": "%3B"})


def _written(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Result:
    """One number.

    Attributes:
        task: Without the package's prefix.
        model: As Inspect names it.
        dataset: As the log names it.
        condition: What the study varied.
        metric: A name from the metric registry.
        value: The number; NaN where it is undefined, with the reason in `note`.
        ci_low: Lower end of its 95% interval; NaN where it has none.
        ci_high: Upper end.
        n: Judgments that the value rests on.
        asked: Judgments that were asked for; those left out are told by status in `note`.
        note: Reason of a NaN or of no interval, definition chosen, counts left out.
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
    asked: int
    note: str


@dataclass(frozen=True)
class Key:
    """Whose numbers they are.

    Attributes:
        task: Without the package's prefix.
        model: As Inspect names it.
        dataset: As the log names it.
    """

    task: str
    model: str
    dataset: str

    def result(
        self,
        condition: Mapping[str, object],
        metric: str,
        value: float,
        interval: Sequence[float] = NO_INTERVAL,
        *,
        n: int,
        asked: int | None = None,
        note: str = "",
    ) -> Result:
        """One number of theirs.

        Args:
            condition: What the study varied.
            metric: A name from the metric registry.
            value: The number; NaN where it is undefined, with the reason in `note`.
            interval: Both ends of its 95% interval; NaN where it has none.
            n: Judgments that the value rests on.
            asked: Judgments that were asked for; n if None.
            note: Reason of a NaN or of no interval, definition chosen, counts left out.
        """
        low, high = map(float, interval)
        where = (self.task, self.model, self.dataset, str(Condition(condition)))
        of = n if asked is None else asked
        return Result(*where, metric, float(value), low, high, n, of, note)


COLUMNS = [field.name for field in fields(Result)]


def results_frame(results: Iterable[Result]) -> pd.DataFrame:
    """Results as a data frame with its columns in order, also where there are none."""
    # Given the results themselves, pandas would copy each of them deeply first.
    return pd.DataFrame(list(map(attrgetter(*COLUMNS), results)), columns=COLUMNS)


def conditions_of(results: pd.DataFrame) -> list[Condition]:
    """The condition of each row of results."""
    return [Condition.read(text) for text in results["condition"]]


def with_parts(results: pd.DataFrame, names: Iterable[str]) -> pd.DataFrame:
    """Results with the parts of their condition as columns, empty where a part is missing.

    The column `row` says which row of the results each one was, by its index.
    """
    if "row" not in results:
        results = results.assign(row=results.index)
    decoded = conditions_of(results)
    parts = {name: [one.get(name, "") for one in decoded] for name in names}
    return results.reset_index(drop=True).assign(**parts)


def without(condition: str, name: str) -> str:
    """The condition less one of its pairs.

    Example:
        >>> without("effort=low;temperature=1", "temperature")
        'effort=low'
    """
    return str(Condition.read(condition).but(**{name: ""}))
