"""The code that README.md prints runs as it is printed."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pandas as pd
import pytest
from inspect_ai import eval as inspect_eval

from conftest import CHECKOUT
from inspect_confidence import compare, summarize
from runs import printed

TEXT = (CHECKOUT / "README.md").read_text("utf-8")
TASK, FIGURE = re.findall(r"^```python\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def test_the_task_runs_on_a_simulated_model_and_prints_what_is_shown(tmp_path: Path) -> None:
    """The commands below the task, as they stand there."""
    shown = TEXT.split("    $ inspect eval evening.py ")[1].split("\n\n")[0]
    options, command, *expected, _ = re.sub("^    ", "", shown, flags=re.MULTILINE).splitlines()
    names: dict[str, object] = {"__name__": "evening", "__file__": str(tmp_path / "evening.py")}
    exec(TASK, names)  # the checkout's own text
    task = names["evening"]
    assert callable(task)
    logs = str(tmp_path / "logs")
    model = re.findall("--model ([^ ]+)", options)[0]
    (log,) = inspect_eval(task(), model=model, log_dir=logs, display="none")
    assert log.status == "success"
    assert command.startswith("$ inspect-confidence summarize ")
    output = printed("summarize", logs).output.strip().replace(" \n", "\n")
    assert output.splitlines()[: len(expected)] == expected


def test_the_figure_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its lines read the example logs of the checkout."""
    (tmp_path / "examples").symlink_to(CHECKOUT / "examples")
    monkeypatch.chdir(tmp_path)
    exec(FIGURE, {})  # the checkout's own text
    assert (tmp_path / "reliability.svg").read_text("utf-8").lstrip().startswith("<?xml")


def test_the_columns_of_the_file_are_understood(tmp_path: Path) -> None:
    """A file of that head has the results of both models."""
    (head,) = re.findall(r"^ {4}(item,.*)$", TEXT, re.MULTILINE)
    rows = []
    for model, i in product("ab", range(30)):
        rows.append(f"q{i},model-{model},0.{5 + i % 5},{int(i % 3 > 0)}")
    place = tmp_path / "answers.csv"
    place.write_text("\n".join([head, *rows]))
    results = summarize(place, resamples=10)
    accuracy = results[results["metric"].eq("accuracy") & results["model"].str.startswith("model")]
    assert dict(zip(accuracy["model"], accuracy["value"], strict=True)) == {
        "model-a": pytest.approx(2 / 3),
        "model-b": pytest.approx(2 / 3),
    }
    assert isinstance(compare(place, resamples=10), pd.DataFrame)
