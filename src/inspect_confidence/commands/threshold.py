"""From which confidence on a model's answers may be given."""

import numpy as np
import pandas as pd

from inspect_confidence.commands.stated import stated_judgments
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.read import Source, judgments_of
from inspect_confidence.metrics import risk_threshold


def threshold(source: Source, *, risk: float = 0.05) -> pd.DataFrame:
    """The least confidence above which the share of wrong answers stays below a target.

    With 95% confidence, of items like these; see `metrics.risk_threshold`. A reply without a
    readable confidence is never given, and lowers the coverage. Data sets are pooled.

    Args:
        source: Judgments, or paths.
        risk: The target, between 0 and 1.

    Returns:
        A row a model, variant and way: the threshold (NaN where none qualifies), the share wrong
        among answers given, the share given with its 95% interval, items answered and in all,
        judgments left out because nothing says whether they are right, and why there is no
        (lower) threshold.

    Raises:
        InvalidArgument: The source can't be used, holds no stated confidence, or the target isn't
            between 0 and 1.
    """
    if not 0 < risk < 1:
        raise InvalidArgument(f"--risk {risk:g} is not between 0 and 1; 5% is 0.05.")
    lines = []
    for one in stated_judgments(judgments_of(source)):
        mine = one.answered()
        found = risk_threshold(mine.confidence, mine.correct, mine.unit, risk=risk)
        unknown = ~np.isnan(mine.confidence) & np.isnan(mine.correct)
        lines.append(
            {
                "task": one.task,
                "model": one.model,
                "variant": one.variant,
                "way": str(one.condition),
                "target": risk,
                "threshold": found.threshold,
                "risk": found.risk,
                "p": found.p,
                "coverage": found.coverage,
                "ci_low": found.ci_low,
                "ci_high": found.ci_high,
                "answered": found.answered,
                "items": len(np.unique(mine.unit[~unknown])),
                "left_out": len(one.rows) - len(mine.rows) + int(unknown.sum()),
                "note": found.reason,
            }
        )
    return pd.DataFrame(lines)
