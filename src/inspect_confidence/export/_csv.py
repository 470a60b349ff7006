"""The results as a csv file that a spreadsheet can open."""

from pathlib import Path

from inspect_confidence._spreadsheet import as_csv
from inspect_confidence.export._material import Material
from inspect_confidence.export._text import write_text


def write_csv(material: Material, directory: Path) -> list[Path]:
    """One row a number; text that a spreadsheet would compute has an apostrophe before it."""
    return [write_text(directory / "results.csv", as_csv(material.results))]
