"""Solvers that ask for the number that a word of estimative probability means, or for a word."""

from collections.abc import Mapping
from string import ascii_uppercase

from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_confidence.solvers.message import ask_once


@solver
def ask_probability(prompts: Mapping[str, str], system: str | None = None) -> Solver:
    """Ask for the probability that the word in the sample's statement means, in one call.

    Args:
        prompts: Template with the fields `statement` and `clause`, by language.
        system: A system message before it, if any.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        facts = state.metadata
        text = prompts[facts["language"]].format(statement=state.input_text, clause=facts["clause"])
        word = facts["word"]
        return await ask_once(generate, state, text, system, form="probability", word=word)

    return solve


@solver
def ask_word(prompt: str, cot_prompt: str, system: str | None = None) -> Solver:
    """Ask for the choice that completes the sample's sentence about numbers, in one call.

    Args:
        prompt: Template with the fields `situation`, `sentence` and `choices`.
        cot_prompt: Template with the same fields, for samples with a chain of thought.
        system: A system message before it, if any.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        facts = state.metadata
        lettered = zip(ascii_uppercase, state.choices, strict=False)
        choices = [f"{letter}.{choice.value}" for letter, choice in lettered]
        template = cot_prompt if facts["cot"] else prompt
        text = template.format(
            situation=facts["situation"], sentence=state.input_text, choices=" ".join(choices)
        )
        return await ask_once(generate, state, text, system, form="word", cot=facts["cot"])

    return solve
