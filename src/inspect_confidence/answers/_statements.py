"""What a label says: `Lower bound: about 10^3 grains (1,000), ...`.

A statement must be understood to its end: what follows the number is a note that agrees with it,
or it isn't read.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspect_confidence.answers._numbers import Number
from inspect_confidence.answers._scan import Scan

PHRASE = r"(?:[BEeN%]|C(?=[BCEe]))*+"
"""Words between a label and its value: "bound of the 90% confidence interval is"."""

_LABEL = re.compile(
    rf"(?P<label>[LUluEe])(?P<phrase>{PHRASE})"
    r"(?:\([^()\nX]{0,12}\)(?=[:|]))?"  # a remark: "(base 10):"
    r"(?P<sign>[:|-]:?)?"
)
_LABEL_AHEAD = r"(?=[-,;&]?[&NBF]{0,3}[LUlu])"
_END = (
    r"(?:(?=$|[\n)]|[.|](?![bpq]))"
    # After a comma no number may follow, but that of another label or key.
    r"|(?=[,;][^bpqX\n.;]*(?:[LUlu:\n.;]|$))"
    rf"|{_LABEL_AHEAD})"
)
_VALUE = re.compile(
    r"~{0,2}(?P<open>\((?:[BEe]:)?~?)?(?P<number>[bp])(?(open)\))"
    r"(?:M|(?<=p)[wBNE]{0,6})?"  # orders of magnitude; a power's unit
    r"(?:"
    r"\([^()\nX]{0,40}\)"
    r"|[:|]~?[bpq][wN]{0,6}"
    rf"|(?!{_LABEL_AHEAD})-[^bpqX\n.,;()|LUlu]{{1,40}}"
    r")*"
    rf"{_END}"
)
_NUMBER_LATER = re.compile(r"[^\n,;LUlu]*?[bpqX]")
_NUMBER_NEXT = re.compile(r"~{0,2}\(?~?[bpq]")
_CUT_NUMBER = re.compile(r"~{0,2}\(?~?[bpq]?X")
_LINE = re.compile(r"[^\n]*")


@dataclass(frozen=True)
class Statement:
    """What a label says.

    Attributes:
        label: The code of the label.
        number: The value; None where there is one that isn't certain.
    """

    label: str
    number: Number | None


def value_at(scan: Scan, start: int) -> Number | None:
    """The number stated from this token on; None unless it is understood to its end."""
    value = _VALUE.match(scan.codes, start)
    if value is None:
        return None
    stated = scan.numbers[value.start("number")]
    notes = scan.numbers_in(value.end("number"), value.end())
    return stated if all(note.confirms(stated) for note in notes) else None


def statements(scan: Scan, labels: str) -> Iterator[Statement]:
    """What labels of these codes state; one without any number near it states nothing."""
    for label in _LABEL.finditer(scan.codes):
        if label["label"] in labels:
            yield from _statement(scan, label)


def without_prose(stated: Sequence[Statement], strict: str) -> list[Statement]:
    """Only the statements of strict labels, if each of these has one.

    "Maximum" and "estimate" are labels as well as words of prose; "upper" and "exponent" aren't.
    """
    by_strict = [statement for statement in stated if statement.label in strict]
    if {statement.label for statement in by_strict} == set(strict):
        return by_strict
    return list(stated)


def _statement(scan: Scan, label: re.Match[str]) -> Iterator[Statement]:
    """A value; nothing; or that there is a value which isn't certain."""
    name, codes, end = label["label"], scan.codes, label.end()
    named = bool(label["sign"] or name in "Ee" or re.search("[BEe]", label["phrase"]))
    if _CUT_NUMBER.match(codes, end):
        yield Statement(name, None)
    elif not named and name in "lu":
        return  # "at minimum 2 people"
    elif (value := value_at(scan, end)) is not None:
        yield Statement(name, value)
    elif codes.startswith("\n", end):
        yield from _on_next_line(scan, label)
    elif named and (_NUMBER_LATER if label["sign"] else _NUMBER_NEXT).match(codes, end):
        yield Statement(name, None)


def _on_next_line(scan: Scan, label: re.Match[str]) -> Iterator[Statement]:
    """A value in a line of its own, below a label in a line of its own."""
    line = _LINE.match(scan.codes, label.end() + 1)
    if line is None or not scan.begins_line(label.start()):
        return
    value = value_at(scan, line.start())
    if value is not None and not re.search("[,;|LUlu]", line.group()):
        yield Statement(label["label"], value)
    elif _CUT_NUMBER.match(line.group()):
        yield Statement(label["label"], None)
