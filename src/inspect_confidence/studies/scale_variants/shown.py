"""What the report shows of the scale study."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from math import isnan

import pandas as pd

from inspect_confidence.results import Result
from inspect_confidence.scales import ALL, BASELINE, GROUPS
from inspect_confidence.studies import bins
from inspect_confidence.studies.scale_variants.numbers import completed
from inspect_confidence.studies.study import FigureSpec, Headline, Resampling, View
from inspect_confidence.studies.tables import Column, Rows, TableSpec, built, stars, titled

_CALIBRATION = (
    Column("accuracy", "accuracy"),
    Column("mean_confidence", "confidence"),
    Column("overconfidence", "overconfidence"),
    Column("ece", "ECE", 3),
    Column("brier", "Brier", 3),
    Column("auroc", "AUROC"),
)
_REPORTS = (
    Column("top1_value", "commonest", 0),
    Column("top1_share", "its share"),
    Column("top3_share", "top 3 share"),
    Column("unique_values", "values used", 0),
    Column("entropy_bits", "entropy (bits)"),
    Column("round_rate", "multiples of 5"),
    Column("utilization", "utilization"),
)
_BINS = (
    Column("ece", "10 bins", 3),
    Column("ece", "15 bins", 3, where={"bins": "15"}),
    Column("ece", "20 bins", 3, where={"bins": "20"}),
    Column("ece", "10 + 1 bins", 3, where={"bins": "11"}),
    Column("ece", "10 of equal mass", 3, where={"binning": "equal_mass"}),
)
_VIOLATIONS = (
    Column("violation_rate", "out of range", 3),
    Column("clip_rate", "clipped", 3),
    Column("format_failure_rate", "unreadable", 3),
)
_COMPARED = ("accuracy", "mean_confidence", "ece", "brier", "auroc")


def scale_tables(results: pd.DataFrame) -> list[View]:
    """The study's tables 1 to 5, ECE by bins, violations and differences, model by model."""
    return built(
        spec
        for (model, variant), rows in Rows.of(results).each("model", "variant")
        for spec in _of_model(titled(model, variant), rows)
    )


def _of_model(who: str, rows: Rows) -> Iterator[TableSpec]:
    numbers = rows.where(of="")
    threshold = max(numbers.values("threshold"), key=lambda text: float(text or -1), default="")
    columns = [*_CALIBRATION, *_sensitivity(rows, threshold)]
    base, known = str(BASELINE), [str(scale) for scale in ALL]
    groups = {name: [base, *map(str, scales)] for name, scales in GROUPS.items()}
    there = set(numbers.values("scale"))
    other = there.difference(known)
    every = [*known, *other]
    tables: Sequence[tuple[str, Collection[str], Sequence[Column]]] = (
        ("Table 1, baseline scale", [base], columns),
        ("Table 2, granularity", groups["granularity"], columns),
        ("Table 3, boundary", groups["boundary"], columns),
        ("Table 4, non-standard scales", groups["nonstandard"], columns),
        ("Table 5, reports on non-standard scales", groups["nonstandard"], _REPORTS),
        ("Other scales", other, columns),
        ("Reports", every, _REPORTS),
        ("ECE by bins", every, _BINS),
        ("Out of range", every, _VIOLATIONS),
    )
    for title, scales, wanted in tables:
        # A group's table is one of its group: the baseline alone has its own.
        if scales == [base] or there.intersection(scales) != {base} or there - other == {base}:
            yield TableSpec(
                f"{title}: {who}",
                rows.among("scale", scales),
                ("dataset", "scale"),
                wanted,
                _caption(threshold),
                label=_labelled,
                layout=_with_numbers,
            )
    for (versus,), compared in rows.having("of").each("versus"):
        measures = [one for one in compared.values("of") if one in _COMPARED]
        yield TableSpec(
            f"Differences from {versus}: {who}",
            compared,
            ("dataset", "scale"),
            [_difference(measure) for measure in measures],
            "Value less that of the baseline on the items that both have, with its 95% bootstrap "
            "interval; * p < .05, ** p < .01 after Holm's adjustment over the scales.",
            label=_labelled,
        )


def _sensitivity(rows: Rows, threshold: str) -> list[Column]:
    """Columns of type-2 sensitivity, with the M-ratios that the data sets have."""
    where = {"threshold": threshold}
    columns = [
        Column("type2_dprime", "type-2 d'", where=where),
        Column("meta_d_ideal", "meta-d' (ideal)", where=where),
    ]
    if rows.where(metric="meta_d").rows:
        columns.append(Column("meta_d", "meta-d'"))
    ratios = [row for row in rows.where(metric="m_ratio") if not isnan(row.value)]
    for model in dict.fromkeys(row["type1"] for row in ratios):
        parts = {"type1": model} | ({} if model == "sdt" else where)
        columns.append(Column("m_ratio", f"M-ratio ({model})", where=parts))
    return columns


def _difference(measure: str) -> Column:
    """The difference of a measure from the baseline's, starred by p after Holm's adjustment."""
    return Column(
        *("difference", measure, 3),
        where={"of": measure},
        mark=lambda p: stars(p, 0.05, 0.01),
        marked_by={"metric": "p_holm"},
    )


def _labelled(line: Mapping[str, str]) -> Mapping[str, str]:
    return {"data set": line["dataset"], "scale": line["scale"] or "-"}


def _with_numbers(table: pd.DataFrame) -> pd.DataFrame:
    """The lines that have any number."""
    return table[(table.drop(columns=["data set", "scale"]) != "-").any(axis=1)]


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
    """Bins of confidence, type-2 rates and reports of each scale."""
    rows, by = completed(frames[_TASK]), ["scale"]
    return [
        *bins.confidence_bins(rows, by, resampling),
        *bins.type2_rates(rows, by),
        *bins.report_shares(rows, by),
    ]


_figure = partial(FigureSpec, task=_TASK)

FIGURES: Sequence[FigureSpec] = (
    _figure(
        plot="reliability",
        title="Accuracy against stated confidence",
        reads="Each point is the judgments of a tenth of the scale: their mean confidence and "
        "their accuracy with its 95% interval. On the dashed diagonal confidence is right, below "
        "it the model is overconfident. Grey bars are how many judgments each bin holds, the "
        "fullest bin of a panel at full height.",
        metrics=("bin_accuracy", "bin_confidence"),
        needs=2,
    ),
    _figure(
        plot="report_histogram",
        title="What is reported on each scale",
        reads="How often each number was reported, on the scale that was asked for; vertical axes "
        "differ. A few high bars with gaps between them mean that the scale is used in coarse "
        "steps, such as multiples of 5.",
        metrics=("report_share",),
    ),
    _figure(
        plot="type2_roc",
        title="Telling right from wrong answers by confidence",
        reads="For every confidence as a threshold, the share of right answers (upwards) and of "
        "wrong answers (to the right) that reach it, the former with its 95% interval. The nearer "
        "to the upper left corner, the better confidence tells them apart; the diagonal is chance, "
        "and the area under the line is the AUROC. Dotted: scale 0-100.",
        metrics=("type2_hit_rate", "type2_false_alarm_rate"),
        needs=2,
    ),
    _figure(
        plot="m_ratio",
        title="Metacognitive efficiency by scale",
        reads="M-ratio with its 95% interval: how much of the evidence behind its answers a "
        "model's confidence makes use of. At 1, the dashed line, it is as much as an ideal "
        "observer would, whatever the accuracy; confidence counts as high from the threshold in "
        "the panel's title on.",
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
        _TASK, "meta_d_ideal", "meta-d' on 0-100, confidence high from 0.75 on (d' units)", _SURE
    ),
    Headline(
        _TASK,
        "m_ratio",
        "M-ratio on 0-100, confidence high from 0.75 on (ratio)",
        {**_SURE, "type1": _TYPE1},
    ),
    Headline(_TASK, "top3_share", "Share of the 3 commonest reports on 0-100", _BASELINE),
)
