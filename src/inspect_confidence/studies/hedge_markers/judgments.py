"""Hedged answers' samples as rows of judgments: one a marker in a sentence."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence.judges.markers import standard_marker
from inspect_confidence.metrics import MarkerCells
from inspect_confidence.metrics.arrays import IntArray
from inspect_confidence.studies.estimate import check_shares, cluster_names
from inspect_confidence.studies.study import SampleFacts

NO_HEDGE = "<no_hedge>"
"""The marker of a sentence without one."""

REPLY = ["uuid", "dataset", "item", "epoch", "draw"]
"""Columns that identify a reply."""


def read_hedged(sample: SampleFacts) -> list[dict[str, Any]]:
    """Read the judgments of a reply: its sentences' markers with the sentences' confidence."""
    score, outcome = sample.read("hedged")
    row = {name: sample.metadata[name] for name in ("item", "split", "dataset")}
    row |= score.select("correct", "punt", "draws", "empty_draws", "cut")
    metadata = score.metadata
    sentences = json.loads(metadata.get("judged", "[]"))
    if not sentences:
        return [{**row, "judge": metadata.get("judge", ""), **outcome}]
    return [
        {
            **row,
            "judge": metadata["judge"],
            "sentence": number,
            **marker_row,
            "reason": marker_row["reason"] or metadata["verdict_reason"],
        }
        for number, sentence in enumerate(sentences, start=1)
        for marker_row in _of_sentence(sentence)
    ]


def _of_sentence(sentence: Mapping[str, Any]) -> list[dict[str, Any]]:
    counts = sentence["agreement"]
    yes, neither, no = (counts.get(word, 0) for word in ("yes", "n/a", "no"))
    markers: Sequence[str] | None = sentence["markers"]
    decisiveness = sentence["decisiveness"]
    comparisons = yes + neither + no
    row = {
        "text": sentence["text"],
        "n_markers": np.nan if markers is None else len(markers),
        "consistent": yes,
        "undecided": neither,
        "inconsistent": no,
        "failed": counts.get("failed", 0),
        "foreign": sentence.get("foreign", np.nan),
        "confidence": (yes + neither / 2) / comparisons if comparisons else np.nan,
        "decisiveness": np.nan if decisiveness is None else decisiveness,
        "status": "ok" if markers is not None and comparisons else "grader_failed",
        "reason": sentence["reason"],
    }
    if not comparisons and not counts.get("failed"):  # nothing was there to be judged
        row |= {"status": "no_response", "reason": "there was no answer to compare with"}
    if markers is None:
        return [{**row, "marker": ""}]
    return [{**row, "marker": marker} for marker in markers or [NO_HEDGE]]


def replies_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each reply: a sentence of it that was judged, if there is one."""
    judged_first = rows.iloc[np.argsort(rows["status"] != "ok", kind="stable")]
    return judged_first.drop_duplicates(["model", "variant", *REPLY]).sort_index()


def read_judged(sample: SampleFacts) -> list[dict[str, Any]]:
    """Read the judgment of a labelled item."""
    score, status_and_reason = sample.read("judge_item")
    row = {name: sample.metadata[name] for name in ("item", "form", "word")}
    names = ("found", "missed", "false", "decisiveness", "labelled", "agreed", "verdict")
    row |= {"prompts": _prompts(sample.metadata)}
    if row["form"] in ("consistency", "correctness"):
        row |= {"label": sample.target, "judged": score.answer or ""}
    return [{**row, **score.select(*names), **status_and_reason}]


def _prompts(metadata: Mapping[str, Any]) -> str:
    """Describe the prompts of a judge if they are not this package's prompts, one judgment each."""
    parts = "in one call" if metadata.get("batch") else "", str(metadata.get("wording", ""))
    return " ".join(filter(None, parts))


def completed_hedges(rows: pd.DataFrame, markers: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Complete judgments: confidence from counts, and the form that stands for each marker.

    The column `standard` holds the forms, from `markers`; rules decide on markers that are not in
    `markers`. A punt of a question that has an answer is wrong.

    Raises:
        InvalidArgument: A share lies outside [0, 1].
    """
    rows = rows.copy()
    check_shares(rows, ("confidence", "decisiveness", "correct"))
    counts = rows[["consistent", "undecided", "inconsistent"]].fillna(0)
    comparisons = counts.sum(axis=1).to_numpy(float)
    agreed = (counts["consistent"] + counts["undecided"] / 2).to_numpy(float)
    derived = agreed / np.where(comparisons > 0, comparisons, np.nan)
    rows["confidence"] = rows["confidence"].where(rows["confidence"].notna(), derived)
    rows["correct"] = rows["correct"].mask(rows["correct"].isna() & (rows["punt"] == 1), 0.0)
    # A file's text columns have nothing where there is no marker.
    marker = rows["marker"].where((rows["marker"] != "") | (rows["status"] != "ok"), NO_HEDGE)
    standard_forms = dict(markers or {})
    forms = {
        one: standard_forms.get(one) or standard_forms.get(one.lower()) or standard_marker(one)
        for one in marker.unique()
        if one not in ("", NO_HEDGE)
    }
    rows["standard"] = [forms.get(one, one) for one in marker]
    # A file may leave out how many markers a sentence has: as many as it has rows with one.
    sentence_key = [*REPLY, "sentence"]
    hedged = (rows["standard"] != NO_HEDGE).astype(float)
    counted = hedged.groupby([rows[name] for name in sentence_key], dropna=False).transform("sum")
    has_count = rows["n_markers"].notna() | (rows["status"] != "ok")
    rows["n_markers"] = rows["n_markers"].where(has_count, counted)
    return rows


def with_judges(rows: pd.DataFrame) -> pd.DataFrame:
    """Fill in the judge's name in rows that have none.

    A reply that could not be judged has no judge in its row; if its run has one judge, the reply
    gets that judge.
    """
    judges = rows.groupby(["model", "variant"])["judge"].transform(
        lambda names: names[names != ""].min()
    )
    judge_of_run = judges.astype(object).fillna("")
    return rows.assign(judge=rows["judge"].where(rows["judge"] != "", judge_of_run))


@dataclass(frozen=True)
class Sentences:
    """Judgments of one model's sentences and replies over groups of items.

    Attributes:
        groups: Data sets' splits, as (data set, split).
        units: Items or clusters, each of one group, as (data set, split, name).
        strata: The group of each unit.
        rows: One a marker in a sentence, with `unit` and `group`.
        once: One a sentence.
        replies: One a reply, with its faithfulness and mean confidence; `confidence_with_both` is
            over the sentences that have a decisiveness too, which faithfulness rests on.
    """

    groups: Sequence[tuple[str, str]]
    units: pd.MultiIndex
    strata: IntArray
    rows: pd.DataFrame
    once: pd.DataFrame
    replies: pd.DataFrame

    @classmethod
    def from_frame(cls, rows: pd.DataFrame) -> "Sentences":
        """Take the completed judgments of one model."""
        keys = pd.MultiIndex.from_arrays([rows["dataset"], rows["split"], cluster_names(rows)])
        units = keys.unique()
        group, groups = pd.MultiIndex.from_frame(rows[["dataset", "split"]]).factorize()
        rows = rows.assign(unit=units.get_indexer(keys), group=group)
        strata = np.zeros(len(units), np.int64)
        strata[rows["unit"]] = rows["group"]
        with_sentence = rows[rows["sentence"].notna()]
        once = with_sentence.drop_duplicates([*REPLY, "sentence"])
        return cls(list(groups), units, strata, rows, once, _replies(rows, once))

    def cells(self, rows: pd.DataFrame, markers: Sequence[str]) -> MarkerCells:
        """Return cells of those rows' sentences with one of the markers, by group and marker."""
        positions = {marker: k for k, marker in enumerate(markers)}
        chosen = rows[rows["standard"].isin(positions)]
        return MarkerCells.from_sentences(
            chosen["confidence"],
            chosen["group"].to_numpy(np.int64),
            np.array([positions[marker] for marker in chosen["standard"]], np.int64),
            (len(self.groups), len(markers)),
            chosen["unit"].to_numpy(np.int64),
            len(self.units),
            chosen.groupby(REPLY, sort=False, dropna=False).ngroup().to_numpy().astype(np.int64),
        )

    @property
    def one_split(self) -> list[int]:
        """Position of each data set's group: its train split, or the one split that it has."""
        chosen: dict[str, int] = {}
        for k, (dataset, split) in enumerate(self.groups):
            if split == "train" or dataset not in chosen:
                chosen[dataset] = k
        return list(chosen.values())

    def counted(self, convention: str | None) -> pd.DataFrame:
        """Return the rows behind the MICs: sentences with at most one marker; for authors, all."""
        readable = self.rows[(self.rows["status"] == "ok") & self.rows["confidence"].notna()]
        return readable if convention == "authors" else readable[readable["n_markers"] <= 1]

    def n_asked(self) -> IntArray:
        """Count the sentences, and replies without any, of each group."""
        silent = self.replies["group"][self.replies["sentences"].isna()]
        return np.bincount([*self.once["group"], *silent], minlength=len(self.groups))

    def sentences_with(self) -> "pd.Series[int]":
        """Count the sentences with each marker, including those with others or not judged."""
        with_sentence = self.rows[self.rows["sentence"].notna()]
        return with_sentence.drop_duplicates([*REPLY, "sentence", "standard"])[
            "standard"
        ].value_counts()

    def left_out(self, counted: pd.DataFrame) -> str:
        """Return a note on the sentences that are not in the rows behind the MICs, and why."""
        missing = self.once[~self.once.index.isin(counted.index)]
        is_judged = (missing["status"] == "ok") & missing["confidence"].notna()
        several, unjudged = int(is_judged.sum()), int((~is_judged).sum())
        parts = ((several, "with several markers"), (unjudged, "not judged"))
        counts = ", ".join(f"{n} {reason}" for n, reason in parts if n > 0)
        return f"of {len(self.once)} sentences left out: {counts}" if counts else ""

    def markers(self, counted: pd.DataFrame, threshold: float) -> list[str]:
        """Return the markers with T sentences in at least one group, the commonest first."""
        sizes = counted.groupby(["standard", "group"]).size()
        frequent = sizes[sizes >= threshold].groupby("standard").sum()
        return [str(name) for name in frequent.sort_values(ascending=False, kind="stable").index]


def _replies(rows: pd.DataFrame, once: pd.DataFrame) -> pd.DataFrame:
    """Return all replies, also those of which no sentence could be judged."""
    names = ["unit", "group", "correct", "punt", "status", "empty_draws", "cut", "cluster"]
    replies = rows.drop_duplicates(REPLY).set_index(REPLY)[names]
    gap = (once["decisiveness"] - once["confidence"]).abs()
    confidence = once["confidence"].where(gap.notna())
    by_reply = once.assign(gap=gap, confidence_with_both=confidence).groupby(REPLY)
    names = ["gap", "confidence", "confidence_with_both", "decisiveness"]
    means = by_reply[names].mean().assign(sentences=by_reply.size().astype(float))
    means["faithfulness"] = 1 - means.pop("gap")
    return replies.join(means).reset_index()
