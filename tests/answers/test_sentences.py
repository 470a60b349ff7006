"""Sentences of replies, as a reader would tell them apart."""

from __future__ import annotations

import re
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from inspect_confidence.answers.sentences import split_sentences

fixed = settings(derandomize=True, max_examples=100)


def test_each_item_of_a_list_is_a_sentence_without_its_bullet() -> None:
    """With or without a full stop, their bullets left out, but for stars of bold text."""
    # They belong to what follows them, if to anything.
    for items in (["Maybe Paris.", "Maybe Lyon."], ["Maybe Paris.", "Maybe Lyon.", "Maybe Nice."]):
        text = " ".join(f"{place}. {item}" for place, item in enumerate(items, 1))
        sentences = split_sentences(text)
        assert len(sentences) == len(items), text
        assert all(
            sentence.endswith(item) for sentence, item in zip(sentences, items, strict=True)
        ), text
    for bullets, end in product(BULLETS, ("", ".")):
        items = ["Perhaps Paris" + end, "It may be 3.5 kg" + end, "Lyon, I think" + end]
        text = "\n".join(bullet + item for bullet, item in zip(bullets, items, strict=True))
        assert split_sentences(text) == items
        assert split_sentences("It may be one of:\n\n" + text) == ["It may be one of:", *items]
    # Each is split in turn.
    text = "1. Perhaps Paris. I think so.\n2. **Lyon**: maybe.\n   It is smaller.\n3. 也许。不。"
    assert split_sentences(text) == [
        "Perhaps Paris.",
        "I think so.",
        "**Lyon**: maybe.",
        "It is smaller.",
        "也许。",
        "不。",
    ]
    # Stars of bold text are no bullet.
    assert split_sentences("**Perhaps** Paris\n* **Lyon** maybe") == [
        "**Perhaps** Paris",
        "**Lyon** maybe",
    ]


# Lists and paragraphs


BULLETS = [
    ("1. ", "2. ", "3. "),
    ("1) ", "2) ", "3) "),
    ("(1) ", "(2) ", "(3) "),
    ("9. ", "10. ", "11. "),
    ("a. ", "b. ", "c. "),
    ("a) ", "b) ", "c) "),
    ("(a) ", "(b) ", "(c) "),
    ("A. ", "B. ", "C. "),
    *((sign, sign, sign) for sign in ("- ", "* ", "• ", "– ")),  # noqa: RUF001 # as lists have it
    ("  - ", "\t* ", "   1. "),
]


def test_the_end_of_a_line_ends_a_sentence_and_200_stay_in_order() -> None:
    """A line's end is a sentence's end; two hundred stay in order."""
    for gap in ("\n", "\n\n", "\r\n", "\n \n\t\n", "\n---\n", "\n***\n"):
        sentences = split_sentences(f"It may be Paris{gap}I think so. Perhaps.{gap}")
        assert sentences == ["It may be Paris", "I think so.", "Perhaps."], gap
    for sentence in (
        "It is probably number {}.",
        "Dr. Lee has about {}.5 kg!",
        "可能是{}。",
        "Is it {}?",
    ):
        expected = list(map(sentence.format, range(200)))
        for glue in (" ", "\n", "\n\n"):
            assert split_sentences(glue.join(expected)) == expected, glue


SIGNS = 'ab I.!?…。！()"“”*_-1 2\n中文 Dr'  # noqa: RUF001 # full-width, as Chinese has it
texts = st.text(st.sampled_from(SIGNS) | st.characters(), max_size=60)


@fixed
@given(texts)
def test_sentences_of_any_text_are_its_parts_in_order(text: str) -> None:
    """Never raises; sentences are stripped, hold a word, and are part of the text in order."""
    place = 0
    for sentence in split_sentences(text):
        assert sentence == sentence.strip()
        assert re.search(r"\w", sentence)
        start = text.find(sentence, place)
        assert start >= 0
        place = start + len(sentence)


@fixed
@given(
    st.lists(
        st.sampled_from(
            ["It may be Paris.", "Is it 3.5 kg?", "Dr. Lee is certain!", "Perhaps not.", "Yes."]
        ),
        max_size=12,
    ),
    st.sampled_from([" ", "  ", "\n"]),
)
def test_whole_sentences_are_split_where_they_were_joined(parts: list[str], glue: str) -> None:
    """Whatever their number and what stands between them."""
    assert split_sentences(glue.join(parts)) == parts


def test_half_a_pair_of_surrogates_is_kept() -> None:
    """No encoding has it, and it parts no word."""
    for half in ("\ud800", "\udfff"):
        assert split_sentences(f"I think{half} so. Maybe not.") == [
            f"I think{half} so.",
            "Maybe not.",
        ]
