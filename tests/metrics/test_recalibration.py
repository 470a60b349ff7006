"""Maps of confidence: equal to their peers, whatever the ties, ends and classes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import statsmodels.api as sm
from betacal import BetaCalibration
from sklearn.isotonic import IsotonicRegression

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray

Sample = tuple[FloatArray, FloatArray]


def samples() -> Iterator[Sample]:
    """200 of 20 to 200 judgments at few confidences with both ends; every tenth has one class."""
    rng = np.random.default_rng(0)
    for k in range(200):
        values = np.concatenate([[0.0, 1.0], rng.random(rng.integers(1, 30)).round(2)])
        confidence = rng.choice(values, int(rng.integers(20, 200)))
        correct = (rng.random(len(confidence)) < rng.random()).astype(float)
        if k % 10 == 0:
            correct[:] = k % 20 == 0
        yield confidence, correct


def targets(correct: FloatArray) -> FloatArray:
    """Platt's."""
    right, wrong = correct.sum(), (1 - correct).sum()
    return np.asarray(np.where(correct == 1, (right + 1) / (right + 2), 1 / (wrong + 2)))


def fitted(columns: FloatArray, correct: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Coefficients and values of statsmodels' logistic regression."""
    model = sm.GLM(targets(correct), columns, family=sm.families.Binomial())
    result = model.fit(tol=1e-15, tol_criterion="params", maxiter=500)
    return result.params, result.fittedvalues


def test_isotonic_is_that_of_scikit_learn() -> None:
    """Also between and outside the confidences that it was fitted to."""
    grid = np.linspace(0, 1, 201)
    for confidence, correct in samples():
        peer = IsotonicRegression(out_of_bounds="clip").fit(confidence, correct)
        fit = metrics.fit_recalibration(confidence, correct, method="isotonic")
        assert fit(grid) == pytest.approx(peer.predict(grid), abs=1e-9)


@pytest.mark.filterwarnings("ignore:All-NaN slice:RuntimeWarning")
def test_venn_abers_is_that_of_its_package() -> None:
    """At every confidence that it was fitted to."""
    with np.errstate():  # it changes how numpy warns when it is imported
        from venn_abers import VennAbers  # noqa: PLC0415

        for confidence, correct in samples():
            peer = VennAbers()
            peer.fit(np.column_stack([1 - confidence, confidence]), correct)
            values = np.unique(confidence)
            expected = peer.predict_proba(np.column_stack([1 - values, values]))[0][:, 1]
            fit = metrics.fit_recalibration(confidence, correct, method="venn_abers")
            assert fit(values) == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::statsmodels.tools.sm_exceptions.PerfectSeparationWarning")
@pytest.mark.parametrize("method", ["platt", "beta", "temperature"])
def test_logistic_maps_are_those_of_statsmodels(method: str) -> None:
    """Where its slopes aren't negative; else a slope is 0 and no nearby map is likelier."""
    inside = 0
    for confidence, correct in samples():
        fit = metrics.fit_recalibration(confidence, correct, method=method)
        p = np.clip(confidence, fit.clip, 1 - fit.clip)
        up, down, constant = np.log(p), -np.log1p(-p), np.ones(len(p))
        columns = {
            "platt": np.column_stack([up + down, constant]),
            "beta": np.column_stack([up, down, constant]),
            "temperature": (up + down)[:, None],
        }[method]
        slopes, values = fitted(columns, correct)
        if (slopes[: 2 if method == "beta" else 1] >= 0).all():
            inside += 1
            assert fit(confidence) == pytest.approx(values, abs=1e-9)
        else:
            assert 0 in (fit.a, fit.b)
            assert min(fit.a, fit.b) >= 0
            for a, b, c in np.eye(3) * 1e-3:
                nearby = (fit.a + a, fit.b + (a if method != "beta" else b), fit.c + c)
                if method == "temperature" and c:
                    continue
                assert likelihood(fit, nearby, p, correct) <= likelihood(
                    fit, (fit.a, fit.b, fit.c), p, correct
                )
    assert 20 < inside < 200


def likelihood(
    fit: metrics.Recalibration,
    coefficients: tuple[float, float, float],
    p: FloatArray,
    correct: FloatArray,
) -> float:
    """Of Platt's targets, its logarithm, for other a, b, c."""
    q = 1 / (1 + np.exp(-coefficients[2]) * (1 - p) ** coefficients[1] / p ** coefficients[0])
    t = targets(correct)
    return float((t * np.log(q) + (1 - t) * np.log(1 - q)).sum())


def test_beta_nears_its_package_where_judgments_are_many() -> None:
    """Without Platt's targets, and stopping sooner, it is the same to three digits."""
    rng = np.random.default_rng(1)
    confidence = rng.random(20_000)
    correct = (rng.random(20_000) < confidence**2).astype(float)
    grid = np.linspace(0.05, 0.95, 19)
    peer = BetaCalibration("abm").fit(confidence[:, None], correct).predict(grid)
    fit = metrics.fit_recalibration(confidence, correct, method="beta")
    assert fit(grid) == pytest.approx(peer, abs=2e-3)


def test_histogram_has_ten_bins_of_equal_mass() -> None:
    """Ten bins of one judgment each, and ties that fill two bins go to the middle one."""
    confidence = np.r_[np.arange(1, 9) / 10, 0.9, 0.9]
    correct = np.array([0, 1, 0, 0, 1, 1, 0, 1, 1, 0.0])
    fit = metrics.fit_recalibration(confidence, correct, method="histogram")
    assert fit([0.1, 0.2, 0.8, 0.9]).tolist() == [0, 1, 1, 0.5]
    # Halfway to the next bin, halfway between both.
    assert fit(0.15) == pytest.approx(0.5)


@pytest.mark.parametrize("method", list(metrics.RECALIBRATIONS))
def test_two_epochs_missing_data_and_range(method: str) -> None:
    """Asking again changes nothing, NaN is left out and stays NaN, and results are in [0, 1]."""
    for confidence, correct in list(samples())[:30]:
        unit = np.arange(len(confidence))
        once = metrics.fit_recalibration(confidence, correct, unit, method=method)
        twice = metrics.fit_recalibration(
            np.r_[confidence, confidence, np.nan, 0.5],
            np.r_[correct, correct, 1, np.nan],
            np.r_[unit, unit, 0, 1],
            method=method,
        )
        grid = np.linspace(0, 1, 101)
        assert once(grid) == pytest.approx(twice(grid), abs=1e-9)
        assert ((once(grid) >= 0) & (once(grid) <= 1)).all()
        assert np.isnan(once(np.nan))
        if method != "histogram":
            assert (np.diff(once(grid)) >= -1e-12).all()


def test_choice_is_the_simplest_within_one_standard_error_of_the_least_score() -> None:
    """Each method's score is that of maps of the other folds; brute force on one fold a half."""
    rng = np.random.default_rng(3)
    confidence = rng.choice([0.6, 0.7, 0.8, 0.9, 1.0], 400)
    correct = (rng.random(400) < confidence - 0.3).astype(float)
    choice = metrics.choose_recalibration(confidence, correct, folds=2, seed=4)
    chosen, scores, losses = choice.recalibration, choice.brier, {}
    fold = np.random.default_rng(4).permutation(400) % 2
    for method, score in scores.items():
        loss = np.empty(400)
        for k in (0, 1):
            fit = metrics.fit_recalibration(
                confidence[fold != k], correct[fold != k], method=method
            )
            loss[fold == k] = (fit(confidence[fold == k]) - correct[fold == k]) ** 2
        assert score == pytest.approx(loss.mean(), abs=1e-12)
        losses[method] = loss
    best = losses[min(scores, key=lambda name: scores[name])]
    close = []
    for method in metrics.RECALIBRATIONS:  # the simplest first
        excess = losses[method] - best
        if excess.mean() <= excess.std(ddof=1) / 20:
            close.append(method)
    assert chosen.method == close[0] != "as_stated"
    assert scores["as_stated"] > min(scores.values()) + 0.05
    expected = np.where(fold == 0, choice.fold_maps[0](confidence), choice.fold_maps[1](confidence))
    np.testing.assert_array_equal(choice.cross_fitted(confidence), expected)


@pytest.mark.parametrize("fold", [None, np.array([1, 1])])
def test_items_of_a_single_fold_leave_none_to_fit(fold: np.ndarray | None) -> None:
    """One item, or two items whose folds are given, cannot be cross-fitted."""
    item = np.array([0, 0]) if fold is None else np.array([0, 1])
    with pytest.raises(ValueError, match="All items are in one fold"):
        metrics.choose_recalibration([0.9, 0.6], [1, 0], item, folds=2, fold=fold)


@pytest.mark.parametrize("stray", [-1, 2])
def test_a_fold_beyond_the_number_of_folds_is_refused(stray: int) -> None:
    """Such a judgment would have no loss and count as perfectly predicted."""
    confidence, correct = [0.9, 0.6, 0.7, 0.8], [1, 0, 0, 1]
    with pytest.raises(ValueError, match="none of 0 to 1"):
        metrics.choose_recalibration(confidence, correct, folds=2, fold=np.array([0, 1, 0, stray]))


def test_a_judgment_in_no_fold_gets_no_confidence() -> None:
    """Without an outcome it takes no part in the fit; a fold of -1 has no map."""
    fold = np.array([0, 1, 0, 1, -1])
    choice = metrics.choose_recalibration(
        [0.9, 0.6, 0.7, 0.8, 0.5], [1, 0, 0, 1, np.nan], folds=2, fold=fold
    )
    mapped = choice.cross_fitted([0.9, 0.6, 0.7, 0.8, 0.5])
    assert np.isnan(mapped).tolist() == [False] * 4 + [True]


@pytest.mark.slow
def test_a_map_of_a_calibrated_model_is_rare() -> None:
    """In at most 15% of 100 samples of 198 a map is chosen, and in most of an overconfident one."""
    rng, chosen = np.random.default_rng(3), []
    for _ in range(100):
        confidence = rng.choice([0.6, 0.7, 0.8, 0.9, 1.0], 198)
        for gap in (0, 0.2):
            correct = (rng.random(198) < confidence - gap).astype(float)
            choice = metrics.choose_recalibration(
                confidence, correct, methods=["temperature", "isotonic", "as_stated"]
            )
            chosen.append(choice.recalibration.method != "as_stated")
    assert np.mean(chosen[::2]) <= 0.15
    assert np.mean(chosen[1::2]) >= 0.95


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"method": "isotonc"}, "isotonc"),
        ({"confidence": [np.nan], "correct": [1], "method": "beta"}, "no judgment"),
        ({"confidence": [1.2], "correct": [1], "method": "beta"}, "1.2"),
    ],
)
def test_bad_arguments_raise_by_value(arguments: dict[str, object], match: str) -> None:
    """The value is named."""
    with pytest.raises(ValueError, match=match):
        metrics.fit_recalibration(**{"confidence": [0.5], "correct": [1], **arguments})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="folds=1"):
        metrics.choose_recalibration([0.5], [1], folds=1)


@pytest.mark.parametrize("has_folds", [False, True])
def test_maps_of_folds_are_fitted_without_their_fold_if_a_judgment_is_missing(
    has_folds: bool,
) -> None:
    """Without units too: each map equals one that is fitted to the other folds' judgments."""
    rng = np.random.default_rng(0)
    confidence = rng.random(60).round(2)
    correct = (rng.random(60) < confidence**2).astype(float)
    confidence[0] = np.nan
    fold = np.arange(60) % 10 if has_folds else None
    chosen = metrics.choose_recalibration(confidence, correct, methods=["isotonic"], fold=fold)
    for k, fold_map in enumerate(chosen.fold_maps):
        others = (chosen.fold != k) & ~np.isnan(confidence)
        expected = metrics.fit_recalibration(confidence[others], correct[others], method="isotonic")
        assert fold_map == expected
