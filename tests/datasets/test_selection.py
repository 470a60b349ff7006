"""Order, halves and choice of items."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from operator import attrgetter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inspect_confidence.tasks
from build import attributes_of, by_id, entries_of, map_values, numbered
from inspect_confidence.datasets.selection import Item, Selection, Split, alternate, choose
from refusals import refused

IDS = numbered("item-", 21, digits=2)


def questions(ids: Sequence[str] = IDS, split: Split | None = None) -> list[Item]:
    """Items of these names."""
    return [Item(id=name, split=split) for name in ids]


def names(items: Sequence[Item]) -> list[str]:
    """The ids, in order."""
    return attributes_of(items, "id")


# Order and halves


def test_the_order_is_a_textbook_shuffle_of_the_sorted_ids() -> None:
    """A textbook shuffle of the sorted ids, which ten seeds give differently, cut by a limit."""
    for seed in [0, 1, 2024]:
        draw, expected = random.Random(seed), sorted(IDS)
        for last in range(len(expected) - 1, 0, -1):
            place = draw.randrange(last + 1)
            expected[last], expected[place] = expected[place], expected[last]
        assert names(alternate(questions(), seed)) == expected
    orders = [tuple(names(alternate(questions(), seed))) for seed in range(10)]
    assert len(set(orders)) == 10
    assert list(map(sorted, orders)) == [IDS] * 10
    whole = alternate(questions(), 3)
    for limit in (0, 1, 10, 21, 99):
        assert alternate(questions(), 3, limit=limit) == whole[:limit]
    given_items = questions()
    alternate(given_items, 1)
    assert given_items == questions()


@given(st.permutations(IDS), st.integers(0, 2**32))
def test_order_does_not_depend_on_the_source(order: list[str], seed: int) -> None:
    """Whatever order the source has, the same items get the same places and halves."""
    assert alternate(questions(order), seed) == alternate(questions(), seed)


def test_order_is_the_same_in_every_process() -> None:
    """Python's hash seed, new in every process, plays no part."""
    program = (
        "from inspect_confidence.datasets.selection import Item, alternate\n"
        f"items = {{Item(id=name) for name in {IDS!r}}}\n"
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
    ordered = alternate(questions(numbered("", size)), seed)
    for length in range(1, size + 1):
        halves = attributes_of(ordered[:length], "split")
        assert abs(halves.count("train") - halves.count("test")) <= 1
        assert halves.count("train") + halves.count("test") == length


def test_splits_of_items_are_kept() -> None:
    """They are kept, whether all items have one or some; the others get one among those."""
    splits: tuple[Split, ...] = ("train", "test")
    for split in splits:
        ordered = alternate(questions(split=split), 0)
        assert set(attributes_of(ordered, "split")) == {split}
        assert names(ordered) == names(alternate(questions(), 0)), split
    own_splits: dict[str, Split] = {IDS[0]: "test", IDS[1]: "test", IDS[2]: "train"}
    mixed = [Item(id=name, split=own_splits.get(name)) for name in IDS]
    halves = map_values(attrgetter("split"), by_id(alternate(mixed, 5)))
    assert entries_of(halves, own_splits) == own_splits
    assert set(halves.values()) == {"train", "test"}


# Choice

ORDERED = [
    Item(id=name, split="test" if place % 2 else "train")
    for place, name in enumerate(["e", "d", "c", "b", "a"])
]


def test_a_split_keeps_the_order_and_a_count_takes_the_first_items() -> None:
    """A split leaves its items, in order; a count in any notation takes the first that are left."""
    assert choose(ORDERED, "all", None) == choose(ORDERED, "all", "1e3") == ORDERED
    assert names(choose(ORDERED, "train", None)) == ["e", "c", "a"]
    assert names(choose(ORDERED, "test", None)) == ["d", "b"]
    for count in (2, 2.0, "2", " 2 ", "2.0", "2e0"):
        assert names(choose(ORDERED, "all", count)) == ["e", "d"]
    assert names(choose(ORDERED, "train", 2)) == ["e", "c"]
    assert names(choose(ORDERED, "test", "2")) == ["d", "b"]


def test_a_bad_count_is_refused_with_an_example() -> None:
    """What can be neither a count nor a file is refused as a count, with one that would do."""
    for count, reason in [
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
    ]:
        message = refused(choose, ORDERED, "all", count)
        count_text = ",".join(count) if isinstance(count, list) else str(count)
        assert message.startswith(f"items={count_text} "), count
        _, remedy = message.split(reason)
        assert re.search(r"\d", remedy), count


def test_the_items_of_a_file_of_ids_keep_the_runs_order(home: Path) -> None:
    """The items named are taken in the run's order, whatever the file's; one id stands on a line.

    Windows' line ends and its editors' byte order mark are no part of an id, a blank is; from
    Python a Path works as it does for other file arguments.
    """
    file = home / "ids.txt"
    file.write_text("a\nd\n\nc\r\nd\n", encoding="utf-8")
    assert names(choose(ORDERED, "all", "ids.txt")) == ["d", "c", "a"]
    assert names(choose(ORDERED, "all", file)) == ["d", "c", "a"]
    file.write_text("b\n", encoding="utf-8-sig")
    assert names(choose(ORDERED, "all", "ids.txt")) == ["b"]
    file.write_text("item two\n", encoding="utf-8")
    items = alternate(questions(["item one", "item two"]), 0)
    assert names(choose(items, "all", "ids.txt")) == ["item two"]


def test_a_file_of_ids_is_relative_to_the_users_folder(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is looked for where the user stands, not where the task file lies."""
    (home / "ids.txt").write_text("b", encoding="utf-8")
    monkeypatch.chdir(Path(inspect_confidence.tasks.__file__).parent)
    assert names(choose(ORDERED, "all", "ids.txt")) == ["b"]


def test_bad_files_of_ids_and_unknown_ids_are_refused(home: Path) -> None:
    """A file is refused with the path that was looked at, an id with the one that was meant."""
    # Where no id is near, the first in alphabetical order are listed and the others counted. Ids
    # are read against what the split has left, and a missing one isn't dropped.
    message = refused(choose, ORDERED, "all", "ids.txt")
    assert message.startswith("items=ids.txt: ")
    assert f"no file {home / 'ids.txt'}" in message
    file = home / "ids.txt"
    file.write_bytes("Größe\n".encode("latin-1"))
    message = refused(choose, ORDERED, "all", "ids.txt")
    assert str(file) in message
    assert "save it as UTF-8" in message
    file.write_text("item-03\nitem3\n", encoding="utf-8")
    message = refused(choose, alternate(questions(["item-03", "thing"]), 0), "all", "ids.txt")
    assert message.startswith("items names 'item3', ")
    assert message.endswith(" Did you mean 'item-03'?")
    file.write_text("zzz\n", encoding="utf-8")
    ids = numbered("", 1000, digits=4)
    message = refused(choose, alternate(questions(ids), 0), "all", "ids.txt")
    listed_ids = re.findall(r"\b\d{4}\b", message)
    assert listed_ids == ids[: len(listed_ids)]
    assert 0 < len(listed_ids) < 50
    assert f"{1000 - len(listed_ids)} more" in message
    file.write_text("d\ne\n", encoding="utf-8")
    assert names(choose(ORDERED, "all", "ids.txt")) == ["e", "d"]
    message = refused(choose, ORDERED, "test", "ids.txt")
    assert message.startswith("items names 'e', ")
    assert "not in split=test" in message


def test_an_empty_selection_is_refused_with_the_arguments_to_check(home: Path) -> None:
    """A half without an item is refused with its name and the arguments to look at."""
    (home / "ids.txt").write_text("\n", encoding="utf-8")
    for items, split, count in [
        (questions(split="train"), "test", None),
        (questions(split="train"), "test", 3),
        ([], "test", None),
        ([], "all", 3),
        (ORDERED, "all", "ids.txt"),
    ]:
        message = refused(choose, items, split, count)
        assert message.startswith(f"No item is left in split={split}"), count
        for remedy in ("data set", "arguments that exclude items", "ids in `items`"):
            assert remedy in message, count


def test_facts_hold_name_fingerprint_halves_and_exclusions() -> None:
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
