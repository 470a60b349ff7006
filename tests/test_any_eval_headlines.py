"""Main numbers of any eval: every method and scale has them in terminal, matrix and leaderboard."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from build import attributes_of
from inspect_confidence import write_report
from inspect_confidence.export import export
from inspect_confidence.headlines import headline_rows
from inspect_confidence.overview.front import front_of
from inspect_confidence.results import ResultTable
from studies.frames import Row, frame, study_results

TASK = "any_eval"
METRICS = ("overconfidence", "auroc", "ece")
SCALES = {
    "stated": (0, 100),
    "before": (0, 100),
    "alone": (0, 20),
    "judge.metadata.confidence": (0, 100),
    "recorded": (1, 4),
}
SHARES = ("words", "logprob", "p_true", "consistency", "grader.value.confidence")


def method_rows(method: str, epochs: int = 1, items: int = 40) -> list[Row]:
    """Judgments of a method, one in eight unreadable; the surer, the more often right."""
    rng = np.random.default_rng(len(method))
    low, high = SCALES.get(method, (0, 1))
    rows = []
    for number in range(items):
        share = float(rng.choice([0.25, 0.5, 0.75, 1]))
        row: Row = {
            "item": f"i{number}",
            "dataset": "quiz",
            "method": method,
            "status": "refusal" if number % 8 == 0 else "ok",
            "correct": float(rng.uniform() < share),
        }
        if method in SCALES:
            row |= {"low": low, "high": high, "raw": low + share * (high - low)}
        else:
            row["confidence"] = share
        rows += [{**row, "epoch": epoch + 1} for epoch in range(epochs)]
    return rows


def report_text(judgments: dict[str, pd.DataFrame], folder: Path) -> str:
    """The text of the report's page, without its elements."""
    page = write_report(judgments, folder, resamples=50).read_text("utf-8")
    return re.sub(r"<[^>]*>", "", page)


def label_of(method: str) -> str:
    """The name of a method in labels."""
    if method not in SCALES:
        return method
    low, high = SCALES[method]
    name = "recorded answers" if method == "recorded" else method
    return f"{name} on {low}-{high}"


def sentence_of(results: pd.DataFrame) -> str:
    """The sentence on the only model."""
    front = front_of(ResultTable.from_frame(results), list(results["model"].unique()))
    assert front is not None
    ((_, sentence),) = front.sentences
    return "".join(attributes_of(sentence, "text"))


@pytest.mark.parametrize("epochs", [1, 2])
@pytest.mark.parametrize("method", [*SCALES, *SHARES])
def test_every_method_and_scale_has_main_numbers(method: str, epochs: int) -> None:
    """Terminal, matrix and sentence have the three numbers under the method's name and scale."""
    results = study_results(frame(method_rows(method, epochs), TASK), resamples=50)
    rows = headline_rows(ResultTable.from_frame(results))
    assert set(rows.values("metric")) == set(METRICS)
    assert len(rows.defined()) == len(rows)
    for label in rows.values("label"):
        assert label.endswith(f", {label_of(method)}")
    front = front_of(ResultTable.from_frame(results), list(results["model"].unique()))
    assert front is not None
    assert attributes_of(front.matrix.columns, "metric") == list(METRICS)
    assert "of the time" in sentence_of(results)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("stated", r"it states {} and is right {} of the time"),
        ("before", r"before it answers, it states {} and is right {} of the time"),
        ("alone", r"shown its answer alone, it states {} and is right {} of the time"),
        *(
            (method, rf"its confidence by {method} is {{}} and it is right {{}} of the time")
            for method in ("words", "logprob", "p_true", "consistency")
        ),
        *(
            (method, r"its confidence is {} and it is right {} of the time")
            for method in ("recorded", "judge.metadata.confidence", "grader.value.confidence")
        ),
        (
            "epochs",
            "its confidence by epochs is {} and its most frequent answer is right {} of the time",
        ),
    ],
)
def test_a_sentence_says_that_a_model_states_only_what_it_states(
    method: str, expected: str
) -> None:
    """Agreement, phrases and token probabilities give a confidence that no reply states."""
    rows = method_rows(method)
    if method == "epochs":  # completed, so that the epochs of an item are one judgment
        rows = [{**row, "draws": 4.0} for row in rows]
    text = sentence_of(study_results(frame(rows, TASK), resamples=50))
    number = r"\d+%( \[[\d., ]+\])?"
    assert re.match(expected.format(number, number), text)


@pytest.mark.parametrize("grades", [[1.0, 0.0, 1.0, 1.0], [1.0, 0.5, 1.0, 0.5]])
def test_a_mean_of_partial_grades_is_no_share_of_right_answers(grades: list[float]) -> None:
    """Both have a mean of 75%; a missing grade is no partial one, and the note counts them."""
    rows = method_rows("stated", items=21)[1:]
    for row, grade in zip(rows, [*grades, math.nan] * 4, strict=True):
        row |= {"status": "ok", "correct": grade}
    results = study_results(frame(rows, TASK), resamples=50)
    is_partial = 0.5 in grades
    verb = "scores 75% [..] on average" if is_partial else "is right 75% [..] of the time"
    sentence = re.sub(r"\[[\d., ]+\]", "[..]", sentence_of(results))
    # The confidence also counts the four judgments without a grade.
    assert f" and {verb} (any_eval on quiz, n = 16 to 20); " in sentence
    notes = results.set_index("metric")["note"]
    assert ("8 of 16 grades between 0 and 1" in notes["accuracy"]) == is_partial
    assert "grades between" not in notes["mean_confidence"]


def test_a_sentence_is_on_the_stated_confidence_if_there_are_other_methods() -> None:
    """Whichever method was asked first."""
    rows = [*method_rows("consistency"), *method_rows("before"), *method_rows("stated")]
    text = sentence_of(study_results(frame(rows, TASK), resamples=50))
    assert text.startswith("it states ")


def test_methods_come_one_after_the_other_in_the_matrix() -> None:
    """The numbers of a method stand together; fields of other values of `by` are none of them."""
    rows = [*method_rows("stated"), *method_rows("alone"), *method_rows("words")]
    for number, row in enumerate(rows):
        row["by"] = f"domain={number % 2}"
    results = study_results(frame(rows, TASK), resamples=50)
    front = front_of(ResultTable.from_frame(results), list(results["model"].unique()))
    assert front is not None
    headings = attributes_of(front.matrix.columns, "heading")
    expected = []
    for method in ("stated", "alone", "words"):
        expected += [f"{name}, {label_of(method)}" for name in ("overconfidence", "AUROC", "ECE")]
    assert sorted(headings) == sorted(expected[:8])
    assert not len(headline_rows(ResultTable.from_frame(results)).having("by"))


def test_leaderboard_and_report_show_numbers_of_a_field(tmp_path: Path) -> None:
    """A field on 0-100 has its ranking and its columns of the matrix."""
    judgments = {TASK: frame(method_rows("judge.metadata.confidence"), TASK)}
    export(judgments, "leaderboard", tmp_path, resamples=50)
    text = (tmp_path / "leaderboard.md").read_text("utf-8")
    for name in ("Overconfidence (share)", "AUROC", "ECE (share)"):
        assert f"### {name}, judge.metadata.confidence on 0-100" in text
    page = report_text(judgments, tmp_path / "report")
    assert "overconfidence, judge.metadata.confidence on 0-100" in page
    assert "No main number" not in page


def test_a_page_without_main_numbers_does_not_say_that_no_number_is_defined(tmp_path: Path) -> None:
    """Nothing but refusals: no main number, and counts are still shown."""
    rows = frame(method_rows("stated"), TASK).assign(status="refusal")
    page = report_text({TASK: rows}, tmp_path)
    assert "No main number of any study is defined; the tables below have the numbers" in page
