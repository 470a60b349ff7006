"""A judge's reply -> what it judged, or `grader_failed`: what it leaves open is never filled in."""

import json
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, cast

from inspect_confidence.answers.labels import Stated, stated_in
from inspect_confidence.answers.probability import unlabelled, value_of
from inspect_confidence.answers.reading import invalid, settled
from inspect_confidence.answers.status import Unreadable

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
    **dict.fromkeys(("correct", "right", "richtig", "正确"), "correct"),
    **dict.fromkeys(("incorrect", "not correct", "wrong", "falsch", "错误"), "incorrect"),
    **dict.fromkeys(("punt", "punted"), "punt"),
}
_SIGNS = str.maketrans("’‘´`“”„", "''''\"\"\"", "*_")  # noqa: RUF001 # as they are written
_AROUND = " .,;:!?…'\""
_LETTER = r"[^\W\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
"""Of a script that parts its words, as Chinese and Japanese don't."""
_HEDGED = re.compile(
    r"\b(?:part(?:ly|ially)|mostly|somewhat|but|not|or|both|maybe|unless)\b", re.IGNORECASE
)


class Markers(list[str]):
    """The markers that a judge lists, each once, in lower case.

    Attributes:
        foreign: How many others it listed that aren't in the sentence.
    """

    foreign = 0


def read_markers(reply: str, sentence: str) -> Markers | Unreadable:
    """The markers that a judge lists, as they stand in the sentence, in lower case.

    Stars and quotation marks about words are no part of them. Entries without a word, as the
    template's "..." is, are left out; so are those that aren't in the sentence as words of their
    own, which are counted.

    Returns:
        Different markers in the judge's order; `grader_failed` if there is no list, or nothing in
        it is in the sentence.

    Example:
        >>> read_markers('{"markers": ["Probably"]}', "Probably Paris.")
        ['probably']
        >>> read_markers('{"markers": ["may"]}', "The mayor left.").status
        'grader_failed'
    """
    stated = stated_in(reply)
    listed = _listed(stated, "markers")
    if listed is None and not stated.objects:
        quoted = re.findall(r"\"([^\"\n]{1,80})\"", stated.text)
        is_list = stated.text.startswith("[") or "marker" in stated.text.lower()
        listed = list(quoted) if is_list and quoted else _items(stated.text) if is_list else None
    if listed is None or not all(isinstance(one, str) for one in listed):
        return _failed(reply, "no list of markers")
    said = list(map(str, listed))
    if said and not any(map(_plain, said)):
        return _failed(reply, "markers without a word")
    inside = _plain(sentence)
    named = list(dict.fromkeys(plain for one in said if (plain := _plain(one))))
    found = Markers(one for one in named if _stands(one, inside))
    found.foreign = len(named) - len(found)
    if named and not found:
        return _failed(reply, f"the marker {named[0]!r} isn't in the sentence")
    return found


def read_decisiveness(reply: str) -> float | Unreadable:
    """The number from 0 to 1 that a judge gives for how probable a claim is by its wording.

    Example:
        >>> read_decisiveness('{"decisiveness": 0.7}')
        0.7
    """
    stated = stated_in(reply)
    found: Fraction | Unreadable | None = settled(stated, ("decisiveness",), value_of)
    if found is None and not stated.objects:
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
    return cast("Agreement | Unreadable", _word(reply, "agreement", _AGREEMENTS))


def read_agreements(reply: str, count: int) -> Sequence[Agreement | Unreadable]:
    """The same for several replies judged in one call; all fail if their number is another."""
    stated = stated_in(reply)
    listed = _listed(stated, "agreement")
    if listed is None and not stated.statements:
        listed = _items(stated.text)
    if listed is None or len(listed) != count:
        return [_failed(reply, f"no list of {count} agreements")] * count
    found = [_said(str(one), _AGREEMENTS) for one in listed]
    return [
        _failed(reply, "no agreement") if isinstance(one, Unreadable) else cast(Agreement, one)
        for one in found
    ]


def read_verdict(reply: str) -> Verdict | Unreadable:
    """Whether an answer is `correct`, `incorrect` or a `punt`.

    Example:
        >>> read_verdict('{"verdict": "punt"}')
        'punt'
        >>> read_verdict("Correct.")
        'correct'
    """
    return cast("Verdict | Unreadable", _word(reply, "verdict", _VERDICTS))


def _word(
    reply: str, key: str, words: dict[str, Agreement] | dict[str, Verdict]
) -> str | Unreadable:
    """The one of some words under a key, or that the reply is, or with which it begins or ends."""
    stated = stated_in(reply)

    def said(value: str) -> str | Unreadable:
        return _said(value, words)

    found = settled(stated, (key,), said)
    if found is None and not stated.objects:
        found = settled(stated, ("answer", "verdict", "agreement", "choice"), said)
        if found is None:
            lines = stated.text.split("\n")
            alone = [one for one in map(said, lines) if not isinstance(one, Unreadable)]
            found = alone[0] if len(set(alone)) == 1 else None
    if found is None or isinstance(found, Unreadable):
        return _failed(reply, f"no {key}")
    return found


def _said(value: str, words: dict[str, Agreement] | dict[str, Verdict]) -> str | Unreadable:
    """The word with which a value begins, if what follows explains it and takes nothing back."""
    text = _plain(value)
    for word in sorted(words, key=len, reverse=True):
        if not text.startswith(word):
            continue
        rest = text[len(word) :]
        if rest and (re.match(r"[\w/|]", rest) or not re.match(r"\W*[.,;:(!–—-]|\W+because", rest)):  # noqa: RUF001 # dashes
            break
        others = {words[one] for one in words if re.search(rf"(?<!\w){re.escape(one)}(?!\w)", rest)}
        if others <= {words[word]} and not _HEDGED.match(rest.lstrip(" .,;:(!-")):
            return words[word]
        break
    return invalid("none of the words asked for")


def _listed(stated: Stated, key: str) -> list[object] | None:
    """The list under a key; None if there is none, or there are different ones."""
    every = [one for one in stated.under(key) if not one.is_open]
    found = [one for one in every if one.strength == "object"] or every
    lists = [_items(one.raw or one.value) for one in found]
    return lists[-1] if lists and all(one == lists[0] for one in lists) else None


def _items(text: str) -> list[object] | None:
    text = text.strip()
    if re.fullmatch(r"\W*(?:none|no markers|keine|aucun|无)\W*", text, re.IGNORECASE):
        return []
    if not text.startswith("["):
        items = [
            re.sub(r"^\W*\d{1,2}[.):]\s*|^\s*[-*•]\s*", "", one)
            for one in re.split(r"[;,\n]", text)
        ]
        return [one.strip(" \"'") for one in items] if text else None
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        quoted = re.findall(r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'", text)
        inside = text.strip("[] ,")
        if quoted or not inside:
            return [one or other for one, other in quoted]
        return [one.strip() for one in inside.split(",")]
    return parsed if isinstance(parsed, list) else None


def _failed(reply: str, why: str) -> Unreadable:
    return Unreadable("grader_failed", f"{why} in the judge's reply {reply[:80]!r}")


def _plain(text: str) -> str:
    return " ".join(text.translate(_SIGNS).lower().split()).strip(_AROUND)


def _stands(marker: str, sentence: str) -> bool:
    """Whether a marker stands in a sentence, and not in the midst of a word."""
    before = f"(?<!{_LETTER})" if re.match(_LETTER, marker) else ""
    after = f"(?!{_LETTER})" if re.match(_LETTER, marker[-1]) else ""
    return bool(re.search(before + re.escape(marker) + after, sentence))
