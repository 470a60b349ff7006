"""Readers of a judge's replies: what is read, and what is `grader_failed`."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


@pytest.mark.parametrize("key", READERS)
@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "  \n{}\n ",
        "```json\n{}\n```",
        "```\n{}\n```",
        "Sure! Here is my judgment:\n\n{}\n\nI hope this helps.",
        "The sentence hedges. {} (as asked)",
        "<think>Hm, 0.3 or yes?</think>{}",
    ],
)
def test_one_object_wherever_it_stands(key: str, around: str) -> None:
    """Fenced, or with text around it."""
    said, expected = WHOLE[key]
    for indent in (None, 2):
        reply = around.replace("{}", json.dumps({key: said}, indent=indent))
        assert READERS[key](reply) == expected


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


@pytest.mark.parametrize("key", READERS)
@pytest.mark.parametrize(
    "reply",
    ["", " \n", "{}", "[]", "yes", "0.7", "null", "{", "}", "}{", "{{}}", "I can't judge that."],
)
def test_no_object_with_the_key(key: str, reply: str) -> None:
    """Nothing is read from free text."""
    assert failed(READERS[key](reply))


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


@pytest.mark.parametrize("key", READERS)
@pytest.mark.parametrize("value", [None, True, False, {}, {"a": 1}, [1], [[]], -1, 2, "", "maybe"])
def test_wrong_types(key: str, value: object) -> None:
    """No value of another type is taken for one."""
    assert failed(READERS[key](json.dumps({key: value})))


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
@pytest.mark.parametrize(
    "broken",
    [
        "{'KEY': SAID SAID}",
        "{'KEY': SAID, SAID}",
        "{'KEY': SAID | SAID}",
        "{'KEY': SAID // or so\n}",
    ],
)
def test_broken_json_that_says_more(key: str, broken: str) -> None:
    """What json_repair makes of it isn't what is written."""
    said, _ = WHOLE[key]
    assert failed(READERS[key](broken.replace("KEY", key).replace("SAID", json.dumps(said))))


def test_failures_quote_the_reply() -> None:
    """The start of it, for a person."""
    found = read_verdict("x" * 1000)
    assert isinstance(found, Unreadable)
    assert "no verdict" in found.reason
    assert "x" * 20 in found.reason
    assert len(found.reason) < 200


# Markers


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        ([], []),
        (["probably"], ["probably"]),
        (["Probably", " probably ", "PROBABLY."], ["probably"]),
        (["probably", "I'm not sure"], ["probably", "i'm not sure"]),
        (["I’m not sure"], ["i'm not sure"]),  # noqa: RUF001 # curly, as models write it
        (["I‘m not sure", "I`m not sure", "I´m not sure"], ["i'm not sure"]),  # noqa: RUF001
        (["I'm  not\nsure,"], ["i'm not sure"]),
        (['"probably"'], ["probably"]),
    ],
)
def test_markers(listed: list[str], expected: list[str]) -> None:
    """Once each, in the judge's order, in lower case."""
    assert read_markers(json.dumps({"markers": listed}), SENTENCE) == expected


def test_apostrophes_of_the_sentence() -> None:
    """Curly there and straight in the judge's list."""
    sentence = "I’m not sure, it’s\u00a0likely."  # noqa: RUF001 # curly, as models write it
    reply = json.dumps({"markers": ["I'm not sure", "it's likely"]})
    assert read_markers(reply, sentence) == ["i'm not sure", "it's likely"]


@pytest.mark.parametrize(
    "listed",
    [
        ["maybe"],
        ["probably", "maybe"],
        ["it is probably"],
        ["not sure it's"],
        ["I am not sure"],
        "probably",
        [1],
        ["probably", None],
        [["probably"]],
        {"probably": 1},
        ["", " "],
    ],
)
def test_markers_that_are_none(listed: object) -> None:
    """One that isn't in the sentence, or no list of words: not even the rest counts."""
    assert failed(read_markers(json.dumps({"markers": listed}), SENTENCE))


def test_chinese_markers() -> None:
    """No blanks about them."""
    assert read_markers('{"markers": ["可能"]}', "这可能是巴黎。") == ["可能"]
    assert failed(read_markers('{"markers": ["也许"]}', "这可能是巴黎。"))


def test_a_list_cut_off() -> None:
    """What was to follow is unknown."""
    assert failed(read_markers('{"markers": ["probably"', SENTENCE))


@pytest.mark.parametrize("listed", [["."], ["..."], ['"'], ["...", "..."], ["probably", ","]])
def test_signs_are_no_markers(listed: list[str]) -> None:
    """The prompt's own template, echoed, names no marker."""
    found = read_markers(json.dumps({"markers": listed}), SENTENCE)
    assert isinstance(found, Unreadable) or "" not in found


@pytest.mark.parametrize(
    ("marker", "sentence"),
    [
        ("may", "The mayor was Hidalgo."),
        ("likely", "It's unlikely."),
        ("sure", "The measure is Paris."),
        ("possibly", "It's impossibly far."),
    ],
)
def test_markers_are_whole_words(marker: str, sentence: str) -> None:
    """One in the midst of another word doesn't stand in the sentence."""
    assert failed(read_markers(json.dumps({"markers": [marker]}), sentence))


@pytest.mark.parametrize(
    ("marker", "sentence", "expected"),
    [
        ("“probably”", SENTENCE, "probably"),
        ("very likely", "It is **very** likely.", "very likely"),
        ("likely", "It is *likely*.", "likely"),
        ("*probably*", SENTENCE, "probably"),
        ("_probably_ Paris", SENTENCE, "probably paris"),
        ("probably", "It's __probably__ Paris.", "probably"),
        ("'probably'", SENTENCE, "probably"),
        ("I'm “not” sure", 'I\'m "not" sure.', 'i\'m "not" sure'),
        ("probably...", SENTENCE, "probably"),
        ("可能", "他可能在Paris。", "可能"),
        ("maybe", "我想maybe是巴黎。", "maybe"),
    ],
)
def test_markers_in_other_signs(marker: str, sentence: str, expected: str) -> None:
    """Curly quotation marks and stars about words aren't words."""
    assert read_markers(json.dumps({"markers": [marker]}), sentence) == [expected]


# Decisiveness


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("0.7", 0.7),
        ("0", 0),
        ("1", 1),
        ("1.0", 1),
        (".5", 0.5),
        ("1e-1", 0.1),
        ('"0.7"', 0.7),
        ('" 0.7 "', 0.7),
        ('"1"', 1),
        ("-0.0", 0),
    ],
)
def test_decisiveness(said: str, expected: float) -> None:
    """A number, or one in quotation marks."""
    found = read_decisiveness(f'{{"decisiveness": {said}}}')
    assert isinstance(found, float)
    assert found == expected


@pytest.mark.parametrize(
    "said",
    [
        "1.01",
        "-0.1",
        "70",
        "70%",
        '"70%"',
        "0,7",
        '"0,7"',
        "7/10",
        "0.3-0.5",
        '"0.3-0.5"',
        "NaN",
        '"nan"',
        "Infinity",
        '"inf"',
        "1e999",
        "high",
        '"high"',
        "[0.7]",
        "9" * 5000,
        "<a number from 0.0 to 1.0>",
    ],
)
def test_no_decisiveness(said: str) -> None:
    """Out of range, no number, or several."""
    assert failed(read_decisiveness(f'{{"decisiveness": {said}}}'))


@pytest.mark.parametrize("said", ["0 to 1", "0.7 or 0.8", "0. 7", "0 .7", "1 0", '"0_1"'])
def test_several_numbers_are_no_decisiveness(said: str) -> None:
    """`0. 7` would be read as 0.0."""
    assert failed(read_decisiveness(f'{{"decisiveness": {said}}}'))


# Agreement

WORDS = [
    ("yes", "yes"),
    ("Yes", "yes"),
    ("YES", "yes"),
    (" yes\n", "yes"),
    ("no", "no"),
    ("No", "no"),
    ("n/a", "n/a"),
    ("N/A", "n/a"),
    ("NA", "n/a"),
    ("Not applicable", "n/a"),
]
OTHERS: list[object] = [
    "yes/no",
    "maybe",
    "yes and no",
    "not yes",
    "",
    "yess",
    True,
    None,
    1,
    ["yes"],
]


@pytest.mark.parametrize(("said", "expected"), WORDS)
def test_agreement(said: str, expected: str) -> None:
    """In any case, with blanks."""
    assert read_agreement(json.dumps({"agreement": said})) == expected
    assert read_agreements(json.dumps({"agreement": [said, "no"]}), 2) == [expected, "no"]


@pytest.mark.parametrize("said", OTHERS)
def test_no_agreement(said: object) -> None:
    """Never 0.5: the judge failed, for this reply alone where several are judged."""
    assert failed(read_agreement(json.dumps({"agreement": said})))
    found = read_agreements(json.dumps({"agreement": ["yes", said, "n/a"]}), 3)
    assert found[0] == "yes"
    assert failed(found[1])
    assert found[2] == "n/a"


def test_agreement_without_quotation_marks() -> None:
    """Also where the word has a stroke."""
    assert read_agreement('{"agreement": yes}') == "yes"
    assert read_agreement('{"agreement": n/a}') == "n/a"
    assert failed(read_agreement('{"agreement": yes or no}'))
    assert failed(read_agreement('{"agreement": "yes" | "no"}'))


@pytest.mark.parametrize(
    "value",
    [
        ["yes"],
        ["yes", "no", "n/a"],
        [],
        "yes, no",
        {"1": "yes", "2": "no"},
        None,
        [["yes", "no"]],
    ],
)
def test_agreements_of_another_number(value: object) -> None:
    """Which belongs to which reply can't be told: all fail."""
    found = read_agreements(json.dumps({"agreement": value}), 2)
    assert len(found) == 2
    assert all(map(failed, found))


@pytest.mark.parametrize("count", [0, 1, 20, 200])
def test_as_many_agreements_as_asked(count: int) -> None:
    """In order, or as many failures."""
    said = ["yes", "no", "n/a"] * 67
    reply = json.dumps({"agreement": said[:count]})
    assert list(read_agreements(reply, count)) == said[:count]
    found = read_agreements("?", count)
    assert len(found) == count
    assert all(map(failed, found))


def test_an_empty_entry_is_no_agreement() -> None:
    """Three places, two words: which place is empty is known, and the number is another."""
    assert all(map(failed, read_agreements('{"agreement": ["yes",,"no"]}', 2)))


# Verdicts


@pytest.mark.parametrize("said", ["correct", "Correct", "INCORRECT", " punt ", "Punt"])
def test_verdict(said: str) -> None:
    """In any case, with blanks."""
    assert read_verdict(json.dumps({"verdict": said})) == said.strip().lower()


@pytest.mark.parametrize(
    "said", ["right", "not correct", "correct or incorrect", "partially correct", "yes", 1, True]
)
def test_no_verdict(said: object) -> None:
    """Another word is no verdict."""
    assert failed(read_verdict(json.dumps({"verdict": said})))


# Anything


def sound(reply: str) -> None:
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
    sound(reply)
    sound("{" + reply + "}")
    for key in (*READERS, "agreement"):
        sound(f'{{"{key}": {reply}}}')


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
    sound(reply)
    sound(reply[:place] + noise + reply[place:])


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
        sound(reply)
        assert failed(read_agreement(reply))
