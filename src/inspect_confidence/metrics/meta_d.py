"""meta-d' by maximum likelihood over all ratings, and the M-ratio at a threshold."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr, ndtri, ndtri_exp

from inspect_confidence.metrics.arrays import (
    FloatArray,
    divide_or_nan,
    double_array,
)
from inspect_confidence.metrics.registry import FEW_WRONG, INFINITY, metric
from inspect_confidence.metrics.tables import ConfidenceTables, confidence_table
from inspect_confidence.metrics.type2 import (
    LEAST_D_PRIME,
    ONE_SIDED,
    Type1Model,
    afc_type2_d_prime,
    d_prime_of,
    meta_d_ideal_of_tables,
    type2_rates,
)

__all__ = ["MetaD", "m_ratio", "meta_d"]

_LOG_SQRT_2_PI = 0.5 * np.log(2 * np.pi)
_FLOOR = 1e-150  # least probability whose square is still a number


class RatingTables(NamedTuple):
    """Rating counts of R fits as shares, by stimulus and response, with fits on the last axis.

    An edge is the distance of a rating criterion from the type-1 criterion, in the direction of its
    response; level 0 is the lowest of the K ratings. Levels without judgments come last.

    Attributes:
        share: Share of the judgments by agreement (0 if stimulus and response match, 1 if not),
            level and response, of shape (2, K, 2, R).
        present: Whether a level has judgments (1) or not (0), of shape (K, 2, R).
        offset: Factor a of meta-d' in the position a meta-d' + edge, of shape (2, 1, 2, R).
    """

    share: FloatArray
    present: FloatArray
    offset: FloatArray

    def rows(self, selection: NDArray[np.bool_] | NDArray[np.int64]) -> "RatingTables":
        """Return the tables of the selected fits."""
        return RatingTables(*(array[..., selection] for array in self))


class NewtonStep(NamedTuple):
    """Log-likelihood at a point and the Newton step from it, with the R fits on the last axis."""

    value: FloatArray  # (R,) log-likelihood per judgment
    meta_step: FloatArray  # (R,) step of meta-d'
    edge_steps: FloatArray  # (K - 1, 2, R) step of the edges
    gain: FloatArray  # (R,) slope along the step, 0 at the maximum
    length: FloatArray  # (R,) share of the step, below 1 where edges would cross

    def rows(self, selection: NDArray[np.bool_]) -> "NewtonStep":
        """Return the steps of the selected fits."""
        return NewtonStep(*(array[..., selection] for array in self))

    def replaced(self, following: "NewtonStep", accepted: NDArray[np.bool_]) -> "NewtonStep":
        """Return the following step for the accepted fits, this one for the others."""
        pairs = zip(following, self, strict=True)
        return NewtonStep(*(np.where(accepted, new, previous) for new, previous in pairs))


class EdgeDerivatives(NamedTuple):
    """Derivatives of the log-likelihood by all edges; the Hessian is tridiagonal."""

    slope: FloatArray  # (2, K, 2, R)
    diagonal: FloatArray  # (2, K, 2, R) of the Hessian with its sign changed
    off_diagonal: FloatArray  # (2, K - 1, 2, R) beside it


def newton(table: RatingTables, meta: FloatArray, edges: FloatArray, cap: FloatArray) -> NewtonStep:
    """Return each fit's log-likelihood at (meta, edges), and the Newton step from there.

    `gain` is the slope along the step, and `length` the share of it that keeps edges in order.

    Level j of the ratings begins at edge_j, u_j = offset meta + edge_j standard deviations from the
    stimulus's mean; edge_0 = 0 is the type-1 criterion. Given stimulus and response, it has the
    chance (Q(u_j) - Q(u_j+1)) / Q(u_0), with the upper normal tail Q and Q(u_K) = 0.

    Args:
        table: Counts of R fits as shares by agreement of stimulus and response, level, response;
            `offset` times meta-d' is the type-1 criterion's distance from the stimulus's mean.
        meta: meta-d' of each fit.
        edges: edge_1 to edge_K-1 of each response and fit, ascending, of shape (K - 1, 2, R).
        cap: Largest change of meta-d'; 0 keeps it.
    """
    positions = table.offset * meta + np.concatenate([np.zeros_like(edges[:1]), edges])
    chance, density = level_chances(positions, table.present)
    log_likelihood = (table.share * np.log(chance)).sum((0, 1, 2))  # per judgment
    derivatives = edge_derivatives(table.share, chance, density, positions)
    meta_step, edge_steps, gain = solve_newton_equations(table, derivatives, cap)
    # The step is cut where it would close more than 0.9 of a gap between neighbouring edges.
    gaps = np.diff(edges, axis=0, prepend=0)  # prepended: edge_0, which stays at 0
    closing = (-np.diff(edge_steps, axis=0, prepend=0) / gaps * table.present[1:]).max((0, 1))
    length = np.minimum(1, 0.9 / np.maximum(closing, 1e-300))  # 1 if no gap closes
    return NewtonStep(log_likelihood, meta_step, edge_steps, gain, length)


def level_chances(u: FloatArray, present: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the chance (Q(u_j) - Q(u_j+1)) / Q(u_0) of each level, and phi(u_j) / Q(u_0).

    Q and phi are the upper tail and the density of the normal law. `u` has the lower edge u_j of
    each level, with the axes agreement (of stimulus and response), level, response and fit: (2, K,
    2, R); the last level has no upper edge. A level without judgments, 0 in `present`, gets a
    chance above 0 for its logarithm.
    """
    # Q(u_j) - Q(u_j+1) would lose all digits far below 0. So each edge has its smaller tail, with a
    # minus sign if that is the lower one; differences of these are the same on one side of 0.
    below = u < 0
    log_tail = log_ndtr(-np.abs(u))
    log_tail_0 = log_tail[:, :1]
    log_q0 = np.where(below[:, :1], np.log1p(-np.exp(log_tail_0)), log_tail_0)  # log Q(u_0)
    tail = np.exp(log_tail - log_q0)
    np.negative(tail, out=tail, where=below)
    chance = tail.copy()
    chance[:, :-1] -= tail[:, 1:]
    # A level astride of 0 (lower edge below, upper edge or none above) has 1 less both tails. Then
    # Q(u_0) >= 1/2, which `maximum` leaves; without one the factor is 0, and `maximum` keeps exp
    # from overflow.
    astride = below.copy()
    astride[:, :-1] ^= below[:, 1:]
    chance += astride * np.exp(-np.maximum(log_q0, -1)) + (1 - present)
    np.maximum(chance, _FLOOR, out=chance)
    return chance, np.exp(-0.5 * u * u - (log_q0 + _LOG_SQRT_2_PI))


def edge_derivatives(
    share: FloatArray, chance: FloatArray, density: FloatArray, u: FloatArray
) -> EdgeDerivatives:
    """Return first and second derivatives by the edges of the log-likelihood, sum share log chance.

    Edge u_j is the lower end of rating level j on the scale of evidence, and the chance of the
    level is (Q(u_j) - Q(u_j+1)) / Q(u_0) (`level_chances`). So edge j lowers the chance of level j
    and raises that of level j - 1, both by `density`, phi(u_j) / Q(u_0); edge 0 raises all through
    the divisor. Second derivatives have their sign changed. Arrays have the axes agreement (of
    stimulus and response), level, response and fit.
    """
    total = share.sum(1, keepdims=True)  # takes the place of a level below edge 0
    weight = share / chance  # first derivative of share log chance by the chance
    bend = weight / chance  # the second one with its sign changed; phi'(u) is -u phi(u)
    slope = density * (np.concatenate([total, weight[:, :-1]], 1) - weight)
    diagonal = u * slope + density**2 * (np.concatenate([-total, bend[:, :-1]], 1) + bend)
    off_diagonal = -density[:, :-1] * density[:, 1:] * bend[:, :-1]
    return EdgeDerivatives(slope, diagonal, off_diagonal)


def solve_newton_equations(
    table: RatingTables, derivatives: EdgeDerivatives, cap: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the Newton steps of meta-d' and of the edges, and the likelihood's slope along them.

    The step x of the edges and m of meta-d' solve D x + b m = g and b'x + s m = r, with the first
    derivatives g and r and, with their sign changed, the second ones D, b and s. As D is
    tridiagonal, x is eliminated: m = (r - b' D^-1 g) / (s - b' D^-1 b), at most `cap` in size, and
    x = D^-1 g - m D^-1 b.

    Arrays have the axes agreement (of stimulus and response), level, response and fit. Edge 0 is
    fixed, and the other edges are the same for both agreements. A change of meta-d' moves all
    edges, edge 0 too, of a stimulus and response by `table.offset` (whose level axis has one entry)
    times as much.
    """
    offset, present = table.offset, table.present
    slope, diagonal, off_diagonal = derivatives
    shift_slope = diagonal.copy()  # what a common shift of all edges does to each
    shift_slope[:, :-1] += off_diagonal
    shift_slope[:, 1:] += off_diagonal
    g, b = slope[:, 1:].sum(0), (offset * shift_slope[:, 1:]).sum(0)
    # D^-1 g and D^-1 b. Levels without judgments get 1 in D, which would have 0 there.
    solved_g, solved_b = tridiagonal(
        diagonal[:, 1:].sum(0) + (1 - present[1:]),
        off_diagonal[:, 1:].sum(0),
        np.stack([g, b], 1),
    ).swapaxes(0, 1)
    r = (offset[:, 0] * slope.sum(1)).sum((0, 1))
    s = (offset[:, 0] ** 2 * shift_slope.sum(1)).sum((0, 1))
    rise, bend = r - (b * solved_g).sum((0, 1)), s - (b * solved_b).sum((0, 1))
    # Uphill, by `cap` where the curvature is not that of a maximum.
    meta_step = np.copysign(np.minimum(cap, np.abs(rise) / np.maximum(bend, 1e-300)), rise)
    gain = (g * solved_g).sum((0, 1)) + meta_step * rise
    return meta_step, solved_g - solved_b * meta_step, gain


def tridiagonal(diagonal: FloatArray, off_diagonal: FloatArray, right: FloatArray) -> FloatArray:
    """Solve symmetric tridiagonal systems along the first axis (Thomas algorithm).

    `right` has one more axis, the second, of right-hand sides; the solutions overwrite it.
    """
    ratio = np.empty_like(off_diagonal)
    pivot = diagonal[0]
    right[0] /= pivot
    for j in range(1, len(diagonal)):
        ratio[j - 1] = off_diagonal[j - 1] / pivot
        pivot = diagonal[j] - off_diagonal[j - 1] * ratio[j - 1]
        right[j] = (right[j] - off_diagonal[j - 1] * right[j - 1]) / pivot
    for j in range(len(diagonal) - 2, -1, -1):
        right[j] -= ratio[j] * right[j + 1]
    return right


LARGEST = 20.0
"""|meta-d'| beyond which a likelihood that still rises has no maximum."""

_MOST_STEPS = 100  # 5 to 10 are usual
_CELLS_AT_ONCE = 2**13  # cells in work at once: arrays that stay in the processor's cache
_ROUNDING = 1e-11  # rounding of a log-likelihood per judgment
_BEYOND_ALL_EDGES = 1e6  # edge below a level without judgments: far beyond all others
_MAX_K_OF_ONE_START = 0.25  # |k| up to which the ascent from d' is enough
_MAX_K_OF_TWO_STARTS = 0.5  # |k| up to which the ascent from -d' is enough besides
_SAME_MAXIMUM = 1e-9  # log-likelihoods per judgment that differ by less are of the same maximum


def rating_tables(nr_s1: FloatArray, nr_s2: FloatArray, k: FloatArray) -> RatingTables:
    """Return each fit's counts as shares by agreement, level of rating and response.

    Agreement is 0 if stimulus and response match, else 1; level 0 is the lowest. Levels that are
    empty for both stimuli tell nothing of meta-d'. They go last, so that each fit's other levels
    are neighbours; those that are empty in all fits are dropped, down to two. With the shares come
    which levels have judgments, and the factor of meta-d' in the position of edges (`offset`).
    Shares of a fit without counts are NaN.

    Args:
        nr_s1: Counts given stimulus S1, of shape (R, 2K): highest-confidence "S1" ... lowest "S1",
            lowest "S2" ... highest "S2".
        nr_s2: Counts given stimulus S2.
        k: Type-1 criterion over d', c/d', of each fit; the model takes the criterion over meta-d'
            to be equal.
    """
    half = nr_s1.shape[1] // 2
    # Responses "S1" and "S2" to each stimulus, from the lowest rating: (R, K) each.
    s1_right, s1_wrong = nr_s1[:, half - 1 :: -1], nr_s1[:, half:]
    s2_wrong, s2_right = nr_s2[:, half - 1 :: -1], nr_s2[:, half:]
    # By agreement and response ("S2" first), transposed to (agreement 2, K, response 2, R).
    counts = np.array([[s2_right, s1_right], [s1_wrong, s2_wrong]]).transpose(0, 3, 1, 2)
    # Empty levels go last, and those that are empty in all fits are dropped.
    empty = counts.sum(0) == 0
    order = np.argsort(empty, axis=0, kind="stable")
    levels = max(2, int((~empty).sum(0).max(initial=0)))
    present = 1.0 - np.take_along_axis(empty, order, 0)[:levels]
    counts = np.take_along_axis(counts, order[None], 1)[:, :levels]
    # Criterion less the stimulus's mean, over meta-d', in the direction of the response: the mean
    # is half a meta-d' on that side if stimulus and response match, else on the other one.
    criterion = np.stack([k, -k])
    offset = np.stack([criterion - 0.5, criterion + 0.5])[:, None]
    return RatingTables(counts / counts.sum((0, 1, 2)), present, offset)


def starting_edges(table: RatingTables, meta: FloatArray) -> FloatArray:
    """Return edges from which to maximise the likelihood, of shape (levels - 1, responses 2, R).

    An edge is the distance of a rating level's lower end from the type-1 criterion. Both stimuli
    are taken as one normal law, with the upper tail Q: edge j solves Q(c + edge_j) / Q(c) = share
    of level j and the higher ones. c is the mean over stimuli, by their share, of the criterion's
    position at meta-d' `meta`. Edges below levels without judgments lie far beyond all others.
    """
    share, present, offset = table  # `share` by agreement of stimulus and response, level, response
    # `offset`, the same for all levels, times meta-d' is the criterion's position.
    criterion = (offset[:, 0] * meta * share.sum(1)).sum(0) / share.sum((0, 1))
    above = np.cumsum(share.sum(0)[::-1], 0)[::-1]  # share of each level and the higher ones
    with np.errstate(divide="ignore"):
        tail = np.log(above[1:] / above[0]) + log_ndtr(-criterion)
    edges_beyond = _BEYOND_ALL_EDGES * np.arange(1, len(share[0]))[:, None, None]
    return np.where(present[1:] > 0, -ndtri_exp(tail) - criterion, edges_beyond)


def ascend(table: RatingTables, meta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return meta-d' and log-likelihood per judgment at the maximum that Newton's steps reach.

    `table` has the rating counts of R fits, and `meta` the meta-d' at which each starts. meta-d' is
    infinite, with the sign of the ascent, where it rises beyond `LARGEST` or without end on a
    plateau: there is no maximum. Both results are NaN for fits that don't converge in 100 steps.
    Edges are the distances of the rating criteria from the type-1 criterion.
    """
    maxima, likelihood = np.full_like(meta, np.nan), np.full_like(meta, np.nan)
    rows = np.arange(len(meta))  # fits that still climb
    edges = starting_edges(table, meta)
    unit = _meta_unit(table)  # the change of meta-d' that moves edges by about 1
    point = newton(table, meta, edges, np.maximum(np.abs(meta), unit))
    length = point.length  # share of Newton's step that is taken
    for _ in range(_MOST_STEPS):
        # Try a step of meta-d' and of the edges.
        next_meta = meta + length * point.meta_step
        next_edges = edges + length * point.edge_steps
        size = np.abs(point.meta_step)
        # At most twice the last step, and one that doubles meta-d' or moves edges by about 1.
        cap = np.clip(2 * length * size, 0.1 * unit, np.maximum(np.abs(next_meta), unit))
        following = newton(table, next_meta, next_edges, cap)
        # Armijo's rule: a step is halved twice unless it gains 1e-4 of what its slope promises.
        accepted = following.value >= point.value + 1e-4 * length * point.gain - _ROUNDING

        # A fit is finished at a maximum, on a plateau, or beyond the largest meta-d'.
        small = (point.gain < 1e-12) & (size < 1e-6 * np.maximum(unit, np.abs(meta)))
        at_maximum = small & (length == 1)  # a whole step, so that it isn't small by halving
        # A plateau, far from 0: nothing to gain from steps that aren't small.
        flat = (point.gain < 1e-10) & (size > 1e-2) & (np.abs(meta) > 5)
        finished = accepted & (at_maximum | flat | (np.abs(next_meta) > LARGEST))

        # Move the fits whose step is accepted; the others try a quarter of it.
        length = np.where(accepted, following.length, length / 4)
        meta = np.where(accepted, next_meta, meta)
        edges = np.where(accepted, next_edges, edges)
        point = point.replaced(following, accepted)
        # Store the finished fits, and go on with the others.
        if finished.any():
            diverged = flat | (np.abs(meta) > LARGEST)
            reached = np.where(diverged, np.copysign(np.inf, meta), meta)
            maxima[rows[finished]] = reached[finished]
            likelihood[rows[finished]] = point.value[finished]
            active = ~finished
            rows, meta, edges = rows[active], meta[active], edges[..., active]
            length, unit = length[active], unit[active]
            table, point = table.rows(active), point.rows(active)
        if not len(rows):
            break
    # Of fits that are not finished, those with a huge meta-d' creep along the tail of a likelihood
    # that levels off.
    creeps = np.abs(meta) > LARGEST * unit
    maxima[rows[creeps]] = np.copysign(np.inf, meta[creeps])
    likelihood[rows[creeps]] = point.value[creeps]
    return maxima, likelihood


def profile_likelihood(
    nr_s1: FloatArray, nr_s2: FloatArray, meta: FloatArray, k: FloatArray
) -> FloatArray:
    """Return the log-likelihood per judgment at each given meta-d', maximised over the criteria.

    Edges are the distances of the rating criteria from the type-1 criterion. If 100 Newton steps
    are not enough, the result is that after the last step.

    Args:
        nr_s1: Counts of ratings given stimulus S1, of shape (R, 2K), in the order of `meta_d`.
        nr_s2: Counts given stimulus S2.
        meta: meta-d' of each row.
        k: Criterion over meta-d', of each row.
    """
    no_step = np.zeros_like(meta)  # caps steps of meta-d', which stays as given
    with np.errstate(all="ignore"):
        table = rating_tables(nr_s1, nr_s2, k)
        edges = starting_edges(table, meta)
        point = newton(table, meta, edges, no_step)
        length = point.length  # share of Newton's step that is taken
        for _ in range(_MOST_STEPS):
            if (point.gain < 1e-12).all():  # every fit is at its maximum
                break
            next_edges = edges + length * point.edge_steps
            following = newton(table, meta, next_edges, no_step)
            # Armijo's rule: a step is halved twice unless it gains 1e-4 of what its slope promises.
            accepted = following.value >= point.value + 1e-4 * length * point.gain - _ROUNDING
            length = np.where(accepted, following.length, length / 4)
            edges = np.where(accepted, next_edges, edges)
            point = point.replaced(following, accepted)
    return point.value


def _meta_unit(table: RatingTables) -> FloatArray:
    """Return the change of meta-d' that moves edges by about 1.

    The position of an edge is `offset` times meta-d' plus its distance from the type-1 criterion.
    With k, the criterion over meta-d', `offset` is k -+ 0.5 or -k -+ 0.5: at most |k| + 0.5.
    """
    # This entry is k - 0.5.
    return np.asarray(1 / (0.5 + np.abs(table.offset[0, 0, 0] + 0.5)))


def _ascend_again(
    table: RatingTables,
    maxima: tuple[FloatArray, FloatArray],
    rows: NDArray[np.int64],
    starts: Sequence[FloatArray],
) -> NDArray[np.int64]:
    """Ascend from further starts, and return the rows whose ascents end at different heights.

    `maxima`, meta-d' and log-likelihood of all fits, are replaced in place where an ascent ends
    higher. `rows` are the fits that start again; each array of `starts` has their meta-d'.
    """
    meta, likelihood = maxima
    shape = (len(starts), len(rows))
    metas, heights = ascend(table.rows(np.tile(rows, len(starts))), np.concatenate(starts))
    # The maximum so far comes first, so that it stays if another one is as high.
    metas = np.concatenate([meta[None, rows], metas.reshape(shape)])
    heights = np.concatenate([likelihood[None, rows], heights.reshape(shape)])
    heights = np.where(np.isnan(metas), -np.inf, heights)  # an ascent that failed
    is_lower = heights < heights.max(0) - _SAME_MAXIMUM
    best = ((~is_lower).argmax(0), np.arange(len(rows)))
    meta[rows], likelihood[rows] = metas[best], heights[best]
    return np.asarray(rows[is_lower.any(0)])


def highest_maximum(
    nr_s1: FloatArray, nr_s2: FloatArray, d_prime: FloatArray, k: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return meta-d' and log-likelihood per judgment at the highest maximum found for each row.

    `nr_s1` and `nr_s2` are counts of ratings as in `meta_d`, and k is c/d'. meta-d' is infinite or
    NaN as that of `ascend`. A criterion far from the middle (large |k|) makes a second maximum
    possible, mostly on the other side of 0. So rows with a large |k|, or whose first ascent, from
    d', fails, start from up to three more values; and if ascents end at different heights, from
    eight more.
    """
    meta, likelihood = np.empty_like(d_prime), np.empty_like(d_prime)
    size = max(1, _CELLS_AT_ONCE // (2 * nr_s1.shape[1]))
    for first in range(0, len(meta), size):
        chunk = slice(first, first + size)
        table, chunk_d_prime = rating_tables(nr_s1[chunk], nr_s2[chunk], k[chunk]), d_prime[chunk]
        unit = _meta_unit(table)  # a step of meta-d' that matters: it moves the edges by about 1
        with np.errstate(all="ignore"):
            maxima = ascend(table, chunk_d_prime)  # meta-d' and log-likelihood
            offset, failed = np.abs(k[chunk]), np.isnan(maxima[0])
            # Each further ascent replaces what is lower in `maxima`, and returns the rows in which
            # it ends at another height.
            rows = np.flatnonzero((offset > _MAX_K_OF_ONE_START) | failed)
            differ = [_ascend_again(table, maxima, rows, [-chunk_d_prime[rows]])]
            rows = np.flatnonzero((offset > _MAX_K_OF_TWO_STARTS) | failed)
            differ.append(_ascend_again(table, maxima, rows, [4 * unit[rows], -4 * unit[rows]]))
            rows = np.unique(np.concatenate(differ))
            starts = [factor * unit[rows] for factor in (-8, -2, -1, -0.5, 0.5, 1, 2, 8)]
            _ascend_again(table, maxima, rows, starts)
        meta[chunk], likelihood[chunk] = maxima
    return meta, likelihood


NEAR_ZERO = 1e-3
"""|d'| below which meta-d' (whose criterion is meta-d' c/d') and M-ratio are undefined."""

_NO_MAXIMUM = f"the likelihood has no maximum: it still rises towards |meta-d'| = {LARGEST:g}"
_NO_CONVERGENCE = "the maximisation didn't converge"


@dataclass(frozen=True, eq=False)
class MetaD:
    """A fit of meta-d', or R fits: then all fields have R entries.

    Attributes:
        d_prime: Type-1 sensitivity, in standard deviations of the evidence.
        meta_d: Sensitivity that an ideal observer with such ratings would have, in the same unit.
        m_ratio: meta_d / d_prime: 1 for an ideal observer, below 1 for lost information.
        log_likelihood: Natural log-likelihood of the (padded) ratings, without the constant.
        reason: Why something is NaN; empty where nothing is.
    """

    d_prime: float | FloatArray
    meta_d: float | FloatArray
    m_ratio: float | FloatArray
    log_likelihood: float | FloatArray
    reason: str | list[str]


@metric(
    definition="Maximum-likelihood meta-d' (the d' that an ideal observer with this confidence "
    "has) from the counts of K ratings (different confidences), with free criteria and 1/(2K) "
    "added to each count.",
    unit="d'",
    direction="higher",
    undefined="items that are not two-choice; the model always chose the same choice, or the same "
    "choice is right for all items; one rating only",
    source="Maniscalco and Lau (2012)",
    interval=FEW_WRONG,
)
def meta_d(nr_s1: ArrayLike, nr_s2: ArrayLike, padding: float | None = None) -> MetaD:
    """meta-d' of a two-choice task by maximum likelihood over all ratings, equal variances.

    Type 1: d' = z(HR) - z(FAR) and c = -(z(HR) + z(FAR))/2, where HR = P("S2" | S2) and
    FAR = P("S2" | S1). Type 2: evidence is Normal(-+meta-d'/2, 1) with the criterion
    meta-d' c/d', and the K - 1 rating criteria on each side of it are free; meta-d' maximises
    sum n log P(rating | stimulus, response). See also Maniscalco and Lau (2014, in The Cognitive
    Neuroscience of Metacognition), whose ratio s of standard deviations is 1 here.

    Levels that are empty for both stimuli are dropped, which is exact. The maximum is found by
    Newton steps from one or, where there can be more than one maximum, several starts.

    Args:
        nr_s1: Counts given stimulus S1: highest-confidence "S1" ... lowest "S1", lowest "S2" ...
            highest "S2". Shape (2K,) for one fit or (R, 2K) for R fits at once, K >= 2 ratings.
            Weighted counts needn't be integers.
        nr_s2: Counts given stimulus S2, in the form of `nr_s1`.
        padding: Added to every cell before anything is computed; 1/(2K) is the convention. Not
            needed for empty cells as such. None or 0 adds nothing.

    Returns:
        Numbers or arrays of shape (R,), meta-d' in [-20, 20]. meta-d' is NaN with a reason if a
        stimulus has no judgments, all responses are the same, or all ratings within each response
        are the same, whatever the padding. It is also NaN if HR or FAR is 0 or 1, if |d'| < 0.001,
        or if the likelihood has no maximum, as when ratings separate right from wrong completely.
        M-ratio alone is NaN where d' < 0.

    Raises:
        ValueError: Counts are negative, not finite, or of other or different shapes; or the
            padding is negative or not finite.

    Example:
        >>> fit = meta_d([36, 24, 17, 20, 10, 12, 9, 2], [1, 4, 10, 11, 19, 18, 28, 39])
        >>> round(fit.d_prime, 3), round(fit.meta_d, 3), round(fit.m_ratio, 3)
        (1.504, 1.461, 0.971)
    """
    both_counts = counts_of(nr_s1, nr_s2)
    if padding is not None and not 0 <= padding < np.inf:
        raise ValueError(f"padding={padding} is not a finite number >= 0; 1/(2K) is usual.")
    raw = [np.atleast_2d(counts) for counts in both_counts]
    d_prime, meta, height, reason = _fit_meta_d(raw[0], raw[1], padding or 0.0)
    ratio = np.full_like(meta, np.nan)
    np.divide(meta, d_prime, out=ratio, where=d_prime >= NEAR_ZERO)
    reason[(reason == "") & (d_prime < 0)] = "d' is not above 0: the M-ratio is undefined"
    if both_counts[0].ndim == 2:
        return MetaD(d_prime, meta, ratio, height, [str(text) for text in reason])
    return MetaD(float(d_prime[0]), float(meta[0]), float(ratio[0]), float(height[0]), reason[0])


def counts_of(nr_s1: ArrayLike, nr_s2: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return both stimuli's counts of ratings, K of each response, as arrays (2K,) or (R, 2K).

    Raises:
        ValueError: Counts are negative or not finite, or shapes are wrong or differ.
    """
    both_counts = _counts("nr_s1", nr_s1), _counts("nr_s2", nr_s2)
    if both_counts[0].shape != both_counts[1].shape:
        raise ValueError(
            f"nr_s1 has shape {both_counts[0].shape} and nr_s2 {both_counts[1].shape}; "
            "give both the same rows and ratings."
        )
    return both_counts


def _counts(name: str, counts: ArrayLike) -> FloatArray:
    """Return counts as an array, or raise an error with the argument's name."""
    array = double_array(counts, name)
    if array.ndim not in {1, 2} or array.shape[-1] % 2 or array.shape[-1] < 4:
        raise ValueError(
            f"{name} has shape {array.shape}; give 2K counts, or rows of them, with K >= 2 ratings."
        )
    wrong = array[~((array >= 0) & (array < np.inf))]
    if wrong.size:
        raise ValueError(f"{name} holds {wrong[0]}; counts are finite numbers >= 0.")
    return array


Reasons = np.ndarray[tuple[int], np.dtype[np.object_]]


def type1_statistics(
    raw_s1: FloatArray, raw_s2: FloatArray, padding: float
) -> tuple[FloatArray, FloatArray, Reasons]:
    """Return d' and criterion of each row, and why it has no meta-d'; empty if it may have one.

    `raw_s1` and `raw_s2` are counts of shape (R, 2K) given either stimulus; the last K columns have
    the response "S2". d' and the criterion are computed after `padding` is added to each count;
    which stimuli, responses and ratings occur is told without it. d' is NaN if it is infinite, a
    stimulus has no judgment or all responses are the same.
    """
    half = raw_s1.shape[1] // 2
    nr_s1, nr_s2 = raw_s1 + padding, raw_s2 + padding
    with np.errstate(all="ignore"):  # rates of 0, 1 and 0/0, whose d' becomes NaN below
        z_hit = ndtri(nr_s2[:, half:].sum(1) / nr_s2.sum(1))
        z_false_alarm = ndtri(nr_s1[:, half:].sum(1) / nr_s1.sum(1))
        d_prime, criterion = z_hit - z_false_alarm, -(z_hit + z_false_alarm) / 2
    levels = (raw_s1 + raw_s2 > 0).reshape(len(raw_s1), 2, half).sum(2)  # used, by response
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
    # From the last reason to the first, so that the first one that holds stays.
    for text, rows in reversed(undefined.items()):
        reason[rows] = text
    d_prime[np.any([*without_d_prime.values()], axis=0)] = np.nan
    return d_prime, criterion, reason


def _fit_meta_d(
    raw_s1: FloatArray, raw_s2: FloatArray, padding: float
) -> tuple[FloatArray, FloatArray, FloatArray, Reasons]:
    """Return d', meta-d', log-likelihood, and the reason of a missing meta-d', of each row.

    `raw_s1` and `raw_s2` are counts of ratings by stimulus, of shape (R, 2K), from the surest "S1"
    to the surest "S2"; `padding` is added to each count. meta-d' and the log-likelihood are NaN
    where there is a reason, d' where the reason concerns d' itself.
    """
    d_prime, criterion, reason = type1_statistics(raw_s1, raw_s2, padding)
    nr_s1, nr_s2 = raw_s1 + padding, raw_s2 + padding
    meta, log_likelihood = np.full_like(d_prime, np.nan), np.full_like(d_prime, np.nan)
    rows = np.flatnonzero(reason == "")
    # meta-d' of these rows: infinite without a maximum, NaN if its search fails.
    fitted_meta, height_per_judgment = highest_maximum(
        nr_s1[rows], nr_s2[rows], d_prime[rows], criterion[rows] / d_prime[rows]
    )
    reason[rows[np.isinf(fitted_meta)]] = _NO_MAXIMUM
    reason[rows[np.isnan(fitted_meta)]] = _NO_CONVERGENCE
    converged = np.isfinite(fitted_meta)
    meta[rows[converged]] = fitted_meta[converged]
    judgments = nr_s1[rows].sum(1) + nr_s2[rows].sum(1)
    log_likelihood[rows[converged]] = (height_per_judgment * judgments)[converged]
    return d_prime, meta, log_likelihood, reason


def m_ratio_of_tables(
    tables: ConfidenceTables,
    *,
    type1: Type1Model,
    alternatives: int | None = None,
    threshold: float = 0.5,
) -> FloatArray:
    """Compute `m_ratio` of each table: meta-d' over d', both in the model `type1`.

    NaN if d' is at most 0.1, or meta-d' is NaN; in a resample with such a d' it is infinite, with
    the sign of meta-d'. ValueError if the model doesn't go with the number of `alternatives`.
    """
    d_prime = d_prime_of(tables, type1=type1, alternatives=alternatives)
    if type1 == "m_afc" and alternatives is not None:  # m_afc has them: `d_prime_of` checks it
        meta = afc_type2_d_prime(*type2_rates(tables, threshold), alternatives)
    else:
        # d' of two_afc is in units of one alternative's evidence, that of two_z of a difference.
        scale = 1 if type1 == "two_z" else np.sqrt(2)
        meta = meta_d_ideal_of_tables(tables, threshold=threshold) / scale
    ratio = divide_or_nan(meta, np.where(d_prime > LEAST_D_PRIME, d_prime, 0))  # NaN at 0
    # Of a resample whose d' may be 0 the ratio is unbounded, as in Fieller's interval.
    is_unbounded = tables.are_resamples & (d_prime <= LEAST_D_PRIME)
    return np.where(is_unbounded, np.copysign(np.inf, meta), ratio)


@metric(
    definition="Ratio of meta-d' to d', both in the signal detection model that `type1` in the "
    "condition names, such as `m_afc` (choice among m options).",
    unit="ratio",
    direction="target=1",
    low=-INFINITY,
    undefined=f"{ONE_SIDED}; d' at most 0.1; items without choices, or with different numbers of "
    "them",
    source="Maniscalco and Lau (2012)",
    interval=FEW_WRONG,
    of_tables=m_ratio_of_tables,
)
def m_ratio(
    confidence: ArrayLike,
    correct: ArrayLike,
    *,
    type1: Type1Model,
    alternatives: int | None = None,
    threshold: float = 0.5,
) -> float:
    """M-ratio: meta-d' over d', both in one type-1 model; 1 for that model's ideal observer.

    d' follows from accuracy; meta-d' is the d' of the ideal observer whose confidence tells right
    from wrong as well as the observed one does.

    Type-1 models:
        two_z: d' = 2 z(accuracy), with `meta_d_ideal`; two choices.
        two_afc: d' = sqrt(2) z(accuracy), with `meta_d_ideal` / sqrt(2); two choices. The ratio is
            that of two_z; only the units of its parts differ.
        m_afc: d' from accuracy = integral of phi(x - d') Phi(x)^(m-1) dx, with the d' whose ideal
            observer with m alternatives (confidence is the posterior of the choice) has the
            observed shares of high confidence among right and among wrong answers. Source of the
            d' from accuracy: Hacker and Ratcliff (1979).

    A fourth, `sdt`, is refused here; `meta_d` has its ratio. z is the normal quantile. NaN if d' is
    at most 0.1, all answers are right or all wrong, or no confidence lies on a side of `threshold`.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong; the result is NaN if another outcome is among them.
        type1: The model.
        alternatives: Choices an item, m >= 2, the same for all.
        threshold: Confidence from which on it counts as high, in [0, 1].

    Raises:
        ValueError: The model is not known, or it doesn't go with that number of choices.
    """
    tables = confidence_table(confidence, correct)
    return float(
        m_ratio_of_tables(tables, type1=type1, alternatives=alternatives, threshold=threshold)[0]
    )
