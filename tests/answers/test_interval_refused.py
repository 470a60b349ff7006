"""Tests of the reader of intervals: what can't be told is a failure, and never a guess."""

# ruff: noqa: RUF001 # the tables hold what models write: dashes, minus and times signs

import math

import pytest

from inspect_confidence.answers import StatedInterval, Unreadable, read_interval

Outcome = tuple[float, float] | str
"""What came of a reply: bounds, or a status."""

FAILS: tuple[Outcome, ...] = ("ambiguous", "invalid_response_format")
ABOUT_4_TO_6: Outcome = (round(math.log10(25_000), 9), round(math.log10(3_000_000), 9))

GUESSED: list[tuple[str, tuple[Outcome, ...]]] = [
    # Times signs that aren't known: the mantissa alone is read.
    ("Lower: $2.5\\times10^{4}$\nUpper: $3\\times10^{6}$", (ABOUT_4_TO_6, *FAILS)),
    ("Lower: $2.5\\cdot10^4$\nUpper: $3\\cdot10^6$", (ABOUT_4_TO_6, *FAILS)),
    ("Lower: $2.5\\,\\times\\,10^4$\nUpper: $3\\,\\times\\,10^6$", (ABOUT_4_TO_6, *FAILS)),
    ("Lower: 2.5 ⋅ 10^4\nUpper: 3 ⋅ 10^6", (ABOUT_4_TO_6, *FAILS)),
    ("Lower: 2.5 ✕ 10^4\nUpper: 3 ✕ 10^6", (ABOUT_4_TO_6, *FAILS)),
    ("Lower: 2.5 &times; 10^4\nUpper: 3 &times; 10^6", (ABOUT_4_TO_6, *FAILS)),
    ("Lower: 2.5 e4\nUpper: 3 e6", (ABOUT_4_TO_6, *FAILS)),
    ("Lower: 2.5 E+04\nUpper: 3.0 E+06", (ABOUT_4_TO_6, *FAILS)),
    # Powers that aren't known: the ten is read.
    ("Lower: 10 to the power of 3\nUpper: 10 to the power of 7", ((3, 7), *FAILS)),
    ("Lower: 10 to the 3rd\nUpper: 10 to the 7th", ((3, 7), *FAILS)),
    ("Lower: 10<sup>3</sup>\nUpper: 10<sup>7</sup>", ((3, 7), *FAILS)),
    ("Lower: 10\\^3\nUpper: 10\\^7", ((3, 7), *FAILS)),
    ("Lower: 10 ^ - 3\nUpper: 10 ^ - 1", ((-3, -1), *FAILS)),
    ("Lower: 10⁽⁻³⁾\nUpper: 10⁽⁻¹⁾", ((-3, -1), *FAILS)),
    ("Lower: 10³.⁵\nUpper: 10⁷", ((3.5, 7), *FAILS)),
    # Values, not exponents: separators, magnitudes, units, money, clock times.
    ("Lower: 1 000\nUpper: 10 000 000", ((3, 7), "out_of_range", *FAILS)),
    ("Lower: 1'000\nUpper: 10'000'000", ((3, 7), "out_of_range", *FAILS)),
    ("Lower: 1,00,000\nUpper: 10,00,000", ((5, 6), "out_of_range", *FAILS)),
    ("Lower: 3 thousands\nUpper: 7 millions", FAILS),
    ("Lower: 3 quadrillion\nUpper: 7 quadrillion", FAILS),
    ("Lower: 3 lakh\nUpper: 7 crore", FAILS),
    ("Lower: 3 M\nUpper: 7 bn", FAILS),
    ("Lower: 3-million\nUpper: 7-million", FAILS),
    ("[3, 7] million", FAILS),
    ("Lower: 3 percent\nUpper: 7 percent", FAILS),
    ("[20, 90]%", FAILS),
    ("[3, 7] × 10^4", FAILS),
    ("(2–5) × 10^6", FAILS),
    ("Lower: 20 piano tuners\nUpper: 90 piano tuners", FAILS),
    ("Lower: $20\nUpper: $90", FAILS),
    ("$20 to $90", FAILS),
    ("Lower: 12:30\nUpper: 14:00", FAILS),
    ("Lower: 10 = 10^1\nUpper: 100 = 10^2", ((1, 2), *FAILS)),
    ("Lower: 20 (= 10^1.3)\nUpper: 90 (= 10^1.95)", ((1.3, 1.95), *FAILS)),
    # The number goes on after what is read of it.
    ("Lower: 3,5\nUpper: 7,2", ((3.5, 7.2), *FAILS)),
    ("Lower: 3½\nUpper: 7", ((3.5, 7), *FAILS)),
    ("Lower: ½\nUpper: 1½", ((0.5, 1.5), *FAILS)),
    ("Lower: 2*3\nUpper: 3*3", FAILS),
    ("Lower: 2 + 1\nUpper: 4 + 3", ((3, 7), *FAILS)),
    ("Lower: 7 / 2\nUpper: 9 / 2", ((3.5, 4.5), *FAILS)),
    ("Lower: 3..5\nUpper: 7", FAILS),
    # A bound that is itself a range, or is taken back.
    ("Lower: 3 or 4\nUpper: 7", FAILS),
    ("Lower: 3 and 4\nUpper: 7", FAILS),
    ("Lower: 3 (or 4)\nUpper: 7", FAILS),
    ("Lower: 3~4\nUpper: 7", FAILS),
    ("Lower: 3, 4\nUpper: 7, 8", FAILS),
    ("Lower: 3 ± 1\nUpper: 7", FAILS),
    ("Lower: 3 +/- 1\nUpper: 7", FAILS),
    ("Lower: 3 \\pm 1\nUpper: 7", FAILS),
    ("Lower: 10^(3±1)\nUpper: 10^7", FAILS),
    ("Lower: 10^(3) to 10^(4)\nUpper: 10^(7)", FAILS),
    ("Lower: ~~3~~ 4\nUpper: 7", ((4, 7), *FAILS)),
    # Bullets and bold type are taken for times and power signs.
    ("Lower: 3\n* 10^3 is a thousand\nUpper: 7\n* 10^7 is ten million", ((3, 7), *FAILS)),
    ("**Lower: 10**\n\n1. Why.\n\n**Upper: 10**\n\n2. Why.", ((10, 10), *FAILS)),
    # A separator is taken from the second number's sign.
    ("-3\n-1", ((-3, -1), *FAILS)),
    ("-3 -1", ((-3, -1), *FAILS)),
    ("[-3 -1]", ((-3, -1), *FAILS)),
    ("3\n-7", ((-7, 3), *FAILS)),
    # Numbers of prose that aren't the interval.
    ("Lower bound:\n1. Ten rooms.\n2. So 10^3.\n\nUpper bound:\n1. More.\n2. So 10^7.", FAILS),
    ("Lower estimate: 5 people.\nUpper estimate: 20 people.\n\nSo 10^3 to 10^7.", ((3, 7), *FAILS)),
    ("With a minimum of 2 and a maximum of 4 litres a day: 10^8 to 10^9.", ((8, 9), *FAILS)),
    ("There are at minimum 2 and at maximum 5 people, I can't say.", ("refusal", *FAILS)),
    ("Multiplying 10^3 and 10^4 gives about 10^7.", FAILS),
    ("10^9 - 10^8 is still about 10^9.", FAILS),
    ("10^3, 10^5, 10^7", ((3, 7), *FAILS)),
    ("[10^3, 10^5, 10^7]", ((3, 7), *FAILS)),
    ("10^2 to 10^4 to 10^7", FAILS),
    ("Earlier surveys [1, 2] suggest a large number.", FAILS),
    ("An average household (2-3) gives about 10^5.", FAILS),
    ("I cannot choose between 3 and 7.", ("refusal", *FAILS)),
    ("It is not between 3 and 7.", FAILS),
    # A final answer that is overlooked.
    ("Lower: 3\nUpper: 7\n\nFinal answer: [4, 8]", ((4, 8), *FAILS)),
    ("Lower: 3\nUpper: 7\n\nFinal answer: 10^4 to 10^8", ((4, 8), *FAILS)),
    # repr(float) writes an exponent of its own, which is then read as a power.
    ("Lower: 0.00001\nUpper: 0.00002", ((0.00001, 0.00002),)),
    ("Lower: 100000000000000000\nUpper: 1000000000000000000", ("out_of_range", *FAILS)),
    # Infinity less infinity: bounds that aren't numbers.
    ("Lower: 9e-9\nUpper: 9e-9".replace("9", "9" * 400), ("out_of_range", *FAILS)),
    # An upper-case times sign raises.
    ("Lower: 2.5 X 10^4\nUpper: 3 X 10^6", (ABOUT_4_TO_6, *FAILS)),
]

MISNAMED: list[tuple[str, Outcome]] = [
    ("Unfortunately, I must decline to give an estimate.", "refusal"),
    ("It is not possible for me to answer that.", "refusal"),
    ("I won't overthink it: about 10^5.", "invalid_response_format"),
    ("I cannot be more precise than 10^5.", "invalid_response_format"),
    (f"Lower: {'9' * 30}\nUpper: 7", "out_of_range"),
]

FAILURES = {
    "no_response": ["", "  \n\t ", "**", "```\n```", "$$", "\u00a0"],
    "refusal": [
        "I'm sorry, but I can't answer that.",
        "I’m sorry, I can’t give Lower and Upper bounds for question 3.",
        "I cannot provide an estimate.",
        "We do not have enough information.",
        "I am unable to determine this without data from 2020.",
        "As an AI language model I lack access to live data.",
        "I don't know.",
        "Sorry, I won't guess.",
    ],
    "out_of_range": [
        "Lower: 101\nUpper: 103",
        "Lower: -200\nUpper: 3",
        "Lower: 100.01\nUpper: 3",
        "Lower: 1000\nUpper: 10000000",
        "Lower: 1e300\nUpper: 1e400",
        "Lower: 9e100\nUpper: 3e5",
        "Lower: 10^-101\nUpper: 10^3",
        "[1000, 10000000]",
        "1000 to 10000000",
        f"Lower: {'9' * 400}\nUpper: {'9' * 401}",
    ],
    "ambiguous": [
        "Lower: 1.000\nUpper: 10.000",
        "Lower: 3.**5**\nUpper: 7",
        "Lower: 3 (not 4)\nUpper: 7",
        "Lower: >3\nUpper: <7",
        "Lower: 10^3 million\nUpper: 10^7",
        "Lower: 3 and a half\nUpper: 7",
        "| Lower | 3 | 4 |\n| Upper | 7 | 8 |",
        # A bound that is itself a range, or another quantity than an exponent.
        "Lower: 3-4\nUpper: 7",
        "Lower: 3–4\nUpper: 7",
        "Minimum: 3-4\nMaximum: 7-8",
        "Lower: 3 to 4\nUpper: 7 to 8",
        "Lower: 10^3 to 10^4\nUpper: 10^7",
        "Lower: between 3 and 4\nUpper: between 7 and 8",
        "Lower: [3, 4]\nUpper: [7, 8]",
        "Lower: 3/4\nUpper: 7",
        "Lower: 10^3/10^4\nUpper: 10^7",
        "Lower: 3%\nUpper: 7%",
        "Lower: 3 million\nUpper: 7 million",
        "Lower: 3 thousand\nUpper: 7 billion",
        "Lower: 3k\nUpper: 7M",
        "Lower: 3m\nUpper: 7m",
        "Lower: €3\nUpper: €7",
        "Lower: 1,000\nUpper: 10,000,000",
        "Lower: 1.000.000\nUpper: 10.000.000",
        "Lower: 3x\nUpper: 7x",
        "Lower: 3 × 4\nUpper: 7",
        "Lower: 10^3 × 2\nUpper: 10^7",
        "Lower: 2^10\nUpper: 2^20",
        "Lower: e^3\nUpper: e^7",
        "Lower: 10^10^3\nUpper: 10^10^7",
        "Lower: 3.5.2\nUpper: 7",
        "Lower: 0x10\nUpper: 0x20",
        "Lower: 3rd\nUpper: 7th",
        "Lower: -10^3\nUpper: 10^3",
        # An exponent and a power.
        "Lower: 3\nUpper: 10^7",
        "Lower: 1e3\nUpper: 7",
        "[3, 10^7]",
        "10^4-7",
        "2–5 × 10^6",
        # Two intervals.
        "Lower: 3, Upper: 7. No: Lower: 4, Upper: 8.",
        "Lower: 3\nUpper: 7\nLower: 4\nUpper: 7",
        "Lower: 3\nUpper: 7\nLower: 7\nUpper: 3",
        "50%: lower 4, upper 6; 90%: lower 3, upper 7",
        "<think>Lower: 2, Upper: 8?</think>\nLower: 3\nUpper: 7",
        "Lower: 3, Upper: 7. Lower: 4, Upper: 8. That is final.",
        "Lower: 3, Upper: 7. Final? Lower: 4, Upper: 8 or Lower: 5, Upper: 9",
        "Lower: 3, Upper: 7. Finally, Lower: 4, Upper: 8.",
        "Lower: 3, Upper: 7. Final: Lower: 4",
        '{"90%": [3, 7], "50%": [4, 6]}',
        "10^3 to 10^5, or rather 10^3 to 10^6",
    ],
    "invalid_response_format": [
        "3--7",
        "-3--1",
        "3 -7",
        "**10**-12",
        "between 10^3 and 10^7 million",
        "The answer is not between 10^3 and 10^7.",
        "Houses per town: 10^3 to 10^4. Towns: 10^2. In all about 10^6.",
        "3",
        "10^5",
        "The exponent is 5.",
        "90%",
        "5 ± 1",
        "10^5 ± 10^1",
        "around 10^5, give or take 10^2",
        "My estimate is 10^5, 90% confidence.",
        "[3, 5, 7]",
        "3 5 7",
        "3-4 or 5-6",
        "[4]",
        "3 million to 7 million",
        "1,000 to 10,000,000",
        "There are 3 to 4 people in a household.",
        "In 1990, 2000 and 2010 there were 5 of them.",
        "Step 1: 10^2 rooms. Step 2: 10^3 people. Total: 10^5.",
        "There are 8 billion people and 24 hours.",
        "Lower: three\nUpper: seven",
        "Lower: <exponent>\nUpper: <exponent>",
        "Lower:\nUpper:",
        "Lower: -\nUpper: -",
        "Lower: N/A\nUpper: N/A",
        '{"lower": null, "upper": null}',
        "Lower: -inf\nUpper: NaN",
        "Lower: 0 x 10^3\nUpper: 10^3",
        "Lower: 0e5\nUpper: 1e5",
        "Lower: -2e5\nUpper: 2e5",
        "...",
        "[]",
        # Only English labels are read.
        "Untergrenze: 3\nObergrenze: 7",
        "下限：3\n上限：7",
        "Límite inferior: 3\nLímite superior: 7",
    ],
}

CUT_OFF = [
    "Let us think step by step. There are",
    "I'm sorry, I can't",
    "Lower",
    "Lower: 3",
    "Lower: 3\nUpper:",
    "Lower: 3\nUpper: -",
    "Lower: 3\nUpper: 1",
    "Lower: 3\nUpper: 1\n",
    "Lower: 3\nUpper: 12.5e",
    "Lower: 10^3\nUpper: 10^",
    "Lower: 10^3\nUpper: 10^{",
    "Lower: 10^3\nUpper: $10^{-1",
    "Lower: 2 × 10^3\nUpper: 2 ×",
    "**Lower: 3**\n**Upper: 1*",
    "Upper: 7\nLower: 3",
    '{"lower": 3, "upper": 7',
    "[3, 7",
    "3 to 7",
    "10^3 to 10",
    "I think the interval is 3",
    "Lower: 3 because the minimum of",
    "Lower: 3\nUpper: 7\n\nLet me reconsider. Lower: 4",
    "Lower: 3, Upper: 7. Final: Lower: 4",
    "Lower: 3\nUpper: 7.",
    "Lower: 3\nUpper: 7,",
    "Lower: 3\nUpper: 7-",
    "Lower: 3\nUpper: 7 –",
    "Lower: 3\nUpper: 7 \\tim",
    "Lower: 3\nUpper: 7 mill",
    "Lower: 3\nUpper: 10 ^",
    "Lower: 3\nUpper: 10 to the pow",
    '{"lower": 3, "upper": 7.',
    "3 to 7.",
    "Lower: 3\nUpper: 7\n\nFinal answer:\nLower:",
]

CUT_OFF_LATER = [
    "Lower: 3\nUpper: 7\n\nExplanation: the numb",
    "Lower: 3\nUpper: 7.\n\nThe reas",
    "**Lower:** 3\n**Upper:** 7\n\nI chose 10^3 because at least 10",
    '{"lower": 3, "upper": 7, "reason": "the',
]


def outcome(reply: str, *, truncated: bool = False) -> Outcome:
    """The bounds, rounded to compare, or the status."""
    answer = read_interval(reply, truncated=truncated)
    return rounded(answer) if isinstance(answer, StatedInterval) else answer.status


def rounded(interval: StatedInterval | tuple[float, float]) -> tuple[float, float]:
    """Bounds to nine decimals."""
    if isinstance(interval, StatedInterval):
        interval = (interval.lower, interval.upper)
    lower, upper = interval
    return round(lower, 9), round(upper, 9)


@pytest.mark.parametrize(
    ("reply", "status"),
    [(reply, status) for status, replies in FAILURES.items() for reply in replies],
)
def test_never_guesses(reply: str, status: str) -> None:
    """A reply without one certain reading is a failure of the right kind, with a reason."""
    answer = read_interval(reply)
    assert isinstance(answer, Unreadable), answer
    assert answer.status == status
    assert answer.reason


@pytest.mark.parametrize(("reply", "expected"), GUESSED)
def test_reads_what_is_certain_or_nothing(reply: str, expected: tuple[Outcome, ...]) -> None:
    """What is easily misread is read as what it says, or not at all."""
    assert outcome(reply) in expected


@pytest.mark.parametrize(("reply", "status"), MISNAMED)
def test_names_the_failure(reply: str, status: str) -> None:
    """A failure isn't taken for another."""
    assert outcome(reply) == status


@pytest.mark.parametrize("reply", CUT_OFF)
def test_does_not_complete_a_cut_reply(reply: str) -> None:
    """What was cut off before or within the last number is `truncated`."""
    assert outcome(reply, truncated=True) == "truncated"


@pytest.mark.parametrize("reply", CUT_OFF_LATER)
def test_reads_a_reply_cut_after_its_interval(reply: str) -> None:
    """An interval stated before the cut is read, its explanation isn't needed."""
    assert outcome(reply, truncated=True) == (3, 7)


@pytest.mark.parametrize(
    ("reply", "limit", "expected"),
    [
        ("Lower: 3\nUpper: 7", 7, (3, 7)),
        ("Lower: 3\nUpper: 7", 6.9, "out_of_range"),
        ("Lower: -7\nUpper: 3", 7, (-7, 3)),
        ("Lower: -7\nUpper: 3", 6.9, "out_of_range"),
        ("Lower: 10^3\nUpper: 2 × 10^7", 7, "out_of_range"),
        ("Lower: 101\nUpper: 200", 200, (101, 200)),
    ],
)
def test_limit(reply: str, limit: float, expected: Outcome) -> None:
    """The limit holds for either sign, and is itself within range."""
    answer = read_interval(reply, limit=limit)
    got = rounded(answer) if isinstance(answer, StatedInterval) else answer.status
    assert got == expected
