"""Text -> one exponent of ten, or a typed failure.

The protocol asks for one line, `Exponent: <integer>`. Numbers are understood as in intervals: a
bare exponent, or a power of ten; a quantity, a range or two different answers are `ambiguous`.
"""

import re
from dataclasses import dataclass

from inspect_confidence.answers._numbers import Number, is_within
from inspect_confidence.answers._reply import read_reply
from inspect_confidence.answers._scan import Scan
from inspect_confidence.answers._statements import statements, value_at, without_prose
from inspect_confidence.answers._status import Unreadable

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
