"""Count tables: what every metric of them has in common, and their bootstrap."""

import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from inspect_confidence.metrics import (
    METRICS,
    Cells,
    auprc_error,
    aurc,
    auroc,
    bootstrap,
    brier,
    ece,
    m_ratio,
    mean_confidence,
    meta_d_ideal,
    meta_information,
    overconfidence,
    percentile_interval,
    type2_criterion,
    type2_dprime,
)
from inspect_confidence.metrics.calibration import (
    brier_of,
    ece_of,
    reliability_of,
    resolution_of,
    uncertainty_of,
)
from inspect_confidence.metrics.confidence_tables import (
    TableMetric,
    accuracy_of,
    mean_confidence_of,
    one_table,
    overconfidence_of,
)
from inspect_confidence.metrics.discrimination import (
    auprc_error_of,
    aurc_of,
    auroc_of,
    meta_information_of,
)
from inspect_confidence.metrics.type2 import (
    m_ratio_of,
    meta_d_ideal_of,
    type2_criterion_of,
    type2_dprime_of,
)
from metrics.strategies import FloatArray, fixed

NAN = float("nan")
OF_TABLES: dict[str, TableMetric] = {
    "accuracy": accuracy_of,
    "mean_confidence": mean_confidence_of,
    "overconfidence": overconfidence_of,
    "ece": ece_of,
    "ece equal_mass": partial(ece_of, bins=4, binning="equal_mass"),
    "ece own_top": partial(ece_of, bins=20, binning="own_top"),
    "brier": brier_of,
    "brier_reliability": reliability_of,
    "brier_resolution": resolution_of,
    "brier_uncertainty": uncertainty_of,
    "auroc": auroc_of,
    "auprc_error": auprc_error_of,
    "aurc": aurc_of,
    "type2_dprime": type2_dprime_of,
    "meta_d_ideal": meta_d_ideal_of,
    "type2_criterion": type2_criterion_of,
    "m_ratio two_z": partial(m_ratio_of, type1="two_z"),
    "m_ratio two_afc": partial(m_ratio_of, type1="two_afc"),
    "m_ratio m_afc": partial(m_ratio_of, type1="m_afc", alternatives=3, threshold=0.7),
    "meta_information": meta_information_of,
}
PUBLIC: dict[str, Callable[[FloatArray, FloatArray], float]] = {
    "mean_confidence": lambda confidence, _: mean_confidence(confidence),
    "overconfidence": overconfidence,
    "ece": ece,
    "ece equal_mass": partial(ece, bins=4, binning="equal_mass"),
    "ece own_top": partial(ece, bins=20, binning="own_top"),
    "brier": brier,
    "auroc": auroc,
    "auprc_error": auprc_error,
    "aurc": aurc,
    "type2_dprime": type2_dprime,
    "meta_d_ideal": meta_d_ideal,
    "type2_criterion": type2_criterion,
    "m_ratio two_z": partial(m_ratio, type1="two_z"),
    "m_ratio m_afc": partial(m_ratio, type1="m_afc", alternatives=3, threshold=0.7),
    "meta_information": meta_information,
}
every_metric = pytest.mark.parametrize("name", OF_TABLES)
every_public = pytest.mark.parametrize("name", PUBLIC)
some = st.lists(st.tuples(st.integers(0, 10), st.booleans()), min_size=1, max_size=30)


class Judged(NamedTuple):
    """Judgments of items, one each."""

    confidence: FloatArray
    correct: FloatArray


def example(items: int = 80) -> Judged:
    """Confidences on 0-20 that go with being right, in most resamples on both sides of 0.7."""
    rng = np.random.default_rng(items)
    correct = (rng.random(items) < 0.7).astype(float)
    reports = np.clip(rng.integers(4, 19, items) + 4 * correct, 0, 20)
    return Judged(reports / 20, correct)


def close(got: object, expected: object, tolerance: float = 1e-12) -> None:
    """Both are equal but for rounding, NaN to NaN."""
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)  # type: ignore[call-overload]


@pytest.mark.parametrize("epochs", [2, 3])
@every_metric
def test_more_epochs_change_nothing(name: str, epochs: int) -> None:
    """Asking each item again with the same answers changes no value and no resample of it."""
    metric, (confidence, correct) = OF_TABLES[name], example()
    items = len(correct)
    once = Cells.of(confidence, correct)
    often = Cells.of(
        np.tile(confidence, epochs),
        np.tile(correct, epochs),
        np.tile(np.arange(items), epochs),
        items,
    )
    ones = np.ones((1, items))
    value = metric(once.tables(ones))
    assert np.isfinite(value).all()
    close(metric(often.tables(ones)), value)
    strata = np.zeros(items, np.int64)
    draws = bootstrap(
        {
            "once": lambda weights: metric(once.tables(weights)),
            "often": lambda weights: metric(often.tables(weights)),
        },
        strata,
        resamples=200,
        seed=7,
    )
    assert np.std(draws["once"]) > 0
    close(draws["often"], draws["once"], 1e-11)


@every_metric
def test_missing_judgments_are_nothing(name: str) -> None:
    """Unreadable judgments among an item's others change no value of any resample."""
    metric, (confidence, correct) = OF_TABLES[name], example()
    items = len(correct)
    weights = (
        np.random.default_rng(3).multinomial(items, np.full(items, 1 / items), 50).astype(float)
    )
    expected = metric(Cells.of(confidence, correct).tables(weights))
    gaps = np.full(items, NAN)
    cells = Cells.of(
        np.concatenate([gaps, confidence, confidence]),
        np.concatenate([correct, correct, gaps]),
        np.tile(np.arange(items), 3),
        items,
    )
    close(metric(cells.tables(weights)), expected)


@every_public
def test_weights_are_repetitions(name: str) -> None:
    """A row of whole weights gives the public function's value on the judgments so repeated."""
    confidence, correct = example(40)
    weights = np.random.default_rng(5).integers(0, 4, (12, 40))
    weights[0] = 1
    expected = [
        PUBLIC[name](np.repeat(confidence, row), np.repeat(correct, row)) for row in weights
    ]
    got = OF_TABLES[name](Cells.of(confidence, correct).tables(weights.astype(float)))
    assert np.isfinite(got).all()
    close(got, expected, 1e-11)


@every_public
def test_the_interval_is_that_of_a_loop(name: str) -> None:
    """The percentile interval of tables is that of the public function over the same resamples."""
    confidence, correct = example(50)
    cells = Cells.of(confidence, correct)
    rows: list[NDArray[np.int64]] = []

    def statistic(weights: FloatArray) -> FloatArray:
        rows.extend(weights.astype(np.int64))
        return OF_TABLES[name](cells.tables(weights))

    draws = bootstrap({"value": statistic}, np.zeros(50, np.int64), resamples=60, seed=11)["value"]
    loop = [PUBLIC[name](np.repeat(confidence, row), np.repeat(correct, row)) for row in rows]
    assert len(loop) == 60
    close(percentile_interval(draws, 0.9), percentile_interval(loop, 0.9), 1e-11)
    low, high = percentile_interval(loop, 0.9)
    assert low < high


@fixed
@given(some)
def test_values_lie_in_the_range_that_the_registry_says(rows: list[tuple[int, bool]]) -> None:
    """Each metric is NaN or within its registered range, and NaN for an empty resample."""
    cells = Cells.of([report / 10 for report, _ in rows], [right for _, right in rows])
    tables = cells.tables(np.array([[1.0], [0]]) * np.ones(len(rows)))
    for name, metric in OF_TABLES.items():
        full, empty = metric(tables)
        entry = METRICS[name.partition(" ")[0]]
        assert np.isnan(full) or entry.low - 1e-12 <= full <= entry.high + 1e-12, name
        assert np.isnan(empty), name


@fixed
@given(some)
def test_tables_of_ones_are_one_table(rows: list[tuple[int, bool]]) -> None:
    """With every item once, the table counts each confidence's right and wrong judgments."""
    confidence, correct = [report / 10 for report, _ in rows], [right for _, right in rows]
    table, other = (
        one_table(confidence, correct),
        Cells.of(confidence, correct).tables(np.ones((1, len(rows)))),
    )
    values = sorted({report for report, _ in rows})
    for one in (table, other):
        assert one.values.tolist() == [value / 10 for value in values]
        assert one.right.tolist() == [[rows.count((value, True)) for value in values]]
        assert one.wrong.tolist() == [[rows.count((value, False)) for value in values]]
        assert one.binary


def test_cells_by_hand() -> None:
    """Three judgments of two of three items share a mass of 2; each item's stay in its row."""
    cells = Cells.of([0.5, 0.9, 0.5, NAN], [1, 0.25, 0, 1], np.array([2, 0, 0, 1]), 3)
    assert cells.values.tolist() == [0.5, 0.9]
    right, wrong = np.split(cells.masses.toarray().T, 2, axis=1)
    close(right, np.array([[0, 0.25], [0, 0], [1, 0]]) * 2 / 3)
    close(wrong, np.array([[1, 0.75], [0, 0], [0, 0]]) * 2 / 3)
    assert not cells.binary
    table = cells.tables(np.array([[1.0, 5, 0], [0, 0, 3]]))
    close(table.mass, np.array([[1, 1], [3, 0]]) * 2 / 3)


def test_what_cannot_be_is_refused() -> None:
    """Values outside [0, 1], infinite ones and odd lengths raise an error that names them."""
    for wrong in (1.01, -0.01, np.inf, -np.inf):
        with pytest.raises(ValueError, match=f"confidence={wrong}"):
            Cells.of([0.5, wrong], [1, 1])
        with pytest.raises(ValueError, match=f"outcome={wrong}"):
            Cells.of([0.5, 0.5], [1, wrong])
    with pytest.raises(ValueError, match="'confidence': 1, 'outcome': 2"):
        Cells.of([0.5], [1, 0])


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
