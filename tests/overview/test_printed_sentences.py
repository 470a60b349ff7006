"""Sentences of reports and summaries over generated results: complete, and English."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import product

import pandas as pd
import pytest

from build import attributes_of, texts_with
from inspect_confidence.directions import direction_of
from inspect_confidence.metrics import METRICS
from inspect_confidence.overview.matrix import matrix_of
from inspect_confidence.overview.ranks import headline_ranks
from inspect_confidence.overview.sentences import (
    Sentence,
    model_sentences,
    short_findings,
    study_finding,
    study_sentences,
)
from inspect_confidence.results import Key, Result, ResultTable, results_frame
from inspect_confidence.studies import NumberInText, Study, all_studies
from inspect_confidence.studies.unread import nearly_all_unread, summarize_failures

VALUES = {
    "even": (0.5, 0.5, 0.5),
    "apart": (0.02, 0.5, 0.98),
    "ends": (0.0, 0.5, 1.0),
    "high": (0.905, 0.9, 0.3),
    "low": (0.305, 0.3, 0.9),
}
"""Position of each model's number between the ends of the metric's range."""
INTERVALS = ("none", "narrow", "wide")
CASES = (
    *product((1,), ("apart",), INTERVALS, (0.0, 0.3)),
    *product((2,), VALUES, ("narrow",), (0.0,)),
    *product((2, 3), ("even",), ("none", "wide"), (0.3,)),
    *product((1, 3), ("apart",), ("narrow",), (1.0,)),
    *product((3,), ("high", "low"), ("narrow",), (0.0,)),
)
"""Number of models, values, intervals and share of parse failures: alone, tied, none readable."""
_EACH = {"method": "stated", "scale": "0-100", "threshold": "0.75", "level": "80"}
"""Values of the parts of conditions that may have any."""
_VERBS = re.compile(
    r"\b(is|are|states?|contains?|contain|tells?|knows?|means?|cannot|can|has|have|hold|holds|fits?"
    r"|says?|gives?|rises?|falls?|answers?|differs?|changes?|agrees?|varies|overstates?|understates?"
    r"|attempts?|declines?|withdraws?|keeps?|follows?|scores?|moves?|abandons?|gives? up)\b"
)


def numbers_of(study: Study) -> list[tuple[str, str, dict[str, str]]]:
    """Task, metric and condition of all numbers of a study's headlines and clauses."""
    numbers: dict[tuple[str, str, str], dict[str, str]] = {}
    for headline in study.headlines:
        where = {**headline.where, **{part: _EACH.get(part, "x") for part in headline.each}}
        numbers[headline.task, headline.metric, str(where)] = where
    for clause in study.clauses:
        for metric, condition in clause.numbers:
            where = {**condition, **{part: _EACH.get(part, "x") for part in clause.each}}
            numbers[clause.task, metric, str(where)] = where
    return [(task, metric, where) for (task, metric, _), where in numbers.items()]


def results_of(
    study: Study, models: Sequence[str], values: Sequence[float], interval: str, unread: float
) -> pd.DataFrame:
    """Results with all numbers of a study; with all replies unread no number is defined."""
    rows: list[Result] = []
    for model, share in zip(models, values, strict=False):
        for task, metric, where in numbers_of(study):
            low, high = METRICS[metric].low, METRICS[metric].high
            span = (high if math.isfinite(high) else 4) - (low if math.isfinite(low) else -4)
            value = (low if math.isfinite(low) else -4) + share * span
            half = {"none": math.nan, "narrow": 0.01, "wide": 0.45}[interval] * span
            ends = (value - half, value + half)
            if METRICS[metric].unit == "count":
                value, ends = float(round(value)), (math.nan, math.nan)
            note = "no interval: fewer than 20 items" if math.isnan(ends[0]) else ""
            key = Key(task, model, "d")
            if unread == 1:
                value, ends, note = math.nan, (math.nan, math.nan), "undefined: no reply"
            rows.append(key.result(where, metric, value, ends, n=40, note=note))
        for table in study.tables:
            note = f"{round(40 * unread)} refusal" if unread else ""
            key = Key(table.task, model, "d")
            rows.append(key.result({}, "unread_share", unread, (0, 1), n=40, note=note))
    return results_frame(rows)


def text_of(sentence: Sentence) -> str:
    """The sentence as a reader sees it."""
    return "".join(attributes_of(sentence, "text"))


def assert_is_english(text: str) -> None:
    """Whole, with balanced brackets, and without what is left of a template or of a NaN."""
    assert text.endswith("."), text
    assert not re.search(r"\bnan\b|None|\{|\}|  | [.,;:)]|\(\s|;\.|\.\.|,,|\bn = 0\b", text), text
    for opening, closing in ("()", "[]"):
        assert text.count(opening) == text.count(closing), text
    assert text[0].isupper() or text.startswith(("m", "it", "its")), text


@pytest.mark.parametrize("study", all_studies(), ids=lambda study: study.name)
def test_sentences_of_generated_results_are_english(study: Study) -> None:
    """One study alone, with each of the model counts, values, intervals and unread shares."""
    printed = 0
    for models, values, interval, unread in CASES:
        names = ["m/a", "m/b", "m/c"][:models]
        rows = results_of(study, names, VALUES[values], interval, unread)
        results = ResultTable.from_frame(rows)
        ranks = headline_ranks(results, names, {})
        matrix = matrix_of(results, names, ranks, max_columns=20, studies=[study.name])
        sentences = list(map(text_of, study_sentences(matrix)))
        by_model = [text_of(parts) for _, parts in model_sentences(results, matrix)]
        finding = text_of(study_finding(results, study.name))
        for text in [
            *sentences,
            *by_model,
            *filter(None, [finding]),
            *short_findings(results, names),
        ]:
            assert_is_english(text)
            printed += 1
        of_numbers = [text for text in sentences if not text.startswith(("Parse", "All replies"))]
        for text in [*of_numbers, *by_model, *filter(None, [finding])]:
            assert re.search(r"\((\w+) on d, n = 40\b.*\)", text), text
        for text in by_model:
            assert _VERBS.search(text), text
        if unread == 1:
            assert not by_model
            assert "replies could not be read" in nearly_all_unread(rows)
        else:
            assert finding
        for failures in summarize_failures(rows):
            assert_is_english(failures.sentence)
        if models > 1 and values == "even" and unread < 1:
            assert not texts_with(sentences, "beyond chance")
        for text in texts_with(sentences, "it is not shown which"):
            assert not texts_with([text], "est for"), text  # no highest, lowest or nearest
    assert printed


def test_clauses_have_a_place_for_each_number_whatever_the_intervals() -> None:
    """Texts that depend on intervals too: below, around and above chance, and without any."""
    numbers = []
    for value in (0.0, 0.5, 0.75, 1.0):
        numbers.append(NumberInText(value))
        numbers.append(NumberInText(value, value - 0.05, value + 0.05))
        numbers.append(NumberInText(value, value - 0.6, value + 0.6))
    checked = 0
    for study in all_studies():
        for clause in study.clauses:
            choices = [numbers] * min(2, len(clause.numbers))
            for first in product(*choices):
                picked = (*first, *numbers[: len(clause.numbers) - len(first)])
                text = clause.text if isinstance(clause.text, str) else clause.text(*picked)
                assert text.count("{}") == len(clause.numbers), (clause, text)
                assert _VERBS.search(text.format(*["1%"] * len(clause.numbers))), text
                checked += 1
    assert checked > 100


def test_directions_are_words() -> None:
    """Each headline's direction can be said."""
    for study in all_studies():
        for _, metric, where in numbers_of(study):
            assert re.fullmatch(
                r"(higher|lower|nearer to -?[\d.]+) is better|no direction|the target is not known",
                direction_of(metric, where).label,
            )
