"""Asks for an interval of exponents at a nominal level, once or repeatedly."""

from inspect_ai.model import ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_confidence.solvers.draws import draw_replies, store_draws
from inspect_confidence.solvers.message import conversation, user_message


@solver
def ask_interval(prompt: str, system: str | None = None, draws: int = 1) -> Solver:
    """The two bounds at the sample's level: one call a draw.

    Args:
        prompt: Template with the fields `question` and `level`.
        system: A system message before it, if any.
        draws: How often to ask; the draws of a sample go out together.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        level = state.metadata["level"]
        text = prompt.format(question=state.input_text, level=f"{level:g}")
        first = (state.epoch - 1) * draws

        def message(draw: int) -> ChatMessageUser:
            return user_message(text, state, draw, form="interval", level=level)

        state.messages = conversation(message(first), system)
        if draws == 1:
            return await generate(state)
        store_draws(state, await draw_replies(message, first, draws, system))
        return state

    return solve
