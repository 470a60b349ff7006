"""What every task keeps, through the providers' own packages: one table of tasks, one contract.

The far end of each task decides what a reply means before it writes it, so that judgments, the
log's metrics and the results are checked without any of our readers.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai import Task, score
from inspect_ai.log import EvalLog, headline_metric, list_eval_logs, read_eval_log, write_eval_log
from inspect_ai.scorer import Scorer

from build import attributes_of, column_of, sample_table, slow_cases
from conftest import CHECKOUT
from contract import (
    abstain,
    commitment,
    fermi_eval,
    hedge_markers,
    life_eval,
    question_sets,
    scale_variants,
    simple_qa,
    wep_probes,
)
from contract.far_end import Case, FarEnd, check, check_judgments, failure_rate
from inspect_confidence import read_judgments, summarize
from inspect_confidence.commands.plan import plan_run
from inspect_confidence.judgments.files import write_judgments
from inspect_confidence.scorers.decisions import abstain_score, commitment_score
from inspect_confidence.scorers.intervals import interval
from inspect_confidence.scorers.options import age_at_death, option_confidence
from inspect_confidence.scorers.simple_qa import simple_qa_score
from inspect_confidence.scorers.stated import stated
from inspect_confidence.scorers.words import stated_probability, word_choice
from provider_server import ProviderServer, Reply, Request
from runs import (
    ANTHROPIC,
    GOOGLE,
    OPENAI,
    by_prompt,
    cached,
    check_refusals,
    connected,
    inspect_printed,
    log_metrics,
    parameters_of,
    refusal,
    run_task,
    served,
    values,
)

CASES = [
    fermi_eval.CASE,
    scale_variants.CASE,
    *wep_probes.CASES,
    life_eval.CASE,
    question_sets.CASE,
    hedge_markers.CASE,
    abstain.CASE,
    commitment.CASE,
    simple_qa.CASE,
]
SCORERS: dict[str, Callable[..., Scorer]] = {
    "fermi_eval": interval,
    "scale_variants": stated,
    "wep_elicitation": stated_probability,
    "wep_choice": word_choice,
    "life_eval": age_at_death,
    "question_sets": option_confidence,
    "abstain": abstain_score,
    "commitment": commitment_score,
    "simple_qa": simple_qa_score,
}
"""Each task's scorer, but the one that asks a judge."""
SCORER_ARGUMENTS = {"simple_qa": {"judge": "rules"}}
"""Arguments of scorers whose judge would be a model."""
every_task = pytest.mark.parametrize("case", CASES, ids=str)


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key: to score a log anew, Inspect opens its model, asked or not."""
    monkeypatch.setenv("OPENAI_API_KEY", "test")


def prepared(case: Case, home: Path, model: str = OPENAI, **more: Any) -> tuple[Task, FarEnd]:
    """A short run's task and what answers it."""
    arguments, make = case.prepare(home)
    task = case.task(**{**arguments, **more})
    far_end = make(task)
    if isinstance(far_end, question_sets.Teacher) and model != OPENAI:
        far_end.tokens = "lost"
    if isinstance(far_end, hedge_markers.Both):
        far_end.judge = model
    return task, far_end


def run(
    case: Case, task: Task, server: ProviderServer, folder: Path, model: str = OPENAI, **more: Any
) -> EvalLog:
    """A run's log; where there is a judge, it is the same model."""
    if case is hedge_markers.CASE:
        more |= {"model_roles": {"grader": connected(server, model)}, "max_samples": 1}
    if case is simple_qa.CASE:  # whose draws are told apart by their order
        more |= {"max_samples": 1, "max_connections": 1}
    log = run_task(task, server, folder, model, **more)
    assert log.status == "success", log.error
    assert not server.errors
    return log


def check_wire(case: Case, model: str, request: Request) -> None:
    """Settings and turns are the task's, and nothing else is asked for."""
    body, provider = request.body, model.partition("/")[0]
    judge = case is hedge_markers.CASE and request.system is None
    assert bool(request.system) == (case.system and not judge)
    temperature = 0 if judge else case.temperature
    if provider == "openai":
        turns = [{"role": "system", "content": request.system}] if request.system else []
        turn = {"role": "user", "content": request.prompt}
        if case is commitment.CASE:  # whose further requests follow an answer
            assert body["messages"][-1] == turn
        else:
            assert body["messages"] == [*turns, turn]
        assert body.get("temperature") == temperature
        tokens = (True, 20) if case is question_sets.CASE else (None, None)
        assert (body.get("logprobs"), body.get("top_logprobs")) == tokens
        assert ("response_format" in body) == judge
    if case is hedge_markers.CASE and provider != "anthropic":  # which must have a limit
        settings = body.get("generationConfig", body)
        names = ("max_tokens", "max_completion_tokens", "maxOutputTokens")
        limits = [settings[name] for name in names if settings.get(name)]
        assert limits == ([] if judge else [256])
        assert settings.get("candidateCount", 1) == 1
    if provider == "google":  # Anthropic's API takes no temperature any more
        assert body["generationConfig"].get("temperature") == temperature


def planned(case: Case, arguments: dict[str, Any], epochs: int) -> int:
    """The calls that the plan announces."""
    words = [f"{name}={value}" for name, value in arguments.items()]
    (calls,) = re.findall(r"calls: +([\d,]+)", plan_run(case.name, words, epochs=epochs))
    return int(calls.replace(",", ""))


QUICK_ELSEWHERE = ((hedge_markers.CASE, ANTHROPIC), (question_sets.CASE, GOOGLE))
"""The task of several replies and that of tokens, each by a provider that not all tasks have."""


def cases_by_provider() -> list[Any]:
    """Each case by each provider; quick are all cases by one, and each of the others once."""
    parameters = []
    for case, model in product(CASES, (OPENAI, ANTHROPIC, GOOGLE)):
        is_quick = model == OPENAI or (case, model) in QUICK_ELSEWHERE
        parameters.append(pytest.param(case, model, marks=() if is_quick else pytest.mark.slow))
    return parameters


MIXED_ITEMS = {
    "wep_choice": 12,
    "life_eval": 12,
    "question_sets": 24,
    "commitment": 12,
    "simple_qa": 24,
}
"""Items of which a run has replies of every kind; the other tasks have them of eight."""


@pytest.mark.parametrize(("case", "model"), cases_by_provider(), ids=str)
def test_log_and_results_say_what_the_provider_sent(case: Case, model: str, home: Path) -> None:
    """Of readable and unreadable replies, with OpenAI of two epochs; calls are those planned."""
    more = {"items": MIXED_ITEMS.get(case.name, 8)}
    task, far_end = prepared(case, home, model, **more)
    epochs = 2 if model == OPENAI else 1
    with ProviderServer(far_end) as server:
        log = run(case, task, server, home / "logs", model, epochs=epochs)
    requests = column_of(server.requests, 0)
    assert len(set(attributes_of(requests, "provider"))) == 1
    for request in requests:
        check_wire(case, model, request)
    if isinstance(far_end, hedge_markers.Both):
        judge_requests = [request for request in requests if request.system is None]
        assert len(judge_requests) == hedge_markers.judge_calls(far_end.speaker, batch=True)
        requests = [request for request in requests if request.system]
    draws_at_once = case in (hedge_markers.CASE, simple_qa.CASE) and model == OPENAI
    if not draws_at_once:
        arguments, _ = case.prepare(home)
        unasked = far_end.unasked if isinstance(far_end, commitment.Witness) else 0
        assert len(requests) + unasked == planned(case, {**arguments, **more}, epochs)
    frame = check(log, home / "logs", far_end)
    dataset = case.prepare(home)[0].get("dataset")
    if dataset and case is not hedge_markers.CASE:  # whose file names data sets of its own
        assert set(frame["dataset"]) == {dataset}
    headline = headline_metric(log)
    assert headline
    assert headline.metric.value == pytest.approx(far_end.log()[case.headline], abs=1e-9)
    if model == OPENAI:
        kept_in_files(frame, home)
        scored_again(case, log, frame, home)


def kept_in_files(frame: pd.DataFrame, home: Path) -> None:
    """Judgments that are written out and read back are the same."""
    for name in ("j.csv", "j.parquet"):
        write_judgments({frame["task"].iloc[0]: frame}, home / name)
        ((_, frame_of_file),) = read_judgments(home / name).items()
        pd.testing.assert_frame_equal(frame_of_file, frame)


def scorer_of(case: Case) -> Scorer:
    """The task's scorer, which asks nothing."""
    return SCORERS[case.name](**SCORER_ARGUMENTS.get(case.name, {}))


def scored_again(case: Case, log: EvalLog, before: pd.DataFrame, home: Path) -> None:
    """Scoring the finished log anew gives its metrics and judgments again, and asks nothing."""
    if case is hedge_markers.CASE:  # whose judge would be asked again: it has tests of its own
        return
    # Of a log that has its samples, Inspect makes no copy, and needs no loop inside its loop.
    new_log = score(
        read_eval_log(log.location),
        scorer_of(case),
        action="overwrite",
        display="log",
        copy=False,
    )
    assert log_metrics(new_log) == pytest.approx(log_metrics(log), rel=1e-12, nan_ok=True)
    (home / "again").mkdir()
    write_eval_log(new_log, str(home / "again" / "new.eval"))
    _, after = read_judgments(home / "again").popitem()
    keys = ["uuid", *(["source"] if "source" in before else [])]
    first = before.sort_values(keys, ignore_index=True)
    second = after.sort_values(keys, ignore_index=True)
    pd.testing.assert_frame_equal(first, second)


@pytest.mark.parametrize(
    "case",
    [
        fermi_eval.CASE,
        commitment.CASE,  # whose requests follow each other
        *slow_cases(case for case in CASES if case not in (fermi_eval.CASE, commitment.CASE)),
    ],
    ids=str,
)
def test_a_cached_run_asks_nothing(case: Case, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Epochs stay apart in the cache, and both runs' judgments are what was meant."""
    task, far_end = prepared(case, home, items=6)
    far_end.withholds = False
    with ProviderServer(far_end) as server, cached(monkeypatch, home / "cache"):
        for name in "ab":
            run(case, task, server, home / name, epochs=2, cache=True)
            calls = len(server.requests)
            ((_, frame),) = read_judgments(home / name).items()
            check_judgments(frame, far_end.judgments())
            if name == "a":
                first = calls
    assert calls == first > 0


@every_task
def test_statuses_count_alike_everywhere(case: Case, home: Path) -> None:
    """Refused, empty, cut and odd replies are failures; withheld ones are no replies."""
    replies = {
        "ok": Reply(case.ok),
        "refusal": Reply("I'm sorry, but I can't answer that."),
        "no_response": Reply(""),
        "truncated": Reply(case.cut, "length"),
        "invalid_response_format": Reply(case.unreadable),
        "content_filter": Reply(case.ok, "content_filter"),
    }
    if case is hedge_markers.CASE:  # whatever is said is an answer
        del replies["refusal"], replies["invalid_response_format"]
    if case is simple_qa.CASE:  # whose judge takes a refusal for no attempt
        del replies["refusal"]
    for group in (replies, {"content_filter": replies["content_filter"]}):
        folder = home / str(len(group))
        answer = case.around(by_prompt(*group.values()))
        each = 6 // len(group)
        log, _ = served(case.task(**case.minimal, items=each * len(group)), folder, answer)
        ((_, frame),) = read_judgments(folder).items()
        for source in {"source", "confidence_source"} & set(frame):
            frame = frame[frame[source] == "stated"]
        assert Counter(frame["status"]) == dict.fromkeys(group, each), case
        unread = frame[frame["status"] != "ok"]
        assert (unread["reason"] != "").all()
        rate = pytest.approx(failure_rate(group), nan_ok=True)
        inside = [v for k, v in log_metrics(log).items() if k.startswith("format_failure_rate")]
        assert inside == [rate], case
        results = summarize(folder, resamples=5)
        notes = " ".join(results["note"])
        failures = () if case is hedge_markers.CASE else set(group) - {"ok"}
        for status in failures:
            assert re.search(rf"\b{each} {status}\b", notes), (case, status)
        if case.condition:
            assert values(results).get((case.condition, "format_failure_rate"), math.nan) == rate


@every_task
def test_a_limit_leaves_no_reply(case: Case, home: Path) -> None:
    """What ends before the model answers counts as neither wrong nor unreadable."""
    task = case.task(**case.minimal, items=4)
    log, requests = served(task, home / "logs", lambda _: Reply(case.ok), message_limit=1)
    assert not requests
    ((_, frame),) = read_judgments(home / "logs").items()
    assert set(frame["status"]) == {"limit_reached"}
    assert all(map(math.isnan, log_metrics(log).values()))
    metrics = ["accuracy", "coverage", "ece", "mean_probability"]
    results = summarize(home / "logs", resamples=5, metrics=metrics)
    metric_rows = results[results["metric"].isin(metrics)]
    assert metric_rows["value"].isna().all()
    assert metric_rows["note"].str.contains("undefined").all()
    assert results["note"].str.contains(r"\b4 limit_reached").any()


@every_task
def test_facts_of_the_run(case: Case) -> None:
    """Temperature, counts and fingerprints, in plain types."""
    task = case.task(**{**case.minimal, "items": 6})
    assert task.config.temperature == case.temperature
    assert task.version == ("2-A" if case is hedge_markers.CASE else "1-A")
    facts: dict[str, Any] = task.metadata or {}
    assert json.loads(json.dumps(facts)) == facts
    # Numbers to words have no split, and the bundled facts have one of their own.
    split = {"wep_choice": (6, 0), "simple_qa": (2, 4)}.get(case.name, (3, 3))
    assert (facts["train_items"], facts["test_items"], facts["items"]) == (*split, 6)
    assert facts["dataset"] == case.minimal.get("dataset", facts["dataset"])
    assert facts["calls_per_sample"] == case.calls + case.minimal.get("draws", 0)
    assert len(facts["data"]) == len(facts["prompt"]) == 12
    assert facts["system"] == ("standard" if case is hedge_markers.CASE else "")


@every_task
def test_a_file_of_ids_chooses_items(case: Case, home: Path) -> None:
    """Those named are asked and no others; a bad name is an error."""
    task = case.task(**{**case.minimal, "items": 5})
    ids = sorted(set(sample_table(task)["item"]))
    (home / "ids.txt").write_text(f"{ids[3]}\n\n{ids[1]}\n", "utf-8")
    task = case.task(**{**case.minimal, "items": "ids.txt"})
    assert set(sample_table(task)["item"]) == {ids[1], ids[3]}
    (home / "ids.txt").write_text(f"{ids[1]}0\n", "utf-8")
    assert f"items names '{ids[1]}0'" in refusal(case.task, **{**case.minimal, "items": "ids.txt"})


WORDED = (fermi_eval.CASE, wep_probes.CASES[0], hedge_markers.CASE, commitment.CASE)
"""Tasks of one request, of a sentence in the question, with a system message, and of several."""


@pytest.mark.parametrize(
    "case", [*WORDED, *slow_cases(case for case in CASES if case not in WORDED)], ids=str
)
def test_own_wording_and_system_message_are_sent(case: Case, home: Path) -> None:
    """Files replace them to the letter, doubled braces are braces, and runs are kept apart."""
    fields = " | ".join(f"{{{name}}}" for name in case.fields)
    (home / "p.txt").write_text(f"Überlege {{{{so}}}}: {fields}", "utf-8")
    (home / "s.txt").write_text("Fasse dich {kurz}.\nJa.", "utf-8")
    (home / "empty.txt").write_text("", "utf-8")
    for wording in (
        {"prompt": "p.txt"},
        {"prompt": "p.txt", "system": "s.txt"},
        {"system": "s.txt"},
        {"system": "empty.txt"},
    ):
        task = case.task(**{**case.minimal, "items": 1, **wording})
        _, (request, *_) = served(task, home / "logs", lambda _: Reply(case.ok))
        if "system" in wording:
            assert request.system == (Path(wording["system"]).read_text("utf-8") or None), wording
        elif case is not hedge_markers.CASE:  # which asks for hedges in its own
            assert request.system is None
        (sample, *_) = task.dataset
        field_texts = case.field_texts(case.question_text(sample), sample.metadata or {})
        assert [text for text in field_texts if text not in request.prompt] == [], request.prompt
        head, heading, tail = request.prompt.partition("Überlege {so}: ")
        assert (not head and bool(heading)) == ("prompt" in wording), request.prompt
        if heading:
            assert tuple(tail.split(" | ")[: len(field_texts)]) == field_texts
    ((_, frame),) = read_judgments(home / "logs").items()
    assert frame["variant"].nunique() == 4


COMMON: list[tuple[dict[str, object], str]] = [
    ({"items": 0}, "items=0 is below 1"),
    ({"items": "2.5"}, "items=2.5 is not a whole number"),
    ({"items": "ids.txt"}, "items=ids.txt: there is no file"),
    ({"split": "dev"}, "split=dev is not known. Known: all, test, train."),
    ({"seed": "x"}, "seed=x is not a number"),
    ({"prompt": "none.txt"}, "prompt=none.txt: there is no file"),
    ({"prompt": "odd.txt"}, "write braces themselves as {{ and }}"),
    ({"prompt": "bare.txt"}, "the file has none"),
    ({"prompt": "other.txt"}, "{much}"),
    ({"system": "none.txt"}, "system=none.txt: there is no file"),
    ({"item": 3}, "There is no task argument 'item'. Did you mean 'items'?"),
    ({"temperature": 1}, "There is no task argument 'temperature'. Known: "),
]


@every_task
@pytest.mark.usefixtures("home")
def test_bad_arguments_name_value_and_remedy(case: Case) -> None:
    """Those that all tasks have; what an error lists as known are all of the task's."""
    for name, text in (("odd", "{question"), ("bare", "Rate it."), ("other", "{much}")):
        Path(f"{name}.txt").write_text(text, "utf-8")
    check_refusals(case.task, [({**case.minimal, **arguments}, says) for arguments, says in COMMON])
    names = refusal(case.task, zzz=1).split("Known: ")[1].rstrip(".").split(", ")
    assert names == sorted(parameters_of(case.task))
    if "dataset" in names:
        check_refusals(case.task, [({"dataset": "none.csv"}, "dataset=none.csv")])


@pytest.mark.parametrize(
    "case",
    [
        fermi_eval.CASE,
        *slow_cases(case for case in CASES if case not in (fermi_eval.CASE, hedge_markers.CASE)),
    ],
    ids=str,
)
def test_from_the_command_line_to_the_results(case: Case, home: Path) -> None:
    """By the task's file and then its scorer's, with paths from where the user stands."""
    for name in ("tasks", "scorers"):
        (home / name).symlink_to(CHECKOUT / name)
    arguments, make = case.prepare(home)
    far_end = make(case.task(**arguments))
    words = []
    for name, value in arguments.items():
        words += ["-T", f"{name}={value}"]
    if case is simple_qa.CASE:  # whose draws are told apart by their order
        words += ["--max-samples", "1"]
    form = f"tasks/{case.task.__module__.rpartition('.')[2]}.py@{case.name}"
    with ProviderServer(far_end) as server:
        inspect_printed(
            *("eval", form, "--model", OPENAI, "--model-base-url", server.url + "/v1"),
            *(*words, "--epochs", 2, "--log-dir", "logs", "--display", "none", "--max-retries", 0),
        )
    assert not server.errors
    (place,) = list_eval_logs(str(home / "logs"))
    log = read_eval_log(place)
    check(log, home / "logs", far_end)
    scorer = f"scorers/{SCORERS[case.name].__module__.rpartition('.')[2]}.py"
    inspect_printed(
        *("score", place.name, "--action", "overwrite", "--display", "none"),
        *("--scorer", f"{scorer}@{SCORERS[case.name].__name__}", "--output-file", "new.eval"),
        *(f"-S{name}={value}" for name, value in SCORER_ARGUMENTS.get(case.name, {}).items()),
    )
    new_metrics = log_metrics(read_eval_log(str(home / "new.eval")))
    assert new_metrics == pytest.approx(log_metrics(log), rel=1e-12, nan_ok=True)


WHOLE: list[Callable[[Path], Case]] = [
    fermi_eval.published,
    lambda data: scale_variants.published(data, "gsm8k", scales="0-100,0-5"),
    lambda data: scale_variants.published(data, "truthfulqa", scales="0-100,0-5"),
    lambda data: life_eval.people(),
    lambda data: question_sets.bundled("bundled", "knowledge"),
    lambda data: question_sets.bundled("statements", "statements"),
]


@pytest.mark.parametrize(
    "items", [20, pytest.param(None, marks=pytest.mark.thorough)], ids=["some", "all"]
)
@pytest.mark.parametrize("number", [0, 4, *slow_cases((1, 2, 3, 5))])
def test_real_items(number: int, items: int | None, home: Path, published: Path) -> None:
    """Of the public sets and of the study's ages some, or all: each is asked once."""
    case = WHOLE[number](published)
    task, far_end = prepared(case, home, items=items)
    log, requests = served(task, home / "logs", far_end, max_connections=50)
    assert len(set(attributes_of(requests, "prompt"))) == len(task.dataset) == len(requests)
    check(log, home / "logs", far_end)
