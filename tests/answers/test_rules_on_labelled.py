"""How well the rules do on sentences, pairs and answers that somebody else labelled."""

from importlib import resources
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from build import parse_jsonl
from figures import Record
from inspect_confidence.datasets.wep_survey import surveyed_counts
from inspect_confidence.judges.agreement import agreement, verdict
from inspect_confidence.judges.markers import find_markers, sentence_decisiveness

Span = tuple[int, int]


def labelled(name: str) -> list[dict[str, object]]:
    """The rows of a labelled set."""
    path = resources.files("inspect_confidence.datasets") / "bundled" / f"{name}.jsonl"
    return parse_jsonl(path.read_text(encoding="utf-8"))


def places(sentence: str, markers: list[str]) -> list[Span]:
    """Where labelled markers stand in a sentence, each after the one before."""
    plain = sentence.lower().replace("’", "'")  # noqa: RUF001 # as it is written
    spans, end = [], 0
    for marker in markers:
        text = marker.lower().replace("’", "'")  # noqa: RUF001 # as it is written
        start = plain.find(text, end)
        start = plain.find(text) if start < 0 else start
        assert start >= 0, (sentence, marker)
        spans.append((start, start + len(text)))
        end = start + len(text)
    return spans


def spans_overlap(first: Span, second: Span) -> bool:
    """Whether two spans share a character."""
    return first[0] < second[1] and second[0] < first[1]


def test_rules_find_markers_with_precision_95_and_recall_90_percent(
    record_property: Record,
) -> None:
    """Of what is found nearly all is a marker, and nearly all markers are found."""
    found_markers = right = labelled_markers = hit = 0
    wrong = []
    for row in labelled("judge_sentences"):
        sentence, markers = str(row["sentence"]), row["markers"]
        assert isinstance(markers, list)
        rule_spans = [(marker.start, marker.end) for marker in find_markers(sentence)]
        label_spans = places(sentence, markers)
        matched_rules, matched_labels = set(), set()
        for rule_span, label_span in product(rule_spans, label_spans):
            if spans_overlap(rule_span, label_span):
                matched_rules.add(rule_span)
                matched_labels.add(label_span)
        found_markers += len(rule_spans)
        labelled_markers += len(label_spans)
        right += len(matched_rules)
        hit += len(matched_labels)
        if len(matched_rules) < len(rule_spans) or len(matched_labels) < len(label_spans):
            wrong.append((sentence, [sentence[a:b] for a, b in rule_spans], markers))
    precision, recall = right / found_markers, hit / labelled_markers
    record_property("figure", f"markers: precision {precision:.3f}, recall {recall:.3f}")
    assert precision >= 0.95, (precision, wrong)
    assert recall >= 0.90, (recall, wrong)


def test_decisiveness_of_rules_ranks_sentences_as_the_survey_ranks_their_words(
    record_property: Record,
) -> None:
    """Sentences with a word of the survey are ranked as people rank the words."""
    medians = {
        word: float(np.median(np.repeat(list(counts), list(counts.values()))))
        for word, counts in surveyed_counts().items()
    }
    all_rows = pd.DataFrame(labelled("judge_sentences"))
    all_rows["score"] = all_rows["sentence"].map(sentence_decisiveness)
    of_labels = float(spearmanr(all_rows["score"], all_rows["decisiveness"]).statistic)
    rows = all_rows[all_rows["word"].fillna("") != ""]
    median = rows["word"].map(medians)
    rank = float(spearmanr(rows["score"], median).statistic)
    record_property("figure", f"decisiveness: rank correlation {rank:.3f} of {len(rows)}")
    record_property("figure", f"decisiveness: with labels {of_labels:.3f} of {len(all_rows)}")
    assert rank >= 0.9, rows[(rows["score"] - median / 100).abs() > 0.05]


AGREEMENT = {"bundled": 0.5, "fresh": 0.6}
VERDICTS = {"bundled": 0.7, "fresh": 0.7}
"""Floors. The bundled pairs are meant to be hard; the fresh ones are written as models write."""


def fresh(name: str) -> list[dict[str, object]]:
    """The rows of a set that was written and labelled by two hands that hadn't seen the rules."""
    text = (Path(__file__).parent / f"fresh_{name}.jsonl").read_text(encoding="utf-8")
    return parse_jsonl(text)


def test_rules_judge_pairs_better_than_the_floor_of_accuracy(record_property: Record) -> None:
    """More pairs than by chance are judged as labelled; enough for a demo, not for a study."""
    for name, rows in {"bundled": labelled("judge_pairs"), "fresh": fresh("pairs")}.items():
        right = [
            agreement(str(row["question"]), str(row["sentence"]), str(row["reply"])) == row["label"]
            for row in rows
        ]
        record_property("figure", f"agreement: accuracy {np.mean(right):.3f} of {len(rows)} {name}")
        assert np.mean(right) >= AGREEMENT[name], name


def test_rules_judge_answers_better_than_the_floor_of_accuracy(record_property: Record) -> None:
    """Most answers are judged as labelled; enough for a demo, not for a study."""
    for name, rows in {"bundled": labelled("judge_answers"), "fresh": fresh("answers")}.items():
        right = []
        for row in rows:
            answers = row["answers"]
            assert isinstance(answers, list)
            right.append(verdict(answers, str(row["reply"])) == row["label"])
        record_property("figure", f"verdicts: accuracy {np.mean(right):.3f} of {len(rows)} {name}")
        assert np.mean(right) >= VERDICTS[name], name


def test_labelled_sets_have_at_least_60_rows() -> None:
    """Figures of a handful of rows would say little."""
    for name in ("judge_sentences", "judge_pairs", "judge_answers"):
        assert len(labelled(name)) >= 60, name
