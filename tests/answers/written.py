"""Replies as models write them, labelled from the text alone, and what the readers make of them.

`as_written/<half>.jsonl` has a line for each reply: the form it was asked for, what was asked, the
reply, whether it was cut off (`cut`), and what it `gives` to a careful reader who doesn't guess.
`tuned` was seen while the readers were written, `unseen` wasn't.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from inspect_confidence import answers
from inspect_confidence.answers import Unreadable
from inspect_confidence.answers.judged import (
    read_agreement,
    read_agreements,
    read_decisiveness,
    read_markers,
    read_verdict,
)

FOLDER = Path(__file__).parent / "as_written"
HALVES = ("tuned", "unseen")
TOLERANCE = 6e-4
"""Labels are rounded to three or four decimals."""

Row = Mapping[str, Any]


def rows(half: str) -> list[Row]:
    """The lines of a half."""
    # Replies hold line separators that `splitlines` would take for the end of a line.
    lines = (FOLDER / f"{half}.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def readings(row: Row) -> dict[str, tuple[object, object]]:
    """The label and the reading of each field; a form with one field has no name for it."""
    found = READERS[row["form"]](row["reply"], row["asked"], row.get("cut", False))
    fields = found if isinstance(found, dict) else {"": found}
    return {name: (_label(row["gives"], name), one) for name, one in fields.items()}


def _label(gives: Any, name: str) -> object:
    is_whole = not isinstance(gives, dict) or "status" in gives or name not in gives
    return gives if is_whole else gives[name]


def is_failure(label: object) -> bool:
    """Whether a label says that there is no answer."""
    return isinstance(label, dict) and "status" in label


def agrees(label: Any, found: object) -> bool:
    """Whether a reading is what the label says; a failure needs no particular status."""
    if is_failure(label) or isinstance(found, Unreadable):
        return is_failure(label) and isinstance(found, Unreadable)
    if isinstance(label, dict):
        label = list(label.values())
    if isinstance(found, list | tuple):
        return len(label) == len(found) and all(map(agrees, label, found))
    if isinstance(found, str | bool) or isinstance(label, bool):
        return type(label) is type(found) and label == found
    return abs(float(Fraction(label)) - float(found)) < TOLERANCE  # type: ignore[arg-type]


def _scale(reply: str, asked: Row, cut: bool) -> dict[str, object]:
    answer: object = (
        _letter(_of(answers.read_choice(reply, asked["options"], truncated=cut), "index"))
        if "options" in asked
        else _of(answers.read_amount(reply, truncated=cut), "value")
    )
    stated = answers.read_confidence(reply, asked["low"], asked["high"], truncated=cut)
    return {"answer": answer, "confidence": _of(stated, "raw")}


def _interval(reply: str, _: Row, cut: bool) -> object:
    found = answers.read_interval(reply, truncated=cut)
    return found if isinstance(found, Unreadable) else (found.lower, found.upper)


def _fields(
    **parts: Callable[[answers.JsonReply, Row], object],
) -> Callable[[str, Row, bool], object]:
    def read(reply: str, asked: Row, cut: bool) -> dict[str, object]:
        found = answers.read_json(reply, truncated=cut)
        if isinstance(found, Unreadable):
            return dict.fromkeys(parts, found)
        return {name: part(found, asked) for name, part in parts.items()}

    return read


def _shares(reply: answers.JsonReply, asked: Row) -> object:
    """As they were stated: labels aren't normalised."""
    found = answers.probabilities_in(reply, len(asked["options"]), asked["options"])
    if isinstance(found, Unreadable):
        return found
    return [one * found.raw_sum for one in found.values]


def _judged(reply: str, asked: Row, _: bool) -> dict[str, object]:
    said = read_agreements(reply, asked["count"])
    failed = [one for one in said if isinstance(one, Unreadable)]
    return {
        "markers": read_markers(reply, asked["sentence"]),
        "decisiveness": read_decisiveness(reply),
        "agreement": failed[0] if failed else said,
    }


def _of(found: object, name: str) -> Any:
    return found if isinstance(found, Unreadable) else getattr(found, name)


def _letter(index: Any) -> object:
    return index if isinstance(index, Unreadable) else ascii_uppercase[index]


def _confidence(reply: answers.JsonReply, _: Row) -> object:
    return answers.probability_in(reply)


def _exponent(reply: str, _: Row, cut: bool) -> object:
    return _of(answers.read_exponent(reply, truncated=cut), "value")


READERS: dict[str, Callable[[str, Row, bool], object]] = {
    "scale": _scale,
    "scale_math": _scale,
    "interval": _interval,
    "exponent": _exponent,
    "integer": _exponent,
    "probability": lambda reply, _, cut: _of(
        answers.read_probability(reply, truncated=cut), "value"
    ),
    "word": lambda reply, asked, cut: _of(
        answers.read_word_choice(
            reply, asked["choices"], chain_of_thought=asked.get("cot", False), truncated=cut
        ),
        "index",
    ),
    "life": _fields(age=lambda reply, _: answers.age_in(reply), confidence=_confidence),
    "options": _fields(
        answer=lambda reply, asked: _letter(answers.letter_in(reply, asked["options"])),
        probabilities=_shares,
    ),
    "true_false": _fields(
        answer=lambda reply, _: answers.verdict_in(reply), confidence=_confidence
    ),
    "given": _fields(confidence=_confidence),
    "judge_markers": lambda reply, asked, _: {"markers": read_markers(reply, asked["sentence"])},
    "judge_decisiveness": lambda reply, *_: read_decisiveness(reply),
    "judge_agreement": lambda reply, *_: read_agreement(reply),
    "judge_verdict": lambda reply, *_: read_verdict(reply),
    "judge_sentence": _judged,
}
"""A form -> its reader: the answer, or the answers by field."""
