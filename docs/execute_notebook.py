"""Runs docs/notebook.ipynb anew and keeps its outputs, without times and versions of this run."""

import os
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parent / "notebook.ipynb"


def main() -> None:
    """Run all cells in the notebook's folder, as Jupyter does."""
    # Of tqdm, which Inspect imports, about widgets that aren't there.
    os.environ["PYTHONWARNINGS"] = "ignore:IProgress"
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(NOTEBOOK.parent)}},
    )
    client.execute()
    notebook.metadata.pop("language_info", None)
    nbformat.write(notebook, NOTEBOOK)


if __name__ == "__main__":
    main()
