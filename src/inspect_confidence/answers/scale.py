"""Text -> the confidence that a model stated as an integer on a scale, or a typed failure."""

import re
from dataclasses import dataclass

from inspect_confidence.answers.labels import Stated
from inspect_confidence.answers.numbers import Number
from inspect_confidence.answers.reading import ambiguous, invalid, is_template, read_stated, settled
from inspect_confidence.answers.status import Unreadable
from inspect_confidence.answers.values import headed, tail_of

# ruff: noqa: RUF001 # dashes, as they are written

LONGEST = 15
"""Digits of the longest number that is read: no scale has more, and it fits 64 bits."""

_SCALE = re.compile(
    r"[\s,(\[]*+(?:(?:on|in|using|auf|sur)\b ?)?(?:(?:an?|the|einer|une)\b ?)?"
    r"(?:(?:scale|range|integer|skala|échelle)\b ?)?(?:of |from |between |von |de )?"
    r"(?P<low>-?[0-9]{1,9}) ?(?:-|–|to|and|bis|à) ?(?P<high>[0-9]{1,9})(?![0-9]|\.[0-9])",
    re.IGNORECASE,
)
_OUT_OF = re.compile(
    r"[\s,(\[]*(?:/|out of|of|von|sur) ?(?P<high>[0-9]{1,9})(?![0-9])", re.IGNORECASE
)
_IN_NOTE = re.compile(
    r"(?P<low>-?[0-9]{1,9}) ?(?:-|–|to|and) ?(?P<high>[0-9]{1,9})|/ ?(?P<of>[0-9]{1,9})"
)
_PERCENT_NOTE = re.compile(r"[\s,]*[(\[]? ?(?:≈|~|about |i\.e\.,? |or |= ?)?[0-9.]+ ?%")
PROSE = re.compile(
    r"\b(?:i am|i'm|i feel|feeling|am)\s+(?:about |around |roughly |approximately |~ ?)?"
    r"(?P<sure>[0-9]{1,4}(?:\.[0-9]+)? ?(?:%|percent\b|/ ?[0-9]+|out of [0-9]+)?)\s+(?:confident"
    r"|sure|certain)\b"
    r"|\b(?:my|i|i'd|me|overall)\b[^.\n0-9]{0,40}?\b(?:confidence|certainty)\b"
    r"(?:[^.\n0-9]{0,30}\"[^\"\n]{0,60}\")?[^.\n0-9]{0,60}?\b(?:is|at|of|as|be|to)\s+(?:about "
    r"|around |roughly |an? )?"
    r"(?P<rated>[0-9]{1,4}(?:\.[0-9]+)?(?: ?(?:%|percent\b)| ?/ ?[0-9]+"
    r"| out of [0-9]+)?)(?![\w.,/-]*[0-9%])"
    r"|(?<![\w.-])(?P<with>[0-9]{1,3} ?(?:%|percent))\s+(?:confident|sure|certain(?:ty)?"
    r"|confidence)\b(?! (?:interval|level))"
    r"|(?P<han>[0-9]{1,3} ?%)的?(?:把握|信心)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class StatedConfidence:
    """A confidence as it was stated.

    Attributes:
        raw: The integer in the reply.
        confidence: Where it lies on the scale, from 0 to 1; None if it is far outside.
        clipped: Whether it was a little outside, and was taken for the nearest bound.
        violation: Whether it was outside by more than a twentieth of the scale's width.
    """

    raw: int
    confidence: float | None
    clipped: bool
    violation: bool


def read_confidence(
    reply: str, low: int, high: int, *, truncated: bool = False
) -> StatedConfidence | Unreadable:
    r"""Read the confidence that a reply states on a scale of integers.

    Args:
        reply: The reply's text.
        low: The scale's lower bound.
        high: The scale's upper bound, greater than the lower.
        truncated: Whether the model was cut off; a number that ends where the text ends may then
            be a part of one, and is not read.

    Returns:
        The confidence (see `confidence_of` for numbers outside the scale), or why there is none:
        `no_response`, `refusal`, `truncated`, `ambiguous` or `invalid_response_format` (also beyond
        fifteen digits).

    Raises:
        ValueError: If the scale has no width. No text raises anything.

    Example:
        >>> read_confidence("Answer: B\nConfidence: 85", 0, 100)
        StatedConfidence(raw=85, confidence=0.85, clipped=False, violation=False)
        >>> read_confidence("Confidence: 85%", 7, 79).reason
        "a percentage on a scale that isn't one"
    """
    _require_width(low, high)

    def choose(stated: Stated) -> int | Unreadable:
        return _chosen(stated, low, high)

    raw = read_stated(reply, choose, keys=("confidence",), truncated=truncated)
    return raw if isinstance(raw, Unreadable) else confidence_of(raw, low, high)


def confidence_of(raw: int, low: int, high: int) -> StatedConfidence:
    """Where an integer lies on a scale, by one correctly rounded division of integers.

    Args:
        raw: The integer that was stated.
        low: The scale's lower bound.
        high: The scale's upper bound, greater than the lower.

    Returns:
        The confidence; clipped to the nearest bound if it is outside by at most a twentieth of the
        scale's width, and a violation without a confidence if by more.

    Raises:
        ValueError: If the scale has no width.

    Example:
        >>> confidence_of(7, 0, 20)
        StatedConfidence(raw=7, confidence=0.35, clipped=False, violation=False)
        >>> confidence_of(105, 0, 100)
        StatedConfidence(raw=105, confidence=1.0, clipped=True, violation=False)
        >>> confidence_of(106, 0, 100)
        StatedConfidence(raw=106, confidence=None, clipped=False, violation=True)
    """
    _require_width(low, high)
    width = high - low
    excess = max(low - raw, raw - high, 0)
    if 20 * excess > width:
        return StatedConfidence(raw, None, clipped=False, violation=True)
    nearest = min(max(raw, low), high)
    return StatedConfidence(raw, (nearest - low) / width, clipped=excess > 0, violation=False)


def _require_width(low: int, high: int) -> None:
    if low >= high:
        raise ValueError(f"a scale needs a lower bound below its upper one, not {low} and {high}")


def _chosen(stated: Stated, low: int, high: int) -> int | Unreadable:
    noted = {one.value: one.note for one in stated.under("confidence")}

    def read(value: str) -> int | Unreadable:
        return _read(value, noted.get(value, ""), low, high)

    found = settled(stated, ("confidence",), read)
    if found is not None:
        return found
    if any(is_template(one.value) for one in stated.under("confidence")):
        return invalid("the template was echoed")
    said = [
        _read(next(filter(None, at.groups())), "", low, high) for at in PROSE.finditer(stated.text)
    ]
    if said:
        return said[-1] if len(set(said)) == 1 else ambiguous("several confidences")
    return _below_the_answer(stated.text, low, high)


def _below_the_answer(text: str, low: int, high: int) -> int | Unreadable:
    """A number alone in the last of two or more lines, the only such line."""
    lines = text.split("\n")
    alone = [line for line in lines if re.fullmatch(r"[-+]?[0-9]{1,9} ?%?\.?", line)]
    if len(lines) > 1 and alone == lines[-1:]:
        return _read(alone[0].rstrip("."), "", low, high)
    return invalid("no confidence")


def _read(value: str, note: str, low: int, high: int) -> int | Unreadable:  # noqa: PLR0911 # each has a reason of its own
    """One statement's integer; a scale that it names must be the one that was asked for."""
    named = _IN_NOTE.search(note)
    if named and not _is_scale(named, low, high):
        return ambiguous("another scale")
    number, before, tail = headed(value)
    if number is None or (number.style == "word" and number.value is None):
        return invalid("no number" if not re.search("[0-9]", value) else "no number at its start")
    scale = _SCALE.match(tail) or _OUT_OF.match(tail)
    follows = "end" if scale else tail_of(before, tail)
    if follows == "cut":
        return invalid("the number is cut off")
    if follows in ("range", "bound"):
        return invalid("a range")
    if scale and not _is_scale(scale, low, high):
        return ambiguous("another scale")
    if follows == "other" and not _PERCENT_NOTE.match(tail):
        return ambiguous("several confidences")
    if "→" in tail[:3]:
        return ambiguous("several confidences")
    if follows == "calculation":
        return invalid("no number at its start")
    return _integer(number, "%" in note, low, high)


def _is_scale(named: re.Match[str], low: int, high: int) -> bool:
    given = named.groupdict()
    top = given.get("of") or given["high"]
    return int(top) == high and int(given.get("low") or low) == low


def _integer(number: Number, noted: bool, low: int, high: int) -> int | Unreadable:
    value = number.value
    if number.whole is not None and value is not None:
        if number.whole != high:
            return ambiguous("another scale")
        value *= number.whole
    if (noted or number.style == "percent") and high != 100:
        return invalid("a percentage on a scale that isn't one")
    if (
        value is None
        or number.style in ("power", "scaled")
        or (number.style == "fraction" and number.whole is None)
    ):
        return invalid("no plain number")
    if value.denominator != 1:
        return invalid("not an integer")
    if len(str(abs(value.numerator))) > LONGEST:
        return invalid(f"a number of {len(str(abs(value.numerator)))} digits")
    return int(value)
