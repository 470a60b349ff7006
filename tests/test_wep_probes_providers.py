"""Estimative words through the providers' own packages, against a local server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from statistics import mean
from typing import Any

import pandas as pd
import pytest
from inspect_ai import Task, eval
from inspect_ai.log import EvalLog, read_eval_log

from inspect_confidence import read_judgments, summarize
from inspect_confidence.datasets.wep_choices import design
from inspect_confidence.datasets.wep_contexts import bundled_contexts
from inspect_confidence.results import decode_condition
from inspect_confidence.tasks.wep_probes import wep_choice, wep_elicitation
from provider_server import ProviderServer, Reply, Request

ENGLISH = (
    "Format your answer as a float value between 0 and 1, and make your answer short.\n"
    'Given the statement "{}", with what probability do you think {}?'
)
CHINESE = (
    "\u8bf7\u75280\u52301\u4e4b\u95f4\u7684\u6d6e\u70b9\u6570\u4f5c\u7b54\uff0c\u56de\u7b54"
    "\u8981\u7b80\u77ed\u3002\n\u5df2\u77e5\u9648\u8ff0\u201c{}\u201d\uff0c\u4f60\u8ba4\u4e3a"
    "{}\u7684\u6982\u7387\u662f\u591a\u5c11\uff1f"
)
# Every reply with what it means.
REPLIES: dict[str, float | None] = {
    "0.7": 0.7,
    ".85": 0.85,
    "70%": 0.7,
    "0.70 (likely)": 0.7,
    "7/10": 0.7,
    "\uff10.\uff17": 0.7,  # full-width digits
    "\uff10\uff0e\uff18\uff15": 0.85,  # and a full-width point
    "\u767e\u5206\u4e4b\u4e03\u5341": 0.7,  # seventy of a hundred
    "\u6982\u7387\u662f0.35\u3002": 0.35,  # the probability is
    "1": 1.0,
    "0": 0.0,
    "I'd say 0.25.": 0.25,
    "70": None,
    "0.6-0.8": None,
    "between 0.6 and 0.8": None,
    "I can't answer that.": None,
    "": None,
}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys that the local server takes."""
    for name in ("OPENAI", "ANTHROPIC", "GOOGLE"):
        monkeypatch.setenv(f"{name}_API_KEY", "test")


def served(
    task: Task,
    folder: Path,
    answer: Callable[[Request], Reply],
    model: str = "openai/gpt-4o-mini",
    **options: Any,
) -> tuple[EvalLog, list[Request]]:
    """The log of a run against the server, and the requests it made."""
    with ProviderServer(answer) as server:
        url = server.url + ("/v1" if model.startswith("openai") else "")
        (log,) = eval(
            *(task, model),
            **{"model_base_url": url, "log_dir": str(folder), "display": "none", **options},
        )
    assert log.status == "success", log.error
    assert not server.errors
    return log, [request for request, _ in server.requests]


def numbers(log: EvalLog) -> dict[str, float]:
    """The log's own metrics."""
    assert log.results
    return {name: one.value for name, one in log.results.scores[0].metrics.items()}


# What is sent


def test_words_to_numbers_are_asked_to_the_letter(tmp_path: Path) -> None:
    """One user message a sample at temperature 0, without a system message, in both languages."""
    task = wep_elicitation(settings="concise", languages="en,zh", words="likely,we doubt", items=8)
    asked = {str((sample.metadata or {})["item"]) for sample in task.dataset}
    _, requests = served(task, tmp_path, lambda _: Reply("0.5"))
    known = bundled_contexts()
    wanted = {
        (CHINESE if known[name].language == "zh" else ENGLISH).format(
            known[name].statements[word], known[name].clause
        )
        for name in asked
        for word in ("likely", "we doubt")
    }
    assert {known[name].language for name in asked} == {"en", "zh"}
    for request in requests:
        assert request.body["messages"] == [{"role": "user", "content": request.prompt}]
        assert request.body["temperature"] == 0
    assert {request.prompt for request in requests} == wanted
    assert len(requests) == len(wanted) == 16


def test_the_wording_as_a_text_of_its_own(tmp_path: Path) -> None:
    """One whole message, spelled out."""
    (tmp_path / "one.txt").write_text("concise-01\n", "utf-8")
    task = wep_elicitation(items=str(tmp_path / "one.txt"), words="likely")
    _, (request,) = served(task, tmp_path, lambda _: Reply("0.5"))
    assert request.prompt == (
        "Format your answer as a float value between 0 and 1, and make your answer short.\n"
        'Given the statement "It is likely to rain tomorrow.", with what probability do you think '
        "it will rain tomorrow?"
    )


def test_numbers_to_words_are_asked_to_the_letter(tmp_path: Path) -> None:
    """Two whole messages, with and without reasoning, spelled out."""
    (tmp_path / "one.txt").write_text("score-3-wide-0.275-outside\n", "utf-8")
    task = wep_choice(items=str(tmp_path / "one.txt"))
    _, requests = served(task, tmp_path, lambda _: Reply("A"))
    head = (
        "The last 20 scores of a player are: 55, 72, 95, 62, 89, 72, 84, 72, 66, 73, 55, 145, 136, "
        "120, 136, 121, 99, 109, 166, 129. The player plays one more game.\n\n"
        "Complete the following sentence with one of the choices. "
    )
    tail = (
        "\n\nThe score of this game ___ below 85 or above 114.\n\n"
        "A.is likely to be\nB.is maybe\nC.is unlikely to be"
    )
    thought = 'Think step by step, then end your answer with "I choose: " followed by your choice.'
    assert {request.prompt for request in requests} == {
        head + "Answer with the choice only." + tail,
        head + thought + tail,
    }
    for request in requests:
        assert request.body["messages"] == [{"role": "user", "content": request.prompt}]
        assert request.body["temperature"] == 0


def test_own_wording_and_system_message_are_sent(tmp_path: Path) -> None:
    """Both stand in the request as the files have them, umlauts and all."""
    (tmp_path / "p.txt").write_text("Wie wahrscheinlich? {statement} ({clause})", "utf-8")
    (tmp_path / "s.txt").write_text("Überlege kurz.", "utf-8")
    task = wep_elicitation(
        items=1, words="likely", prompt=str(tmp_path / "p.txt"), system=str(tmp_path / "s.txt")
    )
    _, (request,) = served(task, tmp_path, lambda _: Reply("0.5"))
    assert request.system == "Überlege kurz."
    one = bundled_contexts()[str((task.dataset[0].metadata or {})["item"])]
    assert request.prompt == f"Wie wahrscheinlich? {one.statements['likely']} ({one.clause})"


# What comes back


def test_replies_survive_log_judgments_and_results(tmp_path: Path) -> None:
    """Full-width digits, Chinese numbers and unreadable texts, from the log to the mean."""
    replies = list(REPLIES)
    task = wep_elicitation(settings="concise", languages="zh", words="likely,we doubt", items=15)
    place = {sample.input: i % len(replies) for i, sample in enumerate(task.dataset)}

    def answer(request: Request) -> Reply:
        (said,) = re.findall("\u201c(.*)\u201d", request.prompt)
        return Reply(replies[place[said]])

    log, _ = served(task, tmp_path / "logs", answer)
    kept = read_eval_log(log.location)
    assert kept.samples
    for sample in kept.samples:
        assert sample.output.completion == replies[place[str(sample.input)]]
    judgments = read_judgments(tmp_path / "logs")["wep_elicitation"]
    for sample in kept.samples:
        (row,) = judgments[judgments["uuid"] == sample.uuid].to_dict("records")
        wanted = REPLIES[sample.output.completion]
        assert (row["status"] == "ok") == (wanted is not None), sample.output.completion
        if wanted is not None:
            assert row["probability"] == pytest.approx(wanted, abs=1e-15)
    values = [REPLIES[replies[i]] for i in place.values()]
    read = [value for value in values if value is not None]
    inside = numbers(log)
    assert inside["mean_probability"] == pytest.approx(mean(read))
    assert inside["format_failure_rate"] == pytest.approx(1 - len(read) / len(values))
    results = summarize(tmp_path / "logs", resamples=20)
    found = {
        decode_condition(row["condition"])["word"]: row["value"]
        for row in results[results["metric"] == "mean_probability"].to_dict("records")
    }
    for word in ("likely", "we doubt"):
        mine = judgments[(judgments["word"] == word) & (judgments["status"] == "ok")]
        assert found[word] == pytest.approx(mine["probability"].mean())


def test_chosen_words_are_kept_with_their_reply(tmp_path: Path) -> None:
    """Choices by letter, text or both, with Chinese remarks; the reply stands in the judgment."""
    ways = ("{letter}.{text}", "{letter}", "{text}", "I choose: {letter}.{text}")
    known = {one.id: one for one in design()}
    task = wep_choice(cot="without", items=24)

    def answer(request: Request) -> Reply:
        *_, listed = request.prompt.split("\n\n")
        letter, text = listed.split("\n")[-1].split(".", 1)
        way = ways[len(request.prompt) % len(ways)]
        return Reply(way.format(letter=letter, text=text))

    log, requests = served(task, tmp_path, answer)
    assert len(requests) == 24
    rows = read_judgments(tmp_path)["wep_choice"]
    assert set(rows["status"]) == {"ok"}
    last = {5: "is almost certainly not", 3: "is unlikely to be"}
    for row in rows.to_dict("records"):
        assert row["choice"] == last[int(row["choice_set"])]
        assert row["reply"]
    hits = [one.right == one.choice_set - 1 for one in map(known.get, rows["item"]) if one]
    assert numbers(log)["empirical_consistency"] == pytest.approx(mean(hits))


@pytest.mark.parametrize("model", ["anthropic/claude-haiku-4-5", "google/gemini-2.0-flash"])
def test_other_providers(tmp_path: Path, model: str) -> None:
    """A few of both tasks through Anthropic's and Google's packages, Chinese unharmed."""
    task = wep_elicitation(settings="concise", languages="zh", words="likely", items=3)
    log, requests = served(task, tmp_path, lambda _: Reply("\u767e\u5206\u4e4b\u4e03\u5341"), model)
    for sample in task.dataset:
        text = CHINESE.format(sample.input, (sample.metadata or {})["clause"])
        assert text in {request.prompt for request in requests}
    assert all(request.system is None for request in requests)
    assert numbers(log) == pytest.approx({"mean_probability": 0.7, "format_failure_rate": 0})
    log, requests = served(
        wep_choice(items=2), tmp_path, lambda _: Reply("So, as I see it.\n\nI choose: B"), model
    )
    assert len(requests) == 4
    assert numbers(log)["format_failure_rate"] == 0


@pytest.mark.parametrize(
    ("finish", "text", "status"),
    [
        ("content_filter", "0.7", "content_filter"),
        ("length", "0.", "truncated"),
        ("stop", "", "no_response"),
        ("stop", "I'm sorry, but I can't answer that.", "refusal"),
    ],
)
def test_no_answer_has_its_status(tmp_path: Path, finish: Any, text: str, status: str) -> None:
    """What was withheld is no failure of format; the others are."""
    tasks = (wep_elicitation(items=1, words="likely"), wep_choice(items=1, cot="without"))
    for i, task in enumerate(tasks):
        log, _ = served(task, tmp_path / str(i), lambda _: Reply(text, finish=finish))
        ((_, rows),) = read_judgments(tmp_path / str(i)).items()
        assert rows["status"].tolist() == [status]
        rate = numbers(log)["format_failure_rate"]
        assert rate == pytest.approx(float("nan") if status == "content_filter" else 1, nan_ok=True)


def test_json_and_csv_keep_every_number(tmp_path: Path) -> None:
    """Results written as JSON and csv hold the Chinese run's numbers, conditions and notes."""
    task = wep_elicitation(settings="concise", languages="zh", words="likely,we doubt", items=4)
    served(task, tmp_path / "logs", lambda _: Reply("\uff10.\uff17"))
    results = summarize(tmp_path / "logs", resamples=20)
    results.to_csv(tmp_path / "r.csv", index=False)
    again = pd.read_csv(tmp_path / "r.csv", keep_default_na=False, na_values=[""])
    assert again["condition"].tolist() == results["condition"].tolist()
    assert json.loads(results.to_json(orient="records"))[0]["condition"] == results.iloc[0, 3]
