"""Order-of-magnitude questions from Science Olympiad, the bundled data set or a user's file."""

import functools
import json
import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inspect_confidence.arguments import choice, fingerprint
from inspect_confidence.datasets import records
from inspect_confidence.datasets.cache import SOURCES, fetch_text
from inspect_confidence.datasets.records import OwnRow, Record
from inspect_confidence.datasets.selection import Item, Selection, alternate, by_id, choose

QUESTIONS = "fermi/questions.json"
CORRECTIONS = "fermi/corrections.js"
FILES = {"scioly": (QUESTIONS, CORRECTIONS), "bundled": ("fermi.jsonl",)}
"""Source files by data set."""

SCIOLY_ITEMS = 1_000
"""Number of items in the study: 500 for calibration and 500 for the test."""

_LOGGER = logging.getLogger(__name__)
_SHORTEST_QUESTION = 15
"""Minimum number of characters of a question; shorter texts are hardly questions."""
_OTHER_QUESTION = re.compile(
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
        question: Text of the question.
        exponent: Base-10 exponent of the answer.
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
    """Load, filter, order and select order-of-magnitude questions.

    A data set is `scioly`, `bundled`, or a csv or jsonl file with `question` and `exponent` columns
    (and optionally `id` and `split`). Only items are used whose exponent lies within `exponents`,
    bounds included; of `scioly`, the first 1,000 in an order by `seed`. Train and test alternate in
    that order. `items` (a number, or a file of ids) and `split` select from them, as in `choose`.

    Raises:
        InvalidArgument: An argument or a row can't be used.
        DataUnavailable: The questions could not be downloaded.
    """
    excluded: Counter[str] = Counter()  # number of rows by reason
    if records.is_user_file(dataset):
        columns = ["question", "exponent"]
        pool, version, name = records.own_items(dataset, columns, _item_of_user_row)
    else:
        name = choice("dataset", dataset, [*FILES, records.OWN_FILE])
        pool, version = _load_named(name, excluded)
    limit = SCIOLY_ITEMS if name == "scioly" else None
    in_range = [item for item in pool if exponents[0] <= item.exponent <= exponents[1]]
    excluded["exponent out of range"] += len(pool) - len(in_range)
    ordered = alternate(in_range, seed, limit=limit)
    excluded["not drawn"] += len(in_range) - len(ordered)
    if limit and len(ordered) < limit:
        _LOGGER.warning(
            "%s: only %d of %d items remain for train and test.", name, len(ordered), limit
        )
    files = records.pool_files(dataset, FILES)
    # `+` drops reasons that exclude no item.
    return Selection(name, choose(ordered, split, items), version, +excluded, files)


def _load_named(name: str, excluded: Counter[str]) -> tuple[list[FermiItem], str]:
    """Return the questions of `scioly` or `bundled`, and the fingerprint of their files.

    Rows of `scioly` that are left out are counted in `excluded`, by reason.
    """
    if name == "bundled":
        return list(bundled_fermi().values()), fingerprint(records.bundled_text("fermi.jsonl"))
    version = fingerprint(f"{SOURCES[QUESTIONS].sha256}{SOURCES[CORRECTIONS].sha256}")
    return list(_usable_published_items(excluded)), version


@functools.cache
def bundled_fermi() -> Mapping[str, FermiItem]:
    """Return the order-of-magnitude questions written for this project, by id."""
    items = {}
    for record in records.bundled_records("fermi.jsonl"):
        name = record["id"]
        items[name] = FermiItem(id=name, question=record["question"], exponent=record["exponent"])
    return items


def known_fermi(name: str) -> FermiItem:
    """Return the question with an id, from the bundled data set or from `scioly`.

    Raises:
        KeyError: No question has this id.
        DataUnavailable: The published questions could not be downloaded.
    """
    return (_published_by_id() if name.startswith("scioly-") else bundled_fermi())[name]


@functools.cache
def _published_by_id() -> Mapping[str, FermiItem]:
    return by_id(_usable_published_items(Counter()))


def _usable_published_items(excluded: Counter[str]) -> Iterator[FermiItem]:
    """Yield the usable rows of the published file, corrected, and count the others by reason.

    Excluded are rows for which `corrected` has a reason, questions with different answers, and
    repetitions of a question.
    """
    rows, script = records.downloaded_records(QUESTIONS), fetch_text(CORRECTIONS)
    # The script assigns one JSON object to a variable; the text after the object is ignored.
    corrections, _ = json.JSONDecoder().raw_decode(script, script.index("{"))
    # The rows without a reason to exclude them, and the different answers to each question.
    answers: dict[str, set[str]] = {}
    candidates = []
    for position, row in enumerate(rows):
        question, answer, reason = corrected(row, corrections)
        if reason:
            excluded[reason] += 1
            continue
        answers.setdefault(_comparison_key(question), set()).add(answer)
        candidates.append((f"scioly-{position:04d}", question, answer))
    # The first row of each question that has a single answer.
    yielded_keys: set[str] = set()
    for name, question, answer in candidates:
        key = _comparison_key(question)
        if len(answers[key]) > 1:
            excluded["same question with different answers"] += 1
        elif key in yielded_keys:
            excluded["duplicate"] += 1
        else:
            yielded_keys.add(key)
            yield FermiItem(id=name, question=question, exponent=int(answer))


def corrected(row: Record, corrections: Mapping[str, Record]) -> tuple[str, str, str | None]:
    """Return a published row's corrected question and answer, and the reason to exclude it or None.

    An empty question or answer in a correction leaves the published one unchanged.

    Args:
        row: Row of the published file.
        corrections: Corrected fields by the row's source, or by "source, #number".
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
    elif _OTHER_QUESTION.search(question):
        reason = "refers to another question"
    elif not re.fullmatch(r"-?\d+", answer):
        reason = "answer is no whole number"
    return question, answer, reason


def _comparison_key(question: str) -> str:
    """Return the question's letters and digits in lower case, equal for equal questions."""
    return re.sub(r"\W+", "", question.casefold())


def _item_of_user_row(row: OwnRow) -> FermiItem:
    """Return a user's question; refuse an exponent that is no whole number (`3.0` is one)."""
    exponent = row.text("exponent")
    whole = re.fullmatch(r"([-+]?\d{1,4000})(\.0+)?", exponent)  # Python reads no more digits
    if not whole:
        raise row.error(f"exponent {exponent!r} is not a whole number.")
    question = row.as_written("question")
    return FermiItem(id=row.id, split=row.split, question=question, exponent=int(whole[1]))
