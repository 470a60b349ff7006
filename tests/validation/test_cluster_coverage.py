"""How often intervals hold the true value if items are in clusters, such as passages."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from build import prefixed
from inspect_confidence import summarize
from inspect_confidence.metrics import clustered_wilson_interval
from validation.coverage import RUNS, Coverage, lacking

CONSERVATIVE = "few clusters have the rarer outcome: each counts as one judgment"


def hits(
    clusters: int, size: int, accuracy: float, correlation: float, simulations: int
) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Right answers of each cluster, of a beta law with this correlation within clusters."""
    rng = np.random.default_rng([clusters, size, int(100 * accuracy)])
    precision = 1 / correlation - 1
    shape = simulations, clusters
    ability = rng.beta(accuracy * precision, (1 - accuracy) * precision, shape)
    return rng.binomial(size, ability)


@pytest.mark.slow
@pytest.mark.parametrize(("clusters", "size"), [(10, 5), (30, 10), (60, 10)])
def test_wilsons_interval_of_clusters_covers(clusters: int, size: int) -> None:
    """Accuracy .5 to .98; within-cluster correlations up to that of passages that decide nearly."""
    figures = []
    for accuracy in (0.5, 0.9, 0.98):
        for correlation in (0.1, 0.3, 0.6):
            counts = hits(clusters, size, accuracy, correlation, 2_000)
            limits = [clustered_wilson_interval(row, [size] * clusters) for row in counts]
            held = sum(low <= accuracy <= high for low, high in limits)
            design = f"{clusters} clusters of {size}, correlation {correlation:g}"
            wide = CONSERVATIVE if clusters * (1 - accuracy) < 10 else ""
            figures.append(
                Coverage("accuracy", design, clusters, accuracy, 2_000, 2_000, held, wide)
            )
    assert not lacking(figures)


def passages(models: int, clusters: int) -> pd.DataFrame:
    """Each model's judgments of four questions a passage, whose ability and confidence vary."""
    rng = np.random.default_rng(8)
    shape = models, clusters, 4
    ability = rng.beta(3, 1, (models, clusters, 1))
    right = rng.random(shape) < ability
    sure = np.clip(0.5 + 0.4 * ability + 0.05 * right + rng.normal(0, 0.05, shape), 0, 1)
    model, cluster, question = (place.ravel() for place in np.indices(shape))
    return pd.DataFrame(
        {
            "task": "any_eval",
            "model": prefixed("m", model),
            "item": [f"{name}-{number}" for name, number in zip(cluster, question, strict=True)],
            "cluster": prefixed("passage ", cluster),
            "confidence": np.round(sure.ravel(), 2),
            "correct": right.ravel().astype(float),
        }
    )


@pytest.mark.slow
def test_means_and_ranks_over_clusters_cover() -> None:
    """Of 40 passages, resampled whole; the truth is that of all models together."""
    models = min(RUNS, 300)
    frame = passages(models, 40)
    whole = summarize(passages(1, 20_000).assign(cluster=""), resamples=1)
    results = summarize(frame, resamples=400)
    figures = []
    for metric in ("accuracy", "mean_confidence", "overconfidence", "brier", "auroc"):
        (truth,) = whole.loc[whole["metric"] == metric, "value"]
        rows = results[results["metric"] == metric]
        held = int(((rows["ci_low"] <= truth) & (truth <= rows["ci_high"])).sum())
        printed = int(rows["ci_low"].notna().sum())
        design = "40 clusters of 4 items"
        figures.append(Coverage(metric, design, 40, float(truth), len(rows), printed, held))
    assert not lacking(figures)
