"""How often the 95% intervals of FermiEval's numbers hold what they estimate, and the tests."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, entropy
from statsmodels.stats.proportion import proportion_confint

from build import attributes_of, column_of, records_with
from figures import Record
from inspect_confidence.metrics import (
    METRICS,
    NEAREST_TO_ONE,
    TEMPERATURES,
    UNBOUNDED_ABOVE,
    Resampled,
    clustered_wilson_interval,
    conformal_offset,
    conformal_offset_interval,
    conformity_scores,
    extremes_of,
    interval_of,
    interval_scores,
    negative_log_likelihood,
    ranked,
    resampled_p,
    tunnel_index,
)
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.respondents.belief import (
    Beliefs,
    draw_beliefs,
    integer_probabilities,
    stated_bounds,
)
from inspect_confidence.results import Condition, Key
from inspect_confidence.studies.estimate import resample, results_of
from inspect_confidence.studies.fermi_eval.numbers import method_statistics
from inspect_confidence.studies.intervals import Intervals
from inspect_confidence.studies.study import Resampling
from validation.coverage import RUNS, SIZES, Coverage, Rejections, lacking, misjudged, settled

RESAMPLES = 2_000
BATCH = 100
"""Samples that share their resamples' weights."""
POOL = 1_000_000
"""Items that true values are of."""
LEVELS = (80, 90, 95, 99)
PSEUDO_PAIRS = tuple(permutations(range(4), 2))
"""Positions of two different extremes, of which pseudo-pairs are."""

Bounds = tuple[FloatArray, FloatArray]
DESIGNS = {
    "tunnel": {"tunnel": 0.65},
    "calibrated": {},
    "too narrow": {"shrink": 0.36},
    "whole numbers": {"tunnel": 0.65},
}
FEW_MISSES = "half a miss is added, which weighs much beside few; whole numbers"


def stated_intervals(
    design: str, items: int, level: float, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Bounds that a respondent states, of truths that are 0."""
    place = rng.uniform(size=items)
    beliefs = draw_beliefs(np.zeros(items), rng)
    low, high = stated_bounds(beliefs, level, position=place, **DESIGNS[design])
    return (np.floor(low), np.ceil(high)) if design == "whole numbers" else (low, high)


def weights(items: int, rng: np.random.Generator, resamples: int = RESAMPLES) -> FloatArray:
    """Weights of items and, after them, of four pseudo-units in each resample."""
    plan = Resampled(np.zeros(items, np.int64))
    return np.vstack(list(plan.weights(resamples, int(rng.integers(2**31)))))


def covered_by(
    metric: str,
    truth: float,
    samples: Iterator[tuple[float, FloatArray]],
    design: str,
    items: int,
    wide: str = "",
) -> Coverage:
    """The coverage of a metric's intervals of values and draws."""
    printed = holding = simulations = 0
    rule = METRICS[metric].interval
    for value, draws in samples:
        (low, high), reason = interval_of(rule, value, draws, items)
        if not reason:
            assert low <= value <= high
            printed += 1
            holding += low <= truth + 1e-12 and truth - 1e-12 <= high
        simulations += 1
    return Coverage(metric, design, items, truth, simulations, printed, holding, wide)


def of_means(
    values: FloatArray,
    resample_weights: FloatArray,
    greatest: FloatArray | float = -np.inf,
    ends: tuple[float, float] = UNBOUNDED_ABOVE,
) -> Iterator[tuple[float, FloatArray]]:
    """Means and their draws of values of shape (items, simulations).

    Pseudo-units have the ends of the metric's range, and at least the greatest value `greatest`.
    """
    low, high = extremes_of(values, ends)
    high = np.maximum(high, greatest)
    total = resample_weights.sum(axis=1, keepdims=True)
    draws = resample_weights @ np.vstack([values, low, low, high, high]) / total
    yield from zip(values.mean(axis=0), draws.T, strict=True)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.65, 0.9])
@pytest.mark.parametrize("epochs", [1, 2, 5])
def test_clustered_wilson_covers(epochs: int, share: float, record_property: Record) -> None:
    """Wilson's interval at the effective sample size covers however alike an item's epochs are."""
    # Items differ in their probability of success (a beta law with mean `share` and intra-item
    # correlation 1/2), 200 items. The plain interval, which takes every judgment for independent,
    # is reported beside it.
    rng = np.random.default_rng([epochs, int(share * 100)])
    simulations, items = 2_000, 200
    holding, plain = 0, 0
    for _ in range(simulations):
        chances = rng.beta(share, 1 - share, items)  # correlation 1/(share + 1 - share + 1)
        successes = rng.binomial(epochs, chances)
        low, high = clustered_wilson_interval(successes, np.full(items, epochs))
        holding += low <= share <= high
        low, high = proportion_confint(successes.sum(), items * epochs, method="wilson")
        plain += low <= share <= high
    record_property(
        "figure",
        f"95% interval of a share of {share}, 200 items, {epochs} epochs: holds it in "
        f"{holding / simulations:.3f} of 2,000 (judgments taken as independent: "
        f"{plain / simulations:.3f})",
    )
    # Between .93 and .97 in truth, then 99% of the binomial at 2,000 simulations around that.
    assert binom(simulations, 0.93).ppf(0.005) <= holding <= binom(simulations, 0.97).ppf(0.995)


def scores_and_widths(
    design: str,
    items: int,
    simulations: int = RUNS,
    *,
    first: int = 0,
    names: Collection[str] | None = None,
) -> list[Coverage]:
    """Coverage of mean interval scores and mean widths at each level.

    `first` and `names` are as in `confidence_coverage`. Weights are drawn anew for each batch of
    samples, because their own error is the same in all samples that share them.
    """
    rng, figures = np.random.default_rng([items, len(design), first]), []

    def samples(metric: str, level: float) -> Iterator[tuple[float, FloatArray]]:
        """Values and draws of the metric, by sample."""
        for _ in range(simulations // BATCH):
            low, high = stated_intervals(design, items * BATCH, level, rng)
            widths = (high - low).reshape(items, BATCH)
            if metric == "mean_width":
                yield from of_means(widths, weights(items, rng))
                continue
            scores = interval_scores(low, high, np.zeros(len(low)), level).reshape(items, BATCH)
            mean_width = widths.mean(axis=0)
            half_missed = mean_width + mean_width / (1 - level / 100)
            yield from of_means(scores, weights(items, rng), half_missed)

    for level in LEVELS:
        low, high = stated_intervals(design, POOL, level, rng)
        truths = {
            "interval_score": interval_scores(low, high, np.zeros(POOL), level).mean(),
            "mean_width": (high - low).mean(),
        }
        for metric, truth in truths.items():
            if names is None or metric in names:
                wide = FEW_MISSES if metric == "interval_score" else ""
                cell = f"{design}, {level}%", items, wide
                figures.append(covered_by(metric, float(truth), samples(metric, level), *cell))
    return figures


@pytest.mark.slow
@pytest.mark.parametrize("items", SIZES)
@pytest.mark.parametrize("design", DESIGNS)
def test_scores_and_widths(design: str, items: int) -> None:
    """Mean interval scores and mean widths are covered, where there are misses enough."""
    assert not lacking(settled(scores_and_widths, design, items))


@pytest.mark.slow
@pytest.mark.parametrize("items", SIZES)
@pytest.mark.parametrize("design", ["tunnel", "whole numbers"])
def test_median_width(design: str, items: int) -> None:
    """The median width is covered; of whole numbers nearly always, since it is discrete."""
    rng = np.random.default_rng(items)
    low, high = stated_intervals(design, POOL, 90, rng)
    truth, simulations = float(np.median(high - low)), RUNS
    judgments, strata = blank(90, items), weights(items, rng, 400)[:, :items]

    def found() -> Iterator[tuple[float, FloatArray]]:
        for _ in range(simulations):
            low, high = stated_intervals(design, items, 90, rng)
            statistic = replace(judgments, lower=low, upper=high).statistics()["median_width"]
            yield float(np.median(high - low)), statistic(strata)

    wide = "discrete" if design == "whole numbers" else ""
    assert not lacking([covered_by("median_width", truth, found(), design, items, wide)])


def blank(level: float, items: int) -> Intervals:
    """Judgments, one an item, of intervals from 0 to 0 and truths that are 0."""
    zeros = np.zeros(items)
    return Intervals(level, np.arange(items), items, zeros, zeros, zeros, zeros, zeros > 0)


@pytest.mark.slow
@pytest.mark.parametrize("items", SIZES)
def test_means_of_token_methods(items: int) -> None:
    """Set sizes, unseen masses, entropies and tunnel indices, sparse and skewed, are covered."""
    # The index of 4 traces of 3 integers is of as many traces: the mean over a pool of items.
    rng = np.random.default_rng(items)
    resample_weights = weights(items, rng)
    traces = rng.dirichlet([0.3, 0.3, 0.3], size=(4_000, 4))
    pools = {
        "mean_set_size": np.ceil(np.diff(stated_intervals("tunnel", POOL, 90, rng), axis=0)[0]),
        "unseen_mass": rng.beta(0.1, 5, POOL),
        "unseen_mass ": np.where(rng.random(POOL) < 0.2, rng.beta(1, 5, POOL), 0),
        "decoding_entropy": entropy(traces, axis=2, base=2).mean(axis=1),
        "tunnel_index": np.array(list(map(tunnel_index, traces))),
        "residual_tunnel_index": np.exp(-3 * np.array(list(map(tunnel_index, traces)))),
    }
    figures = []
    for metric, pool in pools.items():
        name = metric.strip()
        ends = (0, 1) if name == "unseen_mass" else UNBOUNDED_ABOVE
        sample = rng.choice(pool, size=(items, RUNS))
        means_of_pool = of_means(sample, resample_weights, ends=ends)
        wide = "most have none" if metric.endswith(" ") else ""
        figures.append(covered_by(name, pool.mean(), means_of_pool, "a pool of items", items, wide))
    assert not lacking(figures)


@pytest.mark.slow
@pytest.mark.parametrize("items", SIZES)
@pytest.mark.parametrize("design", [*DESIGNS][:3])
def test_coverage_plateau(design: str, items: int) -> None:
    """The coverage plateau over four levels, each asked in a conversation of its own."""
    rng = np.random.default_rng([items, 2])

    def ratios(n: int) -> FloatArray:
        beliefs = draw_beliefs(np.zeros(n), rng)
        coverage_ratios = np.zeros(n)
        for level in LEVELS:
            low, high = stated_bounds(
                beliefs, level, position=rng.uniform(size=n), **DESIGNS[design]
            )
            coverage_ratios += ((low <= 0) & (high >= 0)) / (level / 100) / len(LEVELS)
        return coverage_ratios

    values = ratios(items * RUNS).reshape(items, RUNS)
    # The study's pseudo-units hit, or miss, at every level.
    ends = 0.0, float(np.mean([100 / level for level in LEVELS]))
    mean_ratios = of_means(values, weights(items, rng), ends=ends)
    truth, wide = ratios(POOL).mean(), METRICS["coverage_plateau"].interval.conservative
    figure = covered_by("coverage_plateau", truth, mean_ratios, design, items, wide)
    assert not lacking([figure])


@pytest.mark.slow
@pytest.mark.parametrize("items", SIZES)
def test_shares(items: int) -> None:
    """Wilson's interval of coverage and misses, from perfect to none; exact, over all counts."""
    counts, denominator, figures = np.arange(items + 1), 10_000, []
    ends = np.array(
        [clustered_wilson_interval([1] * k + [0] * (items - k), [1] * items) for k in counts]
    )
    for share in (0.0, 0.025, 0.05, 0.35, 0.65, 0.9, 0.95, 1.0):
        probability = (
            binom(items, share).pmf(counts)[(ends[:, 0] <= share) & (share <= ends[:, 1])].sum()
        )
        wide = "the end of its range, or discrete" if min(share, 1 - share) <= 0.1 else ""
        figures.append(
            Coverage(
                "coverage",
                "binomial",
                items,
                share,
                denominator,
                denominator,
                round(probability * denominator),
                wide,
            )
        )
    assert not lacking(figures)


@pytest.mark.slow
@pytest.mark.parametrize("items", SIZES)
@pytest.mark.parametrize("level", LEVELS)
def test_conformal_offset(level: int, items: int) -> None:
    """The order statistics hold the quantile that the offset estimates; discrete, so over 95%."""
    rng = np.random.default_rng([level, items])

    def scores(n: int) -> FloatArray:
        return conformity_scores(*stated_intervals("tunnel", n, level, rng), np.zeros(n))

    truth = float(np.quantile(scores(POOL), level / 100))
    holding = printed = 0
    for _ in range(RUNS):
        sample_scores, zeros = scores(items), np.zeros(items)
        # Of bounds (score, infinity) and truth 0 the score is the lower bound.
        low, high = conformal_offset_interval(sample_scores, zeros + np.inf, zeros, level)
        assert low <= conformal_offset(sample_scores, zeros + np.inf, zeros, level) <= high
        printed += not np.isnan(low)
        holding += low <= truth <= high
    counts, wide = (RUNS, printed, holding), "the law of a count is discrete"
    figure = Coverage("conformal_offset", f"tunnel, {level}%", items, truth, *counts, wide)
    assert not lacking([figure])


@pytest.mark.slow
@pytest.mark.parametrize("distortion", [0.5, 1.0, 2.0])
def test_temperature_of_maximum_likelihood(distortion: float) -> None:
    """The likeliest temperature on the grid is covered from 100 train items on."""
    rng = np.random.default_rng(int(distortion * 10))
    pool, reported, truths = 4_000, [], []
    beliefs = draw_beliefs(rng.integers(-10, 20, pool).astype(float), rng)
    for mean, sd in zip(beliefs.mean, beliefs.sd, strict=True):
        masses = integer_probabilities(Beliefs(np.array([mean]), np.array([sd])))
        p = np.array(list(masses.values())) / sum(masses.values())
        truths.append(rng.choice(list(masses), p=p))
        reported.append(dict(zip(masses, p ** (1 / distortion), strict=True)))
    values, masses_of = ranked(reported)
    grid = TEMPERATURES[NEAREST_TO_ONE]
    truth = np.array(truths, float)
    losses = np.column_stack(
        [negative_log_likelihood(values, masses_of, truth, temperature) for temperature in grid]
    )
    best, figures = float(grid[losses.sum(axis=0).argmin()]), []
    for items in SIZES:
        resample_weights = weights(items, rng, 400)[:, :items]

        def found(
            items: int = items, resample_weights: FloatArray = resample_weights
        ) -> Iterator[tuple[float, FloatArray]]:
            for _ in range(200):
                sample_losses = losses[rng.integers(pool, size=items)]
                yield (
                    grid[sample_losses.sum(axis=0).argmin()],
                    grid[(resample_weights @ sample_losses).argmin(axis=1)],
                )

        design = f"p^(1/{distortion})"
        figures.append(covered_by("temperature_nll", best, found(), design, items, "a grid"))
    assert not lacking(figures)


def frame(items: int, level: int, epochs: int, rng: np.random.Generator) -> pd.DataFrame:
    """Judgments of a tunnel respondent: half of the items train, one in ten replies unreadable."""
    beliefs = draw_beliefs(np.zeros(2 * items), rng)
    frames = []
    for epoch in range(epochs):
        place = rng.uniform(size=2 * items)
        low, high = stated_bounds(beliefs, level, tunnel=0.65, position=place)
        read = rng.random(2 * items) < 0.9
        frames.append(
            pd.DataFrame(
                {
                    **{"item": np.arange(2 * items), "epoch": epoch + 1, "truth": 0.0},
                    "split": np.where(np.arange(2 * items) < items, "train", "test"),
                    "status": np.where(read, "ok", "refusal"),
                    **{"lower": np.where(read, low, np.nan), "upper": np.where(read, high, np.nan)},
                }
            )
        )
    return pd.concat(frames).assign(level=float(level), method="direct", draw=0.0, reversed=None)


@pytest.mark.slow
@pytest.mark.parametrize(("items", "level"), [(30, 80), (109, 80), (109, 99), (300, 95)])
def test_the_studys_own_numbers(items: int, level: int) -> None:
    """Through the study, at two epochs with unreadable replies: stated, and after adjustment.

    What is adjusted is of the offset that was learned: the true values are those at that offset.
    """
    rng = np.random.default_rng([items, level, 3])
    low, high = stated_intervals("tunnel", POOL // 4, level, rng)
    truths = blank(level, POOL // 4)
    pool = replace(truths, lower=low, upper=high, unit_count=POOL // 4)

    def true_values(offset: float) -> dict[str, float]:
        values = pool.move_bounds(offset).values()
        means = {name: float(metric_values.mean()) for name, metric_values in values.items()}
        means["coverage_gap"] = means["coverage"] - level / 100
        means["median_width"] = float(np.median(values["mean_width"]))
        before = pool.values()["interval_score"].mean()
        return means | {"interval_score_change": means["interval_score"] - before}

    plain, simulations = true_values(0), 200
    counts: dict[tuple[str, str], list[int]] = {}
    for seed in range(simulations):
        rows = frame(items, level, 2, rng)
        strata = (np.arange(2 * items) < items).astype(np.int64)
        drawn_estimands = resample(
            method_statistics(rows, Condition()), strata, Resampling(400, seed)
        )
        results = results_of(drawn_estimands, Key("fermi_eval", "m", "own"))
        offset = attributes_of(records_with(results, metric="conformal_offset"), "value")[0]
        at_offset = true_values(offset) | {"conformal_offset": np.nan}
        for result in results:
            after = "method=conformal" in result.condition
            truth = (at_offset if after else plain).get(result.metric, np.nan)
            if np.isnan(truth) or "split=test" not in result.condition:
                continue
            tally = counts.setdefault((result.metric, "conformal" if after else "stated"), [0, 0])
            tally[0] += not np.isnan(result.ci_low)
            tally[1] += result.ci_low <= truth <= result.ci_high
            assert result.asked == 2 * items, result
            assert items <= result.n <= 2 * items, result
    assert len(counts) > 10
    assert not lacking(
        Coverage(
            metric,
            f"{method} {level}%, 2 epochs, unreadable",
            items,
            plain[metric],
            simulations,
            printed,
            holding,
            FEW_MISSES,
        )
        for (metric, method), (printed, holding) in counts.items()
    )


def pair(design: str, items: int, level: int, rng: np.random.Generator) -> list[Bounds]:
    """Bounds that two contenders state, of truths that are 0."""
    beliefs = draw_beliefs(np.zeros(items), rng)
    other_beliefs = draw_beliefs(np.zeros(items), rng)
    if design == "alike":
        sides = [
            stated_bounds(contender, level, tunnel=0.65, position=rng.uniform(size=items))
            for contender in (beliefs, other_beliefs)
        ]
    else:  # one too narrow, the other too wide with the same score, or calibrated
        wide = WIDE[level] if design == "equal score" else 1
        sides = [
            stated_bounds(contender, level, shrink=shrink)
            for contender, shrink in ((beliefs, 0.6), (other_beliefs, wide))
        ]
    return sides


def score_differences(
    sides: list[Bounds], level: int, items: int, rng: np.random.Generator
) -> Iterator[tuple[float, FloatArray]]:
    """Differences of mean interval scores and their draws, as `compare` resamples pairs."""
    plan = Resampled(np.zeros(items, np.int64))
    seed = int(rng.integers(2**31))
    pair_weights = np.vstack(list(plan.weights(RESAMPLES, seed, len(PSEUDO_PAIRS), 1 / 8)))
    total = pair_weights.sum(axis=1, keepdims=True)
    means, draws = [], []
    for side, (low, high) in enumerate(sides):
        scores = interval_scores(low, high, np.zeros(len(low)), level).reshape(items, -1)
        mean_width = (high - low).reshape(items, -1).mean(axis=0)
        least, greatest = extremes_of(scores, UNBOUNDED_ABOVE)
        greatest = np.maximum(greatest, mean_width + mean_width / (1 - level / 100))
        extremes = np.array([least, least, greatest, greatest])
        pseudo_scores = extremes[column_of(PSEUDO_PAIRS, side)]
        means.append(scores.mean(axis=0))
        draws.append(pair_weights @ np.vstack([scores, pseudo_scores]) / total)
    yield from zip(means[0] - means[1], (draws[0] - draws[1]).T, strict=True)


WIDE = {80: 1.512, 99: 2.649}
"""How much too wide intervals are whose score is that of 0.6 times their right width.

For a normal belief with standard deviation s the score of c times the width, 2 c z s + 4/alpha s
(phi(c z) - c z Phi(-c z)), is the same at c = 0.6 and at this."""


@pytest.mark.slow
@pytest.mark.parametrize("items", SIZES)
@pytest.mark.parametrize("level", [80, 99])
def test_differences_of_scores(level: int, items: int) -> None:
    """Two contenders of equal score and unequal widths are told apart in 5%; power is shown."""
    rng = np.random.default_rng([level, items, 4])
    rule, levels = METRICS["interval_score"].interval, []
    for design in ("alike", "equal score", "power"):
        sides = pair(design, items * RUNS, level, rng)
        is_rejected = [
            resampled_p(value, draws, items, method=rule.method) < 0.05
            for value, draws in score_differences(sides, level, items, rng)
        ]
        if is_rejected and (design != "power" or items == SIZES[-1]):
            levels.append(
                Rejections(
                    "difference: interval_score",
                    f"{design}, {level}%",
                    items,
                    len(is_rejected),
                    sum(is_rejected),
                    power=design == "power",
                    discrete=True,
                )
            )
    assert not misjudged(levels)
