"""Whatever was answered, no interval leaves out its value, and none is missing without a reason."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from inspect_confidence.metrics import resampled_interval
from inspect_confidence.results import Key
from inspect_confidence.studies.calibration import Answers, confidence_statistics
from inspect_confidence.studies.estimate import (
    ResampledEstimates,
    average_estimates,
    resample,
    results_of,
)
from inspect_confidence.studies.study import Resampling
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
    low = results["ci_low"].to_numpy()
    value = results["value"].to_numpy()
    high = results["ci_high"].to_numpy()
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


def resampled_scores(items: int, wrong: int) -> ResampledEstimates:
    """Resampled AUROC and Brier score of two epochs, the first `wrong` items being wrong.

    The first reply to the first item cannot be read, nor both replies to one further item.
    """
    item = np.tile(np.arange(items + 1), 2)
    confidence = np.where(item % 3 == 0, 0.6, 0.9)
    confidence[0] = NAN
    confidence[item == items] = NAN
    answers = Answers(item, items + 1, confidence, np.where(item < wrong, 0.0, 1.0), item, None)
    settings_of_scores = Resampling(400, metrics=("auroc", "brier"))
    statistics = confidence_statistics(answers, {}, "", settings_of_scores)
    return resample(statistics, items + 1, settings_of_scores)


def check_tails(resampled: ResampledEstimates, units: dict[str, float]) -> None:
    """Intervals are those of the draws at these numbers of units, by metric."""
    rows = {row.metric: row for row in results_of(resampled, Key("scale_variants", "m", "d"))}
    names = [estimate.metric for estimate in resampled.estimates]
    for metric, count in units.items():
        row, draws = rows[metric], resampled.draws[:, names.index(metric)]
        assert (row.ci_low, row.ci_high) == resampled_interval(row.value, draws, count)


def test_auroc_has_the_tails_of_balanced_units() -> None:
    """Of 47 replies on 24 items 3 are wrong: 24 * 3 / 47 = 1.532 items; 4 * 22.968 * 2.032 / 25."""
    check_tails(resampled_scores(24, 2), {"auroc": 7.467, "brier": 24})


def test_a_mean_of_auroc_has_the_tails_of_the_fewest_balanced_units() -> None:
    """Two of 24 items are wrong in one data set, as above, and ten in the other."""
    parts = {"first": resampled_scores(24, 10), "second": resampled_scores(24, 2)}
    mean = average_estimates(parts, (), independent=True)
    check_tails(mean, {"auroc": 7.467, "brier": 24})
