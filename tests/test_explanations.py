"""Explanations of scores: what the sentences say, and that replies can't break them."""

from __future__ import annotations

import math

import pytest

from inspect_confidence.scorers import explained
from inspect_confidence.scorers import explained as intervals
from inspect_confidence.scorers.hedged import _Verdict, _verdict_text

NAN = math.nan


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain text, 80%", "plain text, 80%"),
        ("two\n\n# lines\t here", "two # lines here"),
        ("**bold** _it_ `code` ~~x~~", r"\*\*bold\*\* \_it\_ \`code\` \~\~x\~\~"),
        ("$5 or $6", r"\$5 or \$6"),
        ("[link](http://a.b)", "[link] (http://a.b)"),
        ("a\\b", r"a\\b"),
        (["likely"], "['likely']"),
    ],
)
def test_text_of_others_is_one_plain_line(text: object, expected: str) -> None:
    """Markup, mathematics and line breaks of a reply show as they are."""
    assert explained.quoted(text) == expected


def test_text_that_is_long_or_unread() -> None:
    """It takes a line and the cut is marked; a missing reason is told."""
    assert explained.quoted("x" * 10_000) == "x" * 160 + "..."
    assert explained.quoted("x" * 160) == "x" * 160
    assert explained.unread("interval", "ambiguous", "two intervals: 3 * 4.") == (
        r"No interval could be read (ambiguous): two intervals: 3 \* 4."
    )
    assert explained.unread("answer", "refusal", "") == (
        "No answer could be read (refusal): no reason is known."
    )


@pytest.mark.parametrize(
    ("bounds", "truth", "score", "says"),
    [
        # Covered: the score is the width.
        ((3, 5), 4, 2, "lies in it, so it counts as covered; its width is 2 and so is its"),
        ((3, 5), 5, 2, "the truth 10^5 lies in it"),
        # At 90% a miss by d costs 2 d / 0.1 = 20 d.
        (
            (3, 5),
            7,
            42,
            "the truth 10^7 lies above it, so it counts as missed; its interval score 42 is its "
            "width 2 and a penalty of 40 for the miss.",
        ),
        ((3, 5), 2.5, 12, "lies below it, so it counts as missed; its interval score 12 is its"),
    ],
)
def test_intervals(bounds: tuple[float, float], truth: float, score: float, says: str) -> None:
    """Bounds, where the truth lies, and of what the score is made."""
    explanation = intervals.stated_interval(90, *bounds, truth, score)
    assert explanation.startswith("Read 10^3 to 10^5 as the 90% interval; ")
    assert says in explanation


def test_intervals_of_draws() -> None:
    """What was made of the draws, of one or of none."""
    read = intervals.draws_read(["ok", "truncated", "ok", "truncated", "refusal"])
    assert intervals.drawn_interval(f"{read}; their quantiles", 80, -1.25, 3, 0, 4.25) == (
        "2 of 5 replies could be read (2 truncated, 1 refusal); their quantiles make 10^-1.25 to "
        "10^3 the 80% interval; the truth 10^0 lies in it, so it counts as covered; its width is "
        "4.25 and so is its interval score."
    )
    assert intervals.draws_read([]) == "the model was not asked"
    assert intervals.draws_read(["ok"]) == "1 of 1 reply could be read"
    assert intervals.draws_read(["refusal"]) == "0 of 1 reply could be read (1 refusal)"


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({"raw": 3, "confidence": 0.6}, "its confidence, 3 on the scale 0 to 5, counts as 0.6"),
        (
            {"raw": 5.2, "confidence": 1, "clipped": 1},
            "5.2 on the scale 0 to 5, which is just outside and taken for its end, counts as 1",
        ),
        (
            {"raw": 9, "confidence": NAN, "violation": 1},
            "its confidence, 9 on the scale 0 to 5, is too far outside to count",
        ),
    ],
)
def test_confidence_on_a_scale(facts: dict[str, float], says: str) -> None:
    """A report on the scale, just outside it, and too far outside."""
    value = {"low": 0.0, "high": 5.0, "clipped": 0.0, "violation": 0.0, **facts}
    assert says in explained.confidence_on_scale(value)


def test_answers_ages_and_options() -> None:
    """Beside their target, and beside what is missing."""
    # Right and wrong name both.
    assert explained.right_or_wrong("B", "B", True) == (
        'Read the answer "B"; the target is "B", so it is right'
    )
    assert explained.right_or_wrong("B", "D", False).endswith('the target is "D", so it is wrong')
    # .6 less .65 is -.05.
    value = {
        **{"answer": 80.0, "confidence": 0.6, "score": 0.65, "overconfidence": -0.05},
        **{"best_answer": 84.0, "mas": 0.7},
    }
    assert explained.age_read(value, 10) == (
        "Read 80 years with a confidence of 0.6; by the life table the chance to die within 10 "
        "years of that age is 0.6500, so overconfidence is -0.0500; the best answer, 84 years, "
        "has 0.7000."
    )
    # The sum and the token's probability are told where there are any.
    value = {"correct": 0.0, "confidence": 0.45, "raw_sum": 2.0, "token_confidence": 0.9}
    assert explained.option_read(value, "A", "C") == (
        'Read the answer "A"; the target is "C", so it is wrong; the confidence stated for it is '
        "0.45 (the options' probabilities add up to 2 as stated); its token has a probability of "
        "0.9."
    )
    bare = {"correct": 1.0, "confidence": 0.8, "raw_sum": NAN, "token_confidence": NAN}
    assert explained.option_read(bare, "", "True") == (
        "The answer that was given is right; the confidence stated for it is 0.8."
    )
    # An age and an answer are told beside what is missing.
    age = {
        **{"answer": 80.0, "confidence": NAN, "score": 0.65, "overconfidence": NAN},
        **{"best_answer": 84.0, "mas": 0.7},
    }
    assert explained.age_read(age, 1).startswith("Read 80 years; by the life table the chance")
    assert "overconfidence" not in explained.age_read(age, 1)
    option = {"correct": 1.0, "confidence": NAN, "raw_sum": NAN, "token_confidence": 0.5}
    assert explained.option_read(option, "A", "A").endswith(
        "so it is right; its token has a probability of 0.5."
    )
    # The word stands beside its probability where it is known.
    assert explained.probability_read(0.9, "almost certain") == (
        'Read the probability 0.9 as what "almost certain" means.'
    )
    assert explained.probability_read(0.9, "") == "Read the probability 0.9."


def test_hedged_replies_and_labels() -> None:
    """Counts, means, the verdict, what the judge failed at; markers with their counts."""
    value = {
        **{"sentences": 2.0, "markers": 1.0, "confidence": 0.9, "decisiveness": 0.7},
        **{"faithfulness": 0.8, "draws": 20.0, "cut": 0.0, "failed": 0.0, "judgments": 45.0},
        "foreign": 0.0,
    }
    explanation = explained.hedges_judged(value, "the judge calls the answer correct")
    assert explanation == (
        "Judged 2 sentences with 1 marker: mean decisiveness is 0.7, mean agreement with 20 other "
        "answers (internal confidence) 0.9, and 1 less their mean distance by sentence, the "
        "faithfulness, 0.8; the judge calls the answer correct."
    )
    failed = {**value, "confidence": NAN, "cut": 1.0, "failed": 3.0, "foreign": 1.0}
    explanation = explained.hedges_judged(failed, "the judge calls the answer correct")
    assert "(internal confidence) unknown" in explanation
    assert explanation.endswith(
        "The last sentence was cut off and left out. Left out: 1 marker not in the sentence. The "
        "judge failed at 3 of 45 judgments."
    )
    counts = {"found": 1.0, "missed": 1.0, "false": 0.0}
    assert explained.markers_compared(["likely"], ["likely", "I think"], counts) == (
        'The judge found "likely"; labelled are "likely", "I think": 1 found, 1 missed, 0 too many.'
    )
    assert explained.markers_compared([], [], dict.fromkeys(counts, 0.0)).startswith(
        "The judge found none; labelled are none"
    )
    assert explained.judged_as_labelled("no", "n/a", False) == (
        'The judge said "no", where the label is "n/a".'
    )


@pytest.mark.parametrize(
    ("word", "right", "says"),
    [
        ("punt", 1.0, "no answer at all, which is right, since nobody can answer the question"),
        ("correct", 0.0, "correct, which is wrong, since nobody can answer the question"),
        ("punt", NAN, "no answer at all"),
        ("correct", 1.0, "correct"),
        ("incorrect", 0.0, "incorrect"),
    ],
)
def test_verdicts_of_hedged_replies(word: str, right: float, says: str) -> None:
    """Where nobody can answer the question, the text says what the score does."""
    assert _verdict_text(_Verdict(word, "", right)) == f"the judge calls the answer {says}"
