"""Compares a judge's judgments with labels."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.answers import ParseFailure
from inspect_confidence.answers.judged import (
    read_agreement,
    read_agreements,
    read_decisiveness,
    read_markers,
    read_verdict,
)
from inspect_confidence.judges.agreement import agreement, verdict
from inspect_confidence.judges.markers import find_markers, sentence_decisiveness
from inspect_confidence.judges.wording import STUDY
from inspect_confidence.scorers import log_metrics as logged
from inspect_confidence.scorers.explained import judged_as_labelled, markers_compared
from inspect_confidence.scorers.reading import NAN, Reading, no_reply

_LONGER = 4
_BETWEEN = r"\W+(?:\w+\W+){0,2}?"
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

    The value is a dict of numbers, NaN where another form was asked or a part of the reply can't be
    read: `found`, `missed`, `false` (markers; one is found if it overlaps a labelled one and is at
    most four words longer), `decisiveness` and `labelled` (in [0, 1]), `agreed` and `verdict` (1 as
    labelled, 0 not) and `format_ok`. Of the form `sentence` it has markers and decisiveness.
    """

    async def score(state: TaskState, target: Target) -> Score:
        asked, form = state.metadata, str(state.metadata["form"])
        blank = ("found", "missed", "false", "decisiveness", "labelled", "agreed", "verdict")
        value: dict[str, float] = dict.fromkeys(blank, NAN)
        labels = json.loads(target.text) if form == "sentence" else {form: target.text}
        answers, shown, failure = [], [], None
        for part, label in labels.items():
            by_rules = asked["judge"] == "rules"
            judged = _by_rules(part, asked) if by_rules else _by_model(part, asked, state)
            if isinstance(judged, ParseFailure):
                failure = failure or judged
            else:
                numbers, words = _beside(part, judged, label, str(asked["sentence"]))
                value |= numbers
                answers.append(str(judged))
                shown.append(words)
        answer = "; ".join(answers) or None
        return Reading(value, failure, answer=answer, said=" ".join(shown)).score("judgment")

    return score


def _beside(form: str, said: Any, label: str, sentence: str) -> tuple[dict[str, float], str]:
    """What a judgment is worth beside its label, in numbers and in words."""
    if form == "markers":
        labelled = json.loads(label)
        counts = _compared(said, labelled, sentence)
        return counts, markers_compared(said, labelled, counts)
    if form == "decisiveness":
        same = float(said) == float(label)
        numbers = {"decisiveness": float(said), "labelled": float(label)}
        return numbers, judged_as_labelled(f"{said:g}", label, same)
    name = "agreed" if form == "consistency" else "verdict"
    return {name: float(said == label)}, judged_as_labelled(said, label, said == label)


def _by_rules(form: str, asked: Mapping[str, Any]) -> Any:
    sentence, reply = str(asked["sentence"]), str(asked["reply"])
    if form == "markers":
        return [marker.text for marker in find_markers(sentence)]
    if form == "decisiveness":
        return sentence_decisiveness(sentence)
    if form == "consistency":
        return agreement(str(asked["question"]), sentence, reply)
    return verdict(str(asked["accepted"]).split("; "), reply)


def _by_model(form: str, asked: Mapping[str, Any], state: TaskState) -> Any:
    if failure := no_reply(state):
        return ParseFailure("grader_failed", f"{form}: {failure.reason}")
    reply = state.output.completion
    study = asked.get("wording") == STUDY
    if form == "markers":
        return read_markers(reply, str(asked["sentence"]), generalised=study)
    if form == "consistency" and asked.get("batch"):
        each = asked.get("each") or [asked["reply"]]
        return read_agreements(reply, len(each))[each.index(asked["reply"])]
    readers = {"decisiveness": read_decisiveness, "consistency": read_agreement}
    said = readers.get(form, read_verdict)(reply)
    # Asked for right or wrong alone, who calls it a punt calls it wrong.
    return "incorrect" if study and said == "punt" else said


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
    """Where a marker stands as whole words, which Chinese has none of; some may be in between.

    A generalised one leaves words out: "i know for a fact" of "I know this for a fact".
    """
    text, marker = (part.lower().translate(_PLAIN) for part in (sentence, name))
    apart = _BETWEEN.join(map(re.escape, marker.split()))
    pattern = rf"\b{apart}\b" if marker.isascii() else re.escape(marker)
    return [found.span() for found in re.finditer(pattern, text)]
