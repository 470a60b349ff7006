"""Resampling of many units: patterns of units that add the same, and groups of units."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from inspect_confidence.metrics import (
    GROUPS,
    STEPS,
    CombinedStatistic,
    ItemTables,
    Resampled,
    SumStatistic,
    bootstrap,
    mean_of,
    median_of,
    resampled_as,
)
from inspect_confidence.metrics.arrays import MOST_VALUES, FloatArray, round_to_steps
from inspect_confidence.metrics.calibration import ece_of_tables
from inspect_confidence.metrics.discrimination import auroc_of_tables
from inspect_confidence.metrics.tables import accuracy_of_tables

N = 6_000
ONE = np.zeros(N, np.int64)
PSEUDO = np.zeros(4)
"""Weights of the pseudo-units."""


def judgments(k: int, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """Confidences on k levels, a tenth of them unread, and outcomes."""
    rng = np.random.default_rng(seed)
    confidence = rng.integers(k, size=N) / (k - 1)
    correct = (rng.random(N) < 0.2 + 0.6 * confidence).astype(float)
    return np.where(rng.random(N) < 0.1, np.nan, confidence), correct


def of_cells(cells: ItemTables) -> SumStatistic[FloatArray]:
    """Three numbers of a count table."""
    return cells.table_statistic.map(
        lambda tables: np.column_stack(
            [ece_of_tables(tables), auroc_of_tables(tables), accuracy_of_tables(tables)]
        )
    )


def test_up_to_four_thousand_units_are_drawn_one_by_one() -> None:
    """Also of several strata that are more together."""
    distinct_units = mean_of(np.arange(4_000), np.arange(4_000), 4_000)
    assert resampled_as([distinct_units], np.zeros(4_000, np.int64), patterns=True).rows is None
    assert resampled_as([], np.repeat([0, 1], 4_000)).rows is None
    assert resampled_as([], np.zeros(4_001, np.int64)).grouped


@pytest.mark.parametrize("k", [3, 250])
def test_all_rows_once_are_all_units_once(k: int) -> None:
    """Patterns as often as there are units of them, groups once each: the sample itself."""
    confidence, correct = judgments(k)
    cells = of_cells(ItemTables.from_judgments(confidence, correct))
    mean = mean_of(correct, np.arange(N), N)
    combined = CombinedStatistic(
        [cells, mean], lambda table_values, mean_value: np.column_stack([table_values, mean_value])
    )
    plan = resampled_as([combined], ONE, patterns=True)
    assert plan.grouped == (k == 250)
    if plan.sizes is not None:  # right, wrong at three values, or unread: two outcomes each
        assert len(plan.sizes) == 8
    rows = np.ones(len(plan.strata)) if plan.sizes is None else plan.sizes.astype(float)
    once: FloatArray = np.append(rows, PSEUDO)[None].astype(np.float64)
    np.testing.assert_allclose(plan.adapt(combined)(once), combined(np.ones((1, N))), 1e-12)


def test_many_confidences_are_drawn_in_steps() -> None:
    """Of 3,001, in steps of 1/120: moved to the sample's numbers, and as variable as all."""
    confidence, correct = judgments(3_001)
    cells = ItemTables.from_judgments(confidence, correct)
    coarser = cells.coarser
    assert coarser is not None
    assert len(coarser.values) <= 2 * STEPS + 1
    assert {0, 0.5, 1} <= set(coarser.values)  # edges of bins, cells of their own
    fine, coarse = of_cells(cells), of_cells(coarser)
    once = np.ones((1, N))
    # Bins keep their judgments, and ties of steps move AUROC by less than their width.
    np.testing.assert_allclose(fine(once)[0, ::2], coarse(once)[0, ::2], 1e-9)
    np.testing.assert_allclose(fine(once)[0, 1], coarse(once)[0, 1], atol=1 / STEPS)
    plan = resampled_as([fine], ONE)
    np.testing.assert_allclose(
        plan.adapt(fine)(np.append(np.ones(GROUPS), PSEUDO)[None]), fine(once), 1e-12
    )
    few = ItemTables.from_judgments(confidence[:MOST_VALUES], correct[:MOST_VALUES])
    assert few.coarser is None
    # Drawn with the same weights, the errors of both agree.
    rows = Resampled(plan.strata, plan.rows)
    weights = np.random.default_rng(0).multinomial(GROUPS, np.ones(GROUPS) / GROUPS, size=100)
    plain = SumStatistic(fine.sums, fine.compute)
    with_pseudo: FloatArray = np.hstack([weights, np.zeros((100, 4))]).astype(np.float64)
    by_step, by_value = rows.adapt(fine)(with_pseudo), rows.adapt(plain)(with_pseudo)
    relative_spread = (by_step - by_value).std(axis=0) / by_value.std(axis=0)
    assert (relative_spread < 0.02).all()


def test_weights_of_patterns_have_the_moments_of_a_dirichlet_law() -> None:
    """Of patterns of k units in n: mean k, covariance n (diag(p) - p p') n / (n + 1)."""
    sizes = np.array([500, 300, 200])
    n, p = sizes.sum(), sizes / sizes.sum()
    plan = Resampled(np.zeros(3, np.int64), csr_array(np.eye(3)), sizes)
    weights = np.vstack(list(plan.weights(20_000, 0)))[:, :3]
    np.testing.assert_allclose(weights.sum(axis=1), n)
    covariance = n * (np.diag(p) - np.outer(p, p)) * n / (n + 1)
    error = np.sqrt(np.outer(*[np.diag(covariance)] * 2) / 20_000)  # of a covariance, nearly
    np.testing.assert_array_less(np.abs(np.cov(weights.T) - covariance), 5 * 2**0.5 * error)
    np.testing.assert_array_less(
        np.abs(weights.mean(axis=0) - n * p), 5 * np.sqrt(np.diag(covariance) / 20_000)
    )


def test_units_far_from_the_middle_are_alike_to_a_median() -> None:
    """All that lie below, and all that lie above, are one pattern each."""
    values = np.random.default_rng(0).normal(size=N)
    median = median_of(values, np.arange(N), N)
    plan = resampled_as([median], ONE, patterns=True)
    assert plan.sizes is not None
    assert plan.sizes.sum() == N
    assert np.sort(plan.sizes)[-2] > N / 3
    assert plan.adapt(median)(np.append(plan.sizes, PSEUDO).astype(float)[None])[0] == np.median(
        values
    )


def test_a_median_of_many_values_is_found_near_the_middle() -> None:
    """It is the median of what was drawn, though values far from the middle aren't told apart."""
    rng = np.random.default_rng(1)
    values, unit = rng.normal(size=3 * N), np.repeat(np.arange(N), 3)
    median = median_of(values, unit, N)
    assert median.sums.shape[1] < 3 * N / 4
    weights = np.random.default_rng(0).multinomial(N, np.ones(N) / N, size=5).astype(float)
    expected = [np.median(np.repeat(values, row[unit].astype(int))) for row in weights]
    np.testing.assert_array_equal(median(weights), expected)


@pytest.mark.parametrize("k", [3, 250])
def test_strata_keep_their_sizes(k: int) -> None:
    """A stratum of few units is drawn one by one beside one in groups."""
    strata = np.repeat([4, 9], [1_000, N - 1_000])
    confidence, correct = judgments(k)
    cells = of_cells(ItemTables.from_judgments(confidence, correct))
    plan = resampled_as([cells], strata, patterns=True)
    assert plan.rows is not None
    row_sizes = plan.rows @ np.column_stack([strata == 4, strata == 9]).astype(float)
    (weights,) = plan.weights(3, 0)
    weights = weights[:, :-4]
    if plan.grouped:
        assert (plan.strata == 4).sum() == 1_000
        assert (plan.strata == 9).sum() == GROUPS
        np.testing.assert_allclose(weights @ row_sizes[:, 0], 1_000)  # one unit each
    else:
        per_unit = row_sizes / row_sizes.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(weights @ per_unit, [[1_000, N - 1_000]] * 3)


def test_separate_calls_draw_the_same_groups() -> None:
    """Two models on the same items: their difference is that of a joint draw."""
    rng = np.random.default_rng(1)
    shared = rng.normal(size=N)
    first, second = (mean_of(shared + c, np.arange(N), N) for c in (0.0, 1.0))
    draws = [
        bootstrap({"x": statistic}, ONE, resamples=50, seed=[3, 1])["x"]
        for statistic in (first, second)
    ]
    np.testing.assert_allclose(draws[1] - draws[0], 1, 1e-9)
    elsewhere = bootstrap({"x": first}, ONE, resamples=50, seed=[3, 2])["x"]
    assert not np.allclose(elsewhere, draws[0])


@pytest.mark.parametrize("k", [3, 250])
def test_more_equal_epochs_change_no_draw(k: int) -> None:
    """Items are drawn, not judgments: a second epoch with the same replies, unread ones too."""
    confidence, correct = judgments(k)
    draws = []
    for epochs in (1, 2):
        confidences, right = np.tile(confidence, epochs), np.tile(correct, epochs)
        cells = of_cells(
            ItemTables.from_judgments(confidences, right, np.tile(np.arange(N), epochs), N)
        )
        plan = resampled_as([cells], ONE, patterns=True)
        draws.append(bootstrap({"x": cells}, ONE, resamples=20, sampling=plan)["x"])
    np.testing.assert_allclose(draws[0], draws[1], 1e-9)


@pytest.mark.parametrize("patterns", [True, False])
def test_the_variance_of_a_mean_is_the_textbooks(patterns: bool) -> None:
    """That is p (1 - p) / n, within four standard errors of 1,000 resamples and 2,000 groups."""
    share = mean_of((np.arange(N) % 5 == 0).astype(float), np.arange(N), N)
    plan = resampled_as([share], ONE, patterns=patterns)
    assert plan.grouped != patterns
    draws = bootstrap({"x": share}, ONE, resamples=1_000, sampling=plan)["x"]
    expected = 0.2 * 0.8 / N
    error = np.sqrt(2 / 1_000 + (0 if patterns else 2 / GROUPS))
    assert abs(draws.var() / expected - 1) < 4 * error
    assert abs(draws.mean() - 0.2) < 4 * np.sqrt(expected / 1_000)


def test_stepped_shares_keep_their_mean_and_the_edges_of_steps() -> None:
    """0, 0.05, 0.5 and 1 are edges of steps."""
    shares = np.append(np.random.default_rng(0).random(1_000), [0, 0.05, 0.5, 1])
    coarse = round_to_steps(shares)
    np.testing.assert_allclose(coarse.mean(), shares.mean(), 1e-12)
    assert np.abs(coarse - shares).max() < 1 / STEPS
    np.testing.assert_array_equal(coarse[-4:], shares[-4:])
    assert len(np.unique(coarse)) <= 2 * STEPS + 1


@pytest.mark.parametrize(
    "numbers", [np.arange(MOST_VALUES) / MOST_VALUES, np.linspace(-1, 1, 1_000), np.arange(300.0)]
)
def test_few_shares_and_other_numbers_are_not_stepped(numbers: FloatArray) -> None:
    """250 distinct shares, and numbers below 0 or above 1, stay exact."""
    np.testing.assert_array_equal(round_to_steps(numbers), numbers)


def test_the_mean_of_many_shares_varies_as_that_of_its_steps() -> None:
    """The standard error of a mean is known; equal steps are drawn together, as patterns."""
    shares = np.random.default_rng(0).beta(5, 2, N)
    mean = mean_of(shares, np.arange(N), N)
    plan = resampled_as([mean], ONE, patterns=True)
    assert plan.sizes is not None
    draws = bootstrap({"mean": mean}, ONE, resamples=4_000, sampling=plan)["mean"]
    np.testing.assert_allclose(draws.mean(), shares.mean(), atol=1e-3)
    np.testing.assert_allclose(draws.std(), shares.std() / np.sqrt(N), rtol=0.05)
