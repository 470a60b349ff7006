"""What a result has to be: `METRIC OP NUMBER[;key=value...]`."""

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from inspect_confidence._errors import InvalidArgument, nearest
from inspect_confidence.metrics import METRICS

_OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_FORM = re.compile(r"\s*(?P<metric>\w+)\s*(?P<sign><=|>=|<|>)(?P<number>[^;]*)(?P<parts>(?:;.*)?)")
_EXAMPLE = "write it as 'ece<=0.10' or 'coverage>=0.85;level=90'"


@dataclass(frozen=True)
class Requirement:
    """What the value of every matching row of results has to be.

    Attributes:
        text: As it was written.
        metric: A name from the metric registry.
        sign: `<=`, `>=`, `<` or `>`.
        number: The limit.
        parts: What a row must have, by key, as it was written; an empty value: must not have.
    """

    text: str
    metric: str
    sign: str
    number: float
    parts: Mapping[str, str]

    @property
    def limit(self) -> str:
        """Sign and number, for people."""
        return f"{self.sign} {self.number:g}"

    @property
    def bound(self) -> str:
        """The column with the end of the interval that is nearest to failing."""
        return "ci_high" if self.sign.startswith("<") else "ci_low"

    def holds(self, value: float) -> bool:
        """Whether a value is within the limit."""
        return _OPERATORS[self.sign](value, self.number)

    def applies_to(self, facts: Mapping[str, str]) -> bool:
        """Whether a row with these facts is meant; an absent part is as an empty one."""
        return all(self.part_applies(key, facts.get(key, "")) for key in self.parts)

    def part_applies(self, key: str, fact: str) -> bool:
        """Whether one part is as wanted: the same text, or the same number."""
        written = self.parts[key]
        # A value may be copied from a condition, where it is percent-encoded, or be a name with
        # a percent sign of its own.
        decoded = unquote(written)
        numbers = _number(decoded), _number(fact)
        same = None not in numbers and numbers[0] == numbers[1]
        return fact in (written, decoded) or same


def read_requirement(text: str) -> Requirement:
    """A requirement from its text.

    Raises:
        InvalidArgument: It isn't of the form, or its metric isn't in the registry.

    Example:
        >>> read_requirement("coverage >= 0.85; level=90; split=").parts
        {'level': '90', 'split': ''}
    """
    form = _FORM.fullmatch(text)
    if not form:
        raise InvalidArgument(f"{text!r} is not a requirement; {_EXAMPLE}.")
    metric, number = form["metric"], _number(form["number"])
    if number is None:
        written = form["number"].strip()
        raise InvalidArgument(
            f"{text!r} is not a requirement: {written!r} is not a number; {_EXAMPLE}."
        )
    if metric not in METRICS:
        raise InvalidArgument(f"{text}: there is no metric {metric!r}. {nearest(metric, METRICS)}")
    return Requirement(text.strip(), metric, form["sign"], number, _parts(text, form["parts"]))


def _parts(text: str, written: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    for part in filter(None, (one.strip() for one in written.split(";"))):
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals or not key:
            raise InvalidArgument(f"{text!r}: {part!r} is not of the form key=value; {_EXAMPLE}.")
        if key in parts:
            raise InvalidArgument(f"{text!r} names {key!r} twice; give two requirements instead.")
        parts[key] = value.strip()
    return parts


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
