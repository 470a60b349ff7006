"""Confidence thresholds above which a model's answers may be given."""

from numbers import Real

import numpy as np
import pandas as pd

from inspect_confidence.commands.groups import ConfidenceGroup, confidence_groups
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.read import JudgmentSource, judgments_of
from inspect_confidence.metrics import risk_threshold
from inspect_confidence.studies.estimate import field_values


def threshold(source: JudgmentSource, *, risk: float = 0.05) -> pd.DataFrame:
    """Find the lowest confidence from which on at most a target share of answers is wrong.

    The statement holds with 95% confidence for items like these; see `metrics.risk_threshold`. A
    reply without a readable confidence is never given, and lowers the coverage. Data sets are
    pooled.

    Args:
        source: Judgments, or paths.
        risk: Target share of wrong answers, between 0 and 1.

    Returns:
        A row for each model, variant and elicitation method (column `condition`), and for each
        value of the fields by which the judgments are split (column `by`, empty for all judgments):
        the threshold (NaN if none qualifies), the share of wrong answers among those given
        (`risk`), the p of the hypothesis that the true share exceeds the target, the share of
        answers given (`coverage`) with its 95% interval, the numbers of items answered and of all
        items, the number of judgments left out (failures of the run, and unknown outcomes), and the
        reason why there is no lower threshold (the first test below it that failed), or none (the
        last test that failed, or too few items).

    Raises:
        InvalidArgument: The source is invalid or has no stated confidence, or the target isn't
            between 0 and 1.
    """
    if not (isinstance(risk, Real) and 0 < risk < 1):
        raise InvalidArgument(f"--risk {risk} is not between 0 and 1; 5% is 0.05.")
    rows = []
    for whole in confidence_groups(judgments_of(source)):
        for field_value, is_chosen in field_values(whole.rows):
            rows.append(_threshold_row(whole.take(is_chosen), field_value, risk))
    return pd.DataFrame(rows)


_NUMBER_COLUMNS = ("threshold", "risk", "p", "coverage", "ci_low", "ci_high", "answered")
"""Columns with numbers of `metrics.RiskThreshold`, by its attributes."""


def _threshold_row(group: ConfidenceGroup, field_value: str, risk: float) -> dict[str, object]:
    """Return the row of the table of `threshold` on a group of judgments.

    `field_value` names the value of the field in `--by` that they share, as `domain=law`.

    Failures of the run, in which the model gave no reply, and answers of unknown outcome are left
    out. A reply without a readable confidence counts as an item that is never answered.
    """
    replies = group.replies()
    result = risk_threshold(replies.confidence, replies.correct, replies.clusters, risk=risk)
    unknown = ~np.isnan(replies.confidence) & np.isnan(replies.correct)
    numbers = {name: getattr(result, name) for name in _NUMBER_COLUMNS}  # threshold, risk, ...
    return {
        "task": group.task,
        "model": group.model,
        "variant": group.variant,
        "condition": str(group.condition),
        "by": field_value,
        "target": risk,
        **numbers,
        "items": len(np.unique(replies.clusters[~unknown])),
        "left_out": len(group.rows) - len(replies.rows) + int(unknown.sum()),
        "note": result.reason,
    }
