"""Markers: faithfulness, and whether they mean the same everywhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import chain, combinations, compress, permutations, product
from math import comb, isnan, nan, sqrt, tanh
from statistics import fmean
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binom, pearsonr, rankdata, spearmanr

from build import column_of, without_nan
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.markers import (
    CLAMP,
    MarkerCells,
    MarkerTables,
    cmfg,
    cmfg_of,
    cmfg_sums,
    confidence_range,
    faithfulness,
    fisher_mean,
    marker_mae,
    marker_mae_sd,
    marker_rank_correlation,
    marker_trend,
    marker_variation,
    spread_interval,
)
from metrics.strategies import fixed

CONVENTIONS = ("text", "authors")
twentieths = st.integers(0, 20).map(lambda number: number / 20)
replies = st.lists(st.tuples(twentieths | st.just(nan), twentieths | st.just(nan)), max_size=40)


# Faithfulness


def test_faithfulness_is_1_less_the_mean_gap() -> None:
    """1 less the mean gap; sentences with a NaN are left out."""
    for decisiveness, confidence, expected in [
        ([1.0], [1.0], 1),
        ([1.0], [0.0], 0),
        ([0.0], [1.0], 0),
        ([1.0, 0.5, 0.2], [0.7, 0.5, 0.5], 0.8),  # gaps .3, 0, .3
        ([0.9, nan, 0.4], [0.5, 0.5, nan], 0.6),  # one gap of .4 is left
        ([], [], nan),
        ([nan, 0.5], [0.5, nan], nan),
    ]:
        score = faithfulness(decisiveness, confidence)
        assert score == pytest.approx(expected, abs=1e-12, nan_ok=True), decisiveness
        assert faithfulness(confidence, decisiveness) == pytest.approx(
            score, abs=1e-12, nan_ok=True
        )


def test_bad_values_and_unknown_words_raise() -> None:
    """Other lengths, numbers outside the range and unknown words, each by its value."""
    with pytest.raises(ValueError, match="Lengths differ"):
        faithfulness([0.1, 0.2], [0.1, 0.2, 0.3])
    for decisiveness, confidence in [([2.0], [0.5]), ([0.5], [-0.5]), ([0.5], [1.5])]:
        with pytest.raises(ValueError, match="not in"):
            faithfulness(decisiveness, confidence)
    for outside in [-0.1, 1.2]:
        with pytest.raises(ValueError, match="not in"):
            cmfg([0.5, 0.9], [outside, 0.95])
    with pytest.raises(ValueError, match="author"):
        cmfg([0.5], [0.5], convention="author")
    with pytest.raises(ValueError, match="'Text' is not one of text, authors"):
        cmfg_of(np.ones((1, 10)), np.ones((1, 10)), "Text")
    with pytest.raises(ValueError, match=r"faithfulness=1\.5 is not in"):
        cmfg([0.5, 1.5], [0.5, 0.5])
    with pytest.raises(ValueError, match=r"decisiveness=inf is not in"):
        faithfulness([float("inf")], [nan])
    with pytest.raises(ValueError, match="bins=0"):
        cmfg([0.5], [0.5], bins=0)
    word: Any = "pearsons"
    mic = trains(table(WORKED))
    calls: list[Callable[[], object]] = [
        lambda: marker_mae(table(WORKED), SAME, level=word),
        lambda: marker_mae(table(WORKED), [], level=word),
        lambda: marker_mae_sd(table(WORKED), SAME, level=word),
        lambda: marker_variation(mic, over=word),
        lambda: marker_rank_correlation(mic[:, :1], kind=word),
        lambda: marker_trend(mic, np.array([ACCURACY]), kind=word),
    ]
    for refused in calls:
        with pytest.raises(ValueError, match="'pearsons' is not one of"):
            refused()
    for outside in [-0.01, 1.01, float("inf")]:
        with pytest.raises(ValueError, match="not in"):
            MarkerCells.from_sentences([0.5, outside], [0, 0], [0, 0], (1, 1))


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
    score = faithfulness(column_of(rows, 0), column_of(rows, 1))
    assert score == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert isnan(score) or 0 <= score <= 1


# cMFG: seven replies, by hand.
#
# confidence    .05  0    .31  .39  .95  1.0  1.0
# faithfulness  .4   .8   .6   .2   .9   .7   .0
FAITHFUL = [0.4, 0.8, 0.6, 0.2, 0.9, 0.7, 0.0]
HELD = [0.05, 0.0, 0.31, 0.39, 0.95, 1.0, 1.0]


def test_cmfg_in_three_numbers_of_bins() -> None:
    """Both conventions, for three numbers of bins."""
    for convention, bins, expected in [
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
    ]:
        score = cmfg(FAITHFUL, HELD, bins=bins, convention=convention)
        assert score == pytest.approx(expected, abs=1e-12), (convention, bins, expected)


def test_cmfg_in_both_conventions() -> None:
    """What is in the last bin, in none, or 0, and what bins weigh."""
    # In the last bin by the text, in none by the authors.
    assert cmfg([0.9, 0.3], [1.0, 0.95]) == pytest.approx(0.6)
    assert cmfg([0.9, 0.3], [1.0, 0.95], convention="authors") == pytest.approx(0.03)
    assert cmfg([0.9], [1.0]) == pytest.approx(0.9)
    assert isnan(cmfg([0.9], [1.0], convention="authors"))
    # They don't count by the text, and are 0 by the authors.
    assert cmfg([0.5, 0.9], [0.15, 0.75]) == pytest.approx(0.7)
    assert cmfg([0.5, 0.9], [0.15, 0.75], convention="authors") == pytest.approx(0.14)
    # Replies that the authors leave out and the text keeps.
    assert cmfg([0.0, 0.8], [0.55, 0.55]) == pytest.approx(0.4)
    assert cmfg([0.0, 0.8], [0.55, 0.55], convention="authors") == pytest.approx(0.08)
    assert cmfg([0.2, 0.8], [0.0, 0.05]) == pytest.approx(0.5)
    assert cmfg([0.2, 0.8], [0.0, 0.05], convention="authors") == pytest.approx(0.08)
    # 99 sure replies at 1 and one unsure at 0: the mean is .99, and cMFG one half.
    assert cmfg([1.0] * 99 + [0.0], [0.95] * 99 + [0.15]) == pytest.approx(0.5)
    assert cmfg(FAITHFUL, HELD) == cmfg(FAITHFUL, HELD, bins=10, convention="text")


def test_edges_belong_to_the_bin_above() -> None:
    """Also where a tenth, 1 less the rest or a sum of tenths is off by a bit, as .3 is."""
    for k in range(11):
        confidences = [
            k / 10,
            1 - (10 - k) / 10,
            sum([0.1] * k),
            0.1 * k,
            float(np.linspace(0, 1, 11)[k]),
        ]
        _, counts = cmfg_sums(np.ones(5), np.array(confidences))
        expected = np.zeros(10)
        expected[min(k, 9)] = 5
        assert counts.sum(axis=0).tolist() == expected.tolist(), k
        _, below = cmfg_sums(np.ones(1), np.array([min(k / 10 + 0.099, 1)]))
        assert below.argmax() == min(k, 9), k
        if k:
            # The mean of 20 sentences of 20 draws each can be no nearer than 1/800.
            _, counts_below_edge = cmfg_sums(np.ones(1), np.array([k / 10 - 1 / 800]))
            assert counts_below_edge.argmax() == k - 1, k


def test_missing_numbers_are_left_out() -> None:
    """In either place; nothing left is NaN."""
    for convention in CONVENTIONS:
        score = cmfg([0.5, nan, 0.9], [0.25, 0.25, nan], convention=convention)
        assert score == pytest.approx(0.5 if convention == "text" else 0.05)
        assert isnan(cmfg([nan], [0.5], convention=convention))
        assert isnan(cmfg([0.5], [nan], convention=convention))
        assert isnan(cmfg([], [], convention=convention))


def looped_cmfg(rows: Sequence[Sequence[float]], bins: int, convention: str) -> float:
    """Bin by bin, in exact arithmetic of twentieths."""
    bin_scores: dict[int, list[float]] = defaultdict(list)
    for f, c in rows:
        if isnan(f) or isnan(c):
            continue
        place = round(c * 20) * bins // 20
        if convention == "authors":
            if f == 0 or c == 0 or place == bins:
                continue
        elif place == bins:
            place -= 1
        bin_scores[place].append(f)
    means = list(map(fmean, bin_scores.values()))
    if not means:
        return nan
    return sum(means) / (bins if convention == "authors" else len(means))


@fixed
@given(replies, st.sampled_from([1, 2, 4, 5, 10, 20]), st.sampled_from(CONVENTIONS))
def test_cmfg_is_a_loops(rows: list[tuple[float, float]], bins: int, convention: str) -> None:
    """Random replies on edges and between, in [0, 1], in any order."""
    faithfulnesses, confidences = column_of(rows, 0), column_of(rows, 1)
    score = cmfg(faithfulnesses, confidences, bins=bins, convention=convention)
    expected = looped_cmfg(rows, bins, convention)
    assert score == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert isnan(score) or -1e-12 <= score <= 1 + 1e-12
    turned = cmfg(faithfulnesses[::-1], confidences[::-1], bins=bins, convention=convention)
    assert turned == pytest.approx(score, abs=1e-12, nan_ok=True)


@fixed
@given(
    st.lists(st.tuples(twentieths, twentieths, st.integers(0, 3)), min_size=1, max_size=30),
    st.sampled_from(CONVENTIONS),
)
def test_weighted_sums_are_repeated(rows: list[tuple[float, float, int]], convention: str) -> None:
    """A bootstrap weighs what each reply adds; several resamples go at once."""
    faithfulnesses, confidences = (np.array(column_of(rows, 0)), np.array(column_of(rows, 1)))
    weights = np.stack([np.array(column_of(rows, 2), float), np.ones(len(rows))])
    totals, counts = cmfg_sums(faithfulnesses, confidences, convention=convention)
    assert totals.shape == counts.shape == (len(rows), 10)
    scores = cmfg_of(weights @ totals, weights @ counts, convention)
    repeated, once = [], []
    for *row, weight in rows:
        once.append(row)
        repeated += [row] * weight
    expected = [looped_cmfg(repeated, 10, convention), looped_cmfg(once, 10, convention)]
    np.testing.assert_allclose(scores, expected, atol=1e-12)


# Whether markers mean the same everywhere: by hand, by loops over sentences, and by scipy.


MarkerLevel = Literal["marker", "sentence", "mean"]
CorrelationKind = Literal["pearson", "spearman"]
Groups = Sequence[Sequence[Sequence[float]]]
"""The confidences of each marker in each group."""

LEVELS: tuple[MarkerLevel, ...] = ("marker", "sentence", "mean")
KINDS: tuple[CorrelationKind, ...] = ("pearson", "spearman")

# Three data sets, each with train and test; four markers; T = 2, so that single sentences don't
# count: marker 1 in C's train, marker 2 in A's test, marker 3 in B's test.
#
#            train                          MIC    test
# A  0:  1.0 .8                             .9     .9 .7 1.0
#    1:  .6 .8                              .7     .5 .7 .4
#    2:  .4 .5 .6                           .5     (.6)
#    3:  .75 .85                            .8     .8 .9
# B  0:  .7 .9                              .8     1.0 .8
#    1:  .8 .9 1.0                          .9     .9 .9
#    2:  .3 .5                              .4     .2 .4 .6
#    3:  .5 .7                              .6     (.6)
# C  0:  .6 .8                              .7     .7 .7
#    1:  (.9)                               -      .8 .6
#    2:  .7 .9 .8                           .8     .5 .7
#    3:  .2 .4                              .3     .4 .4
WORKED: Groups = [
    [[1.0, 0.8], [0.6, 0.8], [0.4, 0.5, 0.6], [0.75, 0.85]],
    [[0.9, 0.7, 1.0], [0.5, 0.7, 0.4], [0.6], [0.8, 0.9]],
    [[0.7, 0.9], [0.8, 0.9, 1.0], [0.3, 0.5], [0.5, 0.7]],
    [[1.0, 0.8], [0.9, 0.9], [0.2, 0.4, 0.6], [0.6]],
    [[0.6, 0.8], [0.9], [0.7, 0.9, 0.8], [0.2, 0.4]],
    [[0.7, 0.7], [0.8, 0.6], [0.5, 0.7], [0.4, 0.4]],
]
T = 2
TRAIN, TEST = (0, 2, 4), (1, 3, 5)
SAME = [(0, 1), (2, 3), (4, 5)]
DIFFERENT = [(TRAIN[a], TEST[b]) for a, b in permutations(range(3), 2)]
IN_ALL = [True, False, True, True]
"""Which markers have a MIC in every train split."""


def table(groups: Groups, threshold: float = T) -> MarkerTables:
    """The one table of sentences."""
    shape = len(groups), len(groups[0])
    by_cell = list(chain.from_iterable(groups))
    group, marker = np.repeat(np.indices(shape).reshape(2, -1), list(map(len, by_cell)), axis=1)
    confidence = np.concatenate(by_cell)
    cells = MarkerCells.from_sentences(confidence, group, marker, shape)
    return cells.tables(np.ones((1, len(confidence))), threshold)


def trains(tables: MarkerTables, shared: Sequence[bool] | None = None) -> FloatArray:
    """MICs of the train splits; with `shared`, of those markers only."""
    mic = tables.mic[:, list(TRAIN)]
    return mic if shared is None else np.where(np.array(shared), mic, nan)


# Plain loops over sentences, as an oracle


def mean(values: Sequence[float]) -> float:
    """NaN for nothing."""
    return sum(values) / len(values) if values else nan


def has_mic(sentences: Sequence[float], threshold: float) -> bool:
    """Whether a marker has a MIC."""
    return len(sentences) >= max(threshold, 1)


def looped_mae(
    groups: Groups,
    pairs: Sequence[tuple[int, int]],
    level: MarkerLevel,
    threshold: float = T,
    shared: Sequence[bool] | None = None,
) -> float:
    """ID-MAE and CD-MAE, sentence by sentence."""
    pair_means = []
    for first, second in pairs:
        by_marker = []
        for m, (first_confidences, second_confidences) in enumerate(
            zip(groups[first], groups[second], strict=True)
        ):
            in_both = has_mic(first_confidences, threshold) and has_mic(
                second_confidences, threshold
            )
            if in_both and (shared is None or shared[m]):
                mic = mean(first_confidences)
                if level == "mean":
                    by_marker.append([abs(mic - mean(second_confidences))])
                else:
                    by_marker.append([abs(mic - value) for value in second_confidences])
        if level == "sentence":
            pair_means.append(mean(list(chain.from_iterable(by_marker))))
        else:
            pair_means.append(mean(list(map(mean, by_marker))))
    return mean(without_nan(pair_means))


def looped_variation(rows: Sequence[Sequence[float]], ddof: int = 1) -> float:
    """Mean of SD / mean over rows with two numbers or more."""
    ratios = []
    for row in rows:
        present = without_nan(row)
        if len(present) > 1 and mean(present) > 0:
            ratios.append(float(np.std(present, ddof=ddof)) / mean(present))
    return mean(ratios)


def fisher(*correlations: float) -> float:
    """By its formula."""
    return tanh(mean(np.arctanh(np.clip(correlations, -0.9999, 0.9999)).tolist()))


def scipys(x: Sequence[float], y: Sequence[float], kind: CorrelationKind) -> float:
    """Correlation over what both have; NaN for fewer than three pairs or a constant."""
    rows = np.column_stack([x, y])
    first, second = rows[~np.isnan(rows).any(axis=1)].T
    if len(first) < 3 or np.ptp(first) < 1e-9 or np.ptp(second) < 1e-9:
        return nan
    result = spearmanr(first, second) if kind == "spearman" else pearsonr(first, second)
    return float(result.statistic)


# The worked example


def test_mic_and_size_of_the_worked_example() -> None:
    """Means of the sentences, where there are T or more."""
    tables = table(WORKED)
    np.testing.assert_allclose(
        tables.mic[0],
        [
            [0.9, 0.7, 0.5, 0.8],
            [2.6 / 3, 1.6 / 3, nan, 0.85],
            [0.8, 0.9, 0.4, 0.6],
            [0.9, 0.9, 0.4, nan],
            [0.7, nan, 0.8, 0.3],
            [0.7, 0.7, 0.6, 0.4],
        ],
        atol=1e-12,
    )
    sizes = [[2, 2, 3, 2], [3, 3, 1, 2], [2, 3, 2, 2], [2, 2, 3, 1], [2, 1, 3, 2], [2, 2, 2, 2]]
    np.testing.assert_array_equal(tables.size[0], sizes)


# Distances of the test sentences from the train MIC, pair by pair, one list a shared marker.
DISTANCES: dict[tuple[int, int], list[list[float]]] = {
    (0, 1): [[0, 0.2, 0.1], [0.2, 0, 0.3], [0, 0.1]],  # markers 0, 1, 3 with .9, .7, .8
    (2, 3): [[0.2, 0], [0, 0], [0.2, 0, 0.2]],  # 0, 1, 2 with .8, .9, .4
    (4, 5): [[0, 0], [0.3, 0.1], [0.1, 0.1]],  # 0, 2, 3 with .7, .8, .3
    (0, 3): [[0.1, 0.1], [0.2, 0.2], [0.3, 0.1, 0.1]],  # 0, 1, 2 with .9, .7, .5
    (0, 5): [[0.2, 0.2], [0.1, 0.1], [0, 0.2], [0.4, 0.4]],  # all, with .9, .7, .5, .8
    (2, 1): [[0.1, 0.1, 0.2], [0.4, 0.2, 0.5], [0.2, 0.3]],  # 0, 1, 3 with .8, .9, .6
    (2, 5): [[0.1, 0.1], [0.1, 0.3], [0.1, 0.3], [0.2, 0.2]],  # all, with .8, .9, .4, .6
    (4, 1): [[0.2, 0, 0.3], [0.5, 0.6]],  # 0, 3 with .7, .3
    (4, 3): [[0.3, 0.1], [0.6, 0.4, 0.2]],  # 0, 2 with .7, .8
}
# |train MIC - test MIC| of the same markers.
GAPS: dict[tuple[int, int], list[float]] = {
    (0, 1): [0.1 / 3, 0.5 / 3, 0.05],
    (2, 3): [0.1, 0, 0],
    (4, 5): [0, 0.2, 0.1],
    (0, 3): [0, 0.2, 0.1],
    (0, 5): [0.2, 0, 0.1, 0.4],
    (2, 1): [0.2 / 3, 1.1 / 3, 0.25],
    (2, 5): [0.1, 0.2, 0.2, 0.2],
    (4, 1): [0.5 / 3, 0.55],
    (4, 3): [0.2, 0.4],
}


def test_mae_of_each_pair_at_each_level() -> None:
    """Written down by hand, at the three levels."""
    for pair in SAME + DIFFERENT:
        gaps = list(chain.from_iterable(DISTANCES[pair]))
        expected = {
            "marker": mean(list(map(mean, DISTANCES[pair]))),
            "sentence": mean(gaps),
            "mean": mean(GAPS[pair]),
        }
        for level in LEVELS:
            distance = marker_mae(table(WORKED), [pair], level=level)
            assert distance[0] == pytest.approx(expected[level], abs=1e-12), pair


def test_id_mae_and_cd_mae() -> None:
    """Markers that each pair shares: the text's convention."""
    cases: list[tuple[list[tuple[int, int]], MarkerLevel, float]] = [
        # A (.1 + .5/3 + .05)/3, B (.1 + 0 + .4/3)/3, C (0 + .2 + .1)/3
        (SAME, "marker", ((0.15 + 0.5 / 3) / 3 + (0.1 + 0.4 / 3) / 3 + 0.1) / 3),
        (SAME, "sentence", (0.9 / 8 + 0.6 / 7 + 0.6 / 6) / 3),
        (SAME, "mean", (0.25 / 3 + 0.1 / 3 + 0.3 / 3) / 3),
        # AB (.3 + .5/3)/3, AC .8/4, BA .75/3, BC .7/4, CA (.5/3 + .55)/2, CB (.2 + .4)/2
        (
            DIFFERENT,
            "marker",
            ((0.3 + 0.5 / 3) / 3 + 0.2 + 0.25 + 0.175 + (0.5 / 3 + 0.55) / 2 + 0.3) / 6,
        ),
        (DIFFERENT, "sentence", (1.1 / 7 + 1.6 / 8 + 2.0 / 8 + 1.4 / 8 + 1.6 / 5 + 1.6 / 5) / 6),
        (
            DIFFERENT,
            "mean",
            (0.1 + 0.175 + (1.3 / 3 + 0.25) / 3 + 0.175 + (0.5 / 3 + 0.55) / 2 + 0.3) / 6,
        ),
    ]
    for pairs, level, expected in cases:
        assert marker_mae(table(WORKED), pairs, level=level)[0] == pytest.approx(
            expected, abs=1e-12
        )
        assert looped_mae(WORKED, pairs, level) == pytest.approx(expected, abs=1e-12), pairs


def test_mae_of_markers_shared_by_all() -> None:
    """The authors' convention: markers 0, 2 and 3 for every pair."""
    for pairs, expected in [
        # Without marker 1: A (.1 + .05)/2, B (.1 + .4/3)/2, C as before.
        (SAME, (0.075 + (0.1 + 0.4 / 3) / 2 + 0.1) / 3),
        # AB (.1 + .5/3)/2, AC .7/3, BA (.4/3 + .25)/2, BC .5/3; C has no marker 1.
        (
            DIFFERENT,
            (
                (0.1 + 0.5 / 3) / 2
                + 0.7 / 3
                + (0.4 / 3 + 0.25) / 2
                + 0.5 / 3
                + (0.5 / 3 + 0.55) / 2
                + 0.3
            )
            / 6,
        ),
    ]:
        shared = np.array([IN_ALL])
        assert marker_mae(table(WORKED), pairs, shared=shared)[0] == pytest.approx(
            expected, abs=1e-12
        )
        for level in LEVELS:
            distance = marker_mae(table(WORKED), pairs, level=level, shared=shared)[0]
            assert distance == pytest.approx(
                looped_mae(WORKED, pairs, level, shared=IN_ALL), abs=1e-12
            )


# Standard deviations over pairs. Of the markers' mean distances, by DISTANCES:
# A .1, .5/3, .05 with mean .95/9; B .1, 0, .4/3 with mean .7/9; C 0, .2, .1 with mean .1.
MARKER_SQUARES = (
    0.01 + 0.25 / 9 + 0.0025 - (0.95 / 9) ** 2 * 3,
    0.01 + 0.16 / 9 - (0.7 / 9) ** 2 * 3,
    0.02,
)
# Of the means' gaps, by GAPS: A .1/3 .5/3 .15/3, B .1 0 0, C 0 .2 .1.
GAP_SQUARES = ((0.01 + 0.25 + 0.0225) / 9 - 0.25**2 / 3, 0.01 - 0.01 / 3, 0.02)
# Of sentences: A 0 .2 .1 .2 0 .3 0 .1, B .2 0 0 0 .2 0 .2, C 0 0 .3 .1 .1 .1.
SENTENCE_SQUARES = (0.19 - 0.81 / 8, 0.12 - 0.36 / 7, 0.12 - 0.36 / 6)


def test_pooled_standard_deviation_of_one_and_more_pairs() -> None:
    """sqrt(sum (n - 1) s^2 / sum (n - 1)), and s of one pair alone."""
    cases: list[tuple[MarkerLevel, tuple[float, ...], int]] = [
        ("marker", MARKER_SQUARES, 2 + 2 + 2),
        ("mean", GAP_SQUARES, 2 + 2 + 2),
        ("sentence", SENTENCE_SQUARES, 7 + 6 + 5),
    ]
    for level, squares, freedom in cases:
        spread = marker_mae_sd(table(WORKED), SAME, level=level)
        assert spread[0] == pytest.approx(sqrt(sum(squares) / freedom), abs=1e-12), level
        one_pair = marker_mae_sd(table(WORKED), SAME[2:], level=level)
        n = {"marker": 3, "mean": 3, "sentence": 6}[level]
        assert one_pair[0] == pytest.approx(sqrt(squares[2] / (n - 1)), abs=1e-12), level


def test_pooled_standard_deviation_weighs_pairs_by_their_markers() -> None:
    """AC: .2 .1 .1 .4, mean .2, squares .06; CB: .2 .4, mean .3, squares .02."""
    tables = table(WORKED)
    spread = marker_mae_sd(tables, [(0, 5), (4, 3)])
    assert spread[0] == pytest.approx(sqrt((0.06 + 0.02) / (3 + 1)), abs=1e-12)
    # Of markers 2 and 3 the first pair has .1 and .4, the second .4 alone: it adds nothing.
    shared = np.array([[False, False, True, True]])
    spread = marker_mae_sd(tables, [(0, 5), (4, 3)], shared=shared)
    assert spread[0] == pytest.approx(sqrt(0.045), abs=1e-12)
    assert isnan(marker_mae_sd(tables, [(4, 3)], shared=shared)[0])
    assert isnan(marker_mae_sd(tables, [])[0])


def test_replies_weigh_what_the_pair_shares() -> None:
    """The mean over replies of the mean over those of their sentences whose marker counts."""
    # Groups: the first has MICs .5 and .9 of markers 0 and 1, the second none of marker 1. Replies
    # of the third: 0 with .6 and 1 with .6; 0 with .2; 1 with 1.0 alone.
    confidence = [0.5, 0.9, 0.3, 0.6, 0.6, 0.2, 1.0]
    group, marker, reply = [0, 0, 1, 2, 2, 2, 2], [0, 1, 0, 0, 1, 0, 1], [0, 1, 2, 3, 3, 4, 5]
    cells = MarkerCells.from_sentences(confidence, group, marker, (4, 2), reply, 6, reply)
    tables = cells.tables(np.array([[1] * 6, [1, 1, 1, 2, 1, 0]], float), 1)
    # From the first: (.1 + .3)/2, .3, .1; once the first reply twice and the last not at all.
    values = marker_mae(tables, [(0, 2)], level="response")
    np.testing.assert_allclose(values, [0.6 / 3, (0.2 + 0.2 + 0.3) / 3], atol=1e-12)
    # Squares .04 + .09 + .01 - .36/3; .04 + .04 + .09 - .49/3.
    values = marker_mae_sd(tables, [(0, 2)], level="response")
    np.testing.assert_allclose(values, [sqrt(0.02 / 2), sqrt((0.51 - 0.49) / 3 / 2)], atol=1e-12)
    # From the second marker 0 alone counts: .3 and .1, and the last reply not.
    values = marker_mae(tables, [(1, 2)], level="response")
    np.testing.assert_allclose(values, [0.2, (0.3 + 0.3 + 0.1) / 3], atol=1e-12)
    assert np.isnan(marker_mae(tables, [(0, 3)], level="response")).all()
    with pytest.raises(ValueError, match="needs replies"):
        marker_mae(table(WORKED), SAME, level="response")


def test_confidence_range_is_that_of_two_percentiles() -> None:
    """From the least value with 5% at or below it to the least with 95%."""
    # 19 of .5 and one of .1: 5% are at or below .1. A second one less leaves .5 alone at 5%.
    cells = MarkerCells.from_sentences(
        [0.1, *[0.5] * 19, 0.9, 0.4], [0] * 20 + [1, 1], [0, 1] * 11, (3, 2)
    )
    once, weights = np.ones((1, 22)), np.ones((1, 22))
    weights[0, [0, 20]] = 0
    np.testing.assert_allclose(confidence_range(cells.tables(once, 0)), [[0.4, 0.5, nan]])
    np.testing.assert_allclose(confidence_range(cells.tables(weights, 0)), [[0, 0, nan]])


def test_threshold_in_the_train_split_alone() -> None:
    """The authors' MAE: single sentences count in the test split."""
    cases: list[tuple[MarkerLevel, float, tuple[float, ...], int]] = [
        # A has marker 2 too, with .5 and (.6), B marker 3, with .6 and (.6); C's train has no 1.
        (
            "marker",
            ((0.25 + 0.5 / 3) / 4 + (0.1 + 0.4 / 3) / 4 + 0.1) / 3,
            (
                0.02 + 0.25 / 9 + 0.0025 - (1.25 / 3) ** 2 / 4,
                0.01 + 0.16 / 9 - (0.7 / 3) ** 2 / 4,
                0.02,
            ),
            3 + 3 + 2,
        ),
        (
            "mean",
            ((0.25 + 0.1) / 4 + 0.1 / 4 + 0.3 / 3) / 3,
            ((0.01 + 0.25 + 0.0225 + 0.09) / 9 - 0.35**2 / 4, 0.01 - 0.01 / 4, 0.02),
            3 + 3 + 2,
        ),
        (
            "sentence",
            (1.0 / 9 + 0.6 / 8 + 0.6 / 6) / 3,
            (0.2 - 1 / 9, 0.12 - 0.36 / 8, 0.12 - 0.36 / 6),
            8 + 7 + 5,
        ),
    ]
    for level, expected, squares, freedom in cases:
        tables = table(WORKED)
        values = marker_mae(tables, SAME, level=level, train_only=True)
        assert values[0] == pytest.approx(expected, abs=1e-12), (level, expected, squares, freedom)
        values = marker_mae_sd(tables, SAME, level=level, train_only=True)
        assert values[0] == pytest.approx(sqrt(sum(squares) / freedom), abs=1e-12), level


def test_a_marker_that_the_test_split_lacks() -> None:
    """No sentence, no distance, whatever the threshold."""
    tables = table([[[0.5, 0.5], [0.1, 0.1]], [[], [0.4]]])
    for level in LEVELS:
        assert isnan(marker_mae(tables, [(0, 1)], level=level)[0])
        distance = marker_mae(tables, [(0, 1)], level=level, train_only=True)
        assert distance[0] == pytest.approx(0.3, abs=1e-12)
        assert isnan(marker_mae(tables, [(1, 0)], level=level, train_only=True)[0])


# Variances of the train MICs, over the number of data sets n less ddof.
# 0: .9 .8 .7, mean .8, squares .02; 1: .7 .9, mean .8, squares .02;
# 2: .5 .4 .8, mean 1.7/3, squares 1.05 - 2.89/3 = .26/3;
# 3: .8 .6 .3, mean 1.7/3, squares 1.09 - 2.89/3 = .38/3.
OVER_GROUPS = [(3, 0.8, 0.02), (2, 0.8, 0.02), (3, 1.7 / 3, 0.26 / 3), (3, 1.7 / 3, 0.38 / 3)]
# A: .9 .7 .5 .8, mean .725, squares .175^2 + .025^2 + .225^2 + .075^2 = .0875;
# B: .8 .9 .4 .6, mean .675, squares .125^2 + .225^2 + .275^2 + .075^2 = .1475;
# C: .7 .8 .3, mean .6, squares .01 + .04 + .09 = .14.
OVER_MARKERS = [(4, 0.725, 0.0875), (4, 0.675, 0.1475), (3, 0.6, 0.14)]
# Without marker 1: A: .9 .5 .8, mean 2.2/3, squares 1.7 - 4.84/3 = .26/3; B: .8 .4 .6, .6, .08.
OVER_SHARED = [(3, 2.2 / 3, 0.26 / 3), (3, 0.6, 0.08), (3, 0.6, 0.14)]


def test_variation_over_groups_and_over_markers() -> None:
    """M-AvgCV and D-AvgCV, in both conventions and with both divisors."""
    for shared in [None, IN_ALL]:
        for ddof in [0, 1]:
            over_groups = list(OVER_GROUPS if shared is None else compress(OVER_GROUPS, shared))
            over_markers = OVER_MARKERS if shared is None else OVER_SHARED
            mic = trains(table(WORKED), shared)
            m_avg_cv = marker_variation(mic, over="groups", ddof=ddof)
            d_avg_cv = marker_variation(mic, over="markers", ddof=ddof)
            for variation, numbers in ((m_avg_cv, over_groups), (d_avg_cv, over_markers)):
                expected = mean(
                    [sqrt(squares / (n - ddof)) / centre for n, centre, squares in numbers]
                )
                assert variation[0] == pytest.approx(expected, abs=1e-12), (shared, ddof)


def test_mrc_is_the_fisher_mean_over_pairs() -> None:
    """Fisher mean of three pairs' correlations, none of them 1 where each pair shares its own."""
    cases: list[tuple[CorrelationKind, list[bool] | None, list[float]]] = [
        # Ranks. AB: 4 2 1 3 and 3 4 1 2, squared differences 1 + 4 + 0 + 1: 1 - 6*6/60 = .4.
        # AC over 0, 2, 3: 3 1 2 and 2 3 1: 1 - 6*6/24 = -.5; BC: 3 1 2 and 2 3 1 likewise.
        ("spearman", None, [0.4, -0.5, -0.5]),
        # Over 0, 2, 3, A and B have the same order: 1, kept at .9999.
        ("spearman", IN_ALL, [0.9999, -0.5, -0.5]),
        # AB: .175*.125 - .025*.225 + .225*.275 - .075*.075 = .0725.
        # AC: deviations .5/3 -.7/3 .2/3 and .1 .2 -.3: (.05 - .14 - .06)/3 = -.05.
        # BC: .2 -.2 0 and .1 .2 -.3: -.02.
        (
            "pearson",
            None,
            [
                0.0725 / sqrt(0.0875 * 0.1475),
                -0.05 / sqrt(0.26 / 3 * 0.14),
                -0.02 / sqrt(0.08 * 0.14),
            ],
        ),
        # AB over 0, 2, 3: (.5*.2 + .7*.2)/3 = .08.
        (
            "pearson",
            IN_ALL,
            [
                0.08 / sqrt(0.26 / 3 * 0.08),
                -0.05 / sqrt(0.26 / 3 * 0.14),
                -0.02 / sqrt(0.08 * 0.14),
            ],
        ),
    ]
    for kind, shared, correlations in cases:
        correlation = marker_rank_correlation(trains(table(WORKED), shared), kind=kind)
        assert correlation[0] == pytest.approx(fisher(*correlations), abs=1e-12), kind


ACCURACY = [0.8, 0.5, 0.6]  # deviations .5/3, -.4/3, -.1/3; squares .42/9
CMFG = [0.5, 0.6, 0.7]  # deviations -.1, 0, .1; squares .02


def test_mac_and_mcc_are_fisher_means_over_markers() -> None:
    """Fisher mean over markers; both conventions agree, as marker 1 has too few data sets."""
    cases: list[tuple[list[float], CorrelationKind, list[float]]] = [
        # Marker 1 is in two data sets only. Ranks of accuracy: 3 1 2; of markers 0 and 3: 3 2 1;
        # of marker 2: 2 1 3; each time squared differences of 2: 1 - 12/24.
        (ACCURACY, "spearman", [0.5, 0.5, 0.5]),
        # 0: .1 0 -.1: (.05 + .01)/3 = .02. 2: -.2/3 -.5/3 .7/3: (-.1 + .2 - .07)/9 = .03/9.
        # 3: .7/3 .1/3 -.8/3: (.35 - .04 + .08)/9 = .39/9.
        (
            ACCURACY,
            "pearson",
            [
                0.02 / sqrt(0.02 * 0.42 / 9),
                0.03 / 9 / sqrt(0.26 / 3 * 0.42 / 9),
                0.39 / 9 / sqrt(0.38 / 3 * 0.42 / 9),
            ],
        ),
        # Ranks 1 2 3: against 3 2 1 it is -1, kept at -.9999; against 2 1 3 it is .5.
        (CMFG, "spearman", [-0.9999, 0.5, -0.9999]),
        # 0 falls on a line. 2: (.02 + .07)/3 = .03. 3: -(.07 + .08)/3 = -.05.
        (CMFG, "pearson", [-0.9999, 0.03 / sqrt(0.26 / 3 * 0.02), -0.05 / sqrt(0.38 / 3 * 0.02)]),
    ]
    for shared in (None, IN_ALL):
        for of_group, kind, correlations in cases:
            mic = trains(table(WORKED), shared)
            correlation = marker_trend(mic, np.array([of_group]), kind=kind)
            assert correlation[0] == pytest.approx(fisher(*correlations), abs=1e-12), shared


def test_mac_and_mrc_by_default() -> None:
    """Pearson's and Spearman's, as the study names them; two data sets are too few."""
    mic = trains(table(WORKED))
    numbers = np.array([ACCURACY])
    assert marker_trend(mic, numbers)[0] == marker_trend(mic, numbers, kind="pearson")[0]
    assert marker_rank_correlation(mic)[0] == marker_rank_correlation(mic, kind="spearman")[0]
    correlation = marker_trend(trains(table(WORKED)), np.array([[0.8, nan, 0.6]]))
    assert isnan(correlation[0])


def test_a_dropped_marker_leaves_tables_of_the_others() -> None:
    """As if it had never been seen, whichever it is."""
    tables = table(WORKED)
    for left_out in range(4):
        remaining = [[*group[:left_out], *group[left_out + 1 :]] for group in WORKED]
        reduced, expected = tables.drop_marker(left_out), table(remaining)
        np.testing.assert_allclose(reduced.mic, expected.mic, atol=1e-12)
        assert reduced.threshold == T
        for level in LEVELS:
            assert marker_mae(reduced, DIFFERENT, level=level)[0] == pytest.approx(
                looped_mae(remaining, DIFFERENT, level), abs=1e-12
            )
    # Without marker 3, A and B share 0 1 2: ranks 3 2 1 and 2 3 1: .5; C shares two with either.
    found_mrc = marker_rank_correlation(trains(tables.drop_marker(3)))
    assert found_mrc[0] == pytest.approx(0.5, abs=1e-12)


# Thresholds and what is undefined


def test_threshold_counts_sentences_of_a_group() -> None:
    """In sentences of a group, of which there must be one, in sums of weights, and above all."""
    # A marker with T sentences has a MIC, one with fewer has none.
    for threshold, expected in ((1, 0), (2, 3), (3, 18), (4, 24)):
        assert np.isnan(table(WORKED, threshold).mic).sum() == expected
    # T = 3: three of the ordered pairs share a marker. A train, B test: .5 against .2 .4 .6; B
    # train, A test: .9 against .5 .7 .4; C train, B test: .8 against .2 .4 .6.
    distance = marker_mae(table(WORKED, 3), DIFFERENT)
    assert distance[0] == pytest.approx((0.5 + 1.1 + 1.2) / 3 / 3, abs=1e-12)
    tables = table([[[0.5], []], [[], [0.25]]], threshold=0)
    np.testing.assert_array_equal(tables.mic[0], [[0.5, nan], [nan, 0.25]])
    # Ten sentences of weight .1 are one, whatever their sum is in floats.
    cells = MarkerCells.from_sentences([0.5] * 10, [0] * 10, [0] * 10, (1, 1))
    assert cells.tables(np.full((1, 10), 0.1), threshold=1).mic[0, 0, 0] == pytest.approx(0.5)
    # Nothing is defined, at no level.
    tables = table(WORKED, threshold=100)
    assert len(undefined(all_seven(tables, TRAIN))) == 7
    for level in LEVELS:
        assert isnan(marker_mae(tables, SAME, level=level)[0])


def all_seven(tables: MarkerTables, groups: Sequence[int]) -> dict[str, float]:
    """Every metric, of the groups given as trains, the tests one further on."""
    mic = tables.mic[:, list(groups)]
    numbers = np.linspace(0.2, 0.8, len(groups))[None]
    return {
        "id_mae": float(marker_mae(tables, [(g, g + 1) for g in groups])[0]),
        "cd_mae": float(marker_mae(tables, [(a, b + 1) for a, b in permutations(groups, 2)])[0]),
        "m_avg_cv": float(marker_variation(mic, over="groups")[0]),
        "d_avg_cv": float(marker_variation(mic, over="markers")[0]),
        "mrc": float(marker_rank_correlation(mic)[0]),
        "mac": float(marker_trend(mic, numbers)[0]),
        "mcc": float(marker_trend(mic, numbers, kind="spearman")[0]),
    }


def undefined(values: dict[str, float]) -> set[str]:
    """Which metrics are NaN."""
    return {name for name, value in values.items() if isnan(value)}


def test_too_little_to_compare() -> None:
    """One or two data sets, one marker, or none that two share: NaN, without a warning."""
    values = all_seven(table(WORKED[:2]), [0])
    assert undefined(values) == {"cd_mae", "m_avg_cv", "mrc", "mac", "mcc"}
    assert undefined(all_seven(table(WORKED[:4]), [0, 2])) == {"mac", "mcc"}
    # A model that always says the same has neither order nor spread.
    single_marker = [[group[0]] for group in WORKED]
    values = all_seven(table(single_marker), TRAIN)
    assert undefined(values) == {"d_avg_cv", "mrc"}
    assert values["m_avg_cv"] == pytest.approx(sqrt(0.02 / 2) / 0.8, abs=1e-12)
    # Each data set has its own: nothing to compare, though each has a spread.
    a, b = [[0.5, 0.7], [0.2, 0.4], [], []], [[], [], [0.6, 0.8], [0.1, 0.9]]
    tables = table([a, a, b, b])
    assert undefined(all_seven(tables, [0, 2])) == {"cd_mae", "m_avg_cv", "mrc", "mac", "mcc"}
    for level in LEVELS:
        assert isnan(marker_mae(tables, [(0, 3), (2, 1)], level=level)[0])
    # It isn't a distance of 0.
    a, b = [[0.5, 0.7], []], [[0.9, 0.7], [0.1, 0.3]]
    tables = table([a, b, [[], [0.4, 0.4]]])
    # a to b .3 and .1; a to the third nothing; b to the third .2.
    assert marker_mae(tables, [(0, 1), (0, 2), (1, 2)])[0] == pytest.approx((0.2 + 0.2) / 2)
    # NaN, without a warning.
    assert isnan(marker_mae(table(WORKED), [])[0])
    empty = MarkerCells.from_sentences([nan, nan], [0, 1], [0, 1], (6, 4)).tables(
        np.ones((2, 2)), 1
    )
    for level in LEVELS:
        assert np.isnan(marker_mae(empty, DIFFERENT, level=level)).all()
    assert len(undefined(all_seven(empty, TRAIN))) == 7
    none = table([[[0.5]]] * 6).drop_marker(0)
    assert len(undefined(all_seven(none, TRAIN))) == 7


def test_mics_of_zero_have_no_coefficient_of_variation() -> None:
    """SD / mean is 0 / 0: left out, not 0."""
    mic = np.array([[[0.0, 0.4], [0.0, 0.8]]])
    assert marker_variation(mic, over="groups")[0] == pytest.approx(sqrt(0.08) / 0.6, abs=1e-12)
    assert isnan(marker_variation(mic[:, :, :1], over="groups")[0])


def test_correlations_that_are_undefined() -> None:
    """They are left out of the mean, and two shared markers have none."""
    # Those of the others remain: the authors' mean would be NaN.
    for kind in KINDS:
        mic = np.array([[[0.3, 0.3, 0.3], [0.1, 0.2, 0.4], [0.2, 0.1, 0.7]]])
        expected = scipys([0.1, 0.2, 0.4], [0.2, 0.1, 0.7], kind)
        assert marker_rank_correlation(mic, kind=kind)[0] == pytest.approx(expected, abs=1e-12)
    # Two points always correlate perfectly.
    mic = np.array([[[0.1, 0.9, nan], [0.2, 0.3, 0.4]]])
    for kind in KINDS:
        assert isnan(marker_rank_correlation(mic, kind=kind)[0])
    # .1 + .2 and .3 are the same MIC.
    for kind in KINDS:
        level = np.array([[[0.3, 0.1 + 0.2, 0.3, 0.3], [0.1, 0.2, 0.3, 0.4]]])
        assert isnan(marker_rank_correlation(level, kind=kind)[0]), kind
        constant = np.array([[[0.3], [0.1 + 0.2], [0.3]]])
        assert isnan(marker_trend(constant, np.array([[0.1, 0.2, 0.4]]), kind=kind)[0]), kind
        rising = np.array([[[0.3], [0.4], [0.5]]])
        assert isnan(marker_trend(rising, np.array([[0.3, 0.1 + 0.2, 0.3]]), kind=kind)[0]), kind
    # Two small ones are spreads; a large one doesn't make one of the other's rounding.
    for kind in KINDS:
        small = 0.5 + np.array([[[1e-5], [2e-5], [3e-5]]])
        correlation = marker_trend(small, 0.5 + np.array([[1e-5, 2e-5, 3e-5]]), kind=kind)
        assert correlation[0] == pytest.approx(CLAMP, abs=1e-9), kind
        rounded = np.array([[[0.3], [0.1 + 0.2], [0.3]]])
        assert isnan(marker_trend(rounded, np.array([[1e9, 2e9, 4e9]]), kind=kind)[0]), kind


def test_perfect_correlations_are_clamped() -> None:
    """At .9999 unless told otherwise: arctanh of 1 is infinite."""
    for clamp in [CLAMP, 0.99]:
        for sign in [1, -1]:
            for kind in KINDS:
                line = np.array([0.2, 0.3, 0.5, 0.6])
                mic = np.stack([line, 0.5 + sign * line / 3])[None]
                correlation = marker_rank_correlation(mic, kind=kind, clamp=clamp)[0]
                assert correlation == pytest.approx(sign * clamp, abs=1e-12), (clamp, sign, kind)
                rising = np.array([[[0.1], [0.2], [0.3]]])
                trend = marker_trend(
                    rising, sign * np.array([[1.0, 2.0, 3.0]]), kind=kind, clamp=clamp
                )[0]
                assert trend == pytest.approx(sign * clamp, abs=1e-12), (clamp, sign, kind)
                assert CLAMP == 0.9999, (clamp, sign, kind)


def test_fisher_and_spearman_by_hand() -> None:
    """(atanh 0 + atanh .8)/2 = atanh .5; equal MICs share the mean of their ranks."""
    correlation = fisher_mean([np.array([0.0, nan, nan]), np.array([0.8, 0.8, nan])])
    np.testing.assert_allclose(correlation, [0.5, 0.8, nan], atol=1e-12)
    # Equal MICs share the mean of their ranks: 1.5 1.5 3 4 against 1 2 3.5 3.5.
    mic = np.array([[[0.2, 0.2, 0.5, 0.9], [0.1, 0.3, 0.6, 0.1 + 0.5]]])
    # Deviations -1 -1 .5 1.5 and -1.5 -.5 1 1: products 1.5 + .5 + .5 + 1.5; squares 4.5 and 4.5.
    correlation = marker_rank_correlation(mic)[0]
    assert correlation == pytest.approx(4 / 4.5, abs=1e-12)
    ranks = [rankdata([0.2, 0.2, 0.5, 0.9]), rankdata([0.1, 0.3, 0.6, 0.6])]
    assert correlation == pytest.approx(pearsonr(*ranks).statistic, abs=1e-12)


def test_missing_confidences_are_no_sentences() -> None:
    """Missing confidences are no sentences; nearly equal ones are one."""
    cells = MarkerCells.from_sentences([0.2, nan, 0.6, nan], [0, 0, 0, 0], [0, 0, 0, 1], (1, 2))
    tables = cells.tables(np.ones((1, 4)), threshold=2)
    np.testing.assert_array_equal(tables.size[0], [[2, 0]])
    np.testing.assert_allclose(tables.mic[0], [[0.4, nan]])
    assert np.isnan(cells.tables(np.ones((1, 4)), threshold=3).mic).all()
    # 1 - 14/20 and 6/20 differ in the last bit.
    assert 1 - 14 / 20 != 6 / 20
    cells = MarkerCells.from_sentences([1 - 14 / 20, 6 / 20], [0, 0], [0, 0], (1, 1))
    assert len(cells.values) == 1
    assert cells.tables(np.ones((1, 2)), 1).counts.tolist() == [[[[2]]]]


# The sampling floor


def floor_of(c: float, k: int = 20) -> float:
    """E|Bin(k, c)/k - c|, by its probabilities."""
    successes = np.arange(k + 1)
    return float(binom.pmf(successes, k, c) @ abs(successes / k - c))


def test_sampling_floor_is_the_exact_expectation() -> None:
    """De Moivre's formula, scipy's probabilities and the table's exact expectation agree."""
    for c, rounded in [(0.5, 0.0881), (0.7, 0.0805), (0.9, 0.0513)]:
        k = 20
        m = int(k * c + 1e-9) + 1
        closed = 2 * m * comb(k, m) * c**m * (1 - c) ** (k - m + 1) / k
        assert floor_of(c) == pytest.approx(closed, abs=1e-12), (c, rounded)
        assert round(closed, 4) == rounded, (c, rounded)
        # Each confidence with its probability as its weight: MIC is c, and MAE the floor.
        draws = np.arange(k + 1)
        cells = MarkerCells.from_sentences(
            np.tile(draws / k, 2), np.repeat([0, 1], k + 1), [0] * 42, (2, 1)
        )
        tables = cells.tables(np.tile(binom.pmf(draws, k, c), 2)[None], threshold=0.5)
        assert tables.mic[0, 0, 0] == pytest.approx(c, abs=1e-12), (c, rounded)
        assert marker_mae(tables, [(0, 1)])[0] == pytest.approx(closed, abs=1e-12), (c, rounded)
        assert marker_mae(tables, [(0, 1)], level="mean")[0] == pytest.approx(0, abs=1e-12), c


def test_sampling_floor_in_a_simulation() -> None:
    """A model whose markers mean the same everywhere gets the mean of the markers' floors."""
    levels, n, k = (0.5, 0.7, 0.9), 40_000, 20
    rng = np.random.default_rng(7)
    agree = np.stack([rng.binomial(k, c, size=(2, n)) for c in levels])  # marker, split, sentence
    marker, group, _ = np.indices(agree.shape)
    cells = MarkerCells.from_sentences(agree.ravel() / k, group.ravel(), marker.ravel(), (2, 3))
    tables = cells.tables(np.ones((1, agree.size)))
    # The SD of |Bin/k - c| is below .07, so that five standard errors of n are .0018.
    expected = mean(list(map(floor_of, levels)))
    assert marker_mae(tables, [(0, 1)])[0] == pytest.approx(expected, abs=0.0018)
    assert marker_mae(tables, [(0, 1)], level="sentence")[0] == pytest.approx(expected, abs=0.0018)
    for m, c in enumerate(levels):
        shared = np.zeros((1, 3), bool)
        shared[0, m] = True
        assert marker_mae(tables, [(0, 1)], shared=shared)[0] == pytest.approx(
            floor_of(c), abs=0.002
        )
    assert marker_mae(tables, [(0, 1)], level="mean")[0] < 0.004
    assert marker_variation(tables.mic, over="groups")[0] < 0.006


# Weights of a bootstrap

sentences = st.lists(
    st.tuples(
        st.integers(0, 20),  # confidence in twentieths
        st.integers(0, 5),  # group
        st.integers(0, 3),  # marker
        st.integers(0, 5),  # item
    ),
    min_size=1,
    max_size=80,
)


SentenceCounts = Sequence[tuple[int, int, int, int]]
"""Confidence in twentieths, group, marker and item."""


def cells_of(rows: SentenceCounts) -> MarkerCells:
    """Of six items."""
    twentieths, group, marker, item = map(list, zip(*rows, strict=True))
    return MarkerCells.from_sentences(
        np.array(twentieths) / 20, group, marker, (6, 4), unit=item, units=6
    )


def values_of(tables: MarkerTables) -> NDArray[np.float64]:
    """Every metric of each resample, one a column."""
    mic = tables.mic[:, list(TRAIN)]
    numbers = np.tile(ACCURACY, (len(mic), 1))
    columns = []
    for pairs, level in product((SAME, DIFFERENT), LEVELS):
        columns.append(marker_mae(tables, pairs, level=level))
    columns.append(marker_variation(mic, over="groups"))
    columns.append(marker_variation(mic, over="markers", ddof=0))
    for kind in KINDS:
        columns.append(marker_rank_correlation(mic, kind=kind))
    for kind in KINDS:
        columns.append(marker_trend(mic, numbers, kind=kind))
    return np.stack(columns, axis=1)


@fixed
@given(sentences, st.lists(st.integers(0, 3), min_size=6, max_size=6), st.integers(1, 3))
def test_weights_are_repetitions(rows: SentenceCounts, weights: list[int], threshold: int) -> None:
    """An item of weight 2 is all its sentences twice, one of weight 0 none of them."""
    repeated: list[tuple[int, int, int, int]] = []
    for row in rows:
        repeated += [row] * weights[row[3]]
    assume(repeated)
    tables = cells_of(rows).tables(np.array([weights], float), threshold)
    expected = cells_of(repeated).tables(np.ones((1, 6)), threshold)
    np.testing.assert_allclose(tables.mic, expected.mic, atol=1e-12)
    np.testing.assert_allclose(values_of(tables), values_of(expected), atol=1e-9)


@pytest.mark.slow
@fixed
@given(sentences, st.integers(0, 10_000))
def test_resamples_at_once_are_resamples_one_by_one(rows: SentenceCounts, seed: int) -> None:
    """No row of weights knows of another."""
    weights = np.random.default_rng(seed).multinomial(6, [1 / 6] * 6, size=3).astype(float)
    cells = cells_of(rows)
    at_once = values_of(cells.tables(weights, 2))
    separate = [values_of(cells.tables(row[None], 2))[0] for row in weights]
    np.testing.assert_allclose(at_once, separate, atol=1e-12)


def test_shared_markers_may_differ_by_resample() -> None:
    """One row of `shared` for each table."""
    rows = [(4, 0, 0, 0), (10, 0, 1, 0), (12, 1, 0, 0), (12, 1, 1, 0)]
    tables = cells_of(rows).tables(np.ones((2, 6)), 1)
    shared = np.array([[True, False, False, False], [False, True, False, False]])
    np.testing.assert_allclose(marker_mae(tables, [(0, 1)], shared=shared), [0.4, 0.1], atol=1e-12)


# Properties


def grouped(rows: SentenceCounts) -> list[list[list[float]]]:
    """The rows as lists of confidences by group and marker."""
    cells: dict[tuple[int, int], list[float]] = defaultdict(list)
    for twentieths, group, marker, _ in rows:
        cells[group, marker].append(twentieths / 20)
    groups = []
    for group in range(6):
        groups.append([cells[group, marker] for marker in range(4)])
    return groups


def close(actual: float, expected: float) -> bool:
    """Both NaN, or the same."""
    return bool(actual == pytest.approx(expected, abs=1e-9, nan_ok=True))


@fixed
@given(sentences, st.integers(0, 4), st.sampled_from(LEVELS))
def test_mae_is_that_of_loops(rows: SentenceCounts, threshold: int, level: MarkerLevel) -> None:
    """Over random sentences, for any threshold."""
    tables = cells_of(rows).tables(np.ones((1, 6)), threshold)
    shared = [True, False, True, True]
    for pairs in (SAME, DIFFERENT):
        distance = marker_mae(tables, pairs, level=level)[0]
        assert close(distance, looped_mae(grouped(rows), pairs, level, threshold))
        distance = marker_mae(tables, pairs, level=level, shared=np.array([shared]))[0]
        assert close(distance, looped_mae(grouped(rows), pairs, level, threshold, shared))


# MICs in fortieths, so that there are ties, or none.
one_mic = st.integers(1, 40).map(lambda number: number / 40) | st.just(nan)
mics = st.lists(st.lists(one_mic, min_size=5, max_size=5), min_size=2, max_size=5)


@fixed
@given(mics, st.sampled_from([0, 1]))
def test_variation_is_that_of_loops(rows: list[list[float]], ddof: int) -> None:
    """Over groups and over markers."""
    mic = np.array(rows)[None]
    columns = list(map(list, zip(*rows, strict=True)))
    over_groups = marker_variation(mic, over="groups", ddof=ddof)[0]
    assert close(over_groups, looped_variation(columns, ddof))
    over_markers = marker_variation(mic, over="markers", ddof=ddof)[0]
    assert close(over_markers, looped_variation(rows, ddof))


@fixed
@given(mics, st.sampled_from(KINDS))
def test_correlations_are_scipys(rows: list[list[float]], kind: CorrelationKind) -> None:
    """With ties and gaps: pairs of data sets for MRC, markers for MAC."""
    defined = without_nan(scipys(a, b, kind) for a, b in combinations(rows, 2))
    correlation = marker_rank_correlation(np.array([rows]), kind=kind)[0]
    assert close(correlation, fisher(*defined) if defined else nan)
    numbers = [0.2, 0.7, 0.7, 0.1, 0.5][: len(rows)]
    columns = list(map(list, zip(*rows, strict=True)))
    defined = without_nan(scipys(column, numbers, kind) for column in columns)
    correlation = marker_trend(np.array([rows]), np.array([numbers]), kind=kind)[0]
    assert close(correlation, fisher(*defined) if defined else nan)


@fixed
@given(sentences, st.integers(0, 3))
def test_values_lie_in_their_ranges(rows: SentenceCounts, threshold: int) -> None:
    """MAEs in [0, 1], variations from 0, correlations within the clamp; means are closest."""
    tables = cells_of(rows).tables(np.ones((1, 6)), threshold)
    values = values_of(tables)[0]
    present = ~np.isnan(values)
    assert (
        values[present] >= [0.0] * present[:8].sum() + [-CLAMP - 1e-12] * present[8:].sum()
    ).all()
    assert (values[:6][present[:6]] <= 1).all()
    assert (values[8:][present[8:]] <= CLAMP + 1e-12).all()
    # |mean of differences| <= mean of |differences|, marker by marker.
    for marker_level, mean_level in ((values[0], values[2]), (values[3], values[5])):
        assert isnan(marker_level) or mean_level <= marker_level + 1e-12


@fixed
@given(sentences, st.permutations(range(3)), st.permutations(range(4)))
def test_order_of_data_sets_and_markers_changes_nothing(
    rows: SentenceCounts, of_set: list[int], of_marker: list[int]
) -> None:
    """Data sets in another order, with their accuracies, and markers in another."""
    moved = [(c, 2 * of_set[g // 2] + g % 2, of_marker[m], item) for c, g, m, item in rows]
    ones = np.ones((1, 6))
    original, renamed = cells_of(rows).tables(ones, 2), cells_of(moved).tables(ones, 2)
    np.testing.assert_allclose(values_of(original)[:, :10], values_of(renamed)[:, :10], atol=1e-9)
    numbers = np.zeros((1, 3))
    numbers[0, of_set] = ACCURACY
    for kind in KINDS:
        before = marker_trend(original.mic[:, list(TRAIN)], np.array([ACCURACY]), kind=kind)
        after = marker_trend(renamed.mic[:, list(TRAIN)], numbers, kind=kind)
        np.testing.assert_allclose(before, after, atol=1e-9)


@fixed
@given(sentences)
def test_identical_data_sets(rows: SentenceCounts) -> None:
    """No distance of means, no variation, perfect order; sentences still lie about their mean."""
    copies = []
    for (twentieths, _, marker, item), group in product(rows, range(6)):
        copies.append((twentieths, group, marker, item))
    tables = cells_of(copies).tables(np.ones((1, 6)), 2)
    mic = tables.mic[0, 0]
    known_mics = mic[~np.isnan(mic)]
    assume(len(known_mics))
    assert marker_mae(tables, DIFFERENT, level="mean")[0] == pytest.approx(0, abs=1e-12)
    if known_mics.max() > 0:
        spread = marker_variation(tables.mic, over="groups")[0]
        assert spread == pytest.approx(0, abs=1e-12)
    order = marker_rank_correlation(tables.mic)[0]
    if len(known_mics) >= 3 and np.ptp(known_mics) > 1e-9:
        assert order == pytest.approx(CLAMP, abs=1e-9)
    else:
        assert isnan(order)
    assert isnan(marker_trend(tables.mic, np.linspace(0, 1, 6)[None])[0])


# Intervals of variation


def test_spread_interval_without_error_or_variation() -> None:
    """None where MICs are the same in every resample, or in all groups."""
    mic = np.array([[0.2, 0.4], [0.6, 0.5], [0.4, 0.9]])
    assert np.isnan(spread_interval(mic, np.stack([mic] * 5), over="groups")).all()
    constant = np.full((3, 2), 0.5)
    draws = constant + np.random.default_rng(0).normal(0, 0.05, (50, 3, 2))
    assert np.isnan(spread_interval(constant, draws, over="groups")).all()


@pytest.mark.parametrize("over", ["groups", "markers"])
def test_spread_interval_where_errors_are_small(over: Literal["groups", "markers"]) -> None:
    """Errors that stretch deviations by a factor stretch the variation, whose interval is exact."""
    rng = np.random.default_rng(1)
    mic = 0.5 + rng.uniform(-0.2, 0.2, (4, 6))
    axis = 0 if over == "groups" else 1
    centre = mic.mean(axis=axis, keepdims=True)
    factor = 1 + np.linspace(-0.1, 0.1, 2001)
    draws = centre + factor[:, None, None] * (mic - centre)
    low, high = spread_interval(mic, draws, over=over)
    # At scale s draws are s + factor - 1 times the value, of which .95 are within +-.095 of s: the
    # value is among them from s = .905 to 1.095.
    (value,) = marker_variation(mic[None], over=over)
    assert (low / value, high / value) == pytest.approx((0.905, 1.095), abs=1e-6)


def test_spread_interval_holds_no_variation() -> None:
    """It begins at 0 where the MICs' error is as large as their differences."""
    rng = np.random.default_rng(2)
    mic = 0.5 + rng.normal(0, 0.05, (4, 6))
    low, high = spread_interval(mic, mic + rng.normal(0, 0.05, (400, 4, 6)), over="groups")
    (value,) = marker_variation(mic[None], over="groups")
    assert low == 0
    assert value <= high
