"""A judge's reply -> what it judged, or `grader_failed`: what it leaves open is never filled in."""

import json
import re
from collections.abc import Sequence
from typing import Literal, TypeGuard, cast

import json_repair

from inspect_confidence.answers.status import Unreadable

Agreement = Literal["yes", "no", "n/a"]
"""Whether a sampled reply agrees with a sentence: says the same, contradicts it, or neither."""
Verdict = Literal["correct", "incorrect", "punt"]
"""Whether an answer is right; a punt gives none."""

_AGREEMENTS = {"yes": "yes", "no": "no", "n/a": "n/a", "na": "n/a", "not applicable": "n/a"}
_VERDICTS = ("correct", "incorrect", "punt")
_SIGNS = str.maketrans("’‘´`“”„", "''''\"\"\"", "*_")  # noqa: RUF001 # as they are written
_AROUND = " .,;:!?…'\""
_LETTER = r"[^\W\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
"""Of a script that parts its words, as Chinese and Japanese don't."""

_NUMBER = r"-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_QUOTE = r"[\"'“”‘’]?"  # noqa: RUF001 # likewise
_END = rf" ?(?:,? ?\}}|, ?{_QUOTE}[\w ]+{_QUOTE} ?:)"
"""What follows a value: the object's end, or another key."""


def read_markers(reply: str, sentence: str) -> list[str] | Unreadable:
    """The markers that a judge lists, as they stand in the sentence, in lower case.

    Stars and quotation marks about words are no part of them. Entries without a word, as the
    template's "..." is, are left out.

    Returns:
        Different markers in the judge's order; `grader_failed` if there is no list, or one of them
        isn't in the sentence as words of its own.

    Example:
        >>> read_markers('{"markers": ["Probably"]}', "Probably Paris.")
        ['probably']
        >>> read_markers('{"markers": ["may"]}', "The mayor left.").status
        'grader_failed'
    """
    listed = _value(reply, "markers")
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        return _failed(reply, "no list of markers")
    if listed and not any(map(_plain, listed)):
        return _failed(reply, "markers without a word")
    inside = _plain(sentence)
    found = list(dict.fromkeys(plain for one in listed if (plain := _plain(one))))
    for one in found:
        if not _stands(one, inside):
            return _failed(reply, f"the marker {one!r} isn't in the sentence")
    return found


def read_decisiveness(reply: str) -> float | Unreadable:
    """The number from 0 to 1 that a judge gives for how probable a claim is by its wording.

    Example:
        >>> read_decisiveness('{"decisiveness": 0.7}')
        0.7
    """
    value = _value(reply, "decisiveness")
    if isinstance(value, str) and re.fullmatch(_NUMBER, value.strip()):
        value = float(value)
    if not _is_number(value) or not 0 <= value <= 1:
        return _failed(reply, "no decisiveness from 0 to 1")
    return float(value)


def read_agreement(reply: str) -> Agreement | Unreadable:
    """Whether a reply agrees with a sentence: `yes`, `no` or `n/a`.

    Example:
        >>> read_agreement('{"agreement": "Yes"}')
        'yes'
    """
    return _agreement(_value(reply, "agreement"), reply)


def read_agreements(reply: str, count: int) -> Sequence[Agreement | Unreadable]:
    """The same for several replies judged in one call; all fail if their number is another."""
    listed = _value(reply, "agreement")
    if not isinstance(listed, list) or len(listed) != count:
        return [_failed(reply, f"no list of {count} agreements")] * count
    return [_agreement(one, reply) for one in listed]


def read_verdict(reply: str) -> Verdict | Unreadable:
    """Whether an answer is `correct`, `incorrect` or a `punt`.

    Example:
        >>> read_verdict('{"verdict": "punt"}')
        'punt'
    """
    value = _value(reply, "verdict")
    word = value.strip().lower() if isinstance(value, str) else ""
    return cast(Verdict, word) if word in _VERDICTS else _failed(reply, "no verdict")


def _agreement(value: object, reply: str) -> Agreement | Unreadable:
    word = _AGREEMENTS.get(value.strip().lower()) if isinstance(value, str) else None
    return cast(Agreement, word) if word else _failed(reply, "no agreement")


def _value(reply: str, key: str) -> object:
    """The value of a key in the one object of the reply that has it; None if that can't be told."""
    whole = reply[reply.find("{") : reply.rfind("}") + 1]
    found: list[list[object]] = []

    def note(pairs: list[tuple[str, object]]) -> None:
        found.append([value for name, value in pairs if name == key])

    try:
        # A line's end within a string is no reason to guess at the rest: strict=False.
        json.loads(whole, strict=False, object_pairs_hook=note)
    except (ValueError, RecursionError):
        return _repaired(whole, key)
    having = [values for values in found if values]
    if len(having) != 1 or any(repr(one) != repr(having[0][0]) for one in having[0]):
        return None
    return having[0][0]


def _repaired(text: str, key: str) -> object:
    """The same of broken JSON: what is guessed counts only if it is written just so."""
    objects = re.findall(r"\{[^{}]*\}", text)
    place = rf"(?<!\w){_QUOTE}{re.escape(key)}{_QUOTE}\s*:\s*"
    if len(objects) != 1 or len(re.findall(place, text)) != 1:
        return None
    try:
        parsed = json_repair.loads(objects[0])
    except Exception:  # it guesses at any text: whatever it stumbles over, nothing was read
        return None
    value = parsed.get(key) if isinstance(parsed, dict) else None
    written = re.search(place + _as_written(value) + _END, " ".join(objects[0].split()))
    if not written or (_is_number(value) and float(written["number"]) != value):
        return None
    return value


def _as_written(value: object) -> str:
    """A pattern for a value in JSON, its quotation marks of any kind or missing."""
    if isinstance(value, str):
        # A quotation mark within it may have a backslash.
        signs = (
            rf"\\?{one}" if one in "\"'" else re.escape(one) for one in " ".join(value.split())
        )
        return f"{_QUOTE} ?{''.join(signs)} ?{_QUOTE}"
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return rf"\[ ?{' ?, ?'.join(map(_as_written, value))} ?,? ?\]"
    return f"(?P<number>{_NUMBER})" if _is_number(value) else r"(?!)"


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _failed(reply: str, why: str) -> Unreadable:
    return Unreadable("grader_failed", f"{why} in the judge's reply {reply[:80]!r}")


def _plain(text: str) -> str:
    return " ".join(text.translate(_SIGNS).lower().split()).strip(_AROUND)


def _stands(marker: str, sentence: str) -> bool:
    """Whether a marker stands in a sentence, and not in the midst of a word."""
    before = f"(?<!{_LETTER})" if re.match(_LETTER, marker) else ""
    after = f"(?!{_LETTER})" if re.match(_LETTER, marker[-1]) else ""
    return bool(re.search(before + re.escape(marker) + after, sentence))
