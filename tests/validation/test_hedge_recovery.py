"""What the hedger and the judge were told comes back: by the task, and by plain functions."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product, starmap
from math import comb, sqrt
from operator import itemgetter, methodcaller
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from inspect_ai import eval, score
from inspect_ai.log import EvalLog, write_eval_log
from inspect_ai.model import get_model
from scipy.stats import binom, binomtest, norm, wilcoxon

from build import column_of, map_values
from figures import Record
from inspect_confidence import read_judgments, summarize
from inspect_confidence.datasets.hedge_markers import load_marker_questions
from inspect_confidence.datasets.questions import Question
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.respondents.hedger import (
    MARKERS,
    Hedger,
    internal_confidence,
    possible_answers,
)
from inspect_confidence.results import change_variant, with_parts
from inspect_confidence.scorers.hedged import hedged
from inspect_confidence.tasks.hedge_markers import hedge_markers

Group = tuple[str, str]
Sizes = Mapping[tuple[Group, str], int]
"""Sentences of each marker in each data set's split."""

EVERY_MARKER = {"hedge_markers.marker_thresholds": 1}
K = 20
SETS = ("facts", "science", "commonsense")
SPLITS = ("train", "test")


def answered(folder: Path, judge: str, stability: float = 1.0, **options: Any) -> EvalLog:
    """A run of the task in this process."""
    (log,) = eval(
        hedge_markers(dataset="bundled", split="all", judge=judge, **options),
        model="respondent/hedger",
        model_args={"stability": stability, "variety": 0.0},
        model_roles={"grader": get_model("respondent/judge")},
        log_dir=str(folder),
        display="none",
    )
    assert log.status == "success", log.error
    return log


def judgments(location: str) -> pd.DataFrame:
    """In one order."""
    frame = read_judgments(location)["hedge_markers"]
    assert (frame["status"] == "ok").all()
    assert (frame["draws"] == K).all()
    return frame.sort_values("item", ignore_index=True)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    """All bundled items, judged by the rules."""
    return answered(tmp_path_factory.mktemp("hedge"), "rules")


def mics(results: pd.DataFrame) -> dict[tuple[Group, str], tuple[float, int]]:
    """MIC and count by data set, split and marker."""
    rows = with_parts(results, ["split", "marker", "outcome", "faithful"])
    rows = rows[(rows["metric"] == "mic") & (rows["outcome"] == "") & (rows["faithful"] == "")]
    return {
        ((row["dataset"], row["split"]), row["marker"]): (row["value"], row["n"])
        for row in rows.to_dict("records")
    }


def over_sets(results: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Numbers over data sets by condition, less the judge, and metric."""
    rows = results[results["dataset"] == "all"]
    return {
        (change_variant(row["condition"], judge="", variant=""), row["metric"]): row["value"]
        for row in rows.to_dict("records")
    }


def pooled(results: pd.DataFrame, marker: str) -> tuple[float, int]:
    """MIC of a marker over all its sentences, and how many."""
    parts = [
        value_and_count for (_, its), value_and_count in mics(results).items() if its == marker
    ]
    n = sum(column_of(parts, 1))
    return float(np.average(column_of(parts, 0), weights=column_of(parts, 1))), n


@pytest.mark.slow
def test_judge_without_errors_is_the_rules(tmp_path: Path) -> None:
    """All that is read from both logs is the same, in one call a sentence too."""
    frames = []
    for name, judge, options in (
        ("rules", "rules", {}),
        ("model", "model", {}),
        ("batch", "model", {"batch_judgments": True}),
    ):
        frame = judgments(answered(tmp_path / name, judge, items=30, **options).location)
        frames.append(frame.drop(columns=["run", "uuid", "variant", "judge"]))
    first, *other_frames = frames
    assert len(first) == 30
    for other_frame in other_frames:
        pd.testing.assert_frame_equal(first, other_frame)


@pytest.mark.thorough
def test_mics_recover_the_map(log: EvalLog, record_property: Record) -> None:
    """Exact binomial intervals at 1 - .05/5 hold what each marker stands for."""
    results = summarize(judgments(log.location), resamples=1, options=EVERY_MARKER)
    texts = []
    for marker, c in MARKERS.items():
        value, n = pooled(results, marker)
        interval = binomtest(round(value * n * K), n * K).proportion_ci(1 - 0.05 / 5)
        texts.append(f"{marker} {value:.3f} [{interval.low:.3f}, {interval.high:.3f}] ({c:g})")
        assert interval.low <= c <= interval.high, texts[-1]
    record_property(
        "figure",
        f"respondent/hedger, {len(log.samples or [])} bundled items, K={K}: MIC with exact "
        f"intervals at .99 (put in): {', '.join(texts)}",
    )


def distance(c: float, k: int = K) -> float:
    """E|Bin(k, c)/k - c|."""
    x = np.arange(k + 1)
    return float(binom(k, c).pmf(x) @ np.abs(x / k - c))


def distance_from_mic(c: float, n: int) -> float:
    """E|Bin(K, c)/K - MIC| with a MIC of n sentences of its own."""
    agreeing_draws, all_of_mic = np.arange(K + 1), np.arange(K * n + 1)
    gaps = np.abs(agreeing_draws[:, None] / K - all_of_mic / (K * n))
    return float(binom(K, c).pmf(agreeing_draws) @ gaps @ binom(K * n, c).pmf(all_of_mic))


@pytest.mark.parametrize(("c", "floor"), [(0.5, 0.0881), (0.7, 0.0805), (0.9, 0.0513)])
def test_floor_of_distances(c: float, floor: float) -> None:
    """As docs/hedge_markers.md says, and by de Moivre's formula of the mean deviation."""
    assert distance(c) == pytest.approx(floor, abs=5e-5)
    v = int(K * c + 1e-9) + 1
    closed = 2 / K * v * comb(K, v) * c**v * (1 - c) ** (K - v + 1)
    assert distance(c) == pytest.approx(closed, abs=1e-12)
    assert distance(c) < distance_from_mic(c, 20) < distance_from_mic(c, 5)
    assert distance_from_mic(c, 2000) == pytest.approx(distance(c), rel=1e-2)


def ranks_agree(first: FloatArray, second: FloatArray) -> FloatArray:
    """Spearman's correlation of each row; simulated MICs hardly ever tie."""
    a = np.argsort(np.argsort(first, axis=1), axis=1)
    b = np.argsort(np.argsort(second, axis=1), axis=1)
    n = a.shape[1]
    return np.asarray(1 - 6 * ((a - b) ** 2).sum(axis=1) / (n * (n * n - 1)))


@dataclass(frozen=True)
class Floors:
    """Numbers of a stable model over simulated runs of one design, by condition and metric."""

    drawn: Mapping[tuple[str, str], FloatArray]
    expected_id_mae: float


def simulated(sizes: Sizes, runs: int, seed: int) -> Floors:
    """Sentences by sentence: Bin(K, c)/K with the same c in all data sets."""
    rng = np.random.default_rng(seed)
    agreement = {key: rng.binomial(K, MARKERS[key[1]], (runs, n)) / K for key, n in sizes.items()}
    mic = map_values(methodcaller("mean", axis=1), agreement)

    def gap(first: str, second: str) -> FloatArray:
        parts = [
            np.abs(mic[(first, "train"), m][:, None] - agreement[(second, "test"), m]).mean(axis=1)
            for m in MARKERS
        ]
        return np.asarray(np.mean(parts, axis=0))

    draws: dict[tuple[str, str], FloatArray] = {
        ("", "id_mae"): np.mean(list(map(gap, SETS, SETS)), axis=0),
        ("", "cd_mae"): np.mean(list(starmap(gap, permutations(SETS, 2))), axis=0),
    }
    train_mics = [mic[(dataset, "train"), marker] for dataset, marker in product(SETS, MARKERS)]
    table = np.reshape(train_mics, (len(SETS), len(MARKERS), -1))
    ratios = table.std(axis=0, ddof=1) / table.mean(axis=0)
    draws["", "m_avg_cv"] = ratios.mean(axis=0)
    z = [
        np.arctanh(np.clip(ranks_agree(a.T, b.T), -0.9999, 0.9999))
        for a, b in combinations(table, 2)
    ]
    draws["correlation=spearman", "mrc"] = np.tanh(np.mean(z, axis=0))
    exact = []
    for dataset, (marker, confidence) in product(SETS, MARKERS.items()):
        exact.append(distance_from_mic(confidence, sizes[(dataset, "train"), marker]))
    return Floors(draws, float(np.mean(exact)))


@pytest.mark.slow
def test_stable_markers_are_at_the_floor(log: EvalLog, record_property: Record) -> None:
    """Four numbers lie where 4,000 simulated runs of the same design do, at 1 - .05/4."""
    results = summarize(judgments(log.location), resamples=1, options=EVERY_MARKER)
    sizes = map_values(itemgetter(1), mics(results))
    assert len(sizes) == len(SETS) * len(SPLITS) * len(MARKERS)
    floors, numbers = simulated(sizes, 4_000, 7), over_sets(results)
    id_mae = floors.drawn["", "id_mae"]
    error = id_mae.std() / sqrt(len(id_mae))
    assert abs(id_mae.mean() - floors.expected_id_mae) < 4 * error
    bare = float(np.mean(list(map(distance, MARKERS.values()))))
    record_property(
        "figure",
        f"floor of ID-MAE of this design: {floors.expected_id_mae:.4f} exactly, {bare:.4f} of it "
        f"by draws of sentences, the rest by the MICs' own error ({len(SETS)} data sets)",
    )
    level = 0.05 / len(floors.drawn)
    for key, draws in floors.drawn.items():
        low, high = np.quantile(draws, [level / 2, 1 - level / 2])
        record_property(
            "figure",
            f"stability=1: {key[1]} {key[0]} {numbers[key]:.4f}; simulated mean {draws.mean():.4f} "
            f"from {low:.4f} to {high:.4f}",
        )
        assert low - 1e-9 <= numbers[key] <= high + 1e-9, key
    assert numbers["correlation=spearman", "mrc"] > 0.99


@pytest.mark.slow
def test_shifted_markers_come_back(tmp_path: Path, record_property: Record) -> None:
    """At stability .5 each data set's MICs are its own, at 1 - .05/15, by the task."""
    frame = judgments(answered(tmp_path, "rules", stability=0.5, items=180).location)
    agreed: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in frame.to_dict("records"):
        agreed[str(row["marker"]), str(row["dataset"])].append(row["confidence"])
    assert len(agreed) == len(SETS) * len(MARKERS)
    worst = 0.0
    for (marker, dataset), confidences_of_set in agreed.items():
        n = K * len(confidences_of_set)
        c = internal_confidence(marker, dataset, 0.5, 0)
        interval = binomtest(round(sum(confidences_of_set) * K), n).proportion_ci(1 - 0.05 / 15)
        worst = max(worst, abs(float(np.mean(confidences_of_set)) - c))
        assert interval.low <= c <= interval.high, (marker, dataset)
    record_property(
        "figure",
        f"stability .5, {len(frame)} items: 15 MICs by data set within exact intervals at .9967, "
        f"the farthest {worst:.3f} off",
    )


@functools.cache
def bundled() -> Sequence[Question]:
    """All items."""
    return load_marker_questions("bundled", split="all").items


def spoken(seed: int, stability: float) -> pd.DataFrame:
    """Judgments of the hedger's sentences with binomial agreement, no text spoken or judged."""
    hedger = Hedger(seed=seed, stability=stability)
    rng = np.random.default_rng([seed, 3])
    rows = []
    for item in bundled():
        agreement = rng.binomial(K, hedger.confidence(item.id)) / K
        rows.append((item.dataset, item.split, item.id, hedger.marker(item.id), agreement))
    frame = pd.DataFrame(rows, columns=["dataset", "split", "item", "marker", "confidence"])
    return frame.assign(task="hedge_markers", sentence=1, n_markers=1)


@pytest.mark.slow
def test_less_stable_is_worse_in_order(record_property: Record) -> None:
    """Means over 14 seeds of M-AvgCV, CD-MAE and MRC; ID-MAE stays at its floor."""
    seeds, steps = range(14), (1.0, 0.75, 0.5, 0.25)
    numbers_by_step: dict[str, list[list[float]]] = defaultdict(list)
    for stability in steps:
        of_step: dict[str, list[float]] = defaultdict(list)
        for seed in seeds:
            results = summarize(spoken(seed, stability), resamples=1, options=EVERY_MARKER)
            sizes = map_values(itemgetter(1), mics(results))
            floor = [
                distance_from_mic(internal_confidence(m, dataset, stability, seed), n)
                for ((dataset, split), m), n in sizes.items()
                if split == "train"
            ]
            numbers = over_sets(results)
            of_step["id_mae"].append(numbers["", "id_mae"])
            of_step["id_mae floor"].append(float(np.mean(floor)))
            of_step["cd_mae"].append(numbers["", "cd_mae"])
            of_step["m_avg_cv"].append(numbers["", "m_avg_cv"])
            of_step["mrc"].append(numbers["correlation=spearman", "mrc"])
        for name, values in of_step.items():
            numbers_by_step[name].append(values)
    for name, rows in numbers_by_step.items():
        row_text = ", ".join(map("{:.4f}".format, np.mean(rows, axis=1)))
        record_property(
            "figure", f"stability 1, .75, .5, .25: mean {name} of {len(seeds)} seeds {row_text}"
        )
    for name, sign in (("m_avg_cv", 1), ("cd_mae", 1), ("mrc", -1)):
        for before, after in zip(numbers_by_step[name], numbers_by_step[name][1:], strict=False):
            # The same seeds have the same shifts, but for their size.
            change = sign * (np.array(after) - np.array(before))
            assert change.mean() > 0, name
            # By ranks: near its ceiling most of MRC's changes are next to nothing.
            assert wilcoxon(change, alternative="greater").pvalue < 0.05, name
    for measured, floor in zip(
        numbers_by_step["id_mae"], numbers_by_step["id_mae floor"], strict=True
    ):
        off = np.array(measured) - np.array(floor)
        assert abs(off.mean()) < 4 * off.std(ddof=1) / sqrt(len(off))


def judged_variance(c: float, e: float, wrong_answers: int) -> float:
    """Variance of a sentence's confidence where equal draws are judged alike."""
    # Two draws are judged to agree together: both are the same answer as the sentence and its
    # judgment is right; one is, and both judgments say so, which are independent; both are the same
    # other answer, of which a single judgment is wrong; or two different ones, both wrong.
    mean = c * (1 - 2 * e) + e
    wrong = (1 - c) ** 2
    joint = (
        c**2 * (1 - e)
        + 2 * c * (1 - c) * (1 - e) * e
        + wrong / wrong_answers * e
        + wrong * (1 - 1 / wrong_answers) * e**2
    )
    return (mean * (1 - mean) + (K - 1) * (joint - mean**2)) / K


@pytest.mark.slow
@pytest.mark.parametrize("e", [0.1, 0.2])
def test_judge_error_moves_mics(
    log: EvalLog, e: float, tmp_path: Path, record_property: Record
) -> None:
    """To c(1 - 2e) + e, at 1 - .05/10: five markers at two rates; the same log judged anew."""
    judge = get_model("respondent/judge", error_rate=e)
    rescored = score(
        log,
        hedged("model", batch_judgments=True),
        action="overwrite",
        display="none",
        model_roles={"grader": judge},
    )
    path = tmp_path / "again.eval"
    write_eval_log(rescored, str(path))
    frame = judgments(str(path))
    results = summarize(frame, resamples=1, options=EVERY_MARKER)
    items: dict[str, list[str]] = defaultdict(list)
    for marker, item in zip(frame["marker"], frame["item"], strict=True):
        items[marker].append(item)
    z = float(norm.isf(0.05 / 10 / 2))
    texts = []
    for marker, c in MARKERS.items():
        value, n = pooled(results, marker)
        assert n == len(items[marker])
        wrong_answers: Sequence[int] = [len(possible_answers(item)) - 1 for item in items[marker]]
        error = sqrt(sum(judged_variance(c, e, count) for count in wrong_answers)) / n
        expected = c * (1 - 2 * e) + e
        texts.append(f"{marker} {value:.3f} +- {z * error:.3f} ({expected:.3f})")
        assert abs(value - expected) <= z * error, texts[-1]
    record_property(
        "figure", f"judge's error {e:g}: MIC with interval at .995 (c(1-2e)+e): {', '.join(texts)}"
    )


def test_variance_of_judged_confidence() -> None:
    """By simulation of draws and judgments."""
    rng = np.random.default_rng(0)
    runs = 40_000
    for c, e, wrong_answers in ((0.65, 0.2, 3), (0.3, 0.1, 1)):
        answer = np.where(
            rng.uniform(size=(runs, K)) < c, 0, rng.integers(1, wrong_answers + 1, size=(runs, K))
        )
        wrong = rng.uniform(size=(runs, wrong_answers + 1)) < e
        agreed = (answer == 0) ^ np.take_along_axis(wrong, answer, axis=1)
        agreement = agreed.mean(axis=1)
        error = agreement.std() / sqrt(runs)
        assert abs(agreement.mean() - (c * (1 - 2 * e) + e)) < 4 * error
        assert agreement.var() == pytest.approx(judged_variance(c, e, wrong_answers), rel=0.04)
