"""Question sets: stated and token-level confidence in answers."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig

from inspect_confidence import arguments
from inspect_confidence.datasets import question_sets as data
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.prompts import question_sets as wording
from inspect_confidence.scorers.option_confidence import option_confidence
from inspect_confidence.solvers.json_reply import ask_options, opening
from inspect_confidence.tasks.composition import composed, sample
from inspect_confidence.tasks.facts import log_facts, own_prompt, system_message, which
from inspect_confidence.tasks.json_prompts import is_exact, is_schema
from inspect_confidence.tasks.viewers import option_viewer
from inspect_confidence.versions import TASK_VERSIONS


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
    """Ask for an answer and the probability of each option in JSON: one call a question.

    Args:
        dataset: `boolq`, `sciq`, `lsat_ar`, `sat_en`, `halueval` (each downloaded once; two calls
            a question), `bundled` (168 questions with four options), `statements` (126 that are
            true or false), or a csv or jsonl file with `question`, `target` and, by kind,
            `choices`, `answer` (given) or neither (true or false).
        prompts: `ours`, or `authors` (the study's exact prompts, downloaded once).
        format: `example` (the form of the reply is shown), or `json_schema` (the provider is given
            it: structured output).
        tokens: Whether log probabilities are asked for, to take confidence from the answer's token
            too.
        items: How many questions, or a file with one id a line; all by default.
        split: `train`, `test` or `all`.
        seed: Of the order of questions.
        prompt: A file that replaces the user message; holds `{question}`.
        system: A file that replaces the system message; with `prompt` there is none by default.
        **unknown: Refused.
    """
    arguments.refuse_unknown(unknown, arguments.argument_names(question_sets))
    schema = is_schema(format)
    exact = is_exact(prompts, prompt=prompt, system=system, format=schema and format)
    with_tokens = arguments.boolean("tokens", tokens)
    own = own_prompt(prompt, "{question}")
    context = system_message(system)
    selection = data.load_question_set(dataset, **which(items, split, seed))
    samples = [_sample(item, given) for item in selection.items for given in item.given or (None,)]
    first = selection.items[0]
    directions = wording.directions(first.kind, len(first.options), example=not schema)
    # Of all kinds, so that runs of different sets have the same wording.
    all_kinds = [wording.directions(kind, 4, example=not schema) for kind in wording.KINDS]
    wordings = [own] if own else all_kinds
    shown = (own or wording.message(directions, "")) + (opening(directions, own, context) or "")
    if exact:
        found = data.study_prompts(selection.name)
        for one in samples:
            name = str((one.metadata or {})["source_id"])
            if name not in found:
                said = f"The study has no prompt for {one.id}; ask it with prompts=ours."
                raise InvalidArgument(said)
            one.input, context = found[name]
        own, shown, wordings = "{question}", context or "", [data.STUDY_COMMIT]
    return composed(
        selection,
        samples,
        ask_options(own, context, schema),
        option_confidence(),
        option_viewer,
        headline="overconfidence",
        version=TASK_VERSIONS["question_sets"],
        facts=log_facts(
            *(selection, wordings, None if exact else context),
            prompts=["question_sets"],
            output_tokens=180,
            files=[data.PROMPTS[selection.name]] if exact else [],
            shown=shown,
        ),
        config=GenerateConfig(
            temperature=0, logprobs=with_tokens or None, top_logprobs=20 if with_tokens else None
        ),
    )


def _sample(item: data.SetQuestion, given: data.GivenAnswer | None) -> Sample:
    name = f"_{given.name}" if given else ""
    answer = given.text if given else ""
    return sample(
        item,
        wording.body(item.kind, item.question, item.options, item.context, answer),
        str(given.right) if given else item.target,
        {
            "kind": item.kind,
            "given": given.name if given else "",
            "choices": {"options": len(item.options), "true_false": 2, "given": 0}[item.kind],
            "source_id": f"{item.source_id}{name}",
        },
        suffix=name,
        choices=item.options,
    )
