"""The study's own answers of three models: its published figures, by pandas and by life table."""

from __future__ import annotations

import csv
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from sklearn.metrics import roc_auc_score

from build import column_of, rows_by
from inspect_confidence.results import Condition
from inspect_confidence.studies.life_eval.study import LIFE_EVAL
from studies.frames import study_results as summarize
from studies.frames import without_choice
from studies.recorded import ages, options

SCORE = "score"
CLAUDE, GPT, LLAMA = "claude-3-7-sonnet-20250219", "gpt-4o", "Meta-Llama-3.1-8B-Instruct"
MODELS = (CLAUDE, GPT, LLAMA)
# The study's names of sets, and ours.
DATASETS = {
    **{"LifeEval": "ssa-2022", "BoolQ": "boolq", "SciQ": "sciq"},
    **{"LSAT-AR": "lsat_ar", "SAT-EN": "sat_en", "HaluEval": "halueval"},
}
CELLS = list(product(MODELS, DATASETS))
SLOPES = {CLAUDE: 0.180, GPT: 0.604, LLAMA: 0.941}
CORRELATIONS = {CLAUDE: 0.916, GPT: 0.749, LLAMA: 0.051}

Frames = dict[str, pd.DataFrame]


@pytest.fixture(scope="module")
def frames(shared_data: Path) -> Frames:
    """All judgments of the items kept."""
    return {"life_eval": ages(shared_data), "question_sets": options(shared_data)}


@pytest.fixture(scope="module")
def authors(frames: Frames) -> pd.DataFrame:
    """Results by the authors' convention."""
    return without_choice(summarize(frames, convention="authors", resamples=10))


@pytest.fixture(scope="module")
def default_results(frames: Frames) -> pd.DataFrame:
    """Results without a convention."""
    return summarize(frames, resamples=10)


@pytest.fixture(scope="module")
def published_table(shared_data: Path) -> dict[tuple[str, str], dict[str, str]]:
    """The published table's rows by model and set."""
    path = shared_data / "question_sets" / "published.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = rows_by(csv.DictReader(file), "model", "question_set")
    assert set(rows) == set(CELLS)
    return rows


def value(results: pd.DataFrame, model: str, dataset: str, metric: str, **condition: str) -> float:
    """The one number of a model on a set."""
    chosen = results[
        (results["model"] == model)
        & (results["dataset"] == dataset)
        & (results["metric"] == metric)
        & results["condition"].map(lambda text: Condition.read(text) == condition)
    ]
    assert len(chosen) == 1, (model, dataset, metric, len(chosen))
    return float(chosen["value"].iloc[0])


# The life table, in loops of our own


class Lives:
    """Chances to die at an age, from the raw table."""

    def __init__(self, shared_data: Path) -> None:
        """Read it."""
        path = shared_data / "life_eval" / "PeriodLifeTable_2022_RawData.csv"
        table = pd.read_csv(path)
        self.q = {
            sex: list(map(float, table[f"Death probability ({sex.upper()})"]))
            for sex in ("male", "female")
        }

    def dies(self, sex: str, age: int, low: int, high: int) -> float:
        """P(low <= age at death < high) of somebody alive at an age; nobody outlives the table."""
        alive, total = 1.0, 0.0
        q = self.q[sex]
        for year in range(age, len(q)):
            deaths = alive * (q[year] if year < len(q) - 1 else 1.0)
            total += deaths if low <= year < high else 0.0
            alive -= deaths
        return total

    def best(self, sex: str, age: int, radius: int, closed: int) -> float:
        """The maximum achievable score, over all whole answers."""
        return max(
            self.dies(sex, age, answer - radius, answer + radius + closed)
            for answer in range(age, 121)
        )


@pytest.fixture(scope="module")
def lives(shared_data: Path) -> Lives:
    """The raw table."""
    return Lives(shared_data)


# Published figures


def test_the_published_figures(
    authors: pd.DataFrame, published_table: dict[tuple[str, str], dict[str, str]]
) -> None:
    """Percentages to both decimals and ECE to its two, in all 18 cells."""
    for (model, name), row in published_table.items():
        for column, metric, factor in (
            ("accuracy_pct", "accuracy", 100),
            ("confidence_pct", "mean_confidence", 100),
            ("ece", "ece", 1),
            ("rounded_pct", "round_rate", 100),
        ):
            figure = factor * value(authors, model, DATASETS[name], metric)
            assert f"{figure:.2f}" == f"{float(row[column]):.2f}", (model, name, metric)


def test_slopes_and_correlations(authors: pd.DataFrame, frames: Frames, lives: Lives) -> None:
    """To three decimals; slopes are statsmodels' on scores of the raw life table."""
    # Correlations are of confidence with the true probability: pandas's.
    for model in MODELS:
        rows = frames["life_eval"]
        rows = rows[rows["model"] == model]
        number = value(authors, model, "ssa-2022", "hard_easy_slope")
        assert round(number, 3) == SLOPES[model]
        points = [
            (
                1 - lives.best(row["sex"], row["age"], int(row["radius"]), 0),
                row["confidence"] - scored(lives, row, 0),
            )
            for row in rows.to_dict("records")
        ]
        x, y = map(np.array, zip(*points, strict=True))
        fit = sm.OLS(y, sm.add_constant(x)).fit()
        assert number == pytest.approx(fit.params[1], abs=1e-9), model
        number = value(authors, model, "ssa-2022", "confidence_truth_correlation")
        assert number == pytest.approx(rows["confidence"].corr(rows[SCORE]), abs=1e-9), model
        assert round(number, 3) == CORRELATIONS[model]


def scored(lives: Lives, row: dict[Any, Any], closed: int) -> float:
    """The true probability of a recorded answer, by the raw table; answers may have a fraction."""
    low, high = row["answer"] - row["radius"], row["answer"] + row["radius"]
    if closed:
        edges = int(np.ceil(low)), int(np.floor(high)) + 1
    else:
        edges = int(np.floor(low)), int(np.ceil(high))
    return lives.dies(row["sex"], row["age"], *edges)


@pytest.mark.parametrize(
    ("all_of_them", "window", "items", "percent"),
    [
        (False, "half-open", 751, 56.81),
        (True, "closed", 808, 59.77),
        pytest.param(True, "half-open", 808, 56.99, marks=pytest.mark.slow),
        pytest.param(False, "closed", 751, 59.57, marks=pytest.mark.slow),
    ],
)
def test_mean_maximum_achievable_score(
    shared_data: Path, lives: Lives, all_of_them: bool, window: str, items: int, percent: float
) -> None:
    """On the items kept and on all, by either window; the raw table's loops give the same."""
    frame = ages(shared_data, all_of_them=all_of_them, window=window)
    closed = int(window == "closed")
    frame = frame[frame["model"] == GPT]
    assert len(frame) == frame["item"].nunique() == items
    results = summarize(frame, resamples=5)
    condition = {"window": window} if closed else {}
    mas = value(results, GPT, "ssa-2022", "maximum_achievable_score", **condition)
    assert f"{100 * mas:.2f}" == f"{percent:.2f}"
    rows = frame.to_dict("records")
    expected = [lives.best(row["sex"], row["age"], int(row["radius"]), closed) for row in rows]
    assert mas == pytest.approx(np.mean(expected), abs=1e-9)
    read = [(row, best) for row, best in zip(rows, expected, strict=True) if row["status"] == "ok"]
    truths = [scored(lives, row, closed) for row, _ in read]
    accuracy = value(results, GPT, "ssa-2022", "accuracy", **condition)
    assert accuracy == pytest.approx(np.mean(truths), abs=1e-9)
    gap = np.mean(column_of(read, 1)) - np.mean(truths)
    found_gap = value(results, GPT, "ssa-2022", "optimal_answer_gap", **condition)
    assert found_gap == pytest.approx(gap, abs=1e-9)


# Without the convention


def test_default_convention_by_pandas(
    authors: pd.DataFrame, default_results: pd.DataFrame, frames: Frames
) -> None:
    """Accuracy and confidence are the authors'; rounded shares are by tolerance."""
    # Brier score: mean of p (1 - c)^2 + (1 - p) c^2. AUROC is scikit-learn's where confidences are
    # stated as they are.
    for model, name in CELLS:
        dataset = DATASETS[name]
        for metric in ("accuracy", "mean_confidence"):
            expected = value(authors, model, dataset, metric)
            number = value(default_results, model, dataset, metric)
            assert number == pytest.approx(expected, abs=1e-12), (model, name, metric)
        rows = frames["life_eval" if name == "LifeEval" else "question_sets"]
        rows = rows[(rows["model"] == model) & (rows["dataset"] == dataset)]
        c = rows["confidence"]
        p = rows[SCORE if name == "LifeEval" else "correct"].astype(float)
        numbers = {
            "round_rate": ((c * 1e8).round().astype(int) % 5_000_000 == 0).mean(),
            "brier": (p * (1 - c) ** 2 + (1 - p) * c**2).mean(),
        }
        if name in ("BoolQ", "HaluEval"):
            numbers["auroc"] = roc_auc_score(rows["correct"], c)
        for metric, expected in numbers.items():
            number = value(default_results, model, dataset, metric)
            assert number == pytest.approx(expected, abs=1e-9), (model, name, metric)


def test_shares_and_ties_of_the_recorded_answers(
    default_results: pd.DataFrame, authors: pd.DataFrame, frames: Frames
) -> None:
    """92.28% with .55 counted, 90.15% as floats have it; .8 of two sums is one confidence."""
    assert f"{100 * value(default_results, CLAUDE, 'ssa-2022', 'round_rate'):.2f}" == "92.28"
    assert f"{100 * value(authors, CLAUDE, 'ssa-2022', 'round_rate'):.2f}" == "90.15"
    rows = frames["question_sets"]
    rows = rows[(rows["model"] == GPT) & (rows["dataset"] == "sat_en")]
    expected = roc_auc_score(rows["correct"], rows["confidence"].round(9))
    assert round(expected, 3) == 0.647
    assert value(default_results, GPT, "sat_en", "auroc") == pytest.approx(expected, abs=1e-9)


# Several models


@pytest.mark.slow
def test_common_items_of_three_models(shared_data: Path) -> None:
    """Without the study's list: items that all three answered, counted by sets of raw answers."""
    frames = {
        "life_eval": ages(shared_data, all_of_them=True),
        "question_sets": options(shared_data, all_of_them=True),
    }
    results = summarize(frames, resamples=5, common_items=True)
    lost_items = 0
    for name, dataset in DATASETS.items():
        rows = frames["life_eval" if name == "LifeEval" else "question_sets"]
        rows = rows[rows["dataset"] == dataset]
        # A question that two answers are given to counts twice, an item once.
        pair = rows["given"].fillna("") if name == "HaluEval" else pd.Series("", rows.index)
        names = rows["item"] + " " + pair
        readable = rows["status"] == "ok"
        by_model = [set(names[readable & (rows["model"] == model)]) for model in MODELS]
        all_names, all_three = set(names), set.intersection(*by_model)
        lost_items += len(all_names) - len(all_three)
        note_text = (
            f"{len(all_three)} of {len(all_names)} items that all 3 models and variants answered"
        )
        notes = results.loc[results["dataset"] == dataset, "note"]
        assert len(notes)
        assert notes.str.contains(note_text, regex=False).all(), (dataset, note_text, notes.iloc[0])
        for model in MODELS:
            common_rows = rows[names.isin(all_three) & (rows["model"] == model)]
            assert value(results, model, dataset, "n") == len(common_rows) == len(all_three)
            sure = value(results, model, dataset, "mean_confidence")
            assert sure == pytest.approx(common_rows["confidence"].mean(), abs=1e-9)
            assert value(results, model, dataset, "format_failure_rate") == 0
    assert lost_items > 0


def test_raw_answers_that_were_not_read(shared_data: Path) -> None:
    """Numbers of unreadable LifeEval answers are those of empty cells in the file."""
    raw = pd.read_csv(shared_data / "life_eval" / "answers" / "life_eval.csv", dtype=str)
    numbers = raw[["Answer", "Confidence"]].apply(pd.to_numeric, errors="coerce")
    failed = numbers.isna().any(axis=1)
    frame = ages(shared_data, all_of_them=True)
    results = summarize(frame, resamples=5)
    for model in MODELS:
        expected = failed[raw["model"] == model].mean()
        rate = value(results, model, "ssa-2022", "format_failure_rate")
        assert rate == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
def test_means_of_groups_of_models(frames: Frames, tmp_path: Path, authors: pd.DataFrame) -> None:
    """Unweighted means of the models' figures, in a group of the file and in that of all."""
    path = tmp_path / "groups.csv"
    path.write_text(f"model,group\n{CLAUDE},new\n{GPT},new\n{LLAMA},old\n", "utf-8")
    grouped = without_choice(
        summarize(frames, resamples=10, convention="authors", options={"life_eval.groups": path})
    )
    assert set(grouped["model"]) == {*MODELS, "mean of new", "mean of old"}
    cases: list[tuple[pd.DataFrame, str, tuple[str, ...]]] = [
        (grouped, "mean of new", (CLAUDE, GPT)),
        (grouped, "mean of old", (LLAMA,)),
        (authors, "mean of all models", MODELS),
    ]
    metrics = ["accuracy", "mean_confidence", "ece", "round_rate", "brier", "auroc"]
    for results, name, members in cases:
        for dataset in DATASETS.values():
            extra = ["hard_easy_slope", "confidence_truth_correlation", "maximum_achievable_score"]
            for metric in metrics + (extra if dataset == "ssa-2022" else []):
                expected = np.mean([value(results, model, dataset, metric) for model in members])
                assert value(results, name, dataset, metric) == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
def test_second_epoch_of_the_recorded_answers(shared_data: Path) -> None:
    """All 808 items with what was not read, twice: values and intervals stay."""
    once = ages(shared_data, all_of_them=True)
    repeated = pd.concat([once.assign(epoch=1), once.assign(epoch=2)], ignore_index=True)
    first, second = summarize(once, resamples=10), summarize(repeated, resamples=10)
    assert list(first["metric"]) == list(second["metric"])
    is_compared = (first["metric"] != "n").to_numpy()
    for number in ("value", "ci_low", "ci_high"):
        np.testing.assert_allclose(
            first[number][is_compared], second[number][is_compared], rtol=0, atol=1e-9
        )


def test_published_figures_stand_in_table_2(authors: pd.DataFrame) -> None:
    """As a person reads them."""
    (table,) = (
        view.table.set_index("model")
        for view in LIFE_EVAL.views(authors)
        if view.title == "Table 2, LifeEval"
    )
    headings = ("true probability (%)", "confidence (%)", "rounded (%)", "MAS (%)")
    cells = [str(table.loc[CLAUDE, heading]).split(" ")[0] for heading in headings]
    assert cells == ["54.49", "53.11", "90.15", "56.81"]
    assert str(table.loc[LLAMA, "hard-easy slope"]).startswith("0.941 [")
