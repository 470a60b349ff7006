"""The question sets of the calibration study, the bundled ones, and a user's file."""

import functools
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass, replace

from inspect_confidence.arguments import fingerprint
from inspect_confidence.datasets import records
from inspect_confidence.datasets.cache import fetch_text
from inspect_confidence.datasets.questions import bundled_part
from inspect_confidence.datasets.records import OwnRow, Record
from inspect_confidence.datasets.selection import Item, Selection, alternate, choose
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.prompts.question_sets import Kind

STUDY_COMMIT = "560aae77b190dfb58ce6c0ec3e658fc03d65a45d"
"""Of the study's repository, github NoamMichael/Comparing-Confidence-in-LLMs."""

_FILES = {
    "boolq": "boolq_valid",
    "sciq": "sciq_test",
    "lsat_ar": "lsat_ar_test",
    "sat_en": "sat_en",
    "halueval": "halu_eval_qa",
}

ITEMS: Mapping[str, str] = {
    name: f"question_sets/items/{file}.csv" for name, file in _FILES.items()
}
"""The sources of the study's five sets, as it published them."""

PROMPTS: Mapping[str, str] = {
    name: f"question_sets/prompts/{file}_prompts.csv" for name, file in _FILES.items()
}
"""The sources of the study's exact prompts, by question."""

BUNDLED = ("bundled", "statements")
"""168 questions with four options, and 126 that are true or false."""

FILES: Mapping[str, tuple[str, ...]] = {
    **{name: (file,) for name, file in ITEMS.items()},
    "bundled": ("knowledge.jsonl",),
    "statements": ("statements.jsonl",),
}
"""What each data set is read from."""

_TRUTH = {"true": True, "false": False, "yes": True, "no": False}

Prompts = Mapping[str, tuple[str, str]]
"""User and system message by question."""


@dataclass(frozen=True)
class GivenAnswer:
    """An answer that the model is told it gave.

    Attributes:
        name: Tells the answers to one question apart.
        text: The answer.
        right: Whether it is.
    """

    name: str
    text: str
    right: bool


@dataclass(frozen=True, kw_only=True)
class SetQuestion(Item):
    """A question of a question set.

    Attributes:
        kind: What is wanted: the probability of each option, true or false, or the confidence in
            a given answer.
        question: Its text.
        context: What is to be read first.
        options: What may be chosen, in the order shown; empty for other kinds.
        target: The right option's letter, or `True` or `False`; empty where answers are given.
        given: The answers that are given, each asked about in a call of its own.
        source_id: The study's question ID.
    """

    kind: Kind
    question: str
    context: str = ""
    options: tuple[str, ...] = ()
    target: str = ""
    given: tuple[GivenAnswer, ...] = ()
    source_id: str = ""


def load_question_set(
    dataset: object, *, items: object = None, split: str = "all", seed: int = 0
) -> Selection[SetQuestion]:
    """Load, order and select questions, as `choose` and `alternate` do it.

    A data set is `boolq`, `sciq`, `lsat_ar`, `sat_en`, `halueval`, `bundled`, `statements`, or a
    csv or jsonl file with `question` and `target`. There, with `choices` (a list, or texts between
    `|`) a question has options and `target` is a letter or a choice; with `answer` that answer is
    given, and `target` says whether it is right; with neither, `target` is true or false. `id`,
    `context` and `split` may be there.

    Raises:
        InvalidArgument: An argument or a row can't be used.
        DataUnavailable: The questions could not be downloaded.
    """
    known = {
        **{name: functools.partial(_published, name) for name in ITEMS},
        **{name: functools.partial(_bundled, name) for name in BUNDLED},
    }
    name, pool, version = records.load_pool(dataset, known, ["question", "target"], _own)
    files = records.pool_files(dataset, FILES)
    return Selection(name, choose(alternate(pool, seed), split, items), version, files=files)


def study_prompts(dataset: str) -> Prompts:
    """The study's exact prompts of one of its sets, downloaded once.

    Keys are the study's question IDs; where answers are given, with `_` and the answer's name.

    Raises:
        InvalidArgument: The set isn't the study's.
        DataUnavailable: The prompts could not be downloaded.
    """
    if dataset not in PROMPTS:
        raise InvalidArgument(
            f"prompts=authors: the study has no prompts for {dataset}, only for "
            f"{', '.join(PROMPTS)}; use prompts=ours."
        )
    rows = records.csv_records(fetch_text(PROMPTS[dataset], instead="-T prompts=ours"))
    return {row["Question ID"]: (row["Full Prompt"], row["System Prompt"]) for row in rows}


@functools.cache
def bundled_sets() -> Mapping[str, Mapping[str, SetQuestion]]:
    """The questions written for this project, by set and id."""
    options = [
        SetQuestion(
            id=item.id,
            kind="options",
            question=item.question,
            options=item.choices,
            target=item.target,
        )
        for item in bundled_part("knowledge")
    ]
    statements = [
        SetQuestion(
            id=row["id"], kind="true_false", question=row["question"], target=str(row["answer"])
        )
        for row in records.bundled_records("statements.jsonl")
    ]
    sets = {"bundled": options, "statements": statements}
    return {name: {item.id: item for item in items} for name, items in sets.items()}


def known_question(name: str) -> SetQuestion:
    """The question of that id, bundled or of one of the study's sets; of others a `KeyError`.

    Raises:
        DataUnavailable: The set could not be downloaded.
    """
    dataset = name.partition("-")[0]
    if dataset in ITEMS:
        return _by_id(dataset)[name]
    return ChainMap(*map(dict, bundled_sets().values()))[name]


@functools.cache
def _by_id(dataset: str) -> Mapping[str, SetQuestion]:
    return {item.id: item for item in _published(dataset)[0]}


def _bundled(name: str) -> tuple[list[SetQuestion], str]:
    pool = list(bundled_sets()[name].values())
    return pool, fingerprint(repr(pool))


def _own(row: OwnRow) -> SetQuestion:
    choices, given, target = row.choices(), row.text("answer"), row.text("target")
    if choices and given:
        raise row.refused("choices and answer exclude each other; leave one empty.")
    if choices:
        kind: Kind = "options"
        right = row.letter(choices)
    elif target.lower() in _TRUTH:
        kind, right = "given" if given else "true_false", str(_TRUTH[target.lower()])
    else:
        raise row.refused(
            f"target {target!r} is neither true nor false; other questions need `choices`."
        )
    return SetQuestion(
        id=row.id,
        split=row.split,
        kind=kind,
        question=row.as_written("question"),
        context=row.text("context"),
        options=choices,
        target="" if given else right,
        given=(GivenAnswer("answer", given, right == "True"),) if given else (),
    )


def _published(name: str) -> tuple[list[SetQuestion], str]:
    text = fetch_text(ITEMS[name])
    read = {"boolq": _true_or_false, "halueval": _with_answers}.get(name, _with_options)
    pool = [
        replace(read(row), id=f"{name}-{row['Question ID']}", source_id=row["Question ID"])
        for row in records.csv_records(text)
    ]
    return pool, fingerprint(text)


def _with_options(row: Record) -> SetQuestion:
    """With a passage where the text has one: AGIEval's lists the options once more at its end."""
    context, marked, rest = (row.get("Question") or row["query"]).partition("Q: ")
    return SetQuestion(
        id="",
        kind="options",
        question=rest.split("Answer Choices:", 1)[0].strip() if marked else context,
        context=context.strip() if marked else "",
        options=tuple(row[key] for key in row if key.startswith("Option ")),
        target=row["Correct Answer Letter"],
    )


def _true_or_false(row: Record) -> SetQuestion:
    return SetQuestion(
        id="", kind="true_false", question=row["Question"], target=row["Correct Answer"]
    )


def _with_answers(row: Record) -> SetQuestion:
    """The right and the hallucinated answer."""
    return SetQuestion(
        id="",
        kind="given",
        question=row["Question"],
        context=row["knowledge"].strip(),
        given=(
            GivenAnswer("r", row["right_answer"], right=True),
            GivenAnswer("h", row["hallucinated_answer"], right=False),
        ),
    )
