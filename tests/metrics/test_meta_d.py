"""meta-d' against others' fits, at its edges, and what it refuses."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize
from scipy.stats import norm

from build import texts_with
from inspect_confidence.metrics.meta_d import MetaD, m_ratio, meta_d
from metrics.strategies import fixed

# meta-d' against two peers, an independent maximiser, closed forms and exact observers.


Counts = NDArray[np.float64]

# Maximum-likelihood fits of metadpy 0.1.2 and remeta 0.99.8 to the same counts: name, nr_s1, nr_s2,
# then meta-d' and log-likelihood of metadpy and of remeta.
PEERS: list[tuple[str, list[float], list[float], float, float, float, float]] = [
    (
        "ML2012_webpage_example",
        [36, 24, 17, 20, 10, 12, 9, 2],
        [1, 4, 10, 11, 19, 18, 28, 39],
        1.46066859,
        -343.21426522175295,
        1.460689,
        -343.2142653639968,
    ),
    (
        "HMetad_exampleFit/metadpy_test",
        [52, 32, 35, 37, 26, 12, 4, 2],
        [2, 5, 15, 22, 33, 38, 40, 45],
        1.65384946,
        -523.1704013573219,
        1.65384925,
        -523.1704013576385,
    ),
    (
        "metaSDT_README",
        [100, 50, 30, 20, 10, 4],
        [4, 20, 21, 35, 60, 90],
        1.88967991,
        -441.69092268410856,
        1.88968409,
        -441.6909226876188,
    ),
    (
        "M&L_docstring",
        [100, 50, 20, 10, 5, 1],
        [3, 7, 8, 12, 27, 89],
        2.3369916,
        -293.40574205986593,
        2.33698871,
        -293.4057420621821,
    ),
    (
        "K2",
        [320, 90, 60, 30],
        [25, 70, 110, 295],
        2.04920828,
        -566.1612156698476,
        2.04923111,
        -566.1612157277991,
    ),
    (
        "K2_biased",
        [120, 60, 190, 130],
        [10, 20, 150, 320],
        0.973959542,
        -645.6363073760956,
        0.973951983,
        -645.6363073818286,
    ),
    (
        "near_chance",
        [70, 60, 60, 60, 55, 55, 70, 70],
        [60, 58, 57, 60, 62, 66, 64, 73],
        0.00682308455,
        -1384.2004000330055,
        0.00682291005,
        -1384.2004000330346,
    ),
    (
        "meta_gt_d",
        [90, 10, 5, 60, 55, 4, 1, 1],
        [1, 2, 3, 50, 60, 6, 8, 95],
        2.61320276,
        -376.7820466729915,
        2.61318277,
        -376.78204696849235,
    ),
    (
        "meta_zero",
        [50, 50, 50, 50, 20, 20, 20, 20],
        [20, 20, 20, 20, 50, 50, 50, 50],
        4.13688339e-08,
        -776.3248422271388,
        0.0001,
        -776.3248422813798,
    ),
    (
        "meta_negative",
        [30, 40, 50, 60, 10, 15, 20, 30],
        [30, 20, 15, 10, 60, 50, 40, 30],
        -1.14886842,
        -684.6905451263906,
        -1.14885147,
        -684.6905453837788,
    ),
    (
        "dprime_negative",
        [10, 15, 20, 25, 30, 30, 35, 35],
        [35, 30, 30, 30, 25, 22, 18, 10],
        -0.682412085,
        -546.5474285384921,
        -0.682396959,
        -546.5474287446611,
    ),
    (
        "LLM_like_K6_top_heavy",
        [410, 55, 12, 6, 3, 2, 1, 2, 4, 8, 31, 66],
        [70, 28, 9, 5, 2, 3, 2, 3, 7, 11, 60, 400],
        1.41783323,
        -843.0548584058581,
        1.41782514,
        -843.0548584220276,
    ),
]

# Tables on which a peer raised or gave a log-likelihood of -inf: they have empty cells.
WITH_ZEROS = [
    ("type1_perfectish", [300, 120, 50, 20, 6, 3, 1, 0], [0, 0, 2, 5, 15, 60, 130, 288]),
    ("zero_inner_cells", [40, 0, 25, 10, 8, 0, 4, 3], [2, 0, 6, 12, 18, 0, 25, 37]),
    ("zero_one_side_only", [200, 80, 0, 40, 20, 0, 12, 6], [5, 15, 0, 22, 41, 17, 90, 210]),
    (
        "LLM_like_K11_sparse",
        [0, 310, 140, 38, 9, 4, 0, 3, 0, 0, 1, 0, 0, 0, 2, 0, 3, 0, 6, 14, 42, 28],
        [31, 39, 12, 9, 2, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 3, 4, 8, 17, 44, 151, 276],
    ),
]


def criteria_of(gaps: Counts, meta: float, k: float, levels: int) -> Counts:
    """All edges on the evidence axis from 2(K - 1) logarithms of gaps beside the criterion."""
    below, above = np.exp(gaps[: levels - 1]), np.exp(gaps[levels - 1 :])
    centre = k * meta
    lower, upper = centre - np.cumsum(below)[::-1], centre + np.cumsum(above)
    return np.concatenate([[-np.inf], lower, [centre], upper, [np.inf]])


def log_likelihood(edges: Counts, meta: float, nr_s1: Counts, nr_s2: Counts) -> float:
    """Ratings given stimulus and response, written with scipy's normal distribution only."""
    half, total = len(nr_s1) // 2, 0.0
    for counts, mean in ((nr_s1, -meta / 2), (nr_s2, meta / 2)):
        lower, upper = edges[:-1] - mean, edges[1:] - mean
        right = lower > 0  # differences of the smaller tails
        mass = np.where(
            right, norm.sf(lower) - norm.sf(upper), norm.cdf(upper) - norm.cdf(lower)
        ).clip(1e-300)
        for side in (slice(0, half), slice(half, None)):
            total += float((counts[side] * np.log(mass[side] / mass[side].sum())).sum())
    return total


def type_1(nr_s1: Counts, nr_s2: Counts) -> tuple[float, float]:
    """Type-1 d' and c of plain counts."""
    half = len(nr_s1) // 2
    hit = norm.ppf(nr_s2[half:].sum() / nr_s2.sum())
    false_alarm = norm.ppf(nr_s1[half:].sum() / nr_s1.sum())
    return float(hit - false_alarm), float(-(hit + false_alarm) / 2)


def best_by_scipy(nr_s1: Counts, nr_s2: Counts, fixed_meta: float | None = None) -> Any:
    """(meta-d', log-likelihood) by BFGS over log-gaps, from several starts of meta-d'."""
    d_prime, criterion = type_1(nr_s1, nr_s2)
    k, levels = criterion / d_prime, len(nr_s1) // 2

    def loss(x: Counts) -> float:
        meta = float(x[0]) if fixed_meta is None else fixed_meta
        edges = criteria_of(np.clip(x[1:], -20, 3), meta, k, levels)
        return -log_likelihood(edges, meta, nr_s1, nr_s2)

    starts = [d_prime, d_prime / 2, -d_prime] if fixed_meta is None else [fixed_meta]
    first = [np.r_[start, np.full(2 * (levels - 1), np.log(1.5 / levels))] for start in starts]
    fits = [minimize(loss, x, method="BFGS", options={"gtol": 1e-6}) for x in first]
    best = min(fits, key=lambda fit: float(fit.fun))
    return float(best.x[0]), -float(best.fun)


def random_table(seed: int, levels: int) -> tuple[Counts, Counts]:
    """Counts of a metacognitively noisy observer, every cell filled."""
    rng = np.random.default_rng(seed)
    d_prime, criterion = rng.uniform(0.6, 2.2), rng.uniform(-0.4, 0.4)
    gaps = rng.uniform(0.5, 1.5, 2 * (levels - 1)) * 1.6 / levels
    edges = criteria_of(np.log(gaps), d_prime, criterion / d_prime, levels)
    tables = []
    for mean in (-d_prime / 2, d_prime / 2):
        share = 0.85 * np.diff(norm.cdf(edges - mean)) + 0.15 / (2 * levels)
        tables.append(np.asarray(rng.multinomial(800, share / share.sum()), np.float64) + 1)
    nr_s1, nr_s2 = tables
    return nr_s1, nr_s2


def test_meta_d_is_that_of_both_peers() -> None:
    """Both peers' meta-d' is met within 1e-4 and neither has a higher likelihood."""
    for name, nr_s1, nr_s2, meta_1, log_1, meta_2, log_2 in PEERS:
        fit = meta_d(nr_s1, nr_s2)
        assert bool(fit.reason) == (name == "dprime_negative"), name
        assert fit.meta_d == pytest.approx(meta_1, abs=1e-4), name
        assert fit.meta_d == pytest.approx(meta_2, abs=2e-4 if name == "meta_zero" else 1e-4), name
        assert float(fit.log_likelihood) >= max(log_1, log_2) - 1e-9, name
        assert fit.log_likelihood == pytest.approx(log_1, abs=1e-5), name


def test_zeros_are_fitted_as_they_are() -> None:
    """Where peers fail at empty cells, an independent maximiser finds nothing higher."""
    for name, nr_s1, nr_s2 in WITH_ZEROS:
        s1, s2 = np.array(nr_s1), np.array(nr_s2)
        fit = meta_d(s1, s2)
        used = s1 + s2 > 0
        half = len(s1) // 2
        if used[:half].sum() == used[half:].sum():  # the independent likelihood wants equal sides
            meta, value = best_by_scipy(s1[used], s2[used])
            assert float(fit.log_likelihood) >= value - 1e-9, (name, nr_s1, nr_s2)
            assert fit.meta_d == pytest.approx(meta, abs=2e-3), (name, nr_s1, nr_s2)
        assert fit.reason == "", (name, nr_s1, nr_s2)
        assert np.isfinite(float(fit.meta_d)), (name, nr_s1, nr_s2)


@pytest.mark.slow
def test_independent_maximisation() -> None:
    """BFGS over log-gaps from several starts finds the same meta-d' and nothing higher."""
    for levels, count in [(2, 8), (4, 5), (11, 1)]:
        for seed in range(count):
            nr_s1, nr_s2 = random_table(seed, levels)
            fit, (meta, value) = meta_d(nr_s1, nr_s2), best_by_scipy(nr_s1, nr_s2)
            assert float(fit.log_likelihood) >= value - 1e-9, (levels, count)
            assert fit.log_likelihood == pytest.approx(value, abs=1e-4), (levels, count)
            assert fit.meta_d == pytest.approx(meta, abs=1e-3), (levels, count)


def test_meta_d_of_an_ideal_observer_is_d_prime() -> None:
    """The exact expected counts of an ideal observer give meta-d' = d'."""
    for d_prime in [0.5, 1.3, 2.4]:
        for criterion in [0.0, 0.4, -0.9]:
            for levels in [2, 4, 11, 21]:
                gaps = np.log(np.linspace(0.8, 1.2, 2 * (levels - 1)) * 1.5 / levels)
                edges = criteria_of(gaps, 1.0, criterion, levels)
                nr_s1, nr_s2 = (
                    1000 * np.diff(norm.cdf(edges - mean)) for mean in (-d_prime / 2, d_prime / 2)
                )
                fit = meta_d(nr_s1, nr_s2)
                assert fit.d_prime == pytest.approx(d_prime, abs=1e-9), (d_prime, criterion, levels)
                assert fit.meta_d == pytest.approx(d_prime, abs=1e-6), (d_prime, criterion, levels)
                assert fit.m_ratio == pytest.approx(1, abs=1e-5), (d_prime, criterion, levels)


def test_two_ratings_in_closed_form() -> None:
    """With two ratings and symmetric sides meta-d' is the one root for type-2 (H2, F2)."""

    # Unbiased: correct iff the evidence for the chosen side, N(d/2, 1), is above 0. With the
    # rating criterion t, P(high, correct) = Phi(d/2 - t) = H2 Phi(d/2) and
    # P(high, wrong) = Phi(-d/2 - t) = F2 Phi(-d/2). Eliminating t leaves one equation in d.
    def excess(d: float, hit: float, false_alarm: float) -> float:
        t = d / 2 - norm.ppf(hit * norm.cdf(d / 2))
        return float(norm.cdf(-d / 2 - t) - false_alarm * norm.cdf(-d / 2))

    for hit, false_alarm, expected in ((0.8, 0.35, 2.117), (0.95, 0.8, 1.836)):
        root = brentq(excess, 0.05, 8, args=(hit, false_alarm), xtol=1e-12)
        right = [800 * hit, 800 * (1 - hit)]
        wrong = [200 * (1 - false_alarm), 200 * false_alarm]
        fit = meta_d([*right, *wrong], [*wrong[::-1], *right[::-1]])
        assert fit.meta_d == pytest.approx(root, abs=1e-8), (hit, false_alarm, expected)
        assert fit.meta_d == pytest.approx(expected, abs=5e-4), (hit, false_alarm, expected)


cells = st.lists(st.integers(1, 300), min_size=4, max_size=12).filter(lambda x: len(x) % 2 == 0)


@pytest.mark.slow
@fixed
@given(cells, st.randoms(use_true_random=False))
def test_any_positive_table(nr_s1: list[int], random: Any) -> None:
    """Any filled table has a reason or a finite fit, no worse than the best at meta-d' = d'."""
    s1 = np.array(nr_s1, float)
    s2 = np.array([random.randint(1, 300) for _ in nr_s1], float)
    fit = meta_d(s1, s2)
    if not np.isfinite(float(fit.meta_d)):
        assert fit.reason
        return
    d_prime, criterion = type_1(s1, s2)
    assert fit.d_prime == pytest.approx(d_prime, abs=1e-12)
    if abs(criterion / d_prime) < 5 and len(s1) <= 6:  # where the slow maximiser is reliable
        _, value = best_by_scipy(s1, s2, fixed_meta=d_prime)
        assert float(fit.log_likelihood) >= value - 1e-7


# meta-d': what leaves a fit unchanged, rows against single fits, and what is undefined.


ONE = [36.0, 24, 17, 20, 10, 12, 9, 2]
TWO = [1.0, 4, 10, 11, 19, 18, 28, 39]


def as_floats(fit: MetaD) -> list[float]:
    """The four numbers of a single fit."""
    return list(map(float, (fit.d_prime, fit.meta_d, fit.m_ratio, fit.log_likelihood)))


def random_rows(seed: int, rows: int, levels: int, min_count: int) -> tuple[Counts, Counts]:
    """Tables without any structure, so that all shapes of the likelihood occur."""
    rng = np.random.default_rng(seed)
    mean = rng.gamma(1, rng.choice([2, 10, 50], (rows, 1)), (2, rows, 2 * levels))
    nr_s1, nr_s2 = rng.poisson(mean) + float(min_count)
    return nr_s1, nr_s2


def test_exchanges_factors_and_padding() -> None:
    """Exchanged stimuli change nothing, doubled counts the likelihood; padding is of cells."""
    assert as_floats(meta_d(TWO[::-1], ONE[::-1])) == pytest.approx(as_floats(meta_d(ONE, TWO)))
    fit, double = meta_d(ONE, TWO), meta_d(2 * np.array(ONE), 2 * np.array(TWO))
    assert as_floats(double)[:3] == pytest.approx(as_floats(fit)[:3], abs=1e-12)
    assert double.log_likelihood == pytest.approx(2 * float(fit.log_likelihood), rel=1e-12)
    # A level that is empty for both stimuli, on either side, in any place, changes nothing.
    for place in [0, 2, 4]:
        nr_s1 = np.insert(np.array(ONE), [place, 8 - place], 0.0)
        nr_s2 = np.insert(np.array(TWO), [place, 8 - place], 0.0)
        assert as_floats(meta_d(nr_s1, nr_s2)) == pytest.approx(
            as_floats(meta_d(ONE, TWO)), abs=1e-10
        )
    for padding in [1 / 8, 0.5]:
        by_hand = meta_d(np.array(ONE) + padding, np.array(TWO) + padding)
        assert as_floats(meta_d(ONE, TWO, padding)) == as_floats(by_hand), padding
        assert as_floats(meta_d(ONE, TWO, 0)) == as_floats(meta_d(ONE, TWO)), padding


@pytest.mark.slow
def test_rows_of_a_batch_have_their_own_fit() -> None:
    """Rows of a batch have the fit of their own; of two maxima the higher is found."""
    for levels in [2, 4, 11]:
        for min_count in [0, 1]:
            nr_s1, nr_s2 = random_rows(levels, 60, levels, min_count)
            rows = meta_d(nr_s1, nr_s2)
            for i in range(len(nr_s1)):
                single = meta_d(nr_s1[i], nr_s2[i])
                assert single.reason == rows.reason[i], (levels, min_count)
                of_row = [np.asarray(x)[i] for x in (rows.d_prime, rows.meta_d, rows.m_ratio)]
                assert as_floats(single)[:3] == pytest.approx(
                    of_row, rel=1e-10, abs=1e-10, nan_ok=True
                )
                value = np.asarray(rows.log_likelihood)[i]
                assert single.log_likelihood == pytest.approx(value, abs=1e-9, nan_ok=True), levels
    # With a criterion far from the middle, the higher of two maxima is found.
    # The ascent from d' = -0.03 ends at meta-d' = -1.093 with -538.47; a scan of the profile
    # likelihood, maximised over the criteria at 161 values of meta-d', found -528.19.
    fit = meta_d([11, 283, 18, 138, 42, 31], [58, 14, 17, 8, 2, 47])
    assert float(fit.log_likelihood) == pytest.approx(-528.1924846902624, abs=1e-6)


@pytest.mark.slow
def test_many_tables_have_a_fit_or_a_reason() -> None:
    """Thousands of filled tables without structure, and of sparse ones."""
    for levels in [2, 3, 4, 11]:
        fit = meta_d(*random_rows(100 + levels, 5000, levels, 1))
        d_prime, meta = np.asarray(fit.d_prime), np.asarray(fit.meta_d)
        assert not texts_with(fit.reason, "converge"), levels
        assert np.isfinite(meta[np.abs(d_prime) >= 1e-3]).mean() > 0.999, levels
        assert all(fit.reason[i] for i in np.flatnonzero(np.isnan(np.asarray(fit.m_ratio)))), levels
    fit = meta_d(*random_rows(5, 5000, 4, 0))
    assert not texts_with(fit.reason, "converge")
    undefined = np.isnan(np.asarray(fit.meta_d))
    assert all(fit.reason[i] for i in np.flatnonzero(undefined))


def test_undefined_meta_d_is_nan_with_a_reason() -> None:
    """What has no meta-d' is NaN with its reason, not 0 and not the d' it started from."""
    for nr_s1, nr_s2, reason in [
        ([0, 0, 0, 0], [1, 2, 3, 4], "no judgments of one of the stimuli"),
        ([5, 4, 3, 2], [0, 0, 0, 0], "no judgments of one of the stimuli"),
        ([0, 0, 0, 0], [0, 0, 0, 0], "no judgments of one of the stimuli"),
        ([0, 0, 5, 3], [0, 0, 2, 9], "every response is the same"),
        ([9, 5, 3, 2], [0, 0, 2, 9], "hit rate or the false-alarm rate is 0 or 1"),
        ([9, 5, 0, 0], [1, 2, 2, 9], "hit rate or the false-alarm rate is 0 or 1"),
        ([9, 0, 0, 3], [2, 0, 0, 8], "every judgment has the same rating"),
        ([9, 0, 3, 0], [2, 0, 8, 0], "every judgment has the same rating"),
        ([9, 3, 3, 9], [9, 3, 3, 9], r"\|d'\| is below 0.001"),
        ([70, 0, 20, 0], [0, 20, 0, 70], "the likelihood has no maximum"),  # sure when right
    ]:
        fit = meta_d(nr_s1, nr_s2)
        assert isinstance(fit.reason, str), (nr_s1, nr_s2, reason)
        assert np.isnan(as_floats(fit)[1:]).all(), (nr_s1, nr_s2, reason)
        with pytest.raises(AssertionError, match=reason):
            raise AssertionError(fit.reason)


def test_not_enough_for_a_fit() -> None:
    """Padding makes no information; below chance the ratio alone is undefined; no rows, no fits."""
    for nr_s1, nr_s2 in (
        ([0] * 4, [1, 2, 3, 4]),
        ([0, 0, 5, 3], [0, 0, 2, 9]),
        ([9, 0, 0, 3],) * 2,
    ):
        assert np.isnan(float(meta_d(nr_s1, nr_s2, padding=0.25).meta_d))
    assert np.isfinite(float(meta_d([9, 5, 3, 2], [0, 0, 2, 9], padding=0.25).meta_d))
    # Below chance meta-d' is fitted as ever and only the ratio is undefined.
    fit = meta_d([10, 15, 20, 25, 30, 30, 35, 35], [35, 30, 30, 30, 25, 22, 18, 10])
    assert fit.meta_d == pytest.approx(-0.6824120852789282, abs=1e-5)  # metadpy 0.1.2
    assert np.isnan(float(fit.m_ratio))
    assert fit.reason == "d' is not above 0: the M-ratio is undefined"
    fit = meta_d(np.empty((0, 8)), np.empty((0, 8)))
    assert np.shape(fit.meta_d) == (0,)
    assert fit.reason == []


def test_bad_counts_raise_by_name_and_value() -> None:
    """What isn't a pair of count tables is refused by name and value."""
    for nr_s1, nr_s2, padding, message in [
        ([1, 2], [1, 2], None, r"nr_s1 has shape \(2,\)"),
        ([1, 2, 3, 4, 5], [1, 2, 3, 4, 5], None, r"nr_s1 has shape \(5,\)"),
        ([1, 2, 3, 4], 7, None, r"nr_s2 has shape \(\)"),
        ([1, 2, 3, 4], [1] * 6, None, r"nr_s1 has shape \(4,\) and nr_s2 \(6,\)"),
        ([1, 2, 3, -4], [1, 2, 3, 4], None, "nr_s1 holds -4.0"),
        ([1, 2, 3, 4], [1, 2, np.nan, 4], None, "nr_s2 holds nan"),
        ([1, 2, 3, np.inf], [1, 2, 3, 4], None, "nr_s1 holds inf"),
        ([1, 2, 3, 4], [1, 2, 3, 4], -0.5, "padding=-0.5"),
        ([1, 2, 3, 4], [1, 2, 3, 4], np.nan, "padding=nan"),
    ]:
        with pytest.raises(ValueError, match=message):
            meta_d(nr_s1, nr_s2, padding)  # type: ignore[arg-type]


def test_m_ratio_is_undefined_where_d_prime_is_near_0() -> None:
    """Of 1,000 answers 519 are right, so that d' is 2 z(.519) = .095; 521 make it .105."""
    for right, is_defined in ((519, False), (521, True)):
        correct = np.arange(1_000) < right
        confidence = np.where(np.arange(1_000) % 3 == 0, 0.9, 0.4)
        ratio = m_ratio(confidence, correct, type1="two_z")
        assert (2 * norm.ppf(right / 1_000) > 0.1) == is_defined
        assert np.isfinite(ratio) == is_defined
