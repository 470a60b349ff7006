"""The items that a judge of hedging is validated on: balanced, distinct, true to the survey."""

from __future__ import annotations

import re
from collections import Counter
from importlib import resources
from io import StringIO
from typing import Any

import pandas as pd
import pytest

from build import column_of, map_values, parse_jsonl, rows_with

Record = dict[str, Any]

FOLDER = resources.files("inspect_confidence.datasets") / "bundled"
KEYS = {
    "sentence": ["id", "sentence", "markers", "decisiveness", "word"],
    "pair": ["id", "question", "sentence", "reply", "label"],
    "answer": ["id", "question", "answers", "reply", "label"],
}
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def lines(stem: str) -> list[Record]:
    """The records of the file whose ids begin with `stem`."""
    text = (FOLDER / f"judge_{stem}s.jsonl").read_text(encoding="utf-8")
    return parse_jsonl(text)


RECORDS = {stem: lines(stem) for stem in KEYS}
SENTENCES, PAIRS, ANSWERS = RECORDS["sentence"], RECORDS["pair"], RECORDS["answer"]
TABLES = map_values(pd.DataFrame, RECORDS)
SURVEY = pd.read_csv(StringIO((FOLDER / "wep_survey.csv").read_text(encoding="utf-8")))


def plain(text: str) -> str:
    """A text in small letters, with straight apostrophes."""
    return text.replace("\u2019", "'").casefold()


def folded(*texts: str) -> str:
    """Texts by their letters and digits alone."""
    return " | ".join(" ".join(re.findall(r"\w+", plain(text))) for text in texts)


def place(phrase: str, text: str) -> tuple[int, int] | None:
    """Where a phrase stands in a text, not inside a Latin word; None where it doesn't."""
    match = re.search(rf"(?<![a-z]){re.escape(plain(phrase))}(?![a-z])", plain(text))
    return match.span() if match else None


def folded_columns(stem: str, *columns: str) -> pd.Series[str]:
    """The texts of these columns by their letters and digits alone, a row a text."""
    return TABLES[stem][list(columns)].apply(lambda texts: folded(*texts), axis=1)


def medians() -> dict[str, float]:
    """By word: the median of what the survey's people say, in percent."""
    values = SURVEY.loc[SURVEY.index.repeat(SURVEY["people"])]
    return dict(values.groupby("word")["value"].median())


MEDIANS = medians()

# All three files


def test_records_are_numbered_and_labels_are_equally_frequent() -> None:
    """Ids are the stem and a number from 1 on, without a gap; keys stand in the order given."""
    # No text is empty or has blanks at its ends; each label is there as often as the others.
    for stem, count, labels in [
        ("sentence", 132, []),
        ("pair", 126, ["yes", "no", "n/a"]),
        ("answer", 63, ["correct", "incorrect", "punt"]),
    ]:
        records = RECORDS[stem]
        numbered = [f"{stem}-{n:03d}" for n in range(1, count + 1)]
        assert column_of(records, "id") == numbered
        for record in records:
            assert list(record) == KEYS[stem], record["id"]
            for key in {"question", "sentence", "reply"} & set(record):
                assert record[key], record["id"]
                assert record[key] == record[key].strip(), record["id"]
            assert record.get("question", "?")[-1] in "?\uff1f", record["id"]
        if labels:
            label_counts = TABLES[stem]["label"].value_counts()
            assert label_counts.to_dict() == dict.fromkeys(labels, count // 3)


def test_sentences_are_distinct_and_have_0_to_2_markers() -> None:
    """Without a marker, with traps among them, with two, and in Chinese; none is there twice."""
    assert folded_columns("sentence", "sentence").is_unique
    assert folded_columns("pair", "question", "sentence").is_unique
    assert folded_columns("pair", "question", "reply").is_unique
    assert folded_columns("answer", "question").is_unique
    of_pairs = set(folded_columns("pair", "sentence"))
    assert of_pairs.isdisjoint(folded_columns("sentence", "sentence"))
    sentences = TABLES["sentence"]["sentence"]
    counts = TABLES["sentence"]["markers"].map(len)
    assert counts.value_counts().to_dict() == {0: 25, 1: 92, 2: 15}
    is_chinese = sentences.map(CHINESE.search).notna()
    assert is_chinese.sum() >= 5
    assert set(counts[is_chinese]) == {0, 1, 2}
    unmarked = sentences[counts == 0]
    for word in (
        *("may", "will", "might", "sure", "certain", "likely", "maybe", "probable", "possible"),
        *("cannot possibly", "think", "believed", "doubt", "guess", "chance", "appears", "一定"),
    ):
        assert any(place(word, sentence) for sentence in unmarked), word


# Sentences


def test_markers_stand_in_their_sentence_in_order_as_whole_words() -> None:
    """As whole words, in order, whatever the case; decisiveness is a share."""
    for record in SENTENCES:
        end = 0
        for marker in record["markers"]:
            assert marker == marker.casefold().strip(), record
            span = place(marker, record["sentence"])
            assert span is not None, marker
            assert span[0] >= end, marker
            end = span[1]
    assert place("i'm not sure", "Well, I\u2019m not sure.") == (6, 18)
    assert place("i\u2019m not sure", "I'm not sure.") == (0, 12)
    assert place("likely", "It is unlikely.") is None
    assert place("可能", "这座塔可能建于明代。") == (3, 5)
    for record in SENTENCES:
        assert isinstance(record["decisiveness"], float), record["id"]
        assert 0 <= record["decisiveness"] <= 1, record["id"]
        assert record["decisiveness"] == round(record["decisiveness"], 2), record["id"]
        assert record["markers"] or record["decisiveness"] == 1, record["id"]


def test_medians_halve_the_people() -> None:
    """Of each of 17 words, at most half of the people gave less, at most half more."""
    assert len(MEDIANS) == 17
    median = SURVEY["word"].map(MEDIANS)
    for is_beyond in (SURVEY["value"] < median, SURVEY["value"] > median):
        people = SURVEY[is_beyond].groupby("word")["people"].sum()
        assert people.max() <= 123 / 2


def test_survey_words_have_the_survey_s_median() -> None:
    """Each surveyed word is some sentence's only marker twice or more, rated as people rate it."""
    # A sentence whose only marker is a surveyed word names it; no other sentence names a word.
    for word in MEDIANS:
        chosen = rows_with(SENTENCES, word=word)
        assert len(chosen) >= 2, word
        for record in chosen:
            assert record["markers"] in ([word], [f"it is {word}"]), record["id"]
            assert record["decisiveness"] == pytest.approx(MEDIANS[word] / 100, abs=1e-9), record[
                "id"
            ]
    for record in SENTENCES:
        (marker,) = record["markers"] if len(record["markers"]) == 1 else ("",)
        word = marker.removeprefix("it is ")
        assert record["word"] == (word if word in MEDIANS else None), record["id"]


def test_accepted_answers_are_distinct_and_absent_from_punts() -> None:
    """Distinct texts, none in a punt, but in incorrect replies; questions don't tell the label."""
    labels = TABLES["pair"].groupby("question")["label"].agg(list).map(sorted).map(tuple)
    assert set(labels) == {("n/a", "no", "yes")}
    counts = Counter[str]()
    for record in ANSWERS:
        assert record["answers"], record["id"]
        assert record["answers"] == list(map(str.strip, record["answers"])), record["id"]
        assert "" not in record["answers"], record["id"]
        assert len(set(map(folded, record["answers"]))) == len(record["answers"]), record["id"]
        is_named = any(place(answer, record["reply"]) for answer in record["answers"])
        counts[record["label"]] += is_named
        assert record["label"] != "punt" or not is_named, record["id"]
    assert counts["incorrect"] >= 5
    assert counts["correct"] < 21
