"""Disks that are full and folders that can't be written: a line, and nothing is lost."""

from __future__ import annotations

import shutil
import stat
import sys
from pathlib import Path

import pandas as pd
import pytest

from conftest import run_respondent
from faults.children import bound, full, run, tree
from faults.ledger import held
from inspect_confidence.judgments.store import ingest
from report.pages import interval_frame

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits and capabilities of Linux")

ROOM = 500
"""Bytes that a file may have."""

COMMANDS = {
    "report": ["report", "IN", "-o", "OUT", "--resamples", "5"],
    "report pdf": ["report", "IN", "-o", "OUT", "--resamples", "5", "--formats", "pdf"],
    **{
        f"export {form}": ["export", "IN", "--format", form, "-o", "OUT", "--resamples", "5"]
        for form in ("csv", "leaderboard", "every-eval-ever")
    },
    "judgments csv": ["judgments", "IN", "-o", "OUT/all.csv"],
    "judgments parquet": ["judgments", "IN", "-o", "OUT/all.parquet"],
    "recalibrate": ["recalibrate", "IN", "-o", "OUT/maps.json", "--resamples", "5"],
    "summarize": ["summarize", "IN", "--csv", "OUT/all.csv", "--resamples", "5"],
    "compare": ["compare", "IN", "--csv", "OUT/all.csv", "--resamples", "5"],
    "unread": ["unread", "IN", "--csv", "OUT/all.csv"],
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgments of two models."""
    file = tmp_path_factory.mktemp("judgments") / "judgments.csv"
    frames = [interval_frame(name, items=12, seed=k) for k, name in enumerate(("a", "b"))]
    pd.concat(frames).to_csv(file, index=False)
    return file


def filled(words: list[str], source: Path, out: Path) -> list[str]:
    """The words of a command, with where from and where to."""
    return [word.replace("IN", str(source)).replace("OUT", str(out)) for word in words]


@pytest.mark.slow
@pytest.mark.parametrize("state", ["full", "closed"])
def test_what_can_not_be_written_is_a_line(source: Path, tmp_path: Path, state: str) -> None:
    """It names the path and the remedy; the output before, and a user's own file, are as before."""
    outcomes = {}
    for name, words in COMMANDS.items():
        out = tmp_path / name.replace(" ", "-")
        out.mkdir()
        assert run(filled(words, source, out)).code == 0, name
        (out / "mine.txt").write_text("mine")
        before = tree(out)
        if state == "full":
            ended = run(filled(words, source, out), before=full, arguments=(ROOM,))
        else:
            places = [out, *(path for path in out.rglob("*") if path.is_dir())]
            for path in places:
                path.chmod(stat.S_IRUSR | stat.S_IXUSR)
            ended = run(filled(words, source, out), before=bound)
            for path in places:
                path.chmod(stat.S_IRWXU)
        message = " ".join(ended.errors)
        remedies = ("free some room", "name another place", "there is no permission for")
        outcomes[f"{name}: {ended}"] = (
            ended.code in (1, 2)
            and not ended.crash
            and len(ended.errors) == 1
            and str(out) in message
            and any(remedy in message for remedy in remedies)
            and tree(out) == before
            and not [path for path in out.rglob("*") if path.name.endswith(".new")]
        )
    fault = {"full": "A disk without room for the output", "closed": "A read-only target"}[state]
    happened = "one line that names the path and what to do; the previous output is unchanged"
    assert held("disk", fault, outcomes, happened, "the new output") == []


@pytest.mark.slow
def test_a_store_on_a_full_disk(tmp_path: Path) -> None:
    """Ingest says so in a line, and with room again goes on from where it was."""
    logs, store = tmp_path / "logs", tmp_path / "store"
    run_respondent("calibrated", logs, items=4, levels="90")
    ingest(logs, store)
    run_respondent("tunnel", logs, items=4, levels="80")
    outcomes = {}
    for room in (0, 500, 4_000):
        store_copy = tmp_path / f"store-{room}"
        shutil.copytree(store, store_copy)
        ended = run(["ingest", logs, "-o", store_copy], before=full, arguments=(room,))
        lines = len(ended.errors) == 1 and str(store_copy) in " ".join(ended.errors)
        summary = run(["summarize", store_copy, "--resamples", "5"])
        second_ingest = run(["ingest", logs, "-o", store_copy])
        outcomes[f"{room}: {ended}"] = (
            ended.code != 0
            and not ended.crash
            and lines
            and summary.code == 0
            and second_ingest.code == 0
        )
    happened = "one line; the judgments from before are read, and the next ingest goes on"
    assert held("disk", "A store on a full disk", outcomes, happened, "nothing") == []
