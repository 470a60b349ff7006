"""The study that docs/add-a-study.md writes: it runs, from the question to the results."""

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pandas as pd
import pytest
from inspect_ai import eval
from inspect_ai.model import ChatMessage, ModelOutput, ModelUsage, get_model

import inspect_confidence
from conftest import CHECKOUT
from inspect_confidence import InvalidArgument, compare, summarize
from inspect_confidence.commands import analysis
from inspect_confidence.judgments.read import read_judgments
from inspect_confidence.metrics import METRICS
from inspect_confidence.studies import Study, TaskTable, all_tables

FILES = ("datasets", "prompts", "tasks", "studies")
EVENTS = """event,happened
it rained in Paris on 1 May,true
it rained in Rome on 1 May,true
it snowed in Cairo on 1 May,false
"""


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Study]:
    """The example's files as modules of the package, and its study among the others."""
    page = (CHECKOUT / "docs" / "add-a-study.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n# (\w+)/forecasts\.py\n(.*?)^```", page, re.M | re.DOTALL)
    assert [folder for folder, _ in blocks] == list(FILES)
    for folder, text in blocks:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "forecasts.py").write_text(text, encoding="utf-8")
        package = importlib.import_module(f"{inspect_confidence.__name__}.{folder}")
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path / folder)])
    made: Study = importlib.import_module("inspect_confidence.studies.forecasts").FORECASTS
    monkeypatch.setitem(cast(dict[str, TaskTable], all_tables()), "forecasts", made.tables[0])
    monkeypatch.setattr(analysis, "all_studies", lambda: (made,))
    yield made
    for folder in FILES:
        monkeypatch.delitem(sys.modules, f"inspect_confidence.{folder}.forecasts")


def run(replies: list[str], tmp_path: Path, name: str) -> pd.DataFrame:
    """Judgments of a model with these replies, one an event in the file's order."""
    file = tmp_path / "events.csv"
    file.write_text(EVENTS, encoding="utf-8")
    module = importlib.import_module("inspect_confidence.tasks.forecasts")
    task = module.forecasts(dataset=str(file))
    events = [line.split(",")[0] for line in EVENTS.splitlines()[1:]]

    def reply(messages: list[ChatMessage], *_: object) -> ModelOutput:
        (place,) = (i for i, event in enumerate(events) if event in messages[-1].text)
        output = ModelOutput.from_content("mockllm", replies[place])
        output.usage = ModelUsage()  # else Inspect downloads a tokenizer to count
        return output

    model = get_model(f"mockllm/{name}", custom_outputs=reply, memoize=False)
    folder = tmp_path / name
    (log,) = eval(
        task,
        model=model,
        log_dir=str(folder),
        display="none",
    )
    assert log.status == "success", log.error
    return read_judgments(str(folder))["forecasts"]


@pytest.mark.usefixtures("study")
def test_example_runs_from_question_to_results(tmp_path: Path) -> None:
    """Brier scores by hand: errors of .2, .4 and .5 give (.04 + .16 + .25) / 3 = .15."""
    judged = run(["0.8", "0.6", "0.5"], tmp_path, "first")
    (row,) = summarize(judged, resamples=200).to_dict("records")
    assert (row["metric"], row["n"], row["dataset"]) == ("brier", 3, "events.csv")
    assert row["value"] == pytest.approx(0.15)
    assert row["ci_low"] <= 0.15 <= row["ci_high"]


@pytest.mark.usefixtures("study")
def test_example_counts_what_it_leaves_out(tmp_path: Path) -> None:
    """A reply without a number is left out of the score and stands in the note."""
    judged = run(["0.8", "I can't say.", "0.5"], tmp_path, "second")
    (row,) = summarize(judged, resamples=200).to_dict("records")
    assert row["value"] == pytest.approx((0.04 + 0.25) / 2)
    assert row["n"] == 2
    assert "1" in row["note"]


@pytest.mark.usefixtures("study")
def test_example_compares_on_common_items(tmp_path: Path) -> None:
    """The first event, which the other didn't answer, counts for neither."""
    judged = pd.concat(
        [
            run(["0.8", "0.6", "0.5"], tmp_path, "first"),
            run(["no idea", "1", "0"], tmp_path, "other"),
        ]
    )
    (row,) = compare(judged, resamples=200).to_dict("records")
    assert row["items"] == 2
    assert row["value_a"] == pytest.approx((0.16 + 0.25) / 2)
    assert row["value_b"] == pytest.approx(0)


def test_example_has_a_table_and_a_number_that_stands_for_it(study: Study, tmp_path: Path) -> None:
    """The table's cell knows its row; the headline is in the registry; bad files are refused."""
    results = summarize(run(["0.8", "0.6", "0.5"], tmp_path, "first"), resamples=200)
    (view,) = study.views(results)
    (cell,) = view.table["Brier"]
    assert cell.row == 0
    assert {one.metric for one in study.headlines} <= set(METRICS)
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("event,happened\nit rained,perhaps\n", encoding="utf-8")
    load = importlib.import_module("inspect_confidence.datasets.forecasts").load_forecasts
    with pytest.raises(InvalidArgument, match="happened=perhaps"):
        load(str(wrong))
