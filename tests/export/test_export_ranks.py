"""Ranks: their order, ties, targets, intervals, and what has none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

from export.judged import intervals, scale_judgments
from inspect_confidence.commands.summarize import summarize
from inspect_confidence.export.leaderboard import ranks
from inspect_confidence.export.material import observed
from inspect_confidence.headlines import direction_of
from inspect_confidence.judgments.read import judgments_of

NAN = float("nan")
LOWER = direction_of("ece", "")
HIGHER = direction_of("auroc", "")
RATIO = direction_of("coverage_plateau", "")
POINT = (1.0, 1.0)


def test_ranks_and_their_intervals_equal_those_by_hand() -> None:
    """1 2 1 1, 2 1 2 2 and 2 3 2 2; nearness to a target ranks, which the condition tells."""
    values = np.array([1.0, 2.0, 2.0])
    draws = [np.array([1.0, 1, 1, 1]), np.array([2.0, 0, 2, 2]), np.array([2.0, 2, 2, 2])]
    model_ranks = ranks(values, [POINT] * 3, draws, LOWER)
    assert [(rank.rank, rank.low, rank.high) for rank in model_ranks] == [
        (1, 1, 2),
        (2, 1, 2),
        (2, 2, 3),
    ]
    # 0.9 and 1.1 are as near to 1 as each other, 0.5 is further, 2 is furthest.
    model_ranks = ranks(np.array([0.5, 0.9, 2.0, 1.1]), [POINT] * 4, [None] * 4, RATIO)
    assert [rank.rank for rank in model_ranks] == [3, 1, 4, 1]
    # Coverage aims at its level, misses on one side at half of the rest.
    assert direction_of("coverage", "level=90;method=direct").target == 0.9
    assert direction_of("miss_below", "level=90").target == 0.05
    assert direction_of("miss_above", "level=99").target == 0.005
    assert math.isnan(direction_of("coverage", "method=direct").target)


@pytest.mark.parametrize(("direction", "sign"), [(LOWER, 1), (HIGHER, -1)])
def test_ranks_are_those_of_scipy(direction: object, sign: int) -> None:
    """Ties share the best rank, as `scipy.stats.rankdata(method="min")` has it."""
    values = np.random.default_rng(0).integers(0, 6, 30).astype(float)
    model_ranks = ranks(values, [POINT] * 30, [None] * 30, direction)  # type: ignore[arg-type]
    np.testing.assert_array_equal(
        [rank.rank for rank in model_ranks], rankdata(sign * values, "min")
    )


def test_a_missing_rank_or_rank_interval_has_a_reason() -> None:
    """Undefined and unmoved numbers, metrics without a direction, and undefined resamples."""
    undefined, defined = ranks(np.array([NAN, 1.0]), [POINT] * 2, [None] * 2, LOWER)
    assert math.isnan(undefined.rank)
    assert "undefined" in undefined.note
    assert defined.rank == 1
    for metric, reason in (("mean_width", "no direction"), ("coverage", "target is not known")):
        (first,) = ranks(np.array([0.5]), [POINT], [None], direction_of(metric, ""))
        assert math.isnan(first.rank)
        assert reason in first.note
    draws = [np.full(4, 1.0), np.array([0.5, 2.0, 2.0, 2.0])]
    fixed, moved = ranks(np.array([1.0, 2.0]), [(0.5, 1.5), (0.5, 2.0)], draws, LOWER)
    assert fixed.rank == 1
    assert math.isnan(fixed.low)
    assert "no rank interval" in fixed.note
    assert (moved.rank, moved.low, moved.high) == (2, 1, 2)
    draws = [np.full(4, 1.0), np.array([0.5, 2.0, 2.0, 2.0])]
    without_interval, moved = ranks(np.array([1.0, 2.0]), [(NAN, NAN), (0.5, 2.0)], draws, LOWER)
    assert math.isnan(without_interval.low)
    assert (moved.low, moved.high) == (1, 2)
    draws = [np.array([1.0, NAN, 1, 1]), np.array([0.0, 3, 0, NAN])]
    first, second = ranks(np.array([1.0, 2.0]), [POINT] * 2, draws, LOWER)
    assert (first.low, first.high, second.low, second.high) == (2, 2, 1, 1)
    assert first.note == "2 of 4 resamples, undefined for a model, left out"
    draws = [np.full(4, NAN), np.array([0.5, 2.0, 2.0, 2.0])]
    undefined_draws, moved = ranks(np.array([1.0, 2.0]), [(NAN, NAN), (0.5, 2.0)], draws, LOWER)
    assert undefined_draws.rank == 1
    assert math.isnan(undefined_draws.low)
    assert undefined_draws.note == "no rank interval: undefined in every resample"
    assert (moved.low, moved.high) == (1, 2)


def draws_of(metric: str, frame: pd.DataFrame, resamples: int, scale: str = "") -> list[Any]:
    """The metric's values over the resamples, of each model."""
    results, draws = observed(judgments_of(frame), resamples=resamples, seed=0, convention=None)
    is_of_metric = results["metric"].eq(metric) & results["condition"].str.contains(scale)
    return [draws[row] for row in results.index[is_of_metric] if draws[row] is not None]


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


def test_observed_results_equal_those_of_summarize() -> None:
    """Values, intervals and notes are those of `summarize`."""
    bounds = [(2.0, 4.0), (2.5, 5.0), (4.0, 6.0), (5.0, 6.0), (1.0, 3.5)]
    frame = intervals("one", bounds)
    results, draws = observed(judgments_of(frame), resamples=100, seed=3, convention=None)
    pd.testing.assert_frame_equal(results, summarize(frame, resamples=100, seed=3))
    assert {len(array) for array in draws if array is not None} == {100}
