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
from inspect_confidence.studies.columns import SAMPLE_KEYS
from inspect_confidence.studies.estimate import check_shares, cluster_names
from inspect_confidence.studies.study import SampleFacts

AGREEMENTS = ["consistent", "undecided", "inconsistent"]
"""Columns with the numbers of draws that agree with a sentence, are undecided, or contradict it."""

NO_HEDGE = "<no_hedge>"
"""The marker of a sentence without one."""

REPLY = ["uuid", "dataset", *SAMPLE_KEYS, "draw"]
"""Columns that identify a reply."""


def read_hedged(sample: SampleFacts) -> list[dict[str, Any]]:
    """Read the judgments of a reply: one row for each marker of each sentence.

    A marker is a hedge such as "probably". A sentence without a marker has one row, and so has a
    reply without judged sentences, with its `status` and `reason`.
    """
    score, status_and_reason = sample.read("hedged")
    row = sample.metadata_columns("item", "split", "dataset")
    row |= score.select("correct", "punt", "draws", "empty_draws", "cut")
    metadata = score.metadata
    sentences = json.loads(metadata.get("judged", "[]"))
    if not sentences:
        return [{**row, "judge": metadata.get("judge", ""), **status_and_reason}]
    row["judge"] = metadata["judge"]
    rows = []
    for number, sentence in enumerate(sentences, start=1):
        for marker_row in _marker_rows(sentence):
            # Why the sentence, or else the correctness of the reply, could not be judged.
            reason = marker_row["reason"] or metadata["verdict_reason"]
            rows.append({**row, "sentence": number, **marker_row, "reason": reason})
    return rows


def _marker_rows(sentence: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each marker of a judged sentence.

    A sentence without a marker (hedging phrase) has one row with the marker `NO_HEDGE`, and one
    whose markers the judge failed to list has one row with an empty marker. The confidence is the
    share of draws (further answers) that agree with the sentence, an undecided one counting half;
    NaN if no comparison was judged.
    """
    counts = sentence["agreement"]
    consistent, inconsistent = counts.get("yes", 0), counts.get("no", 0)
    undecided = counts.get("n/a", 0)
    markers: Sequence[str] | None = sentence["markers"]
    decisiveness = sentence["decisiveness"]
    comparisons = consistent + undecided + inconsistent
    row = {
        "text": sentence["text"],
        "n_markers": np.nan if markers is None else len(markers),
        "consistent": consistent,
        "undecided": undecided,
        "inconsistent": inconsistent,
        "failed": counts.get("failed", 0),
        "foreign": sentence.get("foreign", np.nan),  # listed markers that it does not contain
        "confidence": (consistent + undecided / 2) / comparisons if comparisons else np.nan,
        "decisiveness": np.nan if decisiveness is None else decisiveness,
        "status": "ok" if markers is not None and comparisons else "grader_failed",
        "reason": sentence["reason"],
    }
    if not comparisons and not counts.get("failed"):  # no draw, so that the judge was not asked
        row |= {"status": "no_response", "reason": "there was no answer to compare with"}
    if markers is None:
        return [{**row, "marker": ""}]
    return [{**row, "marker": marker} for marker in markers or [NO_HEDGE]]


def replies_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one row of each reply, in their order: the first `ok` one, or the first if none is."""
    judged_first = rows.iloc[np.argsort(rows["status"] != "ok", kind="stable")]
    return judged_first.drop_duplicates(["model", "variant", *REPLY]).sort_index()


def read_judge_check(sample: SampleFacts) -> list[dict[str, Any]]:
    """Read the judgment of a labelled item, with which the judge is checked.

    Labelled markers are counted: how many the judge found and missed, and its false ones. A
    decision, on agreement or on correctness, has the label beside it, and whether it equals the
    label (`agreed` or `verdict`). A failed judgment (`grader_failed`) is a parse failure here,
    because the judge's own reply could not be read.
    """
    score, status_and_reason = sample.read("judge_item")
    if status_and_reason["status"] == "grader_failed":
        status_and_reason = {**status_and_reason, "status": "invalid_response_format"}
    row = sample.metadata_columns("item", "form", "word")
    names = ("found", "missed", "false", "decisiveness", "labelled", "agreed", "verdict")
    # Empty for this package's prompts with one judgment a call.
    batch = "in one call" if sample.metadata.get("batch") else ""
    row["prompts"] = " ".join(filter(None, (batch, str(sample.metadata.get("wording", "")))))
    if row["form"] in ("consistency", "correctness"):
        row |= {"label": sample.target, "judged": score.answer or ""}
    return [{**row, **score.select(*names), **status_and_reason}]


def judged_draws(rows: pd.DataFrame) -> "pd.Series[float]":
    """Return the number of judged comparisons with draws (further answers) by row."""
    return rows[AGREEMENTS].fillna(0).sum(axis=1)


def complete_hedges(rows: pd.DataFrame, markers: Mapping[str, str] | None) -> pd.DataFrame:
    """Fill in what judgments lack, and add the standard form of each marker as `standard`.

    A missing confidence follows from the counts of draws (further answers that agree with the
    sentence or not), a missing `n_markers` from the rows of the sentence. A reply without an answer
    (punt) and without a grade is wrong. Judges are filled in by `fill_missing_judges`.

    Args:
        rows: Judgments, one for each marker of a sentence.
        markers: Standard form by marker, or by its lower case; rules decide on other markers, and
            on all if None.

    Raises:
        InvalidArgument: A share lies outside [0, 1].
    """
    check_shares(rows, ("confidence", "decisiveness", "correct"))
    rows = fill_missing_judges(rows)
    counts = rows[AGREEMENTS].fillna(0)
    agreed = counts["consistent"] + counts["undecided"] / 2
    derived = agreed / judged_draws(rows).replace(0, np.nan)  # NaN without draws
    rows["confidence"] = rows["confidence"].where(rows["confidence"].notna(), derived)
    rows["correct"] = rows["correct"].mask(rows["correct"].isna() & (rows["punt"] == 1), 0.0)
    # In a file the marker of a sentence without one is empty.
    marker = rows["marker"].where((rows["marker"] != "") | (rows["status"] != "ok"), NO_HEDGE)
    forms = {text: _standard_form(text, markers or {}) for text in marker.unique()}
    rows["standard"] = marker.map(forms.get)
    # A file may leave out the number of a sentence's markers; it is the number of hedged rows.
    sentence_key = [*REPLY, "sentence"]
    hedged = rows.assign(is_hedged=(rows["standard"] != NO_HEDGE).astype(float))
    n_hedged = hedged.groupby(sentence_key, dropna=False)["is_hedged"].transform("sum")
    has_count = rows["n_markers"].notna() | (rows["status"] != "ok")
    rows["n_markers"] = rows["n_markers"].where(has_count, n_hedged)
    return rows


def _standard_form(marker: str, forms: Mapping[str, str]) -> str:
    """Return a marker's form in `forms`, found by the marker or its lower case, else by rules.

    No marker, which is an empty text or `NO_HEDGE`, stays as it is.
    """
    if marker in ("", NO_HEDGE):
        return marker
    return forms.get(marker) or forms.get(marker.lower()) or standard_marker(marker)


def fill_missing_judges(rows: pd.DataFrame) -> pd.DataFrame:
    """Fill in the judge's name in rows that have none, as of replies that could not be judged.

    They get the judge of the same model and variant; of several, the first in the alphabet. Without
    any the name stays empty.
    """
    # NaN, the least of no names, becomes empty.
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
        units: Items or clusters, each of one group, as (data set, split, name); they are resampled.
        strata: Position of each unit's group.
        rows: A row for each marker of a sentence; `unit` and `group` are positions.
        sentence_rows: The first row of each sentence.
        replies: A row for each reply, with its faithfulness and the means of its sentences.
            `confidence_with_both` is the mean over sentences that also have a decisiveness.
    """

    groups: Sequence[tuple[str, str]]
    units: pd.MultiIndex
    strata: IntArray
    rows: pd.DataFrame
    sentence_rows: pd.DataFrame
    replies: pd.DataFrame

    @classmethod
    def from_frame(cls, rows: pd.DataFrame) -> "Sentences":
        """Build one model's sentences from rows, one for each marker of a sentence.

        A unit, which is resampled, is a cluster within a data set's split (its group), or an item
        without a cluster.
        """
        keys = pd.MultiIndex.from_arrays([rows["dataset"], rows["split"], cluster_names(rows)])
        units = keys.unique()
        group, groups = pd.MultiIndex.from_frame(rows[["dataset", "split"]]).factorize()
        rows = rows.assign(unit=units.get_indexer(keys), group=group)
        strata = np.zeros(len(units), np.int64)
        strata[rows["unit"]] = rows["group"]  # all rows of a unit are of one group
        with_sentence = rows[rows["sentence"].notna()]
        sentence_rows = with_sentence.drop_duplicates([*REPLY, "sentence"])
        return cls(
            groups=list(groups),
            units=units,
            strata=strata,
            rows=rows,
            sentence_rows=sentence_rows,
            replies=_reply_rows(rows, sentence_rows),
        )

    def marker_cells(self, rows: pd.DataFrame, markers: Sequence[str]) -> MarkerCells:
        """Return how many sentences have which confidence, by resampled unit, group and marker.

        Groups are data sets' splits. `rows` is a part of `self.rows`, of which those of markers
        that are not in `markers` are left out.
        """
        positions = {marker: position for position, marker in enumerate(markers)}
        chosen = rows[rows["standard"].isin(positions)]
        replies = chosen.groupby(REPLY, sort=False, dropna=False).ngroup()
        return MarkerCells.from_sentences(
            chosen["confidence"],
            group=chosen["group"].to_numpy(np.int64),
            marker=np.asarray(chosen["standard"].map(positions), np.int64),
            shape=(len(self.groups), len(markers)),
            unit=chosen["unit"].to_numpy(np.int64),
            units=len(self.units),
            reply=replies.to_numpy().astype(np.int64),
        )

    @property
    def dataset_groups(self) -> list[int]:
        """Positions in `groups` of one split of each data set: its train split, or its first."""
        group_by_dataset: dict[str, int] = {}
        for position, (dataset, split) in enumerate(self.groups):
            if split == "train" or dataset not in group_by_dataset:
                group_by_dataset[dataset] = position
        return list(group_by_dataset.values())

    def mic_rows(self, convention: str | None) -> pd.DataFrame:
        """Return the rows that marker internal confidences (MICs) are computed from.

        They are judged and have a confidence. Sentences with several markers are left out, as their
        confidence belongs to no single marker; the convention `authors` counts them for each
        marker.
        """
        readable = self.rows[(self.rows["status"] == "ok") & self.rows["confidence"].notna()]
        return readable if convention == "authors" else readable[readable["n_markers"] <= 1]

    def asked_counts(self) -> IntArray:
        """Count the sentences of each data set's split; a reply without any counts as one."""
        empty_replies = self.replies["group"][self.replies["sentences"].isna()]
        return np.bincount(
            [*self.sentence_rows["group"], *empty_replies], minlength=len(self.groups)
        )

    def sentence_counts(self) -> "pd.Series[int]":
        """Count the sentences with each marker (in standard form), judged or not."""
        with_sentence = self.rows[self.rows["sentence"].notna()]
        return with_sentence.drop_duplicates([*REPLY, "sentence", "standard"])[
            "standard"
        ].value_counts()

    def left_out_note(self, mic_rows: pd.DataFrame) -> str:
        """Describe how many sentences are not in `mic_rows`, and why; empty if none is left out.

        `mic_rows` are those rows of `self.rows` that the method of this name returns.
        """
        missing = self.sentence_rows[~self.sentence_rows.index.isin(mic_rows.index)]
        is_judged = (missing["status"] == "ok") & missing["confidence"].notna()
        # A judged sentence is only left out for its several markers.
        several, unjudged = int(is_judged.sum()), int((~is_judged).sum())
        parts = ((several, "with several markers"), (unjudged, "not judged"))
        counts = ", ".join(f"{n} {reason}" for n, reason in parts if n > 0)
        return f"of {len(self.sentence_rows)} sentences left out: {counts}" if counts else ""

    def frequent_markers(self, mic_rows: pd.DataFrame, threshold: float) -> list[str]:
        """Return the markers with `threshold` sentences (T) in any group, the commonest first.

        A group is a data set's split. Only sentences in groups where the marker reaches T decide on
        the order.
        """
        sizes = mic_rows.groupby(["standard", "group"]).size()
        frequent = sizes[sizes >= threshold].groupby("standard").sum()
        return list(map(str, frequent.sort_values(ascending=False, kind="stable").index))


def _reply_rows(rows: pd.DataFrame, sentence_rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each reply with the means of its sentences, NaN if none was judged.

    `rows` has a row for each marker, `sentence_rows` for each sentence. Of sentences with both
    decisiveness and confidence, `faithfulness` is one minus their mean distance, and
    `confidence_with_both` the mean confidence.
    """
    reply_names = ["unit", "group", "correct", "punt", "status", "empty_draws", "cut", "cluster"]
    replies = rows.drop_duplicates(REPLY).set_index(REPLY)[reply_names]
    gap = (sentence_rows["decisiveness"] - sentence_rows["confidence"]).abs()
    confidence = sentence_rows["confidence"].where(gap.notna())
    by_reply = sentence_rows.assign(gap=gap, confidence_with_both=confidence).groupby(REPLY)
    mean_names = ["gap", "confidence", "confidence_with_both", "decisiveness"]
    means = by_reply[mean_names].mean().assign(sentences=by_reply.size().astype(float))
    means["faithfulness"] = 1 - means.pop("gap")
    return replies.join(means).reset_index()
