"""Confidence that is used: recalibrated, acted upon, planned with, from files and from logs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from inspect_ai import eval

from build import copies_per_value, notices_with, numbered
from conftest import CHECKOUT
from inspect_confidence import (
    compare,
    items_needed,
    metrics,
    recalibrate,
    recalibrated,
    summarize,
    threshold,
)
from inspect_confidence.cli.terminal import print_recalibrated, print_thresholds
from inspect_confidence.commands.groups import item_folds
from inspect_confidence.judgments.read import judgments_of
from inspect_confidence.tasks.scale_variants import scale_variants
from refusals import refused
from runs import printed

ATLAS = ("item=item_id", "correct=is_correct")
OTHERS = [*("--column", ATLAS[0], "--column", ATLAS[1]), "--confidence-scale", "0-100"]


def answers(model: str = "m", items: int = 600, seed: int = 0, gap: float = 0.2) -> pd.DataFrame:
    """Overconfident by the gap; each item at two epochs with the same outcome, some unreadable."""
    rng = np.random.default_rng(seed)
    confidences = rng.choice([0.6, 0.7, 0.8, 0.9, 1.0], items)
    right = (rng.random(items) < confidences - gap).astype(float)
    frame = pd.DataFrame(
        {
            "task": "any_eval",
            "model": model,
            "item": numbered("i", items),
            "confidence": confidences,
            "correct": right,
            "status": "ok",
        }
    )
    unread = {"confidence": np.nan, "correct": np.nan, "status": "invalid_response_format"}
    unread_rows = pd.DataFrame({**frame.iloc[:20], **unread, "item": numbered("lost", 20)})
    return pd.concat([*copies_per_value(frame, "epoch", (1, 2)), unread_rows], ignore_index=True)


def test_map_is_fitted_on_all_items_and_judged_by_those_of_the_folds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whatever the `split`: what a map is judged by is what `summarize` and `compare` say."""
    frame = answers()
    frame["split"] = np.where(np.arange(len(frame)) % 2, "train", "test")
    recalibration = recalibrate(frame, method="isotonic", resamples=200)
    (entry,) = recalibration.maps["maps"]
    assert entry["train"] == {"folds": 0}
    in_fit = (frame["status"] == "ok") & (frame["epoch"] == 1)
    expected = metrics.fit_recalibration(
        frame.loc[in_fit, "confidence"], frame.loc[in_fit, "correct"], method="isotonic"
    )
    assert entry["x"] == pytest.approx(expected.x)
    assert entry["y"] == pytest.approx(expected.y)
    assert (entry["train_items"], entry["test_items"]) == (600, 600)
    print_recalibrated(recalibration.scores, recalibration.offsets, recalibration.changes)
    screen = capsys.readouterr().out
    assert "train_items" not in screen  # each item is in nine folds and judged by the tenth
    after = recalibrated(frame, recalibration.maps)["any_eval"].assign(variant="after")
    value_by_metric = summarize(frame, resamples=200).set_index(["condition", "metric"])["value"]
    change_by_metric: dict[Any, dict[Any, Any]] = recalibration.changes.set_index("metric").to_dict(
        "index"
    )
    difference = compare(after, frame, resamples=200).set_index("metric")
    for metric in ("brier", "ece", "auroc", "overconfidence"):
        row = change_by_metric[metric]
        assert row["stated"] == pytest.approx(value_by_metric["method=recorded", metric], abs=1e-12)
        assert row["difference"] == pytest.approx(row["recalibrated"] - row["stated"], abs=1e-12)
        assert row["difference"] == pytest.approx(difference.loc[metric, "difference"], abs=1e-12)
    assert change_by_metric["ece"]["difference"] < -0.05
    assert abs(change_by_metric["overconfidence"]["recalibrated"]) < 0.08


def test_isotonic_steps_of_few_items_have_a_note() -> None:
    """Below 1,000 items its steps may follow chance; maps with few parameters have no note."""
    for items, method, says in (
        (600, "isotonic", True),
        (600, "platt", False),
        (1_000, "isotonic", False),
    ):
        scores = recalibrate(answers(items=items), method=method, resamples=20).scores
        assert ("may follow chance" in scores["note"].iloc[0]) == says, (items, method)


def test_every_item_gets_the_map_of_its_fold() -> None:
    """Applied to the same judgments nothing is left out, and the results are those of the file."""
    frame = pd.concat([answers(), answers("n", seed=1, gap=0.15)], ignore_index=True)
    recalibration = recalibrate(frame, resamples=200, seed=5)
    after = recalibrated(frame, recalibration.maps)
    assert len(after["any_eval"]) == len(frame)
    rows = summarize(after, resamples=200)
    values = rows.set_index(["model", "condition", "metric"])["value"]
    for row in recalibration.changes.to_dict("records"):
        condition = f"method=recorded;variant=recalibrated%3D{row['recalibration']}"
        expected = row["recalibrated"]
        assert values[row["model"], condition, row["metric"]] == pytest.approx(expected, abs=1e-12)
    # An item's judgments are mapped by what is fitted to the items of the other folds.
    (entry, _) = recalibration.maps["maps"]
    assert entry["train"] == {"folds": 5}
    m_rows = frame[frame["model"] == "m"].reset_index(drop=True)
    folds = item_folds(m_rows.assign(dataset=""), 5)
    assert set(folds) == set(range(10))
    other_folds = m_rows[(folds != 3) & (m_rows["status"] == "ok") & (m_rows["epoch"] == 1)]
    expected_map = metrics.fit_recalibration(
        other_folds["confidence"], other_folds["correct"], method=entry["method"]
    )
    in_fold = m_rows[(folds == 3) & (m_rows["status"] == "ok")].drop_duplicates("item")
    mapped = after["any_eval"].query("model == 'm'").drop_duplicates("item").set_index("item")
    assert mapped.loc[in_fold["item"], "confidence"].to_numpy(float) == pytest.approx(
        expected_map(in_fold["confidence"]), abs=1e-6
    )
    # What couldn't be read stays unread.
    assert (after["any_eval"]["status"] != "ok").sum() == (frame["status"] != "ok").sum()
    # Items of another data set get the map of all, and it is said that none was fitted on it.
    other_dataset = recalibrated(frame.assign(dataset="other"), recalibration.maps)
    assert len(other_dataset["any_eval"]) == len(frame)
    assert notices_with(other_dataset, "no map was fitted on other")


def test_a_cluster_lies_in_one_fold() -> None:
    """The items of a passage have the same map, which none of them had a part in."""
    frame = answers()
    number = frame["item"].str.strip("ilost").astype(int)
    frame["cluster"] = "p" + (number // 4).astype(str)
    recalibration = recalibrate(frame, method="platt", resamples=20)
    after = recalibrated(frame, recalibration.maps)["any_eval"].dropna(subset=["confidence"])
    stated_by_item = frame.drop_duplicates("item").set_index("item")["confidence"]
    before_and_after = after.assign(stated=stated_by_item.loc[after["item"]].to_numpy())
    assert (before_and_after.groupby(["cluster", "stated"])["confidence"].nunique() == 1).all()


def test_a_calibrated_model_keeps_its_confidence_and_that_is_a_success() -> None:
    """The chosen method is `as_stated`, with a map that changes nothing."""
    frame = answers(gap=0, seed=3)
    recalibration = recalibrate(frame, resamples=50)
    (entry,) = recalibration.maps["maps"]
    assert entry["method"] == "as_stated"
    assert (recalibration.changes["difference"] == 0).all()
    after = recalibrated(frame, recalibration.maps)["any_eval"]
    pd.testing.assert_series_equal(
        after["confidence"], judgments_of(frame)["any_eval"]["confidence"]
    )


def test_the_screen_names_pooled_data_sets_and_shows_no_effect_of_no_map(tmp_path: Path) -> None:
    """A calibrated model beside an overconfident one, each on two data sets or on one."""
    pair = [answers(gap=0, seed=3), answers("n", gap=0.3)]
    frame = pd.concat(pair, ignore_index=True).assign(dataset="x")
    frame["dataset"] = frame["dataset"].where(frame["item"].str[-1] < "5", "y")
    frame.to_csv(tmp_path / "two.csv", index=False)
    frame.assign(dataset="x").to_csv(tmp_path / "one.csv", index=False)
    pooling = "All data sets are taken together: any_eval (x, y)."
    for name in ("two", "one"):
        fit = ("recalibrate", tmp_path / f"{name}.csv", "-o", tmp_path / "map.json")
        stdout = printed(*fit, "--resamples", 50).stdout
        changes = stdout.partition("Before and after")[2]
        for model, n_intervals in (("m", 1), ("n", 3)):  # as stated; recalibrated, difference
            lines = re.findall(rf"^{model} .* brier .*$", changes, re.MULTILINE)
            assert "".join(lines).count("[") == n_intervals
        assert "A dash beside as_stated: no map is applied." in " ".join(changes.split())
        assert (pooling in stdout) == (name == "two")
        stdout = printed("threshold", tmp_path / f"{name}.csv").stdout
        assert (pooling in stdout) == (name == "two")


def test_scores_are_those_of_maps_of_the_other_folds() -> None:
    """The scores in the file are those of the function on the same folds; a method can be set."""
    frame = answers()
    recalibration = recalibrate(frame, resamples=100)
    (entry,) = recalibration.maps["maps"]
    once = frame[(frame["status"] == "ok") & (frame["epoch"] == 1)]
    chosen = metrics.choose_recalibration(
        once["confidence"], once["correct"], fold=item_folds(once.assign(dataset=""), 0)
    )
    assert entry["brier"] == pytest.approx(chosen.brier)
    assert entry["method"] == chosen.recalibration.method != "as_stated"
    assert recalibrate(frame, method="beta", resamples=10).maps["maps"][0]["method"] == "beta"


def test_the_page_applies_a_map_behind_a_refused_one(tmp_path: Path) -> None:
    """An entry without a map has no `kind`; the answers of two models, of which one has too few."""
    few_answers = answers().query("item in @names", local_dict={"names": numbered("i", 9)})
    both = pd.concat([few_answers.assign(model="a"), answers().assign(model="b")])
    maps = recalibrate(both, method="platt", resamples=10).maps
    assert ["refused" in entry for entry in maps["maps"]] == [True, False]
    (tmp_path / "map.json").write_text(json.dumps(maps))
    code = (CHECKOUT / "docs" / "use.md").read_text(encoding="utf-8").split("```python\n")[1]
    scope: dict[str, Any] = {}
    exec(code.split("```")[0].replace('"map.json"', repr(str(tmp_path / "map.json"))), scope)
    entry = maps["maps"][1]
    # With a = b and c = 0 the odds at .5 are 1; in general they are exp(c) .5^(a - b).
    odds = np.exp(entry["c"]) * 0.5 ** (entry["a"] - entry["b"])
    assert scope["q"][0] == pytest.approx(odds / (1 + odds))


def test_refusals_of_recalibration(tmp_path: Path) -> None:
    """Too few items or one outcome, with the reason; unknown methods, maps and models."""
    few_answers = answers().query("item in @names", local_dict={"names": numbered("i", 9)})
    small_fit = recalibrate(few_answers, resamples=10)
    (entry,) = small_fit.maps["maps"]
    assert entry["refused"] == "9 items with confidence and outcome; 10 are needed"
    single_fit = recalibrate(answers().query("item == 'i0'"), resamples=10)
    (entry_of_one,) = single_fit.maps["maps"]
    assert entry_of_one["refused"] == "1 item with confidence and outcome; 10 are needed"
    assert small_fit.changes.empty
    assert small_fit.scores["note"].item() == f"no map: {entry['refused']}"
    sure = answers(items=400).assign(correct=1.0)
    (entry,) = recalibrate(sure, resamples=10).maps["maps"]
    assert entry["refused"] == "all answers to the 400 items are right; a map needs both outcomes"
    # 30 items are enough for a map, or for none that is better than stated confidence.
    assert "refused" not in recalibrate(answers(items=30), resamples=10).maps["maps"][0]
    # Applied, there is no map: nothing is left, and that is an error.
    assert "there is no map" in refused(recalibrated, sure, {"maps": [entry]})
    maps = recalibrate(answers(), resamples=10).maps
    assert "There is no map of n" in refused(recalibrated, answers("n"), maps)
    flags = {"maps": [entry | {"condition": entry["condition"] | {"low": False, "high": True}}]}
    assert "are not two numbers" in refused(recalibrated, sure, flags)
    assert "isotnic" in refused(recalibrate, answers(), method="isotnic")
    (tmp_path / "other.json").write_text("{}")
    assert "recalibrate PATH" in refused(recalibrated, answers(), tmp_path / "other.json")
    fermi = pd.DataFrame(
        {"task": "fermi_eval", "item": ["i"], "level": 90, "lower": 0, "upper": 1, "truth": 0.5}
    ).assign(status="ok")
    assert "no stated confidence" in refused(threshold, fermi)
    words = pd.DataFrame({"task": "wep_elicitation", "word": ["likely"], "probability": 0.7})
    words = words.assign(item="likely", status="ok", setting="narrative", language="en")
    assert "no stated confidence or interval" in refused(recalibrate, words)
    # Beside what has a map it stays as it is.
    judgments = judgments_of(pd.concat([answers(), fermi, words], ignore_index=True))
    after = recalibrated(judgments, maps)
    for task in ("fermi_eval", "wep_elicitation"):
        pd.testing.assert_frame_equal(after[task], judgments[task])
        assert f"{task} stays as it is: there is no map of it" in after.notices


def test_threshold_by_model() -> None:
    """Unreadable replies count as not given; what has no outcome is left out and counted."""
    frame = answers(items=2_000, gap=0.0)
    thresholds = threshold(pd.concat([frame, answers("n", gap=0.3)], ignore_index=True), risk=0.1)
    first, second = thresholds.to_dict("records")
    assert first["threshold"] == 0.9  # from .8 on a tenth is wrong
    read = frame[(frame["status"] == "ok") & (frame["epoch"] == 1)]
    answered = (read["confidence"] >= 0.9).sum()
    assert first["answered"] == answered
    # 4,020 judgments, twice each of the answered.
    assert first["coverage"] == pytest.approx(2 * answered / 4_020)
    assert first["items"] == 2_020
    assert np.isnan(second["threshold"])
    assert " items from 0.9 on are wrong" in second["note"]
    unread = frame.assign(
        status=frame["status"].mask(frame["item"] == "i0", "sample_error"),
        correct=frame["correct"].mask(frame["item"] == "i1"),
    )
    (row,) = threshold(unread, risk=0.1).to_dict("records")
    assert (row["left_out"], row["items"]) == (4, 2_018)
    assert "risk 5" in refused(threshold, frame, risk=5.0)


def test_the_screen_names_tasks_if_there_are_several(capsys: pytest.CaptureFixture[str]) -> None:
    """A model has a line for each task, which only the task tells apart."""
    thresholds = threshold(answers(), risk=0.1)
    print_thresholds(thresholds)
    assert "any_eval" not in capsys.readouterr().out
    print_thresholds(pd.concat([thresholds, thresholds.assign(task="quiz_eval")]))
    screen = capsys.readouterr().out
    assert "any_eval" in screen
    assert "quiz_eval" in screen


@pytest.mark.slow
def test_items_for_accuracy_are_those_of_the_formula() -> None:
    """Of accuracy p the interval is 2 * 1.96 sqrt(p (1 - p) / n) wide; differences likewise.

    Intervals of differences are a little wider than the normal ones (half a pair differs in either
    direction), and so more items are needed.
    """
    frame = answers(items=1_000).query("epoch == 1 and status == 'ok'")
    p = frame["correct"].mean()
    (row,) = items_needed(frame, width="accuracy=0.1").to_dict("records")
    assert row["items"] == pytest.approx((2 * 1.96 / 0.1) ** 2 * p * (1 - p), rel=0.05)
    assert (row["to_ask"], row["read"]) == (row["items"], 1)
    # Of a pilot of one model, two independent runs: n = (1.96 + .84)^2 2 p (1 - p) / size^2.
    (row,) = items_needed(frame, detect="accuracy=0.1", resamples=300).to_dict("records")
    assert row["items"] == pytest.approx((1.96 + 0.8416) ** 2 * 2 * p * (1 - p) / 0.01, rel=0.15)
    assert "independent" in row["note"]
    # Two models that are right on the same items but for one in ten: a tenth as many, about.
    rng = np.random.default_rng(0)
    flipped = np.where(rng.random(len(frame)) < 0.1, 1 - frame["correct"], frame["correct"])
    judgments = pd.concat([frame, frame.assign(model="n", correct=flipped)], ignore_index=True)
    (row,) = items_needed(judgments, detect="accuracy=0.1", resamples=300).to_dict("records")
    difference_variance = (flipped - frame["correct"]).var()
    normal = (1.96 + 0.8416) ** 2 * difference_variance / 0.01
    assert normal <= row["items"] <= 1.3 * normal
    assert row["correlation"] > 0.7
    # Items that one model alone was asked are no unreadable replies.
    (row,) = items_needed(
        pd.concat([frame, judgments.query("model == 'n'").iloc[100:]], ignore_index=True),
        detect="accuracy=0.3",
        resamples=50,
    ).to_dict("records")
    assert row["read"] == 1
    # Where one in five replies can't be read, so many more are asked.
    unread = frame.iloc[:250].assign(item=numbered("u", 250), confidence=np.nan)
    lossy = pd.concat([frame, unread.assign(status="refusal")], ignore_index=True)
    (row,) = items_needed(lossy, width="accuracy=0.1").to_dict("records")
    assert row["to_ask"] == int(np.ceil(row["items"] / 0.8))


@pytest.mark.slow
def test_clusters_of_equal_items_need_as_many_times_more_items() -> None:
    """Five items that are always alike count as one: five times the items of the formula."""
    frame = answers(items=400).query("epoch == 1 and status == 'ok'")
    p = frame["correct"].mean()
    copies = [
        frame.assign(item=frame["item"] + f"-{copy}", cluster=frame["item"]) for copy in range(5)
    ]
    judgments = pd.concat(copies, ignore_index=True)
    (row,) = items_needed(judgments, width="accuracy=0.1").to_dict("records")
    assert row["items"] == pytest.approx(5 * (2 * 1.96 / 0.1) ** 2 * p * (1 - p), rel=0.07)
    assert row["pilot_items"] == judgments["item"].nunique()
    assert "clusters of items are drawn" in row["note"]
    few_clusters = judgments.assign(cluster=judgments["cluster"].str[:1])
    assert "in 1 cluster; 10 are needed" in refused(
        items_needed, few_clusters, width="accuracy=0.1"
    )


def test_refusals_of_plans() -> None:
    """Each names the value, and what can be said instead."""
    frame = answers()
    assert "--detect" in refused(items_needed, frame)
    assert "Did you mean 'ece'" in refused(items_needed, frame, detect="ecee=0.1")
    for argument in ("ece", "ece=", "ece=0", "ece=x"):
        assert "METRIC=SIZE" in refused(items_needed, frame, width=argument)
    remedies = {"overconfidence=5": "5 percentage points are 0.05", "auroc=1": "lies in [0, 1]"}
    for size, remedy in remedies.items():
        assert remedy in refused(items_needed, frame, detect=size)
        assert remedy in refused(items_needed, frame, width=size)
    assert "power 80" in refused(items_needed, frame, detect="ece=0.1", power=80)
    assert "20 items" in refused(items_needed, answers(items=20), width="ece=0.1")
    all_right = frame.assign(correct=1.0)
    for aim in ({"width": "auroc=0.1"}, {"detect": "auroc=0.1"}):
        assert "or all answers right, or all wrong" in refused(items_needed, all_right, **aim)
    three = pd.concat(list(map(answers, "abc")), ignore_index=True)
    assert "3 models" in refused(items_needed, three, detect="ece=0.1")
    chosen = items_needed(three, detect="auroc=0.4", contenders=["a", "c"], resamples=20)
    assert chosen[["a", "b"]].to_numpy().tolist() == [["a recorded", "c recorded"]]
    by_part = items_needed(three, width="auroc=0.8", contenders=["b rec"], resamples=20)
    assert by_part["a"].tolist() == ["b recorded"]
    assert "--contender x: not in the pilot" in refused(
        items_needed, three, detect="ece=0.1", contenders=["x"]
    )
    assert "Name a TASK" in printed("plan", code=2).stderr
    assert "--pilot" in printed("plan", "--detect", "ece=0.1", code=2).stderr


@pytest.mark.slow
def test_from_logs_by_the_command_line(tmp_path: Path) -> None:
    """A run, its map, its results by the map, its threshold and the items of the next one."""
    (log,) = eval(
        scale_variants(dataset="bundled", scales="0-100"),
        model="respondent/boastful",
        log_dir=str(tmp_path / "logs"),
        display="none",
    )
    assert log.status == "success", log.error
    logs, maps = tmp_path / "logs", tmp_path / "map.json"
    stdout = printed("recalibrate", logs, "-o", maps, "--resamples", 200, "--json").stdout
    row_by_metric = pd.DataFrame(json.loads(stdout)).set_index("metric").to_dict("index")
    # This respondent's confidence is too high by far.
    assert row_by_metric["ece"]["difference_high"] < 0
    assert (
        row_by_metric["overconfidence"]["recalibrated_low"]
        < 0
        < row_by_metric["overconfidence"]["stated"]
    )
    assert (row_by_metric["ece"]["train_items"], row_by_metric["ece"]["test_items"]) == (276, 276)
    out = printed("summarize", logs, "--recalibrated", maps, "--json", "--resamples", 50)
    assert "left out" not in out.stderr
    rows = pd.DataFrame(json.loads(out.stdout))
    value_by_metric = rows[rows["note"] == ""].set_index("metric")["value"].to_dict()
    assert value_by_metric["brier"] == pytest.approx(
        row_by_metric["brier"]["recalibrated"], abs=1e-12
    )
    assert "at most 0.1 of answers" in printed("threshold", logs, "--risk", "0.1").stdout
    out = printed("plan", "--width", "accuracy=0.2", "--pilot", logs, "--json")
    (row,) = json.loads(out.stdout)
    assert 50 < row["items"] < 100


def test_atlas_by_the_command_line(
    shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What docs/use.md shows, and its five lines of Python give what `--recalibrated` gives."""
    folder = shared_data / "atlas"
    files = [
        folder / f"metacognitive_profile_results{suffix}.csv" for suffix in ("", " (3)", " (15)")
    ]
    page = (CHECKOUT / "docs" / "use.md").read_text(encoding="utf-8")
    page_lines = {" ".join(line.split()) for line in page.splitlines()}
    maps = tmp_path / "map.json"
    monkeypatch.setenv("COLUMNS", "250")  # a terminal that wide
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    done = printed("recalibrate", *files, *OTHERS, "-o", maps).stdout
    done += printed("threshold", *files, *OTHERS).stdout
    for line in done.splitlines():
        if re.match(r" *(anthropic|openai|deepseek)", line):
            assert " ".join(line.split()) in page_lines, line
    # The five lines, as the page has them.
    code = page.split("```python\n")[1].split("```")[0]
    assert len([line for line in code.splitlines() if line and "import" not in line]) == 5
    for entry in json.loads(maps.read_text())["maps"]:
        scope: dict[str, Any] = {}
        single = tmp_path / "single.json"
        single.write_text(json.dumps({"maps": [entry]}))
        exec(code.replace('"map.json"', repr(str(single))), scope)
        names = ("method", "kind", "clip", "x", "y", "a", "b", "c")
        curve = metrics.Recalibration(**{name: entry[name] for name in names if name in entry})
        assert scope["q"] == pytest.approx(curve([0.5, 0.9, 1.0]), abs=1e-12)
    out = printed(
        *("summarize", files[0], *OTHERS, "--recalibrated", maps, "--json", "--resamples", 100)
    )
    assert "left out" not in out.stderr
    rows = pd.DataFrame(json.loads(out.stdout))
    of_scale = rows["condition"].str.startswith("method=recorded;scale=0-100;var")
    (ece,) = rows.loc[(rows["metric"] == "ece") & of_scale, "value"]
    assert f"{ece:.3f}" in page


@pytest.mark.slow
def test_agreement_of_epochs_is_recalibrated_too() -> None:
    """What becomes of an item's epochs is a judgment, which stays as it is once it is one."""
    rng = np.random.default_rng(2)
    answers_drawn = rng.choice(["A", "B"], (3, 400), p=[0.8, 0.2])
    names = numbered("i", 400)
    frames = []
    for epoch, epoch_answers in enumerate(answers_drawn):
        columns = {"item": names, "answer": epoch_answers, "correct": epoch_answers == "A"}
        constants = {"task": "any_eval", "model": "m", "method": "epochs", "status": "ok"}
        epoch_rows = pd.DataFrame({**columns, **constants, "epoch": epoch, "confidence": np.nan})
        frames.append(epoch_rows.astype({"correct": float}))
    frame = pd.concat(frames, ignore_index=True)
    recalibration = recalibrate(frame, method="platt", resamples=50)
    after = recalibrated(frame, recalibration.maps)["any_eval"]
    assert len(after) == recalibration.maps["maps"][0]["test_items"] == 400
    agreement_share = (
        np.maximum((answers_drawn == "A").sum(axis=0), (answers_drawn == "B").sum(axis=0)) / 3
    )
    keys = pd.DataFrame({"dataset": "", "item": names, "cluster": ""})
    folds, expected = item_folds(keys, 0), np.empty(400)
    for k, shape in enumerate(recalibration.maps["maps"][0]["fold_maps"]):
        curve = metrics.Recalibration("platt", **shape)
        expected[folds == k] = curve(agreement_share[folds == k])
    rows = summarize(after, resamples=50).set_index("metric")["value"]
    assert rows["mean_confidence"] == pytest.approx(expected.mean(), abs=1e-12)
