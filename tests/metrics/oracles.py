"""What other packages compute, put together where no one of them has it all."""

import csv
from collections.abc import Iterable, Iterator
from itertools import permutations
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from scipy.stats import chi2
from statsmodels.stats.proportion import proportion_confint

from build import column_of
from inspect_confidence.metrics.arrays import FloatArray, IntArray

RowT = TypeVar("RowT", bound=tuple[Any, ...])
Judgments = tuple[FloatArray, FloatArray, IntArray]
"""Confidence, correctness and item."""


def share_interval(hits: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's interval of statsmodels as Brown, Cai and DasGupta (2001) mend it.

    Of up to three successes the lower limit is at most the Poisson one, chi2(2 hits) at
    1 - confidence over 2n; of up to three failures the upper one likewise.
    """
    low, high = proportion_confint(hits, n, alpha=1 - confidence, method="wilson")

    def poisson(count: float) -> float:
        return float(chi2.ppf(1 - confidence, 2 * count)) / (2 * n)

    failures = n - hits
    if 0 < hits <= 3 and hits < failures:
        low = min(low, poisson(hits))
    if 0 < failures <= 3 and failures < hits:
        high = max(high, 1 - poisson(failures))
    return float(low), float(high)


def falling_orders(rows: Iterable[RowT]) -> Iterator[tuple[RowT, ...]]:
    """Every order of judgments in which their confidences, which come first, never rise."""
    for order in permutations(rows):
        confidences = column_of(order, 0)
        if confidences == sorted(confidences, reverse=True):
            yield order


def twice_and_with_missing(
    confidence: FloatArray, correct: FloatArray
) -> tuple[Judgments, Judgments]:
    """Judgments of items that should count like one judgment of each item.

    Returns:
        Confidence, correctness and item of every judgment twice, and of every judgment once beside
        a judgment of a known item without confidence and one of a new item without an outcome.
    """
    item = np.arange(len(confidence), dtype=np.int64)
    twice = np.tile(confidence, 2), np.tile(correct, 2), np.tile(item, 2)
    with_missing = (
        np.append(confidence, [np.nan, 0.5]),
        np.append(correct, [1, np.nan]),
        np.append(item, [3, len(item)]),
    )
    return twice, with_missing


def words_of_people_and_gpt4(folder: Path) -> list[tuple[dict[str, str], FloatArray, FloatArray]]:
    """The study's 17 words in its concise setting.

    Args:
        folder: The study's survey, answers of GPT-4 and published table.

    Returns:
        The row of the published table, what people answered and what GPT-4 answered, in percent.
    """
    survey = pd.read_csv(folder / "survey-results.csv")
    survey.columns = survey.columns.str.strip('"').str.lower()
    answers = pd.read_csv(folder / "cnc_gpt-4.csv", header=None, index_col=0) * 100
    rows = []
    with (folder / "published_human_vs_gpt-4_cnc.csv").open() as file:
        for row in csv.DictReader(file):
            people, model = survey[row["word"]], answers.loc[row["word"]]
            rows.append((row, people.to_numpy(float), model.to_numpy(float)))
    assert len(rows) == 17
    return rows
