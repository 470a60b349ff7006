"""Scale variants: verbalised confidence on numeric scales of many designs."""

from collections.abc import Sequence

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from inspect_confidence import arguments
from inspect_confidence.datasets.questions import Question, load_questions
from inspect_confidence.prompts import scale_variants as prompts
from inspect_confidence.scales import Scale, read_scales
from inspect_confidence.scorers.stated import stated
from inspect_confidence.solvers.forms import ask_stated
from inspect_confidence.tasks.composition import compose_task, log_facts, read_shared, sample
from inspect_confidence.tasks.viewers import stated_viewer


@task
def scale_variants(
    dataset: str = "mmlu",
    scales: str | list[str] = "all",
    items: str | int | None = None,
    split: str = "all",
    wording: str = "study",
    seed: int = 0,
    prompt: str | None = None,
    system: str | None = None,
    **unknown: object,
) -> Task:
    """Ask for an answer and an integer confidence, in one call for every item and scale.

    Args:
        dataset: `mmlu` (1,000 items, balanced over its subjects), `gsm8k`, `truthfulqa` (each
            downloaded once), `bundled` or one of its parts (`knowledge`, `misconceptions`,
            `word_problems`), or a csv or jsonl file with `question`, `target` and, unless answers
            are numbers, `choices`.
        scales: `all` (13), `granularity`, `boundary`, `nonstandard`, or scales as `0-100,0-20`.
        items: Number of items, or a file with one id per line; all by default, 1,000 of MMLU.
        split: `train`, `test` or `all`.
        wording: `study`, or `short` (the study's section 3.4).
        seed: Seed of the order of items, and of the order of TruthfulQA's choices.
        prompt: A file that replaces the wording; it has `{question}`, `{l}` and `{u}`.
        system: A file with a system message; none by default.
        **unknown: Refused.
    """
    name = arguments.choice("wording", wording, list(prompts.WORDINGS))
    shared = read_shared(
        scale_variants, unknown, items, split, seed, prompt, prompts.WORDINGS[name], system
    )
    scale_list = read_scales(scales)
    choice_wording = shared.template or prompts.WORDINGS[name]
    math_wording = shared.template or prompts.MATH_WORDINGS[name]
    selection = load_questions(dataset, **shared.choice)
    return compose_task(
        scale_variants,
        [_sample(item, scale) for item in selection.items for scale in scale_list],
        ask_stated(choice_wording, math_wording, shared.system),
        stated(),
        stated_viewer,
        headline="overconfidence",
        facts=log_facts(
            selection,
            (choice_wording, math_wording),
            shared.system,
            prompts=["scale_variants"],
            output_tokens=_output_tokens(selection.items),
        ),
    )


def _output_tokens(items: Sequence[Question]) -> int:
    """Return the mean output tokens of a call: a solution takes more than a letter."""
    solved = sum(not item.choices for item in items) / len(items)
    return round(150 * solved + 12 * (1 - solved))


def _sample(item: Question, scale: Scale) -> Sample:
    """Return the sample that asks a question with the confidence on one scale."""
    subject = {"subject": item.part} if item.part else {}
    return sample(
        item,
        text=item.question,
        target=item.target,
        facts={"low": scale.low, "high": scale.high, "choices": len(item.choices), **subject},
        suffix=f"@{scale}",
        choices=item.choices,
    )
