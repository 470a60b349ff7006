"""Tests of the reader of objects, and of the values in them."""

import json
from fractions import Fraction
from itertools import count

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


def test_a_missing_key_is_named_and_truncated_if_the_reply_was_cut() -> None:
    """The reason says which, and where the reply was cut off, if it was."""
    parsed = read_json('{"Answer": "B"}')
    assert isinstance(parsed, JsonReply)
    assert probability_in(parsed) == ParseFailure("invalid_response_format", "no key 'confidence'")
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
    parsed = read_json('{"Answer": "B", "Confidence": 0.', truncated=True)
    assert isinstance(parsed, JsonReply)
    assert (parsed.unfinished, parsed.is_cut) == ("confidence", True)
    whole = read_json(WHOLE, truncated=True)
    assert isinstance(whole, JsonReply)
    assert (whole.unfinished, whole.is_cut) == (None, False)


def test_a_prefix_of_a_reply_never_gives_another_value() -> None:
    """Parts never say something else, large ones are read, and failures are those of plain text."""
    assert read_probability("85") == StatedProbability(0.85)
    assert probability_in(JsonReply({"confidence": 85})) == 0.85
    for reply in PREFIXED:
        # That an unopened thought holds a draft can't be known before the thought's end.
        if not reply.startswith("Or "):
            _check_prefixes(reply)
    for reply in ("{" * 100_000, "[" * 100_000, '{"a":[' * 20_000, '{"answer": "' + "x" * 100_000):
        assert len(_all_values(reply, truncated=False)) == 8, reply[:9]


@pytest.mark.parametrize("count", [0, 27])
def test_0_or_27_options_are_a_value_error(count: int) -> None:
    """Another count is a mistake of the caller."""
    with pytest.raises(ValueError, match="options"):
        probabilities_in(JsonReply({}), count)


@settings(max_examples=100)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=26).filter(any))
def test_normalised_probabilities_of_any_number_of_options_sum_to_1(shares: list[float]) -> None:
    """They do, for any number of options."""
    fields = dict(zip(map(chr, count(ord("a"))), shares, strict=False))
    normalised = probabilities_in(JsonReply(fields), len(shares))
    assert isinstance(normalised, OptionProbabilities)
    assert abs(sum(normalised.values) - 1) <= 1e-12
    assert normalised.raw_sum == pytest.approx(sum(shares))
    assert len(normalised.values) == len(shares)


SETTINGS = settings(max_examples=150)
TEXT = st.text(st.characters(exclude_categories=[]), max_size=30)


def _spelled(value: object, style: str) -> str:
    text = json.dumps(value, ensure_ascii=style != "'")
    if style == "'" and isinstance(value, str):
        inner = text[1:-1].replace('\\"', '"').replace("'", "\\'")
        return f"'{inner}'"
    return text


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
    pairs = [f"{_spelled(key, quote)}: {_spelled(members[key], quote)}" for key in order]
    body = ("," + gap).join(pairs) + draw(st.sampled_from(["", ",", gap, "," + gap]))
    before = draw(st.sampled_from(["", "Sure! Here:\n", "```json\n", "<think>{A: 1}</think>", "["]))
    after = draw(st.sampled_from(["", "\n```", "\nThat is {all}.", "]", '\n{"note": 1}']))
    return before + "{" + gap + body + "}" + after, members


@SETTINGS
@given(_objects(), st.booleans())
def test_an_object_in_any_style_is_read_exactly(
    drawn_object: tuple[str, dict[str, object]], truncated: bool
) -> None:
    """Strict JSON in wraps and styles comes back exactly."""
    reply, members = drawn_object
    parsed = read_json(reply, truncated=truncated)
    assert isinstance(parsed, JsonReply)
    assert letter_in(parsed, CHOICES) == "ABCD".index(str(members["Answer"]))
    assert probability_in(parsed) == members["Confidence"]
    shares = [Fraction(str(members[letter])) for letter in "ABCD"]
    assert probabilities_in(parsed, 4) == OptionProbabilities(
        tuple(float(share / sum(shares)) for share in shares), float(sum(shares))
    )


def _all_values(reply: str, *, truncated: bool) -> list[object]:
    parsed = read_json(reply, truncated=truncated)
    if isinstance(parsed, ParseFailure):
        return [parsed] * 8
    return [
        letter_in(parsed, CHOICES),
        age_in(parsed),
        verdict_in(parsed),
        *(probability_in(parsed, key) for key in ("confidence", "A", "B", "zz")),
        probabilities_in(parsed, 4),
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
def test_a_prefix_of_any_object_never_gives_another_value(
    drawn_object: tuple[str, dict[str, object]],
) -> None:
    """It holds for written objects."""
    _check_prefixes(drawn_object[0])


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
def test_a_prefix_of_a_broken_object_never_gives_another_value(parts: list[str]) -> None:
    """It holds for what is hardly an object, if no later statement may replace an earlier one."""
    once = [
        part
        for position, part in enumerate(parts)
        if ":" not in part or part not in parts[:position]
    ]
    _check_prefixes("".join(once))


def _check_prefixes(reply: str) -> None:
    """Where the whole reply has a value, a part has the same or none."""
    # Where the whole reply is ambiguous, what makes it so may have been cut off.
    whole = _all_values(reply, truncated=False)
    for end in range(len(reply) + 1):
        for part, full in zip(_all_values(reply[:end], truncated=True), whole, strict=True):
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
def test_any_text_gives_values_or_reply_statuses(reply: str, truncated: bool) -> None:
    """Any text gives values or known statuses, and probabilities sum to 1."""
    for value in _all_values(reply, truncated=truncated):
        assert not isinstance(value, ParseFailure) or value.status in REPLY_STATUSES
        if isinstance(value, OptionProbabilities):
            assert abs(sum(value.values) - 1) <= 1e-12
            assert value.raw_sum > 0
