"""Arguments of Inspect's command line, written as text and checked by reading them back."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

import yaml

# Inspect has no public reader of its command line's arguments.
from inspect_ai._util.config import parse_cli_args


@dataclass(frozen=True)
class Argument:
    """A `name=value` for an option such as `-T`.

    Attributes:
        text: The argument without shell quotes.
        is_exact: Whether Inspect reads the same value and type from the text. Some values have no
            such text: text with a comma becomes a list, for example.
    """

    text: str
    is_exact: bool


def write_argument(name: str, value: object) -> Argument:
    """Write an argument so that Inspect's command line reads the same value of the same type.

    If no text does that, the plainest printable one is returned, with `is_exact=False`.

    Example:
        >>> write_argument("dataset", "007").text
        "dataset='007'"
        >>> write_argument("dataset", "a, b").is_exact
        False
    """
    texts = list(_candidate_texts(value))
    for text in texts:
        argument = f"{name}={text}"
        if text.isprintable() and _is_read_as(argument, name, value):
            return Argument(argument, is_exact=True)
    nearest = next((text for text in texts if text.isprintable()), texts[-1])
    return Argument(f"{name}={nearest}", is_exact=False)


def _candidate_texts(value: object) -> Iterator[str]:
    """Yield texts from which Inspect's command line may read a value, the plainest first.

    Some are read as another value, as `a, b` is as a list: the caller tries each.
    """
    if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
        yield ",".join(value)
    if isinstance(value, str):
        yield value
    if value is None or isinstance(value, bool | Mapping):
        yield json.dumps(value, ensure_ascii=False, default=str)
    yield _yaml_text(value, allow_unicode=True)
    yield _yaml_text(value, allow_unicode=False)  # escapes what a terminal can't print
    # YAML's single quotes keep line breaks as they are; double quotes escape them.
    yield _yaml_text(value, default_style='"')


class _PlainDumper(yaml.SafeDumper):
    """Dumper that writes an object that occurs twice in full, not as a reference."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _yaml_text(value: object, **style: Any) -> str:
    """Return a value as YAML on one line, without the mark `...` of the end of a document.

    `style` are further options of the dumper.
    """
    text: str = yaml.dump(
        value, Dumper=_PlainDumper, default_flow_style=True, width=inf, sort_keys=False, **style
    )
    return text.removesuffix("\n").removesuffix("\n...")


def _is_read_as(argument: str, name: str, value: object) -> bool:
    """Return whether Inspect reads exactly this name and value from `name=text`."""
    try:
        parsed = parse_cli_args([argument])
    except (yaml.YAMLError, ValueError):
        return False
    return is_same(parsed, {name: value})


def is_same(first: object, second: object) -> bool:
    """Return whether two values and all values in them are equal and of equal types; NaN is NaN.

    A list equals a tuple of the same values. Mappings must have the same order.
    """
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        return len(first) == len(second) and all(map(is_same, first, second))
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        keys = is_same(list(first), list(second))
        return keys and all(is_same(first[key], second[key]) for key in first)
    return type(first) is type(second) and repr(first) == repr(second)
