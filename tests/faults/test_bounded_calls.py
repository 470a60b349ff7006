"""A run makes the calls that its plan promises, whatever the server replies to them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai import Task, eval_retry
from inspect_ai.log import EvalLog

from any_eval.small import confidence_of, far_end, kind_of
from build import reply_to_each_choice, slow_cases
from contract import hedge_markers as hedges
from contract import life_eval, question_sets, scale_variants, wep_probes
from faults.ledger import held
from inspect_confidence import read_judgments
from inspect_confidence.commands.plan import plan_run
from inspect_confidence.tasks.fermi_eval import METHODS, fermi_eval
from inspect_confidence.tasks.hedge_markers import hedge_markers, judge_check
from inspect_confidence.tasks.with_confidence import with_confidence
from provider_server import ProviderServer, Reply, Request, request_of
from runs import OPENAI, Answer, connected, run_task

CALLS = {"a tool call": '{"query": "x"}', "a broken tool call": '{"query": '}
"""Kinds of reply that are a call of a tool, and its arguments."""
KINDS = (*CALLS, "empty content", "no choices")
every_kind = pytest.mark.parametrize(
    "kind", [*("a tool call", "no choices"), *slow_cases(KINDS[1:3])]
)
FEWER = "one choice, however many are asked for"
ENDLESS = 400
"""Calls after which the server gives up, so that a test of an endless run ends."""
SUMS = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import match


@task
def sums():
    asked = [Sample("1 + 1?", target="2", id="a"), Sample("1 + 2?", target="3", id="b")]
    return Task(asked, scorer=match(numeric=True))
"""


class Spoiling(ProviderServer):
    """Spoils every reply that is meant, in one way, and counts calls.

    Attributes:
        kind: One of `KINDS`, or `FEWER`; empty for whole replies.
    """

    def __init__(
        self, answer: Answer, kind: str, is_target: Callable[[Request], bool] = lambda _: True
    ) -> None:
        super().__init__(answer)
        self.kind, self._is_target = kind, is_target

    def respond(self, path: str, raw: bytes) -> tuple[int, str]:
        """Answer, and spoil the reply."""
        if len(self.requests) >= ENDLESS:
            return 500, json.dumps({"error": {"message": "too many calls", "code": 500}})
        status, body = super().respond(path, raw)
        request = request_of(path, raw)
        if status != 200 or not self.kind or request is None or not self._is_target(request):
            return status, body
        reply = json.loads(body)
        if self.kind == "no choices":
            reply["choices"] = []
        if self.kind == FEWER:
            reply["choices"] = reply["choices"][:1]
            return status, json.dumps(reply)
        for choice in reply["choices"]:
            choice["message"]["content"] = None if self.kind in CALLS else ""
            choice["logprobs"] = None
            if self.kind in CALLS:
                function = {"name": "search", "arguments": CALLS[self.kind]}
                call = {"id": "call_1", "type": "function", "function": function}
                choice["message"]["tool_calls"] = [call]
                choice["finish_reason"] = "tool_calls"
        return status, json.dumps(reply)


@dataclass(frozen=True)
class BoundedRun:
    """A short run of a task.

    Attributes:
        name: How a failing test calls it.
        task: The task's function.
        arguments: Its arguments.
    """

    name: str
    task: Callable[..., Task]
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """The name."""
        return self.name

    def planned(self, model: str = OPENAI) -> tuple[int, int, int]:
        """Calls of the plan: of the model, of the judge at most, and those asked again at most."""
        words = [f"{name}={value}" for name, value in self.arguments.items()]
        text = plan_run(self.task.__name__, words, model)
        forms = (r"calls: +(\d+)", r"(?:judge: +(\d+) calls| (\d+) more of)", r"(\d+) calls more")
        numbers = []
        for form in forms:
            match = re.search(form, text)
            numbers.append(int(match[match.lastindex or 0]) if match else 0)
        first, judge, repeated = numbers
        return first, judge, repeated


def _contract(case: Any, **more: Any) -> BoundedRun:
    return BoundedRun(case.name, case.task, {**case.minimal, "items": 2, **more})


SHORT_RUNS = [
    *(
        BoundedRun(
            f"fermi_eval {method}",
            fermi_eval,
            {
                **{"dataset": "bundled", "items": 2, "levels": "90", "method": method},
                **({"draws": 3} if METHODS[method].draws else {}),
            },
        )
        for method in METHODS
    ),
    _contract(scale_variants.CASE),
    *map(_contract, wep_probes.CASES),
    _contract(life_eval.CASE),
    _contract(question_sets.CASE),
    BoundedRun(
        "question_sets schema", question_sets.CASE.task, {"items": 2, "format": "json_schema"}
    ),
    _contract(hedges.CASE, draws=2),
    BoundedRun("judge_check", judge_check, {"items": 3}),
    BoundedRun("judge_check alone", judge_check, {"items": 3, "batch_judgments": False}),
]

ALIKE = ("fermi_eval sampling", "fermi_eval traces", "wep_elicitation", "judge_check alone")
"""Runs whose requests are like those of another."""
RUNS = [
    pytest.param(short_run, marks=pytest.mark.slow if short_run.name in ALIKE else ())
    for short_run in SHORT_RUNS
]


def run(short_run: BoundedRun, server: ProviderServer, folder: Path, **options: Any) -> EvalLog:
    """The log of a run, with a model of its own name: Inspect keeps models by their names."""
    model = f"{OPENAI}-{short_run.name.replace(' ', '-')}"
    return run_task(short_run.task(**short_run.arguments), server, folder, model, **options)


def judgments(folder: Path) -> pd.DataFrame:
    """Those of a run that were stated, and of no token."""
    (frame,) = read_judgments(folder).values()
    return frame[frame["source"] == "stated"] if "source" in frame else frame


def spoilt_end(log: EvalLog, kind: str, folder: Path) -> dict[str, bool]:
    """What holds of a run whose every reply is spoilt, beside the number of its calls."""
    if kind == "no choices":
        message = log.error.message if log.error else ""
        return {
            "the run is an error": log.status == "error",
            "which says so": "the provider answered without a reply" in message,
        }
    ended = {"the run ended": log.status == "success"}
    if log.eval.task.endswith("judge_check"):  # whose verdicts are no judgments of confidence
        scores = [(sample.scores or {})["judge_item"] for sample in log.samples or []]
        facts = pd.DataFrame(score.metadata or {} for score in scores)
        statuses, reasons = set(facts["status"]), set(facts["detail"])
        expected = "grader_failed"
    else:
        frame = judgments(folder)
        statuses, reasons = set(frame["status"]), set(frame["reason"])
        expected = "no_response"
    phrase = "is a tool call" if kind in CALLS else ""
    return {
        **ended,
        "no judgment is a guess": statuses == {expected},
        "reasons say what came": all(phrase in reason for reason in reasons),
    }


def retry_calls(log: EvalLog, server: Spoiling, patch: pytest.MonkeyPatch, folder: Path) -> int:
    """The calls of `inspect eval-retry` after the server was mended."""
    patch.setenv("OPENAI_API_KEY", "test")
    patch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
    before, server.kind = len(server.requests), ""
    (second,) = eval_retry(log.location, log_dir=str(folder), display="none", max_retries=0)
    assert second.status == "success", second.error
    return len(server.requests) - before


@every_kind
@pytest.mark.parametrize("short_run", RUNS, ids=str)
def test_a_run_makes_the_calls_that_its_plan_promises(
    short_run: BoundedRun, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of every task; without choices the sample is an error, which eval-retry asks again."""
    calls, _, _ = short_run.planned()
    with Spoiling(lambda _: Reply("3"), kind) as server:
        log = run(short_run, server, tmp_path)
        call_count = len(server.requests)
        ending = {
            # An error ends the calls of its run that are under way.
            "as many calls as planned": call_count == calls
            or (kind == "no choices" and 0 < call_count <= calls),
            **spoilt_end(log, kind, tmp_path),
        }
        outcomes = {f"{name} ({short_run}, {kind})": good for name, good in ending.items()}
        if kind == "no choices":
            retried = retry_calls(log, server, monkeypatch, tmp_path)
            outcomes[f"all is asked again ({short_run})"] = retried == calls
    happened = (
        "the sample is an error, and eval-retry asks again"
        if kind == "no choices"
        else "as many calls as planned; every judgment has a status"
    )
    assert not held("calls", f"every reply is {kind}: {short_run}", outcomes, happened, "nothing")


def test_a_provider_that_ignores_how_many_choices_are_asked_for_is_called_once_a_draw(
    tmp_path: Path,
) -> None:
    """The missing draws are asked for alone, and none of them twice."""
    short_run = BoundedRun("fermi_eval sampling", fermi_eval, {**SHORT_RUNS[2].arguments})
    with Spoiling(lambda request: Reply("3"), FEWER) as server:
        log = run(short_run, server, tmp_path)
    assert log.status == "success"
    assert set(judgments(tmp_path)["status"]) == {"ok"}
    assert len(judgments(tmp_path)) == len(server.requests) == 2 * 3


@every_kind
@pytest.mark.parametrize("batch", [True, False], ids=["one call", "alone"])
def test_a_judge_is_called_as_often_as_the_plan_says(
    batch: bool, kind: str, tmp_path: Path
) -> None:
    """At most: replies differ. What can't be read of a reply about all is asked for again once."""
    texts = map("It is probably {}.".format, range(ENDLESS))

    def speaker(request: Request) -> list[Reply]:
        return reply_to_each_choice(request, texts)

    arguments = {"dataset": "facts", "items": 2, "draws": 3, "batch_judgments": batch}
    short_run = BoundedRun(f"hedge_markers {batch}", hedge_markers, arguments)
    calls, judge_calls, repeated = short_run.planned()
    with ProviderServer(speaker) as server, Spoiling(lambda _: Reply("?"), kind) as judge:
        roles = {"grader": connected(judge)}
        log = run(short_run, server, tmp_path, model_roles=roles)
    frame = judgments(tmp_path)
    is_repeated = kind == "empty content"
    outcomes = {
        "the run succeeds": log.status == "success",
        "the model is called as planned": len(server.requests) == calls,
        "the judge too": len(judge.requests) == judge_calls + (repeated if is_repeated else 0),
        "what it didn't say is no judgment": set(frame["status"]) == {"grader_failed"},
        "the reason is told": kind not in CALLS or "tool call" in frame["reason"].iloc[0],
    }
    assert (repeated > 0) == batch
    form = "in one call" if batch else "alone"
    happened = "as many calls as planned, and `grader_failed`"
    assert not held(
        "judge", f"every reply of a judge is {kind}: {form}", outcomes, happened, "nothing"
    )


def sums(home: Path, **arguments: Any) -> BoundedRun:
    """An eval of two sums, of a file, wrapped."""
    (home / "sums.py").write_text(SUMS, "utf-8")
    return BoundedRun("with_confidence", with_confidence, {"task": "sums.py@sums", **arguments})


def asks(request: Request) -> bool:
    """Whether it is about confidence: a form of ours, or several further answers."""
    return bool(kind_of(request)) or (request.body.get("n") or 1) > 1


@every_kind
def test_asking_about_any_eval_takes_the_calls_of_the_plan(kind: str, home: Path) -> None:
    """Each way by itself; the eval's own answers and scores are kept."""
    ways = ("stated", "alone", "before", "p_true", "words", "consistency")
    short_run = sums(home, ways=",".join(ways))
    calls, _, _ = short_run.planned()
    with Spoiling(far_end(), kind, asks) as server:
        log = run(short_run, server, home / "logs")
        call_count = len(server.requests)
    scores = [confidence_of(log, item) for item in "ab"]
    statuses: set[str] = set()
    for _, facts in scores:
        statuses.update(facts[way]["status"] for way in ways)
    outcomes = {
        "the run succeeds": log.status == "success",
        "as many calls as planned, and the eval's own": call_count == calls + 2,
        "each way has a status": statuses
        == {"sample_error" if kind == "no choices" else "no_response"},
        "the eval's own score is kept": [values["correct"] for values, _ in scores] == [1, 0],
    }
    assert not held(
        *("calls", f"every reply about confidence in any eval is {kind}", outcomes),
        *("as many calls as planned; the eval's scores are kept", "the judgments of confidence"),
    )


def test_an_eval_without_an_answer_is_asked_again(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the eval's own reply has no choices, the sample is an error."""
    short_run = sums(home)
    with Spoiling(far_end(), "no choices") as server:
        log = run(short_run, server, home / "logs")
        assert log.status == "error"
        assert retry_calls(log, server, monkeypatch, home / "logs") == short_run.planned()[0] + 2


@every_kind
def test_a_judge_of_agreement_is_called_as_often_as_the_plan_says(kind: str, home: Path) -> None:
    """Once a further answer, where all differ from the first."""
    texts = map("It is {}.".format, range(ENDLESS))

    def speaker(request: Request) -> list[Reply]:
        return reply_to_each_choice(request, texts)

    short_run = sums(home, ways="consistency", agreement="judge", draws=2)
    calls, judge_calls, _ = short_run.planned()
    with ProviderServer(speaker) as server, Spoiling(lambda _: Reply("?"), kind) as judge:
        log = run(short_run, server, home / "logs", model_roles={"grader": connected(judge)})
    assert log.status == "success", log.error
    assert (len(server.requests), len(judge.requests)) == (calls + 2, judge_calls)
    assert confidence_of(log)[1]["consistency"]["status"] == "grader_failed"
