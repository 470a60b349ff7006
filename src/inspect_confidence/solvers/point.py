"""Asks for one exponent, repeatedly."""

from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_confidence.solvers.draws import ask_draws


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
        return await ask_draws(state, text, draws, system, form="point")

    return solve
