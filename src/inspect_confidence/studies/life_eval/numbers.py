"""Statistics of judgments of LifeEval and of question sets.

One model's metrics, the hard-easy slope, means over groups of models, and comparisons: of two
contenders, and of stated confidence with that of the answer's token.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence import metrics
from inspect_confidence.arguments import user_path
from inspect_confidence.datasets.records import read_records
from inspect_confidence.errors import InvalidArgument
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
from inspect_confidence.studies.life_eval.columns import STATED, TOKEN
from inspect_confidence.studies.life_eval.judgments import CLUSTERS, age_clusters
from inspect_confidence.studies.notes import (
    describe_counts,
    describe_left_out,
    join_notes,
    unread_flags,
)
from inspect_confidence.studies.study import Difference, Resampling, option


def read_groups(name: str, value: object) -> dict[str, str]:
    """Read the group of each model from a csv or jsonl file with `model` and `group`.

    Raises:
        InvalidArgument: The file cannot be read, or gives a model two groups.
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
            columns `model` and `group`; all models are one group if None.
    """

    groups: Mapping[str, str] | None = option(None, read_groups)


_DECADE_YEARS = 10
_PUBLISHED_BINNING = "10 bins (k/10, (k+1)/10], a confidence of 0 in none of them, as published"


def compared_metrics(convention: str | None) -> list[ConfidenceMetric]:
    """Return the metrics that comparisons have, with the ECE in the bins of the convention.

    ECE is the expected calibration error. With `authors`, bins contain their upper end, as
    published; otherwise they contain their lower end, and a confidence of 1 has a bin of its own.
    """
    if convention == "authors":
        ece = calibration.confidence_metric("ece", note=_PUBLISHED_BINNING, binning="right_closed")
    else:
        ece = calibration.confidence_metric("ece", note=calibration.OWN_TOP, binning="own_top")
    return [ece if metric.metric == "ece" else metric for metric in calibration.COMPARED_METRICS]


def judgment_statistics(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    """Yield means, calibration, sensitivity, rounding and failures of judgments from one source.

    The source of confidence is the statement or the answer's token. `rows` are completed judgments
    of LifeEval (with a column `radius`), whose outcome is the true probability of the answer, or of
    a question set, whose outcome is 0 or 1; `units` are the names of the resampled ages or items.
    `resampling` has the convention and the thresholds.
    """
    answers = answers_of(with_outcomes(rows), units)
    is_life_eval = "radius" in rows
    columns = {"accuracy": answers.correct, "mean_confidence": answers.confidence}
    if is_life_eval:
        mas = rows["mas"].to_numpy(float)
        columns |= {"maximum_achievable_score": mas, "optimal_answer_gap": mas - answers.correct}
    note_of_values = partial(_describe_values, rows)
    yield estimate.means(condition, columns, answers.unit_index, answers.unit_count, note_of_values)
    readable = ~np.isnan(answers.confidence + answers.correct)
    note, compared = describe_counts(rows, readable), compared_metrics(resampling.convention)
    # Type-2 sensitivity: how well high confidence tells right from wrong answers. Confidence in an
    # answer that the question gives is itself the judgment, and has none.
    if not is_life_eval and _has_own_answers(rows):
        for threshold in resampling.thresholds:
            compared += calibration.threshold_metrics(threshold, answers.choices)
    yield calibration.table_statistics(answers, compared, condition, note, resampling)
    if is_life_eval:
        correlation = metrics.correlation_of(
            answers.confidence, answers.correct, answers.unit_index, answers.unit_count
        )
        described = Estimate(
            condition,
            "confidence_truth_correlation",
            n=int(readable.sum()),
            note=note,
            n_asked=len(rows),
            unit_count=answers.readable_units,
        )
        yield Statistics([described], correlation)
    elif (rows["kind"] == "true_false").all() and rows["target"].isin(("True", "False")).all():
        # Type-1 sensitivity: the statement's truth is the stimulus, True or False the response.
        stimulus = np.where(rows["target"] == "True", 0, 1)
        yield calibration.two_choice_sensitivity(answers, stimulus, condition, note)
    yield rounded_share(rows, answers, condition, resampling.convention)
    yield unread_share(rows, answers, condition)
    yield estimate.judgment_count(condition, len(rows), describe_left_out(rows["status"]))


_METRICS_OF_SINGLE_CASES = (
    "hle_calibration_error",
    "corp_uncertainty",
    "brier_skill",
    "log_score",
    "prr",
)

METRICS_OF_CHANCES = tuple(
    metric
    for metric in (*calibration.CALIBRATION_METRICS, *calibration.SELECTION_METRICS)
    if metric.metric not in _METRICS_OF_SINGLE_CASES
)
"""Extra metrics of LifeEval, whose outcomes are probabilities.

They are means of outcomes, or of errors in which the chance of single cases cancels, so that
probabilities stand for outcomes by expectation. Metrics that need the outcome of single cases are
left out: `brier_skill`, `corp_uncertainty`, `log_score`, `prr` and information describe their
chance. The calibration test and noise corrections have no outcomes to draw or to correct. Bins of a
hundred items are of no use where a decade counts as one.
"""


def extra_statistics(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    """Yield the metrics beyond the study's: of chances (LifeEval), or of right and wrong answers.

    A chance is the true probability that an answer is right. Where the question gives the answer
    (`boolq`: is it true?), type-2 metrics are left out, because confidence is itself the judgment.
    """
    answers = answers_of(with_outcomes(rows), units)
    costs = calibration.utility_metrics(resampling.costs)
    note = describe_counts(rows, ~np.isnan(answers.confidence + answers.correct))
    if "radius" in rows:  # LifeEval
        yield calibration.table_statistics(
            answers, [*METRICS_OF_CHANCES, *costs], condition, note, resampling
        )
        return
    extra = [*calibration.CALIBRATION_METRICS, *calibration.SELECTION_METRICS]
    if _has_own_answers(rows):
        extra = list(calibration.EXTRA_METRICS)
    yield calibration.table_statistics(answers, [*extra, *costs], condition, note, resampling)
    yield from calibration.item_statistics(answers, condition, note, resampling)


def answers_of(rows: pd.DataFrame, units: pd.Index) -> Answers:
    """Return judgments whose outcomes are chances of being right.

    LifeEval's are probabilities of a life table; where several options of a question set are
    equally probable, an answer is right with the chance of a draw among them.
    """
    return Answers.from_frame(rows, units, are_chances=True)


def _has_own_answers(rows: pd.DataFrame) -> bool:
    """Return whether answers of question sets are the model's own.

    Confidence in given answers is itself the judgment, so that type-2 metrics are undefined for it.
    """
    return bool((rows["kind"] != "given").all())


def rounded_share(
    rows: pd.DataFrame,
    answers: Answers,
    condition: Condition,
    convention: str | None,
    note: str = "",
) -> Statistics:
    """Return the share of confidences that are multiples of 5%.

    The convention decides which floats count as multiples; the share's note says so, then `note`.
    The interval is Wilson's if each item is a unit of its own; if ages or decades are the units, it
    comes from resamples, and with too few units there is none.
    """
    rounded, rule = _multiples_of_5(100 * answers.confidence, convention)
    full_note = join_notes(rule, note, describe_counts(rows, ~np.isnan(rounded)))
    share = estimate.means(
        condition, {"round_rate": rounded}, answers.unit_index, answers.unit_count, full_note
    )
    if (estimate.unit_names(rows) == rows["item"]).all():
        return share
    # Wilson's method takes the judgments of a unit for those of one item. With enough clusters the
    # reason is empty, and the interval comes from resamples.
    rule_of_clusters = metrics.METRICS["round_rate"].interval.over(CLUSTERS)
    units = share.estimates[0].unit_count or 0
    reason = metrics.too_few(rule_of_clusters, units)
    return change_estimates(share, interval=None, no_interval_reason=reason)


def unread_share(rows: pd.DataFrame, answers: Answers, condition: Condition) -> Statistics:
    """Return the share of unreadable replies, with Wilson's interval over items.

    Other metrics of LifeEval resample ages, because answers at the same or a neighbouring age are
    alike. Whether a reply can be read does not depend on the age, so that items are independent.
    """
    failed = unread_flags(rows["status"])
    columns = {"format_failure_rate": failed}
    share = estimate.means(
        condition, columns, answers.unit_index, answers.unit_count, estimate.flag_count_note
    )
    item, items = pd.factorize(rows["item"])
    interval = estimate.wilson_interval(failed, item.astype(np.int64), len(items))
    return change_estimates(share, interval=interval, unit_count=len(items))


def change_estimates(statistics: Statistics, **changes: Any) -> Statistics:
    """Return the statistics with the fields in `changes` set in all their estimates."""
    estimates = [replace(described, **changes) for described in statistics.estimates]
    return replace(statistics, estimates=estimates)


def _multiples_of_5(percent: FloatArray, convention: str | None) -> tuple[FloatArray, str]:
    """Return which confidences are multiples of 5%, and the rule for the note.

    `percent` are confidences in percent; the flag of a NaN is NaN.
    """
    if convention == "authors":
        rounded, rule = percent % 5 == 0, "floats that 5 divides exactly, as published"
    else:
        rounded = np.isclose(percent, 5 * np.round(percent / 5), rtol=0, atol=1e-6)
        rule = "within 1e-6 of a multiple of 5%"
    return np.where(np.isnan(percent), np.nan, rounded), rule


def decade_means(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Iterator[Statistics]:
    """Yield the mean answer and the mean best answer (ages at death) in each decade of age.

    The best answer is the one that has, by the life table, the greatest probability that the person
    dies within the radius asked around it. Judgments without an age are left out.
    """
    for decade, group in rows.groupby(rows["age"] // _DECADE_YEARS * _DECADE_YEARS, sort=True):
        decade_condition = condition.but(age=f"{int(decade)}-{int(decade) + _DECADE_YEARS - 1}")
        answer = group["answer"].where(group["score"].notna())  # without a score it does not count
        columns = {"mean_answer": answer, "mean_best_answer": group["best_answer"]}
        unit_index = unit_indices(group, units)
        yield estimate.means(
            decade_condition,
            columns,
            unit_index,
            unit_count=len(units),
            note=partial(_describe_values, group),
        )


def _describe_values(rows: pd.DataFrame, values: FloatArray) -> str:
    """Describe the judgments of `rows` whose value is NaN, for `estimate.means`."""
    return describe_counts(rows, ~np.isnan(values))


def with_outcomes(rows: pd.DataFrame) -> pd.DataFrame:
    """Return judgments with the columns that `Answers` takes, the outcome in `correct`.

    The outcome of LifeEval is the true probability of the answer; its questions have no choices.
    The confidence of a reply that could not be read becomes NaN.
    """
    confidence = rows["confidence"].where(rows["status"] == "ok")
    if "radius" not in rows:
        return rows.assign(confidence=confidence)
    return rows.assign(confidence=confidence, correct=rows["score"], choices=np.nan)


def hard_easy_statistics(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Statistics:
    """Return the hard-easy slope: of overconfidence on difficulty, over readable judgments.

    Overconfidence is confidence less the true probability of the answer; difficulty is one minus
    the maximum achievable score (`mas`), the greatest true probability of any answer.
    """
    judgments = with_outcomes(rows)
    excess = judgments["confidence"] - judgments["correct"]
    line = metrics.hard_easy_slope(excess, 1 - rows["mas"])
    present = (excess - rows["mas"]).notna()
    slope_estimate = Estimate(
        condition,
        "hard_easy_slope",
        n=line.judgments,
        note=join_notes(f"intercept {line.intercept:z.4f}", describe_counts(rows, present)),
        n_asked=len(rows),
        unit_count=estimate.unit_names(rows)[present].nunique(),
    )
    unit_index = unit_indices(rows, units)[present]
    statistic = _slope_statistic(judgments[present], unit_index, len(units))
    return Statistics([slope_estimate], statistic)


EVERY_MODEL = "all models"
"""The group of all models, if no groups are given."""


def groups_of(models: Sequence[str], resampling: Resampling) -> dict[str, list[str]]:
    """Return the models of each group of the study's options; all are one group if there are none.

    Without groups and with a single model there is no group.

    Raises:
        InvalidArgument: A model has no group.
    """
    group_by_model = resampling.options(LifeOptions).groups
    if group_by_model is None:
        return {EVERY_MODEL: list(models)} if len(models) > 1 else {}
    groups: dict[str, list[str]] = {}
    for model in models:
        if model not in group_by_model:
            raise InvalidArgument(
                f"groups: there is no group for {model}; add a line for it, or leave its logs out."
            )
        groups.setdefault(group_by_model[model], []).append(model)
    return groups


_WITHOUT_MEAN = ("n", "mean_answer", "mean_best_answer")
"""Metrics of which a mean over models has no meaning."""


def group_results(
    rows: pd.DataFrame,
    by_model: Mapping[str, ResampledEstimates],
    key: Key,
    resampling: Resampling,
) -> Iterator[Result]:
    """Yield the unweighted mean over each group of models of the estimates that all of them have.

    Counts and answers in years have no mean (`_WITHOUT_MEAN`). `rows` are the judgments of all
    models, `by_model` their estimates; `key` has the task and data set.
    """
    for group, models in groups_of(list(by_model), resampling).items():
        members = {model: by_model[model] for model in models}
        mean = estimate.average_estimates(members, _WITHOUT_MEAN, independent=False)
        shared = _shared_items(rows, models)
        estimates = [
            replace(described, note=join_notes(described.note, shared))
            for described in mean.estimates
        ]
        group_key = replace(key, model=f"mean of {group}")
        yield from estimate.results_of(replace(mean, estimates=estimates), group_key)


def _shared_items(rows: pd.DataFrame, models: Sequence[str]) -> str:
    """Return a note on the number of items that all models have; empty if all items are shared."""
    items = [set(rows.loc[rows["model"] == model, "item"]) for model in models]
    union, common = set.union(*items), set.intersection(*items)
    if len(common) == len(union):
        return ""
    if not common:
        return f"models have none of {len(union)} items in common"
    return f"all models have {len(common)} of {len(union)} items in common"


def compare_contenders(
    a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling
) -> list[Difference]:
    """Return the differences of two models or variants (`a` less `b`) on their common items.

    Both frames are completed judgments. LifeEval, whose judgments have a `radius`, has differences
    over all radii, at each radius, and of the hard-easy slope. Question sets have differences at
    thresholds of high confidence, too, unless the question gives the answer (`kind` is `given`) and
    confidence is itself the judgment.
    """
    sides = [with_outcomes(a), with_outcomes(b)]
    if "radius" not in a:
        thresholds = () if (a["kind"] == "given").any() else resampling.thresholds
        return compare.differences(_contrast(sides, resampling, thresholds), resampling)
    differences = compare.differences(_contrast(sides, resampling), resampling)
    for radius in sorted(set(a["radius"]) & set(b["radius"])):
        at_radius = [side[side["radius"] == radius] for side in sides]
        contrast = _contrast(  # the ages of all radii are resampled, as for a single model
            at_radius, resampling, condition=Condition(radius=radius), design=sides[0]
        )
        differences += compare.differences(contrast, resampling)
    return differences + compare.differences(_slope_contrast(sides), resampling)


def _contrast(
    sides: Sequence[pd.DataFrame],
    resampling: Resampling,
    thresholds: Sequence[float] = (),
    condition: Condition = Condition(),  # noqa: B008 # it is frozen
    design: pd.DataFrame | None = None,
) -> Contrast:
    """Return the statistics of two models or variants on the judgments that both gave readably.

    Judgments are paired by item and, if the question gives an answer, by that answer.

    Args:
        sides: Judgments of both models or variants.
        resampling: Settings of the resampling, and the metrics to compare.
        thresholds: Thresholds of high confidence, for type-2 sensitivity.
        condition: Condition of all differences.
        design: Judgments whose items or ages are the resampled units; None for those of `sides`.
            With judgments of all radii, differences at one radius have the same units as all.
    """
    keys, readable = [], []
    for side in sides:  # without a column `given`, the item alone pairs judgments
        given_answer = side.get("given", side["item"])
        keys.append(pd.MultiIndex.from_arrays([side["item"], given_answer]))
        readable.append((side["confidence"] + side["correct"]).notna().to_numpy())
    shared = keys[0][readable[0]].intersection(keys[1][readable[1]])
    first = sides[0][keys[0].isin(shared) & readable[0]]
    design = first if design is None else design
    return compare.confidence_contrast(
        first,
        sides[1][keys[1].isin(shared) & readable[1]],
        thresholds,
        compared=compared_metrics(resampling.convention),
        condition=condition,
        clusters=age_clusters(design) if "radius" in first else None,
        units=estimate.ordered_units(design),
        are_chances=True,  # true probabilities, or 1/k of k options tied as the answer
        requests=resampling.requests,
    )


def _slope_contrast(sides: Sequence[pd.DataFrame]) -> Contrast:
    """Return the statistics of two models' or variants' hard-easy slopes on their common items.

    A slope is that of overconfidence on difficulty, 1 - the maximum achievable score (`mas`), over
    judgments with confidence, outcome and this maximum; ages are resampled.
    """
    readable = [side.dropna(subset=["confidence", "correct", "mas"]) for side in sides]
    items, common = compare.restrict_to_common_items(readable)
    units = estimate.ordered_units(common[0])
    first, second = (
        _slope_statistic(side, unit_indices(side, units), len(units)) for side in common
    )
    name = (Condition(), "hard_easy_slope")
    return Contrast(
        [name], [len(items)], len(units), first, second, clusters=age_clusters(common[0])
    )


def _slope_statistic(
    rows: pd.DataFrame, unit_index: IntArray, unit_count: int
) -> metrics.Statistic:
    """Return the slope of overconfidence on difficulty as a statistic of unit weights.

    The difficulty x is 1 - the maximum achievable score (`mas`), the overconfidence y is confidence
    less the true probability (`correct`); callers leave out rows in which one of these is NaN. The
    least-squares slope of y on x follows from what each unit adds to the number of judgments and to
    the sums of x, y, xx and xy.
    """
    x = 1 - rows["mas"].to_numpy(float)
    y = (rows["confidence"] - rows["correct"]).to_numpy(float)
    sums = np.zeros((unit_count, 5))
    np.add.at(sums, unit_index, np.column_stack([np.ones_like(x), x, y, x * x, x * y]))
    return metrics.SumStatistic(sums, _slope_of_sums)


def _slope_of_sums(totals: FloatArray) -> FloatArray:
    """Return the least-squares slope of y on x in each resample; NaN if x is constant.

    The columns of `totals` are, for each resample, the number of judgments and the sums of x, y, xx
    and xy; the shape of the slopes is (resamples, 1).
    """
    n, x, y, xx, xy = totals.T
    variation = n * xx - x * x
    # Up to 1e-12 the variation is a rounding error of a constant x.
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = np.where(variation > 1e-12, (n * xy - x * y) / variation, np.nan)
    return np.asarray(slopes[:, None])


def stated_against_token(
    rows: pd.DataFrame, key: Key, condition: Condition, resampling: Resampling
) -> Iterator[Result]:
    """Yield the differences, stated less token confidence, on the items that have both, if any.

    `rows` are completed judgments of one model on a data set; `key` names both.
    """
    sides = [with_outcomes(rows[rows["source"] == source]) for source in (STATED, TOKEN)]
    contrast = _contrast(sides, resampling)
    if not contrast.unit_count:
        return
    # `stream` numbers data sets, to resample them independently; there is one.
    resampled = compare.resample_contrast(contrast, resampling, stream=0)
    for column, (_, metric) in enumerate(resampled.names):
        metric_condition = condition.but(of=metric, versus=TOKEN)
        yield from compare.difference_results(resampled, column, key, metric_condition)
