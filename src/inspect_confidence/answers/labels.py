"""What a label says: `Lower bound: about 10^3 grains (1,000), ...`.

A statement must be understood to its end: what follows the number is a note that agrees with it,
or it isn't read.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from inspect_confidence.answers.clean import CUT
from inspect_confidence.answers.numbers import (
    EXPONENT,
    MEASURE,
    OTHER,
    POWER,
    QUANTITY,
    Form,
    Number,
    number,
)

_WORDS = {
    "L": "lower",
    "U": "upper",
    "l": "low min minimum lowest",
    "u": "high max maximum highest",
    "E": "exponent exponents exp",
    "e": "answer estimate estimates guess result",
    "B": "bound bounds limit limits end endpoint power value interval range ci",
    "C": "confidence credible prediction",
    "N": "a an the of on for is are be was would at as my i i'd it it's its lies so say "
    "with ten base log10",
    "S": "hundred thousand million billion trillion quadrillion quintillion percent lakh crore "
    "thousands millions billions trillions hundreds dozen dozens pct",
    "!": "not cannot can't isn't doesn't don't won't never neither nor no outside without wasn't",
    "F": "final",
    "T": "between from",
    "&": "and",
    "t": "to through",
    "~": "about approximately approx around roughly circa",
}
_CODES = {word: code for code, words in _WORDS.items() for word in words.split()}


def word_code(word: str) -> str:
    """The code of a word in any case: `w` for one that isn't known."""
    lowered = word.lower()
    return "!" if lowered.endswith("n't") else _CODES.get(lowered, "w")


_LEVEL = (
    r"(?<![\w.])[0-9]+(?:\.[0-9]+)?(?:[ ]?%|[ ]percent|(?:th|st|nd|rd)(?=[ ](?:percen|quan)tile))"
    r"(?=[ -]?(?:confiden|CI\b|credib|sure|certain|interval|level|bound|limit|range|upper|lower"
    r"|percentile|quantile)|[ ]?[:)\]])"
)
_TOKEN = re.compile(
    rf"""
    (?P<level>{_LEVEL})
    |(?P<power>{POWER})
    |(?P<quantity>{QUANTITY})
    |(?P<measure>{MEASURE})
    |(?P<exponent>{EXPONENT})
    |(?P<dashes>--+(?={POWER}))
    |(?P<unclear>--+|(?<=[0-9)][ ])-(?=[.0-9])(?!{POWER}))
    |(?P<range>(?<=[0-9)])[-–—](?=[-+]?\.?[0-9])|\bup[ ]to\b)
    |(?P<other>{OTHER})
    |(?P<orders>orders?[ ]of[ ]magnitude)
    |(?P<empty>(?:i\.e|e\.g)\.,?|\bthat[ ]is\b)
    |(?P<about>\bapprox\.)
    |(?P<stop>(?<![.!?])[.!?]++(?=[\s)\]}}]|$))
    |(?P<decimal>(?<=[0-9]),(?=[0-9]))
    |(?P<dash>(?<=[ ])[-–—]+(?=[ ])|[–—]|(?<=[ ])-(?={POWER}))
    |(?P<word>[^\W\d_]\w*(?:'\w+)*)
    |(?P<mark>[:=≈→]+|[,;~|≤&()\[\]{{}}\n{CUT}])
    |(?P<else>\S)
    """,  # noqa: RUF001 # dashes
    re.VERBOSE,
)
_KIND_CODES = {
    "level": "%",
    "power": "p",
    "quantity": "q",
    "measure": "q",
    "exponent": "b",
    "dashes": "t",
    "range": "t",
    "other": "q",
    "orders": "M",
    "empty": "N",
    "about": "~",
    "stop": ".",
    "decimal": "c",
    "dash": "-",
}
_NUMBER_FORMS: dict[str, Form] = {
    "power": "power",
    "quantity": "quantity",
    "measure": "measure",
    "other": "quantity",
    "exponent": "exponent",
}
_NUMBER_OR_END = re.compile(r"[bpqX\n,;LUlu]")
_MARK_CODES = {**dict.fromkeys("([{", "("), **dict.fromkeys(")]}", ")"), CUT: "X"}


@dataclass(frozen=True)
class Scan:
    """A text's tokens.

    Attributes:
        codes: One letter for each token.
        words: The tokens as written, in lower case.
        numbers: Those that are numbers, by place.
    """

    codes: str
    words: tuple[str, ...]
    numbers: dict[int, Number]

    def numbers_in(self, start: int, end: int) -> list[Number]:
        """The numbers among the tokens from one place to before another."""
        return [self.numbers[place] for place in range(start, end) if place in self.numbers]

    def has_number_after(self, place: int) -> bool:
        """Whether a number, or the cut, stands from a place on before what ends its statement."""
        at = bisect_left(self._numbers_and_ends, place)
        return at < len(self._numbers_and_ends) and self.codes[self._numbers_and_ends[at]] in "bpqX"

    @cached_property
    def _numbers_and_ends(self) -> list[int]:
        """Their places, found once: to look anew after each label takes quadratic time."""
        return [found.start() for found in _NUMBER_OR_END.finditer(self.codes)]

    def begins_line(self, place: int) -> bool:
        """Whether the token is the first of its line."""
        return place == 0 or self.codes[place - 1] == "\n"

    def after(self, start: int) -> "Scan":
        """The tokens from a place on."""
        numbers = {place - start: n for place, n in self.numbers.items() if place >= start}
        return Scan(self.codes[start:], self.words[start:], numbers)


def scan(text: str) -> Scan:
    """The tokens of a plain text."""
    codes, words, numbers = [], [], {}
    for place, token in enumerate(_TOKEN.finditer(text)):
        kind = str(token.lastgroup)
        codes.append(_code(kind, token.group()))
        words.append(token.group().lower())
        if kind in _NUMBER_FORMS:
            numbers[place] = number(token.group(), _NUMBER_FORMS[kind])
    return Scan("".join(codes), tuple(words), numbers)


def _code(kind: str, text: str) -> str:
    if kind == "word":
        return word_code(text)
    if kind == "mark":
        return ":" if text[0] in ":=≈→" else _MARK_CODES.get(text, text)
    return _KIND_CODES.get(kind, "?")


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
_SAID = r"(?!:~?[bpq])[^bpqX\n.,;()|LUlu]"
_IN_REMARK = rf"(?:(?!-){_SAID}|-(?!{_SAID}))"
_VALUE = re.compile(
    r"~{0,2}(?P<open>\((?:[BEe]:)?~?)?(?P<number>[bp])(?(open)\))"
    r"(?:M|(?<=p)[wBNE]{0,6})?"  # orders of magnitude; a power's unit
    # Possessive, and no more than forty: else time is exponential in dashes, quadratic in notes.
    r"(?:"
    r"\([^()\nX]{0,40}\)"
    r"|[:|]~?[bpq][wN]{0,6}+"
    rf"|(?:(?!{_LABEL_AHEAD})-(?:-++{_IN_REMARK}{{0,39}}+|{_IN_REMARK}{{1,40}}+))++"
    r"){0,40}"
    rf"{_END}"
)
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
    elif named and (
        scan.has_number_after(end) if label["sign"] else _NUMBER_NEXT.match(codes, end)
    ):
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
