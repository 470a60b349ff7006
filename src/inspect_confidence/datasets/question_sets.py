"""The question sets of the calibration study, the bundled ones, and a user's file."""

import csv
import functools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from io import StringIO
from pathlib import Path

from inspect_confidence.arguments import fingerprint, read_text, user_path
from inspect_confidence.datasets.cache import Source, fetch
from inspect_confidence.datasets.own_questions import choices_of, letter_of, refuse_duplicates
from inspect_confidence.datasets.questions import bundled_part
from inspect_confidence.datasets.records import Record, read_records
from inspect_confidence.datasets.selection import Question, Selection, alternate, choose
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.prompts.question_sets import Kind

STUDY_COMMIT = "560aae77b190dfb58ce6c0ec3e658fc03d65a45d"
"""Of the study's repository, github NoamMichael/Comparing-Confidence-in-LLMs."""

_REPOSITORY = (
    f"https://raw.githubusercontent.com/NoamMichael/Comparing-Confidence-in-LLMs/{STUDY_COMMIT}"
)


def _items(name: str, sha256: str) -> Source:
    published = f"{_REPOSITORY}/Formatted%20Benchmarks/{name}_formatted.csv"
    return Source(f"question_sets/items/{name}.csv", published, sha256)


def _prompts(name: str, sha256: str | None) -> Source:
    published = f"{_REPOSITORY}/Prompts/{name}_prompts.csv"
    return Source(f"question_sets/prompts/{name}_prompts.csv", published, sha256)


ITEMS: Mapping[str, Source] = {
    "boolq": _items(
        "boolq_valid", "9b9848b5af4c60704902d1c0f6211b1f2279c45db0f6d8ebbadd64704319f796"
    ),
    "sciq": _items("sciq_test", "90440a5caf7ae758e0e33a2d5aec83b3b263a2eab147a88a8560b9e6b5321b9c"),
    "lsat_ar": _items(
        "lsat_ar_test", "9003bc627c3c9e3073ba1d67e06b2e2afe99ff916fc19e1233ed0d26f8521d8e"
    ),
    "sat_en": _items("sat_en", "e414c9494912b4b24ef89fd02de3b20da6912a261ba8ca36e1575d8660bd1783"),
    "halueval": _items(
        "halu_eval_qa", "f680c378ae0386be1de2ca1d7f1d60833a057ece4de6d5bf9bbd68c7895bc67d"
    ),
}
"""The study's five sets, as it published them."""

PROMPTS: Mapping[str, Source] = {
    # Nobody has published this file's checksum; its address names a commit.
    "boolq": _prompts("boolq_valid", None),
    "sciq": _prompts(
        "sciq_test", "ba999f604d63a8f09f3e08e2c7beffcca8d4b0ccdd28d9482fa7370771abb97d"
    ),
    "lsat_ar": _prompts(
        "lsat_ar_test", "46d69cbbea67ae3ff0b267157568f0e415c08be7893f1f995a2a995b3f57c9d9"
    ),
    "sat_en": _prompts(
        "sat_en", "df254fcc0b06839bdd0f2c7c6b546ef4deb2123789ffb244c9a76fa9ffefaa86"
    ),
    "halueval": _prompts(
        "halu_eval_qa", "99d7c143b335d7b8c592fa670196030bcf7b9ce154fbf31915a1df36f5329261"
    ),
}
"""The study's exact prompts, by question."""


__all__ = [
    "BUNDLED",
    "ITEMS",
    "PROMPTS",
    "STUDY_COMMIT",
    "GivenAnswer",
    "Prompts",
    "SetQuestion",
    "bundled_sets",
    "load_question_set",
    "own_set",
    "study_prompts",
]

BUNDLED = ("bundled", "statements")
"""168 questions with four options, and 126 that are true or false."""

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
class SetQuestion(Question):
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
    given: tuple[GivenAnswer, ...] = field(default=())
    source_id: str = ""


def load_question_set(
    dataset: object, *, items: object = None, split: str = "all", seed: int = 0
) -> Selection[SetQuestion]:
    """Load, order and select questions.

    Args:
        dataset: `boolq`, `sciq`, `lsat_ar`, `sat_en`, `halueval`, `bundled`, `statements`, or a csv
            or jsonl file as `own_set` describes it.
        items: None for all, a count, or a file of ids.
        split: `train`, `test` or `all`.
        seed: Of the order and of the split.

    Raises:
        InvalidArgument: An argument or a row can't be used.
        DataUnavailable: The questions could not be downloaded.
    """
    name = str(dataset)
    if name in ITEMS:
        text = fetch(ITEMS[name], instead="-T dataset=bundled").read_text(encoding="utf-8")
        pool, version = list(_PUBLISHED[name](name, text)), fingerprint(text)
    elif name in BUNDLED:
        pool = list(bundled_sets()[name].values())
        version = fingerprint(repr(pool))
    elif "." in name:
        path = user_path("dataset", dataset)
        pool, version, name = own_set(path), fingerprint(read_text(path)), path.name
    else:
        known = [*ITEMS, *BUNDLED, "a .csv or .jsonl file"]
        raise InvalidArgument(f"dataset={name} is not known. {nearest(name, known)}")
    return Selection(name, choose(alternate(pool, seed), split, items), version)


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
    text = fetch(PROMPTS[dataset], instead="-T prompts=ours").read_text(encoding="utf-8")
    return {row["Question ID"]: (row["Full Prompt"], row["System Prompt"]) for row in _rows(text)}


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
    folder = resources.files("inspect_confidence.datasets") / "bundled"
    lines = (folder / "statements.jsonl").read_text(encoding="utf-8").splitlines()
    statements = [
        SetQuestion(
            id=record["id"],
            kind="true_false",
            question=record["question"],
            target=str(record["answer"]),
        )
        for record in map(json.loads, lines)
    ]
    return {
        "bundled": {item.id: item for item in options},
        "statements": {item.id: item for item in statements},
    }


def own_set(path: Path) -> list[SetQuestion]:
    """A user's questions: `question`, `target`, and what tells the kinds apart.

    With `choices` (a list, or texts between `|`) a question has options and `target` is a letter
    or a choice; with `answer` that answer is given, and `target` says whether it is right; with
    neither, `target` is true or false. `id`, `context` and `split` may be there.

    Raises:
        InvalidArgument: A row can't be used.
    """
    records = read_records(path, ["question", "target"])
    found = [
        _own(record, f"{path.stem}-{number:04d}", f"{path.name}, row {number}")
        for number, record in enumerate(records, start=1)
    ]
    refuse_duplicates(path, (item.id for item in found))
    return found


def _own(record: Record, name: str, where: str) -> SetQuestion:
    choices = choices_of(record.get("choices"), where)
    given = _text(record.get("answer"))
    target, split = str(record["target"]).strip(), record.get("split") or None
    if choices and given:
        raise InvalidArgument(f"{where}: choices and answer exclude each other; leave one empty.")
    if split not in (None, "train", "test"):
        raise InvalidArgument(f"{where}: split {split!r} is not train or test.")
    if choices:
        kind: Kind = "options"
        right = letter_of(target, choices, where)
    elif target.lower() in _TRUTH:
        kind, right = "given" if given else "true_false", str(_TRUTH[target.lower()])
    else:
        raise InvalidArgument(
            f"{where}: target {target!r} is neither true nor false; other questions need `choices`."
        )
    return SetQuestion(
        id=_text(record.get("id")) or name,
        split=split,
        kind=kind,
        question=str(record["question"]),
        context=_text(record.get("context")),
        options=choices,
        target="" if given else right,
        given=(GivenAnswer("answer", given, right == "True"),) if given else (),
    )


def _text(value: object) -> str:
    """A cell as text: 0 and False are something, None is nothing."""
    return "" if value is None else str(value).strip()


def _rows(text: str) -> Iterator[Record]:
    yield from csv.DictReader(StringIO(text, newline=""))


def _with_options(name: str, text: str) -> Iterator[SetQuestion]:
    for row in _rows(text):
        options = [row[key] for key in row if key.startswith("Option ")]
        context, question = _apart(row.get("Question") or row["query"])
        yield SetQuestion(
            id=f"{name}-{row['Question ID']}",
            kind="options",
            question=question,
            context=context,
            options=tuple(options),
            target=row["Correct Answer Letter"],
            source_id=row["Question ID"],
        )


def _apart(text: str) -> tuple[str, str]:
    """Passage and question of AGIEval's texts, which list the options once more at the end."""
    context, marked, rest = text.partition("Q: ")
    if not marked:
        return "", text
    return context.strip(), rest.split("Answer Choices:", 1)[0].strip()


def _boolq(name: str, text: str) -> Iterator[SetQuestion]:
    for row in _rows(text):
        yield SetQuestion(
            id=f"{name}-{row['Question ID']}",
            kind="true_false",
            question=row["Question"],
            target=row["Correct Answer"],
            source_id=row["Question ID"],
        )


def _halueval(name: str, text: str) -> Iterator[SetQuestion]:
    """Each question with its right and its hallucinated answer."""
    for row in _rows(text):
        yield SetQuestion(
            id=f"{name}-{row['Question ID']}",
            kind="given",
            question=row["Question"],
            context=row["knowledge"].strip(),
            given=(
                GivenAnswer("r", row["right_answer"], right=True),
                GivenAnswer("h", row["hallucinated_answer"], right=False),
            ),
            source_id=row["Question ID"],
        )


_PUBLISHED = {
    "boolq": _boolq,
    "sciq": _with_options,
    "lsat_ar": _with_options,
    "sat_en": _with_options,
    "halueval": _halueval,
}
