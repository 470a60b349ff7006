"""The study of hedge markers: judgments -> results, comparisons and tables."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.metrics import means_of
from inspect_confidence.references import bibtex
from inspect_confidence.results import Result
from inspect_confidence.studies.compare import differences
from inspect_confidence.studies.estimate import draw, results_of
from inspect_confidence.studies.hedge_markers.forms import HedgeOptions
from inspect_confidence.studies.hedge_markers.judgments import (
    Sentences,
    completed_hedges,
    read_hedged,
    read_judged,
    with_judges,
)
from inspect_confidence.studies.hedge_markers.numbers import of_group, of_judge
from inspect_confidence.studies.hedge_markers.shown import FIGURES, HEADLINES, detail, hedge_tables
from inspect_confidence.studies.hedge_markers.stability import Options, over_datasets
from inspect_confidence.studies.over_models import accuracy_correlations
from inspect_confidence.studies.study import Difference, Resampling, Study, TaskTable, View

__all__ = ["HEDGE_MARKERS"]

FloatArray = NDArray[np.float64]

TASK, CHECK = "hedge_markers", "judge_check"
ALL = "all"
"""What stands in `dataset` for a number over data sets."""

_NAN = float("nan")
_COMPARED = ("faithfulness", "confidence", "decisiveness", "correct", "punt")
_METRICS = (
    *("faithfulness", "mean_internal_confidence", "mean_decisiveness"),
    *("accuracy", "punt_rate"),
)


def summarize(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """All results of the study.

    Args:
        frames: Judgments by task.
        resampling: How numbers are computed.
    """
    found: list[Result] = []
    if TASK in frames:
        rows = with_judges(completed_hedges(frames[TASK], resampling.options(HedgeOptions).markers))
        for (model, variant, judge), said in rows.groupby(
            ["model", "variant", "judge"], sort=False
        ):
            where = {"variant": variant, "judge": judge}
            found += _of_model(said, str(model), where, resampling)
        found += accuracy_correlations(found)
    if CHECK in frames:
        found += of_judge(frames[CHECK], resampling)
    return found


def _of_model(
    rows: pd.DataFrame, model: str, condition: Mapping[str, object], resampling: Resampling
) -> list[Result]:
    """Every data set's split by itself, then what goes over data sets, for each threshold."""
    run = Result(TASK, model, "", "", "", _NAN, _NAN, _NAN, 0, "")
    found: list[Result] = []
    own = resampling.options(HedgeOptions)
    several = len(own.marker_thresholds) > 1
    for threshold in own.marker_thresholds:
        where = {**condition, "marker_threshold": threshold if several else ""}
        by_group = rows.groupby(["dataset", "split"], sort=False)
        for stream, ((dataset, split), mine) in enumerate(by_group):
            said = Sentences.of(mine)
            families = list(
                of_group(said, resampling.convention, threshold, {**where, "split": split})
            )
            drawn = draw(families, said.strata, resampling, stream)
            found += results_of(drawn, replace(run, dataset=str(dataset)))
        said = Sentences.of(rows)
        options = Options(resampling.convention, threshold, own.ddof, own.correlation_clamp)
        drawn = draw(list(over_datasets(said, options, where)), said.strata, resampling)
        found += results_of(drawn, replace(run, dataset=ALL))
    return found


def compare(a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling) -> list[Difference]:
    """Differences of two contenders' means over replies, on the items that both answered."""
    if a["task"].iloc[0] == CHECK:
        return []
    forms = resampling.options(HedgeOptions).markers
    sides = [Sentences.of(completed_hedges(side, forms)).replies for side in (a, b)]
    read = [side[side["faithfulness"].notna()] for side in sides]
    items = sorted(set(read[0]["item"]) & set(read[1]["item"]))
    if not items:
        return []
    index = pd.Index(items)
    columns = list(_COMPARED)
    parts = []
    for side in read:
        mine = side[side["item"].isin(index)]
        unit = index.get_indexer(pd.Index(mine["item"])).astype(np.int64)
        parts.append((mine[columns].to_numpy(float), unit))

    def statistic(first: FloatArray | None, second: FloatArray | None) -> FloatArray:
        sides = [(p, w) for p, w in zip(parts, (first, second), strict=True) if w is not None]
        values = np.vstack([p[0] for p, _ in sides])
        units = np.concatenate([p[1] + k * len(items) for k, (p, _) in enumerate(sides)])
        weights = np.hstack([w for _, w in sides])
        return means_of(values, units.astype(np.int64), weights.shape[1])(weights)

    names = [("", metric) for metric in _METRICS]
    return differences(statistic, names, len(items), len(items), resampling)


def views(results: pd.DataFrame) -> list[View]:
    """The study's tables."""
    return hedge_tables(results)


HEDGE_MARKERS = Study(
    name="hedge_markers",
    title="Hedge markers: marker internal confidence",
    tables=(
        TaskTable(
            task=TASK,
            columns={
                "sentence": "number",
                "text": "text",
                "marker": "text",
                "n_markers": "number",
                "confidence": "number",
                "consistent": "number",
                "undecided": "number",
                "inconsistent": "number",
                "failed": "number",
                "decisiveness": "number",
                "correct": "number",
                "punt": "number",
                "draws": "number",
                "empty_draws": "number",
                "cut": "number",
                "judge": "text",
            },
            required=("item", "sentence", "marker"),
            answers=(("confidence",), ("consistent", "undecided", "inconsistent")),
            arguments_shown=frozenset({"dataset", "items", "split"}),
            compared_within=(),
            read=read_hedged,
        ),
        TaskTable(
            task=CHECK,
            columns={
                "form": "text",
                "word": "text",
                "found": "number",
                "missed": "number",
                "false": "number",
                "decisiveness": "number",
                "labelled": "number",
                "agreed": "number",
                "verdict": "number",
            },
            required=("item", "form"),
            answers=(("found", "missed", "false"), ("decisiveness",), ("agreed",), ("verdict",)),
            arguments_shown=frozenset({"parts", "items"}),
            compared_within=(),
            always_shown=frozenset({"judge"}),
            read=read_judged,
        ),
    ),
    contenders=(),
    summarize=summarize,
    compare=compare,
    views=views,
    detail=detail,
    figures=FIGURES,
    headlines=HEADLINES,
    options=HedgeOptions,
    reference=bibtex("liu2026markers"),
)
