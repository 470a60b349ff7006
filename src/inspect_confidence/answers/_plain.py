"""A reply -> plain lines with one spelling of powers, products, signs and quotes."""

import re

from inspect_confidence.answers._html import without_html
from inspect_confidence.answers._latex import without_latex
from inspect_confidence.answers._markdown import without_markdown
from inspect_confidence.answers._text import folded

CUT = "\x1a"
"""Stands where a truncated reply ends; no plain text contains it."""

_LINE_BREAK = re.compile("\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")
_BLANKS = re.compile(r"[^\S\n]+")
_EMPTY_LINES = re.compile(r"[ ]?\n\s*")
_TIMES = str.maketrans("✕✖⨯⨉⋅∙∗·", "××××××××")  # noqa: RUF001 # times signs
_DOTS = re.compile(r"(?<!\.)\.{2,}+(?=[ ]?[-+]?\.?[0-9])")
_ARROW = re.compile(r"[-=]{1,3}>")
_QUOTE = re.compile(r"(?<![0-9A-Za-z])['\"]|['\"](?![0-9A-Za-z])|(?<=[A-Za-z])\"")
_COMPOUND = re.compile(  # lowerBound, lower-bound
    r"(?<=[A-Za-z])-(?=[A-Za-z])|(?<=lower|upper)(?=[A-Z])|(?<=min|max|low)(?=[A-Z])"
)
_DASH_AS_MINUS = re.compile(
    r"(?P<before>(?:^|[:=(\[{,|]|\b(?:to|and))[ ]?)[–—](?=\.?[0-9])",  # noqa: RUF001 # dashes
    re.MULTILINE,
)
_MINUS_IN_WORDS = re.compile(r"(?<![0-9)] )\b(?:minus|negative) (?=\.?[0-9])", re.IGNORECASE)
_POWER_IN_WORDS = re.compile(
    r"(?<![\w.])(?:10|ten) (?:raised )?to the (?:power (?:of )?)?"
    r"(?P<exponent>[-+]?[0-9]+(?:\.[0-9]+)?)(?:st|nd|rd|th)?(?: power)?(?![\w^]|\.[0-9])",
    re.IGNORECASE,
)


def plain(reply: str) -> str:
    """The reply without markup and needless blanks; line breaks stay, empty lines don't."""
    text = _LINE_BREAK.sub("\n", folded(reply)).replace(CUT, " ")
    text = without_markdown(_single_blanks(without_latex(without_html(text))))
    text = _QUOTE.sub(" ", _ARROW.sub(" → ", text.translate(_TIMES)))
    text = _single_blanks(_DOTS.sub(" to ", _COMPOUND.sub(" ", text)))
    text = _DASH_AS_MINUS.sub(r"\g<before>-", text)
    return _POWER_IN_WORDS.sub(r"10^\g<exponent>", _MINUS_IN_WORDS.sub("-", text))


def _single_blanks(text: str) -> str:
    return _EMPTY_LINES.sub("\n", _BLANKS.sub(" ", text)).strip()
