"""LifeEval's items: an age reached, a sex and a radius around the age at death to be named."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from inspect_confidence.datasets.cache import fetch_text
from inspect_confidence.datasets.life_tables import LifeTable
from inspect_confidence.datasets.records import csv_records
from inspect_confidence.datasets.selection import Item, Selection, alternate, choose
from inspect_confidence.errors import InvalidArgument

PROMPTS = "life_eval/life_eval_prompts.csv"

_ASKED = re.compile(
    r"an American (?P<sex>male|female) has lived at least (?P<age>\d+) years"
    r".*within (?P<radius>\d+) years? of the true value",
    re.DOTALL,
)

Prompts = Mapping[tuple[str, int, float], tuple[str, str]]
"""User and system message by sex, age and radius."""


@dataclass(frozen=True, kw_only=True)
class LifeItem(Item):
    """A person of whom the age at death is to be estimated.

    Attributes:
        sex: `male` or `female`.
        age: The age reached, in whole years.
        radius: How far from the true age the answer may lie, in years.
    """

    sex: str
    age: int
    radius: float


def life_items(
    table: LifeTable,
    *,
    ages: Sequence[int],
    sexes: Sequence[str],
    radii: Sequence[float],
    items: object = None,
    split: str = "all",
    seed: int = 0,
) -> Selection[LifeItem]:
    """Every age in years with every sex and radius, in seeded order, balanced over radii.

    Truth comes from the table, which must have them; `choose` selects from them.

    Raises:
        InvalidArgument: The table lacks an age or a sex, or `items` can't be used.
    """
    for age in ages:
        if age > table.top:
            raise InvalidArgument(
                f"ages={age} is beyond the table {table.name}, which ends at {table.top}."
            )
    for sex in sexes:
        if sex not in table.sexes:
            raise InvalidArgument(
                f"sexes={sex} is not in the table {table.name}; it has {', '.join(table.sexes)}."
            )
    pool = _every(sexes, ages, radii)
    ordered = alternate(pool, seed, group=lambda item: f"{item.radius:g}")
    return Selection(table.name, choose(ordered, split, items), table.fingerprint)


def item_id(sex: str, age: int, radius: float) -> str:
    """An item's stable name.

    Example:
        >>> item_id("male", 40, 5)
        'male-040-r5'
    """
    return f"{sex}-{age:03d}-r{radius:.12g}"


def study_items() -> list[LifeItem]:
    """The study's 808 items in its own order, so that the place is its question ID."""
    return _every(("male", "female"), range(101), (1.0, 5.0, 10.0, 20.0))


def _every(sexes: Sequence[str], ages: Sequence[int], radii: Sequence[float]) -> list[LifeItem]:
    return [
        LifeItem(id=item_id(sex, age, radius), sex=sex, age=age, radius=radius)
        for sex, age, radius in product(sexes, ages, radii)
    ]


def study_prompts(items: Sequence[LifeItem]) -> Prompts:
    """The study's exact prompts, downloaded once, if it has one for each item asked.

    Raises:
        InvalidArgument: The study has no prompt for one of them.
        DataUnavailable: The prompts could not be downloaded.
    """
    found = {}
    for row in csv_records(fetch_text(PROMPTS, instead="-T prompts=ours")):
        if asked := _ASKED.search(row["Full Prompt"]):
            key = (asked["sex"], int(asked["age"]), float(asked["radius"]))
            found[key] = (row["Full Prompt"], row["System Prompt"])
    for item in items:
        if (item.sex, item.age, item.radius) not in found:
            raise InvalidArgument(
                f"The study has no prompt for {item.id}: its ages are 0 to 100, its radii 1, 5, 10 "
                "and 20; ask others with prompts=ours."
            )
    return found
