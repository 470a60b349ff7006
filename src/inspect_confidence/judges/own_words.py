"""A sentence -> a line of the speaker's own plain words: no names, quotations or others' claims."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache


def words(text: str) -> frozenset[str]:
    """The words of a list that is written with blanks between."""
    return frozenset(text.split())


Token = tuple[str, int, int]
"""A word as written, and where it begins and ends."""

_CLAUSE_ENDS = frozenset('.!?:;"“”()[]{}*#>|•…—–\n«»„_-')  # noqa: RUF001 # dashes
_STOPS = frozenset({";", ".", "!", "?", "but", "however", "although", "though", "—", "–"})  # noqa: RUF001
_OPEN = {"“": "”", "«": "»", "„": "“", "「": "」", "『": "』", '"': '"'}
_SAID = words(
    "said says claimed claims believed believes thought thinks argued argues insisted insists "
    "wondered asked reported announced declared predicted suspected suspects feared hoped "
    "assumed asserted asserts told warned concluded speculated doubted guessed supposed "
    "maintained"
)
_SAY = words(
    "say claim believe think argue suspect insist assume assert doubt speculate guess maintain"
)
_LINKS = words("that he she they it there the a an this these we i his her their its whether if")
_AUXILIARY = words(
    "have has had also once long often still now then always once originally even widely "
    "generally firmly strongly first later"
)
_NOT_SUBJECTS = words(
    "i we to would should could can may might must will is are was were be been being not do "
    "does did you let if _ , ( as so , i' what than"
)


def own_words(plain: Sequence[str], found: Sequence[Token]) -> list[str]:
    """The plain words with a sign before names, and a sign in the place of others' words."""
    return _without_reported(_without_quoted(_without_names(plain, found)))


def _without_names(plain: Sequence[str], found: Sequence[Token]) -> list[str]:
    """Capitals within a clause make a name; "May" at its beginning is one unless "be" follows."""
    named, is_first = list(plain), True
    for place, (token, _, _) in enumerate(found):
        if token[:1].isalpha():
            following = plain[place + 1] if place + 1 < len(plain) else ""
            is_title = token[0].isupper() and token[1:] == token[1:].lower() and len(token) > 1
            is_own = is_first and (plain[place] != "may" or following in ("be", "have"))
            if is_title and not is_own and not token.startswith(("I'", "I’")):  # noqa: RUF001
                named[place] = "^" + plain[place]
            is_first = False
        elif token[:1] in _CLAUSE_ENDS:
            is_first = True
    return named


def _without_quoted(plain: list[str]) -> list[str]:
    """Quotations put out of the way, unless all is one quotation."""
    quoted: set[int] = set()
    begun, closing = 0, ""
    for place, word in enumerate(plain):
        if not closing:
            begun, closing = place, _OPEN.get(word, "")
        elif word == closing:
            quoted |= set(range(begun, place + 1))
            closing = ""
    if not any(word[0].isalnum() for at, word in enumerate(plain) if at not in quoted):
        return plain
    return ["_" if place in quoted else word for place, word in enumerate(plain)]


def _without_reported(plain: list[str]) -> list[str]:
    """What others say or believe, from after the verb to the end of its clause."""
    left, is_reported = list(plain), False
    for place, word in enumerate(plain):
        if is_reported and word not in _STOPS:
            left[place] = "_"
            continue
        following = plain[place + 1] if place + 1 < len(plain) else ""
        is_reported = (
            (word in _SAID or word in _SAY)
            and (following.startswith("^") or following in _LINKS)
            and _is_others(plain[max(0, place - 6) : place], word in _SAY)
        )
    return left


def _is_others(before: Iterable[str], is_plural: bool) -> bool:
    """Whether the words before a verb end with a subject that isn't the speaker."""
    subject = next((word for word in reversed(list(before)) if word not in _AUXILIARY), "")
    if subject in _NOT_SUBJECTS or (not subject[:1].strip("^").isalpha() and subject[:1] != "^"):
        return False
    return (
        not is_plural
        or subject.endswith(("s", "people"))
        or subject in ("they", "some", "many", "most", "who")
    )


_TOKEN = re.compile(
    r"[0-9]+(?:[.,][0-9]+){0,20}[ ]?(?:%|per ?cent\b)"
    r"|[^\W_]+(?:['’`´\-/‑][^\W_]+)*['’]?|[^\s\w]|_"  # noqa: RUF001 # apostrophes
)
_APOSTROPHES = str.maketrans("’`´‑", "'''-")  # noqa: RUF001 # as they are written
_WHOLE = {
    "can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not",
    "ain't": "is not", "let's": "let us", "isnt": "is not", "dont": "do not",
    "doesnt": "does not", "im": "i am", "ive": "i have", "gonna": "going to",
}  # fmt: skip
_ENDINGS = {"n't": "not", "'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would"}
_IS = words("it that this there here what which who he she where how answer guess one everything")


@dataclass(frozen=True)
class Line:
    """The plain words of a sentence, with a blank before and after each.

    Attributes:
        text: The words.
        starts: Where each begins on the line.
        spans: Where each stood in the sentence.
    """

    text: str
    starts: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where the words between two places of the line stood in the sentence."""
        first = bisect_right(self.starts, start) - 1
        last = bisect_right(self.starts, max(start, end - 1)) - 1
        return self.spans[first][0], self.spans[last][1]


def plain_line(sentence: str, *, own: bool = True) -> Line:
    """The line of a sentence; whole, with names and quotations, if `own` is not set."""
    found = [(one.group(), one.start(), one.end()) for one in _TOKEN.finditer(sentence)]
    words = [token.translate(_APOSTROPHES).lower() for token, _, _ in found]
    if own:
        words = own_words(words, found)
    placed: list[tuple[str, int, int]] = []
    for word, (_, start, end) in zip(words, found, strict=True):
        placed += [(part, start, end) for part in _written_out(word)]
    starts, at = [], 1
    for part, _, _ in placed:
        starts.append(at)
        at += len(part) + 1
    text = " " + "".join(f"{part} " for part, _, _ in placed)
    return Line(text, tuple(starts), tuple((start, end) for _, start, end in placed))


@lru_cache(maxsize=4096)  # a language's words are few
def _written_out(word: str) -> tuple[str, ...]:
    if word in _WHOLE:
        return tuple(_WHOLE[word].split())
    for ending, full in _ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending):
            return word[: -len(ending)], full
    if word.endswith("'s") and word[:-2] in _IS:
        return word[:-2], "is"
    if word[0].isdigit() and word.endswith(("%", "cent")):
        return (re.sub(r"\s*(?:%|per ?cent)$", "%", word).replace(",", ""),)
    return (" ".join(word.strip("'").split()) or "'",)
