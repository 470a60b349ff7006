"""Recalibration: maps from stated confidence to the accuracy that it stood for on other items."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_expit

from inspect_confidence.metrics.arrays import (
    EDGE,
    FloatArray,
    IntArray,
    check_count,
    double_array,
    shares,
    unit_numbers,
)
from inspect_confidence.metrics.tables import ItemTables

__all__ = [
    "RECALIBRATIONS",
    "ChosenRecalibration",
    "Recalibration",
    "choose_recalibration",
    "fit_recalibration",
]

CLIP = 0.005
"""Greatest distance from 0 and 1 to which maps of log odds clip confidence."""

KNOTS = 1_000
"""Distinct confidences at which Venn-Abers is computed, at most."""

BINS = 10
"""Bins of equal mass of the method `histogram`."""


@dataclass(frozen=True)
class Recalibration:
    """A map of confidence p in [0, 1]; except for `histogram` it never falls.

    p is first clipped to [clip, 1 - clip]. A map of kind `knots` is linear between the points (x,
    y) and constant outside; one of kind `logistic` is 1 / (1 + exp(-c) (1 - p)^b / p^a).

    Attributes:
        method: A name in `RECALIBRATIONS`.
        kind: Kind of formula, as above.
        clip: Least distance from 0 and 1; 0 with knots.
        x: Confidences of the knots, ascending; empty if logistic.
        y: Recalibrated confidence at each knot.
        a: Coefficient of log p.
        b: Coefficient of -log (1 - p).
        c: Intercept.
    """

    method: str
    kind: Literal["knots", "logistic"]
    clip: float = 0.0
    x: Sequence[float] = ()
    y: Sequence[float] = ()
    a: float = 0.0
    b: float = 0.0
    c: float = 0.0

    def __call__(self, confidence: ArrayLike) -> FloatArray:
        """Return the confidences that this map gives to confidences in [0, 1]; NaN stays NaN.

        A confidence p is first clipped to [clip, 1 - clip]. A map of kind `knots` is linear between
        the points (x, y) and constant outside; a logistic one has the log odds
        c + a log p - b log(1 - p).

        Example:
            >>> print(Recalibration("temperature", "logistic", 0.005, a=0.5, b=0.5)([0.5, 0.8]))
            [0.5        0.66666667]
        """
        p = np.clip(double_array(confidence), self.clip, 1 - self.clip)
        if self.kind == "knots":
            return np.asarray(np.interp(p, self.x, self.y))
        # Logarithms don't overflow, however steep the map is.
        return np.asarray(expit(self.c + self.a * np.log(p) - self.b * np.log1p(-p)))

    def as_record(self) -> dict[str, object]:
        """Return the fields in plain types, without those of the other kind of map."""
        unused = ("a", "b", "c") if self.kind == "knots" else ("x", "y")
        return {name: value for name, value in asdict(self).items() if name not in unused}


def fit_recalibration(
    confidence: ArrayLike, correct: ArrayLike, unit: IntArray | None = None, *, method: str
) -> Recalibration:
    """Fit a map of confidence to outcomes.

    The weights of all judgments are equal and add up to the number of items, so that asking every
    item again with the same outcome changes nothing.

    Kinds of maps:
        as_stated: Confidence stays as it is.
        isotonic: The non-decreasing function of least squares.
        histogram: The accuracy of ten bins of equal mass, ties together, linear from the last
            confidence of a bin to the first of the next.
        venn_abers: p1/(1 - p0 + p1). p0 and p1 are what isotonic regression gives to an item of
            that confidence that is added as wrong, and as right.
        platt, temperature, beta: Log odds a log p - b log(1 - p) + c of confidence p, with a = b
            (platt), with a = b and c = 0 (temperature) or free (beta); a, b >= 0. By maximum
            likelihood with Platt's targets, (R + 1)/(R + 2) for R right and 1/(W + 2) for W wrong
            items. As log odds of 0 and 1 are infinite, p is held .005 from them, or half as far as
            the nearest other confidence.

    Source: Zadrozny and Elkan (2002) for isotonic and (2001) for histogram; Platt (1999); Guo et
    al. (2017) for temperature; Kull, Silva Filho and Flach (2017) for beta; Vovk, Petej and
    Fedorova (2015) for Venn-Abers.

    Args:
        confidence: In [0, 1], one per judgment; judgments with a NaN are left out.
        correct: 1 right, 0 wrong, or the probability of being right.
        unit: Index of each judgment's item; each is an item of its own if None.
        method: A name in `RECALIBRATIONS`.

    Raises:
        ValueError: There is no such method or no judgment, a value lies outside [0, 1], or lengths
            differ.

    Example:
        >>> fit_recalibration([0.6, 0.8, 0.9], [1, 0, 1], method="isotonic").y
        (0.5, 0.5, 1.0)
    """
    _check_method(method)
    items = _item_tables(confidence, correct, unit)
    # `masses` (2 K, items) has the right answers at each confidence, then the wrong ones. Their
    # product with ones sums over items.
    right, wrong = np.split(items.masses @ np.ones(items.masses.shape[1]), 2)
    return _fit_map(method, items.values, right, wrong)


@dataclass(frozen=True)
class ChosenRecalibration:
    """The chosen map, the scores of all candidates and the cross-fitted maps.

    Attributes:
        recalibration: Map of the chosen method, fitted to all items.
        brier: Cross-fitted Brier score of each method.
        fold_maps: Maps of the chosen method, each fitted to all items but those of its fold.
        fold: Fold of each judgment.
    """

    recalibration: Recalibration
    brier: Mapping[str, float]
    fold_maps: Sequence[Recalibration]
    fold: IntArray

    def cross_fitted(self, confidence: ArrayLike) -> FloatArray:
        """Return each judgment's confidence by the map that was fitted without its item's fold.

        `confidence` has the judgments of `choose_recalibration`, in the same order; NaN stays NaN.
        """
        # `self.fold` has each judgment's fold, `self.fold_maps` a map for each fold k without it.
        confidences = double_array(confidence)
        mapped = np.full(len(confidences), np.nan)
        for k, fold_map in enumerate(self.fold_maps):
            mapped[self.fold == k] = fold_map(confidences[self.fold == k])
        return mapped


def choose_recalibration(
    confidence: ArrayLike,
    correct: ArrayLike,
    unit: IntArray | None = None,
    *,
    methods: Sequence[str] = (),
    folds: int = 10,
    fold: IntArray | None = None,
    seed: int = 0,
) -> ChosenRecalibration:
    """Return the simplest map whose cross-fitted Brier score is within an error of the least one.

    The score of a method is the mean over judgments of (map(confidence) - outcome)^2, with the map
    that is fitted to the items of the other folds. A method qualifies if its score is above the
    least one by at most one standard error of their difference over items. The first that
    qualifies, in the order of `RECALIBRATIONS`, is chosen and fitted to all items. All scores and
    the maps of the folds come with it. `as_stated` is the first: another map is chosen only if the
    best one beats it by more than a standard error.

    Source: Breiman, Friedman, Olshen and Stone (1984), Classification and regression trees, section
    3.4.3, for the rule of one standard error.

    Args:
        confidence: In [0, 1], one per judgment; judgments with a NaN are left out.
        correct: 1 right, 0 wrong, or the probability of being right.
        unit: Index of each judgment's item; each is an item of its own if None.
        methods: Candidates; all of `RECALIBRATIONS` if empty.
        folds: Number of folds, at least 2.
        fold: The fold of each judgment, from 0 to `folds` - 1, the same for all of an item; if
            None, items are dealt to the folds at random.
        seed: Seed of the folds.

    Raises:
        ValueError: As `fit_recalibration`, or there are fewer than two folds, the fold of a
            judgment with confidence and outcome is none of them, or all items are in one fold.

    Example:
        >>> chosen = choose_recalibration([0.9] * 40, [1, 0] * 20)
        >>> chosen.recalibration.method, round(chosen.brier["as_stated"], 2)
        ('temperature', 0.41)
        >>> choose_recalibration([0.5] * 40, [1, 0] * 20).recalibration.method
        'as_stated'
    """
    for method in methods:
        _check_method(method)
    candidates = sorted(methods or RECALIBRATIONS, key=list(RECALIBRATIONS).index)
    check_count("folds", folds, 2)
    confidence, correct = shares(confidence=confidence, correct=correct)
    unit = unit_numbers(unit, len(confidence))
    cells = _item_tables(confidence, correct, unit)  # masses of right, then of wrong answers
    items = cells.masses.shape[1]

    # The fold of each item: at random, which also gives the fold of each judgment, or as given.
    is_present = ~np.isnan(confidence + correct)
    _, present_unit = np.unique(unit[is_present], return_inverse=True)
    if fold is None:
        item_fold = np.random.default_rng(seed).permutation(items) % folds
        fold = np.zeros(len(unit), np.int64)  # any for judgments with a NaN, which stays NaN
        fold[is_present] = item_fold[present_unit]
    else:
        present_fold = fold[is_present]
        if not np.isin(present_fold, np.arange(folds)).all():
            raise ValueError(f"fold has values that are none of 0 to {folds - 1}; set `folds`.")
        item_fold = np.zeros(items, np.int64)
        item_fold[present_unit] = present_fold
    if np.ptp(item_fold) == 0:
        raise ValueError("All items are in one fold, without which none is left; give more items.")

    fold_maps, losses = _cross_fit(candidates, cells, item_fold, folds)
    total_mass = np.asarray(cells.masses.tocsc().sum(axis=1), float)
    scores = {method: float(loss.sum() / total_mass.sum()) for method, loss in losses.items()}
    chosen = _simplest_within_error(losses, scores, float(total_mass.sum()))
    right_mass, wrong_mass = np.split(total_mass, 2)  # of all items, by confidence
    recalibration = _fit_map(chosen, cells.values, right_mass, wrong_mass)
    return ChosenRecalibration(recalibration, scores, fold_maps[chosen], fold)


def _cross_fit(
    methods: Sequence[str], cells: ItemTables, item_fold: IntArray, folds: int
) -> tuple[dict[str, list[Recalibration]], dict[str, FloatArray]]:
    """Return, by method, the map fitted without each fold and the loss of each item by that map.

    The loss is the sum over the item's judgments, weighted by their mass, of (map(confidence) -
    outcome)^2. `item_fold` is the fold of each item, from 0 to `folds` - 1.
    """
    # Rows are K masses of right answers, by confidence, and K of wrong ones; columns are items.
    masses, k_values = cells.masses.tocsc(), len(cells.values)
    total_mass = np.asarray(masses.sum(axis=1), float)
    fold_maps: dict[str, list[Recalibration]] = {method: [] for method in methods}
    losses = {method: np.zeros(masses.shape[1]) for method in methods}
    for k in range(folds):
        fold_masses = masses[:, np.flatnonzero(item_fold == k)]
        right, wrong = fold_masses[:k_values], fold_masses[k_values:]
        # What the map is fitted to: all items but those of the fold.
        fitted_mass: FloatArray = total_mass - np.asarray(fold_masses.sum(axis=1), float)
        for method in methods:
            fold_map = _fit_map(
                method, cells.values, fitted_mass[:k_values], fitted_mass[k_values:]
            )
            q = fold_map(cells.values)
            losses[method][item_fold == k] = right.T @ (1 - q) ** 2 + wrong.T @ q**2
            fold_maps[method].append(fold_map)
    return fold_maps, losses


def _simplest_within_error(
    losses: Mapping[str, FloatArray], scores: Mapping[str, float], mass: float
) -> str:
    """Return the first, simplest, method whose score exceeds the least by at most a standard error.

    `losses` has the loss of each item, of at least two, by method, from the simplest method on. A
    score is the sum of losses over the `mass` of judgments.
    """
    best = min(losses, key=lambda method: round(scores[method], 12))
    for method, loss in losses.items():
        excess, items = loss - losses[best], len(loss)
        # The difference of both scores is sum(excess) / mass; its standard error is over items.
        error = np.sqrt(items * excess.var(ddof=1)) / mass
        if scores[method] - scores[best] <= error + 1e-12:
            return method
    return best


def _item_tables(confidence: ArrayLike, correct: ArrayLike, unit: IntArray | None) -> ItemTables:
    """Group judgments by item; those with a NaN are left out.

    ValueError if no judgment is left, a value lies outside [0, 1], or lengths differ.
    """
    confidence, correct = shares(confidence=confidence, correct=correct)
    if unit is not None:  # items are numbered anew, so that each number has a judgment
        present = ~np.isnan(confidence + correct)
        unit = unit_numbers(unit, len(confidence))[present]
        confidence, correct = confidence[present], correct[present]
        unit = np.unique(unit, return_inverse=True)[1]
    n_items = None if unit is None else int(unit.max(initial=-1)) + 1
    items = ItemTables.from_judgments(confidence, correct, unit, n_items)
    if not len(items.values):
        raise ValueError("There is no judgment with both confidence and outcome.")
    return items


def _check_method(method: str) -> None:
    """Raise `ValueError` if there is no such method of recalibration."""
    if method not in RECALIBRATIONS:
        raise ValueError(f"method={method!r} is not one of {', '.join(RECALIBRATIONS)}.")


def _fit_map(
    method: str, confidences: FloatArray, right_mass: FloatArray, wrong_mass: FloatArray
) -> Recalibration:
    """Fit a map of a method to the mass of right and of wrong answers at each confidence.

    Confidences without judgments are left out. Their mass is 0 up to rounding, which may be below
    0, where that of a fold was subtracted.
    """
    present = right_mass + wrong_mass > EDGE
    right, wrong = np.maximum(right_mass[present], 0), np.maximum(wrong_mass[present], 0)
    return RECALIBRATIONS[method](confidences[present], right, wrong)


def _leave_as_stated(
    confidences: FloatArray, right_mass: FloatArray, wrong_mass: FloatArray
) -> Recalibration:
    """Return the map that leaves confidence unchanged; the masses are not used."""
    return Recalibration("as_stated", "knots", x=(0.0, 1.0), y=(0.0, 1.0))


def _knot_map(method: str, confidences: FloatArray, y: FloatArray) -> Recalibration:
    """Return a method's map, linear between points (confidence, y), but none between equal y."""
    is_needed = np.ones(len(y), bool)
    is_needed[1:-1] = (y[1:-1] != y[:-2]) | (y[1:-1] != y[2:])
    x_knots, y_knots = confidences[is_needed].tolist(), y[is_needed].tolist()
    return Recalibration(method, "knots", x=tuple(x_knots), y=tuple(y_knots))


def _isotonic_means(y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the non-decreasing values with the least weighted squared distance from y."""
    # Imported here because scipy.optimize takes long, which every command would pay.
    from scipy.optimize import isotonic_regression  # noqa: PLC0415

    return np.asarray(isotonic_regression(y, weights=weights).x)


def _fit_isotonic(
    confidences: FloatArray, right_mass: FloatArray, wrong_mass: FloatArray
) -> Recalibration:
    """Return the non-decreasing map of least squares to the accuracy at each confidence."""
    mass = right_mass + wrong_mass
    return _knot_map("isotonic", confidences, _isotonic_means(right_mass / mass, mass))


def _fit_histogram(
    confidences: FloatArray, right_mass: FloatArray, wrong_mass: FloatArray
) -> Recalibration:
    """Return the map to the accuracy of ten bins of equal mass, linear from each bin to the next.

    Equal confidences share a bin, that of the middle of their ranks; so bins can stay empty.
    """
    mass = right_mass + wrong_mass
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()  # middle rank of each confidence, in [0, 1]
    bin_of_confidence = np.minimum(np.floor(middle * BINS + EDGE), BINS - 1).astype(np.int64)
    bin_mass = np.bincount(bin_of_confidence, mass)
    accuracy = np.bincount(bin_of_confidence, right_mass) / np.maximum(bin_mass, EDGE)  # 0 if empty
    return _knot_map("histogram", confidences, accuracy[bin_of_confidence])


def _fit_venn_abers(
    confidences: FloatArray, right_mass: FloatArray, wrong_mass: FloatArray
) -> Recalibration:
    """Return the Venn-Abers map p1/(1 - p0 + p1), at no more than 1,000 of the confidences.

    p0 and p1 are the isotonic accuracies at a confidence after an item of that confidence is added
    as wrong and as right; of single probabilities this one has the least greatest regret in log
    loss. Source: Vovk, Petej and Fedorova (2015).
    """
    knot_count = min(len(confidences), KNOTS)
    knots = np.unique(np.linspace(0, len(confidences) - 1, knot_count).round().astype(np.int64))
    mass = right_mass + wrong_mass
    label_accuracy = np.empty((2, len(knots)))
    for column, k in enumerate(knots):
        enlarged_mass = mass.copy()
        enlarged_mass[k] += 1  # the added item; the other confidences keep their own mass
        for label in (0, 1):  # added as wrong, as right
            accuracy = right_mass / enlarged_mass
            accuracy[k] = (right_mass[k] + label) / enlarged_mass[k]
            label_accuracy[label, column] = _isotonic_means(accuracy, enlarged_mass)[k]
    p0, p1 = label_accuracy
    return _knot_map("venn_abers", confidences[knots], p1 / (1 - p0 + p1))


def _fit_log_odds(
    method: str,
    confidences: FloatArray,
    right_mass: FloatArray,
    wrong_mass: FloatArray,
    *,
    two_slopes: bool = False,
    intercept: bool = True,
) -> Recalibration:
    """Return the map with log odds a log p - b log(1 - p) + c for confidence p, and a, b >= 0.

    It is fitted by maximum likelihood, with a = b without `two_slopes`, and c = 0 without
    `intercept`. p is kept in [clip, 1 - clip], because the logarithm of 0 is infinite.
    """
    clip, log_p, minus_log_q = _clipped_logarithms(confidences)  # q = 1 - p
    columns = [log_p, minus_log_q] if two_slopes else [log_p + minus_log_q]
    *slopes, c = _fit_nonnegative_slopes(
        np.column_stack(columns), right_mass, wrong_mass, intercept=intercept
    )
    # A single slope is both a and b.
    return Recalibration(method, "logistic", clip, a=slopes[0], b=slopes[-1], c=c)


def _clipped_logarithms(values: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """Return the clip, at most .005, and log p, -log (1 - p) of values p cut to [clip, 1 - clip].

    The clip is half as far from 0 and 1 as the nearest other value, if that is less than .005.
    """
    distance_from_ends = np.minimum(values, 1 - values)
    clip = float(min(CLIP, distance_from_ends[distance_from_ends > 0].min(initial=1) / 2))
    p = np.clip(values, clip, 1 - clip)
    return clip, np.log(p), -np.log1p(-p)


def _fit_nonnegative_slopes(
    slopes: FloatArray, right: FloatArray, wrong: FloatArray, *, intercept: bool
) -> list[float]:
    """Fit a logistic regression with slopes of at least 0 by likelihood with Platt's targets.

    The likelihood is concave: if a slope would be negative, the best allowed fit has 0 there. So
    every subset of columns is tried.

    Args:
        slopes: Columns of the regression, of shape (confidences, slopes).
        right: Mass of right answers at each confidence.
        wrong: Mass of wrong answers at each confidence.
        intercept: Whether there is an intercept.

    Returns:
        One slope per column, and the intercept, 0 if there is none.
    """
    # Platt's targets, instead of 1 for right and 0 for wrong answers.
    target_right, target_wrong = (right.sum() + 1) / (right.sum() + 2), 1 / (wrong.sum() + 2)
    yes = right * target_right + wrong * target_wrong
    no = right + wrong - yes
    count = slopes.shape[1]
    best_likelihood, best_coefficients = -np.inf, [0.0] * (count + 1)
    constant = np.ones((len(slopes), int(intercept)))  # one column of ones, or no column
    for size in range(count + 1):
        for columns_used in combinations(range(count), size):
            columns = np.column_stack([slopes[:, columns_used], constant])
            coefficients, likelihood = _logistic_regression(columns, yes, no)
            # A larger subset has to fit better by more than rounding.
            if likelihood > best_likelihood + EDGE and (coefficients[:size] >= 0).all():
                best_likelihood, best_coefficients = likelihood, [0.0] * (count + 1)
                # The intercept, if there is one, is the last coefficient.
                for place, value in zip([*columns_used, count], coefficients, strict=False):
                    best_coefficients[place] = float(value)
    return best_coefficients


def _logistic_regression(
    columns: FloatArray, yes: FloatArray, no: FloatArray
) -> tuple[FloatArray, float]:
    """Return the coefficients of greatest likelihood, by Newton's method, and the log-likelihood.

    `yes` and `no` are the masses of either outcome in each row of `columns`. If 100 steps are not
    enough, the coefficients are those after the last step.
    """
    coefficients = np.zeros(columns.shape[1])
    current = _log_likelihood(columns @ coefficients, yes, no)
    for _ in range(100):
        q = expit(columns @ coefficients)  # chance of `yes` in each row
        slope = columns.T @ (yes - (yes + no) * q)
        curvature = (columns * ((yes + no) * q * (1 - q))[:, None]).T @ columns
        # Least squares: of values that don't vary the curvature is singular.
        step = np.linalg.lstsq(curvature, slope, rcond=None)[0]
        # A step is halved while the likelihood would fall. A fall by rounding is allowed: near the
        # top it is larger than what a step gains.
        lowest_allowed = current - 1e-12 * abs(current)
        while (
            proposed := _log_likelihood(columns @ (coefficients + step), yes, no)
        ) < lowest_allowed:
            step /= 2
        coefficients, current = coefficients + step, proposed
        if np.abs(step).max(initial=0) <= 1e-12:
            break
    return coefficients, current


def _log_likelihood(log_odds: FloatArray, yes: FloatArray, no: FloatArray) -> float:
    """Return the log-likelihood of masses of yes and no at the log odds of yes in each row."""
    return float(yes @ log_expit(log_odds) + no @ log_expit(-log_odds))


RECALIBRATIONS: Mapping[str, Callable[[FloatArray, FloatArray, FloatArray], Recalibration]] = {
    "as_stated": _leave_as_stated,
    "temperature": partial(_fit_log_odds, "temperature", intercept=False),
    "platt": partial(_fit_log_odds, "platt"),
    "beta": partial(_fit_log_odds, "beta", two_slopes=True),
    "isotonic": _fit_isotonic,
    "venn_abers": _fit_venn_abers,
    "histogram": _fit_histogram,
}
"""The methods by name, the simplest first: of equally good ones the first is chosen."""
