"""What the report shows of the hedge study."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from inspect_confidence.results import Result, with_parts
from inspect_confidence.studies.bins import bin_shares
from inspect_confidence.studies.estimate import runs
from inspect_confidence.studies.hedge_markers.judgments import (
    REPLY,
    Sentences,
    completed_hedges,
    with_judges,
)
from inspect_confidence.studies.study import FigureSpec, Headline, Resampling, View
from inspect_confidence.studies.tables import Cell, cell, only

MOST_MARKERS = 12
BINS = 10

_DETAIL_TASK = "hedge_markers"
_ALL = "all"


def detail(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Bins of internal confidence of the commonest markers, over all data sets and splits.

    Args:
        frames: Judgments by task.
        resampling: How numbers are computed.

    Raises:
        InvalidArgument: A share lies outside [0, 1].
    """
    if _DETAIL_TASK not in frames:
        return []
    rows = with_judges(completed_hedges(frames[_DETAIL_TASK], resampling.markers))
    found: list[Result] = []
    for key, condition, some in runs(rows, ("model", "variant", "judge")):
        said = Sentences.of(some)
        counted = said.counted(resampling.convention)
        markers = said.markers(counted, 0)
        note = _left_out(said, counted, markers[MOST_MARKERS:])
        for marker in markers[:MOST_MARKERS]:
            mine = counted[counted["standard"] == marker]
            confidence, unit = mine["confidence"].to_numpy(float), pd.factorize(mine["unit"])[0]
            found += bin_shares(
                replace(key, dataset=_ALL),
                condition.but(marker=marker),
                "confidence_share",
                confidence,
                unit,
                BINS,
                note,
            )
    return found


def _left_out(said: Sentences, counted: pd.DataFrame, rarer: Sequence[str]) -> str:
    """Which sentences aren't in the rows, for a note."""
    dropped = int(counted["standard"].isin(rarer).sum())
    lost = len(said.once) - len(counted.drop_duplicates([*REPLY, "sentence"]))
    told = [
        f"{len(rarer)} rarer markers in {dropped} sentences left out" if rarer else "",
        f"{lost} of {len(said.once)} sentences, of several markers or not judged, left out"
        if lost
        else "",
    ]
    return "; ".join(filter(None, told))


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
_VIEW_CHECK = (
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
        for metric, heading in _VIEW_CHECK:
            of_metric = mine[mine["metric"] == metric]
            people = of_metric[of_metric["reference"].isin(("", "survey"))]
            line[heading] = cell(only(people))
        lines.append(line)
    yield View(
        "Judges",
        pd.DataFrame(lines, dtype=object),
        f"Decisiveness against the medians of the people surveyed. {_INTERVALS}",
    )


_TASK, _CHECK = "hedge_markers", "judge_check"


def _plain(parts: Mapping[str, str]) -> bool:
    """Numbers of markers over all their sentences, whatever came of the reply."""
    return "marker" in parts and not {"outcome", "faithful"} & set(parts)


_BY = ("model", "variant", "judge")

FIGURES: Sequence[FigureSpec] = (
    FigureSpec(
        plot="mic",
        title="Marker internal confidence",
        reads="How confident the model is, by how often further answers agree, where it uses a "
        "marker (<no_hedge>: a sentence without one): one row a marker, one column a data set and "
        "split. A marker that means the same everywhere has one colour along its row; rows of the "
        "same colour are markers that the model doesn't tell apart.",
        task=_TASK,
        metrics=("mic",),
        by=_BY,
        keep=_plain,
    ),
    FigureSpec(
        plot="mic_densities",
        title="Internal confidence behind each marker",
        reads="For each of the commonest markers the share of its sentences in each tenth of "
        "internal confidence, over all data sets. A marker with a definite meaning has one narrow "
        "hill; one spread over the whole width says little about how sure the model is.",
        task=_TASK,
        metrics=("confidence_share",),
        by=_BY,
    ),
    FigureSpec(
        plot="decisiveness_gap",
        title="What a marker says against what lies behind it",
        reads="The mean distance of a sentence's decisiveness, as a reader takes it, from the "
        "model's internal confidence, by marker, with 95% intervals. At 0 the wording says just "
        "how sure the model is.",
        task=_TASK,
        metrics=("decisiveness_gap",),
        by=_BY,
    ),
)

HEADLINES: Sequence[Headline] = (
    Headline(_TASK, "cmfg", "conditional mean faithful generation", {"split": "test"}),
    Headline(_TASK, "faithfulness", "faithfulness (share)", {"split": "test"}),
    Headline(
        _TASK,
        "mrc",
        "agreement of data sets on the markers' order (rank correlation)",
        {"correlation": "spearman", "split": "test"},
    ),
    Headline(
        _TASK,
        "m_avg_cv",
        "how a marker's confidence varies over data sets (ratio)",
        {"split": "test"},
    ),
    Headline(
        _CHECK,
        "decisiveness_rank_correlation",
        "judge against people on decisiveness (rank correlation)",
        {"reference": "survey"},
    ),
)
