"""Statistics of one data set's hedged answers, and of the judges that read them."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from inspect_confidence.answers import ANSWER_STATUSES, REPLY_STATUSES
from inspect_confidence.metrics import clustered_wilson_interval, correlation_of, means_of, ratio
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies import estimate, judge_error
from inspect_confidence.studies.estimate import Estimate, Statistics, single_statistic, unit_indices
from inspect_confidence.studies.hedge_markers.judgments import REPLY, Sentences
from inspect_confidence.studies.hedge_markers.stability import cmfg_of_groups
from inspect_confidence.studies.notes import describe_left_out, join_notes
from inspect_confidence.studies.study import Resampling

FAITHFUL = 0.75
"""Replies with at least this faithfulness are faithful, as in the study's code."""


def judge_results(
    rows: pd.DataFrame, key: Key, condition: Condition, resampling: Resampling
) -> list[Result]:
    """Return a judge's extraction precision and recall, accuracies, and error of decisiveness."""
    units = pd.Index(estimate.unit_names(rows).unique())
    unit = unit_indices(rows, units)
    columns = {
        "agreement_accuracy": rows["agreed"],
        "verdict_accuracy": rows["verdict"],
        "grader_failure_rate": (rows["status"] != "ok").astype(float),
    }
    with_markers = rows[rows["form"].isin(["markers", "sentence"])]
    with_decisiveness = rows[rows["form"].isin(["decisiveness", "sentence"])]
    statistics = [
        *_extraction(with_markers, units, condition),
        estimate.means(condition, columns, unit, len(units)),
        *_decisiveness(with_decisiveness, units, condition),
    ]
    return estimate.results_of(estimate.resample(statistics, len(units), resampling), key)


def _extraction(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Iterator[Statistics]:
    unit = unit_indices(rows, units)

    def count(column: str) -> FloatArray:
        values = rows[column].fillna(0).to_numpy(float)
        return np.asarray(np.bincount(unit, values, minlength=len(units)), float)

    correct = count("found")
    n, note = int(rows["found"].notna().sum()), describe_left_out(rows["status"])
    for metric, total in (
        ("extraction_precision", correct + count("false")),
        ("extraction_recall", correct + count("missed")),
    ):
        yield _share(Estimate(condition, metric, n, note, n_asked=len(rows)), correct, total)


def _share(described: Estimate, counts: ArrayLike, totals: ArrayLike) -> Statistics:
    """Return a ratio of counts over items, with Wilson's interval at their effective number."""
    interval = clustered_wilson_interval(counts, totals)
    return Statistics([replace(described, interval=interval)], ratio(counts, totals))


def _decisiveness(
    rows: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Statistics]:
    """Yield comparisons with medians of surveyed people and our labels of other sentences."""
    surveyed = rows["word"] != ""
    for reference, compared in (("survey", rows[surveyed]), ("labels", rows[~surveyed])):
        decisiveness, label = (
            compared[name].to_numpy(float) for name in ("decisiveness", "labelled")
        )
        unit, present = unit_indices(compared, units), ~np.isnan(decisiveness)
        reference_condition = condition.but(reference=reference)
        n, note = int(present.sum()), describe_left_out(compared["status"])
        error = {"decisiveness_error": np.abs(decisiveness - label)}
        yield estimate.means(reference_condition, error, unit, len(units), note)
        ranks, label_ranks = (
            pd.Series(values).where(present).rank().to_numpy() for values in (decisiveness, label)
        )
        correlation = correlation_of(ranks, label_ranks, unit, len(units))
        metric = "decisiveness_rank_correlation"
        yield single_statistic(
            reference_condition, metric, correlation, n, note, n_asked=len(compared)
        )


def group_statistics(
    sentences: Sentences, resampling: Resampling, condition: Condition
) -> Iterator[Statistics]:
    """Yield the statistics of one data set and split that don't depend on T."""
    yield from _reply_statistics(sentences, condition)
    yield from _judge_corrected(sentences, condition, resampling)
    foreign = sentences.once["foreign"].sum()
    note = f"{foreign:.0f} listed markers that aren't in their sentence left out" if foreign else ""
    hedges = sentences.once["n_markers"]
    unit = sentences.once["unit"].to_numpy(np.int64)
    yield from _mean_and_sd(sentences, unit, hedges, "hedges_per_sentence", condition, note)
    yield _judge_failures(sentences, condition)
    yield _conditional(sentences, resampling.convention, condition)


def _reply_statistics(sentences: Sentences, condition: Condition) -> Iterator[Statistics]:
    """Yield means over replies, the length of replies, and the share that could not be read."""
    replies, units = sentences.replies, len(sentences.units)
    unit = replies["unit"].to_numpy(np.int64)
    # Notes are made of each column's values, NaN where a reply has none.

    def missing(values: FloatArray) -> str:
        count = int(np.isnan(values).sum())
        return f"{count} of {len(replies)} replies left out" if count else ""

    def missing_judgments(values: FloatArray) -> str:
        return join_notes(missing(values), _fewer_judgments(sentences.once))

    def missing_punts(values: FloatArray) -> str:
        count = int((np.isnan(values) & replies["correct"].notna()).sum())
        remark = f"{count} judged right or wrong alone, which tells no punt" if count else ""
        return join_notes(missing(values), remark)

    means = {"accuracy": replies["correct"], "mean_decisiveness": replies["decisiveness"]}
    yield estimate.means(condition, means, unit, units, missing)
    yield estimate.means(condition, {"punt_rate": replies["punt"]}, unit, units, missing_punts)
    judged_means = {
        "faithfulness": replies["faithfulness"],
        "mean_internal_confidence": replies["confidence"],
    }
    yield estimate.means(condition, judged_means, unit, units, missing_judgments)
    lengths = replies["sentences"]
    yield from _mean_and_sd(sentences, unit, lengths, "sentences_per_reply", condition, missing)
    status = replies["status"]
    readable = status.isin(["ok", "grader_failed", *ANSWER_STATUSES]) | lengths.notna()
    replied = (readable | status.isin(REPLY_STATUSES)).to_numpy()
    failures = {"format_failure_rate": np.where(replied, ~readable, np.nan)}
    yield estimate.means(
        condition, failures, unit, units, describe_left_out(status.where(~replied, "ok"))
    )
    notes = ["sentences"]
    if (cut := replies["cut"].sum()) > 0:
        notes.append(f"{cut:.0f} cut off at their end, left out")
    if (empty := replies["empty_draws"].sum()) > 0:
        notes.append(f"{empty:.0f} empty draws left out")
    yield estimate.judgment_count(condition, len(sentences.once), join_notes(*notes))


def _judge_corrected(
    sentences: Sentences, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    """Yield accuracy and internal confidence corrected for the judge's errors, given labels."""
    if resampling.judge_labels is None:
        return
    judge = judge_error.judge_of(sentences.rows["judge"])
    unit, units = sentences.replies["unit"].to_numpy(np.int64), len(sentences.units)
    model = sentences.rows["model"].iloc[0]
    answers = sentences.replies.assign(model=model, confidence=np.nan)
    yield from judge_error.corrected_correctness(answers, unit, units, condition, resampling, judge)
    counts = sentences.once[["inconsistent", "undecided", "consistent"]]
    shares = counts.div(counts.sum(axis=1).replace(0, np.nan), axis=0)
    means = shares.groupby([sentences.once[name] for name in REPLY]).mean()
    reply_shares = means.reindex(pd.MultiIndex.from_frame(sentences.replies[REPLY])).to_numpy(float)
    yield from judge_error.corrected_agreement(
        reply_shares, unit, units, condition, resampling, judge
    )


def _mean_and_sd(
    sentences: Sentences,
    unit: IntArray,
    column: "pd.Series[float]",
    metric: str,
    condition: Condition,
    note: str | Callable[[FloatArray], str],
) -> Iterator[Statistics]:
    """Yield the mean of a column, and its standard deviation with n as the divisor."""
    values, units = column.to_numpy(float), len(sentences.units)
    yield estimate.means(condition, {metric: values}, unit, units, note)
    moments = means_of(np.column_stack([values, values**2]), unit, units)

    def spread(means: FloatArray) -> FloatArray:
        mean, square = means.T
        return np.asarray(np.sqrt(np.maximum(square - mean**2, 0)))

    n = int((~np.isnan(values)).sum())
    yield single_statistic(condition, f"{metric}_sd", moments.map(spread), n, n_asked=len(values))


def _fewer_judgments(sentences: pd.DataFrame) -> str:
    """Return a note on confidences that rest on fewer judgments than were asked for."""
    failed = sentences["failed"].fillna(0)
    agreements = sentences[["consistent", "undecided", "inconsistent"]].fillna(0).sum(axis=1)
    has_confidence = agreements > 0
    counted = failed[has_confidence]
    if not counted.sum():
        return ""
    n_asked = (agreements + failed)[has_confidence].sum()
    return (
        f"{(counted > 0).sum()} of {len(counted)} confidences rest on fewer judgments than asked "
        f"({counted.sum():.0f} of {n_asked:.0f} failed)"
    )


def _judge_failures(sentences: Sentences, condition: Condition) -> Statistics:
    """Return the share of judgments that the judge failed at: of sentences and of replies."""
    once = sentences.once
    replies = sentences.replies[sentences.replies["sentences"] > 0]
    agreements = once[["consistent", "undecided", "inconsistent"]].fillna(0).sum(axis=1)
    failed_agreements = once["failed"].fillna(0)
    missing = once["n_markers"].isna().astype(float) + once["decisiveness"].isna()
    # A judge that can't tell a punt still says whether the answer is right.
    without_verdict = replies["punt"].isna() & replies["correct"].isna()
    unit = pd.concat([once["unit"], replies["unit"]]).to_numpy(np.int64)

    def sums(of_sentences: "pd.Series[float]", of_replies: ArrayLike) -> FloatArray:
        values = np.concatenate([of_sentences, of_replies]).astype(float)
        return np.asarray(np.bincount(unit, values, minlength=len(sentences.units)), float)

    failures = sums(failed_agreements + missing, without_verdict)
    # Of each sentence markers and decisiveness are judged too, of each reply correctness.
    totals = sums(agreements + failed_agreements + 2, np.ones(len(replies)))
    note = f"{failures.sum():.0f} of {totals.sum():.0f} judgments"
    described = Estimate(condition, "grader_failure_rate", int(totals.sum()), note)
    return _share(described, failures, totals)


def _conditional(sentences: Sentences, convention: str | None, condition: Condition) -> Statistics:
    """Return cMFG, computed from each reply's contribution to the bins."""
    authors = convention == "authors"
    statistic, counts = cmfg_of_groups(sentences, authors)
    sizes = counts.sum(axis=(0, 1))
    punts = 0 if authors else int((sentences.replies["punt"] == 1).sum())
    bins = f"{(sizes > 0).sum()} of {len(sizes)} bins hold replies"
    described = Estimate(
        condition,
        "cmfg",
        int(sizes.sum()),
        join_notes(bins, f"{punts} punts left out" if punts else ""),
        n_asked=len(sentences.replies),
        unit_count=int((counts.sum(axis=(1, 2)) > 0).sum()),
    )
    return Statistics([described], statistic)


def marker_statistics(
    sentences: Sentences, convention: str | None, threshold: float, condition: Condition
) -> Iterator[Statistics]:
    """Yield each marker's internal confidence, its SD and its distance from decisiveness.

    Markers of one data set and split that have `threshold` sentences (T) count.
    """
    counted = sentences.counted(convention)
    left_out_note = sentences.left_out(counted)
    markers = sentences.markers(counted, threshold)
    if not markers:
        described = Estimate(
            condition,
            "mic",
            0,
            left_out_note,
            undefined_reason=f"no marker has {threshold:g} sentences",
            n_asked=int(sentences.n_asked().sum()),
        )
        yield Statistics([described], estimate.constant_statistic(np.nan))
        return
    below = counted["standard"].nunique() - len(markers)
    rare = f"{below} markers with fewer than {threshold:g} sentences left out" if below else ""
    fewer = _fewer_judgments(counted.drop_duplicates([*REPLY, "sentence"]))
    reply_faithfulness = sentences.replies.set_index(REPLY)["faithfulness"]
    row_replies = pd.MultiIndex.from_frame(counted[REPLY])
    faithfulness = reply_faithfulness.reindex(row_replies).to_numpy(float)
    correct = counted["correct"].to_numpy(float)
    n_asked = sentences.sentences_with()
    note = join_notes(rare, fewer, left_out_note)
    yield from _mic(sentences, counted, n_asked[markers], condition, note)
    for extra, chosen in (
        ({"outcome": "correct"}, correct == 1),
        ({"outcome": "incorrect"}, correct == 0),
        ({"faithful": "yes"}, faithfulness >= FAITHFUL),
        ({"faithful": "no"}, faithfulness < FAITHFUL),
    ):
        yield from _mic(sentences, counted[chosen], n_asked[markers], condition.but(**extra), "")
    for marker in markers:
        rows = counted[counted["standard"] == marker]
        gap = {"decisiveness_gap": (rows["decisiveness"] - rows["confidence"]).abs()}
        unit = rows["unit"].to_numpy(np.int64)
        mean = estimate.means(condition.but(marker=marker), gap, unit, len(sentences.units))
        (described,) = mean.estimates
        yield replace(mean, estimates=[replace(described, n_asked=int(n_asked[marker]))])


def _mic(
    sentences: Sentences,
    rows: pd.DataFrame,
    n_asked: "pd.Series[int]",
    condition: Condition,
    note: str,
) -> Iterator[Statistics]:
    """Yield mean and standard deviation of confidence for the markers in `n_asked`'s index."""
    markers = [str(marker) for marker in n_asked.index]
    cells = sentences.cells(rows, markers)
    row_markers, confidence = rows["standard"].to_numpy(), rows["confidence"].to_numpy(float)
    unit = rows["unit"].to_numpy(np.int64)
    means, columns = [], []
    for marker in markers:
        has_marker = row_markers == marker
        columns.append(np.where(has_marker, confidence, np.nan))
        described = Estimate(
            condition.but(marker=marker),
            "mic",
            int(has_marker.sum()),
            note,
            n_asked=int(n_asked[marker]),
            unit_count=len(np.unique(unit[has_marker])),
        )
        means.append(described)
    spreads = [replace(described, metric="mic_sd") for described in means]

    def statistic(weights: FloatArray) -> FloatArray:
        tables = cells.tables(weights, threshold=0)
        counts = tables.counts.sum(axis=1)
        n = counts.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(n > 0, counts @ tables.values / n, np.nan)
            square = np.where(n > 0, counts @ tables.values**2 / n, np.nan)
        return np.asarray(np.sqrt(np.maximum(square - mean**2, 0)))

    mean = means_of(np.stack(columns, axis=1), unit, len(sentences.units), [(0, 1)] * len(columns))
    yield Statistics(means, mean)
    yield Statistics(spreads, statistic)
