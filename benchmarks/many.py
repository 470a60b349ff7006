"""`summarize` of a million judgments: time and memory of a process of its own."""

import hashlib
import json
import re
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from distributed import Client, LocalCluster

from counting import store
from inspect_confidence import summarize
from inspect_confidence.commands.analysis import as_stream
from measure import aligned, seconds, timing

ITEMS, RESAMPLES = 20_000, 10_000
TARGET_SECONDS, TARGET_MEMORY = 60, 2
STORES = ((1, 10_000), (1, 100_000), (5, 200_000), (50, 200_000), (50, 2_000_000))
"""Models and items."""
STORE_SECONDS = 300

TITLE = f"""\
summarize of a parquet file: models x {ITEMS:,} items, {RESAMPLES:,} resamples, all 53 numbers each
  5%: confidence in multiples of 5%; any: in any fraction
  A process of its own; memory is its peak, the frame of judgments is part of it. No peer;
  target of 50 models in steps of 5%: {TARGET_SECONDS} s of processor time, {TARGET_MEMORY} GiB."""


OF_A_STORE = f"""\
summarize of a store: models x items, {RESAMPLES:,} resamples, all 53 numbers each
  A log a model, confidence in multiples of 5%, one reply in a hundred unread. A process of its own,
  processor time with imports and on all cores. No peer; target of a hundred million:
  {STORE_SECONDS} s, {TARGET_MEMORY} GiB."""


def run() -> str:
    """The table of this part."""
    head = ["models", "judgments", "confidence", "processor s", "wall s", "GiB", "target"]
    cases = [(1, True), (10, True), (50, True), (10, False)]
    return f"{TITLE}\n\n{aligned(head, [_row(*case) for case in cases])}"


def run_stores() -> str:
    """The table of stores, and the largest one counted by a cluster."""
    head = ["models", "items", "judgments", "processor s", "wall s", "GiB", "target"]
    rows, on_a_cluster = [], ""
    for models, items in STORES:
        with TemporaryDirectory() as folder:
            store(Path(folder), models, items)
            here = _in_a_process(folder)
            is_largest = (models, items) == STORES[-1]
            if is_largest:
                on_a_cluster = _on_a_cluster(folder, here)
        target = f"{STORE_SECONDS} s, {TARGET_MEMORY} GiB" if is_largest else "-"
        cells = [str(models), f"{items:,}", f"{models * items:,}", seconds(here.cpu)]
        rows.append([*cells, seconds(here.wall), f"{here.gib:.2f}", target])
    return f"{OF_A_STORE}\n\n{aligned(head, rows)}\n\n{on_a_cluster}"


def _on_a_cluster(folder: str, here: "_Cost") -> str:
    """A sentence on the largest store, counted by a Dask cluster of two workers."""
    local_cluster: Any = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)  # type: ignore[no-untyped-call]
    with local_cluster as cluster:
        address = cluster.scheduler_address.removeprefix("tcp://")
        there = _in_a_process(folder, f"dask://{address}")
        client: Any = Client(cluster)  # type: ignore[no-untyped-call]
        with client:
            in_workers = client.run(time.process_time).values()
    assert there.results == here.results
    return (
        f"  Counted by a Dask cluster of two workers: {seconds(there.cpu)} s here and "
        f"{seconds(sum(in_workers))} s in the workers, {there.gib:.2f} GiB here;\n"
        "  equal results."
    )


@dataclass(frozen=True)
class _Cost:
    """What a process used, and a hash of its results.

    Attributes:
        cpu: Seconds of the processor.
        wall: Seconds of the clock.
        gib: Peak memory.
        results: Hash of the results.
    """

    cpu: float
    wall: float
    gib: float
    results: str


def _in_a_process(place: str, executor: str = "none") -> _Cost:
    command = [sys.executable, __file__, place, executor]
    stdout = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return _Cost(*json.loads(stdout))


def _row(models: int, steps: bool) -> list[str]:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "judgments.parquet"
        judgments(models, steps).to_parquet(file)
        cost = _in_a_process(str(file))
    target = f"{TARGET_SECONDS} s, {TARGET_MEMORY} GiB" if (models, steps) == (50, True) else "-"
    kind = "5%" if steps else "any"
    cells = [str(models), f"{models * ITEMS:,}", kind, seconds(cost.cpu), seconds(cost.wall)]
    return [*cells, f"{cost.gib:.2f}", target]


def judgments(models: int, steps: bool) -> pd.DataFrame:
    """What somewhat overconfident models might say of the same items."""
    rng = np.random.default_rng(0)
    ease, names = rng.beta(4, 2, ITEMS), [f"q{i}" for i in range(ITEMS)]
    frames = []
    for model in range(models):
        confidence = np.clip(ease + rng.normal(0.1, 0.15, ITEMS), 0, 1)
        columns = {
            "task": "any_eval",
            "model": f"simulated/{model:02}",
            "item": names,
            "confidence": np.round(confidence * 20) / 20 if steps else confidence,
            "correct": (rng.random(ITEMS) < ease).astype(float),
        }
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def _measured(place: str, executor: str) -> str:
    """The fields of `_Cost` of this process, the processor's seconds with imports."""
    with timing() as took:
        results = summarize(as_stream(place, {}, executor), resamples=RESAMPLES)
    digest = hashlib.sha256(results.to_csv().encode()).hexdigest()
    used = resource.getrusage(resource.RUSAGE_SELF)
    # Not what `resource` gives, in which the memory of whoever started this process counts.
    peak = re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())
    assert peak
    return json.dumps([used.ru_utime + used.ru_stime, took.wall, int(peak[1]) / 2**20, digest])


if __name__ == "__main__":
    sys.stdout.write(_measured(*sys.argv[1:]))
