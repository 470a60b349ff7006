"""Faithfulness of wording to confidence, and the quality of the judge.

Faithfulness compares decisiveness with internal confidence, sentence by sentence.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from inspect_confidence.metrics.arrays import (
    EDGE,
    FloatArray,
    aligned,
    check_bins,
    check_choice,
    mean_or_nan,
    shares,
)
from inspect_confidence.metrics.registry import (
    MEAN,
    WILSON,
    About,
    Interval,
    metric,
    no_interval,
    numbers,
)

__all__ = ["cmfg", "cmfg_of", "cmfg_sums", "faithfulness"]

_STUDY = "the study of marker internal confidence"
_UNJUDGED = "no reply judged"

Convention = Literal["text", "authors"]


@metric(
    definition="Mean over replies of 1 - mean over sentences of |decisiveness - internal "
    "confidence|.",
    direction="higher",
    undefined="no reply with both",
    source="Yona, Aharoni and Geva (2024)",
    interval=MEAN,
)
def faithfulness(decisiveness: ArrayLike, confidence: ArrayLike) -> float:
    """1 less the mean over a reply's sentences of |decisiveness - internal confidence|.

    Args:
        decisiveness: In [0, 1], one a sentence; sentences with a NaN are left out.
        confidence: Internal confidence in [0, 1], likewise.

    Raises:
        ValueError: A value lies outside [0, 1], or lengths differ.

    Example:
        >>> faithfulness([1.0, 0.5], [0.75, 0.5])
        0.875
    """
    decisive, confident = shares(decisiveness=decisiveness, confidence=confidence)
    return 1 - mean_or_nan(np.abs(decisive - confident))


@metric(
    definition="Conditional mean faithful generation: mean over 10 bins of internal confidence of "
    "mean faithfulness.",
    direction="higher",
    undefined="no reply with both",
    source="Yona, Aharoni and Geva (2024)",
    interval=Interval(
        "percentile", min_units=100, min_rarest=10, rarest="bin that holds any (items)"
    ),
)
def cmfg(
    faithfulness: ArrayLike,
    confidence: ArrayLike,
    *,
    bins: int = 10,
    convention: str = "text",
) -> float:
    """Conditional mean faithful generation: the mean over confidence bins of mean faithfulness.

    Bins of equal width on the replies' mean internal confidence, [k/m, (k+1)/m), the last one
    closed; empty bins don't count. Conditioning on confidence keeps a model that is nearly always
    sure from looking faithful by being always decisive.

    Args:
        faithfulness: In [0, 1], one a reply; replies with a NaN are left out.
        confidence: The reply's mean internal confidence, in [0, 1].
        bins: m.
        convention: `authors`: a confidence of exactly 1 falls out of every bin, empty bins count 0
            in the mean of all m, and replies with a faithfulness or confidence of 0 are left out
            (Liu and Cohan, 2026); NaN where no reply falls in a bin, under `text` as well.

    Raises:
        ValueError: A value lies outside [0, 1], lengths differ, `bins` is below 1 or `convention`
            is not known.

    Example:
        >>> cmfg([0.9, 0.7, 0.2], [0.95, 0.95, 0.1])
        0.5
    """
    faithfulnesses, confidences = aligned(faithfulness=faithfulness, confidence=confidence)
    totals, counts = cmfg_sums(faithfulnesses, confidences, bins=bins, convention=convention)
    return float(cmfg_of(totals.sum(axis=0)[None], counts.sum(axis=0)[None], convention)[0])


def cmfg_sums(
    faithfulness: FloatArray, confidence: FloatArray, *, bins: int = 10, convention: str = "text"
) -> tuple[FloatArray, FloatArray]:
    """Return what each reply adds to `cmfg`'s bins: faithfulness and count, (replies, bins)."""
    check_choice("convention", convention, Convention)
    shares(faithfulness=faithfulness, confidence=confidence)
    check_bins(bins)
    present = ~np.isnan(faithfulness + confidence)
    confidences = np.where(present, confidence, 0)
    bin_of_reply = np.floor(confidences * bins + EDGE).astype(np.int64)
    if convention == "authors":
        present &= (faithfulness != 0) & (confidence != 0) & (bin_of_reply < bins)
    bin_of_reply = np.minimum(bin_of_reply, bins - 1)
    counts = np.zeros((len(confidences), bins))
    counts[np.arange(len(confidences)), bin_of_reply] = present
    return counts * np.where(present, faithfulness, 0)[:, None], counts


def cmfg_of(totals: FloatArray, counts: FloatArray, convention: str = "text") -> FloatArray:
    """Return `cmfg` from sums over bins, of shape (resamples, bins)."""
    check_choice("convention", convention, Convention)
    filled = counts > 0
    means = np.where(filled, totals / np.where(filled, counts, 1), 0)
    used = filled.sum(axis=1)
    n = np.full(len(counts), counts.shape[1]) if convention == "authors" else used
    return np.where(used > 0, means.sum(axis=1) / np.maximum(n, 1), np.nan)


_SPREAD = no_interval("few rare values decide a standard deviation, and no method covers it")

numbers(
    About(undefined=_UNJUDGED, source=_STUDY, interval=MEAN),
    mean_internal_confidence="Mean over replies of their sentences' internal confidence.",
)
numbers(
    About(undefined=_UNJUDGED, source="Yona, Aharoni and Geva (2024)", interval=MEAN),
    mean_decisiveness="Mean over replies of their sentences' decisiveness.",
)
numbers(
    About(undefined=_UNJUDGED, interval=WILSON), punt_rate="Share of replies that give no answer."
)
numbers(
    About(undefined="no sentence judged", unit="markers", source=_STUDY, interval=MEAN),
    hedges_per_sentence="Mean number of markers in a sentence.",
)
numbers(
    About(undefined="no sentence judged", unit="markers", source=_STUDY, interval=_SPREAD),
    hedges_per_sentence_sd="Standard deviation of the number of markers in a sentence.",
)
numbers(
    About(undefined="no reply", unit="sentences", source=_STUDY, interval=MEAN),
    sentences_per_reply="Mean number of sentences in a reply.",
)
numbers(
    About(undefined="no reply", unit="sentences", source=_STUDY, interval=_SPREAD),
    sentences_per_reply_sd="Standard deviation of the number of sentences in a reply.",
)
numbers(
    About(undefined="nothing was judged", direction="lower", interval=WILSON),
    grader_failure_rate="Share of judgments that the judge failed at: of markers, decisiveness, "
    "agreement and correctness.",
)
numbers(
    About(undefined="no marker found", direction="higher", interval=WILSON),
    extraction_precision="Share of the markers that a judge finds that are labelled; overlap "
    "counts.",
)
numbers(
    About(undefined="no marker labelled", direction="higher", interval=WILSON),
    extraction_recall="Share of the labelled markers that a judge finds.",
)
numbers(
    About(undefined="no pair judged", direction="higher", interval=WILSON),
    agreement_accuracy="Share of pairs judged as labelled.",
)
numbers(
    About(undefined="no answer judged", direction="higher", interval=WILSON),
    verdict_accuracy="Share of answers judged as labelled.",
)
numbers(
    About(undefined="no sentence judged", direction="lower", interval=MEAN),
    decisiveness_error="Mean distance of decisiveness from the reference: medians of a survey, or "
    "our labels.",
)
numbers(
    About(
        undefined="fewer than three sentences judged, or all alike",
        unit="correlation",
        direction="higher",
        interval=no_interval(
            "where nearly all is ranked alike no method covers, and that is usual here"
        ),
    ),
    decisiveness_rank_correlation="Spearman correlation of decisiveness with the reference.",
)
