"""Judgments of stated confidence: derived columns, statistics, rows for figures, comparison."""

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
from inspect_confidence.metrics.arrays import FloatArray, count_flags, round_decimals
from inspect_confidence.printing import counted
from inspect_confidence.results import Condition, Result
from inspect_confidence.studies import bins, calibration, estimate
from inspect_confidence.studies import compare as contenders
from inspect_confidence.studies.columns import REPORTED
from inspect_confidence.studies.estimate import Estimate, Statistics, unit_indices
from inspect_confidence.studies.notes import (
    describe_counts,
    describe_left_out,
    describe_missing,
    describe_partial_grades,
    join_notes,
    judgment_counts,
    unread_flags,
)
from inspect_confidence.studies.study import Difference, Resampling


def complete_judgments(rows: pd.DataFrame) -> pd.DataFrame:
    """Return judgments with a column `scale`, and missing values derived from other columns.

    A missing `confidence` of a judgment that is `ok` follows from `raw`, `low` and `high`. A report
    outside the scale by at most 5% of its width is clipped; one further outside is `out_of_range`.
    A missing `correct` follows from `answer` and `target`, as in `grade_answers`.

    Raises:
        InvalidArgument: A confidence or outcome lies outside [0, 1], or the low end of a scale is
            not below its high end.
    """
    estimate.check_shares(rows, ("confidence", "correct"), f"{REPORTED.remedy}.")
    invalid = rows[rows["low"] >= rows["high"]]
    if len(invalid):
        low, high = invalid[["low", "high"]].iloc[0]
        raise InvalidArgument(f"low={low:g}, high={high:g}: low must be below high.")
    rows = complete_confidence(rows)
    low, high = rows[["low", "high"]].to_numpy(float).T
    return rows.assign(correct=grade_answers(rows), scale=_scale_names(low, high))


def complete_confidence(rows: pd.DataFrame) -> pd.DataFrame:
    """Return judgments with `confidence`, `clipped` and `status` as `raw` and the scale say.

    They are derived for judgments that are `ok` and have no `confidence`. A report (`raw`) outside
    the scale by at most 5% of its width is clipped, which `clipped` says; one further outside is
    `out_of_range`. Without a scale, as for scores of which only the order counts, nothing changes.
    """
    rows = rows.copy()
    low, high, raw = rows[["low", "high", "raw"]].to_numpy(float).T
    width = high - low
    excess = np.maximum(low - raw, raw - high)
    is_outside = excess * 20 > width  # more than 5%
    # One division of whole numbers: equal shares of different scales give the same float. NaN on a
    # scale without a width, or without a scale.
    share = (np.clip(raw, low, high) - low) / np.where(width > 0, width, np.nan)
    confidence = rows["confidence"].to_numpy(float)
    derived = np.isnan(confidence) & ~np.isnan(share) & (rows["status"] == "ok").to_numpy()
    rows["confidence"] = np.where(derived & ~is_outside, share, confidence)
    is_violation = derived & is_outside
    if is_violation.any():
        reasons = []
        for values in zip(raw[is_violation], low[is_violation], high[is_violation], strict=True):
            reasons.append("{:g} is not between {:g} and {:g}".format(*values))
        rows.loc[is_violation, "status"] = "out_of_range"
        rows.loc[is_violation, "reason"] = reasons
    if "clipped" in rows:
        rows.loc[derived, "clipped"] = ((excess > 0) & ~is_outside)[derived]
    return rows


def grade_answers(rows: pd.DataFrame) -> FloatArray:
    """Return the grades of the judgments; a missing grade follows from `answer` and `target`.

    A declined answer (`ANSWER_STATUSES`) has no grade. A missing grade stays missing without an
    answer or a target, if the instrument failed, as a grader (`INSTRUMENT_STATUSES`), or if a
    scorer of the eval should have graded the answer.
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
    """Return why each judgment whose scale has no width can't be used, by its position."""
    reasons = {}
    for position in np.flatnonzero(rows["low"] == rows["high"]).tolist():
        low = rows["low"].iloc[position]
        reasons[position] = f"low={low:g} is also high; low must be below high"
    return reasons


def _scale_names(low: FloatArray, high: FloatArray) -> NDArray[np.object_]:
    """Return the name of each row's scale, such as `0-100`; empty where an end is missing."""
    ends = pd.DataFrame({"low": low, "high": high})
    scale = ends.groupby(["low", "high"], sort=False, dropna=False).ngroup().to_numpy(np.int64)
    names = []
    # Both number scales in the order of their first rows, a missing end counting as a value.
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
    """Yield all statistics of judgments on one scale, or without a scale.

    Args:
        rows: Judgments as `complete_judgments` returns them.
        units: Names of all resampled items, or of their clusters, in the order of their weights.
        condition: Condition of all estimates.
        resampling: Thresholds, costs, number of resamples and requested metrics.
        remark: Remark in the notes.
        may_decline: Whether shares of attempted answers are yielded even if no answer was declined.
        order_only: Whether confidence has no scale, so that metrics of its size are undefined.
    """
    items, counts = rows["item"].nunique(), judgment_counts(rows)
    item_note = counted(items, "item") if items < len(rows) else ""
    note = join_notes(describe_left_out(rows["status"], counts), item_note, remark)
    readable = rows.assign(confidence=rows["confidence"].where(rows["status"] == "ok"))
    answers = calibration.Answers.from_frame(readable, units, order_only=order_only)
    yield from calibration.confidence_statistics(answers, condition, note, resampling)
    # meta-d' needs the right choice, not only whether the answer is right.
    if answers.choices == 2 and readable["target"].isin(("A", "B")).all():
        stimulus = np.where(readable["target"] == "B", 1, 0)
        yield calibration.two_choice_sensitivity(answers, stimulus, condition, note)
    if may_decline or (rows["status"] == "declined").any():
        yield from attempt_statistics(rows, units, condition)
    if not order_only:
        yield from _report_shape(rows, units, condition)
    yield _report_rates(rows, units, condition)
    yield estimate.judgment_count(condition, answers.n_asked, note)


def confidence_detail(
    rows: pd.DataFrame,
    reported: pd.DataFrame,
    condition_columns: Sequence[str],
    resampling: Resampling,
) -> list[Result]:
    """Return the rows that figures of stated confidence draw, for each condition.

    They are accuracy in bins of confidence, its isotonic regression (CORP curve), the shares of
    right and wrong answers above each confidence (type-2 rates), utilities, and the share of each
    report. A report is the confidence on the scale of the question, such as 80 on 0-100. `rows` are
    completed judgments, and `reported` those that have a report, in or out of range. The values of
    `condition_columns` and the variant make the condition.
    """
    return [
        *bins.confidence_bins(rows, condition_columns, resampling),
        *bins.corp_curve_rows(rows, condition_columns, resampling),
        *bins.type2_rates(rows, condition_columns),
        *bins.utility_curve(rows, condition_columns, resampling),
        *bins.report_shares(reported, condition_columns),
    ]


def compare(a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling) -> list[Difference]:
    """Return the differences a - b of stated confidence, a row for each requested metric.

    `a` and `b` are judgments of two contenders, as `complete_judgments` returns them; only items
    that both answered are compared.
    """
    contrast = contenders.confidence_contrast(
        a, b, resampling.thresholds, requests=resampling.requests
    )
    return contenders.differences(contrast, resampling)


def attempt_statistics(
    rows: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Statistics]:
    """Yield the shares of attempted answers, of right ones among them and among all, and F-score.

    The F-score is the harmonic mean of both shares of right answers. `rows` have grades, and the
    status `declined` where the model declined; a judgment with neither does not count. `units` are
    the names of all resampled items or clusters.
    """
    declined = (rows["status"] == "declined").to_numpy()
    correct = rows["correct"].to_numpy(float)
    is_counted = declined | ~np.isnan(correct)
    shares = {
        "attempted_share": np.where(is_counted, ~declined, np.nan),
        "accuracy_given_attempted": correct,
        "overall_accuracy": np.where(declined, 0, correct),
    }
    counts = judgment_counts(rows)

    def note(values: FloatArray) -> str:
        return join_notes(describe_missing(rows, values), describe_partial_grades(values, counts))

    unit_index = unit_indices(rows, units)
    yield estimate.means(condition, shares, unit_index, len(units), note, counts=counts)
    # For each unit: right answers, graded answers, and answers that are graded or declined. A row
    # that stands for several equal judgments counts once here: the weight of its unit is its count.
    sums = np.zeros((len(units), 3))
    np.add.at(sums[:, 0], unit_index, np.nan_to_num(correct))
    np.add.at(sums[:, 1], unit_index, ~np.isnan(correct))
    np.add.at(sums[:, 2], unit_index, is_counted)
    f_score = Estimate(
        condition,
        "f_score",
        note=note(shares["overall_accuracy"]),
        **estimate.estimate_counts(is_counted, unit_index, counts),
    )
    yield Statistics([f_score], metrics.SumStatistic(sums, metrics.f_score_of_sums))


def _report_shape(
    rows: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Statistics]:
    """Yield the metrics of the distribution of reports, including reports out of range.

    These are the most frequent values, the number of different values, entropy, and the used share
    of the scale, which is the same for all rows. Nothing is yielded if no judgment has a report.
    """
    # A report is a number on a scale, also one outside it.
    has_report = rows[["raw", "low", "high"]].notna().all(axis=1)
    has_report &= rows["status"].isin(["ok", "out_of_range"])
    reported = rows[has_report]
    if not len(reported):
        return
    counts = estimate.estimate_counts(
        has_report.to_numpy(), unit_indices(rows, units), judgment_counts(rows)
    )
    is_outside = (reported["status"] == "out_of_range").to_numpy()
    outside = count_flags(is_outside, judgment_counts(reported))
    included = f"{outside} of {counts['n']} reports out of range, included" if outside else ""
    note = join_notes(included, describe_counts(rows, has_report))
    raw, low, high = reported[["raw", "low", "high"]].to_numpy(float).T
    values, column = np.unique(round_decimals(raw), return_inverse=True)
    unit_index = unit_indices(reported, units)
    # Number of judgments by value and unit; weights of units multiply them in each resample.
    cells = coo_array((np.ones(len(raw)), (column, unit_index)), (len(values), len(units))).tocsr()
    tables = metrics.SumStatistic(cells.T, partial(metrics.ValueTables, values))
    names = ("top1_value", "top1_share", "top3_share", "unique_values", "entropy_bits")
    functions: dict[str, Callable[[metrics.ValueTables], FloatArray]] = {
        name: metrics.TABLE_FUNCTIONS[name] for name in names
    }
    functions["utilization"] = partial(  # all rows have the scale of the first
        metrics.TABLE_FUNCTIONS["utilization"], low=float(low[0]), high=float(high[0])
    )
    estimates = [Estimate(condition, name, note=note, **counts) for name in functions]
    yield estimate.statistics_of_tables(estimates, tables, list(functions.values()))


def _report_rates(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Statistics:
    """Return the shares of round, violating and clipped reports, and of parse failures.

    Parse failures are a share of all replies, the others of the reports on a scale. A round report
    is a multiple of 5, of a reply that was read; on a scale of probabilities, at most 1 wide as
    0-1, it is a multiple of 5%. A violating report lies outside the scale by more than 5% of its
    width; its reply counts as read. A clipped report lies outside by at most that.
    """
    raw, low, high = rows[["raw", "low", "high"]].to_numpy(float).T
    excess, width = np.maximum(low - raw, raw - high), high - low
    has_report = ~np.isnan(raw + width)
    failed = unread_flags(rows["status"].replace("out_of_range", "ok"))  # 1, 0, NaN without a reply
    steps = np.where(width > 1, raw, 100 * raw)  # probabilities in percent
    is_round = np.isclose(steps, 5 * np.round(steps / 5))
    flags = {
        "round_rate": np.where(has_report & (failed == 0), is_round, np.nan),
        "violation_rate": np.where(has_report, excess * 20 > width, np.nan),
        "clip_rate": np.where(has_report, (excess > 0) & (excess * 20 <= width), np.nan),
        "format_failure_rate": failed,
    }
    unit_index, counts = unit_indices(rows, units), judgment_counts(rows)
    note = partial(estimate.flag_count_note, counts=counts)
    return estimate.means(condition, flags, unit_index, len(units), note, counts=counts)
