"""What the logs say of their runs, without secrets."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from inspect_ai.log import EvalLog, read_eval_log

from inspect_confidence._logs import find_logs
from inspect_confidence.export._names import argument


@dataclass(frozen=True)
class Run:
    """One run of a task.

    Attributes:
        created: When it began, in ISO 8601.
        inspect: Version of inspect_ai.
        task_args: The task's arguments.
        model_args: The provider's arguments.
        generation: The generation settings that were set.
        own_address: Whether the model was called at an address of the user's own.
    """

    created: str
    inspect: str
    task_args: Mapping[str, Any] = field(default_factory=dict)
    model_args: Mapping[str, Any] = field(default_factory=dict)
    generation: Mapping[str, Any] = field(default_factory=dict)
    own_address: bool = False


def read_runs(places: Iterable[str]) -> dict[str, Run]:
    """The runs of all logs at those places, by id; the newest log of each.

    Logs that can't be read are left out: reading their judgments has said so.
    """
    found: dict[str, Run] = {}
    for location in (log for place in places for log in find_logs(place)):
        try:
            header = read_eval_log(location, header_only=True)
        except Exception:  # a damaged log must not keep the others from being read
            continue
        found.setdefault(header.eval.task_id, _run(header))
    return found


def _run(header: EvalLog) -> Run:
    arguments = header.eval.model_args
    return Run(
        created=header.eval.created,
        inspect=header.eval.packages.get("inspect_ai", "unknown"),
        task_args=_set(argument(header.eval.task_args)),
        model_args=_set(argument(arguments)),
        generation=_set(argument(header.plan.config.model_dump(exclude_none=True))),
        own_address=bool(header.eval.model_base_url) or "base_url" in arguments,
    )


def _set(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}
