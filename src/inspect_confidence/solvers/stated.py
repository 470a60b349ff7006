"""A solver that asks a question and, in the same reply, for confidence on a scale."""

from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_confidence.prompts.scale_variants import with_choices
from inspect_confidence.solvers.message import ask_once


@solver
def ask_stated(prompt: str, math_prompt: str, system: str | None = None) -> Solver:
    """Ask for an answer with its confidence between the sample's `low` and `high`, in one call.

    Args:
        prompt: Template with the fields `question`, `l` and `u`, for questions with choices.
        math_prompt: Template with the same fields, for questions whose answer is a number.
        system: A system message before it, if any.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        low, high = state.metadata["low"], state.metadata["high"]
        choices = [choice.value for choice in state.choices]
        template = prompt if choices else math_prompt
        text = template.format(question=with_choices(state.input_text, choices), l=low, u=high)
        scale = {"low": low, "high": high}
        return await ask_once(
            generate, state, text, system, form="stated", choices=choices, **scale
        )

    return solve
