"""The results as a JSON array."""

import json
import math
from pathlib import Path

from inspect_confidence.export._material import Material
from inspect_confidence.export._text import write_text


def write_json(material: Material, directory: Path) -> list[Path]:
    """One object a row: NaN is null, infinite numbers are `"Infinity"` and `"-Infinity"`."""
    records = material.results.to_dict("records")
    rows = [{str(name): plain(value) for name, value in row.items()} for row in records]
    text = json.dumps(rows, indent=1, ensure_ascii=False, allow_nan=False)
    return [write_text(directory / "results.json", text)]


def plain(value: object) -> object:
    """A value that JSON has."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return value
