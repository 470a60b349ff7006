"""What readers of different answers have in common: empty, final, cut and refused replies."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from inspect_confidence.answers.clean import CUT, is_cut, is_refusal, plain, stated_text
from inspect_confidence.answers.labels import Scan, scan
from inspect_confidence.answers.stated_labels import Statement, statements
from inspect_confidence.answers.status import Unreadable

Found = TypeVar("Found")
Reader = Callable[[str], Found | Unreadable]


@dataclass(frozen=True)
class Stated:
    """A cleaned reply and what is stated in it."""

    text: str
    statements: list[Statement]


_TEMPLATE = re.compile(
    r"[\W_]*(?:an? |the )?(?:(?:your|numerical|final|correct|single|whole) )*+"
    r"(?:answer|solution|letter|choice|integer|number|confidence)\b"
    r"(?:[\W_]*$|[^\n]{0,80}\b(?:between|from|in)\b)",
    re.IGNORECASE,
)


def invalid(reason: str) -> Unreadable:
    """Nothing that can be read."""
    return Unreadable("invalid_response_format", reason)


def ambiguous(reason: str) -> Unreadable:
    """More than one thing that can be read."""
    return Unreadable("ambiguous", reason)


def is_template(value: str) -> bool:
    """Whether a value is the prompt's own placeholder, as `<your answer>`."""
    return bool(_TEMPLATE.match(value))


def read_stated(
    reply: str,
    choose: Callable[[Stated], Found | Unreadable],
    *,
    kind: str,
    truncated: bool,
    literal: Sequence[str] = (),
) -> Found | Unreadable:
    """What is chosen among a reply's statements, or the failure that explains there is nothing.

    Of a reply that was cut off, every failure is `truncated`: its rest might have been readable.
    Texts that are to be taken literally have no labels in them.
    """
    if not reply.strip():
        return Unreadable("no_response", "the reply is empty")
    text = stated_text(reply)
    for phrase in literal:
        text = text.replace(phrase, phrase.replace(":", " ").replace("=", " "))
    if truncated and is_cut(reply):
        text += CUT
    stated = statements(text)
    found = choose(Stated(text, stated))
    # Where one of its kind was begun and is cut off, an earlier one isn't what is read; where a
    # confidence was begun, the answer before it is whole.
    last = stated[-1] if stated else None
    is_begun = last and last.kind == kind and not last.value and last.end == len(text)
    if truncated and (is_begun or isinstance(found, Unreadable)):
        return Unreadable("truncated", "the reply is cut off before an answer was stated")
    if not isinstance(found, Unreadable):
        return found
    if not text:
        return Unreadable("no_response", "the reply is empty but for markup and reasoning")
    attempts = [one.value for one in stated if one.kind == "answer" and one.value]
    if found.status == "invalid_response_format" and all(map(is_refusal, [text, *attempts])):
        return Unreadable("refusal", "the reply declines to answer")
    return found


def chosen_answer(stated: Stated, read: Reader[Found], alone: Reader[Found]) -> Found | Unreadable:
    """The labelled answer; else the only one in prose; else what the whole reply is.

    The last labelled answer counts if the earlier ones agree with it or if it is a final one.
    Prose before a label is reasoning; prose after it must not disagree.
    """
    answers = [one for one in stated.statements if one.kind == "answer"]
    labelled = [
        (statement, read(statement.value)) for statement in answers if statement.strength != "prose"
    ]
    labelled = [pair for pair in labelled if not _is_none(*pair)]
    prose = [one for one in answers if one.strength == "prose"]
    if not labelled:
        readings = [read(one.value) for one in prose]
        return _agreed(readings) if readings else alone(_without_confidence(stated))
    last, reading = labelled[-1]
    readings = [reading] if last.strength == "final" else [one for _, one in labelled]
    after = [read(one.value) for one in prose if one.start > last.start]
    return _agreed(readings + [one for one in after if not isinstance(one, Unreadable)])


def _is_none(statement: Statement, reading: object) -> bool:
    """Whether it is the prompt's placeholder, or a heading with an explanation below it."""
    value = statement.value
    return isinstance(reading, Unreadable) and (
        statement.heading or not value or is_template(value)
    )


def _agreed(readings: list[Found | Unreadable]) -> Found | Unreadable:
    last = readings[-1]
    if all(reading == last for reading in readings):
        return last
    if all(isinstance(reading, Unreadable) for reading in readings):
        return last
    return ambiguous("several different answers")


def _without_confidence(stated: Stated) -> str:
    kept, reached, text = [], 0, stated.text
    for statement in stated.statements:
        if statement.kind == "confidence" and statement.start >= reached:
            kept.append(text[reached : statement.start])
            reached = statement.end
    return " ".join([*kept, text[reached:]]).strip(" \n\t|,;*\"'")


_FINAL = re.compile(
    # "Final lower: 3, final upper: 7" is one answer.
    r"F(?=[LUlu])[^F]*F(?=[LUlu])[^F]*$"
    r"|F(?:[BEeC%N]+(?=[:\n(LUlubpT~X-])|(?=[:\n(LUluEX])|w?(?=X))[^F]*$"
)
_ATTEMPT = re.compile(r"p|[:|]~?\(?[bq]")


def read_reply(
    reply: str, find: Callable[[Scan], Found | Unreadable], *, truncated: bool
) -> Found | Unreadable:
    """What is found after the last "final answer" of a reply, or else in all of it."""
    text = plain(reply)
    if not text:
        return Unreadable("no_response", "the reply is empty")
    tokens = scan(text + CUT if truncated else text)
    found = _preferably_final(tokens, find)
    if not isinstance(found, Unreadable):
        return found
    if truncated:
        return Unreadable("truncated", "the reply is cut off before an answer was stated")
    if is_refusal(text) and not _ATTEMPT.search(tokens.codes):
        return Unreadable("refusal", "the reply declines to answer")
    return found


def _preferably_final(
    tokens: Scan, find: Callable[[Scan], Found | Unreadable]
) -> Found | Unreadable:
    final = _FINAL.search(tokens.codes)
    if final:
        found = find(tokens.after(final.start() + 1))
        # Where a final answer was begun and is cut off, an earlier one isn't the answer.
        if not isinstance(found, Unreadable) or tokens.codes.endswith("X"):
            return found
    return find(tokens)
