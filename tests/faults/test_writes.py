"""Commands that are killed while they write: the old output is whole, or the new one is."""

from __future__ import annotations

import re
import shutil
import signal
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from conftest import run_respondent
from faults.children import run, tree
from faults.ledger import held
from inspect_confidence import read_judgments
from inspect_confidence.judgments.store import ingest
from report.pages import interval_frame

POINTS = 10
_MADE = re.compile(rb"\d{4}-\d\d-\d\d \d\d:\d\d UTC")
"""When a page was made, which tells no two apart."""

OUTPUTS = {
    "report": (["report", "IN", "-o", "OUT", "--resamples", "5"], "index.html"),
    "export csv": (["export", "IN", "--format", "csv", "-o", "OUT", "--resamples", "5"], ""),
    "export leaderboard": (
        ["export", "IN", "--format", "leaderboard", "-o", "OUT", "--resamples", "5"],
        "",
    ),
    "judgments csv": (["judgments", "IN", "-o", "OUT/all.csv"], ""),
    "judgments parquet": (["judgments", "IN", "-o", "OUT/all.parquet"], ""),
    "recalibrate": (["recalibrate", "IN", "-o", "OUT/maps.json", "--resamples", "5"], ""),
}
"""Commands, and the file that is new only after all others are."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Judgments of one model, and of another one."""
    folder = tmp_path_factory.mktemp("judgments")
    paths = []
    for name, seed in (("old", 1), ("new", 2)):
        interval_frame(name, items=12, seed=seed).to_csv(folder / f"{name}.csv", index=False)
        paths.append(folder / f"{name}.csv")
    return paths[0], paths[1]


def contents(folder: Path) -> dict[str, bytes]:
    """Its files, undated."""
    return {name: _MADE.sub(b"", raw) for name, raw in tree(folder).items()}


def whole(
    files_by_name: Mapping[str, bytes],
    old: Mapping[str, bytes],
    new: Mapping[str, bytes],
    last: str,
) -> bool:
    """Whether each file is the old or the new one, and the last one new only with all others."""
    is_old_or_new = all(
        raw in (old.get(name), new.get(name)) for name, raw in files_by_name.items()
    )
    has_all_names = set(files_by_name) >= set(old) & set(new)
    done = (
        not last
        or files_by_name[last] == old[last]
        or all(files_by_name.get(k) == v for k, v in new.items())
    )
    return is_old_or_new and has_all_names and done


@pytest.mark.slow
@pytest.mark.parametrize("name", OUTPUTS)
def test_a_killed_command_leaves_a_whole_output(
    files: tuple[Path, Path], tmp_path: Path, name: str
) -> None:
    """At ten points of its way; the same command again then gives the new output."""
    words, last = OUTPUTS[name]

    def command(source: Path, out: Path) -> list[str]:
        return [word.replace("IN", str(source)).replace("OUT", str(out)) for word in words]

    before, after = tmp_path / "before", tmp_path / "after"
    for source, out in zip(files, (before, after), strict=True):
        out.mkdir()
        assert run(command(source, out)).code == 0
    old, new = contents(before), contents(after)
    assert old.keys() == new.keys()
    shutil.copytree(before, tmp_path / "counted")
    changes = run(command(files[1], tmp_path / "counted"), folder=tmp_path / "counted").changes
    assert changes
    outcomes: dict[str, bool] = {}
    for point in np.linspace(0, changes - 1, POINTS).astype(int):
        case = f"{name} before change {point}, {len(outcomes)}"
        out = tmp_path / f"out-{len(outcomes)}"
        shutil.copytree(before, out)
        ended = run(command(files[1], out), folder=out, point=int(point))
        assert ended.code == -signal.SIGKILL, ended
        good = whole(contents(out), old, new, last)
        second_run = run(command(files[1], out))
        outcomes[case] = good and second_run.code == 0 and contents(out) == new
        shutil.rmtree(out)
    happened = "the old files or the new ones, the page last; the command again gives the new"
    assert held("writes", f"{name}: killed at {POINTS} points", outcomes, happened, "nothing") == []


@pytest.mark.slow
def test_a_killed_ingest_leaves_a_whole_store(tmp_path: Path) -> None:
    """A store from before has its judgments or the new ones; the next ingest gives the new."""
    logs, before = tmp_path / "logs", tmp_path / "before"
    run_respondent("calibrated", logs, items=4, levels="90")
    ingest(logs, before)
    old = rows_of(before)
    run_respondent("tunnel", logs, items=4, levels="80")
    new = rows_of(logs)
    assert old != new
    shutil.copytree(before, tmp_path / "counted")
    store = tmp_path / "counted"
    changes = run(["ingest", logs, "-o", store], folder=store).changes
    outcomes: dict[str, bool] = {}
    for point in np.linspace(0, changes - 1, POINTS).astype(int):
        store = tmp_path / f"store-{len(outcomes)}"
        shutil.copytree(before, store)
        ended = run(["ingest", logs, "-o", store], folder=store, point=int(point))
        assert ended.code == -signal.SIGKILL, ended
        good = rows_of(store) in (old, new)
        second_ingest = run(["ingest", logs, "-o", store])
        outcomes[f"{point}, {len(outcomes)}"] = (
            good and not second_ingest.code and rows_of(store) == new
        )
    happened = "the old judgments or the new ones, with a note; ingest again gives the new"
    assert held("writes", f"ingest: killed at {POINTS} points", outcomes, happened, "nothing") == []


def rows_of(place: Path) -> list[tuple[object, ...]]:
    """The judgments at a place, in order."""
    frame = pd.concat(read_judgments(place).values())
    columns = ["model", "item", "level", "lower", "upper"]
    return sorted(frame[columns].itertuples(index=False, name=None))
