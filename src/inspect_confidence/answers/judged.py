"""Readers of a judge model's replies; a reply without a readable judgment is `grader_failed`."""

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
_EDGE_SIGNS = " .,;:!?…'\""
_LETTER = r"[^\W\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
"""A letter of a script that separates words by blanks (not Chinese or Japanese)."""
_WORD_EDGE = rf"(?:(?<!{_LETTER})|(?!{_LETTER}))"
_END_OR_EXPLANATION = re.compile(
    r"(?![/|])(?:\W{0,20}[.,;:(!–—-]|\W{1,20}because|$)"
    r"(?![ .,;:(!-]*(?:part(?:ly|ially)|mostly|somewhat|but|not|or|both|maybe|unless)\b)"
)
_EMPTY_LIST = re.compile(r"\W*(?:none|no (?:markers|hedges)|keine|aucun|无)\W*", re.IGNORECASE)
_PROMPT_LABELS = re.compile(
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
    entries = _list_under_key(parsed, "markers", is_whole_reply=is_list and not parsed.objects)
    if entries is None and not parsed.objects:
        entries = _study_form_entries(reply, needs_no_end=generalised)
    if entries is None or not all(isinstance(entry, str) for entry in entries):
        return _failed(reply, "no list of markers")
    plain_sentence = _plain_words(sentence)

    def is_in_sentence(marker: str) -> bool:
        # A judge that may generalise markers need only repeat one of their words.
        words_or_phrase = marker.split() if generalised else [marker]
        return any(
            re.search(f"{_WORD_EDGE}{re.escape(part)}{_WORD_EDGE}", plain_sentence)
            for part in words_or_phrase
        )

    phrases = list(dict.fromkeys(plain for entry in entries if (plain := _plain_words(str(entry)))))
    markers = Markers(entry for entry in phrases if is_in_sentence(entry))
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
    parsed = _parse_complete_values(reply)
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
    return _labelled_word(_PROMPT_LABELS.sub("", reply), "agreement", _AGREEMENTS)


def read_agreements(reply: str, count: int) -> Sequence[Agreement | ParseFailure]:
    """Read the agreements of `count` replies with a sentence, which a judge lists in one call.

    All are `grader_failed` if the judge lists another number of agreements; an unreadable entry
    fails alone.
    """
    parsed = parse_statements(reply)
    entries = _list_under_key(parsed, "agreement", is_whole_reply=not parsed.statements)
    if entries is None or len(entries) != count:
        return [_failed(reply, f"no list of {count} agreements")] * count
    texts = ["" if isinstance(entry, list | dict) else str(entry) for entry in entries]
    agreements = [_meaning_of_first_word(entry, _AGREEMENTS) for entry in texts]
    if not parsed.statements and _NO_WORD in agreements:  # a sentence with commas is not a list
        return [_failed(reply, f"no list of {count} agreements")] * count
    failure = _failed(reply, "no agreement")
    return [failure if isinstance(entry, ParseFailure) else entry for entry in agreements]


def read_verdict(reply: str) -> Verdict | ParseFailure:
    """Read whether an answer is `correct`, `incorrect` or a `punt`.

    Example:
        >>> read_verdict('{"verdict": "punt"}')
        'punt'
        >>> read_verdict("True")
        'correct'
    """
    return _labelled_word(reply, "verdict", _VERDICTS)


def read_grade_letter(reply: str) -> Verdict | ParseFailure:
    """Read SimpleQA's grade: A is `correct`, B `incorrect`, C (not attempted) a `punt`.

    Example:
        >>> read_grade_letter("B"), read_grade_letter("C: NOT_ATTEMPTED")
        ('incorrect', 'punt')
        >>> read_grade_letter("A or B").status
        'grader_failed'
    """
    text = _plain_words(without_thoughts(reply))
    letters = set(re.findall(r"(?<!\w)[abc](?!\w)", text))
    names = {_VERDICTS[name] for name in re.findall(r"(?<![\w])(?:in)?correct(?!\w)", text)}
    if re.search(r"not[_ ]attempted", text):
        names.add("punt")
    grades = {_GRADES[letter] for letter in letters} | names
    if len(grades) != 1:
        return _failed(reply, "no single grade A, B or C")
    return grades.pop()


_GRADES: dict[str, Verdict] = {"a": "correct", "b": "incorrect", "c": "punt"}


def _labelled_word(reply: str, key: str, words: dict[str, WordT]) -> WordT | ParseFailure:
    """Return the meaning of the word under a key, or of the only line that is such a word.

    Args:
        reply: Reply of the judge.
        key: Key or label of the word.
        words: Meaning of each accepted word.
    """
    parsed = _parse_complete_values(reply)

    def read_word(value: str) -> WordT | ParseFailure:
        return _meaning_of_first_word(value, words)

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


def _parse_complete_values(reply: str) -> ParsedText:
    """Parse a reply and leave out a value in which the reply breaks off."""
    parsed = parse_statements(reply)
    return replace(
        parsed, statements=[statement for statement in parsed.statements if not statement.is_open]
    )


def _meaning_of_first_word(value: str, words: dict[str, WordT]) -> WordT | ParseFailure:
    """Return the meaning of a value's first word; `_NO_WORD` if the rest contradicts it."""
    text = _plain_words(value)
    word = max(
        (candidate for candidate in words if text.startswith(candidate)), key=len, default=""
    )
    remainder = text[len(word) :]
    if not word or not _END_OR_EXPLANATION.match(remainder):
        return _NO_WORD
    mentioned = {
        words[candidate]
        for candidate in words
        if re.search(rf"(?<!\w){re.escape(candidate)}(?!\w)", remainder)
    }
    return words[word] if mentioned <= {words[word]} else _NO_WORD


def _list_under_key(parsed: ParsedText, key: str, *, is_whole_reply: bool) -> list[object] | None:
    """Return the list under a key; with `is_whole_reply` the whole text may be the list.

    None if there is no list, or if there are different lists.
    """
    statements = [statement for statement in parsed.under(key) if not statement.is_open]
    firm = [statement for statement in statements if statement.strength == "object"] or statements
    lists = [_split_list(statement.raw or statement.value) for statement in firm]
    agreed = lists[-1] if lists and all(statement == lists[0] for statement in lists) else None
    return _split_list(parsed.text) if agreed is None and is_whole_reply else agreed


def _split_list(text: str) -> list[object] | None:
    """Return the entries of a list in JSON, in quotation marks, or separated by commas or lines."""
    text = text[max(text.find("["), 0) :].strip()
    if not text or _EMPTY_LIST.fullmatch(text):
        return [] if text else None
    with suppress(ValueError, RecursionError):
        if isinstance(parsed := json.loads(text), list):
            return parsed
    if quoted := [match[1] or match[2] for match in _QUOTED.finditer(text)]:
        return list(quoted)
    parts = [_BULLET.sub("", match, count=1) for match in re.split(r"[;,\n]", text.strip("[] ,"))]
    return [match.strip(" \"'") for match in parts if match]


def _study_form_entries(reply: str, *, needs_no_end: bool) -> list[object] | None:
    """Return the entries of a line in the study's form; None if the reply has another form.

    The entries end with `####`; with `needs_no_end` they may end without it.
    """
    *label, body = _PROMPT_LABELS.split(without_thoughts(reply).strip())
    markers, end, after = (part.strip() for part in body.partition("####"))
    is_prose = "\n" in markers or (not end and markers.endswith((".", "!", "?", ":")))
    if after.strip("#") or is_prose or not (end or label or (needs_no_end and markers)):
        return None
    return [*markers.split(";")] if ";" in markers else _split_list(markers) if markers else []


def _failed(reply: str, problem: str) -> ParseFailure:
    """Return a `grader_failed` with a problem and the beginning of the judge's reply."""
    return ParseFailure("grader_failed", f"{problem} in the judge's reply {reply[:80]!r}")


def _plain_words(text: str) -> str:
    return " ".join(text.translate(_SIGNS).lower().split()).strip(_EDGE_SIGNS)
