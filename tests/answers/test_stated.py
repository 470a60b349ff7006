"""Amounts, choices and confidences come back as they were written."""

import json
import string
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_confidence.answers import (
    ParseFailure,
    StatedAmount,
    StatedChoice,
    StatedConfidence,
    confidence_of,
    read_amount,
    read_choice,
    read_confidence,
)
from inspect_confidence.scales import ALL, Scale


@given(st.integers(0, 3), st.integers(0, 100), st.integers(0, 10**6))
def test_answer_and_confidence_are_read_in_either_order(index: int, raw: int, amount: int) -> None:
    """Answer and confidence are read whichever comes first."""
    for lines in ((f"Answer: {'ABCD'[index]}", f"Confidence: {raw}"),):
        for reply in ("\n".join(lines), "\n".join(reversed(lines))):
            assert read_choice(reply, ["one", "two", "three", "four"]) == StatedChoice(index)
            confidence = read_confidence(reply, 0, 100)
            assert isinstance(confidence, StatedConfidence)
            assert confidence.raw == raw
    reply = f"Confidence: {raw}\nSolution: 3 + 4 = 7\nFinal Answer: {amount}"
    assert read_amount(reply) == StatedAmount(Fraction(amount))


@given(
    st.sampled_from(["B", "(B)", "[B]", "B) Paris", "42", "1,200", "$3.50", "[42]", "12%"]),
    st.sampled_from([",", ";", " -", " ("]),
    st.integers(0, 100),
)
def test_of_an_answer_and_its_confidence_on_one_line_the_last_is_the_confidence(
    answer: str, separator: str, raw: int
) -> None:
    """Also if the answer is a number itself; a number alone may be either."""
    for heading in ("Answer and Confidence (0-100): ", "**Answer and confidence:**\n"):
        for end in ("%", "%.", ")", "]%"):
            confidence = read_confidence(f"{heading}{answer}{separator} {raw}{end}", 0, 100)
            assert isinstance(confidence, StatedConfidence)
            assert confidence.raw == raw
    alone = read_confidence(f"Answer and Confidence (0-100): {raw}", 0, 100)
    assert isinstance(alone, ParseFailure)


# Amounts

NUMBER = st.decimals(-(10**9), 10**9, places=3)
AMOUNTS = ["{}", "{:,}", "{} eggs", "x = {}", "**{}**", "\\boxed{{{}}}", "$\\boxed{{{:,}}}$"]
LABELS = [
    "Final Answer: {}",
    "**Final Answer:** {}\nConfidence: 5",
    "Confidence: 50\nAnswer: {}",
    "Solution: 1 + 1 = 2\n\nFinal Answer: {}.\nConfidence: 50",
]


@given(NUMBER, st.sampled_from(AMOUNTS), st.sampled_from(LABELS))
def test_an_amount_in_any_style_is_read_exactly(number: float, pattern: str, label: str) -> None:
    """Any number is read back exactly, in any style."""
    reply = label.format(pattern.format(number))
    assert read_amount(reply) == StatedAmount(Fraction(number))


@given(st.integers(-999, 999), st.integers(1, 999), st.booleans())
def test_a_fraction_is_read_exactly(top: int, bottom: int, latex: bool) -> None:
    """Any fraction is read back exactly."""
    sign, top = "-" * (top < 0), abs(top)
    fraction = f"{sign}\\frac{{{top}}}{{{bottom}}}" if latex else f"{sign}{top}/{bottom}"
    expected = Fraction(-top if sign else top, bottom)
    assert read_amount(f"Final Answer: {fraction}") == StatedAmount(expected)


def test_every_gsm8k_solution_is_read_as_its_final_number(shared_data: Path) -> None:
    """The gold solution of every GSM8K question is read to the number at its end."""
    lines = (shared_data / "qa" / "gsm8k_test.jsonl").read_text().splitlines()
    assert len(lines) == 1_319
    for line in lines:
        solution = json.loads(line)["answer"]
        gold = Fraction(solution.rpartition("####")[2].strip().replace(",", ""))
        assert read_amount(solution) == StatedAmount(gold), solution


# Choices

CHOICES = [
    "Answer: {letter}\nConfidence: 50",
    "Answer: {letter}. {text}\nConfidence: 50",
    "Answer: ({letter}) {text}",
    "**Answer:** {text}",
    "{letter}",
    "{text}\nConfidence: 50",
    "{letter}) {text}",
    "The answer is {letter}.",
    "Confidence: 50\nFinal Answer: {text}",
    "Answer: \\boxed{{{letter}}}",
]
CHOICE = st.text(alphabet=string.ascii_letters + " ", min_size=3, max_size=30).filter(
    lambda text: len(text.split()) == 1 and len(text.strip()) > 2
)


@given(
    st.lists(CHOICE, min_size=2, max_size=10, unique_by=lambda text: text.strip().casefold()),
    st.data(),
    st.sampled_from(CHOICES),
)
def test_a_choice_in_any_style_is_read(choices: list[str], data: st.DataObject, style: str) -> None:
    """Any choice is read back, in any style."""
    index = data.draw(st.integers(0, len(choices) - 1))
    reply = style.format(letter=string.ascii_uppercase[index], text=choices[index])
    assert read_choice(reply, choices) == StatedChoice(index)


@pytest.mark.parametrize("mark", ["-", "...", "**", "$$"])
def test_a_choice_of_marks_alone_contradicts_no_letter(mark: str) -> None:
    """Its text without formatting is empty, which every explanation of a letter begins with."""
    choices = ["cats", mark]
    assert read_choice("Answer: A, which means that they purr", choices) == StatedChoice(0)
    assert read_choice("Answer: B", choices) == StatedChoice(1)


def test_truthfulqa_choices_are_read_by_letter_and_by_text(shared_data: Path) -> None:
    """All choices of every twentieth item of TruthfulQA are read by letter, by text and by both."""
    items = json.loads((shared_data / "qa" / "truthfulqa_mc_task.json").read_text())
    unread = []
    for item in items[::20]:
        choices = list(item["mc1_targets"])
        for index, text in enumerate(choices):
            letter = string.ascii_uppercase[index]
            for reply in (letter, text, f"{letter}. {text}"):
                for label in ("", "Answer: ", "**Answer:** "):
                    answer = read_choice(f"{label}{reply}\nConfidence: 80", choices)
                    if answer != StatedChoice(index):
                        unread.append((reply, answer))
    assert len(items) > 800
    assert unread == []


# Confidences

BOUNDS = [
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
]


def test_a_confidence_is_clipped_within_a_20th_of_the_scale_and_a_violation_beyond() -> None:
    """Outside by a twentieth is clipped, by more a violation; no entity is an integer."""
    for raw, low, high, confidence, clipped in BOUNDS:
        expected = StatedConfidence(raw, confidence, clipped, violation=confidence is None)
        assert confidence_of(raw, low, high) == expected
    assert isinstance(read_amount("Answer: &#" + "9" * 5000 + ";"), ParseFailure)


SCALE = st.tuples(st.integers(-(10**6), 10**6), st.integers(1, 10**6)).map(
    lambda pair: (pair[0], pair[0] + pair[1])
)


@given(SCALE, st.fractions(0, 1))
def test_a_confidence_is_the_rational_number_rounded_once(
    scale: tuple[int, int], position: Fraction
) -> None:
    """The confidence is the rational number, rounded once."""
    low, high = scale
    raw = low + int(position * (high - low))
    expected = float(Fraction(raw - low, high - low))
    assert confidence_of(raw, low, high) == StatedConfidence(raw, expected, False, False)


@given(st.integers(1, 1000), st.integers(1, 1000), st.integers(-50, 50), st.data())
def test_the_same_position_on_two_scales_is_the_same_confidence(
    width: int, factor: int, shift: int, data: st.DataObject
) -> None:
    """The same place on two scales is the same confidence, to the last bit."""
    raw = data.draw(st.integers(0, width))
    expected = confidence_of(raw, 0, width).confidence
    assert confidence_of(shift + raw * factor, shift, shift + width * factor).confidence == expected
    assert confidence_of(7, 0, 20).confidence == confidence_of(35, 0, 100).confidence


@given(st.integers(-(10**6), 10**6), SCALE)
def test_clipping_and_violations_follow_rational_arithmetic(
    raw: int, scale: tuple[int, int]
) -> None:
    """Clipping and violations are decided by rational arithmetic."""
    low, high = scale
    answer = confidence_of(raw, low, high)
    outside = max(Fraction(low - raw), Fraction(raw - high), Fraction(0)) / (high - low)
    assert answer.violation is (outside > Fraction(1, 20))
    assert answer.clipped is (0 < outside <= Fraction(1, 20))
    assert (answer.confidence is None) is answer.violation


@pytest.mark.parametrize(("low", "high"), [(5, 5), (6, 5)])
def test_a_scale_without_width_is_a_value_error(low: int, high: int) -> None:
    """A scale without width is the caller's mistake."""
    with pytest.raises(ValueError, match="a scale needs"):
        confidence_of(5, low, high)
    with pytest.raises(ValueError, match="a scale needs"):
        read_confidence("Confidence: 5", low, high)


CONFIDENCES = [
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


@given(st.integers(-(10**6), 10**6), SCALE, st.sampled_from(CONFIDENCES))
def test_a_confidence_in_any_style_on_any_scale_is_read(
    raw: int, scale: tuple[int, int], style: str
) -> None:
    """Any integer is read back, in any style and on any scale."""
    assert read_confidence(style.format(raw), *scale) == confidence_of(raw, *scale)


SUBJECTS = ["it", "this answer", "the given answer", "my answer"]


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize(
    "opposite", ["is wrong", "is incorrect", "isn't right", "is not correct", "is mistaken"]
)
@pytest.mark.parametrize(
    "sentence",
    [
        "I'm 90% sure that {}.",
        "I am 90% confident {}.",
        "I have 90% confidence that {}.",
        "My confidence that {} is 90.",
        "There is a 90% probability that {}.",
    ],
)
def test_a_confidence_in_the_opposite_is_not_read(
    subject: str, opposite: str, sentence: str
) -> None:
    """A model that is 90% sure of being wrong has not stated 90, nor 10."""
    reply = sentence.format(f"{subject} {opposite}")
    for low, high in ((0, 100), (0, 1)):
        report = read_confidence(reply, low, high, is_whole_reply=True)
        assert isinstance(report, ParseFailure), (reply, low, high)


@given(st.integers(1, 98), st.sampled_from(["sure", "confident", "certain"]))
def test_a_number_in_a_sentence_counts_unless_a_word_before_it_changes_it(
    number: int, word: str
) -> None:
    """Of "less than 50% sure", "40 to 50% sure" or "not 50% sure" the number is no confidence."""
    claim = f"{number}% {word}"
    for lead in ("I'm ", "I am about ", "I'm not an expert, but I'm ", "It took 3 tries; I'm "):
        report = read_confidence(f"{lead}{claim}.", 0, 100)
        assert isinstance(report, StatedConfidence), lead
        assert report.raw == number
    changed = [
        "I'm less than ", "I'm over ", "I'm at least ", "I'm not ", "I wouldn't say I'm ",
        "I doubt I'm ", "nowhere near ", "To be ", "I was ", "Are you ", "I'm between 0 and ",
        "I'm 0-", "I'm 0\u2013", "I'm 0 to ", "I'm 0 or ", "I'm 0%, maybe ",
    ]  # fmt: skip
    for lead in changed:
        end = "?" if lead.startswith("Are") else "."
        report = read_confidence(f"{lead}{claim}{end}", 0, 100)
        assert isinstance(report, ParseFailure), (lead, report)


@pytest.mark.parametrize(
    "label",
    ["Lack of confidence", "Loss of confidence", "Drop in confidence", "Required confidence",
     "Average human confidence", "Other people's confidence"],
)  # fmt: skip
def test_the_confidence_of_another_thing_is_not_that_of_the_reply(label: str) -> None:
    """It neither counts alone nor beside the reply's own."""
    alone = read_confidence(f"Answer: B\n{label}: 20", 0, 100)
    assert isinstance(alone, ParseFailure)
    beside = read_confidence(f"Answer: B\n{label}: 20\nConfidence: 80", 0, 100)
    assert isinstance(beside, StatedConfidence)
    assert beside.raw == 80


@given(st.sampled_from(ALL), st.data())
def test_a_percentage_beside_a_number_must_be_the_same_confidence(
    scale: Scale, data: st.DataObject
) -> None:
    """It is the position on the scale, or the share of its upper end; others are another scale."""
    low, high = scale
    value = data.draw(st.integers(int(low), int(high)))
    positions = ((value - low) / (high - low), value / high)
    for position in positions:
        report = read_confidence(f"Confidence: {value} ({100 * position:.0f}%)", low, high)
        assert isinstance(report, StatedConfidence), (value, position)
        assert report.raw == value
    other = data.draw(st.integers(0, 100))
    if min(abs(other / 100 - position) for position in positions) > 0.11:
        report = read_confidence(f"Confidence: {value} ({other}%)", low, high)
        assert isinstance(report, ParseFailure), (value, other)


def test_an_answer_that_is_called_wrong_has_no_high_confidence() -> None:
    """Such a number may be the confidence in the verdict; a low one says the same as the words."""
    for sentence in (
        "The answer is wrong.",
        "This answer above is incorrect.",
        "No, the answer is false.",
    ):
        high = read_confidence(f"{sentence} Confidence: 95", 0, 100, is_whole_reply=True)
        assert isinstance(high, ParseFailure), sentence
        low = read_confidence(f"{sentence} Confidence: 5", 0, 100, is_whole_reply=True)
        assert isinstance(low, StatedConfidence), sentence
    chance = "There is a chance that the answer is wrong. Confidence: 80"
    assert isinstance(read_confidence(chance, 0, 100, is_whole_reply=True), StatedConfidence)
