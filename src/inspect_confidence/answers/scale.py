"""Text -> the confidence that a model stated as an integer on a scale, or a typed failure."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from inspect_confidence.answers.clean import BOX, BOX_END
from inspect_confidence.answers.labels import ParsedText
from inspect_confidence.answers.numbers import Number, number_at, numbers_in
from inspect_confidence.answers.probability import as_share, share_without_label
from inspect_confidence.answers.reading import (
    agreed_value,
    ambiguous,
    invalid,
    is_template,
    read_stated,
)
from inspect_confidence.answers.status import ParseFailure
from inspect_confidence.answers.values import ABOUT, is_bound, kind_of_tail, split_at_number

# ruff: noqa: RUF001 # dashes, as they are written

LONGEST = 15
"""Digits of the longest number that is read: no scale has more, and it fits 64 bits."""

_NO_BOX = str.maketrans(BOX + BOX_END, "  ")

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
_LEADING_SCALE = re.compile(
    r"(?:on (?:an?|the) (?:scale (?:of|from) )?(?P<low>[0-9]{1,9}) ?(?:-|–|to) ?|out of )"
    r"(?P<high>[0-9]{1,9})(?: scale)?, ?",
    re.IGNORECASE,
)
_REPEATED = re.compile(
    rf"[\s,]*[(\[]? ?(?:[≈~]|i\.e\.,? |or |= ?|{ABOUT})?"
    r"(?:(?P<percent>[0-9]+(?:\.[0-9]+)?) ?%|(?P<share>0?\.[0-9]+)(?![0-9]))"
)
"""A note that repeats a number as a percentage or a share."""
_SHARE_TOLERANCE = Fraction(1, 10)
"""Distance up to which a note repeats a number: models round, and divide by width or upper end."""
_OTHER_SCALE = re.compile(
    r"[\s,(\[]*(?:points? )?(?:(?:out )?of|max(?:imum)?\.?(?: of)?:?|on an?) "
    r"(?P<end>[0-9]{1,9}|five|ten|twenty|fifty|a hundred|one hundred)(?:[- ]point)?(?![\w.%])",
    re.IGNORECASE,
)
_BY_LETTER = re.compile(r"[ ]?%?[\s,;/]+(?:and )?\(?[B-J]\b[):=]* ?[0-9]")
_BY_CASE = re.compile(
    r"[^.\n]*?[,;] ?(?:and |but |or )?(?:only |just )?[0-9]{1,3} ?%? "
    r"(?:for|if|otherwise|after|when|before)\b",
    re.IGNORECASE,
)
_WORDS_THEN_NUMBER = re.compile(
    r"(?P<words>(?!(?:if|when|unless|assuming)\b)[A-Za-z][A-Za-z' ]{0,60}?)"
    r"(?: ?[(\[:,–—] ?| - |\. )"
    r"(?P<number>[0-9]{1,3}(?:\.[0-9]+)? ?%?)[)\]]?\.?",
    re.IGNORECASE,
)
"""A value of words, without another number, and the number that says the same: "full (100)"."""
_RATING = r"[0-9]{1,4}(?:\.[0-9]+)?(?: ?(?:%|percent\b|/ ?[0-9]+)| out of [0-9]+)?"
_ALONE = re.compile(r"[-+]?[0-9]{1,9}(?:\.[0-9]{1,9})? ?%?\.?")
_ALONE_WITH_NOTE = re.compile(
    rf"(?:[~≈] ?|{ABOUT})?[-+]?[0-9]{{1,9}}(?:\.[0-9]{{1,9}})?"
    r"(?: ?%| ?/ ?[0-9]{1,3}| out of [0-9]{1,3})?(?: ?\([0-9.]{1,6} ?%?\))?\.?",
    re.IGNORECASE,
)
"""The number of a whole reply: "~85", "85/100", "0.85 (85%)"."""
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
_PROSE = re.compile(
    rf"(?:\b(?:am|i'm|i feel|feeling)\s+{ABOUT}?(?P<sure>{_RATING})"
    r"|(?<![\w.])(?P<with>[0-9]{1,3} ?(?:%|percent)))"
    r"\s+(?:confident|sure|certain(?:ty)?|confidence)\b(?! (?:interval|level))"
    r"|\b(?:my|i|i'd|me|overall)\b[^.\n0-9]{0,40}?\b(?:confidence|certainty)\b"
    r"(?:[^.\n0-9]{0,30}\"[^\"\n]{0,60}\")?[^.\n0-9]{0,60}?\b(?:is|at|of|as|be|to)\s+"
    rf"(?:{ABOUT}|an? )?(?P<rated>{_RATING})(?![\w.,/-]*[0-9%])"
    r"|\bprobability that (?:my|the|this) (?:answer|guess)[^.\n0-9]{0,40} is"
    r" (?P<probable>[0-9.]+ ?%?)(?!\w)"
    r"|(?P<han>[0-9]{1,3} ?%)的?(?:把握|信心)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?。](?=\s|$)|[。\n]")
_CLAUSE_END = re.compile(
    r"[,;:](?=\s)|[，；]|\s(?:but|so|and|because|since|as|although|though)\b", re.I
)
_RANGE_BEFORE = re.compile(
    r"[0-9] ?%?,? ?(?:[-–—~～到至/]|\b(?:to|or|and|maybe|bis|à)\b)(?: ?maybe)? ?"
    rf"{ABOUT}?(?:[0-9]{{1,3}})?$",
    re.IGNORECASE,
)
_BOUND_BEFORE = re.compile(
    r"\b(?:(?:more|greater|higher|less|lower|fewer) than|at (?:least|most)|over|under|above|below"
    rf"|up to|short of) {ABOUT}?$|(?:不[到足]|超过|至[少多]) ?$",
    re.IGNORECASE,
)
_NOT_SAID = re.compile(
    r"(?:\b(?:not|never|cannot|hardly)|n't)(?: (?:be|feel|been|even|quite|really|say|think|claim"
    rf"|believe|that|i'm|i am))* {ABOUT}?$|\bdoubt (?:that )?(?:i'm|i am) $|\bnowhere near $"
    r"|\b(?:to be|was|were|are you|am i|had|has|if (?:i'm|i am)|if i were) $",
    re.IGNORECASE,
)
"""Text before a number by which the reply does not say that it is its confidence."""
_OPPOSITE = re.compile(
    r"\b(?:not|never|wrong|incorrect|false|mistaken|untrue|error|(?:could|might|may) be)\b|n't\b"
    r"|[不错誤误]",
    re.IGNORECASE,
)
_OF_ERROR = re.compile(
    rf"{_OPPOSITE.pattern}|\b(?:errors?|mistakes?|uncertain\w*|risk|doubt)\b", re.I
)
_OF_THE_OPPOSITE = re.compile(rf"\s*(?:that|of)\b[^.,;\n]{{0,40}}?(?:{_OPPOSITE.pattern})", re.I)
_NOT_AFTER_ALL = re.compile(r" if i (?:had|were|knew|could)\b", re.IGNORECASE)
_CALLED_WRONG = re.compile(
    r"(?:\A|[.!?;\n] ?)(?:no, |so |therefore,? )?(?:the|this|that|my|your) (?:[a-z]+ ){0,3}?answer"
    r"(?: [a-z]+)? (?:is|was|seems|appears to be) (?:[a-z]+ly )?"
    r"(?:wrong|incorrect|false|not (?:correct|right))\b",
    re.IGNORECASE,
)
"""A sentence that calls the answer wrong, neither a condition nor a chance."""


def prose_ratings(text: str) -> list[str | ParseFailure]:
    """Return the confidences that sentences state, such as "80%" of "I am 80% sure".

    A range, a bound and a confidence in the opposite ("80% sure that it is wrong") are failures.
    What a sentence denies, asks or only supposes is left out.
    """
    ratings: list[str | ParseFailure] = []
    for match in _PROSE.finditer(text):
        group = str(match.lastgroup)  # the group of the number, named by the words around it
        start = match.start(group)
        # The sentence before the number, and after the matched words.
        *_, before = _SENTENCE_END.split(text[max(0, start - 120) : start])
        after = text[match.end() : match.end() + 160]
        end = _SENTENCE_END.search(after)
        after_in_sentence = after[: end.start()] if end else after
        # The claim that the confidence is in follows "80% sure"; in "my confidence that it's wrong
        # is 80" it precedes the number.
        clause, *_ = _CLAUSE_END.split(after_in_sentence, maxsplit=1)
        claim = clause if group in ("sure", "with", "han") else match[0]
        if _NOT_SAID.search(before) or _NOT_AFTER_ALL.match(after_in_sentence):
            continue
        if end and end[0] == "?":
            continue
        if _RANGE_BEFORE.search(before) or _BOUND_BEFORE.search(before):
            ratings.append(invalid("a range"))
        elif _OPPOSITE.search(claim):
            ratings.append(ambiguous("a confidence that it isn't so"))
        else:
            ratings.append(match[group])  # not yet read as a number
    return ratings


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
            on a scale from 0 to 1 as by `read_probability`; on one from 0 or less to more than 1, a
            number between 0 and 1 may be a share and is `ambiguous`.
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
    their own must agree, and one above the middle is ambiguous if the reply calls the answer wrong.
    """
    number = _labelled_or_introduced(parsed, low, high, is_whole_reply=is_whole_reply)
    is_high = not isinstance(number, ParseFailure) and 2 * number > low + high
    if is_whole_reply and is_high and _CALLED_WRONG.search(parsed.text):
        return ambiguous("a confidence beside an answer called wrong")
    return number


def _labelled_or_introduced(
    parsed: ParsedText, low: float, high: float, *, is_whole_reply: bool
) -> float | ParseFailure:
    """Return the number under a label, in a sentence or alone, or why there is no single one.

    With `is_whole_reply` the prompt asked for the number alone: it may then also stand under
    `probability`, and a number on a line of its own must not differ.
    """
    # Texts in brackets after a label, by the label's value: "(0-100)" of "Confidence (0-100): 80".
    notes = {entry.value: entry.note for entry in parsed.statements_under("confidence")}
    read = partial(_read_value, notes=notes, low=low, high=high, is_whole_reply=is_whole_reply)
    text = parsed.text
    if is_whole_reply and _ALONE_WITH_NOTE.fullmatch(unboxed := text.translate(_NO_BOX).strip()):
        text = unboxed  # the box holds the whole reply; one beside other text may hold the answer
    pattern = _ALONE_WITH_NOTE if is_whole_reply else _ALONE  # of a line with only a number
    number_lines = [line for line in map(str.strip, text.split("\n")) if pattern.fullmatch(line)]
    keys = ("confidence", "probability") if is_whole_reply else ("confidence",)
    labelled = agreed_value(parsed, keys, read)
    if labelled is not None:
        if is_whole_reply and number_lines and read(number_lines[-1]) != labelled:
            return ambiguous("several confidences")
        return labelled
    if any(map(is_template, notes)):  # "Confidence: <integer>"
        return invalid("the template was echoed")
    in_prose = _agreed_rating(text, number_lines if is_whole_reply else [], read)
    if in_prose is not None:
        return in_prose
    number = _bare_number(text, number_lines, pattern, is_whole_reply=is_whole_reply)
    if not isinstance(number, ParseFailure):
        return read(number)
    is_probability = is_whole_reply and (low, high) == (0, 1)
    return _only_share(text) if is_probability else number


def _agreed_rating(
    text: str, number_lines: Sequence[str], read: Callable[[str], float | ParseFailure]
) -> float | ParseFailure | None:
    """Return the confidence that a text's sentences state ("I am 80% sure"); None if none does.

    It is ambiguous if sentences, or the lines that are only a number, have different ones.
    """
    values: list[float | ParseFailure] = []
    for rating in prose_ratings(text):
        values.append(rating if isinstance(rating, ParseFailure) else read(rating))
    if not values:
        return None
    is_agreed = len({*values, *map(read, number_lines)}) == 1
    return values[-1] if is_agreed else ambiguous("several confidences")


def _only_share(text: str) -> float | ParseFailure:
    """Return the probability that a sentence states, "a 70% chance that it is right".

    The text must have no other number, and no word such as "wrong", "mistake" or "doubt".
    """
    numbers = [number for number in numbers_in(text) if not number.is_pronoun]
    # A share is marked as one by decimals, a percent sign or the like; 3 may count anything.
    is_marked = any(not (number.is_integer and number.style == "plain") for number in numbers)
    is_only = is_marked and len(set(map(as_share, numbers))) == 1
    if not is_only or _OF_ERROR.search(text):
        return invalid("no confidence")
    share = share_without_label(text)
    return share if isinstance(share, ParseFailure) else float(share)


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
    text: str, number_lines: Sequence[str], number_line: re.Pattern[str], *, is_whole_reply: bool
) -> str | ParseFailure:
    """Return the number, as text, of a text that has no words on confidence.

    A number alone counts in the last of several lines, and in a whole reply also in the first. The
    text may also be a choice with its confidence ("B (80%)") or, in a whole reply, a hedge with a
    number ("fairly sure: 80"). `number_lines` are the lines that `number_line` matches.
    """
    hedged = _HEDGED.fullmatch(text) if is_whole_reply else None
    if whole_text := hedged or _BESIDE_CHOICE.fullmatch(text):
        return whole_text[1]
    if len(number_lines) > 1:
        return ambiguous("several numbers")
    scale = _LEADING_SCALE.match(text) if is_whole_reply else None
    if scale and "\n" not in text and split_at_number(text[scale.end() :])[0]:
        return text  # "On a scale of 0 to 20, 18" is read as a label's value
    first, *later_lines = text.split("\n")
    is_last = later_lines and number_line.fullmatch(later_lines[-1].strip())
    if number_lines and (is_last or (is_whole_reply and number_line.fullmatch(first.strip()))):
        return number_lines[0].rstrip(".")
    return invalid("no confidence")


def _number_of_statement(value: str, note: str, low: float, high: float) -> Number | ParseFailure:  # noqa: PLR0911 # each has a reason of its own
    """Return the number of a label's value, whose note is the text in brackets after the label.

    A scale that the value or the note names must be that from `low` to `high`.
    """
    leading = _LEADING_SCALE.match(value)  # "On a scale of 0 to 20, 18"
    text = value[leading.end() :] if leading else value
    number, before, tail = split_at_number(text)
    if number is None:
        rated = _WORDS_THEN_NUMBER.fullmatch(text)  # "absolute certainty (100)"
        if rated and not is_bound(rated["words"]):
            return _number_of_statement(rated["number"], note, low, high)
    scale = _SCALE.match(tail)  # "80 on a scale from 0 to 100", "80 out of 100"
    for named_scale in (leading, _IN_NOTE.search(note), scale):
        if named_scale and _ends(named_scale, low) != (low, high):
            return ambiguous("another scale")
    if number is None:
        return invalid("no number at its start" if re.search("[0-9]", value) else "no number")
    other_scale = None if scale else _OTHER_SCALE.match(tail)
    if other_scale and _end_of_scale(other_scale["end"]) != high:  # "8 (max 10)"
        return ambiguous("another scale")
    if not (scale or other_scale):
        failure = _failure_after(number, before, tail, low, high)
        if failure:
            return failure
    # "7/10" on a scale to 100; on the scale to 1 it is a share.
    if number.whole not in (None, high) and (low, high) != (0, 1):
        return ambiguous("another scale")
    if "%" in note or number.style == "percent":
        number = replace(number, style="percent")
        if high not in (1, 100):
            return invalid("a percentage on a scale that isn't one")
    return number


def _ends(named_scale: re.Match[str], low: float) -> tuple[float, float]:
    """Return the ends of a scale that a text names; without a lower one that is `low`."""
    return float(named_scale["low"] or low), float(named_scale["high"])


def _failure_after(  # noqa: PLR0911 # each has a reason of its own
    number: Number, before: str, tail: str, low: float, high: float
) -> ParseFailure | None:
    """Return why a number is not certainly the confidence, by the text around it; None if it is."""
    # "A: 5, B: 95", "95 if it is France, 20 otherwise"
    if re.match(r"\W*A ?[:=)]", before) or _BY_LETTER.match(tail) or _BY_CASE.match(tail):
        return ambiguous("several confidences")
    if _OF_THE_OPPOSITE.match(tail):
        return ambiguous("a confidence that it isn't so")
    follows = kind_of_tail(before, tail)
    if follows == "cut":
        return invalid("the number is cut off")
    if follows in ("range", "bound") or re.match(r"s\b", tail):  # "in the 80s"
        return invalid("a range")
    repeated = _REPEATED.match(tail) if follows == "other" else None
    if repeated and not _is_repeated(number, repeated, low, high):
        return ambiguous("another scale")
    # "80 → 70" has two numbers; in "8 (80%)" the second repeats the first.
    if "→" in tail[:3] or (follows == "other" and not repeated):
        return ambiguous("several confidences")
    return invalid("no number at its start") if follows == "calculation" else None


def _end_of_scale(text: str) -> Fraction | None:
    end = number_at(text, 0)
    return end.value if end else None


def _is_repeated(number: Number, note: re.Match[str], low: float, high: float) -> bool:
    """Return whether a note such as "(80%)" repeats a number of the scale from `low` to `high`.

    It does if it gives the number's position on the scale, from 0 to 1 or in percent, or the
    number divided by the upper end, which models give too.
    """
    share = Fraction(note["share"]) if note["share"] else Fraction(note["percent"]) / 100
    if number.value is None:
        return False
    if number.style == "percent":
        return abs(number.value / 100 - share) <= Fraction(1, 100)
    if (low, high) == (0, 1):
        own_share = as_share(number)
        return isinstance(own_share, Fraction) and abs(own_share - share) <= Fraction(1, 100)
    value = number.value * (number.whole or 1)  # 8 of "8/10"
    exact_low, exact_high = Fraction(low), Fraction(high)
    positions = ((value - exact_low) / (exact_high - exact_low), value / exact_high)
    return any(abs(position - share) <= _SHARE_TOLERANCE for position in positions)


def _decimal_on_scale(number: Number, low: float, high: float) -> float | ParseFailure:
    """Return a number on the scale; it may have decimals.

    On the scale from 0 to 1 a percentage is divided by 100. On a scale from 0 or less to more than
    1, a number between 0 and 1 may be such a share and is ambiguous.
    """
    if (low, high) == (0, 1):
        share = as_share(number)
        return share if isinstance(share, ParseFailure) else float(share)
    value = _value_without_power(number)
    if isinstance(value, ParseFailure):
        return value
    if low <= 0 < value < 1 < high and number.style != "percent":
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
