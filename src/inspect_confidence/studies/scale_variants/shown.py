"""Tables, figures and headlines of the scale study."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from math import isnan

import pandas as pd

from inspect_confidence.printing import ALIKE_TEXT, STARS_TEXT, stars
from inspect_confidence.results import Result, ResultRow, ResultTable
from inspect_confidence.scales import BASELINE, GROUPS
from inspect_confidence.studies.bins import report_shares
from inspect_confidence.studies.calibration import TYPE1
from inspect_confidence.studies.display import (
    ACCURACY,
    AUROC,
    CALIBRATION_COLUMNS,
    ECE,
    ENTROPY,
    FORMAT_FAILURES,
    OUT_OF_RANGE,
    REPORT_COLUMNS,
    ROUND,
    UTILIZATION,
    highest_threshold,
    reliability_figure,
    sensitivity_columns,
    type2_figure,
    utility_figure,
)
from inspect_confidence.studies.scale_variants.numbers import MEAN, scale_sort_key
from inspect_confidence.studies.stated import (
    complete_judgments,
    confidence_detail,
)
from inspect_confidence.studies.study import (
    Clause,
    FigureSpec,
    Headline,
    Resampling,
    View,
    calibration_clauses,
)
from inspect_confidence.studies.tables import (
    NOTHING,
    Cell,
    Column,
    TableSpec,
    join_title,
    views_with_lines,
)

_TASK = "scale_variants"
ALL_SETS = "all"
"""Value of `dataset` in shares of reports over all data sets together."""
_BASELINE_SCALE = str(BASELINE)
_SCALE_GROUPS = {name: list(map(str, scales)) for name, scales in GROUPS.items()}
_GRANULARITY, _NONSTANDARD = _SCALE_GROUPS["granularity"], _SCALE_GROUPS["nonstandard"]
_LINE_KEYS = ("model", "variant", "dataset")

_NOT_COMMON = Column("items_not_common", "items not common", 0)
_ECE_COLUMNS = (
    Column("ece", "10 bins", 3),
    Column("ece", "15 bins", 3, where={"bins": "15"}),
    Column("ece", "20 bins", 3, where={"bins": "20"}),
    Column("ece", "10 + 1 bins", 3, where={"bins": "11"}),
    Column("ece", "10 of equal mass", 3, where={"binning": "equal_mass"}),
)
_VIOLATION_COLUMNS = (OUT_OF_RANGE, Column("clip_rate", "clipped", 3), FORMAT_FAILURES)
_DIFFERENCE_METRICS = ("accuracy", "mean_confidence", "ece", "brier", "auroc")


def scale_tables(results: pd.DataFrame) -> list[View]:
    """Return the study's tables of all models, then calibration, reports and tests of each."""
    rows = ResultTable.from_frame(results)
    threshold = highest_threshold(rows)  # from which on confidence counts as high
    adjusted = "p_holm"
    # Permutation tests are reported as in the study, with Bonferroni's adjustment.
    if any("test=permutation" in variant.split(";") for variant in rows.values("variant")):
        adjusted = "p_bonferroni"
    specs = [*_TablesOfAllModels.from_rows(rows, threshold, adjusted).specs()]
    for names, model_rows in rows.groups("model", "variant"):
        specs += _tables_of_model(join_title(*names), model_rows, threshold, adjusted)
    return views_with_lines(specs)


_ADJUSTMENT_NAMES = {
    "p_holm": "Holm's adjustment",
    "p_bonferroni": "Bonferroni's adjustment, by permutation,",
}
"""Name in captions of each metric of adjusted p, which stars and columns of p show."""


@dataclass(frozen=True)
class _TablesOfAllModels:
    """The study's tables of all models; most show the mean over data sets, or the only data set.

    Attributes:
        rows: Rows of results.
        mean_rows: For each model and variant the rows of the mean over data sets, or all rows if
            there is no mean.
        used_scales: Scales of the rows, in the study's order.
        threshold: Confidence from which on confidence counts as high in type-2 sensitivity.
        adjusted: Metric of p adjusted over scales, a key of `_ADJUSTMENT_NAMES`.
    """

    rows: ResultTable
    mean_rows: ResultTable
    used_scales: Sequence[str]
    threshold: str
    adjusted: str

    @classmethod
    def from_rows(cls, rows: ResultTable, threshold: str, adjusted: str) -> "_TablesOfAllModels":
        """Find the rows of means and the scales that were used in rows of results.

        A model with one data set has no mean; all its rows stand in the tables of means. The fields
        `threshold` and `adjusted` are as given.
        """
        with_mean = {(row["model"], row["variant"]) for row in rows.matching(dataset=MEAN)}
        mean_rows = []
        for row in rows:
            if row["dataset"] == MEAN or (row["model"], row["variant"]) not in with_mean:
                mean_rows.append(row)
        used_scales = sorted(filter(None, rows.values("scale")), key=scale_sort_key)
        return cls(rows, ResultTable(mean_rows), used_scales, threshold, adjusted)

    def specs(self) -> Iterator[TableSpec]:
        """Yield the tables that the study prints, titled by their numbers in the study.

        Stars and p-values (the metric `adjusted`, adjusted over scales) are those of a scale's
        difference from the baseline, 0-100. Tables show only scales that were used.
        """
        adjusted, baseline = self.adjusted, _BASELINE_SCALE
        meta_d, m_ratio, *_ = _sensitivity(self.rows, self.threshold)
        meta_d, m_ratio = _add_stars(meta_d, adjusted), _add_stars(m_ratio, adjusted)
        sensitivity = [meta_d, m_ratio]
        odd_columns = [ROUND, OUT_OF_RANGE, *sensitivity]  # for scales with odd ends
        # The tests of meta-d' and M-ratio against the baseline: p-values, then tested differences.
        meta_d_p, m_ratio_p = (_test_column(adjusted, "p", measure) for measure in sensitivity)
        meta_d_difference, m_ratio_difference = (
            _test_column("difference", "difference", measure) for measure in sensitivity
        )
        columns = [*REPORT_COLUMNS, ACCURACY, AUROC, ECE, *sensitivity, _NOT_COMMON]
        baseline_rows = self.rows.matching(scale=baseline)
        yield self.table("Tables 1 and 8 to 10, scale 0-100", baseline_rows, _LINE_KEYS, columns)
        test_columns = [meta_d, meta_d_p, m_ratio, m_ratio_p]
        yield self.table_by_scale("Table 2, granularity", _GRANULARITY, test_columns)
        boundary = [baseline, *_SCALE_GROUPS["boundary"]]
        yield self.table_by_scale("Table 3, boundary", boundary, [*sensitivity, UTILIZATION])
        scales = [baseline, *_NONSTANDARD[:3]]  # the study shows its five in two tables
        yield self.table_by_scale("Table 4, non-standard scales", scales, odd_columns)
        scales = [baseline, *_NONSTANDARD[3:]]
        yield self.table_by_scale("Table 5, odd bounds", scales, odd_columns)
        ece = _add_stars(ECE, adjusted)
        yield self.table_across_scales("Table 11, ECE", self.mean_rows, ece)
        yield self.table_across_scales("Table 12, M-ratio", self.rows, m_ratio)
        spread = Column("accuracy_spread", "spread (percentage points)", 1)
        yield self.table_across_scales("Table 13, accuracy", self.mean_rows, ACCURACY, spread)
        columns = [*sensitivity, ECE, UTILIZATION]
        yield self.table_by_scale("Table 14, 60-100", [baseline, "60-100"], columns)
        columns = [*odd_columns, ENTROPY]
        yield self.table_by_scale("Table 15, 3-38", [baseline, "3-38"], columns)
        test_columns = [meta_d, meta_d_difference, meta_d_p, m_ratio, m_ratio_difference, m_ratio_p]
        other_scales = [*{*self.used_scales} - {baseline}]
        yield self.table_by_scale("Table 16, differences from 0-100", other_scales, test_columns)
        percent = replace(OUT_OF_RANGE, digits=1, factor=100, interval=False)
        yield self.table_across_scales("Table 17, out of range (%)", self.mean_rows, percent)

    def table_by_scale(
        self, title: str, scales: Sequence[str], columns: Sequence[Column]
    ) -> TableSpec:
        """Specify a table with lines by scale; it has none if only the baseline was used."""
        compared_scales = {*self.used_scales}.intersection(scales) - {_BASELINE_SCALE}
        rows = self.mean_rows.among("scale", scales if compared_scales else ())
        return self.table(title, rows, (*_LINE_KEYS, "scale"), [*columns, _NOT_COMMON])

    def table_across_scales(
        self, title: str, rows: ResultTable, measure: Column, *more: Column
    ) -> TableSpec:
        """Specify a table with a column of the measure for each scale, then the columns `more`.

        The scales are those of different granularity, but all used scales for the share of reports
        out of range. The last column counts, over all scales, items that another model or scale was
        not asked. There is no line if only the baseline was used.
        """
        has_all_scales = measure.metric == OUT_OF_RANGE.metric
        scales = self.used_scales if has_all_scales else _GRANULARITY
        present_scales = [scale for scale in scales if scale in self.used_scales]
        columns = [
            replace(measure, heading=scale, where={**measure.where, "scale": scale})
            for scale in present_scales
        ]
        not_common = replace(_NOT_COMMON, where={"scales": "all"})
        rows = rows if {*present_scales} - {_BASELINE_SCALE} else ResultTable([])
        return self.table(title, rows, _LINE_KEYS, [*columns, *more, not_common])

    def table(
        self, title: str, rows: ResultTable, lines: Sequence[str], columns: Sequence[Column]
    ) -> TableSpec:
        """Specify a table without empty columns; the fields `lines` name a line."""
        shown_metrics = {column.metric for column in columns}
        return _table_spec(
            title,
            # Stars behind numbers need the adjusted p-values.
            rows.among("metric", {*shown_metrics, self.adjusted}),
            lines,
            columns,
            caption=partial(_caption, self.threshold, self.adjusted, columns),
            layout=_columns_with_content,
        )


def _add_stars(column: Column, adjusted: str) -> Column:
    """Return the column with stars for the adjusted p of the difference from the baseline.

    `adjusted` is the metric of that p; a row of p has the column's metric as `of`.
    """
    test = {"metric": adjusted, "of": column.metric, "versus": _BASELINE_SCALE}
    return replace(column, mark=stars, marked_by=test)


def _test_column(metric: str, heading: str, column: Column) -> Column:
    """Return the column of a test of a measure against the baseline.

    `metric` is the difference or p of the test, and `column` that of the measure.
    """
    condition = {**column.where, "of": column.metric, "versus": _BASELINE_SCALE}
    return Column(metric, f"{heading} of {column.heading}", 3, where=condition)


def _tables_of_model(
    model: str, rows: ResultTable, threshold: str, adjusted: str
) -> Iterator[TableSpec]:
    """Yield a model's tables by data set and scale, then its differences from the baseline.

    From `threshold` on confidence counts as high; `adjusted` is the metric of the p that stars
    show. Differences are of the metrics in `_DIFFERENCE_METRICS`; `versus` names the baseline.
    """
    # Differences are left out: only their conditions have `of`, the metric they belong to.
    numbers = rows.matching(of="")
    tables: Mapping[str, Sequence[Column]] = {
        "Calibration and sensitivity": [*CALIBRATION_COLUMNS, *_sensitivity(rows, threshold)],
        "Reports": [*REPORT_COLUMNS, ROUND, UTILIZATION],
        "Tables 6 and 7, ECE by bins": _ECE_COLUMNS,
        "Out of range": _VIOLATION_COLUMNS,
    }
    for title, columns in tables.items():
        yield _table_spec(
            f"{title}: {model}",
            numbers,
            lines=("dataset", "scale"),
            columns=[*columns, _NOT_COMMON],
            caption=partial(_caption, threshold, adjusted, columns),
            layout=_lines_with_numbers,
        )
    for (versus,), compared in rows.having("of").groups("versus"):
        measures = [measure for measure in compared.values("of") if measure in _DIFFERENCE_METRICS]
        yield _table_spec(
            f"Differences from {versus}: {model}",
            compared,
            lines=("dataset", "scale"),
            columns=[_difference_column(measure, adjusted) for measure in measures],
            caption="Value less that of the baseline on the items that both have. "
            f"{STARS_TEXT} after {_ADJUSTMENT_NAMES[adjusted]} over the scales."
            f"{f' {ALIKE_TEXT}' if _has_zero(compared) else ''}",
        )


def _has_zero(differences: ResultTable) -> bool:
    """Return whether a difference from the baseline is 0."""
    return any(row.value == 0 for row in differences.matching(metric="difference"))


def _sensitivity(rows: ResultTable, threshold: str) -> list[Column]:
    """Return columns of type-2 sensitivity at a threshold.

    These are meta-d' (the d' of an ideal observer with this confidence) and M-ratio (meta-d' over
    the d' of the answers). If meta-d' over all ratings (sdt) is defined, which needs two choices,
    its columns follow.
    """
    columns = sensitivity_columns(threshold)
    if any(not isnan(row.value) for row in rows.matching(metric="meta_d")):
        columns.append(Column("meta_d", "meta-d' (sdt)"))
        # `type1`: the model of the questions from which the d' of the answers follows.
        columns.append(Column("m_ratio", "M-ratio (sdt)", where={"type1": "sdt"}))
    return columns


def _difference_column(measure: str, adjusted: str) -> Column:
    """Return the column of a measure's difference from the baseline, starred by its p."""
    # The measure's heading in the table of calibration, or else its name. The result of p has the
    # same condition as that of the difference, and another metric.
    headings = {column.metric: column.heading for column in CALIBRATION_COLUMNS}
    heading, marked_by = headings.get(measure, measure), {"metric": adjusted}
    return Column("difference", heading, 3, where={"of": measure}, mark=stars, marked_by=marked_by)


def _line_labels(line: Mapping[str, str]) -> Mapping[str, str]:
    """Return a line's first cells by heading; an empty scale is a dash in tables of one model."""
    if "model" not in line:
        return {"data set": line["dataset"], "scale": line["scale"] or "-"}
    return {"data set" if name == "dataset" else name: text for name, text in line.items()}


_table_spec = partial(
    TableSpec, interval_caption="95% bootstrap intervals over items.", label=_line_labels
)


def _lines_with_numbers(table: pd.DataFrame) -> pd.DataFrame:
    """Return the lines with any number beside that of items not common, without empty columns."""
    numbers = table.columns.drop(["data set", "scale", _NOT_COMMON.heading])
    return _columns_with_content(table[(table[numbers] != "-").any(axis=1)])  # "-" is undefined


def _columns_with_content(table: pd.DataFrame) -> pd.DataFrame:
    """Return the columns with any result, even an undefined one; no lines if all are undefined.

    A result is a `Cell`, its text "-" if it is undefined; the cell `NOTHING` has that text too, and
    stands where there is no result. Labels of lines are plain texts.
    """
    columns = []
    for name in table:
        if any(value and value is not NOTHING for value in table[name]):
            columns.append(name)
    cells = table.to_numpy().ravel()
    is_defined = any(isinstance(value, Cell) and value != "-" for value in cells)
    return table.loc[:, columns] if is_defined else table.iloc[:0]


def _caption(
    threshold: str, adjusted: str, columns: Sequence[Column], rows: Sequence[ResultRow]
) -> str:
    """Return the sentences that apply to the shown rows: definitions, tests, different items.

    `threshold` is the confidence from which on type-2 metrics count it as high, `adjusted` the
    metric of the p-value that stars show, and `columns` are those of the table.
    """
    shown_metrics = {row["metric"] for row in rows}
    has_m_ratio = any(row["metric"] == "m_ratio" and not isnan(row.value) for row in rows)
    has_sdt = any(column.where.get("type1") == "sdt" for column in columns)
    compared_scales = {row["scale"] for row in rows} - {_BASELINE_SCALE, ""}
    has_tests = any(column.mark or column.metric == adjusted for column in columns)
    sentences = {
        "Confidence is (report - low) / (high - low); ECE has 10 bins of equal width unless "
        "stated otherwise.": "ece" in shown_metrics,
        f"Confidence from {threshold} on counts as high in type-2 measures.": bool(
            shown_metrics & {"meta_d_ideal", "m_ratio"}
        ),
        "M-ratio is of the type-1 model m_afc.": has_m_ratio and not has_sdt,
        "M-ratio is of the type-1 model m_afc, M-ratio (sdt) of sdt.": has_m_ratio and has_sdt,
        f"Stars and p test the difference from 0-100 on common items: {STARS_TEXT} after "
        f"{_ADJUSTMENT_NAMES[adjusted]} over the scales.": has_tests and bool(compared_scales),
        "Items not common are those that not every model, variant and scale of the data set was "
        "asked: only differences are of the same items there.": _NOT_COMMON.metric in shown_metrics,
    }
    return " ".join(compress(sentences, sentences.values()))


_BASELINE = {"scale": _BASELINE_SCALE}
_AT_THRESHOLD = {**_BASELINE, "threshold": "0.75"}


def detail(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Return bins of confidence, isotonic (CORP) curves, type-2 rates and reports of each scale.

    If there are several data sets, reports are also shown over all of them together.
    """
    rows = complete_judgments(frames[_TASK])
    results = confidence_detail(rows, rows, ["scale"], resampling)
    if rows["dataset"].nunique() > 1:
        # The data set's name is added, because items of two data sets may have the same name.
        item = rows["dataset"] + "/" + rows["item"]
        results += report_shares(rows.assign(dataset=ALL_SETS, item=item), ["scale"])
    return results


_figure = partial(FigureSpec, task=_TASK, by=("dataset", "variant"))


def _on_baseline(parts: Mapping[str, str]) -> bool:
    """Return whether a row's condition has the baseline scale."""
    return parts.get("scale") == _BASELINE_SCALE


FIGURES: Sequence[FigureSpec] = (
    _figure(
        plot="auroc_by_scale",
        title="Telling right from wrong answers, scale by scale",
        reads="AUROC of each model's confidence on each scale: the probability that a right answer"
        " has more confidence than a wrong one. On the dashed line confidence does not tell right "
        "from wrong answers.",
        intervals=("auroc",),
        metrics=("auroc",),
        by=(),
        leads=True,
    ),
    reliability_figure(
        _figure,
        "Accuracy against confidence stated on 0-100",
        "Each point stands for the judgments in a tenth of the scale: their mean confidence and "
        "their accuracy. On the dashed diagonal accuracy equals confidence; below the diagonal the "
        "model is overconfident.",
        keep=_on_baseline,
    ),
    _figure(
        plot="report_histogram",
        title="What is reported on each scale",
        reads="How often each number was reported, on each scale that was asked for; vertical axes"
        " differ. A few high bars with gaps between them mean coarse steps, such as multiples of "
        "5.",
        intervals=("report_share",),
        metrics=("report_share",),
        by=("model", "dataset", "variant"),
    ),
    type2_figure(_figure, "Telling right from wrong answers by confidence on 0-100", _on_baseline),
    utility_figure(_figure),
    _figure(
        plot="ece_bins",
        title="ECE by the number of bins",
        reads="ECE of the same judgments in 10, 15 and 20 bins of equal width, one line for each "
        "scale. If lines cross, the order of the scales depends on the bins. ECE grows with the "
        "number of bins if bins hold few judgments.",
        intervals=("ece",),
        metrics=("ece",),
        by=("variant",),
        keep=lambda parts: (
            parts.get("scale") in _GRANULARITY
            and "binning" not in parts
            and parts.get("bins") != "11"
        ),
        needs=2,
    ),
    _figure(
        plot="m_ratio",
        title="Metacognitive efficiency by scale",
        reads="M-ratio: how much of the evidence behind the answers the confidence uses. An ideal "
        "observer has 1, the dashed line, at any accuracy. Confidence counts as high from the "
        "threshold in the panel's title on.",
        intervals=("m_ratio",),
        metrics=("m_ratio",),
        by=("variant",),
        keep=lambda parts: parts.get("type1") == TYPE1,
        panels=("model", "dataset", "variant", "threshold"),
    ),
)

HEADLINES: Sequence[Headline] = (
    Headline(
        _TASK,
        "overconfidence",
        "Overconfidence on 0-100 (share)",
        _BASELINE,
        "overconfidence on 0-100",
    ),
    Headline(_TASK, "auroc", "AUROC on 0-100", _BASELINE, "AUROC on 0-100"),
    Headline(_TASK, "ece", "ECE on 0-100 (share)", _BASELINE, "ECE on 0-100"),
    Headline(
        _TASK,
        "meta_d_ideal",
        "meta-d' on 0-100, confidence of 0.75 and more taken as high (d' units)",
        _AT_THRESHOLD,
    ),
    Headline(
        _TASK,
        "m_ratio",
        "M-ratio on 0-100, confidence of 0.75 and more taken as high (ratio)",
        {**_AT_THRESHOLD, "type1": TYPE1},
    ),
    Headline(_TASK, "top3_share", "Share of the 3 commonest reports on 0-100", _BASELINE),
)

CLAUSES: Sequence[Clause] = calibration_clauses(_TASK, _BASELINE)
