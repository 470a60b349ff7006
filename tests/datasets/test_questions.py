"""Questions with one right answer: published files, Hugging Face's parquet form, a user's own."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import cycle, islice
from operator import attrgetter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from build import attributes_of, by_id, map_values, numbered
from inspect_confidence.datasets.questions import Question, load_questions


def test_gsm8k_is_the_published_test_file(published: Path) -> None:
    """All 1,319 problems, each with the number after the four hashes, and no choices."""
    lines = (published / "qa" / "gsm8k_test.jsonl").read_text(encoding="utf-8").splitlines()
    items_by_id = by_id(load_questions("gsm8k").items)
    assert len(items_by_id) == len(lines) == 1319
    for number, row in enumerate(map(json.loads, lines)):
        item = items_by_id[f"gsm8k-{number:04d}"]
        assert item.question == row["question"]
        assert item.choices == ()
        assert Fraction(item.target) == int(row["answer"].split("#### ")[1].replace(",", ""))
    assert Counter(attributes_of(items_by_id.values(), "split")) == {"train": 660, "test": 659}


def test_truthfulqa_targets_follow_the_shuffled_choices(published: Path) -> None:
    """All 817 questions; the target's letter is where the right choice has come to stand."""
    for seed in [0, 7]:
        rows = json.loads(
            (published / "qa" / "truthfulqa_mc_task.json").read_text(encoding="utf-8")
        )
        items_by_id = by_id(load_questions("truthfulqa", seed=seed).items)
        assert len(items_by_id) == len(rows) == 817, seed
        places: Counter[int] = Counter()
        for number, row in enumerate(rows):
            item = items_by_id[f"truthfulqa-{number:04d}"]
            assert item.question == row["question"], seed
            assert sorted(item.choices) == sorted(row["mc1_targets"]), seed
            (right,) = [text for text, truth in row["mc1_targets"].items() if truth]
            place = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".index(item.target)
            assert item.choices[place] == right, seed
            places[place] += len(item.choices) == 4
        four = sum(places.values())  # at the source the right one is always the first
        spread = 4 * (four * 3 / 16) ** 0.5
        for place in range(4):
            assert abs(places[place] - four / 4) < spread, seed


def test_the_seed_determines_the_order_of_truthfulqa_choices(published: Path) -> None:
    """One seed always gives one order, whichever items are asked; another gives another."""
    whole = load_questions("truthfulqa", seed=3)
    front = load_questions("truthfulqa", seed=3, items=10)
    assert list(front.items) == list(whole.items)[:10]
    other_seed = by_id(load_questions("truthfulqa", seed=4).items)
    moved = [item.choices != other_seed[item.id].choices for item in whole.items]
    assert sum(moved) > 600
    assert whole.fingerprint != load_questions("truthfulqa", seed=4).fingerprint


def check_balance(items: Sequence[Question], subjects: int) -> None:
    """Any prefix holds each subject as often as any other, or once more."""
    counts: Counter[str] = Counter()
    for item in items:
        counts[item.part] += 1
        lowest = min(counts.values()) if len(counts) == subjects else 0
        assert max(counts.values()) - lowest <= 1


def test_mmlu_asks_a_thousand_balanced_over_subjects(published: Path) -> None:
    """1,000 items, 57 subjects with 17 or 18 each, any prefix balanced, texts as published."""
    with (published / "qa" / "mmlu" / "test_all.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    selection = load_questions("mmlu")
    counts = Counter(attributes_of(selection.items, "part"))
    assert len(selection.items) == 1000
    assert len(counts) == 57
    assert Counter(counts.values()) == {17: 26, 18: 31}
    check_balance(selection.items, 57)
    assert selection.excluded == {"not drawn": len(rows) - 1000}
    rows_by_id: dict[str, dict[str, str]] = {}
    place: Counter[str] = Counter()
    for row in rows:
        place[row["subject"]] += 1
        rows_by_id[f"mmlu-{row['subject']}-{place[row['subject']]:04d}"] = row
    for item in selection.items:
        row = rows_by_id[item.id]
        assert item.question == row["question"]
        assert item.choices == (row["A"], row["B"], row["C"], row["D"])
        assert (item.target, item.part) == (row["answer"], row["subject"])


@pytest.mark.slow
@pytest.mark.usefixtures("published")
def test_mmlu_gives_more_or_fewer_on_request() -> None:
    """A count goes beyond the thousand, its front being the same; a file of ids reaches all."""
    thousand = list(load_questions("mmlu").items)
    assert list(load_questions("mmlu", items=60).items) == thousand[:60]
    more = list(load_questions("mmlu", items="2,000").items)
    assert len(more) == 2000
    assert more[:1000] == thousand
    check_balance(more, 57)
    other_seed = load_questions("mmlu", seed=1)
    assert by_id(other_seed.items).keys() != by_id(thousand).keys()


def parquet(folder: Path, rows: int = 60, subjects: Sequence[str] = ("art", "botany")) -> None:
    """A file in Hugging Face's schema, in a cache folder."""
    texts = numbered("", rows)
    table = pd.DataFrame(
        {
            "question": [f"Question {text}?" for text in texts],
            "subject": list(islice(cycle(subjects), rows)),
            "choices": [[f"{text} w", f"{text} x", f"{text} y", f"{text} z"] for text in texts],
            "answer": np.arange(rows) % 4,
        }
    )
    path = folder / "qa" / "mmlu" / "test-00000-of-00001.parquet"
    path.parent.mkdir(parents=True)
    table.to_parquet(path, index=False)


def test_mmlu_in_hugging_faces_form_is_read(offline: Path) -> None:
    """From parquet: choices as a list, the answer as an index; ids number a subject's rows."""
    parquet(offline)
    selection = load_questions("mmlu")
    assert len(selection.items) == 60
    assert selection.excluded == {}
    check_balance(selection.items, 2)
    for item in selection.items:
        number = int(item.question.removeprefix("Question ").removesuffix("?"))
        subject = ("art", "botany")[number % 2]
        assert item.id == f"mmlu-{subject}-{number // 2 + 1:04d}"
        assert item.choices == tuple(f"{number} {letter}" for letter in "wxyz")
        assert item.target == "ABCD"[number % 4]


# A user's own file


def test_free_answers_are_exact_numbers(offline: Path) -> None:
    """A target without choices is a number, exactly."""
    for target, value in [
        (18, 18),
        ("18.50", Fraction(37, 2)),
        ("1,000", 1000),
        ("-4", -4),
        ("1/3", Fraction(1, 3)),
    ]:
        (offline / "mine.jsonl").write_text(
            json.dumps({"question": "?", "target": target}), "utf-8"
        )
        (item,) = load_questions("mine.jsonl").items
        assert item.choices == (), target
        assert Fraction(item.target) == value


def test_ids_splits_and_subjects_of_a_csv_are_kept(offline: Path) -> None:
    """Ids, splits and subjects of a csv are kept, what is missing is filled in; it may be mixed."""
    frame = pd.DataFrame(
        {
            "id": ["first", "", "12"],
            "question": ["Which, if any?", "How many?\nSay it.", "Who?"],
            "choices": ['["one, two", "three"]', "", "you|I|they"],
            "target": ["three", "42", "A"],
            "subject": ["", "sums", "people"],
            "split": ["test", "train", ""],
        }
    )
    frame.to_csv(offline / "mine.csv", index=False)
    selection = load_questions("mine.csv")
    assert selection.name == "mine.csv"
    items_by_id = by_id(selection.items)
    contents = map_values(attrgetter("question", "choices", "target", "part"), items_by_id)
    assert contents == {
        "first": ("Which, if any?", ("one, two", "three"), "B", ""),
        "mine-0002": ("How many?\nSay it.", (), "42", "sums"),
        "12": ("Who?", ("you", "I", "they"), "A", "people"),
    }
    splits = map_values(attrgetter("split"), items_by_id)
    assert (splits["first"], splits["mine-0002"]) == ("test", "train")
    assert splits["12"] in ("train", "test")
