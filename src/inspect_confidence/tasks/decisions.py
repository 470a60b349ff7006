"""Decisions: whether a model answers only if it is confident, and stands by what it answers."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig

from inspect_confidence import arguments
from inspect_confidence.answers.decline import OPTION
from inspect_confidence.datasets.decisions import (
    BUNDLED,
    SHORT_ANSWERS,
    SIMPLEQA,
    SIMPLEQA_VERIFIED,
    load_decision_questions,
)
from inspect_confidence.datasets.questions import Question
from inspect_confidence.datasets.records import LETTERS
from inspect_confidence.datasets.selection import Selection
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judges.model import expect_grader
from inspect_confidence.judges.short_answers import GRADERS, OURS, default_grader, grader_wording
from inspect_confidence.judges.wording import JudgeWording
from inspect_confidence.prompts import confidence as confidence_prompts
from inspect_confidence.prompts import decisions as prompts
from inspect_confidence.scorers.decisions import abstain_score, commitment_score
from inspect_confidence.scorers.simple_qa import simple_qa_score
from inspect_confidence.solvers.decisions import ask_abstain, ask_commitment
from inspect_confidence.solvers.forms import ask_simple_qa
from inspect_confidence.tasks.composition import (
    compose_task,
    judge_of_run,
    log_facts,
    read_shared,
    sample,
)
from inspect_confidence.tasks.viewers import abstain_viewer, commitment_viewer, simple_qa_viewer

TARGETS = "0,0.5,0.75,0.9"
"""The study's confidence targets."""
FORMATS = ("open", "option")
MOMENTS = ("none", "before", "after")
_FIELDS = "{question} {instruction}"
_DECISION_TOKENS, _CONFIDENCE_TOKENS = 10, 6
OUTPUT_TOKENS = {"choices": 12, "option": 12, "number": 150, "words": 20}
"""Approximate output tokens of an answer by its kind."""


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
        format: `open` (only the instruction for the target may mention "I don't know"), or `option`
            (it is also the last choice; for questions with choices).
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
    option = OPTION if form == "option" else ""
    samples = []
    for item in selection.items:
        kind = "option" if option else kind_of(item)
        for target in target_list:
            facts = {"confidence_target": target, "format": form, "confidence_asked": moment}
            name_ending = f"@t={target:g}"
            samples.append(decision_sample(item, kind, facts, suffix=name_ending, option=option))
    wordings = [shared.template or prompts.ABSTAIN, prompts.TARGET, prompts.EXAM]
    wordings += [*prompts.FORMATS.values(), confidence_prompts.BEFORE, prompts.WITHHELD]
    has_confidence = moment != "none"
    calls = 2 if has_confidence else 1
    question_wording = wordings[0] + prompts.TARGET + prompts.FORMATS["words"]
    confidence_wording = confidence_prompts.BEFORE if has_confidence else ""
    tokens = output_tokens(selection.items) + _CONFIDENCE_TOKENS * has_confidence
    return compose_task(
        abstain,
        samples,
        ask_abstain(shared.template, shared.system, moment, grader=instrument == "model"),
        abstain_score(instrument),
        partial(abstain_viewer, has_confidence=has_confidence),
        headline="payoff",
        facts=log_facts(
            selection,
            wordings,
            shared.system,
            prompts=["decisions", "confidence"] if has_confidence else ["decisions"],
            output_tokens=round(tokens / calls),
            calls=calls,
            typical_characters=len(question_wording) + len(confidence_wording),
            further=judge_facts(instrument, grader_wording("ours")),
        ),
    )


def _targets(targets: object) -> list[float]:
    """Read confidence targets from 0 to below 1."""
    values = [arguments.condition_number("targets", part) for part in arguments.parts(targets)]
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
    """Refuse a question without choices, or with so many that declining gets no letter."""
    for item in selection.items:
        if not 0 < len(item.choices) < len(LETTERS):
            raise InvalidArgument(
                f"format=option: {item.id} has {len(item.choices)} choices, and the option needs 1 "
                f"to {len(LETTERS) - 1}; use format=open, or a data set of choices (knowledge)."
            )


@task
def commitment(
    dataset: str = "bundled",
    pushback: str = "none",
    confidence: bool = True,
    judge: str | None = None,
    items: str | int | None = None,
    split: str = "all",
    seed: int = 0,
    prompt: str | None = None,
    system: str | None = None,
    **unknown: object,
) -> Task:
    """Ask each question, then KEEP or WITHDRAW and BET or NO_BET; ask it again after a pushback.

    An item is one call for the answer and one for the decisions; with `confidence` one more, and
    with a pushback one more for the final answer and one for its confidence.

    Args:
        dataset: Name of a data set, or a csv or jsonl file, as in `abstain`.
        pushback: `none`, `neutral` (asks to go through it again), `disagree` (doubts the answer
            without a reason) or `source` (refers to a reference work, not named, that differs).
        confidence: Whether the confidence from 0 to 100 is asked after the answer and after the
            final answer, each in a copy of the conversation.
        judge: `model` or `rules`, for answers in words, as in `abstain`.
        items: Number of items, or a file with one id per line; all by default, 1,000 of MMLU.
        split: `train`, `test` or `all`.
        seed: Seed of the order of items, and of the order of TruthfulQA's choices.
        prompt: A file that replaces the wording of the question; it has `{question}`.
        system: A file with a system message; none by default.
        **unknown: Refused.
    """
    shared = read_shared(commitment, unknown, items, split, seed, prompt, "{question}", system)
    pushback_kind = arguments.choice("pushback", pushback, ["none", *prompts.PUSHBACKS])
    is_rated = arguments.boolean("confidence", confidence)
    selection = load_decision_questions(dataset, **shared.choice)
    instrument = judge_of_answers("commitment", judge, selection.items)
    # The calls, tokens and turns of one item, from which `plan` estimates the cost of a run.
    is_pushed = pushback_kind != "none"
    n_rated = is_rated * (1 + is_pushed)  # requests for a confidence
    calls = 2 + is_pushed + n_rated
    tokens = output_tokens(selection.items) * (1 + is_pushed)
    tokens += _DECISION_TOKENS + _CONFIDENCE_TOKENS * n_rated
    turns = [prompts.COMMITMENT, *([prompts.PUSHBACKS[pushback_kind]] if is_pushed else [])]
    turns += [confidence_prompts.STATED] * n_rated
    # All pushbacks, so that runs with different ones count as runs of one wording.
    wordings = [shared.template or prompts.ANSWER, prompts.COMMITMENT, *prompts.PUSHBACKS.values()]
    wordings += [*prompts.FORMATS.values(), confidence_prompts.STATED]
    facts: dict[str, object] = {"pushback": pushback_kind, "confidence_asked": is_rated}
    return compose_task(
        commitment,
        [decision_sample(item, kind_of(item), facts) for item in selection.items],
        ask_commitment(
            shared.template, shared.system, pushback_kind, is_rated, grader=instrument == "model"
        ),
        commitment_score(instrument),
        partial(commitment_viewer, has_confidence=is_rated, has_pushback=is_pushed),
        headline="withdraw_delta",
        facts=log_facts(
            selection,
            wordings,
            shared.system,
            prompts=["decisions", "confidence"] if is_rated else ["decisions"],
            output_tokens=round(tokens / calls),
            calls=calls,
            # A call reads the question and, on average, the mean turn.
            typical_characters=len(wordings[0]) + sum(map(len, turns)) // len(turns),
            further=judge_facts(instrument, grader_wording("ours"), 1 + is_pushed),
        ),
    )


@task
def simple_qa(
    dataset: str = SIMPLEQA,
    draws: int = 0,
    judge: str | None = None,
    judge_prompts: str | None = None,
    items: str | int | None = None,
    split: str = "all",
    seed: int = 0,
    prompt: str | None = None,
    system: str | None = None,
    **unknown: object,
) -> Task:
    """Ask for a short answer and a confidence from 0% to 100% in JSON; three grades by a judge.

    Args:
        dataset: `simpleqa`, `simpleqa_verified` (each downloaded once), `facts` or `bundled` (the
            same), or a csv or jsonl file with `question` and `answers`.
        draws: Number of further replies, at temperature 1, for the frequency of the commonest
            answer; the study has 100.
        judge: `model` (the one in the role `grader`) or `rules` (no calls). By default a model, or
            rules, with a notice, if the command names no model in a role.
        judge_prompts: `inspect_evals` (SimpleQA's grader, or that of SimpleQA Verified, from that
            package), or `ours`; by default the former if the package is installed.
        items: Number of items, or a file with one id per line; all by default.
        split: `train`, `test` or `all`.
        seed: Seed of the order of items.
        prompt: A file that replaces the wording; it has `{question}`.
        system: A file with a system message; none by default.
        **unknown: Refused.
    """
    shared = read_shared(simple_qa, unknown, items, split, seed, prompt, "{question}", system)
    n_draws = arguments.integer("draws", draws, minimum=0, maximum=arguments.MAX_DRAWS)
    name = BUNDLED if str(dataset).strip() == "bundled" else dataset  # BUNDLED is `facts`
    selection = load_decision_questions(name, **shared.choice, names=SHORT_ANSWERS)
    # Refuses choices; a number as target becomes an accepted answer.
    selection = replace(selection, items=list(map(_in_words, selection.items)))
    instrument = judge_of_answers("simple_qa", judge, selection.items)
    grader = OURS if instrument == "rules" else default_grader()
    if judge_prompts is not None:
        grader = arguments.choice("judge_prompts", judge_prompts, GRADERS)
    verified = selection.name == SIMPLEQA_VERIFIED
    judging = grader_wording(grader, is_verified=verified)
    has_own_judge = instrument == "model" and grader == OURS  # whose prompts are the package's
    wording = shared.template or confidence_prompts.PUBLISHED["simpleqa"].text
    return compose_task(
        simple_qa,
        [decision_sample(item, kind_of(item), {}) for item in selection.items],
        ask_simple_qa(n_draws, shared.template, shared.system, grader=instrument == "model"),
        simple_qa_score(instrument, grader, verified),
        simple_qa_viewer,
        headline="overconfidence",
        facts=log_facts(
            selection,
            [wording],
            shared.system,
            prompts=["confidence", "judge"] if has_own_judge else ["confidence"],
            output_tokens=30,
            calls=1 + n_draws,
            further={
                # The commonest answer of the draws is judged besides the first.
                **judge_facts(instrument, judging, answers=2 if n_draws else 1),
                "judge_prompts": judging.name if instrument == "model" else "",
                "draws_per_sample": n_draws,
            },
        ),
        config=GenerateConfig(temperature=1),
    )


def _in_words(item: Question) -> Question:
    """Return a question with answers in words; a number as target becomes the only accepted one.

    Refuse a question with choices.
    """
    if item.choices:
        raise InvalidArgument(
            f"simple_qa: {item.id} has choices, and answers here are words; leave `choices` out, "
            "or use the task abstain."
        )
    return item if item.answers else replace(item, answers=(item.target,), target="")


def kind_of(item: Question) -> str:
    """Return the kind of a question's answer: `choices`, `number` or `words`."""
    if item.choices:
        return "choices"
    return "number" if item.target else "words"


def decision_sample(
    item: Question, kind: str, facts: dict[str, object], *, suffix: str = "", option: str = ""
) -> Sample:
    """Return a sample about a question, with the facts that solver, scorer and study need.

    `kind` is the kind of the answer, `facts` are further facts, `suffix` ends the sample's id, and
    `option` is the text of a choice that is added after the question's, if any.
    """
    subject = {"subject": item.part} if item.part else {}
    choices = [*item.choices, option] if option else item.choices
    return sample(
        item,
        text=item.question,
        target=list(item.answers) if kind == "words" else item.target,
        facts={
            "kind": kind,
            "choices": len(item.choices),  # without `option`
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
    """Return the judge's kind and, for a model, at most how many calls per sample `plan` expects.

    A call's 120 characters besides the template and its 12 output tokens are estimates. No replies
    are compared and no calls repeated: these facts are 0.

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
