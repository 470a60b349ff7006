"""Unlabelled intervals: two powers of ten joined as a range, or two numbers that are all there is.

Two numbers in prose ("2 to 3 people a household") are not one.
"""

import re
from collections.abc import Iterator

from inspect_confidence.answers._numbers import Number
from inspect_confidence.answers._scan import Scan

Pair = tuple[Number, Number]
"""The two numbers in the order in which they were stated."""

_JOIN = r"(?:[t-]|≤w≤)"
_RANGE = re.compile(
    r"(?:^|(?<=[bpqX\n.,;:()|]))"
    r"(?P<clause>[^bpqX\n.,;:()|]*+)"
    rf"(?P<first>p)(?P<unit>w?)(?P<join>{_JOIN}|&)~?(?P<second>p)"
    r"(?P<tail>[wBN]{0,2})(?=(?P<next>$|[^bpq]))"
)
_CLOSED = frozenset("\n.,;)|(:")
_SENTENCE = re.compile(r"[^\n.]+")
_TWO = re.compile(
    r"\(~?(?P<first>[bp])[-t,c;|]~?(?P<second>[bp])\)"
    rf"|(?P<from>[bp])(?:{_JOIN}|[,;|]|(?<=T[bp])&)~?(?P<to>[bp])"
)
_TWO_LINES = re.compile(r"~?(?P<first>[bp])\n~?(?P<second>[bp])")
_NOTHING_SAID = re.compile(r"[^w]*|.*[BECe%].*", re.DOTALL)


def pairs(scan: Scan) -> list[Pair]:
    """Every pair of numbers that can only be the interval; those that agree, once."""
    found = list(_all_there_is(scan)) or list(_ranges_of_powers(scan))
    by_exponents = {(first.exponent, second.exponent): (first, second) for first, second in found}
    return list(by_exponents.values())


def _all_there_is(scan: Scan) -> Iterator[Pair]:
    """Pairs, if the reply holds no number but theirs and its words are about an interval."""
    whole = _TWO_LINES.fullmatch(scan.codes)
    if whole:
        yield scan.numbers[whole.start("first")], scan.numbers[whole.start("second")]
        return
    found = []
    for sentence in _SENTENCE.finditer(scan.codes):
        said = _TWO.sub("", sentence.group())
        matches = list(_TWO.finditer(scan.codes, sentence.start(), sentence.end()))
        if matches and (re.search("[!?SX]", said) or not _NOTHING_SAID.fullmatch(said)):
            return
        found += [_numbers(scan, match) for match in matches]
    if 2 * len(found) == len(scan.numbers):
        yield from found


def _numbers(scan: Scan, match: re.Match[str]) -> Pair:
    names = ("first", "second") if match["first"] else ("from", "to")
    first, second = (scan.numbers[match.start(name)] for name in names)
    return first, second


def _ranges_of_powers(scan: Scan) -> list[Pair]:
    """Joined powers of ten that are a clause of their own.

    Powers stated after the last one lie within it: another quantity than an estimate would not.
    """
    found, end = [], 0
    for match in _RANGE.finditer(scan.codes):
        if _is_joined(match) and _is_closed(scan, match):
            found.append((scan.numbers[match.start("first")], scan.numbers[match.start("second")]))
            end = match.end()
    later = scan.numbers_in(end, len(scan.codes))
    return found if found and all(_is_within(number, found[-1]) for number in later) else []


def _is_joined(match: re.Match[str]) -> bool:
    clause = match["clause"].rstrip("~")
    if "!" in clause or clause.endswith(("-", "t", "&", "?", "≤", "c")):
        return False
    return match["join"] != "&" or clause.endswith("T")


def _is_closed(scan: Scan, match: re.Match[str]) -> bool:
    """Whether nothing follows the range but a unit, the same as after its first power."""
    following = match["next"]
    if following and following not in _CLOSED:
        return False
    if not match["tail"]:
        return True
    if match["unit"] and match["tail"] == "w":
        unit, again = match.start("unit"), match.start("tail")
        return scan.words[unit] == scan.words[again]
    return len(scan.numbers) == 2 and match["join"] != "-" and "X" not in scan.codes


def _is_within(number: Number, pair: Pair) -> bool:
    """Whether a number is no power, or one within the pair."""
    bounds = [bound.exponent for bound in pair if bound.exponent is not None]
    if number.form != "power" or number.exponent is None or not bounds:
        return number.form != "power"
    return min(bounds) <= number.exponent <= max(bounds)
