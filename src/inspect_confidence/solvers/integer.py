"""Solvers that ask for an integer with its log probabilities, directly or after reasoning."""

from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import collect

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.replies import require_reply
from inspect_confidence.solvers.draws import store_draws
from inspect_confidence.solvers.message import conversation, pose, user_message
from inspect_confidence.solvers.requests import dropped_names, run_settings

_PROVIDERS_WITHOUT = {"bedrock", "cloudflare", "perplexity"}
_PROVIDERS_WITH = (
    "openai (but its reasoning models), google, grok, together, vllm, sglang, hf, respondent"
)
# The OpenAI protocol gives at most 20 alternatives.
_INTEGER = GenerateConfig(logprobs=True, top_logprobs=20, max_tokens=16)


@solver
def ask_integer(prompt: str, system: str | None = None) -> Solver:
    """Ask for an integer with its log probabilities, in one call.

    Args:
        prompt: Template with the field `question`.
        system: A system message before it, if any.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        refuse_providers_without_logprobs()
        text = prompt.format(question=state.input_text)
        pose(state, text, system, form="integer")
        output = await get_model().generate(state.messages, config=_INTEGER)
        store_draws(state, [require_reply(output)])
        return state

    return solve


@solver
def ask_traces(prompt: str, answer: str, system: str | None = None, draws: int = 10) -> Solver:
    """Ask for reasoning traces, each followed by an integer with its log probabilities.

    A trace is two calls.

    Args:
        prompt: Template with the field `question`, which asks for reasoning alone.
        answer: The message that asks for the integer afterwards.
        system: A system message before the conversation, if any.
        draws: Number of traces; those of a sample are sent together.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        refuse_providers_without_logprobs()
        text = prompt.format(question=state.input_text)

        async def trace(draw: int) -> ModelOutput:
            question = user_message(text, state, draw, form="trace")
            reasoned = require_reply(await get_model().generate(conversation(question, system)))
            follow_up = user_message(answer, state, draw, form="integer")
            # An unrequested tool call is not sent back: no result follows it.
            trace = reasoned.message.model_copy(update={"tool_calls": None})
            whole: list[ChatMessage] = [*conversation(question, system), trace, follow_up]
            return require_reply(await get_model().generate(whole, config=_INTEGER))

        first = (state.epoch - 1) * draws
        state.messages = conversation(user_message(text, state, first, form="trace"), system)
        store_draws(state, await collect(*(trace(first + i) for i in range(draws))))
        return state

    return solve


def refuse_providers_without_logprobs() -> None:
    """Refuse, before the first call, a provider without log probabilities."""
    model = str(get_model())
    provider = model.split("/", 1)[0]
    if provider in _PROVIDERS_WITHOUT or "logprobs" in dropped_names(model, run_settings()):
        raise InvalidArgument(
            f"{model} gives no log probabilities, which this method needs; these do: "
            f"{_PROVIDERS_WITH}."
        )
