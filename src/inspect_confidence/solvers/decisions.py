"""Solvers of the study of decisions: a question that may be declined, and further requests.

Further requests are sent in conversations of their own, which end with one message; the sample's
conversation and output are those of the answer. A failed request fails the sample, so that
`inspect eval-retry` asks it again.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from inspect_ai.model import ChatMessage, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_confidence.answers import ParseFailure
from inspect_confidence.answers.decline import read_answer
from inspect_confidence.judges.model import require_grader
from inspect_confidence.prompts import confidence as confidence_prompts
from inspect_confidence.prompts import decisions as prompts
from inspect_confidence.prompts.scale_variants import with_choices
from inspect_confidence.replies import require_reply
from inspect_confidence.solvers.draws import Draw, draw_of
from inspect_confidence.solvers.message import ask_once, user_message

LOW, HIGH = 0, 100
"""Ends of the scale of a confidence that is asked apart."""

_STORED = "decisions"


@solver
def ask_abstain(
    prompt: str | None = None,
    system: str | None = None,
    confidence: str = "none",
    grader: bool = False,
) -> Solver:
    """Ask a question under the sample's confidence target, in one call, and perhaps a confidence.

    The confidence is asked in a second conversation: `before` shows the question alone, `after`
    the question with the answer, or says that it was declined.

    Args:
        prompt: Template with the fields `question` and `instruction`, instead of the package's.
        system: A system message before the question, if any.
        confidence: `before`, `after`, or `none`.
        grader: Whether the answers will be judged by a model.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if grader:
            require_grader()
        facts = state.metadata
        choices = [choice.value for choice in state.choices]
        text = (prompt or prompts.ABSTAIN).format(
            question=with_choices(state.input_text, choices),
            instruction=prompts.instruction(facts["confidence_target"]),
            format=prompts.FORMATS[facts["kind"]],
        )
        form = {"target": facts["confidence_target"], "choices": choices, "kind": facts["kind"]}
        state = await ask_once(generate, state, text, system, form="abstain", **form)
        if confidence != "none":
            await ask_apart(state, "confidence", [], _confidence_text(state, confidence))
        return state

    return solve


def _confidence_text(state: TaskState, moment: str) -> tuple[str, str]:
    """Return the request for a confidence in a new conversation, and its form."""
    question = with_choices(state.input_text, shown_choices(state))
    if moment == "before":
        text = confidence_prompts.BEFORE.format(question=question, l=LOW, u=HIGH)
        return text, "confidence_before"
    answer = read_sample(state)
    if isinstance(answer, ParseFailure) and answer.status == "declined":
        return prompts.WITHHELD.format(question=question, low=LOW, high=HIGH), "confidence_before"
    reply = state.output.completion
    text = confidence_prompts.ALONE.format(question=question, answer=reply, l=LOW, u=HIGH)
    return text, "confidence_alone"


def shown_choices(state: TaskState) -> list[str]:
    """Return the choices of a sample without the option to decline."""
    choices = [choice.value for choice in state.choices]
    return choices[:-1] if state.metadata["kind"] == "option" else choices


def read_sample(state: TaskState) -> Any:
    """Read the answer of a sample's output by the kind of its question, or the failure."""
    return read_answer(
        state.output.completion,
        state.metadata["kind"],
        shown_choices(state),
        truncated=state.output.stop_reason == "max_tokens",
    )


async def ask_apart(
    state: TaskState, name: str, before: Sequence[ChatMessage], request: tuple[str, str]
) -> None:
    """Send a request after the messages `before`, and store its reply under a name.

    Raises:
        NoReplyError: The provider sent no reply.
    """
    text, form = request
    message = user_message(text, state, state.epoch - 1, form=form, low=LOW, high=HIGH)
    output = require_reply(await get_model().generate([*before, message]))
    stored: dict[str, Any] = state.store.get(_STORED, {})
    state.store.set(_STORED, {**stored, name: asdict(draw_of(output))})


def stored_reply(state: TaskState, name: str) -> Draw | None:
    """Return the reply to a further request, also when a log is scored again; None if not asked."""
    stored: dict[str, Any] = state.store.get(_STORED, {})
    return Draw(**stored[name]) if name in stored else None
