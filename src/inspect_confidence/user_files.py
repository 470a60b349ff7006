"""Readers of users' YAML and JSON files: plain values, within limits, and checked by type.

A file is data: nothing in it is imported, called or expanded. An unusable value raises a one-line
error that names the file, the key and the value.
"""

import json
import math
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, model_validator

from inspect_confidence.arguments import read_text
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.printing import excerpt

LARGEST_YAML = 100_000
"""Size limit of a YAML file in bytes: a thousand prices, parsed in about a second."""
LARGEST_JSON = 20_000_000
"""Size limit of a JSON file in bytes: four hundred maps of a thousand knots."""
DEEPEST = 20
"""Limit of nested lists and mappings; files of this package need six levels."""
DIGITS = 18
"""Limit of the digits of a whole number, which fits into 64 bits."""
_MOST_SHOWN_CHARACTERS = 60
"""Number of characters of a value that an error shows."""

Shape = TypeVar("Shape")


class FileSection(BaseModel):
    """Base of models of a file's mappings: keys are the fields, and types are not converted."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _check_keys(cls, section: object) -> object:
        """Refuse a section that is no mapping, or that has an unknown key."""
        if not isinstance(section, dict):
            raise ValueError("it is not a mapping of the form `name: value`")
        for key in section:
            if key not in cls.model_fields:
                raise ValueError(
                    f"there is no {_shorten(repr(key))}. {nearest(str(key), cls.model_fields)}"
                )
        return section


def read_yaml(path: Path) -> Any:
    """Read a YAML file of the core schema, without tags, anchors and aliases.

    Raises:
        InvalidArgument: The file can't be read, exceeds a limit, or is not such YAML.
    """
    text = _read(path, LARGEST_YAML)
    try:
        value = yaml.load(text, _CoreLoader)  # builds plain values alone
    except yaml.YAMLError as error:
        raise InvalidArgument(f"{path} is not YAML: {_yaml_fault(error)}") from None
    _check_values(str(path), value)
    return value


def read_json(path: Path) -> Any:
    """Read a JSON file.

    Raises:
        InvalidArgument: The file can't be read, exceeds a limit, or is not JSON.
    """
    return parse_json(str(path), _read(path, LARGEST_JSON))


def parse_json(name: str, text: str) -> Any:
    """Read JSON text without duplicate keys and without numbers that are not finite.

    `name` is the name of the text in errors.

    Raises:
        InvalidArgument: The text is not JSON, or a value exceeds a limit.
    """
    try:
        value = json.loads(text, object_pairs_hook=_distinct_keys)
    except RecursionError:
        raise InvalidArgument(f"{name}: {_too_deep()}") from None
    except ValueError as error:
        raise InvalidArgument(f"{name} is not JSON: {error}; name another file.") from None
    _check_values(name, value)
    return value


def check_shape(name: str, value: object, shape: type[Shape]) -> Shape:
    """Check the content of a file (`value`) by the types in `shape`, and return it as a `shape`.

    `shape` is a `FileSection`, or a type with sections in it, such as a list of them; `name` is the
    file's name in errors.

    Raises:
        InvalidArgument: A value has the wrong type or is out of bounds, or a key is missing or
            unknown; the error names the first fault.
    """
    try:
        return TypeAdapter(shape).validate_python(value)
    except ValidationError as error:
        raise InvalidArgument(_fault(name, value, error)) from None


def _read(path: Path, largest: int) -> str:
    """Read a text file of at most `largest` bytes; raise `InvalidArgument` if that fails."""
    try:
        return read_text(path, largest=largest)
    except OSError as error:
        raise InvalidArgument(f"{path} can't be read ({error.strerror}).") from None


def _fault(name: str, value: object, error: ValidationError) -> str:
    """Describe in a line the first fault of a file's content (`value`): key, fault and value.

    `name` is the file's name.
    """
    fault = error.errors(include_url=False)[0]
    keys = list[str]()
    part = value  # of the content, at the keys so far
    for key in fault["loc"]:
        # pydantic's location also contains members of unions, which are no keys of the file.
        if _has(part, key):
            part = part[key]  # type: ignore[index] # `_has` checks it
            keys.append(str(key))
    if fault["type"] == "missing":
        keys.append(str(fault["loc"][-1]))
    place = f"{name}: {'.'.join(keys)}" if keys else name
    if fault["type"] == "missing":
        return f"{place} is missing."
    if fault["type"] == "value_error":  # raised by a validator of this package
        message = str(fault["ctx"]["error"])
        return f"{place}: {message}" if message[-1:] in ".?" else f"{place}: {message}."
    # pydantic writes "Input should be a valid integer", or "List should have ... after validation,
    # not 1"; the key and the value take the place of "Input".
    message = re.sub("^(?:Input|List) | after validation.*", "", fault["msg"])
    message = message.replace("dictionary", "mapping (`name: value`)")
    # A text in quotes is told apart from the number or the truth value that it looks like.
    wrong = fault["input"]
    wrong_text = _shorten(repr(wrong) if isinstance(wrong, str) else wrong)
    return f"{place}{'=' if keys else ': '}{wrong_text} {message[:1].lower()}{message[1:]}."


def _has(value: object, key: int | str) -> bool:
    """Return whether `value` is a mapping with this key, or a list with this index."""
    if isinstance(value, Mapping):
        return key in value
    return isinstance(value, list) and isinstance(key, int) and key < len(value)


def _shorten(value: object) -> str:
    return excerpt(value, _MOST_SHOWN_CHARACTERS)


def _check_values(name: str, value: object, depth: int = 0) -> None:
    """Raise `InvalidArgument` for values that no file may hold.

    These are lists and mappings nested more than `DEEPEST` deep, whole numbers with more than
    `DIGITS` digits, numbers that are not finite, and text with a lone surrogate (half a character).
    `name` is the place of `value` in errors; `depth` counts the mappings and lists around it.
    """
    if depth > DEEPEST:
        raise InvalidArgument(f"{name}: {_too_deep()}")
    if isinstance(value, dict):
        for key, part in value.items():
            _check_values(f"{name}: key", key)
            _check_values(f"{name}: {_shorten(key)}", part, depth + 1)
    elif isinstance(value, list):
        for part in value:
            _check_values(name, part, depth + 1)
    elif isinstance(value, float) and not math.isfinite(value):
        raise InvalidArgument(f"{name}: {value} is not a finite number; write a finite one.")
    elif isinstance(value, int) and abs(value) >= 10**DIGITS:
        raise InvalidArgument(f"{name}: a whole number has more than {DIGITS} digits.")
    elif isinstance(value, str) and not value.isascii() and re.search("[\ud800-\udfff]", value):
        raise InvalidArgument(
            f"{name}: {_shorten(value)!a} is not Unicode text; remove the lone surrogate."
        )


def _too_deep() -> str:
    return f"lists and mappings are nested more than {DEEPEST} deep."


def _distinct_keys(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of a JSON object; refuse a key that occurs twice."""
    section: dict[str, Any] = {}
    for key, value in pairs:
        if key in section:
            raise ValueError(f"the key {_shorten(key)!r} occurs twice")
        section[key] = value
    return section


def _yaml_fault(error: yaml.YAMLError) -> str:
    """Describe the fault and its line, without PyYAML's excerpt of the file."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return " ".join(str(error).split())
    mark = error.problem_mark or error.context_mark
    place = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
    return f"{error.problem or error.context}{place}."


class _CoreLoader(yaml.SafeLoader):
    """Loader of YAML 1.2's core schema: text, numbers, booleans, null, lists and mappings."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 # filled below, as PyYAML asks
    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Raise an error for anchors, aliases, tags and deep nesting before a node is built.

        PyYAML calls this for each node, and `super` calls it again for the nodes inside.
        """
        event = self.peek_event()  # type: ignore[no-untyped-call]
        mark = event.start_mark
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            raise yaml.MarkedYAMLError(
                problem="anchors and aliases are not read", problem_mark=mark
            )
        if event.tag is not None:
            message = f"the tag {_shorten(event.tag)} is not read"
            raise yaml.MarkedYAMLError(problem=message, problem_mark=mark)
        if self.depth > DEEPEST:
            raise yaml.MarkedYAMLError(problem=_too_deep().removesuffix("."), problem_mark=mark)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Treat `<<` as an ordinary key."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Return a mapping; refuse a repeated key, of which PyYAML would take the last value.

        A key that is a list or a mapping is refused, too.
        """
        keys = set[Hashable]()
        for key_node, _ in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                message = "a key is a list or a mapping"
                raise yaml.MarkedYAMLError(problem=message, problem_mark=key_node.start_mark)
            key = self.construct_object(key_node)
            if key in keys:
                message = f"the key {_shorten(key)!r} occurs twice"
                raise yaml.MarkedYAMLError(problem=message, problem_mark=key_node.start_mark)
            keys.add(key)
        return super().construct_mapping(node, deep=deep)

    def construct_bool(self, node: yaml.ScalarNode) -> bool:
        """Return the boolean that `true` or `false` stands for."""
        return str(node.value).lower() == "true"

    def construct_integer(self, node: yaml.ScalarNode) -> int:
        """Return a decimal, octal or hexadecimal number of at most `DIGITS` digits."""
        text = str(node.value)
        if len(text) > DIGITS + 2:  # a sign, or 0x
            message = f"a whole number has more than {DIGITS} digits"
            raise yaml.MarkedYAMLError(problem=message, problem_mark=node.start_mark)
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        return int(text, base)

    def construct_number(self, node: yaml.ScalarNode) -> float:
        """Return a number with a fraction or an exponent, or one that is not finite."""
        return float(re.sub(r"\.(inf|nan)", r"\1", str(node.value).lower()))


_CORE: Sequence[tuple[str, str, str, Any]] = (
    ("null", r"~|null|Null|NULL|", "~nN\0", yaml.SafeLoader.construct_yaml_null),
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF", _CoreLoader.construct_bool),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789", _CoreLoader.construct_integer),
    (
        "float",
        r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)"
        r"|\.(?:nan|NaN|NAN)",
        "-+.0123456789",
        _CoreLoader.construct_number,
    ),
)
"""Scalars of the core schema: tag, pattern, first characters, and constructor."""

_CoreLoader.yaml_constructors = {
    name: yaml.SafeLoader.yaml_constructors[name]
    for name in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map", None)
}
for _tag, _texts, _starts, _construct in _CORE:
    _CoreLoader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}",
        re.compile(rf"^(?:{_texts})$"),
        ["" if start == "\0" else start for start in _starts],
    )
    _CoreLoader.add_constructor(f"tag:yaml.org,2002:{_tag}", _construct)
