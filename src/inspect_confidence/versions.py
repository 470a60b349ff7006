"""Versions of the tasks, which logs and `--version` record in addition to the package's."""

from collections.abc import Mapping

TASK_VERSIONS: Mapping[str, str] = {
    "fermi_eval": "1-A",
    "scale_variants": "1-A",
    "wep_elicitation": "1-A",
    "wep_choice": "1-A",
    "life_eval": "1-A",
    "question_sets": "1-A",
    "hedge_markers": "2-A",
    "judge_check": "2-A",
    "abstain": "1-A",
    "commitment": "1-A",
    "simple_qa": "1-A",
}
"""Version by task: runs of equal numbers are comparable; the letter counts changes of arguments.

`with_confidence` has no version of its own: it keeps that of the wrapped eval.
"""
