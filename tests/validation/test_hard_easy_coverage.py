"""How often LifeEval's intervals hold, and whether question sets give back what was put in."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from inspect_ai import eval
from scipy.integrate import quad
from scipy.stats import binomtest, norm

from figures import Record
from inspect_confidence import metrics, read_judgments, summarize
from inspect_confidence.datasets.life_tables import read_life_table
from inspect_confidence.metrics import ConfidenceTables, ItemTables, meta_d, percentile_interval
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.smooth import QUANTILE, WAVES
from inspect_confidence.results import Condition, Key
from inspect_confidence.studies.estimate import ordered_units, resample, results_of
from inspect_confidence.studies.life_eval import numbers
from inspect_confidence.studies.life_eval.judgments import CLUSTERS, age_clusters, age_names
from inspect_confidence.studies.study import Resampling
from inspect_confidence.tasks.question_sets import question_sets
from validation.coverage import RUNS, Coverage, lacking, settled

RESAMPLES = 1_000
TOOLBOX = [
    form
    for form in numbers.METRICS_OF_CHANCES
    if metrics.METRICS[form.metric].interval.over(CLUSTERS).method != "none"
]
RADII = (1, 5, 10, 20)
AGES = np.arange(0, 101, 2)
WIDE = "the quantile is for residuals smooth over 15 years; trends beside MAS count as error"


def name_of(metric: str, condition: Mapping[str, object]) -> str:
    """A metric, with the coverage that it is at."""
    return f"{metric} {Condition(condition)}".strip()


@dataclass(frozen=True)
class People:
    """Judgments of LifeEval that are alike within decades and radii, or smoothly over age.

    Attributes:
        sensitivity: Of confidence to the maximum achievable score; the hard-easy slope falls by it.
        length: Of the Gaussian processes of confidence and of the answers' shortfall, in years;
            each decade of a radius has an effect of its own if 0.
        radii: Of the windows.
    """

    sensitivity: float
    length: float = 0.0
    radii: tuple[int, ...] = RADII

    @property
    def design(self) -> str:
        """In a few words."""
        residuals = f"smooth over {self.length:g} years" if self.length else "by decade and radius"
        radius_text = "" if self.radii == RADII else f", radius {self.radii[0]}"
        return f"sensitivity {self.sensitivity:g}, residuals {residuals}{radius_text}"

    @cached_property
    def items(self) -> pd.DataFrame:
        """One sex, with the maximum achievable score."""
        lives = read_life_table("ssa-2022")
        rows = []
        for radius, age in product(self.radii, AGES):
            best = lives.best_answer("male", int(age), radius)
            rows.append((f"{age}-{radius}", age, radius, best.probability))
        frame = pd.DataFrame(rows, columns=["item", "age", "radius", "mas"])
        return frame.assign(unit=age_names(frame))

    @cached_property
    def root(self) -> FloatArray:
        """Of the covariance of the effects over the ages of a radius."""
        if self.length:
            covariance = np.exp(-0.5 * ((AGES[:, None] - AGES) / self.length) ** 2)
        else:
            covariance = (AGES[:, None] // 10 == AGES // 10) * 1.0
        return np.asarray(np.linalg.cholesky(covariance + 1e-8 * np.eye(len(AGES))))

    def drawn(self, rng: np.random.Generator, size: int) -> tuple[FloatArray, FloatArray]:
        """Confidence and true probability, of shape (size, epochs, items)."""
        noise = rng.normal(size=(2, size, 1, len(self.radii), len(AGES))) @ self.root.T
        sure, short = noise.reshape(2, size, 1, -1)
        maximum = self.items["mas"].to_numpy(float)
        shape = (size, 2, len(maximum))
        stated_confidence = 0.6 + self.sensitivity * (maximum - 0.57) + 0.1 * sure
        stated_confidence = stated_confidence + rng.normal(0, 0.05, shape)
        confidence = (
            np.round(np.clip(stated_confidence, 0, 1) * 40) / 40
        )  # .025 to the next: half are rounded
        return confidence, maximum * norm.cdf(1 + short + rng.normal(0, 0.2, shape))

    def truths(self) -> dict[str, float]:
        """Of 2,000 sets of judgments together; the slope by numpy's least squares."""
        maximum = self.items["mas"].to_numpy(float)
        sure, truth = (
            array.reshape(-1, len(maximum)) for array in self.drawn(np.random.default_rng(1), 2_000)
        )
        c, p = sure.ravel(), truth.ravel()
        # A true probability stands for outcomes of 0 and 1, over which the score is averaged.
        calibration = {"auroc": metrics.auroc(c, p), "brier": float(np.mean(c**2 - 2 * c * p + p))}
        table = ItemTables.from_judgments(c, p).total_table()
        return {
            **calibration,
            **{
                name_of(form.metric, form.condition): float(form.value(table)[0])
                for form in TOOLBOX
            },
            "accuracy": float(p.mean()),
            "mean_confidence": float(c.mean()),
            "overconfidence": float(c.mean() - p.mean()),
            "optimal_answer_gap": float(maximum.mean() - p.mean()),
            "confidence_truth_correlation": float(np.corrcoef(c, p)[0, 1]),
            "round_rate": float(np.isclose(c * 20 % 1, 0, atol=1e-6).mean()),
            "hard_easy_slope": float(np.polyfit(1 - maximum, (sure - truth).mean(axis=0), 1)[0]),
        }

    def judged(self, rng: np.random.Generator) -> pd.DataFrame:
        """Judgments at two epochs, a tenth of them unreadable."""
        sure, truth = self.drawn(rng, 1)
        frame = pd.concat([self.items, self.items], ignore_index=True)
        read = rng.random(len(frame)) > 0.1
        return frame.assign(
            dataset="d",
            confidence=np.where(read, sure.ravel(), np.nan),
            score=np.where(read, truth.ravel(), np.nan),
            status=np.where(read, "ok", "refusal"),
        )


def covered(
    people: People,
    ages: int,
    simulations: int = RUNS,
    *,
    first: int = 0,
    names: Collection[str] | None = None,
) -> list[Coverage]:
    """The study's own intervals of simulated judgments.

    Args:
        people: What the judgments are like.
        ages: Number of ages that are asked, one unit each.
        simulations: Sets of judgments.
        first: Number of the first set; other numbers give other judgments.
        names: Metrics to count; all by default.
    """
    truths, rng = people.truths(), np.random.default_rng(5 + first)
    counts = {name: [0, 0] for name in truths if names is None or name.split()[0] in names}
    resampling = Resampling(resamples=RESAMPLES, seed=3)
    units = ordered_units(people.items)
    assert len(units) == ages
    for _ in range(simulations):
        rows = people.judged(rng)
        estimands = [*numbers.judgment_statistics(rows, units, Condition(), resampling)]
        estimands += numbers.extra_statistics(rows, units, Condition(), resampling)
        if len(people.radii) > 1:  # within a radius there is no slope in the results
            estimands.append(numbers.hard_easy_statistics(rows, units, Condition()))
        drawn_estimands = resample(estimands, len(units), resampling, clusters=age_clusters(rows))
        for row in results_of(drawn_estimands, Key("life_eval", "m", "d")):
            name = name_of(row.metric, Condition.read(row.condition))
            if name in counts and not np.isnan(row.ci_low):
                assert row.ci_low <= row.value <= row.ci_high
                counts[name][0] += 1
                counts[name][1] += row.ci_low <= truths[name] <= row.ci_high
    return [
        Coverage(name, people.design, len(units), truths[name], simulations, printed, holding, WIDE)
        for name, (printed, holding) in counts.items()
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "people",
    [
        People(0.8, 12),
        *(
            pytest.param(people, marks=pytest.mark.thorough)
            for people in (
                People(0.2, 12),
                People(0.2),
                People(0.8),
                People(0.2, radii=(5,)),
                People(0.8, radii=(20,)),
            )
        ),
    ],
    ids=lambda people: people.design,
)
def test_intervals_of_life_eval_cover(people: People) -> None:
    """Of residuals smooth over twelve years, as recorded answers have, and alike in decades."""
    assert not lacking(settled(covered, people, len(AGES)))


def test_the_quantile_is_that_of_residuals_smooth_over_fifteen_years() -> None:
    """Of 200,000 means of Gaussian residuals 95% lie within `QUANTILE` standard errors of 0."""
    residuals = np.random.default_rng(4).normal(size=(200_000, len(AGES))) @ People(0, 15).root.T
    places = (np.arange(len(AGES)) + 0.5) / len(AGES)
    waves = np.sqrt(2) * np.cos(np.pi * np.outer(np.arange(1, WAVES + 1), places))
    trend = waves @ People(0).items.groupby("age")["mas"].mean().to_numpy()
    variation = residuals @ waves.T / len(AGES)
    unexplained = variation - np.outer(variation @ trend / (trend @ trend), trend)
    standard_error = np.sqrt((unexplained**2).sum(axis=1) / (WAVES - 1))
    inside = np.abs(residuals.mean(axis=1)) < QUANTILE * standard_error
    assert inside.mean() == pytest.approx(0.95, abs=0.003)


ACCURACY, META_D, BIAS = 0.7, 1.5, 0.3
LEVEL = 1 - 0.05 / 8
"""Of eight intervals together 95%."""


def mean_confidence(options: int) -> float:
    """E [1/K + (1 - 1/K) Phi((|x| + bias - 1) / .8)], |x| as of an observer with d' = meta_d."""
    # Given that it is right |x| is normal(d'/2, 1) cut off at 0, given that it is wrong of -d'/2.
    share = 0.0
    for weight, mean in ((ACCURACY, META_D / 2), (1 - ACCURACY, -META_D / 2)):
        total = quad(
            lambda x, mean=mean: norm.cdf((x + BIAS - 1) / 0.8) * norm.pdf(x - mean), 0, np.inf
        )[0]
        share += weight * total / norm.cdf(mean)
    return float(1 / options + (1 - 1 / options) * share)


def tables(values: FloatArray, right: FloatArray, wrong: FloatArray) -> ConfidenceTables:
    """Counts of right and wrong answers by confidence."""
    return ConfidenceTables(values, right.astype(float), wrong.astype(float))


@pytest.mark.thorough
def test_question_sets_give_back_parameters(tmp_path: Path, record_property: Record) -> None:
    """Accuracy, meta-d' and mean token confidence of a respondent, through the task and its log."""
    # 3,024 replies; intervals at 1 - .05/8: exact binomial for accuracy, bootstrap for meta-d',
    # normal for means. Judgments are independent, each with draws of its own.
    intervals: dict[str, tuple[float, float, float, float]] = {}
    rng = np.random.default_rng(7)
    for dataset, options, epochs in (("bundled", 4, 9), ("statements", 2, 12)):
        folder = tmp_path / dataset
        (log,) = eval(
            question_sets(dataset=dataset),
            model="respondent/metacognitive",
            model_args={"accuracy": ACCURACY, "meta_d": META_D, "bias": BIAS, "seed": 1},
            log_dir=str(folder),
            epochs=epochs,
            display="none",
        )
        assert log.status == "success", log.error
        rows = read_judgments(folder)["question_sets"]
        assert (rows["status"] == "ok").all()
        stated_rows, token = rows[rows["source"] == "stated"], rows[rows["source"] == "token"]
        n = len(stated_rows)
        assert n == len(token) == 1512
        right = int(stated_rows["correct"].sum())
        accuracy = binomtest(right, n).proportion_ci(LEVEL)
        intervals[f"{dataset}: accuracy"] = (ACCURACY, right / n, accuracy.low, accuracy.high)
        sure = token["confidence"]
        half = norm.ppf((1 + LEVEL) / 2) * sure.std() / n**0.5
        intervals[f"{dataset}: mean token confidence"] = (
            mean_confidence(options),
            float(sure.mean()),
            float(sure.mean() - half),
            float(sure.mean() + half),
        )
        counts = pd.crosstab(stated_rows["correct"], stated_rows["confidence"])
        values = counts.columns.to_numpy(float)
        all_counts = counts.to_numpy(float).ravel()
        resampled = rng.multinomial(n, all_counts / n, size=2_000).astype(float)
        k = len(values)
        for threshold in (0.5, 0.75) if options == 4 else (0.75,):
            point, draws = (
                metrics.TABLE_FUNCTIONS["meta_d_ideal"](
                    tables(values, c[:, k:], c[:, :k]), threshold=threshold
                )
                for c in (all_counts[None], resampled)
            )
            name = f"{dataset}: meta_d by meta_d_ideal {threshold:g}"
            intervals[name] = (META_D, float(point[0]), *percentile_interval(draws, LEVEL))
        if options == 2:
            intervals[f"{dataset}: meta_d by meta_d"] = fitted(stated_rows, values, rng)
            results = summarize(folder, resamples=200)
            overall = results[
                (results["metric"] == "meta_d") & ~results["condition"].str.contains("token")
            ]
            assert len(overall) == 1
            record_property(
                "figure",
                f"respondent/metacognitive through question_sets, statements: meta_d in results "
                f"{overall['value'].iloc[0]:.3f}, 95% interval from "
                f"{overall['ci_low'].iloc[0]:.3f} to {overall['ci_high'].iloc[0]:.3f} "
                f"(put in: {META_D:g})",
            )
            assert overall["ci_low"].iloc[0] <= META_D <= overall["ci_high"].iloc[0]
    assert len(intervals) == 8
    for name, (truth, value, low, high) in intervals.items():
        record_property(
            "figure",
            f"respondent/metacognitive through question_sets, {name} {value:.4f}, interval at "
            f"{LEVEL:.4f} from {low:.4f} to {high:.4f} (put in: {truth:.4f})",
        )
    for name, (truth, value, low, high) in intervals.items():
        assert low <= truth <= high, name
        assert low <= value <= high, name


def fitted(
    rows: pd.DataFrame, values: FloatArray, rng: np.random.Generator
) -> tuple[float, float, float, float]:
    """meta-d' of statements by maximum likelihood, with a bootstrap interval."""
    # Responses run from the surest True to the surest False.
    k = len(values)
    rating = np.searchsorted(values, rows["confidence"].to_numpy(float))
    place = np.where(rows["answer"] == "True", k - 1 - rating, k + rating)
    cell = place + 2 * k * (rows["target"] == "False").to_numpy(int)
    counts = np.bincount(cell, minlength=4 * k)
    resampled = rng.multinomial(len(rows), counts / len(rows), size=300).astype(float)
    padding = 1 / (2 * k)
    estimate = meta_d(counts[: 2 * k], counts[2 * k :], padding=padding)
    many = meta_d(resampled[:, : 2 * k], resampled[:, 2 * k :], padding=padding)
    low, high = percentile_interval(np.asarray(many.meta_d, np.float64), LEVEL)
    return META_D, float(estimate.meta_d), low, high
