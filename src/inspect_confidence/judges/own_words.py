"""Plain words of a sentence's speaker, without names, quotations and other people's claims."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache


def words(text: str) -> frozenset[str]:
    """Return the words of a list separated by blanks."""
    return frozenset(text.split())


WordSpan = tuple[str, int, int]
"""A word of the sentence with its start and end."""

_CLAUSE_ENDS = frozenset('.!?:;"“”()[]{}*#>|•…—–\n«»„_-')  # noqa: RUF001 # dashes
_CLAIM_ENDS = frozenset({";", ".", "!", "?", "but", "however", "although", "though", "—", "–"})  # noqa: RUF001
_CLOSING_QUOTES = {"“": "”", "«": "»", "„": "“", "「": "」", "『": "』", '"': '"'}
_REPORTING_VERBS = words(
    "said says claimed claims believed believes thought thinks argued argues insisted insists "
    "wondered asked reported announced declared predicted suspected suspects feared hoped "
    "assumed asserted asserts told warned concluded speculated doubted guessed supposed "
    "maintained"
)
_PLURAL_REPORTING_VERBS = words(
    "say claim believe think argue suspect insist assume assert doubt speculate guess maintain"
)
_CLAIM_STARTS = words(
    "that he she they it there the a an this these we i his her their its whether if"
)
_SKIPPED_BEFORE_VERB = words(
    "have has had also once long often still now then always once originally even widely "
    "generally firmly strongly first later"
)
_NOT_SUBJECTS = words(
    "i we to would should could can may might must will is are was were be been being not do "
    "does did you let if _ , ( as so , i' what than"
)


def own_words(plain: Sequence[str], tokens: Sequence[WordSpan]) -> list[str]:
    """Return the plain words with `^` before names, and `_` in place of other people's words."""
    return _mask_reported_claims(_mask_quotations(_mark_names(plain, tokens)))


def _mark_names(plain: Sequence[str], tokens: Sequence[WordSpan]) -> list[str]:
    """Put `^` before names, so that the first word of "May Day" is not taken for a marker.

    Names are capitalised words within a clause, and a first "May" unless "be" or "have" follows.
    `plain` has the words in lower case, `tokens` as written with their start and end.
    """
    marked, is_first = list(plain), True
    for index, (token, _, _) in enumerate(tokens):
        if token[:1].isalpha():
            following = plain[index + 1] if index + 1 < len(plain) else ""
            is_title = token[0].isupper() and token[1:] == token[1:].lower() and len(token) > 1
            is_title &= not token.startswith(("I'", "I’"))  # "I'm"  # noqa: RUF001
            is_clause_start = is_first and (plain[index] != "may" or following in ("be", "have"))
            if is_title and not is_clause_start:
                marked[index] = "^" + plain[index]
            is_first = False
        elif token[:1] in _CLAUSE_ENDS:
            is_first = True
    return marked


def _mask_quotations(plain: list[str]) -> list[str]:
    """Replace the words of closed quotations by `_`, unless the whole sentence is a quotation."""
    masked = list(plain)
    start, closing = 0, ""
    for index, word in enumerate(plain):
        if not closing:
            start, closing = index, _CLOSING_QUOTES.get(word, "")
        elif word == closing:
            masked[start : index + 1] = ["_"] * (index + 1 - start)
            closing = ""
    return masked if any(word[0].isalnum() for word in masked) else plain


def _mask_reported_claims(plain: list[str]) -> list[str]:
    """Replace other people's claims by `_`: "they say that it may rain" keeps "they say".

    A claim ends at a word such as "but", at a semicolon, or with the sentence.
    """
    masked, is_reported = list(plain), False
    for index, word in enumerate(plain):
        if is_reported and word not in _CLAIM_ENDS:
            masked[index] = "_"
            continue
        following = plain[index + 1] if index + 1 < len(plain) else ""
        is_reported = (
            (word in _REPORTING_VERBS or word in _PLURAL_REPORTING_VERBS)
            # A claim starts with a name, which ^ marks, or a word such as "that".
            and (following.startswith("^") or following in _CLAIM_STARTS)
            # The subject is among the six words before, which leaves room for auxiliaries.
            and _has_other_subject(
                plain[max(0, index - 6) : index], word in _PLURAL_REPORTING_VERBS
            )
        )
    return masked


def _has_other_subject(before: Iterable[str], is_plural: bool) -> bool:
    """Return whether the words before a verb end with a subject other than the speaker.

    So do "most experts have", but not "i", nor words such as "to" that are no subject. Before a
    verb in the plural (`is_plural`) the subject must be a plural, too. `^` starts a name.
    """
    # The last word but for auxiliaries and adverbs, such as "have long".
    subject = next(
        (word for word in reversed(list(before)) if word not in _SKIPPED_BEFORE_VERB), ""
    )
    if subject in _NOT_SUBJECTS or not (subject[:1].isalpha() or subject.startswith("^")):
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
_CONTRACTIONS = {
    "can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not",
    "ain't": "is not", "let's": "let us", "isnt": "is not", "dont": "do not",
    "doesnt": "does not", "im": "i am", "ive": "i have", "gonna": "going to",
}  # fmt: skip
_CONTRACTED_ENDINGS = {
    "n't": "not",
    "'m": "am",
    "'re": "are",
    "'ve": "have",
    "'ll": "will",
    "'d": "would",
}
_WORDS_BEFORE_IS = words(
    "it that this there here what which who he she where how answer guess one everything"
)


@dataclass(frozen=True)
class PlainLine:
    """The plain words of a sentence, with a blank before and after each.

    Attributes:
        text: The line.
        starts: Start of each word on the line.
        spans: Start and end of each word in the sentence.
    """

    text: str
    starts: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the start and end, in the sentence as written, of the words in text[start:end]."""
        # The last word that starts at or before a position contains it.
        first = bisect_right(self.starts, start) - 1
        last = bisect_right(self.starts, max(start, end - 1)) - 1
        return self.spans[first][0], self.spans[last][1]


def plain_line(sentence: str, *, whole: bool = False) -> PlainLine:
    """Return a sentence's words in lower case on one line, with contractions written out.

    Each word comes with its start on the line, and its start and end in the sentence. Unless
    `whole` is set, `^` marks names, and `_` replaces quotations and other people's claims.
    """
    tokens = [(match.group(), *match.span()) for match in _TOKEN.finditer(sentence)]
    words = [token.translate(_APOSTROPHES).lower() for token, _, _ in tokens]
    if not whole:
        words = own_words(words, tokens)
    text = " "
    starts, spans = [], []
    for word, (_, start, end) in zip(words, tokens, strict=True):
        for part in _expand_word(word):
            starts.append(len(text))
            spans.append((start, end))
            text += f"{part} "
    return PlainLine(text, tuple(starts), tuple(spans))


@lru_cache(maxsize=4096)  # a language's words are few
def _expand_word(word: str) -> tuple[str, ...]:
    """Return the words of a contraction, such as `is` and `not`, or the word; `%` for per cent."""
    if word in _CONTRACTIONS:
        return tuple(_CONTRACTIONS[word].split())
    for ending, full in _CONTRACTED_ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending):
            return word[: -len(ending)], full
    if word.endswith("'s") and word[:-2] in _WORDS_BEFORE_IS:
        return word[:-2], "is"
    if word[0].isdigit() and word.endswith(("%", "cent")):
        return (re.sub(r"\s*(?:%|per ?cent)$", "%", word).replace(",", ""),)
    # Quotes around a word are left out; a quote alone stays.
    return (" ".join(word.strip("'").split()) or "'",)
