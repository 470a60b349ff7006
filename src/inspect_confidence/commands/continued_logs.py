"""Logs that a run of a study file would continue: what they have in common with the file's runs."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai import Task
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

from inspect_confidence.commands.design import task_facts
from inspect_confidence.errors import InvalidArgument

_REMEDY = "name another folder by --log-dir, or remove these logs"


def refuse_other_logs(folder: str, tasks: Sequence[Task]) -> None:
    """Refuse logs in the folder whose answers a run of the tasks would mix with others, or delete.

    Inspect continues a log of the same task, arguments and model. It does not notice that a file of
    questions has changed, takes answers to the old questions for answers to the new ones, and
    deletes answers of repeats and items that the new run does not have.

    Args:
        folder: Folder of the logs.
        tasks: Tasks with their models, as `eval_set` takes them.

    Raises:
        InvalidArgument: A log has other data files, more repeats, or items that its task lacks.
    """
    tasks_by_run: dict[str, list[Task]] = {}
    for task in tasks:
        arguments = vars(task)["__registry_params__"]  # those that the file names
        tasks_by_run.setdefault(_run_key(task.name, task.model, arguments), []).append(task)
    for location in list_eval_logs(folder):
        try:
            log = read_eval_log(location, header_only=True)
        except Exception:  # a damaged log, which Inspect itself names or leaves alone
            continue
        key = _run_key(log.eval.task, log.eval.model, log.eval.task_args_passed)
        if key in tasks_by_run:
            _refuse_other_log(folder, log, tasks_by_run[key])


def _refuse_other_log(folder: str, log: EvalLog, tasks: Sequence[Task]) -> None:
    """Refuse a log with other data files, more repeats or other items than the tasks.

    The tasks have the log's name, arguments and model, and differ in their judges only.
    """
    run = f"{log.eval.task.removeprefix('inspect_confidence/')} on {log.eval.model}: {folder} has"
    old_hashes, new_hashes = _data_hashes(log.eval.metadata), _data_hashes(tasks[0].metadata)
    for file, sha256 in new_hashes.items():
        if old_hashes.get(file, sha256) != sha256:
            raise InvalidArgument(
                f"{run} answers to questions of {file} before it was changed; {_REMEDY}."
            )
    old_repeats = log.eval.config.epochs or 1
    if old_repeats > max(task.epochs or 1 for task in tasks):
        raise InvalidArgument(
            f"{run} answers of repeats={old_repeats}, and fewer repeats would delete some; write "
            f"repeats: {old_repeats}, or name another folder by --log-dir."
        )
    ids = {sample.id for sample in tasks[0].dataset}
    if None in ids:  # Inspect numbers the samples of the user's eval
        return
    other_ids = [sample for sample in log.eval.dataset.sample_ids or [] if sample not in ids]
    if other_ids:
        raise InvalidArgument(
            f"{run} answers to items that the run does not have, such as {other_ids[0]}; {_REMEDY}."
        )


def _run_key(task: str, model: object, arguments: Mapping[str, Any]) -> str:
    """Return a text that is the same for a task and for its log."""
    return json.dumps([task, str(model), arguments], sort_keys=True, default=str)


def _data_hashes(metadata: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the sha256 of the data files in a task's metadata, by file."""
    files = task_facts(metadata).get("provenance", {}).get("data", [])
    return {file["file"]: file["sha256"] for file in files}
