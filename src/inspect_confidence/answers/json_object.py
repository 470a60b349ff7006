"""Text -> one JSON object, and the typed answers in it, or typed failures.

The protocols ask for an object with an answer and a confidence, or with a probability for each
letter. Objects are read as models write them: fenced, commented, with any quotes, unclosed. What
is certain in them is taken; nothing is guessed.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from string import ascii_lowercase

from inspect_confidence.answers.amount import amount_of
from inspect_confidence.answers.clean import folded, stated_text
from inspect_confidence.answers.json_text import (
    Found,
    Scalar,
    is_asked,
    is_placeholder,
    members_of,
    merged,
    plain_key,
    without_thoughts,
)
from inspect_confidence.answers.numbers import NUMBER
from inspect_confidence.answers.probability import cleaned, declines, numbers_in, read_probability
from inspect_confidence.answers.reading import ambiguous, invalid, is_template
from inspect_confidence.answers.stated import Choices
from inspect_confidence.answers.status import Unreadable

OLDEST = 150
"""No age is greater."""

LONGEST = 10_000
"""Characters of the longest value that is read."""

_BLANK = re.compile(r"\s*(?:null|none|n/?a|nil|-+|\?+)?\s*", re.IGNORECASE)
_TEMPLATE = re.compile(
    r"[\W_]*(?:an?|the|your)\b.{0,40}\b(?:float|decimal|number|integer|probability|confidence)\b"
    r".{0,80}\b(?:between|from|here)\b",
    re.IGNORECASE,
)
_YEARS = re.compile(
    r"[\s-]?(?:years?|yrs?|yo|y\.o|old|in|at|when|as|because|since|by|on|is|for|given|based|full"
    r"|approximately|roughly|probably|likely)\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    r"\b(?:another|more|further|additional|remaining|left|later|from now|hence|to live"
    r"|in \d+ years)\b|^\s*\+",
    re.IGNORECASE,
)
_YEARS_OLD = re.compile(r"\by/o\b", re.IGNORECASE)
_UNIT = re.compile(r"[\s-]?(?:[^\W\d_]|[%°$€£¥])")
_RATIO = re.compile(r"[0-9]\s*[/\u2044]\s*[0-9]")
_MARKED = re.compile(r"[%％/⁄百成]|\b(?:per ?cent|pct|out of|in)\b", re.IGNORECASE)  # noqa: RUF001


def text_of(value: Scalar, *, numbers: bool = True) -> str | Unreadable:
    """A value as text; with `numbers`, only one that can hold a number."""
    if isinstance(value, Unreadable):
        return value
    if value is None:
        return Unreadable("no_response", "the value is null")
    if isinstance(value, bool):
        return invalid(f"{value}, not a number") if numbers else str(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return invalid(f"{value}, not a number")
    return format(Decimal(repr(value)), "f") if numbers else str(value)


def _text(value: str) -> str | Unreadable:
    text = " ".join(value[: LONGEST + 1].split())
    if not text:
        return Unreadable("no_response", "the value is empty")
    if is_placeholder(text):
        return _echo()
    return invalid(f"a value of {len(value)} characters") if len(value) > LONGEST else text


def _echo() -> Unreadable:
    return Unreadable("echo", "the value is the prompt's placeholder")


def plain(text: str) -> str:
    """The text without markup."""
    # As in a reply, where a value doesn't stand at the start of a line.
    return stated_text(f": {text}").removeprefix(":").strip()


def explained(found: Unreadable, text: str) -> Unreadable:
    """What an unreadable value is instead of an answer."""
    if found.status not in ("invalid_response_format", "ambiguous"):
        return found
    if _BLANK.fullmatch(text):
        return Unreadable("no_response", f"the value is {text!r}")
    if is_template(text) or _TEMPLATE.match(text):
        return _echo()
    if found.status == "invalid_response_format" and declines(folded(text)):
        return Unreadable("refusal", "the value declines to answer")
    return found


def age(value: Scalar) -> float | Unreadable:
    """The number of years that a value states."""
    text = text_of(value)
    if isinstance(text, Unreadable):
        return text
    years = _years(_YEARS_OLD.sub("years", plain(text)))
    if isinstance(years, Unreadable):
        return explained(years, text)
    if not 0 <= years <= OLDEST:
        return Unreadable("out_of_range", f"not from 0 to {OLDEST} years")
    return float(years)


def _years(text: str) -> Fraction | Unreadable:
    years = amount_of(text)
    number = NUMBER.search(text)
    if isinstance(years, Unreadable) or not number:
        return years
    tail = text[number.end() :]
    if _RELATIVE.search(text):
        return ambiguous("years from some other age")
    if _RATIO.search(text) or (_UNIT.match(tail) and not _YEARS.match(tail)):
        return ambiguous("not certainly a number of years")
    return years


def probability(value: Scalar) -> float | Unreadable:
    """The probability that a value states."""
    text = text_of(value)
    if isinstance(text, Unreadable):
        return text
    found = read_probability(text)
    return explained(found, text) if isinstance(found, Unreadable) else found.value


def share(value: Scalar) -> tuple[Fraction, bool] | Unreadable:
    """A number, and whether it is bare: one that may be a percentage without its sign."""
    text = text_of(value)
    if isinstance(text, Unreadable):
        return text
    found = read_probability(text)
    if not isinstance(found, Unreadable):
        return Fraction(repr(found.value)), not _MARKED.search(text)
    numbers = numbers_in(cleaned(text))
    above = numbers[0].value if len(numbers) == 1 and numbers[0].kind == "above" else None
    if above is not None and found.status == "invalid_response_format":
        return above, True
    return explained(found, text)


_LETTER = re.compile(
    r"(?:(?:option|choice|answer|letter) )?[(\[\"']*(?P<letter>[A-Za-z])[)\]\"']*"
    r"(?:(?<=[)\]]) .*|[.:)] .*| - .*|[.:)]?)",
    re.IGNORECASE | re.DOTALL,
)
_VERDICT = re.compile(
    r"[\W_]*(?:(?:the |this |it |that )?(?:statement |claim |answer )?(?:is |'s )?)"
    r"(?P<verdict>true|false|yes|no)(?:[\W_]*|\s*[.,;:(!–—-]\s*(?P<remark>.*))",  # noqa: RUF001 # dashes
    re.IGNORECASE | re.DOTALL,
)
_UNDECIDED = re.compile(
    r"\b(?:true|false|yes|no|not|maybe|perhaps|possibly|probably|likely|unlikely|unknown|unsure"
    r"|uncertain|unclear|undetermined|both|neither|either|part(?:ly|ial|ially)|half|mostly|mixed"
    r"|sometimes|somewhat|depends|but|or|except|however|although|though|cannot|unable|insufficient"
    r"|guess\w*|think|believe|assum\w+)\b|n't\b|\?",
    re.IGNORECASE,
)


def letter(value: Scalar, choices: Sequence[str]) -> int | Unreadable:
    """The index of the choice that a value names."""
    text = text_of(value, numbers=False)
    if isinstance(text, Unreadable):
        return text
    known, named_by = Choices(choices), plain(text)
    if isinstance(value, str):
        found = known.read(named_by)
    else:
        named = known.by_text(text)
        found = min(named) if len(named) == 1 else invalid("no choice's letter or text")
    if not isinstance(found, Unreadable):
        return found
    named_letter = _LETTER.fullmatch(named_by)
    is_invalid = found.status == "invalid_response_format"
    if is_invalid and named_letter and ord(named_letter["letter"].upper()) - 65 >= len(choices):
        return Unreadable("out_of_range", f"there is no choice {named_letter['letter'].upper()}")
    return explained(found, text)


def verdict(value: Scalar) -> bool | Unreadable:
    """Whether a value says true or false."""
    text = text_of(value, numbers=False)
    if isinstance(text, Unreadable):
        return text
    found = _VERDICT.fullmatch(plain(text)) if isinstance(value, str | bool) else None
    hedged = (
        _UNDECIDED.search(found["remark"] or "") or text.rstrip().endswith("?") if found else None
    )
    if found and not hedged:
        return found["verdict"].lower() in ("true", "yes")
    if found or (_UNDECIDED.search(text) and not declines(folded(text))):
        return ambiguous("neither plainly true nor plainly false")
    return explained(invalid("neither true nor false"), text)


@dataclass(frozen=True)
class JsonReply:
    """What the JSON objects of a reply say.

    Attributes:
        fields: The values by casefolded key, nested objects flattened; `Unreadable` for a key
            with different values, or whose value isn't certain.
        unfinished: The key in whose value the reply was cut off, if any.
        is_cut: Whether the reply was cut off within its object: what is missing may have followed.
    """

    fields: Mapping[str, Scalar]
    unfinished: str | None = None
    is_cut: bool = False


@dataclass(frozen=True)
class OptionProbabilities:
    """Probabilities of a question's options.

    Attributes:
        values: One for each option; they sum to 1.
        raw_sum: What they summed to as they were stated; 1.0 is 100%.
    """

    values: tuple[float, ...]
    raw_sum: float


def read_json(reply: str, *, truncated: bool = False) -> JsonReply | Unreadable:
    """Read the JSON object that a reply is, or holds; never raises.

    Args:
        reply: The reply's text.
        truncated: Whether the model was cut off. If the object isn't closed, a value counts only
            if another key follows it.

    Returns:
        The object, or why there is none: `no_response`, `refusal`, `truncated`, `echo` or
        `invalid_response_format`.

    Example:
        >>> read_json('Sure! {"Answer": "B", "Confidence": 85%,}').fields
        {'answer': 'B', 'confidence': '85%'}
        >>> read_json('{"Answer": "B", "Confidence": 0.8', truncated=True).unfinished
        'confidence'
        >>> read_json("B, quite sure").status
        'invalid_response_format'
    """
    if not reply.strip():
        return Unreadable("no_response", "the reply is empty")
    text = without_thoughts(reply)
    found = members_of(text, truncated=truncated)
    if not found.members and not found.unfinished:
        return _nothing(text, found, truncated=truncated)
    fields = merged(found.members)
    asked = [value for key, value in fields.items() if is_asked(key)]
    if asked and all(map(is_placeholder, asked)) and not found.is_cut:
        return Unreadable("echo", "the object is the prompt's template")
    return JsonReply(fields, found.unfinished, found.is_cut)


def _nothing(text: str, found: Found, *, truncated: bool) -> Unreadable:
    if truncated:
        return Unreadable("truncated", "the reply is cut off before an answer was stated")
    if not text.strip():
        return Unreadable("no_response", "the reply is empty but for reasoning")
    if declines(folded(" ".join(text.split()))):
        return Unreadable("refusal", "the reply declines to answer")
    return invalid("no JSON object with an asked key" if found.objects else "no JSON object")


def _value(reply: JsonReply, key: str) -> Scalar:
    if key == reply.unfinished:
        return Unreadable("truncated", f"the reply is cut off in the value of {key!r}")
    if key in reply.fields:
        return reply.fields[key]
    if reply.is_cut:
        return Unreadable("truncated", f"the reply is cut off before a key {key!r}")
    return invalid(f"no key {key!r}")


def age_in(reply: JsonReply) -> float | Unreadable:
    """The age that a reply's answer states.

    Args:
        reply: What was read of it.

    Returns:
        A number of years from 0 to 150, or why there is none.

    Example:
        >>> age_in(read_json('{"Answer": "about 78 years"}'))
        78.0
        >>> age_in(read_json('{"Answer": "75-80"}')).status
        'ambiguous'
    """
    return age(_value(reply, "answer"))


def probability_in(reply: JsonReply, key: str = "confidence") -> float | Unreadable:
    """The probability that is a key's value.

    Args:
        reply: What was read of it.
        key: The key, in any case.

    Returns:
        A number from 0 to 1, or why there is none; understood as by `read_probability`.

    Example:
        >>> probability_in(read_json('{"Confidence": "85%"}'))
        0.85
        >>> probability_in(read_json('{"Confidence": 85}')).reason
        "a number above 1 that isn't marked as percent"
    """
    return probability(_value(reply, plain_key(key)))


def letter_in(reply: JsonReply, choices: Sequence[str]) -> int | Unreadable:
    """The choice that a reply's answer names, by letter, text or both.

    Args:
        reply: What was read of it.
        choices: The texts of the choices, as shown.

    Returns:
        The choice's index, or why there is none.

    Example:
        >>> letter_in(read_json('{"Answer": "B) Paris"}'), ["Rome", "Paris"])
        1
        >>> letter_in(read_json('{"Answer": "C"}'), ["Rome", "Paris"]).status
        'out_of_range'
    """
    return letter(_value(reply, "answer"), choices)


def verdict_in(reply: JsonReply) -> bool | Unreadable:
    """Whether a reply's answer is true (yes) or false (no).

    Args:
        reply: What was read of it.

    Returns:
        The verdict, or why there is none.

    Example:
        >>> verdict_in(read_json("{'Answer': True}"))
        True
        >>> verdict_in(read_json('{"Answer": "partly true"}')).status
        'ambiguous'
    """
    return verdict(_value(reply, "answer"))


def probabilities_in(reply: JsonReply, count: int) -> OptionProbabilities | Unreadable:
    """The probabilities that a reply gives to the options' letters.

    Bare numbers, some above 1, are percentages if they sum to 100 within 1.

    Args:
        reply: What was read of it.
        count: How many options there are, from 1 to 26.

    Returns:
        The probabilities, normalised, or why there are none.

    Raises:
        ValueError: If there can't be so many options.

    Example:
        >>> probabilities_in(read_json('{"A": 70, "B": 30}'), 2)
        OptionProbabilities(values=(0.7, 0.3), raw_sum=1.0)
        >>> probabilities_in(read_json('{"A": 0.7}'), 2).reason
        "B: no key 'b'"
    """
    if not 1 <= count <= len(ascii_lowercase):
        raise ValueError(f"{count} options can't be named by letters")
    stated: list[tuple[Fraction, bool]] = []
    for letter in ascii_lowercase[:count]:
        found = share(_value(reply, letter))
        if isinstance(found, Unreadable):
            return Unreadable(found.status, f"{letter.upper()}: {found.reason}")
        stated.append(found)
    for letter in ascii_lowercase[count:]:
        if not _is_nothing(reply, letter):
            return Unreadable("out_of_range", f"a probability of {letter.upper()}")
    return _normalised(stated)


def _is_nothing(reply: JsonReply, letter: str) -> bool:
    """Whether a letter that names no option has no probability."""
    if letter not in reply.fields or reply.fields[letter] is None:
        return letter != reply.unfinished
    found = share(reply.fields[letter])
    return not isinstance(found, Unreadable) and found[0] == 0


def _normalised(stated: list[tuple[Fraction, bool]]) -> OptionProbabilities | Unreadable:
    bare = [number for number, is_bare in stated if is_bare]
    scale = 1
    if any(number > 1 for number in bare):
        scale = 100
        if not 99 <= sum(bare) <= 101:
            return Unreadable("out_of_range", "numbers above 1 that don't sum to 100")
    shares = [number / scale if is_bare else number for number, is_bare in stated]
    total = sum(shares, Fraction(0))
    if not total:
        return invalid("the probabilities sum to 0")
    return OptionProbabilities(tuple(float(one / total) for one in shares), float(total))
