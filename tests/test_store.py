"""A store gives what its logs give, follows them, and is never read half-written."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import sys
from collections import Counter
from dataclasses import replace
from multiprocessing import get_context
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from inspect_ai.log import list_eval_logs, read_eval_log, write_eval_log

from build import attributes_of, entries_of, notices_with, texts_with
from conftest import CHECKOUT, run_respondent
from faults.ledger import held
from inspect_confidence import InvalidArgument, Judgments, count_tables, ingest, read_judgments
from inspect_confidence.judgments import executors
from inspect_confidence.judgments.counts import COUNT_COLUMNS
from inspect_confidence.judgments.locations import list_logs
from inspect_confidence.judgments.store import MANIFEST, store_at, write_manifest
from inspect_confidence.studies import Recorded
from runs import printed

EXAMPLES = CHECKOUT / "examples" / "logs"


def check_same(first: Judgments, second: Judgments) -> None:
    """Frames, types, order and notices are the same to the last bit."""
    assert list(first) == list(second)
    for task, frame in first.items():
        pd.testing.assert_frame_equal(frame, second[task], check_exact=True)
    assert first.notices == second.notices
    assert first.loss_notices == second.loss_notices


def edit(log: Path) -> None:
    """Take a sample out of a log."""
    log_read = read_eval_log(str(log))
    assert log_read.samples
    del log_read.samples[-1]
    write_eval_log(log_read, str(log))


@pytest.fixture(scope="module")
def all_kinds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of every task, of two epochs with unread replies, copied, incomplete and damaged."""
    folder = tmp_path_factory.mktemp("logs")
    for log in sorted(EXAMPLES.glob("*.eval")):
        shutil.copy(log, folder)
    whole = run_respondent("erratic", folder, items=4, epochs=2)
    shutil.copy(whole.location, folder / "copy.eval")
    run_respondent("erratic", folder, items=3, respondent_seed=2)
    edit(folder / "life_eval-candid.eval")
    (folder / "damaged.eval").write_bytes(b"PK\x03\x04 not a log")
    return folder


@pytest.fixture
def logs_folder(tmp_path: Path) -> Path:
    """A folder with four logs."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for log in sorted(EXAMPLES.glob("[sw]*.eval"))[:4]:
        shutil.copy(log, folder)
    return folder


def counted(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """Told each log that is read from now on."""
    counter = Mock(wraps=executors.log_as_record)
    monkeypatch.setattr(executors, "log_as_record", counter)
    return counter


def test_a_store_gives_what_its_logs_give(all_kinds: Path, tmp_path: Path) -> None:
    """Judgments, notices and the printed numbers, of every task."""
    done = ingest(all_kinds, tmp_path / "store")
    logs, store = read_judgments(all_kinds), read_judgments(tmp_path / "store")
    check_same(logs, store)
    assert notices_with(store, "are in several logs")
    assert texts_with(store.loss_notices, "incomplete")
    assert notices_with(store, "damaged.eval") == list(done.notices)
    assert {"ok", "invalid_response_format"} <= set(store["fermi_eval"]["status"])
    assert (done.logs_read, done.logs_unchanged, done.logs_removed) == (17, 0, 0)


@pytest.mark.slow
def test_numbers_of_a_store_are_those_of_its_logs(all_kinds: Path, tmp_path: Path) -> None:
    """Printed, with all notes."""
    ingest(all_kinds, tmp_path / "store")
    words = ("--resamples", 20, "--json")
    of_logs = printed("summarize", all_kinds, *words)
    of_store = printed("summarize", tmp_path / "store", *words)
    assert of_logs.stdout == of_store.stdout
    # But for the empty line that a progress bar leaves.
    assert of_logs.stderr.strip() == of_store.stderr.strip()


@pytest.mark.slow
def test_only_what_changed_is_read(
    logs_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Logs that are new, appended to, edited, deleted or mended are followed, and no other."""
    store = tmp_path / "store"
    ingest(logs_folder, store)
    counter = counted(monkeypatch)
    first, *_ = logs = sorted(logs_folder.glob("*.eval"))

    def follow(read: int, unchanged: int, gone: int) -> None:
        counter.reset_mock()
        stdout = printed("ingest", logs_folder, "-o", store).stdout
        assert f"{read} log{'s' * (read != 1)} read, {unchanged} known, {gone} gone" in stdout
        assert counter.call_count == read + len(list(logs_folder.glob("bad*")))
        check_same(read_judgments(store), read_judgments(logs_folder))

    follow(0, 4, 0)
    shutil.copy(EXAMPLES / "life_eval-candid.eval", logs_folder)
    follow(1, 4, 0)
    edit(first)
    follow(1, 4, 0)
    logs[1].unlink()
    follow(0, 4, 1)
    (logs_folder / "bad.eval").write_bytes(b"PK\x03\x04 not a log")
    follow(0, 4, 0)
    follow(0, 4, 0)  # what can't be read is tried again each time
    (logs_folder / "bad.eval").unlink()
    shutil.copy(EXAMPLES / "life_eval-boastful.eval", logs_folder / "mended.eval")
    follow(1, 4, 1)
    files = pd.DataFrame(json.loads((store / MANIFEST).read_text("utf-8"))["entries"])["file"]
    assert sorted(map(store.joinpath, files)) == sorted(store.rglob("*.parquet"))


@pytest.mark.slow
def test_other_commands_go_to_the_stores_logs(logs_folder: Path, tmp_path: Path) -> None:
    """What only logs tell is found through the store: replies read again, settings, runs."""
    store = tmp_path / "store"
    ingest(logs_folder, store)
    reread = read_judgments(store, reread=True)
    check_same(reread, read_judgments(logs_folder, reread=True))
    for command in ("cite", "unread"):
        assert printed(command, store).stdout == printed(command, logs_folder).stdout


def test_what_is_no_store_or_no_log_is_refused(
    logs_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody's files are touched; another version and other words say what to do."""
    store, own_folder = tmp_path / "store", tmp_path / "mine"
    own_folder.mkdir()
    (own_folder / "thesis.txt").write_text("mine", "utf-8")
    with pytest.raises(InvalidArgument, match=r"contains thesis.txt and is not a store"):
        ingest(logs_folder, own_folder)
    (own_folder / MANIFEST).write_text("{}", "utf-8")
    with pytest.raises(InvalidArgument, match=r"manifest.json is not that of a store"):
        ingest(logs_folder, own_folder)
    assert set(attributes_of(own_folder.iterdir(), "name")) == {"thesis.txt", MANIFEST}
    for place in ("s3://bucket/store", tmp_path / "store.parquet"):
        with pytest.raises(InvalidArgument, match="a store is a folder on this machine"):
            ingest(logs_folder, place)
    ingest(logs_folder, store)
    for place in (store, "answers.csv"):
        with pytest.raises(InvalidArgument, match="not logs; give a log file"):
            ingest(place, tmp_path / "other")
    with pytest.raises(InvalidArgument, match=r"it holds the logs of .* too"):
        ingest(EXAMPLES, store)
    words = Recorded(confidence=("metadata.sure",))
    check_same(read_judgments(store, recorded=words), read_judgments(logs_folder, recorded=words))
    described = store_at(str(store))
    assert described is not None
    foreign = {**described.entries[0].record, "task": "any_eval"}
    entries = [replace(described.entries[0], record=foreign), *described.entries[1:]]
    write_manifest(replace(described, entries=entries))
    with pytest.raises(InvalidArgument, match="read with another value of --confidence-from"):
        read_judgments(store, recorded=words)
    write_manifest(described)
    monkeypatch.setattr("inspect_confidence.judgments.store.reader_versions", lambda: "later 2")
    assert notices_with(read_judgments(store), "holds judgments that inspect_conf")
    with pytest.raises(InvalidArgument, match="--rebuild reads all logs again"):
        ingest(logs_folder, store)
    assert ingest(logs_folder, store, rebuild=True).logs_read == 4
    assert not read_judgments(store).notices


@pytest.mark.slow
def test_a_damaged_record_is_read_again_from_its_log(logs_folder: Path, tmp_path: Path) -> None:
    """A flipped bit, a cut or a missing record file is named, and changes no judgment."""
    store = tmp_path / "store"
    ingest(logs_folder, store)
    intact = read_judgments(store)
    cells = count_tables(store, "scale_variants")
    # Two metrics are enough: the judgments that all are computed from are compared exactly.
    words = ["summarize", store, "--resamples", 20, "--json"]
    for metric in ("accuracy", "ece"):
        words += ["--metric", metric]
    numbers = printed(*words).stdout
    (record, *_) = sorted(store.rglob("scale_variants/*/*.parquet"))
    content = record.read_bytes()
    flipped = bytearray(content)
    flipped[len(content) // 3] ^= 16
    for damaged in (bytes(flipped), content[:-10], None):
        record.unlink() if damaged is None else record.write_bytes(damaged)
        reread = read_judgments(store)
        assert notices_with(reread, record.name)
        for task, judgments in intact.items():
            pd.testing.assert_frame_equal(reread[task], judgments, check_exact=True)
        pd.testing.assert_frame_equal(count_tables(store, "scale_variants"), cells)
        done = printed(*words)
        assert done.stdout == numbers
        assert "is damaged, so the log was read again" in " ".join(done.stderr.split())
    assert ingest(logs_folder, store).logs_read == 1
    assert read_judgments(store).notices == intact.notices


def test_a_damaged_record_without_its_log_is_lost_data(logs_folder: Path, tmp_path: Path) -> None:
    """The record and the log are named, the other judgments are read, and `--strict` fails."""
    store = tmp_path / "store"
    ingest(logs_folder, store)
    (record, *_) = sorted(store.rglob("*.parquet"))
    record.write_bytes(record.read_bytes()[:-1] + b"?")
    shutil.rmtree(logs_folder)
    judgments = read_judgments(store)
    (notice,) = texts_with(judgments.loss_notices, record.name)
    assert "is damaged, and so is the log" in notice
    assert sum(map(len, judgments.values())) > 0
    assert printed("summarize", store, "--resamples", 20, "--strict", code=1)


def test_a_changed_manifest_is_refused(logs_folder: Path, tmp_path: Path) -> None:
    """A flipped digit, a key of a later version, a path out of the store: one line, no number."""
    store = tmp_path / "store"
    ingest(logs_folder, store)
    file = store / MANIFEST
    text = file.read_text("utf-8")
    described = store_at(str(store))
    assert described is not None
    file.write_text(text.replace('"rows": ', '"rows": 1', 1), "utf-8")
    with pytest.raises(InvalidArgument, match="does not match its checksum"):
        read_judgments(store)
    file.write_text(text.replace("inspect-confidence ingest", "inspect-confidence inges!"), "utf-8")
    with pytest.raises(InvalidArgument, match="is damaged"):
        read_judgments(store)
    manifest = json.loads(text)
    later = {name: manifest[name] for name in manifest if name not in _HEAD} | {"shards": 4}
    checksum = hashlib.sha256(json.dumps(later, sort_keys=True).encode()).hexdigest()
    head = entries_of(manifest, _HEAD) | {"sha256": checksum}
    file.write_text(json.dumps(head | later), "utf-8")
    with pytest.raises(InvalidArgument, match="has 'shards', which this version does not know"):
        read_judgments(store)
    outside = replace(described.entries[0], file=f"judgments/../../{'a' * 32}-{'0' * 64}.parquet")
    write_manifest(replace(described, entries=[outside]))
    with pytest.raises(InvalidArgument, match="which is not a record file"):
        read_judgments(store)


_HEAD = ("made_by", "format", "sha256")


@pytest.mark.slow
def test_no_flipped_bit_changes_a_judgment(logs_folder: Path, tmp_path: Path) -> None:
    """Of 200 flips in records and 200 in the manifest each is named or refused, or harmless."""
    store = tmp_path / "store"
    ingest(logs_folder, store)
    intact = read_judgments(store)
    rng = np.random.default_rng(0)
    records = sorted(store.rglob("*.parquet"))
    outcomes = {}
    for number in range(400):
        file = store / MANIFEST if number % 2 else records[rng.integers(len(records))]
        content = file.read_bytes()
        flipped = bytearray(content)
        byte, bit = int(rng.integers(len(content))), int(rng.integers(8))
        flipped[byte] ^= 1 << bit
        file.write_bytes(flipped)
        try:
            reread = read_judgments(store)
        except InvalidArgument as error:
            outcome = str(error).count("\n") == 0
        else:
            outcome = all(reread[task].equals(intact[task]) for task in intact)
            outcome &= file.name == MANIFEST or bool(notices_with(reread, file.name))
        outcomes[f"{file.name} byte {byte} bit {bit}"] = outcome
        file.write_bytes(content)
    happens = "the log of the record is read again, with a note; a manifest is refused in one line"
    assert held("disk", "Bits flipped in a store", outcomes, happens, "nothing") == []


@pytest.mark.slow
def test_a_link_has_the_state_of_its_target(logs_folder: Path, tmp_path: Path) -> None:
    """A log that is edited behind a link, and another log behind it, are read again."""
    folder, store = tmp_path / "links", tmp_path / "store"
    folder.mkdir()
    first, second, *_ = sorted(logs_folder.glob("*.eval"))
    link = folder / "linked.eval"
    link.symlink_to(first)
    ingest(folder, store)
    assert ingest(folder, store).logs_read == 0
    edit(first)
    assert ingest(folder, store).logs_read == 1
    check_same(read_judgments(store), read_judgments(folder))
    shutil.copystat(first, second)
    link.unlink()
    link.symlink_to(second)
    assert ingest(folder, store).logs_read == 1
    edit(second)
    assert ingest(link, tmp_path / "alone").logs_read == 1
    (log,) = list_logs(str(link))
    assert (log.size, log.mtime) == (second.stat().st_size, second.stat().st_mtime)


def test_logs_are_listed_as_inspect_lists_them(tmp_path: Path) -> None:
    """The same logs in the same order, whatever else lies there."""
    names = ["a.eval", "2026-01-02T03-04-05_t_x.json", "results.json", "sub/b.eval", "x.txt"]
    for age, name in enumerate([*names, "sub/2026-01-02T03-04-05_t_y.eval", "sub/.eval"]):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(EXAMPLES / "life_eval-candid.eval", tmp_path / name)
        os.utime(tmp_path / name, (10 - age // 2, 10 - age // 2))
    locations = attributes_of(list_logs(str(tmp_path)), "location")
    assert locations == attributes_of(list_eval_logs(str(tmp_path)), "name")
    assert len(locations) == 5


@pytest.mark.parametrize("has_store", [True, False])
def test_a_store_is_counted_as_its_frames_are(
    all_kinds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_store: bool
) -> None:
    """By DuckDB and by pyarrow: copies count once, what is missing is a value, variants too."""
    if has_store:
        pytest.importorskip("duckdb")
    else:
        monkeypatch.setitem(sys.modules, "duckdb", None)
    store = tmp_path / "store"
    ingest(all_kinds, store)
    ways = {
        "scale_variants": COUNT_COLUMNS,
        "question_sets": (*COUNT_COLUMNS[:3], "item", "source", "correct"),
        "fermi_eval": ("variant", "epoch", "item", "status", "lower", "reversed"),
        "hedge_markers": ("marker",),
        "life_eval": ("variant",),
    }
    frames = read_judgments(store)
    assert frames["fermi_eval"]["variant"].nunique() == 2
    for task, columns in ways.items():
        counts = count_tables(store, task, by=columns)
        assert list(counts) == [*columns, "n"]
        # One after the other, with no group made by any package.
        cells = frames[task][list(columns)].astype(str).replace("None", "nan")
        expected = Counter(cells.itertuples(index=False, name=None))
        cells = counts[list(columns)].astype(str).replace("None", "nan")
        names = cells.itertuples(index=False, name=None)
        assert dict(zip(names, counts["n"], strict=True)) == expected, task
        for source in (store, frames):  # without columns there is one count, of all judgments
            total = count_tables(source, task, by=[])
            assert total.to_dict("list") == {"n": [len(frames[task])]}
    assert "damaged.eval" in " ".join(counts.attrs["notices"])
    pd.testing.assert_frame_equal(
        count_tables(frames, "scale_variants"), count_tables(store, "scale_variants")
    )
    for task, columns, says in (
        ("scale", COUNT_COLUMNS, "Did you mean 'scale_variants'"),
        ("life_eval", ("corect",), "no such column"),
        ("judge_check", ("status",), "There is no judgment of judge_check"),
    ):
        with pytest.raises(InvalidArgument, match=says):
            count_tables(store, task, by=columns)


def files_of(store: Path) -> dict[str, bytes]:
    """All files of a store, without the lock."""
    files = [file for file in store.rglob("*") if file.is_file() and file.name != ".lock"]
    return {str(file.relative_to(store)): file.read_bytes() for file in files}


def ingest_until(source: Path, store: Path, point: int, changes: Synchronized[int]) -> None:
    """Ingest, and be killed just before that change of a file or folder of the store."""
    happening = {"os.mkdir", "os.rename", "os.remove", "os.rmdir"}

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        writes = event == "open" and bool((arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR))
        if (event in happening or writes) and str(arguments[0]).startswith(str(store)):
            if changes.value == point:
                os.kill(os.getpid(), signal.SIGKILL)
            changes.value += 1

    sys.addaudithook(watch)
    ingest(source, store)


@pytest.mark.slow
@pytest.mark.parametrize("killed_at", ["nothing", "a store"])
def test_a_killed_ingest_is_made_whole_by_the_next(
    logs_folder: Path, tmp_path: Path, killed_at: str
) -> None:
    """Killed at ten points of its way, new or with a store from before: never read as whole."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["inspect_confidence.judgments.logs", "test_store"])
    start = tmp_path / "start"
    before = Judgments({})
    if killed_at == "a store":
        ingest(logs_folder, start)
        before = read_judgments(start)
        logs = sorted(logs_folder.glob("*.eval"))
        edit(logs[0])
        edit(logs[1])
        logs[2].unlink()
        shutil.copy(EXAMPLES / "life_eval-candid.eval", logs_folder)

    def killed(name: str, point: int) -> tuple[Path, int]:
        store = tmp_path / name
        if start.exists():
            shutil.copytree(start, store)
        changes = context.Value("i")
        process = context.Process(target=ingest_until, args=(logs_folder, store, point, changes))
        process.start()
        process.join()
        assert process.exitcode == (-signal.SIGKILL if point >= 0 else 0)
        return store, changes.value

    unbroken, changes = killed("unbroken", -1)
    expected = files_of(unbroken)
    whole = read_judgments(logs_folder)
    states = set()
    for point in np.linspace(0, changes - 1, 10).astype(int):
        store, _ = killed(f"at-{point}", int(point))
        judgments_run = printed("judgments", store, "-o", tmp_path / "all.csv", code=None)
        if judgments_run.exit_code:
            states.add("refused")
            assert not before
            assert re.search("run it again|No judgments|no such log", judgments_run.stderr)
        else:
            judgments = read_judgments(store)
            late = notices_with(judgments, "has not ended")
            states.add("old" if late else "whole")
            judgments.notices = tuple(notice for notice in judgments.notices if notice not in late)
            begun = files_of(store)[MANIFEST] != files_of(start).get(MANIFEST)
            check_same(judgments, whole if begun and not late else before)
        there_already = sum(name in expected for name in files_of(store) if name != MANIFEST)
        done = ingest(logs_folder, store)
        assert done.logs_unchanged == there_already
        assert done.logs_read == len(list(logs_folder.glob("*.eval"))) - there_already
        assert files_of(store) == expected
    assert states >= ({"refused"} if not before else {"old", "whole"})


def test_a_second_ingest_at_the_same_time_is_told(logs_folder: Path, tmp_path: Path) -> None:
    """Two don't write at once; whoever ends, or is ended, lets the next one in."""
    fcntl = pytest.importorskip("fcntl")
    (tmp_path / "store").mkdir()
    with (tmp_path / "store" / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(InvalidArgument, match="another ingest writes to this store"):
            ingest(logs_folder, tmp_path / "store")
    assert ingest(logs_folder, tmp_path / "store").logs_read == 4
