"""Sets of integers, temperatures and tunnel indices."""

import math
from fractions import Fraction
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import brentq
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy

from build import column_of, shares_of, tempered_weights
from inspect_confidence.metrics import (
    TEMPERATURES,
    entropy_bits,
    prediction_set,
    ranked,
    residual_tunnel_index,
    set_covers,
    set_hulls,
    set_sizes,
    temperature_nll,
    temperature_score,
    temperature_scores,
    tempered,
    tunnel_index,
)
from inspect_confidence.metrics.arrays import FloatArray
from metrics.strategies import fixed

# Smallest sets of whole numbers, against a search over all subsets.


Counts = dict[int, int]

counts = st.dictionaries(st.integers(-5, 5), st.integers(0, 6), min_size=1, max_size=7).filter(
    lambda weights: any(weights.values())
)
percents = st.integers(1, 99)


def smallest(weights: Counts, level: int) -> list[int]:
    """Over all subsets with exact masses: fewest values, then most mass, then least values."""
    total = sum(weights.values())
    ranking = []
    for size in range(1, len(weights) + 1):
        for subset in combinations(sorted(weights), size):
            mass = sum(map(weights.__getitem__, subset))
            if Fraction(mass, total) > Fraction(level, 100):
                ranking.append((size, -mass, subset))
    return list(min(ranking)[2])


@fixed
@given(counts, percents)
def test_is_the_smallest_of_all_subsets(weights: Counts, level: int) -> None:
    """By a search with exact fractions; hotter sets are no smaller."""
    members = prediction_set(shares_of(weights), level)
    assert members == smallest(weights, level)
    assert prediction_set(weights, level) == members  # normalised first
    _, masses = ranked([weights])
    sizes = [set_sizes(tempered(masses, t), level)[0] for t in (0.3, 0.7, 1.0, 1.5, 4.0)]
    assert sizes == sorted(sizes)


def test_prediction_set_takes_the_likeliest_values_until_the_level() -> None:
    """Values are taken by falling probability until the level is exceeded."""
    cases: list[tuple[dict[int, float], float, list[int]]] = [
        ({3: 0.5, 4: 0.3, 5: 0.2}, 50, [3, 4]),  # .5 is the level, and doesn't exceed it
        ({3: 0.5, 4: 0.3, 5: 0.2}, 49.999, [3]),
        ({3: 0.5, 4: 0.3, 5: 0.2}, 79, [3, 4]),
        ({3: 0.5, 4: 0.3, 5: 0.2}, 80, [3, 4, 5]),
        ({9: 0.25, 1: 0.25, 5: 0.25, -3: 0.25}, 49, [-3, 1]),  # ties by value
        ({9: 0.3, 1: 0.1, 5: 0.6}, 85, [5, 9]),  # by probability, not by value
        ({2: 3, 4: 1}, 70, [2]),  # 3/4 of the mass
        ({0: 0.0, 1: 1.0}, 99.99, [1]),
        (dict.fromkeys(range(10), 0.1), 70, list(range(8))),  # 7 * 0.1 is less than 0.7 in floats
        (dict.fromkeys(range(10), 0.1), 30, [0, 1, 2, 3]),  # 3 * 0.1 is more than 0.3 in floats
    ]
    for probabilities, level, expected in cases:
        assert prediction_set(probabilities, level) == expected, (probabilities, level, expected)


def test_rounding_does_not_drop_a_value() -> None:
    """Of n equal masses k make the share k/n, and k + 1 exceed it, although sums are rounded."""
    for n in (7, 20, 30, 49, 100):
        for k in range(1, n):
            assert len(prediction_set(dict.fromkeys(range(n), 1 / n), 100 * k / n)) == k + 1


@fixed
@given(counts, st.tuples(percents, percents))
def test_sets_are_nested(weights: Counts, two: tuple[int, int]) -> None:
    """The set at a level is part of that at a higher level."""
    assert set(prediction_set(weights, min(two))) <= set(prediction_set(weights, max(two)))


@fixed
@given(st.lists(counts, min_size=1, max_size=5), percents, st.integers(-6, 6))
def test_sets_of_many_rows_equal_sets_of_each_row(
    rows: list[Counts], level: int, truth: int
) -> None:
    """Sizes, hulls and covers of many rows are those of the subset search, row by row."""
    values, masses = ranked(rows)
    low, high = set_hulls(values, masses, level)
    sizes = set_sizes(masses, level)
    covers = set_covers(values, masses, level, [truth] * len(rows))
    for row, weights in enumerate(rows):
        members = smallest(weights, level)
        assert sizes[row] == len(members)
        assert (low[row], high[row]) == (min(members), max(members))
        assert covers[row] == (truth in members)


@fixed
@given(st.lists(counts, min_size=1, max_size=5))
def test_ranks_keep_every_mass(rows: list[Counts]) -> None:
    """Each row holds its values with a mass above 0, falling, normalised, and nothing else."""
    values, masses = ranked(rows)
    assert masses.sum(axis=1) == pytest.approx(1)
    assert (np.diff(masses, axis=1) <= 0).all()
    for row, weights in enumerate(rows):
        row_masses = dict(
            zip(values[row][masses[row] > 0], masses[row][masses[row] > 0], strict=True)
        )
        positive_weights = {value: weight for value, weight in weights.items() if weight}
        assert row_masses == pytest.approx(shares_of(positive_weights))
        assert set(values[row]) <= set(row_masses)


def test_a_truth_between_a_sets_values_is_not_held() -> None:
    """The hull of {3, 9} is [3, 9], yet the set doesn't hold 5; nor does it hold 3.5."""
    values, masses = ranked([{3: 0.6, 9: 0.4}] * 4)
    assert list(set_covers(values, masses, 90, [5, 3, 9, 3.5])) == [0, 1, 1, 0]
    low, high = set_hulls(values, masses, 90)
    assert {*low, *high} == {3, 9}


def test_bad_values_are_refused() -> None:
    """Distributions, levels, temperatures and lengths: an error that names the value."""
    for bad in [{}, {1: 0.0}, {1: -0.1, 2: 1.1}, {1: -1.0}]:
        with pytest.raises(ValueError, match="probability"):
            prediction_set(bad, 90)
        with pytest.raises(ValueError, match="probability"):
            ranked([{1: 1.0}, bad])
    for level in [0, 100, -1, 101]:
        with pytest.raises(ValueError, match=f"level={level}"):
            prediction_set({1: 1.0}, level)
    for temperature in [0, -1, float("nan")]:
        with pytest.raises(ValueError, match=f"temperature={temperature}"):
            tempered(np.array([[1.0]]), temperature)
    two = [{0: 0.5, 1: 0.5}] * 2
    with pytest.raises(ValueError, match=r"[Ll]ength|argument"):
        temperature_score(two, [0, 1, 1], LEVELS)
    with pytest.raises(ValueError, match="2 distributions, but 3 truths"):
        temperature_nll(two, [0, 1, 1])
    for n in [0, 3, -1]:
        with pytest.raises(ValueError, match=f"n={n} is not between 1 and the number of traces, 2"):
            residual_tunnel_index([[1, 0], [0, 1]], n)
    with pytest.raises(ValueError, match="1 dimensions"):
        tunnel_index([0.5, 0.5])


def test_tempered_masses_are_powers_normalised() -> None:
    """Probabilities to the power 1/T, normalised, up to extreme ones; the grid."""
    for temperature, expected in [
        # (0.8, 0.2): squares 0.64 and 0.04, roots as 2 to 1
        (0.5, [16 / 17, 1 / 17]),
        (2.0, [2 / 3, 1 / 3]),
        (1.0, [0.8, 0.2]),
    ]:
        got = tempered(np.array([[0.8, 0.2]]), temperature)
        assert got[0] == pytest.approx(expected, rel=1e-12), (temperature, expected)
    # Near 0 all mass is on the likeliest value, at a great temperature on all alike.
    masses = np.array([[0.5, 0.3, 0.2, 0.0], [0.4, 0.4, 0.1, 0.1]])
    assert tempered(masses, 1e-6) == pytest.approx(np.array([[1, 0, 0, 0], [0.5, 0.5, 0, 0]]))
    even = np.array([[1 / 3, 1 / 3, 1 / 3, 0], [0.25] * 4])
    assert tempered(masses, 1e9) == pytest.approx(even)
    # Temperatures run from 0.1 to 10 in equal ratios of at most 2.4%, and 1 is among them.
    assert TEMPERATURES[[0, -1]] == pytest.approx([0.1, 10])
    assert 1.0 in TEMPERATURES
    ratios = TEMPERATURES[1:] / TEMPERATURES[:-1]
    assert ratios == pytest.approx(100 ** (1 / 200))


temperatures = st.floats(0.05, 20)


@fixed
@given(counts, temperatures, temperatures)
def test_tempering_keeps_order_and_composes(weights: Counts, first: float, second: float) -> None:
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


# Temperatures of least score and of maximum likelihood, against plain loops and identities.


Distribution = dict[int, float]
LEVELS = (80.0, 90.0)


def plain_score(
    distributions: list[Distribution], truths: list[int], levels: list[float], temperature: float
) -> float:
    """Mean interval score of the sets' hulls, in loops and with powers of plain floats."""
    scores = []
    for distribution, truth in zip(distributions, truths, strict=True):
        powers = tempered_weights(distribution, temperature)
        for level in levels:
            members = prediction_set(powers, level)
            low, high, alpha = min(members), max(members), 1 - level / 100
            miss = max(low - truth, 0) + max(truth - high, 0)
            scores.append(high - low + 2 / alpha * miss)
    return sum(scores) / len(scores)


def simulated(seed: int, items: int, values: int = 6) -> tuple[list[Distribution], list[int]]:
    """Random distributions and random truths among their values and next to them."""
    rng = np.random.default_rng(seed)
    distributions = [
        dict(zip(range(-2, values - 2), rng.dirichlet(np.full(values, 0.7)).tolist(), strict=True))
        for _ in range(items)
    ]
    return distributions, rng.integers(-3, values - 1, size=items).tolist()


def test_score_equals_plain_loops() -> None:
    """The temperature, and each item's score at each of them."""
    for seed in range(8):
        distributions, truths = simulated(seed, items=1 + seed)
        levels = list(LEVELS[: 1 + seed % 2])
        objective = np.array([plain_score(distributions, truths, levels, t) for t in TEMPERATURES])
        tied = TEMPERATURES[objective <= objective.min() + 1e-9]
        chosen = temperature_score(distributions, truths, levels)
        assert chosen in tied, seed
        assert abs(math.log(chosen)) == pytest.approx(np.abs(np.log(tied)).min(), abs=1e-9), seed
    distributions, truths = simulated(99, items=4)
    table = temperature_scores(*ranked(distributions), truths, LEVELS)
    for row, distribution, truth in zip(table, distributions, truths, strict=True):
        expected = [plain_score([distribution], [truth], list(LEVELS), t) for t in TEMPERATURES]
        assert row == pytest.approx(np.array(expected))


def test_score_temperature_of_two_values() -> None:
    """Of {0: 0.8, 1: 0.2} at 90% the set is {0} where 4^(1/T) >= 9, that is T <= ln 4 / ln 9."""
    # With the truth at 0 the set {0} scores 0 and {0, 1} 1: the greatest such T of the grid. With
    # the truth at 1 they score 20 and 1: any greater T will do, and 1 is among them. Both together
    # score 10 on average or 1.
    two = {0: 0.8, 1: 0.2}
    turning = math.log(4) / math.log(9)
    below = TEMPERATURES[turning >= TEMPERATURES].max()
    assert temperature_score([two], [0], [90]) == below
    assert temperature_score([two], [1], [90]) == 1
    assert temperature_score([two, two], [0, 1], [90]) == 1


def test_score_temperature_of_one_value_or_no_item() -> None:
    """The overconfident, one value an item, and nothing."""
    # Of {0: 0.95, 1: 0.05} with truth 1 at 90% only sets of both are good: 19^(1/T) < 9.
    turning = math.log(19) / math.log(9)
    above = TEMPERATURES[turning < TEMPERATURES].min()
    assert temperature_score([{0: 0.95, 1: 0.05}], [1], [90]) == above
    # Where all temperatures are alike (one value an item), the score's choice is 1.
    assert temperature_score([{3: 1.0}, {4: 1.0}], [3, 9], LEVELS) == 1
    # Without items, or with no truth that was seen, the temperature is NaN.
    assert math.isnan(temperature_score([], [], LEVELS))
    assert math.isnan(temperature_nll([], []))
    assert math.isnan(temperature_nll([{1: 0.5, 2: 0.5}, {1: 1.0, 3: 0.0}], [7, 3]))


small = st.lists(
    st.tuples(
        st.dictionaries(st.integers(-4, 4), st.integers(1, 9), min_size=1, max_size=5),
        st.integers(-5, 5),
    ),
    min_size=1,
    max_size=4,
)


@pytest.mark.slow
@fixed
@given(small)
def test_score_is_never_worse_than_unscaled(items: list[tuple[dict[int, int], int]]) -> None:
    """On the items it was chosen on, the temperature scores no worse than 1."""
    distributions = list(map(shares_of, column_of(items, 0)))
    truths = column_of(items, 1)
    chosen = temperature_score(distributions, truths, LEVELS)
    scores = temperature_scores(*ranked(distributions), truths, LEVELS).mean(axis=0)
    score_of = dict(zip(TEMPERATURES, scores, strict=True))
    assert score_of[chosen] <= score_of[1.0] + 1e-9
    # By plain loops too, where rounding can't turn a set: away from exact hits of the level.
    plain = [plain_score(distributions, truths, list(LEVELS), t) for t in (chosen, 1.0)]
    assert plain[0] <= plain[1] + 1e-9


def test_likelihood_temperature_of_equal_odds() -> None:
    """One shape of odds; a constant factor or an unseen truth changes nothing; the grid's ends."""
    # With one shape of odds 4 and 6 truths of 10 on the likelier value, 4^(1/T) = 6/4.
    truths = [0] * 6 + [1] * 4
    expected = math.log(4) / math.log(1.5)
    assert temperature_nll([{0: 0.8, 1: 0.2}] * 10, truths) == pytest.approx(expected, rel=1e-3)
    # 9 of 10: odds 9 from 4
    expected = math.log(4) / math.log(9)
    got = temperature_nll([{0: 0.8, 1: 0.2}] * 10, [0] * 9 + [1])
    assert got == pytest.approx(expected, rel=1e-3)
    distributions, _ = simulated(5, items=30)
    truths, doubled = [], []
    for distribution in distributions:
        favour_odd = {value: share + 0.3 * (value % 2) for value, share in distribution.items()}
        truths.append(max(distribution, key=favour_odd.__getitem__))
        doubled.append({value: 2 * share for value, share in distribution.items()})
    assert temperature_nll(doubled, truths) == pytest.approx(
        temperature_nll(distributions, truths), rel=1e-4
    )
    alike_items, truths = [{0: 0.8, 1: 0.2}] * 10, [0] * 6 + [1] * 4
    unseen: list[Distribution] = [{0: 0.8, 1: 0.2}, {0: 0.3, 1: 0.7, 2: 0.0}]
    got = temperature_nll([*unseen, *alike_items], [5, 2, *truths])
    assert got == pytest.approx(math.log(4) / math.log(1.5), rel=1e-3)
    # Where the truth is always the least likely value, the temperature is at its bound of 100.
    assert temperature_nll([{0: 0.9, 1: 0.1}] * 3, [1, 1, 1]) == pytest.approx(100, rel=1e-3)


def test_likelihood_undoes_a_distortion() -> None:
    """Of q = p^(1/T0), normalised, with truths drawn from p, the temperature is 1/T0."""
    # q^(1/T) = p^(1/(T0 T)) is p where T = 1/T0. 5,000 items give it to about 2%.
    for distortion in [0.5, 0.75, 1.0, 1.4, 2.0]:
        rng = np.random.default_rng(7)
        p = rng.dirichlet(np.full(6, 0.8), size=5_000) + 1e-6
        p /= p.sum(axis=1, keepdims=True)
        truths = (p.cumsum(axis=1) < rng.random((5_000, 1))).sum(axis=1)
        q = p ** (1 / distortion)
        q /= q.sum(axis=1, keepdims=True)
        reported = list(map(dict, map(enumerate, q.tolist())))
        assert temperature_nll(reported, truths) == pytest.approx(1 / distortion, rel=0.05)


@pytest.mark.parametrize("seed", range(6))
def test_likelihood_has_no_gradient_at_its_best(seed: int) -> None:
    """In b = 1/T the slope is the mean of E_b[log p] - log p(truth), and 0 at the estimate."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(5, 1.5), size=40)
    truths = [int(rng.choice(5, p=row)) for row in p]

    def slope(b: float) -> float:
        total = 0.0
        for row, truth in zip(p, truths, strict=True):
            powers = row**b
            total += float((powers * np.log(row)).sum() / powers.sum() - np.log(row[truth]))
        return total / len(truths)

    best = temperature_nll(list(map(dict, map(enumerate, p.tolist()))), truths)
    assert best == pytest.approx(1 / float(brentq(slope, 0.01, 100)), rel=1e-3)

    def loss(b: float) -> float:
        powers = p**b
        return -float(np.mean(np.log(powers[np.arange(40), truths] / powers.sum(axis=1))))

    numerical = (loss(1 / best + 1e-4) - loss(1 / best - 1e-4)) / 2e-4
    assert numerical == pytest.approx(0, abs=1e-3)
    assert slope(2 / best) > numerical > slope(0.5 / best)  # convex in 1/T


# The Tunnel Index against scipy's entropies and all subsets of traces.


def normalised(counts: FloatArray) -> FloatArray:
    """Rows of counts as distributions; a row of zeros as certainty of the first value."""
    rows = counts.copy()
    rows[rows.sum(axis=1) == 0, 0] = 1
    masses: FloatArray = rows / rows.sum(axis=1, keepdims=True)
    return masses


traces = st.tuples(st.integers(1, 8), st.integers(1, 5)).flatmap(
    lambda shape: arrays(float, shape, elements=st.integers(0, 9).map(float)).map(normalised)
)


def entropies_of_means(rows: FloatArray, n: int) -> FloatArray:
    """The entropy, in bits, of the mean of each subset of n rows."""
    subsets = np.array(list(combinations(range(len(rows)), n)))
    return np.asarray(entropy(rows[subsets].mean(axis=1), base=2, axis=1))


def brute_force(rows: FloatArray, n: int) -> float:
    """Entropy of the mean less the mean over all subsets of n of the entropy of their mean."""
    entropies = entropies_of_means(rows, n)
    return float(entropy(rows.mean(axis=0), base=2) - np.mean(entropies))


@fixed
@given(traces)
def test_entropies_and_residuals(rows: FloatArray) -> None:
    """As scipy's and those of all subsets; they fall to zero in any order."""
    assert entropy_bits(rows) == pytest.approx(entropy(rows, base=2, axis=1), abs=1e-12)
    assert (entropy_bits(rows) >= 0).all()
    for n in range(1, len(rows) + 1):
        assert residual_tunnel_index(rows, n) == pytest.approx(brute_force(rows, n), abs=1e-12)
    residuals = list(map(partial(residual_tunnel_index, rows), range(1, len(rows) + 1)))
    assert residuals[0] == tunnel_index(rows)
    assert residuals[-1] == pytest.approx(0, abs=1e-12)
    assert min(residuals) >= 0
    assert (np.diff(residuals) <= 1e-12).all()
    assert residuals[0] <= math.log2(len(rows)) + 1e-12
    expected = tunnel_index(rows)
    assert tunnel_index(rows[::-1, ::-1]) == pytest.approx(expected, abs=1e-12)
    padded = np.column_stack([rows, np.zeros(len(rows))])
    assert tunnel_index(padded) == pytest.approx(expected, abs=1e-12)


def test_entropy_of_2_to_the_k_equal_values_is_k_bits() -> None:
    """A certain value has 0 bits, 2^k even ones k bits."""
    cases: list[tuple[list[float], float]] = [
        ([1], 0),
        ([1, 0, 0], 0),
        ([0.5, 0.5], 1),
        ([0.125] * 8, 3),
        ([0.5, 0.25, 0.25, 0], 1.5),
    ]
    for probabilities, expected in cases:
        assert float(entropy_bits(probabilities)) == expected, (probabilities, expected)


def test_tunnel_index_is_entropy_of_the_mean_less_mean_entropy() -> None:
    """The entropy of the mean less the mean entropy, worked out by hand."""
    cases: list[tuple[list[list[float]], float]] = [
        ([[1, 0], [0, 1]], 1),
        ([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], 2),  # log2 of 4 traces
        ([[0.3, 0.7]] * 5, 0),
        ([[0.2, 0.8]], 0),
        # H(3/4, 1/4) - (0 + 1)/2 = 2 - 3/4 log2(3) - 1/2
        ([[1, 0], [0.5, 0.5]], 1.5 - 0.75 * math.log2(3)),
    ]
    for rows, expected in cases:
        assert tunnel_index(rows) == pytest.approx(expected, abs=1e-12), (rows, expected)


def test_residual_index_averages_over_subsets() -> None:
    """Of two traces sure of 0 and two sure of 1, pairs agree in 2 of 6 and have 1 bit in 4."""
    # The mean of all has 1 bit; triples are (2/3, 1/3), with H = log2(3) - 2/3.
    rows = [[1, 0], [1, 0], [0, 1], [0, 1]]
    got = list(map(partial(residual_tunnel_index, rows), (1, 2, 3, 4)))
    assert got == pytest.approx([1, 1 - 4 / 6, 1 - (math.log2(3) - 2 / 3), 0], abs=1e-12)


@fixed
@given(arrays(float, (2, 4), elements=st.integers(0, 9).map(float)).map(normalised))
def test_of_two_traces_is_the_jensen_shannon_divergence(rows: FloatArray) -> None:
    """Of two traces it is the square of scipy's Jensen-Shannon distance in base 2."""
    # scipy's distance is the root of a rounded difference, whose square is good to 1e-15 alone.
    expected = float(np.nan_to_num(jensenshannon(rows[0], rows[1], base=2))) ** 2
    assert tunnel_index(rows) == pytest.approx(expected, abs=1e-12)


def test_drawn_subsets_give_a_residual_near_that_of_all() -> None:
    """Where subsets are drawn the residual is the same in every call and close to all subsets'."""
    # Of 14 traces 3,003 subsets of 6 are enumerated here; their entropies' standard deviation over
    # the root of 1,000 is the error of the mean.
    rng = np.random.default_rng(4)
    rows = rng.dirichlet(np.full(6, 0.3), size=14)
    entropies = entropies_of_means(rows, 6)
    assert len(entropies) == 3_003
    error = float(np.std(entropies)) / math.sqrt(1_000)
    first, repeated = residual_tunnel_index(rows, 6), residual_tunnel_index(rows, 6)
    assert first == repeated
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
