"""Tests of the reader of one exponent."""

# ruff: noqa: RUF001 # the tables hold what models write: dashes, minus and times signs

from collections.abc import Callable
from contextlib import AbstractContextManager
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspect_confidence.answers import REPLY_STATUSES, StatedExponent, Unreadable, read_exponent

FIVE = [
    "Exponent: 5",
    "exponent=5",
    "Exponent: 5.0",
    "Exponent: +05",
    "Exponent\n5",
    "5",
    "5.",
    "~5",
    "**5**",
    "$5$",
    "\\boxed{5}",
    "[5]",
    "**Exponent:** 5",
    "- Exponent: **5**",
    "`Exponent: 5`",
    "```\nExponent: 5\n```",
    "Exponent: <5>",
    "Exponent: <integer>\n\nExponent: 5",
    "<exponent>5</exponent>",
    '{"exponent": 5}',
    "{'exponent': '5', 'confidence': 90}",
    "Exponent: 5 (100,000)",
    "Exponent: 5 (i.e. about 100 thousand tuners)",
    "10^5",
    "10⁵",
    "10**5",
    "1e5",
    "$10^{5}$",
    "10 to the power of 5",
    "about 10^5",
    "about 10^5 piano tuners",
    "10^5 = 100,000",
    "The exponent is 5.",
    "The exponent of ten is about 5.",
    "The answer is 10^5.",
    "Answer: 5",
    "My best estimate is 10^5, so the exponent is 5.",
    "I can't be sure, but I'd say 10^5.",
    "There are 8.1 billion people and 24 hours.\nExponent: 5",
    "I estimate 20 people each.\n\nExponent: 5",
    "Exponent: 4\n\nFinal answer: 5",
    "Perhaps 10^4 or 10^6. Final answer: 10^5",
]

FAILURES = {
    "no_response": ["", " \n", "**", "```\n```"],
    "refusal": [
        "I don't know.",
        "I can't answer that.",
        "I am unable to determine this without data from 2020.",
    ],
    "out_of_range": ["Exponent: 101", "-200", "10^101", "9e100", "9" * 400],
    "ambiguous": [
        "5 or 6",
        "5 to 6",
        "5-6",
        "5–6",
        "5 6",
        "5\n6",
        "5 ± 1",
        "3/4",
        "5%",
        "2^10",
        "-10^5",
        "not 10^5",
        "Exponent: 5 or 6",
        "Exponent: 5-6",
        "Exponent: 5, 6",
        "Exponent: 5 (or 6)",
        "Exponent: 5. 6",
        "Exponent: 5\nExponent: 6",
        "Exponent: 5%",
        "Exponent: 5 people",
        "Exponent: 100,000",
        "100,000",
        "20 million",
        "about 20 people",
        "10^5 million",
        "10^5 or 10^6",
        "10^5 to 10^6",
        "10^5 ± 10^4",
        "2 × 3 × 10^5",
        "In 1990 there were 5 of them.",
        "Step 1: 10^2 rooms. Step 2: 10^3 people.",
        "Lower: 5",
        "| Exponent | 5 | 6 |",
    ],
    "invalid_response_format": ["three", "Exponent:", "Exponent: <integer>", "Exponent: five", "?"],
}

CUT_OFF = [
    "Exponent",
    "Exponent: ",
    "Exponent: 5",
    "Exponent: 5.",
    "5",
    "10^5",
    "10^5 mill",
    "**5*",
]
CUT_OFF_LATER = ["Exponent: 5\n\nBecause", '{"exponent": 5, "reason": "the', "Exponent: 5. Th"]


@pytest.mark.parametrize("reply", FIVE)
def test_reads_what_models_write(reply: str) -> None:
    """Five is read in all of its spellings."""
    assert read_exponent(reply) == StatedExponent(5.0)


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("4.5", 4.5),
        ("Exponent: −3", -3.0),
        ("10⁻³", -3.0),
        ("Exponent: **10**", 10.0),
        ("10^4.5", 4.5),
        ("100 × 10^3", 5.0),
    ],
)
def test_reads_the_number(reply: str, value: float) -> None:
    """Signs, decimals and mantissas count."""
    assert read_exponent(reply) == StatedExponent(value)


@pytest.mark.parametrize(
    ("reply", "status"),
    [(reply, status) for status, replies in FAILURES.items() for reply in replies],
)
def test_never_guesses_an_exponent(reply: str, status: str) -> None:
    """A reply without one certain answer is a failure of the right kind, with a reason."""
    answer = read_exponent(reply)
    assert isinstance(answer, Unreadable), answer
    assert answer.status == status
    assert answer.reason


@pytest.mark.parametrize("reply", CUT_OFF)
def test_does_not_complete_a_cut_exponent(reply: str) -> None:
    """A number that ends where the reply was cut off isn't read."""
    answer = read_exponent(reply, truncated=True)
    assert isinstance(answer, Unreadable)
    assert answer.status == "truncated"


@pytest.mark.parametrize("reply", CUT_OFF_LATER)
def test_reads_an_exponent_before_the_cut(reply: str) -> None:
    """What was stated before the cut is read."""
    assert read_exponent(reply, truncated=True) == StatedExponent(5.0)


def test_the_limit_is_within_range() -> None:
    """The limit itself is read, and nothing beyond."""
    assert read_exponent("Exponent: -7", limit=7) == StatedExponent(-7.0)
    answer = read_exponent("Exponent: -7", limit=6.9)
    assert isinstance(answer, Unreadable)
    assert answer.status == "out_of_range"


@settings(deadline=None)
@given(
    st.decimals(-100, 100, places=4).map(lambda number: Decimal(f"{number:f}").normalize()),
    st.sampled_from(["Exponent: {}", "{}", "**{}**", "10^{}", "$10^{{{}}}$", '{{"exponent": {}}}']),
)
def test_reads_back_what_was_written(exponent: Decimal, form: str) -> None:
    """Any exponent is read exactly, in each of its forms."""
    assert read_exponent(form.format(f"{exponent:f}")) == StatedExponent(float(exponent))


@settings(max_examples=500, deadline=None)
@given(
    st.one_of(
        st.text(),
        st.text(alphabet="Exponet: 0123456789+-.,^*()[]{}$\n–×⁻³", max_size=60),
    ),
    st.booleans(),
)
def test_any_text_has_an_exponent_or_a_failure(reply: str, truncated: bool) -> None:
    """Whatever the text, there is an exponent within the limit, or a failure by name."""
    answer = read_exponent(reply, truncated=truncated)
    if isinstance(answer, StatedExponent):
        assert -100 <= answer.value <= 100
    else:
        assert answer.status in REPLY_STATUSES


@pytest.mark.parametrize(
    "unit",
    ["Exponent: ", "Exponent: 5 ", "5 ", "10^5 ", "10^", "the ", "(", "\n", "-", "{", "answer "],
)
def test_an_exponent_is_read_in_linear_time(
    unit: str, processor_time: Callable[[float], AbstractContextManager[None]]
) -> None:
    """A hundred thousand characters of anything repeated are read within two seconds."""
    with processor_time(2):
        answer = read_exponent(unit * (100_000 // len(unit)))
    assert isinstance(answer, StatedExponent | Unreadable)
