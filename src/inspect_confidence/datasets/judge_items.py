"""Sentences, pairs and answers labelled by us, to validate a judge before it is trusted."""

import functools
from dataclasses import dataclass
from typing import Any

from inspect_confidence.arguments import fingerprint, several
from inspect_confidence.datasets.records import Record, bundled_records
from inspect_confidence.datasets.selection import Item, Selection, alternate, choose

PARTS = ("sentences", "pairs", "answers")


@dataclass(frozen=True, kw_only=True)
class JudgeItem(Item):
    """Something to be judged, with its label.

    Attributes:
        part: `sentences`, `pairs` or `answers`.
        question: What was asked; empty for sentences.
        sentence: Of an answer; empty for answers.
        reply: Another answer, or the answer itself.
        markers: The markers in the sentence.
        decisiveness: Of the sentence, in [0, 1].
        word: The word of the human survey that is the sentence's only marker, if one is.
        answers: Accepted ones.
        verdict: `yes`, `no` or `n/a` of a pair; `correct`, `incorrect` or `punt` of an answer.
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
        """What a judge is asked of it."""
        forms = {"sentences": ("markers", "decisiveness"), "pairs": ("consistency",)}
        return forms.get(self.part, ("correctness",))


def load_judge_items(parts: object, *, items: object = None, seed: int = 0) -> Selection[JudgeItem]:
    """The labelled items of these parts as `choose` selects them, in seeded order, parts by turns.

    Raises:
        InvalidArgument: A part isn't known, or `items` can't be used.
    """
    named = several("parts", parts, PARTS)
    pool = [item for part in named for item in labelled()[part]]
    ordered = alternate(pool, seed, group=lambda item: item.part)
    files = [f"judge_{part}.jsonl" for part in named]
    chosen = choose(ordered, "all", items)
    return Selection("judge_check", chosen, fingerprint(repr(pool)), files=files)


@functools.cache
def labelled() -> dict[str, tuple[JudgeItem, ...]]:
    """All labelled items, by part."""
    return {
        part: tuple(_item(part, row) for row in bundled_records(f"judge_{part}.jsonl"))
        for part in PARTS
    }


def _item(part: str, row: Record) -> JudgeItem:
    given: dict[str, Any] = {
        "verdict" if name == "label" else name: tuple(value) if isinstance(value, list) else value
        for name, value in row.items()
        if value is not None
    }
    return JudgeItem(part=part, **given)
