"""The code that README.md prints runs as it is printed."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pandas as pd
import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model

from conftest import CHECKOUT
from inspect_confidence import compare, summarize

TEXT = (CHECKOUT / "README.md").read_text("utf-8")
TASK, FIGURE = re.findall(r"^```python\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def model(*replies: str) -> Model:
    """A model that gives these replies in turn; usage is set, or Inspect loads a tokenizer."""
    outputs = []
    for reply in replies:
        output = ModelOutput.from_content("mockllm", reply)
        output.usage = ModelUsage()
        outputs.append(output)
    return get_model("mockllm/model", custom_outputs=outputs, memoize=False)


def test_the_task_asks_for_an_answer_and_then_for_its_confidence(tmp_path: Path) -> None:
    """Two calls a question; the answer is right and 80% sure."""
    names: dict[str, object] = {"__name__": "my_eval", "__file__": str(tmp_path / "my_eval.py")}
    exec(TASK, names)  # the checkout's own text
    task = names["metals"]
    assert callable(task)
    logs = str(tmp_path / "logs")
    (log,) = inspect_eval(
        task(), model=model("ANSWER: B", "80"), log_dir=logs, display="none", model_roles={}
    )
    assert log.status == "success"
    values = summarize(logs, resamples=10).set_index("metric")["value"]
    assert values["accuracy"] == 1
    assert values["mean_confidence"] == pytest.approx(0.8)


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
