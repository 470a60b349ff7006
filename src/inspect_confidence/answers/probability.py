"""Text -> the one probability that a model stated, or a typed failure.

A labelled or leading number is the answer, whatever numbers its explanation holds; else one that a
word like "probability" introduces, if there is no other.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

from inspect_confidence.answers.labels import Stated
from inspect_confidence.answers.numbers import Number, numbers_in
from inspect_confidence.answers.reading import (
    ambiguous,
    invalid,
    is_revised,
    read_stated,
    settled,
    without,
)
from inspect_confidence.answers.status import Unreadable
from inspect_confidence.answers.values import headed, is_bound, tail_of

# ruff: noqa: RUF001 # full-width signs and dashes, as they are written

ABOVE = "a number above 1 that isn't marked as percent"
_OUT_OF_TEN = 10
"""Up to it a whole number may be meant on a scale to ten."""
_NOUN = r"(?:probability|likelihood|chances?|odds|estimate|[概机几]率|可能性)"
_INTRODUCED = re.compile(
    rf"(?:{_NOUN}[^.\n0-9]{{0,80}}?\b(?:is|be|of|at|as|to|around|about|say|=)"
    rf"|{_NOUN}[^.\n0-9]{{0,20}}[:=是为约]"
    r"|(?:^|[.,!?;:。，\n]|\b(?:but|so|sure|yes|no|well|okay?)\b[,:]?)[^\w]*"
    r"|\bauf (?:etwa |ca\.? |ungefähr )?"
    r"|\bi(?:'d| would|'ll)? (?:say|estimate|guess|put|assign|give|interpret|go with|think"
    r"|answer)\b[^.\n0-9]{0,60}"
    r"|\b(?:it|that|this|there)(?:'s| is| has)?\b[^.\n0-9]{0,20}|\bestimated? (?:at|as|to be)|(?:为"
    r"|是|约|大约|认为|给)[^。\n0-9]{0,12}"
    r"|\b(?:corresponds?|translates?|equals?|equates?|amounts?) to\b[^.\n0-9]{0,20}|→|->"
    r"|=)\W{0,6}(?:an? |about |around |approximately |roughly |~|≈)*$",
    re.IGNORECASE,
)
_NOUN_AFTER = re.compile(
    rf"[ ]?(?:{_NOUN}|likely\b|probable\b)|的?(?:[概机几]率|可能性?|把握)", re.IGNORECASE
)
_DENIED = re.compile(
    r"(?:\bnot|n't|\bnever|\brather than|\binstead of|而非|并非|不会?是|不(?:认为"
    r"|觉得)[^,。]*)[ ]*(?:\w+[ ]+){0,3}$",
    re.IGNORECASE,
)
_UNIT = re.compile(r"[ ]?(?:[A-Za-z]|的?[天年人倍个次]|[$€£])")
_OF_THE_OPPOSITE = re.compile(
    r"[ ]?(?:probability|chance|likelihood) (?:that|of)\b[^.\n]{0,30}(?:n't\b|\bnot\b)",
    re.IGNORECASE,
)
_RATE = re.compile(r"[ ](?:in an?|in [0-9]|per)\b|[ ]in [0-9]")
_TELLING = re.compile(
    r"\W*(?:because|since|as|given|based|if|that|on a|out of|from|likely|chance|probability"
    r"|likelihood|confiden\w*|certain\w*|sure"
    r"|possib\w+|or so|of the time|for|would|is|represents|means|considering|reflect\w*"
    r"|左右|上下|[吧因]|的?(?:[概几机]率|可能|把握))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class StatedProbability:
    """A probability as it was stated.

    Attributes:
        value: From 0 to 1: the float nearest to what was written.
    """

    value: float


def read_probability(reply: str, *, truncated: bool = False) -> StatedProbability | Unreadable:
    """Read the probability that a reply states: 0.7, 70%, 7/10, 百分之七十, 七成.

    A whole number from 11 to 100 is a percentage, since nothing else on a scale to 1 can be meant.

    Args:
        reply: The reply's text.
        truncated: Whether the model was cut off; a number that ends where the text ends may then
            be a part of one, and is not read.

    Returns:
        The probability, or why there is none: `no_response`, `refusal`, `truncated`,
        `out_of_range`, `ambiguous` or `invalid_response_format`.

    Example:
        >>> read_probability("about 70%, since it is likely")
        StatedProbability(value=0.7)
        >>> read_probability('0.7. "Likely" usually means 60-80%.')
        StatedProbability(value=0.7)
        >>> read_probability("between 0.6 and 0.8").status
        'ambiguous'
    """
    value = read_stated(reply, _chosen, keys=("probability", "answer"), truncated=truncated)
    return value if isinstance(value, Unreadable) else StatedProbability(float(value))


def _chosen(stated: Stated) -> Fraction | Unreadable:
    found = settled(stated, ("probability", "answer"), value_of)
    if found is not None and not (isinstance(found, Unreadable) and "no number" in found.reason):
        return found
    return unlabelled(without(stated, "confidence", "reason") or without(stated, "reason"))


def value_of(value: str) -> Fraction | Unreadable:  # noqa: PLR0911 # each has a reason of its own
    """The probability with which a label's value begins."""
    number, before, tail = headed(value)
    if number is None:
        inside = [one for one in numbers_in(value) if one.style != "odd"]
        start = inside[0].start if inside else 0
        before = value[max(0, start - 160) : start]
        if len(inside) == 1 and _INTRODUCED.search(before) and not is_bound(before):
            return as_share(inside[0])
        if is_bound(before):
            return ambiguous("a bound")
        return invalid("no number" if not inside else "no number at its start")
    follows = tail_of(before, tail)
    if follows == "cut":
        return invalid("the number is cut off")
    if follows in ("range", "bound"):
        return ambiguous(f"a {follows}")
    if _DENIED.search(before) or (follows == "other" and not _says_again(number, tail)):
        return ambiguous("different numbers")
    if re.match(r"\W*if\b", tail) and numbers_in(tail):
        return ambiguous("different numbers")
    if follows == "calculation":
        return _after_equals(tail)
    if value[number.start] in "$€£¥" or _RATE.match(tail):
        return invalid("an amount or a rate")
    return as_share(number)


def _says_again(number: Number, tail: str) -> bool:
    """Whether the number that follows is the same in another spelling: 0.7 (70%)."""
    again = numbers_in(tail)
    return len(again) == 1 and as_share(again[0]) == as_share(number)


def _after_equals(tail: str) -> Fraction | Unreadable:
    *_, last = tail.split("=")
    number, before, rest = headed(last)
    if "=" not in tail or number is None or tail_of(before, rest) != "end":
        return ambiguous("a calculation")
    return as_share(number)


def as_share(number: Number) -> Fraction | Unreadable:
    """A number as a share: percentages divided by 100."""
    value = number.value
    if value is None or (number.style in ("scaled", "power") and value > 1):
        return invalid("no plain number")
    if number.style == "percent":
        value /= 100
    elif number.style == "fraction" and (value > 1 or _is_odds(value, number.whole)):
        return invalid("odds, not a share")
    elif number.style in ("plain", "word") and _OUT_OF_TEN < value <= 100 and number.is_integer:
        value /= 100
    elif value > 1:
        return invalid(ABOVE)
    if not 0 <= value <= 1:
        return Unreadable("out_of_range", "a negative number" if value < 0 else "more than 100%")
    return value


def _is_odds(value: Fraction, whole: Fraction | None) -> bool:
    """Whether a fraction may be odds, as 40/60 and 50/50."""
    return whole is not None and value * whole + whole == 100


def unlabelled(text: str) -> Fraction | Unreadable:
    """The number that begins or ends the reply, alone in its line; else the one introduced."""
    numbers = [one for one in numbers_in(text) if not _is_scale(text, one)]
    if not numbers:
        return invalid("no number")
    lines = text.split("\n")
    alone = [
        (index, reading)
        for index, line in enumerate(lines)
        if not isinstance(reading := _opening(line, is_only=len(lines) == 1), Unreadable)
    ]
    values = {reading for _, reading in alone}
    if len(values) == 1 and not is_revised("\n".join(lines[alone[-1][0] + 1 :])):
        return values.pop()
    if len(values) > 1:
        return ambiguous("different numbers")
    return _introduced(text, numbers, _opening(lines[0], is_only=len(lines) == 1))


def _opening(line: str, *, is_only: bool) -> Fraction | Unreadable:
    """The number with which a line begins, if what follows explains it."""
    number, _, tail = headed(line)
    if number is None:
        return invalid("no number at its start")
    found = value_of(line)
    if isinstance(found, Unreadable) or not tail.strip(" .!\"')]}`*。"):
        return found
    return found if _is_told(tail) else ambiguous("a number in a sentence, without a label")


def _is_told(tail: str) -> bool:
    """Whether what follows a number is no unit of it."""
    return bool(_TELLING.match(tail)) or not _UNIT.match(tail)


def _introduced(  # noqa: PLR0911 # each has a reason of its own
    text: str, numbers: list[Number], first: object
) -> Fraction | Unreadable:
    shares = []
    for one in numbers:
        before, after = text[max(0, one.start - 160) : one.start], text[one.end : one.end + 60]
        if is_bound(before):
            return ambiguous("a bound")
        if not _is_told(after):
            continue
        if _OF_THE_OPPOSITE.match(after):
            return ambiguous("a probability that it isn't so")
        if (_INTRODUCED.search(before) or _NOUN_AFTER.match(after)) and not _DENIED.search(before):
            shares.append(value_of(text[one.start : one.end + 60].split("\n", maxsplit=1)[0]))
    read = {one for one in shares if not isinstance(one, Unreadable)}
    if len(read) == 1 and all(not isinstance(one, Unreadable) for one in shares):
        return read.pop()
    if read:
        return ambiguous("different numbers")
    if shares:
        return shares[-1]
    if isinstance(first, Unreadable) and first.status != "invalid_response_format":
        return first
    return ambiguous("a number in a sentence, without a label")


def _is_scale(text: str, one: Number) -> bool:
    """Whether a number is an end of the scale from 0 to 1, as the prompt names it."""
    around = text[max(0, one.start - 14) : one.end + 14]
    return bool(
        re.search(r"(?<![\d.])0(?:\.0)? ?(?:to|and|-|–|到|和|,) ?1(?:\.0)?(?![\d.%])", around)
    ) and one.value in (0, 1)
