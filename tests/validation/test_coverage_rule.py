"""The rule by which simulated coverages are judged, by its chance of passing a true coverage."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from inspect_confidence.metrics import METRICS
from validation.coverage import ALWAYS_TRUE, KNOWN_LOW, LEAST, Coverage, settled

FIGURES = Path(__file__).parents[2] / "docs" / "coverage.csv"


def passing(coverage: float, simulations: int) -> float:
    """Chance that a cell of that true coverage passes."""
    held = np.arange(simulations + 1)
    chance = binom.pmf(held, simulations, coverage)
    likely = held[chance > 1e-9]
    figures = [Coverage("mic", "", 100, 0.5, simulations, simulations, int(h)) for h in likely]
    return float(sum(chance[figure.held] for figure in figures if not figure.defect))


@pytest.mark.parametrize(
    ("coverage", "least", "most"), [(0.90, 0, 0.001), (0.92, 0, 0.01), (0.95, 0.995, 1)]
)
def test_2000_simulations_pass_a_coverage_of_95_and_catch_one_of_90(
    coverage: float, least: float, most: float
) -> None:
    """And 98% is caught where the rule isn't marked conservative."""
    assert least <= passing(coverage, 2_000) <= most
    assert passing(0.98, 2_000) < 0.01


def test_400_simulations_catch_gross_failures_alone() -> None:
    """A coverage of .85 fails in 96%, one of .92 passes."""
    assert passing(0.85, 400) < 0.05
    assert passing(0.92, 400) > 0.99


def test_a_headline_metric_must_be_printed_in_99_of_100_samples_with_a_value() -> None:
    """Samples without a value don't count against it; other metrics may be printed seldom."""
    assert Coverage("auroc", "", 50, 0.7, 2_000, 1_900, 1_805).defect == "printed in 95.0%"
    assert not Coverage("auroc", "", 50, 0.7, 2_000, 1_900, 1_805, undefined=100).defect
    assert not Coverage("augrc", "", 50, 0.7, 2_000, 1_900, 1_805).defect
    assert not Coverage("auroc", "", 50, 0.5, 2_000, 0, 0, ALWAYS_TRUE).defect


def test_a_cell_that_is_known_to_lie_below_the_band_has_a_limit_of_its_own() -> None:
    """Coverage .925 passes with the cell's own limit and fails with that of all other cells."""
    ((metric, design, items), least) = next(iter(KNOWN_LOW.items()))
    known = Coverage(metric, design, items, 0.0, 10_000, 10_000, 9_250)
    assert least < known.limits[0] < LEAST
    assert not known.defect
    assert Coverage(metric, design, items + 1, 0.0, 10_000, 10_000, 9_250).defect
    assert Coverage(metric, design, items, 0.0, 10_000, 10_000, 9_150).defect


def test_no_documented_cell_has_a_defect() -> None:
    """The figures of the documentation keep the rule that new simulations must keep."""
    rows = pd.read_csv(FIGURES, keep_default_na=False)
    figures = [Coverage(*row) for row in rows.itertuples(index=False, name=None)]
    assert len(figures) > 1_800
    assert [figure for figure in figures if figure.defect] == []


def test_every_metric_with_an_interval_is_simulated() -> None:
    """The documentation has figures of each, and of differences of the headline metrics."""
    names = set(pd.read_csv(FIGURES)["metric"])
    simulated = {name.partition(" ")[0] for name in names if not name.startswith("difference: ")}
    simulated |= {"difference"} if "difference: ece" in names else set()
    with_interval = {name for name, about in METRICS.items() if about.interval.method != "none"}
    assert with_interval - simulated == set()


def test_a_cell_that_is_seldom_printed_is_judged() -> None:
    """76% of the intervals of 6% of the samples is a defect, however few they are."""
    assert Coverage("augrc", "", 100, 0.2, 2_000, 120, 91).defect == "covers in 75.8%"


def test_coverage_above_the_band_is_a_defect_unless_the_rule_is_conservative() -> None:
    """It is reported either way."""
    assert Coverage("augrc", "", 100, 0.2, 2_000, 2_000, 1_990).defect
    assert not Coverage("augrc", "", 100, 0.2, 2_000, 2_000, 1_990, "at the end").defect


@pytest.mark.parametrize(
    ("held", "wide", "is_open"),
    [
        (1_800, "", False),  # .90: the upper limit is .917
        (1_860, "", True),  # .93: limits .914 and .944
        (1_900, "", False),  # .95: limits .936 and .962
        (1_950, "", True),  # .975: limits .965 and .983
        (1_950, "at the end", False),
        (1_990, "", False),  # .995: the lower limit is .989
    ],
)
def test_a_cell_is_open_if_its_limits_enclose_a_limit_of_the_band(
    held: int, wide: str, is_open: bool
) -> None:
    """Above the band only where the rule isn't marked conservative."""
    assert Coverage("augrc", "", 100, 0.2, 2_000, 2_000, held, wide).is_open == is_open
    assert not Coverage("augrc", "", 100, 0.2, 2_000, 1_000, held // 2, wide).is_open


def test_open_cells_have_the_coverage_of_further_samples_alone() -> None:
    """.93 of 2,000 samples is open: .94 of 10,000 others replaces it; .95 stays."""
    shares = {
        ("difference: auroc", "80%"): 0.93,
        ("difference: auroc", "90%"): 0.95,
        ("brier", "80%"): 0.95,
    }

    def simulate(
        design: str,
        items: int,
        simulations: int = 2_000,
        *,
        first: int = 0,
        names: Collection[str] | None = None,
    ) -> list[Coverage]:
        assert (simulations, first) == ((10_000, 2_000) if names else (2_000, 0))
        figures = []
        for (metric, level), share in shares.items():
            held = round((share + (0.01 if first else 0)) * simulations)
            cell = metric, f"{design}, {level}", items, 0.7
            figures.append(Coverage(*cell, simulations, simulations, held))
        return [figure for figure in figures if names is None or figure.name in names]

    cells = {}
    for figure in settled(simulate, "tunnel", 50):
        cells[figure.metric, figure.design] = figure.simulations, figure.held
    assert cells == {
        ("difference: auroc", "tunnel, 80%"): (10_000, 9_400),
        ("difference: auroc", "tunnel, 90%"): (2_000, 1_900),
        ("brier", "tunnel, 80%"): (2_000, 1_900),
    }
