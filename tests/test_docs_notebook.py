"""The notebook of the documentation: executed, small, and running."""

import json
import re
from itertools import chain
from typing import Any

import pandas as pd
import pytest
from matplotlib.figure import Figure

from build import column_of, rows_with
from conftest import CHECKOUT

NOTEBOOK = CHECKOUT / "docs" / "notebook.ipynb"


def code_cells() -> list[Any]:
    """The notebook's cells of code."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return rows_with(cells, cell_type="code")


def test_notebook_is_executed_and_small() -> None:
    """Its cells were run in order and without an error, and its pictures are in it."""
    cells = code_cells()
    counts = column_of(cells, "execution_count")
    assert counts == list(range(1, len(cells) + 1))
    outputs = pd.DataFrame(chain.from_iterable(column_of(cells, "outputs")))
    assert set(outputs["output_type"]).isdisjoint(["error", "stream"])
    assert outputs["data"].map(lambda data: "image/png" in data).sum() >= 4
    assert NOTEBOOK.stat().st_size < 400_000


@pytest.mark.slow
def test_notebook_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its code works as it stands, in the folder that it lies in, and makes figures."""
    monkeypatch.chdir(NOTEBOOK.parent)
    names: dict[str, Any] = {}
    outputs: list[object] = []
    for cell in code_cells():
        text = "".join(cell["source"])
        plain = re.sub(r"^%.*\n", "", text, flags=re.MULTILINE)  # magic is for notebooks alone
        lines = plain.splitlines()
        exec("\n".join(lines[:-1]), names)
        outputs.append(eval(lines[-1], names))
    assert sum(isinstance(output, Figure) for output in outputs) >= 4
    assert {"respondent/candid", "respondent/boastful"} <= set(names["results"]["model"])
    assert len(names["differences"]) > 0
