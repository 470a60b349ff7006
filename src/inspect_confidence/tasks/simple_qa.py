"""SimpleQA: short answers with a stated confidence, and with how often an answer comes."""

from dataclasses import replace

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig

from inspect_confidence import arguments
from inspect_confidence.datasets.decisions import (
    BUNDLED,
    SHORT_ANSWERS,
    SIMPLEQA,
    SIMPLEQA_VERIFIED,
    load_decision_questions,
)
from inspect_confidence.datasets.questions import Question
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judges.short_answers import GRADERS, OURS, default_grader, grader_wording
from inspect_confidence.prompts.confidence import PUBLISHED
from inspect_confidence.scorers.simple_qa import simple_qa_score
from inspect_confidence.solvers.forms import ask_simple_qa
from inspect_confidence.tasks.composition import compose_task, log_facts, read_shared
from inspect_confidence.tasks.decision_samples import (
    decision_sample,
    judge_facts,
    judge_of_answers,
    kind_of,
)
from inspect_confidence.tasks.viewers import simple_qa_viewer


@task
def simple_qa(
    dataset: str = SIMPLEQA,
    draws: int = 0,
    judge: str | None = None,
    judge_prompts: str | None = None,
    items: str | int | None = None,
    split: str = "all",
    seed: int = 0,
    prompt: str | None = None,
    system: str | None = None,
    **unknown: object,
) -> Task:
    """Ask for a short answer and a confidence from 0% to 100% in JSON; three grades by a judge.

    Args:
        dataset: `simpleqa`, `simpleqa_verified` (each downloaded once), `facts` or `bundled` (the
            same), or a csv or jsonl file with `question` and `answers`.
        draws: Number of further replies, at temperature 1, for the frequency of the commonest
            answer; the study has 100.
        judge: `model` (the one in the role `grader`) or `rules` (no calls). By default a model, or
            rules, with a notice, if the command names no model in a role.
        judge_prompts: `inspect_evals` (SimpleQA's grader, or that of SimpleQA Verified, from that
            package), or `ours`; by default the former if the package is installed.
        items: Number of items, or a file with one id per line; all by default.
        split: `train`, `test` or `all`.
        seed: Seed of the order of items.
        prompt: A file that replaces the wording; it has `{question}`.
        system: A file with a system message; none by default.
        **unknown: Refused.
    """
    shared = read_shared(simple_qa, unknown, items, split, seed, prompt, "{question}", system)
    n_draws = arguments.integer("draws", draws, minimum=0)
    name = BUNDLED if str(dataset).strip() == "bundled" else dataset
    selection = load_decision_questions(name, **shared.choice, names=SHORT_ANSWERS)
    selection = replace(selection, items=[_in_words(item) for item in selection.items])
    instrument = judge_of_answers("simple_qa", judge, selection.items)
    grader = OURS if instrument == "rules" else default_grader()
    if judge_prompts is not None:
        grader = arguments.choice("judge_prompts", judge_prompts, GRADERS)
    verified = selection.name == SIMPLEQA_VERIFIED
    judging = grader_wording(grader, is_verified=verified)
    wording = shared.template or PUBLISHED["simpleqa"].text
    return compose_task(
        simple_qa,
        [decision_sample(item, kind_of(item), {}) for item in selection.items],
        ask_simple_qa(n_draws, shared.template, shared.system, grader=instrument == "model"),
        simple_qa_score(instrument, grader, verified),
        simple_qa_viewer,
        headline="overconfidence",
        facts=log_facts(
            selection,
            [wording],
            shared.system,
            prompts=["confidence", *["judge"] * (instrument == "model" and grader == OURS)],
            output_tokens=30,
            calls=1 + n_draws,
            further={
                **judge_facts(instrument, judging, 2 if n_draws else 1),
                "judge_prompts": judging.name if instrument == "model" else "",
                "draws_per_sample": n_draws,
            },
        ),
        config=GenerateConfig(temperature=1),
    )


def _in_words(item: Question) -> Question:
    """Return a question with its answers in words; a number is one of them."""
    if item.choices:
        raise InvalidArgument(
            f"simple_qa: {item.id} has choices, and answers here are words; leave `choices` out, "
            "or use the task abstain."
        )
    return item if item.answers else replace(item, answers=(item.target,), target="")
