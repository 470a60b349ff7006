"""Asks for one exponent, repeatedly."""

from inspect_ai.model import get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_confidence.solvers.draws import ask_draws
from inspect_confidence.solvers.requests import refuse_unsent, run_settings

CALIBRATED = ("temperature",)
"""Settings that tell runs of repeated points apart, and that calibration chooses among."""


@solver
def ask_point(prompt: str, system: str | None = None, draws: int = 20) -> Solver:
    """Point answers at the run's decoding temperature: one call a draw.

    Args:
        prompt: Template with the field `question`.
        system: A system message before it, if any.
        draws: How often to ask; the draws of a sample go out together.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        refuse_unsent(str(get_model()), run_settings(), CALIBRATED)
        text = prompt.format(question=state.input_text)
        return await ask_draws(state, text, draws, system, form="point")

    return solve
