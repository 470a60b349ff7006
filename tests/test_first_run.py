"""A first run: all task files at once, with nothing but a model named."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner
from inspect_ai._cli.main import inspect as inspect_command
from inspect_ai.log import list_eval_logs, read_eval_log

from build import attributes_of
from conftest import CHECKOUT
from inspect_confidence import summarize
from inspect_confidence.datasets import cache
from provider_server import ProviderServer, Reply, Request

_DATA = (
    *("fermi/questions.json", "fermi/corrections.js", "qa/mmlu/test_all.csv"),
    *("qa/popqa_subset.json", "qa/ambigqa_dev_light.json", "qa/arc_challenge_test.jsonl"),
    *("question_sets/items/sciq_test.csv", "qa/simple_qa_test_set.csv"),
)
_TASKS = {
    *("abstain", "commitment", "simple_qa"),
    *("fermi_eval", "hedge_markers", "judge_check", "life_eval", "question_sets"),
    *("scale_variants", "wep_choice", "wep_elicitation", "quiz"),
}


@pytest.fixture
def hub(shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with the data that the defaults need; train splits are a row of their form."""
    for name in _DATA:
        place = tmp_path / "data" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(shared_data / name)
    choices = {"text": ["iron", "tin"], "label": ["A", "B"]}
    annotation = {
        "type": ["singleAnswer"],
        "answer": [["iron"]],
        "qaPairs": [{"question": [], "answer": []}],
    }
    rows = {
        "qa/ambignq/train.parquet": {"id": "1", "question": "Q?", "annotations": annotation},
        "qa/arc_challenge/train.parquet": {
            **{"id": "1", "question": "Q?", "choices": choices},
            "answerKey": "A",
        },
        "qa/sciq/train-00000-of-00001.parquet": {
            **{"question": "Q?", "correct_answer": "iron", "support": ""},
            **{"distractor1": "metal 1", "distractor2": "metal 2", "distractor3": "metal 3"},
        },
    }
    for name, row in rows.items():
        place = tmp_path / "data" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        pd.DataFrame([row]).to_parquet(place)
    sciq = "qa/sciq/train-00000-of-00001.parquet"
    source = cache.SOURCES[sciq]
    monkeypatch.setitem(
        cache.SOURCES,
        sciq,
        type(source)(**{**vars(source), "sha256": None, "columns": ["question"]}),
    )
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path / "data"))
    return tmp_path


def _answer(request: Request) -> Reply:
    """A reply that states everything that any of the tasks asks for."""
    fields = {"Reasoning": "r", "Answer": "A", "Confidence": 0.7, "A": 0.7, "B": 0.1}
    return Reply(
        f"ANSWER: A\nConfidence: 70\nLower: 1\nUpper: 3\n{json.dumps(fields)}\nKEEP\nNO_BET"
    )


def test_all_task_files_run_with_a_model_alone(
    hub: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Every task ends with success; what stands in for a judge and an eval is said."""
    monkeypatch.chdir(CHECKOUT)
    files = sorted(map(str, Path("tasks").glob("*.py")))
    with ProviderServer(_answer) as server:
        words = [
            *("eval", *files, "--model", "openai/gpt-4o-mini", "--limit", "1"),
            *("--model-base-url", f"{server.url}/v1", "--log-dir", str(hub / "logs")),
            *("--display", "log", "--max-retries", "0"),
        ]
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        done = CliRunner().invoke(inspect_command, words)
    assert done.exit_code == 0, done.output
    logs = list(map(read_eval_log, list_eval_logs(str(hub / "logs"))))
    assert {log.eval.task.rpartition("/")[2] for log in logs} == _TASKS
    assert set(attributes_of(logs, "status")) == {"success"}
    output = done.output + caplog.text
    assert "--model-role grader=NAME" in output
    assert "-T task=package/name" in output
    (hedge_log,) = [log for log in logs if log.eval.task.endswith("hedge_markers")]
    assert hedge_log.eval.metadata
    assert hedge_log.eval.metadata["judge"] == "rules"
    assert set(summarize(hub / "logs", resamples=2)["task"]) >= _TASKS - {"quiz"}
