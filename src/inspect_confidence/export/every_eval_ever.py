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
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence import __version__
from inspect_confidence.export.hugging_face import hub_repository
from inspect_confidence.export.leaderboard import Direction, direction_of
from inspect_confidence.export.material import Material, ResultSet, Run, result_sets
from inspect_confidence.export.tables import write_left_out
from inspect_confidence.export.text import file_name, shortened, write_text
from inspect_confidence.metrics import METRICS, Metric
from inspect_confidence.results import Condition, Result
from inspect_confidence.studies import all_tables

_PACKAGE = "inspect_confidence"
_SHARED = {"accuracy"}
"""Metrics that have the same meaning everywhere; the others have the package's name before them."""

_TRUE_PROBABILITIES = "life_eval"
"""Its accuracy is a mean of true probabilities, which nobody else calls accuracy."""

DISTANCE = "distance_to_target"


@dataclass(frozen=True)
class Scored:
    """A number in the schema's terms.

    Attributes:
        metric: Of the registry.
        name: The metric's name, or that of its distance.
        description: What it is.
        lower_is_better: As the schema demands; of a metric without such a direction `false`, and
            `direction` says so.
        bounds: Least and greatest possible value.
        row: Value and interval.
        direction: As the registry has it, its target worked out.
    """

    metric: Metric
    name: str
    description: str
    lower_is_better: bool
    bounds: tuple[float, float]
    row: Result
    direction: str


def evaluation_results(
    rows: pd.DataFrame, source: Mapping[str, Any], resamples: int, generation: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """All rows whose value is finite; of a metric with a target its distance from it too.

    Args:
        rows: Of one result set, in the layout of results.
        source: The schema's `source_data`.
        resamples: Bootstrap resamples that the intervals rest on.
        generation: The schema's `generation_args`.
    """
    found = []
    for record in rows.to_dict("records"):
        row = Result(**{str(name): value for name, value in record.items()})
        if math.isfinite(row.value):
            found += [_entry(one, source, resamples, generation) for one in _scored(row)]
    return found


def _scored(row: Result) -> Iterator[Scored]:
    metric, direction = METRICS[row.metric], direction_of(row.metric, row.condition)
    target = direction.target
    written = metric.direction if math.isnan(target) else f"target={target:g}"
    lower = direction.name == "lower"
    bounds = (metric.low, metric.high)
    yield Scored(metric, metric.name, metric.definition, lower, bounds, row, written)
    if not math.isnan(target):
        yield Scored(
            metric,
            f"{metric.name}.{DISTANCE}",
            f"Distance from {target:g} of: {metric.definition}",
            True,
            (0.0, max(metric.high - target, target - metric.low)),
            _distant(row, direction),
            "lower",
        )


def _distant(row: Result, direction: Direction) -> Result:
    """The distance, and all distances of values within the interval."""
    target = direction.target
    value, *ends = direction.distance(np.array([row.value, row.ci_low, row.ci_high]))
    low = 0.0 if row.ci_low <= target <= row.ci_high else min(ends)
    note = f"{row.metric} is {row.value:.6g}"
    return replace(
        row,
        value=float(value),
        ci_low=float(low),
        ci_high=float(max(ends)),
        note="; ".join(filter(None, (note, row.note))),
    )


def _entry(
    one: Scored, source: Mapping[str, Any], resamples: int, generation: Mapping[str, Any]
) -> dict[str, Any]:
    row = one.row
    low, high = map(_bound, one.bounds)
    shared = one.name in _SHARED and row.task != _TRUE_PROBABILITIES
    identity = one.name if shared else f"{_PACKAGE}.{one.name}"
    config = {
        "evaluation_description": one.description,
        "metric_id": identity,
        "metric_name": one.name,
        "metric_kind": one.name,
        "metric_unit": one.metric.unit,
        "metric_parameters": dict(Condition.read(row.condition)),
        "lower_is_better": one.lower_is_better,
        "score_type": "continuous",
        "min_score": low,
        "max_score": high,
        "additional_details": {"direction": one.direction, **_caution(one)},
    }
    entry = {
        "evaluation_result_id": ";".join(filter(None, (one.name, row.condition))),
        "evaluation_name": f"{_PACKAGE}.{row.task}",
        "source_data": source,
        "metric_config": config,
        "score_details": _score(row, resamples),
    }
    return {**entry, "generation_config": {"generation_args": generation}} if generation else entry


def _caution(one: Scored) -> dict[str, str]:
    if one.direction in ("higher", "lower"):
        return {}
    return {"lower_is_better": "has no meaning for this metric: see direction"}


def _score(row: Result, resamples: int) -> dict[str, Any]:
    details = {"condition": row.condition, "note": row.note, "n": str(row.n)}
    score: dict[str, Any] = {"score": row.value}
    if math.isfinite(row.ci_low) and math.isfinite(row.ci_high):
        score["uncertainty"] = {
            "confidence_interval": {
                "lower": row.ci_low,
                "upper": row.ci_high,
                "confidence_level": 0.95,
            },
            "num_samples": int(row.n),
        }
        details["interval"] = (
            f"docs/metrics.md says how it is computed; where by bootstrap, {resamples} resamples"
        )
    elif not math.isnan(row.ci_low):
        details["interval"] = f"{row.ci_low:g} to {row.ci_high:g}"
    return {**score, "details": {name: text for name, text in details.items() if text}}


def _bound(value: float) -> float | str:
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return float(value)


_NAN = float("nan")
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Reading:
    """What a judgment is, in the schema's terms.

    Attributes:
        score: Its contribution; NaN where there is none.
        correct: Whether it is right, of a judgment with a score.
        extracted: What was read from the reply.
        reference: What is right.
        means: What `is_correct` and `score` mean.
    """

    score: float
    correct: bool
    extracted: str
    reference: str
    means: str


def _interval_or_point(row: Row) -> Reading:
    truth = float(row["truth"])
    lower, upper, point = (float(row[name]) for name in ("lower", "upper", "point"))
    if not math.isnan(lower + upper):
        inside = lower <= truth <= upper
        means = "the interval holds the truth (exponents of ten)"
        return Reading(float(inside), inside, f"[{lower:g}, {upper:g}]", f"{truth:g}", means)
    right = point == truth
    score = _NAN if math.isnan(point) else float(right)
    return Reading(score, right, f"{point:g}", f"{truth:g}", "the exponent is the true one")


def _right_or_wrong(row: Row) -> Reading:
    correct = float(row["correct"])
    means = "the answer is right; a score between 0 and 1 is the probability that it is"
    return Reading(correct, correct == 1, str(row["answer"]), str(row["target"]), means)


def _of_age(row: Row) -> Reading:
    score, best = float(row["score"]), float(row["mas"])
    means = (
        "score: true probability of dying within the window; is_correct: no answer has a greater"
    )
    reference = "" if math.isnan(row["best_answer"]) else f"{row['best_answer']:g}"
    correct = not math.isnan(best) and score >= best - 1e-9
    return Reading(
        score if not math.isnan(best) else _NAN, correct, f"{row['answer']:g}", reference, means
    )


def _of_reply(row: Row) -> Reading:
    correct = float(row["correct"])
    return Reading(correct, correct == 1, "", "", "the reply is right, as the judge says")


READINGS: Mapping[str, Callable[[Row], Reading]] = {
    "fermi_eval": _interval_or_point,
    "scale_variants": _right_or_wrong,
    "question_sets": _right_or_wrong,
    "life_eval": _of_age,
    "hedge_markers": _of_reply,
}
"""Tasks whose judgments are right or wrong."""


NO_ITEMS = "no per-item file: the schema demands right or wrong, and these judgments are neither"

# Whole replies stay in the logs.
_TEXTS = {"reply", "text"}
_FIRST_OF_REPLY = {"hedge_markers"}
# What a row says of its one marker is not the reply's.
_OF_MARKER = {
    *("sentence", "marker", "confidence", "consistent", "undecided", "inconsistent", "failed"),
    *("decisiveness", "n_markers"),
}


@dataclass(frozen=True)
class Items:
    """Per-item records of a result set.

    Attributes:
        lines: One a judgment that has a score.
        left_out: How many have none, by status.
    """

    lines: Sequence[dict[str, Any]]
    left_out: Mapping[str, int]


def items_of(one: ResultSet, evaluation_id: str, model_id: str, version: str) -> Items | None:
    """The records of a result set; None where its judgments are neither right nor wrong.

    Args:
        one: The result set.
        evaluation_id: Of its aggregate file.
        model_id: As the aggregate file has it.
        version: Of the schema.
    """
    read = READINGS.get(one.task)
    if read is None:
        return None
    rows = one.judgments
    if one.task in _FIRST_OF_REPLY:  # a row a marker: the reply counts once
        rows = rows.drop_duplicates(["uuid", "item", "epoch"])
    lines, left_out = [], Counter[str]()
    for row in rows.to_dict("records"):
        reading = read({str(name): value for name, value in row.items()})
        if math.isnan(reading.score):
            left_out[str(row["status"])] += 1
            continue
        common = {
            "schema_version": version,
            "evaluation_id": evaluation_id,
            "model_id": model_id,
            "evaluation_name": f"inspect_confidence.{one.task}",
        }
        lines.append({**common, **_record(row, reading, one.task)})
    return Items(lines, left_out)


def _record(row: Mapping[Any, Any], reading: Reading, task: str) -> dict[str, Any]:
    columns = ["split", "epoch", "draw", "status", *all_tables()[task].columns]
    hidden = _TEXTS | (_OF_MARKER if task in _FIRST_OF_REPLY else set())
    metadata = {
        name: _text(row[name]) for name in columns if name not in hidden and not _missing(row[name])
    }
    return {
        "sample_id": str(row["item"]),
        "interaction_type": "single_turn",
        # The schema demands both; question and reply stay in the log.
        "input": {
            "raw": str(row["item"]),
            "reference": [reading.reference] if reading.reference else [],
        },
        "output": {"raw": []},
        "answer_attribution": [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": reading.extracted,
                "extraction_method": f"inspect_confidence.{task}",
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


def as_lines(records: Sequence[Mapping[str, Any]]) -> str:
    """Records as lines of JSON."""
    return "".join(f"{json.dumps(one, ensure_ascii=False, allow_nan=False)}\n" for one in records)


def _missing(value: object) -> bool:
    return value is None or value == "" or bool(pd.isna(value))  # type: ignore[call-overload]


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


# Providers of Inspect that run open models on the user's own machines.
_ENGINES = {
    **{"hf": "transformers", "vllm": "vLLM", "sglang": "SGLang", "ollama": "Ollama"},
    **{"llama-cpp-python": "llama.cpp", "transformer_lens": "TransformerLens", "nnterp": "nnterp"},
}
_HUB = {"hf", "vllm", "sglang", "transformer_lens", "nnterp"}
_VENDORS = {"openai", "anthropic", "google", "mistral", "grok", "together", "groq", "fireworks"}
_VENDORS |= {
    "openrouter",
    "bedrock",
    "azureai",
    "cloudflare",
    "perplexity",
    "hf-inference-providers",
}
# Platforms that serve the models of many developers.
_ROUTERS = {"openrouter", "together", "groq", "hf-inference-providers", "openai-api", "azureai"}
# Clouds that Inspect has between a developer and a model.
_CLOUDS = {"azure", "bedrock", "vertex"}
_SIMULATED = {"respondent", "mockllm", "none"}
# Families whose weights nobody has published; of any other model that isn't known.
_CLOSED = re.compile(r"^(?:openai/(?:gpt-[345]|o[134]\b)|anthropic/claude|google/gemini)")

TYPED_SETTINGS = ("temperature", "top_p", "top_k", "max_tokens")
"""Generation settings that the schema has a place for."""


def model_info(model: str, runs: Sequence[Run]) -> dict[str, Any]:
    """The schema's `model_info`.

    Args:
        model: As Inspect names it: provider and name.
        runs: Its runs; none where there are no logs.
    """
    provider = model.split("/", 1)[0]
    identity = _model_identity(model)
    info: dict[str, Any] = {"name": model, "id": identity}
    if provider in _ENGINES:
        info["inference_engine"] = {"name": _ENGINES[provider]}
    elif provider in _VENDORS:
        info["inference_platform"] = provider
    own = any(run.own_address for run in runs)
    closed = provider not in _ENGINES and _CLOSED.match(identity)
    details = {
        "deployment_type": _deployment(provider, own),
        "model_availability": "closed_weights" if closed else "unknown",
    }
    if provider in _SIMULATED:
        details["simulated"] = "true"
    for key, each in (
        ("model_args", [run.model_args for run in runs]),
        ("generation_settings", [run.generation for run in runs]),
    ):
        if text := as_text(each):
            details[key] = text
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
    if provider in _HUB | _ROUTERS:
        return name if "/" in name else model
    cloud, _, rest = name.partition("/")
    return f"{provider}/{rest}" if cloud in _CLOUDS and rest else model


def generation_args(runs: Sequence[Run]) -> dict[str, Any]:
    """The typed settings in which all runs agree."""
    settings = {}
    for name in TYPED_SETTINGS:
        values = [run.generation.get(name) for run in runs]
        if values and values[0] is not None and all(value == values[0] for value in values):
            settings[name] = values[0]
    return settings


def as_text(each: Sequence[Mapping[str, Any]]) -> str:
    """Different settings of several runs as JSON text; empty where nothing was set."""
    texts = dict.fromkeys(json.dumps(one, sort_keys=True, ensure_ascii=False) for one in each)
    if set(texts) <= {"{}"}:
        return ""
    return next(iter(texts)) if len(texts) == 1 else f"[{', '.join(texts)}]"


def _deployment(provider: str, own_address: bool) -> str:
    if own_address:
        return "unknown"
    if provider in _ENGINES or provider in _SIMULATED:
        return "self_deployed"
    return "externally_managed" if provider in _VENDORS else "unknown"


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
