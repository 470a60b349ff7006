"""Text -> one exponent of ten, or an interval of two, or a typed failure.

The protocols ask for a line `Exponent: <exponent>`, or for two, `Lower: <exponent>` and
`Upper: <exponent>`. Read is also what models write instead, as long as only one reading is
possible: labels in prose or JSON, markdown, `[3, 7]`, `10^3 to 10^7`, `2.5e4`, reversed bounds. Two
different intervals, a bound that is itself a range, or a mixture of exponents and powers is
`ambiguous`, never a guess.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from inspect_confidence.answers.labels import (
    Pair,
    Scan,
    Statement,
    bounds,
    pairs,
    statements,
    value_at,
    without_prose,
)
from inspect_confidence.answers.numbers import Number, is_within
from inspect_confidence.answers.reading import read_reply
from inspect_confidence.answers.status import Unreadable

_POWER = re.compile(
    r"(?:^|(?<=[bpqX\n.,;:()|]))(?P<clause>[^bpqX\n.,;:()|]*+)(?P<number>p)"
    r"[wBNEe]{0,8}(?=$|[\n.,;:()|])"
)
_WORDLESS = re.compile(r"[bpq\n.,:()~M-]*")


@dataclass(frozen=True)
class StatedExponent:
    """An exponent as it was stated.

    Attributes:
        value: What ten is raised to.
    """

    value: float


def read_exponent(
    reply: str, *, truncated: bool = False, limit: float = 100.0
) -> StatedExponent | Unreadable:
    r"""Read one exponent of ten from a model's reply; never raises.

    Args:
        reply: The reply's text.
        truncated: Whether the model was cut off; a number that ends where the text ends may then
            be a part of one, and is not read.
        limit: An exponent with a greater absolute value is `out_of_range`.

    Returns:
        The exponent, or why there is none: `no_response`, `refusal`, `truncated`, `out_of_range`,
        `ambiguous` or `invalid_response_format`.

    Example:
        >>> read_exponent("Exponent: 5")
        StatedExponent(value=5.0)
        >>> read_exponent(r"about $10^{5}$ piano tuners")
        StatedExponent(value=5.0)
        >>> read_exponent("100,000").status
        'ambiguous'
    """
    number = read_reply(reply, _number, truncated=truncated)
    return number if isinstance(number, Unreadable) else _exponent(number, limit)


def _exponent(number: Number, limit: float) -> StatedExponent | Unreadable:
    written = number.text[:40]
    if number.exponent is None:
        return Unreadable("invalid_response_format", f"{written} is no power of ten")
    if not is_within(number.exponent, limit):
        return Unreadable("out_of_range", f"{written}: beyond 10^{limit:g} or 10^-{limit:g}")
    return StatedExponent(number.exponent)


def _number(tokens: Scan) -> Number | Unreadable:
    """The number that the reply answers, as named or because there is no other."""
    stated = without_prose(list(statements(tokens, "Ee")), strict="E")
    numbers = [statement.number for statement in stated] or [_unlabelled(tokens)]
    first = numbers[0]
    if first and all(number and number.exponent == first.exponent for number in numbers):
        return first
    if tokens.numbers:
        return Unreadable("ambiguous", "no number in the reply is certainly its only answer")
    return Unreadable("invalid_response_format", "no number in the reply")


def _unlabelled(tokens: Scan) -> Number | None:
    """A power of ten, or a bare number without words, if all other numbers confirm it."""
    power = _POWER.search(tokens.codes)
    if power and "!" not in power["clause"]:
        number = tokens.numbers[power.start("number")]
    elif _WORDLESS.fullmatch(tokens.codes) and (alone := value_at(tokens, 0)):
        number = alone
    else:
        return None
    return number if all(other.confirms(number) for other in tokens.numbers.values()) else None


WIDEST_EXPONENT = 100.0
"""Bounds further than this from zero are out of range: twice the widest default set of truths."""


@dataclass(frozen=True)
class StatedInterval:
    """An interval as it was stated.

    Attributes:
        lower: The smaller bound, an exponent of ten.
        upper: The larger bound.
        reversed: Whether the larger one was given as the lower, or first where neither is named.
    """

    lower: float
    upper: float
    reversed: bool


def read_interval(
    reply: str, *, truncated: bool = False, limit: float = WIDEST_EXPONENT
) -> StatedInterval | Unreadable:
    r"""Read one interval of exponents of ten from a model's reply; never raises.

    Args:
        reply: The reply's text.
        truncated: Whether the model was cut off; a number that ends where the text ends may then
            be a part of one, and is not read.
        limit: Bounds with a greater absolute value are `out_of_range`.

    Returns:
        The interval with its bounds in order, or why there is none: `no_response`, `refusal`,
        `truncated`, `out_of_range`, `ambiguous` or `invalid_response_format`.

    Example:
        >>> read_interval("Lower: 3\nUpper: 5.5")
        StatedInterval(lower=3.0, upper=5.5, reversed=False)
        >>> read_interval("somewhere between 10^7 and 2 x 10^4")
        StatedInterval(lower=4.301029995663981, upper=7.0, reversed=True)
        >>> read_interval("Lower: 3-4, Upper: 9").status
        'ambiguous'
    """
    pair = read_reply(reply, _pair, truncated=truncated)
    return pair if isinstance(pair, Unreadable) else _interval(pair, limit)


def _interval(pair: Pair, limit: float) -> StatedInterval | Unreadable:
    first, second = (number.exponent for number in pair)
    if first is None or second is None:
        return Unreadable("invalid_response_format", f"{_written(pair)}: no two powers of ten")
    if not (is_within(first, limit) and is_within(second, limit)):
        return Unreadable("out_of_range", f"{_written(pair)}: beyond 10^{limit:g} or 10^-{limit:g}")
    return StatedInterval(min(first, second), max(first, second), reversed=first > second)


def _pair(tokens: Scan) -> Pair | Unreadable:
    """The two numbers, as named or as stated."""
    stated = bounds(tokens)
    if stated:
        return _labelled_pair(without_prose(stated, strict="LU"))
    found = pairs(tokens)
    if not found:
        return Unreadable("invalid_response_format", "no interval of two exponents in the reply")
    if len(found) > 1:
        several = "; ".join(map(_written, found[:3]))
        return Unreadable("ambiguous", f"several different intervals: {several}")
    lower, upper = found[0]
    return found[0] if _is_one_form([lower], [upper]) else _mixture(found[0])


def _labelled_pair(stated: Sequence[Statement]) -> Pair | Unreadable:
    """The only lower bound and the only upper one."""
    if any(statement.number is None for statement in stated):
        return Unreadable("ambiguous", "the bounds named are not one number each")
    lower = [s.number for s in stated if s.number and s.label in "Ll"]
    upper = [s.number for s in stated if s.number and s.label in "Uu"]
    if not lower or not upper:
        return Unreadable("invalid_response_format", "only one bound is named")
    for numbers in (lower, upper):
        if len({number.exponent for number in numbers}) > 1:
            return Unreadable("ambiguous", f"a bound is named differently: {_written(numbers[:3])}")
    pair = lower[0], upper[0]
    return pair if _is_one_form(lower, upper) else _mixture(pair)


def _is_one_form(lower: Sequence[Number], upper: Sequence[Number]) -> bool:
    """Whether both bounds are stated as exponents, or both as powers."""
    return bool({number.form for number in lower} & {number.form for number in upper})


def _mixture(pair: Pair) -> Unreadable:
    return Unreadable("ambiguous", f"one bound is an exponent, the other a power: {_written(pair)}")


def _written(numbers: Sequence[Number]) -> str:
    return ", ".join(number.text[:40] for number in numbers)
