"""Selection, order and split of the items of a run."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Generic, Literal, TypeVar

from inspect_confidence.arguments import fingerprint, integer, read_text, user_path
from inspect_confidence.errors import InvalidArgument, nearest

Split = Literal["train", "test"]


@dataclass(frozen=True, kw_only=True)
class Item:
    """An item of a data set; subclasses add the fields of their data set.

    Attributes:
        id: Stable name.
        split: `train` or `test`; None until the items are ordered.
        cluster: Name of the passage, or of whatever items share, that makes items depend on each
            other; empty if there is none.
    """

    id: str
    split: Split | None = None
    # Not in the fingerprints of data sets, which are of the items' texts.
    cluster: str = field(default="", repr=False)


ItemT = TypeVar("ItemT", bound=Item)
ItemT_co = TypeVar("ItemT_co", bound=Item, covariant=True)


@dataclass(frozen=True)
class Selection(Generic[ItemT_co]):
    """The items of a run.

    Attributes:
        name: Name of the data set, as in the `dataset` column.
        items: Items in the order of the run.
        fingerprint: Fingerprint of the whole data set before the selection.
        excluded: Number of excluded rows of the source, by reason.
        files: Files of the data set: names of bundled files or sources, or the user's path.
    """

    name: str
    items: Sequence[ItemT_co]
    fingerprint: str
    excluded: Mapping[str, int] = field(default_factory=Counter)
    files: Sequence[str | Path] = ()

    def facts(self) -> dict[str, object]:
        """Return the facts about the selection that a log records."""
        splits = Counter(item.split for item in self.items)
        return {
            "dataset": self.name,
            "data": self.fingerprint,
            "items": len(self.items),
            "train_items": splits["train"],
            "test_items": splits["test"],
            "excluded": dict(self.excluded),
        }


def passage_cluster(passage: str) -> str:
    """Return the name of the cluster of all items on a passage; empty without a passage.

    Example:
        >>> passage_cluster("The sun is a star.") == passage_cluster("The moon is not.")
        False
    """
    return f"passage-{fingerprint(passage)}" if passage else ""


def by_id(items: Iterable[ItemT]) -> dict[str, ItemT]:
    """Return items by their ids."""
    return {item.id: item for item in items}


def alternate(
    items: Sequence[ItemT],
    seed: int,
    *,
    limit: int | None = None,
    group: Callable[[ItemT], str] | None = None,
) -> list[ItemT]:
    """Order items by seed and alternate their splits, so that a prefix has about half of each.

    Items that already have a split keep it.

    Args:
        items: Items with distinct ids; the result doesn't depend on their order.
        seed: Seed of the order.
        limit: Number of items to return, from the front.
        group: Key of the groups to balance; groups alternate, in seeded order.
    """
    rng = random.Random(seed)
    shuffled = sorted(items, key=lambda item: item.id)
    rng.shuffle(shuffled)
    # The split of each item by its id: 0 for train, 1 for test.
    parities = {item.id: position % 2 for position, item in enumerate(shuffled)}
    if group:  # sorts `shuffled` in place, too
        parities = _alternate_groups(shuffled, group, rng)
    ordered = []
    for item in shuffled[:limit]:
        split: Split = "test" if parities[item.id] else "train"
        ordered.append(item if item.split else replace(item, split=split))
    return ordered


def _alternate_groups(
    shuffled: list[ItemT], group: Callable[[ItemT], str], rng: random.Random
) -> dict[str, int]:
    """Sort items in place so that their groups alternate, and return a balanced split by id.

    One item of each group comes in the first turn, in random order, then one of each in the second
    turn, and so on. In each turn about half of the groups are train (0) and the others test (1), in
    the next turn the reverse.
    """
    sizes = Counter(map(group, shuffled))
    names = sorted(sizes)
    rng.shuffle(names)
    # Groups of odd size give the extra item to either half alternately, so that the halves have
    # equal sizes overall.
    first_parities: dict[str, int] = {}
    for size_parity in (0, 1):
        groups = [name for name in names if sizes[name] % 2 == size_parity]
        for position, name in enumerate(groups):
            first_parities[name] = position % 2
    turns: Counter[str] = Counter()  # number of a group's items so far
    order, parities = {}, {}
    for item in shuffled:
        name = group(item)
        order[item.id] = (turns[name], rng.random())
        parities[item.id] = (turns[name] + first_parities[name]) % 2
        turns[name] += 1
    shuffled.sort(key=lambda item: order[item.id])
    return parities


def choose(items: Sequence[ItemT], split: str, count_or_ids: object) -> list[ItemT]:
    """Select the items of a split: all, the first `count_or_ids`, or those named in a file.

    Args:
        items: Items in order.
        split: `train`, `test` or `all`.
        count_or_ids: None for all items, a count, or the path of a file with one id a line.

    Raises:
        InvalidArgument: An id is unknown, the count is not above 0, or no item remains.
    """
    chosen = [item for item in items if split in ("all", item.split)]
    if count_or_ids is not None:
        try:
            chosen = chosen[: integer("items", count_or_ids, minimum=1)]
        except InvalidArgument:
            if not _may_be_a_file(count_or_ids):
                raise
            lines = read_text(user_path("items", count_or_ids)).splitlines()
            chosen = _with_ids(chosen, list(filter(None, map(str.strip, lines))), split)
    if not chosen:
        raise InvalidArgument(
            f"No item is left in split={split}; check the data set, the arguments that exclude "
            "items, and the ids in `items`."
        )
    return chosen


def _may_be_a_file(value: object) -> bool:
    has_letters = isinstance(value, str) and any(map(str.isalpha, value))
    return has_letters or isinstance(value, PathLike)


def _with_ids(items: Sequence[ItemT], ids: Sequence[str], split: str) -> list[ItemT]:
    """Return the items with these ids, in the items' order; refuse an id that no item has."""
    item_ids = by_id(items)
    for name in ids:
        if name not in item_ids:
            raise InvalidArgument(
                f"items names {name!r}, which is not in split={split}. {nearest(name, item_ids)}"
            )
    requested = set(ids)
    return [item for item in items if item.id in requested]
