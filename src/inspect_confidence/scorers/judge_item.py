"""A scorer that compares a judge's judgments with labels."""

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
from inspect_confidence.scorers.parsed import NAN, ParsedReply, no_reply

_MAX_FURTHER_WORDS = 4
_BETWEEN = r"\W+(?:\w+\W+){0,2}?"
_PLAIN = str.maketrans("’‘", "''")  # noqa: RUF001 # apostrophes in replies


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

    The value is a dict of numbers, NaN if they belong to another form or a part of the reply cannot
    be read: `found`, `missed`, `false` (markers; a marker is found if it overlaps a labelled one
    and is at most four words longer), `decisiveness` and `labelled` (in [0, 1]), `agreed` (two
    answers were judged equal as labelled: 1, 0 not), `verdict` (an answer was judged right or wrong
    as labelled: 1, 0 not) and `format_ok`. The form `sentence` asks for markers and decisiveness.
    """

    async def score(state: TaskState, target: Target) -> Score:
        return _score_judgment(state, target)

    return score


def _score_judgment(state: TaskState, target: Target) -> Score:
    """Compare the judgment of a sample with its label, the target, and return the score.

    The form `sentence` has two judgments, of markers and of decisiveness; the target is then a JSON
    object with both labels. The sample's metadata say whether rules judge, or a model has judged.
    """
    facts, form = state.metadata, str(state.metadata["form"])
    names = ("found", "missed", "false", "decisiveness", "labelled", "agreed", "verdict")
    value: dict[str, float] = dict.fromkeys(names, NAN)  # for what the form does not compare
    labels = json.loads(target.text) if form == "sentence" else {form: target.text}
    answers, sentences, failure = [], [], None
    for part, label in labels.items():
        by_rules = facts["judge"] == "rules"
        judgment = _by_rules(part, facts) if by_rules else _by_model(part, facts, state)
        if isinstance(judgment, ParseFailure):
            failure = failure or judgment
        else:
            numbers, sentence = _compare(part, judgment, label, str(facts["sentence"]))
            value |= numbers
            answers.append(str(judgment))
            sentences.append(sentence)
    answer = "; ".join(answers) or None
    reply = ParsedReply(value, failure, answer=answer, sentence=" ".join(sentences))
    return reply.score("judgment")


def _compare(form: str, judgment: Any, label: str, sentence: str) -> tuple[dict[str, float], str]:
    """Return the numbers and the sentence that compare a judgment with its label.

    The form says what they are: for `markers` the markers of the sentence (in the label as a JSON
    list), for `decisiveness` a number, for `consistency` and `correctness` a word such as `yes`.
    """
    if form == "markers":
        markers = json.loads(label)
        counts = _count_markers(judgment, markers, sentence)
        return counts, markers_compared(judgment, markers, counts)
    if form == "decisiveness":
        is_equal = float(judgment) == float(label)
        numbers = {"decisiveness": float(judgment), "labelled": float(label)}
        return numbers, judged_as_labelled(f"{judgment:g}", label, is_equal)
    name = "agreed" if form == "consistency" else "verdict"
    is_equal = judgment == label
    return {name: float(is_equal)}, judged_as_labelled(judgment, label, is_equal)


def _by_rules(form: str, facts: Mapping[str, Any]) -> Any:
    """Return the judgment by rules of a sample with these `facts`: markers, a number or a word."""
    sentence, reply = str(facts["sentence"]), str(facts["reply"])
    if form == "markers":
        return [marker.text for marker in find_markers(sentence)]
    if form == "decisiveness":
        return sentence_decisiveness(sentence)
    if form == "consistency":
        return agreement(str(facts["question"]), sentence, reply)
    return verdict(str(facts["accepted"]).split("; "), reply)


def _by_model(form: str, facts: Mapping[str, Any], state: TaskState) -> Any:
    """Return the judgment in a model's reply to a sample with these `facts`, or its failure."""
    if failure := no_reply(state):
        return ParseFailure("grader_failed", f"{form}: {failure.reason}")
    reply = state.output.completion
    is_study = facts.get("wording") == STUDY
    if form == "markers":
        return read_markers(reply, str(facts["sentence"]), generalised=is_study)
    if form == "consistency" and facts.get("batch"):
        # The judge gives an agreement, or fails, for each of the compared texts in `each`; the
        # sample's is that for `reply`, which is the only text if the sample lacks `each`.
        compared_texts = facts.get("each") or [facts["reply"]]
        agreements = read_agreements(reply, len(compared_texts))
        return agreements[compared_texts.index(facts["reply"])]
    readers = {"decisiveness": read_decisiveness, "consistency": read_agreement}
    judgment = readers.get(form, read_verdict)(reply)  # a verdict for the form `correctness`
    # The study asks only for right or wrong; a judge that says punt then says wrong.
    return "incorrect" if is_study and judgment == "punt" else judgment


def _count_markers(
    extracted: Sequence[str], labels: Sequence[str], sentence: str
) -> dict[str, float]:
    """Count the labels that are found, those that are missed, and the false markers.

    A marker is false if it finds no label: it overlaps none, or is more than four words longer.
    """
    found_labels: set[int] = set()
    false = 0
    for marker in extracted:
        matches = {k for k, label in enumerate(labels) if _matches_label(marker, label, sentence)}
        found_labels |= matches
        false += not matches
    return {
        "found": float(len(found_labels)),
        "missed": float(len(labels) - len(found_labels)),
        "false": float(false),
    }


def _matches_label(marker: str, label: str, sentence: str) -> bool:
    """Return whether a marker overlaps the labelled one, and is at most four words longer."""
    if len(marker.split()) > len(label.split()) + _MAX_FURTHER_WORDS:
        return False
    label_spans = _spans(label, sentence)
    for start, end in _spans(marker, sentence):
        if any(start < label_end and label_start < end for label_start, label_end in label_spans):
            return True
    return False


def _spans(marker: str, sentence: str) -> list[tuple[int, int]]:
    """Return the spans of a marker in a sentence: as whole words, except in Chinese.

    A generalised marker leaves words out, "i know for a fact" of "I know this for a fact", so up to
    two words may be between its words.
    """
    text, words = sentence.lower().translate(_PLAIN), marker.lower().translate(_PLAIN)
    spaced = _BETWEEN.join(map(re.escape, words.split()))
    pattern = rf"\b{spaced}\b" if words.isascii() else re.escape(words)
    return list(map(re.Match.span, re.finditer(pattern, text)))
