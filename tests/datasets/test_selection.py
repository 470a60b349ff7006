"""Order, halves and choice of items."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inspect_confidence.tasks
from inspect_confidence import InvalidArgument
from inspect_confidence.datasets.selection import Question, Selection, Split, alternate, choose

IDS = [f"item-{number:02d}" for number in range(21)]


def questions(ids: Sequence[str] = IDS, split: Split | None = None) -> list[Question]:
    """Items of these names."""
    return [Question(id=name, split=split) for name in ids]


def names(items: Sequence[Question]) -> list[str]:
    """The ids, in order."""
    return [item.id for item in items]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the user stands in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path))
    return tmp_path


def refusal(items: Sequence[Question], split: str, count_or_ids: object) -> str:
    """What is said when nothing can be chosen."""
    with pytest.raises(InvalidArgument) as caught:
        choose(items, split, count_or_ids)
    return caught.value.format_message()


# Order and halves


@pytest.mark.parametrize("seed", [0, 1, 2024])
def test_order_is_a_textbook_shuffle_of_the_sorted_ids(seed: int) -> None:
    """Anyone can redo the order: Fisher and Yates from the last place, on the sorted ids."""
    draw, expected = random.Random(seed), sorted(IDS)
    for last in range(len(expected) - 1, 0, -1):
        other = draw.randrange(last + 1)
        expected[last], expected[other] = expected[other], expected[last]
    assert names(alternate(questions(), seed)) == expected


@given(st.permutations(IDS), st.integers(0, 2**32))
def test_order_does_not_depend_on_the_source(order: list[str], seed: int) -> None:
    """Whatever order the source has, the same items get the same places and halves."""
    assert alternate(questions(order), seed) == alternate(questions(), seed)


def test_order_depends_on_the_seed() -> None:
    """Ten seeds give ten orders of the same items; by chance two would agree once in 10^18."""
    orders = [tuple(names(alternate(questions(), seed))) for seed in range(10)]
    assert len(set(orders)) == 10
    assert all(sorted(order) == IDS for order in orders)


def test_order_is_the_same_in_every_process() -> None:
    """Python's hash seed, new in every process, plays no part."""
    program = (
        "from inspect_confidence.datasets._selection import Question, alternate\n"
        f"items = {{Question(id=name) for name in {IDS!r}}}\n"
        "print(*[f'{item.id}:{item.split}' for item in alternate(list(items), 7)])"
    )
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.split() == [
            f"{item.id}:{item.split}" for item in alternate(questions(), 7)
        ]


@given(st.integers(1, 60), st.integers(0, 1000))
def test_every_prefix_holds_both_halves(size: int, seed: int) -> None:
    """Of the first n items, train and test have as many as each other, or one differs by one."""
    ordered = alternate(questions([f"{number}" for number in range(size)]), seed)
    for length in range(1, size + 1):
        halves = [item.split for item in ordered[:length]]
        assert abs(halves.count("train") - halves.count("test")) <= 1
        assert halves.count("train") + halves.count("test") == length


def test_a_limit_keeps_the_front() -> None:
    """The items kept under a limit are the first of the whole order, in the same halves."""
    whole = alternate(questions(), 3)
    for most in (0, 1, 10, 21, 99):
        assert alternate(questions(), 3, most=most) == whole[:most]


@pytest.mark.parametrize("split", ["train", "test"])
def test_items_keep_a_split_of_their_own(split: Split) -> None:
    """Where every item says which half it is in, order changes and halves don't."""
    ordered = alternate(questions(split=split), 0)
    assert {item.split for item in ordered} == {split}
    assert names(ordered) == names(alternate(questions(), 0))


def test_items_without_a_split_get_one_among_those_with() -> None:
    """In a mixed set the ones that say train or test keep it, and every other one gets a half."""
    own: dict[str, Split] = {IDS[0]: "test", IDS[1]: "test", IDS[2]: "train"}
    mixed = [Question(id=name, split=own.get(name)) for name in IDS]
    ordered = {item.id: item.split for item in alternate(mixed, 5)}
    assert {name: ordered[name] for name in own} == own
    assert set(ordered.values()) == {"train", "test"}


def test_the_given_items_are_left_alone() -> None:
    """Ordering makes new items and a new list."""
    given_items = questions()
    alternate(given_items, 1)
    assert given_items == questions()


# Choice

ORDERED = [
    Question(id=name, split="test" if place % 2 else "train")
    for place, name in enumerate(["e", "d", "c", "b", "a"])
]


def test_all_items_without_a_choice() -> None:
    """Nothing said, everything in order."""
    assert choose(ORDERED, "all", None) == ORDERED


@pytest.mark.parametrize(("split", "expected"), [("train", "eca"), ("test", "db")])
def test_one_half(split: str, expected: str) -> None:
    """A split leaves its items, in order."""
    assert names(choose(ORDERED, split, None)) == list(expected)


@pytest.mark.parametrize("count", [2, 2.0, "2", " 2 ", "2.0", "2e0"])
def test_a_count_takes_the_front(count: object) -> None:
    """A count in any notation takes the first items of the order."""
    assert names(choose(ORDERED, "all", count)) == ["e", "d"]


def test_a_count_is_of_the_split() -> None:
    """The count is of what the split has left."""
    assert names(choose(ORDERED, "train", 2)) == ["e", "c"]
    assert names(choose(ORDERED, "test", "2")) == ["d", "b"]


def test_a_count_above_all_takes_all() -> None:
    """A thousand of five are five."""
    assert choose(ORDERED, "all", "1e3") == ORDERED


@pytest.mark.parametrize(
    ("count", "reason"),
    [
        (0, "below 1"),
        ("0", "below 1"),
        (-2, "below 1"),
        ("-2", "below 1"),
        (2.5, "not a whole number"),
        ("2.5", "not a whole number"),
        (False, "not a number"),
        (True, "not a number"),
        (["2", "3"], "not a number"),
        ("", "not a number"),
    ],
)
def test_a_count_that_is_none(count: object, reason: str) -> None:
    """What can be neither a count nor a file is refused as a count, with one that would do."""
    said = refusal(ORDERED, "all", count)
    shown = ",".join(count) if isinstance(count, list) else str(count)
    assert said.startswith(f"items={shown} ")
    _, remedy = said.split(reason)
    assert re.search(r"\d", remedy)


def test_a_file_of_ids(home: Path) -> None:
    """The items named in a file are taken in the run's order, whatever the file's."""
    (home / "ids.txt").write_text("a\nd\n\nc\r\nd\n", encoding="utf-8")
    assert names(choose(ORDERED, "all", "ids.txt")) == ["d", "c", "a"]


def test_a_file_of_ids_while_inspect_loads_a_task(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is looked for where the user stands, not where the task file lies."""
    (home / "ids.txt").write_text("b", encoding="utf-8")
    monkeypatch.chdir(Path(inspect_confidence.tasks.__file__).parent)
    assert names(choose(ORDERED, "all", "ids.txt")) == ["b"]


def test_a_file_that_is_missing(home: Path) -> None:
    """A name with letters is a file, and is refused with the path that was looked at."""
    said = refusal(ORDERED, "all", "ids.txt")
    assert said.startswith("items=ids.txt: ")
    assert f"no file {home / 'ids.txt'}" in said


def test_an_unknown_id_names_the_nearest(home: Path) -> None:
    """A mistyped id gets the one that was meant."""
    (home / "ids.txt").write_text("item-03\nitem3\n", encoding="utf-8")
    said = refusal(alternate(questions(["item-03", "thing"]), 0), "all", "ids.txt")
    assert said.startswith("items names 'item3', ")
    assert said.endswith(" Did you mean 'item-03'?")


def test_an_unknown_id_gets_some_of_many_known(home: Path) -> None:
    """Where no id is near, the first in alphabetical order are listed and the others counted."""
    (home / "ids.txt").write_text("zzz\n", encoding="utf-8")
    said = refusal(alternate(questions([f"{n:04d}" for n in range(1000)]), 0), "all", "ids.txt")
    listed = re.findall(r"\b\d{4}\b", said)
    assert listed == [f"{n:04d}" for n in range(len(listed))]
    assert 0 < len(listed) < 50
    assert f"{1000 - len(listed)} more" in said


def test_an_id_of_the_other_half_is_not_there(home: Path) -> None:
    """A file of ids is read against what the split has left; a missing one isn't dropped."""
    (home / "ids.txt").write_text("d\ne\n", encoding="utf-8")
    assert names(choose(ORDERED, "all", "ids.txt")) == ["e", "d"]
    said = refusal(ORDERED, "test", "ids.txt")
    assert said.startswith("items names 'e', ")
    assert "not in split=test" in said


@pytest.mark.parametrize("count", [None, 3])
def test_nothing_left(count: object) -> None:
    """A half that has no item is refused with its name and the arguments to look at."""
    for said in (refusal(questions(split="train"), "test", count), refusal([], "test", count)):
        assert said.startswith("No item is left in split=test")
        for remedy in ("data set", "left out", "items named"):
            assert remedy in said
    assert refusal([], "all", count).startswith("No item is left in split=all")


def test_an_empty_file_of_ids(home: Path) -> None:
    """A file that names nothing leaves nothing."""
    (home / "ids.txt").write_text("\n", encoding="utf-8")
    said = refusal(ORDERED, "all", "ids.txt")
    assert said.startswith("No item is left in split=all")
    assert "items named" in said


def test_ids_with_blanks(home: Path) -> None:
    """One id stands on a line, so an id may hold a blank."""
    (home / "ids.txt").write_text("item two\n", encoding="utf-8")
    items = alternate(questions(["item one", "item two"]), 0)
    assert names(choose(items, "all", "ids.txt")) == ["item two"]


def test_a_file_of_ids_as_a_path(home: Path) -> None:
    """From Python a Path works as it does for other file arguments."""
    (home / "ids.txt").write_text("b", encoding="utf-8")
    assert names(choose(ORDERED, "all", home / "ids.txt")) == ["b"]


def test_a_file_of_ids_with_a_byte_order_mark(home: Path) -> None:
    """The mark that Windows editors put first is no part of an id."""
    (home / "ids.txt").write_text("b\n", encoding="utf-8-sig")
    assert names(choose(ORDERED, "all", "ids.txt")) == ["b"]


def test_a_file_of_ids_that_is_not_utf_8(home: Path) -> None:
    """A file in another encoding is an argument error that names file and remedy."""
    (home / "ids.txt").write_bytes("Größe\n".encode("latin-1"))
    said = refusal(ORDERED, "all", "ids.txt")
    assert str(home / "ids.txt") in said
    assert "save it as UTF-8" in said


# What the log keeps


def test_facts_count_the_items() -> None:
    """The log has the name, the fingerprint, the halves and what was left out."""
    selection = Selection("mine.csv", ORDERED, "0123456789ab", {"duplicate": 4})
    assert selection.facts() == {
        "dataset": "mine.csv",
        "data": "0123456789ab",
        "items": 5,
        "train_items": 3,
        "test_items": 2,
        "excluded": {"duplicate": 4},
    }
