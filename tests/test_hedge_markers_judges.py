"""The hedge study's calls and judgments: OpenAI answers, Google judges, as far as it can.

What a whole run says is in the contract of all tasks; here are waves, batches, and judges that
fail.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import chain, count, product
from pathlib import Path
from random import Random
from threading import Barrier, BrokenBarrierError, Lock
from typing import Any

import pandas as pd
import pytest
from inspect_ai import score
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log, write_eval_log

from build import (
    attributes_of,
    by_id,
    column_of,
    entries_of,
    record_table,
    records_with,
    reply_to_each_choice,
    requests_to,
    rows_with,
)
from conftest import CHECKOUT, Command
from contract import study_judge
from contract.far_end import check_judgments
from contract.hedge_markers import (
    SYSTEM,
    Draw,
    Examiner,
    Main,
    Sentence,
    Speaker,
    all_sentences,
    expected_rows,
    judge_calls,
    metrics_of,
    opinion,
    own_file,
    sentences,
)
from inspect_confidence import read_judgments, summarize
from inspect_confidence.prompts.judge import TEMPLATES
from inspect_confidence.scorers.hedged import hedged
from inspect_confidence.tasks.hedge_markers import hedge_markers
from provider_server import Finish, ProviderServer, Reply, Request
from runs import GOOGLE, OPENAI, Answer, cached, connected, log_metrics, run_task, values

NAN = math.nan


@pytest.fixture(autouse=True)
def at_home(home: Path) -> None:
    """Questions are found in the folder that the user stands in."""


@dataclass
class PlacesRun:
    """What a run on places.csv left, and what it asked of either model."""

    log: EvalLog
    frame: pd.DataFrame
    speaker_requests: list[Request]
    judge_requests: list[Request]


def run_places(
    folder: Path,
    speaker: Answer,
    examiner: Answer,
    more: Mapping[str, Any] | None = None,
    failing: bool = False,
    **arguments: Any,
) -> PlacesRun:
    """OpenAI answers and Google judges; a judge's server that is `failing` raises errors."""
    with ProviderServer(speaker) as speaker_server, ProviderServer(examiner) as judge_server:
        grader = (
            {} if arguments.get("judge") == "rules" else {"grader": connected(judge_server, GOOGLE)}
        )
        settings = {"batch_judgments": None if "judge_prompts" in arguments else False, **arguments}
        task = hedge_markers("places.csv", split="all", **settings)
        log = run_task(task, speaker_server, folder, model_roles=grader or None, **(more or {}))
    assert log.status == "success", log.error
    assert not speaker_server.errors
    assert bool(judge_server.errors) == failing
    return PlacesRun(
        log,
        read_judgments(folder)["hedge_markers"],
        requests_to(speaker_server),
        requests_to(judge_server),
    )


def texts_of(parts: Iterable[Sentence | Draw]) -> list[str]:
    """The texts of sentences or draws."""
    return attributes_of(parts, "text")


def sentence_count(speaker: Speaker) -> int:
    """How many sentences main answers have, those that an answer repeats once."""
    return sum(len(set(main.sentences)) for _, _, main, _ in speaker.replies())


def asked_about(examiner: Examiner | study_judge.StudyExaminer, form: str) -> list[dict[str, str]]:
    """The texts of each judgment of a form that was asked for."""
    return [about for asked_form, about in examiner.asked if asked_form == form]


def asked_forms(examiner: Examiner | study_judge.StudyExaminer) -> list[str]:
    """The forms of the judgments that were asked for."""
    return column_of(examiner.asked, 0)


def hedged_scores(log: EvalLog) -> pd.DataFrame:
    """The scores of the samples, with their values and metadata as columns."""
    rows = []
    for sample in log.samples or []:
        score = (sample.scores or {})["hedged"]
        rows.append({**(score.metadata or {}), **score.as_dict()})
    return pd.DataFrame(rows)


def check(run: PlacesRun, expected_rows: Sequence[Mapping[str, Any]]) -> None:
    """Judgments and the log's metrics are these."""
    check_judgments(run.frame, expected_rows)
    assert log_metrics(run.log) == pytest.approx(metrics_of(expected_rows), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(
    ("draws", "batch"),
    [
        *((25, False), (25, True)),
        pytest.param(1, False, marks=pytest.mark.slow),
        pytest.param(20, True, marks=pytest.mark.slow),
    ],
)
def test_calls_and_judgments(tmp_path: Path, draws: int, batch: bool) -> None:
    """Openai has 1 + ceil(K/20) calls an item, the judge what docs promise; all is read back."""
    items = own_file(tmp_path, 4)
    speaker, examiner = Speaker(items, draws, seed=draws), Examiner(all_sentences(items))
    run = run_places(tmp_path / "logs", speaker, examiner, draws=draws, batch_judgments=batch)
    assert len(run.speaker_requests) == len(items) * (1 + math.ceil(draws / 20))
    by_item: dict[str, list[int]] = {}
    for request in run.speaker_requests:
        (item,) = [candidate for candidate in items if candidate.question in request.prompt]
        by_item.setdefault(item.id, []).append(request.body.get("n", 1))
        assert request.prompt == f"Question: {item.question}\nAnswer:"
        assert request.system == SYSTEM
        assert request.body["temperature"] == 1
        assert 256 in (request.body.get("max_tokens"), request.body.get("max_completion_tokens"))
    wave = sorted(min(20, draws - k) for k in range(0, draws, 20))
    for counts in by_item.values():
        assert counts[0] == 1
        assert sorted(counts[1:]) == wave
    assert len(run.judge_requests) == judge_calls(speaker, batch)
    comparisons = pd.DataFrame(asked_about(examiner, "consistency"))
    assert not comparisons.duplicated().any()
    verdicts = pd.DataFrame(asked_about(examiner, "correctness"))
    assert not verdicts.duplicated().any()
    for request in run.judge_requests:
        assert request.system is None
        assert request.body["generationConfig"]["temperature"] == 0
        assert not {"maxOutputTokens", "candidateCount"} & request.body["generationConfig"].keys()
    check(run, expected_rows(speaker))
    assert set(verdicts["answers"]) == set(record_table(items)["answers"].str.join("; "))


# Waves


class Gated(ProviderServer):
    """Answers no request of a wave before all of it has arrived."""

    def __init__(
        self,
        answer: Callable[[Request], Reply | Sequence[Reply]],
        wave: Callable[[dict[str, Any]], str],
        gates: Mapping[str, Barrier],
        order: list[str],
    ) -> None:
        super().__init__(answer)
        self._wave, self._gates, self._order = wave, gates, order
        self._note = Lock()

    def respond(self, path: str, raw: bytes) -> tuple[int, str]:
        """Wait for the others, then answer."""
        wave = self._wave(json.loads(raw))
        with self._note:
            self._order.append(f"{wave} asked")
        try:
            self._gates[wave].wait()
        except BrokenBarrierError as error:
            self.errors.append(error)
            return 500, json.dumps({"error": {"code": 500, "message": f"{wave}: not together"}})
        answered = super().respond(path, raw)
        with self._note:
            self._order.append(f"{wave} answered")
        return answered


@pytest.mark.parametrize("batch", [False, True])
def test_three_waves(tmp_path: Path, batch: bool) -> None:
    """All main answers together, then all draws, then all judgments: else the gates stay shut."""
    items = own_file(tmp_path, 5)
    mains = {item.id: Main(tuple(sentences(Random(0), item.answers[0])[:3])) for item in items}
    draws = [Draw("Possibly Fyn."), Draw("Possibly Ely."), Draw("Possibly Lund.")]
    # The draws of every item hold all three, whatever the seed.
    speaker = Speaker(items, 25, mains=mains, pool=dict.fromkeys(by_id(items), draws))
    examiner = Examiner(all_sentences(items))
    per_item = 1 + 3 * (1 if batch else 2 + 3)
    gates = {
        "main": Barrier(5, timeout=60),
        "draws": Barrier(5 * 2, timeout=60),
        "judge": Barrier(5 * per_item, timeout=60),
    }
    order: list[str] = []
    waves = {None: "main"}
    with ExitStack() as stack:
        speaker_server = stack.enter_context(
            Gated(speaker, lambda body: waves.get(body.get("n"), "draws"), gates, order)
        )
        judge_server = stack.enter_context(Gated(examiner, lambda _: "judge", gates, order))
        task = hedge_markers("places.csv", split="all", draws=25, batch_judgments=batch)
        roles = {"grader": connected(judge_server, GOOGLE)}
        limits: dict[str, Any] = {"max_connections": 200, "max_samples": 10}
        run_task(task, speaker_server, tmp_path / "logs", model_roles=roles, **limits)
    assert not speaker_server.errors + judge_server.errors
    for _, _, _, item_draws in speaker.replies():
        assert set(item_draws) == set(draws)
    counts = Counter(order)
    assert counts["judge answered"] == 5 * per_item
    last = {step: k for k, step in enumerate(order)}
    first = {step: order.index(step) for step in counts}
    assert last["main answered"] < len(order)
    assert last["main asked"] < first["draws asked"] or last["main asked"] < first["draws answered"]
    for wave in ("main", "draws", "judge"):
        assert last[f"{wave} asked"] < first[f"{wave} answered"]
    assert last["draws asked"] < first["judge asked"]
    check_judgments(read_judgments(tmp_path / "logs")["hedge_markers"], expected_rows(speaker))


def test_a_sample_is_judged_after_all_its_draws(tmp_path: Path) -> None:
    """Also with two connections: no judgment of an item before its last draw."""
    items = own_file(tmp_path, 3)
    order: list[tuple[str, str]] = []
    lock = Lock()

    def noted(kind: str, answer: Callable[[Request], Any]) -> Callable[[Request], Any]:
        def reply(request: Request) -> Any:
            for item in items:
                if f"{item.question}\n" in request.prompt:
                    with lock:
                        order.append((item.id, kind))
            return answer(request)

        return reply

    speak = noted("speak", Speaker(items, 41))
    judge = noted("judge", Examiner(all_sentences(items)))
    run_places(tmp_path / "logs", speak, judge, {"max_connections": 2}, draws=41)
    for item in items:
        kinds = [kind for name, kind in order if name == item.id]
        assert kinds[:4] == ["speak"] * 4, item
        assert set(kinds[4:]) == {"judge"}, item


@pytest.mark.slow
def test_cached_draws_stay_distinct(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two epochs, too; without the cache another run asks all anew and hears something else."""
    own_file(tmp_path, 2)
    texts = map("It is {}.".format, count())
    verdict = {"markers": [], "decisiveness": 1.0, "agreement": "no", "verdict": "punt"}

    def speak(request: Request) -> list[Reply]:
        return reply_to_each_choice(request, texts)

    with (
        cached(monkeypatch, tmp_path / "cache"),
        ProviderServer(speak) as speaker_server,
        ProviderServer(lambda _: Reply(json.dumps(verdict))) as judge_server,
    ):

        def once(name: str, **options: Any) -> tuple[dict[tuple[Any, int], list[str]], int, int]:
            before = len(speaker_server.requests), len(judge_server.requests)
            task = hedge_markers("places.csv", split="all", draws=22, batch_judgments=False)
            roles = {"grader": connected(judge_server, GOOGLE)}
            log = run_task(
                task, speaker_server, tmp_path / name, epochs=2, model_roles=roles, **options
            )
            reply_texts = {}
            for sample in log.samples or []:
                draws = pd.DataFrame(sample.store["draws"])
                reply_texts[sample.id, sample.epoch] = draws["text"].tolist()
            return (
                reply_texts,
                len(speaker_server.requests) - before[0],
                len(judge_server.requests) - before[1],
            )

        first, calls, judge_count = once("a", cache=True)
        repeated, no_calls, not_judged = once("b", cache=True)
        fresh, fresh_calls, fresh_judged = once("c")
    assert (calls, judge_count) == (2 * 2 * 3, 2 * 2 * (1 + 2 + 22))
    assert (no_calls, not_judged) == (0, 0)
    assert (fresh_calls, fresh_judged) == (calls, judge_count)
    assert first == repeated
    reply_texts = list(chain.from_iterable(first.values()))
    assert len(reply_texts) == len(set(reply_texts)) == 2 * 2 * 23
    assert set(reply_texts).isdisjoint(chain.from_iterable(fresh.values()))
    frame = read_judgments(tmp_path / "b")["hedge_markers"]
    assert set(frame["inconsistent"]) == {22}


# What comes back


def test_all_that_is_needed_stands_in_the_log(tmp_path: Path) -> None:
    """Draws, judgments, prompts' and data's fingerprints, the roles, and each call of the judge."""
    items = own_file(tmp_path, 3)
    speaker, examiner = Speaker(items, 4, seed=2), Examiner(all_sentences(items))
    run = run_places(tmp_path / "logs", speaker, examiner, draws=4)
    log = read_eval_log(run.log.location)
    assert log.eval.model == OPENAI
    assert [*(log.eval.model_roles or {})] == ["grader"]
    assert getattr((log.eval.model_roles or {})["grader"], "model", "") == GOOGLE
    metadata = log.eval.metadata or {}
    assert metadata["judge"] == "model"
    assert metadata["dataset"] == "places.csv"
    assert log.eval.task_args["draws"] == 4
    replies = {item.id: (item, main, draws) for item, _, main, draws in speaker.replies()}
    events = 0
    for sample in log.samples or []:
        item, main, draws = replies[str(sample.id)]
        assert sample.input == item.question
        assert tuple(sample.target) == item.answers
        assert sample.output.completion == main.text
        draws_stored = pd.DataFrame(sample.store["draws"])
        assert draws_stored["text"].tolist() == [main.text, *texts_of(draws)]
        score_of = (sample.scores or {})["hedged"]
        assert score_of.answer == main.text
        judgments = pd.DataFrame(json.loads((score_of.metadata or {})["judged"]))
        sentence_rows = record_table(main.sentences)
        assert judgments["text"].tolist() == sentence_rows["text"].tolist()
        assert judgments["markers"].map(tuple).tolist() == sentence_rows["markers"].tolist()
        events += sum(isinstance(e, ModelEvent) and e.role == "grader" for e in sample.events)
    assert events == len(run.judge_requests)


def test_replies_that_are_empty_cut_off_withheld_or_quote_a_marker(tmp_path: Path) -> None:
    """Where there is no whole sentence the judge isn't asked; withheld ones are in no rate."""
    items = own_file(tmp_path, 7, datasets=1)
    plain, quoted = sentences(Random(0), "Fyn")[0], sentences(Random(0), "Fyn")[3]
    cut: Finish = "length"
    replies = [
        Main(status="no_response"),
        Main(status="no_response", rest=" \n "),
        Main((plain, quoted), rest="But it mi", finish=cut),
        Main(status="truncated", rest="It is prob", finish=cut),
        Main((plain,), finish=cut),
        Main(status="content_filter", finish="content_filter"),
        Main((quoted,)),
    ]
    mains = dict(zip(by_id(items), replies, strict=True))
    speaker, examiner = Speaker(items, 6, mains=mains), Examiner(all_sentences(items))
    run = run_places(tmp_path / "logs", speaker, examiner, draws=6)
    assert len(run.judge_requests) == judge_calls(speaker)
    whole = pd.DataFrame(asked_about(examiner, "correctness"))["reply"]
    assert sorted(whole) == sorted(attributes_of(records_with(replies, status="ok"), "text"))
    rows = expected_rows(speaker)
    check(run, rows)
    estimates = values(summarize(tmp_path / "logs", resamples=10))
    for split in ("train", "test"):
        rate = metrics_of(rows_with(rows, split=split))["format_failure_rate"]
        assert estimates[f"judge={GOOGLE};split={split}", "format_failure_rate"] == rate, split
    frame = run.frame
    assert set(frame.loc[frame["text"] == quoted.text, "marker"]) == {"<no_hedge>"}
    assert frame.loc[frame["status"] != "ok", "confidence"].isna().all()


def test_draws_that_say_nothing_leave_nothing_to_compare_with(tmp_path: Path) -> None:
    """Then there is no confidence, which isn't 0.5."""
    items = own_file(tmp_path, 2)
    silent = [Draw(""), Draw("  \n"), Draw("", "content_filter")]
    for batch in (False, True):
        speaker = Speaker(items, 5, pool=dict.fromkeys(by_id(items), silent))
        examiner, folder = Examiner(all_sentences(items)), tmp_path / str(batch)
        run = run_places(folder, speaker, examiner, draws=5, batch_judgments=batch)
        assert len(run.judge_requests) == judge_calls(speaker, batch), batch
        check(run, expected_rows(speaker))
        assert set(run.frame["status"]) == {"no_response"}, batch
        assert run.frame["confidence"].isna().all(), batch
        assert set(run.frame["draws"]) == {0}, batch


def test_a_reply_whose_draws_say_nothing_was_read(tmp_path: Path) -> None:
    """The log's rate of unreadable replies is 0; so is that of the results."""
    items = own_file(tmp_path, 2)
    speaker = Speaker(items, 3, pool=dict.fromkeys(by_id(items), (Draw(""),)))
    run = run_places(tmp_path / "logs", speaker, speaker, draws=3, judge="rules")
    results = summarize(tmp_path / "logs", resamples=10)
    rates = set(results.loc[results["metric"] == "format_failure_rate", "value"])
    assert (log_metrics(run.log)["format_failure_rate"], rates) == (0, {0})


class Mute(ProviderServer):
    """Gives no choice where one is asked for."""

    def respond(self, path: str, raw: bytes) -> tuple[int, str]:
        """The answer, without its choice."""
        status, body = super().respond(path, raw)
        answer = json.loads(body)
        return status, body if "n" in json.loads(raw) else json.dumps({**answer, "choices": []})


def test_a_main_answer_without_a_choice_is_not_replaced_by_a_draw(tmp_path: Path) -> None:
    """It is the provider's failure: the sample is an error, which eval-retry asks again."""
    own_file(tmp_path, 1)
    with Mute(lambda _: Reply("It is probably Fyn.")) as server:
        task = hedge_markers("places.csv", split="all", draws=4, judge="rules")
        log = run_task(task, server, tmp_path / "logs")
    assert (log.status, server.errors, len(server.requests)) == ("error", [], 1)
    assert log.error
    assert "the provider answered without a reply" in log.error.message


# Judges that fail


RUBBISH = [
    "I can't judge that.",
    "",
    "{}",
    '{"agreement": "maybe", "verdict": "partly", "decisiveness": 70, "markers": "probably"}',
    '{"agreement": 0.5, "verdict": null, "decisiveness": "high", "markers": ["surely not there"]}',
]


@pytest.mark.parametrize("down", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_judge_that_fails_fills_in_nothing(tmp_path: Path, down: bool) -> None:
    """Rubbish and HTTP 500 on half of what is asked of one kind: the rest stands as it is."""
    items = own_file(tmp_path, 5)
    forms = ("markers", "decisiveness", "consistency", "correctness")
    for form in forms[2:] if down else forms:

        def broken(form_asked: str, about: Mapping[str, str], form: str = form) -> bool:
            texts = [about[name] for name in ("sentence", "reply") if name in about]
            return form_asked == form and opinion(("y", "n"), "broken", *texts) == "y"

        def instead(
            form_asked: str, about: Mapping[str, str], broken: Callable[..., bool] = broken
        ) -> str | None:
            if not broken(form_asked, about):
                return None
            if down:
                raise RuntimeError("the judge is down")
            return opinion(RUBBISH, *about.values())

        speaker = Speaker(items, 6, seed=3)
        examiner = Examiner(all_sentences(items), instead)
        run = run_places(tmp_path / form, speaker, examiner, failing=down, draws=6)
        check(run, expected_rows(speaker, broken))
        reasons = run.frame["reason"].astype(str)
        if form == "correctness":
            scores = hedged_scores(run.log)
            is_missing = scores["verdict_reason"].astype(bool)
            assert 0 < is_missing.sum() < len(scores)
            assert scores["punt"].isna().tolist() == is_missing.tolist()
        else:
            column = {"markers": "n_markers", "decisiveness": "decisiveness"}.get(form)
            is_lost = run.frame[column].isna() if column else run.frame["failed"] > 0
            assert is_lost.any(), form
            assert form == "consistency" or not is_lost.all()
            assert (reasons[is_lost] != "").all(), form
            assert (reasons[~is_lost] == "").all(), form


@pytest.mark.parametrize(("rubbish", "batch"), [("Sorry, no.", True), (None, False)])
def test_a_judge_that_always_fails(tmp_path: Path, batch: bool, rubbish: str | None) -> None:
    """Every judgment is `grader_failed`, no number is made up, and the run still succeeds."""

    def instead(form: str, about: Mapping[str, str]) -> str:
        if rubbish is None:
            raise RuntimeError("the judge is down")
        return rubbish

    items = own_file(tmp_path, 4)
    speaker, examiner = Speaker(items, 3), Examiner(all_sentences(items), instead)
    folder, down = tmp_path / "logs", rubbish is None
    run = run_places(folder, speaker, examiner, failing=down, draws=3, batch_judgments=batch)
    frame = run.frame
    check_judgments(frame, expected_rows(speaker, lambda *_: True))
    assert set(frame["status"]) == {"grader_failed"}
    assert set(frame["marker"]) == {""}
    for name in ("confidence", "decisiveness", "correct", "punt", "n_markers"):
        assert frame[name].isna().all(), name
    inside = log_metrics(run.log)
    assert (inside.pop("format_failure_rate"), inside.pop("grader_failure_rate")) == (0, 1)
    assert pd.Series(inside).isna().all()
    results = summarize(folder, resamples=10)
    rates = results.loc[results["metric"] == "grader_failure_rate", "value"]
    assert set(rates) == {1.0}
    names = ("accuracy", "faithfulness", "mic", "mean_internal_confidence", "mean_decisiveness")
    assert results.loc[results["metric"].isin(names), "value"].isna().all()


def test_what_a_batch_leaves_open_is_asked_again_once(tmp_path: Path) -> None:
    """Markers and decisiveness are kept; what can't be read alone either is a failure."""
    items = own_file(tmp_path, 3)
    sentence_by_text = all_sentences(items)

    def broken(form: str, about: Mapping[str, str]) -> bool:
        return form == "consistency" and opinion("yn", about["sentence"], about["reply"]) == "n"

    def instead(form: str, about: Mapping[str, str]) -> str | None:
        if form != "sentence":
            return "Hard to say." if broken(form, about) else None
        sentence = sentence_by_text[about["sentence"]]
        count = len(re.findall(r"^\[\d+\]", about["replies"], re.MULTILINE))
        verdict = {
            "markers": sentence.listed or sentence.markers,
            "decisiveness": sentence.decisiveness,
        }
        return json.dumps({**verdict, "agreement": ["yes"] * (count - 1)})

    speaker, examiner = Speaker(items, 9, seed=8), Examiner(sentence_by_text, instead)
    run = run_places(tmp_path / "logs", speaker, examiner, draws=9, batch_judgments=True)
    check_judgments(run.frame, expected_rows(speaker, broken))
    assert (run.frame["failed"] > 0).any()
    extra_calls = judge_calls(speaker) - judge_calls(speaker, batch=True)
    # A sentence's own prompt stands for the two of markers and decisiveness.
    extra_calls -= sentence_count(speaker)
    assert len(run.judge_requests) == judge_calls(speaker, batch=True) + extra_calls
    assert hedged_scores(run.log)["asked_again"].sum() == extra_calls


@pytest.mark.parametrize("batch", [False, True])
def test_an_extractor_lists_the_markers_instead_of_the_grader(tmp_path: Path, batch: bool) -> None:
    """It has one call a sentence and no other, and what the grader lists in a batch is not used."""
    items = own_file(tmp_path, 4)
    sentence_by_text = all_sentences(items)
    nothing = {
        name: replace(line, markers=(), listed=()) for name, line in sentence_by_text.items()
    }
    speaker, grader = Speaker(items, 3), Examiner(nothing)
    lister = Examiner(sentence_by_text)
    with (
        ProviderServer(speaker) as speaker_server,
        ProviderServer(grader) as grader_server,
        ProviderServer(lister) as lister_server,
    ):
        roles = {"grader": connected(grader_server, GOOGLE), "extractor": connected(lister_server)}
        task = hedge_markers("places.csv", split="all", draws=3, batch_judgments=batch)
        log = run_task(task, speaker_server, tmp_path / "logs", model_roles=roles)
    assert log.status == "success"
    assert not speaker_server.errors + grader_server.errors + lister_server.errors
    lines = sentence_count(speaker)
    assert asked_forms(lister) == ["markers"] * lines
    assert "markers" not in asked_forms(grader)
    assert len(grader.asked) == judge_calls(speaker, batch) - (0 if batch else lines)
    frame = read_judgments(tmp_path / "logs")["hedge_markers"]
    check_judgments(frame, expected_rows(speaker))
    suffix = " in one call" if batch else ""
    assert set(frame["judge"]) == {f"{GOOGLE}{suffix} markers by {OPENAI}"}


@pytest.mark.parametrize("batch", [False, True])
def test_draws_that_claim_the_same_are_judged_once(tmp_path: Path, batch: bool) -> None:
    """Two of four say Fyn, more and less surely; by a prompt of the user's each text is judged."""
    items = own_file(tmp_path, 1)
    main = Main((Sentence("It is probably Fyn.", ("probably",), 0.7),))
    draw_texts = (
        "It is perhaps Fyn.",
        "It is certainly Fyn.",
        "It is unlikely to be Fyn.",
        "It is Ely.",
    )
    speaker = Speaker(
        items, 30, mains={items[0].id: main}, pool={items[0].id: [*map(Draw, draw_texts)]}
    )
    claims = []
    wordings: dict[str, dict[str, Any]] = {"ours": {}, "mine": {"judge_prompts": "mine.json"}}
    for name, more in wordings.items():
        examiner = Examiner(all_sentences(items))
        own_prompts = entries_of(TEMPLATES, ("sentence", "consistency"))
        (tmp_path / "mine.json").write_text(json.dumps(own_prompts))
        run = run_places(
            tmp_path / name, speaker, examiner, draws=30, batch_judgments=batch, **more
        )
        compared = asked_about(examiner, "consistency") + asked_about(examiner, "sentence")
        lines: list[str] = []
        for about in compared:
            lines += about.get("reply", about.get("replies", "")).splitlines()
        claims.append(len(lines))
        (row,) = run.frame.to_dict("records")
        assert row["failed"] == 0
        assert row["consistent"] + row["undecided"] + row["inconsistent"] == 30
    assert claims == [3, 4]


@pytest.mark.slow
def test_200_sentences_lose_nothing(tmp_path: Path) -> None:
    """Neither to the log's limits nor to the reader of logs' summaries."""
    items = own_file(tmp_path, 2)
    hedges = [("probably", 0.7), ("perhaps", 0.5), ("certainly", 0.95), ("", 1.0)]
    sentences_said = []
    for k in range(200):
        word, decided = hedges[k % 4]
        filler = "by the old mill and the bridge that nobody has crossed since the flood"
        text = f"It is {f'{word} ' if word else ''}spring no. {k} of the hill, {filler}."
        sentences_said.append(Sentence(text, (word,) if word else (), decided))
    speaker = Speaker(items, 8, mains={items[0].id: Main(tuple(sentences_said))})
    sentence_by_text = all_sentences(items)
    sentence_by_text.update(zip(texts_of(sentences_said), sentences_said, strict=True))
    examiner = Examiner(sentence_by_text)
    run = run_places(tmp_path / "logs", speaker, examiner, draws=8, batch_judgments=True)
    assert len(run.judge_requests) == judge_calls(speaker, batch=True) > 201
    item_rows = run.frame[run.frame["item"] == items[0].id]
    assert item_rows["text"].tolist() == texts_of(sentences_said)
    assert item_rows["sentence"].tolist() == list(range(1, 201))
    check(run, expected_rows(speaker))


# What a judge is given, and what it lists too much


FIELDS = {
    "markers": {"markers"},
    "decisiveness": {"decisiveness"},
    "consistency": {"agreement"},
    "correctness": {"verdict"},
    "sentence": {"markers", "decisiveness", "agreement"},
}


class Plain(ProviderServer):
    """A provider that refuses a schema, as some of a provider's models do."""

    refused = 0

    def respond(self, path: str, raw: bytes) -> tuple[int, str]:
        """HTTP 400, or what it would say without a schema."""
        config = json.loads(raw).get("generationConfig", {})
        if "responseMimeType" not in config:
            return super().respond(path, raw)
        self.refused += 1
        message = "JSON mode is not enabled for this model"
        return 400, json.dumps({"error": {"code": 400, "message": message, "status": "INVALID"}})


@pytest.mark.parametrize("batch", [False, True])
def test_a_judge_is_given_the_form_of_its_reply(tmp_path: Path, batch: bool) -> None:
    """The provider is given a schema with exactly the fields that are read."""
    items = own_file(tmp_path, 3)
    speaker, examiner = Speaker(items, 3), Examiner(all_sentences(items))
    run = run_places(tmp_path / "logs", speaker, examiner, draws=3, batch_judgments=batch)
    assert len(run.judge_requests) == len(examiner.asked)
    for request, form in zip(run.judge_requests, asked_forms(examiner), strict=True):
        schema = request.body["generationConfig"]["responseJsonSchema"]
        assert set(schema["required"]) == set(schema["properties"]) == FIELDS[form]


def test_a_judge_that_takes_no_schema_is_asked_without(tmp_path: Path) -> None:
    """Each judgment is made once, and no other error is taken for this one."""
    items = own_file(tmp_path, 3)
    speaker, examiner = Speaker(items, 3), Examiner(all_sentences(items))
    with ProviderServer(speaker) as speaker_server, Plain(examiner) as judge_server:
        task = hedge_markers("places.csv", split="all", draws=3, batch_judgments=False)
        log = run_task(
            task,
            speaker_server,
            tmp_path / "logs",
            model_roles={"grader": connected(judge_server, GOOGLE)},
        )
    assert (log.status, judge_server.errors) == ("success", [])
    assert judge_server.refused == len(judge_server.requests) == judge_calls(speaker, batch=False)
    frame = read_judgments(tmp_path / "logs")["hedge_markers"]
    check_judgments(frame, expected_rows(speaker))


@pytest.mark.parametrize("batch", [False, True])
def test_markers_that_a_sentence_has_not_are_left_out_and_counted(
    tmp_path: Path, batch: bool
) -> None:
    """The others stand, and the results say how many were left out."""
    items = own_file(tmp_path, 4)
    sentence_by_text = all_sentences(items)

    def instead(form: str, about: Mapping[str, str]) -> str | None:
        if form not in ("markers", "sentence") or not sentence_by_text[about["sentence"]].markers:
            return None
        sentence = sentence_by_text[about["sentence"]]
        count = len(re.findall(r"^\[\d+\]", about.get("replies", ""), re.MULTILINE))
        more = (
            {"decisiveness": sentence.decisiveness, "agreement": ["yes"] * count} if count else {}
        )
        return json.dumps(
            {"markers": [*sentence.markers, "as likely as not", "I dare say"], **more}
        )

    speaker = Speaker(items, 3, seed=2)
    run = run_places(
        tmp_path / "logs",
        speaker,
        Examiner(sentence_by_text, instead),
        draws=3,
        batch_judgments=batch,
    )
    frame = run.frame.drop_duplicates(["item", "sentence"]).dropna(subset="sentence")
    hedged = frame["n_markers"] > 0
    assert hedged.any()
    assert (frame["foreign"] == 2 * hedged).all()
    marker_counts = frame["text"].map(lambda text: len(sentence_by_text[text].markers))
    assert (frame["n_markers"] == marker_counts).all()
    results = summarize(tmp_path / "logs", resamples=10)
    per_split = results[results["metric"] == "hedges_per_sentence"]
    noted_counts = per_split["note"].str.extract(r"^(\d+)", expand=False).astype(int)
    assert noted_counts.sum() == 2 * hedged.sum()
    assert per_split["note"].str.contains("listed markers that aren't in their sentence").all()


# The study's own prompts


@pytest.mark.slow
def test_the_studys_prompts_and_formats(tmp_path: Path, published: Path) -> None:
    """Of both models, through OpenAI's package: two epochs, and replies that can't be read."""
    texts = study_judge.constants(published)
    items = own_file(tmp_path, 6, datasets=1)
    sentence_by_text = {
        **all_sentences(items),
        "I know this for a fact.": Sentence(
            "I know this for a fact.", ("i know for a fact",), 0.95, ("I know for a fact",)
        ),
    }
    mains = {
        items[0].id: Main(
            (sentence_by_text["I know this for a fact."], sentence_by_text["It lies in Fyn."])
        )
    }
    pool = {items[1].id: [Draw("Possibly Fyn.\nOr Ely."), Draw(" Possibly Lund. "), Draw("")]}

    def broken(form: str, about: Mapping[str, str]) -> bool:
        texts = [about[name] for name in ("sentence", "reply") if name in about]
        return opinion("yyyyn", "broken", form, *texts) == "n"

    def instead(form: str, about: Mapping[str, str]) -> str | None:
        unread = ["", "Hard to say.", "Yes or No, True or False; 0.2 or 0.8?"]
        return opinion(unread, *about.values()) if broken(form, about) else None

    speaker = Speaker(items, 6, seed=5, mains=mains, pool=pool)
    examiner = study_judge.StudyExaminer(sentence_by_text, study_judge.prompts_of(texts), instead)
    with ProviderServer(speaker) as speaker_server, ProviderServer(examiner) as judge_server:
        task = hedge_markers(
            "places.csv",
            split="all",
            draws=6,
            prompts="study",
            system="metacognitive",
            judge_prompts="study",
        )
        roles = {"grader": connected(judge_server, OPENAI)}
        more: dict[str, Any] = {"model_roles": roles, "epochs": 2, "max_samples": 1}
        log = run_task(task, speaker_server, tmp_path / "logs", **more)
    assert (log.status, speaker_server.errors, judge_server.errors) == ("success", [], [])
    prompts = {f"{item.question}\nAnswer:" for item in items}
    for request in requests_to(speaker_server):
        assert request.prompt in prompts
        assert request.system == texts["SYSTEM_PROMPT_2"]
        assert request.body["temperature"] == 1
        assert request.body["stop"] == ["Question:"]
    assert len(judge_server.requests) == judge_calls(speaker)
    for request, form in zip(requests_to(judge_server), asked_forms(examiner), strict=True):
        assert request.body.get("stop") == (["Answer:"] if form == "markers" else None)
    answer_lists = pd.DataFrame(asked_about(examiner, "correctness"))["answers"]
    assert set(answer_lists) == set(map(str, map(list, attributes_of(items, "answers"))))
    rows = expected_rows(speaker, broken, study=True)
    frame = read_judgments(tmp_path / "logs")["hedge_markers"]
    check_judgments(frame, rows)
    assert log_metrics(log) == pytest.approx(metrics_of(rows), abs=1e-12, nan_ok=True)
    for column in ("n_markers", "decisiveness", "correct"):
        assert 0 < frame[column].isna().sum() < len(frame), column
    assert (frame["failed"] > 0).any()
    assert set(frame["judge"]) == {f"{OPENAI} study"}
    assert (log.eval.metadata or {})["judge_prompts"] == "study"
    results = summarize(tmp_path / "logs", resamples=10)
    estimates = values(results)
    assert results.loc[results["metric"] == "punt_rate", "note"].str.contains("tells no punt").all()
    for split in ("train", "test"):
        split_rows = rows_with(rows, split=split)
        for metric, value in metrics_of(split_rows).items():
            condition_metric = (f"judge={OPENAI} study;split={split}", metric)
            assert estimates[condition_metric] == pytest.approx(value, nan_ok=True), (
                condition_metric
            )


# Rules


def test_judging_again_by_rules_asks_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judgments change, the draws and calls don't."""
    monkeypatch.setenv("OPENAI_API_KEY", "test")  # Inspect opens the log's models, asked or not
    monkeypatch.setenv("GOOGLE_API_KEY", "test")
    items = own_file(tmp_path, 2)
    first_said = Sentence("It rises in Fyn.", (), 0.9)
    second_said = Sentence("It is probably Aby 1.", ("is",), 0.2)
    mains = {items[0].id: Main((first_said,)), items[1].id: Main((second_said,))}
    pools = {items[0].id: [Draw("It rises in Lund.")], items[1].id: [Draw("Perhaps Aby 1.")]}
    sentence_by_text = {first_said.text: first_said, second_said.text: second_said}
    speaker = Speaker(items, 10, mains=mains, pool=pools)
    run = run_places(tmp_path / "logs", speaker, Examiner(sentence_by_text), draws=10)
    check_judgments(run.frame, expected_rows(speaker))
    # Both servers are gone.
    rescored = score(run.log, hedged(judge="rules"), action="overwrite", display="none")
    write_eval_log(rescored, run.log.location)
    rows = read_judgments(tmp_path / "logs")["hedge_markers"].set_index("item").T
    columns = ["marker", "consistent", "undecided", "inconsistent", "draws"]
    numbers = ["confidence", "correct", "punt"]
    # By eye: another place, and no hedge; the accepted place, and a hedge.
    first, second = rows[items[0].id], rows[items[1].id]
    assert first[columns].tolist() == ["<no_hedge>", 0, 0, 10, 10]
    assert first[[*numbers, "decisiveness"]].tolist() == [0, 0, 0, 1]
    assert second[columns].tolist() == ["probably", 10, 0, 0, 10]
    assert second[numbers].tolist() == [1, 1, 0]


def test_rules_from_the_start_need_no_grader(tmp_path: Path) -> None:
    """Only the model under test is called."""
    items = own_file(tmp_path, 3)
    speaker = Speaker(items, 5)
    run = run_places(tmp_path / "logs", speaker, speaker, judge="rules", draws=5)
    assert (len(run.speaker_requests), len(run.judge_requests)) == (3 * 2, 0)
    counted = {i.id: sum(attributes_of(draws, "counts")) for i, _, _, draws in speaker.replies()}
    frame = run.frame
    assert frame["draws"].tolist() == frame["item"].map(counted).tolist()
    outcomes = frame[["consistent", "undecided", "inconsistent"]]
    assert (outcomes.sum(axis=1) == frame["draws"]).all()
    assert (frame["failed"] == 0).all()


# The command line


@pytest.mark.slow
def test_judging_again_from_the_command_line(command: Command, tmp_path: Path) -> None:
    """With batched judgments; then by rules, as docs say: no call, other judgments."""
    # The judge's name and place come from the command line too.
    items = own_file(tmp_path)
    speaker, examiner = Speaker(items, seed=11), Examiner(all_sentences(items))
    logs = tmp_path / "logs"
    with ProviderServer(speaker) as speaker_server, ProviderServer(examiner) as judge_server:
        keys = {
            "OPENAI_API_KEY": "test",
            "GOOGLE_API_KEY": "test",
            "GOOGLE_BASE_URL": judge_server.url,
        }
        command(
            *("inspect", "eval", CHECKOUT / "tasks" / "hedge_markers.py@hedge_markers"),
            *("--model", OPENAI, "--model-base-url", speaker_server.url + "/v1"),
            *("--model-role", f"grader={GOOGLE}", "-T", "batch_judgments=true"),
            *("-T", "dataset=places.csv", "-T", "split=all", "-T", "draws=20"),
            *("--log-dir", logs, "--display", "plain", "--max-retries", 0),
            cwd=tmp_path,
            **keys,
        )
        calls = len(speaker_server.requests), len(judge_server.requests)
        assert calls == (len(items) * 2, judge_calls(speaker, batch=True))
        expected = expected_rows(speaker)
        check_judgments(read_judgments(logs)["hedge_markers"], expected)
        (log,) = list_eval_logs(str(logs))
        command(
            *("inspect", "score", log.name, "--scorer", "inspect_confidence/hedged"),
            *("-S", "judge=rules", "--action", "overwrite", "--overwrite", "--display", "plain"),
            **keys,
        )
        assert (len(speaker_server.requests), len(judge_server.requests)) == calls
        assert not speaker_server.errors + judge_server.errors
    frame = read_judgments(logs)["hedge_markers"]
    assert not (frame["failed"] > 0).any()
    columns = ["item", "text", "draws"]
    expected_frame = pd.DataFrame(expected)
    assert set(frame[columns].itertuples(index=False, name=None)) == set(
        expected_frame[columns].itertuples(index=False, name=None)
    )
    assert sorted(frame["confidence"]) != sorted(expected_frame["confidence"])


@pytest.mark.thorough
def test_the_bundled_sets(tmp_path: Path) -> None:
    """All 624 questions, both splits, K = 20: 1,248 calls and a judge that is asked in batches."""
    task = hedge_markers("bundled", split="all", batch_judgments=True)
    texts = (f"Maybe {number % 7}." for number in count())
    prompts: list[str] = []

    def speak(request: Request) -> list[Reply]:
        return reply_to_each_choice(request, texts)

    def judge(request: Request) -> Reply:
        prompts.append(request.prompt)
        count = len(re.findall(r"^\[\d+\] ", request.prompt, re.MULTILINE))
        verdict = {"markers": ["maybe"], "decisiveness": 0.5, "agreement": ["yes"] * count}
        return Reply(json.dumps({**verdict, "verdict": "correct"}))

    with ProviderServer(speak) as speaker_server, ProviderServer(judge) as judge_server:
        roles = {"grader": connected(judge_server, GOOGLE)}
        run_task(task, speaker_server, tmp_path, model_roles=roles, max_connections=50)
    assert not speaker_server.errors + judge_server.errors
    assert len(speaker_server.requests) == 2 * 624
    assert len(prompts) == 2 * 624
    frame = read_judgments(tmp_path)["hedge_markers"]
    assert len(frame) == 624
    combinations = product(("facts", "science", "commonsense"), ("train", "test"))
    assert frame.value_counts(["dataset", "split"]).to_dict() == dict.fromkeys(combinations, 104)
