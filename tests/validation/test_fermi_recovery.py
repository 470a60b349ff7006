"""Parameters put into simulated respondents come back by their estimators."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import betabinom, binom, binomtest

from conftest import run_respondent
from figures import Record
from inspect_confidence import read_judgments, summarize
from inspect_confidence.metrics import conformal_offset, conformity_scores
from inspect_confidence.respondents.belief import draw_beliefs, stated_bounds

LEVELS = (80, 90, 95, 99)


def numbers(results: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Values by condition and metric."""
    keys = zip(results["condition"], results["metric"], strict=True)
    return dict(zip(keys, results["value"], strict=True))


@pytest.mark.slow
def test_tunnel_at_one_seed(tmp_path: Path) -> None:
    """Conformal counts lie in the central 99% of their law, and the score at 99% goes down."""
    # Of n_test test items, with an offset that is the k-th smallest of n_cal scores, the number
    # covered is BetaBinomial(n_test; k, n_cal + 1 - k).
    run_respondent("tunnel", tmp_path)
    values = numbers(summarize(tmp_path, resamples=100))
    n_cal = n_test = 109
    for level in LEVELS:
        k = -(-(n_cal + 1) * level // 100)
        low, high = betabinom(n_test, k, n_cal + 1 - k).ppf([0.005, 0.995])
        covered = values[f"level={level};method=conformal;split=test", "coverage"] * n_test
        assert low <= round(covered) <= high, level
        assert covered == pytest.approx(round(covered), abs=1e-9)
    assert values["level=99;method=conformal;split=test", "interval_score_change"] < 0


@pytest.mark.slow
def test_calibrated_at_one_seed(tmp_path: Path) -> None:
    """A calibrated respondent's covered counts lie in the central 99% of the binomial."""
    run_respondent("calibrated", tmp_path)
    values = numbers(summarize(tmp_path, resamples=100))
    for level in LEVELS:
        low, high = binom(218, level / 100).ppf([0.005, 0.995])
        covered = values[f"level={level};method=direct", "coverage"] * 218
        assert low <= round(covered) <= high, level


@pytest.mark.slow
def test_erratic_rates_at_one_seed(tmp_path: Path) -> None:
    """Each kind of unreadable reply comes back at its rate, within Bonferroni intervals of 5."""
    run_respondent("erratic", tmp_path)
    statuses = read_judgments(tmp_path)["fermi_eval"]["status"].value_counts()
    expected = {
        **dict.fromkeys(("invalid_response_format", "refusal", "no_response", "truncated"), 0.05),
        "ok": 0.8,
    }
    assert set(statuses.index) == set(expected)
    for status, rate in expected.items():
        test = binomtest(int(statuses[status]), int(statuses.sum()))
        interval = test.proportion_ci(1 - 0.05 / len(expected), method="exact")
        assert interval.low <= rate <= interval.high, status


@pytest.mark.thorough
def test_tunnel_over_seeds(tmp_path: Path, record_property: Record) -> None:
    """Over 20 runs the mean coverage plateau is within .03 of the tunnel's size."""
    plateaus, changes = [], []
    for seed in range(20):
        run_respondent("tunnel", tmp_path / str(seed), respondent_seed=seed)
        values = numbers(summarize(tmp_path / str(seed), resamples=50))
        plateaus.append(values["method=direct;split=test", "coverage_plateau"])
        changes.append(values["level=99;method=conformal;split=test", "interval_score_change"])
    record_property(
        "figure",
        f"tunnel 0.65, 20 runs: mean coverage_plateau {np.mean(plateaus):.3f} "
        f"(sd {np.std(plateaus, ddof=1):.3f}); conformal lowers the 99% interval score in "
        f"{sum(change < 0 for change in changes)} of 20, on average by {-np.mean(changes):.1f}",
    )
    assert abs(np.mean(plateaus) - 0.65) < 0.03
    assert np.mean(changes) < 0


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_conformal_coverage_over_seeds(level: int, record_property: Record) -> None:
    """Over 200 seeds mean conformal coverage is within 3 standard errors of k/(n_cal + 1)."""
    n_cal = n_test = 109
    coverages = []
    for seed in range(200):
        rng = np.random.default_rng([seed, level])
        truth = rng.integers(-30, 40, n_cal + n_test).astype(float)
        lower, upper = stated_bounds(
            draw_beliefs(truth, rng), level, tunnel=0.65, position=rng.uniform(size=len(truth))
        )
        offset = conformal_offset(lower[:n_cal], upper[:n_cal], truth[:n_cal], level)
        scores = conformity_scores(lower[n_cal:], upper[n_cal:], truth[n_cal:])
        coverages.append(np.mean(scores <= offset))
    k = -(-(n_cal + 1) * level // 100)
    expected = k / (n_cal + 1)
    error = betabinom(n_test, k, n_cal + 1 - k).std() / n_test / np.sqrt(200)
    record_property(
        "figure",
        f"conformal coverage at {level}%, 200 seeds: {np.mean(coverages):.4f} "
        f"(expected {expected:.4f}, standard error {error:.4f})",
    )
    assert abs(np.mean(coverages) - expected) < 3 * error
