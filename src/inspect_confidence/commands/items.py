"""How many items a run needs: for a difference to be found, or an interval to be short enough."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import ndtri

from inspect_confidence.commands.stated import Stated, stated_judgments
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.judgments.read import Source, judgments_of
from inspect_confidence.metrics import METRICS, bootstrap
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.results import Key
from inspect_confidence.studies import Resampling, estimate
from inspect_confidence.studies.calibration import (
    COMPARED_METRICS,
    DETAIL_METRICS,
    EXTRA_METRICS,
    MEAN_METRICS,
    Answers,
    ConfidenceMetric,
    table_statistics,
)
from inspect_confidence.studies.compare import (
    ALPHA_Z,
    Contrast,
    Pair,
    contrast_of_pairs,
    on_common,
    resample_contrast,
)
from inspect_confidence.studies.notes import noted

FORMS = {
    form.metric: form
    for form in (*MEAN_METRICS, *COMPARED_METRICS, *DETAIL_METRICS, *EXTRA_METRICS)
    if not form.condition
}
SIMULATED = 200
"""Runs at each number of items that is tried."""

TRIED = 6
"""Numbers of items tried, each where the ones before point to."""

LEAST, MOST = 30, 5_000
"""Items tried; more than these are extrapolated."""

COLUMNS = [
    *("task", "a", "b", "aim", "metric", "size", "power", "items", "to_ask", "pilot_items"),
    *("read", "correlation", "note"),
]


def items_needed(
    pilot: Source,
    *,
    detect: str | None = None,
    width: str | None = None,
    power: float = 0.8,
    resamples: int = 500,
    seed: int = 0,
) -> pd.DataFrame:
    """How many items a difference of two runs needs, or an interval of some width.

    Runs of n items are drawn from the pilot's items with replacement, an item with all its
    judgments, and each is given the interval that `compare` or `summarize` would give it. For
    `detect` the pilot's two models, variants or ways answer the same items, so that their
    correlation is the pilot's; the difference of the population is moved to the size asked for, and
    a run finds it where p < .05. Of a pilot of one, the other run is taken to answer independently
    of it, which asks for more items than two runs that agree on what is hard. For `width` a run
    succeeds where its interval is at most that wide.

    Six numbers of items are tried with 200 runs each, every one where those before point to, by the
    square root of n that errors go with; what those near the end point to is averaged. More than
    5,000 items are extrapolated to.

    Args:
        pilot: Judgments, or paths.
        detect: `METRIC=SIZE` of the difference.
        width: `METRIC=SIZE` of the 95% interval, from end to end.
        power: Share of runs that shall succeed, between 0 and 1.
        resamples: Bootstrap resamples for each interval.
        seed: Of the draws.

    Returns:
        A row for each aim, for `width` also for each model, variant and way: items that are needed,
        how many of them to ask where some replies can't be read, and how the pilot says so.

    Raises:
        InvalidArgument: Neither aim is given, a metric or size can't be used, or the pilot has no
            stated confidence, too few items, or more than two ways to compare.
    """
    if not 0.5 <= power < 1:
        raise InvalidArgument(f"--power {power:g} is not between 0.5 and 1; 80% is 0.8.")
    aims = [
        (name, *_aim(name, text)) for name, text in (("detect", detect), ("width", width)) if text
    ]
    if not aims:
        raise InvalidArgument("Say --detect METRIC=SIZE or --width METRIC=SIZE, as ece=0.03.")
    ways = list(stated_judgments(judgments_of(pilot)))
    rng = np.random.default_rng(seed)
    lines: list[dict[str, object]] = []
    for name, metric, size in aims:
        asked = _Aim(metric, size, power, resamples)
        if name == "detect":
            lines.append(_to_detect(asked, ways, rng))
        else:
            lines += [_to_be_as_short(asked, one, rng) for one in ways]
    return pd.DataFrame(lines, columns=COLUMNS)


@dataclass(frozen=True)
class _Aim:
    metric: str
    size: float
    power: float
    resamples: int

    @property
    def form(self) -> ConfidenceMetric:
        return FORMS[self.metric]

    def resampling(self, rng: np.random.Generator) -> Resampling:
        return Resampling(self.resamples, int(rng.integers(2**31)))


def _aim(option: str, text: str) -> tuple[str, float]:
    metric, equals, size = text.partition("=")
    metric = metric.strip()
    known = [name for name in FORMS if METRICS[name].interval.method != "none"]
    if equals and metric not in known:
        raise InvalidArgument(f"--{option} {text}: {nearest(metric, known)}")
    try:
        value = float(size)
    except ValueError:
        value = np.nan
    if not 0 < value < np.inf:
        raise InvalidArgument(f"--{option} {text} is not of the form METRIC=SIZE, as ece=0.03.")
    return metric, value


@dataclass(frozen=True)
class _Population:
    """The pilot's judgments by item, from which runs are drawn."""

    answers: Answers
    starts: IntArray
    counts: IntArray

    @classmethod
    def of(cls, answers: Answers) -> "_Population":
        order = np.argsort(answers.unit, kind="stable")
        ordered = replace(
            answers, confidence=answers.confidence[order], correct=answers.correct[order]
        )
        counts = np.bincount(answers.unit, minlength=answers.units)
        return cls(ordered, np.cumsum(counts) - counts, counts)

    @property
    def items(self) -> int:
        return len(self.counts)

    def drawn(self, n: int, rng: np.random.Generator) -> Answers:
        """A run of n of them."""
        return self.run(rng.integers(self.items, size=n))

    def run(self, items: IntArray) -> Answers:
        """The judgments of these items, one that is there twice being two."""
        counts = self.counts[items]
        unit = np.repeat(np.arange(len(items)), counts)
        within = np.arange(len(unit)) - np.repeat(np.cumsum(counts) - counts, counts)
        rows = np.repeat(self.starts[items], counts) + within
        return replace(
            self.answers,
            unit=unit,
            units=len(items),
            confidence=self.answers.confidence[rows],
            correct=self.answers.correct[rows],
        )


def _pilot(one: Stated) -> tuple[pd.DataFrame, int]:
    """Readable judgments, items named across data sets, and how many items were asked."""
    mine = one.answered()
    names = mine.rows["dataset"].astype(str) + "/" + mine.rows["item"].astype(str)
    rows = mine.rows.assign(item=names).drop(columns="unit", errors="ignore")
    return rows[mine.read].reset_index(drop=True), names.nunique()


def _refuse_few(name: str, items: int) -> None:
    if items < LEAST:
        raise InvalidArgument(
            f"--pilot: {items} items of {name} have confidence and outcome; {LEAST} are needed."
        )


def _to_be_as_short(aim: _Aim, one: Stated, rng: np.random.Generator) -> dict[str, object]:
    rows, asked = _pilot(one)
    units = pd.Index(rows["item"].unique())
    _refuse_few(one.name, len(units))
    population = _Population.of(Answers.from_frame(rows, units))

    def width_of(n: int) -> float:
        low, high = _interval(aim, population.drawn(n, rng), aim.resampling(rng))
        return high - low if high >= low else np.inf

    def wanted(n: int, widths: FloatArray) -> float:
        """Widths go as the square root of n."""
        often = float(np.quantile(widths, aim.power, method="inverted_cdf"))
        return n * min((often / aim.size) ** 2, 16)

    items, note = _searched(width_of, wanted, len(units))
    return _line("width", aim, (one.name, ""), one.task, items, (len(units), asked), note)


def _interval(aim: _Aim, answers: Answers, resampling: Resampling) -> tuple[float, float]:
    """The interval that results would give the metric."""
    columns = {"accuracy": answers.correct, "mean_confidence": answers.confidence}
    if aim.metric in columns:
        column = {aim.metric: columns[aim.metric]}
        made = estimate.means({}, column, answers.unit, answers.units)
    else:
        made = table_statistics(answers, [aim.form], {}, "")
    (row,) = estimate.results_of(
        estimate.resample([made], answers.units, resampling), Key("", "", "")
    )
    return row.ci_low, row.ci_high


@dataclass(frozen=True)
class _TwoRuns:
    """What two runs are drawn from: of the same items where they are paired."""

    aim: _Aim
    first: _Population
    second: _Population
    paired: bool

    def contrast(self, items: IntArray, others: IntArray) -> Contrast:
        """Of runs of these items."""
        index = pd.RangeIndex(len(items))
        pair = Pair(index, index, self.first.run(items), self.second.run(others))
        return contrast_of_pairs([pair], (), [self.aim.form])

    def drawn(self, n: int, rng: np.random.Generator) -> Contrast:
        """Of two runs of n items drawn from the pilot's."""
        items = rng.integers(self.first.items, size=n)
        return self.contrast(
            items, items if self.paired else rng.integers(self.first.items, size=n)
        )


def _to_detect(aim: _Aim, ways: list[Stated], rng: np.random.Generator) -> dict[str, object]:
    names = [one.name for one in ways]
    if len(ways) > 2:
        raise InvalidArgument(
            f"--pilot holds {len(ways)} models, variants or ways ({'; '.join(names)}); give the "
            "two that shall be compared, or one."
        )
    frames, counts = zip(*map(_pilot, ways), strict=True)
    _, sides = on_common(frames) if len(ways) == 2 else (None, [frames[0], frames[0]])
    units = pd.Index(sides[0]["item"].unique())
    _refuse_few(" and ".join(names), len(units))
    first, second = (_Population.of(Answers.from_frame(side, units)) for side in sides)
    runs = _TwoRuns(aim, first, second, paired=len(ways) == 2)

    everything = np.arange(len(units))
    whole = runs.contrast(everything, everything)
    column = max(k for k, (_, metric) in enumerate(whole.names) if metric == aim.metric)
    true = float(resample_contrast(whole, Resampling(1), None).values[column])
    shift = (aim.size if true >= 0 else -aim.size) - true

    def detected(n: int) -> float:
        found = resample_contrast(runs.drawn(n, rng), aim.resampling(rng), None)
        moved = replace(found, values=found.values + shift, draws=found.draws + shift)
        return float(moved.test(column).p < 0.05)

    def wanted(n: int, found: FloatArray) -> float:
        """Standard errors go as the square root of n: power is Phi(s sqrt(n) - 1.96)."""
        few = 0.5 / len(found)
        z = float(ndtri(np.clip(found.mean(), few, 1 - few)))
        return n * min((ndtri(aim.power) + ALPHA_Z) / max(z + ALPHA_Z, 0.1), 4) ** 2

    items, note = _searched(detected, wanted, len(units))
    if not runs.paired:
        said = "one run in the pilot: the other is taken to be independent of it"
        pair, correlation = (names[0], "another run"), 0.0
    else:
        said = f"the pilot's own difference is {true:.3g}"
        pair, correlation = (names[0], names[1]), _correlation(whole, column)
    return _line(
        "detect",
        aim,
        pair,
        ways[0].task,
        items,
        (len(units), min(counts)),
        noted(said, note),
        correlation,
    )


def _correlation(whole: Contrast, column: int) -> float:
    """Of both runs' numbers over resamples of the pilot's items; NaN where either is the same."""
    sides = {"first": whole.first, "second": whole.second}
    drawn = bootstrap(sides, np.zeros(whole.units, np.int64))
    first, second = (drawn[side][:, column] for side in sides)
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan")
    return float(np.corrcoef(first, second)[0, 1])


def _searched(
    simulate: Callable[[int], float], wanted: Callable[[int, FloatArray], float], start: int
) -> tuple[int, str]:
    """The number of items that runs of several numbers point to, and what is to be said of it.

    Args:
        simulate: A number of items -> what one run of them gives.
        wanted: A number of items and what its runs gave -> the number that they point to.
        start: Tried first.
    """
    tried: list[tuple[int, float]] = []
    n = start
    for _ in range(TRIED):
        n = int(np.clip(n, LEAST, MOST))
        tried.append((n, wanted(n, np.array([simulate(n) for _ in range(SIMULATED)]))))
        # What is far from the number that it points to says little of it.
        near = [found for at, found in tried if 0.6 < found / at < 1 / 0.6]
        n = int(np.ceil(np.exp(np.mean(np.log(near or [tried[-1][1]])))))
    if n > MOST:
        return n, f"extrapolated from {MOST:,} items"
    if n < LEAST:
        return LEAST, f"{LEAST} items, the fewest that are tried, are enough"
    return n, ""


def _line(
    name: str,
    aim: _Aim,
    who: tuple[str, str],
    task: str,
    items: int,
    pilot: tuple[int, int],
    note: str,
    correlation: float = np.nan,
) -> dict[str, object]:
    read = pilot[0] / pilot[1]
    values = (
        *(task, *who, name, aim.metric, aim.size, aim.power, items, int(np.ceil(items / read))),
        *(pilot[0], read, correlation, note),
    )
    return dict(zip(COLUMNS, values, strict=True))
