"""The Tunnel Index against scipy's entropies and all subsets of traces."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy

from inspect_confidence.metrics import entropy_bits, residual_tunnel_index, tunnel_index
from metrics.strategies import FloatArray, fixed


def normalised(counts: FloatArray) -> FloatArray:
    """Rows of counts as distributions; a row of zeros as certainty of the first value."""
    rows = counts.copy()
    rows[rows.sum(axis=1) == 0, 0] = 1
    made: FloatArray = rows / rows.sum(axis=1, keepdims=True)
    return made


traces = st.tuples(st.integers(1, 8), st.integers(1, 5)).flatmap(
    lambda shape: arrays(float, shape, elements=st.integers(0, 9).map(float)).map(normalised)
)


def brute_force(rows: FloatArray, n: int) -> float:
    """Entropy of the mean less the mean over all subsets of n of the entropy of their mean."""
    found = [
        entropy(rows[list(subset)].mean(axis=0), base=2)
        for subset in combinations(range(len(rows)), n)
    ]
    return float(entropy(rows.mean(axis=0), base=2) - np.mean(found))


@fixed
@given(traces)
def test_entropy_is_scipys(rows: FloatArray) -> None:
    """Entropy along the last axis is scipy's in base 2, zeros included."""
    assert entropy_bits(rows) == pytest.approx(entropy(rows, base=2, axis=1), abs=1e-12)
    assert (entropy_bits(rows) >= 0).all()


@pytest.mark.parametrize(
    ("probabilities", "expected"),
    [([1], 0), ([1, 0, 0], 0), ([0.5, 0.5], 1), ([0.125] * 8, 3), ([0.5, 0.25, 0.25, 0], 1.5)],
)
def test_entropies_by_hand(probabilities: list[float], expected: float) -> None:
    """A certain value has 0 bits, 2^k even ones k bits."""
    assert float(entropy_bits(probabilities)) == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([[1, 0], [0, 1]], 1),
        ([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], 2),  # log2 of 4 traces
        ([[0.3, 0.7]] * 5, 0),
        ([[0.2, 0.8]], 0),
        # H(3/4, 1/4) - (0 + 1)/2 = 2 - 3/4 log2(3) - 1/2
        ([[1, 0], [0.5, 0.5]], 1.5 - 0.75 * math.log2(3)),
    ],
)
def test_indices_by_hand(rows: list[list[float]], expected: float) -> None:
    """The entropy of the mean less the mean entropy, worked out by hand."""
    assert tunnel_index(rows) == pytest.approx(expected, abs=1e-12)


def test_residuals_by_hand() -> None:
    """Of two traces sure of 0 and two sure of 1, pairs agree in 2 of 6 and have 1 bit in 4.

    The mean of all has 1 bit; triples are (2/3, 1/3), with H = log2(3) - 2/3.
    """
    rows = [[1, 0], [1, 0], [0, 1], [0, 1]]
    got = [residual_tunnel_index(rows, n) for n in (1, 2, 3, 4)]
    assert got == pytest.approx([1, 1 - 4 / 6, 1 - (math.log2(3) - 2 / 3), 0], abs=1e-12)


@fixed
@given(traces)
def test_residuals_are_those_of_all_subsets(rows: FloatArray) -> None:
    """At every n the residual is that of all subsets with scipy's entropy."""
    for n in range(1, len(rows) + 1):
        assert residual_tunnel_index(rows, n) == pytest.approx(brute_force(rows, n), abs=1e-12)


@fixed
@given(traces)
def test_residuals_fall_to_zero(rows: FloatArray) -> None:
    """Residuals are at least 0, start at the index, never rise with n and end at 0."""
    residuals = [residual_tunnel_index(rows, n) for n in range(1, len(rows) + 1)]
    assert residuals[0] == tunnel_index(rows)
    assert residuals[-1] == pytest.approx(0, abs=1e-12)
    assert min(residuals) >= 0
    assert (np.diff(residuals) <= 1e-12).all()
    assert residuals[0] <= math.log2(len(rows)) + 1e-12


@fixed
@given(arrays(float, (2, 4), elements=st.integers(0, 9).map(float)).map(normalised))
def test_of_two_traces_is_the_jensen_shannon_divergence(rows: FloatArray) -> None:
    """Of two traces it is the square of scipy's Jensen-Shannon distance in base 2.

    scipy's distance is the root of a rounded difference, whose square is good to 1e-15 alone.
    """
    expected = float(np.nan_to_num(jensenshannon(rows[0], rows[1], base=2))) ** 2
    assert tunnel_index(rows) == pytest.approx(expected, abs=1e-12)


@fixed
@given(traces)
def test_order_and_unused_values_change_nothing(rows: FloatArray) -> None:
    """Neither the order of traces or values nor a value of no probability changes the index."""
    expected = tunnel_index(rows)
    assert tunnel_index(rows[::-1, ::-1]) == pytest.approx(expected, abs=1e-12)
    padded = np.column_stack([rows, np.zeros(len(rows))])
    assert tunnel_index(padded) == pytest.approx(expected, abs=1e-12)


def test_beyond_a_thousand_subsets() -> None:
    """Where subsets are drawn the residual is the same in every call and close to all subsets'.

    Of 14 traces 3,003 subsets of 6 are enumerated here; their entropies' standard deviation over
    the root of 1,000 is the error of the mean.
    """
    rng = np.random.default_rng(4)
    rows = rng.dirichlet(np.full(6, 0.3), size=14)
    entropies = [
        float(entropy(rows[list(subset)].mean(axis=0), base=2))
        for subset in combinations(range(14), 6)
    ]
    assert len(entropies) == 3_003
    error = float(np.std(entropies)) / math.sqrt(1_000)
    first, again = (residual_tunnel_index(rows, 6) for _ in range(2))
    assert first == again
    expected = float(entropy(rows.mean(axis=0), base=2)) - float(np.mean(entropies))
    assert first == pytest.approx(expected, abs=4 * error)
    assert first != pytest.approx(expected, abs=1e-12)  # drawn, not enumerated


def test_drawn_subsets_have_n_traces_without_repetition() -> None:
    """Of 20 traces, each sure of a value of its own, every subset of n has log2(n) bits."""
    for n in (1, 2, 3, 10, 17, 20):
        expected = math.log2(20) - math.log2(n)
        assert residual_tunnel_index(np.eye(20), n) == pytest.approx(expected, abs=1e-12)


def test_no_traces_are_nan() -> None:
    """Without traces index and residual are NaN."""
    assert math.isnan(tunnel_index(np.empty((0, 3))))
    assert math.isnan(residual_tunnel_index(np.empty((0, 3)), 2))


@pytest.mark.parametrize("n", [0, 3, -1])
def test_sizes_out_of_range_are_refused(n: int) -> None:
    """A subset of none, or of more traces than there are, raises an error that names it."""
    with pytest.raises(ValueError, match=f"n={n} is not between 1 and the number of traces, 2"):
        residual_tunnel_index([[1, 0], [0, 1]], n)


def test_one_row_of_numbers_is_refused() -> None:
    """An array of one dimension raises an error that says so."""
    with pytest.raises(ValueError, match="1 dimensions"):
        tunnel_index([0.5, 0.5])
