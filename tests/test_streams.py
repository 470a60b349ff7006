"""A store gone through a model at a time gives what all its judgments give at once."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from build import column_of, notices_with
from inspect_confidence import read_judgments, summarize
from inspect_confidence.commands.analysis import Settings, as_stream
from inspect_confidence.judgments.locations import Log
from inspect_confidence.judgments.read import judgments_of
from inspect_confidence.judgments.runs import Run, encode_run, reader_versions
from inspect_confidence.judgments.store import Store, write_manifest, write_record
from inspect_confidence.judgments.streams import Stream
from studies.frames import frame, scale_rows

FEW: Settings = {"resamples": 50}


def any_eval(model: str, run: str, start: int, stop: int, method: str = "stated") -> Run:
    """A log of items asked twice, every seventh reply unread, on two data sets."""
    rng = np.random.default_rng(start)
    rows = []
    for item, epoch in product(range(start, stop), (1, 2)):
        is_read = item % 7 > 0
        row = {
            "run": run,
            "uuid": f"{run}-{item}-{epoch}",
            "model": model,
            "dataset": ("one", "other")[item % 2],
            "item": f"q{item}",
            "epoch": float(epoch),
            "method": method,
            "answer": str(rng.integers(2)),
            "confidence": rng.integers(9) / 8 if is_read and method != "epochs" else np.nan,
            "correct": float(rng.random() < 0.6),
            "status": "ok" if is_read else "refusal",
        }
        rows.append(row)
    judgments = judgments_of(frame(rows, "any_eval"))["any_eval"]
    samples = (judgments["epoch"].map("{:g} ".format) + judgments["item"]).to_numpy(object)
    return Run(run, "any_eval", model, "any_eval", {"effort": run[0]}, judgments, samples)


def scale(model: str, run: str) -> Run:
    """A log of the scale study."""
    rows = [*scale_rows("0-10", 30, 4, 0, epoch=1), *scale_rows("0-10", 30, 4, 0, epoch=2)]
    whole = judgments_of(frame(rows, "scale_variants"))["scale_variants"]
    rows_of_model = whole.assign(model=model, run=run)
    numbers = np.arange(len(rows_of_model)).astype(str).astype(object)
    rows_of_model["uuid"] = f"{run}-" + numbers
    return Run(run, "scale_variants", model, "scale_variants", {}, rows_of_model, numbers)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Three models, of which one has only epochs, two variants, a retried log, pooled runs."""
    runs = [
        scale("b", "s1"),
        any_eval("c", "l1", 0, 20, "epochs"),
        any_eval("a", "l2", 10, 20),  # the retry
        any_eval("b", "l3", 0, 20),
        any_eval("b", "h4", 0, 20),
        scale("a", "s2"),
        any_eval("a", "h5", 0, 20),
        any_eval("a", "l2", 5, 15),
        any_eval("a", "l6", 0, 20),
        any_eval("b", "l7", 0, 20),
    ]
    entries = [
        write_record(tmp_path, Log(f"{number}.eval", 1, 1), f"{number:032x}", encode_run(run))
        for number, run in enumerate(runs)
    ]
    write_manifest(Store(tmp_path, readers=reader_versions(), entries=entries, whole=True))
    return tmp_path


def test_a_model_at_a_time_is_all_at_once(store: Path) -> None:
    """Rows, their order, types and notices, to the last bit."""
    whole = read_judgments(store)
    parts = as_stream(store, FEW)
    assert isinstance(parts, Stream)
    assert [*parts.notices] == [*whole.notices]
    assert [*parts.loss_notices] == [*whole.loss_notices]
    notice_text = "10 samples are in several logs and were taken once: 10 from 2.eval"
    assert notice_text in whole.notices
    assert len(notices_with(whole, "are pooled")) == 4
    tables = column_of(parts.frames(["any_eval"], each_model=True), "any_eval")
    assert [set(table["model"]) for table in tables] == [{"c"}, {"a"}, {"b"}]
    expected = summarize(whole, **FEW)
    assert set(expected["task"]) == {"any_eval", "scale_variants"}
    pd.testing.assert_frame_equal(summarize(str(store), **FEW), expected, check_exact=True)
