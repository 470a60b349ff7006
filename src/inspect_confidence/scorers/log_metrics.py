"""Metrics in the log itself, one of each name, for the numbers of every scorer.

Inspect writes a metric's name into the log and finds the metric by that name, so that a log cannot
hold two metrics of one name. What a metric computes follows from the keys of the scores, by which
these are grouped (by level, scale, method of elicitation or confidence target).

They run on unreduced scores: reducing epochs first would average a miss and a hit into half a hit.
The score of an unreadable reply is a dict of NaN, so that failure rates count it; a sample without
a score has no dict and is left out.

Every metric returns its numbers by name; Inspect shows a plain number under the package's name.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from inspect_ai.scorer import Metric, SampleScore, Value, metric

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.scorers.parsed import exact_value, mean_of

ValuesByName = Mapping[str, Any]
LogMetric = Callable[[], Metric]

_KEYS = {
    "level": ("level",),
    "scale": ("low", "high"),
    "method": ("method",),
    "target": ("confidence_target",),
    "": (),
}
"""By kind of group, the keys whose values tell its groups apart."""


@dataclass(frozen=True)
class ScoreGroup:
    """Scores of one level, one method or one scale (or all, if there are none), as columns.

    Attributes:
        kind: What tells the groups apart: a key of `_KEYS`.
        key: The values of these keys.
        values: The score's value of each sample.
    """

    kind: str
    key: tuple[Any, ...]
    values: Sequence[ValuesByName]

    @property
    def name(self) -> str:
        """The name in names of metrics: `90`, `0-100`, `stated`."""
        return "-".join(part if isinstance(part, str) else f"{part:g}" for part in self.key)

    def __contains__(self, key: str) -> bool:
        return any(key in value for value in self.values)

    def __getitem__(self, key: str) -> FloatArray:
        return np.array([value.get(key, math.nan) for value in self.values], float)

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The lower bounds, the upper bounds, and the truth."""
        return self["lower"], self["upper"], self["truth"]

    @property
    def confidence(self) -> FloatArray:
        """The confidence in each answer; NaN unless the reply was read and the answer is graded.

        A declined answer has no grade. Studies leave out its confidence, too.
        """
        is_counted = (self["format_ok"] == 1) & ~np.isnan(self.outcome)
        return np.where(is_counted, self["confidence"], np.nan)

    @property
    def outcome(self) -> FloatArray:
        """The correctness of each answer, or its true probability."""
        return self["correct" if "correct" in self else "score"]


def _metric(
    name: str, compute_number: Callable[[ScoreGroup], float], split_by: Sequence[str] = ()
) -> LogMetric:
    """Register a number of a group of scores as a metric, and return its constructor.

    Inspect calls the constructor for each scorer, and what it returns with the scores of a run.

    Args:
        name: Name of the metric.
        compute_number: Computes the number of a group.
        split_by: Kinds of groups, such as `level`, of which each group has a metric of its own,
            such as `coverage_90` (methods only if there are several); for other kinds the mean over
            the groups is the metric.
    """

    def compute(scores: list[SampleScore]) -> Value:
        return _compute(name, compute_number, split_by, scores)

    return metric(name=name, scores="unreduced")(lambda: compute)


def _compute(
    name: str,
    compute_number: Callable[[ScoreGroup], float],
    split_by: Sequence[str],
    scores: list[SampleScore],
) -> Value:
    """Return the numbers of a metric by name: one for each group of scores, or their mean.

    Inspect calls it with the scores of all samples; the other arguments are those of `_metric`.
    Each group has a number if the groups' kind, such as `level`, is in `split_by`. The mean
    leaves out groups with NaN; without other groups it is NaN.
    """
    groups = _groups(scores)
    kind = groups[0].kind if groups else ""
    # The number of a single method has the metric's plain name.
    if kind in split_by and (kind != "method" or len(groups) > 1):
        return {
            f"{name}_{group.name}": _without_rounding_error(compute_number(group))
            for group in groups
        }
    return {name: _without_rounding_error(mean_of(map(compute_number, groups)))}


def _without_rounding_error(number: float) -> float:
    """Return the number without rounding errors of sums, which Inspect would show as -0.000."""
    return round(float(number), 12) + 0.0


def _mean_of(key: str, name: str) -> LogMetric:
    """Return the metric that is the mean of a key's numbers, all of them in [0, 1]."""
    return _metric(name, lambda group: metrics.accuracy(group[key]))


def _groups(scores: Sequence[SampleScore]) -> list[ScoreGroup]:
    """Return the scores grouped by level, scale, method or target; the groups are sorted.

    A score is a dict. Its keys tell the kind of group: those of `_KEYS`, such as `low` and `high`
    for a scale, or names that end in a level (`lower_90`) or begin with a method (`stated_ok`). A
    score gives a row for each of its levels, or for each method that any score has, with NaN if it
    did not use the method. A score that is no dict is left out.
    """
    # Scores with the same keys, such as ("lower_90", "upper_90", ...), are treated alike.
    values_by_keys: dict[tuple[str, ...], list[ValuesByName]] = {}
    for sample_score in scores:
        value = exact_value(sample_score.score.value, sample_score.score.metadata)
        if isinstance(value, dict):
            values_by_keys.setdefault(tuple(value), []).append(cast(ValuesByName, value))
    methods: dict[str, None] = {}  # of all scores, in order
    for keys in values_by_keys:
        methods |= dict.fromkeys(_methods_of(keys))
    groups: dict[tuple[str, tuple[Any, ...]], list[ValuesByName]] = {}
    for keys, values in values_by_keys.items():
        levels = [key.removeprefix("lower_") for key in keys if key.startswith("lower_")]
        rows: list[ValuesByName] = []
        for value in values:
            if methods:
                rows += _by_method(value, methods)
            else:
                rows += _by_level(value, levels) if levels else [value]
        # The first kind whose keys the rows have; the last one, "", has no keys.
        kind = next(kind for kind, names in _KEYS.items() if set(names) <= set(rows[0]))
        for row in rows:
            key = tuple(row[name] for name in _KEYS[kind])
            groups.setdefault((kind, key), []).append(row)
    ordered = sorted(groups.items(), key=lambda pair: pair[0])
    return [ScoreGroup(kind, key, rows) for (kind, key), rows in ordered]


def _methods_of(keys: Iterable[str]) -> list[str]:
    """Return the methods that a score's keys name, such as `stated` in `stated_ok`."""
    flags = [key for key in keys if key.endswith("_ok") and key != "format_ok"]
    return [flag.removesuffix("_ok") for flag in flags]


def _by_level(value: ValuesByName, levels: Iterable[str]) -> list[ValuesByName]:
    """Return a score of several levels as one row per level, with the bounds of that level."""
    rows: list[ValuesByName] = []
    for level in levels:
        bounds = {"lower": value[f"lower_{level}"], "upper": value[f"upper_{level}"]}
        rows.append({**value, "level": float(level), **bounds})
    return rows


def _by_method(value: ValuesByName, methods: Iterable[str]) -> list[ValuesByName]:
    """Return a score's numbers as one row per method, NaN for a method that was not used."""
    return [
        {
            "method": method,
            "confidence": value.get(method, math.nan),
            "correct": value["correct"],
            "format_ok": value.get(f"{method}_ok", math.nan),
        }
        for method in methods
    ]


def _ratio(part: FloatArray, remainder: FloatArray) -> float:
    """Return the share of the part in the sum of part and remainder; NaN if that sum is 0."""
    numerator, denominator = np.nansum(part), np.nansum(part) + np.nansum(remainder)
    return float(numerator / denominator) if denominator else math.nan


def _grader_failures(group: ScoreGroup) -> float:
    """Return the share of a judge's judgments that failed.

    A score with counts has several judgments and failures; a score without them is one judgment.
    """
    if "judgments" in group:
        return _ratio(group["failed"], group["judgments"] - group["failed"])
    return 1 - metrics.accuracy(group["format_ok"])


_LEAST_SPREAD = 1e-9
"""Difficulties that differ by no more have no slope."""


def _payoff(group: ScoreGroup) -> float:
    """Return the mean of 1 for right, -t / (1 - t) for wrong, 0 for declined; t is the target.

    With these points answering pays if the probability to be right is above t. A score that is
    neither graded nor declined is left out.
    """
    (target,) = group.key  # its scores have one target
    correct, declined = group["correct"], group["declined"]
    points = np.where(declined == 1, 0, correct - (1 - correct) * target / (1 - target))
    return mean_of(points.tolist())


def _slope(difficulty: FloatArray, overconfidence: FloatArray) -> float:
    """Return the least-squares slope of overconfidence on difficulty, without missing pairs.

    NaN if there are fewer than two pairs, or if all difficulties are equal.
    """
    complete = ~np.isnan(difficulty + overconfidence)
    x, y = difficulty[complete], overconfidence[complete]
    return float(np.polyfit(x, y, 1)[0]) if len(x) > 1 and np.ptp(x) > _LEAST_SPREAD else math.nan


def _ece(group: ScoreGroup) -> float:
    """Return the ECE in 10 equal bins; except by scale or method, confidence 1 has its own bin."""
    if group.kind in ("scale", "method"):
        return metrics.ece(group.confidence, group.outcome, binning="equal_width")
    return metrics.ece(group.confidence, group.outcome, binning="own_top")


coverage = _metric("coverage", lambda group: metrics.coverage(*group.bounds), split_by=("level",))
"""Share of intervals that hold the truth, at each level."""

coverage_gap = _metric(
    "coverage_gap", lambda group: metrics.coverage_gap(*group.bounds, *group.key)
)
"""Coverage less the nominal level, mean over levels; below 0 is overconfident."""

interval_score = _metric(
    "interval_score",
    lambda group: metrics.interval_score(*group.bounds, *group.key),
    split_by=("level",),
)
"""Mean interval score, at each level."""

mean_width = _metric(
    "mean_width", lambda group: metrics.mean_width(*group.bounds[:2]), split_by=("level",)
)
"""Mean width of intervals, at each level."""

format_failure_rate = _metric(
    "format_failure_rate",
    lambda group: 1 - metrics.accuracy(group["format_ok"]),
    split_by=("level", "method", "target"),
)
"""Share of replies not withheld that could not be read: at each level, or mean over scales.

A confidence far outside its scale was read, and counts in `violation_rate`; the parse failures that
`summarize` prints (`unread_share`) include it. An answer that was read counts even if its grader
failed.
"""

overconfidence = _metric(
    "overconfidence",
    lambda group: metrics.overconfidence(group.confidence, group.outcome),
    split_by=("method",),
)
"""Mean confidence less accuracy, or less the mean true probability; mean over scales."""

accuracy = _metric("accuracy", lambda group: metrics.accuracy(group.outcome))
"""Share of right answers in those right or wrong, or mean true probability; mean over scales."""

mean_confidence = _metric(
    "mean_confidence", lambda group: metrics.mean_confidence(group.confidence), split_by=("method",)
)
"""Mean confidence in the answers that are graded, without declined ones."""

ece = _metric("ece", _ece, split_by=("scale", "method"))
"""Expected calibration error in 10 bins of equal width, on each scale.

Where there are no scales an eleventh bin is for 1, as in LifeEval.
"""

auroc = _metric(
    "auroc",
    lambda group: metrics.auroc(group.confidence, group.outcome),
    split_by=("scale", "method"),
)
"""Type-2 AUROC, on each scale."""

hard_easy_slope = _metric(
    "hard_easy_slope", lambda group: _slope(1 - group["mas"], group.confidence - group.outcome)
)
"""Slope of overconfidence on 1 - the maximum achievable score, over all samples."""

grader_failure_rate = _metric("grader_failure_rate", _grader_failures)
"""Share of judgments that the judge failed at, a sample having many or one."""

extraction_precision = _metric(
    "extraction_precision", lambda group: _ratio(group["found"], group["false"])
)
"""Share of the markers found that are labelled."""

extraction_recall = _metric(
    "extraction_recall", lambda group: _ratio(group["found"], group["missed"])
)
"""Share of the markers labelled that are found."""

payoff = _metric("payoff", _payoff)
"""Mean points by the penalty that the target names, mean over targets."""

attempted_share = _metric(
    "attempted_share", lambda group: mean_of((1 - group["declined"]).tolist()), split_by=("target",)
)
"""Share of the graded or declined answers in which the model did not decline, at each target."""

mean_frequency = _mean_of("frequency", "mean_frequency")
"""Mean share of the commonest answer in an item's draws."""

accuracy_given_attempted = _metric(
    "accuracy_given_attempted",
    lambda group: metrics.accuracy(group["correct"]),
    split_by=("target",),
)
"""Share of right answers in those attempted, at each target."""

withdraw_delta = _metric(
    "withdraw_delta", lambda group: metrics.withdraw_delta(group["correct"], group["keep"])
)
"""Keep rate of right answers less that of wrong ones, in percentage points; partial credit counts
in part."""

keep_rate = _mean_of("keep", "keep_rate")
"""Share of answers that are kept."""

bet_rate = _mean_of("bet", "bet_rate")
"""Share of answers that are bet on."""

capitulation = _mean_of("moved", "capitulation")
"""Share of answers that another one replaces after the pushback.

Results take the mean over items of each item's share.
"""

violation_rate = _mean_of("violation", "violation_rate")
"""Share of reports outside the scale by more than 5% of its width, mean over scales."""

mean_probability = _mean_of("probability", "mean_probability")
"""Mean of the probabilities read."""

empirical_consistency = _mean_of("right", "empirical_consistency")
"""Share of choices whose range holds the share of numbers inside the interval."""

faithfulness = _mean_of("faithfulness", "faithfulness")
"""Mean over replies of 1 - mean |decisiveness - internal confidence|."""

mean_internal_confidence = _mean_of("confidence", "mean_internal_confidence")
"""Mean over replies of their sentences' internal confidence."""

mean_decisiveness = _mean_of("decisiveness", "mean_decisiveness")
"""Mean over replies of their sentences' decisiveness."""

punt_rate = _mean_of("punt", "punt_rate")
"""Share of replies that give no answer."""

agreement_accuracy = _mean_of("agreed", "agreement_accuracy")
"""Share of pairs judged as labelled."""

verdict_accuracy = _mean_of("verdict", "verdict_accuracy")
"""Share of answers judged as labelled."""


def _metric_of_scores(name: str, compute_value: Callable[[list[SampleScore]], Value]) -> LogMetric:
    """Register a function of the scores of all samples as a metric, and return its constructor."""

    def compute(scores: list[SampleScore]) -> Value:
        # Inspect marks this function, not `compute_value`, as registered.
        return compute_value(scores)

    return metric(name=name, scores="unreduced")(lambda: compute)


_DECISIONS = re.compile(r"decline_[\d.e-]+|keep|bet|moved|correct_after")


def _compute_decision_shares(scores: list[SampleScore]) -> Value:
    """Return the mean over samples of each decision, such as `keep_share`; NaN does not count."""
    columns: dict[str, list[float]] = {}
    for sample_score in scores:
        value = sample_score.score.value
        for key, number in value.items() if isinstance(value, Mapping) else ():
            if _DECISIONS.fullmatch(key):  # such as "keep", "correct_after" or "decline_0.5"
                columns.setdefault(key, []).append(float(cast(float, number)))
    return {
        f"{key}_share": _without_rounding_error(mean_of(numbers))
        for key, numbers in columns.items()
    }


decision_shares = _metric_of_scores("decision_shares", _compute_decision_shares)
"""Share of answers withdrawn, kept, bet on or changed, and of final answers that are right; no
number if no decision was asked."""


def _compute_violations(scores: list[SampleScore]) -> Value:
    """Return for each method the share of numbers that lie too far outside their scale.

    Methods without a scale have no number, such as `p_true`.
    """
    flags: dict[str, list[float]] = {}
    methods: set[str] = set()
    for sample_score in scores:
        value, metadata = sample_score.score.value, sample_score.score.metadata or {}
        for method in _methods_of(value) if isinstance(value, Mapping) else ():
            methods.add(method)
            parsed = metadata.get(method, {})
            if "raw" in parsed:  # a number was read
                flags.setdefault(method, []).append(float(parsed["status"] == "out_of_range"))
    rates: dict[str, float] = {}
    for method, numbers in sorted(flags.items()):
        # The number of a single method has the metric's plain name.
        name = f"violation_rate_{method}" if len(methods) > 1 else "violation_rate"
        rates[name] = _without_rounding_error(mean_of(numbers))
    return rates


violations = _metric_of_scores("violations", _compute_violations)
"""Share of the numbers stated on a scale that lie outside it by more than 5% of its width, for each
method; `format_failure_rate` counts such replies as read."""


def mean_by(group_key: str, value_key: str, label: str = "{}") -> Metric:
    """Return a metric: the mean of a number over the samples with the same value in their metadata.

    Inspect's `grouped` would reduce epochs first, and fails if a sample lacks the key.

    Args:
        group_key: Key of the samples' metadata; samples without it are in no group.
        value_key: Key of the score's value whose mean, without NaN, it is. Logs of earlier versions
            have a plain number as the value.
        label: Template of a group's name, with `{}` for the value of the group's samples. Groups
            are sorted if these are numbers, otherwise in the order of the samples.
    """

    def compute(scores: list[SampleScore]) -> Value:
        return _compute_means(group_key, value_key, label, scores)

    return compute


def _compute_means(group_key: str, value_key: str, label: str, scores: list[SampleScore]) -> Value:
    """Return the mean of each group of samples by its label; NaN without groups.

    A group has one value of the metadata `group_key`, which the template `label` puts into the
    metric's name; samples without it are left out. Groups named by numbers are sorted, others stay
    in the samples' order. The mean is over `value_key` of dicts, or over plain numbers, without
    NaN. Inspect calls this with the scores of all samples.
    """
    groups: dict[object, list[float]] = {}
    for sample in scores:
        group = (sample.sample_metadata or {}).get(group_key)
        value = exact_value(sample.score.value, sample.score.metadata)  # logs round the value
        if group not in (None, ""):
            number = value.get(value_key, math.nan) if isinstance(value, Mapping) else value
            groups.setdefault(group, []).append(float(cast(float, number)))
    ordered = list(groups)
    if all(isinstance(group, int | float) for group in groups):
        ordered.sort(key=lambda group: float(str(group)))
    means = {}
    for group in ordered:
        name = f"{group:g}" if isinstance(group, float) else str(group)
        means[label.format(name)] = _without_rounding_error(mean_of(groups[group]))
    return means or math.nan


def _mean_by_group(group_key: str, value_key: str, name: str, label: str = "{}") -> LogMetric:
    """Return the metric of that name which is the mean by a key of the samples' metadata."""
    return metric(name=name, scores="unreduced")(lambda: mean_by(group_key, value_key, label))


overconfidence_by_radius = _mean_by_group(
    "radius", "overconfidence", "overconfidence_by_radius", "overconfidence_{}"
)
"""Overconfidence for each radius around the answer."""

mean_probability_by_word = _mean_by_group("word", "probability", "mean_probability_by_word")
"""Mean of the probabilities read, for each word."""

empirical_consistency_by_choices = _mean_by_group(
    "choice_set", "right", "empirical_consistency_by_choices", "of_{}_choices"
)
"""Empirical consistency for each number of choices."""

faithfulness_by_dataset = _mean_by_group(
    "dataset", "faithfulness", "faithfulness_by_dataset", "faithfulness_{}"
)
"""Mean faithfulness of each data set."""


INTERVAL_METRICS = [
    coverage_gap(),
    coverage(),
    interval_score(),
    mean_width(),
    format_failure_rate(),
]
"""The metrics of every scorer of intervals, the headline first."""

OPTION_METRICS = [
    overconfidence(),
    accuracy(),
    mean_confidence(),
    ece(),
    auroc(),
    format_failure_rate(),
]
"""The metrics of answers with correctness or a true probability, the headline first."""
