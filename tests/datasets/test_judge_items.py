"""The items that a judge of hedging is validated on: balanced, distinct, true to the survey."""

from __future__ import annotations

import csv
import json
import re
import statistics
from collections import Counter
from importlib import resources
from io import StringIO
from typing import Any

import pytest

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
    return [json.loads(line) for line in text.splitlines()]


RECORDS = {stem: lines(stem) for stem in KEYS}
SENTENCES, PAIRS, ANSWERS = RECORDS["sentence"], RECORDS["pair"], RECORDS["answer"]


def plain(text: str) -> str:
    """A text in small letters, with straight apostrophes."""
    return text.replace("\u2019", "'").casefold()


def folded(*texts: str) -> str:
    """Texts by their letters and digits alone."""
    return " | ".join(" ".join(re.findall(r"\w+", plain(text))) for text in texts)


def place(phrase: str, text: str) -> tuple[int, int] | None:
    """Where a phrase stands in a text, not inside a Latin word; None where it doesn't."""
    found = re.search(rf"(?<![a-z]){re.escape(plain(phrase))}(?![a-z])", plain(text))
    return found.span() if found else None


def repeated(texts: list[str]) -> list[str]:
    """The texts that are there more than once."""
    return [text for text, count in Counter(texts).items() if count > 1]


def medians() -> dict[str, float]:
    """By word: the median of what the survey's people say, in percent."""
    values: dict[str, list[float]] = {}
    text = (FOLDER / "wep_survey.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(StringIO(text)):
        values.setdefault(row["word"], []).extend([float(row["value"])] * int(row["people"]))
    return {word: statistics.median(given) for word, given in values.items()}


MEDIANS = medians()

# All three files


def test_records_are_counted_and_numbered() -> None:
    """Ids are the stem and a number from 1 on, without a gap; keys stand in the order given."""
    # No text is empty or has blanks at its ends; each label is there as often as the others.
    for stem, count, labels in [
        ("sentence", 132, []),
        ("pair", 126, ["yes", "no", "n/a"]),
        ("answer", 63, ["correct", "incorrect", "punt"]),
    ]:
        records = RECORDS[stem]
        numbered = [f"{stem}-{n:03d}" for n in range(1, count + 1)]
        assert [record["id"] for record in records] == numbered
        for record in records:
            assert list(record) == KEYS[stem], record["id"]
            for key in {"question", "sentence", "reply"} & set(record):
                assert record[key], record["id"]
                assert record[key] == record[key].strip(), record["id"]
            assert record.get("question", "?")[-1] in "?\uff1f", record["id"]
        found = Counter(record["label"] for record in records if labels)
        assert found == dict.fromkeys(labels, count // 3)


def test_sentences_of_each_kind() -> None:
    """Without a marker, with traps among them, with two, and in Chinese; none is there twice."""
    assert not repeated([folded(one["sentence"]) for one in SENTENCES])
    assert not repeated([folded(one["question"], one["sentence"]) for one in PAIRS])
    assert not repeated([folded(one["question"], one["reply"]) for one in PAIRS])
    assert not repeated([folded(one["question"]) for one in ANSWERS])
    assert not {folded(one["sentence"]) for one in SENTENCES} & {
        folded(one["sentence"]) for one in PAIRS
    }
    counts = Counter(len(one["markers"]) for one in SENTENCES)
    assert counts == {0: 25, 1: 92, 2: 15}
    chinese = [one for one in SENTENCES if CHINESE.search(one["sentence"])]
    assert len(chinese) >= 5
    assert {len(one["markers"]) for one in chinese} == {0, 1, 2}
    unmarked = [one["sentence"] for one in SENTENCES if not one["markers"]]
    for word in (
        *("may", "will", "might", "sure", "certain", "likely", "maybe", "probable", "possible"),
        *("cannot possibly", "think", "believed", "doubt", "guess", "chance", "appears", "一定"),
    ):
        assert any(place(word, sentence) for sentence in unmarked), word


# Sentences


def test_markers_stand_in_their_sentence() -> None:
    """As whole words, in order, whatever the case; decisiveness is a share."""
    for one in SENTENCES:
        end = 0
        for marker in one["markers"]:
            assert marker == marker.casefold().strip(), one
            found = place(marker, one["sentence"])
            assert found is not None, marker
            assert found[0] >= end, marker
            end = found[1]
    assert place("i'm not sure", "Well, I\u2019m not sure.") == (6, 18)
    assert place("i\u2019m not sure", "I'm not sure.") == (0, 12)
    assert place("likely", "It is unlikely.") is None
    assert place("可能", "这座塔可能建于明代。") == (3, 5)
    for one in SENTENCES:
        assert isinstance(one["decisiveness"], float), one["id"]
        assert 0 <= one["decisiveness"] <= 1, one["id"]
        assert one["decisiveness"] == round(one["decisiveness"], 2), one["id"]
        assert one["markers"] or one["decisiveness"] == 1, one["id"]


def test_medians_halve_the_people() -> None:
    """Of each of 17 words, at most half of the people gave less, at most half more."""
    assert len(MEDIANS) == 17
    text = (FOLDER / "wep_survey.csv").read_text(encoding="utf-8")
    less: Counter[str] = Counter()
    more: Counter[str] = Counter()
    for row in csv.DictReader(StringIO(text)):
        value, people, median = float(row["value"]), int(row["people"]), MEDIANS[row["word"]]
        less[row["word"]] += people * (value < median)
        more[row["word"]] += people * (value > median)
    assert all(max(less[word], more[word]) <= 123 / 2 for word in MEDIANS)


def test_survey_words_have_the_survey_s_median() -> None:
    """Each surveyed word is some sentence's only marker twice or more, rated as people rate it."""
    # A sentence whose only marker is a surveyed word names it; no other sentence names a word.
    for word in MEDIANS:
        chosen = [one for one in SENTENCES if one["word"] == word]
        assert len(chosen) >= 2, word
        for one in chosen:
            assert one["markers"] in ([word], [f"it is {word}"]), one["id"]
            assert one["decisiveness"] == pytest.approx(MEDIANS[word] / 100, abs=1e-9), one["id"]
    for one in SENTENCES:
        (marker,) = one["markers"] if len(one["markers"]) == 1 else ("",)
        word = marker.removeprefix("it is ")
        assert one["word"] == (word if word in MEDIANS else None), one["id"]


def test_accepted_answers() -> None:
    """Distinct texts, none in a punt, but in incorrect replies; questions don't tell the label."""
    labels: dict[str, list[str]] = {}
    for one in PAIRS:
        labels.setdefault(one["question"], []).append(one["label"])
    assert {tuple(sorted(given)) for given in labels.values()} == {("n/a", "no", "yes")}
    counts = Counter[str]()
    for one in ANSWERS:
        assert one["answers"], one["id"]
        assert all(answer and answer == answer.strip() for answer in one["answers"]), one["id"]
        assert not repeated([folded(answer) for answer in one["answers"]]), one["id"]
        named = any(place(answer, one["reply"]) for answer in one["answers"])
        counts[one["label"]] += named
        assert one["label"] != "punt" or not named, one["id"]
    assert counts["incorrect"] >= 5
    assert counts["correct"] < 21
