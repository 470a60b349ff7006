"""Parameters of the metacognitive respondent come back by the estimators that it names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.stats import binom, binomtest, norm

from build import map_values
from figures import Record
from inspect_confidence import metrics, summarize
from inspect_confidence.datasets.questions import bundled_questions
from inspect_confidence.metrics import ConfidenceTables, percentile_interval
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.respondents.metacognitive import Metacognitive
from inspect_confidence.respondents.observer import draw_evidence, reported_share, reports
from inspect_confidence.scales import Scale

WIDE, NARROW = Scale(0, 100), Scale(0, 20)


def tables(scale: Scale, raw: NDArray[np.int64], correct: FloatArray) -> ConfidenceTables:
    """One table a row of reports."""
    size = int(scale.high - scale.low) + 1
    place = raw - scale.low + size * np.arange(len(raw))[:, None]
    right, wrong = (
        np.bincount(place[correct == side], minlength=size * len(raw)).reshape(len(raw), size)
        for side in (1, 0)
    )
    return ConfidenceTables(np.arange(size) / (size - 1), right.astype(float), wrong.astype(float))


def resampled(original: ConfidenceTables, row: int, resamples: int, seed: int) -> ConfidenceTables:
    """Bootstrap tables of one row: multinomial draws of its counts."""
    counts = np.concatenate([original.right[row], original.wrong[row]])
    n = int(counts.sum())
    resampled_counts = (
        np.random.default_rng(seed).multinomial(n, counts / n, size=resamples).astype(float)
    )
    size = len(original.values)
    return ConfidenceTables(original.values, resampled_counts[:, :size], resampled_counts[:, size:])


def bias_of(criterion: FloatArray, share: float) -> FloatArray:
    """The bias at which a criterion takes up that share: Phi((criterion + bias - 1) / .8)."""
    return np.asarray(1 + 0.8 * norm.ppf(share) - criterion)


def estimators(threshold: float) -> Mapping[str, Callable[[ConfidenceTables], FloatArray]]:
    """meta_d and bias of tables of reports on 0-100 that are rounded to whole numbers."""
    # A report reaches the threshold where the share of the scale reaches it less half a point.
    return {
        f"meta_d by meta_d_ideal {threshold:g}": lambda t: metrics.TABLE_FUNCTIONS["meta_d_ideal"](
            t, threshold=threshold
        ),
        f"bias by type2_criterion {threshold:g}": lambda t: bias_of(
            metrics.TABLE_FUNCTIONS["type2_criterion"](t, threshold=threshold), threshold - 0.005
        ),
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("accuracy", "meta_d", "bias"), [(0.75, 1.5, 0.5), (0.6, 0.8, 0.0), (0.85, 2.0, 0.2)]
)
def test_intervals_hold_parameters(
    accuracy: float, meta_d: float, bias: float, record_property: Record
) -> None:
    """Of 400 samples of 2,000 reports, 95% of bootstrap intervals hold each parameter."""
    # The number that does is within 1 - .01/15 of the binomial: three settings of five quantities.
    seeds, items = 400, 2_000
    rng = np.random.default_rng(int(1000 * accuracy))
    correct = (rng.uniform(size=(seeds, items)) < accuracy).astype(float)
    evidence = draw_evidence(correct, meta_d, rng.uniform(size=correct.shape))
    sample_tables = tables(
        WIDE, reports(reported_share(evidence, bias), int(WIDE.low), int(WIDE.high), 1), correct
    )
    estimators_by_name = {
        "accuracy": metrics.TABLE_FUNCTIONS["accuracy"],
        **estimators(0.5),
        **estimators(0.75),
    }
    truths = {"accuracy": accuracy, "meta_d": meta_d, "bias": bias}
    holding = dict.fromkeys(estimators_by_name, 0)
    for row in range(seeds):
        resampled_tables = resampled(sample_tables, row, 1_000, row)
        for name, estimator in estimators_by_name.items():
            low, high = percentile_interval(estimator(resampled_tables))
            holding[name] += low <= truths[name.split()[0]] <= high
    low, high = binom(seeds, 0.95).ppf([0.005 / 15, 1 - 0.005 / 15])
    means = {
        name: float(estimator(sample_tables).mean())
        for name, estimator in estimators_by_name.items()
    }
    shares_text = ", ".join(
        f"{name} {count / seeds:.3f} (mean {means[name]:.3f})" for name, count in holding.items()
    )
    record_property(
        "figure",
        f"accuracy {accuracy:g}, meta_d {meta_d:g}, bias {bias:g}: 95% intervals of {seeds} "
        f"samples of {items:,} hold {shares_text}",
    )
    for name, count in holding.items():
        assert low <= count <= high, name


@pytest.mark.slow
def test_rounding_keeps_meta_d(record_property: Record) -> None:
    """The same reports rounded to multiples of 5 or to whole numbers give the same meta_d_ideal."""
    seeds, items, meta_d = 400, 2_000, 1.5
    rng = np.random.default_rng(5)
    correct = (rng.uniform(size=(seeds, items)) < 0.75).astype(float)
    evidence = draw_evidence(correct, meta_d, rng.uniform(size=correct.shape))
    share = reported_share(evidence, 0.5)
    meta_d_ideal = metrics.TABLE_FUNCTIONS["meta_d_ideal"]
    low, high = int(WIDE.low), int(WIDE.high)
    fine = meta_d_ideal(tables(WIDE, reports(share, low, high, 1), correct))
    coarse = meta_d_ideal(tables(WIDE, reports(share, low, high, 5), correct))
    errors = [estimates.std(ddof=1) / np.sqrt(seeds) for estimates in (fine, coarse, coarse - fine)]
    record_property(
        "figure",
        f"meta_d {meta_d:g}, {seeds} samples of {items:,}: mean meta_d_ideal {fine.mean():.3f} "
        f"(standard error {errors[0]:.3f}) rounded to 1, {coarse.mean():.3f} ({errors[1]:.3f}) "
        "rounded to 5",
    )
    # Three claims at 99.7% each.
    assert abs(fine.mean() - meta_d) < 3 * errors[0]
    assert abs(coarse.mean() - meta_d) < 3 * errors[1]
    assert abs(np.mean(coarse - fine)) < 3 * errors[2]


def answered(respondent: str, scale: Scale, seeds: int, draws: int = 1) -> pd.DataFrame:
    """What a respondent says to all bundled questions at many seeds, read with one pattern."""
    # `respondent` holds its parameters as `name=value` pairs.
    pattern = re.compile(r"Answer: (\S+)\nConfidence: (\d+)$")
    names, reports_read = [], []
    parameters = dict(part.split("=") for part in respondent.split())
    scale_parameters = parameters.pop("scale_meta_d", "")
    numbers = map_values(float, parameters)
    whole = int(numbers.pop("round_to", 5))
    for seed in range(seeds):
        observer = Metacognitive(
            seed=seed, round_to=whole, scale_meta_d=scale_parameters, **numbers
        )
        for item in bundled_questions().values():
            for draw in range(draws):
                read = pattern.search(observer.reply_on_scale(item, draw, scale).text)
                assert read
                names.append(f"{seed} {item.id} {draw}")
                reports_read.append((int(read[2]), float(read[1] == item.target)))
    raw, correct = zip(*reports_read, strict=True)
    return pd.DataFrame(
        {
            "task": "scale_variants",
            "item": names,
            "low": scale.low,
            "high": scale.high,
            "raw": raw,
            "correct": correct,
        }
    )


def values(frame: pd.DataFrame) -> dict[str, float]:
    """Values by metric, and threshold where there is one, as `summarize` gives them."""
    results = summarize(frame, resamples=1)
    names = results["metric"] + results["condition"].str.extract("(;threshold=.*)")[0].fillna("")
    return dict(zip(names, results["value"], strict=True))


def report_shares(meta_d: float, bias: float) -> FloatArray:
    """Exact shares of 0, 5, ... 100 among reports on 0-100, given right (a row) and wrong."""
    edges = np.maximum(1 - bias + 0.8 * norm.ppf(np.arange(2.5, 100, 5) / 100), 0)
    halves = np.array([[meta_d / 2], [-meta_d / 2]])
    return np.asarray(-np.diff(norm.cdf(halves - [0, *edges, np.inf]) / norm.cdf(halves)))


@pytest.mark.slow
def test_respondent_over_items_and_seeds(record_property: Record) -> None:
    """What it says to all items at 200 seeds gives back each of nine parameters."""
    # One sample of 55,200 reports a respondent; intervals at 1 - .05/9, exact binomial for shares.
    seeds, level = 200, 1 - 0.05 / 9
    n = seeds * len(bundled_questions())
    intervals: dict[str, tuple[float, float, float, float]] = {}

    def share(name: str, truth: float, observed_share: float, baseline: float = 0.0) -> None:
        """A share of judgments, or its excess over what there is without the parameter."""
        interval = binomtest(round(observed_share * n), n).proportion_ci(level)
        numbers = np.array([observed_share, interval.low, interval.high])
        value, low, high = (numbers - baseline) / (1 - baseline)
        intervals[name] = (truth, value, low, high)

    plain = answered("accuracy=0.7 meta_d=1.2 bias=0.3 round_to=1", WIDE, seeds)
    numbers_of_plain = values(plain)
    raw, correct = plain["raw"].to_numpy(np.int64), plain["correct"].to_numpy(float)
    resampled_tables = resampled(tables(WIDE, raw[None], correct[None]), 0, 4_000, 1)
    share("accuracy", 0.7, numbers_of_plain["accuracy"])
    share("slip 0 by violation_rate", 0, numbers_of_plain["violation_rate"])
    for threshold in (0.5, 0.75):
        sensitivity = numbers_of_plain[f"meta_d_ideal;threshold={threshold}"]
        criterion = numbers_of_plain[f"type2_criterion;threshold={threshold}"]
        points = sensitivity, float(bias_of(np.array(criterion), threshold - 0.005))
        estimator_items = estimators(threshold).items()
        for point, truth, (name, estimator) in zip(
            points, (1.2, 0.3), estimator_items, strict=True
        ):
            intervals[name] = (
                truth,
                point,
                *percentile_interval(estimator(resampled_tables), level),
            )
    slipping = "accuracy=0.7 meta_d=1.2 bias=0.3 slip=0.2"
    narrow = values(answered(slipping, NARROW, seeds))
    wide = values(answered(slipping, WIDE, seeds))
    share("slip by violation_rate on 0-20", 0.2, narrow["violation_rate"])
    share("slip by violation_rate on 0-100", 0, wide["violation_rate"])
    anchored = values(answered("accuracy=0.7 meta_d=1.2 bias=0.3 anchor_share=0.3", WIDE, seeds))
    assert anchored["top1_value"] == 100
    unanchored = float([0.7, 0.3] @ report_shares(1.2, 0.3)[:, -1])
    share("anchor_share", 0.3, anchored["top1_share"], unanchored)
    assert len(intervals) == 9
    for name, (truth, point, low, high) in intervals.items():
        record_property(
            "figure",
            f"respondent/metacognitive, {n:,} reports: {name} {point:.4f}, interval at "
            f"{level:.4f} from {low:.4f} to {high:.4f} (put in: {truth:g})",
        )
    for name, (truth, point, low, high) in intervals.items():
        assert low - 1e-9 <= truth <= high + 1e-9, name
        assert low - 1e-9 <= point <= high + 1e-9, name


@pytest.mark.slow
def test_anchors_lower_auroc(record_property: Record) -> None:
    """The more reports are the top of the scale whatever the evidence, the lower the AUROC."""
    # Where reports are anchored at a rate a, both of a pair are with a^2 (a tie), one is with a (1
    # - a) each: it is then the higher one, but for a tie where the other is at the top too.
    meta_d, bias = 1.5, 0.3
    aurocs = []
    for anchors in (0.0, 0.2, 0.5):
        respondent = f"accuracy=0.7 meta_d={meta_d} bias={bias} anchor_share={anchors}"
        frame = answered(respondent, WIDE, 100)
        raw, correct = frame["raw"].to_numpy(np.int64), frame["correct"].to_numpy(float)
        sample_tables = tables(WIDE, raw[None], correct[None])
        aurocs.append(
            (
                anchors,
                float(metrics.TABLE_FUNCTIONS["auroc"](sample_tables)[0]),
                metrics.TABLE_FUNCTIONS["auroc"](resampled(sample_tables, 0, 4_000, 2)),
            )
        )
    right, wrong = report_shares(meta_d, bias)
    place = np.arange(21)
    baseline = (1 + right @ np.sign(place[:, None] - place) @ wrong) / 2
    texts = []
    for a, auroc, draws in aurocs:
        mixed_pairs = a * (1 - a) * (1 - wrong[-1] / 2 + right[-1] / 2)
        expected = a * a / 2 + mixed_pairs + (1 - a) ** 2 * baseline
        low, high = percentile_interval(draws, 1 - 0.05 / 3)
        assert low <= expected <= high, a
        texts.append(f"{auroc:.4f} at {a:g} (expected {expected:.4f})")
    record_property("figure", f"AUROC by anchor_share: {', '.join(texts)}")
    assert aurocs[0][1] > aurocs[1][1] > aurocs[2][1]


@pytest.mark.slow
def test_order_of_scales(record_property: Record) -> None:
    """Scales' meta_d of 2, 1.2 and .6 come back in order at 2,000 items in 99% of seeds."""
    # 400 seeds of the plain functions, with the same quantiles of evidence on each scale as the
    # respondent has, and 20 of the respondent itself on the bundled questions, eight times each.
    seeds, items = 400, 2_000
    meta_d_by_scale = {Scale(0, 20): 2.0, Scale(0, 100): 1.2, Scale(0, 5): 0.6}
    rng = np.random.default_rng(11)
    correct = (rng.uniform(size=(seeds, items)) < 0.75).astype(float)
    quantile = rng.uniform(size=correct.shape)
    function_tables = [
        tables(
            scale,
            reports(
                reported_share(draw_evidence(correct, d, quantile), 0.5),
                int(scale.low),
                int(scale.high),
            ),
            correct,
        )
        for scale, d in meta_d_by_scale.items()
    ]
    parameter = "scale_meta_d=0-20:2.0,0-100:1.2,0-5:0.6"
    answers_by_scale = [answered(parameter, scale, 20, draws=8) for scale in meta_d_by_scale]
    spoken = [
        tables(
            scale,
            frame["raw"].to_numpy(np.int64).reshape(20, -1),
            frame["correct"].to_numpy(float).reshape(20, -1),
        )
        for scale, frame in zip(meta_d_by_scale, answers_by_scale, strict=True)
    ]
    for name, estimator in (
        ("meta_d_ideal", metrics.TABLE_FUNCTIONS["meta_d_ideal"]),
        ("auroc", metrics.TABLE_FUNCTIONS["auroc"]),
    ):
        for origin, tables_by_scale in (
            ("plain functions", function_tables),
            ("respondent", spoken),
        ):
            numbers = np.array(list(map(estimator, tables_by_scale)))
            ordered = float(np.mean((numbers[0] > numbers[1]) & (numbers[1] > numbers[2])))
            means = ", ".join(f"{value:.3f}" for value in numbers.mean(axis=1))
            record_property(
                "figure",
                f"scale_meta_d 2.0 on 0-20, 1.2 on 0-100, 0.6 on 0-5, {origin}: order of {name} "
                f"recovered in {ordered:.3f} of {numbers.shape[1]} seeds (means {means})",
            )
            assert ordered >= 0.99
