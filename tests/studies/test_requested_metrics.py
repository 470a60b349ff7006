"""Results of some metrics: the same rows as of all, and nothing else is evaluated."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from build import attributes_of, numbered
from conftest import CHECKOUT
from inspect_confidence import InvalidArgument, read_judgments, summarize
from inspect_confidence.commands.views import headline_metrics
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.studies import Resampling, all_studies
from inspect_confidence.studies.estimate import Estimate, Statistics, resample
from inspect_confidence.studies.unread import UNREAD_SHARE


def reports() -> pd.DataFrame:
    """Reports on 0-10 of one item each, many of them equal, some out of range or unread."""
    rng = np.random.default_rng(0)
    raw = rng.integers(5, 12, size=200).astype(float)
    status = np.where(rng.random(200) < 0.1, "refusal", "ok")
    return pd.DataFrame(
        {
            **{"task": "any_eval", "model": "m", "dataset": "d", "low": 0.0, "high": 10.0},
            **{"item": numbered("q", 200), "status": status},
            "raw": np.where(status == "ok", raw, np.nan),
            "correct": rng.integers(2, size=200).astype(float),
        }
    )


def rows_of(results: pd.DataFrame, metrics: set[str]) -> pd.DataFrame:
    """Return the rows of some metrics and the shares of unread replies."""
    return results[results["metric"].isin(metrics | {UNREAD_SHARE})].reset_index(drop=True)


@pytest.mark.slow
def test_results_do_not_depend_on_which_metrics_are_computed() -> None:
    """On logs of all studies: headlines, numbers made of other results, and single metrics."""
    judgments = read_judgments(str(CHECKOUT / "examples" / "logs"))
    everything = summarize(judgments, resamples=50)
    derived = set[str]().union(*attributes_of(all_studies(), "sources"))
    for metrics in (headline_metrics(), derived, {"brier", "mic"}, {"coverage"}, {"n"}, set()):
        results = summarize(judgments, metrics=metrics, resamples=50)
        pd.testing.assert_frame_equal(results, rows_of(everything, metrics), rtol=1e-12)


def test_equal_items_are_those_of_all_statistics() -> None:
    """Items that only another metric tells apart have weights of their own all the same."""
    everything = summarize(reports(), resamples=50)
    for metrics in ({"mean_confidence"}, {"auroc"}, {"entropy_bits", "ece"}):
        results = summarize(reports(), metrics=metrics, resamples=50)
        pd.testing.assert_frame_equal(results, rows_of(everything, metrics), rtol=1e-12)


def test_statistics_that_are_not_asked_for_are_not_evaluated() -> None:
    """Neither on all judgments nor on resamples."""

    def refuse(weights: FloatArray) -> FloatArray:
        raise AssertionError(len(weights))

    values = np.arange(40.0)
    statistics = [
        Statistics([Estimate({}, "ece", 40)], refuse),
        Statistics([Estimate({}, "overconfidence", 40)], lambda weights: weights @ values),
        Statistics([Estimate({}, "brier", 40), Estimate({}, "auroc", 40)], refuse),
    ]
    resampled = resample(statistics, 40, Resampling(50, metrics={"overconfidence"}))
    assert attributes_of(resampled.estimates, "metric") == ["overconfidence"]
    assert resampled.values.tolist() == [780]
    assert resampled.draws.shape == (50, 1)
    assert np.isfinite(resampled.draws).all()


def test_an_unknown_metric_is_refused() -> None:
    """With the nearest name."""
    with pytest.raises(InvalidArgument, match=r"no metric 'auroc2'.*auroc"):
        summarize(reports(), metrics=["auroc2"])


def test_an_interval_that_was_widened_to_contain_its_value_has_a_note() -> None:
    """Half of 100 are right: at confidence .5 the value is 0 - .25/99, at .9 it is .16 - .25/99."""
    outcomes = [0.0, 1.0] * 50
    for confidence, is_widened in ((0.5, True), (0.9, False)):
        frame = pd.DataFrame({"item": numbered("q", 100), "correct": outcomes})
        frame = frame.assign(task="any_eval", model="m", confidence=confidence, status="ok")
        results = summarize(frame, metrics=["debiased_squared_error"], resamples=50)
        (row,) = results[results["metric"] == "debiased_squared_error"].to_dict("records")
        assert row["value"] == pytest.approx((confidence - 0.5) ** 2 - 0.25 / 99)
        assert (row["ci_low"] == row["value"]) == is_widened
        assert ("the interval was widened to contain the value" in row["note"]) == is_widened


def test_the_squared_error_of_many_confidences_has_no_interval_and_says_why() -> None:
    """Ten items of each confidence are enough for 200 confidences, and no interval has 201."""
    for confidences, has_interval in ((200, True), (201, False)):
        confidence = np.repeat(np.linspace(0.2, 0.8, confidences), 10)
        frame = pd.DataFrame({"item": numbered("q", len(confidence)), "confidence": confidence})
        frame = frame.assign(correct=np.arange(len(confidence)) % 2.0)
        frame = frame.assign(task="any_eval", model="m", status="ok")
        results = summarize(frame, metrics=["debiased_squared_error"], resamples=50)
        (row,) = results[results["metric"] == "debiased_squared_error"].to_dict("records")
        assert np.isfinite(row["ci_low"]) == has_interval
        assert ("or more than 200 confidences" in row["note"]) != has_interval
