"""Text -> the confidence that a model stated as an integer on a scale, or a typed failure."""

import re
from dataclasses import dataclass
from functools import partial

from inspect_confidence.answers.labels import ParsedText
from inspect_confidence.answers.numbers import Number
from inspect_confidence.answers.reading import ambiguous, invalid, is_template, read_stated, settled
from inspect_confidence.answers.status import ParseFailure
from inspect_confidence.answers.values import ABOUT, headed, tail_of

# ruff: noqa: RUF001 # dashes, as they are written

LONGEST = 15
"""Digits of the longest number that is read: no scale has more, and it fits 64 bits."""

_ENDS = (
    r"(?:(?P<low>-?[0-9]{1,9}) ?(?:-|–|to|and|bis|à) ?|(?:/|(?:out )?of|von|sur) ?)"
    r"(?P<high>[0-9]{1,9})(?![0-9]|\.[0-9])"
)
_IN_NOTE = re.compile(_ENDS)
_SCALE = re.compile(
    r"[\s,(\[]*(?:(?:on|in|using|auf|sur) )?(?:(?:an?|the|einer|une) )?"
    rf"(?:(?:scale|range|integer|skala|échelle) )?(?:(?:of|from|between|von|de) )?{_ENDS}",
    re.IGNORECASE,
)
_PERCENT_NOTE = re.compile(rf"[\s,]*[(\[]? ?(?:[≈~]|i\.e\.,? |or |= ?|{ABOUT})?[0-9.]+ ?%")
_RATING = r"[0-9]{1,4}(?:\.[0-9]+)?(?: ?(?:%|percent\b|/ ?[0-9]+)| out of [0-9]+)?"
_ALONE = re.compile(r"[-+]?[0-9]{1,9} ?%?\.?")
PROSE = re.compile(
    rf"(?:\b(?:am|i'm|i feel|feeling)\s+{ABOUT}?(?P<sure>{_RATING})"
    r"|(?<![\w.-])(?P<with>[0-9]{1,3} ?(?:%|percent)))"
    r"\s+(?:confident|sure|certain(?:ty)?|confidence)\b(?! (?:interval|level))"
    r"|\b(?:my|i|i'd|me|overall)\b[^.\n0-9]{0,40}?\b(?:confidence|certainty)\b"
    r"(?:[^.\n0-9]{0,30}\"[^\"\n]{0,60}\")?[^.\n0-9]{0,60}?\b(?:is|at|of|as|be|to)\s+"
    rf"(?:{ABOUT}|an? )?(?P<rated>{_RATING})(?![\w.,/-]*[0-9%])"
    r"|\bprobability that (?:my|the|this) answer[^.\n0-9]{0,40} is (?P<probable>[0-9.]+ ?%?)(?!\w)"
    r"|(?P<han>[0-9]{1,3} ?%)的?(?:把握|信心)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class StatedConfidence:
    """The integer in a reply, and where it lies on the scale, from 0 to 1.

    One a little outside is `clipped` to the nearest bound; one that is outside by more than a
    twentieth of the scale's width is a `violation`, and its confidence is None.
    """

    raw: int
    confidence: float | None
    clipped: bool
    violation: bool


def read_confidence(
    reply: str, low: int, high: int, *, is_whole_reply: bool = False, truncated: bool = False
) -> StatedConfidence | ParseFailure:
    r"""Read the confidence that a reply states on a scale of integers, from `low` to `high`.

    See `confidence_of` for numbers outside the scale. A failure is `no_response`, `refusal`,
    `truncated`, `ambiguous` or `invalid_response_format` (also beyond fifteen digits). A scale
    without a width raises ValueError. Where confidence `alone` was asked for, a number that is the
    whole reply is it.

    Example:
        >>> read_confidence("Answer: B\nConfidence: 85", 0, 100)
        StatedConfidence(raw=85, confidence=0.85, clipped=False, violation=False)
        >>> read_confidence("Confidence: 85%", 7, 79).reason
        "a percentage on a scale that isn't one"
    """
    _require_width(low, high)
    choose = partial(_chosen, low=low, high=high, is_whole_reply=is_whole_reply)
    raw = read_stated(reply, choose, keys=("confidence",), truncated=truncated)
    return raw if isinstance(raw, ParseFailure) else confidence_of(raw, low, high)


def confidence_of(raw: int, low: int, high: int) -> StatedConfidence:
    """Return the share of a scale below an integer, by one correctly rounded division of integers.

    A scale without a width raises ValueError.

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


def _chosen(parsed: ParsedText, low: int, high: int, is_whole_reply: bool) -> int | ParseFailure:
    noted = {statement.value: statement.note for statement in parsed.under("confidence")}

    def read(value: str) -> int | ParseFailure:
        return _read(value, noted.get(value, ""), low, high)

    confidence = settled(parsed, ("confidence",), read)
    if confidence is not None:
        return confidence
    if any(map(is_template, noted)):
        return invalid("the template was echoed")
    prose_values = [
        read(next(filter(None, match.groups()))) for match in PROSE.finditer(parsed.text)
    ]
    if prose_values:
        return prose_values[-1] if len(set(prose_values)) == 1 else ambiguous("several confidences")
    # Else a number alone in the last of two or more lines, the only such line.
    *above, last = parsed.text.split("\n")
    if (
        (above or is_whole_reply)
        and _ALONE.fullmatch(last)
        and not any(map(_ALONE.fullmatch, above))
    ):
        return read(last.rstrip("."))
    return invalid("no confidence")


def _read(value: str, note: str, low: int, high: int) -> int | ParseFailure:  # noqa: PLR0911 # each has a reason of its own
    """One statement's integer; a scale that it names must be the one that was asked for."""
    number, before, tail = headed(value)
    scale = _SCALE.match(tail)
    for pattern in (_IN_NOTE.search(note), scale):
        if pattern and (int(pattern["low"] or low), int(pattern["high"])) != (low, high):
            return ambiguous("another scale")
    if number is None:
        return invalid("no number at its start" if re.search("[0-9]", value) else "no number")
    follows = "end" if scale else tail_of(before, tail)
    if follows == "cut":
        return invalid("the number is cut off")
    if follows in ("range", "bound"):
        return invalid("a range")
    if "→" in tail[:3] or (follows == "other" and not _PERCENT_NOTE.match(tail)):
        return ambiguous("several confidences")
    if follows == "calculation":
        return invalid("no number at its start")
    return _integer(number, "%" in note, high)


def _integer(number: Number, noted: bool, high: int) -> int | ParseFailure:
    """A number that was written as an integer, a percentage of a hundred or a part of the whole."""
    if number.whole not in (None, high):
        return ambiguous("another scale")
    if (noted or number.style == "percent") and high != 100:
        return invalid("a percentage on a scale that isn't one")
    is_part = number.style == "fraction" and number.whole is None
    if number.value is None or is_part or number.style in ("power", "scaled"):
        return invalid("no plain number")
    value = number.value * (number.whole or 1)
    if value.denominator != 1:
        return invalid("not an integer")
    if len(str(abs(value.numerator))) > LONGEST:
        return invalid(f"a number of more than {LONGEST} digits")
    return int(value)
