"""Checks of users' rows: each value is possible, and each judgment occurs once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pandas as pd

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.grades import is_exact, same_answers
from inspect_confidence.scales import verdict_sign
from inspect_confidence.studies import TaskTable

_QUESTION_COLUMNS = {"level", "low", "high", "target", "sex", "method"}
"""Columns of an answer's form that describe the question."""
_MEASURES = {"by", "phrase", "unseen_mass", "draws", "agreement", "clipped", "raw_sum"}
"""Further columns that may differ between the answers to one question."""


def refuse_wrong(judgments: pd.DataFrame, rows: pd.Index, table: TaskTable, source: str) -> None:
    """Refuse judgments with values outside a column's limits, or in the wrong order.

    Args:
        judgments: Typed judgments.
        rows: Row number of each judgment in its source, from 0.
        table: Table of their task.
        source: Name of the source, for the error.

    Raises:
        InvalidArgument: A value is impossible; it names the row, the column and the remedy.
    """
    for violation in violations(judgments, table):
        for position, reason in violation.reasons.items():
            raise InvalidArgument(f"{source}, row {rows[position] + 1}: {reason}.")


@dataclass(frozen=True)
class Violation:
    """Judgments that break one rule of their task.

    Attributes:
        columns: Columns with values that cannot be used.
        reasons: Reason by the position of each such judgment, from 0.
    """

    columns: Sequence[str]
    reasons: Mapping[int, str]


def violations(judgments: pd.DataFrame, table: TaskTable) -> Iterator[Violation]:
    """Yield the violations of a task's rules: limits, order of columns, the task's own rules.

    Args:
        judgments: Typed judgments.
        table: Table of their task.
    """
    for name, limit in table.limits.items():
        values = judgments[name]
        filled = np.flatnonzero(values.notna() & (values != ""))
        remedy = f"; {limit.remedy}" if limit.remedy else ""
        reasons = {}
        for row in filled[~limit.holds(values.iloc[filled])]:
            value = short_value(values.iloc[row])
            reasons[int(row)] = f"{name}={value} is not {limit.description}{remedy}"
        if reasons:
            yield Violation([name], reasons)
    for low, high in table.ordered:
        reasons = {}
        for row in np.flatnonzero(judgments[low] > judgments[high]):
            lower, upper = judgments[[low, high]].iloc[row]
            reasons[int(row)] = (
                f"{low}={lower:g} is above {high}={upper:g}; the lower number comes first"
            )
        if reasons:
            yield Violation([low, high], reasons)
    for columns, contradictions in table.contradictions.items():
        contradicted = contradictions(judgments)
        if contradicted:
            yield Violation(columns, contradicted)


def number_repeats(
    frame: pd.DataFrame, table: TaskTable, source: str, notices: list[str]
) -> pd.DataFrame:
    """Return a file's rows without copies, with repeated answers numbered in `draw`.

    `epoch` and `draw` say which repetition a row is, or `draw` alone if the method's answer is made
    of several draws. A row that occurs twice with such a number is a copy: it counts once, and a
    notice says how many copies there are. Rows with a sample's `uuid` are left to `drop_repeats`,
    which compares them with other files too.

    Raises:
        InvalidArgument: Rows are equal, and nothing says whether they are copies or repeated
            answers; or one repetition has several answers; or another column of the file tells the
            rows of an item apart, and may be a condition.
    """
    texts = frame.astype({name: str for name in frame if frame[name].dtype == object})
    without_uuid = pd.Series(True, frame.index)
    if "uuid" in frame:
        without_uuid = frame["uuid"].isna() | (frame["uuid"] == "")
    has_draws = pd.Series(False, frame.index)
    if "method" in frame:
        has_draws = frame["method"].isin(table.repeated_methods)
    numbered = pd.Series("draw" in frame, frame.index) | (~has_draws & ("epoch" in frame))
    copies = texts.duplicated() & without_uuid
    _refuse_unnumbered(texts, copies & ~numbered & ~has_draws, source)
    copies &= numbered
    if copies.any():
        notices.append(f"{source}: {int(copies.sum())} rows are copies and were left out")
        frame, texts = frame[~copies], texts[~copies]
    unknown = [name for name in texts if name not in table.kinds]
    ignored = {*_answer_columns(table), *_MEASURES, *unknown}
    questions = texts[[name for name in texts if name not in ignored]]
    repeats = questions.duplicated() & without_uuid[frame.index]
    if not repeats.any():
        return frame
    places = questions.groupby(list(questions), dropna=False, sort=False).ngroup()
    if not has_draws.all():
        _refuse_conditions(texts[unknown], places, source)
    if (contradicting := repeats & numbered[frame.index]).any():
        second = first_row(contradicting)
        first = _first_equal_row(questions, second)
        raise InvalidArgument(
            f"{source}: rows {first + 1} and {second + 1} are of the same repetition of item "
            f"{frame['item'].loc[second]}, with other answers; leave one out, or name the column "
            "that tells them apart: --column epoch=COLUMN or method=COLUMN."
        )
    draws = places.groupby(places).cumcount()
    unsaid = repeats & ~has_draws[frame.index]
    if unsaid.any():
        items = int((places[unsaid].value_counts() > 0).sum())
        notices.append(
            f"{source}: {items} items have several rows, which were read as repeated answers; if a "
            "column tells them apart, name it: --column epoch=COLUMN, method=COLUMN or model=COLUMN"
        )
    return frame.assign(draw=draws)


def _refuse_conditions(others: pd.DataFrame, places: pd.Series, source: str) -> None:
    """Refuse several rows of items if a column of the file numbers or names each of them.

    Such a column has as many values as an item has rows, and each item has a value once.
    """
    rows = int(places.value_counts().max())
    for name in others:
        column = others[name]
        if 1 < column.nunique() <= rows and not pd.DataFrame([places, column]).T.duplicated().any():
            raise InvalidArgument(
                f"{source}: items have up to {rows} rows, which the column {name!r} tells apart. "
                f"Say what it is: --column epoch={name} for repetitions, --column method={name}, "
                f"model={name} or dataset={name} for conditions."
            )


def refuse_verdicts(judgments: pd.DataFrame, source: str) -> None:
    """Refuse a file whose confidence by one method is a verdict, as fields of logs are refused.

    Decisions and scores of which only the order counts may be 0 and 1.

    Args:
        judgments: Typed judgments of any eval.
        source: Name of the file.

    Raises:
        InvalidArgument: The confidence has only the values 0 and 1 and no scale is given, or
            follows from correctness.
    """
    has_scale = judgments["low"].notna()
    values = judgments["raw"].where(has_scale, judgments["confidence"])
    is_read = (judgments["status"] == "ok") & values.notna() & judgments["ordinal"].isna()
    for method, rows in judgments[is_read].groupby("method", sort=False):
        sign = verdict_sign(
            values[rows.index].to_numpy(),
            rows["correct"].to_numpy(),
            has_scale=bool(has_scale[rows.index].any()),
        )
        if sign:
            raise InvalidArgument(f"{source}: the confidence ({method}) {sign}.")


def grading_notices(judgments: pd.DataFrame, source: str) -> list[str]:
    """Return notices about grades that follow from no target, or contradict it.

    Args:
        judgments: Typed judgments of a file.
        source: Name of the file.
    """
    if not {"answer", "target", "correct"} <= set(judgments):
        return []
    both = (judgments["answer"] != "") & (judgments["target"] != "")
    rows = judgments[both & judgments["status"].isin(["ok", "out_of_range"])]
    if not len(rows):
        return []
    equal = same_answers(rows["answer"], rows["target"])
    grades = rows["correct"]
    example = f"such as {rows['answer'].iloc[0][:30]!r} and {rows['target'].iloc[0][:30]!r}"
    if not equal.any() and grades.isna().all():
        return [
            f"{source}: no answer equals its target in {len(rows)} rows, {example}; give the "
            "grades in a column 'correct', or other columns: --column answer=COLUMN"
        ]
    # A judge may accept another wording, but neither another letter nor another number.
    exact = rows["target"].map(is_exact) & rows["answer"].map(is_exact)
    wrong = int(((grades == 0) & equal).sum())
    right = int(((grades == 1) & ~equal & exact).sum())
    if not wrong + right:
        return []
    return [
        f"{source}: 'correct' contradicts 'answer' and 'target' in {wrong + right} of "
        f"{int(grades.notna().sum())} rows ({wrong} equal but graded wrong, {right} different but "
        "graded right); 'correct' was used"
    ]


def _refuse_unnumbered(texts: pd.DataFrame, copies: pd.Series, source: str) -> None:
    if copies.any():
        second = first_row(copies)
        first = _first_equal_row(texts, second)
        raise InvalidArgument(
            f"{source}: row {second + 1} is the same as row {first + 1}; leave out copies, or "
            "number repeated answers in a column 'epoch'."
        )


def first_row(flags: pd.Series) -> int:
    """Return the number of the first row with a true flag, from 0."""
    return int(flags.index.to_numpy()[flags.to_numpy(bool)][0])


def _first_equal_row(rows: pd.DataFrame, row: int) -> int:
    """Return the number of the first row that equals the given row."""
    equal = (rows == rows.loc[row]) | (rows.isna() & rows.loc[row].isna())
    return first_row(equal.all(axis=1))


def _answer_columns(table: TaskTable) -> set[str]:
    """Return the columns that contain the answer, as opposed to the question."""
    columns = set(chain.from_iterable(table.answers)) | {"status", "reason", "uuid"}
    return columns - {*table.required, *table.varied, *_QUESTION_COLUMNS}


def short_value(value: object) -> str:
    """Return a value as an error shows it: a number in few digits, a text cut off."""
    return f"{value:g}" if isinstance(value, float) else str(value)[:60]
