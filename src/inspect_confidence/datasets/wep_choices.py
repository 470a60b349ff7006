"""Prompts of the choice experiment: 360 sentences, generated from the study's design."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from inspect_confidence.datasets.selection import Item, alternate

SCENARIOS = ("height", "score", "sound")
CHOICE_SETS = (5, 3)
NUMBERS: Mapping[str, tuple[int, ...]] = {
    "narrow": (
        *(116, 93, 94, 89, 108, 76, 117, 92, 103, 97),
        *(114, 79, 96, 96, 111, 89, 98, 91, 100, 105),
    ),
    "wide": (
        *(55, 145, 136, 120, 136, 72, 95, 62, 89, 121),
        *(72, 84, 72, 66, 73, 99, 55, 109, 166, 129),
    ),
}
"""The study's numbers, in its order: 20 around 100, with a standard deviation of 10 or of 40.

Source: the study prints the narrow numbers. Its recorded replies repeat the wide numbers above 56
and below 143, which determines their order.
"""

POINTS: Mapping[str, Mapping[float, tuple[int, int]]] = {
    "narrow": {
        0.05: (99, 100),
        0.275: (96, 103),
        0.5: (93, 106),
        0.725: (89, 110),
        0.95: (80, 119),
    },
    "wide": {0.05: (97, 102), 0.275: (85, 114), 0.5: (73, 126), 0.725: (56, 143), 0.95: (21, 178)},
}
"""Bounds of the central intervals of the numbers' normal distribution, by level."""

INTERVALS: Mapping[str, str] = {
    "below_low": "below {low}",
    "above_low": "above {low}",
    "between": "between {low} and {high}",
    "outside": "below {low} or above {high}",
    "below_high": "below {high}",
    "above_high": "above {high}",
}
"""Wordings of the six intervals at a point, in complementary pairs."""

COMPLEMENTS: Mapping[str, str] = {
    "below_low": "above_low",
    "between": "outside",
    "below_high": "above_high",
}

_FIRST_OF_PAIR = {second: first for first, second in COMPLEMENTS.items()}

RANGES: Mapping[int, Sequence[tuple[float, float]]] = {
    5: ((0.92, 1), (0.61, 0.92), (0.41, 0.61), (0.13, 0.41), (0, 0.13)),
    3: ((0.61, 1), (0.41, 0.61), (0, 0.41)),
}
"""Range of probabilities that each choice stands for, in the order of the choices.

Source: the study. (.92, 1] (.61, .92] [.41, .61] [.13, .41) [0, .13) of five choices, (.61, 1]
[.41, .61] [0, .41) of three.
"""


@dataclass(frozen=True, kw_only=True)
class ChoicePrompt(Item):
    """A sentence to complete.

    Attributes:
        scenario: `height`, `score` or `sound`.
        choice_set: Number of choices: 5 or 3.
        numbers: `narrow` or `wide`.
        point: Level of the central interval that the bounds belong to.
        interval: Name of one of the six intervals at that point.
    """

    scenario: str
    choice_set: int
    numbers: str
    point: float
    interval: str

    @property
    def text(self) -> str:
        """Wording of the interval."""
        low, high = POINTS[self.numbers][self.point]
        return INTERVALS[self.interval].format(low=low, high=high)

    @property
    def share(self) -> float:
        """Share of the 20 numbers inside the interval."""
        low, high = POINTS[self.numbers][self.point]
        return sum(_is_inside(self.interval, x, low, high) for x in NUMBERS[self.numbers]) / 20

    @property
    def right(self) -> int:
        """Index of the choice that stands for that share."""
        return right_choice(self.share, self.choice_set)


def design() -> Iterator[ChoicePrompt]:
    """Yield the 360 prompts in the study's order."""
    # A point is the level of a central interval; both sets of numbers have the same points.
    cells = product(NUMBERS, POINTS["narrow"], INTERVALS, SCENARIOS, CHOICE_SETS)
    for numbers, point, interval, scenario, choice_set in cells:
        yield ChoicePrompt(
            id=f"{scenario}-{choice_set}-{numbers}-{point:g}-{interval}",
            scenario=scenario,
            choice_set=choice_set,
            numbers=numbers,
            point=point,
            interval=interval,
        )


def ordered_design(seed: int) -> list[ChoicePrompt]:
    """Return the prompts in seeded order, with a split.

    The prompts of an interval at all points and those of its complement are a cluster: they are
    scored together and therefore stay adjacent, so that the first n prompts cut at most one.
    """
    clusters: dict[str, list[ChoicePrompt]] = {}
    for prompt in design():
        first = _FIRST_OF_PAIR.get(prompt.interval, prompt.interval)
        name = f"{prompt.scenario}-{prompt.choice_set}-{prompt.numbers}-{first}"
        clusters.setdefault(name, []).append(prompt)
    ordered: list[ChoicePrompt] = []
    for cluster in alternate([Item(id=name) for name in clusters], seed):
        ordered.extend(replace(prompt, split=cluster.split) for prompt in clusters[cluster.id])
    return ordered


def right_choice(share: float, choice_set: int) -> int:
    """Return the index of the choice, of 5 or 3 (`choice_set`), whose range holds the share.

    Raises:
        ValueError: The share is not from 0 to 1.
    """
    # The middle range is closed; those above it include their upper end, those below their lower.
    middle = len(RANGES[choice_set]) // 2
    for index, (low, high) in enumerate(RANGES[choice_set]):
        above = low <= share if index >= middle else low < share
        below = share <= high if index <= middle else share < high
        if above and below:
            return index
    raise ValueError(f"{share} is not a probability from 0 to 1.")


def _is_inside(interval: str, x: float, low: float, high: float) -> bool:
    """Return whether x is in the named interval, whose ends `low` and `high` are excluded."""
    return {
        "below_low": x < low,
        "above_low": x > low,
        "between": low < x < high,
        "outside": x < low or x > high,
        "below_high": x < high,
        "above_high": x > high,
    }[interval]
