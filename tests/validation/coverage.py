"""How often 95% intervals hold the true value: what is required, and where the figures go."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from scipy.stats import binom

from figures import add

LEAST, MOST = 0.93, 0.97
"""Between which the coverage of a 95% interval must lie."""

SELDOM = 0.35
"""An interval printed in a smaller share of simulations isn't given there.

A rule that asks for enough rare outcomes lets pass, where these are seldom enough, the samples that
have most of them: no interval holds the true value as often in those.
"""

SIZES = (30, 100, 300, 1_000)
"""Items, at each of which every metric is tried."""

FILE = "COVERAGE_FIGURES"
"""The environment variable that names the csv file which figures are added to."""


@dataclass(frozen=True)
class Coverage:
    """In how many simulations a 95% interval was given, and held the true value.

    Attributes:
        metric: As in the results.
        design: What was simulated, in a few words.
        n: Units.
        truth: The true value.
        simulations: How many.
        printed: In how many there was an interval.
        held: In how many it held the true value.
        wide: Why more than 97% is right: the value is at the end of its range, or discrete.
    """

    metric: str
    design: str
    n: int
    truth: float
    simulations: int
    printed: int
    held: int
    wide: str = ""

    @property
    def share(self) -> float:
        """The coverage where there is an interval; NaN where hardly ever one is given."""
        is_frequent = self.printed >= SELDOM * self.simulations
        return self.held / self.printed if is_frequent and self.printed else float("nan")

    @property
    def lacks(self) -> bool:
        """Whether the coverage is outside its band by more than the simulations' own error.

        Undercoverage is never right; more than 97% needs its reason in `wide`.
        """
        if np.isnan(self.share):
            return False
        error = 3.29 * np.sqrt(LEAST * (1 - LEAST) / self.printed)
        return bool(self.share < LEAST - error or (not self.wide and self.share > MOST + error))


@dataclass(frozen=True)
class Rejections:
    """In how many simulations a test rejected at 5%.

    Attributes:
        test: What is tested, as people name it.
        design: What was simulated; the null is true in it unless `power`.
        n: Units.
        simulations: In which there was a p.
        rejected: With p <= .05.
        power: Whether the null is false.
        discrete: Whether fewer than 5% is right, since p takes few values.
    """

    test: str
    design: str
    n: int
    simulations: int
    rejected: int
    power: bool = False
    discrete: bool = False

    @property
    def misjudges(self) -> bool:
        """Whether a true null is rejected outside the binomial 99.9% band at 5%.

        Or a false one no more often than that.
        """
        low, high = binom(self.simulations, 0.05).interval(0.999)
        if self.power:
            return bool(self.rejected <= high)
        return bool(self.rejected > high or (not self.discrete and self.rejected < low))


def lacking(figures: Iterable[Coverage]) -> list[Coverage]:
    """Record what was found, and return what lies outside its band."""
    return [figure for figure in _recorded(figures) if figure.lacks]


def misjudged(levels: Iterable[Rejections]) -> list[Rejections]:
    """Record how often tests rejected, and return those that did too often or too seldom."""
    return [level for level in _recorded(levels) if level.misjudges]


Found = TypeVar("Found", Coverage, Rejections)


def _recorded(figures: Iterable[Found]) -> list[Found]:
    """All of them, each added to the file of its kind, if there is to be one."""
    figure_list = list(figures)
    if path := os.environ.get(FILE):
        for figure in figure_list:
            levels = isinstance(figure, Rejections)
            add(Path(path).with_name("levels.csv") if levels else Path(path), figure)
    return figure_list
