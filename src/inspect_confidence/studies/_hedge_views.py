"""The hedge study's tables, from its results."""

from collections.abc import Iterator, Sequence

import pandas as pd

from inspect_confidence._results import with_parts
from inspect_confidence.studies._cell import Cell, cell, only
from inspect_confidence.studies._study import View

_PARTS = (
    *("variant", "judge", "split", "marker", "marker_threshold", "level", "correlation"),
    *("no_hedge", "outcome", "faithful", "of", "reference"),
)
_SETS = (
    ("accuracy", "accuracy"),
    ("punt_rate", "punts"),
    ("faithfulness", "faithfulness"),
    ("cmfg", "cMFG"),
    ("mean_internal_confidence", "internal confidence"),
    ("mean_decisiveness", "decisiveness"),
    ("hedges_per_sentence", "hedges a sentence"),
    ("sentences_per_reply", "sentences a reply"),
    ("format_failure_rate", "unreadable"),
    ("grader_failure_rate", "not judged"),
)
_STABILITY = ("id_mae", "cd_mae", "m_avg_cv", "d_avg_cv", "mrc", "mac", "mcc", "mrc_change")
_CHECK = (
    ("extraction_precision", "precision of markers"),
    ("extraction_recall", "recall of markers"),
    ("agreement_accuracy", "agreement"),
    ("verdict_accuracy", "verdicts"),
    ("decisiveness_rank_correlation", "decisiveness, rank correlation"),
    ("decisiveness_error", "decisiveness, error"),
    ("grader_failure_rate", "not judged"),
)
_MOST_MARKERS = 25


def hedge_tables(results: pd.DataFrame) -> list[View]:
    """Data sets, stability and markers, model by model; then the check of judges."""
    rows = with_parts(results, _PARTS)
    study, check = (rows[rows["task"] == task] for task in ("hedge_markers", "judge_check"))
    shown = [
        view
        for (model, variant, judge, threshold), mine in study.groupby(
            ["model", "variant", "judge", "marker_threshold"], sort=False
        )
        for view in _of_model(_title(*map(str, (model, variant, judge, threshold))), mine)
    ]
    return [*shown, *_of_judges(check)]


def _title(model: str, variant: str, judge: str, threshold: str) -> str:
    by = f"judged by {judge}" if judge else ""
    return " ".join(filter(None, (model, variant, by, f"T={threshold}" if threshold else "")))


def _of_model(who: str, rows: pd.DataFrame) -> Iterator[View]:
    sets = rows[(rows["dataset"] != "all") & (rows["marker"] == "")]
    if len(sets):
        yield View(f"Data sets: {who}", _wide(sets, ["dataset", "split"], _SETS), _INTERVALS)
    over = rows[(rows["dataset"] == "all") & rows["metric"].isin(_STABILITY)]
    if len(over):
        yield View(
            f"Stability of markers: {who}",
            _long(over),
            "Lower is better of id_mae, cd_mae and m_avg_cv, higher of mrc. id_mae and cd_mae "
            "aren't 0 for a stable model either: draws scatter. A dash is undefined, and the note "
            "in the results says why.",
        )
    mics = rows[(rows["metric"] == "mic") & (rows["marker"] != "")]
    plain = mics[(mics["outcome"] == "") & (mics["faithful"] == "")]
    if len(plain):
        yield View(
            f"Marker internal confidence: {who}",
            _by_marker(plain),
            f"The {_MOST_MARKERS} commonest markers. {_INTERVALS}",
        )


_INTERVALS = "95% bootstrap intervals over items."


def _wide(
    rows: pd.DataFrame, keys: Sequence[str], columns: Sequence[tuple[str, str]]
) -> pd.DataFrame:
    lines = []
    for values, mine in rows.groupby(list(keys), sort=False):
        line = dict(zip(keys, values, strict=True))
        for metric, heading in columns:
            line[heading] = cell(only(mine[mine["metric"] == metric]))
        lines.append(line)
    return pd.DataFrame(lines, dtype=object)


def _long(rows: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for row in rows.to_dict("records"):
        parts = ("level", "split", "correlation")
        what = ", ".join(str(row[name]) for name in parts if row[name])
        without = "without <no_hedge>" if row["no_hedge"] else ""
        lines.append(
            {
                "metric": row["metric"],
                "of": ", ".join(filter(None, (what, without))),
                "value": cell(row, 3),
            }
        )
    return pd.DataFrame(lines, dtype=object)


def _by_marker(rows: pd.DataFrame) -> pd.DataFrame:
    sizes = rows.groupby("marker")["n"].sum().sort_values(ascending=False, kind="stable")
    groups = list(dict.fromkeys(zip(rows["dataset"], rows["split"], strict=True)))
    lines = []
    for marker in sizes.index[:_MOST_MARKERS]:
        mine = rows[rows["marker"] == marker]
        line = {"marker": marker, "sentences": str(int(sizes[marker]))}
        for dataset, split in groups:
            of_group = mine[(mine["dataset"] == dataset) & (mine["split"] == split)]
            line[f"{dataset} {split}"] = cell(only(of_group))
        lines.append(line)
    return pd.DataFrame(lines, dtype=object)


def _of_judges(rows: pd.DataFrame) -> Iterator[View]:
    if not len(rows):
        return
    lines = []
    for (model, variant), mine in rows.groupby(["model", "variant"], sort=False):
        line: dict[str, str | Cell] = {"judge": " ".join(filter(None, (str(model), str(variant))))}
        for metric, heading in _CHECK:
            of_metric = mine[mine["metric"] == metric]
            people = of_metric[of_metric["reference"].isin(("", "survey"))]
            line[heading] = cell(only(people))
        lines.append(line)
    yield View(
        "Judges",
        pd.DataFrame(lines, dtype=object),
        f"Decisiveness against the medians of the people surveyed. {_INTERVALS}",
    )
