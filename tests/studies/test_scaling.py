"""Choosing on train and judging on test, against plain loops over repeated items."""

import math
from collections.abc import Iterable, Sequence
from itertools import chain, product

import numpy as np
import pandas as pd
import pytest

from build import attributes_of, column_of, entries_of, numbered, tempered_weights
from inspect_confidence.metrics import NEAREST_TO_ONE, TEMPERATURES
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.studies.estimate import Statistics
from inspect_confidence.studies.fermi_eval.temperatures import (
    LikeliestTemperature,
    SplitDistributions,
    decoding_temperatures,
    objectives,
    scaled_statistics,
    scaled_temperatures,
)
from inspect_confidence.studies.intervals import Intervals

LEVELS = (80.0, 90.0)
UNITS = 10
SEEDS = range(4)


def scored(seed: int, units: Sequence[int]) -> SplitDistributions:
    """Random distributions over up to five integers, a judgment a unit given."""
    rng = np.random.default_rng(seed)
    distributions = []
    for _ in units:
        values = rng.choice(np.arange(-4, 9), size=rng.integers(1, 6), replace=False)
        distributions.append(
            dict(zip(values.tolist(), rng.dirichlet(np.ones(len(values))), strict=True))
        )
    truths = [
        rng.choice(list(distribution)) if rng.random() < 0.7 else rng.integers(-5, 10)
        for distribution in distributions
    ]
    return SplitDistributions(
        distributions, np.array(truths, float), np.array(units), UNITS, len(units) + 1
    )


def train_and_test(seed: int) -> tuple[SplitDistributions, SplitDistributions]:
    """Units 0 to 4 and 5 to 9, of which 1 and 7 were judged twice, in no order."""
    return scored(seed, [4, 1, 0, 3, 1, 2]), scored(seed + 50, [7, 5, 6, 8, 9, 7])


def weights(seed: int) -> IntArray:
    """Ones, and random whole numbers with each half of the units drawn at least once."""
    drawn_counts = np.random.default_rng(seed).integers(0, 4, size=(3, UNITS))
    drawn_counts[:, [1, 7]] += 1
    return np.vstack([np.ones((1, UNITS), np.int64), drawn_counts])


def repeated(unit: IntArray, row: IntArray) -> list[int]:
    """The judgments' numbers, each as often as its unit was drawn."""
    return list(np.repeat(np.arange(len(unit)), row[unit]))


def plain_set(distribution: dict[int, float], level: float, temperature: float) -> list[int]:
    """The smallest set at a temperature, by sorting and adding up."""
    powers = tempered_weights(distribution, temperature)
    chosen_values: list[int] = []
    for value in sorted(powers, key=lambda v: (-powers[v], v)):
        chosen_values.append(value)
        if sum(powers[v] for v in chosen_values) >= level / 100 * sum(powers.values()) - 1e-12:
            break
    return chosen_values


def plain_score(low: float, high: float, truth: float, level: float) -> float:
    """The interval score, by cases."""
    factor = 2 / (1 - level / 100)
    if truth < low:
        return high - low + factor * (low - truth)
    return high - low + (factor * (truth - high) if truth > high else 0)


def plain_metrics(
    sample: SplitDistributions, judgment: int, level: float, temperature: float
) -> FloatArray:
    """Coverage, interval score, width and set coverage of one judgment."""
    truth = sample.truth[judgment]
    chosen_values = plain_set(dict(sample.distributions[judgment]), level, temperature)
    low, high = min(chosen_values), max(chosen_values)
    inside = float(low <= truth <= high)
    score = plain_score(low, high, truth, level)
    return np.array([inside, score, high - low, float(truth in chosen_values)])


def check_choice(chosen: float, objective: FloatArray) -> None:
    """The temperature is the best of the grid, of equally good ones the nearest to 1."""
    tied = TEMPERATURES[objective <= objective.min() + 1e-9]
    assert chosen in tied
    assert abs(math.log(chosen)) == pytest.approx(np.abs(np.log(tied)).min(), abs=1e-9)


def values_of(estimands: Iterable[Statistics], row: IntArray) -> dict[tuple[str, str], float]:
    """Values at weights of the items, by rule or level, and metric."""
    values = {}
    for estimand in estimands:
        numbers = estimand.statistic(row[None, :].astype(float)).reshape(-1)
        for estimate, number in zip(estimand.estimates, numbers, strict=True):
            level = str(estimate.condition.get("level", ""))
            values[level, estimate.metric] = float(number)
    return values


def test_temperature_of_least_score_equals_plain_loops() -> None:
    """The temperature has the least score over the train items, and n and asked are theirs."""
    for seed in SEEDS:
        train, test = train_and_test(seed)
        plain = []
        for temperature in TEMPERATURES:
            scores = []
            for level, judgment in product(LEVELS, range(6)):
                scores.append(plain_metrics(train, judgment, level, temperature)[1])
            plain.append(np.mean(scores))
        estimand, *_ = scaled_temperatures(train, test, LEVELS, {})
        (number,) = estimand.estimates
        assert (number.metric, number.n, number.n_asked, number.unit_count) == (
            *("temperature_score", 6, 7),
            5,
        )
        check_choice(float(estimand.statistic(np.ones((1, UNITS)))[0]), np.array(plain))


def test_likeliest_temperature_equals_plain_loops() -> None:
    """At each row of weights the temperature has the least -log p_T(truth) of the truths seen."""
    for seed in SEEDS:
        train, _ = train_and_test(seed)
        all_weights = weights(seed)
        temperatures = LikeliestTemperature.from_train(train)(all_weights.astype(float))
        for row, temperature in zip(all_weights, temperatures, strict=True):
            losses = np.zeros(len(TEMPERATURES))
            for judgment in repeated(train.unit_index, row):
                distribution, truth = train.distributions[judgment], int(train.truth[judgment])
                if distribution.get(truth, 0) > 0:
                    for i, t in enumerate(TEMPERATURES):
                        powers = tempered_weights(distribution, float(t))
                        losses[i] -= math.log(powers[truth] / sum(powers.values()))
            check_choice(temperature, losses)


def test_scaled_metrics_equal_plain_loops() -> None:
    """Each metric is the mean over repeated test judgments at a temperature."""
    names = ("coverage", "interval_score", "mean_width", "set_coverage")
    for seed, level, temperature in product(SEEDS, LEVELS, (0.4, 1.0, 2.5)):
        _, test = train_and_test(seed)
        estimands = list(scaled_statistics(test, level, temperature, {}, ""))
        estimates = list(chain.from_iterable(attributes_of(estimands, "estimates")))
        assert set(attributes_of(estimates, "n")) == {6}
        assert set(attributes_of(estimates, "n_asked")) == {7}
        for row in weights(seed):
            judgments = repeated(test.unit_index, row)
            metrics_by_judgment = [plain_metrics(test, j, level, temperature) for j in judgments]
            got = values_of(estimands, row)
            assert [got["", name] for name in names] == pytest.approx(
                np.mean(metrics_by_judgment, axis=0)
            )


def test_hulls_and_sets_are_told_apart() -> None:
    """A truth between the values 0 and 2 of a set is in the hull alone."""
    # {0: 0.6, 2: 0.4} at 80%: T = 1 takes both, {0} alone would need 1.5^(1/T) >= 4. Coverage 1,
    # set coverage 0, width and score 2.
    sample = SplitDistributions([{0: 0.6, 2: 0.4}], np.array([1.0]), np.array([0]), 1, 1)
    got = values_of(scaled_statistics(sample, 80, 1, {}, ""), np.ones(1, np.int64))
    expected = {"coverage": 1, "interval_score": 2, "mean_width": 2, "set_coverage": 0}
    assert {name: got["", name] for name in expected} == pytest.approx(expected)


def test_ties_go_by_preference() -> None:
    """By distance from 1 in ratio, each once, and up to rounding."""
    assert TEMPERATURES[NEAREST_TO_ONE[0]] == 1
    assert (np.diff(np.abs(np.log(TEMPERATURES[NEAREST_TO_ONE]))) >= -1e-12).all()
    assert sorted(NEAREST_TO_ONE) == list(range(len(TEMPERATURES)))
    # 0.3 at the greatest temperature and 0.1 + 0.2 at 1 are equal in decimals: 1 is chosen.
    objective = np.full((1, len(TEMPERATURES)), 0.5)
    objective[0, -1], objective[0, TEMPERATURES == 1] = 0.3, 0.1 + 0.2
    assert LikeliestTemperature(objective, np.array([0]))(np.ones((1, 1))) == [1]
    # Of equal means, up to rounding, the first in the order of preference is chosen. 0.1 + 0.2 and
    # 0.3 + 0 differ by a rounding error and are equal.
    objective = np.array([[0.3, 0.1, 9.0], [0.0, 0.2, 9.0]])
    for order in ([0, 1, 2], [1, 0, 2], [2, 1, 0]):
        likeliest = LikeliestTemperature(objective, np.array([0, 1]), np.array(order))
        column = next(column for column in order if column < 2)
        assert likeliest(np.ones((1, 2)))[0] == TEMPERATURES[column]


def test_penalties() -> None:
    """At 80% a narrow way scores less, and covers less, than a wide one."""
    # Of truths 0 and 0.1, [0, 0] has the scores 0 and 1 (10 times the distance) and covers half;
    # [-0.5, 0.5] has 1 and 1 and covers both. The means are 0.5 and 1; coverages fall short by 0.3
    # and 0. With a penalty of 10 the objectives are 3.5 and 1; they are equal at 5/3.
    nothing, truth = np.zeros(2), np.array([0, 0.1])
    ways = [
        Intervals(80, np.arange(2), 2, -half, half, truth, nothing, nothing > 0)
        for half in (nothing, nothing + 0.5)
    ]
    assert objectives(ways, 10) == pytest.approx([3.5, 1])
    assert objectives(ways, 5 / 3) == pytest.approx([1, 1])
    unread = [intervals.select(nothing > 0) for intervals in ways]
    assert np.isnan(objectives(unread, 10)).all()


def test_likelihood_of_little() -> None:
    """A truth of 1e-40 has a finite loss where it is drawn; of nothing seen the estimate is NaN."""
    # A truth of probability 1e-40 has a finite loss, and none where it isn't drawn. Without it, {1:
    # 0.6, 2: 0.4} with truth 1 is likeliest at the least temperature.
    train = SplitDistributions(
        [{1: 1.0, 2: 1e-40}, {1: 0.6, 2: 0.4}], np.array([2.0, 1.0]), np.array([0, 1]), 2, 2
    )
    likeliest = LikeliestTemperature.from_train(train)
    assert likeliest(np.array([[0.0, 1.0]]))[0] == TEMPERATURES[0]
    train = SplitDistributions([{1: 0.5, 2: 0.5}], np.array([7.0]), np.array([0]), 1, 1)
    assert math.isnan(LikeliestTemperature.from_train(train)(np.ones((1, 1)))[0])


TRIED = (0.3, 1.0, 1.7)
ScalingKey = tuple[float, str, float]


def decoding_frames(seed: int) -> dict[float, pd.DataFrame]:
    """Ten items at two levels and three temperatures: width grows with temperature."""
    # Items t0 to t4 are train. At 1.0 item t0 can't be read at 90%, at 1.7 item s1 at 80%. A second
    # epoch, which isn't used, has bounds far off.
    rng = np.random.default_rng(seed)
    names = numbered("t", 5) + numbered("s", 5)
    truths = dict(zip(names, rng.normal(0, 3, size=10), strict=True))
    frames = {}
    for temperature in TRIED:
        rows = []
        for epoch, (name, level) in product((1, 2), product(names, LEVELS)):
            middle = truths[name] + rng.normal(0, 0.5) + (100 if epoch == 2 else 0)
            half = temperature * rng.uniform(0.5, 2) * level / 80
            is_unreadable = (temperature, name, level) in {(1.0, "t0", 90.0), (1.7, "s1", 80.0)}
            rows.append(
                {
                    "item": name,
                    "split": "train" if name.startswith("t") else "test",
                    "epoch": epoch,
                    "level": level,
                    "truth": truths[name],
                    "status": "refusal" if is_unreadable else "ok",
                    "lower": np.nan if is_unreadable else middle - half,
                    "upper": np.nan if is_unreadable else middle + half,
                }
            )
        # A lost judgment is lost in both epochs: the loop above says so for either.
        frames[temperature] = pd.DataFrame(rows)
    return frames


def plain_rows(
    frames: dict[float, pd.DataFrame], split: str, level: float, draw_counts: dict[str, int]
) -> dict[float, list[dict[str, float]]]:
    """Metrics of the first epoch's judgments that every temperature has, items repeated."""
    rows_by_temperature: dict[float, list[dict[str, float]]] = {}
    unreadable_item = {"train": {90.0: "t0"}, "test": {80.0: "s1"}}[split].get(level)
    for temperature, frame in frames.items():
        rows_by_temperature[temperature] = []
        for row in frame.to_dict("records"):
            if (row["split"], row["level"], row["epoch"]) == (split, level, 1):
                low, high, truth = row["lower"], row["upper"], row["truth"]
                metrics = {
                    "coverage": float(low <= truth <= high),
                    "interval_score": plain_score(low, high, truth, level),
                    "mean_width": high - low,
                }
                if row["item"] != unreadable_item:
                    rows_by_temperature[temperature] += [metrics] * draw_counts[row["item"]]
    return rows_by_temperature


def plain_mean(rows: list[dict[str, float]], metric: str) -> float:
    """The mean of a metric, by adding up."""
    return float(np.mean(column_of(rows, metric)))


def plain_temperature(
    frames: dict[float, pd.DataFrame],
    levels: Sequence[float],
    penalty: float,
    draw_counts: dict[str, int],
) -> float:
    """The temperature with the least penalised score, added up over levels."""
    objective = dict.fromkeys(TRIED, 0.0)
    for level in levels:
        for temperature, rows in plain_rows(frames, "train", level, draw_counts).items():
            short = max(level / 100 - plain_mean(rows, "coverage"), 0)
            objective[temperature] += plain_mean(rows, "interval_score") + penalty * short
    return min(objective, key=lambda temperature: objective[temperature])


def by_condition(estimands: list[Statistics]) -> dict[tuple[object, object, str], Statistics]:
    """Estimands by rule, level and metric; each is one number."""
    keyed = {}
    for estimand in estimands:
        for estimate in estimand.estimates:
            condition = estimate.condition
            keyed[condition["decoding"], condition.get("level"), estimate.metric] = estimand
    assert len(keyed) == len(estimands)
    return keyed


@pytest.mark.parametrize("penalty", [0.0, 10.0])
@pytest.mark.parametrize("seed", SEEDS)
def test_decoding_temperatures_equal_brute_force(seed: int, penalty: float) -> None:
    """Temperatures and test metrics, per level and over all, are those of plain loops."""
    # At weights of one and at random whole ones, with items in an order of their own. The items
    # that one temperature could not read are left out of all: four of five train items at 90%.
    frames = decoding_frames(seed)
    units = pd.Index(sorted(frames[1.0]["item"].unique(), reverse=True))
    shuffled = entries_of(frames, (1.7, 0.3, 1.0))
    estimands = by_condition(list(decoding_temperatures(shuffled, units, {"method": "x"}, penalty)))
    all_weights = weights(seed)
    all_weights[:, [units.get_loc("t1"), units.get_loc("s2")]] += 1
    once = dict.fromkeys(units, 1)
    overall = plain_temperature(frames, LEVELS, penalty, once)
    overall_temperatures = estimands["all_levels", None, "decoding_temperature"].statistic(
        all_weights.astype(float)
    )
    assert overall_temperatures.tolist() == [overall] * 4
    for level, row in product(LEVELS, all_weights):
        level_temperature = plain_temperature(frames, [level], penalty, once)
        row_weights = row[None, :].astype(float)
        assert estimands["per_level", level, "decoding_temperature"].statistic(row_weights) == [
            level_temperature
        ]
        test = plain_rows(frames, "test", level, dict(zip(units, row.tolist(), strict=True)))
        for rule, temperature in (("all_levels", overall), ("per_level", level_temperature)):
            for metric in ("coverage", "interval_score", "mean_width"):
                got = estimands[rule, level, metric].statistic(row_weights)[0]
                assert got == pytest.approx(plain_mean(test[temperature], metric))
            gap = estimands[rule, level, "coverage_gap"].statistic(row_weights)[0]
            expected = plain_mean(test[temperature], "coverage") - level / 100
            assert gap == pytest.approx(expected)


def test_decoding_rows_say_what_they_rest_on() -> None:
    """There is a row a rule, level and metric, with its number of items and the rule's note."""
    frames = decoding_frames(0)
    units = pd.Index(frames[1.0]["item"].unique())
    shuffled = entries_of(frames, (1.7, 0.3, 1.0))
    estimand_list = list(decoding_temperatures(shuffled, units, {"method": "sampling"}, 10))
    estimands = by_condition(estimand_list)
    metrics = ["coverage", "interval_score", "mean_width", "median_width", "coverage_gap"]
    metrics += ["miss_below", "miss_above"]
    expected: set[tuple[object, ...]] = {("all_levels", None, "decoding_temperature")}
    expected |= {("per_level", level, "decoding_temperature") for level in LEVELS}
    expected |= set(product(("all_levels", "per_level"), LEVELS, metrics))
    assert set(estimands) == expected
    assert estimands["per_level", 80.0, "decoding_temperature"].estimates[0].n == 5  # train items
    assert estimands["per_level", 90.0, "decoding_temperature"].estimates[0].n == 4
    assert estimands["all_levels", 80.0, "coverage"].estimates[0].n == 4  # test items
    assert estimands["per_level", 90.0, "coverage"].estimates[0].n == 5
    for estimate in chain.from_iterable(attributes_of(estimand_list, "estimates")):
        assert estimate.n_asked == 5
        assert (estimate.condition["method"], estimate.condition["split"]) == ("sampling", "test")
        assert "0.3, 1, 1.7" in estimate.note
        assert "10 * undercoverage" in estimate.note


def test_the_penalty_matters_in_these_frames() -> None:
    """Of the frames above some choices differ between a penalty of 0 and 10, and between levels."""
    chosen = {}
    for seed, penalty, levels in product(SEEDS, (0, 10), ([80.0], [90.0], LEVELS)):
        frames = decoding_frames(seed)
        once = dict.fromkeys(frames[1.0]["item"].unique(), 1)
        chosen[seed, penalty, tuple(levels)] = plain_temperature(frames, levels, penalty, once)
    temperature = pd.Series(chosen).rename_axis(["seed", "penalty", "levels"])
    for factor in ("penalty", "levels"):
        assert (temperature.unstack(factor).nunique(axis=1) > 1).any(), factor
