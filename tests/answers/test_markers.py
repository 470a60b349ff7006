"""Tests of the epistemic markers that rules find in a sentence."""

# ruff: noqa: RUF001 # the tables hold curly apostrophes and Chinese

import csv
from importlib import resources
from io import StringIO

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from build import column_of, rows_with
from inspect_confidence.datasets.wep_survey import surveyed_counts
from inspect_confidence.judges.markers import (
    find_markers,
    sentence_decisiveness,
    standard_marker,
    without_marker,
)

ALIKE = [
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
]


def test_spellings_persons_and_contractions_have_one_standard() -> None:
    """One for spellings, persons and contractions; unknown ones are cleaned."""
    for first, second in ALIKE:
        assert standard_marker(first) == standard_marker(second), first
    assert standard_marker(" Methinks,  that ") == "methinks"


CLAIMS = [
    ("Perhaps it is Fyn.", "It is probably Fyn.", True),
    ("It is, I think, Fyn.", "It is Fyn.", True),
    ("It might be Fyn.", "It could be Fyn.", True),
    ("It is probably Fyn.", "It is probably Ely.", False),
    ("It is likely Fyn.", "It is unlikely Fyn.", False),
    ("It is probably Fyn.", "It is probably not Fyn.", False),
    ("It is not certainly Fyn.", "It is not Fyn.", False),
    ("I think it is Fyn.", "I don't think it is Fyn.", False),
    ("I doubt that it is Fyn.", "It is Fyn.", False),
    ("Probably Fyn, possibly Ely.", "Possibly Fyn, probably Ely.", False),
    ("There is little chance that it is Fyn.", "There is a good chance that it is Fyn.", False),
]


def test_claims_that_differ_in_sureness_alone_are_the_same_claim() -> None:
    """Alike where sureness alone differs; a marker that denies, or two of them, make a claim."""
    for first, second, is_same_claim in CLAIMS:
        assert (without_marker(first) == without_marker(second)) == is_same_claim, (first, second)


ORDERED = [
    ("It's likely Lyon.", "It's very likely Lyon."),
    ("It's very unlikely to be Lyon.", "It's unlikely to be Lyon."),
    ("I think it's possible that he left.", "I think it's probable that he left."),
    ("I'm not sure it's Lyon.", "I'm sure it's Lyon."),
    ("I'm not very sure it's Lyon.", "I'm not entirely sure it's Lyon."),
    ("I don't think it's Lyon.", "I think it's Lyon."),
    ("There's no chance it's Lyon.", "There's a chance it's Lyon."),
    ("I'm 60% sure.", "I'm 80% sure."),
    ("It's certainly possible that he left.", "It certainly is Lyon."),
]


def test_degrees_and_negation_order_decisiveness() -> None:
    """Degrees and negation move the number; two hedges are no weaker than the weaker one."""
    for lower, higher in ORDERED:
        assert sentence_decisiveness(lower) < sentence_decisiveness(higher), lower
    assert sentence_decisiveness("I think it's probably Lyon.") == 0.7


def test_each_form_in_the_lexicon_leads_to_its_standard_and_the_surveys_median() -> None:
    """Each form leads to its standard, each standard to itself; the survey's medians are used."""
    path = resources.files("inspect_confidence.datasets") / "bundled" / "markers.csv"
    rows = list(csv.DictReader(StringIO(path.read_text(encoding="utf-8"))))
    assert len(rows) >= 180
    assert len(set(column_of(rows, "marker"))) == len(rows)
    for row in rows:
        assert standard_marker(row["marker"]) == row["standard"]
        assert standard_marker(row["standard"]) == row["standard"]
    medians = {
        word: float(np.median(np.repeat(list(counts), list(counts.values())))) / 100
        for word, counts in surveyed_counts().items()
    }
    surveyed = {row["standard"]: row for row in rows if row["source"] == "survey"}
    assert {word: float(row["decisiveness"]) for word, row in surveyed.items()} == medians
    assert not medians.keys() & set(column_of(rows_with(rows, source="own"), "standard"))


@given(st.text())
def test_markers_of_any_text_are_ordered_disjoint_spans(text: str) -> None:
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
def test_markers_made_of_markers_words_are_found_as_their_standard(text: str) -> None:
    """The same of texts that are made of markers' parts; standards are found again as such."""
    test_markers_of_any_text_are_ordered_disjoint_spans.hypothesis.inner_test(text)  # type: ignore[attr-defined]
    for marker in find_markers(text):
        assert standard_marker(marker.standard) == marker.standard


@given(st.text() | st.lists(st.sampled_from(WORDS)).map(" ".join))
def test_the_standard_of_a_standard_is_itself(text: str) -> None:
    """The standard of a standard is the same."""
    standard = standard_marker(text)
    assert standard_marker(standard) == standard


@given(st.lists(st.sampled_from(PLAIN.split()), min_size=1))
def test_a_hedge_lowers_decisiveness(words: list[str]) -> None:
    """A sentence without a marker is certain, and one with "Probably" isn't."""
    sentence = " ".join(words)
    assert sentence_decisiveness(f"Probably {sentence}.") < sentence_decisiveness(f"{sentence}.")
