"""LifeEval's items: all 808 of them, balanced and in halves, and the study's own prompts."""

from __future__ import annotations

import csv
import re
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build import attributes_of, by_id, column_of, record_table, records_with
from inspect_confidence.datasets.life_eval import (
    LifeItem,
    item_id,
    life_items,
    study_items,
    study_prompts,
)
from inspect_confidence.datasets.life_tables import LifeTable, read_life_table
from inspect_confidence.datasets.selection import Selection
from refusals import refused

AGES, RADII = range(101), (1.0, 5.0, 10.0, 20.0)


def life_selection(seed: int = 0, items: object = None, split: str = "all") -> Selection[LifeItem]:
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
    selection = life_selection()
    assert len(selection.items) == 101 * 2 * 4 == 808
    assert len(by_id(selection.items)) == 808
    table = record_table(selection.items)[["sex", "age", "radius"]]
    people = set(table.itertuples(index=False, name=None))
    assert people == set(product(("male", "female"), AGES, RADII))
    for item in selection.items:
        assert item.id == f"{item.sex}-{str(item.age).zfill(3)}-r{int(item.radius)}"
    assert (selection.name, selection.excluded) == ("ssa-2022", {})


def test_any_prefix_and_each_half_are_balanced_over_radii() -> None:
    """Over radii in any prefix and in each half; one seed gives one order."""
    for seed in [0, 1, 12345]:
        counts: Counter[float] = Counter()
        for k, item in enumerate(life_selection(seed).items, start=1):
            counts[item.radius] += 1
            assert {counts[radius] for radius in RADII} <= {k // 4, -(-k // 4)}, seed
    for seed in [0, 1, 2]:
        for split in ("train", "test"):
            counts = Counter(attributes_of(life_selection(seed, split=split).items, "radius"))
            for radius in RADII:
                assert abs(counts[radius] - 101) < 4 * 7.1, (counts, radius)
    ids = list(by_id(life_selection(0).items))
    assert list(by_id(life_selection(0).items)) == ids
    assert list(by_id(life_selection(1).items)) != ids
    assert list(by_id(life_selection(items=50).items)) == ids[:50]


def test_every_four_items_have_two_in_each_half() -> None:
    """Of every four items, one a radius, two are in each half; a half is its items in order."""
    for seed in [0, 1]:
        whole = list(life_selection(seed).items)
        for start in range(0, 808, 4):
            turn = record_table(whole[start : start + 4])
            assert sorted(turn["split"]) == ["test", "test", "train", "train"], seed
            assert set(turn["radius"]) == {1, 5, 10, 20}, seed
        for split in ("train", "test"):
            half = records_with(whole, split=split)
            assert list(life_selection(seed, split=split).items) == half
            assert list(life_selection(seed, split=split, items=7).items) == half[:7]


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
    assert len(by_id(items)) == len(ages) * len(radii)
    for turn in range(len(ages)):
        turn_items = items[turn * len(radii) : (turn + 1) * len(radii)]
        assert set(attributes_of(turn_items, "radius")) == radii


def test_ids_name_sex_age_and_radius_and_absent_ages_are_refused() -> None:
    """Sex, age in three digits, radius; the table must have what is asked for."""
    for parts, name in [
        (("female", 7, 20), "female-007-r20"),
        (("male", 100, 2.5), "male-100-r2.5"),
        (("male", 0, 1.0), "male-000-r1"),
    ]:
        assert item_id(*parts) == name
    table = LifeTable("mine.csv", {"female": (0.1, 0.2, 1.0)})
    assert len(life_items(table, ages=[0, 2], sexes=["female"], radii=[1]).items) == 2
    for ages, sexes, says in (
        ([3], ["female"], "ages=3 is beyond the table mine.csv, which ends at 2."),
        ([0], ["male"], "sexes=male is not in the table mine.csv; it has female."),
    ):
        assert refused(life_items, table, ages=ages, sexes=sexes, radii=[1]) == says


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
    items = study_items()
    assert len(rows) == len(items) == 808
    for place, (row, item) in enumerate(zip(rows, items, strict=True)):
        person_match = ASKED.fullmatch(row["Question Prompt"])
        radius_match = CERTAIN.fullmatch(row["Confidence Prompt"])
        assert person_match, row
        assert radius_match, row
        assert int(row["Question ID"]) == place
        assert (person_match[1], int(person_match[2]), float(radius_match[1])) == (
            item.sex,
            item.age,
            item.radius,
        )
    assert by_id(items).keys() == by_id(life_selection().items).keys()


def test_study_prompts_are_the_published_ones(published: Path) -> None:
    """Each item's messages are, byte for byte, those of its question ID."""
    path = published / "life_eval" / "life_eval_prompts.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = {int(row["Question ID"]): row for row in csv.DictReader(file)}
    assert sorted(rows) == list(range(808))
    prompts = study_prompts(life_selection().items)
    assert len(prompts) == 808
    for place, item in enumerate(study_items()):
        user, system = prompts[item.sex, item.age, item.radius]
        assert (user, system) == (rows[place]["Full Prompt"], rows[place]["System Prompt"])
        question = user.split("Question:\n")[1]
        assert f"American {item.sex} has lived at least {item.age} years" in question
        assert re.search(rf"within {int(item.radius)} years? of the true value", question)
        assert user.startswith(f"Directions:\n{system}")
    users = column_of(prompts.values(), 0)
    assert len(set(users)) == 808


@pytest.mark.usefixtures("published")
def test_ages_and_radii_without_a_study_prompt_are_refused() -> None:
    """An age or a radius that the study didn't ask is refused with those that it did."""
    for age, radius in [(101, 5.0), (40, 2.0), (40, 5.5)]:
        table = read_life_table("ssa-2022")
        items = life_items(table, ages=[age], sexes=["male"], radii=[radius]).items
        message = refused(study_prompts, items)
        assert f"The study has no prompt for male-{age:03d}-r{radius:g}" in message
        assert "prompts=ours" in message, age
