"""A solver that asks the model of the run for a judgment that has a label."""

from collections.abc import Mapping

from inspect_ai.model import ResponseSchema
from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_confidence.judges.schema import in_form
from inspect_confidence.judges.wording import is_batched, judge_wording
from inspect_confidence.solvers.message import ask_once


@solver
def ask_judge(judge_prompts: Mapping[str, str] | str, batch: bool | None = None) -> Solver:
    """Ask by the judge's prompt for the sample's form, in one call; in none if rules judge.

    Args:
        judge_prompts: Templates that replace the package's, by form, or `study`.
        batch: Whether all judgments of a sentence are asked for together, as in `is_batched`.
    """
    wording = judge_wording(judge_prompts, batch=batch)
    batched = is_batched(judge_prompts, batch)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        facts = state.metadata
        if facts["judge"] == "rules":
            return state
        form = str(facts["form"])
        if batched and form != "correctness":
            form = "sentence"
        about = {name: facts[name] for name in ("question", "sentence", "reply")}
        about |= {"accepted": facts["accepted"].split("; "), "each": facts["each"]}
        text, system = wording.fill(form, about), wording.systems.get(form)

        async def ask(schema: ResponseSchema | None) -> TaskState:
            return await ask_once(
                generate,
                state,
                text,
                system,
                response_schema=schema,
                **about,
                form=f"judge_{form}",
            )

        return await in_form(form, wording.templates[form], ask)

    return solve
