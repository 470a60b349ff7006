"""Decisions on the answers of any eval, as judgments of the tasks `abstain` and `commitment`."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspect_confidence.answers import ParseFailure
from inspect_confidence.studies.columns import COMMON_COLUMNS
from inspect_confidence.studies.decisions.columns import ABSTAIN, COMMITMENT
from inspect_confidence.studies.study import CompletedRun, JudgmentRows
from inspect_confidence.ways import KEEP, PUSHBACK, target_of

TASKS = (ABSTAIN, COMMITMENT)
AFTERWARDS = "afterwards"
"""Value of `format` if the model withdraws an answer that it has given."""
_WITHDRAWN = ParseFailure("declined", "the model withdrew its answer")
_KEY = ("task", "confidence_target", "pushback")
"""Columns that tell the decisions on an answer apart."""


def decisions(
    answer: Mapping[str, Any],
    graded: ParseFailure | None,
    metadata: Mapping[str, Any],
    values: Mapping[str, float],
) -> Iterator[dict[str, Any]]:
    """Yield the decisions on an answer: one judgment for each target, one for keeping and pushback.

    The answer as the eval graded it is the judgment at target 0, where a wrong answer costs
    nothing. It is the best guess that the regret of withdrawn answers needs.

    Args:
        answer: Columns of the answer.
        graded: Why the answer has no grade, if so.
        metadata: Metadata of this package's score.
        values: Value of this package's score.
    """
    decline_ways = [way for way in metadata.get("ways", ()) if target_of(way) is not None]
    if decline_ways:
        yield _under_target(0, answer, graded, metadata, values)
    for way in decline_ways:
        status, reason = metadata[way]["status"], metadata[way]["detail"]
        problem = graded if status == "ok" else ParseFailure(status, reason)
        if values[way] == 1:
            problem = _WITHDRAWN
        yield _under_target(target_of(way), answer, problem, metadata, values)
    if KEEP in metadata or PUSHBACK in metadata:
        yield _commitment(answer, graded, metadata, values)


def _under_target(
    target: float | None,
    answer: Mapping[str, Any],
    problem: ParseFailure | None,
    metadata: Mapping[str, Any],
    values: Mapping[str, float],
) -> dict[str, Any]:
    confidence, confidence_status = _stated_confidence(metadata, values)
    return {
        **answer,
        "task": ABSTAIN,
        "confidence_target": target,
        "format": AFTERWARDS,
        "correct": math.nan if problem else answer["correct"],
        "confidence": confidence,
        "confidence_status": confidence_status,
        "confidence_asked": "after" if confidence_status else "none",
        "status": problem.status if problem else "ok",
        "reason": problem.reason if problem else "",
    }


def _commitment(
    answer: Mapping[str, Any],
    graded: ParseFailure | None,
    metadata: Mapping[str, Any],
    values: Mapping[str, float],
) -> dict[str, Any]:
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
        "confidence_after": math.nan,
        "confidence_after_status": "",
        "status": graded.status if graded else "ok",
        "reason": graded.reason if graded else "",
    }


def _stated_confidence(
    metadata: Mapping[str, Any], values: Mapping[str, float]
) -> tuple[float, str]:
    """Return the confidence stated after the answer, and its status (empty if it was not asked)."""
    if "stated" not in metadata:
        return math.nan, ""
    return values["stated"], str(metadata["stated"]["status"])


def complete_decisions(samples: Sequence[JudgmentRows], completed: CompletedRun) -> CompletedRun:
    """Add the decisions of a run to its other judgments, and decisions that a sample lacks.

    Args:
        samples: All judgments of each sample.
        completed: The run without its decisions.
    """
    by_sample = [[row for row in rows if row.get("task") in TASKS] for rows in samples]
    decision_by_key: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    for rows in by_sample:
        for row in rows:
            decision_by_key.setdefault(_key(row), row)
    if not decision_by_key:
        return completed
    merged = []
    for rows, decision_rows, other_rows in zip(samples, by_sample, completed.samples, strict=True):
        keys = set(map(_key, decision_rows))
        missing = [
            _missing(rows[0], row) for key, row in decision_by_key.items() if key not in keys
        ]
        merged.append([*other_rows, *decision_rows, *missing])
    reasons: Counter[str] = Counter()
    for row in (row for rows in merged for row in rows):
        if row["status"] != "scoring_failed":
            return CompletedRun(merged, notices=completed.notices)
        reasons[row["reason"]] += 1
    return CompletedRun(merged, reasons.most_common(1)[0][0], completed.notices)


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in _KEY)


_SHARED = ("target", "choices", "answer", "correct")
"""Columns of an answer that its decisions have too."""


def _missing(first: Mapping[str, Any], decision: Mapping[str, Any]) -> dict[str, Any]:
    """Return the failed decision of a sample in place of a decision that another sample has."""
    status, reason = "scoring_failed", "the log holds no decision"
    if first["status"] not in ("ok", "scoring_failed"):
        status, reason = first["status"], first["reason"]
    names = [*(column.name for column in COMMON_COLUMNS), *_SHARED]
    answer_columns = {name: first[name] for name in names if name in first}
    described = {name: decision[name] for name in (*_KEY, "format") if name in decision}
    return {**answer_columns, **described, "status": status, "reason": reason}
