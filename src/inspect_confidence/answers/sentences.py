"""A reply -> its sentences."""

import re
from bisect import bisect_left
from collections.abc import Iterable
from itertools import pairwise

import sentencex

CLOSING = r"(?:[\"'”’」』】》）)\]*_`»›]|\[\d{1,3}\]|[¹²³⁰⁴-⁹†‡])"  # noqa: RUF001 # as written
"""A sign, or a footnote's mark, that closes a sentence after its end."""

_CHINESE = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"\w")
_CLOSED = re.compile(CLOSING + r"+(?=\s|$)")
_INITIALS = re.compile(r"(?<![A-Za-z])[A-Za-z]\.\Z")
_LAST = re.compile(r"(?:([\w']+)\s+)?(?<![^\W\u3400-\u9fff])(?<!\.)([A-Za-z.]+)\.\s*\Z")
_LONGEST = 60
"""Signs in which the last two words of a part are looked for."""

_NUMBER = re.compile(r"[~≈±$€£]?\d|[IVX]{2,}\b|[VX]\b")
_BEFORE_NUMBER = re.compile(
    r"max|avg|circa|bk|(?:[Ee]st|[Vv]ols?|[Cc]h(?:ap)?|[Ee]q|[Ff]igs|[Nn]os?)"
)
_BEFORE_MORE = re.compile(r"[Aa]pprox|ca|[Cc]f|[Ee]\.?g|[Ii]\.?e|incl|viz|vs")
_TITLE = re.compile(r"Capt|Col|Dr|Gen|Gov|Hon|Lt|Mrs?|Ms|Pres|Prof|Rep|Rev|Sen|Sgt")
_DETERMINER = re.compile(r"an?|the|this|that|my|your|his|her|our|their", re.IGNORECASE)

# "I" as a word of its own, and words that open a sentence and are no names.
_I = r"I(?:['’](?:m|d|ve|ll)\b|,?\s+[*_]*[a-z])"  # noqa: RUF001 # as written
_OPENERS = (
    "Actually|Although|And|But|However|If|It|Likely|Maybe|My|Or|Perhaps|Possibly|Presumably|"
    "Probably|That|The|There|They|This|Though|We"
)
_MISSED = re.compile(rf"[.!?…][)\]*_]*\s+(?=[*_(]*(?:{_I}|(?:{_OPENERS})\b))")
_PARENTHESIS = re.compile(r"\([A-Z][^()]*[.!?…]\)\s+(?=[*_(]*[A-Z])")
_WITHIN = re.compile(r'"[^"]*"|“[^“”]*”|«[^«»]*»|「[^「」]*」|\([^()]*\)')


def cut_line(line: str) -> list[str]:
    """The sentences of a line, with the blanks between them; together they are the line."""
    parts = sentencex.segment("zh" if _CHINESE.search(line) else "en", line)
    ends, end = set(), 0
    for part in parts:
        end += len(part)
        closed = _CLOSED.match(line, end)
        ends.add(closed.end() if closed and not line[end - 1 : end].isspace() else end)
    ends |= _missed(line)
    found: list[str] = []
    for start, stop in pairwise(sorted({0, *ends, len(line)})):
        part = line[start:stop]
        if found and (_goes_on(found[-1], part) or not _WORD.search(part)):
            found[-1] += part
        else:
            found.append(part)
    return found


def _missed(line: str) -> set[int]:
    """Where sentences begin that sentencex doesn't see; none is within quotation marks."""
    within = [one.span() for one in _WITHIN.finditer(line)]
    begun = {one.end() for one in _MISSED.finditer(line)}
    begun |= {one.end() for one in _PARENTHESIS.finditer(line) if " " in one.group().strip()}
    starts = [start for start, _ in within]
    before = {place: bisect_left(starts, place) for place in begun}
    return {place for place, one in before.items() if not one or within[one - 1][1] <= place}


def _goes_on(before: str, after: str) -> bool:
    """Whether a part isn't at its sentence's end."""
    before, first = before.rstrip(), after.lstrip()
    if not before.endswith("."):
        return False
    if first[:1].islower() or (_INITIALS.search(before) and re.match(r"[A-Za-z]\.", after)):
        return True
    if not (last := _LAST.search(before[-_LONGEST:])):
        return False
    preceding, word = last[1] or "", last[2]
    if _BEFORE_NUMBER.fullmatch(word) and not preceding[-1:].isdigit():
        return bool(_NUMBER.match(first))
    is_title = _TITLE.fullmatch(word) and not _DETERMINER.fullmatch(preceding)
    is_name = first[:1].isupper() and not re.match(_I, first)
    return bool(_BEFORE_MORE.fullmatch(word) or (is_title and is_name))


_SIGN = re.compile(r"\s*[-*•\u2013]\s+(?=\S)")
_LABEL = re.compile(r"\s*(?P<open>\(?)(?P<place>\d{1,3}|[a-zA-Z])(?P<close>[.)])\s+(?=\S)")
_INLINE = re.compile(
    r"(?:^|(?<=[.!?…:;])\s|(?<=[。！？：；]))"  # noqa: RUF001 # signs as they are written
    r"\s*(?P<open>\(?)(?P<place>\d{1,2})(?P<close>[.)])\s+(?=\S)"
)
_ENDS = re.compile(rf"[.!?…。！？]{CLOSING}*$")  # noqa: RUF001 # likewise


def split_sentences(text: str) -> list[str]:
    r"""The sentences of a text, English or Chinese, without blanks around them.

    Each line is split by itself, so that items of a list are sentences of their own; their bullets
    are left out, and their numbers or letters where two items or more count on from each other:
    "42. I think" and "B. Franklin" begin with no bullet. So are numbers that count from 1 within a
    line. Lines without a word are left out. A reply's text in quotation marks stays in one
    sentence.

    Example:
        >>> split_sentences("It's probably Dr. J. Smith. I'm not sure!")
        ["It's probably Dr. J. Smith.", "I'm not sure!"]
        >>> split_sentences("1. Possibly 3.5 kg.\n2. 可能是巴黎。我不确定。")
        ['Possibly 3.5 kg.', '可能是巴黎。', '我不确定。']
    """
    pieces = (piece for line in _without_bullets(text.splitlines()) for piece in _items(line))
    parts = (part for piece in pieces for part in cut_line(piece))
    return [part.strip() for part in parts if _WORD.search(part)]


def ends_whole(text: str) -> bool:
    """Whether a text ends with a sentence's end."""
    return bool(_ENDS.search(text.rstrip()))


def _without_bullets(lines: list[str]) -> Iterable[str]:
    lines = [line for line in lines if _WORD.search(line)]
    labels = {place: label for place, line in enumerate(lines) if (label := _LABEL.match(line))}
    counted: set[int] = set()
    for style in {_style(label) for label in labels.values()}:
        alike = [place for place, label in labels.items() if _style(label) == style]
        for one, following in pairwise(alike):
            step = _place(labels[following]) - _place(labels[one])
            is_lazy = labels[one]["place"] == labels[following]["place"] == "1"
            if step == 1 or is_lazy:  # Markdown numbers "1. ... 1. ..." itself
                counted |= {one, following}
    # A list whose items before bear signs may have one numbered item.
    counted |= {
        place
        for place, label in labels.items()
        if place and _place(label) == 1 and _SIGN.match(lines[place - 1])
    }
    for place, line in enumerate(lines):
        bullet = labels[place] if place in counted else _SIGN.match(line)
        yield line[bullet.end() :] if bullet else line


def _items(line: str) -> Iterable[str]:
    """A line, cut where numbers count 1, 2, ... at the beginnings of its sentences."""
    labels: list[re.Match[str]] = []
    for label in _INLINE.finditer(line):
        is_next = _place(label) == len(labels) + 1
        if is_next and all(_style(one) == _style(label) for one in labels[:1]):
            labels.append(label)
    if len(labels) < 2:
        return [line]
    starts = [0, *(label.end() for label in labels)]
    return [
        line[a:b]
        for a, b in zip(starts, [*(one.start() for one in labels), len(line)], strict=True)
    ]


def _style(label: re.Match[str]) -> tuple[str, str, bool, bool]:
    return label["open"], label["close"], label["place"].isdigit(), label["place"].isupper()


def _place(label: re.Match[str]) -> int:
    place = label["place"]
    return int(place) if place.isdigit() else ord(place.lower()) - ord("a") + 1
