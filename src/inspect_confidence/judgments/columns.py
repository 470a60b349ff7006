"""Columns of users' files under this package's names: by options, or by common names."""

import re
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import partial
from itertools import chain
from shlex import quote
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.answers import ParseFailure
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.grades import is_missing, read_grade, read_number
from inspect_confidence.judgments.clusters import CLUSTER, cluster_name
from inspect_confidence.judgments.order import columns_in
from inspect_confidence.judgments.tables import RowMistake, row_place
from inspect_confidence.printing import counted, excerpt, join_names
from inspect_confidence.results import Condition
from inspect_confidence.scales import (
    low_values,
    other_scale,
    values_far_outside,
    values_just_outside,
)
from inspect_confidence.studies import Recorded, TaskTable

ERROR_COLUMN, DECISION_COLUMN = "error", "decision"
"""Names in `--column` that judgments do not have: a grade in which 1 is wrong, and a decision."""
PLACEHOLDER = "{model}"
"""Part of a value of `--column` that stands for a model, for files with a column for each model."""
GRADER_COLUMNS = frozenset({"correct", "target", "score"})
"""Columns of an answer that its grader fills in, not the model."""
CONFIDENCE_COLUMNS = frozenset({"confidence", "raw", "probabilities"})
"""Columns that hold a confidence."""

_CONFIDENCE_NAMES = re.compile(
    r"(?:\w+_)?(?:confidence|conf|certainty)(?:_(?:score|value|rating|level|pct|percent(?:age)?))?"
    r"|prob|probability|p|p_true|p_correct|prob_correct|correct_prob|(?:predicted|answer)_prob"
    r"(?:ability)?"
)
_ITEM_NAMES = (
    *("item", "item_id", "question_id", "qid", "q_id", "id", "sample_id", "example_id"),
    *("problem_id", "prompt_id", "case_id", "doc_id", "task_id", "question_number"),
    *("question_idx", "question_index", "idx", "index", "uid"),
    *("key", "unnamed:_0", "question", "prompt", "problem", "input"),
)
"""Names of items, the most certain first."""
_GRADE_NAMES = (
    re.compile(r"(?:(?:is|was|answer|final|model)_)?(?:correct|correctness|right)"),
    re.compile(r"acc|accuracy|em|exact_match|grade|graded|judge_grade"),
    re.compile(r"score|outcome|verdict|passed|success|hit"),
)
"""Names of grades, the most certain first."""
_OTHER_NAMES: Mapping[str, Sequence[str]] = {
    "model": ("model", "model_name", "model_id", "llm", "engine"),
    "dataset": ("dataset", "data_set", "dataset_name", "benchmark"),
    "epoch": ("epoch", "repetition", "repeat", "attempt", "rep"),
    "draw": ("draw",),
    "split": ("split",),
    "target": (
        *("target", "gold", "gold_answer", "gold_label", "reference", "reference_answer"),
        *("ground_truth", "ground_truth_answer", "correct_answer", "right_answer", "true_answer"),
        *("expected", "expected_answer", "answer_key"),
    ),
    "answer": (
        *("model_answer", "predicted_answer", "prediction", "predicted", "pred"),
        *("parsed_answer", "extracted_answer", "final_answer", "answer", "model_response"),
        "response",
    ),
}


def apply_column_options(
    frame: pd.DataFrame, recorded: Recorded, source: str, notices: list[str]
) -> pd.DataFrame:
    """Return the frame with the columns that `--column`, `--by` and `--cluster` name.

    A value of `--column` is a column, a constant (`:gpt-4o`), or a pattern such as
    `{model}_confidence` for files with columns for each model. Such a file gets a row for each of
    its rows and models; models that lack one of the columns are left out. Grades named `error`, in
    which 1 is wrong, are inverted, and a `decision` becomes a score.

    Args:
        frame: The file's rows.
        recorded: The options.
        source: Name of the file.
        notices: Receives the names of models that are left out.

    Raises:
        InvalidArgument: A column does not exist, or its values do not suit the option.
    """
    if any(PLACEHOLDER in column for column in recorded.columns.values()):
        frame = _stack_models(frame, recorded.columns, source, notices)
    present = list(map(str, frame))
    column_by_name = {
        name: column for name, column in recorded.columns.items() if PLACEHOLDER not in column
    }
    _refuse_missing_columns(column_by_name, recorded, present, source)
    answer_names = {"confidence", "raw", "correct"}
    if answer_names & set(column_by_name):  # refused here, where an error can name the column
        own_columns = {column_by_name.get(name, name): name for name in sorted(answer_names)}
        contents = {column: name for column, name in own_columns.items() if column in present}
        refuse_unreadable_cells(frame, contents, source)
    mapped = _columns_of_options(frame, column_by_name, recorded)
    # A column that got another name no longer has its old name.
    old_names = columns_in(present, column_by_name.values())
    frame = frame.drop(columns=old_names).assign(**mapped)
    if ERROR_COLUMN in recorded.columns:
        errors = frame[ERROR_COLUMN]
        grades = map_cells(errors, _inverse_grade, float, source=source, column=ERROR_COLUMN)
        frame = frame.assign(correct=grades).drop(columns=ERROR_COLUMN)
    if DECISION_COLUMN in recorded.columns:
        frame = _decisions_as_scores(frame, recorded, source)
    elif recorded.answering:
        raise InvalidArgument(
            "--answering names words of a decision; name its column too: --column decision=COLUMN."
        )
    return frame


def drop_foreign_scale(
    frame: pd.DataFrame, recorded: Recorded, source: str, notices: list[str]
) -> pd.DataFrame:
    """Return a file's rows without columns `raw`, `low` and `high` in which no cell is a number.

    They are another tool's, such as the text of a reply, if another column is named as a confidence
    and no option names them. Of the two ends of a scale both go.
    """
    foreign = set()
    for name in columns_in(frame, ("raw", "low", "high")):
        texts = frame.loc[~frame[name].map(is_missing), name]
        if name not in recorded.columns and len(texts) and texts.map(read_number).isna().all():
            foreign |= {name} if name == "raw" else {"low", "high"}
    if not any(_CONFIDENCE_NAMES.fullmatch(_normalize_name(str(column))) for column in frame):
        return frame
    for name in columns_in(frame, sorted(foreign)):
        notices.append(f"{source}: the column {name!r} holds other values and was left out")
    return frame.drop(columns=sorted(foreign), errors="ignore")


def _is_constant(text: str, present: Sequence[str]) -> bool:
    """Return whether a value of `--column` is a constant, such as `:gpt-4o`, and not a column."""
    return text.startswith(":") and text not in present


def _refuse_missing_columns(
    column_by_name: Mapping[str, str], recorded: Recorded, present: Sequence[str], source: str
) -> None:
    """Refuse a column of `--column`, `--by` or `--cluster` that is not `present` in the file.

    `column_by_name` has the columns and constants of `--column`; `recorded` has `--by` and
    `--cluster`.
    """
    column_by_option = {f"--column {name}={text}": text for name, text in column_by_name.items()}
    for name in recorded.by:
        column_by_option[f"--by {name}"] = name
    if recorded.cluster:
        column_by_option[f"--cluster {recorded.cluster}"] = recorded.cluster
    for option, column in column_by_option.items():
        if column not in present and not _is_constant(column, present):
            hint = nearest(column, present)
            raise InvalidArgument(f"{option}: {source} has no column {column!r}. {hint}")


def _columns_of_options(
    frame: pd.DataFrame, column_by_name: Mapping[str, str], recorded: Recorded
) -> dict[str, pd.Series]:
    """Return the columns that `--column` renames or fills, `by` (as `domain=law`) and `cluster`.

    `column_by_name` has the columns and constants of `--column`; `recorded` has the other options.
    """
    present = list(map(str, frame))
    columns, constants = {}, {}
    for name, column in column_by_name.items():
        if _is_constant(column, present):
            constants[name] = pd.Series(column[1:], frame.index)  # without the colon of ":gpt-4o"
        else:
            columns[name] = frame[column]
    mapped = columns | constants
    if recorded.by:
        conditions = []
        # A missing cell of a parquet or jsonl file is named as an empty one of a csv file.
        fields = frame[list(recorded.by)]
        texts = fields.astype(str).mask(fields.isna(), "")
        for cells in texts.itertuples(index=False, name=None):
            conditions.append(str(Condition(dict(zip(recorded.by, cells, strict=True)))))
        mapped["by"] = pd.Series(conditions, frame.index)
    if recorded.cluster:
        mapped[CLUSTER] = frame[recorded.cluster].map(cluster_name)
    return mapped


def _stack_models(
    frame: pd.DataFrame, columns: Mapping[str, str], source: str, notices: list[str]
) -> pd.DataFrame:
    """Return a row for each row and model of a file with columns for each model.

    `columns` are the values of `--column` by name, such as `{model}_confidence` by `confidence`.
    Without a column that names the items, each row of the file is an item.
    """
    patterns = {name: column for name, column in columns.items() if PLACEHOLDER in column}
    columns_by_name: dict[str, dict[str, str]] = {}
    model_columns: set[str] = set()
    for name, pattern in patterns.items():
        columns_by_name[name] = _columns_of_models(frame, name, pattern, source)
        model_columns.update(columns_by_name[name].values())
    models = _models_with_all_columns(columns_by_name, patterns, source, notices)
    shared = frame.drop(columns=list(model_columns))
    # The user (`columns`) may name the items' column; a column with empty cells names no items.
    complete = shared.columns[~shared.map(is_missing).any()]
    names = {*map(_normalize_name, map(str, complete)), *columns}
    if names.isdisjoint(_ITEM_NAMES):
        shared = shared.assign(item=list(map(str, range(1, len(frame) + 1))))
    frames = []
    for model in models:
        cells = {
            name: frame[columns_by_model[model]]
            for name, columns_by_model in columns_by_name.items()
        }
        frames.append(shared.assign(model=model, **cells))
    return pd.concat(frames, ignore_index=True)


def _columns_of_models(frame: pd.DataFrame, name: str, pattern: str, source: str) -> dict[str, str]:
    """Return the columns that fit a pattern such as `{model}_conf`, by model.

    Raises:
        InvalidArgument: There is none, or one has cells that do not suit the column `name`.
    """
    before, _, after = pattern.partition(PLACEHOLDER)
    columns = {}
    for column in map(str, frame):
        has_both_parts = column.startswith(before) and column.endswith(after)
        if has_both_parts and len(column) > len(before + after):  # else no model is named
            columns[column[len(before) : len(column) - len(after)]] = column
    if not columns:
        hint = nearest(after or before, map(str, frame))
        raise InvalidArgument(f"--column {name}={pattern}: {source} has no such column. {hint}")
    if name in ("confidence", "raw", "correct"):
        # Refused here, where an error can name the file's row and column: later each row of the
        # file is repeated for every model.
        refuse_unreadable_cells(frame, dict.fromkeys(columns.values(), name), source)
    return columns


def _models_with_all_columns(
    columns_by_name: Mapping[str, Mapping[str, str]],
    patterns: Mapping[str, str],
    source: str,
    notices: list[str],
) -> list[str]:
    """Return the models that have a column of each pattern; refuse if there are none.

    `patterns` are such as {"confidence": "{model}_conf"}, and `columns_by_name` has what fits them:
    {"confidence": {"gpt": "gpt_conf"}}. A notice names the other models.
    """
    all_models = dict.fromkeys(chain.from_iterable(columns_by_name.values()))
    models = list(all_models)
    for columns_by_model in columns_by_name.values():
        models = [model for model in models if model in columns_by_model]
    if not models:
        options = " and ".join(f"--column {name}={text}" for name, text in patterns.items())
        raise InvalidArgument(f"{source}: no model has all the columns of {options}.")
    for name, columns_by_model in columns_by_name.items():
        incomplete = [model for model in all_models if model not in columns_by_model]
        if incomplete:
            missing_column = patterns[name].replace(PLACEHOLDER, incomplete[0])
            notices.append(
                f"{source}: {join_names(incomplete)} left out: no column "
                f"{missing_column!r} of --column {name}={patterns[name]}"
            )
    return models


def refuse_unreadable_cells(frame: pd.DataFrame, contents: Mapping[str, str], source: str) -> None:
    """Refuse columns with cells that can't be read, all in one error, so that it takes one repair.

    `contents` tells what columns of the frame hold: `correct` for grades, anything else for
    confidences. The error names the first two of these columns with such cells, and the remedy of
    the column with the most of them.
    """
    mistakes = []
    for column, content in contents.items():
        check = partial(_check_cell, is_grade=content == "correct")
        try:
            map_cells(frame[column], check, object, source=source, column=column)
        except RowMistake as mistake:
            mistakes.append(mistake)
    if mistakes:
        rows = set[int]().union(*(mistake.rows for mistake in mistakes))
        problem = "; ".join(mistake.problem for mistake in mistakes[:2])
        main = max(reversed(mistakes), key=lambda mistake: len(mistake.rows))
        raise RowMistake(source, rows, problem, main.remedy, is_full=True)


def _check_cell(value: object, is_grade: bool) -> None:
    """Raise `ValueError`, with what was expected, for a cell that is not empty and can't be read.

    A grade may also say that the model declined.
    """
    number = read_grade(value) if is_grade else read_number(value, decimal_comma=True)
    is_declined = isinstance(number, ParseFailure) and number.status == "declined"
    is_read = isinstance(number, float) and not np.isnan(number)
    if not (is_read or is_declined or is_missing(value)):
        raise ValueError("a grade such as 1, yes, C, correct or 0.5" if is_grade else "a number")


def _inverse_grade(value: object) -> float:
    """Return 1 minus a grade in which 1 is wrong; NaN if empty. Refuse others by `ValueError`."""
    grade = np.nan if is_missing(value) else read_grade(value)
    if not isinstance(grade, float):
        raise ValueError("a grade such as 1 or no")
    return 1 - grade


def _decisions_as_scores(frame: pd.DataFrame, recorded: Recorded, source: str) -> pd.DataFrame:
    """Return the frame with decisions as scores `raw`, of which only the order counts (`ordinal`).

    The score is 1 for a word of `--answering` (in `recorded`), 0 for another word, NaN for none.
    The method is `decision` if the frame has no column `method`.

    Raises:
        InvalidArgument: No decision is one of the words of `--answering`.
    """
    decisions = frame[DECISION_COLUMN].map(
        lambda value: "" if is_missing(value) else str(value).strip()
    )
    words = sorted(set(decisions) - {""})
    answering_words = set(map(str.casefold, recorded.answering))
    column = recorded.columns[DECISION_COLUMN]
    is_answering = decisions.str.casefold().isin(answering_words)
    if not is_answering.any():
        names_text = join_names(words)
        raise InvalidArgument(
            f"--column decision={column}: {source} has the words {names_text}; say which stand "
            f"for answering: --answering {words[0] if words else 'WORD'}."
        )
    raw = np.where(decisions == "", np.nan, is_answering.astype(float))
    rows = frame.drop(columns=DECISION_COLUMN).assign(raw=raw, ordinal=True)
    return rows if "method" in rows else rows.assign(method=DECISION_COLUMN)


def apply_confidence_scale(
    frame: pd.DataFrame,
    recorded: Recorded,
    source: str,
    notices: list[str],
    *,
    decimal_comma: bool = False,
) -> pd.DataFrame:
    """Return the frame with stated values `raw` and the ends of their scale, `low` and `high`.

    The option `--confidence-scale` names the ends. Without it a column of percentages such as `85%`
    is on 0-100, and other numbers are probabilities, which keep their column and get no ends. With
    `--confidence-scale none` only the order of the values counts. A frame that has a scale, or no
    confidence, is returned as it is.

    Args:
        frame: The file's rows.
        recorded: The option's scale.
        source: Name of the file.
        notices: Receives what a scale such as 1-5 means, the values outside the scale, and the
            models whose values all lie low on it, as `low_values` says.
        decimal_comma: Whether a comma in a number is a decimal one.

    Raises:
        InvalidArgument: The values contradict the scale, or percentages and other numbers are
            mixed.
    """
    if {"low", "high", "ordinal"} & set(frame):
        return frame
    column = "raw" if "raw" in frame else "confidence"
    if column not in frame:
        return frame
    parse = partial(_parse_confidence, decimal_comma=decimal_comma)
    raw = map_cells(frame[column], parse, float, source=source, column=column)
    is_percent = map_cells(frame[column], _is_percentage, bool, source=source, column=column)
    other_columns = frame.drop(columns=column)
    if recorded.order_only:
        return other_columns.assign(raw=raw, ordinal=True)
    _refuse_mixed_percentages(raw, is_percent, recorded.scale, source)
    # Without a scale from the user: percentages (85% was read as 0.85), or probabilities.
    if recorded.scale is None:
        if is_percent.any():
            percentages = raw * 100
            notices += _outside_notices(percentages, 0, 100, source)
            return other_columns.assign(raw=percentages, low=0.0, high=100.0)
        outside = raw[(raw < 0) | (raw > 1)]
        if column == "raw" and len(outside):  # values of `confidence` are checked with its limits
            raise InvalidArgument(
                f"{source}: {len(outside)} of {counted(raw.notna().sum(), 'value')} of 'raw' not "
                f"in 0-1, such as {outside.iloc[0]:g} in "
                f"{row_place(source, int(outside.index[0]))}; give the scale, such as "
                "--confidence-scale 0-100, or --confidence-scale none if only their order counts."
            )
        return other_columns.assign(**{column: raw})
    # With a scale: a percentage is a share of its width. Other numbers may be on another scale.
    low, high = recorded.scale
    raw = raw.mask(is_percent, low + raw * (high - low))
    plain_numbers = raw[~is_percent].dropna()
    place_of = partial(_place_of, source, plain_numbers.index)
    if problem := other_scale(plain_numbers.to_numpy(float), low, high, place_of):
        raise InvalidArgument(f"--confidence-scale {low:g}-{high:g}: {source} has {problem}.")
    if low > 0:  # such as 1-5, which no reader takes for 0% to 100% at once
        notices.append(
            f"{source}: {low:g} on the scale {low:g}-{high:g} counts as 0%, {high:g} as 100%; "
            "--confidence-scale none takes their order only"
        )
    notices += _outside_notices(raw, low, high, source)
    rows_without_percent = frame.assign(**{column: raw})[~is_percent]
    notices += _low_value_notices(rows_without_percent, column, low, high, source)
    return other_columns.assign(raw=raw, low=low, high=high)


def _place_of(source: str, rows: pd.Index, position: int) -> str:
    """Return where in the file the row at a position of `rows`, the rows' numbers, stands."""
    return row_place(source, int(rows[position]))


def _outside_notices(raw: pd.Series, low: float, high: float, source: str) -> list[str]:
    """Return notices of confidences outside the scale: by up to 5% of its width, and by more."""
    present = raw.dropna()
    values, place_of = present.to_numpy(float), partial(_place_of, source, present.index)
    notices = []
    if remark := values_just_outside(values, low, high, place_of):
        notices.append(f"{source}: the confidence has {remark}")
    if remark := values_far_outside(values, low, high, place_of):
        notices.append(f"{source}: {remark}")
    return notices


def _low_value_notices(
    rows: pd.DataFrame, column: str, low: float, high: float, source: str
) -> list[str]:
    """Return a notice of the models all of whose confidences are low on the scale (`low_values`).

    They may be on a shorter scale than from `low` to `high`. `rows` are the file's rows whose
    confidence is no percentage; `column` has their confidences as numbers.
    """
    values_by_model = {"": rows[column]}
    if "model" in rows:
        values_by_model = dict(iter(rows.groupby(rows["model"].map(str), sort=False)[column]))
    models = []
    for model, model_values in values_by_model.items():
        if low_values(model_values.dropna().to_numpy(float), low, high):
            models.append(model)
    if not models:
        return []
    values = pd.concat([values_by_model[model] for model in models]).dropna().to_numpy(float)
    names_text = join_names(list(filter(None, models)))
    of_models = f" of {names_text}" if names_text else ""
    return [f"{source}: the confidences{of_models} are all {low_values(values, low, high)}"]


def _parse_confidence(value: object, decimal_comma: bool) -> float:
    """Return a cell's number, 0.85 for `85%`, NaN if it is empty; refuse others by `ValueError`."""
    number = read_number(value, decimal_comma=decimal_comma)
    if np.isnan(number) and not is_missing(value):
        raise ValueError("a number")  # `map_cells` writes this into its error
    return number


def _is_percentage(value: object) -> bool:
    return isinstance(value, str) and value.strip().endswith("%")


def _refuse_mixed_percentages(
    raw: pd.Series, is_percent: pd.Series, scale: tuple[float, float] | None, source: str
) -> None:
    """Refuse a column of percentages and other numbers, unless the user's `scale` is 0-100.

    On that scale both are percentages. `raw` are the confidences as numbers, NaN if empty: 0.85 for
    `85%`, which `is_percent` marks.
    """
    is_plain_number = raw.notna() & ~is_percent
    if is_percent.any() and is_plain_number.any() and scale != (0, 100):
        percent_row = int(raw.index[is_percent][0])
        number_row = int(raw.index[is_plain_number][0])
        percent, number = raw[percent_row], raw[number_row]
        are_shares = raw[is_plain_number].between(0, 1).all()
        remedy = (
            f"write {100 * percent:g}% as {percent:g}"
            if are_shares
            else "write all in one way, or give --confidence-scale 0-100 if all are percentages"
        )
        problem = (
            f"the confidence has {counted(is_percent.sum(), 'percentage')}, such as "
            f"{100 * percent:g}% in {row_place(source, percent_row)}, and "
            f"{counted(is_plain_number.sum(), 'number')}, such as {number:g} in "
            f"{row_place(source, number_row)}"
        )
        rarer = min(is_percent, is_plain_number, key=lambda flags: int(flags.sum()))
        raise RowMistake(source, raw.index[rarer], problem, remedy, is_full=True)


def rename_common_columns(
    frame: pd.DataFrame, source: str, *, has_answer: bool = False
) -> tuple[pd.DataFrame, list[str]]:
    """Return the frame with columns of common names under this package's names.

    A column is sought only if the frame lacks it: `item`, for example, as `question_id` or `id`.

    Args:
        frame: The file's rows.
        source: Name of the file.
        has_answer: Whether `frame` has the answers of a task already, so that no confidence is
            sought.

    Returns:
        The frame, and its renamed columns, as `confidence=prob`.

    Raises:
        InvalidArgument: Several columns may hold the confidence, or the grade.
    """
    columns_by_name = _columns_by_normalized_name(list(map(str, frame)))
    present = set(map(str, frame))
    # An alias is the normalized name of the file's column, by this package's name of the column.
    aliases = _confidence_and_grade_aliases(columns_by_name, present, source, has_answer=has_answer)
    # `_OTHER_NAMES` has the common names of each column, the most certain first.
    answer_aliases = [
        alias for alias in _OTHER_NAMES["answer"] if alias in columns_by_name and alias != "answer"
    ]
    has_target = not columns_by_name.keys().isdisjoint(_OTHER_NAMES["target"])
    if "answer" in present and answer_aliases and not has_target:
        # Beside a predicted answer, `answer` is the right one.
        aliases |= {"target": "answer", "answer": answer_aliases[0]}
    for name, common_names in (("item", _ITEM_NAMES), *_OTHER_NAMES.items()):
        if name in present or name in aliases:
            continue
        if name == "answer" and "target" not in aliases and "target" not in present:
            continue  # without a target, an answer cannot be compared
        used = {columns_by_name[alias] for alias in aliases.values()}
        for alias in common_names:
            column = columns_by_name.get(alias)
            if column is None or column in used:
                continue
            if name == "item" and frame[column].map(is_missing).any():
                continue  # a column with empty cells names no items
            aliases[name] = alias
            break
    renamed_columns = {}
    for name, alias in aliases.items():
        if columns_by_name[alias] != name:
            renamed_columns[name] = columns_by_name[alias]
    return _rename_columns(frame, renamed_columns)


def _rename_columns(
    frame: pd.DataFrame, old_names: Mapping[str, str]
) -> tuple[pd.DataFrame, list[str]]:
    """Return the frame with columns renamed, and the new and old names, as `confidence=prob`.

    `old_names` has the old name by new name.
    """
    new_names = dict(zip(old_names.values(), old_names, strict=True))
    return frame.rename(columns=new_names), list(map("=".join, old_names.items()))


def _confidence_and_grade_aliases(
    columns_by_name: Mapping[str, str], present: Collection[str], source: str, *, has_answer: bool
) -> dict[str, str]:
    """Return the normalized names of columns that hold confidence and grade: `{"correct": "acc"}`.

    `columns_by_name` are the file's columns by normalized name. `confidence` and `correct` are not
    sought if they are `present`. No confidence is sought either if the file has the columns of a
    task's own answers, such as `lower` and `upper` (`has_answer`): the answers hold it. Columns
    that are not found are left out.
    """
    aliases: dict[str, str] = {}
    has_confidence = not CONFIDENCE_COLUMNS.isdisjoint(present)
    if not has_confidence and not has_answer:
        candidates = _columns_with_name_like(_CONFIDENCE_NAMES, columns_by_name)
        _add_alias(aliases, "confidence", candidates, source)
    if "correct" not in present:
        # The last names, such as score or outcome, may be something else beside a task's answers.
        for pattern in _GRADE_NAMES[:-1] if has_answer else _GRADE_NAMES:
            if candidates := _columns_with_name_like(pattern, columns_by_name):
                _add_alias(aliases, "correct", candidates, source)
                break
    has_confidence = has_confidence or "confidence" in aliases
    grade = aliases.get("correct", "correct" if "correct" in present else "")
    is_score_free = "score" in columns_by_name and grade not in ("", "score")
    if is_score_free and not has_confidence and not has_answer:
        aliases["confidence"] = "score"  # beside a grade, a score is a confidence
    return aliases


def _columns_with_name_like(
    pattern: re.Pattern[str], columns_by_name: Mapping[str, str]
) -> dict[str, str]:
    """Return those columns, by normalized name, whose whole name matches the pattern."""
    return {name: column for name, column in columns_by_name.items() if pattern.fullmatch(name)}


def rename_task_columns(frame: pd.DataFrame, table: TaskTable) -> tuple[pd.DataFrame, list[str]]:
    """Return the frame with columns under a task's names if they have one of its aliases.

    Nothing is renamed unless the frame then has a complete answer: all columns of one of
    `table.answers`, apart from those that a grader fills in.

    Returns:
        The frame, and its renamed columns, as `keep=keep_withdraw`.
    """
    columns_by_name = {_normalize_name(column): column for column in map(str, frame)}
    renamed_columns = {}
    for column in table.columns:
        present_aliases = columns_in(columns_by_name, column.aliases)
        if column.name not in frame and present_aliases:
            renamed_columns[column.name] = columns_by_name[present_aliases[0]]
    present = {*frame, *renamed_columns}
    has_answer = any(set(answer) - GRADER_COLUMNS <= present for answer in table.answers)
    if not renamed_columns or not has_answer:
        return frame, []
    return _rename_columns(frame, renamed_columns)


def _columns_by_normalized_name(columns: Sequence[str]) -> dict[str, str]:
    """Return columns by name in lower case with underscores: `{"is_correct": "isCorrect"}`.

    Of columns with equal names the first one counts. A nested field such as `metrics.acc` is also
    found by its last part, if no other has that name.
    """
    column_by_name: dict[str, str] = {}
    for column in columns:
        column_by_name.setdefault(_normalize_name(column), column)
    last_parts = [_normalize_name(column.rpartition(".")[2]) for column in columns]
    for column, name in zip(columns, last_parts, strict=True):
        if last_parts.count(name) == 1 and name not in column_by_name:
            column_by_name[name] = column
    return column_by_name


def _add_alias(
    aliases: dict[str, str], name: str, candidates: Mapping[str, str], source: str
) -> None:
    """Add the alias (a normalized name) of the column `name` to `aliases`, if there is a candidate.

    `candidates` are the columns that may hold it, by normalized name. Several candidates are
    refused, unless one is named `name`.
    """
    columns = list(dict.fromkeys(candidates.values()))
    if len(columns) > 1 and name not in candidates:
        names_text = join_names(columns)
        remedy = f"Name one: --column {quote(f'{name}={columns[0]}')}"
        if ending := _common_ending(columns):
            all_models = quote(f"{name}={{model}}{ending}")
            remedy += f"; or take them as columns of models: --column {all_models}"
        raise InvalidArgument(f"{source}: the columns {names_text} may each be {name!r}. {remedy}")
    if candidates:
        aliases[name] = name if name in candidates else next(iter(candidates))


def _common_ending(columns: Sequence[str]) -> str:
    """Return the words that all names end with, as `_conf` in `llama_conf`, `gpt_4_conf`, or ''."""
    ending = ""
    # The first word of a name is never part of the ending: it names the model.
    words_from_the_end = [reversed(column.split("_")[1:]) for column in columns]
    for words in zip(*words_from_the_end, strict=False):
        if len(set(words)) > 1:
            break
        ending = f"_{words[0]}{ending}"
    return ending


def _normalize_name(column: str) -> str:
    """Return a column's name in lower case, its words joined by underscores.

    Example:
        >>> [_normalize_name(name) for name in ("Question ID", "isCorrect", "Confidence (%)")]
        ['question_id', 'is_correct', 'confidence']
    """
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", column.strip())
    return re.sub(r"[\W_]+", "_", words).lower().strip("_")


_CELL_REMEDY = "correct the cell, or leave it empty"
_COLUMN_REMEDY = "name another column by --column NAME=COLUMN, or correct its cells"
"""Remedy if more than half of a column's filled cells can't be read."""
_WORD_REMEDY = "write words as probabilities, or name another column by --column confidence=COLUMN"
"""Remedy if these cells are confidences in words, such as "likely"."""


def map_cells(
    values: pd.Series, convert: Callable[[Any], object], dtype: type, *, source: str, column: str
) -> pd.Series:
    """Return a column with converted cells; each distinct value is converted once.

    Args:
        values: The column. Lists and other unhashable cells become texts.
        convert: Converts a cell; an empty one is None or NaN. It raises `ValueError` for a cell
            that it cannot read, with what the cell should hold, such as "a number".
        dtype: Type of the converted cells.
        source: Name of the file.
        column: Name of the column.

    Raises:
        InvalidArgument: Cells cannot be read; the error names the first one, and the places of up
            to three more.
    """
    if values.dtype == object:
        values = values.map(lambda value: value if isinstance(value, Hashable) else str(value))
    codes, distinct = pd.factorize(values, use_na_sentinel=False)
    converted: NDArray[Any] = np.empty(len(distinct), dtype)
    expected: dict[int, str] = {}  # what cells that cannot be read should hold, by code
    for code, value in enumerate(distinct):
        try:
            converted[code] = convert(None if value is pd.NA or value is pd.NaT else value)
        except ValueError as error:
            expected[code] = str(error)
    if expected:
        first_code = min(expected)  # codes are in the order of the rows
        rows = values.index[np.isin(codes, list(expected))]
        n_filled = int((values.notna() & (values != "")).sum())
        remedy = _CELL_REMEDY
        if len(rows) > max(n_filled / 2, 2):  # most cells: the column may be another one
            is_word = column == "confidence" and str(distinct[first_code])[:1].isalpha()
            remedy = _WORD_REMEDY if is_word else _COLUMN_REMEDY
        cell = f"{excerpt(distinct[first_code], 60)!r} in the column {column!r}"
        raise RowMistake(source, rows, f"{cell} is not {expected[first_code]}", remedy)
    return pd.Series(converted[codes], values.index)
