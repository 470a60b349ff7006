"""A judge's reply -> what it judged, or `grader_failed`: what it leaves open is never filled in."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Literal, TypeVar

from inspect_confidence.answers.clean import without_thoughts
from inspect_confidence.answers.labels import Stated, stated_in
from inspect_confidence.answers.probability import unlabelled, value_of
from inspect_confidence.answers.reading import invalid, settled
from inspect_confidence.answers.status import Unreadable

# ruff: noqa: RUF001 # quotes and dashes, as they are written

Agreement = Literal["yes", "no", "n/a"]
"""Whether a sampled reply agrees with a sentence: says the same, contradicts it, or neither."""
Verdict = Literal["correct", "incorrect", "punt"]
"""Whether an answer is right; a punt gives none."""

_AGREEMENTS: dict[str, Agreement] = {
    **dict.fromkeys(("yes", "true", "agree", "agrees", "consistent", "ja", "oui", "是"), "yes"),
    **dict.fromkeys(("no", "false", "disagrees", "contradicts", "nein", "non", "否", "不"), "no"),
    **dict.fromkeys(("n/a", "na", "not applicable", "neither", "不适用"), "n/a"),
}
_VERDICTS: dict[str, Verdict] = {
    **dict.fromkeys(("correct", "right", "true", "richtig", "正确"), "correct"),
    **dict.fromkeys(("incorrect", "not correct", "wrong", "false", "falsch", "错误"), "incorrect"),
    **dict.fromkeys(("punt", "punted"), "punt"),
}
Word = TypeVar("Word", bound=str)

_SIGNS = str.maketrans("’‘´`“”„", "''''\"\"\"", "*_")
_AROUND = " .,;:!?…'\""
_LETTER = r"[^\W\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
"""Of a script that parts its words, as Chinese and Japanese don't."""
_APART = rf"(?:(?<!{_LETTER})|(?!{_LETTER}))"
_EXPLAINED = re.compile(
    r"(?![/|])(?:\W{0,20}[.,;:(!–—-]|\W{1,20}because|$)"
    r"(?![ .,;:(!-]*(?:part(?:ly|ially)|mostly|somewhat|but|not|or|both|maybe|unless)\b)"
)
_NONE = re.compile(r"\W*(?:none|no (?:markers|hedges)|keine|aucun|无)\W*", re.IGNORECASE)
_HEDGES = re.compile(
    r"^[^\w\n]{0,20}(?:hedges|answer yes or no)[^\w\n]{0,20}:", re.IGNORECASE | re.MULTILINE
)
"""Labels of the study's that a judge may repeat."""
_QUOTED = re.compile(r"\"((?:[^\"\\]|\\.){0,300})\"|(?<!\w)'((?:[^'\\]|\\.){0,300})'(?!\w)")
_BULLET = re.compile(r"\A(?:\W*\d{1,2}[.):]\s*|\s*[-*•]\s*)")
_NO_WORD = invalid("none of the words asked for")


class Markers(list[str]):
    """The markers that a judge lists; `foreign` counts those that aren't in the sentence."""

    foreign = 0


def read_markers(reply: str, sentence: str, *, generalised: bool = False) -> Markers | Unreadable:
    """The different markers that a judge lists, in its order and in lower case.

    A list may be in JSON or as the study has it: entries between `;`, `####` at the end. With
    `generalised` one such line needs no end, and a marker counts if any of its words is there.

    Stars and quotation marks about words are no part of them. Entries without a word, as the
    template's "..." is, are left out; so are those that aren't in the sentence as words of their
    own, which are counted. No list, or nothing of the sentence in it, is `grader_failed`.

    Example:
        >>> read_markers('{"markers": ["Probably"]}', "Probably Paris.")
        ['probably']
        >>> read_markers('{"markers": ["may"]}', "The mayor left.").status
        'grader_failed'
        >>> read_markers("I know for a fact ####", "I know this for a fact.", generalised=True)
        ['i know for a fact']
    """
    stated = stated_in(reply)
    is_list = stated.text.startswith("[") or "marker" in stated.text.lower()
    listed = _listed(stated, "markers", alone=is_list and not stated.objects)
    if listed is None and not stated.objects:
        listed = _hedges(reply, endless=generalised)
    if listed is None or not all(isinstance(one, str) for one in listed):
        return _failed(reply, "no list of markers")
    inside = _plain(sentence)

    def stands(marker: str) -> bool:
        parts = marker.split() if generalised else [marker]
        return any(re.search(f"{_APART}{re.escape(one)}{_APART}", inside) for one in parts)

    named = list(dict.fromkeys(plain for one in listed if (plain := _plain(str(one)))))
    found = Markers(one for one in named if stands(one))
    found.foreign = len(named) - len(found)
    if listed and not named:
        return _failed(reply, "markers without a word")
    if named and not found:
        return _failed(reply, f"the marker {named[0]!r} isn't in the sentence")
    return found


def read_decisiveness(reply: str) -> float | Unreadable:
    """The number from 0 to 1 that a judge gives for how probable a claim is by its wording.

    Example:
        >>> read_decisiveness('{"decisiveness": 0.7}')
        0.7
    """
    stated = _whole(reply)
    found = settled(stated, ("decisiveness",), value_of)
    if found is None and not stated.objects and "{" not in stated.text:
        labels = ("answer", "probability", "confidence")
        found = settled(stated, labels, value_of) or unlabelled(stated.text)
    if found is None or isinstance(found, Unreadable):
        return _failed(reply, "no decisiveness from 0 to 1")
    return float(found)


def read_agreement(reply: str) -> Agreement | Unreadable:
    """Whether a reply agrees with a sentence: `yes`, `no` or `n/a`.

    Example:
        >>> read_agreement('{"agreement": "Yes"}')
        'yes'
        >>> read_agreement("**yes**")
        'yes'
    """
    return _word(_HEDGES.sub("", reply), "agreement", _AGREEMENTS)


def read_agreements(reply: str, count: int) -> Sequence[Agreement | Unreadable]:
    """The same for several replies judged in one call; all fail if their number is another."""
    stated = stated_in(reply)
    listed = _listed(stated, "agreement", alone=not stated.statements)
    if listed is None or len(listed) != count:
        return [_failed(reply, f"no list of {count} agreements")] * count
    said = ["" if isinstance(one, list | dict) else str(one) for one in listed]
    found = [_said(one, _AGREEMENTS) for one in said]
    if not stated.statements and _NO_WORD in found:  # a sentence with commas is no list
        return [_failed(reply, f"no list of {count} agreements")] * count
    nothing = _failed(reply, "no agreement")
    return [nothing if isinstance(one, Unreadable) else one for one in found]


def read_verdict(reply: str) -> Verdict | Unreadable:
    """Whether an answer is `correct`, `incorrect` or a `punt`.

    Example:
        >>> read_verdict('{"verdict": "punt"}')
        'punt'
        >>> read_verdict("True")
        'correct'
    """
    return _word(reply, "verdict", _VERDICTS)


def _word(reply: str, key: str, words: dict[str, Word]) -> Word | Unreadable:
    """The one of some words under a key, or that the reply is, or one of its lines."""
    stated = _whole(reply)

    def said(value: str) -> Word | Unreadable:
        return _said(value, words)

    found = settled(stated, (key,), said)
    if not stated.objects:
        lines = {one for one in map(said, stated.text.split("\n")) if one != _NO_WORD}
        found = found or settled(stated, ("answer", "verdict", "agreement", "choice"), said)
        found = found or (lines.pop() if len(lines) == 1 else None)
    return _failed(reply, f"no {key}") if found is None or isinstance(found, Unreadable) else found


def _whole(reply: str) -> Stated:
    """What a reply states, without a value in which it ends."""
    stated = stated_in(reply)
    return replace(stated, statements=[one for one in stated.statements if not one.is_open])


def _said(value: str, words: dict[str, Word]) -> Word | Unreadable:
    """The word with which a value begins, if what follows explains it and takes nothing back."""
    text = _plain(value)
    word = max((one for one in words if text.startswith(one)), key=len, default="")
    rest = text[len(word) :]
    if not word or not _EXPLAINED.match(rest):
        return _NO_WORD
    named = {words[one] for one in words if re.search(rf"(?<!\w){re.escape(one)}(?!\w)", rest)}
    return words[word] if named <= {words[word]} else _NO_WORD


def _listed(stated: Stated, key: str, *, alone: bool) -> list[object] | None:
    """The list under a key, or `alone` that the text is; None for none, or different ones."""
    every = [one for one in stated.under(key) if not one.is_open]
    found = [one for one in every if one.strength == "object"] or every
    lists = [_items(one.raw or one.value) for one in found]
    same = lists[-1] if lists and all(one == lists[0] for one in lists) else None
    return _items(stated.text) if same is None and alone else same


def _items(text: str) -> list[object] | None:
    """The entries of a list in JSON, in quotation marks, or parted by commas or lines."""
    text = text[max(text.find("["), 0) :].strip()
    if not text or _NONE.fullmatch(text):
        return [] if text else None
    with suppress(ValueError, RecursionError):
        if isinstance(parsed := json.loads(text), list):
            return parsed
    if quoted := [one[1] or one[2] for one in _QUOTED.finditer(text)]:
        return list(quoted)
    parts = [_BULLET.sub("", one, count=1) for one in re.split(r"[;,\n]", text.strip("[] ,"))]
    return [one.strip(" \"'") for one in parts if one]


def _hedges(reply: str, *, endless: bool) -> list[object] | None:
    """The entries of a line in the study's form, which `####` ends unless it may be `endless`."""
    *label, rest = _HEDGES.split(without_thoughts(reply).strip())
    listed, end, after = (part.strip() for part in rest.partition("####"))
    is_prose = "\n" in listed or (not end and listed.endswith((".", "!", "?", ":")))
    if after.strip("#") or is_prose or not (end or label or (endless and listed)):
        return None
    return [*listed.split(";")] if ";" in listed else _items(listed) if listed else []


def _failed(reply: str, why: str) -> Unreadable:
    return Unreadable("grader_failed", f"{why} in the judge's reply {reply[:80]!r}")


def _plain(text: str) -> str:
    return " ".join(text.translate(_SIGNS).lower().split()).strip(_AROUND)
