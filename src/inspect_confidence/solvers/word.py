"""Asks what a word of estimative probability means as a number, or for the word for a number."""

from collections.abc import Mapping
from string import ascii_uppercase

from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_confidence.solvers.message import ask_once


@solver
def ask_probability(prompts: Mapping[str, str], system: str | None = None) -> Solver:
    """The probability that the word in the sample's statement means: one call a sample.

    Args:
        prompts: By language, a template with the fields `statement` and `clause`.
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
    """The choice that completes the sample's sentence about numbers: one call a sample.

    Args:
        prompt: A template with the fields `situation`, `sentence` and `choices`.
        cot_prompt: Likewise, for samples that ask for a chain of thought.
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
