"""Tests of the reader of confidences on a scale."""

# ruff: noqa: RUF001 # the tables hold what models write: dashes

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_confidence.answers import StatedConfidence, Unreadable, confidence_of, read_confidence

READ_AS_85 = [
    "Answer: B\nConfidence: 85",
    "Confidence: 85",
    "confidence: 85",
    "CONFIDENCE: 85",
    "Confidence:85",
    "Confidence : 85",
    "Confidence = 85",
    "Confidence 85",
    "Confidence - 85",
    "Confidence – 85",
    "Confidence—85",
    "Confidence ≈ 85",
    "Confidence: 85.",
    "Confidence: 85.0",
    "Confidence: +85",
    "Confidence: 085",
    "Confidence: ~85",
    "Confidence: about 85",
    "Confidence: High (85)",
    "Confidence: I'm 85% sure",
    "Confidence: 85%",
    "Confidence: 85 %",
    "Confidence: 85 percent",
    "Confidence: 85\\%",
    "Confidence: 85/100",
    "Confidence: 85 / 100",
    "Confidence: 85 out of 100",
    "Confidence: 85 (out of 100)",
    "Confidence: 85 (0-100)",
    "Confidence: 85 on a scale of 0 to 100",
    "Confidence: 85 on a scale from 0 to 100.",
    "Confidence: [85]",
    "Confidence: <85>",
    "Confidence: (85)",
    'Confidence: "85"',
    "Confidence: `85`",
    "Confidence: **85**",
    "Confidence: $85$",
    "Confidence: $\\boxed{85}$",
    "**Confidence:** 85",
    "**Confidence: 85**",
    "**Confidence**: **85**",
    "### Confidence\n85",
    "Confidence:\n85",
    "Confidence\n\n85",
    "- Confidence: 85",
    "* **Confidence:** 85%",
    "> Confidence: 85",
    "2. Confidence: 85",
    "Confidence level: 85",
    "Confidence Score: 85",
    "Confidence rating: 85",
    "My confidence is 85",
    "My confidence level is 85.",
    "So my confidence is about 85%.",
    "My confidence in this answer is 85",
    "Confidence is 85",
    "Confidence (0-100): 85",
    "Confidence (0 to 100): 85",
    "Confidence [0-100]: 85",
    "Confidence (%): 85",
    "Confidence (85)",
    "Confidence (85%)",
    "Confidence (integer between 0 and 100): 85",
    "Overall confidence: 85",
    "Confidence: 85\nAnswer: B",
    "Confidence: 85, Answer: B",
    "Answer: B, Confidence: 85",
    "Answer: B (Confidence: 85)",
    '{"answer": "B", "confidence": 85}',
    '{"confidence": "85%", "answer": "B"}',
    "{'answer': 'B', 'confidence': 85}",
    '{"answer": "B", "confidence_score": 85}',
    '```json\n{"answer": "\\\\boxed{B}", "confidence": 85}\n```',
    "| Answer | B |\n|---|---|\n| Confidence | 85 |",
    "| Answer | Confidence |\n|---|---|\n| B | 85 |",
    "<answer>B</answer><confidence>85</confidence>",
    "<think>Confidence: 20</think>Confidence: 85",
    "Confidence: <integer between 0 and 100>\n\nConfidence: 85",
    "Confidence: 85\nConfidence: 85%",
    "Confidence: high\nConfidence: 85",
    "Confidence: 85 (I checked it 3 times)",
    "Confidence: 85. There are 2 reasons.",
    "Confidence: 85, because 3 of 4 fit",
    "Confidence: 85 - I am quite sure",
    "I am confident that 3 of them fit.\nConfidence: 85",
    "A 95% confidence interval is 3 to 5.\nConfidence: 85",
    "The confidence level is 95%.\nAnswer: B\nConfidence: 85",
    "Solution: 2 + 2\nFinal Answer: 4\nConfidence: 85\n\nLet me know if 4 isn't clear.",
    "Confidence: 85\r\n",
    "Ｃｏｎｆｉｄｅｎｃｅ： ８５",
    "Confidence:\u00a085\u200b",
    "I can't be certain.\nAnswer: B\nConfidence: 85",
]

UNREADABLE = [
    *[(reply, "no_response", None) for reply in ("", " \n", "---")],
    ("I'm sorry, I can't answer that.", "refusal", None),
    *[
        (reply, "ambiguous", "several confidences")
        for reply in (
            "Confidence: 85\nConfidence: 90",
            "Confidence: 85\nMy confidence is 90",
            "Answer: B, confidence: 70\nConfidence: 85",
            "Confidence: 85, 90",
            "Confidence: 85 or 90",
            "Confidence: 85 90",
            "Confidence: 85, then 90",
            "Confidence: 85 → 90",
            "Confidence: 85 (or 90)",
            "| Confidence | 85 | 90 |",
        )
    ],
    *[
        (reply, "ambiguous", "another scale")
        for reply in (
            "Confidence: 8/10",
            "Confidence: 8 out of 10",
            "Confidence: 8 (out of 10)",
            "Confidence (0-10): 8",
            "Confidence: 8 on a scale of 1 to 10",
        )
    ],
    *[
        (reply, "invalid_response_format", "a range")
        for reply in (
            "Confidence: 85-90",
            "Confidence: 85 - 90",
            "Confidence: 85–90",
            "Confidence: 85 to 90",
            "Confidence: 85% to 90%",
            "Confidence: 85%-90%",
            "Confidence: between 85 and 90",
            "Confidence: from 85 to 90",
            "Confidence: 85 ± 5",
            "Confidence: 85..90",
        )
    ],
    *[
        (reply, "invalid_response_format", "not an integer")
        for reply in ("Confidence: 95.5", "Confidence: 0.85", '{"confidence": 0.85}')
    ],
    *[
        (reply, "invalid_response_format", "no number")
        for reply in (
            "Confidence: very high",
            "Confidence: ninety-five",
            "Confidence: n/a",
            "Confidence: ٨٥",
            "**Confidence:** High",
        )
    ],
    *[
        (reply, "invalid_response_format", "no confidence")
        for reply in (
            "B\n85",
            "85",
            "Answer: B",
            "I am confident that it is 85",
            "I am 85% confident.",
            "The confidence level is 95%.",
            "Answer: Confidence\nAnswer: 85",
            "Answer: B\nConfidence:",
            "Overconfidence: 85",
            "Confidence intervals: 85",
        )
    ],
    *[
        (reply, "invalid_response_format", "the template was echoed")
        for reply in (
            "Confidence: <integer between 0 and 100>",
            "Answer: <your answer>\nConfidence: <integer between 0 and 100>",
            "Confidence: [integer between 0 and 100]",
            "Confidence: an integer between 0 and 100",
            "Confidence: <integer>",
        )
    ],
    ("Confidence: " + "9" * 5000, "invalid_response_format", None),
    ("Confidence: 1e2", "invalid_response_format", None),
    ("Confidence: 85\nConfidence: high", "invalid_response_format", None),
    ("Confidence: I would pick the number 85", "invalid_response_format", None),
    ("Confidence: 9 × 9", "invalid_response_format", None),
    ("Confidence: 12:30", "invalid_response_format", None),
]


@pytest.mark.parametrize("reply", READ_AS_85)
def test_read(reply: str) -> None:
    """85 is read from a scale to a hundred, however it is written."""
    assert read_confidence(reply, 0, 100) == confidence_of(85, 0, 100)


@pytest.mark.parametrize(("reply", "status", "reason"), UNREADABLE)
def test_unreadable(reply: str, status: str, reason: str | None) -> None:
    """What isn't one integer is a failure of the right kind."""
    answer = read_confidence(reply, 0, 100)
    assert isinstance(answer, Unreadable), answer
    assert answer.status == status, answer
    assert reason in (None, answer.reason)


@pytest.mark.parametrize(
    ("reply", "low", "high", "expected"),
    [
        ("Confidence: 4", 0, 5, 4),
        ("Confidence: 4/5", 0, 5, 4),
        ("Confidence: 4 out of 5", 0, 5, 4),
        ("Confidence (0-5): 4", 0, 5, 4),
        ("Confidence: 40/79", 7, 79, 40),
        ("Confidence: 40 (7-79)", 7, 79, 40),
        ("Confidence: 85%", 60, 100, 85),
        ("Confidence: 85/100", 60, 100, 85),
        ("Confidence: -3", 0, 100, -3),
        ("Confidence: −3", 0, 100, -3),
        ("Confidence: minus 3", 0, 100, -3),
        ("Confidence: 1,000", 0, 100, 1000),
        ("Confidence: 1,000", 0, 1000, 1000),
        ("Confidence: 85", 3, 38, 85),
        ("Confidence: 4/10", 0, 5, "another scale"),
        ("Confidence: 85/100", 7, 79, "another scale"),
        ("Confidence (0-100): 40", 7, 79, "another scale"),
        ("Confidence: 40 (0-100)", 7, 79, "another scale"),
        ("Confidence: 85%", 7, 79, "a percentage on a scale that isn't one"),
        ("Confidence: 85 %", 0, 5, "a percentage on a scale that isn't one"),
        ("Confidence: 85 percent", 0, 5, "a percentage on a scale that isn't one"),
        ("Confidence: 95.5%", 0, 5, "a percentage on a scale that isn't one"),
        ("Confidence (%): 85", 0, 5, "a percentage on a scale that isn't one"),
    ],
)
def test_other_scales(reply: str, low: int, high: int, expected: int | str) -> None:
    """Denominators, percentages and scales that a reply names must be the prompt's."""
    answer = read_confidence(reply, low, high)
    if isinstance(expected, int):
        assert answer == confidence_of(expected, low, high)
    else:
        assert isinstance(answer, Unreadable), answer
        assert answer.reason == expected


@pytest.mark.parametrize(
    "reply",
    [
        "Confidence: 8",
        "Confidence: 85.",
        "Confidence: 85,",
        "Confidence:",
        "Confidence: 85 o",
        "Confidence: 85\nConfidence: 8",
        "Answer: B",
        "Answer: B\nConf",
        '{"answer": "B", "confidence": 8',
    ],
)
def test_truncated(reply: str) -> None:
    """A number where a cut text ends may be a part of one."""
    answer = read_confidence(reply, 0, 100, truncated=True)
    assert isinstance(answer, Unreadable)
    assert answer.status == "truncated"


@pytest.mark.parametrize(
    "reply",
    ["Confidence: 85\n", "Confidence: 85%", "Confidence: 85\nAnswer: Par", "**Confidence: 85**"],
)
def test_truncated_later(reply: str) -> None:
    """What was cut off after the confidence doesn't matter."""
    assert read_confidence(reply, 0, 100, truncated=True) == confidence_of(85, 0, 100)


@pytest.mark.parametrize(
    ("raw", "low", "high", "confidence", "clipped"),
    [
        (0, 0, 100, 0.0, False),
        (100, 0, 100, 1.0, False),
        (105, 0, 100, 1.0, True),
        (106, 0, 100, None, False),
        (-5, 0, 100, 0.0, True),
        (-6, 0, 100, None, False),
        (6, 0, 5, None, False),
        (-1, 0, 5, None, False),
        (58, 60, 100, 0.0, True),
        (57, 60, 100, None, False),
        (102, 60, 100, 1.0, True),
        (103, 60, 100, None, False),
        # A twentieth of 72 is 3.6.
        (82, 7, 79, 1.0, True),
        (83, 7, 79, None, False),
        (4, 7, 79, 0.0, True),
        (3, 7, 79, None, False),
        # A twentieth of 35 is 1.75.
        (39, 3, 38, 1.0, True),
        (40, 3, 38, None, False),
        (21, 0, 20, 1.0, True),
        (20, 0, 19, None, False),
    ],
)
def test_bounds(raw: int, low: int, high: int, confidence: float | None, clipped: bool) -> None:
    """Outside by a twentieth of the width is clipped, by more is a violation."""
    violation = confidence is None
    assert confidence_of(raw, low, high) == StatedConfidence(raw, confidence, clipped, violation)


SCALE = st.tuples(st.integers(-(10**6), 10**6), st.integers(1, 10**6)).map(
    lambda pair: (pair[0], pair[0] + pair[1])
)


@given(SCALE, st.fractions(0, 1))
def test_exact(scale: tuple[int, int], where: Fraction) -> None:
    """The confidence is the rational number, rounded once."""
    low, high = scale
    raw = low + int(where * (high - low))
    expected = float(Fraction(raw - low, high - low))
    assert confidence_of(raw, low, high) == StatedConfidence(raw, expected, False, False)


@given(st.integers(1, 1000), st.integers(1, 1000), st.integers(-50, 50), st.data())
def test_scales_compare(width: int, factor: int, shift: int, data: st.DataObject) -> None:
    """The same place on two scales is the same confidence, to the last bit."""
    raw = data.draw(st.integers(0, width))
    one = confidence_of(raw, 0, width).confidence
    assert confidence_of(shift + raw * factor, shift, shift + width * factor).confidence == one
    assert confidence_of(7, 0, 20).confidence == confidence_of(35, 0, 100).confidence


@given(st.integers(-(10**6), 10**6), SCALE)
def test_outside(raw: int, scale: tuple[int, int]) -> None:
    """Clipping and violations are decided by rational arithmetic."""
    low, high = scale
    answer = confidence_of(raw, low, high)
    outside = max(Fraction(low - raw), Fraction(raw - high), Fraction(0)) / (high - low)
    assert answer.violation is (outside > Fraction(1, 20))
    assert answer.clipped is (0 < outside <= Fraction(1, 20))
    assert (answer.confidence is None) is answer.violation


@pytest.mark.parametrize(("low", "high"), [(5, 5), (6, 5)])
def test_no_scale(low: int, high: int) -> None:
    """A scale without width is the caller's mistake."""
    with pytest.raises(ValueError, match="a scale needs"):
        confidence_of(5, low, high)
    with pytest.raises(ValueError, match="a scale needs"):
        read_confidence("Confidence: 5", low, high)


STYLES = [
    "Answer: B\nConfidence: {}",
    "**Confidence:** {}",
    "Confidence: **{}**\nAnswer: 12",
    "| Confidence | {} |",
    '{{"answer": "B", "confidence": {}}}',
    "Confidence:\n{}",
    "My confidence is {}.",
    "Confidence: [{}]",
    "Confidence: {:,}",
    "Confidence level: {}",
]


@given(st.integers(-(10**6), 10**6), SCALE, st.sampled_from(STYLES))
def test_round_trip(raw: int, scale: tuple[int, int], style: str) -> None:
    """Any integer is read back, in any style and on any scale."""
    assert read_confidence(style.format(raw), *scale) == confidence_of(raw, *scale)
