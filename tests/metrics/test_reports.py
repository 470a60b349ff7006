"""How few values reports use and how round they are, against numpy and scipy."""

import math
from collections import Counter
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy

from build import column_of
from inspect_confidence.metrics import (
    ValueTables,
    report_entropy,
    round_rate,
    top1_share,
    top1_value,
    top3_share,
    unique_values,
    utilization,
)
from inspect_confidence.metrics.reports import (
    report_entropy_of_tables,
    round_rate_of_tables,
    top1_share_of_tables,
    top1_value_of_tables,
    top3_share_of_tables,
    unique_values_of_tables,
    utilization_of_tables,
)
from metrics.strategies import fixed

NAN = float("nan")
reports_of = st.lists(st.integers(0, 20), min_size=1, max_size=60)


METRICS = (
    top1_value_of_tables,
    top1_share_of_tables,
    top3_share_of_tables,
    unique_values_of_tables,
    report_entropy_of_tables,
    round_rate_of_tables,
    partial(utilization_of_tables, low=0, high=20),
)


def test_reports_that_differ_by_rounding_are_one_value() -> None:
    """0.1 + 0.2 is 0.30000000000000004."""
    reports = [0.1 + 0.2, 0.3]
    assert unique_values(reports) == 1
    assert top1_share(reports) == 1
    assert report_entropy(reports) == 0


def test_metrics_of_ten_reports() -> None:
    """Ten reports: 95 four times, 90 three times, 80 twice and 72 once."""
    reports = [95] * 4 + [90] * 3 + [80] * 2 + [72]
    assert top1_value(reports) == 95
    assert top1_share(reports) == 0.4
    assert top3_share(reports) == 0.9
    assert unique_values(reports) == 4
    assert round_rate(reports) == 0.9
    assert round_rate(reports, multiple=10) == 0.5
    assert round_rate(reports, multiple=2) == 0.6
    # the third and the eighth of 72 80 80 90 90 90 95 95 95 95: ranks 2.5 and 7.5 fall within them
    assert utilization(reports, low=0, high=100) == pytest.approx(0.15, abs=1e-15)
    assert utilization(reports, low=60, high=100) == pytest.approx(15 / 40, abs=1e-15)
    assert report_entropy([5, 5, 10, 20]) == 1.5
    # Of four reports, the lower quartile lies halfway between first and second.
    assert utilization([0, 4, 10, 20], low=0, high=20) == (15 - 2) / 20
    # Of several commonest reports, the greatest is named, in whatever order they came.
    assert top1_value([90, 80, 80, 90, 95]) == 90
    assert top1_value([3, 1, 2]) == 3
    # Each report of a scale once gives the share of multiples of five that the scale has.
    for high, share in [(100, 21 / 101), (5, 2 / 6), (20, 5 / 21)]:
        assert round_rate(range(high + 1)) == pytest.approx(share, abs=1e-15), (high, share)


@fixed
@given(reports_of)
def test_shares_and_entropy_are_those_of_numpy_and_scipy(reports: list[int]) -> None:
    """Shares are counted, entropy is scipy's, utilization numpy's."""
    common = Counter(reports).most_common()
    top = [value for value, count in common if count == common[0][1]]
    assert top1_value(reports) == max(top)
    assert top1_share(reports) == pytest.approx(common[0][1] / len(reports), abs=1e-15)
    three = sum(column_of(common[:3], 1))
    assert top3_share(reports) == pytest.approx(three / len(reports), abs=1e-15)
    assert unique_values(reports) == len(common)
    round_ones = sum(report in (0, 5, 10, 15, 20) for report in reports)
    assert round_rate(reports) == pytest.approx(round_ones / len(reports), abs=1e-15)
    expected = entropy(list(Counter(reports).values()), base=2)
    assert report_entropy(reports) == pytest.approx(expected, abs=1e-12)
    low, high = np.quantile(reports, [0.25, 0.75], method="averaged_inverted_cdf")
    assert utilization(reports, low=0, high=20) == pytest.approx((high - low) / 20, abs=1e-15)


@fixed
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 4)), min_size=1, max_size=20))
def test_masses_are_repetitions(rows: list[tuple[int, int]]) -> None:
    """A table whose rows are resamples gives for each row the value of the reports repeated."""
    values, counts = map(np.array, zip(*dict(rows).items(), strict=True))
    order = np.argsort(values)
    mass = np.array([counts[order], np.ones(len(order)), 0 * counts, 3 * counts[order]], float)
    repeated = [ValueTables.from_reports(np.repeat(values[order], row.astype(int))) for row in mass]
    for metric in METRICS:
        got = metric(ValueTables(values[order].astype(float), mass))
        expected = [metric(repeated_table)[0] for repeated_table in repeated]
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12, err_msg=str(metric))
        assert math.isnan(got[2])  # the empty resample


def test_missing_reports() -> None:
    """NaN is left out, and without a report each metric is NaN."""
    for missing in ([], [NAN], [NAN, NAN]):
        for metric in METRICS:
            with_missing = metric(ValueTables.from_reports([3.0, 10.0, *missing, 3.0]))
            assert with_missing == metric(ValueTables.from_reports([3.0, 10.0, 3.0])), (
                metric,
                missing,
            )
            assert np.isnan(metric(ValueTables.from_reports(missing))).all(), (metric, missing)
        assert math.isnan(utilization(missing, low=0, high=20))
        assert math.isnan(top1_value(missing))
        assert math.isnan(report_entropy(missing))
