"""Bootstrap intervals of ECE and AUROC: item weights and count tables against row by row."""

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.metrics import roc_auc_score

from inspect_confidence.metrics import (
    Cells,
    ConfidenceTables,
    auroc,
    bootstrap,
    ece,
    percentile_interval,
)
from measure import aligned, best, seconds, times

FloatArray = NDArray[np.float64]

RESAMPLES = 10_000
PEERS = {1_000: 200, 10_000: 100, 100_000: 20}
"""Resamples that peers are timed on, by the number of items."""

OURS = {1_000: RESAMPLES, 10_000: RESAMPLES, 100_000: 1_000}
"""Resamples that ours is timed on: at 100,000 items all of them take over 10 s a run."""

RUNS = {1_000: 5, 10_000: 3, 100_000: 3}

TITLE = f"""\
{RESAMPLES:,} bootstrap resamples of ECE and AUROC with their 95% intervals, one judgment an item
  weights: Cells and bootstrap, ours (at 100,000 items timed on {OURS[100_000]:,} and scaled)
  loop: rows drawn with numpy, roc_auc_score of scikit-learn, ECE from np.bincount
  scipy: stats.bootstrap(paired=True, vectorized=False) of the same two
  table: the count table drawn from a multinomial, then our ece.of and auroc.of
  Loop and scipy are timed on {", ".join(map(str, PEERS.values()))} resamples and scaled.
  Seconds of processor time, the least of several runs. Ratios are of loop and scipy to weights,
  the last one of loop to table."""


def run() -> str:
    """The table of this part."""
    head = ["items", "K", "weights s", "wall s", "loop s", "ratio", "scipy s", "ratio"]
    head += ["table s", "ratio"]
    rows = [_row(items, k) for items in PEERS for k in (4, 11, 21)]
    return f"{TITLE}\n\n{aligned(head, rows)}"


def _row(items: int, k: int) -> list[str]:
    confidence, correct = judgments(items, k)
    np.testing.assert_allclose(
        by_weights(confidence, correct, 1)[0], ece_and_auroc(confidence, correct), 0, 1e-9
    )
    few, part, runs = PEERS[items], OURS[items], RUNS[items]
    ours = best(lambda: by_weights(confidence, correct, part), runs).times(RESAMPLES / part)
    table = best(lambda: by_table(confidence, correct, RESAMPLES), runs)
    loop = best(lambda: by_loop(confidence, correct, few), 3).times(RESAMPLES / few)
    scipy = best(lambda: by_scipy(confidence, correct, few), 3).times(RESAMPLES / few)
    cells = [f"{items:,}", str(k), seconds(ours.cpu), seconds(ours.wall)]
    for peer in (loop, scipy):
        cells += [seconds(peer.cpu), times(peer.cpu / ours.cpu)]
    return [*cells, seconds(table.cpu), times(loop.cpu / table.cpu)]


def judgments(items: int, k: int) -> tuple[FloatArray, FloatArray]:
    """Confidences on k levels and whether the answers were right, overconfident by a good deal."""
    rng = np.random.default_rng(k)
    confidence = rng.integers(k, size=items) / (k - 1)
    return confidence, (rng.random(items) < 0.3 + 0.5 * confidence).astype(float)


def by_weights(
    confidence: FloatArray, correct: FloatArray, resamples: int
) -> tuple[FloatArray, list[tuple[float, float]]]:
    """The two numbers and their intervals as this package computes them."""
    cells = Cells.of(confidence, correct)

    def statistic(weights: FloatArray) -> FloatArray:
        tables = cells.tables(weights)
        return np.column_stack([ece.of(tables), auroc.of(tables)])

    strata = np.zeros(len(correct), np.int64)
    draws = bootstrap({"both": statistic}, strata, resamples=resamples)["both"]
    value: FloatArray = statistic(np.ones((1, len(correct))))[0]
    return value, [percentile_interval(column) for column in draws.T]


def by_table(
    confidence: FloatArray, correct: FloatArray, resamples: int
) -> list[tuple[float, float]]:
    """The intervals from draws of the count table, which one judgment an item allows."""
    cells = Cells.of(confidence, correct)
    seen = cells.tables(np.ones((1, len(correct))))
    mass = np.concatenate([seen.right[0], seen.wrong[0]])
    rng = np.random.default_rng(0)
    drawn = rng.multinomial(len(correct), mass / mass.sum(), size=resamples).astype(float)
    right, wrong = np.hsplit(drawn, 2)
    tables = ConfidenceTables(cells.values, right, wrong)
    return [percentile_interval(values) for values in (ece.of(tables), auroc.of(tables))]


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
