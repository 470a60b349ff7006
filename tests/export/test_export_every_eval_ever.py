"""Every Eval Ever: accepted by its own validator, directions and ranges from the registry."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from build import column_of, records_with
from conftest import CHECKOUT, run_respondent
from export.judged import HOSTILE, hostile_judgments, intervals, scale_judgments
from export.released import IS_HERE, SCHEMAS, problems
from inspect_confidence.export import export
from inspect_confidence.export.every_eval_ever import developer, items_of, model_info
from inspect_confidence.export.material import LogRun, ResultSet
from inspect_confidence.metrics import METRICS
from inspect_confidence.results import ResultTable
from inspect_confidence.studies import all_tables

NAN = float("nan")
BOUNDS = [(2.0, 4.0), (2.5, 5.0), (4.0, 6.0), (5.0, 6.0)]


def exported(source: Any, folder: Path, **options: Any) -> list[dict[str, Any]]:
    """Aggregate files, after all files were validated and compared with each other."""
    paths = export(source, "every-eval-ever", folder, resamples=20, **options)
    logs = []
    for path in records_with(paths, suffix=".json"):
        log = json.loads(path.read_text("utf-8"))
        identities = column_of(log["evaluation_results"], "evaluation_result_id")
        assert len(identities) == len(set(identities))
        logs.append(log)
        if "detailed_evaluation_results" in log:
            check_items(log, folder, path)
    assert problems(folder) == []
    return logs


def check_items(log: dict[str, Any], folder: Path, path: Path) -> None:
    """The per-item file is valid, and is the one that the aggregate file describes."""
    described = log["detailed_evaluation_results"]
    items = folder / described["file_path"]
    assert items.parent == path.parent
    assert items.name == f"{path.stem}_samples.jsonl"
    assert described["checksum"] == hashlib.sha256(items.read_bytes()).hexdigest()
    lines = list(map(json.loads, items.read_text("utf-8").split("\n")[:-1]))
    assert len(lines) == described["total_rows"]
    for line in lines:
        assert line["evaluation_id"] == log["evaluation_id"]
        assert line["model_id"] == log["model_info"]["id"]


def metric(log: dict[str, Any], name: str) -> dict[str, Any]:
    """The first result of a metric."""
    results = [r for r in log["evaluation_results"] if r["metric_config"]["metric_name"] == name]
    result: dict[str, Any] = results[0]
    return result


def test_files_of_a_log_are_valid_and_hold_its_metadata(tmp_path: Path) -> None:
    """Aggregate and per-item files of a real log; what the log says of the run is there."""
    run_respondent("tunnel", tmp_path / "logs", items=6, respondent_tunnel=0.5)
    (log,) = exported(tmp_path / "logs", tmp_path / "out", organization="A group")
    assert log["schema_version"] == "0.3.0"
    assert log["eval_library"]["name"] == "inspect_ai"
    assert log["eval_library"]["version"][0].isdigit()
    assert log["eval_library"]["additional_details"]["inspect_confidence"] == "0.1.0"
    assert '"items": 6' in log["eval_library"]["additional_details"]["task_args"]
    assert log["source_metadata"]["source_organization_name"] == "A group"
    assert '"tunnel": 0.5' in log["model_info"]["additional_details"]["model_args"]
    assert int(log["evaluation_timestamp"]) <= int(log["retrieved_timestamp"])
    assert log["detailed_evaluation_results"]["total_rows"] == 24  # 6 items at 4 levels


def test_exporting_again_gives_the_same_files(tmp_path: Path) -> None:
    """A second export replaces the first instead of adding a second record."""
    frame = intervals("one", BOUNDS)
    first = export(frame, "every-eval-ever", tmp_path, resamples=20)
    assert export(frame, "every-eval-ever", tmp_path, resamples=20) == first


def test_every_metric_has_the_registrys_direction_and_range(tmp_path: Path) -> None:
    """Lower is better exactly of metrics whose direction says so; ranges are the registry's."""
    frame = scale_judgments("one", [0.75, 0.9, 0.6, 0.8, 0.7, 0.5], [1, 1, 0, 1, 0, 1])
    (log,) = exported(frame, tmp_path)
    plain = [r for r in log["evaluation_results"] if "." not in r["metric_config"]["metric_name"]]
    assert len(plain) > 20
    for config in column_of(plain, "metric_config"):
        registered = METRICS[config["metric_name"]]
        assert config["lower_is_better"] == (registered.direction == "lower")
        assert float(config["min_score"]) == registered.low
        assert float(config["max_score"]) == registered.high
    assert metric(log, "ece")["metric_config"]["lower_is_better"] is True
    assert metric(log, "auroc")["metric_config"]["lower_is_better"] is False


def test_an_unbounded_range_is_the_schemas_infinity(tmp_path: Path) -> None:
    """A width has no greatest value: the schema's "Infinity"."""
    (log,) = exported(intervals("one", BOUNDS), tmp_path)
    config = metric(log, "mean_width")["metric_config"]
    assert (config["min_score"], config["max_score"]) == (0, "Infinity")
    assert config["additional_details"]["direction"] == "none"
    assert "no meaning" in config["additional_details"]["lower_is_better"]


def test_a_target_becomes_a_distance(tmp_path: Path) -> None:
    """Coverage 0.5 at 90%: its distance is 0.4, lower is better, at most 0.9."""
    (log,) = exported(intervals("one", BOUNDS), tmp_path)
    raw = metric(log, "coverage")
    assert raw["score_details"]["score"] == 0.5
    assert raw["metric_config"]["additional_details"]["direction"] == "target=0.9"
    distance = metric(log, "coverage.distance_to_target")
    assert distance["score_details"]["score"] == pytest.approx(0.4)
    assert distance["metric_config"]["lower_is_better"] is True
    assert distance["metric_config"]["max_score"] == pytest.approx(0.9)
    ends = [
        raw["score_details"]["uncertainty"]["confidence_interval"][e] for e in ("lower", "upper")
    ]
    interval = distance["score_details"]["uncertainty"]["confidence_interval"]
    assert interval["upper"] == pytest.approx(0.9 - min(ends))
    assert interval["lower"] == pytest.approx(0 if max(ends) >= 0.9 else 0.9 - max(ends))


def test_undefined_numbers_and_means_over_models_are_listed_as_left_out(tmp_path: Path) -> None:
    """Infinite and undefined numbers, and a mean over models, stand in `left_out.csv`."""
    frame = pd.concat(
        [scale_judgments(name, [0.8, 0.7, 0.9], [1, 1, 1]) for name in ("one", "two")]
    )
    exported(frame, tmp_path)
    left_out = pd.read_csv(tmp_path / "left_out.csv")
    assert {"undefined", "over several models"} == set(left_out["left_out"])
    assert "auroc" in set(left_out.loc[left_out["left_out"] == "undefined", "metric"])


def test_items_hold_the_parsed_reply_and_its_score(tmp_path: Path) -> None:
    """[2, 4] holds 3, [4, 6] doesn't; a refusal has no score and is counted."""
    frame = intervals("one", [(2, 4), (4, 6), (0, 0)]).assign(status=["ok", "ok", "refusal"])
    frame.loc[2, ["lower", "upper"]] = float("nan")
    (log,) = exported(frame, tmp_path)
    described = log["detailed_evaluation_results"]
    assert described["additional_details"] == {"judgments_without_a_score": "refusal: 1"}
    text = (tmp_path / described["file_path"]).read_text("utf-8")
    first, second = map(json.loads, text.split("\n")[:-1])
    assert first["evaluation"] == {"score": 1.0, "is_correct": True}
    assert second["evaluation"] == {"score": 0.0, "is_correct": False}
    assert first["answer_attribution"][0]["extracted_value"] == "[2, 4]"
    assert first["input"]["reference"] == ["3"]
    assert first["metadata"]["level"] == "90"


def test_judgments_that_are_neither_right_nor_wrong_have_no_items(tmp_path: Path) -> None:
    """A number for a word: the file says why there is none beside it."""
    frame = pd.DataFrame(
        {
            "task": "wep_elicitation",
            "item": ["a", "b", "c"],
            "word": "likely",
            "setting": "concise",
            "language": "en",
            "probability": [0.6, 0.7, 0.8],
        }
    )
    (log,) = exported(frame, tmp_path)
    assert "detailed_evaluation_results" not in log
    assert "neither" in log["source_metadata"]["additional_details"]["per_item"]


@pytest.mark.parametrize(
    ("model", "deployment", "availability"),
    [
        ("openai/gpt-4o", "externally_managed", "closed_weights"),
        ("openai/gpt-oss-20b", "externally_managed", "unknown"),
        ("anthropic/claude-sonnet-4-0", "externally_managed", "closed_weights"),
        ("google/gemma-3", "externally_managed", "unknown"),
        ("hf/meta-llama/Llama-3.1-8B", "self_deployed", "unknown"),
        ("respondent/tunnel", "self_deployed", "unknown"),
        ("somebody/model", "unknown", "unknown"),
        ("unnamed", "unknown", "unknown"),
    ],
)
def test_deployment_and_availability_follow_from_the_providers_name(
    model: str, deployment: str, availability: str
) -> None:
    """Only what the provider's name says; else the schema's `unknown`."""
    details = model_info(model, ())["additional_details"]
    assert (details["deployment_type"], details["model_availability"]) == (deployment, availability)


def test_ids_leave_out_providers_and_a_reply_of_two_markers_is_one_item() -> None:
    """Providers are no part of an id; a reply of two markers is one line without the first's."""
    assert model_info("vllm/org/model", ())["id"] == "org/model"
    run = LogRun("2026-01-01T00:00:00+00:00", "0.3", own_address=True)
    details = model_info("openai/gpt-4o", [run])["additional_details"]
    assert details["deployment_type"] == "unknown"
    # Two rows of a reply with two markers: one line, without what the first row alone says.
    row = {
        "uuid": "u",
        "run": "r",
        "item": "q",
        "epoch": 1.0,
        "draw": 0.0,
        "status": "ok",
        "split": "test",
    }
    of_marker = {
        **{"sentence": 0.0, "marker": "maybe", "confidence": 0.4, "consistent": 2.0},
        **{"undecided": 1.0, "inconsistent": 2.0, "failed": 0.0, "decisiveness": 0.3},
        "n_markers": 1.0,
    }
    table = all_tables()["hedge_markers"]
    blank = {column.name: "" if column.kind == "text" else NAN for column in table.columns}
    frame = pd.DataFrame(
        [
            {**blank, **row, **of_marker, "correct": 1.0},
            {**blank, **row, **of_marker, "marker": "likely", "confidence": 0.9, "correct": 1.0},
        ]
    )
    reply_set = ResultSet("hedge_markers", "one", "questions", "", ResultTable([]), frame, frame)
    items = items_of(reply_set, {"evaluation_id": "id"})
    assert items is not None
    ((line,), _) = items
    assert not set(of_marker) & set(line["metadata"])
    assert line["metadata"]["correct"] == "1"


def test_files_of_hostile_names_are_valid_and_hold_the_whole_names(tmp_path: Path) -> None:
    """Each has its files; names in them are whole."""
    logs = exported(hostile_judgments(), tmp_path)
    assert set(column_of(column_of(logs, "model_info"), "name")) == set(HOSTILE)
    assert all(len(log["evaluation_id"]) < 500 for log in logs)


def test_ids_differ_by_judgments_and_not_by_their_order(tmp_path: Path) -> None:
    """Without logs the judgments tell files apart, and the order of rows doesn't."""
    frame = intervals("one", BOUNDS)
    (first,) = exported(frame, tmp_path / "a")
    (other_log,) = exported(frame.assign(truth=2.5), tmp_path / "b")
    (reordered,) = exported(frame.iloc[::-1], tmp_path / "c")
    assert first["evaluation_id"] != other_log["evaluation_id"]
    assert first["evaluation_id"] == reordered["evaluation_id"]


@pytest.mark.parametrize(
    ("name", "identity", "platform", "availability"),
    [
        (
            "openrouter/anthropic/claude-3.5-sonnet",
            "anthropic/claude-3.5-sonnet",
            "openrouter",
            "closed_weights",
        ),
        ("openrouter/auto", "openrouter/auto", "openrouter", "unknown"),
        ("together/meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-8B", "together", "unknown"),
        ("groq/openai/gpt-oss-20b", "openai/gpt-oss-20b", "groq", "unknown"),
        ("groq/llama-3.1-8b", "groq/llama-3.1-8b", "groq", "unknown"),
        ("openai-api/deepseek/chat", "deepseek/chat", None, "unknown"),
        ("openai-api/mine/google/gemini-2.5-pro", "google/gemini-2.5-pro", None, "closed_weights"),
        ("openai/azure/gpt-4o", "openai/gpt-4o", "openai", "closed_weights"),
        ("google/vertex/gemini-2.5-pro", "google/gemini-2.5-pro", "google", "closed_weights"),
        ("vllm/org/model", "org/model", None, "unknown"),
    ],
)
def test_a_routed_models_id_is_its_developers(
    name: str, identity: str, platform: str | None, availability: str
) -> None:
    """The id and what is known of the weights don't depend on who runs the model."""
    info = model_info(name, ())
    assert info["name"] == name
    assert info["id"] == identity
    assert info.get("inference_platform") == platform
    assert info["additional_details"]["model_availability"] == availability
    assert developer(name) == identity.split("/", maxsplit=1)[0]


@pytest.mark.skipif(not IS_HERE, reason="every-eval-ever needs Python 3.12")
def test_the_copied_schemas_equal_the_released_ones() -> None:
    """What stands for the package on Python 3.11 says the same."""
    released = files("every_eval_ever") / "schemas"
    for copied in SCHEMAS.glob("*.json"):
        assert json.loads(copied.read_text("utf-8")) == json.loads(
            (released / copied.name).read_text("utf-8")
        )


def test_the_checks_find_a_missing_model_and_a_score_that_is_no_number(tmp_path: Path) -> None:
    """A record without a model, and one whose score is no number, are found."""
    exported(scale_judgments("one", [0.8, 0.7, 0.9], [1, 1, 0]), tmp_path)
    (path,) = tmp_path.rglob("data/**/*.json")
    whole = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**whole, "model_info": {}}), "utf-8")
    assert problems(tmp_path)
    whole["evaluation_results"][0]["score_details"]["score"] = "high"
    path.write_text(json.dumps(whole), "utf-8")
    assert problems(tmp_path)


@pytest.mark.slow
def test_the_released_command_accepts_every_task(tmp_path: Path) -> None:
    """Their command, in an environment of its own, passes what the example logs become."""
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if uv is None:
        pytest.skip("uv is not there to make an environment for every-eval-ever")
    newer = subprocess.run(
        [uv, "python", "find", "--no-python-downloads", ">=3.12"], capture_output=True, check=False
    )
    if newer.returncode:
        pytest.skip("every-eval-ever needs Python 3.12, and uv finds none")
    export(CHECKOUT / "examples" / "logs", "every-eval-ever", tmp_path, resamples=20)
    files = [str(file.relative_to(tmp_path)) for file in tmp_path.rglob("data/**/*.json*")]
    validate = ["every_eval_ever", "validate", "--format", "json", *files]
    done = subprocess.run(
        [uv, "tool", "run", "--python", ">=3.12", "--from", "every-eval-ever>=0.3", *validate],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    reports = json.loads(done.stdout or "[]")
    assert [report for report in reports if not report["valid"] or report["warnings"]] == [], (
        done.stderr
    )
    assert len(reports) == len(files)
    assert done.returncode == 0
