"""How many further answers to a question are the eval's own answer, and by which rule."""

import math
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Scorer, Target
from inspect_ai.solver import TaskState
from inspect_ai.util import LimitExceededError, collect, registry_info

from inspect_confidence import answers
from inspect_confidence.answers import ParseFailure, judged
from inspect_confidence.answers.clean import LONGEST_COMPARED, clean, comparable, is_refusal
from inspect_confidence.scorers.graded import numbers_of
from inspect_confidence.scorers.reading import NAN
from inspect_confidence.solvers.ask_confidence import require_models, same
from inspect_confidence.solvers.draws import Draw

AGREEMENTS = ("auto", "scorer", "text", "judge")
"""What says that two answers are the same; docs/any_eval.md has the rule of `auto`."""

_COMPARING = {"match", "exact", "pattern", "answer", "f1", "math"}
"""Scorers of Inspect that tell, given one answer as the target, whether another is the same."""


@dataclass(frozen=True)
class Said:
    """What a way of asking gave.

    Attributes:
        confidence: In [0, 1]; NaN where there is none.
        failure: What could not be read, if anything.
        sentence: How the number came about.
        kept: Facts for the log.
    """

    confidence: float = NAN
    failure: ParseFailure | None = None
    sentence: str = ""
    kept: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Rule:
    """What says that two answers are the same."""

    agreement: str
    equality: Scorer | None


async def agreed(state: TaskState, target: Target, replies: Sequence[Draw], rule: Rule) -> Said:
    """The share of the further answers that are the eval's own answer."""
    if is_refusal(clean(state.output.completion)):
        return Said(failure=ParseFailure("refusal", "the eval's answer declines to answer"))
    there = [one for one in replies if _is_answer(one)]
    lost = len(replies) - len(there)
    if not there:
        return Said(failure=ParseFailure("no_response", "no further reply is an answer"))
    found = await _compared(state, target, [one.text for one in there], rule)
    if isinstance(found, ParseFailure):
        return Said(failure=found)
    degrees, how = found
    known = [one for one in degrees if not math.isnan(one)]
    kept = {
        "by": how,
        "draws": float(len(known)),
        "lost": float(len(replies) - len(known)),
        "agreed": " ".join(f"{one:g}" for one in degrees),
    }
    if not known:
        return Said(failure=ParseFailure("grader_failed", "no answer could be compared"), kept=kept)
    number = sum(known) / len(known)
    without = f", {lost} without an answer" if lost else ""
    said = f"{sum(known):.4g} of {len(known)} further answers are the same (by {how}){without}"
    return Said(number, None, said, kept)


def _is_answer(reply: Draw) -> bool:
    text = clean(reply.text).strip()
    return bool(text) and reply.stop != "content_filter" and not is_refusal(text)


async def _compared(
    state: TaskState, target: Target, texts: Sequence[str], rule: Rule
) -> tuple[list[float], str] | ParseFailure:
    """How far each text is the eval's own answer, from 0 to 1, and by which rule."""
    own, choices = state.output.completion, [choice.value for choice in state.choices]
    if choices and rule.agreement == "auto":
        letters = [answers.read_choice(text, choices) for text in (own, *texts)]
        first, *others = [None if isinstance(one, ParseFailure) else one.index for one in letters]
        if first is None:
            return ParseFailure("scoring_failed", "the eval's answer names no choice")
        return [NAN if one is None else float(one == first) for one in others], "choice"
    if rule.equality is not None and rule.agreement in ("auto", "scorer"):
        return await _by_scorer(state, target, texts, rule.equality)
    if rule.agreement == "judge":
        require_models(["consistency"], "judge")
        return await _by_judge(state, texts), "judge"
    if rule.agreement == "auto" and len(own) > LONGEST_COMPARED:
        return _too_long(own)
    return [float(comparable(text) == comparable(own)) for text in texts], "text"


def _too_long(answer: str) -> ParseFailure:
    why = f"an answer of {len(answer)} characters can't be compared as text; take agreement=judge"
    return ParseFailure("scoring_failed", why)


async def _by_scorer(
    state: TaskState, target: Target, texts: Sequence[str], equality: Scorer
) -> tuple[list[float], str] | ParseFailure:
    """The scorer's value of each text with the eval's own answer, as it extracts it, for target."""
    own = await equality(state, target)
    answer = own.answer if own else None
    if not answer:
        return ParseFailure("scoring_failed", "the scorer found no answer to compare with")
    if len(answer) > LONGEST_COMPARED:
        return _too_long(answer)
    values = []
    for text in texts:
        output = ModelOutput.from_content(str(state.model), text)
        other = await equality(_with_output(state, output), Target(answer))
        found = other.answer if other else None
        values.append(numbers_of(other.value).get("", NAN) if other and found else NAN)
    name = registry_info(equality).name.rsplit("/", 1)[-1]
    return values, name


def _with_output(state: TaskState, output: ModelOutput) -> TaskState:
    other = copy(state)
    other.output = output
    return other


async def _by_judge(state: TaskState, texts: Sequence[str]) -> list[float]:
    """What a judge says of each text: asked once of equal ones, not of the eval's own answer."""
    own = state.output.completion
    known = {comparable(own): 1.0}
    others = {comparable(text): text for text in texts if comparable(text) not in known}
    said = await collect(*(_judged(state, own, text) for text in others.values()))
    known |= dict(zip(others, said, strict=True))
    return [known[comparable(text)] for text in texts]


async def _judged(state: TaskState, answer: str, other: str) -> float:
    try:
        said = await same(state, answer, other)
    except LimitExceededError:
        raise
    except Exception:  # each provider has its own; the answer counts as not compared
        return NAN
    return {"yes": 1.0, "no": 0.0}.get(str(judged.read_agreement(said.completion)), NAN)


def compares(made: Scorer) -> bool:
    """Whether a scorer tells, given one answer as the target, if another is the same."""
    package, _, name = registry_info(made).name.rpartition("/")
    return package in ("", "inspect_ai") and name in _COMPARING
