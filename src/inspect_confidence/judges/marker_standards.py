"""Standard forms of epistemic markers, and the decisiveness of each standard form."""

import csv
import functools
import re
from collections.abc import Callable
from importlib import resources
from io import StringIO

from inspect_confidence.judges.own_words import plain_line

UNKNOWN_DECISIVENESS = 0.5
"""Decisiveness of an unknown marker."""

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
_DEGREE: dict[str, str] = {}
for _kind, _forms in _DEGREES.items():
    _DEGREE |= dict.fromkeys(_forms.split(), _kind)
_DECISIVENESS_CHANGES: dict[str, Callable[[float], float]] = {
    "not entirely": lambda value: UNKNOWN_DECISIVENESS,
    "not very": lambda value: 0.4 * value,
    "not": lambda value: 1 - value,
    "fairly": lambda value: 0.5 + 0.75 * (value - 0.5),
    "very": lambda value: _towards_end(value, 0.6),
    "highly": lambda value: _towards_end(value, 0.65),
    "quite": lambda value: _towards_end(value, 0.3),
    "almost": lambda value: _towards_end(value, -0.05),
    "absolutely": lambda value: _towards_end(value, 0.75),
}
"""Changes of a form's decisiveness by the words before it."""
_DECISIVENESS_CHANGES |= {word: _DECISIVENESS_CHANGES[kind] for word, kind in _DEGREE.items()}

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
_BEFORE_VERB = re.compile(
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
_DEGREE_PHRASES = (("all but ", "almost "), ("not at all ", "not too "), ("all that ", "too "))
_WORDS_OF_SPEAKER = frozenset(
    {"sure", "certain", "confident", "confidence", "certainty", "convinced"}
)
_NEGATED_VERB = re.compile(
    r"^(probably|likely|most likely) (?:is|was|are|will|does|did|do|has|can) not$"
)


MARKERS = "markers.csv"
"""The bundled file of markers, with the standard form and decisiveness of each."""


@functools.cache
def lexicon() -> dict[str, tuple[str, float]]:
    """Return the standard form and its decisiveness (0 to 1) by marker, such as "probably"."""
    path = resources.files("inspect_confidence.datasets") / "bundled" / MARKERS
    rows = csv.DictReader(StringIO(path.read_text(encoding="utf-8")))
    return {plain(row["marker"]): (row["standard"], float(row["decisiveness"])) for row in rows}


def plain(text: str) -> str:
    """Return a marker's words in lower case, with contractions written out."""
    return plain_line(text, whole=True).text.strip()


def standard_of(marker: str) -> str:
    """Return the standard form of a plain marker; the cleaned marker if it isn't known.

    Markers that say the same share a standard form: "probably" is that of "it is probably", too.
    The rules are repeated until nothing changes, so that a standard form is its own standard form.
    """
    forms: list[str] = []
    while marker not in forms:
        forms.append(marker)
        marker = plain(_apply_first_rule(marker))
    # Rules may lead in a circle, which the alphabetically first form stands for.
    return min(forms[forms.index(marker) :])


def decisiveness_of(standard: str) -> float:
    """Return the probability that a marker's standard form gives to a claim; 0.5 if unknown."""
    if standard in lexicon():
        _, decisiveness = lexicon()[standard]
        return decisiveness
    if percent := _PERCENT.match(standard):  # "90% sure" gives 90
        return min(float(percent[1]) / 100, 1.0)
    # "very" and the like change the decisiveness of the form after them.
    for words, change in _DECISIVENESS_CHANGES.items():
        if standard.startswith(f"{words} "):
            return change(decisiveness_of(standard.removeprefix(f"{words} ")))
    return UNKNOWN_DECISIVENESS


def _towards_end(value: float, share: float) -> float:
    """Return the value, moved by a share of its distance towards the nearer of 0 and 1."""
    return value + share * (1 - value) if value >= 0.5 else value * (1 - share)


def _apply_first_rule(marker: str) -> str:
    """Return the lexicon's standard form, or the marker after the first rule that changes it.

    A rule that would leave nothing of the marker is skipped.
    """
    if marker in lexicon():
        return lexicon()[marker][0]
    for rule in (_unify_wording, _remove_edges, _remove_between, _standardise_degree):
        changed = rule(marker)
        if changed not in ("", marker):
            return changed
    return marker


def _unify_wording(marker: str) -> str:
    """Unify percentages, chances, impersonal beliefs ("is thought"), and "probably is not"."""
    if percent := _PERCENT.match(marker):  # "about 90% certain" gives "90% sure"
        noun = "sure" if percent[2] in _WORDS_OF_SPEAKER else "chance"
        if percent[2] == "likely":
            noun = "likely"
        return f"{float(percent[1]):g}% {noun}"
    if odds := _CHANCES_ARE.match(marker):  # "the odds are good" gives "chances are good"
        # "good chance" instead if the lexicon lacks that form, or the marker has it already.
        form = f"chances are {odds[1]}"
        return form if form in lexicon() and marker != form else f"{odds[1]} chance"
    marker = _NEGATED_VERB.sub(r"\1 not", marker)
    return "is believed" if _IMPERSONAL.match(marker) else marker


def _remove_edges(marker: str) -> str:
    """Remove words without meaning before a marker ("it is"), or else after it ("that")."""
    bare = _LEAD.sub("", marker, count=1) if _LEAD.match(marker) else ""
    return bare or _TAIL.sub("", marker)


def _remove_between(marker: str) -> str:
    """Remove the words between "I" and the verb ("really"), or replace "we" by "I"."""
    bare = _BEFORE_VERB.sub(r"\1 ", marker)
    return bare if bare != marker else _WE.sub("i ", marker)


def _standardise_degree(marker: str) -> str:
    """Replace a word of degree by the standard word of its kind, and standardise what follows.

    `_DEGREE` has the kind of each word, such as "fairly" of "pretty". After "not" there are two
    kinds: "entirely" (of "absolutely" or "quite" and their like) and "very" (of all others, and of
    "that"). What follows is left as it is if its standard form has several words.
    """
    for phrase, word in _DEGREE_PHRASES:
        marker = marker.replace(phrase, word)
    first, _, remainder = marker.partition(" ")
    if first == "not" and remainder.partition(" ")[0] in (*_DEGREE, "that"):
        degree, _, head = remainder.partition(" ")
        kind = {"absolutely": "entirely", "quite": "entirely"}.get(_DEGREE.get(degree, ""), "very")
        return f"not {kind} {head}"  # "not too sure" gives "not very sure"
    if first in _DEGREE and remainder:  # "extremely probable" gives "very probable"
        standard = _apply_first_rule(remainder)
        return f"{_DEGREE[first]} {remainder if ' ' in standard else standard}"
    return marker
