"""Makes examples/logs anew: two simulated models, every task, few items each.

The samples' events, which the viewer's transcript shows, are left out to keep the logs small;
messages, answers and scores are whole.
"""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from inspect_ai import eval as run
from inspect_ai.log import list_eval_logs, read_eval_log, write_eval_log

LOGS = Path(__file__).parent / "logs"
MODELS = ["respondent/candid", "respondent/boastful"]
TASKS: dict[str, dict[str, Any]] = {
    "fermi_eval": {"dataset": "bundled", "items": 10},
    "scale_variants": {"dataset": "bundled", "items": 40, "scales": "0-5,0-20,0-100,60-100"},
    "wep_elicitation": {"items": 3, "settings": "concise"},
    "wep_choice": {"items": 15},
    "life_eval": {"items": 28},
    "question_sets": {"dataset": "bundled", "items": 60},
    "hedge_markers": {"dataset": "facts", "items": 100, "draws": 8},
}


def main() -> None:
    """Run the tasks and keep their logs."""
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir()
    with TemporaryDirectory() as made:
        for task, arguments in TASKS.items():
            run(
                f"inspect_confidence/{task}",
                model=MODELS,
                model_roles={"grader": "respondent/judge"} if task == "hedge_markers" else None,
                task_args=arguments,
                log_dir=made,
                display="none",
            )
        for info in list_eval_logs(made):
            log = read_eval_log(info)
            for sample in log.samples or []:
                sample.events, sample.attachments = [], {}
            log.eval.metadata = {**(log.eval.metadata or {}), "events": "left out"}
            model = log.eval.model.removeprefix("respondent/")
            task = log.eval.task.removeprefix("inspect_confidence/")
            write_eval_log(log, LOGS / f"{task}-{model}.eval")


if __name__ == "__main__":
    main()
