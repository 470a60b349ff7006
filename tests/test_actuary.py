"""The actuary: the hard-easy slope that is put in is the slope that comes out."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import eval

from build import entries_of
from inspect_confidence import read_judgments, summarize
from inspect_confidence.datasets.life_eval import study_items
from inspect_confidence.datasets.life_tables import read_life_table
from inspect_confidence.metrics import hard_easy_slope
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.respondents.actuary import MIDDLE, Actuary, actuarial_confidence
from inspect_confidence.tasks.life_eval import life_eval


@pytest.fixture(scope="module")
def maximum() -> FloatArray:
    """The maximum achievable score of the 808 items."""
    lives = read_life_table("ssa-2022")
    items = study_items()
    return np.array([lives.best_answer(i.sex, i.age, i.radius).probability for i in items])


def line(confidence: FloatArray, maximum: FloatArray) -> tuple[float, float]:
    """Slope and intercept of overconfidence on difficulty, by numpy alone."""
    slope, intercept = np.polyfit(1 - maximum, confidence - maximum, 1)
    return float(slope), float(intercept)


def test_slope_and_middle(maximum: FloatArray) -> None:
    """Overconfidence (1 - s)(m - MAS) + bias: slope 1 - s; the middle is the mean of the items."""
    for bias, s in product([0.0, 0.25, -0.4], [-1.0, 0.0, 0.3, 1.0, 2.0]):
        confidence = actuarial_confidence(maximum, sensitivity=s, bias=bias)
        fit = hard_easy_slope(confidence - maximum, 1 - maximum)
        assert fit.slope == pytest.approx(1 - s, abs=1e-9)
        assert fit.intercept == pytest.approx((1 - s) * (MIDDLE - 1) + bias, abs=1e-9)
        assert line(confidence, maximum) == pytest.approx((fit.slope, fit.intercept), abs=1e-9), (
            bias
        )
        assert fit.ci_low == pytest.approx(1 - s, abs=1e-9)
        assert fit.ci_high == pytest.approx(1 - s, abs=1e-9)
    assert round(float(maximum.mean()), 2) == MIDDLE
    for s in (0.0, 0.5, 2.0):
        confidence = actuarial_confidence(maximum, sensitivity=s, bias=0.1)
        assert np.mean(confidence - maximum) == pytest.approx(0.1, abs=0.005 * abs(1 - s) + 1e-12)


def test_confidence_by_hand() -> None:
    """.57 + s (MAS - .57) + bias + noise, then to the nearest multiple."""
    for maximum, parameters, expected in [
        (0.57, {}, 0.57),
        (0.9, {"sensitivity": 0.0}, 0.57),
        (0.77, {"sensitivity": 0.5}, 0.67),
        (0.37, {"sensitivity": -1.0}, 0.77),
        (0.97, {"sensitivity": 2.0}, 1.37),  # not clipped
        (0.77, {"sensitivity": 0.5, "bias": -0.1, "noise": 0.02}, 0.59),
        (0.77, {"sensitivity": 0.5, "rounding": 0.1}, 0.7),
        (0.77, {"sensitivity": 0.5, "rounding": 0.25}, 0.75),
        (0.77, {"sensitivity": 0.5, "bias": -0.1, "rounding": 0.05}, 0.55),
        (0.1, {"bias": -0.2, "rounding": 0.05}, -0.1),
    ]:
        confidence = actuarial_confidence(maximum, **parameters)
        assert float(confidence) == pytest.approx(expected, abs=1e-12)


@given(
    st.floats(0, 1),
    st.sampled_from([0.01, 0.05, 0.1, 0.25, 0.5]),
    st.floats(-2, 3),
    st.floats(-1, 1),
)
def test_rounding_is_to_the_nearest_multiple(
    maximum: float, rounding: float, sensitivity: float, bias: float
) -> None:
    """A rounded confidence is a multiple, at most half of one away."""
    exact = float(actuarial_confidence(maximum, sensitivity=sensitivity, bias=bias))
    rounded = float(
        actuarial_confidence(maximum, sensitivity=sensitivity, bias=bias, rounding=rounding)
    )
    assert rounded / rounding == pytest.approx(round(rounded / rounding), abs=1e-9)
    assert abs(rounded - exact) <= rounding / 2 + 1e-12


def answered(actuary: Actuary, age: int = 40, radius: float = 5, draw: int = 0) -> dict[str, float]:
    """What it says of a man of an age, read as JSON."""
    facts = {"item": f"male-{age}", "draw": draw, "sex": "male", "age": age, "radius": radius}
    reply = actuary.answer("age", facts, 0)
    assert reply is not None
    parsed = json.loads(reply.text)
    assert set(parsed) == {"Reasoning", "Answer", "Confidence"}
    return entries_of(parsed, ("Answer", "Confidence"))


def test_replies_by_hand() -> None:
    """The best answer of the window, its confidence cut to what a probability can be."""
    lives = read_life_table("ssa-2022")
    for window in ("half-open", "closed"):
        best = lives.best_answer("male", 40, 5, window)
        reply = answered(Actuary(sensitivity=1, window=window))
        assert reply["Answer"] == best.answer
        assert reply["Confidence"] == pytest.approx(best.probability, abs=5e-13)
    assert answered(Actuary(bias=1))["Confidence"] == 1
    assert answered(Actuary(bias=-1))["Confidence"] == 0
    assert Actuary().answer("options", {}, 0) is None


def test_noise_is_of_item_and_draw() -> None:
    """Each draw has noise of its own, the same at each call, of the standard deviation given."""
    actuary = Actuary(sensitivity=0, noise=0.05, seed=3)
    cases = list(product(range(100), (5,), range(4)))
    confidences = np.array([answered(actuary, *case)["Confidence"] for case in cases])
    assert len(set(confidences)) == 400
    assert [answered(actuary, *case)["Confidence"] for case in cases] == confidences.tolist()
    # Of 400 normal draws, within 4 standard errors: .05 / 20 and .05 / sqrt(800).
    assert confidences.mean() == pytest.approx(MIDDLE, abs=4 * 0.05 / 20)
    assert confidences.std(ddof=1) == pytest.approx(0.05, abs=4 * 0.05 / 800**0.5)


@pytest.mark.slow
def test_slope_through_inspect(tmp_path: Path, maximum: FloatArray) -> None:
    """All 808 items through the task: at s = .5 nothing is clipped, and the slope is .5."""
    # Confidence is printed with 12 digits, so that each is off by at most 5e-13. The slope is sum
    # w_i o_i with w_i = (x_i - mean x) / sum (x - mean x)^2, which is then off by at most 5e-13 sum
    # |w_i|: 2e-12. Sums in floating point add some 1e-14.
    (log,) = eval(
        life_eval(),
        model="respondent/actuary",
        model_args={"sensitivity": 0.5},
        log_dir=str(tmp_path),
        display="none",
    )
    assert log.status == "success", log.error
    centred = maximum - maximum.mean()
    bound = 5e-13 * np.abs(centred).sum() / np.sum(centred**2) + 1e-13
    assert bound < 1e-11
    rows = read_judgments(tmp_path)["life_eval"]
    assert len(rows) == 808
    assert rows["confidence"].between(0.285 - 1e-12, 0.785 + 1e-12).all()
    assert sorted(rows["mas"]) == pytest.approx(sorted(maximum), abs=1e-15)
    expected = 0.57 + 0.5 * (rows["mas"] - 0.57)
    assert np.abs(rows["confidence"] - expected).max() <= 5.1e-13
    assert log.results is not None
    inside = log.results.scores[0].metrics["hard_easy_slope"].value
    assert abs(inside - 0.5) <= bound
    results = summarize(tmp_path, resamples=20)
    (number,) = results[results["metric"] == "hard_easy_slope"]["value"].unique()
    assert abs(number - 0.5) <= bound
