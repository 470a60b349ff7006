"""Tests of the reader of intervals: what models write is read."""

# ruff: noqa: RUF001 # the tables hold what models write: dashes, minus and times signs

import math

import pytest

from inspect_confidence.answers import StatedInterval, read_interval

FROM_3_TO_7 = [
    "Lower: 3 (5th percentile)\nUpper: 7 (95th percentile)",
    "Lower: 3 (1k)\nUpper: 7 (about 10 million people)",
    "Lower - 3\nUpper - 7",
    "Lower: 3 | Upper: 7",
    "| Bound | Exponent | Value |\n|---|---|---|\n| Lower | 3 | 1,000 |\n| Upper | 7 | 10M |",
    "Lower: 3, Upper: 7 (90% confidence)",
    "Lower: 3 => 10^3\nUpper: 7 => 10^7",
    '{"answer": "Lower: 3\\nUpper: 7"}',
    "Lower: 10$^3$\nUpper: 10$^{7}$",
    "between 10^3 and 10^7 piano tuners",
    "Lower: 3\nUpper: 7\n\nA final note: towns range from 10^4 to 10^5.",
    # The protocol, and what chat models put around it.
    "Lower: 3\nUpper: 7",
    "Lower: 3\r\nUpper: 7\r\n",
    "Lower: 3  \nUpper: 7",
    "lower:3;upper:7",
    "LOWER 3 UPPER 7",
    "Lower: 3.\nUpper: 7.",
    "Lower: 3.0\nUpper: 7.00",
    "Lower: 03\nUpper: +7",
    "Upper: 7\nLower: 3",
    "Lower\n3\nUpper\n7",
    "Lower: 3\nUpper: 7\nUpper: 7",
    "Lower: 3\nMedian: 5\nUpper: 7",
    "(Lower: 3, Upper: 7)",
    "<answer>Lower: 3\nUpper: 7</answer>",
    "Lower: <exponent>\nUpper: <exponent>\n\nLower: 3\nUpper: 7",
    "I'm not sure, but my guess is:\nLower: 3\nUpper: 7",
    "As an AI I can't be certain. Lower: 3, Upper: 7",
    "Confidence: high\nLower: 3\nUpper: 7",
    "90% CI: Lower: 3, Upper: 7",
    "Lower: 3\nUpper: 7\n\nLet me know if you need anything else!\n— Your assistant",
    "In 2024 there were 8.1 billion people and 365 days, 24 h each.\n\nLower: 3\nUpper: 7",
    "Lower: 3\nUpper: 7\n\nThe true number should lie between 10^4 and 10^6.",
    "<think>\nThat is 10^4 to 10^6, to be safe wider...\n</think>\n\nLower: 3\nUpper: 7",
    "Lower: 3\nUpper: 7\nFinal answer: Lower: 3, Upper: 7",
    "Lower: 3\nUpper: 7\n\nSo the lower bound is 3.0 and the upper bound is 7.00.",
    # Markdown, tables, HTML.
    "**Lower:** 3\n**Upper:** 7",
    "**Lower: 3**\n**Upper: 7**",
    "Lower: *3*\nUpper: **7**",
    "__Lower:__ 3\n__Upper:__ 7",
    "- Lower: 3\n- Upper: 7",
    "* **Lower**: 3\n* **Upper**: 7",
    "• Lower: 3\n• Upper: 7",
    "1. Lower: 3\n2. Upper: 7",
    "1) Lower: 3\n2) Upper: 7",
    "1\ufe0f\u20e3 Lower: 3\n2\ufe0f\u20e3 Upper: 7",
    "> Lower: 3\n> Upper: 7",
    "### Lower: 3\n### Upper: 7",
    "**Answer**\n\n```\nLower: 3\nUpper: 7\n```",
    "Lower: `3`\nUpper: `7`",
    "Lower: 3<br>Upper: 7",
    "| Bound | Exponent |\n|---|---|\n| Lower | 3 |\n| Upper | 7 |",
    # Other labels.
    "Lower Bound Exponent: 3\nUpper Bound Exponent: 7",
    "Lower limit ≈ 3\nUpper limit ≈ 7",
    "Low end: ~3\nHigh end: ~7",
    "Min = 3, Max = 7",
    "Lower (5%): 3\nUpper (95%): 7",
    "Lower exponent (base 10): 3\nUpper exponent (base 10): 7",
    "The lower bound of the exponent is approximately 3, and the upper bound is about 7.",
    "I'd go with a low estimate of 3 and a high estimate of 7.",
    "Lower: 3 orders of magnitude\nUpper: 7 orders of magnitude",
    # JSON.
    '{"lower": 3, "upper": 7}',
    '```json\n{\n  "lower": 3,\n  "upper": 7,\n  "confidence": 90\n}\n```',
    '{"answer": {"lower": {"exponent": 3}, "upper": {"exponent": 7}}, "confidence": 0.9}',
    '{"lower_bound": "3", "upper_bound": "7", "lower_confidence": 5}',
    '{"exponent_lower": 3, "exponent_upper": 7}',
    '{"range": "10^3-10^7"}',
    '{"confidence_interval": {"90%": [3, 7]}}',
    # A number and its explanation.
    "Lower: 3 (i.e. 1,000)\nUpper: 7 (i.e. 10,000,000)",
    "Lower: 3 (10^3 = 1000)\nUpper: 7 (10^7)",
    "Lower: 10^3 (3)\nUpper: 10^7 (7)",
    "Lower: 10^3 = 1,000\nUpper: 10^7 = 10,000,000",
    "Lower: 3 - a thousand\nUpper: 7 — ten million",
    # Powers.
    "Lower: 10^3\nUpper: 10^7",
    "Lower: 10**3\nUpper: 10**7",
    "Lower: 10³\nUpper: 10⁷",
    "Lower: 10 ^ (3)\nUpper: 10^+7",
    "Lower: $10^{3}$\nUpper: $10^{7}$",
    "Lower: \\(10^{3}\\)\nUpper: \\[10^{7}\\]",
    "Lower: 1e3\nUpper: 1E+07",
    "Lower: 10^3 grains\nUpper: 1.0 × 10⁷ grains",
    "10^3 to 10^7",
    "10³–10⁷",
    "10^3-10^7",
    "**10^3 to 10^7**",
    "$10^{3}$–$10^{7}$",
    "1e3 – 1e7",
    "[1e3, 1e7]",
    "I'm 90% sure it's between 10^3 and 10^7 (most likely 10^5).",
    "≈10^5 (range 10^3–10^7)",
    "8.1e9 people own 2e3 things each, but few lie here: 10^3 to 10^7.",
    # Nothing but two exponents, or two in brackets.
    "[3, 7]",
    "(3; 7)",
    "[3,7].",
    "\\boxed{[3, 7]}",
    "90% CI: [3, 7]",
    "3 to 7",
    "3–7",
    "3, 7",
    "3\n7",
    "Between 3 and 7.",
    "Exponent range: 3 to 7",
    # Typography.
    "Ｌｏｗｅｒ：３\nＵｐｐｅｒ：７",
    "Lower:\u00a03\nUpper:\u202f7",
    "“Lower”: 3, ‘Upper’: 7",
    # The prompt's own brackets, and others.
    "Lower: <3>\nUpper: <7>",
    "Lower: [3]\nUpper: [7]",
    "Lower: (3)\nUpper: (7)",
    '{"lower": [3], "upper": [7]}',
    "<lower>3</lower><upper>7</upper>",
    # Emphasis.
    "Lower: **10^3**\nUpper: **10^7**",
    "Lower: *10^3*\nUpper: *10^7*",
    "**10^3** to **10^7**",
    "Lower: _3_\nUpper: _7_",
    # LaTeX.
    "Lower: \\boxed{3}\nUpper: \\boxed{7}",
    "\\boxed{Lower: 3, Upper: 7}",
    "$$\\boxed{\\text{Lower: } 3,\\ \\text{Upper: } 7}$$",
    "\\[ \\text{Lower} = 3, \\quad \\text{Upper} = 7 \\]",
    "\\boxed{3, 7}",
    "$\\left[3, 7\\right]$",
    "$10^{3} \\text{ to } 10^{7}$",
    "10^{3}--10^{7}",
    # The closing bracket becomes a part of the second number, which makes two intervals of one.
    "(10^3 to 10^7)",
    "(10^3, 10^7)",
    "about 10^5 (10^3 to 10^7)",
    # One interval spelled twice.
    "10^3 to 10^7 (1e3 to 1e7)",
    "10^3 to 10^7, i.e. [3, 7]",
    "- Lower: 10^3\n- Upper: 10^7\n\nSo Lower: 10^3, Upper: 10^7.",
    "Lower: 3\nUpper: 7\n\nThat is, lower 10^3 and upper 10^7.",
    # What stands on the next line.
    "- Lower: 3\n- Upper: 7\n- 90% confidence",
    "Lower: 3\nUpper: 7\n\nx is the number of grains.",
    "Lower: 3\nUpper: 7\n\nMillion-dollar question!",
    "Lower: 3\nUpper: 7\n\nMy confidence is low:\n1. No data.\n2. A wide range.",
    # The protocol's lines next to other numbers called low or high.
    "The maximum is 5 per person.\n\nLower: 3\nUpper: 7",
    '{"lower": 3, "upper": 7, "explanation": "min 2 people, max 5"}',
    "Lower bound:\n1. Ten rooms.\n\nUpper bound:\n1. More rooms.\n\nLower: 3\nUpper: 7",
    # A final answer in other words than the one before.
    "Maybe Lower: 2, Upper: 9, or Lower: 4, Upper: 8.\n\nFinal answer: [3, 7]",
    "First: lower 2, upper 9. Final lower: 3, final upper: 7.",
    # Labels.
    '{"lowerBound": 3, "upperBound": 7}',
    "Lower-bound: 3\nUpper-bound: 7",
    "Lower bound for the exponent: 3\nUpper bound for the exponent: 7",
    "Lower → 3\nUpper → 7",
    "Lower 90% bound: 3\nUpper 90% bound: 7",
    "Lower, Upper: 3, 7",
    "| Lower | Upper |\n|---|---|\n| 3 | 7 |",
    "3 (lower) and 7 (upper)",
    # Pairs.
    "The 90% confidence interval for the exponent is 3 to 7.",
    "I am 90% confident that the exponent lies between 3 and 7.",
    "All things considered, I would say that the exponent of the answer lies between 3 and 7.",
    "between 10 to the power of 3 and 10 to the power of 7",
    "10^3 grains to 10^7 grains",
    "from 10^3 up to 10^7",
    "10^3 ≤ N ≤ 10^7",
    "10^3...10^7",
]

OTHER_BOUNDS = [
    ("Lower: -3\nUpper: -1", -3.0, -1.0),
    ("Lower: −3\nUpper: –1", -3.0, -1.0),
    ("Lower: ‑3\nUpper: －1", -3.0, -1.0),
    ("- Lower: -3\n- Upper: 0", -3.0, 0.0),
    ("Lower: .5\nUpper: 1.5", 0.5, 1.5),
    ("Lower: -2.25\nUpper: -2.25", -2.25, -2.25),
    ("Lower: -100\nUpper: 100.0", -100.0, 100.0),
    ("3.5-4.2", 3.5, 4.2),
    ("log10 range: [3.5, 4.2]", 3.5, 4.2),
    ("[-3,-1]", -3.0, -1.0),
    ("-3 to -1", -3.0, -1.0),
    ("−3–−1", -3.0, -1.0),
    ("10^-3 - 10^-1", -3.0, -1.0),
    ("10⁻³–10⁻¹", -3.0, -1.0),
    ("10^(-3) to 10^(-1)", -3.0, -1.0),
    ("10^{-9}–10^{-7}", -9.0, -7.0),
    ("1e-9-1e-7", -9.0, -7.0),
    ("Lower: 1e-9 m\nUpper: 1E-07 m", -9.0, -7.0),
    ("Lower: -9 (1 nm)\nUpper: -7 (100 nm)", -9.0, -7.0),
    ("Lower: 1.0 × 10⁻⁹ m\nUpper: 1.0 × 10⁻⁷ m", -9.0, -7.0),
    ("Lower: 10^3.5\nUpper: 10^{7.25}", 3.5, 7.25),
    ("Lower: 2.5e4\nUpper: 3e6", math.log10(25_000), math.log10(3_000_000)),
    ("Lower: 2.5 × 10^4\nUpper: 3x10^6", math.log10(25_000), math.log10(3_000_000)),
    ("Lower: 2.5 * 10^4\nUpper: 3*10**6", math.log10(25_000), math.log10(3_000_000)),
    ("Lower: 2.5·10⁴\nUpper: 3 · 10⁶", math.log10(25_000), math.log10(3_000_000)),
    (
        "Lower: $2.5 \\times 10^{4}$\nUpper: $3 \\cdot 10^{6}$",
        math.log10(25_000),
        math.log10(3_000_000),
    ),
    ("Lower: 2e-3\nUpper: 5e-3", math.log10(0.002), math.log10(0.005)),
    ("2e3 to 5e3", math.log10(2000), math.log10(5000)),
    ("1.5e4 – 2e5", math.log10(15_000), math.log10(200_000)),
    # Only a final answer settles it.
    ("Lower: 3\nUpper: 7\n\nFinal answer:\nLower: 4\nUpper: 8", 4.0, 8.0),
    ("Perhaps Lower: 3, Upper: 7? **Final:** Lower: 4, Upper: 8.", 4.0, 8.0),
    ("Maybe 10^2 to 10^9? Final answer: 10^4 to 10^8.", 4.0, 8.0),
    ("[2, 9], or [3, 7], no.\n\nFINAL ANSWER: [4, 8]", 4.0, 8.0),
    # Bold type around a ten is taken for a power sign.
    ("Lower: **8**\nUpper: **10**", 8.0, 10.0),
    ("**Lower: 8**\n**Upper: 10**\n\n1. First, the rooms.", 8.0, 10.0),
    ("[**10**, **12**]", 10.0, 12.0),
    ("Lower: minus 3\nUpper: minus 1", -3.0, -1.0),
]

REVERSED = [
    ("Lower: 7\nUpper: 3", 3.0, 7.0),
    ("Upper: 3\nLower: 7", 3.0, 7.0),
    ("Lower: -1\nUpper: -3", -3.0, -1.0),
    ("Lower: 10^7\nUpper: 2 × 10^4", math.log10(20_000), 7.0),
    ("[7, 3]", 3.0, 7.0),
    ("10^7 to 10^3", 3.0, 7.0),
    ('{"lower": 7, "upper": 3.5}', 3.5, 7.0),
]


def rounded(lower: float, upper: float) -> tuple[float, float]:
    """Bounds to nine decimals."""
    return round(lower, 9), round(upper, 9)


@pytest.mark.parametrize("reply", FROM_3_TO_7)
def test_reads_what_models_write(reply: str) -> None:
    """Three to seven is read in all of its spellings."""
    assert read_interval(reply) == StatedInterval(3.0, 7.0, reversed=False)


@pytest.mark.parametrize(("reply", "lower", "upper"), OTHER_BOUNDS)
def test_reads_the_numbers(reply: str, lower: float, upper: float) -> None:
    """Signs, decimals and mantissas count, and of two intervals the final one."""
    answer = read_interval(reply)
    assert isinstance(answer, StatedInterval), answer
    assert rounded(answer.lower, answer.upper) == rounded(lower, upper)
    assert not answer.reversed


@pytest.mark.parametrize(("reply", "lower", "upper"), REVERSED)
def test_puts_bounds_in_order(reply: str, lower: float, upper: float) -> None:
    """A lower bound above the upper one is flagged, and the interval still read."""
    answer = read_interval(reply)
    assert isinstance(answer, StatedInterval), answer
    assert rounded(answer.lower, answer.upper) == rounded(lower, upper)
    assert answer.reversed
