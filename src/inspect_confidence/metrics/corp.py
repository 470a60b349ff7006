"""Calibration without bins: CORP, the isotonic reliability curve, and a test of calibration."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from inspect_confidence.metrics.arrays import (
    FloatArray,
    IntArray,
    check_count,
    divide_or_nan,
    round_to_steps,
    shares,
    unit_numbers,
)
from inspect_confidence.metrics.calibration import (
    AT_WILSON_LIMITS,
    brier_of_tables,
    brier_uncertainty_of_tables,
)
from inspect_confidence.metrics.registry import (
    INFINITY,
    NO_ESTIMATE,
    UNREAD,
    Interval,
    metric,
    no_interval,
)
from inspect_confidence.metrics.resample import CHUNK, MOST_UNITS
from inspect_confidence.metrics.tables import ConfidenceTables, ItemTables, confidence_table

__all__ = [
    "CorpBand",
    "brier_skill",
    "calibration_p",
    "corp_band",
    "corp_curve",
    "corp_discrimination",
    "corp_miscalibration",
    "corp_uncertainty",
]

_SOURCE = "Dimitriadis, Gneiting and Jordan (2021)"


class _Fit(NamedTuple):
    """Isotonic regression of outcomes on confidence in each table, by blocks of values.

    Attributes:
        starts: The first value of each block.
        right: Mass of right answers in each, of shape (resamples, blocks).
        wrong: Mass of wrong answers in each block, of the same shape.
        accuracy: Fitted accuracy of each block, 0 where it has no mass.
    """

    starts: IntArray
    right: FloatArray
    wrong: FloatArray
    accuracy: FloatArray


def _isotonic_fit(tables: ConfidenceTables) -> _Fit:
    """Return each table's isotonic regression of outcomes on confidence, or that in the cache."""
    if "recalibrated" not in tables.shared:
        # The minimax formula has no loop over tables, but its cost is quadratic in the values.
        is_quick = len(tables.values) <= _MAX_MINIMAX_VALUES and len(tables.right) > 1
        fit_tables = _isotonic_by_minimax if is_quick else _isotonic_by_rows
        tables.shared["recalibrated"] = fit_tables(tables)
    fit: _Fit = tables.shared["recalibrated"]
    return fit


def _isotonic_accuracy(tables: ConfidenceTables) -> FloatArray:
    """Return the fitted accuracy at each value, (resamples, K); 0 where a table has no mass."""
    fit = _isotonic_fit(tables)
    # Each block's accuracy is that of all values in it.
    sizes = np.diff(fit.starts, append=len(tables.values))
    return np.repeat(fit.accuracy, sizes, axis=1)


_MAX_MINIMAX_VALUES = 40
"""Distinct confidences up to which all tables are regressed at once: the cost is quadratic."""


def _isotonic_by_minimax(tables: ConfidenceTables) -> _Fit:
    """Fit all tables by the minimax formula of isotonic regression, which has no loop over tables.

    The fit at a value is the maximum over starts, at or below it, of the minimum over ends, at or
    above it, of the accuracy of the run of values from start to end. Source: Robertson, Wright and
    Dykstra (1988), Order restricted statistical inference. Each value is a block of the fit; one
    without mass gets 0.
    """
    # Cumulated masses after a row of 0, of shape (values + 1, tables): differences of two rows are
    # the masses of runs.
    padding = (1, 0), (0, 0)
    right = np.pad(np.cumsum(tables.right.T, axis=0), padding)
    mass = np.pad(np.cumsum(tables.mass.T, axis=0), padding)
    fitted = np.full_like(mass[1:], -np.inf)
    for start in range(len(fitted)):
        means = divide_or_nan(right[start + 1 :] - right[start], mass[start + 1 :] - mass[start])
        # For each value the minimum over runs from `start` that end at or above the value.
        lowest_means = np.fmin.accumulate(means[::-1])[::-1]
        np.fmax(fitted[start:], lowest_means, out=fitted[start:])
    accuracy = np.where(tables.mass > 0, fitted.T, 0)
    return _Fit(np.arange(len(fitted)), tables.right, tables.wrong, accuracy)


def _isotonic_by_rows(tables: ConfidenceTables) -> _Fit:
    """Fit isotonic regression to all tables by pooling adjacent violators.

    Confidences that every fit pools are merged into blocks first, which saves time. A block without
    mass gets 0.
    """
    # Imported here because scipy.optimize takes half a second, which every command would pay.
    from scipy.optimize import isotonic_regression  # noqa: PLC0415

    starts = _block_starts(tables)
    right = np.add.reduceat(tables.right, starts, axis=1)
    wrong = np.add.reduceat(tables.wrong, starts, axis=1)
    block_mass = right + wrong
    fitted, present = np.zeros_like(block_mass), block_mass > 0
    if present.any():
        # One regression for all tables: accuracies lie in [0, 1], so that each table, raised by 2,
        # lies above the one before, and none are pooled.
        offsets = 2.0 * np.nonzero(present)[0]
        accuracies = right[present] / block_mass[present]
        regression = isotonic_regression(accuracies + offsets, weights=block_mass[present])
        fitted[present] = regression.x - offsets
    return _Fit(starts, right, wrong, fitted)


def _block_starts(tables: ConfidenceTables) -> IntArray:
    """Return the index of the first value of each block, whose values every isotonic fit pools.

    A block is a run of values with right answers only, in all tables, followed by values with wrong
    answers only. Accuracy falls from 1 to 0 there, so that a fit that never falls is constant. Any
    other value is a block of its own.
    """
    is_right, is_wrong = (tables.wrong == 0).all(axis=0), (tables.right == 0).all(axis=0)
    is_pure = is_right | is_wrong
    is_start = np.ones(len(is_pure), bool)
    is_start[1:] = ~(is_pure[:-1] & is_pure[1:]) | (is_wrong[:-1] & is_right[1:])
    return np.flatnonzero(is_start)


def _recalibrated_brier(tables: ConfidenceTables) -> FloatArray:
    """Return the Brier score of confidence after isotonic recalibration, by table; NaN if empty."""
    fit = _isotonic_fit(tables)
    # A credit y is y right and 1 - y wrong, which adds y (1 - y) too much: `credit_spread` in all.
    loss = fit.right * (1 - fit.accuracy) ** 2 + fit.wrong * fit.accuracy**2
    return divide_or_nan(loss.sum(axis=1) - tables.credit_spread, tables.total)


def corp_miscalibration_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `corp_miscalibration` of each table: Brier score less that of the isotonic fit.

    Only rounding can make the difference negative; it is then 0. NaN without mass.
    """
    return np.maximum(brier_of_tables(tables) - _recalibrated_brier(tables), 0)


@metric(
    unit="squared share",
    direction="lower",
    undefined=UNREAD,
    source=_SOURCE,
    interval=Interval("debiased", min_units=100, compares_outcomes=True),
    toolbox=True,
    of_tables=corp_miscalibration_of_tables,
)
def corp_miscalibration(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Brier score less that of the same confidence recalibrated by isotonic regression (MCB).

    MCB = mean (c - y)^2 - mean (x(c) - y)^2, where x is the non-decreasing function of confidence c
    that fits outcomes y best. No bins are chosen. Above 0 also where confidence is calibrated, by
    about the Brier score's sampling error, and by less the fewer values confidence takes. Over
    values where accuracy falls as confidence rises, x is constant: their mean accuracy.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong, or the probability of being right.

    Example:
        >>> corp_miscalibration([0.9, 0.9, 0.5, 0.5], correct=[1, 0, 1, 0])
        0.08...
    """
    return float(corp_miscalibration_of_tables(confidence_table(confidence, correct))[0])


def corp_discrimination_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `corp_discrimination` of each table: variance of outcomes less isotonic Brier score.

    Only rounding can make the difference negative; it is then 0. NaN without mass.
    """
    return np.maximum(brier_uncertainty_of_tables(tables) - _recalibrated_brier(tables), 0)


@metric(
    unit="squared share",
    direction="higher",
    high=0.25,
    undefined=UNREAD,
    source=_SOURCE,
    interval=Interval("debiased", min_units=200),
    toolbox=True,
    of_tables=corp_discrimination_of_tables,
)
def corp_discrimination(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Brier score of the accuracy as constant confidence less that of recalibrated confidence.

    DSC = a (1 - a) - mean (x(c) - y)^2 with accuracy a and x the best non-decreasing function of
    confidence c for outcomes y (isotonic regression): 0 where accuracy never rises with confidence.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong, or the probability of being right.

    Example:
        >>> corp_discrimination([0.9, 0.9, 0.5, 0.5], correct=[1, 1, 1, 0])
        0.0625
    """
    return float(corp_discrimination_of_tables(confidence_table(confidence, correct))[0])


@metric(
    unit="squared share",
    high=0.25,
    undefined=UNREAD,
    source=_SOURCE,
    interval=AT_WILSON_LIMITS,
    toolbox=True,
    of_tables=brier_uncertainty_of_tables,
)
def corp_uncertainty(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Brier score of the accuracy as constant confidence: the variance of the outcomes.

    Brier score = `corp_miscalibration` - `corp_discrimination` + `corp_uncertainty`, exactly.
    Without partial credit it is accuracy times 1 - accuracy.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong, or the credit between.
    """
    return float(brier_uncertainty_of_tables(confidence_table(confidence, correct))[0])


def brier_skill_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `brier_skill` of each table: 1 - Brier score / variance of the outcomes; NaN if 0."""
    return 1 - divide_or_nan(brier_of_tables(tables), brier_uncertainty_of_tables(tables))


@metric(
    unit="ratio",
    direction="higher",
    low=-INFINITY,
    high=1,
    undefined=f"{UNREAD}, or all answers right, or all wrong",
    interval=no_interval("a ratio whose denominator a few wrong answers decide"),
    toolbox=True,
    of_tables=brier_skill_of_tables,
)
def brier_skill(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Brier skill score: 1 - Brier score / variance of the outcomes.

    1 if every right answer has confidence 1 and every wrong one 0; 0 if confidence scores as the
    sample's accuracy, always stated, would; below 0 if worse. The accuracy is known only
    afterwards. NaN if all answers are right, or all wrong.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong, or the probability of being right.

    Source: Murphy (1973, Journal of Applied Meteorology 12).

    Example:
        >>> brier_skill([1.0, 0.5, 0.5, 0.0], correct=[1, 1, 0, 0])
        0.5
    """
    return float(brier_skill_of_tables(confidence_table(confidence, correct))[0])


class CorpBand(NamedTuple):
    """Band of the CORP curve of calibrated confidence, value by value.

    Attributes:
        confidence: The distinct values, ascending.
        low: The 2.5% quantile of the curve at each.
        high: The 97.5% quantile.
    """

    confidence: FloatArray
    low: FloatArray
    high: FloatArray


def corp_curve(confidence: ArrayLike, correct: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the CORP reliability curve: distinct confidences and the isotonic accuracy at each.

    Args:
        confidence: In [0, 1], one per judgment; judgments with a NaN are left out.
        correct: 1 right, 0 wrong, or the probability of being right.

    Source: Dimitriadis, Gneiting and Jordan (2021).

    Example:
        >>> values, accuracy = corp_curve([0.2, 0.5, 0.8], correct=[1, 0, 1])
        >>> accuracy.tolist()
        [0.5, 0.5, 1.0]
    """
    tables = confidence_table(confidence, correct)
    return tables.values, _isotonic_accuracy(tables)[0]


BAND_DRAWS = 1_000
"""Simulated curves of a band: 25 lie beyond either edge at each value."""
TEST_DRAWS = 2_000
"""Simulated outcomes of the test: the least p is 1/2,001."""


def corp_band(
    confidence: ArrayLike, unit: IntArray | None = None, *, draws: int = BAND_DRAWS, seed: int = 0
) -> CorpBand:
    """Consistency band: where 95% of CORP curves lie, value by value, if confidence is calibrated.

    The CORP curve is the isotonic accuracy at each confidence (`corp_curve`). Outcomes are drawn
    from the stated confidence as in `calibration_p`, so that the band lies around the diagonal. It
    is for each value alone: a curve may leave it at one of many by chance.

    Args:
        confidence: In [0, 1], one per judgment; NaN is left out (ValueError if none is left).
        unit: Index of each judgment's item; each is an item of its own if None.
        draws: Number of simulated outcomes of all judgments.
        seed: Seed of the draws.

    Source: Dimitriadis, Gneiting and Jordan (2021).
    """
    # Observed outcomes play no part: confidence is passed in their place.
    check_count("draws", draws)
    confidences, _, item_numbers, _ = _present_judgments(confidence, confidence, unit, None)
    if not len(confidences):
        raise ValueError("There is no confidence; give at least one number that is not NaN.")
    tables = list(_simulated_tables(confidences, item_numbers, None, draws, seed))
    curves = np.concatenate([_isotonic_accuracy(chunk) for chunk in tables])
    low, high = np.quantile(curves, [0.025, 0.975], axis=0)
    return CorpBand(tables[0].values, low, high)


@metric(
    definition="P-value of the hypothesis that confidence is calibrated: the share of "
    "simulations, with outcomes drawn from the stated confidence, whose miscalibration "
    "(`corp_miscalibration`) is at least the observed one.",
    unit="probability",
    undefined=f"{UNREAD}, or outcomes that are not 0 or 1",
    interval=NO_ESTIMATE,
    source="Dimitriadis, Gneiting and Jordan (2021); Phipson and Smyth (2010)",
    toolbox=True,
)
def calibration_p(
    confidence: ArrayLike,
    correct: ArrayLike,
    unit: IntArray | None = None,
    *,
    counts: IntArray | None = None,
    draws: int = TEST_DRAWS,
    seed: int = 0,
) -> float:
    """Simulated p of the hypothesis that P(right | stated confidence c) is c for every judgment.

    The statistic is `corp_miscalibration`; if k of N draws of outcomes have as much, p is
    (k + 1)/(N + 1). In a draw an answer is right where a uniform number is below its confidence.
    Judgments of one item share their number, as if an item were answered alike each time: where
    epochs of an item are less alike than that, p is too large rather than too small.

    Where accuracy rises with confidence, the test detects any miscalibration, elsewhere only what
    isotonic regression corrects. A high p is no proof of calibration: with few items p is always
    high. More than 250 distinct confidences are rounded to steps of 1/120.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong; the result is NaN if another outcome is among them.
        unit: Index of each judgment's item; each is an item of its own if None.
        counts: Number of equal items, of one judgment each, that a judgment stands for; 1 if None.
        draws: N, the number of simulated outcomes of all judgments, at least 1.
        seed: Seed of the draws.

    Raises:
        ValueError: A value lies outside [0, 1], lengths differ, or there is no draw.

    Example:
        >>> calibration_p([0.9] * 20, [1, 0] * 10) < 0.001
        True
    """
    if draws < 1:
        raise ValueError(f"draws={draws} is below 1.")
    confidences, outcomes, item_numbers, sizes = _present_judgments(
        confidence, correct, unit, counts
    )
    if not len(confidences) or not np.isin(outcomes, (0, 1)).all():
        return float("nan")
    confidences = round_to_steps(confidences)
    # Without items, so that judgments count alike, as in the simulated tables.
    sample = ItemTables.from_judgments(confidences, outcomes, counts=sizes).total_table()
    observed = float(corp_miscalibration_of_tables(sample)[0])
    extreme = 0  # draws with at least the observed miscalibration
    for tables in _simulated_tables(confidences, item_numbers, sizes, draws, seed):
        # Equal but for rounding is as much.
        extreme += int((corp_miscalibration_of_tables(tables) >= observed - 1e-12).sum())
    return (extreme + 1) / (draws + 1)


def _present_judgments(
    confidence: ArrayLike, correct: ArrayLike, unit: IntArray | None, counts: IntArray | None
) -> tuple[FloatArray, FloatArray, IntArray, IntArray | None]:
    """Return confidence, outcome, item and count of the judgments that have confidence and outcome.

    A count, the number of equal items that a judgment stands for, is None without `counts`; without
    `unit` each judgment is an item. ValueError if a value is not in [0, 1], or lengths differ.
    """
    confidences, outcomes = shares(confidence=confidence, correct=correct)
    item_numbers = unit_numbers(unit, len(confidences))
    present = ~np.isnan(confidences + outcomes)
    sizes = None if counts is None else np.asarray(counts)[present]
    return confidences[present], outcomes[present], item_numbers[present], sizes


def _simulated_tables(
    confidences: FloatArray, unit: IntArray, counts: IntArray | None, draws: int, seed: int
) -> Iterator[ConfidenceTables]:
    """Yield the tables of simulated outcomes in chunks, `draws` tables in all.

    A judgment is right if the random number of its item is below its confidence. Of more than
    4,000 items with one judgment each, and of judgments that stand for `counts` equal items, the
    numbers of right answers are drawn from the binomial law instead, which is the same law and
    faster. There must be a judgment.
    """
    rng = np.random.default_rng(seed)
    # As in `ItemTables`: equal but for rounding is equal. `column` is each judgment's index in
    # `values`, the distinct confidences.
    _, first, column = np.unique(np.round(confidences, 12), return_index=True, return_inverse=True)
    _, item = np.unique(unit, return_inverse=True)
    values, n, items = confidences[first], len(confidences), int(item.max()) + 1
    if counts is not None or items == n > MOST_UNITS:  # one judgment an item: binomial numbers
        mass = np.bincount(column, counts).astype(np.int64)
        chunk_rows = max(1, CHUNK // len(values))
        for start in range(0, draws, chunk_rows):
            right = rng.binomial(mass, values, (min(chunk_rows, draws - start), len(values)))
            yield ConfidenceTables(values, right.astype(float), mass - right.astype(float))
        return
    mass = np.bincount(column)
    # The product with this matrix sums judgments, in columns, by the value of their confidence.
    sum_by_value = csr_array((np.ones(n), (np.arange(n), column)), shape=(n, len(values)))
    for start in range(0, draws, max(1, CHUNK // n)):
        rows = min(max(1, CHUNK // n), draws - start)
        is_right = rng.random((rows, items))[:, item] < confidences  # (rows, judgments)
        right = is_right.astype(float) @ sum_by_value
        yield ConfidenceTables(values, right, mass - right)
