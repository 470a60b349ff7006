"""Clusters of items that depend on each other, such as the questions on one passage."""

from collections.abc import Iterator, Mapping

import pandas as pd

from inspect_confidence.arguments import fingerprint
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.grades import WHOLE_DECIMAL
from inspect_confidence.printing import counted

CLUSTER = "cluster"
"""Column of judgments, and metadata of this package's samples, that name an item's cluster."""

_MAX_NAME_LENGTH = 60
"""Characters up to which a value is a name; longer texts would not fit into tables."""
_ITEM_COLUMNS = ["dataset", "item"]
"""Columns that identify an item."""


def cluster_name(value: object) -> str:
    """Return the name of the cluster that a field's value stands for; empty for a missing value.

    A number written as `12.0` is the name `12`. A long text, such as the passage itself, is
    replaced by its fingerprint.
    """
    if value is None or value != value:  # noqa: PLR0124 # NaN differs from itself
        return ""
    text = WHOLE_DECIMAL.sub(r"\1", str(value).strip())
    return text if len(text) <= _MAX_NAME_LENGTH and "\n" not in text else fingerprint(text)


def has_clusters(judgments: pd.DataFrame) -> bool:
    """Return whether any judgment names a cluster."""
    return bool((judgments[CLUSTER] != "").any())


def join_clusters(judgments: pd.DataFrame) -> pd.DataFrame:
    """Return judgments in which all judgments of an item name the cluster that one of them names.

    A judgment lacks the name if, for example, its sample was never written to the log. Judgments
    without any cluster are returned as they are.

    Raises:
        InvalidArgument: Judgments of one item name two clusters.
    """
    if not has_clusters(judgments):
        return judgments
    named_rows = judgments[judgments[CLUSTER] != ""]
    clusters = named_rows.drop_duplicates([*_ITEM_COLUMNS, CLUSTER]).set_index(_ITEM_COLUMNS)[
        CLUSTER
    ]
    # The index is the item: data set and id. It repeats if the item has two clusters.
    repeated = clusters.index.duplicated(keep=False)
    if repeated.any():
        dataset, item = clusters.index[repeated][0]
        first, second, *_ = clusters.loc[[(dataset, item)]]
        dataset_text = f" of {dataset}" if dataset else ""
        raise InvalidArgument(
            f"cluster: item {item!r}{dataset_text} is in {first!r} and in {second!r}; give each "
            "item one cluster."
        )
    items = pd.MultiIndex.from_frame(judgments[_ITEM_COLUMNS])
    return judgments.assign(**{CLUSTER: clusters.reindex(items).fillna("").to_numpy(object)})


def unclustered_notices(judgments: Mapping[str, pd.DataFrame], field: str) -> Iterator[str]:
    """Yield a notice for each task in which some items have no cluster.

    `judgments` are by task; `field` is the field of `--cluster` that names the clusters.
    """
    for task, frame in judgments.items():
        unclustered_items = len(frame[frame[CLUSTER] == ""].drop_duplicates(_ITEM_COLUMNS))
        if unclustered_items:
            items = len(frame.drop_duplicates(_ITEM_COLUMNS))
            yield (
                f"--cluster {field}: {unclustered_items} of {counted(items, 'item')} of {task} "
                "without a value; each is a cluster of its own"
            )
