"""Text -> the number that a maths problem's answer is, exactly, or a typed failure."""

import re
from dataclasses import dataclass
from fractions import Fraction

from inspect_confidence.answers.clean import CUT
from inspect_confidence.answers.labels import Stated
from inspect_confidence.answers.numbers import LONGEST, Number, numbers_in
from inspect_confidence.answers.reading import ambiguous, invalid, read_stated, settled, without
from inspect_confidence.answers.status import Unreadable

# ruff: noqa: RUF001, RUF002 # dashes and times signs, as they are written

_BRACKETS = re.compile(r"\((?P<inside>[^()\n]*)\)")
_ALTERNATIVE = re.compile(r"\s*(?:or|and|to|maybe|perhaps)\b|\s*±", re.IGNORECASE)
_TIME = re.compile(r"[0-9]:[0-9]")
_UNSOLVED = re.compile(r"-[ ]?[a-z]|-?[0-9.]+[ ]?[a-z]|.*[!<>≠]", re.IGNORECASE)
_EQUALS = re.compile("[=≡]")
_SEVERAL_AMOUNTS = re.compile(r"[,;]\s|[,;]$|\b(?:or|and)\b", re.IGNORECASE)
_NO_LEAD = re.compile(
    r"[(+*/^×÷√≠<>≤≥±\\{}]|[-–—]\s*$"
    r"|\b(?:between|from|not|than|least|most|over|under|above|below|except|to|or|neither|either"
    r"|sqrt|log|ln|sin|cos|tan|infinity)\b",
    re.IGNORECASE,
)
_RANGE = re.compile(
    r"[ ]?(?:[-–—~±…]|\.\.|\+/-)[ ]?[$€£]?[.0-9]|[,.'][0-9]"
    r"|[ ][$€£]?[.0-9]"
    r"|.*\b(?:or|at (?:least|most))\b",
    re.IGNORECASE,
)
_CALCULATION = re.compile(
    r"[ ]?(?:[-–—](?![A-Za-z])|[+*×÷^!√π∞]|/[ ]?[0-9(]|\(|\\(?!circ|degree))"
    r"|[ ]?(?:sqrt|pi|root|times|plus|minus|divided|over|squared|cubed|factorial)\b"
    r"|-?(?:st|nd|rd|th)\b|[ ]?[xyz]\b|[ni]\b",
    re.IGNORECASE,
)
_UNCLEAR = re.compile(
    r".*[0-9][ ]?(?:[kKMBT]|bn|mn|Mio\.?|Mrd\.?)|[0-9]+,[0-9]+(?<!,[0-9]{3})|0,[0-9]+"
    r"|.*\bout of\b.*|.*\b(?:lakh|crore)s?|[0-9']*'[0-9]{3}|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}"
)
_DOTTED = re.compile(r"[0-9]+(?:\.[0-9]+){2,}")
_PARTS = re.compile(
    r"\b(?:half|halves|thirds?|fourths?|quarters?|(?:fif|six|eigh|ten)ths?|twice|double"
    r"|dozens?(?= and))\b",
    re.I,
)
_ALONE = re.compile(r"(?:[ =~≈]|about )*(?:[-+]?[$€£¥₹]?[-.]?[0-9]|[A-Za-z]+$)")
_MILLIONS = re.compile(r"[$€£¥₹].*[0-9][ ]?m(?!\w)")
_REMAINDER = re.compile(r"\br[0-9]|\bremainder\b", re.IGNORECASE)
_UNIT = re.compile(r"[ -]?(?:[^\W\d_]|[°%$€£¥₹/\"'\\])")
_LEAD_IN = re.compile(
    r"\b(?:in|per|for|every|each|after|during|within|at|on|by|with) [$€£]?", re.IGNORECASE
)
_DEGREES = re.compile(r"\^ ?\(? ?\\circ\b ?\)?")
_ENDED = re.compile(r"[ ]?[,;.:\"')\]|]|$")


def amount_of(value: str) -> Fraction | Unreadable:
    """The number in a label's value."""
    if CUT in value:
        return invalid("the number may be cut off")
    if _TIME.search(value):
        return invalid("a time or a ratio")
    bare = _without_remarks(_DEGREES.sub("°", value.strip()))
    if bare is None:
        return ambiguous("several numbers")
    # "11/36 ≈ 0.306" is the exact number.
    *before, last = _EQUALS.split(re.sub(r"(?<=[0-9)]) ?(?:≈|\\approx).*", "", bare))
    right = _single(last)
    if not before or isinstance(right, Unreadable):
        return right
    left = _single(before[-1])
    # A left side that is a number itself, not a calculation, must be the same one.
    is_unsolved = _UNSOLVED.fullmatch(before[-1].strip())
    if (
        is_unsolved
        or _SEVERAL_AMOUNTS.search(bare)
        or (isinstance(left, Fraction) and left != right)
    ):
        return ambiguous("an unsolved equation, or several numbers")
    return right


def alone_amount(text: str) -> Fraction | Unreadable:
    """The number that the whole reply is, with a unit at most."""
    words = re.findall(r"[^\W\d_]+", text[:200])
    if "\n" in text or len(text) > 2 * LONGEST or len(words) > 3 or not _ALONE.match(text):
        return invalid("no labelled answer")
    return amount_of(text)


def _without_remarks(value: str) -> str | None:
    """The value without remarks in brackets; None if a remark is an alternative."""
    whole = _BRACKETS.fullmatch(value.rstrip(" ."))
    if whole:
        return whole["inside"].strip()
    remarks = list(_BRACKETS.finditer(value))
    if any(_ALTERNATIVE.match(remark["inside"]) for remark in remarks):
        return None
    kept = _BRACKETS.sub(lambda found: found[0] if _is_operand(found) else " ", value)
    return " ".join(kept.split())


def _is_operand(found: re.Match[str]) -> bool:
    """Whether a bracket is a part of a calculation: `3 × (4)`, `10^(3)`, `f(2)`, `5(2)`."""
    before = found.string[max(0, found.start() - 2) : found.start()]
    after = found.string[found.end() : found.end() + 2]
    return bool(re.search(r"[\w×*+/^=-]$|[×*+/^=-] $", before) or re.match(r" ?[×*+/^=]", after))


def _single(value: str) -> Fraction | Unreadable:  # noqa: PLR0911 # each has a reason of its own
    """The number of a text without equations."""
    value = value.strip(" \"'`|[]~≈").rstrip(" \"'`,;:|$")
    if value.endswith("..."):
        return ambiguous("a number without an end")
    value = value.rstrip(" .")
    numbers = numbers_in(value)
    if not numbers:
        return (
            ambiguous("not certainly one number") if _PARTS.search(value) else invalid("no number")
        )
    first = numbers[0]
    if first.end - first.start > LONGEST:
        return invalid(f"a number of {first.end - first.start} characters")
    if first.value is None:
        return (
            ambiguous("no plain number")
            if "," in value[: first.end] or _DOTTED.match(value, first.start)
            else invalid("no plain number")
        )
    before, tail, written = value[: first.start], value[first.end :], value[first.start : first.end]
    if len(before) > 200 or _PARTS.search(before) or _NO_LEAD.search(before):
        return ambiguous("not certainly one number")
    is_price = bool(re.match(r" ?€", tail)) or "€" in written
    if (_UNCLEAR.fullmatch(written) and not is_price) or _MILLIONS.match(written + tail[:3]):
        return ambiguous("a magnitude, a unit or decimals")
    if _RANGE.match(tail) or _REMAINDER.search(tail):
        return ambiguous("several numbers")
    if _CALCULATION.match(tail):
        return invalid("a calculation, not a number")
    if not (_UNIT.match(tail) or _ENDED.match(tail)):
        return invalid("a number that goes on")
    return _with_rest(first.value, tail)


def _with_rest(amount: Fraction, tail: str) -> Fraction | Unreadable:
    """The amount, if nothing in the rest of the value is another answer."""
    others = [number for number in numbers_in(tail) if number.value not in (amount, 1)]
    if _PARTS.search(tail):
        return ambiguous("several numbers")
    if not others:
        return amount
    belong = all(_LEAD_IN.fullmatch(tail, *_lead_in(tail, number)) for number in others)
    if belong and _UNIT.match(tail) and not _SEVERAL_AMOUNTS.search(tail):
        return amount
    return ambiguous("several numbers")


def _lead_in(tail: str, number: Number) -> tuple[int, int]:
    begin = tail.rfind(" ", max(0, number.start - 10), max(0, number.start - 1)) + 1
    return begin, number.start


@dataclass(frozen=True)
class StatedAmount:
    """A number as it was stated.

    Attributes:
        value: The number, exactly; a percentage is its number, 25 for "25%".
    """

    value: Fraction


def read_amount(reply: str, *, truncated: bool = False) -> StatedAmount | Unreadable:
    r"""Read the number that a maths problem's answer is, exactly.

    Labels are `Final Answer:`, `Answer:`, `#### ` before a number, and LaTeX's box. Of several the
    last one counts if the others agree or if it is a final one: where a reply gives two different
    final answers, the later has replaced the earlier. Without a label, "the answer is 18" is read
    if nothing contradicts it, and a reply that is nothing but a number with a unit.

    Args:
        reply: The reply's text.
        truncated: Whether the model was cut off; a number on the line where the text ends may then
            be a part of one, and is not read.

    Returns:
        The number, or why there is none: `no_response`, `refusal`, `truncated`, `ambiguous` or
        `invalid_response_format` (also beyond a thousand digits).

    Example:
        >>> read_amount("Solution: 9 * 2 = 18\nFinal Answer: $18 per day\nConfidence: 95")
        StatedAmount(value=Fraction(18, 1))
        >>> read_amount(r"The total is \boxed{\frac{3}{4}}.")
        StatedAmount(value=Fraction(3, 4))
        >>> read_amount("Final Answer: 18 or 19").status
        'ambiguous'
    """
    amount = read_stated(reply, _chosen, keys=("answer",), truncated=truncated)
    return amount if isinstance(amount, Unreadable) else StatedAmount(amount)


def _chosen(stated: Stated) -> Fraction | Unreadable:
    found = settled(stated, ("answer",), amount_of)
    if found is not None:
        return found
    return alone_amount(without(stated, "confidence", "reason"))
