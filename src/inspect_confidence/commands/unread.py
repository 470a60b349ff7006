"""The replies that could not be read, with their text."""

import re
from collections import Counter
from contextlib import suppress
from os import PathLike, fspath
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from inspect_confidence.judgments.logs import Place

from inspect_confidence.judgments.files import SUFFIXES
from inspect_confidence.judgments.read import Judgments, Paths, read_judgments
from inspect_confidence.judgments.store import find_logs
from inspect_confidence.results import Condition
from inspect_confidence.studies import all_tables
from inspect_confidence.studies.estimate import wilson
from inspect_confidence.studies.notes import replied

COLUMNS = [
    *("task", "model", "variant", "dataset", "item", "condition", "epoch", "draw"),
    *("status", "part", "reason", "text"),
]
_OF_SHARES = ("task", "model", "variant", "replies", "unread", "share", "ci_low", "ci_high")
_PART = re.compile(r"(?:^|; )(answer|confidence|probabilities): ")
"""What stands before the reason where a reply has several parts."""


def unread(paths: Paths, *, judgments: Judgments | None = None) -> pd.DataFrame:
    """The replies without an answer that counts, one row each.

    Args:
        paths: As `read_judgments` takes them.
        judgments: What was read from them already, so that it isn't read twice.

    Returns:
        A frame with the columns `task, model, variant, dataset, item, condition, epoch, draw,
        status, part, reason, text`: what was asked (`condition` holds what the study varied), why
        there is no answer, and the whole reply. `part` names what is missing of a reply that has
        several parts. Where the run or the instrument failed, the status says so. `text` is empty
        where no reply came, and for judgments from a file.

    Raises:
        InvalidArgument: A path can't be used, or no judgment was found.
    """
    found = read_judgments(paths) if judgments is None else judgments
    lost = []
    for task, frame in _replies(found).items():
        rows = frame[frame["status"] != "ok"]
        varied = rows[[*all_tables()[task].varied]].to_dict("records")
        conditions = [
            Condition({str(k): v for k, v in one.items() if pd.notna(v)}) for one in varied
        ]
        parts = [", ".join(dict.fromkeys(_PART.findall(reason))) for reason in rows["reason"]]
        lost.append(rows.assign(condition=list(map(str, conditions)), part=parts))
    every = pd.concat(lost, ignore_index=True)
    texts = _texts(paths, set(every["run"]) - {""})
    method = every["method"].fillna("") if "method" in every else [""] * len(every)
    places = zip(every["uuid"], every["draw"].astype(int), method, strict=True)
    every["text"] = [
        texts.get((uuid, draw, way), texts.get((uuid, draw, ""), "")) for uuid, draw, way in places
    ]
    return every[COLUMNS].astype({"epoch": int, "draw": int})


def shares(judgments: Judgments) -> pd.DataFrame:
    """How many replies of each task, model and variant could not be read.

    Returns:
        A frame with the columns `task, model, variant, replies, unread, share, ci_low, ci_high` and
        one a status but `ok`: how many replies have it. Those of the run and of the instrument are
        no replies and don't count in `replies`. The interval is Wilson's over items.
    """
    lines = []
    for frame in _replies(judgments).values():
        for (task, model, variant), rows in frame.groupby(["task", "model", "variant"], sort=False):
            asked = rows[replied(rows["status"])]
            flags = np.asarray(asked["status"] != "ok", float)
            unit = np.asarray(asked.groupby(["dataset", "item"]).ngroup(), np.int64)
            low, high = wilson(flags, unit, int(unit.max(initial=-1)) + 1)
            counts = Counter(sorted(rows.loc[rows["status"] != "ok", "status"]))
            share = flags.mean() if len(flags) else float("nan")
            numbers = (task, model, variant, len(asked), int(flags.sum()), share, low, high)
            lines.append({**dict(zip(_OF_SHARES, numbers, strict=True)), **counts})
    table = pd.DataFrame(lines)
    statuses = [name for name in table if name not in _OF_SHARES]
    return table.assign(**{str(name): table[name].fillna(0).astype(int) for name in statuses})


def _replies(judgments: Judgments) -> dict[str, pd.DataFrame]:
    return {task: all_tables()[task].replies(frame) for task, frame in judgments.items()}


def _texts(paths: Paths, runs: set[str]) -> "dict[Place, str]":
    """Of every reply of the runs, by its place."""
    if not runs:
        return {}
    # Inspect takes seconds to import, and files need none of it.
    from inspect_confidence.judgments.logs import read_replies  # noqa: PLC0415

    places = [paths] if isinstance(paths, str | PathLike) else paths
    logs = [fspath(place) for place in places if not fspath(place).endswith(SUFFIXES)]
    found: dict[Place, str] = {}
    for location in [log for place in logs for log in find_logs(place)]:
        with suppress(Exception):  # the judgments' notices name logs that can't be read
            found = read_replies(location, runs) | found  # the newest log comes first
    return found
