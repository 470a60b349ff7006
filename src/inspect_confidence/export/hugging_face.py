"""Export of results for a model's repository on the Hugging Face hub.

Format: https://huggingface.co/docs/hub/eval-results
"""

import math
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from inspect_confidence.datasets.cache import SOURCES
from inspect_confidence.datasets.hub import PUBLISHED
from inspect_confidence.directions import direction_of
from inspect_confidence.export.material import Material
from inspect_confidence.export.tables import write_left_out
from inspect_confidence.export.text import file_name
from inspect_confidence.headlines import headline_rows
from inspect_confidence.printing import counted
from inspect_confidence.results import ResultRow, ResultTable
from inspect_confidence.writing import put

# PyYAML quotes the words of YAML 1.1; these are words of YAML 1.2 or of some readers of 1.1.
_AMBIGUOUS_IN_YAML = re.compile(r"0[ox][0-9A-Fa-f]+|y|n|~", re.IGNORECASE)


class _QuotingDumper(yaml.SafeDumper):
    """Dumper that quotes every text which some reader takes for a number, such as `1e5`."""


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """Return a YAML node of a text, in quotes if a reader could take it for another type.

    PyYAML calls this for each text. Examples are `1e5`, `y` and `0x1f`.
    """
    quoted = True
    try:
        float(text)
    except ValueError:
        quoted = bool(_AMBIGUOUS_IN_YAML.fullmatch(text))
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if quoted else None)


_QuotingDumper.add_representer(str, _represent_text)


_ADDRESS = re.compile(r"https://huggingface\.co/datasets/([^/]+/[^/]+)/resolve/")


def hub_repository(dataset: str) -> str:
    """Return the Hugging Face repository of a data set's files; empty if there is no single one.

    Example:
        >>> hub_repository("mmlu"), hub_repository("bundled")
        ('cais/mmlu', '')
    """
    if dataset not in PUBLISHED:
        return ""
    names = set()
    for file in PUBLISHED[dataset].files:
        match = _ADDRESS.match(SOURCES[file].url)
        names.add(match[1] if match else "")
    return names.pop() if len(names) == 1 else ""


def write_hf_eval_results(material: Material, directory: Path) -> list[Path]:
    """Write `MODEL/.eval_results/inspect_confidence.yaml` with the finite headline numbers.

    Each variant of a model has its own file, of which the user puts one into the model's
    repository. Numbers that are not finite, and means over models, go to `left_out.csv`.
    """
    rows = headline_rows(ResultTable.from_frame(material.results))
    model_rows = rows.among("model", material.models())
    files = []
    for (model, variant), group in model_rows.groups("model", "variant"):
        entries = [_result_entry(row, material) for row in group if math.isfinite(row.value)]
        if entries:
            name = "inspect_confidence" + (f"-{file_name(variant)}" if variant else "")
            path = directory / file_name(model) / ".eval_results" / f"{name}.yaml"
            text = yaml.dump(entries, Dumper=_QuotingDumper, sort_keys=False, allow_unicode=False)
            files.append(put(path, text))
    # Judge and short heading are parts of a row of headlines, but not columns of its frame.
    judges = [row["judge"] for row in rows]
    short_names = [row["short"] for row in rows]
    headlines = rows.to_frame().assign(judge=judges, short=short_names)
    return [*files, *write_left_out(material, directory, headlines)]


def _result_entry(row: ResultRow, material: Material) -> dict[str, Any]:
    """Return the entry of Hugging Face's hub for a headline number.

    The variant is in the notes, not in the id of the task.
    """
    variant = row["variant"]
    condition = map("=".join, row.condition.but(variant="").items())
    task_id = "/".join([row["task"], row["metric"], *condition])
    entry: dict[str, Any] = {
        "dataset": {"id": hub_repository(row["dataset"]) or row["dataset"], "task_id": task_id},
        "value": row.value,
    }
    if date := _last_run_date(row, material):
        entry["date"] = date
    notes = [
        row["label"],
        direction_of(row["metric"], row.condition).label,
        "" if math.isnan(row.low) else f"95% interval {row.low:.4g} to {row.high:.4g}",
        counted(row.n, "judgment"),
        f"run with {variant}" if variant else "",
        row.note,
    ]
    return {**entry, "notes": "; ".join(filter(None, notes))}


def _last_run_date(row: ResultRow, material: Material) -> str:
    """Return the day of the last run of the number's judgments.

    The day is empty without logs, and for a number over several data sets, whose `dataset` no
    judgment has.
    """
    frame = material.frames[row["task"]]
    frame = frame[(frame["model"] == row["model"]) & (frame["variant"] == row["variant"])]
    days = []
    for name in set(frame.loc[frame["dataset"] == row["dataset"], "run"]):
        if name in material.runs:
            created = datetime.fromisoformat(material.runs[name].created)
            days.append(created.date().isoformat())
    return max(days, default="")
