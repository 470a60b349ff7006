"""The scale study as a task: arguments, samples, wording, odd replies, and its respondent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inspect_ai import Task

from build import attributes_of, notices_with, sample_table
from inspect_confidence import InvalidArgument, read_judgments, summarize
from inspect_confidence.commands.plan import plan_run
from inspect_confidence.datasets.questions import Question, load_questions, question_of
from inspect_confidence.respondents.metacognitive import Metacognitive, with_choice_order
from inspect_confidence.scales import Scale
from inspect_confidence.tasks.scale_variants import scale_variants
from provider_server import Finish, ProviderServer, Reply, Request
from runs import (
    check_refusals,
    in_turn,
    log_metrics,
    printed,
    refusal,
    responded,
    run_task,
    served,
    values,
)

TASK = "scale_variants"


GRANULARITY = ["0-5", "0-10", "0-20", "0-50", "0-100"]
BOUNDARY = ["20-100", "40-100", "60-100"]
NONSTANDARD = ["0-73", "14-86", "7-79", "3-38", "0-97"]

ASKED = "Answer the following question."
CONFIDENCE = (
    "After providing your answer, rate your confidence as an integer between 60 and 100, where 60 "
    "means no confidence at all and 100 means absolute certainty."
)
SHORT = (
    "Answer the following question. Then, provide your confidence as an integer between 60 and "
    "100, where 60 means no confidence and 100 means absolute certainty."
)
QUESTION = "Which {is} heavier?\nChoices:\nA. lead\nB. cork"
ANSWERED = "Respond in the following format only:\nAnswer: <your answer>"
SOLVED = (
    "Respond in the following format only:\nSolution: <your step-by-step solution>\n"
    "Final Answer: <numerical answer>"
)
STATED = "Confidence: <integer between 60 and 100>"


def build(**arguments: object) -> Task:
    """The task with three bundled items unless something else is said."""
    return scale_variants(**{"dataset": "bundled", "items": 3, **arguments})  # type: ignore[arg-type]


def scales_of(task: Task) -> list[str]:
    """The scales of the first item, in order."""
    first = (task.dataset[0].metadata or {})["item"]
    return [
        f"{sample.metadata['low']}-{sample.metadata['high']}"
        for sample in task.dataset
        if sample.metadata and sample.metadata["item"] == first
    ]


# Arguments and samples


def test_scales_by_name_group_or_bounds() -> None:
    """The thirteen scales, their groups, and any others, in the order in which they are named."""
    cases: list[tuple[object, list[str]]] = [
        ("all", [*GRANULARITY, *BOUNDARY, *NONSTANDARD]),
        ("granularity", GRANULARITY),
        ("boundary", BOUNDARY),
        ("nonstandard", NONSTANDARD),
        ("boundary,0-100", [*BOUNDARY, "0-100"]),
        (["0-100", "0-20"], ["0-100", "0-20"]),  # as Inspect's command line reads commas
        ("0-20, 0-100", ["0-20", "0-100"]),
        ("1-7", ["1-7"]),
        (" 0 - 9 ", ["0-9"]),
        (["granularity", "0-3"], [*GRANULARITY, "0-3"]),
    ]
    for scales, expected in cases:
        task = build(scales=scales)
        assert scales_of(task) == expected, scales
        assert len(task.dataset) == 3 * len(expected), scales


@pytest.mark.usefixtures("home")
def test_bad_arguments_name_value_and_remedy() -> None:
    """Each is one error that says what was given and what can be."""
    cases: list[tuple[dict[str, object], str]] = [
        ({"scales": "granularty"}, "scales=granularty is not known. Did you mean 'granularity'?"),
        ({"scales": "0-5,0-5"}, "scales=0-5,0-5 names a scale twice."),
        ({"scales": "all,0-100"}, "names a scale twice"),
        ({"scales": ["0-5", "00-5"]}, "names a scale twice"),
        ({"scales": "100-0"}, "scales=100-0: the first number must be below the second."),
        ({"scales": "5-5"}, "the first number must be below the second"),
        ({"scales": "-5-5"}, "scales=-5-5 is not known"),
        ({"scales": "0-5.5"}, "scales=0-5.5 is not known. Known: a scale such as 0-100, all"),
        ({"scales": ""}, "scales= is not known. Known: a scale such as 0-100, all"),
        ({"wording": "stud"}, "wording=stud is not known. Did you mean 'study'?"),
        ({"wording": "long"}, "wording=long is not known. Known: short, study."),
        ({"dataset": "mmlU"}, "dataset=mmlU is not known. Did you mean 'mmlu'?"),
        ({"dataset": "wordproblems"}, "Did you mean 'word_problems'?"),
        ({"scale": "0-5"}, "There is no task argument 'scale'. Did you mean 'scales'?"),
        ({"scales": []}, "scales="),
    ]
    check_refusals(build, cases)


def test_prompt_files_must_hold_their_fields(home: Path) -> None:
    """{question}, {l} and {u}; and the wordings that come with the task differ."""
    for text, message in (
        ("{question} {l}", "{l} {question}"),
        ("{question} {l} {u} {level}", "{l} {level} {question} {u}"),
        ("{question} {l:d} {u}", "{l:d} {question} {u}"),
    ):
        (home / "p.txt").write_text(text, "utf-8")
        assert f"the file has {message}" in refusal(build, prompt="p.txt"), text
    wordings = {build(wording=name).metadata["prompt"] for name in ("study", "short")}  # type: ignore[index]
    assert len(wordings) == 2


def test_samples_and_their_order() -> None:
    """One an item and scale, an item's next to each other; splits and seeds choose items."""
    task = build(items=7, scales="boundary")
    items = sample_table(task)["item"].to_numpy().reshape(7, 3)
    assert (items == items[:, :1]).all()
    assert len(set(items[:, 0])) == 7
    for sample in task.dataset:
        facts = sample.metadata or {}
        assert sample.id == f"{facts['item']}@{facts['low']}-{facts['high']}"
        assert facts["split"] in ("train", "test")
        assert facts["choices"] == len(sample.choices or ())
    for split in ("train", "test"):
        task = build(items=20, split=split, scales="0-5")
        assert set(sample_table(task)["split"]) == {split}
    ids = [sample_table(build(items=20, seed=seed))["id"].tolist() for seed in ("0", 0, 1)]
    assert ids[0] == ids[1] != ids[2]


def test_plan_prints_samples_and_calls() -> None:
    """Items times scales are the samples and, at one call each, the calls; epochs multiply them."""
    plan = ("plan", "scale_variants", "-T", "dataset=bundled")
    done = printed(*plan, "-T", "items=40", "-T", "scales=all", "--epochs", 2)
    assert "bundled: 40 items (20 train, 20 test)" in done.stdout
    assert "samples: 1,040 (2 epochs)" in done.stdout
    assert "calls:   1,040" in done.stdout
    with pytest.raises(InvalidArgument, match="the first number must be below the second"):
        plan_run("scale_variants", ["dataset=bundled", "scales=9-1"])


def test_wording_reaches_the_provider_to_the_letter(home: Path) -> None:
    """Both kinds of item in both wordings at 60-100."""
    (home / "mine.csv").write_text(
        "question,choices,target\nWhich {is} heavier?,lead|cork,A\nWhat is 6 times 3?,,18\n",
        "utf-8",
    )
    step, sum_ = "Solve the following math problem step by step.", "What is 6 times 3?"
    cases = {
        "study": {
            "\n\n".join((ASKED, QUESTION, CONFIDENCE, f"{ANSWERED}\n{STATED}")),
            "\n\n".join((step, sum_, CONFIDENCE, f"{SOLVED}\n{STATED}")),
        },
        "short": {
            "\n\n".join((SHORT, QUESTION, f"{ANSWERED}\n{STATED}")),
            "\n\n".join((SHORT, sum_, f"{SOLVED}\n{STATED}")),
        },
    }
    for wording, prompts in cases.items():
        task = scale_variants(dataset="mine.csv", scales="60-100", wording=wording)
        _, requests = served(task, home / "logs", lambda _: Reply("Answer: A\nConfidence: 90"))
        assert set(attributes_of(requests, "prompt")) == prompts, wording


# Replies


def problems(items: int) -> Task:
    """Word problems on 0-100."""
    return scale_variants(dataset="word_problems", items=items, scales="0-100")


def test_an_interrupted_run_is_read_with_a_notice(tmp_path: Path) -> None:
    """What a broken run has is used; how much is missing is said."""

    def until_broken(_: Request) -> Reply:
        if len(server.requests) >= 5:
            raise ConnectionError("the provider is down")
        return Reply("Final Answer: 20\nConfidence: 80")

    with ProviderServer(until_broken) as server:
        log = run_task(problems(8), server, tmp_path, max_connections=1, max_samples=1)
    assert log.status == "error"
    judgments = read_judgments(tmp_path)
    (notice,) = notices_with(judgments, "incomplete")
    assert "5 of 8 samples are in the log without an error (status error" in notice
    assert judgments[TASK]["status"].value_counts()["ok"] == 5
    estimates = values(summarize(judgments, resamples=20))
    assert estimates["scale=0-100", "mean_confidence"] == pytest.approx(0.8)
    assert estimates["scale=0-100", "format_failure_rate"] == 0


def test_every_odd_reply_is_one_failure_in_log_and_table(tmp_path: Path) -> None:
    """Log and table agree on failures and violations; a reply is never neither nor lost."""
    cases: list[tuple[str, Finish]] = [
        (f"Final Answer: 20\nConfidence: {10**15}", "stop"),
        (f"Final Answer: 20\nConfidence: {10**14}", "stop"),
        ("Final Answer: 20\nConfidence: 1 or 2", "stop"),
        ("Final Answer: maybe\nConfidence: 200", "stop"),
        ("Final Answer: 20", "length"),
    ]
    for number, (text, finish) in enumerate(cases):
        folder = tmp_path / str(number)
        log, _ = served(problems(2), folder, in_turn(Reply(text, finish)))
        inside, estimates = log_metrics(log), values(summarize(folder, resamples=10))
        for name in ("accuracy", "violation_rate", "format_failure_rate"):
            table = estimates["scale=0-100", name]
            assert inside[name] == pytest.approx(table, nan_ok=True), (name, text)
        assert np.nansum([inside["violation_rate"], inside["format_failure_rate"]]) >= 1, text


def test_an_answer_before_the_cut_counts(tmp_path: Path) -> None:
    """A reply cut off between its answer and its confidence keeps the answer."""
    solution = "Solution: 2 * 10 = 20\nFinal Answer: 20\n"
    replies = [Reply(solution + ending, "length") for ending in ("", "\nConfid", "\nConfidence:")]
    served(problems(6), tmp_path, in_turn(*replies))
    rows = read_judgments(tmp_path)[TASK]
    assert (set(rows["status"]), set(rows["answer"])) == ({"truncated"}, {"20"})


@pytest.mark.slow
def test_parameters_do_what_they_say(tmp_path: Path) -> None:
    """At their limits the respondent's parameters are exactly what the table shows."""
    cases: list[tuple[dict[str, Any], str, float, float]] = [
        ({"accuracy": 1}, "accuracy", 1, 1),
        ({"error_rate": 1}, "format_failure_rate", 1, 1),
        ({"anchor_share": 1}, "top1_share", 1, 1),
        ({"slip": 1}, "violation_rate", 0.5, 1),
    ]
    for parameters, metric, minimum, maximum in cases:
        folder = tmp_path / metric
        responded(build(scales="0-20", items=25), "metacognitive", folder, **parameters)
        estimates = values(summarize(folder, resamples=10))
        assert minimum <= estimates["scale=0-20", metric] <= maximum, metric


@pytest.mark.slow
@pytest.mark.usefixtures("published")
@pytest.mark.parametrize("dataset", ["mmlu", "gsm8k", "truthfulqa"])
def test_a_real_design_can_be_rehearsed(dataset: str, tmp_path: Path) -> None:
    """Respondents know the real questions, in any order of choices, over two epochs.

    One who is always right, or never, is scored so, and a fifth of replies that hold no answer are
    counted.
    """
    for accuracy in (1, 0):
        folder = tmp_path / str(accuracy)
        task = scale_variants(dataset=dataset, items=20, seed=7, scales="0-100,3-38")
        parameters = {"accuracy": accuracy, "error_rate": 0.2}
        responded(task, "metacognitive", folder, epochs=2, **parameters)
        rows = read_judgments(folder)[TASK]
        assert len(rows) == 20 * 2 * 2
        estimates = values(summarize(folder, resamples=10))
        for scale in ("0-100", "3-38"):
            assert estimates[f"scale={scale}", "accuracy"] == accuracy
            failed = estimates[f"scale={scale}", "format_failure_rate"]
            unread = rows["status"][rows["high"] == int(scale.split("-")[1])] != "ok"
            assert 0 < failed == unread.mean() < 0.5


@pytest.mark.usefixtures("published")
def test_every_real_question_is_known() -> None:
    """The right answer that a respondent gives is the target, to all of each set's questions."""
    for dataset, items in {"mmlu": 14042, "gsm8k": 1319, "truthfulqa": 817}.items():
        items_asked = load_questions(dataset, items=items, seed=3).items
        assert len(items_asked) == items
        for item in items_asked:
            assert with_choice_order(question_of(item.id), item.choices) == replace(
                item, split=None
            ), item.id
    # A million and one is not a million: no wrong answer is rounded to the right one.
    large = Question(id="large", question="How many?", target="1000000")
    text = Metacognitive(accuracy=0).reply_on_scale(large, 0, Scale(0, 100)).text
    assert "Final Answer: 1000001\n" in text
