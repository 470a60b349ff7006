"""Decisions and confidence that others recorded: their published numbers, by one command each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from build import column_of, rows_with
from inspect_confidence.results import Condition
from runs import printed

TRACKS = {
    "Overhypothesis": "T1",
    "Meta_Cog": "T2",
    "Social_Cognition": "T3",
    "Attention": "T4",
    "Executive": "T5",
    "prospective": "T6",
}
MODELS = {
    "Claude Haiku 4.5": "haiku",
    "Claude Sonnet 4.6": "sonnet",
    "DeepSeek R1": "r1",
    "DeepSeek V3.2": "v3.2",
    "GPT-5.4 mini": r"gpt-5\.4_mini",
    "GPT-5.4": r"gpt-5\.4(?!_mini)",
    "Gemini 2.5 Flash": r"2\.5_flash",
    "Gemini 3 Flash": r"3_flash|flash_3",
    "Gemini 3.1 Pro": r"3\.1_pro",
    "Gemma 3 12B": "12b",
    "Gemma 3 1B": "_1b",
    "Qwen 235B": "235b",
    "Qwen 80B Inst": "80b_instruct",
    "Qwen 80B Think": "80b_thinking",
}
"""Patterns of the files' names by the published model."""


def rows_of(*words: object, metrics: Iterable[str] = ()) -> list[dict[str, Any]]:
    """The rows that summarize prints, of all metrics by default."""
    for metric in metrics:
        words += ("--metric", metric)
    done = printed("summarize", *words, "--json", "--resamples", 2)
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def published_key(file: str) -> tuple[str, str]:
    """The published model and track of a file's name."""
    (track,) = [name for prefix, name in TRACKS.items() if file.startswith(prefix)]
    (model,) = [name for name, words in MODELS.items() if re.search(words, file.lower())]
    return model, track


@pytest.mark.slow
def test_published_withdraw_deltas_of_14_models_come_from_one_command(shared_data: Path) -> None:
    """Each to the printed digits, in all five tracks; without a wrong answer there is none."""
    folder = shared_data / "commitment"
    files = sorted(folder.glob("[A-Z]*_*.csv"))
    assert len(files) == 70
    values: dict[tuple[str, str], dict[str, Any]] = {}
    names = ("withdraw_delta", "accuracy", "keep_rate_right", "keep_rate_wrong")
    for row in rows_of(*files, metrics=names):
        number = np.nan if row["value"] is None else row["value"]
        values.setdefault(published_key(row["model"]), {})[row["metric"]] = number
    published = pd.read_csv(folder / "published_deltas.csv").set_index(["model", "track"])
    published = published[published.index.isin(values)]
    assert len(published) == 70
    for key, expected in published.iterrows():
        numbers = values[key]  # type: ignore[index]  # a pair of texts
        assert numbers["withdraw_delta"] == pytest.approx(
            expected["withdraw_delta"], abs=0.00501, nan_ok=True
        ), key
        assert numbers["accuracy"] == pytest.approx(expected["accuracy"], abs=0.0000501), key
        assert 100 * numbers["keep_rate_right"] == pytest.approx(
            expected["kc_rate"], abs=0.00501
        ), key
        if expected["n_incorrect"]:
            assert 100 * numbers["keep_rate_wrong"] == pytest.approx(
                expected["ki_rate"], abs=0.00501
            )
    assert published["withdraw_delta"].isna().sum() == 5


def test_capitulation_of_the_recorded_run_is_the_published_one(shared_data: Path) -> None:
    """33.9% of 44 items; the interval is theirs to within the difference of the methods.

    Theirs is the percentile interval of 10,000 resamples, 25.0 to 43.0, which the same item means
    give; ours is that of the Bayesian bootstrap with half an item at either end.
    """
    path = shared_data / "pushback" / "opus-conf.jsonl"
    words = ("--column", "item=item_id", "--column", "epoch=seed", "--column", "draw=order")
    done = printed("summarize", path, *words, "--json")
    (row,) = rows_with(json.loads(done.stdout), metric="capitulation")
    assert round(100 * row["value"], 1) == 33.9
    assert row["n"] == 44
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((0.25, 0.43), abs=0.01)
    recorded = pd.read_json(path, lines=True)
    recorded["moved"] = recorded["final_choice"] == recorded["pushed_choice"]
    draws = recorded.groupby(["item_id", "seed", "order"])["moved"].max()
    items = draws.groupby("item_id").mean().to_numpy(float)
    resampled_means = np.random.default_rng(0).choice(items, (20_000, len(items))).mean(axis=1)
    assert np.quantile(resampled_means, [0.025, 0.975]) == pytest.approx([0.25, 0.43], abs=0.004)
    (accuracy,) = rows_with(json.loads(done.stdout), metric="accuracy")
    assert accuracy["value"] is None
    assert "no item has a right answer" in accuracy["note"]


def test_auroc_and_brier_of_the_wide_file_are_its_authors(shared_data: Path) -> None:
    """Of the 45 published of its 48 models, to four decimals; one has no published AUROC.

    Theirs leave out models with fewer than 168 readable confidences; the file has three of those.
    """
    folder = shared_data / "wide"
    words = (
        *("--column", "confidence={model}_confidence"),
        *("--column", "correct={model}_correctness"),
        *("--confidence-scale", "0-10"),
    )
    path = folder / "0_data_merged_confidence_correctness_new.csv"
    rows = rows_of(path, *words, metrics=("auroc", "brier"))
    values: dict[str, dict[str, float]] = {}
    for row in rows:
        condition = Condition.read(row["condition"])
        if not {"bins", "binning", "by"} & set(condition) and row["metric"] in ("auroc", "brier"):
            number = np.nan if row["value"] is None else row["value"]
            values.setdefault(row["model"], {})[row["metric"]] = number
    published = pd.read_csv(folder / "0_data_model_performance_results_new.csv").set_index("Model")
    unpublished = {"gpt-3.5-turbo-0125", "medicine-chat-Q8", "openbioLLM-7B-Q8"}
    assert set(values) - set(published.index) == unpublished
    assert len(values) == 48
    assert np.isfinite([values[model]["brier"] for model in unpublished]).all()
    undefined = published.index[published["ROC_AUC"].isna()]
    assert list(undefined) == ["Qwen-Qwq-32b"]
    for model, expected in published.iterrows():
        numbers = values[str(model)]
        assert numbers["brier"] == pytest.approx(expected["Brier Score"], abs=5e-5), model
        if model not in undefined:
            assert numbers["auroc"] == pytest.approx(expected["ROC_AUC"], abs=5e-5), model


def test_auroc_of_the_validity_screen_is_scikit_learns(shared_data: Path) -> None:
    """Of each model's MMLU items, with confidence from 0 to 100; also against --json's count."""
    sklearn = pytest.importorskip("sklearn.metrics")
    for path in sorted((shared_data / "validity_mmlu").glob("*.csv")):
        recorded = pd.read_csv(path)
        recorded = recorded[recorded["confidence"].between(0, 100)]
        expected = sklearn.roc_auc_score(recorded["is_correct"], recorded["confidence"])
        rows = rows_of(path, "--confidence-scale", "0-100", metrics=("auroc",))
        (auroc,) = column_of(rows_with(rows, metric="auroc"), "value")
        assert auroc == pytest.approx(expected, abs=1e-9), path.name
