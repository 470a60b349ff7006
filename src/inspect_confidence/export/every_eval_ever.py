"""Every Eval Ever 0.3.0: an aggregate file a result set, and a per-item file beside it.

Format: https://github.com/evaleval/every_eval_ever (MIT).
"""

import hashlib
import json
import math
import re
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from inspect_confidence import __version__
from inspect_confidence.export.hugging_face import hub_repository
from inspect_confidence.export.material import Material, ResultSet, Run, result_sets
from inspect_confidence.export.tables import write_left_out
from inspect_confidence.export.text import file_name, shortened
from inspect_confidence.headlines import Direction, direction_of
from inspect_confidence.metrics import METRICS, Metric
from inspect_confidence.printing import in_json
from inspect_confidence.results import Condition, Result
from inspect_confidence.studies import all_tables
from inspect_confidence.writing import put

VERSION = "0.3.0"
_PACKAGE = "inspect_confidence"
NO_ITEMS = "no per-item file: the schema demands right or wrong, and these judgments are neither"


def write_every_eval_ever(material: Material, directory: Path) -> list[Path]:
    """Files as the datastore lays them out, and `left_out.csv` with the rows that none could hold.

    `data/inspect_confidence/DEVELOPER/MODEL/UUID.json` and `UUID_samples.jsonl`.
    """
    sets = result_sets(material)
    written = [path for one in sets for path in _write_set(one, material, directory)]
    return [*written, *write_left_out(material, directory, material.results)]


def _write_set(one: ResultSet, material: Material, directory: Path) -> list[Path]:
    runs = [material.runs[name] for name in one.runs() if name in material.runs]
    info = model_info(one.model, runs)
    model = file_name(info["id"].split("/", 1)[-1])
    common = {"schema_version": VERSION, "evaluation_id": _identity(one)}
    items = items_of(one, {**common, "model_id": info["id"]})
    log: dict[str, Any] = {
        **common,
        "retrieved_timestamp": str(int(time.time())),
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": material.organization,
            "evaluator_relationship": material.relationship,
            "additional_details": _said(
                exported_by=f"{_PACKAGE} {__version__}",
                variant=one.variant,
                per_item=NO_ITEMS if items is None else "",
            ),
        },
        "model_info": info,
        "eval_library": _library(one, runs),
        "evaluation_results": _evaluation_results(one, material.resamples, generation_args(runs)),
    }
    if runs:
        began = min(datetime.fromisoformat(run.created).timestamp() for run in runs)
        log["evaluation_timestamp"] = str(int(began))
    identity = hashlib.sha256(common["evaluation_id"].encode("utf-8", "replace")).digest()
    stem = f"data/{_PACKAGE}/{file_name(developer(one.model))}/{model}/"
    stem += str(uuid.UUID(bytes=identity[:16], version=4))
    written = []
    lines, left_out = items or ([], {})
    if lines:
        dumped = (in_json(json.dumps(line, ensure_ascii=False, allow_nan=False)) for line in lines)
        text = "".join(f"{line}\n" for line in dumped)
        written.append(put(directory / f"{stem}_samples.jsonl", text))
        log["detailed_evaluation_results"] = described = {
            "format": "jsonl",
            "file_path": f"{stem}_samples.jsonl",
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest(),
            "total_rows": len(lines),
        }
        if each := "; ".join(f"{status}: {n}" for status, n in left_out.items()):
            described["additional_details"] = {"judgments_without_a_score": each}
    aggregate = in_json(json.dumps(log, indent=1, ensure_ascii=False, allow_nan=False))
    return [put(directory / f"{stem}.json", aggregate), *written]


def _said(**details: str) -> dict[str, str]:
    """Those of the details that say something."""
    return {name: text for name, text in details.items() if text}


def _identity(one: ResultSet) -> str:
    """The same for the same runs, however often they are exported.

    Judgments that no log holds have no run's id: they stand for themselves, in any order.
    """
    unnamed = one.origins[one.origins["run"] == ""]
    rows = sorted(unnamed.to_csv(index=False, lineterminator="\n").split("\n"))
    text = "\n".join([*one.runs(), one.variant, *(rows if len(unnamed) else [])])
    ids = hashlib.sha256(text.encode("utf-8", "backslashreplace"))
    names = (f"{_PACKAGE}.{one.task}", one.model, one.dataset)
    return "/".join([*(shortened(name) for name in names), ids.hexdigest()[:16]])


def _library(one: ResultSet, runs: Sequence[Run]) -> dict[str, Any]:
    packages, tasks = (
        ", ".join(sorted(set(one.origins[name]) - {""})) or "unknown"
        for name in ("package_version", "task_version")
    )
    return {
        "name": "inspect_ai" if runs else "unknown",
        "version": ", ".join(sorted({run.inspect for run in runs})) or "unknown",
        "additional_details": _said(
            inspect_confidence=packages,
            task=one.task,
            task_version=tasks,
            task_args=_as_text([run.task_args for run in runs]),
            runs=", ".join(one.runs()),
        ),
    }


def _evaluation_results(
    one: ResultSet, resamples: int, generation: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """All rows whose value is finite; of a metric with a target its distance from it too."""
    repository = hub_repository(one.dataset)
    source = {
        "dataset_name": one.dataset,
        "additional_details": {"items": str(one.origins["item"].nunique())},
        "source_type": "hf_dataset" if repository else "other",
        **_said(hf_repo=repository),
    }
    more = {"generation_config": {"generation_args": generation}} if generation else {}
    rows = (Result(*row) for row in one.results.itertuples(index=False, name=None))
    return [
        {
            "evaluation_result_id": ";".join(filter(None, (metric.name, row.condition))),
            "evaluation_name": f"{_PACKAGE}.{row.task}",
            "source_data": source,
            "metric_config": _config(metric, row),
            "score_details": _score(row, resamples),
            **more,
        }
        for every in rows
        if math.isfinite(every.value)
        for metric, row in _scored(every)
    ]


def _scored(row: Result) -> Iterator[tuple[Metric, Result]]:
    """The number and what it is, its target worked out; then its distance from the target."""
    metric, direction = METRICS[row.metric], direction_of(row.metric, row.condition)
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
    yield distance, _distant(row, direction)


def _distant(row: Result, direction: Direction) -> Result:
    """The distance, and all distances of values within the interval."""
    value, *ends = direction.distance(np.array([row.value, row.ci_low, row.ci_high]))
    low = 0.0 if row.ci_low <= direction.target <= row.ci_high else min(ends)
    note = "; ".join(filter(None, (f"{row.metric} is {row.value:.6g}", row.note)))
    return replace(row, value=float(value), ci_low=float(low), ci_high=float(max(ends)), note=note)


def _config(metric: Metric, row: Result) -> dict[str, Any]:
    # Accuracy alone means the same everywhere; LifeEval's is a mean of true probabilities.
    shared = metric.name == "accuracy" and row.task != "life_eval"
    low, high = (
        float(end) if math.isfinite(end) else "Infinity" if end > 0 else "-Infinity"
        for end in (metric.low, metric.high)
    )
    ordered = metric.direction in ("higher", "lower")
    return {
        "evaluation_description": metric.definition,
        "metric_id": metric.name if shared else f"{_PACKAGE}.{metric.name}",
        "metric_name": metric.name,
        "metric_kind": metric.name,
        "metric_unit": metric.unit,
        "metric_parameters": dict(Condition.read(row.condition)),
        "lower_is_better": metric.direction == "lower",
        "score_type": "continuous",
        "min_score": low,
        "max_score": high,
        "additional_details": _said(
            direction=metric.direction,
            lower_is_better="" if ordered else "has no meaning for this metric: see direction",
        ),
    }


def _score(row: Result, resamples: int) -> dict[str, Any]:
    score: dict[str, Any] = {"score": row.value}
    interval = "" if math.isnan(row.ci_low) else f"{row.ci_low:g} to {row.ci_high:g}"
    if math.isfinite(row.ci_low) and math.isfinite(row.ci_high):
        ends = {"lower": row.ci_low, "upper": row.ci_high, "confidence_level": 0.95}
        score["uncertainty"] = {"confidence_interval": ends, "num_samples": int(row.n)}
        interval = (
            f"docs/metrics.md says how it is computed; where by bootstrap, {resamples} resamples"
        )
    counts = {"n": str(row.n), "asked": str(row.asked)}
    details = _said(condition=row.condition, note=row.note, **counts, interval=interval)
    return {**score, "details": details}


class Reading(NamedTuple):
    """What a judgment is in the schema's terms; its score is NaN where it has none."""

    score: float
    correct: bool
    extracted: str
    reference: str
    means: str


Row = Mapping[Any, Any]


def _interval_or_point(row: Row) -> Reading:
    truth, lower, upper, point = (float(row[name]) for name in ("truth", "lower", "upper", "point"))
    if not math.isnan(lower + upper):
        inside = lower <= truth <= upper
        means = "the interval holds the truth (exponents of ten)"
        return Reading(float(inside), inside, f"[{lower:g}, {upper:g}]", f"{truth:g}", means)
    score = math.nan if math.isnan(point) else float(point == truth)
    means = "the exponent is the true one"
    return Reading(score, point == truth, f"{point:g}", f"{truth:g}", means)


def _right_or_wrong(row: Row) -> Reading:
    correct = float(row["correct"])
    means = "the answer is right; a score between 0 and 1 is the probability that it is"
    return Reading(correct, correct == 1, str(row["answer"]), str(row["target"]), means)


def _of_age(row: Row) -> Reading:
    best = float(row["mas"])
    score = math.nan if math.isnan(best) else float(row["score"])
    reference = "" if math.isnan(row["best_answer"]) else f"{row['best_answer']:g}"
    means = (
        "score: true probability of dying within the window; is_correct: no answer has a greater"
    )
    return Reading(score, score >= best - 1e-9, f"{row['answer']:g}", reference, means)


def _of_reply(row: Row) -> Reading:
    correct = float(row["correct"])
    return Reading(correct, correct == 1, "", "", "the reply is right, as the judge says")


_MARKERS = "hedge_markers"
_READINGS: Mapping[str, Callable[[Row], Reading]] = {
    "fermi_eval": _interval_or_point,
    "scale_variants": _right_or_wrong,
    "question_sets": _right_or_wrong,
    "life_eval": _of_age,
    _MARKERS: _of_reply,
}
"""Tasks whose judgments are right or wrong."""

# Whole replies stay in the logs.
_TEXTS = {"reply", "text"}
# What a row says of its one marker is not the reply's.
_OF_MARKER = {
    *("sentence", "marker", "confidence", "consistent", "undecided", "inconsistent", "failed"),
    *("decisiveness", "n_markers"),
}


def items_of(
    one: ResultSet, common: Mapping[str, str]
) -> tuple[list[dict[str, Any]], Mapping[str, int]] | None:
    """The records of judgments with a score, which begin with `common`; of others counts by status.

    None where judgments are neither right nor wrong.
    """
    read = _READINGS.get(one.task)
    if read is None:
        return None
    rows = one.judgments
    hidden = set(_TEXTS)
    if one.task == _MARKERS:  # a row a marker: the reply counts once
        rows, hidden = rows.drop_duplicates(["uuid", "item", "epoch"]), _TEXTS | _OF_MARKER
    columns = ["split", "epoch", "draw", "status", *all_tables()[one.task].columns]
    shown = [name for name in columns if name not in hidden]
    common = {**common, "evaluation_name": f"{_PACKAGE}.{one.task}"}
    lines, left_out = [], Counter[str]()
    for row in rows.to_dict("records"):
        reading = read(row)
        if math.isnan(reading.score):
            left_out[str(row["status"])] += 1
        else:
            lines.append({**common, **_record(row, reading, one.task, shown)})
    return lines, left_out


def _record(row: Row, reading: Reading, task: str, shown: Sequence[str]) -> dict[str, Any]:
    known = {
        name: f"{one:g}" if isinstance(one := row[name], float) else str(one)
        for name in shown
        if row[name] != "" and not pd.isna(row[name])
    }
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
            **known,
            "means": reading.means,
            "input": "the item's name; question and reply are in the log",
        },
    }


# Providers of Inspect that run open models on the user's own machines.
_ENGINES = {
    **{"hf": "transformers", "vllm": "vLLM", "sglang": "SGLang", "ollama": "Ollama"},
    **{"llama-cpp-python": "llama.cpp", "transformer_lens": "TransformerLens", "nnterp": "nnterp"},
}
_HUB = {"hf", "vllm", "sglang", "transformer_lens", "nnterp"}
# Platforms that serve the models of many developers.
_ROUTERS = {"openrouter", "together", "groq", "hf-inference-providers", "azureai"}
_VENDORS = _ROUTERS | {"openai", "anthropic", "google", "mistral", "grok", "fireworks", "bedrock"}
_VENDORS |= {"cloudflare", "perplexity"}
# Clouds that Inspect has between a developer and a model.
_CLOUDS = {"azure", "bedrock", "vertex"}
_SIMULATED = {"respondent", "mockllm", "none"}
# Families whose weights nobody has published; of any other model that isn't known.
_CLOSED = re.compile(r"^(?:openai/(?:gpt-[345]|o[134]\b)|anthropic/claude|google/gemini)")
# Generation settings that the schema has a place for.
_TYPED_SETTINGS = ("temperature", "top_p", "top_k", "max_tokens")


def model_info(model: str, runs: Sequence[Run]) -> dict[str, Any]:
    """The schema's `model_info` of a model as Inspect names it, with its runs if there are logs."""
    provider = model.split("/", 1)[0]
    info: dict[str, Any] = {"name": model, "id": _model_identity(model)}
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
    closed = provider not in _ENGINES and _CLOSED.match(info["id"])
    details = _said(
        deployment_type=deployment,
        model_availability="closed_weights" if closed else "unknown",
        simulated="true" if provider in _SIMULATED else "",
        model_args=_as_text([run.model_args for run in runs]),
        generation_settings=_as_text([run.generation for run in runs]),
    )
    return {**info, "additional_details": details}


def developer(model: str) -> str:
    """Whose folder the model's files lie in: the first part of its id."""
    identity = _model_identity(model)
    return identity.split("/", 1)[0] if "/" in identity else "unknown"


def _model_identity(model: str) -> str:
    """Developer and name, without who runs the model where the rest still has both."""
    provider, _, name = model.partition("/")
    if provider == "openai-api" and name.count("/") > 1:  # a service of that name between
        name = name.split("/", 1)[1]
    if provider in _HUB | _ROUTERS | {"openai-api"}:
        return name if "/" in name else model
    cloud, _, rest = name.partition("/")
    return f"{provider}/{rest}" if cloud in _CLOUDS and rest else model


def generation_args(runs: Sequence[Run]) -> dict[str, Any]:
    """The typed settings in which all runs agree."""
    settings = {}
    for name in _TYPED_SETTINGS:
        values = [run.generation.get(name) for run in runs]
        if values and values[0] is not None and all(value == values[0] for value in values):
            settings[name] = values[0]
    return settings


def _as_text(each: Sequence[Mapping[str, Any]]) -> str:
    """Different settings of several runs as JSON text; empty where nothing was set."""
    texts = dict.fromkeys(json.dumps(one, sort_keys=True, ensure_ascii=False) for one in each)
    if set(texts) <= {"{}"}:
        return ""
    return next(iter(texts)) if len(texts) == 1 else f"[{', '.join(texts)}]"
