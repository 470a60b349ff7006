"""A bad value in a log costs one judgment: it is counted, named, and never used."""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalError, EvalLog, read_eval_log, write_eval_log
from inspect_ai.scorer import match
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import EarlyStoppingSummary

from build import slow_cases, texts_with
from conftest import CHECKOUT
from faults.ledger import held
from inspect_confidence import read_judgments, summarize, with_confidence
from runs import printed

LOGS = CHECKOUT / "examples" / "logs"
Edit = Callable[[dict[str, Any]], object]


def rewrite(source: Path, target: Path, edit: Edit) -> str:
    """Copy a log with its first summary edited; return the id of that sample."""
    edited = ""
    with zipfile.ZipFile(source) as archive, zipfile.ZipFile(target, "w") as copy:
        for member in archive.infolist():
            content = archive.read(member)
            if member.filename == "summaries.json":
                summaries = json.loads(content)
                edit(summaries[0])
                edited = str(summaries[0]["id"])
                content = json.dumps(summaries).encode()
            if "/summaries/" not in member.filename:
                copy.writestr(member, content, zipfile.ZIP_DEFLATED)
    return edited


def set_score(scorer: str, name: str, value: object) -> Edit:
    """Return an edit that sets a key of a score's value."""

    def edit(summary: dict[str, Any]) -> None:
        summary["scores"][scorer]["value"][name] = value

    return edit


def set_detail(scorer: str, text: str) -> Edit:
    """Return an edit that sets the reason in a score's metadata."""

    def edit(summary: dict[str, Any]) -> None:
        summary["scores"][scorer]["metadata"]["detail"] = text

    return edit


def set_metadata(name: str, value: object) -> Edit:
    """Return an edit that sets a value of the sample's metadata."""

    def edit(summary: dict[str, Any]) -> None:
        summary["metadata"][name] = value

    return edit


IMPOSSIBLE = {
    "wep_choice, an unknown interval": ("wep_choice", set_metadata("interval", "sideways")),
    "question_sets, an unknown kind": ("question_sets", set_metadata("kind", "riddle")),
    "life_eval, no age": ("life_eval", set_metadata("age", None)),
    "fermi_eval, 1e400": ("fermi_eval", set_score("interval", "lower", math.inf)),
    "fermi_eval, level 900": ("fermi_eval", set_metadata("level", 900)),
    "scale_variants, confidence 7": ("scale_variants", set_score("stated", "confidence", 7)),
    "scale_variants, confidence -5": ("scale_variants", set_score("stated", "confidence", -5)),
    "scale_variants, Infinity": ("scale_variants", set_score("stated", "confidence", math.inf)),
    "scale_variants, 5,000 digits": ("scale_variants", set_score("stated", "raw", 10**400)),
    "hedge_markers, correct 3": ("hedge_markers", set_score("hedged", "correct", 3)),
    "question_sets, answer Z": (
        "question_sets",
        lambda summary: summary["scores"]["option_confidence"].update(answer="Z"),
    ),
    "wep_elicitation, probability 7": (
        "wep_elicitation",
        set_score("stated_probability", "probability", 7),
    ),
}


@pytest.mark.slow
def test_an_impossible_value_costs_one_judgment(tmp_path: Path) -> None:
    """The sample is named and its judgment counted; all others stay as they are."""
    outcomes = {}
    for case, (task, edit) in IMPOSSIBLE.items():
        source = LOGS / f"{task}-candid.eval"
        target = tmp_path / "crafted.eval"
        sample = rewrite(source, target, edit)
        before = read_judgments(source)[task].sort_values("uuid", kind="stable")
        judgments = read_judgments(target)
        after = judgments[task].sort_values("uuid", kind="stable")
        failed = after[(after["status"] == "scoring_failed") & (after["reason"] != "")]
        outcomes[f"{case}: status"] = (
            set(failed["item"]) == {*before.loc[before["uuid"].isin(failed["uuid"]), "item"]}
            and failed["uuid"].nunique() == 1
        )
        outcomes[f"{case}: others"] = len(after) == len(before)
        outcomes[f"{case}: notice"] = any(
            "crafted.eval" in notice and f"1 {sample}" in notice for notice in judgments.notices
        )
        outcomes[f"{case}: summary"] = len(summarize(judgments, resamples=20)) > 0
    wrong = held(
        *("logs", "impossible and infinite values in one sample of a log", outcomes),
        "the judgment is `scoring_failed` with its reason; a notice names log and sample",
        "the judgment with the value",
    )
    assert wrong == []


@pytest.mark.parametrize(
    ("task", "scorer"),
    [("fermi_eval", "interval"), ("scale_variants", "stated"), ("question_sets", None)],
)
def test_a_lone_surrogate_costs_no_judgment(tmp_path: Path, task: str, scorer: str | None) -> None:
    """The text is kept with U+FFFD, and every writer can write it."""
    source, target = LOGS / f"{task}-candid.eval", tmp_path / "crafted.eval"
    edit = set_detail(scorer, "cut \ud83d") if scorer else set_metadata("split", "s\ud83d")
    rewrite(source, target, edit)
    judgments = read_judgments(target)
    texts = judgments[task][["reason", "split"]].to_numpy().ravel().tolist()
    before = read_judgments(source)[task]["status"].value_counts()
    notices = texts_with(judgments.notices, "crafted.eval: lone surrogates")
    outcomes = {
        "the text is kept": any("\ufffd" in text for text in texts),
        "the log is named": any(notices),
        "statuses stay": judgments[task]["status"].value_counts().equals(before),
    }
    happens = "the text is kept with U+FFFD in its place; a notice names log and sample"
    fault = f"a lone surrogate in a text of a log: {task}"
    assert held("logs", fault, outcomes, happens, "nothing") == []
    for suffix in ("csv", "parquet"):
        printed("judgments", target, "-o", tmp_path / f"judgments.{suffix}")
    printed("summarize", target, "--json", "--resamples", 20)


def first_ten(log: EvalLog, manager: str | None) -> EvalLog:
    """Return the log with its first ten samples, stopped early by a manager if there is one."""
    log.samples = (log.samples or [])[:10]
    if manager and log.results:
        log.results.early_stopping = EarlyStoppingSummary(
            manager=manager, early_stops=[], metadata={}
        )
    return log


@pytest.mark.parametrize("task", ["fermi_eval", "scale_variants", "hedge_markers"])
def test_an_early_stop_is_no_lost_data(tmp_path: Path, task: str) -> None:
    """A notice counts the samples, and --strict ends with 0."""
    source = read_eval_log(str(LOGS / f"{task}-candid.eval"))
    count = len(source.samples or [])
    target = tmp_path / "stopped.eval"
    write_eval_log(first_ten(source, "adaptive"), str(target))
    judgments = read_judgments(target)
    assert judgments.loss_notices == ()
    stopped = f"stopped early (manager adaptive): 10 of {count} samples"
    outcomes = {
        "nothing is lost": judgments.loss_notices == (),
        "a notice counts": any(notice.endswith(stopped) for notice in judgments.notices),
    }
    printed("summarize", target, "--strict", "--resamples", 20)
    happens = "a notice names the stopping manager and counts the samples; --strict ends with 0"
    assert held("logs", f"a run stopped early: {task}", outcomes, happens, "nothing") == []


def test_an_oversized_member_is_named_and_not_unpacked(tmp_path: Path) -> None:
    """Its log is left out, and the other log of the folder is read."""
    source = LOGS / "scale_variants-candid.eval"
    target = tmp_path / "bomb.eval"
    with zipfile.ZipFile(source) as archive, zipfile.ZipFile(target, "w") as copy:
        for member in archive.infolist():
            content = archive.read(member)
            if member.filename == "summaries.json":
                content += b" " * (80 * 2**20)
            copy.writestr(member.filename, content, zipfile.ZIP_DEFLATED)
    (tmp_path / "good.eval").write_bytes(source.read_bytes())
    judgments = read_judgments(tmp_path)
    assert len(judgments["scale_variants"]) == 160
    (notice,) = judgments.loss_notices
    assert "bomb.eval" in notice
    assert "summaries.json" in notice
    assert "84 MB unpacked" in notice


TASKS = ["fermi_eval", "scale_variants", "hedge_markers", "life_eval", "question_sets"]
TASKS += ["wep_choice", "wep_elicitation"]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("sample_count", [0, *slow_cases([1])])
def test_a_model_that_failed_everywhere_is_counted(
    tmp_path: Path, task: str, sample_count: int
) -> None:
    """Every sample of its run has a status, also where the log ends before it was written."""
    log = read_eval_log(str(LOGS / f"{task}-candid.eval"))
    error = EvalError(message="boom", traceback="", traceback_ansi="")
    count = len(log.samples or [])
    log.samples = (log.samples or [])[:sample_count]
    for sample in log.samples:
        sample.error, sample.scores = error, {}
    log.status, log.error = "error", error
    write_eval_log(log, str(tmp_path / "failed.eval"))
    failed = log.eval.model
    judgments = read_judgments([tmp_path, LOGS / f"{task}-boastful.eval"])
    frame = judgments[task]
    statuses = frame.loc[frame["model"] == failed, "status"].tolist()
    outcomes = {"every sample has a status": statuses == ["sample_error"] * count}
    happens = "the model is in the tables, with a status for every sample"
    fault = f"a run that failed on every sample: {task}"
    assert held("logs", fault, outcomes, happens, "nothing") == []
    results = summarize(judgments, resamples=20)
    rows = results[results["model"] == failed]
    assert rows["note"].str.contains("left out").any()
    own_results = summarize(LOGS / f"{task}-boastful.eval", resamples=20)
    model_results = results[results["model"] == own_results["model"].iloc[0]]
    key = ["condition", "metric"]
    merged = own_results.merge(
        model_results, on=["model", "dataset", *key], suffixes=("", "_after")
    )
    assert merged["value"].equals(merged["value_after"])


def test_a_wrapped_eval_that_failed_everywhere_is_counted(tmp_path: Path) -> None:
    """Its judgments have the samples' statuses, though none says how confidence was asked for."""
    wrapped = with_confidence(
        Task(
            [Sample(f"{n} + 2?", target="4") for n in range(3)],
            name="sums",
            solver=fail(),
            scorer=match(),
        )
    )
    eval(wrapped, model="mockllm/model", log_dir=str(tmp_path), display="none")
    judgments = read_judgments(tmp_path)
    (frame,) = judgments.values()
    assert set(frame["status"]) == {"sample_error"}
    assert len(frame) == 3
    assert "mockllm/model" in set(summarize(judgments, resamples=20)["model"])


@solver
def fail() -> Solver:
    """Fail on every sample."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        raise RuntimeError("boom")

    return solve
