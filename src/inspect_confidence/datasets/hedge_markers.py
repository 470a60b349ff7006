"""The questions of the hedge-marker study: its data sets, three bundled ones, a user's file."""

import contextlib
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from inspect_confidence.arguments import choice, fingerprint, parts, user_path
from inspect_confidence.datasets import records
from inspect_confidence.datasets.cache import version_of
from inspect_confidence.datasets.hub import PUBLISHED
from inspect_confidence.datasets.marker_prompts import StudyFormats
from inspect_confidence.datasets.questions import Question, bundled_part
from inspect_confidence.datasets.records import LETTERS, OwnRow, cell_text
from inspect_confidence.datasets.selection import Selection, Split, alternate, choose
from inspect_confidence.errors import InvalidArgument

BUNDLED = ("facts", "science", "commonsense")
"""The data sets written for this project: short answers, four choices, and two or four."""

MOST = 5_000
"""Items of a data set and split, unless `items=` asks for more."""


def load_marker_questions(
    dataset: object,
    *,
    split: str,
    items: object = None,
    seed: int = 0,
    formats: StudyFormats | None = None,
) -> Selection[Question]:
    """Load, order and select questions, as `choose` and `alternate` do it.

    With the study's formats questions are worded by them, choices in the source's order (but
    SciQ's, which has the right one at a fixed place); those that have none are left out.

    Of each data set at most 5,000 items a split are drawn, SuperGLUE's tasks as equally as they
    last. Data sets take turns, so that any first so many items hold each as often as any other,
    until it has no more. A count of items goes beyond 5,000 too. Only files of the split asked for
    are downloaded; PopQA, SelfAware, SimpleQA, HaluEval and TruthfulQA have one split: all of them
    is `test`. The seed is that of every question's order of choices too.

    `dataset` names data sets of the study, `facts`, `science`, `commonsense`, `bundled` (these
    three), several of these with commas, or one csv or jsonl file with `question`, and `answers` or
    `choices` and `target` (`id`, `split`, `dataset` and `context` are read where they are there).
    `answers` and `choices` are lists, in csv their JSON text or texts between `|`; `target` is a
    letter or a choice's text.

    Raises:
        InvalidArgument: An argument or a row can't be used.
        DataUnavailable: The questions could not be downloaded.
    """
    choice("split", split, ["train", "test", "all"])
    name, sets, version, files = _pool(dataset, split)
    drawn, excluded = [], Counter[str]()
    for all_rows in sets:
        rows = [_left_out(row, formats) for row in all_rows]
        excluded.update(row.left_out for row in rows if row.left_out)
        kept = [row for row in rows if not row.left_out]
        ordered = [row for row in _ordered(kept, seed) if split in ("all", row.split)]
        drawn.append(ordered if items is not None else _at_most(MOST, ordered))
        excluded["not drawn"] += len(ordered) - len(drawn[-1])
    turns = [row for turn in zip_longest(*drawn) for row in turn if row]
    chosen = choose(turns, split, items)
    if any(row.choices for rows in sets for row in rows):
        version = fingerprint(f"{version} {seed}")
    asked = [_asked(row, seed, formats) for row in chosen]
    return Selection(name, asked, version, +excluded, files)


def _pool(
    dataset: object, split: str
) -> tuple[str, list[list[Question]], str, Sequence[str | Path]]:
    """What was asked for: its name, the rows of each data set, the fingerprint, and the files."""
    text = ",".join(map(str, dataset)) if isinstance(dataset, list | tuple) else str(dataset)
    named = parts(text)
    if any("." in word for word in named):
        rows, version, name = records.own_items(text, ["question"], _own)
        sets: dict[str, list[Question]] = {}
        for row in rows:
            sets.setdefault(row.dataset, []).append(row)
        return name, list(sets.values()), version, [user_path("dataset", text)]
    known = [*PUBLISHED, *BUNDLED, "bundled", records.OWN_FILE]
    words = [word for name in named for word in (BUNDLED if name == "bundled" else (name,))]
    for word in words:
        choice("dataset", word, known)
        if word in PUBLISHED and split not in ("all", *PUBLISHED[word].splits):
            raise InvalidArgument(
                f"dataset={word} has no split={split}: its source doesn't split it, and all of it "
                "is split=test."
            )
    if not words or len(set(words)) < len(words):
        raise InvalidArgument(f"dataset={text} is empty or names a data set twice.")
    version = fingerprint(" ".join(map(_version, words)))
    pools = [
        PUBLISHED[word].questions(split) if word in PUBLISHED else _bundled(word) for word in words
    ]
    files = [file for word in words for file in _files(word)]
    return "+".join(named), list(map(list, pools)), version, files


def _version(name: str) -> str:
    """What tells this version of a data set, all its splits, from others."""
    if name in BUNDLED:
        return records.bundled_text(f"{name}.jsonl")
    return " ".join(map(version_of, PUBLISHED[name].files))


def _files(name: str) -> tuple[str, ...]:
    return (f"{name}.jsonl",) if name in BUNDLED else PUBLISHED[name].files


def _bundled(name: str) -> Iterator[Question]:
    """A bundled set, whose splits come from its file; subjects aren't parts of it."""
    return (replace(item, dataset=name, part="") for item in bundled_part(name))


def _own(row: OwnRow) -> Question:
    choices, target, context = row.choices(), row.text("target"), row.text("context")
    answers = tuple(dict.fromkeys(_answers(row)))
    if choices and answers:
        raise row.refused("choices and answers exclude each other; leave one empty.")
    if not choices and not answers:
        raise row.refused("no answer is accepted; give `answers`, or `choices` and `target`.")
    if choices and not target:
        raise row.refused("'target' is missing; it names the right choice.")
    question = row.as_written("question")
    return Question(
        id=row.id,
        split=row.split,
        dataset=row.text("dataset") or row.path.stem,
        question=f"{context}\n\n{question}" if context else question,
        answers=answers,
        choices=choices,
        target=row.letter(choices) if choices else "",
    )


def _answers(row: OwnRow) -> Iterator[str]:
    """Accepted answers: a list, its JSON text, texts between `|`, or one that is no text."""
    value = row.record.get("answers")
    if isinstance(value, str) and value.strip().startswith("["):
        with contextlib.suppress(ValueError, RecursionError):  # it may begin with a bracket
            value = json.loads(value)
    if isinstance(value, str):
        value = value.split("|") if value.strip() else []
    if value is None:
        value = []
    for answer in value if isinstance(value, list) else [value]:
        if isinstance(answer, dict | list) or not cell_text(answer):
            raise row.refused(f'answers hold {answer!r}; write ["one", "other"] or one|other.')
        yield cell_text(answer)


def _ordered(rows: Sequence[Question], seed: int) -> list[Question]:
    """A data set in seeded order, its splits and parts by turns; rows without a split get one."""
    split = [row for row in rows if row.split]
    split += alternate([row for row in rows if not row.split], seed)
    return alternate(split, seed, group=lambda row: f"{row.split} {row.part}")


def _at_most(most: int, rows: Iterable[Question]) -> list[Question]:
    """The first so many of each split."""
    kept, seen = [], Counter[Split | None]()
    for row in rows:
        seen[row.split] += 1
        if seen[row.split] <= most:
            kept.append(row)
    return kept


def _left_out(row: Question, formats: StudyFormats | None) -> Question:
    """The row, left out where it has no format of the study's that is asked for."""
    if row.left_out or formats is None or formats.has(row):
        return row
    return replace(row, left_out="no format of the study")


def _asked(row: Question, seed: int, formats: StudyFormats | None) -> Question:
    """The question with its choices in seeded order, and what is then accepted."""
    if formats and row.dataset != "sciq":
        return formats.asked(row)
    if not row.choices:
        return row
    places = list(range(len(row.choices)))
    random.Random(f"{seed} {row.id}").shuffle(places)
    shown = tuple(row.choices[place] for place in places)
    right = places.index(LETTERS.index(row.target))
    mixed = replace(row, choices=shown, target=LETTERS[right], answers=_accepted(shown, right))
    return formats.asked(mixed) if formats else mixed


def _accepted(shown: Sequence[str], right: int) -> tuple[str, ...]:
    """The right choice's text and letter; the letter not where it is another choice's text."""
    letter = LETTERS[right]
    if letter in {text.strip("()").upper() for text in shown} - {shown[right].strip("()").upper()}:
        return (shown[right],)
    return tuple(dict.fromkeys([shown[right], f"({letter})", letter]))
