"""Checks of users' rows: each value is possible, and each judgment occurs once."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pandas as pd

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.grades import is_exact, same_answers
from inspect_confidence.judgments.tables import RowMistake, row_place, row_places
from inspect_confidence.printing import counted, excerpt
from inspect_confidence.results import Condition
from inspect_confidence.scales import verdict_remark
from inspect_confidence.studies import Limit, TaskTable
from inspect_confidence.studies.columns import EXPONENT

QUESTION_COLUMNS = {"level", "low", "high", "target", "sex", "method"}
"""Columns of `TaskTable.answers` that describe the question, not the answer."""
_ANSWER_MEASURES = {"by", "phrase", "unseen_mass", "draws", "agreement", "clipped", "raw_sum"}
"""Columns outside `TaskTable.answers` that may differ between the answers to one question."""


@dataclass(frozen=True)
class Violation:
    """Judgments that break one rule of their task.

    Attributes:
        columns: The rule's columns, whose values in these judgments cannot be used.
        reasons: By the position of each such judgment, from 0: why its values cannot be used.
    """

    columns: Sequence[str]
    reasons: Mapping[int, str]


_MAX_SHARE_OF_MISTAKES = 0.1
"""Largest share of values outside a limit that are mistakes rather than values of another scale."""


def violations(judgments: pd.DataFrame, table: TaskTable) -> Iterator[Violation]:
    """Yield the violations of a task's rules: limits, order of two columns, the task's own rules.

    `judgments` have the columns of their task, which `table` describes, with values of their kinds.
    A missing value violates no limit and no order.
    """
    for name, limit in table.limits.items():
        reasons = _limit_violations(judgments[name], limit)
        if reasons:
            yield Violation([name], reasons)
    for low, high in table.ordered:  # pairs of columns: ends of an interval, lower one first
        reasons = {}
        for row in np.flatnonzero(judgments[low] > judgments[high]):
            lower, upper = judgments[[low, high]].iloc[row]
            reasons[int(row)] = (
                f"{low}={lower:g} is above {high}={upper:g}; the lower number comes first"
            )
        if reasons:
            yield Violation([low, high], reasons)
    for columns, contradictions in table.contradictions.items():
        contradicted = contradictions(judgments)  # reasons by position
        if contradicted:
            yield Violation(columns, contradicted)


def _limit_violations(values: pd.Series, limit: Limit) -> dict[int, str]:
    """Return, by position from 0, why values outside a column's limit cannot be used.

    Empty cells are ignored. The reason ends with a remedy: values outside the limit may be on
    another scale; if they are at most a tenth, they are mistakes, for which `limit` may have a
    remedy of its own, as for negative numbers.
    """
    filled = np.flatnonzero(values.notna() & (values != ""))
    broken = filled[~limit.holds(values.iloc[filled])]
    is_rare = len(broken) <= _MAX_SHARE_OF_MISTAKES * len(filled)
    usual_hint = limit.remedy_if_rare if is_rare and limit.remedy_if_rare else limit.remedy
    reasons = {}
    for position in broken:
        value = values.iloc[position]
        is_negative = isinstance(value, float) and value < 0
        hint = limit.remedy_if_negative if is_negative and limit.remedy_if_negative else usual_hint
        remedy = f"; {hint}" if hint else ""
        text = shorten_value(value)
        reasons[int(position)] = f"{values.name}={text} is not {limit.description}{remedy}"
    return reasons


def number_repeated_answers(
    frame: pd.DataFrame,
    table: TaskTable,
    source: str,
    notices: list[str],
    *,
    default_model: str = "",
) -> pd.DataFrame:
    """Return a file's rows without copies, with repeated answers to a question numbered in `draw`.

    A row that equals an earlier one is a copy, and left out, if it has a number of its repetition:
    `draw` or `epoch`, but only `draw` for a method that makes one answer of several draws. Rows
    with a sample's `uuid` stay: `drop_repeats` compares them with other files, too.

    Args:
        frame: The file's rows, indexed by their number.
        table: Table of their task.
        source: Name of the file, for errors and notices.
        notices: Receives the number of copies, and of items whose rows count as repeated answers.
        default_model: Name of the model of rows that named none.

    Raises:
        InvalidArgument: Rows are equal, and no column says whether they are copies or repeated
            answers; or one repetition has several answers; or a column unknown to the task tells
            the rows of an item apart, and may be a condition.
    """
    # Equal rows are found by hash, which cells such as lists do not have, but their texts do.
    texts = frame.astype({name: str for name in frame if frame[name].dtype == object})
    without_uuid = pd.Series(True, frame.index)
    if "uuid" in frame:
        without_uuid = frame["uuid"].isna() | (frame["uuid"] == "")
    # Some methods make one answer of several draws, such as an interval from repeated estimates.
    has_draws = pd.Series(False, frame.index)
    if "method" in frame:
        has_draws = frame["method"].isin(table.repeated_methods)
    is_numbered = pd.Series("draw" in frame, frame.index) | (~has_draws & ("epoch" in frame))
    # Step 1: equal rows of the same number are copies; without a number they are ambiguous, unless
    # they are draws of one answer, which may well be equal.
    is_equal = texts.duplicated() & without_uuid
    _refuse_unnumbered(texts, is_equal & ~is_numbered & ~has_draws, source, default_model)
    is_copy = is_equal & is_numbered
    if is_copy.any():
        copies = counted(is_copy.sum(), "row is a copy and was", "rows are copies and were")
        notices.append(f"{source}: {copies} left out")
        frame, texts = frame[~is_copy], texts[~is_copy]
    # Step 2: rows that differ in their answers alone are repeated answers to one question. The
    # columns that are neither answers nor measures of answers identify the question and, if there
    # are numbers, the repetition.
    unknown_names = [name for name in texts if name not in table.kinds]
    ignored = {*_answer_columns(table), *_ANSWER_MEASURES, *unknown_names}
    question_cells = texts.drop(columns=list(ignored), errors="ignore")
    is_repeat = question_cells.duplicated() & without_uuid[frame.index]
    if not is_repeat.any():
        return frame
    question_numbers = question_cells.groupby(
        list(question_cells), dropna=False, sort=False
    ).ngroup()
    if not has_draws.all():
        _refuse_conditions(texts[unknown_names], question_numbers, source)
    _refuse_contradictions(question_cells, is_repeat & is_numbered[frame.index], source)
    # Step 3: rows of one question are numbered from 0 in their order. No `draw` is overwritten: if
    # the file has this column, all its rows are numbered, and their repeats were refused above.
    draws = question_numbers.groupby(question_numbers).cumcount()
    is_inferred = is_repeat & ~has_draws[frame.index]
    if is_inferred.any():
        items = question_numbers[is_inferred].nunique()
        items_text = counted(items, "item has", "items have")
        first_number = question_numbers[is_inferred].iloc[0]
        first_rows = question_numbers.index[question_numbers == first_number].tolist()
        example = shorten_value(texts["item"].loc[first_rows[0]])
        notices.append(
            f"{source}: {items_text} several rows ({'such as ' if items > 1 else ''}{example!r} in "
            f"{row_places(source, first_rows)}), which were read as repeated answers; if a column "
            "tells them apart, name it: --column epoch=COLUMN, method=COLUMN or model=COLUMN"
        )
    return frame.assign(draw=draws)


def _refuse_contradictions(
    question_cells: pd.DataFrame, is_contradiction: pd.Series, source: str
) -> None:
    """Refuse rows marked as contradictions: an earlier row has another answer of that repetition.

    A repetition is a question's row of one `epoch` or `draw`. `question_cells` are the columns that
    identify question and repetition, as text. Without a mark nothing is refused.
    """
    if not is_contradiction.any():
        return
    second_row = first_true_row(is_contradiction)
    first_row = _first_equal_row(question_cells, second_row)
    problem = (
        f"{row_place(source, first_row)} and {row_place(source, second_row)} are of the same "
        f"repetition of item {question_cells['item'].loc[second_row]}, with other answers"
    )
    remedy = "leave one out, or name what tells them apart: --column epoch=COLUMN or method=COLUMN"
    raise RowMistake(source, question_cells.index[is_contradiction], problem, remedy, is_full=True)


def _refuse_conditions(
    unknown_columns: pd.DataFrame, question_numbers: pd.Series, source: str
) -> None:
    """Refuse several rows of one question if a column unknown to the task tells them apart.

    Such a column, as `seed`, has at least two values (a missing number is none), at most as many as
    a question has rows, and no question has a value or a gap twice. `question_numbers` has the
    number of each row's question.
    """
    most_rows = int(question_numbers.value_counts().max())
    for name in unknown_columns:
        column = unknown_columns[name]
        pairs = pd.DataFrame({"question": question_numbers, "value": column})
        if 1 < column.nunique() <= most_rows and not pairs.duplicated().any():
            raise InvalidArgument(
                f"{source}: items have up to {most_rows} rows, which the column {name!r} tells "
                f"apart. Say what it is: --column epoch={name} for repetitions, --column "
                f"method={name}, model={name} or dataset={name} for conditions."
            )


def refuse_grades_as_confidence(judgments: pd.DataFrame, source: str) -> None:
    """Refuse a file in which a method's confidence repeats the grade of the answer.

    Scores of which only the order counts (`ordinal`), such as decisions, are exempt: they may be
    only 0 and 1.

    Args:
        judgments: Typed judgments of any eval.
        source: Name of the file.

    Raises:
        InvalidArgument: The confidence has only the values 0 and 1 and no scale is given; or all
            right answers have one value, and all wrong ones another.
    """
    has_scale = judgments["low"].notna()
    # `raw` is the value as the file has it, `confidence` the probability.
    values = judgments["raw"].where(has_scale, judgments["confidence"])
    is_read = (judgments["status"] == "ok") & values.notna() & judgments["ordinal"].isna()
    for method, rows in judgments[is_read].groupby("method", sort=False):
        remark = verdict_remark(
            values[rows.index].to_numpy(),
            rows["correct"].to_numpy(),
            has_scale=bool(has_scale[rows.index].any()),
        )
        if remark:
            raise InvalidArgument(f"{source}: the confidence ({method}) {remark}.")


_NAME_COLUMNS = {
    "model": "model",
    "dataset": "data set",
    "variant": "variant",
    "method": "method",
    "by": "group",
}
"""Columns whose names separate the judgments, with the word for a name."""


def name_notices(frames: Collection[pd.DataFrame]) -> Iterator[str]:
    """Yield notices of names that differ only in blanks or capital letters, and so count as two.

    This is seldom meant. Names are those of models, data sets, variants, methods and the groups of
    `--by`; of several such pairs of one kind the notice has the first. A model name with a blank at
    an end has a notice, too. `frames` are all judgments, of any number of tasks.
    """
    for column, word in _NAME_COLUMNS.items():
        first_spellings: dict[str, str] = {}
        pairs = []
        for name in _distinct_names(frames, column):
            first = first_spellings.setdefault("".join(name.casefold().split()), name)
            if first != name:
                pairs.append((first, name))
            elif column == "model" and name != name.strip():
                yield (
                    f"the model {name!r} begins or ends with a blank, and counts as another than "
                    f"{name.strip()!r}"
                )
        if pairs:
            first, name = pairs[0]
            more = f" (and {counted(len(pairs) - 1, 'more pair')})" if len(pairs) > 1 else ""
            yield (
                f"the {word}s {first!r} and {name!r}{more} differ only in blanks or capital "
                "letters, and count as two"
            )


def _distinct_names(frames: Iterable[pd.DataFrame], column: str) -> list[str]:
    """Return the names in a column of judgments, the commonest first; of `by` each field's value.

    Frames may lack the column.
    """
    counts: Counter[str] = Counter()
    for frame in frames:
        if column not in frame:
            continue
        for text, n in frame[column].value_counts().items():
            names = [str(text)]
            if column == "by":
                names = [f"{field}={value}" for field, value in Condition.read(str(text)).items()]
            counts.update(dict.fromkeys(names, int(n)))
    return [name for name, count in counts.most_common()]


_LARGEST_EXPONENT = 1000
"""Absolute exponent of ten from which on a number is taken for the value itself."""


def exponent_notices(judgments: pd.DataFrame, table: TaskTable, source: str) -> list[str]:
    """Return a notice if exponents of ten are so large that they may be the values themselves.

    An example is 5000 for the value 5000, whose exponent is 3.7; the limit is 1000 in size.
    `judgments` are the typed ones of the file `source`, and `table` describes their task.
    """
    notices = []
    for column in table.columns:
        if column.unit != EXPONENT:
            continue
        values = judgments[column.name]
        large = values[values.abs() >= _LARGEST_EXPONENT]
        if len(large):
            notices.append(
                f"{source}: {column.name} is far from 0 in {len(large)} of "
                f"{counted(values.notna().sum(), 'row')}, such as {large.iloc[0]:g}; it is an "
                "exponent of ten: write 3 for 1000"
            )
    return notices


def grading_notices(judgments: pd.DataFrame, source: str) -> list[str]:
    """Return a notice if no answer equals its target and none is graded, or if grades are doubtful.

    A grade is doubtful if it is "wrong" for an answer that equals its target, or "right" for
    another letter or number than the target. `judgments` are the typed ones of the file `source`;
    without rows that have both an answer and a target, there is no notice.
    """
    if not {"answer", "target", "correct"} <= set(judgments):
        return []
    has_both_texts = (judgments["answer"] != "") & (judgments["target"] != "")
    # An answer was read even if its confidence is outside the scale.
    rows = judgments[has_both_texts & judgments["status"].isin(["ok", "out_of_range"])]
    if not len(rows):
        return []
    equal = same_answers(rows["answer"], rows["target"])
    grades = rows["correct"]
    example = f"such as {rows['answer'].iloc[0][:30]!r} and {rows['target'].iloc[0][:30]!r}"
    if not equal.any() and grades.isna().all():
        return [
            f"{source}: no answer equals its target in {counted(len(rows), 'row')}, {example}; "
            "give the grades in a column 'correct', or other columns: --column answer=COLUMN"
        ]
    # A judge may accept another wording, but neither another letter nor another number, which are
    # the texts that are exact.
    exact = rows["target"].map(is_exact) & rows["answer"].map(is_exact)
    n_equal_wrong = int(((grades == 0) & equal).sum())
    n_different_right = int(((grades == 1) & ~equal & exact).sum())
    n_doubtful = n_equal_wrong + n_different_right
    if not n_doubtful:
        return []
    return [
        f"{source}: 'correct' contradicts 'answer' and 'target' in {n_doubtful} of "
        f"{counted(grades.notna().sum(), 'row')} ({n_equal_wrong} equal but graded wrong, "
        f"{n_different_right} different but graded right); 'correct' was used"
    ]


def _refuse_unnumbered(
    texts: pd.DataFrame, is_unnumbered_copy: pd.Series, source: str, default_model: str
) -> None:
    """Refuse marked rows, which equal an earlier row and have no number of `epoch` or `draw`.

    They may be copies or repeated answers; or of several models, if the row names no model or all
    rows have the same. Without a marked row nothing is refused. `texts` are the file's rows, with
    lists and other objects as text; `default_model` is the name of the model of rows that named
    none.
    """
    if is_unnumbered_copy.any():
        copy_row = first_true_row(is_unnumbered_copy)
        first_row = _first_equal_row(texts, copy_row)
        names_model = texts["model"].loc[copy_row] != default_model
        more = int(is_unnumbered_copy.sum()) - 1
        more_text = f", and {more} more {'repeats' if more == 1 else 'repeat'} earlier rows"
        problem = (
            f"{row_place(source, copy_row)} is the same as {row_place(source, first_row)}"
            f"{more_text if more else ''}"
        )
        remedy = "leave out copies, or number repeated answers in a column 'epoch'"
        if not names_model or texts["model"].nunique() < 2:
            remedy += ". If they are of several models, name these in a column 'model'"
        rows = texts.index[is_unnumbered_copy]
        raise RowMistake(source, rows, problem, remedy, is_full=True)


def first_true_row(flags: pd.Series) -> int:
    """Return the index label (the row's number from 0) of the first true flag; one must be true."""
    return int(flags.index.to_numpy()[flags.to_numpy(bool)][0])


def _first_equal_row(rows: pd.DataFrame, row: int) -> int:
    """Return the number of the first row that equals the given row, or is the row itself.

    Missing cells are equal.
    """
    equal = (rows == rows.loc[row]) | (rows.isna() & rows.loc[row].isna())
    return first_true_row(equal.all(axis=1))


def _answer_columns(table: TaskTable) -> set[str]:
    """Return the task's columns of answers, without those that describe the question.

    Each set in `table.answers` makes a complete answer. Status, reason and uuid belong to an
    answer, too.
    """
    columns = set(chain.from_iterable(table.answers)) | {"status", "reason", "uuid"}
    return columns - {*table.required, *table.varied, *QUESTION_COLUMNS}


def shorten_value(value: object) -> str:
    """Return a value as text for an error: a number in six digits, else at most 60 characters."""
    return f"{value:g}" if isinstance(value, float) else excerpt(value, 60)
