"""Faithfulness and cMFG: by hand, and by loops over bins."""

from __future__ import annotations

from fractions import Fraction
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_confidence.metrics.markers import cmfg, cmfg_of, cmfg_sums, faithfulness
from metrics.strategies import fixed

CONVENTIONS = ("text", "authors")
twentieths = st.integers(0, 20).map(lambda number: number / 20)
replies = st.lists(st.tuples(twentieths | st.just(nan), twentieths | st.just(nan)), max_size=40)


# Faithfulness


@pytest.mark.parametrize(
    ("decisiveness", "confidence", "expected"),
    [
        ([1.0], [1.0], 1),
        ([1.0], [0.0], 0),
        ([0.0], [1.0], 0),
        ([1.0, 0.5, 0.2], [0.7, 0.5, 0.5], 0.8),  # gaps .3, 0, .3
        ([0.9, nan, 0.4], [0.5, 0.5, nan], 0.6),  # one gap of .4 is left
        ([], [], nan),
        ([nan, 0.5], [0.5, nan], nan),
    ],
)
def test_faithfulness(decisiveness: list[float], confidence: list[float], expected: float) -> None:
    """1 less the mean gap; sentences with a NaN are left out."""
    found = faithfulness(decisiveness, confidence)
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert faithfulness(confidence, decisiveness) == pytest.approx(found, abs=1e-12, nan_ok=True)


def test_faithfulness_refuses_other_lengths() -> None:
    """One value a sentence in each."""
    with pytest.raises(ValueError, match="Lengths differ"):
        faithfulness([0.1, 0.2], [0.1, 0.2, 0.3])


@pytest.mark.parametrize(
    ("decisiveness", "confidence"), [([2.0], [0.5]), ([0.5], [-0.5]), ([0.5], [1.5])]
)
def test_faithfulness_refuses_numbers_outside_the_range(
    decisiveness: list[float], confidence: list[float]
) -> None:
    """As MarkerCells and ece do."""
    with pytest.raises(ValueError, match="not in"):
        faithfulness(decisiveness, confidence)


@fixed
@given(replies)
def test_faithfulness_is_that_of_a_loop(rows: list[tuple[float, float]]) -> None:
    """In exact fractions, and in [0, 1]."""
    gaps = [
        abs(Fraction(round(d * 20), 20) - Fraction(round(c * 20), 20))
        for d, c in rows
        if not (isnan(d) or isnan(c))
    ]
    expected = float(1 - sum(gaps, Fraction(0)) / len(gaps)) if gaps else nan
    found = faithfulness([d for d, _ in rows], [c for _, c in rows])
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert isnan(found) or 0 <= found <= 1


# cMFG: seven replies, by hand.
#
# confidence    .05  0    .31  .39  .95  1.0  1.0
# faithfulness  .4   .8   .6   .2   .9   .7   .0
FAITHFUL = [0.4, 0.8, 0.6, 0.2, 0.9, 0.7, 0.0]
HELD = [0.05, 0.0, 0.31, 0.39, 0.95, 1.0, 1.0]


@pytest.mark.parametrize(
    ("convention", "bins", "expected"),
    [
        # [0, .1): .4 .8; [.3, .4): .6 .2; [.9, 1]: .9 .7 .0; the other seven are empty.
        ("text", 10, (0.6 + 0.4 + 1.6 / 3) / 3),
        # Without the confidence of 0 and the faithfulness of 0, and 1.0 in no bin: .4, (.6 + .2)/2
        # and .9, over ten.
        ("authors", 10, (0.4 + 0.4 + 0.9) / 10),
        # Halves: .4 .8 .6 .2 and .9 .7 .0.
        ("text", 2, (0.5 + 1.6 / 3) / 2),
        ("authors", 2, (0.4 + 0.9) / 2),
        # One bin: the mean of all.
        ("text", 1, 3.6 / 7),
        ("authors", 1, (0.4 + 0.6 + 0.2 + 0.9) / 4),
    ],
)
def test_cmfg_by_hand(convention: str, bins: int, expected: float) -> None:
    """Both conventions, for three numbers of bins."""
    found = cmfg(FAITHFUL, HELD, bins=bins, convention=convention)
    assert found == pytest.approx(expected, abs=1e-12)


def test_cmfg_is_the_texts_by_default() -> None:
    """Ten bins."""
    assert cmfg(FAITHFUL, HELD) == cmfg(FAITHFUL, HELD, bins=10, convention="text")


def test_confidence_of_one() -> None:
    """In the last bin by the text, in none by the authors."""
    assert cmfg([0.9, 0.3], [1.0, 0.95]) == pytest.approx(0.6)
    assert cmfg([0.9, 0.3], [1.0, 0.95], convention="authors") == pytest.approx(0.03)
    assert cmfg([0.9], [1.0]) == pytest.approx(0.9)
    assert isnan(cmfg([0.9], [1.0], convention="authors"))


def test_empty_bins() -> None:
    """They don't count by the text, and are 0 by the authors."""
    assert cmfg([0.5, 0.9], [0.15, 0.75]) == pytest.approx(0.7)
    assert cmfg([0.5, 0.9], [0.15, 0.75], convention="authors") == pytest.approx(0.14)


def test_zeros() -> None:
    """Replies that the authors leave out and the text keeps."""
    assert cmfg([0.0, 0.8], [0.55, 0.55]) == pytest.approx(0.4)
    assert cmfg([0.0, 0.8], [0.55, 0.55], convention="authors") == pytest.approx(0.08)
    assert cmfg([0.2, 0.8], [0.0, 0.05]) == pytest.approx(0.5)
    assert cmfg([0.2, 0.8], [0.0, 0.05], convention="authors") == pytest.approx(0.08)


def test_conditioning_weighs_bins_and_not_replies() -> None:
    """99 sure replies at 1 and one unsure at 0: the mean is .99, and cMFG one half."""
    assert cmfg([1.0] * 99 + [0.0], [0.95] * 99 + [0.15]) == pytest.approx(0.5)


@pytest.mark.parametrize("k", range(11))
def test_edges_belong_to_the_bin_above(k: int) -> None:
    """Also where a tenth, 1 less the rest or a sum of tenths is off by a bit, as .3 is."""
    written = [k / 10, 1 - (10 - k) / 10, sum([0.1] * k), 0.1 * k, float(np.linspace(0, 1, 11)[k])]
    _, counts = cmfg_sums(np.ones(5), np.array(written))
    assert counts.sum(axis=0).tolist() == [5 if b == min(k, 9) else 0 for b in range(10)]
    _, below = cmfg_sums(np.ones(1), np.array([min(k / 10 + 0.099, 1)]))
    assert below.argmax() == min(k, 9)
    if k:
        # The mean of 20 sentences of 20 draws each can be no nearer than 1/800.
        _, near = cmfg_sums(np.ones(1), np.array([k / 10 - 1 / 800]))
        assert near.argmax() == k - 1


def test_missing_numbers_are_left_out() -> None:
    """In either place; nothing left is NaN."""
    for convention in CONVENTIONS:
        found = cmfg([0.5, nan, 0.9], [0.25, 0.25, nan], convention=convention)
        assert found == pytest.approx(0.5 if convention == "text" else 0.05)
        assert isnan(cmfg([nan], [0.5], convention=convention))
        assert isnan(cmfg([0.5], [nan], convention=convention))
        assert isnan(cmfg([], [], convention=convention))


@pytest.mark.parametrize("held", [-0.1, 1.2])
def test_cmfg_refuses_numbers_outside_the_range(held: float) -> None:
    """As MarkerCells and ece do."""
    with pytest.raises(ValueError, match="not in"):
        cmfg([0.5, 0.9], [held, 0.95])


def test_cmfg_refuses_unknown_conventions() -> None:
    """A misspelling must not change a number in silence."""
    with pytest.raises(ValueError, match="author"):
        cmfg([0.5], [0.5], convention="author")
    with pytest.raises(ValueError, match="'Text' is not one of text, authors"):
        cmfg_of(np.ones((1, 10)), np.ones((1, 10)), "Text")


def test_refusals_name_the_value() -> None:
    """Also of a faithfulness, and of a number of bins."""
    with pytest.raises(ValueError, match=r"faithfulness=1\.5 is not in"):
        cmfg([0.5, 1.5], [0.5, 0.5])
    with pytest.raises(ValueError, match=r"decisiveness=inf is not in"):
        faithfulness([float("inf")], [nan])
    with pytest.raises(ValueError, match="bins=0"):
        cmfg([0.5], [0.5], bins=0)


def looped_cmfg(rows: list[tuple[float, float]], bins: int, convention: str) -> float:
    """Bin by bin, in exact arithmetic of twentieths."""
    within: list[list[float]] = [[] for _ in range(bins)]
    for f, c in rows:
        if isnan(f) or isnan(c):
            continue
        place = round(c * 20) * bins // 20
        if convention == "authors":
            if f == 0 or c == 0 or place == bins:
                continue
        elif place == bins:
            place -= 1
        within[place].append(f)
    means = [sum(one) / len(one) for one in within if one]
    if not means:
        return nan
    return sum(means) / (bins if convention == "authors" else len(means))


@fixed
@given(replies, st.sampled_from([1, 2, 4, 5, 10, 20]), st.sampled_from(CONVENTIONS))
def test_cmfg_is_that_of_a_loop(
    rows: list[tuple[float, float]], bins: int, convention: str
) -> None:
    """Random replies on edges and between, in [0, 1], in any order."""
    faithful, held = [f for f, _ in rows], [c for _, c in rows]
    found = cmfg(faithful, held, bins=bins, convention=convention)
    expected = looped_cmfg(rows, bins, convention)
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert isnan(found) or -1e-12 <= found <= 1 + 1e-12
    turned = cmfg(faithful[::-1], held[::-1], bins=bins, convention=convention)
    assert turned == pytest.approx(found, abs=1e-12, nan_ok=True)


@fixed
@given(
    st.lists(st.tuples(twentieths, twentieths, st.integers(0, 3)), min_size=1, max_size=30),
    st.sampled_from(CONVENTIONS),
)
def test_weights_of_sums_are_repetitions(
    rows: list[tuple[float, float, int]], convention: str
) -> None:
    """A bootstrap weighs what each reply adds; several resamples go at once."""
    faithful, held = np.array([f for f, _, _ in rows]), np.array([c for _, c, _ in rows])
    weights = np.stack([np.array([w for _, _, w in rows], float), np.ones(len(rows))])
    totals, counts = cmfg_sums(faithful, held, convention=convention)
    assert totals.shape == counts.shape == (len(rows), 10)
    found = cmfg_of(weights @ totals, weights @ counts, convention)
    repeated = [(f, c) for f, c, w in rows for _ in range(w)]
    once = [(f, c) for f, c, _ in rows]
    expected = [looped_cmfg(one, 10, convention) for one in (repeated, once)]
    np.testing.assert_allclose(found, expected, atol=1e-12)
