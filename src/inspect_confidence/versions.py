"""The versions of the tasks, which logs and `--version` name beside the package's."""

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
}
"""By task: results of one number are comparable, the letter is of the arguments.

`with_confidence` has none: it keeps the version of the eval that it wraps.
"""
