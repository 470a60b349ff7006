"""Hedge markers: a model's confidence in sentences with markers; and a check of the judge."""

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
from inspect_confidence.solvers.forms import ask_hedged, ask_judge
from inspect_confidence.tasks.composition import (
    JUDGES,
    compose_task,
    fields_of,
    judge_of_run,
    log_facts,
    read_shared,
    sample,
)
from inspect_confidence.tasks.viewers import hedge_viewer, judge_viewer
from inspect_confidence.user_files import check_shape, read_json

DATASETS = "popqa,ambignq,sciq,arc_challenge"
"""Data sets of short answers and choices; all but the first have a train and a test split."""

STOP_AT_QUESTION = "Question:"
"""Text at which the study's answers stop."""

_SENTENCE_CHARACTERS = 120
"""Approximate characters of a sentence or short reply: 30 tokens."""

ITEMS = 1_200
"""Default number of items; it gives most markers ten sentences in each data set and split."""


@task
def hedge_markers(
    dataset: str | list[str] = DATASETS,
    split: str = "all",
    draws: int = 20,
    judge: str | None = None,
    system: str = "standard",
    batch_judgments: bool | None = None,
    items: str | int | None = ITEMS,
    seed: int = 0,
    prompts: str = "ours",
    prompt: str | None = None,
    judge_prompts: str = "ours",
    **unknown: object,
) -> Task:
    """Ask for a hedged answer and K more, and judge each sentence against the further answers.

    A sentence is hedged by markers, words of confidence such as "probably". Its decisiveness is how
    firmly it asserts its claim, from 0 to 1.

    Args:
        dataset: `popqa`, `selfaware`, `simpleqa`, `halueval`, `mmlu`, `sciq`, `arc_challenge`,
            `superglue`, `ambignq`, `truthfulqa`, `wnli` (each downloaded once), `facts`, `science`,
            `commonsense` or `bundled` (these three), several with commas, or a csv or jsonl file.
        split: `train`, `test` or `all`.
        draws: K, at least 1.
        judge: `model` (the one in the role `grader`; one in the role `extractor`, if there is one,
            lists the markers) or `rules` (no calls). By default a model, or rules, with a notice,
            if the command names no model in a role.
        system: `standard` (the study's, verbatim), `metacognitive` (the package's, or the study's
            with its prompts), `unlimited` (the standard one without its limit of one marker per
            sentence), or a file.
        batch_judgments: Whether all judgments of a sentence are asked for in one call, instead of
            one for its markers, one for its decisiveness and one for each different answer. By
            default they are, unless `judge_prompts` is `study` or a file without `sentence`.
        items: Number of items, spread over data sets and splits; `all` for up to 5,000 of each, as
            in the study; or a file with one id per line.
        seed: Seed of the order of items and of choices.
        prompts: `ours`, or `study` (the study's user messages, system messages and stop sequence,
            downloaded once).
        prompt: A file that replaces the user message; it has `{question}`.
        judge_prompts: `ours`, `study` (the study's, downloaded once), or a json file with templates
            that replace the package's, by name: `markers`, `decisiveness`, `consistency`,
            `correctness`, `sentence`.
        **unknown: Refused.
    """
    n_draws = arguments.integer("draws", draws, minimum=1, maximum=arguments.MAX_DRAWS)
    instrument = judge_of_run("hedge_markers", judge, is_prompted=judge_prompts != "ours")
    by_model = instrument == "model"
    batch = _batch(batch_judgments)
    study = arguments.choice("prompts", prompts, WORDINGS) == STUDY
    if study and prompt:
        raise InvalidArgument(
            f"prompts=study with prompt={prompt}: the study's prompts are asked as they are; leave "
            "prompt out, or use prompts=ours."
        )
    count = None if items == "all" else items
    shared = read_shared(hedge_markers, unknown, count, split, seed, prompt, "{question}", None)
    formats = study_formats() if study else None
    system_text = _system_text(str(system), study=study)
    template = formats.message if formats else shared.template
    if by_model:
        expect_grader()
    judge_templates = _judge_prompts(judge_prompts, by_model)
    scorer = hedged(instrument, batch, judge_templates)
    selection = load_marker_questions(dataset, **shared.choice, formats=formats)
    wordings = [template] if template else list(wording.TEMPLATES.values())
    wordings += [version_of(UTILS)] if study else []  # the study's file that words questions
    run_facts: dict[str, object] = {
        "judge": instrument,
        "judge_prompts": _prompts_label(judge_templates),
        "draws_per_sample": n_draws,
    }
    if system in wording.SYSTEMS:  # its name in judgments and published figures
        run_facts["system"] = system
    if by_model:
        run_facts |= _grader_facts(judge_templates, is_batched(judge_templates, batch), n_draws)
    return compose_task(
        hedge_markers,
        list(map(_sample, selection.items)),
        ask_hedged(n_draws, system_text, template, grader=by_model),
        scorer,
        hedge_viewer,
        headline="faithfulness",
        facts=log_facts(
            selection,
            wordings,
            system_text,
            prompts=["hedge_markers", "judge"] if by_model else ["hedge_markers"],
            output_tokens=30,
            calls=1 + n_draws,
            files=_judging_files(instrument, study=study or judge_templates == STUDY),
            further=run_facts,
        ),
        config=GenerateConfig(
            temperature=1, max_tokens=256, stop_seqs=[STOP_AT_QUESTION] if study else None
        ),
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
    """Compare a judge's judgments with labels; the model of the run is the judge.

    It judges the markers (such as "probably") and the decisiveness of a sentence, whether the
    answers of a pair agree, and whether an answer is right. Each is one call, but a sentence is two
    if judgments are not batched.

    Args:
        judge: `model` (the one that `--model` names) or `rules` (no calls; any `--model`).
        parts: Some of `sentences` (132), `pairs` (126), `answers` (63).
        batch_judgments: Whether sentences and pairs are judged by the prompt that asks for all
            judgments of a sentence in one call, a pair together with the replies of two other
            pairs about the question. By default they are, unless `judge_prompts` is `study` or a
            file without `sentence`.
        items: Number of items, or a file with one id per line; all by default.
        seed: Seed of the order of items.
        judge_prompts: As in `hedge_markers`.
        **unknown: Refused.
    """
    arguments.refuse_unknown(unknown, arguments.argument_names(judge_check))
    instrument = arguments.choice("judge", judge, JUDGES)
    batch = _batch(batch_judgments)
    judge_templates = _judge_prompts(judge_prompts, instrument == "model")
    if instrument == "rules" and batch is None:
        batch = False  # rules have no prompts
    templates = judge_wording(judge_templates, batch=batch).templates
    batched = is_batched(judge_templates, batch)
    selection = load_judge_items(parts, items=items, seed=arguments.integer("seed", seed))
    calls = 1 if instrument == "model" else 0
    label = _prompts_label(judge_templates)
    samples = []
    for item in selection.items:
        # Each form of judgment is a call; a batch asks for all judgments of a sentence at once.
        forms = ("sentence",) if batched and item.part == "sentences" else item.forms
        for form in forms:
            samples.append(_judgment_sample(item, form, instrument, batched, label))
    return compose_task(
        judge_check,
        samples,
        ask_judge(judge_templates, batch),
        judge_item(),
        judge_viewer,
        headline="agreement_accuracy",
        facts=log_facts(
            selection,
            list(templates.values()),
            None,
            prompts=["judge"] if calls else [],
            output_tokens=12,
            calls=calls,
            files=_judging_files(instrument, study=judge_templates == STUDY),
            further={"judge": instrument, "judge_prompts": label},
        ),
    )


def _batch(batch_judgments: object) -> bool | None:
    if batch_judgments is None:
        return None
    return arguments.boolean("batch_judgments", batch_judgments)


def _judging_files(judge: str, *, study: bool) -> list[str]:
    """Return the data files of prompts and judge, besides the questions."""
    files = [PROMPTS, UTILS] if study else []
    return [*files, MARKERS] if judge == "rules" else files


def _grader_facts(
    judge_templates: Mapping[str, str] | str, batched: bool, draws: int
) -> dict[str, dict[str, int]]:
    """Return what judging a reply of one sentence is expected to cost, from which `plan` sums up.

    The `grader` judges; the `extractor`, if the command names a model for that, lists markers in
    place of the grader. A sentence is compared with `draws` replies, for each of which the numbers
    `..._per_reply` are added. If judgments are `batched`, a call asks for all judgments of a
    sentence; `calls_again` ask for those that its reply lacks. Sizes are rough estimates.
    """
    templates = judge_wording(judge_templates, batch=batched).templates
    forms = ["correctness", "sentence"] if batched else ["correctness", "markers", "decisiveness"]
    facts = {
        "calls": len(forms),
        "characters": sum(len(templates[form]) + _SENTENCE_CHARACTERS for form in forms),
        "output_tokens": 12 * len(forms),
        "replies": draws,
    }
    if batched:
        facts |= {
            "calls_per_reply": 0,
            "questions": 2,  # how many of the calls show the question
            "characters_per_reply": _SENTENCE_CHARACTERS,
            "output_tokens_per_reply": 3,
            "calls_again": 2,
            "calls_again_per_reply": 1,
        }
    else:
        facts |= {
            "calls_per_reply": 1,
            "questions": 1,
            "characters_per_reply": len(templates["consistency"]) + 2 * _SENTENCE_CHARACTERS,
            "output_tokens_per_reply": 8,
            "calls_again": 0,
            "calls_again_per_reply": 0,
        }
    listing = {
        "calls": 1,
        "characters": len(templates["markers"]) + _SENTENCE_CHARACTERS,
        "output_tokens": 12,
        "calls_of_grader": 1 if batched else 0,  # the batch lists markers too
    }
    return {"grader": facts, "extractor": listing}


def _system_text(system: str, *, study: bool) -> str:
    """Return the system message of that name, or from a user's file; refuse any other word.

    With `study` the messages of the study of hedge markers replace the package's of the same names.
    """
    systems = {**wording.SYSTEMS, **(study_systems() if study else {})}
    if system in systems:
        return systems[system]
    _refuse_word("system", system, wording.SYSTEMS)  # a value with a dot or slash is a path
    return arguments.prompt_text("system", system)


def _refuse_word(name: str, value: str, words: Iterable[str]) -> None:
    """Refuse a value that is neither a file nor one of the words."""
    if "." not in value and "/" not in value:
        raise InvalidArgument(f"{name}={value} is not known. {nearest(value, [*words, 'a file'])}")


def _prompts_label(judge_templates: Mapping[str, str] | str) -> str:
    """Return the label of a judge's prompts: empty, `study`, or a fingerprint."""
    if isinstance(judge_templates, str):
        return judge_templates
    return judging.fingerprint_of(judge_templates)


def _judge_prompts(path: str, by_model: bool) -> dict[str, str] | str:
    """Return the templates of a user's json file by name, `study`, or nothing for `ours`.

    Refuse an unknown name, other fields than those of the package's template, and prompts for
    rules.
    """
    if path == "ours":
        return {}
    if not by_model:
        raise InvalidArgument(
            "judge_prompts with judge=rules: rules read no prompts; leave it out."
        )
    if path == STUDY:
        return STUDY
    _refuse_word("judge_prompts", str(path), WORDINGS)  # unless it looks like a path
    file = arguments.user_path("judge_prompts", path)
    templates = check_shape(str(file), read_json(file), dict[str, str])
    for name, text in templates.items():
        if name not in judging.TEMPLATES:
            hint = nearest(name, judging.TEMPLATES)
            raise InvalidArgument(f"{file.name}: there is no judge's prompt {name!r}. {hint}")
        arguments.check_fields(f"{file.name}, {name}", text, fields_of(judging.TEMPLATES[name]))
    return templates


def _sample(item: Question) -> Sample:
    part = {"part": item.part} if item.part else {}
    facts = {"dataset": item.dataset, "kind": item.kind, "answerable": item.answerable, **part}
    return sample(item, item.question, list(item.answers), facts, choices=item.choices)


def _batch_replies(item: JudgeItem) -> list[str]:
    """Return the replies that one call shows the judge to compare with this item's sentence.

    An item that is a pair (a sentence and a reply) gets the replies of all pairs about its
    question, as one call of `hedge_markers` shows all further replies; other items have none.
    """
    if item.part != "pairs":
        return []
    pairs = [pair for pair in labelled_items()["pairs"] if pair.question == item.question]
    return list(dict.fromkeys(pair.reply for pair in pairs))


def _judgment_sample(
    item: JudgeItem, form: str, judge: str, batch: bool, wording_label: str
) -> Sample:
    """Return the sample for one judgment (`form`) about an item; its target is the item's label."""
    labels = {
        "markers": json.dumps(item.markers, ensure_ascii=False),
        "decisiveness": f"{item.decisiveness:g}",
    }
    # The study's judge is asked only for right or wrong: it should call a punt (no answer) wrong.
    is_wrong = wording_label == STUDY and item.verdict == "punt"
    targets = {
        **labels,
        "sentence": json.dumps(labels, ensure_ascii=False),
        "correctness": "incorrect" if is_wrong else item.verdict,
        "consistency": item.verdict,
    }
    return Sample(
        input=item.sentence or item.reply,  # an item on correctness has no sentence
        target=targets[form],
        id=f"{item.id}-{form}",
        metadata={
            "item": item.id,
            "form": form,
            "judge": judge,
            "batch": batch,
            "wording": wording_label,
            "question": item.question,
            "sentence": item.sentence,
            "reply": item.reply,
            "word": item.word,
            "accepted": "; ".join(item.answers),
            "each": _batch_replies(item),
        },
    )
