"""Other people's evals run as they are, and score what is said to them as reckoned by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from any_eval.answerer import Answerer
from any_eval.evals import CASES, EvalCase, run
from build import attributes_of, records_with, slow_cases
from provider_server import ProviderServer


@pytest.mark.parametrize("case", [CASES[0], *slow_cases(CASES[1:])], ids=str)
def test_each_eval_runs_on_our_records(
    case: EvalCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through its own conversion, solver, tools and scorers, with values known beforehand."""
    answerer = Answerer(case)
    with ProviderServer(answerer) as server:
        log = run(case, server, tmp_path, monkeypatch)
    assert not server.errors
    assert log.status == "success", log.error
    assert log.samples
    assert log.results
    assert len(log.samples) == len(case.items) * case.epochs
    for sample in log.samples:
        assert not sample.error
        item = case.item_of(sample)
        values = attributes_of((sample.scores or {}).values(), "value")
        assert values == item.scores(sample.epoch), item.fragments
        tool_texts = attributes_of(records_with(sample.messages, role="tool"), "text")
        assert item.reads in " ".join(tool_texts[:1]), tool_texts
    name, value = case.metric
    values = [score.metrics[name].value for score in log.results.scores if name in score.metrics]
    assert values[0] == pytest.approx(value)
    asides = sum(len(item.asides) for item in case.items) * case.epochs
    assert answerer.asked["aside"] == asides
    assert answerer.asked.total() == answerer.asked[""] + asides
