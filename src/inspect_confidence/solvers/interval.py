"""Asks for an interval of exponents at a nominal level."""

from inspect_ai.model import ChatMessageSystem
from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_confidence.solvers._message import user_message


@solver
def ask_interval(prompt: str, system: str | None = None) -> Solver:
    """One call: the two bounds at the sample's level.

    Args:
        prompt: Template with the fields `question` and `level`.
        system: A system message before it, if any.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        level = state.metadata["level"]
        text = prompt.format(question=state.input_text, level=f"{level:g}")
        asked = user_message(text, state, state.epoch - 1, form="interval", level=level)
        state.messages = [*([ChatMessageSystem(content=system)] if system else []), asked]
        return await generate(state)

    return solve
