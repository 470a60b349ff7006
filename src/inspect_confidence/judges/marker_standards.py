"""A marker -> the form that stands for its group, and how probable it says that something is."""

import csv
import functools
import re
from collections.abc import Callable
from importlib import resources
from io import StringIO

from inspect_confidence.judges.own_words import plain_line

UNKNOWN = 0.5
"""The decisiveness of a marker of which nothing is known."""

_DEGREES = {
    "very": "very extremely incredibly exceedingly exceptionally really overwhelmingly awfully so "
    "damn increasingly too",
    "highly": "highly",
    "quite": "quite",
    "fairly": "fairly reasonably relatively rather pretty somewhat moderately mostly largely kinda "
    "decently",
    "almost": "almost nearly virtually practically near",
    "absolutely": "absolutely completely totally entirely fully 100% perfectly wholly utterly dead",
}
_DEGREE = {word: kind for kind, forms in _DEGREES.items() for word in forms.split()}
_CHANGES: dict[str, Callable[[float], float]] = {
    "not entirely": lambda value: UNKNOWN,
    "not very": lambda value: 0.4 * value,
    "not": lambda value: 1 - value,
    "fairly": lambda value: 0.5 + 0.75 * (value - 0.5),
    "very": lambda value: _towards_end(value, 0.6),
    "highly": lambda value: _towards_end(value, 0.65),
    "quite": lambda value: _towards_end(value, 0.3),
    "almost": lambda value: _towards_end(value, -0.05),
    "absolutely": lambda value: _towards_end(value, 0.75),
}
"""What words before a form make of how probable the form says that something is."""
_CHANGES |= {word: _CHANGES[kind] for word, kind in _DEGREE.items()}

_LEAD = re.compile(
    r"(?:and|but|so|well|though|although|then|just|also|still|only|here) "
    r"|(?:it|that|this|there|which|what|he|she|they|answer) "
    r"(?:is|was|are|were|would be|will be|may be|might be|has|"
    r"(?:would )?(?:seems?|appears?|looks?|remains?)(?: to be)?) (?!(?:to|that|like|as)\b)"
    r"|(?:is|was|are|were|be|being|with|the|a|an|some|at) "
    r"|(?:i|we) (?:(?:am|are|feel|was|were|remain|would be|can be) |(?=(?:can|could|do) not ))"
)
_TAIL = re.compile(
    r" (?:for (?:sure|certain)|with (?:[a-z]+ )?certainty"
    r"|that|to|of|be|is|was|are|been|have|about|whether|if|it|this|as|in|me|for|the|but|and|,"
    r"|do|does|will|did|has|[^\w\s%]+)$"
)
_WE = re.compile(r"^we (?=[a-z])")
_BETWEEN = re.compile(
    r"^(i|we) (?:(?:really|personally|also|still|just|only|honestly|do(?! not)|would|myself"
    r"|always|certainly|now|currently|generally|sort of|kind of|kinda|must|should|have to|"
    r"would have to|will) )+(?=[a-z])"
)
_PERCENT = re.compile(
    r"^(?:(?:about|around|at least|over|only|roughly|maybe|say|some|approximately) )*"
    r"([0-9]+(?:\.[0-9]+)?)% (?:or so )?(sure|certain|confident|confidence|certainty|likely|chance"
    r"|probability|likelihood|possibility|convinced|positive)$"
)
_CHANCES_ARE = re.compile(
    r"^(?:the )?(?:chances|odds) (?:(?:of|that|for) .* )?(?:are|is|were|seem) ((?:[a-z]+ )?[a-z]+)$"
)
_IMPERSONAL = re.compile(
    r"^(?:it )?(?:is|are) (?:(?:now|widely|generally|commonly|often|usually) )*"
    r"(?:believed|thought|presumed|assumed|suspected)(?: to| that)?$"
)
_IN_ONE_WORD = (("all but ", "almost "), ("not at all ", "not too "), ("all that ", "too "))
_OF_ONESELF = frozenset({"sure", "certain", "confident", "confidence", "certainty", "convinced"})
_NEGATED_VERB = re.compile(
    r"^(probably|likely|most likely) (?:is|was|are|will|does|did|do|has|can) not$"
)


MARKERS = "markers.csv"
"""The bundled file of markers, with the standard form and decisiveness of each."""


@functools.cache
def lexicon() -> dict[str, tuple[str, float]]:
    """By plain marker: its standard form, and that one's decisiveness."""
    path = resources.files("inspect_confidence.datasets") / "bundled" / MARKERS
    rows = csv.DictReader(StringIO(path.read_text(encoding="utf-8")))
    return {plain(row["marker"]): (row["standard"], float(row["decisiveness"])) for row in rows}


def plain(text: str) -> str:
    """A marker's words in lower case, contractions written out."""
    return plain_line(text, own=False).text.strip()


def standard_of(marker: str) -> str:
    """The standard form of a plain marker; the marker, cleaned, if it isn't known.

    Done over and over until nothing changes, so that a standard form stands for itself.
    """
    seen: list[str] = []
    while marker not in seen:
        seen.append(marker)
        marker = plain(_step(marker))
    return min(seen[seen.index(marker) :])


def decisiveness_of(standard: str) -> float:
    """How probable a standard form says that something is."""
    if standard in lexicon():
        return lexicon()[standard][1]
    if stated := _PERCENT.match(standard):
        return min(float(stated[1]) / 100, 1.0)
    for words, change in _CHANGES.items():
        if standard.startswith(f"{words} "):
            return change(decisiveness_of(standard.removeprefix(f"{words} ")))
    return UNKNOWN


def _towards_end(value: float, share: float) -> float:
    """The value, moved a share of its way to 0 or 1, whichever is nearer."""
    return value + share * (1 - value) if value >= 0.5 else value * (1 - share)


def _step(marker: str) -> str:
    """A form nearer to the standard: that of the lexicon, or by the first rule that changes it."""
    if marker in lexicon():
        return lexicon()[marker][0]
    rules = (_named_alike, _without_edges, _without_between, _with_degree)
    return next((new for rule in rules if (new := rule(marker)) not in ("", marker)), marker)


def _named_alike(marker: str) -> str:
    """Percentages, impersonal beliefs, chances, and "probably isn't"."""
    if stated := _PERCENT.match(marker):
        is_own, is_likely = stated[2] in _OF_ONESELF, stated[2] == "likely"
        return f"{float(stated[1]):g}% {'sure' if is_own else 'likely' if is_likely else 'chance'}"
    if odds := _CHANCES_ARE.match(marker):
        listed = f"chances are {odds[1]}"
        return listed if listed in lexicon() and marker != listed else f"{odds[1]} chance"
    marker = _NEGATED_VERB.sub(r"\1 not", marker)
    return "is believed" if _IMPERSONAL.match(marker) else marker


def _without_edges(marker: str) -> str:
    bare = _LEAD.sub("", marker, count=1) if _LEAD.match(marker) else ""
    return bare or _TAIL.sub("", marker)


def _without_between(marker: str) -> str:
    """Without what is between "I" and the verb; "we" as "I"."""
    bare = _BETWEEN.sub(r"\1 ", marker)
    return bare if bare != marker else _WE.sub("i ", marker)


def _with_degree(marker: str) -> str:
    """One word for each kind of degree, before the standard form of what it belongs to."""
    for several, one in _IN_ONE_WORD:
        marker = marker.replace(several, one)
    first, _, rest = marker.partition(" ")
    if first == "not" and rest.partition(" ")[0] in (*_DEGREE, "that"):
        degree, _, head = rest.partition(" ")
        kind = {"absolutely": "entirely", "quite": "entirely"}.get(_DEGREE.get(degree, ""), "very")
        return f"not {kind} {head}"
    if first in _DEGREE and rest:
        head = lexicon()[rest][0] if rest in lexicon() else _step(rest)
        return f"{_DEGREE[first]} {rest if ' ' in head else head}"
    return marker
