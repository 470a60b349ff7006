"""Decisions on the answer to any eval: whether it is withdrawn, bet on, or changed."""

import math
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass

from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Scorer, Target
from inspect_ai.solver import TaskState
from inspect_ai.util import LimitExceededError

from inspect_confidence import answers
from inspect_confidence.answers import ParseFailure
from inspect_confidence.answers.choices import SEVERAL_RIGHT, names_several
from inspect_confidence.answers.clean import clean, comparable, is_refusal
from inspect_confidence.answers.commitment import read_bet, read_keep
from inspect_confidence.grades import Grade, grade
from inspect_confidence.redaction import failure
from inspect_confidence.scorers.agreement import Rule, compare_answers
from inspect_confidence.scorers.graded import grades_of
from inspect_confidence.scorers.parsed import NAN, ParsedReply, number_of, status_of
from inspect_confidence.solvers.ask_confidence import conversation_after_pushback
from inspect_confidence.solvers.draws import Draw, shown_choices
from inspect_confidence.ways import KEEP, PUSHBACK, target_of

_KEYS = {KEEP: ("keep", "bet"), PUSHBACK: ("correct_after", "moved")}
"""Keys of the score by way; the key of `decline_0.75` is its own name."""
_LEAST_SAME_AGREEMENT = 0.5
"""Agreement from which on the final answer counts as the first one."""


def score_keys(method: str) -> Sequence[str]:
    """Return the keys of the score that hold a method's numbers."""
    return _KEYS.get(method, (method,))


@dataclass(frozen=True)
class Regrading:
    """How a final answer is graded and compared.

    Attributes:
        rule: The rule by which two answers are the same.
        scorer: The eval's scorer of answers; None if it is not at hand.
        score: The score that defines correctness, `name` or `name.key`; None for the only one.
    """

    rule: Rule
    scorer: Scorer | None = None
    score: str | None = None


def _failed_decision(method: str, problem: ParseFailure) -> ParsedReply:
    """Return a method's decisions as NaN: none could be read, for the same reason.

    The metadata has `keep_status` and `bet_status` for the method `keep`, `after_status` for
    `pushback`. Other methods have a single decision, whose status is the reply's.
    """
    values = dict.fromkeys(score_keys(method), NAN)
    parts = {KEEP: ("keep", "bet"), PUSHBACK: ("after",)}.get(method, ())
    return ParsedReply(values, problem, metadata=_statuses(dict.fromkeys(parts, problem)))


async def read_decision(
    method: str,
    replies: Sequence[Draw] | ParseFailure,
    state: TaskState,
    target: Target,
    regrading: Regrading,
) -> ParsedReply:
    """Return the decisions that the reply to a method states.

    `replies` has one reply, or is the reason why there is none; `regrading` says how a final answer
    is graded and compared. The values are 1 or 0, NaN if not read: `decline_0.75` (withdrawn),
    `keep` and `bet`, or `moved` and `correct_after`, which is the grade of the final answer by the
    eval's scorer.
    """
    if isinstance(replies, ParseFailure):
        return _failed_decision(method, replies)
    reply = replies[0]
    if reply.failure:
        return _failed_decision(method, reply.failure)
    if method == KEEP:
        return _read_commitment(reply)
    if method == PUSHBACK:
        return await _read_final_answer(reply, state, target, regrading)
    keep = reply.read(read_keep)
    if isinstance(keep, ParseFailure):
        return _failed_decision(method, keep)
    sentence = f"{'kept' if keep else 'withdrawn'} under a confidence target of {target_of(method)}"
    return ParsedReply({method: float(not keep)}, sentence=sentence)


def _read_commitment(reply: Draw) -> ParsedReply:
    """Read whether the answer is kept and whether it is bet on; each may fail by itself.

    The first failure is the reply's; the metadata has the status of each.
    """
    parts = {"keep": reply.read(read_keep), "bet": reply.read(read_bet)}
    problems = [part for part in parts.values() if isinstance(part, ParseFailure)]
    words = [
        _describe_decision(parts["keep"], "kept", "withdrawn"),
        _describe_decision(parts["bet"], "bet on", "not bet on"),
    ]
    return ParsedReply(
        {name: number_of(part) for name, part in parts.items()},
        problems[0] if problems else None,
        sentence=", ".join(words),
        metadata=_statuses(parts),
    )


def _describe_decision(part: bool | ParseFailure, true: str, false: str) -> str:
    if isinstance(part, ParseFailure):
        return f"{true} or {false}: not read"
    return true if part else false


def _statuses(parts: Mapping[str, float | ParseFailure]) -> dict[str, str]:
    """Return the status and detail of each part: `keep_status` and `keep_detail` of `keep`."""
    metadata: dict[str, str] = {}
    for name, part in parts.items():
        metadata |= status_of(part, f"{name}_")
    return metadata


async def _read_final_answer(
    reply: Draw, state: TaskState, target: Target, regrading: Regrading
) -> ParsedReply:
    """Read whether the answer after a pushback is another, and its grade; NaN without an answer."""
    text = clean(reply.text).strip()
    if not text:
        return _failed_decision(PUSHBACK, ParseFailure("no_response", "the reply is empty"))
    if is_refusal(text):
        return _failed_decision(PUSHBACK, ParseFailure("refusal", "the reply declines to answer"))
    answer, correct = await _grade_final_answer(reply.text, state, target, regrading)
    metadata = {
        "answer_after": answer or text[:_LONGEST_LOGGED_TEXT],
        **_statuses({"after": correct}),
    }
    moved, rule_name = await _has_moved(state, target, reply.text, regrading.rule)
    metadata["by"] = rule_name
    sentence = {1.0: "the final answer is another one", 0.0: "the answer stays"}.get(
        moved, "it is unknown whether the answer changed"
    )
    return ParsedReply(
        {"correct_after": number_of(correct), "moved": moved},
        correct if isinstance(correct, ParseFailure) else None,
        sentence=f"after disagreement {sentence}",
        metadata=metadata,
    )


async def _has_moved(state: TaskState, target: Target, text: str, rule: Rule) -> tuple[float, str]:
    """Return 1 if a text is another answer than the eval's, 0 if not, with the rule's name.

    If the answers can't be compared it is NaN, with the reason or the rule's name.
    """
    if comparable(text) == comparable(state.output.completion):
        return 0.0, "text"
    comparison = await compare_answers(state, target, [text], rule)
    if isinstance(comparison, ParseFailure):
        return NAN, f"not compared: {comparison.reason}"
    (degree,), rule_name = comparison  # the agreement of the one text, from 0 to 1
    return NAN if math.isnan(degree) else float(degree < _LEAST_SAME_AGREEMENT), rule_name


_LONGEST_LOGGED_TEXT = 200
"""Characters of a final answer in the log's score, if the scorer extracts none."""


async def _grade_final_answer(
    text: str, state: TaskState, target: Target, regrading: Regrading
) -> tuple[str, Grade]:
    """Return the final answer as the eval's scorer extracts it, and its grade by that scorer.

    The scorer sees a copy of the sample in which the final answer is the model's output. If there
    is no scorer or it fails, the grade is a `ParseFailure` and the answer empty.
    """
    if regrading.scorer is None:
        return "", ParseFailure("scoring_failed", "the eval's scorer is needed: use regrade")
    duplicate = deepcopy(state)  # a scorer may write into the state
    duplicate.output = ModelOutput.from_content(str(state.model), text)
    duplicate.messages = conversation_after_pushback(state, text)
    # A scorer of choices reads the marked choice, not the text.
    if marking_failure := _mark_choice(duplicate, target, text):
        return "", marking_failure
    try:
        score = await regrading.scorer(duplicate, target)
    except LimitExceededError as error:
        return "", ParseFailure("limit_reached", f"the {error.type} limit was reached")
    except Exception as error:  # whatever an eval's scorer raises; its own score stands
        return "", ParseFailure("grader_failed", failure(error, state.input_text))
    if score is None:
        return "", ParseFailure("scoring_failed", "the eval's scorer gave no score")
    # `grade` takes scores by name and picks the grade that `regrading.score` names, `name.key`.
    name = (regrading.score or "score").partition(".")[0]
    return score.answer or "", grade({name: grades_of(score.value, score.reason)}, regrading.score)


def has_several_right(state: TaskState, target: Target) -> bool:
    """Return whether several choices may be right: the target names them, or they were marked."""
    n_marked = [choice.correct for choice in state.choices].count(True)
    return n_marked > 1 or names_several(target, len(state.choices))


def _mark_choice(state: TaskState, target: Target, text: str) -> ParseFailure | None:
    """Mark the choice that a text names, as the solver of multiple choice marks the first answer.

    Returns:
        Why no choice can be marked; None if one is, or if no choice was marked before.
    """
    marks = [choice.correct for choice in state.choices]
    if all(mark is None for mark in marks):  # the eval's scorer reads the text instead
        return None
    if has_several_right(state, target):
        return SEVERAL_RIGHT
    offered_choices = shown_choices(state)
    chosen = answers.read_choice(text, [choice.value for choice in offered_choices])
    if isinstance(chosen, ParseFailure):
        return chosen
    for place, choice in enumerate(state.choices):
        state.choices.mark_choice(place, choice is offered_choices[chosen.index])
    return None
