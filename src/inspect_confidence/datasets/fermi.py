"""Order-of-magnitude questions: Science Olympiad's, the bundled ones, or a file of the user's."""

import functools
import json
import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from inspect_confidence.arguments import fingerprint
from inspect_confidence.datasets.cache import SOURCES, fetch_text
from inspect_confidence.datasets.records import (
    OwnRow,
    Record,
    bundled_records,
    bundled_text,
    downloaded_records,
    own_items,
)
from inspect_confidence.datasets.selection import Item, Selection, alternate, choose
from inspect_confidence.errors import InvalidArgument, nearest

QUESTIONS = "fermi/questions.json"
CORRECTIONS = "fermi/corrections.js"
SCIOLY_ITEMS = 1_000
"""500 items to calibrate on and 500 to test on, as in the study."""

_LOGGER = logging.getLogger(__name__)
_SHORTEST_QUESTION = 15
_ELSEWHERE = re.compile(
    r"\b(?:previous|preceding|last|above|prior)(?: \w+)? (?:question|problem|answer)"
    r"|\b(?:question|problem|answer)s? (?:above|before)|\b(?:every|meta-?) ?question\b"
    r"|\bquestions? (?:#?\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|\w+teen)\b)"
    r"|\bin #\d",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class FermiItem(Item):
    """A question whose answer is an order of magnitude.

    Attributes:
        question: Its text.
        exponent: The answer's exponent of ten.
    """

    question: str
    exponent: int


def load_fermi(
    dataset: object,
    *,
    items: object = None,
    split: str = "all",
    exponents: tuple[int, int] = (-50, 50),
    seed: int = 0,
) -> Selection[FermiItem]:
    """Load, filter, order and select questions.

    Args:
        dataset: `scioly`, `bundled`, or a csv or jsonl file with `question` and `exponent`
            columns (`id` and `split` are read where they are there).
        items: None for all, a count, or a file of ids.
        split: `train`, `test` or `all`.
        exponents: Least and greatest exponent kept.
        seed: Of order and split.

    Raises:
        InvalidArgument: An argument or a row can't be used.
        DataUnavailable: The questions could not be downloaded.
    """
    name = str(dataset)
    excluded: Counter[str] = Counter()
    most = None
    if name == "scioly":
        pool = list(_scioly(excluded))
        version = fingerprint(f"{SOURCES[QUESTIONS].sha256}{SOURCES[CORRECTIONS].sha256}")
        most = SCIOLY_ITEMS
    elif name == "bundled":
        pool, version = list(bundled_fermi().values()), fingerprint(bundled_text("fermi.jsonl"))
    elif Path(name).suffix:
        pool, version, name = own_items(dataset, ["question", "exponent"], _own)
    else:
        raise InvalidArgument(
            f"dataset={name} is not known. "
            + nearest(name, ["scioly", "bundled", "a .csv or .jsonl file"])
        )
    kept = [item for item in pool if exponents[0] <= item.exponent <= exponents[1]]
    excluded["exponent out of range"] += len(pool) - len(kept)
    ordered = alternate(kept, seed, most=most)
    excluded["not drawn"] += len(kept) - len(ordered)
    if most and len(ordered) < most:
        _LOGGER.warning(
            "%s: only %d of %d items are left for train and test.", name, len(ordered), most
        )
    return Selection(name, choose(ordered, split, items), version, +excluded)


@functools.cache
def bundled_fermi() -> Mapping[str, FermiItem]:
    """The questions written for this project, by id; each has its derivation beside it."""
    return {
        record["id"]: FermiItem(
            id=record["id"], question=record["question"], exponent=record["exponent"]
        )
        for record in bundled_records("fermi.jsonl")
    }


def _scioly(excluded: Counter[str]) -> Iterator[FermiItem]:
    """The usable rows of the published file, corrected; the others are counted by reason."""
    rows, script = downloaded_records(QUESTIONS), fetch_text(CORRECTIONS)
    corrections, _ = json.JSONDecoder().raw_decode(script, script.index("{"))
    answers: dict[str, set[str]] = {}
    usable = []
    for place, row in enumerate(rows):
        question, answer, reason = corrected(row, corrections)
        if reason:
            excluded[reason] += 1
            continue
        answers.setdefault(_key(question), set()).add(answer)
        usable.append((f"scioly-{place:04d}", question, answer))
    seen: set[str] = set()
    for name, question, answer in usable:
        if len(answers[_key(question)]) > 1:
            excluded["same question with different answers"] += 1
        elif _key(question) in seen:
            excluded["duplicate"] += 1
        else:
            seen.add(_key(question))
            yield FermiItem(id=name, question=question, exponent=int(answer))


def corrected(row: Record, corrections: Mapping[str, Record]) -> tuple[str, str, str | None]:
    """Question and answer of a published row after its correction, and why it can't be used.

    A correction's empty question or answer leaves that of the row as it is.
    """
    number = f", #{row['number']}" if "number" in row else ""
    correction = corrections.get(f"{row['source']}{number}", {})
    question = " ".join((correction.get("question") or row["question"]).split())
    answer = str(correction.get("answer") or row["answer"])
    if "DISCARD" in question:
        return question, answer, "discarded at the source"
    if len(question) < _SHORTEST_QUESTION:
        return question, answer, "too short to be a question"
    if _ELSEWHERE.search(question):
        return question, answer, "refers to another question"
    if not re.fullmatch(r"-?\d+", answer):
        return question, answer, "answer is no whole number"
    return question, answer, None


def _key(question: str) -> str:
    """What two spellings of a question share: its letters and digits, without case."""
    return re.sub(r"\W+", "", question.casefold())


def _own(row: OwnRow) -> FermiItem:
    exponent = row.text("exponent")
    whole = re.fullmatch(r"([-+]?\d{1,4000})(\.0+)?", exponent)  # Python reads no more digits
    if not whole:
        raise row.refused(f"exponent {exponent!r} is not a whole number.")
    question = str(row.record["question"])
    return FermiItem(id=row.id, split=row.split, question=question, exponent=int(whole[1]))
