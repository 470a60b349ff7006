"""Evaluation results as the Hugging Face hub reads them from a model's repository.

Format: https://huggingface.co/docs/hub/eval-results
"""

import math
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from inspect_confidence.datasets.cache import SOURCES
from inspect_confidence.datasets.hub import PUBLISHED
from inspect_confidence.export.material import Material
from inspect_confidence.export.tables import write_left_out
from inspect_confidence.export.text import file_name
from inspect_confidence.headlines import direction_of, headline_rows
from inspect_confidence.results import Condition
from inspect_confidence.writing import put

# PyYAML quotes what YAML 1.1 resolves; these resolve by YAML 1.2, or to some readers of 1.1.
_OTHER = re.compile(r"0[ox][0-9A-Fa-f]+|y|n|~", re.IGNORECASE)


class _Dumper(yaml.SafeDumper):
    """Quotes every text that is a number anywhere, `1e5` and `0o17` among them."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    quoted = True
    try:
        float(text)
    except ValueError:
        quoted = bool(_OTHER.fullmatch(text))
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if quoted else None)


_Dumper.add_representer(str, _text)


_ADDRESS = re.compile(r"https://huggingface\.co/datasets/([^/]+/[^/]+)/resolve/")


def hub_repository(dataset: str) -> str:
    """The repository that a data set's files come from; empty where they don't all come from one.

    Example:
        >>> hub_repository("mmlu"), hub_repository("bundled")
        ('cais/mmlu', '')
    """
    if dataset not in PUBLISHED:
        return ""
    found = [_ADDRESS.match(SOURCES[file].url) for file in PUBLISHED[dataset].files]
    names = {match[1] if match else "" for match in found}
    return names.pop() if len(names) == 1 else ""


def write_hf_eval_results(material: Material, directory: Path) -> list[Path]:
    """`MODEL/.eval_results/inspect_confidence.yaml`, one number a task id.

    Each variant of a model has a file of its own: a repository takes one of them. Numbers that are
    not finite stand in `left_out.csv`.
    """
    rows = headline_rows(material.results)
    named = rows[rows["model"].isin(material.models())]
    written = []
    for (model, variant), mine in named.groupby(["model", "variant"], sort=False):
        finite = mine[np.isfinite(mine["value"].to_numpy(float))]
        entries = [_entry(row, material) for row in finite.to_dict("records")]
        if entries:
            name = "inspect_confidence" + (f"-{file_name(str(variant))}" if variant else "")
            path = directory / file_name(str(model)) / ".eval_results" / f"{name}.yaml"
            text = yaml.dump(entries, Dumper=_Dumper, sort_keys=False, allow_unicode=False)
            written.append(put(path, text))
    plain = rows.drop(columns=["label", "study", "variant"])
    return [*written, *write_left_out(material, directory, plain)]


def _entry(row: Mapping[Any, Any], material: Material) -> dict[str, Any]:
    parts = dict(Condition.read(row["condition"]))
    variant = parts.pop("variant", "")
    where = [f"{name}={value}" for name, value in parts.items()]
    task_id = "/".join([row["task"], row["metric"], *where])
    entry: dict[str, Any] = {
        "dataset": {"id": hub_repository(row["dataset"]) or row["dataset"], "task_id": task_id},
        "value": float(row["value"]),
    }
    if date := _date(row, variant, material):
        entry["date"] = date
    low, high = float(row["ci_low"]), float(row["ci_high"])
    notes = [
        str(row["label"]),
        direction_of(row["metric"], row["condition"]).text,
        "" if math.isnan(low) else f"95% interval {low:.4g} to {high:.4g}",
        f"{row['n']} judgments",
        f"run with {variant}" if variant else "",
        str(row["note"]),
    ]
    return {**entry, "notes": "; ".join(filter(None, notes))}


def _date(row: Mapping[Any, Any], variant: str, material: Material) -> str:
    """The day of the last run that the number rests on; empty without logs."""
    frame = material.frames[row["task"]]
    mine = frame[(frame["model"] == row["model"]) & (frame["variant"] == variant)]
    ids = set(mine.loc[mine["dataset"] == row["dataset"], "run"])
    began = [material.runs[one].created for one in ids if one in material.runs]
    days = [datetime.fromisoformat(text).date().isoformat() for text in began]
    return max(days, default="")
