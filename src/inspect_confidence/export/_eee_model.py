"""How Every Eval Ever names a model and says who runs it."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_confidence.export._runs import Run

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
    identity = _identity(model)
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
    identity = _identity(model)
    return identity.split("/", 1)[0] if "/" in identity else "unknown"


def _identity(model: str) -> str:
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
