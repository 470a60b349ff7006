"""Columns, captions and figures that several studies of stated confidence show alike."""

from collections.abc import Callable, Mapping

from inspect_confidence.results import ResultTable
from inspect_confidence.studies.calibration import TYPE1
from inspect_confidence.studies.study import FigureSpec
from inspect_confidence.studies.tables import Column

ACCURACY, AUROC = Column("accuracy", "accuracy"), Column("auroc", "AUROC")
ECE = Column("ece", "ECE", 3)
CALIBRATION_COLUMNS = (
    ACCURACY,
    Column("mean_confidence", "confidence"),
    Column("overconfidence", "overconfidence"),
    ECE,
    Column("brier", "Brier", 3),
    AUROC,
)
ENTROPY = Column("entropy_bits", "entropy (bits)")
REPORT_COLUMNS = (
    Column("top1_value", "commonest", 0),
    Column("top1_share", "its share"),
    Column("top3_share", "top 3 share"),
    Column("unique_values", "values used", 0),
    ENTROPY,
)
ROUND = Column("round_rate", "multiples of 5", 3)
UTILIZATION = Column("utilization", "utilization")
OUT_OF_RANGE = Column("violation_rate", "out of range", 3)
FORMAT_FAILURES = Column("format_failure_rate", "format failures", 3)
"""Parse failures without confidences out of range, which `OUT_OF_RANGE` counts."""
ATTEMPT_COLUMNS = (
    Column("attempted_share", "attempted"),
    Column("accuracy_given_attempted", "accuracy given attempted"),
    Column("overall_accuracy", "accuracy of all"),
    Column("f_score", "F-score"),
)
ATTEMPTS_CAPTION = (
    "Accuracy given attempted leaves out answers in which the model declined; accuracy of all "
    "counts them as not right; the F-score is the harmonic mean of both."
)


def highest_threshold(rows: ResultTable) -> str:
    """Return the highest threshold of high confidence in the rows, as text; empty if none."""
    return max(rows.values("threshold"), key=lambda text: float(text or -1), default="")


def sensitivity_columns(threshold: str) -> list[Column]:
    """Return columns of how well high confidence tells right from wrong answers.

    Confidence counts as high from `threshold` on. The measures are meta-d' (the d' of an ideal
    observer with this confidence), M-ratio and type-2 d'.
    """
    condition = {"threshold": threshold}
    return [
        Column("meta_d_ideal", "meta-d'", where=condition),
        # M-ratio is meta-d' over the d' of the answers, which depends on the model of the questions
        # (type 1); that of m choices is shown.
        Column("m_ratio", "M-ratio", where={**condition, "type1": TYPE1}),
        Column("type2_dprime", "type-2 d'", where=condition),
    ]


def reliability_figure(
    figure: Callable[..., FigureSpec],
    title: str,
    points: str,
    bars: str = "Grey bars are the numbers of judgments in the bins; each panel's largest has full "
    "height.",
    keep: Callable[[Mapping[str, str]], bool] | None = None,
) -> FigureSpec:
    """Return a study's figure of accuracy against confidence.

    It is drawn if there are at least two numbers, with the isotonic regression of outcomes on
    confidence (CORP), and the band in which that lies if confidence is calibrated. `figure` makes a
    `FigureSpec` with the study's task and panels from the other fields. `points` and `bars` are the
    caption's sentences on the points and the bars; `keep` tells which rows are drawn, all if None.
    """
    return figure(
        plot="reliability",
        title=title,
        reads=f"{points} The line without points is accuracy by isotonic regression (CORP), which "
        "needs no bins. If confidence is calibrated, 95% of such lines lie in the grey band. "
        f"{bars}",
        intervals=("bin_accuracy",),
        metrics=("bin_accuracy", "bin_confidence", "corp_accuracy", "consistency_band"),
        keep=keep,
        needs=2,
    )


def type2_figure(
    figure: Callable[..., FigureSpec],
    title: str = "Telling right from wrong answers by confidence",
    keep: Callable[[Mapping[str, str]], bool] | None = None,
) -> FigureSpec:
    """Return a study's figure of type-2 ROC curves, drawn if there are at least two numbers.

    `figure` makes a `FigureSpec` with the study's task and panels from the other fields; `keep`
    tells by a row's parts of the condition whether it is drawn, None draws all.
    """
    return figure(
        plot="type2_roc",
        title=title,
        reads="For every confidence as a threshold: the share of right answers (upwards) and of "
        "wrong answers (to the right) with at least that confidence. A line in the upper left "
        "corner separates right from wrong answers; a line on the diagonal does not. The area "
        "under the line is the AUROC.",
        intervals=("type2_hit_rate",),
        metrics=("type2_hit_rate", "type2_false_alarm_rate"),
        keep=keep,
        needs=2,
    )


def utility_figure(figure: Callable[..., FigureSpec]) -> FigureSpec:
    """Return a study's figure of expected utility, drawn if there are at least two numbers.

    `figure` makes a `FigureSpec` with the study's task and panels from the other fields.
    """
    return figure(
        plot="utility",
        title="Utility of answering only at or above a confidence threshold",
        reads="Mean utility of answering only at or above a confidence threshold, by the costs "
        "that were given. The dashed line is never answering. The dotted line is the best "
        "threshold of calibrated confidence. The highest point is the best of these items and "
        "overstates the utility on other items.",
        intervals=("expected_utility",),
        metrics=("expected_utility",),
        needs=2,
    )
