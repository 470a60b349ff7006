"""Asks for a model's confidence in its answer to any eval, and leaves the eval's own work as it is.

The requests are sent in separate conversations, and the replies are written to the sample's store,
so that output, messages and scores of the eval are the same as without them. The requests do not
count towards the eval's limits of tokens, messages, turns and working time.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from string import ascii_uppercase
from typing import Any, NamedTuple

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
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.judges.model import ROLE, require_grader
from inspect_confidence.judges.refusals import unless_refused
from inspect_confidence.prompts import confidence as prompts
from inspect_confidence.prompts import decisions as decision_prompts
from inspect_confidence.prompts.decisions import penalty
from inspect_confidence.prompts.scale_variants import with_choices
from inspect_confidence.replies import require_reply
from inspect_confidence.scales import Scale, read_scale
from inspect_confidence.solvers.draws import Draw, choice_texts, draw_of, draw_replies, user_message
from inspect_confidence.solvers.requests import ONE_WORD, refuse_providers_without_logprobs
from inspect_confidence.ways import DECLINE, KEEP, PUSHBACK, decline_way, is_decision, target_of

METHODS = (
    *("stated", "alone", "before", "p_true", "consistency", "words", "logprob"),
    *(DECLINE, KEEP, PUSHBACK),
)
"""Methods of elicitation; docs/any_eval.md says what each measures."""
COMPARING = frozenset({"consistency", PUSHBACK})
"""Methods that compare two answers."""
NEEDING_LOGPROBS = frozenset({"p_true", "logprob"})
"""Methods that read the log probabilities of tokens."""
TARGETS = "0.75"
"""Confidence target of `decline` by default."""

_STORED = "inspect_confidence"
"""Key in the store; evals themselves use `confidence`."""
_RESCORE = "confidence --action append"
"""Arguments of `inspect score` that ask a judge again."""


@dataclass(frozen=True)
class ConfidenceRequest:
    """A request for a model's confidence in its answer to a sample.

    Attributes:
        methods: Methods of elicitation, some of `METHODS`, with `decline` once for each target.
        scale: Scale of the methods that ask for a number.
        draws: Number of further answers for `consistency`.
        wording: Wording that replaces the package's own in methods that ask for a number.
    """

    methods: Sequence[str]
    scale: Scale
    draws: int
    wording: str | None = None

    @classmethod
    def from_arguments(
        cls,
        ways: object,
        scale: object,
        draws: object,
        prompt: object = None,
        targets: object = TARGETS,
    ) -> "ConfidenceRequest":
        """Return the request for the arguments of `ask_confidence`, of a task or from a log.

        Raises:
            InvalidArgument: An argument cannot be used.
        """
        parsed_scale = read_scale(scale)
        number = arguments.integer("draws", draws, minimum=1, maximum=arguments.MAX_DRAWS)
        methods = arguments.choice_list("ways", ways, METHODS)
        shares = arguments.numbers("targets", targets, above=0, below=1)
        wording = _wording(prompt, methods, parsed_scale) if prompt else None
        expanded: list[str] = []
        for method in methods:  # `decline` is asked once for each target, as `decline_0.75`
            expanded += map(decline_way, shares) if method == DECLINE else [method]
        return cls(expanded, parsed_scale, number, wording)

    def text(self, method: str, **fields: str) -> str:
        """Return the text of a request for a number, filled with the scale and the `fields`.

        The method is `stated`, `alone` or `before`, the fields are `question` and `answer`. A
        user's wording replaces that of each method and may leave out fields.
        """
        low, high = self.scale
        if self.wording is not None:
            fields = {name: fields.get(name, "") for name in prompts.FIELDS}
            return self.wording.format(**{**fields, "low": str(low), "high": str(high)})
        wording = _NUMBER_METHODS[method].wording
        if self.scale.has_decimals:
            wording = prompts.with_decimals(wording)
        return wording.format(**fields, l=low, u=high)

    @property
    def calls(self) -> int:
        """Model calls per sample, without the eval's own and those of a judge."""
        calls = {"consistency": self.draws, "logprob": 0}
        return sum(calls.get(method, 1) for method in self.methods)


class _NumberMethod(NamedTuple):
    """A method that asks for a number."""

    form: str  # the elicitation in the message's metadata
    wording: str
    needed: Collection[str] = ()  # fields that a user's wording must have


_NUMBER_METHODS = {
    "stated": _NumberMethod("confidence", prompts.STATED),
    "alone": _NumberMethod("confidence_alone", prompts.ALONE, {"question", "answer"}),
    "before": _NumberMethod("confidence_before", prompts.BEFORE, {"question"}),
}


def _wording(prompt: object, methods: Sequence[str], scale: Scale) -> str:
    """Return the wording of requests for a number: a published one by name, or from a user's file.

    Raises:
        InvalidArgument: The wording doesn't exist, or methods or scale don't fit it.
    """
    published = prompts.PUBLISHED.get(str(prompt))
    number_methods = [method for method in methods if method in _NUMBER_METHODS]
    if not number_methods:
        raise InvalidArgument(
            f"prompt={prompt}: none of ways={','.join(methods)} asks for a number; "
            f"add one of {', '.join(_NUMBER_METHODS)}."
        )
    if published is None and not (arguments.shell_folder() / str(prompt)).is_file():
        raise InvalidArgument(
            f"prompt={prompt} is neither a file nor a published wording. "
            f"{nearest(str(prompt), prompts.PUBLISHED)}"
        )
    if published and scale != read_scale(published.scale):
        raise InvalidArgument(
            f"prompt={prompt} asks on {published.scale}, not on {scale}: "
            f"add scale={published.scale}."
        )
    text = published.text if published else arguments.prompt_text("prompt", prompt)
    fields = arguments.fields_within(f"prompt={prompt}", text, prompts.FIELDS)
    for method in number_methods:
        _check_fields(prompt, fields, method, is_published=published is not None)
    return text


def _check_fields(prompt: object, fields: set[str], method: str, *, is_published: bool) -> None:
    """Refuse a wording whose fields, such as `question`, don't fit a method that asks for a number.

    A wording must have the fields that the method needs. The method `before` has no answer
    to show yet. For other methods a published wording with the question would ask for a new answer.
    """
    if missing := sorted(set(_NUMBER_METHODS[method].needed) - fields):
        raise InvalidArgument(f"prompt={prompt} lacks {{{missing[0]}}}, which ways={method} needs.")
    if method == "before" and "answer" in fields:
        raise InvalidArgument(
            f"prompt={prompt} has {{answer}}, but ways=before asks before there is one."
        )
    if method != "before" and is_published and "question" in fields:
        raise InvalidArgument(
            f"prompt={prompt} asks for an answer of its own: use it with ways=before."
        )


Replies = Sequence[Draw] | ParseFailure
"""The replies to a method of elicitation, or why there are none."""


@solver
def ask_confidence(
    ways: str | list[str] = "stated",
    scale: str = "0-100",
    draws: int = 5,
    prompt: str | None = None,
    targets: str | float | list[float] = TARGETS,
) -> Solver:
    """Ask for the model's confidence; the scorer `confidence` reads the replies.

    After the solver that gives the answer, every method but `before` can be used; before it, only
    `before`: `solver=[ask_confidence("before"), generate(), ask_confidence("stated")]`. The state
    of the sample is not changed.

    Args:
        ways: Methods: some of `stated`, `alone`, `before`, `p_true`, `consistency`, `words`,
            `logprob`, `decline`, `keep` and `pushback`. Each is one call per sample, `consistency`
            is `draws` calls, `decline` one for each target, `logprob` none.
        scale: Scale of `stated`, `alone` and `before`, such as `0-100`.
        draws: Number of further answers for `consistency`.
        prompt: Wording of `stated`, `alone` and `before`: the name of a published one, or a file.
        targets: Confidence targets of `decline`, between 0 and 1.
    """
    request = ConfidenceRequest.from_arguments(ways, scale, draws, prompt, targets)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        """Ask by the solver's `request`, not counting to the eval's limits; store the replies."""
        require_log_probabilities(request.methods)
        with (
            suspend_token_limit(),
            suspend_turn_limit(),
            suspend_working_limit(),
            message_limit(None),
        ):
            store_replies(state, await elicit(state, request))
        return state

    return solve


@solver
def ready_to_ask(ways: list[str], agreement: str) -> Solver:
    """Refuse, before the eval's first call, a model that does not support a method; ask nothing.

    With the `agreement` "judge", a model must be named that compares answers.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        require_models(ways, agreement)
        return state

    return solve


def require_models(methods: Sequence[str], agreement: str) -> None:
    """Refuse, before the first call, models that do not support the methods or the agreement."""
    require_log_probabilities(methods)
    if agreement == "judge" and COMPARING.intersection(methods):
        require_grader("agreement=judge", "agreement=text")


def require_log_probabilities(methods: Sequence[str]) -> None:
    """Refuse, before the first call, a provider without log probabilities if methods need them."""
    if NEEDING_LOGPROBS.intersection(methods):
        refuse_providers_without_logprobs()


@dataclass(frozen=True)
class ElicitedReplies:
    """The replies to a method of elicitation, or why there are none, and the scale asked for."""

    scale: Scale
    replies: Replies

    def as_json(self) -> dict[str, Any]:
        """Return the scale with the replies, or with why there are none, for a log."""
        if isinstance(self.replies, ParseFailure):
            return {"scale": str(self.scale), "failure": asdict(self.replies)}
        return {"scale": str(self.scale), "replies": list(map(asdict, self.replies))}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "ElicitedReplies":
        """Return the replies from the content in a log."""
        scale = read_scale(content["scale"])
        if "failure" in content:
            return cls(scale, ParseFailure(**content["failure"]))
        return cls(scale, [Draw(**reply) for reply in content["replies"]])


def stored_replies(store: Mapping[str, Any]) -> dict[str, ElicitedReplies]:
    """Return the replies in a sample's store, by method."""
    contents = store.get(_STORED, {})
    return {method: ElicitedReplies.from_json(content) for method, content in contents.items()}


def store_replies(state: TaskState, replies: Mapping[str, ElicitedReplies]) -> None:
    """Add the replies of some methods to a sample's store."""
    # Without a default, which `Store.get` would write into the store.
    contents = dict(state.store.get(_STORED) or {})
    for method, elicited in replies.items():
        contents[method] = elicited.as_json()
    state.store.set(_STORED, contents)


async def elicit(state: TaskState, request: ConfidenceRequest) -> dict[str, ElicitedReplies]:
    """Ask by all methods at once; return replies or failures (`logprob`: the eval's own reply)."""
    outcomes = await collect(*(_ask_method(state, method, request) for method in request.methods))
    replies = {}
    for method, outcome in zip(request.methods, outcomes, strict=True):
        replies[method] = ElicitedReplies(request.scale, outcome)
    return replies


async def _ask_method(state: TaskState, method: str, request: ConfidenceRequest) -> Replies:
    """Ask by one method and return the replies, or the failure; no error leaves this function."""
    if failure := _unaskable(state, method):
        return failure
    try:
        target = target_of(method)
        if target is not None:
            outputs = await _ask_decline(state, target)
        else:
            outputs = await _ELICITATIONS[method](state, request)
    except LimitExceededError as error:
        return ParseFailure("limit_reached", f"the {error.type} limit was reached")
    except Exception as error:  # each provider has its own; the eval's own answer shall stand
        return ParseFailure(
            "sample_error", f"asking failed: {redaction.failure(error, state.input_text)}"
        )
    return list(map(draw_of, outputs))


def _unaskable(state: TaskState, method: str) -> ParseFailure | None:
    """Return why a method cannot be used for a sample, or None if it can."""
    if method != "before" and not state.output.choices:
        return ParseFailure(
            "limit_reached",
            "the eval gave no answer to be sure of; ask_confidence comes after what answers",
        )
    needs_text = is_decision(method) or method in ("alone", "p_true", "consistency")
    if needs_text and not state.output.completion.strip():
        # Not `no_response`, which is of a request that was sent.
        return ParseFailure("scoring_failed", "the answer has no text to ask about")
    if method in ("alone", "p_true", "before") and _has_more_than_text(state):
        return ParseFailure("scoring_failed", "the question has more than text, which isn't shown")
    has_tools = any(isinstance(message, ChatMessageTool) for message in state.messages)
    if method in ("consistency", PUSHBACK) and has_tools:
        reason = "the answer came about with tools; run the eval with epochs instead"
        return ParseFailure("scoring_failed", reason)
    return None


def _has_more_than_text(state: TaskState) -> bool:
    """Return whether the eval's question has images or other content that is not text."""
    for message in [] if isinstance(state.input, str) else state.input:
        content = message.content
        if not isinstance(content, str) and any(part.type != "text" for part in content):
            return True
    return False


def question_of(state: TaskState) -> str:
    """Return the eval's question as text: its messages, and the choices with their labels.

    The labels are those of Inspect's solver: letters and, after Z, the numbers from 1.
    """
    if isinstance(state.input, str):
        text = state.input
    elif len(state.input) == 1:
        text = state.input[0].text
    else:
        text = "\n\n".join(f"{message.role}: {message.text}" for message in state.input)
    choices = choice_texts(state)
    lines = [with_choices(text, choices)]  # up to Z
    lines += [f"{number}. {text}" for number, text in enumerate(choices[26:], start=1)]
    return "\n".join(lines)


def _conversation(state: TaskState) -> list[ChatMessage]:
    """Return the eval's conversation, ending with its answer, without unanswered tool calls."""
    answered: set[str | None] = set()
    for message in state.messages:
        if isinstance(message, ChatMessageTool):
            answered.add(message.tool_call_id)
    messages = [_without_calls(message, answered) for message in state.messages]
    last = messages[-1] if messages else None
    answer = state.output.completion
    # A solver may set the answer without adding a message.
    if not isinstance(last, ChatMessageAssistant) or answer not in last.text:
        messages.append(ChatMessageAssistant(content=answer))
    return messages


def _without_calls(message: ChatMessage, answered: set[str | None]) -> ChatMessage:
    """Return a message without tool calls whose ids are not `answered`: no result follows them."""
    if not isinstance(message, ChatMessageAssistant) or not message.tool_calls:
        return message
    calls = [call for call in message.tool_calls if call.id in answered]
    return message.model_copy(update={"tool_calls": calls or None})


async def _in_conversation(state: TaskState, text: str, **elicitation: object) -> list[ModelOutput]:
    """Send a request, with the `elicitation` in its metadata, after the eval's conversation."""
    # An epoch has one such request: the draw, which counts over all epochs, is the epoch from 0.
    message = user_message(text, state, draw=state.epoch - 1, **elicitation)
    output = await get_model().generate(
        [*_conversation(state), message],
        # Some providers want the tools named that a conversation called.
        tools=state.tools,
        tool_choice="none" if state.tools else None,
    )
    return [require_reply(output)]


async def _in_new_conversation(
    state: TaskState, text: str, config: GenerateConfig | None = None, **elicitation: object
) -> list[ModelOutput]:
    """Send a request, with the `elicitation` in its metadata, in a conversation of its own."""
    message = user_message(text, state, draw=state.epoch - 1, **elicitation)
    output = await get_model().generate([message], config=config or GenerateConfig())
    return [require_reply(output)]


async def _ask_decline(state: TaskState, target: float) -> list[ModelOutput]:
    text = prompts.DECLINE.format(penalty=penalty(target))
    return await _in_conversation(state, text, form="decline", target=target)


async def _ask_keep(state: TaskState, request: ConfidenceRequest) -> list[ModelOutput]:
    return await _in_conversation(state, decision_prompts.COMMITMENT, form="commitment")


async def _ask_pushback(state: TaskState, request: ConfidenceRequest) -> list[ModelOutput]:
    return await _in_conversation(state, _PUSHBACK, form="pushback", pushback=DISAGREE)


DISAGREE = "disagree"
"""Kind of pushback that `pushback` sends."""
_PUSHBACK = decision_prompts.PUSHBACKS[DISAGREE].format(format=prompts.SAME_FORMAT)


def conversation_after_pushback(state: TaskState, reply: str) -> list[ChatMessage]:
    """Return the eval's conversation with the disagreement and the reply to it added."""
    disagreement = ChatMessageUser(content=_PUSHBACK)
    return [*_conversation(state), disagreement, ChatMessageAssistant(content=reply)]


def _prompt_fields(state: TaskState) -> dict[str, str]:
    return {"question": question_of(state), "answer": state.output.completion}


async def _ask_number(
    method: str, state: TaskState, request: ConfidenceRequest
) -> list[ModelOutput]:
    """Ask for a number: by `stated` after the answer, by other methods in a new conversation."""
    text = request.text(method, **_prompt_fields(state))
    ask = _in_conversation if method == "stated" else _in_new_conversation
    low, high = request.scale.low, request.scale.high
    return await ask(state, text, form=_NUMBER_METHODS[method].form, low=low, high=high)


async def _ask_p_true(state: TaskState, request: ConfidenceRequest) -> list[ModelOutput]:
    return await _in_new_conversation(
        state, prompts.P_TRUE.format(**_prompt_fields(state)), ONE_WORD, form="p_true"
    )


async def _ask_consistency(state: TaskState, request: ConfidenceRequest) -> list[ModelOutput]:
    """Ask again, `draws` times, with the messages that the last answer replied to.

    The draws of all epochs are numbered from 0 on.
    """
    roles = [message.role for message in state.messages]
    answer_positions = [index for index, role in enumerate(roles) if role == "assistant"]
    before = state.messages[: answer_positions[-1]] if answer_positions else state.messages
    # Position of the question, the last message of the user before the answer; an error without it.
    last = max(index for index, role in enumerate(roles[: len(before)]) if role == "user")
    item = state.metadata.get("item", state.sample_id)
    first = (state.epoch - 1) * request.draws
    conversations = []
    for draw in range(first, first + request.draws):
        # The number of the draw keeps it apart from others in Inspect's cache.
        metadata = {**(before[last].metadata or {}), "item": item, "draw": draw}
        question = before[last].model_copy(update={"metadata": metadata})
        conversations.append([*before[:last], question, *before[last + 1 :]])
    return await draw_replies(conversations)


async def _ask_words(state: TaskState, request: ConfidenceRequest) -> list[ModelOutput]:
    lettered = zip(ascii_uppercase, phrases(), strict=False)
    lines = "\n".join(f"{letter}. {phrase}" for letter, phrase in lettered)
    return await _in_conversation(state, prompts.WORDS.format(phrases=lines), form="phrase")


async def _ask_logprob(state: TaskState, request: ConfidenceRequest) -> list[ModelOutput]:
    return [state.output]


_ELICITATIONS: Mapping[
    str, Callable[[TaskState, ConfidenceRequest], Awaitable[list[ModelOutput]]]
] = {
    **{method: partial(_ask_number, method) for method in _NUMBER_METHODS},
    "p_true": _ask_p_true,
    "consistency": _ask_consistency,
    "words": _ask_words,
    "logprob": _ask_logprob,
    KEEP: _ask_keep,
    PUSHBACK: _ask_pushback,
}


async def ask_same_answer(state: TaskState, first: str, second: str) -> ModelOutput:
    """Ask a judge (the model in the role `grader`, at temperature 0) whether two answers agree.

    After several refusals by its provider it is not called again: `JudgeRefused` is raised.
    """
    text = prompts.SAME.format(question=question_of(state), answer=first, other=second)
    # The form "same" tells simulated judges what is asked.
    message = ChatMessageUser(content=text, metadata={"form": "same"})
    judge = get_model(role=ROLE)
    ask = partial(judge.generate, [message], config=GenerateConfig(temperature=0))
    return require_reply(await unless_refused(judge, ask, _RESCORE))
