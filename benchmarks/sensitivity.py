"""Fits of meta-d': all rows at once against metadpy, one after another."""

import warnings
from collections.abc import Callable
from importlib import import_module

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from inspect_confidence.metrics import meta_d
from measure import aligned, best, seconds, times, timing

FloatArray = NDArray[np.float64]
Peer = Callable[[FloatArray, FloatArray], float]

FITS = 10_000
TRIALS = 1_000
PEER_FITS = {4: 20, 11: 6, 21: 3}
"""Fits that metadpy is timed on, by the number of ratings."""

TITLE = f"""\
{FITS:,} fits of meta-d', resamples of a table of {TRIALS:,} trials, 1/(2K) added to each cell
  ours: meta_d of all rows at once
  metadpy: metad(nR_S1=..., nR_S2=...), a row at a time, timed on
  {", ".join(f"{fits} (K = {k})" for k, fits in PEER_FITS.items())} of the rows and scaled
  Seconds of processor time; `differ` is the largest |difference| of meta-d' on those rows."""


def run() -> str:
    """The table of this part."""
    peer = metadpy()
    head = ["K", "ours s", "wall s", "undefined", "metadpy s", "ratio", "differ"]
    return f"{TITLE}\n\n{aligned(head, [_row(k, peer) for k in PEER_FITS])}"


def _row(k: int, peer: Peer | None) -> list[str]:
    first, second = tables(k)
    fit_time = best(lambda: meta_d(first, second, padding=1 / (2 * k)), 5)
    fitted = np.asarray(meta_d(first, second, padding=1 / (2 * k)).meta_d)
    undefined = int(np.isnan(fitted).sum())
    cells = [str(k), seconds(fit_time.cpu), seconds(fit_time.wall), str(undefined)]
    if peer is None:
        return [*cells, "not installed", "-", "-"]
    peer_fits = PEER_FITS[k]
    with timing() as took:
        peer_values = [
            peer(a, b) for a, b in zip(first[:peer_fits], second[:peer_fits], strict=True)
        ]
    loop = took.times(FITS / peer_fits)
    difference = float(np.max(np.abs(fitted[:peer_fits] - peer_values)))
    return [*cells, seconds(loop.cpu), times(loop.cpu / fit_time.cpu), f"{difference:.0e}"]


def tables(k: int) -> tuple[FloatArray, FloatArray]:
    """Rows of counts given either stimulus: draws of an observer whose confidence is noisy."""
    rng = np.random.default_rng(k)
    stimulus = rng.integers(2, size=TRIALS)
    evidence = rng.normal(1.5 * (stimulus - 0.5), 1)
    response = (evidence > 0).astype(np.int64)
    felt = (evidence + rng.normal(0, 0.5, TRIALS)) * (2 * response - 1)
    edges = norm.ppf(np.linspace(0, 1, k + 1)[1:-1], 0.8, 1)
    rating = np.searchsorted(edges, felt)
    place = np.where(response == 0, k - 1 - rating, k + rating)
    counts = [np.bincount(place[stimulus == side], minlength=2 * k) for side in (0, 1)]
    first, second = (rng.multinomial(c.sum(), c / c.sum(), size=FITS).astype(float) for c in counts)
    return first, second


def metadpy() -> Peer | None:
    """The fit by metadpy of two rows of counts, compiled; None where it isn't installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # arviz announces its next version
            metad = import_module("metadpy.mle").metad
    except ImportError:
        return None

    def fit(first: FloatArray, second: FloatArray) -> float:
        ratings = len(first) // 2
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = metad(
                nR_S1=first, nR_S2=second, nRatings=ratings, padding=True, padAmount=1 / len(first)
            )
        return float(fitted["meta_d"].iloc[0])

    fit(np.array([40.0, 20, 10, 5]), np.array([5.0, 10, 20, 40]))
    return fit
