"""Commands as a user runs them, beside what importing Inspect and pandas costs."""

import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from measure import aligned, seconds

RUNS = 3
EXAMPLES = Path(__file__).parents[1] / "examples" / "logs"
SIZES = ((5, 2_000), (5, 20_000), (50, 2_000))
"""Models and items of any eval with confidence in any fraction."""

TITLE = f"""\
Commands, each in processes of their own, with all threads that they start
  floor: python -c "import inspect_ai.log, pandas"
  logs: the 1,088 judgments of examples/logs; M x N: a parquet file of any eval, M models on N
  items, confidence in any fraction; 10,000 resamples
  Seconds of processor time, medians of {RUNS} runs (one of files), and their ratio to the floor."""


def run() -> str:
    """The table of this part."""
    program = str(Path(sys.executable).parent / "inspect-confidence")
    floor = _seconds([sys.executable, "-c", "import inspect_ai.log, pandas"], RUNS)
    rows = [["floor", seconds(floor), "1.0"]]
    logs = str(EXAMPLES)
    with TemporaryDirectory() as folder:
        commands: dict[str, tuple[Sequence[str], int]] = {
            "--help": (["--help"], RUNS),
            "summarize logs": (["summarize", logs], RUNS),
            "summarize --full logs": (["summarize", "--full", logs], RUNS),
            "check logs": (["check", logs, "--require", "ece>=0"], RUNS),
            "compare logs": (["compare", logs], RUNS),
            "export logs": (["export", logs, "--format", "csv", "-o", folder], RUNS),
            "cite logs": (["cite", logs], RUNS),
            "unread logs": (["unread", logs], RUNS),
        }
        for models, items in SIZES:
            file = Path(folder) / f"{models}x{items}.parquet"
            judgments(models, items).to_parquet(file)
            commands[f"summarize {models} x {items:,}"] = ["summarize", str(file)], 1
        rows += _rows(commands, program, floor)
    return f"{TITLE}\n\n{aligned(['', 'processor s', 'of floor'], rows)}"


def _rows(
    commands: Mapping[str, tuple[Sequence[str], int]], program: str, floor: float
) -> list[list[str]]:
    rows = []
    for name, (arguments, runs) in commands.items():
        used = _seconds([program, *arguments], runs)
        rows.append([name, seconds(used), f"{used / floor:.1f}"])
    return rows


def _seconds(command: Sequence[str], runs: int) -> float:
    """Median of the processor time of a command and its processes; `check` may exit with 1."""
    times = []
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        if done.returncode not in (0, 1):
            raise RuntimeError(done.stderr)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
        times.append(user + system)
    return median(times)


def judgments(models: int, items: int) -> pd.DataFrame:
    """What somewhat overconfident models might say of the same items."""
    frames = []
    for model in range(models):
        rng = np.random.default_rng(model)
        confidence = rng.random(items)
        columns = {
            "task": "any_eval",
            "model": f"simulated/{model:02}",
            "item": [f"q{i}" for i in range(items)],
            "confidence": confidence,
            "correct": (rng.random(items) < 0.3 + 0.5 * confidence).astype(float),
        }
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)
