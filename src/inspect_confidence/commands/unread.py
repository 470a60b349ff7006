"""Replies that could not be read, with their text."""

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from itertools import chain, compress
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from inspect_confidence.judgments.logs import ReplyKey

from inspect_confidence.answers import ANSWER_STATUSES
from inspect_confidence.judgments.locations import Paths
from inspect_confidence.judgments.read import Judgments, read_judgments
from inspect_confidence.judgments.store import find_logs
from inspect_confidence.results import Condition
from inspect_confidence.studies import all_tables
from inspect_confidence.studies.any_eval.decisions import AFTERWARDS
from inspect_confidence.studies.estimate import wilson_interval
from inspect_confidence.studies.notes import has_reply, unread_flags
from inspect_confidence.ways import KEEP, PUSHBACK, decline_way

COLUMNS = [
    *("task", "model", "variant", "dataset", "item", "condition", "epoch", "draw"),
    *("status", "part", "reason", "text"),
]
_SHARE_COLUMNS = ("task", "model", "variant", "replies", "unread", "share", "ci_low", "ci_high")
_PART_PREFIX = re.compile(r"(?:^|; )(answer|confidence|probabilities): ")
"""Prefix of a reason that names the part of a reply: `answer: no letter; confidence: empty`."""

_METHOD_OF_REQUEST = {"decisions": KEEP, "final": PUSHBACK}
"""Request of a task on decisions -> the method that asks for the same beside another eval."""


def unread(paths: Paths, *, judgments: Judgments | None = None) -> pd.DataFrame:
    """List the replies that could not be read, one row each.

    A reply in which the model declined to answer was read, and is not listed.

    Args:
        paths: Paths, as `read_judgments` takes them.
        judgments: Judgments that were read from the paths already, to save time.

    Returns:
        A frame with the columns `task, model, variant, dataset, item, condition, epoch, draw,
        status, part, reason, text`. `part` names the missing part of a reply with several parts,
        or of a reply to a further request, such as `keep`.
        `reason` says why there is no judgment; failures of the run, and of the instrument, such as
        a judge, have their own `status`. `text` is the whole reply; empty without one, and for
        judgments from a file.

    Raises:
        InvalidArgument: A path can't be read, or has no judgments.
    """
    frames = read_judgments(paths) if judgments is None else judgments
    failures = []
    for task, frame in _replies_by_task(frames).items():
        rows = frame[~frame["status"].isin(["ok", *ANSWER_STATUSES])]
        varied = rows[[*all_tables()[task].varied]].to_dict("records")
        conditions = list(map(_condition_text, varied))
        parts = rows["reason"].map(_reply_parts)
        failures.append(
            rows.assign(condition=conditions, part=rows["part"].where(rows["part"] != "", parts))
        )
    replies = pd.concat(failures, ignore_index=True)
    texts = _read_texts(paths, set(replies["run"]) - {""})
    reply_texts = []
    columns = replies["uuid"], replies["draw"].astype(int), _request_methods(replies)
    for uuid, draw, method in zip(*columns, strict=True):
        names = [method, _METHOD_OF_REQUEST.get(method, "")]
        # A method without a request of its own is in the sample's own reply, which has no name.
        keys = [(uuid, draw, name) for name in names]
        reply_texts.append(next((texts[key] for key in keys if key in texts), ""))
    replies["text"] = reply_texts
    return replies[COLUMNS].astype({"epoch": int, "draw": int})


def _request_methods(replies: pd.DataFrame) -> "pd.Series[str]":
    """Return the elicitation method that asked for each reply; empty for the sample's own reply.

    A chance to withdraw the answer (the format `afterwards`) is a request of its own for each
    target of confidence, and has the target in its name.
    """
    no_methods = pd.Series("", replies.index)
    methods = replies["method"].fillna("") if "method" in replies else no_methods
    if "confidence_target" not in replies:
        return methods
    is_withdrawal = (replies["format"] == AFTERWARDS) & (methods == "")
    return methods.mask(is_withdrawal, replies["confidence_target"].map(decline_way))


def _reply_parts(reason: str) -> str:
    """Return the parts of a reply that the reason of a parse failure names, such as `answer`."""
    return ", ".join(dict.fromkeys(_PART_PREFIX.findall(reason)))


def _condition_text(row: Mapping[Hashable, Any]) -> str:
    """Return the values of a row that are not missing as the text of a condition."""
    return str(Condition({str(key): value for key, value in row.items() if pd.notna(value)}))


def shares(judgments: Judgments) -> pd.DataFrame:
    """Count the replies of each task, model and variant that could not be read (`unread`).

    Returns:
        A frame with the columns `task, model, variant, replies, unread, share, ci_low, ci_high`,
        and a column of counts for each status except `ok`. Replies to further requests, as for
        decisions on an answer, count like those to questions. Failures of the run, and of the
        instrument (`scoring_failed`), do not count in `replies`; without a reply `share` is NaN.
        Declined answers (`declined`) and answers whose grader failed (`grader_failed`) count in
        `replies`, not in `unread`. The interval is Wilson's over items.
    """
    lines = []
    for frame in _replies_by_task(judgments).values():
        for (task, model, variant), rows in frame.groupby(["task", "model", "variant"], sort=False):
            replies = rows[has_reply(rows["status"])]
            is_unread = unread_flags(replies["status"])
            item_number = np.asarray(replies.groupby(["dataset", "item"]).ngroup(), np.int64)
            n_items = int(item_number.max(initial=-1)) + 1  # 0 without a reply
            low, high = wilson_interval(is_unread, item_number, n_items)
            counts = Counter(sorted(rows.loc[rows["status"] != "ok", "status"]))
            share = is_unread.mean() if len(is_unread) else float("nan")
            numbers = (task, model, variant, len(replies), int(is_unread.sum()), share, low, high)
            lines.append({**dict(zip(_SHARE_COLUMNS, numbers, strict=True)), **counts})
    table = pd.DataFrame(lines)
    statuses = table.columns.difference(list(_SHARE_COLUMNS))
    return table.fillna(dict.fromkeys(statuses, 0)).astype(dict.fromkeys(statuses, int))


def _replies_by_task(judgments: Judgments) -> dict[str, pd.DataFrame]:
    """Return one row for each reply, by task; several judgments may come from one reply.

    A reply to a request beside the one for the answer, such as whether to keep it, has the name of
    the request as its `method`, and its unread parts as `part`, which is empty in other rows.
    """
    replies_by_task = {}
    other_evals = [frame["run"] for task, frame in judgments.items() if all_tables()[task].fallback]
    runs_of_other_evals = set(chain.from_iterable(other_evals)) - {""}
    for task, frame in judgments.items():
        table = all_tables()[task]
        replies = [table.replies(frame).assign(part="")]
        for name, status_columns in table.further_requests.items():
            rows = frame
            if name.startswith("confidence"):  # that of another eval is a judgment of `any_eval`
                rows = frame[~frame["run"].isin(runs_of_other_evals)]
            replies.append(_further_replies(rows, name, status_columns))
        replies_by_task[task] = pd.concat(replies, ignore_index=True)
    return replies_by_task


def _further_replies(
    judgments: pd.DataFrame, name: str, status_columns: Sequence[str]
) -> pd.DataFrame:
    """Return one row for each reply to a further request, such as that for decisions.

    A reply has the first status of its parts that is not `ok`, and the names of all such parts. A
    reply that several judgments share, as the confidence in an answer under several targets, has
    one row.
    """
    rows = judgments[(judgments[[*status_columns]] != "").any(axis=1)]
    # A sample (`uuid`, empty if unknown) has one reply to each further request.
    is_own = rows["uuid"].eq("") | ~rows.duplicated(["run", "uuid"])
    rows = rows[is_own]
    statuses = rows[[*status_columns]].replace("", "ok")
    failed = statuses.where(statuses != "ok").bfill(axis=1).iloc[:, 0].fillna("ok")
    names = [column.removesuffix("_status") for column in status_columns]
    parts = [", ".join(compress(names, flags)) for flags in (statuses != "ok").to_numpy()]
    return rows.assign(method=name, status=failed, reason="", part=parts)


def _read_texts(paths: Paths, runs: set[str]) -> "dict[ReplyKey, str]":
    """Return the texts of all replies of `runs` in logs, by the sample's id, draw and method.

    Files of judgments among the paths, such as csv, have no texts.
    """
    if not runs:
        return {}
    # Inspect takes seconds to import, and files need none of it.
    from inspect_confidence.judgments.logs import read_replies  # noqa: PLC0415

    texts: dict[ReplyKey, str] = {}
    for log in find_logs(paths):
        with suppress(Exception):  # notices of the judgments name unreadable logs
            texts = read_replies(log, runs) | texts  # those of the newest log, the first, stay
    return texts
