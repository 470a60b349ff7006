"""A model's reply: whether the provider sent one, and how it ended."""

from inspect_ai.model import ChatCompletionChoice, ModelOutput

TOOL_CALL = "tool_calls"
"""The end of a reply that calls a tool, as Inspect names it."""


class NoReplyError(RuntimeError):
    """The provider answered a call without a reply; the call can be made again."""


def require_reply(output: ModelOutput) -> ModelOutput:
    """Return the output of a call, which has at least one choice.

    Raises:
        NoReplyError: It has none. That is the provider's failure, not the model's: a sample that
            ends in it is asked again by `inspect eval-retry`.
    """
    if not output.choices:
        raise NoReplyError("the provider answered without a reply: `choices` is empty")
    return output


def stop_of(choice: ChatCompletionChoice) -> str:
    """Return why a reply ended; of a reply that calls tools, whatever its provider says, that."""
    return TOOL_CALL if choice.message.tool_calls else choice.stop_reason
