"""Splitting of a reply into sentences."""

import re
from collections.abc import Iterable
from itertools import chain, pairwise

import sentencex

from inspect_confidence.answers.clean import without_thoughts

# ruff: noqa: RUF001 # signs as they are written

_CLOSING = r"(?:[\"'”’」』】》）)\]*_`»›]|\[\d{1,3}\]|[¹²³⁰⁴-⁹†‡])"
"""A sign, or a footnote's mark, that closes a sentence after its end."""
_ENDS = re.compile(rf"[.!?…。！？]{_CLOSING}*$")
_CLOSED = re.compile(rf"(?<!\s){_CLOSING}+(?=\s|$)")
_WORD = re.compile(r"\w")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
"""A lone surrogate, which can't be encoded."""

_INITIALS = re.compile(r"(?<![A-Za-z])[A-Za-z]\.\Z")
_LAST_WORDS_LENGTH = 60
"""Number of characters in which the last two words of a part are looked for."""
_ABBREVIATION = re.compile(
    r"(?:\b(?P<the>(?i:an?|the|this|that|my|your|his|her|our|their))\s+)?"
    r"(?<![^\W\u3400-\u9fff])(?<!\.)(?:"
    r"(?P<number>max|avg|circa|bk|(?:[Ee]st|[Vv]ols?|[Cc]h(?:ap)?|[Ee]q|[Ff]igs|[Nn]os?))"
    r"|(?P<more>[Aa]pprox|ca|[Cc]f|[Ee]\.?g|[Ii]\.?e|incl|viz|vs)"
    r"|(?P<title>Capt|Col|Dr|Gen|Gov|Hon|Lt|Mrs?|Ms|Pres|Prof|Rep|Rev|Sen|Sgt))\.\Z"
)
"""Abbreviations with a full stop that is not the end of a sentence, by the text that follows."""
_NUMBER = re.compile(r"[~≈±$€£]?\d|[IVX]{2,}\b|[VX]\b")
# "I" as a word of its own, and words that open a sentence and are no names.
_I = r"I(?:['’](?:m|d|ve|ll)\b|,?\s+[*_]*[a-z])"
_OPENERS = (
    "Actually|Although|And|But|However|If|It|Likely|Maybe|My|Or|Perhaps|Possibly|Presumably|"
    "Probably|That|The|There|They|This|Though|We"
)
_MISSED_START = re.compile(
    rf"[.!?…][)\]*_]*\s+(?=[*_(]*(?:{_I}|(?:{_OPENERS})\b))"
    r"|\([A-Z][^()_]*_[^()]*(?<=[.!?…])\)\s+(?=[*_(]*[A-Z])"  # a sentence in brackets
)
"""Where a sentence begins that sentencex doesn't see; `_` is a blank within brackets or quotes."""
_QUOTED_OR_BRACKETED = re.compile(r'"[^"]*"|“[^“”]*”|«[^«»]*»|「[^「」]*」|\([^()]*\)')
_BULLET_SIGN = re.compile(r"\s*[-*•\u2013]\s+(?=\S)")
_LABEL = re.compile(r"\s*(?P<open>\(?)(?P<number>\d{1,3}|[a-zA-Z])(?P<close>[.)])\s+(?=\S)")
_INLINE_LABEL = re.compile(
    r"(?:^|(?<=[.!?…:;])\s|(?<=[。！？：；]))"
    r"\s*(?P<open>\(?)(?P<number>\d{1,2})(?P<close>[.)])\s+(?=\S)"
)


def _possible_ends(line: str) -> list[int]:
    """Return the positions in a line at which a sentence may end, from 0 to the line's length.

    They are those that the library sentencex sees, after closing quotes or brackets, and those that
    it misses before opening words such as "However".
    """
    ends, end = {0, len(line)}, 0
    # sentencex fails on blanks outside ASCII and on surrogates. One character replaces another, so
    # that positions stay.
    for part in sentencex.segment("en", _LONE_SURROGATE.sub("\ufffd", re.sub(r"\s", " ", line))):
        end += len(part)
        closed = _CLOSED.match(line, end)  # a quotation mark or bracket
        ends.add(closed.end() if closed else end)
    # Blanks within quotes and brackets become "_", so that no sentence begins there.
    unparted = _QUOTED_OR_BRACKETED.sub(lambda match: re.sub(r"\s", "_", match.group()), line)
    ends.update(map(re.Match.end, _MISSED_START.finditer(unparted)))
    return sorted(ends)


def _split_line(line: str) -> list[str]:
    """Return the sentences of a line with the blanks between them; joined, they are the line.

    No sentence begins in a part without a word, nor after an abbreviation such as "Dr.".
    """
    begins: list[int] = []
    for start, stop in pairwise(_possible_ends(line)):
        part = line[start:stop]
        # The last words of the sentence so far are enough to see an abbreviation.
        context_start = max(start - 2 * _LAST_WORDS_LENGTH, begins[-1]) if begins else start
        before = line[context_start:start].rstrip()
        is_new_sentence = _WORD.search(part) and not _continues_sentence(before, part.lstrip())
        if not begins or is_new_sentence:
            begins.append(start)
    return [line[start:stop] for start, stop in pairwise([*begins, len(line)])]


def _continues_sentence(before: str, after: str) -> bool:
    """Return whether the sentence before a full stop goes on after it: "Dr. Smith", "e.g. this"."""
    if not before.endswith("."):
        return False
    # "J. S. Bach"
    is_between_initials = _INITIALS.search(before) and re.match(r"[A-Za-z]\.", after)
    if after[:1].islower() or is_between_initials:
        return True
    if not (last := _ABBREVIATION.search(before[-_LAST_WORDS_LENGTH:])):
        return False
    if last["number"]:  # "No. 5", but "She said no. Then"
        return bool(_NUMBER.match(after))
    is_name = after[:1].isupper() and not re.match(_I, after)  # not "I'm" or "I think"
    # "e.g." always goes on; a title does before a name ("Dr. Smith"), but not in "the Rep. Then".
    return bool(last["more"] or (is_name and not last["the"]))


def split_sentences(text: str) -> list[str]:
    r"""Return the sentences of a text, English or Chinese, without blanks around them.

    The model's reasoning is left out. Each line is split on its own, so that items of a list are
    sentences of their own. Bullets and lines without a word are left out. Numbers or letters of
    items are left out if two or more items count on from each other, since "42. I think" and
    "B. Franklin" do not begin with a bullet. Numbers that count from 1 within a line are left out
    too. Quoted text within a reply stays in one sentence.

    Example:
        >>> split_sentences("It's probably Dr. J. Smith. I'm not sure!")
        ["It's probably Dr. J. Smith.", "I'm not sure!"]
        >>> split_sentences("1. Possibly 3.5 kg.\n2. 可能是巴黎。我不确定。")
        ['Possibly 3.5 kg.', '可能是巴黎。', '我不确定。']
    """
    lines = list(filter(_WORD.search, without_thoughts(text).splitlines()))
    pieces = chain.from_iterable(map(_split_numbered_items, _without_bullets(lines)))
    sentences = chain.from_iterable(map(_split_line, pieces))
    return list(map(str.strip, filter(_WORD.search, sentences)))


def ends_whole(text: str) -> bool:
    """Return whether a text ends at the end of a sentence."""
    return bool(_ENDS.search(text.rstrip()))  # a full stop or the like


def _without_bullets(lines: list[str]) -> Iterable[str]:
    """Yield the lines without bullets ("- "), and without labels that count on: "1. ", "2. ".

    Labels count on if they have one style, such as "(a)", and each is the next number or letter;
    "1." after "1." counts on too. A single "1." is a label if the line above has a bullet.
    """
    labels = {index: label for index, line in enumerate(lines) if (label := _LABEL.match(line))}
    counted: set[int] = set()  # indices of lines whose label is one of a list
    last_index_by_style: dict[object, int] = {}
    for index, label in labels.items():
        previous = last_index_by_style.get(_label_style(label), index)  # itself if none precedes
        # Markdown numbers "1. ... 1. ..." itself.
        is_lazy = previous != index and label["number"] == labels[previous]["number"] == "1"
        if is_lazy or _label_number(label) == _label_number(labels[previous]) + 1:
            counted |= {previous, index}
        if index and _label_number(label) == 1 and _BULLET_SIGN.match(lines[index - 1]):
            counted.add(index)
        last_index_by_style[_label_style(label)] = index
    for index, line in enumerate(lines):
        bullet = labels[index] if index in counted else _BULLET_SIGN.match(line)
        yield line[bullet.end() :] if bullet else line


def _split_numbered_items(line: str) -> Iterable[str]:
    """Split a line at labels that number its parts 1, 2, ..., such as "1. " or "(2) ".

    The text before the first label, which may be empty, is the first part. With fewer than two
    labels the line is one part.
    """
    labels: list[re.Match[str]] = []
    for label in _INLINE_LABEL.finditer(line):
        is_next = _label_number(label) == len(labels) + 1
        has_same_style = not labels or _label_style(labels[0]) == _label_style(label)
        if is_next and has_same_style:
            labels.append(label)
    if len(labels) < 2:
        return [line]
    # A part lies between the end of a label, or of nothing, and the start of the next.
    starts = [0, *map(re.Match.end, labels)]
    stops = [*map(re.Match.start, labels), len(line)]
    return [line[start:stop] for start, stop in zip(starts, stops, strict=True)]


def _label_style(label: re.Match[str]) -> tuple[str, str, bool, bool]:
    """Return the signs around a label and its kind (digits, capital letter), equal in one list."""
    return label["open"], label["close"], label["number"].isdigit(), label["number"].isupper()


def _label_number(label: re.Match[str]) -> int:
    """Return the number of a label in its list; a letter counts from a = 1."""
    number = label["number"]
    return int(number) if number.isdigit() else ord(number.lower()) - ord("a") + 1
