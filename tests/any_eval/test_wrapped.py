"""Other people's evals with confidence: what is theirs stays, and confidence is what was meant."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from inspect_ai.log import EvalLog, EvalSample

from any_eval import evals
from any_eval.answerer import BET_FROM, KEPT_FROM, UNREADABLE_ITEM, Answerer, percent
from any_eval.evals import CASES, GSM8K, ZEROBENCH, EvalCase, run
from build import prefixed
from inspect_confidence import with_confidence
from inspect_confidence.datasets.wep_survey import surveyed_counts
from inspect_confidence.scorers.parsed import exact_value
from provider_server import ProviderServer

TWICE = (GSM8K, evals.SIMPLEQA_ORIGINAL, evals.INTERCODE)
"""Evals of one epoch that are run at two."""
ALIKE = (evals.SQUAD, evals.AIME, evals.AGIE, evals.SIMPLEQA, evals.XSTEST, evals.LITQA)
"""Evals whose answers and scorers are like those of others."""

IDS = {"id", "uuid", "message_id", "completed", "started_at", "time", "timestamp"}


def eval_content(log: EvalLog) -> str:
    """All that the eval itself says in a log, without ids and times."""
    samples = []
    for sample in sorted(log.samples or [], key=lambda record: (str(record.id), record.epoch)):
        content = {
            "sample": (sample.id, sample.epoch),
            "scores": {k: v for k, v in (sample.scores or {}).items() if k != "confidence"},
            "output": sample.output,
            "messages": sample.messages,
            "error": sample.error and sample.error.message,
        }
        samples.append(content)
    scores = log.results.scores if log.results else []
    results = [score for score in scores if not is_confidence(score.scorer)]
    reductions = [entry for entry in log.reductions or [] if entry.scorer != "confidence"]
    whole = {"samples": samples, "results": results, "reductions": reductions}
    # Ports and addresses of objects are a run's own.
    return re.sub(r"127\.0\.0\.1:\d+|0x[0-9a-f]+", "", json.dumps(_plain(whole), indent=1))


def is_confidence(scorer: str) -> bool:
    """Whether a score is the wrapper's."""
    return scorer.rpartition("/")[2] == "confidence"


def _plain(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        value = value.model_dump()
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items() if key not in IDS}
    return list(map(_plain, value)) if isinstance(value, list | tuple) else value


def run_plain_and_wrapped(
    case: EvalCase,
    folder: Path,
    patch: pytest.MonkeyPatch,
    make_answerer: Callable[[], Answerer] | None = None,
    ways: str = "stated,p_true",
    settings: dict[str, Any] | None = None,
    **options: Any,
) -> tuple[EvalLog, EvalLog, Answerer, Answerer]:
    """The logs of the eval as it is and wrapped, and their far ends."""
    arguments = {"ways": ways, "score": case.score or None, **(settings or {})}

    logs, fars = [], []
    for number, wrap in enumerate((None, lambda task: with_confidence(task, **arguments))):
        fars.append(make_answerer() if make_answerer else Answerer(case))
        with ProviderServer(fars[-1]) as server, patch.context() as context:
            logs.append(run(case, server, folder / str(number), context, wrap, **options))
        assert make_answerer or not server.errors
        assert logs[-1].status == "success", logs[-1].error
    return logs[0], logs[1], fars[0], fars[1]


def confidence_of(sample: EvalSample) -> tuple[dict[str, float], dict[str, Any]]:
    """The values of confidence, and the facts beside them."""
    score = (sample.scores or {})["confidence"]
    return exact_value(score.value, score.metadata), score.metadata or {}


def check_confidence(case: EvalCase, log: EvalLog, ways: dict[str, tuple[int, int]]) -> None:
    """Each sample's value and status are what was meant, on a way's scale."""
    for sample in log.samples or []:
        if sample.error:
            continue
        item = case.item_of(sample)
        values, facts = confidence_of(sample)
        sure = percent(case, case.items.index(item), sample.output.completion)
        right = case.right(item, sample.epoch)
        assert values["correct"] == pytest.approx(right, abs=0, nan_ok=True), item.fragments
        for way, (low, high) in ways.items():
            status, confidence = facts[way]["status"], values[way]
            if way == "p_true" and case is ZEROBENCH:  # its pictures can't be shown as text
                assert (math.isnan(confidence), status) == (True, "scoring_failed")
            elif sure is None:
                assert math.isnan(confidence), (way, confidence)
                assert status != "ok"
                assert way == "p_true" or status == "invalid_response_format"
            else:
                span = high - low
                expected = round(sure * span / 100) / span if way != "p_true" else sure / 100
                assert status == "ok", (way, item.fragments, facts[way])
                assert confidence == pytest.approx(expected, abs=1e-9), item.fragments


@pytest.mark.parametrize(
    ("case", "epochs"),
    [
        *(
            pytest.param(case, None, marks=pytest.mark.slow if case in ALIKE else ())
            for case in CASES
        ),
        (TWICE[0], 2),
        *(pytest.param(c, 2, marks=pytest.mark.slow) for c in TWICE[1:]),
    ],
    ids=str,
)
def test_the_eval_stays_as_it_is_and_confidence_is_what_was_meant(
    case: EvalCase, epochs: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores, metrics, output and messages to the letter; 0 is 0; unread is no number."""
    plain, wrapped, before, after = run_plain_and_wrapped(
        case, tmp_path, monkeypatch, epochs=epochs
    )
    assert eval_content(wrapped) == eval_content(plain)
    assert len(wrapped.samples or []) == len(case.items) * (epochs or case.epochs)
    check_confidence(case, wrapped, {"stated": (0, 100), "p_true": (0, 100)})
    assert (after.asked[""], after.asked["aside"]) == (before.asked[""], before.asked["aside"])
    calls = len(wrapped.samples or [])
    assert after.asked["stated"] == calls
    assert after.asked["p_true"] == (0 if case is ZEROBENCH else calls)


def test_the_items_mean_all_that_matters() -> None:
    """Nothing at all, certainty, an unreadable reply and something between are among them."""
    means = [percent(GSM8K, number, "") for number in range(4)]
    assert means[0] == 0
    assert 0 < (means[1] or 0) < 100
    assert means[UNREADABLE_ITEM] is None
    assert means[3] == 100


def test_a_sample_that_errors_has_no_confidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are as they were, in the eval's scores and in confidence."""
    plain, wrapped, *_ = run_plain_and_wrapped(
        GSM8K,
        tmp_path,
        monkeypatch,
        make_answerer=lambda: Answerer(GSM8K, fails=1),
        fail_on_error=False,
    )
    assert eval_content(wrapped) == eval_content(plain)
    failed = [sample for sample in wrapped.samples or [] if sample.error]
    assert list(map(GSM8K.item_of, failed)) == [GSM8K.items[1]]
    assert "confidence" not in (failed[0].scores or {})
    check_confidence(GSM8K, wrapped, {"stated": (0, 100), "p_true": (0, 100)})


def test_a_failed_question_about_confidence_costs_the_eval_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its way says why it has no number; the sample stands, and so does the other way."""
    plain, wrapped, *_ = run_plain_and_wrapped(
        GSM8K, tmp_path, monkeypatch, make_answerer=lambda: Answerer(GSM8K, 1, "stated")
    )
    assert eval_content(wrapped) == eval_content(plain)
    check_confidence(GSM8K, wrapped, {"p_true": (0, 100)})
    for sample in wrapped.samples or []:
        values, facts = confidence_of(sample)
        failed = GSM8K.item_of(sample) is GSM8K.items[1]
        assert (facts["stated"]["status"] == "sample_error") == failed
        assert math.isnan(values["stated"]) or not failed


@pytest.mark.parametrize("case", [GSM8K, evals.GPQA, evals.BOOLQ, evals.SIMPLEQA_ORIGINAL], ids=str)
def test_decisions_leave_the_eval_as_it_is(
    case: EvalCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer is kept, or bet on, from a certainty on; who stands by it has the grade it had."""
    plain, wrapped, before, after = run_plain_and_wrapped(
        case, tmp_path, monkeypatch, ways="decline,keep,pushback", epochs=1
    )
    assert eval_content(wrapped) == eval_content(plain)
    for sample in wrapped.samples or []:
        item = case.item_of(sample)
        sure = percent(case, case.items.index(item), sample.output.completion)
        values, facts = confidence_of(sample)
        expected = [math.nan] * 3
        if sure is not None:
            expected = [float(sure < KEPT_FROM), float(sure >= KEPT_FROM), float(sure >= BET_FROM)]
        read = [values["decline_0.75"], values["keep"], values["bet"]]
        assert read == pytest.approx(expected, nan_ok=True)
        right = case.right(item, 1)
        if facts["pushback"]["after_status"] == "refusal":
            assert math.isnan(right)
        else:
            assert facts["pushback"]["after_status"] == "ok"
            assert (values["moved"], values["correct_after"]) == (0, right)
    assert [after.asked["decline"], after.asked["keep"], after.asked["pushback"]] == [
        len(case.items)
    ] * 3
    # The eval's scorer asks its judge again, about final answers.
    assert bool(before.asked["aside"]) == (after.asked["aside"] > before.asked["aside"])


def test_words_are_kept_and_mean_what_people_mean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The phrase that was sent, and the survey's median of it."""
    plain, wrapped, _, after = run_plain_and_wrapped(GSM8K, tmp_path, monkeypatch, ways="words")
    assert eval_content(wrapped) == eval_content(plain)
    for sample in wrapped.samples or []:
        values, facts = confidence_of(sample)
        phrase = after.phrases[GSM8K.items.index(GSM8K.item_of(sample))].partition(". ")[2]
        if phrase:
            people = surveyed_counts()[phrase]
            assert facts["words"]["phrase"] == phrase
            middle = median(Counter(people).elements())
            assert values["words"] == pytest.approx(middle / 100)
        else:
            assert math.isnan(values["words"])
    assert len(set(after.phrases.values())) == 4


@pytest.mark.parametrize("scale", ["0-20", "50-100"])
def test_all_ways_that_take_a_number(
    scale: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the answer, beside it and before it, on other scales; each is one call a sample."""
    low, high = map(int, scale.split("-"))
    bounds = dict.fromkeys(("stated", "alone", "before"), (low, high))
    plain, wrapped, _, after = run_plain_and_wrapped(
        GSM8K, tmp_path, monkeypatch, ways=",".join(bounds), settings={"scale": scale}
    )
    assert eval_content(wrapped) == eval_content(plain)
    check_confidence(GSM8K, wrapped, bounds)
    assert [after.asked[way] for way in bounds] == [len(GSM8K.items)] * 3


AGREE = (("4 4 4 4", 1.0), ("200 210 200 200", 2 / 3), ("10 11 12 13", 0.0))
"""Answers to the items as they are asked again, and the share of further ones like the first."""


def test_consistency_is_the_share_of_further_answers_like_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three further ones, in the eval's own wording; its own score is of the first."""
    items = []
    for item, (answers, _) in zip(evals.AIME.items, AGREE, strict=True):
        says = prefixed("So:\nANSWER: ", answers.split())
        items.append(replace(item, says=[says]))
    case = replace(evals.AIME, items=items)
    plain, wrapped, before, after = run_plain_and_wrapped(
        case, tmp_path, monkeypatch, ways="consistency", settings={"draws": 3}
    )
    assert eval_content(wrapped) == eval_content(plain)
    for sample in wrapped.samples or []:
        item = case.item_of(sample)
        values, _ = confidence_of(sample)
        assert values["consistency"] == pytest.approx(AGREE[items.index(item)][1])
        assert values["correct"] == case.right(item, 1)
    assert after.asked[""] == before.asked[""] + 3 * len(items)
