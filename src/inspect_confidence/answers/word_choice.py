"""Reader of the phrase with which a reply completes a sentence.

The choices are shown as lines, "A.is likely to be". Some models repeat the list, perhaps in another
order; a repeated list is not an answer.
"""

import functools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from string import ascii_uppercase

from inspect_confidence.answers.clean import BOX_END, CUT, clean, first_turn, folded, is_refusal
from inspect_confidence.answers.labels import ParsedText
from inspect_confidence.answers.reading import (
    agreed_value,
    ambiguous,
    invalid,
    is_revised,
    read_stated,
)
from inspect_confidence.answers.status import ParseFailure, is_invalid

I_CHOOSE = re.compile(r"\bi(?:'d|'ll| would| will| now| thus| therefore)? choose\b", re.I)
CUE = re.compile(
    rf"(?:{I_CHOOSE.pattern}|\b(?:correct|right|best|most \w{{1,20}}) (?:completion|choice|option)"
    r"(?: of the sentence)?(?: is| would be| should be)\b|\banswer(?: is\b| would be\b|(?= ?:)))",
    re.I,
)
DISAGREE = "letter and text disagree"
_START = (
    rf"(?:\A|(?i:{CUE.pattern}))\W{{0,8}}"
    r"(?i:(?:the )?(?:option|choice|letter|answer)(?: is)?\b\W{0,4})?"
)
_LOWER = re.compile(rf"{_START}[a-z](?=[.):]|\W*\Z)")
_EXPLAINED = (
    rf"[\])\"'.:;,* {BOX_END}]*(?:\Z|[\n(–—-]"  # noqa: RUF001 # dashes
    r"|(?i:because|since|as|for|given|based|in|of|so|from|with|which is one)\b)"
)
_OR = r"[\])\"',. ]*(?:(?:or|and)\b|[/&])\W{0,2}"
_DENIED = re.compile(
    r"(?:\b(?:not|never|neither|nor|cannot|rather than|instead of)\b|n't)[^.,;:!?\n]*$", re.I
)
_NOT = re.compile(r"\s*not\b", re.I)
_ALTERNATIVE = re.compile(r"\b(?:or|and|but|not)\b", re.I)
_REASON = re.compile(r"\n|,? (?:because|since)\b")
_UNFINISHED = re.compile(r"\s?\S*")
_ALONE = re.compile(r"\W*(?:(?:option|choice) )?\(?[A-Z][.):]")
_OTHER_LETTER = re.compile(r"\W*([A-Z])[.)](?!\w\.)")
_ALONE_LETTER = re.compile(r"\(?([A-Z])[).](?=\s[^\n]*\n)")
_LETTERS = ("letter", "first", "second", "marked", "lone", "option")


@dataclass(frozen=True)
class Mention:
    """A mention of a choice in a text.

    Attributes:
        letter: Index of the choice's letter; None if the text is named without a letter.
        text: Index of the choice's text; None if the letter stands alone, -1 if it has a text that
            is no choice's.
        is_denied: Whether a word such as "not" is before or after the mention.
        end: Position of its end.
    """

    letter: int | None
    text: int | None
    is_denied: bool
    end: int

    @property
    def is_listed(self) -> bool:
        """Whether the mention has both a letter and the text of a choice, right or wrong."""
        return self.letter is not None and self.text not in (None, -1)

    @property
    def disagrees(self) -> bool:
        """Whether letter and text are those of different choices."""
        return self.is_listed and self.letter != self.text


def letters(choices: Sequence[str]) -> str:
    """Return a pattern for one of the choices' letters; choices after Z have no letter."""
    return f"[A-{ascii_uppercase[: len(choices)][-1]}]" if choices else "(?!)"


class PhraseChoices:
    """The choices of a question, prepared for finding them in a text."""

    def __init__(self, choices: Sequence[str]) -> None:
        """Index the choices by spelling, and compile a pattern for mentions by letter or text."""
        self._size = len(choices)
        phrases = list(map(_plain_spelling, choices))
        self._index_by_spelling = _unique_spellings(list(map(_spellings_of_phrase, phrases)))
        letter, phrase = letters(choices), _pattern_of_any(phrases)
        spelling = _pattern_of_any(self._index_by_spelling)  # also "likely" of "is likely to be"
        # In this order: letter and text ("A, likely"), a letter at the start or after "I choose",
        # perhaps with a second one ("A or B"), a letter with a mark ("B."), on a line of its own,
        # or after "option", and a whole text ("is likely to be").
        self._pattern = re.compile(
            rf"(?<![\w'])(?P<letter>{letter})(?![\w'])[\W_]{{0,6}}(?P<of>(?i:{spelling}))(?![\w'-])"
            rf"|{_START}(?P<first>{letter})(?![\w'-]|:\W*\Z)"
            rf"(?:{_OR}(?P<second>{letter})(?![\w'])|(?={_EXPLAINED}))"
            rf"|(?<![\w'])(?P<marked>{letter})(?!:\W*\Z)[.):\]](?P<other>(?!{_EXPLAINED}))?"
            rf"|(?m:^)[^\w\n]*(?P<lone>{letter})[^\w\n:]*(?m:$)"
            rf"|(?i:\b(?:option|choice)) [(\"']?(?P<option>{letter})(?![\w'])"
            rf"|(?<![\w'-])(?P<text>(?i:{phrase}))(?![\w'-])"
        )

    def mentions_in(self, text: str) -> list[Mention]:
        """Return the mentions of the question's choices in a text, in their order.

        A mention has the indices of a letter and of a choice's text, or one of both; a text that is
        no choice's has the index -1. "A or B" is two mentions.
        """
        mentions = []
        # A lower-case letter at the start or after "I choose" is a choice's letter too.
        text = _LOWER.sub(lambda start: start.group().upper(), text)
        for match in self._pattern.finditer(text):
            index = None
            # `text` is a choice by its text, `of` the text after a letter ("A, likely"); `other`
            # matches an empty text, where a letter is followed by the text of no choice.
            for group in ("other", "text", "of"):
                if match[group] is not None:
                    index = self._index_by_spelling.get(_plain_spelling(match[group]), -1)
            # Groups with a letter, two in "A or B"; without one the choice is named by its text.
            groups = [group for group in _LETTERS if match[group]] or ["text"]
            start = min(map(match.start, groups))
            before = _DENIED.search(text[max(0, start - 60) : start])  # "rather than"
            denied = bool(before or _NOT.match(text, match.end()))  # " not"
            for group in groups:
                letter = None if group == "text" else ascii_uppercase.index(match[group])
                mentions.append(Mention(letter, index, denied, match.end()))
        return mentions

    def read(self, text: str) -> int | ParseFailure:
        """Return the index of the question's choice that a text makes, or why it makes none.

        If the text repeats the list of choices, only a choice after the last words such as "I
        choose" counts; without such words the failure is `echo`. A mention of a choice disagrees if
        its letter and text are of different choices.
        """
        mentions = self.mentions_in(text)
        letter = _OTHER_LETTER.match(text)  # "E." at the start, beside choices A to D
        if letter and ascii_uppercase.index(letter[1]) >= self._size:
            return ambiguous("a letter of no choice")
        repeated = _count_listed(mentions)  # with letter and text: "A.is likely B.is maybe"
        if repeated < 2:
            return self._single_index(text, mentions)
        # "A.is likely or B.is maybe" is no list if the question has more choices.
        if repeated == 2 < self._size and _ALTERNATIVE.search(text):
            return ambiguous("different choices")
        last_cue_end = max(map(re.Match.end, CUE.finditer(text)), default=len(text))
        after = [mention for mention in mentions if mention.end > last_cue_end]
        echo = ParseFailure("echo", f"{repeated} of {self._size} choices repeated")
        if _count_listed(after) > 1 or any(mention.disagrees for mention in after):
            return echo
        # If the repeated list is in another order, a letter alone is not certain.
        if after and after[-1].text is None and any(mention.disagrees for mention in mentions):
            return ambiguous(DISAGREE)
        index = self._single_index(text, after)
        return echo if is_invalid(index) else index

    def is_open(self, text: str) -> bool:
        """Return whether a text that is cut off may go on with more of a choice or of a list."""
        mentions = self.mentions_in(text)
        # A phrase may begin so: "is likely to be".
        if mentions and text.rstrip(CUT).endswith((" is", " are")):
            return True
        # At most one word may follow the last mention. Then a letter alone may get its text, and a
        # text without a full stop may be a part of a longer choice.
        if not mentions or not _UNFINISHED.fullmatch(text, mentions[-1].end):
            return False
        return mentions[-1].text is None or text[-1:] not in set(".!?")

    def _single_index(self, text: str, mentions: list[Mention]) -> int | ParseFailure:
        """Return the index of the only choice that the mentions in a text name, or a failure.

        A mention has the indices of the choice by its letter and by its text (-1 for a text of no
        choice), or one of both; if the two differ it disagrees. Without mentions the whole text may
        be a choice.
        """
        letters_named = {mention.letter for mention in mentions} - {None}
        if is_refusal(text) and not CUE.search(text) and not letters_named:
            return invalid("a text that declines")
        if any(mention.is_denied for mention in mentions):
            return ambiguous("a choice is denied")
        if any(mention.disagrees for mention in mentions):
            return ambiguous(DISAGREE)
        indices = {mention.letter if mention.text is None else mention.text for mention in mentions}
        if len(indices - {-1}) > 1 or len(letters_named) > 1:
            return ambiguous("different choices")
        if -1 in indices:
            return invalid("a letter with another text")
        if not indices:  # it may be spelled in another way
            spellings = map(_plain_spelling, (text, CUE.split(text)[-1]))
            indices = set(map(self._index_by_spelling.get, spellings)) - {None}
        index = indices.pop() if len(indices) == 1 else None
        return invalid("no choice's letter or text") if index is None else index


def _count_listed(mentions: list[Mention]) -> int:
    """Count the choices whose texts are listed with a letter."""
    return len({mention.text for mention in mentions if mention.is_listed})


def _plain_spelling(text: str) -> str:
    return " ".join(folded(text).casefold().split()).strip(" \n\"'.,:;!?*()[]")


def _spellings_of_phrase(text: str) -> set[str]:
    """Return the spellings of a phrase with and without its verb: "is likely to be", "likely"."""
    ends = {text, text.removesuffix(" to be"), text.removesuffix(" be")}
    spellings = set(ends)
    for verb in ("is ", "are ", "will be "):
        spellings.update(end.removeprefix(verb) for end in ends)
    return spellings


def _unique_spellings(spellings: Sequence[set[str]]) -> dict[str, int]:
    """Return the index of the choice for each spelling that only one choice has."""
    counts = Counter(chain.from_iterable(spellings))
    unique = {}
    for index, texts in enumerate(spellings):
        for text in texts:
            if text and counts[text] == 1:
                unique[text] = index
    return unique


def _pattern_of_any(forms: Iterable[str]) -> str:
    """Return a pattern for any of the spellings, the longest first."""
    ordered = sorted(filter(None, forms), key=len, reverse=True)
    return "|".join(re.escape(form).replace(r"\ ", r"\s+") for form in ordered) or "(?!)"


@functools.lru_cache(maxsize=256)
def _cached_phrase_choices(choices: tuple[str, ...]) -> PhraseChoices:
    """Return the prepared choices of a question; cached, since few sets of choices are asked."""
    return PhraseChoices(choices)


@dataclass(frozen=True)
class WordChoice:
    """The choice that a reply makes: its index; the letter A is 0."""

    index: int


def read_word_choice(
    reply: str, choices: Sequence[str], *, chain_of_thought: bool = False, truncated: bool = False
) -> WordChoice | ParseFailure:
    """Read which of the shown phrases a reply chooses, by its letter, its text or both.

    The choices are the phrases in the order of their letters, without letters. With
    `chain_of_thought` the last "I choose" decides, and what precedes it is reasoning. A failure is
    `no_response`, `refusal`, `truncated`, `echo` (the list repeated, and none chosen), `ambiguous`
    or `invalid_response_format`.

    Example:
        >>> phrases = ["is likely to be", "is maybe", "is unlikely to be"]
        >>> read_word_choice("C.is unlikely to be", phrases)
        WordChoice(index=2)
        >>> read_word_choice("A.is unlikely to be", phrases).reason
        'letter and text disagree'
    """
    # A reply that ends with a line, or with another question that the model asks, is complete.
    breaks_off = truncated and first_turn(reply) == reply and not reply.endswith("\n")
    find_index = functools.partial(
        _find_index,
        choices=_cached_phrase_choices(tuple(choices)),
        chain_of_thought=chain_of_thought,
        breaks_off=breaks_off,
    )
    index = read_stated(reply, find_index, keys=("answer", "choice"), truncated=truncated)
    return index if isinstance(index, ParseFailure) else WordChoice(index)


def _find_index(
    parsed: ParsedText, choices: PhraseChoices, *, chain_of_thought: bool, breaks_off: bool
) -> int | ParseFailure:
    """Return the index of the choice that a parsed reply makes, or why it makes none.

    After a chain of thought the text after the last "I choose" counts first. Then the labelled
    answer counts, then a line or text without a label. If the reply `breaks_off`, a choice at its
    end that may go on is not read.
    """
    unfinished = parsed.text if breaks_off else ""
    read = functools.partial(_read_finished, choices=choices, unfinished=unfinished)
    conclusions = I_CHOOSE.split(parsed.text)
    if chain_of_thought and len(conclusions) > 1:
        # An explanation, "because ...", may name other choices: the text before it is read first,
        # and the whole text only if there is no explanation, or no choice before it.
        choice, explanation = _split_explanation(conclusions[-1])
        index = read(choice)
        return index if isinstance(index, int) and explanation else read(conclusions[-1])
    # "choice" is a label of the answer in json only: in prose the word is too common.
    keys = ("answer", "choice") if parsed.objects else ("answer",)
    answer = agreed_value(parsed, keys, read)
    opening = _ALONE_LETTER.match(parsed.text)  # "A. ..." on the first of several lines
    if isinstance(answer, int) and opening and opening[1] != ascii_uppercase[answer]:
        return ambiguous("different choices")
    for text in _texts_without_label(parsed.text, chain_of_thought):
        if answer is None or is_invalid(answer):
            answer = read(text)
        elif isinstance(answer, ParseFailure) and answer.status == "echo":
            # A line that repeats the list is no choice; the text beside it may be one.
            index = read(text)
            answer = index if isinstance(index, int) else answer
    return invalid("no choice") if answer is None else answer


def _read_finished(text: str, choices: PhraseChoices, unfinished: str) -> int | ParseFailure:
    """Read the choice in a part of a reply; a failure if it may go on where the reply breaks off.

    `unfinished` is the text of a reply that breaks off; it is empty for other replies.
    """
    if unfinished.endswith(text) and choices.is_open(text):
        return invalid("the choice may go on")
    return choices.read(text)


def _split_explanation(text: str) -> tuple[str, str]:
    """Split a conclusion into the choice and its explanation, which may name other choices.

    The explanation is empty, and the choice the whole text, if the rest of it makes a choice too.
    """
    # An explanation begins at a line break, "because" or "since".
    choice, *explanations = _REASON.split(text.strip(), maxsplit=1)
    explanation = explanations[0] if explanations else ""
    has_choice_alone = any(map(_ALONE.match, explanation.split("\n")))  # a line such as "(B) ..."
    # The cue of another choice: "I choose", "the best completion is".
    if is_revised(explanation) or CUE.search(explanation) or has_choice_alone:
        return text, ""
    return choice, explanation


def _texts_without_label(text: str, chain_of_thought: bool) -> list[str]:
    """Return the texts in which a choice without a label is looked for, in this order.

    After a chain of thought it is the last line, else the only line with a letter ("A. ..."), then
    the whole text.
    """
    lines = text.split("\n")
    if chain_of_thought:
        return lines[-1:]
    lines_with_letter = list(filter(_ALONE.match, lines))
    return [*lines_with_letter, text] if len(lines_with_letter) == 1 else [text]


def first_letter(
    reply: str, choices: Sequence[str], *, chain_of_thought: bool = False
) -> int | None:
    """Return the first letter that a reply names, the rule behind the study's published figures.

    A repeated list counts as its first letter, and the article "A" at the start as a choice. With
    `chain_of_thought` only the text after the last "I choose" counts. The result is the letter's
    index, from 0. It is None if there is no such letter, or no "I choose".

    Example:
        >>> first_letter("A.is unlikely to be B.is maybe", ["is likely to be", "is maybe"])
        0
    """
    text = clean(reply)
    conclusions = I_CHOOSE.split(text)
    if chain_of_thought and len(conclusions) == 1:
        return None
    letter = letters(choices)
    # At the start any letter counts; later only one before a sign such as "." or at the end.
    match = re.search(
        rf"\A\W*{letter}(?![\w'])|(?<![\w'.]){letter}(?=[.):\]]|\W*\Z)",
        conclusions[-1] if chain_of_thought else text,
    )
    return ascii_uppercase.index(match[0][-1]) if match else None
