"""Tables, figures and headlines of any eval."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import compress

import pandas as pd

from inspect_confidence.results import Result, ResultRow, ResultTable
from inspect_confidence.studies import display
from inspect_confidence.studies.any_eval.judgments import EPOCHS, complete_judgments
from inspect_confidence.studies.stated import confidence_detail
from inspect_confidence.studies.study import (
    Clause,
    FigureSpec,
    Headline,
    Resampling,
    View,
    calibration_clauses,
)
from inspect_confidence.studies.tables import (
    Column,
    TableSpec,
    columns_with_numbers,
    join_title,
    line_labels,
    views_with_lines,
)

TASK = "any_eval"
MEAN = "mean"
"""Value of `dataset` in results that are the unweighted mean over evals."""

_CALIBRATION = (*display.CALIBRATION_COLUMNS, Column("aurc", "AURC", 3), display.FORMAT_FAILURES)
_REPORTS = (*display.REPORT_COLUMNS, display.ROUND, display.UTILIZATION, display.OUT_OF_RANGE)
_SCORE_PARTS = (
    Column("brier_reliability", "Brier: reliability", 3),
    Column("brier_resolution", "resolution", 3),
    Column("brier_uncertainty", "uncertainty", 3),
    Column("ece", "ECE, 15 bins", 3, where={"bins": "15"}),
    Column("ece", "ECE, 10 of equal mass", 3, where={"binning": "equal_mass"}),
    Column("meta_information", "meta-information (bits)", 3),
    Column("auprc_error", "AUPRC of errors"),
)


def tables(results: pd.DataFrame) -> list[View]:
    """Return the tables of a study of any eval.

    These are calibration, answered and declined questions, parts of the scores, type-2 sensitivity
    (how well high confidence tells right from wrong answers) at the highest threshold from which on
    confidence counts as high, and the shape of the stated numbers; then, for each model and method,
    calibration by the values of the `--by` fields.
    """
    rows = ResultTable.from_frame(results)
    keys, without_fields = ("model", "variant", "dataset"), rows.matching(by="")
    threshold = display.highest_threshold(rows)
    caption = partial(_caption, threshold)
    tables_by_title = {
        "Calibration and discrimination": (without_fields, _CALIBRATION),
        "Answered and declined": (without_fields, display.ATTEMPT_COLUMNS),
        "Parts of the scores": (without_fields, _SCORE_PARTS),
        "Type-2 sensitivity": (without_fields, display.sensitivity_columns(threshold)),
        "Reports": (without_fields.having("scale"), _REPORTS),
    }
    specs = [
        _table_spec(title, table, (*keys, "method", "scale"), columns, caption)
        for title, (table, columns) in tables_by_title.items()
    ]
    methods = rows.having("by").groups("model", "variant", "method", "scale")
    for names, method_rows in methods:
        title = join_title("By field:", *names)
        specs.append(_table_spec(title, method_rows, ("dataset", "by"), _CALIBRATION, caption))
    return views_with_lines(specs)


_table_spec = partial(
    TableSpec,
    interval_caption="95% intervals over items.",
    label=partial(line_labels, {"dataset": "eval"}),
    layout=columns_with_numbers,
)


def _caption(threshold: str, rows: Sequence[ResultRow]) -> str:
    """Return the sentences that apply to the metrics of the shown rows.

    `threshold` is the confidence from which on type-2 metrics count confidence as high.
    """
    rows = [row for row in rows if not math.isnan(row.value)]
    shown_metrics = {row["metric"] for row in rows}
    has_ece = any(row["metric"] == "ece" and not (row["bins"] or row["binning"]) for row in rows)
    has_means = any(row["dataset"] == MEAN for row in rows)
    sentences = {
        f'Lines "{MEAN}" have the mean of the evals\' numbers, each with the same weight, also of '
        "format failures.": has_means and "format_failure_rate" in shown_metrics,
        "Accuracy is the mean of the eval's own score.": "accuracy" in shown_metrics,
        "With epochs as the method, it is that of each item's most frequent answer.": (
            "accuracy" in shown_metrics and any(row["method"] == EPOCHS for row in rows)
        ),
        "Format failures are parse failures without confidences out of range.": (
            "format_failure_rate" in shown_metrics
        ),
        "Answers in which the model declined are left out.": "accuracy" in shown_metrics
        and any(" declined" in row.note for row in rows),
        display.ATTEMPTS_CAPTION: "f_score" in shown_metrics,
        "ECE has 10 bins of equal width unless stated otherwise.": has_ece,
        f"Confidence from {threshold} on counts as high.": "type2_dprime" in shown_metrics,
    }
    return " ".join(compress(sentences, sentences.values()))


def detail(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Return bins of confidence, isotonic (CORP) curves, type-2 rates and reports by method."""
    rows = complete_judgments(frames[TASK])
    reported = rows[rows["raw"].notna()]
    return confidence_detail(rows, reported, ["method", "scale"], resampling)


_figure = partial(FigureSpec, task=TASK, by=("dataset", "variant"))

FIGURES: Sequence[FigureSpec] = (
    _figure(
        plot="says_and_right",
        title="How sure models are, and how often right",
        reads="Each mark is a model: its accuracy against its mean confidence. On the diagonal "
        "accuracy equals confidence; below the diagonal the model is overconfident.",
        intervals=("accuracy", "mean_confidence"),
        metrics=("accuracy", "mean_confidence"),
        by=(),
        keep=lambda parts: "by" not in parts,
        leads=True,
    ),
    display.reliability_figure(
        _figure,
        "Accuracy against confidence",
        "Each point stands for the judgments in a tenth of the range: their mean confidence and "
        "their accuracy (the mean of grades that are partial). On the dashed diagonal accuracy "
        "equals confidence; below the diagonal the model is overconfident.",
    ),
    display.type2_figure(_figure),
    display.utility_figure(_figure),
    _figure(
        plot="report_histogram",
        title="What is reported",
        reads="How often each number was reported, on the scale that was asked for. A few high "
        "bars with gaps between them mean coarse steps.",
        intervals=("report_share",),
        metrics=("report_share",),
    ),
)

_PARTS_BY_METHOD_NAME: Mapping[str, Sequence[str]] = {
    "{method} on {scale}": ("method", "scale"),
    "{method}": ("method",),
}
"""Parts of the condition that name the method in labels of main numbers, by their template."""

HEADLINES: Sequence[Headline] = tuple(
    Headline(TASK, metric, f"{label}, {method}", short=f"{short}, {method}", each=each)
    for method, each in _PARTS_BY_METHOD_NAME.items()
    for metric, label, short in (
        ("overconfidence", "Overconfidence (share)", "overconfidence"),
        ("auroc", "AUROC", "AUROC"),
        ("ece", "ECE (share)", "ECE"),
        ("attempted_share", "Attempted (share)", "attempted"),
        ("f_score", "F-score", "F-score"),
    )
)

_UNSTATED = ("words", "p_true", "consistency", "logprob")
"""Methods by which a confidence is computed, not stated as a number."""
_STATING = "it states {} and"
_SHOWING = "its confidence is {} and it"
_CALIBRATION_TEXTS: Mapping[str, str] = {
    "stated": _STATING,
    "alone": "shown its answer alone, " + _STATING,
    "before": "before it answers, " + _STATING,
    **{method: _SHOWING.replace("is {}", f"by {method} is {{}}", 1) for method in _UNSTATED},
    EPOCHS: f"its confidence by {EPOCHS} is {{}} and its most frequent answer",
}
"""Openings of clauses on calibration by method, the first in the sentence on a model first."""


def _clauses() -> Iterator[Clause]:
    """Yield the clauses of main findings: on each method of asking, then on recorded fields.

    Each comes twice: for results on a scale, whichever it is, and for results without one.
    """
    for method, text in _CALIBRATION_TEXTS.items():
        yield from calibration_clauses(TASK, {"method": method}, ["scale"], text)
        yield from calibration_clauses(TASK, {"method": method}, [], text)
    # Each recorded field is a method of its own.
    for parts in _PARTS_BY_METHOD_NAME.values():
        yield from calibration_clauses(TASK, {}, parts, _SHOWING)


CLAUSES: Sequence[Clause] = tuple(_clauses())
"""A model states a confidence only by some methods; that of others is computed."""
