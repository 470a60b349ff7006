"""Rules that compare two answers, or an answer with accepted ones, by the words they share.

They serve the demo and the tests, and know no synonyms, units or facts. `judge_check` measures how
often they are right; docs/hedge_markers.md has the figures.
"""

import functools
import re
from collections.abc import Sequence
from itertools import chain
from string import ascii_uppercase
from unicodedata import combining, normalize

from inspect_confidence.answers.clean import folded, is_refusal
from inspect_confidence.answers.judged import Agreement, Verdict
from inspect_confidence.judges.markers import find_markers
from inspect_confidence.judges.own_words import words

_FUNCTION_WORDS = words(
    "a about all also although an and answer any are as at be been but by can choice correct did "
    "do does either for from had has have he her his i if in is it its just let me my nor not of "
    "on one option or our question rather said say says see she so some sure than that the their "
    "them there these they this those to true us was we were what when where which while who "
    "whose why will with would you your yes no never false right wrong think believe s d m re ve "
    "ll t don doesn didn isn aren wasn weren won 我 想 是 的 也 就 在 了 吧 觉 得 为 认 答 案 不"
)
_NUMBERS = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "10", "eleven": "11", "twelve": "12",
}  # fmt: skip
_LEAST_OVERLAP = 0.5
"""Minimum share of the shorter text's words that two agreeing texts have in common."""
_BARE_ANSWER_WORDS = 5
"""Maximum number of words of a bare answer, which contradicts any different answer."""
_WORD = re.compile(r"[0-9]+(?:[.,][0-9]+)*|[㐀-鿿]|[^\W\d_]+")
_NAME = re.compile(r"[0-9][0-9.,]*|(?<=[\w,] )[A-Z]\w+|^\W*[A-Z]\w+(?=\W*$)")
_DENIES = re.compile(r"\b(?:not|never|no|cannot|neither|nor|false|incorrect|myth)\b|n't\b|不|没有")
_POLAR = re.compile(r"\b(?:yes|no|true|false)\b", re.IGNORECASE)
_YES = re.compile(r"^\W*(?:yes|yeah|yep|true|correct|right|indeed)\b|^\W*是", re.IGNORECASE)
_YES_OR_NO = re.compile(r"true or false|yes or no|吗", re.IGNORECASE)
_ASKS = re.compile(
    r"\s*(?:is|are|was|were|do|does|did|can|could|has|have|had|will|would|should)\b", re.IGNORECASE
)
_OPTION = re.compile(
    r"(?:^|\s)\(?([A-H])[).:]\s+(\S+(?:[^\S\n]+\S+)*?)(?=\s+\(?[A-H][).:]\s|\s*(?:\n|$))"
)
_LETTER = re.compile(r"\(([A-H])\)|\b([A-H])[).:](?=\s|$)|\b([B-H])\b|\b(A)(?=\W*$)")
_CLAUSE_BREAK = re.compile(r"[;,!?\n。，！？]|\.(?=\s|$)|\b(?:but|however|though|although)\b")  # noqa: RUF001
_DECLINES = re.compile(
    r"\b(?:(?:can't|cannot|couldn't|don't|do not|didn't|won't|unable to|not able to) (?:\w+ly )?"
    r"(?:know|say|tell|recall|remember|determine|answer|help|give|name|guess|come up|provide)"
    r"|no idea|rather not|unsure|unknown|not (?:sure|certain|aware|familiar|something i)"
    r"|hard to say|(?:more|further) (?:context|information)|escapes? me|as good as mine"
    r"|used to know|(?:outside|beyond) (?:what|my)|nothing in my|leave (?:this|it|that) open"
    r"|tip of my tongue|sorry|apologi[sz]e|as an? (?:ai|language model)|skip|^\W*pass$|please"
    r"|consult|recommend that|ask a|happy to|would need|look (?:it|that) up"
    r"|(?:could|can|would) you (?:tell|clarify|specify|say|rephrase|explain))\b"
    r"|无法|不知道|不清楚|抱歉",
    re.IGNORECASE,
)


def agreement(question: str, sentence: str, reply: str) -> Agreement:
    """Return whether a reply agrees with a sentence as an answer to a question, by word rules.

    Options are compared by letter or text. Other answers agree if they share a number or a name or,
    if one has none, at least half of the shorter text's content words, without those of the
    question. To a yes-or-no question they agree if both affirm or both deny, and can only be
    compared if the words agree or one of them says yes or no.

    Returns:
        `yes` or `no`; `n/a` if a text declines to answer or the texts can't be compared.
    """
    if declines(sentence) or declines(reply):
        return "n/a"
    options = dict(_OPTION.findall(question))
    sentence_option, reply_option = _named_option(sentence, options), _named_option(reply, options)
    if sentence_option and reply_option:
        return "yes" if sentence_option == reply_option else "no"
    is_same = _have_same_content(question, sentence, reply)
    if _asks_yes_or_no(question):
        is_comparable = is_same is True or _POLAR.search(sentence + reply)
        is_same = (_says_yes(sentence) == _says_yes(reply)) if is_comparable else None
    if is_same is None:
        return "n/a"
    return "yes" if is_same else "no"


def verdict(answers: Sequence[str], reply: str) -> Verdict:
    """Return `correct` if a reply asserts an accepted answer, `punt` if it declines to answer.

    Any other reply is `incorrect`, as is every reply that doesn't decline if no answer is accepted.
    If answers are letters, all letters that the reply names must be accepted. Otherwise the reply
    must assert all words of an answer but hedges and function words; of a name the last word is
    enough.
    """
    if declines(reply):
        return "punt"
    accepted = {answer.strip("().") for answer in answers} & set(ascii_uppercase)
    if accepted and (letters := _option_letters(reply)):
        return "correct" if letters <= accepted else "incorrect"
    asserted = _asserted_words(reply)
    for answer in answers:
        required = content_words(answer)
        if not required:  # "yes" or "no"
            if _says_yes(answer) == _says_yes(reply):
                return "correct"
            continue
        # "I. B. M." is no name, but an abbreviation, all of whose letters count.
        is_name = len(required) > 1 and answer.istitle() and not answer.isupper()
        if asserted.issuperset(required[-1:] if is_name else required):
            return "correct"
    return "incorrect"


def declines(text: str) -> bool:
    """Return whether a text has no answer: all clauses or the last one decline, or it asks back."""
    clauses = [clause for clause in _CLAUSE_BREAK.split(folded(text)) if re.search(r"\w", clause)]
    are_answers = [not (is_refusal(clause) or _DECLINES.search(clause)) for clause in clauses]
    return not any(are_answers) or not are_answers[-1] or text.rstrip().endswith("?")


@functools.lru_cache(maxsize=4096)  # a judge compares one sentence with twenty replies
def content_words(text: str) -> tuple[str, ...]:
    """Return a text's words, without hedges ("probably"), function words and accents.

    Plurals become singulars, and number words digits.
    """
    text = folded(text)
    markers = find_markers(text)
    ends, starts = [marker.end for marker in markers], [marker.start for marker in markers]
    # The texts between the markers: each begins at the end of a marker. Then without accents.
    gaps = zip([0, *ends], [*starts, len(text)], strict=True)
    text = " ".join(text[start:end] for start, end in gaps)
    plain = "".join(sign for sign in normalize("NFD", text.lower()) if not combining(sign))
    singulars = []
    for token in _WORD.findall(plain):
        word = _NUMBERS.get(token, token.replace(",", ""))
        if word not in _FUNCTION_WORDS:
            singulars.append(re.sub(r"(?<=...)s$", "", word))  # three letters are no plural
    return tuple(singulars)


def _have_same_content(question: str, sentence: str, reply: str) -> bool | None:
    """Return whether two answers have the same content, or None if they can't be compared.

    Words of the question don't count, unless an answer has no others. Numbers and names decide if
    both answers have some; else half of the shorter answer's words must be common. Of different
    answers only a reply of few words contradicts: a bare answer.
    """
    question_words = frozenset(content_words(question))
    first, second = _asserted_words(sentence), _asserted_words(reply)
    if first - question_words and second - question_words:
        first, second = first - question_words, second - question_words
    if not first or not second:
        # An answer that only denies contradicts one that asserts, if both speak of the same.
        has_assertion = bool(first or second)
        common = frozenset(content_words(sentence)) & frozenset(content_words(reply))
        return False if has_assertion and common - question_words else None
    first_names = _numbers_and_names(sentence) & first
    second_names = _numbers_and_names(reply) & second
    if first_names and second_names:
        return bool(first_names & second_names)
    if len(first & second) >= _LEAST_OVERLAP * min(len(first), len(second)):
        return True
    return False if len(second) <= _BARE_ANSWER_WORDS else None


def _numbers_and_names(text: str) -> frozenset[str]:
    """Return the numbers and capitalised words of a text, except a sentence's first word."""
    return frozenset(chain.from_iterable(map(content_words, _NAME.findall(folded(text)))))


def _asserted_words(text: str) -> frozenset[str]:
    """Return the content words of a text's clauses that neither deny nor decline."""
    words: set[str] = set()
    for clause in _CLAUSE_BREAK.split(folded(text)):
        if not _DECLINES.search(clause) and not _denies(clause):
            words.update(content_words(clause))
    return frozenset(words)


def _named_option(text: str, options: dict[str, str]) -> str | None:
    """Return the letter of the one option that a text names by letter or words, or else None.

    `options` are texts by letter. One without content words, such as "Never", is named by letter
    only.
    """
    letters = _option_letters(text) & options.keys()
    if not letters:
        words, letters = set(content_words(text)), set()
        for letter, option in options.items():
            option_words = content_words(option)
            if option_words and words.issuperset(option_words):
                letters.add(letter)
    return letters.pop() if len(letters) == 1 else None


def _option_letters(text: str) -> set[str]:
    """Return the capital letters that name options in a text, such as B in "(B)" and "B."."""
    # Each match has one group that is not empty: the pattern has a group for each form.
    return {next(filter(None, groups)) for groups in _LETTER.findall(text)}


def _asks_yes_or_no(question: str) -> bool:
    """Return whether a clause of a question begins with an auxiliary or names the two answers."""
    parts = re.split(r"[.:\n]", question.rpartition("?")[0])
    return any(map(_ASKS.match, parts)) or bool(_YES_OR_NO.search(question))


def _says_yes(text: str) -> bool:
    """Return whether a text begins with a word for yes or denies nothing."""
    return bool(_YES.search(text)) or not _denies(text)


def _denies(text: str) -> bool:
    return bool(_DENIES.search(folded(text).lower()))
