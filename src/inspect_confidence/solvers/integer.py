"""Asks for one integer with its token's log probabilities, at once or after reasoning."""

from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import collect

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.replies import require_reply
from inspect_confidence.solvers.draws import store_draws
from inspect_confidence.solvers.message import conversation, pose, user_message
from inspect_confidence.solvers.requests import dropped_names, run_settings

_WITHOUT = {"bedrock", "cloudflare", "perplexity"}
_WITH = "openai (but its reasoning models), google, grok, together, vllm, sglang, hf, respondent"
# As many alternatives as the OpenAI protocol gives.
_INTEGER = GenerateConfig(logprobs=True, top_logprobs=20, max_tokens=16)


@solver
def ask_integer(prompt: str, system: str | None = None) -> Solver:
    """One call: an integer with its log probabilities.

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
    """Reasoning traces, each followed by an integer with its log probabilities: two calls a trace.

    Args:
        prompt: Template with the field `question`, which asks for reasoning alone.
        answer: What asks for the integer afterwards.
        system: A system message before all, if any.
        draws: Number of traces; those of a sample go out together.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        refuse_providers_without_logprobs()
        text = prompt.format(question=state.input_text)

        async def trace(draw: int) -> ModelOutput:
            asked = user_message(text, state, draw, form="trace")
            reasoned = require_reply(await get_model().generate(conversation(asked, system)))
            then = user_message(answer, state, draw, form="integer")
            # A tool call that nobody asked for is not sent back: no result follows it.
            trace = reasoned.message.model_copy(update={"tool_calls": None})
            whole: list[ChatMessage] = [*conversation(asked, system), trace, then]
            return require_reply(await get_model().generate(whole, config=_INTEGER))

        first = (state.epoch - 1) * draws
        state.messages = conversation(user_message(text, state, first, form="trace"), system)
        store_draws(state, await collect(*(trace(first + i) for i in range(draws))))
        return state

    return solve


def refuse_providers_without_logprobs() -> None:
    """Before the first call: a run without log probabilities would be paid for nothing."""
    model = str(get_model())
    provider = model.split("/", 1)[0]
    if provider in _WITHOUT or "logprobs" in dropped_names(model, run_settings()):
        raise InvalidArgument(
            f"{model} gives no log probabilities, which this method needs; these do: {_WITH}."
        )
