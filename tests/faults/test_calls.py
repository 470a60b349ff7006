"""Calls that fail, through the providers' own packages: runs end, and what was answered counts."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pytest
from inspect_ai import eval_retry
from inspect_ai.log import EvalLog, list_eval_logs
from tenacity import wait_fixed

from any_eval.small import confidence_of, far_end, sums
from faults.flaky import KINDS, PATIENCE, Flaky
from faults.ledger import held
from inspect_confidence import read_judgments
from inspect_confidence.tasks.fermi_eval import fermi_eval
from inspect_confidence.tasks.question_sets import question_sets
from inspect_confidence.tasks.with_confidence import with_confidence
from provider_server import ProviderServer, Reply, Request, Token
from runs import GOOGLE, OPENAI, in_turn, log_metrics, run_task, served

MODELS = (OPENAI, "anthropic/claude-3-haiku-20240307", GOOGLE)
"""Anthropic's is one that is asked for without streaming: a reply is one body."""
NAMES = ["item", "level", "draw", "status", "lower", "upper", "point"]
PATIENT: dict[str, Any] = {"fail_on_error": False, "max_retries": 5, "attempt_timeout": PATIENCE}


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inspect asks again after a twentieth of a second, not after three seconds and more."""
    monkeypatch.setattr(
        "inspect_ai.model._retry.wait_exponential_jitter", lambda **_: wait_fixed(0.05)
    )


def estimate(request: Request) -> Reply:
    """Bounds that nothing but the prompt decides, or a point of one draw of several."""
    rng = Random(request.prompt)
    lower = rng.randint(-5, 20)
    if "Lower" not in request.prompt:
        return Reply(f"10^{lower}")
    return Reply(f"Lower: {lower}\nUpper: {lower + rng.randint(1, 6)}")


def table(folder: Path) -> pd.DataFrame:
    """The judgments of a run, one row each, in one order."""
    (frame,) = read_judgments(folder).values()
    return frame[NAMES].sort_values(NAMES[:3], ignore_index=True)


def outcomes(
    flaky: Flaky, frame: pd.DataFrame, whole: pd.DataFrame, log: EvalLog
) -> dict[str, bool]:
    """What must hold of a run in which calls failed."""
    read = frame["status"] == "ok"
    calls_by_prompt = {p: n for p, n in flaky.answered.items() if p not in flaky.spoilt}
    return {
        "the run ended": log.status == "success",
        "every judgment has a status": len(frame) == len(whole) and all(frame["status"]),
        "what was read is as in an unbroken run": frame[read].equals(whole[read]),
        "all else is a reply that was spoilt": int((~read).sum()) <= len(flaky.spoilt),
        "what is known is not asked again": set(calls_by_prompt.values()) == {1},
    }


def broken_and_whole(
    folder: Path, model: str, flaky: Flaky, **arguments: Any
) -> tuple[dict[str, bool], pd.DataFrame, pd.DataFrame]:
    """What held of a run against a provider that fails; its judgments, and those of a whole run."""
    with ProviderServer(estimate) as server:
        run_task(fermi_eval(dataset="bundled", **arguments), server, folder / "whole", model)
    with flaky:
        task = fermi_eval(dataset="bundled", **arguments)
        log = run_task(task, flaky, folder / "broken", model, max_connections=20, **PATIENT)
    broken, whole = table(folder / "broken"), table(folder / "whole")
    return outcomes(flaky, broken, whole, log), broken, whole


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_one_call_in_five_fails(model: str, tmp_path: Path, soon: None) -> None:
    """In any way: the run ends, and each call is an answer as it would have been, or a failure."""
    flaky = Flaky(estimate)
    good, broken, whole = broken_and_whole(tmp_path, model, flaky, items=60)
    assert set(flaky.failed) - {""} == set(KINDS)
    assert set(whole["status"]) == {"ok"}
    assert {"truncated", "content_filter", "sample_error"} <= set(broken["status"])
    calls = sum(flaky.failed.values())
    wrong = held(
        *(
            "calls",
            f"{calls} of {len(whole)} calls to {model.split('/', maxsplit=1)[0]} fail, in 11 ways",
            good,
        ),
        "the run ends; a question without a reply has a status with a reason",
        "the failed replies",
    )
    assert not wrong


@pytest.mark.slow
def test_a_wrong_number_of_choices(tmp_path: Path, soon: None) -> None:
    """Of several draws in one call: the missing ones are asked for, what is too much is left."""
    flaky = Flaky(estimate, share=0.5, kinds=("too few", "too many", "429", "cut"))
    good, broken, _ = broken_and_whole(
        tmp_path, OPENAI, flaky, items=40, method="sampling", draws=5
    )
    assert min(flaky.failed["too few"], flaky.failed["too many"]) > 0
    good["every draw is read"] = set(broken["status"]) == {"ok"}
    good["five draws an item"] = bool((broken.groupby("item").size() == 5).all())
    # Of a short reply the missing draw is asked for alone.
    short = list(flaky.spoilt.values()).count("too few")
    sent = sum(len(replies) for _, replies in flaky.requests)
    cut = flaky.failed["cut"] * 5
    good["no draw is asked for twice"] = sent == 5 * 40 + short + cut
    wrong = held(
        *("calls", "a reply with too few or too many of the choices asked for", good),
        *("only missing draws are asked for; surplus ones are left out", "nothing"),
    )
    assert not wrong


def retried(folder: Path, patch: pytest.MonkeyPatch, items: int) -> dict[str, bool]:
    """What must hold of a run whose replies were broken, and of its retry."""
    patch.setenv("OPENAI_API_KEY", "test")
    with ProviderServer(estimate) as server:
        run_task(fermi_eval(dataset="bundled", items=items), server, folder / "whole")
    logs = str(folder / "logs")
    with Flaky(estimate, kinds=("no choices", "half", "500"), share=0.3) as flaky:
        patch.setenv("OPENAI_BASE_URL", f"{flaky.url}/v1")
        task = fermi_eval(dataset="bundled", items=items)
        first = run_task(task, flaky, folder / "logs", **PATIENT)
        is_failed = table(folder / "logs")["status"] == "sample_error"
        flaky.share, before = 0.0, len(flaky.requests)
        (second,) = eval_retry(first, log_dir=logs, display="none")
        retry_calls = len(flaky.requests) - before
    return {
        "the first run has failures": bool(is_failed.any()),
        "only these are asked again": retry_calls == int(is_failed.sum()),
        "the retry succeeds": second.status == "success",
        "both logs are one run": len(list_eval_logs(logs)) == 2
        and table(folder / "logs").equals(table(folder / "whole")),
    }


@pytest.mark.slow
def test_a_retry_asks_for_what_failed_alone(
    tmp_path: Path, soon: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Samples that ended in an error are asked again; the folder then counts each sample once."""
    good = retried(tmp_path, monkeypatch, items=40)
    wrong = held(
        *("calls", "replies without choices or of half a JSON text, then eval-retry", good),
        *("only the failed samples are asked again", "nothing"),
    )
    assert not wrong


IMPOSSIBLE = {"a positive one": 0.7, "more than 1 in all": -0.1}
"""Log probabilities of a token beside one of 0.4."""


def spoken(text: str, logprob: float, before: str = "", alternative: str = "4") -> Reply:
    """A reply that ends in a token of that log probability."""
    tokens = [Token(before, 0.0)] if before else []
    tokens.append(Token(text, logprob, {text: logprob, alternative: math.log(0.4)}))
    return Reply(before + text, logprobs=tokens)


@pytest.mark.parametrize("kind", IMPOSSIBLE)
def test_log_probabilities_that_cannot_be_cost_one_judgment(kind: str, tmp_path: Path) -> None:
    """It is `scoring_failed` and says why; the others are read, and no failure of format."""
    wrong, right = IMPOSSIBLE[kind], math.log(0.5)
    task = fermi_eval(dataset="bundled", items=2, method="logprob", levels="90")
    log, _ = served(task, tmp_path / "fermi", in_turn(spoken("3", wrong), spoken("3", right)))
    (estimates,) = read_judgments(tmp_path / "fermi").values()
    before = '{"Answer": "'
    options = (spoken("A", logprob, before, "B") for logprob in (wrong, right))
    served(question_sets(dataset="bundled", items=2), tmp_path / "sets", in_turn(*options))
    (answers,) = read_judgments(tmp_path / "sets").values()
    truths = [spoken("True", logprob, alternative="False") for logprob in (wrong, right)]
    wrapped = with_confidence(sums(), "p_true")
    asked_log, _ = served(wrapped, tmp_path / "any", far_end(p_true=truths), max_samples=1)
    statuses = {
        "an estimate": list(estimates["status"]),
        "an option's token": list(answers.loc[answers["source"] == "token", "status"]),
        "the probability of True": [
            confidence_of(asked_log, i)[1]["p_true"]["status"] for i in "ab"
        ],
    }
    outcomes = {name: sorted(pair) == ["ok", "scoring_failed"] for name, pair in statuses.items()}
    unscored = estimates[estimates["status"] == "scoring_failed"]
    outcomes["the reason says so"] = bool(
        unscored["reason"].str.contains("impossible log probab").all()
    )
    outcomes["no failure of format"] = log_metrics(log)["format_failure_rate_90"] == 0
    assert not held(
        *("calls", f"log probabilities that can't be: {kind}", outcomes),
        *("`scoring_failed`, with the place and the sum", "the judgments by these tokens"),
    )
