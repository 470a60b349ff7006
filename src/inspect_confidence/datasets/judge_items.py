"""Sentences, pairs and answers with this project's labels, to validate a judge model."""

import functools
from dataclasses import dataclass
from typing import Any

from inspect_confidence.arguments import choice_list, fingerprint
from inspect_confidence.datasets.records import Record, bundled_records
from inspect_confidence.datasets.selection import Item, Selection, alternate, choose

PARTS = ("sentences", "pairs", "answers")


@dataclass(frozen=True, kw_only=True)
class JudgeItem(Item):
    """A sentence, pair or answer for a judge, with its label.

    Attributes:
        part: `sentences`, `pairs` or `answers`.
        question: Question that was asked; empty for sentences.
        sentence: Sentence of an answer; empty for answers.
        reply: The pair's second answer, or the answer to be judged.
        markers: Hedge markers in the sentence.
        decisiveness: Decisiveness of the sentence, in [0, 1].
        word: Word of the human survey, if it is the sentence's only marker.
        answers: Accepted answers.
        verdict: `yes`, `no` or `n/a` for a pair; `correct`, `incorrect` or `punt` for an answer.
    """

    part: str
    question: str = ""
    sentence: str = ""
    reply: str = ""
    markers: tuple[str, ...] = ()
    decisiveness: float = float("nan")
    word: str = ""
    answers: tuple[str, ...] = ()
    verdict: str = ""

    @property
    def forms(self) -> tuple[str, ...]:
        """Names of the questions that a judge is asked about the item."""
        forms = {"sentences": ("markers", "decisiveness"), "pairs": ("consistency",)}
        return forms.get(self.part, ("correctness",))


def load_judge_items(parts: object, *, items: object = None, seed: int = 0) -> Selection[JudgeItem]:
    """Load, order and select the labelled items of these parts; parts alternate in seeded order.

    Raises:
        InvalidArgument: A part isn't known, or `items` can't be used.
    """
    names = choice_list("parts", parts, PARTS)
    pool: list[JudgeItem] = []
    for name in names:
        pool.extend(labelled_items()[name])
    ordered = alternate(pool, seed, group=lambda item: item.part)
    files = [f"judge_{name}.jsonl" for name in names]
    chosen = choose(ordered, "all", items)
    return Selection("judge_check", chosen, fingerprint(repr(pool)), files=files)


@functools.cache
def labelled_items() -> dict[str, tuple[JudgeItem, ...]]:
    """Return all labelled items, by part."""
    items = {}
    for part in PARTS:
        rows = bundled_records(f"judge_{part}.jsonl")
        items[part] = tuple(_item_of_row(part, row) for row in rows)
    return items


def _item_of_row(part: str, row: Record) -> JudgeItem:
    """Return the item of a bundled row, whose `label` is the verdict; skip empty cells."""
    fields: dict[str, Any] = {}
    for column, value in row.items():
        if value is not None:
            name = "verdict" if column == "label" else column
            fields[name] = tuple(value) if isinstance(value, list) else value
    return JudgeItem(part=part, **fields)
