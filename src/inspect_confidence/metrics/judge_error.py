"""Shares of answers that a judge called right, corrected for the judge's own errors.

Two methods: by the error rates that labels of other answers show (Rogan and Gladen), or by labels
of some of the answers in question (prediction-powered).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from inspect_confidence.metrics.arrays import (
    FloatArray,
    aligned,
    shares,
)
from inspect_confidence.metrics.inference import resampled_interval
from inspect_confidence.metrics.registry import About, Interval, numbers
from inspect_confidence.metrics.resample import wilson_limits

__all__ = ["JudgeErrors", "PredictionPowered", "prediction_powered_mean", "rogan_gladen"]

_SOURCE = "Rogan and Gladen (1978); Angelopoulos, Duchi and Zrnic (2023)"
_ABOUT: About = {
    "undefined": "no judged answer, or labels that don't show that the judge tells answers apart",
    "source": _SOURCE,
    "interval": Interval(
        "own",
        "percentiles over error rates and shares of verdicts drawn from their posterior; where "
        "items of the run are labelled, Wilson's at their effective number, or Student's t",
        min_units=20,
        conservative="at few labels of a class of answers",
    ),
    "toolbox": True,
}
numbers(
    {**_ABOUT, "direction": "higher"},
    judge_corrected_accuracy="Accuracy less what the errors of the judge that called answers right "
    "or wrong add to it.",
)
numbers(
    {**_ABOUT, "direction": "target=0", "low": -1},
    judge_corrected_overconfidence="Mean confidence less `judge_corrected_accuracy`, over the same "
    "judgments.",
)
numbers(
    _ABOUT,
    judge_corrected_internal_confidence="Mean internal confidence less what the errors of the "
    "judge of agreement add to it.",
)

_RATES_PRIOR = 0.45
"""Prior judgments of each verdict on each class.

It lies between Kerman's neutral prior (1/3), whose intervals are too short for judges that err in
5% of cases, and Jeffreys' (1/2), whose are too short for judges that hardly err.
"""
_SHARES_PRIOR = 1 / 2
"""Prior items of each verdict, as in Jeffreys' prior."""

_MOST_UNINFORMATIVE_DRAWS = 0.025
"""Largest allowed share of drawn error rates by which the judge tells no answers apart.

The determinant of such rates is 0 or less.
"""


def rogan_gladen(called_right: float, sensitivity: float, specificity: float) -> float:
    """Share of right answers, from the share that an erring judge calls right.

    p = (q + specificity - 1) / (sensitivity + specificity - 1), clipped to [0, 1]. It assumes that
    the judge errs as often on these answers as on those from which sensitivity and specificity were
    estimated. An interval needs the labels behind the rates: use `JudgeErrors`.

    Source: Rogan and Gladen (1978, American Journal of Epidemiology 107).

    Args:
        called_right: q, the share of answers that the judge calls right.
        sensitivity: Share of right answers that are called right.
        specificity: Share of wrong answers that are called wrong.

    Returns:
        A share. NaN if sensitivity + specificity is at most 1: verdicts then tell nothing.

    Raises:
        ValueError: A share lies outside [0, 1].

    Example:
        >>> round(rogan_gladen(0.62, sensitivity=0.9, specificity=0.8), 12)
        0.6
    """
    rates = shares(called_right=called_right, sensitivity=sensitivity, specificity=specificity)
    observed, true_positive, true_negative = (float(rate[0]) for rate in rates)
    youden = true_positive + true_negative - 1
    if youden <= 1e-9:
        return float("nan")
    return float(np.clip((observed + true_negative - 1) / youden, 0, 1))


@dataclass(frozen=True)
class JudgeErrors:
    """Error rates of a judge on labelled answers, and the correction by them.

    With rates P(j | k) = counts[k, j] / sum_j counts[k, j], the shares q of the verdicts follow
    from the shares p of the true classes by q_j = sum_k p_k P(j | k). Solved for p, the corrected
    number is sum_k p_k worth_k; for two classes it is Rogan and Gladen's.

    Attributes:
        counts: Labelled judgments by label and by verdict, of shape (K, K).
        worth: The value of each class, as (0, 1) for wrong and right.
    """

    counts: FloatArray
    worth: FloatArray

    @classmethod
    def from_labels(
        cls, label: ArrayLike, verdict: ArrayLike, worth: ArrayLike = (0, 1)
    ) -> "JudgeErrors":
        """Return the judge's errors, from labelled judgments counted by label and verdict.

        Args:
            label: True class of each judgment, one of `worth`; pairs with a NaN are left out.
            verdict: The class that the judge gave it, one of `worth`.
            worth: The numbers that stand for the classes, ascending, as 0 for wrong, 1 for right.

        Raises:
            ValueError: A value isn't one of `worth`, or lengths differ.
        """
        pairs = np.column_stack(aligned(label=label, verdict=verdict))
        pairs = pairs[~np.isnan(pairs).any(axis=1)]
        classes = np.asarray(worth, float)
        if strange := set(pairs.ravel()) - set(classes):
            raise ValueError(
                f"Label or verdict {min(strange):g} is none of {', '.join(map(str, classes))}."
            )
        counts = np.zeros((len(classes),) * 2)
        np.add.at(counts, tuple(np.searchsorted(classes, pairs).T), 1)
        return cls(counts, classes)

    @cached_property
    def rates(self) -> FloatArray:
        """P(verdict | label), of shape (K, K); NaN for a class without labels."""
        labelled = self.counts.sum(axis=1, keepdims=True)
        return np.asarray(self.counts / np.where(labelled > 0, labelled, np.nan))

    def drawn_rates(self, draws: int, seed: int) -> FloatArray:
        """Return `draws` random sets of rates P(verdict | label), of shape (draws, K, K).

        Their posterior is a Dirichlet law of each label's verdicts, with the counts of the labelled
        judgments and a prior of 0.45 judgments for each verdict.
        """
        rng = np.random.default_rng(seed)
        return np.stack([rng.dirichlet(row + _RATES_PRIOR, draws) for row in self.counts], axis=1)

    def why_uncorrectable(self, draws: int = 2_000) -> str:
        """Return why the judge's error rates can't correct verdicts; an empty text if they can.

        They can if verdicts depend on labels, by the rates and by at least 97.5% of `draws` rates
        drawn from their posterior. The determinant of the rates P(verdict | label), (K, K), tells:
        it is 0 if they don't depend, and sensitivity + specificity - 1 for two classes. It is NaN
        for a class without labels.
        """
        determinant = np.linalg.det(self.rates) if np.isfinite(self.rates).all() else np.nan
        uninformative = np.linalg.det(self.drawn_rates(draws, 0)) <= 0
        tells_apart = uninformative.mean() <= _MOST_UNINFORMATIVE_DRAWS
        if determinant > 1e-9 and tells_apart:
            return ""
        quantity = "sensitivity + specificity - 1" if len(self.worth) == 2 else "their determinant"
        return (
            "its labels don't show that the judge tells answers apart "
            f"({quantity} is {determinant:.2f})"
        )

    def corrected(self, verdict_shares: FloatArray, rates: FloatArray | None = None) -> FloatArray:
        """Return the mean worth of the true classes, from shares of verdicts, for each row.

        It is corrected for the judge's errors by `rates` but not clipped to the range of `worth`,
        the K numbers of the classes (0 wrong, 1 right). NaN if the rates can't be inverted.

        Args:
            verdict_shares: Shares of the verdicts, of shape (rows, K).
            rates: P(verdict | label), of shape (rows, K, K); `self.rates` for all rows if None.
        """
        rows, k = verdict_shares.shape
        row_rates = np.broadcast_to(self.rates if rates is None else rates, (rows, k, k))
        solvable = np.abs(np.linalg.det(row_rates)) > 1e-9
        # Rates that can't be inverted are replaced, as `solve` would raise; their result is NaN.
        solvable_rates = np.where(solvable[:, None, None], row_rates, np.eye(k))
        # Numbers g of the verdicts whose expectation given a label is its worth: rates g = worth.
        worth = np.broadcast_to(self.worth[:, None], (rows, k, 1))
        gain = np.linalg.solve(solvable_rates, worth)[..., 0]
        return np.where(solvable, (verdict_shares * gain).sum(axis=1), np.nan)

    def clipped(self, values: FloatArray) -> FloatArray:
        """Return numbers clipped to the range of `worth`."""
        return np.asarray(np.clip(values, self.worth.min(), self.worth.max()))

    def interval(
        self,
        value: float,
        verdict_shares: FloatArray,
        units: int,
        *,
        seed: int = 0,
        minuend: FloatArray | None = None,
    ) -> tuple[float, float]:
        """95% interval of a corrected number, with the sampling error of the items and the labels.

        The ends are percentiles of the numbers that result from drawn shares of verdicts and drawn
        error rates. Priors are added to both, as a judge that never erred on the labels would count
        as perfect otherwise: about half an item of each verdict to every resample of the items (a
        gamma draw, as by Jeffreys' prior), and 0.45 of a judgment of each verdict to the labels of
        each class. Tails are widened as Student's t of the class with the fewest labels.

        Source: Kerman (2011, Electronic Journal of Statistics 5); Brown, Cai and DasGupta (2001)
        for Jeffreys' interval.

        Args:
            value: The corrected number, or `minuend` less it; an end beyond it is moved to it.
            verdict_shares: Shares of the verdicts over resamples of the items, of shape (draws, K).
            units: Number of items.
            seed: Seed of the drawn rates.
            minuend: Number from which the corrected one is subtracted in each resample, such as
                mean confidence; None for the interval of the corrected number itself.
        """
        rates = self.drawn_rates(len(verdict_shares), seed)
        rng = np.random.default_rng([seed, units])
        prior_items = rng.gamma(_SHARES_PRIOR, size=verdict_shares.shape)
        items = units + prior_items.sum(axis=1, keepdims=True)
        shares_with_prior = (units * verdict_shares + prior_items) / items
        # A judge that is drawn worse than chance would turn the order of answers round. Such draws
        # are NaN, which `resampled_interval` leaves out.
        corrected = self.clipped(self.corrected(shares_with_prior, rates))
        draws = np.where(np.linalg.det(rates) > 0, corrected, np.nan)
        draws = draws if minuend is None else minuend - draws
        fewest_labels = float(self.counts.sum(axis=1).min())
        return resampled_interval(value, draws, min(units, fewest_labels), method="bootstrap")


@dataclass(frozen=True)
class PredictionPowered:
    """A mean from all judgments and some labels.

    Attributes:
        value: The mean.
        error: Its standard error.
        weight: lambda, the weight of the judge, in [0, 1].
        labelled: Number of items with a label.
        items: Number of all items.
    """

    value: float
    error: float
    weight: float
    labelled: int
    items: int

    @property
    def interval(self) -> tuple[float, float]:
        """95% interval by Student's t with as many degrees of freedom as labels less one."""
        reach = self.error * float(stdtrit(max(self.labelled - 1, 1), 0.975))
        return self.value - reach, self.value + reach

    @property
    def share_interval(self) -> tuple[float, float]:
        """95% interval of this mean (`value`) as a share: Wilson's at an effective number of items.

        That is the number of independent items whose share would have the standard error `error`,
        at most `items`. A value outside [0, 1] counts as 0 or 1; for these, or an error of 0, it is
        the number of labels. A normal interval would hold the true share in only 91 to 93% of
        samples if only ten labelled items are right, or only ten wrong.
        """
        share = np.clip([self.value], 0, 1)
        # A share of 0 or 1 has no variance; `wilson_limits` then takes the number of labels.
        variance = np.where(np.minimum(share, 1 - share) > 1e-12, self.error**2, 0)
        items, labelled = np.array([[self.items], [self.labelled]], float)
        low, high = wilson_limits(share, variance, judgments=items, items=labelled)[0]
        return float(low), float(high)


def prediction_powered_mean(
    label: ArrayLike, verdict: ArrayLike, unlabelled: ArrayLike
) -> PredictionPowered:
    """Mean of labels over all items, of which only some are labelled but all are judged.

    lambda mean(verdict, unlabelled items) + mean(label - lambda verdict, labelled items), with
    lambda = cov(label, verdict) / ((1 + n/N) var(verdict, all)), in [0, 1], for n labelled items
    and N others. It needs no error rates and holds whatever the judge's errors depend on, as long
    as the labelled items are a random part of all. Squared standard error: lambda^2 var(verdict,
    unlabelled)/N + var(label - lambda verdict)/n. Without unlabelled items it is the labels' mean.

    Source: Angelopoulos et al. (2023, Science 382); Angelopoulos, Duchi and Zrnic (2023),
    PPI++: Efficient prediction-powered inference.

    Args:
        label: Label of each labelled item.
        verdict: The judge's verdict on each labelled item; the mean if there are several. Items
            without a label or a verdict (NaN) are left out.
        unlabelled: The judge's verdict on each other item; NaN is left out.

    Raises:
        ValueError: There are fewer than two labels, lengths differ, or a value is infinite.

    Example:
        >>> mean = prediction_powered_mean([1, 0, 1, 0], [1, 0, 1, 1], [1, 1, 0, 1, 1, 0, 1, 1])
        >>> print(f"{mean.value:.4f} {mean.weight:.4f}")
        0.5000 0.4074
    """
    labels, verdicts = aligned(label=label, verdict=verdict)
    is_present = ~np.isnan(labels + verdicts)
    labels, verdicts = labels[is_present], verdicts[is_present]
    (unlabelled_verdicts,) = aligned(unlabelled=unlabelled)
    unlabelled_verdicts = unlabelled_verdicts[~np.isnan(unlabelled_verdicts)]
    if np.isinf([*labels, *verdicts, *unlabelled_verdicts]).any():
        raise ValueError("A label or a verdict is infinite; give finite numbers, or NaN.")
    n, unlabelled_count = len(labels), len(unlabelled_verdicts)
    if n < 2:
        raise ValueError(f"Two labels are needed, and n = {n}; give more.")
    variance = np.var(np.concatenate([verdicts, unlabelled_verdicts]), ddof=1)
    weight = 0.0  # lambda; 0 if verdicts tell nothing
    if unlabelled_count and variance > 0:
        covariance = float(np.mean((labels - labels.mean()) * (verdicts - verdicts.mean())))
        weight = float(np.clip(covariance / ((1 + n / unlabelled_count) * variance), 0, 1))
    residuals = labels - weight * verdicts
    value, squared_error = residuals.mean(), residuals.var() / n
    if unlabelled_count:
        value += weight * unlabelled_verdicts.mean()
        squared_error += weight**2 * unlabelled_verdicts.var() / unlabelled_count
    error = float(np.sqrt(squared_error))
    return PredictionPowered(float(value), error, weight, n, n + unlabelled_count)
