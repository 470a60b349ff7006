"""The conformal step over weights of test items, against a plain loop over repeated items."""

import math
from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from build import attributes_of, column_of
from inspect_confidence.metrics import METRICS, Statistic, conformal_offset, mean_of
from inspect_confidence.studies.intervals import Intervals

NAN, INF = float("nan"), float("inf")


class OffsetRow(NamedTuple):
    """A judgment of an item."""

    item: int
    epoch: int
    lower: float
    upper: float
    truth: float

    @property
    def readable(self) -> bool:
        """Whether no number is missing."""
        return not any(map(math.isnan, (self.lower, self.upper, self.truth)))


def intervals(rows: list[OffsetRow], units: int, level: float) -> Intervals:
    """The rows as the studies hold them."""
    return Intervals(
        level=level,
        unit_index=np.array(attributes_of(rows, "item"), np.int64),
        unit_count=units,
        lower=np.array(attributes_of(rows, "lower"), float),
        upper=np.array(attributes_of(rows, "upper"), float),
        truth=np.array(attributes_of(rows, "truth"), float),
        epoch=np.array(attributes_of(rows, "epoch"), float),
        empty=np.zeros(len(rows), bool),
    )


def conformal_statistics(train: Intervals, test: Intervals) -> dict[str, Statistic]:
    """The statistics of test intervals moved by the offset that is learned on train items."""
    learned = train.first_epochs()
    offset = conformal_offset(learned.lower, learned.upper, learned.truth, test.level)
    moved = test.move_bounds(offset)
    change = moved.values()["interval_score"] - test.values()["interval_score"]
    return {
        **moved.statistics(),
        "interval_score_change": mean_of(change, test.unit_index, test.unit_count),
        "conformal_offset": lambda weights: np.full(len(weights), offset),
    }


def readable_rows(rows: Iterable[OffsetRow]) -> list[OffsetRow]:
    """The judgments that lack no number."""
    return [row for row in rows if row.readable]


def learned_offset(train: list[OffsetRow], level: float) -> float:
    """The ceil((n + 1) level)-th smallest score of each item's first readable judgment."""
    scores = []
    read_items = set()
    for row in sorted(readable_rows(train), key=attrgetter("epoch")):
        if row.item not in read_items:
            read_items.add(row.item)
            scores.append(max(row.lower - row.truth, row.truth - row.upper))
    rank = math.ceil((len(scores) + 1) * Fraction(level) / 100)
    return sorted(scores)[rank - 1] if rank <= len(scores) else INF


def score(lower: float, upper: float, truth: float, level: float) -> float:
    """Winkler's interval score."""
    miss = lower - truth if truth < lower else truth - upper if truth > upper else 0
    return upper - lower + 2 / (1 - level / 100) * miss


def plainly(train: list[OffsetRow], test: list[OffsetRow], level: float) -> dict[str, float]:
    """The metrics after the conformal step, item by item."""
    offset = learned_offset(train, level)
    inside, below, above, widths, after, before = [], [], [], [], [], []
    for _, _, lower, upper, truth in readable_rows(test):
        low, high = lower - offset, upper + offset
        inside.append(low <= truth <= high)
        if low > high:  # empty: no width, scored and missed where it vanished
            low = high = (lower + upper) / 2
            below.append(truth < low)
            above.append(truth >= low)
        else:
            below.append(truth < low)
            above.append(truth > high)
        widths.append(high - low)
        after.append(score(low, high, truth, level))
        before.append(score(lower, upper, truth, level))
    if not inside:
        return {**dict.fromkeys(NAMES, NAN), "conformal_offset": offset}
    return {
        "coverage": float(np.mean(inside)),
        "coverage_gap": float(np.mean(inside)) - level / 100,
        "interval_score": float(np.mean(after)),
        "interval_score_change": float(np.mean(after)) - float(np.mean(before)),
        "mean_width": float(np.mean(widths)),
        "median_width": float(np.median(widths)),
        "miss_below": float(np.mean(below)),
        "miss_above": float(np.mean(above)),
        "conformal_offset": offset,
    }


NAMES = (
    "coverage",
    "coverage_gap",
    "interval_score",
    "interval_score_change",
    "mean_width",
    "median_width",
    "miss_below",
    "miss_above",
    "conformal_offset",
)


def repeated(rows: list[OffsetRow], weights: NDArray[np.int64]) -> list[OffsetRow]:
    """Each item as often as its weight says, as items of their own."""
    copies = []
    for row in rows:
        for number in range(weights[row.item]):
            copies.append(row._replace(item=row.item + number * len(weights)))
    return copies


def assert_equal(
    train: list[OffsetRow],
    test: list[OffsetRow],
    level: float,
    weights: NDArray[np.int64],
    exceptions: Collection[str] = (),
) -> dict[str, float]:
    """The statistics at the weights are those of the plain loop over repeated test items."""
    units = len(weights)
    statistics = conformal_statistics(intervals(train, units, level), intervals(test, units, level))
    expected = plainly(train, repeated(test, weights), level)
    assert set(statistics) == set(expected)
    for name in set(statistics) - set(exceptions):
        got = statistics[name](weights[None, :].astype(float))
        np.testing.assert_allclose(got, [expected[name]], rtol=1e-11, atol=1e-12, err_msg=name)
    return expected


TRAIN, TEST = 40, 31
UNITS = TRAIN + TEST
ONES = np.ones(UNITS, np.int64)


def simulated(
    seed: int, half_width: float, epochs: int = 1, unreadable: float = 0.0
) -> tuple[list[OffsetRow], list[OffsetRow]]:
    """Judgments of train items, then of test items; one in ten intervals is ten times narrower."""
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(UNITS):
        truth = rng.normal()
        for epoch in range(1, epochs + 1):
            middle = truth + rng.normal()
            half = half_width * rng.uniform(0.9, 1.1) * (0.1 if rng.random() < 0.1 else 1)
            values = np.array([middle - half, middle + half, truth])
            if rng.random() < unreadable:
                values[rng.integers(3)] = NAN
            rows.append(OffsetRow(item, epoch, *values.tolist()))
    train: list[OffsetRow] = []
    test: list[OffsetRow] = []
    for place in rng.permutation(len(rows)):  # neither items nor epochs come in order
        (train if rows[place].item < TRAIN else test).append(rows[place])
    return train, test


def resample_weights(seed: int) -> NDArray[np.int64]:
    """Weights of a resample: train items and test items drawn with replacement."""
    rng = np.random.default_rng(seed)
    parts = [np.bincount(rng.integers(n, size=n), minlength=n) for n in (TRAIN, TEST)]
    return np.concatenate(parts).astype(np.int64)


def at_ones(train: list[OffsetRow], test: list[OffsetRow], level: float) -> dict[str, float]:
    """The statistics of every item once."""
    units = 1 + max(attributes_of(train + test, "item"))
    statistics = conformal_statistics(intervals(train, units, level), intervals(test, units, level))
    values = {}
    for name, statistic in statistics.items():
        (values[name],) = statistic(np.ones((1, units))).tolist()
    return values


# Scores -3, -2, -1: the offset is -2 at 50%, where the rank is ceil(4/2) = 2.
WIDE = [OffsetRow(0, 1, 0, 6, 3), OffsetRow(1, 1, 0, 8, 2), OffsetRow(2, 1, 0, 8, 7)]


def test_example_by_hand() -> None:
    """One of three test sets is empty; truths on adjusted bounds; a set of all items at 75%."""
    # The statistics are those worked out by hand where one of three test sets is empty. Train
    # scores max(l - y, y - u) are -3, -2, -1; at 50% the offset is the ceil(4/2) = 2nd, -2. Test
    # [0, 10] becomes [2, 8] and holds 5: width 6, score 6. Test [0, 6] becomes [2, 4] and misses 7
    # above: width 2, score 2 + 4 * 3 = 14, before 6 + 4 * 1 = 10. Test [0, 2] becomes [2, 0], is
    # empty and scored as 1: truth 4 lies above by 3, score 12, before 2 + 4 * 2 = 10.
    test = [OffsetRow(3, 1, 0, 10, 5), OffsetRow(4, 1, 0, 6, 7), OffsetRow(5, 1, 0, 2, 4)]
    expected = {
        "coverage": 1 / 3,
        "coverage_gap": 1 / 3 - 0.5,
        "interval_score": (6 + 14 + 12) / 3,
        "interval_score_change": (6 + 14 + 12) / 3 - (10 + 10 + 10) / 3,
        "mean_width": (6 + 2 + 0) / 3,
        "median_width": 2,
        "miss_above": 2 / 3,
        "conformal_offset": -2,
    }
    statistics = at_ones(WIDE, test, 50)
    assert pd.Series(statistics)[list(expected)].to_dict() == pytest.approx(expected, rel=1e-13)
    # Of [2, 8], which [0, 10] becomes, the truths 2 and 8 are covered and not missed.
    statistics = at_ones(WIDE, [OffsetRow(3, 1, 0, 10, 2), OffsetRow(4, 1, 0, 10, 8)], 50)
    shares = pd.Series(statistics)[["coverage", "miss_below", "miss_above"]]
    assert shares.tolist() == [1, 0, 0]
    assert (statistics["mean_width"], statistics["interval_score"]) == (6, 6)
    # Where every set is empty, nothing is covered, widths are 0 and distances all that scores. [0,
    # 2] and [0, 3] become [2, 0] and [2, 1]; truths 1 and 2 lie 0 and 1/2 from the midpoints, and
    # 2/alpha = 4.
    statistics = at_ones(WIDE, [OffsetRow(3, 1, 0, 2, 1), OffsetRow(4, 1, 0, 3, 2)], 50)
    names = ["coverage", "mean_width", "median_width", "interval_score"]
    assert pd.Series(statistics)[names].tolist() == [0, 0, 0, (0 + 2) / 2]
    # At 75%, three train items give rank 4 * 0.75 = 3, the greatest score, -1; not so at 76%.
    test = [OffsetRow(3, 1, 0, 10, 5)]
    assert at_ones(WIDE, test, 75)["conformal_offset"] == -1
    assert at_ones(WIDE, test, 76)["conformal_offset"] == INF


def test_ties_and_boundaries() -> None:
    """On small whole numbers, full of ties, the statistics equal the loop over repeated items."""
    # The median width is apart: `test_edges` in metrics has where it went wrong.
    rng = np.random.default_rng(12)
    for _ in range(300):
        units, trained = 8, rng.integers(1, 6)
        bounds = np.sort(rng.integers(0, 9, size=(units, 2)), axis=1)
        truths = rng.integers(0, 9, size=units)
        numbers = np.column_stack([bounds, truths]).astype(float)
        rows = [OffsetRow(item, 1, *numbers[item].tolist()) for item in range(units)]
        level = float(rng.choice([20, 25, 50, 60, 75, 80, 90]))
        weights = rng.integers(0, 4, size=units)
        assert_equal(rows[:trained], rows[trained:], level, weights, exceptions={"median_width"})


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("level", [30.0, 50.0, 80.0, 95.0])
@pytest.mark.parametrize("half_width", [0.3, 3.0], ids=["too narrow", "too wide"])
def test_items_once(half_width: float, level: float, seed: int) -> None:
    """At weights of one the statistics equal the plain loop over the judgments."""
    assert_equal(*simulated(seed, half_width), level, ONES)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("level", [50.0, 80.0, 95.0])
@pytest.mark.parametrize("half_width", [0.3, 3.0], ids=["too narrow", "too wide"])
def test_items_drawn_with_replacement(half_width: float, level: float, seed: int) -> None:
    """At whole-number weights the statistics equal the plain loop over items repeated as often."""
    assert_equal(*simulated(seed, half_width), level, resample_weights(seed + 100))


@pytest.mark.parametrize("level", [50.0, 80.0])
def test_sets_that_become_empty(level: float) -> None:
    """Where intervals were far too wide and some sets become empty, the loop is equalled too."""
    train, test = simulated(7, half_width=6.0)
    offset = assert_equal(train, test, level, ONES)["conformal_offset"]
    widths = np.subtract(attributes_of(test, "upper"), attributes_of(test, "lower"))
    assert 0 < np.count_nonzero(widths + 2 * offset < 0) < TEST / 2
    for seed in range(5):
        assert_equal(train, test, level, resample_weights(seed))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("epochs", [1, 2, 3])
@pytest.mark.parametrize("half_width", [0.3, 3.0], ids=["too narrow", "too wide"])
def test_unreadable_judgments(half_width: float, epochs: int, seed: int) -> None:
    """Unreadable judgments are left out; an item's first readable epoch calibrates."""
    train, test = simulated(seed, half_width, epochs, unreadable=0.3)
    assert not all(attributes_of(train, "readable"))
    assert not all(attributes_of(test, "readable"))
    assert_equal(train, test, 80.0, ONES)
    assert_equal(train, test, 80.0, resample_weights(seed))


def test_rows_of_weights_are_separate_resamples() -> None:
    """Each of many rows of weights has the metrics of its own test items, at one offset."""
    train, test = simulated(5, half_width=1.0)
    weights = np.array(list(map(resample_weights, range(20))))
    statistics = conformal_statistics(intervals(train, UNITS, 80), intervals(test, UNITS, 80))
    expected = [plainly(train, repeated(test, row), 80) for row in weights]
    for name, statistic in statistics.items():
        want = column_of(expected, name)
        np.testing.assert_allclose(statistic(weights.astype(float)), want, rtol=1e-11, atol=1e-12)


def second_epoch(rows: Sequence[OffsetRow]) -> list[OffsetRow]:
    """The same judgments as those of epoch 2."""
    return [row._replace(epoch=2) for row in rows]


@pytest.mark.parametrize("level", [50.0, 80.0, 99.0])
def test_two_equal_epochs_are_one(level: float) -> None:
    """Judging every item a second time with the same outcome leaves every statistic alone."""
    once = simulated(9, half_width=1.5)
    train, test = once
    twice = train + second_epoch(train), test + second_epoch(test)
    weights = np.array([ONES, *map(resample_weights, range(10))], float)
    single = conformal_statistics(intervals(train, UNITS, level), intervals(test, UNITS, level))
    double = conformal_statistics(
        intervals(twice[0], UNITS, level), intervals(twice[1], UNITS, level)
    )
    for name in NAMES:
        np.testing.assert_allclose(double[name](weights), single[name](weights), rtol=1e-12)


def test_later_epochs_of_train_items_are_not_used() -> None:
    """The second judgment of a train item doesn't move the offset, however far off it is."""
    train, test = simulated(2, half_width=1.0)
    later = [row._replace(epoch=2, truth=row.truth + 1_000) for row in train]
    first_only = conformal_statistics(intervals(train, UNITS, 80), intervals(test, UNITS, 80))
    two = conformal_statistics(intervals(later + train, UNITS, 80), intervals(test, UNITS, 80))
    weights = resample_weights(1)[None, :].astype(float)
    assert first_only["conformal_offset"](weights) == two["conformal_offset"](weights)


@pytest.mark.parametrize("readable", [0, 3])
def test_too_few_train_items(readable: int) -> None:
    """With too few train items for the level, sets are infinite and cover everything."""
    # The rank is ceil(4 * 0.8) = 4 of 3 scores; of no scores it is 1.
    train, test = simulated(4, half_width=1.0)
    few_readable = [row if row.item < readable else row._replace(lower=NAN) for row in train]
    expected = {
        "coverage": 1,
        "coverage_gap": 0.2,
        "interval_score": INF,
        "interval_score_change": INF,
        "mean_width": INF,
        "median_width": INF,
        "miss_below": 0,
        "miss_above": 0,
        "conformal_offset": INF,
    }
    statistics = conformal_statistics(
        intervals(few_readable, UNITS, 80), intervals(test, UNITS, 80)
    )
    for name, value in expected.items():
        got = statistics[name](ONES[None, :].astype(float))
        np.testing.assert_allclose(got, [value], rtol=1e-14, err_msg=name)


@pytest.mark.parametrize("undrawn", [False, True], ids=["unreadable", "undrawn"])
@pytest.mark.parametrize("level", [80.0, 99.0], ids=["finite", "infinite"])
def test_no_test_judgment_is_nan(level: float, undrawn: bool) -> None:
    """With no readable test judgment, or none drawn, all but the offset is NaN."""
    train, test = simulated(4, half_width=1.0)
    weights = ONES.copy()
    if undrawn:
        weights[TRAIN:] = 0
    else:
        test = [row._replace(upper=NAN) for row in test]
    expected = assert_equal(train, test, level, weights)
    assert math.isinf(expected["conformal_offset"]) == (level == 99)
    assert sum(map(math.isnan, expected.values())) == len(NAMES) - 1


def test_every_statistic_is_a_registered_metric() -> None:
    """All names of statistics, direct and conformal, are in the registry of metrics."""
    judged_intervals = intervals([OffsetRow(0, 1, 0, 1, 0)], 1, 80)
    assert set(judged_intervals.statistics()) | set(
        conformal_statistics(judged_intervals, judged_intervals)
    ) <= set(METRICS)


@pytest.mark.parametrize("seed", range(3))
def test_direct_statistics_over_repeated_items(seed: int) -> None:
    """Before the conformal step too, the statistics equal a plain loop over repeated items."""
    rows = simulated(seed, half_width=1.0, epochs=2, unreadable=0.3)
    all_rows, weights = rows[0] + rows[1], resample_weights(seed)
    read = pd.DataFrame(readable_rows(repeated(all_rows, weights)))
    lower, upper, truth = read["lower"], read["upper"], read["truth"]
    scores = list(map(score, lower, upper, truth, [80] * len(read)))
    coverage = truth.between(lower, upper).mean()
    expected: dict[str, Any] = {
        "coverage": coverage,
        "coverage_gap": coverage - 0.8,
        "interval_score": np.mean(scores),
        "mean_width": (upper - lower).mean(),
        "median_width": (upper - lower).median(),
        "miss_below": (truth < lower).mean(),
        "miss_above": (truth > upper).mean(),
    }
    statistics = intervals(all_rows, UNITS, 80).statistics()
    assert set(statistics) == set(expected)
    for name, statistic in statistics.items():
        got = statistic(weights[None, :].astype(float))
        np.testing.assert_allclose(got, [expected[name]], rtol=1e-12, err_msg=name)
