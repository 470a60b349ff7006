"""The study of hedge markers: judgments -> results, comparisons and tables."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence.references import bibtex
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies.compare import differences, means_contrast, restrict_to_common_items
from inspect_confidence.studies.estimate import (
    cluster_names,
    clusters_of,
    condition_groups,
    resample,
    results_of,
    unit_indices,
)
from inspect_confidence.studies.hedge_markers import judgments, shown
from inspect_confidence.studies.hedge_markers.columns import CHECK_COLUMNS, HEDGE_COLUMNS
from inspect_confidence.studies.hedge_markers.forms import (
    CHECK,
    DEFAULT_THRESHOLD,
    TASK,
    HedgeOptions,
)
from inspect_confidence.studies.hedge_markers.judgments import Sentences, complete_hedges
from inspect_confidence.studies.hedge_markers.numbers import (
    group_statistics,
    judge_results,
    marker_statistics,
)
from inspect_confidence.studies.hedge_markers.stability import (
    ALL,
    STABILITY_METRICS,
    model_correlations,
    stability_statistics,
)
from inspect_confidence.studies.study import Difference, Resampling, Study, TaskTable

_COLUMN_BY_METRIC = {
    "faithfulness": "faithfulness",
    "mean_internal_confidence": "confidence",
    "mean_decisiveness": "decisiveness",
    "accuracy": "correct",
    "punt_rate": "punt",
}
"""Column of replies of which each compared metric is the mean."""


def summarize(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Return the results of hedged answers, over models too, and those of the check of judges."""
    results: list[Result] = []
    if TASK in frames:
        rows = complete_hedges(frames[TASK], resampling.options(HedgeOptions).markers)
        for key, condition, hedged_rows in condition_groups(rows, ("model", "variant", "judge")):
            results += _model_results(hedged_rows, key, condition, resampling)
        results += model_correlations(results)
    if CHECK in frames:
        for key, condition, check_rows in condition_groups(frames[CHECK], ("model", "variant")):
            results += judge_results(check_rows, replace(key, dataset=CHECK), condition, resampling)
    return results


def _model_results(
    rows: pd.DataFrame, key: Key, condition: Condition, resampling: Resampling
) -> list[Result]:
    """Return the results of each data set's split, then those over data sets.

    Metrics that depend on T, the sentences that a marker (hedging phrase) needs, have a row for
    each T. The condition names T if there are several, except the default T. Splits are numbered
    (`stream`), so that their resamples are independent.
    """
    thresholds = resampling.options(HedgeOptions).marker_thresholds
    # By T: the part that it adds to the condition; an empty text adds none.
    threshold_parts: dict[float, dict[str, float | str]] = {}
    for threshold in thresholds:
        is_named = len(thresholds) > 1 and threshold != DEFAULT_THRESHOLD
        threshold_parts[threshold] = {"marker_threshold": threshold if is_named else ""}
    results: list[Result] = []
    by_group = rows.groupby(["dataset", "split"], sort=False)
    for stream, ((dataset, split), group_rows) in enumerate(by_group):
        sentences, split_condition = Sentences.from_frame(group_rows), condition.but(split=split)
        statistics = list(group_statistics(sentences, resampling, split_condition))
        for threshold, part in threshold_parts.items():
            statistics += marker_statistics(
                sentences, resampling.convention, threshold, split_condition.but(**part)
            )
        resampled = resample(
            statistics, sentences.strata, resampling, stream, clusters=clusters_of(group_rows)
        )
        results += results_of(resampled, replace(key, dataset=str(dataset)))
    all_sentences = Sentences.from_frame(rows)
    clusters = clusters_of(rows)
    for threshold, part in threshold_parts.items():
        stability = stability_statistics(
            all_sentences, resampling, threshold, condition.but(**part)
        )
        resampled = resample(stability, all_sentences.strata, resampling, clusters=clusters)
        results += results_of(resampled, replace(key, dataset=ALL))
    return results


def compare(a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling) -> list[Difference]:
    """Return the differences of means over replies, on the items that both sides answered.

    A reply counts if it has a faithfulness, which needs a sentence with both decisiveness and
    confidence. The differences are of all items, and of each split if there are several.
    `judge_check` has none.
    """
    if a["task"].iloc[0] == CHECK:
        return []
    standard_forms = resampling.options(HedgeOptions).markers
    hedges = [complete_hedges(side, standard_forms) for side in (a, b)]
    replies_of_sides = []
    for rows in hedges:
        replies = Sentences.from_frame(rows).replies
        # A side's `unit` is a position among its own units, not among the common ones.
        replies_of_sides.append(replies[replies["faithfulness"].notna()].drop(columns="unit"))
    _, common = restrict_to_common_items(replies_of_sides)
    units = pd.Index(cluster_names(common[0]).unique())
    split_by_item = hedges[0].drop_duplicates("item").set_index("item")["split"]
    splits = [_ALL_SPLITS, *sorted(set(common[0]["item"].map(split_by_item)))]
    if len(splits) == 2:  # one split has all items
        splits = [_ALL_SPLITS]
    # Values of each side, with a column for each split and metric: NaN in rows of other splits.
    columns_of_sides = []
    counts: list[int] = []  # of items by column; either side's, as both have the same items
    for replies in common:
        values = replies[list(_COLUMN_BY_METRIC.values())].to_numpy(float)
        split_of_row = replies["item"].map(split_by_item)
        columns, counts = [], []
        for split in splits:
            is_chosen = ((split_of_row == split) | (split == _ALL_SPLITS)).to_numpy()
            columns.append(np.where(is_chosen[:, None], values, np.nan))
            counts += [replies.loc[is_chosen, "item"].nunique()] * len(_COLUMN_BY_METRIC)
        columns_of_sides.append((np.hstack(columns), unit_indices(replies, units)))
    conditions = [Condition().but(split=split) for split in splits]
    names = list(product(conditions, _COLUMN_BY_METRIC))
    contrast = means_contrast(names, columns_of_sides, items=counts, unit_count=len(units))
    return differences(replace(contrast, clusters=clusters_of(common[0])), resampling)


_ALL_SPLITS = ""
"""Stands for all splits together."""


def lacking(task: str, samples: Sequence[Mapping[str, Any]]) -> list[str]:
    """List the metrics of stability that a planned run cannot give, with the reason.

    Of other tasks than `hedge_markers` nothing is listed. A marker needs T sentences. The list
    assumes the default T, one sentence in each reply, and markers that are equally frequent.
    `samples` are the metadata of samples.
    """
    if task != TASK:
        return []
    sizes = Counter((str(sample["dataset"]), str(sample["split"])) for sample in samples)
    return list(_undefined_metrics(sizes, HedgeOptions().marker_thresholds[0]))


def _undefined_metrics(sizes: Mapping[tuple[str, str], int], threshold: float) -> Iterator[str]:
    """Yield a line for each metric that will be undefined, with the reason.

    `sizes` are the numbers of replies by data set and split, `threshold` the sentences that a
    marker needs (T).
    """
    datasets = list(dict.fromkeys(dataset for dataset, _ in sizes))
    # Replies of each data set: in the split that most metrics use (train, or else the largest), and
    # in the smaller of train and test, for metrics that need both.
    chosen_sizes, paired_sizes = [], []
    for dataset in datasets:
        train_size = sizes.get((dataset, "train"), 0)
        largest_size = max(size for (name, _), size in sizes.items() if name == dataset)
        chosen_sizes.append(train_size or largest_size)
        paired_sizes.append(min(train_size, sizes.get((dataset, "test"), 0)))
    with_both_splits, n = sum(size > 0 for size in paired_sizes), len(datasets)  # data sets
    # Of each metric: whether enough data sets are planned, the reason if not, how many markers a
    # data set needs, the replies of each data set, and how many data sets must have enough.
    splits = "data sets with a train and a test split: {} of {}; ask for split=all of such sets"
    for metric, has_datasets, datasets_reason, markers, dataset_sizes, needed_datasets in (
        ("id_mae", with_both_splits >= 1, splits.format(with_both_splits, 1), 1, paired_sizes, 1),
        ("cd_mae", with_both_splits >= 2, splits.format(with_both_splits, 2), 1, paired_sizes, 2),
        ("d_avg_cv", True, "", 2, chosen_sizes, 1),
        ("m_avg_cv", n >= 2, "one data set only", 1, chosen_sizes, n),
        ("mrc", n >= 2, "one data set only", 3, chosen_sizes, 2),
        ("mac, mcc", n >= 3, "fewer than three data sets", 1, chosen_sizes, n),
    ):
        shortage = _describe_shortage(markers, threshold, dataset_sizes, needed_datasets)
        reason = shortage if has_datasets else datasets_reason
        if reason:
            yield f"{metric}: {reason}"


def _describe_shortage(
    markers: int, threshold: float, dataset_sizes: Collection[int], needed_datasets: int
) -> str:
    """Describe the lack of replies; empty if enough data sets have enough for `markers` markers.

    A marker needs `threshold` replies (T). `dataset_sizes` are the numbers of replies of each data
    set, of which `needed_datasets` must have enough.
    """
    needed = markers * threshold
    if sum(size >= needed for size in dataset_sizes) >= needed_datasets:
        return ""
    # Of data sets that are asked; 0 if none is.
    smallest = min((size for size in dataset_sizes if size), default=0)
    return (
        f"needs {markers} x T = {needed:g} replies in each of {needed_datasets} data sets, and "
        f"one has {smallest}; ask for more items"
    )


HEDGE_MARKERS = Study(
    name="hedge_markers",
    title="Hedge markers: marker internal confidence",
    question="Each model answers questions in a sentence, with or without a hedge such as "
    '"probably". Further answers show how sure it is: the share of them that agrees with '
    "the sentence is its internal confidence.",
    tables=(
        TaskTable(
            task=TASK,
            columns=HEDGE_COLUMNS,
            required=("item", "sentence", "marker"),
            answers=(("confidence",), ("consistent", "undecided", "inconsistent")),
            arguments_shown=frozenset({"dataset", "items", "split"}),
            read=judgments.read_hedged,
            conventions=frozenset({"authors"}),
            replies=judgments.replies_of,
            judges=lambda rows: judgments.fill_missing_judges(rows)["judge"],
        ),
        TaskTable(
            task=CHECK,
            columns=CHECK_COLUMNS,
            required=("item", "form"),
            answers=(("found", "missed", "false"), ("decisiveness",), ("agreed",), ("verdict",)),
            arguments_shown=frozenset({"parts", "items"}),
            always_shown=frozenset({"judge"}),
            read=judgments.read_judge_check,
            varied=("form",),
        ),
    ),
    contenders=(),
    summarize=summarize,
    compare=compare,
    views=shown.hedge_tables,
    detail=shown.detail,
    figures=shown.FIGURES,
    headlines=shown.HEADLINES,
    clauses=shown.CLAUSES,
    sources={
        "accuracy_correlation": ("accuracy", *STABILITY_METRICS),
        "accuracy_rank_correlation": ("accuracy", *STABILITY_METRICS),
        "cmfg_correlation": ("cmfg", *STABILITY_METRICS),
        "range_correlation": ("confidence_range", *STABILITY_METRICS),
    },
    options=HedgeOptions,
    reference=bibtex("liu2026markers"),
    lacking=lacking,
)
