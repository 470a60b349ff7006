"""FermiEval: from judgments of intervals to the study's numbers."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence._results import Result, decode_condition, encode_condition
from inspect_confidence.metrics import Statistic, clustered_wilson_interval
from inspect_confidence.studies._estimates import Estimand, differences, estimates
from inspect_confidence.studies._intervals import (
    SHARES,
    Intervals,
    conformal_statistics,
    constant,
    left_out,
    plateau,
)
from inspect_confidence.studies._study import (
    Difference,
    Resampling,
    SampleFacts,
    Study,
    TaskTable,
    View,
)
from inspect_confidence.studies._views import interval_table

_NAN = float("nan")
_SPLITS = ("train", "test")
_METRICS = (
    "coverage",
    "coverage_gap",
    "interval_score",
    "mean_width",
    "median_width",
    "miss_below",
    "miss_above",
    "format_failure_rate",
)

_COMPARED = tuple(metric for metric in _METRICS if metric != "coverage_gap")  # same difference


def read_sample(sample: SampleFacts) -> list[dict[str, Any]]:
    """The judgment of a sample: one interval at one level, or why there is none."""
    asked = {name: sample.metadata.get(name) for name in ("item", "split", "method", "level")}
    row = {
        **asked,
        "truth": float(sample.target),
        "lower": _NAN,
        "upper": _NAN,
        "reversed": None,
        "temperature": sample.generation.get("temperature", _NAN),
    }
    score = sample.score("interval")
    if score is None or not isinstance(score.value, Mapping):
        why = score.reason if score else "the log holds no score `interval`; run `inspect score`"
        status, reason = sample.failure or ("scoring_failed", why or "no reason was logged")
        return [{**row, "status": status, "reason": reason}]
    status = score.metadata["status"]
    if status != "ok":
        status, reason = sample.failure or (status, score.metadata["detail"])
        return [{**row, "status": status, "reason": reason}]
    read = {"lower": score.value["lower"], "upper": score.value["upper"]}
    return [{**row, **read, "reversed": bool(score.value["reversed"]), "status": "ok"}]


def summarize(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Results of every model, data set, variant and method apart."""
    results: list[Result] = []
    # In an order of its own, so that the order of logs and samples changes no number.
    frame = frames["fermi_eval"].sort_values(["item", "level", "epoch", "draw"], kind="stable")
    for key, rows in frame.groupby(["model", "dataset", "variant", "method"], sort=False):
        model, dataset, variant, method = map(str, key)
        run = Result("fermi_eval", model, dataset, "", "", _NAN, _NAN, _NAN, 0, "")
        units = pd.Index(rows["item"].unique())
        splits = rows.drop_duplicates("item")["split"].to_numpy()
        strata = (
            np.unique(splits, return_inverse=True)[1] if _both(splits) else np.zeros(len(units))
        )
        found = _estimands(rows, units, {"method": method, "variant": variant})
        results += estimates(found, strata.astype(np.int64), run, resampling)
    return results


def compare(a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling) -> list[Difference]:
    """Differences level by level, a row a metric.

    Failure rates rest on the items that both contenders were asked, every other metric on the
    items of which both have a readable interval.
    """
    statistics: dict[tuple[str, str], Statistic] = {}
    counts: dict[tuple[str, str], int] = {}
    coverages: dict[float, Statistic] = {}
    units = pd.Index(sorted(set(a["item"]) & set(b["item"])))
    for level in sorted(set(a["level"]) & set(b["level"])):
        sides = [side[side["level"] == level] for side in (a, b)]
        asked = _stacked(sides, units)
        read = _stacked([side[side["status"] == "ok"] for side in sides], units)
        condition = encode_condition({"level": level})
        for metric in _COMPARED:
            judged, items = asked if metric == "format_failure_rate" else read
            if items:
                statistics[condition, metric] = judged.statistics()[metric]
                counts[condition, metric] = items
        if read[1]:
            coverages[level] = statistics[condition, "coverage"]
    if len(coverages) > 1:
        statistics["", "coverage_plateau"] = plateau(coverages)
        counts["", "coverage_plateau"] = max(counts.values())
    return differences(statistics, counts, len(units), resampling)


def views(results: pd.DataFrame) -> list[View]:
    """A table a model, data set and variant: levels in rows, before and after conformal."""
    conditions = pd.DataFrame([decode_condition(text) for text in results["condition"]])
    parts = conditions.reindex(columns=["level", "method", "split", "variant"]).fillna("")
    wide = pd.concat([results.reset_index(drop=True), parts], axis=1)
    return [
        interval_table(f"{model} on {dataset}" + (f" ({variant})" if variant else ""), rows)
        for (model, dataset, variant), rows in wide.groupby(
            ["model", "dataset", "variant"], sort=False
        )
    ]


def _both(splits: NDArray[np.object_]) -> bool:
    return set(_SPLITS) <= set(splits)


def _estimands(
    rows: pd.DataFrame, units: pd.Index, condition: Mapping[str, object]
) -> Iterator[Estimand]:
    """Every number of one way of answering: all judgments, then the test split, then conformal."""
    yield from _direct(rows, units, condition)
    if _both(rows["split"].to_numpy()):
        test = rows[rows["split"] == "test"]
        yield from _direct(test, units, {**condition, "split": "test"})
        train = rows[rows["split"] == "train"]
        for level, judged in test.groupby("level"):
            calibration = train[train["level"] == level]
            if len(calibration):
                yield from _conformal(calibration, judged, units, condition)


def _direct(
    rows: pd.DataFrame, units: pd.Index, condition: Mapping[str, object]
) -> Iterator[Estimand]:
    coverages: dict[float, Statistic] = {}
    for level, judged in rows.groupby("level"):
        intervals = Intervals.of(judged, units)
        statistics = intervals.statistics()
        coverages[intervals.level] = statistics["coverage"]
        where = {**condition, "level": level}
        note = _note(judged)
        read = int((judged["status"] == "ok").sum())
        replies = int((~np.isnan(intervals.failed)).sum())
        for metric in _METRICS:
            wilson = None
            if metric in SHARES:
                wilson = clustered_wilson_interval(*intervals.sums(metric))
            elif metric == "coverage_gap":
                low, high = clustered_wilson_interval(*intervals.sums("coverage"))
                wilson = (low - intervals.level / 100, high - intervals.level / 100)
            n = replies if metric == "format_failure_rate" else read
            yield Estimand(where, metric, statistics[metric], n, note, wilson)
        yield Estimand(where, "n", constant(len(judged)), len(judged), note, interval=(_NAN, _NAN))
    read = int((rows["status"] == "ok").sum())
    yield Estimand(
        condition, "coverage_plateau", plateau(coverages), read, left_out(rows["status"])
    )


def _conformal(
    train: pd.DataFrame, test: pd.DataFrame, units: pd.Index, condition: Mapping[str, object]
) -> Iterator[Estimand]:
    calibration, judged = Intervals.of(train, units), Intervals.of(test, units)
    items = len(calibration.one_an_item().unit)
    where = {**condition, "level": judged.level, "method": "conformal", "split": "test"}
    method = condition["method"]
    note = f"{method} adjusted by an offset learned on {items} train items"
    needed = int(np.ceil(judged.level / (100 - judged.level) - 1e-9))
    if items < needed:
        note += f", of which {judged.level:g}% needs {needed}: intervals are infinite"
    note = "; ".join(part for part in (note, _note(test)) if part)
    read = int((test["status"] == "ok").sum())
    for metric, statistic in conformal_statistics(calibration, judged).items():
        yield Estimand(where, metric, statistic, read, note)


def _note(judged: pd.DataFrame) -> str:
    """What a reader must know of the judgments at a level: left out, put right, repeated."""
    turned = int((judged["reversed"] == True).sum())  # noqa: E712 # a column of True, False, None
    items = judged["item"].nunique()
    parts = [
        left_out(judged["status"]),
        f"{turned} reversed intervals put right" if turned else "",
        f"{items} items" if items < len(judged) else "",
    ]
    return "; ".join(part for part in parts if part)


def _stacked(sides: list[pd.DataFrame], units: pd.Index) -> tuple[Intervals, int]:
    """Both contenders' judgments of the items in both, over 2n units, and how many items."""
    both = pd.Index(sides[0]["item"].unique()).intersection(sides[1]["item"].unique())
    one, other = (Intervals.of(side[side["item"].isin(both)], units) for side in sides)
    arrays = ("lower", "upper", "truth", "failed", "epoch")
    stacked = Intervals(
        level=one.level,
        unit=np.concatenate([one.unit, other.unit + len(units)]),
        units=2 * len(units),
        **{name: np.concatenate([getattr(one, name), getattr(other, name)]) for name in arrays},
    )
    return stacked, len(both.intersection(units))


FERMI_EVAL = Study(
    name="fermi_eval",
    title="FermiEval: intervals around order-of-magnitude answers",
    tables=(
        TaskTable(
            task="fermi_eval",
            columns={
                "method": "text",
                "level": "number",
                "lower": "number",
                "upper": "number",
                "reversed": "flag",
                "truth": "number",
                "point": "number",
                "temperature": "number",
                "probabilities": "text",
                "unseen_mass": "number",
            },
            required=("item", "level", "lower", "upper", "truth"),
            arguments_shown=frozenset(
                {"dataset", "items", "split", "levels", "method", "prompt", "system"}
            ),
            read=read_sample,
        ),
    ),
    contenders=("method",),
    summarize=summarize,
    compare=compare,
    views=views,
)
