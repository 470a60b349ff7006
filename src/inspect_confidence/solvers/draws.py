"""Repeated draws of one item: concurrent calls inside one sample.

Draws go out together, so that Inspect's batch mode takes them in one round, and each carries its
number in its message, so that with `--cache` they stay distinct. Where a provider gives several
choices in one call they are asked for so, which is billed one reading of the prompt.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    GenerateConfig,
    ModelOutput,
    get_model,
)
from inspect_ai.solver import TaskState
from inspect_ai.util import collect

from inspect_confidence.replies import require_reply, stop_of
from inspect_confidence.solvers.message import conversation, user_message
from inspect_confidence.solvers.requests import dropped_names

Token = tuple[str, float, dict[str, float]]
"""A token, its log probability, and those of its alternatives."""

_CHOICES_IN_ONE_CALL = {"openai": 20, "together": 20, "vllm": 20, "sglang": 20, "grok": 20}
"""How many choices are asked for in one call, by provider; 1 for all others. Google caps them by
model, so that it is called once a draw."""

_STORED = "draws"

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Draw:
    """A reply as the log keeps it.

    Attributes:
        text: Of the reply.
        stop: Why it ended, as Inspect says it.
        tokens: Its tokens with their log probabilities; None where the provider gave none.
    """

    text: str
    stop: str
    tokens: list[Token] | None = None

    def read(self, reader: Callable[..., Answer]) -> Answer:
        """As one of `answers`' readers of text reads it."""
        return reader(self.text, truncated=self.stop == "max_tokens")


def choices_in_one_call(model: str) -> int:
    """How many draws a model gives in one call, for one reading of the prompt."""
    if "num_choices" in dropped_names(model, {}):
        return 1
    return _CHOICES_IN_ONE_CALL.get(model.split("/", 1)[0], 1)


async def draw_replies(
    asked: Callable[[int], list[ChatMessage]], first: int, count: int
) -> list[ModelOutput]:
    """An output of one choice for each draw, `count` of them from number `first`, asked together.

    A provider that gives fewer choices than asked is called once for each missing one, so that
    there are never more calls than draws.

    Args:
        asked: Gives each draw's messages by its number; their wording must not depend on it.
        first: Number of the first draw.
        count: How many.

    Raises:
        NoReplyError: The provider sent no reply to a call.
    """
    at_once = choices_in_one_call(str(get_model()))
    numbers = list(range(first, first + count))
    chunks = [numbers[i : i + at_once] for i in range(0, count, at_once)]
    answered = await collect(*(_ask(asked(chunk[0]), len(chunk)) for chunk in chunks))
    missing = [
        _ask(asked(number), 1)
        for chunk, outputs in zip(chunks, answered, strict=True)
        for number in chunk[len(outputs) :]
    ]
    again = await collect(*missing)
    return [output for outputs in [*answered, *again] for output in outputs]


async def _ask(messages: list[ChatMessage], choices: int) -> list[ModelOutput]:
    """Up to that many outputs of one call, each with a choice of its own."""
    config = GenerateConfig(num_choices=choices) if choices > 1 else GenerateConfig()
    output = require_reply(await get_model().generate(messages, config=config))
    return [output.model_copy(update={"choices": [choice]}) for choice in output.choices[:choices]]


async def ask_draws(
    state: TaskState, text: str, draws: int, system: str | None, **form: object
) -> TaskState:
    """Ask so often in an epoch, all at once, and keep the replies; the rest is a message's."""
    first = (state.epoch - 1) * draws

    def asked(draw: int) -> list[ChatMessage]:
        return conversation(user_message(text, state, draw, **form), system)

    state.messages = asked(first)
    store_draws(state, await draw_replies(asked, first, draws))
    return state


def store_draws(state: TaskState, outputs: Sequence[ModelOutput]) -> None:
    """Keep every draw in the log, and the first as the sample's output."""
    state.store.set(_STORED, [asdict(draw_of(output)) for output in outputs])
    state.output = outputs[0]
    if outputs[0].message not in state.messages:
        state.messages.append(outputs[0].message)


def stored_draws(state: TaskState) -> list[Draw]:
    """The draws that a solver kept, also when a log is scored again."""
    kept: list[dict[str, Any]] = state.store.get(_STORED, [])
    return [Draw(**one) for one in kept]


def stored_texts(store: Mapping[str, Any]) -> list[str]:
    """The text of each draw that a sample's store holds; none where the sample is one reply."""
    kept = store.get(_STORED, [])
    there = kept if isinstance(kept, list) else []  # another eval may keep what it likes so
    return [one["text"] for one in there if isinstance(one, Mapping) and "text" in one]


def draw_of(output: ModelOutput) -> Draw:
    """An output as the log keeps it: its first choice."""
    choice = output.choices[0]
    return Draw(choice.message.text, stop_of(choice), tokens_of(choice))


def tokens_of(choice: ChatCompletionChoice) -> list[Token] | None:
    """Its tokens as `Draw.tokens` has them; None where the provider gave none."""
    if choice.logprobs is None:
        return None
    return [
        (one.token, one.logprob, {also.token: also.logprob for also in one.top_logprobs or []})
        for one in choice.logprobs.content
    ]
