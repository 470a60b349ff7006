"""What the report shows of the scale study."""

from collections.abc import Mapping, Sequence

import pandas as pd

from inspect_confidence._results import Result
from inspect_confidence.studies._study import FigureSpec, Headline, Resampling


def detail(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Finer rows, which only figures draw.

    Args:
        frames: Judgments by task.
        resampling: How numbers are computed.
    """
    return []


FIGURES: Sequence[FigureSpec] = ()

HEADLINES: Sequence[Headline] = ()
