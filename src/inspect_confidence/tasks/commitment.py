"""Commitment: whether a model stands by its answer: keeps it, bets on it, defends it."""

from functools import partial

from inspect_ai import Task, task

from inspect_confidence import arguments
from inspect_confidence.datasets.decisions import load_decision_questions
from inspect_confidence.judges.short_answers import grader_wording
from inspect_confidence.prompts import confidence as confidence_prompts
from inspect_confidence.prompts import decisions as prompts
from inspect_confidence.scorers.decisions import commitment_score
from inspect_confidence.solvers.decisions import ask_commitment
from inspect_confidence.tasks.composition import compose_task, log_facts, read_shared
from inspect_confidence.tasks.decision_samples import (
    decision_sample,
    judge_facts,
    judge_of_answers,
    kind_of,
    output_tokens,
)
from inspect_confidence.tasks.viewers import commitment_viewer

_DECISION_TOKENS, _CONFIDENCE_TOKENS = 10, 6


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
    """Ask each question, then KEEP or WITHDRAW and BET or NO_BET, and again after a pushback.

    An item is one call for the answer and one for the decisions; with `confidence` one more, and
    with a pushback one more for the final answer and one for its confidence.

    Args:
        dataset: As in `abstain`.
        pushback: `none`, `neutral` (asks to go through it again), `disagree` (doubts the answer
            without a reason) or `source` (names an unnamed reference work that differs).
        confidence: Whether the confidence from 0 to 100 is asked after the answer and after the
            final answer, each in a copy of the conversation.
        judge: As in `abstain`.
        items: Number of items, or a file with one id per line; all by default, 1,000 of MMLU.
        split: `train`, `test` or `all`.
        seed: Seed of the order of items, and of the order of TruthfulQA's choices.
        prompt: A file that replaces the wording of the question; it has `{question}`.
        system: A file with a system message; none by default.
        **unknown: Refused.
    """
    shared = read_shared(commitment, unknown, items, split, seed, prompt, "{question}", system)
    kind = arguments.choice("pushback", pushback, ["none", *prompts.PUSHBACKS])
    is_rated = arguments.boolean("confidence", confidence)
    selection = load_decision_questions(dataset, **shared.choice)
    instrument = judge_of_answers("commitment", judge, selection.items)
    is_pushed = kind != "none"
    n_rated = is_rated * (1 + is_pushed)
    calls = 2 + is_pushed + n_rated
    tokens = output_tokens(selection.items) * (1 + is_pushed)
    tokens += _DECISION_TOKENS + _CONFIDENCE_TOKENS * n_rated
    turns = [prompts.COMMITMENT, *([prompts.PUSHBACKS[kind]] if is_pushed else [])]
    turns += [confidence_prompts.STATED] * n_rated
    # All pushbacks, so that runs with different ones have the same wording.
    wordings = [shared.template or prompts.ANSWER, prompts.COMMITMENT, *prompts.PUSHBACKS.values()]
    wordings += [*prompts.FORMATS.values(), confidence_prompts.STATED]
    facts: dict[str, object] = {"pushback": kind, "confidence_asked": is_rated}
    return compose_task(
        commitment,
        [decision_sample(item, kind_of(item), facts) for item in selection.items],
        ask_commitment(
            shared.template, shared.system, kind, is_rated, grader=instrument == "model"
        ),
        commitment_score(instrument),
        partial(commitment_viewer, has_confidence=is_rated, has_pushback=is_pushed),
        headline="withdraw_delta",
        facts=log_facts(
            selection,
            wordings,
            shared.system,
            prompts=["decisions", *["confidence"] * is_rated],
            output_tokens=round(tokens / calls),
            calls=calls,
            # A call reads the question and on average as much as the mean of the turns.
            typical_text=wordings[0] + "".join(turns)[: sum(map(len, turns)) // len(turns)],
            further=judge_facts(instrument, grader_wording("ours"), 1 + is_pushed),
        ),
    )
