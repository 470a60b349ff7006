"""Statistics of one data set's hedged answers, and of the judges that read them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from inspect_confidence.answers import READ_STATUSES, REPLY_STATUSES
from inspect_confidence.metrics import (
    MarkerCells,
    clustered_wilson_interval,
    correlation_of,
    means_of,
    ratio,
)
from inspect_confidence.metrics.arrays import FloatArray, IntArray, divide_or_nan
from inspect_confidence.metrics.markers import LEAST_POINTS
from inspect_confidence.printing import counted
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies import estimate, judge_error
from inspect_confidence.studies.estimate import Estimate, Statistics, unit_indices
from inspect_confidence.studies.hedge_markers.judgments import REPLY, Sentences, judged_draws
from inspect_confidence.studies.hedge_markers.stability import CmfgStatistic
from inspect_confidence.studies.notes import describe_left_out, join_notes
from inspect_confidence.studies.study import Resampling

FAITHFUL_FROM = 0.75
"""Replies with at least this faithfulness are faithful, as in the study's code."""


def judge_results(
    rows: pd.DataFrame, key: Key, condition: Condition, resampling: Resampling
) -> list[Result]:
    """Return the results of a judge on labelled items.

    They are precision and recall of the extraction of markers, accuracies of decisions on agreement
    and on correctness, the share of failures, and the error of decisiveness.
    """
    units = pd.Index(estimate.unit_names(rows).unique())
    unit_index = unit_indices(rows, units)
    columns = {
        "agreement_accuracy": rows["agreed"],
        "verdict_accuracy": rows["verdict"],
        "grader_failure_rate": (rows["status"] != "ok").astype(float),
    }
    # `form` says what the judge was asked for: markers, decisiveness, or both of a sentence.
    with_markers = rows[rows["form"].isin(["markers", "sentence"])]
    with_decisiveness = rows[rows["form"].isin(["decisiveness", "sentence"])]
    statistics = [
        *_extraction_statistics(with_markers, units, condition),
        estimate.means(condition, columns, unit_index, unit_count=len(units)),
        *_decisiveness_statistics(with_decisiveness, units, condition),
    ]
    return estimate.results_of(estimate.resample(statistics, len(units), resampling), key)


def _extraction_statistics(
    rows: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Statistics]:
    """Yield precision and recall of a judge's extraction of markers, pooled over markers.

    Precision is found / (found + false), recall found / (found + missed), with the numbers of
    labelled markers that the judge found or missed, and of markers without a label that it named.
    """
    counts = np.zeros((len(units), 3))
    columns = rows[["found", "false", "missed"]].fillna(0).to_numpy(float)
    np.add.at(counts, unit_indices(rows, units), columns)
    found, false, missed = counts.T  # markers by unit
    n, note = int(rows["found"].notna().sum()), describe_left_out(rows["status"])
    for metric, total in (
        ("extraction_precision", found + false),
        ("extraction_recall", found + missed),
    ):
        yield _share_statistics(
            Estimate(condition, metric, n, note, n_asked=len(rows)), found, total
        )


def _share_statistics(described: Estimate, counts: ArrayLike, totals: ArrayLike) -> Statistics:
    """Return the ratio of two sums over units, with Wilson's interval; NaN if the second sum is 0.

    `counts` and `totals` have one value for each unit (item or cluster). Counts of one unit
    resemble each other, so that the interval is that of fewer independent counts. `described` is
    the estimate without the interval.
    """
    interval = clustered_wilson_interval(counts, totals)
    return Statistics([replace(described, interval=interval)], ratio(counts, totals))


def _decisiveness_statistics(
    rows: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Statistics]:
    """Yield the error and rank correlation of the judge's decisiveness against labels.

    They are apart, by `reference`, for items with a surveyed word, labelled by the median of the
    people surveyed (`survey`), and for other items, labelled by this package (`labels`). The rank
    correlation is undefined for fewer than three items, because that of two is always 1 or -1.
    """
    is_surveyed = rows["word"] != ""
    for reference, compared in (("survey", rows[is_surveyed]), ("labels", rows[~is_surveyed])):
        decisiveness, label = compared[["decisiveness", "labelled"]].to_numpy(float).T
        unit_index, present = unit_indices(compared, units), ~np.isnan(decisiveness)
        reference_condition = condition.but(reference=reference)
        n, note = int(present.sum()), describe_left_out(compared["status"])
        error = {"decisiveness_error": np.abs(decisiveness - label)}
        yield estimate.means(reference_condition, error, unit_index, len(units), note)
        # Spearman's correlation is that of ranks; resamples keep the ranks of the sample.
        ranks, label_ranks = (
            pd.Series(values).where(present).rank().to_numpy() for values in (decisiveness, label)
        )
        correlation = correlation_of(ranks, label_ranks, unit_index, units=len(units))
        if compared.loc[present, "item"].nunique() < LEAST_POINTS:
            correlation = estimate.constant_statistic(np.nan)
        metric = "decisiveness_rank_correlation"
        rank_estimate = Estimate(reference_condition, metric, n, note, n_asked=len(compared))
        yield Statistics([rank_estimate], correlation)


def group_statistics(
    sentences: Sentences, resampling: Resampling, condition: Condition
) -> Iterator[Statistics]:
    """Yield the statistics of one data set and split that do not depend on T.

    T is the number of sentences that a marker needs. The statistics are of replies, hedges per
    sentence, the judge's failures, and cMFG (conditional mean faithful generation).
    """
    yield from _reply_statistics(sentences, condition)
    yield from _judge_corrected_statistics(sentences, condition, resampling)
    foreign = sentences.sentence_rows["foreign"].sum()
    note = f"{foreign:.0f} listed markers that aren't in their sentence left out" if foreign else ""
    hedges = sentences.sentence_rows["n_markers"]
    unit_index = sentences.sentence_rows["unit"].to_numpy(np.int64)
    yield from _mean_and_sd_statistics(
        "hedges_per_sentence", hedges, unit_index, len(sentences.units), condition, note
    )
    yield _judge_failure_rate(sentences, condition)
    yield _cmfg_statistics(sentences, resampling.convention, condition)


def _reply_statistics(sentences: Sentences, condition: Condition) -> Iterator[Statistics]:
    """Yield means over replies, sentences per reply, and the share of unreadable replies.

    A punt is a reply that gives no answer; grades of right or wrong alone leave it NaN. Notes say
    how many replies a mean leaves out. The count of sentences comes last, with sentences cut off at
    the end of a reply and empty draws (further replies) in its note.
    """
    replies, unit_count = sentences.replies, len(sentences.units)
    unit_index = replies["unit"].to_numpy(np.int64)
    n_without_punt = int((replies["punt"].isna() & replies["correct"].notna()).sum())
    punt_note = ""
    if n_without_punt:
        punt_note = f"{n_without_punt} judged right or wrong alone, which tells no punt"
    failed_note = _failed_judgments_note(sentences.sentence_rows)
    # Column of replies by metric, and a remark for the notes.
    for column_by_metric, remark in (
        ({"accuracy": "correct", "mean_decisiveness": "decisiveness"}, ""),
        ({"punt_rate": "punt"}, punt_note),
        ({"faithfulness": "faithfulness", "mean_internal_confidence": "confidence"}, failed_note),
    ):
        means = {metric: replies[column] for metric, column in column_by_metric.items()}
        note = partial(_describe_missing, remark=remark)
        yield estimate.means(condition, means, unit_index, unit_count, note)
    yield from _mean_and_sd_statistics(
        "sentences_per_reply",
        replies["sentences"],
        unit_index,
        unit_count,
        condition,
        note=_describe_missing,
    )
    yield _format_failure_rate(replies, unit_index, unit_count, condition)
    notes = ["sentences"]
    if (cut := replies["cut"].sum()) > 0:
        notes.append(f"{cut:.0f} cut off at their end, left out")
    if (empty := replies["empty_draws"].sum()) > 0:
        notes.append(f"{empty:.0f} empty draws left out")
    yield estimate.judgment_count(condition, len(sentences.sentence_rows), join_notes(*notes))


def _describe_missing(values: FloatArray, remark: str = "") -> str:
    """Return how many replies have NaN, such as "2 of 40 replies left out", then the remark."""
    count = int(np.isnan(values).sum())
    missing = f"{count} of {counted(len(values), 'reply', 'replies')} left out" if count else ""
    return join_notes(missing, remark)


def _format_failure_rate(
    replies: pd.DataFrame, unit_index: IntArray, unit_count: int, condition: Condition
) -> Statistics:
    """Return the share of unreadable replies; requests that got no reply are not in its base.

    A reply is readable by its status, or if it has sentences: then another part of it failed.
    """
    status = replies["status"]
    has_sentences = replies["sentences"].notna()
    readable = status.isin(READ_STATUSES) | has_sentences
    replied = (readable | status.isin(REPLY_STATUSES)).to_numpy()
    failures = {"format_failure_rate": np.where(replied, ~readable, np.nan)}
    note = describe_left_out(status.where(~replied, "ok"))
    return estimate.means(condition, failures, unit_index, unit_count, note)


def _judge_corrected_statistics(
    sentences: Sentences, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    """Yield accuracy and internal confidence of replies, corrected for the judge's errors.

    The user's labels (`judge_labels`) show how the judge errs; nothing is yielded without them.
    Internal confidence is corrected from the shares of draws (further answers) that the judge holds
    for inconsistent, undecided and consistent with a sentence, averaged over a reply's sentences.
    """
    if resampling.judge_labels is None:
        return
    judge = judge_error.judge_of(sentences.rows["judge"])
    unit_index = sentences.replies["unit"].to_numpy(np.int64)
    unit_count = len(sentences.units)
    model = sentences.rows["model"].iloc[0]
    # Without confidence, because only the mean correctness of replies is corrected here.
    answers = sentences.replies.assign(model=model, confidence=np.nan)
    yield from judge_error.corrected_correctness(
        answers, unit_index, unit_count, condition, resampling, judge
    )
    # Shares of each sentence, NaN without judged draws; then their means by reply.
    counts = sentences.sentence_rows[["inconsistent", "undecided", "consistent"]]
    shares = counts.div(counts.sum(axis=1).replace(0, np.nan), axis=0)
    means = shares.groupby([sentences.sentence_rows[name] for name in REPLY]).mean()
    reply_shares = means.reindex(pd.MultiIndex.from_frame(sentences.replies[REPLY])).to_numpy(float)
    yield from judge_error.corrected_agreement(
        reply_shares, unit_index, unit_count, condition, resampling, judge
    )


def _mean_and_sd_statistics(
    metric: str,
    column: "pd.Series[float]",
    unit_index: IntArray,
    unit_count: int,
    condition: Condition,
    note: str | Callable[[FloatArray], str],
) -> Iterator[Statistics]:
    """Yield the mean of a column as `metric`, and its SD (divisor n) as `<metric>_sd`, without NaN.

    `note` is the mean's note, or a function that returns it for the column's values.
    """
    values = column.to_numpy(float)
    yield estimate.means(condition, {metric: values}, unit_index, unit_count, note)
    # The means of values and squares, from which the SD of each resample follows.
    moments = means_of(np.column_stack([values, values**2]), unit_index, unit_count)
    sd = moments.map(_sd_of_moments)
    n = int((~np.isnan(values)).sum())
    yield Statistics([Estimate(condition, f"{metric}_sd", n, n_asked=len(values))], sd)


def _sd_of_moments(moments: FloatArray) -> FloatArray:
    """Return the SD in each resample; the columns are the mean and the mean of the squares."""
    mean, mean_square = moments.T
    return np.asarray(np.sqrt(np.maximum(mean_square - mean**2, 0)))  # rounding may give < 0


def _failed_judgments_note(sentences: pd.DataFrame) -> str:
    """Describe how many confidences rest on fewer judgments than asked; empty if none does."""
    failed = sentences["failed"].fillna(0)
    draw_counts = judged_draws(sentences)
    has_confidence = draw_counts > 0  # a confidence is the share of judged draws that agree
    failed_counts = failed[has_confidence]
    if not failed_counts.sum():
        return ""
    n_asked = (draw_counts + failed)[has_confidence].sum()
    return (
        f"{(failed_counts > 0).sum()} of {len(failed_counts)} confidences rest on "
        f"fewer judgments than asked ({failed_counts.sum():.0f} of {n_asked:.0f} failed)"
    )


def _judge_failure_rate(sentences: Sentences, condition: Condition) -> Statistics:
    """Return the share of requested judgments that the judge failed to give.

    The judge gives each sentence three kinds of judgments: its markers, its decisiveness, and its
    agreement with each draw (further answer). It gives each reply with sentences one, of
    correctness, as a grade, a punt (no answer), or both.
    """
    sentence_rows = sentences.sentence_rows
    replies = sentences.replies[sentences.replies["sentences"] > 0]
    agreements = judged_draws(sentence_rows)
    failed_agreements = sentence_rows["failed"].fillna(0)
    missing = sentence_rows["n_markers"].isna().astype(float) + sentence_rows["decisiveness"].isna()
    without_verdict = replies["punt"].isna() & replies["correct"].isna()
    unit_index = pd.concat([sentence_rows["unit"], replies["unit"]]).to_numpy(np.int64)
    unit_count = len(sentences.units)
    failed = np.concatenate([failed_agreements + missing, without_verdict]).astype(float)
    # Markers and decisiveness are two more judgments of a sentence.
    requested = np.concatenate([agreements + failed_agreements + 2, np.ones(len(replies))])
    failures = np.bincount(unit_index, failed, minlength=unit_count)
    totals = np.bincount(unit_index, requested, minlength=unit_count)
    note = f"{failures.sum():.0f} of {totals.sum():.0f} judgments"
    described = Estimate(condition, "grader_failure_rate", n=int(totals.sum()), note=note)
    return _share_statistics(described, failures, totals)


def _cmfg_statistics(
    sentences: Sentences, convention: str | None, condition: Condition
) -> Statistics:
    """Return conditional mean faithful generation (cMFG), with the number of used bins as its note.

    cMFG is the mean over bins of confidence of a bin's mean faithfulness, one minus the distance of
    decisiveness and confidence. A reply that lacks one of them is in no bin. Replies without an
    answer (punts) are left out; the convention `authors`, as the authors' code, includes them.
    """
    authors = convention == "authors"
    statistic = CmfgStatistic.from_sentences(sentences, authors)
    counts = statistic.counts  # (units, groups, bins)
    sizes = counts.sum(axis=(0, 1))
    punts = 0 if authors else int((sentences.replies["punt"] == 1).sum())
    bins = f"{(sizes > 0).sum()} of {len(sizes)} bins hold replies"
    described = Estimate(
        condition,
        "cmfg",
        n=int(sizes.sum()),
        note=join_notes(bins, f"{punts} punts left out" if punts else ""),
        n_asked=len(sentences.replies),
        unit_count=int((counts.sum(axis=(1, 2)) > 0).sum()),
    )
    return Statistics([described], statistic)


def marker_statistics(
    sentences: Sentences, convention: str | None, threshold: float, condition: Condition
) -> Iterator[Statistics]:
    """Yield each marker's internal confidence, its SD and its distance from decisiveness.

    Only markers (hedging phrases) with `threshold` sentences (T) in the data set and split are
    reported; `n_asked` counts all sentences with the marker, judged or not. If there is no such
    marker, one undefined `mic` is yielded, whose `n_asked` counts all sentences.

    Args:
        sentences: All sentences of the data set and split.
        convention: `authors` includes sentences with several markers; None leaves them out.
        threshold: Fewest sentences of a reported marker (T).
        condition: Condition of the estimates, without the marker.
    """
    mic_rows = sentences.mic_rows(convention)
    left_out_note = sentences.left_out_note(mic_rows)
    markers = sentences.frequent_markers(mic_rows, threshold)
    if not markers:
        undefined_mic = Estimate(
            condition,
            "mic",
            n=0,
            note=left_out_note,
            undefined_reason=f"no marker has {threshold:g} sentences",
            n_asked=int(sentences.asked_counts().sum()),
        )
        yield Statistics([undefined_mic], estimate.constant_statistic(np.nan))
        return
    n_asked = sentences.sentence_counts()
    rare_count = mic_rows["standard"].nunique() - len(markers)
    rare_note = f"{counted(rare_count, 'marker')} with fewer than {threshold:g} sentences left out"
    failed_note = _failed_judgments_note(mic_rows.drop_duplicates([*REPLY, "sentence"]))
    note = join_notes(rare_note if rare_count else "", failed_note, left_out_note)
    yield from _mic_statistics(sentences, mic_rows, n_asked[markers], condition, note)
    # Of correct, incorrect, faithful and unfaithful replies apart.
    for subset, rows in _mic_subsets(sentences, mic_rows):
        subset_condition = condition.but(**subset)
        yield from _mic_statistics(sentences, rows, n_asked[markers], subset_condition, "")
    yield from _decisiveness_gaps(sentences, mic_rows, n_asked[markers], condition)


def _decisiveness_gaps(
    sentences: Sentences, rows: pd.DataFrame, n_asked: "pd.Series[int]", condition: Condition
) -> Iterator[Statistics]:
    """Yield each marker's mean distance between the decisiveness and confidence of its rows.

    `n_asked` is the number of sentences by marker; its index names the markers.
    """
    for marker in n_asked.index:
        marker_rows = rows[rows["standard"] == marker]
        gaps = (marker_rows["decisiveness"] - marker_rows["confidence"]).abs()
        unit_index = marker_rows["unit"].to_numpy(np.int64)
        marker_condition = condition.but(marker=str(marker))
        mean = estimate.means(
            marker_condition, {"decisiveness_gap": gaps}, unit_index, len(sentences.units)
        )
        (described,) = mean.estimates
        yield replace(mean, estimates=[replace(described, n_asked=int(n_asked[marker]))])


def _mic_subsets(
    sentences: Sentences, mic_rows: pd.DataFrame
) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    """Yield the rows of correct and incorrect replies, and of faithful and unfaithful ones.

    `mic_rows` has a row for each sentence that counts for marker internal confidence (MIC).
    Faithful replies have a faithfulness of at least 0.75 (`FAITHFUL_FROM`). Each subset comes with
    the part of the condition that names it. A reply with partial credit or no grade is neither
    correct nor incorrect, one without a faithfulness neither faithful nor unfaithful.
    """
    reply_faithfulness = sentences.replies.set_index(REPLY)["faithfulness"]
    row_replies = pd.MultiIndex.from_frame(mic_rows[REPLY])
    faithfulness = reply_faithfulness.reindex(row_replies).to_numpy(float)
    yield {"outcome": "correct"}, mic_rows[(mic_rows["correct"] == 1).to_numpy()]
    yield {"outcome": "incorrect"}, mic_rows[(mic_rows["correct"] == 0).to_numpy()]
    yield {"faithful": "yes"}, mic_rows[faithfulness >= FAITHFUL_FROM]
    yield {"faithful": "no"}, mic_rows[faithfulness < FAITHFUL_FROM]


def _mic_statistics(
    sentences: Sentences,
    rows: pd.DataFrame,
    n_asked: "pd.Series[int]",
    condition: Condition,
    note: str,
) -> Iterator[Statistics]:
    """Yield the mean (MIC, marker internal confidence) and SD of confidence of each marker.

    Args:
        sentences: All sentences, which fix the groups and units.
        rows: The judgments to average.
        n_asked: Number of sentences by marker; its index names the markers.
        condition: Condition of the estimates, without the marker.
        note: Note of the estimates.
    """
    markers = list(map(str, n_asked.index))
    cells = sentences.marker_cells(rows, markers)
    row_markers, confidence = rows["standard"].to_numpy(), rows["confidence"].to_numpy(float)
    unit_index = rows["unit"].to_numpy(np.int64)
    means, columns = [], []
    for marker in markers:
        has_marker = row_markers == marker
        columns.append(np.where(has_marker, confidence, np.nan))
        described = Estimate(
            condition.but(marker=marker),
            "mic",
            n=int(has_marker.sum()),
            note=note,
            n_asked=int(n_asked[marker]),
            unit_count=len(np.unique(unit_index[has_marker])),
        )
        means.append(described)
    spreads = [replace(described, metric="mic_sd") for described in means]
    # Resamples add pseudo-units with the least and the greatest possible confidence, so that
    # intervals of few units hold.
    extremes = [(0, 1)] * len(columns)
    mean = means_of(np.stack(columns, axis=1), unit_index, len(sentences.units), extremes)
    yield Statistics(means, mean)
    yield Statistics(spreads, partial(_standard_deviations, cells))


def _standard_deviations(cells: MarkerCells, weights: FloatArray) -> FloatArray:
    """Return the SD of each marker's confidences in each resample, of shape (resamples, markers).

    `cells` are the confidences by marker, `weights` those of the units. A marker without a sentence
    has NaN.
    """
    tables = cells.tables(weights, threshold=0)  # rare markers have an SD, too
    counts = tables.counts.sum(axis=1)  # over groups: (resamples, markers, values of confidence)
    n = counts.sum(axis=-1)
    mean = divide_or_nan(counts @ tables.values, n)
    square = divide_or_nan(counts @ tables.values**2, n)
    variance = np.maximum(square - mean**2, 0)  # rounding errors may make it negative
    return np.asarray(np.sqrt(variance))
