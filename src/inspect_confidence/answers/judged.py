"""Readers of a judge model's replies; a reply without a readable judgment is `grader_failed`."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Literal, TypeVar

from inspect_confidence.answers.clean import without_thoughts
from inspect_confidence.answers.labels import ParsedText, parse_statements
from inspect_confidence.answers.probability import share_in_value, share_without_label
from inspect_confidence.answers.reading import agreed_value, invalid
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

    Markers are words of confidence, such as "probably". The list may be in JSON, or a line that
    separates the entries by `;` and ends with `####`. With `generalised` the line needs no `####`,
    and a marker counts if any of its words is in the sentence.

    Stars and quotation marks around words are not part of a marker. Entries without a word, such as
    the template's "...", are left out. Entries that aren't in the sentence as whole words are left
    out and counted in `foreign`. An empty list has no markers. A reply without a list, or with
    entries of which none is a marker of the sentence, is `grader_failed`.

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
    phrases = list(dict.fromkeys(filter(None, map(_plain_words, map(str, entries)))))
    markers = Markers()
    for phrase in phrases:
        # A judge that may generalise markers need only repeat one of their words.
        needed_parts = phrase.split() if generalised else [phrase]
        pattern = f"{_WORD_EDGE}(?:{'|'.join(map(re.escape, needed_parts))}){_WORD_EDGE}"
        if re.search(pattern, plain_sentence):
            markers.append(phrase)
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
    value = agreed_value(parsed, ("decisiveness",), share_in_value)
    # Without JSON, whole or broken, the value may have another label, or none.
    if value is None and not parsed.objects and "{" not in parsed.text:
        labels = ("answer", "probability", "confidence")
        value = agreed_value(parsed, labels, share_in_value)
        if value is None:  # a stated 0 is a value
            value = share_without_label(parsed.text)
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
    # Without the label of the prompt, "Answer yes or no:", which a judge may repeat.
    return _labelled_word(_PROMPT_LABELS.sub("", reply), "agreement", _AGREEMENTS)


def read_agreements(reply: str, count: int) -> Sequence[Agreement | ParseFailure]:
    """Read the agreements of `count` replies with a sentence, which a judge lists in one call.

    All are `grader_failed` if the judge lists another number of agreements. An unreadable entry
    fails alone if the list has a label, such as a key of JSON; else all fail.
    """
    parsed = parse_statements(reply)
    entries = _list_under_key(parsed, "agreement", is_whole_reply=not parsed.statements)
    if entries is None or len(entries) != count:
        return [_failed(reply, f"no list of {count} agreements")] * count
    agreements: list[Agreement | ParseFailure] = []
    for entry in entries:
        text = "" if isinstance(entry, list | dict) else str(entry)
        agreement = _meaning_of_first_word(text, _AGREEMENTS)
        if agreement == _NO_WORD:
            # If nothing labels the list, it may be a sentence with commas.
            if not parsed.statements:
                return [_failed(reply, f"no list of {count} agreements")] * count
            agreement = _failed(reply, "no agreement")
        agreements.append(agreement)
    return agreements


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
    text = without_thoughts(reply).translate(_SIGNS).strip(f"{_EDGE_SIGNS}()[]\n")
    grades: set[Verdict | None] = set()
    # "a" is a grade only as the whole reply; elsewhere it is an article.
    for match in _GRADE.finditer(text.upper() if len(text) == 1 else text):
        before = text[max(0, match.start() - 40) : match.start()]
        if match["letter"] and not _PLACE_OF_GRADE.search(before):  # as in "vitamin C"
            continue
        grade: Verdict | None = _GRADES[re.sub("[ _]", "", match[0]).upper()]
        if _DENIED_GRADE.search(before):  # "not correct"; "not A" and "not incorrect" say less
            grade = "incorrect" if match["word"] and grade == "correct" else None
        grades.add(None if _PARTLY.search(before) else grade)
    only_grade = grades.pop() if len(grades) == 1 else None
    return _failed(reply, "no single grade A, B or C") if only_grade is None else only_grade


_GRADES: dict[str, Verdict] = {
    **dict.fromkeys(("A", "CORRECT"), "correct"),
    **dict.fromkeys(("B", "INCORRECT"), "incorrect"),
    **dict.fromkeys(("C", "NOTATTEMPTED"), "punt"),
}
_GRADE = re.compile(
    # "A" before a word in lower case is an article.
    r"(?<![\w'-])(?P<letter>[ABCbc])(?![\w'-])(?!\s+(?!(?:or|and|is|because|since|as|for)\b)[a-z])"
    r"|(?i:(?<!\w)(?P<word>(?:in)?correct|not[ _]?attempted)(?!\w)"
    r"(?! (?:answer|date|year|name|number|value|one) (?:is|was|would|should)\b))"
)
_PLACE_OF_GRADE = re.compile(
    r"(?:^|[:=/,\n]|\b(?:is|as|an?|or|and|not|neither|nor|grade|graded|assign|option|choose|deserves)"
    r"|n't|\{)[\s\"'(\[]*$",
    re.IGNORECASE,
)
"""Text before a letter that is a grade."""
_DENIED_GRADE = re.compile(
    r"(?:\b(?:not|never|cannot be)|n't)(?: (?:an?|the|entirely|fully|quite|be))*[\s\"'(\[]*$", re.I
)
_PARTLY = re.compile(
    r"\b(?:(?:part|partial|most|hard|near|large|scarce)ly|almost|neither|nor|either)(?: \w+)? ?$",
    re.IGNORECASE,
)


def _labelled_word(reply: str, key: str, words: dict[str, WordT]) -> WordT | ParseFailure:
    """Return the meaning of the word under a key, or of the only line that is such a word.

    `words` has the meaning of each accepted word, such as {"agrees": "yes"}. The result is a
    failure `grader_failed` if the judge's reply has no such word, or words of different meanings.
    """
    parsed = _parse_complete_values(reply)
    read_meaning = partial(_meaning_of_first_word, words=words)
    meaning = agreed_value(parsed, (key,), read_meaning)
    if not parsed.objects:  # without JSON the word may have another label, or none
        labels = ("answer", "verdict", "agreement", "choice")
        meaning = meaning or agreed_value(parsed, labels, read_meaning)
        # Without the failure of the lines that do not start with one of the words.
        line_meanings = set(map(read_meaning, parsed.text.split("\n"))) - {_NO_WORD}
        if meaning is None and len(line_meanings) == 1:
            meaning = line_meanings.pop()
    if meaning is None or isinstance(meaning, ParseFailure):
        return _failed(reply, f"no {key}")
    return meaning


def _parse_complete_values(reply: str) -> ParsedText:
    """Parse a reply and leave out a value in which the reply breaks off."""
    parsed = parse_statements(reply)
    complete = [statement for statement in parsed.statements if not statement.is_open]
    return replace(parsed, statements=complete)


def _meaning_of_first_word(value: str, words: dict[str, WordT]) -> WordT | ParseFailure:
    """Return the meaning of the word at the start of a value.

    `words` has the meaning of each accepted word; of several at the start the longest counts. The
    result is the failure `_NO_WORD` if the value starts with another word, or if the text after the
    word goes on with it or has a word of another meaning.
    """
    text = _plain_words(value)  # in lower case
    word = max(filter(text.startswith, words), key=len, default="")
    remainder = text[len(word) :]
    # Refused are "consistently" and "consistent, but only partly"; "consistent: it ..." is not.
    if not word or not _END_OR_EXPLANATION.match(remainder):
        return _NO_WORD
    for other_word, meaning in words.items():
        is_mentioned = re.search(rf"(?<!\w){re.escape(other_word)}(?!\w)", remainder)
        if is_mentioned and meaning != words[word]:
            return _NO_WORD
    return words[word]


def _list_under_key(parsed: ParsedText, key: str, *, is_whole_reply: bool) -> list[object] | None:
    """Return the list under a key; None if there is no list, or if there are different lists.

    Lists in JSON objects count before lists after labels in prose. With `is_whole_reply`, if no
    list is under the key or the lists differ, the whole text is read as the list.
    """
    complete = [statement for statement in parsed.statements_under(key) if not statement.is_open]
    in_objects = [statement for statement in complete if statement.strength == "object"]
    lists = []
    for statement in in_objects or complete:
        lists.append(_split_list(statement.json_value or statement.value))
    agreed = lists[0] if lists and lists.count(lists[0]) == len(lists) else None
    if agreed is None and is_whole_reply:
        return _split_list(parsed.text)
    return agreed


def _split_list(text: str) -> list[object] | None:
    """Return the entries of a list in JSON, in quotation marks, or separated by commas or lines.

    An empty text has no list: the result is None. A text such as "none" is an empty list.
    """
    text = text[max(text.find("["), 0) :].strip()  # without words before the list's bracket
    if not text:
        return None
    if _EMPTY_LIST.fullmatch(text):  # "none", "no markers"
        return []
    with suppress(ValueError, RecursionError):
        if isinstance(parsed := json.loads(text), list):
            return parsed
    if quoted := [match[1] or match[2] for match in _QUOTED.finditer(text)]:
        return list(quoted)
    entries: list[object] = []
    for part in re.split(r"[;,\n]", text.strip("[] ,")):
        if entry := _BULLET.sub("", part, count=1):  # without "1. " or "- "
            entries.append(entry.strip(" \"'"))
    return entries


def _study_form_entries(reply: str, *, needs_no_end: bool) -> list[object] | None:
    """Return the entries of a line "a; b ####", the form of the study; None for another form.

    The line may end without `####` after the prompt's label "Hedges:", which a judge may repeat,
    and with `needs_no_end`. Several lines, or a sentence without `####`, are another form.
    """
    *label, body = _PROMPT_LABELS.split(without_thoughts(reply).strip())
    markers, end, after = map(str.strip, body.partition("####"))
    is_prose = "\n" in markers or (not end and markers.endswith((".", "!", "?", ":")))
    is_marked = end or label or (needs_no_end and markers)
    if after.strip("#") or is_prose or not is_marked:
        return None
    if ";" in markers:
        return [*markers.split(";")]
    return _split_list(markers) if markers else []


def _failed(reply: str, problem: str) -> ParseFailure:
    """Return a `grader_failed` with a problem and the beginning of the judge's reply."""
    return ParseFailure("grader_failed", f"{problem} in the judge's reply {reply[:80]!r}")


def _plain_words(text: str) -> str:
    return " ".join(text.translate(_SIGNS).lower().split()).strip(_EDGE_SIGNS)
