"""Tests of the reader of objects, and of the values in them."""

import json
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from answers.cases import cases
from inspect_confidence.answers import (
    REPLY_STATUSES,
    JsonReply,
    OptionProbabilities,
    ParseFailure,
    StatedProbability,
    age_in,
    letter_in,
    probabilities_in,
    probability_in,
    read_json,
    read_probability,
    verdict_in,
)

CHOICES = ["Rome", "Paris", "Oslo", "Bern"]
WHOLE = '{"Reasoning": "So, {x}.", "Answer": "B", "Confidence": 0.75, "Note": "n"}'


def test_missing_keys_are_named() -> None:
    """The reason says which, and where the reply was cut off, if it was."""
    found = read_json('{"Answer": "B"}')
    assert isinstance(found, JsonReply)
    assert probability_in(found) == ParseFailure("invalid_response_format", "no key 'confidence'")
    fields = {"a": 0.7}
    missing = probabilities_in(JsonReply(fields), 2)
    assert missing == ParseFailure("invalid_response_format", "B: no key 'b'")
    cut = probabilities_in(JsonReply(fields, is_cut=True), 2)
    assert isinstance(cut, ParseFailure)
    assert cut.status == "truncated"
    unnamed = probabilities_in(JsonReply(fields, "c", is_cut=True), 1)
    assert isinstance(unnamed, ParseFailure)
    assert unnamed.status == "out_of_range"
    # The reply knows where it was cut off, if it was.
    found = read_json('{"Answer": "B", "Confidence": 0.', truncated=True)
    assert isinstance(found, JsonReply)
    assert (found.unfinished, found.is_cut) == ("confidence", True)
    whole = read_json(WHOLE, truncated=True)
    assert isinstance(whole, JsonReply)
    assert (whole.unfinished, whole.is_cut) == (None, False)


def test_hand_written_forms() -> None:
    """Parts never say something else, large ones are read, and failures are those of plain text."""
    assert read_probability("85") == StatedProbability(0.85)
    assert probability_in(JsonReply({"confidence": 85})) == 0.85
    for reply in PREFIXED:
        # That an unopened thought holds a draft can't be known before the thought's end.
        if not reply.startswith("Or "):
            _check_prefixes(reply)
    for reply in ("{" * 100_000, "[" * 100_000, '{"a":[' * 20_000, '{"answer": "' + "x" * 100_000):
        assert len(_everything(reply, truncated=False)) == 8, reply[:9]


@pytest.mark.parametrize("count", [0, 27])
def test_letters_name_up_to_26_options(count: int) -> None:
    """Another count is a mistake of the caller."""
    with pytest.raises(ValueError, match="options"):
        probabilities_in(JsonReply({}), count)


@settings(max_examples=100)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=26).filter(any))
def test_probabilities_sum_to_1(stated: list[float]) -> None:
    """They do, for any number of options."""
    fields = {chr(ord("a") + index): value for index, value in enumerate(stated)}
    found = probabilities_in(JsonReply(fields), len(stated))
    assert isinstance(found, OptionProbabilities)
    assert abs(sum(found.values) - 1) <= 1e-12
    assert found.raw_sum == pytest.approx(sum(stated))
    assert len(found.values) == len(stated)


SETTINGS = settings(max_examples=150)
TEXT = st.text(st.characters(exclude_categories=[]), max_size=30)


def _shown(value: object, style: str) -> str:
    shown = json.dumps(value, ensure_ascii=style != "'")
    if style == "'" and isinstance(value, str):
        inner = shown[1:-1].replace('\\"', '"').replace("'", "\\'")
        return f"'{inner}'"
    return shown


@st.composite
def _objects(draw: st.DrawFn) -> tuple[str, dict[str, object]]:
    """An object in a style of a model's, and its members."""
    members: dict[str, object] = {
        "Reasoning": draw(TEXT),
        "Answer": draw(st.sampled_from("ABCD")),
        "Confidence": draw(st.floats(0, 1)),
    }
    weights = draw(st.lists(st.integers(0, 1000), min_size=4, max_size=4).filter(any))
    members |= {letter: weight / 1000 for letter, weight in zip("ABCD", weights, strict=True)}
    quote = draw(st.sampled_from("\"'"))
    gap = draw(st.sampled_from([" ", "\n  ", ' // why: "Answer"\n', " /* 0.5, */ ", "\t# so\n"]))
    order = draw(st.permutations(list(members)))
    pairs = [f"{_shown(key, quote)}: {_shown(members[key], quote)}" for key in order]
    body = ("," + gap).join(pairs) + draw(st.sampled_from(["", ",", gap, "," + gap]))
    before = draw(st.sampled_from(["", "Sure! Here:\n", "```json\n", "<think>{A: 1}</think>", "["]))
    after = draw(st.sampled_from(["", "\n```", "\nThat is {all}.", "]", '\n{"note": 1}']))
    return before + "{" + gap + body + "}" + after, members


@SETTINGS
@given(_objects(), st.booleans())
def test_what_was_written_is_read(written: tuple[str, dict[str, object]], truncated: bool) -> None:
    """Strict JSON in wraps and styles comes back exactly."""
    reply, members = written
    found = read_json(reply, truncated=truncated)
    assert isinstance(found, JsonReply)
    assert letter_in(found, CHOICES) == "ABCD".index(str(members["Answer"]))
    assert probability_in(found) == members["Confidence"]
    shares = [Fraction(str(members[letter])) for letter in "ABCD"]
    assert probabilities_in(found, 4) == OptionProbabilities(
        tuple(float(share / sum(shares)) for share in shares), float(sum(shares))
    )


def _everything(reply: str, *, truncated: bool) -> list[object]:
    found = read_json(reply, truncated=truncated)
    if isinstance(found, ParseFailure):
        return [found] * 8
    return [
        letter_in(found, CHOICES),
        age_in(found),
        verdict_in(found),
        *(probability_in(found, key) for key in ("confidence", "A", "B", "zz")),
        probabilities_in(found, 4),
    ]


PREFIXED = [
    WHOLE,
    *(str(case["reply"]) for case in cases("json") if "truncated" not in case),
    '{"Answer": "78 years", "Confidence": 0.75}',
    '{"Answer": true, "Confidence": 95%, "A": 12.5, "B": 12.5, "C": 75, "D": 0}',
    '{"Answer": 178, "Confidence": 1.0e-1, "A": "10%", "B": 0.1, "C": "8/10", "D": 0}',
]


@settings(max_examples=10)
@given(_objects())
def test_a_part_of_any_reply_says_nothing_else(
    written: tuple[str, dict[str, object]],
) -> None:
    """It holds for written objects."""
    _check_prefixes(written[0])


@settings(max_examples=150)
@given(
    st.lists(
        st.sampled_from(
            [
                "{",
                "}",
                '"',
                '"Answer": ',
                '"Confidence": ',
                '"B"',
                "0.7",
                ", ",
                "x",
                "\n",
                "7",
                "A:",
            ]
        ),
        max_size=14,
    )
)
@example(['{"Answer": ', '"B"', ', or "C"}'])
@example(["7", '"Answer": ', "0.7"])
def test_a_part_of_a_broken_reply_never_says_something_else(parts: list[str]) -> None:
    """It holds for what is hardly an object, if no later statement may replace an earlier one."""
    once = [part for at, part in enumerate(parts) if ":" not in part or part not in parts[:at]]
    _check_prefixes("".join(once))


def _check_prefixes(reply: str) -> None:
    """Where the whole reply has a value, a part has the same or none."""
    # Where the whole reply is ambiguous, what makes it so may have been cut off.
    whole = _everything(reply, truncated=False)
    for end in range(len(reply) + 1):
        for part, full in zip(_everything(reply[:end], truncated=True), whole, strict=True):
            unknown = isinstance(part, ParseFailure) or isinstance(full, ParseFailure)
            assert unknown or part == full, reply[:end]


@settings(max_examples=300)
@given(
    st.one_of(
        TEXT,
        st.lists(st.sampled_from([*"{}[]\":,'“”\\/*#\n", *PREFIXED, "answer", "\ud800", "\0"])).map(
            "".join
        ),
    ),
    st.booleans(),
)
@example('{"Answer": "\ud800", "A": "\0"}', False)
@example('{"Answer": ' + "9" * 5000 + "}", False)
@example('{"Answer": 1e99999, "Confidence": -1e-99999}', False)
def test_no_text_raises(reply: str, truncated: bool) -> None:
    """Any text gives values or known statuses, and probabilities sum to 1."""
    for found in _everything(reply, truncated=truncated):
        assert not isinstance(found, ParseFailure) or found.status in REPLY_STATUSES
        if isinstance(found, OptionProbabilities):
            assert abs(sum(found.values) - 1) <= 1e-12
            assert found.raw_sum > 0
