"""Metrics in the log itself, one of each name, whichever scorer's numbers they are of.

Inspect writes a metric's name into the log and finds the metric again by it, so that two of one
name can't be told apart there. What they differ in follows from the scores' keys: a score with a
`level` (or `lower_90`, `lower_95`) is of that level (or levels), one with `low` and `high` of that
scale, one with `stated_ok` or the like of those ways of asking, and all others are of one kind.

They run on unreduced scores: reducing epochs first would average a miss and a hit into half a hit.
An unreadable reply keeps its dict with NaN, so that failure rates see it; a sample without a score
has no dict and is left out.

Every metric gives its numbers by name: a plain number Inspect would show under the package's name.
"""

import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from inspect_ai.scorer import Metric, SampleScore, Value, metric

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.scorers.reading import mean_of

Row = Mapping[str, Any]
LogMetric = Callable[[], Metric]

_KEYS = {"level": ("level",), "scale": ("low", "high"), "way": ("way",), "": ()}
"""The keys by whose values scores are told apart."""


@dataclass(frozen=True)
class Rows:
    """Scores as columns: all, or of one level, of one way, or of one scale, which its ends tell."""

    by: str
    which: tuple[Any, ...]
    values: Sequence[Row]

    @property
    def name(self) -> str:
        """As in names of metrics: `90`, `0-100`, `stated`."""
        return "-".join(part if isinstance(part, str) else f"{part:g}" for part in self.which)

    def __contains__(self, key: str) -> bool:
        return any(key in one for one in self.values)

    def __getitem__(self, key: str) -> FloatArray:
        return np.array([one.get(key, math.nan) for one in self.values], float)

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Lower and upper bounds, and the truth."""
        return self["lower"], self["upper"], self["truth"]

    @property
    def confidence(self) -> FloatArray:
        """Of each reply; NaN unless the whole reply could be read."""
        return np.where(self["format_ok"] == 1, self["confidence"], np.nan)

    @property
    def outcome(self) -> FloatArray:
        """Whether each answer is right, or its true probability."""
        return self["correct" if "correct" in self else "score"]


def _metric(name: str, number: Callable[[Rows], float], each: Sequence[str] = ()) -> LogMetric:
    """Registers a number of rows under a name.

    Of `each` level, scale or, where there are several, way it is a metric of its own,
    `coverage_90`; otherwise the mean over all that have a number.
    """

    def compute(scores: list[SampleScore]) -> Value:
        rows = _rows(scores)
        if rows and rows[0].by in each and (rows[0].by != "way" or len(rows) > 1):
            return {f"{name}_{one.name}": _plain(number(one)) for one in rows}
        return {name: _plain(mean_of(number(one) for one in rows))}

    return metric(name=name, scores="unreduced")(lambda: compute)


def _plain(number: float) -> float:
    """The number without the dust of sums, which Inspect would show as -0.000."""
    return round(float(number), 12) + 0.0


def _mean_of(key: str, name: str) -> LogMetric:
    """The metric of that name which is the mean of a key's numbers, all of them in [0, 1]."""
    return _metric(name, lambda rows: metrics.accuracy(rows[key]))


def _rows(scores: Sequence[SampleScore]) -> list[Rows]:
    """Scores by level, scale or way, the least first."""
    forms: dict[tuple[str, ...], list[Row]] = {}
    for one in scores:
        if isinstance(value := one.score.value, dict):
            forms.setdefault(tuple(value), []).append(cast(Row, value))
    ways = dict.fromkeys(way for keys in forms for way in _form(keys).ways)
    groups: dict[tuple[str, tuple[Any, ...]], list[Row]] = {}
    for keys, values in forms.items():
        rows, levels = values, _form(keys).levels
        if ways or levels:
            split = _by_way if ways else _by_level
            rows = [row for value in values for row in split(value, ways or levels)]
        by = _form(tuple(rows[0])).by
        if not _KEYS[by]:
            groups.setdefault((by, ()), []).extend(rows)
            continue
        for row in rows:
            groups.setdefault((by, tuple(row[name] for name in _KEYS[by])), []).append(row)
    return [Rows(*key, rows) for key, rows in sorted(groups.items(), key=lambda one: one[0])]


class _Form(NamedTuple):
    """What the keys of a score say: its levels, its ways of asking, and what tells it apart."""

    levels: tuple[str, ...]
    ways: tuple[str, ...]
    by: str


@functools.lru_cache(maxsize=256)  # scores of a task have the same keys, and metrics run often
def _form(keys: tuple[str, ...]) -> _Form:
    levels = tuple(key.removeprefix("lower_") for key in keys if key.startswith("lower_"))
    ways = [key for key in keys if key.endswith("_ok") and key != "format_ok"]
    by = next(by for by, names in _KEYS.items() if set(names) <= set(keys))
    return _Form(levels, tuple(one.removesuffix("_ok") for one in ways), by)


def _by_level(value: Row, levels: Iterable[str]) -> list[Row]:
    """A score's numbers as one row a level: some samples have one, some all."""
    at = [{key: value[f"{key}_{level}"] for key in ("lower", "upper")} for level in levels]
    return [{**value, "level": float(one), **ends} for one, ends in zip(levels, at, strict=True)]


def _by_way(value: Row, ways: Iterable[str]) -> list[Row]:
    """The numbers of each way of asking as a row, NaN where a sample wasn't asked so."""
    return [
        {
            "way": way,
            "confidence": value.get(way, math.nan),
            "correct": value["correct"],
            "format_ok": value.get(f"{way}_ok", math.nan),
        }
        for way in ways
    ]


def _ratio(part: FloatArray, rest: FloatArray) -> float:
    """The first's share of both together."""
    top, whole = np.nansum(part), np.nansum(part) + np.nansum(rest)
    return float(top / whole) if whole else math.nan


def _grader_failures(rows: Rows) -> float:
    if "judgments" in rows:
        return _ratio(rows["failed"], rows["judgments"] - rows["failed"])
    return 1 - metrics.accuracy(rows["format_ok"])


_EQUAL = 1e-9
"""Difficulties that differ by no more have no slope."""


def _slope(difficulty: FloatArray, overconfidence: FloatArray) -> float:
    """That of `hard_easy_slope`, whose error takes long and isn't in a log."""
    there = ~np.isnan(difficulty + overconfidence)
    x, y = difficulty[there], overconfidence[there]
    return float(np.polyfit(x, y, 1)[0]) if len(x) > 1 and np.ptp(x) > _EQUAL else math.nan


def _ece(rows: Rows) -> float:
    equal = rows.by in ("scale", "way")
    return metrics.ece(rows.confidence, rows.outcome, binning="equal_width" if equal else "own_top")


coverage = _metric("coverage", lambda rows: metrics.coverage(*rows.bounds), each=("level",))
"""Share of intervals that hold the truth, at each level."""

coverage_gap = _metric("coverage_gap", lambda rows: metrics.coverage_gap(*rows.bounds, *rows.which))
"""Coverage less the nominal level, mean over levels; below 0 is overconfident."""

interval_score = _metric(
    "interval_score",
    lambda rows: metrics.interval_score(*rows.bounds, *rows.which),
    each=("level",),
)
"""Mean interval score, at each level."""

mean_width = _metric(
    "mean_width", lambda rows: metrics.mean_width(*rows.bounds[:2]), each=("level",)
)
"""Mean width of intervals, at each level."""

format_failure_rate = _metric(
    "format_failure_rate",
    lambda rows: 1 - metrics.accuracy(rows["format_ok"]),
    each=("level", "way"),
)
"""Share of replies not withheld that could not be read: at each level, or mean over scales."""

overconfidence = _metric(
    "overconfidence",
    lambda rows: metrics.overconfidence(rows.confidence, rows.outcome),
    each=("way",),
)
"""Mean confidence less accuracy, or less the mean true probability; mean over scales."""

accuracy = _metric("accuracy", lambda rows: metrics.accuracy(rows.outcome))
"""Share of right answers in those right or wrong, or mean true probability; mean over scales."""

mean_confidence = _metric(
    "mean_confidence", lambda rows: metrics.mean_confidence(rows.confidence), each=("way",)
)
"""Mean of the confidences stated."""

ece = _metric("ece", _ece, each=("scale", "way"))
"""Expected calibration error in 10 bins of equal width, on each scale.

Where there are no scales an eleventh bin is for 1, as in LifeEval.
"""

auroc = _metric(
    "auroc", lambda rows: metrics.auroc(rows.confidence, rows.outcome), each=("scale", "way")
)
"""Type-2 AUROC, on each scale."""

hard_easy_slope = _metric(
    "hard_easy_slope",
    lambda rows: _slope(1 - rows["mas"], rows.confidence - rows.outcome),
)
"""Slope of overconfidence on 1 - the maximum achievable score, over all samples."""

grader_failure_rate = _metric("grader_failure_rate", _grader_failures)
"""Share of judgments that the judge failed at, a sample having many or one."""

extraction_precision = _metric(
    "extraction_precision", lambda rows: _ratio(rows["found"], rows["false"])
)
"""Share of the markers found that are labelled."""

extraction_recall = _metric("extraction_recall", lambda rows: _ratio(rows["found"], rows["missed"]))
"""Share of the markers labelled that are found."""

violation_rate = _mean_of("violation", "violation_rate")
"""Share of reports outside the scale by more than 5% of its width, mean over scales."""

mean_probability = _mean_of("probability", "mean_probability")
"""Mean of the probabilities read."""

empirical_consistency = _mean_of("right", "empirical_consistency")
"""Share of choices that stand for the share of numbers inside the interval."""

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


def mean_by(key: str, of: str, label: str = "{}") -> Metric:
    """The mean of the samples that have the same value under a key of their metadata.

    Inspect's `grouped` would reduce epochs first, and fails where a sample lacks the key; a metric
    that is declared for a key of the value, as `{"overconfidence": [...]}`, is handed a deep copy
    of every score.

    Args:
        key: Of the samples' metadata; samples without it are in no group.
        of: Of the score's value: whose mean it is. Logs of earlier versions hand over its number.
        label: What a group is called, with `{}` for the value: numbers by size, words as they came.
    """

    def compute(scores: list[SampleScore]) -> Value:
        groups: dict[object, list[float]] = {}
        for one in scores:
            group, value = (one.sample_metadata or {}).get(key), one.score.value
            if group not in (None, ""):
                number = value.get(of, math.nan) if isinstance(value, Mapping) else value
                groups.setdefault(group, []).append(float(cast(float, number)))
        ordered = list(groups)
        if all(isinstance(group, int | float) for group in groups):
            ordered.sort(key=lambda group: float(str(group)))
        names = {one: f"{one:g}" if isinstance(one, float) else str(one) for one in ordered}
        means = {label.format(names[one]): _plain(mean_of(groups[one])) for one in ordered}
        return means or math.nan

    return compute


def _mean_of_each(key: str, of: str, name: str, label: str = "{}") -> LogMetric:
    """The metric of that name which is the mean by a key of the samples' metadata."""
    return metric(name=name, scores="unreduced")(lambda: mean_by(key, of, label))


overconfidence_by_radius = _mean_of_each(
    "radius", "overconfidence", "overconfidence_by_radius", "overconfidence_{}"
)
"""Overconfidence for each radius around the answer."""

mean_probability_by_word = _mean_of_each("word", "probability", "mean_probability_by_word")
"""Mean of the probabilities read, for each word."""

empirical_consistency_by_choices = _mean_of_each(
    "choice_set", "right", "empirical_consistency_by_choices", "of_{}_choices"
)
"""Empirical consistency for each number of choices."""

faithfulness_by_dataset = _mean_of_each(
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
"""The metrics of answers that are right or wrong, or have a true probability, likewise."""
