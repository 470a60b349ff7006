"""Hedge markers: whether "probably" means the same to a model everywhere; and a check of judges."""

import json
from collections.abc import Iterable, Mapping

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig

from inspect_confidence import arguments
from inspect_confidence.datasets.cache import version_of
from inspect_confidence.datasets.hedge_markers import load_marker_questions
from inspect_confidence.datasets.judge_items import JudgeItem, labelled_items, load_judge_items
from inspect_confidence.datasets.marker_prompts import PROMPTS, UTILS, study_formats, study_systems
from inspect_confidence.datasets.questions import Question
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.judges.marker_standards import MARKERS
from inspect_confidence.judges.model import expect_grader
from inspect_confidence.judges.wording import STUDY, WORDINGS, is_batched, judge_wording
from inspect_confidence.prompts import hedge_markers as wording
from inspect_confidence.prompts import judge as judging
from inspect_confidence.scorers.hedged import hedged
from inspect_confidence.scorers.judge_item import judge_item
from inspect_confidence.solvers.hedged import ask_hedged
from inspect_confidence.solvers.judge_item import ask_judge
from inspect_confidence.tasks.composition import composed, sample
from inspect_confidence.tasks.facts import fields_of, log_facts, own_prompt, system_message, which
from inspect_confidence.tasks.viewers import hedge_viewer, judge_viewer
from inspect_confidence.user_files import check_shape, read_json
from inspect_confidence.versions import TASK_VERSIONS

JUDGES = ("model", "rules")

DATASETS = "popqa,ambignq,sciq,arc_challenge"
"""Short answers and choices; all but the first have a train and a test split."""

_SENTENCE = 120
"""Characters of a sentence or short reply, about: 30 tokens."""

ITEMS = 1_200
"""Of several data sets and splits as many as give most markers ten sentences in each."""


@task
def hedge_markers(
    dataset: str | list[str] = DATASETS,
    split: str = "all",
    draws: int = 20,
    judge: str = "model",
    system: str = "standard",
    batch_judgments: bool | None = None,
    items: str | int | None = ITEMS,
    seed: int = 0,
    prompts: str = "ours",
    prompt: str | None = None,
    judge_prompts: str = "ours",
    **unknown: object,
) -> Task:
    """Ask for a hedged answer, then K more, and have each sentence judged against them.

    Args:
        dataset: `popqa`, `selfaware`, `simpleqa`, `halueval`, `mmlu`, `sciq`, `arc_challenge`,
            `superglue`, `ambignq`, `truthfulqa`, `wnli` (each downloaded once), `facts`, `science`,
            `commonsense` or `bundled` (these three), several with commas, or a csv or jsonl file.
        split: `train`, `test` or `all`.
        draws: K, at least 1.
        judge: `model` (of the role `grader`) or `rules` (no calls).
        system: `standard` (the study's, to the letter), `metacognitive` (ours, or the study's with
            its prompts), `unlimited` (the standard one without its limit of one marker a sentence),
            or a file.
        batch_judgments: Whether all about a sentence is judged in one call, instead of one for
            its markers, one for its decisiveness and one for each different answer. By default it
            is, but for the study's prompts, and for a file without `sentence`.
        items: How many items, as many of each data set and split as it has; `all` for up to 5,000
            of each, as in the study; or a file with one id a line.
        seed: Of the order of items and of choices.
        prompts: `ours`, or `study` (the study's user messages and system messages, downloaded
            once).
        prompt: A file that replaces the user message; holds `{question}`.
        judge_prompts: `ours`, `study` (the study's, downloaded once), or a json file with templates
            that replace ours, by name: `markers`, `decisiveness`, `consistency`, `correctness`,
            `sentence`.
        **unknown: Refused.
    """
    arguments.refuse_unknown(unknown, arguments.argument_names(hedge_markers))
    count = arguments.integer("draws", draws, minimum=1)
    judged_by = arguments.choice("judge", judge, JUDGES)
    batch = _batch(batch_judgments)
    study = arguments.choice("prompts", prompts, WORDINGS) == STUDY
    if study and prompt:
        raise InvalidArgument(
            f"prompts=study with prompt={prompt}: the study's prompts are asked as they are; leave "
            "prompt out, or use prompts=ours."
        )
    formats = study_formats() if study else None
    systems = {**wording.SYSTEMS, **(study_systems() if study else {})}
    context = systems.get(str(system)) or _system_message(str(system))
    own = formats.message if formats else own_prompt(prompt, wording.TEMPLATES["short"])
    asks = judged_by == "model"
    if asks:
        expect_grader()
    judges = _judge_prompts(judge_prompts, asks)
    scored = hedged(judged_by, batch, judges)
    wanted = None if items == "all" else items
    selection = load_marker_questions(dataset, **which(wanted, split, seed), formats=formats)
    wordings = [own] if own else list(wording.TEMPLATES.values())
    wordings += [version_of(UTILS)] if study else []
    facts = log_facts(
        *(selection, wordings, context),
        prompts=["hedge_markers", "judge"] if asks else ["hedge_markers"],
        output_tokens=30,
        calls=1 + count,
        files=_judging_files(judged_by, study=study or judges == STUDY),
    )
    if system in wording.SYSTEMS:  # what judgments and published figures call it
        facts["system"] = system
    return composed(
        selection,
        [_sample(item) for item in selection.items],
        ask_hedged(count, context, own, grader=asks),
        scored,
        hedge_viewer,
        headline="faithfulness",
        version=TASK_VERSIONS["hedge_markers"],
        facts={
            **facts,
            "judge": judged_by,
            "judge_prompts": _named(judges),
            "draws_per_sample": count,
            **(_judging(judges, is_batched(judges, batch), count) if asks else {}),
        },
        config=GenerateConfig(temperature=1, max_tokens=256),
    )


@task
def judge_check(
    judge: str = "model",
    parts: str | list[str] = "sentences,pairs,answers",
    batch_judgments: bool | None = None,
    items: str | int | None = None,
    seed: int = 0,
    judge_prompts: str = "ours",
    **unknown: object,
) -> Task:
    """Have a judge judge what is labelled: the model of the run is the judge.

    A sentence, a pair and an answer cost a call each; unless judgments are batched a sentence costs
    two (markers, decisiveness).

    Args:
        judge: `model` (the one that `--model` names) or `rules` (no calls; any `--model`).
        parts: Of `sentences` (132), `pairs` (126), `answers` (63).
        batch_judgments: Whether sentences and pairs are judged by the prompt that asks for all
            about a sentence in one call, a pair among the replies of two others about the same
            question; by default as in `hedge_markers`.
        items: How many items, or a file with one id a line; all by default.
        seed: Of the order of items.
        judge_prompts: As in `hedge_markers`.
        **unknown: Refused.
    """
    arguments.refuse_unknown(unknown, arguments.argument_names(judge_check))
    judged_by = arguments.choice("judge", judge, JUDGES)
    batch = _batch(batch_judgments)
    judges = _judge_prompts(judge_prompts, judged_by == "model")
    if judged_by == "rules" and batch is None:
        batch = False  # rules have no prompts
    templates = judge_wording(judges, batch=batch).templates
    at_once = is_batched(judges, batch)
    selection = load_judge_items(parts, items=items, seed=arguments.integer("seed", seed))
    calls = 1 if judged_by == "model" else 0
    facts = log_facts(
        *(selection, list(templates.values()), None),
        prompts=["judge"] if calls else [],
        output_tokens=12,
        calls=calls,
        files=_judging_files(judged_by, study=judges == STUDY),
    )
    return composed(
        selection,
        [
            _judged(item, form, judge=judged_by, batch=at_once, wording=_named(judges))
            for item in selection.items
            for form in _forms(item, at_once)
        ],
        ask_judge(judges, batch),
        judge_item(),
        judge_viewer,
        headline="agreement_accuracy",
        version=TASK_VERSIONS["judge_check"],
        facts={**facts, "judge": judged_by, "judge_prompts": _named(judges)},
    )


def _batch(given: object) -> bool | None:
    return None if given is None else arguments.boolean("batch_judgments", given)


def _judging_files(judge: str, *, study: bool) -> list[str]:
    """What is read to ask and to judge beside the questions."""
    return [PROMPTS, UTILS] * study + [MARKERS] * (judge == "rules")


def _judging(
    judges: Mapping[str, str] | str, at_once: bool, draws: int
) -> dict[str, dict[str, int]]:
    """What the judge is asked about a reply of one sentence, for `plan`."""
    templates = judge_wording(judges, batch=at_once).templates
    asked = {"correctness": 1} | (
        {"sentence": 1} if at_once else {"markers": 1, "decisiveness": 1, "consistency": 0}
    )
    each = 0 if at_once else len(templates["consistency"]) + _SENTENCE
    return {
        "grader": {
            "calls": sum(asked.values()),
            "calls_per_reply": 0 if at_once else 1,
            "questions": 2 if at_once else 1,  # how many of the calls show the question
            "characters": sum(n * (len(templates[form]) + _SENTENCE) for form, n in asked.items()),
            "characters_per_reply": each + _SENTENCE,
            "output_tokens": 12 * sum(asked.values()),
            "output_tokens_per_reply": 3 if at_once else 8,
            "calls_again": 2 if at_once else 0,
            "calls_again_per_reply": 1 if at_once else 0,
            "replies": draws,
        }
    }


def _system_message(file: str) -> str | None:
    """Of a file, not of a word that is meant for one of the prompts that are known."""
    _refuse_word("system", file, wording.SYSTEMS)
    return system_message(file)


def _refuse_word(name: str, value: str, known: Iterable[str]) -> None:
    """Refuse what is no file and none of the words that are known."""
    if "." not in value and "/" not in value:
        raise InvalidArgument(f"{name}={value} is not known. {nearest(value, [*known, 'a file'])}")


def _named(judges: Mapping[str, str] | str) -> str:
    """What tells a judge's prompts apart: nothing, `study`, or a fingerprint."""
    return judges if isinstance(judges, str) else judging.fingerprint_of(judges)


def _judge_prompts(path: str, asked: bool) -> dict[str, str] | str:
    """Templates of the user's, each with the fields of the one it replaces, or `study`."""
    if path == "ours":
        return {}
    if not asked:
        raise InvalidArgument(
            "judge_prompts with judge=rules: rules read no prompts; leave it out."
        )
    if path == STUDY:
        return STUDY
    _refuse_word("judge_prompts", str(path), WORDINGS)
    place = arguments.user_path("judge_prompts", path)
    templates = check_shape(str(place), read_json(place), dict[str, str])
    for name, text in templates.items():
        if name not in judging.TEMPLATES:
            hint = nearest(name, judging.TEMPLATES)
            raise InvalidArgument(f"{place.name}: there is no judge's prompt {name!r}. {hint}")
        arguments.check_fields(f"{place.name}, {name}", text, fields_of(judging.TEMPLATES[name]))
    return templates


def _sample(item: Question) -> Sample:
    part = {"part": item.part} if item.part else {}
    facts = {"dataset": item.dataset, "kind": item.kind, "answerable": item.answerable, **part}
    return sample(item, item.question, list(item.answers), facts, choices=item.choices)


def _forms(item: JudgeItem, batch: bool) -> tuple[str, ...]:
    """What is judged of it in a call each."""
    return ("sentence",) if batch and item.part == "sentences" else item.forms


def _together(item: JudgeItem) -> list[str]:
    """The replies that a batch shows the judge with this item's sentence."""
    pairs = [one.reply for one in labelled_items()["pairs"] if one.question == item.question]
    return list(dict.fromkeys(pairs)) if item.part == "pairs" else []


def _judged(item: JudgeItem, form: str, **how: object) -> Sample:
    labels = {
        "markers": json.dumps(item.markers, ensure_ascii=False),
        "decisiveness": f"{item.decisiveness:g}",
    }
    # Asked for right or wrong alone, a judge should call a punt wrong.
    is_wrong = how["wording"] == STUDY and item.verdict == "punt"
    return Sample(
        input=item.sentence or item.reply,
        target={
            **labels,
            "sentence": json.dumps(labels, ensure_ascii=False),
            "correctness": "incorrect" if is_wrong else item.verdict,
            "consistency": item.verdict,
        }[form],
        id=f"{item.id}-{form}",
        metadata={
            "item": item.id,
            "form": form,
            **how,
            "question": item.question,
            "sentence": item.sentence,
            "reply": item.reply,
            "word": item.word,
            "accepted": "; ".join(item.answers),
            "each": _together(item),
        },
    )
