"""Settings that Inspect does not send to a model, through the providers' own packages."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval, task_with
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

from build import column_of, notices_with
from faults.ledger import held
from inspect_confidence import InvalidArgument, read_judgments, summarize, write_report
from inspect_confidence.commands.cite import cite
from inspect_confidence.commands.plan import plan_design, plan_run
from inspect_confidence.commands.run import run_design
from inspect_confidence.export.material import read_runs
from inspect_confidence.judgments.requests import read_unsent
from inspect_confidence.solvers.draws import ask_draws
from inspect_confidence.solvers.requests import dropped_settings, has_summary_call
from inspect_confidence.tasks.fermi_eval import fermi_eval
from provider_server import ProviderServer, Reply
from runs import ANTHROPIC, GOOGLE, OPENAI, QUIET, connected, run_task, served, terminal_error

REASONING = "openai/o3-mini"
SETTINGS: dict[str, Any] = {
    "temperature": 0.7,
    "top_p": 0.9,
    "top_k": 5,
    "seed": 3,
    "stop_seqs": ["END"],
    "frequency_penalty": 0.1,
    "presence_penalty": 0.2,
    "logprobs": True,
    "top_logprobs": 3,
}
OLDER_API = "temperature top_p seed stop frequency_penalty presence_penalty logprobs top_logprobs"
RULES: Mapping[str, tuple[str, set[str]]] = {
    OPENAI: (OLDER_API, {"top_k"}),
    "openai/gpt-4.1": (OLDER_API, {"top_k"}),
    REASONING: ("", set(SETTINGS)),
    "openai/gpt-5": ("", set(SETTINGS)),
    "openai/gpt-5-mini": ("", set(SETTINGS)),
    "openai/gpt-5.1": (
        "temperature top_p top_logprobs",
        {"top_k", "seed", "stop_seqs", "frequency_penalty", "presence_penalty"},
    ),
    "openai/gpt-5.5": ("", set(SETTINGS)),
    ANTHROPIC: ("stop_sequences", set(SETTINGS) - {"stop_seqs"}),
    "anthropic/claude-3-haiku-20240307": ("stop_sequences", set(SETTINGS) - {"stop_seqs"}),
    GOOGLE: (
        "temperature topP topK stopSequences frequencyPenalty presencePenalty "
        "responseLogprobs logprobs",
        {"seed"},
    ),
}
"""By model: the settings that its server receives, by their names there, and those not sent."""
WIRE_NAMES = set(" ".join(column_of(RULES.values(), 0)).split())


def question(**settings: Any) -> Task:
    """A task of one question."""
    dataset = [Sample(input="How many?", id="q")]
    return Task(dataset=dataset, solver=generate(), config=GenerateConfig(**settings))


def header_of(log: EvalLog) -> EvalLog:
    """The header of a log that was written."""
    return read_eval_log(log.location, header_only=True)


def test_rule_log_and_request_agree_on_every_setting(tmp_path: Path) -> None:
    """The server receives the settings that the rule and the log leave over, and no others."""
    outcomes = {}
    for model, (received, unsent) in RULES.items():
        log, (request,) = served(
            question(**SETTINGS), tmp_path, lambda _: Reply("7"), model, log_samples=True
        )
        body = request.body.get("generationConfig", request.body)
        assert WIRE_NAMES & body.keys() == set(received.split()), model
        unsent_record = read_unsent(header_of(log))
        outcomes[model] = (
            unsent_record.recorded
            and set(unsent_record.settings_of(model)) == unsent
            and set(dropped_settings(model, SETTINGS)) == unsent
        )
    happened = (
        "variants, results, cite and exports have no value for what was not sent; a notice and "
        "cite name it; plan says so before the run"
    )
    fault = "nine generation settings, of which Inspect sends a model none or a part"
    assert held("versions", fault, outcomes, happened, "nothing") == []


class _TestedServer(ProviderServer):
    """A server that counts the tests whether a model gives summaries of its reasoning."""

    tests = 0

    def respond(self, path: str, raw: bytes) -> tuple[int, str]:
        """Answer as usual; the input of a test is one text."""
        self.tests += isinstance(json.loads(raw).get("input"), str)
        return super().respond(path, raw)


@pytest.mark.parametrize(
    ("model", "settings", "tests"),
    [
        *((model, {}, 0) for model in (OPENAI, ANTHROPIC, GOOGLE)),
        *((f"openai/{name}", {}, 0) for name in ("gpt-4.1", "gpt-4o", "gpt-5-chat-latest")),
        *((f"openai/{name}", {}, 1) for name in ("o3-mini", "gpt-5", "gpt-5.1", "gpt-5.1-codex")),
        *((REASONING, {"reasoning_summary": summary}, 0) for summary in ("auto", "none")),
        (REASONING, {"reasoning_effort": "low"}, 1),
    ],
)
def test_plan_names_the_call_that_inspect_makes_on_its_own_account(
    model: str, settings: dict[str, Any], tests: int, tmp_path: Path
) -> None:
    """The test of summaries is made once, before a run's first call, by the rule of the plan."""
    task = task_with(question(**settings), epochs=2)
    with _TestedServer(lambda _: Reply("7")) as server:
        run_task(task, server, tmp_path, model)
    assert len(server.requests) == 2
    assert server.tests == tests == has_summary_call(model, settings)
    if not settings:
        planned = plan_run("life_eval", ["items=2"], model)
        assert planned.count(f"more:    1 call of Inspect's to {model}, to test whether") == tests


_SUMMARIZED = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import match

@task
def summarized():
    config = GenerateConfig(reasoning_summary="auto")
    return Task(dataset=[Sample("1 + 1?", target="2")], scorer=match(), config=config)
"""


@solver
def _generate_with_grader() -> Solver:
    """Ask the model in the role grader, and then the evaluated one."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        await get_model(role="grader").generate("Is it right?")
        return await generate(state)

    return solve


@pytest.mark.parametrize("grader", ["openai/gpt-5", REASONING])
def test_settings_of_a_run_are_those_of_its_model_and_not_of_a_grader(
    grader: str, tmp_path: Path
) -> None:
    """With summaries set for the run, only the grader is tested, even if it is the same model."""
    task = task_with(question(reasoning_summary="auto"), solver=_generate_with_grader())
    with _TestedServer(lambda _: Reply("7")) as server:
        roles = {"grader": connected(server, grader)}
        run_task(task, server, tmp_path, REASONING, model_roles=roles)
    assert (len(server.requests), server.tests) == (2, 1)
    file = tmp_path / "summarized.py"
    file.write_text(_SUMMARIZED, "utf-8")
    eval_argument = f"task={file}@summarized"
    planned = plan_run("with_confidence", [eval_argument], REASONING, grader=grader)
    assert re.findall(r"1 call of Inspect's to (\S+),", planned) == [grader]


def test_a_reasoning_effort_decides_what_openai_is_sent(tmp_path: Path) -> None:
    """A model that may reason takes a temperature without an effort and with `none` alone."""
    for effort, unsent in (("none", set()), ("low", {"temperature"})):
        settings = {"temperature": 0.7, "reasoning_effort": effort}
        log, (request,) = served(
            question(**settings), tmp_path, lambda _: Reply("7"), "openai/gpt-5.1"
        )
        assert ("temperature" not in request.body) == bool(unsent)
        assert set(read_unsent(header_of(log)).settings_of("openai/gpt-5.1")) == unsent
        assert set(dropped_settings("openai/gpt-5.1", settings)) == unsent


def test_a_recorded_request_overrides_the_rule(tmp_path: Path) -> None:
    """By the older API a reasoning model is sent a seed, which the rule doesn't expect."""
    with ProviderServer(lambda _: Reply("7")) as server:
        url = server.url + "/v1"
        model = get_model(
            REASONING, base_url=url, api_key="test", memoize=False, responses_api=False
        )
        settings = {"temperature": 0.7, "seed": 3}
        (log,) = eval(question(**settings), model, log_dir=str(tmp_path), **QUIET)
    ((request, _),) = server.requests
    assert request.body["seed"] == 3
    assert set(dropped_settings(REASONING, settings)) == {"temperature", "seed"}
    assert read_unsent(header_of(log)).by_model == {REASONING: {"temperature": 0.7}}


def test_a_log_without_requests_is_judged_by_the_rule(tmp_path: Path) -> None:
    """With `--no-log-model-api` the notice says that it is the rule's word."""
    task = fermi_eval("bundled", items=1, levels="90")
    options = {"temperature": 0.7, "log_model_api": False}
    served(task, tmp_path, lambda _: Reply("Lower: 1\nUpper: 2"), ANTHROPIC, **options)
    (notice,) = notices_with(read_judgments(tmp_path), "not sent")
    assert notice.endswith(
        f"set but not sent to {ANTHROPIC}: temperature=0.7; the provider's own values hold "
        "(by Inspect's rule: the log has no request)"
    )


@pytest.mark.parametrize(
    ("model", "is_sent"), [(OPENAI, True), (ANTHROPIC, False), (REASONING, False)]
)
def test_runs_at_temperatures_not_sent_are_no_runs_at_temperatures(
    model: str, is_sent: bool, tmp_path: Path
) -> None:
    """Variant, columns, notices, exports, `cite` and results tell what the model was sent."""
    for temperature in (0.2, 0.7):
        task = fermi_eval("bundled", items=4, levels="90")
        _, requests = served(
            task, tmp_path, lambda _: Reply("Lower: 1\nUpper: 2"), model, temperature=temperature
        )
        sent = {request.body.get("temperature") for request in requests}
        assert sent == {temperature if is_sent else None}
    judgments = read_judgments(tmp_path)
    frame = judgments["fermi_eval"]
    temperatures = set(frame["temperature"].dropna())
    unsent = set(frame["unsent_temperature"].dropna())
    notices = notices_with(judgments, "not sent")
    match = re.search(r"Generation settings: temperature=([^;]*);", cite(tmp_path).settings[0])
    assert match
    cited = set(match[1].split(" | "))
    exported = {run.generation.get("temperature") for run in read_runs([str(tmp_path)]).values()}
    conditions = summarize(frame, resamples=20)["condition"]
    if is_sent:
        assert set(frame["variant"]) == {"temperature=0.2", "temperature=0.7"}
        assert (temperatures, unsent, notices) == ({0.2, 0.7}, set(), [])
        assert cited == {"0.2", "0.7"}
        assert exported == {0.2, 0.7}
        assert conditions.str.contains("temperature").any()
        return
    assert set(frame["variant"]) == {""}
    assert (temperatures, unsent) == (set(), {0.2, 0.7})
    write_report(tmp_path, tmp_path / "report", logs=tmp_path, resamples=20)
    page = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert f"set but not sent to {model}: temperature=0.2" in page
    assert "0.2 (not sent)" in page
    assert len(notices) == 2
    for text in notices:
        assert f"not sent to {model}: temperature=0." in text
    assert "2 runs of fermi_eval" in " ".join(judgments.notices)
    assert cited == {"0.2 (not sent)", "0.7 (not sent)"}
    assert exported == {None}
    assert not conditions.str.contains("temperature").any()


def test_logs_that_left_out_the_same_settings_have_one_notice(tmp_path: Path) -> None:
    """Two logs are counted, not listed."""
    for _ in range(2):
        task = fermi_eval("bundled", items=1, levels="90")
        served(task, tmp_path, lambda _: Reply("1"), ANTHROPIC, temperature=0.7)
    notices = notices_with(read_judgments(tmp_path), "not sent")
    expected = f"2 logs: set but not sent to {ANTHROPIC}: temperature=0.7"
    (notice,) = notices
    assert notice.startswith(expected)


@solver
def unchecked_points() -> Solver:
    """Repeated points, at a temperature or not, as an earlier version asked for them."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return await ask_draws(state, state.input_text, 2, None, form="point")

    return solve


def test_decoding_temperature_is_undefined_where_none_was_sent(tmp_path: Path) -> None:
    """Its row has no value and says which temperatures were set; the runs are one condition."""
    for temperature in (0.2, 0.7):
        task = task_with(
            fermi_eval("bundled", items=4, method="sampling", draws=2), solver=unchecked_points()
        )
        served(task, tmp_path, lambda _: Reply("10^3"), ANTHROPIC, temperature=temperature)
    results = summarize(tmp_path, resamples=20)
    (row,) = results[results["metric"] == "decoding_temperature"].to_dict("records")
    assert row["value"] != row["value"]
    assert row["note"] == (
        "undefined: temperature not sent to the model; 0.2, 0.7 were set, and the provider's own "
        "held"
    )
    assert row["asked"] == 4
    assert not results["condition"].str.contains("temperature=").any()


@pytest.mark.parametrize("model", [ANTHROPIC, REASONING])
def test_sampling_at_a_temperature_not_sent_is_refused_before_a_call(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The task, `plan` and study files name setting, model and remedy; without it the run works."""
    expected = f"temperature=0.7 is not sent to {model}"
    with ProviderServer(lambda _: Reply("10^3")) as server:
        task = fermi_eval("bundled", items=2, method="sampling", draws=3)
        log = run_task(task, server, tmp_path / "refused", model, temperature=0.7)
        assert expected in terminal_error(log)
        assert server.requests == []
        log = run_task(task, server, tmp_path / "kept", model)
        assert log.status == "success"
        assert len(server.requests) == 6  # a call a draw: none of them gives several
    arguments = ["dataset=bundled", "items=2", "method=sampling", "draws=3"]
    with pytest.raises(InvalidArgument, match=expected):
        plan_run("fermi_eval", arguments, model, temperature=0.7)
    plan = plan_run("fermi_eval", arguments, model)
    assert "calls:   6\n" in plan
    assert f"unsent:  a temperature is not sent to {model}" in plan
    path = study_file(tmp_path, model)
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test")
    for command in (plan_design, run_design):
        with pytest.raises(InvalidArgument, match=expected):
            command(path)


def study_file(folder: Path, model: str) -> str:
    """A study file that samples points at a temperature."""
    path = folder / "study.yaml"
    path.write_text(
        f"models: [{model}]\nsettings: {{temperature: 0.7}}\n"
        "tasks: [{task: fermi_eval, arguments: {dataset: bundled, method: sampling, items: 2}}]\n",
        "utf-8",
    )
    return str(path)


def test_plan_names_the_settings_of_a_task_that_are_not_sent() -> None:
    """A task's own temperature is named for a model that takes none, and for no other."""
    arguments = ["dataset=bundled", "items=2"]
    unsent = "unsent:  temperature=0.0 is not sent to"
    assert f"{unsent} {ANTHROPIC}: the provider's own value holds" in plan_run(
        "scale_variants", arguments, ANTHROPIC
    )
    assert "unsent" not in plan_run("scale_variants", arguments, OPENAI)


def test_reasoning_models_without_log_probabilities_are_refused_before_a_call(
    tmp_path: Path,
) -> None:
    """`method=logprob` needs what OpenAI's reasoning models are not asked for."""
    with ProviderServer(lambda _: Reply("5")) as server:
        log = run_task(
            fermi_eval("bundled", method="logprob", items=2), server, tmp_path, REASONING
        )
    assert server.requests == []
    assert log.error
    assert f"{REASONING} gives no log probabilities" in log.error.message
