"""Writes docs/metrics.md from the metric registry, and the tables of docs/published.md."""

import math
import re
from collections import Counter
from pathlib import Path
from textwrap import fill

from inspect_confidence.metrics import METRICS, Metric
from inspect_confidence.published import read_published
from inspect_confidence.studies import all_studies

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


MARK = "<!-- docs/generate.py writes what follows -->\n"

_COVERAGE = """
| study | table | printed | held | computed here |
|---|---|---|---|---|
"""
_NOT_PRODUCED = """
### Not computed here

| task | metric | why |
|---|---|---|
"""

_CITED = re.compile(r".*?(\(\d{4}\)|npj Complexity), (arXiv [\d.]+, |repository, )?")
_LEFT_OUT = {
    ("wep_probes", "analysis/rq1/Chinese_KL_Divergence.csv"): 17 * 5,
    ("wep_probes", "analysis/rq1/Gender_BM_Theta.csv"): 17 * 8 * 3,
}
"""Figures that are known to us and not held: words times comparisons, with their intervals."""


def tables_of(source: str) -> list[str]:
    """The tables, or other places, that a figure's source names.

    Example:
        >>> tables_of("Dai (2026), arXiv 2603.09309, Tables 1, 13")
        ['Table 1', 'Table 13']
    """
    place = _CITED.sub("", source, count=1)
    numbers = re.fullmatch(r"Tables? (\d+(?:, \d+)*)", place)
    return [f"Table {one}" for one in numbers[1].split(", ")] if numbers else [place]


def coverage() -> str:
    """What is held of each table of the studies, and what isn't computed here and why."""
    study_of = {table.task: study.name for study in all_studies() for table in study.tables}
    held, computed = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    figures = read_published()
    for one in figures.to_dict("records"):
        numbers = 3 if math.isfinite(one["ci_low"]) else 1
        for table in tables_of(one["source"]):
            where = study_of[one["task"]], table
            held[where] += numbers
            computed[where] += 0 if one["not_produced"] else numbers
    lines = [
        f"| {study} | {table} | {held[study, table] + _LEFT_OUT.get((study, table), 0):,} "
        f"| {held[study, table]:,} | {computed[study, table]:,} |"
        for study, table in sorted({*held, *_LEFT_OUT}, key=_in_order)
    ]
    listed = figures[figures["not_produced"] != ""]
    reasons = [
        f"| `{task}` | {', '.join(f'`{name}`' for name in some.unique())} | {reason} |"
        for (task, reason), some in listed.groupby(["task", "not_produced"], sort=False)["metric"]
    ]
    return _COVERAGE + "\n".join(lines) + "\n" + _NOT_PRODUCED + "\n".join(reasons) + "\n"


def _in_order(where: tuple[str, str]) -> tuple[str, bool, list[int], str]:
    study, table = where
    return study, not table.startswith("Table"), [*map(int, re.findall(r"\d+", table))], table


if __name__ == "__main__":
    (Path(__file__).parent / "metrics.md").write_text(page(), encoding="utf-8")
    published = Path(__file__).parent / "published.md"
    told = published.read_text(encoding="utf-8").split(MARK)[0]
    published.write_text(told + MARK + coverage(), encoding="utf-8")
