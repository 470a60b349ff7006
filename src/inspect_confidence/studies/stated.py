"""Judgments of stated confidence made whole, and everything that those of one kind give."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas as pd
from scipy.sparse import coo_array

from inspect_confidence import metrics
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics.arrays import FloatArray, distinct
from inspect_confidence.results import Condition, Result
from inspect_confidence.studies import bins, calibration, estimate
from inspect_confidence.studies import compare as contenders
from inspect_confidence.studies.estimate import Estimate, Statistics, unit_indices
from inspect_confidence.studies.notes import left_out, noted, replied, rests_on
from inspect_confidence.studies.study import Difference, FigureSpec, Resampling


def completed(rows: pd.DataFrame) -> pd.DataFrame:
    """Judgments with what follows from other columns, and `scale`, filled in.

    Where `confidence` is missing it follows from `raw`, `low` and `high`: clipped within 5% of the
    scale's width, `out_of_range` beyond. `correct` follows from `answer` and `target`.

    Raises:
        InvalidArgument: A share lies outside [0, 1], or a scale runs the wrong way.
    """
    remedy = (
        "give a share, or `low`, `high` and `raw` for a report on another scale "
        "(--confidence-scale 0-100)."
    )
    estimate.refuse_outside(rows, ("confidence", "correct"), remedy)
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
    stated = rows["confidence"].to_numpy(float)
    derived = np.isnan(stated) & ~np.isnan(share) & (rows["status"] == "ok").to_numpy()
    rows["confidence"] = np.where(derived & ~violated, share, stated)
    rows.loc[derived & violated, "status"] = "out_of_range"
    rows.loc[derived & (excess > 0) & ~violated, "clipped"] = True
    known = (rows["correct"].isna() & (rows["answer"] != "") & (rows["target"] != "")).to_numpy()
    # A column of numbers with a gap is read as floats, so that 18 may have become 18.0.
    answer, target = (rows[name].str.removesuffix(".0") for name in ("answer", "target"))
    equal = (answer == target).to_numpy(float)
    rows["correct"] = np.where(known, equal, rows["correct"].to_numpy(float))
    (at, lows), (to, highs) = (pd.factorize(ends, use_na_sentinel=False) for ends in (low, high))
    names = [
        "" if np.isnan(one + other) else f"{one:g}-{other:g}" for one in lows for other in highs
    ]
    rows["scale"] = np.array(names, object)[at * len(highs) + to]
    return rows


def flat_scales(rows: pd.DataFrame) -> dict[int, str]:
    """Return the reason, by place, of each judgment whose scale has no width."""
    places_of_flat = np.flatnonzero(rows["low"] == rows["high"])
    return {
        int(place): f"low={rows['low'].iloc[place]:g} is also high; low must be below high"
        for place in places_of_flat
    }


def of_judgments(
    rows: pd.DataFrame,
    units: pd.Index,
    condition: Condition,
    resampling: Resampling,
    remark: str = "",
) -> Iterator[Statistics]:
    """Everything that judgments on one scale, or on none, give.

    `rows` are completed; `resampling` holds thresholds and costs, and `remark` is for every note.
    """
    items = rows["item"].nunique()
    over = f"{items} items" if items < len(rows) else ""
    note = noted(left_out(rows["status"]), over, remark)
    counted = rows.assign(confidence=rows["confidence"].where(rows["status"] == "ok"))
    answers = calibration.Answers.from_frame(counted, units)
    yield from calibration.confidence_statistics(
        *(answers, condition, resampling.thresholds, note, resampling.costs),
        resamples=resampling.resamples,
    )
    if answers.choices == 2 and counted["target"].isin(("A", "B")).all():
        stimulus = np.where(counted["target"] == "B", 1, 0)
        yield calibration.two_choice_sensitivity(answers, stimulus, condition, note)
    yield from _reports(rows, units, condition)
    yield _rates(rows, units, condition)
    yield estimate.judgment_count(condition, len(rows), note)


def detail_of(
    rows: pd.DataFrame, reported: pd.DataFrame, by: Sequence[str], resampling: Resampling
) -> list[Result]:
    """Bins, CORP curve, type-2 rates and utilities of each condition, and its reports' shape.

    `rows` are completed; of these `reported` are the reports, out of range or not.
    """
    # What was reported counts, out of range or not.
    there = reported.assign(status=reported["status"].replace("out_of_range", "ok"))
    return [
        *bins.confidence_bins(rows, by, resampling),
        *bins.corp_rows(rows, by, resampling),
        *bins.type2_rates(rows, by),
        *bins.utility_curve(rows, by, resampling),
        *bins.report_shares(there, by),
    ]


def utility_figure(figure: Callable[..., FigureSpec]) -> FigureSpec:
    """The figure of expected utility of a study; `figure` knows its task and what parts it."""
    return figure(
        plot="utility",
        title="What answering only from a confidence on is worth",
        reads="Mean utility, by the costs that were given, of answering only from a confidence on, "
        "with its 95% interval. Dashed: never answering. Dotted: where calibrated confidence would "
        "have it best. The highest point is the best of these items, and promises too much of "
        "others.",
        metrics=("expected_utility",),
        needs=2,
    )


def compare(a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling) -> list[Difference]:
    """Differences of two contenders, a row a metric, on the items that both answered readably.

    Judgments are completed.
    """
    contrast = contenders.confidence_contrast(a, b, resampling.thresholds)
    return contenders.differences(contrast, resampling)


def _reports(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Iterator[Statistics]:
    """The shape of the reports on their own scale, out of range or not; nothing without any."""
    beyond = (rows["status"] == "out_of_range").to_numpy()
    there = rows[["raw", "low", "high"]].notna().all(axis=1)
    there &= beyond | (rows["status"] == "ok").to_numpy()
    reported, outside = rows[there], int((there & beyond).sum())
    if not len(reported):
        return
    included = f"{outside} of {len(reported)} reports out of range, included" if outside else ""
    note = noted(included, rests_on(rows, there))
    raw, low, high = (reported[name].to_numpy(float) for name in ("raw", "low", "high"))
    values, column = np.unique(raw, return_inverse=True)
    unit = unit_indices(reported, units)
    used = coo_array((np.ones(len(raw)), (column, unit)), (len(values), len(units))).tocsr()
    shape: dict[str, Callable[[metrics.ValueTables], FloatArray]] = {
        "top1_value": metrics.TABLE_FUNCTIONS["top1_value"],
        "top1_share": metrics.TABLE_FUNCTIONS["top1_share"],
        "top3_share": metrics.TABLE_FUNCTIONS["top3_share"],
        "unique_values": metrics.TABLE_FUNCTIONS["unique_values"],
        "entropy_bits": metrics.TABLE_FUNCTIONS["entropy_bits"],
        "utilization": lambda t: metrics.TABLE_FUNCTIONS["utilization"](
            t, low=float(low[0]), high=float(high[0])
        ),
    }

    items, asked = distinct(unit), len(rows)
    yield estimate.statistics_of_tables(
        [Estimate(condition, name, len(raw), note, n_asked=asked, units=items) for name in shape],
        metrics.OfSums(used.T, lambda masses: metrics.ValueTables(values, masses)),
        list(shape.values()),
    )


def _rates(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Statistics:
    """How often reports are round or leave the scale, and how often a reply can't be read."""
    raw, low, high = (rows[name].to_numpy(float) for name in ("raw", "low", "high"))
    excess, width = np.maximum(low - raw, raw - high), high - low
    whole = ~np.isnan(raw + width)
    unread = ~rows["status"].isin(["ok", "out_of_range"]).to_numpy()
    flags = {
        "round_rate": np.where(whole & ~unread, np.isclose(raw, 5 * np.round(raw / 5)), np.nan),
        "violation_rate": np.where(whole, excess * 20 > width, np.nan),
        "clip_rate": np.where(whole, (excess > 0) & (excess * 20 <= width), np.nan),
        "format_failure_rate": np.where(replied(rows["status"]), unread, np.nan),
    }
    return estimate.means(
        condition, flags, unit_indices(rows, units), len(units), estimate.flag_count
    )
