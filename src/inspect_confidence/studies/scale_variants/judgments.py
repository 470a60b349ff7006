"""The scale study's samples as rows of judgments, and rows of a user's file made whole."""

from string import ascii_uppercase
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.studies.estimate import refuse_outside
from inspect_confidence.studies.study import SampleFacts

SCORER = "stated"


def read_sample(sample: SampleFacts) -> list[dict[str, Any]]:
    """The judgment of a sample: an answer with its confidence, or why there is none."""
    metadata = sample.metadata
    row = {
        "item": metadata["item"],
        "split": metadata.get("split"),
        "low": metadata["low"],
        "high": metadata["high"],
        "target": sample.target,
        "choices": metadata.get("choices") or np.nan,
    }
    score, became = sample.read(SCORER)
    read = score.only("raw", "confidence", "correct", "clipped")
    if read:
        read["clipped"] = None if np.isnan(read["clipped"]) else bool(read["clipped"])
    return [{**row, **read, "answer": score.answer or "", **became}]


def completed(rows: pd.DataFrame) -> pd.DataFrame:
    """Judgments with what follows from other columns, and `scale`, filled in.

    Where `confidence` is missing it follows from `raw`, `low` and `high`: clipped within 5% of the
    scale's width, `out_of_range` beyond. `correct` follows from `answer` and `target`.

    Raises:
        InvalidArgument: A share lies outside [0, 1], or a scale runs the wrong way.
    """
    remedy = "give a share, or `low`, `high` and `raw` for a report on another scale."
    refuse_outside(rows, ("confidence", "correct"), remedy)
    flat = rows[rows["low"] >= rows["high"]]
    if len(flat):
        low, high = flat[["low", "high"]].iloc[0]
        raise InvalidArgument(f"low={low:g}, high={high:g}: low must be below high.")
    rows = rows.copy()
    low, high, raw = (rows[name].to_numpy(float) for name in ("low", "high", "raw"))
    width = high - low
    excess = np.maximum(low - raw, raw - high)
    violated = excess * 20 > width
    # One division of whole numbers: equal shares of different scales give the same float.
    share = (np.clip(raw, low, high) - low) / np.where(width > 0, width, np.nan)
    stated = rows["confidence"].to_numpy(float)
    derived = np.isnan(stated) & ~np.isnan(share) & (rows["status"] == "ok").to_numpy()
    rows["confidence"] = np.where(derived & ~violated, share, stated)
    rows.loc[derived & violated, "status"] = "out_of_range"
    rows.loc[derived & (excess > 0) & ~violated, "clipped"] = True
    known = (rows["correct"].isna() & (rows["answer"] != "") & (rows["target"] != "")).to_numpy()
    # A column of numbers with a gap is read as floats, so that 18 may have become 18.0.
    answer, target = (rows[name].str.removesuffix(".0") for name in ("answer", "target"))
    equal = (answer == target).to_numpy(float)
    rows["correct"] = np.where(known, equal, rows["correct"].to_numpy(float))
    rows["scale"] = [
        "" if np.isnan(one + other) else f"{one:g}-{other:g}"
        for one, other in zip(low, high, strict=True)
    ]
    return rows


def stimulus_of(rows: pd.DataFrame) -> np.ndarray:
    """Index of each item's right choice; -1 where the target is no letter."""
    return np.array(
        [ascii_uppercase.find(text) if len(text) == 1 else -1 for text in rows["target"]]
    )
