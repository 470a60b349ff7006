"""Messages of every elicitation, and the call that sends a single one."""

from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, ResponseSchema
from inspect_ai.solver import Generate, TaskState

from inspect_confidence.replies import require_reply


def user_message(text: str, state: TaskState, draw: int, **form: object) -> ChatMessageUser:
    """Return a user message whose metadata record the item and the draw that it elicits.

    The metadata are not sent to the provider. They are part of Inspect's cache key, so that draws
    stay distinct with `--cache`, and simulated respondents take their seed from them.

    Args:
        text: What the model reads.
        state: State of the sample, which names the item in its metadata or by its id.
        draw: Number of the draw within the item, over all epochs.
        form: The elicitation (`form="interval"`) and its condition (`level=90`).
    """
    return ChatMessageUser(
        content=text,
        metadata={"item": state.metadata.get("item", state.sample_id), "draw": draw, **form},
    )


def conversation(message: ChatMessageUser, system: str | None) -> list[ChatMessage]:
    """Return the message, after a system message if there is one."""
    return [ChatMessageSystem(content=system), message] if system else [message]


def pose(state: TaskState, text: str, system: str | None = None, **form: object) -> None:
    """Set a sample's conversation to one message, as of `user_message`; an epoch is a draw."""
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
    """Ask for a sample's one reply in exactly one call.

    No elicitation offers tools. By default Inspect would ask again for as long as the model calls
    tools.

    Args:
        generate: The function that Inspect passes to a solver.
        state: State of the sample.
        text: What the model reads.
        system: A system message before it, if any.
        response_schema: The form of the reply, for providers that take one.
        **form: The elicitation and its condition.

    Raises:
        NoReplyError: The provider sent no reply.
    """
    pose(state, text, system, **form)
    try:
        return await generate(state, tool_calls="none", response_schema=response_schema)
    except IndexError:  # Inspect takes the first choice, whether there is one or not
        require_reply(state.output)
        raise
