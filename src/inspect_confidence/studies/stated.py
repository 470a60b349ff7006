"""Judgments of stated confidence: missing columns, statistics, detail and comparison."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array

from inspect_confidence import metrics
from inspect_confidence.answers import ANSWER_STATUSES, INSTRUMENT_STATUSES
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.grades import same_answers
from inspect_confidence.metrics.arrays import FloatArray, distinct
from inspect_confidence.results import Condition, Result
from inspect_confidence.studies import bins, calibration, estimate
from inspect_confidence.studies import compare as contenders
from inspect_confidence.studies.columns import REPORTED
from inspect_confidence.studies.estimate import Estimate, Statistics, unit_indices
from inspect_confidence.studies.notes import (
    describe_counts,
    describe_left_out,
    join_notes,
    statuses_of_estimate,
    unread_flags,
)
from inspect_confidence.studies.study import Difference, FigureSpec, Resampling


def complete_judgments(rows: pd.DataFrame) -> pd.DataFrame:
    """Return judgments with `scale`, and with missing columns derived from others.

    Where `confidence` is missing it follows from `raw`, `low` and `high`: clipped within 5% of the
    scale's width, `out_of_range` beyond. `correct` follows from `answer` and `target`; an answer in
    which the model declined is neither right nor wrong.

    Raises:
        InvalidArgument: A share lies outside [0, 1], or a scale runs the wrong way.
    """
    estimate.check_shares(rows, ("confidence", "correct"), f"{REPORTED.remedy}.")
    flat = rows[rows["low"] >= rows["high"]]
    if len(flat):
        low, high = flat[["low", "high"]].iloc[0]
        raise InvalidArgument(f"low={low:g}, high={high:g}: low must be below high.")
    rows = rows.copy()
    low, high, raw = (rows[name].to_numpy(float) for name in ("low", "high", "raw"))
    width = high - low
    excess = np.maximum(low - raw, raw - high)
    violated = excess * 20 > width
    # One division of whole numbers: equal shares of different scales give the same float.
    share = (np.clip(raw, low, high) - low) / np.where(width > 0, width, np.nan)
    confidence = rows["confidence"].to_numpy(float)
    derived = np.isnan(confidence) & ~np.isnan(share) & (rows["status"] == "ok").to_numpy()
    rows["confidence"] = np.where(derived & ~violated, share, confidence)
    rows.loc[derived & violated, "status"] = "out_of_range"
    rows.loc[derived & (excess > 0) & ~violated, "clipped"] = True
    rows["correct"] = grade_answers(rows)
    rows["scale"] = _scale_names(low, high)
    return rows


def grade_answers(rows: pd.DataFrame) -> FloatArray:
    """Return `correct`; where it is missing it follows from `answer` and `target`.

    A declined answer has no grade, and neither has an answer whose grader failed. An answer that a
    scorer of its eval should have graded is not graded by its text instead.
    """
    correct = np.where(
        rows["status"].isin(ANSWER_STATUSES), np.nan, rows["correct"].to_numpy(float)
    )
    gradable = rows["correct"].isna() & (rows["answer"] != "") & (rows["target"] != "")
    gradable &= ~rows["status"].isin(ANSWER_STATUSES | INSTRUMENT_STATUSES)
    if "scorer" in rows:
        gradable &= rows["scorer"] == ""
    correct[gradable.to_numpy()] = same_answers(
        rows.loc[gradable, "answer"], rows.loc[gradable, "target"]
    )
    return correct


def reasons_of_flat_scales(rows: pd.DataFrame) -> dict[int, str]:
    """Return the reason, by position, of each judgment whose scale has no width."""
    reasons = {}
    for position in np.flatnonzero(rows["low"] == rows["high"]).tolist():
        low = rows["low"].iloc[position]
        reasons[position] = f"low={low:g} is also high; low must be below high"
    return reasons


def _scale_names(low: FloatArray, high: FloatArray) -> NDArray[np.object_]:
    """Name each row's scale, `0-100`; empty where an end is missing."""
    ends = pd.DataFrame({"low": low, "high": high})
    scale = ends.groupby(["low", "high"], sort=False, dropna=False).ngroup().to_numpy(np.int64)
    names = []
    for scale_low, scale_high in ends.drop_duplicates().itertuples(index=False):
        is_known = not np.isnan(scale_low + scale_high)
        names.append(f"{scale_low:g}-{scale_high:g}" if is_known else "")
    return np.array(names, object)[scale]


def scale_statistics(
    rows: pd.DataFrame,
    units: pd.Index,
    condition: Condition,
    resampling: Resampling,
    remark: str = "",
    *,
    may_decline: bool = False,
    order_only: bool = False,
) -> Iterator[Statistics]:
    """Yield all statistics of judgments on one scale, or on none.

    `rows` are completed; `resampling` holds thresholds and costs, and `remark` is for every note.
    Shares of attempted answers are among them if a model declined, or if `may_decline`.
    If `order_only`, confidence has no scale, and metrics of its size are undefined.
    """
    items = rows["item"].nunique()
    over = f"{items} items" if items < len(rows) else ""
    note = join_notes(describe_left_out(rows["status"]), over, remark)
    readable = rows.assign(confidence=rows["confidence"].where(rows["status"] == "ok"))
    answers = calibration.Answers.from_frame(readable, units, order_only=order_only)
    yield from calibration.confidence_statistics(answers, condition, note, resampling)
    if answers.choices == 2 and readable["target"].isin(("A", "B")).all():
        stimulus = np.where(readable["target"] == "B", 1, 0)
        yield calibration.two_choice_sensitivity(answers, stimulus, condition, note)
    if may_decline or (rows["status"] == "declined").any():
        yield from attempt_statistics(rows, units, condition)
    if not order_only:
        yield from _report_shape(rows, units, condition)
    yield _rates(rows, units, condition)
    yield estimate.judgment_count(condition, len(rows), note)


def confidence_detail(
    rows: pd.DataFrame, reported: pd.DataFrame, parts: Sequence[str], resampling: Resampling
) -> list[Result]:
    """Return each condition's bins, CORP curve, type-2 rates, utilities and shares of reports.

    `rows` are completed; `reported` are those with a report, which counts also if out of range.
    """
    return [
        *bins.confidence_bins(rows, parts, resampling),
        *bins.corp_rows(rows, parts, resampling),
        *bins.type2_rates(rows, parts),
        *bins.utility_curve(rows, parts, resampling),
        *all_report_shares(reported, parts),
    ]


def all_report_shares(reported: pd.DataFrame, parts: Sequence[str]) -> Iterator[Result]:
    """Yield the share of each report, whether in range or not."""
    in_range = reported.assign(status=reported["status"].replace("out_of_range", "ok"))
    yield from bins.report_shares(in_range, parts)


def utility_figure(figure: Callable[..., FigureSpec]) -> FigureSpec:
    """Return a study's figure of expected utility; `figure` sets the task and what splits it."""
    return figure(
        plot="utility",
        title="What answering only from a confidence on is worth",
        reads="Mean utility of answering only from a confidence on, by the costs that were given. "
        "The dashed line is never answering. The dotted line is the best threshold of calibrated "
        "confidence. The highest point is the best of these items and overstates the utility on "
        "other items.",
        intervals=("expected_utility",),
        metrics=("expected_utility",),
        needs=2,
    )


def compare(a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling) -> list[Difference]:
    """Return the differences of two contenders, a row for each metric, on their common items.

    Judgments are completed.
    """
    contrast = contenders.confidence_contrast(a, b, resampling.thresholds)
    return contenders.differences(contrast, resampling)


def attempt_statistics(
    rows: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Statistics]:
    """Yield the shares of attempted answers and of right ones among them, then the F-score.

    `rows` are graded; an answer in which the model declined has the status `declined`.
    """
    declined = (rows["status"] == "declined").to_numpy()
    correct = rows["correct"].to_numpy(float)
    graded = declined | ~np.isnan(correct)
    shares = {
        "attempted_share": np.where(graded, ~declined, np.nan),
        "accuracy_given_attempted": correct,
        "overall_accuracy": np.where(declined, 0, correct),
    }

    def rests_on_graded(values: FloatArray) -> str:
        return describe_left_out(statuses_of_estimate(rows, ~np.isnan(values)))

    unit = unit_indices(rows, units)
    yield estimate.means(condition, shares, unit, len(units), rests_on_graded)
    sums = np.zeros((len(units), 3))
    np.add.at(sums[:, 0], unit, np.nan_to_num(correct))
    np.add.at(sums[:, 1], unit, ~np.isnan(correct))
    np.add.at(sums[:, 2], unit, graded)
    f_score = Estimate(
        condition,
        "f_score",
        int(graded.sum()),
        rests_on_graded(shares["overall_accuracy"]),
        n_asked=len(rows),
        units=distinct(unit[graded]),
    )
    yield Statistics([f_score], metrics.SumStatistic(sums, metrics.f_score_of_sums))


def _report_shape(
    rows: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Statistics]:
    """Yield the shape of the reports on their own scale, including reports out of range."""
    beyond = (rows["status"] == "out_of_range").to_numpy()
    has_report = rows[["raw", "low", "high"]].notna().all(axis=1)
    has_report &= beyond | (rows["status"] == "ok").to_numpy()
    reported, outside = rows[has_report], int((has_report & beyond).sum())
    if not len(reported):
        return
    included = f"{outside} of {len(reported)} reports out of range, included" if outside else ""
    note = join_notes(included, describe_counts(rows, has_report))
    raw, low, high = (reported[name].to_numpy(float) for name in ("raw", "low", "high"))
    values, column = np.unique(raw, return_inverse=True)
    unit = unit_indices(reported, units)
    counts = coo_array((np.ones(len(raw)), (column, unit)), (len(values), len(units))).tocsr()
    functions: dict[str, Callable[[metrics.ValueTables], FloatArray]] = {
        "top1_value": metrics.TABLE_FUNCTIONS["top1_value"],
        "top1_share": metrics.TABLE_FUNCTIONS["top1_share"],
        "top3_share": metrics.TABLE_FUNCTIONS["top3_share"],
        "unique_values": metrics.TABLE_FUNCTIONS["unique_values"],
        "entropy_bits": metrics.TABLE_FUNCTIONS["entropy_bits"],
        "utilization": partial(
            metrics.TABLE_FUNCTIONS["utilization"], low=float(low[0]), high=float(high[0])
        ),
    }
    items = distinct(unit)
    estimates = [
        Estimate(condition, name, len(raw), note, n_asked=len(rows), units=items)
        for name in functions
    ]
    tables = metrics.SumStatistic(counts.T, lambda masses: metrics.ValueTables(values, masses))
    yield estimate.statistics_of_tables(estimates, tables, list(functions.values()))


def _rates(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Statistics:
    """Return the shares of round reports, of reports outside the scale, and of parse failures."""
    raw, low, high = (rows[name].to_numpy(float) for name in ("raw", "low", "high"))
    excess, width = np.maximum(low - raw, raw - high), high - low
    has_report = ~np.isnan(raw + width)
    failed = unread_flags(rows["status"].replace("out_of_range", "ok"))
    is_round = np.isclose(raw, 5 * np.round(raw / 5))
    flags = {
        "round_rate": np.where(has_report & (failed == 0), is_round, np.nan),
        "violation_rate": np.where(has_report, excess * 20 > width, np.nan),
        "clip_rate": np.where(has_report, (excess > 0) & (excess * 20 <= width), np.nan),
        "format_failure_rate": failed,
    }
    unit = unit_indices(rows, units)
    return estimate.means(condition, flags, unit, len(units), estimate.flag_count_note)
