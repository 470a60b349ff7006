"""Clusters of items that depend on each other, such as the questions on one passage."""

from collections.abc import Iterator, Mapping

import pandas as pd

from inspect_confidence.arguments import fingerprint
from inspect_confidence.errors import InvalidArgument

CLUSTER = "cluster"
"""Column of judgments, and metadata of this package's samples, that name an item's cluster."""

_LONGEST = 60
_ITEM = ["dataset", "item"]


def cluster_name(value: object) -> str:
    """Return the name of the cluster that a field's value stands for; empty for a missing value.

    A long text, such as the passage itself, is replaced by its fingerprint.
    """
    if value is None or value != value:  # noqa: PLR0124 # NaN differs from itself
        return ""
    text = str(value).strip().removesuffix(".0")
    return text if len(text) <= _LONGEST and "\n" not in text else fingerprint(text)


def has_clusters(judgments: pd.DataFrame) -> bool:
    """Return whether any judgment names a cluster."""
    return bool((judgments[CLUSTER] != "").any())


def join_clusters(judgments: pd.DataFrame) -> pd.DataFrame:
    """Give all judgments of an item its cluster, which a sample that was never written lacks.

    Raises:
        InvalidArgument: An item is in two clusters.
    """
    if not has_clusters(judgments):
        return judgments
    named_rows = judgments[judgments[CLUSTER] != ""]
    clusters = named_rows.drop_duplicates([*_ITEM, CLUSTER]).set_index(_ITEM)[CLUSTER]
    repeated = clusters.index.duplicated(keep=False)
    if repeated.any():
        dataset, item = clusters.index[repeated][0]
        first, second, *_ = clusters.loc[[(dataset, item)]]
        place = f" of {dataset}" if dataset else ""
        raise InvalidArgument(
            f"cluster: item {item!r}{place} is in {first!r} and in {second!r}; give each item one "
            "cluster."
        )
    items = pd.MultiIndex.from_frame(judgments[_ITEM])
    return judgments.assign(**{CLUSTER: clusters.reindex(items).fillna("").to_numpy(object)})


def unclustered_notices(judgments: Mapping[str, pd.DataFrame], field: str) -> Iterator[str]:
    """Yield a notice for each task on the items without a value of the field of clusters."""
    for task, frame in judgments.items():
        lacking = frame[frame[CLUSTER] == ""].drop_duplicates(_ITEM)
        if len(lacking):
            items = len(frame.drop_duplicates(_ITEM))
            yield (
                f"--cluster {field}: {len(lacking)} of {items} items of {task} have no value; each "
                "is a cluster of its own"
            )
