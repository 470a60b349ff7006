"""Hedged answers' samples as rows of judgments: one a marker in a sentence."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence._errors import InvalidArgument
from inspect_confidence.answers.markers import standard_marker
from inspect_confidence.studies._study import SampleFacts

NO_HEDGE = "<no_hedge>"
"""The marker of a sentence without one."""

REPLY = ["uuid", "dataset", "item", "epoch", "draw"]
"""What tells replies apart."""

_NAN = float("nan")


def read_hedged(sample: SampleFacts) -> list[dict[str, Any]]:
    """The judgments of a reply: its sentences' markers, each with the sentence's confidence."""
    metadata = sample.metadata
    row = {name: metadata[name] for name in ("item", "split", "dataset")}
    score = sample.score("hedged")
    if score is None or not isinstance(score.value, Mapping):
        missing = "the log holds no score 'hedged'; run `inspect score`"
        status, reason = sample.failure or ("scoring_failed", missing)
        return [{**row, "status": status, "reason": reason}]
    said = score.metadata
    status, reason = said["status"], said["detail"]
    if sample.failure and status != "ok":  # the run's failure, not the reply's
        status, reason = sample.failure
    told = ("correct", "punt", "draws", "empty_draws", "cut")
    row |= {name: score.value[name] for name in told}
    row["judge"] = said["judge"]
    sentences = json.loads(said["judged"])
    if not sentences:
        return [{**row, "status": status, "reason": reason}]
    return [
        {**row, "sentence": number, **one, "reason": one["reason"] or said["verdict_reason"]}
        for number, sentence in enumerate(sentences, start=1)
        for one in _of_sentence(sentence)
    ]


def _of_sentence(sentence: Mapping[str, Any]) -> list[dict[str, Any]]:
    counts = sentence["agreement"]
    yes, neither, no = (counts.get(word, 0) for word in ("yes", "n/a", "no"))
    markers: Sequence[str] | None = sentence["markers"]
    decisiveness = sentence["decisiveness"]
    judged = yes + neither + no
    row = {
        "text": sentence["text"],
        "n_markers": _NAN if markers is None else len(markers),
        "consistent": yes,
        "undecided": neither,
        "inconsistent": no,
        "failed": counts.get("failed", 0),
        "confidence": (yes + neither / 2) / judged if judged else _NAN,
        "decisiveness": _NAN if decisiveness is None else decisiveness,
        "status": "ok" if markers is not None and judged else "grader_failed",
        "reason": sentence["reason"],
    }
    if not judged and not counts.get("failed"):  # nothing was there to be judged
        row |= {"status": "no_response", "reason": "there was no answer to compare with"}
    if markers is None:
        return [{**row, "marker": ""}]
    return [{**row, "marker": marker} for marker in markers or [NO_HEDGE]]


def read_judged(sample: SampleFacts) -> list[dict[str, Any]]:
    """The judgment of a labelled item."""
    metadata = sample.metadata
    row = {name: metadata[name] for name in ("item", "form", "word")}
    score = sample.score("judge_item")
    if score is None or not isinstance(score.value, Mapping):
        missing = "the log holds no score 'judge_item'; run `inspect score`"
        status, reason = sample.failure or ("scoring_failed", missing)
        return [{**row, "status": status, "reason": reason}]
    names = ("found", "missed", "false", "decisiveness", "labelled", "agreed", "verdict")
    numbers = {name: score.value[name] for name in names}
    status, reason = score.metadata["status"], score.metadata["detail"]
    return [{**row, **numbers, "status": status, "reason": reason}]


def completed_hedges(rows: pd.DataFrame, markers: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Judgments with confidence filled in from counts, and `standard` markers.

    Args:
        rows: Judgments.
        markers: The form that stands for each marker; rules decide on those that aren't there.

    Raises:
        InvalidArgument: A share lies outside [0, 1].
    """
    rows = rows.copy()
    for name in ("confidence", "decisiveness", "correct"):
        outside = rows.loc[(rows[name] < 0) | (rows[name] > 1), name]
        if len(outside):
            raise InvalidArgument(f"{name}={outside.iloc[0]:g} is not in [0, 1]; 70% is 0.7.")
    counts = rows[["consistent", "undecided", "inconsistent"]].fillna(0)
    judged = counts.sum(axis=1).to_numpy(float)
    agreed = (counts["consistent"] + counts["undecided"] / 2).to_numpy(float)
    derived = agreed / np.where(judged > 0, judged, _NAN)
    rows["confidence"] = rows["confidence"].where(rows["confidence"].notna(), derived)
    # A file's text columns have nothing where there is no marker.
    marker = rows["marker"].where((rows["marker"] != "") | (rows["status"] != "ok"), NO_HEDGE)
    known = dict(markers or {})
    forms = {
        one: known.get(one) or known.get(one.lower()) or standard_marker(one)
        for one in marker.unique()
        if one not in ("", NO_HEDGE)
    }
    rows["standard"] = [forms.get(one, one) for one in marker]
    # A file may leave out how many markers a sentence has: as many as it has rows with one.
    each = [*REPLY, "sentence"]
    hedged = (rows["standard"] != NO_HEDGE).astype(float)
    counted = hedged.groupby([rows[name] for name in each], dropna=False).transform("sum")
    given = rows["n_markers"].notna() | (rows["status"] != "ok")
    rows["n_markers"] = rows["n_markers"].where(given, counted)
    return rows


def with_judges(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows, a judge's name in those that have none.

    A reply that couldn't be judged is of no judge; where its run has one it is that one's.
    """
    judges = rows.groupby(["model", "variant"])["judge"].transform(
        lambda names: names[names != ""].min()
    )
    known = judges.astype(object).fillna("")
    return rows.assign(judge=rows["judge"].where(rows["judge"] != "", known))
