"""How often 95% intervals hold the true value: what is required, and where the figures go."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from scipy.stats import beta, binom

from figures import add

FILE = "COVERAGE_FIGURES"
"""The environment variable that names the csv file which figures are added to."""

SIMULATIONS = 2_000
"""Simulations of a cell, from which on its coverage must be shown to lie in the band."""

CLOSER_SIMULATIONS = 10_000
"""Further simulations of a cell whose first ones leave open on which side of a limit it lies."""

RUNS = SIMULATIONS if FILE in os.environ else 400
"""Simulations of a cell in `make thorough`, which writes the figures; fewer in `make validate`."""

LEAST, MOST = 0.92, 0.98
"""Band in which the true coverage of a 95% interval must lie."""

PRINTED = 0.99
"""Least share of samples in which a headline metric has an interval, unless it never has one."""

ALWAYS_TRUE = "every sample has the true value"
"""Reason of a coverage of 1, and of no interval, where nothing is to be estimated."""

KNOWN_LOW = {
    ("brunner_munzel_theta", "nearly separated, 123 against", 15): 0.91,
    ("difference: mean_confidence", "high reports, accuracy .9 and .98", 30): 0.915,
}
"""Least true coverage of cells that are known, and documented, to lie below the band."""

HEADLINE_METRICS = frozenset(
    {
        *("accuracy", "mean_confidence", "overconfidence", "ece", "brier", "auroc", "aurc"),
        *("coverage", "interval_score", "m_ratio"),
    }
)

SIZES = (30, 100, 300, 1_000)
"""Items at which metrics of other tasks than stated confidence are tried."""


@dataclass(frozen=True)
class Coverage:
    """In how many simulations a 95% interval was given, and held the true value.

    The rule: with the 99% limits of Clopper and Pearson for the coverage of the printed intervals,
    at least 2,000 of them must have both limits in [.92, .98]; fewer must have an interval of
    limits that meets that band. A cell is judged however seldom its interval is printed. Of cells
    with 2,000 simulations those with an observed coverage from .9355 to .971 pass. If these leave
    open on which side of a limit a cell lies, it is judged by 10,000 others (`settled`) and passes
    from .927 to .9762. In both steps none passes with a true coverage of .90, 1% with .92, 90% with
    .93, over 99.9% with .94 to .97, 0.9% with .98. 400 simulations find gross failures only: 89%
    with .90 pass, 4% with .85. Coverage above the band passes if the rule of the interval is marked
    conservative.

    A headline metric also fails if its interval is printed in fewer than 99% of the samples that
    have a value, unless all samples have the true value. A cell of `KNOWN_LOW` has a lower band.

    Attributes:
        metric: As in the results; `difference: ` before it for an interval of a difference.
        design: What was simulated, in a few words.
        n: Units.
        truth: The true value.
        simulations: How many samples.
        printed: In how many there was an interval.
        held: In how many it held the true value.
        wide: Why more than 98% is right: the rule is conservative, the value is at the end of its
            range, or discrete.
        undefined: In how many the metric had no value.
    """

    metric: str
    design: str
    n: int
    truth: float
    simulations: int
    printed: int
    held: int
    wide: str = ""
    undefined: int = 0

    @property
    def share(self) -> float:
        """Coverage of the printed intervals; NaN if there is none."""
        return self.held / self.printed if self.printed else float("nan")

    @property
    def limits(self) -> tuple[float, float]:
        """99% limits of Clopper and Pearson for the coverage of printed intervals."""
        missed = self.printed - self.held
        low = float(beta.ppf(0.005, self.held, missed + 1)) if self.held else 0.0
        high = float(beta.ppf(0.995, self.held + 1, missed)) if missed else 1.0
        return low, high

    @property
    def printed_share(self) -> float:
        """Share of the samples with a value that have an interval; 1 if none has a value."""
        defined = self.simulations - self.undefined
        return self.printed / defined if defined else 1.0

    @property
    def is_open(self) -> bool:
        """Whether all simulations together leave open on which side of a limit it lies."""
        low, high = self.limits
        is_judged_closely = self.printed >= SIMULATIONS * PRINTED
        may_be_wide = low <= MOST < high and not self.wide
        return is_judged_closely and (low < self.least <= high or may_be_wide)

    @property
    def least(self) -> float:
        """Least true coverage that the cell must have."""
        return KNOWN_LOW.get((self.metric, self.design, self.n), LEAST)

    @property
    def name(self) -> str:
        """Name of the metric in the registry."""
        return self.metric.removeprefix("difference: ").partition(" ")[0]

    @property
    def defect(self) -> str:
        """What is wrong with the interval; empty if nothing is."""
        # M-ratio over all ratings, for items with two choices, is no headline.
        is_headline = self.name in HEADLINE_METRICS and "type1=sdt" not in self.metric
        is_estimated = is_headline and self.wide != ALWAYS_TRUE
        if is_estimated and self.printed_share < PRINTED:
            return f"printed in {self.printed_share:.1%}"
        if not self.printed:
            return ""
        low, high = self.limits
        is_judged_closely = self.printed >= SIMULATIONS * PRINTED
        least_bound, most_bound = (low, high) if is_judged_closely else (high, low)
        if least_bound < self.least:
            return f"covers in {self.share:.1%}"
        if most_bound > MOST and not self.wide:
            return f"covers in {self.share:.1%}, unmarked"
        return ""


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


def lacking(figures: Iterable[Coverage]) -> list[tuple[str, Coverage]]:
    """Record coverages, and return those with a defect, each after it."""
    return [(figure.defect, figure) for figure in _recorded(figures) if figure.defect]


def settled(simulate: Callable[..., list[Coverage]], design: object, items: int) -> list[Coverage]:
    """Return the coverages of a design, of `RUNS` samples.

    A cell that these leave open is simulated on `CLOSER_SIMULATIONS` other samples, and has their
    coverage alone, so that the choice of cells does not bias it.
    """
    figures = simulate(design, items)
    names = {figure.name for figure in figures if figure.is_open}
    if not names:
        return figures
    closer = simulate(design, items, CLOSER_SIMULATIONS, first=SIMULATIONS, names=names)
    by_cell = {(figure.metric, figure.design): figure for figure in closer}
    return [
        by_cell[figure.metric, figure.design] if figure.is_open else figure for figure in figures
    ]


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
