"""Write the generated pages of docs/: metrics, published figures, cards, reliability, notebook.

    python docs/generate.py [NAME...]

writes the pages of these names (`WRITERS`), or all of them.
"""

import hashlib
import math
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from importlib import resources
from inspect import signature
from itertools import groupby
from pathlib import Path
from string import ascii_lowercase
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from inspect_ai import Task
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

from inspect_confidence import _registry
from inspect_confidence.commands.plan import plan_run
from inspect_confidence.datasets import fermi, question_sets, questions
from inspect_confidence.datasets.cache import SOURCES, revision_of
from inspect_confidence.datasets.hub import PUBLISHED
from inspect_confidence.metrics import (
    METHODS,
    METRICS,
    NO_ESTIMATE,
    Interval,
    Metric,
    type2,
)
from inspect_confidence.plots.style import FAINT, INK, PAPER, RULE, SERIES
from inspect_confidence.published import read_published
from inspect_confidence.references import entries
from inspect_confidence.studies import (
    COMMON_COLUMNS,
    JudgmentColumn,
    all_studies,
    all_tables,
    study_of,
)
from inspect_confidence.studies.columns import (
    ANSWER,
    CHOICES,
    CLIPPED,
    CONFIDENCE,
    CORRECT,
    HIGH,
    LOW,
    RAW,
    TARGET,
)

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from faults.ledger import ROWS as FAULT_PARTS

DOCS = Path(__file__).parent

# docs/metrics.md

SIZES = (30, 50, 100, 198, 500, 1_319)

_HEAD = """\
# Metrics

This page defines every number in the `metric` column of the results. It gives the method of its 95%
interval and how often that interval contains the true value.

- [measures.md](measures.md) explains the main numbers with examples;
  [api-metrics.md](api-metrics.md) has formulas and array shapes.
- Brackets after a metric's name give the unit and the range of its values, and which are better.
  *Level* is the nominal level of stated intervals, such as 90%, and alpha 1 - level.
- *Undefined* says when a metric is NaN (null in JSON).
- [Judgments](judgments.md#judgments) (answers with their confidence) that could not be read are
  counted in the column `note`, and left out of every metric except those that count them, such as
  `format_failure_rate`.
"""

SUBJECTS = {
    "coverage": "Stated intervals",
    "format_failure_rate": "Replies that could not be read",
    "attempted_share": "Attempting or declining",
    "payoff": "Declining at a target",
    "keep_rate_right": "Withdrawing and betting",
    "right_to_wrong": "Answers after a pushback",
    "coverage_plateau": "Intervals at all levels, and conformal adjustment",
    "accuracy": "Accuracy and calibration",
    "auroc": "Telling right from wrong answers",
    "type2_dprime": "Type-2 sensitivity",
    "top1_value": "Shape of the reports",
    "set_coverage": "Distributions over integers",
    "confidence_truth_correlation": "True probabilities",
    "mean_probability": "Numbers for words",
    "pairwise_consistency": "Words for numbers",
    "mic": "Hedge markers",
    "accuracy_correlation": "Hedge markers, correlations over models",
    "faithfulness": "Faithfulness",
    "grader_failure_rate": "Errors of judges",
    "judge_corrected_accuracy": "Numbers corrected for a judge's errors",
    "difference": "Differences and tests",
    "status_count": "Bins, curves, and results of commands",
}
"""Headings of the lists of metrics, by the first metric of each."""

_COMMON_ENTRIES = 3
"""Number of entries from which their common unit or case of NaN stands above a list of metrics."""

_CHOICE = """
## Which calibration error

| purpose | metric |
|---|---|
| comparison with published numbers | `ece`, or `rms_calibration_error`, which gives large errors \
more weight. Both depend on the bins |
| comparison with tables of Humanity's Last Exam | `hle_calibration_error`, with \
`top_bin=dropped` as in the authors' code, otherwise as in inspect_evals (but judgments with \
equal confidence count with their mean outcome). Below 200 items it has one bin, and is the \
absolute `overconfidence` |
| comparison of models without bins | `smooth_ece`, in the unit of ECE. If confidence takes only \
a few values far apart, it says no more than ECE |
| parts of the Brier score without bins (CORP) | `corp_miscalibration`, which recalibration by \
isotonic regression could remove, and `corp_discrimination`, the gain of recalibrated confidence \
over stating the base rate. A model with higher confidence in wrong answers has discrimination 0 \
and a large miscalibration |
| size of the error with few items | `debiased_squared_error`, for a calibrated model 0 on \
average; do not rank models near 0. All other errors of a calibrated model are above 0 by chance: \
with 200 items, its ECE is .03 on average for confidences from .7 to 1, and .07 from 0 to 1 |
| test | `calibration_p`. Thousands of items reject almost every model, a few dozen only gross \
errors, so a large p shows nothing. The test takes epochs of an item together: if they are \
independent, a calibrated model is rejected in less than 1% of samples, not 5% |
| comparison with stating the base rate | `brier_skill`; below 0, confidence is worse. It is no \
calibration error: it grows with the ability to tell right from wrong answers |
| penalty for confident errors | `log_score`. Above 0.693, confidence is worse than always \
stating 0.5. Compare only runs on the same scale: the half step that keeps the score finite (.005 \
and .995 instead of 0 and 1 on the scale 0-100 and without a scale) depends on it |
| outcomes that are probabilities | [LifeEval's page](life_eval.md#numbers) lists the metrics \
that are defined |
"""

_DECISIONS = """
## Answering only where confidence is high

If only the most confident answers are given and the others rejected:

- `risk_at_coverage` is the error rate among the most confident half, or four fifths, of the
  answers.
- `augrc` ranks models or methods over all coverages (shares of answers given). It depends on
  accuracy and on discrimination; `auroc` depends on discrimination alone.
- `aurc`, the older area under the curve of error rate by coverage, can be ruled by a few errors
  among the most confident answers.
- `prr` makes `aurc` comparable between models of different accuracy: 0 is random rejection, 1 an
  oracle that rejects every wrong answer first. It equals LM-Polygraph's PRR without a limit on
  rejections.

`expected_utility` needs the value of each outcome to you: `summarize --costs
right=1,wrong=-2,abstain=0`. One row has the mean utility of always answering, another that of
answering only if confidence reaches (abstain - wrong)/(right - wrong), the best threshold for
calibrated confidence. `plots.utility` draws the utility of all thresholds, from the frame of
`detail(LOGS, costs=...)`. The highest point of this curve is optimistic, because it is chosen on
the sample.

## Metacognition: which number for which questions

| judgments | metric |
|---|---|
| open questions | `meta_information_corrected`, the bits of information that confidence gives \
about correctness. The uncorrected `meta_information` is too high by about (K-1)/(2 n ln 2) for K \
confidences: by .10 to .17 bits in simulations of 100 judgments with 21 confidences |
| questions with choices | `m_ratio`, the share of the model's evidence that its confidence uses. \
It depends on the threshold that separates high from low confidence. For two choices, `meta_d` \
and its M-ratio (`type1=sdt`) use all confidences, even if the model prefers one choice |
| accuracy only a few points above chance | none: do not interpret M-ratio. It divides by d' (how \
well the model tells the choices apart), which is then near 0 |
| few for each of several models or data sets (units), two choices | the M-ratio of the group, \
and of each unit, shrunk towards it, by `summarize --group-m-ratio` \
([how](use.md#a-group-of-models-or-data-sets)). The plain mean of the units' M-ratios is too \
high, because noise in d' raises a ratio. The method is not for ranking units, for a mixture of \
two kinds of models, for wrong answers with more confidence than right ones, or for d' near 0 |
"""

_JUDGED = """
## When a judge says what is right

A model that grades answers makes errors, which the interval of `accuracy` ignores: with a judge
that is right in 80 to 95% of cases, 95% intervals contained a true accuracy of .1 or .9 in [0 to
54% of simulated samples](validation.md#judges). `summarize --judge-labels PATH`, a file of correct
verdicts (labels) on some answers, adds accuracy, overconfidence and internal confidence corrected
for these errors. Their intervals include the sampling error of the labels:

- **Labels (correct verdicts) of some of the run's own items**, drawn at random (`--judge-labels`
  with a column `item`): prediction-powered inference (PPI++). Prefer these labels, because the
  method assumes nothing about the judge's errors. The interval needs 50 labelled items, eight of
  each outcome.
- **Labels of other answers** that the same judge graded with the same prompt, at least 20 of each
  class: Rogan and Gladen's estimator.

Rogan and Gladen's corrected accuracy is (q + spec - 1)/(sens + spec - 1), where q is the share of
answers that the judge calls right, and sens and spec are the judge's sensitivity and specificity on
the labelled answers. The interval comes from draws of all three from their posterior distributions.
The judge must err as often on the run's answers as on the labelled ones, and equally often at every
confidence: if it is more lenient with confident texts, `judge_corrected_overconfidence` is wrong.

If the labels don't show that the judge can tell right from wrong answers, a number corrected for
its errors is NaN. A corrected share outside [0, 1] is set to the nearer end; the note gives the
original value. Metrics such as ECE and AUROC are not corrected: a hundred labels are too few for
the judge's error rates in each bin of confidence.

## Items in clusters

Several questions on one passage, fillings of one template or claims from one document are not
independent. Intervals that resample items are then too narrow: with five questions on each passage
and passages of very different difficulty, 95% intervals of accuracy contain the true value in only
.65 to .88 of simulated samples.

The column `cluster` of judgments, or `--cluster FIELD` (a field of the samples' metadata, or a
column of a file), names the clusters (groups of dependent items). All intervals and paired
comparisons then resample clusters instead of items, with a note such as "120 clusters of 400 items
are resampled" (400 items in all).

Without these settings, items of `lsat_ar`, `sat_en`, `halueval`, SuperGLUE's BoolQ and users' files
with a column `context` are clustered by their passage. An item without a cluster is its own
cluster.

- **Means** over C clusters have the standard error of Miller (2024, "Adding error bars to evals",
  equation 4) with the factor C/(C - 1), and Student's t with C - 1 degrees of freedom, as Inspect's
  `stderr(cluster="FIELD")` and `ci(cluster=)`.
- **Shares** have Wilson's interval at the effective sample size of the clusters, by Student's t
  with C - 1 degrees of freedom (Korn and Graubard 1998). If at most five clusters have the rarer
  outcome, the effective sample size is at most C.
- **No interval** is given if C is below ten, or below the metric's least number of units.
"""

_INTERVALS = """
## Intervals

The tables list the method of each metric's 95% interval, the least number of units that it needs
(*from*), and its coverage: the share of simulated samples whose interval contains the true value.

- **Units** are the items or whatever else the table names; epochs (repetitions) of an item count as
  one unit.
- **Coverage** (share of intervals that contain the true value): "50: .946-1.000" is the smallest
  and the largest over all simulated designs with 50 units.
- **A percentage in brackets**, given if below 99% in some design, is the share of samples with an
  interval, among samples in which the metric has a value.
- **A letter in brackets** points to the cases in which the interval is [wider than
  needed](#conservative-intervals).

[validation.md](validation.md#intervals-and-tests) has the designs and the least coverage allowed,
[coverage.csv](coverage.csv) every simulation.

An interval always contains the observed value. A metric has no interval, with the reason in `note`,
if its value is undefined, if there are fewer units (items or clusters) than needed, if every
resample gives the same value, or if more than 5% of resamples give no value. Methods used for
several metrics:

| method | interval |
|---|---|
{methods}

**Headline metrics**, such as accuracy, ECE and AUROC, have an interval [in nearly all simulated
samples](#share-of-samples-with-an-interval) in which they have a value. AUROC and M-ratio have no
value if all answers are right, as in half of the samples of 30 items at an accuracy of .98. If all
confidences are equal, AUROC is 0.50, without an interval.

**M-ratio** divides by d' (how well choices are told apart). If the data don't exclude a d' of 0.1
or less, the interval of M-ratio is unbounded on one side or on both, like Fieller's interval of a
ratio, and the interval of a difference of two such M-ratios is unbounded on both sides.

**Pseudo-units.** The bootstrap adds half a unit at each extreme of what can occur, so that an
interval has a width even if a sample contains no error:

| interval of | pseudo-units |
|---|---|
| a number of stated confidence | a quarter of a judgment, both right and wrong, at the lowest \
and at the highest confidence stated; two quarters for type-2 sensitivity, whose formula adds \
half a judgment to each of four counts |
| a mean | units at the ends of its range, or at its smallest and largest unit |
| a difference | an eighth of a pair for each two different extremes, in total half a pair in \
each direction (Agresti and Min 2005) |

At constant confidence, the interval of overconfidence is that confidence minus Jeffreys' interval
of accuracy (Brown, Cai and DasGupta 2001).

**Few right or few wrong answers.** Intervals of AUROC, PRR, `brier_reliability` and
`corp_miscalibration` use Student's t with m - 1 degrees of freedom, where m = 4RW/(R + W), and R
and W are the numbers of right and of wrong units, each plus the half unit that the bootstrap adds.
A sample of m units, half of them right, is as precise (Willer, Li and Abecasis 2010).

**ECE** is biased upwards, also in resamples. The 95% interval of the difference of two ECEs is
therefore from l1 - u2 to u1 - l2, where [l1, u1] and [l2, u2] are the intervals of the two ECEs.
The ends of the interval of a mean ECE over data sets are the means of the data sets' ends. Both
intervals are conservative (wider than needed).
"""
_METHOD_TABLE = """
### {method}, {units}

| metrics | coverage, by number of units |
|---|---|
"""
_OTHER_METHODS = """
### Other methods and least numbers

| metrics | method | from | coverage, by number of units |
|---|---|---|---|
"""
_TABLE_ROWS = 3
"""Number of rows from which a method with a least number of units has a table of its own."""

_HEADLINES = (
    *("accuracy", "mean_confidence", "overconfidence", "ece", "brier", "auroc", "aurc"),
    *("m_ratio",),
)
_CONSERVATIVE = """
### Conservative intervals

These intervals contain the true value in more than 95% of samples:

| letter | in which cases, and why |
|---|---|
"""

_WITHOUT = """
### Metrics without an interval

| metrics | reason |
|---|---|
"""

_PRINTED = """
## Share of samples with an interval

Of the simulated samples in which a headline metric has a value, the table shows the share in which
it also has an interval, by accuracy and number of items. Nine in ten stated confidences are .95 or
1.

"""

_DIFFERENCES = """
### Differences

The table has the coverage of the interval of a difference between two models or methods on the same
items, by the number of items: the smallest and the largest over five pairs of simulated
distributions of confidence. In one of these pairs, both confidences are for the same answers.

"""

_TESTS = """
## Tests

The last column gives how often p was at most .05 in simulations in which the null hypothesis is
true ([levels.csv](levels.csv) has every simulation, also of power).

| test | null hypothesis | p | rejected at 5% |
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
)
"""Name, null hypothesis and p of each test, as `levels.csv` names it."""


@dataclass(frozen=True, kw_only=True)
class CommonFacts:
    """What stands above a list of metrics and is not repeated in its entries.

    Attributes:
        unit_and_range: Unit and range of the values; empty if none stands above the list.
        undefined: Case of NaN, likewise.
        source: Source; "-" if none stands above the list.
    """

    unit_and_range: str
    undefined: str
    source: str

    def sentence(self) -> str:
        """Return the facts as the sentence above the list; empty without any."""
        facts = []
        if self.unit_and_range:
            facts.append(f"{self.unit_and_range}.")
        if self.undefined:
            facts.append(f"Undefined: {self.undefined}.")
        if self.source != "-":
            facts.append(f"Source: {self.source}.")
        return f"*By default:* {' '.join(facts)}" if facts else ""


def entry(metric: Metric, common: CommonFacts) -> str:
    """Return the entry of a metric in its list, without the facts that stand above the list."""
    values = []
    if unit_and_range(metric) != common.unit_and_range:
        values.append(unit_and_range(metric))
    if metric.direction in ("higher", "lower"):
        values.append(f"{metric.direction} is better")
    elif metric.direction != "none":
        values.append(f"best: {metric.direction.removeprefix('target=')}")
    brackets = f" ({', '.join(values)})" if values else ""
    text = f"- **`{metric.name}`**{brackets}: {metric.definition}"
    if metric.undefined != common.undefined:
        text += f" Undefined: {metric.undefined}."
    if metric.source != common.source:
        text += f" Source: {'this package' if metric.source == '-' else metric.source}."
    return text


def unit_and_range(metric: Metric) -> str:
    """Return the unit and the range of a metric's values as text."""
    return f"{metric.unit} in {value_range(metric.low, metric.high)}"


def value_range(low: float, high: float) -> str:
    """Return a range of values as text; infinite ends are not part of it.

    Example:
        >>> value_range(0, 1), value_range(0, math.inf)
        ('[0, 1]', '[0, infinity)')
    """
    left = f"[{low:g}" if math.isfinite(low) else "(-infinity"
    right = f"{high:g}]" if math.isfinite(high) else "infinity)"
    return f"{left}, {right}"


def metrics_page() -> str:
    """Return docs/metrics.md, from the registry and the simulated coverage."""
    lists: dict[str, list[Metric]] = {}
    for metric in METRICS.values():
        if metric.name in SUBJECTS:
            metrics = lists.setdefault(SUBJECTS[metric.name], [])
        metrics.append(metric)
    text = "".join(metric_list(subject, metrics) for subject, metrics in lists.items())
    return _HEAD + text + _CHOICE + _DECISIONS + _JUDGED + intervals() + printed_shares() + tests()


def metric_list(subject: str, metrics: Sequence[Metric]) -> str:
    """Return a list of metrics below its heading and what most of its entries have in common."""
    source, count = Counter(metric.source for metric in metrics).most_common(1)[0]
    common = CommonFacts(
        unit_and_range=_frequent(map(unit_and_range, metrics)),
        undefined=_frequent(metric.undefined for metric in metrics),
        source=source if count >= len(metrics) / 2 else "-",
    )
    head = f"\n## {subject}\n\n"
    if sentence := common.sentence():
        head += fill(sentence, 100, break_on_hyphens=False) + "\n\n"
    return head + "\n\n".join(entry(metric, common) for metric in metrics) + "\n"


def _frequent(texts: Iterable[str]) -> str:
    """Return the commonest of the texts, or an empty one if fewer than `_COMMON_ENTRIES` equal."""
    text, count = Counter(texts).most_common(1)[0]
    return text if count >= _COMMON_ENTRIES else ""


def intervals() -> str:
    """Return the method of each metric's interval, and its simulated coverage."""
    methods = "\n".join(
        f"| `{name}` | {description} |"
        for name, description in METHODS.items()
        if name not in ("own", "none")
    )
    head = _INTERVALS.format(methods=methods)
    rules = {metric.name: metric.interval for metric in METRICS.values()}
    remarks: dict[str, str] = {}
    for rule in rules.values():
        if remark := _conservative_remark(rule):
            remarks.setdefault(remark, ascii_lowercase[len(remarks)])
    text = head + _interval_tables(rules, remarks) + _CONSERVATIVE
    for remark, letter in remarks.items():
        text += f"| ({letter}) | {remark} |\n"
    without: dict[str, list[str]] = {}
    for name, rule in rules.items():
        if rule.method == "none" and rule != NO_ESTIMATE:
            without.setdefault(rule.reason, []).append(f"`{name}`")
    reasons = "".join(f"| {', '.join(names)} | {reason} |\n" for reason, names in without.items())
    return text + _WITHOUT + reasons + _DIFFERENCES + _difference_table()


def _interval_tables(rules: Mapping[str, Interval], remarks: Mapping[str, str]) -> str:
    """Return the tables of metrics with an interval, by method and least number of units."""
    text, other_rows = "", ""
    first_names: dict[str, str] = {}
    for (method, minimum), rows in _interval_rows(rules, remarks).items():
        if method.startswith("`") and len(rows) >= _TABLE_ROWS:
            units = f"from {minimum}" if minimum else "any number of units"
            text += _METHOD_TABLE.format(method=method, units=units)
            text += "".join(f"| {metrics} | {shares} |\n" for metrics, shares in rows)
            continue
        for metrics, shares in rows:
            is_repeated = method in first_names and not method.startswith("`")
            method_cell = f"as {first_names[method]}" if is_repeated else method
            first_names.setdefault(method, metrics.split(",")[0].split(" ")[0])
            other_rows += f"| {metrics} | {method_cell} | {minimum or '-'} | {shares} |\n"
    return text + _OTHER_METHODS + other_rows


def _interval_rows(
    rules: Mapping[str, Interval], remarks: Mapping[str, str]
) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Return metrics and coverage by method and least number of units.

    Metrics with the same method, least number, remark and coverage share a row.

    Args:
        rules: Rule of each metric.
        remarks: Letter of each remark on conservative intervals.
    """
    coverage = pd.read_csv(DOCS / "coverage.csv", keep_default_na=False)
    coverage["metric"] = coverage["metric"].str.split(" ").str[0]
    names_of_cells: dict[tuple[str, str, str, str], list[str]] = {}
    for name, rule in rules.items():
        if rule.method == "none":
            continue
        method = rule.reason if rule.method == "own" else f"`{rule.method}`"
        minimum = f"{rule.min_units} {rule.units}" if rule.min_units else ""
        remark = _conservative_remark(rule)
        letter = f" ({remarks[remark]})" if remark else ""
        shares = _coverage_text(coverage[coverage["metric"] == name])
        if name == "difference":
            shares = "[by metric](#differences)"
        names_of_cells.setdefault((method, minimum, letter, shares), []).append(f"`{name}`")
    rows: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for (method, minimum, letter, shares), names in names_of_cells.items():
        metrics = ", ".join(names) + letter
        rows.setdefault((method, minimum), []).append((metrics, shares))
    return rows


def _coverage_text(simulations: pd.DataFrame) -> str:
    """Return the coverage of a metric's simulations, by number of units; empty without any."""
    texts = []
    for n, of_size in simulations.groupby(simulations["n"].astype(int)):
        share = _share(of_size)
        if share != "-":
            texts.append(f"{n:,}: {share}")
    return "; ".join(texts)


def _conservative_remark(rule: Interval) -> str:
    """Return where a rule's interval, and that of a difference, is conservative."""
    remarks = []
    if rule.conservative:
        remarks.append(rule.conservative)
    if rule.conservative_difference:
        remarks.append(f"for a difference {rule.conservative_difference}")
    return "; ".join(remarks)


def _difference_table() -> str:
    """Return the coverage of differences of each compared metric, by simulated number of items."""
    coverage = pd.read_csv(DOCS / "coverage.csv", keep_default_na=False)
    is_difference = coverage["metric"].str.startswith("difference: ")
    differences = coverage[is_difference & (coverage["printed"] > 0)]
    sizes = [n for n in SIZES if n in set(differences["n"])]
    table = f"| difference of | {' | '.join(f'{n:,}' for n in sizes)} |\n"
    table += "|---" * (len(sizes) + 1) + "|\n"
    names = differences["metric"].str.removeprefix("difference: ").str.split(" ").str[0]
    for name, simulations in differences.groupby(names, sort=False):
        cells = [_share(simulations[simulations["n"] == n]) for n in sizes]
        table += f"| `{name}` | {' | '.join(cells)} |\n"
    return table


def _share(simulations: pd.DataFrame) -> str:
    """Return the smallest and the largest coverage, and the smallest printed share below 99%."""
    reported = simulations[simulations["printed"] > 0]
    if not len(reported):
        return "-"
    shares = reported["held"] / reported["printed"]
    ends = list(dict.fromkeys(f"{share:.3f}".lstrip("0") for share in (shares.min(), shares.max())))
    defined = simulations["simulations"] - simulations["undefined"]
    printed = (simulations["printed"] / defined[defined > 0]).min()
    return "-".join(ends) + (f" ({printed:.0%})" if printed < 0.99 else "")


def printed_shares() -> str:
    """Return the share of samples with a value in which each headline metric has an interval.

    Metrics with the same shares are in one row.
    """
    coverage = pd.read_csv(DOCS / "coverage.csv")
    names = coverage["metric"].str.partition(" ")[0]
    designs = [(accuracy, n) for accuracy in (".5", ".9", ".98") for n in SIZES[:-1]]
    lines = [f"| metric | {' | '.join(f'{accuracy}: {n}' for accuracy, n in designs)} |"]
    lines.append("|---" * (len(designs) + 1) + "|")
    names_of_cells: dict[str, list[str]] = {}
    for name in _HEADLINES:
        cells = []
        for accuracy, n in designs:
            is_design = coverage["design"] == f"high reports, accuracy {accuracy}"
            rows = coverage[(names == name) & is_design & (coverage["n"] == n)]
            defined = rows["simulations"] - rows["undefined"]
            share = (rows["printed"] / defined)[defined > 0].min()
            cells.append(f"{share:.2f}")
        names_of_cells.setdefault(" | ".join(cells), []).append(f"`{name}`")
    for cells_text, equal_names in names_of_cells.items():
        lines.append(f"| {', '.join(equal_names)} | {cells_text} |")
    return _PRINTED + "\n".join(lines) + "\n"


def tests() -> str:
    """Return each test with its null hypothesis and its simulated level."""
    levels = pd.read_csv(DOCS / "levels.csv")
    lines = []
    for name, null, p in _TESTED:
        simulations = levels[levels["test"].str.startswith(name) & ~levels["power"]]
        shares = simulations["rejected"] / simulations["simulations"]
        level = f"{shares.min():.3f} to {shares.max():.3f} ({len(simulations)} designs)"
        lines.append(f"| {name} | {null} | {p} | {level if len(simulations) else '-'} |")
    return _TESTS + "\n".join(lines) + "\n"


# docs/published.md

MARK = "<!-- docs/generate.py writes what follows -->\n"

_COVERAGE = """
| study | printed | held | computed here | tables computed in full | in part | not computed |
|---|---|---|---|---|---|---|
"""
_NOT_PRODUCED = """
### Not computed here

| task | metric | reason |
|---|---|---|
"""

_CITED = re.compile(r".*?(\(\d{4}\)|npj Complexity), (arXiv [\d.]+, |repository, )?")
_LEFT_OUT = {
    ("wep_probes", "analysis/rq1/Chinese_KL_Divergence.csv"): 17 * 5,
    ("wep_probes", "analysis/rq1/Gender_BM_Theta.csv"): 17 * 8 * 3,
}
"""Known figures that are not included: words times comparisons, with their intervals."""


def tables_of(source: str) -> list[str]:
    """Return the tables, or other places, that a figure's source names.

    Example:
        >>> tables_of("Dai (2026), arXiv 2603.09309, Tables 1, 13")
        ['Table 1', 'Table 13']
    """
    place = _CITED.sub("", source, count=1)
    numbers = re.fullmatch(r"Tables? (\d+(?:, \d+)*)", place)
    return [f"Table {number}" for number in numbers[1].split(", ")] if numbers else [place]


def published_tables() -> str:
    """Return the tables at the end of docs/published.md: figures held, and those not computed."""
    study_of = {table.task: study.name for study in all_studies() for table in study.tables}
    included, computed = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    figures = read_published()
    for figure in figures.to_dict("records"):
        numbers = 3 if math.isfinite(figure["ci_low"]) else 1
        for table in tables_of(figure["source"]):
            place = study_of[figure["task"]], table
            included[place] += numbers
            computed[place] += 0 if figure["not_produced"] else numbers
    printed = included + Counter(_LEFT_OUT)
    places: dict[str, list[str]] = {}
    for study, table in sorted(printed, key=_in_order):
        places.setdefault(study, []).append(table)
    lines = []
    for study, tables in places.items():
        totals = [
            f"{sum(counts[study, table] for table in tables):,}"
            for counts in (printed, included, computed)
        ]
        texts: dict[str, list[str]] = {"in full": [], "in part": [], "not": []}
        for table in tables:
            count, computed_count = printed[study, table], computed[study, table]
            if computed_count == count:
                texts["in full"].append(f"{table} ({count:,})")
            elif computed_count:
                texts["in part"].append(f"{table} ({computed_count:,} of {count:,})")
            elif (study, table) in _LEFT_OUT:
                texts["not"].append(f"{table} ({count:,}, not held)")
            else:
                texts["not"].append(f"{table} ({count:,})")
        cells = [_joined_tables(group) or "-" for group in texts.values()]
        lines.append(f"| {' | '.join([study, *totals, *cells])} |")
    not_computed = figures[figures["not_produced"] != ""]
    reasons = []
    for reason, rows in not_computed.groupby("not_produced", sort=False):
        tasks = ", ".join(f"`{task}`" for task in rows["task"].unique())
        names = ", ".join(f"`{name}`" for name in rows["metric"].unique())
        reasons.append(f"| {tasks} | {names} | {reason} |")
    return _COVERAGE + "\n".join(lines) + "\n" + _NOT_PRODUCED + "\n".join(reasons) + "\n"


def _joined_tables(texts: Sequence[str]) -> str:
    """Return counts of tables as one text, with the word "Tables" before the first numbered one.

    Example:
        >>> _joined_tables(["Table 1 (91)", "Table 3 (45)", "text 5.1 (8)"])
        'Tables 1 (91), 3 (45); text 5.1 (8)'
    """
    numbered = [text for text in texts if re.match(r"Table \d+ \(", text)]
    others = [text for text in texts if text not in numbered]
    if len(numbered) < 2:
        return "; ".join(texts)
    joined = ", ".join(text.removeprefix("Table ") for text in numbered)
    return "; ".join([f"Tables {joined}", *others])


def _in_order(place: tuple[str, str]) -> tuple[str, bool, list[int], str]:
    study, table = place
    return study, not table.startswith("Table"), [*map(int, re.findall(r"\d+", table))], table


# docs/cards.md

_CARDS_HEAD = """\
# Cards

This page has the data, settings, cost and prompts of each task, for a methods section or an audit.
`make docs` writes it from the code; [`reproduce`](reproduce.md) compares a log with the installed
package.

## Tasks

The last column counts and links deviations from the study. Settings that are not listed are the
provider's defaults.

| task | version | data by default | settings | deviations |
|---|---|---|---|---|
"""

_CARDS_STUDIES = """
| task | study that it follows |
|---|---|
"""

_CARDS_COST = """
## Cost

`inspect-confidence plan` prints these counts, here for arguments that need no download:

| `plan` | cost |
|---|---|
"""

_CARDS_PROMPTS = """
## Prompts

The sha256 of the module that holds the wording:

| file | tasks | sha256 |
|---|---|---|
"""

_CARDS_DATA = """
## Data

Bundled files are written for this project and under its licence (MIT), except the life table of the
United States' Social Security Administration (`ssa_2022.csv`, public domain) and the counts of the
survey of words (`wep_survey.csv`; counted from [published answers](wep_probes.md) that state no
licence). All other files are downloaded once to the folder `INSPECT_CONFIDENCE_DATA` (default: the
platform's cache), checked against their sha256, and never passed on. The table below has most of
them, `datasets/sources.toml` all.

Licences are those that the sources state, to our knowledge: check them before you share items.
Questions from exams or books have rights of their own. In the table, a revision is the first digits
of a commit, and a file's name is followed by the first twelve digits of its sha256. A file without
these digits is pinned by its revision alone; the log of a run has its sha256.

| data set | licence | revision | files |
|---|---|---|---|
"""

CARD_ARGUMENTS: Mapping[str, Mapping[str, str]] = {
    "fermi_eval": {"dataset": "bundled"},
    "scale_variants": {"dataset": "bundled"},
    "wep_elicitation": {},
    "wep_choice": {},
    "life_eval": {},
    "question_sets": {},
    "hedge_markers": {"dataset": "bundled"},
    "judge_check": {},
    "abstain": {},
    "simple_qa": {"dataset": "facts"},
    "commitment": {},
    "with_confidence": {"task": "examples/quiz.py"},
}
"""Arguments of each task with which it needs no download."""

_CARD_PAGES = {
    "wep_elicitation": "wep_probes",
    "wep_choice": "wep_probes",
    "judge_check": "hedge_markers",
    "abstain": "decisions",
    "simple_qa": "decisions",
    "commitment": "decisions",
    "with_confidence": "any_eval",
}
_CARD_REFERENCES = {"simple_qa": "wei2024simpleqa", "commitment": "cacioli2026battery"}
"""BibTeX key of the study that a task follows, if it isn't that of the study's other tasks."""

_DEVIATIONS = "## Deviations from the study, and why\n"

LICENCES = {
    "scioly": "MIT, of the collection",
    "mmlu": "MIT",
    "gsm8k": "MIT",
    "truthfulqa": "Apache 2.0",
    "boolq": "CC BY-SA 3.0",
    "sciq": "CC BY-NC 3.0",
    "lsat_ar": "of the exam's publisher",
    "sat_en": "of the exam's publisher",
    "halueval": "MIT",
    "popqa": "MIT",
    "selfaware": "CC BY-SA 4.0",
    "simpleqa": "MIT",
    "ambignq": "CC BY-SA 3.0",
    "arc_challenge": "CC BY-SA 4.0",
    "superglue": "of its parts",
    "wnli": "of the Winograd schemas",
}
"""Licence of each data set, as its source states it."""


def cards_page() -> str:
    """Return docs/cards.md, from the tasks and the pinned files."""
    with chdir(DOCS.parent):
        tasks = {
            name: getattr(_registry, name)(**arguments)
            for name, arguments in CARD_ARGUMENTS.items()
        }
        costs = [_cost_row(name) for name in tasks]
    parts = {
        _CARDS_HEAD: [_task_row(name, task) for name, task in tasks.items()],
        _CARDS_STUDIES: _study_lines(tasks),
        _CARDS_COST: costs,
        _CARDS_PROMPTS: _prompt_rows(tasks),
        _CARDS_DATA: [*_downloaded_files(), _bundled_files()],
    }
    return "".join(head + "".join(f"{line}\n" for line in lines) for head, lines in parts.items())


def _task_row(name: str, task: Task) -> str:
    page_name = _CARD_PAGES.get(name, name)
    version = "the eval's own" if "confidence" in (task.metadata or {}) else f"{task.version}"
    data = _default_data(getattr(_registry, name))
    settings = task.config.model_dump(exclude_none=True)
    cells = (
        f"[`{name}`]({page_name}.md)",
        version,
        f"`{data}`",
        ", ".join(f"{key}={value}" for key, value in settings.items()) or "-",
        _deviations(page_name),
    )
    return f"| {' | '.join(cells)} |"


def _study_lines(tasks: Mapping[str, Task]) -> list[str]:
    """Return a row for each study, with the tasks that follow it."""
    names_by_study: dict[str, list[str]] = {}
    for name in tasks:
        if reference := _study_reference(name):
            names_by_study.setdefault(reference, []).append(f"`{name}`")
    return [f"| {', '.join(names)} | {study} |" for study, names in names_by_study.items()]


def _study_reference(name: str) -> str:
    """Return title and address of the study that a task follows, or an empty text."""
    (table,) = (table for table in all_tables().values() if table.function == name)
    key = _CARD_REFERENCES.get(name)
    reference = entries()[key] if key else study_of(table.task).reference
    title = re.search(r"title = (.*),", reference)
    arxiv = re.search(r"eprint = \{(.*?)\}", reference)
    text = title[1].replace("{", "").replace("}", "") if title else ""
    return text + (f", [arXiv {arxiv[1]}](https://arxiv.org/abs/{arxiv[1]})" if arxiv else "")


def _prompt_rows(tasks: Mapping[str, Task]) -> list[str]:
    """Return a row for each file of prompts, with the tasks that use it."""
    names_by_file: dict[tuple[str, str], list[str]] = {}
    for name, task in tasks.items():
        metadata: Mapping[str, Any] = task.metadata or {}
        provenance = metadata.get("confidence", metadata)["provenance"]
        for file in provenance["prompts"].items():
            names_by_file.setdefault(file, []).append(f"`{name}`")
    return [
        f"| `{file}` | {', '.join(names)} | {digest} |"
        for (file, digest), names in names_by_file.items()
    ]


def _default_data(function: Callable[..., Task]) -> str:
    """Return the default of the argument that names the data."""
    parameters = signature(function).parameters
    arguments = ("dataset", "table", "parts", "task")
    (name,) = (argument for argument in arguments if argument in parameters)
    return f"{name}={parameters[name].default or '...'}"


def _cost_row(name: str) -> str:
    """Return a command and the calls and tokens that it counts."""
    arguments = [f"{key}={value}" for key, value in CARD_ARGUMENTS[name].items()]
    lines = [" ".join(line.split()) for line in plan_run(name, arguments).splitlines()]
    counts = ("calls:", "tokens:", "judge:")
    count_lines = (line.partition(" (4 characters")[0] for line in lines if line.startswith(counts))
    command = " ".join([name, *(f"-T {argument}" for argument in arguments)])
    return f"| `{command}` | {'<br>'.join(count_lines)} |"


def _deviations(page_name: str) -> str:
    text = (DOCS / f"{page_name}.md").read_text(encoding="utf-8")
    if _DEVIATIONS not in text:
        return "-"
    section = text.split(_DEVIATIONS)[1].split("\n## ")[0]
    count = len(re.findall(r"^- ", section, re.MULTILINE))
    return f"[{count}]({page_name}.md#deviations-from-the-study-and-why)"


def _downloaded_files() -> list[str]:
    """Return a row for each data set and revision; a file of several data sets is listed once."""
    files_of: list[tuple[str, Sequence[str]]] = [("scioly", fermi.FILES["scioly"])]
    files_of += [(name, questions.FILES[name]) for name in ("mmlu", "gsm8k", "truthfulqa")]
    files_of += [(name, [file]) for name, file in question_sets.ITEMS.items()]
    files_of += [(published.name, published.files) for published in PUBLISHED.values()]
    names: dict[str, str] = {}
    for name, files in files_of:
        for file in files:
            names.setdefault(file, name)
    files_by_source: dict[tuple[str, str], list[str]] = {}
    for file, name in names.items():
        source = SOURCES[file]
        text = f"{file} {(source.sha256 or '')[:12]}".strip()
        files_by_source.setdefault((name, revision_of(source)[:12] or "-"), []).append(text)
    return [
        f"| {name} | {LICENCES[name]} | {revision} | {'<br>'.join(files)} |"
        for (name, revision), files in files_by_source.items()
    ]


def _bundled_files() -> str:
    """Return the row of the files that the package contains."""
    folder = resources.files("inspect_confidence.datasets") / "bundled"
    files = []
    for file in sorted(folder.iterdir(), key=lambda path: path.name):
        if file.name.endswith((".jsonl", ".csv")):
            files.append(f"{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()[:12]}")
    return f"| bundled | as above | - | {'<br>'.join(files)} |"


# docs/reliability.md

_RELIABILITY_HEAD = """\
# Reliability

What happens if calls fail, a run is killed, the network breaks or a file is damaged? Tests inject
such faults. A row of the tables is one fault, or several with the same outcome;
[faults.csv](faults.csv) lists each.

- *Injected* counts how often a fault was injected; 3 x 5 are three faults, five times each.
- *Held*: every time, the command ended as described and without a traceback, guessed no value, and
  lost nothing but what the row names after *lost*. An exception would be shown as "18 of 20 held".
- *Status*: the recorded [outcome of a reply](reading.md#statuses); `grader_failed` means that a
  judge gave no verdict. `eval-retry` and `score` are commands of `inspect`.

`make thorough` repeats all faults in hours, `make validate` a part of each in minutes. A single row
is repeated by its test, such as that of killed runs:

    KILL_POINTS=20 pytest -m slow tests/faults/test_kills.py

Tests under other versions of Python and of the dependencies, by hand and in continuous integration:

| versions | command | tests that passed |
|---|---|---|
| Python 3.12.1 and 3.13.0, numpy 2.5, pandas 3.1 | `make test PYTHON=python3.12` | 2,683 each |
| Python 3.11.7, lowest versions that pyproject.toml declares | `make lowest` | 2,465 of 2,465 |
| Debian's Python 3.11.2 | `pytest tests/answers` | 254 of 254 |

Python 3.14 is not tested.
"""
_LISTED_DETAILS = 4
"""Number of details that a row of faults lists; of more it gives only the number."""


def reliability_page() -> str:
    """Return docs/reliability.md, from docs/faults.csv."""
    faults = pd.read_csv(DOCS / "faults.csv", keep_default_na=False)
    sections = []
    for part, title in FAULT_PARTS.items():
        faults_of_part = faults[faults["part"] == part]
        if len(faults_of_part):
            sections.append(_fault_table(title, faults_of_part))
    return _RELIABILITY_HEAD + "".join(sections)


def _fault_table(title: str, faults: pd.DataFrame) -> str:
    head = f"\n## {title}\n\n"
    joined = _with_joined_kinds(_with_joined_details(faults))
    losses = joined["lost"].unique()
    common_loss = losses[0] if len(losses) == 1 and len(joined) > 1 else "nothing"
    if common_loss != "nothing":
        head += f"**Lost** by each fault: {common_loss}.\n\n"
    rows = "| fault | injected | what happens |\n|---|---|---|\n"
    for row in joined.to_dict("records"):
        count = f"{row['times']}{row['injected']:,}"
        if row["held"] < row["injected"]:
            count = f"{row['times']}{row['held']:,} of {row['injected']:,} held"
        lost = "" if row["lost"] in ("nothing", common_loss) else f"; **lost**: {row['lost']}"
        rows += f"| {row['fault']} | {count} | {row['happened']}{lost} |\n"
    return head + rows


def _with_joined_details(faults: pd.DataFrame) -> pd.DataFrame:
    """Join faults with the same words before the colon and the same outcome into a row."""
    parts = faults["fault"].str.partition(": ")
    faults = faults.assign(kind=parts[0], detail=parts[2])
    groups = faults.groupby(["kind", "happened", "lost"], sort=False)
    return groups.agg(
        injected=("injected", "sum"), held=("held", "sum"), detail=("detail", _detail_text)
    ).reset_index()


def _detail_text(details: pd.Series) -> str:
    """Return the details of joined faults as a list, or their number if they are many."""
    if len(details) > _LISTED_DETAILS:
        return f"{len(details)} cases"
    return ", ".join(details)


def _with_joined_kinds(faults: pd.DataFrame) -> pd.DataFrame:
    """Join faults that differ only in a few words before the colon into a row.

    The column `times` has their number; the counts are those of each.
    """
    rows = []
    columns = ["happened", "lost", "detail", "injected", "held"]
    for common, group in faults.groupby(columns, sort=False):
        texts = [f"{kind} : {common[2]}" if common[2] else kind for kind in group["kind"]]
        joined = joined_text(texts)
        for text in [joined] if joined else texts:
            fault = text.replace(" : ", ": ")
            row = dict(zip(columns, common, strict=True))
            row["fault"] = fault[0].upper() + fault[1:]
            row["times"] = f"{len(texts)} x " if joined else ""
            rows.append(row)
    return pd.DataFrame(rows)


def joined_text(texts: Sequence[str]) -> str:
    """Return texts as one with the words that differ in a row; empty if they have little in common.

    Example:
        >>> joined_text(["calls to openai fail", "calls to google fail"])
        'calls to openai or google fail'
        >>> joined_text(["a full disk", "a read-only target"])
        ''
    """
    words = [text.split() for text in texts]
    first = _common_length(words)
    last = _common_length([row[: first - 1 : -1] if first else row[::-1] for row in words])
    middles = [" ".join(row[first : len(row) - last]) for row in words]
    if first + last < 2 or "" in middles or "," in "".join(middles):
        return ""
    choice = ", ".join(middles[:-1]) + f" or {middles[-1]}"
    return " ".join([*words[0][:first], choice, *words[0][len(words[0]) - last :]])


def _common_length(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of first elements that are the same in all rows."""
    length = 0
    for elements in zip(*rows, strict=False):
        if len(set(elements)) > 1:
            break
        length += 1
    return length


# docs/images/cost.svg

_STORE_TABLE = r"summarize of a store: .*?GiB +target\n(.*?)\n\n"
_PLAIN_NUMBER = StrMethodFormatter("{x:,.0f}")


def store_costs(page: str) -> list[tuple[float, float, float]]:
    """Return judgments, seconds and GiB of each line of the table in docs/benchmarks.md."""
    (table,) = re.findall(_STORE_TABLE, page, re.DOTALL)
    lines = [line.strip().replace(",", "") for line in table.splitlines()]
    rows = [re.split(r"\s{2,}", line) for line in lines]
    return [(float(row[2]), float(row[3]), float(row[5])) for row in rows]


def cost_figure(costs: list[tuple[float, float, float]]) -> Figure:
    """Draw processor seconds against judgments, each point with its memory."""
    judgments, seconds, _ = zip(*costs, strict=True)
    figure = Figure((5.5, 3.2), facecolor=PAPER, layout="constrained")
    axes = figure.subplots()
    axes.loglog(judgments, seconds, marker="o", color=SERIES[0])
    offset: dict[str, Any] = {"xytext": (-16, 8), "textcoords": "offset points", "ha": "center"}
    for x, y, gib in costs:
        axes.annotate(f"{y:g} s, {gib:.2f} GiB", (x, y), color=INK, fontsize=8, **offset)
    axes.set(xlabel="judgments", ylabel="processor time (s)", facecolor=PAPER)
    axes.set_xlim(min(judgments) / 6, max(judgments) * 4)
    axes.set_ylim(min(seconds) / 2, max(seconds) * 2.5)
    axes.xaxis.set_major_formatter(_PLAIN_NUMBER)
    axes.yaxis.set_major_formatter(_PLAIN_NUMBER)
    axes.grid(color=RULE, linewidth=0.6)
    axes.tick_params(colors=FAINT, which="both")
    axes.spines[["top", "right"]].set_visible(False)
    return figure


# Writing


def write_metrics() -> None:
    """Write docs/metrics.md."""
    (DOCS / "metrics.md").write_text(metrics_page(), encoding="utf-8")


def write_published() -> None:
    """Write the end of docs/published.md; the text above the mark is written by hand."""
    path = DOCS / "published.md"
    text = path.read_text(encoding="utf-8").split(MARK)[0]
    path.write_text(text + MARK + published_tables(), encoding="utf-8")


def write_cards() -> None:
    """Write docs/cards.md."""
    (DOCS / "cards.md").write_text(cards_page(), encoding="utf-8")


def write_reliability() -> None:
    """Write docs/reliability.md."""
    (DOCS / "reliability.md").write_text(reliability_page(), encoding="utf-8")


def write_cost() -> None:
    """Write docs/images/cost.svg; equal figures give an equal file."""
    (DOCS / "images").mkdir(exist_ok=True)
    figure = cost_figure(store_costs((DOCS / "benchmarks.md").read_text("utf-8")))
    with rc_context({"svg.hashsalt": "cost", "svg.fonttype": "none"}):
        figure.savefig(DOCS / "images" / "cost.svg", metadata={"Date": None})


def write_notebook() -> None:
    """Run docs/notebook.ipynb in its folder and keep its outputs, without times and versions."""
    # The other pages need no Jupyter.
    import nbformat  # noqa: PLC0415
    from nbclient import NotebookClient  # noqa: PLC0415

    # tqdm, which Inspect imports, warns of missing widgets.
    os.environ["PYTHONWARNINGS"] = "ignore:IProgress"
    path = DOCS / "notebook.ipynb"
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(DOCS)}},
    )
    client.execute()
    notebook.metadata.pop("language_info", None)
    nbformat.write(notebook, path)


_COLUMN_TABLE = re.compile(r"(<!-- columns of (?P<task>.+?) -->\n)(?:\|.*\n)*")


def with_column_tables(page: str) -> str:
    """Return docs/judgments.md with the tables of columns that the tasks' records declare.

    A table stands below a comment that names its task. Its last row names the shared columns.
    """
    tables = {"every task": _column_table(COMMON_COLUMNS)}
    tables["several tasks"] = _column_table(_SHARED_COLUMNS)
    for name, task in all_tables().items():
        task_columns = [column for column in task.columns if column not in _SHARED_COLUMNS]
        shared = [f"`{column.name}`" for column in task.columns if column in _SHARED_COLUMNS]
        tables[name] = _column_table(task_columns)
        if shared:
            tables[name] += f"| {', '.join(shared)} | | [columns of several tasks]({_SHARED}) |\n"
    return _COLUMN_TABLE.sub(lambda match: match[1] + tables[match["task"]], page)


_SHARED_COLUMNS = (LOW, HIGH, RAW, CONFIDENCE, CLIPPED, ANSWER, TARGET, CHOICES, CORRECT)
_SHARED = "#columns-of-several-tasks"
_UNITS = {"number": "number", "text": "", "flag": "true or false"}


def _column_table(columns: Sequence[JudgmentColumn]) -> str:
    """Return a table of columns, of which neighbours with the same unit and meaning share a row."""
    rows = ["| column | unit | meaning |", "|---|---|---|"]
    for (unit, meaning), group in groupby(columns, key=_unit_and_meaning):
        names = ", ".join(f"`{column.name}`" for column in group)
        rows.append(f"| {names} | {unit} | {meaning} |")
    return "\n".join(rows) + "\n"


def _unit_and_meaning(column: JudgmentColumn) -> tuple[str, str]:
    return column.unit or _UNITS[column.kind], column.meaning


def write_columns() -> None:
    """Write the tables of columns in docs/judgments.md."""
    path = DOCS / "judgments.md"
    path.write_text(with_column_tables(path.read_text("utf-8")), "utf-8")


def write_curves() -> None:
    """Write the curves of the ideal observers that the package reads instead of computing them."""
    curves = [type2.compute_curves(number) for number in type2.SHIPPED_ALTERNATIVES]
    np.save(Path(type2.__file__).with_name("afc_curves.npy"), np.array(curves, np.float32))


WRITERS: Mapping[str, Callable[[], None]] = {
    "metrics": write_metrics,
    "published": write_published,
    "cards": write_cards,
    "columns": write_columns,
    "reliability": write_reliability,
    "cost": write_cost,
    "curves": write_curves,
    "notebook": write_notebook,
}
"""Writer of each generated page, picture or table."""


if __name__ == "__main__":
    for name in sys.argv[1:] or WRITERS:
        WRITERS[name]()
