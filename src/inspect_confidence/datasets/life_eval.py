"""LifeEval's items: an age reached, a sex and a radius around the age at death to be named."""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO

from inspect_confidence.datasets.cache import Source, fetch
from inspect_confidence.datasets.life_tables import LifeTable
from inspect_confidence.datasets.question_sets import STUDY_COMMIT
from inspect_confidence.datasets.selection import Question, Selection, alternate, choose
from inspect_confidence.errors import InvalidArgument

PROMPTS = Source(
    "life_eval/life_eval_prompts.csv",
    "https://raw.githubusercontent.com/NoamMichael/Comparing-Confidence-in-LLMs/"
    f"{STUDY_COMMIT}/Prompts/life_eval_prompts.csv",
    "950c50fb0cf732f1646e9024ded6e7c6e7f929e46e730bd9bbe4e506ee628682",
)

_ASKED = re.compile(
    r"an American (?P<sex>male|female) has lived at least (?P<age>\d+) years"
    r".*within (?P<radius>\d+) years? of the true value",
    re.DOTALL,
)

Prompts = Mapping[tuple[str, int, float], tuple[str, str]]
"""User and system message by sex, age and radius."""


@dataclass(frozen=True, kw_only=True)
class LifeItem(Question):
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
    """Every age with every sex and radius, in seeded order, balanced over radii.

    Args:
        table: Where the truth comes from; it must have the ages and sexes.
        ages: Ages reached.
        sexes: Of `male`, `female`.
        radii: In years.
        items: None for all, a count, or a file of ids.
        split: `train`, `test` or `all`.
        seed: Of the order.

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
    pool = [
        LifeItem(id=item_id(sex, age, radius), sex=sex, age=age, radius=radius)
        for sex in sexes
        for age in ages
        for radius in radii
    ]
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
    return [
        LifeItem(id=item_id(sex, age, radius), sex=sex, age=age, radius=radius)
        for sex in ("male", "female")
        for age in range(101)
        for radius in (1.0, 5.0, 10.0, 20.0)
    ]


def study_prompts(items: Sequence[LifeItem]) -> Prompts:
    """The study's exact prompts, downloaded once.

    Args:
        items: Those that are asked.

    Raises:
        InvalidArgument: The study has no prompt for one of them.
        DataUnavailable: The prompts could not be downloaded.
    """
    text = fetch(PROMPTS, instead="-T prompts=ours").read_text(encoding="utf-8")
    found = {}
    for row in csv.DictReader(StringIO(text, newline="")):
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
