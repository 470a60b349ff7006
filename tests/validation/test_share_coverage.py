"""Coverage of shares and other means that studies print, computed by the studies' own functions.

Every design has two epochs of items that differ, so that judgments of an item are alike. True
values are those of 100,000 items.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from build import numbered
from inspect_confidence.metrics import METRICS
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies import bins, estimate, stated, unread
from inspect_confidence.studies.calibration import Answers, two_choice_sensitivity
from inspect_confidence.studies.decisions import numbers as decisions
from inspect_confidence.studies.hedge_markers import numbers as hedges
from inspect_confidence.studies.study import Resampling
from validation.coverage import RUNS, Coverage, lacking, settled
from validation.laws import conservative_reason

KEY = Key("task", "m", "d")
POPULATION = 100_000
EPOCHS = 2
RESAMPLES = 1_000


@dataclass(frozen=True)
class Sample:
    """Two epochs of items, whose judgments are rows of `frame`; `rng` draws further columns.

    `ease` is the probability of a right answer and `correct` the outcome of each row.
    """

    frame: pd.DataFrame
    ease: FloatArray
    correct: FloatArray
    rng: np.random.Generator

    @classmethod
    def draw(cls, items: int, rng: np.random.Generator) -> Sample:
        """Draw items with Beta(6, 2) shares of right answers, 75% on average."""
        ease = np.repeat(rng.beta(6, 2, items), EPOCHS)
        correct = (rng.random(len(ease)) < ease).astype(float)
        frame = pd.DataFrame(
            {
                "task": "task",
                "model": "m",
                "dataset": "d",
                "variant": "",
                "item": np.repeat(numbered("q", items), EPOCHS),
                "epoch": np.tile(np.arange(EPOCHS), items),
                "run": "",
                "draw": 0.0,
                "cluster": "",
                "status": "ok",
                "correct": correct,
                "answer": "",
                "target": "A",
            }
        )
        return cls(frame, ease, correct, rng)

    @property
    def units(self) -> pd.Index[str]:
        """Names of the items."""
        names: list[str] = list(dict.fromkeys(self.frame["item"]))
        return pd.Index(names)

    def flags(self, chance: FloatArray | float) -> FloatArray:
        """Draw 1 with this probability for each row, else 0."""
        return (self.rng.random(len(self.frame)) < chance).astype(float)

    def confidence(self) -> FloatArray:
        """Draw confidences from .5 to 1 in steps of .1 that rise with the ease of the item."""
        noisy = self.ease + self.rng.normal(0, 0.15, len(self.ease))
        return np.asarray(np.round(noisy.clip(0.5, 1), 1))

    def results(self, statistics: Iterable[estimate.Statistics], resamples: int) -> list[Result]:
        """Return the results of statistics over the items."""
        settings = Resampling(resamples, int(self.rng.integers(2**31)))
        resampled = estimate.resample(list(statistics), len(self.units), settings)
        return estimate.results_of(resampled, KEY)


def abstain(sample: Sample, resamples: int) -> list[Result]:
    """Decisions to answer under the targets .5 and .9, and the confidence in the answers."""
    confidence = sample.confidence()
    parts = []
    for target in (0.5, 0.9):
        declined = sample.flags(np.where(confidence < target, 0.7, 0.1)) == 1
        parts.append(
            sample.frame.assign(
                confidence_target=target,
                confidence=confidence,
                confidence_status="",
                status=np.where(declined, "declined", "ok"),
                correct=np.where(declined, np.nan, sample.correct),
            )
        )
    rows = decisions.graded_decisions(pd.concat(parts, ignore_index=True))
    statistics = [*decisions.monotony_violations(rows, sample.units, Condition())]
    for target_value, of_target in rows.groupby("confidence_target"):
        guesses = pd.Series(dtype=float)
        condition = Condition(target=target_value)
        statistics += decisions.target_statistics(of_target, guesses, sample.units, condition)
    return sample.results(statistics, resamples)


def commitment(sample: Sample, resamples: int) -> list[Result]:
    """Answers that are kept or not, bet on or not, and changed or not when they are doubted."""
    right = sample.correct == 1
    moved = sample.flags(np.where(right, 0.2, 0.5))
    before = sample.confidence()
    rows = sample.frame.assign(
        keep=sample.flags(np.where(right, 0.85, 0.5)),
        bet=sample.flags(np.where(right, 0.7, 0.3)),
        moved=moved,
        correct_after=np.where(moved == 1, 1 - sample.correct, sample.correct),
        confidence_before=before,
        confidence_after=(before - 0.3 * moved).clip(0, 1),
        pushback="disagree",
    )
    statuses = ("keep", "bet", "after", "confidence_before", "confidence_after")
    rows[[f"{name}_status" for name in statuses]] = ""
    return sample.results(
        decisions.commitment_statistics(rows, sample.units, Condition()), resamples
    )


def reports(sample: Sample, resamples: int) -> list[Result]:
    """Reports on 0-100, some of them outside by at most 5% of its width, some by more."""
    raw = 100 * sample.confidence()
    raw = np.where(sample.flags(0.08) == 1, 104.0, np.where(sample.flags(0.05) == 1, 120.0, raw))
    status = np.where(raw > 105, "out_of_range", "ok")
    rows = sample.frame.assign(raw=raw, low=0.0, high=100.0, status=status)
    rates = stated._report_rates(rows, sample.units, Condition())
    shares = bins.report_shares(rows, [])
    return [*sample.results([rates], resamples), *shares]


def curves(sample: Sample, resamples: int) -> list[Result]:
    """Bins of confidence, points of the type-2 curve, and shares of values."""
    rows = sample.frame.assign(confidence=sample.confidence())
    values = rows["confidence"].to_numpy(float)
    unit_index = estimate.unit_indices(rows, sample.units)
    results = [*bins.confidence_bins(rows, [], Resampling(resamples)), *bins.type2_rates(rows, [])]
    for metric in ("value_share", "confidence_share"):
        results += bins.bin_shares(KEY, Condition(), metric, values, unit_index, 10, "")
    return results


def flags(sample: Sample, resamples: int) -> list[Result]:
    """Sets that hold the true value, punts, a judge's decisions, and replies that are not read."""
    unit_index = estimate.unit_indices(sample.frame, sample.units)
    columns = {
        "set_coverage": sample.correct,
        "punt_rate": sample.flags((1 - sample.ease) / 2),
    }
    means = estimate.means(Condition(), columns, unit_index, len(sample.units))
    labelled = sample.frame.assign(
        agreed=sample.correct, verdict=sample.flags(sample.ease), form="agreement", word=""
    )
    labelled[["found", "false", "missed", "decisiveness", "labelled"]] = np.nan
    judge = hedges.judge_results(labelled, KEY, Condition(), Resampling(resamples))
    replies = sample.frame.assign(
        is_unread=sample.flags(1 - sample.ease) == 1, has_reply=True, unit=unit_index
    )
    share = unread._overall_share(replies, KEY, Condition())
    return [*sample.results([means], resamples), *judge, share]


def two_choices(sample: Sample, resamples: int) -> list[Result]:
    """Six confidences in answers to items with two choices, either of which is right as often."""
    answers = Answers(
        estimate.unit_indices(sample.frame, sample.units),
        len(sample.units),
        sample.confidence(),
        sample.correct,
        np.arange(len(sample.frame)),
        2,
    )
    stimulus = np.repeat(sample.rng.integers(0, 2, len(sample.units)), EPOCHS)
    return sample.results([two_choice_sensitivity(answers, stimulus, {}, "")], resamples)


STUDIES: dict[str, Callable[[Sample, int], list[Result]]] = {
    "abstain": abstain,
    "commitment": commitment,
    "reports": reports,
    "curves": curves,
    "flags": flags,
    "two choices": two_choices,
}
SIMULATED_ELSEWHERE = {"n", "accuracy", "payoff", "format_failure_rate", "withdraw_delta"}


def coverages(
    study: str,
    items: int,
    simulations: int = RUNS,
    *,
    first: int = 0,
    names: Collection[str] | None = None,
) -> list[Coverage]:
    """Coverage of each number of a study that has an interval and is not simulated elsewhere.

    Another `first` gives other samples. `names` are the metrics; None is all.
    """
    compute = STUDIES[study]
    rng = np.random.default_rng([items, first, *study.encode()])
    population = compute(Sample.draw(POPULATION, rng), 1)
    truths = {}
    for row in population:
        is_wanted = names is None or row.metric in names
        if is_wanted and row.metric not in SIMULATED_ELSEWHERE:
            truths[row.metric, str(row.condition)] = row.value
    counts: dict[tuple[str, str], list[int]] = {key: [0, 0, 0] for key in truths}
    for _ in range(simulations):
        seen = set()
        for row in compute(Sample.draw(items, rng), RESAMPLES):
            key = row.metric, str(row.condition)
            if key in truths:
                seen.add(key)
                counts[key][0] += bool(np.isnan(row.value))
                counts[key][1] += not np.isnan(row.ci_low)
                counts[key][2] += row.ci_low - 1e-9 <= truths[key] <= row.ci_high + 1e-9
        for key in counts.keys() - seen:  # no judgment of the sample has this condition
            counts[key][0] += 1
    figures = []
    for (metric, condition), (undefined, printed, held) in sorted(counts.items()):
        truth = truths[metric, condition]
        if printed and truth not in (0, 1):  # 0 and 1 are the value in every sample
            cell = (f"{metric} {condition}".rstrip(), f"{study}, two epochs", items, truth)
            wide = conservative_reason(METRICS[metric].interval)
            figures.append(Coverage(*cell, simulations, printed, held, wide, undefined))
    return figures


@pytest.mark.slow
@pytest.mark.parametrize("items", [30, 100, 300])
@pytest.mark.parametrize("study", STUDIES)
def test_intervals_of_shares_hold(study: str, items: int) -> None:
    """Those of all numbers of a study's function that have no simulation of their own elsewhere."""
    assert not lacking(settled(coverages, study, items))
