"""Items of LifeEval: a sex, the age reached, and a radius around the estimated age at death."""

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

_PROMPT_FACTS = re.compile(
    r"an American (?P<sex>male|female) has lived at least (?P<age>\d+) years"
    r".*within (?P<radius>\d+) years? of the true value",
    re.DOTALL,
)

PromptsByCell = Mapping[tuple[str, int, float], tuple[str, str]]
"""User message and system message by sex, age and radius."""


@dataclass(frozen=True, kw_only=True)
class LifeItem(Item):
    """A person whose age at death is to be estimated.

    Attributes:
        sex: `male` or `female`.
        age: Age reached, in whole years.
        radius: Greatest distance of a right answer from the true age, in years.
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
    """Build, order and select the items of all combinations of ages, sexes and radii.

    The order is seeded and balanced over radii. The life table must have every age and sex.
    See `choose` for the selection.

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
    pool = _build_items(sexes, ages, radii)
    ordered = alternate(pool, seed, group=lambda item: f"{item.radius:g}")
    return Selection(table.name, choose(ordered, split, items), table.fingerprint)


def item_id(sex: str, age: int, radius: float) -> str:
    """Return the stable name of an item.

    Example:
        >>> item_id("male", 40, 5)
        'male-040-r5'
    """
    return f"{sex}-{age:03d}-r{radius:.12g}"


def study_items() -> list[LifeItem]:
    """Return the study's 808 items in its order, in which an item's index is its question ID."""
    return _build_items(("male", "female"), range(101), (1.0, 5.0, 10.0, 20.0))


def _build_items(
    sexes: Sequence[str], ages: Sequence[int], radii: Sequence[float]
) -> list[LifeItem]:
    """Return an item for each combination of a sex, an age and a radius, in this order."""
    items = []
    for sex, age, radius in product(sexes, ages, radii):
        items.append(LifeItem(id=item_id(sex, age, radius), sex=sex, age=age, radius=radius))
    return items


def study_prompts(items: Sequence[LifeItem]) -> PromptsByCell:
    """Return the study's exact user and system messages by sex, age and radius, downloaded once.

    A row whose prompt doesn't tell these three is not used.

    Raises:
        InvalidArgument: The study has no prompt for one of the items.
        DataUnavailable: The prompts could not be downloaded.
    """
    prompts = {}
    for row in csv_records(fetch_text(PROMPTS, alternative="-T prompts=ours")):
        if match := _PROMPT_FACTS.search(row["Full Prompt"]):
            key = (match["sex"], int(match["age"]), float(match["radius"]))
            prompts[key] = (row["Full Prompt"], row["System Prompt"])
    for item in items:
        if (item.sex, item.age, item.radius) not in prompts:
            raise InvalidArgument(
                f"The study has no prompt for {item.id}: its ages are 0 to 100, its radii 1, 5, 10 "
                "and 20; use prompts=ours for other items."
            )
    return prompts
