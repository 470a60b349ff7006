"""Solvers of the study of decisions: a question that may be declined, and further requests.

Further requests are sent in conversations of their own, which end with one message; the sample's
conversation and output are those of the answer. A failed request fails the sample, so that
`inspect eval-retry` asks it again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from inspect_ai.model import ChatMessage, ModelOutput, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import collect

from inspect_confidence.answers import ParseFailure
from inspect_confidence.answers.decline import Answer, read_answer
from inspect_confidence.judges.model import require_grader
from inspect_confidence.prompts import confidence as confidence_prompts
from inspect_confidence.prompts import decisions as prompts
from inspect_confidence.prompts.scale_variants import with_choices
from inspect_confidence.replies import require_reply
from inspect_confidence.solvers.draws import Draw, ask_once, choice_texts, draw_of, user_message

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
        prompt: Template with the fields `question` and `instruction`, instead of the package's. It
            may have the field `format`, the form of reply that is read, or state its own.
        system: A system message before the question, if any.
        confidence: `before`, `after`, or `none`.
        grader: Whether the answers will be judged by a model.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        """Ask under the sample's confidence target, then for a confidence in a new conversation.

        `prompt`, `system`, `confidence` (`none`: don't ask for it) and `grader` are the arguments
        of `ask_abstain`.
        """
        if grader:  # a model will judge the answers
            require_grader()
        target, kind = state.metadata["confidence_target"], state.metadata["kind"]
        choices = choice_texts(state)
        text = (prompt or prompts.ABSTAIN).format(
            question=with_choices(state.input_text, choices),
            instruction=prompts.instruction(target),
            format=prompts.FORMATS[kind],
        )
        question = {"target": target, "choices": choices, "kind": kind}
        state = await ask_once(generate, state, text, system, form="abstain", **question)
        if confidence != "none":
            await ask_apart(state, "confidence", [], _confidence_text(state, confidence))
        return state

    return solve


@solver
def ask_commitment(
    prompt: str | None = None,
    system: str | None = None,
    pushback: str = "none",
    confidence: bool = True,
    grader: bool = False,
) -> Solver:
    """Ask a question, then for the decisions on the answer, and the question after a pushback.

    The conversation has the question, the answer, the pushback and the final answer. The decisions
    and the confidence before and after the pushback are asked in copies of it, so that no request
    influences another. If the answer has no text, nothing further is asked.

    Args:
        prompt: Template with the field `question`, instead of the package's.
        system: A system message before the question, if any.
        pushback: `neutral`, `disagree` or `source`; `none` for no further turn.
        confidence: Whether confidence is asked, after the answer and after the final one.
        grader: Whether the answers will be judged by a model.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        """Ask the question, then all at once for what follows the answer.

        That is the decisions, the confidence if `confidence` is set, and the final answer after the
        `pushback` if there is one. These two, `prompt`, `system` and `grader` are arguments of
        `ask_commitment`.
        """
        if grader:  # a model will judge the answers
            require_grader()
        kind = state.metadata["kind"]
        choices = choice_texts(state)
        text = (prompt or prompts.ANSWER).format(
            question=with_choices(state.input_text, choices), format=prompts.FORMATS[kind]
        )
        question = {"choices": choices, "kind": kind}
        state = await ask_once(generate, state, text, system, form="answer", **question)
        conversation = list(state.messages)
        if not _has_text(state.output):  # there is no answer to decide on
            return state
        requests = [ask_apart(state, "decisions", conversation, (prompts.COMMITMENT, "commitment"))]
        if confidence:
            requests.append(
                ask_apart(state, "confidence_before", conversation, _CONFIDENCE_REQUEST)
            )
        if pushback != "none":
            turn = prompts.PUSHBACKS[pushback].format(format=prompts.FORMATS[kind])
            described = {**question, "pushback": pushback}
            requests.append(_push_back(state, turn, is_rated=confidence, metadata=described))
        await collect(*requests)
        return state

    return solve


async def _push_back(
    state: TaskState, text: str, *, is_rated: bool, metadata: dict[str, object]
) -> None:
    """Ask for the final answer in the sample's conversation; if it `is_rated`, ask a copy how sure.

    `text` is the pushback's; `metadata` are of the question, for the message. The request counts as
    the draw with the number of the epoch, from 0.
    """
    message = user_message(text, state, draw=state.epoch - 1, form="pushback", **metadata)
    output = require_reply(await get_model().generate([*state.messages, message]))
    _store(state, "final", output)
    state.messages = [*state.messages, message, output.message]
    if is_rated and _has_text(output):
        await ask_apart(state, "confidence_after", state.messages, _CONFIDENCE_REQUEST)


def _has_text(output: ModelOutput) -> bool:
    """Return whether there is an answer to decide on; a provider refuses empty turns."""
    return bool(output.completion.strip()) and not draw_of(output).failure


_CONFIDENCE_REQUEST = confidence_prompts.STATED.format(l=LOW, u=HIGH), "confidence"
"""Request for a confidence in the answer that ends a conversation, and its form."""


def _confidence_text(state: TaskState, moment: str) -> tuple[str, str]:
    """Return the request for a confidence in a new conversation, and its form.

    The form tells simulated models what is asked. `moment` is `before` or `after` the answer. After
    it, the request shows the answer, or says that the model declined; then it asks, as before the
    answer, how sure the model would be.
    """
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
    choices = choice_texts(state)
    return choices[:-1] if state.metadata["kind"] == "option" else choices


def read_sample(state: TaskState) -> Answer | ParseFailure:
    """Read the answer of a sample's output by the kind of its question, or the failure."""
    return read_draw(draw_of(state.output), state)


def read_draw(draw: Draw, state: TaskState) -> Answer | ParseFailure:
    """Read the answer of a reply by the kind of the sample's question, or the failure."""
    return draw.read(read_answer, state.metadata["kind"], shown_choices(state))


async def ask_apart(
    state: TaskState, name: str, before: Sequence[ChatMessage], request: tuple[str, str]
) -> None:
    """Send a request (its text and its form) after the messages `before`; store its reply by name.

    Raises:
        NoReplyError: The provider sent no reply.
    """
    text, form = request
    message = user_message(text, state, draw=state.epoch - 1, form=form, low=LOW, high=HIGH)
    _store(state, name, require_reply(await get_model().generate([*before, message])))


def _store(state: TaskState, name: str, output: ModelOutput) -> None:
    """Add a reply to the sample's store, by the name that `stored_reply` takes."""
    state.store.set(_STORED, {**_stored(state), name: asdict(draw_of(output))})


def stored_reply(state: TaskState, name: str) -> Draw | None:
    """Return the reply to a further request, also when a log is scored again; None if not asked."""
    stored = _stored(state)
    return Draw(**stored[name]) if name in stored else None


def stored_reply_texts(store: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts of the replies to further requests in a logged sample's store, by name."""
    replies = store.get(_STORED)
    if not isinstance(replies, Mapping):  # another eval may use this key for anything
        return {}
    return {
        name: str(reply["text"])
        for name, reply in replies.items()
        if isinstance(reply, Mapping) and "text" in reply
    }


def _stored(state: TaskState) -> dict[str, Any]:
    # Without a default, which `Store.get` would write into the store.
    return state.store.get(_STORED) or {}
