"""The toolbox's numbers of LifeEval and question sets: two epochs, some replies unreadable."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, product

import numpy as np
import pandas as pd
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import log_loss, roc_auc_score

from build import attributes_of, column_of, condition_values, numbered
from inspect_confidence import items_needed, recalibrate, recalibrated, summarize, threshold
from inspect_confidence.commands.views import views_of
from inspect_confidence.metrics import METRICS, prr
from inspect_confidence.studies import View
from inspect_confidence.studies.toolbox import FURTHER_METRICS
from studies.frames import NAN, frame, result_row, value, without_choice
from studies.test_hard_easy_numbers import first_epoch, lives, options

KNOWN = {
    *("rms_calibration_error", "smooth_ece", "corp_miscalibration"),
    *("corp_discrimination", "augrc", "risk_at_coverage"),
}
COSTS = {"right": 1.0, "wrong": -2.0, "abstain": 0.0}


def is_of_toolbox(name: str) -> bool:
    """Whether a metric belongs to the toolbox."""
    return METRICS[name].toolbox


def toolbox_of(results: pd.DataFrame) -> set[str]:
    """Its numbers' names, of models by themselves."""
    single_models = results[~results["model"].str.startswith("mean of")]
    return set(filter(is_of_toolbox, single_models["metric"]))


def test_life_eval_has_what_is_defined_of_probabilities() -> None:
    """By loops and scikit-learn; outcomes are the true probabilities, a judgment weighs one."""
    rows = frame([*lives("m", 1, range(0, 100, 5)), *lives("n", 2, range(0, 100, 5))], "life_eval")
    results = summarize(rows, resamples=200, costs=COSTS)
    assert toolbox_of(results) == KNOWN | {"expected_utility"}
    toolbox_rows = results[results["metric"].map(is_of_toolbox)]
    assert set(condition_values(toolbox_rows, "radius")) == {""}
    model_rows = rows[(rows["model"] == "m") & (rows["status"] == "ok")]
    c, p = model_rows["confidence"].to_numpy(float), model_rows["score"].to_numpy(float)

    def found(metric: str, condition: str = "") -> float:
        return value(results, condition, metric, model="m")

    fitted = IsotonicRegression().fit(c, p).predict(c)
    better = ((c - p) ** 2).mean() - ((fitted - p) ** 2).mean()
    assert found("corp_miscalibration") == pytest.approx(better, abs=1e-9)
    assert found("corp_discrimination") == pytest.approx(p.var() - ((fitted - p) ** 2).mean())
    # Bins of width .1, the last one closed; .3 is .30000000000000004 here.
    place = np.minimum(np.floor(c * 10 + 1e-9), 9)
    bins = pd.Series(c - p).groupby(place)
    square = float(np.average(bins.mean() ** 2, weights=bins.size()))
    assert found("rms_calibration_error") == pytest.approx(square**0.5)
    # Of the surest half: at the confidence where it ends a part, at the mean risk there.
    remaining, risk = len(c) / 2, 0.0
    for confidence_value in sorted(set(np.round(c, 9)), reverse=True):
        tied = np.isclose(c, confidence_value)
        covered = min(tied.sum(), remaining)
        risk, remaining = risk + covered * (1 - p[tied]).mean(), remaining - covered
    assert found("risk_at_coverage", "coverage=0.5") == pytest.approx(risk / (len(c) / 2))
    worth = np.where(c >= 2 / 3, p - 2 * (1 - p), 0).mean()
    rows_of = results[(results["metric"] == "expected_utility") & (results["model"] == "m")]
    thresholds = condition_values(rows_of, "answered_from")
    assert dict(zip(thresholds, rows_of["value"], strict=True))["0.667"] == pytest.approx(worth)
    # Neighbouring ages are alike: what is biased has no interval.
    area = result_row(results, "", "augrc", model="m")
    biased = result_row(results, "", "corp_miscalibration", model="m")
    assert area["ci_low"] < area["value"] < area["ci_high"]
    assert "ages depend on each other, so that its bias cannot be estimated" in biased["note"]
    assert (area["n"], area["asked"]) == (len(c), (rows["model"] == "m").sum())


def views_titled(views: Iterable[View], start: str) -> list[View]:
    """The views whose titles begin with a text."""
    return [view for view in views if view.title.startswith(start)]


def test_question_sets_have_them_all() -> None:
    """Areas by their identities; of answers that are given nothing of type 2."""
    rows = frame(options("m", 1, "true_false", 80) + options("m", 2, "given", 80), "question_sets")
    results = summarize(rows, resamples=200)
    for dataset in ("true_false", "given"):
        set_results = results[results["dataset"] == dataset]
        read = rows[(rows["dataset"] == dataset) & (rows["status"] == "ok")]
        read = read[read["source"] == "stated"]
        c, y = read["confidence"].to_numpy(float), (read["answer"] == read["target"]).to_numpy()
        y = read["correct"].to_numpy(bool) if dataset == "given" else y
        a, spread, brier = y.mean(), y.var(), ((c - y) ** 2).mean()
        area = (1 - roc_auc_score(y, c)) * spread + (1 - a) ** 2 / 2
        assert value(set_results, "", "augrc") == pytest.approx(area)
        fitted = IsotonicRegression().fit(c, y).predict(c)
        fitted_error = ((fitted - y) ** 2).mean()
        assert value(set_results, "", "corp_miscalibration") == pytest.approx(brier - fitted_error)
        assert value(set_results, "", "corp_discrimination") == pytest.approx(spread - fitted_error)
        assert value(set_results, "", "brier_skill") == pytest.approx(1 - brier / spread)
        assert 0 < value(set_results, "", "calibration_p") <= 1
        row = result_row(set_results, "", "augrc")
        assert (row["n"], row["asked"]) == (len(c), 160)
    type_2 = "meta_information_corrected"
    assert type_2 in toolbox_of(results[results["dataset"] == "true_false"])
    given_numbers = toolbox_of(results[results["dataset"] == "given"])
    assert type_2 not in given_numbers
    assert {"augrc", "calibration_p", "debiased_squared_error"} <= given_numbers
    all_views = list(chain.from_iterable(column_of(views_of(results), 1)))
    (head,) = views_titled(all_views, "Calibration and selective")
    assert len(head.table) == 3  # two sets, one of them by its tokens too
    # The source that results omit has its name, and no dash, which would be an undefined number.
    assert set(head.table["source"]) == {"stated", "token"}
    further_views = views_titled(all_views, FURTHER_METRICS)
    assert further_views
    assert all(attributes_of(further_views, "fold"))


def test_the_log_score_of_a_scale_keeps_half_a_step_from_the_ends() -> None:
    """Half of 1/5 on 0-5 and of 1/100 on 0-100, over the replies that were read in two epochs."""
    rng = np.random.default_rng(0)
    cells = list(product(range(40), (5, 100), (1, 2)))
    rows = pd.DataFrame(cells, columns=["item", "high", "epoch"])
    rows = rows.assign(task="scale_variants", model="m", dataset="d", low=0, target="A")
    rows["item"] = rows["item"].map("i{}".format)
    rows["raw"] = rows["high"] * rng.integers(0, 6, len(rows)) / 5
    rows["answer"] = np.where(rng.random(len(rows)) < 0.6, "A", "B")
    rows["status"] = np.where(rng.random(len(rows)) < 0.1, "refusal", "ok")
    results = summarize(rows, resamples=200)
    read = rows[rows["status"] == "ok"]
    for high in (5, 100):
        on_scale = read[read["high"] == high]
        step = 1 / high
        confidence = np.clip(on_scale["raw"] / high, step / 2, 1 - step / 2)
        right = on_scale["answer"] == "A"
        row = result_row(results, f"scale=0-{high}", "log_score")
        assert row["value"] == pytest.approx(log_loss(right, confidence))
        assert row["n"] == len(on_scale)
        assert f"0 and 1 count as {step / 2:.3g} and {1 - step / 2:.3g}" in row["note"]
        # Two epochs of an item weigh as much as one judgment, which moves areas by little.
        expected_ratio = pytest.approx(prr(on_scale["raw"] / high, right), abs=0.01)
        assert value(results, f"scale=0-{high}", "prr") == expected_ratio


@pytest.mark.slow
def test_epochs_again_change_nothing() -> None:
    """Every judgment once more leaves the toolbox's numbers and intervals as they are."""
    for task, rows in (
        ("life_eval", lives("m", 1)),
        ("question_sets", options("m", 1, "true_false")),
    ):
        once = frame(first_epoch(rows), task)
        twice = pd.concat([once, once.assign(epoch=2)], ignore_index=True)
        first, second = summarize(once, resamples=100), summarize(twice, resamples=100)
        keep = first["metric"].map(is_of_toolbox)
        columns = ["value", "ci_low", "ci_high"]
        np.testing.assert_allclose(first.loc[keep, columns], second.loc[keep, columns], atol=1e-9)


def test_commands_take_question_sets() -> None:
    """A map by source, applied once for all conventions; a threshold and a plan."""
    rng = np.random.default_rng(0)
    stated_confidence = rng.choice([0.6, 0.8, 1.0], 500)
    right = rng.random(500) < stated_confidence - 0.2
    rows = pd.DataFrame(
        {"confidence": stated_confidence, "correct": right.astype(float), "status": "ok"}
    )
    rows = rows.assign(task="question_sets", model="m", dataset="d", kind="options")
    rows = rows.assign(item=numbered("i", 500), choices=2, target="A", source="stated")
    rows["answer"] = np.where(right, "A", "B")
    lists = [
        [c, 1 - c] if a == "A" else [1 - c, c]
        for a, c in zip(rows["answer"], stated_confidence, strict=True)
    ]
    rows = rows.assign(probabilities=[str(list(map(float, pair))) for pair in lists])
    unreadable = rows.iloc[:30].assign(status="refusal", confidence=NAN, correct=NAN, answer="")
    unreadable = unreadable.assign(probabilities="", item=numbered("lost", 30))
    rows = pd.concat([rows, unreadable], ignore_index=True)
    recalibration = recalibrate(rows, method="isotonic", resamples=50)
    (entry,) = recalibration.maps["maps"]
    assert entry["condition"] == {"source": "stated"}
    after = recalibrated(rows, recalibration.maps)
    results = [
        without_choice(summarize(after, resamples=20, convention=convention))
        for convention in ("text", "authors")
    ]
    (recalibrated_brier,) = recalibration.changes.loc[
        recalibration.changes["metric"] == "brier", "recalibrated"
    ]
    for said_of in results:
        assert value(said_of, "variant=recalibrated%3Disotonic", "brier") == pytest.approx(
            recalibrated_brier
        )
    (row,) = threshold(rows, risk=0.3).to_dict("records")
    assert row["threshold"] == 1.0  # a fifth of these is wrong, of the others two fifths
    assert row["items"] == 530
    (row,) = items_needed(rows, width="accuracy=0.2", resamples=10).to_dict("records")
    a = right.mean()
    assert row["items"] == pytest.approx((2 * 1.96 / 0.2) ** 2 * a * (1 - a), rel=0.1)
    assert row["read"] == pytest.approx(500 / 530)
