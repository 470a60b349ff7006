"""Shares of answers that a judge called right, corrected for the judge's own errors.

Two ways: by the error rates that labelled judgments show, of whatever answers (Rogan and Gladen),
or by the labels of some of the very answers in question (prediction-powered).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from inspect_confidence.metrics.arrays import FloatArray, aligned, shares
from inspect_confidence.metrics.inference import resampled_interval
from inspect_confidence.metrics.registry import About, Interval, numbers
from inspect_confidence.metrics.resample import wilson_limits

__all__ = [
    "JudgeErrors",
    "PredictionPowered",
    "prediction_powered_mean",
    "rogan_gladen",
]

_SOURCE = "Rogan and Gladen (1978); Angelopoulos, Duchi and Zrnic (2023)"
_ABOUT: About = {
    "undefined": "no judged answer, or labels that don't show that the judge tells answers apart",
    "source": _SOURCE,
    "interval": Interval(
        "own",
        "percentiles over resamples of the items and error rates drawn from their posterior; where "
        "items of the run are labelled, Wilson's at their effective number, or Student's t",
        min_units=20,
        min_rarest=8,
        rarest="judged or labelled outcome",
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

_LEAST_SURE = 0.025
"""Share of drawn error rates at which a judge may tell nothing apart."""


def rogan_gladen(judged: float, sensitivity: float, specificity: float) -> float:
    """Share of right answers, from the share that an erring judge calls right.

    p = (q + specificity - 1) / (sensitivity + specificity - 1), moved into [0, 1] where it lies
    outside. The judge's errors are supposed to be as frequent among these answers as among those
    that told sensitivity and specificity, whatever else is known of an answer. An interval needs
    the labels that the rates are from: `JudgeErrors`.

    Source: Rogan and Gladen (1978, American Journal of Epidemiology 107).

    Args:
        judged: q, the share called right.
        sensitivity: Share of right answers that are called right.
        specificity: Share of wrong answers that are called wrong.

    Returns:
        A share. NaN where sensitivity + specificity is not above 1: the judge tells nothing.

    Raises:
        ValueError: A share lies outside [0, 1].

    Example:
        >>> round(rogan_gladen(0.62, sensitivity=0.9, specificity=0.8), 12)
        0.6
    """
    q, hit, spared = (
        float(one[0])
        for one in shares(judged=judged, sensitivity=sensitivity, specificity=specificity)
    )
    told = hit + spared - 1
    return float(np.clip((q + spared - 1) / told, 0, 1)) if told > 1e-9 else float("nan")


@dataclass(frozen=True)
class JudgeErrors:
    """What a judge said of labelled answers, as counts; and shares corrected by it.

    With rates P(j | k) = counts[k, j] / sum_j counts[k, j], the shares q of what is judged follow
    from those p of what is true by q_j = sum_k p_k P(j | k). Solved for p, the corrected number is
    sum_k p_k worth_k; of two classes it is Rogan and Gladen's.

    Attributes:
        counts: Labelled judgments by label and by what was judged, of shape (K, K).
        worth: What each class counts, as (0, 1) for wrong and right.
    """

    counts: FloatArray
    worth: FloatArray

    @classmethod
    def of(cls, label: ArrayLike, judged: ArrayLike, worth: ArrayLike = (0, 1)) -> "JudgeErrors":
        """Of labelled judgments, each a number of `worth`; those with a NaN are left out.

        Raises:
            ValueError: A value isn't one of `worth`, or lengths differ.
        """
        pairs = np.column_stack(aligned(label=label, judged=judged))
        pairs = pairs[~np.isnan(pairs).any(axis=1)]
        classes = np.asarray(worth, float)
        if strange := set(pairs.ravel()) - set(classes):
            raise ValueError(f"{min(strange):g} is none of {', '.join(map(str, classes))}.")
        counts = np.zeros((len(classes),) * 2)
        np.add.at(counts, tuple(np.searchsorted(classes, pairs).T), 1)
        return cls(counts, classes)

    @cached_property
    def rates(self) -> FloatArray:
        """P(judged | label), of shape (K, K); NaN of what has no label."""
        of = self.counts.sum(axis=1, keepdims=True)
        return np.asarray(self.counts / np.where(of > 0, of, np.nan))

    def drawn_rates(self, draws: int, seed: int) -> FloatArray:
        """Rates from their posterior under a uniform prior, of shape (draws, K, K)."""
        rng = np.random.default_rng(seed)
        return np.stack([rng.dirichlet(row + 1, draws) for row in self.counts], axis=1)

    def why_not(self, draws: int = 2_000) -> str:
        """Why nothing can be corrected by it; empty where something can."""
        told = np.linalg.det(self.rates) if np.isfinite(self.rates).all() else np.nan
        sure = (np.linalg.det(self.drawn_rates(draws, 0)) <= 0).mean() <= _LEAST_SURE
        if told > 1e-9 and sure:
            return ""
        what = "sensitivity + specificity - 1" if len(self.worth) == 2 else "their determinant"
        return f"its labels don't show that the judge tells answers apart ({what} is {told:.2f})"

    def corrected(self, judged: FloatArray, rates: FloatArray | None = None) -> FloatArray:
        """The corrected number of each row of judged shares, before it is moved into the range.

        Args:
            judged: Shares of what was judged, of shape (rows, K).
            rates: Of the judge, of shape (rows, K, K); `self.rates` for all rows if None.
        """
        given = np.broadcast_to(
            self.rates if rates is None else rates, (len(judged), *[len(self.worth)] * 2)
        )
        solvable = np.abs(np.linalg.det(given)) > 1e-9
        safe = np.where(solvable[:, None, None], given, np.eye(len(self.worth)))
        gain = np.linalg.solve(safe, np.broadcast_to(self.worth[:, None], (*judged.shape, 1)))
        return np.where(solvable, (judged * gain[..., 0]).sum(axis=1), np.nan)

    def within(self, values: FloatArray) -> FloatArray:
        """Corrected numbers moved into the range that they can have."""
        return np.asarray(np.clip(values, self.worth.min(), self.worth.max()))

    def interval(
        self,
        value: float,
        judged: FloatArray,
        units: int,
        *,
        seed: int = 0,
        less_from: FloatArray | None = None,
    ) -> tuple[float, float]:
        """95% interval that carries both the items' and the labels' sampling error.

        Each resample of the items meets error rates drawn from their posterior, a Dirichlet law
        with one judgment of each class added to the labelled ones; percentiles of what follows are
        the ends.

        Args:
            value: The number, which the interval holds.
            judged: Shares of what was judged over resamples of the items, of shape (draws, K).
            units: How many items there are.
            seed: Of the drawn rates.
            less_from: What the corrected number is taken from in each resample, as mean confidence.
        """
        rates = self.drawn_rates(len(judged), seed)
        # A judge that is drawn worse than chance would turn the order of answers round.
        draws = np.where(
            np.linalg.det(rates) > 0, self.within(self.corrected(judged, rates)), np.nan
        )
        draws = draws if less_from is None else less_from - draws
        return resampled_interval(value, draws, units, method="percentile")


@dataclass(frozen=True)
class PredictionPowered:
    """A mean from all judgments and some labels.

    Attributes:
        value: The mean.
        error: Its standard error.
        weight: lambda, how much the judge is relied on, in [0, 1].
        labelled: How many items have a label.
        items: How many there are in all.
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
        """Of a share, Wilson's interval at the sample size at which it would vary as much.

        With ten labels of the rarer outcome the normal law holds a share in 91 to 93% of samples.
        """
        value, error, items = (np.array([x]) for x in (self.value, self.error**2, self.items))
        low, high = wilson_limits(np.clip(value, 0, 1), error, items, 1.0 * items)[0]
        return float(low), float(high)


def prediction_powered_mean(
    label: ArrayLike, judged: ArrayLike, unlabelled: ArrayLike
) -> PredictionPowered:
    """Mean of labels over all items, of which only some are labelled but all are judged.

    lambda mean(judged, unlabelled items) + mean(label - lambda judged, labelled items), with
    lambda = cov(label, judged) / ((1 + n/N) var(judged, all)), within [0, 1], for n labelled items
    and N others. It needs no error rates and holds whatever the judge's errors depend on, as long
    as the labelled items are a random part of all. Squared standard error: lambda^2 var(judged,
    unlabelled)/N + var(label - lambda judged)/n. Without unlabelled items it is the labels' mean.

    Source: Angelopoulos et al. (2023, Science 382); Angelopoulos, Duchi and Zrnic (2023),
    PPI++: Efficient prediction-powered inference.

    Args:
        label: Of each labelled item.
        judged: Likewise, what the judge said; an item's mean where it was judged several times.
        unlabelled: What the judge said of each other item.

    Raises:
        ValueError: There are fewer than two labels, or lengths differ.

    Example:
        >>> found = prediction_powered_mean([1, 0, 1, 0], [1, 0, 1, 1], [1, 1, 0, 1, 1, 0, 1, 1])
        >>> print(f"{found.value:.4f} {found.weight:.4f}")
        0.5000 0.4074
    """
    truth, said = aligned(label=label, judged=judged)
    (rest,) = aligned(unlabelled=unlabelled)
    n, others = len(truth), len(rest)
    if n < 2:
        raise ValueError(f"{n} labels are too few; give two at least.")
    varies = np.var(np.concatenate([said, rest]), ddof=1)
    weight = 0.0
    if others and varies > 0:
        together = float(np.mean((truth - truth.mean()) * (said - said.mean())))
        weight = float(np.clip(together / ((1 + n / others) * varies), 0, 1))
    left = truth - weight * said
    value, error = left.mean(), left.var() / n
    if others:
        value, error = value + weight * rest.mean(), error + weight**2 * rest.var() / others
    return PredictionPowered(float(value), float(np.sqrt(error)), weight, n, n + others)
