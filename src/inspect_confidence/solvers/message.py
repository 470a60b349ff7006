"""The one form in which every elicitation reaches a model."""

from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, ResponseSchema
from inspect_ai.solver import Generate, TaskState

from inspect_confidence.replies import require_reply


def user_message(text: str, state: TaskState, draw: int, **form: object) -> ChatMessageUser:
    """A user message that says in its metadata which draw of which item it elicits.

    The metadata isn't sent to the provider. It enters Inspect's cache key, so that with `--cache`
    draws stay distinct, and simulated respondents seed on it.

    Args:
        text: What the model reads.
        state: Of the sample, whose metadata names the item, or else its id.
        draw: Number of the draw within the item, over all epochs.
        form: What is elicited (`form="interval"`) and under which condition (`level=90`).
    """
    return ChatMessageUser(
        content=text,
        metadata={"item": state.metadata.get("item", state.sample_id), "draw": draw, **form},
    )


def conversation(message: ChatMessageUser, system: str | None) -> list[ChatMessage]:
    """The message, after a system message if there is one."""
    return [*([ChatMessageSystem(content=system)] if system else []), message]


def pose(state: TaskState, text: str, system: str | None = None, **form: object) -> None:
    """Make one message a sample's conversation, an epoch being a draw; as in `user_message`."""
    state.messages = conversation(user_message(text, state, state.epoch - 1, **form), system)


async def ask_once(
    generate: Generate,
    state: TaskState,
    text: str,
    system: str | None = None,
    *,
    response_schema: ResponseSchema | None = None,
    **form: object,
) -> TaskState:
    """Ask for a sample's one reply, in one call whatever the reply is.

    No elicitation offers tools. Inspect's default would answer a call of one by asking again, as
    long as the model calls tools.

    Args:
        generate: Inspect's, as a solver is given it.
        state: As in `pose`, like `text`, `system` and `form`.
        text: What the model reads.
        system: A system message before it, if any.
        response_schema: The form of the reply, for providers that take one.
        **form: What is elicited, and under which condition.

    Raises:
        NoReplyError: The provider sent no reply.
    """
    pose(state, text, system, **form)
    try:
        return await generate(state, tool_calls="none", response_schema=response_schema)
    except IndexError:  # Inspect takes the first choice, whether there is one or not
        require_reply(state.output)
        raise
