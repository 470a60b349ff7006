"""What the report shows of the scale study."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from inspect_confidence.results import Result, with_parts
from inspect_confidence.scales import ALL, BASELINE, GROUPS
from inspect_confidence.studies.bins import confidence_bins, report_shares, type2_rates
from inspect_confidence.studies.scale_variants.judgments import completed
from inspect_confidence.studies.study import FigureSpec, Headline, Resampling, View
from inspect_confidence.studies.tables import Cell, cell

_PARTS = ("scale", "variant", "threshold", "type1", "bins", "binning", "of", "versus")


@dataclass(frozen=True)
class _Column:
    """A column of a table.

    Attributes:
        title: Its heading.
        metric: Which metric it shows.
        digits: After the point.
        parts: What else the row's condition says; nothing else may be there.
    """

    title: str
    metric: str
    digits: int = 2
    parts: Mapping[str, str] = field(default_factory=dict)


_CALIBRATION = (
    _Column("accuracy", "accuracy"),
    _Column("confidence", "mean_confidence"),
    _Column("overconfidence", "overconfidence"),
    _Column("ECE", "ece", 3),
    _Column("Brier", "brier", 3),
    _Column("AUROC", "auroc"),
)
_REPORTS = (
    _Column("commonest", "top1_value", 0),
    _Column("its share", "top1_share"),
    _Column("top 3 share", "top3_share"),
    _Column("values used", "unique_values", 0),
    _Column("entropy (bits)", "entropy_bits"),
    _Column("multiples of 5", "round_rate"),
    _Column("utilization", "utilization"),
)
_BINS = (
    _Column("10 bins", "ece", 3),
    _Column("15 bins", "ece", 3, {"bins": "15"}),
    _Column("20 bins", "ece", 3, {"bins": "20"}),
    _Column("10 + 1 bins", "ece", 3, {"bins": "11"}),
    _Column("10 of equal mass", "ece", 3, {"binning": "equal_mass"}),
)
_VIOLATIONS = (
    _Column("out of range", "violation_rate", 3),
    _Column("clipped", "clip_rate", 3),
    _Column("unreadable", "format_failure_rate", 3),
)
_OVER_SCALES = ("accuracy_spread", "entropy_m_ratio_correlation")
_COMPARED = ("accuracy", "mean_confidence", "ece", "brier", "auroc")


def scale_tables(results: pd.DataFrame) -> list[View]:
    """The study's tables 1 to 5, ECE by bins, differences and violations, model by model.

    Args:
        results: Rows of the results table, of this study.
    """
    rows = with_parts(results, _PARTS)
    rows = rows[~rows["metric"].isin(_OVER_SCALES)]
    return [
        view
        for (model, variant), mine in rows.groupby(["model", "variant"], sort=False)
        for view in _of_model(" ".join(filter(None, (str(model), str(variant)))), mine)
    ]


def _of_model(who: str, rows: pd.DataFrame) -> Iterator[View]:
    numbers, tests = rows[rows["of"] == ""], rows[rows["of"] != ""]
    threshold = max(numbers["threshold"], key=lambda text: float(text or -1), default="")
    columns = [*_CALIBRATION, *_sensitivity(numbers, threshold)]
    there = set(numbers["scale"])
    groups = {name: [str(scale) for scale in scales] for name, scales in GROUPS.items()}
    known = {str(scale) for scale in ALL}
    groups["other"] = sorted(there - known)
    base = str(BASELINE)
    tables = [
        ("Table 1, baseline scale", [base], columns),
        ("Table 2, granularity", groups["granularity"], columns),
        ("Table 3, boundary", [base, *groups["boundary"]], columns),
        ("Table 4, non-standard scales", [base, *groups["nonstandard"]], columns),
        ("Table 5, reports on non-standard scales", [base, *groups["nonstandard"]], _REPORTS),
        ("Other scales", groups["other"], columns),
        ("Reports", [*map(str, ALL), *groups["other"]], _REPORTS),
        ("ECE by bins", [*map(str, ALL), *groups["other"]], _BINS),
        ("Out of range", [*map(str, ALL), *groups["other"]], _VIOLATIONS),
    ]
    shown = there & known
    for title, scales, wanted in tables:
        varied = [scale for scale in scales if scale in there]
        # A group's table is one of its group: the baseline alone has its own.
        if varied and (title.startswith("Table 1") or varied != [base] or shown == {base}):
            table = _table(numbers, varied, wanted)
            if len(table):
                yield View(f"{title}: {who}", table, _caption(threshold))
    if len(tests):
        yield _differences(who, tests)


def _sensitivity(rows: pd.DataFrame, threshold: str) -> list[_Column]:
    """Columns of type-2 sensitivity, with the M-ratios that the data sets have."""
    where = {"threshold": threshold}
    columns = [
        _Column("type-2 d'", "type2_dprime", 2, where),
        _Column("meta-d' (ideal)", "meta_d_ideal", 2, where),
    ]
    if (rows["metric"] == "meta_d").any():
        columns.append(_Column("meta-d'", "meta_d"))
    ratios = rows[(rows["metric"] == "m_ratio") & rows["value"].notna()]
    for model in ratios["type1"].unique():
        parts = {"type1": model} | ({} if model == "sdt" else where)
        columns.append(_Column(f"M-ratio ({model})", "m_ratio", 2, parts))
    return columns


def _table(rows: pd.DataFrame, scales: Sequence[str], columns: Sequence[_Column]) -> pd.DataFrame:
    found = {
        (row["dataset"], row["scale"], row["metric"], _said(row)): row
        for row in rows.to_dict("records")
    }
    datasets = [name for name in rows["dataset"].unique() if name != "mean"]
    datasets += ["mean"] if "mean" in set(rows["dataset"]) else []
    lines = []
    for dataset in datasets:
        for scale in scales:
            line: dict[str, str | Cell] = {"data set": dataset, "scale": scale or "-"}
            for column in columns:
                key = (dataset, scale, column.metric, tuple(sorted(column.parts.items())))
                line[column.title] = cell(found.get(key), column.digits)
            if any(line[column.title] != "-" for column in columns):
                lines.append(line)
    return pd.DataFrame(
        lines, columns=["data set", "scale", *(c.title for c in columns)], dtype=object
    )


def _said(row: Mapping[Any, Any]) -> tuple[tuple[str, str], ...]:
    """What a row's condition says beside its scale and variant."""
    names = ("binning", "bins", "threshold", "type1")
    return tuple((name, str(row[name])) for name in names if row[name])


def _differences(who: str, tests: pd.DataFrame) -> View:
    """Each scale less the baseline: difference, interval, and p after Holm's adjustment."""
    plain = tests[(tests["threshold"] == "") & tests["of"].isin(_COMPARED)]
    lines: dict[tuple[str, str], dict[str, str | Cell]] = {}
    holm = {
        (row["dataset"], row["scale"], row["of"]): row["value"]
        for row in plain[plain["metric"] == "p_holm"].to_dict("records")
    }
    for row in plain[plain["metric"] == "difference"].to_dict("records"):
        key = (row["dataset"], row["scale"])
        line = lines.setdefault(key, {"data set": key[0], "scale": key[1]})
        p = holm[(*key, row["of"])]
        line[row["of"]] = cell(row, 3, mark=_stars(p))
    versus = plain["versus"].iloc[0] if len(plain) else ""
    return View(
        f"Differences from {versus}: {who}",
        pd.DataFrame(lines.values(), dtype=object).fillna("-"),
        "Value less that of the baseline on the items that both have, with its 95% bootstrap "
        "interval; * p < .05, ** p < .01 after Holm's adjustment over the scales.",
    )


def _stars(p: float) -> str:
    return "**" if p < 0.01 else "*" if p < 0.05 else ""


def _caption(threshold: str) -> str:
    return (
        "95% bootstrap intervals over items. Confidence is (report - low) / (high - low); ECE has "
        f"10 bins of equal width; type-2 measures count confidence from {threshold or '-'} on as "
        "high; a dash is undefined, and the note in the results says why."
    )


_TASK = "scale_variants"
_BASELINE = {"scale": str(BASELINE)}
_SURE = {**_BASELINE, "threshold": "0.75"}
# Of the type-1 models that M-ratio may have, this one is there for any number of choices.
_TYPE1 = "m_afc"


def detail(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Bins of confidence, type-2 rates and reports of each scale.

    Args:
        frames: Judgments by task.
        resampling: How numbers are computed.
    """
    rows = completed(frames[_TASK])
    parts = ("scale",)
    return [
        *confidence_bins(rows, parts, resampling),
        *type2_rates(rows, parts),
        *report_shares(rows, parts),
    ]


FIGURES: Sequence[FigureSpec] = (
    FigureSpec(
        plot="reliability",
        title="Accuracy against stated confidence",
        reads=(
            "Each point is the judgments of a tenth of the scale: their mean confidence and their "
            "accuracy with its 95% interval. On the dashed diagonal confidence is right, below it "
            "the model is overconfident. Grey bars are how many judgments each bin holds, the "
            "fullest bin of a panel at full height."
        ),
        task=_TASK,
        metrics=("bin_accuracy", "bin_confidence"),
        needs=2,
    ),
    FigureSpec(
        plot="report_histogram",
        title="What is reported on each scale",
        reads=(
            "How often each number was reported, on the scale that was asked for; vertical axes "
            "differ. A few high bars with gaps between them mean that the scale is used in coarse "
            "steps, such as multiples of 5."
        ),
        task=_TASK,
        metrics=("report_share",),
    ),
    FigureSpec(
        plot="type2_roc",
        title="Telling right from wrong answers by confidence",
        reads=(
            "For every confidence as a threshold, the share of right answers (upwards) and of "
            "wrong answers (to the right) that reach it, the former with its 95% interval. The "
            "nearer to the upper left corner, the better confidence tells them apart; the diagonal "
            "is chance, and the area under the line is the AUROC. Dotted: scale 0-100."
        ),
        task=_TASK,
        metrics=("type2_hit_rate", "type2_false_alarm_rate"),
        needs=2,
    ),
    FigureSpec(
        plot="m_ratio",
        title="Metacognitive efficiency by scale",
        reads=(
            "M-ratio with its 95% interval: how much of the evidence behind its answers a model's "
            "confidence makes use of. At 1, the dashed line, it is as much as an ideal observer "
            "would, whatever the accuracy; confidence counts as high from the threshold in the "
            "panel's title on."
        ),
        task=_TASK,
        metrics=("m_ratio",),
        by=("model", "variant"),
        keep=lambda parts: parts.get("type1") == _TYPE1,
    ),
)

HEADLINES: Sequence[Headline] = (
    Headline(_TASK, "ece", "ECE on 0-100 (share)", _BASELINE),
    Headline(_TASK, "auroc", "AUROC on 0-100", _BASELINE),
    Headline(_TASK, "overconfidence", "Overconfidence on 0-100 (share)", _BASELINE),
    Headline(
        _TASK,
        "meta_d_ideal",
        "meta-d' on 0-100, confidence high from 0.75 on (d' units)",
        _SURE,
    ),
    Headline(
        _TASK,
        "m_ratio",
        "M-ratio on 0-100, confidence high from 0.75 on (ratio)",
        {**_SURE, "type1": _TYPE1},
    ),
    Headline(_TASK, "top3_share", "Share of the 3 commonest reports on 0-100", _BASELINE),
)
