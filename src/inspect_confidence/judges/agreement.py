"""Whether a reply agrees with a sentence, and whether it is right: by the words they share.

A small judge without a model, for the demo and for tests. It knows no synonyms, no units and no
facts; `judge_check` shows how often it is right, docs/hedge_markers.md the figures.
"""

import functools
import re
from collections.abc import Sequence
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
_SAME = 0.5
"""The share of the shorter text's words from which on two texts say the same."""
_SHORT = 5
"""The most words of a text that is an answer and no more, so that another one contradicts it."""
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
_PARTS = re.compile(r"[;,!?\n。，！？]|\.(?=\s|$)|\b(?:but|however|though|although)\b")  # noqa: RUF001
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
    """Whether a reply says what a sentence says as an answer to a question.

    Options are compared by letter or text, answers to yes-or-no questions by yes and no, all else
    by content words that are not the question's: the same from half of the shorter text's on.

    Returns:
        `yes` or `no`; `n/a` where one of them declines or they have nothing to compare.
    """
    if declines(sentence) or declines(reply):
        return "n/a"
    options = dict(_OPTION.findall(question))
    ours, theirs = (_option(text, options) for text in (sentence, reply))
    if ours and theirs:
        return "yes" if ours == theirs else "no"
    if _asks_yes_or_no(question):
        alike = _shared(question, sentence, reply) is True or _POLAR.search(sentence + reply)
        same: bool | None = (_says_yes(sentence) == _says_yes(reply)) if alike else None
    else:
        same = _shared(question, sentence, reply)
    return "n/a" if same is None else "yes" if same else "no"


def verdict(answers: Sequence[str], reply: str) -> Verdict:
    """Whether a reply gives an accepted answer, a name by its last word, and doesn't deny it."""
    if declines(reply):
        return "punt"
    accepted = {answer.strip("().") for answer in answers} & set(ascii_uppercase)
    if accepted and (given := _letters(reply)):
        return "correct" if given <= accepted else "incorrect"
    held = _asserted(reply)
    for answer in answers:
        wanted = content_words(answer)
        is_name = len(wanted) > 1 and answer.istitle() and not answer.isupper()
        if frozenset(wanted[-1:] if is_name else wanted) <= held and wanted:
            return "correct"
        if not wanted and _says_yes(answer) == _says_yes(reply):
            return "correct"
    return "incorrect"


def declines(text: str) -> bool:
    """Whether nothing is left of a text without the parts in which it declines to answer."""
    parts = [part for part in _PARTS.split(folded(text)) if re.search(r"\w", part)]
    open_parts = [not (is_refusal(part) or _DECLINES.search(part)) for part in parts]
    return not any(open_parts) or not open_parts[-1] or text.rstrip().endswith("?")


@functools.lru_cache(maxsize=4096)  # a judge compares one sentence with twenty replies
def content_words(text: str) -> tuple[str, ...]:
    """A text's words, numbers as digits, without markers, function words, accents and plurals."""
    text = folded(text)
    markers = find_markers(text)
    ends, starts = [marker.end for marker in markers], [marker.start for marker in markers]
    text = " ".join(text[a:b] for a, b in zip([0, *ends], [*starts, len(text)], strict=True))
    plain = "".join(one for one in normalize("NFD", text.lower()) if not combining(one))
    found = [_NUMBERS.get(word, word.replace(",", "")) for word in _WORD.findall(plain)]
    # A word of three letters is no plural.
    return tuple(re.sub(r"(?<=...)s$", "", word) for word in found if word not in _FUNCTION_WORDS)


def _shared(question: str, sentence: str, reply: str) -> bool | None:
    """Whether two answers name the same; None where one has nothing that the question hasn't.

    Numbers and names decide where both have some, else all content words.
    """
    asked = frozenset(content_words(question))
    said, replied = (_asserted(text) for text in (sentence, reply))
    if said - asked and replied - asked:
        said, replied = said - asked, replied - asked
    if not said or not replied:
        both = [frozenset(content_words(text)) - asked for text in (sentence, reply)]
        return False if said | replied and both[0] & both[1] else None
    names = [_names(text) & words for text, words in ((sentence, said), (reply, replied))]
    if all(names):
        return bool(names[0] & names[1])
    if len(said & replied) >= _SAME * min(len(said), len(replied)):
        return True
    return False if len(replied) <= _SHORT else None


def _names(text: str) -> frozenset[str]:
    """Numbers and words with a capital, but for a sentence's first."""
    return frozenset(one for found in _NAME.findall(folded(text)) for one in content_words(found))


def _asserted(text: str) -> frozenset[str]:
    """The content words of a text's parts that neither deny nor decline."""
    parts = [part for part in _PARTS.split(folded(text)) if not _DECLINES.search(part)]
    return frozenset(word for part in parts if not _denies(part) for word in content_words(part))


def _option(text: str, options: dict[str, str]) -> str | None:
    """The one option that a text gives, by its letter or else by its words."""
    letters = _letters(text) & options.keys()
    if not letters:
        given = frozenset(content_words(text))
        letters = {x for x, said in options.items() if given >= frozenset(content_words(said))}
    return letters.pop() if len(letters) == 1 else None


def _letters(text: str) -> set[str]:
    return {next(filter(None, found)) for found in _LETTER.findall(text)}


def _asks_yes_or_no(question: str) -> bool:
    """Whether a part of a question begins as such questions do, or names the two answers."""
    parts = re.split(r"[.:\n]", question.rpartition("?")[0])
    return any(map(_ASKS.match, parts)) or bool(_YES_OR_NO.search(question))


def _says_yes(text: str) -> bool:
    return bool(_YES.search(text)) or not _denies(text)


def _denies(text: str) -> bool:
    return bool(_DENIES.search(folded(text).lower()))
