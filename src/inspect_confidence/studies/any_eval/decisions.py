"""Decisions on the answers of any eval, as judgments of the tasks `abstain` and `commitment`."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from inspect_confidence.answers import ParseFailure
from inspect_confidence.studies.columns import COMMON_COLUMNS
from inspect_confidence.studies.decisions.columns import ABSTAIN, COMMITMENT
from inspect_confidence.studies.study import CompletedRun, JudgmentRows
from inspect_confidence.ways import KEEP, PUSHBACK, target_of

TASKS = (ABSTAIN, COMMITMENT)
AFTERWARDS = "afterwards"
"""Value of `format` if the model withdraws an answer that it has given."""
_WITHDRAWN_ANSWER = ParseFailure("declined", "the model withdrew its answer")
_DECISION_KEY = ("task", "confidence_target", "pushback")
"""Columns that tell the decisions on an answer apart."""


def decisions(
    answer: Mapping[str, Any],
    ungraded: ParseFailure | None,
    metadata: Mapping[str, Any],
    values: Mapping[str, float],
) -> Iterator[dict[str, Any]]:
    """Yield the decisions on an answer as judgments, from this package's score in a log.

    There is a judgment of `abstain` for each confidence target under which the model could withdraw
    its answer, and one of `commitment` if keeping or pushback was asked. The graded answer itself
    is the judgment at target 0, where a wrong answer costs nothing: the regret of withdrawn answers
    needs this best guess.

    Args:
        answer: Columns of the answer.
        ungraded: Why the answer has no grade; None if it has one.
        metadata: Metadata of the score: the names of all requests (`ways`), such as `decline_0.75`
            or `keep`, and by name a mapping with the `status` and `detail` of its reply.
        values: Value of the score: by name of the request, 1 for a withdrawn answer.
    """
    decline_ways = [way for way in metadata.get("ways", ()) if target_of(way) is not None]
    if decline_ways:
        yield _abstain_judgment(0, answer, problem=ungraded, metadata=metadata, values=values)
    for way in decline_ways:
        status, reason = metadata[way]["status"], metadata[way]["detail"]
        problem = ungraded if status == "ok" else ParseFailure(status, reason)
        if values[way] == 1:
            problem = _WITHDRAWN_ANSWER
        yield _abstain_judgment(target_of(way), answer, problem, metadata, values)
    if KEEP in metadata or PUSHBACK in metadata:
        yield _commitment_judgment(answer, ungraded, metadata, values)


def _abstain_judgment(
    target: float | None,
    answer: Mapping[str, Any],
    problem: ParseFailure | None,
    metadata: Mapping[str, Any],
    values: Mapping[str, float],
) -> dict[str, Any]:
    """Return the judgment of `abstain` at a target; it has no grade if there is a `problem`.

    `answer` has the columns of the answer. The confidence that was stated after it is in `values`,
    its status in `metadata`.
    """
    confidence, confidence_status = _stated_confidence(metadata, values)
    return {
        **answer,
        "task": ABSTAIN,
        "confidence_target": target,
        "format": AFTERWARDS,  # answered first, then asked whether to withdraw the answer
        "correct": math.nan if problem else answer["correct"],
        "confidence": confidence,
        "confidence_status": confidence_status,
        "confidence_asked": "after" if confidence_status else "none",
        "status": problem.status if problem else "ok",
        "reason": problem.reason if problem else "",
    }


def _commitment_judgment(
    answer: Mapping[str, Any],
    ungraded: ParseFailure | None,
    metadata: Mapping[str, Any],
    values: Mapping[str, float],
) -> dict[str, Any]:
    """Return the judgment of `commitment`: keeping, betting and the answer after pushback.

    `answer` has the columns of the answer, and `ungraded` says why it has no grade. `values` has
    the numbers by name, and `metadata` the statuses and texts of the replies to both requests.
    Parts that were not requested are NaN, empty or `none`.
    """
    keep, pushback = metadata.get(KEEP, {}), metadata.get(PUSHBACK, {})
    confidence, confidence_status = _stated_confidence(metadata, values)
    return {
        **answer,
        "task": COMMITMENT,
        "keep": values.get("keep", math.nan),
        "bet": values.get("bet", math.nan),
        "keep_status": keep.get("keep_status", ""),
        "bet_status": keep.get("bet_status", ""),
        "pushback": "disagree" if pushback else "none",
        "answer_after": pushback.get("answer_after", ""),
        "correct_after": values.get("correct_after", math.nan),
        "moved": values.get("moved", math.nan),
        "after_status": pushback.get("after_status", ""),
        "confidence_before": confidence,
        "confidence_before_status": confidence_status,
        "confidence_after": math.nan,  # not asked again after pushback
        "confidence_after_status": "",
        "status": ungraded.status if ungraded else "ok",
        "reason": ungraded.reason if ungraded else "",
    }


def _stated_confidence(
    metadata: Mapping[str, Any], values: Mapping[str, float]
) -> tuple[float, str]:
    """Return the confidence stated after the answer, and its status; NaN and "" if not asked."""
    if "stated" not in metadata:
        return math.nan, ""
    return values["stated"], str(metadata["stated"]["status"])


def complete_decisions(samples: Sequence[JudgmentRows], completed: CompletedRun) -> CompletedRun:
    """Return a run with the decisions of its samples beside its other judgments.

    A decision that a sample lacks and another sample has is added as a failed one. If all judgments
    are `scoring_failed`, the run's problem is their commonest reason. A run without decisions is
    returned unchanged.

    Args:
        samples: All judgments of each sample.
        completed: The run without its decisions.
    """
    by_sample: list[JudgmentRows] = []  # decisions of each sample
    # One decision of each kind, by task, target and pushback, as a pattern for samples without it.
    decision_by_key: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    for rows in samples:
        decisions_of_sample = [row for row in rows if row.get("task") in TASKS]
        by_sample.append(decisions_of_sample)
        for row in decisions_of_sample:
            decision_by_key.setdefault(_key(row), row)
    if not decision_by_key:
        return completed
    merged = []
    for rows, decision_rows, other_rows in zip(samples, by_sample, completed.samples, strict=True):
        keys = set(map(_key, decision_rows))
        missing = []
        for key, decision in decision_by_key.items():
            if key not in keys:
                missing.append(_failed_decision(rows[0], decision))
        merged.append([*other_rows, *decision_rows, *missing])
    all_rows = list(chain.from_iterable(merged))
    if any(row["status"] != "scoring_failed" for row in all_rows):
        return CompletedRun(merged, notices=completed.notices)
    commonest_reason, _ = Counter(row["reason"] for row in all_rows).most_common(1)[0]
    return CompletedRun(merged, commonest_reason, completed.notices)


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the columns that tell a decision from others on the same answer."""
    return tuple(map(row.get, _DECISION_KEY))


_ANSWER_COLUMNS = ("target", "choices", "answer", "correct")
"""Columns of an answer that its decisions have too."""


def _failed_decision(first: Mapping[str, Any], decision: Mapping[str, Any]) -> dict[str, Any]:
    """Return the decision that a sample lacks, as a failed judgment.

    `first` is a judgment of the sample, whose failure the decision takes over, unless that is
    `scoring_failed`, which is of the judgment alone; `decision` is one of another sample, whose
    task, target and pushback it takes.
    """
    status, reason = "scoring_failed", "the log holds no decision"
    if first["status"] not in ("ok", "scoring_failed"):
        status, reason = first["status"], first["reason"]
    names = [*(column.name for column in COMMON_COLUMNS), *_ANSWER_COLUMNS]
    answer_columns = {name: first[name] for name in names if name in first}
    described = {name: decision[name] for name in (*_DECISION_KEY, "format") if name in decision}
    return {**answer_columns, **described, "status": status, "reason": reason}
