"""Asks the model of the run to judge what is labelled."""

from collections.abc import Mapping

from inspect_ai.model import ResponseSchema
from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_confidence.judges.schema import in_form
from inspect_confidence.solvers.message import pose


@solver
def ask_judge(prompts: Mapping[str, str]) -> Solver:
    """The judge's prompt for the sample's form, in one call; none where rules judge.

    Args:
        prompts: Templates by form.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        asked = state.metadata
        if asked["judge"] == "rules":
            return state
        form = str(asked["form"])
        fields = {name: asked[name] for name in ("question", "sentence", "reply")}
        accepted = str(asked["accepted"])
        text = prompts[form].format(**fields, answers=accepted)
        pose(state, text, **fields, accepted=accepted.split("; "), form=f"judge_{form}")

        async def judged(schema: ResponseSchema | None) -> TaskState:
            return await generate(state, response_schema=schema)

        return await in_form(form, judged)

    return solve
