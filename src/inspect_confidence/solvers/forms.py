"""Solvers of the studies: one for each form of answer that a model is asked for.

Every solver fills a template with the sample's fields and sends it after the system message, if
there is one. The scorer of the same form reads the reply.
"""

from collections.abc import Mapping
from functools import partial
from string import ascii_uppercase
from typing import Any, cast

from inspect_ai.model import ChatMessage, ChatMessageUser, ModelOutput, ResponseSchema, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import JSONSchema, collect

from inspect_confidence.judges.model import require_grader
from inspect_confidence.judges.schema import request_in_schema
from inspect_confidence.judges.wording import is_batched, judge_wording
from inspect_confidence.prompts import hedge_markers, life_eval, question_sets
from inspect_confidence.prompts.confidence import PUBLISHED
from inspect_confidence.prompts.question_sets import ReplyKind
from inspect_confidence.prompts.scale_variants import with_choices
from inspect_confidence.replies import require_reply
from inspect_confidence.solvers.draws import (
    ask_draws,
    ask_main_and_draws,
    ask_once,
    choice_texts,
    conversation,
    store_draws,
    user_message,
)
from inspect_confidence.solvers.requests import (
    ONE_WORD,
    refuse_providers_without_logprobs,
    refuse_unsent,
    run_settings,
)

CALIBRATED = ("temperature",)
"""Settings that differ between runs of repeated points, and that calibration selects from."""

_NUMBER = JSONSchema(type="number")


@solver
def ask_interval(prompt: str, system: str | None = None, draws: int | None = None) -> Solver:
    """Ask for the two bounds of an interval at the sample's level, in one call per draw.

    Args:
        prompt: Template with the fields `question` and `level`.
        system: A system message before the prompt, if any.
        draws: Number of draws, sent together; None for a single reply, which is the sample's
            output and no draw.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        """Fill the template `prompt` with question and level; ask once, or for `draws` replies."""
        level = state.metadata["level"]
        text = prompt.format(question=state.input_text, level=f"{level:g}")
        if draws is None:
            return await ask_once(generate, state, text, system, form="interval", level=level)
        return await ask_draws(state, text, draws, system, form="interval", level=level)

    return solve


@solver
def ask_point(prompt: str, system: str | None = None, draws: int = 20) -> Solver:
    """Ask for point answers at the run's decoding temperature, in one call per draw.

    Args:
        prompt: Template with the field `question`.
        system: A system message before the prompt, if any.
        draws: Number of draws; those of a sample are sent together.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        """Fill the template `prompt` with the question, and ask for `draws` replies."""
        # Runs at different temperatures are compared: the temperature (CALIBRATED) must be sent.
        refuse_unsent(str(get_model()), run_settings(), CALIBRATED)
        text = prompt.format(question=state.input_text)
        return await ask_draws(state, text, draws, system, form="point")

    return solve


@solver
def ask_integer(prompt: str, system: str | None = None) -> Solver:
    """Ask for an integer with its log probabilities, in one call.

    Args:
        prompt: Template with the field `question`.
        system: A system message before the prompt, if any.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        """Fill the template `prompt` with the question, and ask for one reply."""
        refuse_providers_without_logprobs()
        text = prompt.format(question=state.input_text)
        # ONE_WORD: log probabilities, and at most 16 tokens.
        return await ask_draws(state, text, 1, system, config=ONE_WORD, form="integer")

    return solve


@solver
def ask_traces(prompt: str, answer: str, system: str | None = None, draws: int = 10) -> Solver:
    """Ask for reasoning traces, each followed by an integer with its log probabilities.

    A trace is two calls.

    Args:
        prompt: Template with the field `question`, which asks for reasoning alone.
        answer: The message that asks for the integer afterwards.
        system: A system message before the conversation, if any.
        draws: Number of traces, which are independent and sent together.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        """Ask by `prompt` for `draws` traces, and after each by `answer` for an integer.

        `answer` is the text of the second message; only the integers, which reply to it, are kept
        in the sample's store.
        """
        refuse_providers_without_logprobs()
        text = prompt.format(question=state.input_text)
        first = (state.epoch - 1) * draws
        # The sample's log shows the question once, and not the conversation of each trace.
        state.messages = conversation(user_message(text, state, first, form="trace"), system)
        calls = []
        for draw in range(first, first + draws):
            question = conversation(user_message(text, state, draw, form="trace"), system)
            calls.append(_ask_trace(question, user_message(answer, state, draw, form="integer")))
        store_draws(state, await collect(*calls))
        return state

    return solve


async def _ask_trace(question: list[ChatMessage], follow_up: ChatMessageUser) -> ModelOutput:
    """Ask for a reasoning trace, then for the integer after it; return the second reply."""
    reasoned = require_reply(await get_model().generate(question))
    # An unrequested tool call is not sent back: no result follows it.
    trace = reasoned.message.model_copy(update={"tool_calls": None})
    # ONE_WORD: log probabilities, and at most 16 tokens.
    return require_reply(await get_model().generate([*question, trace, follow_up], config=ONE_WORD))


@solver
def ask_stated(prompt: str, math_prompt: str, system: str | None = None) -> Solver:
    """Ask for an answer with its confidence between the sample's `low` and `high`, in one call.

    Args:
        prompt: Template with the fields `question`, `l` and `u`, for questions with choices.
        math_prompt: Template with the same fields, for questions whose answer is a number.
        system: A system message before the prompt, if any.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        """Fill `prompt`, or `math_prompt` without choices, with question and scale, and ask."""
        low, high = state.metadata["low"], state.metadata["high"]
        choices = choice_texts(state)
        question = with_choices(state.input_text, choices)
        text = (prompt if choices else math_prompt).format(question=question, l=low, u=high)
        elicitation = {"form": "stated", "choices": choices, "low": low, "high": high}
        return await ask_once(generate, state, text, system, **elicitation)

    return solve


@solver
def ask_probability(prompts: Mapping[str, str], system: str | None = None) -> Solver:
    """Ask for the probability that the word in the sample's statement means, in one call.

    The statement has a word such as "likely"; the clause is the event that it speaks of.

    Args:
        prompts: Template with the fields `statement` and `clause`, by language.
        system: A system message before the prompt, if any.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        """Fill the template of the sample's language with its statement and clause, and ask."""
        facts = state.metadata
        text = prompts[facts["language"]].format(statement=state.input_text, clause=facts["clause"])
        return await ask_once(generate, state, text, system, form="probability", word=facts["word"])

    return solve


@solver
def ask_word(prompt: str, cot_prompt: str, system: str | None = None) -> Solver:
    """Ask for the choice that completes the sample's sentence about numbers, in one call.

    Args:
        prompt: Template with the fields `situation`, `sentence` and `choices`.
        cot_prompt: Template with the same fields, for samples with a chain of thought.
        system: A system message before the prompt, if any.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        """Fill `prompt`, or `cot_prompt` if the sample wants a chain of thought, and ask."""
        is_chain_of_thought = state.metadata["cot"]
        text = _word_text(state, cot_prompt if is_chain_of_thought else prompt)
        return await ask_once(generate, state, text, system, form="word", cot=is_chain_of_thought)

    return solve


def _word_text(state: TaskState, template: str) -> str:
    """Return a template of `ask_word`, filled with the sample's sentence and lettered choices."""
    lettered = zip(ascii_uppercase, choice_texts(state), strict=False)
    return template.format(
        situation=state.metadata["situation"],
        sentence=state.input_text,
        choices=" ".join(f"{letter}.{choice}" for letter, choice in lettered),
    )


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
        """Ask about the sample's person, by the template `prompt` or else by the `directions`."""
        text = life_eval.message(directions, state.input_text)
        if prompt:  # the study's has the field `input`, a user's has `question`
            text = prompt.format(question=state.input_text, input=state.input_text)
        person = {name: state.metadata[name] for name in ("sex", "age", "radius")}
        # With the package's wording the directions are in the user message and the system message.
        system_message = system_message_of(directions, prompt, system)
        return await ask_once(generate, state, text, system_message, schema, form="age", **person)

    return solve


@solver
def ask_options(
    prompt: str | None = None, system: str | None = None, json_schema: bool = False
) -> Solver:
    """Ask for an answer with the probability of each option, or of the answer, in one call.

    Args:
        prompt: Template of the user message with the field `question`, which has the options, or
            `input`, which is the sample's text alone; by default the directions and the question.
        system: The system message; by default the directions, and none with a `prompt`.
        json_schema: Whether the provider gets the form of the reply, instead of an example.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        """Ask by the template `prompt`, or else by the directions for the kind of question."""
        kind = cast(ReplyKind, state.metadata["kind"])
        options = choice_texts(state)
        question = question_sets.with_options(state.input_text, options)
        directions = question_sets.directions(kind, len(options), example=not json_schema)
        text = question_sets.message(directions, question)
        if prompt:  # a user's has the field `question`; the study's is `{input}` alone
            text = prompt.format(question=question, input=state.input_text)
        # The form, and the name of a given answer, tell simulated models what is asked.
        elicitation = {"form": kind}
        if kind == "given":
            elicitation["given"] = state.metadata["given"]
        schema = _schema_of(kind, len(options)) if json_schema else None
        # With the package's wording the directions are in the user message and the system message.
        system_message = system_message_of(directions, prompt, system)
        return await ask_once(generate, state, text, system_message, schema, **elicitation)

    return solve


def system_message_of(directions: str, prompt: str | None, system: str | None) -> str | None:
    """Return the system message: the user's, or else the directions if the prompt is our own."""
    return directions if system is None and not prompt else system


def _schema_of(kind: ReplyKind, options: int) -> ResponseSchema:
    """Return the schema of a reply to this kind of question, with this number of options."""
    if kind == "true_false":
        return _schema(Answer=JSONSchema(type="boolean"), Confidence=_NUMBER)
    if kind == "given":  # the question gives an answer, whose confidence is asked for
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


@solver
def ask_simple_qa(
    draws: int = 0, prompt: str | None = None, system: str | None = None, grader: bool = False
) -> Solver:
    """Ask for an answer with its confidence, then for `draws` more replies to the same message.

    Args:
        draws: Number of further replies, for the frequency of the commonest answer.
        prompt: Template with the field `question`, instead of SimpleQA's.
        system: A system message before the prompt, if any.
        grader: Whether the answers will be judged by a model.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        """Fill `prompt`, or SimpleQA's template, and ask for the main reply and `draws` more."""
        if grader:  # a model will judge the replies
            require_grader()
        text = (prompt or PUBLISHED["simpleqa"].text).format(question=state.input_text)
        return await ask_main_and_draws(state, text, draws, system, form="simple_qa")

    return solve


@solver
def ask_hedged(
    draws: int, system: str | None, prompt: str | None = None, grader: bool = True
) -> Solver:
    """Ask for an answer in which the model words its uncertainty, then for `draws` more answers.

    Args:
        draws: Number of further answers, K.
        system: The system message.
        prompt: Template with the field `question`; by default the package's for the kind of
            question.
        grader: Whether the replies will be judged by a model.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        """Fill `prompt`, or the package's template, and ask for the main reply and `draws` more."""
        if grader:  # a model will judge the replies
            require_grader()
        choices = choice_texts(state)
        template = prompt or hedge_markers.TEMPLATES[str(state.metadata["kind"])]
        text = template.format(question=hedge_markers.with_choices(state.input_text, choices))
        elicitation = {"form": "hedged", "dataset": state.metadata["dataset"], "choices": choices}
        # The sample's messages stay the question; all replies are in its store.
        return await ask_main_and_draws(state, text, draws, system, is_logged=False, **elicitation)

    return solve


@solver
def ask_judge(judge_prompts: Mapping[str, str] | str, batch: bool | None = None) -> Solver:
    """Ask by the judge's prompt for the sample's form, in one call; in none if rules judge.

    Args:
        judge_prompts: Templates that replace the package's, by form, or `study`.
        batch: Whether one call asks for all judgments of a sentence; by default it does, except
            with `study` or with templates that lack `sentence`.
    """
    wording = judge_wording(judge_prompts, batch=batch)
    batched = is_batched(judge_prompts, batch)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        """Ask by the judge's `wording` for the sample's judgment, with a schema if possible."""
        if state.metadata["judge"] == "rules":  # which need no call
            return state
        form = str(state.metadata["form"])
        if batched and form != "correctness":  # a call for all judgments of a sentence
            form = "sentence"
        facts = _judged_texts(state.metadata)
        text, system = wording.fill(form, facts), wording.systems.get(form)
        ask = partial(ask_once, generate, state, text, system, form=f"judge_{form}", **facts)
        return await request_in_schema(form, wording.templates[form], ask)

    return solve


def _judged_texts(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the texts of a sample that the judge's templates name, as `JudgeWording.fill` takes.

    In the metadata the accepted answers are one text, separated by "; ".
    """
    facts = {name: metadata[name] for name in ("question", "sentence", "reply", "each")}
    return {**facts, "accepted": metadata["accepted"].split("; ")}
