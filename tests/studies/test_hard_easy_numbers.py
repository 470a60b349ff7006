"""LifeEval and question sets on frames: loops, scikit-learn, statsmodels and hand-made cases."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain, product
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.stats import entropy, norm, pearsonr
from sklearn.metrics import roc_auc_score

from build import (
    attributes_of,
    column_of,
    combinations_of,
    copies_with,
    frame_rows,
    map_values,
    numbered,
    records_by,
    rows_with,
    without_nan,
)
from inspect_confidence import InvalidArgument, compare
from inspect_confidence.metrics import METRICS
from inspect_confidence.results import Result, results_frame
from inspect_confidence.studies import View
from inspect_confidence.studies.life_eval.shown import calibration_tables
from inspect_confidence.studies.life_eval.study import LIFE_EVAL
from studies.frames import NAN, Row, changed, frame, without_choice
from studies.frames import Rows as Found
from studies.frames import keyed as rows_of
from studies.frames import study_results as summarize

QUICK = 30
SCORE, MAS = "score", "mas"
NumberKey = tuple[frozenset[tuple[str, str]], str]
Numbers = dict[NumberKey, tuple[float, int]]

# Multiples of 5% among them .55, .35 and .1 + .2, which floats miss; bins' edges; 0 and 1.
STATED = (0.0, 0.1 + 0.2, 0.35, 0.5, 0.55, 0.575, 0.62, 0.7, 0.8, 0.95, 1.0)
REPLIES = ("refusal", "ambiguous", "truncated", "invalid_response_format")
LETTERS = "ABCD"


# Judgments

TWENTY_ONE_AGES = range(19, 100, 4)
"""As many ages as an interval over them needs, and one more."""


def lives(
    model: str, seed: int, ages: Sequence[int] = range(19, 100, 14), **constants: object
) -> list[Row]:
    """Two epochs of a model's judgments of people, about a quarter unreadable in some way."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for epoch in (1, 2):
        for sex in ("male", "female"):
            for age in ages:
                for radius in (1.0, 5.0, 10.0, 20.0):
                    of_item = np.random.default_rng([age, int(radius), len(sex)])
                    maximum = float(of_item.uniform(0.2, 0.9))
                    row: Row = {"model": model, "dataset": "table", "epoch": epoch, "sex": sex}
                    row |= {"age": age, "radius": radius, "item": f"{sex}-{age}-{radius:g}"}
                    row |= {MAS: maximum, "best_answer": age + int(of_item.integers(30))}
                    row |= {"answer": age + int(rng.integers(40)), "status": "ok"}
                    row |= {SCORE: maximum * rng.uniform()}
                    row |= {"confidence": STATED[rng.integers(len(STATED))]}
                    rows.append({**row, **unread(rng), **constants})
    return rows


def unread(rng: np.random.Generator) -> Row:
    """What becomes of a judgment: mostly nothing, else it lacks some or all of its parts."""
    no_answer: Row = {"answer": NAN, SCORE: NAN}
    no_confidence: Row = {"confidence": NAN}
    fates: list[tuple[float, Row]] = [
        (0.06, {"status": "refusal", **no_answer, **no_confidence}),
        (0.06, {"status": "ambiguous", **no_answer}),  # its confidence mustn't count
        (0.06, {"status": "invalid_response_format", **no_confidence}),  # its answer does
        (0.04, {"status": "sample_error", **no_answer, **no_confidence}),
        (0.04, {"status": "scoring_failed", **no_answer, **no_confidence, MAS: NAN}),
    ]
    uniform_draw = rng.uniform()
    for share, fate in fates:
        if uniform_draw < share:
            return fate
        uniform_draw -= share
    return {}


def options(model: str, seed: int, kind: str, items: int = 40, **constants: object) -> list[Row]:
    """Two epochs of a question set, stated and by tokens (not where answers are given)."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for epoch in (1, 2):
        for number in range(items):
            truth = int(np.random.default_rng(number).integers(4))
            row: Row = {"model": model, "dataset": kind, "kind": kind, "epoch": epoch}
            row |= {"item": f"{kind}-{number}", "status": "ok", "source": "stated"}
            row["confidence"] = STATED[rng.integers(len(STATED))]
            if kind == "given":
                right = "True" if truth % 2 else "False"
                row |= {"given": "rh"[truth % 2], "target": right, "correct": truth % 2}
            elif kind == "true_false":
                row |= {"choices": 2, "target": ("True", "False")[truth % 2]}
                row["answer"] = ("True", "False")[(truth + (rng.uniform() < 0.3)) % 2]
            else:
                shares = rng.integers(0, 5, 4) + np.array([0, 1, 0, 2])
                shares[rng.integers(4)] += 20 * (rng.uniform() < 0.4)
                row |= {"choices": 4, "target": LETTERS[truth]}
                row |= {"probabilities": json.dumps(list(map(float, shares / shares.sum())))}
                # Mostly the largest, sometimes another.
                letter_index = int(rng.integers(4)) if rng.uniform() < 0.3 else int(shares.argmax())
                row |= {"answer": LETTERS[letter_index], "confidence": NAN}
            if rng.uniform() < 0.15:
                row |= {"status": "refusal", "confidence": NAN, "probabilities": ""}
                row |= {"correct": NAN} if kind == "given" else {"answer": ""}
            elif kind == "true_false" and rng.uniform() < 0.1:
                row |= {"status": "truncated", "confidence": NAN}
            rows.append({**row, **constants})
            if kind != "given":
                token = {**row, "source": "token", "probabilities": ""}
                token |= {"confidence": STATED[rng.integers(len(STATED))], "status": "ok"}
                if not row["answer"] or rng.uniform() < 0.1:
                    token |= {"confidence": NAN, "status": "scoring_failed"}
                rows.append({**token, **constants})
    return rows


def first_epoch(rows: Sequence[Row]) -> list[Row]:
    """Those of epoch 1."""
    return rows_with(rows, epoch=1)


def twice(rows: Sequence[Row]) -> list[Row]:
    """Every row a second time, as judgments of another epoch."""
    return [*rows, *({**row, "epoch": row["epoch"] + 2} for row in rows)]


def results(rows: Sequence[Row], task: str = "life_eval", **arguments: Any) -> pd.DataFrame:
    """Their results."""
    resamples = arguments.pop("resamples", QUICK)
    return without_choice(summarize(frame(rows, task), resamples=resamples, **arguments))


def keyed(table: pd.DataFrame, model: str) -> Found:
    """A model's results by condition and metric, each once."""
    return rows_of(table, model=model)


def row_at(table: pd.DataFrame, model: str, metric: str, **condition: str) -> Row:
    """One row of the results."""
    return keyed(table, model)[frozenset(condition.items()), metric]


def with_items(rows: Sequence[Row], items: Collection[str]) -> list[Row]:
    """The rows of these items."""
    return [row for row in rows if row["item"] in items]


def rows_of_condition(rows: Found, part: tuple[str, str]) -> Found:
    """The rows whose condition has a part."""
    return {key: row for key, row in rows.items() if part in key[0]}


# Expected numbers


def stated_confidence(row: Row) -> float:
    """The confidence, if the reply was read."""
    return float(row["confidence"]) if row["status"] == "ok" else NAN


def judged_rows(rows: Sequence[Row], outcome: str) -> list[Row]:
    """The rows with both a stated confidence and an outcome."""
    return [row for row in rows if not np.isnan([stated_confidence(row), row[outcome]]).any()]


def optimal_gaps(rows: Sequence[Row]) -> list[float]:
    """How far the answers' probabilities are from those of the best answers."""
    return [row[MAS] - row[SCORE] for row in rows]


def mean(values: Sequence[float]) -> tuple[float, int]:
    """Mean and number of those that aren't NaN."""
    defined = without_nan(values)
    return (sum(defined) / len(defined) if defined else NAN), len(defined)


def eleven_bins(sure: Sequence[float], right: Sequence[float]) -> float:
    """ECE with bins [0, .1), ..., [.9, 1) and {1}; bins of millionths, so that .1 + .2 is .3."""
    gaps: dict[int, float] = defaultdict(float)
    for c, p in zip(sure, right, strict=True):
        gaps[round(c * 1e6) // 100_000] += c - p
    return sum(map(abs, gaps.values())) / len(sure)


def area(sure: Sequence[float], right: Sequence[float]) -> float:
    """AUROC by expectation: each judgment is right with its probability, else wrong."""
    labels = [1] * len(sure) + [0] * len(sure)
    weights = [*right, *(1 - np.array(right))]
    return float(roc_auc_score(labels, [*sure, *sure], sample_weight=weights))


def bits(sure: Sequence[float], right: Sequence[float], reported_count: int) -> float:
    """Mutual information of confidence and outcome; none where few of those said are equal."""
    if reported_count >= 20 and 2 * len(set(sure)) > reported_count:
        return NAN
    table: dict[float, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for c, p in zip(sure, right, strict=True):
        table[c][0] += p
        table[c][1] += 1 - p
    cells = np.array(list(table.values()))
    sides = entropy(cells.sum(axis=0), base=2) + entropy(cells.sum(axis=1), base=2)
    return float(sides - entropy(cells.ravel(), base=2))


def multiple_of_five(c: float) -> float:
    """Whether a confidence is a multiple of 5%, in whole millionths."""
    return NAN if np.isnan(c) else float(round(c * 1e6) % 50_000 == 0)


def of_table(
    sure: Sequence[float], right: Sequence[float], item_ids: Sequence[object] = ()
) -> dict[str, tuple[float, int]]:
    """What follows from pairs of confidence and outcome, of these items if not each of another."""
    n = len(sure)
    reported_count = len(set(zip(item_ids or range(n), sure, strict=True)))
    c, p = np.array(sure), np.array(right)
    squares = p * (1 - c) ** 2 + (1 - p) * c**2
    return {
        "overconfidence": ((sum(sure) - sum(right)) / n, n),
        "ece": (eleven_bins(sure, right), n),
        "brier": (sum(squares) / n, n),
        "auroc": (area(sure, right), n),
        "meta_information": (bits(sure, right, reported_count), n),
    }


def of_everyone(rows: Sequence[Row], outcome: str) -> dict[str, tuple[float, int]]:
    """What both tasks have."""
    sure, right = list(map(stated_confidence, rows)), list(map(float, column_of(rows, outcome)))
    complete_rows = judged_rows(rows, outcome)
    failures = []
    for status in column_of(rows, "status"):
        if status in ("ok", *REPLIES):
            failures.append(float(status != "ok"))
    return {
        "accuracy": mean(right),
        "mean_confidence": mean(sure),
        **of_table(
            column_of(complete_rows, "confidence"),
            column_of(complete_rows, outcome),
            column_of(complete_rows, "item"),
        ),
        "round_rate": mean(list(map(multiple_of_five, sure))),
        "format_failure_rate": mean(failures),
        "n": (len(rows), len(rows)),
    }


def of_lives(rows: Sequence[Row]) -> dict[str, tuple[float, int]]:
    """All numbers of one radius, or of all."""
    complete_rows = judged_rows(rows, SCORE)
    correlation = pearsonr(
        column_of(complete_rows, "confidence"), column_of(complete_rows, SCORE)
    ).statistic
    return {
        **of_everyone(rows, SCORE),
        "maximum_achievable_score": mean(column_of(rows, MAS)),
        "optimal_answer_gap": mean(optimal_gaps(rows)),
        "confidence_truth_correlation": (float(correlation), len(complete_rows)),
    }


def slope(rows: Sequence[Row]) -> tuple[float, int]:
    """Of least squares, by statsmodels."""
    table = pd.DataFrame(judged_rows(rows, SCORE)).dropna(subset=[MAS])
    y, x = table["confidence"] - table[SCORE], 1 - table[MAS]
    return float(sm.OLS(y, sm.add_constant(x)).fit().params.iloc[1]), len(table)


def expected_lives(rows: Sequence[Row]) -> Numbers:
    """All numbers of a model's judgments of people, by condition."""
    numbers: Numbers = {}
    for metric, number in of_lives(rows).items():
        numbers[frozenset(), metric] = number
    numbers[frozenset(), "hard_easy_slope"] = slope(rows)
    for radius in sorted(set(map(int, column_of(rows, "radius")))):
        radius_rows = rows_with(rows, radius=radius)
        condition = {("radius", str(radius))}
        for metric, number in of_lives(radius_rows).items():
            numbers[frozenset(condition), metric] = number
        by_decade: dict[int, list[Row]] = defaultdict(list)
        for row in radius_rows:
            by_decade[row["age"] // 10 * 10].append(row)
        for decade, decade_rows in by_decade.items():
            curve = frozenset({*condition, ("age", f"{decade}-{decade + 9}")})
            numbers[curve, "mean_answer"] = mean(column_of(decade_rows, "answer"))
            numbers[curve, "mean_best_answer"] = mean(column_of(decade_rows, "best_answer"))
    return numbers


def assert_same_numbers(table: Mapping[NumberKey, Mapping[Any, Any]], expected: Numbers) -> None:
    """Exactly these numbers beside the toolbox's, each to 1e-9 and with its n."""
    assert {key for key in table if not METRICS[key[1]].toolbox} == set(expected)
    for key, (value, n) in expected.items():
        assert table[key]["value"] == pytest.approx(value, abs=1e-9, nan_ok=True), key
        assert table[key]["n"] == n, key


# All numbers


def test_every_number_of_life_eval() -> None:
    """Two epochs, unreadable rows, two models and two variants: each is its own loop."""
    ways = {
        ("a", "x"): lives("a", 0, variant="x"),
        ("b", "x"): lives("b", 1, variant="x"),
        ("a", "y"): lives("a", 2, variant="y"),
    }
    table = results(list(chain.from_iterable(ways.values())))
    for (model, variant), rows in ways.items():
        assert set(column_of(rows, "status")) > {"ok", "refusal", "ambiguous", "scoring_failed"}
        part = ("variant", variant)
        expected = {}
        for (condition, metric), number in expected_lives(rows).items():
            expected[condition | {part}, metric] = number
        assert_same_numbers(rows_of_condition(keyed(table, model), part), expected)
    assert set(table["model"]) == {"a", "b", "mean of all models"}


def test_notes_say_what_was_left_out() -> None:
    """How many judgments of which status, and over how many items two epochs are spread."""
    rows = lives("a", 4)
    table = results(rows)
    counts = pd.Series(column_of(rows, "status")).value_counts()
    judgments = pd.DataFrame(rows)
    score = judgments[SCORE]
    sure = judgments["confidence"].where(judgments["status"] == "ok")
    parts = {
        "accuracy": score,
        "mean_confidence": sure,
        "ece": sure + score,
        "confidence_truth_correlation": sure + score,
        "round_rate": sure,
        "optimal_answer_gap": judgments[MAS] - score,
    }
    for metric, values in parts.items():
        note = row_at(table, "a", metric)["note"]
        left_out = judgments["status"][values.isna()]
        assert f"{len(left_out)} of {len(rows)} judgments left out" in note, metric
        for status, count in left_out.value_counts().items():
            assert f"{count} {status}" in note, metric
        items = judgments["item"][values.notna()].nunique()
        assert f"{items} items" in note, metric
    failed = counts.reindex(REPLIES, fill_value=0).sum()
    replies = failed + counts["ok"]
    assert row_at(table, "a", "format_failure_rate")["note"] == f"{failed} of {replies}"
    assert "an eleventh for 1" in row_at(table, "a", "ece")["note"]


def type2(rows: Sequence[Row], threshold: float) -> dict[str, tuple[float, int]]:
    """Corrected shares of high confidence among right and wrong, counts in items."""
    read = judged_rows(rows, "correct")
    share = len(set(column_of(read, "item"))) / len(read)
    rates = {}
    for name, outcome in (("right", 1), ("wrong", 0)):
        confidences = np.array(column_of(rows_with(read, correct=outcome), "confidence"))
        high = int((confidences >= threshold).sum())
        rates[name] = ((high * share + 0.5) / (len(confidences) * share + 1), len(read))
    return rates


def check_options(table: Mapping[NumberKey, Mapping[Any, Any]], rows: Sequence[Row]) -> None:
    """All numbers of one source of confidence, of rows with confidence and correctness."""
    plain: Numbers = {}
    shared_rows: dict[NumberKey, Mapping[Any, Any]] = {}
    for metric, number in of_options(rows).items():
        plain[frozenset(), metric] = number
        shared_rows[frozenset(), metric] = table[frozenset(), metric]
    assert_same_numbers(shared_rows, plain)
    kind = rows[0]["kind"]
    further_keys = set()
    for condition, metric in set(table) - set(plain):
        if not METRICS[metric].toolbox:
            further_keys.add((dict(condition).get("threshold"), metric))
    if kind == "given":
        assert not further_keys
        return
    for threshold in (0.5, 0.75):
        rates = type2(rows, threshold)
        h2, n = rates["right"]
        f2, _ = rates["wrong"]
        condition = frozenset({("threshold", str(threshold))})
        row = table[condition, "type2_dprime"]
        assert row["value"] == pytest.approx(norm.ppf(h2) - norm.ppf(f2), abs=1e-9)
        assert row["n"] == n
        # meta-d' and criterion of the ideal observer give the rates they came from.
        d = table[condition, "meta_d_ideal"]["value"]
        c = table[condition, "type2_criterion"]["value"]
        assert norm.cdf(d / 2 - c) / norm.cdf(d / 2) == pytest.approx(h2, abs=1e-6)
        assert norm.cdf(-d / 2 - c) / norm.cdf(-d / 2) == pytest.approx(f2, abs=1e-6)
    metrics = {"type2_dprime", "meta_d_ideal", "type2_criterion", "m_ratio"}
    fitted = {(None, "meta_d"), (None, "m_ratio")} if kind == "true_false" else set()
    assert further_keys == {*product(("0.5", "0.75"), metrics), *fitted}


def of_options(rows: Sequence[Row]) -> dict[str, tuple[float, int]]:
    """What question sets have without thresholds."""
    return of_everyone(rows, "correct")


def completed(rows: Sequence[Row]) -> list[Row]:
    """By hand: the named letter's probability, and whether it is the target."""
    done = []
    for row in rows:
        full = dict(row)
        if row.get("probabilities"):
            full["confidence"] = json.loads(row["probabilities"])[LETTERS.index(row["answer"])]
        if row["kind"] != "given":
            full["correct"] = float(row["answer"] == row["target"]) if row["answer"] else NAN
        if row["source"] == "token" and row["status"] != "ok":
            full["correct"] = NAN
        done.append(full)
    return done


@pytest.mark.parametrize("kind", ["options", "true_false", "given"])
@pytest.mark.parametrize("convention", [None, "authors"])
def test_every_number_of_question_sets(kind: str, convention: str | None) -> None:
    """Two models, two epochs, unreadable rows, stated and token: each is its own loop."""
    of_models = {"a": options("a", 0, kind), "b": options("b", 1, kind)}
    all_rows = list(chain.from_iterable(of_models.values()))
    table = results(all_rows, "question_sets", convention=convention)
    for model, rows in of_models.items():
        whole = completed(rows)
        for source in set(column_of(rows, "source")):
            source_table = {}
            for (condition, metric), row in keyed(table, model).items():
                parts = dict(condition)
                if parts.pop("source", "stated") == source and "of" not in parts:
                    source_table[frozenset(parts.items()), metric] = row
            source_rows = rows_with(whole, source=source)
            if convention == "authors":  # its own rules, on the recorded answers
                for metric in ("ece", "round_rate"):
                    del source_table[frozenset(), metric]
                expected = of_options(source_rows)
                for metric in ("accuracy", "mean_confidence", "brier", "auroc", "n"):
                    value = source_table[frozenset(), metric]["value"]
                    assert value == pytest.approx(expected[metric][0], abs=1e-9)
            else:
                check_options(source_table, source_rows)


def given_answers(sure: Sequence[float], right: Sequence[int], **columns: object) -> list[Row]:
    """A judgment of a given answer for each confidence and outcome."""
    rows = pd.DataFrame({"kind": "given", "confidence": sure, "correct": right, **columns})
    return frame_rows(rows.assign(item=numbered("", len(rows))))


def test_authors_ece_and_rounding_by_hand() -> None:
    """0 lies in no bin, .3 in that which ends there; .55 and .35 times 100 aren't whole floats."""
    # Bins: (0, .1] none; (.2, .3] .3, right; (.3, .4] .35, wrong; (.5, .6] .55, right; (.9, 1] 1,
    # wrong. ECE (.7 + .35 + .45 + 1) / 5. Ours has 0, right, in a bin, and .3 and .35 share one: (1
    # + |.65 - 1| + .45 + 1) / 5.
    sure = [0.0, 0.3, 0.35, 0.55, 1.0]
    rows = given_answers(sure, [1, 1, 0, 1, 0], epoch=1)
    rows += copies_with(rows, epoch=2)
    published = results(rows, "question_sets", convention="authors")
    default = results(rows, "question_sets")
    assert row_at(published, "unnamed", "ece")["value"] == pytest.approx(0.5)
    assert row_at(default, "unnamed", "ece")["value"] == pytest.approx(0.56)
    assert (
        np.count_nonzero(np.array(sure) * 100 % 5) == 1
    )  # 100 * .55 is 55.00000000000001; .35 happens to be 35
    assert row_at(published, "unnamed", "round_rate")["value"] == pytest.approx(0.8)
    assert row_at(default, "unnamed", "round_rate")["value"] == 1


def test_rounding_of_floats() -> None:
    """.55, .35 and .1 + .2 are multiples of 5%, and confidences that floats part are ties."""
    # .55, .35 and .1 + .2 are multiples of 5%; .3001 isn't, nor is .62.
    rows = given_answers([0.55, 0.35, 0.1 + 0.2, 0.3001, 0.62], [1] * 5)
    number = row_at(results(rows, "question_sets"), "unnamed", "round_rate")
    assert (number["value"], number["n"]) == (pytest.approx(3 / 5), 5)
    # .7 of .7 + .2 + .1 is .7000000000000001, which is no surer than .7 of .7 + .3. Right and wrong
    # answers are stated with 70% all, so that AUROC is .5 and nothing is told.
    total = 0.7 + 0.2 + 0.1
    assert 0.7 / total != 0.7
    common_fields = {"kind": "options", "answer": "A"}
    rows = [
        {
            **common_fields,
            "item": "1",
            "target": "A",
            "probabilities": json.dumps([0.7 / total, 0.3]),
        },
        {**common_fields, "item": "2", "target": "B", "probabilities": json.dumps([0.7, 0.3])},
    ]
    table = results(rows, "question_sets")
    assert row_at(table, "unnamed", "auroc")["value"] == pytest.approx(0.5)
    assert row_at(table, "unnamed", "meta_information")["value"] == pytest.approx(0, abs=1e-9)


# Second epochs


def test_second_epoch_of_the_same_judgments_changes_nothing_in_life_eval() -> None:
    """No value and no interval, the slope's and those of means of models among them."""
    rows = first_epoch([*lives("a", 1, TWENTY_ONE_AGES), *lives("b", 2, TWENTY_ONE_AGES)])
    once, repeated = results(rows, resamples=80), results(twice(rows), resamples=80)
    assert changed(once, repeated).empty, changed(once, repeated).to_string()
    slopes = once[once["metric"] == "hard_easy_slope"]
    assert (slopes["ci_high"] - slopes["ci_low"] > 0.05).all()
    assert len(slopes) == 3


@pytest.mark.parametrize("convention", [None, "text"])
def test_second_epoch_of_the_same_judgments_changes_nothing_in_sets(convention: str | None) -> None:
    """No value, interval or p, of stated and token confidence."""
    rows = [*options("a", 3, "options"), *options("a", 3, "true_false"), *options("a", 3, "given")]
    rows = first_epoch(rows)
    settings: dict[str, Any] = {"task": "question_sets", "resamples": 80, "convention": convention}
    once, repeated = results(rows, **settings), results(twice(rows), **settings)
    assert changed(once, repeated).empty, changed(once, repeated).to_string()
    assert {"meta_d", "m_ratio", "type2_dprime", "difference", "p_value"} <= set(once["metric"])


# Grading


CASES: list[tuple[Any, ...]] = [
    # probabilities, letter named, target; authors' correct and confidence, the text's
    ([0.4, 0.3, 0.2, 0.1], "A", "A", (1, 0.4), (1, 0.4)),
    ([0.4, 0.3, 0.2, 0.1], "B", "B", (1, 0.3), (0, 0.4)),
    ([0.4, 0.3, 0.2, 0.1], "B", "A", (0, 0.3), (1, 0.4)),
    ([0.4, 0.4, 0.1, 0.1], "A", "B", (0, 0.4), (1 / 2, 0.4)),
    ([0.4, 0.4, 0.1, 0.1], "A", "A", (1, 0.4), (1 / 2, 0.4)),
    ([0.4, 0.4, 0.1, 0.1], "A", "C", (0, 0.4), (0, 0.4)),
    ([0.3, 0.3, 0.3, 0.1], "C", "B", (0, 0.3), (1 / 3, 0.3)),
    ([0.3, 0.3, 0.3, 0.1], "D", "D", (1, 0.1), (0, 0.3)),
    ([0.5, 0.5, 0.0, 0.0], "C", "B", (0, 0.0), (1 / 2, 0.5)),
    ([0.5, 0.5, 0.0, 0.0], "C", "C", (1, 0.0), (0, 0.5)),
    ([0.25, 0.25, 0.25, 0.25], "D", "A", (0, 0.25), (1 / 4, 0.25)),
]


def graded_rows(cases: Sequence[tuple[Any, ...]]) -> list[Row]:
    """Two epochs of each case, and an unreadable reply."""
    rows: list[Row] = []
    for number, (shares, letter, target, *_) in enumerate(cases):
        row = {"item": str(number), "kind": "options", "probabilities": json.dumps(shares)}
        rows.append({**row, "status": "ok", "answer": letter, "target": target, "epoch": 1})
    unreadable = {"probabilities": "", "answer": "", "status": "refusal"}
    return [*rows, *copies_with(rows, epoch=2), {**rows[0], "epoch": 3, **unreadable}]


def test_grading_of_a_case() -> None:
    """By the letter named, or by the largest probability with ties shared."""
    for convention, place in ((None, 3), ("authors", 3), ("text", 4)):
        for case in CASES:
            table = keyed(
                results(graded_rows([case]), "question_sets", convention=convention, resamples=5),
                "unnamed",
            )
            correct, confidence = case[place]
            expected = {"accuracy": correct, "mean_confidence": confidence}
            expected["overconfidence"] = confidence - correct
            for metric, value in expected.items():
                row = table[frozenset(), metric]
                assert row["value"] == pytest.approx(value), (convention, case, metric)
                assert row["n"] == 2, (convention, case, metric)


@pytest.mark.parametrize(("convention", "place"), [(None, 3), ("text", 4)])
def test_grading_of_all_cases_together(convention: str | None, place: int) -> None:
    """ECE, Brier score and AUROC count ties by expectation; type 2 has no half right answers."""
    table = results(graded_rows(CASES), "question_sets", convention=convention)
    graded = column_of(CASES, place)
    right, sure = column_of(graded, 0), column_of(graded, 1)
    for metric, (value, n) in of_table(sure, right).items():
        row = row_at(table, "unnamed", metric)
        assert row["value"] == pytest.approx(value, abs=1e-9), metric
        assert row["n"] == 2 * n
    assert row_at(table, "unnamed", "format_failure_rate")["value"] == pytest.approx(1 / 23)
    dprime = row_at(table, "unnamed", "type2_dprime", threshold="0.5")
    if convention == "text":
        assert np.isnan(dprime["value"])
        assert "not all right or wrong" in dprime["note"]


def test_grading_of_single_replies() -> None:
    """By a letter or by the largest probability, divided by their sum, also without a letter."""
    # Two probabilities are of True and False; without any, the convention changes nothing.
    true_false_row = {"kind": "true_false", "answer": "True", "target": "False", "epoch": 1}
    rows = [{**true_false_row, "item": "q", "probabilities": "[0.4, 0.6]"}]
    plain = [{**true_false_row, "item": "q", "confidence": 0.4}]
    by_text = results(rows, "question_sets", convention="text")
    assert row_at(by_text, "unnamed", "accuracy")["value"] == 1
    assert row_at(by_text, "unnamed", "mean_confidence")["value"] == 0.6
    for convention in (None, "text"):
        table = results(plain, "question_sets", convention=convention)
        assert row_at(table, "unnamed", "accuracy")["value"] == 0
        assert row_at(table, "unnamed", "mean_confidence")["value"] == 0.4
    # As those of a run are: .9 and .6 are .6 and .4, by letter and by text.
    option_row = {"item": "q", "kind": "options", "answer": "B", "target": "B"}
    rows = [{**option_row, "probabilities": "[0.9, 0.6]"}]
    for convention, sure, right in ((None, 0.4, 1), ("text", 0.6, 0)):
        table = results(rows, "question_sets", convention=convention)
        assert row_at(table, "unnamed", "mean_confidence")["value"] == pytest.approx(sure)
        assert row_at(table, "unnamed", "accuracy")["value"] == right
    # A reply whose letter can't be read has an answer by the text, and none by the authors.
    row = {"item": "q", "kind": "options", "answer": "", "target": "A", "status": "ambiguous"}
    rows = [{**row, "probabilities": "[0.7, 0.3]"}]
    by_text = results(rows, "question_sets", convention="text")
    assert row_at(by_text, "unnamed", "accuracy")["value"] == 1
    assert row_at(by_text, "unnamed", "mean_confidence")["value"] == 0.7
    assert row_at(by_text, "unnamed", "format_failure_rate")["value"] == 0
    by_letter = results(rows, "question_sets")
    assert np.isnan(row_at(by_letter, "unnamed", "accuracy")["value"])
    assert np.isnan(row_at(by_letter, "unnamed", "mean_confidence")["value"])
    assert row_at(by_letter, "unnamed", "format_failure_rate")["value"] == 1


def test_meta_d_of_true_and_false() -> None:
    """It is there, and the same with true and false exchanged; more sensitive: larger."""
    rng = np.random.default_rng(5)
    values = {}
    for name, gain in (("weak", 0.1), ("strong", 0.8)):
        rows: list[Row] = []
        for k in range(150):
            sure = float(rng.choice([0.5, 0.6, 0.7, 0.8, 0.9]))
            right = rng.uniform() < 0.7 + gain * (sure - 0.7)
            target = bool(rng.integers(2))
            row = {"item": str(k), "kind": "true_false", "confidence": sure, "choices": 2}
            rows.append({**row, "target": str(target), "answer": str(target == right)})
        table = results(rows, "question_sets")
        swap = {"True": "False", "False": "True"}
        swapped = pd.DataFrame(rows).replace({"target": swap, "answer": swap})
        turned = results(frame_rows(swapped), "question_sets")
        fit = row_at(table, "unnamed", "meta_d")
        values[name] = fit["value"]
        assert fit["ci_low"] <= fit["value"] <= fit["ci_high"]
        assert "5 ratings" in fit["note"]
        turned_meta_d = row_at(turned, "unnamed", "meta_d")["value"]
        assert turned_meta_d == pytest.approx(fit["value"], abs=1e-3)
        assert np.isfinite(row_at(table, "unnamed", "m_ratio", type1="sdt")["value"])
    assert values["strong"] > values["weak"] + 0.2


# Tokens


def test_token_rows_that_are_all_missing_are_undefined() -> None:
    """Without log probabilities there is no confidence: NaN with a reason, not 1 and no failure."""
    rows = options("a", 1, "true_false")
    for row in rows_with(rows, source="token"):
        row |= {"confidence": NAN, "status": "scoring_failed", "reason": "no log probabilities"}
    table = results(rows, "question_sets")
    token = rows_of_condition(keyed(table, "a"), ("source", "token"))
    assert set(column_of(token, 1)) >= {"mean_confidence", "ece", "auroc", "meta_d"}
    for (condition, metric), row in token.items():
        if metric == "n":
            continue
        assert np.isnan([row["value"], row["ci_low"], row["ci_high"]]).all(), (condition, metric)
        assert row["note"].startswith("undefined: "), (condition, metric)
        assert row["n"] == 0
    assert not table["condition"].str.contains("versus=token").any()
    assert "ECE, stated and by the answer's token" not in titles(table)


def test_stated_less_token_on_items_that_have_both() -> None:
    """Differences are of loops over items with a readable judgment of either kind."""
    rows = completed(options("a", 7, "true_false"))
    # Some items have no token confidence in either epoch, others no readable answer.
    for row in rows_with(rows, source="token"):
        if int(row["item"].rsplit("-", 1)[1]) % 7 == 0:
            row |= {"confidence": NAN, "status": "scoring_failed"}
    judgments = pd.DataFrame(rows_with(rows, status="ok")).dropna(subset=["correct"])
    sources_per_item = judgments.groupby("item")["source"].nunique()
    common_items = sources_per_item.index[sources_per_item == 2]
    assert 0 < len(common_items) < 40
    numbers_by_source = {}
    for source, chosen in judgments[judgments["item"].isin(common_items)].groupby("source"):
        sure, right = chosen["confidence"].tolist(), chosen["correct"].tolist()
        means = {"accuracy": mean(right), "mean_confidence": mean(sure)}
        numbers_by_source[source] = {**of_table(sure, right), **means}
    stated_numbers, token_numbers = numbers_by_source["stated"], numbers_by_source["token"]
    table = results(rows, "question_sets", resamples=200)
    for metric, (value, _) in stated_numbers.items():
        difference = row_at(table, "a", "difference", of=metric, versus="token")
        assert difference["value"] == pytest.approx(value - token_numbers[metric][0], abs=1e-9), (
            metric
        )
        assert difference["n"] == len(common_items)
        assert difference["note"].startswith(f"on the {len(common_items)} items that both have")
        p = row_at(table, "a", "p_value", of=metric, versus="token")["value"]
        if np.isnan(difference["ci_low"]):
            assert "no interval: " in difference["note"]
        else:
            assert difference["ci_low"] <= difference["value"] <= difference["ci_high"]
            assert 1 / 201 - 1e-12 <= p <= 1


# Common items


@pytest.mark.parametrize("task", ["life_eval", "question_sets"])
def test_common_items_are_those_every_model_answered(task: str) -> None:
    """Numbers are of the items that all judgments of all models are `ok` of; notes say how many."""
    all_rows = (
        [*lives("a", 1), *lives("b", 2)]
        if task == "life_eval"
        else completed([*options("a", 1, "options"), *options("b", 2, "options")])
    )
    # One item was never asked of b.
    never = all_rows[8]["item"]
    for row in rows_with(all_rows, model="b", item=never):
        all_rows.remove(row)
    stated_judgments = pd.DataFrame([row for row in all_rows if row.get("source") != "token"])
    lost_items = {*stated_judgments["item"][stated_judgments["status"] != "ok"], never}
    kept_items = set(stated_judgments["item"]) - lost_items
    assert 10 < len(kept_items) < len(kept_items | lost_items) - 10
    table = results(all_rows, task, common_items=True)
    counts = f"{len(kept_items)} of {len(kept_items | lost_items)} items"
    note_text = f"{counts} that all 2 models and variants answered readably"
    assert table["note"].str.contains(note_text, regex=False).all()
    for model in "ab":
        model_rows = with_items(rows_with(all_rows, model=model), kept_items)
        if task == "life_eval":
            assert_same_numbers(keyed(table, model), expected_lives(model_rows))
        else:
            stated_rows = rows_with(model_rows, source="stated")
            expected = of_options(stated_rows)
            for metric, (value, n) in expected.items():
                row = row_at(table, model, metric)
                assert (row["value"], row["n"]) == (
                    pytest.approx(value, abs=1e-9, nan_ok=True),
                    n,
                ), metric
            token = row_at(table, model, "n", source="token")["value"]
            assert token == len(model_rows) - len(stated_rows)  # a missing token loses no item


def test_common_items_of_sets() -> None:
    """Given answers are items; each data set loses its own; of nothing there are none."""
    # Of a question whose one given answer was refused, the other stays.
    rows = combinations_of(model="ab", item="123", given="rh")
    rows = copies_with(rows, dataset="halueval", kind="given", confidence=0.6, status="ok")
    for row in rows:
        row["correct"] = float(row["given"] == "r")
    rows[1] |= {"status": "refusal", "confidence": NAN, "correct": NAN}  # a, item 1, h
    table = results(rows, "question_sets", common_items=True)
    assert row_at(table, "b", "n")["value"] == 5
    assert row_at(table, "b", "accuracy")["value"] == pytest.approx(3 / 5)
    assert (
        "5 of 6 items that all 2 models and variants answered readably"
        in row_at(table, "a", "ece")["note"]
    )
    # What one data set loses is no loss of another.
    rows = [*options("a", 1, "given"), *options("a", 2, "true_false")]
    table = results(rows, "question_sets", common_items=True)
    for kind in ("given", "true_false"):
        stated_judgments = pd.DataFrame(rows_with(rows, kind=kind, source="stated"))
        bad = set(stated_judgments["item"][stated_judgments["status"] != "ok"])
        notes = table.loc[table["dataset"] == kind, "note"]
        expected = f"{40 - len(bad)} of 40 items that all 1 models and variants answered readably"
        assert notes.str.contains(expected, regex=False).all()
    empty = frame(lives("a", 1), "life_eval").iloc[:0]
    assert summarize({"life_eval": empty}, resamples=QUICK).empty
    assert summarize({"life_eval": empty}, resamples=QUICK, common_items=True).empty


# Groups of models


@pytest.fixture
def grouping(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file of groups."""

    def write(*lines: str) -> Path:
        path = tmp_path / "groups.csv"
        path.write_text("\n".join(["model,group", *lines]) + "\n", "utf-8")
        return path

    return write


UNAVERAGED = ("n", "mean_answer", "mean_best_answer", "calibration_p")


@pytest.mark.parametrize("task", ["life_eval", "question_sets"])
def test_group_mean_is_the_mean_of_its_models(task: str, grouping: Callable[..., Path]) -> None:
    """Every number that models have, but counts, curves and failure rates; groups of two."""
    rows = []
    for seed, model in enumerate("abcd"):
        rows += lives(model, seed) if task == "life_eval" else options(model, seed, "options")
    table = results(
        rows, task, options={"life_eval.groups": grouping("a,odd", "b,even", "c,odd", "d,single")}
    )
    assert set(table["model"]) == {*"abcd", "mean of odd", "mean of even", "mean of single"}
    single_model, single = keyed(table, "d"), keyed(table, "mean of single")
    assert len(single) > 10
    for key, row in single.items():
        for number in ("value", "ci_low", "ci_high"):
            expected = pytest.approx(single_model[key][number], abs=1e-9, nan_ok=True)
            assert row[number] == expected or key[1] == "meta_information", (key, number)
    mean_rows = keyed(table, "mean of odd")
    first_model, second_model = keyed(table, "a"), keyed(table, "c")
    shared = {key for key in first_model if key[1] not in (*UNAVERAGED, "difference", "p_value")}
    assert set(mean_rows) == shared
    for key, row in mean_rows.items():
        expected = (first_model[key]["value"] + second_model[key]["value"]) / 2
        assert row["value"] == pytest.approx(expected, abs=1e-9, nan_ok=True), key
        if not np.isnan(row["value"]):
            assert row["note"].startswith("unweighted mean of a, c"), key
            assert row["ci_low"] <= row["ci_high"] or "no interval: " in row["note"]


def test_means_of_models() -> None:
    """All are one group without a file; one has no mean, and a copy is no second witness."""
    assert set(results([*lives("a", 1), *lives("b", 2)])["model"]) == {*"ab", "mean of all models"}
    assert set(results(lives("a", 1))["model"]) == {"a"}
    rows = lives("a", 3)
    table = results([*rows, *copies_with(rows, model="copy")], resamples=100)
    single, mean_table = keyed(table, "a"), keyed(table, "mean of all models")
    assert (frozenset(), "hard_easy_slope") in mean_table
    for key, row in mean_table.items():
        for number in ("value", "ci_low", "ci_high"):
            if number != "value" and key[1] == "format_failure_rate":
                continue  # Wilson's of a model, over items; resampled of a mean
            # Of means of ECE and its kin there is none: their bias doesn't shrink with the models.
            biased = key[1] in ("ece", "rms_calibration_error", "smooth_ece")
            expected = NAN if number != "value" and biased else single[key][number]
            assert row[number] == pytest.approx(expected, abs=1e-9, nan_ok=True), (key, number)


def test_a_mean_of_models_without_common_items_says_so() -> None:
    """Of the slope and of accuracy; its interval is narrower than that of the worse model."""
    of_models = {"a": lives("a", 1, TWENTY_ONE_AGES), "b": lives("b", 2, TWENTY_ONE_AGES)}
    for row in of_models["b"]:
        row |= {"radius": row["radius"] + 1, "item": f"{row['item']} other"}
    table = results(list(chain.from_iterable(of_models.values())))
    widths = []
    for model in of_models:
        row = row_at(table, model, "hard_easy_slope")
        widths.append(row["ci_high"] - row["ci_low"])
        assert "neighbouring ages are alike" in row["note"]
    mean_slope = row_at(table, "mean of all models", "hard_easy_slope")
    items = len(set(column_of(chain.from_iterable(of_models.values()), "item")))
    for metric in ("hard_easy_slope", "accuracy"):
        note_text = f"models have none of {items} items in common"
        assert note_text in row_at(table, "mean of all models", metric)["note"]
    assert mean_slope["ci_high"] - mean_slope["ci_low"] < max(widths)


def test_an_undefined_model_makes_the_mean_undefined() -> None:
    """NaN with the model's name, of the correlation and of the slope."""
    constant = copies_with(lives("b", 2), confidence=0.5)
    table = results([*lives("a", 1), *constant])
    row = row_at(table, "mean of all models", "confidence_truth_correlation")
    assert np.isnan([row["value"], row["ci_low"], row["ci_high"]]).all()
    assert row["note"].startswith("undefined: undefined in b")
    assert not np.isnan(row_at(table, "mean of all models", "accuracy")["value"])
    unknown = lives("b", 2)
    for row in unknown:
        row[MAS] = NAN
    table = results([*lives("a", 1), *unknown])
    for metric in ("hard_easy_slope", "maximum_achievable_score", "optimal_answer_gap"):
        assert np.isnan(row_at(table, "b", metric)["value"])
        row = row_at(table, "mean of all models", metric)
        assert np.isnan([row["value"], row["ci_low"], row["ci_high"]]).all()
        assert row["note"].startswith("undefined: undefined in b"), metric
    assert "no maximum known" in row_at(table, "b", "hard_easy_slope")["note"]


def test_groups_that_lack_a_model_or_have_it_twice(grouping: Callable[..., Path]) -> None:
    """Both are errors that name the model."""
    rows = [*lives("a", 1), *lives("b", 2)]
    with pytest.raises(InvalidArgument, match="there is no group for b"):
        results(rows, options={"life_eval.groups": grouping("a,one")})
    with pytest.raises(InvalidArgument, match="a is in one and in two"):
        results(rows, options={"life_eval.groups": grouping("a,one", "b,one", "a,two")})
    duplicated = results(
        rows, options={"life_eval.groups": grouping("a,one", "b,one", "a,one", "absent,two")}
    )
    assert set(duplicated["model"]) == {"a", "b", "mean of one"}


# Differences of models


def common_rows(a: Sequence[Row], b: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Readable judgments of the items that both have one of."""
    first, second = judged_rows(a, SCORE), judged_rows(b, SCORE)
    items = set(column_of(first, "item")) & set(column_of(second, "item"))
    return with_items(first, items), with_items(second, items)


def test_compare_two_models() -> None:
    """Differences overall, by radius and of slopes, on common items, are those of loops."""
    a, b = lives("a", 1, TWENTY_ONE_AGES), lives("b", 2, TWENTY_ONE_AGES)
    a = [row for row in a if row["age"] != 63]  # not asked of a
    comparisons = compare(frame(a, "life_eval"), frame(b, "life_eval"), resamples=60)
    assert set(comparisons["a"]) == {"a stated"}
    assert set(comparisons["b"]) == {"b stated"}
    first_rows, second_rows = common_rows(a, b)
    item_and_epoch = itemgetter("item", "epoch")
    assert set(map(item_and_epoch, first_rows)) != set(map(item_and_epoch, second_rows))
    checked = set()
    for radius in ("", "1", "5", "10", "20"):
        part = {"radius": float(radius)} if radius else {}
        first, second = rows_with(first_rows, **part), rows_with(second_rows, **part)
        of_both = []
        for rows in (first, second):
            sure = column_of(rows, "confidence")
            right = column_of(rows, SCORE)
            numbers = of_table(sure, right)
            numbers |= {"accuracy": mean(right), "mean_confidence": mean(sure)}
            if not radius:
                numbers["hard_easy_slope"] = slope(rows)
            of_both.append(dict(zip(numbers, column_of(numbers.values(), 0), strict=True)))
        condition = f"radius={radius}" if radius else ""
        for metric, value in of_both[0].items():
            chosen = comparisons[
                (comparisons["condition"] == condition) & (comparisons["metric"] == metric)
            ]
            assert len(chosen) == 1, (condition, metric)
            row = frame_rows(chosen)[0]
            assert row["value_a"] == pytest.approx(value, abs=1e-9), metric
            assert row["value_b"] == pytest.approx(of_both[1][metric], abs=1e-9), metric
            assert row["difference"] == pytest.approx(value - of_both[1][metric], abs=1e-9)
            assert row["items"] == len(set(column_of(first, "item")))
            # Biased metrics have no interval over ages.
            if not (none := metric in ("ece", "meta_information")):
                assert 1 / 61 - 1e-12 <= row["p"] <= 1
            assert np.isnan(row["p"]) == none
            checked.add((condition, metric))
    assert len(comparisons) == len(checked) == 7 * 5 + 1


def test_a_difference_from_a_perfect_model_has_the_interval_of_overconfidence() -> None:
    """Of all radii and of each: the second model's overconfidence is 0 in every resample."""
    a = frame(rows_with(lives("a", 1, TWENTY_ONE_AGES), status="ok"), "life_eval")
    a["confidence"] = a["confidence"].clip(0.3, 0.7)
    a = a[~((a["radius"] == 5) & (a["age"] == 63))]  # a radius may lack an age
    b = a.assign(model="b", confidence=a[SCORE])
    results = summarize(a, resamples=2_000)
    differences = compare(a, b, resamples=2_000)
    for radius in ("", "1", "5", "10", "20"):
        condition = f"radius={radius}" if radius else ""
        difference_and_value = []
        for frame_of_numbers in (differences, results):
            numbers = frame_of_numbers[frame_of_numbers["metric"] == "overconfidence"]
            difference_and_value += frame_rows(numbers[numbers["condition"] == condition])
        row, value = difference_and_value
        assert row["difference"] == pytest.approx(value["value"], abs=1e-9)
        # Limits of a single value are those of its logit, which differ a little.
        ends = pytest.approx((value["ci_low"], value["ci_high"]), abs=0.02)
        assert (row["ci_low"], row["ci_high"]) == ends


def test_comparisons_that_are_known() -> None:
    """A tenth of difficulty is .1 in every draw; who answers alike doesn't differ."""
    # Confidence raised by a tenth of difficulty: .1 in every draw, and surely no chance.
    low = frame(rows_with(lives("a", 1, TWENTY_ONE_AGES), status="ok"), "life_eval")
    low["confidence"] = low["confidence"].clip(upper=0.9)
    high = low.assign(model="b", confidence=low["confidence"] + 0.1 * (1 - low[MAS]))
    comparisons = compare(high, low, resamples=200)
    row = comparisons[comparisons["metric"] == "hard_easy_slope"].iloc[0]
    assert row["difference"] == pytest.approx(0.1, abs=1e-8)
    assert "every resample gave the same value" in row["note"]
    assert row["p"] < 0.05
    # Differences of 0 with p of 1, twice as many epochs of one changing nothing.
    a = lives("a", 1)
    comparisons = compare(
        frame(a, "life_eval"), frame(copies_with(twice(a), model="b"), "life_eval"), resamples=50
    )
    numbers = comparisons[["difference", "ci_low", "ci_high"]].to_numpy()
    assert np.nanmax(np.abs(numbers)) < 1e-9
    assert (comparisons.loc[comparisons["condition"] == "", "p"].dropna() == 1).all()


def test_compare_question_sets() -> None:
    """Differences of what is stated and of tokens, each with its own kind."""
    of_models = {
        "a": completed(options("a", 0, "true_false")),
        "b": completed(options("b", 1, "true_false")),
    }
    comparisons = compare(
        frame(of_models["a"], "question_sets"), frame(of_models["b"], "question_sets"), resamples=40
    )
    assert set(zip(comparisons["a"], comparisons["b"], strict=True)) == {
        ("a stated", "b stated"),
        ("a token", "b token"),
    }
    for source in ("stated", "token"):
        first = rows_with(of_models["a"], source=source, status="ok")
        second = rows_with(of_models["b"], source=source, status="ok")
        items = set(column_of(first, "item")) & set(column_of(second, "item"))
        values = []
        for rows in (with_items(first, items), with_items(second, items)):
            values.append(of_table(column_of(rows, "confidence"), column_of(rows, "correct")))
        source_comparisons = comparisons[
            (comparisons["a"] == f"a {source}") & (comparisons["condition"] == "")
        ]
        for metric in values[0]:
            (row,) = source_comparisons[source_comparisons["metric"] == metric].to_dict("records")
            expected = values[0][metric][0] - values[1][metric][0]
            assert row["difference"] == pytest.approx(expected, abs=1e-9), metric
            assert row["items"] == len(items)


def test_what_is_compared_of_sets() -> None:
    """Given answers that both judged; rows without a source are stated, as `summarize` has it."""
    # Of a question of which one judged both answers and the other one, that one counts.
    rows = copies_with(combinations_of(item="12", given="rh"), kind="given", status="ok")
    for judgment in rows:
        judgment["correct"] = float(judgment["given"] == "r")
        judgment["confidence"] = 0.9 if judgment["given"] == "r" else 0.1
    a = copies_with(rows, model="a")
    b = copies_with(rows, model="b", confidence=0.5)
    b[1] |= {"status": "refusal", "confidence": NAN, "correct": NAN}  # item 1, h
    comparisons = compare(frame(a, "question_sets"), frame(b, "question_sets"), resamples=20)
    (row,) = comparisons[comparisons["metric"] == "mean_confidence"].to_dict("records")
    assert row["value_a"] == pytest.approx((0.9 + 0.9 + 0.1) / 3)
    assert row["value_b"] == pytest.approx(0.5)
    (row,) = comparisons[comparisons["metric"] == "accuracy"].to_dict("records")
    assert [row["value_a"], row["value_b"]] == pytest.approx([2 / 3, 2 / 3])
    rows = options("a", 1, "given")
    judgments = frame(rows, "question_sets")
    plain, other_model = judgments.drop(columns="source"), judgments.assign(model="b")
    assert len(compare(plain, other_model, resamples=20))


# What is refused


def test_bad_columns_and_shares_are_named() -> None:
    """Columns that lack, empty cells, and shares beyond [0, 1], also by compare."""
    judgments = frame(lives("a", 1), "life_eval")
    for column in ("age", "radius", "item"):
        with pytest.raises(InvalidArgument, match=f"lacks the column '{column}'"):
            summarize(judgments.drop(columns=column), resamples=QUICK)
    for column in ("age", "radius"):
        holed = judgments.copy()
        holed.loc[3, column] = NAN
        with pytest.raises(InvalidArgument, match=column):
            summarize(holed, resamples=QUICK)
    other_model = frame(lives("b", 1), "life_eval")
    for column in ("confidence", SCORE, MAS):
        for number in (1.01, -0.01, 70.0):
            judgments = frame(lives("a", 1), "life_eval")
            judgments.loc[3, column] = number
            message = f"{column}={number:g} is not in"
            with pytest.raises(InvalidArgument, match=message):
                summarize(judgments, resamples=QUICK)
            with pytest.raises(InvalidArgument, match=message):
                compare(judgments, other_model, resamples=QUICK)
    for column in ("confidence", "correct"):
        judgments = frame(options("a", 1, "given"), "question_sets")
        judgments.loc[3, column] = 85
        with pytest.raises(InvalidArgument, match=f"{column}=85 is not in"):
            summarize(judgments, resamples=QUICK)


def test_malformed_probabilities() -> None:
    """An error that shows the text and what it should be like; so has a letter beyond the list."""
    row = {"item": "q", "kind": "options", "answer": "A", "target": "A"}
    for text in (
        *("[0.7, 0.3", "0.7", '[0.7, "x"]', "[NaN, 0.5]", "null", "[1.2, -0.2]", "0.7, 0.3"),
        *('{"A": 0.7, "B": 0.3}', "[[0.7], [0.3]]", "[null, 0.5]", "yes", "[1e999, 0]"),
        *('"10"', '{"0": 1, "1": 0}'),
    ):
        for convention in (None, "text"):
            with pytest.raises(InvalidArgument) as caught:
                results([{**row, "probabilities": text}], "question_sets", convention=convention)
            message = caught.value.format_message()
            assert "is not a JSON list of numbers from 0 to 1" in message, (text, message)
    row["probabilities"] = "[0.7, 0.3]"
    for answer, target in (("C", "A"), ("maybe", "A"), ("A", "C")):
        rows = [{**row, "answer": answer, "target": target}]
        with pytest.raises(InvalidArgument, match="is none of 2 options"):
            results(rows, "question_sets", convention="text")


# Views


def by_title(table: pd.DataFrame) -> dict[str, View]:
    """The views of results."""
    views = LIFE_EVAL.views(table)
    assert len(set(attributes_of(views, "title"))) == len(views)
    return records_by(views, "title")


def titles(table: pd.DataFrame) -> set[str]:
    """Their titles."""
    return set(by_title(table))


def cell_text(row: Mapping[Any, Any], digits: int, factor: float = 1) -> str:
    """A cell by hand: value with its interval and the mark of other items, or a dash."""
    value, low, high = factor * row["value"], factor * row["ci_low"], factor * row["ci_high"]
    if np.isnan(value):
        return "-"
    mark = " †" if row["note"].startswith("†") else ""
    interval = "" if np.isnan(low) else f" [{low:.{digits}f}, {high:.{digits}f}]"
    return f"{value:.{digits}f}{interval}{mark}"


@pytest.fixture(scope="module")
def everything() -> pd.DataFrame:
    """Results of both tasks, two models, three kinds of sets; b's confidence never varies."""
    people = [*lives("a", 1), *copies_with(lives("b", 2), confidence=0.5)]
    sets: list[Row] = []
    for kind in ("options", "true_false", "given"):
        sets += [*options("a", 0, kind), *options("b", 1, kind)]
    return summarize(
        {"life_eval": frame(people, "life_eval"), "question_sets": frame(sets, "question_sets")},
        resamples=QUICK,
    )


def test_titles_and_cells_of_views(everything: pd.DataFrame) -> None:
    """The study's tables, then by radius, curves, discrimination and tokens, for each variant."""
    assert attributes_of(LIFE_EVAL.views(everything), "title") == [
        "Table 2, LifeEval",
        "Tables 3 and 4, all sets",
        "LifeEval by radius",
        "Best age by decade and radius",
        "Discrimination",
        "ECE, stated and by the answer's token",
    ]
    table = results([*lives("a", 1, variant="x"), *lives("a", 2, variant="y")])
    assert {"Table 2, LifeEval: x", "Table 2, LifeEval: y"} <= titles(table)


def test_cells_of_table_2(everything: pd.DataFrame) -> None:
    """Each cell is its result; a dash stands for the correlation of a constant confidence."""
    view = by_title(everything)["Table 2, LifeEval"]
    table = view.table.set_index("model")
    columns = {
        "true probability (%)": ("accuracy", 2, 100),
        "confidence (%)": ("mean_confidence", 2, 100),
        "ECE": ("ece", 3, 1),
        "rounded (%)": ("round_rate", 2, 100),
        "overconfidence": ("overconfidence", 3, 1),
        "hard-easy slope": ("hard_easy_slope", 3, 1),
        "correlation with truth": ("confidence_truth_correlation", 3, 1),
        "MAS (%)": ("maximum_achievable_score", 2, 100),
        "gap to best answer": ("optimal_answer_gap", 3, 1),
    }
    assert list(table) == ["data set", *columns, "asked", "answers", "confidences", "both"]
    people = everything[everything["task"] == "life_eval"]
    for model in ("a", "b", "mean of all models"):
        for heading, (metric, digits, factor) in columns.items():
            expected = cell_text(row_at(people, model, metric), digits, factor)
            assert table.loc[model, heading] == expected, (model, heading)
    assert table.loc["b", "correlation with truth"] == "-"
    assert table.loc["mean of all models", "correlation with truth"] == "-"
    life_rows = lives("a", 1)
    both = len(judged_rows(life_rows, SCORE))
    counts = {
        "asked": len(life_rows),
        "answers": len(without_nan(column_of(life_rows, SCORE))),
        "confidences": len(without_nan(list(map(stated_confidence, life_rows)))),
        "both": both,
    }
    assert table.loc["a", list(counts)].to_dict() == map_values(str, counts)
    assert f"a, table: {len(life_rows) - both} (" in view.caption


def test_cells_of_the_other_views(everything: pd.DataFrame) -> None:
    """Sets in rows and models in columns; radii; curves; discrimination; tokens."""
    views = by_title(everything)
    people = everything[everything["task"] == "life_eval"]
    all_sets = views["Tables 3 and 4, all sets"].table
    assert list(all_sets) == ["data set", "measure", "a", "b", "mean of all models"]
    set_names = ["table", "given", "options", "true_false", "pooled"]
    assert list(dict.fromkeys(all_sets["data set"])) == set_names
    # What LifeEval has in place of accuracy is named so; over all sets both stand together.
    names = all_sets.groupby("data set", sort=False)["measure"].first()
    assert names.to_dict() == {
        "table": "true probability (%)",
        **dict.fromkeys(("given", "options", "true_false"), "accuracy (%)"),
        "pooled": "accuracy or true probability (%)",
    }
    assert "True probability (LifeEval)" in views["Tables 3 and 4, all sets"].caption
    assert "True probability (LifeEval)" not in views["Discrimination"].caption
    chosen = all_sets[(all_sets["data set"] == "given") & (all_sets["measure"] == "ECE")].iloc[0]
    given_rows = everything[everything["dataset"] == "given"]
    assert chosen["b"] == cell_text(row_at(given_rows, "b", "ece"), 3)
    assert "the ages of one radius count as few" in views["LifeEval by radius"].text_below
    assert "the ages of one radius" not in views["Table 2, LifeEval"].text_below
    radii = views["LifeEval by radius"].table
    line = radii[(radii["model"] == "a") & (radii["radius"] == "20")].iloc[0]
    accuracy = row_at(people, "a", "accuracy", radius="20")
    assert line["true probability (%)"] == cell_text(accuracy, 2, 100)
    curves = views["Best age by decade and radius"].table
    row = curves[(curves["model"] == "a") & (curves["age"] == "60-69")].iloc[0]
    condition = {"radius": "5", "age": "60-69"}
    best = row_at(people, "a", "mean_best_answer", **condition)["value"]
    expected = f"{cell_text(row_at(people, 'a', 'mean_answer', **condition), 1)} / {best:.1f}"
    assert row["radius 5"].replace(" †", "") == expected.replace(" †", "")
    sets = views["Discrimination"].table.set_index(["data set", "model"])
    true_false_rows = everything[everything["dataset"] == "true_false"]
    assert sets.loc[("true_false", "a"), "meta-d'"] == cell_text(
        row_at(true_false_rows, "a", "meta_d"), 2
    )
    assert sets.loc[("given", "a"), "meta-d'"] == "-"
    tokens = views["ECE, stated and by the answer's token"].table.set_index(["data set", "model"])
    assert tokens.loc[("true_false", "a"), "stated"] == cell_text(
        row_at(true_false_rows, "a", "ece"), 3
    )
    assert tokens.loc[("true_false", "a"), "token"] == cell_text(
        row_at(true_false_rows, "a", "ece", source="token"), 3
    )
    difference = row_at(true_false_rows, "a", "difference", of="ece", versus="token")
    assert tokens.loc[("true_false", "a"), "difference"] == cell_text(difference, 3)
    assert tokens.loc[("true_false", "mean of all models"), "difference"] == "-"
    assert "given" not in tokens.index.get_level_values("data set")


def test_the_table_of_best_ages_has_its_decades_in_order() -> None:
    """Each radius was asked of other ages; 50-59 comes before 100-109, whatever rows come first."""
    ages = {"10": ("50-59", "100-109"), "1": ("0-9", "90-99")}
    results = []
    for dataset, model, radius in product(("x", "y"), ("b", "a"), ages):
        for age, metric in product(ages[radius], ("mean_answer", "mean_best_answer")):
            condition = f"age={age};radius={radius}"
            key = ("life_eval", model, dataset, condition, metric)
            results.append(Result(*key, 80, NAN, NAN, 1, 1, ""))
    (view,) = calibration_tables(results_frame(results))
    in_order = product("xy", "ba", ("0-9", "50-59", "90-99", "100-109"))
    assert list(view.table[["data set", "model", "age"]].itertuples(index=False)) == list(in_order)
    assert list(view.table) == ["data set", "model", "age", "radius 1", "radius 10", "n"]
