"""Ranks: their order, ties, targets, intervals, and what has none."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

from build import attributes_of
from export.judged import intervals, scale_judgments
from inspect_confidence.commands.compare import compare
from inspect_confidence.commands.summarize import summarize, summarize_with_draws
from inspect_confidence.directions import direction_of
from inspect_confidence.overview.ranks import Rank, RankedValue, headline_ranks, model_ranks
from inspect_confidence.results import ResultTable
from inspect_confidence.studies.study import ResampledValue

NAN = float("nan")
LOWER, HIGHER, RATIO = "brier", "auroc", "coverage_plateau"


def ranks_of(
    values: list[float],
    metric: str,
    error: float = NAN,
    draws: bool = False,
    items: int = 200,
    **condition: str,
) -> list[Rank]:
    """Ranks of numbers with this standard error, on items that all models answered."""
    shared = np.random.default_rng(0).normal(0, error, 1_000) if draws else None
    ranked = []
    for value in values:
        resampled = None if shared is None else ResampledValue(value + shared, items)
        ends = value - 1.96 * error, value + 1.96 * error
        ranked.append(RankedValue(value, ends, resampled))
    return model_ranks(ranked, metric, direction_of(metric, condition))


def bounds_of(ranks: Iterable[Rank]) -> list[tuple[float, float]]:
    """The ends of the interval of each rank."""
    return [(rank.low, rank.high) for rank in ranks]


def test_nearness_to_a_target_takes_the_same_end_of_both_intervals() -> None:
    """The mean .935 of .97 and .90 is .015 below the target .95: the upper ends decide.

    sqrt(.005^2 + .015^2)/2 = .0079 is the distance of the mean's upper limit, p = .0002; with upper
    ends .027 above both values it is .0191, p = .12.
    """
    direction = direction_of("coverage", {"level": "95"})
    for first, second, bounds in (
        ((0.94, 0.975), (0.87, 0.915), [(1, 1), (2, 2)]),
        ((0.965, 0.997), (0.899, 0.927), [(1, 2), (1, 2)]),
    ):
        values = [RankedValue(0.97, first), RankedValue(0.90, second)]
        assert bounds_of(model_ranks(values, "coverage", direction)) == bounds


def test_ranks_by_value_and_by_nearness_to_a_target() -> None:
    """The condition tells the target of coverage; ties share a rank."""
    assert attributes_of(ranks_of([1.0, 2.0, 2.0], LOWER), "rank") == [1, 2, 2]
    # 0.9 and 1.1 are as near to 1 as each other, 0.5 is further, 2 is furthest.
    assert attributes_of(ranks_of([0.5, 0.9, 2.0, 1.1], RATIO), "rank") == [3, 1, 4, 1]
    # Coverage aims at its level, misses on one side at half of the rest.
    assert direction_of("coverage", {"level": "90", "method": "direct"}).target == 0.9
    assert direction_of("miss_below", {"level": "90"}).target == 0.05
    assert direction_of("miss_above", {"level": "99"}).target == 0.005
    assert math.isnan(direction_of("coverage", {"method": "direct"}).target)


@pytest.mark.parametrize(("metric", "sign"), [(LOWER, 1), (HIGHER, -1)])
def test_ranks_are_those_of_scipy(metric: str, sign: int) -> None:
    """Ties share the best rank, as `scipy.stats.rankdata(method="min")` has it."""
    values = np.random.default_rng(0).integers(0, 6, 30).astype(float)
    np.testing.assert_array_equal(
        attributes_of(ranks_of(values.tolist(), metric), "rank"), rankdata(sign * values, "min")
    )


@pytest.mark.parametrize(("metric", "order"), [(LOWER, 1), (HIGHER, -1)])
def test_intervals_of_ranks_follow_from_pairs_that_are_surely_apart(
    metric: str, order: int
) -> None:
    """Standard errors of .1: values .2 apart aren't told apart, values 2 apart are."""
    low = [1.0, 1.2, 3.0]
    values = low if order > 0 else [-value for value in low]
    intervals_of_ranks = bounds_of(ranks_of(values, metric, 0.1))
    assert intervals_of_ranks == [(1, 2), (1, 2), (3, 3)]
    shades = attributes_of(ranks_of([*values, values[2]], metric, 0.1), "shade")
    assert shades == ["better", "better", "worse", "worse"]
    # The same errors of all models, as on the same items, are no doubt about the differences.
    paired = ranks_of(values, metric, 0.1, draws=True)
    assert bounds_of(paired) == [(1, 1), (2, 2), (3, 3)]
    # Of fewer than 100 items, they are.
    assert bounds_of(ranks_of(values, metric, 0.1, draws=True, items=99)) == intervals_of_ranks


def test_a_model_is_surely_nearer_to_a_target_on_either_side_of_it() -> None:
    """Of 1 -+ .02 and 1.5 the farther ones are last; .98 and 1.02 have no order."""
    ranked = ranks_of([0.98, 1.02, 1.5, 0.5], RATIO, 0.03)
    assert bounds_of(ranked) == [(1, 2), (1, 2), (3, 4), (3, 4)]


def test_a_missing_rank_or_rank_interval_has_a_reason() -> None:
    """Undefined numbers, metrics without a direction, values without an interval."""
    undefined, defined = ranks_of([NAN, 1.0], LOWER, 0.1)
    assert math.isnan(undefined.rank)
    assert "undefined" in undefined.note
    assert (defined.rank, defined.low, defined.high, defined.models) == (1, 1, 1, 1)
    for metric, reason in (("mean_width", "no direction"), ("coverage", "target is not known")):
        (first,) = ranks_of([0.5], metric)
        assert math.isnan(first.rank)
        assert reason in first.note
    without_interval, *_ = ranks_of([1.0, 2.0], LOWER)
    assert math.isnan(without_interval.low)
    assert without_interval.note == "no rank interval: the value has none"
    # Of three models, one without an interval may be before or after each of the others.
    values = []
    for value, reach in ((1, 0.1), (1.5, NAN), (2, 0.1)):
        values.append(RankedValue(value, (value - reach, value + reach)))
    ranked = model_ranks(values, LOWER, direction_of(LOWER, {}))
    assert bounds_of(ranked[::2]) == [(1, 2), (2, 3)]


def test_a_value_that_is_undefined_in_many_resamples_is_not_ordered() -> None:
    """In 4% of the resamples the difference is left out; with 6% `compare` has no verdict."""
    for share, worst in ((0.04, 1), (0.06, 2)):
        ranked = []
        for value in (0.1, 0.9):
            draws = value + np.random.default_rng(0).normal(0, 0.01, 1_000)
            draws[: round(share * 1_000)] = NAN
            ends = value - 0.02, value + 0.02
            ranked.append(RankedValue(value, ends, ResampledValue(draws, 200)))
        first, _ = model_ranks(ranked, LOWER, direction_of(LOWER, {}))
        assert (first.rank, first.low, first.high) == (1, 1, worst)


def headline_ranks_of(frame: pd.DataFrame, metric: str) -> list[Rank]:
    """Ranks of the models by a metric on the scale 0-100."""
    results, draws = summarize_with_draws(frame, resamples=2_000, seed=0, convention=None)
    table = ResultTable.from_frame(results)
    ranks = headline_ranks(table, sorted(set(frame["model"])), draws)
    rows = [row for row in table if row.index in ranks and row["metric"] == metric]
    return [ranks[row.index] for row in rows]


@pytest.mark.parametrize("metric", ["overconfidence", "ece"])
def test_ranks_of_two_models_agree_with_compare(metric: str) -> None:
    """A model surely ranks first if, and only if, `compare` says that it is better or nearer."""
    rng = np.random.default_rng(6)
    verdicts = set()
    for stated_too_much in (0.05, 0.15, 0.3, 0.45):
        models = []
        for model, excess in (("one", 0.0), ("other", stated_too_much)):
            confidence = rng.choice([0.5, 0.7, 0.9], 80)
            correct = (rng.random(80) < confidence - excess).astype(int)
            models.append(scale_judgments(model, confidence.tolist(), correct.tolist()))
        frame = pd.concat(models, ignore_index=True)
        first, second = headline_ranks_of(frame, metric)
        differences = compare(frame, metrics=[metric], resamples=2_000, seed=1)
        (row,) = differences[differences["role"] == "primary"].to_dict("records")
        p = row["p_distance"] if metric == "overconfidence" else row["p"]
        assert abs(p - 0.05) > 0.01  # no verdict hangs on the seed
        is_ordered = [rank.low == rank.high for rank in (first, second)]
        assert is_ordered == [p < 0.05] * 2
        verdicts.add(bool(p < 0.05))
    assert verdicts == {True, False}


def draws_of(metric: str, frame: pd.DataFrame, resamples: int, scale: str = "") -> list[Any]:
    """The metric's values over the resamples, of each model."""
    results, draws = summarize_with_draws(frame, resamples=resamples, seed=0, convention=None)
    is_of_metric = results["metric"].eq(metric) & results["condition"].str.contains(scale)
    return [draws[row].draws for row in results.index[is_of_metric] if row in draws]


def test_models_with_the_same_answers_tie_in_every_resample() -> None:
    """Items are resampled together however the rows are ordered: the ranks stay 1 and 1."""
    rng = np.random.default_rng(1)
    bounds = [(3 - width, 3 + shift) for width, shift in rng.uniform(-0.5, 2, (40, 2))]
    bounds = [(min(pair), max(pair)) for pair in bounds]
    second_model = intervals("other", bounds).sample(frac=1, random_state=2)
    frame = pd.concat([intervals("one", bounds), second_model], ignore_index=True)
    first, second = draws_of("coverage_gap", frame, resamples=200)
    assert np.ptp(first) > 0
    np.testing.assert_array_equal(first, second)


def test_ece_of_reordered_judgments_ties_in_every_resample() -> None:
    """ECE of the same reports in another order is the same in every resample."""
    rng = np.random.default_rng(3)
    confidence = rng.integers(0, 11, 30) / 10
    correct = rng.integers(0, 2, 30).tolist()
    first_model = scale_judgments("one", confidence.tolist(), correct)
    second_model = first_model.assign(model="other").sample(frac=1, random_state=4)
    first, second = draws_of(
        "ece", pd.concat([first_model, second_model]), resamples=100, scale="^scale=0-100$"
    )
    assert np.ptp(first) > 0
    np.testing.assert_allclose(first, second, rtol=0, atol=1e-12)


def test_results_with_draws_equal_those_of_summarize() -> None:
    """Values, intervals and notes of two models in one table are those of `summarize`."""
    rng = np.random.default_rng(5)
    models = []
    for model in ("one", "other"):
        confidence = rng.integers(0, 11, 40) / 10
        correct = (rng.random(40) < confidence).astype(int).tolist()
        models.append(scale_judgments(model, confidence.tolist(), correct))
    frame = pd.concat(models, ignore_index=True)
    results, draws = summarize_with_draws(frame, resamples=100, seed=3, convention=None)
    pd.testing.assert_frame_equal(results, summarize(frame, resamples=100, seed=3))
    assert {len(value.draws) for value in draws.values()} == {100}
    assert {value.unit_count for value in draws.values()} == {40}


def test_a_single_model_has_no_draws_for_ranks() -> None:
    """Its results are those of `summarize`."""
    frame = intervals("one", [(2.0, 4.0), (2.5, 5.0), (4.0, 6.0), (5.0, 6.0), (1.0, 3.5)])
    results, draws = summarize_with_draws(frame, resamples=100, seed=3, convention=None)
    pd.testing.assert_frame_equal(results, summarize(frame, resamples=100, seed=3))
    assert draws == {}
