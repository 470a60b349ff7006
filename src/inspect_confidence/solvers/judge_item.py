"""Asks the model of the run to judge what is labelled."""

from collections.abc import Mapping

from inspect_ai.model import ResponseSchema
from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_confidence.judges.schema import in_form
from inspect_confidence.judges.wording import is_batched, judge_wording
from inspect_confidence.solvers.message import ask_once


@solver
def ask_judge(judge_prompts: Mapping[str, str] | str, batch: bool | None = None) -> Solver:
    """The judge's prompt for the sample's form, in one call; none where rules judge.

    Args:
        judge_prompts: Templates that replace ours, by form, or `study`.
        batch: Whether all about a sentence is asked together; as in `is_batched`.
    """
    wording, at_once = judge_wording(judge_prompts, batch=batch), is_batched(judge_prompts, batch)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        asked = state.metadata
        if asked["judge"] == "rules":
            return state
        form = "sentence" if at_once and asked["form"] != "correctness" else str(asked["form"])
        about = {name: asked[name] for name in ("question", "sentence", "reply")}
        about |= {"accepted": asked["accepted"].split("; "), "each": asked["each"]}
        text, system = wording.fill(form, about), wording.systems.get(form)

        async def judged(schema: ResponseSchema | None) -> TaskState:
            return await ask_once(
                generate,
                state,
                text,
                system,
                response_schema=schema,
                **about,
                form=f"judge_{form}",
            )

        return await in_form(form, wording.templates[form], judged)

    return solve
