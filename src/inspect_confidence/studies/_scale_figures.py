"""What the report shows of the scale study."""

from collections.abc import Mapping, Sequence

import pandas as pd

from inspect_confidence._results import Result
from inspect_confidence._scales import BASELINE
from inspect_confidence.studies._detail_confidence import (
    confidence_bins,
    report_shares,
    type2_rates,
)
from inspect_confidence.studies._scale_rows import completed
from inspect_confidence.studies._study import FigureSpec, Headline, Resampling

_TASK = "scale_variants"
_BASELINE = {"scale": str(BASELINE)}
_SURE = {**_BASELINE, "threshold": "0.75"}
# Of the type-1 models that M-ratio may have, this one is there for any number of choices.
_TYPE1 = "m_afc"


def detail(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Bins of confidence, type-2 rates and reports of each scale.

    Args:
        frames: Judgments by task.
        resampling: How numbers are computed.
    """
    rows = completed(frames[_TASK])
    parts = ("scale",)
    return [
        *confidence_bins(rows, parts, resampling),
        *type2_rates(rows, parts),
        *report_shares(rows, parts),
    ]


FIGURES: Sequence[FigureSpec] = (
    FigureSpec(
        plot="reliability",
        title="Accuracy against stated confidence",
        reads=(
            "Each point is the judgments of a tenth of the scale: their mean confidence and their "
            "accuracy with its 95% interval. On the dashed diagonal confidence is right, below it "
            "the model is overconfident. Grey bars are how many judgments each bin holds, the "
            "fullest bin of a panel at full height."
        ),
        task=_TASK,
        metrics=("bin_accuracy", "bin_confidence"),
        needs=2,
    ),
    FigureSpec(
        plot="report_histogram",
        title="What is reported on each scale",
        reads=(
            "How often each number was reported, on the scale that was asked for; vertical axes "
            "differ. A few high bars with gaps between them mean that the scale is used in coarse "
            "steps, such as multiples of 5."
        ),
        task=_TASK,
        metrics=("report_share",),
    ),
    FigureSpec(
        plot="type2_roc",
        title="Telling right from wrong answers by confidence",
        reads=(
            "For every confidence as a threshold, the share of right answers (upwards) and of "
            "wrong answers (to the right) that reach it, the former with its 95% interval. The "
            "nearer to the upper left corner, the better confidence tells them apart; the diagonal "
            "is chance, and the area under the line is the AUROC. Dotted: scale 0-100."
        ),
        task=_TASK,
        metrics=("type2_hit_rate", "type2_false_alarm_rate"),
        needs=2,
    ),
    FigureSpec(
        plot="m_ratio",
        title="Metacognitive efficiency by scale",
        reads=(
            "M-ratio with its 95% interval: how much of the evidence behind its answers a model's "
            "confidence makes use of. At 1, the dashed line, it is as much as an ideal observer "
            "would, whatever the accuracy; confidence counts as high from the threshold in the "
            "panel's title on."
        ),
        task=_TASK,
        metrics=("m_ratio",),
        by=("model", "variant"),
        keep=lambda parts: parts.get("type1") == _TYPE1,
    ),
)

HEADLINES: Sequence[Headline] = (
    Headline(_TASK, "ece", "ECE on 0-100 (share)", _BASELINE),
    Headline(_TASK, "auroc", "AUROC on 0-100", _BASELINE),
    Headline(_TASK, "overconfidence", "Overconfidence on 0-100 (share)", _BASELINE),
    Headline(
        _TASK,
        "meta_d_ideal",
        "meta-d' on 0-100, confidence high from 0.75 on (d' units)",
        _SURE,
    ),
    Headline(
        _TASK,
        "m_ratio",
        "M-ratio on 0-100, confidence high from 0.75 on (ratio)",
        {**_SURE, "type1": _TYPE1},
    ),
    Headline(_TASK, "top3_share", "Share of the 3 commonest reports on 0-100", _BASELINE),
)
