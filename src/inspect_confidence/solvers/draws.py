"""Repeated draws of one item: concurrent calls inside one sample.

Draws are sent together, so that Inspect's batch mode takes them in one round, and each message
carries the number of its draw, so that draws stay distinct with `--cache`. A provider that gives
several choices in one call is asked for several, which is billed as one reading of the prompt.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
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

TokenLogprobs = tuple[str, float, dict[str, float]]
"""A token, its log probability, and those of its alternatives."""

_CHOICES_IN_ONE_CALL = {"openai": 20, "together": 20, "vllm": 20, "sglang": 20, "grok": 20}
"""Choices in one call, by provider; 1 for all others. Google limits them by model, so that it is
called once per draw."""

_STORED = "draws"

ParsedAnswerT = TypeVar("ParsedAnswerT")


@dataclass(frozen=True)
class Draw:
    """A reply as the log stores it.

    Attributes:
        text: Text of the reply.
        stop: Stop reason of the reply, in Inspect's words.
        tokens: Tokens of the reply with their log probabilities; None if the provider gave none.
    """

    text: str
    stop: str
    tokens: list[TokenLogprobs] | None = None

    def read(self, reader: Callable[..., ParsedAnswerT]) -> ParsedAnswerT:
        """Read the text with one of the readers of `answers`."""
        return reader(self.text, truncated=self.stop == "max_tokens")


def choices_in_one_call(model: str) -> int:
    """Return how many draws a model gives in one call, for one reading of the prompt."""
    if "num_choices" in dropped_names(model, {}):
        return 1
    return _CHOICES_IN_ONE_CALL.get(model.split("/", 1)[0], 1)


async def draw_replies(
    messages_of: Callable[[int], list[ChatMessage]], first: int, count: int
) -> list[ModelOutput]:
    """Ask for draws, all at once, and return an output of one choice for each.

    If a provider gives fewer choices than it was asked for, it is called once for each missing
    choice, so that there are never more calls than draws.

    Args:
        messages_of: Returns the messages of a draw by its number; their wording must not depend on
            the number.
        first: Number of the first draw.
        count: Number of draws.

    Raises:
        NoReplyError: The provider sent no reply to a call.
    """
    chunk_size = choices_in_one_call(str(get_model()))
    numbers = list(range(first, first + count))
    chunks = [numbers[i : i + chunk_size] for i in range(0, count, chunk_size)]
    answered = await collect(*(_ask(messages_of(chunk[0]), len(chunk)) for chunk in chunks))
    missing: list[int] = []
    for chunk, outputs in zip(chunks, answered, strict=True):
        missing += chunk[len(outputs) :]
    repeated = await collect(*(_ask(messages_of(number), 1) for number in missing))
    return list(chain.from_iterable([*answered, *repeated]))


async def _ask(messages: list[ChatMessage], choices: int) -> list[ModelOutput]:
    """Return up to `choices` outputs of one call, each with one choice."""
    config = GenerateConfig(num_choices=choices) if choices > 1 else GenerateConfig()
    output = require_reply(await get_model().generate(messages, config=config))
    return [output.model_copy(update={"choices": [choice]}) for choice in output.choices[:choices]]


async def ask_draws(
    state: TaskState, text: str, draws: int, system: str | None, **form: object
) -> TaskState:
    """Ask for the draws of an epoch, all at once, and store the replies.

    Args:
        state: State of the sample.
        text: What the model reads.
        draws: Number of draws per epoch.
        system: A system message before the text, if any.
        **form: What is elicited, as in `user_message`.
    """
    first = (state.epoch - 1) * draws

    def messages_of(draw: int) -> list[ChatMessage]:
        return conversation(user_message(text, state, draw, **form), system)

    state.messages = messages_of(first)
    store_draws(state, await draw_replies(messages_of, first, draws))
    return state


def store_draws(state: TaskState, outputs: Sequence[ModelOutput]) -> None:
    """Store every draw in the log, and the first as the sample's output."""
    state.store.set(_STORED, [asdict(draw_of(output)) for output in outputs])
    state.output = outputs[0]
    if outputs[0].message not in state.messages:
        state.messages.append(outputs[0].message)


def stored_draws(state: TaskState) -> list[Draw]:
    """Return the draws that a solver stored, also when a log is scored again."""
    records: list[dict[str, Any]] = state.store.get(_STORED, [])
    return [Draw(**record) for record in records]


def stored_texts(store: Mapping[str, Any]) -> list[str]:
    """Return the text of each draw in a sample's store; empty if the sample has one reply."""
    records = store.get(_STORED, [])
    if not isinstance(records, list):  # another eval may use this key for anything
        return []
    texts = []
    for record in records:
        if isinstance(record, Mapping) and "text" in record:
            texts.append(record["text"])
    return texts


def draw_of(output: ModelOutput) -> Draw:
    """Return the first choice of an output as the log stores it."""
    choice = output.choices[0]
    return Draw(choice.message.text, stop_of(choice), tokens_of(choice))


def tokens_of(choice: ChatCompletionChoice) -> list[TokenLogprobs] | None:
    """Return the tokens of a choice, as in `Draw.tokens`; None if the provider gave none."""
    if choice.logprobs is None:
        return None
    tokens = []
    for token in choice.logprobs.content:
        alternatives = {top.token: top.logprob for top in token.top_logprobs or []}
        tokens.append((token.token, token.logprob, alternatives))
    return tokens
