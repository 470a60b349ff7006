"""Messages of every elicitation, and the calls that send one, or ask for repeated draws of a reply.

Draws are concurrent calls inside one sample. They are sent together, so that Inspect's batch mode
takes them in one round, and each message carries the number of its draw, so that draws stay
distinct with `--cache`. A provider that gives several choices in one call is asked for several,
which is billed as one reading of the prompt.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from string import ascii_uppercase
from typing import Any, TypeVar

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    ResponseSchema,
    get_model,
)
from inspect_ai.solver import Choice, Generate, TaskState
from inspect_ai.util import collect

from inspect_confidence.answers import ParseFailure, TokenChoice, reply_failure
from inspect_confidence.replies import require_reply, stop_of
from inspect_confidence.solvers.requests import dropped_names

TokenLogprobs = tuple[str, float, dict[str, float]]
"""A token, its log probability, and those of its alternatives."""

_CHOICES_IN_ONE_CALL = {"openai": 20, "together": 20, "vllm": 20, "sglang": 20, "grok": 20}
"""Choices in one call, by provider; 1 for all others. Google limits them by model, so that it is
called once per draw."""

_STORED = "draws"

AnswerT = TypeVar("AnswerT")


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

    @property
    def failure(self) -> ParseFailure | None:
        """Why the reply has no text to read, or None if it has one."""
        return reply_failure(self.text, self.stop)

    @property
    def token_choices(self) -> list[TokenChoice] | None:
        """The tokens as readers of `answers` take them."""
        return None if self.tokens is None else [TokenChoice(*token) for token in self.tokens]

    def read(
        self, reader: Callable[..., AnswerT | ParseFailure], *arguments: object, **options: object
    ) -> AnswerT | ParseFailure:
        """Return what a reader of `answers` reads from the reply, or why there is no text to read.

        The reader takes the text, the arguments and whether the reply was cut off.
        """
        is_truncated = self.stop == "max_tokens"
        return self.failure or reader(self.text, *arguments, **options, truncated=is_truncated)


def choice_texts(state: TaskState) -> list[str]:
    """Return the texts of a sample's choices, in the order in which they are shown."""
    return [choice.value for choice in shown_choices(state)]


def shown_choices(state: TaskState) -> list[Choice]:
    """Return a sample's choices in the order in which the conversation shows them.

    A solver may shuffle the choices of the state. Inspect's `multiple_choice(shuffle=True)` leaves
    them shuffled, but once it has an answer, it rewrites question and answer in the data set's
    order.
    """
    ordered = sorted(state.choices, key=lambda choice: choice.original_position)
    lines = []
    for letter, choice in zip(ascii_uppercase, ordered, strict=False):
        lines.append(f"{letter}) {choice.value}")  # as Inspect's solver writes it
    options = "\n".join(lines)
    is_in_order = any(options in message.text for message in state.messages)
    return ordered if is_in_order else list(state.choices)


def user_message(text: str, state: TaskState, draw: int, **elicitation: object) -> ChatMessageUser:
    """Return a user message whose metadata record the item and the draw that it elicits.

    The metadata are not sent to the provider. They are part of Inspect's cache key, so that draws
    stay distinct with `--cache`, and simulated respondents take their seed from them.

    Args:
        text: What the model reads.
        state: State of the sample, which names the item in its metadata or by its id.
        draw: Number of the draw within the item, over all epochs.
        **elicitation: What is asked for: the `form`, as "interval", and its condition, as `level`.
    """
    return ChatMessageUser(
        content=text,
        metadata={"item": state.metadata.get("item", state.sample_id), "draw": draw, **elicitation},
    )


def conversation(message: ChatMessageUser, system: str | None) -> list[ChatMessage]:
    """Return the message, after a system message if there is one."""
    return [ChatMessageSystem(content=system), message] if system else [message]


async def ask_once(
    generate: Generate,
    state: TaskState,
    text: str,
    system: str | None = None,
    response_schema: ResponseSchema | None = None,
    **elicitation: object,
) -> TaskState:
    """Ask for a sample's one reply in exactly one call; an epoch is a draw.

    No elicitation offers tools. By default Inspect would ask again for as long as the model calls
    tools.

    Args:
        generate: The function that Inspect passes to a solver.
        state: State of the sample.
        text: What the model reads.
        system: A system message before the text, if any.
        response_schema: The form of the reply, for providers that take one.
        **elicitation: What is asked for, as in `user_message`.

    Raises:
        NoReplyError: The provider sent no reply.
    """
    state.messages = conversation(user_message(text, state, state.epoch - 1, **elicitation), system)
    try:
        return await generate(state, tool_calls="none", response_schema=response_schema)
    except IndexError:  # Inspect takes the first choice, whether there is one or not
        require_reply(state.output)
        raise


def choices_in_one_call(model: str) -> int:
    """Return how many draws a model gives in one call, for one reading of the prompt."""
    if "num_choices" in dropped_names(model, {}):
        return 1
    return _CHOICES_IN_ONE_CALL.get(model.split("/", 1)[0], 1)


async def draw_replies(
    conversations: Sequence[list[ChatMessage]], config: GenerateConfig | None = None
) -> list[ModelOutput]:
    """Ask for draws, all at once, and return an output of one choice for each.

    A provider that gives several choices in one call gets the first of their conversations. If it
    gives fewer choices than it was asked for, it is called once for each missing choice, so that
    there are never more calls than draws.

    Args:
        conversations: The messages of each draw, which differ in their metadata only.
        config: Generation settings that differ from the run's.

    Raises:
        NoReplyError: The provider sent no reply to a call.
    """
    chunk_size = choices_in_one_call(str(get_model()))
    starts = range(0, len(conversations), chunk_size)
    chunks = [conversations[start : start + chunk_size] for start in starts]
    answered = await collect(*(_ask(chunk[0], config, len(chunk)) for chunk in chunks))
    missing: list[list[ChatMessage]] = []
    for chunk, outputs in zip(chunks, answered, strict=True):
        missing += chunk[len(outputs) :]
    repeated = await collect(*(_ask(messages, config) for messages in missing))
    return list(chain.from_iterable([*answered, *repeated]))


async def _ask(
    messages: list[ChatMessage], config: GenerateConfig | None, choices: int = 1
) -> list[ModelOutput]:
    """Return up to `choices` outputs of one call, each with one choice."""
    config = config or GenerateConfig()
    if choices > 1:
        config = config.merge(GenerateConfig(num_choices=choices))
    output = require_reply(await get_model().generate(messages, config=config))
    return [output.model_copy(update={"choices": [choice]}) for choice in output.choices[:choices]]


async def ask_draws(
    state: TaskState,
    text: str,
    draws: int,
    system: str | None,
    config: GenerateConfig | None = None,
    **elicitation: object,
) -> TaskState:
    """Ask for the draws of an epoch, all at once, and store the replies.

    Args:
        state: State of the sample.
        text: What the model reads.
        draws: Number of draws per epoch.
        system: A system message before the text, if any.
        config: Generation settings that differ from the run's.
        **elicitation: What is asked for, as in `user_message`.
    """
    first = (state.epoch - 1) * draws
    conversations = []
    for draw in range(first, first + draws):
        conversations.append(conversation(user_message(text, state, draw, **elicitation), system))
    state.messages = list(conversations[0])
    store_draws(state, await draw_replies(conversations, config))
    return state


async def ask_main_and_draws(
    state: TaskState,
    text: str,
    draws: int,
    system: str | None,
    *,
    is_logged: bool = True,
    **elicitation: object,
) -> TaskState:
    """Ask for the main reply of an epoch, then for its further draws, and store all replies.

    The main replies of all samples are sent together, then the draws, so that a provider's batch
    mode takes them in two waves.

    Args:
        state: State of the sample.
        text: What the model reads.
        draws: Number of further draws per epoch.
        system: A system message before the text, if any.
        is_logged: Whether the sample's messages are those of the main call.
        **elicitation: What is asked for, as in `user_message`.
    """
    first = (state.epoch - 1) * (draws + 1)  # replies are numbered over all epochs
    main_conversation = conversation(
        user_message(text, state, first, main=True, **elicitation), system
    )
    if is_logged:
        state.messages = list(main_conversation)
    main = await draw_replies([main_conversation])
    store_draws(state, main)
    conversations = []
    for draw in range(first + 1, first + 1 + draws):
        message = user_message(text, state, draw, main=False, **elicitation)
        conversations.append(conversation(message, system))
    if conversations:
        store_draws(state, [*main, *await draw_replies(conversations)])
    return state


def store_draws(state: TaskState, outputs: Sequence[ModelOutput]) -> None:
    """Store every draw in the log, and the first as the sample's output."""
    state.store.set(_STORED, [asdict(draw_of(output)) for output in outputs])
    state.output = outputs[0]
    if outputs[0].message not in state.messages:
        state.messages.append(outputs[0].message)


def stored_draws(state: TaskState) -> list[Draw]:
    """Return the draws that a solver stored, also when a log is scored again."""
    # Without a default, which `Store.get` would write into the store.
    records: list[dict[str, Any]] = state.store.get(_STORED) or []
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
    """Return a choice's tokens, each with its log probability and those of its alternatives.

    It is None if the provider gave no log probabilities, or a list of none.
    """
    if choice.logprobs is None or not choice.logprobs.content:
        return None
    tokens = []
    for token in choice.logprobs.content:
        alternatives = {top.token: top.logprob for top in token.top_logprobs or []}
        tokens.append((token.token, token.logprob, alternatives))
    return tokens
