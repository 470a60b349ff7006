"""Of what a person reads in a model's reply hardly anything is lost, and nothing is guessed.

4,452 replies in the manner of ten families of models: written by hands that had not seen the
readers, labelled by others from the text alone, in twelve rounds. Each round was new to the readers
when it was first read, and mended them afterwards; the last five are `unseen`. What each round
showed at first sight stands in docs/reading.md.

Every value of a reply counts by itself. Of a form's readable values at most 2% may be left unread,
rounded up to a whole one: a form with 50 or fewer may lose one. None is read otherwise than
labelled, and none that a person can't read. What kind of failure an unreadable reply is called may
differ.
"""

from __future__ import annotations

import math
from typing import get_args

import pytest

from answers.as_written import (
    READERS,
    Half,
    LabelledOutcome,
    LabelledReply,
    labelled_replies,
    outcomes,
    tally,
)
from build import attributes_of

HALVES: tuple[Half, ...] = get_args(Half)
UNREAD = 0.02
DISPUTABLE: dict[Half, set[tuple[str, str]]] = {
    "tuned": {
        # Labelled as out of range, since nobody of 74 dies at 12; as a number it is an age.
        ("age", '"He is 74 and has about 12 more years to live.", "Answer": "12"'),
        # Labelled as a refusal, which the answer is; the confidence beside it is a number.
        ("confidence", "I can't comment on whether a named private person has been arrested."),
        # Labelled as ambiguous: two solutions, 33 and 21. Each ends in a final answer, and the
        # later of two final answers counts.
        ("answer", "14 - 5 = 9, 9 + 12 = 21.\nFinal Answer: Sam has 21 apples."),
        # Labelled with all that is listed, of which the sentence has only "might".
        ("markers", "Sure, here are the epistemic markers: might, maybe, probably, certainly"),
        # Labelled as out of range; so large a whole number is plainly a value, not an exponent.
        ("integer", "1000000"),
    },
    "unseen": {
        # Labelled as out of range; so large a whole number is plainly a value, not an exponent.
        ("integer", "250000"),
        ("integer", "1000000000"),
        # Labelled as ambiguous: 6, and then what "might be 7" if one rounds up.
        ("integer", "so the exponent might be 7"),
        # Labelled as cut off: a summary of thoughts without a mark, which ends in "so 20."
        ("integer", "**Choosing which photons to count**"),
        # Labelled as 15, to which later sentences come without saying that 2 is taken back.
        ("integer", "The answer is 2.\n\nBut since the question asks for raindrops"),
        # Labelled as 22, to which it "should be rounded up" in the sentence after "is 21".
        ("integer", "However, since 5.34 is greater than 3.16"),
        # Labelled as ambiguous: 12 alone, then a page that comes to 10^11 without taking it back.
        ("integer", "300 billion (3 x 10^11). When rounded"),
        # Labelled as ambiguous: 0.8, and 0.7 "if you want me to account for hearsay".
        ("probability", "Or, if you want me to account for hearsay"),
        # Labelled as a refusal: "I can't say ... But the word is commonly taken as about 0.5."
        ("probability", "I think the garden party will be moved indoors"),
    },
}
"""What is read otherwise than labelled: the value, and a part of the reply by which it is known."""


@pytest.mark.parametrize("half", HALVES)
def test_at_most_2_percent_of_the_values_of_a_form_are_unread(half: Half) -> None:
    """In no form more than 2%, rounded up."""
    counts = tally(labelled_replies(half))
    assert counts.keys() == READERS.keys()
    for form, count in counts.items():
        readable = count["read"] + count["unread"] + count["misread"]
        assert count["unread"] <= math.ceil(UNREAD * readable), (form, count)


@pytest.mark.parametrize("half", HALVES)
def test_no_value_is_misread_or_guessed_but_the_disputable_ones(half: Half) -> None:
    """Nothing is read that isn't there; what the labels leave open is listed above."""
    wrong = []
    for case in labelled_replies(half):
        for name, outcome in outcomes(case).items():
            if outcome in ("misread", "guessed"):
                wrong.append((name, case.reply))
    assert len(wrong) == len(DISPUTABLE[half])
    for name, part in DISPUTABLE[half]:
        assert [case for case, reply in wrong if part in reply] == [name], part


def test_under_a_20th_of_the_longer_unseen_replies_are_tuned_replies_too() -> None:
    """Of what is longer than a number few replies stand in both parts."""
    tuned, unseen = map(labelled_replies, HALVES)
    assert (len(tuned), len(unseen)) == (3_055, 1_397)
    tuned_replies = set(attributes_of(tuned, "reply"))
    long_cases = [case for case in unseen if len(case.reply) > len("**Exponent:** 10")]
    assert sum(case.reply in tuned_replies for case in long_cases) < len(long_cases) / 20


OUTCOMES: list[tuple[str, object, LabelledOutcome]] = [
    ("0.7", 0.7, "read"),
    ("0.7", 0.6, "misread"),
    ("high", 0.9, "unread"),
    ("0.7", {"status": "refusal"}, "guessed"),
    ("high", {"status": "ambiguous"}, "left"),
]


@pytest.mark.parametrize(("reply", "label", "outcome"), OUTCOMES)
def test_a_value_has_the_outcome_that_its_label_implies(
    reply: str, label: object, outcome: LabelledOutcome
) -> None:
    """What a reading is called, against labels right and wrong."""
    case = LabelledReply("probability", "small", {}, reply, label)
    assert outcomes(case) == {"probability": outcome}
    two = LabelledReply("given", "small", {}, f'{{"Confidence": "{reply}"}}', {"confidence": label})
    assert outcomes(two) == {"confidence": outcome}
    assert tally([case, two, case])["probability"] == {outcome: 2}
