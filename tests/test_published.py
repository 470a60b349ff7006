"""The studies' published figures: well-formed, true to their sources, and named as results are."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from inspect_confidence import summarize
from inspect_confidence.metrics import METRICS
from inspect_confidence.published import COLUMNS, read_published
from inspect_confidence.results import COLUMNS as RESULT_COLUMNS
from inspect_confidence.results import Condition
from inspect_confidence.studies import all_tables
from studies.recorded import recorded_sentences, recorded_statements

KEY = ["task", "model", "dataset", "condition", "metric"]
FIGURES = read_published()
THETA = "brunner_munzel_theta"


def matching(**parts: str) -> pd.DataFrame:
    """Figures whose columns hold these texts."""
    chosen = [FIGURES[name].str.contains(text) for name, text in parts.items()]
    return FIGURES[np.logical_and.reduce(chosen)]


def names_of(rows: pd.DataFrame) -> set[tuple[str, ...]]:
    """What figures or results are called, but for model and data set."""
    return set(zip(rows["task"], rows["condition"], rows["metric"], strict=True))


def test_figures_are_well_formed() -> None:
    """Columns, names and conditions are those of results; each stands once."""
    assert list(FIGURES) == COLUMNS == [*RESULT_COLUMNS[:-1], "source", "definition"]
    texts = FIGURES.select_dtypes(exclude=float)
    assert list(texts) == [*KEY, "source", "definition"]
    assert all(isinstance(text, str) for text in texts.to_numpy().ravel())
    assert set(FIGURES["task"]) <= set(all_tables())
    assert set(FIGURES["metric"]) <= set(METRICS)
    assert not (FIGURES[["model", "dataset", "source"]] == "").any(axis=None)
    assert not FIGURES.duplicated(KEY).any()
    for text in FIGURES["condition"]:
        assert str(Condition(Condition.read(text))) == text


def test_numbers_are_possible() -> None:
    """Values and intervals lie in the metric's range, values within rounding of their interval."""
    for row in FIGURES.itertuples():
        metric = METRICS[str(row.metric)]
        assert metric.low <= float(str(row.value)) <= metric.high, row
    inside = FIGURES.dropna(subset=["ci_low", "ci_high"])
    assert len(inside) == FIGURES["ci_low"].count() == FIGURES["ci_high"].count() == 17 * (16 + 5)
    assert inside["ci_low"].between(0, inside["value"] + 0.005).all()
    assert inside["ci_high"].between(inside["value"] - 0.005, 1).all()
    assert all(n > 0 and n == int(n) for n in FIGURES["n"].dropna())


def test_question_sets_as_recorded(shared_data: Path) -> None:
    """Tables 3 and 4 of the LifeEval study are those beside the data, and so are item counts."""
    kept = json.loads((shared_data / "question_sets" / "kept_items.json").read_text("utf-8"))
    kept["life_eval"] = json.loads((shared_data / "life_eval" / "kept_items.json").read_text())
    models = {"gpt-4o": "GPT-4o", "claude": "Claude-Sonnet-3.7", "Meta": "Llama-3.1-8B"}
    table = pd.read_csv(shared_data / "question_sets" / "published.csv")
    rows: list[Any] = table.to_dict("records")
    assert len(rows) == 18
    for row in rows:
        (model,) = (name for start, name in models.items() if row["model"].startswith(start))
        dataset = row["question_set"].lower().replace("-", "_").replace("lifeeval", "ssa-2022")
        found = matching(dataset=dataset, model=model, source="Tables 3 and 4").set_index("metric")
        percent = [row["accuracy_pct"], row["confidence_pct"], row["rounded_pct"], 100 * row["ece"]]
        shares = found["value"][["accuracy", "mean_confidence", "round_rate", "ece"]]
        assert (100 * shares).tolist() == pytest.approx(percent, abs=1e-9), row
        start = row["question_set"].lower().replace("-", "")
        (items,) = (kept[name] for name in kept if name.replace("_", "").startswith(start))
        assert set(found["n"]) == {len(items)}


def test_words_as_recorded(shared_data: Path) -> None:
    """GPT-4's concise setting is the published table beside the data."""
    table = pd.read_csv(shared_data / "wep" / "published_human_vs_gpt-4_cnc.csv")
    rows: list[Any] = table.to_dict("records")
    assert len(rows) == 17
    for row in rows:
        found = matching(model="^GPT-4$", condition=f"=concise;versus=human;word={row['word']}$")
        values = found.set_index("metric")["value"]
        assert (values[THETA], values["p_value"]) == (row["BM_Theta"], row["BM_P_Value"])
        assert values["median_difference"] == row["Median_Difference"]
        measures = (values["kl_divergence"], values["ks_statistic"])
        assert measures == (row["KL_Divergence"], row["KS_Statistic"])
        bounds = found[found["metric"] == THETA][["ci_low", "ci_high"]].to_numpy().ravel()
        assert bounds.tolist() == [float(text) for text in re.findall(r"[\d.]+", row["BM_CI"])]


def test_named_as_results(shared_data: Path) -> None:
    """Figures have the condition and metric of results from the same answers."""
    folder = shared_data / "wep"
    words = recorded_statements(folder / "cnc_gpt-4.csv", model="GPT-4")
    standard = recorded_sentences(folder / "choice_gpt-4_standard.txt", model="GPT-4", cot=False)
    reasoned = recorded_sentences(folder / "choice_gpt-4_cot.txt", model="GPT-4", cot=True)
    choices = summarize(pd.concat([standard, reasoned]), resamples=20)
    mine = matching(model="^GPT-4$", condition="of=.*_consistency|language=en;.*=concise")
    assert len(mine) == 17 * 5 + 60
    assert names_of(mine) <= names_of(summarize(words, resamples=20)) | names_of(choices)
    constant = {"task": "fermi_eval", "model": "m", "dataset": "scioly", "method": "direct"}
    items = pd.DataFrame({"item": range(400), "split": 200 * ["train", "test"], **constant})
    items = items.assign(truth=items["item"] % 7.0, lower=1.0, upper=5.0)
    asked = items.merge(pd.DataFrame({"level": [90.0, 95.0, 99.0]}), how="cross")
    mine = matching(task="fermi_eval", condition="direct|conformal")
    assert len(mine) == 9
    assert names_of(mine) <= names_of(summarize(asked, resamples=20))


TYPED = """
fermi_eval    gpt-4o-mini        method=direct               coverage       0.63 0.59 0.64
fermi_eval    gpt-4o-mini        method=logprob              coverage       0.85 0.89 0.90
fermi_eval    gpt-4o-mini        method=direct               interval_score 31 64 322
fermi_eval    gpt-4o-mini        method=conformal            interval_score 22 44 122
fermi_eval    gpt-4o-mini        method=logprob              interval_score 33 53 191
life_eval     DeepSeek-R1        variant                     hard_easy_slope 0.053
life_eval     Claude.Haiku.3     variant                     hard_easy_slope 0.996
wep_choice    GPT-4              choice_set.*of=empirical_c  t_statistic    -2.35
wep_choice    GPT-4              of=empirical_c.*scenario    t_statistic    -4.156 -2.823 -2.618
"""


def test_typed_by_hand() -> None:
    """Some figures, typed from another reading of the studies."""
    for line in TYPED.strip().splitlines():
        task, model, condition, metric, *values = line.split()
        rows = matching(task=task, model=f"^{model}$", condition=condition, metric=f"^{metric}$")
        assert rows["value"].tolist() == [float(value) for value in values], line
