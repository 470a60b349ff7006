"""Estimative words with simulated respondents: logs, judgments, results, scoring again."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from inspect_ai import Task, eval
from inspect_ai.log import EvalLog, headline_metric, read_eval_log

from conftest import Command
from inspect_confidence import read_judgments, summarize
from inspect_confidence.datasets.wep_choices import COMPLEMENTS, design
from inspect_confidence.datasets.wep_survey import surveyed_counts
from inspect_confidence.judgments.files import write_file
from inspect_confidence.results import decode_condition
from inspect_confidence.tasks.wep_probes import wep_choice, wep_elicitation
from provider_server import ProviderServer, Reply

PC, MC, EC, EMC = (
    "pairwise_consistency",
    "monotonicity_consistency",
    "empirical_consistency",
    "empirical_monotonicity_consistency",
)


def run(task: Task, name: str, folder: Path, epochs: int = 1, **parameters: Any) -> EvalLog:
    """A task answered by a simulated respondent, in this process."""
    (log,) = eval(
        task,
        model=f"respondent/{name}",
        model_args=parameters,
        log_dir=str(folder),
        epochs=epochs,
        display="none",
    )
    assert log.status == "success", log.error
    return log


def numbers(log: EvalLog) -> dict[str, float]:
    """The log's own metrics."""
    assert log.results
    return {name: one.value for name, one in log.results.scores[0].metrics.items()}


def found(results: pd.DataFrame, metric: str, **condition: str) -> float:
    """The value of the one row of a condition."""
    rows = results[results["metric"] == metric]
    same = rows["condition"].map(decode_condition) == condition
    (value,) = rows[same]["value"]
    return float(value)


# Words to numbers


def test_surveyed_says_what_people_say(tmp_path: Path) -> None:
    """Every probability is one that people gave its word; log, judgments and table agree."""
    log = run(wep_elicitation(settings="concise", items=6), "surveyed", tmp_path)
    rows = read_judgments(tmp_path)["wep_elicitation"]
    assert (len(rows), set(rows["status"])) == (102, {"ok"})
    for row in rows.to_dict("records"):
        given = surveyed_counts()[row["word"]]
        assert any(value == pytest.approx(100 * row["probability"]) for value in given)
    inside = numbers(log)
    assert inside["mean_probability"] == pytest.approx(rows["probability"].mean())
    assert inside["format_failure_rate"] == 0
    headline = headline_metric(log)
    assert headline is not None
    assert headline.metric.value == inside["mean_probability"]
    results = summarize(tmp_path, resamples=20)
    for word, mine in rows.groupby("word"):
        where = {"language": "en", "setting": "concise", "word": str(word)}
        assert found(results, "mean_probability", **where) == pytest.approx(
            mine["probability"].mean()
        )


@pytest.mark.parametrize(
    ("parameters", "value"), [({"shift": 100}, 1.0), ({"shift": -100}, 0.0), ({"shrink": 0}, 0.5)]
)
def test_surveyed_at_the_limits_of_its_parameters(
    tmp_path: Path, parameters: dict[str, Any], value: float
) -> None:
    """A shift of 100 points is cut at the ends, and a shrink to 0 leaves 50%."""
    log = run(wep_elicitation(items=2), "surveyed", tmp_path, **parameters)
    assert numbers(log)["mean_probability"] == pytest.approx(value)


def test_unreadable_replies_are_counted_alike(tmp_path: Path) -> None:
    """Log, judgments and notes count the same failures, over two epochs that differ."""
    task = wep_elicitation(settings="female,male", items=6)
    log = run(task, "surveyed", tmp_path, epochs=2, error_rate=0.3)
    rows = read_judgments(tmp_path)["wep_elicitation"]
    assert len(rows) == 6 * 17 * 2
    kinds = {"ok", "refusal", "no_response", "truncated", "invalid_response_format"}
    assert set(rows["status"]) == kinds
    rate = (rows["status"] != "ok").mean()
    assert numbers(log)["format_failure_rate"] == pytest.approx(rate)
    both = rows.pivot_table(index=["item", "word"], columns="epoch", values="probability").dropna()
    assert (both[1.0] != both[2.0]).any()
    results = summarize(tmp_path, resamples=20)
    for row in results[results["metric"] == "n"].to_dict("records"):
        parts = decode_condition(row["condition"])
        mine = rows[rows["word"] == parts["word"]]
        if parts["setting"] != "all":
            mine = mine[mine["setting"] == parts["setting"]]
        assert row["value"] == len(mine)
        counts = Counter(mine["status"])
        for status in kinds - {"ok"}:
            assert (f"{counts[status]} {status}" in row["note"]) == (counts[status] > 0)


def test_judgments_in_a_file_give_the_logs_results(tmp_path: Path) -> None:
    """Both tasks, written as csv and read back, give every number and note of the logs."""
    run(wep_elicitation(items=4), "surveyed", tmp_path / "logs", error_rate=0.2)
    run(wep_choice(items=20), "chooser", tmp_path / "logs", error_rate=0.2)
    write_file(read_judgments(tmp_path / "logs"), tmp_path / "j.csv")
    tables = [summarize(one, resamples=20) for one in (tmp_path / "logs", tmp_path / "j.csv")]
    first, second = (one.sort_values(["task", "metric", "condition"]) for one in tables)
    pd.testing.assert_frame_equal(
        first.reset_index(drop=True), second.reset_index(drop=True), rtol=1e-12
    )


@pytest.mark.parametrize(
    ("build", "name", "scorer"),
    [
        (lambda: wep_elicitation(items=4), "surveyed", "stated_probability"),
        (lambda: wep_choice(items=20), "chooser", "word_choice"),
    ],
)
def test_rescoring_changes_nothing(
    command: Command, tmp_path: Path, build: Any, name: str, scorer: str
) -> None:
    """`inspect score` with the scorer by its name gives the metrics and judgments of the run."""
    log = run(build(), name, tmp_path / "run", error_rate=0.2)
    new = tmp_path / "again" / "new.eval"
    new.parent.mkdir()
    command(
        *("inspect", "score", log.location, "--scorer", f"scorers/word.py@{scorer}"),
        *("--action", "overwrite", "--output-file", new, "--display", "none"),
    )
    assert numbers(read_eval_log(str(new))) == pytest.approx(numbers(log), rel=1e-12, nan_ok=True)
    first, again = (
        next(iter(read_judgments(tmp_path / place).values())).sort_values("uuid")
        for place in ("run", "again")
    )
    pd.testing.assert_frame_equal(first.reset_index(drop=True), again.reset_index(drop=True))


@pytest.mark.slow
def test_command_line_keeps_what_was_said(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From both tasks by their file to csv, JSON and judgments, with digits of other scripts."""
    seventy = "\u767e\u5206\u4e4b\u4e03\u5341"
    monkeypatch.setenv("OPENAI_API_KEY", "test")

    def answer(request: Any) -> Reply:
        chosen = f"A.is likely to be ({seventy})" if "A." in request.prompt else "\uff10.\uff17"
        return Reply(seventy if request.prompt.count("\u4e0d") else chosen)

    logs = tmp_path / "logs"
    with ProviderServer(answer) as server:
        for task, *arguments in (
            ("wep_elicitation", "-T", "languages=zh", "-T", "settings=concise", "-T", "items=3"),
            ("wep_choice", "-T", "cot=without", "-T", "items=6"),
        ):
            command(
                *("inspect", "eval", f"tasks/wep_probes.py@{task}", *arguments),
                *("--model", "openai/gpt-4o-mini", "--model-base-url", server.url + "/v1"),
                *("--log-dir", logs, "--display", "none"),
            )
        assert not server.errors
    command("inspect-confidence", "judgments", logs, "-o", tmp_path / "j.csv")
    with (tmp_path / "j.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 * 17 + 6
    stated = [row for row in rows if row["task"] == "wep_elicitation"]
    assert {row["probability"] for row in stated} == {"0.7"}
    assert {row["reply"] for row in rows if row["task"] == "wep_choice"} == {
        f"A.is likely to be ({seventy})"
    }
    done = command(
        *("inspect-confidence", "summarize", logs, "--json", "--csv", tmp_path / "r.csv"),
        *("--resamples", 20),
    )
    printed = json.loads(done.stdout)
    written = pd.read_csv(tmp_path / "r.csv", keep_default_na=False, na_values=[""])
    assert [row["condition"] for row in printed] == written["condition"].tolist()
    means = [row["value"] for row in printed if row["metric"] == "mean_probability"]
    assert means == pytest.approx([0.7] * 17)


# Numbers to words


SOME = [one for one in design() if (one.scenario, one.choice_set) in (("score", 5), ("sound", 3))]
"""A third of the design, with all sequences and pairs whole."""


def pairs(choices: dict[str, int]) -> list[tuple[int, int, int]]:
    """Choices for intervals and their complements, with the number of choices, by prompts' ids."""
    return [
        (
            choices[one.id],
            choices[one.id.replace(one.interval, COMPLEMENTS[one.interval])],
            one.choice_set,
        )
        for one in SOME
        if one.interval in COMPLEMENTS
    ]


def mirrored(choices: dict[str, int]) -> float:
    """Share of complementary pairs whose choices mirror each other."""
    return float(np.mean([one + other == n - 1 for one, other, n in pairs(choices)]))


@pytest.fixture
def some(tmp_path: Path) -> str:
    """A file of those prompts."""
    (tmp_path / "some.txt").write_text("\n".join(one.id for one in SOME), "utf-8")
    return str(tmp_path / "some.txt")


def test_chooser_without_noise_is_right(tmp_path: Path, some: str) -> None:
    """All scores are 1 but the pairwise one, which is that of the right choices.

    .6 is maybe and .4 unlikely, .9 is likely and .1 almost certainly not, and numbers that equal a
    bound lie in neither interval: the ranges themselves don't mirror.
    """
    log = run(wep_choice(items=some), "chooser", tmp_path / "logs")
    assert numbers(log) == {"empirical_consistency": 1, "format_failure_rate": 0}
    judgments = read_judgments(tmp_path / "logs")
    results = summarize(judgments, resamples=20)
    choices = {one.id: one.right for one in SOME}
    right = mirrored(choices)
    assert 0.5 < right < 1
    modes: list[dict[str, str]] = [{}, {"cot": "with"}, {"cot": "without"}]
    for mode in modes:
        scores = [found(results, metric, **mode) for metric in (PC, MC, EC, EMC)]
        assert scores == pytest.approx([right, 1, 1, 1]), mode
    authors = summarize(judgments, resamples=20, convention="authors")
    # By the first letter it is as right; of its pairs, unlikely with likely don't count.
    assert [found(authors, metric) for metric in (MC, EC, EMC)] == [1, 1, 1]
    lost = np.mean([pair == (2, 0, 3) for pair in pairs(choices)])
    assert lost > 0
    assert found(authors, PC) == pytest.approx(right - lost)


def test_thresholds_move_the_scores(tmp_path: Path, some: str) -> None:
    """Words by other thresholds are right where both agree, and still monotone."""
    parameters: dict[str, Any] = {"five": "0.99,0.8,0.2,0.01", "three": [0.9, 0.1]}
    run(wep_choice(cot="without", items=some), "chooser", tmp_path / "logs", **parameters)
    least = {5: [0.99, 0.8, 0.2, 0.01], 3: [0.9, 0.1]}
    chosen = {one.id: sum(one.share <= t for t in least[one.choice_set]) for one in SOME}
    results = summarize(tmp_path / "logs", resamples=20)
    agree = np.mean([chosen[one.id] == one.right for one in SOME])
    assert agree < 0.8
    assert found(results, EC, cot="without") == pytest.approx(agree)
    assert found(results, MC, cot="without") == 1
    assert found(results, PC, cot="without") == pytest.approx(mirrored(chosen))


@pytest.mark.parametrize(
    ("build", "name", "says"),
    [
        (lambda: wep_elicitation(items=1, words="maybe"), "surveyed", "the 17 words surveyed"),
        (lambda: wep_choice(items=1), "surveyed", "doesn't answer what was asked"),
        (lambda: wep_elicitation(items=1), "chooser", "doesn't answer what was asked"),
    ],
)
def test_respondents_refuse_what_they_dont_know(
    tmp_path: Path, build: Any, name: str, says: str
) -> None:
    """Another task or word is an error in so many words."""
    (log,) = eval(build(), model=f"respondent/{name}", log_dir=str(tmp_path), display="none")
    assert log.status == "error"
    assert log.error is not None
    assert says in log.error.message
