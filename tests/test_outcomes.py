"""Confidence from one log of a model and the graded answer from another, joined by sample."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState, generate

from inspect_confidence import read_judgments, summarize
from inspect_confidence.studies import Recorded
from runs import QUIET, printed
from studies.frames import value

MODEL = "mockllm/model"


def model() -> Model:
    """A model that is 80% confident whatever it is asked."""
    output = ModelOutput.from_content(MODEL, "Confidence: 80")
    output.usage = ModelUsage()
    return get_model(MODEL, custom_outputs=lambda *_: output, memoize=False)


@scorer(metrics=[accuracy()])
def graded() -> Scorer:
    """Give the grade of this epoch in the sample's metadata."""

    async def score(state: TaskState, target: Target) -> Score:
        grades = state.metadata["grades"]
        return Score(value=grades[(state.epoch - 1) % len(grades)], answer="an answer")

    return score


def write_log(folder: Path, name: str, grades: dict[str, str], epochs: int = 1) -> None:
    """Write a log of samples with these grades; without any, nothing is scored."""
    dataset = [
        Sample(input=f"Question {key}", id=key, target="x", metadata={"grades": letters})
        for key, letters in grades.items()
    ]
    scorers = [graded()] if any(grades.values()) else None
    task = Task(dataset=dataset, solver=generate(), scorer=scorers, name=name)
    (log,) = eval(task, model(), log_dir=str(folder), epochs=epochs, **QUIET)
    assert log.status == "success", log.error


FIELD = {"confidence": ["output.completion"], "scale": (0, 100)}


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Two logs: confidence of a to e, and outcomes of b to f."""
    write_log(tmp_path / "asked", "in_advance", dict.fromkeys("abcde", ""))
    write_log(tmp_path / "graded", "exam", {"b": "C", "c": "I", "d": "N", "e": "C", "f": "C"})
    return tmp_path / "asked", tmp_path / "graded"


def test_confidence_and_outcome_are_joined_by_sample(folders: tuple[Path, Path]) -> None:
    """Of five samples two are right, one wrong, one declined, and one has no outcome."""
    full_folder, outcome = folders
    recorded = Recorded(**FIELD, outcome=[str(outcome)])  # type: ignore[arg-type]
    judgments = read_judgments(full_folder, recorded=recorded)
    rows = judgments["any_eval"].set_index("item")
    assert rows["status"].to_dict() == {
        "a": "scoring_failed", "b": "ok", "c": "ok", "d": "declined", "e": "ok"
    }  # fmt: skip
    assert rows["correct"].dropna().to_dict() == {"b": 1, "c": 0, "e": 1}
    assert set(rows.loc[["b", "c", "d", "e"], "dataset"]) == {"exam"}
    notices = " ".join(judgments.notices)
    assert "1 of 5 samples with a confidence not in any log of outcomes" in notices
    assert "1 of 5 samples with an outcome left out: no confidence" in notices
    results = summarize(judgments, resamples=20)
    condition = "method=output.completion;scale=0-100"
    overconfidence = value(results, condition, "overconfidence", dataset="exam")
    assert overconfidence == pytest.approx(0.8 - 2 / 3)


def test_the_outcome_of_epochs_is_their_mean(tmp_path: Path) -> None:
    """What most epochs declined is declined; other declined epochs are left out."""
    write_log(tmp_path / "asked", "in_advance", dict.fromkeys("abc", ""), epochs=2)
    write_log(tmp_path / "graded", "exam", {"a": "CIC", "b": "NNC", "c": "CN"}, epochs=3)
    recorded = Recorded(**FIELD, outcome=[str(tmp_path / "graded")])  # type: ignore[arg-type]
    rows = read_judgments(tmp_path / "asked", recorded=recorded)["any_eval"]
    assert len(rows) == 6
    assert rows.groupby("item")["status"].first().to_dict() == {
        "a": "ok", "b": "declined", "c": "ok"
    }  # fmt: skip
    correct = rows.dropna(subset=["correct"]).groupby("item")["correct"].first().to_dict()
    assert correct == {"a": pytest.approx(2 / 3), "c": 1}


def test_the_command_line_takes_outcomes(folders: tuple[Path, Path]) -> None:
    """`summarize --outcome LOGS` gives accuracy of the other log."""
    full_folder, outcome = folders
    words = ("--confidence-from", "output.completion", "--confidence-scale", "0-100")
    done = printed(
        *("summarize", full_folder, *words, "--outcome", outcome, "--resamples", "20", "--json")
    )
    rows = {row["metric"]: row for row in json.loads(done.stdout) if row["dataset"] == "exam"}
    assert rows["accuracy"]["value"] == pytest.approx(2 / 3)
    assert rows["attempted_share"]["value"] == pytest.approx(3 / 4)
