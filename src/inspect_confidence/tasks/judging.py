"""The argument `judge` of tasks whose replies are judged by a model or by rules."""

import logging

from inspect_confidence import arguments
from inspect_confidence.judges.model import is_without_roles

_LOGGER = logging.getLogger(__name__)

JUDGES = ("model", "rules")


def judge_of_run(task: str, judge: str | None, *, is_prompted: bool = False) -> str:
    """Return the kind of judge; rules, with a notice, if none is asked for and none could be.

    Args:
        task: Name of the task, for the notice.
        judge: `model`, `rules`, or None if the user names none.
        is_prompted: Whether the user names prompts for a judge, which only a model reads.
    """
    if judge is None and not is_prompted and is_without_roles():
        _LOGGER.warning(
            "%s is judged by rules, which serve demos and tests only: name a judge with "
            "--model-role grader=NAME.",
            task,
        )
        return "rules"
    return arguments.choice("judge", judge or "model", JUDGES)
