"""The package that docs/add-a-study.md writes: built, installed, and run to the leaderboard."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log

from conftest import CHECKOUT, site_packages

FILES = ["pyproject.toml", *(f"src/forecasts/{name}.py" for name in ("_registry", "task", "study"))]
EVENTS = """event,happened
it rained in Paris on 1 May,true
it rained in Rome on 1 May,true
it snowed in Cairo on 1 May,false
"""

# A model with the replies that stand in the environment, one an event in the file's order.
ASK = """
import json, os
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

asked = json.loads(os.environ["ASKED"])
events = [line.split(",")[0] for line in open("events.csv").read().splitlines()[1:]]

def reply(messages, *_):
    (place,) = (i for i, event in enumerate(events) if event in messages[-1].text)
    output = ModelOutput.from_content("mockllm", asked["replies"][place])
    output.usage = ModelUsage()  # else Inspect downloads a tokenizer to count
    return output

model = get_model(f"mockllm/{asked['name']}", custom_outputs=reply, memoize=False)
(log,) = eval(
    "forecasts/forecasts", task_args={"dataset": "events.csv"}, model=model,
    log_dir="logs", display="plain",
)
assert log.status == "success", log.error
print(log.location, file=open("location", "w"))
"""

CONFIDENCE = "from inspect_confidence.cli import main; main()"

Run = Callable[..., str]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's files as they stand on the page."""
    page = (CHECKOUT / "docs" / "add-a-study.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```\w+\n# (\S+)\n(.*?)^```", page, re.M | re.DOTALL)
    assert [name for name, _ in blocks] == FILES
    folder = tmp_path_factory.mktemp("forecasts")
    (folder / "src" / "forecasts").mkdir(parents=True)
    (folder / "src" / "forecasts" / "__init__.py").write_text('"""Forecasts of events."""\n')
    for name, text in blocks:
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def python(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the package's wheel, this checkout and its dependencies."""
    program = Path(sys.executable).parent / "uv"
    subprocess.run([program, "build", "--quiet", "--wheel", package], check=True)
    (wheel,) = (package / "dist").glob("*.whl")
    env = tmp_path_factory.mktemp("env")
    home = site_packages(env)
    (home / "checkout.pth").write_text(str(CHECKOUT / "src"), "utf-8")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(home)
    return env / "bin" / "python"


@pytest.fixture
def run(python: Path, tmp_path: Path) -> Run:
    """Runs Python there, in a folder with three events."""
    (tmp_path / "events.csv").write_text(EVENTS, encoding="utf-8")

    def run(script: str, *words: object, **variables: str) -> str:
        done = subprocess.run(
            [python, "-c", script, *map(str, words)],
            cwd=tmp_path,
            env={**os.environ, "PWD": str(tmp_path), "NO_COLOR": "1", **variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def ask(run: Run, folder: Path, name: str, *replies: str) -> str:
    """The log of a model with these replies."""
    asked = json.dumps({"name": name, "replies": replies})
    run(ASK, ASKED=asked)
    return (folder / "location").read_text("utf-8").strip()


def rows(run: Run, command: str, *words: object) -> list[dict[str, Any]]:
    """What a command gives as JSON."""
    found: list[dict[str, Any]] = json.loads(
        run(CONFIDENCE, command, "logs", "--json", "--resamples", 200, *words)
    )
    return found


def test_a_study_of_another_package_runs_to_the_leaderboard(run: Run, tmp_path: Path) -> None:
    """Brier scores by hand: errors of .2, .4 and .5 give .15; one without a number is left out."""
    location = ask(run, tmp_path, "first", "0.8", "0.6", "0.5")
    assert read_eval_log(location, header_only=True).eval.task == "forecasts/forecasts"
    assert read_eval_log(location).eval.viewer is not None
    (row,) = rows(run, "summarize")
    assert (row["task"], row["metric"], row["n"]) == ("forecasts", "brier", 3)
    assert row["value"] == pytest.approx((0.04 + 0.16 + 0.25) / 3)
    assert row["ci_low"] <= row["value"] <= row["ci_high"]
    assert rows(run, "check", "--require", "brier<=0.2")[0]["passed"]
    assert "0.150" in run(CONFIDENCE, "summarize", "logs", "--resamples", 200)

    # The second model's first reply can't be read: that event counts for neither.
    ask(run, tmp_path, "second", "I can't say.", "1", "0")
    unread = {row["model"]: row for row in rows(run, "summarize")}["mockllm/second"]
    assert (unread["value"], unread["n"]) == (0, 2)
    assert "1 of 3 judgments left out" in unread["note"]
    (difference,) = rows(run, "compare")
    values = {difference["a"]: difference["value_a"], difference["b"]: difference["value_b"]}
    assert difference["items"] == 2
    assert values == pytest.approx({"mockllm/first": (0.16 + 0.25) / 2, "mockllm/second": 0})

    run(CONFIDENCE, "report", "logs", "-o", "report", "--resamples", 50)
    page = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert "Forecasts: the probability of events" in page
    assert "Brier score of forecasts" in page
    out = ("-o", "out", "--resamples", 50)
    run(CONFIDENCE, "export", "logs", "--format", "leaderboard", *out)
    board = (tmp_path / "out" / "leaderboard.md").read_text("utf-8")
    assert board.index("mockllm/second") < board.index("mockllm/first")  # the lower error first


def test_its_bad_input_is_refused_before_any_call(run: Run, tmp_path: Path) -> None:
    """A value that is no truth value, and an option that no study has."""
    (tmp_path / "events.csv").write_text("event,happened\nit rained,perhaps\n", "utf-8")
    with pytest.raises(AssertionError, match="happened=perhaps"):
        ask(run, tmp_path, "first", "0.8")
    with pytest.raises(AssertionError, match=r"There is no option 'forecasts\.nothing'"):
        run(CONFIDENCE, "summarize", "events.csv", "--option", "forecasts.nothing=1")
