"""Groups of judgments by model, variant and elicitation method."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Self, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.read import Judgments
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.printing import join_names, shortened
from inspect_confidence.privacy import redact_path, stable_alias
from inspect_confidence.results import Condition
from inspect_confidence.studies import TaskTable, all_tables, estimate, study_of
from inspect_confidence.studies.notes import has_reply

FOLDS = 10
"""Number of folds of the items, each of which is judged by maps of the others."""


@dataclass(frozen=True)
class JudgmentGroup:
    """Completed judgments of one model, variant and elicitation method, over all data sets.

    Attributes:
        task: Name of the task.
        model: Name of the model.
        variant: Name of the variant.
        elicitation: Values of the study's columns that distinguish contenders, such as `method`,
            and the nominal level of intervals; None for a missing one.
        rows: The judgments; those with a status other than `ok` don't count.
        by: Values of the fields of `--by` that all judgments have, as `domain=law`; empty if they
            may differ.
    """

    task: str
    model: str
    variant: str
    elicitation: Mapping[str, object]
    rows: pd.DataFrame
    by: str = ""

    @property
    def condition(self) -> Condition:
        """The elicitation as a condition of results, without empty parts.

        `elicitation` has values by column, as `{"method": "direct", "low": 0, "high": 100}`; the
        ends of a scale become `scale=0-100`.
        """
        low, high = self.elicitation.get("low"), self.elicitation.get("high")
        scale = "" if low is None else f"{low:g}-{high:g}"
        parts = {name: value or "" for name, value in self.elicitation.items()}
        return Condition({**parts, "low": "", "high": "", "scale": scale})

    @property
    def name(self) -> str:
        """Name in tables and messages."""
        parts = (self.model, self.variant, *self.condition.values(), self.by)
        return " ".join(filter(None, parts))

    @property
    def clusters(self) -> IntArray:
        """Number of each judgment's item or cluster; those of different data sets are different."""
        return self._numbers(estimate.cluster_names(self.rows))

    @property
    def readable(self) -> NDArray[np.bool_]:
        """Whether each judgment counts."""
        return (self.rows["status"] == "ok").to_numpy()

    @property
    def items(self) -> int:
        """Number of items with a judgment that counts."""
        return len(np.unique(self._numbers(self.rows["item"])[self.readable]))

    def _numbers(self, names: pd.Series) -> IntArray:
        """Return an integer for each judgment, equal for equal `names` (of items) in a data set."""
        groups = self.rows.groupby([self.rows["dataset"], names], sort=False)
        return np.asarray(groups.ngroup(), np.int64)

    def pooled(self) -> pd.DataFrame:
        """Return the judgments as if all data sets were one: items and clusters are renumbered.

        A column `unit`, which says what is resampled, is dropped: items or clusters are resampled.
        """
        items = self._numbers(self.rows["item"]).astype(str)
        rows = self.rows.assign(item=items, cluster=self.clusters.astype(str), dataset="")
        return rows.drop(columns="unit", errors="ignore")

    def take(self, is_chosen: NDArray[np.bool_]) -> Self:
        """Return the group with only the chosen judgments."""
        return replace(self, rows=self.rows[is_chosen])

    def split_by_fields(self) -> "list[Self]":
        """Return a group for each combination of values of the fields of `--by`, sorted.

        Without such fields that is the group itself.
        """
        if "by" not in self.rows:
            return [self]
        groups = []
        for by, rows in self.rows.groupby("by", sort=True):
            groups.append(replace(self, rows=rows.reset_index(drop=True), by=str(by)))
        return groups

    def replies(self) -> Self:
        """Return the group without failures of the run, in which the model gave no reply."""
        return self.take(has_reply(self.rows["status"]))


class ConfidenceGroup(JudgmentGroup):
    """Judgments with the columns `confidence` and `correct`."""

    @property
    def confidence(self) -> FloatArray:
        """Confidence of each judgment; NaN if it doesn't count."""
        return self.rows["confidence"].where(self.rows["status"] == "ok").to_numpy(float)

    @property
    def correct(self) -> FloatArray:
        """Outcome of each judgment; NaN if it is unknown whether the answer is right."""
        return self.rows["correct"].to_numpy(float)

    @property
    def readable(self) -> NDArray[np.bool_]:
        """Whether each judgment has a confidence and an outcome."""
        return ~np.isnan(self.confidence + self.correct)


class IntervalGroup(JudgmentGroup):
    """Judgments with the columns `lower`, `upper` and `truth`, at one nominal level.

    The level is missing if intervals are computed from several judgments.
    """

    @property
    def level(self) -> float:
        """Nominal level in percent; NaN if it is missing."""
        level = self.elicitation["level"]
        return float(level) if isinstance(level, float) else np.nan

    @property
    def readable(self) -> NDArray[np.bool_]:
        """Whether each judgment has both bounds and a true value."""
        is_complete = self.rows[["lower", "upper", "truth"]].notna().all(axis=1).to_numpy()
        return super().readable & is_complete


def confidence_groups(judgments: Judgments) -> list[ConfidenceGroup]:
    """Group judgments of stated confidence by model, variant and method.

    Judgments without stated confidence are refused.
    """
    groups = [*_confidence_groups(judgments)]
    if not groups:
        tables = [table for table in all_tables().values() if table.stated]
        raise _missing_error("stated confidence", tables, judgments)
    return groups


def judgment_groups(judgments: Judgments) -> list[ConfidenceGroup | IntervalGroup]:
    """Group judgments of stated confidence and intervals by model, variant, method and level.

    If no judgment has either, they are refused.
    """
    groups: list[ConfidenceGroup | IntervalGroup] = [
        *_confidence_groups(judgments),
        *_interval_groups(judgments),
    ]
    if not groups:
        tables = [table for table in all_tables().values() if table.stated or table.intervals]
        raise _missing_error("stated confidence or interval", tables, judgments)
    return groups


def _missing_error(kind: str, tables: Sequence[TaskTable], judgments: Judgments) -> InvalidArgument:
    """Return the error for judgments that lack a kind, such as `stated confidence`.

    `tables` are those of the tasks whose judgments have it.
    """
    return InvalidArgument(
        f"The judgments ({', '.join(judgments)}) have no {kind}; read logs or files of "
        f"{' or '.join(table.task for table in tables)}."
    )


def _confidence_groups(judgments: Judgments) -> Iterator[ConfidenceGroup]:
    """Yield the judgments of stated confidence by task, model, variant and method."""
    for table in all_tables().values():
        if table.stated is not None and table.task in judgments:
            rows = table.stated(judgments[table.task])  # those of stated confidence
            yield from _split_groups(
                ConfidenceGroup, table.task, rows, study_of(table.task).contenders
            )


def _interval_groups(judgments: Judgments) -> Iterator[IntervalGroup]:
    """Yield judgments of intervals by task, model, variant, method and level.

    The level is NaN where an interval is computed from several judgments.
    """
    for table in all_tables().values():
        if table.intervals is not None and table.task in judgments:
            rows = judgments[table.task]
            # Whether a judgment is an interval itself, not one of several from which it is made.
            is_whole_interval = table.intervals(rows)
            rows = rows.assign(level=rows["level"].where(is_whole_interval))
            columns = [*study_of(table.task).contenders, "level"]
            yield from _split_groups(IntervalGroup, table.task, rows, columns)


def describe_pooling(judgments: Judgments, tasks: Collection[str]) -> str:
    """Return a sentence on the data sets that groups take together, for captions.

    The sentence names the data sets of each of the `tasks` that has several; empty if none has.
    """
    texts = []
    for task in tasks:
        names = judgments[task]["dataset"].unique()
        # A data set may be named by the path of its file, of which only the file's name is shown.
        redacted_names = sorted({stable_alias(str(name), redact_path) for name in names})
        if len(redacted_names) > 1:
            short_names = [shortened(name or "-") for name in redacted_names]
            texts.append(f"{task} ({join_names(short_names)})")
    return f"All data sets are taken together: {', '.join(texts)}." if texts else ""


JudgmentGroupT = TypeVar("JudgmentGroupT", bound=JudgmentGroup)


def _split_groups(
    group_class: type[JudgmentGroupT], task: str, rows: pd.DataFrame, columns: Sequence[str]
) -> Iterator[JudgmentGroupT]:
    """Yield a task's judgments for each model, variant and combination of values of `columns`.

    The columns are those of the elicitation, such as `method`; a missing value becomes None.
    """
    for key, group in rows.groupby(["model", "variant", *columns], sort=False, dropna=False):
        model, variant, *values = key
        elicitation: dict[str, Any] = dict(zip(columns, values, strict=True))
        for name, value in elicitation.items():
            if pd.isna(value):
                elicitation[name] = None
        yield group_class(
            task=task,
            model=str(model),
            variant=str(variant),
            elicitation=elicitation,
            rows=group.reset_index(drop=True),
        )


def is_train_item(rows: pd.DataFrame, seed: int) -> NDArray[np.bool_]:
    """Return whether each judgment belongs to the half of the items to which maps are fitted.

    The half depends only on the seed, the data set and the item's name, so that it can be
    recomputed: the first bit of the SHA-256 of `seed/dataset/item` is 0 for train items. Items of a
    cluster are in one half: its name takes the place of the item's.
    """
    return np.asarray(_item_hashes(rows, seed, size=1) < 128)


def item_folds(rows: pd.DataFrame, seed: int) -> IntArray:
    """Return the fold of each judgment's item, from 0 to 9.

    Like the halves of `is_train_item`, it can be recomputed: the first four bytes of the same
    SHA-256, as a big-endian number, modulo 10.
    """
    return np.asarray(_item_hashes(rows, seed, size=4) % FOLDS, np.int64)


def _item_hashes(rows: pd.DataFrame, seed: int, *, size: int) -> IntArray:
    """Return the first `size` bytes of SHA-256 of each judgment's `seed/dataset/item` as a number.

    The cluster takes the place of the item, if there is one. A hash looks random and can be
    recomputed from the names, unlike a draw. `size` is below 8, so that the number fits 64 bits.
    """
    names = rows["dataset"].astype(str) + "/" + estimate.cluster_names(rows).astype(str)
    numbers = {}
    for name in names.unique():
        digest = sha256(f"{seed}/{name}".encode()).digest()
        numbers[name] = int.from_bytes(digest[:size], "big")
    return names.map(numbers).to_numpy(np.int64)
