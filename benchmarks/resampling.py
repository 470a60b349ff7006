"""Bootstrap intervals of ECE and AUROC: by items, groups and patterns, against row by row."""

from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.metrics import roc_auc_score

from inspect_confidence.metrics import (
    ItemTables,
    bootstrap,
    percentile_interval,
    resampled_as,
)
from inspect_confidence.metrics.calibration import ece_of_tables
from inspect_confidence.metrics.discrimination import auroc_of_tables
from inspect_confidence.metrics.resample import MOST_UNITS
from measure import aligned, best, seconds, times

FloatArray = NDArray[np.float64]

RESAMPLES = 10_000
PEERS = {1_000: 200, 10_000: 100, 100_000: 20}
"""Resamples that peers are timed on, by the number of items."""

TARGETS = {1_000: 300, 100_000: 1_500}
"""Times as fast as the loop, where nothing is paired."""

TITLE = f"""\
{RESAMPLES:,} bootstrap resamples of ECE and AUROC with their 95% intervals, one judgment an item
  paired: the same items for all contenders; 1,000 one by one, more in 2,000 groups
  alone: nothing is paired, so that counts of items with equal judgments are drawn
  loop: rows drawn with numpy, roc_auc_score of scikit-learn, ECE from np.bincount
  scipy: stats.bootstrap(paired=True, vectorized=False) of the same two
  Loop and scipy are timed on {", ".join(map(str, PEERS.values()))} resamples and scaled.
  Seconds of processor time, the least of five runs. Ratios are of loop to paired and to alone."""


def run() -> str:
    """The table of this part."""
    head = ["items", "K", "loop s", "scipy s", "paired s", "ratio", "alone s", "ratio", "target"]
    rows = [_row(items, k) for items in PEERS for k in (4, 11, 21)]
    return f"{TITLE}\n\n{aligned(head, rows)}"


def _row(items: int, k: int) -> list[str]:
    confidence, correct = judgments(items, k)
    for by_patterns in (False, True):
        np.testing.assert_allclose(
            by_package(confidence, correct, 1, by_patterns)[0],
            ece_and_auroc(confidence, correct),
            0,
            1e-9,
        )
    peer_resamples = PEERS[items]
    loop = best(lambda: by_loop(confidence, correct, peer_resamples), 3).times(
        RESAMPLES / peer_resamples
    )
    scipy = best(lambda: by_scipy(confidence, correct, peer_resamples), 3).times(
        RESAMPLES / peer_resamples
    )
    cells = [f"{items:,}", str(k), seconds(loop.cpu), seconds(scipy.cpu)]
    for by_patterns in (False, True):
        took = best(partial(by_package, confidence, correct, RESAMPLES, by_patterns), 5)
        cells += [seconds(took.cpu), times(loop.cpu / took.cpu)]
    return [*cells, f"{TARGETS[items]:,}x" if items in TARGETS else "-"]


def judgments(items: int, k: int) -> tuple[FloatArray, FloatArray]:
    """Confidences on k levels and whether the answers were right, overconfident by a good deal."""
    rng = np.random.default_rng(k)
    confidence = rng.integers(k, size=items) / (k - 1)
    return confidence, (rng.random(items) < 0.3 + 0.5 * confidence).astype(float)


def by_package(
    confidence: FloatArray, correct: FloatArray, resamples: int, by_patterns: bool
) -> tuple[FloatArray, list[tuple[float, float]]]:
    """The two numbers and their intervals as this package computes them."""
    statistic = ItemTables.from_judgments(confidence, correct).table_statistic.map(
        lambda tables: np.column_stack([ece_of_tables(tables), auroc_of_tables(tables)])
    )
    strata = np.zeros(len(correct), np.int64)
    sampling = resampled_as(
        [statistic], strata, patterns=by_patterns, max_units=0 if by_patterns else MOST_UNITS
    )
    draws = bootstrap({"both": statistic}, strata, resamples=resamples, sampling=sampling)["both"]
    value: FloatArray = statistic(np.ones((1, len(correct))))[0]
    return value, [percentile_interval(column) for column in draws.T]


def by_loop(
    confidence: FloatArray, correct: FloatArray, resamples: int
) -> list[tuple[float, float]]:
    """The intervals from rows drawn one resample at a time."""
    rng = np.random.default_rng(0)
    draws = []
    for _ in range(resamples):
        rows = rng.integers(len(correct), size=len(correct))
        draws.append(ece_and_auroc(confidence[rows], correct[rows]))
    return [percentile_interval(column) for column in np.array(draws).T]


def by_scipy(confidence: FloatArray, correct: FloatArray, resamples: int) -> object:
    """The intervals from scipy's bootstrap of rows."""
    return stats.bootstrap(
        (confidence, correct),
        ece_and_auroc,
        paired=True,
        vectorized=False,
        method="percentile",
        n_resamples=resamples,
        batch=100,  # all 10,000 at once would take 24 GB at 100,000 items
        rng=np.random.default_rng(0),
    ).confidence_interval


def ece_and_auroc(confidence: FloatArray, correct: FloatArray) -> FloatArray:
    """Both from rows: ten bins of equal width, the last one closed."""
    place = np.minimum((confidence * 10 + 1e-9).astype(np.int64), 9)
    gaps = np.bincount(place, confidence - correct)
    return np.array([np.abs(gaps).sum() / len(correct), roc_auc_score(correct, confidence)])
