"""The scale study with simulated respondents and odd replies: logs, judgments, results."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from inspect_ai import eval
from inspect_ai.log import EvalLog, headline_metric, read_eval_log
from sklearn.metrics import roc_auc_score

from conftest import Command
from inspect_confidence import InvalidArgument, read_judgments, summarize
from inspect_confidence.judgments.files import write_file
from inspect_confidence.respondents.provider import respondent
from inspect_confidence.tasks.scale_variants import scale_variants
from provider_server import ProviderServer, Reply, Request

QUICK = 200
TASK = "scale_variants"


def run(
    log_dir: Path,
    parameters: dict[str, object],
    scales: str = "0-100,0-20",
    items: int = 40,
    epochs: int = 1,
) -> EvalLog:
    """Bundled items answered by the metacognitive respondent, in this process."""
    (log,) = eval(
        scale_variants(dataset="bundled", items=items, scales=scales),
        model="respondent/metacognitive",
        model_args=parameters,
        log_dir=str(log_dir),
        epochs=epochs,
        display="none",
    )
    assert log.status == "success", log.error
    return log


def served(log_dir: Path, server: ProviderServer, items: int = 8, **options: object) -> EvalLog:
    """Word problems on 0-100, answered by a server that plays OpenAI."""
    (log,) = eval(
        scale_variants(dataset="word_problems", items=items, scales="0-100"),
        model="openai/gpt-4o-mini",
        model_base_url=server.url + "/v1",
        log_dir=str(log_dir),
        display="none",
        **options,  # type: ignore[arg-type]
    )
    return log


def log_metrics(log: EvalLog) -> dict[str, float]:
    """The log's own metrics by name."""
    assert log.results is not None
    return {name: m.value for name, m in log.results.scores[0].metrics.items()}


def values(results: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Value by condition and metric."""
    return {(row["condition"], row["metric"]): row["value"] for row in results.to_dict("records")}


@pytest.fixture(autouse=True, scope="module")
def frozen() -> Iterator[None]:
    """What is imported is kept from garbage collection, which statsmodels asks for at each call."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that the local server takes."""
    monkeypatch.setenv("OPENAI_API_KEY", "test")


@pytest.mark.parametrize("epochs", [1, 2])
def test_log_table_and_plain_numbers_agree(tmp_path: Path, epochs: int) -> None:
    """With unreadable and out-of-range replies in it, log and table say what judgments give."""
    log = run(tmp_path, {"error_rate": 0.2, "slip": 0.3}, epochs=epochs)
    inside = log_metrics(log)
    judgments = read_judgments(tmp_path)[TASK]
    assert len(judgments) == 80 * epochs
    assert {"ok", "out_of_range", "refusal", "truncated"} <= set(judgments["status"])
    found = values(summarize(judgments, resamples=50, thresholds=[0.5]))
    over = []
    for high in (20, 100):
        ok = judgments[(judgments["high"] == high) & (judgments["status"] == "ok")]
        sure, right = ok["raw"] / high, ok["correct"]
        where = f"scale=0-{high}"
        over.append(sure.mean() - right.mean())
        assert found[where, "overconfidence"] == pytest.approx(over[-1], abs=1e-12)
        assert inside[f"auroc_0-{high}"] == pytest.approx(roc_auc_score(right, sure), abs=1e-12)
        assert found[where, "auroc"] == pytest.approx(inside[f"auroc_0-{high}"], abs=1e-12)
        assert found[where, "ece"] == pytest.approx(inside[f"ece_0-{high}"], abs=1e-12)
        assert found[where, "n"] == 40 * epochs
    for name in ("accuracy", "violation_rate", "format_failure_rate"):
        plain = np.mean([found[f"scale=0-{high}", name] for high in (20, 100)])
        assert inside[name] == pytest.approx(plain, abs=1e-12)
    headline = headline_metric(log)
    assert headline is not None
    assert headline.metric.value == pytest.approx(np.mean(over), abs=1e-12)
    assert inside["violation_rate"] > 0.05
    unread = ~judgments["status"].isin(["ok", "out_of_range"])
    assert inside["format_failure_rate"] == pytest.approx(unread.mean(), abs=1e-12)


def test_rescoring_changes_nothing(command: Command, tmp_path: Path) -> None:
    """`inspect score` with the scorer's file gives the metrics and judgments of the run."""
    log = run(tmp_path / "run", {"error_rate": 0.2, "slip": 0.2}, items=12)
    new = tmp_path / "again" / "new.eval"
    new.parent.mkdir()
    command(
        *("inspect", "score", log.location, "--scorer", "scorers/stated.py"),
        *("--action", "overwrite", "--output-file", new, "--display", "none"),
    )
    before, after = log_metrics(log), log_metrics(read_eval_log(str(new)))
    assert after == pytest.approx(before, rel=1e-12, nan_ok=True)
    first, again = (
        read_judgments(tmp_path / place)[TASK].sort_values("uuid", ignore_index=True)
        for place in ("run", "again")
    )
    pd.testing.assert_frame_equal(first, again)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_judgments_in_a_file_give_the_logs_results(tmp_path: Path, suffix: str) -> None:
    """Written out and read back, judgments give every number of the log, and its notes."""
    run(tmp_path / "logs", {"error_rate": 0.15, "slip": 0.3}, items=15, epochs=2)
    file = tmp_path / f"j.{suffix}"
    write_file(read_judgments(tmp_path / "logs"), file)
    tables = [summarize(one, resamples=50, thresholds=[0.5]) for one in (tmp_path / "logs", file)]
    pd.testing.assert_frame_equal(tables[0], tables[1], rtol=1e-12)


def test_an_interrupted_run_is_read_with_a_notice(tmp_path: Path) -> None:
    """What a broken run has is used; how much is missing is said."""

    def until_broken(_: Request) -> Reply:
        if len(server.requests) >= 5:
            raise ConnectionError("the provider is down")
        return Reply("Final Answer: 20\nConfidence: 80")

    with ProviderServer(until_broken) as server:
        log = served(tmp_path, server, max_connections=1, max_samples=1, max_retries=0)
    assert log.status == "error"
    judgments = read_judgments(tmp_path)
    (notice,) = [text for text in judgments.notices if "incomplete" in text]
    assert "of 8 samples are there (error)" in notice
    statuses = judgments[TASK]["status"].value_counts()
    assert statuses["ok"] == 5
    found = values(summarize(judgments, resamples=QUICK))
    assert found["scale=0-100", "mean_confidence"] == pytest.approx(0.8)
    assert found["scale=0-100", "format_failure_rate"] == 0


def test_samples_stopped_by_a_limit_are_no_replies(tmp_path: Path) -> None:
    """A limit that ends samples before the model answers counts as neither wrong nor unreadable."""
    with ProviderServer(lambda _: Reply("Final Answer: 20\nConfidence: 80")) as server:
        log = served(tmp_path, server, message_limit=1)
        assert not server.requests
    assert log.status == "success"
    rows = read_judgments(tmp_path)[TASK]
    assert set(rows["status"]) == {"limit_reached"}
    results = summarize(tmp_path, resamples=QUICK)
    numbers = results[results["metric"].isin(["accuracy", "format_failure_rate", "ece"])]
    assert numbers["value"].isna().all()
    assert numbers["note"].str.contains("undefined: ").all()
    assert np.isnan(log_metrics(log)["format_failure_rate"])


@pytest.mark.parametrize(
    ("reply", "finish"),
    [
        pytest.param(
            f"Final Answer: 20\nConfidence: {10**15}",
            "stop",
        ),
        (f"Final Answer: 20\nConfidence: {10**14}", "stop"),
        ("Final Answer: 20\nConfidence: 1 or 2", "stop"),
        ("Final Answer: maybe\nConfidence: 200", "stop"),
        ("Final Answer: 20", "length"),
    ],
)
def test_every_odd_reply_is_one_failure_in_log_and_table(
    tmp_path: Path, reply: str, finish: str
) -> None:
    """Log and table agree on failures and violations; a reply is never neither nor lost."""
    with ProviderServer(lambda _: Reply(reply, finish=finish)) as server:  # type: ignore[arg-type]
        inside = log_metrics(served(tmp_path, server, items=2))
    found = values(summarize(tmp_path, resamples=20))
    for name in ("accuracy", "violation_rate", "format_failure_rate"):
        table = found["scale=0-100", name]
        assert inside[name] == pytest.approx(table, nan_ok=True), name
    assert np.nansum([inside["violation_rate"], inside["format_failure_rate"]]) >= 1


@pytest.mark.parametrize(
    "rest",
    [
        "",
        "\nConfid",
        pytest.param(
            "\nConfidence:",
        ),
    ],
)
def test_an_answer_before_the_cut_counts(tmp_path: Path, rest: str) -> None:
    """A reply cut off between its answer and its confidence keeps the answer."""
    reply = Reply(f"Solution: 2 * 10 = 20\nFinal Answer: 20\n{rest}", finish="length")
    with ProviderServer(lambda _: reply) as server:
        served(tmp_path, server, items=2)
    rows = read_judgments(tmp_path)[TASK]
    assert set(rows["status"]) == {"truncated"}
    assert set(rows["answer"]) == {"20"}


# The respondent


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"accuracy": 1.5}, "accuracy=1.5 is not between 0 and 1"),
        ({"meta_d": -1}, "meta_d=-1 is not between 0 and 6"),
        ({"anchor_share": float("nan")}, "anchor_share=nan is not between 0 and 1"),
        ({"error_rate": -0.1}, "error_rate=-0.1 is not between 0 and 1"),
        ({"acuracy": 1}, "has no 'acuracy'. Did you mean 'accuracy'?"),
        ({"scale_meta_d": "0-20"}, "scale_meta_d=0-20 is not of the form 0-20:1.5"),
        ({"scale_meta_d": "20-0:1"}, "scale_meta_d=20-0:1 is not of the form"),
        ({"scale_meta_d": ["0-20:1", "0-5"]}, "scale_meta_d=0-5 is not of the form"),
    ],
)
def test_bad_parameters_are_refused(parameters: dict[str, object], says: str) -> None:
    """A value out of range is an error with the range; a mistyped name one with the nearest."""
    with pytest.raises(InvalidArgument) as caught:
        respondent("metacognitive", parameters)
    assert says in caught.value.format_message()


@pytest.mark.parametrize("given", ["0-20:nan", "0-20:99", "0-20:-3", "granularity:2"])
def test_scale_meta_d_has_the_range_of_meta_d(given: str) -> None:
    """A meta_d for one scale is as limited as that for all, and no group is cut to one scale."""
    with pytest.raises(InvalidArgument):
        respondent("metacognitive", {"scale_meta_d": given})


@pytest.mark.parametrize(
    ("parameters", "metric", "least", "most"),
    [
        ({"accuracy": 1}, "accuracy", 1, 1),
        ({"error_rate": 1}, "format_failure_rate", 1, 1),
        ({"anchor_share": 1}, "top1_share", 1, 1),
        ({"slip": 1}, "violation_rate", 0.5, 1),
    ],
)
def test_parameters_do_what_they_say(
    tmp_path: Path, parameters: dict[str, object], metric: str, least: float, most: float
) -> None:
    """At their limits the respondent's parameters are exactly what the table shows."""
    run(tmp_path, parameters, scales="0-20", items=25)
    found = values(summarize(tmp_path, resamples=20))
    assert least <= found["scale=0-20", metric] <= most


def test_respondent_knows_only_bundled_items(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other questions are refused in so many words, with what to do."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path))
    Path("mine.csv").write_text("question,target\nHow many cats?,9\n", "utf-8")
    (log,) = eval(
        scale_variants(dataset="mine.csv", scales="0-20"),
        model="respondent/metacognitive",
        model_args={"accuracy": 1, "scale_meta_d": ["0-20:2", "0-100:1"]},
        log_dir=str(tmp_path),
        display="none",
    )
    assert log.status == "error"
    assert log.error is not None
    assert "knows only the bundled items, not 'mine-0001'" in log.error.message
    assert "-T dataset=bundled" in log.error.message
