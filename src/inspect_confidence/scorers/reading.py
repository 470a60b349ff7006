"""What the scorers of repeated draws share: reading each draw, and intervals at several levels."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState

from inspect_confidence.answers import RUN_STATUSES, Unreadable
from inspect_confidence.metrics import covered, interval_score
from inspect_confidence.scorers.explained import draws_read
from inspect_confidence.solvers.draws import Draw


def not_asked(state: TaskState) -> tuple[str, str] | None:
    """Status and detail where the run gave no reply; None where there is one."""
    if not state.output.choices:  # a limit was reached before the model was called
        return "limit_reached", "the model was not asked"
    if state.output.stop_reason == "content_filter":
        return "content_filter", "the provider withheld the reply"
    return None


Bounds = tuple[float, float]


@dataclass(frozen=True)
class Read:
    """A draw as it was read.

    Attributes:
        status: `ok` or why there is no answer.
        reason: The detail.
        numbers: What the judgments keep of it, by column.
    """

    status: str
    reason: str
    numbers: Mapping[str, object]


def read_draws(
    draws: Sequence[Draw], read: Callable[[Draw], Mapping[str, object] | Unreadable]
) -> list[Read]:
    """Read every draw with the reader of its form."""
    return [_one(draw, read) for draw in draws]


def _one(draw: Draw, read: Callable[[Draw], Mapping[str, object] | Unreadable]) -> Read:
    if draw.stop == "content_filter":
        return Read("content_filter", "the provider withheld the reply", {})
    answer = read(draw)
    if isinstance(answer, Unreadable):
        return Read(answer.status, answer.reason, {})
    return Read("ok", "", answer)


def read_of(reads: Sequence[Read]) -> str:
    """How many draws could be read, for an explanation."""
    return draws_read([read.status for read in reads])


def as_metadata(reads: Sequence[Read]) -> dict[str, str]:
    """The draws as JSON text: a list with a missing number in it would break the log viewer."""
    rows = [
        {"status": read.status, **({"reason": read.reason} if read.reason else {}), **read.numbers}
        for read in reads
    ]
    return {"draws": json.dumps(rows)}


def share_readable(reads: Sequence[Read]) -> float:
    """Share of replies that could be read; NaN where there was no reply."""
    replies = [read for read in reads if read.status not in RUN_STATUSES]
    if not replies:
        return float("nan")
    return sum(read.status == "ok" for read in replies) / len(replies)


def at_levels(bounds: Mapping[float, Bounds], truth: float) -> dict[str, float]:
    """Bounds, coverage, width and interval score at each level, as a score's flat value."""
    value: dict[str, float] = {}
    for level, (low, high) in bounds.items():
        value[f"lower_{level:g}"] = low
        value[f"upper_{level:g}"] = high
        value[f"covered_{level:g}"] = float(covered([low], [high], [truth])[0])
        value[f"width_{level:g}"] = high - low
        value[f"interval_score_{level:g}"] = interval_score([low], [high], [truth], level)
    return value


def no_draw(reads: Sequence[Read], value: Mapping[str, float]) -> Score:
    """The score of an item none of whose draws could be read."""
    status = reads[0].status if reads else "limit_reached"
    return Score(
        value=dict(value),
        explanation=f"No interval could be made: {read_of(reads)}.",
        reason=status,
        metadata=as_metadata(reads),
    )
