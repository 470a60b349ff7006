"""What holds for every form: layouts, thoughts and revisions, with values made for the purpose."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answers.as_written import labelled_replies, read
from answers.layouts import LAYOUTS, PLAIN_REVISIONS, REVISIONS, THOUGHTS, Fields
from inspect_confidence import answers as readers
from inspect_confidence.answers.clean import BOX, BOX_END, CUT, clean, single_blanks

OPTIONS = ["Rome", "Paris", "The Hague", "New York"]
FIXED = settings(derandomize=True, max_examples=300)


# Cleaning

PLAIN = st.text("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789 .,:;!?'()%+-=\n", max_size=80)


@FIXED
@given(PLAIN)
def test_cleaning_plain_text_twice_changes_nothing(text: str) -> None:
    """Without markup, a text that is clean stays as it is."""
    assert clean(clean(text)) == clean(text)


@FIXED
@given(
    st.text() | st.text("<>|/*_`#$\\{}[]()\"'-0123 \n\t\r\v\u2028\x1a\x02\x03answer:", max_size=60)
)
def test_cleaned_text_has_no_empty_lines_and_no_double_blanks(text: str) -> None:
    """No empty line, no blank beside another or at an end, no sign of our own but for boxes."""
    cleaned = clean(text)
    assert cleaned == single_blanks(cleaned)
    assert "\n\n" not in cleaned
    assert "  " not in cleaned
    assert cleaned == cleaned.strip()
    assert CUT not in cleaned


def test_cleaning_a_reply_twice_takes_away_only_marks_of_boxes_and_numbers_of_lists() -> None:
    """It only takes the boxes' marks away; a list's numbers go one by one: `2. 1. Analyze`."""
    number = re.compile(r"^[0-9]{1,3}[.)] (?=[^\s0-9])", re.MULTILINE)
    for case in [*labelled_replies("tuned"), *labelled_replies("unseen")]:
        cleaned = clean(case.reply)
        unboxed = single_blanks(cleaned.replace(BOX, " ").replace(BOX_END, " "))
        assert clean(cleaned) in (unboxed, number.sub("", unboxed))


# Layouts


@dataclass(frozen=True)
class Labelled:
    """Labelled values as they are written, and what they say."""

    fields: Fields
    says: tuple[object, ...]


def _value(parsed: object, attribute: str) -> object:
    return parsed if isinstance(parsed, readers.ParseFailure) else getattr(parsed, attribute)


def _choice(reply: str) -> tuple[object, ...]:
    confidence = readers.read_confidence(reply, 0, 50)
    return _value(readers.read_choice(reply, OPTIONS), "index"), _value(confidence, "raw")


def _amount(reply: str) -> tuple[object, ...]:
    confidence = readers.read_confidence(reply, 0, 50)
    return _value(readers.read_amount(reply), "value"), _value(confidence, "raw")


def _interval(reply: str) -> tuple[object, ...]:
    interval = readers.read_interval(reply)
    return _value(interval, "lower"), _value(interval, "upper")


def _exponent(reply: str) -> tuple[object, ...]:
    return (_value(readers.read_exponent(reply), "value"),)


def _probability(reply: str) -> tuple[object, ...]:
    return (_value(readers.read_probability(reply), "value"),)


def _json(answer: Callable[[readers.JsonReply], object]) -> Callable[[str], tuple[object, ...]]:
    def read_both(reply: str) -> tuple[object, ...]:
        parsed = readers.read_json(reply)
        if isinstance(parsed, readers.ParseFailure):
            return parsed, parsed
        return answer(parsed), readers.probability_in(parsed)

    return read_both


READERS: dict[str, Callable[[str], tuple[object, ...]]] = {
    "choice": _choice,
    "amount": _amount,
    "interval": _interval,
    "exponent": _exponent,
    "probability": _probability,
    "age": _json(readers.age_in),
    "letter": _json(lambda reply: readers.letter_in(reply, OPTIONS)),
    "verdict": _json(readers.verdict_in),
}
INDEX, CONFIDENCE = st.integers(0, 3), st.integers(0, 50)
BOUND = st.integers(-990, 990).map(lambda tenths: tenths / 10)
SHARE = st.integers(0, 100).map(lambda hundredths: hundredths / 100)
AMOUNT = st.integers(-(10**6), 10**6) | BOUND
REASON = "I went from 64 to 20 more, as 3 of 4 do"
WRITTEN: dict[str, st.SearchStrategy[Labelled]] = {
    "choice": st.builds(
        lambda label, index, raw: Labelled(
            [(label, "ABCD"[index]), ("Confidence", raw)], (index, raw)
        ),
        st.sampled_from(["Answer", "Final Answer"]),
        INDEX,
        CONFIDENCE,
    ),
    "amount": st.builds(
        lambda label, amount, raw: Labelled(
            [("Confidence", raw), (label, amount)], (Fraction(str(amount)), raw)
        ),
        st.sampled_from(["Answer", "Final Answer"]),
        AMOUNT,
        CONFIDENCE,
    ),
    "interval": st.builds(
        lambda first, second: Labelled(
            [("Lower", min(first, second)), ("Upper", max(first, second))],
            (min(first, second), max(first, second)),
        ),
        BOUND,
        BOUND,
    ),
    "exponent": st.builds(
        lambda label, exponent: Labelled([(label, exponent)], (exponent,)),
        st.sampled_from(["Exponent", "Answer"]),
        BOUND,
    ),
    "probability": st.builds(
        lambda label, share, percent: Labelled(
            [(label, f"{round(100 * share)}%" if percent else share)], (share,)
        ),
        st.sampled_from(["Probability", "Answer"]),
        SHARE,
        st.booleans(),
    ),
    "age": st.builds(
        lambda age, share: Labelled([("Answer", age), ("Confidence", share)], (age, share)),
        st.integers(0, 150),
        SHARE,
    ),
    "letter": st.builds(
        lambda index, share: Labelled(
            [("Answer", "ABCD"[index]), ("Confidence", share)], (index, share)
        ),
        INDEX,
        SHARE,
    ),
    "verdict": st.builds(
        lambda verdict, share: Labelled(
            [("Answer", verdict), ("Confidence", share)], (verdict, share)
        ),
        st.booleans(),
        SHARE,
    ),
}


@pytest.mark.parametrize("form", WRITTEN)
def test_labelled_values_in_any_layout_are_read(form: str) -> None:
    """Labelled values come back from every layout, with an explanation before them or without."""

    @settings(FIXED, max_examples=200)
    @given(WRITTEN[form], st.sampled_from(sorted(LAYOUTS)), st.booleans())
    def comes_back(labelled: Labelled, layout: str, explained: bool) -> None:
        before = [("Reasoning", REASON)] if explained and layout not in ("box", "table") else []
        reply = LAYOUTS[layout]([*before, *labelled.fields])
        assert READERS[form](reply) == labelled.says, reply

    comes_back()


def test_an_options_text_in_any_layout_is_read() -> None:
    """An option's text is as good as its letter."""
    for layout, lay_out in LAYOUTS.items():
        for index, text in enumerate(OPTIONS):
            reply = lay_out([("Answer", text), ("Confidence", 7)])
            assert _choice(reply) == (index, 7), (layout, reply)


# Thoughts

ANY_LABELLED = st.one_of(*[st.tuples(st.just(form), values) for form, values in WRITTEN.items()])
LAYOUT = st.sampled_from(sorted(LAYOUTS))


@FIXED
@given(ANY_LABELLED, LAYOUT, ANY_LABELLED, LAYOUT, st.sampled_from(sorted(THOUGHTS)))
def test_a_thought_before_a_made_reply_changes_no_value(
    reply_case: tuple[str, Labelled],
    layout: str,
    thought: tuple[str, Labelled],
    thought_layout: str,
    style: str,
) -> None:
    """Whatever was thought aloud, in whatever style, the values are those of the reply."""
    form, labelled = reply_case
    draft = LAYOUTS[thought_layout](thought[1].fields)
    reply = THOUGHTS[style].format(thought=draft, reply=LAYOUTS[layout](labelled.fields))
    assert READERS[form](reply) == labelled.says, reply


@pytest.mark.parametrize("style", THOUGHTS)
def test_a_thought_around_a_labelled_reply_changes_no_value(style: str) -> None:
    """The same of replies as models write them, readable or not."""
    for case in labelled_replies("unseen")[::3]:
        if case.cut or (style == "channels without signs" and not case.reply[:1].isupper()):
            continue
        wrapped = THOUGHTS[style].format(thought="Answer: B?\nSo 12, or 0.3.", reply=case.reply)
        wrapped_values = read(replace(case, reply=wrapped))
        assert list(map(_plain, wrapped_values.values())) == list(
            map(_plain, read(case).values())
        ), wrapped


def _plain(value: object) -> object:
    """A failure without its reason, which quotes the reply."""
    return value.status if isinstance(value, readers.ParseFailure) else value


def test_the_final_channel_is_read_whatever_it_begins_with() -> None:
    """Its name, without signs about it, stands before digits and in Chinese as well."""
    style = THOUGHTS["channels without signs"]
    for number in ("0.7", "70%", "概率是0.7", "about 0.7", "**0.7**"):
        reply = style.format(thought="Maybe 0.3, or 1", reply=number)
        assert readers.read_probability(reply) == readers.StatedProbability(0.7), reply


# Revisions


@dataclass(frozen=True)
class Revised:
    """A label, its value before and after, as written and as read, and the reader's place of it."""

    form: str
    label: str
    before: tuple[str, object]
    after: tuple[str, object]
    place: int = 0


def _two_values(
    values: st.SearchStrategy[tuple[str, object]],
) -> st.SearchStrategy[list[tuple[str, object]]]:
    return st.lists(values, min_size=2, max_size=2, unique_by=lambda value: value[0])


def _revised(
    form: str, label: str, values: st.SearchStrategy[tuple[str, object]], place: int = 0
) -> st.SearchStrategy[Revised]:
    return _two_values(values).map(lambda two: Revised(form, label, two[0], two[1], place))


LETTER = INDEX.map(lambda index: ("ABCD"[index], index))
SHARES = st.integers(1, 99).map(lambda share: (f"0.{share:02}", share / 100))
REVISED = st.one_of(
    _revised("choice", "Answer", LETTER),
    _revised("choice", "Confidence", CONFIDENCE.map(lambda raw: (str(raw), raw)), 1),
    _revised(
        "amount", "Final Answer", AMOUNT.map(lambda amount: (str(amount), Fraction(str(amount))))
    ),
    _revised(
        "exponent",
        "Exponent",
        st.integers(0, 99).map(lambda exponent: (str(exponent), float(exponent))),
    ),
    _revised("probability", "Probability", SHARES),
    _revised("age", "Answer", st.integers(20, 99).map(lambda age: (str(age), float(age)))),
    _revised("age", "Confidence", SHARES, 1),
    _revised("letter", "Answer", LETTER),
)
FIRST = ["{label}: {value}", "**{label}:** {value}", '{{"{label}": "{value}"}}']


@FIXED
@given(REVISED, st.sampled_from(FIRST), st.sampled_from(sorted(REVISIONS)))
def test_a_revision_never_gives_the_earlier_value(
    revised: Revised, first: str, revision: str
) -> None:
    """It gives the later one, or none."""
    reply, value = _read_revised(revised, first, REVISIONS[revision])
    assert isinstance(value, readers.ParseFailure) or value == revised.after[1], reply


def _read_revised(revised: Revised, first: str, revision: str) -> tuple[str, object]:
    noun = revised.label.lower().removeprefix("final ")
    reply = "\n\n".join(
        pattern.format(label=revised.label, noun=noun, value=value)
        for pattern, (value, _) in ((first, revised.before), (revision, revised.after))
    )
    return reply, READERS[revised.form](reply)[revised.place]


EXAMPLES = [
    Revised("choice", "Answer", ("A", 0), ("C", 2)),
    Revised("choice", "Answer", ("Rome", 0), ("The Hague", 2)),
    Revised("choice", "Confidence", ("45", 45), ("20", 20), 1),
    Revised("amount", "Final Answer", ("18", 18), ("21", 21)),
    Revised("exponent", "Exponent", ("5", 5.0), ("7", 7.0)),
    Revised("probability", "Probability", ("0.7", 0.7), ("0.4", 0.4)),
    Revised("age", "Answer", ("82", 82.0), ("77", 77.0)),
    Revised("age", "Confidence", ("0.7", 0.7), ("0.4", 0.4), 1),
    Revised("letter", "Answer", ("A", 0), ("C", 2)),
]


@pytest.mark.parametrize("revision", PLAIN_REVISIONS)
def test_a_revision_without_actually_never_gives_the_earlier_value(revision: str) -> None:
    """The same of a revision that doesn't say "actually"."""
    given_back = []
    for revised in EXAMPLES:
        for first in FIRST:
            reply, value = _read_revised(revised, first, PLAIN_REVISIONS[revision])
            if not (isinstance(value, readers.ParseFailure) or value == revised.after[1]):
                given_back.append((reply, value))
    assert given_back == []


def test_a_revised_text_of_an_option_never_gives_the_earlier_text() -> None:
    """The same of an option's text, which has neither a digit nor a letter of its own."""
    given_back = []
    for first in FIRST:
        for revision in REVISIONS.values():
            reply, value = _read_revised(EXAMPLES[1], first, revision)
            if not (isinstance(value, readers.ParseFailure) or value == EXAMPLES[1].after[1]):
                given_back.append((reply, value))
    assert given_back == []
