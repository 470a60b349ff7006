"""Tests of the epistemic markers that rules find in a sentence."""

# ruff: noqa: RUF001 # the tables hold curly apostrophes and Chinese

import csv
import time
from importlib import resources
from io import StringIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_confidence.answers.markers import find_markers, sentence_decisiveness, standard_marker
from inspect_confidence.datasets.wep_survey import surveyed_counts

FOUND = [
    ("It's probably Paris.", ["probably"]),
    ("It's likely that he left.", ["likely"]),
    ("It is highly unlikely that he won.", ["highly unlikely"]),
    ("Almost certainly Paris.", ["almost certain"]),
    ("I think it is likely, but I'm not sure.", ["i think", "likely", "not sure"]),
    ("I’m fairly confident it’s B.", ["fairly confident"]),
    ("I'm not 100% sure.", ["not entirely sure"]),
    ("Not entirely certain, but maybe 1912.", ["not entirely sure", "maybe"]),
    ("It isn't likely to be Lyon.", ["not likely"]),
    ("I can't be sure.", ["not sure"]),
    ("I really don't think it's Lyon.", ["i do not think"]),
    ("We doubt that he left.", ["we doubt"]),
    ("I firmly believe it was him.", ["i strongly believe"]),
    ("We believe it to be Paris.", ["we believe"]),
    ("I'd hazard a guess that it's B.", ["i guess"]),
    ("There's no chance it's Lyon.", ["no chance"]),
    ("There is a very good chance that it's Lyon.", ["very good chance"]),
    ("The chances of rain are slight.", ["chances are slight"]),
    ("The odds are about even.", ["about even"]),
    ("It's probably not Lyon.", ["probably not"]),
    ("They probably won't come.", ["probably not"]),
    ("I'm 90% sure it's Paris.", ["90% sure"]),
    ("He might not have known.", ["may not"]),
    ("That could very well be Lyon.", ["may well"]),
    ("He must have been French.", ["must be"]),
    ("The book may or may not be his.", ["may or may not"]),
    ("To the best of my knowledge, it's Paris.", ["as far as i know"]),
    ("If memory serves, it was 1912.", ["if i remember correctly"]),
    ("I could be wrong, but it's 5.", ["i could be wrong"]),
    ("Without a doubt, it's Paris.", ["undoubtedly"]),
    ("It seems to be Lyon.", ["it seems"]),
    ("It is widely believed to be older.", ["is believed"]),
    ("It's hard to say for sure.", ["hard to say"]),
    ('"I think it\'s Paris."', ["i think"]),
    ('"It may be B," he said, but it\'s certainly C.', ["certainly"]),
    ("可能是巴黎。我不确定。", ["可能", "不确定"]),
]

NONE = """It's Paris.
It was built in May 1990.
May is the fifth month.
You may use it at home.
Antibiotics may be used against it.
Make sure that it is closed.
Certain plants are poisonous.
There are certain plants in it.
Only to a certain extent.
I can think of three.
I think of home.
I believe in ghosts.
John Likely wrote it.
She lives in Likely, California.
They had probable cause.
It will rain.
He could not swim.
Peat could be used as a fuel.
The Romans believed that the Earth was probably flat.
Scientists are fairly certain that it expands.
He was quite sure of it.
She said she might come.
He said "I think it's Paris".
"Maybe" is a song.
The album Definitely Maybe is by Oasis.
Come as soon as possible.
It is possible to see it from there.
Men are more likely to be colour-blind than women.
The 95% confidence interval is wide.
The army's might was great.
You might think it's Sydney, but it's Canberra.
Reportedly, he left.
Speak clearly.
Sure! The answer is 4.
Suppose x is prime.
方程有一定的可能性。""".splitlines()


@pytest.mark.parametrize(("sentence", "standards"), FOUND)
def test_markers_and_their_standards(sentence: str, standards: list[str]) -> None:
    """Modifiers, negation, contractions and apostrophes are read."""
    assert [marker.standard for marker in find_markers(sentence)] == standards


@pytest.mark.parametrize("sentence", NONE)
def test_no_markers(sentence: str) -> None:
    """Names, abilities, permissions, facts about chances and what others say are none."""
    assert find_markers(sentence) == []
    assert sentence_decisiveness(sentence) == 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("it's likely", "It is likely that"),
        ("I'd guess", "my guess is"),
        ("I'm not certain", "unsure"),
        ("I’m pretty sure", "we are fairly certain"),
        ("virtually certain", "almost certainly"),
        ("there is a very good chance that", "very good chance"),
        ("I really think", "I think"),
        ("isn't likely", "not likely"),
        ("might be", "might"),
        ("I can't say for sure", "I'm not sure"),
        ("chances are slim", "slight chance"),
        ("about 90 percent sure", "90% certain"),
    ],
)
def test_standards_of_a_judges_markers(one: str, other: str) -> None:
    """Forms that differ in spelling, person or contraction have one standard."""
    assert standard_marker(one) == standard_marker(other)


def test_markers_that_are_not_known_are_cleaned() -> None:
    """Another judge's finds stay apart, in one spelling."""
    assert standard_marker(" Methinks,  that ") == "methinks"


@pytest.mark.parametrize(
    ("lower", "higher"),
    [
        ("It's likely Lyon.", "It's very likely Lyon."),
        ("It's very unlikely to be Lyon.", "It's unlikely to be Lyon."),
        ("I think it's possible that he left.", "I think it's probable that he left."),
        ("I'm not sure it's Lyon.", "I'm sure it's Lyon."),
        ("I'm not very sure it's Lyon.", "I'm not entirely sure it's Lyon."),
        ("I don't think it's Lyon.", "I think it's Lyon."),
        ("There's no chance it's Lyon.", "There's a chance it's Lyon."),
        ("I'm 60% sure.", "I'm 80% sure."),
        ("It's certainly possible that he left.", "It certainly is Lyon."),
    ],
)
def test_order_of_decisiveness(lower: str, higher: str) -> None:
    """Degrees and negation move the number the right way."""
    assert sentence_decisiveness(lower) < sentence_decisiveness(higher)


def test_the_least_decisive_marker_counts() -> None:
    """Two hedges that agree are no weaker than the weaker one."""
    assert sentence_decisiveness("I think it's probably Lyon.") == 0.7


def test_the_lexicon() -> None:
    """Each form leads to its standard, each standard to itself; the survey's medians are used."""
    path = resources.files("inspect_confidence.datasets") / "bundled" / "markers.csv"
    rows = list(csv.DictReader(StringIO(path.read_text(encoding="utf-8"))))
    assert len(rows) >= 180
    assert len({row["marker"] for row in rows}) == len(rows)
    for row in rows:
        assert standard_marker(row["marker"]) == row["standard"]
        assert standard_marker(row["standard"]) == row["standard"]
    medians = {
        word: float(np.median(np.repeat(list(counts), list(counts.values())))) / 100
        for word, counts in surveyed_counts().items()
    }
    surveyed = {row["standard"]: row for row in rows if row["source"] == "survey"}
    assert {word: float(row["decisiveness"]) for word, row in surveyed.items()} == medians
    assert not medians.keys() & {row["standard"] for row in rows if row["source"] == "own"}


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    """Spans are inside, in order, apart, and hold the marker's text."""
    last = 0
    for marker in find_markers(text):
        assert last <= marker.start < marker.end <= len(text)
        assert text[marker.start : marker.end].lower() == marker.text
        assert 0 <= marker.decisiveness <= 1
        last = marker.end


PARTS = (
    "I we it is not very quite may might Might could be likely certain sure chance a there "
    "think 90% possible to that , . \" “ don't can't probably he said you 可能 entirely no "
    "almost must have seems ' if so at all of 's well - ’m"
)
WORDS = PARTS.split()
PLAIN = "Paris is the capital of France and 5 km long"


@given(st.lists(st.sampled_from(WORDS)).map(" ".join))
def test_any_words_of_markers_are_read(text: str) -> None:
    """The same of texts that are made of markers' parts; standards are found again as such."""
    test_any_text_is_read.hypothesis.inner_test(text)  # type: ignore[attr-defined]
    for marker in find_markers(text):
        assert standard_marker(marker.standard) == marker.standard


@given(st.text() | st.lists(st.sampled_from(WORDS)).map(" ".join))
def test_standards_stand_for_themselves(text: str) -> None:
    """The standard of a standard is the same."""
    standard = standard_marker(text)
    assert standard_marker(standard) == standard


@given(st.lists(st.sampled_from(PLAIN.split()), min_size=1))
def test_a_hedge_lowers_decisiveness(words: list[str]) -> None:
    """A sentence without a marker is certain, and one with "Probably" isn't."""
    sentence = " ".join(words)
    assert sentence_decisiveness(f"Probably {sentence}.") < sentence_decisiveness(f"{sentence}.")


@pytest.mark.parametrize(
    "part",
    [
        "I think it may be ",
        "“",
        "very ",
        "not very ",
        "chances of ",
        "i do not ",
        "said that ",
        "a",
    ],
)
def test_long_sentences_take_no_time(part: str) -> None:
    """No pattern runs away."""
    sentence = (part * 10_000)[:10_000]
    find_markers("once")
    begun = time.perf_counter()
    find_markers(sentence)
    standard_marker(sentence)
    assert time.perf_counter() - begun < 0.5
