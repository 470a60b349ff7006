"""Replies that nobody wrote: those of the corpora, cut, spliced, and with anything put in."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from answers.as_written import LabelledReply, labelled_replies
from answers.cases import FOLDER

# ruff: noqa: RUF001, SIM905 # as they are written; lists of words

LONGEST = 3_000
"""Characters of a reply that is mutated further."""
_OWN = 0.7
"""Share of replies made of what a reader is for."""
MARKUP = [
    *"<think> </think> [THINK] [/THINK] <|channel|>final<|message|> <|im_end|> <|eot_id|>".split(),
    *"</s> <answer> </answer> <br> &#9; &gt; &#1114112; ``` ** __ ~~ > | |---| $ $$".split(),
    *'\\boxed{ \\frac{1}{ \\text{ \\( \\) \\n \\" { } [ ] ( ) < > , : = // /* */ " \''.split(),
    *"null true NaN -Infinity 概率是 答案： not or to".split(),
    *("\n", "\n\n", "\r\n", "\t", "\u2028", "\ufeff", "\u200b", "\x00", "\x02", "\x03", "\x1a"),
    *("```json\n", "#### ", "- ", "1. ", '{"', '": ', '", "', "Actually, ", "Wait, ", "I can't "),
    *("Answer: ", "Final answer: ", "Confidence: ", "Probability: ", "Exponent: ", "I choose: "),
    *("Lower: ", "Upper: ", "markers", "agreement", "verdict", "decisiveness", " or ", " to "),
    *("\ud800", "\udfff", "\\ud800", '{"Answer–3e"', '{"Answer', '"Confidence": ', "&#xD800;"),
]
NUMBERS = [
    *"0 1 7 85 100 0.7 .5 1,000 1.000,5 70% 7/10 10^5 10⁻³ 2×10^4 1e400 1e-400 1E+99999999".split(),
    *"0x1F ½ ² 七成 百分之七十 -3 −3 +3 ±2 3-7 3–7 3..7 1/0 50/50 seventy".split(),
    *"¾ 2½ ½% ½/2 ⅟ ⅟2 ↉ 10^½ 0x10 0b1 1e 0.7e ٠٫٧ ७० 1⁄2 1⁄".split(),
    *("1 000", "9" * 400),
]


@cache
def _alphabets() -> tuple[str, ...]:
    """Characters by kind, halves of surrogate pairs among them."""
    characters: dict[str, list[str]] = {}
    for character in map(chr, range(sys.maxunicode + 1)):
        kind = unicodedata.category(character)
        direction = unicodedata.bidirectional(character)
        if kind not in ("Cn", "Co", "Lo", "So") or direction in ("R", "AL"):
            characters.setdefault("rtl" if direction in ("R", "AL") else kind, []).append(character)
    ranges = ((0x3040, 0xA000), (0xAC00, 0xD7A4), (0x1F300, 0x1FAFF), (0x10000, 0x110000))
    return (*map("".join, characters.values()), *("".join(map(chr, range(*r))) for r in ranges))


@dataclass(frozen=True)
class Fuzz:
    """Makes replies out of replies.

    Attributes:
        random: What everything is drawn from.
        form_replies: Replies to questions that a reader is for, with what was asked.
        all_replies: Replies to any question.
    """

    random: Random
    form_replies: Sequence[LabelledReply]
    all_replies: Sequence[LabelledReply]

    def row(self) -> tuple[str, dict[str, Any]]:
        """A reply with up to four mutations, and what the one that it was made of was asked."""
        is_own = self.random.random() < _OWN
        case = self.random.choice(self.form_replies if is_own else self.all_replies)
        text = case.reply
        for _ in range(self.random.randrange(5)):
            text = self.random.choice(MUTATIONS)(self, text[:LONGEST])
        return text, case.asked

    def random_reply(self) -> str:
        """A reply of any form as it was written."""
        return self.random.choice(self.all_replies).reply

    def span(self, text: str, longest: int = 40) -> tuple[int, int]:
        """Where a piece of a text begins and ends."""
        start = self.random.randrange(len(text) + 1)
        return start, min(len(text), start + self.random.randrange(1, longest))

    def put(self, text: str, piece: str) -> str:
        """The piece put into the text, sometimes in the place of another."""
        start, end = self.span(text, 6)
        return text[:start] + piece + text[self.random.choice((start, end)) :]

    def unicode(self) -> str:
        """Characters of one kind: letters, digits, marks, controls of whatever script."""
        return "".join(
            self.random.choices(self.random.choice(_alphabets()), k=self.random.randrange(1, 9))
        )


def _cut(fuzz: Fuzz, text: str) -> str:
    start, _ = fuzz.span(text)
    return text[:start] if fuzz.random.random() < 0.7 else text[start:]


def _splice(fuzz: Fuzz, text: str) -> str:
    donor = fuzz.random_reply()
    return text[: fuzz.span(text)[0]] + donor[fuzz.span(donor)[0] :]


def _join(fuzz: Fuzz, text: str) -> str:
    return fuzz.random.choice((" ", "\n", "\n\n", "")).join((text, fuzz.random_reply()))


def _delete(fuzz: Fuzz, text: str) -> str:
    start, end = fuzz.span(text)
    return text[:start] + text[end:]


def _repeat(fuzz: Fuzz, text: str) -> str:
    start, end = fuzz.span(text)
    return text[:end] + text[start:end] * fuzz.random.choice((1, 1, 2, 5, 20)) + text[end:]


def _move(fuzz: Fuzz, text: str) -> str:
    start, end = fuzz.span(text)
    return fuzz.put(text[:start] + text[end:], text[start:end])


def _native_digits(fuzz: Fuzz, text: str) -> str:
    """The digits of another script; there are seventy such scripts."""
    zeros = list(map(ord, _zeros()))
    zero = fuzz.random.choice(zeros)
    return text.translate({ord("0") + digit: zero + digit for digit in range(10)})


@cache
def _zeros() -> str:
    characters = map(chr, range(sys.maxunicode + 1))
    return "".join(
        character
        for character in characters
        if unicodedata.category(character) == "Nd" and int(character) == 0
    )


def _of_case(fuzz: Fuzz, text: str) -> str:
    return fuzz.random.choice((str.upper, str.lower, str.title, str.swapcase))(text)


def _as_json(fuzz: Fuzz, text: str) -> str:
    """The text as a value, in lists and objects that may not be closed."""
    key = fuzz.random.choice(("Answer", "Confidence", "A", "markers", "agreement", "x", text[:20]))
    value: object = text
    for _ in range(fuzz.random.choice((1, 1, 2, 5, 30))):
        value = [value] if fuzz.random.random() < 0.3 else {key: value}
    json_text = json.dumps(value, ensure_ascii=fuzz.random.random() < 0.2)
    return json_text[: fuzz.random.choice((len(json_text), fuzz.span(json_text)[0]))]


MUTATIONS: tuple[Callable[[Fuzz, str], str], ...] = (
    *(_cut, _splice, _join, _delete, _repeat, _move, _native_digits, _of_case, _as_json),
    *(lambda fuzz, text: fuzz.put(text, fuzz.random.choice(MARKUP)),) * 4,
    *(lambda fuzz, text: fuzz.put(text, fuzz.random.choice(NUMBERS)),) * 2,
    *(lambda fuzz, text: fuzz.put(text, fuzz.unicode()),) * 2,
)
"""Each takes a text and gives another."""


def fuzz_of(forms: Sequence[str], random: Random) -> Fuzz:
    """Of the replies in all corpora, most of them replies to such forms."""
    replies = [*labelled_replies("tuned"), *labelled_replies("unseen")]
    for path in sorted(FOLDER.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").split("\n"):
            case = json.loads(line) if line else {}
            texts = [case[key] for key in ("reply", "text", "value") if key in case]
            replies += [LabelledReply(path.stem, "", {}, str(text), None) for text in texts]
    form_replies = [case for case in replies if case.form in forms]
    return Fuzz(random, form_replies, replies)


DEPTH, MEGABYTE = 10_000, 1_000_000
MONSTERS: dict[str, str] = {
    "lists": "[" * DEPTH,
    "closed lists": "[" * DEPTH + "]" * DEPTH,
    "objects": '{"Answer": ' * DEPTH,
    "closed objects": '{"Answer": ' * DEPTH + "1" + "}" * DEPTH,
    "lists under a key": '{"Answer": ' + "[" * DEPTH + "]" * DEPTH + ', "Confidence": 0.5}',
    "lists of objects": '[{"Answer":' * DEPTH + "0.5",
    "LaTeX in LaTeX": "\\frac{" * DEPTH + "1" + "}" * DEPTH,
    "boxes in boxes": "\\boxed{" * DEPTH + "5" + "}" * DEPTH,
    "thoughts in thoughts": "<think>" * DEPTH + "5" + "</think>" * DEPTH,
    "tags in tags": "<answer>" * DEPTH + "B" + "</answer>" * DEPTH,
    "brackets": "(" * DEPTH + "5" + ")" * DEPTH,
    "a string that isn't closed": '{"Answer": "' + "B " * DEPTH,
    "strings that aren't closed": '{"Answer": "B, ' * DEPTH,
}
"""Replies nested ten thousand deep, or that never close what they begin."""
LONG_LINES: dict[str, str] = {
    name: begin + piece * (MEGABYTE // len(piece)) + end
    for name, begin, piece, end in (
        ("a key", '{"', "a", '": 1, "Answer": "B", "Confidence": 0.5}'),
        ("a value", '{"Answer": "', "word ", '", "Confidence": 0.5}'),
        ("a broken value", "{'Answer': 'B, ", 'it\'s "so" ', "Confidence: 0.5}"),
        ("a number", "Answer: ", "7", ""),
        ("digits in a list", "Lower: 3, Upper: [", "1, ", "]"),
        ("blanks", "Answer: B", " ", "Confidence: 85"),
        ("words", "Answer: B because ", "it is so and ", "Confidence: 85"),
        ("marks", "Answer: ", "\u0301", "B"),
        ("right to left", "", "\u202e\u05ea\u05e9\u05d5\u05d1\u05d4 ", "5"),
        ("faces", "Answer: 5 ", "\U0001f642", ""),
    )
}
"""Replies of one line of a million characters."""
SHAPES: dict[str, tuple[str, str, str]] = {
    "labels": ("", "Answer:", ""),
    "labels before a number": ("", "Answer: ", "5"),
    "exponents that differ": ("Exponent: 5\n", "Answer: 7 ", " x y"),
    "full stops": ("", ".", " x y\n5 people"),
    "full stops in a power": ("10^", ".", " x\n5 people"),
    "ellipses": ("Answer: ", "…", "A."),
    "dashes after a letter": ("A. ", "–", "\n5"),
    "hyphens after a letter": ("A. ", "--", "]"),
    "equals signs after a letter": ("A. ", "=", " x"),
    "slashes after a letter": ("Answer: A. ", "/*", "1/2"),
    "bounds of bounds": ("5 ", "< to ", "x 7"),
    "bounds without blanks": ("5 ", "<to", "<x 7"),
    "lines of a sign": ("Answer: B\n", "-\n", "x"),
    "signs after a verdict": ("yes ", ".-", " partly"),
    "a refusal's blanks": ("I", " \n", "x"),
    "numbers in a list": ("", "1,", ""),
    "lists of numbers": ("Answer: ", "1,1,1 ", "x"),
    "full stops between digits": ("", "1.", "x"),
    "fractions of fractions": ("Answer: ", "\\frac{1}{", "2"),
    "fractions in fractions": ("", "\\frac{\\frac{", "1}{2}"),
    "slashes": ("Probability: ", "1/", "2"),
    "vulgar fractions": ("", "½", ""),
    "digits of a number": ("Answer: ", "7", "x"),
    "groups of digits": ("1", ",123", "x"),
    "number words": ("Confidence: ", "hundred and ", "x"),
    "Chinese digits": ("百分之", "一", "点x"),
    "tags": ("", "<a ", ">"),
    "comparisons": ("", "< 5 ", "x"),
    "quotation marks": ('{"Answer": ', "'\"", "}"),
    "objects": ("", '{"Answer": ', "1"),
    "members": ("{", '"a": 1, ', ""),
    "lists": ('{"Answer": ', "[1,", "]"),
    "brackets": ("5", "(1", ")"),
    "boxes": ("", "\\boxed{", "5}"),
    "stars": ("a", "*_", "5"),
    "dollars": ("$", "5$ ", "x"),
    "rows": ("", "|a", "\n"),
    "options": ("", "A. is maybe ", "x"),
    "hedges": ("", "maybe not ", "."),
    "abbreviations": ("", "U.S. ", "x"),
    "halves of pairs": ("Answer: ", "\ud800", "5"),
    "marks": ("Answer: e", "\u0301", "5"),
    "zeros": ("Answer: ", "\x00", "5"),
}
"""What a reply begins with, what is repeated in it, and what it ends with."""
