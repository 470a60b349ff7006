"""A solver that asks for one exponent repeatedly."""

from inspect_ai.model import get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_confidence.solvers.draws import ask_draws
from inspect_confidence.solvers.requests import refuse_unsent, run_settings

CALIBRATED = ("temperature",)
"""Settings that differ between runs of repeated points, and that calibration selects from."""


@solver
def ask_point(prompt: str, system: str | None = None, draws: int = 20) -> Solver:
    """Ask for point answers at the run's decoding temperature, in one call per draw.

    Args:
        prompt: Template with the field `question`.
        system: A system message before it, if any.
        draws: Number of draws; those of a sample are sent together.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        refuse_unsent(str(get_model()), run_settings(), CALIBRATED)
        text = prompt.format(question=state.input_text)
        return await ask_draws(state, text, draws, system, form="point")

    return solve
