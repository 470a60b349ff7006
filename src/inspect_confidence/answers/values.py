"""Helpers of all readers of numbers: the number in a label's value, and the text around it."""

import re
from typing import Literal

from inspect_confidence.answers.clean import CUT
from inspect_confidence.answers.numbers import Number, number_at

# ruff: noqa: RUF001 # dashes and full-width signs, as they are written

ABOUT = r"(?:about |around |approximately |roughly )"
"""Words before a number that do not change its meaning."""
_NUMERAL = r"[-+]?[$]?\.?[0-9]"
_WORDS_BEFORE_NUMBER = re.compile(
    r"[\s:=|~≈(\[{<\"'*,]*(?:(?:is|at|of|about|around|approx\.?|close to|circa|ca\."
    r"|also|indeed|almost"
    r"|(?:approximate|rough|exact|near|like|on|fair|moderate|extreme|high)ly|i'm|i am"
    r"|i(?:'d| would) (?:say|estimate|guess|put it at)"
    r"|i(?:'d| would)? (?:rate|put|give) (?:it|this|my confidence)(?: as| at)?|an?|the|my|it's"
    r"|very|quite|high|medium|moderate|low|confiden(?:t|ce)|certain|sure|level|score|estimate|answer"
    r"|probability|exponent|just|maybe|perhaps|say|somewhere)(?!\w)[\s,:(|~≈]*"
    r"|大约|大概|约|是|为|接近|[–—]+[ ]+|(?<=[a-z] )-[ ])*",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"(?:more|greater|higher|larger|less|lower|fewer|smaller) than|\bat (?:the )?(?:least|most)\b"
    r"|\b(?:above|below|over|under|beyond|within|exceed\w*|up to|(?:min|max)imum of)\b"
    r"|\b(?:min|max)\.(?= )|[<>≤≥]"
    r"|[大小高低多少]于|超过|至[少多]|最[多少]|不[到足]",
    re.IGNORECASE,
)
_RANGE = re.compile(
    r"[ ]?(?:[-–—~±…～]|\b(?:to|bis|à)\b|\+/-|\.\.+|到|至)[ ]?"
    rf"{ABOUT}?\(?(?:{_NUMERAL}|[零一二三四五六七八九十百])",
    re.IGNORECASE,
)
_OTHER_NUMBER = re.compile(
    r"[\s,;|/&([]*(?:(?:or|and|then|maybe|perhaps|now|possibly|oder|ou|或者?|和)(?!\w)[ ]?[(]?)*"
    rf"{ABOUT}?{_NUMERAL}|\.[ ][0-9]",
    re.IGNORECASE,
)
_OR_MORE = re.compile(
    r"\s*(?:\+(?!\s?[0-9])|(?:or|and) (?:more|less|higher|lower|above|below|up|over|under)\b"
    r"|at (?:the )?(?:least|most)\b|(?:less|more) than\b|[<>≤≥]|以[上下内])",
    re.IGNORECASE,
)
_CALCULATION = re.compile(
    r"[ ]?[×*+^√!](?![ ]?[\"')\]}]|\s*$)|[ ]?[=≈]|[ ]?/[ ]?[0-9(]|:[0-9]"
    r"|[ ]x[ ]?[0-9]|[ ]?\([^()\n]{1,80}\)[ ]?[×*=≈/](?!\w)|[ ]to the (?:power|\w+ power)\b"
)
_DIFFERENCE = re.compile(
    r"[ ]?[-–][ ]?(?:[0-9][0-9.,%()*/×^+ -]{0,40}(?:=|≈|which simplif)|\(|[A-Z]\()"
)
_CUT_CLAUSE = re.compile(rf"[^\s.,;()]{{0,20}}[ ]?[^\s.,;()]{{0,8}}[.,]?{CUT}")

_UNIT = re.compile(r"[ -]?[A-Za-z$€£]|[ ]?的?[天年人倍个次]")
_EXPLANATION = re.compile(
    r"\W*(?:because|since|as|given|based|if|that|on a|out of|from|likely|chance|probability"
    r"|likelihood|confiden|certain|sure|possib|or\b|of the time|for|would|is|represents|means"
    r"|to (?:(?:the|this|that) )?(?:statement|claim|event|possibility|outcome|it)\b|when"
    r"|considering|reflect|exactly|give or take|times\b"
    r"|左右|上下|[吧因]|的?(?:[概几机]率|可能|把握))",
    re.IGNORECASE,
)

Tail = Literal["end", "range", "bound", "other", "calculation", "cut"]
"""Kind of text after a number: an end or an explanation; the other end of a range; a sign that the
number is a bound; another number; a calculation; or the place where the reply was cut off."""


def split_at_number(value: str) -> tuple[Number | None, str, str]:
    """Return the number with which a value begins, the text before it and the text after it.

    Words such as "about" or "I'd say" may precede the number. Without a number the result is None,
    the value and an empty text.
    """
    leading = _WORDS_BEFORE_NUMBER.match(value)
    start = leading.end() if leading else 0
    number = number_at(value, start)
    return (number, value[:start], value[number.end :]) if number else (None, value, "")


def is_bound(before: str) -> bool:
    """Return whether the text before a number makes the number a bound, such as "more than"."""
    return bool(_BOUND.search(before[-40:]))


def kind_of_tail(before: str, tail: str) -> Tail:
    """Return the kind of the text after a number, for which the text before it counts too.

    A "bound" may be named before the number ("more than 70") or after it. An "end" is anything that
    leaves the number as it is, such as a full stop or an explanation.
    """
    if _CUT_CLAUSE.match(tail):  # the reply is cut off within two words
        return "cut"
    if _DIFFERENCE.match(tail):  # "- 3 = 67", before the range, which has a dash too
        return "calculation"
    if _RANGE.match(tail):  # "-80", " to 80"
        return "range"
    if is_bound(before) or _OR_MORE.match(tail):  # "more than 70", "70 or more"
        return "bound"
    if _CALCULATION.match(tail):  # " * 2", "/ 3"
        return "calculation"
    return "other" if _OTHER_NUMBER.match(tail) else "end"  # other: ", 80", " or 80"


def has_unit(tail: str) -> bool:
    """Return whether the text after a number is its unit (" km"), not an explanation (" since")."""
    return bool(_UNIT.match(tail)) and not _EXPLANATION.match(tail)
