r"""Plain text -> tokens of one letter each, over which the grammars are regular expressions.

Of "Lower bound: 10^3 grains" the codes are `LB:pw`. The letters:

| code      | stands for                                                     |
|-----------|----------------------------------------------------------------|
| `b p q`   | a bare exponent, a power of ten, another quantity              |
| `L U`     | lower, upper                                                   |
| `l u`     | low, minimum; high, maximum: words of prose as well            |
| `E e`     | exponent; answer, estimate: prose as well                      |
| `B C`     | what can be bounded or stated; confidence                      |
| `%`       | a level, as in "90% sure"                                      |
| `N w`     | a word that tells nothing; any other                           |
| `S !`     | a magnitude or share; a negation                               |
| `F`       | final                                                          |
| `M`       | orders of magnitude                                            |
| `T & t -` | between, from; and; to, a dash within a range; any other dash  |
| `: ~`     | is; about                                                      |
| `( )`     | brackets of any kind                                           |
| `, c ;`   | a comma, a comma between digits, a semicolon                   |
| `. \n`     | the end of a sentence, of a line                               |
| `X ?`     | the reply was cut off here; anything else                      |
"""

import re
from dataclasses import dataclass

from inspect_confidence.answers._numbers import (
    EXPONENT,
    MEASURE,
    OTHER,
    POWER,
    QUANTITY,
    Form,
    Number,
    number,
)
from inspect_confidence.answers._plain import CUT
from inspect_confidence.answers._vocabulary import word_code

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
