"""Consistency of choices among words for a probability."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from build import attributes_of, column_of, record_table, records_with
from inspect_confidence.datasets.wep_choices import design
from inspect_confidence.metrics import (
    choice_sensitivity,
    choice_sensitivity_flags,
    empirical_consistency,
    empirical_monotonicity_consistency,
    monotonicity_consistency,
    monotonicity_flags,
    pairwise_consistency,
    pairwise_consistency_flags,
)
from inspect_confidence.studies.wep_probes.choices import RISING, expected_by_chance, score_units

NAN = float("nan")
SCORES = (
    "pairwise_consistency",
    "monotonicity_consistency",
    "empirical_consistency",
    "empirical_monotonicity_consistency",
    "choice_sensitivity",
)
sequences = st.lists(st.lists(st.integers(0, 4), min_size=5, max_size=5), min_size=1, max_size=8)


# Worked by hand


def test_ranks_that_add_to_n_minus_1_are_consistent() -> None:
    """Ranks that add to n - 1 mirror each other; pairs with an unreadable side are left out."""
    cases: list[tuple[list[float], list[float], int, float]] = [
        ([0], [4], 5, 1),  # almost certainly, almost certainly not
        ([4], [0], 5, 1),
        ([1], [3], 5, 1),
        ([2], [2], 5, 1),  # maybe, maybe
        ([0], [3], 5, 0),
        ([1], [1], 5, 0),
        ([0], [2], 3, 1),
        ([2], [0], 3, 1),  # as likely a pair as the one above, whatever the authors' figures say
        ([1], [1], 3, 1),
        ([0], [0], 3, 0),
        ([0, 1, 2, 3], [4, 3, 1, 0], 5, 0.5),
        ([0, NAN, 2], [4, 3, 1], 5, 0.5),
        ([NAN], [4], 5, NAN),
        ([], [], 5, NAN),
    ]
    for first, second, n, score in cases:
        consistency = pairwise_consistency(first, second, n)
        assert consistency == pytest.approx(score, nan_ok=True), (first, second, n, score)


def test_scores_are_shares_of_readable_units() -> None:
    """Shares of readable units; a flat list of ranks is an error."""
    # Pairs of five and of three choices in one call each go by their own number.
    flags = pairwise_consistency_flags([0, 0, 1, 1], [4, 2, 1, 3], [5, 3, 3, 3])
    assert flags.tolist() == [1, 1, 1, 0]
    # Two of three readable sequences.
    ranks = [[3, 3, 2, 1, 0], [0, 1, 0, 2, 2], [0, 1, 2, 2, 2], [NAN, 1, 2, 2, 2]]
    consistency = monotonicity_consistency(np.array(ranks), [True, False, False, False])
    assert consistency == pytest.approx(2 / 3)
    # Two of three readable choices are the right one.
    assert empirical_consistency([0, 1, 2, NAN], [0, 2, 2, 2]) == pytest.approx(2 / 3)
    assert np.isnan(empirical_consistency([NAN], [0]))
    assert np.isnan(empirical_consistency([], []))
    # One of two readable sequences changes; a change at the last point counts.
    rows = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 1, 0], [1, 1, NAN, 1, 0]])
    assert choice_sensitivity(rows) == 0.5
    assert np.isnan(choice_sensitivity(np.empty((0, 5))))
    with pytest.raises(ValueError, match="ranks has 1 dimensions"):
        choice_sensitivity([1, 2, 3])
    with pytest.raises(ValueError, match="ranks has 1 dimensions"):
        monotonicity_consistency([1, 2, 3], [True])


def test_monotonicity_follows_the_direction_of_the_probability() -> None:
    """Where the probability rises ranks must fall or stay, and the other way round."""
    cases: list[tuple[list[float], bool, float]] = [
        ([4, 3, 2, 1, 0], True, 1),
        ([4, 3, 2, 1, 0], False, 0),
        ([0, 1, 2, 3, 4], False, 1),
        ([2, 2, 2, 2, 2], True, 1),  # a constant answer never steps the wrong way
        ([2, 2, 2, 2, 2], False, 1),
        ([4, 4, 3, 3, 0], True, 1),
        ([4, 3, 4, 1, 0], True, 0),  # one step back
        ([0, 0, 0, 0, 1], True, 0),
        ([4, NAN, 4, 1, 0], True, NAN),
    ]
    for ranks, rises, score in cases:
        assert monotonicity_consistency([ranks], [rises]) == pytest.approx(score, nan_ok=True)


def test_empirical_monotonicity_compares_directions() -> None:
    """The word moves up, down or not at all as the right word does."""
    for step, right_step, score in [
        ((2, 1), (1, 0), 1),
        ((4, 0), (1, 0), 1),  # how far it moves doesn't matter
        ((2, 2), (1, 1), 1),
        ((2, 2), (1, 0), 0),
        ((2, 1), (1, 1), 0),
        ((1, 2), (1, 0), 0),
        ((1, 2), (2, 4), 1),
        ((NAN, 2), (1, 0), NAN),
        ((2, NAN), (1, 0), NAN),
    ]:
        consistency = empirical_monotonicity_consistency(
            [step[0]], [step[1]], [right_step[0]], [right_step[1]]
        )
        assert consistency == pytest.approx(score, nan_ok=True), (step, right_step, score)


@given(sequences)
def test_scores_equal_loops(rows: list[list[int]]) -> None:
    """Each score equals loops over its units."""
    for rises in (True, False):
        expected = [float(row == sorted(row, reverse=rises)) for row in rows]
        assert monotonicity_flags(rows, [rises] * len(rows)).tolist() == expected
    assert choice_sensitivity_flags(rows).tolist() == [float(len(set(row)) > 1) for row in rows]
    first, second = column_of(rows, 0), column_of(rows, 1)
    expected = [float(a + b == 4) for a, b in zip(first, second, strict=True)]
    assert pairwise_consistency_flags(first, second, 5).tolist() == expected


@given(sequences)
def test_mirroring_all_words_changes_no_score(rows: list[list[int]]) -> None:
    """With every word replaced by its mirror and intervals by complements, scores are the same."""
    ranks = np.array(rows)
    rises = np.arange(len(rows)) % 2 == 0
    assert monotonicity_consistency(ranks, rises) == monotonicity_consistency(4 - ranks, ~rises)
    first, second = ranks[:, 0], ranks[:, 1]
    assert pairwise_consistency(first, second, 5) == pairwise_consistency(4 - second, 4 - first, 5)
    assert choice_sensitivity(ranks) == choice_sensitivity(4 - ranks)


# By chance


def table(size: int) -> pd.DataFrame:
    """The prompts of a set of choices as ranked judgments whose ranks are still to come."""
    prompts = records_with(design(), choice_set=size)
    factors = ["scenario", "choice_set", "numbers", "point", "interval"]
    rows = record_table(prompts)[["id", *factors]].rename(columns={"id": "item"})
    right = np.array(attributes_of(prompts, "right"), float)
    return rows.assign(right=right, cot=False, run="", epoch=1.0)


def enumerated(score: str, size: int, rows: pd.DataFrame) -> float:
    """The mean of a score over all size^5 answers to every sequence of prompts."""
    everything = np.array(list(product(range(size), repeat=5)), float)
    if score == "monotonicity_consistency":
        kinds = rows["interval"].drop_duplicates()
        flags = [monotonicity_flags(everything, [k in RISING] * len(everything)) for k in kinds]
        return float(np.mean(flags))
    if score == "choice_sensitivity":
        return float(choice_sensitivity_flags(everything).mean())
    if score == "pairwise_consistency":
        pairs = np.array(list(product(range(size), repeat=2)))
        return float((pairs.sum(axis=1) == size - 1).mean())
    if score == "empirical_consistency":
        return float(np.equal.outer(np.arange(size), rows["right"].to_numpy()).mean())
    values = []
    for _, sequence in rows.groupby(["scenario", "numbers", "interval"]):
        right = sequence.sort_values("point")["right"].to_numpy()
        for i in range(4):
            values.append(
                empirical_monotonicity_consistency(
                    everything[:, i], everything[:, i + 1], right[i], right[i + 1]
                )
            )
    return float(np.mean(values))


def test_chance_is_the_enumerated_mean() -> None:
    """Over all equally likely answers to five points; the authors count fewer pairs."""
    for score in SCORES:
        for size in [3, 5]:
            rows = table(size)
            chance = expected_by_chance(score, size, rows, "text")
            assert chance == pytest.approx(enumerated(score, size, rows), abs=1e-12), (score, size)
    # Of nine pairs of three choices two are counted, of 25 pairs of five choices five.
    for size, expected in ((3, 2 / 9), (5, 1 / 5)):
        assert expected_by_chance("pairwise_consistency", size, table(size), "authors") == expected


@pytest.mark.slow
def test_chance_is_what_random_answers_score() -> None:
    """300 random runs of all prompts come within 4 standard errors of the expectation."""
    for convention in ["text", "authors"]:
        for size in [3, 5]:
            rng = np.random.default_rng(size)
            runs = 60
            rows = pd.concat([table(size).assign(epoch=float(run)) for run in range(runs)])
            scores: dict[str, list[NDArray[np.float64]]] = {name: [] for name in SCORES}
            for _ in range(5):
                random_rows = rows.assign(rank=rng.integers(size, size=len(rows)).astype(float))
                for name, unit in score_units(random_rows, convention).items():
                    scores[name].append(unit["value"].to_numpy())
            for name, values in scores.items():
                mean = np.concatenate(values)
                # A unit's value is a mean over 60 runs; units that share choices are dependent.
                error = 2 * mean.std(ddof=1) / np.sqrt(len(mean))
                expected = expected_by_chance(name, size, table(size), convention)
                assert abs(mean.mean() - expected) < 4 * error, name
            pairs = np.concatenate(scores["pairwise_consistency"]).mean()
            mean_score = size == 3 and convention == "authors"
            assert pairs == pytest.approx(2 / 9 if mean_score else 1 / size, abs=0.01), (
                convention,
                size,
            )
