"""Question sets: stated and token-level confidence in answers."""

from collections.abc import Sequence

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from inspect_confidence.datasets import question_sets as data
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.prompts import question_sets as wording
from inspect_confidence.scorers.options import option_confidence
from inspect_confidence.solvers.forms import ask_options
from inspect_confidence.tasks.composition import compose_task, log_facts, read_shared, sample
from inspect_confidence.tasks.json_prompts import (
    JsonPrompt,
    is_exact,
    is_schema,
    json_prompt,
    study_prompt,
    token_config,
)
from inspect_confidence.tasks.viewers import option_viewer


@task
def question_sets(
    dataset: str = "bundled",
    prompts: str = "ours",
    format: str = "example",  # reads well on the command line
    tokens: bool = True,
    items: str | int | None = None,
    split: str = "all",
    seed: int = 0,
    prompt: str | None = None,
    system: str | None = None,
    **unknown: object,
) -> Task:
    """Ask for an answer and the probability of each option in JSON, in one call per question.

    Args:
        dataset: `boolq`, `sciq`, `lsat_ar`, `sat_en`, `halueval` (two calls a question; each is
            downloaded once), `bundled` (168 questions with four options), `statements` (126,
            true or false), or a csv or jsonl file with `question`, `target` and, by kind,
            `choices`, `answer` (given) or neither (true or false).
        prompts: `ours`, or `authors` (the study's exact prompts, downloaded once).
        format: `example` (the prompt shows the form of the reply), or `json_schema` (the provider
            gets it: structured output).
        tokens: Whether to ask for log probabilities, for the confidence of the answer's token.
        items: Number of questions, or a file with one id per line; all by default.
        split: `train`, `test` or `all`.
        seed: Seed of the order of questions.
        prompt: A file that replaces the user message; it has `{question}`.
        system: A file that replaces the system message; with `prompt` there is none by default.
        **unknown: Refused.
    """
    schema = is_schema(format)
    changed_format = format if schema else None
    exact = is_exact(prompts, prompt=prompt, system=system, format=changed_format)
    shared = read_shared(question_sets, unknown, items, split, seed, prompt, "{question}", system)
    config = token_config(tokens)
    selection = data.load_question_set(dataset, **shared.choice)
    # A question that gives answers to be rated (`given`) has a sample for each of them.
    samples = [_sample(item, answer) for item in selection.items for answer in item.given or [None]]
    if exact:
        texts = _use_study_prompts(samples, selection.name)
    else:
        first = selection.items[0]  # typical of all, for the length of a prompt
        directions = wording.directions(first.kind, len(first.options), example=not schema)
        texts = json_prompt(
            shared,
            message=wording.message(directions, ""),
            directions=directions,
            # All kinds, so that runs of different sets have the same wording.
            wordings=[wording.directions(kind, 4, example=not schema) for kind in wording.KINDS],
        )
    return compose_task(
        question_sets,
        samples,
        ask_options(texts.template, texts.system, schema),
        option_confidence(),
        option_viewer,
        headline="overconfidence",
        facts=log_facts(
            selection,
            texts.wordings,
            shared.system,
            prompts=["question_sets"],
            output_tokens=180,
            files=[data.PROMPTS[selection.name]] if exact else [],
            typical_characters=texts.typical_characters,
            further={"question_has_choices": exact, **wording.OPTION_CHARACTERS},
        ),
        config=config,
    )


def _use_study_prompts(samples: Sequence[Sample], dataset: str) -> JsonPrompt:
    """Set the samples' questions to the study's exact prompts.

    The prompts have the options. These go to the metadata, because Inspect's viewer shows a
    sample's choices below its question.
    """
    study_prompts = data.study_prompts(dataset)
    system = ""
    for question in samples:
        facts = question.metadata or {}
        name = str(facts["source_id"])
        if name not in study_prompts:
            raise InvalidArgument(
                f"The study has no prompt for {question.id}; ask it with prompts=ours."
            )
        question.input, system = study_prompts[name]  # the system message is the same for all
        question.metadata = facts | {"options": question.choices or []}
        question.choices = None
    return study_prompt(system, data.STUDY_COMMIT)


def _sample(item: data.SetQuestion, answer: data.GivenAnswer | None) -> Sample:
    """Return the sample that asks a question, or asks how sure the model is of a given answer."""
    name = f"_{answer.name}" if answer else ""
    text = answer.text if answer else ""
    return sample(
        item,
        text=wording.body(item.kind, item.question, item.context, text),
        target=str(answer.right) if answer else item.target,
        facts={
            "kind": item.kind,
            "given": answer.name if answer else "",
            "choices": {"options": len(item.options), "true_false": 2, "given": 0}[item.kind],
            "source_id": f"{item.source_id}{name}",
        },
        suffix=name,
        choices=item.options,
    )
