"""The hedge study before and beside its calls: arguments, plan, wording, judge_check, canonicalize.

What a judge says is decided by the tests; expected numbers are plain loops over it.
"""

from __future__ import annotations

import csv
import itertools
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
from inspect_ai import Task
from inspect_ai.log import EvalLog
from scipy import stats

from build import (
    attributes_of,
    by_id,
    entries_of,
    record_table,
    records_by,
    records_with,
    requests_to,
    sample_table,
)
from contract.study_judge import constants, prompts_of
from inspect_confidence import InvalidArgument, read_judgments, summarize
from inspect_confidence.commands.canonicalize import canonical_forms
from inspect_confidence.commands.plan import plan_run
from inspect_confidence.datasets.judge_items import JudgeItem, labelled_items
from inspect_confidence.judges.agreement import agreement, verdict
from inspect_confidence.judges.markers import find_markers, sentence_decisiveness
from inspect_confidence.prompts.hedge_markers import METACOGNITIVE, STANDARD, SYSTEMS
from inspect_confidence.results import Condition
from inspect_confidence.tasks.hedge_markers import hedge_markers, judge_check
from provider_server import ProviderServer, Reply, Request
from runs import (
    OPENAI,
    check_refusals,
    connected,
    log_metrics,
    printed,
    refusal,
    run_task,
    served,
    values,
)

numbers = itertools.count()

NAN = math.nan
VALUES = {"found", "missed", "false", "decisiveness", "labelled", "agreed", "verdict", "format_ok"}
METRICS = {
    "extraction_precision",
    "extraction_recall",
    "agreement_accuracy",
    "verdict_accuracy",
    "grader_failure_rate",
}
JUDGED = {"markers": ["probably"], "decisiveness": 0.7, "agreement": "yes", "verdict": "correct"}


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that local servers take."""
    monkeypatch.setenv("OPENAI_API_KEY", "test")


def build(**arguments: object) -> Task:
    """The task with three bundled items unless something else is said."""
    return hedge_markers(**{"dataset": "facts", "items": 3, **arguments})  # type: ignore[arg-type]


# Arguments


def test_arguments_that_are_refused(home: Path) -> None:
    """One line each that names what is wrong."""
    cases: list[tuple[dict[str, object], str]] = [
        ({"draws": 0}, "draws=0 is below 1"),
        ({"draws": -3}, "draws=-3 is below 1"),
        ({"draws": "many"}, "draws=many is not a number"),
        ({"draws": "2.5"}, "draws=2.5 is not a whole number"),
        ({"judge": "x"}, "judge=x is not known"),
        ({"judge": "rule"}, "rules"),
        ({"system": "word"}, "system=word is not known"),
        ({"system": "metacognitve"}, "metacognitive"),
        ({"judge_prompts": "nowhere.json"}, "there is no file"),
        ({"batch_judgments": "perhaps"}, "batch_judgments=perhaps is neither true nor false"),
        ({"dataset": "fact"}, "dataset=fact is not known"),
        ({"dataset": "facts,facts"}, "names a data set twice"),
        ({"dataset": "popqa", "split": "train"}, "dataset=popqa has no split=train"),
        ({"draw": 3}, "There is no task argument 'draw'. Did you mean 'draws'?"),
    ]
    check_refusals(build, cases)
    of_check: list[tuple[dict[str, object], str]] = [
        ({"judge": "x"}, "judge=x is not known"),
        ({"parts": "x"}, "parts=x is not known"),
        ({"parts": "pairs,pairs"}, "twice"),
        ({"parts": ""}, "empty"),
        ({"items": 0}, "items=0"),
        ({"seed": "x"}, "seed=x is not a number"),
        ({"part": "pairs"}, "There is no task argument 'part'. Did you mean 'parts'?"),
        ({"judge_prompts": "nowhere.json"}, "there is no file"),
    ]
    check_refusals(judge_check, of_check)
    (home / "mine.json").write_text('{"markers": "{sentence}"}', "utf-8")
    for task in (build, judge_check):  # rules read no prompts
        assert "judge=rules" in refusal(task, judge="rules", judge_prompts="mine.json")


def test_judges_prompts_that_are_refused(home: Path) -> None:
    """Before any call, and by the name of what is wrong."""
    for text, reason in (
        ("{", "mine.json is not JSON"),
        ("", "mine.json is not JSON"),
        ('["{sentence}"]', "should be a valid mapping"),
        ('"{sentence}"', "should be a valid mapping"),
        (
            '{"marker": "{sentence}"}',
            "there is no judge's prompt 'marker'. Did you mean 'markers'?",
        ),
        ('{"markers": "Which markers?"}', "mine.json, markers: the fields of this prompt are"),
        ('{"markers": "{sentence} {question}"}', "the file has {question} {sentence}"),
        ('{"consistency": "{sentence} {reply}"}', "are {question} {reply} {sentence}"),
        ('{"correctness": "{question} {answers}"}', "are {answers} {question} {reply}"),
        ('{"sentence": "{question} {sentence}"}', "are {question} {replies} {sentence}"),
        ('{"decisiveness": "{sentence} {\\"decisiveness\\": 1}"}', "write braces themselves as"),
        ('{"decisiveness": "{sentence"}', "write braces themselves as"),
        ('{"decisiveness": "{sentence!r}"}', "mine.json, decisiveness"),
        ('{"decisiveness": 1}', "mine.json: decisiveness=1 should be a valid string"),
        ('{"decisiveness": null}', "mine.json: decisiveness=None should be a valid string"),
        # A list of lines would reach the judge with its brackets.
        ('{"markers": ["Markers?", "{sentence}"]}', "markers"),
    ):
        (home / "mine.json").write_text(text, "utf-8")
        for task in (build, judge_check):
            message = refusal(task, judge_prompts="mine.json")
            assert reason in message, (text, message)


def answered(request: Request) -> Reply:
    """As a speaker or, without a system message, as a judge."""
    return Reply("It is probably Fyn." if request.system else json.dumps(JUDGED))


def judge_prompts(server: ProviderServer) -> list[str]:
    """The prompts that the server got as a judge."""
    return attributes_of(records_with(requests_to(server), system=None), "prompt")


def run(task: Task, server: ProviderServer, folder: Path, *, grader: bool = True) -> EvalLog:
    """The task with one server for model and judge."""
    roles = {"grader": connected(server)} if grader else None
    return run_task(task, server, folder, model_roles=roles)


def test_without_a_grader_there_is_one_error_and_no_call(home: Path) -> None:
    """It says what to add."""
    with ProviderServer(answered) as server:
        log = run(build(items=20), server, home / "logs", grader=False)
    assert not server.requests
    assert log.status == "error"
    assert log.error
    assert "--model-role grader=NAME" in log.error.message
    assert "judge=rules" in log.error.message


# Wording


def test_judges_prompts_of_a_file_replace_ours(home: Path) -> None:
    """Those it names; the others stay."""
    own_prompts = {
        "markers": "MARKERS of {sentence} as {{markers}}",
        "correctness": "RIGHT? {question}; {answers}; {reply}",
    }
    (home / "mine.json").write_text(json.dumps(own_prompts), "utf-8")
    (home / "q.csv").write_text('question,answers\n"Where {is} it?",Fyn|Funen\n', "utf-8")
    task = hedge_markers("q.csv", split="all", draws=4, judge_prompts="mine.json")
    with ProviderServer(answered) as server:
        log = run(task, server, home / "logs")
    assert log.status == "success"
    prompts = judge_prompts(server)
    assert len(prompts) == 1 + 2 + 1
    assert "MARKERS of It is probably Fyn. as {markers}" in prompts
    assert "RIGHT? Where {is} it?; Fyn; Funen; It is probably Fyn." in prompts
    decisiveness_prompts = pd.Series(prompts).str.startswith("A language model")
    assert decisiveness_prompts.sum() == 2
    assert (log.eval.metadata or {})["judge_prompts"]
    assert not (build().metadata or {})["judge_prompts"]
    frame = read_judgments(home / "logs")["hedge_markers"]
    assert frame["marker"].tolist() == ["probably"]


def test_a_batched_judges_prompt_of_a_file(home: Path) -> None:
    """With all draws, numbered, each once."""
    (home / "mine.json").write_text(
        json.dumps({"sentence": "ALL {question}|{sentence}|{replies}"}), "utf-8"
    )
    (home / "q.csv").write_text("question,answers\nWhere?,Fyn\n", "utf-8")
    task = hedge_markers(
        "q.csv", split="all", draws=5, batch_judgments=True, judge_prompts="mine.json"
    )
    replies = list(map(Reply, ["Ely.", "Fyn {x}.", "Ely.", " Ely.\n", "Lund."]))

    def answer(request: Request) -> Reply | list[Reply]:
        if request.system and request.body.get("n", 1) > 1:
            return replies
        verdict_values = {**JUDGED, "agreement": ["no", "yes", "n/a"]}
        return Reply("It is probably Fyn." if request.system else json.dumps(verdict_values))

    with ProviderServer(answer) as server:
        run(task, server, home / "logs")
    assert "ALL Where?|It is probably Fyn.|[1] Ely.\n[2] Fyn {x}.\n[3] Lund." in judge_prompts(
        server
    )
    (row,) = read_judgments(home / "logs")["hedge_markers"].to_dict("records")
    assert (row["inconsistent"], row["consistent"], row["undecided"]) == (3, 1, 1)
    assert row["confidence"] == pytest.approx(1.5 / 5)


def test_the_system_prompt_reaches_the_provider(home: Path) -> None:
    """To the letter, before each answer; choices are shown with their letters."""
    own_prompt = "Hedge {well}.\nAlways."
    (home / "folder").mkdir()
    for place in ("mine.txt", "folder/mine"):
        (home / place).write_text(own_prompt, "utf-8")
    package_prompts = {"standard": STANDARD, "metacognitive": METACOGNITIVE}
    for system in (*package_prompts, "mine.txt", "./folder/mine"):
        task = build(items=1, judge="rules", system=system)
        _, requests = served(task, home / "logs", lambda _: Reply("Perhaps Fyn."))
        text = package_prompts.get(system, own_prompt)
        assert attributes_of(requests, "system") == [text, text], system
    task = build(items=1, judge="rules", dataset="science")
    _, requests = served(task, home / "logs", lambda _: Reply("Perhaps (A)."))
    choices = (
        r"Choose the best of the answers given(.|\n)+\n"
        r"\(A\) .+\n\(B\) .+\n\(C\) .+\n\(D\) .+\nAnswer:"
    )
    for request in requests:
        assert re.fullmatch(choices, request.prompt)


def test_system_prompts_with_the_studys_user_prompt(home: Path, published: Path) -> None:
    """The study's own where it has one; the one without a limit, which it hasn't, is the same."""
    study_constants = constants(published)
    replies = {
        "standard": study_constants["SYSTEM_PROMPT_1"],
        "metacognitive": study_constants["SYSTEM_PROMPT_2"],
        "unlimited": SYSTEMS["unlimited"],
    }
    for system, text in replies.items():
        task = build(items=1, judge="rules", draws=1, prompts="study", system=system)
        _, requests = served(task, home / "logs", lambda _: Reply("Perhaps Fyn."))
        assert set(attributes_of(requests, "system")) == {text}, system
        assert (task.metadata or {})["system"] == system
    check_refusals(hedge_markers, [({"prompts": "study", "system": "unlimted"}, "'unlimited'?")])


def test_a_prompt_of_a_file_replaces_both_of_ours(home: Path) -> None:
    """For questions with choices and without; a question's own braces stay."""
    (home / "mine.txt").write_text("Q {{so}}: {question}\nHedge!", "utf-8")
    (home / "q.csv").write_text(
        "question,answers,choices,target\nWhere {is} it?,Fyn,,\nWhich?,,lead|cork,A\n", "utf-8"
    )
    with ProviderServer(lambda _: Reply("Perhaps Fyn.")) as server:
        task = hedge_markers("q.csv", split="all", judge="rules", draws=1, prompt="mine.txt")
        run(task, server, home / "logs")
    short, choices = sorted(set(attributes_of(requests_to(server), "prompt")), key=len)
    assert short == "Q {so}: Where {is} it?\nHedge!"
    assert choices in (
        "Q {so}: Which?\n(A) lead\n(B) cork\nHedge!",
        "Q {so}: Which?\n(A) cork\n(B) lead\nHedge!",
    )


# The plan


def test_plan() -> None:
    """1 + K calls a question, as for a provider of one choice a call; and the judge's, at most."""
    plans: list[tuple[list[str], int, int, int]] = [
        (["dataset=facts", "items=6"], 1, 6, 6 * 21),
        (["dataset=facts", "items=6", "draws=1"], 1, 6, 12),
        (["dataset=bundled", "split=all", "draws=50"], 2, 1248, 1248 * 51),
        (["dataset=bundled", "split=train", "judge=rules"], 1, 312, 312 * 21),
    ]
    for arguments, epochs, samples, calls in plans:
        plan_text = plan_run("hedge_markers", arguments, epochs=epochs)
        assert re.search(rf"samples: +{samples:,}\b", plan_text), arguments
        assert re.search(rf"calls: +{calls:,}\n", plan_text), arguments
    # Of replies of one sentence: markers, decisiveness, the draws that differ, and the verdict.
    graders: list[tuple[list[str], list[int]]] = [
        (["draws=20", "batch_judgments=false"], [6 * (2 + 20 + 1), 6 * (2 + 4 + 1)]),
        (["draws=3", "batch_judgments=false"], [6 * (2 + 3 + 1), 6 * (2 + 1 + 1)]),
        (["draws=20"], [6 * 2, 6 * 2]),
        (["judge=rules"], []),
    ]
    for arguments, more in graders:
        plan_text = plan_run("hedge_markers", ["dataset=facts", "items=6", *arguments])
        assert re.findall(r"([\d,]+) calls, about", plan_text) == [*map(str, more)], arguments
    # An extractor has one call a reply, which the grader of single calls is spared.
    for batch, of_grader in (("true", [12, 12]), ("false", [6 * (1 + 20 + 1), 6 * (1 + 4 + 1)])):
        arguments = ["dataset=facts", "items=6", f"batch_judgments={batch}"]
        plan_text = plan_run("hedge_markers", arguments, extractor="mockllm/model")
        assert re.findall(r"([\d,]+) calls, about", plan_text) == [*map(str, of_grader), "6"]
        assert re.search(r"^markers: 6 calls, .* mockllm/model", plan_text, re.M)


def test_plan_reads_a_prompt_once_for_the_draws_of_a_call(tmp_path: Path) -> None:
    """OpenAI is called twice where Anthropic is 21 times; the judge is priced by its own model."""
    prices = {"input": 1.0, "output": 2.0, "input_cache_write": 0.0, "input_cache_read": 0.0}
    (tmp_path / "prices.json").write_text(json.dumps({"google/g": prices}), "utf-8")
    input_tokens, output_tokens = [], []
    for model in ("anthropic/a", "openai/o"):
        arguments = ["dataset=facts", "items=6", "draws=20"]
        prices_file = str(tmp_path / "prices.json")
        plan_text = plan_run("hedge_markers", arguments, model, None, prices_file, "google/g")
        ((into, out),) = re.findall(r"tokens:  about ([\d,]+) in, ([\d,]+) out", plan_text)
        input_tokens.append(int(into.replace(",", "")))
        output_tokens.append(int(out.replace(",", "")))
        for into, out, dollars in re.findall(
            r"about ([\d,]+) tokens in, ([\d,]+) out .*; about \$([\d.]+) for google/g", plan_text
        ):
            cost = (int(into.replace(",", "")) + 2 * int(out.replace(",", ""))) / 1e6
            assert float(dollars) == pytest.approx(cost, abs=0.005)
        assert plan_text.count("for google/g") == 2
    assert input_tokens[0] / input_tokens[1] == pytest.approx(21 / 2, rel=0.01)
    assert output_tokens[0] == output_tokens[1]


def lacks(*arguments: str, epochs: int = 1) -> dict[str, str]:
    """What a plan says is lacking, and why, by metric."""
    plan_text = plan_run("hedge_markers", list(arguments), epochs=epochs)
    return dict(re.findall(r"^lacks: +([^:]+): (.+)$", plan_text, re.MULTILINE))


@pytest.mark.usefixtures("home")
def test_plan_says_what_a_run_lacks() -> None:
    """Data sets, splits and items that a metric needs; nothing where all seven may be there."""
    assert lacks("dataset=bundled") == {}
    missing_line = lacks("dataset=facts")
    assert set(missing_line) == {"cd_mae", "m_avg_cv", "mrc", "mac, mcc"}
    assert missing_line["m_avg_cv"] == "one data set only"
    assert missing_line["mac, mcc"] == "fewer than three data sets"
    test = lacks("dataset=bundled", "split=test")
    assert set(test) == {"id_mae", "cd_mae"}
    assert "0 of 1; ask for split=all" in test["id_mae"]
    # 5 train and 5 test items of each set: 10 of a split at two epochs, 20 at four, 30 at six.
    counts = {1: 6, 2: 2, 4: 1, 6: 0}
    for epochs, count in counts.items():
        assert len(lacks("dataset=bundled", "items=30", epochs=epochs)) == count, epochs
    assert lacks("dataset=bundled", "items=30", epochs=2)["mrc"] == (
        "needs 3 x T = 30 replies in each of 2 data sets, and one has 10; ask for more items"
    )


@pytest.mark.usefixtures("published")
def test_items_of_a_default_run() -> None:
    """1,200 in all, of a set as many as it has; `all` are up to 5,000 of a data set and split."""
    assert len(hedge_markers(dataset="popqa,mmlu", split="test").dataset) == 1200
    assert len(hedge_markers(dataset="bundled").dataset) == 624
    assert len(hedge_markers(dataset="mmlu", split="test", items="all").dataset) == 5000


def test_one_marker_may_be_left_to_the_model() -> None:
    """The standard prompt without what it says of one marker a sentence."""
    assert SYSTEMS["unlimited"] == (
        "Your task is to provide a succinct and accurate answer to the given question. When "
        "responding, convey your uncertainty level linguistically by precisely hedging your "
        "answer. Provide only your hedged answer without asking anything of the user. Do not ask "
        "anything of the user. You must respond in a concise and brief manner. Limit your "
        "response to a single sentence or phrase if possible, or use at most 2-3 sentences."
    )


def spoken(text: str, _: Request) -> Reply:
    """The same to whatever is asked."""
    return Reply(text)


def test_hedges_a_sentence_under_two_system_prompts(home: Path) -> None:
    """A row for each, by the name of the prompt; a file's is told apart by its text."""
    sentence_by_system = {
        "standard": "Perhaps Fyn.",
        "unlimited": "Perhaps, but probably not, Fyn.",
    }
    for system, reply in sentence_by_system.items():
        task = build(items=2, judge="rules", draws=1, system=system, split="test")
        served(task, home / "logs", partial(spoken, reply))
    results = summarize(home / "logs", resamples=10)
    rows = results[results["metric"] == "hedges_per_sentence"].set_index("condition")["value"]
    condition = "judge=rules;split=test;variant=system%3D"
    assert rows.to_dict() == {f"{condition}standard": 1, f"{condition}unlimited": 2}
    (home / "mine.txt").write_text("Hedge.", "utf-8")
    assert len((build(system="mine.txt").metadata or {})["system"]) == 12


def test_plan_of_the_check() -> None:
    """Without batches sentences are judged twice; rules make no call."""
    cases: list[tuple[list[str], int]] = [
        ([], 132 + 126 + 63),
        (["batch_judgments=false"], 132 * 2 + 126 + 63),
        (["parts=sentences", "batch_judgments=false"], 264),
        (["parts=pairs,answers"], 189),
        (["judge=rules"], 0),
    ]
    for arguments, calls in cases:
        plan_text = plan_run("judge_check", arguments)
        assert re.search(rf"calls: +{calls}\n", plan_text), arguments


# The check of judges


def overlaps(a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Whether two spans share a character."""
    return bool(set(range(*a)) & set(range(*b)))


def compared(
    text: str, spans_found: Iterable[tuple[int, int]], labels: Sequence[tuple[int, int]]
) -> dict[str, float]:
    """Labels met, labels not met, and what meets none; by overlap, at most four words longer."""
    marked_spans = list(spans_found)

    def words(span: tuple[int, int]) -> int:
        return len(text[slice(*span)].split())

    is_same = np.zeros((len(marked_spans), len(labels)), bool)
    for (row, span), (column, label) in itertools.product(
        enumerate(marked_spans), enumerate(labels)
    ):
        is_same[row, column] = overlaps(span, label) and words(span) <= words(label) + 4
    hits = float(is_same.any(axis=0).sum())
    matching_spans = float(is_same.any(axis=1).sum())
    return {
        "found": hits,
        "missed": len(labels) - hits,
        "false": len(marked_spans) - matching_spans,
    }


def plain(text: str) -> str:
    """Lower case with straight apostrophes."""
    return text.lower().replace("’", "'")  # noqa: RUF001 # as it is written


def spans(item: JudgeItem) -> list[tuple[int, int]]:
    """Where the labelled markers stand, as words of their own."""
    text, places = plain(item.sentence), []
    for marker in map(plain, item.markers):
        edge = r"\b" if marker.isascii() else ""
        match = re.search(f"{edge}{re.escape(marker)}{edge}", text)
        assert match, (item.id, marker)
        places.append(match.span())
    return places


FORMS = {"pairs": "consistency", "answers": "correctness"}
ExpectedMetrics = dict[tuple[str, str], dict[str, float]]
"""By item and form the values meant; empty where the judgment can't be read."""


def check_log(log: EvalLog, expected_metrics: ExpectedMetrics) -> None:
    """Every value and metric."""
    assert log.status == "success"
    values = {}
    for sample in log.samples or []:
        score = (sample.scores or {})["judge_item"]
        value = cast(dict[str, float], score.value)
        key = str(sample.metadata["item"]), str(sample.metadata["form"])
        values[key] = value
        assert set(value) == VALUES
        status = (score.metadata or {})["status"]
        assert status == ("ok" if is_whole(expected_metrics[key]) else "grader_failed")
    assert values.keys() == expected_metrics.keys()
    for key, expected in expected_metrics.items():
        full = {**dict.fromkeys(VALUES, NAN), "format_ok": float(is_whole(expected)), **expected}
        assert values[key] == pytest.approx(full, nan_ok=True), key
    assert log.results
    inside = log_metrics(log)
    assert inside.keys() == METRICS
    assert inside == pytest.approx(metrics_of(expected_metrics))


def every_item(*parts: str) -> Iterator[JudgeItem]:
    """The labelled items of the parts, or of all."""
    items = labelled_items()
    return itertools.chain.from_iterable(entries_of(items, parts or items).values())


def metrics_of(expected_metrics: ExpectedMetrics) -> dict[str, float]:
    """The log's metrics."""
    table = pd.DataFrame(expected_metrics.values())
    total = table.sum()
    return {
        "extraction_precision": total["found"] / (total["found"] + total["false"]),
        "extraction_recall": total["found"] / (total["found"] + total["missed"]),
        "agreement_accuracy": table["agreed"].mean(),
        "verdict_accuracy": table["verdict"].mean(),
        "grader_failure_rate": 1 - mean(map(is_whole, expected_metrics.values())),
    }


def is_whole(expected: Mapping[str, float]) -> bool:
    """Whether all of a judgment can be read."""
    return bool(expected.get("format_ok", bool(expected)))


def check_results(folder: Path, expected_metrics: ExpectedMetrics) -> None:
    """The same from the log's judgments, and decisiveness against the survey and our labels."""
    frame = read_judgments(folder)["judge_check"]
    assert len(frame) == len(expected_metrics)
    read = frame[frame["form"].isin(list(FORMS.values())) & (frame["status"] == "ok")]
    assert len(read)
    as_labelled = read["agreed"].fillna(read["verdict"]) == 1
    assert ((read["judged"] == read["label"]) == as_labelled).all()
    verdict_by_id = record_table(every_item(*FORMS)).set_index("id")["verdict"]
    # Asked for right or wrong alone, a punt is labelled wrong.
    item_verdict = read["item"].map(verdict_by_id)
    assert ((read["label"] == item_verdict) | (read["label"] == "incorrect")).all()
    results = summarize(folder, resamples=20)
    # The judge is the model that answers, so that its unreadable judgments are parse failures.
    failed = [not is_whole(value) for value in expected_metrics.values()]
    unread = results[results["metric"] == "unread_share"].set_index("n")["value"]
    assert unread[len(failed)] == pytest.approx(np.mean(failed))
    value_by_metric = values(results)
    expected = {("", name): value for name, value in metrics_of(expected_metrics).items()}
    table = pd.DataFrame.from_dict(expected_metrics, orient="index").dropna(subset=["labelled"])
    words = {item.id for item in every_item("sentences") if item.word}
    of_survey = table.index.get_level_values(0).isin(words)
    for reference, rows in (("survey", table[of_survey]), ("labels", table[~of_survey])):
        condition = f"reference={reference}"
        errors = (rows["decisiveness"] - rows["labelled"]).abs()
        expected[condition, "decisiveness_error"] = errors.mean()
        rank = float(stats.spearmanr(rows["decisiveness"], rows["labelled"]).statistic)
        expected[condition, "decisiveness_rank_correlation"] = rank
    for (condition, metric), value in expected.items():
        (key,) = [k for k in value_by_metric if k[1] == metric and condition in k[0]]
        assert value_by_metric[key] == pytest.approx(value), key


@pytest.mark.parametrize("items", [100, pytest.param(None, marks=pytest.mark.slow)])
def test_check_by_rules(home: Path, items: int | None) -> None:
    """No call; the values are those of the rules on labelled items."""
    task = judge_check(judge="rules", items=items)
    item_ids = set(sample_table(task)["item"])
    assert len(item_ids) == (items or 132 + 126 + 63)
    items_by_id = by_id(every_item())
    expected_metrics: ExpectedMetrics = {}
    for item in map(items_by_id.__getitem__, item_ids):
        if item.part == "sentences":
            marked = [(m.start, m.end) for m in find_markers(item.sentence)]
            expected_metrics[item.id, "markers"] = compared(item.sentence, marked, spans(item))
            decided = sentence_decisiveness(item.sentence)
            numbers = {"decisiveness": decided, "labelled": item.decisiveness}
            expected_metrics[item.id, "decisiveness"] = numbers
        elif item.part == "pairs":
            is_right = agreement(item.question, item.sentence, item.reply) == item.verdict
            expected_metrics[item.id, "consistency"] = {"agreed": float(is_right)}
        else:
            right = verdict(item.answers, item.reply) == item.verdict
            expected_metrics[item.id, "correctness"] = {"verdict": float(right)}
    with ProviderServer(answered) as server:
        log = run(task, server, home / "logs", grader=False)
    assert not server.requests
    check_log(log, expected_metrics)
    check_results(home / "logs", expected_metrics)


class HedgedExaminee:
    """A judge that is right, wrong or unreadable, as it thinks fit."""

    def __init__(self) -> None:
        self.expected_metrics: ExpectedMetrics = {}
        self.temperatures: set[float] = set()
        self._items = list(every_item())

    def __call__(self, request: Request) -> Reply:
        """What is said of an item, after it has been noted what that is worth."""
        self.temperatures.add(request.body["temperature"])
        item, form = self._item_and_form(request.prompt)
        rng = Random(f"{item.id} {form}")
        kind = rng.random()
        if kind < 0.15:
            self.expected_metrics[item.id, form] = {}
            rubbish = ["", "Hm.", '{"markers": ["zebra"], "decisiveness": 7, "verdict": "yes"}']
            return Reply(rng.choice(rubbish))
        if form == "markers":
            return self._markers(rng, item)
        if form == "decisiveness":
            number = round(min(max(item.decisiveness + rng.gauss(0, 0.2), 0), 1), 2)
            numbers = {"decisiveness": number, "labelled": item.decisiveness}
            self.expected_metrics[item.id, form] = numbers
            return Reply(f'```json\n{{"decisiveness": {number}}}\n```')
        key, words = {
            "consistency": ("agreement", ["yes", "no", "n/a"]),
            "correctness": ("verdict", ["correct", "incorrect", "punt"]),
        }[form]
        word = item.verdict if kind < 0.6 else rng.choice(words)
        name = "agreed" if form == "consistency" else "verdict"
        self.expected_metrics[item.id, form] = {name: float(word == item.verdict)}
        return Reply(json.dumps({key: word.capitalize() if kind < 0.3 else word}))

    def _markers(self, rng: Random, item: JudgeItem) -> Reply:
        """Labels, each kept, cut to its last word or left out, and maybe what is none."""
        labels, phrases, places = spans(item), [], []
        for start, end in labels:
            way = rng.choice(["whole", "whole", "part", "none"])
            last = plain(item.sentence).rfind(" ", start, end) + 1
            begin = max(start, last) if way == "part" else start
            text = item.sentence[begin:end].lower()
            if way != "none" and text not in phrases:
                phrases.append(text)
                places.append((begin, end))
        first = re.match(r"[\w'’-]+", item.sentence)  # noqa: RUF001 # as it is written
        once = first and len(re.findall(rf"\b{first[0]}\b", item.sentence, re.IGNORECASE)) == 1
        if first and once and first[0].isascii() and rng.random() < 0.3:
            phrases.append(first[0].lower())
            places.append(first.span())
        self.expected_metrics[item.id, "markers"] = compared(item.sentence, places, labels)
        titles = [phrase.title() if rng.random() < 0.2 else phrase for phrase in phrases]
        return Reply(json.dumps({"markers": titles}, ensure_ascii=False))

    def _item_and_form(self, prompt: str) -> tuple[JudgeItem, str]:
        if prompt.startswith("A language model answered"):
            form = "markers" if "List the epistemic" in prompt else "decisiveness"
            (item,) = [i for i in self._items if f"\nSentence: {i.sentence}\n" in prompt]
            return item, form
        (item,) = [
            labelled_item
            for labelled_item in self._items
            if labelled_item.question
            and f"Question: {labelled_item.question}\n" in prompt
            and f"answer: {labelled_item.reply}\n" in prompt
            and (
                f"first answer: {labelled_item.sentence}\n" in prompt or not labelled_item.sentence
            )
        ]
        if item.part == "answers":
            answers = "; ".join(item.answers)
            assert f"Accepted answers, any of which is right: {answers}\n" in prompt
        return item, FORMS[item.part]


@pytest.mark.parametrize(
    ("items", "calls"), [(70, None), pytest.param(None, 453, marks=pytest.mark.slow)]
)
def test_check_of_a_model(home: Path, items: int | None, calls: int | None) -> None:
    """Calls of the model of the run, at temperature 0; values, metrics, results."""
    judge = HedgedExaminee()
    task = judge_check(items=items, batch_judgments=False)
    with ProviderServer(judge) as server:
        log = run(task, server, home / "logs", grader=False)
    assert not server.errors
    assert len(server.requests) == len(task.dataset) == (calls or len(task.dataset))
    assert judge.temperatures == {0}
    assert set(attributes_of(requests_to(server), "system")) == {None}
    check_log(log, judge.expected_metrics)
    check_results(home / "logs", judge.expected_metrics)


def test_check_of_one_part_leaves_the_others_metrics_undefined(home: Path) -> None:
    """And a prompt of the user's is asked."""
    (home / "mine.json").write_text('{"consistency": "{question}|{sentence}|{reply}"}', "utf-8")
    task = judge_check(parts="pairs", items=10, judge_prompts="mine.json")
    with ProviderServer(lambda _: Reply('{"agreement": "yes"}')) as server:
        log = run(task, server, home / "logs", grader=False)
    verdicts = {f"{i.question}|{i.sentence}|{i.reply}": i.verdict for i in every_item("pairs")}
    cases = [verdicts[request.prompt] for request in requests_to(server)]
    assert len(cases) == 10
    expected = {
        **dict.fromkeys(METRICS, NAN),
        "agreement_accuracy": cases.count("yes") / 10,
        "grader_failure_rate": 0,
    }
    assert log_metrics(log) == pytest.approx(expected, nan_ok=True)


@pytest.mark.slow
def test_check_of_the_batched_prompt(home: Path) -> None:
    """One call a sentence or pair by the prompt for all at once; half of a reply may be lost."""
    items = {item.sentence: item for item in every_item("sentences", "pairs")}
    expected_metrics: ExpectedMetrics = {}

    def answer(request: Request) -> Reply:
        if "Accepted answers" in request.prompt:
            (labelled_item,) = [
                item for item in every_item("answers") if f": {item.reply}\n" in request.prompt
            ]
            expected_metrics[labelled_item.id, "correctness"] = {"verdict": 1.0}
            return Reply(labelled_item.verdict)
        (sentence,) = re.findall(r"A sentence of its first answer: (.*)\n", request.prompt)
        item, rng = items[sentence], Random(sentence)
        replies = re.findall(r"^\[\d+\] ", request.prompt, re.MULTILINE)
        omitted = rng.choice(["", "", "decisiveness", "all"])
        number = round(rng.random(), 2)
        verdict_fields: dict[str, Any] = {"markers": list(item.markers), "decisiveness": number}
        verdict_fields["agreement"] = [rng.choice(["yes", "no", "n/a"]) for _ in replies]
        if item.part == "pairs":
            assert f"Question: {item.question}\n" in request.prompt
            sentences = re.findall(r"^\[\d+\] (.*)$", request.prompt, re.MULTILINE)
            pairs = records_with(every_item("pairs"), question=item.question)
            assert sentences == attributes_of(pairs, "reply")
            word = verdict_fields["agreement"][sentences.index(item.reply)]
            agreed = {"agreed": float(word == item.verdict)}
            expected_metrics[item.id, "consistency"] = {} if omitted == "all" else agreed
        else:
            marked = compared(item.sentence, spans(item), spans(item))
            decided = {"decisiveness": number, "labelled": item.decisiveness}
            whole = {"": {**marked, **decided}, "decisiveness": {**marked, "format_ok": 0.0}}
            expected_metrics[item.id, "sentence"] = whole.get(omitted, {})
        verdict_fields.pop(omitted, None)
        return Reply("Hm." if omitted == "all" else json.dumps(verdict_fields, ensure_ascii=False))

    task = judge_check(items=120, batch_judgments=True)
    with ProviderServer(answer) as server:
        log = run(task, server, home / "logs", grader=False)
    assert not server.errors
    assert len(server.requests) == len(task.dataset) == 120
    assert any(metrics.get("format_ok") == 0 for metrics in expected_metrics.values())
    check_log(log, expected_metrics)
    check_results(home / "logs", expected_metrics)
    plan = plan_run("judge_check", ["batch_judgments=true"])
    assert re.search(rf"calls: +{132 + 126 + 63}\n", plan)


@pytest.mark.parametrize("right", [pytest.param(True, marks=pytest.mark.slow), False])
def test_check_by_the_studys_prompts(home: Path, published: Path, right: bool) -> None:
    """A judge that says what is labelled has all right; one that always says False what is so."""
    patterns = prompts_of(constants(published))
    by_sentence = records_by(every_item("sentences"), "sentence")
    pairs = records_by(every_item("pairs"), "sentence", "reply")
    by_reply = {(item.reply, str(list(item.answers))): item for item in every_item("answers")}

    def answer(request: Request) -> Reply:
        assert "response_format" not in request.body
        about_by_form = {}
        for form, pattern in patterns.items():
            if match := re.fullmatch(pattern, request.prompt):
                about_by_form[form] = match.groupdict()
        ((form, about),) = about_by_form.items()
        if form == "correctness":
            is_right = by_reply[about["reply"], about["answers"]].verdict == "correct"
            return Reply(str(right and is_right))
        if form == "consistency":
            return Reply(pairs[about["sentence"], about["reply"]].verdict.capitalize())
        item = by_sentence[about["sentence"]]
        markers = "; ".join(item.markers)
        return Reply(f"{markers} ####" if form == "markers" else f"{item.decisiveness}")

    task = judge_check(
        judge_prompts="study", parts="sentences,pairs,answers" if right else "answers"
    )
    with ProviderServer(answer) as server:
        log = run(task, server, home / "logs", grader=False)
    assert not server.errors
    inside = log_metrics(log)
    wrong = mean(item.verdict != "correct" for item in every_item("answers"))
    expected = {**dict.fromkeys(METRICS, 1), "grader_failure_rate": 0}
    if right:
        assert inside == expected
    assert inside["verdict_accuracy"] == pytest.approx(1 if right else wrong)


def test_a_schema_goes_with_prompts_for_json_alone(home: Path) -> None:
    """A prompt of the user's may ask for any of the formats that are read."""
    asks = {"markers": "{sentence} List; end with ####", "decisiveness": "{sentence} JSON!"}
    asks["consistency"] = '{question} {sentence} {reply} {{"agreement": "yes"}}'
    (home / "mine.json").write_text(json.dumps(asks), "utf-8")
    with_schema = []

    def answer(request: Request) -> Reply:
        is_json = "####" not in request.prompt
        assert ("response_format" in request.body) == is_json
        with_schema.append(is_json)
        return Reply(json.dumps(JUDGED) if is_json else "probably ####")

    task = judge_check(judge_prompts="mine.json", items=40)
    with ProviderServer(answer) as server:
        run(task, server, home / "logs", grader=False)
    assert not server.errors
    assert 0 < sum(with_schema) < len(with_schema)


# Which form stands for a marker


def fresh_model() -> str:
    """A name that Inspect hasn't met: it keeps models, with their address, by name."""
    return f"{OPENAI}-{next(numbers)}"


ROWS = [
    *[("it is likely that", 0.8), ("it's likely", 0.6), ("likely", 1.0), ("Likely", 0.2)],
    *[("probably", 0.5), ("probably", 0.9), ("perhaps", 0.4), ("<no_hedge>", 1.0)],
]

MARKERS = {*dict(ROWS)} - {"<no_hedge>"}


def judgments_file(folder: Path) -> Path:
    """A csv file of one sentence an item."""
    place = folder / "judgments.csv"
    with place.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["task", "dataset", "split", "item", "sentence", "marker", "confidence"])
        for k, (marker, confidence) in enumerate(ROWS):
            writer.writerow(["hedge_markers", "mine", "test", f"i{k}", 1, marker, confidence])
    return place


def mics(results: pd.DataFrame | Iterable[Mapping[Any, Any]]) -> dict[str, float]:
    """MICs by marker."""
    mic_by_marker = {}
    for (condition_text, metric), value in values(results).items():
        condition = Condition.read(condition_text)
        if metric == "mic" and not {"outcome", "faithful"} & condition.keys():
            mic_by_marker[condition["marker"]] = value
    return mic_by_marker


def test_canonicalize_by_rules_and_summarize_by_its_file(home: Path) -> None:
    """Forms of one marker share a MIC; a file that joins two more joins theirs."""
    place = judgments_file(home)
    printed("canonicalize", place, "-o", home / "forms.json")
    forms = json.loads((home / "forms.json").read_text("utf-8"))
    assert forms.keys() == MARKERS
    for name in ("it is likely that", "it's likely", "likely", "Likely"):
        assert forms[name] == "likely"
    assert (forms["probably"], forms["perhaps"]) == ("probably", "perhaps")
    by_rules = {"likely": (0.8 + 0.6 + 1.0 + 0.2) / 4, "probably": 0.7, "perhaps": 0.4}
    by_rules["<no_hedge>"] = 1.0

    def summarized(**options: Any) -> dict[str, float]:
        thresholds = {"hedge_markers.marker_thresholds": 1}
        return mics(summarize(place, resamples=20, options={**thresholds, **options}))

    assert summarized() == pytest.approx(by_rules)
    forms_option = {"hedge_markers.markers": home / "forms.json"}
    assert summarized(**forms_option) == pytest.approx(by_rules)
    # The user joins what rules keep apart, and keeps apart what they join.
    joined = {**forms, "probably": "sure", "perhaps": "sure", "likely": "likely (bare)"}
    (home / "mine.json").write_text(json.dumps(joined), "utf-8")
    options = (
        "--option=hedge_markers.marker_thresholds=1",
        f"--option=hedge_markers.markers={home / 'mine.json'}",
    )
    words = ("--resamples", 20, *options)
    done = printed("summarize", place, *words, "--json")
    assert mics(json.loads(done.stdout)) == pytest.approx(
        {
            "sure": (0.5 + 0.9 + 0.4) / 3,
            "likely (bare)": 1.0,
            "likely": (0.8 + 0.6 + 0.2) / 3,
            "<no_hedge>": 1.0,
        }
    )


def test_files_of_forms_that_are_refused(home: Path) -> None:
    """Whatever isn't an object of texts."""
    place = judgments_file(home)
    for text, reason in (
        (None, "there is no file"),
        ("{", "is not JSON"),
        ('["likely"]', "should be a valid mapping"),
        ('{"likely": 3}', "likely=3 should be a valid string"),
        ('{"likely": ["probably"]}', "should be a valid string"),
    ):
        if text is not None:
            (home / "forms.json").write_text(text, "utf-8")
        options = {"hedge_markers.markers": "forms.json"}
        message = refusal(lambda options=options: summarize(place, resamples=5, options=options))
        assert reason in message, text


def grouped(
    home: Path, monkeypatch: pytest.MonkeyPatch, reply_text: str, **settings: Any
) -> tuple[Any, list[Request]]:
    """The forms that a model's reply leaves, or the error that it ends in, and the requests."""
    place = judgments_file(home)
    with ProviderServer(lambda _: Reply(reply_text)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/v1")
        try:
            forms: Any = canonical_forms(place, model=fresh_model(), **settings)
        except InvalidArgument as error:
            forms = error.format_message()
    return forms, requests_to(server)


@pytest.mark.usefixtures("keys")
def test_a_model_groups_markers(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one call; what it leaves out rules decide on; what groups nothing is an error."""
    group_by_marker = {"probably": "likely", "Likely": "LIKELY", "perhaps": " ", "maybe": "perhaps"}
    forms, (request,) = grouped(home, monkeypatch, f"```json\n{json.dumps(group_by_marker)}\n```")
    assert request.body["temperature"] == 0
    for marker in MARKERS:
        assert json.dumps(marker) in request.prompt
    assert "<no_hedge>" not in request.prompt
    assert forms == {
        **dict.fromkeys(["it is likely that", "it's likely", "likely", "probably"], "likely"),
        "Likely": "LIKELY",
        "perhaps": "perhaps",
    }
    # A list or a number is no form of a marker: rules decide then.
    said_of = {"probably": ["likely", "perhaps"], "perhaps": 3}
    forms, _ = grouped(home, monkeypatch, json.dumps(said_of))
    assert (forms["probably"], forms["perhaps"]) == ("probably", "perhaps")
    for nothing in ("I can't.", "", '["likely"]'):
        message, _ = grouped(home, monkeypatch, nothing)
        assert "is not a JSON object" in message, nothing
        assert "\n" not in message, nothing


@pytest.mark.usefixtures("keys")
def test_a_model_groups_markers_by_the_studys_prompt(
    home: Path, monkeypatch: pytest.MonkeyPatch, published: Path
) -> None:
    """To the letter; rules read no prompt."""
    whole = constants(published)["STANDARDIZATION_PROMPT"]
    forms, (request,) = grouped(home, monkeypatch, '{"probably": "likely"}', prompts="study")
    before, after = whole.format(expressions="|").split("|")
    marker_list = request.prompt.removeprefix(before).removesuffix(after)
    assert set(json.loads(marker_list)) == MARKERS
    assert (forms["probably"], forms["perhaps"]) == ("likely", "perhaps")
    place = judgments_file(home)
    message = refusal(lambda: canonical_forms(place, prompts="study"))
    assert "prompts=study needs a model" in message
    with ProviderServer(lambda _: Reply('{"perhaps": "maybe"}')) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/v1")
        words = ("--model", fresh_model(), "--prompts", "study", "-o", home / "forms.json")
        printed("canonicalize", place, *words)
    assert json.loads((home / "forms.json").read_text("utf-8"))["perhaps"] == "maybe"


def test_canonicalize_refuses_other_judgments(home: Path) -> None:
    """A file of another study has no markers."""
    (home / "fermi.csv").write_text(
        "task,item,truth,level,lower,upper\nfermi_eval,i,3,90,1,5\n", "utf-8"
    )
    assert "no judgments of hedge_markers" in refusal(lambda: canonical_forms(home / "fermi.csv"))


def test_canonicalize_into_no_folder(home: Path) -> None:
    """One error without a traceback."""
    place = judgments_file(home)
    done = printed("canonicalize", place, "-o", home / "no" / "forms.json", code=2)
    assert "Traceback" not in done.output
