"""How much narrower one reasoning trace sees than all of them: the Tunnel Index."""

from itertools import combinations, islice
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from inspect_confidence.metrics._arrays import FloatArray

MOST_SUBSETS = 1_000
"""Subsets of traces are enumerated up to this many, and drawn by seed beyond."""


def entropy_bits(probabilities: ArrayLike) -> FloatArray:
    """Shannon entropy along the last axis, in bits: -sum p log2 p, with 0 log 0 = 0.

    Example:
        >>> float(entropy_bits([0.5, 0.25, 0.25]))
        1.5
    """
    p = np.asarray(probabilities, float)
    terms = np.where(p > 0, p * np.log2(np.where(p > 0, p, 1)), 0)
    bits: FloatArray = np.maximum(-terms.sum(axis=-1), 0)
    return bits


def tunnel_index(traces: ArrayLike) -> float:
    """Entropy of the mean over all traces less the mean entropy of a single trace, in bits.

    The information that a trace carries about the answer (a Jensen-Shannon divergence): 0 where
    all traces give one distribution. Biased downwards at few traces, since the mean of N traces
    has not seen everything.

    Args:
        traces: Distributions of shape (traces, values), rows summing to 1.

    Returns:
        Bits in [0, log2(traces)]; NaN for an array of shape (0, values).

    Example:
        >>> tunnel_index([[1, 0], [0, 1]])
        1.0
    """
    return residual_tunnel_index(traces, 1)


def residual_tunnel_index(traces: ArrayLike, n: int) -> float:
    """What is left of the Tunnel Index after averaging n traces, in bits.

    H(mean of all N traces) - average over subsets of size n of H(mean of the subset). It is the
    `tunnel_index` at n = 1, 0 at n = N, and never increases with n, as entropy is concave. Source:
    FermiEval, Theorem 2. Up to 1,000 subsets are enumerated; beyond that 1,000 are drawn by seed,
    and the last property holds but for their sampling error.

    Args:
        traces: Distributions of shape (traces, values), rows summing to 1.
        n: Size of the subsets, between 1 and the number of traces.

    Returns:
        Bits >= 0; NaN for an array of shape (0, values).

    Raises:
        ValueError: n is out of range, or the array is not two-dimensional.
    """
    rows = np.asarray(traces, float)
    if rows.ndim != 2:
        raise ValueError(f"traces has {rows.ndim} dimensions; give rows of probabilities.")
    if not len(rows):
        return float("nan")
    if not 1 <= n <= len(rows):
        raise ValueError(f"n={n} is not between 1 and the number of traces, {len(rows)}.")
    if comb(len(rows), n) <= MOST_SUBSETS:
        subsets = list(islice(combinations(range(len(rows)), n), MOST_SUBSETS))
    else:
        rng = np.random.default_rng(n)
        subsets = [tuple(rng.permutation(len(rows))[:n]) for _ in range(MOST_SUBSETS)]
    means = rows[np.array(subsets)].mean(axis=1)
    # Rounding leaves -1e-16 where all subsets give the same mean.
    return max(float(entropy_bits(rows.mean(axis=0)) - entropy_bits(means).mean()), 0.0)
