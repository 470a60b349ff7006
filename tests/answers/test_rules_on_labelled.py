"""How well the rules do on sentences, pairs and answers that somebody else labelled."""

import json
from collections.abc import Callable
from importlib import resources
from itertools import product
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from inspect_confidence.datasets.wep_survey import surveyed_counts
from inspect_confidence.judges.agreement import agreement, verdict
from inspect_confidence.judges.markers import find_markers, sentence_decisiveness

Record = Callable[[str, object], None]
Span = tuple[int, int]


def labelled(name: str) -> list[dict[str, object]]:
    """The rows of a labelled set."""
    path = resources.files("inspect_confidence.datasets") / "bundled" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def places(sentence: str, markers: list[str]) -> list[Span]:
    """Where labelled markers stand in a sentence, each after the one before."""
    plain = sentence.lower().replace("’", "'")  # noqa: RUF001 # as it is written
    found, at = [], 0
    for marker in markers:
        text = marker.lower().replace("’", "'")  # noqa: RUF001 # as it is written
        start = plain.find(text, at)
        start = plain.find(text) if start < 0 else start
        assert start >= 0, (sentence, marker)
        found.append((start, start + len(text)))
        at = start + len(text)
    return found


def overlap(one: Span, other: Span) -> bool:
    """Whether two spans share a character."""
    return one[0] < other[1] and other[0] < one[1]


def test_markers_are_found(record_property: Record) -> None:
    """Of what is found nearly all is a marker, and nearly all markers are found."""
    found = right = wanted = hit = 0
    wrong = []
    for row in labelled("judge_sentences"):
        sentence, markers = str(row["sentence"]), row["markers"]
        assert isinstance(markers, list)
        ours = [(marker.start, marker.end) for marker in find_markers(sentence)]
        theirs = places(sentence, markers)
        matched = [(one, other) for one, other in product(ours, theirs) if overlap(one, other)]
        found, wanted = found + len(ours), wanted + len(theirs)
        right += len({one for one, _ in matched})
        hit += len({other for _, other in matched})
        if len({one for one, _ in matched}) < len(ours) or len({x for _, x in matched}) < len(
            theirs
        ):
            wrong.append((sentence, [sentence[a:b] for a, b in ours], markers))
    precision, recall = right / found, hit / wanted
    record_property("figure", f"markers: precision {precision:.3f}, recall {recall:.3f}")
    assert precision >= 0.95, (precision, wrong)
    assert recall >= 0.90, (recall, wrong)


def test_decisiveness_follows_the_survey(record_property: Record) -> None:
    """Sentences with a word of the survey are ranked as people rank the words."""
    medians = {
        word: float(np.median(np.repeat(list(counts), list(counts.values()))))
        for word, counts in surveyed_counts().items()
    }
    every = labelled("judge_sentences")
    own = [sentence_decisiveness(str(row["sentence"])) for row in every]
    of_labels = float(spearmanr(own, [float(str(row["decisiveness"])) for row in every]).statistic)
    rows = [row for row in every if row["word"]]
    ours = [sentence_decisiveness(str(row["sentence"])) for row in rows]
    rank = float(spearmanr(ours, [medians[str(row["word"])] for row in rows]).statistic)
    record_property("figure", f"decisiveness: rank correlation {rank:.3f} of {len(rows)}")
    record_property("figure", f"decisiveness: with labels {of_labels:.3f} of {len(every)}")
    assert rank >= 0.9, [
        (row["sentence"], one)
        for row, one in zip(rows, ours, strict=True)
        if abs(one - medians[str(row["word"])] / 100) > 0.05
    ]


AGREEMENT = {"bundled": 0.5, "fresh": 0.6}
VERDICTS = {"bundled": 0.7, "fresh": 0.7}
"""Floors. The bundled pairs are meant to be hard; the fresh ones are written as models write."""


def fresh(name: str) -> list[dict[str, object]]:
    """The rows of a set that was written and labelled by two hands that hadn't seen the rules."""
    text = (Path(__file__).parent / f"fresh_{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_agreement_of_pairs(record_property: Record) -> None:
    """More pairs than by chance are judged as labelled; enough for a demo, not for a study."""
    for name, rows in {"bundled": labelled("judge_pairs"), "fresh": fresh("pairs")}.items():
        right = [
            agreement(str(row["question"]), str(row["sentence"]), str(row["reply"])) == row["label"]
            for row in rows
        ]
        record_property("figure", f"agreement: accuracy {np.mean(right):.3f} of {len(rows)} {name}")
        assert np.mean(right) >= AGREEMENT[name], name


def test_verdicts_of_answers(record_property: Record) -> None:
    """Most answers are judged as labelled; enough for a demo, not for a study."""
    for name, rows in {"bundled": labelled("judge_answers"), "fresh": fresh("answers")}.items():
        right = []
        for row in rows:
            answers = row["answers"]
            assert isinstance(answers, list)
            right.append(verdict(answers, str(row["reply"])) == row["label"])
        record_property("figure", f"verdicts: accuracy {np.mean(right):.3f} of {len(rows)} {name}")
        assert np.mean(right) >= VERDICTS[name], name


def test_labelled_sets_are_there() -> None:
    """Figures of a handful of rows would say little."""
    for name in ("judge_sentences", "judge_pairs", "judge_answers"):
        assert len(labelled(name)) >= 60, name
