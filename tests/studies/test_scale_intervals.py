"""Whatever was answered, no interval leaves out its value, and none is missing without a reason."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from studies.frames import NAN, Row, scaled

SCALES = ((0, 100), (0, 20), (3, 38))

ANSWERS = st.lists(
    st.tuples(
        st.sampled_from(SCALES),
        st.integers(0, 30),  # item
        st.integers(1, 2),  # epoch
        st.sampled_from((0.0, 0.5, 0.75, 0.9, 1.0, 1.04, 1.5, NAN)),  # of the scale's width
        st.booleans(),
    ),
    min_size=1,
    max_size=160,
)


def rows_of(answers: list[tuple[tuple[int, int], int, int, float, bool]]) -> list[Row]:
    """Judgments of them; without a report it is an unreadable reply."""
    rows = []
    for (low, high), item, epoch, share, right in answers:
        read = not np.isnan(share)
        row: Row = {"item": f"i{item:02d}", "epoch": epoch, "low": low, "high": high}
        row |= {"choices": 2, "target": "A", "answer": ("A" if right else "B") if read else ""}
        row |= {"raw": low + round(share * (high - low)) if read else NAN}
        row |= {"correct": float(right) if read else NAN, "status": "ok" if read else "refusal"}
        rows.append(row)
    return rows


@settings(max_examples=12, deadline=None, derandomize=True)
@given(ANSWERS)
def test_no_interval_leaves_out_its_value(
    answers: list[tuple[tuple[int, int], int, int, float, bool]],
) -> None:
    """Two epochs, unreadable replies among them, reports beyond the scale."""
    results = scaled(rows_of(answers), resamples=40)
    low, value, high = (results[name].to_numpy() for name in ("ci_low", "value", "ci_high"))
    has_interval = ~np.isnan(low)
    is_outside = (low > value + 1e-9) | (value > high + 1e-9)
    assert not (has_interval & is_outside).any(), results[has_interval & is_outside].to_string()
    assert (np.isnan(low) == np.isnan(high)).all()
    assert (results["n"] <= results["asked"]).all(), results[
        results["n"] > results["asked"]
    ].to_string()
    no_estimate = "n$|p_|calibration_p|items_not_common|top1_value|status_count"
    estimates = ~results["metric"].str.match(no_estimate)
    silent = estimates & ~has_interval & ~results["note"].str.contains("undefined: |no interval: ")
    of_same = results["metric"] == "difference"  # of every item alike: no interval, no doubt
    assert not (silent & ~of_same).any(), results[silent & ~of_same].to_string()
