"""What is estimated from judgments of LifeEval and of question sets.

One model's numbers, the hard-easy slope, means over groups of models, and what is compared: two
contenders, and what is stated with what the answer's token says.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence import metrics
from inspect_confidence.arguments import user_path
from inspect_confidence.datasets.records import read_records
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics import HardEasySlope
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies import calibration, compare, estimate
from inspect_confidence.studies.calibration import Answers, ConfidenceMetric
from inspect_confidence.studies.compare import Contrast
from inspect_confidence.studies.estimate import (
    Estimate,
    ResampledEstimates,
    Statistics,
    unit_indices,
)
from inspect_confidence.studies.life_eval.judgments import CLUSTERS, STATED, TOKEN
from inspect_confidence.studies.notes import left_out, noted, replied, rests_on
from inspect_confidence.studies.study import Difference, Resampling, option


def read_groups(name: str, value: object) -> dict[str, str]:
    """The group of each model from a csv or jsonl file with `model` and `group`.

    Raises:
        InvalidArgument: The file can't be used, or gives a model two groups.
    """
    path = user_path(name, value)
    groups: dict[str, str] = {}
    for row in read_records(path, ["model", "group"]):
        model, group = str(row["model"]), str(row["group"])
        if groups.setdefault(model, group) != group:
            raise InvalidArgument(f"{path.name}: {model} is in {groups[model]} and in {group}.")
    return groups


@dataclass(frozen=True)
class LifeOptions:
    """Options of LifeEval and the question sets.

    Attributes:
        groups: The group of each model, for means over models, from a csv or jsonl file with
            `model` and `group`; all are one group if None.
    """

    groups: Mapping[str, str] | None = option(None, read_groups)


_DECADE = 10
_PUBLISHED = "10 bins (k/10, (k+1)/10], a confidence of 0 in none of them, as published"


def forms(convention: str | None) -> list[ConfidenceMetric]:
    """The numbers of a count table, ECE as the convention has it."""
    published = convention == "authors"
    note, binning = (_PUBLISHED, "right_closed") if published else (calibration.OWN_TOP, "own_top")
    ece = calibration.confidence_metric("ece", note=note, binning=binning)
    return [ece if form.metric == "ece" else form for form in calibration.COMPARED_METRICS]


def of_judgments(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    """Everything that judgments give, of LifeEval or of a question set from one source.

    `rows` are completed, of question sets graded; `resampling` holds convention and thresholds.
    """
    yield from _of_asked(rows, _estimated(rows, units, condition, resampling))


def _of_asked(rows: pd.DataFrame, estimands: Iterable[Statistics]) -> Iterator[Statistics]:
    for made in estimands:
        yield replace(made, estimates=[replace(one, n_asked=len(rows)) for one in made.estimates])


_OF_CASES = ("hle_calibration_error", "corp_uncertainty", "brier_skill")

KNOWN = tuple(
    form
    for form in (*calibration.CALIBRATION_METRICS, *calibration.SELECTION_METRICS)
    if form.metric not in _OF_CASES
)
"""The toolbox's numbers of LifeEval, whose outcomes are probabilities.

They are means of outcomes, or of errors in which the chance of single cases cancels: probabilities
stand for outcomes by expectation. Left out is what asks how single cases end, which nobody can
know: `brier_skill` and `corp_uncertainty` are of their chance, so is information about them. The
test, and what takes off noise of outcomes, have none to draw or to take off. Bins of a hundred
items are of no use where a decade counts as one.
"""


def toolbox(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    """The toolbox's numbers of the same judgments that are defined for their outcomes.

    In answers that are given there is no type 2, as confidence is itself the judgment.
    """
    yield from _of_asked(rows, _toolbox(rows, units, condition, resampling))


def _toolbox(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    answers, costs = (
        Answers.from_frame(counted(rows), units),
        calibration.utility_metrics(resampling.costs),
    )
    note = rests_on(rows, ~np.isnan(answers.confidence + answers.correct))
    if "radius" in rows:
        yield calibration.table_statistics(answers, [*KNOWN, *costs], condition, note)
        return
    wanted = [*calibration.CALIBRATION_METRICS, *calibration.SELECTION_METRICS]
    if _chosen(rows):
        wanted = list(calibration.EXTRA_METRICS)
    yield calibration.table_statistics(answers, [*wanted, *costs], condition, note)
    yield calibration.item_statistics(answers, condition, note, resampling.resamples)


def _chosen(rows: pd.DataFrame) -> bool:
    """Whether answers of question sets are the model's own: else there is no type 2."""
    return bool((rows["kind"] != "given").all())


def _estimated(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    answers, lives = Answers.from_frame(counted(rows), units), "radius" in rows
    at = (answers.unit, answers.units)
    columns = {"accuracy": answers.correct, "mean_confidence": answers.confidence}
    if lives:
        mas = rows["mas"].to_numpy(float)
        columns |= {"maximum_achievable_score": mas, "optimal_answer_gap": mas - answers.correct}
    yield estimate.means(condition, columns, *at, _left_out_of(rows))
    both = ~np.isnan(answers.confidence + answers.correct)
    note, wanted = rests_on(rows, both), forms(resampling.convention)
    resting = len(np.unique(answers.unit[both]))
    for threshold in resampling.thresholds if not lives and _chosen(rows) else ():
        wanted += calibration.threshold_metrics(threshold, answers.choices)
    found = calibration.table_statistics(answers, wanted, condition, note)
    yield replace(found, estimates=[replace(one, units=resting) for one in found.estimates])
    if lives:
        together = metrics.correlation_of(answers.confidence, answers.correct, *at)
        metric, n = "confidence_truth_correlation", int(both.sum())
        yield Statistics([Estimate(condition, metric, n, note, units=resting)], together)
    elif (rows["kind"] == "true_false").all() and rows["target"].isin(("True", "False")).all():
        stimulus = np.where(rows["target"] == "True", 0, 1)
        yield calibration.two_choice_sensitivity(answers, stimulus, condition, note)
    yield rounding(rows, answers, condition, resampling.convention)
    yield failures(rows, answers, condition)
    yield estimate.judgment_count(condition, len(rows), left_out(rows["status"]))


def rounding(
    rows: pd.DataFrame,
    answers: Answers,
    condition: Condition,
    convention: str | None,
    note: str = "",
) -> Statistics:
    """The share of confidences that are multiples of 5%."""
    rounded, rule = rounded_by(100 * answers.confidence, convention)
    said = noted(rule, note, rests_on(rows, ~np.isnan(rounded)))
    made = estimate.means(condition, {"round_rate": rounded}, answers.unit, answers.units, said)
    if (estimate.unit_names(rows) == rows["item"]).all():
        return made
    # Wilson's takes a unit for one judgment, or more that are asked again; a decade is many. What
    # is resampled varies within data sets alone.
    unlike = sum(
        estimate.minority_items(rounded[mine], answers.unit[mine])
        for mine in rows.groupby("dataset").indices.values()
    )
    needed = metrics.METRICS["round_rate"].interval.over(CLUSTERS)
    few = metrics.too_few(needed, made.estimates[0].units or 0, unlike)
    return _with_interval(made, interval=None, rarest=unlike, no_interval_reason=few)


def failures(rows: pd.DataFrame, answers: Answers, condition: Condition) -> Statistics:
    """The share of unreadable replies; its own interval is over items also of LifeEval."""
    failed = np.where(replied(rows["status"]), rows["status"] != "ok", np.nan)
    metric, at = "format_failure_rate", (answers.unit, answers.units)
    made = estimate.means(condition, {metric: failed}, *at, estimate.flag_count)
    item, items = pd.factorize(rows["item"])
    own = estimate.wilson(failed, item.astype(np.int64), len(items))
    return _with_interval(made, interval=own, units=len(items), rarest=np.inf)


def _with_interval(made: Statistics, **of: Any) -> Statistics:
    return replace(made, estimates=[replace(made.estimates[0], **of)])


def rounded_by(percent: FloatArray, convention: str | None) -> tuple[FloatArray, str]:
    """Which confidences are multiples of 5%, and by which rule."""
    if convention == "authors":
        rounded, rule = percent % 5 == 0, "floats that 5 divides exactly, as published"
    else:
        rounded = np.isclose(percent, 5 * np.round(percent / 5), rtol=0, atol=1e-6)
        rule = "within 1e-6 of a multiple of 5%"
    return np.where(np.isnan(percent), np.nan, rounded), rule


def by_decade(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Iterator[Statistics]:
    """Mean answer and mean best answer in each decade of age: the best-age curve."""
    for decade, some in rows.groupby(decades(rows), sort=True):
        where = condition.but(age=f"{int(decade)}-{int(decade) + _DECADE - 1}")
        answer = some["answer"].where(some["score"].notna())
        columns = {"mean_answer": answer, "mean_best_answer": some["best_answer"]}
        yield estimate.means(
            where, columns, unit_indices(some, units), len(units), _left_out_of(some)
        )


def _left_out_of(rows: pd.DataFrame) -> Callable[[FloatArray], str]:
    """What values of judgments leave out, for the note of their mean."""
    return lambda values: rests_on(rows, ~np.isnan(values))


def decades(rows: pd.DataFrame) -> pd.Series:
    """The first year of each judgment's decade of age."""
    return (rows["age"] // _DECADE * _DECADE).astype(float)


def counted(rows: pd.DataFrame) -> pd.DataFrame:
    """Judgments with the columns that `Answers` takes, the outcome in `correct`.

    A confidence counts only where the reply was read.
    """
    confidence = rows["confidence"].where(rows["status"] == "ok")
    if "radius" not in rows:
        return rows.assign(confidence=confidence)
    return rows.assign(confidence=confidence, correct=rows["score"], choices=np.nan)


def slope_of(rows: pd.DataFrame) -> HardEasySlope:
    """The hard-easy regression over readable judgments, clustered by decade of age and radius."""
    read = counted(rows)
    excess, units = read["confidence"] - read["correct"], list(rows["unit"])
    return metrics.hard_easy_slope(excess, 1 - rows["mas"], units)


def slope(line: HardEasySlope, rows: pd.DataFrame, condition: Condition) -> Statistics:
    """The slope as a number with its own interval, and what it leaves out."""
    read = counted(rows)
    there = (read["confidence"] - read["correct"] - rows["mas"]).notna()
    note = f"{line.clusters} {CLUSTERS.units}; intercept {line.intercept:.4f}"
    number = Estimate(
        condition,
        "hard_easy_slope",
        line.judgments,
        noted(note, rests_on(rows, there)),
        metrics.slope_interval(line.slope, line.standard_error, line.clusters),
        n_asked=len(rows),
        units=line.clusters,
    )
    return Statistics([number], estimate.constant(line.slope))


EVERY_MODEL = "all models"
"""The group of models where none are named."""


def groups_of(models: Sequence[str], named: Mapping[str, str] | None) -> dict[str, list[str]]:
    """Models by the group that is named for each; all together where none is, if there are several.

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


_ALONE = ("n", "mean_answer", "mean_best_answer")
"""What has no mean over models."""


def group_mean(
    drawn: Mapping[str, ResampledEstimates],
    lines: Mapping[Condition, Mapping[str, HardEasySlope]],
    shared: str,
) -> ResampledEstimates:
    """The unweighted mean over models of the numbers that all have.

    Args:
        drawn: The numbers of each model.
        lines: The regressions of each model, by condition.
        shared: Of the items how many all models have, for the notes.
    """
    mean = estimate.average_estimates(drawn, _ALONE, independent=False)
    numbers = [replace(one, note=noted(one.note, shared)) for one in mean.estimates]
    for k, one in enumerate(numbers):
        mine = lines.get(Condition(one.condition), {})
        if one.metric == "hard_easy_slope" and len(mine) == len(drawn):
            fewest = min(line.clusters for line in mine.values())
            interval = metrics.slope_interval(*mean_slope(list(mine.values())), fewest)
            numbers[k] = replace(one, interval=interval)
    return replace(mean, estimates=numbers)


def shared_items(rows: pd.DataFrame, models: Sequence[str]) -> str:
    """How many of the items all of several models have, for a note; empty where it is all."""
    items = [set(rows.loc[rows["model"] == model, "item"]) for model in models]
    every, common = set.union(*items), set.intersection(*items)
    if len(common) == len(every):
        return ""
    if not common:
        return f"models have none of {len(every)} items in common"
    return f"all models have {len(common)} of {len(every)} items in common"


def mean_slope(lines: Sequence[HardEasySlope]) -> tuple[float, float]:
    """Mean and standard error of slopes of models, errors of one cluster being correlated."""
    clusters = dict.fromkeys(name for line in lines for name in line.scores)
    scores = [np.mean([line.scores.get(name, 0.0) for line in lines]) for name in clusters]
    return float(np.mean([line.slope for line in lines])), float(np.linalg.norm(scores))


def compared(a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling) -> list[Difference]:
    """Differences of two contenders' completed judgments on the items that both answered."""
    both = [counted(a), counted(b)]
    if "radius" not in a:
        thresholds = () if (a["kind"] == "given").any() else resampling.thresholds
        return compare.differences(_contrast(both, resampling, thresholds), resampling)
    found = compare.differences(_contrast(both, resampling), resampling)
    for radius in sorted(set(a["radius"]) & set(b["radius"])):
        sides, at = [side[side["radius"] == radius] for side in both], Condition(radius=radius)
        found += compare.differences(_contrast(sides, resampling, condition=at), resampling)
    return found + compare.differences(_slopes(both), resampling)


def _contrast(
    sides: Sequence[pd.DataFrame],
    resampling: Resampling,
    thresholds: Sequence[float] = (),
    condition: Condition = Condition(),  # noqa: B008 # it is frozen
) -> Contrast:
    """The contrast of what both answered readably: of the same answers to the same items."""
    keys = [
        pd.MultiIndex.from_arrays([side["item"], side.get("given", side["item"])]) for side in sides
    ]
    read = [(side["confidence"] + side["correct"]).notna().to_numpy() for side in sides]
    shared = keys[0][read[0]].intersection(keys[1][read[1]])
    first, second = (
        side[key.isin(shared) & there] for side, key, there in zip(sides, keys, read, strict=True)
    )
    return compare.confidence_contrast(
        first,
        second,
        thresholds,
        forms(resampling.convention),
        condition,
        CLUSTERS if "radius" in first else None,
    )


def _slopes(sides: Sequence[pd.DataFrame]) -> Contrast:
    """The contrast of hard-easy slopes, clusters being resampled."""
    common, read = compare.on_common(
        [side.dropna(subset=["confidence", "correct", "mas"]) for side in sides]
    )
    clusters = pd.Index(read[0]["unit"].unique())
    first, second = (_slope(side, unit_indices(side, clusters), len(clusters)) for side in read)
    number = (Condition(), "hard_easy_slope")
    return Contrast([number], [len(common)], len(clusters), first, second, clusters=CLUSTERS)


def _slope(rows: pd.DataFrame, cluster: IntArray, clusters: int) -> metrics.Statistic:
    """The least-squares slope, of shape (resamples, 1)."""
    sums = _moments(rows, cluster, clusters)

    def of(totals: FloatArray) -> FloatArray:
        n, x, y, xx, xy = totals.T
        spread = n * xx - x * x
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.where(spread > 1e-12, (n * xy - x * y) / spread, np.nan)
        return np.asarray(slope[:, None])

    return metrics.SumStatistic(sums, of)


def _moments(rows: pd.DataFrame, cluster: IntArray, clusters: int) -> FloatArray:
    """By cluster: how many judgments, and sums of x, y, xx and xy."""
    x = 1 - rows["mas"].to_numpy(float)
    y = (rows["confidence"] - rows["correct"]).to_numpy(float)
    sums = np.zeros((clusters, 5))
    np.add.at(sums, cluster, np.column_stack([np.ones_like(x), x, y, x * x, x * y]))
    return sums


def stated_against_token(
    rows: pd.DataFrame, key: Key, condition: Condition, resampling: Resampling
) -> Iterator[Result]:
    """What a model states less what its answers' tokens say, on the items that have both."""
    sides = [counted(rows[rows["source"] == source]) for source in (STATED, TOKEN)]
    one = _contrast(sides, resampling)
    if not one.units:
        return
    found = compare.resample_contrast(one, resampling, 0)
    for column, (_, metric) in enumerate(found.names):
        yield from compare.difference_results(
            found, column, key, condition.but(of=metric, versus=TOKEN)
        )
