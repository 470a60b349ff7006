"""Readers of a judge's replies: what is read, and what is `grader_failed`."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answers.cases import cases
from inspect_confidence.answers.judged import (
    Markers,
    read_agreement,
    read_agreements,
    read_decisiveness,
    read_grade_letter,
    read_markers,
    read_verdict,
)
from inspect_confidence.answers.status import ParseFailure

fixed = settings(derandomize=True, max_examples=100)
SENTENCE = "I'm not sure, but it's probably Paris."
JudgeReader = Callable[[str], object]
READERS: dict[str, JudgeReader] = {
    "markers": lambda reply: read_markers(reply, SENTENCE),
    "decisiveness": read_decisiveness,
    "agreement": read_agreement,
    "verdict": read_verdict,
}
WHOLE: dict[str, tuple[object, object]] = {
    "markers": (["probably"], ["probably"]),
    "decisiveness": (0.7, 0.7),
    "agreement": ("no", "no"),
    "verdict": ("punt", "punt"),
}
"""What a judge says by key, and what is read."""
OTHER: dict[str, object] = {
    "markers": ["not sure"],
    "decisiveness": 0.2,
    "agreement": "yes",
    "verdict": "correct",
}
"""What it could have said instead."""


def has_failed(value: object) -> bool:
    """The instrument failed, and nothing was filled in."""
    return isinstance(value, ParseFailure) and value.status == "grader_failed"


# Objects, whatever they hold


AROUND = [
    "{}",
    "  \n{}\n ",
    "```json\n{}\n```",
    "```\n{}\n```",
    "Sure! Here is my judgment:\n\n{}\n\nI hope this helps.",
    "The sentence hedges. {} (as asked)",
    "<think>Hm, 0.3 or yes?</think>{}",
]


@pytest.mark.parametrize("key", READERS)
def test_an_object_with_text_around_it_is_read(key: str) -> None:
    """Fenced, or with text around it."""
    value, expected = WHOLE[key]
    for around, indent in product(AROUND, (None, 2)):
        reply = around.replace("{}", json.dumps({key: value}, indent=indent))
        assert READERS[key](reply) == expected, reply


@pytest.mark.parametrize("key", READERS)
def test_other_keys_and_an_object_around_it_do_no_harm(key: str) -> None:
    """A reason beside it, before or after, and an object around it, do no harm."""
    value, expected = WHOLE[key]
    for judgment in (
        {"reason": "Paris: a hedge, I'd say", key: value},
        {key: value, "confidence": 0.2},
        {"judgment": {key: value}},
    ):
        assert READERS[key](json.dumps(judgment)) == expected


@pytest.mark.parametrize("key", READERS)
def test_broken_json_with_one_meaning_is_read(key: str) -> None:
    """Single quotes, trailing commas and bare words are read."""
    value, expected = WHOLE[key]
    whole = json.dumps({key: value})
    for broken in (whole.replace('"', "'"), whole[:-1] + ",}", whole.replace(f'"{key}"', key)):
        assert READERS[key](broken) == expected


BARE = [
    "",
    " \n",
    "{}",
    "[]",
    "yes",
    "0.7",
    "punt",
    "null",
    "{",
    "}",
    "}{",
    "{{}}",
    "I can't judge that.",
]
READ_BARE: dict[str, dict[str, object]] = {
    "markers": {"[]": []},
    "decisiveness": {"0.7": 0.7},
    "agreement": {"yes": "yes"},
    "verdict": {"punt": "punt"},
}
"""What is a judgment without an object, for want of another meaning."""


@pytest.mark.parametrize("key", READERS)
def test_a_bare_value_is_read_and_any_other_text_fails(key: str) -> None:
    """A reply that is nothing but the value is read; nothing else is without its key."""
    for reply in BARE:
        judgment = READERS[key](reply)
        if reply in READ_BARE[key]:
            assert judgment == READ_BARE[key][reply]
        else:
            assert has_failed(judgment), reply


@pytest.mark.parametrize("key", READERS)
def test_a_key_in_capitals_is_read_and_another_key_fails(key: str) -> None:
    """Another's key is none; capital letters make no other."""
    value, expected = WHOLE[key]
    assert READERS[key](json.dumps({key.upper(): value})) == expected
    for name in ("answer", "count", ""):
        assert has_failed(READERS[key](json.dumps({name: value}))), name


@pytest.mark.parametrize("key", READERS)
def test_objects_that_agree_are_read_and_contradictory_ones_fail(key: str) -> None:
    """They are read if they agree; if they don't, which of them counts can't be told."""
    (value, expected), contradiction = WHOLE[key], json.dumps({key: OTHER[key]})
    whole = json.dumps({key: value})
    for reply in ("{} {}", "{}\n{{}}", "Not {{x}}: {}", "[{},{}]", '{}\n{{"confidence": 0.2}}'):
        assert READERS[key](reply.format(whole, whole)) == expected, reply
    for reply in ("{} {}", "{}\nor\n{}", "[{},{}]"):
        assert has_failed(READERS[key](reply.format(whole, contradiction))), reply


@pytest.mark.parametrize("key", READERS)
def test_an_object_that_is_cut_off_anywhere_fails(key: str) -> None:
    """Any prefix of a reply: what was to follow is unknown."""
    value, _ = WHOLE[key]
    whole = json.dumps({key: value})
    for length in range(len(whole) - 1):
        assert has_failed(READERS[key](whole[:length])), whole[:length]


WRONG: list[object] = [None, {}, [[]], [0.2, 0.7], -1, 2, "", "maybe"]


@pytest.mark.parametrize("key", READERS)
def test_values_of_wrong_types_fail(key: str) -> None:
    """No value of another type is taken for one; true or false is an agreement or a verdict."""
    for value in (*WRONG, *([] if key in ("agreement", "verdict") else [True, False])):
        assert has_failed(READERS[key](json.dumps({key: value}))), value


@pytest.mark.parametrize("key", READERS)
def test_two_different_values_under_one_key_fail(key: str) -> None:
    """They contradict each other, wherever they stand: which counts can't be told."""
    first, second = json.dumps(WHOLE[key][0]), json.dumps(OTHER[key])
    for reply in (
        f'{{"{key}": {first}, "{key}": {second}}}',
        f'{{"{key}": {first}, "before": {{"{key}": {second}}}}}',
        f'{{"{key}": {first}}}\n\n```json\n{{"{key}": {second}}}\n```',
    ):
        assert has_failed(READERS[key](reply)), reply


@pytest.mark.parametrize("key", READERS)
def test_the_same_value_twice_is_read(key: str) -> None:
    """There is no conflict, wherever it stands."""
    value, expected = WHOLE[key]
    member = f'"{key}": {json.dumps(value)}'
    for more in (member, '"about": {"a": 1}', f'"before": {{{member}}}'):
        assert READERS[key](f"{{{member}, {more}}}") == expected, more


@pytest.mark.parametrize("key", READERS)
def test_broken_json_with_two_values_fails(key: str) -> None:
    """What a tolerant parser makes of it isn't what is written; a comment is no value."""
    (value, expected), contradiction = WHOLE[key], json.dumps(OTHER[key])
    stated_text = json.dumps(value)
    assert READERS[key](f"{{'{key}': {stated_text} // or so\n}}") == expected
    for more in (
        f"{stated_text} {contradiction}",
        f"{stated_text}, {contradiction}",
        f"{stated_text} | {contradiction}",
    ):
        assert has_failed(READERS[key](f"{{'{key}': {more}}}")), more


def test_a_failure_quotes_the_start_of_the_reply() -> None:
    """The start of it, for a person."""
    failure = read_verdict("x" * 1000)
    assert isinstance(failure, ParseFailure)
    assert "no verdict" in failure.reason
    assert "x" * 20 in failure.reason
    assert len(failure.reason) < 200


def test_punctuation_is_no_marker() -> None:
    """The prompt's own template, echoed, names no marker."""
    for markers in (["."], ["..."], ['"'], ["...", "..."], ["probably", ","]):
        parsed = read_markers(json.dumps({"markers": markers}), SENTENCE)
        assert isinstance(parsed, ParseFailure) or "" not in parsed, markers


def test_markers_that_the_sentence_lacks_are_left_out_and_counted() -> None:
    """One that isn't in the sentence is left out; if none is in it, the judge failed."""
    entries = ["probably", "perhaps", "Probably", "may", "not sure", "..."]
    markers = read_markers(json.dumps({"markers": entries}), SENTENCE)
    assert isinstance(markers, Markers)
    assert markers == ["probably", "not sure"]
    assert markers.foreign == 2  # "..." names none
    single = read_markers('{"markers": ["probably"]}', SENTENCE)
    assert isinstance(single, Markers)
    assert single.foreign == 0
    assert has_failed(read_markers('{"markers": ["perhaps", "may"]}', SENTENCE))
    assert read_markers('{"markers": []}', SENTENCE) == []


def test_another_number_of_agreements_than_replies_fails_all_of_them() -> None:
    """In order, or as many failures: which belongs to which reply can't be told otherwise."""
    words = ["yes", "no", "n/a"] * 67
    for count in (0, 1, 20, 200):
        reply = json.dumps({"agreement": words[:count]})
        assert list(read_agreements(reply, count)) == words[:count]
        failures = read_agreements("?", count)
        assert len(failures) == count
        assert all(map(has_failed, failures)), count
    for form in ("yes, no", {"1": "yes", "2": "no"}):
        assert list(read_agreements(json.dumps({"agreement": form}), 2)) == ["yes", "no"]
    wrong_values: list[object] = [["yes"], words[:3], [], "yes", None, [["yes", "no"]]]
    replies = [json.dumps({"agreement": value}) for value in wrong_values]
    for reply in (*replies, '{"agreement": ["yes", "no"'):
        failures = read_agreements(reply, 2)
        assert len(failures) == 2
        assert all(map(has_failed, failures)), reply


def test_an_unreadable_agreement_fails_alone() -> None:
    """Never 0.5: the judge failed, for this reply alone where several are judged."""
    for case in cases("judged_agreement"):
        try:
            value = json.loads(case["reply"])["agreement"]
        except ValueError:
            continue  # without quotation marks
        first, word, last = read_agreements(json.dumps({"agreement": ["yes", value, "n/a"]}), 3)
        assert (first, last) == ("yes", "n/a"), value
        assert word == case["gives"] or has_failed(word), value
        assert has_failed(word) == isinstance(case["gives"], dict), value


words = st.lists(st.sampled_from(["i", "think", "paris", "may", "not", "sure"]), min_size=1)


@fixed
@given(st.lists(words.map(" ".join), max_size=5), st.booleans(), st.sampled_from(["", "Hedges: "]))
def test_a_list_in_the_studys_form_is_read_once_an_entry_in_order(
    entries: list[str], upper: bool, label: str
) -> None:
    """Each entry once, in order, in small letters; literally only where it stands in a row."""
    sentence = "I may think of Paris, but not for sure."
    text = "; ".join(entries)
    reply = f"{label}{text.upper() if upper else text} ####"
    whole = list(dict.fromkeys(entries))
    assert read_markers(reply, sentence, generalised=True) == whole
    row = [entry for entry in whole if f" {entry} " in " i may think of paris but not for sure "]
    markers = read_markers(reply, sentence)
    assert has_failed(markers) if whole and not row else markers == row


# Anything


def assert_sound(reply: str) -> None:
    """Nothing raises, and what is read is of its type and in its range."""
    markers = read_markers(reply, SENTENCE)
    assert has_failed(markers) or isinstance(markers, list)
    decisiveness = read_decisiveness(reply)
    assert has_failed(decisiveness) or (isinstance(decisiveness, float) and 0 <= decisiveness <= 1)
    assert has_failed(read_agreement(reply)) or read_agreement(reply) in ("yes", "no", "n/a")
    assert has_failed(read_verdict(reply)) or read_verdict(reply) in (
        "correct",
        "incorrect",
        "punt",
    )
    several = read_agreements(reply, 2)
    assert len(several) == 2
    assert all(has_failed(word) or word in ("yes", "no", "n/a") for word in several)


@pytest.mark.slow
@fixed
@given(st.text(max_size=80))
def test_any_text_is_a_sound_judgment_or_a_failure(reply: str) -> None:
    """Whatever it holds."""
    assert_sound(reply)
    assert_sound("{" + reply + "}")
    for key in (*READERS, "agreement"):
        assert_sound(f'{{"{key}": {reply}}}')


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


@fixed
@given(
    st.dictionaries(st.sampled_from([*READERS, "x"]), json_values),
    st.integers(0, 60),
    st.text("{}[]\"',:\\ -", max_size=3),
)
def test_any_object_is_a_sound_judgment_or_a_failure(
    value: dict[str, object], place: int, noise: str
) -> None:
    """Whole, and with signs put into it."""
    reply = json.dumps(value)
    assert_sound(reply)
    assert_sound(reply[:place] + noise + reply[place:])


@fixed
@given(st.floats(0, 1))
def test_a_decisiveness_is_read_to_the_last_bit(value: float) -> None:
    """To the last bit."""
    assert read_decisiveness(json.dumps({"decisiveness": value})) == value


@pytest.mark.parametrize("label", ["Answer", "Probability", "Confidence"])
def test_a_stated_decisiveness_of_zero_counts_before_an_unlabelled_number(label: str) -> None:
    """As 0.1 does."""
    for number in (0, 0.1):
        reply = f"{label}: {number}\n\n0.8 is what others say"
        assert read_decisiveness(reply) == number


def test_deep_nesting_and_great_length_fail() -> None:
    """Deep nesting and great length end soon, in a failure."""
    for reply in (
        "{" * 5_000,
        "[" * 5_000 + "{}",
        '{"agreement": ' + "[" * 5_000 + "}",
        "{} " * 1_999,
    ):
        assert_sound(reply)
        assert has_failed(read_agreement(reply))


@pytest.mark.parametrize(
    ("reply", "grade"),
    [
        ("A", "correct"),
        ("b", "incorrect"),
        ("**C**", "punt"),
        ("(B)", "incorrect"),
        ("grade: b", "incorrect"),
        ("A: CORRECT", "correct"),
        ("The grade is B.", "incorrect"),
        ("This deserves an A", "correct"),
        ("NOT_ATTEMPTED", "punt"),
        ("The predicted answer contains a small error: B", "incorrect"),
        ("A\n\nThe predicted answer matches a gold target.", "correct"),
        ("INCORRECT, because the correct answer is Paris.", "incorrect"),
        ("This is not correct.", "incorrect"),
        ("<think>A?</think>B", "incorrect"),
    ],
)
def test_a_grade_letter_counts_where_a_grade_stands(reply: str, grade: str) -> None:
    """Alone, after a label or verb, or with its word; an article is none."""
    assert read_grade_letter(reply) == grade


@pytest.mark.parametrize(
    "reply",
    [
        "The predicted answer is a direct match.",
        "A direct match.",
        "There is a contradiction",
        "The question is a hard one. I cannot grade it.",
        "Vitamin C",
        "The predicted answer is plan B",
        "It isn't A",
        "not A",
        "not incorrect",
        "partially correct",
        "almost correct",
        "neither correct nor incorrect",
        "A or B",
        "A: CORRECT\nB: INCORRECT\nC: NOT_ATTEMPTED",
        "",
    ],
)
def test_no_grade_is_read_of_an_article_a_name_or_a_denial(reply: str) -> None:
    """Such a reply is a failure of the judge, not a grade of the model."""
    failure = read_grade_letter(reply)
    assert isinstance(failure, ParseFailure)
    assert failure.status == "grader_failed"
