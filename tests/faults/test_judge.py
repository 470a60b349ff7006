"""A judge that fails while the model answers: what was drawn is kept, and judged later."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai import score
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from tenacity import wait_fixed

from build import attributes_of, texts_with
from contract.far_end import check_judgments
from contract.hedge_markers import Examiner, Speaker, all_sentences, expected_rows, own_file
from faults.flaky import Flaky
from faults.ledger import held
from inspect_confidence import read_judgments
from inspect_confidence.judges.refusals import REFUSALS_UNTIL_PAUSE
from inspect_confidence.scorers.hedged import hedged
from inspect_confidence.tasks.hedge_markers import hedge_markers
from provider_server import ProviderServer
from runs import ANTHROPIC, GOOGLE, OPENAI, Answer, connected, run_task

CONNECTIONS = 4
REFUSALS = {
    401: ("invalid x-api-key", "give it a valid key"),
    403: ("this key may not", "give its key the permission"),
    404: ("there is no such model", "name a model that there is"),
}


class Refusing(ProviderServer):
    """Refuses every call with a status while it has one.

    Attributes:
        status: Of the refusal; 0 for none.
        refused: How many calls were.
    """

    def __init__(self, answer: Answer, status: int) -> None:
        super().__init__(answer)
        self.status, self.refused = status, 0

    def respond(self, path: str, raw: bytes) -> tuple[int, str]:
        """Refuse, or answer."""
        if not self.status:
            return super().respond(path, raw)
        self.refused += 1
        error = {"message": REFUSALS[self.status][0], "code": self.status, "type": "error"}
        return self.status, json.dumps({"error": error})


@pytest.fixture(autouse=True)
def at_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Questions are in the folder that the user stands in; Inspect asks again at once.

    To score a log anew it opens the models of its roles, asked or not.
    """
    for provider in ("OPENAI", "ANTHROPIC", "GOOGLE"):
        monkeypatch.setenv(f"{provider}_API_KEY", "test")
    monkeypatch.setattr(
        "inspect_ai.model._retry.wait_exponential_jitter", lambda **_: wait_fixed(0.05)
    )


def judged_again(log: EvalLog, folder: Path, judge: ProviderServer, model: str) -> pd.DataFrame:
    """The judgments after `inspect score` with a judge."""
    whole = read_eval_log(log.location)
    scorer = hedged("model", batch_judgments=False)
    roles = {"grader": connected(judge, model)}
    new_log = score(
        whole, scorer, model="none/none", model_roles=roles, action="overwrite", display="none"
    )
    write_eval_log(new_log, log.location)
    return read_judgments(folder)["hedge_markers"]


@pytest.mark.parametrize(
    ("model", "status"),
    [
        (OPENAI, 404),
        pytest.param(ANTHROPIC, 401, marks=pytest.mark.slow),
        pytest.param(GOOGLE, 403, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_a_judge_that_refuses_is_asked_no_more(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, model: str, status: int
) -> None:
    """One line names judge and remedy; answers are kept, and judged when the judge is mended."""
    items = own_file(tmp_path, 5, datasets=1)
    speaker, examiner = Speaker(items, 2), Examiner(all_sentences(items))
    logs = tmp_path / "logs"
    task = hedge_markers("places.csv", split="all", draws=2, batch_judgments=False)
    with ProviderServer(speaker) as server, Refusing(examiner, status) as judge:
        roles = {"grader": connected(judge, model)}
        with caplog.at_level(logging.WARNING, "inspect_confidence"):
            log = run_task(task, server, logs, model_roles=roles, max_connections=CONNECTIONS)
        assert log.status == "success"
        frame = read_judgments(logs)["hedge_markers"]
        assert set(frame["status"]) == {"grader_failed"}
        reasons = frame["reason"].str.contains(re.escape(f"the judge {model} refuses ({status}"))
        assert reasons.any()
        # Beside those that were under way when it was noticed.
        assert REFUSALS_UNTIL_PAUSE <= judge.refused <= REFUSALS_UNTIL_PAUSE + CONNECTIONS
        lines = "\n".join(caplog.messages).splitlines()
        (notice,) = texts_with(lines, "refuses")
        assert f"the judge {model} refuses ({status}" in notice
        assert f"{REFUSALS[status][1]}, then judge them with" in notice
        draw_calls = len(server.requests)
        judge.status = 0
        check_judgments(judged_again(log, logs, judge, model), expected_rows(speaker))
        assert len(server.requests) == draw_calls


@pytest.mark.slow
@pytest.mark.parametrize("model", [OPENAI, "anthropic/claude-3-haiku-20240307", GOOGLE])
def test_a_judge_whose_calls_fail(tmp_path: Path, model: str) -> None:
    """One in five, in any way: draws are kept, and judged again they are as if nothing failed."""
    items = own_file(tmp_path, 14, datasets=1)
    speaker, examiner = Speaker(items, 4), Examiner(all_sentences(items))
    logs = tmp_path / "logs"
    task = hedge_markers("places.csv", split="all", draws=4, batch_judgments=False)
    with ProviderServer(speaker) as server, Flaky(examiner) as judge:
        roles = {"grader": connected(judge, model)}
        log = run_task(task, server, logs, model_roles=roles, max_retries=3, attempt_timeout=10)
        frame = read_judgments(logs)["hedge_markers"]
        draw_calls, judge.share = len(server.requests), 0.0
        new_frame = judged_again(log, logs, judge, model)
        expected = expected_rows(speaker)
        is_failed = (frame["status"] == "grader_failed") | (frame["failed"] > 0)
        is_failed |= frame["reason"] != ""
        good = {
            "the run succeeds": log.status == "success",
            "every sentence has a status": all(frame["status"])
            and set(frame["item"]) == set(attributes_of(items, "id")),
            "failures of the judge are counted": 0 < int(is_failed.sum()) < len(frame),
            "what was judged is as meant": _among(frame[~is_failed], expected),
            "no answer is asked for again": len(server.requests) == draw_calls,
            "judged again all is as meant": _agrees(new_frame, expected),
        }
    name = model.split("/", maxsplit=1)[0]
    wrong = held(
        *(
            "judge",
            f"{sum(judge.failed.values())} calls of a judge ({name}) fail, in 11 ways",
            good,
        ),
        *("`grader_failed` with a reason; inspect score judges the kept answers", "nothing"),
    )
    assert not wrong


_JUDGED = ("consistent", "undecided", "inconsistent", "decisiveness")


def _rows(rows: Iterable[Mapping[Any, object]]) -> set[str]:
    names = ("item", "sentence", "marker", *_JUDGED)
    texts = set()
    for row in rows:
        texts.add(str([f"{row.get(name)}" for name in names]))
    return texts


def _among(frame: pd.DataFrame, expected: Iterable[Mapping[str, object]]) -> bool:
    """Whether all judgments are among those that are meant."""
    frame = frame.astype({"sentence": int, **dict.fromkeys(_JUDGED[:3], int)})
    return _rows(frame.to_dict("records")) <= _rows(expected)


def _agrees(frame: pd.DataFrame, expected: list[dict[str, object]]) -> bool:
    try:
        check_judgments(frame, expected)
    except AssertionError:
        return False
    return True
