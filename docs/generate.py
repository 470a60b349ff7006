"""Writes docs/metrics.md from the metric registry, and the tables of docs/published.md."""

import math
import re
from collections import Counter
from pathlib import Path
from textwrap import fill

import pandas as pd

from inspect_confidence.metrics import METHODS, METRICS, NO_ESTIMATE, Metric
from inspect_confidence.published import read_published
from inspect_confidence.studies import all_studies

_HERE = Path(__file__).parent
SIZES = (30, 100, 300, 1_000)

_HEAD = """\
# Metrics

Every number in the `metric` column of the results table. This page is generated from the metric
registry by `make docs`; formulas, shapes and examples are in [api-metrics.md](api-metrics.md).

- **Direction**: `higher` or `lower` is better; `target=x`, nearer to x is better; `none`, neither.
- **Missing values**: judgments that could not be read are left out of every metric but
  `format_failure_rate` and `n`, and counted in `note`. What can't be computed is NaN (null in
  JSON) and `note` says why.
- **What follows from them**: a map to what a confidence is worth, a threshold above which a risk is
  kept (`risk_threshold`), and the number of items of the next run (`items_needed`) are made by
  [other commands](use.md), which say when to use them and when not.
- **Intervals and tests**: [below](#intervals), method by method, with the coverage that
  `make thorough` found.

| metric | definition | unit | direction | range | undefined (NaN) where | source |
|---|---|---|---|---|---|---|
"""


_CHOICE = """
## Which calibration error

- `ece` is what most papers print, and its value depends on the bins. `rms_calibration_error` weighs
  a bin that is far off more. Use it to compare with published numbers.
- `hle_calibration_error` is for tables of Humanity's Last Exam: with `top_bin=dropped` as its
  authors print it, without as inspect_evals does (on confidence in whole percentages; judgments
  that tie share their outcomes here). Its bins hold 100 items, so that below 200 it is
  |`overconfidence`|.
- `smooth_ece` and `corp_miscalibration` need no bins. Smooth ECE is on ECE's scale and good for
  comparing; where confidence takes few values far apart it says no more than ECE. CORP splits the
  Brier score: miscalibration is what recalibration could gain, discrimination what would be left to
  tell right from wrong. Isotonic regression sees no confidence that works backwards: discrimination
  is 0 then, and miscalibration large.
- All of these are above 0 for a calibrated model: at 200 items ECE is .03 on average where it
  states .7 to 1, and .07 where it states anything from 0 to 1. Only `debiased_squared_error` is 0
  on average there, above or below it by chance; use it to ask how large the error is with few
  items, not to rank models that are near 0.
- `calibration_p` asks whether it is calibrated at all. At thousands of items almost every
  model is rejected, and the size of the error is what matters; at a few dozen only gross errors are
  found, so that a large p shows nothing. Where epochs of an item are independent it rejects a
  calibrated model in less than 1%, not 5%.
- `brier_skill` compares with stating the base rate. Below 0 a model's confidence is worth less than
  one constant. It isn't a calibration error: it grows with what the model knows.
- Where outcomes are probabilities, as in LifeEval, there is no noise to take off and none to
  simulate: `debiased_squared_error` and `calibration_p` are undefined.
  [Its page](life_eval.md#numbers) says which of the others it has.
"""

_DECISIONS = """
## Answering only where confidence is high

- `risk_at_coverage` is what a user sees who lets a model answer only its surest half or four
  fifths: the error rate there.
- `augrc` is one number for all coverages: how often an answer is given and wrong. Use it to rank
  models or methods: an error adds to it in proportion to how many answers are less sure. In
  `aurc`, the older one, a few errors among the very surest answers can outweigh all others. Both
  mix how much a model knows with how well it knows it. `auroc` depends on the order alone.
- `--costs right=1,wrong=-2,abstain=0` says what answers are worth to you, and adds
  `expected_utility` of answering always and of answering from (abstain - wrong)/(right - wrong) on,
  where calibrated confidence would have it best: the latter is what trusting stated confidence
  gives, and isn't chosen on the sample. `plots.utility` draws the curve over all
  thresholds, from `detail` with the same costs.

## Metacognition: which number for which questions

- Open questions: `meta_information_corrected`, the bits that confidence tells about correctness.
  It needs no number of choices and no model; M-ratio does, and must not be used there.
  `meta_information` without correction is above 0 by about (K - 1)/(2 n ln 2) for K confidences,
  whatever the model knows: by .10 to .17 bits in simulations of 100 judgments with 21 confidences.
  Below 100 items the corrected number has no interval.
- Items with choices: `m_ratio` at a threshold depends on where the threshold falls among the
  confidences. `meta_d` and its M-ratio (`type1=sdt`) use all confidences of two-choice items,
  whose responses may be biased.
- M-ratio divides by what accuracy alone gives: a few points above chance that is next to nothing
  and the ratio is huge. Do not read it there.
- Several models or data sets with two choices each, none with judgments enough: the function
  `metrics.hierarchical_m_ratio` gives the M-ratio of the group with an interval, and each unit's
  drawn towards it ([how](use.md#a-group-of-models-or-data-sets)). It asks what holds for units like
  these; of three the interval is wide, as it should be. With few judgments the plain mean of
  M-ratios is too high, since noise in d' raises a ratio. Don't use it to rank units, whose
  differences it makes smaller; for a mixture of two kinds of models; where confidence works
  backwards, which is an M-ratio near 0 here; or where d' is near 0.
- Intervals of corrected information are cautious: near 0 they hold the true value nearly always.
"""

_JUDGED = """
## When a judge says what is right

A model that grades answers, or says whether two agree, errs; and an interval that takes its word
for the truth is about its word. In simulations with a judge that is right in 80 to 95% it held an
accuracy of .1 or .9 in 0 to 54% of samples ([validation.md](validation.md#judges)).
`--judge-labels PATH` adds numbers with the judge's errors taken out, and with the labels' own
sampling error in the interval; the others stay as they are.

- Labels of **other** answers by the same judge with the same prompt (20 of each class at least):
  `judge_corrected_accuracy` is Rogan and Gladen's (q + specificity - 1)/(sensitivity + specificity
  - 1), with resamples of the items that meet error rates drawn from their posterior. It supposes
  that the judge errs as often on these answers, and as often whatever the confidence, given whether
  the answer is right. A judge that is easier on a confident text breaks that, and
  `judge_corrected_overconfidence` with it.
- Labels of **some of the run's own** items, drawn by chance (a file with the column `item`):
  prediction-powered (PPI++). It supposes nothing of the judge's errors, so prefer it. Without 50
  labelled items and eight labels of either outcome it has no interval.
- Labels that don't show that the judge tells right from wrong give NaN. What lies outside [0, 1] is
  moved to its end, and the note says from where.
- ECE, AUROC, Brier and the rest have no corrected value. Each bin or pair would need error rates of
  its own, and a hundred labels don't give them; taking one pair of rates for all bins makes the
  result depend on the supposition above much more than a mean does.
"""

_INTERVALS = """
## Intervals

Which 95% interval each metric has, from which number of resampled units on, and how often it held
the true value in simulations at 30, 100, 300 and 1,000 units: the least and the greatest share over
what was simulated ([coverage.csv](coverage.csv) has every one). Below that number, and where every
resample gives the same value or more than 5% of them none, there is no interval, and `note` says
so. Simulations count where at least 35% of samples have an interval: a rule that asks for enough
rare outcomes lets pass, where they are seldom enough, the samples that have most of them, and no
interval holds the true value as often in those. An interval always holds its value. Units are
items, or what the metric's row says: epochs of one item aren't independent, and never count as more
than it. More than 97% is where the true value is at the end of its range or takes few values, or
as the column `wide` of the file says.

{methods}

| metric | method | from | 30 | 100 | 300 | 1,000 | other n |
|---|---|---|---|---|---|---|---|
"""

_TESTS = """
## Tests

What each test's null is, how it is made, and how often p was at most .05 in simulations where the
null is true ([levels.csv](levels.csv) has every one, power too).

| test | null | p | rejected at 5% |
|---|---|---|---|
"""
_TESTED = (
    (
        "difference",
        "the metric has the same value for both, whatever else differs",
        "resamples of the common items: the least alpha whose interval leaves out 0",
    ),
    (
        "Brunner-Munzel",
        "P(first > second) + P(equal)/2 = 1/2, variances free",
        "t with Welch's degrees of freedom; exact by permutation of the studentised statistic "
        "where samples are small or apart",
    ),
    (
        "contrast",
        "numbers to words: scores are equal under both conditions",
        "t of the clustered difference, within scenarios; agrees with its interval",
    ),
    (
        "paired signs",
        "differences over shared contexts are symmetric around 0",
        "exchanged signs, all of them up to 13 differences",
    ),
    (
        "calibration_p",
        "each answer is right with the probability stated, epochs of an item together",
        "share of simulated outcomes with as much CORP miscalibration",
    ),
    (
        "unread_dependence",
        "a reply is as often unread under every condition",
        "permutations within items (Cochran's Q where complete)",
    ),
)
"""Name, null hypothesis and p of each test, as `levels.csv` names it."""


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
    rows = [row(metric) for metric in METRICS.values()]
    return _HEAD + "\n".join(rows) + "\n" + _CHOICE + _DECISIONS + _JUDGED + intervals() + tests()


def intervals() -> str:
    """The method of each metric's interval, and what coverage was seen."""
    methods = "\n".join(
        fill(f"- `{name}`: {said}", 100, subsequent_indent="  ")
        for name, said in METHODS.items()
        if name not in ("own", "none")
    )
    seen = pd.read_csv(_HERE / "coverage.csv", keep_default_na=False)
    seen["metric"] = seen["metric"].str.split(" ").str[0]
    lines = []
    for one in METRICS.values():
        rule = one.interval
        if rule == NO_ESTIMATE:
            continue
        given = rule.reason if rule.method in ("own", "none") else f"`{rule.method}`"
        method = f"none: {given}" if rule.method == "none" else given
        least = [f"{rule.min_units} {rule.units}"] if rule.min_units else []
        least += [f"{rule.min_rarest} in the rarest {rule.rarest}"] if rule.min_rarest else []
        mine = seen[seen["metric"] == one.name]
        cells = [_share(mine[mine["n"] == n]) for n in SIZES]
        others = [
            f"{int(n):,}: {_share(some)}"
            for n, some in mine.groupby("n")
            if n not in SIZES and _share(some) != "-"
        ]
        if rule.method == "wilson" and not len(mine):
            cells[0] = "as `coverage`"
        shown = (f"`{one.name}`", method, ", ".join(least) or "-", *cells, "; ".join(others) or "-")
        lines.append(f"| {' | '.join(shown)} |")
    return _INTERVALS.format(methods=methods) + "\n".join(lines) + "\n"


def _share(seen: pd.DataFrame) -> str:
    """The least and the greatest coverage of those, where intervals are given."""
    given = seen[seen["printed"] >= 0.35 * seen["simulations"]]
    if not len(given):
        return "-"
    shares = given["held"] / given["printed"]
    ends = list(dict.fromkeys(f"{share:.3f}".lstrip("0") for share in (shares.min(), shares.max())))
    return " to ".join(ends)


def tests() -> str:
    """Each test with its null and the level seen."""
    seen = pd.read_csv(_HERE / "levels.csv")
    lines = []
    for name, null, p in _TESTED:
        mine = seen[seen["test"].str.startswith(name) & ~seen["power"]]
        shares = mine["rejected"] / mine["simulations"]
        level = f"{shares.min():.3f} to {shares.max():.3f} ({len(mine)} designs)"
        lines.append(f"| {name} | {null} | {p} | {level if len(mine) else '-'} |")
    return _TESTS + "\n".join(lines) + "\n"


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
    (_HERE / "metrics.md").write_text(page(), encoding="utf-8")
    published = _HERE / "published.md"
    told = published.read_text(encoding="utf-8").split(MARK)[0]
    published.write_text(told + MARK + coverage(), encoding="utf-8")
