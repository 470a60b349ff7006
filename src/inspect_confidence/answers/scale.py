"""Text -> the confidence that a model stated as an integer on a scale, or a typed failure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from inspect_confidence.answers.labels import ParsedText
from inspect_confidence.answers.numbers import Number
from inspect_confidence.answers.probability import as_share
from inspect_confidence.answers.reading import (
    agreed_value,
    ambiguous,
    invalid,
    is_template,
    read_stated,
)
from inspect_confidence.answers.status import ParseFailure
from inspect_confidence.answers.values import ABOUT, kind_of_tail, split_at_number

# ruff: noqa: RUF001 # dashes, as they are written

LONGEST = 15
"""Digits of the longest number that is read: no scale has more, and it fits 64 bits."""

_ENDS = (
    r"(?:(?P<low>-?[0-9]{1,9}(?:\.[0-9]{1,4})?) ?(?:-|–|to|and|bis|à) ?"
    r"|(?:/|(?:out )?of|von|sur) ?)"
    r"(?P<high>[0-9]{1,9}(?:\.[0-9]{1,4})?)(?![0-9]|\.[0-9])"
)
_IN_NOTE = re.compile(_ENDS)
_SCALE = re.compile(
    r"[\s,(\[]*(?:(?:on|in|using|auf|sur) )?(?:(?:an?|the|einer|une) )?"
    rf"(?:(?:scale|range|integer|skala|échelle) )?(?:(?:of|from|between|von|de) )?{_ENDS}",
    re.IGNORECASE,
)
_PERCENT_NOTE = re.compile(rf"[\s,]*[(\[]? ?(?:[≈~]|i\.e\.,? |or |= ?|{ABOUT})?[0-9.]+ ?%")
_RATING = r"[0-9]{1,4}(?:\.[0-9]+)?(?: ?(?:%|percent\b|/ ?[0-9]+)| out of [0-9]+)?"
_ALONE = re.compile(r"[-+]?[0-9]{1,9}(?:\.[0-9]{1,9})? ?%?\.?")
_HEDGED = re.compile(
    r"(?:i(?:'m| am) )?(?:[a-z]+ ){0,3}(?:un)?(?:sure|confident|certain)"
    rf"(?: ?[:,(–-] ?|\. )(?:i(?:'d| would) say )?{ABOUT}?"
    r"(?P<hedged>[0-9]{1,3}(?:\.[0-9]+)? ?%?)\)?\.?",
    re.IGNORECASE,
)
"""A hedge followed by a number, which is the whole reply."""
_BESIDE_CHOICE = re.compile(
    r"\(?[A-J](?:[).:] [^\n]{1,80}?|\))?(?:, ?| ?[(\[]|,? with (?:a )?confidence (?:level )?of )"
    r"(?P<beside>[0-9]{1,3} ?%?)[)\]]?\.?"
)
"""A choice and its confidence, which are the whole reply."""
PROSE = re.compile(
    rf"(?:\b(?:am|i'm|i feel|feeling)\s+{ABOUT}?(?P<sure>{_RATING})"
    r"|(?<![\w.-])(?<!not )(?P<with>[0-9]{1,3} ?(?:%|percent)))"
    r"\s+(?:confident|sure|certain(?:ty)?|confidence)\b(?! (?:interval|level)"
    r"|,? that (?:the|my|this) answer (?:is|was) (?:not|wrong|incorrect|false)\b)"
    r"|\b(?:my|i|i'd|me|overall)\b[^.\n0-9]{0,40}?\b(?:confidence|certainty)\b"
    r"(?:[^.\n0-9]{0,30}\"[^\"\n]{0,60}\")?[^.\n0-9]{0,60}?\b(?:is|at|of|as|be|to)\s+"
    rf"(?:{ABOUT}|an? )?(?P<rated>{_RATING})(?![\w.,/-]*[0-9%])"
    r"|\bprobability that (?:my|the|this) answer[^.\n0-9]{0,40} is (?P<probable>[0-9.]+ ?%?)(?!\w)"
    r"|(?P<han>[0-9]{1,3} ?%)的?(?:把握|信心)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class StatedConfidence:
    """The integer that a reply states, and its position on the scale, from 0 to 1.

    A number a little outside the scale is `clipped` to the nearest bound. A number outside by more
    than a twentieth of the scale's width is a `violation`, and its confidence is None.
    """

    raw: int | float
    confidence: float | None
    clipped: bool
    violation: bool


def read_confidence(
    reply: str, low: float, high: float, *, is_whole_reply: bool = False, truncated: bool = False
) -> StatedConfidence | ParseFailure:
    r"""Read the confidence that a reply states on a scale from `low` to `high`.

    See `confidence_of` for numbers outside the scale. A failure is `no_response`, `refusal`,
    `truncated`, `ambiguous` or `invalid_response_format` (also for more than fifteen digits).

    Args:
        reply: Text of the reply.
        low: Lower bound of the scale.
        high: Upper bound of the scale.
        is_whole_reply: Whether the prompt asked for nothing but the confidence. If not, only an
            integer is read. If so, a number that is the whole reply counts, and decimals are read:
            on a scale from 0 to 1 as by `read_probability`; on a scale that ends above 1, a number
            between 0 and 1 may be a share and is `ambiguous`.
        truncated: Whether the reply is cut off.

    Raises:
        ValueError: The scale has no width.

    Example:
        >>> read_confidence("Answer: B\nConfidence: 85", 0, 100)
        StatedConfidence(raw=85, confidence=0.85, clipped=False, violation=False)
        >>> read_confidence("Confidence: 85%", 7, 79).reason
        "a percentage on a scale that isn't one"
    """
    _require_width(low, high)
    choose = partial(_stated_number, low=low, high=high, is_whole_reply=is_whole_reply)
    raw = read_stated(reply, choose, keys=("confidence",), truncated=truncated)
    return raw if isinstance(raw, ParseFailure) else confidence_of(raw, low, high)


def confidence_of(raw: float, low: float, high: float) -> StatedConfidence:
    """Return the position of a number on a scale, from 0 to 1.

    A number outside the scale by at most a twentieth of its width counts as the nearest bound;
    further outside, the confidence is None. A scale without a width raises ValueError.

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


def _require_width(low: float, high: float) -> None:
    if low >= high:
        raise ValueError(f"a scale needs a lower bound below its upper one, not {low} and {high}")


def _stated_number(
    parsed: ParsedText, low: float, high: float, is_whole_reply: bool
) -> float | ParseFailure:
    """Return the confidence that a reply states, as a number on the scale from `low` to `high`.

    A label counts first ("Confidence: 80"), then words in prose ("I am 80% sure"), then a number
    alone. With `is_whole_reply` the prompt asked for the number alone: all numbers on lines of
    their own must agree.
    """
    # Texts in brackets after a label, by the label's value: "(0-100)" of "Confidence (0-100): 80".
    notes = {entry.value: entry.note for entry in parsed.statements_under("confidence")}
    read = partial(_read_value, notes=notes, low=low, high=high, is_whole_reply=is_whole_reply)
    # Lines that hold nothing but a number.
    number_lines = list(filter(_ALONE.fullmatch, parsed.text.split("\n")))
    keys = ("confidence", "probability") if is_whole_reply else ("confidence",)
    confidence = agreed_value(parsed, keys, read)
    if confidence is not None:
        if is_whole_reply and number_lines and read(number_lines[-1]) != confidence:
            return ambiguous("several confidences")
        return confidence
    if any(map(is_template, notes)):  # "Confidence: <integer>"
        return invalid("the template was echoed")
    prose_values = []
    for match in PROSE.finditer(parsed.text):
        # Each alternative of the pattern has a group; the one that matches holds the number.
        prose_values.append(read(next(filter(None, match.groups()))))
    if prose_values:
        stated_values = set(prose_values)
        if is_whole_reply:
            stated_values.update(map(read, number_lines))
        return prose_values[-1] if len(stated_values) == 1 else ambiguous("several confidences")
    number = _bare_number(parsed.text, number_lines, is_whole_reply)
    return number if isinstance(number, ParseFailure) else read(number)


def _read_value(
    value: str, notes: Mapping[str, str], low: float, high: float, is_whole_reply: bool
) -> float | ParseFailure:
    """Read the number of a statement's value on the scale from `low` to `high`.

    It must be whole, unless the reply was to be nothing but the number (`is_whole_reply`). `notes`
    are the texts in brackets after labels, such as "(0-100)", by the value that follows.
    """
    number = _number_of_statement(value, notes.get(value, ""), low, high)
    if isinstance(number, ParseFailure):
        return number
    return _decimal_on_scale(number, low, high) if is_whole_reply else _whole_number(number)


def _bare_number(
    text: str, number_lines: Sequence[str], is_whole_reply: bool
) -> str | ParseFailure:
    """Return the number of a text that has no words on confidence.

    A number alone counts in the last of several lines, and in a whole reply also in the first. The
    text may also be a choice with its confidence ("B (80%)") or, in a whole reply, a hedge with a
    number ("fairly sure: 80"). `number_lines` are the lines that hold nothing but a number.
    """
    hedged = _HEDGED.fullmatch(text) if is_whole_reply else None
    if whole_text := hedged or _BESIDE_CHOICE.fullmatch(text):
        return whole_text[1]
    if len(number_lines) > 1:
        return ambiguous("several numbers")
    first, *later_lines = text.split("\n")
    is_last = later_lines and _ALONE.fullmatch(later_lines[-1])
    if number_lines and (is_last or (is_whole_reply and _ALONE.fullmatch(first))):
        return number_lines[0].rstrip(".")
    return invalid("no confidence")


def _number_of_statement(value: str, note: str, low: float, high: float) -> Number | ParseFailure:  # noqa: PLR0911 # each has a reason of its own
    """Return the number of a label's value, whose note is the text in brackets after the label.

    A scale that the value or the note names must be that from `low` to `high`.
    """
    number, before, tail = split_at_number(value)
    scale = _SCALE.match(tail)  # "80 on a scale from 0 to 100", "80 out of 100"
    for named_scale in (_IN_NOTE.search(note), scale):
        if not named_scale:
            continue
        if (float(named_scale["low"] or low), float(named_scale["high"])) != (low, high):
            return ambiguous("another scale")
    if number is None:
        return invalid("no number at its start" if re.search("[0-9]", value) else "no number")
    follows = "end" if scale else kind_of_tail(before, tail)
    if follows == "cut":
        return invalid("the number is cut off")
    if follows in ("range", "bound"):
        return invalid("a range")
    # "80 → 70" has two numbers; in "8 (80%)" the second repeats the first.
    if "→" in tail[:3] or (follows == "other" and not _PERCENT_NOTE.match(tail)):
        return ambiguous("several confidences")
    if follows == "calculation":
        return invalid("no number at its start")
    if number.whole not in (None, high):  # "7/10" on a scale to 100
        return ambiguous("another scale")
    if "%" in note or number.style == "percent":
        number = replace(number, style="percent")
        if high not in (1, 100):
            return invalid("a percentage on a scale that isn't one")
    return number


def _decimal_on_scale(number: Number, low: float, high: float) -> float | ParseFailure:
    """Return a number on the scale; it may have decimals.

    On the scale from 0 to 1 a percentage is divided by 100. On a scale that ends above 1, a number
    between 0 and 1 may be such a share and is ambiguous.
    """
    if (low, high) == (0, 1):
        share = as_share(number)
        return share if isinstance(share, ParseFailure) else float(share)
    value = _value_without_power(number)
    if isinstance(value, ParseFailure):
        return value
    if low <= 0 < value < 1 < high:
        return ambiguous("a share, or a number on the scale")
    return int(value) if value.denominator == 1 else float(value)


def _whole_number(number: Number) -> int | ParseFailure:
    """Return the whole number, such as 30 of `30%` or `30 of 100`; others are a failure."""
    value = _value_without_power(number)
    if isinstance(value, ParseFailure):
        return value
    return int(value) if value.denominator == 1 else invalid("not an integer")


def _value_without_power(number: Number) -> Fraction | ParseFailure:
    """Return a plain number, such as 30 of "30%", and the numerator of "7/10" or "7 of 10".

    A `Number` has a value, a style of writing and, for parts, a whole: 10 in "7/10". A power, a
    magnitude ("5k"), a fraction without a whole ("1 1/2") and more than 15 digits are a failure.
    """
    has_no_whole = number.style == "fraction" and number.whole is None
    if number.value is None or has_no_whole or number.style in ("power", "scaled"):
        return invalid("no plain number")
    value = number.value * (number.whole or 1)
    if len(str(abs(int(value)))) > LONGEST:
        return invalid(f"a number of more than {LONGEST} digits")
    return value
