"""meta-d': type-2 sensitivity by full maximum likelihood over all ratings."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr, ndtri, ndtri_exp

from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.registry import Interval, metric

__all__ = ["MetaD", "meta_d"]

_LOG_SQRT_2_PI = 0.5 * np.log(2 * np.pi)
_FLOOR = 1e-150  # least probability whose square is still a number


class Tables(NamedTuple):
    """Shares of judgments in each cell, and which levels are there (1) or not (0)."""

    share: FloatArray  # (2, K, 2, R)
    there: FloatArray  # (K, 2, R)
    offset: FloatArray  # (2, 1, 2, R): a

    def rows(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> "Tables":
        """These rows only."""
        return Tables(*(array[..., chosen] for array in self))


class Step(NamedTuple):
    """A point's log-likelihood and the Newton step from it, each with rows last."""

    value: FloatArray  # (R,) log-likelihood per judgment
    by: FloatArray  # (R,) step of meta-d'
    edges: FloatArray  # (K - 1, 2, R) step of the distances
    gain: FloatArray  # (R,) slope along the step, 0 at the maximum
    length: FloatArray  # (R,) share of the step, below 1 where edges would cross


def newton(table: Tables, meta: FloatArray, edges: FloatArray, cap: FloatArray) -> Step:
    """The log-likelihood at (meta, edges) and the Newton step from there."""
    share, there, offset = table
    u = offset * meta + np.concatenate([np.zeros_like(edges[:1]), edges])
    # The smaller tail at each edge over Q(u_0), negative where it is the lower one: differences of
    # these are accurate in both tails.
    below = u < 0
    tail = log_ndtr(-np.abs(u))
    first = np.where(below[:, :1], np.log1p(-np.exp(tail[:, :1])), tail[:, :1])
    tail = np.exp(tail - first)
    np.negative(tail, out=tail, where=below)
    chance = tail.copy()
    chance[:, :-1] -= tail[:, 1:]
    astride = below.copy()
    astride[:, :-1] ^= below[:, 1:]
    chance += astride * np.exp(-np.maximum(first, -1)) + (1 - there)
    np.maximum(chance, _FLOOR, out=chance)
    value = (share * np.log(chance)).sum((0, 1, 2))

    density = np.exp(-0.5 * u * u - (first + _LOG_SQRT_2_PI))
    total = share.sum(1, keepdims=True)
    weight = share / chance
    bend = weight / chance
    slope = density * (np.concatenate([total, weight[:, :-1]], 1) - weight)
    # The Hessian of all edges, the criterion's included, with its sign changed.
    diagonal = u * slope + density**2 * (np.concatenate([-total, bend[:, :-1]], 1) + bend)
    beside = -density[:, :-1] * density[:, 1:] * bend[:, :-1]
    moved = diagonal.copy()  # what a common shift of all edges does to each
    moved[:, :-1] += beside
    moved[:, 1:] += beside

    slopes, border = slope[:, 1:].sum(0), (offset * moved[:, 1:]).sum(0)
    own, coupled = tridiagonal(
        diagonal[:, 1:].sum(0) + (1 - there[1:]),
        beside[:, 1:].sum(0),
        np.stack([slopes, border], 1),
    ).swapaxes(0, 1)
    rise = (offset[:, 0] * slope.sum(1)).sum((0, 1)) - (border * own).sum((0, 1))
    schur = (offset[:, 0] ** 2 * moved.sum(1)).sum((0, 1)) - (border * coupled).sum((0, 1))
    by = np.copysign(np.minimum(cap, np.abs(rise) / np.maximum(schur, 1e-300)), rise)
    step = own - coupled * by
    gain = (slopes * own).sum((0, 1)) + by * rise

    gaps = np.diff(edges, axis=0, prepend=0)
    closing = (-np.diff(step, axis=0, prepend=0) / gaps * there[1:]).max((0, 1))
    return Step(value, by, step, gain, np.minimum(1, 0.9 / np.maximum(closing, 1e-300)))


def tridiagonal(diagonal: FloatArray, beside: FloatArray, right: FloatArray) -> FloatArray:
    """Solutions of symmetric tridiagonal systems along the first axis (Thomas).

    `right` has an axis more, the second, of right-hand sides; it is overwritten.
    """
    ratio = np.empty_like(beside)
    pivot = diagonal[0]
    right[0] /= pivot
    for j in range(1, len(diagonal)):
        ratio[j - 1] = beside[j - 1] / pivot
        pivot = diagonal[j] - beside[j - 1] * ratio[j - 1]
        right[j] = (right[j] - beside[j - 1] * right[j - 1]) / pivot
    for j in range(len(diagonal) - 2, -1, -1):
        right[j] -= ratio[j] * right[j + 1]
    return right


LARGEST = 20.0
"""Where the likelihood still rises beyond this |meta-d'|, it is taken to have no maximum."""

_STEPS = 100  # 5 to 10 are usual
_CELLS = 2**13  # cells in work at once: arrays that stay in the processor's cache
_SLACK = 1e-11  # rounding of a log-likelihood per judgment
_NOWHERE = 1e6  # distance of the edge below a level that isn't there
_ONE_START = 0.25  # |k| up to which the ascent from d' is enough
_TWO_STARTS = 0.5  # |k| up to which the ascent from -d' is enough besides
_SAME = 1e-9  # difference of two log-likelihoods per judgment that are one maximum's


def tables(nr_s1: FloatArray, nr_s2: FloatArray, k: FloatArray) -> Tables:
    """Counts of shape (R, 2K) as tails; levels that are empty for both stimuli go last."""
    half = nr_s1.shape[1] // 2
    own = np.stack([nr_s2[:, half:], nr_s1[:, half - 1 :: -1]])
    other = np.stack([nr_s1[:, half:], nr_s2[:, half - 1 :: -1]])
    counts = np.stack([own, other]).transpose(0, 3, 1, 2)
    empty = counts.sum(0) == 0
    order = np.argsort(empty, axis=0, kind="stable")
    levels = max(2, int((~empty).sum(0).max(initial=0)))
    there = 1.0 - np.take_along_axis(empty, order, 0)[:levels]
    counts = np.take_along_axis(counts, order[None], 1)[:, :levels]
    sides = np.stack([k, -k])
    offset = np.stack([sides - 0.5, sides + 0.5])[:, None]
    return Tables(counts / counts.sum((0, 1, 2)), there, offset)


def start(table: Tables, meta: FloatArray) -> FloatArray:
    """Distances at which one normal tail has the levels' shares, both stimuli taken together."""
    share, there, offset = table
    centre = (offset[:, 0] * meta * share.sum(1)).sum(0) / share.sum((0, 1))
    above = np.cumsum(share.sum(0)[::-1], 0)[::-1]
    with np.errstate(divide="ignore"):
        tail = np.log(above[1:] / above[0]) + log_ndtr(-centre)
    beyond = _NOWHERE * np.arange(1, len(share[0]))[:, None, None]  # levels that aren't there
    return np.where(there[1:] > 0, -ndtri_exp(tail) - centre, beyond)


def ascend(table: Tables, meta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """meta-d' and log-likelihood per judgment of the maximum reached from each row's start.

    Rows that rise beyond `LARGEST`, or without end on a plateau, are infinite; rows that don't
    converge are NaN.
    """
    found, best = np.full_like(meta, np.nan), np.full_like(meta, np.nan)
    left = np.arange(len(meta))
    edges = start(table, meta)
    unit = _unit(table)
    at = newton(table, meta, edges, np.maximum(np.abs(meta), unit))
    length = at.length
    for _ in range(_STEPS):
        there = meta + length * at.by, edges + length * at.edges
        # At most twice the last step, and one that doubles meta-d' or moves edges by about 1.
        cap = np.clip(2 * length * np.abs(at.by), 0.1 * unit, np.maximum(np.abs(there[0]), unit))
        new = newton(table, *there, cap)
        taken = new.value >= at.value + 1e-4 * length * at.gain - _SLACK
        small = (at.gain < 1e-12) & (np.abs(at.by) < 1e-6 * np.maximum(unit, np.abs(meta)))
        # A plateau: nothing to gain from steps that aren't small.
        flat = (at.gain < 1e-10) & (np.abs(at.by) > 1e-2) & (np.abs(meta) > 5)
        ends = taken & ((small & (length == 1)) | flat | (np.abs(there[0]) > LARGEST))
        length = np.where(taken, new.length, length / 4)
        meta, edges = np.where(taken, there[0], meta), np.where(taken, there[1], edges)
        at = Step(*(np.where(taken, one, other) for one, other in zip(new, at, strict=True)))
        if ends.any():
            out = flat | (np.abs(meta) > LARGEST)
            found[left[ends]] = np.where(out, np.copysign(np.inf, meta), meta)[ends]
            best[left[ends]] = at.value[ends]
            stays = ~ends
            left, meta, edges = left[stays], meta[stays], edges[..., stays]
            length, unit = length[stays], unit[stays]
            table, at = table.rows(stays), Step(*(array[..., stays] for array in at))
        if not len(left):
            break
    creeps = np.abs(meta) > LARGEST * unit  # along the tail of a likelihood that levels off
    found[left[creeps]], best[left[creeps]] = np.copysign(np.inf, meta[creeps]), at.value[creeps]
    return found, best


def profile(nr_s1: FloatArray, nr_s2: FloatArray, meta: FloatArray, k: FloatArray) -> FloatArray:
    """Log-likelihood per judgment at given meta-d', of the best criteria; rows of counts."""
    still = np.zeros_like(meta)
    with np.errstate(all="ignore"):
        table = tables(nr_s1, nr_s2, k)
        edges = start(table, meta)
        at = newton(table, meta, edges, still)
        length = at.length
        for _ in range(_STEPS):
            if (at.gain < 1e-12).all():
                break
            there = edges + length * at.edges
            new = newton(table, meta, there, still)
            taken = new.value >= at.value + 1e-4 * length * at.gain - _SLACK
            length = np.where(taken, new.length, length / 4)
            edges = np.where(taken, there, edges)
            at = Step(*(np.where(taken, one, other) for one, other in zip(new, at, strict=True)))
    return at.value


def _unit(table: Tables) -> FloatArray:
    """The change of meta-d' that moves edges by about 1."""
    return np.asarray(1 / (0.5 + np.abs(table.offset[0, 0, 0] + 0.5)))


def _higher(
    table: Tables,
    known: tuple[FloatArray, FloatArray],
    rows: NDArray[np.int64],
    starts: Sequence[FloatArray],
) -> NDArray[np.int64]:
    """Ascend from further starts for some rows; keep the best; return rows whose ascents differ."""
    meta, value = known
    shape = (len(starts), len(rows))
    metas, values = ascend(table.rows(np.tile(rows, len(starts))), np.concatenate(starts))
    metas = np.concatenate([meta[None, rows], metas.reshape(shape)])
    values = np.concatenate([value[None, rows], values.reshape(shape)])
    values = np.where(np.isnan(metas), -np.inf, values)
    best = ((values >= values.max(0) - _SAME).argmax(0), np.arange(len(rows)))
    meta[rows], value[rows] = metas[best], values[best]
    return np.asarray(rows[(values < values.max(0) - _SAME).any(0)])


def maximum(
    nr_s1: FloatArray, nr_s2: FloatArray, d_prime: FloatArray, k: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """meta-d' and log-likelihood per judgment at the highest maximum, for rows of counts.

    A criterion far from the middle (large |k| = |c/d'|) makes a second maximum possible, mostly on
    the other side of 0: there the ascent also starts from other places, and where ascents end at
    different heights from more.
    """
    meta, value = np.empty_like(d_prime), np.empty_like(d_prime)
    size = max(1, _CELLS // (2 * nr_s1.shape[1]))
    for first in range(0, len(meta), size):
        part = slice(first, first + size)
        table, at = tables(nr_s1[part], nr_s2[part], k[part]), d_prime[part]
        unit = _unit(table)
        with np.errstate(all="ignore"):
            known = ascend(table, at)
            far, lost = np.abs(k[part]), np.isnan(known[0])
            rows = np.flatnonzero((far > _ONE_START) | lost)
            differ = [_higher(table, known, rows, [-at[rows]])]
            rows = np.flatnonzero((far > _TWO_STARTS) | lost)
            differ.append(_higher(table, known, rows, [4 * unit[rows], -4 * unit[rows]]))
            rows = np.unique(np.concatenate(differ))
            places = [place * unit[rows] for place in (-8, -2, -1, -0.5, 0.5, 1, 2, 8)]
            _higher(table, known, rows, places)
        meta[part], value[part] = known
    return meta, value


NEAR_ZERO = 1e-3
"""Below this |d'|, meta-d' (whose criterion is meta-d' c/d') and M-ratio are undefined."""

_NO_MAXIMUM = f"the likelihood has no maximum: it still rises towards |meta-d'| = {LARGEST:g}"
_NO_CONVERGENCE = "the maximisation didn't converge"


@dataclass(frozen=True, eq=False)
class MetaD:
    """A fit of meta-d', or R fits: then all fields have R entries.

    Attributes:
        d_prime: Type-1 sensitivity, in standard deviations of the evidence.
        meta_d: Sensitivity that an ideal observer with such ratings would have, in the same unit.
        m_ratio: meta_d / d_prime: 1 for an ideal observer, below 1 for lost information.
        log_likelihood: Of the (padded) ratings, natural, without the multinomial constant.
        reason: Why something is NaN; empty where nothing is.
    """

    d_prime: float | FloatArray
    meta_d: float | FloatArray
    m_ratio: float | FloatArray
    log_likelihood: float | FloatArray
    reason: str | list[str]


@metric(
    definition="The meta-d' of greatest likelihood over all ratings, criteria free, 1/(2K) added "
    "to each cell.",
    unit="d'",
    direction="higher",
    undefined="items that are not two-choice; all answers or all stimuli on one side; one rating "
    "only",
    source="Maniscalco and Lau (2012)",
    interval=Interval("percentile", min_units=30, min_rarest=10),
)
def meta_d(nr_s1: ArrayLike, nr_s2: ArrayLike, padding: float | None = None) -> MetaD:
    """meta-d' of a two-choice task by maximum likelihood over all ratings, equal variances.

    Type 1: d' = z(HR) - z(FAR) and c = -(z(HR) + z(FAR))/2, where HR = P("S2" | S2) and
    FAR = P("S2" | S1). Type 2: evidence is Normal(-+meta-d'/2, 1) with the criterion
    meta-d' c/d', and the K - 1 rating criteria on each side of it are free; meta-d' maximises
    sum n log P(rating | stimulus, response). See also Maniscalco and Lau (2014, in The Cognitive
    Neuroscience of Metacognition); s = 1.

    Levels that are empty for both stimuli are dropped, which is exact. The maximum is found by
    Newton steps from one or, where there can be more than one maximum, several starts.

    Args:
        nr_s1: Counts given stimulus S1: highest-confidence "S1" ... lowest "S1", lowest "S2" ...
            highest "S2". Shape (2K,) for one fit or (R, 2K) for R fits at once, K >= 2 ratings.
            Weighted counts needn't be integers.
        nr_s2: Counts given stimulus S2, likewise.
        padding: Added to every cell before anything is computed; 1/(2K) is the convention. Not
            needed for empty cells as such. None or 0 adds nothing.

    Returns:
        Numbers or arrays of shape (R,), meta-d' in [-20, 20]. NaN with a reason, whatever the
        padding, where a stimulus has no judgments, all responses are the same, or all ratings
        within each response are; and where HR or FAR is 0 or 1, |d'| < 0.001, or the likelihood
        has no maximum, as when ratings separate right from wrong completely. M-ratio alone is NaN
        where d' < 0.

    Raises:
        ValueError: Counts are negative, not finite, or of other or different shapes; or the
            padding is negative or not finite.

    Example:
        >>> fit = meta_d([36, 24, 17, 20, 10, 12, 9, 2], [1, 4, 10, 11, 19, 18, 28, 39])
        >>> round(fit.d_prime, 3), round(fit.meta_d, 3), round(fit.m_ratio, 3)
        (1.504, 1.461, 0.971)
    """
    given = counts_of(nr_s1, nr_s2)
    if padding is not None and not 0 <= padding < np.inf:
        raise ValueError(f"padding={padding} is not a finite number >= 0; 1/(2K) is usual.")
    raw = [np.atleast_2d(counts) for counts in given]
    d_prime, meta, value, reason = _fits(raw[0], raw[1], padding or 0.0)
    ratio = np.full_like(meta, np.nan)
    np.divide(meta, d_prime, out=ratio, where=d_prime >= NEAR_ZERO)
    reason[(reason == "") & (d_prime < 0)] = "d' is not above 0: the M-ratio is undefined"
    if given[0].ndim == 2:
        return MetaD(d_prime, meta, ratio, value, [str(text) for text in reason])
    return MetaD(float(d_prime[0]), float(meta[0]), float(ratio[0]), float(value[0]), reason[0])


def counts_of(nr_s1: ArrayLike, nr_s2: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Both stimuli's counts, as arrays of one shape: (2K,) or rows of it."""
    given = _counts("nr_s1", nr_s1), _counts("nr_s2", nr_s2)
    if given[0].shape != given[1].shape:
        raise ValueError(
            f"nr_s1 has shape {given[0].shape} and nr_s2 {given[1].shape}; "
            "give both the same rows and ratings."
        )
    return given


def _counts(name: str, counts: ArrayLike) -> FloatArray:
    array = np.asarray(counts, float)
    if array.ndim not in {1, 2} or array.shape[-1] % 2 or array.shape[-1] < 4:
        raise ValueError(
            f"{name} has shape {array.shape}; give 2K counts, or rows of them, with K >= 2 ratings."
        )
    wrong = array[~((array >= 0) & (array < np.inf))]
    if wrong.size:
        raise ValueError(f"{name} holds {wrong[0]}; counts are finite numbers >= 0.")
    return array


Reasons = np.ndarray[tuple[int], np.dtype[np.object_]]


def type1(
    raw_s1: FloatArray, raw_s2: FloatArray, padding: float
) -> tuple[FloatArray, FloatArray, Reasons]:
    """The d' and the criterion of each row, and why it has no meta-d'; empty where it may."""
    half = raw_s1.shape[1] // 2
    nr_s1, nr_s2 = raw_s1 + padding, raw_s2 + padding
    with np.errstate(all="ignore"):
        hits = ndtri(nr_s2[:, half:].sum(1) / nr_s2.sum(1))
        false_alarms = ndtri(nr_s1[:, half:].sum(1) / nr_s1.sum(1))
        d_prime, criterion = hits - false_alarms, -(hits + false_alarms) / 2
    levels = (raw_s1 + raw_s2 > 0).reshape(len(raw_s1), 2, half).sum(2)
    without_d_prime = {
        "there are no judgments of one of the stimuli": ~(raw_s1.any(1) & raw_s2.any(1)),
        "every response is the same": (levels == 0).any(1),
        "the hit rate or the false-alarm rate is 0 or 1, so d' is infinite": ~np.isfinite(d_prime),
    }
    undefined = without_d_prime | {
        f"|d'| is below {NEAR_ZERO}: c/d' is undefined": np.abs(d_prime) < NEAR_ZERO,
        "every judgment has the same rating within its response: no type-2 information": (
            levels <= 1
        ).all(1),
    }
    reason = np.full(len(raw_s1), "", dtype=object)
    for text, rows in reversed(undefined.items()):
        reason[rows] = text
    d_prime[np.any([*without_d_prime.values()], axis=0)] = np.nan
    return d_prime, criterion, reason


def _fits(
    raw_s1: FloatArray, raw_s2: FloatArray, padding: float
) -> tuple[FloatArray, FloatArray, FloatArray, Reasons]:
    """d', meta-d', log-likelihood and reason of each row."""
    d_prime, criterion, reason = type1(raw_s1, raw_s2, padding)
    nr_s1, nr_s2 = raw_s1 + padding, raw_s2 + padding
    meta, value = np.full_like(d_prime, np.nan), np.full_like(d_prime, np.nan)
    fit = np.flatnonzero(reason == "")
    found, best = maximum(nr_s1[fit], nr_s2[fit], d_prime[fit], criterion[fit] / d_prime[fit])
    reason[fit[np.isinf(found)]], reason[fit[np.isnan(found)]] = _NO_MAXIMUM, _NO_CONVERGENCE
    there = np.isfinite(found)
    meta[fit[there]] = found[there]
    value[fit[there]] = (best * (nr_s1[fit].sum(1) + nr_s2[fit].sum(1)))[there]
    return d_prime, meta, value, reason
