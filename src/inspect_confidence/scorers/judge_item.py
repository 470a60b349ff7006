"""Compares a judge's judgments with labels."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.answers import Unreadable
from inspect_confidence.answers.judged import (
    read_agreement,
    read_decisiveness,
    read_markers,
    read_verdict,
)
from inspect_confidence.judges.agreement import agreement, verdict
from inspect_confidence.judges.markers import find_markers, sentence_decisiveness
from inspect_confidence.scorers import log_metrics as logged
from inspect_confidence.scorers.explained import judged_as_labelled, markers_compared
from inspect_confidence.scorers.reading import NAN, Reading

_LONGER = 4
_PLAIN = str.maketrans("’‘", "''")  # noqa: RUF001 # as they are written


@scorer(
    metrics=[
        logged.agreement_accuracy(),
        logged.verdict_accuracy(),
        logged.extraction_precision(),
        logged.extraction_recall(),
        logged.grader_failure_rate(),
    ]
)
def judge_item() -> Scorer:
    """Compare one judgment with its label.

    The value is a dict of numbers, NaN where another form was asked: `found`, `missed`, `false`
    (markers; one is found if it overlaps a labelled one and is at most four words longer),
    `decisiveness` and `labelled` (in [0, 1]), `agreed` and `verdict` (1 as labelled, 0 not) and
    `format_ok`.
    """

    async def score(state: TaskState, target: Target) -> Score:
        asked, label = state.metadata, target.text
        said = _by_rules(asked) if asked["judge"] == "rules" else _by_model(asked, state)
        form = asked["form"]
        blank = ("found", "missed", "false", "decisiveness", "labelled", "agreed", "verdict")
        value: dict[str, float] = dict.fromkeys(blank, NAN)
        if isinstance(said, Unreadable):
            return Reading(value, said).score("judgment")
        if form == "markers":
            labelled = json.loads(label)
            value |= _compared(said, labelled, str(asked["sentence"]))
            shown = markers_compared(said, labelled, value)
        elif form == "decisiveness":
            value |= {"decisiveness": float(said), "labelled": float(label)}
            same = value["decisiveness"] == value["labelled"]
            shown = judged_as_labelled(f"{said:g}", label, same)
        else:
            value["agreed" if form == "consistency" else "verdict"] = float(said == label)
            shown = judged_as_labelled(said, label, said == label)
        return Reading(value, answer=str(said) or None, said=shown).score("judgment")

    return score


def _by_rules(asked: Mapping[str, Any]) -> Any:
    sentence, reply = str(asked["sentence"]), str(asked["reply"])
    form = asked["form"]
    if form == "markers":
        return [marker.text for marker in find_markers(sentence)]
    if form == "decisiveness":
        return sentence_decisiveness(sentence)
    if form == "consistency":
        return agreement(str(asked["question"]), sentence, reply)
    return verdict(str(asked["accepted"]).split("; "), reply)


def _by_model(asked: Mapping[str, Any], state: TaskState) -> Any:
    reply = state.output.completion
    if asked["form"] == "markers":
        return read_markers(reply, str(asked["sentence"]))
    readers = {"decisiveness": read_decisiveness, "consistency": read_agreement}
    return readers.get(str(asked["form"]), read_verdict)(reply)


def _compared(found: Sequence[str], labelled: Sequence[str], sentence: str) -> dict[str, float]:
    """How many markers are found, missed and false.

    One is found if it overlaps a labelled one and is at most four words longer.
    """
    hits = [[_same(one, label, sentence) for label in labelled] for one in found]
    hit = sum(any(row[k] for row in hits) for k in range(len(labelled)))
    return {
        "found": float(hit),
        "missed": float(len(labelled) - hit),
        "false": float(sum(not any(row) for row in hits)),
    }


def _same(found: str, label: str, sentence: str) -> bool:
    if len(found.split()) > len(label.split()) + _LONGER:
        return False
    places = [_spans(name, sentence) for name in (found, label)]
    return any(a < d and c < b for a, b in places[0] for c, d in places[1])


def _spans(name: str, sentence: str) -> list[tuple[int, int]]:
    """Where a marker stands as whole words; Chinese has none."""
    text, marker = (part.lower().translate(_PLAIN) for part in (sentence, name))
    bounded = marker.isascii()
    pattern = rf"\b{re.escape(marker)}\b" if bounded else re.escape(marker)
    return [found.span() for found in re.finditer(pattern, text)]
