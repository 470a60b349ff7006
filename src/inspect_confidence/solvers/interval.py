"""A solver that asks for an interval of exponents at a nominal level, once or repeatedly."""

from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_confidence.solvers.draws import ask_draws
from inspect_confidence.solvers.message import ask_once


@solver
def ask_interval(prompt: str, system: str | None = None, draws: int | None = None) -> Solver:
    """Ask for the two bounds at the sample's level, in one call per draw.

    Args:
        prompt: Template with the fields `question` and `level`.
        system: A system message before it, if any.
        draws: Number of draws, sent together; None for a single reply, which is the sample's
            output and no draw.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        level = state.metadata["level"]
        text = prompt.format(question=state.input_text, level=f"{level:g}")
        if draws is None:
            return await ask_once(generate, state, text, system, form="interval", level=level)
        return await ask_draws(state, text, draws, system, form="interval", level=level)

    return solve
