"""Bootstrap intervals of ECE and AUROC: by items, groups and patterns, against row by row."""

from collections.abc import Callable
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
Auroc = Callable[[FloatArray, FloatArray], float]

RESAMPLES = 10_000
PEERS = {1_000: 200, 10_000: 100, 100_000: 20}
"""Resamples that peers are timed on, by the number of items."""

TITLE = f"""\
{RESAMPLES:,} bootstrap resamples of ECE and AUROC with their 95% intervals, one judgment an item
  paired: the same items for all contenders; 1,000 one by one, more in 2,000 groups
  alone: nothing is paired, so that counts of items with equal judgments are drawn
  numpy: rows drawn one resample at a time, AUROC from mean ranks, ECE from np.bincount
  sklearn: the same with roc_auc_score of scikit-learn
  scipy: stats.bootstrap(paired=True, vectorized=False) of the same two as sklearn
  Peers are timed on {", ".join(map(str, PEERS.values()))} resamples and scaled.
  Seconds of processor time, the least of five runs. Ratios are of numpy to paired and to
  alone. All on one thread."""


def run() -> str:
    """The table of this part."""
    head = [
        "items",
        "K",
        "sklearn s",
        "scipy s",
        "numpy s",
        "paired s",
        "ratio",
        "alone s",
        "ratio",
    ]
    rows = [_row(items, k) for items in PEERS for k in (4, 11, 21)]
    return f"{TITLE}\n\n{aligned(head, rows)}"


def _row(items: int, k: int) -> list[str]:
    confidence, correct = judgments(items, k)
    for by_patterns in (False, True):
        np.testing.assert_allclose(
            by_package(confidence, correct, 1, by_patterns)[0],
            ece_and_auroc(confidence, correct, rank_auroc if by_patterns else roc_auc_score),
            0,
            1e-9,
        )
    peer_resamples = PEERS[items]
    peers: list[Callable[[], object]] = [
        lambda: by_loop(confidence, correct, peer_resamples, roc_auc_score),
        lambda: by_scipy(confidence, correct, peer_resamples),
        lambda: by_loop(confidence, correct, peer_resamples, rank_auroc),
    ]
    timings = [best(peer, 3).times(RESAMPLES / peer_resamples) for peer in peers]
    cells = [f"{items:,}", str(k), *(seconds(timing.cpu) for timing in timings)]
    for by_patterns in (False, True):
        took = best(partial(by_package, confidence, correct, RESAMPLES, by_patterns), 5)
        cells += [seconds(took.cpu), times(timings[-1].cpu / took.cpu)]
    return cells


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
    confidence: FloatArray, correct: FloatArray, resamples: int, auroc: Auroc
) -> list[tuple[float, float]]:
    """The intervals from rows drawn one resample at a time."""
    rng = np.random.default_rng(0)
    draws = []
    for _ in range(resamples):
        rows = rng.integers(len(correct), size=len(correct))
        draws.append(ece_and_auroc(confidence[rows], correct[rows], auroc))
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


def rank_auroc(correct: FloatArray, confidence: FloatArray) -> float:
    """AUROC from the mean ranks of right answers."""
    _, value, counts = np.unique(confidence, return_inverse=True, return_counts=True)
    mean_ranks = np.cumsum(counts) - (counts - 1) / 2
    right = correct.sum()
    excess = mean_ranks[value] @ correct - right * (right + 1) / 2
    return float(excess / (right * (len(correct) - right)))


def ece_and_auroc(
    confidence: FloatArray, correct: FloatArray, auroc: Auroc = roc_auc_score
) -> FloatArray:
    """Both from rows: ten bins of equal width, the last one closed."""
    place = np.minimum((confidence * 10 + 1e-9).astype(np.int64), 9)
    gaps = np.bincount(place, confidence - correct)
    return np.array([np.abs(gaps).sum() / len(correct), auroc(correct, confidence)])
