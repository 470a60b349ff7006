"""The questions of the hedge-marker study: its data sets, three bundled ones, a user's file."""

import contextlib
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import zip_longest
from pathlib import Path
from typing import Literal

from inspect_confidence.arguments import choice, fingerprint, read_text, user_path
from inspect_confidence.datasets import hub
from inspect_confidence.datasets import marker_sources as sources
from inspect_confidence.datasets.cache import Source
from inspect_confidence.datasets.marker_row import Row
from inspect_confidence.datasets.own_questions import (
    LETTERS,
    choices_of,
    letter_of,
    refuse_duplicates,
)
from inspect_confidence.datasets.question_sets import ITEMS
from inspect_confidence.datasets.questions import MMLU
from inspect_confidence.datasets.records import Record, read_records
from inspect_confidence.datasets.selection import Question, Selection, Split, alternate, choose
from inspect_confidence.errors import InvalidArgument, nearest


def own_marker_questions(path: Path) -> list[Row]:
    """Rows with `id, split, dataset, context, question`, and `answers` or `choices` and `target`.

    `answers` and `choices` are lists (in csv their JSON text, or texts between `|`); `target` is a
    letter or a choice's text. `dataset` is the file's name where it isn't there.

    Raises:
        InvalidArgument: A row can't be used.
    """
    records = read_records(path, ["question"])
    rows = [
        _own(record, f"{path.stem}-{number:04d}", path.stem, f"{path.name}, row {number}")
        for number, record in enumerate(records, start=1)
    ]
    refuse_duplicates(path, (row.id for row in rows))
    return rows


def _own(record: Record, name: str, dataset: str, where: str) -> Row:
    choices = choices_of(record.get("choices"), where)
    answers = tuple(dict.fromkeys(_answers(record.get("answers"), where)))
    target, split = _text(record.get("target")), record.get("split") or None
    if split not in (None, "train", "test"):
        raise InvalidArgument(f"{where}: split {split!r} is not train or test.")
    if choices and answers:
        raise InvalidArgument(f"{where}: choices and answers exclude each other; leave one empty.")
    if not choices and not answers:
        raise InvalidArgument(
            f"{where}: no answer is accepted; give `answers`, or `choices` and `target`."
        )
    if choices and not target:
        raise InvalidArgument(f"{where}: 'target' is missing; it names the right choice.")
    context = _text(record.get("context"))
    question = str(record["question"])
    return Row(
        id=_text(record.get("id")) or name,
        split=split,
        dataset=_text(record.get("dataset")) or dataset,
        question=f"{context}\n\n{question}" if context else question,
        answers=answers,
        choices=choices,
        right=LETTERS.index(letter_of(target, choices, where)) if choices else 0,
    )


def _answers(value: object, where: str) -> Iterator[str]:
    """A row's accepted answers: a list, its JSON text, texts between `|`, or one that is no text.

    Raises:
        InvalidArgument: One is empty, or no text and no number.
    """
    if isinstance(value, str) and value.strip().startswith("["):
        with contextlib.suppress(json.JSONDecodeError):  # an answer may begin with a bracket
            value = json.loads(value)
    if isinstance(value, str):
        value = value.split("|") if value.strip() else []
    if value is None:
        value = []
    for answer in value if isinstance(value, list) else [value]:
        if isinstance(answer, dict | list) or not _text(answer):
            raise InvalidArgument(
                f'{where}: answers hold {answer!r}; write ["one", "other"] or one|other.'
            )
        yield _text(answer)


def _text(value: object) -> str:
    """A cell as text: 0 and False are something, None is nothing."""
    return "" if value is None else str(value).strip()


BUNDLED = ("facts", "science", "commonsense")
"""The data sets written for this project: short answers, four choices, and two or four."""


@dataclass(frozen=True)
class Published:
    """A data set of the study.

    Attributes:
        read: Gives the rows of a split.
        files: What they are read from, all splits.
        splits: Those that it has.
    """

    read: Callable[[Split], Iterator[Row]]
    files: Sequence[Source]
    splits: tuple[Split, ...] = ("train", "test")


_ONE: tuple[Split, ...] = ("test",)

PUBLISHED: Mapping[str, Published] = {
    "popqa": Published(hub.popqa, [sources.POPQA], _ONE),
    "selfaware": Published(hub.selfaware, [sources.SELFAWARE], _ONE),
    "simpleqa": Published(hub.simpleqa, [sources.SIMPLEQA], _ONE),
    "halueval": Published(hub.halueval, [ITEMS["halueval"]], _ONE),
    "mmlu": Published(hub.mmlu, [sources.MMLU_TRAIN, MMLU]),
    "sciq": Published(hub.sciq, [sources.SCIQ_TRAIN, ITEMS["sciq"]]),
    "arc_challenge": Published(hub.arc_challenge, [*sources.ARC.values()]),
    "superglue": Published(hub.superglue, [*sources.SUPERGLUE.values()]),
    "ambignq": Published(hub.ambignq, [*sources.AMBIGNQ.values()]),
    "truthfulqa": Published(hub.truthfulqa, [sources.TRUTHFULQA], _ONE),
    "wnli": Published(hub.wnli, [*sources.WNLI.values()]),
}
"""The study's data sets. One that its source doesn't split is all `test`."""


def rows_of(name: str, split: str) -> Iterator[Row]:
    """The rows of a data set, of one split or of `all` that it has."""
    if name in PUBLISHED:
        for one in PUBLISHED[name].splits:
            if split in ("all", one):
                yield from PUBLISHED[name].read(one)
    else:
        for record in map(json.loads, _bundled_text(name).splitlines()):
            offered = tuple(record.get("choices", ()))
            yield Row(
                id=record["id"],
                split=record["split"],
                dataset=name,
                question=record["question"],
                answers=tuple(record.get("answers", ())),
                choices=offered,
                right=record["answer"] if offered else 0,
            )


def set_version(name: str) -> str:
    """What tells this version of a data set, all its splits, from others."""
    if name in BUNDLED:
        return _bundled_text(name)
    return " ".join(map(sources.version_of, PUBLISHED[name].files))


def _bundled_text(name: str) -> str:
    folder = resources.files("inspect_confidence.datasets") / "bundled"
    return (folder / f"{name}.jsonl").read_text(encoding="utf-8")


MOST = 5_000
"""Items of a data set and split, unless `items=` asks for more."""


@dataclass(frozen=True, kw_only=True)
class MarkerQuestion(Question):
    """A question to be answered in words.

    Attributes:
        dataset: The data set that it is of.
        kind: Whether there are choices.
        question: All that is to be read, the choices excepted.
        choices: In the order shown; empty for short answers.
        answers: What is accepted: the answer in any of its forms, or the right choice's text and
            its letter as `(B)` and `B`. Empty where there is no answer.
        answerable: False where nobody can answer: right is then to decline, so that whether a reply
            is correct is judged as whether it is a punt.
        part: Of the data set, where it has parts (SuperGLUE's tasks).
    """

    dataset: str
    kind: Literal["short", "choices"]
    question: str
    choices: tuple[str, ...] = ()
    answers: tuple[str, ...]
    answerable: bool = True
    part: str = ""


def load_marker_questions(
    dataset: object, *, split: str, items: object = None, seed: int = 0
) -> Selection[MarkerQuestion]:
    """Load, order and select questions.

    Of each data set at most 5,000 items a split are drawn, SuperGLUE's tasks as equally as they
    last. Data sets take turns, so that any first so many items hold each as often as any other,
    until it has no more.

    Args:
        dataset: Data sets of the study, `facts`, `science`, `commonsense`, `bundled` (these three),
            several of these with commas, or one csv or jsonl file with `question`, and `answers` or
            `choices` and `target`.
        split: `train`, `test` or `all`. Only files of this split are downloaded. PopQA, SelfAware,
            SimpleQA, HaluEval and TruthfulQA have one split: all of them is `test`.
        items: None for all that are drawn, a count (which goes beyond 5,000 too), or a file of ids.
        seed: Of the order and of every question's order of choices.

    Raises:
        InvalidArgument: An argument or a row can't be used.
        DataUnavailable: The questions could not be downloaded.
    """
    choice("split", split, ["train", "test", "all"])
    name, sets, version = _pool(dataset, split)
    drawn, excluded = [], Counter[str]()
    for rows in sets:
        excluded.update(row.left_out for row in rows if row.left_out)
        kept = [row for row in rows if not row.left_out]
        ordered = [row for row in _ordered(kept, seed) if split in ("all", row.split)]
        drawn.append(ordered if items is not None else _at_most(MOST, ordered))
        excluded["not drawn"] += len(ordered) - len(drawn[-1])
    turns = [row for turn in zip_longest(*drawn) for row in turn if row]
    chosen = choose(turns, split, items)
    if any(row.choices for rows in sets for row in rows):
        version = fingerprint(f"{version} {seed}")
    return Selection(name, [_asked(row, seed) for row in chosen], version, +excluded)


def _pool(dataset: object, split: str) -> tuple[str, list[list[Row]], str]:
    """What was asked for: its name, the rows of each data set, and the fingerprint."""
    text = ",".join(map(str, dataset)) if isinstance(dataset, list | tuple) else str(dataset)
    named = [word.strip() for word in text.split(",") if word.strip()]
    if any("." in word for word in named):
        path = user_path("dataset", text)
        sets: dict[str, list[Row]] = {}
        for row in own_marker_questions(path):
            sets.setdefault(row.dataset, []).append(row)
        return path.name, list(sets.values()), fingerprint(read_text(path))
    known = [*PUBLISHED, *BUNDLED, "bundled", "a .csv or .jsonl file"]
    words = [word for name in named for word in (BUNDLED if name == "bundled" else (name,))]
    for word in words:
        if word not in known[:-1]:
            raise InvalidArgument(f"dataset={word} is not known. {nearest(word, known)}")
        if word in PUBLISHED and split not in ("all", *PUBLISHED[word].splits):
            raise InvalidArgument(
                f"dataset={word} has no split={split}: its source doesn't split it, and all of it "
                "is split=test."
            )
    if not words or len(set(words)) < len(words):
        raise InvalidArgument(f"dataset={text} is empty or names a data set twice.")
    version = fingerprint(" ".join(set_version(word) for word in words))
    return "+".join(named), [list(rows_of(word, split)) for word in words], version


def _ordered(rows: Sequence[Row], seed: int) -> list[Row]:
    """A data set in seeded order, its splits and parts by turns; rows without a split get one."""
    split = [row for row in rows if row.split]
    split += alternate([row for row in rows if not row.split], seed)
    return alternate(split, seed, group=lambda row: f"{row.split} {row.part}")


def _at_most(most: int, rows: Iterable[Row]) -> list[Row]:
    """The first so many of each split."""
    kept, seen = [], Counter[Split | None]()
    for row in rows:
        seen[row.split] += 1
        if seen[row.split] <= most:
            kept.append(row)
    return kept


def _asked(row: Row, seed: int) -> MarkerQuestion:
    """The question with its choices in seeded order."""
    places = list(range(len(row.choices)))
    random.Random(f"{seed} {row.id}").shuffle(places)
    shown = tuple(row.choices[place] for place in places)
    return MarkerQuestion(
        id=row.id,
        split=row.split,
        dataset=row.dataset,
        kind="choices" if shown else "short",
        question=row.question,
        choices=shown,
        answers=_accepted(shown, places.index(row.right)) if shown else row.answers,
        answerable=row.answerable,
        part=row.part,
    )


def _accepted(shown: Sequence[str], right: int) -> tuple[str, ...]:
    """The right choice's text and letter; the letter not where it is another choice's text."""
    letter = LETTERS[right]
    if letter in {text.strip("()").upper() for text in shown} - {shown[right].strip("()").upper()}:
        return (shown[right],)
    return tuple(dict.fromkeys([shown[right], f"({letter})", letter]))
