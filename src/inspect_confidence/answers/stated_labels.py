"""Finds what is stated under the labels `Answer` and `Confidence`."""

import re
from dataclasses import dataclass
from typing import Literal

from inspect_confidence.answers.clean import BOX, BOX_END

Kind = Literal["answer", "confidence"]
Strength = Literal["final", "explicit", "inline", "prose"]

_NOTE = r"[\"']?(?P<note> ?[(\[][^()\[\]\n]{0,80}[)\]])?[\"']?"
_MARK = r"(?P<mark> ?[:=]+| ?[≈~]| ?\|| ?[–—]| -(?= )|(?P<bare>(?= ?$)"  # noqa: RUF001 # dashes
_ANSWER = re.compile(
    r"(?<!wrong )(?<!incorrect )\b(?P<final>final )?"
    r"(?:(?:numerical|numeric|correct|best|right) ){0,3}+"
    r"(?:answer|(?:(?<=correct )|(?<=best )|(?<=right ))(?:option|choice))\b"
    rf"{_NOTE}(?P<verb> (?:is|would be|should be|must be))?+{_MARK}"
    r"|(?= [A-Z][\W_]{0,3}$))|(?= ))",
    re.IGNORECASE | re.MULTILINE,
)
_CONFIDENCE = re.compile(
    r"\b(?P<mine>my )?(?:(?:overall|final|estimated) )?confidence\b"
    r"(?: (?:level|score|rating|estimate|value|percentage"
    r"|in (?:this|my|the) (?:final )?(?:answer|choice|response)))*+"
    rf"{_NOTE}(?P<verb> is)?+{_MARK}|(?= [0-9]))|(?= ))",
    re.IGNORECASE | re.MULTILINE,
)
_LINE_START = re.compile(
    r"[^\w\n]*(?:(?:so|thus|therefore|hence|and|here is|here's|my|the|your)[, ]+){0,3}", re.I
)
_SINGLE = re.compile(r" ?[(\[] ?-?\w{1,20}%? ?[)\]]")
_BOXED = re.compile(f"{BOX}(?P<inside>[^{BOX}{BOX_END}]*){BOX_END}")
_EMPTY = re.compile(r"[\s|:=\"'*.,]*")


@dataclass(frozen=True)
class Statement:
    """What stands after a label.

    Attributes:
        strength: "inline" is a label within a line, "prose" has a verb for its colon.
        value: What is stated, on one line.
        heading: Whether the label is alone on its line, and the value is the next line.
        note: What stood in brackets at the label.
        start: Where the label begins.
        end: Where the value ends.
    """

    kind: Kind
    strength: Strength
    value: str
    heading: bool
    note: str
    start: int
    end: int


def statements(text: str) -> list[Statement]:
    """All statements in their order; a prose statement may overlap with an explicit one's value."""
    labels = [(kind, label, strength) for kind, label, strength in _labels(text) if strength]
    labels.sort(key=lambda found: found[1].start())
    found: list[Statement] = []
    explicit = following = len(text)
    for kind, label, strength in reversed(labels):
        # "Answer: The answer is B" has a value that prose doesn't end.
        stop = following if strength == "prose" else explicit
        found.append(_statement(text, kind, strength, label, stop))
        following = label.start()
        explicit = explicit if strength == "prose" else following
    return sorted(found + _loose_boxes(text, found), key=lambda statement: statement.start)


def _labels(text: str) -> list[tuple[Kind, re.Match[str], Strength]]:
    pairs: list[tuple[Kind, re.Match[str]]] = [("answer", at) for at in _ANSWER.finditer(text)]
    pairs += [("confidence", at) for at in _CONFIDENCE.finditer(text)]
    return [(kind, at, strength) for kind, at in pairs if (strength := _strength(text, kind, at))]


def _strength(text: str, kind: Kind, label: re.Match[str]) -> Strength | None:
    mark = (label["mark"] or "").strip()
    begin = text.rfind("\n", max(0, label.start() - 41), label.start()) + 1
    starts = label.start() - begin <= 40 and bool(_LINE_START.fullmatch(text, begin, label.start()))
    colon = bool(mark) and mark[0] in ":="
    if label["verb"] and not colon:
        if kind == "answer":
            return "prose"
        # "The confidence level is 95%" is statistics.
        first = not re.search(r"\w", text[begin : label.start()]) if starts else False
        return "explicit" if first or label["mine"] else None
    # Without a colon, and within a line, the word is no label.
    if not (colon or (starts and (mark or label["bare"] is not None))):
        return None
    if kind == "answer":
        return "final" if label["final"] else "explicit"
    return "explicit" if starts or label["mine"] else "inline"


def _statement(
    text: str, kind: Kind, strength: Strength, label: re.Match[str], stop: int
) -> Statement:
    note = label["note"] or ""
    end = text.find("\n", label.end(), stop)
    end = stop if end < 0 else end
    value, heading = text[label.end() : end], False
    if _EMPTY.fullmatch(value):
        if label["bare"] is not None and _SINGLE.fullmatch(note):
            return Statement(kind, strength, note.strip(" ()[]"), False, "", label.start(), end)
        heading = True
        if end < stop:
            begin = end + 1
            end = text.find("\n", begin, stop)
            # A label on the next line has a value of its own.
            end = stop if end < 0 else end
            value = text[begin:end]
            if end == stop < len(text) and _LINE_START.fullmatch(value):
                value = ""
    box = _BOXED.search(value)
    value = box["inside"] if box else value.replace(BOX, " ").replace(BOX_END, " ")
    return Statement(kind, strength, value.strip(), heading, note, label.start(), end)


def _loose_boxes(text: str, labelled: list[Statement]) -> list[Statement]:
    """Boxes that aren't the value of a label, each an answer of its own."""
    taken: set[int] = set()
    for statement in labelled:
        if statement.strength != "prose":
            first = _BOXED.search(text, statement.start, statement.end)
            taken |= {first.start()} if first else set()
    return [
        Statement("answer", "explicit", box["inside"].strip(), False, "", box.start(), box.end())
        for box in _BOXED.finditer(text)
        if box.start() not in taken
    ]
