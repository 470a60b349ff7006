"""Metrics that a planned run of hedged answers can't give."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from inspect_confidence.studies.hedge_markers.forms import HedgeOptions


def lacking(task: str, samples: Sequence[Mapping[str, Any]]) -> list[str]:
    """List the metrics of stability that a planned run cannot give, with the reason.

    Other tasks have none. A marker needs T sentences. The list assumes the default T, one sentence
    in each reply, and markers that are equally frequent. `samples` are the metadata of samples.
    """
    if task != "hedge_markers":
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
    paired, n = sum(size > 0 for size in paired_sizes), len(datasets)
    # Of each metric: whether enough data sets are planned, the reason if not, how many markers a
    # data set needs, the replies of each data set, and how many data sets must have enough.
    splits = "data sets with a train and a test split: {} of {}; ask for split=all of such sets"
    for metric, has_datasets, datasets_reason, markers, dataset_sizes, needed_datasets in (
        ("id_mae", paired >= 1, splits.format(paired, 1), 1, paired_sizes, 1),
        ("cd_mae", paired >= 2, splits.format(paired, 2), 1, paired_sizes, 2),
        ("d_avg_cv", True, "", 2, chosen_sizes, 1),
        ("m_avg_cv", n >= 2, "one data set only", 1, chosen_sizes, n),
        ("mrc", n >= 2, "one data set only", 3, chosen_sizes, 2),
        ("mac, mcc", n >= 3, "fewer than three data sets", 1, chosen_sizes, n),
    ):
        reason = datasets_reason
        if has_datasets:
            reason = _describe_shortage(markers, threshold, dataset_sizes, needed_datasets)
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
    smallest = min((size for size in dataset_sizes if size), default=0)
    return (
        f"needs {markers} x T = {needed:g} replies in each of {needed_datasets} data sets, and "
        f"one has {smallest}; ask for more items"
    )
