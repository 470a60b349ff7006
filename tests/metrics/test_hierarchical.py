"""The M-ratio of a group against HMeta-d's sampling, closed forms and identities."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import exp1
from scipy.stats import norm

from build import column_of
from inspect_confidence.metrics import hierarchical_m_ratio
from inspect_confidence.metrics.hierarchical import _GRID, _SIGMAS, _posterior

HMETA_D = json.loads((Path(__file__).parent / "hmeta_d.json").read_text("utf-8"))
GROUPS: list[dict[str, Any]] = HMETA_D["groups"]
EXAMPLE = GROUPS[0]["nr_s1"], GROUPS[0]["nr_s2"]


# HMeta-d gives rating criteria a prior that units share; here they are free, which shows where
# there are 20 to 60 trials for 10 ratings: units lie further apart, and the interval is wider.
@pytest.mark.parametrize(
    ("index", "limit", "sigma", "unit"),
    [(0, 0.2, 0.05, 0.2), (1, 0.6, 0.25, 0.9), (2, 0.2, 0.05, 0.2)],
)
def test_group_m_ratio_is_near_hmeta_d(index: int, limit: float, sigma: float, unit: float) -> None:
    """The group's mean is within a tenth of its posterior sd of HMeta-d's.

    The interval's limits are within `limit` of that sd, sigma within a share `sigma` of itself,
    each unit within `unit` of its own sd.
    """
    group = GROUPS[index]
    estimate, reference = hierarchical_m_ratio(group["nr_s1"], group["nr_s2"]), group["hmeta_d"]
    sd = reference["mu_sd"]
    assert reference["mu_error"] < sd / 20
    assert abs(np.log(estimate.m_ratio) - reference["mu"]) < sd / 10
    limits = np.log([estimate.ci_low, estimate.ci_high])
    assert limits == pytest.approx(reference["mu_interval"], abs=sd * limit)
    assert estimate.sigma == pytest.approx(reference["sigma"], rel=sigma)
    used = ~np.isnan(estimate.units)
    distance = (np.log(estimate.units) - reference["units"]) / reference["units_sd"]
    assert used.sum() == estimate.used == len(used) - sum(map(bool, estimate.left_out))
    assert np.abs(distance[used]).max() < unit


def test_posterior_of_normal_likelihoods() -> None:
    """Of y_i ~ N(theta_i, s_i^2) the marginal and each unit's mean are known in closed form."""
    y = np.array([-0.9, -0.3, 0.1, -0.4, 0.6])
    s = np.array([0.3, 0.2, 0.25, 0.4, 0.3])
    mu, sigma, unit_posterior = _posterior(norm.pdf(_GRID, y[:, None], s[:, None]))
    # Another grid, uniform in sigma; y_i ~ N(mu, s_i^2 + sigma^2), and
    # E[theta_i | mu, sigma] = (y_i sigma^2 + mu s_i^2) / (s_i^2 + sigma^2).
    middle, spread = np.meshgrid(np.linspace(-3, 2, 201), np.arange(0.001, 4, 0.01), indexing="ij")
    variance = spread[..., None] ** 2 + s**2
    density = norm.pdf(y, middle[..., None], np.sqrt(variance)).prod(-1)
    # The density of the product of a uniform and a half normal variable.
    density *= norm.pdf(middle) * exp1(spread**2 / 2)
    density /= density.sum()
    means = (y * spread[..., None] ** 2 + middle[..., None] * s**2) / variance
    assert mu @ _GRID == pytest.approx((density * middle).sum(), abs=0.002)
    assert mu @ _GRID**2 == pytest.approx((density * middle**2).sum(), rel=0.02)
    assert sigma @ _SIGMAS == pytest.approx((density * spread).sum(), rel=0.02)
    assert unit_posterior @ _GRID == pytest.approx(
        (density[..., None] * means).sum((0, 1)), abs=0.003
    )


def test_units_with_many_judgments_keep_their_m_ratio() -> None:
    """Of as good as infinitely many judgments each unit's M-ratio is what was put in."""
    # d' 1.5, the criterion at .4 and the ratings cut at .5 and 1 beyond it; M .5, .8 and 1.2.
    cuts, d_prime = np.array([-np.inf, -0.6, -0.1, 0.4, 0.9, 1.4, np.inf]), 1.5
    ratios = np.array([0.5, 0.8, 1.2])
    counts = []
    for side in (-0.5, 0.5):
        yes = norm.sf(0.4 - side * d_prime)
        cells = np.diff(norm.cdf(cuts - side * d_prime * ratios[:, None]), axis=1)
        no_part, yes_part = cells[:, :3], cells[:, 3:]
        no_part *= (1 - yes) / no_part.sum(1, keepdims=True)
        yes_part *= yes / yes_part.sum(1, keepdims=True)
        counts.append(1e5 * np.hstack([no_part, yes_part]))
    estimate = hierarchical_m_ratio(counts[0], counts[1])
    assert estimate.units == pytest.approx(ratios, abs=0.005)
    # What is left is the prior's N(0, 1) against three exact values.
    assert estimate.ci_low < np.exp(np.log(ratios).mean()) < estimate.ci_high


def test_names_of_stimuli_and_order_of_units() -> None:
    """Stimuli exchanged and units reordered, the group stays and units move along."""
    s1, s2 = np.array(EXAMPLE[0]), np.array(EXAMPLE[1])
    estimate = hierarchical_m_ratio(s1, s2)
    for changed, units in (
        (hierarchical_m_ratio(s2[:, ::-1], s1[:, ::-1]), estimate.units),
        (hierarchical_m_ratio(s1[::-1], s2[::-1]), estimate.units[::-1]),
    ):
        assert changed.m_ratio == pytest.approx(estimate.m_ratio, abs=1e-9)
        assert changed.units == pytest.approx(units, abs=1e-9)


def test_units_without_m_ratio_are_left_out_with_a_reason() -> None:
    """What has no M-ratio is named, and the group is that of the others; three make a group."""
    s1, s2 = EXAMPLE
    odd = {
        "there are no judgments of one of the stimuli": ([0] * 8, s2[0]),
        "every response is the same": ([9, 9, 9, 9, 0, 0, 0, 0], [9, 9, 9, 9, 0, 0, 0, 0]),
        "d' is at most 0.1": (s1[0], s1[0]),
        "every judgment has the same rating within its response: no type-2 information": (
            [50, 0, 0, 0, 20, 0, 0, 0],
            [20, 0, 0, 0, 50, 0, 0, 0],
        ),
    }
    more = [[*side, *column_of(odd.values(), stimulus)] for stimulus, side in enumerate((s1, s2))]
    without_odd_units, with_odd_units = (
        hierarchical_m_ratio(s1, s2),
        hierarchical_m_ratio(more[0], more[1]),
    )
    assert with_odd_units.left_out == ("", "", "", *odd)
    assert (with_odd_units.used, with_odd_units.m_ratio, with_odd_units.sigma) == (
        3,
        without_odd_units.m_ratio,
        without_odd_units.sigma,
    )
    assert np.isnan(with_odd_units.units[3:]).all()
    assert with_odd_units.units[:3] == pytest.approx(without_odd_units.units, abs=1e-12)
    two_units = hierarchical_m_ratio([*s1[:2], [0] * 8], [*s2[:2], [0] * 8])
    assert np.isnan(
        [two_units.m_ratio, two_units.ci_low, two_units.ci_high, two_units.sigma, *two_units.units]
    ).all()
    assert two_units.reason == "2 of 3 units can be used: a group needs 3"


@pytest.mark.parametrize(
    ("nr_s1", "nr_s2", "message"),
    [
        ([5, 3, 2, 1], [1, 2, 3, 5], r"shape \(4,\); give a row of 2K counts a unit"),
        ([[5, 3, 2, 1]], [[1, 2, 3]], r"nr_s2 has shape \(1, 3\)"),
        ([[5, 3, 2, 1]] * 2, [[1, 2, 3, 5]], r"give both the same rows"),
        ([[5, 3, 2, -1]], [[1, 2, 3, 5]], r"nr_s1 holds -1"),
    ],
)
def test_bad_counts_raise(nr_s1: Any, nr_s2: Any, message: str) -> None:
    """Counts that are none, or not in rows, are named."""
    with pytest.raises(ValueError, match=message):
        hierarchical_m_ratio(nr_s1, nr_s2)
