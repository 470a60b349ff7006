"""What the report shows of FermiEval."""

from collections.abc import Mapping, Sequence

import pandas as pd

from inspect_confidence._results import Result
from inspect_confidence.studies._study import FigureSpec, Headline, Resampling

_TASK = "fermi_eval"
_DIRECT = {"method": "direct"}
_DIRECT_90 = {"level": "90", "method": "direct"}


def detail(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """None: estimates are all that the figures draw.

    Args:
        frames: Judgments by task.
        resampling: How numbers are computed.
    """
    return []


FIGURES: Sequence[FigureSpec] = (
    FigureSpec(
        plot="coverage",
        title="Nominal and observed coverage",
        reads=(
            "How often intervals hold the truth, with 95% intervals, at each level that was asked "
            "for; the dashed grey line is as often as they should, and below it the model is "
            "overconfident. Conformal and scaled intervals were adjusted on the train items; where "
            "there is a test split, all lines are of it."
        ),
        task=_TASK,
        metrics=("coverage",),
    ),
    FigureSpec(
        plot="tunnel",
        title="The tunnel: stated and needed width",
        reads=(
            "Mean width of intervals in powers of ten: as stated, and after conformal adjustment, "
            "which is the width it takes to hold the truth as often as the level says. A stated "
            "width that hardly grows with the level while the needed one does is the tunnel; the "
            "coverage plateau is coverage divided by level, averaged over levels, and 1 is "
            "calibrated."
        ),
        task=_TASK,
        metrics=("mean_width", "coverage_plateau"),
        keep=lambda parts: not (parts.get("scaling") or parts.get("decoding")),
    ),
    FigureSpec(
        plot="interval_score",
        title="Interval score",
        reads=(
            "Mean interval score with 95% intervals, which counts both width and misses; lower is "
            "better. All methods share one axis, which is logarithmic where scores differ more "
            "than fivefold."
        ),
        task=_TASK,
        metrics=("interval_score",),
    ),
)

HEADLINES: Sequence[Headline] = (
    Headline(_TASK, "coverage_gap", "Coverage less 90% of stated intervals (share)", _DIRECT_90),
    Headline(_TASK, "coverage_plateau", "Coverage plateau of stated intervals (ratio)", _DIRECT),
    Headline(
        _TASK,
        "interval_score",
        "Interval score of stated 90% intervals (powers of ten)",
        _DIRECT_90,
    ),
    Headline(_TASK, "mean_width", "Mean width of stated 90% intervals (powers of ten)", _DIRECT_90),
    Headline(_TASK, "format_failure_rate", "Unreadable replies at 90% (share)", _DIRECT_90),
)
