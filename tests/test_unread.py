"""Replies that could not be read, listed with their text; and replies read again."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai import Task, eval
from inspect_ai.log import EvalError, EvalLog, read_eval_log, write_eval_log

from build import column_of, notices_with, slow_cases, texts_with
from inspect_confidence import read_judgments, summarize
from inspect_confidence.commands.unread import shares, unread
from inspect_confidence.tasks.decisions import abstain, commitment
from inspect_confidence.tasks.fermi_eval import fermi_eval
from inspect_confidence.tasks.hedge_markers import hedge_markers
from inspect_confidence.tasks.question_sets import question_sets
from inspect_confidence.tasks.scale_variants import scale_variants
from inspect_confidence.tasks.wep_probes import wep_choice
from provider_server import Reply, Request
from runs import in_turn, inspect_printed, printed, responded, served


def run_scales(folder: Path, epochs: int = 2) -> EvalLog:
    """Four items on two scales, a third of the replies unreadable."""
    task = scale_variants(dataset="bundled", scales="0-100,0-5", items=4)
    return responded(task, "candid", folder, epochs, error_rate=0.4)


def test_every_unread_reply_is_listed_with_its_text(tmp_path: Path) -> None:
    """Each judgment that isn't ok, in both epochs, with what the model said."""
    log = run_scales(tmp_path)
    rows = json.loads(printed("unread", tmp_path, "--json").stdout)
    frame = read_judgments(tmp_path)["scale_variants"]
    unread_rows = frame[frame["status"] != "ok"]
    assert len(unread_rows) > 2
    columns = ["item", "epoch", "status", "reason"]
    listed_rows = pd.DataFrame(rows)[columns].itertuples(index=False, name=None)
    assert sorted(listed_rows) == sorted(unread_rows[columns].itertuples(index=False, name=None))
    reply_texts = {}
    for sample in read_eval_log(log.location).samples or []:
        condition = f"scale=0-{sample.metadata['high']}"
        reply_texts[sample.metadata["item"], condition, sample.epoch] = sample.output
    assert set(column_of(rows, "epoch")) == {1, 2}
    for row in rows:
        assert row["text"] == reply_texts[row["item"], row["condition"], row["epoch"]].completion


def test_the_part_that_is_missing_is_named(tmp_path: Path) -> None:
    """An answer without its confidence, neither of both, and a whole reply."""
    texts = [
        "Answer: A\nConfidence: very sure indeed",
        "Answer: A\nConfidence: 80",
        "I'm sorry, but I can't help with that.",
        "Answer: A\nConfidence: 70",
    ]
    task = scale_variants(dataset="bundled", scales="0-100", items=2)
    turn = iter(texts)
    served(task, tmp_path, lambda _: Reply(next(turn)), epochs=2, max_connections=1)
    rows = unread(tmp_path)
    by_text = rows.set_index("text")["part"].to_dict()
    assert by_text == {texts[0]: "confidence", texts[2]: "answer, confidence"}
    assert set(rows["status"]) == {"invalid_response_format", "refusal"}


def test_draws_have_their_own_text(tmp_path: Path) -> None:
    """Each draw of a sample in each epoch, by its number."""
    task = fermi_eval(dataset="bundled", method="sampling", draws=4, items=3)
    log = responded(task, "candid", tmp_path, 2, error_rate=0.4)
    rows = unread(log.location)
    stored = {}
    for sample in read_eval_log(log.location).samples or []:
        for number, draw in enumerate(sample.store["draws"]):
            stored[sample.metadata["item"], sample.epoch, number] = draw["text"]
    assert rows["draw"].nunique() > 1
    for row in rows.to_dict("records"):
        assert row["text"] == stored[row["item"], row["epoch"], row["draw"]]


def test_the_table_begins_with_shares_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    """A line a task and model, a line a reply, cut; a limit that is said; nothing unread."""
    run_scales(tmp_path / "logs")
    n = len(unread(tmp_path / "logs"))
    done = printed("unread", tmp_path / "logs", "--limit", 2, "--csv", tmp_path / "x.csv")
    assert done.stdout.splitlines()[0] == "Parse failures (scale_variants)"
    first, *_ = texts_with(done.stdout.splitlines(), "respondent/candid")
    counts_and_share = ["16", str(n), f"{100 * n / 16:.0f}%"]
    assert first.split()[:4] == ["respondent/candid", *counts_and_share]
    assert f"2 of {n} replies; --limit shows more" in done.stdout
    assert len(pd.read_csv(tmp_path / "x.csv")) == n
    assert f"of {n} replies" not in printed("unread", tmp_path / "logs", "--limit", n).stdout
    answers = tmp_path / "answers.csv"
    answers.write_text("item,confidence,correct\na,,1\nb,.5,1\nc,,0\nd,.5,0\n", "utf-8")
    assert "50% [15, 85]" in printed("unread", answers).stdout  # Wilson's interval by hand
    answers.write_text("item,level,lower,upper,truth\na,50,1,2,1\n", "utf-8")
    assert "Every reply could be read." in printed("unread", answers).stdout
    assert json.loads(printed("unread", answers, "--json").stdout) == []
    assert "there is no such log" in printed("unread", tmp_path / "none", code=2).stderr
    assert "--limit" in printed("unread", answers, "--limit", 0, code=2).stderr


def test_a_declined_answer_is_read(tmp_path: Path) -> None:
    """Two of six replies decline and one can't be read: a share of 1/6, as `summarize` gives it."""
    texts = ["Answer: A", "I don't know", "Answer: A", "", "Answer: A", "I don't know"]
    task = abstain(dataset="knowledge", targets="0.5,0.9", items=3)
    served(task, tmp_path, in_turn(*map(Reply, texts)), max_connections=1)
    assert list(unread(tmp_path)["status"]) == ["no_response"]
    (line,) = shares(read_judgments(tmp_path)).to_dict("records")
    assert (line["replies"], line["unread"], line["declined"]) == (6, 1, 2)
    assert line["share"] == pytest.approx(1 / 6)
    results = summarize(tmp_path, resamples=5)
    overall = results[(results["metric"] == "unread_share") & (results["condition"] == "")]
    assert list(overall["value"]) == [line["share"]]


def commitment_reply(request: Request) -> Reply:
    """An unreadable decision to keep, no confidence after the pushback, and all else readable."""
    if "KEEP or WITHDRAW" in request.prompt:
        return Reply("Decision: MAYBE\nBet: BET")
    if "Answer:" in request.prompt.rpartition("\n\n")[2]:
        return Reply("Answer: A")
    is_after = any("sure?" in str(message["content"]) for message in request.body["messages"])
    return Reply("hard to say" if is_after else "Confidence: 80")


def test_unread_replies_to_decisions_are_listed_with_their_text(tmp_path: Path) -> None:
    """Two items in two epochs: four answers, and four replies to each further request."""
    task = commitment(dataset="knowledge", pushback="disagree", items=2)
    served(task, tmp_path, commitment_reply, epochs=2)
    rows = unread(tmp_path)
    by_part = {part: set(group["text"]) for part, group in rows.groupby("part")}
    assert by_part == {"keep": {"Decision: MAYBE\nBet: BET"}, "confidence_after": {"hard to say"}}
    assert len(rows) == 8
    (line,) = shares(read_judgments(tmp_path)).to_dict("records")
    assert (line["replies"], line["unread"], line["share"]) == (20, 8, 0.4)


def test_a_reason_that_all_replies_share_is_printed_once_and_whole(tmp_path: Path) -> None:
    """Below the table of the task and model; a share of no replies is a dash."""
    reason = "the model answers questions of one data set alone, and this is none of them; " * 2
    row = {"task": "scale_variants", "model": "m", "low": 0, "high": 100, "raw": "", "correct": ""}
    row |= {"status": "sample_error", "reason": reason.strip()}
    rows = pd.DataFrame([row | {"item": item} for item in "ab"])
    rows.to_csv(tmp_path / "failed.csv", index=False)
    text = " ".join(printed("unread", tmp_path / "failed.csv").stdout.split())
    assert text.count("this is none of them") == 2
    assert f"Reason of all: {reason.strip()}" in text
    assert "nan" not in text


# Reading again


def task_of(name: str) -> Task:
    """A task by the form of its answers."""
    if name == "stated":
        return scale_variants(dataset="bundled", scales="0-100,0-5", items=4)
    if name == "draws":
        return fermi_eval(dataset="bundled", method="sampling", draws=3, items=4)
    if name == "options":
        return question_sets(dataset="bundled", items=6)
    if name == "choice":
        return wep_choice(items=4)
    return hedge_markers(dataset="facts", draws=2, items=4, judge="rules")


def spoilt(log: EvalLog) -> EvalLog:
    """The log as older readers might have left it: every third reply without a reading."""
    log = read_eval_log(log.location)
    for sample in (log.samples or [])[::3]:
        for score in (sample.scores or {}).values():
            assert isinstance(score.value, dict)
            score.value = {name: float("nan") for name in score.value}
            score.metadata = {"status": "echo", "detail": "as it was", "draws": "[]", "reply": ""}
            for name in ("probabilities", "token_probabilities", "judged"):
                score.metadata[name] = "[]"
            score.metadata |= {"token_status": "echo", "token_detail": "", "unseen_mass": None}
            score.reason, score.answer = "echo", None
    # A model for which there is neither key nor package: none is made.
    log.eval.model = "nowhere/nothing"
    write_eval_log(log, log.location)
    return log


SLOW = slow_cases(("rules", "stated", "options", "draws"))


@pytest.mark.parametrize("name", ["choice", *SLOW])
def test_reading_again_is_scoring_again(name: str, tmp_path: Path) -> None:
    """`--reread` gives the results of `inspect score`, and writes nothing."""
    log = responded(task_of(name), "candid", tmp_path, 2, error_rate=0.3)
    ((task, fresh),) = read_judgments(tmp_path).items()
    log_bytes = Path(spoilt(log).location).read_bytes()
    (stale,) = read_judgments(tmp_path).values()
    assert (stale["status"] == "echo").any()
    reread = read_judgments(tmp_path, reread=True)
    assert Path(log.location).read_bytes() == log_bytes
    notices = notices_with(reread, "read again")
    assert any(notice.startswith(f"{task}: ") for notice in notices)
    # What the readers made of the replies at first they make of them now.
    shared_columns = sorted({*fresh.columns} - {"model"})
    order = ["uuid", "draw", *({"source", "sentence", "marker"} & {*shared_columns})]
    now = reread[task][shared_columns].sort_values(order, ignore_index=True)
    first = fresh[shared_columns].sort_values(order, ignore_index=True)
    pd.testing.assert_frame_equal(now, first)
    results = summarize(reread, resamples=50)
    assert log.eval.scorers
    (scorer,) = log.eval.scorers
    words = ("score", log.location, "--scorer", f"inspect_confidence/{scorer.name}")
    judge = ("-S", "judge=rules") if name == "rules" else ()
    options = ("--model", "none/none", "--action", "overwrite", "--overwrite", "--display", "none")
    inspect_printed(*words, *judge, *options)
    pd.testing.assert_frame_equal(summarize(tmp_path, resamples=50), results)
    done = printed("summarize", tmp_path, "--reread", "--json", "--resamples", 50)
    assert "the status of 0 changed, and the value of 0 more" in done.stderr


def test_changes_are_counted(tmp_path: Path) -> None:
    """Two replies have another status, one has another confidence only."""
    log = read_eval_log(run_scales(tmp_path, epochs=1).location)
    scores = chain.from_iterable((sample.scores or {}).values() for sample in log.samples or [])
    read = [score for score in scores if score.reason is None]
    for score in read[:2]:
        score.metadata = {"status": "refusal", "detail": "older readers"}
    assert isinstance(read[2].value, dict)
    read[2].value["confidence"] = 0.123
    write_eval_log(log, log.location)
    done = printed("summarize", tmp_path, "--reread", "--json", "--resamples", 10)
    says = "8 judgments were read again; the status of 2 changed, and the value of 1 more"
    assert says in done.stderr
    unread_rows = json.loads(printed("unread", tmp_path, "--json").stdout)
    reread_rows = json.loads(printed("unread", tmp_path, "--reread", "--json").stdout)
    assert len(unread_rows) == len(reread_rows) + 2


def test_samples_that_a_failed_log_lacks_stay_failed(tmp_path: Path) -> None:
    """A run that crashed at its first sample of eight has eight judgments, read again or not."""
    log = read_eval_log(run_scales(tmp_path, epochs=1).location)
    log.error = EvalError(message="boom", traceback="", traceback_ansi="")
    log.status, log.samples = "error", (log.samples or [])[:1]
    log.samples[0].error, log.samples[0].scores = log.error, {}
    write_eval_log(log, log.location)
    before, after = read_judgments(tmp_path), read_judgments(tmp_path, reread=True)
    assert len(before["scale_variants"]) == len(after["scale_variants"]) == 8
    unwritten = after["scale_variants"][after["scale_variants"]["uuid"] == ""]
    assert unwritten["status"].tolist() == ["sample_error"] * 7
    assert notices_with(after, "scale_variants: 1 judgment was read again")


def test_what_needs_a_model_stays_as_it_is(tmp_path: Path) -> None:
    """A judge's judgments, a file, and a scorer that isn't there: kept, and said to be."""
    task = hedge_markers(dataset="facts", draws=2, items=3)
    roles: dict[str, Any] = {"grader": "respondent/judge"}
    eval(
        task,
        model="respondent/candid",
        model_roles=roles,
        epochs=2,
        log_dir=str(tmp_path),
        display="none",
    )
    before, after = read_judgments(tmp_path), read_judgments(tmp_path, reread=True)
    pd.testing.assert_frame_equal(before["hedge_markers"], after["hedge_markers"])
    assert "a model judged these replies; its judgments are kept" in after.notices[0]
    answers = tmp_path / "answers.csv"
    answers.write_text("item,level,lower,upper,truth\na,50,1,2,1\n", "utf-8")
    assert "has no replies to read again" in read_judgments(answers, reread=True).notices[0]
    second_log = read_eval_log(run_scales(tmp_path / "other").location)
    assert second_log.eval.scorers
    second_log.eval.scorers[0].name = "nobody/knows"
    write_eval_log(second_log, second_log.location)
    judgments_reread = read_judgments(second_log.location, reread=True)
    assert "cannot be read again and stay as they were read" in judgments_reread.notices[0]
