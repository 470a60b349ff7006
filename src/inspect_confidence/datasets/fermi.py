"""Order-of-magnitude questions: Science Olympiad's, the bundled ones, or a file of the user's."""

import functools
import json
import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inspect_confidence.arguments import fingerprint
from inspect_confidence.datasets import records
from inspect_confidence.datasets.cache import SOURCES, fetch_text
from inspect_confidence.datasets.records import OwnRow, Record
from inspect_confidence.datasets.selection import Item, Selection, alternate, choose

QUESTIONS = "fermi/questions.json"
CORRECTIONS = "fermi/corrections.js"
FILES = {"scioly": (QUESTIONS, CORRECTIONS), "bundled": ("fermi.jsonl",)}
"""What each data set is read from."""

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
    """Load, filter, order and select questions, as `choose` and `alternate` do it.

    A data set is `scioly`, `bundled`, or a csv or jsonl file with `question` and `exponent` columns
    (`id` and `split` are read where they are there). Kept are the exponents from the least to the
    greatest that are given, both included.

    Raises:
        InvalidArgument: An argument or a row can't be used.
        DataUnavailable: The questions could not be downloaded.
    """
    excluded: Counter[str] = Counter()
    known = {
        "scioly": lambda: (
            list(_scioly(excluded)),
            fingerprint(f"{SOURCES[QUESTIONS].sha256}{SOURCES[CORRECTIONS].sha256}"),
        ),
        "bundled": lambda: (
            list(bundled_fermi().values()),
            fingerprint(records.bundled_text("fermi.jsonl")),
        ),
    }
    name, pool, version = records.load_pool(dataset, known, ["question", "exponent"], _own)
    most = SCIOLY_ITEMS if name == "scioly" else None
    kept = [item for item in pool if exponents[0] <= item.exponent <= exponents[1]]
    excluded["exponent out of range"] += len(pool) - len(kept)
    ordered = alternate(kept, seed, most=most)
    excluded["not drawn"] += len(kept) - len(ordered)
    if most and len(ordered) < most:
        _LOGGER.warning(
            "%s: only %d of %d items are left for train and test.", name, len(ordered), most
        )
    files = records.pool_files(dataset, FILES)
    return Selection(name, choose(ordered, split, items), version, +excluded, files)


@functools.cache
def bundled_fermi() -> Mapping[str, FermiItem]:
    """The questions written for this project, by id; each has its derivation beside it."""
    return {
        record["id"]: FermiItem(
            id=record["id"], question=record["question"], exponent=record["exponent"]
        )
        for record in records.bundled_records("fermi.jsonl")
    }


def known_fermi(name: str) -> FermiItem:
    """The question of that id, bundled or of `scioly`; of others a `KeyError`.

    Raises:
        DataUnavailable: The published questions could not be downloaded.
    """
    return (_published() if name.startswith("scioly-") else bundled_fermi())[name]


@functools.cache
def _published() -> Mapping[str, FermiItem]:
    return {item.id: item for item in _scioly(Counter())}


def _scioly(excluded: Counter[str]) -> Iterator[FermiItem]:
    """The usable rows of the published file, corrected; the others are counted by reason."""
    rows, script = records.downloaded_records(QUESTIONS), fetch_text(CORRECTIONS)
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
    reason = None
    if "DISCARD" in question:
        reason = "discarded at the source"
    elif len(question) < _SHORTEST_QUESTION:
        reason = "too short to be a question"
    elif _ELSEWHERE.search(question):
        reason = "refers to another question"
    elif not re.fullmatch(r"-?\d+", answer):
        reason = "answer is no whole number"
    return question, answer, reason


def _key(question: str) -> str:
    """What two spellings of a question share: its letters and digits, without case."""
    return re.sub(r"\W+", "", question.casefold())


def _own(row: OwnRow) -> FermiItem:
    exponent = row.text("exponent")
    whole = re.fullmatch(r"([-+]?\d{1,4000})(\.0+)?", exponent)  # Python reads no more digits
    if not whole:
        raise row.refused(f"exponent {exponent!r} is not a whole number.")
    question = row.as_written("question")
    return FermiItem(id=row.id, split=row.split, question=question, exponent=int(whole[1]))
