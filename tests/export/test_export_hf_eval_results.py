"""Hugging Face's `.eval_results`: one number a task id, loaded by `yaml.safe_load`."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
import yaml
from huggingface_hub import eval_result_entries_to_yaml, parse_eval_result_entries

from conftest import run_respondent
from export.judged import HOSTILE, hostile_judgments, intervals
from inspect_confidence.export import export

BOUNDS = [(2.0, 4.0), (2.5, 5.0), (4.0, 6.0), (5.0, 6.0)]


def entries(folder: Path) -> dict[str, list[dict[str, object]]]:
    """What each file holds, by the folder of its model; the hub's own reader takes all of it."""
    held = {
        path.parts[len(folder.parts)]: yaml.safe_load(path.read_text("utf-8"))
        for path in folder.rglob("*.yaml")
    }
    for one in held.values():
        assert eval_result_entries_to_yaml(parse_eval_result_entries(one)) == one
    return held


def test_entries_hold_the_headline_numbers(tmp_path: Path) -> None:
    """Coverage of two of four is 0.5: the gap is -0.4, the plateau 0.5 / 0.9."""
    export(intervals("openai/some-model", BOUNDS), "hf-eval-results", tmp_path, resamples=20)
    (found,) = entries(tmp_path).values()
    values = {one["dataset"]["task_id"]: one["value"] for one in found}  # type: ignore[index]
    assert values["fermi_eval/coverage_gap/level=90/method=direct"] == pytest.approx(-0.4)
    assert values["fermi_eval/coverage_plateau/method=direct"] == pytest.approx(0.5 / 0.9)
    assert {one["dataset"]["id"] for one in found} == {"questions"}  # type: ignore[index]
    assert len(values) == len(found)
    (gap,) = [one for one in found if one["value"] == pytest.approx(-0.4)]
    assert "nearer to 0 is better" in str(gap["notes"])
    assert "95% interval" in str(gap["notes"])
    assert "date" not in gap


def test_files_lie_where_the_hub_reads_them(tmp_path: Path) -> None:
    """`.eval_results/*.yaml` within the model's folder, with the day of the run."""
    run_respondent("calibrated", tmp_path / "logs", items=6, levels="90")
    (path,) = export(tmp_path / "logs", "hf-eval-results", tmp_path / "out", resamples=20)
    assert path.parent.name == ".eval_results"
    days = {str(one["date"]) for one in yaml.safe_load(path.read_text("utf-8"))}
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
    files = [path for path in paths if path.suffix == ".yaml"]
    assert len({path.name for path in files}) == 2
    assert len({path.parent for path in files}) == 1
    assert all("effort=" in path.read_text("utf-8") for path in files)


def test_numbers_that_are_not_finite_are_listed(tmp_path: Path) -> None:
    """No readable reply leaves the gap undefined: no entry, but a row with the reason."""
    frame = intervals("one", BOUNDS).assign(lower=float("nan"), upper=float("nan"))
    export(frame, "hf-eval-results", tmp_path, resamples=20)
    left = pd.read_csv(tmp_path / "left_out.csv")
    assert set(left["left_out"]) == {"undefined"}
    assert "coverage_gap" in set(left["metric"])
    ((found,),) = [entries(tmp_path).values()]
    assert [one["value"] for one in found] == [1.0]  # the failure rate


def test_hostile_names_load_as_they_are(tmp_path: Path) -> None:
    """Each model has a folder; the loaded numbers are those of a harmless name."""
    frame = hostile_judgments()
    export(frame, "hf-eval-results", tmp_path, resamples=20)
    found = entries(tmp_path)
    assert len(found) == len(HOSTILE)
    assert all(len(name) < 100 for name in found)
    renamed = frame.assign(dataset=frame["model"], model="one")
    export(renamed, "hf-eval-results", tmp_path / "again", resamples=20)
    ((again,),) = [entries(tmp_path / "again").values()]
    assert {one["dataset"]["id"] for one in again} == set(HOSTILE)  # type: ignore[index]


@pytest.mark.parametrize(
    "name", ["1e5", "12e03", "0o17", "0x1F", ".5", "nan", "-Infinity", "y", "no", "null", "~"]
)
def test_texts_that_look_like_something_else_are_quoted(tmp_path: Path, name: str) -> None:
    """Readers of YAML 1.2 take a bare `1e5` for a number and `0o17` for fifteen."""
    frame = intervals("one", BOUNDS).assign(dataset=name)
    (path,) = export(frame, "hf-eval-results", tmp_path, resamples=20)
    text = path.read_text("utf-8")
    assert {one["dataset"]["id"] for one in yaml.safe_load(text)} == {name}
    written = {line.split(": ", 1)[1] for line in text.splitlines() if " id: " in line}
    assert written <= {f'"{name}"', f"'{name}'"}
