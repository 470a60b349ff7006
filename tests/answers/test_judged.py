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
    read_agreement,
    read_agreements,
    read_decisiveness,
    read_markers,
    read_verdict,
)
from inspect_confidence.answers.status import Unreadable

fixed = settings(derandomize=True, deadline=None, max_examples=100)
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


def failed(found: object) -> bool:
    """The instrument failed, and nothing was filled in."""
    return isinstance(found, Unreadable) and found.status == "grader_failed"


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


NO_OBJECT = [
    "",
    " \n",
    "{}",
    "[]",
    "yes",
    "0.7",
    "null",
    "{",
    "}",
    "}{",
    "{{}}",
    "I can't judge that.",
]


@pytest.mark.parametrize("key", READERS)
def test_no_object_with_the_key(key: str) -> None:
    """Nothing is read from free text."""
    for reply in NO_OBJECT:
        assert failed(READERS[key](reply)), reply


@pytest.mark.parametrize("key", READERS)
def test_missing_keys(key: str) -> None:
    """Another's key, and the key in other letters."""
    said, _ = WHOLE[key]
    for name in ("answer", "", key.upper(), key + "s"):
        assert failed(READERS[key](json.dumps({name: said})))


@pytest.mark.parametrize("key", READERS)
def test_several_objects(key: str) -> None:
    """Which of them counts can't be told, even if they agree."""
    said, _ = WHOLE[key]
    whole = json.dumps({key: said})
    for reply in (
        f"{whole} {whole}",
        f"{whole}\n{{}}",
        f"Not {{x}}: {whole}",
        f"[{whole},{whole}]",
    ):
        assert failed(READERS[key](reply))


@pytest.mark.parametrize("key", READERS)
def test_objects_cut_off(key: str) -> None:
    """Any prefix of a reply: what was to follow is unknown."""
    said, _ = WHOLE[key]
    whole = json.dumps({key: said})
    for length in range(len(whole)):
        assert failed(READERS[key](whole[:length]))


WRONG: list[object] = [None, True, False, {}, {"a": 1}, [1], [[]], -1, 2, "", "maybe"]


@pytest.mark.parametrize("key", READERS)
def test_wrong_types(key: str) -> None:
    """No value of another type is taken for one."""
    for value in WRONG:
        assert failed(READERS[key](json.dumps({key: value}))), value


@pytest.mark.parametrize("key", READERS)
def test_two_values_under_one_key(key: str) -> None:
    """They contradict each other: which counts can't be told."""
    one, _ = WHOLE[key]
    other = {"markers": [], "decisiveness": 0.2, "agreement": "yes", "verdict": "correct"}[key]
    reply = f'{{"{key}": {json.dumps(one)}, "{key}": {json.dumps(other)}}}'
    assert failed(READERS[key](reply))


@pytest.mark.parametrize("key", READERS)
def test_the_same_value_twice(key: str) -> None:
    """Under one key of one object there is no conflict; in an object within it, there may be."""
    said, expected = WHOLE[key]
    one = f'"{key}": {json.dumps(said)}'
    assert READERS[key](f"{{{one}, {one}}}") == expected
    assert READERS[key](f'{{{one}, "about": {{"a": 1}}}}') == expected
    assert failed(READERS[key](f'{{{one}, "before": {{{one}}}}}'))
    assert failed(READERS[key](f"{{'a': 1, {one}, {one}}}"))


@pytest.mark.parametrize("key", READERS)
def test_broken_json_that_says_more(key: str) -> None:
    """What json_repair makes of it isn't what is written."""
    said = json.dumps(WHOLE[key][0])
    for more in ("SAID SAID", "SAID, SAID", "SAID | SAID", "SAID // or so\n"):
        assert failed(READERS[key](f"{{'{key}': {more.replace('SAID', said)}}}")), more


def test_failures_quote_the_reply() -> None:
    """The start of it, for a person."""
    found = read_verdict("x" * 1000)
    assert isinstance(found, Unreadable)
    assert "no verdict" in found.reason
    assert "x" * 20 in found.reason
    assert len(found.reason) < 200


def test_signs_are_no_markers() -> None:
    """The prompt's own template, echoed, names no marker."""
    for listed in (["."], ["..."], ['"'], ["...", "..."], ["probably", ","]):
        found = read_markers(json.dumps({"markers": listed}), SENTENCE)
        assert isinstance(found, Unreadable) or "" not in found, listed


def test_as_many_agreements_as_asked() -> None:
    """In order, or as many failures: which belongs to which reply can't be told otherwise."""
    said = ["yes", "no", "n/a"] * 67
    for count in (0, 1, 20, 200):
        reply = json.dumps({"agreement": said[:count]})
        assert list(read_agreements(reply, count)) == said[:count]
        found = read_agreements("?", count)
        assert len(found) == count
        assert all(map(failed, found)), count
    mapped = {"1": "yes", "2": "no"}
    others: list[object] = [["yes"], said[:3], [], "yes, no", mapped, None, [["yes", "no"]]]
    replies = [json.dumps({"agreement": value}) for value in others]
    # Three places, two words: which place is empty is known, and the number is another.
    for reply in (*replies, '{"agreement": ["yes",,"no"]}'):
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
        "{" * 20_000,
        "[" * 20_000 + "{}",
        '{"agreement": ' + "[" * 5000 + "}",
        "{} " * 9999,
    ):
        assert_sound(reply)
        assert failed(read_agreement(reply))
