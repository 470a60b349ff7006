"""Smallest sets of whole numbers, against a search over all subsets."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_confidence.metrics import (
    prediction_set,
    ranked,
    set_covers,
    set_hulls,
    set_sizes,
    tempered,
)
from metrics.strategies import fixed

Counts = dict[int, int]

counts = st.dictionaries(st.integers(-5, 5), st.integers(0, 6), min_size=1, max_size=7).filter(
    lambda drawn: any(drawn.values())
)
percents = st.integers(1, 99)


def smallest(weights: Counts, level: int) -> list[int]:
    """Over all subsets with exact masses: fewest values, then most mass, then least values."""
    total = sum(weights.values())
    enough = [
        subset
        for size in range(1, len(weights) + 1)
        for subset in combinations(sorted(weights), size)
        if Fraction(sum(weights[v] for v in subset), total) >= Fraction(level, 100)
    ]
    ranking = [(len(s), -sum(weights[v] for v in s), s) for s in enough]
    return list(min(ranking)[2])


@fixed
@given(counts, percents)
def test_is_the_smallest_of_all_subsets(weights: Counts, level: int) -> None:
    """The set is the one that a search over all subsets with exact fractions finds."""
    found = prediction_set({v: n / sum(weights.values()) for v, n in weights.items()}, level)
    assert found == smallest(weights, level)
    assert prediction_set(weights, level) == found  # normalised first


@pytest.mark.parametrize(
    ("probabilities", "level", "expected"),
    [
        ({3: 0.5, 4: 0.3, 5: 0.2}, 50, [3]),  # reached exactly
        ({3: 0.5, 4: 0.3, 5: 0.2}, 50.001, [3, 4]),
        ({3: 0.5, 4: 0.3, 5: 0.2}, 80, [3, 4]),
        ({3: 0.5, 4: 0.3, 5: 0.2}, 81, [3, 4, 5]),
        ({9: 0.25, 1: 0.25, 5: 0.25, -3: 0.25}, 50, [-3, 1]),  # ties by value
        ({9: 0.3, 1: 0.1, 5: 0.6}, 85, [5, 9]),  # by probability, not by value
        ({2: 3, 4: 1}, 70, [2]),  # 3/4 of the mass
        ({0: 0.0, 1: 1.0}, 99.99, [1]),
        (dict.fromkeys(range(10), 0.1), 70, list(range(7))),  # 7 * 0.1 is less than 0.7 in floats
        (dict.fromkeys(range(10), 0.1), 30, [0, 1, 2]),  # 3 * 0.1 is more than 0.3 in floats
    ],
)
def test_examples_by_hand(
    probabilities: dict[int, float], level: float, expected: list[int]
) -> None:
    """Values are taken by falling probability until the level is reached."""
    assert prediction_set(probabilities, level) == expected


def test_rounding_does_not_add_a_value() -> None:
    """Of n equal masses the share k/n takes exactly k values, although sums are rounded."""
    for n in (7, 20, 30, 49, 100):
        for k in range(1, n):
            assert len(prediction_set(dict.fromkeys(range(n), 1 / n), 100 * k / n)) == k


@fixed
@given(counts, st.tuples(percents, percents))
def test_sets_are_nested(weights: Counts, two: tuple[int, int]) -> None:
    """The set at a level is part of that at a higher level."""
    low, high = (set(prediction_set(weights, level)) for level in sorted(two))
    assert low <= high


@fixed
@given(st.lists(counts, min_size=1, max_size=5), percents, st.integers(-6, 6))
def test_rows_are_sets(rows: list[Counts], level: int, truth: int) -> None:
    """Sizes, hulls and covers of many rows are those of the subset search, row by row."""
    values, masses = ranked(rows)
    low, high = set_hulls(values, masses, level)
    sizes = set_sizes(masses, level)
    covers = set_covers(values, masses, level, [truth] * len(rows))
    for row, weights in enumerate(rows):
        held = smallest(weights, level)
        assert sizes[row] == len(held)
        assert (low[row], high[row]) == (min(held), max(held))
        assert covers[row] == (truth in held)


@fixed
@given(st.lists(counts, min_size=1, max_size=5))
def test_ranks_keep_every_mass(rows: list[Counts]) -> None:
    """Each row holds its values with a mass above 0, falling, normalised, and nothing else."""
    values, masses = ranked(rows)
    assert masses.sum(axis=1) == pytest.approx(1)
    assert (np.diff(masses, axis=1) <= 0).all()
    for row, weights in enumerate(rows):
        kept = dict(zip(values[row][masses[row] > 0], masses[row][masses[row] > 0], strict=True))
        total = sum(weights.values())
        assert kept == pytest.approx({v: n / total for v, n in weights.items() if n})
        assert set(values[row]) <= set(kept)


def test_a_truth_between_a_sets_values_is_not_held() -> None:
    """The hull of {3, 9} is [3, 9], yet the set doesn't hold 5; nor does it hold 3.5."""
    values, masses = ranked([{3: 0.6, 9: 0.4}] * 4)
    assert list(set_covers(values, masses, 90, [5, 3, 9, 3.5])) == [0, 1, 1, 0]
    low, high = set_hulls(values, masses, 90)
    assert {*low, *high} == {3, 9}


@pytest.mark.parametrize("bad", [{}, {1: 0.0}, {1: -0.1, 2: 1.1}, {1: -1.0}])
def test_bad_distributions_are_refused(bad: dict[int, float]) -> None:
    """A distribution without a probability above 0, or with one below, raises an error."""
    with pytest.raises(ValueError, match="probability"):
        prediction_set(bad, 90)
    with pytest.raises(ValueError, match="probability"):
        ranked([{1: 1.0}, bad])


@pytest.mark.parametrize("level", [0, 100, -1, 101])
def test_bad_levels_are_refused(level: float) -> None:
    """A level that is no percentage between 0 and 100 raises an error that names it."""
    with pytest.raises(ValueError, match=f"level={level}"):
        prediction_set({1: 1.0}, level)


@pytest.mark.parametrize(
    ("temperature", "expected"),
    [
        # (0.8, 0.2): squares 0.64 and 0.04, roots as 2 to 1
        (0.5, [16 / 17, 1 / 17]),
        (2.0, [2 / 3, 1 / 3]),
        (1.0, [0.8, 0.2]),
    ],
)
def test_tempered_by_hand(temperature: float, expected: list[float]) -> None:
    """Probabilities to the power 1/T, normalised."""
    got = tempered(np.array([[0.8, 0.2]]), temperature)
    assert got[0] == pytest.approx(expected, rel=1e-12)


temperatures = st.floats(0.05, 20)


@fixed
@given(counts, temperatures, temperatures)
def test_tempering_properties(weights: Counts, first: float, second: float) -> None:
    """Tempering normalises, keeps order and zeros, is nothing at 1, and two steps multiply."""
    _, masses = ranked([weights, dict.fromkeys(range(9), 1)])
    scaled = tempered(masses, first)
    assert scaled.sum(axis=1) == pytest.approx(1)
    assert (np.diff(scaled, axis=1) <= 1e-15).all()
    assert (scaled[masses == 0] == 0).all()
    assert tempered(masses, 1) == pytest.approx(masses, abs=1e-15)
    if first >= 0.5:  # below, masses may be too small for floats to give back
        assert tempered(scaled, second) == pytest.approx(
            tempered(masses, first * second), rel=1e-9, abs=1e-12
        )


def test_extreme_temperatures() -> None:
    """Near 0 all mass is on the likeliest value, at a great temperature on all alike."""
    masses = np.array([[0.5, 0.3, 0.2, 0.0], [0.4, 0.4, 0.1, 0.1]])
    assert tempered(masses, 1e-6) == pytest.approx(np.array([[1, 0, 0, 0], [0.5, 0.5, 0, 0]]))
    even = np.array([[1 / 3, 1 / 3, 1 / 3, 0], [0.25] * 4])
    assert tempered(masses, 1e9) == pytest.approx(even)


@pytest.mark.parametrize("temperature", [0, -1, float("nan")])
def test_bad_temperatures_are_refused(temperature: float) -> None:
    """A temperature that isn't above 0 raises an error that names it."""
    with pytest.raises(ValueError, match=f"temperature={temperature}"):
        tempered(np.array([[1.0]]), temperature)


@fixed
@given(counts, percents)
def test_hotter_sets_are_no_smaller(weights: Counts, level: int) -> None:
    """A greater temperature never shrinks a set: the top k values lose mass."""
    _, masses = ranked([weights])
    sizes = [set_sizes(tempered(masses, t), level)[0] for t in (0.3, 0.7, 1.0, 1.5, 4.0)]
    assert sizes == sorted(sizes)
