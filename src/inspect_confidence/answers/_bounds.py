"""Labelled bounds: `Lower: 3`, "the upper bound is about 10^7", a table, "3 (lower)"."""

import re
from collections.abc import Iterator

from inspect_confidence.answers._scan import Scan
from inspect_confidence.answers._statements import PHRASE, Statement, statements

_TOGETHER = re.compile(  # "Lower, Upper: 3, 7", and a table with a column for each
    rf"(?P<lower>[Ll]){PHRASE}[,|&](?P<upper>[Uu]){PHRASE}[:|]*\n?\|?(?:[wBENe]+\|)?"
    r"~?(?P<first>[bp])[,|&;]~?(?P<second>[bp])(?=$|[\n.|)])"
)
_BEHIND = re.compile(  # "3 (lower) and 7 (upper)"
    rf"(?:(?<![-t?&,c;bpq])|(?<=\)[,;&]))(?P<number>[bp])\((?P<label>[LUlu]){PHRASE}\)"
)


def bounds(scan: Scan) -> list[Statement]:
    """Every bound that is stated, clearly or not; labels without any number state none."""
    return _together(scan) or [*_behind(scan), *statements(scan, "LUlu")]


def _together(scan: Scan) -> list[Statement]:
    """Two labels, then two numbers; nothing if there are other labels."""
    labels = re.findall("[LU]", scan.codes)
    match = _TOGETHER.search(scan.codes) if len(labels) == 2 else None
    if match is None:
        return []
    return [
        Statement(match["lower"], scan.numbers[match.start("first")]),
        Statement(match["upper"], scan.numbers[match.start("second")]),
    ]


def _behind(scan: Scan) -> Iterator[Statement]:
    for match in _BEHIND.finditer(scan.codes):
        yield Statement(match["label"], scan.numbers[match.start("number")])
