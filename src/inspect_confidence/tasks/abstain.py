"""Abstain: whether a model answers only if it is confident enough, under stated targets."""

from functools import partial

from inspect_ai import Task, task

from inspect_confidence import arguments
from inspect_confidence.answers.decline import OPTION
from inspect_confidence.datasets.decisions import load_decision_questions
from inspect_confidence.datasets.questions import Question
from inspect_confidence.datasets.records import LETTERS
from inspect_confidence.datasets.selection import Selection
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judges.short_answers import grader_wording
from inspect_confidence.prompts import confidence as confidence_prompts
from inspect_confidence.prompts import decisions as prompts
from inspect_confidence.scorers.decisions import abstain_score
from inspect_confidence.solvers.decisions import ask_abstain
from inspect_confidence.tasks.composition import compose_task, log_facts, read_shared
from inspect_confidence.tasks.decision_samples import (
    decision_sample,
    judge_facts,
    judge_of_answers,
    kind_of,
    output_tokens,
)
from inspect_confidence.tasks.viewers import abstain_viewer

TARGETS = "0,0.5,0.75,0.9"
"""The study's confidence targets."""
FORMATS = ("open", "option")
MOMENTS = ("none", "before", "after")
_FIELDS = "{question} {instruction}"
_CONFIDENCE_TOKENS = 6


@task
def abstain(
    dataset: str = "bundled",
    targets: str | float | list[float] = TARGETS,
    format: str = "open",  # reads well on the command line
    confidence: str = "none",
    judge: str | None = None,
    items: str | int | None = None,
    split: str = "all",
    seed: int = 0,
    prompt: str | None = None,
    system: str | None = None,
    **unknown: object,
) -> Task:
    """Ask each question under each confidence target, in one call, where declining costs nothing.

    Args:
        dataset: `bundled` or one of its parts (`knowledge`, `misconceptions`, `word_problems`),
            `facts`, `mmlu` (1,000 items), `gsm8k`, `truthfulqa`, `selfaware`, `simpleqa`,
            `simpleqa_verified` (each downloaded once), or a csv or jsonl file with `question` and,
            by the kind of answer, `choices` and `target`, a number as `target`, or `answers`.
        targets: Confidence targets t from 0 to below 1, with commas: a wrong answer costs
            t / (1 - t) points. At 0 the model is told to guess.
        format: `open` (to say "I don't know" is the model's own idea of the instruction), or
            `option` (it is also the last choice; for questions with choices).
        confidence: `none`, or a second call that asks for the confidence in a conversation of its
            own: `before` (with the question alone) or `after` (with the answer, or that it was
            declined).
        judge: Of answers in words: `model` (the one in the role `grader`) or `rules` (no calls). By
            default a model, or rules, with a notice, if the command names no model in a role.
        items: Number of items, or a file with one id per line; all by default, 1,000 of MMLU.
        split: `train`, `test` or `all`.
        seed: Seed of the order of items, and of the order of TruthfulQA's choices.
        prompt: A file that replaces the wording; it has `{question}` and `{instruction}`.
        system: A file with a system message; none by default.
        **unknown: Refused.
    """
    shared = read_shared(abstain, unknown, items, split, seed, prompt, _FIELDS, system)
    target_list = _targets(targets)
    form = arguments.choice("format", format, FORMATS)
    moment = arguments.choice("confidence", confidence, MOMENTS)
    selection = load_decision_questions(dataset, **shared.choice)
    if form == "option":
        _require_choices(selection)
    instrument = judge_of_answers("abstain", judge, selection.items)
    samples = []
    for item in selection.items:
        kind = "option" if form == "option" else kind_of(item)
        for target in target_list:
            samples.append(
                decision_sample(
                    item,
                    kind,
                    {"confidence_target": target, "format": form, "confidence_asked": moment},
                    suffix=f"@t={target:g}",
                    option=OPTION if form == "option" else "",
                )
            )
    wordings = [shared.template or prompts.ABSTAIN, prompts.TARGET, prompts.EXAM]
    wordings += [*prompts.FORMATS.values(), confidence_prompts.BEFORE, prompts.WITHHELD]
    calls = 1 if moment == "none" else 2
    confidence_wordings = [confidence_prompts.BEFORE] * (calls - 1)
    tokens = output_tokens(selection.items) + _CONFIDENCE_TOKENS * (calls - 1)
    return compose_task(
        abstain,
        samples,
        ask_abstain(shared.template, shared.system, moment, grader=instrument == "model"),
        abstain_score(instrument),
        partial(abstain_viewer, has_confidence=moment != "none"),
        headline="payoff",
        facts=log_facts(
            selection,
            wordings,
            shared.system,
            prompts=["decisions", *["confidence"] * (calls - 1)],
            output_tokens=round(tokens / calls),
            calls=calls,
            typical_text="".join(
                [wordings[0], prompts.TARGET, prompts.FORMATS["words"], *confidence_wordings]
            ),
            further=judge_facts(instrument, grader_wording("ours")),
        ),
    )


def _targets(targets: object) -> list[float]:
    """Read confidence targets from 0 to below 1."""
    values = [arguments.number("targets", part) for part in arguments.parts(targets)]
    if not values or len(set(values)) < len(values):
        raise InvalidArgument(
            f"targets={targets} is empty or names a target twice; give some such as {TARGETS}."
        )
    for value in values:
        if not 0 <= value < 1:
            raise InvalidArgument(
                f"targets={value:g} is not from 0 to below 1; give shares such as 0.75."
            )
    return values


def _require_choices(selection: Selection[Question]) -> None:
    for item in selection.items:
        if not 0 < len(item.choices) < len(LETTERS):
            raise InvalidArgument(
                f"format=option: {item.id} has {len(item.choices)} choices, and the option needs 1 "
                f"to {len(LETTERS) - 1}; use format=open, or a data set of choices (knowledge)."
            )
