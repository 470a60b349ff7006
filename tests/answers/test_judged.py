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
    read_markers,
    read_verdict,
)
from inspect_confidence.answers.status import ParseFailure

fixed = settings(derandomize=True, max_examples=100)
SENTENCE = "I'm not sure, but it's probably Paris."
Reader = Callable[[str], object]
READERS: dict[str, Reader] = {
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


def failed(found: object) -> bool:
    """The instrument failed, and nothing was filled in."""
    return isinstance(found, ParseFailure) and found.status == "grader_failed"


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
def test_one_object_wherever_it_stands(key: str) -> None:
    """Fenced, or with text around it."""
    said, expected = WHOLE[key]
    for around, indent in product(AROUND, (None, 2)):
        reply = around.replace("{}", json.dumps({key: said}, indent=indent))
        assert READERS[key](reply) == expected, reply


@pytest.mark.parametrize("key", READERS)
def test_other_keys_and_wrappings(key: str) -> None:
    """A reason beside it, before or after, and an object around it, do no harm."""
    said, expected = WHOLE[key]
    for value in (
        {"reason": "Paris: a hedge, I'd say", key: said},
        {key: said, "confidence": 0.2},
        {"judgment": {key: said}},
    ):
        assert READERS[key](json.dumps(value)) == expected


@pytest.mark.parametrize("key", READERS)
def test_broken_json_that_says_one_thing(key: str) -> None:
    """Single quotes, trailing commas and bare words are read."""
    said, expected = WHOLE[key]
    whole = json.dumps({key: said})
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
def test_no_object_with_the_key(key: str) -> None:
    """A reply that is nothing but the value is read; nothing else is without its key."""
    for reply in BARE:
        found = READERS[key](reply)
        if reply in READ_BARE[key]:
            assert found == READ_BARE[key][reply]
        else:
            assert failed(found), reply


@pytest.mark.parametrize("key", READERS)
def test_missing_keys(key: str) -> None:
    """Another's key is none; capital letters make no other."""
    said, expected = WHOLE[key]
    assert READERS[key](json.dumps({key.upper(): said})) == expected
    for name in ("answer", "count", ""):
        assert failed(READERS[key](json.dumps({name: said}))), name


@pytest.mark.parametrize("key", READERS)
def test_several_objects(key: str) -> None:
    """They are read if they agree; if they don't, which of them counts can't be told."""
    (said, expected), other = WHOLE[key], json.dumps({key: OTHER[key]})
    whole = json.dumps({key: said})
    for reply in ("{} {}", "{}\n{{}}", "Not {{x}}: {}", "[{},{}]", '{}\n{{"confidence": 0.2}}'):
        assert READERS[key](reply.format(whole, whole)) == expected, reply
    for reply in ("{} {}", "{}\nor\n{}", "[{},{}]"):
        assert failed(READERS[key](reply.format(whole, other))), reply


@pytest.mark.parametrize("key", READERS)
def test_objects_cut_off(key: str) -> None:
    """Any prefix of a reply: what was to follow is unknown."""
    said, _ = WHOLE[key]
    whole = json.dumps({key: said})
    for length in range(len(whole) - 1):
        assert failed(READERS[key](whole[:length])), whole[:length]


WRONG: list[object] = [None, {}, [[]], [0.2, 0.7], -1, 2, "", "maybe"]


@pytest.mark.parametrize("key", READERS)
def test_wrong_types(key: str) -> None:
    """No value of another type is taken for one; true or false is an agreement or a verdict."""
    for value in (*WRONG, *([] if key in ("agreement", "verdict") else [True, False])):
        assert failed(READERS[key](json.dumps({key: value}))), value


@pytest.mark.parametrize("key", READERS)
def test_two_values_under_one_key(key: str) -> None:
    """They contradict each other, wherever they stand: which counts can't be told."""
    one, other = json.dumps(WHOLE[key][0]), json.dumps(OTHER[key])
    for reply in (
        f'{{"{key}": {one}, "{key}": {other}}}',
        f'{{"{key}": {one}, "before": {{"{key}": {other}}}}}',
        f'{{"{key}": {one}}}\n\n```json\n{{"{key}": {other}}}\n```',
    ):
        assert failed(READERS[key](reply)), reply


@pytest.mark.parametrize("key", READERS)
def test_the_same_value_twice(key: str) -> None:
    """There is no conflict, wherever it stands."""
    said, expected = WHOLE[key]
    one = f'"{key}": {json.dumps(said)}'
    for more in (one, '"about": {"a": 1}', f'"before": {{{one}}}'):
        assert READERS[key](f"{{{one}, {more}}}") == expected, more


@pytest.mark.parametrize("key", READERS)
def test_broken_json_that_says_more(key: str) -> None:
    """What a tolerant parser makes of it isn't what is written; a comment is no value."""
    (said, expected), other = WHOLE[key], json.dumps(OTHER[key])
    one = json.dumps(said)
    assert READERS[key](f"{{'{key}': {one} // or so\n}}") == expected
    for more in (f"{one} {other}", f"{one}, {other}", f"{one} | {other}"):
        assert failed(READERS[key](f"{{'{key}': {more}}}")), more


def test_failures_quote_the_reply() -> None:
    """The start of it, for a person."""
    found = read_verdict("x" * 1000)
    assert isinstance(found, ParseFailure)
    assert "no verdict" in found.reason
    assert "x" * 20 in found.reason
    assert len(found.reason) < 200


def test_signs_are_no_markers() -> None:
    """The prompt's own template, echoed, names no marker."""
    for listed in (["."], ["..."], ['"'], ["...", "..."], ["probably", ","]):
        found = read_markers(json.dumps({"markers": listed}), SENTENCE)
        assert isinstance(found, ParseFailure) or "" not in found, listed


def test_foreign_markers_are_counted() -> None:
    """One that isn't in the sentence is left out; if none is in it, the judge failed."""
    listed = ["probably", "perhaps", "Probably", "may", "not sure", "..."]
    found = read_markers(json.dumps({"markers": listed}), SENTENCE)
    assert isinstance(found, Markers)
    assert found == ["probably", "not sure"]
    assert found.foreign == 2  # "..." names none
    alone = read_markers('{"markers": ["probably"]}', SENTENCE)
    assert isinstance(alone, Markers)
    assert alone.foreign == 0
    assert failed(read_markers('{"markers": ["perhaps", "may"]}', SENTENCE))
    assert read_markers('{"markers": []}', SENTENCE) == []


def test_as_many_agreements_as_asked() -> None:
    """In order, or as many failures: which belongs to which reply can't be told otherwise."""
    said = ["yes", "no", "n/a"] * 67
    for count in (0, 1, 20, 200):
        reply = json.dumps({"agreement": said[:count]})
        assert list(read_agreements(reply, count)) == said[:count]
        found = read_agreements("?", count)
        assert len(found) == count
        assert all(map(failed, found)), count
    for alike in ("yes, no", {"1": "yes", "2": "no"}):
        assert list(read_agreements(json.dumps({"agreement": alike}), 2)) == ["yes", "no"]
    others: list[object] = [["yes"], said[:3], [], "yes", None, [["yes", "no"]]]
    replies = [json.dumps({"agreement": value}) for value in others]
    for reply in (*replies, '{"agreement": ["yes", "no"'):
        found = read_agreements(reply, 2)
        assert len(found) == 2
        assert all(map(failed, found)), reply


def test_agreements_fail_one_by_one() -> None:
    """Never 0.5: the judge failed, for this reply alone where several are judged."""
    for case in cases("judged_agreement"):
        try:
            said = json.loads(case["reply"])["agreement"]
        except ValueError:
            continue  # without quotation marks
        one, word, other = read_agreements(json.dumps({"agreement": ["yes", said, "n/a"]}), 3)
        assert (one, other) == ("yes", "n/a"), said
        assert word == case["gives"] or failed(word), said
        assert failed(word) == isinstance(case["gives"], dict), said


words = st.lists(st.sampled_from(["i", "think", "paris", "may", "not", "sure"]), min_size=1)


@fixed
@given(st.lists(words.map(" ".join), max_size=5), st.booleans(), st.sampled_from(["", "Hedges: "]))
def test_lists_in_the_studys_form_come_back(said: list[str], upper: bool, label: str) -> None:
    """Each entry once, in order, in small letters; literally only where it stands in a row."""
    sentence = "I may think of Paris, but not for sure."
    listed = "; ".join(said)
    reply = f"{label}{listed.upper() if upper else listed} ####"
    whole = list(dict.fromkeys(said))
    assert read_markers(reply, sentence, generalised=True) == whole
    row = [one for one in whole if f" {one} " in " i may think of paris but not for sure "]
    found = read_markers(reply, sentence)
    assert failed(found) if whole and not row else found == row


# Anything


def assert_sound(reply: str) -> None:
    """Nothing raises, and what is read is of its type and in its range."""
    markers = read_markers(reply, SENTENCE)
    assert failed(markers) or isinstance(markers, list)
    decisiveness = read_decisiveness(reply)
    assert failed(decisiveness) or (isinstance(decisiveness, float) and 0 <= decisiveness <= 1)
    assert failed(read_agreement(reply)) or read_agreement(reply) in ("yes", "no", "n/a")
    assert failed(read_verdict(reply)) or read_verdict(reply) in ("correct", "incorrect", "punt")
    several = read_agreements(reply, 2)
    assert len(several) == 2
    assert all(failed(one) or one in ("yes", "no", "n/a") for one in several)


@fixed
@given(st.text(max_size=80))
def test_any_text_is_read_or_fails(reply: str) -> None:
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
def test_any_object_is_read_or_fails(value: dict[str, object], place: int, noise: str) -> None:
    """Whole, and with signs put into it."""
    reply = json.dumps(value)
    assert_sound(reply)
    assert_sound(reply[:place] + noise + reply[place:])


@fixed
@given(st.floats(0, 1))
def test_any_decisiveness_comes_back(value: float) -> None:
    """To the last bit."""
    assert read_decisiveness(json.dumps({"decisiveness": value})) == value


def test_hostile_replies() -> None:
    """Deep nesting and great length end soon, in a failure."""
    for reply in (
        "{" * 5_000,
        "[" * 5_000 + "{}",
        '{"agreement": ' + "[" * 5_000 + "}",
        "{} " * 1_999,
    ):
        assert_sound(reply)
        assert failed(read_agreement(reply))
