"""What is estimated from judgments of LifeEval and of question sets."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.answers import REPLY_STATUSES
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics import (
    HardEasySlope,
    auroc,
    brier,
    clustered_wilson_interval,
    correlation_of,
    ece,
    hard_easy_slope,
    means_of,
    meta_information,
    overconfidence,
    percentile_interval,
    slope_interval,
)
from inspect_confidence.results import Result, encode_condition
from inspect_confidence.studies.calibration import (
    Answers,
    Condition,
    Form,
    at_threshold,
    ratios,
    table_family,
    two_choice_sensitivity,
)
from inspect_confidence.studies.compare import (
    PairedStatistic,
    contrast,
    differences,
    permutation_p,
    tested,
)
from inspect_confidence.studies.estimate import Drawn, Family, Number, averaged
from inspect_confidence.studies.intervals import constant, left_out
from inspect_confidence.studies.life_eval.judgments import STATED, TOKEN
from inspect_confidence.studies.study import Difference, Resampling

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_NAN = float("nan")
_DECADE = 10
_ELEVEN = "10 bins of equal width below 1, an eleventh for 1"
_PUBLISHED = "10 bins (k/10, (k+1)/10], a confidence of 0 in none of them, as published"


def forms(convention: str | None) -> list[Form]:
    """The numbers of a count table, ECE as the convention has it."""
    eleven = Form("ece", lambda t: ece.of(t, binning="own_top"), {}, _ELEVEN)
    published = Form("ece", lambda t: ece.of(t, binning="right_closed"), {}, _PUBLISHED)
    return [
        Form("overconfidence", overconfidence.of),
        published if convention == "authors" else eleven,
        Form("brier", brier.of),
        Form("auroc", auroc.of),
        Form("meta_information", meta_information.of),
    ]


def of_ages(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Family]:
    """Everything that judgments of LifeEval give, of one radius or of all.

    Args:
        rows: Judgments with `score` for an outcome.
        units: The items, in the weights' order.
        condition: What the rows have in common.
        resampling: Holds the convention.
    """
    answers = Answers.of(counted(rows), units)
    mas = rows["mas"].to_numpy(float)
    columns = {
        "accuracy": answers.correct,
        "mean_confidence": answers.confidence,
        "maximum_achievable_score": mas,
        "optimal_answer_gap": mas - answers.correct,
    }
    yield _means(columns, rows, answers, condition)
    note = _note(rows, answers.confidence + answers.correct)
    yield table_family(answers, forms(resampling.convention), condition, note)
    both = int((~np.isnan(answers.confidence + answers.correct)).sum())
    yield Family(
        [Number(condition, "confidence_truth_correlation", both, note)],
        correlation_of(answers.confidence, answers.correct, answers.unit, len(units)),
    )
    yield _round(rows, answers, condition, resampling.convention)
    yield _failures(rows, answers, condition)
    yield _count(rows, condition)


def of_options(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Family]:
    """Everything that judgments of a question set give, from one source of confidence.

    Args:
        rows: Judgments, graded.
        units: The items, in the weights' order.
        condition: What the rows have in common.
        resampling: Holds convention and thresholds.
    """
    answers = Answers.of(counted(rows), units)
    columns = {"accuracy": answers.correct, "mean_confidence": answers.confidence}
    yield _means(columns, rows, answers, condition)
    note = _note(rows, answers.confidence + answers.correct)
    wanted = forms(resampling.convention)
    # Of an answer that is given, the confidence is itself the judgment: there is no type 2.
    chosen = (rows["kind"] != "given").all()
    for threshold in resampling.thresholds if chosen else ():
        wanted += [*at_threshold(threshold), *ratios(threshold, answers.choices)]
    yield table_family(answers, wanted, condition, note)
    if (rows["kind"] == "true_false").all() and rows["target"].isin(("True", "False")).all():
        stimulus = np.where(rows["target"] == "True", 0, 1)
        yield two_choice_sensitivity(answers, stimulus, condition, note)
    yield _round(rows, answers, condition, resampling.convention)
    yield _failures(rows, answers, condition)
    yield _count(rows, condition)


def by_decade(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Iterator[Family]:
    """Mean answer and mean best answer in each decade of age: the best-age curve."""
    for decade, some in rows.groupby(decades(rows), sort=True):
        unit = _unit(some, units)
        where = {**condition, "age": f"{int(decade)}-{int(decade) + _DECADE - 1}"}
        answer = some["answer"].where(some["score"].notna())
        values = np.column_stack([answer, some["best_answer"]]).astype(float)
        numbers = [
            Number(where, name, int((~np.isnan(column)).sum()), _note(some, column))
            for name, column in zip(("mean_answer", "mean_best_answer"), values.T, strict=True)
        ]
        yield Family(numbers, means_of(values, unit, len(units)))


def slope_of(rows: pd.DataFrame) -> HardEasySlope:
    """The hard-easy regression over readable judgments, clustered by decade of age and radius."""
    read = counted(rows)
    clusters = list(zip(decades(rows), rows["radius"], strict=True))
    return hard_easy_slope(read["confidence"] - read["correct"], 1 - rows["mas"], clusters)


def decades(rows: pd.DataFrame) -> pd.Series:
    """The first year of each judgment's decade of age."""
    return (rows["age"] // _DECADE * _DECADE).astype(float)


def slope_family(line: HardEasySlope, rows: pd.DataFrame, condition: Condition) -> Family:
    """The slope as a number with its own interval, and what it leaves out."""
    read = counted(rows)
    values = (read["confidence"] - read["correct"] - rows["mas"]).to_numpy(float)
    note = f"{line.clusters} clusters of decade of age and radius; intercept {line.intercept:.4f}"
    number = Number(
        condition,
        "hard_easy_slope",
        line.judgments,
        "; ".join(filter(None, (note, _note(rows, values)))),
        (line.ci_low, line.ci_high),
    )
    return Family([number], constant(line.slope))


def counted(rows: pd.DataFrame) -> pd.DataFrame:
    """Judgments with the columns that `Answers` takes, the outcome in `correct`.

    A confidence counts only where the reply was read.
    """
    confidence = rows["confidence"].where(rows["status"] == "ok")
    if "radius" not in rows:
        return rows.assign(confidence=confidence)
    return rows.assign(confidence=confidence, correct=rows["score"], choices=_NAN)


def _means(
    columns: Mapping[str, FloatArray], rows: pd.DataFrame, answers: Answers, condition: Condition
) -> Family:
    numbers = [
        Number(condition, name, int((~np.isnan(values)).sum()), _note(rows, values))
        for name, values in columns.items()
    ]
    statistic = means_of(np.column_stack(list(columns.values())), answers.unit, answers.units)
    return Family(numbers, statistic)


def _round(
    rows: pd.DataFrame, answers: Answers, condition: Condition, convention: str | None
) -> Family:
    """The share of confidences that are multiples of 5%."""
    percent = 100 * answers.confidence
    if convention == "authors":
        rounded, rule = percent % 5 == 0, "floats that 5 divides exactly, as published"
    else:
        rounded = np.isclose(percent, 5 * np.round(percent / 5), rtol=0, atol=1e-6)
        rule = "within 1e-6 of a multiple of 5%"
    flags = np.where(np.isnan(percent), _NAN, rounded)
    said = "; ".join(filter(None, (rule, _note(rows, percent))))
    number = Number(condition, "round_rate", int((~np.isnan(flags)).sum()), said)
    return Family([number], means_of(flags[:, None], answers.unit, answers.units))


def _failures(rows: pd.DataFrame, answers: Answers, condition: Condition) -> Family:
    """How often a reply can't be read, by its status."""
    status = rows["status"]
    replied = status.isin([*REPLY_STATUSES, "ok"]).to_numpy()
    failed = np.where(replied, (status != "ok").to_numpy(float), _NAN)
    unit = answers.unit[replied]
    interval = clustered_wilson_interval(
        np.bincount(unit, failed[replied], minlength=answers.units),
        np.bincount(unit, minlength=answers.units),
    )
    note = f"{int(np.nansum(failed))} of {replied.sum()}"
    number = Number(condition, "format_failure_rate", int(replied.sum()), note, interval)
    return Family([number], means_of(failed[:, None], answers.unit, answers.units))


def _count(rows: pd.DataFrame, condition: Condition) -> Family:
    number = Number(condition, "n", len(rows), left_out(rows["status"]), (_NAN, _NAN))
    return Family([number], constant(len(rows)))


def _note(rows: pd.DataFrame, values: FloatArray) -> str:
    """How many judgments a number leaves out, by status, and over how many items it is."""
    missing = np.isnan(values)
    status = rows["status"].where(~((rows["status"] == "ok") & missing), "without a value")
    items = rows.loc[~missing, "item"].nunique()
    spread = f"{items} items" if items < (~missing).sum() else ""
    return "; ".join(filter(None, (left_out(status.where(missing, "ok")), spread)))


def _unit(rows: pd.DataFrame, units: pd.Index) -> IntArray:
    return units.get_indexer(pd.Index(rows["item"])).astype(np.int64)


def mean_slope(lines: Sequence[HardEasySlope]) -> tuple[float, float]:
    """Mean and standard error of slopes of models, errors of one cluster being correlated."""
    clusters = dict.fromkeys(name for line in lines for name in line.scores)
    scores = [np.mean([line.scores.get(name, 0.0) for line in lines]) for name in clusters]
    return float(np.mean([line.slope for line in lines])), float(np.linalg.norm(scores))


def compared(a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling) -> list[Difference]:
    """Differences of two contenders' completed judgments on the items that both answered.

    Args:
        a: Of one.
        b: Of the other.
        resampling: Number and seed, convention and thresholds.
    """
    one, other = counted(a), counted(b)
    if "radius" not in a:
        chosen = not (a["kind"] == "given").any()
        return _differences(one, other, resampling, {}, sensitivity=chosen)
    found = _differences(one, other, resampling, {})
    for radius in sorted(set(a["radius"]) & set(b["radius"])):
        first, second = (side[side["radius"] == radius] for side in (one, other))
        found += _differences(first, second, resampling, {"radius": radius})
    return found + _slopes(one, other, resampling)


def _differences(
    one: pd.DataFrame,
    other: pd.DataFrame,
    resampling: Resampling,
    condition: Mapping[str, object],
    *,
    sensitivity: bool = False,
) -> list[Difference]:
    thresholds = resampling.thresholds if sensitivity else ()
    found = contrast(*_common(one, other), thresholds, forms(resampling.convention))
    if not found.items:
        return []
    where = encode_condition(condition)
    names = [(";".join(filter(None, (where, text))), metric) for text, metric in found.names]
    return differences(found.statistic, names, found.items, found.items, resampling)


def _common(one: pd.DataFrame, other: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The judgments of what both answered readably: of the same answers to the same items."""
    keys = [
        pd.MultiIndex.from_arrays([side["item"], side.get("given", side["item"])])
        for side in (one, other)
    ]
    read = [(side["confidence"] + side["correct"]).notna().to_numpy() for side in (one, other)]
    shared = keys[0][read[0]].intersection(keys[1][read[1]])
    return one[keys[0].isin(shared) & read[0]], other[keys[1].isin(shared) & read[1]]


def _slopes(one: pd.DataFrame, other: pd.DataFrame, resampling: Resampling) -> list[Difference]:
    """The difference of hard-easy slopes, clusters being resampled and exchanged."""
    read = [side.dropna(subset=["confidence", "correct", "mas"]) for side in (one, other)]
    common = set(read[0]["item"]) & set(read[1]["item"])
    read = [side[side["item"].isin(common)] for side in read]
    if not common:
        return []
    names = [pd.MultiIndex.from_arrays([decades(side), side["radius"]]) for side in read]
    clusters = names[0].append(names[1]).unique()
    sums = [
        _moments(side, clusters.get_indexer(name), len(clusters))
        for side, name in zip(read, names, strict=True)
    ]
    return differences(
        _slope_statistic(*sums),
        [("", "hard_easy_slope")],
        len(common),
        len(clusters),
        resampling,
    )


def _moments(rows: pd.DataFrame, cluster: NDArray[np.int64], clusters: int) -> FloatArray:
    """By cluster: how many judgments, and sums of x, y, xx and xy."""
    x = 1 - rows["mas"].to_numpy(float)
    y = (rows["confidence"] - rows["correct"]).to_numpy(float)
    sums = np.zeros((clusters, 5))
    np.add.at(sums, cluster, np.column_stack([np.ones_like(x), x, y, x * x, x * y]))
    return sums


def _slope_statistic(first: FloatArray, second: FloatArray) -> PairedStatistic:
    def statistic(one: FloatArray | None, other: FloatArray | None) -> FloatArray:
        parts = [w @ sums for w, sums in ((one, first), (other, second)) if w is not None]
        n, x, y, xx, xy = sum(parts[1:], parts[0]).T
        spread = n * xx - x * x
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.where(spread > 1e-12, (n * xy - x * y) / spread, np.nan)
        return slope[:, None]

    return statistic


def stated_against_token(
    rows: pd.DataFrame, run: Result, condition: Mapping[str, object], resampling: Resampling
) -> list[Result]:
    """What is stated less what the answer's token says, on the items that have both.

    Args:
        rows: One model's judgments, graded.
        run: A row whose task, model and dataset the results take over.
        condition: What the rows have in common.
        resampling: Number and seed, and convention.
    """
    sides = [counted(rows[rows["source"] == source]) for source in (STATED, TOKEN)]
    if not len(sides[1]):
        return []
    one = contrast(*_common(*sides), (), forms(resampling.convention))
    found = tested(one, resampling, 0)
    if found is None:
        return []
    p_values = permutation_p(found.values, found.exchanged)
    results = []
    for k, (_, metric) in enumerate(found.names):
        where = {**condition, "of": metric, "versus": TOKEN}
        low, high = percentile_interval(found.draws[:, k])
        undefined = bool(np.isnan(found.values[k]))
        note = f"on the {found.items} items that have both"
        if undefined:
            low, high, note = _NAN, _NAN, "undefined: either value is undefined"
        row = replace(run, condition=encode_condition(where), n=found.items, note=note)
        values = {"difference": (found.values[k], low, high), "p_value": (p_values[k], _NAN, _NAN)}
        results += [
            replace(row, metric=name, value=float(value), ci_low=low, ci_high=high)
            for name, (value, low, high) in values.items()
        ]
    return results


EVERY_MODEL = "all models"
"""The group of models where none are named."""

_UNAVERAGED = ("n", "mean_answer", "mean_best_answer")


@dataclass(frozen=True)
class Answered:
    """What one model's judgments give.

    Attributes:
        drawn: Its numbers, over the same resamples of the items as other models'.
        line: Its hard-easy regression; None for question sets.
    """

    drawn: Drawn
    line: HardEasySlope | None = None


def groups_of(models: Sequence[str], named: Mapping[str, str] | None) -> dict[str, list[str]]:
    """Models by group; all of them together only where there are several.

    Args:
        models: Those that answered.
        named: The group of each model; all are in one if None.

    Raises:
        InvalidArgument: A model has no group.
    """
    found: dict[str, list[str]] = {}
    for model in models:
        if named is not None and model not in named:
            raise InvalidArgument(
                f"groups: there is no group for {model}; add a line for it, or leave its logs out."
            )
        found.setdefault(named[model] if named else EVERY_MODEL, []).append(model)
    return found if named or len(models) > 1 else {}


def group_mean(answered: Mapping[str, Answered], condition: Mapping[str, object]) -> Drawn:
    """The unweighted mean over models of the numbers that all of them have."""
    drawn = {name: one.drawn for name, one in answered.items()}
    mean = averaged(drawn, _UNAVERAGED, independent=False)
    lines = {name: one.line for name, one in answered.items() if one.line}
    if not lines:
        return mean
    slope, error = mean_slope(list(lines.values()))
    undefined = [name for name, line in lines.items() if np.isnan(line.slope)]
    number = Number(
        condition,
        "hard_easy_slope",
        sum(line.judgments for line in lines.values()),
        f"unweighted mean of {', '.join(lines)}",
        slope_interval(slope, error, min(line.clusters for line in lines.values())),
        why=f"undefined in {', '.join(undefined)}",
    )
    return Drawn(
        [*mean.numbers, number],
        np.append(mean.values, slope),
        np.column_stack([mean.draws, np.full(len(mean.draws), np.nan)]),
    )
