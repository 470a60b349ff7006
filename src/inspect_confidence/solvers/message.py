"""The one form in which every elicitation reaches a model."""

from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser
from inspect_ai.solver import TaskState


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
