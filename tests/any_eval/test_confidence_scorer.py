"""The scorer on logs that exist, and its metrics in the log, by way of asking."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, strategies
from inspect_ai import eval, score
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import (
    Metric,
    MetricProtocol,
    SampleScore,
    Score,
    Scorer,
    Target,
    f1,
    match,
    mean,
    scorer,
)
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

from any_eval.small import confidence_of, far_end, kinds, metrics_of, sums
from build import attributes_of, entries_of, requests_to
from inspect_confidence import (
    ask_confidence,
    confidence,
    read_judgments,
    summarize,
    with_confidence,
)
from inspect_confidence.datasets.wep_survey import median_of, phrases
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.scorers import log_metrics as logged
from inspect_confidence.scorers.confidence import texts_by_method
from provider_server import ProviderServer, Reply, Request
from refusals import refused
from runs import ANTHROPIC, OPENAI, connected, run_task, served

NAN = math.nan


def scored(log: EvalLog, server: ProviderServer, **asks: Any) -> tuple[EvalLog, dict[str, int]]:
    """The log with one score more, kept in a file and read again, and what was asked for it."""
    before = len(server.requests)
    options = {"action": "append", "display": "log", **asks.pop("how", {})}
    model = connected(server)
    model.config.max_retries = 0
    scored_log = score(log, confidence(**asks), model=model, **options)
    write_eval_log(scored_log, log.location)
    counts = kinds(requests_to(server)[before:])
    return read_eval_log(log.location), dict(counts)


def test_a_log_is_asked_once(tmp_path: Path) -> None:
    """Replies are kept, in the file too: later scores ask for what isn't known yet alone."""
    with ProviderServer(far_end()) as server:
        log = run_task(sums(), server, tmp_path, epochs=2)
        log, calls = scored(log, server, ways="words")
        assert calls == {"words": 4}
        log, calls = scored(log, server, ways="words,stated")
        assert calls == {"stated": 4}
        log, calls = scored(log, server, ways="words,stated")
        assert calls == {}
        # Overwriting takes the eval's own score away too, and what was kept with ours.
        over, calls = scored(log, server, ways="stated", how={"action": "overwrite"})
        assert calls == {"stated": 4}
    values, facts = confidence_of(log, "b", 2, "confidence2")
    middle = median_of(phrases()[0])
    expected = {"correct": 0, "words": middle, "words_ok": 1, "stated": 0.8, "stated_ok": 1}
    assert values == pytest.approx(expected)
    assert facts["words"]["phrase"] == phrases()[0]
    assert metrics_of(log)["mean_confidence"] == pytest.approx(middle)
    assert {str(entry.store) for entry in log.samples or []} == {"{}"}
    (sample, *_) = log.samples or []
    texts = texts_by_method(sample.store, sample.scores or {})
    assert texts == {"words": [f"A. {phrases()[0]}"], "stated": ["Confidence: 80"]}
    assert math.isnan(confidence_of(over)[0]["correct"])
    assert "the eval has no score" in str((over.samples or [])[0].scores)


@pytest.mark.parametrize("by_hand", [True, False])
def test_a_run_that_asked_is_not_asked_again(by_hand: bool, tmp_path: Path) -> None:
    """Its replies are in the samples' stores, which stay as they are."""
    with ProviderServer(far_end()) as server:
        if by_hand:
            steps = [generate(), ask_confidence("stated,consistency", draws=3)]
            log = run_task(sums(solver=steps), server, tmp_path)
        else:
            log = run_task(with_confidence(sums(), "stated,consistency", draws=3), server, tmp_path)
        stores = attributes_of(log.samples or [], "store")
        scored_log, calls = scored(log, server, ways="stated,consistency")
        read, none = scored(scored_log, server)
    assert (calls, none) == ({}, {})
    assert attributes_of(scored_log.samples or [], "store") == stores
    expected = {"correct": 1, "stated": 0.8, "stated_ok": 1, "consistency": 1, "consistency_ok": 1}
    assert confidence_of(scored_log, name="confidence" if by_hand else "confidence1")[0] == expected
    assert confidence_of(read, name="confidence1" if by_hand else "confidence2")[0] == expected


def test_what_failed_is_asked_again(tmp_path: Path) -> None:
    """A provider that was down is no reply; a reply that can't be read is one."""
    up = False

    def state(request: Request) -> Reply:
        if not up and "1 + 1" in str(request.body):
            raise ConnectionError("down")
        return Reply("Confidence: 0" if up else "Who knows?")

    with ProviderServer(far_end(stated=state)) as server:
        log = run_task(sums(), server, tmp_path)
        log, _ = scored(log, server, ways="stated")
        up = True
        log, calls = scored(log, server, ways="stated")
    assert calls == {"stated": 1}
    first = [(confidence_of(log, item)[1]["stated"]["status"]) for item in "ab"]
    assert first == ["sample_error", "invalid_response_format"]
    assert [confidence_of(log, item)[0]["stated_ok"] for item in "ab"] == pytest.approx(
        [NAN, 0], nan_ok=True
    )
    judgments = [confidence_of(log, item, name="confidence1") for item in "ab"]
    assert judgments[0][0] == {"correct": 1, "stated": 0, "stated_ok": 1}
    assert judgments[1][1]["stated"]["status"] == "invalid_response_format"
    assert metrics_of(log, "confidence1")["format_failure_rate"] == 0.5


def test_a_log_is_asked_with_the_settings_of_its_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its model and temperature, where no other is named."""
    with ProviderServer(far_end()) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        task = sums(config=GenerateConfig(temperature=0.3))
        (log,) = eval(task, f"{OPENAI}-settings", log_dir=str(tmp_path), display="none")
        log = score(log, confidence("consistency"), action="append", display="none")
    bodies = pd.DataFrame(attributes_of(requests_to(server), "body")).dropna(subset=["n"])
    assert bodies["n"].tolist() == [5, 5]
    assert set(bodies["temperature"]) == {0.3}
    assert confidence_of(log)[1]["consistency"]["by"] == "text"


def test_a_log_of_a_provider_without_log_probabilities(tmp_path: Path) -> None:
    """It is refused before any call; where the log has none, the score says so."""
    with ProviderServer(far_end()) as server:
        log = run_task(sums(), server, tmp_path)
        claude = connected(server, ANTHROPIC)
        before = len(server.requests)
        ask = confidence("p_true")
        message = refused(score, log, ask, model=claude, action="append", display="none")
        assert "claude-haiku-4-5 gives no log probabilities" in message
        assert len(server.requests) == before
        log, calls = scored(log, server, ways="logprob")
    assert calls == {}
    values, facts = confidence_of(log)
    assert math.isnan(values["logprob"])
    assert facts["logprob"] == {
        "status": "scoring_failed",
        "detail": "the provider gave no log probabilities",
    }


def test_what_is_correct_is_by_the_score_that_is_named(tmp_path: Path) -> None:
    """Of several without a name none, with the names to choose from; a fraction stays one."""
    task = sums(scorer=[match(numeric=True), f1()], solver=[generate(), ask_confidence()])
    with ProviderServer(far_end(own=Reply("It is 2"))) as server:
        log = run_task(task, server, tmp_path)
        log, _ = scored(log, server)
        log, _ = scored(log, server, score="f1")
        log, _ = scored(log, server, score="f2")
    assert math.isnan(confidence_of(log)[0]["correct"])
    explanations = [(log.samples or [])[0].scores[f"confidence{n}"].explanation for n in ("", 1, 2)]  # type: ignore[index]
    assert "has the scores match, f1: name one of them by score=" in str(explanations[0])
    assert "has no score f2; it has match, f1" in str(explanations[2])
    # One word of three is right, and it is all of the answer; Inspect rounds to two digits.
    assert confidence_of(log, name="confidence1")[0]["correct"] == 0.5
    assert metrics_of(log, "confidence1")["overconfidence"] == pytest.approx(0.8 - (0.5 + 0) / 2)


def test_a_scorer_that_nobody_asked_for(tmp_path: Path) -> None:
    """Correctness alone, and how to come to more; no metric of confidence is a number."""
    log, requests = served(sums(scorer=[match(), confidence()]), tmp_path, far_end())
    assert kinds(requests).keys() == {""}
    assert confidence_of(log)[0] == {"correct": 1}
    assert "put ask_confidence among the solvers" in str((log.samples or [])[0].scores)
    numbers = metrics_of(log)
    assert numbers.pop("accuracy") == 0.5
    assert np.isnan(list(numbers.values())).all()


@solver
def gives_up() -> Solver:
    """Ends a sample early, as a limit does, in its first epoch."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.completed = state.sample_id == "b" and state.epoch == 1
        return state

    return solve


@pytest.mark.parametrize("ways", ["stated", "stated,words"])
def test_a_sample_that_ended_before_it_was_asked(ways: str, tmp_path: Path) -> None:
    """It counts for accuracy alone, whatever the others were asked; no eval is lost by it."""
    steps = [generate(), gives_up(), ask_confidence(ways)]
    task = sums(solver=steps, scorer=[match(), confidence()])
    log, _ = served(task, tmp_path, far_end(), epochs=2)
    assert confidence_of(log, "b", 1)[0] == {"correct": 0}
    assert confidence_of(log, "b", 2)[0]["stated"] == 0.8
    end = "" if ways == "stated" else "_stated"
    numbers = metrics_of(log)
    assert numbers["accuracy"] == 0.5
    assert numbers[f"mean_confidence{end}"] == pytest.approx(0.8)
    # Two right answers and one wrong one were asked about.
    assert numbers[f"overconfidence{end}"] == pytest.approx(0.8 - 2 / 3)
    assert numbers[f"format_failure_rate{end}"] == 0


@scorer(metrics=[mean()], name="confidence")
def foreign_scorer() -> Scorer:
    """A number and facts of somebody else's, under our name."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=0.4, metadata={"replies": ["quite"]})

    return score


def test_a_score_of_our_name_that_is_not_ours(tmp_path: Path) -> None:
    """It is no correctness, and holds no replies of ours."""
    with ProviderServer(far_end()) as server:
        log = run_task(sums(scorer=[match(), foreign_scorer()]), server, tmp_path)
        log, calls = scored(log, server, ways="stated")
    assert calls == {"stated": 2}
    assert confidence_of(log, name="confidence1")[0] == {
        "correct": 1,
        "stated": 0.8,
        "stated_ok": 1,
    }
    assert metrics_of(log) == {"mean": 0.4}


def test_arguments_of_the_scorer_and_the_solver() -> None:
    """One line each, when they are made."""
    for make in (confidence, ask_confidence):
        assert "Did you mean 'stated'?" in refused(make, "sated")
        assert "is not one scale" in refused(make, "stated", "0-5,0-10")
        assert "draws=-1 is below 1" in refused(make, "stated", "0-5", -1)
    assert "agreement=scorer needs equality" in refused(confidence, agreement="scorer")
    assert "agreement=model is not known" in refused(confidence, agreement="model")


outcomes = strategies.one_of(
    strategies.sampled_from([0.0, 1.0, NAN]), strategies.integers(1, 9).map(lambda k: k / 10)
)
replies = strategies.one_of(
    strategies.integers(0, 100).map(lambda percent: (percent / 100, 1.0)),
    strategies.just((NAN, 0.0)),  # unreadable
    strategies.just((NAN, 1.0)),  # out of range
    strategies.just((NAN, NAN)),  # no reply
)
samples = strategies.lists(strategies.tuples(outcomes, replies, replies), min_size=1, max_size=12)


def by_hand(
    outcome: np.ndarray[Any, Any], sure: np.ndarray[Any, Any], ok: np.ndarray[Any, Any]
) -> dict[str, float]:
    """Each metric of one way by its definition, over the samples that have what it needs."""
    complete = ~np.isnan(outcome) & ~np.isnan(sure)
    y, c = outcome[complete], sure[complete]
    bins = np.minimum(np.floor(c * 10 + 1e-9), 9)
    sums = pd.Series(c - y).groupby(bins).sum().abs()
    # A fraction p is p right answers and 1 - p wrong ones.
    won = (c[:, None] > c) + (c[:, None] == c) / 2
    pairs = y[:, None] * (1 - y)

    def over(top: float, whole: float) -> float:
        return top / whole if whole > 1e-12 else NAN

    def mean(values: np.ndarray[Any, Any]) -> float:
        numbers = values[~np.isnan(values)]
        return over(float(numbers.sum()), len(numbers))

    return {
        "overconfidence": mean(c - y),
        "mean_confidence": mean(c),
        "format_failure_rate": 1 - mean(ok),
        "ece": over(sums.sum(), len(c)),
        "auroc": over(float((won * pairs).sum()), float(pairs.sum())),
    }


SURE = [(1.0, (0.95, 1.0), (0.95, 1.0)), (0.0, (1.0, 1.0), (1.0, 1.0))]
"""Certainty shares a bin with 0.95, in which they are off by |0.975 - 0.5|."""


@pytest.mark.slow
@example(SURE, SURE)
@given(samples, samples)
def test_metrics_by_way_are_those_of_each_way(
    first: list[tuple[float, tuple[float, float], tuple[float, float]]],
    second: list[tuple[float, tuple[float, float], tuple[float, float]]],
) -> None:
    """At two epochs, with what can't be read, by numpy; with one way only, under the plain name."""
    rows = pd.DataFrame([*first, *second], columns=["correct", "alone", "stated"])
    outcome = rows["correct"].to_numpy(float)
    values = pd.DataFrame({"correct": outcome})
    by_definition = {}
    for way in ("stated", "alone"):
        table = np.array(rows[way].tolist(), float)
        values[[way, f"{way}_ok"]] = table
        by_definition[way] = by_hand(outcome, *table.T)
    items = [*range(len(first)), *range(len(second))]
    for name in by_definition["stated"]:
        metric = getattr(logged, name)()
        expected = {f"{name}_{way}": numbers[name] for way, numbers in by_definition.items()}
        computed = measured(metric, sample_scores(values, items))
        assert computed == pytest.approx(expected, nan_ok=True, abs=1e-9), name
        plain_scores = sample_scores(values.drop(columns=["alone", "alone_ok"]), items)
        expected = {name: by_definition["stated"][name]}
        assert measured(metric, plain_scores) == pytest.approx(expected, nan_ok=True, abs=1e-9)
    scores = sample_scores(values, items)
    graded = outcome[~np.isnan(outcome)]
    accuracy = graded.mean() if len(graded) else NAN
    computed = measured(logged.accuracy(), scores)
    assert computed == pytest.approx({"accuracy": accuracy}, nan_ok=True)


def sample_scores(values: pd.DataFrame, items: Iterable[int]) -> list[SampleScore]:
    """Rows of values as scores of samples with these ids."""
    scores = []
    for row, item in zip(values.to_dict("records"), items, strict=True):
        scores.append(SampleScore(score=Score(value=cast(Any, row)), sample_id=item))
    return scores


def measured(metric: Metric, scores: list[SampleScore]) -> Any:
    """What a metric makes of scores."""
    return cast(MetricProtocol, metric)(scores)


@scorer(metrics=[mean()])
def three_way() -> Scorer:
    """Right, wrong, or not attempted, as the sample's target says."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=target.text, answer=state.output.completion)

    return score


def test_the_logs_metrics_are_the_studys_with_declined_answers(tmp_path: Path) -> None:
    """A declined answer's confidence, or its lack of one, counts in no number but violations."""
    states = {"C0": "90", "C1": "It depends.", "C2": "150", "I0": "50", "I1": "70"}
    states |= {"N0": "10", "N1": "No.", "N2": "500"}
    samples = [Sample(f"{item}?", target=item[0], id=item) for item in states]

    def stated(request: Request) -> Reply:
        text = str(request.body["messages"])
        return Reply(next(reply for item, reply in states.items() if f"{item}?" in text))

    task = sums(dataset=samples, scorer=three_way())
    log, _ = served(with_confidence(task, "stated"), tmp_path, far_end(stated=stated))
    results = summarize(read_judgments(tmp_path), resamples=20)
    calibration = ("mean_confidence", "overconfidence", "accuracy", "ece", "auroc")
    names = (*calibration, "format_failure_rate", "violation_rate")
    numbers = entries_of(metrics_of(log), names)
    plain = results[results["condition"] == "method=stated;scale=0-100"].set_index("metric")
    assert numbers == pytest.approx(plain["value"][list(names)].to_dict())
    # (.9 + .5 + .7) / 3; one of eight replies could not be read, and of six numbers two are above
    # 100.
    assert numbers["mean_confidence"] == pytest.approx(0.7)
    assert numbers["format_failure_rate"] == pytest.approx(1 / 8)
    assert numbers["violation_rate"] == pytest.approx(2 / 6)


def test_only_methods_on_a_scale_have_violations(tmp_path: Path) -> None:
    """`stated` is far outside, `alone` at the end of its scale; `p_true` has no scale."""
    far = far_end(stated=Reply("150"), alone=Reply("100"))
    log, _ = served(with_confidence(sums(), "stated,alone,p_true"), tmp_path, far)
    rates = {key: rate for key, rate in metrics_of(log).items() if key.startswith("violation")}
    assert rates == {"violation_rate_alone": 0, "violation_rate_stated": 1}


@pytest.mark.parametrize("epochs", [1, 2])
@pytest.mark.parametrize("is_own_task", [True, False])
def test_replies_whose_scores_were_overwritten_can_be_scored_again(
    epochs: int, is_own_task: bool, tmp_path: Path
) -> None:
    """Another scorer overwrites the confidence; the store still has the replies."""
    solvers = [generate(), ask_confidence()]
    scorers = [match(numeric=True), confidence()]
    own_task = sums(solver=solvers, scorer=scorers)
    task = own_task if is_own_task else with_confidence(sums(), "stated")
    columns = ["item", "epoch", "method", "status", "confidence", "correct"]
    advice = "--scorer inspect_confidence/confidence` reads them"
    with ProviderServer(far_end()) as server:
        log = run_task(task, server, tmp_path, epochs=epochs)
        before = read_judgments(tmp_path)["any_eval"]
        options: dict[str, Any] = {"model": connected(server), "display": "none"}
        log = score(log, match(numeric=True), action="overwrite", **options)
        write_eval_log(log, log.location)
        if epochs == 1:
            with pytest.raises(InvalidArgument, match=advice):
                read_judgments(tmp_path)
        else:  # agreement of epochs is a confidence without any request
            assert advice in " ".join(read_judgments(tmp_path).notices)
        n_requests = len(server.requests)
        log = score(log, confidence(), action="append", **options)
        assert len(server.requests) == n_requests
    write_eval_log(log, log.location)
    after = read_judgments(tmp_path)["any_eval"]
    pd.testing.assert_frame_equal(after[columns], before[columns])


def test_a_log_without_kept_replies_is_not_sent_to_the_scorer(tmp_path: Path) -> None:
    """The eval was never wrapped: the notice names the ways to a confidence."""
    served(sums(), tmp_path, far_end())
    with pytest.raises(InvalidArgument, match="wrap the eval in with_confidence"):
        read_judgments(tmp_path)
