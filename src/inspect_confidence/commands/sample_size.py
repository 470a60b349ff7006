"""Number of items with which a run detects a difference or has a short enough interval."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real

import numpy as np
import pandas as pd
from scipy.special import ndtri

from inspect_confidence.arguments import integer
from inspect_confidence.commands.groups import ConfidenceGroup, confidence_groups
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.judgments.read import JudgmentSource, judgments_of
from inspect_confidence.metrics import METRICS, bootstrap_pair
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.printing import counted
from inspect_confidence.results import Key, Result
from inspect_confidence.studies import Resampling, estimate
from inspect_confidence.studies.calibration import (
    COMPARED_METRICS,
    DETAIL_METRICS,
    EXTRA_METRICS,
    MEAN_METRICS,
    Answers,
    table_statistics,
)
from inspect_confidence.studies.compare import (
    Contrast,
    Pair,
    contrast_of_pairs,
    resample_contrast,
    restrict_to_common_items,
)
from inspect_confidence.studies.notes import join_notes

METRIC_FORMS = {
    form.metric: form
    for form in (*MEAN_METRICS, *COMPARED_METRICS, *DETAIL_METRICS, *EXTRA_METRICS)
    if not form.condition
}
N_SIMULATED_RUNS = 200
"""Number of simulated runs for each number of items tried."""

N_SIZES = 6
"""Number of sizes tried; each follows from the sizes before."""

MIN_ITEMS, MAX_ITEMS = 30, 5_000
"""Range of sizes tried; larger sizes are extrapolated."""

COLUMNS = [
    *("task", "a", "b", "aim", "metric", "size", "power", "items", "to_ask", "pilot_items"),
    *("read", "correlation", "note"),
]


def items_needed(
    pilot: JudgmentSource,
    *,
    detect: str | None = None,
    width: str | None = None,
    contenders: Sequence[str] = (),
    power: float = 0.8,
    resamples: int = 500,
    seed: int = 0,
) -> pd.DataFrame:
    """Estimate how many items a run needs to detect a difference or to narrow an interval.

    Runs of n items are drawn from the pilot's items with replacement, each item with all its
    judgments, and get the interval that `compare` or `summarize` would compute. Items of a declared
    cluster are drawn together.

    For `detect`, the pilot's two models, variants or methods answer the same items, which keeps
    their correlation. The difference is shifted to the requested size, and a run succeeds if
    p < .05. If the pilot has one run only, the second run is simulated as independent of it; that
    needs more items than two runs that agree on which items are hard. For `width`, a run succeeds
    if its interval is at most that wide.

    Six sizes are tried, one after the other, with 200 runs each. Since errors decrease with the
    square root of n, each tried size gives an estimate of the needed one. The next size to try, and
    at last the result, is the geometric mean of the estimates that differ little from the size that
    gave them (the last estimate if none does). Sizes above 5,000 items are extrapolated.

    Args:
        pilot: Judgments, or paths.
        detect: `METRIC=SIZE` of the difference.
        width: `METRIC=SIZE` of the 95% interval, from end to end.
        contenders: Models, variants or methods of the pilot to use, each by its name, its model's
            name or a part of its name; all if empty.
        power: Share of runs that succeed, from 0.5 to below 1.
        resamples: Bootstrap resamples for each interval.
        seed: Seed of the simulated runs.

    Returns:
        A row for each aim, and for `width` for each model, variant and method: the items needed,
        the items to ask given the pilot's share of unreadable replies, and a note.

    Raises:
        InvalidArgument: There is no aim, a metric or size is invalid, or the pilot has no stated
            confidence, too few items, or more than two contenders.
    """
    if not (isinstance(power, Real) and 0.5 <= power < 1):
        raise InvalidArgument(f"--power {power} is not between 0.5 and 1; 80% is 0.8.")
    seed = integer("seed", seed, minimum=0)
    resamples = integer("resamples", resamples, minimum=1)
    difference = _read_aim("detect", detect, power, resamples) if detect else None
    interval = _read_aim("width", width, power, resamples) if width else None
    if not difference and not interval:
        raise InvalidArgument("Give --detect METRIC=SIZE or --width METRIC=SIZE, as ece=0.03.")
    groups = _select_contenders(list(confidence_groups(judgments_of(pilot))), contenders)
    rng = np.random.default_rng(seed)
    lines: list[dict[str, object]] = []
    if difference:
        lines.append(_size_to_detect(difference, groups, rng))
    if interval:
        lines += [_size_for_width(interval, group, rng) for group in groups]
    return pd.DataFrame(lines, columns=COLUMNS)


def _select_contenders(
    groups: Sequence[ConfidenceGroup], contenders: Sequence[str]
) -> list[ConfidenceGroup]:
    """Return the pilot's models, variants or methods that the user named; all without a name.

    A name stands for those with just this name; without any, for those of this model, and else for
    those whose name contains it. A name that stands for none is refused.
    """
    names = [group.name for group in groups]
    selected: set[str] = set()
    for name in contenders:
        of_model = {group.name for group in groups if group.model == name}
        chosen = {name} & set(names) or of_model or {text for text in names if name in text}
        if not chosen:
            raise InvalidArgument(f"--contender {name}: not in the pilot. {nearest(name, names)}")
        selected |= chosen
    return [group for group in groups if not contenders or group.name in selected]


@dataclass(frozen=True)
class _Aim:
    """The aim of a run: to detect a difference of this size, or an interval of this width.

    Attributes:
        metric: Name of the metric.
        size: Size of the difference, or width of the 95% interval.
        power: Share of runs that succeed.
        resamples: Bootstrap resamples for each interval.
    """

    metric: str
    size: float
    power: float
    resamples: int

    def resampling(self, rng: np.random.Generator) -> Resampling:
        """Return resampling settings with a new seed."""
        return Resampling(self.resamples, int(rng.integers(2**31)))


def _read_aim(option: str, text: str, power: float, resamples: int) -> _Aim:
    """Read `METRIC=SIZE`, the value of `--detect` or `--width`; refuse other texts and metrics."""
    metric, equals, size = text.partition("=")
    metric = metric.strip()
    # Metrics of stated confidence that have an interval.
    metrics = [name for name in METRIC_FORMS if METRICS[name].interval.method != "none"]
    if equals and metric not in metrics:
        raise InvalidArgument(
            f"--{option} {text}: there is no such metric. {nearest(metric, metrics)}"
        )
    try:
        value = float(size)
    except ValueError:
        value = np.nan
    if not 0 < value < np.inf:
        raise InvalidArgument(f"--{option} {text} is not of the form METRIC=SIZE, as ece=0.03.")
    low, high = METRICS[metric].low, METRICS[metric].high
    if value >= high - low:
        is_percent = high == 1 and value <= 100
        remedy = f"; {value:g} percentage points are {value / 100:g}" if is_percent else ""
        raise InvalidArgument(
            f"--{option} {text}: {metric} lies in [{low:g}, {high:g}], so that every "
            f"{'difference' if option == 'detect' else 'interval'} is smaller{remedy}."
        )
    return _Aim(metric, value, power, resamples)


@dataclass(frozen=True)
class _Population:
    """The pilot's judgments by unit (an item, or a cluster of items), from which runs are drawn.

    Attributes:
        answers: Judgments in the order of their units.
        starts: Position of each unit's first judgment.
        counts: Number of judgments of each unit.
        items_per_unit: Mean number of items of a unit; 1 without clusters.
    """

    answers: Answers
    starts: IntArray
    counts: IntArray
    items_per_unit: float

    @classmethod
    def from_frame(cls, rows: pd.DataFrame, units: pd.Index) -> "_Population":
        """Return the population of readable judgments, sorted by unit.

        `units` are the names of the items or clusters of items, which runs are drawn from.
        """
        answers = Answers.from_frame(rows, units)
        order = np.argsort(answers.unit_index, kind="stable")
        # The index of units is replaced in each run.
        ordered = replace(
            answers, confidence=answers.confidence[order], correct=answers.correct[order]
        )
        counts = np.bincount(answers.unit_index, minlength=answers.unit_count)
        return cls(
            answers=ordered,
            starts=np.cumsum(counts) - counts,
            counts=counts,
            items_per_unit=rows["item"].nunique() / len(units),
        )

    def draw_units(self, n: int, rng: np.random.Generator) -> IntArray:
        """Return the numbers of units, drawn with replacement, of a run of about n items."""
        return rng.integers(len(self.counts), size=max(round(n / self.items_per_unit), 1))

    def run(self, drawn_units: IntArray) -> Answers:
        """Return the judgments of a run; an item or cluster that is drawn twice is two units of it.

        `drawn_units` are numbers of units of this population, whose judgments are sorted by unit.
        """
        counts = self.counts[drawn_units]
        unit_index = np.repeat(np.arange(len(drawn_units)), counts)
        # A judgment's position is its unit's start plus its place within the unit: 0, 1, ...
        offsets = np.arange(len(unit_index)) - np.repeat(np.cumsum(counts) - counts, counts)
        positions = np.repeat(self.starts[drawn_units], counts) + offsets
        return replace(
            self.answers,
            unit_index=unit_index,
            unit_count=len(drawn_units),
            confidence=self.answers.confidence[positions],
            correct=self.answers.correct[positions],
        )


def _readable_pilot(group: ConfidenceGroup) -> tuple[pd.DataFrame, set[str]]:
    """Return a pilot's readable judgments, and the items that were asked, readable or not.

    Names in `item` and `cluster` begin with the data set, so that data sets can be pooled; an item
    without a declared cluster is its own. `unit`, which was computed from other names, is dropped.
    """
    replies = group.replies()
    prefix = replies.rows["dataset"].astype(str) + "/"
    names = prefix + replies.rows["item"].astype(str)
    clusters = prefix + estimate.cluster_names(replies.rows).astype(str)
    rows = replies.rows.assign(item=names, cluster=clusters).drop(columns="unit", errors="ignore")
    return rows[replies.readable].reset_index(drop=True), set(names)


def _pilot_units(name: str, rows: pd.DataFrame) -> tuple[pd.Index, int, str]:
    """Return the units (items, or clusters of items) of a pilot, its number of items, and a note.

    The note says how many clusters there are, empty without any. Too few items (below 30) or
    clusters are refused.
    """
    units, items = estimate.ordered_units(rows), rows["item"].nunique()
    if items < MIN_ITEMS:
        raise InvalidArgument(
            f"--pilot: {counted(items, 'item')} of {name} with confidence and outcome; {MIN_ITEMS} "
            "are needed."
        )
    if len(units) < estimate.MIN_CLUSTERS:
        raise InvalidArgument(
            f"--pilot: the items of {name} are in {counted(len(units), 'cluster')}; "
            f"{estimate.MIN_CLUSTERS} are needed."
        )
    note = f"{len(units)} clusters of items are drawn" if len(units) < items else ""
    return units, items, note


def _size_for_width(
    aim: _Aim, group: ConfidenceGroup, rng: np.random.Generator
) -> dict[str, object]:
    """Return the row of the table on the items that an interval of the aim's width needs.

    Runs are simulated from a model's pilot; one with too few items or clusters is refused.
    """
    rows, asked_items = _readable_pilot(group)
    units, pilot_items, cluster_note = _pilot_units(group.name, rows)
    population = _Population.from_frame(rows, units)
    # The pilot's own value, on all its units, needs no resamples; one is the fewest.
    pilot = _result_of_metric(aim, population.run(np.arange(len(units))), Resampling(1))
    _refuse_undefined(aim, pilot.value, group.name)
    interval = _SimulatedInterval(aim, population, rng)
    items, note = _search_size(interval.width, interval.target_size, pilot_items)
    return {
        "task": group.task,
        "a": group.name,
        "b": "",
        "aim": "width",
        **_size_cells(aim, items=items, pilot_items=pilot_items, items_asked=len(asked_items)),
        "correlation": np.nan,
        "note": join_notes(cluster_note, note),
    }


@dataclass(frozen=True)
class _SimulatedInterval:
    """95% interval of the aim's metric in simulated runs, drawn from the pilot's `population`."""

    aim: _Aim
    population: _Population
    rng: np.random.Generator

    def width(self, n: int) -> float:
        """Return the width of the interval of a run of about n items; infinite if undefined."""
        # Clusters are drawn whole, so that their items rarely add up to exactly n.
        run = self.population.run(self.population.draw_units(n, self.rng))
        result = _result_of_metric(self.aim, run, self.aim.resampling(self.rng))
        width = result.ci_high - result.ci_low
        return np.inf if np.isnan(width) else width

    def target_size(self, n: int, widths: FloatArray) -> float:
        """Estimate how many items give intervals of the width that is aimed at.

        `widths` are those of runs of n items. The one that counts is exceeded in at most a share
        1 - `power` of runs. Widths are proportional to 1 / sqrt(n).
        """
        width = float(np.quantile(widths, self.aim.power, method="inverted_cdf"))
        # One step multiplies n by at most 16, so that a rough estimate cannot send it too far.
        return n * min((width / self.aim.size) ** 2, 16)


def _refuse_undefined(aim: _Aim, value: float, name: str) -> None:
    """Refuse the pilot of a model or pair, `name`, in which the aim's metric is NaN."""
    if np.isnan(value):
        reason = METRICS[aim.metric].undefined
        raise InvalidArgument(
            f"--pilot: {aim.metric} of {name} is undefined ({reason}), so that its precision in "
            "a larger run is not known; give another pilot or metric."
        )


def _result_of_metric(aim: _Aim, answers: Answers, resampling: Resampling) -> Result:
    """Return the metric with its 95% interval as `summarize` computes it; NaN if undefined."""
    columns = {"accuracy": answers.correct, "mean_confidence": answers.confidence}
    if aim.metric in columns:
        column = {aim.metric: columns[aim.metric]}
        statistics = estimate.means(
            condition={},
            columns=column,
            unit_index=answers.unit_index,
            unit_count=answers.unit_count,
        )
    else:
        metric_form = METRIC_FORMS[aim.metric]  # the metric with its options, such as bins
        statistics = table_statistics(answers, [metric_form], condition={}, note="")
    draws = estimate.resample([statistics], answers.unit_count, resampling)
    # One metric gives one result; its task and model are not needed.
    (result,) = estimate.results_of(draws, Key("", "", ""))
    return result


@dataclass(frozen=True)
class _SimulatedTest:
    """Test of the difference between two simulated runs that differ by the aim's size.

    Attributes:
        aim: The difference that is aimed at.
        first: Population of the first run.
        second: Population of the second run.
        is_paired: Whether both runs answer the same items.
        rng: Generator of the simulated runs.
    """

    aim: _Aim
    first: _Population
    second: _Population
    is_paired: bool
    rng: np.random.Generator

    def contrast(self, units: IntArray, second_units: IntArray) -> Contrast:
        """Return the contrast of two runs: what resamples need to compute a difference of metrics.

        A run has the judgments of the units (items or clusters) drawn from its population, `first`
        or `second`. `units` and `second_units` are their numbers, equally many. The k-th ones of
        both runs are resampled together.
        """
        # Drawn units are numbered anew, as items and as the units that are resampled.
        index = pd.RangeIndex(len(units))
        pair = Pair(index, index, self.first.run(units), self.second.run(second_units))
        return contrast_of_pairs([pair], thresholds=(), compared=[METRIC_FORMS[self.aim.metric]])

    @cached_property
    def pilot(self) -> Contrast:
        """Contrast of the pilot's runs, each with all its units."""
        all_units = np.arange(len(self.first.counts))
        return self.contrast(all_units, all_units)

    @property
    def metric_column(self) -> int:
        """Column of the aim's metric in a contrast: the last one, after the means."""
        return len(self.pilot.names) - 1

    @cached_property
    def pilot_difference(self) -> float:
        """Difference of the metric between the pilot's runs."""
        # The value on all units needs no resamples; one is the fewest that can be computed. Data
        # sets are pooled, so that resamples need no number of a data set (`stream`).
        difference = resample_contrast(self.pilot, Resampling(1), stream=None)
        return float(difference.values[self.metric_column])

    @property
    def shift(self) -> float:
        """By how much simulated differences are moved, to the aim's size and the pilot's sign."""
        size = self.aim.size
        return (size if self.pilot_difference >= 0 else -size) - self.pilot_difference

    def correlation(self) -> float:
        """Return the correlation between the metrics of the pilot's two runs.

        The correlation is over bootstrap resamples that take the same items of both runs, of all
        data sets together (`one_stratum`); NaN if a run has the same value in all resamples.
        """
        one_stratum = np.zeros(self.pilot.unit_count, np.int64)
        first_draws, second_draws = bootstrap_pair(
            self.pilot.first, self.pilot.second, strata=one_stratum
        )
        first, second = first_draws[:, self.metric_column], second_draws[:, self.metric_column]
        if np.ptp(first) == 0 or np.ptp(second) == 0:
            return float("nan")
        return float(np.corrcoef(first, second)[0, 1])

    def detection(self, n: int) -> float:
        """Simulate two runs of about n items; return 1 if their difference has p < 0.05, else 0.

        Both runs have the same items (or clusters) if they are paired, as those of the pilot are.
        """
        units = second_units = self.first.draw_units(n, self.rng)
        if not self.is_paired:
            second_units = self.first.draw_units(n, self.rng)
        contrast = self.contrast(units, second_units)
        # Data sets are pooled, so that resamples need no number of a data set (`stream`).
        difference = resample_contrast(contrast, self.aim.resampling(self.rng), stream=None)
        # The pilot's difference becomes the aim's; the spread of the simulated one stays.
        shifted = replace(
            difference, values=difference.values + self.shift, draws=difference.draws + self.shift
        )
        return float(shifted.test(self.metric_column).p < 0.05)

    def target_size(self, n: int, detections: FloatArray) -> float:
        """Estimate how many items give the power (share of runs that succeed) of the aim.

        `detections` has 1 for each run of n items whose test finds the difference, 0 for others.
        The power of a two-sided z-test is Phi(s sqrt(n) - 1.96) with a constant s, without its far
        tail. Therefore n is proportional to (Phi^-1(power) + 1.96) ** 2.
        """
        # Half a run keeps the power away from 0 and 1, where z is infinite. At most 16 (4 ** 2)
        # times n is tried next; 0.1 keeps the divisor positive if the power is below 2.5%.
        smallest = 0.5 / len(detections)
        alpha_z = -float(ndtri(0.025))
        z = float(ndtri(np.clip(detections.mean(), smallest, 1 - smallest)))
        return n * min((ndtri(self.aim.power) + alpha_z) / max(z + alpha_z, 0.1), 4) ** 2


def _size_to_detect(
    aim: _Aim, groups: list[ConfidenceGroup], rng: np.random.Generator
) -> dict[str, object]:
    """Return the row of the table with the items needed to detect the aim's difference.

    The groups are the pilot's models, variants or methods. More than two of them, or too few items,
    are refused. With one group its run stands for both runs, which are then simulated independently
    of each other.
    """
    names = [group.name for group in groups]
    if len(groups) > 2:
        raise InvalidArgument(
            f"--pilot has {len(groups)} models, variants or methods ({'; '.join(names)}); name "
            "one or two of them by --contender."
        )
    frames, asked_items = zip(*map(_readable_pilot, groups), strict=True)
    is_paired = len(groups) == 2
    first = second = frames[0]
    if is_paired:
        _items, (first, second) = restrict_to_common_items(frames)
    # Runs are drawn from the units of the pilot: items, or clusters of items.
    units, pilot_items, cluster_note = _pilot_units(" and ".join(names), first)
    first_population = _Population.from_frame(first, units)
    second_population = _Population.from_frame(second, units)
    test = _SimulatedTest(aim, first_population, second_population, is_paired, rng)
    _refuse_undefined(aim, test.pilot_difference, " and ".join(names))
    # `test.detection` simulates a run of n items; `test.target_size` estimates the items needed.
    items, note = _search_size(test.detection, test.target_size, pilot_items)
    if is_paired:
        second_name, correlation = names[1], test.correlation()
        pilot_note = f"the pilot's own difference is {test.pilot_difference:.3g}"
    else:
        second_name, correlation = "another run", 0.0
        pilot_note = "one run in the pilot: the other is taken to be independent of it"
    items_asked = len(set.intersection(*asked_items))  # items that only one was asked don't count
    return {
        "task": groups[0].task,
        "a": names[0],
        "b": second_name,
        "aim": "detect",
        **_size_cells(aim, items=items, pilot_items=pilot_items, items_asked=items_asked),
        "correlation": correlation,
        "note": join_notes(pilot_note, cluster_note, note),
    }


def _search_size(
    simulate: Callable[[int], float], target_size: Callable[[int, FloatArray], float], start: int
) -> tuple[int, str]:
    """Return the number of items needed, and a note if it is outside the sizes tried.

    `simulate` returns the outcome (a width, or 1 for a detection) of one simulated run of n items;
    `target_size` estimates the number needed from n and the outcomes of runs of that size. `start`
    items are tried first.
    """
    estimates: list[tuple[int, float]] = []  # size tried, and number of items needed by its runs
    n = start
    for _ in range(N_SIZES):
        n = int(np.clip(n, MIN_ITEMS, MAX_ITEMS))
        outcomes = np.array([simulate(n) for _ in range(N_SIMULATED_RUNS)])
        target = target_size(n, outcomes)
        estimates.append((n, target))
        # The geometric mean of the estimates. Those far from their size are too inaccurate for it;
        # if there are no others, the last one counts alone.
        close_targets = [needed for size, needed in estimates if 0.6 < needed / size < 1 / 0.6]
        n = int(np.ceil(np.exp(np.mean(np.log(close_targets or [target])))))
    if n > MAX_ITEMS:
        return n, f"extrapolated from {MAX_ITEMS:,} items"
    if n < MIN_ITEMS:
        return MIN_ITEMS, f"{MIN_ITEMS} items, the fewest that are tried, are enough"
    return n, ""


def _size_cells(aim: _Aim, *, items: int, pilot_items: int, items_asked: int) -> dict[str, object]:
    """Return the cells on numbers of items in a row of `items_needed`.

    `items` need a readable reply. The pilot asked `items_asked`; `pilot_items` of them have one.
    """
    readable_share = pilot_items / items_asked
    return {
        "metric": aim.metric,
        "size": aim.size,
        "power": aim.power,
        "items": items,
        "to_ask": int(np.ceil(items / readable_share)),
        "pilot_items": pilot_items,
        "read": readable_share,
    }
