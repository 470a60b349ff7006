"""Names of models and data sets without the folders of local ones."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from inspect_confidence._results import decode_condition, encode_condition
from inspect_confidence._secrets import scrub, scrub_value
from inspect_confidence._shareable import model_name

_PROVIDER = re.compile(r"[A-Za-z][\w-]*/")
# One separator alone hides no folder: `\input{x}` is a name.
_PATH = re.compile(r"(?:~|[A-Za-z]:)?[/\\][^\n]*[/\\]")


def place(name: str) -> str:
    r"""A name that may be a path as a whole, blanks included: its last part, without secrets.

    Example:
        >>> place("/home/my data/x.csv"), place("\\input{x}"), place("mmlu")
        ('x.csv', '\\input{x}', 'mmlu')
    """
    return str(scrub_value(name)) if _PATH.match(name) else scrub(name)


def model(name: str) -> str:
    """A model's name; of one on disk, the provider and the last part of the path.

    Example:
        >>> model("hf//home/my models/llama"), model("hf/org/llama")
        ('hf/llama', 'hf/org/llama')
    """
    return place(_without_folders(name))


def judge_of(condition: str) -> str:
    """The model that a condition names as judge; empty where there is none."""
    return decode_condition(condition).get("judge", "")


def with_judge(condition: str, name: Callable[[str], str] = model) -> str:
    """The condition with its judge named by `name`."""
    parts = decode_condition(condition)
    if "judge" not in parts:
        return condition
    return encode_condition({**parts, "judge": name(parts["judge"])})


def argument(value: Any) -> Any:
    """An argument's value without secrets; texts in it may name models on disk."""
    return scrub_value(_models_in(value))


def _models_in(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _models_in(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_models_in(one) for one in value]
    return _without_folders(value) if isinstance(value, str) else value


def _without_folders(name: str) -> str:
    """Services between provider and path, as in `openai-api/ollama//home/x`, stay."""
    if "\n" in name or not _PROVIDER.match(name):
        return name
    provider, _, rest = name.partition("/")
    # The whole is scrubbed last: that would shorten a path only up to the first blank.
    return f"{provider}/{_without_folders(rest)}" if _PROVIDER.match(rest) else model_name(name)
