"""meta-d': what leaves a fit unchanged, rows against single fits, and what is undefined."""

import numpy as np
import pytest
from numpy.typing import NDArray

from inspect_confidence.metrics.meta_d_prime import MetaD, meta_d

Counts = NDArray[np.float64]
ONE = [36.0, 24, 17, 20, 10, 12, 9, 2]
TWO = [1.0, 4, 10, 11, 19, 18, 28, 39]


def as_floats(fit: MetaD) -> list[float]:
    """The four numbers of a single fit."""
    return [float(x) for x in (fit.d_prime, fit.meta_d, fit.m_ratio, fit.log_likelihood)]


def random_rows(seed: int, rows: int, levels: int, least: int) -> tuple[Counts, Counts]:
    """Tables without any structure, so that all shapes of the likelihood occur."""
    rng = np.random.default_rng(seed)
    mean = rng.gamma(1, rng.choice([2, 10, 50], (rows, 1)), (2, rows, 2 * levels))
    one, two = rng.poisson(mean) + float(least)
    return one, two


def test_swapping_stimuli() -> None:
    """Naming the stimuli the other way round and reversing the ratings gives the same fit."""
    assert as_floats(meta_d(TWO[::-1], ONE[::-1])) == pytest.approx(as_floats(meta_d(ONE, TWO)))


def test_scaling() -> None:
    """Doubling all counts doubles the log-likelihood and changes nothing else."""
    fit, double = meta_d(ONE, TWO), meta_d(2 * np.array(ONE), 2 * np.array(TWO))
    assert as_floats(double)[:3] == pytest.approx(as_floats(fit)[:3], abs=1e-12)
    assert double.log_likelihood == pytest.approx(2 * float(fit.log_likelihood), rel=1e-12)


@pytest.mark.parametrize("place", [0, 2, 4])
def test_empty_level_is_dropped(place: int) -> None:
    """A level that is empty for both stimuli, on either side, in any place, changes nothing."""
    one, two = (np.insert(np.array(x), [place, 8 - place], 0.0) for x in (ONE, TWO))
    assert as_floats(meta_d(one, two)) == pytest.approx(as_floats(meta_d(ONE, TWO)), abs=1e-10)


@pytest.mark.parametrize("padding", [1 / 8, 0.5])
def test_padding(padding: float) -> None:
    """Padding is the same as that much added to every cell."""
    by_hand = meta_d(np.array(ONE) + padding, np.array(TWO) + padding)
    assert as_floats(meta_d(ONE, TWO, padding)) == as_floats(by_hand)
    assert as_floats(meta_d(ONE, TWO, 0)) == as_floats(meta_d(ONE, TWO))


@pytest.mark.parametrize("least", [0, 1])
@pytest.mark.parametrize("levels", [2, 4, 11])
def test_rows_are_single_fits(levels: int, least: int) -> None:
    """Each row of a batch, with its own pattern of empty cells, has the fit that it has alone."""
    one, two = random_rows(levels, 60, levels, least)
    rows = meta_d(one, two)
    for i in range(len(one)):
        single = meta_d(one[i], two[i])
        assert single.reason == rows.reason[i]
        of_row = [np.asarray(x)[i] for x in (rows.d_prime, rows.meta_d, rows.m_ratio)]
        assert as_floats(single)[:3] == pytest.approx(of_row, rel=1e-10, abs=1e-10, nan_ok=True)
        value = np.asarray(rows.log_likelihood)[i]
        assert single.log_likelihood == pytest.approx(value, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("levels", [2, 3, 4, 11])
def test_convergence(levels: int) -> None:
    """Among thousands of filled tables without structure, every one has a maximum that is found."""
    fit = meta_d(*random_rows(100 + levels, 5000, levels, 1))
    d_prime, meta = np.asarray(fit.d_prime), np.asarray(fit.meta_d)
    assert not any("converge" in reason for reason in fit.reason)
    assert np.isfinite(meta[np.abs(d_prime) >= 1e-3]).mean() > 0.999
    assert all(fit.reason[i] for i in np.flatnonzero(np.isnan(np.asarray(fit.m_ratio))))


def test_sparse_tables_converge() -> None:
    """Among thousands of tables with many empty cells, each has a fit or a reason of its own."""
    fit = meta_d(*random_rows(5, 5000, 4, 0))
    assert not any("converge" in reason for reason in fit.reason)
    undefined = np.isnan(np.asarray(fit.meta_d))
    assert all(fit.reason[i] for i in np.flatnonzero(undefined))


def test_second_maximum() -> None:
    """With a criterion far from the middle, the higher of two maxima is found."""
    # The ascent from d' = -0.03 ends at meta-d' = -1.093 with -538.47; a scan of the profile
    # likelihood, maximised over the criteria at 161 values of meta-d', found -528.19.
    fit = meta_d([11, 283, 18, 138, 42, 31], [58, 14, 17, 8, 2, 47])
    assert float(fit.log_likelihood) == pytest.approx(-528.1924846902624, abs=1e-6)


@pytest.mark.parametrize(
    ("nr_s1", "nr_s2", "reason"),
    [
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
    ],
)
def test_undefined(nr_s1: list[int], nr_s2: list[int], reason: str) -> None:
    """What has no meta-d' is NaN with its reason, not 0 and not the d' it started from."""
    fit = meta_d(nr_s1, nr_s2)
    assert isinstance(fit.reason, str)
    assert np.isnan(as_floats(fit)[1:]).all()
    with pytest.raises(AssertionError, match=reason):
        raise AssertionError(fit.reason)


def test_padding_makes_no_information() -> None:
    """Padding doesn't make a fit of tables without two stimuli, two responses or two ratings."""
    for one, two in (([0] * 4, [1, 2, 3, 4]), ([0, 0, 5, 3], [0, 0, 2, 9]), ([9, 0, 0, 3],) * 2):
        assert np.isnan(float(meta_d(one, two, padding=0.25).meta_d))
    assert np.isfinite(float(meta_d([9, 5, 3, 2], [0, 0, 2, 9], padding=0.25).meta_d))


def test_negative_d_prime() -> None:
    """Below chance meta-d' is fitted as ever and only the ratio is undefined."""
    fit = meta_d([10, 15, 20, 25, 30, 30, 35, 35], [35, 30, 30, 30, 25, 22, 18, 10])
    assert fit.meta_d == pytest.approx(-0.6824120852789282, abs=1e-5)  # metadpy 0.1.2
    assert np.isnan(float(fit.m_ratio))
    assert fit.reason == "d' is not above 0: the M-ratio is undefined"


def test_no_rows() -> None:
    """No tables give no fits."""
    fit = meta_d(np.empty((0, 8)), np.empty((0, 8)))
    assert np.shape(fit.meta_d) == (0,)
    assert fit.reason == []


@pytest.mark.parametrize(
    ("nr_s1", "nr_s2", "padding", "message"),
    [
        ([1, 2], [1, 2], None, r"nr_s1 has shape \(2,\)"),
        ([1, 2, 3, 4, 5], [1, 2, 3, 4, 5], None, r"nr_s1 has shape \(5,\)"),
        ([1, 2, 3, 4], 7, None, r"nr_s2 has shape \(\)"),
        ([1, 2, 3, 4], [1] * 6, None, r"nr_s1 has shape \(4,\) and nr_s2 \(6,\)"),
        ([1, 2, 3, -4], [1, 2, 3, 4], None, "nr_s1 holds -4.0"),
        ([1, 2, 3, 4], [1, 2, np.nan, 4], None, "nr_s2 holds nan"),
        ([1, 2, 3, np.inf], [1, 2, 3, 4], None, "nr_s1 holds inf"),
        ([1, 2, 3, 4], [1, 2, 3, 4], -0.5, "padding=-0.5"),
        ([1, 2, 3, 4], [1, 2, 3, 4], np.nan, "padding=nan"),
    ],
)
def test_bad_input(nr_s1: object, nr_s2: object, padding: float | None, message: str) -> None:
    """What isn't a pair of count tables is refused by name and value."""
    with pytest.raises(ValueError, match=message):
        meta_d(nr_s1, nr_s2, padding)  # type: ignore[arg-type]
