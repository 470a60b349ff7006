"""Conformal maps of intervals: fitted on train items, judged on test items, applied, published."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from build import column_of, entries_of, notices_with, numbered
from conftest import CHECKOUT
from inspect_confidence import recalibrate, recalibrated, summarize
from inspect_confidence.commands.groups import is_train_item
from runs import printed
from test_use import answers

NAN = float("nan")
PAGE = (CHECKOUT / "docs" / "use.md").read_text(encoding="utf-8")


def intervals(items: int = 60, seed: int = 0, **columns: Any) -> pd.DataFrame:
    """Stated intervals that are too narrow, at two levels and epochs; one in ten is unreadable."""
    rng = np.random.default_rng(seed)
    rows = []
    for level, half in ((80, 0.8), (90, 1.0)):
        for epoch in (1, 2):
            middle, read = rng.normal(size=items), rng.random(items) > 0.1
            lower = np.where(read, middle - half, NAN)
            epoch_columns = {
                "lower": lower,
                "upper": lower + 2 * half,
                "epoch": epoch,
                "level": level,
            }
            status = np.where(read, "ok", "invalid_response_format")
            truth, item = np.zeros(items), numbered("i", items)
            rows.append(
                pd.DataFrame({**epoch_columns, "status": status, "truth": truth, "item": item})
            )
    frame = pd.concat(rows, ignore_index=True)
    return frame.assign(task="fermi_eval", model="m", method="direct", dataset="d", **columns)


def by_hand(train: pd.DataFrame, level: int) -> tuple[float, int]:
    """The ceil((n + 1) level/100)-th least score of the first readable interval of each item."""
    first: dict[str, float] = {}
    for row in train.sort_values("epoch").to_dict("records"):
        if row["level"] == level and row["status"] == "ok":
            score = max(row["lower"] - row["truth"], row["truth"] - row["upper"])
            first.setdefault(row["item"], score)
    n = len(first)
    return sorted(first.values())[-((n + 1) * level // -100) - 1], n


def test_studies_of_one_folder_have_their_maps_in_one_file() -> None:
    """Offsets by hand; what they change on test items, judgment by judgment; what is applied."""
    frame = intervals()
    recalibration = recalibrate(
        pd.concat([answers(), frame], ignore_index=True), resamples=100, seed=3
    )
    kinds = [(entry["task"], entry["kind"] == "interval") for entry in recalibration.maps["maps"]]
    assert kinds == [("any_eval", False), ("fermi_eval", True), ("fermi_eval", True)]
    train = is_train_item(frame, 3)
    after = recalibrated(frame, recalibration.maps)
    assert set(after["fermi_eval"]["item"]) == set(frame.loc[~train, "item"])
    rows = summarize(after, resamples=100).set_index(["condition", "metric"])["value"]
    for entry, level in zip(recalibration.maps["maps"][1:], (80, 90), strict=True):
        offset, n = by_hand(frame[train], level)
        assert entry["offset"] == pytest.approx(offset, abs=1e-12)
        assert (entry["train_items"], entry["train"], entry["level"]) == (n, {"halves": 3}, level)
        test = frame[~train & (frame["level"] == level) & (frame["status"] == "ok")]
        way_changes = recalibration.changes[
            recalibration.changes["condition"] == f"level={level};method=direct"
        ]
        change_by_metric: dict[Any, Any] = way_changes.set_index("metric").to_dict("index")
        for name, shift in (("stated", 0.0), ("recalibrated", offset)):
            low, high, truth = test["lower"] - shift, test["upper"] + shift, test["truth"]
            missed = np.maximum(np.maximum(low - truth, truth - high), 0)
            wide = high - low
            assert change_by_metric["coverage"][name] == pytest.approx((missed == 0).mean())
            assert change_by_metric["mean_width"][name] == pytest.approx(wide.mean())
            score = (wide + 2 / (1 - level / 100) * missed).mean()
            assert change_by_metric["interval_score"][name] == pytest.approx(score)
        for metric, row in change_by_metric.items():
            assert row["difference"] == pytest.approx(row["recalibrated"] - row["stated"])
            condition = f"level={level};method=direct;variant=recalibrated%3Dconformal"
            assert rows[condition, metric] == pytest.approx(row["recalibrated"])
        # It moved outwards by as much in all of them: coverage is no less in any resample.
        assert change_by_metric["coverage"]["difference_low"] >= 0


def test_what_the_study_itself_adjusts() -> None:
    """By `split` the numbers after are those of `method=conformal` in results."""
    frame = intervals(200)
    even = frame["item"].str[1:].astype(int) % 2 == 0
    frame["split"] = np.where(even, "train", "test")
    recalibration = recalibrate(frame, resamples=100)
    assert column_of(recalibration.maps["maps"], "train") == [{"split": "train"}] * 2
    rows = summarize(frame, resamples=100).set_index(["condition", "metric"])["value"]
    for entry in recalibration.maps["maps"]:
        condition = f"level={entry['level']:g};method=conformal;split=test"
        assert rows[condition, "conformal_offset"] == entry["offset"]
        for row in recalibration.changes.to_dict("records"):
            if row["condition"] == f"level={entry['level']:g};method=direct":
                assert row["recalibrated"] == pytest.approx(
                    rows[condition, row["metric"]], abs=1e-12
                )


def test_bounds_that_cross_hold_nothing() -> None:
    """Five intervals 5 too wide on either side: of one 4 wide nothing is left, of 12 there is 2."""
    constants: dict[str, Any] = {
        "task": "fermi_eval",
        "method": "direct",
        "level": 50,
        "status": "ok",
    }
    train = pd.DataFrame({"item": [*"abcde"], "lower": 0.0, "upper": 10.0, "split": "train"})
    test = pd.DataFrame({"item": ["f", "g"], "lower": [3.0, -1.0], "upper": [7.0, 11.0]})
    frame = pd.concat([train, test.assign(split="test")], ignore_index=True)
    frame = frame.assign(truth=5.0, model="m", **constants)
    recalibration = recalibrate(frame, resamples=10)
    assert recalibration.maps["maps"][0]["offset"] == -5  # the 3rd of five scores of -5
    rows = summarize(recalibrated(frame, recalibration.maps), resamples=10).set_index("metric")[
        "value"
    ]
    expected = {"coverage": 0.5, "mean_width": 1.0, "interval_score": 1.0}
    assert entries_of(dict(rows), expected) == expected


def test_no_map_and_why() -> None:
    """Too few train items for a level, intervals of several judgments, no test item to judge by."""
    frame = intervals(60).replace({"level": {90: 99}})
    sampled = intervals(60).query("level == 80").assign(method="sampling", point=0.0, level=NAN)
    recalibration = recalibrate(pd.concat([frame, sampled], ignore_index=True), resamples=50)
    first, second, third = recalibration.maps["maps"]
    assert "offset" in first
    reason = rf"{second['train_items']} train items with an interval; 99% needs 99"
    assert second["refused"] == reason
    assert "several judgments" in third["refused"]
    assert recalibration.offsets["note"].tolist()[1:] == [
        f"no map: {entry['refused']}" for entry in (second, third)
    ]
    after = recalibrated(pd.concat([frame, sampled], ignore_index=True), recalibration.maps)
    assert set(after["fermi_eval"]["level"]) == {80}
    assert len(notices_with(after, "there is no map")) == 2
    split = np.where(frame["status"] == "ok", "train", "test")
    entries = recalibrate(frame.assign(split=split), resamples=10).maps["maps"]
    (level_entry,) = [entry for entry in entries if entry["condition"]["level"] == 80]
    assert level_entry["refused"] == "no test item has an interval"


def test_by_the_command_line_and_without_us(tmp_path: Path) -> None:
    """What a file of judgments gives; the page's four lines do what `--recalibrated` does."""
    frame, maps = intervals(100), tmp_path / "map.json"
    frame.to_csv(tmp_path / "judged.csv", index=False)
    stdout = printed("recalibrate", tmp_path / "judged.csv", "-o", maps, "--resamples", 50).stdout
    assert "Conformal adjustment of intervals" in stdout
    assert "Methods of recalibration" not in stdout
    code = PAGE.split("```python\n")[2].split("```")[0]
    assert len([line for line in code.splitlines() if line and "import" not in line]) == 4
    scope: dict[str, Any] = {}
    # The lines pass over entries without a map, which have no `kind`.
    entries = [{"refused": "too few items"}, *json.loads(maps.read_text())["maps"]]
    (tmp_path / "more.json").write_text(json.dumps({"maps": entries}))
    exec(code.replace('"map.json"', repr(str(tmp_path / "more.json"))), scope)
    keys = ["item", "epoch"]
    after = recalibrated(frame, maps)["fermi_eval"].query("level == 90").set_index(keys)["lower"]
    lower_bounds = frame[~is_train_item(frame, 0) & (frame["level"] == 90)].set_index(keys)["lower"]
    move = (after.loc[lower_bounds.index] - lower_bounds).to_numpy()
    np.testing.assert_allclose(move[~np.isnan(move)], scope["low"] - 2, atol=1e-12)
    assert scope["high"] - 5 == pytest.approx(2 - scope["low"])


@pytest.mark.slow
@pytest.mark.parametrize("items", [40, 100])
def test_mean_coverage_lies_within_the_bound(items: int) -> None:
    """Over 200 splits it is within [level, level + 1/(n + 1)], exactly k/(n + 1) on average.

    n train items have an interval, and k is the rank of the score that is taken.
    """
    shortfalls: dict[float, list[float]] = {80: [], 90: []}
    for seed in range(200):
        recalibration = recalibrate(intervals(items, seed), resamples=2, seed=seed)
        rows = recalibration.changes[recalibration.changes["metric"] == "coverage"]
        covered = dict(zip(rows["condition"], rows["recalibrated"], strict=True))
        for entry in recalibration.maps["maps"]:
            level, n = int(entry["level"]), entry["train_items"]
            expected = -((n + 1) * level // -100) / (n + 1)
            assert level / 100 <= expected <= level / 100 + 1 / (n + 1)
            shortfalls[level].append(covered[f"level={level};method=direct"] - expected)
    for values in shortfalls.values():
        assert abs(np.mean(values)) < 3.3 * np.std(values) / math.sqrt(len(values))
        assert np.std(values) / math.sqrt(len(values)) < 0.01
