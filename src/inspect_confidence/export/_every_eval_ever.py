"""Every Eval Ever 0.3.0: an aggregate file a result set, and a per-item file beside it.

Format: https://github.com/evaleval/every_eval_ever (MIT).
"""

import hashlib
import json
import time
import uuid
from datetime import datetime
from pathlib import Path
from typing import Any

from inspect_confidence import __version__
from inspect_confidence.export._eee_items import NO_ITEMS, Items, as_lines, items_of
from inspect_confidence.export._eee_model import as_text, developer, generation_args, model_info
from inspect_confidence.export._eee_results import evaluation_results
from inspect_confidence.export._hub import hub_repository
from inspect_confidence.export._left_out import write_left_out
from inspect_confidence.export._material import Material, ResultSet, result_sets
from inspect_confidence.export._runs import Run
from inspect_confidence.export._text import file_name, shortened, write_text

VERSION = "0.3.0"
COLLECTION = "inspect_confidence"


def write_every_eval_ever(material: Material, directory: Path) -> list[Path]:
    """Files as the datastore lays them out, and `left_out.csv` with the rows that none could hold.

    `data/inspect_confidence/DEVELOPER/MODEL/UUID.json` and `UUID_samples.jsonl`.
    """
    written: list[Path] = []
    for one in result_sets(material):
        written += _write_set(one, material, directory)
    return [*written, *write_left_out(material, directory)]


def _write_set(one: ResultSet, material: Material, directory: Path) -> list[Path]:
    runs = [material.runs[name] for name in one.runs() if name in material.runs]
    info = model_info(one.model, runs)
    evaluation_id = _identity(one)
    folder = f"data/{COLLECTION}/{file_name(developer(one.model))}/{file_name(_last(info['id']))}"
    name = _uuid(evaluation_id)
    items = items_of(one, evaluation_id, info["id"], VERSION)
    log: dict[str, Any] = {
        "schema_version": VERSION,
        "evaluation_id": evaluation_id,
        "retrieved_timestamp": str(int(time.time())),
        "source_metadata": _source(material, one, items),
        "model_info": info,
        "eval_library": _library(one, runs),
        "evaluation_results": evaluation_results(
            one.results, _data(one), material.resamples, generation_args(runs)
        ),
    }
    if runs:
        began = min(datetime.fromisoformat(run.created).timestamp() for run in runs)
        log["evaluation_timestamp"] = str(int(began))
    written = []
    if items is not None and items.lines:
        text = as_lines(items.lines)
        place = f"{folder}/{name}_samples.jsonl"
        written.append(write_text(directory / place, text))
        log["detailed_evaluation_results"] = _detailed(place, text, items)
    aggregate = json.dumps(log, indent=1, ensure_ascii=False, allow_nan=False)
    return [write_text(directory / folder / f"{name}.json", aggregate), *written]


def _identity(one: ResultSet) -> str:
    """The same for the same runs, however often they are exported.

    Judgments that no log holds have no run's id: they stand for themselves, in any order.
    """
    unnamed = one.origins[one.origins["run"] == ""]
    rows = sorted(unnamed.to_csv(index=False, lineterminator="\n").split("\n"))
    text = "\n".join([*one.runs(), one.variant, *(rows if len(unnamed) else [])])
    ids = hashlib.sha256(text.encode("utf-8", "backslashreplace"))
    names = (f"{COLLECTION}.{one.task}", one.model, one.dataset)
    return "/".join([*(shortened(name) for name in names), ids.hexdigest()[:16]])


def _uuid(identity: str) -> str:
    digest = hashlib.sha256(identity.encode("utf-8", "replace")).digest()
    return str(uuid.UUID(bytes=digest[:16], version=4))


def _last(identity: str) -> str:
    return identity.split("/", 1)[-1]


def _source(material: Material, one: ResultSet, items: Items | None) -> dict[str, Any]:
    details = {"exported_by": f"{COLLECTION} {__version__}"}
    if one.variant:
        details["variant"] = one.variant
    if items is None:
        details["per_item"] = NO_ITEMS
    return {
        "source_type": "evaluation_run",
        "source_organization_name": material.organization,
        "evaluator_relationship": material.relationship,
        "additional_details": details,
    }


def _library(one: ResultSet, runs: list[Run]) -> dict[str, Any]:
    packages = sorted(set(one.origins["package_version"]) - {""})
    tasks = sorted(set(one.origins["task_version"]) - {""})
    details = {
        "inspect_confidence": ", ".join(packages) or "unknown",
        "task": one.task,
        "task_version": ", ".join(tasks) or "unknown",
        "task_args": as_text([run.task_args for run in runs]),
        "runs": ", ".join(one.runs()),
    }
    versions = sorted({run.inspect for run in runs})
    return {
        "name": "inspect_ai" if runs else "unknown",
        "version": ", ".join(versions) or "unknown",
        "additional_details": {name: text for name, text in details.items() if text},
    }


def _data(one: ResultSet) -> dict[str, Any]:
    details = {"items": str(one.origins["item"].nunique())}
    found: dict[str, Any] = {"dataset_name": one.dataset, "additional_details": details}
    if repository := hub_repository(one.dataset):
        return {**found, "source_type": "hf_dataset", "hf_repo": repository}
    return {**found, "source_type": "other"}


def _detailed(place: str, text: str, items: Items) -> dict[str, Any]:
    found: dict[str, Any] = {
        "format": "jsonl",
        "file_path": place,
        "hash_algorithm": "sha256",
        "checksum": hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest(),
        "total_rows": len(items.lines),
    }
    if items.left_out:
        each = "; ".join(f"{status}: {count}" for status, count in items.left_out.items())
        found["additional_details"] = {"judgments_without_a_score": each}
    return found
