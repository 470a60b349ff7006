"""Writes docs/metrics.md from the metric registry."""

import math
from pathlib import Path

from inspect_confidence.metrics import METRICS, Metric

_HEAD = """\
# Metrics

Every number in the `metric` column of the results table. This page is generated from the metric
registry by `make docs`; formulas, shapes and examples are in [api-metrics.md](api-metrics.md).

- **Direction**: `higher` or `lower` is better; `target=x`, nearer to x is better; `none`, neither.
- **Missing values**: judgments that could not be read are left out of every metric but
  `format_failure_rate` and `n`, and counted in `note`. What can't be computed is NaN (null in
  JSON) and `note` says why.
- **95% intervals**: percentile bootstrap over items, 10,000 resamples, seeded (`meta_information`:
  the basic bootstrap interval, as it is biased upwards); train items are
  resampled too where a number depends on them. Shares (`coverage`, `coverage_gap`, `set_coverage`,
  `miss_below`, `miss_above`, `format_failure_rate`, `violation_rate`, `clip_rate`) have Wilson's
  interval at the effective sample
  size of the items, which is Wilson's own interval at one judgment an item. After conformal
  adjustment and scaling they have the bootstrap's, because what was learned varies with the train
  items.

| metric | definition | unit | direction | range | undefined (NaN) where | source |
|---|---|---|---|---|---|---|
"""


def row(metric: Metric) -> str:
    """A metric as a row of the table."""
    span = f"{bound(metric.low)} to {bound(metric.high)}"
    cells = (
        f"`{metric.name}`",
        metric.definition,
        metric.unit,
        metric.direction,
        span,
        metric.undefined,
        metric.source,
    )
    return f"| {' | '.join(cells)} |"


def bound(value: float) -> str:
    """A bound of a range."""
    return f"{value:g}" if math.isfinite(value) else ("-" if value < 0 else "") + "infinity"


def page() -> str:
    """The whole page."""
    return _HEAD + "\n".join(row(metric) for metric in METRICS.values()) + "\n"


if __name__ == "__main__":
    (Path(__file__).parent / "metrics.md").write_text(page(), encoding="utf-8")
