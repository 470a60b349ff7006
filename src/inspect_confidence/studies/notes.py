"""Notes on the judgments that an estimate leaves out."""

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.answers import ANSWER_STATUSES, REPLY_STATUSES


def join_notes(*parts: str) -> str:
    """Join the parts of a note that aren't empty."""
    return "; ".join(filter(None, parts))


_FEW = 1_000
"""Number of texts up to which Python counts faster than pandas."""


def count_texts(texts: Iterable[str]) -> Counter[str]:
    """Count each text."""
    if isinstance(texts, pd.Series) and len(texts) > _FEW:
        return Counter({str(text): int(n) for text, n in texts.value_counts().items()})
    return Counter(texts)


def describe_left_out(statuses: Iterable[str]) -> str:
    """Say how many judgments were left out, by status; empty if none was."""
    counts = count_texts(statuses)
    bad = {status: n for status, n in sorted(counts.items()) if status != "ok"}
    if not bad:
        return ""
    reasons = ", ".join(f"{n} {status}" for status, n in bad.items())
    return f"{sum(bad.values())} of {counts.total()} judgments left out: {reasons}"


def statuses_of_estimate(
    rows: pd.DataFrame, present: "pd.Series[bool] | NDArray[np.bool_]"
) -> "pd.Series[str]":
    """Return each judgment's status for an estimate: `ok` if it counts."""
    status = rows["status"].where(rows["status"] != "ok", "without a value")
    return status.where(~present, "ok")


def describe_counts(rows: pd.DataFrame, present: "pd.Series[bool] | NDArray[np.bool_]") -> str:
    """Say how many judgments an estimate leaves out, by status, and how many items it has."""
    items = rows.loc[present, "item"].nunique()
    return join_notes(
        describe_left_out(statuses_of_estimate(rows, present)),
        f"{items} items" if items < present.sum() else "",
    )


def has_reply(statuses: "pd.Series[str]") -> NDArray[np.bool_]:
    """Return which judgments have a reply, readable or not."""
    return statuses.isin([*REPLY_STATUSES, *ANSWER_STATUSES, "ok"]).to_numpy(bool)


def unread_flags(statuses: "pd.Series[str]") -> NDArray[np.float64]:
    """Return 1 where a reply could not be read, 0 where it could, NaN where there was none.

    An answer in which the model declined was read.
    """
    return np.where(has_reply(statuses), statuses.isin(REPLY_STATUSES), np.nan)
