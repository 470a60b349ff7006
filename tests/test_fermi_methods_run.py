"""FermiEval's other methods, end to end: what is asked, what is logged, what comes out."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from conftest import Command, run_respondent
from inspect_confidence import read_judgments, summarize
from inspect_confidence.datasets.fermi import bundled_fermi
from inspect_confidence.respondents import Estimator, stated_bounds
from provider_server import ProviderServer, Reply, Request, Token

LEVELS = (80, 90, 95, 99)
METHODS = ["tunnel", "sampling", "logprob", "traces"]


def values(results: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Values by condition and metric."""
    keys = zip(results["condition"], results["metric"], strict=True)
    return dict(zip(keys, results["value"], strict=True))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("epochs", [1, 2])
def test_each_method_runs_with_unreadable_replies(tmp_path: Path, method: str, epochs: int) -> None:
    """The log's metrics and the table agree, with a fifth of the replies unreadable."""
    log = run_respondent(
        *("erratic", tmp_path), method=method, items=12, epochs=epochs, draws=_draws(method)
    )
    assert log.results is not None
    inside = {name: m.value for name, m in log.results.scores[0].metrics.items()}
    frames = read_judgments(tmp_path)
    assert set(frames["fermi_eval"]["method"]) == {method}
    found = values(summarize(frames, resamples=50))
    for level in LEVELS:
        for metric in ("coverage", "interval_score", "mean_width", "format_failure_rate"):
            value = found[f"level={level};method={method}", metric]
            assert inside[f"{metric}_{level}"] == pytest.approx(value, abs=1e-12), metric
    rows = frames["fermi_eval"]
    draws = _draws(method) or 1
    by_level = 4 if method == "tunnel" else 1
    assert len(rows) == 12 * epochs * draws * by_level
    assert (rows["status"] != "ok").any()


def _draws(method: str) -> int | None:
    return None if method == "logprob" else 4


@pytest.mark.slow
def test_all_methods_stand_in_one_table(command: Command, tmp_path: Path) -> None:
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
    found = values(summarize(frames, resamples=50))
    for method in METHODS:
        change = found[f"level=90;method={method};split=test", "interval_score_change"]
        after, before = (
            found[f"level=90;method={name};split=test", "interval_score"]
            for name in (method, "direct")
        )
        assert change == pytest.approx(after - before, abs=1e-9)
        assert f"base={method};level=90;method=conformal;split=test" in {key for key, _ in found}
    for rule in ("score", "nll"):
        scaled = f"level=90;method=logprob;scaling={rule};split=test"
        assert not math.isnan(found[scaled, "interval_score"])
    assert found["method=traces", "tunnel_index"] == pytest.approx(
        found["method=traces;traces=1", "residual_tunnel_index"]
    )
    assert found["method=traces;traces=4", "residual_tunnel_index"] == pytest.approx(0, abs=1e-12)
    text = command("inspect-confidence", "summarize", tmp_path, "--resamples", 50).stdout
    assert "test split: interval score" in text
    assert "Reduction of the interval score against direct" in text


def test_forty_tunnel_draws_agree_with_the_plain_functions(tmp_path: Path) -> None:
    """Every stated bound lies on the belief's quantiles at some place of the tunnel.

    Of a lower bound that is the u + p alpha/2 quantile of the belief and an upper bound that is
    the u + p (1 - alpha/2) quantile, the masses differ by p level, and u is within [0, 1 - p].
    """
    run_respondent("tunnel", tmp_path, method="tunnel", items=3, draws=40, levels="90")
    frame = read_judgments(tmp_path)["fermi_eval"]
    assert len(frame) == 120
    for item, rows in frame.groupby("item"):
        belief = Estimator(tunnel=0.65).belief(str(item))
        grid = np.linspace(0, 1, 200_001)
        lower, upper = stated_bounds(belief, 90, tunnel=0.65, place=grid)
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


def independent(prompts: list[str]) -> dict[int, dict[str, float]]:
    """Coverage and Winkler score of hulls from the replies, by brute force over prefixes."""
    judged: dict[int, list[tuple[float, float, float]]] = defaultdict(list)
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
            held, mass = [], 0.0
            for k in order:
                held.append(k)
                mass += masses[k] / total
                if mass >= level / 100 - 1e-12:
                    break
            low, high, alpha = min(held), max(held), (100 - level) / 100
            miss = max(low - truth, 0) + max(truth - high, 0)
            judged[level].append(
                (low <= truth <= high, high - low + 2 / alpha * miss, truth in held)
            )
    return {
        level: dict(
            zip(("coverage", "interval_score", "set_coverage"), np.mean(rows, axis=0), strict=True)
        )
        for level, rows in judged.items()
    }


def openai_run(server: ProviderServer, logs: Path, *words: object) -> list[object]:
    """The words of a run of gpt-4o-mini against a local server."""
    return [
        *("inspect", "eval", "tasks/fermi_eval.py", "--model", "openai/gpt-4o-mini"),
        *("--model-base-url", server.url + "/v1", "-T", "dataset=bundled"),
        *("--log-dir", logs, "--display", "none", *words),
    ]


def test_logprob_table_equals_what_openai_sent(command: Command, tmp_path: Path) -> None:
    """Through the real package, sets, hulls and scores are those of the log probabilities sent."""
    with ProviderServer(token_reply) as server:
        words = ("-T", "method=logprob", "-T", "items=40")
        command(*openai_run(server, tmp_path, *words), OPENAI_API_KEY="test")
    assert len(server.requests) == 40
    assert all(request.body["top_logprobs"] == 20 for request, _ in server.requests)
    done = command("inspect-confidence", "summarize", tmp_path, "--json", "--resamples", 50)
    found = {(row["condition"], row["metric"]): row for row in json.loads(done.stdout)}
    for level, numbers in independent([request.prompt for request, _ in server.requests]).items():
        for metric, value in numbers.items():
            assert found[f"level={level};method=logprob", metric]["value"] == pytest.approx(value)
    unseen = found["method=logprob", "unseen_mass"]
    assert unseen["value"] == pytest.approx(0.02)  # 3% less the 1% of the second spelling
    assert "0 of 40 answers took several tokens" in unseen["note"]


def test_replies_without_log_probabilities_fail_the_scoring(
    command: Command, tmp_path: Path
) -> None:
    """Missing is missing: every judgment is scoring_failed, and no number is made of it."""
    with ProviderServer(lambda _: Reply("5")) as server:
        words = ("-T", "method=logprob", "-T", "items=3")
        command(*openai_run(server, tmp_path, *words), OPENAI_API_KEY="test")
    frame = read_judgments(tmp_path)["fermi_eval"]
    assert set(frame["status"]) == {"scoring_failed"}
    found = summarize(frame, resamples=20)
    assert found.query("metric == 'coverage'")["value"].isna().all()
    assert "3 scoring_failed" in found["note"].iloc[0]


@pytest.mark.parametrize("method", ["logprob", "traces"])
def test_providers_without_log_probabilities_are_refused_before_a_call(
    command: Command, tmp_path: Path, method: str
) -> None:
    """Anthropic gives none: the run ends before the first call and names who does."""
    with ProviderServer(lambda _: Reply("5")) as server:
        done = command(
            *("inspect", "eval", "tasks/fermi_eval.py", "--model", "anthropic/claude-haiku-4-5"),
            *("--model-base-url", server.url, "-T", "dataset=bundled", "-T", f"method={method}"),
            *("-T", "items=2", "--log-dir", tmp_path, "--display", "plain"),
            check=False,
            ANTHROPIC_API_KEY="test",
        )
    assert not server.requests
    assert "anthropic gives no log probabilities" in done.stdout + done.stderr
    assert "openai" in done.stdout + done.stderr


@pytest.mark.slow
def test_draws_are_distinct_fresh_and_cached_on_request(command: Command, tmp_path: Path) -> None:
    """Without --cache each run asks anew; with it a second run makes no call and draws differ."""
    served = {"n": 0}

    def counting(request: Request) -> list[Reply]:
        choices = request.body.get("n", 1)
        served["n"] += choices
        return [Reply(f"Exponent: {(served['n'] - i) % 40}") for i in range(choices)]

    def run(logs: str, *words: str) -> list[float]:
        command(
            *openai_run(server, tmp_path / logs, "-T", "method=sampling", "-T", "items=2", *words),
            OPENAI_API_KEY="test",
            INSPECT_CACHE_DIR=str(tmp_path / "cache"),
            XDG_CACHE_HOME=str(tmp_path / "cache"),
        )
        return sorted(read_judgments(tmp_path / logs)["fermi_eval"]["point"])

    with ProviderServer(counting) as server:
        first, again = run("a"), run("b")
        fresh = len(server.requests)
        cached, from_cache = run("c", "--cache", "1D"), run("d", "--cache", "1D")
    assert served["n"] == 3 * 40  # 2 items x 20 draws, three times
    assert len(server.requests) == fresh * 3 // 2
    assert first == again == cached == from_cache == [float(k) for k in range(40)]


def test_missing_choices_are_asked_for_again(command: Command, tmp_path: Path) -> None:
    """A provider that gives one choice however many were asked for is called once a draw."""

    def one_only(request: Request) -> Reply | list[Reply]:
        return [Reply("Exponent: 4")] * request.body.get("n", 1)

    with ProviderServer(one_only) as server:
        words = ("-T", "method=sampling", "-T", "items=1", "-T", "draws=25")
        command(*openai_run(server, tmp_path, *words), OPENAI_API_KEY="test")
    assert [request.body.get("n", 1) for request, _ in server.requests] in ([20, 5], [5, 20])
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
    assert set(frame["variant"]) == {f"temperature={t}" for t in ("0.3", "1.0", "2.0")}
    results = summarize(frame, resamples=50, options={"fermi_eval.penalty": 7})
    chosen = results.query("metric == 'decoding_temperature'")
    overall = chosen[chosen["condition"] == "decoding=all_levels;method=sampling;split=test"]
    train = frame[frame["split"] == "train"]
    objectives = {
        t: sum(_objective(train[train["temperature"] == t], level, 7) for level in LEVELS)
        for t in (0.3, 1.0, 2.0)
    }
    assert overall["value"].iloc[0] == min(objectives, key=lambda t: objectives[t])
    assert "among 0.3, 1, 2 by interval score + 7 * undercoverage" in overall["note"].iloc[0]
    per_level = chosen["condition"].str.contains("decoding=per_level;level=99")
    assert per_level.sum() == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-T", "method=direct", "-T", "draws=5"], "method=direct asks once"),
        (["-T", "method=sampling", "-T", "draws=0"], "draws=0 is below 1"),
        (["-T", "method=samplin"], "Did you mean 'sampling'?"),
    ],
)
def test_bad_draws_are_refused(
    command: Command, tmp_path: Path, words: list[str], says: str
) -> None:
    """A number of draws that a method can't use is refused before any call."""
    done = command(
        *("inspect", "eval", "tasks/fermi_eval.py", "--model", "respondent/calibrated"),
        *("-T", "dataset=bundled", *words, "--log-dir", tmp_path, "--display", "none"),
        check=False,
    )
    assert done.returncode != 0
    assert says in done.stderr


@pytest.mark.parametrize(("method", "calls"), [("sampling", 40), ("tunnel", 160), ("traces", 40)])
def test_plan_counts_what_is_called(command: Command, method: str, calls: int) -> None:
    """The plan's number of calls is items x draws (x levels, x 2 for traces)."""
    done = command(
        *("inspect-confidence", "plan", "fermi_eval", "-T", "dataset=bundled", "-T", "items=2"),
        *("-T", f"method={method}"),
    )
    assert re.search(rf"calls: +{calls}\n", done.stdout)
