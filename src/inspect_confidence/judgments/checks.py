"""Whether a user's rows can be judgments: what they may hold, and each of them once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.studies import COMMON_LIMITS, TaskTable

_OF_THE_QUESTION = {"level", "low", "high", "target", "sex", "method"}
"""Columns of an answer's form that say what was asked."""


def refuse_wrong(judgments: pd.DataFrame, rows: pd.Index, table: TaskTable, source: str) -> None:
    """Refuse values that are outside a column's limits, or the wrong way round.

    Args:
        judgments: Typed.
        rows: The place of each in its source, from 0.
        table: Of their task.
        source: For the error.

    Raises:
        InvalidArgument: A value can't be; it names the row, the column and the remedy.
    """
    for violation in violations(judgments, table):
        for place, reason in violation.reasons.items():
            raise InvalidArgument(f"{source}, row {rows[place] + 1}: {reason}.")


@dataclass(frozen=True)
class Violation:
    """Judgments that break one rule of their task.

    Attributes:
        columns: Columns whose values cannot be used.
        reasons: Reason by the place of each such judgment, from 0.
    """

    columns: Sequence[str]
    reasons: Mapping[int, str]


def violations(judgments: pd.DataFrame, table: TaskTable) -> Iterator[Violation]:
    """Yield what typed judgments hold that cannot be, rule by rule: limits, order, the task's own.

    Args:
        judgments: Typed.
        table: Of their task.
    """
    for name, limit in {**COMMON_LIMITS, **table.limits}.items():
        values = judgments[name]
        filled = np.flatnonzero(values.notna() & (values != ""))
        wrong = filled[~limit.holds(values.iloc[filled])]
        remedy = f"; {limit.remedy}" if limit.remedy else ""
        reasons = {
            int(
                place
            ): f"{name}={short_value(values.iloc[place])} is not {limit.description}{remedy}"
            for place in wrong
        }
        if reasons:
            yield Violation([name], reasons)
    for low, high in table.ordered:
        reasons = {}
        for place in np.flatnonzero(judgments[low] > judgments[high]):
            first, second = judgments[[low, high]].iloc[place]
            reasons[int(place)] = (
                f"{low}={first:g} is above {high}={second:g}; the lower number comes first"
            )
        if reasons:
            yield Violation([low, high], reasons)
    for columns, contradictions in table.contradictions.items():
        contradicted = contradictions(judgments)
        if contradicted:
            yield Violation(columns, contradicted)


def each_once(
    frame: pd.DataFrame, table: TaskTable, source: str, notices: list[str]
) -> pd.DataFrame:
    """A file's rows, each once, with the number of the draw where an answer is a repeated one.

    What says which repetition a row is are `epoch` and `draw`, or `draw` alone of a method whose
    answer is made of several. A row that is there twice with one of these is a copy: it counts
    once, and a notice says how many do. Rows with a sample's `uuid` are left to `once`, which knows
    those of other files too.

    Raises:
        InvalidArgument: Rows are the same, and nothing says whether they are copies or repeated
            answers; or the same repetition has several answers.
    """
    texts = frame.astype({name: str for name in frame if frame[name].dtype == object})
    open_ = pd.Series(True, frame.index)
    if "uuid" in frame:
        open_ = frame["uuid"].isna() | (frame["uuid"] == "")
    made_of_several = pd.Series(False, frame.index)
    if "method" in frame:
        made_of_several = frame["method"].isin(table.repeated_methods)
    numbered = pd.Series("draw" in frame, frame.index) | (~made_of_several & ("epoch" in frame))
    copies = texts.duplicated() & open_
    _refuse_unnumbered(texts, copies & ~numbered & ~made_of_several, source)
    copies &= numbered
    if copies.any():
        notices.append(f"{source}: rows that stand there again count once: {int(copies.sum())}")
        frame, texts = frame[~copies], texts[~copies]
    asked = texts[[name for name in texts if name not in _answers(table)]]
    again = asked.duplicated() & open_[frame.index]
    if not again.any():
        return frame
    if (contradicting := again & numbered[frame.index]).any():
        second = first_row(contradicting)
        raise InvalidArgument(
            f"{source}: rows {_first(asked, second) + 1} and {second + 1} are of the same "
            f"repetition of item {frame['item'].loc[second]}, with other answers; leave one out."
        )
    return frame.assign(draw=asked.groupby(list(asked), dropna=False, sort=False).cumcount())


def _refuse_unnumbered(texts: pd.DataFrame, copies: pd.Series, source: str) -> None:
    if copies.any():
        second = first_row(copies)
        raise InvalidArgument(
            f"{source}: row {second + 1} is the same as row {_first(texts, second) + 1}; leave out "
            "copies, or number repeated answers in a column 'epoch'."
        )


def first_row(so: pd.Series) -> int:
    """The number of the first row that is so, from 0."""
    return int(so.index.to_numpy()[so.to_numpy(bool)][0])


def _first(rows: pd.DataFrame, like: int) -> int:
    """The first row that is the same."""
    same = (rows == rows.loc[like]) | (rows.isna() & rows.loc[like].isna())
    return first_row(same.all(axis=1))


def _answers(table: TaskTable) -> set[str]:
    """The columns that say what was answered, and not what was asked."""
    said = {name for form in table.answers for name in form} | {"status", "reason", "uuid"}
    return said - {*table.required, *table.varied, *_OF_THE_QUESTION}


def short_value(value: object) -> str:
    """Return a value as an error shows it: a number in few digits, a text cut off."""
    return f"{value:g}" if isinstance(value, float) else str(value)[:60]
