"""Question sets of the calibration study, bundled question sets, and users' files."""

import functools
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass, replace

from inspect_confidence.arguments import choice, fingerprint
from inspect_confidence.datasets import records
from inspect_confidence.datasets.cache import fetch_text
from inspect_confidence.datasets.questions import bundled_part
from inspect_confidence.datasets.records import OwnRow, Record
from inspect_confidence.datasets.selection import (
    Item,
    Selection,
    alternate,
    by_id,
    choose,
    passage_cluster,
)
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.prompts.question_sets import ReplyKind

STUDY_COMMIT = "560aae77b190dfb58ce6c0ec3e658fc03d65a45d"
"""Commit of the study's repository, github NoamMichael/Comparing-Confidence-in-LLMs."""

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
"""Sources of the study's five question sets, by name."""

PROMPTS: Mapping[str, str] = {
    name: f"question_sets/prompts/{file}_prompts.csv" for name, file in _FILES.items()
}
"""Sources of the study's exact prompts, by name of the question set."""

BUNDLED = ("bundled", "statements")
"""Bundled sets: 168 questions with four options, and 126 statements that are true or false."""

FILES: Mapping[str, tuple[str, ...]] = {
    **{name: (file,) for name, file in ITEMS.items()},
    "bundled": ("knowledge.jsonl",),
    "statements": ("statements.jsonl",),
}
"""Source files by data set."""

_TRUTH = {"true": True, "false": False, "yes": True, "no": False}

PromptsByQuestion = Mapping[str, tuple[str, str]]
"""User message and system message by question."""


@dataclass(frozen=True)
class GivenAnswer:
    """An answer that the model is told it gave.

    Attributes:
        name: Name of the answer, unique among those to one question.
        text: Text of the answer.
        right: Whether the answer is right.
    """

    name: str
    text: str
    right: bool


@dataclass(frozen=True, kw_only=True)
class SetQuestion(Item):
    """A question of a question set.

    Attributes:
        kind: Kind of reply: the probability of each option, true or false, or the confidence in a
            given answer.
        question: Text of the question.
        context: Passage to be read before the question.
        options: Options in the order of the prompt; empty for other kinds.
        target: Letter of the right option, or `True` or `False`; empty if answers are given.
        given: Given answers; each is asked about in its own call.
        source_id: Question ID of the study.
    """

    kind: ReplyKind
    question: str
    context: str = ""
    options: tuple[str, ...] = ()
    target: str = ""
    given: tuple[GivenAnswer, ...] = ()
    source_id: str = ""


def load_question_set(
    dataset: object, *, items: object = None, split: str = "all", seed: int = 0
) -> Selection[SetQuestion]:
    """Load, order and select the questions of a question set.

    A data set is `boolq`, `sciq`, `lsat_ar`, `sat_en`, `halueval`, `bundled`, `statements`, or a
    csv or jsonl file with the columns `question` and `target` (optionally `id`, `context` and
    `split`). In a file, a row with `choices` (a list, or texts separated by `|`) has options, and
    its `target` is a letter or a choice. A row with `answer` gives that answer, and its `target`
    is whether the answer is right. In other rows `target` is true or false. Train and test
    alternate in an order by `seed`. `items` (a number, or a file of ids) and `split` select from
    the items in that order, as in `choose`.

    Raises:
        InvalidArgument: An argument or a row can't be used.
        DataUnavailable: The questions could not be downloaded.
    """
    if records.is_user_file(dataset):
        columns = ["question", "target"]
        pool, version, name = records.own_items(dataset, columns, _question_of_user_row)
    else:
        name = choice("dataset", dataset, [*FILES, records.OWN_FILE])
        pool, version = _published(name) if name in ITEMS else _bundled(name)
    files = records.pool_files(dataset, FILES)
    return Selection(name, choose(alternate(pool, seed), split, items), version, files=files)


def study_prompts(dataset: str) -> PromptsByQuestion:
    """Return the study's exact prompts of one of its question sets, downloaded once.

    Keys are the study's question IDs, followed by `_` and the answer's name if answers are given.

    Raises:
        InvalidArgument: The set isn't the study's.
        DataUnavailable: The prompts could not be downloaded.
    """
    if dataset not in PROMPTS:
        raise InvalidArgument(
            f"prompts=authors: the study has no prompts for {dataset}, only for "
            f"{', '.join(PROMPTS)}; use prompts=ours."
        )
    rows = records.csv_records(fetch_text(PROMPTS[dataset], alternative="-T prompts=ours"))
    return {row["Question ID"]: (row["Full Prompt"], row["System Prompt"]) for row in rows}


@functools.cache
def bundled_sets() -> Mapping[str, Mapping[str, SetQuestion]]:
    """Return the questions written for this project, by set and id."""
    options, statements = {}, {}
    for item in bundled_part("knowledge"):
        options[item.id] = SetQuestion(
            id=item.id,
            kind="options",
            question=item.question,
            options=item.choices,
            target=item.target,
        )
    for row in records.bundled_records("statements.jsonl"):
        statements[row["id"]] = SetQuestion(
            id=row["id"], kind="true_false", question=row["question"], target=str(row["answer"])
        )
    return {"bundled": options, "statements": statements}


def known_question(name: str) -> SetQuestion:
    """Return the question with an id, bundled or of one of the study's question sets.

    Raises:
        KeyError: No question has this id.
        DataUnavailable: The question set could not be downloaded.
    """
    dataset = name.partition("-")[0]
    if dataset in ITEMS:
        return _published_by_id(dataset)[name]
    # Ids are unique over all bundled sets.
    return ChainMap(*map(dict, bundled_sets().values()))[name]


@functools.cache
def _published_by_id(dataset: str) -> Mapping[str, SetQuestion]:
    return by_id(_published(dataset)[0])


def _bundled(name: str) -> tuple[list[SetQuestion], str]:
    pool = list(bundled_sets()[name].values())
    return pool, fingerprint(repr(pool))


def _question_of_user_row(row: OwnRow) -> SetQuestion:
    """Return the question of a row of a user's file.

    With choices its kind is `options`. Otherwise the target is true or false: of the question
    (`true_false`), or of the answer that the row gives (`given`).

    Raises:
        InvalidArgument: The row has both choices and an answer, or an unclear target.
    """
    choices, answer, target = row.choices(), row.text("answer"), row.text("target")
    if choices and answer:
        raise row.error("choices and answer exclude each other; leave one empty.")
    if choices:
        kind: ReplyKind = "options"
        right = row.letter(choices)
    elif target.lower() in _TRUTH:
        kind, right = "given" if answer else "true_false", str(_TRUTH[target.lower()])
    else:
        raise row.error(
            f"target {target!r} is neither true nor false; other questions need `choices`."
        )
    return SetQuestion(
        id=row.id,
        split=row.split,
        cluster=passage_cluster(row.text("context")),
        kind=kind,
        question=row.as_written("question"),
        context=row.text("context"),
        options=choices,
        target="" if answer else right,
        given=(GivenAnswer("answer", answer, right == "True"),) if answer else (),
    )


def _published(name: str) -> tuple[list[SetQuestion], str]:
    """Return the questions of one of the study's question sets, and the file's fingerprint."""
    text = fetch_text(ITEMS[name])
    # A reader turns a row of the file into a question, still without id and cluster.
    readers = {"boolq": _true_or_false_question, "halueval": _question_with_answers}
    read_row = readers.get(name, _question_with_options)
    pool = []
    for row in records.csv_records(text):
        number = row["Question ID"]
        question = read_row(row)
        cluster = passage_cluster(question.context)
        pool.append(replace(question, id=f"{name}-{number}", source_id=number, cluster=cluster))
    return pool, fingerprint(text)


def _question_with_options(row: Record) -> SetQuestion:
    """Return a question with options, still without id, split from its passage if there is one.

    AGIEval writes `PASSAGE Q: QUESTION Answer Choices: OPTIONS`. The options are read from columns
    such as `Option A` instead.
    """
    question, context = row.get("Question") or row["query"], ""  # the name depends on the file
    if "Q: " in question:
        passage, _, question_and_options = question.partition("Q: ")
        context = passage.strip()
        question = question_and_options.split("Answer Choices:", 1)[0].strip()
    return SetQuestion(
        id="",
        kind="options",
        question=question,
        context=context,
        options=tuple(row[key] for key in row if key.startswith("Option ")),
        target=row["Correct Answer Letter"],
    )


def _true_or_false_question(row: Record) -> SetQuestion:
    return SetQuestion(
        id="", kind="true_false", question=row["Question"], target=row["Correct Answer"]
    )


def _question_with_answers(row: Record) -> SetQuestion:
    """Return a question with its right and its hallucinated answer."""
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
