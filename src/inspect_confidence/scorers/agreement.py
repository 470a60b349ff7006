"""Agreement of further answers to a question with the eval's own answer."""

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Scorer, Target
from inspect_ai.solver import TaskState
from inspect_ai.util import LimitExceededError, collect, registry_info

from inspect_confidence import answers
from inspect_confidence.answers import ParseFailure
from inspect_confidence.answers.clean import LONGEST_COMPARED, clean, comparable, is_refusal
from inspect_confidence.answers.judged import read_agreement
from inspect_confidence.scorers.graded import grades_of
from inspect_confidence.scorers.parsed import NAN, ParsedReply
from inspect_confidence.solvers.ask_confidence import ask_same_answer, require_models
from inspect_confidence.solvers.draws import Draw, choice_texts

AGREEMENTS = ("auto", "scorer", "text", "judge")
"""Rules by which two answers are the same; docs/any_eval.md has the rule of `auto`."""

_COMPARING = {"match", "exact", "pattern", "answer", "f1", "math"}
"""Scorers of Inspect that tell whether an answer is the same as another, given as the target."""


@dataclass(frozen=True)
class Rule:
    """The rule by which two answers count as the same."""

    agreement: str
    equality: Scorer | None


async def measure_agreement(
    state: TaskState, target: Target, replies: Sequence[Draw], rule: Rule
) -> ParsedReply:
    """Return as confidence the share of the further answers that are the eval's own answer.

    `replies` are the further answers. Those that could not be compared don't count. It is a failure
    if the eval's answer declines, no further reply is an answer, or no answer could be compared.
    """
    if is_refusal(clean(state.output.completion)):
        return ParsedReply(failure=ParseFailure("refusal", "the eval's answer declines to answer"))
    texts = [reply.text for reply in replies if _is_answer(reply)]
    if not texts:
        return ParsedReply(failure=ParseFailure("no_response", "no further reply is an answer"))
    comparison = await compare_answers(state, target, texts, rule)
    if isinstance(comparison, ParseFailure):
        return ParsedReply(failure=comparison)
    degrees, rule_name = comparison
    compared = [degree for degree in degrees if not math.isnan(degree)]
    metadata = {
        "by": rule_name,
        "draws": float(len(compared)),
        "lost": float(len(replies) - len(compared)),
        "agreed": " ".join(map("{:g}".format, degrees)),
    }
    if not compared:
        failure = ParseFailure("grader_failed", "no answer could be compared")
        return ParsedReply(failure=failure, metadata=metadata)
    n_same = sum(compared)  # with fractions, if the rule grades agreement
    n_empty = len(replies) - len(texts)
    empty = f", {n_empty} without an answer" if n_empty else ""
    sentence = (
        f"{n_same:.4g} of {len(compared)} further answers are the same (by {rule_name}){empty}"
    )
    confidence = n_same / len(compared)
    return ParsedReply({"confidence": confidence}, sentence=sentence, metadata=metadata)


def _is_answer(reply: Draw) -> bool:
    text = clean(reply.text).strip()
    return bool(text) and reply.stop != "content_filter" and not is_refusal(text)


async def compare_answers(
    state: TaskState, target: Target, texts: Sequence[str], rule: Rule
) -> tuple[list[float], str] | ParseFailure:
    """Return how far each text agrees with the eval's answer, from 0 to 1, and the rule's name.

    A text that could not be compared has NaN. If the eval's answer itself can't be compared, return
    the failure. The rule `auto` compares choices, or else by the scorer `equality` if there is one
    (for the rule `scorer` there always is), or else texts if the answer is short. By the rule
    `text` texts agree if they differ only in case and marks.
    """
    answer, choices = state.output.completion, choice_texts(state)
    if choices and rule.agreement == "auto":
        return _compare_choices(answer, texts, choices)
    if rule.equality is not None and rule.agreement in ("auto", "scorer"):
        return await _compare_by_scorer(state, target, texts, rule.equality)
    if rule.agreement == "judge":
        require_models(["consistency"], "judge")
        return await _compare_by_judge(state, texts), "judge"
    if rule.agreement == "auto" and len(answer) > LONGEST_COMPARED:
        return _length_failure(answer)
    return [float(comparable(text) == comparable(answer)) for text in texts], "text"


def _compare_choices(
    answer: str, texts: Sequence[str], choices: Sequence[str]
) -> tuple[list[float], str] | ParseFailure:
    """Return 1 for each text that names the answer's choice, 0 for another choice, NaN for none.

    The name of the rule, `choice`, comes second. If the answer names no choice, return a failure.
    """
    choice = answers.read_choice(answer, choices)
    if isinstance(choice, ParseFailure):
        return ParseFailure(
            "scoring_failed", f"the eval's answer is not one choice: {choice.reason}"
        )
    degrees = []
    for text in texts:
        other_choice = answers.read_choice(text, choices)
        if isinstance(other_choice, ParseFailure):
            degrees.append(NAN)
        else:
            degrees.append(float(other_choice.index == choice.index))
    return degrees, "choice"


def _length_failure(answer: str) -> ParseFailure:
    """Return the failure of an answer that is too long to be compared as text."""
    reason = (
        f"an answer of {len(answer)} characters can't be compared as text; take agreement=judge"
    )
    return ParseFailure("scoring_failed", reason)


async def _compare_by_scorer(
    state: TaskState, target: Target, texts: Sequence[str], equality: Scorer
) -> tuple[list[float], str] | ParseFailure:
    """Score each text by the scorer `equality`; its target is the eval's answer as it extracts it.

    Return the scores, NaN for a text in which the scorer finds no answer or that gets no grade, and
    the scorer's name; or a failure if the eval's answer is missing or too long to compare.
    """
    own_score = await equality(state, target)
    answer = own_score.answer if own_score else None
    if not answer:
        return ParseFailure("scoring_failed", "the scorer found no answer to compare with")
    if len(answer) > LONGEST_COMPARED:
        return _length_failure(answer)
    values = []
    for text in texts:
        duplicate = copy(state)
        duplicate.output = ModelOutput.from_content(str(state.model), text)
        score = await equality(duplicate, Target(answer))
        # The key "" has a grade if the score is a single one.
        grade = grades_of(score.value).get("") if score and score.answer else None
        values.append(grade if isinstance(grade, float) else NAN)
    name = registry_info(equality).name.rsplit("/", 1)[-1]
    return values, name


async def _compare_by_judge(state: TaskState, texts: Sequence[str]) -> list[float]:
    """Return whether each text is the eval's answer, 1, 0 or NaN (unknown); judge a text once."""
    answer = state.output.completion
    degrees = {comparable(answer): 1.0}  # by text, without case and marks
    distinct = {comparable(text): text for text in texts if comparable(text) not in degrees}
    verdicts = await collect(*(_judge_agreement(state, answer, text) for text in distinct.values()))
    degrees |= dict(zip(distinct, verdicts, strict=True))
    return [degrees[comparable(text)] for text in texts]


async def _judge_agreement(state: TaskState, first: str, second: str) -> float:
    """Return 1 if a judge calls two answers the same, 0 if not, NaN if it fails or says neither."""
    try:
        output = await ask_same_answer(state, first, second)
    except LimitExceededError:
        raise
    except Exception:  # each provider has its own; the answer counts as not compared
        return NAN
    return {"yes": 1.0, "no": 0.0}.get(str(read_agreement(output.completion)), NAN)


def compares(scorer: Scorer) -> bool:
    """Return whether a scorer can tell if two answers are the same, one being its target."""
    package, _, name = registry_info(scorer).name.rpartition("/")
    return package in ("", "inspect_ai") and name in _COMPARING
