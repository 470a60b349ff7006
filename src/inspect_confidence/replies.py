"""A model's reply: whether the provider sent one, and how it ended."""

from inspect_ai.model import ChatCompletionChoice, ModelOutput

TOOL_CALL = "tool_calls"
"""Inspect's stop reason of a reply that calls a tool."""


class NoReplyError(RuntimeError):
    """A provider's answer without a reply; the call can be repeated."""


def require_reply(output: ModelOutput) -> ModelOutput:
    """Return the output of a call if it has at least one choice.

    Raises:
        NoReplyError: It has no choice. That is the provider's failure, not the model's:
            `inspect eval-retry` asks the sample again.
    """
    if not output.choices:
        raise NoReplyError("the provider answered without a reply: `choices` is empty")
    return output


def stop_of(choice: ChatCompletionChoice) -> str:
    """Return the stop reason of a reply; always `TOOL_CALL` for a reply that calls tools."""
    return TOOL_CALL if choice.message.tool_calls else choice.stop_reason
