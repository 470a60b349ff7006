"""Hugging Face's `.eval_results`: one number a task id, loaded by `yaml.safe_load`."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
import yaml
from huggingface_hub import eval_result_entries_to_yaml, parse_eval_result_entries

from build import attributes_of, column_of, records_with, rows_with
from conftest import run_respondent
from export.judged import HOSTILE, hostile_judgments, intervals
from inspect_confidence.export import export

BOUNDS = [(2.0, 4.0), (2.5, 5.0), (4.0, 6.0), (5.0, 6.0)]


def entries(folder: Path) -> dict[str, list[dict[str, object]]]:
    """What each file holds, by the folder of its model; the hub's own reader takes all of it."""
    entries_by_model = {
        path.parts[len(folder.parts)]: yaml.safe_load(path.read_text("utf-8"))
        for path in folder.rglob("*.yaml")
    }
    for file_entries in entries_by_model.values():
        assert eval_result_entries_to_yaml(parse_eval_result_entries(file_entries)) == file_entries
    return entries_by_model


def test_entries_hold_the_headline_numbers(tmp_path: Path) -> None:
    """Coverage of two of four is 0.5: the gap is -0.4, the plateau 0.5 / 0.9."""
    export(intervals("openai/some-model", BOUNDS), "hf-eval-results", tmp_path, resamples=20)
    (model_entries,) = entries(tmp_path).values()
    values = {entry["dataset"]["task_id"]: entry["value"] for entry in model_entries}  # type: ignore[index]
    assert values["fermi_eval/coverage_gap/level=90/method=direct"] == pytest.approx(-0.4)
    assert values["fermi_eval/coverage_plateau/method=direct"] == pytest.approx(0.5 / 0.9)
    assert set(column_of(column_of(model_entries, "dataset"), "id")) == {"questions"}
    assert len(values) == len(model_entries)
    (gap,) = rows_with(model_entries, value=pytest.approx(-0.4))
    assert "nearer to 0 is better" in str(gap["notes"])
    assert "95% interval" in str(gap["notes"])
    assert "date" not in gap


def test_files_lie_where_the_hub_reads_them(tmp_path: Path) -> None:
    """`.eval_results/*.yaml` within the model's folder, with the day of the run."""
    run_respondent("calibrated", tmp_path / "logs", items=6, levels="90")
    (path,) = export(tmp_path / "logs", "hf-eval-results", tmp_path / "out", resamples=20)
    assert path.parent.name == ".eval_results"
    days = set(map(str, column_of(yaml.safe_load(path.read_text("utf-8")), "date")))
    assert len(days) == 1
    assert pd.Timestamp(days.pop()).year >= 2024


def test_variants_have_files_of_their_own(tmp_path: Path) -> None:
    """Two ways of running a model never share a task id in one file."""
    frame = pd.concat(
        [
            intervals("one", BOUNDS).assign(variant="effort=low"),
            intervals("one", BOUNDS[:2]).assign(variant="effort=high"),
        ]
    )
    paths = export(frame, "hf-eval-results", tmp_path, resamples=20)
    files = records_with(paths, suffix=".yaml")
    assert len(set(attributes_of(files, "name"))) == 2
    assert len(set(attributes_of(files, "parent"))) == 1
    for path in files:
        assert "effort=" in path.read_text("utf-8"), path


def test_undefined_numbers_are_listed_as_left_out(tmp_path: Path) -> None:
    """No readable reply leaves the gap undefined: no entry, but a row with the reason."""
    frame = intervals("one", BOUNDS).assign(lower=float("nan"), upper=float("nan"))
    export(frame, "hf-eval-results", tmp_path, resamples=20)
    left_out = pd.read_csv(tmp_path / "left_out.csv")
    assert set(left_out["left_out"]) == {"undefined"}
    assert "coverage_gap" in set(left_out["metric"])
    ((model_entries,),) = [entries(tmp_path).values()]
    assert column_of(model_entries, "value") == [1.0]  # the failure rate


def test_hostile_names_are_loaded_unchanged(tmp_path: Path) -> None:
    """Each model has a folder; the loaded numbers are those of a harmless name."""
    frame = hostile_judgments()
    export(frame, "hf-eval-results", tmp_path, resamples=20)
    entries_by_model = entries(tmp_path)
    assert len(entries_by_model) == len(HOSTILE)
    assert max(map(len, entries_by_model)) < 100
    renamed = frame.assign(dataset=frame["model"], model="one")
    export(renamed, "hf-eval-results", tmp_path / "again", resamples=20)
    ((renamed_entries,),) = [entries(tmp_path / "again").values()]
    assert set(column_of(column_of(renamed_entries, "dataset"), "id")) == set(HOSTILE)


@pytest.mark.parametrize(
    "name", ["1e5", "12e03", "0o17", "0x1F", ".5", "nan", "-Infinity", "y", "no", "null", "~"]
)
def test_texts_that_look_like_numbers_or_booleans_are_quoted(tmp_path: Path, name: str) -> None:
    """Readers of YAML 1.2 take a bare `1e5` for a number and `0o17` for fifteen."""
    frame = intervals("one", BOUNDS).assign(dataset=name)
    (path,) = export(frame, "hf-eval-results", tmp_path, resamples=20)
    text = path.read_text("utf-8")
    assert set(column_of(column_of(yaml.safe_load(text), "dataset"), "id")) == {name}
    quoted_texts = {line.split(": ", 1)[1] for line in text.splitlines() if " id: " in line}
    assert quoted_texts <= {f'"{name}"', f"'{name}'"}
