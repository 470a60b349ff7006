"""Labelled judgments of a judge: read from a check of it, or from a file."""

from collections.abc import Mapping
from os import PathLike, fspath

import pandas as pd

from inspect_confidence.arguments import check_size, user_path
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.files import SUFFIXES
from inspect_confidence.judgments.read import read_judgments
from inspect_confidence.judgments.tables import read_table
from inspect_confidence.results import Condition
from inspect_confidence.studies import all_tables
from inspect_confidence.studies.judge_error import CONSISTENCY, CORRECTNESS, JudgeLabels

CHECK = "judge_check"
_SAID = {
    **dict.fromkeys(("correct", "c", "1", "1.0", "true"), (CORRECTNESS, 1.0)),
    **dict.fromkeys(("incorrect", "i", "0", "0.0", "false", "punt"), (CORRECTNESS, 0.0)),
    **{"yes": (CONSISTENCY, 1.0), "n/a": (CONSISTENCY, 0.5), "no": (CONSISTENCY, 0.0)},
}
"""What judgments and labels are called, as a form and a number."""
_OPTIONAL = ("judge", "item", "model", "dataset")


def read_judge_labels(given: pd.DataFrame | PathLike[str] | str | None) -> JudgeLabels | None:
    """Labelled judgments; None if none are given.

    Args:
        given: A log of `judge_check` or a folder of such; or a csv or parquet file, or a frame,
            with the columns `judged` and `label`: `correct`, `incorrect` and `punt`, or C and I,
            or 1 and 0, of whether an answer is right; `yes`, `no` and `n/a` of whether two agree.
            Where there, `judge` names whose judgments they are (a model, or a scorer of an eval),
            `item` which item of the run (with `model` and `dataset`, where it has several). Rows
            without a judgment or a label are left out.

    Raises:
        InvalidArgument: It can't be read, lacks a column, or holds a word that is not known.
    """
    if given is None:
        return None
    if isinstance(given, pd.DataFrame):
        return _labels(given, "judge_labels")
    path = fspath(given)
    if not path.endswith(SUFFIXES):
        return _of_check(path)
    place = user_path("judge_labels", path)
    check_size(place)
    frame = read_table(place)
    return _of_check(path) if "task" in frame else _labels(frame, path)


def _of_check(path: str) -> JudgeLabels:
    """Of `judge_check`, whose items are none of the run."""
    frame = read_judgments(path).get(CHECK)
    if frame is None:
        raise InvalidArgument(
            f"judge_labels={path} holds no judgments of {CHECK}; give a log of it, or a file with "
            "the columns judged and label."
        )
    rules = frame["variant"].map(lambda text: Condition.read(text).get("judge") == "rules")
    named = (frame["model"] + " " + frame["prompts"]).str.strip()
    judged = frame.assign(judge=named.mask(rules, "rules"))
    return _labels(judged[["judge", "judged", "label"]], path)


def _labels(frame: pd.DataFrame, source: str) -> JudgeLabels:
    for name in ("judged", "label"):
        if name not in frame:
            raise InvalidArgument(
                f"{source} lacks the column {name!r}; labels need judged and label."
            )
    kept = {name: _text(frame, name) for name in ("judged", "label", *_OPTIONAL)}
    rows = pd.DataFrame(kept)
    rows = rows[(rows["judged"] != "") & (rows["label"] != "")]
    said = {name: rows[name].str.lower() for name in ("judged", "label")}
    for name, words in said.items():
        if unknown := set(words) - set(_SAID):
            raise InvalidArgument(
                f"{source}: {min(unknown)!r} in the column {name!r} is not known; give correct and "
                "incorrect (or 1 and 0), or yes, no and n/a."
            )
    forms = {name: words.map(lambda word: _SAID[word][0]) for name, words in said.items()}
    if (forms["judged"] != forms["label"]).any():
        raise InvalidArgument(
            f"{source}: a row judges whether an answer is right and is labelled by whether two "
            "agree, or the reverse; give one kind in a row."
        )
    if not len(rows):
        raise InvalidArgument(f"{source} holds no labelled judgment.")
    numbers = {name: words.map(lambda word: _SAID[word][1]) for name, words in said.items()}
    return JudgeLabels(rows.assign(form=forms["label"], **numbers))


def _text(frame: pd.DataFrame, name: str) -> pd.Series:
    if name not in frame:
        return pd.Series("", frame.index)
    text = frame[name].where(frame[name].notna(), "").astype(str).str.strip()
    # As in judgments: 12 must be the same item as 12.0.
    return text.str.removesuffix(".0") if name == "item" else text


def refuse_other_judges(labels: JudgeLabels | None, judgments: Mapping[str, pd.DataFrame]) -> None:
    """Refuse labels that are of none of the judges whose judgments were read.

    Raises:
        InvalidArgument: No answer was judged by a judge, or by none that has labels.
    """
    if labels is None:
        return
    judges: set[str] = set()
    for task, table in all_tables().items():
        if task in judgments and table.judges is not None:
            judges |= set(table.judges(judgments[task]).dropna())
    if not judges:
        raise InvalidArgument(
            "judge_labels: of what was read no judge said what is right; rules did. Leave it out."
        )
    if not any(len(labels.for_judge(judge).rows) for judge in judges):
        known = ", ".join(sorted(labels.rows["judge"].unique()))
        there = ", ".join(one or "an unnamed one" for one in sorted(judges))
        raise InvalidArgument(
            f"judge_labels are of the judge {known}, and what was read was judged by {there}; give "
            "labels of that judge's judgments, with the same prompts."
        )
