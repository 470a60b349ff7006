"""Questions with one right answer: published files, Hugging Face's parquet form, a user's own."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from unittest.mock import Mock

import pandas as pd
import pytest

from inspect_confidence import DataUnavailable, InvalidArgument
from inspect_confidence.datasets import questions
from inspect_confidence.datasets.cache import CACHE_VARIABLE
from inspect_confidence.datasets.questions import ChoiceItem, load_questions
from inspect_confidence.datasets.selection import Selection


@pytest.fixture
def published(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The published files, used as the cache."""
    monkeypatch.setenv(CACHE_VARIABLE, str(shared_data))
    return shared_data / "qa"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the user stands in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path))
    return tmp_path


def by_id(selection: Selection[ChoiceItem]) -> dict[str, ChoiceItem]:
    """The items by name."""
    return {item.id: item for item in selection.items}


def test_gsm8k_is_the_published_test_file(published: Path) -> None:
    """All 1,319 problems, each with the number after the four hashes, and no choices."""
    lines = (published / "gsm8k_test.jsonl").read_text(encoding="utf-8").splitlines()
    found = by_id(load_questions("gsm8k"))
    assert len(found) == len(lines) == 1319
    for number, row in enumerate(map(json.loads, lines)):
        item = found[f"gsm8k-{number:04d}"]
        assert item.question == row["question"]
        assert item.choices == ()
        assert Fraction(item.target) == int(row["answer"].split("#### ")[1].replace(",", ""))
    assert Counter(item.split for item in found.values()) == {"train": 660, "test": 659}


@pytest.mark.parametrize("seed", [0, 7])
def test_truthfulqa_targets_follow_the_shuffled_choices(published: Path, seed: int) -> None:
    """All 817 questions; the target's letter is where the right choice has come to stand."""
    rows = json.loads((published / "truthfulqa_mc_task.json").read_text(encoding="utf-8"))
    found = by_id(load_questions("truthfulqa", seed=seed))
    assert len(found) == len(rows) == 817
    places: Counter[int] = Counter()
    for number, row in enumerate(rows):
        item = found[f"truthfulqa-{number:04d}"]
        assert item.question == row["question"]
        assert sorted(item.choices) == sorted(row["mc1_targets"])
        (right,) = [text for text, truth in row["mc1_targets"].items() if truth]
        place = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".index(item.target)
        assert item.choices[place] == right
        places[place] += len(item.choices) == 4
    four = sum(places.values())  # at the source the right one is always the first
    assert all(abs(places[place] - four / 4) < 4 * (four * 3 / 16) ** 0.5 for place in range(4))


def test_truthfulqa_order_of_choices_is_the_seeds(published: Path) -> None:
    """One seed always gives one order, whichever items are asked; another gives another."""
    whole = load_questions("truthfulqa", seed=3)
    some = load_questions("truthfulqa", seed=3, items=10)
    assert list(some.items) == list(whole.items)[:10]
    other = by_id(load_questions("truthfulqa", seed=4))
    moved = [item.choices != other[item.id].choices for item in whole.items]
    assert sum(moved) > 600
    assert whole.fingerprint != load_questions("truthfulqa", seed=4).fingerprint


def balanced(items: Sequence[ChoiceItem], subjects: int) -> None:
    """Any prefix holds each subject as often as any other, or once more."""
    counts: Counter[str] = Counter()
    for item in items:
        counts[item.subject] += 1
        least = min(counts.values()) if len(counts) == subjects else 0
        assert max(counts.values()) - least <= 1


def test_mmlu_asks_a_thousand_balanced_over_subjects(published: Path) -> None:
    """1,000 items, 57 subjects with 17 or 18 each, any prefix balanced, texts as published."""
    with (published / "mmlu" / "test_all.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = load_questions("mmlu")
    counts = Counter(item.subject for item in found.items)
    assert len(found.items) == 1000
    assert len(counts) == 57
    assert Counter(counts.values()) == {17: 26, 18: 31}
    balanced(found.items, 57)
    assert found.excluded == {"not drawn": len(rows) - 1000}
    known: dict[str, dict[str, str]] = {}
    place: Counter[str] = Counter()
    for row in rows:
        place[row["subject"]] += 1
        known[f"mmlu-{row['subject']}-{place[row['subject']]:04d}"] = row
    for item in found.items:
        row = known[item.id]
        assert item.question == row["question"]
        assert item.choices == (row["A"], row["B"], row["C"], row["D"])
        assert (item.target, item.subject) == (row["answer"], row["subject"])


@pytest.mark.usefixtures("published")
def test_mmlu_gives_more_or_fewer_on_request() -> None:
    """A count goes beyond the thousand, its front being the same; a file of ids reaches all."""
    thousand = list(load_questions("mmlu").items)
    assert list(load_questions("mmlu", items=60).items) == thousand[:60]
    more = list(load_questions("mmlu", items="2,000").items)
    assert len(more) == 2000
    assert more[:1000] == thousand
    balanced(more, 57)
    other = load_questions("mmlu", seed=1)
    assert {item.id for item in other.items} != {item.id for item in thousand}


def parquet(folder: Path, rows: int = 60, subjects: Sequence[str] = ("art", "botany")) -> None:
    """A file in Hugging Face's schema, in a cache folder."""
    table = pd.DataFrame(
        {
            "question": [f"Question {number}?" for number in range(rows)],
            "subject": [subjects[number % len(subjects)] for number in range(rows)],
            "choices": [[f"{number} {letter}" for letter in "wxyz"] for number in range(rows)],
            "answer": [number % 4 for number in range(rows)],
        }
    )
    path = folder / "qa" / "mmlu" / "test-00000-of-00001.parquet"
    path.parent.mkdir(parents=True)
    table.to_parquet(path, index=False)


def test_mmlu_reads_hugging_faces_form(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From parquet: choices as a list, the answer as an index; ids number a subject's rows."""
    parquet(home)
    monkeypatch.setenv(CACHE_VARIABLE, str(home))
    found = load_questions("mmlu")
    assert len(found.items) == 60
    assert found.excluded == {}
    balanced(found.items, 2)
    for item in found.items:
        number = int(item.question.removeprefix("Question ").removesuffix("?"))
        subject = ("art", "botany")[number % 2]
        assert item.id == f"mmlu-{subject}-{number // 2 + 1:04d}"
        assert item.choices == tuple(f"{number} {letter}" for letter in "wxyz")
        assert item.target == "ABCD"[number % 4]


def test_missing_data_say_what_to_do(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a file can't be had, one error names it, its place and the bundled questions."""
    monkeypatch.setenv(CACHE_VARIABLE, str(home))
    monkeypatch.setattr("pooch.retrieve", Mock(side_effect=ConnectionError("no network")))
    for name, source in (
        ("mmlu", questions.MMLU),
        ("gsm8k", questions.GSM8K),
        ("truthfulqa", questions.TRUTHFULQA),
    ):
        with pytest.raises(DataUnavailable) as caught:
            load_questions(name)
        message = caught.value.format_message()
        assert source.url in message
        assert source.name in message
        assert "no network" in message
        assert "-T dataset=bundled" in message


# A user's own file


PLACES = ("Rome", "Paris")


@pytest.mark.parametrize(
    ("choices", "target", "read", "letter"),
    [
        (["Rome", "Paris"], "B", PLACES, "B"),
        (["Rome", "Paris"], "b", PLACES, "B"),
        ('["Rome", "Paris"]', "Rome", PLACES, "A"),
        ("Rome|Paris", "Paris", PLACES, "B"),
        (" Rome | Paris ", " Paris ", PLACES, "B"),
        ([1, 2, 3], 3, ("1", "2", "3"), "C"),
        (["A", "B"], "B", ("A", "B"), "B"),
        ("|".join(f"no. {n}" for n in range(26)), "z", tuple(f"no. {n}" for n in range(26)), "Z"),
    ],
)
def test_choices_and_targets_in_any_form(
    home: Path, choices: object, target: object, read: Sequence[str], letter: str
) -> None:
    """Choices are a list, its JSON text or texts between bars; the target a letter or a text."""
    row = {"question": "Which?", "choices": choices, "target": target}
    (home / "mine.jsonl").write_text(json.dumps(row), "utf-8")
    (item,) = load_questions("mine.jsonl").items
    assert (item.choices, item.target) == (read, letter)


@pytest.mark.parametrize(
    ("target", "value"),
    [(18, 18), ("18.50", Fraction(37, 2)), ("1,000", 1000), ("-4", -4), ("1/3", Fraction(1, 3))],
)
def test_free_answers_are_exact_numbers(home: Path, target: object, value: Fraction) -> None:
    """A target without choices is a number, exactly."""
    (home / "mine.jsonl").write_text(json.dumps({"question": "?", "target": target}), "utf-8")
    (item,) = load_questions("mine.jsonl").items
    assert item.choices == ()
    assert Fraction(item.target) == value


def test_a_csv_with_everything(home: Path) -> None:
    """Ids, splits and subjects of a csv are kept, what is missing is filled in; it may be mixed."""
    written = pd.DataFrame(
        {
            "id": ["first", "", "12"],
            "question": ["Which, if any?", "How many?\nSay it.", "Who?"],
            "choices": ['["one, two", "three"]', "", "you|I|they"],
            "target": ["three", "42", "A"],
            "subject": ["", "sums", "people"],
            "split": ["test", "train", ""],
        }
    )
    written.to_csv(home / "mine.csv", index=False)
    found = load_questions("mine.csv")
    assert found.name == "mine.csv"
    shown = {i.id: (i.question, i.choices, i.target, i.subject) for i in found.items}
    assert shown == {
        "first": ("Which, if any?", ("one, two", "three"), "B", ""),
        "mine-0002": ("How many?\nSay it.", (), "42", "sums"),
        "12": ("Who?", ("you", "I", "they"), "A", "people"),
    }
    splits = {item.id: item.split for item in found.items}
    assert (splits["first"], splits["mine-0002"]) == ("test", "train")
    assert splits["12"] in ("train", "test")


BAD_ROWS = [
    ({"choices": ["x"], "target": "A"}, "1 choices; give 2 to 26"),
    ({"choices": ["x", "x"], "target": "A"}, "there twice: ['x', 'x']"),
    ({"choices": "x||y", "target": "A"}, "choices are empty"),
    ({"choices": 5, "target": "A"}, 'write ["one", "other"] or one|other'),
    ({"choices": '{"a": 1}', "target": "A"}, "are no list"),
    ({"choices": ["x", "y"], "target": "C"}, "neither a letter from A to B nor one of"),
    ({"choices": ["B", "A"], "target": "A"}, "a choice and the letter of another one"),
    ({"choices": ["x", "y"], "target": ""}, "'target' is missing"),
    ({"target": "Paris"}, "target 'Paris' is no number; free answers are numbers"),
    ({"target": "1/0"}, "target '1/0' is no number"),
    ({"target": "5", "split": "dev"}, "split 'dev' is not train or test"),
]


@pytest.mark.parametrize(("row", "says"), BAD_ROWS, ids=[says for _, says in BAD_ROWS])
def test_a_bad_row_is_one_error_with_file_and_row(
    home: Path, row: dict[str, object], says: str
) -> None:
    """What can't be used is an error that names the file, the row and the value."""
    rows = [{"question": "Good?", "target": 3}, {"question": "Bad?", **row}]
    (home / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    with pytest.raises(InvalidArgument) as caught:
        load_questions("mine.jsonl")
    message = caught.value.format_message()
    assert message.startswith("mine.jsonl, row 2: ")
    assert says in message


@pytest.mark.parametrize("target", ["3,5", "1,2,3", "12,34"])
def test_a_decimal_comma_is_no_comma_between_thousands(home: Path, target: str) -> None:
    """A number whose commas aren't between thousands is refused, not read as another number."""
    (home / "mine.csv").write_text(f'question,target\nHow many?,"{target}"\n', "utf-8")
    with pytest.raises(InvalidArgument, match=r"mine\.csv, row 1"):
        load_questions("mine.csv")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("id,question,target\na,One?,1\na,Two?,2\n", "the id 'a' stands there 2 times"),
        ("question,target\n", "mine.csv holds no rows"),
        ("question\nOne?\n", "has no column 'target'"),
        ("question,target\nOne, two?,1\n", "row 1 has more fields than the header"),
    ],
)
def test_a_bad_file_is_one_error(home: Path, text: str, says: str) -> None:
    """A file that can't be used as a whole is an error that names it."""
    (home / "mine.csv").write_text(text, "utf-8")
    with pytest.raises(InvalidArgument, match=r"^mine\.csv") as caught:
        load_questions("mine.csv")
    assert says in caught.value.format_message()
