"""A reply to a question that may be declined: its answer, `declined`, or why neither can be read.

A hedged answer is no decline, and a decline beside an answer is `ambiguous`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import filterfalse
from string import ascii_uppercase
from typing import Literal, TypeVar

from inspect_confidence.answers.amount import StatedAmount, read_amount
from inspect_confidence.answers.choices import StatedChoice, read_choice
from inspect_confidence.answers.clean import is_refusal
from inspect_confidence.answers.labels import ParsedText, parse_statements
from inspect_confidence.answers.reading import (
    agreed_value,
    ambiguous,
    invalid,
    is_template,
    text_without,
)
from inspect_confidence.answers.status import ParseFailure

# ruff: noqa: RUF001 # Chinese signs, as they are written

AnswerT = TypeVar("AnswerT")
AnswerKind = Literal["choices", "option", "number", "words"]
"""Kind of an answer: a choice, a choice with `OPTION` after the others, a number, or words."""

OPTION = "I don't know"
"""Text of the choice that declines."""
DECLINED = ParseFailure("declined", "the reply declines to answer")

_NOT = r"(?:do not|don't|dont)"
_HEDGED = (
    r"(?! (?:for (?:sure|certain|a fact)|with (?:\w+ )?certainty|exactly|precisely|whether|if"
    r"|how (?:sure|confident|certain)|(?:the|its|his|her|their) (?:exact|precise|full)"
    r"|much|everything|all)\b)"
)
_ENOUGH = (
    rf"(?:{_NOT} know enough|{_NOT} have (?:enough|sufficient) (?:information|knowledge|confidence)"
    r"|(?:'m| am) not (?:\w+ )?(?:confident|sure|certain) enough)(?: to (?:answer|say|decide))?"
)
_UNKNOWING = (
    rf"(?:i {_NOT} know{_HEDGED}|(?:i )?dunno|idk|(?:i have )?no idea"
    rf"|i ?{_ENOUGH}"
    r"|i (?:can't|cannot|can not) (?:answer|say)[^.,;!?\n]{0,40} confiden(?:t|ce)"
    r"|i(?:'d| would)? (?:rather|prefer) not (?:to )?(?:answer|say)"
    r"|i(?:'ll| will| must| choose to| would)? (?:abstain|decline(?: to answer)?|pass)(?! the\b)"
    r"|i (?:choose|prefer) not to answer"
    r"|我?(?:并)?(?:不知道|不清楚|不晓得|选择不回答|不回答))"
)
_DECLINING_CLAUSE = re.compile(
    rf"(?<![\w\"'])(?<!\bif )(?<!\bwhen ){_UNKNOWING}(?![\w\"])", re.IGNORECASE
)
"""A decline that is neither quoted nor a condition."""
_LEAD = (
    r"(?:(?:since|because|as|given) [^.;!?\n]{0,200}?, ?)?"
    r"(?:(?:sorry|unfortunately|honestly|however|but|well|hmm|so|then|thus|therefore|hence"
    r"|in that case|i'm afraid|i'm sorry|i am sorry|(?:my|the) (?:final )?answer is"
    r"|(?:so )?i(?:'ll| will| would| must| should)? (?:answer|say|respond)"
    r"|抱歉|对不起|答案是?)(?:,? but)?[,:：，]? ?){0,4}"
)
_ANSWER_TAIL = (
    r"(?: (?:the )?(?:(?:right |correct )?answer)(?: to (?:this|the|that) (?:question|problem))?"
    r"| this(?: one)?| that| it|答案|这个问题的答案)?"
)
_QUESTION_TAIL = (
    rf"(?:{_ANSWER_TAIL}| (?:who|whom|whose|what|when|where|which|why|how|about|to answer|the|this"
    r"|that|of)\b[^.,;!?\n]{0,200})"
)
_BARE = rf"{_LEAD}[\"']?{_UNKNOWING}{_ANSWER_TAIL}[\"']?"
_DECLINING_SENTENCE = re.compile(
    rf"(?:{_BARE}|{_LEAD}{_UNKNOWING}{_QUESTION_TAIL})[\"')\]]{{0,2}}", re.IGNORECASE
)
"""A sentence that declines and says nothing else."""
_BARE_DECLINE = re.compile(_BARE, re.IGNORECASE)
_DECLINING_VALUE = re.compile(
    r"[(\[\"']?(?:don't know|do not know|unknown to me|no answer|declined|abstain)[)\]\"']?",
    re.IGNORECASE,
)
"""A label's value that declines without being a sentence."""
_CONTRAST = re.compile(r",? (?:but|though|however)\b.*|;.*| - .*", re.IGNORECASE | re.DOTALL)
_LABEL = re.compile(r"(?:final )?answer ?[:：=]", re.IGNORECASE)
_CLAUSE_BREAK = re.compile(r",? (?:so|therefore|hence|and)\b,? ", re.IGNORECASE)
_SENTENCE_BREAK = re.compile(r"(?<=[.!?])\s+|[。！？\n]+")
_LACK = re.compile(
    r"\b(?:not|n't|no|lack|insufficient|below|less than|under|penal\w+|points?|risk)\b",
    re.IGNORECASE,
)
_ABOUT_KNOWING = re.compile(
    r"\b(?:confiden\w+|sure|certain\w*|information|knowledge|recall|remember|familiar|aware"
    r"|penal\w+|points?|threshold|risk)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class StatedWords:
    """An answer in words, as the reply states it."""

    text: str


Answer = StatedChoice | StatedAmount | StatedWords
"""An answer of any kind."""


def read_or_decline(
    reply: str,
    read: Callable[..., AnswerT | ParseFailure],
    *arguments: object,
    truncated: bool = False,
) -> AnswerT | ParseFailure:
    r"""Read the answer of a reply by one of the readers, or the failure `declined`.

    A reply declines if its labelled answer, or without a label all that it says, is "I don't know"
    or the like, in English or Chinese. A decline beside an answer, or beside other statements, is
    `ambiguous`. A reply that hedges ("I'm not sure, but B"; "I don't know for sure") or mentions
    the words ("if I don't know") doesn't decline. Other failures are those of `read`.

    Args:
        reply: Text of the reply.
        read: Reader of the answer.
        *arguments: Further arguments of the reader.
        truncated: Whether the reply is cut off.

    Example:
        >>> from inspect_confidence.answers import read_choice
        >>> cities = ["Rome", "Paris"]
        >>> read_or_decline("Answer: I don't know", read_choice, cities).status
        'declined'
        >>> read_or_decline("I don't know. Answer: B", read_choice, cities).status
        'ambiguous'
        >>> read_or_decline("I'm not sure, but the answer is B.", read_choice, cities)
        StatedChoice(index=1)
    """
    answer = read(reply, *arguments, truncated=truncated)
    if isinstance(answer, ParseFailure) and answer.status in ("no_response", "truncated"):
        return answer
    parsed = parse_statements(reply)
    # Whether the labelled answer declines; None without one, a failure if that is not clear.
    label_declines = agreed_value(_without_prose(parsed), ("answer",), _value_declines)
    if isinstance(label_declines, ParseFailure):
        return label_declines
    if label_declines:
        return DECLINED
    sentences = list(filterfalse(_LABEL.match, _sentences(parsed.text)))
    if label_declines is False:
        # A decline without an object, "I don't know.", contradicts the labelled answer, unless that
        # is the choice "I don't know" (`DECLINED`).
        has_decline = any(_BARE_DECLINE.fullmatch(_CONTRAST.sub("", text)) for text in sentences)
        return _DECLINE_BESIDE_ANSWER if has_decline and answer != DECLINED else answer
    if not _any_sentence_declines(sentences):
        return answer
    is_only_decline = isinstance(answer, ParseFailure) and all(map(_says_no_more, sentences))
    return DECLINED if is_only_decline else _DECLINE_BESIDE_ANSWER


_DECLINE_BESIDE_ANSWER = ambiguous("a decline beside something else")


def read_answer(
    reply: str, kind: AnswerKind, choices: Sequence[str] = (), *, truncated: bool = False
) -> Answer | ParseFailure:
    """Read the answer to a question of any kind, or the failure `declined`.

    An answer in words is the labelled one, else the whole reply.

    Args:
        reply: Text of the reply.
        kind: Kind of the answer; with `option` the choice after `choices` declines.
        choices: Texts of the choices, without the choice that declines.
        truncated: Whether the reply is cut off.

    Example:
        >>> read_answer("Answer: C", "option", ["Rome", "Paris"]).status
        'declined'
        >>> read_answer("Answer: Marie Curie", "words")
        StatedWords(text='Marie Curie')
        >>> read_answer("我不知道。", "words").status
        'declined'
    """
    if kind == "number":
        return read_or_decline(reply, read_amount, truncated=truncated)
    if kind == "words":
        return read_or_decline(reply, _read_words, truncated=truncated)
    if kind == "option":
        letter = ascii_uppercase[len(choices)]
        letter_before_text = rf"[(\[*]{{0,3}}\b{letter}\b[)\].:*]{{0,4}} ?(?=i don['’]t know)"
        # The letter of the declining choice before its text adds nothing.
        reply = re.sub(letter_before_text, "", reply, flags=re.IGNORECASE)
        return read_or_decline(reply, _read_option, choices, truncated=truncated)
    return read_or_decline(reply, read_choice, choices, truncated=truncated)


def _read_option(
    reply: str, choices: Sequence[str], *, truncated: bool = False
) -> StatedChoice | ParseFailure:
    """Read the choice of a reply; `DECLINED` for the choice after `choices`, which declines."""
    choice = read_choice(reply, [*choices, OPTION], truncated=truncated)
    is_last = isinstance(choice, StatedChoice) and choice.index == len(choices)
    return DECLINED if is_last else choice


def _read_words(  # noqa: PLR0911 # each return has a reason of its own
    reply: str, *, truncated: bool = False
) -> StatedWords | ParseFailure:
    """Read the labelled answer in words, or else the whole reply; labels in prose do not count.

    A reply without a labelled answer is a failure if it declines, is cut off, repeats the prompt's
    template or has no words but those of a confidence.
    """
    parsed = parse_statements(reply)
    if not parsed.text.strip() and not parsed.statements:
        return ParseFailure("no_response", "the reply is empty")
    firm = _without_prose(parsed)
    value = agreed_value(firm, ("answer",), _text_of_answer)
    if isinstance(value, str):
        return StatedWords(value)
    if truncated:
        return ParseFailure("truncated", "the reply is cut off before an answer was stated")
    if value is not None:
        return value
    placeholders = list(filter(None, firm.values_under("answer")))
    if placeholders and all(map(_is_placeholder, placeholders)):
        return ParseFailure("echo", "the reply is the prompt's template")
    # A label without a value, a confidence or JSON without an answer.
    if not re.search(r"\w", text_without(firm, "answer", "confidence")):
        return invalid("no answer in words")
    if _any_sentence_declines(_sentences(parsed.text)):
        return invalid("no labelled answer")
    return StatedWords(parsed.text)


def _text_of_answer(value: str) -> str | ParseFailure:
    is_word = re.search(r"\w", value) and not _is_placeholder(value)
    is_answer = is_word and _value_declines(value) is not True
    return value if is_answer else invalid("no answer in words")


def _is_placeholder(value: str) -> bool:
    """Return whether a value is the prompt's "<your answer>"; a bare "Number" may be an answer."""
    bare = value.strip("<>()[]{} ")
    return is_template(bare) and (bare != value or bare.lower().startswith("your "))


def _any_sentence_declines(sentences: Sequence[str]) -> bool:
    return any(
        _DECLINING_CLAUSE.search(text) or _DECLINING_SENTENCE.fullmatch(text) for text in sentences
    )


def _without_prose(parsed: ParsedText) -> ParsedText:
    firm = [statement for statement in parsed.statements if statement.strength != "prose"]
    return replace(parsed, statements=firm)


def _value_declines(value: str) -> bool | ParseFailure:
    """Return whether a label's value declines: "I don't know", unlike "Paris" or an empty value.

    A value that also says something else, "I don't know, maybe Paris", is a failure.
    """
    sentences = _sentences(value)
    is_plain = any(map(_declines_plainly, sentences))
    if is_plain and all(map(_says_no_more, sentences)):
        return True
    return _DECLINE_BESIDE_ANSWER if is_plain or _DECLINING_CLAUSE.search(value) else False


def _declines_plainly(sentence: str) -> bool:
    return bool(_DECLINING_SENTENCE.fullmatch(sentence) or _DECLINING_VALUE.fullmatch(sentence))


def _says_no_more(sentence: str) -> bool:
    """Return whether a sentence only declines, or says that or why the model doesn't know."""
    return all(map(_clause_says_no_more, _CLAUSE_BREAK.split(sentence)))


def _clause_says_no_more(clause: str) -> bool:
    """Return whether a clause only declines, or gives a reason for not knowing."""
    if _declines_plainly(clause):
        return True
    if _DECLINING_CLAUSE.search(clause) or " but " in clause:  # it declines and says more
        return False
    # "I can't say" or, with a word of lack and one about knowing, "my confidence is below 0.9".
    return is_refusal(clause) or bool(_LACK.search(clause) and _ABOUT_KNOWING.search(clause))


def _sentences(text: str) -> list[str]:
    """Return the sentences that have a word, without the signs around them."""
    sentences = []
    for part in _SENTENCE_BREAK.split(text):  # at ". " or a line break
        if re.search(r"\w", part):
            sentences.append(part.strip(" .!*_。！\t"))
    return sentences
