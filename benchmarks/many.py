"""`summarize` of a million judgments: time and memory of a process of its own."""

import json
import re
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from counting import store
from inspect_confidence import summarize
from measure import aligned, seconds, timing

ITEMS, RESAMPLES = 20_000, 10_000
TARGET_SECONDS, TARGET_MEMORY = 60, 2
STORES = ((1, 10_000), (1, 100_000), (5, 200_000), (50, 200_000))
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
  processor time with imports. No peer; target of ten million: {STORE_SECONDS} s, and memory that
  does not grow with the models."""


def run() -> str:
    """The table of this part."""
    head = ["models", "judgments", "confidence", "processor s", "wall s", "GiB", "target"]
    cases = [(1, True), (10, True), (50, True), (10, False)]
    return f"{TITLE}\n\n{aligned(head, [_row(*case) for case in cases])}"


def run_stores() -> str:
    """The table of stores."""
    head = ["models", "items", "judgments", "processor s", "wall s", "GiB", "target"]
    return f"{OF_A_STORE}\n\n{aligned(head, [_of_store(*case) for case in STORES])}"


def _of_store(models: int, items: int) -> list[str]:
    with TemporaryDirectory() as folder:
        store(Path(folder), models, items)
        cpu, wall, memory = _in_a_process(folder)
    target = f"{STORE_SECONDS} s" if (models, items) == STORES[-1] else "-"
    cells = [str(models), f"{items:,}", f"{models * items:,}", seconds(cpu), seconds(wall)]
    return [*cells, f"{memory:.2f}", target]


def _in_a_process(place: str) -> tuple[float, float, float]:
    command = [sys.executable, __file__, place]
    stdout = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    cpu, wall, memory = json.loads(stdout)
    return cpu, wall, memory


def _row(models: int, steps: bool) -> list[str]:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "judgments.parquet"
        judgments(models, steps).to_parquet(file)
        cpu, wall, memory = _in_a_process(str(file))
    target = f"{TARGET_SECONDS} s, {TARGET_MEMORY} GiB" if (models, steps) == (50, True) else "-"
    kind = "5%" if steps else "any"
    cells = [str(models), f"{models * ITEMS:,}", kind, seconds(cpu), seconds(wall)]
    return [*cells, f"{memory:.2f}", target]


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


def _measured(place: str) -> str:
    """Seconds of both kinds, the processor's with imports, and GiB of this process."""
    with timing() as took:
        summarize(place, resamples=RESAMPLES)
    used = resource.getrusage(resource.RUSAGE_SELF)
    # Not what `resource` gives, in which the memory of whoever started this process counts.
    peak = re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())
    assert peak
    return json.dumps([used.ru_utime + used.ru_stime, took.wall, int(peak[1]) / 2**20])


if __name__ == "__main__":
    sys.stdout.write(_measured(sys.argv[1]))
