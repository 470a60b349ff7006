"""What confidence tells of correctness in bits: corrected for bias, and beside what it could tell.

Confidences of many values are pooled into neighbouring classes first: information about values that
come once each can't be told from chance.
"""

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri, xlogy

from inspect_confidence.metrics.arrays import FloatArray, IntArray, divided
from inspect_confidence.metrics.confidence_tables import ConfidenceTables, accuracy, of_judgments
from inspect_confidence.metrics.efficiency import LEAST_D_PRIME, ideal_posteriors
from inspect_confidence.metrics.registry import INFINITY, UNREAD, Interval, metric

if TYPE_CHECKING:
    from scipy.interpolate import PchipInterpolator

__all__ = ["meta_information_corrected", "meta_information_ideal", "meta_information_share"]

MOST_CLASSES = 20
_ABOUT_VALUE = Interval("skewness_corrected", least=100, rarest=10)
_NO_INFORMATION = f"{UNREAD}; all answers right, or all wrong; outcomes that are not 0 or 1"


@metric(
    definition="Mutual information of confidence and correctness, less what as few judgments show "
    "of it by chance; up to 20 classes of confidence.",
    unit="bits",
    direction="higher",
    low=-INFINITY,
    high=1,
    undefined=_NO_INFORMATION,
    source="Dayan (2023); the jackknife: Quenouille (1956)",
    interval=_ABOUT_VALUE,
    toolbox=True,
)
@of_judgments
def meta_information_corrected(tables: ConfidenceTables) -> FloatArray:
    """Mutual information of confidence and correctness, its bias taken off by the jackknife.

    `meta_information` of confidence in classes, I, less the jackknife's estimate of its bias: the
    mean over judgments of (n - d)/d times (I without a mass d of the judgment's cell - I), where d
    is 1, or the whole cell if it holds less. Classes are the distinct confidences, or if these are
    more than k = min(20, floor(sqrt(n))) items allow, k classes of equal mass as far as ties do;
    what is lost by that is less than what chance would add. At most the entropy of correctness; may
    be below 0 where confidence tells nothing.

    Example:
        >>> round(meta_information_corrected([1, 0] * 50, correct=[1, 0] * 50), 3)
        1.0
    """
    return _corrected(tables)


@metric(
    definition="Corrected meta-information as a share of the entropy of correctness (meta-I_2^r).",
    direction="higher",
    low=-INFINITY,
    undefined=_NO_INFORMATION,
    source="Dayan (2023)",
    interval=_ABOUT_VALUE,
    toolbox=True,
)
@of_judgments
def meta_information_share(tables: ConfidenceTables) -> FloatArray:
    """The share of the uncertainty about correctness that confidence takes away: meta-I_2^r.

    `meta_information_corrected` over H(a) = -a log2 a - (1 - a) log2(1 - a) for accuracy a. Needs
    no model of how answers arise, so it holds for open questions too.

    Example:
        >>> round(meta_information_share([0.9, 0.1] * 50, correct=[1, 0] * 50), 3)
        1.0
    """
    return divided(_corrected(tables), binary_entropy(accuracy.of(tables)))


@metric(
    definition="Corrected meta-information over that of the ideal observer with the same accuracy "
    "and the items' number of choices, two where they have none (meta-I_1^r).",
    unit="ratio",
    direction="target=1",
    low=-INFINITY,
    undefined=f"{_NO_INFORMATION}; the observer's d' at most 0.1, as at accuracies up to chance",
    source="Dayan (2023)",
    interval=_ABOUT_VALUE,
    toolbox=True,
)
@of_judgments
def meta_information_ideal(tables: ConfidenceTables, *, alternatives: int = 2) -> FloatArray:
    """Meta-information over that of the ideal observer with the same accuracy: meta-I_1^r.

    The observer is that of `m_ratio`'s type1="m_afc": it reports the posterior of its choice, p, so
    that its meta-information is H(a) - E[H(p)]. With 2 alternatives p = 1 / (1 + exp(-d |x|)),
    x ~ N(d/2, 1), d = 2 z(a). Reports in few classes lose information that the observer's fine ones
    keep: rarely 1 even for an ideal observer.

    Of open questions there is no number of choices; with 2 they are taken for a choice between
    right and wrong, which nobody made, and at accuracies up to a half there is no such observer:
    `meta_information_share` needs none.

    Args:
        tables: Of judgments with outcomes of 0 or 1.
        alternatives: Choices an item, m >= 2.

    Raises:
        ValueError: There are fewer than 2 alternatives.
    """
    if alternatives < 2:
        raise ValueError(f"alternatives={alternatives}: an observer has 2 choices or more.")
    ideal = ideal_information(accuracy.of(tables), alternatives)
    return divided(_corrected(tables), np.nan_to_num(ideal))


def binary_entropy(share: FloatArray) -> FloatArray:
    """-p log2 p - (1 - p) log2(1 - p), in bits."""
    return np.asarray(-(xlogy(share, share) + xlogy(1 - share, 1 - share)) / np.log(2))


def pooled(tables: ConfidenceTables, classes: IntArray) -> ConfidenceTables:
    """Tables whose confidences, where they are more, are in classes of equal mass as ties allow.

    A confidence goes where the middle of its ranks falls, in each table anew; the values are then
    the numbers of the classes, and what is empty is last.

    Args:
        tables: Of judgments.
        classes: How many at most, of each table.
    """
    mass, most = tables.mass, int(classes.max(initial=1))
    rank = np.cumsum(mass > 0, axis=1)
    middle = (np.cumsum(mass, axis=1) - mass / 2) / np.maximum(tables.total[:, None], 1e-300)
    shared = np.floor(middle * classes[:, None] + 1e-9).astype(np.int64)
    place = np.where(rank[:, -1:] <= classes[:, None], rank - 1, shared)
    place = np.clip(place, 0, classes[:, None] - 1)
    cell = (place + most * np.arange(len(mass))[:, None]).ravel()
    right, wrong = (
        np.bincount(cell, one.ravel(), len(mass) * most).reshape(-1, most).astype(float)
        for one in (tables.right, tables.wrong)
    )
    return ConfidenceTables(np.arange(most) / most, right, wrong, tables.binary)


def _corrected(tables: ConfidenceTables) -> FloatArray:
    """Meta-information in classes, less its bias; NaN without both outcomes."""
    key = "corrected meta-information"
    if key not in tables.shared:
        classes = np.clip(np.sqrt(tables.total + 1e-6), 1, MOST_CLASSES).astype(np.int64)
        few = pooled(tables, classes)
        outcomes = few.right.sum(axis=1), few.wrong.sum(axis=1)
        there = (np.minimum(*outcomes) > 0) & tables.binary
        found = np.full(len(there), np.nan)
        most = binary_entropy(divided(outcomes[0], few.total))[there]
        found[there] = np.minimum(_jackknifed(few.right[there], few.wrong[there]), most)
        tables.shared[key] = found
    return np.asarray(tables.shared[key])


def _jackknifed(right: FloatArray, wrong: FloatArray) -> FloatArray:
    """Mutual information in bits of rows of cells, its bias taken off."""
    both = right + wrong
    n = both.sum(axis=1, keepdims=True)
    sides = [(one, one.sum(axis=1, keepdims=True)) for one in (right, wrong)]
    # n (I - ln n), a sum over the cells and the margins: one cell's change is that of four terms.
    whole = -_terms(both).sum(axis=1, keepdims=True)
    for one, total in sides:
        whole += _terms(one).sum(axis=1, keepdims=True) - _terms(total)
    value = whole / n + np.log(n)
    bias = np.zeros_like(value)
    for one, total in sides:
        d = np.minimum(one, 1)
        change = _terms(one - d) - _terms(one) - _terms(both - d) + _terms(both)
        change += _terms(total) - _terms(total - d)
        rest = np.maximum(n - d, 1e-300)
        without = (whole + change) / rest + np.log(rest)
        weight = np.divide(one * rest, d, out=np.zeros_like(one), where=d > 0)
        bias += (weight * (without - value)).sum(axis=1, keepdims=True) / n
    return np.asarray((value - bias)[:, 0] / np.log(2))


def _terms(counts: FloatArray) -> FloatArray:
    """Each x ln x, 0 where rounding leaves less than nothing."""
    counts = np.maximum(counts, 0)
    return np.asarray(xlogy(counts, counts))


_STEP = 0.08
_NOISE = np.arange(-9, 9 + _STEP / 2, _STEP)
"""Points of the evidence: sums over them are integrals to 1e-12."""
_WEIGHTS = np.exp(-(_NOISE**2) / 2) * _STEP / np.sqrt(2 * np.pi)


def ideal_information(share: FloatArray, alternatives: int) -> FloatArray:
    """Bits that the ideal observer of this accuracy tells; NaN where its d' is at most 0.1."""
    least = LEAST_D_PRIME if alternatives > 2 else LEAST_D_PRIME * np.sqrt(2)
    if alternatives > 2:
        table = _information(alternatives)
        low = np.clip(ndtri(share), table.x[0], table.x[-1])
        beyond = (share < 1) & (ndtri(share) > table.x[0])
        return np.where(beyond, table(low), np.nan)
    d = 2 * ndtri(np.where((share > 0) & (share < 1), share, np.nan))
    d = np.where(d > least, d, np.nan)[:, None]
    told = binary_entropy(1 / (1 + np.exp(-d * (d / 2 + _NOISE)))) @ _WEIGHTS
    return np.asarray(binary_entropy(ndtr(d[:, 0] / 2)) - told)


@lru_cache(maxsize=16)
def _information(alternatives: int) -> "PchipInterpolator":
    """Bits of the observer with m alternatives, by z of its accuracy, from d' = 0.1 on."""
    # Imported here because scipy.stats takes half a second, which every command would pay.
    from scipy.interpolate import PchipInterpolator  # noqa: PLC0415

    told = [
        (sure.mean(), binary_entropy(sure).mean())
        for d, sure in ideal_posteriors(alternatives)
        if d >= LEAST_D_PRIME - 1e-9
    ]
    share, left = np.array(told, np.float64).T
    return PchipInterpolator(ndtri(share), binary_entropy(share) - left)
