"""Asks for one exponent, repeatedly."""

from inspect_ai.model import ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_confidence.solvers.draws import draw_replies, store_draws
from inspect_confidence.solvers.message import conversation, user_message


@solver
def ask_point(prompt: str, system: str | None = None, draws: int = 20) -> Solver:
    """Point answers at the run's decoding temperature: one call a draw.

    Args:
        prompt: Template with the field `question`.
        system: A system message before it, if any.
        draws: How often to ask; the draws of a sample go out together.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        text = prompt.format(question=state.input_text)
        first = (state.epoch - 1) * draws

        def message(draw: int) -> ChatMessageUser:
            return user_message(text, state, draw, form="point")

        state.messages = conversation(message(first), system)
        store_draws(state, await draw_replies(message, first, draws, system))
        return state

    return solve
