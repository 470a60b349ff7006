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

import pandas as pd
import pytest
from inspect_ai.log import read_eval_log

from build import column_of, texts_starting
from conftest import CHECKOUT, site_packages

FILES = ["pyproject.toml", *(f"src/forecasts/{name}.py" for name in ("_registry", "task", "study"))]
EVENTS = """event,happened
it rained in Paris on 1 May,true
it rained in Rome on 1 May,true
it snowed in Cairo on 1 May,false
"""

SESSION = """
import json, sys
from click.testing import CliRunner
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_confidence.cli import main

events = [line.split(",")[0] for line in open("events.csv").read().splitlines()[1:]]

def ask(name, *replies):
    def reply(messages, *_):
        (place,) = (i for i, event in enumerate(events) if event in messages[-1].text)
        output = ModelOutput.from_content("mockllm", replies[place])
        output.usage = ModelUsage()  # else Inspect downloads a tokenizer to count
        return output

    model = get_model(f"mockllm/{name}", custom_outputs=reply, memoize=False)
    (log,) = eval(
        "forecasts/forecasts", task_args={"dataset": "events.csv"}, model=model,
        log_dir="logs", display="plain",
    )
    return log.error.message if log.error else log.location

def done(step, *words):
    if step != "ask":
        result = CliRunner().invoke(main, [step, *words])
        return result.stdout if result.exit_code == 0 else "refused: " + result.output
    try:
        return ask(*words)
    except Exception as error:
        return f"refused: {error}"

said = [done(*step) for step in json.loads(sys.argv[1])]
print(json.dumps(said), file=open("said.json", "w"))
"""
"""Asks models with given replies, one an event in the file's order, and runs our commands."""

Session = Callable[..., list[str]]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's files as they stand on the page."""
    page = (CHECKOUT / "docs" / "add-a-study.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```\w+\n# (\S+)\n(.*?)^```", page, re.M | re.DOTALL)
    assert column_of(blocks, 0) == FILES
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
def session(python: Path, tmp_path: Path) -> Session:
    """Takes steps in a Python there, in a folder with events: what each of them says."""

    def take(*steps: tuple[object, ...], events: str = EVENTS) -> list[str]:
        (tmp_path / "events.csv").write_text(events, encoding="utf-8")
        words = json.dumps([list(map(str, step)) for step in steps])
        done = subprocess.run(
            [python, "-c", SESSION, words],
            cwd=tmp_path,
            env={**os.environ, "PWD": str(tmp_path), "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        lines: list[str] = json.loads((tmp_path / "said.json").read_text("utf-8"))
        return lines

    return take


@pytest.mark.slow
def test_a_study_of_another_package_runs_to_the_leaderboard(
    session: Session, tmp_path: Path
) -> None:
    """Brier scores by hand: errors of .2, .4 and .5 give .15; one without a number is left out."""
    draws = ("--resamples", 200)
    location, table, checked, shown_text, _, joint, compared, *files = session(
        ("ask", "first", "0.8", "0.6", "0.5"),
        ("summarize", "logs", "--json", *draws),
        ("check", "logs", "--json", *draws, "--require", "brier<=0.2"),
        ("summarize", "logs", *draws),
        # The second model's first reply can't be read: that event counts for neither.
        ("ask", "second", "I can't say.", "1", "0"),
        ("summarize", "logs", "--json", *draws),
        ("compare", "logs", "--json", *draws),
        ("report", "logs", "-o", "report", "--resamples", 50),
        ("export", "logs", "--format", "leaderboard", "-o", "out", "--resamples", 50),
    )
    assert not texts_starting(files, "refused")
    log = read_eval_log(location)
    assert log.eval.task == "forecasts/forecasts"
    assert log.eval.viewer is not None
    row, unread, *_ = json.loads(table)
    assert (unread["metric"], unread["value"]) == ("unread_share", 0)
    assert (row["task"], row["metric"], row["n"]) == ("forecasts", "brier", 3)
    assert row["value"] == pytest.approx((0.04 + 0.16 + 0.25) / 3)
    assert row["ci_low"] is row["ci_high"] is None  # of three events
    assert "no interval: fewer than 20 items" in row["note"]
    assert json.loads(checked)[0]["passed"]
    sentence = "0.15 for mockllm/first (forecasts on events.csv, n = 3; no interval)."
    assert sentence in " ".join(shown_text.split())
    of_second = pd.DataFrame(json.loads(joint)).query("model == 'mockllm/second'")
    rows = of_second.drop_duplicates("metric", keep="last").set_index("metric").T
    error, unread = rows["brier"], rows["unread_share"]
    assert (error["value"], error["n"]) == (0, 2)
    assert "1 of 3 judgments left out" in error["note"]
    assert unread["value"] == pytest.approx(1 / 3)
    (difference,) = json.loads(compared)
    values = {difference["a"]: difference["value_a"], difference["b"]: difference["value_b"]}
    assert difference["items"] == 2
    assert values == pytest.approx({"mockllm/first": (0.16 + 0.25) / 2, "mockllm/second": 0})
    page = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert "Forecasts: the probability of events" in page
    assert "Brier score of forecasts" in page
    board = (tmp_path / "out" / "leaderboard.md").read_text("utf-8")
    assert board.index("mockllm/second") < board.index("mockllm/first")  # the lower error first


@pytest.mark.slow
def test_its_bad_input_is_refused_before_any_call(session: Session, tmp_path: Path) -> None:
    """A value that is no truth value, and an option that no study has."""
    calls, summarized = session(
        ("ask", "first", "0.8"),
        ("summarize", "events.csv", "--option", "forecasts.nothing=1"),
        events="event,happened\nit rained,perhaps\n",
    )
    assert "happened=perhaps" in calls
    assert calls.startswith("refused")
    assert summarized.startswith("refused")
    assert "There is no option 'forecasts.nothing'" in summarized
    assert not list(tmp_path.glob("logs/*.eval"))
