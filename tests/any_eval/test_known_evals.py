"""Logs of evals of inspect_evals, made by their own scorers against a local server."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai import Epochs, Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Scorer
from inspect_ai.solver import generate
from inspect_evals.abstention_bench.utils import abstention_bench_scorer
from inspect_evals.browse_comp.browse_comp import browse_comp_scorer
from inspect_evals.hle.metrics import accuracy, attempt_preserving_mean, cerr
from inspect_evals.hle.scorers import json_judge, regex_judge
from inspect_evals.simpleqa.scorer import simpleqa_schema_tool_scorer, simpleqa_scorer
from inspect_evals.sycophancy.scorers import sycophancy_scorer
from inspect_evals.sycophancy.solvers import elicit_sycophancy
from sklearn.metrics import roc_auc_score

from build import attributes_of, only_part_in
from inspect_confidence import InvalidArgument, read_judgments, summarize, with_confidence
from inspect_confidence.headlines import headline_rows
from inspect_confidence.overview.front import front_of
from inspect_confidence.results import ResultTable
from inspect_confidence.studies import Recorded
from provider_server import ProviderServer, Reply, Request
from runs import connected, log_metrics, printed, run_task
from studies.frames import result_row, value

QUICK = ("--resamples", "50")


@dataclass(frozen=True)
class GradedQuestion:
    """How a question is answered: `grade` C, I or N, or "" if the judge fails; its confidence.

    None is a reply that states no confidence; `empty` is one without any text.
    """

    grade: str
    confidence: int | None
    empty: bool = False


def graded(grade: str, *confidences: int | None) -> list[GradedQuestion]:
    """Questions with this grade, one for each confidence."""
    return [GradedQuestion(grade, confidence) for confidence in confidences]


QUESTIONS = [
    *graded("C", 95, 90, 90, 80, 85, 60, 70, 100, 99, 75),
    *graded("I", 90, 40, 50, 80, 30, 20, 70, 100, 55, 65),
    *graded("N", 100, 0, 100, 5, 100, 0, 10, 100),
    *(*graded("C", None), *graded("I", None, None)),
    *graded("", 90, 50),
]
EMPTY = GradedQuestion("I", None, empty=True)
JUDGE = "gpt-4o"
"""Model of the grader, by which its requests are told apart."""


def number_of(request: Request) -> int:
    """The number of the question that a request is about."""
    numbers = re.findall(r"Question (\d+)\?", json.dumps(request.body))
    return int(numbers[-1])


def reply_of(question: GradedQuestion) -> Reply:
    """The model's answer in the format of HLE and BrowseComp, or its confidence alone."""
    if question.empty:
        return Reply("")
    confidence_line = (
        f"\nConfidence: {question.confidence}%" if question.confidence is not None else ""
    )
    return Reply(f"Explanation: it is known.\nExact Answer: this{confidence_line}")


WORDS = {"C": "CORRECT", "I": "INCORRECT", "N": "NOT_ATTEMPTED"}


def verdict_of(request: Request, question: GradedQuestion) -> Reply:
    """The grader's reply in the form that its prompt asks for."""
    grade = question.grade
    if not grade:
        return Reply("I cannot tell.")
    if request.body.get("tools"):
        tool = request.body["tools"][0]["function"]["name"]
        return Reply(calls=[(tool, {"grade": WORDS[grade]})])
    confidence = 100 if question.confidence is None else question.confidence
    is_correct = "yes" if grade == "C" else "no"
    if request.body.get("response_format"):
        verdict = {"extracted_final_answer": "this", "reasoning": "it is", "strict": True}
        return Reply(json.dumps({**verdict, "correct": is_correct, "confidence": confidence}))
    forms = {
        "NOT_ATTEMPTED": {"C": "A", "I": "B", "N": "C"}[grade],
        "extracted_final_answer": f"extracted_final_answer: this\n\nreasoning: it is\n\n"
        f"correct: {is_correct}\n\nconfidence: {confidence}",
        "'GRADE: C'": f"It is what it is. GRADE: {'C' if grade == 'C' else 'I'}",
        "detecting abstention": f"Answer: {'Yes' if grade == 'N' else 'No'}",
        "STUDENT ANSWER": WORDS[grade],
        "admit it\N{RIGHT SINGLE QUOTATION MARK}s made": "n" if (confidence or 0) > 50 else "y",
    }
    return Reply(forms[only_part_in(request.prompt, forms)])


class KnownEvalRun:
    """A task of some questions, run against a local server that answers and grades."""

    def __init__(self, folder: Path, questions: list[GradedQuestion]) -> None:
        self.folder, self.questions = folder, questions

    def answer(self, request: Request) -> Reply:
        """Reply as the model or, to the judge's requests, as the grader."""
        question = self.questions[number_of(request)]
        if request.body["model"] == JUDGE:
            return verdict_of(request, question)
        if "how likely" in request.prompt.lower() or "confiden" in request.prompt.lower():
            return Reply(f"Confidence: {question.confidence}")
        return reply_of(question)

    def task(self, name: str, scorer: Scorer, **settings: Any) -> Task:
        """A task under the name of its eval."""
        dataset = []
        for number, question in enumerate(self.questions):
            metadata = {"abstention_label": question.grade == "N", "ref_answer": "[]"}
            text = f"Question {number}?"
            dataset.append(Sample(text, target="this", id=f"q{number}", metadata=metadata))
        plain = {"dataset": dataset, "name": name, "solver": generate(), "scorer": scorer}
        return Task(**{**plain, **settings})

    def run(self, build: Any, **options: Any) -> EvalLog:
        """Run the task that `build` makes of this run and a judge."""
        with ProviderServer(self.answer) as server:
            judge = connected(server, f"openai/{JUDGE}")
            task = build(self, judge)
            log = run_task(task, server, self.folder, model_roles={"grader": judge}, **options)
        assert not server.errors, server.errors
        assert log.status == "success", log.error
        return log


def rows_of(folder: Path, **recorded: Any) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The judgments of a log and the notices."""
    judgments = read_judgments(folder, recorded=Recorded(**recorded))
    return judgments["any_eval"], judgments.notices


def check_shown(folder: Path, method: str, *options: object) -> None:
    """Main numbers of a method are in the terminal, in the matrix and in the leaderboard."""
    text = " ".join(printed("summarize", folder, *options, *QUICK).stdout.split())
    # The title names the method if all labels end with it.
    ending = f", {method} on 0-100"
    label_ending = "" if f"{ending}: n = " in text else ending
    for label in ("Overconfidence", "AUROC", "ECE"):
        assert re.search(rf" {label}{re.escape(label_ending)} [-+]?\d", text)
    results = summarize(read_judgments(folder), resamples=50)
    table = ResultTable.from_frame(results)
    assert {"overconfidence", "auroc", "ece"} <= set(headline_rows(table).values("metric"))
    front = front_of(table, list(results["model"].unique()))
    assert front is not None
    assert {"overconfidence", "auroc", "ece"} <= set(attributes_of(front.matrix.columns, "metric"))
    board = folder / "board"
    printed("export", folder, *options, "--format", "leaderboard", "-o", board, *QUICK)
    assert f"### AUROC, {method} on 0-100" in (board / "leaderboard.md").read_text("utf-8")


SIMPLEQA: dict[str, Callable[[], Scorer]] = {
    "tool": simpleqa_schema_tool_scorer,
    "original": simpleqa_scorer,
}


@pytest.mark.parametrize(
    ("scorer", "name", "epochs"),
    [
        ("tool", "simpleqa", 2),
        ("original", "simpleqa", 1),
        pytest.param("tool", "simpleqa_verified", 1, marks=pytest.mark.slow),
    ],
)
def test_simpleqa_has_its_three_grades(scorer: str, name: str, epochs: int, tmp_path: Path) -> None:
    """Declined answers are in no calibration, and attempted share and F are those of the log."""
    questions = [question for question in QUESTIONS if question.confidence is not None]
    if scorer == "original":  # which takes a failed judge for a declined answer
        questions = [question for question in questions if question.grade]
    run = KnownEvalRun(tmp_path, questions)
    log = run.run(
        lambda quiz, judge: with_confidence(quiz.task(name, SIMPLEQA[scorer]()), ways="stated"),
        epochs=epochs,
    )
    frame, _ = rows_of(tmp_path)
    rows = frame[frame["method"] == "stated"]
    grades = Counter(attributes_of(questions, "grade"))
    expected = {"ok": grades["C"] + grades["I"], "declined": grades["N"]}
    if grades[""]:
        expected["grader_failed"] = grades[""]
    counts = {status: epochs * count for status, count in expected.items()}
    assert rows["status"].value_counts().to_dict() == counts
    assert rows.loc[rows["status"] == "declined", "correct"].isna().all()
    results = summarize(read_judgments(tmp_path), resamples=50)
    condition = "method=stated;scale=0-100"
    attempts = [question for question in questions if question.grade in ("C", "I")]
    outcome = [float(question.grade == "C") for question in attempts]
    confidences = attributes_of(attempts, "confidence")
    assert value(results, condition, "auroc") == pytest.approx(roc_auc_score(outcome, confidences))
    assert value(results, condition, "attempted_share") == pytest.approx(20 / 28)
    assert value(results, condition, "accuracy_given_attempted") == pytest.approx(1 / 2)
    if scorer == "original":
        f_score = log_metrics(log)["f_score"]
        assert value(results, condition, "f_score") == pytest.approx(f_score)
    text = printed("summarize", tmp_path, "--study", "any_eval", *QUICK).stdout
    assert "Answered and declined" in text
    assert f"{8 * epochs} declined" in text
    check_shown(tmp_path, "stated")


HLE: dict[str, Callable[[], Scorer]] = {
    "regex_judge": lambda: regex_judge("regex_judge_template", "regex_judge_instructions"),
    "json_judge": lambda: json_judge("json_judge"),
}
GRADED = [question for question in QUESTIONS if question.grade != "N"]


def hle_task(name: str, run: KnownEvalRun, metrics: bool = True) -> Task:
    """A task of HLE's judge and metrics."""
    return run.task(
        "hle",
        HLE[name](),
        metrics=[accuracy(), cerr()] if metrics else None,
        epochs=Epochs(1, attempt_preserving_mean()),
    )


@pytest.mark.parametrize("name", HLE)
def test_hle_is_read_unaided_with_its_own_error(name: str, tmp_path: Path) -> None:
    """Failures of the judge are counted; imputed confidences have a notice; errors are equal."""
    run = KnownEvalRun(tmp_path, GRADED)
    log = run.run(lambda quiz, judge: hle_task(name, quiz))
    frame, notices = rows_of(tmp_path)
    (method,) = frame["method"].unique()
    assert method.endswith(f"{name}.value.confidence")
    assert frame["status"].value_counts().to_dict() == {"ok": 23, "grader_failed": 2}
    assert set(zip(frame["low"], frame["high"], strict=True)) == {(0, 100)}
    assert "3 of 25 confidences are the eval's own, which writes 100" in " ".join(notices)
    assert log.results
    expected = log.results.scores[0].metrics["hle/cerr"].value
    results = summarize(read_judgments(tmp_path), resamples=50)
    condition = f"method={method};scale=0-100"
    error = result_row(results, condition, "hle_calibration_error")
    assert error["value"] == pytest.approx(expected, abs=1e-12)
    assert "2 grader_failed" in error["note"]
    assert value(results, condition, "accuracy") == pytest.approx(11 / 23)
    dropped = result_row(results, f"{condition};top_bin=dropped", "hle_calibration_error")
    assert dropped["note"].startswith("undefined")
    check_shown(tmp_path, method)


def test_an_empty_reply_to_hle_is_no_confidence_of_100(tmp_path: Path) -> None:
    """Its judge gives it 100 without a call; it is a wrong answer without a confidence."""
    run = KnownEvalRun(tmp_path, [*GRADED, EMPTY, EMPTY])
    run.run(lambda quiz, judge: hle_task("regex_judge", quiz))
    frame, _ = rows_of(tmp_path)
    empty = frame[frame["status"] == "no_response"]
    assert len(empty) == 2
    assert empty["correct"].tolist() == [0, 0]
    assert empty["confidence"].isna().all()


@pytest.mark.slow
def test_browse_comp_is_read_unaided(tmp_path: Path) -> None:
    """A judge's failure is a wrong answer there, as in the eval's own error."""
    run = KnownEvalRun(tmp_path, GRADED)
    log = run.run(lambda quiz, judge: quiz.task("browse_comp", browse_comp_scorer(judge)))
    frame, notices = rows_of(tmp_path)
    method = "browse_comp_scorer.value.confidence"
    assert set(frame["method"]) == {method}
    assert set(frame["status"]) == {"ok"}
    assert frame["correct"].mean() == pytest.approx(11 / 25)
    assert "confidences are the eval's own, which writes 100" in " ".join(notices)
    assert log.results
    metrics = log.results.scores[0].metrics
    results = summarize(read_judgments(tmp_path), resamples=50)
    condition = f"method={method};scale=0-100"
    accuracy_of_log = next(score.value for key, score in metrics.items() if "accuracy" in key)
    assert value(results, condition, "accuracy") == pytest.approx(accuracy_of_log)
    check_shown(tmp_path, method)


@pytest.mark.parametrize(
    ("score", "field"),
    [
        (None, ()),
        ("sycophancy_scorer.original_answer", ("sycophancy_scorer.value.confidence",)),
        pytest.param("sycophancy_scorer.original_answer", (), marks=pytest.mark.slow),
        pytest.param(None, ("sycophancy_scorer.value.confidence",), marks=pytest.mark.slow),
    ],
)
def test_the_verdict_of_sycophancy_is_no_confidence(
    score: str | None, field: tuple[str, ...], tmp_path: Path
) -> None:
    """Neither found by its name nor named; the reason says what it is."""
    run = KnownEvalRun(
        tmp_path, [question for question in QUESTIONS if question.grade in ("C", "I")]
    )
    run.run(
        lambda quiz, judge: quiz.task(
            "sycophancy", sycophancy_scorer(judge), solver=[generate(), elicit_sycophancy()]
        )
    )
    with pytest.raises(InvalidArgument, match="it is 1 where the model was right and stood by"):
        rows_of(tmp_path, score=score, confidence=field)
    # Epochs or other fields of the log are still there.
    frame, notices = rows_of(
        tmp_path,
        score="sycophancy_scorer.original_answer",
        confidence=["sycophancy_scorer.value.confidence", "output.completion"],
        scale=(0, 100),
    )
    assert set(frame["method"]) == {"output.completion"}
    assert "it is 1 where the model was right" in " ".join(notices)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_abstention_is_no_correctness_until_a_score_is_named(tmp_path: Path) -> None:
    """Yes of AbstentionBench's judge means that the model abstained."""
    run = KnownEvalRun(tmp_path, [question for question in QUESTIONS if question.grade])
    run.run(lambda quiz, judge: quiz.task("abstention_bench", abstention_bench_scorer(judge)))
    field = {"confidence": ["output.completion"], "scale": (0, 100)}
    message = "whether the model abstained, not whether it is right: name by --score"
    with pytest.raises(InvalidArgument, match=message):
        rows_of(tmp_path, **field)
    frame, _ = rows_of(tmp_path, score="abstention_bench_scorer", **field)
    assert frame["correct"].sum() == 8
