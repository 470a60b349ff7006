"""LifeEval's items: all 808 of them, balanced and in halves, and the study's own prompts."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_confidence import DataUnavailable, InvalidArgument
from inspect_confidence.datasets.cache import CACHE_VARIABLE
from inspect_confidence.datasets.life_eval import (
    PROMPTS,
    LifeItem,
    item_id,
    life_items,
    study_items,
    study_prompts,
)
from inspect_confidence.datasets.life_tables import LifeTable, read_life_table
from inspect_confidence.datasets.selection import Selection

AGES, RADII = range(101), (1.0, 5.0, 10.0, 20.0)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the user stands in, with no data in it and no network."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path))
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr("requests.Session.send", Mock(side_effect=ConnectionError("no network")))
    return tmp_path


@pytest.fixture
def published(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The published files, used as the cache."""
    monkeypatch.setenv(CACHE_VARIABLE, str(shared_data))
    return shared_data / "life_eval"


def chosen(seed: int = 0, items: object = None, split: str = "all") -> Selection[LifeItem]:
    """The study's ages, sexes and radii."""
    return life_items(
        read_life_table("ssa-2022"),
        ages=AGES,
        sexes=("male", "female"),
        radii=RADII,
        items=items,
        split=split,
        seed=seed,
    )


def test_each_person_and_radius_is_one_item() -> None:
    """101 ages, two sexes and four radii make 808 items with as many ids."""
    found = chosen()
    assert len(found.items) == 101 * 2 * 4 == 808
    assert len({item.id for item in found.items}) == 808
    assert {(item.sex, item.age, item.radius) for item in found.items} == {
        (sex, age, radius) for sex in ("male", "female") for age in AGES for radius in RADII
    }
    for item in found.items:
        assert item.id == f"{item.sex}-{str(item.age).zfill(3)}-r{int(item.radius)}"
    assert (found.name, found.excluded) == ("ssa-2022", {})


@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_any_prefix_is_balanced_over_radii(seed: int) -> None:
    """After k items each radius came k / 4 times, rounded down or up."""
    counts: Counter[float] = Counter()
    for k, item in enumerate(chosen(seed).items, start=1):
        counts[item.radius] += 1
        assert {counts[radius] for radius in RADII} <= {k // 4, -(-k // 4)}


@pytest.mark.parametrize("seed", [0, 1])
def test_halves_alternate(seed: int) -> None:
    """Of every four items, one a radius, two are in each half; a half is its items in order."""
    whole = list(chosen(seed).items)
    for start in range(0, 808, 4):
        turn = whole[start : start + 4]
        assert sorted(item.split or "" for item in turn) == ["test", "test", "train", "train"]
        assert {item.radius for item in turn} == {1, 5, 10, 20}
    for split in ("train", "test"):
        half = [item for item in whole if item.split == split]
        assert list(chosen(seed, split=split).items) == half
        assert list(chosen(seed, split=split, items=7).items) == half[:7]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_halves_are_balanced_over_radii(seed: int) -> None:
    """A half holds each radius about 101 times: within 4 standard deviations of chance, 7.1."""
    for split in ("train", "test"):
        counts = Counter(item.radius for item in chosen(seed, split=split).items)
        assert all(abs(counts[radius] - 101) < 4 * 7.1 for radius in RADII), counts


def test_order_is_the_seeds() -> None:
    """One seed gives one order, of which a count is the front; another gives another."""
    ids = [[item.id for item in chosen(seed).items] for seed in (0, 0, 1)]
    assert ids[0] == ids[1] != ids[2]
    assert [item.id for item in chosen(items=50).items] == ids[0][:50]


@given(
    ages=st.sets(st.integers(0, 119), min_size=1, max_size=8),
    radii=st.sets(st.sampled_from([0.5, 1, 2, 2.5, 7, 20, 119]), min_size=1),
    seed=st.integers(0, 99),
)
def test_any_ages_and_radii_are_balanced(ages: set[int], radii: set[float], seed: int) -> None:
    """Whatever is asked, ids differ and radii take turns."""
    table = read_life_table("ssa-2022")
    items = life_items(
        table, ages=sorted(ages), sexes=["female"], radii=sorted(radii), seed=seed
    ).items
    assert len({item.id for item in items}) == len(items) == len(ages) * len(radii)
    for turn in range(len(ages)):
        some = items[turn * len(radii) : (turn + 1) * len(radii)]
        assert {item.radius for item in some} == radii


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (("female", 7, 20), "female-007-r20"),
        (("male", 100, 2.5), "male-100-r2.5"),
        (("male", 0, 1.0), "male-000-r1"),
    ],
)
def test_ids_by_hand(parts: tuple[str, int, float], name: str) -> None:
    """Sex, age in three digits, radius."""
    assert item_id(*parts) == name


def test_a_table_must_have_ages_and_sexes() -> None:
    """What the table doesn't hold is refused with what it does hold."""
    table = LifeTable("mine.csv", {"female": (0.1, 0.2, 1.0)})
    assert len(life_items(table, ages=[0, 2], sexes=["female"], radii=[1]).items) == 2
    for ages, sexes, says in (
        ([3], ["female"], "ages=3 is beyond the table mine.csv, which ends at 2."),
        ([0], ["male"], "sexes=male is not in the table mine.csv; it has female."),
    ):
        with pytest.raises(InvalidArgument) as caught:
            life_items(table, ages=ages, sexes=sexes, radii=[1])
        assert caught.value.format_message() == says


# Against the study's files

ASKED = re.compile(
    r"Given that an American (male|female) has lived at least (\d+) years,? estimate how old s?he "
    r"will be when s?he dies\."
)
CERTAIN = re.compile(r"How certain that your answer is within (\d+) years of the true value\?")


def test_study_items_are_in_the_studys_order(shared_data: Path) -> None:
    """The place of an item is its question ID in the published file, parsed here."""
    path = shared_data / "life_eval" / "items.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    ours = study_items()
    assert len(rows) == len(ours) == 808
    for place, (row, item) in enumerate(zip(rows, ours, strict=True)):
        who = ASKED.fullmatch(row["Question Prompt"])
        within = CERTAIN.fullmatch(row["Confidence Prompt"])
        assert who, row
        assert within, row
        assert int(row["Question ID"]) == place
        assert (who[1], int(who[2]), float(within[1])) == (item.sex, item.age, item.radius)
    assert {item.id for item in ours} == {item.id for item in chosen().items}


def test_study_prompts_are_the_published_ones(published: Path) -> None:
    """Each item's messages are, byte for byte, those of its question ID."""
    path = published / "life_eval_prompts.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = {int(row["Question ID"]): row for row in csv.DictReader(file)}
    assert sorted(rows) == list(range(808))
    found = study_prompts(chosen().items)
    assert len(found) == 808
    for place, item in enumerate(study_items()):
        user, system = found[item.sex, item.age, item.radius]
        assert (user, system) == (rows[place]["Full Prompt"], rows[place]["System Prompt"])
        question = user.split("Question:\n")[1]
        assert f"American {item.sex} has lived at least {item.age} years" in question
        assert re.search(rf"within {int(item.radius)} years? of the true value", question)
        assert user.startswith(f"Directions:\n{system}")
    assert len({user for user, _ in found.values()}) == 808


@pytest.mark.usefixtures("published")
@pytest.mark.parametrize(("age", "radius"), [(101, 5.0), (40, 2.0), (40, 5.5)])
def test_the_study_has_no_other_prompts(age: int, radius: float) -> None:
    """An age or a radius that the study didn't ask is refused with those that it did."""
    items = life_items(
        read_life_table("ssa-2022"), ages=[age], sexes=["male"], radii=[radius]
    ).items
    with pytest.raises(InvalidArgument) as caught:
        study_prompts(items)
    message = caught.value.format_message()
    assert f"The study has no prompt for male-{age:03d}-r{radius:g}" in message
    assert "prompts=ours" in message


def test_missing_prompts_say_what_to_do(home: Path) -> None:
    """Without a network the error names address, place and what works without."""
    with pytest.raises(DataUnavailable) as caught:
        study_prompts(study_items())
    message = caught.value.format_message()
    for part in (PROMPTS.url, PROMPTS.name, str(home), "no network", "-T prompts=ours"):
        assert part in message


def test_other_bytes_are_refused(home: Path, shared_data: Path) -> None:
    """A file in the cache of which one byte differs isn't used, and stays as it is."""
    content = bytearray((shared_data / PROMPTS.name).read_bytes())
    content[len(content) // 2] ^= 1
    copy = home / PROMPTS.name
    copy.parent.mkdir()
    copy.write_bytes(content)
    with pytest.raises(DataUnavailable) as caught:
        study_prompts(study_items())
    assert "the file that is there has another sha256" in caught.value.format_message()
    assert copy.read_bytes() == content
