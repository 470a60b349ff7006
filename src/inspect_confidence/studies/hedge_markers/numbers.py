"""What is estimated of one data set's hedged answers, and of the judges that read them."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from inspect_confidence.answers import REPLY_STATUSES
from inspect_confidence.metrics import clustered_wilson_interval, correlation_of, means_of, ratio
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies import estimate, judge_error
from inspect_confidence.studies.estimate import Estimate, Statistics, single_statistic, unit_indices
from inspect_confidence.studies.hedge_markers.judgments import REPLY, Sentences
from inspect_confidence.studies.hedge_markers.stability import cmfg_of_groups
from inspect_confidence.studies.notes import left_out, noted
from inspect_confidence.studies.study import Resampling

FAITHFUL = 0.75
"""Replies with at least this faithfulness are faithful, as in the study's code."""


def of_judge(
    rows: pd.DataFrame, key: Key, condition: Condition, resampling: Resampling
) -> list[Result]:
    """Precision and recall of extraction, accuracies, and decisiveness against labels."""
    units = pd.Index(rows["item"].unique())
    unit = unit_indices(rows, units)
    failed = (rows["status"] != "ok").astype(float)
    columns = {"agreement_accuracy": rows["agreed"], "verdict_accuracy": rows["verdict"]}
    columns["grader_failure_rate"] = failed
    estimands = [
        *_extraction(rows[rows["form"].isin(["markers", "sentence"])], units, condition),
        estimate.means(condition, columns, unit, len(units)),
        *_decisiveness(rows[rows["form"].isin(["decisiveness", "sentence"])], units, condition),
    ]
    return estimate.results_of(estimate.resample(estimands, len(units), resampling), key)


def _extraction(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Iterator[Statistics]:
    unit, counts = unit_indices(rows, units), rows[["found", "missed", "false"]].fillna(0)
    found, missed, false = (
        np.bincount(unit, column, minlength=len(units)) for column in counts.to_numpy(float).T
    )
    n, note = int(rows["found"].notna().sum()), left_out(rows["status"])
    for metric, of in (
        ("extraction_precision", found + false),
        ("extraction_recall", found + missed),
    ):
        yield _share(Estimate(condition, metric, n, note, n_asked=len(rows)), found, of)


def _share(number: Estimate, counts: ArrayLike, of: ArrayLike) -> Statistics:
    """A ratio of counts over items, with Wilson's interval at their effective number."""
    interval = clustered_wilson_interval(counts, of)
    return Statistics([replace(number, interval=interval)], ratio(counts, of))


def _decisiveness(
    rows: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Statistics]:
    """Against the medians of the people surveyed, and against our own labels of other sentences."""
    surveyed = rows["word"] != ""
    for reference, mine in (("survey", rows[surveyed]), ("labels", rows[~surveyed])):
        stated, label = (mine[name].to_numpy(float) for name in ("decisiveness", "labelled"))
        unit, there = unit_indices(mine, units), ~np.isnan(stated)
        at = condition.but(reference=reference)
        n, note = int(there.sum()), left_out(mine["status"])
        error = {"decisiveness_error": np.abs(stated - label)}
        yield estimate.means(at, error, unit, len(units), note)
        ranks, of_label = (pd.Series(one).where(there).rank() for one in (stated, label))
        together = correlation_of(ranks.to_numpy(), of_label.to_numpy(), unit, len(units))
        yield single_statistic(
            at, "decisiveness_rank_correlation", together, n, note, n_asked=len(mine)
        )


def of_group(
    said: Sentences, resampling: Resampling, threshold: float, condition: Condition
) -> Iterator[Statistics]:
    """Everything that the judgments of one data set and split give; `threshold` is T."""
    yield from _replies(said, condition)
    yield from _without_judge_errors(said, condition, resampling)
    foreign, once = said.once["foreign"].sum(), said.once
    note = f"{foreign:.0f} listed markers that aren't in their sentence left out" if foreign else ""
    yield from _mean_and_sd(said, once, "n_markers", "hedges_per_sentence", condition, note)
    yield _judge_failures(said, condition)
    yield _conditional(said, resampling.convention, condition)
    yield from _markers(said, resampling.convention, threshold, condition)


def _replies(said: Sentences, condition: Condition) -> Iterator[Statistics]:
    """Means over replies, how long they are, and how many could not be read."""
    replies, n = said.replies, len(said.replies)
    at = (replies["unit"].to_numpy(np.int64), len(said.units))
    columns = {
        "accuracy": replies["correct"],
        "mean_decisiveness": replies["decisiveness"],
    }
    held = {
        "faithfulness": replies["faithfulness"],
        "mean_internal_confidence": replies["confidence"],
    }

    def missing(values: FloatArray) -> str:
        lost = int(np.isnan(values).sum())
        return f"{lost} of {n} replies left out" if lost else ""

    def fewer(values: FloatArray) -> str:
        return noted(missing(values), _fewer_judgments(said.once))

    def untold(values: FloatArray) -> str:
        alone = int((np.isnan(values) & replies["correct"].notna()).sum())
        told = f"{alone} judged right or wrong alone, which tells no punt" if alone else ""
        return noted(missing(values), told)

    yield estimate.means(condition, columns, *at, missing)
    yield estimate.means(condition, {"punt_rate": replies["punt"]}, *at, untold)
    yield estimate.means(condition, held, *at, fewer)
    yield from _mean_and_sd(said, replies, "sentences", "sentences_per_reply", condition, missing)
    status = replies["status"]
    read = status.isin(["ok", "grader_failed"]) | replies["sentences"].notna()
    replied = (read | status.isin(REPLY_STATUSES)).to_numpy()
    failed = {"format_failure_rate": np.where(replied, ~read, np.nan)}
    yield estimate.means(condition, failed, *at, left_out(status.where(~replied, "ok")))
    lost = {
        "cut off at their end, left out": replies["cut"].sum(),
        "empty draws left out": replies["empty_draws"].sum(),
    }
    said_too = [f"{number:.0f} {what}" for what, number in lost.items() if number > 0]
    yield estimate.judgment_count(condition, len(said.once), noted("sentences", *said_too))


def _without_judge_errors(
    said: Sentences, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    """Accuracy and mean internal confidence corrected for the judge's errors, given labels."""
    if resampling.judge_labels is None:
        return
    judge = judge_error.judge_of(said.rows["judge"])
    at = said.replies["unit"].to_numpy(np.int64), len(said.units), condition, resampling, judge
    answers = said.replies.assign(model=said.rows["model"].iloc[0], confidence=np.nan)
    yield from judge_error.corrected_correctness(answers, *at)
    counts = said.once[["inconsistent", "undecided", "consistent"]]
    shares = counts.div(counts.sum(axis=1).replace(0, np.nan), axis=0)
    of_reply = shares.groupby([said.once[name] for name in REPLY]).mean()
    held = of_reply.reindex(pd.MultiIndex.from_frame(said.replies[REPLY]))
    yield from judge_error.corrected_agreement(held.to_numpy(float), *at)


def _mean_and_sd(
    said: Sentences,
    rows: pd.DataFrame,
    column: str,
    metric: str,
    condition: Condition,
    note: str | Callable[[FloatArray], str],
) -> Iterator[Statistics]:
    """The mean of a column, and its standard deviation, n dividing."""
    values, at = rows[column].to_numpy(float), (rows["unit"].to_numpy(np.int64), len(said.units))
    yield estimate.means(condition, {metric: values}, *at, note)
    squares = means_of(np.column_stack([values, values**2]), *at)

    def spread(means: FloatArray) -> FloatArray:
        mean, square = means.T
        return np.asarray(np.sqrt(np.maximum(square - mean**2, 0)))

    n = int((~np.isnan(values)).sum())
    yield single_statistic(condition, f"{metric}_sd", squares.then(spread), n, n_asked=len(values))


def _fewer_judgments(sentences: pd.DataFrame) -> str:
    """That confidences rest on fewer judgments than were asked for, for a note."""
    failed = sentences["failed"].fillna(0)
    agreements = sentences[["consistent", "undecided", "inconsistent"]].fillna(0).sum(axis=1)
    some = failed[agreements > 0]
    if not some.sum():
        return ""
    asked = (agreements + failed)[agreements > 0].sum()
    return (
        f"{(some > 0).sum()} of {len(some)} confidences rest on fewer judgments than asked "
        f"({some.sum():.0f} of {asked:.0f} failed)"
    )


def _judge_failures(said: Sentences, condition: Condition) -> Statistics:
    """The share of judgments that the judge failed at: of sentences and of replies."""
    once, replies = said.once, said.replies[said.replies["sentences"] > 0]
    agreements = once[["consistent", "undecided", "inconsistent"]].fillna(0).sum(axis=1)
    lost = once["failed"].fillna(0)
    missing = once["n_markers"].isna().astype(float) + once["decisiveness"].isna()
    unit = pd.concat([once["unit"], replies["unit"]]).to_numpy(np.int64)
    failed, made = (
        np.bincount(unit, np.concatenate(parts).astype(float), minlength=len(said.units))
        for parts in (
            # A judge that can't tell a punt still says whether the answer is right.
            (lost + missing, replies["punt"].isna() & replies["correct"].isna()),
            (agreements + lost + 2, np.ones(len(replies))),
        )
    )
    note = f"{failed.sum():.0f} of {made.sum():.0f} judgments"
    number = Estimate(condition, "grader_failure_rate", int(made.sum()), note)
    return _share(number, failed, made)


def _conditional(said: Sentences, convention: str | None, condition: Condition) -> Statistics:
    """cMFG, from what each reply adds to the bins."""
    authors = convention == "authors"
    statistic, counts = cmfg_of_groups(said, authors)
    held = counts.sum(axis=(0, 1))
    punts = 0 if authors else int((said.replies["punt"] == 1).sum())
    bins = f"{(held > 0).sum()} of {len(held)} bins hold replies"
    number = Estimate(
        condition,
        "cmfg",
        int(held.sum()),
        noted(bins, f"{punts} punts left out" if punts else ""),
        n_asked=len(said.replies),
        units=int((counts.sum(axis=(1, 2)) > 0).sum()),
        rarest=min((counts > 0).sum(axis=(0, 1))[held > 0], default=0),
    )
    return Statistics([number], statistic)


def _markers(
    said: Sentences, convention: str | None, threshold: float, condition: Condition
) -> Iterator[Statistics]:
    """Each marker's internal confidence, its SD and its distance from decisiveness."""
    counted = said.counted(convention)
    markers = said.markers(counted, threshold)
    below = counted["standard"].nunique() - len(markers)
    rare = f"{below} markers with fewer than {threshold:g} sentences left out" if below else ""
    few = _fewer_judgments(counted.drop_duplicates([*REPLY, "sentence"]))
    note = noted(rare, few, said.left_out(counted))
    if not markers:
        why = f"no marker has {threshold:g} sentences"
        none = Estimate(
            condition,
            "mic",
            0,
            said.left_out(counted),
            undefined_reason=why,
            n_asked=int(said.asked().sum()),
        )
        yield Statistics([none], estimate.constant(np.nan))
        return
    faithful = (
        said.replies.set_index(REPLY)["faithfulness"]
        .reindex(pd.MultiIndex.from_frame(counted[REPLY]))
        .to_numpy(float)
    )
    correct = counted["correct"].to_numpy(float)
    asked = said.sentences_with()
    yield _mic(said, counted, asked[markers], condition, note)
    for extra, chosen in (
        ({"outcome": "correct"}, correct == 1),
        ({"outcome": "incorrect"}, correct == 0),
        ({"faithful": "yes"}, faithful >= FAITHFUL),
        ({"faithful": "no"}, faithful < FAITHFUL),
    ):
        yield _mic(said, counted[chosen], asked[markers], condition.but(**extra), "")
    for marker in markers:
        mine = counted[counted["standard"] == marker]
        gap = {"decisiveness_gap": (mine["decisiveness"] - mine["confidence"]).abs()}
        unit = mine["unit"].to_numpy(np.int64)
        means = estimate.means(condition.but(marker=marker), gap, unit, len(said.units))
        yield replace(
            means, estimates=[replace(one, n_asked=int(asked[marker])) for one in means.estimates]
        )


def _mic(
    said: Sentences,
    rows: pd.DataFrame,
    asked: "pd.Series[int]",
    condition: Condition,
    note: str,
) -> Statistics:
    """Means and standard deviations of confidence, of the markers that are asked for."""
    markers = [str(marker) for marker in asked.index]
    cells = said.cells(rows, markers)
    of_row, confidence = rows["standard"].to_numpy(), rows["confidence"].to_numpy(float)
    unit, numbers = rows["unit"].to_numpy(np.int64), []
    for marker in markers:
        mine = of_row == marker
        number = Estimate(
            condition.but(marker=marker),
            "mic",
            int(mine.sum()),
            note,
            n_asked=int(asked[marker]),
            units=len(np.unique(unit[mine])),
            rarest=estimate.minority_items(confidence[mine], unit[mine]),
        )
        numbers.append(number)
    numbers += [replace(number, metric="mic_sd") for number in numbers]

    def statistic(weights: FloatArray) -> FloatArray:
        tables = cells.tables(weights, threshold=0)
        counts = tables.counts.sum(axis=1)
        n = counts.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(n > 0, counts @ tables.values / n, np.nan)
            square = np.where(n > 0, counts @ tables.values**2 / n, np.nan)
        return np.hstack([mean, np.sqrt(np.maximum(square - mean**2, 0))])

    return Statistics(numbers, statistic)
