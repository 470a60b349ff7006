"""Text -> an interval of exponents of ten, or a typed failure.

The protocol asks for two lines, `Lower: <exponent>` and `Upper: <exponent>`. Read are also what
models write instead, as long as only one reading is possible: labels in prose or JSON, markdown,
`[3, 7]`, `10^3 to 10^7`, `2.5e4`, reversed bounds. Two different intervals, a bound that is
itself a range, or a mixture of exponents and powers is `ambiguous`, never a guess.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from inspect_confidence.answers._status import Unreadable
from inspect_confidence.answers._text import folded, is_refusal

WIDEST_EXPONENT = 100.0
"""Bounds further than this from zero are out of range: twice the widest default set of truths."""

_PLAIN = r"[-+]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
_NUMBER = (
    rf"(?<![\w.^])(?:(?:{_PLAIN}\s*[x×]\s*)?10\s*\^\s*\(?\s*{_PLAIN}\s*\)?"  # noqa: RUF001 # times
    rf"|{_PLAIN}[eE][-+]?[0-9]+|{_PLAIN})"
    # Whatever makes the number something else: more digits, a unit glued on, a share, a fraction,
    # a thousands separator, a named magnitude, a multiplication.
    r"(?![\w%/^+]|\.[0-9]|,[0-9]{3}(?![0-9])|\s*[%x×]|"  # noqa: RUF001 # times
    r"\s*(?:hundred|thousand|[mbtz]\w*illion)\b)"
)
_FILLER = (
    r"[\s_\"']*(?:(?:bound|limit|end|endpoint|exponent|exp|power|estimate|value|of|the|is|at|be"
    r"|would|about|approximately|approx\.?|around|roughly|[:=~≈|]|\([^()\n]{0,80}\))[\s_\"']*)*"
)
_NOT_A_RANGE = r"(?!\s*(?:-|\bto\b)\s*[-+]?[0-9])"
_LABELLED = re.compile(
    rf"(?<![a-z])(?:(?P<lower>lower|low|minimum|min)|(?P<upper>upper|high|maximum|max))(?![a-z])"
    rf"{_FILLER}(?P<number>{_NUMBER}){_NOT_A_RANGE}",
    re.IGNORECASE,
)
_LABEL = re.compile(r"(?<![a-z])(?:lower|upper|minimum|maximum)(?![a-z])", re.IGNORECASE)
_PAIR = rf"(?P<first>{_NUMBER})\s*(?:,|;|\||-|\.\.+|…|\bto\b|\band\b|\s)\s*(?P<second>{_NUMBER})"
_BRACKETED = re.compile(rf"[\[(]\s*{_PAIR}\s*[\])]")
_POWERS = re.compile(_PAIR)
_WHOLE_REPLY = re.compile(rf"[^0-9]{{0,60}}?{_PAIR}[\s.]*")


@dataclass(frozen=True)
class StatedInterval:
    """An interval as it was stated.

    Attributes:
        lower: The smaller bound, an exponent of ten.
        upper: The larger bound.
        reversed: Whether the reply named the larger one first.
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
    text = _plain(reply)
    if not text:
        return Unreadable("no_response", "the reply is empty")
    found = _bounds(text, truncated)
    if isinstance(found, Unreadable):
        return found
    first, second = (_exponent(number) for number in found)
    if first is None or second is None:
        return Unreadable("invalid_response_format", f"{found} are not two positive powers of ten")
    if _is_power(found[0]) != _is_power(found[1]):
        return Unreadable("ambiguous", f"one bound is an exponent, the other a power: {found}")
    if max(abs(first), abs(second)) > limit:
        return Unreadable("out_of_range", f"{found} reach beyond 10^{limit:g} or 10^-{limit:g}")
    return StatedInterval(min(first, second), max(first, second), reversed=first > second)


def _plain(reply: str) -> str:
    """The reply without markup, with one spelling of powers, products and dashes."""
    text = folded(reply)
    text = re.sub(r"\\(?:times|cdot)\b|·", "x", text)
    text = re.sub(r"\s*\*\s*(?=10\s*(?:\^|\*\*))", " x ", text)
    text = re.sub(r"\b10\s*\*\*\s*(?=[-+(]?\s*[0-9])", "10^", text)
    text = re.sub(r"\\[()\[\]]|[*`${}]", "", text)
    # A dash is a minus where a number starts and a range elsewhere.
    text = re.sub(r"(?<![0-9)\]])(?<![0-9)\]]\s)[–—](?=[0-9.])", "-", text)  # noqa: RUF001 # dashes
    return re.sub(r"\s*[–—]\s*", " to ", text).strip()  # noqa: RUF001 # dashes


def _bounds(text: str, truncated: bool) -> tuple[str, str] | Unreadable:
    """The two numbers, as written, or why they can't be told."""
    pairs: dict[tuple[str, str], int] = {}
    for part in (text, re.split(r"\bfinal\b", text, flags=re.IGNORECASE)[-1]):
        pairs = _labelled_pairs(part) if _LABELLED.search(text) else _unlabelled_pairs(part)
        if len(pairs) == 1:
            ((pair, end),) = pairs.items()
            if truncated and end == len(part):
                return Unreadable("truncated", "the reply is cut off within its last number")
            return pair
    return _why_none(text, truncated, pairs)


def _why_none(text: str, truncated: bool, pairs: Iterable[tuple[str, str]]) -> Unreadable:
    """Why a reply holds no interval, or not one."""
    several = list(pairs)
    if truncated:
        return Unreadable("truncated", "the reply is cut off before an interval was stated")
    if several:
        return Unreadable("ambiguous", f"several different intervals: {several[:3]}")
    if is_refusal(text):
        return Unreadable("refusal", "the reply declines to answer")
    if _LABEL.search(text) and re.search("[0-9]", text):
        return Unreadable("ambiguous", "the bounds named are not one number each")
    return Unreadable("invalid_response_format", "no interval of two exponents in the reply")


def _labelled_pairs(text: str) -> dict[tuple[str, str], int]:
    """Every pair of a lower and an upper bound named as such, and where its last number ends."""
    found = list(_LABELLED.finditer(text))
    lower = {_once(match["number"]): match.end() for match in found if match["lower"]}
    upper = {_once(match["number"]): match.end() for match in found if match["upper"]}
    return {
        (low, high): max(low_end, high_end)
        for low, low_end in lower.items()
        for high, high_end in upper.items()
    }


def _unlabelled_pairs(text: str) -> dict[tuple[str, str], int]:
    """Pairs of numbers that can only be the interval: bracketed, powers of ten, or all there is.

    Two numbers in prose ("2 to 3 people a household") are not one.
    """
    found = [*_BRACKETED.finditer(text)]
    found += [match for match in _POWERS.finditer(text) if _is_power(match["first"])]
    whole = _WHOLE_REPLY.fullmatch(text)
    if not found and whole:
        found = [whole]
    return {(_once(match["first"]), _once(match["second"])): match.end("second") for match in found}


def _once(number: str) -> str:
    """One spelling for a bare exponent, so that 3 and 3.0 are not two different bounds."""
    return number if _is_power(number) else repr(float(number))


def _is_power(number: str) -> bool:
    """Whether the number is written as a power of ten, not as a bare exponent."""
    return bool(re.search(r"\^|e", number, re.IGNORECASE))


def _exponent(number: str) -> float | None:
    """The exponent of ten that the number stands for; None if it stands for none."""
    if not _is_power(number):
        return float(number)
    compact = re.sub(r"[\s()]", "", number)
    scientific = re.fullmatch(rf"(?P<mantissa>{_PLAIN})[eE](?P<power>[-+]?[0-9]+)", compact)
    power = re.fullmatch(rf"(?:(?P<mantissa>{_PLAIN})[x×])?10\^(?P<power>{_PLAIN})", compact)  # noqa: RUF001 # times
    match = scientific or power
    assert match is not None  # the number came out of _NUMBER
    mantissa = float(match["mantissa"] or 1)
    return math.log10(mantissa) + float(match["power"]) if mantissa > 0 else None
