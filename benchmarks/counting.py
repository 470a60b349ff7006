"""Judgments of a store counted: by DuckDB, by pyarrow, and by pandas from the same files."""

import json
import subprocess
import sys
import time
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from inspect_confidence.judgments.files import typed_columns
from inspect_confidence.judgments.locations import Log
from inspect_confidence.judgments.runs import Run, encode_run, reader_versions
from inspect_confidence.judgments.store import Store, write_manifest, write_record
from inspect_confidence.studies import all_tables
from measure import aligned, seconds

MODELS, ITEMS = 50, 200_000
TASK = "any_eval"
COUNT = f"""
from inspect_confidence import count_tables
counted = count_tables(sys.argv[1], "{TASK}")["n"].sum()
"""
USED = """
import re, time
peak = re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())
print(counted, time.process_time(), peak[1] if peak else 0)
"""
"""What a process used; its parent's own memory counts in what `resource` gives."""

WAYS = {
    "imports alone": "import inspect_confidence.judgments.counts",
    "DuckDB": COUNT,
    "pyarrow": f"sys.modules['duckdb'] = None\n{COUNT}",
    "pandas": """
import pandas, inspect_confidence.judgments.counts as counts
frame = pandas.read_parquet(sys.argv[1] + "/judgments/any_eval", columns=list(counts.COUNT_COLUMNS))
counted = frame.groupby(list(counts.COUNT_COLUMNS), dropna=False).size().sum()
""",
}
TITLE = f"""\
Count tables of {MODELS * ITEMS:,} judgments in a store: {MODELS} models x {ITEMS:,} items
  count_tables with DuckDB and with pyarrow, and pandas.read_parquet of its six columns with groupby
  Each in a process of its own, on all cores; seconds with the imports, GiB of the process."""


def run() -> str:
    """The table of this part."""
    with TemporaryDirectory() as folder:
        size = store(Path(folder))
        rows = [_row(name, code, folder) for name, code in WAYS.items()]
    title = f"{TITLE}\n  The store takes {size / 2**30:.2f} GiB."
    return f"{title}\n\n{aligned(['', 'processor s', 'wall s', 'GiB', 'counted'], rows)}"


def _row(name: str, code: str, folder: str) -> list[str]:
    program = [sys.executable, "-c", f"import sys\ncounted = '-'\n{code}\n{USED}", folder]
    start = time.perf_counter()
    printed = subprocess.run(program, stdout=subprocess.PIPE, text=True, check=True).stdout
    wall = time.perf_counter() - start
    counted, cpu, kib = printed.split()
    assert counted in ("-", str(MODELS * ITEMS)), counted
    return [name, seconds(float(cpu)), seconds(wall), f"{int(kib) / 2**20:.2f}", counted]


def store(folder: Path, models: int = MODELS, items: int = ITEMS) -> int:
    """A store with a log a model; its size in bytes."""
    frame = _judgments(items)
    samples = ("1 " + frame["item"]).to_numpy(object)
    first = encode_run(Run("", TASK, "", TASK, {}, frame, samples))
    table = pq.read_table(BytesIO(first))
    entries = []
    for number in range(models):
        record = _record(table, number)
        entries.append(write_record(folder, Log(f"{number}.eval", 1, 1), f"{number:032x}", record))
    write_manifest(Store(folder, readers=reader_versions(), entries=entries, whole=True))
    return sum((folder / entry.file).stat().st_size for entry in entries)


def _record(table: pa.Table, number: int) -> bytes:
    """Of one model: percentages, one in a hundred unread, written over those in a table.

    A frame for each model would take four times as long.
    """
    rng, items, model = np.random.default_rng(number), len(table), f"simulated/{number}"
    confidence = rng.integers(21, size=items) / 20
    correct = (rng.random(items) < 0.3 + 0.5 * confidence).astype(float)
    is_missing = rng.random(items) < 0.01
    columns = {
        "model": pa.repeat(model, items),
        "uuid": pc.binary_join_element_wise(f"{number}-", table["item"], ""),
        "raw": pa.array(np.where(is_missing, np.nan, 100 * confidence)),
        "confidence": pa.array(np.where(is_missing, np.nan, confidence)),
        "correct": pa.array(correct),
        "status": pc.if_else(pa.array(is_missing), "invalid_response_format", "ok"),
    }
    for name, values in columns.items():
        table = table.set_column(table.column_names.index(name), name, values)
    ((key, text),) = table.schema.metadata.items()
    facts = {**json.loads(text), "id": f"run{number}", "model": model}
    buffer = BytesIO()
    pq.write_table(
        table.replace_schema_metadata({key: json.dumps(facts)}), buffer, compression="zstd"
    )
    return buffer.getvalue()


def _judgments(items: int) -> pd.DataFrame:
    """Of any model, without what it answered."""
    names = np.char.add("q", np.arange(items).astype(str))
    columns = {"dataset": "simulated", "item": names, "uuid": names, "method": "stated"}
    frame = pd.DataFrame(columns).assign(task=TASK, status="ok", confidence=0.0, correct=0.0)
    return typed_columns(frame, all_tables()[TASK], "simulated")
