"""Logs read by an executor, in processes, on a Dask cluster and from S3: as they are read here."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from conftest import CHECKOUT
from inspect_confidence import InvalidArgument, ingest, read_judgments
from inspect_confidence.judgments import counting, executors
from runs import printed
from test_counting import counted_run, write_store
from test_store import check_same, files_of

EXAMPLES = CHECKOUT / "examples" / "logs"
LOGS = [*sorted(EXAMPLES.glob("[lw]*.eval"))]


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A folder with a few logs, one of them damaged."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for log in LOGS:
        shutil.copy(log, folder)
    (folder / "damaged.eval").write_bytes(b"PK\x03\x04 not a log")
    return folder


def test_threads_read_what_is_read_here(logs: Path) -> None:
    """An executor of the user's own; the damaged log is named."""
    local_judgments = read_judgments(logs)
    assert "damaged.eval could not be read" in " ".join(local_judgments.notices)
    with ThreadPoolExecutor(2) as pool:
        check_same(read_judgments(logs, executor=pool), local_judgments)


def test_an_executor_that_is_none_is_refused(logs: Path) -> None:
    """In one line that says what there is."""
    for word in ("proceses", "threads:2", "dask://nowhere", "ray://here:1"):
        assert "write auto, none, processes, processes:4" in printed(
            "summarize", logs, "--executor", word, code=2
        ).stderr.replace("\n", " ")


@pytest.mark.slow
def test_processes_read_what_is_read_here(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By name, by default where there is much, and where one of them is killed."""
    local_judgments = read_judgments(logs)
    check_same(read_judgments(logs, executor="processes:2"), local_judgments)
    started = []

    class Told(ProcessPoolExecutor):
        def __init__(self, *words: Any, **keywords: Any) -> None:
            started.append(words)
            super().__init__(*words, **keywords)

    monkeypatch.setattr(executors, "ProcessPoolExecutor", Told)
    monkeypatch.setattr(executors, "_MANY_LOGS", 2)
    printed("judgments", logs, "-o", logs / "all.csv")
    assert not started  # few bytes
    monkeypatch.setattr(executors, "_MANY_BYTES", 1_000)
    printed("judgments", logs, "-o", logs / "all.csv")
    assert len(started) == (1 if (os.cpu_count() or 1) > 1 else 0)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        os.kill(pool.submit(os.getpid).result(), signal.SIGKILL)
        judgments = read_judgments(logs, executor=pool)
    assert "the executor lost" in judgments.notices[0]
    judgments.notices = judgments.notices[1:]
    check_same(judgments, local_judgments)


@dataclass
class Bucket:
    """Logs on an S3 server of this machine.

    Attributes:
        place: Of the logs.
        url: Of the server.
        request_made: Set when the slow log is requested.
        released: The slow log is given when this is set.
    """

    place: str
    url: str
    request_made: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)


@pytest.fixture(scope="module")
def bucket() -> Iterator[Bucket]:
    """A real S3 server with the examples, a damaged log, and one that it is slow to give."""
    serving = pytest.importorskip("werkzeug.serving")
    moto = pytest.importorskip("moto.server")
    fsspec = pytest.importorskip("fsspec")
    pytest.importorskip("s3fs")
    app = moto.DomainDispatcherApplication(moto.create_backend_app)

    def slow(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] == "GET" and environ["PATH_INFO"].endswith("slow.eval"):
            served_bucket.request_made.set()
            served_bucket.released.wait(120)
        answer: Iterable[bytes] = app(environ, start)
        return answer

    server = serving.make_server("127.0.0.1", 0, slow, threaded=True)
    served_bucket = Bucket("s3://judged/logs", f"http://127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    keys = {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "key"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "AWS_ENDPOINT_URL": served_bucket.url,
            "AWS_REGION": "eu-west-1",
            **keys,
        }.items():
            patch.setenv(name, value)
        fs = fsspec.filesystem("s3")
        fs.mkdir("judged")
        for log in LOGS:
            fs.put(str(log), f"judged/logs/{log.name}")
        fs.put(str(EXAMPLES / "fermi_eval-candid.eval"), "judged/logs/slow.eval")
        fs.pipe("judged/logs/damaged.eval", b"PK\x03\x04 not a log")
        yield served_bucket
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def cluster(bucket: Bucket) -> Iterator[Any]:
    """A Dask cluster of two processes, each with one thread."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
    ) as local_cluster:
        yield local_cluster


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of its package
def test_a_cluster_that_is_not_there_is_refused(logs: Path) -> None:
    """Within seconds, before a log is read."""
    pytest.importorskip("distributed")
    with pytest.raises(InvalidArgument, match="no Dask scheduler answers there"):
        read_judgments(logs, executor="dask://127.0.0.1:9")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the cluster's and the server's packages
def test_a_cluster_reads_logs_on_s3(bucket: Bucket, cluster: Any, tmp_path: Path) -> None:
    """A slow log keeps no other waiting, a killed worker's is read by the other one."""
    bucket.released.set()
    local_judgments = read_judgments(bucket.place)
    assert "damaged.eval could not be read" in " ".join(local_judgments.notices)
    assert ingest(bucket.place, tmp_path / "here").logs_read == len(LOGS) + 1
    bucket.released.clear()
    bucket.request_made.clear()
    address = cluster.scheduler_address.removeprefix("tcp://")
    store = tmp_path / "store"
    watched: dict[str, object] = {}

    def watch() -> None:
        """When all others are read, kill the worker that waits, then let the slow log through."""
        client_of = pytest.importorskip("distributed").Client
        with client_of(cluster.scheduler_address, set_as_default=False) as client:
            processes = client.run(os.getpid)
            for _ in range(600):
                files = len([*store.rglob("*.parquet")])
                busy = [worker for worker, tasks in client.processing().items() if tasks]
                if files == len(LOGS) and bucket.request_made.is_set() and len(busy) == 1:
                    watched["others"] = files
                    os.kill(processes[busy[0]], signal.SIGKILL)
                    watched["killed"] = processes[busy[0]]
                    break
                threading.Event().wait(0.1)
            bucket.released.set()

    watching = threading.Thread(target=watch)
    watching.start()
    done = printed("ingest", bucket.place, "-o", store, "--executor", f"dask://{address}")
    watching.join()
    assert f"{len(LOGS) + 1} logs read, 0 known, 0 gone" in done.stdout
    assert "the executor lost" not in done.stderr
    assert set(watched) == {"others", "killed"}
    check_same(read_judgments(store), local_judgments)
    assert files_of(store) == files_of(tmp_path / "here")
    check_same(read_judgments(bucket.place, executor=f"dask://{address}"), local_judgments)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the cluster's packages
def test_a_cluster_counts_the_judgments_of_a_store(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two workers count, and results are equal to the last digit."""
    pytest.importorskip("duckdb")
    logs = [counted_run(model, dataset) for model in "ab" for dataset in ("one", "two")]
    store = write_store(tmp_path / "store", *logs)
    address = cluster.scheduler_address.removeprefix("tcp://")
    words = ("summarize", store, "--resamples", "50", "--csv")
    printed(*words, tmp_path / "here.csv")

    def refuse(*_: str) -> None:
        raise AssertionError("counted in this process")

    monkeypatch.setattr(counting, "query_records", refuse)
    done = printed(*words, tmp_path / "cluster.csv", "--executor", f"dask://{address}")
    assert "the executor lost" not in done.stderr
    assert (tmp_path / "cluster.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()
