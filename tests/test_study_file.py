"""Study files: what they may say, what they would cost, and that they run and resume."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from inspect_ai.log import EvalLog, EvalStats, list_eval_logs, read_eval_log
from inspect_ai.model import ModelUsage

from conftest import CHECKOUT
from inspect_confidence.cli import main
from inspect_confidence.commands.design import read_design
from inspect_confidence.commands.plan import plan_run
from inspect_confidence.commands.prices import price_of
from inspect_confidence.commands.usage import (
    ModelTotal,
    active_seconds,
    usage_by_model,
    usage_sentence,
)
from inspect_confidence.versions import TASK_VERSIONS
from provider_server import ProviderServer, Reply
from runs import printed

ONE = {"models": ["respondent/candid"], "tasks": ["fermi_eval"]}


def write_study(folder: Path, says: object) -> str:
    """The path of a study file."""
    file = folder / "study.yaml"
    file.write_text(yaml.safe_dump(says), "utf-8")
    return str(file)


def _varied(**values: list[object]) -> dict[str, object]:
    """The tasks of a study file with one task, whose arguments take each of the values."""
    return {"tasks": [{"task": "fermi_eval", "vary": values}]}


def test_values_that_a_task_tells_apart_are_runs_of_their_own(tmp_path: Path) -> None:
    """007 may be the name of a file, other than 7; order and count of values are told apart."""
    values = {"seed": [1, 2, "12"], "items": ["007", 7, 7.5], "levels": ["9,0", 90, [90, 9], "x"]}
    entries = read_design(write_study(tmp_path, {**ONE, **_varied(**values)})).entries
    assert len(entries) == 3 * 3 * 4


def test_a_study_is_every_combination(tmp_path: Path) -> None:
    """Varied arguments are crossed; shared ones reach the tasks that have them, own ones win."""
    says = {
        **ONE,
        "arguments": {"dataset": "bundled", "items": 5},
        "repeats": 2,
        "tasks": [
            {"task": "fermi_eval", "vary": {"method": ["direct", "sampling"], "seed": [1, 2, 3]}},
            {"task": "life_eval", "arguments": {"items": 7}, "repeats": 1, "models": ["mockllm/m"]},
        ],
    }
    *fermi, life = read_design(write_study(tmp_path, says)).entries
    crossed = {(entry.arguments["method"], entry.arguments["seed"]) for entry in fermi}
    assert crossed == set(product(("direct", "sampling"), (1, 2, 3)))
    assert all(entry.arguments["dataset"] == "bundled" and entry.repeats == 2 for entry in fermi)
    assert (life.arguments, life.repeats, list(life.models)) == ({"items": 7}, 1, ["mockllm/m"])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"model": ["respondent/candid"]}, "Did you mean 'models'?"),
        ({"models": ["opnai/gpt-4o"]}, "Did you mean 'openai'?"),
        ({"models": ["gpt-4o"]}, "has no provider"),
        ({"models": ["openai/"]}, "'openai/' has no model after the provider"),
        ({"models": "openai/gpt-4o,openai/o3"}, "names several models; name one, or in a study"),
        ({"models": []}, "`models` is missing or empty"),
        ({"tasks": ["fermy_eval"]}, "Did you mean 'fermi_eval'?"),
        ({"tasks": []}, "tasks=[] should have at least 1 item"),
        ({"tasks": [{"task": "fermi_eval", "arguments": {"levles": 90}}]}, "Did you mean 'levels'"),
        (
            {"tasks": [{"task": "fermi_eval", "vary": {"levels": 90}}]},
            "tasks.0.vary.levels=90 should",
        ),
        ({"tasks": ["fermi_eval", "fermi_eval"]}, "write `repeats` instead"),
        # A task reads these alike, and the last is asked by default.
        (_varied(seed=[1, "1"]), "seed='1' asks respondent/candid twice with equal arguments"),
        (_varied(levels=["80, 90.0", [80, 90]]), "twice with equal arguments"),
        (
            {"tasks": ["fermi_eval", {"task": "fermi_eval", "arguments": {"method": "direct"}}]},
            "fermi_eval method=direct asks respondent/candid twice with equal arguments",
        ),
        ({"arguments": {"sexes": "male"}}, "none of the tasks has the argument 'sexes'"),
        ({"repeats": 0}, "repeats=0 should be greater than or equal to 1"),
        ({"repeats": "2"}, "repeats='2' should be a valid integer"),
        ({"log": "logs"}, "there is no 'log'. Did you mean 'logs'?\n"),
        ({"settings": {"temprature": 0}}, "Did you mean 'temperature'?"),
        ({"settings": {"max_tokens": 0}}, "settings.max_tokens=0 should be greater than 0"),
        ({"settings": {"top_p": 5}}, "settings.top_p=5 should be less than or equal to 1"),
        ({"settings": {"temperature": -1}}, "=-1 should be greater than or equal to 0"),
        ({"settings": {"timeout": 0}}, "settings.timeout=0 should be greater than 0"),
        ({"settings": {"num_choices": 3}}, "of 3 replies to a call a task reads one; remove it"),
        ({"arguments": {"draws": 1e30}}, "draws=1e+30 is above 1,000; give 1,000 or fewer"),
        ({"arguments": {"levels": 200}}, "levels=200 is not between"),
        ({"models": ["respondent/candit"]}, "Did you mean 'candid'?"),
        ({"tasks": [{"task": "hedge_markers", "arguments": {"dataset": "facts"}}]}, "`grader`"),
    ],
)
def test_a_mistake_ends_in_a_line_before_any_call(
    change: dict[str, object], says: str, tmp_path: Path
) -> None:
    """What a study file can't mean is refused, with the remedy, and no log is begun."""
    file = write_study(tmp_path, {**ONE, "logs": str(tmp_path / "logs"), **change})
    done = CliRunner().invoke(main, ["run", file, "--display", "none"])
    assert done.exit_code == 2, done.output
    assert says in done.output
    assert not (tmp_path / "logs").exists()


@pytest.mark.parametrize(
    "folder", ["file", "file/logs", "/proc/logs", "s3://no-such/logs", "hm://"]
)
def test_a_folder_that_cannot_be_written_ends_in_a_line(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether its place is a file, local or remote, the remedy is named before any call."""
    for variable in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    (tmp_path / "file").touch()
    logs = folder if ":" in folder else str(tmp_path / folder)
    says = {**ONE, "logs": logs, "arguments": {"dataset": "bundled", "items": 1}}
    done = printed("run", write_study(tmp_path, says), code=2)
    assert done.output.startswith(f"Error: logs can't be written to {logs} (")
    assert done.output.endswith("; name another folder by --log-dir.\n")
    assert done.output.count("\n") == 1


def _continued_study(folder: Path, **changes: object) -> str:
    """A study file of a csv file with three questions, whose `changes` replace its arguments."""
    questions = folder / "questions.csv"
    if not questions.exists():
        questions.write_text("id,question,exponent\na,How many?,1\nb,How much?,2\nc,How far?,3\n")
    arguments = {"dataset": str(questions), "levels": 90}
    return write_study(
        folder,
        {
            "logs": str(folder / "logs"),
            "models": ["openai/gpt-4o-mini"],
            "settings": {"max_retries": 0},
            "tasks": [{"task": "fermi_eval", "arguments": arguments}],
            **changes,
        },
    )


@pytest.fixture(scope="module")
def provider() -> Iterator[ProviderServer]:
    """A server that plays OpenAI for this process, in which Inspect keeps a model's address."""
    with ProviderServer(lambda _: Reply("[3, 5]")) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "test")
        patch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        yield server


def test_logs_whose_answers_would_be_mixed_or_deleted_are_refused(
    tmp_path: Path, provider: ProviderServer
) -> None:
    """Changed questions, fewer repeats and fewer items; added ones continue the logs."""
    calls_before = len(provider.requests)
    printed("run", _continued_study(tmp_path, repeats=2), "--display", "none")
    logs = tmp_path / "logs"
    before = sorted(logs.glob("*.eval"))
    run = f"Error: fermi_eval on openai/gpt-4o-mini: {logs} has answers "
    done = printed("run", _continued_study(tmp_path), code=2).output
    assert done.startswith(
        f"{run}of repeats=2, and fewer repeats would delete some; write repeats: 2"
    )
    questions = tmp_path / "questions.csv"
    text = questions.read_text()
    questions.write_text(text.replace("How far?", "How near?"))
    done = printed("run", _continued_study(tmp_path, repeats=2), code=2).output
    assert done.startswith(
        f"{run}to questions of questions.csv before it was changed; name another"
    )
    assert sorted(logs.glob("*.eval")) == before
    questions.write_text(text)
    done = printed("run", _continued_study(tmp_path, repeats=3), "--display", "none").output
    assert "fermi_eval on openai/gpt-4o-mini: 9 samples, success" in done
    assert len(provider.requests) - calls_before == 3 * 3


def test_logs_of_items_that_the_run_lacks_are_refused(
    tmp_path: Path, provider: ProviderServer
) -> None:
    """The list of items is a file, which can change; a longer one continues the logs."""
    items = tmp_path / "items.txt"
    items.write_text("a\nb\n")
    arguments = {"dataset": str(tmp_path / "questions.csv"), "levels": 90, "items": str(items)}
    tasks = [{"task": "fermi_eval", "arguments": arguments}]
    calls_before = len(provider.requests)
    printed("run", _continued_study(tmp_path, tasks=tasks), "--display", "none")
    items.write_text("a\nc\n")
    done = printed("run", _continued_study(tmp_path, tasks=tasks), code=2).output
    assert " has answers to items that the run does not have, such as b@90; name another" in done
    items.write_text("a\nb\nc\n")
    done = printed("run", _continued_study(tmp_path, tasks=tasks), "--display", "none").output
    assert "fermi_eval on openai/gpt-4o-mini: 3 samples, success" in done
    assert len(provider.requests) - calls_before == 3


def test_ended_runs_are_counted_with_those_of_earlier_commands(
    tmp_path: Path, provider: ProviderServer
) -> None:
    """One of three was made before; the next is the second."""
    printed("run", _continued_study(tmp_path), "--display", "none")
    models = ["openai/gpt-4o-mini", "openai/gpt-4o", "openai/gpt-4.1"]
    lines = printed("run", _continued_study(tmp_path, models=models), "--display", "none").output
    # Other lines in brackets may be warnings of Inspect, with their time.
    assert re.findall(r"^\[\d/\d\]", lines, re.MULTILINE) == ["[2/3]", "[3/3]"], lines


def test_two_processes_do_not_run_into_one_folder(tmp_path: Path, provider: ProviderServer) -> None:
    """The second would pay for the same calls; once the first has ended it is let in."""
    fcntl = pytest.importorskip("fcntl")
    (tmp_path / "logs").mkdir()
    file = _continued_study(tmp_path)
    calls_before = len(provider.requests)
    with (tmp_path / "logs" / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = printed("run", file, code=2).output
        assert done.startswith(f"Error: another process makes runs in {tmp_path / 'logs'}; wait")
        assert len(provider.requests) == calls_before
    printed("run", file, "--display", "none")


def test_a_failed_run_is_named_with_its_error(tmp_path: Path) -> None:
    """Whatever the display, the model, the status and the error stand before the last line."""
    says = {
        "logs": str(tmp_path / "logs"),
        "models": ["respondent/candid", "mockllm/model"],
        "arguments": {"items": 3, "dataset": "bundled", "levels": 90, "method": "logprob"},
        "tasks": ["fermi_eval"],
    }
    file = write_study(tmp_path, says)
    lines = printed("run", file, "--display", "none", "--retry-attempts", "0", code=1).output
    *_, failure, last = lines.splitlines()
    assert failure.startswith("fermi_eval on mockllm/model: error: ")
    assert last.startswith("1 of 2 runs done, logs in ")
    assert last.endswith("; the same command asks what is missing")
    assert "retry_immediate" not in lines


def test_the_examples_are_study_files() -> None:
    """The demo runs every task but the check of a judge; the papers' designs are readable."""
    demo = read_design(str(CHECKOUT / "examples" / "demo.yaml"))
    names = {entry.task.rpartition("/")[2] for entry in demo.entries}
    assert names == TASK_VERSIONS.keys() - {"judge_check"} | {"with_confidence"}
    assert len(read_design(str(CHECKOUT / "examples" / "paper.yaml")).entries) == 15


def test_plan_of_a_study_adds_up(tmp_path: Path) -> None:
    """Calls and dollars by task, model and in all; prices of the user's file come first."""
    says = {
        "models": ["openai/gpt-4o-mini", "openai/unheard-of", "mockllm/model"],
        "arguments": {"items": 10, "dataset": "bundled"},
        "tasks": [{"task": "fermi_eval", "repeats": 2}, "question_sets"],
    }
    file = write_study(tmp_path, says)
    output = CliRunner().invoke(main, ["plan", file]).output
    # 10 items x 4 levels x 2, and 10 questions, by three models
    assert re.findall(
        r"^  (?:fermi_eval|question_sets|all)\b.*? +([\d,]+) +\S+ +\S+$", output, re.M
    )[:3] == ["80", "10", "90"]
    assert re.search(r"^all models, side by side +270 +>0\.\d\d ", output, re.M)
    assert "no price of openai/unheard-of is known" in output
    assert "list price of 2026-03, https://" in output
    price = "{input: 0, output: 1000000, input_cache_write: 0, input_cache_read: 0}"
    (tmp_path / "prices.yaml").write_text(
        "".join(f"{model}: {price}\n" for model in says["models"]), "utf-8"
    )
    output = (
        CliRunner()
        .invoke(main, ["plan", file, "--model-cost-config", str(tmp_path / "prices.yaml")])
        .output
    )
    # a dollar a token: 80 x 16 and 10 x 180 tokens written, three times
    assert re.search(
        rf"^all models, side by side +270 +{3 * (80 * 16 + 10 * 180):,}\.00 ", output, re.M
    )


def test_plan_of_a_study_says_that_a_judge_has_no_name(tmp_path: Path) -> None:
    """Its calls count, its dollars are unknown: one line says why, and how to name it."""
    task = {"task": "simple_qa", "arguments": {"items": 10, "dataset": "bundled"}}
    says = {"models": ["openai/gpt-4o-mini"], "tasks": [task]}
    output = CliRunner().invoke(main, ["plan", write_study(tmp_path, says)]).output
    assert "no model of the judge is named: name it as `grader` in the file" in output
    assert "no price of" not in output
    assert re.search(r"^all models, side by side +\d+ +>0\.\d\d ", output, re.M)
    task["grader"] = "openai/gpt-4o-mini"
    output = CliRunner().invoke(main, ["plan", write_study(tmp_path, says)]).output
    assert "judge is named" not in output
    assert "with a judge's typical calls in the line of the model" in output


def test_plan_of_a_study_names_what_it_does_not_count_and_what_is_not_sent(tmp_path: Path) -> None:
    """An eval's own calls, a judge's of agreement, and a setting that a model does not take."""
    arguments = {"task_args": {"questions": 3}, "ways": "consistency", "draws": 2}
    quiz = {"task": f"{CHECKOUT}/examples/quiz.py@quiz", "agreement": "judge", **arguments}
    says = {
        "models": ["openai/o3", "openai/gpt-4o"],
        "grader": "openai/gpt-4o",
        "settings": {"temperature": 0.5},
        "tasks": [{"task": "with_confidence", "arguments": quiz}],
    }
    output = printed("plan", write_study(tmp_path, says)).output
    assert "\nnot counted: the calls of quiz itself, and the text of its answers" in output
    assert "\nnot counted: 6 calls of the grader, at most (with_confidence)\n" in output  # 3 x 2
    assert "\nunsent: temperature=0.5 is not sent to openai/o3: the provider's own" in output
    assert "\nnot counted: 1 call of Inspect's to openai/o3, to test whether it gives" in output
    assert output.count("\nnot counted: ") == 3
    assert output.count("\nunsent: ") == 1


LOGPROBS = [
    ("fermi_eval", {"dataset": "bundled", "items": 2, "method": "logprob"}),
    ("fermi_eval", {"dataset": "bundled", "items": 2, "method": "traces"}),
    ("with_confidence", {"ways": "stated,logprob"}),
    ("with_confidence", {"ways": "p_true"}),
]


@pytest.mark.parametrize(("task", "arguments"), LOGPROBS)
def test_a_model_without_log_probabilities_is_refused_by_plan_and_run(
    task: str, arguments: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before any call, also of the other models of a study."""
    for name in ("ANTHROPIC", "OPENAI"):
        monkeypatch.setenv(f"{name}_API_KEY", "test")
    refusal = "Error: anthropic/claude-haiku-4-5 gives no log probabilities, which this method"
    words = [f"-T{name}={value}" for name, value in arguments.items()]
    done = printed("plan", task, *words, "--model", "anthropic/claude-haiku-4-5", code=2)
    assert done.output.splitlines()[-1].startswith(refusal)
    says = {
        "models": ["openai/gpt-4o", "anthropic/claude-haiku-4-5"],
        "logs": str(tmp_path / "logs"),
        "tasks": [{"task": task, "arguments": arguments}],
    }
    file = write_study(tmp_path, says)
    for command in ("plan", "run"):
        assert printed(command, file, code=2).output.splitlines()[-1].startswith(refusal)
    assert not (tmp_path / "logs").exists()
    printed("plan", task, *words, "--model", "openai/gpt-4o")


def test_plan_warns_where_a_sample_is_not_an_item() -> None:
    """Six samples of four levels an item are an item and a half."""
    plan_text = plan_run("fermi_eval", ["dataset=bundled", "items=10"], limit=6, connections=2)
    assert "6 of 40 samples, which are 1.5 of 10 items: an item has" in plan_text
    assert re.search(r"calls: +6\n", plan_text)
    plan_text = plan_run("fermi_eval", ["dataset=bundled", "items=10"], limit=8)
    assert "8 of 40 samples, which are 2 of 10 items\n" in plan_text
    plan_text = plan_run("question_sets", ["items=10"], limit=6)
    assert "6 of 10 samples\n" in plan_text


def test_a_study_names_the_models_of_both_judging_roles(tmp_path: Path) -> None:
    """The log has them; a task's `extractor` replaces the study's, and its price is in the plan."""
    task = {"task": "hedge_markers", "arguments": {"dataset": "facts", "items": 2, "draws": 1}}
    says = {
        "models": ["respondent/hedger"],
        "grader": "respondent/judge",
        "extractor": "respondent/candid",
        "logs": str(tmp_path / "logs"),
        "tasks": [{**task, "extractor": "respondent/boastful"}],
    }
    file = write_study(tmp_path, says)
    output = CliRunner().invoke(main, ["plan", file]).output
    # 2 questions x 2 calls, 2 verdicts and 2 batches of the grader, and 2 calls of the extractor
    assert re.search(r"^all models, side by side +10 ", output, re.M), output
    done = CliRunner().invoke(main, ["run", file, "--display", "none"])
    assert done.exit_code == 0, done.output
    (location,) = list_eval_logs(str(tmp_path / "logs"))
    roles = read_eval_log(location).eval.model_roles or {}
    assert {role: getattr(player, "model", "") for role, player in roles.items()} == {
        "grader": "respondent/judge",
        "extractor": "respondent/boastful",
    }


def test_minutes_of_a_plan() -> None:
    """A second a call and another for fifty tokens, over the connections."""
    plan_text = plan_run("fermi_eval", ["dataset=bundled", "items=100"], limit=None, connections=1)
    assert f"about {400 * (1 + 16 / 50) / 60:.1f} minutes at 1 connections" in plan_text


def test_simulated_models_have_no_minutes(tmp_path: Path) -> None:
    """They answer at once; a judge that is not simulated takes its time."""
    plan_text = plan_run("fermi_eval", ["dataset=bundled"], model="respondent/candid")
    assert "time:    no estimate for simulated models, which answer at once" in plan_text
    assert "s a call" not in plan_text
    tasks = [{"task": "life_eval"}, {"task": "simple_qa", "arguments": {"dataset": "facts"}}]
    for grader, minutes in (("respondent/judge", "-"), ("openai/gpt-4o-mini", r"[\d.]+")):
        says = {"models": ["respondent/candid"], "tasks": tasks, "grader": grader}
        output = CliRunner().invoke(main, ["plan", write_study(tmp_path, says)]).output
        assert re.search(r"^  life_eval +\d+ +0.00 +-$", output, re.M), output
        assert re.search(rf"^  all +[\d,]+ +\d+\.\d\d +{minutes}$", output, re.M), output
        assert "minutes: none for simulated models, which answer at once" in output
        assert ("s a call" in output) == (grader == "openai/gpt-4o-mini")


def test_prices_are_dated_and_have_a_source() -> None:
    """About twenty models; a dated name has the undated one's price, but where listed itself."""
    price_list = yaml.safe_load(
        (CHECKOUT / "src/inspect_confidence/commands/prices.yaml").read_text("utf-8")
    )
    assert len(price_list["models"]) >= 20
    for model, prices in price_list["models"].items():
        price = price_of(model)
        assert price, model
        assert (price.cost.input, price.cost.output) == (prices["input"], prices["output"])
        assert 0 < price.cost.input < price.cost.output
        assert re.search(r"20\d\d-\d\d.*, https://", price.source), model
    assert price_of("openai/gpt-4o-mini-2024-07-18") == price_of("openai/gpt-4o-mini")
    assert price_of("openai/gpt-4o-2024-05-13") != price_of("openai/gpt-4o")
    assert price_of("openai/gpt-4o-audio") is None


def _log(name: str, started: str, completed: str, **usage: dict[str, ModelUsage]) -> EvalLog:
    log = read_eval_log(CHECKOUT / "examples" / "logs" / f"{name}.eval", header_only=True)
    log.stats = EvalStats(
        started_at=f"2026-01-01T{started}+00:00", completed_at=f"2026-01-01T{completed}+00:00"
    ).model_copy(update=usage)
    return log


def test_what_runs_used_is_told_by_role() -> None:
    """A judge that is the model asked has its own row; cached tokens are read; time is a union."""
    judge = ModelUsage(input_tokens=1_000, output_tokens=100, total_tokens=1_100)
    usage = ModelUsage(
        input_tokens=2_000,
        output_tokens=300,
        total_tokens=2_800,
        input_tokens_cache_read=500,
        total_cost=1.5,
    )
    name = "respondent/candid"
    run = _log(
        "hedge_markers-candid", "10:00:00", "10:10:00",
        model_usage={name: usage + judge}, role_usage={"grader": judge},
    )  # fmt: skip
    run.eval.model_roles["grader"].model = name  # type: ignore[index, union-attr]
    second_run = _log(
        "fermi_eval-candid", "10:05:00", "10:20:00", model_usage={name: usage}, role_usage={}
    )
    assert usage_by_model([run, second_run]) == [
        ModelTotal(name, "asked", 2 * 2_500, 600, 3.0, ""),
        ModelTotal(name, "grader", 1_000, 100, 0.0, "simulated models cost nothing"),
    ]
    assert active_seconds([run, second_run]) == 20 * 60
    sentence = usage_sentence([run, second_run])
    assert (
        "respondent/candid 5,000 tokens in, 600 out, $3.00; respondent/candid (grader)" in sentence
    )
    assert sentence.endswith("20 minutes of wall time.")
    short_run = _log(
        "fermi_eval-candid", "10:00:00", "10:00:01", model_usage={name: usage}, role_usage={}
    )
    assert usage_sentence([short_run]).endswith("; 1 second of wall time.")


@pytest.mark.slow
def test_an_interrupted_study_goes_on_without_asking_twice(tmp_path: Path) -> None:
    """After an interrupt only what has no answer is asked; a third run asks nothing."""
    logs = tmp_path / "logs"
    says = {
        "logs": str(logs),
        "models": ["openai/gpt-4o-mini"],
        "arguments": {"items": 30, "dataset": "bundled"},
        "settings": {"max_connections": 2},
        "tasks": ["fermi_eval", "question_sets"],
    }
    file = write_study(tmp_path, says)

    def slowly(_: object) -> Reply:
        time.sleep(0.1)
        return Reply("[3, 5]")

    with ProviderServer(slowly) as server:
        # Where these tests are a job in the background, interrupts are ignored unless asked for.
        heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
        words = [sys.executable, "-c", f"{heard}; from inspect_confidence.cli import main; main()"]
        words += ["run", file, "--display", "none", "--retry-attempts", "0"]
        keys = {"OPENAI_API_KEY": "test", "OPENAI_BASE_URL": server.url + "/v1"}
        surroundings = {**os.environ, **keys}
        begun = subprocess.Popen(words, env=surroundings, cwd=tmp_path)
        until = time.monotonic() + 120
        while len(server.requests) < 40 and time.monotonic() < until:
            time.sleep(0.05)
        begun.send_signal(signal.SIGINT)
        begun.wait(60)
        before = len(server.requests)
        assert 40 <= before < 150
        subprocess.run(words, env=surroundings, cwd=tmp_path, check=True, timeout=120)
        prompt_counts = Counter(request.prompt for request, _ in server.requests)
        whole = len(server.requests)
        subprocess.run(words, env=surroundings, cwd=tmp_path, check=True, timeout=120)
        assert len(server.requests) == whole
    assert len(prompt_counts) == 30 * 4 + 30
    # Only calls that were under way at the interrupt are asked again: two connections, two tasks.
    assert sum(prompt_counts.values()) - len(prompt_counts) <= 4
    done = [read_eval_log(log_info, header_only=True) for log_info in list_eval_logs(str(logs))]
    assert {log.eval.task.rpartition("/")[2] for log in done if log.status == "success"} == {
        "fermi_eval",
        "question_sets",
    }
