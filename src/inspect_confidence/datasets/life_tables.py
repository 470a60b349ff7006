"""Life tables, bundled or read from a user's csv file.

The bundled `ssa-2022` is the Period Life Table, 2022, of the U.S. Social Security Administration,
as used in the 2025 Trustees Report (a work of the US government): the probabilities to die within
a year at the ages 0 to 119, with the digits of the source.
"""

import csv
import functools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from io import StringIO
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from inspect_confidence.arguments import choice, fingerprint, read_text, user_path
from inspect_confidence.datasets.records import bundled_text, cell_number
from inspect_confidence.errors import InvalidArgument

SEXES = ("male", "female")
"""Sexes that a life table may have probabilities for."""

WINDOWS = ("half-open", "closed")
"""Definitions of the ages at death D that an answer k within r years covers.

    half-open  floor(k - r) <= D < ceil(k + r)   2r ages for whole k and r; the published numbers'
    closed     k - r <= D <= k + r               2r + 1 ages for whole k and r; the study's text
"""

_TIE_TOLERANCE = 1e-12
"""Probabilities closer than this are equal: far above rounding, far below any table's precision."""


@dataclass(frozen=True)
class BestAnswer:
    """Answer with the greatest probability to be right, and that probability, the maximum score."""

    answer: int
    probability: float


@dataclass(frozen=True)
class LifeTable:
    """A period life table.

    Attributes:
        name: `ssa-2022`, or the name of the user's file.
        death_probability: q_x for x = 0, 1, ..., top by sex; equally many for each sex.

    >>> table = LifeTable("halves", {"male": (0.5, 0.5, 0.5)})
    >>> table.deaths("male", 0)
    array([0.5 , 0.25, 0.25])
    >>> table.best_answer("male", 0, radius=1)
    BestAnswer(answer=1, probability=0.75)
    """

    name: str
    death_probability: Mapping[str, tuple[float, ...]] = field(hash=False)

    @property
    def sexes(self) -> tuple[str, ...]:
        """Sexes that the table has probabilities for."""
        return tuple(sex for sex in SEXES if sex in self.death_probability)

    @property
    def top(self) -> int:
        """Greatest age at death in the table."""
        return len(self.death_probability[self.sexes[0]]) - 1

    @property
    def fingerprint(self) -> str:
        """Hash of the table's probabilities without its name, in 12 hexadecimal digits."""
        return fingerprint(json.dumps(dict(self.death_probability), sort_keys=True))

    def deaths(self, sex: str, age: int) -> NDArray[np.float64]:
        """Return P(death at age k | alive at `age`) for k = `age`, ..., top, where everybody dies.

        Raises:
            InvalidArgument: The table doesn't have this sex or age.
        """
        alive = self._alive(sex, age)  # P(alive at k) for k = age, ..., top + 1
        dying = np.array([*self.death_probability[sex][int(age) : -1], 1.0])
        deaths: NDArray[np.float64] = alive[:-1] * dying
        return deaths

    def window_probability(
        self, sex: str, age: int, answer: float, radius: float, window: str = "half-open"
    ) -> float:
        """Return P(D in the window around `answer` | alive at `age`), from 0 to 1.

        D is the age at death in completed years. Ages in the window below `age` or above top
        contribute nothing.

        Args:
            sex: One of `sexes`.
            age: Age reached in whole years, 0 to top.
            answer: Estimated age at death in years, whole or not; NaN gives NaN, infinity 0.
            radius: Radius in years, 0 or more.
            window: `half-open`, floor(answer - radius) <= D < ceil(answer + radius), as in the
                study's numbers, or `closed`, answer - radius <= D <= answer + radius, as in its
                text.

        Raises:
            InvalidArgument: The table doesn't have this sex or age, or the radius or the window
                can't be used.
        """
        alive = self._alive(sex, age)  # P(alive at k) for k = age, ..., top + 1
        half_open = _is_half_open(window, radius)
        if not math.isfinite(answer):
            return math.nan if math.isnan(answer) else 0.0
        # As the decimals that were written: in floats 2.2 - 1.2 is above 1.
        centre, reach = Fraction(repr(float(answer))), Fraction(repr(float(radius)))
        age, low, high = int(age), centre - reach, centre + reach
        first = max(age, math.floor(low) if half_open else math.ceil(low))
        last = min(self.top, math.ceil(high) - 1 if half_open else math.floor(high))
        # alive[i] is the probability to reach age + i, so that a sum of deaths is a difference.
        return float(alive[first - age] - alive[last + 1 - age]) if first <= last else 0.0

    def best_answer(
        self, sex: str, age: int, radius: float, window: str = "half-open"
    ) -> BestAnswer:
        """Return the whole answer whose window has the greatest probability, the least if tied.

        The answer may lie below `age`, even below 0, if its window covers all ages that can be
        reached. Half-open windows of radius 0 around whole answers are empty: the answer is then
        `age`, with probability 0.

        Arguments and errors are as for `window_probability`.
        """
        alive = self._alive(sex, age)
        half_open = _is_half_open(window, radius)
        # Around whole k the window is k - reach to k + reach, without its last age if half-open.
        reach = math.ceil(radius) if half_open else math.floor(radius)
        width = 2 * reach + (not half_open)
        if not width:
            return BestAnswer(int(age), 0.0)
        # alive[i] is the probability to reach age + i, so that a window's mass is a difference.
        # Windows that end before `age` hold nothing. Those that end after top hold no more than
        # the one that ends there, whose answer is less. So each age to end at is one candidate;
        # `end` is the index of the age after it.
        end = np.arange(1, alive.size)
        # Bounded, since numpy takes no larger integers than 64 bits hold.
        score = alive[np.maximum(end - min(width, alive.size), 0)] - alive[end]
        best = int(np.argmax(score >= score.max() - _TIE_TOLERANCE))
        # The best window ends at age + best: `reach` after its answer, or 1 less if half-open.
        return BestAnswer(int(age) + best - reach + half_open, float(score.max()))

    def _alive(self, sex: str, age: int) -> NDArray[np.float64]:
        """Return P(alive at k | alive at `age`) for k = `age`, ..., top + 1: from 1 down to 0.

        Refuse a sex or an age that the table does not have.
        """
        if sex not in self.sexes:
            raise InvalidArgument(
                f"sex={sex} is not in the life table {self.name}; it has: {', '.join(self.sexes)}."
            )
        if age not in range(self.top + 1):
            raise InvalidArgument(
                f"age={age} is not in the life table {self.name}; "
                f"give a whole number from 0 to {self.top}."
            )
        return _survival(self.death_probability[sex], int(age))


@functools.lru_cache(maxsize=1024)
def _survival(death_probability: tuple[float, ...], age: int) -> NDArray[np.float64]:
    """Return P(alive at k | alive at `age`) for k = `age`, ..., top + 1: from 1 down to 0.

    At top, the last age, everybody dies.
    """
    surviving = 1 - np.array(death_probability[age:-1])
    alive = np.concatenate([[1.0], np.cumprod(surviving), [0.0]])
    alive.setflags(write=False)  # the cache returns the same array again
    return alive


def _is_half_open(window: str, radius: float) -> bool:
    """Return whether a window is `half-open` (without its upper end) and not `closed`.

    Refuse another word, and a radius that is negative or not finite.
    """
    half_open = choice("window", window, WINDOWS) == "half-open"
    if not 0 <= radius < math.inf:
        raise InvalidArgument(f"radius={radius} is not a number of years; give 0 or more.")
    return half_open


SSA_2022 = "ssa-2022"
"""Name of the bundled life table."""

BUNDLED = "ssa_2022.csv"
"""File of the bundled life table."""

_REMEDY = "give columns age and male or female (or both), separated by commas, and a row per age"


def read_life_table(table: object) -> LifeTable:
    """Return the bundled life table, or read a user's.

    Args:
        table: `ssa-2022`, or a .csv file with the columns `age` (0, 1, 2, ...) and `male` or
            `female` or both, which hold q_x, the probability to die within a year at age x.

    Raises:
        InvalidArgument: The table or file doesn't exist, or one of its lines can't be used.
    """
    name = str(table).strip()
    if name == SSA_2022:
        return _bundled()
    if "." not in name:  # neither the bundled table nor a file: this raises an error
        choice("table", name, [SSA_2022, "a .csv file"])
    path = user_path("table", name)
    if path.suffix.lower() != ".csv":
        raise InvalidArgument(
            f"table={name}: a life table is a .csv file with the columns age, male, female."
        )
    return LifeTable(path.name, _death_probabilities(path.name, read_text(path)))


@functools.cache
def _bundled() -> LifeTable:
    return LifeTable(SSA_2022, _death_probabilities(BUNDLED, bundled_text(BUNDLED)))


def _death_probabilities(file: str, text: str) -> dict[str, tuple[float, ...]]:
    """Read the probabilities to die within a year, by sex; ignore other columns and empty lines."""
    reader = csv.reader(StringIO(text, newline=""), strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise InvalidArgument(
            f"{file}, line {reader.line_num}: {error}; close every quote, or write without."
        ) from None
    if not rows:
        raise InvalidArgument(f"{file}, line 1: the file is empty; {_REMEDY}.")
    header_line, header = rows[0]
    columns = _read_header(header, f"{file}, line {header_line}")
    probabilities: dict[str, list[float]] = {sex: [] for sex in SEXES if sex in columns}
    for age, (line, row) in enumerate(rows[1:]):
        location = f"{file}, line {line}"
        if len(row) > len(header):
            raise InvalidArgument(
                f"{location} has {len(row)} fields, the header {len(header)}; "
                "write decimals with a point and quote commas in text."
            )
        # Cells that a short row lacks are empty.
        cells = dict(zip_longest(columns, map(str.strip, row), fillvalue=""))
        _refuse_other_age(cells["age"], age, location)
        for sex, values in probabilities.items():
            values.append(_probability(cells[sex], f"{location}, column {sex}"))
    if len(rows) == 1:
        raise InvalidArgument(f"{file}: there are no rows after line {header_line}; {_REMEDY}.")
    return {sex: tuple(values) for sex, values in probabilities.items()}


def _read_header(header: Sequence[str], location: str) -> list[str]:
    """Return the names of the columns in lower case; refuse missing and repeated columns."""
    names = [name.strip().lower() for name in header]
    columns = ", ".join(map(repr, header))
    for needed in (("age",), SEXES):
        if set(names).isdisjoint(needed):
            raise InvalidArgument(
                f"{location}: there is no column {' or '.join(needed)} among {columns}; {_REMEDY}."
            )
    for name in ("age", *SEXES):
        if names.count(name) > 1:
            raise InvalidArgument(f"{location} has two columns {name}; keep one of them.")
    return names


def _refuse_other_age(text: str, expected: int, location: str) -> None:
    """Refuse an age that is not the next whole number."""
    age = cell_number(text)
    if age is None or not age.is_integer():
        raise InvalidArgument(
            f"{location}: age {text!r} is not a whole number; write ages as 0, 1, 2 and so on."
        )
    if age != expected:
        raise InvalidArgument(
            f"{location}: age {text} stands where age {expected} should; "
            "give every age once, in order, from 0 up."
        )


def _probability(text: str, location: str) -> float:
    """Return a probability from its text; refuse other texts and other numbers."""
    value = cell_number(text)
    if value is None or not 0 <= value <= 1:  # also nan
        raise InvalidArgument(
            f"{location}: {text!r} is not a probability from 0 to 1; give the share of those alive "
            "at this age who die before the next (deaths per 1,000 are to be divided by 1,000)."
        )
    # So that -0.0 makes no other table than 0.0.
    return abs(value)
