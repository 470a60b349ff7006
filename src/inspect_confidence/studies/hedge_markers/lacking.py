"""What a run of hedged answers can't give, before it is made."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from inspect_confidence.studies.hedge_markers.forms import HedgeOptions


def lacking(task: str, samples: Sequence[Mapping[str, Any]]) -> list[str]:
    """The metrics of stability that will be undefined, and why.

    At the default T, and if each reply has one sentence: with more there may be a few more markers,
    and with markers that are seldom used there will be fewer.
    """
    if task != "hedge_markers":
        return []
    sizes = Counter((str(one["dataset"]), str(one["split"])) for one in samples)
    return list(_lacking(sizes, HedgeOptions().marker_thresholds[0]))


def _lacking(sizes: Mapping[tuple[str, str], int], least: float) -> Iterator[str]:
    datasets = list(dict.fromkeys(dataset for dataset, _ in sizes))
    # Of each data set the train split, or the one split that it has.
    chosen = [
        sizes.get((d, "train")) or max(sizes.get((d, s), 0) for _, s in sizes) for d in datasets
    ]
    both = [min(sizes.get((d, split), 0) for split in ("train", "test")) for d in datasets]
    paired, n = sum(size > 0 for size in both), len(datasets)

    def few(markers: int, among: Collection[int], wanted: int) -> str:
        """Why there aren't so many data sets with so many replies; empty where there are."""
        needed = markers * least
        if sum(size >= needed for size in among) >= wanted:
            return ""
        smallest = min((size for size in among if size), default=0)
        return (
            f"needs {markers} x T = {needed:g} replies in each of {wanted} data sets, and one "
            f"has {smallest}; ask for more items"
        )

    splits = "data sets with a train and a test split: {} of {}; ask for split=all of such sets"
    for metric, enough, why, markers, among, wanted in (
        ("id_mae", paired >= 1, splits.format(paired, 1), 1, both, 1),
        ("cd_mae", paired >= 2, splits.format(paired, 2), 1, both, 2),
        ("d_avg_cv", True, "", 2, chosen, 1),
        ("m_avg_cv", n >= 2, "one data set only", 1, chosen, n),
        ("mrc", n >= 2, "one data set only", 3, chosen, 2),
        ("mac, mcc", n >= 3, "fewer than three data sets", 1, chosen, n),
    ):
        reason = few(markers, among, wanted) if enough else why
        if reason:
            yield f"{metric}: {reason}"
