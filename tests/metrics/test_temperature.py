"""Temperatures of least score and of maximum likelihood, against plain loops and identities."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from inspect_confidence.metrics import (
    TEMPERATURES,
    prediction_set,
    ranked,
    temperature_nll,
    temperature_score,
    temperature_scores,
)
from metrics.strategies import fixed

Distribution = dict[int, float]
LEVELS = (80.0, 90.0)


def plain_score(
    distributions: list[Distribution], truths: list[int], levels: list[float], temperature: float
) -> float:
    """Mean interval score of the sets' hulls, in loops and with powers of plain floats."""
    scores = []
    for distribution, truth in zip(distributions, truths, strict=True):
        powers = {v: p ** (1 / temperature) for v, p in distribution.items()}
        for level in levels:
            held = prediction_set(powers, level)
            low, high, alpha = min(held), max(held), 1 - level / 100
            miss = max(low - truth, 0) + max(truth - high, 0)
            scores.append(high - low + 2 / alpha * miss)
    return sum(scores) / len(scores)


def simulated(seed: int, items: int, values: int = 6) -> tuple[list[Distribution], list[int]]:
    """Random distributions and random truths among their values and next to them."""
    rng = np.random.default_rng(seed)
    made = [
        dict(zip(range(-2, values - 2), rng.dirichlet(np.full(values, 0.7)).tolist(), strict=True))
        for _ in range(items)
    ]
    return made, rng.integers(-3, values - 1, size=items).tolist()


def test_the_grid() -> None:
    """Temperatures run from 0.1 to 10 in equal ratios of at most 2.4%, and 1 is among them."""
    assert TEMPERATURES[[0, -1]] == pytest.approx([0.1, 10])
    assert 1.0 in TEMPERATURES
    ratios = TEMPERATURES[1:] / TEMPERATURES[:-1]
    assert ratios == pytest.approx(100 ** (1 / 200))


@pytest.mark.parametrize("seed", range(8))
def test_score_equals_plain_loops(seed: int) -> None:
    """The temperature is the one that plain loops over the grid find, nearest to 1 of ties."""
    distributions, truths = simulated(seed, items=1 + seed)
    levels = list(LEVELS[: 1 + seed % 2])
    objective = np.array([plain_score(distributions, truths, levels, t) for t in TEMPERATURES])
    tied = TEMPERATURES[objective <= objective.min() + 1e-9]
    chosen = temperature_score(distributions, truths, levels)
    assert chosen in tied
    assert abs(math.log(chosen)) == pytest.approx(np.abs(np.log(tied)).min(), abs=1e-9)


def test_scores_equal_plain_loops_item_by_item() -> None:
    """Each item's score at each temperature is that of plain loops."""
    distributions, truths = simulated(99, items=4)
    table = temperature_scores(*ranked(distributions), truths, LEVELS)
    expected = [
        [plain_score([one], [truth], list(LEVELS), t) for t in TEMPERATURES]
        for one, truth in zip(distributions, truths, strict=True)
    ]
    assert table == pytest.approx(np.array(expected))


def test_score_by_hand() -> None:
    """Of {0: 0.8, 1: 0.2} at 90% the set is {0} where 4^(1/T) >= 9, that is T <= ln 4 / ln 9.

    With the truth at 0 the set {0} scores 0 and {0, 1} 1: the greatest such T of the grid. With
    the truth at 1 they score 20 and 1: any greater T will do, and 1 is among them. Both together
    score 10 on average or 1.
    """
    two = {0: 0.8, 1: 0.2}
    turning = math.log(4) / math.log(9)
    below = max(t for t in TEMPERATURES if t <= turning)
    assert temperature_score([two], [0], [90]) == below
    assert temperature_score([two], [1], [90]) == 1
    assert temperature_score([two, two], [0, 1], [90]) == 1


def test_score_of_the_overconfident() -> None:
    """Of {0: 0.95, 1: 0.05} with truth 1 at 90% only sets of both are good: 19^(1/T) < 9."""
    turning = math.log(19) / math.log(9)
    above = min(t for t in TEMPERATURES if t > turning)
    assert temperature_score([{0: 0.95, 1: 0.05}], [1], [90]) == above


small = st.lists(
    st.tuples(
        st.dictionaries(st.integers(-4, 4), st.integers(1, 9), min_size=1, max_size=5),
        st.integers(-5, 5),
    ),
    min_size=1,
    max_size=4,
)


@fixed
@given(small)
def test_score_is_never_worse_than_unscaled(items: list[tuple[dict[int, int], int]]) -> None:
    """On the items it was chosen on, the temperature scores no worse than 1."""
    distributions = [{v: n / sum(c.values()) for v, n in c.items()} for c, _ in items]
    truths = [truth for _, truth in items]
    chosen = temperature_score(distributions, truths, LEVELS)
    scores = temperature_scores(*ranked(distributions), truths, LEVELS).mean(axis=0)
    at = dict(zip(TEMPERATURES, scores, strict=True))
    assert at[chosen] <= at[1.0] + 1e-9
    # By plain loops too, where rounding can't turn a set: away from exact hits of the level.
    plain = [plain_score(distributions, truths, list(LEVELS), t) for t in (chosen, 1.0)]
    assert plain[0] <= plain[1] + 1e-9


def test_without_effect_it_is_one() -> None:
    """Where all temperatures are alike (one value an item), the score's choice is 1."""
    assert temperature_score([{3: 1.0}, {4: 1.0}], [3, 9], LEVELS) == 1


def test_nothing_is_nan() -> None:
    """Without items, or with no truth that was seen, the temperature is NaN."""
    assert math.isnan(temperature_score([], [], LEVELS))
    assert math.isnan(temperature_nll([], []))
    assert math.isnan(temperature_nll([{1: 0.5, 2: 0.5}, {1: 1.0, 3: 0.0}], [7, 3]))


def test_likelihood_by_hand() -> None:
    """With one shape of odds 4 and 6 truths of 10 on the likelier value, 4^(1/T) = 6/4."""
    truths = [0] * 6 + [1] * 4
    expected = math.log(4) / math.log(1.5)
    assert temperature_nll([{0: 0.8, 1: 0.2}] * 10, truths) == pytest.approx(expected, rel=1e-3)
    # 9 of 10: odds 9 from 4
    expected = math.log(4) / math.log(9)
    got = temperature_nll([{0: 0.8, 1: 0.2}] * 10, [0] * 9 + [1])
    assert got == pytest.approx(expected, rel=1e-3)


def test_likelihood_needs_no_normalisation() -> None:
    """Probabilities times a constant give the same temperature: p_T is normalised."""
    distributions, _ = simulated(5, items=30)
    truths = [max(one, key=lambda v: one[v] + 0.3 * (v % 2)) for one in distributions]
    doubled = [{v: 2 * p for v, p in one.items()} for one in distributions]
    assert temperature_nll(doubled, truths) == pytest.approx(
        temperature_nll(distributions, truths), rel=1e-4
    )


@pytest.mark.parametrize("distortion", [0.5, 0.75, 1.0, 1.4, 2.0])
def test_likelihood_undoes_a_distortion(distortion: float) -> None:
    """Of q = p^(1/T0), normalised, with truths drawn from p, the temperature is 1/T0.

    q^(1/T) = p^(1/(T0 T)) is p where T = 1/T0. 5,000 items give it to about 2%.
    """
    rng = np.random.default_rng(7)
    p = rng.dirichlet(np.full(6, 0.8), size=5_000) + 1e-6
    p /= p.sum(axis=1, keepdims=True)
    truths = (p.cumsum(axis=1) < rng.random((5_000, 1))).sum(axis=1)
    q = p ** (1 / distortion)
    q /= q.sum(axis=1, keepdims=True)
    reported = [dict(enumerate(row)) for row in q.tolist()]
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

    best = temperature_nll([dict(enumerate(row)) for row in p.tolist()], truths)
    assert best == pytest.approx(1 / float(brentq(slope, 0.01, 100)), rel=1e-3)

    def loss(b: float) -> float:
        powers = p**b
        return -float(np.mean(np.log(powers[np.arange(40), truths] / powers.sum(axis=1))))

    numerical = (loss(1 / best + 1e-4) - loss(1 / best - 1e-4)) / 2e-4
    assert numerical == pytest.approx(0, abs=1e-3)
    assert slope(2 / best) > numerical > slope(0.5 / best)  # convex in 1/T


def test_likelihood_leaves_unseen_truths_out() -> None:
    """Items whose truth has no probability, or isn't among the values, change nothing."""
    seen, truths = [{0: 0.8, 1: 0.2}] * 10, [0] * 6 + [1] * 4
    unseen: list[Distribution] = [{0: 0.8, 1: 0.2}, {0: 0.3, 1: 0.7, 2: 0.0}]
    got = temperature_nll([*unseen, *seen], [5, 2, *truths])
    assert got == pytest.approx(math.log(4) / math.log(1.5), rel=1e-3)


def test_likelihood_bounds() -> None:
    """Where the truth is always the least likely value, the temperature is at its bound of 100."""
    assert temperature_nll([{0: 0.9, 1: 0.1}] * 3, [1, 1, 1]) == pytest.approx(100, rel=1e-3)


def test_lengths_must_agree() -> None:
    """Two distributions with three truths raise an error."""
    two = [{0: 0.5, 1: 0.5}] * 2
    with pytest.raises(ValueError, match=r"[Ll]ength|argument"):
        temperature_score(two, [0, 1, 1], LEVELS)
    with pytest.raises(ValueError, match="2 distributions, but 3 truths"):
        temperature_nll(two, [0, 1, 1])
