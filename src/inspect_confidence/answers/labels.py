"""Parser of a reply into statements: labels with their values, in lines, JSON, tags and prose."""

import re
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass, replace
from string import ascii_uppercase
from typing import Literal

from inspect_confidence.answers.clean import (
    BOX,
    BOX_END,
    CUT,
    clean,
    first_turn,
    plain_value,
    without_thoughts,
)
from inspect_confidence.answers.json_members import Member, objects_in
from inspect_confidence.answers.label_names import LABEL, key_of

# ruff: noqa: RUF001 # dashes, colons and arrows, as they are written

Strength = Literal["object", "final", "line", "inline", "prose"]

_OPENING_LENGTH = 60
"""Largest number of characters before a label that still counts as the beginning of its line."""
_LINE_START = re.compile(
    r"[^\w\n]*(?:(?:so|thus|therefore|hence|and|here is|here's|my|the|your|with|step \d+|\d+)"
    r"[,.):]*[ ]+){0,3}",
    re.IGNORECASE,
)
_AFTER_ANSWER = re.compile(r"[,;(] ?(?:(?:and|with) )?(?:my |a )?$")
_I_WILL = r"i(?:'d| would|'ll| will)? (?:now )?"
I_CHANGE = rf"{_I_WILL}(?:change|revise|widen|narrow|correct|adjust|update|lower|raise)"
"""The words by which a model takes an answer back."""
_REVISED = re.compile(
    rf"\b(?:(?:{I_CHANGE}|{_I_WILL}put)"
    r"(?: (?:my|the|that|this|it)(?: (?:final |previous )?(?:answer|estimate|choice|exponent"
    r"|(?P<confidence>confidence)|probability))?)?(?: down| up)? (?:to|at)"
    r"|(?:let's|i'll|i will|i(?:'d| would)(?= go with ~?\.?[0-9])) (?:say|go with)"
    r"|so it should be(?=[^\n]{1,20}\Z)) (?P<value>[^\n]+)",
    re.IGNORECASE,
)
_ANSWER_AND = re.compile(r"\banswer(?: and|,| &| ?/) ?(?:my |your )?$", re.IGNORECASE)
_BESIDE_ANSWER = re.compile(
    r"(?:[,;:|] |(?<![0-9])[,;]|,(?=[0-9.]+ ?%)| ?[(\[]| [-–—] ) ?[(\[]?"
    r"(?P<confidence>\.?[0-9][0-9.]* ?(?:%|percent|/ ?[0-9]+)?)\W*$"
)
"""The confidence at the end of a value that has an answer and its confidence."""
_COLON = re.compile(r"[ ]?(?:[:：=→≈~]|->)")
_BOUNDS = frozenset({"lower", "upper", "low", "high", "exponent", "interval"})
_BEFORE_OTHER_ANSWER = re.compile(r"\b(?:from|of|than) (?:our|your|the|my) $", re.IGNORECASE)
_OF_ANOTHER = re.compile(
    r"\b(?:(?:lack|loss|decrease|drop|reduction|increase|rise|change|gain) (?:of|in)(?: my| the)?"
    r"|min(?:imum|imal)?|required|necessary|target|threshold|average|human|other|people's"
    r"|alternative|old|not the|no|error) $|\bnon-$"
    r"|(?:不[^,，。\s0-9]{1,12}|错误)的?$",
    re.IGNORECASE,
)
"""Words before a label by which its value isn't the reply's answer or confidence."""
_RATED_IN_WORDS = re.compile(
    r"(?:confidence|certainty)[^\n:：]{0,20}[:：=] ?"
    r"(?:very |quite |moderately |[0-9]{1,3} ?%? ?[(\[])?$",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"[\s|:=\"'*.,]*")
_BOXED = re.compile(f"{BOX}(?P<inside>[^{BOX}{BOX_END}]*){BOX_END}")
_VALUE_IN_BRACKETS = re.compile(r"[ ]?[(\[][ ]?-?\w{1,20}%?[ ]?[)\]]")
_LETTER_LINE = re.compile(
    r"^[^\w\n]*(?:option |choice )?\(?(?P<letter>[A-Z])(?:\)?(?:[.)][^\n:|]{0,80})?"
    r"[^\w\n.]{0,80}[:=|–—-] ?(?P<value>[^\w\n]{0,4}\.?[0-9][^\n]*)|[.)] (?P<alone>[0-9.]+ ?%?)$)",
    re.MULTILINE,
)
_LETTER_VALUE = re.compile(
    r"(?<![\w.])(?P<letter>[A-Z])\)? ?[:=] ?(?P<value>\.?[0-9][0-9.]*(?: ?%)?)(?=[,;.\s]|$)"
)


@dataclass(frozen=True)
class Statement:
    """Statement of a reply: a label with its value, from the label's start to the value's end.

    Attributes:
        key: Key of the label in `NAMES`, or the lower-case key of a JSON object.
        strength: How firmly the label marks the value: "object" in JSON, "final" if the label says
            "final", "line" at a line's start, "inline" within a line, "prose" with a verb in place
            of a colon.
        value: Value on one line, cleaned.
        start: Position of the label in the cleaned text.
        end: Position of the value's end in the cleaned text.
        heading: Whether the label is alone on its line, so that the value is the next line.
        note: Text in brackets after the label.
        is_open: Whether the reply seems to end within the value.
        json_value: Value of a JSON member before cleaning, lists as JSON; else empty.
    """

    key: str
    strength: Strength
    value: str
    start: int
    end: int
    heading: bool = False
    note: str = ""
    is_open: bool = False
    json_value: str = ""


@dataclass(frozen=True)
class ParsedText:
    """A cleaned reply without its JSON objects, and the statements of text and objects, in order.

    `objects` is the number of JSON objects. `is_open` says that an object isn't closed.
    """

    text: str
    statements: list[Statement]
    objects: int = 0
    is_open: bool = False

    def statements_under(self, *keys: str) -> list[Statement]:
        """Return the statements under any of the given labels."""
        return [statement for statement in self.statements if statement.key in keys]

    def values_under(self, *keys: str) -> list[str]:
        """Return the values of the statements under any of the given labels."""
        return [statement.value for statement in self.statements_under(*keys)]

    def strengths_under(self, *keys: str) -> set[Strength]:
        """Return how firmly the statements under any of the given labels mark their values."""
        return {statement.strength for statement in self.statements_under(*keys)}


def parse_statements(reply: str, literal: tuple[str, ...] = (), *, cut: bool = False) -> ParsedText:
    """Parse a reply into its cleaned text and the statements in it.

    The model's reasoning, and a next question that a base model asks itself, are left out.

    Args:
        reply: Text of the reply.
        literal: Phrases, such as choices' texts, in which no label is looked for.
        cut: Whether the reply ends within a number or word; `CUT` then marks the text's end.
    """
    whole = without_thoughts(reply)
    turn = first_turn(whole)
    # Objects are found before cleaning, which takes marks out of their strings.
    objects = list(objects_in(turn))
    text, reached = "", 0
    statements: list[Statement] = []
    # The text before each object with the object's members, and the text after the last object.
    for start, end, members in [*objects, (len(turn), len(turn), [])]:
        piece = clean(turn[reached:start])
        if piece and cut and start == len(whole):  # the piece ends where the reply ends
            piece += CUT
        for phrase in literal:  # without the signs that would make a label of its words
            piece = piece.replace(phrase, phrase.replace(":", " ").replace("=", " "))
        text += "\n" if text and piece else ""
        offset = len(text)
        for statement in _statements_outside_phrases(piece, literal):
            start_in_text, end_in_text = offset + statement.start, offset + statement.end
            statements.append(replace(statement, start=start_in_text, end=end_in_text))
        text += piece
        for member in members:
            statements += _statements_of_member(member, len(text))
        reached = end
    # An object is open if fewer brackets close than open from the first object on.
    remainder = turn[objects[0].start :] if objects else ""
    n_opened, n_closed = (sum(map(remainder.count, signs)) for signs in ("{[", "}]"))
    return ParsedText(text, statements, len(objects), is_open=n_opened > n_closed)


def _statements_outside_phrases(text: str, phrases: tuple[str, ...]) -> Iterator[Statement]:
    """Yield the statements of a clean text, but those whose line, from the label on, is a phrase.

    With the phrase "Confidence: 0 to 100", a line of just these words states nothing.
    """
    # One character more than the longest phrase tells a longer line from it.
    longest = max(map(len, phrases), default=0) + 1
    for statement in statements_in(text):
        first_line = text[statement.start : statement.start + longest].split("\n", maxsplit=1)[0]
        if first_line not in phrases:
            yield statement


def _statements_of_member(member: Member, start: int) -> Iterator[Statement]:
    """Yield the statement of an object's member, and the labelled statements within an answer.

    Objects are not part of the cleaned text: all statements are at `start`, where the object was.
    """
    key, value, is_open = member  # `is_open`: whether the reply seems to end within the value
    yield Statement(
        key, "object", plain_value(value), start, start, is_open=is_open, json_value=value
    )
    if key != "answer":
        return
    for statement in statements_in(clean(f"\n{value}")):
        if statement.strength != "prose":
            yield Statement(
                statement.key, "object", statement.value, start, start, note=statement.note
            )


def statements_in(text: str) -> list[Statement]:
    """Return the statements of a clean text, in order: labels with their values.

    A statement in prose may overlap with the value of a labelled one. A label within a line with an
    explanation ("Reason: ...") counts as prose.
    """
    statements: list[Statement] = []
    # From the end to the start: a value ends where the next label begins. In prose any label ends
    # it; after a colon only one with a colon, as "Answer: The answer is B" is one value.
    next_with_colon = next_label = len(text)
    for label in reversed(list(LABEL.finditer(text))):
        if strength := _label_strength(text, label):
            stop = next_label if strength == "prose" else next_with_colon
            statements.append(_statement(text, strength, label, stop))
            next_label = label.start()
            if strength != "prose":
                next_with_colon = next_label
    statements += [
        *_unlabelled_boxes(text, statements),
        *_letter_statements(text),
        *_revisions(text),
    ]
    return sorted(_weaken_within_reasons(text, statements), key=lambda statement: statement.start)


def _weaken_within_reasons(text: str, statements: list[Statement]) -> Iterator[Statement]:
    """Yield the statements; inline ones in a line with an explanation become the weaker "prose".

    An explanation may only repeat, or discuss, the value that is stated elsewhere.
    """
    breaks = [match.start() for match in re.finditer("\n", text)]
    # The number of line breaks before a position, by `bisect`, is the number of its line.
    reasons = (statement for statement in statements if statement.key == "reason")
    reason_lines = {bisect(breaks, reason.start) for reason in reasons}
    for statement in statements:
        is_beside_reason = bisect(breaks, statement.start) in reason_lines
        is_weakened = statement.strength == "inline" and is_beside_reason
        yield replace(statement, strength="prose") if is_weakened else statement


def _label_strength(text: str, label: re.Match[str]) -> Strength | None:  # noqa: PLR0911 # a ladder
    """Return how firmly a label in a reply's text marks a value; None if the word is no label.

    "final" is firmest, then "line" (at a line's start, behind "my", or "answer" with a colon
    anywhere, as after reasoning), "inline", and "prose" (with a verb in place of a colon). The
    match has the adjectives of a label (group `lead`: "my final"), its name, and perhaps a `verb`;
    then a `mark` (a colon, another sign such as a dash, or the line's end), a `number`, or neither.
    """
    key, lead, has_number = key_of(label), label["lead"].lower(), label["number"] is not None
    # The text between the line's start, if that is near, and the label.
    before = text[max(0, label.start() - _OPENING_LENGTH - 1) : label.start()]
    _, line_break, opening = before.rpartition("\n")
    is_near = line_break or label.start() <= _OPENING_LENGTH
    # Whether at most a few words, such as "So, my ", stand before the label on its line.
    starts_line = bool(is_near and _LINE_START.fullmatch(opening))
    colon = _COLON.match(label["mark"] or "")
    if key in ("answer", "confidence", "probability") and _OF_ANOTHER.search(opening):
        return None  # "lack of confidence: 20"
    if label["verb"] and not colon:  # "the answer is B"
        if key == "confidence":
            # Firmer than prose, or no label: "The confidence level is 95%" is statistics.
            is_first = starts_line and not re.search(r"\w", opening)
            return "line" if is_first or "my" in lead else None
        return "prose" if key != "reason" else None
    if key == "answer" and _BEFORE_OTHER_ANSWER.search(opening):
        return None  # "different from my answer: ..." has no answer of its own
    if key in ("low", "high") and _RATED_IN_WORDS.search(opening):
        return None  # "Confidence: high - 85"
    if key in _BOUNDS:  # lower, upper and the like need no colon: "lower 3"
        if (label["mark"] or has_number) and "final" in lead:
            return "final"
        if label["mark"] or has_number:
            return "line" if starts_line else "inline"
        if text.startswith(" of ", label.end()):  # "a lower bound of 3"
            return "prose"
    if key == "confidence" and has_number and _AFTER_ANSWER.search(opening):  # "B, confidence 80"
        return "inline"
    # "Confidence 80" has a rating, but the number after "confidence in the answer" is the answer.
    has_rating = key == "confidence" and has_number and not label[key].lower().endswith(" answer")
    is_marked = label["mark"] is not None or has_rating
    # Without a colon, and within a line, the word is no label.
    is_label = colon or (starts_line and is_marked)
    if not is_label or (key in ("reason", "choice") and not starts_line):
        return None
    if "final" in lead or label[key].startswith("最终"):  # "final" in Chinese
        return "final"
    return "line" if starts_line or "my" in lead or key == "answer" else "inline"


def _statement(text: str, strength: Strength, label: re.Match[str], stop: int) -> Statement:
    """Return the statement of a label, whose value ends at the line's end or at `stop`.

    `stop` is the start of the next label, else the end of the text. If the label stands alone on
    its line, the value is the next line.
    """
    note, key, begin = label["note"] or "", key_of(label), label.start()  # note: in brackets
    value, line_break, below = text[label.end() : stop].partition("\n")
    end = label.end() + len(value)
    heading = bool(_EMPTY.fullmatch(value))  # no word on the line
    # "Answer (B)" alone on its line, without a colon ("bare"), has the value in brackets.
    if heading and label["bare"] is not None and _VALUE_IN_BRACKETS.fullmatch(note):
        return Statement(key, strength, note.strip(" ()[]"), begin, end)
    if heading and line_break:
        value, *_ = below.partition("\n")
        end += len(line_break) + len(value)
        # A label on the next line has a value of its own.
        if end == stop < len(text) and _LINE_START.fullmatch(value):
            value = ""
    box = _BOXED.search(value)  # LaTeX's \boxed{...}, as marked by `clean`
    value = box["inside"] if box else value.replace(BOX, " ").replace(BOX_END, " ")
    # "Answer and confidence: B, 80%"
    if key == "confidence" and _ANSWER_AND.search(text, max(0, begin - _OPENING_LENGTH), begin):
        # Without a percentage, a number alone may be the answer.
        rated = _BESIDE_ANSWER.search(value[-_OPENING_LENGTH:])
        if rated:
            value = rated["confidence"]
        elif "%" not in value:
            value = ""
    return Statement(key, strength, value.strip().removesuffix(" |"), begin, end, heading, note)


def _unlabelled_boxes(text: str, labelled: list[Statement]) -> Iterator[Statement]:
    """Yield an answer for each of LaTeX's boxes that is not in the value of a label."""
    labelled_starts = set()
    for statement in labelled:
        # A box within prose or within an explanation is an answer of its own.
        if statement.strength != "prose" and statement.key != "reason":
            labelled_box = _BOXED.search(text, statement.start, statement.end)
            if labelled_box:
                labelled_starts.add(labelled_box.start())
    for box in _BOXED.finditer(text):
        if box.start() not in labelled_starts and box["inside"].strip():
            yield Statement("answer", "line", box["inside"].strip(), *box.span())


def _revisions(text: str) -> Iterator[Statement]:
    """Yield answers and confidences that replace an earlier one: "I'd revise that to 0.75"."""
    for match in _REVISED.finditer(text):
        key = "confidence" if match["confidence"] else "answer"
        # "I'd revise that to 0.75 if ..." revises nothing.
        if not re.search(r"\bif\b", match["value"][:80]):
            yield Statement(key, "final", match["value"].strip(), *match.span())


def _letter_statements(text: str) -> Iterator[Statement]:
    """Yield statements that give numbers to two or more letters from A on: `A: 0.7`, `B: 30%`."""
    # On lines of their own, else within a line: "A: 0.7, B: 0.3".
    matches = list(_LETTER_LINE.finditer(text))
    if len(matches) < 2:
        matches = list(_LETTER_VALUE.finditer(text))
    letters = "".join(match["letter"] for match in matches)
    if len(matches) > 1 and ascii_uppercase.startswith(letters):  # a list
        for match in matches:
            # The last group is the number: `value`, or `alone` if there is no colon, as in "A. 70".
            value = match[match.lastgroup or ""].strip(" |")
            yield Statement(match["letter"].lower(), "line", value, *match.span())
