"""Solvers that ask for an answer and its probability in one JSON object."""

from string import ascii_uppercase
from typing import cast

from inspect_ai.model import ResponseSchema
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import JSONSchema

from inspect_confidence.prompts import life_eval, question_sets
from inspect_confidence.prompts.question_sets import ReplyKind
from inspect_confidence.solvers.message import ask_once

_NUMBER = JSONSchema(type="number")


@solver
def ask_age(
    prompt: str | None = None, system: str | None = None, json_schema: bool = False
) -> Solver:
    """Ask for an age at death and the probability of dying within the radius, in one call.

    Args:
        prompt: Template of the user message with the field `question`; by default the directions
            and the question.
        system: The system message; by default the directions, and none with a `prompt`.
        json_schema: Whether the provider gets the form of the reply, instead of an example.
    """
    directions = life_eval.SCHEMA_DIRECTIONS if json_schema else life_eval.DIRECTIONS
    integer = JSONSchema(type="integer")
    schema = _schema(Answer=integer, Confidence=_NUMBER) if json_schema else None

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        text = life_eval.message(directions, state.input_text)
        if prompt:
            text = prompt.format(question=state.input_text)
        person = {name: state.metadata[name] for name in ("sex", "age", "radius")}
        return await ask_once(
            generate,
            state,
            text,
            opening(directions, prompt, system),
            response_schema=schema,
            form="age",
            **person,
        )

    return solve


@solver
def ask_options(
    prompt: str | None = None, system: str | None = None, json_schema: bool = False
) -> Solver:
    """Ask for an answer with the probability of each option, or of the answer, in one call.

    Args:
        prompt: Template of the user message with the field `question`; by default the directions
            and the question.
        system: The system message; by default the directions, and none with a `prompt`.
        json_schema: Whether the provider gets the form of the reply, instead of an example.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        kind = cast(ReplyKind, state.metadata["kind"])
        options = len(state.choices)
        directions = question_sets.directions(kind, options, example=not json_schema)
        text = question_sets.message(directions, state.input_text)
        if prompt:
            text = prompt.format(question=state.input_text)
        answer = {"given": state.metadata["given"]} if kind == "given" else {}
        return await ask_once(
            generate,
            state,
            text,
            opening(directions, prompt, system),
            response_schema=_schema_of(kind, options) if json_schema else None,
            form=kind,
            **answer,
        )

    return solve


def opening(directions: str, prompt: str | None, system: str | None) -> str | None:
    """Return the system message: the user's, or else the directions if the prompt is our own."""
    return directions if system is None and not prompt else system


def _schema_of(kind: ReplyKind, options: int) -> ResponseSchema:
    if kind == "true_false":
        return _schema(Answer=JSONSchema(type="boolean"), Confidence=_NUMBER)
    if kind == "given":
        return _schema(Confidence=_NUMBER)
    letters = list(ascii_uppercase[:options])
    answer = JSONSchema(type="string", enum=letters)
    return _schema(Answer=answer, **dict.fromkeys(letters, _NUMBER))


def _schema(**properties: JSONSchema) -> ResponseSchema:
    """Return the schema of an object, with reasoning first if it has an answer."""
    if "Answer" in properties:
        properties = {"Reasoning": JSONSchema(type="string"), **properties}
    return ResponseSchema(
        name="confidence",
        json_schema=JSONSchema(
            type="object",
            properties=properties,
            required=list(properties),
            additionalProperties=False,
        ),
        strict=True,
    )
