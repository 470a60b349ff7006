"""The data set repository of register/hugging_face, as the hub and Inspect read it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from inspect_ai.log import list_eval_logs, read_eval_log

from build import column_of, parse_jsonl
from conftest import CHECKOUT
from provider_server import ProviderServer, Reply

REPOSITORY = CHECKOUT / "register" / "hugging_face"
BUNDLED = CHECKOUT / "src" / "inspect_confidence" / "datasets" / "bundled"
TASKS: list[dict[str, Any]] = yaml.safe_load((REPOSITORY / "eval.yaml").read_text("utf-8"))["tasks"]


def records(config: str) -> list[dict[str, Any]]:
    """The questions of one configuration."""
    text = (BUNDLED / f"{config}.jsonl").read_text("utf-8")
    return parse_jsonl(text)


def test_the_card_and_the_tasks_name_the_same_files() -> None:
    """Each task has a configuration, whose file has its fields; the card counts its questions."""
    card = (REPOSITORY / "README.md").read_text("utf-8")
    head = yaml.safe_load(card.split("---")[1])
    configs = {config["config_name"]: config["data_files"] for config in head["configs"]}
    assert column_of(TASKS, "config") == column_of(TASKS, "id") == list(configs)
    for task in TASKS:
        (data,) = configs[task["config"]]
        assert data == {"split": task["split"], "path": f"{task['config']}.jsonl"}
        questions = records(task["config"])
        fields_by_role = task["field_spec"]
        fields = {
            fields_by_role["input"],
            fields_by_role["target"],
            *fields_by_role["metadata"],
        } | {fields_by_role.get("choices", "id")}
        for question in questions:
            assert fields <= set(question), task["id"]
        assert f"| `{task['config']}` | {len(questions)} |" in card
    assert f"\n{sum(len(records(task['config'])) for task in TASKS)} questions" in card


@pytest.mark.slow
def test_inspect_finds_and_runs_every_task(tmp_path: Path) -> None:
    """`inspect eval hf/...` asks all questions; a model that says A is right where A is.

    The hub's own client reads eval.yaml from its cache, and `datasets` the files of a folder.
    """
    commit = "0" * 39 + "1"
    hub_dataset = tmp_path / "hub" / "hub" / "datasets--owner--name"
    (hub_dataset / "refs").mkdir(parents=True)
    (hub_dataset / "refs" / "main").write_text(commit, "utf-8")
    shutil.copytree(REPOSITORY, hub_dataset / "snapshots" / commit)
    shutil.copytree(REPOSITORY, tmp_path / "owner" / "name")
    for task in TASKS:
        shutil.copy(BUNDLED / f"{task['config']}.jsonl", tmp_path / "owner" / "name")
    with ProviderServer(lambda _: Reply("ANSWER: A")) as server:
        done = subprocess.run(
            [
                *(Path(sys.executable).parent / "inspect", "eval", "hf/owner/name"),
                *("--model", "openai/gpt-4o-mini", "--model-base-url", f"{server.url}/v1"),
                *("--limit", "40", "--log-dir", "logs", "--display", "none"),
            ],
            cwd=tmp_path,
            env={
                **os.environ,
                "PWD": str(tmp_path),
                "HF_HOME": str(tmp_path / "hub"),
                "HF_HUB_OFFLINE": "1",
                "XDG_CACHE_HOME": str(tmp_path / "cache"),
                "OPENAI_API_KEY": "test",
            },
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    logs = [read_eval_log(info.name) for info in list_eval_logs(str(tmp_path / "logs"))]
    logs_by_task = {log.eval.task.rsplit("/", 1)[-1]: log for log in logs}
    assert set(logs_by_task) == set(column_of(TASKS, "id"))
    for name, log in logs_by_task.items():
        assert log.status == "success", log.error
        assert log.results is not None
        (score,) = log.results.scores
        first = records(name)[:40]
        options = [question["answer"] == 0 for question in first if "choices" in question]
        right = sum(options) / len(first)
        assert score.metrics["accuracy"].value == pytest.approx(right), name
        assert log.results.completed_samples == len(first)
