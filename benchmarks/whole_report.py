"""The report over many judgments, as a user runs it: figures, files and all."""

import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

import study
from inspect_confidence.scales import ALL
from measure import aligned, seconds

MODELS, SETS = 5, 3
BUDGET = 60

TITLE = f"""\
The report of {len(ALL) * study.ITEMS * MODELS * SETS:,} judgments
  {len(ALL)} scales x {SETS} data sets x {MODELS} models x {study.ITEMS:,} items
  `inspect-confidence report FILE -o DIR` from a parquet file, 10,000 resamples, as many processes
  as cores. Memory is the largest process's; there are three on two cores.
  No peer; budget {BUDGET} s and 2 GiB."""


def run() -> str:
    """The table of this part."""
    with TemporaryDirectory() as folder:
        file, out = Path(folder) / "judgments.parquet", Path(folder) / "report"
        _judgments().to_parquet(file)
        program = Path(sys.executable).parent / "inspect-confidence"
        start = time.perf_counter()
        command: list[str | Path] = [program, "report", file, "-o", out]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # Of this process and its own, without those of other parts.
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        if status:
            raise RuntimeError(f"report ended with status {os.waitstatus_to_exitcode(status)}.")
        figures = len(list((out / "figures").glob("*.svg")))
    row = [
        f"{figures}",
        seconds(used.ru_utime + used.ru_stime),
        seconds(wall),
        f"{used.ru_maxrss / 2**20:.2f}",
    ]
    return f"{TITLE}\n\n{aligned(['figures', 'processor s', 'wall s', 'GiB'], [row])}"


def _judgments() -> pd.DataFrame:
    """The same judgments for every model and data set, which takes as long as others would."""
    frame = study.judgments()
    return pd.concat(
        [
            frame.assign(model=f"simulated/{model}", dataset=f"set {dataset}")
            for model in range(MODELS)
            for dataset in range(SETS)
        ],
        ignore_index=True,
    )
