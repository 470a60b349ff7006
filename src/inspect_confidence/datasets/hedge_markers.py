"""Questions of the hedge-marker study, from its data sets, three bundled sets or a user's file."""

import contextlib
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from pathlib import Path

from inspect_confidence.arguments import choice, fingerprint, parts, user_path
from inspect_confidence.datasets import records
from inspect_confidence.datasets.cache import version_of
from inspect_confidence.datasets.hub import PUBLISHED
from inspect_confidence.datasets.marker_prompts import StudyFormats
from inspect_confidence.datasets.questions import Question, bundled_part
from inspect_confidence.datasets.records import LETTERS, OwnRow, cell_text
from inspect_confidence.datasets.selection import (
    Selection,
    Split,
    alternate,
    choose,
    passage_cluster,
)
from inspect_confidence.errors import InvalidArgument

BUNDLED = ("facts", "science", "commonsense")
"""Data sets written for this project: short answers; four choices; two or four choices."""

MAX_ITEMS = 5_000
"""Maximum number of items of a data set and split, unless `items=` is set."""


def load_marker_questions(
    dataset: object,
    *,
    split: str,
    items: object = None,
    seed: int = 0,
    formats: StudyFormats | None = None,
) -> Selection[Question]:
    """Load, order and select the questions of one or several data sets.

    At most 5,000 items of each data set and split are used, unless `items` is set; SuperGLUE's
    tasks are balanced. Data sets alternate, so that every prefix holds them in equal numbers until
    one is exhausted. Only the files of the split are downloaded. PopQA, SelfAware, SimpleQA,
    HaluEval and TruthfulQA have one split, `test`. See `choose` and `alternate` for the rest.

    Args:
        dataset: Names of the study's data sets, `facts`, `science`, `commonsense` or `bundled`
            (these three), separated by commas; or one csv or jsonl file with `question`, and
            either `answers` or `choices` and `target` (optionally `id`, `split`, `dataset` and
            `context`). `answers` and `choices` are lists; in csv, JSON text or texts separated by
            `|`. `target` is a letter or a choice's text.
        split: `train`, `test` or `all`.
        items: Number of items, or a file of ids.
        seed: Seed of the order of the items and of the choices.
        formats: The study's formats, if questions are to be worded by them. Choices are then in
            the source's order (except SciQ's, whose right choice has a fixed place), and questions
            without a format are excluded.

    Raises:
        InvalidArgument: An argument or a row can't be used.
        DataUnavailable: The questions could not be downloaded.
    """
    choice("split", split, ["train", "test", "all"])
    name, data_sets, version, files = _load_pools(dataset, split)
    pools, excluded = [], Counter[str]()
    for rows in data_sets:
        included = []
        for row in rows:
            if reason := _exclusion_reason(row, formats):
                excluded[reason] += 1
            else:
                included.append(row)
        ordered = [row for row in _order_data_set(included, seed) if split in ("all", row.split)]
        pools.append(ordered if items is not None else _first_of_each_split(MAX_ITEMS, ordered))
        excluded["not drawn"] += len(ordered) - len(pools[-1])
    alternating = list(filter(None, chain.from_iterable(zip_longest(*pools))))
    chosen = choose(alternating, split, items)
    if any(row.choices for row in chain.from_iterable(data_sets)):  # the seed orders the choices
        version = fingerprint(f"{version} {seed}")
    questions = [_question_as_asked(row, seed, formats) for row in chosen]
    # `+` drops reasons that exclude no item.
    return Selection(name, questions, version, +excluded, files)


def _load_pools(
    dataset: object, split: str
) -> tuple[str, list[list[Question]], str, Sequence[str | Path]]:
    """Load the questions of the named data sets, or of a user's file by its column `dataset`.

    `dataset` is a list or a text with commas; `bundled` stands for the three bundled data sets.

    Returns:
        The name of the selection, the questions of each data set, the fingerprint of the versions,
        and the source files.

    Raises:
        InvalidArgument: A name is unknown or duplicated, or a data set lacks the split.
    """
    text = ",".join(map(str, dataset)) if isinstance(dataset, list | tuple) else str(dataset)
    names = parts(text)
    if any(map(records.is_user_file, names)):  # a file beside other names is refused
        rows, version, name = records.own_items(text, ["question"], own_question)
        by_dataset: dict[str, list[Question]] = {}
        for row in rows:
            by_dataset.setdefault(row.dataset, []).append(row)
        return name, list(by_dataset.values()), version, [user_path("dataset", text)]
    data_set_names = list(
        chain.from_iterable(BUNDLED if name == "bundled" else (name,) for name in names)
    )
    _check_names(data_set_names, split)
    if not data_set_names or len(set(data_set_names)) < len(data_set_names):
        raise InvalidArgument(f"dataset={text} is empty or names a data set twice.")
    version = fingerprint(" ".join(map(_version_text, data_set_names)))
    data_sets: list[list[Question]] = []
    files: list[str] = []
    for name in data_set_names:
        if name in PUBLISHED:
            data_sets.append(list(PUBLISHED[name].questions(split)))
            files.extend(PUBLISHED[name].files)
        else:  # bundled; its subjects are not used as parts
            questions = bundled_part(name)
            data_sets.append([replace(item, dataset=name, part="") for item in questions])
            files.append(f"{name}.jsonl")
    return "+".join(names), data_sets, version, files


def _check_names(names: Sequence[str], split: str) -> None:
    """Refuse the name of an unknown data set, or of one that lacks the split."""
    allowed = [*PUBLISHED, *BUNDLED, "bundled", records.OWN_FILE]
    for name in names:
        choice("dataset", name, allowed)
        if name in PUBLISHED and split not in ("all", *PUBLISHED[name].splits):
            raise InvalidArgument(
                f"dataset={name} has no split={split}: its source has no splits; use split=test."
            )


def _version_text(name: str) -> str:
    """Return a text that identifies the version of a data set with all its splits."""
    if name in BUNDLED:
        return records.bundled_text(f"{name}.jsonl")
    return " ".join(map(version_of, PUBLISHED[name].files))


def own_question(row: OwnRow) -> Question:
    """Return a user's question: `answers` in words, without a target, or `choices` and `target`."""
    choices, target, context = row.choices(), row.text("target"), row.text("context")
    answers = tuple(dict.fromkeys(own_answers(row)))
    if choices and answers:
        raise row.error("choices and answers exclude each other; leave one empty.")
    if not choices and not answers:
        raise row.error("no answer is accepted; give `answers`, or `choices` and `target`.")
    if choices and not target:
        raise row.error("'target' is missing; it names the right choice.")
    question = row.as_written("question")
    return Question(
        id=row.id,
        split=row.split,
        cluster=passage_cluster(context),
        dataset=row.text("dataset") or row.path.stem,
        question=f"{context}\n\n{question}" if context else question,
        answers=answers,
        choices=choices,
        target=row.letter(choices) if choices else "",
    )


def own_answers(row: OwnRow) -> Iterator[str]:
    """Yield the accepted answers, if any: a list, JSON text, texts between `|` or a number."""
    value = row.record.get("answers")
    if isinstance(value, str) and value.strip().startswith("["):
        with contextlib.suppress(ValueError, RecursionError):  # plain text may begin with a bracket
            value = json.loads(value)
    if isinstance(value, str):
        value = value.split("|") if value.strip() else []
    if value is None:
        value = []
    for answer in value if isinstance(value, list) else [value]:
        if isinstance(answer, dict | list) or not cell_text(answer):
            raise row.error(f'answers hold {answer!r}; write ["one", "other"] or one|other.')
        yield cell_text(answer)


def _order_data_set(rows: Sequence[Question], seed: int) -> list[Question]:
    """Order a data set by seed, alternate its splits and parts, and fill in missing splits."""
    with_split = [row for row in rows if row.split]
    without_split = [row for row in rows if not row.split]
    all_with_split = with_split + alternate(without_split, seed)  # gives splits in turn
    return alternate(all_with_split, seed, group=lambda row: f"{row.split} {row.part}")


def _first_of_each_split(limit: int, rows: Iterable[Question]) -> list[Question]:
    """Return the first `limit` rows of each split."""
    retained, counts = [], Counter[Split | None]()
    for row in rows:
        counts[row.split] += 1
        if counts[row.split] <= limit:
            retained.append(row)
    return retained


def _exclusion_reason(row: Question, formats: StudyFormats | None) -> str:
    """Return the reason to exclude a row: that of its data set, or no format for it; or empty."""
    if row.left_out or formats is None or formats.has(row):
        return row.left_out
    return "no format of the study"


def _question_as_asked(row: Question, seed: int, formats: StudyFormats | None) -> Question:
    """Return the question as it is asked: in the study's wording, if its `formats` are given.

    Choices are shuffled by the seed, except in the study's wording, which keeps their order. SciQ's
    are shuffled there too: in the source the right one has a fixed place.
    """
    if formats and row.dataset != "sciq":
        return formats.worded(row)
    if not row.choices:
        return row
    order = list(range(len(row.choices)))
    random.Random(f"{seed} {row.id}").shuffle(order)
    choices = tuple(row.choices[position] for position in order)
    right = order.index(LETTERS.index(row.target))
    answers = _accepted_answers(choices, right)
    shuffled = replace(row, choices=choices, target=LETTERS[right], answers=answers)
    return formats.worded(shuffled) if formats else shuffled


def _accepted_answers(choices: Sequence[str], right: int) -> tuple[str, ...]:
    """Return the right choice's text, and its letter unless that is another choice's text."""
    letter = LETTERS[right]
    plain_texts = [text.strip("()").upper() for text in choices]
    if letter in plain_texts and plain_texts[right] != letter:
        return (choices[right],)
    return tuple(dict.fromkeys([choices[right], f"({letter})", letter]))
