"""Any text at all has an outcome in every reader, and soon, however long it is."""

from __future__ import annotations

import ast
import re
import string
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import product
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from answers.cases import CITIES, FIVE, pieces
from answers.fuzz import MARKUP, NUMBERS
from growth import slow_texts
from inspect_confidence import answers as readers
from inspect_confidence import judges
from inspect_confidence.answers.clean import folded
from inspect_confidence.answers.exponents import WIDEST_EXPONENT
from inspect_confidence.answers.json_members import objects_in
from inspect_confidence.answers.judged import (
    read_agreement,
    read_agreements,
    read_decisiveness,
    read_markers,
)
from inspect_confidence.answers.sentences import ends_whole, split_sentences
from inspect_confidence.judges.agreement import agreement, verdict
from inspect_confidence.judges.markers import find_markers, standard_marker

KINDS = ("exponents", "probability", "stated", "word_choice")
ANY_REPLY = st.one_of(
    st.text(),
    st.text(alphabet=string.printable, max_size=80),
    st.text(alphabet="LloweruUprExpnt:0123456789+-.,eE^*()[]{}$ \n\t−–×⁻³", max_size=80),  # noqa: RUF001 # as models write
    *(
        st.lists(st.sampled_from(pieces(kind, "pieces")), max_size=24).map(glue.join)
        for kind, glue in product(KINDS, ("", " "))
    ),
)


@settings(max_examples=400, deadline=None)
@given(ANY_REPLY, st.lists(ANY_REPLY, max_size=5), st.booleans(), st.booleans())
def test_any_text_has_an_answer_in_its_bounds_or_a_named_failure(
    reply: str, choices: list[str], truncated: bool, thought: bool
) -> None:
    """Whatever the texts, there is an answer within its bounds or a failure by name."""
    answers: list[object] = [
        readers.read_exponent(reply, truncated=truncated),
        readers.read_interval(reply, truncated=truncated),
        readers.read_probability(reply, truncated=truncated),
        readers.read_amount(reply, truncated=truncated),
        readers.read_confidence(reply, 7, 79, truncated=truncated),
    ]
    for options in (choices, FIVE):
        letter = readers.first_letter(reply, options, chain_of_thought=thought)
        answers += [
            readers.read_choice(reply, options, truncated=truncated),
            readers.read_word_choice(reply, options, chain_of_thought=thought, truncated=truncated),
            None if letter is None else readers.StatedChoice(letter),
        ]
        for answer in answers:
            assert is_sound(answer, len(options)), answers


def is_sound(answer: object, count: int) -> bool:
    """Whether a reading of one of so many choices, or of a number, can be one."""
    match answer:
        case readers.ParseFailure():
            return answer.status in readers.REPLY_STATUSES
        case readers.StatedExponent():
            return abs(answer.value) <= WIDEST_EXPONENT
        case readers.StatedInterval():
            return -WIDEST_EXPONENT <= answer.lower <= answer.upper <= WIDEST_EXPONENT
        case readers.StatedProbability():
            return 0 <= answer.value <= 1
        case readers.StatedChoice() | readers.WordChoice():
            return 0 <= answer.index < count
    return answer is None or isinstance(answer, readers.StatedAmount | readers.StatedConfidence)


def read_every_value(value: str) -> None:
    """All readers of a value in JSON."""
    reply = readers.JsonReply({"answer": value, "confidence": value, "a": value})
    readers.letter_in(reply, CITIES), readers.age_in(reply), readers.verdict_in(reply)
    readers.probability_in(reply), readers.probabilities_in(reply, 1)


def read_every_object(reply: str) -> None:
    """The reader of JSON, whether or not the reply is whole."""
    for truncated in (False, True):
        parsed = readers.read_json(reply, truncated=truncated)
        if isinstance(parsed, readers.JsonReply):
            readers.probability_in(parsed), readers.probabilities_in(parsed, 4)


def read_every_judgment(reply: str) -> None:
    """The readers of a judge's reply."""
    read_markers(reply, "It may be."), read_decisiveness(reply), read_agreement(reply)


Readers = Sequence[Callable[[str], object]]
LABELLED_CHOICES = ["London", "Paris", "The Hague", "Confidence: high"]
READERS: dict[str, Readers] = {
    "exponents": (readers.read_exponent, readers.read_interval),
    "probability": (lambda reply: readers.read_probability(reply, truncated=True),),
    "stated": (
        lambda reply: readers.read_choice(reply, LABELLED_CHOICES),
        readers.read_amount,
        lambda reply: readers.read_confidence(reply, 0, 100),
    ),
    "word_choice": (
        lambda reply: readers.read_word_choice(reply, FIVE, truncated=True),
        lambda reply: readers.read_word_choice(reply, FIVE, chain_of_thought=True),
        lambda reply: readers.first_letter(reply, FIVE),
    ),
    "json": (read_every_object, read_every_judgment),
    "value": (read_every_value,),
    "sentences": (split_sentences, ends_whole, find_markers, standard_marker),
    "agreement": (
        lambda reply: agreement("What is the capital of Australia?", "Canberra.", reply),
        lambda reply: verdict(["Canberra"], reply),
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize("kind", READERS)
def test_time_grows_linearly_with_the_length_of_the_text(kind: str) -> None:
    """Whatever is repeated in it, after nothing and after one of the beginnings in turn."""
    parts, ends = pieces(kind, "repeated"), pieces(kind, "ends") or ["?"]
    starts = pieces(kind, "starts")[1:]
    for number, read in enumerate(READERS[kind]):
        assert slow_texts(read, parts, [""], ends[:1]) == [], number
        for turn, piece in enumerate(parts if starts else []):
            start = starts[(turn + number) % len(starts)]
            assert slow_texts(read, [piece], [start], ends[-1:]) == [], number


def test_awkward_replies_are_read_in_linear_time() -> None:
    """Blanks without end, labels with numbers that differ, and however many dashes."""
    assert slow_texts(readers.read_interval, ["\n", " "], ["", "[3", "Lower: 10^3"]) == []
    numbers = [f"{label}: {n} " for label in ("Lower", "Upper") for n in range(7)]
    assert slow_texts(readers.read_interval, ["".join(numbers), "".join(numbers[:7])]) == []
    for read in (readers.read_exponent, readers.read_interval):
        starts = ["Exponent: 5", "Exponent: 10^5", "Lower: 3", "Lower: 3, Upper: 10^7 people"]
        assert slow_texts(read, [" - a", " - is", " - a: 5"], starts, [" 6", "?", "\n"]) == []


@given(st.text())
def test_folding_is_done_once(text: str) -> None:
    """A text that is folded already stays as it is, and so does plain English."""
    assert folded(folded(text)) == folded(text)
    if text.isascii():
        assert folded(text) == text


AWKWARD = st.lists(
    st.one_of(
        st.sampled_from([*MARKUP, *NUMBERS]),
        st.text(st.characters(exclude_categories=()), max_size=5),
    ),
    max_size=12,
).map("".join)
"""Halves of surrogate pairs among all else that a string can hold."""


@settings(max_examples=60, deadline=None)
@given(AWKWARD)
@example("I think\ud800 so. Maybe not.")
@example('{"Answer–3e"')  # noqa: RUF001 # a dash, as it was written
@example("\x00½\udfff")
def test_no_string_raises(text: str) -> None:
    """Each reader of a reply, of a value, of a judge's reply and of sentences comes to an end."""
    for several in READERS.values():
        for read in several:
            read(text)


def test_objects_nested_to_the_recursion_limit_are_read_or_fail() -> None:
    """What the decoder just bears may be too deep for what comes after it."""
    limit = sys.getrecursionlimit()
    for depth in range(limit * 3 // 4, limit, limit // 40):
        for deep in (depth // 2, depth):
            objects = list(objects_in('{"markers":[' * deep + '"a"' + "]}" * deep))
            assert len(objects) <= 1, deep
        # Past what the decoder bears it is text, and the one word in it is its answer.
        (agreement,) = read_agreements("[" * depth + '"yes"' + "]" * depth, 1)
        assert isinstance(agreement, readers.ParseFailure) or agreement == "yes", depth


POSSESSIVE = re.compile(r"[*+?}]\+|\(\?>")
"""What no possessive or atomic group can be without, and some others have in a class."""


def is_possessive(pattern: str, flags: int = 0) -> bool:
    """Whether a pattern has a possessive or atomic group, as the compiler sees it."""
    parsed = repr(import_module("re._parser").parse(pattern, flags)) if "+" in pattern else ""
    return "POSSESSIVE_REPEAT" in parsed or "ATOMIC_GROUP" in parsed or "(?>" in pattern


def patterns(value: object) -> Iterator[re.Pattern[str]]:
    """The patterns that a module's variable is, or holds in lists."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, list | tuple):
        for element in value:
            yield from patterns(element)


def strings_of(path: Path) -> Iterator[str]:
    """The strings of a file that aren't prose, without their classes of characters."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", "c", node.value)


def test_no_pattern_is_possessive() -> None:
    """Python before 3.11.5 loses what a repeated group of that kind holds, and reads another value.

    The compiler is asked about the readers' patterns; of other files the strings are searched.
    """
    assert all(map(is_possessive, ("(?:ab?)++", "[0-9]*+", "(?:a){0,6}+", "(?>ab?)")))
    assert not is_possessive("[*+?}]+[+]+")
    rooms = [readers.__name__, judges.__name__]
    modules = [module for name, module in sys.modules.items() if name.rpartition(".")[0] in rooms]
    compiled = [pattern for module in modules for pattern in patterns([*vars(module).values()])]
    assert len(compiled) > 200
    compiled = [pattern for pattern in compiled if POSSESSIVE.search(pattern.pattern)]
    assert [
        pattern.pattern for pattern in compiled if is_possessive(pattern.pattern, pattern.flags)
    ] == []
    files = sorted(Path(readers.__file__).parents[1].rglob("*.py"))
    assert len(files) > 200
    files = [file for file in files if POSSESSIVE.search(file.read_text("utf-8"))]
    assert [file.name for file in files if any(map(POSSESSIVE.search, strings_of(file)))] == []
