"""Evaluation results as the Hugging Face hub reads them from a model's repository.

Format: https://huggingface.co/docs/hub/eval-results
"""

import math
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd

from inspect_confidence._headlines import headline_rows
from inspect_confidence._results import decode_condition
from inspect_confidence.export._direction import direction_of
from inspect_confidence.export._hub import hub_repository
from inspect_confidence.export._left_out import write_left_out
from inspect_confidence.export._material import Material
from inspect_confidence.export._text import file_name, write_text
from inspect_confidence.export._yaml import as_yaml


def write_hf_eval_results(material: Material, directory: Path) -> list[Path]:
    """`MODEL/.eval_results/inspect_confidence.yaml`, one number a task id.

    Each variant of a model has a file of its own: a repository takes one of them. Numbers that are
    not finite stand in `left_out.csv`.
    """
    rows = headline_rows(material.results)
    named = rows[rows["model"].isin(material.models())]
    written = []
    for (model, variant), mine in named.groupby(["model", "variant"], sort=False):
        entries = [
            _entry(row, material)
            for row in mine.to_dict("records")
            if math.isfinite(float(row["value"]))
        ]
        if entries:
            name = f"inspect_confidence-{file_name(str(variant))}" if variant else _FILE
            path = directory / file_name(str(model)) / ".eval_results" / f"{name}.yaml"
            text = as_yaml(entries)
            written.append(write_text(path, text))
    return [*written, *write_left_out(material, directory, _plain(rows))]


_FILE = "inspect_confidence"


def _plain(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.drop(columns=["label", "study", "variant"])


def _entry(row: Mapping[Any, Any], material: Material) -> dict[str, Any]:
    parts = decode_condition(row["condition"])
    variant = parts.pop("variant", "")
    where = [f"{name}={value}" for name, value in parts.items()]
    task_id = "/".join([row["task"], row["metric"], *where])
    entry: dict[str, Any] = {
        "dataset": {"id": hub_repository(row["dataset"]) or row["dataset"], "task_id": task_id},
        "value": float(row["value"]),
    }
    if date := _date(row, variant, material):
        entry["date"] = date
    return {**entry, "notes": _notes(row, variant)}


def _notes(row: Mapping[Any, Any], variant: str) -> str:
    low, high = float(row["ci_low"]), float(row["ci_high"])
    parts = [
        str(row["label"]),
        direction_of(row["metric"], row["condition"]).text,
        "" if math.isnan(low) else f"95% interval {low:.4g} to {high:.4g}",
        f"{row['n']} judgments",
        f"run with {variant}" if variant else "",
        str(row["note"]),
    ]
    return "; ".join(filter(None, parts))


def _date(row: Mapping[Any, Any], variant: str, material: Material) -> str:
    """The day of the last run that the number rests on; empty without logs."""
    frame = material.frames[row["task"]]
    mine = frame[(frame["model"] == row["model"]) & (frame["variant"] == variant)]
    ids = set(mine.loc[mine["dataset"] == row["dataset"], "run"])
    began = [material.runs[one].created for one in ids if one in material.runs]
    days = [datetime.fromisoformat(text).date().isoformat() for text in began]
    return max(days, default="")
