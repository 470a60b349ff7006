"""Columns of users' files under this package's names: by options, or by common names."""

import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from itertools import chain
from shlex import quote

import numpy as np
import pandas as pd

from inspect_confidence.answers import ParseFailure
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.grades import is_missing, read_grade, read_number
from inspect_confidence.judgments.clusters import CLUSTER, cluster_name
from inspect_confidence.results import Condition
from inspect_confidence.scales import other_scale
from inspect_confidence.studies import Recorded, TaskTable

WRONG, DECISION = "error", "decision"
"""Names in `--column` that are no columns of judgments: a grade in which 1 is wrong, a decision."""
_MODEL = "{model}"
"""Part of a column's name in `--column` that stands for a model, in files with columns a model."""
_LISTED = 8
"""Number of names that an error or a notice lists."""
OUTCOMES = frozenset({"correct", "target", "score"})
"""Columns of an answer that its grader fills in, not the model."""

_CONFIDENCE = re.compile(
    r"(?:\w+_)?(?:confidence|conf|certainty)(?:_(?:score|value|rating|level|pct|percent(?:age)?))?"
    r"|prob|probability|p|p_true|p_correct|prob_correct|correct_prob|(?:predicted|answer)_prob"
    r"(?:ability)?"
)
_ITEMS = (
    *("item", "item_id", "question_id", "qid", "q_id", "id", "sample_id", "example_id"),
    *(
        "problem_id",
        "prompt_id",
        "case_id",
        "doc_id",
        "task_id",
        "question_number",
        "question_idx",
        "question_index",
        "idx",
        "index",
        "uid",
    ),
    *("key", "unnamed:_0", "question", "prompt", "problem", "input"),
)
"""Names of items, the most certain first."""
_GRADES = (
    re.compile(r"(?:(?:is|was|answer|final|model)_)?(?:correct|correctness|right)"),
    re.compile(r"acc|accuracy|em|exact_match|grade|graded|judge_grade"),
    re.compile(r"score|outcome|verdict|passed|success|hit"),
)
"""Names of grades, the most certain first."""
_OTHERS: Mapping[str, Sequence[str]] = {
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


def apply_options(
    frame: pd.DataFrame, recorded: Recorded, source: str, notices: list[str]
) -> pd.DataFrame:
    """Return the frame with the columns that `--column`, `--by` and `--cluster` name.

    A value of `--column` is a column, a constant (`:gpt-4o`), or a pattern such as
    `{model}_confidence` for files with columns for each model, which get a row a model. A notice
    names models that lack one of their columns and are left out.

    Raises:
        InvalidArgument: A column does not exist, or its values do not suit the option.
    """
    if any(_MODEL in column for column in recorded.columns.values()):
        frame = _long_frame(frame, recorded.columns, source, notices)
    present = list(map(str, frame))
    column_by_name = {
        name: column for name, column in recorded.columns.items() if _MODEL not in column
    }
    constants = {
        name: text[1:] for name, text in column_by_name.items() if _is_constant(text, present)
    }
    needed = [(f"--column {name}={column}", column) for name, column in column_by_name.items()]
    needed += [(f"--by {name}", name) for name in recorded.by]
    if recorded.cluster:
        needed.append((f"--cluster {recorded.cluster}", recorded.cluster))
    for option, column in needed:
        if column not in present and not _is_constant(column, present):
            hint = nearest(column, present)
            raise InvalidArgument(f"{option}: {source} has no column {column!r}. {hint}")
    mapped = {name: frame[text] for name, text in column_by_name.items() if name not in constants}
    mapped |= {name: pd.Series(text, frame.index) for name, text in constants.items()}
    if recorded.by:
        conditions = []
        for cells in frame[list(recorded.by)].astype(str).itertuples(index=False, name=None):
            conditions.append(str(Condition(dict(zip(recorded.by, cells, strict=True)))))
        mapped["by"] = pd.Series(conditions, frame.index)
    if recorded.cluster:
        mapped[CLUSTER] = frame[recorded.cluster].map(cluster_name)
    # A column that got another name no longer has its old name.
    old_names = [column for column in column_by_name.values() if column in present]
    frame = frame.drop(columns=old_names).assign(**mapped)
    if WRONG in recorded.columns:
        frame = frame.assign(correct=_inverse_grades(frame[WRONG], source)).drop(columns=WRONG)
    if DECISION in recorded.columns:
        frame = _decided(frame, recorded, source)
    elif recorded.answering:
        raise InvalidArgument(
            "--answering names words of a decision; name its column too: --column decision=COLUMN."
        )
    return frame


def _is_constant(text: str, present: Sequence[str]) -> bool:
    return text.startswith(":") and text not in present


def _long_frame(
    frame: pd.DataFrame, columns: Mapping[str, str], source: str, notices: list[str]
) -> pd.DataFrame:
    """Return a row for each row and model of a file with columns for each model."""
    patterns = {name: column for name, column in columns.items() if _MODEL in column}
    columns_by_name: dict[str, dict[str, str]] = {}
    for name, pattern in patterns.items():
        columns_by_name[name] = _columns_of_models(frame, name, pattern, source)
    models = _models_with_all_columns(columns_by_name, patterns, source, notices)
    used = chain.from_iterable(part.values() for part in columns_by_name.values())
    shared = frame.drop(columns=list(set(used)))
    complete = [_plain(str(name)) for name in shared if not shared[name].map(is_missing).any()]
    if not any(name in {*complete, *columns} for name in _ITEMS):
        shared = shared.assign(item=[str(number + 1) for number in range(len(frame))])
    parts = []
    for model in models:
        cells = {name: frame[part[model]] for name, part in columns_by_name.items()}
        parts.append(shared.assign(model=model, **cells))
    return pd.concat(parts, ignore_index=True)


def _columns_of_models(frame: pd.DataFrame, name: str, pattern: str, source: str) -> dict[str, str]:
    """Return the columns that a pattern such as `{model}_conf` names, by model."""
    before, _, after = pattern.partition(_MODEL)
    columns = {}
    for column in map(str, frame):
        fits = column.startswith(before) and column.endswith(after)
        if fits and len(column) > len(before + after):
            columns[column[len(before) : len(column) - len(after)]] = column
    if not columns:
        hint = nearest(after or before, map(str, frame))
        raise InvalidArgument(f"--column {name}={pattern}: {source} has no such column. {hint}")
    for column in columns.values():
        _check_cells(frame[column], name, column, source)
    return columns


def _models_with_all_columns(
    columns_by_name: Mapping[str, Mapping[str, str]],
    patterns: Mapping[str, str],
    source: str,
    notices: list[str],
) -> list[str]:
    """Return the models that have a column of each pattern; a notice names the others."""
    parts = columns_by_name.values()
    all_models = dict.fromkeys(chain.from_iterable(parts))
    models = [model for model in all_models if all(model in part for part in parts)]
    if not models:
        options = " and ".join(f"--column {name}={text}" for name, text in patterns.items())
        raise InvalidArgument(f"{source}: no model has all the columns of {options}.")
    for name, part in columns_by_name.items():
        if lacking := [model for model in all_models if model not in part]:
            first = patterns[name].replace(_MODEL, lacking[0])
            notices.append(
                f"{source}: {', '.join(lacking[:_LISTED])} left out: no column {first!r} of "
                f"--column {name}={patterns[name]}"
            )
    return models


def _check_cells(values: pd.Series, name: str, column: str, source: str) -> None:
    """Refuse cells of a model's column that are no grade or number, by their own row and column."""
    if name not in ("confidence", "raw", "correct"):
        return
    places, distinct = distinct_values(values)
    for place, value in enumerate(distinct):
        number = read_grade(value) if name == "correct" else read_number(value, decimal_comma=True)
        is_declined = isinstance(number, ParseFailure) and number.status == "declined"
        is_read = isinstance(number, float) and not np.isnan(number)
        if not (is_read or is_declined or is_missing(value)):
            words = "a grade" if name == "correct" else "a number"
            raise unreadable(source, values, places == place, column, words)


def _inverse_grades(values: pd.Series, source: str) -> pd.Series:
    """Return grades in which 1 is right, from grades in which 1 is wrong."""
    places, distinct = distinct_values(values)
    grades = []
    for place, value in enumerate(distinct):
        grade = np.nan if is_missing(value) else read_grade(value)
        if not isinstance(grade, float):
            raise unreadable(source, values, places == place, WRONG, "a grade such as 1 or no")
        grades.append(1 - grade)
    return pd.Series(np.array(grades, float)[places], values.index)


def _decided(frame: pd.DataFrame, recorded: Recorded, source: str) -> pd.DataFrame:
    """Return the frame with decisions to answer as scores whose order alone counts."""
    texts = frame[DECISION].map(lambda value: "" if is_missing(value) else str(value).strip())
    words = sorted(set(texts) - {""})
    answering = {word.casefold() for word in recorded.answering}
    column = recorded.columns[DECISION]
    chosen = texts.str.casefold().isin(answering)
    if not chosen.any():
        names_text = ", ".join(words[:_LISTED])
        raise InvalidArgument(
            f"--column decision={column}: {source} has the words {names_text}; say which stand "
            f"for answering: --answering {words[0] if words else 'WORD'}."
        )
    raw = np.where(texts == "", np.nan, chosen.astype(float))
    rows = frame.drop(columns=DECISION).assign(raw=raw, ordinal=True)
    return rows if "method" in rows else rows.assign(method=DECISION)


def with_scale(
    frame: pd.DataFrame, recorded: Recorded, source: str, *, decimal_comma: bool = False
) -> pd.DataFrame:
    """Return the frame with `raw` and the ends of its scale, as `--confidence-scale` says.

    Without that option a column of percentages such as `85%` is on 0-100. With
    `--confidence-scale none` only the order of the values counts.

    Raises:
        InvalidArgument: The values contradict the scale, or percentages and other numbers are
            mixed.
    """
    if {"low", "high", "ordinal"} & set(frame):
        return frame
    column = "raw" if "raw" in frame else "confidence"
    if column not in frame:
        return frame
    values = frame[column]
    places, distinct = distinct_values(values)
    numbers, percent = [], []
    for place, value in enumerate(distinct):
        number = read_number(value, decimal_comma=decimal_comma)
        if np.isnan(number) and not is_missing(value):
            raise unreadable(source, values, places == place, column, "a number")
        numbers.append(number)
        percent.append(isinstance(value, str) and value.strip().endswith("%"))
    raw = pd.Series(np.array(numbers, float)[places], values.index)
    is_percent = pd.Series(np.array(percent, bool)[places], values.index)
    other_columns = frame.drop(columns=column)
    if recorded.order_only:
        return other_columns.assign(raw=raw, ordinal=True)
    _refuse_mixed(raw, is_percent, recorded.scale, source)
    if recorded.scale is None:
        if is_percent.any():
            return other_columns.assign(raw=raw * 100, low=0.0, high=100.0)
        if column == "raw" and not raw.dropna().between(0, 1).all():
            raise InvalidArgument(
                f"{source}: {int((raw > 1).sum())} of {int(raw.notna().sum())} values of 'raw' are "
                "above 1; give their scale, such as --confidence-scale 0-100."
            )
        return other_columns.assign(**{column: raw})
    low, high = recorded.scale
    raw = raw.mask(is_percent, low + raw * (high - low))
    _refuse_other_scale(raw[~is_percent], low, high, source)
    return other_columns.assign(raw=raw, low=low, high=high)


def _refuse_mixed(
    raw: pd.Series, is_percent: pd.Series, scale: tuple[float, float] | None, source: str
) -> None:
    bare = raw.notna() & ~is_percent
    if is_percent.any() and bare.any() and scale != (0, 100):
        example = raw[bare].iloc[0]
        raise InvalidArgument(
            f"{source}: {int(is_percent.sum())} values of confidence are percentages such as 85%, "
            f"and {int(bare.sum())} are numbers such as {example:g}; write all in one way, or give "
            "--confidence-scale 0-100 if all are percentages."
        )


def _refuse_other_scale(raw: pd.Series, low: float, high: float, source: str) -> None:
    """Refuse values that are on another scale than the given one, with counts of each."""
    if problem := other_scale(raw.dropna().to_numpy(float), low, high):
        raise InvalidArgument(f"--confidence-scale {low:g}-{high:g}: {source} has {problem}.")


def common_names(
    frame: pd.DataFrame, source: str, *, has_answer: bool = False
) -> tuple[pd.DataFrame, list[str]]:
    """Return the frame with columns that it lacks taken from columns of common names.

    Args:
        frame: The file's rows.
        source: Name of the file.
        has_answer: Whether it has the answers of a task already, so that no confidence is sought.

    Returns:
        The frame, and its columns by this package's names, as `confidence=prob`.

    Raises:
        InvalidArgument: Several columns may hold the confidence, or the grade.
    """
    column_by_plain_name = _plain_names(list(map(str, frame)))
    present = set(map(str, frame))
    aliases = _reported_aliases(column_by_plain_name, present, source, has_answer=has_answer)
    predicted = [
        alias for alias in _OTHERS["answer"] if alias in column_by_plain_name and alias != "answer"
    ]
    has_target = any(alias in column_by_plain_name for alias in _OTHERS["target"])
    if "answer" in present and predicted and not has_target:
        # Beside a predicted answer, `answer` is the right one.
        aliases |= {"target": "answer", "answer": predicted[0]}
    for name, usual_names in (("item", _ITEMS), *_OTHERS.items()):
        if name in present or name in aliases:
            continue
        if name == "answer" and "target" not in aliases and "target" not in present:
            continue  # an answer says nothing without the right one
        used = {column_by_plain_name[alias] for alias in aliases.values()}
        for alias in usual_names:
            column = column_by_plain_name.get(alias)
            if column is None or column in used:
                continue
            if name == "item" and frame[column].map(is_missing).any():
                continue
            aliases[name] = alias
            break
    columns = {}
    for name, alias in aliases.items():
        if column_by_plain_name[alias] != name:
            columns[name] = column_by_plain_name[alias]
    renamed = frame.rename(columns={column: name for name, column in columns.items()})
    return renamed, [f"{name}={column}" for name, column in columns.items()]


_REPORTS = frozenset({"confidence", "raw", "probabilities"})
"""Columns that hold a confidence."""


def _reported_aliases(
    column_by_plain_name: Mapping[str, str],
    present: Collection[str],
    source: str,
    *,
    has_answer: bool,
) -> dict[str, str]:
    """Return the plain names of the columns with confidence and grade, where they are missing.

    The arguments are those of `common_names`.
    """

    def matching(pattern: re.Pattern[str]) -> dict[str, str]:
        return {
            name: column for name, column in column_by_plain_name.items() if pattern.fullmatch(name)
        }

    aliases: dict[str, str] = {}
    has_confidence = not _REPORTS.isdisjoint(present)
    if not has_confidence and not has_answer:
        _take(aliases, "confidence", matching(_CONFIDENCE), source)
    if "correct" not in present:
        # A score or an outcome beside another task's answers need be no grade.
        for pattern in _GRADES[:-1] if has_answer else _GRADES:
            if candidates := matching(pattern):
                _take(aliases, "correct", candidates, source)
                break
    has_confidence = has_confidence or "confidence" in aliases
    grade = aliases.get("correct", "correct" if "correct" in present else "")
    is_score_free = "score" in column_by_plain_name and grade not in ("", "score")
    if is_score_free and not has_confidence and not has_answer:
        aliases["confidence"] = "score"  # beside a grade, a score is a confidence
    return aliases


def with_aliases(frame: pd.DataFrame, table: TaskTable) -> tuple[pd.DataFrame, list[str]]:
    """Return the frame with columns of a task taken from those with one of its aliases.

    Nothing is taken unless all columns that the model fills of a form of the answers are there.

    Returns:
        The frame, and its columns by this package's names, as `keep=keep_withdraw`.
    """
    plain = {_plain(column): column for column in map(str, frame)}
    columns = {}
    for column in table.columns:
        present = [plain[alias] for alias in column.aliases if alias in plain]
        if column.name not in frame and present:
            columns[column.name] = present[0]
    forms = [set(form) - OUTCOMES for form in table.answers]
    if not columns or not any(form <= {*frame, *columns} for form in forms):
        return frame, []
    renamed = frame.rename(columns={column: name for name, column in columns.items()})
    return renamed, [f"{name}={column}" for name, column in columns.items()]


def _plain_names(columns: Sequence[str]) -> dict[str, str]:
    """Return columns by plain name; a nested field also by its last part, if no other has it."""
    column_by_name: dict[str, str] = {}
    for column in columns:
        column_by_name.setdefault(_plain(column), column)
    last_parts = [_plain(column.rpartition(".")[2]) for column in columns]
    for column, name in zip(columns, last_parts, strict=True):
        if last_parts.count(name) == 1 and name not in column_by_name:
            column_by_name[name] = column
    return column_by_name


def _take(
    alias_by_name: dict[str, str], name: str, candidates: Mapping[str, str], source: str
) -> None:
    """Choose a column by its plain name, among columns by plain names."""
    columns = list(dict.fromkeys(candidates.values()))
    if len(columns) > 1 and name not in candidates:
        names_text = ", ".join(columns[:_LISTED])
        remedy = f"Name one: --column {quote(f'{name}={columns[0]}')}"
        if ending := _common_ending(columns):
            all_models = quote(f"{name}={{model}}{ending}")
            remedy += f"; or take them as columns of models: --column {all_models}"
        raise InvalidArgument(f"{source}: the columns {names_text} may each be {name!r}. {remedy}")
    if candidates:
        alias_by_name[name] = name if name in candidates else next(iter(candidates))


def _common_ending(columns: Sequence[str]) -> str:
    """Return the words that all names end with, such as `_confidence`; empty if there are none."""
    ending = ""
    for words in zip(*(reversed(column.split("_")[1:]) for column in columns), strict=False):
        if len(set(words)) > 1:
            break
        ending = f"_{words[0]}{ending}"
    return ending


def _plain(column: str) -> str:
    """Return a column's name in lower case, its words joined by underscores.

    Example:
        >>> _plain("Question ID"), _plain("isCorrect"), _plain("Confidence (%)")
        ('question_id', 'is_correct', 'confidence')
    """
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", column.strip())
    return re.sub(r"[\W_]+", "_", words).lower().strip("_")


def distinct_values(values: pd.Series) -> tuple[np.ndarray, Sequence[object]]:
    """Return the place of each value among the distinct ones, and these; lists become texts."""
    if values.dtype == object:
        values = values.map(lambda value: value if isinstance(value, Hashable) else str(value))
    places, distinct = pd.factorize(values, use_na_sentinel=False)
    return places, [None if value is pd.NA or value is pd.NaT else value for value in distinct]


def unreadable(
    source: str, values: pd.Series, rows: Iterable[bool], name: str, words: str
) -> InvalidArgument:
    """Return the error for a cell that holds another kind of value than its column."""
    row = int(np.flatnonzero(np.asarray(rows))[0])
    return InvalidArgument(
        f"{source}, row {values.index[row] + 1}: {str(values.iloc[row])[:60]!r} in the column "
        f"{name!r} is not {words}; leave the cell empty if there is none."
    )
