"""From judgments to intervals, method by method, on frames small enough to work out by hand."""

import json
import math
from collections.abc import Mapping
from itertools import combinations, cycle, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy.stats import entropy

from build import combinations_of, copies_with, numbered
from inspect_confidence import compare, detail, summarize
from inspect_confidence.metrics import METRICS
from inspect_confidence.metrics.arrays import mean_or_nan
from inspect_confidence.metrics.registry import NO_ESTIMATE
from inspect_confidence.studies.fermi_eval.numbers import (
    distributions_of,
    intervals_of,
    levels_of,
    mean_of_distributions,
    tunnel_indices,
)
from inspect_confidence.studies.notes import unread_flags
from metrics.strategies import fixed
from studies.frames import result_row, study_results

NAN = float("nan")
Row = Mapping[str, object]


def frame(*rows: Row) -> pd.DataFrame:
    """Judgments with what a row leaves out filled in: readable, of the first epoch, truth 4."""
    base: Row = {
        "run": "",
        "item": "a",
        "split": "train",
        "epoch": 1,
        "level": NAN,
        "levels": "",
        "truth": 4.0,
        "status": "ok",
        "lower": NAN,
        "upper": NAN,
        "point": NAN,
        "probabilities": None,
    }
    return pd.DataFrame([{**base, "draw": float(n), **row} for n, row in enumerate(rows)])


def distribution_text(distribution: dict[int, float]) -> str:
    """A distribution as judgments hold it."""
    return json.dumps({str(value): p for value, p in distribution.items()})


def test_stated_intervals_and_levels() -> None:
    """Direct judgments are their intervals; one serves its own level, or those asked for."""
    rows = frame({"level": 90, "lower": 3, "upper": 5}, {"level": 80, "status": "refusal"})
    assert intervals_of(rows, "direct") is rows
    # A judgment serves its own level, or else those the run asked for, or else the default.
    for level, levels, expected in (
        (90.0, "", [90]),
        (90.0, "80,95", [90]),
        (NAN, "80,95.5", [80, 95.5]),
        (NAN, "", [80, 90, 95, 99]),
    ):
        assert levels_of(frame({"level": level, "levels": levels}).iloc[0]) == expected, levels


def test_tunnel_by_hand() -> None:
    """Bounds 1 to 4 and 5 to 8 give [1, 8] at 60%; each epoch, item and level for itself."""
    # k = 0.2 * 5 = 1 and 0.8 * 5 = 4 of 4 draws at 60%, k = 0.3 * 3 = 0.9 and 2.1 of 2 draws at
    # 40%.
    first = [
        {"level": 60, "lower": low, "upper": low + 4, "draw": n}
        for n, low in enumerate([3, 1, 4, 2])
    ]
    unreadable = [{"level": 60, "status": "ambiguous", "draw": 4.0}]
    second = [{"level": 60, "epoch": 2, "lower": 7, "upper": 9}]
    second_item = [
        {"item": "b", "split": "test", "truth": 9.0, "level": 40, "lower": low, "upper": high}
        for low, high in [(0, 5), (2, 6)]
    ]
    intervals = intervals_of(frame(*first, *unreadable, *second, *second_item), "tunnel")
    columns = ["item", "split", "epoch", "level", "truth", "status", "lower", "upper"]
    assert intervals[columns].to_numpy().tolist() == [
        ["a", "train", 1, 60, 4, "ok", 1, 8],
        ["a", "train", 2, 60, 4, "ok", 7, 9],
        ["b", "test", 1, 40, 9, "ok", 0, 6],
    ]


def test_sampling_by_hand() -> None:
    """Points 1 to 9 give [1, 9] at 80% and [2, 8] at 60%, whatever order they come in."""
    # k = 10 alpha/2 and 10 (1 - alpha/2). The second epoch has one readable point of four replies.
    points = [{"levels": "80,60", "point": p} for p in (9, 1, 8, 2, 7, 3, 6, 4, 5)]
    second: list[Row] = [
        {"levels": "80,60", "epoch": 2, "point": 5},
        {"levels": "80,60", "epoch": 2, "status": "refusal"},
        {"levels": "80,60", "epoch": 2, "status": "refusal"},
        {"levels": "80,60", "epoch": 2, "status": "truncated"},
    ]
    intervals = intervals_of(frame(*points, *second), "sampling")
    columns = ["epoch", "level", "status", "lower", "upper"]
    assert intervals[columns].to_numpy().tolist() == [
        [1, 80, "ok", 1, 9],
        [1, 60, "ok", 2, 8],
        [2, 80, "ok", 5, 5],
        [2, 60, "ok", 5, 5],
    ]


def test_sets_by_hand() -> None:
    """Of one distribution, and of the mean of several traces."""
    # Of {3: 0.5, 4: 0.3, 5: 0.2} the set is {3, 4} at 70% and holds 4; {3} at 40% doesn't. At 80%
    # {3, 4} has the level and doesn't exceed it.
    text = distribution_text({3: 0.5, 4: 0.3, 5: 0.2})
    intervals = intervals_of(frame({"levels": "80,70,40", "probabilities": text}), "logprob")
    columns = ["level", "lower", "upper", "set_covered", "set_size"]
    assert intervals[columns].to_numpy().tolist() == [
        [80, 3, 5, 1, 3],
        [70, 3, 4, 1, 2],
        [40, 3, 3, 0, 1],
    ]
    # Of traces {3: 1} and {3: 0.2, 9: 0.8} the mean is {3: 0.6, 9: 0.4}. At 90% the hull [3, 9]
    # holds the truth 4 and the set {3, 9} doesn't. A trace that can't be read changes nothing.
    rows = frame(
        {"levels": "90", "probabilities": distribution_text({3: 1.0})},
        {"levels": "90", "status": "invalid_response_format"},
        {"levels": "90", "probabilities": distribution_text({3: 0.2, 9: 0.8})},
    )
    (row,) = intervals_of(rows, "traces").to_dict("records")
    assert (row["lower"], row["upper"], row["set_covered"], row["set_size"]) == (3, 9, 0, 2)
    assert row["status"] == "ok"
    (sure,) = intervals_of(rows.assign(levels="59"), "traces").to_dict("records")
    assert (sure["lower"], sure["upper"], sure["set_size"]) == (3, 3, 1)
    # Probabilities are read with whole numbers as values; what one hasn't seen counts 0.
    rows = frame(
        {"probabilities": distribution_text({-3: 0.5, 2: 0.5})},
        {"probabilities": distribution_text({2: 0.25, 7: 0.75})},
    )
    assert distributions_of(rows) == [{-3: 0.5, 2: 0.5}, {2: 0.25, 7: 0.75}]
    assert mean_of_distributions(rows) == {-3: 0.25, 2: 0.375, 7: 0.375}


def test_nothing_readable() -> None:
    """An item has its commonest status and no bounds; the share unread is of replies alone."""
    rows = frame(
        *(
            {"level": 90, "status": reply_status}
            for reply_status in ("refusal", "truncated", "truncated")
        )
    )
    for method in ("tunnel", "sampling", "logprob", "traces"):
        (row,) = intervals_of(rows, method).to_dict("records")
        assert (row["status"], row["level"]) == ("truncated", 90), method
        assert math.isnan(row["lower"]), method
        assert math.isnan(row["upper"]), method
    cases: list[tuple[list[str], float, str]] = [
        (["sample_error", "sample_error"], NAN, "sample_error"),  # no reply at all
        (["content_filter", "ok"], 0.0, "ok"),  # the one reply could be read
        (["sample_error", "refusal", "ok", "limit_reached"], 0.5, "ok"),
        (["scoring_failed", "no_response", "scoring_failed"], 1.0, "scoring_failed"),
    ]
    for statuses, failed, status in cases:
        rows = frame(
            *({"level": 90, "point": 3, "status": reply_status} for reply_status in statuses)
        )
        (row,) = intervals_of(rows, "sampling").to_dict("records")
        assert mean_or_nan(unread_flags(rows["status"])) == pytest.approx(failed, nan_ok=True), (
            statuses
        )
        assert row["status"] == status, statuses


def test_items_keep_their_own_truth_and_split() -> None:
    """Interleaved draws of two items give a row each, in the order they first appear."""
    items = [
        {"item": "b", "split": "test", "truth": 2.0},
        {"item": "a", "split": "train", "truth": 7.0},
    ]
    rows = frame(
        *copies_with(items, level=50, point=1),
        *copies_with(items, level=50, point=2),
        *copies_with(items, level=50, point=3),
    )
    intervals = intervals_of(rows, "sampling")
    columns = ["item", "split", "truth", "lower", "upper"]
    # k = 0.25 * 4 = 1 and 3
    assert intervals[columns].to_numpy().tolist() == [
        ["b", "test", 2, 1, 3],
        ["a", "train", 7, 1, 3],
    ]


def traces(item: str, *distributions: dict[int, float], epoch: int = 1) -> list[Row]:
    """Judgments of an item's traces."""
    return [
        {"item": item, "epoch": epoch, "probabilities": distribution_text(distribution)}
        for distribution in distributions
    ]


def test_tunnel_indices_by_hand() -> None:
    """Two traces sure of 3 and 9 have 1 bit, two alike none; epochs aren't mixed; one has none."""
    # Two traces sure of 3 and of 9 have 1 bit, two alike none; an item of one trace is out. {3: 1}
    # and {3: 1/2, 4: 1/2}: H(3/4, 1/4) - 1/2, with H = 2 - 3/4 log2(3).
    indices = tunnel_indices(
        frame(
            *traces("c", {3: 1.0}, {3: 0.5, 4: 0.5}),
            *traces("a", {3: 1.0}, {9: 1.0}),
            *traces("d", {3: 1.0}),
            *traces("b", {3: 0.5, 4: 0.5}, {4: 0.5, 3: 0.5}),
            {"item": "d", "status": "refusal"},
        )
    )
    assert ([*indices.index], [*indices]) == (["a", "b", "c"], [1, 2])
    expected = np.array([[1, 0], [0, 0], [1.5 - 0.75 * math.log2(3), 0]])
    assert indices.to_numpy() == pytest.approx(expected, abs=1e-12)
    # Epochs of one item are rows of their own, and their traces are not mixed.
    indices = tunnel_indices(
        frame(*traces("a", {3: 1.0}, {9: 1.0}), *traces("a", {5: 1.0}, {5: 1.0}, epoch=2))
    )
    assert [*indices.index] == ["a", "a"]
    assert indices[1].to_numpy() == pytest.approx([1, 0], abs=1e-12)
    assert tunnel_indices(frame(*traces("a", {3: 1.0}), *traces("b", {4: 1.0}))).empty
    assert tunnel_indices(frame({"status": "refusal"}, {"status": "refusal"})).empty


def test_decoding_entropy_by_hand() -> None:
    """Entropy of single traces, beside the index, over the same items and epochs."""
    # Epoch 1: sure of 3 and of 9, so 1 bit between traces and none within; epoch 2: a bit within
    # each of two traces that are alike. Item b has a single readable trace, and is left out.
    rows = frame(
        *traces("a", {3: 1.0}, {9: 1.0}),
        *traces("a", {3: 0.5, 4: 0.5}, {3: 0.5, 4: 0.5}, epoch=2),
        *traces("b", {3: 0.5, 4: 0.5}),
        {"item": "b", "status": "refusal"},
    ).assign(task="fermi_eval", method="traces")
    results = summarize(rows, resamples=10)
    row = {
        name: results[results["metric"] == name].iloc[0]
        for name in ("tunnel_index", "decoding_entropy")
    }
    for name in row:
        assert (row[name]["value"], row[name]["n"]) == (pytest.approx(0.5), 2), name
        assert "1 of 3 with fewer readable traces left out" in row[name]["note"], name
    none = summarize(rows[rows["status"] != "ok"].assign(levels="90"), resamples=10)
    assert "decoding_entropy" not in set(none["metric"])


def test_exponents_of_the_questions_asked() -> None:
    """Of items, not of judgments: two epochs and unreadable replies change nothing."""
    rows = pd.concat(
        [
            frame({"item": "a", "truth": 3.0}, {"item": "b", "truth": 3.0, "status": "refusal"}),
            frame({"item": "a", "truth": 3.0, "epoch": 2}, {"item": "c", "truth": -2.0}),
            frame({"item": "d", "truth": 10.0}),
        ]
    ).assign(task="fermi_eval", method="direct", level=90, dataset="own")
    two_models = pd.concat([rows.assign(model="m"), rows.assign(model="n")])
    finer_rows = detail(two_models)
    shares = finer_rows[finer_rows["metric"] == "exponent_share"]
    assert dict(zip(shares["condition"], shares["value"], strict=True)) == {
        "exponent=-2": 0.25,
        "exponent=3": 0.5,
        "exponent=10": 0.25,
    }
    assert set(shares["n"]) == {4}


def test_tunnel_indices_are_those_of_all_subsets() -> None:
    """With six traces the sizes are 1, 2, 5 and 6, with the residuals of all subsets."""
    rng = np.random.default_rng(11)
    items = {name: rng.dirichlet(np.full(4, 0.4), size=6) for name in ("a", "b")}
    rows = []
    for name, table in items.items():
        rows += traces(name, *map(dict, map(enumerate, table.tolist())))
    indices = tunnel_indices(frame(*rows))
    assert [*indices] == [1, 2, 5, 6]
    for table, bits in zip(items.values(), indices.to_numpy(), strict=True):
        for n, got in zip((1, 2, 5, 6), bits, strict=True):
            parts = [
                entropy(table[list(subset)].mean(axis=0), base=2)
                for subset in combinations(range(6), n)
            ]
            expected = entropy(table.mean(axis=0), base=2) - np.mean(parts)
            assert got == pytest.approx(expected, abs=1e-12)


def drawn_judgments(seed: int, items: int, epochs: int, unread: float) -> pd.DataFrame:
    """Random judgments by every method, whole numbers and constants among them."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for item, epoch in product(range(items), range(1, epochs + 1)):
        common: Row = {"item": f"i{item}", "epoch": epoch, "truth": float(rng.integers(-2, 3))}
        common = {**common, "split": ("train", "test")[item % 2], "levels": "50,99"}
        for method, draw in product(("direct", "tunnel", "sampling", "logprob", "traces"), (0, 1)):
            if draw and method in ("direct", "logprob"):
                continue
            row: Row = {**common, "method": method, "draw": draw, "temperature": float(item % 3)}
            failure = {"status": "refusal"} if rng.random() < unread else {}
            if method in ("direct", "tunnel"):
                low = float(rng.integers(-3, 2))
                bounds = {"lower": low, "upper": low + rng.integers(0, 4)}
                rows += [{**row, "level": level, **bounds, **failure} for level in (50.0, 99.0)]
            elif method == "sampling":
                rows.append({**row, "point": float(rng.integers(-2, 3)), **failure})
            else:
                masses = distribution_text(dict(enumerate(rng.dirichlet([0.3] * 4).tolist(), -1)))
                facts = {"unseen_mass": rng.beta(0.2, 3), "answer_tokens": 1.0}
                rows.append({**row, "probabilities": masses, **facts, **failure})
    judgments = frame(*rows)
    judgments[["lower", "upper"]] = judgments[["lower", "upper"]].where(judgments["status"] == "ok")
    return judgments.assign(task="fermi_eval", model="m", dataset="own")


@pytest.mark.slow
@settings(fixed, max_examples=5, deadline=None, phases=[Phase.generate])
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([3, 34]),
    st.integers(1, 2),
    st.sampled_from([0, 0.2, 1]),
)
def test_no_interval_leaves_out_its_value(
    seed: int, items: int, epochs: int, unread: float
) -> None:
    """Over random judgments by every method; a number without an interval says why."""
    judgments = drawn_judgments(seed, items, epochs, unread)
    results = study_results(judgments, resamples=40)
    has_interval = results["ci_low"].notna()
    assert has_interval.equals(results["ci_high"].notna())
    inside = (results["ci_low"] <= results["value"]) & (results["value"] <= results["ci_high"])
    assert inside[has_interval].all(), results[has_interval & ~inside]
    has_reason = results["note"].str.contains("no interval|undefined")
    estimates = results["metric"].map(lambda name: METRICS[name].interval != NO_ESTIMATE)
    assert has_reason[~has_interval & estimates].all(), results[
        ~has_interval & estimates & ~has_reason
    ]
    assert (results["n"] <= results["asked"]).all()
    direct = judgments[judgments["method"] == "direct"]
    other_model = direct.assign(upper=direct["upper"] + 1, method="direct", model="n")
    if unread < 1:
        differences = compare(direct, other_model, resamples=40)
        ends = differences[differences["ci_low"].notna()]
        assert (ends["ci_low"] <= ends["difference"]).all()
        assert (ends["difference"] <= ends["ci_high"]).all()


def test_what_numbers_rest_on() -> None:
    """How many intervals were asked for, read and made of replies; misses count items."""
    intervals = combinations_of(epoch=(1, 2), item=numbered("i", 40))
    rows = copies_with(intervals, level=90, method="direct", upper=9)
    for row, lower in zip(rows, cycle([0.0, 5.0]), strict=False):
        row["lower"] = lower
    rows[0] |= {"status": "refusal", "lower": NAN, "upper": NAN}
    points = combinations_of(
        item=numbered("i", 40), levels=["90"], method=["sampling"], point=(3, 5, 9)
    )
    results = summarize(frame(*rows, *points).assign(task="fermi_eval"), resamples=200)
    score = result_row(results, "level=90;method=direct", "interval_score")
    assert (score["n"], score["asked"]) == (79, 80)
    assert "1 of 80 judgments left out: 1 refusal; 40 items" in score["note"]
    assert score["ci_low"] < score["value"] < score["ci_high"]  # 20 items missed, at two epochs
    score = result_row(results, "level=90;method=sampling", "interval_score")
    assert (score["n"], score["asked"]) == (40, 40)
    assert score["note"].startswith("40 intervals of 120 replies")
    # No item was missed: half a miss by half the mean width makes the upper end far off.
    assert score["ci_low"] == pytest.approx(score["value"])
    assert score["ci_high"] > score["value"]
    failed = result_row(results, "level=90;method=sampling", "format_failure_rate")
    assert (failed["n"], failed["asked"]) == (120, 120)


def test_variants_of_one_model_have_rows_of_their_own() -> None:
    """One variant covers every item and the other none."""
    rows = []
    for variant, low in (("covers", 3), ("misses", 6)):
        items = combinations_of(item=numbered("i", 30), variant=[variant])
        rows += copies_with(items, level=90, lower=low, upper=low + 2)
    results = study_results(frame(*rows).assign(task="fermi_eval", model="m"), resamples=10)
    for variant, expected in (("covers", 1), ("misses", 0)):
        coverage = result_row(results, f"level=90;method=direct;variant={variant}", "coverage")
        assert (coverage["value"], coverage["n"]) == (expected, 30)


def test_numbers_of_the_test_split_have_no_train_items() -> None:
    """Each train interval contains the truth 4 and no test interval does."""
    rows = []
    for split, low in (("train", 3), ("test", 6)):
        items = combinations_of(item=numbered(split, 30), split=[split])
        rows += copies_with(items, level=90, lower=low, upper=low + 2)
    results = study_results(frame(*rows).assign(task="fermi_eval", model="m"), resamples=10)
    before = result_row(results, "level=90;method=direct;split=test", "coverage")
    assert (before["value"], before["n"]) == (0, 30)
    after = result_row(results, "level=90;method=conformal;split=test", "coverage")
    assert after["n"] == 30
