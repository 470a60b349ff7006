"""Decisions on the answers of any eval: asked beside it, judged as the eval judges."""

from __future__ import annotations

import math
import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from inspect_ai import Task, score
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, choice, includes, match, mean, scorer
from inspect_ai.solver import TaskState, multiple_choice

from any_eval.small import confidence_of, far_end, kind_of, kinds, metrics_of, sample_of, sums
from build import column_of, requests_to
from inspect_confidence import cite, confidence, read_judgments, summarize, with_confidence
from inspect_confidence.commands.plan import plan_run
from inspect_confidence.commands.unread import unread
from inspect_confidence.judgments.files import write_judgments
from inspect_confidence.judgments.store import ingest
from inspect_confidence.judgments.streams import stream_at
from provider_server import ProviderServer, Reply, Request
from runs import ANTHROPIC, GOOGLE, OPENAI, check_refusals, connected, run_task, served

NAN = math.nan
WAYS = "decline,keep,pushback"


def rows_of(folder: Path, task: str) -> pd.DataFrame:
    """The judgments of a task in a folder of logs, by item and epoch."""
    frame = read_judgments(folder)[task]
    keys = [name for name in ("confidence_target",) if name in frame]
    return frame.sort_values(["item", "epoch", *keys]).set_index("item", drop=False)


def decided(folder: Path) -> pd.DataFrame:
    """The judgments under a target above 0."""
    rows = rows_of(folder, "abstain")
    return rows[rows["confidence_target"] > 0]


@pytest.mark.parametrize("model", [OPENAI, ANTHROPIC, GOOGLE])
def test_decisions_are_judgments_of_the_tasks_on_decisions(model: str, tmp_path: Path) -> None:
    """Item a is right and moves to a wrong answer, item b the other way round."""
    wrapped = with_confidence(sums(), f"stated,{WAYS}", targets="0.5,0.9")
    log, requests = served(wrapped, tmp_path, far_end(), model, epochs=2)
    assert kinds(requests) == {"": 4, "stated": 4, "decline": 8, "keep": 4, "pushback": 4}
    penalties = {
        re.search(r"costs (\S+) points", request.prompt)[1]  # type: ignore[index]
        for request in requests
        if kind_of(request) == "decline"
    }
    assert penalties == {"1", "9"}  # t / (1 - t)
    frames = read_judgments(tmp_path)
    assert set(frames) == {"any_eval", "abstain", "commitment"}
    assert set(frames["any_eval"]["method"]) == {"stated", "epochs"}
    abstain = rows_of(tmp_path, "abstain")
    assert list(abstain["confidence_target"]) == [0, 0.5, 0.9] * 4  # 0: as the eval graded it
    assert set(abstain["format"]) == {"afterwards"}
    assert set(abstain["dataset"]) == {"sums"}
    assert list(abstain["correct"]) == [1] * 6 + [0] * 6
    assert set(abstain["confidence"]) == {0.8}
    assert set(abstain["confidence_asked"]) == {"after"}
    commitment = rows_of(tmp_path, "commitment")
    assert list(commitment["epoch"]) == [1, 2, 1, 2]
    assert set(zip(commitment["keep"], commitment["bet"], strict=True)) == {(0, 1)}
    assert set(commitment["pushback"]) == {"disagree"}
    assert set(commitment["answer_after"]) == {"3"}
    assert list(commitment["correct"]) == [1, 1, 0, 0]
    assert list(commitment["correct_after"]) == [0, 0, 1, 1]
    assert set(commitment["moved"]) == {1}
    assert set(commitment["confidence_before"]) == {0.8}
    assert set(commitment["confidence_after_status"]) == {""}
    shares = {key: number for key, number in metrics_of(log).items() if key.endswith("_share")}
    assert shares == {
        **{"decline_0.5_share": 0, "decline_0.9_share": 0, "keep_share": 0, "bet_share": 1},
        **{"moved_share": 1, "correct_after_share": 0.5},
    }


def test_the_evals_score_and_conversation_stay(tmp_path: Path) -> None:
    """Each request continues a copy of the conversation, which knows nothing of the others."""
    plain, _ = served(sums(), tmp_path / "a", far_end())
    log, requests = served(with_confidence(sums(), WAYS), tmp_path / "b", far_end())
    for item in "ab":
        before, after = sample_of(plain, item), sample_of(log, item)
        assert before.scores
        assert after.scores
        assert after.scores["match"].value == before.scores["match"].value
        for message, message_before in zip(after.messages, before.messages, strict=True):
            assert message.text == message_before.text
        assert after.output.completion == before.output.completion
    for request in requests:
        if kind_of(request):
            turns = [(m["role"], m["content"]) for m in request.body["messages"]]
            assert column_of(turns, 0) == ["user", "assistant", "user"]
            assert turns[1][1] == "2"


def test_a_withdrawn_answer_is_declined(tmp_path: Path) -> None:
    """Nothing else is; without a stated confidence none was asked for."""
    withdraws = far_end(decline=lambda r: Reply("WITHDRAW" if "1 + 1" in str(r.body) else "KEEP"))
    served(with_confidence(sums(), "decline"), tmp_path, withdraws)
    at_zero = rows_of(tmp_path, "abstain").query("confidence_target == 0")
    assert list(at_zero["correct"]) == [1, 0]
    rows = decided(tmp_path)
    assert list(rows["status"]) == ["declined", "ok"]
    assert list(rows["correct"]) == pytest.approx([NAN, 0], nan_ok=True)
    assert list(rows["confidence_target"]) == [0.75, 0.75]
    assert set(rows["confidence_asked"]) == {"none"}
    assert set(rows["confidence_status"]) == {""}
    assert set(read_judgments(tmp_path)) == {"abstain"}


def test_an_unread_decision_neither_attempts_nor_declines(tmp_path: Path) -> None:
    """The answer and its grade stay; at the target nothing was decided, at 0 all answered."""
    vague = Reply("It depends.")
    served(with_confidence(sums(), "decline,keep"), tmp_path, far_end(decline=vague, keep=vague))
    results = summarize(tmp_path, resamples=20)
    for name in ("payoff", "attempted_share", "target_gap"):
        rows = results[(results["task"] == "abstain") & (results["metric"] == name)]
        at_target = rows[rows["condition"].str.contains("confidence_target=0.75")]
        assert at_target["value"].isna().all()
        assert at_target["note"].str.startswith("undefined: none of 2 replies could be").all()
        assert rows[rows["condition"].str.contains("confidence_target=0;")]["value"].notna().all()
    for name in ("withdraw_delta", "bet_delta"):
        (note,) = results.loc[results["metric"] == name, "note"]
        assert "undefined: none of 2 replies could be read" in note


def test_decisions_beside_an_eval_are_cited_by_the_log_of_the_eval(tmp_path: Path) -> None:
    """They are judgments of another task than the log's, and were not read from a file."""
    served(with_confidence(sums(), "stated,decline,keep"), tmp_path, far_end())
    of_decisions, of_commitment, of_eval = cite(tmp_path).settings
    assert of_decisions.startswith("abstain: sums (version 0) asked ")
    assert of_commitment.startswith("commitment: sums (version 0) asked ")
    assert of_eval.startswith("sums (version 0) asked ")
    for paragraph in (of_decisions, of_commitment, of_eval):
        assert "Items: 2 of sums, one epoch." in paragraph
        assert "read from files" not in paragraph


UNREADABLE = {
    "invalid_response_format": Reply("It depends."),
    "no_response": Reply(""),
    "refusal": Reply("I'm sorry, but I can't answer that."),
    "content_filter": Reply("KEEP", "content_filter"),
    "ambiguous": Reply("KEEP\nWITHDRAW\nBET\nNO_BET"),
}


@pytest.mark.parametrize("status", UNREADABLE)
def test_unreadable_replies_are_statuses(status: str, tmp_path: Path) -> None:
    """Never a decision by default; the answer keeps its grade."""
    reply = UNREADABLE[status]
    log, _ = served(
        with_confidence(sums(), WAYS), tmp_path, far_end(decline=reply, keep=reply, pushback=reply)
    )
    values, _ = confidence_of(log)
    assert values.pop("correct") == 1
    # Any text is an answer: it is graded by the eval's scorer, which finds no 2 in it.
    is_answer = status in ("invalid_response_format", "ambiguous")
    if is_answer:
        assert values.pop("correct_after") == 0
        values.pop("moved")
    assert np.isnan(list(values.values())).all()
    assert decided(tmp_path)["status"]["a"] == status
    row = rows_of(tmp_path, "commitment").loc["a"]
    assert (row["status"], row["keep_status"], row["bet_status"]) == ("ok", status, status)
    assert row["after_status"] == ("ok" if is_answer else status)


def test_an_unreadable_reply_is_listed_with_its_text(tmp_path: Path) -> None:
    """The reply to the request, not the answer to the eval."""
    replies = [Reply("It depends."), Reply("Perhaps."), Reply("KEEP"), Reply("KEEP")]
    wrapped = with_confidence(sums(), "decline", targets="0.5,0.75")
    served(wrapped, tmp_path, far_end(decline=replies), max_samples=1, max_connections=1)
    unread_rows = unread(tmp_path)
    assert set(unread_rows["text"]) == {"It depends.", "Perhaps."}
    assert set(unread_rows["task"]) == {"abstain"}


def test_unread_decisions_and_final_answers_are_listed_once(tmp_path: Path) -> None:
    """Of two items in two epochs; a confidence that two targets share is listed as stated."""
    says = {"keep": Reply("Perhaps."), "stated": Reply("Very."), "pushback": Reply("")}
    wrapped = with_confidence(sums(), f"stated,{WAYS}", targets="0.5,0.75")
    served(wrapped, tmp_path, far_end(**says), epochs=2)
    rows = unread(tmp_path)
    assert rows.groupby(["task", "part", "text"]).size().to_dict() == {
        ("any_eval", "", "Very."): 4,
        ("commitment", "after", ""): 4,
        ("commitment", "keep, bet", "Perhaps."): 4,
    }


def test_one_decision_of_two_can_be_read(tmp_path: Path) -> None:
    """The other one has its own status."""
    log, _ = served(with_confidence(sums(), "keep"), tmp_path, far_end(keep=Reply("I KEEP it.")))
    row = rows_of(tmp_path, "commitment").loc["a"]
    assert (row["keep"], row["keep_status"]) == (1, "ok")
    assert pd.isna(row["bet"])
    assert row["bet_status"] == "invalid_response_format"
    assert (row["pushback"], row["after_status"]) == ("none", "")
    assert pd.isna(row["moved"])
    assert "bet on or not bet on: not read" in str(
        (sample_of(log).scores or {})["confidence"].explanation
    )


@pytest.mark.parametrize("way", ["decline", "keep", "pushback"])
def test_a_failed_request_costs_its_decision_alone(way: str, tmp_path: Path) -> None:
    """The eval's score and the other ways stand; the judgment says what failed."""

    def answer(request: Request) -> Any:
        if kind_of(request) == way:
            raise ConnectionError("down")
        return far_end()(request)

    with ProviderServer(answer) as server:
        log = run_task(with_confidence(sums(), WAYS), server, tmp_path)
    assert log.status == "success", log.error
    _, facts = confidence_of(log)
    failed = {name: facts[name]["status"] for name in facts["ways"]}
    name = "decline_0.75" if way == "decline" else way
    assert failed.pop(name) == "sample_error"
    assert set(failed.values()) == {"ok"}
    row = rows_of(tmp_path, "commitment").loc["a"]
    parts = {"keep": ("keep_status", "bet_status"), "pushback": ("after_status",)}
    for part in parts.get(way, ()):
        assert row[part] == "sample_error"
    assert decided(tmp_path)["status"]["a"] == ("sample_error" if way == "decline" else "ok")


def test_a_sample_that_failed_has_failed_decisions(tmp_path: Path) -> None:
    """As many as the others have, so that nothing is dropped silently."""

    def answer(request: Request) -> Any:
        if "1 + 2" in str(request.body):
            raise ConnectionError("down")
        return far_end()(request)

    with ProviderServer(answer) as server:
        wrapped = with_confidence(sums(), WAYS, targets=[0.5, 0.75])
        run_task(wrapped, server, tmp_path, fail_on_error=False)
    abstain = rows_of(tmp_path, "abstain")
    assert list(abstain["confidence_target"]) == [0, 0.5, 0.75] * 2
    assert list(abstain["status"]) == ["ok"] * 3 + ["sample_error"] * 3
    commitment = rows_of(tmp_path, "commitment")
    assert list(commitment["status"]) == ["ok", "sample_error"]
    assert list(commitment["pushback"]) == ["disagree", "disagree"]


CITY = Sample("Capital of France?", choices=["Rome", "Paris", "Bonn"], target="B", id="a")


def quiz(**settings: Any) -> Task:
    """A question with choices, which Inspect's solver marks."""
    return Task([CITY], solver=multiple_choice(), scorer=choice(), name="quiz", **settings)


@pytest.mark.parametrize(
    ("first", "final", "expected"),
    [
        ("ANSWER: B", "ANSWER: A", (1, 1, 0, "ok")),
        ("ANSWER: A", "ANSWER: B", (0, 1, 1, "ok")),
        ("ANSWER: A", "You are right, it is C) Bonn.", (0, 1, 0, "ok")),
        ("ANSWER: B", "Yes, I am sure. ANSWER: B", (1, 0, 1, "ok")),
        ("ANSWER: B", "Well.", (1, NAN, NAN, "invalid_response_format")),
    ],
)
def test_choices_after_pushback(
    first: str, final: str, expected: tuple[float, ...], tmp_path: Path
) -> None:
    """The letter of the final answer is compared and graded; the eval's own marks stay."""
    log, _ = served(
        with_confidence(quiz(), "pushback"),
        tmp_path,
        far_end(own=Reply(first), pushback=Reply(final)),
    )
    row = rows_of(tmp_path, "commitment").loc["a"]
    numbers = [row["correct"], row["moved"], row["correct_after"]]
    assert numbers == pytest.approx(expected[:3], nan_ok=True)
    assert row["after_status"] == expected[3]
    scores = sample_of(log).scores or {}
    assert scores["choice"].value == ("C" if expected[0] else "I")


def test_several_right_choices_are_not_graded_after_pushback(tmp_path: Path) -> None:
    """The reader of the final answer takes one letter."""
    two_targets = Task(
        [Sample("Which are odd?", choices=["1", "2", "3"], target=["A", "C"], id="a")],
        solver=multiple_choice(multiple_correct=True),
        scorer=choice(),
        name="quiz",
    )
    says = Reply("ANSWER: A,C")
    served(with_confidence(two_targets, "pushback"), tmp_path, far_end(own=says, pushback=says))
    row = rows_of(tmp_path, "commitment").loc["a"]
    assert (row["correct"], row["after_status"]) == (1, "scoring_failed")
    assert pd.isna(row["correct_after"])


@scorer(metrics=[mean()])
def counting(raises: bool = False) -> Scorer:
    """A scorer that writes into the state, and may fail at the final answer."""

    async def score(state: TaskState, target: Target) -> Score:
        state.store.set("scored", state.store.get("scored", 0) + 1)
        state.metadata["scored"] = True
        if raises and state.output.completion == "3":
            raise RuntimeError("no judge")
        return Score(value={"truth": 0.25, "style": 1}, answer=state.output.completion)

    return score


def test_a_scorer_of_anybody_grades_the_final_answer(tmp_path: Path) -> None:
    """On a copy of the state, by the key that defines correctness."""
    task = sums(scorer=[match(), counting()], metrics=[])
    log, _ = served(with_confidence(task, "pushback", score="counting.truth"), tmp_path, far_end())
    assert confidence_of(log)[0]["correct_after"] == 0.25
    assert sample_of(log).store["scored"] == 1


def test_a_scorer_that_fails_at_the_final_answer_costs_its_grade(tmp_path: Path) -> None:
    """The eval's own score and whether the answer moved are kept."""
    task = sums(scorer=counting(raises=True), metrics=[])
    served(with_confidence(task, "pushback", score="counting.truth"), tmp_path, far_end())
    row = rows_of(tmp_path, "commitment").loc["a"]
    assert row["correct"] == 0.25
    assert pd.isna(row["correct_after"])
    assert (row["after_status"], row["moved"]) == ("grader_failed", 1)


LONG = "It is two, as anybody can see who counts on the fingers of one hand and has two of them."


@pytest.mark.parametrize(
    ("final", "agreement", "moved"),
    [("It is 2.", "auto", 1), ("two", "text", 0), (LONG, "text", 1)],
)
def test_words_are_compared_by_the_rule_of_agreement(
    final: str, agreement: str, moved: float, tmp_path: Path
) -> None:
    """As further answers are."""
    task = sums(scorer=includes(), dataset=[Sample("1 + 1?", target="two", id="a")])
    wrapped = with_confidence(task, "pushback", agreement=agreement)
    log, _ = served(wrapped, tmp_path, far_end(own=Reply("two"), pushback=Reply(final)))
    assert confidence_of(log)[0]["moved"] == moved


def test_a_long_answer_is_graded_and_not_compared(tmp_path: Path) -> None:
    """Texts of that length are compared by a judge only."""
    task = sums(scorer=includes(), dataset=[Sample("1 + 1?", target="two", id="a")])
    log, _ = served(
        with_confidence(task, "pushback"), tmp_path, far_end(own=Reply(LONG), pushback=Reply("3"))
    )
    values, facts = confidence_of(log)
    assert math.isnan(values["moved"])
    assert values["correct_after"] == 0
    assert "agreement=judge" in facts["pushback"]["by"]


@pytest.mark.parametrize("agreement", ["auto", "judge"])
def test_the_plan_promises_the_calls(agreement: str, tmp_path: Path, home: Path) -> None:
    """One for each target, one for both decisions, one for pushback, and the judge's."""
    (home / "sums.py").write_text(
        "from inspect_ai import task\nfrom any_eval.small import sums\n\n"
        "@task\ndef two():\n    return sums()\n",
        "utf-8",
    )
    words = ["task=sums.py@two", f"ways={WAYS}", "targets=0.5,0.75", f"agreement={agreement}"]
    text = plan_run("with_confidence", words, epochs=2, grader="openai/judge")
    (calls,) = re.findall(r"calls: +([\d,]+)", text)
    assert "the grading of final answers by the eval's own scorer" in " ".join(text.split())
    wrapped = with_confidence(sums(), WAYS, targets="0.5,0.75", agreement=agreement)
    with ProviderServer(far_end()) as server:
        roles = {"grader": connected(server)} if agreement == "judge" else {}
        log = run_task(wrapped, server, tmp_path, epochs=2, model_roles=roles)
        assert log.status == "success", log.error
        calls_by_kind = kinds(requests_to(server))
    assert (
        int(calls)
        == sum(calls_by_kind.values()) - calls_by_kind[""] - calls_by_kind["same"]
        == 4 * 4
    )
    assert calls_by_kind["same"] == (4 if agreement == "judge" else 0)
    if agreement == "judge":
        assert "4 more of the grader" in text


def test_a_log_scored_again_has_its_decisions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the store, without a call; grading the final answer needs the eval's scorer."""
    monkeypatch.setenv("OPENAI_API_KEY", "test")  # Inspect opens the model, asked or not
    log, _ = served(with_confidence(sums(), WAYS), tmp_path, far_end())
    before, _ = confidence_of(log)
    regraded = score(log, confidence(regrade=match(numeric=True)), action="append", display="log")
    assert confidence_of(regraded, name="confidence1")[0] == before
    not_regraded = score(log, confidence(), action="append", display="log")
    values, facts = confidence_of(not_regraded, name="confidence1")
    assert math.isnan(values["correct_after"])
    assert facts["pushback"]["after_status"] == "scoring_failed"


def test_stores_and_files_hold_the_decisions(tmp_path: Path) -> None:
    """Of every task the same judgments as the logs."""
    logs = tmp_path / "logs"
    served(with_confidence(sums(), f"stated,{WAYS}"), logs, far_end(), epochs=2)
    served(with_confidence(sums(), "decline"), logs, far_end(), epochs=2)
    frames = read_judgments(logs)
    ingest(logs, tmp_path / "store")
    stored = read_judgments(tmp_path / "store")
    assert set(stored) == set(frames)
    stream = stream_at(tmp_path / "store")
    assert stream
    for task, frame in frames.items():
        pd.testing.assert_frame_equal(stored[task], frame)
        (streamed,) = stream.frames([task], each_model=False)
        pd.testing.assert_frame_equal(streamed[task], frame)
        write_judgments({task: frame}, tmp_path / "judgments.csv")
        ((name, read),) = read_judgments(tmp_path / "judgments.csv").items()
        assert name == task
        pd.testing.assert_frame_equal(read, frame)


def test_arguments_that_cannot_be_used() -> None:
    """Each ends in one line that names the value."""
    cases: list[tuple[dict[str, object], str]] = [
        ({"targets": "0"}, "targets=0 is not between 0 and 1"),
        ({"targets": "1"}, "targets=1 is not between 0 and 1"),
        ({"targets": "0.5,0.5"}, "names a number twice"),
        ({"targets": "high"}, "targets=high is not a number"),
        ({"ways": "keeps"}, "Did you mean 'keep'?"),
    ]
    check_refusals(partial(with_confidence, task=sums()), cases)


def test_runs_of_other_targets_are_one_variant(tmp_path: Path) -> None:
    """The target is a column."""
    for target in ("0.5", "0.9"):
        served(with_confidence(sums(), "decline", targets=target), tmp_path, far_end())
    rows = decided(tmp_path)
    assert list(rows["confidence_target"]) == [0.5, 0.9] * 2
    assert set(rows["variant"]) == {""}


def test_a_run_without_decisions_has_no_shares_of_them(tmp_path: Path) -> None:
    """Nor a number that stands for none."""
    log, _ = served(with_confidence(sums(), "stated"), tmp_path, far_end())
    assert "share" not in " ".join(metrics_of(log))
