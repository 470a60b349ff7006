"""Metrics that a planned run of hedged answers can't give."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from inspect_confidence.studies.hedge_markers.forms import HedgeOptions


def lacking(task: str, samples: Sequence[Mapping[str, Any]]) -> list[str]:
    """List the metrics of stability that will be undefined, and why.

    At the default T, and if each reply has one sentence: with more there may be a few more markers,
    and with markers that are seldom used there will be fewer.
    """
    if task != "hedge_markers":
        return []
    sizes = Counter((str(sample["dataset"]), str(sample["split"])) for sample in samples)
    return list(_lacking(sizes, HedgeOptions().marker_thresholds[0]))


def _lacking(sizes: Mapping[tuple[str, str], int], threshold: float) -> Iterator[str]:
    datasets = list(dict.fromkeys(dataset for dataset, _ in sizes))
    # Of each data set the train split, or the one split that it has.
    chosen = [
        sizes.get((d, "train")) or max(sizes.get((d, s), 0) for _, s in sizes) for d in datasets
    ]
    paired_sizes = [min(sizes.get((d, split), 0) for split in ("train", "test")) for d in datasets]
    paired, n = sum(size > 0 for size in paired_sizes), len(datasets)

    def shortage(markers: int, among: Collection[int], datasets_needed: int) -> str:
        """Say why too few data sets have enough replies; empty if enough have."""
        needed = markers * threshold
        if sum(size >= needed for size in among) >= datasets_needed:
            return ""
        smallest = min((size for size in among if size), default=0)
        return (
            f"needs {markers} x T = {needed:g} replies in each of {datasets_needed} data sets, and "
            f"one has {smallest}; ask for more items"
        )

    splits = "data sets with a train and a test split: {} of {}; ask for split=all of such sets"
    for metric, enough, reason_without, markers, among, needed_datasets in (
        ("id_mae", paired >= 1, splits.format(paired, 1), 1, paired_sizes, 1),
        ("cd_mae", paired >= 2, splits.format(paired, 2), 1, paired_sizes, 2),
        ("d_avg_cv", True, "", 2, chosen, 1),
        ("m_avg_cv", n >= 2, "one data set only", 1, chosen, n),
        ("mrc", n >= 2, "one data set only", 3, chosen, 2),
        ("mac, mcc", n >= 3, "fewer than three data sets", 1, chosen, n),
    ):
        reason = shortage(markers, among, needed_datasets) if enough else reason_without
        if reason:
            yield f"{metric}: {reason}"
