"""Parts that the tasks on decisions share: kinds of answers, the judge, and its calls."""

from collections.abc import Iterable, Sequence

from inspect_ai.dataset import Sample

from inspect_confidence.datasets.questions import Question
from inspect_confidence.judges.model import expect_grader
from inspect_confidence.judges.wording import JudgeWording
from inspect_confidence.tasks.composition import sample
from inspect_confidence.tasks.judging import judge_of_run

OUTPUT_TOKENS = {"choices": 12, "option": 12, "number": 150, "words": 20}
"""Approximate output tokens of an answer by its kind."""


def kind_of(item: Question) -> str:
    """Return the kind of a question's answer: `choices`, `number` or `words`."""
    if item.choices:
        return "choices"
    return "number" if item.target else "words"


def decision_sample(
    item: Question, kind: str, facts: dict[str, object], *, suffix: str = "", option: str = ""
) -> Sample:
    """Return a sample about a question, with the facts that solver, scorer and study need.

    Args:
        item: The question.
        kind: Kind of the answer; `option` adds a choice.
        facts: Further facts of the sample.
        suffix: End of the sample's id.
        option: Text of the choice that is added.
    """
    subject = {"subject": item.part} if item.part else {}
    choices = [*item.choices, option] if option else item.choices
    return sample(
        item,
        item.question,
        list(item.answers) if kind == "words" else item.target,
        {
            "kind": kind,
            "choices": len(item.choices),
            "answerable": item.answerable,
            **facts,
            **subject,
        },
        suffix=suffix,
        choices=choices,
    )


def judge_of_answers(task: str, judge: str | None, items: Iterable[Question]) -> str:
    """Return the kind of judge, `model` or `rules`; rules if no answer is in words.

    Raises:
        InvalidArgument: A model is to judge, and the command names none.
    """
    if all(kind_of(item) != "words" for item in items):
        if judge is not None:
            judge_of_run(task, judge)  # refuses an unknown word
        return "rules"
    kind = judge_of_run(task, judge)
    if kind == "model":
        expect_grader()
    return kind


def judge_facts(judge: str, wording: JudgeWording, answers: int = 1) -> dict[str, object]:
    """Return the kind of judge, and a model's calls about a sample: at most one an answer in words.

    Args:
        judge: `model` or `rules`.
        wording: The wording for a model.
        answers: Answers of a sample that are judged.
    """
    if judge != "model":
        return {"judge": judge}
    template = wording.templates["correctness"]
    return {
        "judge": judge,
        "grader": {
            "calls": answers,
            "calls_per_reply": 0,
            "questions": answers,
            "characters": answers * (len(template) + 120),
            "characters_per_reply": 0,
            "output_tokens": 12 * answers,
            "output_tokens_per_reply": 0,
            "calls_again": 0,
            "calls_again_per_reply": 0,
            "replies": 0,
        },
    }


def output_tokens(items: Sequence[Question]) -> int:
    """Return the mean output tokens of an answer."""
    return round(sum(OUTPUT_TOKENS[kind_of(item)] for item in items) / len(items))
