"""Probabilities of whole numbers: the smallest sets that exceed a level, temperatures, entropies.

Sets are taken from values ranked by probability; a temperature that scales the probabilities
is fitted to the sets' interval score, or to the likelihood of the truth; entropies tell how much
more a model knows over many traces than in one.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inspect_confidence.metrics.arrays import (
    FloatArray,
    IntArray,
    checked_level,
    double_array,
)
from inspect_confidence.metrics.intervals import interval_scores
from inspect_confidence.metrics.registry import (
    BOOTSTRAP,
    NO_ESTIMATE,
    WILSON,
    About,
    Interval,
    metric,
    no_interval,
    numbers,
)
from inspect_confidence.metrics.reports import entropy_bits

__all__ = [
    "NEAREST_TO_ONE",
    "TEMPERATURES",
    "negative_log_likelihood",
    "prediction_set",
    "ranked",
    "residual_tunnel_index",
    "set_covers",
    "set_hulls",
    "set_sizes",
    "temperature_nll",
    "temperature_score",
    "temperature_scores",
    "tempered",
    "truth_seen",
    "tunnel_index",
]

_UNREAD = "no readable distribution"
_ROUNDING = 1e-12
"""Sums of probabilities this close to the level are the level, which they don't exceed."""

numbers(
    About(undefined=_UNREAD, direction="target=level", source="FermiEval", interval=WILSON),
    set_coverage="Share of prediction sets that contain the true value; a set is the smallest one "
    "of integers with more probability than the level.",
)
numbers(
    About(undefined=_UNREAD, unit="count", low=1, interval=BOOTSTRAP),
    mean_set_size="Mean number of integers in the prediction sets of `set_coverage`.",
)
numbers(
    About(undefined=_UNREAD, direction="lower", interval=BOOTSTRAP),
    unseen_mass="Mean probability of answers other than the integers among the returned token log "
    "probabilities.",
)


def mean_distribution(distributions: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """Return the mean of distributions by ascending value; a missing value has probability 0.

    Without distributions it is empty.

    Example:
        >>> mean_distribution([{3: 1.0}, {3: 0.5, 4: 0.5}])
        {3: 0.75, 4: 0.25}
    """
    mean = {}
    for value in sorted(set[int]().union(*distributions)):
        masses = [distribution.get(value, 0.0) for distribution in distributions]
        mean[value] = sum(masses) / len(distributions)
    return mean


def distribution_rows(distributions: Sequence[Mapping[int, float]]) -> FloatArray:
    """Return the argument `traces` of `tunnel_index`: a row of probabilities per distribution.

    The columns are all values of the distributions, ascending; a missing value has probability 0.
    """
    values = sorted(set[int]().union(*distributions))
    rows = np.empty((len(distributions), len(values)))
    for row, distribution in zip(rows, distributions, strict=True):
        row[:] = [distribution.get(value, 0.0) for value in values]
    return rows


def prediction_set(probabilities: Mapping[int, float], level: float) -> list[int]:
    """Return the smallest set of values whose probabilities together exceed the level.

    Values are taken by descending probability, ties by ascending value. Probabilities are
    normalised first; the values come ascending. A sum that equals the level doesn't exceed it.

    Args:
        probabilities: Probability of each value, at least one above 0.
        level: Nominal level in percent, between 0 and 100.

    Example:
        >>> prediction_set({3: 0.5, 4: 0.3, 5: 0.2}, level=75)
        [3, 4]
        >>> prediction_set({3: 0.5, 4: 0.3, 5: 0.2}, level=80)
        [3, 4, 5]

    Source: FermiEval.
    """
    values, masses = ranked([probabilities])
    size = set_sizes(masses, level)[0]
    return sorted(int(value) for value in values[0, :size])


def ranked(distributions: Sequence[Mapping[int, float]]) -> tuple[FloatArray, FloatArray]:
    """Return values and normalised probabilities of distributions, each by falling probability.

    Tempering (p^(1/T)) keeps this order, so that it is computed once for all temperatures. Both
    arrays have the shape (items, largest number of values). Values without probability are left
    out; shorter rows are padded with probability 0 and their last value, which changes no extreme.

    Raises:
        ValueError: A distribution has no probability above 0, or one below 0, infinite or NaN.
    """
    orders = [_values_by_probability(distribution) for distribution in distributions]
    width = max((len(order) for order in orders), default=1)
    values = np.empty((len(orders), width))
    masses = np.zeros((len(orders), width))
    for row, order in enumerate(orders):
        values[row] = [*order, *[order[-1]] * (width - len(order))]
        masses[row, : len(order)] = [distributions[row][value] for value in order]
    return values, masses / masses.sum(axis=1, keepdims=True)


def _values_by_probability(distribution: Mapping[int, float]) -> list[int]:
    """Return the values of probability above 0 (or raise), most probable first, ties ascending."""
    if not all(0 <= mass < math.inf for mass in distribution.values()):
        raise ValueError(f"A probability is below 0, infinite or NaN: {dict(distribution)}.")
    possible: Iterable[int] = (value for value, mass in distribution.items() if mass > 0)
    order = sorted(possible, key=lambda value: (-distribution[value], value))
    if not order:
        raise ValueError("A distribution has no probability above 0.")
    return order


def set_sizes(masses: FloatArray, level: float) -> IntArray:
    """Return how many values each row's smallest set with more than the level (percent) has.

    `masses` are probabilities, (items, values), the greatest first. If no sum exceeds the level,
    all above 0 count.
    """
    total = np.cumsum(masses, axis=1)
    above = total > checked_level(level) / 100 + _ROUNDING
    sizes = np.where(above.any(axis=1), above.argmax(axis=1) + 1, (masses > 0).sum(axis=1))
    return np.asarray(sizes)


def set_hulls(
    values: FloatArray, masses: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return least and greatest value of each row's smallest set with more than level percent.

    `masses` are the probabilities of `values` by item (row), the greatest first.
    """
    last = set_sizes(masses, level)[:, None] - 1
    low = np.take_along_axis(np.minimum.accumulate(values, axis=1), last, axis=1)
    high = np.take_along_axis(np.maximum.accumulate(values, axis=1), last, axis=1)
    return low[:, 0], high[:, 0]


def set_covers(
    values: FloatArray, masses: FloatArray, level: float, truth: ArrayLike
) -> FloatArray:
    """Return 1 for each row whose smallest set with more than level percent has the truth, or 0.

    `masses` are the probabilities of `values` by item (row), the greatest first, so that a set is
    the first columns of a row. A NaN truth is in none.
    """
    in_set = np.arange(values.shape[1]) < set_sizes(masses, level)[:, None]
    truth_in_set = (values == double_array(truth)[:, None]) & in_set
    return np.asarray(truth_in_set.any(axis=1), float)


def tempered(masses: FloatArray, temperature: float) -> FloatArray:
    """Return probabilities, (items, values), at another temperature T: p^(1/T), normalised by item.

    A probability of 0 stays 0; an item whose probabilities are all 0 gets NaN.

    Raises:
        ValueError: The temperature is not above 0.
    """
    if not temperature > 0:
        raise ValueError(f"temperature={temperature} is not above 0.")
    with np.errstate(divide="ignore"):
        logs = np.log(masses) / temperature
    powers = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


TEMPERATURES: FloatArray = np.unique(np.append(np.geomspace(0.1, 10, 201), 1.0))
"""Grid of the score-optimal temperature, 2.3% apart, including 1.

Sets are discrete, so the score has steps that a descent would not pass."""


NEAREST_TO_ONE: IntArray = np.argsort(np.abs(np.log(TEMPERATURES)), kind="stable")
"""Indices of `TEMPERATURES`, nearest to 1 first: of equally good ones the first is chosen."""


@metric(
    unit="temperature",
    direction="target=1",
    undefined="no readable train item",
    interval=no_interval("sets are discrete, so that the least score jumps between temperatures"),
)
def temperature_score(
    distributions: Sequence[Mapping[int, float]], truth: ArrayLike, levels: Sequence[float]
) -> float:
    """Temperature T of p^(1/T) with the least mean interval score on the train items.

    The score is that of the sets' hulls (intervals from the least to the greatest value), averaged
    over items and levels: FermiEval's rule. Temperatures are tried on a grid from 0.1 to 10; of
    equally good ones the one nearest to 1 (in ratio) is returned, NaN if no item is left. Because
    sets are discrete, it is biased upwards as an estimate of the T that undoes a distortion of the
    probabilities.

    Args:
        distributions: Probability of each value, by item.
        truth: True values, one per item; items with a NaN are left out.
        levels: Nominal levels in percent, at least one.

    Raises:
        ValueError: There is no level.

    Source: FermiEval.
    """
    if not levels:
        raise ValueError("levels is empty; give percentages such as 90.")
    target = np.atleast_1d(double_array(truth))
    pairs = zip(distributions, target, strict=True)
    usable = [distribution for distribution, value in pairs if not np.isnan(value)]
    if not usable:
        return float("nan")
    values, masses = ranked(usable)
    truths = target[~np.isnan(target)]
    means = temperature_scores(values, masses, truths, levels).mean(axis=0)
    # `argmin` takes the first of scores that are equal but for rounding, so temperatures nearest to
    # 1 come first.
    best = NEAREST_TO_ONE[np.round(means[NEAREST_TO_ONE], 12).argmin()]
    return float(TEMPERATURES[best])


def temperature_scores(
    values: FloatArray, masses: FloatArray, truth: ArrayLike, levels: Sequence[float]
) -> FloatArray:
    """Return interval scores of the sets' hulls, averaged over levels, by item and temperature.

    A hull goes from the least to the greatest value of an item's smallest set with more than the
    level's probability. `values` and their probabilities `masses`, the greatest first, have the
    shape (items, values). Columns of the result follow the grid `TEMPERATURES`.
    """
    columns = []
    for temperature in TEMPERATURES:
        scaled = tempered(masses, temperature)
        scores = []
        for level in levels:
            low, high = set_hulls(values, scaled, level)
            scores.append(interval_scores(low, high, truth, level))
        columns.append(np.mean(scores, axis=0))
    return np.stack(columns, axis=1)


@metric(
    unit="temperature",
    direction="target=1",
    undefined="no train item whose truth was seen",
    interval=Interval(min_units=100),
)
def temperature_nll(distributions: Sequence[Mapping[int, float]], truth: ArrayLike) -> float:
    """Temperature T of p^(1/T) with the greatest likelihood of the train items' truths.

    It minimises the mean of -log p_T(truth), which is convex in 1/T. It undoes p^(1/T0) at
    T = 1/T0. Items whose truth has no probability among the values seen are left out: no
    temperature gives them one. T lies between 0.01 and 100; it is NaN if no item is left or the
    likelihood doesn't depend on T. Arguments are as in `temperature_score`.

    Raises:
        ValueError: There are more or fewer truths than distributions.

    Source: Guo et al. (2017).
    """
    if not len(distributions):
        return float("nan")
    target = np.atleast_1d(double_array(truth))
    if len(target) != len(distributions):
        raise ValueError(f"{len(distributions)} distributions, but {len(target)} truths.")
    values, masses = ranked(distributions)
    rows = truth_seen(values, masses, target)
    if not rows.any():
        return float("nan")
    item_data = (values[rows], masses[rows], target[rows])
    low, high = math.log(0.01), math.log(100)  # `_mean_loss` takes log T
    # Imported here because it takes a quarter of a second, which every command would pay.
    from scipy.optimize import minimize_scalar  # noqa: PLC0415

    optimum = minimize_scalar(_mean_loss, args=item_data, bounds=(low, high), method="bounded")
    if max(abs(_mean_loss(edge, *item_data) - optimum.fun) for edge in (low, high)) < 1e-9:
        return float("nan")
    return float(np.exp(optimum.x))


def _mean_loss(
    log_temperature: float, values: FloatArray, masses: FloatArray, truth: FloatArray
) -> float:
    """Return the mean of `negative_log_likelihood` at the logarithm of a temperature."""
    return float(negative_log_likelihood(values, masses, truth, math.exp(log_temperature)).mean())


def truth_seen(values: FloatArray, masses: FloatArray, truth: ArrayLike) -> NDArray[np.bool_]:
    """Return whether each row's truth is among its values with a probability above 0."""
    right = (values == double_array(truth)[:, None]) & (masses > 0)
    return np.asarray(right.any(axis=1))


def negative_log_likelihood(
    values: FloatArray, masses: FloatArray, truth: ArrayLike, temperature: float
) -> FloatArray:
    """Return -log p_T(truth) of each item (row), in nats, with p_T ~ p^(1/T) for temperature T.

    `masses` are the probabilities of `values`, both of shape (items, values). Each truth must have
    a probability above 0 (`truth_seen`).
    """
    right = (values == double_array(truth)[:, None]) & (masses > 0)  # one a row
    with np.errstate(divide="ignore"):
        scaled = np.log(masses) / temperature
    at_truth = np.where(right, scaled, 0).sum(axis=1)
    return np.asarray(np.logaddexp.reduce(scaled, axis=1) - at_truth)


numbers(
    About(undefined="never", source="FermiEval", interval=NO_ESTIMATE),
    exponent_share="Share of the questions whose answer has the exponent of ten that the condition "
    "names.",
)
numbers(
    About(undefined=_UNREAD, unit="bits", interval=BOOTSTRAP),
    decoding_entropy="Mean entropy of the answer's distribution after a single trace.",
)
numbers(
    About(
        undefined="no train item that could be read at every temperature, or no temperature sent",
        unit="temperature",
        source="FermiEval",
        interval=no_interval("a choice among the few temperatures that were run"),
    ),
    decoding_temperature="Decoding temperature, of those that were run, chosen on the train items.",
)


MOST_SUBSETS = 1_000
"""Subsets of traces are enumerated up to this many, and drawn by seed beyond."""

_FEW = "no item has two readable traces"


@metric(
    definition="Entropy of the answer's mean distribution over all traces (reasonings) minus the "
    "mean entropy of a single trace's distribution. Mean over the items with N readable traces, "
    "the most that any item has.",
    unit="bits",
    direction="lower",
    undefined=_FEW,
    source="FermiEval",
    interval=BOOTSTRAP,
)
def tunnel_index(traces: ArrayLike) -> float:
    """Entropy of the mean over all traces less the mean entropy of a single trace, in bits.

    A trace is one of a model's reasonings, which gives a distribution of its answer. The index is
    the information that a trace carries about the answer (a Jensen-Shannon divergence): 0 where all
    traces give one distribution. Biased downwards at few traces.

    Args:
        traces: Distributions of shape (traces, values), rows summing to 1.

    Returns:
        Bits in [0, log2(traces)]; NaN for an array of shape (0, values).

    Example:
        >>> tunnel_index([[1, 0], [0, 1]])
        1.0
    """
    return residual_tunnel_index(traces, n=1)  # subsets of one trace


@metric(
    definition="Entropy of the answer's mean distribution over all N traces (reasonings), minus "
    "the mean entropy of the distribution averaged over n of the traces; the Tunnel Index at "
    "n = 1, 0 at n = N. Mean over items with N readable traces, the most that any item has, for "
    "each n of the column `traces`.",
    unit="bits",
    direction="lower",
    undefined=_FEW,
    source="FermiEval, Theorem 2",
    interval=BOOTSTRAP,
)
def residual_tunnel_index(traces: ArrayLike, n: int) -> float:
    """What is left of the Tunnel Index after averaging n traces, in bits, with H the entropy.

    H(mean of all N traces) - average over subsets of size n of H(mean of the subset): the
    `tunnel_index` at n = 1, 0 at n = N, and never rises with n. Of more than 1,000 subsets 1,000
    random ones are taken, whose sampling error may break that order.

    Args:
        traces: Distributions of the answer after each trace (reasoning), of shape (traces, values),
            rows summing to 1.
        n: Number of traces that are averaged, from 1 to N.

    Returns:
        Bits >= 0; NaN for an array of shape (0, values).

    Raises:
        ValueError: n is out of range, or the array is not two-dimensional.
    """
    rows = double_array(traces, "traces")
    if rows.ndim != 2:
        raise ValueError(f"traces has {rows.ndim} dimensions; give rows of probabilities.")
    if not len(rows):
        return float("nan")
    if not 1 <= n <= len(rows):
        raise ValueError(f"n={n} is not between 1 and the number of traces, {len(rows)}.")
    if comb(len(rows), n) <= MOST_SUBSETS:
        subsets = list(combinations(range(len(rows)), n))
    else:
        rng = np.random.default_rng(n)
        subsets = [tuple(rng.permutation(len(rows))[:n]) for _ in range(MOST_SUBSETS)]
    means = rows[np.array(subsets)].mean(axis=1)
    # Rounding leaves +-1e-16 where all subsets give the same mean.
    bits = round(float(entropy_bits(rows.mean(axis=0)) - entropy_bits(means).mean()), 12)
    return max(bits, 0.0)
