"""Labelled judgments of a judge, from a log of `judge_check` or from a file."""

from collections.abc import Mapping
from operator import itemgetter
from os import PathLike, fspath

import pandas as pd

from inspect_confidence.arguments import check_size, user_path
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.grades import WHOLE_DECIMAL
from inspect_confidence.judgments.read import read_judgments
from inspect_confidence.judgments.tables import is_table, read_table
from inspect_confidence.studies import all_tables
from inspect_confidence.studies.judge_error import CONSISTENCY, CORRECTNESS, JudgeLabels

CHECK_TASK = "judge_check"
_LABEL_WORDS = {
    **dict.fromkeys(("correct", "c", "1", "1.0", "true"), (CORRECTNESS, 1.0)),
    **dict.fromkeys(("incorrect", "i", "0", "0.0", "false", "punt"), (CORRECTNESS, 0.0)),
    **{"yes": (CONSISTENCY, 1.0), "n/a": (CONSISTENCY, 0.5), "no": (CONSISTENCY, 0.0)},
}
"""Kind of judgment (of correctness or consistency) and number of each word in a table of labels."""
_OPTIONAL_COLUMNS = ("judge", "item", "model", "dataset")


def read_judge_labels(source: pd.DataFrame | PathLike[str] | str | None) -> JudgeLabels | None:
    """Read labelled judgments of a judge; None stands for no labels.

    Args:
        source: A log of `judge_check` or a folder of such logs; or a table such as a csv file,
            or a frame, with the columns `judged` and `label`. Their words are `correct`,
            `incorrect` and `punt`, or C and I, or 1 and 0, for whether an answer is right; and
            `yes`, `no` and `n/a` for whether two answers agree. Optional columns are `judge` (a
            model, or a scorer of an eval), `item`, and `model` and `dataset` if the run has
            several. Rows without a word in `judged` or `label` are left out.

    Raises:
        InvalidArgument: The source can't be read, lacks a column, or has an unknown word.
    """
    if source is None:
        return None
    if isinstance(source, pd.DataFrame):
        return _parse_labels(source, "judge_labels")
    path = fspath(source)
    if not is_table(path):
        return _read_judge_check(path)
    file = user_path("judge_labels", path)
    check_size(file)
    frame = read_table(file).frame
    # A file of judgments, as of a log of `judge_check`, names the task; one of labels does not.
    return _read_judge_check(path) if "task" in frame else _parse_labels(frame, path)


def _read_judge_check(path: str) -> JudgeLabels:
    """Read the labels in logs of `judge_check`; refuse a path without any.

    A judge is named by its model and wording of prompts, or is `rules`. Items are left out, since
    those of `judge_check` are not those of the runs that the labels correct.
    """
    frame = read_judgments(path).get(CHECK_TASK)
    if frame is None:
        raise InvalidArgument(
            f"judge_labels={path} has no judgments of {CHECK_TASK}; give a log of it, or a file "
            "with the columns judged and label."
        )
    by_rules = frame["variant"].map(lambda text: "judge=rules" in text.split(";"))
    models = (frame["model"] + " " + frame["prompts"]).str.strip()
    rows = frame.assign(judge=models.mask(by_rules, "rules"))
    return _parse_labels(rows[["judge", "judged", "label"]], path)


def _parse_labels(frame: pd.DataFrame, source: str) -> JudgeLabels:
    """Parse a table of labels, as `read_judge_labels` describes; errors name `source`.

    Both words of a row, the judge's and the label, become numbers. The column `form` says what the
    words are on: whether an answer is right, or whether two answers agree.
    """
    for name in ("judged", "label"):
        if name not in frame:
            raise InvalidArgument(
                f"{source} lacks the column {name!r}; add the columns judged and label."
            )
    columns = ("judged", "label", *_OPTIONAL_COLUMNS)
    rows = pd.DataFrame({name: _text_column(frame, name) for name in columns})
    rows = rows[(rows["judged"] != "") & (rows["label"] != "")]
    judged_forms, judged_numbers = _parse_words(rows["judged"], source)
    label_forms, label_numbers = _parse_words(rows["label"], source)
    if (judged_forms != label_forms).any():
        raise InvalidArgument(
            f"{source}: a row has one word for whether an answer is right and one for whether two "
            "agree; use words of one kind in a row."
        )
    if not len(rows):
        raise InvalidArgument(
            f"{source} has no labelled judgment; fill in the columns judged and label."
        )
    return JudgeLabels(rows.assign(form=label_forms, judged=judged_numbers, label=label_numbers))


def _parse_words(column: pd.Series, source: str) -> tuple[pd.Series, pd.Series]:
    """Return what each word is on (correctness or consistency), and its number, as 1 for `yes`.

    Unknown words are refused; `source` names the table in the error.
    """
    words = column.str.lower()
    unknown = set(words) - set(_LABEL_WORDS)
    if unknown:
        raise InvalidArgument(
            f"{source}: {min(unknown)!r} in the column {column.name!r} is unknown; write correct "
            "and incorrect (or 1 and 0), or yes, no and n/a."
        )
    topics_and_numbers = words.map(_LABEL_WORDS)
    return topics_and_numbers.map(itemgetter(0)), topics_and_numbers.map(itemgetter(1))


def _text_column(frame: pd.DataFrame, name: str) -> pd.Series:
    """Return a column as texts without outer blanks; empty texts if it is missing."""
    if name not in frame:
        return pd.Series("", frame.index)
    text = frame[name].where(frame[name].notna(), "").astype(str).str.strip()
    # A column with missing numbers has 12.0 for the item 12.
    return text.str.replace(WHOLE_DECIMAL, r"\1", regex=True) if name == "item" else text


def refuse_other_judges(labels: JudgeLabels | None, judgments: Mapping[str, pd.DataFrame]) -> None:
    """Refuse labels if none of their judges judged the answers; None passes.

    Raises:
        InvalidArgument: Rules judged the answers, or only judges without labels did.
    """
    if labels is None:
        return
    judges: set[str] = set()
    for task, table in all_tables().items():
        if task in judgments and table.judges is not None:
            # The judge of each answer, by its name in label files; NaN where rules decide.
            judges |= set(table.judges(judgments[task]).dropna())
    if not judges:
        raise InvalidArgument(
            "judge_labels: rules, not a judge, decided which answers are right; leave it out."
        )
    if not any(len(labels.for_judge(judge).rows) for judge in judges):
        labelled_judges = ", ".join(sorted(labels.rows["judge"].unique()))
        actual_judges = ", ".join(name or "an unnamed judge" for name in sorted(judges))
        raise InvalidArgument(
            f"judge_labels are of the judge {labelled_judges}, but the answers were judged by "
            f"{actual_judges}; give labels of that judge, with the same prompts."
        )
