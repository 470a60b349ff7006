"""Reader of the option that a reply chooses, by its letter, its text or both."""

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from string import ascii_uppercase

from inspect_confidence.answers.clean import BOX, BOX_END, CUT, plain_value
from inspect_confidence.answers.labels import ParsedText, statements_in
from inspect_confidence.answers.reading import (
    agreed_value,
    ambiguous,
    invalid,
    read_stated,
    text_without,
)
from inspect_confidence.answers.status import ParseFailure, is_invalid

# ruff: noqa: RUF001 # dashes, as they are written

_WORDS_BEFORE_CHOICE = re.compile(
    r"(?:(?:i (?:think|believe|choose|chose|pick|select|would (?:say|choose)|'d say)(?: that)?"
    r"|it(?: is|'s)|(?:the )?(?:correct |right |best )?(?:answer|option|choice)(?: is|:)"
    r"|probably|likely|most likely|definitely|clearly)(?: |$))*",
    re.IGNORECASE,
)
_LETTER = re.compile(
    r"(?P<named>(?:(?:the |both |either )*(?:option|choice|letter|answer)s? |both |either |选项))?"
    r"(?P<open>[(\[{\"']*)(?P<letter>[A-Za-z])(?![\w#+^=%°²³\x1a]|'[A-Za-z])(?P<close>[)\]}\"']*)"
    r"(?P<mark> ?[.:;,?!。，]| ?[-–—](?= ?\w)| ?→)?[ ]*",
    re.IGNORECASE,
)
_SECOND_LETTER = re.compile(
    r"[()\]\"'., ]*(?P<joined>(?:(?:[/&+]|\bor\b|\band\b)[, ]*)+)?"
    r"(?:(?:maybe|possibly|perhaps|option|choice) )*[(\[\"']?(?P<letter>[A-Z])(?![\w'])"
    r"(?P<end>[)\]\"'.,; ]*(?:$|\n|(?:are|or|and|[A-Z])\b))?"
)
_JOINED_LETTER = re.compile(
    r"\W{1,5}(?:and|or|&|/)\W{1,5}(?:(?:option|choice) )?\(?(?P<letter>[A-Z])[).:]"
)
_FOLLOWS_LETTER = re.compile(r"(?:because|since|as|for|is|would|seems|→|\(|[)|])|$", re.IGNORECASE)
_DENIED = re.compile(r"(?:is|was|would be) (?:wrong|incorrect|false|not|out)\b|isn't\b", re.I)
_BOUNDARY = re.compile(r"[.,;:(!\n]|\s[-–—]|[–—]|\s(?:because|since|as|is)\b")
_TEXT_THEN_LETTER = re.compile(
    r"(?P<text>.*\S)[ ]?[,–—-]?[ ]?(?:[(\[](?:(?:option|choice|answer) )?"
    r"|[,–—(-][ ]?(?:option|choice) )(?P<letter>[A-Z])[)\]]?\W{0,3}",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"\b(?:a|an|the) (?=\w)")
_PUNCTUATION = re.compile(
    r"[;:?\"…()\[\]{}]|(?<![0-9])!|[.,](?![0-9])|(?<=[A-Za-z])['-](?=[A-Za-z])"
)
_NO_BOX = dict.fromkeys(map(ord, BOX + BOX_END), " ")
_LONGEST_SENTENCE = 200
_OPENING_LETTER = re.compile(r"\(?(?P<letter>[A-Z])\)?[).:](?=\s[^\n]*\n)")
_DIFFERENT_LETTERS = "two different letters"
_MEANS = re.compile(r",? ?(?:(?:which|that) (?:is|means)(?: that)?|i\.e\.,?) ", re.IGNORECASE)
_NO_SENTENCE = re.compile(rf"\n|{CUT}|^\W{{0,3}}[A-Z][).:]")
_CAPITALIZED_WORD = re.compile(r"[A-Z]\w* $")
_NAME_END = (
    r"(?=\W*$|[,;./&]|\s(?:[/&]|and\b)|\s(?:is|was|are|were|as|because|since|whose|which|who|that|with|for|in|on"
    r"|at)\b)"
)
"""Pattern of the end of a choice's text in a sentence, so that "iron ore" is not read as "iron"."""
_NOT_CHOSEN = re.compile(
    r"\b(?:not|never|neither|nor|or|instead|rather|can't|isn't"
    r"|anything but|except|other than)\b|\?",
    re.IGNORECASE,
)
_CONFIDENCE_AT_END = re.compile(
    r"(?:,? | ?[(\[])(?:with (?:a )?confidence (?:level )?of )?[0-9]{1,3} ?%?[)\]]?\.?$"
)
NO_CHOICE = "no choice's letter or text"
_LETTER_AND_TEXT_DIFFER = "letter and text are of different choices"
_CALLED_CORRECT = re.compile(
    r"(?:\b(?:option|choice|answer|statement)? ?|^)[(\[]?\b(?P<letter>[A-Z])\b[)\].]?"
    r"(?: \([^()\n]{1,80}\))? (?:is|must be|would be) (?:also |clearly )?(?:the )?(?:most )?"
    r"(?:(?:correct|right|best|accurate)\b(?! because it is not| known\b)|answer\b)"
    r"|(?:\b(?:i(?:'d| would|'ll| will)? (?:choose|pick|select|go with|say)"
    r"|you chose|going with)|选择?)"
    r"(?: option| answer)?:? ?[(\[]?(?P<picked>[A-Z])\b(?![\w'])",
    re.MULTILINE | re.IGNORECASE,
)


def _lookup_spellings(value: str) -> Iterator[str]:
    """Yield the spellings under which a choice's text is looked up, the most exact first.

    They are the text itself, the text in lower case, and that without article and punctuation.
    """
    value = " ".join(value.split())
    yield value
    value = value.casefold().strip("\"' ").rstrip(".,;:\"' ")
    yield value
    yield " ".join(_PUNCTUATION.sub(" ", _ARTICLE.sub("", value)).split())


class Choices:
    """The choices of a question, prepared for finding them in a text."""

    def __init__(self, choices: Sequence[str]) -> None:
        """Index the texts of the choices, in the order of their letters, to find them in a text."""
        self._n_choices = len(choices)
        # A table from spelling to indices for each kind of spelling (see `_lookup_spellings`), the
        # most exact first; equal texts have several indices.
        self._indices_by_spelling: list[dict[str, set[int]]] = [{}, {}, {}]
        self.label_like: list[str] = []
        """The cleaned texts in which a label could be seen, as "Confidence: high"."""
        worded: list[str] = []
        for index, choice in enumerate(choices):
            # Cleaned as in a reply, where a choice doesn't stand at the start of a line.
            cleaned = plain_value(choice).translate(_NO_BOX)  # without marks of LaTeX's boxes
            if statements_in(cleaned):
                self.label_like.append(cleaned)
            if re.search(r"[^\W\d_]{3}", cleaned):  # any sentence may contain a number or a letter
                worded.append(cleaned)
            for indices, key in zip(
                self._indices_by_spelling, _lookup_spellings(cleaned), strict=True
            ):
                indices.setdefault(key, set()).add(index)

        # The longest text first, so that a part of one choice is not read as another choice.
        spelled = sorted(map(re.escape, worded), key=len, reverse=True)
        self._name_pattern = re.compile(
            rf"(?<!\w)(?:{'|'.join(spelled) or '(?!)'})(?!\w){_NAME_END}", re.I
        )

    def by_text(self, value: str) -> set[int]:
        """Return the indices of the question's choices with this text; several if texts are equal.

        Exact spelling counts first, then lower case, then the text without article and punctuation.
        """
        for indices, key in zip(self._indices_by_spelling, _lookup_spellings(value), strict=True):
            if key and key in indices:
                return indices[key]
        return set()

    def read(  # noqa: PLR0911 # each return has a reason of its own
        self, value: str, *, is_whole_reply: bool = False
    ) -> int | ParseFailure:
        """Return the index of the question's choice that a value names, or why it names none.

        The value names the choice by its letter (A is 0), by its text, or by both.

        Args:
            value: Value of a label, or a text without a label.
            is_whole_reply: Whether the value has no label; it may then contain only the choice.
        """
        value = value.strip()
        # Without words such as "I think it is".
        plain = value if is_whole_reply else _WORDS_BEFORE_CHOICE.sub("", value, count=1)
        for text in (value, plain):
            # A single letter may be one choice's letter and another choice's text.
            if not _LETTER.fullmatch(text) and (text_indices := self.by_text(text)):
                return _single_index(text_indices)
        if letter := _LETTER.match(plain):  # "B", "(b).", "option B"
            return self._by_letter(letter, plain[letter.end() :], is_whole_reply=is_whole_reply)
        if text_and_letter := _TEXT_THEN_LETTER.fullmatch(plain):  # "Paris (B)"
            index = self.index(text_and_letter["letter"])
            if text_indices := self.by_text(text_and_letter["text"]):  # else it is another sentence
                return index if index in text_indices else ambiguous(_LETTER_AND_TEXT_DIFFER)
        if is_whole_reply:
            return invalid(NO_CHOICE)
        # "Paris, because ..."
        if at_start := self._choices_at_start(plain):
            *_, last = re.split(r"[,/&]|\band\b", plain)
            if self.by_text(last) - at_start:  # "Paris, London"
                return ambiguous("several choices")
            return min(at_start) if len(at_start) == 1 else invalid(NO_CHOICE)
        # "It is known that Paris is the capital"
        return self.named_in(value)

    def named_in(self, sentence: str) -> int | ParseFailure:
        """Return the index of the only choice whose text a sentence contains, or a failure.

        The choices are those of the question. A number counts only at the sentence's end. A long
        sentence, and one with a word such as "not", names no choice.
        """
        names = set()
        for match in self._name_pattern.finditer(sentence[:_LONGEST_SENTENCE]):
            # After a capitalised word the text may be part of a longer name.
            if not _CAPITALIZED_WORD.search(sentence[: match.start()]):
                names.add(match.group().casefold())
        number_at_end = re.search(r"\bis ([0-9][0-9.,]*)\.?$", sentence[:_LONGEST_SENTENCE])
        if number_at_end:
            names.add(number_at_end[1].rstrip("."))
        is_plain = len(sentence) <= _LONGEST_SENTENCE and not _NO_SENTENCE.search(sentence)
        if len(names) != 1 or not is_plain or _NOT_CHOSEN.search(sentence):
            return invalid(NO_CHOICE)
        indices = self.by_text(names.pop())
        return min(indices) if len(indices) == 1 else invalid(NO_CHOICE)

    def index(self, letter: str) -> int | None:
        """Return the index of the choice with a letter; None if no choice has the letter."""
        index = ord(letter.upper()) - ord("A")
        return index if 0 <= index < min(self._n_choices, 26) else None

    def _by_letter(  # noqa: PLR0911 # each return has a reason of its own
        self, letter: re.Match[str], remainder: str, *, is_whole_reply: bool
    ) -> int | ParseFailure:
        """Return the index of the choice whose letter opens a value, or why it is not certain.

        In "B. Paris" the match has the `letter` and a `mark`, the full stop; the `remainder` is
        Paris. With `is_whole_reply` the value has no label, and no other text may follow.
        """
        index = self.index(letter["letter"])
        # The letter alone may be the whole text of a choice.
        texts = self.by_text(letter["letter"]) if not remainder else set()
        if index is None:
            return _single_index(texts) if texts else invalid(NO_CHOICE)
        if texts and index not in texts:
            return ambiguous("one choice's letter is another's text")
        text_indices = self.by_text(remainder)
        if index in text_indices:
            return index
        if text_indices:
            return ambiguous(_LETTER_AND_TEXT_DIFFER)
        if self._has_second_letter(remainder, index) or self._has_joined_letter(remainder, index):
            return ambiguous("several letters")
        if not _is_answer_letter(letter, remainder):  # the article "a" or the pronoun "I"
            return invalid(NO_CHOICE)
        if CUT in remainder and not letter["mark"]:  # CUT marks the end of a truncated reply
            return invalid("the answer is cut off")
        if remainder.strip(" .)]|*\"'") and is_whole_reply:
            return invalid("more than a choice's letter or text")
        described = self._choices_described_by(remainder)
        return ambiguous(_LETTER_AND_TEXT_DIFFER) if described and index not in described else index

    def _choices_described_by(self, remainder: str) -> set[int]:
        """Return the indices of the choices whose text follows a letter: B, which means Paris."""
        meaning = _MEANS.match(remainder)  # ", which is "
        if meaning is None:
            return self._choices_at_start(remainder)
        explanation = remainder[meaning.end() :].casefold()
        described: set[int] = set()
        for text, indices in self._indices_by_spelling[1].items():  # spellings in lower case
            if text and explanation.startswith(text):
                described.update(indices)
        return described

    def _has_joined_letter(self, remainder: str, index: int) -> bool:
        """Return whether another letter follows the text of choice `index`: A. bats and C. owl.

        `remainder` is the text after the first letter.
        """
        # Two limits bound the time that a long text takes.
        for joint in islice(_JOINED_LETTER.finditer(remainder[:2000]), 20):  # " and C."
            is_own_text = index in self.by_text(remainder[: joint.start()])
            if is_own_text and self.index(joint["letter"]) != index:
                return True
        return False

    def _has_second_letter(self, remainder: str, index: int) -> bool:
        """Return whether another choice's letter follows that of choice `index`: A or C.

        `remainder` is the text after the first letter. If no word such as "or" joins the letters
        ("A, C"), an end, "are" or a further letter must follow.
        """
        second = _SECOND_LETTER.match(remainder)  # " or C", ", C and"
        if not second or self.index(second["letter"]) in (None, index):
            return False
        return bool(second["joined"]) or second["end"] is not None

    def _choices_at_start(self, text: str) -> set[int]:
        """Return the indices of the choices whose whole text is at the beginning of a text.

        They are several if choices have equal texts, and none if no choice's text is there. Of
        different choices that of the longest text counts; the text must end at a boundary, such as
        a comma or "because". For speed, only 20
        boundaries within the first 2,000 characters are tried.
        """
        longest: set[int] = set()
        for boundary in islice(_BOUNDARY.finditer(text[:2000]), 20):
            longest = self.by_text(text[: boundary.start()]) or longest
        return longest


def _single_index(
    indices: set[int], reason: str = "several choices have this text"
) -> int | ParseFailure:
    """Return the only index, or a failure with a reason if several indices are given."""
    return min(indices) if len(indices) == 1 else ambiguous(reason)


@functools.lru_cache(maxsize=256)
def choices_of(texts: tuple[str, ...]) -> Choices:
    """Return the prepared choices of a question.

    The result is cached, because each question is asked on many scales and many times.
    """
    return Choices(texts)


SEVERAL_RIGHT = ParseFailure("scoring_failed", "several choices may be right")
"""Failure of a measurement that takes one letter as the answer."""


def names_several(target: str | Sequence[str], n_choices: int) -> bool:
    """Return whether a target consists of the letters of several of `n_choices` choices.

    Example:
        >>> names_several(["A", "C"], 3), names_several("A, C", 3), names_several("C", 3)
        (True, True, False)
        >>> names_several("Paris", 3), names_several("BAD", 0)
        (False, False)
    """
    letters = re.sub(r"[\s,]", "", "".join(target))
    return len(letters) > 1 and set(letters) <= set(ascii_uppercase[:n_choices])


@dataclass(frozen=True)
class StatedChoice:
    """The choice that a reply states: its index; the letter A is 0."""

    index: int


def read_choice(
    reply: str, choices: Sequence[str], *, truncated: bool = False
) -> StatedChoice | ParseFailure:
    r"""Read the answer to a multiple-choice question, by its letter, its text or both.

    Of several labelled answers the last one counts if the others agree with it, or if it is called
    final or takes the others back. Without a label, "the answer is B" or "B is correct" is read if
    nothing contradicts it, and so is a line that is only a letter or a choice's text. The choices
    are texts in the order of their letters, without letters. A failure is `no_response`, `refusal`,
    `truncated`, `ambiguous` or `invalid_response_format`.

    Example:
        >>> read_choice("Answer: B\nConfidence: 85", ["Rome", "Paris"])
        StatedChoice(index=1)
        >>> read_choice("Paris.", ["Rome", "Paris"])
        StatedChoice(index=1)
        >>> read_choice("Answer: A. Paris", ["Rome", "Paris"]).status
        'ambiguous'
    """
    options = choices_of(tuple(choices))
    index = read_stated(
        reply,
        functools.partial(find_choice, options=options),
        keys=("answer",),
        truncated=truncated,
        literal=tuple(options.label_like),  # a choice "Confidence: high" is no label with a value
    )
    return index if isinstance(index, ParseFailure) else StatedChoice(index)


def find_choice(parsed: ParsedText, options: Choices) -> int | ParseFailure:
    """Return the index of the choice that a reply states, or why there is no single one.

    `options` are the choices, prepared for finding them in a text. The labelled answer counts
    first, then the choice that the reply calls correct, then a line that is only a choice, then
    the only choice that the text names.
    """
    choice = agreed_value(parsed, ("answer",), options.read)
    if choice is not None:
        # "B. Paris" at the start contradicts "so the answer is A" at the end.
        is_prose = parsed.strengths_under("answer") <= {"prose"}  # no label states the answer
        opening = _OPENING_LETTER.match(parsed.text) if is_prose else None
        is_other = opening and options.index(opening["letter"]) not in (None, choice)
        return ambiguous(_DIFFERENT_LETTERS) if is_other else choice
    text = text_without(parsed, "confidence", "probability", "reason")
    indices = map(options.index, called_correct(text))
    if correct_indices := {index for index in indices if index is not None}:
        return _single_index(correct_indices, "several choices are called correct")
    # The whole text is only a choice, perhaps with a confidence: "B", "B (90%)".
    whole = options.read(text, is_whole_reply=True)
    if not isinstance(whole, ParseFailure):
        return whole
    without_confidence = _CONFIDENCE_AT_END.sub("", text)
    has_confidence = without_confidence != text and "\n" not in text
    if has_confidence and _LETTER.match(without_confidence):
        whole = options.read(without_confidence.rstrip(","), is_whole_reply=True)
    line_choices: set[int] = set()  # of lines that are only a choice
    for line in text.split("\n"):
        index = options.read(line.strip(" |,;*\"'"), is_whole_reply=True)
        if not isinstance(index, ParseFailure):
            line_choices.add(index)
    if line_choices:
        return _single_index(line_choices, "several choices")
    # A choice within the text counts only if the whole is neither a choice nor ambiguous.
    return options.named_in(text) if is_invalid(whole) else whole


_CLAUSE_END = re.compile(
    r"[.!?;:\n]\s|\n|,\s(?![A-H],? )|\b(?:but|so|thus|hence|therefore|while|whereas|and)\b",
    re.IGNORECASE,
)
_NOT_CALLED = re.compile(
    r"\b(?:if|unless|whether|doubt|unlikely|neither|nor|none|not|never|cannot|might|hardly|nobody"
    r"|no one|(?:some|many|few) (?:say|think|would))\b|n't\b|\bor (?:option )?$|[/&] ?$",
    re.IGNORECASE,
)
"""Text before a letter in its clause by which the reply itself doesn't call it correct."""
_LISTED = re.compile(
    r"\b[A-H] and (?:option )?\(?$"
    r"|\b[A-H]\)?, (?:option )?\(?[A-H]\)?,(?: and)? (?:option )?\(?$"
    r"|\b(?:none|neither|not one|not any|hardly any|few|no (?:option|choice|answer)s?)\b"
    r"[^.;:!?\n]{0,40}?[ (][A-H]"
    r"(?:,? (?:(?:and|or) )?[A-H])*,? (?:(?:and|or) )?\(?$",
    re.IGNORECASE,
)
"""Text before the last letter of a list: "none of A, B and ", "A and ", "A, B, "."""


def called_correct(text: str) -> list[str]:
    """Return the letters that a text calls correct or says it picks.

    Letters in a condition, a denial or an alternative are left out: "if B is correct".
    """
    letters = []
    for match in _CALLED_CORRECT.finditer(text):
        group = "letter" if match["letter"] else "picked"  # "B is correct", "I choose B"
        lead = text[match.start() : match.start(group)]  # the match before its letter: "I choose "
        before = text[max(0, match.start() - 100) : match.start()]
        *_, clause = _CLAUSE_END.split(before)
        # "B would be correct if ..."
        is_supposed = match[0].split()[-2:-1] == ["be"] and text.startswith(" if ", match.end())
        is_listed = _LISTED.search(before + lead)
        if not (is_supposed or is_listed or _NOT_CALLED.search(clause + lead)):
            letters.append(match[group])
    return letters


def _is_answer_letter(letter: re.Match[str], remainder: str) -> bool:
    """Return whether a letter at the start of a value names a choice, and is no article or pronoun.

    The match has the `letter`, and perhaps a bracket that closes, a word such as "option" that
    named it, and a mark behind it; `remainder` is the text of the value after it.
    """
    mark = letter["mark"] or ""
    # "(a)", "option a" and "a." are firm, "a" and "a," are not.
    is_firm = bool(letter["close"] or letter["named"] or mark.strip(" ,"))
    if remainder and letter["letter"].islower() and not is_firm:
        return False
    if _DENIED.match(remainder):  # "B is wrong"
        return False
    # "B because", "B is", "B" without more
    return is_firm or bool(mark or _FOLLOWS_LETTER.match(remainder))
