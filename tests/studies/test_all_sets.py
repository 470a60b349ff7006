"""LifeEval and the question sets together, and what tokens say of ages, by hand."""

from __future__ import annotations

from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from build import map_values
from inspect_confidence import cite, detail, summarize
from inspect_confidence.plots.life_eval import calibration, over_sets
from inspect_confidence.results import with_parts
from plots.drawing import legend, points, texts, titles
from studies.frames import changed
from studies.recorded import ages, options


def judgments_of(
    task: str, dataset: str, rows: list[tuple[Any, ...]], **constants: Any
) -> pd.DataFrame:
    """Judgments: item, epoch, source, confidence, outcome and status of each."""
    columns = ["item", "epoch", "source", "confidence", "correct", "status"]
    frame = pd.DataFrame(rows, columns=columns).assign(
        task=task, dataset=dataset, model="m", **constants
    )
    return frame.rename(columns={"correct": "score"}) if task == "life_eval" else frame


def with_second_model(frames: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The judgments, and the same ones of a model `n`."""
    return map_values(
        lambda frame: pd.concat([frame, frame.assign(model="n")], ignore_index=True), frames
    )


@pytest.fixture
def frames() -> dict[str, pd.DataFrame]:
    """Two sets and LifeEval at two epochs, one item's name in two sets, some unreadable."""
    sets = [
        judgments_of(
            *("question_sets", "one"),
            [
                ("a", 1, "stated", 0.8, 1.0, "ok"),
                ("a", 2, "stated", nan, nan, "refusal"),
                ("a", 1, "token", 0.95, 1.0, "ok"),
                ("a", 2, "token", nan, nan, "scoring_failed"),
                ("b", 1, "stated", 1.0, 0.0, "ok"),
                ("b", 2, "stated", 0.6, 1.0, "ok"),
            ],
            kind="true_false",
        ),
        judgments_of(
            *("question_sets", "two"),
            [("a", 1, "stated", 0.5, 0.0, "ok"), ("a", 2, "stated", 0.7, 1.0, "ok")],
            kind="given",
        ),
    ]
    lives = judgments_of(
        *("life_eval", "ssa-2022"),
        [
            ("x", 1, "stated", 0.3, 0.4, "ok"),
            ("x", 1, "token", 0.9, 0.4, "ok"),
            ("x", 2, "stated", nan, nan, "ambiguous"),
            ("x", 2, "token", nan, nan, "scoring_failed"),
            ("y", 1, "stated", 0.5, 0.2, "ok"),
            ("y", 1, "token", 0.7, 0.2, "ok"),
        ],
    ).assign(age=40, radius=5, mas=0.5)
    return {"question_sets": pd.concat(sets, ignore_index=True), "life_eval": lives}


def test_pooled_over_sets_by_hand(frames: dict[str, pd.DataFrame]) -> None:
    """Every judgment weighs alike: .8, 1, .6, .5, .7, .3 and .5 of 1, 0, 1, 0, 1, .4 and .2."""
    results = summarize(frames, resamples=50)
    pooled = results[results["dataset"] == "pooled"].set_index(["condition", "metric"])
    assert set(pooled["task"]) == {"question_sets"}
    value = pooled["value"]
    assert value["", "accuracy"] == pytest.approx(3.6 / 7)
    assert value["", "mean_confidence"] == pytest.approx(4.4 / 7)
    assert value["", "overconfidence"] == pytest.approx(0.8 / 7)
    # Bins: .3 (.1 off), .5 twice (1 and .2 together), .6 (.4), .7 (.3), .8 (.2), and 1 (1).
    gaps = [0.1, 2 * abs(0.5 - 0.1), 0.4, 0.3, 0.2, 1.0]
    assert value["", "ece"] == pytest.approx(sum(gaps) / 7)
    assert value["", "round_rate"] == 1
    assert value["", "format_failure_rate"] == pytest.approx(2 / 9)
    assert value["", "n"] == 9
    assert pooled["n"]["", "accuracy"] == 7
    note = pooled["note"]["", "accuracy"]
    assert "pooled: ssa-2022 3, one 4, two 2" in note
    assert "2 of 9 judgments left out: 1 ambiguous, 1 refusal" in note
    # Tokens: .95, .9 and .7 of 1, .4 and .2; those that failed have no outcome either.
    assert value["source=token", "accuracy"] == pytest.approx(1.6 / 3)
    assert value["source=token", "mean_confidence"] == pytest.approx(2.55 / 3)
    # One set alone is no pool, nor are tokens of one set beside statements of several.
    assert "pooled" not in set(summarize(frames["life_eval"], resamples=10)["dataset"])
    sets, lives = frames["question_sets"], frames["life_eval"]
    stated_lives = lives[lives["source"] == "stated"]
    results = summarize({"question_sets": sets, "life_eval": stated_lives}, resamples=10)
    conditions = set(results[results["dataset"] == "pooled"]["condition"])
    assert "" in conditions
    assert "source=token" not in conditions


def test_tokens_of_ages_by_hand(frames: dict[str, pd.DataFrame]) -> None:
    """What is stated stays as it is; tokens have numbers of their own, and both are compared."""
    values = summarize(frames["life_eval"], resamples=50).set_index(["condition", "metric"])[
        "value"
    ]
    assert values["", "mean_confidence"] == pytest.approx(0.4)
    assert values["", "n"] == 3
    assert values["source=token", "mean_confidence"] == pytest.approx(0.8)
    assert values["source=token", "overconfidence"] == pytest.approx(0.5)
    assert values["source=token", "ece"] == pytest.approx(0.5)  # .9 - .4 and .7 - .2
    assert values["radius=5;source=token", "ece"] == pytest.approx(0.5)
    # Stated: .3 of .4 and .5 of .2, so .2; on the two persons that have both.
    assert values["of=ece;versus=token", "difference"] == pytest.approx(0.2 - 0.5)
    rows = detail(frames["life_eval"])
    bins = with_parts(rows[rows["metric"] == "bin_accuracy"], ["source", "radius", "bin"])
    whole = bins[bins["radius"] == ""]
    found_bins = {(row.source, row.bin): row.value for row in whole.itertuples()}
    assert found_bins == pytest.approx(
        {
            **{("", "0.3-0.4"): 0.4, ("", "0.5-0.6"): 0.2},
            **{("token", "0.9-1"): 0.4, ("token", "0.7-0.8"): 0.2},
        }
    )


def test_replies_are_counted_once(frames: dict[str, pd.DataFrame]) -> None:
    """Tokens are no replies of their own: 4 and 2 of sets and 3 of LifeEval, a readable each."""
    rows = with_parts(detail(frames), ["status"])
    rows = rows[rows["metric"] == "status_count"]
    counts = {(r.task, r.dataset, r.status): r.value for r in rows.itertuples()}
    assert counts == {
        ("question_sets", "one", "ok"): 3,
        ("question_sets", "one", "refusal"): 1,
        ("question_sets", "two", "ok"): 2,
        ("life_eval", "ssa-2022", "ok"): 2,
        ("life_eval", "ssa-2022", "ambiguous"): 1,
    }


@pytest.mark.parametrize("task", ["question_sets", "life_eval"])
def test_what_is_cited_counts_replies(
    task: str, frames: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    """Of question sets 5 of 6 replies were read, of LifeEval 2 of 3, whatever their tokens say."""
    path = tmp_path / f"{task}.csv"
    frames[task].to_csv(path, index=False)
    (setting,) = cite([path]).settings
    read, replies, status = (5, 6, "refusal") if task == "question_sets" else (2, 3, "ambiguous")
    assert (
        f"Judgments: {replies}, of which {read} could be read and 1 could not (1 {status})"
        in setting
    )


def test_asked_and_rested_on(frames: dict[str, pd.DataFrame]) -> None:
    """Every number says how many judgments were asked for and how many it rests on."""
    results = summarize(frames, resamples=20)
    rows_by_condition = {
        name: group.set_index("metric")
        for name, group in results.groupby(["dataset", "condition"], sort=False)
    }
    lives, pooled = rows_by_condition["ssa-2022", ""], rows_by_condition["pooled", ""]
    assert (pooled["asked"] == 9).all()
    assert pooled["n"]["overconfidence"] == pooled["n"]["ece"] == 7
    assert (lives["asked"] == 3).all()
    for metric in ("accuracy", "mean_confidence", "overconfidence", "ece", "hard_easy_slope"):
        assert lives["n"][metric] == 2
    first_set = rows_by_condition["one", ""]
    assert (first_set.loc[["accuracy", "auroc", "round_rate", "n"], "asked"] == 4).all()
    assert (first_set.loc[["accuracy", "auroc", "round_rate"], "n"] == 3).all()
    token = rows_by_condition["one", "source=token"]
    assert token["asked"]["mean_confidence"] == 2
    assert token["n"]["mean_confidence"] == 1


@pytest.mark.slow
def test_no_interval_leaves_out_its_value() -> None:
    """Random judgments of both tasks, two epochs, some unreadable, some all alike."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        items, is_constant = int(rng.integers(2, 40)), seed % 3 == 0
        rows: list[tuple[Any, ...]] = []
        for k in range(items):
            outcome = float(rng.random() < rng.choice([0.1, 0.6, 1.0]))
            for epoch in (1, 2):
                for source in ("stated", "token"):
                    sure = 0.9 if is_constant else float(rng.integers(0, 21) / 20)
                    read = rng.random() < 0.8
                    values = (sure, outcome, "ok") if read else (nan, nan, "refusal")
                    rows.append((f"i{k}", epoch, source, *values))
        lives = judgments_of("life_eval", "table", rows)
        place = lives["item"].str[1:].astype(int)
        lives = lives.assign(
            age=place * 17 % 100, radius=np.array([1, 5, 10, 20])[place % 4], mas=0.5 + place / 100
        )
        lives["score"] *= rng.random(len(lives)) if seed % 2 else 1
        kind = ("options", "true_false", "given")[seed % 3]
        task_frames = {
            "life_eval": lives,
            "question_sets": judgments_of("question_sets", "set", rows, kind=kind),
        }
        results = summarize(with_second_model(task_frames), resamples=50)
        with_interval = results[results["ci_low"].notna()]
        assert len(with_interval)
        outside = with_interval["ci_low"] > with_interval["value"] + 1e-12
        outside |= with_interval["ci_high"] < with_interval["value"] - 1e-12
        assert not outside.any(), with_interval[outside].to_string()
        assert (results["n"] <= results["asked"]).all()


def test_second_epoch_of_the_same_judgments_changes_no_interval() -> None:
    """Of LifeEval's decades of age by radius and a set's items together, a tenth unreadable."""
    rng = np.random.default_rng(0)
    rows: list[tuple[Any, ...]] = []
    for k in range(120):
        sure, outcome = rng.integers(0, 41) / 40, float(rng.random() < 0.5)
        values = (sure, outcome, "ok") if rng.random() < 0.9 else (nan, nan, "refusal")
        rows.append((f"i{k}", 1, "stated", *values))
    place = np.arange(len(rows))
    lives = judgments_of("life_eval", "table", rows).assign(
        age=place * 7 % 100, radius=np.array([1, 5, 10, 20])[place % 4], mas=0.9
    )
    lives["score"] *= 0.7
    once = {
        "life_eval": lives,
        "question_sets": judgments_of("question_sets", "set", rows[:40], kind="options"),
    }
    repeated = {task: pd.concat([rows, rows.assign(epoch=2)]) for task, rows in once.items()}
    pooled_results = []
    for frames in (once, repeated):
        results = summarize(frames, resamples=80)
        pooled_results.append(results[results["dataset"] == "pooled"].reset_index(drop=True))
    first, second = pooled_results
    assert changed(first, second).empty, changed(first, second).to_string()
    shares = first[first["metric"].isin(("round_rate", "format_failure_rate"))]
    assert (shares["ci_high"] - shares["ci_low"]).between(0.01, 0.4).tolist() == [True, True]


def lines_at(ax: Axes, x: float) -> list[Line2D]:
    """The upright lines of a panel at `x`."""
    return [line for line in ax.lines if np.asarray(line.get_xdata()).tolist() == [x, x]]


def test_figures_over_sets(frames: dict[str, pd.DataFrame]) -> None:
    """A panel a set, what is stated beside tokens; of several models the pooled bins of all."""
    results = summarize(frames, resamples=20)
    figure = over_sets(results[results["metric"] == "overconfidence"])
    assert titles(figure) == ["ssa-2022", "one", "two", "pooled"]
    assert legend(figure) == ["stated", "token"]
    # Of the overconfidence a line is at 0, of the accuracy none is drawn.
    assert [len(lines_at(panel, 0)) for panel in figure.axes] == [1, 1, 1, 1]
    figure = over_sets(results[results["metric"] == "accuracy"])
    assert not any(lines_at(panel, 1) for panel in figure.axes)
    rows = detail(frames)
    panels = calibration(rows)
    assert titles(panels) == ["ssa-2022 (n = 2)", "one (n = 3)", "two (n = 2)"]  # stated
    (_, x, y, _), (_, second_x, second_y, _) = points(panels.axes[0])
    assert [*x, *y] == pytest.approx([0.3, 0.5, 0.4, 0.2])
    assert [*second_x, *second_y] == pytest.approx([0.7, 0.9, 0.2, 0.4])
    assert texts(panels.axes[0]) == []
    rows = detail(with_second_model(frames))
    pooled_bins = rows[(rows["model"] == "all") & (rows["metric"] == "bin_accuracy")]
    groups = with_parts(pooled_bins, ["models", "bin"])
    assert set(groups["models"]) == {"all models"}
    lives = groups[groups["task"] == "life_eval"].set_index("bin")
    assert lives["value"].to_dict() == pytest.approx({"0.3-0.4": 0.4, "0.5-0.6": 0.2})
    assert lives["n"].to_dict() == {"0.3-0.4": 2, "0.5-0.6": 2}


@pytest.mark.slow
def test_pooled_as_recorded(shared_data: Path) -> None:
    """Three models' recorded answers to the study's 6,298 questions, against plain means."""
    sets, lives = options(shared_data), ages(shared_data)
    results = summarize({"question_sets": sets, "life_eval": lives}, resamples=10)
    pooled = results[results["dataset"] == "pooled"].set_index(["model", "metric"])["value"]
    all_rows = pd.concat([sets, lives.assign(correct=lives["score"])], ignore_index=True)
    for model, rows in all_rows.groupby("model"):
        assert len(rows) == pooled[model, "n"] == 2503 + 995 + 86 + 173 + 1790 + 751
        assert pooled[model, "accuracy"] == pytest.approx(np.mean(rows["correct"]))
        assert pooled[model, "mean_confidence"] == pytest.approx(np.mean(rows["confidence"]))


def test_bins_over_all_sets_and_models_by_hand(frames: dict[str, pd.DataFrame]) -> None:
    """Stated judgments of two models, twice the same, in ten bins and one for full confidence."""
    rows = detail(with_second_model(frames))
    pooled = with_parts(rows[rows["dataset"] == "pooled"], ["bin", "models"])
    assert set(pooled["models"]) == {"all models"}
    accuracy = pooled[pooled["metric"] == "bin_accuracy"].set_index("bin")
    # .3 (of .4), .5 and .5 (0, .2), .6 (1), .7 (1), .8 (1), 1 (0)
    expected = {
        "0.3-0.4": (0.4, 2),
        "0.5-0.6": (0.1, 4),
        "0.6-0.7": (1.0, 2),
        "0.7-0.8": (1.0, 2),
        "0.8-0.9": (1.0, 2),
        "1": (0.0, 2),
    }
    assert set(accuracy.index) == set(expected)
    for name, (value, n) in expected.items():
        assert accuracy.loc[name, "value"] == pytest.approx(value), name
        assert accuracy.loc[name, "n"] == n, name
    assert any(title.startswith("pooled (n = 14)") for title in titles(calibration(rows)))


def test_one_set_alone_is_not_pooled(frames: dict[str, pd.DataFrame]) -> None:
    """Its bins over models are those of the set."""
    rows = detail(frames["life_eval"])
    assert "pooled" not in set(rows["dataset"])
