"""An eval of two sums, and a far end that answers it and all that is asked about it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.scorer import match

from any_eval.answerer import FORMS
from build import map_values, records_with
from inspect_confidence.datasets.wep_survey import phrases
from inspect_confidence.scorers.parsed import exact_value
from provider_server import Reply, Request, Token

SUMS = [Sample("1 + 1?", target="2", id="a"), Sample("1 + 2?", target="3", id="b")]
"""The second is answered wrongly."""

SAYS: Mapping[str, Reply] = {
    "": Reply("2", logprobs=[Token("2", math.log(0.9), {"3": math.log(0.1)})]),
    "stated": Reply("Confidence: 80"),
    "alone": Reply("Confidence: 70"),
    "before": Reply("Confidence: 60"),
    "words": Reply(f"A. {phrases()[0]}"),
    "p_true": Reply("True", logprobs=[Token("True", math.log(0.6), {"False": math.log(0.2)})]),
    "same": Reply("Yes"),
    "decline": Reply("KEEP"),
    "keep": Reply("Decision: WITHDRAW\nBet: BET"),
    "pushback": Reply("3"),
}
"""What is replied to each kind of request; "" is the eval's own."""

FarEnd = Callable[[Request], Reply | list[Reply]]


def sums(**settings: Any) -> Task:
    """The eval, with settings of a task."""
    return Task(
        **{"dataset": list(SUMS), "scorer": match(numeric=True), "name": "sums", **settings}
    )


def far_end(**says: Reply | FarEnd | list[Reply]) -> FarEnd:
    """Replies by kind; those to the eval's own requests are named `own`, a list's come in turn."""
    replies = {**SAYS, **{name if name != "own" else "": reply for name, reply in says.items()}}
    turns: Counter[str] = Counter()

    def answer(request: Request) -> Reply | list[Reply]:
        kind = kind_of(request)
        reply = replies[kind]
        if isinstance(reply, list):
            count = request.body.get("n") or 1
            batch = [reply[(turns[kind] + k) % len(reply)] for k in range(count)]
            turns[kind] += count
            return batch
        return reply if isinstance(reply, Reply) else reply(request)

    return answer


def kind_of(request: Request) -> str:
    """Which way of asking a request is of."""
    return next((way for way, form in FORMS.items() if form.fullmatch(request.prompt)), "")


def kinds(requests: Iterable[Request]) -> Counter[str]:
    """How many replies were asked for, by kind."""
    counts: Counter[str] = Counter()
    for request in requests:
        counts[kind_of(request)] += request.body.get("n") or 1
    return counts


def sample_of(log: EvalLog, item: str = "a", epoch: int = 1) -> EvalSample:
    """A sample of a log."""
    return next(
        sample for sample in log.samples or [] if (sample.id, sample.epoch) == (item, epoch)
    )


def confidence_of(
    log: EvalLog, item: str = "a", epoch: int = 1, name: str = "confidence"
) -> tuple[dict[str, float], dict[str, Any]]:
    """The values of confidence of a sample, and the facts beside them."""
    score = (sample_of(log, item, epoch).scores or {})[name]
    assert isinstance(score.value, dict)
    return exact_value(score.value, score.metadata), score.metadata or {}


def metrics_of(log: EvalLog, name: str = "confidence") -> dict[str, float]:
    """The log's metrics of a scorer."""
    assert log.results
    (log_score,) = records_with(log.results.scores, name=name)
    return map_values(attrgetter("value"), log_score.metrics)
