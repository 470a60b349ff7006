"""`summarize` of a million judgments: time and memory of a process of its own."""

import json
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from inspect_confidence import summarize
from measure import aligned, seconds, timing

ITEMS, RESAMPLES = 20_000, 10_000
TARGET_SECONDS, TARGET_MEMORY = 60, 2

TITLE = f"""\
summarize of a parquet file: models x {ITEMS:,} items, {RESAMPLES:,} resamples, all 53 numbers each
  5%: confidence in multiples of 5%; any: in any fraction
  A process of its own; memory is its peak, the frame of judgments is part of it. No peer;
  target of 50 models in steps of 5%: {TARGET_SECONDS} s of processor time, {TARGET_MEMORY} GiB."""


def run() -> str:
    """The table of this part."""
    head = ["models", "judgments", "confidence", "processor s", "wall s", "GiB", "target"]
    cases = [(1, True), (10, True), (50, True), (10, False)]
    return f"{TITLE}\n\n{aligned(head, [_row(*case) for case in cases])}"


def _row(models: int, steps: bool) -> list[str]:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "judgments.parquet"
        judgments(models, steps).to_parquet(file)
        command = [sys.executable, __file__, str(file)]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    cpu, wall, memory = json.loads(said)
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
        stated = np.clip(ease + rng.normal(0.1, 0.15, ITEMS), 0, 1)
        columns = {
            "task": "any_eval",
            "model": f"simulated/{model:02}",
            "item": names,
            "confidence": np.round(stated * 20) / 20 if steps else stated,
            "correct": (rng.random(ITEMS) < ease).astype(float),
        }
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def _measured(file: str) -> str:
    """Seconds of both kinds, with imports, and GiB of this process."""
    with timing() as took:
        summarize(file, resamples=RESAMPLES)
    used = resource.getrusage(resource.RUSAGE_SELF)
    return json.dumps([used.ru_utime + used.ru_stime, took.wall, used.ru_maxrss / 2**20])


if __name__ == "__main__":
    sys.stdout.write(_measured(sys.argv[1]))
