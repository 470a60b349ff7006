"""Exponents and intervals come back as they were written, and not where they are cut off."""

# ruff: noqa: RUF001 # the tables hold what models write: dashes and times signs

import string
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inspect_confidence.answers import (
    ParseFailure,
    StatedAmount,
    StatedExponent,
    StatedInterval,
    read_amount,
    read_exponent,
    read_interval,
)

BOUND = st.decimals(-100, 100, places=6).map(lambda number: Decimal(f"{number:f}").normalize())
"""Exponents with up to six decimals."""

EXPONENTS = ["Exponent: {}", "{}", "**{}**", "10^{}", "$10^{{{}}}$", '{{"exponent": {}}}']


@given(BOUND, st.sampled_from(EXPONENTS))
def test_an_exponent_in_any_form_is_read_exactly(exponent: Decimal, form: str) -> None:
    """Any exponent is read in each of its forms: exactly, but for the logarithm of a power."""
    parsed = read_exponent(form.format(f"{exponent:f}"))
    assert isinstance(parsed, StatedExponent)
    assert parsed.value == pytest.approx(float(exponent), abs=1e-9 if "10^" in form else 0, rel=0)


@given(BOUND, BOUND)
def test_lower_and_upper_lines_are_read_exactly_and_reversal_is_flagged(
    first: Decimal, second: Decimal
) -> None:
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
REMARKS = [
    "Sure! Here is my estimate:",
    "I can't be sure, but",
    "My confidence is high.",
    "```",
    "---",
    "<think>The lower, the better. A final check.</think>",
    "Final answer:",
    "**Reasoning:** the upper bound is hard to tell – it may be low.",
]
PROSE = st.text(alphabet=list(string.ascii_letters + " .,;:!?'()>#%\n")) | st.sampled_from(REMARKS)


@given(BOUND, BOUND, st.sampled_from(LINES), st.sampled_from(LINES), PROSE, PROSE)
def test_markdown_and_prose_around_an_interval_change_nothing(
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
    number = number.removesuffix("}")  # which would end it
    cut = number[: data.draw(st.integers(0, len(number)))]
    assert isinstance(read_interval(start + cut, truncated=True), ParseFailure)


@example(Decimal(3), Decimal("-12.5"), 2)
@given(BOUND, BOUND, st.integers(0, 9))
def test_a_cut_protocol_reply_is_truncated(first: Decimal, second: Decimal, length: int) -> None:
    """The protocol's second line, cut anywhere within its number, is `truncated`."""
    cut = f"{second:f}"[:length]
    answer = read_interval(f"Lower: {first:f}\nUpper: {cut}", truncated=True)
    assert isinstance(answer, ParseFailure)
    assert answer.status == "truncated"


@pytest.mark.parametrize("exponent", [0, 1])
def test_a_value_restated_as_a_power_of_ten_is_its_exponent(exponent: int) -> None:
    """1 (= 10^0) is read like 10 (= 10^1), although the logarithm of 1 is 0."""
    reply = f"Lower: {10**exponent} (= 10^{exponent})\nUpper: 100 (= 10^2)"
    assert read_interval(reply) == StatedInterval(float(exponent), 2.0, reversed=False)


def test_zero_before_a_magnitude_stays_zero() -> None:
    """Zero thousand is 0, and a thousand alone is 1,000."""
    for words, value in (("zero thousand", 0), ("two thousand", 2_000), ("thousand", 1_000)):
        assert read_amount(f"Final Answer: {words}") == StatedAmount(Fraction(value))


def test_hundreds_of_dashes_and_an_endless_entity_do_no_harm() -> None:
    """Not all ways to tell dashes are tried; an entity of 5,000 digits is no character."""
    for dashes in (3, 30, 300):
        remark = " - a" * dashes
        assert read_exponent(f"Exponent: 5{remark}\n") == StatedExponent(5.0)
        assert read_interval(f"Lower: 3{remark}\nUpper: 7{remark}") == StatedInterval(
            3.0, 7.0, reversed=False
        )
        assert read_exponent(f"Exponent: 5{remark} 6") == StatedExponent(5.0)
    entity = "&#" + "9" * 5_000 + "; "
    assert read_exponent(entity + "\nExponent: 5") == read_exponent("Exponent: 5")
    assert read_interval(entity + "\nLower: 3\nUpper: 7") == read_interval("Lower: 3\nUpper: 7")
