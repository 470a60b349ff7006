"""Tests of the reader of intervals: any text at all, whatever is around it, however long."""

# ruff: noqa: RUF001 # the tables hold what models write: dashes, minus and times signs

import string
from collections.abc import Callable
from contextlib import AbstractContextManager
from decimal import Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inspect_confidence.answers import REPLY_STATUSES, StatedInterval, Unreadable, read_interval
from inspect_confidence.answers.exponents import WIDEST_EXPONENT

Timer = Callable[[float], AbstractContextManager[None]]


PIECES = [
    *("Lower", "Upper", "lower bound", "max", "low", "final", "Final answer:", "\n", " ", ": "),
    *("10", "3", "7", "0", "0.5", ".", ",", "-", "+", "−", "–", "—", "e", "E", "^", "**", "*"),
    *("x", "X", "×", "\\times", "(", ")", "[", "]", "{", "}", "$", "to", "and", "~", "≈", "|", "/"),
    *("%", "million", "⁻³", "⁷", "½", "...", "'", '"', "`", "<", ">", "I can't", "\\boxed", "_"),
]
ANY_REPLY = st.one_of(
    st.text(),
    st.text(alphabet="LloweruUpr:0123456789+-.,eE^*()[]{} \n\t−–×⁻³", max_size=80),
    st.lists(st.sampled_from(PIECES), max_size=24).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=24).map(" ".join),
)


@settings(max_examples=1000, deadline=None)
@given(ANY_REPLY, st.booleans())
def test_any_text_has_an_outcome(reply: str, truncated: bool) -> None:
    """Whatever the text, there is an ordered interval within the limit, or a failure by name."""
    answer = read_interval(reply, truncated=truncated)
    if isinstance(answer, StatedInterval):
        assert -WIDEST_EXPONENT <= answer.lower <= answer.upper <= WIDEST_EXPONENT
    else:
        assert isinstance(answer, Unreadable)
        assert answer.status in REPLY_STATUSES


BOUND = st.decimals(-100, 100, places=6).map(lambda number: Decimal(f"{number:f}").normalize())
"""Exponents with up to six decimals."""


@settings(deadline=None)
@given(BOUND, BOUND)
def test_the_protocol_is_read_exactly(first: Decimal, second: Decimal) -> None:
    """The protocol's two lines give the two numbers, in order, flagged if they were not."""
    expected = StatedInterval(
        float(min(first, second)), float(max(first, second)), reversed=first > second
    )
    assert read_interval(f"Lower: {first:f}\nUpper: {second:f}") == expected


LINES = [
    "{label}: {number}",
    "**{label}:** {number}",
    "**{label}: {number}**",
    "{label}: **{number}**",
    "- {label}: {number}",
    "* **{label}**: `{number}`",
    "• {label} bound: {number}.",
    "> {label}: {number}",
    "### {label}: {number}",
    "__{label}:__ {number}",
    "\t{label} = ${number}$",
    "| {label} | {number} |",
    '    "{label}": {number},',
    "{label} exponent is about {number}",
]
PROSE = st.one_of(
    st.text(alphabet=list(string.ascii_letters + " .,;:!?'()>#%\n")),
    st.sampled_from(
        [
            "Sure! Here is my estimate:",
            "I can't be sure, but",
            "My confidence is high.",
            "```",
            "---",
            "<think>The lower, the better. A final check.</think>",
            "Final answer:",
            "**Reasoning:** the upper bound is hard to tell – it may be low.",
        ]
    ),
)


@settings(deadline=None)
@given(BOUND, BOUND, st.sampled_from(LINES), st.sampled_from(LINES), PROSE, PROSE)
def test_wrapping_changes_nothing(
    first: Decimal, second: Decimal, line: str, other_line: str, before: str, after: str
) -> None:
    """Markdown and prose without digits leave the reading of the two lines as it is."""
    lines = [
        line.format(label="Lower", number=f"{first:f}"),
        other_line.format(label="Upper", number=f"{second:f}"),
    ]
    wrapped = "\n".join([before, *lines, after])
    assert read_interval(wrapped) == read_interval(f"Lower: {first:f}\nUpper: {second:f}")


FORMS = [
    ("Lower: {}\nUpper: ", "{}"),
    ("**Lower:** {}\n**Upper:** ", "{}"),
    ('{{"lower": {}, "upper": ', "{}"),
    ("[{}, ", "{}"),
    ("{} to ", "{}"),
    ("Lower: 10^{}\nUpper: ", "10^{}"),
    ("Lower: $10^{{{}}}$\nUpper: $", "10^{{{}}}"),
    ("Lower: 2.5 × 10^{}\nUpper: ", "2.5 × 10^{}"),
    ("Lower: 2.5 \\times 10^{{{}}}\nUpper: ", "2.5 \\times 10^{{{}}}"),
    ("10^{} to ", "10^{}"),
    ("[10^{}, ", "10^{}"),
]


@settings(max_examples=300, deadline=None)
@given(BOUND, BOUND, st.sampled_from(FORMS), st.data())
def test_a_cut_number_is_not_read(
    first: Decimal, second: Decimal, form: tuple[str, str], data: st.DataObject
) -> None:
    """However much is left of the last number, a truncated reply doesn't tell it."""
    start, number = form[0].format(f"{first:f}"), form[1].format(f"{second:f}")
    cut = number[: data.draw(st.integers(0, len(number)))]
    assert isinstance(read_interval(start + cut, truncated=True), Unreadable)


@settings(deadline=None)
@example(Decimal(3), Decimal("-12.5"), 2)
@given(BOUND, BOUND, st.integers(0, 9))
def test_a_cut_protocol_reply_is_truncated(first: Decimal, second: Decimal, length: int) -> None:
    """The protocol's second line, cut anywhere within its number, is `truncated`."""
    cut = f"{second:f}"[:length]
    answer = read_interval(f"Lower: {first:f}\nUpper: {cut}", truncated=True)
    assert isinstance(answer, Unreadable)
    assert answer.status == "truncated"


LONG = 100_000
"""Characters of a reply that went wrong: a model that repeats itself up to its token limit."""


@pytest.mark.parametrize(
    "unit",
    [
        *("Lower: ", "lower ", "lower bound ", "lower(", "Lower: 3 ", "Lower: 3 Upper: 7 ", "of "),
        *("10^", "10^(", "1 x 10 ^ ", "1 x ", "10 ", "10*", "10^1 to 10^2 ", "1e", "³"),
        *("(", "(x)", "[", "[1", "[1,", "[3, 7] ", "{", "|", "_", "*", "\\", "\\times", "$"),
        *("7", "1.", "1,", "1 ", "-", "- ", "–", "1–", " –", "1 million ", "million", "final "),
        *("i ", "i'm ", "sorry ", "the ", "a", "."),
    ],
)
@pytest.mark.parametrize("start", ["", "Lower: 3\nUpper: "])
def test_time_is_linear(unit: str, start: str, processor_time: Timer) -> None:
    """A hundred thousand characters of anything repeated are read within two seconds."""
    with processor_time(2):
        answer = read_interval((start + unit * (LONG // len(unit) + 1))[:LONG])
    assert isinstance(answer, StatedInterval | Unreadable)


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param("\n" * LONG + "?", id="blank lines before"),
        pytest.param("[3" + " " * LONG + "?", id="blanks in a bracket"),
        pytest.param("Lower: 10^3" + "\n" * LONG + "?", id="blank lines after a power"),
        pytest.param(
            "".join(f"{label}: {n} " for label in ("Lower", "Upper") for n in range(LONG // 26)),
            id="many bounds",
        ),
    ],
)
def test_blanks_and_many_bounds_are_linear(reply: str, processor_time: Timer) -> None:
    """Blank space without end, and many bounds, are read within two seconds."""
    with processor_time(2):
        answer = read_interval(reply)
    assert isinstance(answer, Unreadable)
