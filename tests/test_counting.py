"""Results of a store whose equal judgments are counted are those of its rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from inspect_confidence import metrics, read_judgments, summarize
from inspect_confidence.commands.analysis import Settings, as_stream
from inspect_confidence.judgments import streams
from inspect_confidence.judgments.counting import count_record
from inspect_confidence.judgments.locations import Log
from inspect_confidence.judgments.read import judgments_of
from inspect_confidence.judgments.runs import Run, encode_run, reader_versions
from inspect_confidence.judgments.store import Store, write_manifest, write_record
from inspect_confidence.judgments.streams import Stream
from inspect_confidence.studies.any_eval import counting

ITEMS = 5_000
FEW: Settings = {"resamples": 20, "costs": "right=1,wrong=-2,abstain=0"}


def counted_run(model: str, dataset: str, items: int = ITEMS, **columns: Any) -> Run:
    """A log with reports in steps of 5%, of which some are unread, out of range or declined."""
    rng = np.random.default_rng(len(model + dataset))
    run = f"{model}-{dataset}"
    names = [f"q{number}" for number in rng.permutation(items)]
    raw = 5.0 * rng.integers(21, size=items)
    right = rng.random(items) < 0.2 + 0.6 * raw / 100
    kind = rng.choice(6, items, p=[0.9, 0.02, 0.02, 0.02, 0.02, 0.02])
    raw = np.select([kind == 1, kind == 2, kind >= 3], [103, 130, np.nan], raw)
    statuses = np.array(["ok", "ok", "ok", "no_response", "declined", "sample_error"])
    judgments = {
        "run": run,
        "uuid": [f"{run}-{name}" for name in names],
        "model": model,
        "dataset": dataset,
        "item": names,
        "method": "stated",
        "low": 0.0,
        "high": 100.0,
        "raw": raw,
        "correct": np.where(kind >= 4, np.nan, right),
        "status": statuses[kind],
        "scorer": "choice",
        **columns,
    }
    rows = judgments_of(pd.DataFrame(judgments).assign(task="any_eval"))["any_eval"]
    return Run(run, "any_eval", model, "any_eval", {}, rows, ("1 " + rows["item"]).to_numpy(object))


def write_store(folder: Path, *runs: Run) -> str:
    """Write a store with these logs."""
    entries = []
    for number, run in enumerate(runs):
        place = Log(f"{number}.eval", 1, 1)
        entries.append(write_record(folder, place, f"{number:032x}", encode_run(run)))
    write_manifest(Store(folder, readers=reader_versions(), entries=entries, whole=True))
    return str(folder)


def counted_logs(store: str, executor: str | None = None) -> set[str]:
    """Return model and data set of the logs whose judgments are counted."""
    stream = as_stream(store, FEW, executor)
    assert isinstance(stream, Stream)
    runs: set[str] = set()
    for rows in stream.counted.values():
        assert len(rows) < 500
        runs.update(rows["run"])
    return runs


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Logs that can be counted, and others."""
    rng = np.random.default_rng(1)
    return write_store(
        tmp_path_factory.mktemp("store"),
        counted_run("a", "one"),
        counted_run("a", "two", choices=2.0, target=rng.choice(["A", "B"], ITEMS)),
        counted_run("a", "short", 300),
        counted_run(
            "b",
            "parts",
            split=rng.choice(["dev", "test"], ITEMS),
            choices=rng.choice([2.0, 4.0], ITEMS),
        ),
        counted_run("b", "credit", correct=rng.integers(4, size=ITEMS) / 3),
        counted_run("c", "epochs", item=[f"q{number // 2}" for number in range(ITEMS)]),
        counted_run("c", "clusters", cluster=rng.choice(["x", "y", "z"], ITEMS)),
        counted_run("d", "fractions", raw=100 * rng.random(ITEMS)),
        counted_run("d", "fields", 2 * ITEMS, by=rng.choice(["area=law", "area=art"], 2 * ITEMS)),
        counted_run(
            "d", "rare", 2 * ITEMS, by=np.where(rng.random(2 * ITEMS) < 0.1, "area=law", "")
        ),
        counted_run("e", "ungraded", correct=np.nan, answer="A", target="B", scorer=""),
        counted_run(
            "e", "ranks", low=np.nan, high=np.nan, raw=rng.integers(9, size=ITEMS), ordinal=True
        ),
    )


@pytest.fixture(scope="module")
def results(store: str) -> pd.DataFrame:
    """The results of the store, of which a part is counted."""
    pytest.importorskip("duckdb")
    return summarize(store, **FEW)


COUNTED = {"a-one", "a-two", "b-parts", "b-credit", "d-fields", "e-ranks"}


@pytest.mark.slow
def test_counted_judgments_of_a_store_give_the_results_of_its_rows(
    store: str, results: pd.DataFrame
) -> None:
    """To the last bit: both add up the same counts. Notes are equal too."""
    assert counted_logs(store) == COUNTED
    pd.testing.assert_frame_equal(
        results, summarize(read_judgments(store), **FEW), check_exact=True
    )


@pytest.mark.slow
def test_results_of_counts_are_those_of_single_rows(
    store: str, results: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Except for rounding: the same resamples are drawn from rows that nobody counts."""
    monkeypatch.setattr(counting, "MOST_UNITS", 10**9)
    expected = summarize(read_judgments(store), **FEW)
    pd.testing.assert_frame_equal(results, expected, rtol=1e-9, atol=1e-12)


def test_without_duckdb_rows_are_read(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A notice names the package that is missing."""
    monkeypatch.setattr(streams, "can_count", lambda: False)
    assert counted_logs(store) == set()
    stream = as_stream(store, FEW)
    assert isinstance(stream, Stream)
    assert not [notice for notice in stream.notices if "DuckDB" in notice]  # too few to mention
    monkeypatch.setattr(streams, "_MIN_ROWS_FOR_NOTICE", 10_000)
    stream = as_stream(store, FEW)
    assert isinstance(stream, Stream)
    (notice,) = [notice for notice in stream.notices if "one by one" in notice]
    assert "65,000 of 65,300 judgments" in notice
    assert "install inspect_confidence[scale]" in notice


def test_a_notice_says_which_metrics_need_rows(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the number of rows and the reason, before they are read."""
    pytest.importorskip("duckdb")
    monkeypatch.setattr(streams, "_MIN_ROWS_FOR_NOTICE", 10_000)
    stream = as_stream(store, FEW)
    assert isinstance(stream, Stream)
    (notice,) = [notice for notice in stream.notices if "one by one" in notice]
    assert "30,000 of 65,300 judgments are read one by one" in notice
    assert "10,000 for calibration_p, because a data set has at most 4,000 readable" in notice
    assert "15,000 for all intervals, because items have clusters, several judgments" in notice
    assert "5,000 for all intervals, because more than 500 judgments are different" in notice


def test_each_limit_of_different_judgments_is_named(tmp_path: Path) -> None:
    """Of a file, of a data set, of confidences, and of scales; no confidence is given twice."""
    pytest.importorskip("duckdb")
    steps = np.arange(ITEMS) % 300 / 3
    store = write_store(
        tmp_path,
        counted_run("a", "file", 2 * ITEMS, raw=100 * np.arange(2 * ITEMS) / 2 / ITEMS),
        counted_run("b", "set", raw=100 * np.arange(ITEMS) / ITEMS),
        counted_run("c", "steps", raw=steps, correct=0.0, status="ok"),
        counted_run("d", "scales", high=np.where(np.arange(ITEMS) % 2, 100.0, 200.0)),
    )
    reasons = {}
    for file in Path(store).rglob("*.parquet"):
        counted = count_record(str(file), "any_eval")
        reasons[counted.datasets[0]] = counted.problem.removeprefix("all intervals, because ")
    assert reasons == {
        "file": "more than 5,000 judgments are different",
        "set": "more than 500 judgments are different",
        "steps": "more than 250 confidences or grades are different",
        "scales": "confidence is on several scales",
    }


def test_logs_that_share_a_data_set_are_not_counted(tmp_path: Path) -> None:
    """Their items may be the same."""
    pytest.importorskip("duckdb")
    store = write_store(
        tmp_path,
        counted_run("a", "one"),
        counted_run("a", "one", run="again"),
        counted_run("b", "one"),
        counted_run("a", "two"),
    )
    assert counted_logs(store) == {"a-two", "b-one"}
    pd.testing.assert_frame_equal(
        summarize(store, **FEW), summarize(read_judgments(store), **FEW), check_exact=True
    )


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "ece": metrics.ece_interval,
    "rms": metrics.rms_calibration_error_interval,
    "smooth ece": metrics.smooth_ece_interval,
    "uncertainty": metrics.brier_uncertainty_interval,
    "debiased": metrics.debiased_squared_error,
    "debiased interval": metrics.debiased_squared_error_interval,
    "test": metrics.calibration_p,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_counts_are_those_of_repeated_judgments(name: str) -> None:
    """Each judgment as often as its count says, those that lack a number included."""
    rng = np.random.default_rng(3)
    confidence = np.append(np.repeat(np.arange(9) / 8, 2), [np.nan, 0.5])
    correct = np.append(np.tile([0.0, 1.0], 9), [1, np.nan])
    counts = rng.integers(1, 800, len(correct))
    function = FUNCTIONS[name]
    repeated = function(np.repeat(confidence, counts), np.repeat(correct, counts))
    np.testing.assert_allclose(function(confidence, correct, counts=counts), repeated, rtol=1e-9)


def test_wilson_interval_of_counts_is_that_of_repeated_items() -> None:
    """Items with several judgments too."""
    successes, trials, counts = [0, 1, 2, 1], [1, 1, 2, 3], [3, 40, 2, 7]
    repeated = metrics.clustered_wilson_interval(
        np.repeat(successes, counts), np.repeat(trials, counts)
    )
    interval = metrics.clustered_wilson_interval(successes, trials, counts=counts)
    np.testing.assert_allclose(interval, repeated, rtol=1e-12)
