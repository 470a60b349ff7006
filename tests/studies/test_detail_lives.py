"""LifeEval's finer rows against a hand-worked example, and what its study shows."""

from __future__ import annotations

from math import isnan, nan
from typing import Any

import numpy as np
import pandas as pd
import pytest

from build import column_of, frame_rows, record_table, rows_by, values_by_key
from inspect_confidence import detail
from inspect_confidence.metrics import METRICS
from inspect_confidence.results import Condition, with_parts
from inspect_confidence.studies.life_eval.shown import FIGURES, HEADLINES

UNREAD = (nan, nan, nan)
# Item, sex, age, radius, mas, best answer; then of each epoch answer, confidence, score, status.
ITEMS: list[tuple[Any, ...]] = [
    ("A", "male", 40, 5, 0.5, 80, ((80, 0.8, 0.5, "ok"), (78, 0.6, 0.4, "ok"))),
    ("B", "female", 40, 5, 0.6, 84, ((84, 0.7, 0.6, "ok"), (*UNREAD, "refusal"))),
    ("C", "male", 40, 20, 0.95, 77, ((77, 1.0, 0.95, "ok"), (nan, 0.9, nan, "ambiguous"))),
    ("D", "male", 50, 5, 0.55, 81, ((*UNREAD, "refusal"), (*UNREAD, "refusal"))),
    ("E", "male", 60, 5, 0.55, 82, ((82, 0.2, 0.55, "ok"), (*UNREAD, "sample_error"))),
]


def worked_example() -> pd.DataFrame:
    """The judgments of `ITEMS`."""
    rows: list[dict[str, object]] = []
    for item, sex, age, radius, mas, best, answers in ITEMS:
        row = {"task": "life_eval", "model": "m", "dataset": "own", "item": item, "sex": sex}
        row |= {"age": age, "radius": radius, "mas": mas, "best_answer": best}
        for epoch, (answer, confidence, score, status) in enumerate(answers, 1):
            reply = {"answer": answer, "confidence": confidence, "score": score, "status": status}
            rows.append({**row, "epoch": epoch, **reply})
    return pd.DataFrame(rows)


WORKED = worked_example()


def rows_of(finer_rows: pd.DataFrame, metric: str, **parts: str) -> list[dict[str, Any]]:
    """The rows of a metric whose condition has those parts."""
    chosen = with_parts(
        finer_rows[finer_rows["metric"] == metric], [*parts, "bin", "age", "sex", "item"]
    )
    for name, value in parts.items():
        chosen = chosen[chosen[name] == value]
    return frame_rows(chosen)


@pytest.fixture(scope="module")
def finer_rows() -> pd.DataFrame:
    """The finer rows of the worked judgments."""
    return detail(WORKED)


def test_bins_of_true_probability_by_hand(finer_rows: pd.DataFrame) -> None:
    """Five judgments are read: .4 (conf .6), .5 (.8), .55 (.2), .6 (.7) and .95 (1)."""
    truth = rows_by(rows_of(finer_rows, "truth_bin_probability", radius=""), "bin")
    confidence = rows_by(rows_of(finer_rows, "truth_bin_confidence", radius=""), "bin")
    expected = {
        "0.4-0.5": (0.4, 0.6, 1),
        "0.5-0.6": ((0.5 + 0.55) / 2, (0.8 + 0.2) / 2, 2),
        "0.6-0.7": (0.6, 0.7, 1),
        "0.9-1": (0.95, 1.0, 1),
    }
    assert set(truth) == set(confidence) == set(expected)
    for name, (probability, mean, n) in expected.items():
        assert truth[name]["value"] == pytest.approx(probability, abs=1e-12)
        assert confidence[name]["value"] == pytest.approx(mean, abs=1e-12)
        assert truth[name]["n"] == confidence[name]["n"] == n
        left_out = "5 of 10 judgments left out: 1 ambiguous, 3 refusal, 1 sample_error"
        assert left_out in truth[name]["note"]
        assert left_out in confidence[name]["note"]
        assert truth[name]["asked"] == confidence[name]["asked"] == 10
        assert isnan(confidence[name]["ci_low"])
        assert isnan(confidence[name]["ci_high"])
        assert "no interval: neighbouring ages are alike" in confidence[name]["note"]


def test_bins_and_items_by_hand(finer_rows: pd.DataFrame) -> None:
    """Of radius 20 is C's first judgment; bins of truth and of confidence, items, and edges."""
    (first_judgment,) = rows_of(finer_rows, "truth_bin_confidence", radius="20")
    assert (first_judgment["bin"], first_judgment["value"], first_judgment["n"]) == (
        "0.9-1",
        1.0,
        1,
    )
    radius_rows = rows_by(rows_of(finer_rows, "truth_bin_confidence", radius="5"), "bin")
    assert values_by_key(radius_rows, "n") == {"0.4-0.5": 1, "0.5-0.6": 2, "0.6-0.7": 1}
    one = detail(WORKED[WORKED["radius"] == 5])
    assert set(column_of(rows_of(one, "truth_bin_confidence", radius="5"), "radius")) == {"5"}
    assert not rows_of(one, "truth_bin_confidence", radius="")  # it would be the same again
    # Of radius 5: confidences .2, .6, .7 and .8 in bins of their own; 1 has the eleventh.
    bins = rows_by(rows_of(finer_rows, "bin_accuracy", radius="5"), "bin")
    assert values_by_key(bins) == pytest.approx(
        {"0.2-0.3": 0.55, "0.6-0.7": 0.4, "0.7-0.8": 0.6, "0.8-0.9": 0.5}
    )
    (top,) = rows_of(finer_rows, "bin_accuracy", radius="20")
    assert (top["bin"], top["value"]) == ("1", 0.95)
    assert top["note"].startswith("no interval: too few ages in a bin; 1 of 2")
    # A: (.3 + .2) / 2; B: .1; C: .05, its ambiguous confidence not counting; E: -.35.
    items = rows_by(rows_of(with_radius(finer_rows), "item_overconfidence"), "item")
    expected = {"A": (0.25, 2), "B": (0.1, 1), "C": (0.05, 1), "D": (nan, 0), "E": (-0.35, 1)}
    assert set(items) == set(expected)
    for name, (value, n) in expected.items():
        assert items[name]["value"] == pytest.approx(value, abs=1e-12, nan_ok=True)
        assert items[name]["n"] == n
    difficulty = with_parts(pd.DataFrame(list(items.values())), ["difficulty"])["difficulty"]
    difficulties = {"A": "0.5", "B": "0.4", "C": "0.05", "D": "0.45", "E": "0.45"}
    assert dict(zip(items, difficulty, strict=True)) == difficulties
    assert items["C"]["radius"] == "20"
    assert items["C"]["note"] == "1 of 2 judgments left out: 1 ambiguous"
    assert items["D"]["note"].startswith("undefined: no readable judgment; 2 of 2")
    # Each LifeEval figure but that of results finds rows; each metric of its own is described.
    for spec in FIGURES:
        if spec.task != "life_eval" or spec.plot == "overconfidence":
            continue
        figure_rows = finer_rows[finer_rows["metric"].isin(spec.metrics)]
        keep = spec.keep or (lambda _: True)
        is_kept = [keep(Condition.read(text)) for text in figure_rows["condition"]]
        assert np.sum(is_kept) >= spec.needs, spec.plot
    described = {"truth_bin_probability", "truth_bin_confidence", "item_overconfidence"}
    assert described <= set(finer_rows["metric"]) & set(METRICS)
    assert not record_table(HEADLINES).duplicated(["task", "metric"]).any()


def test_questions_by_hand(finer_rows: pd.DataFrame) -> None:
    """Confidence beside true probability, means over epochs; what could be scored, of no model."""
    # A: (.8 + .6) / 2 at (.5 + .4) / 2; of C and E one judgment is read, of D none.
    items = with_parts(
        finer_rows[finer_rows["metric"] == "item_confidence"], ["item", "probability", "radius"]
    )
    numbers = items.astype({"probability": float}).set_index("item")
    expected = {"A": (0.7, 0.45, 2), "B": (0.7, 0.6, 1), "C": (1.0, 0.95, 1), "E": (0.2, 0.55, 1)}
    assert sorted(numbers.index) == list(expected)
    for name, values in expected.items():
        assert tuple(numbers.loc[name, ["value", "probability", "n"]]) == pytest.approx(values)
    two_models = detail(pd.concat([WORKED, WORKED.assign(model="other")], ignore_index=True))
    best = two_models[two_models["metric"] == "maximum_achievable_score"]
    assert set(best["model"]) == {"no model"}
    assert dict(zip(best["condition"], best["value"], strict=True)) == {
        "age=40;radius=5;sex=female": 0.6,
        "age=40;radius=5;sex=male": 0.5,
        "age=50;radius=5;sex=male": 0.55,
        "age=60;radius=5;sex=male": 0.55,
        "age=40;radius=20;sex=male": 0.95,
    }


def test_ends_and_edges_of_bins() -> None:
    """0.1 + 0.2, a little above 0.3, and 0.3 lie in one bin; 1 lies in the last, 0 in the first."""
    scores = [0.1 + 0.2, 0.3, 0.3 - 1e-12, 1.0, 0.0]
    rows = pd.DataFrame(
        {
            **{"task": "life_eval", "item": list("abcde"), "age": 40, "radius": 5},
            **{"confidence": 0.5, "score": scores},
        }
    )
    bins = rows_by(rows_of(detail(rows), "truth_bin_confidence"), "bin")
    assert values_by_key(bins, "n") == {"0.3-0.4": 3, "0.9-1": 1, "0-0.1": 1}


def test_answers_by_age_by_hand(finer_rows: pd.DataFrame) -> None:
    """Means over epochs of what was read; the best answer is known whatever was replied."""
    answers = by_person(rows_of(with_radius(finer_rows), "mean_answer"))
    best = by_person(rows_of(with_radius(finer_rows), "mean_best_answer"))
    expected = {
        ("5", "male", "40"): (79.0, 2, 80),
        ("5", "female", "40"): (84.0, 1, 84),
        ("20", "male", "40"): (77.0, 1, 77),
        ("5", "male", "50"): (nan, 0, 81),
        ("5", "male", "60"): (82.0, 1, 82),
    }
    assert set(answers) == set(best) == set(expected)
    for key, (mean, n, optimum) in expected.items():
        assert answers[key]["value"] == pytest.approx(mean, nan_ok=True)
        assert (answers[key]["n"], best[key]["value"], best[key]["n"]) == (n, optimum, 2)
    note = answers["5", "male", "50"]["note"]
    assert note == "undefined: no readable judgment; 2 of 2 judgments left out: 2 refusal"
    left_out_note = answers["5", "female", "40"]["note"]
    assert left_out_note == "1 of 2 judgments left out: 1 refusal"
    assert answers["5", "male", "40"]["note"] == ""


def by_person(rows: list[dict[str, Any]]) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Rows by radius, sex and age."""
    return rows_by(rows, "radius", "sex", "age")


def with_radius(finer_rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with their radius for a column."""
    return with_parts(finer_rows, ["radius"])


def test_what_lacks_says_so() -> None:
    """An item without a maximum has no difficulty; windows, variants and models are apart."""
    finer_rows = detail(WORKED.assign(mas=WORKED["mas"].where(WORKED["item"] != "A")))
    (row,) = rows_of(finer_rows, "item_overconfidence", item="A")
    assert isnan(row["value"])
    assert row["note"].startswith("undefined: its maximum isn't known")
    assert "difficulty" not in Condition.read(row["condition"])
    closed = WORKED.assign(window="closed")
    finer_rows = detail(
        pd.concat([WORKED, closed, WORKED.assign(model="other")], ignore_index=True)
    )
    items = with_parts(finer_rows[finer_rows["metric"] == "item_overconfidence"], ["window"])
    counts = items.groupby(["model", "window"]).size().to_dict()
    assert counts == {("m", ""): 5, ("m", "closed"): 5, ("other", ""): 5}


def test_question_sets_by_source() -> None:
    """What is stated and what tokens say are apart; answers that are given have no type 2."""
    rows = pd.DataFrame(
        [
            ("a", "true_false", "stated", 1.0, 1.0, "ok"),
            ("b", "true_false", "stated", 0.75, 0.0, "ok"),
            ("c", "true_false", "stated", nan, nan, "refusal"),
            ("a", "true_false", "token", 0.95, 1.0, "ok"),
            ("d", "given", "stated", 0.75, 1.0, "ok"),
        ],
        columns=["item", "kind", "source", "confidence", "correct", "status"],
    ).assign(task="question_sets", model="m", dataset="own")
    finer_rows = detail(rows)
    stated_bins = rows_by(rows_of(finer_rows, "bin_accuracy", source="stated"), "bin")
    assert values_by_key(stated_bins) == {"1": 1.0, "0.7-0.8": 0.5}
    assert values_by_key(stated_bins, "n") == {"1": 1, "0.7-0.8": 2}
    assert "1 of 4 judgments left out: 1 refusal" in stated_bins["1"]["note"]
    (token,) = rows_of(finer_rows, "bin_confidence", source="token")
    assert (token["bin"], token["value"]) == ("0.9-1", 0.95)
    alarms = rows_by(rows_of(finer_rows, "type2_false_alarm_rate", source="stated"), "condition")
    rates = {"source=stated;threshold=1": 0.0, "source=stated;threshold=0.75": 1.0}
    assert values_by_key(alarms) == rates


def test_a_model_that_can_not_be_read_has_rows_that_say_so() -> None:
    """Bins of true probability are undefined, with the reason and what became of the judgments."""
    frame = pd.DataFrame(
        {
            "task": "life_eval",
            "item": ["p1", "p2", "p3"],
            "age": 30.0,
            "radius": [5.0, 5.0, 10.0],
            "confidence": float("nan"),
            "score": float("nan"),
            "status": "refusal",
        }
    )
    finer_rows = detail(frame)
    for metric in ("truth_bin_probability", "truth_bin_confidence"):
        (row,) = finer_rows[finer_rows["metric"] == metric].to_dict("records")
        assert pd.isna(row["value"])
        assert row["note"].startswith("undefined: no readable judgment")
        assert "3 refusal" in row["note"]
