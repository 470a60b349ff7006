"""Export to Every Eval Ever 0.3.0: an aggregate file and a per-item file for each result set.

Format: https://github.com/evaleval/every_eval_ever (MIT).
"""

import hashlib
import json
import math
import re
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from inspect_confidence import __version__
from inspect_confidence.directions import Direction, direction_of
from inspect_confidence.export.hugging_face import hub_repository
from inspect_confidence.export.material import LogRun, Material, ResultSet, result_sets
from inspect_confidence.export.tables import write_left_out
from inspect_confidence.export.text import cut_with_fingerprint, file_name
from inspect_confidence.metrics import METRICS, Metric
from inspect_confidence.printing import escape_invisible_json
from inspect_confidence.results import ResultRow, json_value
from inspect_confidence.studies import all_tables
from inspect_confidence.studies.columns import SAMPLE_KEYS
from inspect_confidence.writing import put

VERSION = "0.3.0"
_PACKAGE = "inspect_confidence"
NO_ITEMS = "no per-item file: the schema demands right or wrong, and these judgments are neither"


def write_every_eval_ever(material: Material, directory: Path) -> list[Path]:
    """Write files in the datastore's layout, and `left_out.csv` with the rows that don't fit.

    The files are `data/inspect_confidence/DEVELOPER/MODEL/UUID.json` and `UUID_samples.jsonl`.
    """
    files: list[Path] = []
    for result_set in result_sets(material):
        files.extend(_write_result_set(result_set, material, directory))
    return [*files, *write_left_out(material, directory, material.results)]


def _write_result_set(result_set: ResultSet, material: Material, directory: Path) -> list[Path]:
    """Write the aggregate file, and the per-item file if there are scores; return the paths."""
    runs = [material.runs[name] for name in result_set.runs() if name in material.runs]
    info = model_info(result_set.model, runs)
    evaluation_id = _evaluation_id(result_set)
    common = {"schema_version": VERSION, "evaluation_id": evaluation_id}
    # Records of the judgments with a score; None if those of the task are neither right nor wrong.
    items = items_of(result_set, {**common, "model_id": info["id"]})
    aggregate: dict[str, Any] = {
        **common,
        "retrieved_timestamp": str(int(time.time())),
        "source_metadata": _source_metadata(
            result_set, material, NO_ITEMS if items is None else ""
        ),
        "model_info": info,
        "eval_library": _eval_library(result_set, runs),
        "evaluation_results": _evaluation_results(
            result_set, material.resamples, generation_args(runs)
        ),
    }
    if runs:
        began = min(datetime.fromisoformat(run.created).timestamp() for run in runs)
        aggregate["evaluation_timestamp"] = str(int(began))
    stem = _file_stem(result_set.model, info["id"], evaluation_id)
    item_files = []
    records, left_out = items or ([], {})
    if records:
        text = "".join(f"{_as_json(record)}\n" for record in records)
        name = f"{stem}_samples.jsonl"
        item_files.append(put(directory / name, text))
        aggregate["detailed_evaluation_results"] = _describe_item_file(
            name, text, len(records), left_out
        )
    return [put(directory / f"{stem}.json", _as_json(aggregate, indent=1)), *item_files]


def _as_json(content: Mapping[str, Any], indent: int | None = None) -> str:
    """Return content as JSON in which invisible characters are escaped."""
    text = json.dumps(content, indent=indent, ensure_ascii=False, allow_nan=False)
    return escape_invisible_json(text)


def _source_metadata(result_set: ResultSet, material: Material, items_note: str) -> dict[str, Any]:
    """Return the schema's `source_metadata`: who evaluated, the variant, and a note on items."""
    return {
        "source_type": "evaluation_run",
        "source_organization_name": material.organization,
        "evaluator_relationship": material.relationship,
        "additional_details": _without_empty_details(
            exported_by=f"{_PACKAGE} {__version__}", variant=result_set.variant, per_item=items_note
        ),
    }


def _file_stem(model: str, model_id: str, evaluation_id: str) -> str:
    """Return the path of a result set's files without their endings.

    The name is a UUID that is computed from the evaluation's id, so that it stays the same.
    """
    identity = hashlib.sha256(evaluation_id.encode("utf-8", "replace")).digest()
    model_folder = file_name(model_id.split("/", 1)[-1])
    folder = f"data/{_PACKAGE}/{file_name(developer(model))}/{model_folder}"
    return f"{folder}/{uuid.UUID(bytes=identity[:16], version=4)}"


def _describe_item_file(
    path: str, text: str, rows: int, left_out: Mapping[str, int]
) -> dict[str, Any]:
    """Return the schema's `detailed_evaluation_results`, which describes the per-item file.

    `path`, `text` and `rows` are the file's path in the export, content and number of records;
    `left_out` has the number of judgments without a score by status.
    """
    description: dict[str, Any] = {
        "format": "jsonl",
        "file_path": path,
        "hash_algorithm": "sha256",
        "checksum": hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest(),
        "total_rows": rows,
    }
    if left_out:
        counts = "; ".join(f"{status}: {n}" for status, n in left_out.items())
        description["additional_details"] = {"judgments_without_a_score": counts}
    return description


def _without_empty_details(**details: str) -> dict[str, str]:
    """Return the details whose text is not empty, by name."""
    return {name: text for name, text in details.items() if text}


def _evaluation_id(result_set: ResultSet) -> str:
    """Return an id that is the same in every export of the same runs.

    `origins` has the judgments of the result set, with the id of their run. Judgments that come
    from no log have no run; their rows, in any order, enter the id instead.
    """
    origins = result_set.origins
    without_run = origins[origins["run"] == ""]
    lines = [*result_set.runs(), result_set.variant]
    if len(without_run):
        lines += sorted(without_run.to_csv(index=False, lineterminator="\n").split("\n"))
    text = "\n".join(lines)
    ids = hashlib.sha256(text.encode("utf-8", "backslashreplace"))
    names = (f"{_PACKAGE}.{result_set.task}", result_set.model, result_set.dataset)
    return "/".join([*map(cut_with_fingerprint, names), ids.hexdigest()[:16]])


def _eval_library(result_set: ResultSet, runs: Sequence[LogRun]) -> dict[str, Any]:
    """Return the schema's `eval_library`: versions, task and settings; `runs` are those of logs."""
    origins = result_set.origins
    return {
        "name": "inspect_ai" if runs else "unknown",
        "version": _join_versions(run.inspect for run in runs),
        "additional_details": _without_empty_details(
            inspect_confidence=_join_versions(origins["package_version"]),
            task=result_set.task,
            task_version=_join_versions(origins["task_version"]),
            task_args=_settings_text([run.task_args for run in runs]),
            runs=", ".join(result_set.runs()),
        ),
    }


def _join_versions(versions: Iterable[str]) -> str:
    return ", ".join(sorted(set(versions) - {""})) or "unknown"


def _evaluation_results(
    result_set: ResultSet, resamples: int, generation: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return an entry for each finite number, and for its distance from a target if it has one."""
    repository = hub_repository(result_set.dataset)
    source = {
        "dataset_name": result_set.dataset,
        "additional_details": {"items": str(result_set.origins["item"].nunique())},
        "source_type": "hf_dataset" if repository else "other",
        **_without_empty_details(hf_repo=repository),
    }
    settings = {"generation_config": {"generation_args": generation}} if generation else {}
    entries = []
    for result in result_set.results:
        for metric, row in _with_distance_to_target(result):
            entry = {
                "evaluation_result_id": ";".join(filter(None, (metric.name, str(row.condition)))),
                "evaluation_name": f"{_PACKAGE}.{row['task']}",
                "source_data": source,
                "metric_config": _metric_config(metric, row),
                "score_details": _score_details(row, resamples),
            }
            entries.append({**entry, **settings})
    return entries


def _with_distance_to_target(row: ResultRow) -> Iterator[tuple[Metric, ResultRow]]:
    """Yield a finite number with its metric, and its distance from the metric's target if any.

    The schema knows only numbers of which higher or lower is better; a distance is such a number.
    """
    if not math.isfinite(row.value):
        return
    metric, direction = METRICS[row["metric"]], direction_of(row["metric"], row.condition)
    target = direction.target
    if math.isnan(target):
        yield metric, row
        return
    yield replace(metric, direction=f"target={target:g}"), row
    distance = replace(
        metric,
        name=f"{metric.name}.distance_to_target",
        definition=f"Distance from {target:g} of: {metric.definition}",
        direction="lower",
        low=0.0,
        high=max(metric.high - target, target - metric.low),
    )
    yield distance, _distance_to_target(row, direction)


def _distance_to_target(row: ResultRow, direction: Direction) -> ResultRow:
    """Return the number's row with its distance from the target, and the distance's interval."""
    value, *ends = map(float, direction.distance(np.array([row.value, row.low, row.high])))
    # Inside an interval that contains the target the least distance is 0.
    low = 0.0 if row.low <= direction.target <= row.high else min(ends)
    note = "; ".join(filter(None, (f"{row['metric']} is {row.value:.6g}", row.note)))
    numbers = {"value": value, "ci_low": low, "ci_high": max(ends), "note": note}
    return replace(row, record={**row.record, **numbers})


def _metric_config(metric: Metric, row: ResultRow) -> dict[str, Any]:
    """Return the schema's `metric_config` of a number.

    The schema requires `lower_is_better`: a metric for which neither end of its range is best has
    False, and the remark that this has no meaning.
    """
    # Accuracy has the name that other packages use, except LifeEval's, a mean probability of death.
    shared = metric.name == "accuracy" and row["task"] != "life_eval"
    ordered = metric.direction in ("higher", "lower")
    return {
        "evaluation_description": metric.definition,
        "metric_id": metric.name if shared else f"{_PACKAGE}.{metric.name}",
        "metric_name": metric.name,
        "metric_kind": metric.name,
        "metric_unit": metric.unit,
        "metric_parameters": dict(row.condition),
        "lower_is_better": metric.direction == "lower",
        "score_type": "continuous",
        "min_score": json_value(float(metric.low)),
        "max_score": json_value(float(metric.high)),
        "additional_details": _without_empty_details(
            direction=metric.direction,
            lower_is_better="" if ordered else "has no meaning for this metric: see direction",
        ),
    }


def _score_details(row: ResultRow, resamples: int) -> dict[str, Any]:
    """Return the schema's `score_details` of a number: value, interval, condition and counts.

    The schema takes only intervals with two finite ends; others are in the text alone.
    """
    score: dict[str, Any] = {"score": row.value}
    interval_text = "" if math.isnan(row.low) else f"{row.low:g} to {row.high:g}"
    if math.isfinite(row.low) and math.isfinite(row.high):
        ends = {"lower": row.low, "upper": row.high, "confidence_level": 0.95}
        score["uncertainty"] = {"confidence_interval": ends, "num_samples": row.n}
        interval_text = (
            f"docs/metrics.md says how it is computed; where by bootstrap, {resamples} resamples"
        )
    counts = {"n": str(row.n), "asked": str(row.asked)}
    details = _without_empty_details(
        condition=str(row.condition), note=row.note, **counts, interval=interval_text
    )
    return {**score, "details": details}


class Reading(NamedTuple):
    """A judgment in the schema's terms.

    Attributes:
        score: Score of the judgment; NaN if it has none.
        correct: Whether the answer counts as right.
        extracted: Parsed answer as text.
        reference: True or best answer as text; may be empty.
        means: Explanation of the score.
    """

    score: float
    correct: bool
    extracted: str
    reference: str
    means: str


SampleRow = Mapping[Any, Any]


def _read_interval_or_point(row: SampleRow) -> Reading:
    """Read whether the interval contains the truth or, if a bound is missing, the point equals it.

    If the point is missing too, the score is NaN and the answer does not count as right.
    """
    truth, point = float(row["truth"]), float(row["point"])
    lower, upper = float(row["lower"]), float(row["upper"])
    if not math.isnan(lower + upper):
        inside = lower <= truth <= upper
        return Reading(
            score=float(inside),
            correct=inside,
            extracted=f"[{lower:g}, {upper:g}]",
            reference=f"{truth:g}",
            means="the interval holds the truth (exponents of ten)",
        )
    return Reading(
        score=math.nan if math.isnan(point) else float(point == truth),
        correct=point == truth,
        extracted=f"{point:g}",
        reference=f"{truth:g}",
        means="the exponent is the true one",
    )


def _read_graded_answer(row: SampleRow) -> Reading:
    """Read an answer with its grade, which may be a probability; only 1 counts as right."""
    correct = float(row["correct"])
    means = "the answer is right; a score between 0 and 1 is the probability that it is"
    return Reading(
        score=correct,
        correct=correct == 1,
        extracted=str(row["answer"]),
        reference=str(row["target"]),
        means=means,
    )


def _read_age(row: SampleRow) -> Reading:
    """Read an age; its score is the true probability of dying within the window around it.

    The age counts as right if no other one has a greater score. If the greatest (`mas`, maximum
    achievable score) is not known, the score is NaN, and the age does not count as right.
    """
    best = float(row["mas"])
    score = math.nan if math.isnan(best) else float(row["score"])
    reference = "" if math.isnan(row["best_answer"]) else f"{row['best_answer']:g}"
    means = (
        "score: true probability of dying within the window; is_correct: no answer has a greater"
    )
    return Reading(
        score=score,
        correct=score >= best - 1e-9,  # rounding may change equal probabilities
        extracted=f"{row['answer']:g}",
        reference=reference,
        means=means,
    )


def _read_graded_reply(row: SampleRow) -> Reading:
    correct = float(row["correct"])
    means = "the reply is right, as the judge says"
    return Reading(score=correct, correct=correct == 1, extracted="", reference="", means=means)


_MARKER_TASK = "hedge_markers"
_READINGS: Mapping[str, Callable[[SampleRow], Reading]] = {
    "fermi_eval": _read_interval_or_point,
    "scale_variants": _read_graded_answer,
    "question_sets": _read_graded_answer,
    "life_eval": _read_age,
    _MARKER_TASK: _read_graded_reply,
    **dict.fromkeys(("abstain", "simple_qa", "commitment"), _read_graded_answer),
}
"""Readers of the tasks whose judgments are right or wrong."""

# Whole replies stay in the logs.
_REPLY_COLUMNS = {"reply", "text"}
# Columns of a row's marker, which don't describe the whole reply.
_MARKER_COLUMNS = {
    *("sentence", "marker", "confidence", "consistent", "undecided", "inconsistent", "failed"),
    *("decisiveness", "n_markers"),
}


def items_of(
    result_set: ResultSet, common: Mapping[str, str]
) -> tuple[list[dict[str, Any]], Mapping[str, int]] | None:
    """Return the records of judgments with a score, and the counts of other judgments by status.

    The result is None if the task has no reader of judgments as right or wrong. Texts of replies,
    and columns of one marker in a reply, are not exported. `common` are fields at the start of
    every record.
    """
    task = result_set.task
    read = _READINGS.get(task)
    if read is None:
        return None
    rows = result_set.judgments
    hidden = set(_REPLY_COLUMNS)
    if task == _MARKER_TASK:  # a row is a marker; each reply counts once
        rows = rows.drop_duplicates(["uuid", *SAMPLE_KEYS, "draw"])
        hidden |= _MARKER_COLUMNS
    columns = ["split", "epoch", "draw", "status", *all_tables()[task].names]
    exported = [name for name in columns if name not in hidden]
    common = {**common, "evaluation_name": f"{_PACKAGE}.{task}"}
    lines, left_out = [], Counter[str]()
    for row in rows.to_dict("records"):
        reading = read(row)
        if math.isnan(reading.score):
            left_out[str(row["status"])] += 1
        else:
            lines.append({**common, **_record(row, reading, task=task, columns=exported)})
    return lines, left_out


def _record(row: SampleRow, reading: Reading, task: str, columns: Sequence[str]) -> dict[str, Any]:
    """Return the schema's record of a judgment of the task; `columns` with a value become metadata.

    `row` has the judgment's columns, `reading` its score and its answer in the schema's terms.
    """
    metadata: dict[str, str] = {}
    for name in columns:
        value = row[name]
        if value != "" and not pd.isna(value):
            metadata[name] = f"{value:g}" if isinstance(value, float) else str(value)
    return {
        "sample_id": str(row["item"]),
        "interaction_type": "single_turn",
        # The schema demands both; question and reply stay in the log.
        "input": {"raw": str(row["item"]), "reference": list(filter(None, [reading.reference]))},
        "output": {"raw": []},
        "answer_attribution": [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": reading.extracted,
                "extraction_method": f"{_PACKAGE}.{task}",
                "is_terminal": True,
            }
        ],
        "evaluation": {"score": reading.score, "is_correct": bool(reading.correct)},
        "metadata": {
            **metadata,
            "means": reading.means,
            "input": "the item's name; question and reply are in the log",
        },
    }


# Providers of Inspect that run open models on the user's own machines.
_ENGINES = {
    **{"hf": "transformers", "vllm": "vLLM", "sglang": "SGLang", "ollama": "Ollama"},
    **{"llama-cpp-python": "llama.cpp", "transformer_lens": "TransformerLens", "nnterp": "nnterp"},
}
_HUB_PROVIDERS = {"hf", "vllm", "sglang", "transformer_lens", "nnterp"}
# Platforms that serve the models of many developers.
_ROUTERS = {"openrouter", "together", "groq", "hf-inference-providers", "azureai"}
_VENDORS = _ROUTERS | {"openai", "anthropic", "google", "mistral", "grok", "fireworks", "bedrock"}
_VENDORS |= {"cloudflare", "perplexity"}
# Clouds that Inspect has between a developer and a model.
_CLOUDS = {"azure", "bedrock", "vertex"}
_SIMULATED = {"respondent", "mockllm", "none"}
# Families without published weights; the availability of other models is unknown.
_CLOSED_MODEL = re.compile(r"^(?:openai/(?:gpt-[345]|o[134]\b)|anthropic/claude|google/gemini)")
# Generation settings that the schema has a place for.
_TYPED_SETTINGS = ("temperature", "top_p", "top_k", "max_tokens")


def model_info(model: str, runs: Sequence[LogRun]) -> dict[str, Any]:
    """Return the schema's `model_info` of a model of Inspect and its runs.

    The name begins with Inspect's provider: an engine that the user runs, a vendor, a simulation,
    or another one. Deployment is unknown for another one, and for an address that the user set.
    """
    provider = model.split("/", 1)[0]
    info: dict[str, Any] = {"name": model, "id": _model_id(model)}
    deployment = "unknown"
    if provider in _ENGINES:
        info["inference_engine"] = {"name": _ENGINES[provider]}
    elif provider in _VENDORS:
        info["inference_platform"] = provider
    if not any(run.own_address for run in runs):
        if provider in _ENGINES or provider in _SIMULATED:
            deployment = "self_deployed"
        elif provider in _VENDORS:
            deployment = "externally_managed"
    closed = provider not in _ENGINES and _CLOSED_MODEL.match(info["id"])
    details = _without_empty_details(
        deployment_type=deployment,
        model_availability="closed_weights" if closed else "unknown",
        simulated="true" if provider in _SIMULATED else "",
        model_args=_settings_text([run.model_args for run in runs]),
        generation_settings=_settings_text([run.generation for run in runs]),
    )
    return {**info, "additional_details": details}


def developer(model: str) -> str:
    """Return the developer of a model, the first part of its id, which names its folder."""
    identity = _model_id(model)
    return identity.split("/", 1)[0] if "/" in identity else "unknown"


def _model_id(model: str) -> str:
    """Return `developer/name` of a model of Inspect, or its whole name if no developer is in it.

    The part before the first slash is Inspect's provider. It is left out if it serves models of
    many developers (`openrouter/meta/llama` is `meta/llama`); otherwise it is the developer, and a
    cloud after it is left out (`openai/azure/gpt-4o` is `openai/gpt-4o`).
    """
    provider, _, name = model.partition("/")
    if provider == "openai-api" and name.count("/") > 1:  # `name` is service/developer/model
        name = name.split("/", 1)[1]
    if provider in _HUB_PROVIDERS | _ROUTERS | {"openai-api"}:
        return name if "/" in name else model
    cloud, _, cloud_model = name.partition("/")
    return f"{provider}/{cloud_model}" if cloud in _CLOUDS and cloud_model else model


def generation_args(runs: Sequence[LogRun]) -> dict[str, Any]:
    """Return the generation settings that the schema knows and that are equal in all runs."""
    settings = {}
    for name in _TYPED_SETTINGS:
        values = [run.generation.get(name) for run in runs]
        if values and values[0] is not None and values.count(values[0]) == len(values):
            settings[name] = values[0]
    return settings


def _settings_text(settings: Sequence[Mapping[str, Any]]) -> str:
    """Return the distinct settings of several runs as JSON text; empty without settings."""
    texts = dict.fromkeys(json.dumps(run, sort_keys=True, ensure_ascii=False) for run in settings)
    if set(texts) <= {"{}"}:
        return ""
    joined = ", ".join(texts)
    return joined if len(texts) == 1 else f"[{joined}]"
