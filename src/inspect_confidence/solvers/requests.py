"""Generation settings of requests: log probabilities, and what Inspect leaves out of a request.

A setting that is set and not sent describes nothing: the provider's own value holds. A log's
recorded requests are the evidence (`unsent_settings`). Where there is no request, before a run or
in a log without one, the providers' rules stand in for it (`dropped_settings`); tests compare them
with what the providers' packages send.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.model._generate_config import active_generate_config

from inspect_confidence.errors import InvalidArgument

TOKENS = GenerateConfig(logprobs=True, top_logprobs=20)
"""Log probabilities, with as many alternatives as the OpenAI protocol gives."""
ONE_WORD = TOKENS.merge(GenerateConfig(max_tokens=16))
"""Log probabilities of a reply of one word or integer."""

_PROVIDERS_WITHOUT_LOGPROBS = {"bedrock", "cloudflare", "perplexity"}
_PROVIDERS_WITH_LOGPROBS = (
    "openai (but its reasoning models), google, grok, together, vllm, sglang, hf, respondent"
)

_WIRE_NAMES: Mapping[str, Collection[str]] = {
    "temperature": {"temperature"},
    "top_p": {"topp"},
    "top_k": {"topk"},
    "seed": {"seed", "randomseed"},
    "stop_seqs": {"stop", "stopsequences"},
    "num_choices": {"n", "candidatecount"},
    "frequency_penalty": {"frequencypenalty"},
    "presence_penalty": {"presencepenalty"},
    "logprobs": {"logprobs", "responselogprobs", "message.output_text.logprobs"},
    "top_logprobs": {"toplogprobs", "logprobs"},
}
"""Names of each setting in requests, in lower case and without underscores, by Inspect's name."""

SETTINGS = frozenset(_WIRE_NAMES)
"""Settings whose sending can be checked, by Inspect's names."""

_READABLE = frozenset(
    {
        *("anthropic", "google", "openai", "bedrock", "groq", "mistral"),
        # These build on Inspect's provider for OpenAI's protocol.
        *("openai-api", "openrouter", "together", "deepseek", "fireworks", "sambanova"),
        *("perplexity", "ollama", "vllm", "sglang"),
    }
)
"""Providers whose requests use these names; requests of other providers are not checked."""

_CONVERSATION = frozenset({"messages", "contents", "input", "tools", "system", "extra_headers"})
"""Parts of a request that hold no settings, and may hold any name."""

_OF_REASONING = frozenset({"temperature", "top_p", "logprobs", "top_logprobs"})
"""Settings that OpenAI's newer API takes of models that do not reason, and of no other."""

_GPT = re.compile(r"gpt-(\d)(?!\d)(?:\.(\d+))?")


def unsent_settings(
    model: str, settings: Mapping[str, Any], request: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the settings that a request to a model leaves out; none if they can't be checked.

    Args:
        model: Name of the model, with its provider.
        settings: Generation settings of the call, by Inspect's names.
        request: The request as Inspect records it in `ModelEvent.call`.

    Example:
        >>> unsent_settings("anthropic/m", {"temperature": 0.7, "seed": 1}, {"temperature": 0.7})
        {'seed': 1}
    """
    if model.partition("/")[0] not in _READABLE:
        return {}
    sent = set(_setting_names(request))
    unsent = {}
    for name, value in settings.items():
        if name in SETTINGS and _is_set(value) and not sent & set(_WIRE_NAMES[name]):
            unsent[name] = value
    return unsent


def _setting_names(request: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of the values set in a request, in lower case and without underscores.

    Names in nested mappings are among them, but not those in parts that hold the conversation.
    """
    for name, value in request.items():
        if value is None or name in _CONVERSATION:
            continue
        yield name.lower().replace("_", "")
        if isinstance(value, Mapping):
            yield from _setting_names(value)
        elif name == "include":  # a list of what OpenAI's responses bring with them
            yield from map(str, value)


def _is_set(value: object) -> bool:
    """Return whether a value requests anything; `logprobs=False` and an empty list do not."""
    return value is not None and value is not False and value != []


def dropped_settings(model: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that Inspect does not send to a model, by the rule of its provider.

    Example:
        >>> dropped_settings("openai/o3", {"temperature": 0.7, "max_tokens": 5})
        {'temperature': 0.7}
    """
    names = dropped_names(model, settings)
    return {name: value for name, value in settings.items() if name in names and _is_set(value)}


def dropped_names(model: str, settings: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of all settings that Inspect does not send to a model.

    The rules are those of inspect_ai 0.3.285: `completion_config` in `_providers/anthropic.py`
    (with anthropic from 2.0 on), `completion_params_responses` in `_providers/openai_responses.py`,
    `completion_params_completions` in `_providers/openai_completions.py`, and the call of
    `GenerateContentConfig` in `_providers/google.py`. They hold for the API that Inspect takes by
    default. For a model of another provider no name is returned.

    Args:
        model: Name of the model, with its provider.
        settings: Generation settings of the run; OpenAI's rule depends on some.
    """
    provider, _, name = model.partition("/")
    if provider == "anthropic":
        return SETTINGS - {"stop_seqs"}
    if provider == "google":
        return frozenset({"seed"})
    if provider == "openai":
        return _names_dropped_by_openai(name.rpartition("/")[2].lower(), settings)
    return frozenset()


def _names_dropped_by_openai(name: str, settings: Mapping[str, Any]) -> frozenset[str]:
    """Return the settings that Inspect does not send to a model of OpenAI.

    Before GPT-5 that is `top_k`. Later it is every setting for a model that reasons, and for one
    that doesn't every setting but temperature, top_p and log probabilities (`_OF_REASONING`). With
    `num_choices` it is temperature and `top_k`.
    """
    match = _GPT.search(name)  # gpt-5.1 gives 5 and 1, gpt-35 nothing
    version = (int(match[1]), int(match[2] or 0)) if match else (0, 0)
    is_o_series = re.match(r"o\d", name) is not None
    if not is_o_series and version < (5, 0):
        return frozenset({"top_k"})
    if settings.get("num_choices") is not None:  # Inspect then calls OpenAI's older API
        return frozenset({"temperature", "top_k"})
    effort = settings.get("reasoning_effort")
    # By default models reason from GPT-5.5 on; GPT-5 and the o series always do.
    reasons = version >= (5, 5) if effort is None else effort != "none"
    if is_o_series or version == (5, 0) or reasons:
        return SETTINGS
    return SETTINGS - _OF_REASONING


def has_summary_call(model: str, settings: Mapping[str, Any]) -> bool:
    """Return whether Inspect makes a call on its own account before the first one to a model.

    The call tests whether the provider gives the account summaries of reasoning. The rule is that
    of `reasoning_summaries` and `has_reasoning_options` in `_providers/openai.py` of inspect_ai
    0.3.285, for models whose names OpenAI documents.

    Args:
        model: Name of the model, with its provider.
        settings: Generation settings of the run.

    Example:
        >>> has_summary_call("openai/gpt-5", {})
        True
        >>> has_summary_call("openai/gpt-5", {"reasoning_summary": "auto"})
        False
    """
    provider, _, path = model.partition("/")
    # With a summary set there is nothing to test; the API for several choices has no summaries.
    if provider != "openai" or settings.keys() & {"reasoning_summary", "num_choices"}:
        return False
    name = path.rpartition("/")[2].lower()
    match = _GPT.search(name)
    if match and int(match[1]) >= 5:
        return "codex" in name or "-chat" not in name
    return "codex" in name or ("gpt" not in name and re.search(r"o\d", name) is not None)


def run_settings() -> dict[str, Any]:
    """Return the generation settings that hold for the model of the running sample."""
    config = get_model().config.merge(active_generate_config())
    return config.model_dump(exclude_none=True)


def refuse_unsent(model: str, settings: Mapping[str, Any], names: Collection[str]) -> None:
    """Refuse a run if a setting that distinguishes it from other runs is not sent.

    Raises:
        InvalidArgument: One of the names is set and, by the provider's rule, not sent.
    """
    _rich_traceback_guard = True  # rich prints this error without Inspect's frames
    for name, value in dropped_settings(model, settings).items():
        if name in names:
            raise InvalidArgument(
                f"{name}={value} is not sent to {model}: Inspect leaves it out, and answers would "
                f"be sampled at the provider's own {name}. Run once without {name}, or ask a model "
                "that takes it."
            )


def refuse_providers_without_logprobs() -> None:
    """Refuse, before the first call, a provider without log probabilities."""
    _rich_traceback_guard = True  # rich prints this error without Inspect's frames
    refuse_without_logprobs(str(get_model()), run_settings())


def refuse_without_logprobs(model: str, settings: Mapping[str, Any]) -> None:
    """Refuse a model that gives no log probabilities with the settings of a run.

    Raises:
        InvalidArgument: By the provider's rule there are none.
    """
    _rich_traceback_guard = True  # rich prints this error without Inspect's frames
    provider = model.split("/", 1)[0]
    dropped = dropped_names(model, settings)
    if provider in _PROVIDERS_WITHOUT_LOGPROBS or "logprobs" in dropped:
        raise InvalidArgument(
            f"{model} gives no log probabilities, which this method needs; these do: "
            f"{_PROVIDERS_WITH_LOGPROBS}."
        )
