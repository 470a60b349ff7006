"""What hedged answers lose before they are counted is said in the results."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from inspect_confidence import summarize


def results(**changed: list[float]) -> dict[str, dict[str, Any]]:
    """Of two replies with a sentence each, confidences .2 and .8, decisivenesses .5 and .5."""
    frame = pd.DataFrame(
        {
            "task": "hedge_markers",
            "dataset": "d",
            "split": "test",
            "item": ["a", "b"],
            "sentence": [1, 1],
            "marker": ["probably", "probably"],
            "confidence": [0.2, 0.8],
            "decisiveness": [0.5, 0.5],
            **changed,
        }
    )
    found = summarize(frame, resamples=10, options={"hedge_markers.marker_thresholds": 1})
    rows = found[found["dataset"] == "d"].to_dict("records")
    return {str(row["metric"]): {str(key): value for key, value in row.items()} for row in rows}


def test_cut_sentences_and_empty_draws_are_counted() -> None:
    """One last sentence was cut off, three draws were empty; nothing is said where none was."""
    assert results(cut=[1, 0], empty_draws=[0, 3])["n"]["note"] == (
        "sentences; 1 cut off at their end, left out; 3 empty draws left out"
    )
    assert results(cut=[0, 0], empty_draws=[0, 0])["n"]["note"] == "sentences"


def test_internal_confidence_needs_no_decisiveness() -> None:
    """(.2 + .8) / 2 though the judge gave one decisiveness alone; faithfulness is 1 - |.5 - .2|."""
    found = results(decisiveness=[0.5, float("nan")])
    assert found["mean_internal_confidence"]["value"] == pytest.approx(0.5)
    assert found["faithfulness"]["value"] == pytest.approx(0.7)
    assert found["faithfulness"]["n"] == 1
    assert found["faithfulness"]["note"].startswith("1 of 2 replies left out")
