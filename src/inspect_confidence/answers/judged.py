"""A judge's reply -> the judgment, or `grader_failed`: a missing judgment is never filled in."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Literal, TypeVar

from inspect_confidence.answers.clean import without_thoughts
from inspect_confidence.answers.labels import ParsedText, parse_statements
from inspect_confidence.answers.probability import unlabelled, value_of
from inspect_confidence.answers.reading import invalid, settled
from inspect_confidence.answers.status import ParseFailure

# ruff: noqa: RUF001 # quotes and dashes, as they are written

Agreement = Literal["yes", "no", "n/a"]
"""Whether a sampled reply agrees with a sentence: says the same, contradicts it, or neither."""
Verdict = Literal["correct", "incorrect", "punt"]
"""Whether an answer is right; `punt` if the reply gives no answer."""

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
WordT = TypeVar("WordT", bound=str)

_SIGNS = str.maketrans("’‘´`“”„", "''''\"\"\"", "*_")
_AROUND = " .,;:!?…'\""
_LETTER = r"[^\W\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
"""A letter of a script that separates words by blanks (not Chinese or Japanese)."""
_APART = rf"(?:(?<!{_LETTER})|(?!{_LETTER}))"
_EXPLAINED = re.compile(
    r"(?![/|])(?:\W{0,20}[.,;:(!–—-]|\W{1,20}because|$)"
    r"(?![ .,;:(!-]*(?:part(?:ly|ially)|mostly|somewhat|but|not|or|both|maybe|unless)\b)"
)
_NONE = re.compile(r"\W*(?:none|no (?:markers|hedges)|keine|aucun|无)\W*", re.IGNORECASE)
_HEDGES = re.compile(
    r"^[^\w\n]{0,20}(?:hedges|answer yes or no)[^\w\n]{0,20}:", re.IGNORECASE | re.MULTILINE
)
"""Labels of the study's prompts that a judge may repeat."""
_QUOTED = re.compile(r"\"((?:[^\"\\]|\\.){0,300})\"|(?<!\w)'((?:[^'\\]|\\.){0,300})'(?!\w)")
_BULLET = re.compile(r"\A(?:\W*\d{1,2}[.):]\s*|\s*[-*•]\s*)")
_NO_WORD = invalid("none of the words asked for")


class Markers(list[str]):
    """The markers that a judge lists; `foreign` counts the listed markers not in the sentence."""

    foreign = 0


def read_markers(reply: str, sentence: str, *, generalised: bool = False) -> Markers | ParseFailure:
    """Read the distinct markers that a judge lists, in the judge's order and in lower case.

    The list may be in JSON or in the form of the study: entries between `;` and `####` at the end.
    With `generalised` a line in the study's form needs no `####`, and a marker counts if any of its
    words is in the sentence.

    Stars and quotation marks around words are not part of a marker. Entries without a word, such as
    the template's "...", are left out. Entries that aren't in the sentence as whole words are left
    out and counted in `foreign`. A reply without a list, or with no marker of the sentence, is
    `grader_failed`.

    Example:
        >>> read_markers('{"markers": ["Probably"]}', "Probably Paris.")
        ['probably']
        >>> read_markers('{"markers": ["may"]}', "The mayor left.").status
        'grader_failed'
        >>> read_markers("I know for a fact ####", "I know this for a fact.", generalised=True)
        ['i know for a fact']
    """
    parsed = parse_statements(reply)
    is_list = parsed.text.startswith("[") or "marker" in parsed.text.lower()
    entries = _entries(parsed, "markers", is_whole_reply=is_list and not parsed.objects)
    if entries is None and not parsed.objects:
        entries = _hedges(reply, endless=generalised)
    if entries is None or not all(isinstance(entry, str) for entry in entries):
        return _failed(reply, "no list of markers")
    inside = _plain(sentence)

    def stands(marker: str) -> bool:
        parts = marker.split() if generalised else [marker]
        return any(re.search(f"{_APART}{re.escape(part)}{_APART}", inside) for part in parts)

    phrases = list(dict.fromkeys(plain for entry in entries if (plain := _plain(str(entry)))))
    markers = Markers(entry for entry in phrases if stands(entry))
    markers.foreign = len(phrases) - len(markers)
    if entries and not phrases:
        return _failed(reply, "markers without a word")
    if phrases and not markers:
        return _failed(reply, f"the marker {phrases[0]!r} isn't in the sentence")
    return markers


def read_decisiveness(reply: str) -> float | ParseFailure:
    """Read the probability, from 0 to 1, that a judge gives to a claim by the claim's wording.

    Example:
        >>> read_decisiveness('{"decisiveness": 0.7}')
        0.7
    """
    parsed = _whole(reply)
    value = settled(parsed, ("decisiveness",), value_of)
    if value is None and not parsed.objects and "{" not in parsed.text:
        labels = ("answer", "probability", "confidence")
        value = settled(parsed, labels, value_of) or unlabelled(parsed.text)
    if value is None or isinstance(value, ParseFailure):
        return _failed(reply, "no decisiveness from 0 to 1")
    return float(value)


def read_agreement(reply: str) -> Agreement | ParseFailure:
    """Read whether a reply agrees with a sentence: `yes`, `no` or `n/a`.

    Example:
        >>> read_agreement('{"agreement": "Yes"}')
        'yes'
        >>> read_agreement("**yes**")
        'yes'
    """
    return _word(_HEDGES.sub("", reply), "agreement", _AGREEMENTS)


def read_agreements(reply: str, count: int) -> Sequence[Agreement | ParseFailure]:
    """Read the agreements of several replies that a judge gives in one call.

    All fail if the judge lists another number of agreements than `count`.
    """
    parsed = parse_statements(reply)
    entries = _entries(parsed, "agreement", is_whole_reply=not parsed.statements)
    if entries is None or len(entries) != count:
        return [_failed(reply, f"no list of {count} agreements")] * count
    texts = ["" if isinstance(entry, list | dict) else str(entry) for entry in entries]
    verdicts = [_spoken_word(entry, _AGREEMENTS) for entry in texts]
    if not parsed.statements and _NO_WORD in verdicts:  # a sentence with commas is no list
        return [_failed(reply, f"no list of {count} agreements")] * count
    nothing = _failed(reply, "no agreement")
    return [nothing if isinstance(entry, ParseFailure) else entry for entry in verdicts]


def read_verdict(reply: str) -> Verdict | ParseFailure:
    """Read whether an answer is `correct`, `incorrect` or a `punt`.

    Example:
        >>> read_verdict('{"verdict": "punt"}')
        'punt'
        >>> read_verdict("True")
        'correct'
    """
    return _word(reply, "verdict", _VERDICTS)


def read_grade_letter(reply: str) -> Verdict | ParseFailure:
    """Read SimpleQA's grade: A is `correct`, B `incorrect`, C (not attempted) a `punt`.

    Example:
        >>> read_grade_letter("B"), read_grade_letter("C: NOT_ATTEMPTED")
        ('incorrect', 'punt')
        >>> read_grade_letter("A or B").status
        'grader_failed'
    """
    text = _plain(without_thoughts(reply))
    letters = set(re.findall(r"(?<!\w)[abc](?!\w)", text))
    names = {_VERDICTS[name] for name in re.findall(r"(?<![\w])(?:in)?correct(?!\w)", text)}
    if re.search(r"not[_ ]attempted", text):
        names.add("punt")
    grades = {_GRADES[letter] for letter in letters} | names
    if len(grades) != 1:
        return _failed(reply, "no single grade A, B or C")
    return grades.pop()


_GRADES: dict[str, Verdict] = {"a": "correct", "b": "incorrect", "c": "punt"}


def _word(reply: str, key: str, words: dict[str, WordT]) -> WordT | ParseFailure:
    """Return the meaning of the word under a key, or of a word that is the reply or a line."""
    parsed = _whole(reply)

    def read_word(value: str) -> WordT | ParseFailure:
        return _spoken_word(value, words)

    word = settled(parsed, (key,), read_word)
    if not parsed.objects:
        lines = {
            line_word
            for line_word in map(read_word, parsed.text.split("\n"))
            if line_word != _NO_WORD
        }
        word = word or settled(parsed, ("answer", "verdict", "agreement", "choice"), read_word)
        word = word or (lines.pop() if len(lines) == 1 else None)
    return _failed(reply, f"no {key}") if word is None or isinstance(word, ParseFailure) else word


def _whole(reply: str) -> ParsedText:
    """Parse a reply and leave out a value in which the reply breaks off."""
    parsed = parse_statements(reply)
    return replace(
        parsed, statements=[statement for statement in parsed.statements if not statement.is_open]
    )


def _spoken_word(value: str, words: dict[str, WordT]) -> WordT | ParseFailure:
    """Return the meaning of a value's first word, unless the rest of the value contradicts it."""
    text = _plain(value)
    word = max(
        (candidate for candidate in words if text.startswith(candidate)), key=len, default=""
    )
    remainder = text[len(word) :]
    if not word or not _EXPLAINED.match(remainder):
        return _NO_WORD
    mentioned = {
        words[candidate]
        for candidate in words
        if re.search(rf"(?<!\w){re.escape(candidate)}(?!\w)", remainder)
    }
    return words[word] if mentioned <= {words[word]} else _NO_WORD


def _entries(parsed: ParsedText, key: str, *, is_whole_reply: bool) -> list[object] | None:
    """Return the list under a key; with `is_whole_reply` the whole text may be the list.

    None if there is no list, or if there are different lists.
    """
    statements = [statement for statement in parsed.under(key) if not statement.is_open]
    firm = [statement for statement in statements if statement.strength == "object"] or statements
    lists = [_items(statement.raw or statement.value) for statement in firm]
    agreed = lists[-1] if lists and all(statement == lists[0] for statement in lists) else None
    return _items(parsed.text) if agreed is None and is_whole_reply else agreed


def _items(text: str) -> list[object] | None:
    """Return the entries of a list in JSON, in quotation marks, or separated by commas or lines."""
    text = text[max(text.find("["), 0) :].strip()
    if not text or _NONE.fullmatch(text):
        return [] if text else None
    with suppress(ValueError, RecursionError):
        if isinstance(parsed := json.loads(text), list):
            return parsed
    if quoted := [match[1] or match[2] for match in _QUOTED.finditer(text)]:
        return list(quoted)
    parts = [_BULLET.sub("", match, count=1) for match in re.split(r"[;,\n]", text.strip("[] ,"))]
    return [match.strip(" \"'") for match in parts if match]


def _hedges(reply: str, *, endless: bool) -> list[object] | None:
    """Return the entries of a line in the study's form; `####` ends it unless it is `endless`."""
    *label, body = _HEDGES.split(without_thoughts(reply).strip())
    markers, end, after = (part.strip() for part in body.partition("####"))
    is_prose = "\n" in markers or (not end and markers.endswith((".", "!", "?", ":")))
    if after.strip("#") or is_prose or not (end or label or (endless and markers)):
        return None
    return [*markers.split(";")] if ";" in markers else _items(markers) if markers else []


def _failed(reply: str, problem: str) -> ParseFailure:
    return ParseFailure("grader_failed", f"{problem} in the judge's reply {reply[:80]!r}")


def _plain(text: str) -> str:
    return " ".join(text.translate(_SIGNS).lower().split()).strip(_AROUND)
