"""FermiEval: from judgments to the study's numbers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.arguments import number
from inspect_confidence.metrics import Statistic
from inspect_confidence.references import bibtex
from inspect_confidence.results import Result, encode_condition, without
from inspect_confidence.studies.compare import differences
from inspect_confidence.studies.estimate import Estimand, estimates
from inspect_confidence.studies.fermi_eval import numbers as estimand
from inspect_confidence.studies.fermi_eval.judgments import SCORERS, read_sample
from inspect_confidence.studies.fermi_eval.numbers import intervals_of
from inspect_confidence.studies.fermi_eval.shown import FIGURES, HEADLINES, detail, interval_tables
from inspect_confidence.studies.fermi_eval.temperatures import decoding_temperatures
from inspect_confidence.studies.intervals import Intervals, plateau
from inspect_confidence.studies.study import Difference, Resampling, Study, TaskTable, View, option

_NAN = float("nan")
# The gap differs by the same as the coverage.
_COMPARED = tuple(m for m in estimand.METRICS_OF_INTERVALS if m != "coverage_gap")


@dataclass(frozen=True)
class FermiOptions:
    """Options of FermiEval.

    Attributes:
        penalty: Lambda of the decoding-temperature rule, where several temperatures were sampled:
            mean interval score + lambda * max(0, nominal - coverage).
    """

    penalty: float = option(10.0, number)


def summarize(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Results of every model, data set, variant and method, all from the same resampled items."""
    # In an order of its own, so that the order of logs and samples changes no number.
    frame = frames["fermi_eval"].sort_values(["item", "level", "epoch", "draw"], kind="stable")
    results: list[Result] = []
    for key, rows in frame.groupby(["model", "dataset", "variant"], sort=False):
        model, dataset, variant = map(str, key)
        results += _estimated(_of_methods(rows, variant), rows, model, dataset, resampling)
    sampled = frame[frame["method"] == "sampling"]
    shared = sampled["variant"].map(lambda variant: without(variant, "temperature"))
    for key, rows in sampled.groupby([sampled["model"], sampled["dataset"], shared], sort=False):
        model, dataset, variant = map(str, key)
        if rows["temperature"].nunique() > 1 and _both(rows):
            found = _of_temperatures(rows, variant, resampling.options(FermiOptions).penalty)
            results += _estimated(found, rows, model, dataset, resampling)
    return results


def _estimated(
    found: Iterator[Estimand], rows: pd.DataFrame, model: str, dataset: str, resampling: Resampling
) -> list[Result]:
    run = Result("fermi_eval", model, dataset, "", "", _NAN, _NAN, _NAN, 0, "")
    return estimates(found, _strata(rows), run, resampling)


def _of_methods(rows: pd.DataFrame, variant: str) -> Iterator[Estimand]:
    """Everything that one model's judgments of one data set give, method by method."""
    units = _units(rows)
    made = {}
    there = set(rows["method"])
    # Ours first and in their order; then methods of the user's own, read as stated intervals.
    for method in [*(name for name in SCORERS if name in there), *sorted(there - set(SCORERS))]:
        raw = rows[rows["method"] == method]
        frame = made[method] = intervals_of(raw, method)
        condition = {"method": method, "variant": variant}
        yield from estimand.stated(frame, raw, units, condition)
        if method in ("logprob", "traces"):
            yield from estimand.tokens(raw, units, condition)
        if method == "traces":
            yield from estimand.traces(raw, units, condition)
        if not _both(raw):
            continue
        train, test = (frame[frame["split"] == split] for split in ("train", "test"))
        tested = raw[raw["split"] == "test"]
        yield from estimand.stated(test, tested, units, {**condition, "split": "test"})
        for level, judged in test.groupby("level"):
            if len(calibration := train[train["level"] == level]):
                yield from estimand.conformal(calibration, judged, units, condition)
        if method in ("logprob", "traces"):
            yield from estimand.scaled(raw, units, condition)
        if method != "direct" and "direct" in made:
            base = made["direct"]
            base = base[base["split"] == "test"]
            yield from estimand.against_direct(test, base, units, condition)


def _of_temperatures(rows: pd.DataFrame, variant: str, penalty: float) -> Iterator[Estimand]:
    frames = {
        float(str(temperature)): intervals_of(drawn, "sampling")
        for temperature, drawn in rows.groupby("temperature")
    }
    condition = {"method": "sampling", "variant": variant}
    yield from decoding_temperatures(frames, _units(rows), condition, penalty)


def compare(a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling) -> list[Difference]:
    """Differences level by level, a row a metric.

    Failure rates rest on the items that both contenders were asked, every other metric on the
    items of which both have a readable interval.
    """
    made = [intervals_of(side, str(side["method"].iloc[0])) for side in (a, b)]
    units = pd.Index(sorted(set(made[0]["item"]) & set(made[1]["item"])))
    statistics: dict[tuple[str, str], Statistic] = {}
    counts: dict[tuple[str, str], int] = {}
    coverages: dict[float, Statistic] = {}
    for level in sorted(set(made[0]["level"]) & set(made[1]["level"])):
        sides = [side[side["level"] == level] for side in made]
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
    if not statistics:
        return []

    nothing = np.zeros((1, len(units)))

    def together(
        first: NDArray[np.float64] | None, second: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        sides = [nothing if side is None else side for side in (first, second)]
        rows = max(map(len, sides))
        weights = np.hstack([np.broadcast_to(side, (rows, len(units))) for side in sides])
        return np.column_stack([statistic(weights) for statistic in statistics.values()])

    rests_on = [counts[name] for name in statistics]
    return differences(together, list(statistics), rests_on, len(units), resampling)


def views(results: pd.DataFrame) -> list[View]:
    """A table a model, data set and variant: levels in rows, methods in columns."""
    return interval_tables(results)


def _units(rows: pd.DataFrame) -> pd.Index:
    """The items, in the weights' order."""
    units: pd.Index = pd.Index(rows["item"].unique())
    return units


def _strata(rows: pd.DataFrame) -> NDArray[np.int64]:
    """The split of each item, so that train and test items are drawn separately."""
    splits = rows.drop_duplicates("item")["split"].to_numpy()
    codes: NDArray[np.int64] = np.unique(splits, return_inverse=True)[1].astype(np.int64)
    return codes if _both(rows) else np.zeros_like(codes)


def _both(rows: pd.DataFrame) -> bool:
    return {"train", "test"} <= set(rows["split"])


def _stacked(sides: list[pd.DataFrame], units: pd.Index) -> tuple[Intervals, int]:
    """Both contenders' judgments of the items in both, over 2n units, and how many items."""
    both = units.intersection(pd.Index(sides[0]["item"].unique()))
    both = both.intersection(pd.Index(sides[1]["item"].unique()))
    one, other = (Intervals.of(side[side["item"].isin(both)], units) for side in sides)
    arrays = ("lower", "upper", "truth", "failed", "epoch")
    stacked = Intervals(
        level=one.level,
        unit=np.concatenate([one.unit, other.unit + len(units)]),
        units=2 * len(units),
        **{name: np.concatenate([getattr(one, name), getattr(other, name)]) for name in arrays},
    )
    return stacked, len(both)


FERMI_EVAL = Study(
    name="fermi_eval",
    title="FermiEval: intervals around order-of-magnitude answers",
    tables=(
        TaskTable(
            task="fermi_eval",
            columns={
                "method": "text",
                "level": "number",
                "levels": "text",
                "lower": "number",
                "upper": "number",
                "reversed": "flag",
                "truth": "number",
                "point": "number",
                "temperature": "number",
                "probabilities": "text",
                "unseen_mass": "number",
                "answer_tokens": "number",
            },
            required=("item", "truth"),
            answers=(("level", "lower", "upper"), ("method", "point"), ("method", "probabilities")),
            arguments_shown=frozenset(
                {"dataset", "items", "split", "levels", "method", "prompt", "system"}
            ),
            compared_within=("method",),
            read=read_sample,
        ),
    ),
    contenders=("method",),
    summarize=summarize,
    compare=compare,
    views=views,
    detail=detail,
    figures=FIGURES,
    headlines=HEADLINES,
    options=FermiOptions,
    reference=bibtex("epstein2025fermieval"),
)
