"""Folders of logs: what is wrong with one log is named, and costs no other."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import pandas as pd
import pytest
from inspect_ai.log import (
    EvalError,
    EvalLog,
    ProvenanceData,
    edit_score,
    invalidate_samples,
    read_eval_log,
    write_eval_log,
)
from inspect_ai.scorer import ScoreEdit

from build import attributes_of, notices_with, records_with, texts_with
from conftest import CHECKOUT
from faults.edits import members_of
from faults.ledger import held
from inspect_confidence import InvalidArgument, ingest, read_judgments, summarize
from runs import printed, refusal
from studies.frames import frames_are_equal

EXAMPLE = CHECKOUT / "examples" / "logs" / "scale_variants-candid.eval"
SAMPLES = 160
"""Samples of the example log."""
FEW = 40
"""Samples of a log that is made of it."""
BY = ProvenanceData(author="a tester", reason="a fault")


def log_of(model: str, run: str) -> EvalLog:
    """The first samples of the example's log as those of another model and run."""
    log = read_eval_log(str(EXAMPLE))
    log.eval.model, log.eval.task_id = model, run
    log.samples = (log.samples or [])[:FEW]
    for sample in log.samples:
        sample.uuid = f"{run}-{sample.id}"
    dataset = log.eval.dataset
    dataset.samples, dataset.sample_ids = FEW, attributes_of(log.samples, "id")
    return log


def write(log: EvalLog, place: Path, **changes: Any) -> Path:
    """The log written to a place; with other values in its `eval`."""
    for name, value in changes.items():
        setattr(log.eval, name, value)
    write_eval_log(log, str(place))
    return place


def failing(log: EvalLog, count: int) -> EvalLog:
    """The log with an error in so many samples, completed a day earlier."""
    assert log.samples
    for sample in log.samples[:count]:
        sample.error = EvalError(message="boom", traceback="", traceback_ansi="")
        sample.scores = {}
    log.stats.started_at = log.stats.completed_at = "2026-11-01T00:00:00+00:00"
    return log


def rows(folder: Path) -> pd.DataFrame:
    """The judgments of the scale study in a folder."""
    return read_judgments(folder)["scale_variants"]


@pytest.mark.parametrize("touched", ["first", "retry"])
def test_answers_of_a_retry_outlive_a_touch_of_the_first_log(tmp_path: Path, touched: str) -> None:
    """Answers come before errors, whichever file was written last, in folders and stores."""
    write(failing(log_of("m", "r"), 7), tmp_path / "first.eval")
    write(log_of("m", "r"), tmp_path / "retry.eval")
    retry_rows = rows(tmp_path / "retry.eval")
    os.utime(tmp_path / f"{touched}.eval", (2e9, 2e9))
    judgments = read_judgments(tmp_path)
    assert frames_are_equal(judgments["scale_variants"], retry_rows)
    (message,) = notices_with(judgments, "several logs")
    assert message.startswith(f"{FEW} samples are in several logs and were taken once: {FEW} from ")
    assert message.endswith("retry.eval")
    ingest(tmp_path, tmp_path / "store")
    assert frames_are_equal(rows(tmp_path / "store"), retry_rows)


def test_each_sample_comes_from_the_log_that_answers_it(tmp_path: Path) -> None:
    """A later log that failed gives only what no other has."""
    later = failing(log_of("m", "r"), 10)
    later.stats.completed_at = "2027-01-01T00:00:00+00:00"
    write(later, tmp_path / "later.eval")
    write(log_of("m", "r"), tmp_path / "earlier.eval")
    judgments = read_judgments(tmp_path)
    assert (judgments["scale_variants"]["status"] == "ok").all()
    (message,) = notices_with(judgments, "several logs")
    assert f"{FEW - 10} from " in message.split(",")[0]
    assert message.endswith("earlier.eval")


@pytest.mark.parametrize("task", ["other/scale_variants", "scale_variants"])
def test_a_task_of_somebody_else_is_named_and_left_out(tmp_path: Path, task: str) -> None:
    """It has the name of ours, and neither our metadata nor confidence."""
    shutil.copy(EXAMPLE, tmp_path)
    our_rows = rows(tmp_path)
    foreign = log_of("m", "theirs")
    for sample in foreign.samples or []:
        sample.metadata, sample.scores = {}, {}
    write(foreign, tmp_path / "theirs.eval", task=task, metadata={})
    judgments = read_judgments(tmp_path)
    assert frames_are_equal(judgments["scale_variants"], our_rows)
    (message,) = notices_with(judgments, "theirs.eval")
    assert f"left out: {task}, which isn't the task of inspect_confidence: no confidence" in message


def test_invalid_samples_are_counted_and_left_out(tmp_path: Path) -> None:
    """Also those of an older copy of the log; what is said of the samples is the newest log's."""
    log = write(log_of("m", "r"), tmp_path / "old.eval")
    whole = rows(tmp_path)
    chosen = [f"r-{item.id}" for item in (read_eval_log(str(log)).samples or [])[:3]]
    newer = invalidate_samples(log_of("m", "r"), chosen, BY)
    newer.stats.completed_at = "2027-01-01T00:00:00+00:00"
    write(newer, tmp_path / "new.eval")
    judgments = read_judgments(tmp_path)
    expected = whole[~whole["uuid"].isin(chosen)].reset_index(drop=True)
    assert len(expected) == len(whole) - 3
    assert frames_are_equal(judgments["scale_variants"], expected)
    (notice,) = notices_with(judgments, "declared invalid")
    assert notice.endswith("3 samples were declared invalid and left out")
    assert not judgments.loss_notices
    ingest(tmp_path, tmp_path / "store")
    assert frames_are_equal(rows(tmp_path / "store"), expected)


@pytest.mark.parametrize("name", ["a#b", "c?d", "e%20f", "g h"])
def test_folders_with_any_name_are_read(tmp_path: Path, name: str) -> None:
    """Signs that mean something in addresses."""
    folder = tmp_path / name
    folder.mkdir()
    shutil.copy(EXAMPLE, folder)
    assert len(rows(folder)) == SAMPLES
    assert len(rows(folder / EXAMPLE.name)) == SAMPLES


def test_what_cant_be_listed_is_named(tmp_path: Path) -> None:
    """Links to folders, to nothing and in circles, and folders that nobody may read."""
    logs = tmp_path / "logs"
    (logs / "shut").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    shutil.copy(EXAMPLE, logs)
    (logs / "round").symlink_to(logs)
    (logs / "circle").symlink_to("circle")
    (logs / "gone.eval").symlink_to(tmp_path / "nowhere.eval")
    (logs / "notes.txt").symlink_to(tmp_path / "nowhere.txt")
    real = os.scandir

    def refused(path: str) -> Any:
        if str(path).endswith("shut"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    with patch("os.scandir", refused):
        judgments = read_judgments(logs)
        done = ingest(logs, tmp_path / "store")
    assert len(judgments["scale_variants"]) == SAMPLES
    assert done.logs_failed == len(judgments.loss_notices) == 4
    for name, reason in {
        "shut": "Permission denied",
        "round": f"a link to {logs}",
        "circle": "a link to circle",
        "gone.eval": "FileNotFoundError",
    }.items():
        (message,) = texts_with(judgments.loss_notices, f"/{name} could")
        assert reason in message
    printed("summarize", logs, "--strict", "--resamples", 20, code=1)
    printed("summarize", EXAMPLE, "--strict", "--resamples", 20)


def damage(folder: Path) -> dict[str, tuple[str, bool]]:
    """Put what is damaged or of no use into a folder: by name what must be said, whether lost."""
    content = EXAMPLE.read_bytes()
    (folder / "cut.eval").write_bytes(content[: len(content) // 2])
    (folder / "late-cut.eval").write_bytes(content[:-100])
    (folder / "empty.eval").write_bytes(b"")
    (folder / "text.eval").write_text("not a log")
    with zipfile.ZipFile(folder / "zip.eval", "w") as archive:
        archive.writestr("readme.txt", "nothing")
    dated = "2026-01-01T00-00-00_task_{}.json"
    (folder / dated.format("a")).write_text('{"version": 2, "eval": ')
    (folder / dated.format("b")).write_text("[]")
    (folder / dated.format("c")).write_text("")
    foreign = log_of("m", "theirs")
    for sample in foreign.samples or []:
        sample.metadata, sample.scores = {}, {}
    write(foreign, folder / "foreign.eval", task="other/scale_variants", metadata={})
    write(foreign, folder / "another.eval", task="other/mmlu")
    unread = "could not be read and was left out"
    unread_files = ["cut.eval", "late-cut.eval", "empty.eval", "text.eval", "zip.eval"]
    unread_files += map(dated.format, "abc")
    left_out = dict.fromkeys(["foreign.eval", "another.eval"], ("was left out", False))
    return {**dict.fromkeys(unread_files, (unread, True)), **left_out}


Change = Callable[[EvalLog], EvalLog]


def cut_short(status: str) -> Change:
    """A log of the first ten samples."""

    def change(log: EvalLog) -> EvalLog:
        log.status = status  # type: ignore[assignment]
        log.samples = (log.samples or [])[:10]
        log.stats.completed_at = ""
        log.stats.started_at = "2026-11-01T00:00:00+00:00"
        return log

    return change


EARLIER: dict[str, Change] = {
    "still being written": cut_short("started"),
    "cancelled": cut_short("cancelled"),
    "ended by an error": cut_short("error"),
    "with errored samples": lambda log: failing(log, 7),
    "a copy": lambda log: log,
    "of an older version": lambda log: log.model_copy(update={"version": 1}),
}
"""Logs of a run that another log completes."""


@pytest.mark.slow
def test_a_hundred_logs_and_what_is_wrong_with_some(tmp_path: Path) -> None:
    """Each fault is named; numbers are those of the logs without it; --strict ends with 1."""
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.mkdir()
    for number in range(90):
        write(log_of(f"m{number % 10}", f"r{number}"), good / f"{number}.eval")
    shutil.copytree(good, bad)
    good_rows = rows(good)
    expected_results = summarize(good_rows, resamples=50)
    outcomes = {}
    expected = damage(bad)
    judgments = read_judgments(bad)
    for name, (reason, is_lost) in expected.items():
        notices = [
            notice for notice in judgments.notices if f"/{name}" in notice and reason in notice
        ]
        outcomes[name] = len(notices) == 1 and (notices[0] in judgments.loss_notices) == is_lost
    outcomes["judgments"] = frames_are_equal(judgments["scale_variants"], good_rows)
    outcomes["numbers"] = frames_are_equal(summarize(judgments, resamples=50), expected_results)
    for number, (name, change) in enumerate(EARLIER.items()):
        place = write(change(log_of(f"m{number}", f"r{number}")), bad / f"earlier-{number}.eval")
        os.utime(place, (2e9, 2e9))
        judgments = read_judgments(bad)
        outcomes[name] = frames_are_equal(judgments["scale_variants"], good_rows)
        outcomes[f"{name}, said"] = bool(notices_with(judgments, "are in several logs"))
    done = printed("summarize", bad, "--strict", "--json", "--resamples", 50, code=1)
    outcomes["strict"] = all(name in done.stderr for name in expected)
    outcomes["not strict"] = not printed(
        "judgments", good, "--strict", "-o", tmp_path / "j.csv"
    ).exit_code
    wrong = held(
        *("logs", "damaged, foreign, unfinished and copied logs among a hundred", outcomes),
        "each is named with its reason; the numbers are those of the others",
        "the damaged logs",
    )
    assert wrong == []


TOLD = {"edited": "edited after the run", "appended": "scored again"}


@pytest.mark.slow
def test_what_people_said_of_samples_later_counts(tmp_path: Path) -> None:
    """Edited, appended and invalidated scores in a copy written later, the older log touched."""
    old = write(log_of("m", "r"), tmp_path / "old.eval")
    first = (read_eval_log(str(old)).samples or [])[0]
    assert first.scores

    def edited(log: EvalLog) -> EvalLog:
        assert first.scores
        value = {**cast(Mapping[str, Any], first.scores["stated"].value), "confidence": 0.125}
        edit_score(log, first.id, "stated", ScoreEdit(value=value, provenance=BY), epoch=1)
        return log

    def appended(log: EvalLog) -> EvalLog:
        (sample,) = records_with(log.samples or [], id=first.id)
        assert sample.scores
        score = sample.scores["stated"].model_copy(deep=True)
        score.value = {**cast(Mapping[str, Any], score.value), "confidence": 0.125}
        sample.scores["stated1"] = score
        return log

    outcomes = {}
    later = "2026-12-01T00:00:00+00:00"
    for name, change in {"edited": edited, "appended": appended}.items():
        log = change(log_of("m", "r"))
        log.stats.completed_at = later
        new = write(log, tmp_path / "new.eval")
        os.utime(old, (2e9, 2e9))
        confidences = rows(tmp_path).set_index("uuid")["confidence"]
        outcomes[name] = confidences[f"r-{first.id}"] == 0.125
        notices = notices_with(read_judgments(tmp_path), "new.eval: 1 s")
        outcomes[f"{name}, said"] = len(notices) == 1 and TOLD[name] in notices[0]
        new.unlink()
    log = invalidate_samples(log_of("m", "r"), [f"r-{first.id}"], BY)
    log.stats.completed_at = later
    write(log, tmp_path / "new.eval")
    judgments = read_judgments(tmp_path)
    outcomes["invalidated"] = f"r-{first.id}" not in set(judgments["scale_variants"]["uuid"])
    outcomes["invalidated, said"] = bool(notices_with(judgments, "declared invalid"))
    wrong = held(
        *("logs", "edited, appended and invalidated scores beside the log as it was", outcomes),
        "the last edit counts, whichever file has it, and a notice says so",
        "nothing",
    )
    assert wrong == []


ITEMS = 120
WRITER = """
import sys
from inspect_ai import eval
from inspect_ai.solver import solver
from inspect_confidence.tasks.scale_variants import scale_variants
import anyio

@solver
def slow():
    async def solve(state, generate):
        await anyio.sleep(0.25)
        return state
    return solve

task = scale_variants(dataset="bundled", scales="0-100", items=120)
task.solver = [slow(), task.solver]
(log,) = eval(task, model="respondent/candid", log_dir=sys.argv[1], display="none",
              max_samples=1, log_buffer=1)
assert log.status == "success", log.error
"""


@pytest.mark.slow
def test_a_log_is_read_while_a_run_writes_it(tmp_path: Path) -> None:
    """Fifty times: whole samples or none, with a notice; at the end nothing is missing."""
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)])
    outcomes, frames, notice_count = dict[str, bool](), list[pd.DataFrame](), 0
    try:
        while len(frames) < 50 and writer.poll() is None:
            try:
                judgments = read_judgments(tmp_path)
            except InvalidArgument:  # no sample is whole yet
                continue
            frames.append(judgments["scale_variants"])
            notice_count += any("the run goes on" in notice for notice in judgments.loss_notices)
            outcomes[f"told {len(frames)}"] = (
                notice_count == len(frames) or len(frames[-1]) == ITEMS
            )
    finally:
        assert writer.wait(timeout=300) == 0
    whole = rows(tmp_path)
    assert len(whole) == ITEMS
    rows_by_uuid = whole.set_index("uuid")
    for number, frame in enumerate(frames):
        expected = rows_by_uuid.loc[frame["uuid"]].reset_index()[list(frame)]
        outcomes[f"content {number}"] = frames_are_equal(frame, expected)
    wrong = held(
        *("logs", "reads of a log during the run that writes it", outcomes),
        "the samples that are whole, and a notice of how many are missing",
        "nothing",
    )
    assert wrong == []
    assert notice_count > 10


def test_a_log_whose_summaries_differ_from_their_checksum_is_named_and_left_out(
    tmp_path: Path,
) -> None:
    """A byte of a number changed on the disk, as it stands in an archive that isn't compressed."""
    members = members_of(EXAMPLE)
    with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_STORED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    assert frames_are_equal(rows(tmp_path), rows(EXAMPLE))
    content, summaries = (tmp_path / "log.eval").read_bytes(), members["summaries.json"]
    assert content.count(summaries) == 2  # the journal has them too, and is no longer read
    place = content.rindex(summaries) + summaries.index(b'"confidence":') + 16
    changed = bytearray(content)
    changed[place] ^= 1
    (tmp_path / "log.eval").write_bytes(bytes(changed))
    message = refusal(lambda: read_judgments(tmp_path))
    assert "log.eval" in message
    assert "Bad CRC-32 for file 'summaries.json'" in message
