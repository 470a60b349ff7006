"""Count tables: what every metric of them has in common, and their bootstrap."""

import tracemalloc
from collections.abc import Callable
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from build import column_of
from inspect_confidence import metrics
from inspect_confidence.metrics import (
    METRICS,
    TABLE_FUNCTIONS,
    ConfidenceTables,
    ItemTables,
    accuracy,
    auroc,
    bootstrap,
    ece,
    m_ratio,
    mean_confidence,
)
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.tables import (
    accuracy_of_tables,
    confidence_table,
    mean_confidence_of_tables,
)
from metrics.strategies import fixed

NAN = float("nan")
TableMetric = Callable[[ConfidenceTables], FloatArray]
PLAIN = (
    *("overconfidence", "ece", "auroc", "auprc_error", "aurc", "brier", "brier_reliability"),
    *("brier_resolution", "brier_uncertainty", "type2_dprime", "meta_d_ideal", "type2_criterion"),
    *("meta_information", "meta_information_corrected", "augrc", "prr", "log_score"),
)
COSTS = metrics.Costs(right=1, wrong=-2, abstain=0)
OF_JUDGMENTS: dict[str, tuple[Callable[..., float], dict[str, Any]]] = {
    **{name: (getattr(metrics, name), {}) for name in PLAIN},
    "ece equal_mass": (ece, {"bins": 4, "binning": "equal_mass"}),
    "ece own_top": (ece, {"bins": 20, "binning": "own_top"}),
    "ece right_closed": (ece, {"bins": 7, "binning": "right_closed"}),
    "risk_at_coverage": (metrics.risk_at_coverage, {"coverage": 0.7}),
    "expected_utility": (metrics.expected_utility, {"costs": COSTS, "threshold": 0.5}),
    "m_ratio two_z": (m_ratio, {"type1": "two_z"}),
    "m_ratio two_afc": (m_ratio, {"type1": "two_afc"}),
    "m_ratio m_afc": (m_ratio, {"type1": "m_afc", "alternatives": 3, "threshold": 0.7}),
}
OF_TABLES: dict[str, TableMetric] = {
    "accuracy": accuracy_of_tables,
    "mean_confidence": mean_confidence_of_tables,
    **{
        name: partial(TABLE_FUNCTIONS[function.__name__], **options)
        for name, (function, options) in OF_JUDGMENTS.items()
    },
}
PUBLIC: dict[str, Callable[[FloatArray, FloatArray], float]] = {
    "accuracy": lambda _, correct: accuracy(correct),
    "mean_confidence": lambda confidence, _: mean_confidence(confidence),
    **{name: partial(metric, **options) for name, (metric, options) in OF_JUDGMENTS.items()},
}
reports_and_outcomes = st.lists(
    st.tuples(st.integers(0, 10), st.booleans()), min_size=1, max_size=30
)


class TabledJudgments(NamedTuple):
    """Judgments of items, one each."""

    confidence: FloatArray
    correct: FloatArray


def example(items: int = 80) -> TabledJudgments:
    """Confidences on 0-20 that go with being right, in most resamples on both sides of 0.7."""
    rng = np.random.default_rng(items)
    correct = (rng.random(items) < 0.7).astype(float)
    reports = np.clip(rng.integers(4, 19, items) + 4 * correct, 0, 20)
    return TabledJudgments(reports / 20, correct)


def assert_close(
    got: ArrayLike, expected: ArrayLike, tolerance: float = 1e-12, name: str = ""
) -> None:
    """Both are equal but for rounding, NaN to NaN."""
    np.testing.assert_allclose(
        np.asarray(got, float),
        np.asarray(expected, float),
        rtol=tolerance,
        atol=tolerance,
        err_msg=name,
    )


def test_more_epochs_change_nothing() -> None:
    """Asking each item again with the same answers changes no value and no resample of it."""
    confidence, correct = example()
    items = len(correct)
    one_epoch = ItemTables.from_judgments(confidence, correct)
    for epochs in (2, 3):
        many_epochs = ItemTables.from_judgments(
            np.tile(confidence, epochs),
            np.tile(correct, epochs),
            np.tile(np.arange(items), epochs),
            items,
        )
        for name, metric in OF_TABLES.items():
            value = metric(one_epoch.tables(np.ones((1, items))))
            repeated = metric(many_epochs.tables(np.ones((1, items))))
            assert np.isfinite(value).all(), name
            assert_close(repeated, value, name=name)
        for name, metric in OF_TABLES.items():
            draws = resampled(metric, one_epoch, many_epochs)
            assert np.std(draws["once"]) > 0, name
            assert_close(draws["often"], draws["once"], 1e-11, name)


def resampled(metric: TableMetric, once: ItemTables, often: ItemTables) -> dict[str, FloatArray]:
    """200 values of a metric, with the same weights of items."""
    return bootstrap(
        {
            "once": lambda weights: metric(once.tables(weights)),
            "often": lambda weights: metric(often.tables(weights)),
        },
        np.zeros(once.masses.shape[1], np.int64),
        resamples=200,
        seed=7,
    )


def test_missing_judgments_are_nothing() -> None:
    """Unreadable judgments among an item's others change no value of any resample."""
    confidence, correct = example()
    items = len(correct)
    weights = (
        np.random.default_rng(3).multinomial(items, np.full(items, 1 / items), 50).astype(float)
    )
    gaps = np.full(items, NAN)
    complete = ItemTables.from_judgments(confidence, correct)
    cells = ItemTables.from_judgments(
        np.concatenate([gaps, confidence, confidence]),
        np.concatenate([correct, correct, gaps]),
        np.tile(np.arange(items), 3),
        items,
    )
    for name, metric in OF_TABLES.items():
        assert_close(metric(cells.tables(weights)), metric(complete.tables(weights)), name=name)


def test_weights_are_repetitions() -> None:
    """A row of whole weights gives the value of arrays of the judgments so repeated."""
    confidence, correct = example(40)
    weights = np.random.default_rng(5).integers(0, 4, (12, 40))
    weights[0] = 1
    tables = ItemTables.from_judgments(confidence, correct).tables(weights.astype(float))
    repeated = [(np.repeat(confidence, row), np.repeat(correct, row)) for row in weights]
    for name, metric in OF_TABLES.items():
        got = metric(tables)
        assert np.isfinite(got).all(), name
        assert_close(got, [PUBLIC[name](*judgments) for judgments in repeated], 1e-11, name)


@fixed
@given(reports_and_outcomes)
def test_values_lie_in_the_range_that_the_registry_says(rows: list[tuple[int, bool]]) -> None:
    """Each metric is NaN or within its registered range, and NaN for an empty resample."""
    cells = ItemTables.from_judgments(np.array(column_of(rows, 0)) / 10, column_of(rows, 1))
    tables = cells.tables(np.array([[1.0], [0]]) * np.ones(len(rows)))
    for name, metric in OF_TABLES.items():
        full, empty = metric(tables)
        entry = METRICS[name.partition(" ")[0]]
        assert np.isnan(full) or entry.low - 1e-12 <= full <= entry.high + 1e-12, name
        assert np.isnan(empty), name


@fixed
@given(reports_and_outcomes)
def test_tables_of_ones_are_one_table(rows: list[tuple[int, bool]]) -> None:
    """With every item once, the table counts each confidence's right and wrong judgments."""
    confidence, correct = np.array(column_of(rows, 0)) / 10, column_of(rows, 1)
    table, weighted_table = (
        confidence_table(confidence, correct),
        ItemTables.from_judgments(confidence, correct).tables(np.ones((1, len(rows)))),
    )
    values = sorted(set(column_of(rows, 0)))
    for each_table in (table, weighted_table):
        assert each_table.values.tolist() == (np.array(values) / 10).tolist()
        assert each_table.right.tolist() == [list(map(rows.count, zip(values, repeat(True))))]
        assert each_table.wrong.tolist() == [list(map(rows.count, zip(values, repeat(False))))]
        assert each_table.binary


def test_judgments_of_an_item_share_its_mass() -> None:
    """Three judgments of two of three items share a mass of 2; each item's stay in its row."""
    cells = ItemTables.from_judgments(
        [0.5, 0.9, 0.5, NAN], [1, 0.25, 0, 1], np.array([2, 0, 0, 1]), 3
    )
    assert cells.values.tolist() == [0.5, 0.9]
    right, wrong = np.split(cells.masses.toarray().T, 2, axis=1)
    assert_close(right, np.array([[0, 0.25], [0, 0], [1, 0]]) * 2 / 3)
    assert_close(wrong, np.array([[1, 0.75], [0, 0], [0, 0]]) * 2 / 3)
    assert not cells.binary
    table = cells.tables(np.array([[1.0, 5, 0], [0, 0, 3]]))
    assert_close(table.mass, np.array([[1, 1], [3, 0]]) * 2 / 3)


def test_missing_and_impossible_judgments() -> None:
    """NaN is left out, and a metric of nothing NaN; what is outside [0, 1] raises, and is named."""
    confidence, correct = example()
    gaps = np.concatenate([[NAN, 0.4, NAN], confidence]), np.concatenate([[1, NAN, NAN], correct])
    for name, (metric, options) in OF_JUDGMENTS.items():
        assert metric(*gaps, **options) == metric(confidence, correct, **options), name
        for nothing in (([], []), ([NAN, 0.5], [1, NAN])):
            assert np.isnan(metric(*nothing, **options)), name
        for wrong in (90, 1.01, -0.01, np.inf, -np.inf):
            with pytest.raises(ValueError, match=f"confidence={float(wrong)} is not in"):
                metric([0.5, wrong], [1, 1], **options)
            with pytest.raises(ValueError, match=f"outcome={float(wrong)} is not in"):
                metric([0.5, 0.5], [1, wrong], **options)
        with pytest.raises(ValueError, match="'confidence': 2, 'outcome': 3"):
            metric([0.5, 0.5], [1, 0, 1], **options)
    assert (accuracy([1, NAN, 0]), mean_confidence([0.25, NAN])) == (0.5, 0.25)
    assert np.isnan(
        [accuracy([]), accuracy([NAN]), mean_confidence([]), mean_confidence([NAN])]
    ).all()
    with pytest.raises(ValueError, match="outcome=2"):
        accuracy([1, 2])
    with pytest.raises(ValueError, match="confidence=80"):
        mean_confidence([80, 1])


def test_distinct_confidences_need_little_memory() -> None:
    """A metric of n distinct confidences needs memory for some numbers a judgment, not for n^2."""
    confidence = np.arange(2000) / 2000
    correct = np.arange(2000) % 3 > 0
    tracemalloc.start()
    try:
        auroc(confidence, correct)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2000 * 500
