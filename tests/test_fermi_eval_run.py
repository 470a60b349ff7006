"""FermiEval's methods and simulated respondents: what a run leaves in the log and in the tables."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from inspect_ai._cli.main import inspect as inspect_command
from inspect_ai.log import EvalLog

from build import attributes_of, column_of, prefixed, rows_by, texts_starting
from conftest import CHECKOUT, Command, run_respondent
from inspect_confidence import read_judgments, summarize
from inspect_confidence.datasets.fermi import bundled_fermi
from inspect_confidence.respondents.belief import stated_bounds
from inspect_confidence.respondents.estimator import Estimator
from inspect_confidence.results import Condition
from inspect_confidence.tasks.fermi_eval import fermi_eval
from provider_server import ProviderServer, Reply, Request, Token
from runs import (
    ANTHROPIC,
    Answer,
    cached,
    check_refusals,
    log_metrics,
    printed,
    run_task,
    served,
    values,
)

LEVELS = (80, 90, 95, 99)
METHODS = ["tunnel", "sampling", "logprob", "traces"]


def bundled(folder: Path, answer: Answer, **arguments: Any) -> tuple[EvalLog, list[Request]]:
    """A run on bundled items against a local server."""
    return served(fermi_eval("bundled", **arguments), folder, answer)


@pytest.mark.slow
def test_second_epoch_of_the_same_answers_changes_nothing(tmp_path: Path) -> None:
    """Items are resampled, not judgments: duplicating all rows leaves value and interval as is."""
    run_respondent("erratic", tmp_path, items=40)
    once = read_judgments(tmp_path)["fermi_eval"]
    repeated = once.assign(epoch=2.0, uuid=once["uuid"] + "-2")
    twice = pd.concat([once, repeated], ignore_index=True)
    columns = ["condition", "metric", "value", "ci_low", "ci_high"]
    first = summarize(once, resamples=300)[columns].query("metric != 'n'")
    second = summarize(twice, resamples=300)[columns].query("metric != 'n'")
    pd.testing.assert_frame_equal(first, second, rtol=1e-12, atol=1e-12)


@pytest.mark.slow
def test_concurrency_changes_no_answer(tmp_path: Path) -> None:
    """A respondent answers alike at 1 and at 20 connections, and differently at another seed."""
    columns = ["item", "level", "epoch", "status", "lower", "upper"]

    def answers(folder: str, connections: int, seed: int) -> pd.DataFrame:
        run_respondent(
            *("erratic", tmp_path / folder),
            items=15,
            epochs=2,
            max_connections=connections,
            respondent_seed=seed,
        )
        frame = read_judgments(tmp_path / folder)["fermi_eval"][columns]
        return frame.sort_values(columns[:3], ignore_index=True)

    serial, twenty, other_seed = answers("1", 1, 0), answers("20", 20, 0), answers("s", 20, 1)
    pd.testing.assert_frame_equal(serial, twenty)
    assert not serial["lower"].equals(other_seed["lower"])
    epochs = [serial[serial["epoch"] == epoch]["status"].tolist() for epoch in (1, 2)]
    assert epochs[0] != epochs[1]  # a second epoch is a fresh draw


def test_one_draw_is_a_draw(tmp_path: Path) -> None:
    """A method that repeats reads what it asked for, be it once."""
    for method, calls in {"tunnel": 5 * 4, "sampling": 5}.items():  # tunnel at four levels
        run_respondent("calibrated", tmp_path / method, method=method, draws=1, items=5)
        judgments = read_judgments(tmp_path / method)["fermi_eval"]
        assert len(judgments) == calls, method
        assert (judgments["status"] == "ok").all(), method


def test_bounds_are_those_of_the_belief(tmp_path: Path) -> None:
    """A calibrated respondent's bounds are its belief's quantiles, to the digits it states."""
    run_respondent("calibrated", tmp_path, items=10)
    frame = read_judgments(tmp_path)["fermi_eval"]
    for row in frame.to_dict("records"):
        tail = (1 - row["level"] / 100) / 2
        belief = Estimator().belief(row["item"])
        assert row["lower"] == pytest.approx(float(belief.quantile(tail)[0]), abs=1e-6)
        assert row["upper"] == pytest.approx(float(belief.quantile(1 - tail)[0]), abs=1e-6)


def test_bad_arguments_name_value_and_remedy() -> None:
    """Each is one error that says what was given and what can be."""
    check_refusals(
        fermi_eval,
        [
            ({"level": 80}, "There is no task argument 'level'. Did you mean 'levels'?"),
            ({"levels": 101}, "levels=101 is not between 0 and 100"),
            ({"dataset": "nope"}, "dataset=nope is not known"),
            ({"dataset": "bundled", "method": "direct", "draws": 5}, "method=direct asks once"),
            ({"dataset": "bundled", "method": "sampling", "draws": 0}, "draws=0 is below 1"),
            ({"dataset": "bundled", "method": "samplin"}, "Did you mean 'sampling'?"),
        ],
    )


MISTAKE = ["calibrated", "-T", "level=80"]
REMEDY = "There is no task argument 'level'. Did you mean"
ERRONEOUS = ("eval", "tasks/fermi_eval.py", "-T", "dataset=bundled", "--model")
"""A command of Inspect, before the name of a respondent and what is wrong."""


def test_a_mistake_ends_in_one_clean_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inspect prints the error of a task's argument without frames, and begins no log."""
    monkeypatch.chdir(CHECKOUT)
    words = [*ERRONEOUS, f"respondent/{MISTAKE[0]}", *MISTAKE[1:], "--log-dir", str(tmp_path)]
    done = CliRunner().invoke(inspect_command, [*words, "--display", "none"])
    assert isinstance(done.exception, SystemExit)
    assert done.exit_code != 0
    assert len(texts_starting(done.stderr.splitlines(), "Error:")) == 1
    assert REMEDY in done.stderr
    assert "Traceback" not in done.output
    assert not list(tmp_path.glob("*.eval"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "says"),
    [(MISTAKE, REMEDY), (["tunnel", "-M", "tunel=0.5"], "Did you mean 'tunnel'?")],
    ids=["task", "respondent"],
)
def test_mistakes_end_in_one_clean_line(
    command: Command, tmp_path: Path, words: list[str], says: str
) -> None:
    """Of the task and of a respondent, in a process of its own: a line without a traceback."""
    done = command(
        *("inspect", *ERRONEOUS),
        *(f"respondent/{words[0]}", *words[1:], "--log-dir", tmp_path, "--display", "none"),
        check=False,
    )
    assert done.returncode != 0
    assert says in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    errors = texts_starting(done.stderr.splitlines(), "Error:")
    assert len(errors) == 1 or words[1] == "-M"
    assert not list(tmp_path.glob("*.eval"))


# Methods


@pytest.mark.parametrize("method", METHODS)
def test_each_method_runs_with_unreadable_replies(tmp_path: Path, method: str) -> None:
    """The log's metrics and the table agree over two epochs, some replies being unreadable."""
    draws = _draws(method)
    log = run_respondent("erratic", tmp_path, method=method, items=12, epochs=2, draws=draws)
    inside = log_metrics(log)
    frames = read_judgments(tmp_path)
    rows = frames["fermi_eval"]
    assert set(rows["method"]) == {method}
    estimates = values(summarize(frames, resamples=20))
    for level in LEVELS:
        for metric in ("coverage", "interval_score", "mean_width", "format_failure_rate"):
            value = estimates[f"level={level};method={method}", metric]
            assert inside[f"{metric}_{level}"] == pytest.approx(value, abs=1e-12), metric
    assert len(rows) == 12 * 2 * (draws or 1) * (4 if method == "tunnel" else 1)
    assert (rows["status"] != "ok").any()


def _draws(method: str) -> int | None:
    return None if method == "logprob" else 4


@pytest.mark.slow
def test_all_methods_stand_in_one_table(tmp_path: Path) -> None:
    """Runs of all methods are read together: methods in columns, reductions against direct."""
    for method in ["direct", *METHODS]:
        run_respondent(
            "tunnel",
            tmp_path,
            method=method,
            items=24,
            draws=_draws(method) if method != "direct" else None,
        )
    frames = read_judgments(tmp_path)
    assert set(frames["fermi_eval"]["variant"]) == {""}
    estimates = values(summarize(frames, resamples=50))
    conditions = set(column_of(estimates, 0))
    for method in METHODS:
        change = estimates[f"level=90;method={method};split=test", "interval_score_change"]
        after = estimates[f"level=90;method={method};split=test", "interval_score"]
        before = estimates["level=90;method=direct;split=test", "interval_score"]
        assert change == pytest.approx(after - before, abs=1e-9)
        base_condition = f"base={method};level=90;method=conformal;split=test"
        assert base_condition in conditions
    for rule in ("score", "nll"):
        scaled = f"level=90;method=logprob;scaling={rule};split=test"
        assert not math.isnan(estimates[scaled, "interval_score"])
    assert estimates["method=traces", "tunnel_index"] == pytest.approx(
        estimates["method=traces;traces=1", "residual_tunnel_index"]
    )
    assert estimates["method=traces;traces=4", "residual_tunnel_index"] == pytest.approx(
        0, abs=1e-12
    )
    text = printed("summarize", tmp_path, "--study", "fermi_eval", "--resamples", 50).stdout
    assert "test split: interval score" in text
    assert "Reduction of the interval score against direct" in text


def test_forty_tunnel_draws_agree_with_the_plain_functions(tmp_path: Path) -> None:
    """Every stated bound lies on the belief's quantiles at some place of the tunnel."""
    # Of a lower bound that is the u + p alpha/2 quantile of the belief and an upper bound that is
    # the u + p (1 - alpha/2) quantile, the masses differ by p level, and u is within [0, 1 - p].
    run_respondent("tunnel", tmp_path, method="tunnel", items=3, draws=40, levels="90")
    frame = read_judgments(tmp_path)["fermi_eval"]
    assert len(frame) == 120
    for item, rows in frame.groupby("item"):
        belief = Estimator(tunnel=0.65).belief(str(item))
        grid = np.linspace(0, 1, 200_001)
        lower, upper = stated_bounds(belief, 90, tunnel=0.65, position=grid)
        places = np.interp(rows["lower"], lower, grid)
        np.testing.assert_allclose(np.interp(places, grid, upper), rows["upper"], atol=1e-4)
        assert places.min() >= 0
        assert places.max() - places.min() > 0.7  # spread over the tunnel's places


def token_reply(request: Request) -> Reply:
    """An integer with top-20 alternatives that follow from the prompt's length."""
    centre = len(request.prompt) % 15 - 5
    spread = 1 + len(request.prompt) % 3
    weights = {k: math.exp(-abs(k - centre) / spread) for k in range(centre - 9, centre + 10)}
    total = sum(weights.values()) / 0.97  # 3% on something else
    top = {str(k): math.log(weight / total) for k, weight in weights.items()}
    top[f" {centre}"] = math.log(0.01)  # the same integer written differently
    return Reply(str(centre), logprobs=[Token(str(centre), top[str(centre)], top)])


def test_an_empty_list_of_log_probabilities_is_none(tmp_path: Path) -> None:
    """The reply has text, so that it is the log probabilities that are missing."""
    log, _ = bundled(tmp_path, lambda _: Reply("3", logprobs=[]), method="logprob", items=2)
    assert set(read_judgments(tmp_path)["fermi_eval"]["status"]) == {"scoring_failed"}
    assert log.status == "success"


def independent(prompts: list[str]) -> dict[int, dict[str, float]]:
    """Coverage and Winkler score of hulls from the replies, by brute force over prefixes."""
    bounds_by_level: dict[int, list[tuple[float, float, float]]] = defaultdict(list)
    truths = {item.question: item.exponent for item in bundled_fermi().values()}
    for prompt in prompts:
        truth = truths[prompt.split("\n\nThe answer is")[0]]
        (token,) = token_reply(Request("openai", {}, prompt, None)).logprobs or ()
        masses: dict[int, float] = defaultdict(float)
        for text, log in token.top.items():
            masses[int(text)] += math.exp(log)
        total = sum(masses.values())
        order = sorted(masses, key=lambda k: (-masses[k], k))
        for level in LEVELS:
            interval, mass = [], 0.0
            for k in order:
                interval.append(k)
                mass += masses[k] / total
                if mass > level / 100 + 1e-12:
                    break
            low, high, alpha = min(interval), max(interval), (100 - level) / 100
            miss = max(low - truth, 0) + max(truth - high, 0)
            bounds_by_level[level].append(
                (low <= truth <= high, high - low + 2 / alpha * miss, truth in interval)
            )
    names = ("coverage", "interval_score", "set_coverage")
    means = {}
    for level, rows in bounds_by_level.items():
        means[level] = dict(zip(names, np.mean(rows, axis=0), strict=True))
    return means


def test_logprob_table_equals_what_openai_sent(tmp_path: Path) -> None:
    """Through the real package, sets, hulls and scores are those of the log probabilities sent."""
    _, requests = bundled(tmp_path, token_reply, method="logprob", items=40)
    assert len(requests) == 40
    assert set(column_of(attributes_of(requests, "body"), "top_logprobs")) == {20}
    done = printed("summarize", tmp_path, "--json", "--resamples", 20)
    row_by_metric = rows_by(json.loads(done.stdout), "condition", "metric")
    prompts = attributes_of(requests, "prompt")
    for level, numbers in independent(prompts).items():
        for metric, value in numbers.items():
            row = row_by_metric[f"level={level};method=logprob", metric]
            assert row["value"] == pytest.approx(value), (level, metric)
    unseen = row_by_metric["method=logprob", "unseen_mass"]
    assert unseen["value"] == pytest.approx(0.02)  # 3% less the 1% of the second spelling
    assert "0 of 40 answers took several tokens" in unseen["note"]


def test_replies_without_log_probabilities_fail_the_scoring(tmp_path: Path) -> None:
    """Missing is missing: every judgment is scoring_failed, and no number is made of it."""
    bundled(tmp_path, lambda _: Reply("5"), method="logprob", items=3)
    frame = read_judgments(tmp_path)["fermi_eval"]
    assert set(frame["status"]) == {"scoring_failed"}
    results = summarize(frame, resamples=20)
    assert results.query("metric == 'coverage'")["value"].isna().all()
    assert "3 scoring_failed" in results["note"].iloc[0]


def test_providers_without_log_probabilities_are_refused_before_a_call(tmp_path: Path) -> None:
    """Anthropic gives none: the run ends before the first call and names who does."""
    for method in ("logprob", "traces"):
        with ProviderServer(lambda _: Reply("5")) as server:
            task = fermi_eval("bundled", method=method, items=2)
            log = run_task(task, server, tmp_path, ANTHROPIC)
        assert not server.requests, method
        assert log.error, method
        assert "claude-haiku-4-5 gives no log probabilities" in log.error.message, method
        assert "openai" in log.error.message, method


def test_draws_are_distinct_and_fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a cache each run asks anew; with it a second run makes no call and draws differ."""
    sent = {"n": 0}

    def counting(request: Request) -> list[Reply]:
        choices = request.body.get("n", 1)
        sent["n"] += choices
        return [Reply(f"Exponent: {(sent['n'] - i) % 40}") for i in range(choices)]

    def run(name: str, **options: Any) -> list[float]:
        task = fermi_eval("bundled", method="sampling", items=2)
        assert run_task(task, server, tmp_path / name, **options).status == "success"
        return sorted(read_judgments(tmp_path / name)["fermi_eval"]["point"])

    with ProviderServer(counting) as server, cached(monkeypatch, tmp_path / "cache"):
        first, repeated = run("a"), run("b")
        fresh = len(server.requests)
        stored, from_cache = run("c", cache=True), run("d", cache=True)
    assert sent["n"] == 3 * 40  # 2 items x 20 draws, three times
    assert len(server.requests) == fresh * 3 // 2
    assert first == repeated == stored == from_cache == list(map(float, range(40)))


def test_missing_choices_are_asked_for_again(tmp_path: Path) -> None:
    """More draws than a call gives are asked for in several."""
    answer: Answer = lambda _: Reply("Exponent: 4")  # noqa: E731
    _, requests = bundled(tmp_path, answer, method="sampling", items=1, draws=25)
    assert sorted(request.body.get("n", 1) for request in requests) == [5, 20]
    assert len(read_judgments(tmp_path)["fermi_eval"]) == 25


def _objective(rows: pd.DataFrame, level: float, penalty: float) -> float:
    """Mean interval score + penalty * undercoverage of the draws' quantiles, in a plain loop."""
    scores, inside = [], []
    tail = (100 - level) / 200
    for _, draws in rows.groupby("item"):
        low, high = np.quantile(draws["point"], [tail, 1 - tail], method="weibull")
        truth = draws["truth"].iloc[0]
        miss = max(low - truth, 0) + max(truth - high, 0)
        scores.append(high - low + miss / tail)  # 2/alpha is 1/tail
        inside.append(low <= truth <= high)
    return float(np.mean(scores) + penalty * max(level / 100 - np.mean(inside), 0))


@pytest.mark.slow
def test_decoding_temperature_is_chosen_on_train(command: Command, tmp_path: Path) -> None:
    """Runs at several --temperature are calibrated, and lambda is printed."""
    for temperature in ("0.3", "1.0", "2.0"):
        command(
            *("inspect", "eval", "tasks/fermi_eval.py", "--model", "respondent/calibrated"),
            *("-T", "dataset=bundled", "-T", "method=sampling", "-T", "items=30"),
            *("--temperature", temperature, "--log-dir", tmp_path, "--display", "none"),
        )
    frame = read_judgments(tmp_path)["fermi_eval"]
    assert set(frame["temperature"]) == {0.3, 1.0, 2.0}
    assert set(frame["variant"]) == set(prefixed("temperature=", ("0.3", "1.0", "2.0")))
    results = summarize(frame, resamples=50, options={"fermi_eval.penalty": 7})
    chosen = results.query("metric == 'decoding_temperature'")
    conditions = chosen["condition"].map(Condition.read)
    assert set(conditions.map(lambda condition: condition["variant"])) == {"penalty=7"}
    bare = conditions.map(lambda condition: str(condition.but(variant="")))
    overall = chosen[bare == "decoding=all_levels;method=sampling;split=test"]
    train = frame[frame["split"] == "train"]
    objectives = {}
    for degree, rows in train.groupby("temperature"):
        objectives[degree] = sum(_objective(rows, level, 7) for level in LEVELS)
    assert overall["value"].iloc[0] == min(objectives, key=lambda t: objectives[t])
    assert "among 0.3, 1, 2 by interval score + 7 * undercoverage" in overall["note"].iloc[0]
    per_level = chosen["condition"].str.contains("decoding=per_level;level=99")
    assert per_level.sum() == 1


def test_plan_counts_what_is_called() -> None:
    """The plan's number of calls is items x draws (x levels, x 2 for traces)."""
    for method, calls in (("sampling", 40), ("tunnel", 160), ("traces", 40)):
        words = ("-T", "dataset=bundled", "-T", "items=2", "-T", f"method={method}")
        assert f"calls:   {calls}\n" in printed("plan", "fermi_eval", *words).stdout, method


@pytest.mark.slow
def test_a_broken_run_is_completed_to_the_same_table(command: Command, tmp_path: Path) -> None:
    """eval-retry of a run broken off half-way asks only what is missing; the table is the same."""
    failing = {"from": 15}

    def until_broken(request: Request) -> Reply:
        if len(server.requests) >= failing["from"]:
            raise ConnectionError("the provider is down")
        return Reply(f"Lower: 1\nUpper: {len(request.prompt) % 20}")

    run = (
        *("inspect", "eval", "inspect_confidence/fermi_eval", "--model", "openai/gpt-4o-mini"),
        *("-T", "dataset=bundled", "-T", "items=8", "--display", "none", "--max-retries", 0),
        *("--max-connections", 1, "--max-samples", 1),
    )
    with ProviderServer(until_broken) as server:
        options = ("--model-base-url", server.url + "/v1", "--log-dir")
        command(*run, *options, tmp_path / "broken", check=False, OPENAI_API_KEY="test")
        (broken,) = (tmp_path / "broken").glob("*.eval")
        failing["from"] = 10_000
        command(
            *("inspect", "eval-retry", broken, "--display", "none", "--log-dir"),
            tmp_path / "broken",
            OPENAI_API_KEY="test",
        )
        assert len(server.requests) == 32  # 15 before the break, 17 after it
        command(*run, *options, tmp_path / "whole", OPENAI_API_KEY="test")

    def table(logs: Path) -> dict[tuple[str, str], float]:
        return values(summarize(logs, resamples=20).fillna(-1))

    retried, whole = table(tmp_path / "broken"), table(tmp_path / "whole")
    assert retried == whole
    assert retried["level=80;method=direct", "n"] == 8
