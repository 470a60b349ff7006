"""The command line: what it prints and writes."""

from __future__ import annotations

import csv
import json
import os
import re
from pathlib import Path

import pandas as pd
import pytest
from inspect_ai.log import read_eval_log, write_eval_log

from build import rows_by
from conftest import CHECKOUT, Command
from inspect_confidence import ingest
from inspect_confidence.cli.terminal import print_table
from runs import printed

ANSWERS = """item,level,lower,upper,truth,split
i0,50,0,2,1,test
i0,99,0,2,1,test
i1,50,3,5,9,train
i1,99,3,5,9,train
i2,50,-2,0,-1,test
i2,99,-2,0,-1,test
i3,50,5,7,6,train
i3,99,5,7,6,train
i4,50,1,3,2,test
i4,99,1,3,2,test
i5,50,0,2,0,train
i5,99,0,2,0,train
"""


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """A csv of six items at two levels."""
    path = tmp_path / "answers.csv"
    path.write_text(ANSWERS, "utf-8")
    return path


def test_json_is_the_results_table(answers: Path, tmp_path: Path) -> None:
    """--json prints rows with null for NaN and text for infinity; --csv writes the same rows."""
    out = tmp_path / "results.csv"
    done = printed("summarize", answers, "--json", "--csv", out, "--resamples", 100)
    rows = json.loads(done.stdout)
    assert list(rows[0]) == [
        *("task", "model", "dataset", "condition", "metric", "value", "ci_low", "ci_high"),
        *("n", "asked", "note"),
    ]
    row_by_metric = rows_by(rows, "condition", "metric")
    # Covered: all but (3, 5) around 9, at both levels.
    assert row_by_metric["level=50;method=direct", "coverage"]["value"] == pytest.approx(5 / 6)
    assert row_by_metric["level=50;method=direct", "n"]["ci_low"] is None
    # Three train items: 99% needs 99.
    conformal = row_by_metric["level=99;method=conformal;split=test", "conformal_offset"]
    assert conformal["value"] == "Infinity"
    assert "the 99 that 99% needs, so that intervals are infinite" in conformal["note"]
    # At 50%, the 2nd smallest of the train scores max(l - y, y - u): items 1, 3, 5 have 4, -1, 0.
    assert row_by_metric["level=50;method=conformal;split=test", "conformal_offset"]["value"] == 0
    with out.open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == len(rows)


def test_table_is_readable_without_a_terminal(command: Command, answers: Path) -> None:
    """With --full a table with levels in rows is printed, and no line is cut."""
    text = command("inspect-confidence", "summarize", answers, "--full", "--resamples", 100).stdout
    assert text.strip().startswith("answers, test split")
    assert re.search(r"^level +direct coverage", text, re.MULTILINE)
    assert "…" not in text
    assert "Coverage plateau (direct)" in text


def test_names_are_not_markup(capsys: pytest.CaptureFixture[str]) -> None:
    """Brackets in cells and headings are printed as they are."""
    for model in ("a[/b]x", "llama[int4]", ":smile:"):
        print_table(pd.DataFrame({"model": [model], model: ["x"]}), model, model)
        assert capsys.readouterr().out.count(model) == 4, model


def test_judgments_command_writes_both_kinds(answers: Path, tmp_path: Path) -> None:
    """Judgments -o writes csv or parquet, and refuses another ending."""
    done = printed("judgments", answers, "-o", tmp_path / "j.parquet")
    assert "12 judgments written" in done.stdout
    assert "j.xlsx" in printed("judgments", answers, "-o", tmp_path / "j.xlsx", code=2).stderr


def test_judgments_command_counts_the_rows_of_a_reply_as_one_judgment(tmp_path: Path) -> None:
    """Each question has a row of its stated confidence and one of its token's probability."""
    log = CHECKOUT / "examples" / "logs" / "question_sets-candid.eval"
    done = printed("judgments", log, "-o", tmp_path / "j.csv")
    table = pd.read_csv(tmp_path / "j.csv")
    questions = table["uuid"].nunique()
    assert len(table) == 2 * questions
    assert done.stdout == (
        f"{len(table)} rows of {questions} judgments written to {tmp_path / 'j.csv'}\n"
    )


def test_several_choices_of_a_call_have_a_notice(tmp_path: Path) -> None:
    """A task reads one of them; Anthropic's models are not sent the setting."""
    log = read_eval_log(str(CHECKOUT / "examples" / "logs" / "fermi_eval-candid.eval"))
    log.plan.config.num_choices = 3
    for model, says in (("openai/gpt-4o", True), ("anthropic/claude-haiku-4-5", False)):
        log.eval.model = model
        path = tmp_path / f"{model.partition('/')[0]}.eval"
        write_eval_log(log, str(path))
        done = printed("judgments", path, "-o", tmp_path / "j.csv")
        notice = "num_choices=3 asked each call for 3 replies, of which a task reads one"
        assert (notice in " ".join(done.stderr.split())) == says


def test_a_log_without_a_model_has_a_notice(tmp_path: Path) -> None:
    """Inspect names it none/none where no `--model` was given."""
    log = read_eval_log(str(CHECKOUT / "examples" / "logs" / "fermi_eval-candid.eval"))
    for model, says in (("none/none", True), ("a/model", False)):
        log.eval.model = model
        path = tmp_path / f"{model.replace('/', '-')}.eval"
        write_eval_log(log, str(path))
        done = printed("judgments", path, "-o", tmp_path / "j.csv")
        assert ("the run names no model (none/none)" in " ".join(done.stderr.split())) == says


def test_plan_of_ones_own_eval_names_the_task_that_asks_beside_it() -> None:
    """A file is no task of this package; a mistyped name gets the nearest one."""
    error = printed("plan", "mine.py@sums", code=2).stderr
    assert "'mine.py@sums'. Confidence beside an eval of yours: with_confidence -T task=" in error
    assert "Did you mean 'abstain'?" in printed("plan", "abstein", code=2).stderr


def test_plan_counts_calls_and_prices_them(tmp_path: Path) -> None:
    """Plan prints samples, calls, tokens and dollars, and calls nothing."""
    prices = tmp_path / "prices.yaml"
    prices.write_text(
        "openai/gpt-4o-mini: {input: 1.0, output: 1000.0, input_cache_write: 0, "
        "input_cache_read: 0}\n",
        "utf-8",
    )
    plan = ("plan", "fermi_eval", "-T", "dataset=bundled", "--model", "openai/gpt-4o-mini")
    more = ("-T", "items=10", "--epochs", 2, "--model-cost-config", prices)
    done = printed(*plan, *more)
    assert "10 items (5 train, 5 test)" in done.stdout
    assert "calls:   80" in done.stdout
    # 80 calls x 16 tokens out at $1,000 a million = $1.28, plus about a cent of input
    assert "about $1.2" in done.stdout
    assert "--model-cost-config" in printed(*plan).stdout


def test_mistakes_end_in_one_line(command: Command) -> None:
    """Every command refuses what it can't use in a line without a traceback."""
    for words, says in (
        (["summarize", "nowhere"], "there is no such log, folder or file"),
        (["plan", "fermy_eval"], "Did you mean 'fermi_eval'?"),
        (["plan", "fermi_eval", "-T", "items"], "not of the form name=value"),
        (["compare", "nowhere"], "there is no such log, folder or file"),
    ):
        assert says in printed(*words, code=2).stderr, words
    done = command("inspect-confidence", "summarize", "nowhere", check=False)
    assert done.returncode == 2
    assert "there is no such log, folder or file" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "message", "help_of"),
    [
        (["summarise", "x"], "No such command 'summarise'", "inspect-confidence"),
        (["summarize"], "Missing argument 'PATH...'", "inspect-confidence summarize"),
        (["summarize", "x", "--foo"], "No such option", "inspect-confidence summarize"),
        (["export", "x"], "Missing option '--format'", "inspect-confidence export"),
        (
            ["check", "x"],
            "Missing option '--require'. Write one such as --require 'ece<=0.10'.",
            "inspect-confidence check",
        ),
        (
            ["judgments", "x"],
            "Missing option '-o' / '--output'. Name one such as -o judgments.csv.",
            "inspect-confidence judgments",
        ),
        (
            ["report", "x"],
            "Missing option '-o' / '--output'. Name one such as -o report.",
            "inspect-confidence report",
        ),
        (
            ["ingest", "x"],
            "Missing option '-o' / '--output'. Name one such as -o store.",
            "inspect-confidence ingest",
        ),
        (["check", "x", "--seed", "y"], "Invalid value for '--seed'", "inspect-confidence check"),
    ],
)
def test_errors_of_usage_have_two_lines(
    command: Command, words: list[str], message: str, help_of: str
) -> None:
    """The first says what is wrong; the second names the help, with no usage before them."""
    done = command("inspect-confidence", *words, check=False)
    assert done.returncode == 2
    error, help_line = done.stderr.strip().splitlines()
    assert error.startswith(f"Error: {message}")
    assert help_line == f"Try '{help_of} --help'."


def test_help_is_printed_where_no_command_is_named() -> None:
    """Without a word after the program's name there is no error."""
    assert "Commands:" in printed(code=None).output


@pytest.mark.parametrize(
    ("command_name", "user_setting", "expected"),
    [("cite", None, "1"), ("cite", "2", None), ("run", None, None)],
)
def test_linear_algebra_has_one_thread_unless_the_user_sets_it(
    monkeypatch: pytest.MonkeyPatch,
    command_name: str,
    user_setting: str | None,
    expected: str | None,
) -> None:
    """Tools that a run starts keep their threads."""
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(variable, "")
        monkeypatch.delenv(variable)
    if user_setting:
        monkeypatch.setenv("OMP_NUM_THREADS", user_setting)
    printed(command_name, "--help")
    assert os.environ.get("OPENBLAS_NUM_THREADS") == expected


def test_files_and_stores_are_read_without_inspect(
    command: Command, answers: Path, tmp_path: Path
) -> None:
    """Importing inspect_ai takes seconds."""
    ingest(CHECKOUT / "examples" / "logs" / "life_eval-candid.eval", tmp_path / "store")
    store = str(tmp_path / "store")
    script = (
        "import sys; from inspect_confidence import read_judgments, summarize; "
        f"summarize({str(answers)!r}, resamples=10); "
        f"read_judgments({store!r}); "
        "print('inspect_ai' in sys.modules)"
    )
    assert command("python", "-c", script).stdout.strip() == "False"
