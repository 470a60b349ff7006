"""Writes docs/metrics.md from the metric registry."""

import math
from pathlib import Path
from textwrap import fill

from inspect_confidence.metrics import METRICS, Metric

_HEAD = """\
# Metrics

Every number in the `metric` column of the results table. This page is generated from the metric
registry by `make docs`; formulas, shapes and examples are in [api-metrics.md](api-metrics.md).

- **Direction**: `higher` or `lower` is better; `target=x`, nearer to x is better; `none`, neither.
- **Missing values**: judgments that could not be read are left out of every metric but
  `format_failure_rate` and `n`, and counted in `note`. What can't be computed is NaN (null in
  JSON) and `note` says why.
{intervals}

| metric | definition | unit | direction | range | undefined (NaN) where | source |
|---|---|---|---|---|---|---|
"""


_INTERVALS = """\
- **95% intervals**: percentile bootstrap over items, 10,000 resamples, seeded ({basic}: the basic
bootstrap interval, as resampling biases them upwards); train items are resampled too where a number
depends on them. Shares ({wilson}) have Wilson's interval at the effective sample size of the items,
which is Wilson's own interval at one judgment an item. After conformal adjustment and scaling they
have the bootstrap's, because what was learned varies with the train items."""


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
    said = _INTERVALS.format(basic=having("basic"), wilson=having("wilson"))
    head = _HEAD.format(intervals=fill(said, 100, subsequent_indent="  "))
    return head + "\n".join(row(metric) for metric in METRICS.values()) + "\n"


def having(interval: str) -> str:
    """The metrics that have an interval of that kind."""
    return ", ".join(f"`{one.name}`" for one in METRICS.values() if one.interval == interval)


if __name__ == "__main__":
    (Path(__file__).parent / "metrics.md").write_text(page(), encoding="utf-8")
