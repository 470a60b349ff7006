"""Which items a run asks, in which order, and in which split."""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Generic, Literal, TypeVar

from inspect_confidence.arguments import integer, read_text, user_path
from inspect_confidence.errors import InvalidArgument, nearest

Split = Literal["train", "test"]


@dataclass(frozen=True, kw_only=True)
class Item:
    """What is asked about; every data set adds fields of its own.

    Attributes:
        id: Stable name.
        split: `train` or `test`; None until the items are put in order.
    """

    id: str
    split: Split | None = None


ItemT = TypeVar("ItemT", bound=Item)
ItemT_co = TypeVar("ItemT_co", bound=Item, covariant=True)


@dataclass(frozen=True)
class Selection(Generic[ItemT_co]):
    """The items of a run.

    Attributes:
        name: Of the data set, as the `dataset` column shows it.
        items: In the order in which they are asked.
        fingerprint: Of the whole data set before any selection.
        excluded: How many rows of the source were left out, by reason.
        files: What it was read from: names of bundled files or sources, or the user's own path.
    """

    name: str
    items: Sequence[ItemT_co]
    fingerprint: str
    excluded: Mapping[str, int] = field(default_factory=Counter)
    files: Sequence[str | Path] = ()

    def facts(self) -> dict[str, object]:
        """What a log keeps of the selection."""
        splits = Counter(item.split for item in self.items)
        return {
            "dataset": self.name,
            "data": self.fingerprint,
            "items": len(self.items),
            "train_items": splits["train"],
            "test_items": splits["test"],
            "excluded": dict(self.excluded),
        }


def alternate(
    items: Sequence[ItemT],
    seed: int,
    *,
    most: int | None = None,
    group: Callable[[ItemT], str] | None = None,
) -> list[ItemT]:
    """Items in seeded order, train and test by turns, so that any prefix holds both.

    Items that come with a split of their own keep it.

    Args:
        items: All of them; their order and the seed decide the result.
        seed: Of the order.
        most: How many to keep, from the front.
        group: What items are to be balanced over; groups take turns, in seeded order.
    """
    rng = random.Random(seed)
    shuffled = sorted(items, key=lambda item: item.id)
    rng.shuffle(shuffled)
    parity = {item.id: place % 2 for place, item in enumerate(shuffled)}
    if group:
        sizes = Counter(group(item) for item in shuffled)
        names = sorted(sizes)
        rng.shuffle(names)
        # Groups of odd size take the odd item by turns, so that the halves stay equal in all.
        begins = {
            name: place % 2
            for odd in (0, 1)
            for place, name in enumerate(name for name in names if sizes[name] % 2 == odd)
        }
        turn: Counter[str] = Counter()
        order = {}
        for item in shuffled:
            name = group(item)
            order[item.id] = (turn[name], rng.random())
            # Half of the groups are train in one turn, the others in the next.
            parity[item.id] = (turn[name] + begins[name]) % 2
            turn[name] += 1
        shuffled.sort(key=lambda item: order[item.id])
    return [
        item if item.split else replace(item, split="test" if parity[item.id] else "train")
        for item in shuffled[:most]
    ]


def choose(items: Sequence[ItemT], split: str, count_or_ids: object) -> list[ItemT]:
    """The items of a split, and of those the first so many or the ones named in a file.

    Args:
        items: In order.
        split: `train`, `test` or `all`.
        count_or_ids: None for all, a count, or a file with one id a line.

    Raises:
        InvalidArgument: An id is unknown, the count is no number above 0, or nothing is left.
    """
    chosen = [item for item in items if split in ("all", item.split)]
    if count_or_ids is not None:
        try:
            chosen = chosen[: integer("items", count_or_ids, least=1)]
        except InvalidArgument:
            if not _may_be_a_file(count_or_ids):
                raise
            lines = read_text(user_path("items", count_or_ids)).splitlines()
            chosen = _named(chosen, [line.strip() for line in lines if line.strip()], split)
    if not chosen:
        raise InvalidArgument(
            f"No item is left in split={split}; look at the data set, at what else is asked to be "
            "left out, and at the items named."
        )
    return chosen


def _may_be_a_file(value: object) -> bool:
    named = isinstance(value, str) and any(letter.isalpha() for letter in value)
    return named or isinstance(value, PathLike)


def _named(items: Sequence[ItemT], ids: Sequence[str], split: str) -> list[ItemT]:
    known = {item.id for item in items}
    for name in ids:
        if name not in known:
            raise InvalidArgument(
                f"items names {name!r}, which is not in split={split}. {nearest(name, known)}"
            )
    wanted = set(ids)
    return [item for item in items if item.id in wanted]
