"""Asks how sure a model is of its answer to any eval, and leaves the eval's own work as it is.

What is asked goes to the model in conversations of its own, and what it replies to the sample's
store, so that output, messages and scores of the eval are the same as without. Nothing that is
asked counts towards the eval's limits of tokens, messages, turns and working time.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from string import ascii_uppercase
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import (
    LimitExceededError,
    collect,
    message_limit,
    suspend_token_limit,
    suspend_turn_limit,
    suspend_working_limit,
)

from inspect_confidence import arguments, redaction
from inspect_confidence.answers import ParseFailure
from inspect_confidence.datasets.wep_survey import phrases
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judges.model import ROLE, require_grader
from inspect_confidence.judges.refusals import unless_refused
from inspect_confidence.prompts import confidence as prompts
from inspect_confidence.prompts.scale_variants import with_choices
from inspect_confidence.replies import require_reply
from inspect_confidence.scales import Scale, read_scales
from inspect_confidence.solvers.draws import Draw, draw_of, draw_replies
from inspect_confidence.solvers.integer import refuse_providers_without_logprobs
from inspect_confidence.solvers.message import user_message

WAYS = ("stated", "alone", "before", "p_true", "consistency", "words", "logprob")
"""How confidence is asked for; docs/any_eval.md says what each measures."""

_STORED = "inspect_confidence"
"""Evals themselves keep a `confidence`."""
_AGAIN = "confidence --action append"
"""How `inspect score` asks a judge again."""
_ONE_WORD = GenerateConfig(logprobs=True, top_logprobs=20, max_tokens=16)
"""As many alternatives as the OpenAI protocol gives."""


@dataclass(frozen=True)
class Asking:
    """What is asked about a sample.

    Attributes:
        ways: Some of `WAYS`.
        scale: Of the ways that ask for a number.
        draws: How many further answers `consistency` asks for.
    """

    ways: Sequence[str]
    scale: Scale
    draws: int

    @classmethod
    def of(cls, ways: object, scale: object, draws: object) -> "Asking":
        """From arguments as a task or a log has them.

        Raises:
            InvalidArgument: One of them can't be used.
        """
        scales = read_scales(scale)
        if len(scales) != 1:
            raise InvalidArgument(f"scale={scale} is not one scale; give one such as 0-100.")
        number = arguments.integer("draws", draws, minimum=1)
        return cls(arguments.choice_list("ways", ways, WAYS), scales[0], number)

    @property
    def calls(self) -> int:
        """Model calls a sample, beside the eval's own and those of a judge."""
        return sum({"consistency": self.draws, "logprob": 0}.get(way, 1) for way in self.ways)


Asked = Sequence[Draw] | ParseFailure
"""The replies to a way of asking, or why there are none."""


@solver
def ask_confidence(
    ways: str | list[str] = "stated", scale: str = "0-100", draws: int = 5
) -> Solver:
    """Ask how sure the model is, wherever the solver stands; `confidence` reads the replies.

    After the solver whose answer is meant all ways but `before` can be asked, and before it
    `before` alone: `solver=[ask_confidence("before"), generate(), ask_confidence("stated")]`.
    The state goes on as it came.

    Args:
        ways: Some of `stated`, `alone`, `before`, `p_true`, `consistency`, `words` and `logprob`:
            each is a call a sample, `consistency` so many as `draws`, `logprob` none.
        scale: Of `stated`, `alone` and `before`, as `0-100`.
        draws: How many further answers `consistency` asks for.
    """
    asking = Asking.of(ways, scale, draws)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        require_log_probabilities(asking.ways)
        with (
            suspend_token_limit(),
            suspend_turn_limit(),
            suspend_working_limit(),
            message_limit(None),
        ):
            keep(state, await asked(state, asking))
        return state

    return solve


@solver
def ready_to_ask(ways: list[str], agreement: str) -> Solver:
    """Refuse, before the eval's first call, a model that can't be asked so; asks nothing."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        require_models(ways, agreement)
        return state

    return solve


def require_models(ways: Sequence[str], agreement: str) -> None:
    """Refuse, before the first call, models that can't give what ways and agreement need."""
    require_log_probabilities(ways)
    if agreement == "judge" and "consistency" in ways:
        require_grader("agreement=judge", "agreement=text")


def require_log_probabilities(ways: Sequence[str]) -> None:
    """Refuse a provider that can't give what a way needs, before the first call."""
    if {"p_true", "logprob"}.intersection(ways):
        refuse_providers_without_logprobs()


@dataclass(frozen=True)
class Kept:
    """What came of a way of asking, and on which scale it was asked."""

    scale: Scale
    replies: Asked

    def as_json(self) -> dict[str, Any]:
        """As a log holds it."""
        if isinstance(self.replies, ParseFailure):
            return {"scale": str(self.scale), "failure": asdict(self.replies)}
        return {"scale": str(self.scale), "replies": [asdict(one) for one in self.replies]}

    @classmethod
    def of_json(cls, kept: Mapping[str, Any]) -> "Kept":
        """From what a log holds."""
        scale = read_scales(kept["scale"])[0]
        if "failure" in kept:
            return cls(scale, ParseFailure(**kept["failure"]))
        return cls(scale, [Draw(**one) for one in kept["replies"]])


def kept_in(store: Mapping[str, Any]) -> dict[str, Kept]:
    """By way, what a sample's store holds of asking."""
    return {way: Kept.of_json(one) for way, one in store.get(_STORED, {}).items()}


def keep(state: TaskState, made: Mapping[str, Kept]) -> None:
    """Put it into the sample's store, beside what is there."""
    there = dict(state.store.items()).get(_STORED, {})
    state.store.set(_STORED, {**there, **{way: one.as_json() for way, one in made.items()}})


async def asked(state: TaskState, asking: Asking) -> dict[str, Kept]:
    """What came of each way, all asked at once; `logprob` has the reply of the eval itself."""
    replies = await collect(*(_replies(state, way, asking) for way in asking.ways))
    return {way: Kept(asking.scale, one) for way, one in zip(asking.ways, replies, strict=True)}


async def _replies(state: TaskState, way: str, asking: Asking) -> Asked:
    if failure := _unaskable(state, way):
        return failure
    try:
        outputs = await _ASKED[way](state, asking)
    except LimitExceededError as error:
        return ParseFailure("limit_reached", f"the {error.type} limit was reached")
    except Exception as error:  # each provider has its own; the eval's own answer shall stand
        return ParseFailure(
            "sample_error", f"asking failed: {redaction.failure(error, state.input_text)}"
        )
    return [draw_of(output) for output in outputs]


def _unaskable(state: TaskState, way: str) -> ParseFailure | None:
    """Why nothing can be asked this way; None where it can."""
    if way != "before" and not state.output.choices:
        return ParseFailure("limit_reached", "the eval gave no answer to be sure of")
    if way in ("alone", "p_true", "consistency") and not state.output.completion.strip():
        return ParseFailure("no_response", "the eval's answer has no text")
    if way in ("alone", "p_true", "before") and _more_than_text(state):
        return ParseFailure("scoring_failed", "the question has more than text, which isn't shown")
    if way == "consistency" and any(isinstance(one, ChatMessageTool) for one in state.messages):
        why = "the answer came about with tools; run the eval with epochs instead"
        return ParseFailure("scoring_failed", why)
    return None


def _more_than_text(state: TaskState) -> bool:
    asked = [] if isinstance(state.input, str) else state.input
    parts = [part for one in asked if not isinstance(one.content, str) for part in one.content]
    return any(part.type != "text" for part in parts)


def question_of(state: TaskState) -> str:
    """What the eval asked, as text: its messages, and the choices by their letters."""
    if isinstance(state.input, str):
        text = state.input
    elif len(state.input) == 1:
        text = state.input[0].text
    else:
        text = "\n\n".join(f"{one.role}: {one.text}" for one in state.input)
    return with_choices(text, [choice.value for choice in state.choices])


def _conversation(state: TaskState) -> list[ChatMessage]:
    """The eval's conversation with its answer at the end, and no tool call left unanswered."""
    answered = {one.tool_call_id for one in state.messages if isinstance(one, ChatMessageTool)}
    messages = [_without_calls(one, answered) for one in state.messages]
    last = messages[-1] if messages else None
    answer = state.output.completion
    if not isinstance(last, ChatMessageAssistant) or answer not in last.text:
        messages.append(ChatMessageAssistant(content=answer))
    return messages


def _without_calls(message: ChatMessage, answered: set[str | None]) -> ChatMessage:
    if not isinstance(message, ChatMessageAssistant) or not message.tool_calls:
        return message
    kept = [call for call in message.tool_calls if call.id in answered]
    return message.model_copy(update={"tool_calls": kept or None})


async def _in_conversation(state: TaskState, text: str, **form: object) -> list[ModelOutput]:
    asks = user_message(text, state, state.epoch - 1, **form)
    there = state.tools
    output = await get_model().generate(
        [*_conversation(state), asks],
        # Some providers want the tools named that a conversation called.
        tools=there,
        tool_choice="none" if there else None,
    )
    return [require_reply(output)]


async def _anew(
    state: TaskState, text: str, config: GenerateConfig | None = None, **form: object
) -> list[ModelOutput]:
    asks = user_message(text, state, state.epoch - 1, **form)
    return [require_reply(await get_model().generate([asks], config=config or GenerateConfig()))]


def _shown(state: TaskState) -> dict[str, str]:
    return {"question": question_of(state), "answer": state.output.completion}


async def _stated(state: TaskState, asking: Asking) -> list[ModelOutput]:
    low, high = asking.scale.low, asking.scale.high
    text = prompts.STATED.format(l=low, u=high)
    return await _in_conversation(state, text, form="confidence", low=low, high=high)


async def _alone(state: TaskState, asking: Asking) -> list[ModelOutput]:
    low, high = asking.scale.low, asking.scale.high
    text = prompts.ALONE.format(**_shown(state), l=low, u=high)
    return await _anew(state, text, form="confidence_alone", low=low, high=high)


async def _before(state: TaskState, asking: Asking) -> list[ModelOutput]:
    low, high = asking.scale.low, asking.scale.high
    text = prompts.BEFORE.format(question=question_of(state), l=low, u=high)
    return await _anew(state, text, form="confidence_before", low=low, high=high)


async def _p_true(state: TaskState, asking: Asking) -> list[ModelOutput]:
    return await _anew(state, prompts.P_TRUE.format(**_shown(state)), _ONE_WORD, form="p_true")


async def _consistency(state: TaskState, asking: Asking) -> list[ModelOutput]:
    """The messages that the last answer replied to, so often again."""
    assistant = [k for k, one in enumerate(state.messages) if one.role == "assistant"]
    before = state.messages[: assistant[-1]] if assistant else state.messages
    last = max(k for k, one in enumerate(before) if one.role == "user")
    item = state.metadata.get("item", state.sample_id)

    def again(draw: int) -> list[ChatMessage]:
        # Its number keeps the draw apart from others in Inspect's cache.
        asks = before[last].model_copy(
            update={"metadata": {**(before[last].metadata or {}), "item": item, "draw": draw}}
        )
        return [*before[:last], asks, *before[last + 1 :]]

    return await draw_replies(again, (state.epoch - 1) * asking.draws, asking.draws)


async def _words(state: TaskState, asking: Asking) -> list[ModelOutput]:
    lettered = zip(ascii_uppercase, phrases(), strict=False)
    listed = "\n".join(f"{letter}. {phrase}" for letter, phrase in lettered)
    return await _in_conversation(state, prompts.WORDS.format(phrases=listed), form="phrase")


async def _logprob(state: TaskState, asking: Asking) -> list[ModelOutput]:
    return [state.output]


_ASKED: Mapping[str, Callable[[TaskState, Asking], Awaitable[list[ModelOutput]]]] = {
    "stated": _stated,
    "alone": _alone,
    "before": _before,
    "p_true": _p_true,
    "consistency": _consistency,
    "words": _words,
    "logprob": _logprob,
}


async def same(state: TaskState, answer: str, other: str) -> ModelOutput:
    """What a judge says to two answers: the model in the role `grader`, at temperature 0."""
    text = prompts.SAME.format(question=question_of(state), answer=answer, other=other)
    asks = ChatMessageUser(content=text, metadata={"form": "same"})
    judge = get_model(role=ROLE)
    output = await unless_refused(
        judge, lambda: judge.generate([asks], config=GenerateConfig(temperature=0)), _AGAIN
    )
    return require_reply(output)
