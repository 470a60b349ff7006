"""Discrimination by confidence: areas, information, and the worth of answering selectively.

Answers are taken by falling confidence. Of tied answers a part is taken, by expectation over their
orders, except where a threshold decides, which takes all of them or none.
"""

from dataclasses import astuple, dataclass, fields, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import digamma

from inspect_confidence.metrics.arrays import EDGE, FloatArray, divide_or_nan
from inspect_confidence.metrics.registry import (
    DEBIASED,
    FEW_LOSSES,
    FEW_WRONG,
    GROUPED,
    INFINITY,
    RANKED_OUTCOMES,
    UNREAD,
    metric,
    no_interval,
)
from inspect_confidence.metrics.tables import ConfidenceTables, confidence_table

__all__ = [
    "Costs",
    "augrc",
    "auprc_error",
    "aurc",
    "auroc",
    "expected_utility",
    "meta_information",
    "prr",
    "risk_at_coverage",
]


def auroc_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `auroc` of each table: the share of pairs in which the right answer is surer.

    A pair is a right and a wrong answer. NaN if there is none.
    """
    # Columns are confidences, ascending; `missed` are wrong answers up to each; ties count half.
    below = tables.missed - tables.wrong / 2
    pairs = tables.right.sum(axis=1) * tables.wrong.sum(axis=1)
    return divide_or_nan((tables.right * below).sum(axis=1), pairs)


@metric(
    definition="Type-2 AUROC: how often a right answer has more confidence than a wrong one, ties "
    "counting half.",
    direction="higher",
    undefined=f"{UNREAD}, or all answers right, or all wrong",
    source="Fawcett (2006)",
    interval=RANKED_OUTCOMES,
    of_tables=auroc_of_tables,
)
def auroc(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Type-2 AUROC: P(confidence when right > when wrong) + P(equal) / 2.

    The probabilities are shares of the pairs of a right and a wrong answer. An outcome that is a
    probability p counts as p right and 1 - p wrong answers. 0.5 where confidence never varies; NaN
    if all answers are right, or all wrong.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong, or the probability of being right.

    Example:
        >>> auroc([0.9, 0.8, 0.8, 0.1], correct=[1, 1, 0, 0])
        0.875
    """
    return float(auroc_of_tables(confidence_table(confidence, correct))[0])


def auprc_error_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `auprc_error` of each table: the mean over wrong answers of the precision at each.

    The precision at an answer is the share of wrong ones among those of its confidence or less. NaN
    for a table without wrong answers.
    """
    cumulated_mass = np.cumsum(tables.mass, axis=1)
    # Columns are confidences, ascending; `missed` are the wrong answers at or below each.
    precision = tables.missed / np.where(cumulated_mass > 0, cumulated_mass, 1)
    return divide_or_nan((tables.wrong * precision).sum(axis=1), tables.wrong.sum(axis=1))


@metric(
    direction="higher",
    undefined=f"{UNREAD}, or no wrong answer",
    interval=no_interval(
        "the ranks of a few wrong answers decide it; no method tried contains the true value often "
        "enough"
    ),
    of_tables=auprc_error_of_tables,
)
def auprc_error(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Average precision of finding wrong answers by low confidence.

    The area under the precision-recall curve: sum over distinct confidences, lowest first, of the
    step in recall times the precision, errors being the positive class. Guessing gives the error
    rate. NaN without a wrong answer.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong, or the probability of being right.

    Source: Davis and Goadrich (2006).

    Example:
        >>> auprc_error([0.1, 0.5, 0.9], correct=[0, 1, 0])
        0.833...
    """
    return float(auprc_error_of_tables(confidence_table(confidence, correct))[0])


_ASYMPTOTIC = 20
"""Argument from which on four terms of digamma's series are exact to 1e-15."""


def _digamma(x: FloatArray) -> FloatArray:
    """Return digamma of numbers >= 1, from 20 on by its asymptotic series (faster than scipy).

    It is ln x - 1/(2x) - 1/(12 x^2) + 1/(120 x^4) - 1/(252 x^6) + 1/(240 x^8).
    """
    inverse_square = 1 / np.square(x)
    series = 1 / 252 - inverse_square / 240
    series = 1 / 12 - inverse_square * (1 / 120 - inverse_square * series)
    values = np.log(x) - 1 / (2 * x) - inverse_square * series
    is_small = x < _ASYMPTOTIC
    values[is_small] = digamma(x[is_small])
    return np.asarray(values)


def aurc_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `aurc` of each table: the mean, over i, of the error rate of the i surest answers.

    NaN without answers. The result is cached, because `prr` needs it, too.
    """
    if "aurc" in tables.shared:
        return np.asarray(tables.shared["aurc"])
    mass, wrong = tables.mass[:, ::-1], tables.wrong[:, ::-1]  # from the surest answers down
    cumulated_mass = np.cumsum(mass, axis=1)
    mass_above, wrong_above = cumulated_mass - mass, np.cumsum(wrong, axis=1) - wrong
    rate = wrong / np.where(mass > 0, mass, 1)
    # Among n tied answers after N with E errors, the j-th brings the expected error rate to
    # (E + j rate) / (N + j); the sum over j is rate n + (E - rate N) (H(N + n) - H(N)), with
    # harmonic numbers H(n), which are digamma(n + 1) up to a constant.
    harmonic = np.diff(_digamma(cumulated_mass + 1), axis=1, prepend=digamma(1))
    risk = rate * mass + (wrong_above - rate * mass_above) * harmonic
    tables.shared["aurc"] = divide_or_nan(risk.sum(axis=1), tables.total)
    return np.asarray(tables.shared["aurc"])


@metric(
    direction="lower",
    undefined=UNREAD,
    source="Geifman and El-Yaniv (2017)",
    interval=FEW_LOSSES,
    of_tables=aurc_of_tables,
)
def aurc(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Area under the risk-coverage curve, mean over the orders of ties.

    For one order of the answers by falling confidence it is the mean over i of the error rate of
    the i surest answers; coverage is i over the number of answers, risk the error rate.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong, or the probability of being right.

    Example:
        >>> aurc([0.9, 0.5, 0.5], correct=[1, 0, 1])
        0.194...
    """
    return float(aurc_of_tables(confidence_table(confidence, correct))[0])


def prr_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `prr` of each table: (random - observed) / (random - oracle) of `aurc`.

    Random is the `aurc` of a random order of the answers, oracle that of all right answers before
    the wrong ones. NaN if all answers are right, or all wrong.
    """
    right, wrong = tables.right.sum(axis=1), tables.wrong.sum(axis=1)
    random = divide_or_nan(wrong, tables.total)
    # The oracle takes all right answers first: the j-th wrong answer has the error rate
    # j / (R + j), and the sum over j is W - R (H(R + W) - H(R)), with harmonic numbers H.
    harmonic = digamma(tables.total + 1) - digamma(right + 1)
    oracle = divide_or_nan(wrong - right * harmonic, tables.total)
    reach = np.where(np.minimum(right, wrong) > 0, random - oracle, 0)
    return divide_or_nan(random - aurc_of_tables(tables), reach)


@metric(
    definition="Prediction rejection ratio: (error rate - `aurc`) / (error rate - least `aurc`). "
    "`aurc` is the area under the error rate by share of answers given, and least if all wrong "
    "answers are rejected first.",
    unit="ratio",
    direction="higher",
    low=-INFINITY,
    high=1,
    undefined=f"{UNREAD}, or all answers right, or all wrong",
    source="Malinin and Gales (2021); the areas as in Vashurin et al. (2025)",
    interval=RANKED_OUTCOMES,
    toolbox=True,
    of_tables=prr_of_tables,
)
def prr(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Prediction rejection ratio: the gain of rejecting by confidence over that of an oracle.

    PRR = (AURC_random - AURC) / (AURC_random - AURC_oracle), with `aurc`, ties averaged over their
    orders. Random rejection leaves the error rate unchanged, so AURC_random is the error rate; the
    oracle rejects all wrong answers first. PRR is 1 for a perfect order, 0 for an order by chance
    or a confidence that never varies, and below 0 for a worse order. Error rates are those of the
    answers that are not rejected, at every coverage, as in LM-Polygraph. Where rejected answers
    count as corrected instead, the ratio is 2 `auroc` - 1. An outcome that is a probability p
    counts as p right and 1 - p wrong answers. NaN if all answers are right, or all wrong.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong, or the probability of being right.

    Example:
        >>> round(prr([0.9, 0.8, 0.2], correct=[1, 0, 1]), 12)
        0.25
    """
    return float(prr_of_tables(confidence_table(confidence, correct))[0])


def meta_information_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `meta_information` of each table: mutual information of confidence and outcome.

    In bits; NaN for a table without mass. Only rounding can make it negative; it is then 0.
    """
    total = tables.total
    bits = np.zeros(len(total))
    for cells in (tables.right, tables.wrong):
        expected = tables.mass * cells.sum(axis=1, keepdims=True)
        # p(c, y) / (p(c) p(y)); an empty cell adds 0.
        ratio = np.divide(
            cells * total[:, None], expected, out=np.ones_like(expected), where=cells > 0
        )
        bits += (cells * np.log2(ratio)).sum(axis=1)
    return np.maximum(divide_or_nan(bits, total), 0)


@metric(
    unit="bits",
    direction="higher",
    high=1,
    undefined=GROUPED,
    interval=DEBIASED,
    of_tables=meta_information_of_tables,
)
def meta_information(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Mutual information of confidence and correctness; biased upwards at few judgments.

    In bits: I = sum over cells of p(c, y) log2( p(c, y) / (p(c) p(y)) ). Needs no model of how
    confidence arises and no monotone relation; 0 where confidence or correctness never varies. The
    bias is about (K - 1) / (2 n ln 2) for K distinct confidences.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong, or the probability of being right.

    Source: Dayan (2023).

    Example:
        >>> meta_information([1, 1, 0, 0], correct=[1, 1, 0, 0])
        1.0
    """
    return float(meta_information_of_tables(confidence_table(confidence, correct))[0])


def risk_at_coverage_of_tables(tables: ConfidenceTables, *, coverage: float) -> FloatArray:
    """Compute `risk_at_coverage` of each table: the error rate of the surest answers.

    They are the share `coverage` of all answers; of ties at the end a part is taken. NaN without
    mass.
    """
    if not 0 < coverage <= 1:
        raise ValueError(f"coverage={coverage} is not above 0 and at most 1, as 0.8 is.")
    mass, wrong = tables.mass[:, ::-1], tables.wrong[:, ::-1]  # from the greatest confidence down
    covered = coverage * tables.total
    mass_above = np.cumsum(mass, axis=1) - mass
    answered = np.clip(covered[:, None] - mass_above, 0, mass)  # what is covered of each confidence
    rate = wrong / np.where(mass > 0, mass, 1)
    return divide_or_nan((answered * rate).sum(axis=1), covered)


@metric(
    definition="Error rate among the share of answers that the condition names, those with the "
    "highest confidence.",
    direction="lower",
    undefined=UNREAD,
    source="El-Yaniv and Wiener (2010)",
    interval=FEW_LOSSES,
    toolbox=True,
    of_tables=risk_at_coverage_of_tables,
)
def risk_at_coverage(confidence: ArrayLike, correct: ArrayLike, *, coverage: float) -> float:
    """Selective risk: error rate of the surest answers, as many as the coverage says.

    Answers are taken by falling confidence until their share is `coverage`. Of answers tied at the
    end a part is taken, at their mean error rate.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong, or the probability of being right.
        coverage: Share of the answers that are given, above 0, at most 1.

    Raises:
        ValueError: The coverage isn't in (0, 1], a value isn't in [0, 1], or lengths differ.

    Example:
        >>> risk_at_coverage([0.9, 0.5, 0.5, 0.1], correct=[1, 0, 1, 0], coverage=0.5)
        0.25
    """
    tables = confidence_table(confidence, correct)
    return float(risk_at_coverage_of_tables(tables, coverage=coverage)[0])


def augrc_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `augrc` of each table: the mean over coverages of wrong answers given / all answers.

    A coverage is the share of the answers that are given, the surest ones. NaN without mass.
    """
    wrong, mass = tables.wrong[:, ::-1], tables.mass[:, ::-1]
    risk = np.cumsum(wrong, axis=1) - wrong / 2
    return divide_or_nan((risk * mass).sum(axis=1), tables.total**2)


@metric(
    high=0.5,
    direction="lower",
    undefined=UNREAD,
    interval=replace(FEW_LOSSES, ceiling=0.5),
    toolbox=True,
    of_tables=augrc_of_tables,
)
def augrc(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Mean over coverages (share given, surest first) of the share of all that are given and wrong.

    The generalised risk at a coverage is the share of all answers that are given and wrong; this is
    its mean over coverages from 0 to 1, linear within ties. It equals (1 - AUROC) a (1 - a) +
    (1 - a)^2 / 2 for accuracy a. A wrong answer adds to it in proportion to how many answers are
    less sure; in `aurc` wrong answers among the surest few weigh far more.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong, or the probability of being right.

    Source: Traub et al. (2024), Overcoming common flaws in the evaluation of selective
    classification systems.

    Example:
        >>> augrc([0.9, 0.5], correct=[1, 0])
        0.125
    """
    return float(augrc_of_tables(confidence_table(confidence, correct))[0])


@dataclass(frozen=True)
class Costs:
    """Worth of answers to a user, in any one unit.

    Attributes:
        right: A right answer.
        wrong: A wrong answer.
        abstain: No answer.

    Raises:
        ValueError: They aren't finite, or not in the order wrong < abstain < right, without which
            no confidence would matter.
    """

    right: float = 1.0
    wrong: float = -1.0
    abstain: float = 0.0

    def __post_init__(self) -> None:
        if not (np.isfinite(astuple(self)).all() and self.wrong < self.abstain < self.right):
            raise ValueError(f"{self}: costs must be finite, with wrong < abstain < right.")

    def __str__(self) -> str:
        """Return the costs as text of a condition: "right 1, wrong -1, abstain 0"."""
        return ", ".join(
            f"{outcome.name} {getattr(self, outcome.name):g}" for outcome in fields(self)
        )

    @property
    def indifferent(self) -> float:
        """Least probability of being right at which an answer is worth giving."""
        return (self.abstain - self.wrong) / (self.right - self.wrong)

    def utilities(self, tables: ConfidenceTables) -> FloatArray:
        """Return the mean utility, by these costs, of answering from each of the K confidences on.

        `self.right`, `self.wrong` and `self.abstain` are the worth of a right, a wrong and no
        answer. The shape is (resamples, K + 1); the last column is the utility of never answering.
        NaN for a table without mass.
        """
        gain = (self.right - self.abstain) * tables.right
        gain = gain + (self.wrong - self.abstain) * tables.wrong
        above = np.cumsum(gain[:, ::-1], axis=1)[:, ::-1]
        never = np.zeros((len(gain), 1))
        return self.abstain + divide_or_nan(np.hstack([above, never]), tables.total[:, None])


def expected_utility_of_tables(
    tables: ConfidenceTables, *, costs: Costs, threshold: float = 0.0
) -> FloatArray:
    """Compute `expected_utility` of each table: mean utility of answering from a threshold on.

    That is from the first of the table's confidences at or above it on; above all of them no answer
    is given. NaN without mass.
    """
    return costs.utilities(tables)[:, int(np.searchsorted(tables.values, threshold - EDGE))]


@metric(
    definition="Mean utility of answering only if confidence reaches a threshold. The condition "
    "names the threshold (`answered_from`) and the values of the outcomes (`--costs`).",
    unit="utility",
    low=-INFINITY,
    direction="higher",
    undefined=f"{UNREAD}, or no costs given",
    source="Chow (1970)",
    interval=FEW_WRONG,
    toolbox=True,
    of_tables=expected_utility_of_tables,
)
def expected_utility(
    confidence: ArrayLike, correct: ArrayLike, *, costs: Costs, threshold: float = 0.0
) -> float:
    """Mean utility of answering only where confidence is at or above a threshold.

    (right R + wrong W + abstain (n - R - W)) / n, for R right and W wrong answers of n at or above
    it. For calibrated confidence the best threshold is `costs.indifferent`,
    (abstain - wrong) / (right - wrong), which doesn't depend on the sample.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong, or the probability of being right.
        costs: Worth of a right, a wrong and no answer.
        threshold: In [0, 1]; 0 answers always.

    Example:
        >>> expected_utility([0.9, 0.9, 0.2], [1, 0, 0], costs=Costs(1, -2, 0), threshold=0.5)
        -0.333...
    """
    tables = confidence_table(confidence, correct)
    return float(expected_utility_of_tables(tables, costs=costs, threshold=threshold)[0])
