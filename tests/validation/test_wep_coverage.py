"""How often the intervals of the study of words hold the true value, and how often tests reject."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from itertools import product
from operator import attrgetter

import numpy as np
import pandas as pd
import pytest

from build import attributes_of, column_of, frame_rows, numbered, prefixed, shares_of
from inspect_confidence import summarize
from inspect_confidence.datasets.wep_survey import surveyed_counts
from inspect_confidence.metrics import brunner_munzel, mean_interval, median_interval, sign_flips
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.words import BrunnerMunzel
from inspect_confidence.results import Condition
from inspect_confidence.studies.wep_probes import choices
from inspect_confidence.studies.wep_probes.words import _difference_of_medians
from validation.coverage import RUNS, Coverage, Rejections, lacking, misjudged, settled

Law = Mapping[float, float]
"""The shares of values in percent."""

SIZES = (15, 30, 46, 100, 300, 1_000)
TIED = "values are tied, order statistics discrete"


def people(word: str) -> Law:
    """What people say a word means."""
    return shares_of(surveyed_counts()[word])


def bell(mean: float, spread: float) -> Law:
    """A normal law on a 5-point grid."""
    grid = np.arange(0.0, 101, 5)
    mass = np.exp(-(((grid - mean) / spread) ** 2) / 2)
    return dict(zip(grid.tolist(), (mass / mass.sum()).tolist(), strict=True))


def samples(law: Law, n: int, simulations: int, seed: int) -> FloatArray:
    """Simulated samples, a row each."""
    rng = np.random.default_rng([seed, n])
    return rng.choice(np.array([*law]), (simulations, n), p=[*law.values()])


def without_empty(intervals: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """The intervals, and NaN for both ends of those that have no width."""
    ends = np.array(list(intervals))
    ends[~(ends[:, 0] < ends[:, 1])] = np.nan
    return list(map(tuple, ends.tolist()))


def mean_of(law: Law) -> float:
    """Its mean."""
    return float(np.average(list(law), weights=list(law.values())))


def median_of(law: Law) -> float:
    """Its median."""
    values = sorted(law)
    reached = np.cumsum(list(map(law.__getitem__, values)))
    return values[int(np.searchsorted(reached, 0.5))]


def theta_of(first: Law, second: Law) -> float:
    """P(first > second) + P(equal)/2."""
    theta = 0.0
    for (value, share), (against, second_share) in product(first.items(), second.items()):
        theta += share * second_share * ((value > against) + (value == against) / 2)
    return theta


def covered(
    metric: str, design: str, n: int, truth: float, ends: list[tuple[float, float]], wide: str = ""
) -> Coverage:
    """How often the intervals hold the truth."""
    array = np.array(ends)
    printed = ~np.isnan(array[:, 0])
    holding = (array[:, 0] <= truth + 1e-9) & (truth - 1e-9 <= array[:, 1])
    counts = len(array), int(printed.sum()), int(holding.sum())
    return Coverage(metric, design, n, truth, *counts, wide)


def rejected(
    test: str, design: str, n: int, p_values: list[float], *, power: bool = False
) -> Rejections:
    """How often p is below .05: in 5% or fewer, since few values make it discrete."""
    below = int((np.array(p_values) < 0.05).sum())
    return Rejections(test, design, n, len(p_values), below, power, discrete=True)


ALONE: Mapping[str, Law] = {
    "people on 'probably not'": people("probably not"),
    "people on 'we believe'": people("we believe"),
    "nine in ten near 90": bell(90, 7),
    "80, one in seven 70": {80: 6 / 7, 70: 1 / 7},
    "always 70": {70: 1.0},
}


@pytest.mark.slow
@pytest.mark.parametrize("design", ALONE)
def test_mean_and_median(design: str) -> None:
    """Of one word, at the study's number of contexts and beyond."""
    law = ALONE[design]
    discreteness = "two values: discrete" if len(law) == 2 else ""
    figures = []
    for n in SIZES:
        simulated = samples(law, n, RUNS, 1)
        ends = list(map(mean_interval, simulated / 100))
        figures.append(
            covered("mean_probability", design, n, mean_of(law) / 100, ends, discreteness)
        )
        ends = without_empty(map(median_interval, simulated / 100))
        figures.append(covered("median_probability", design, n, median_of(law) / 100, ends, TIED))
    assert not lacking(figures)


def twin_rows(simulations: int) -> pd.DataFrame:
    """As many words as simulations, each in 15 contexts that are female and male alike.

    Of the variance 92% lies between contexts, the rest between their two wordings.
    """
    rng = np.random.default_rng(11)
    event = rng.normal(0.6, 0.1, (simulations, 15, 1))
    values = (event + rng.normal(0, 0.03, (simulations, 15, 2))).clip(0, 1)
    word, context, gender = (place.ravel() for place in np.indices(values.shape))
    setting = np.array(["female", "male"])[gender]
    return pd.DataFrame(
        {
            "task": "wep_elicitation",
            "item": [f"{name}-{place}" for name, place in zip(setting, context, strict=True)],
            "context": prefixed("gendered-", context),
            "setting": setting,
            "language": "en",
            "word": prefixed("word ", word),
            "probability": values.ravel(),
        }
    )


@pytest.mark.slow
def test_twin_contexts_count_once_in_all_settings() -> None:
    """Taken as independent, female and male versions would give an interval that holds in .86."""
    results = summarize(twin_rows(1_000), resamples=1)
    figures = []
    for metric in ("mean_probability", "median_probability"):
        rows = results[results["metric"] == metric]
        pooled = rows[[Condition.read(text)["setting"] == "all" for text in rows["condition"]]]
        ends = [*zip(pooled["ci_low"], pooled["ci_high"], strict=True)]
        wide = "" if metric == "mean_probability" else TIED
        design = "15 contexts, female and male, all settings"
        figures.append(covered(metric, design, 15, 0.6, ends, wide))
    assert not lacking(figures)


@pytest.mark.slow
def test_median_of_values_without_ties() -> None:
    """Of an even law, where nothing but the ranks is discrete."""
    figures = []
    for n in (6, 10, *SIZES):
        rng = np.random.default_rng(n)
        ends = list(map(median_interval, rng.uniform(size=(RUNS, n))))
        discreteness = "few ranks" if n < 30 else ""
        figures.append(covered("median_probability", "even", n, 0.5, ends, discreteness))
    assert not lacking(figures)


PAIRS: Mapping[str, tuple[Law, Law]] = {
    "the same law": (people("likely"), people("likely")),
    "wide against narrow": (bell(50, 20), bell(50, 6)),
    "narrow against wide": (bell(50, 6), bell(50, 20)),
    "ten points apart": (bell(60, 12), bell(50, 12)),
    "fifteen points apart": (bell(65, 10), bell(50, 10)),
    "people against 80 or 85": (people("likely"), {80: 0.5, 85: 0.5}),
    "people against always 70": (people("likely"), {70: 1.0}),
    "nearly separated": (bell(70, 8), bell(50, 8)),
    "separated": ({90: 1.0}, {70: 1.0}),
}


def separation_samples(
    design: str, against: int, n: int, simulations: int, first: int = 0
) -> tuple[FloatArray, FloatArray, list[BrunnerMunzel]]:
    """Samples of the first law, of the second law, and the comparison of each pair."""
    first_law, second_law = PAIRS[design]
    first_samples = samples(first_law, against, simulations, first + 2)
    second_samples = samples(second_law, n, simulations, first + 3)
    comparisons = [
        brunner_munzel(a, b, interval="logit")
        for a, b in zip(first_samples, second_samples, strict=True)
    ]
    return first_samples, second_samples, comparisons


def separation_coverage(
    design: str,
    n: int,
    simulations: int = RUNS,
    *,
    against: int,
    first: int = 0,
    names: Collection[str] | None = None,
) -> list[Coverage]:
    """Coverage of theta and of the difference of medians, for `n` values against `against`."""
    first_law, second_law = PAIRS[design]
    theta, gap = theta_of(first_law, second_law), median_of(first_law) - median_of(second_law)
    first_samples, second_samples, comparisons = separation_samples(
        design, against, n, simulations, first
    )
    ends = list(map(attrgetter("ci_low", "ci_high"), comparisons))
    sizes = f"{design}, {against} against"
    wide = "both samples small or few values: discrete" if n <= 30 else ""
    figures = [covered("brunner_munzel_theta", sizes, n, theta, ends, wide)]
    if names is None or "median_difference" in names:
        ends = without_empty(map(_difference_of_medians, first_samples, second_samples))
        figures.append(covered("median_difference", sizes, n, gap, ends, TIED))
    return figures


@pytest.mark.slow
@pytest.mark.parametrize("design", PAIRS)
def test_theta_and_difference_of_medians(design: str) -> None:
    """Against 123 people and against as many contexts; p of theta = 1/2 where it is so."""
    first, second = PAIRS[design]
    figures, levels = [], []
    for n, against in [(n, 123) for n in SIZES] + [(15, 15), (30, 30), (100, 100)]:
        figures += settled(partial(separation_coverage, against=against), design, n)
        if design == "separated" or abs(theta_of(first, second) - 0.5) < 1e-9:
            *_, comparisons = separation_samples(design, against, n, RUNS)
            ps = attributes_of(comparisons, "p")
            if design == "separated":
                assert max(ps) < 2e-8
            else:
                levels.append(rejected("Brunner-Munzel", f"{design}, {against} against", n, ps))
    assert not lacking(figures)
    assert not misjudged(levels)


@pytest.mark.slow
@pytest.mark.parametrize("design", [*PAIRS][:3])
def test_level_of_few_values(design: str) -> None:
    """Also with unequal variances and ties, from five values on."""
    first, second = PAIRS[design]
    levels = []
    for n, against in [(5, 5), (5, 123), (8, 15), (9, 9), (10, 11)]:
        first_samples, second_samples = samples(first, against, 300, 4), samples(second, n, 300, 5)
        ps = attributes_of(map(brunner_munzel, first_samples, second_samples), "p")
        levels.append(rejected("Brunner-Munzel", f"{design}, {against} against", n, ps))
    assert not misjudged(levels)


@pytest.mark.slow
@pytest.mark.parametrize("shift", [0, 5])
def test_paired_difference(shift: int) -> None:
    """Contexts that two sides share; p rejects no difference as often as it should, and a shift."""
    figures, levels = [], []
    for law, spread in (("ties", 5), ("heavy tails", 0)):
        for n in (10, *SIZES):
            rng = np.random.default_rng([n, shift, spread])
            steps = rng.choice([-10, -5, 0, 5, 10], (RUNS, n), p=[0.1, 0.2, 0.4, 0.2, 0.1])
            gaps = shift + (steps if spread else 4 * rng.standard_t(4, (RUNS, n)))
            results = [sign_flips(row, resamples=500, seed=i) for i, row in enumerate(gaps)]
            wide = "few patterns of signs" if n <= 30 else ""
            ends = column_of(results, 1)
            design, ps = f"{law}, shift {shift}", column_of(results, 0)
            figures.append(covered("paired_difference", design, n, shift, ends, wide))
            if not shift or n >= 15:
                levels.append(rejected("paired signs", design, n, ps, power=shift > 0))
    assert not lacking(figures)
    assert not misjudged(levels)


SCORES = {
    "all right": (1.0, 0.0, 0.0),
    "half, clusters alike": (0.5, 0.3, 0.0),
    "nine in ten": (0.9, 0.05, 0.0),
    "scenarios apart": (0.7, 0.3, 0.15),
    "chance, independent": (0.2, 0.0, 0.0),
}


SCORES_BY_UNITS = {
    2: ("monotonicity_consistency", "choice_sensitivity"),
    5: ("pairwise_consistency",),
    8: ("empirical_monotonicity_consistency",),
    10: ("empirical_consistency",),
}
"""Scores of numbers to words by the number of scored sets of prompts in a cluster."""


def scored(design: str, scenarios: int, per: int, units: int, seed: int) -> pd.DataFrame:
    """Units of clusters of scenarios, each with a share of its own around its scenario's."""
    mean, correlation, spread = SCORES[design]
    rng = np.random.default_rng([seed, scenarios, per, units])
    scenario = np.repeat(np.arange(scenarios), per)
    shares = mean + spread * (scenario - (scenarios - 1) / 2)
    if correlation:
        size = (1 - correlation) / correlation
        shares = rng.beta(shares * size, (1 - shares) * size)
    holds = rng.uniform(size=(len(shares), units)) < shares[:, None]
    cluster = np.repeat([f"{index}|{k}" for k, index in enumerate(scenario)], units)
    return pd.DataFrame(
        {
            "value": holds.ravel().astype(float),
            "cluster": cluster,
            "scenario": np.repeat(scenario.astype(str), units),
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize("design", SCORES)
def test_scores_and_contrasts(design: str) -> None:
    """Shares over the design's 12, 18 and 36 clusters, and differences of two that are equal."""
    figures, levels = [], []
    for scenarios, per in ((1, 12), (3, 6), (3, 12)):
        for units, scores_of_units in SCORES_BY_UNITS.items():
            means, gap_means = [], []
            for number in range(RUNS):
                scores = scored(design, scenarios, per, units, 2 * number)
                second_scores = scored(design, scenarios, per, units, 2 * number + 1)
                gaps = scores.assign(value=scores["value"] - second_scores["value"])
                means.append(choices._ClusteredMean.from_units(scores))
                gap_means.append(choices._ClusteredMean.from_units(gaps))
            ends = choices._wilson_intervals(means)
            n, truth = scenarios * per, SCORES[design][0]
            # Few units at their own size, which is smaller than that of independent ones.
            wide = "at the end" if truth == 1 else "few clusters: Wilson's is the wider"
            for score in scores_of_units:
                figures.append(covered(score, design, n, truth, ends, wide))
            clusters_text = f"{design}, clusters of {units}"
            levels.append(
                rejected("contrast", clusters_text, n, list(map(choices._p_value, gap_means)))
            )
    assert not lacking(figures)
    assert not misjudged(levels)


@pytest.mark.slow
def test_power_of_a_contrast() -> None:
    """Scores of .9 and .5 are told apart on the design's 18 clusters."""
    ps = []
    for i in range(200):
        high = scored("nine in ten", 3, 6, 10, 2 * i)
        low = scored("half, clusters alike", 3, 6, 10, 2 * i + 1)
        gap = choices._ClusteredMean.from_units(high.assign(value=high["value"] - low["value"]))
        ps.append(choices._p_value(gap))
    design = ".9 against .5, clusters of 10"
    assert not misjudged([rejected("contrast", design, 18, ps, power=True)])


@pytest.mark.slow
def test_whole_path_of_two_epochs() -> None:
    """From judgments, two epochs and one in ten unreadable, of a word in 17 contexts or fewer."""
    law, simulations = bell(70, 10), 300
    names = ("mean_probability", "median_probability", "brunner_munzel_theta")
    ends: dict[str, list[tuple[float, float]]] = defaultdict(list)
    contexts = numbered("context-", 17, digits=2)
    for seed in range(simulations):
        rng = np.random.default_rng(seed)
        values = rng.choice([*law], 17, p=[*law.values()]) / 100
        rows = pd.DataFrame(
            {
                "task": "wep_elicitation",
                "item": contexts * 2,
                "context": contexts * 2,
                "setting": "concise",
                "language": "en",
                "word": "likely",
                "epoch": np.repeat([1, 2], 17),
                "status": np.where(rng.uniform(size=34) < 0.1, "refusal", "ok"),
                "probability": np.tile(values, 2),
            }
        )
        rows.loc[rows["status"] != "ok", "probability"] = np.nan
        result_rows = frame_rows(summarize(rows, resamples=5))
        results = dict(zip(column_of(result_rows, "metric"), result_rows, strict=True))
        for name in names:
            row = results[name]
            assert Condition.read(str(row["condition"]))["word"] == "likely"
            ends[name].append((float(row["ci_low"]), float(row["ci_high"])))
    truths = (mean_of(law) / 100, median_of(law) / 100, theta_of(people("likely"), law))
    # People are always the same 123, who are no sample of themselves here.
    wide = "people are not drawn anew, values are tied"
    assert not lacking(
        covered(name, "two epochs, unreadable ones", 17, truth, ends[name], wide)
        for name, truth in zip(names, truths, strict=True)
    )
