r"""Text -> the choice, the number or the confidence that a model stated, or a typed failure.

The protocols ask for lines: `Answer: B`, or `Final Answer: 18`, and `Confidence: 85`. Each of the
three readers looks for its own line and doesn't mind the others. Thinking between `<think>` tags,
and placeholders copied from the prompt, are no answers.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from inspect_confidence.answers.amount import alone_amount, amount_of
from inspect_confidence.answers.clean import BOX, BOX_END, CUT, folded, stated_text
from inspect_confidence.answers.reading import (
    Stated,
    ambiguous,
    chosen_answer,
    invalid,
    is_template,
    read_stated,
)
from inspect_confidence.answers.stated_labels import Statement, statements
from inspect_confidence.answers.status import Unreadable

_PREFIX = re.compile(
    r"(?:(?:i (?:think|believe|choose|chose|pick|select|would (?:say|choose)|'d say)(?: that)?"
    r"|it(?: is|'s)|(?:the )?(?:correct |right |best )?(?:answer|option|choice)(?: is|:)"
    r"|probably|likely|most likely|definitely|clearly)(?: |$))*+",
    re.IGNORECASE,
)
_LETTER = re.compile(
    r"(?P<named>(?:(?:the |both |either )*+(?:option|choice|letter|answer)s? |both |either ))?"
    r"(?P<open>[(\[{\"']*+)(?P<letter>[A-Za-z])(?![\w#+^=%°²³\x1a]|'[A-Za-z])(?P<close>[)\]}\"']*+)"
    r"(?P<mark> ?[.:;,]| ?[-–—](?= ?\w)| ?→)?[ ]*",  # noqa: RUF001 # dashes
    re.IGNORECASE,
)
_SECOND = re.compile(
    r"[()\]\"'., ]*+(?:(?P<joined>(?:[/&+]|\bor\b|\band\b)[, ]*+)+|(?P<apart>))"
    r"(?:(?:maybe|possibly|perhaps|option|choice) )*+[(\[\"']?(?P<letter>[A-Z])(?![\w'])"
    r"(?P<end>[)\]\"'.,; ]*+(?:$|\n|(?:are|or|and|[A-Z])\b))?"
)
_SUITS = re.compile(r"(?:because|since|as|for|is|would|seems|→|\(|[)|])|$", re.IGNORECASE)
_DENIED = re.compile(r"(?:is|was|would be) (?:wrong|incorrect|false|not|out)\b|isn't\b", re.I)
_BOUNDARY = re.compile(r"[.,;:(!\n]|\s[-–—]|[–—]|\s(?:because|since|as|is)\b")  # noqa: RUF001
_TEXT_THEN_LETTER = re.compile(
    r"(?P<text>.*\S)[ ]?[,–—-]?[ ]?(?:[(\[](?:(?:option|choice|answer) )?(?P<letter>[A-Z])[)\]]"  # noqa: RUF001
    r"|[,–—(-][ ]?(?:option|choice) (?P<named>[A-Z])\)?)\W{0,3}",  # noqa: RUF001
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"\b(?:a|an|the) (?=\w)")
_PUNCTUATION = re.compile(
    r"[;:?\"…()\[\]{}]|(?<![0-9])!|[.,](?![0-9])|(?<=[A-Za-z])['-](?=[A-Za-z])"
)
_NO_BOX = dict.fromkeys(map(ord, BOX + BOX_END), " ")
_DIFFERENT = "letter and text are of different choices"


def _keys(value: str) -> Iterator[str]:
    """The spellings under which a text is sought, the most exact first."""
    value = " ".join(value.split())
    yield value
    value = value.casefold().strip("\"' ").rstrip(".,;:\"' ")
    yield value
    yield " ".join(_PUNCTUATION.sub(" ", _ARTICLE.sub("", value)).split())


class Choices:
    """The choices of a question, ready to be recognised."""

    def __init__(self, choices: Sequence[str]) -> None:
        self._size = len(choices)
        self._indices: list[dict[str, set[int]]] = [{}, {}, {}]
        self.label_like: list[str] = []
        """The cleaned texts in which a label could be seen, as "Confidence: high"."""
        for index, choice in enumerate(choices):
            # Cleaned as in a reply, where a choice doesn't stand at the start of a line.
            cleaned = stated_text(f": {choice}").removeprefix(":").translate(_NO_BOX)
            if statements(cleaned):
                self.label_like.append(cleaned.strip())
            for text in (folded(choice), cleaned):
                for indices, key in zip(self._indices, _keys(text), strict=True):
                    indices.setdefault(key, set()).add(index)

    def by_text(self, value: str) -> set[int]:
        """The choices whose whole text this is."""
        for indices, key in zip(self._indices, _keys(value), strict=True):
            if key and key in indices:
                return indices[key]
        return set()

    def read(self, value: str, *, alone: bool = False) -> int | Unreadable:
        """The choice that a value names; `alone`, without a label, it must do nothing else."""
        value = value.strip()
        without_prefix = value if alone else _PREFIX.sub("", value, count=1)
        for text in (value, without_prefix):
            # What is only a letter may be one choice's letter and another's text.
            if not _LETTER.fullmatch(text) and (named := self.by_text(text)):
                return _only(named)
        value = without_prefix
        if not (letter := _LETTER.match(value)):
            return self._with_letter_last(value)
        return self._by_letter(letter, value[letter.end() :], alone=alone)

    def _index(self, letter: str) -> int | None:
        index = ord(letter.upper()) - ord("A")
        return index if 0 <= index < min(self._size, 26) else None

    def _with_letter_last(self, value: str) -> int | Unreadable:
        both = _TEXT_THEN_LETTER.fullmatch(value)
        named = self.by_text(both["text"]) if both else set()
        if not both or not named:
            return invalid("no choice's letter or text")
        if self._index(both["letter"] or both["named"]) in named:
            return self._index(both["letter"] or both["named"]) or 0
        return ambiguous(_DIFFERENT)

    def _by_letter(self, letter: re.Match[str], rest: str, *, alone: bool) -> int | Unreadable:  # noqa: PLR0911 # each has a reason of its own
        index = self._index(letter["letter"])
        texts = self.by_text(letter["letter"]) if not rest else set()
        if index is None:
            return _only(texts) if texts else invalid("no choice's letter or text")
        if texts and index not in texts:
            return ambiguous("one choice's letter is another's text")
        named = self.by_text(rest)
        if index in named:
            return index
        if named or self._is_second(rest, index):
            return ambiguous(_DIFFERENT if named else "several letters")
        firm = letter["close"] or letter["named"] or (letter["mark"] and letter["mark"] != ",")
        if _DENIED.match(rest) or not (firm or letter["mark"] or _SUITS.match(rest)):
            return invalid("no choice's letter or text")
        if rest and letter["letter"].islower() and not firm:
            return invalid("no choice's letter or text")
        if CUT in rest and not letter["mark"]:
            return invalid("the answer is cut off")
        if rest.strip(" .)]|*\"'") and alone:
            return invalid("more than a choice's letter or text")
        return ambiguous(_DIFFERENT) if self._begins_with_another(rest, index) else index

    def _is_second(self, rest: str, index: int) -> bool:
        second = _SECOND.match(rest)
        if not second or self._index(second["letter"]) in (None, index):
            return False
        return bool(second["joined"]) or second["end"] is not None

    def _begins_with_another(self, rest: str, index: int) -> bool:
        """Whether the explanation after a letter begins with another choice's text."""
        longest: set[int] = set()
        for count, boundary in enumerate(_BOUNDARY.finditer(rest[:2000])):
            longest = self.by_text(rest[: boundary.start()]) or longest
            if count == 20:
                break
        return bool(longest) and index not in longest


def _only(named: set[int]) -> int | Unreadable:
    return min(named) if len(named) == 1 else ambiguous("several choices have this text")


_LEADING = re.compile(
    r"[\s:=|~≈(\[{<\"'*]*+(?:(?:is|at|about|around|approximately|roughly|exactly|i'd say|i'm|i am"
    r"|very|quite|fairly|moderately|extremely|highly|high|medium|moderate|low|confident|certain"
    r"|sure|[-–—]+(?= ))\b[\s,:(|]*+|[-–—]++[ ]++)*+",  # noqa: RUF001 # dashes
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?P<sign>(?:[-+]|minus |negative )?)"
    r"(?P<digits>[0-9]{1,3}(?:,[0-9]{3})++(?![0-9])|[0-9]++)(?:\.(?P<decimals>[0-9]++))?"
    r"(?P<percent> ?%| per ?cent\b)?"
    r"(?: ?\(?(?:/|out of|of) ?(?P<whole>[0-9]{1,9})(?![0-9]|\.[0-9])(?P<percent_of> ?%)?)?",
    re.IGNORECASE,
)
_RANGE = re.compile(r" ?(?:-|–|—|\bto\b|±|\+/-|~|\.\.+|…) ?\(?[-+]?\.?[0-9]", re.I)  # noqa: RUF001
_BETWEEN = re.compile(
    r"[\s(\[<]*(?:(?:somewhere|anywhere) )?(?:between|from)\b[^0-9\n]{0,9}[0-9]", re.I
)
_OTHER = re.compile(
    r"[\s,;|/&(]*+(?:→ ?|(?:or|and|then|maybe|perhaps|now)\b ?)*+[-+]?\.?[0-9]", re.I
)
_SCALE = re.compile(
    r"[\s,(\[]*+(?:(?:on|in|using)\b ?)?(?:(?:a|the)\b ?)?(?:(?:scale|range|integer)\b ?)?"
    r"(?:of |from |between )?"
    r"(?P<low>-?[0-9]{1,9}) ?(?:-|–|to|and) ?(?P<high>[0-9]{1,9})(?![0-9]|\.[0-9])",  # noqa: RUF001
    re.IGNORECASE,
)
_OUT_OF = re.compile(r"(?:/|out of) ?(?P<high>[0-9]{1,9})", re.IGNORECASE)
_ENDED = re.compile(rf"(?![\w{CUT}^×*+=])(?! ?[×*+=^]| ?-[ ]?$|:[0-9])")  # noqa: RUF001 # times sign
_CUT_CLAUSE = re.compile(rf"[^.,;()\n]*[.,]?{CUT}")

NO_CONFIDENCE = invalid("no confidence")
LONGEST = 15
"""Digits of the longest number that is read: no scale has more, and it fits 64 bits."""


def chosen_confidence(stated: Stated, low: int, high: int) -> int | Unreadable:
    """The last labelled confidence, if no other one contradicts it."""
    found = [one for one in stated.statements if one.kind == "confidence" and one.value]
    readings = [(one, _read(one, low, high)) for one in found if not is_template(one.value)]
    firm = [pair for pair in readings if pair[0].strength == "explicit" and not _is_heading(*pair)]
    if not readings:
        return invalid("the template was echoed") if found else NO_CONFIDENCE
    numbers = {reading for _, reading in readings if isinstance(reading, int)}
    if len(numbers) > 1:
        return ambiguous("several confidences")
    return (firm or readings)[-1][1]


def _is_heading(statement: Statement, reading: int | Unreadable) -> bool:
    return statement.heading and isinstance(reading, Unreadable)


def _read(statement: Statement, low: int, high: int) -> int | Unreadable:
    """One statement's integer; a scale that it names must be the one that was asked for."""
    value = statement.value
    named = _SCALE.search(statement.note) or _OUT_OF.search(statement.note)
    if named and not _is_scale(named, low, high):
        return ambiguous("another scale")
    if _BETWEEN.match(value):
        return invalid("a range")
    leading = _LEADING.match(value)
    number = _NUMBER.match(value, leading.end() if leading else 0)
    if not number:
        return invalid("no number" if not re.search("[0-9]", value) else "no number at its start")
    tail = value[number.end() :]
    if _CUT_CLAUSE.match(tail):
        return invalid("the number is cut off")
    return _checked(number, tail, "%" in statement.note, (low, high))


def _is_scale(named: re.Match[str], low: int, high: int) -> bool:
    given = named.groupdict()
    return int(given["high"]) == high and int(given.get("low") or low) == low


def _checked(  # noqa: PLR0911 # each has a reason of its own
    number: re.Match[str], tail: str, noted: bool, scale: tuple[int, int]
) -> int | Unreadable:
    low, high = scale
    percent = noted or number["percent"] or number["percent_of"]
    named = _SCALE.match(tail)
    if _RANGE.match(tail):
        return invalid("a range")
    if percent and high != 100:
        return invalid("a percentage on a scale that isn't one")
    if (named and not _is_scale(named, low, high)) or (
        number["whole"] and int(number["whole"]) != high
    ):
        return ambiguous("another scale")
    if not named and _OTHER.match(tail):
        return ambiguous("several confidences")
    if (number["decimals"] or "").strip("0"):
        return invalid("not an integer")
    if not _ENDED.match(tail):
        return invalid("no number at its start")
    digits = number["digits"].replace(",", "").lstrip("0") or "0"
    if len(digits) > LONGEST:
        return invalid(f"a number of {len(digits)} digits")
    negative = number["sign"].strip().lower() in ("-", "minus", "negative")
    return -int(digits) if negative else int(digits)


@dataclass(frozen=True)
class StatedChoice:
    """A choice as it was stated.

    Attributes:
        index: Which one, from 0; the letter A is 0.
    """

    index: int


@dataclass(frozen=True)
class StatedAmount:
    """A number as it was stated.

    Attributes:
        value: The number, exactly; a percentage is its number, 25 for "25%".
    """

    value: Fraction


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


def read_choice(
    reply: str, choices: Sequence[str], *, truncated: bool = False
) -> StatedChoice | Unreadable:
    r"""Read the answer to a multiple-choice question, by its letter, its text or both.

    Of several labelled answers the last one counts if the others agree or if it is labelled as the
    final one. Without a label, "the answer is B" is read if nothing contradicts it, and a reply
    that is nothing but a letter or a choice's text.

    Args:
        reply: The reply's text.
        choices: The texts of the choices, in the order of their letters, without letters.
        truncated: Whether the model was cut off; what ends where the text ends may then be a part
            of a word, and is not read.

    Returns:
        The choice, or why there is none: `no_response`, `refusal`, `truncated`, `ambiguous` or
        `invalid_response_format`.

    Example:
        >>> read_choice("Answer: B\nConfidence: 85", ["Rome", "Paris"])
        StatedChoice(index=1)
        >>> read_choice("Paris.", ["Rome", "Paris"])
        StatedChoice(index=1)
        >>> read_choice("Answer: A. Paris", ["Rome", "Paris"]).status
        'ambiguous'
    """
    known = Choices(choices)

    def alone(text: str) -> int | Unreadable:
        return known.read(text, alone=True)

    index = read_stated(
        reply,
        lambda text: chosen_answer(text, known.read, alone),
        kind="answer",
        truncated=truncated,
        literal=known.label_like,
    )
    return index if isinstance(index, Unreadable) else StatedChoice(index)


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
    amount = read_stated(
        reply,
        lambda text: chosen_answer(text, amount_of, alone_amount),
        kind="answer",
        truncated=truncated,
    )
    return amount if isinstance(amount, Unreadable) else StatedAmount(amount)


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
    raw = read_stated(
        reply,
        lambda text: chosen_confidence(text, low, high),
        kind="confidence",
        truncated=truncated,
    )
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
