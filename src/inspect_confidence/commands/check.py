"""Results -> whether they meet requirements, for a run that must fail when they don't."""

import math
import operator
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import pandas as pd

from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.metrics import METRICS
from inspect_confidence.results import Condition

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
    def bound(self) -> str:
        """The column with the end of the interval that is nearest to failing."""
        return "ci_high" if self.sign.startswith("<") else "ci_low"

    def holds(self, value: float) -> bool:
        """Whether a value is within the limit."""
        return _OPERATORS[self.sign](value, self.number)

    def part_applies(self, key: str, facts: Mapping[str, str]) -> bool:
        """Whether one part is as wanted: the same text or number; absent is as empty."""
        written, fact = self.parts[key], facts.get(key, "")
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


_SELECTABLE = ("task", "model", "dataset")
"""Columns of results that a requirement may name, beside the parts of the condition."""

_LISTED = 20
"""Values that an error lists at most."""

COLUMNS = (
    *("requirement", "task", "model", "dataset", "condition", "metric"),
    *("value", "ci_low", "ci_high", "n", "passed", "reason"),
)


def check(
    results: pd.DataFrame, requirements: Sequence[str], *, strict: bool = False
) -> pd.DataFrame:
    """Hold results against requirements such as `ece<=0.10` or `coverage>=0.85;level=90`.

    A requirement is `METRIC OP NUMBER[;key=value...]` with `<=`, `>=`, `<` or `>`; keys are parts
    of the condition, `task`, `model` and `dataset`, and `key=` means that the part is absent. It
    applies to every row of results that matches. A value that is undefined fails.

    Args:
        results: As `summarize` returns them.
        requirements: One or several.
        strict: Judge by the bound of the 95% interval that is nearest to failing (`ci_high` where
            the value may be at most the limit, `ci_low` where at least); a row without an interval
            fails.

    Returns:
        A row for each requirement and matching row of results: the columns of results less `note`,
        with `requirement`, `passed`, and `reason`, which is empty where it passed.

    Raises:
        InvalidArgument: A requirement can't be read, or no row of results matches it.

    Example:
        >>> row = ("life_eval", "m", "ssa-2022", "radius=5", "ece", 0.12, 0.08, 0.15, 200, "")
        >>> names = "task model dataset condition metric value ci_low ci_high n note".split()
        >>> found = check(pd.DataFrame([row], columns=names), ["ece<=0.10;radius=5"])
        >>> found[["passed", "reason"]].to_dict("records")
        [{'passed': False, 'reason': '0.12 is not <= 0.1'}]
    """
    wanted = [read_requirement(text) for text in requirements]
    if not wanted:
        raise InvalidArgument("There is no requirement; give one such as 'ece<=0.10'.")
    facts = [
        {**Condition.read(str(row["condition"])), **{name: str(row[name]) for name in _SELECTABLE}}
        for row in results.to_dict("records")
    ]
    found = []
    for one in wanted:
        rows = results.iloc[_matching(one, facts, results["metric"].tolist())]
        reasons = [_failure(one, row, strict) for row in rows.to_dict("records")]
        passed = [not reason for reason in reasons]
        found.append(rows.assign(requirement=one.text, passed=passed, reason=reasons))
    return pd.concat(found, ignore_index=True)[list(COLUMNS)]


def _matching(
    wanted: Requirement, facts: Sequence[dict[str, str]], metrics: Sequence[str]
) -> list[int]:
    """The places of the rows that the requirement applies to: at least one."""
    mine = [place for place, metric in enumerate(metrics) if metric == wanted.metric]
    if not mine:
        raise InvalidArgument(
            f"{wanted.text}: there is no result of {wanted.metric} here. "
            f"{nearest(wanted.metric, set(metrics))}"
        )
    found = [
        place
        for place in mine
        if all(wanted.part_applies(key, facts[place]) for key in wanted.parts)
    ]
    if not found:
        raise InvalidArgument(_nothing(wanted, [facts[place] for place in mine]))
    return found


def _nothing(wanted: Requirement, there: Sequence[dict[str, str]]) -> str:
    """Why no row of the metric matches: the first key or value that none has."""
    start = f"{wanted.text}: no result of {wanted.metric} has"
    for key, value in wanted.parts.items():
        if any(wanted.part_applies(key, one) for one in there):
            continue
        if not any(key in one for one in there):
            return f"{start} {key!r}. {nearest(key, {name for one in there for name in one})}"
        values = {one.get(key, "") for one in there}
        asked = f"{key}={value}" if value else f"no {key}"
        return f"{start} {asked}. {_listed(value, values)}"
    parts = ", ".join(f"{key}={value}" for key, value in wanted.parts.items())
    return f"{start} {parts} together; leave one of them out."


def _listed(value: str, there: set[str]) -> str:
    """What values there are; the nearest one where they are too many to read."""
    if len(there) > _LISTED:
        return nearest(value, there)
    return f"There: {', '.join(sorted(one or '(none)' for one in there))}."


def _failure(wanted: Requirement, row: Mapping[Hashable, Any], strict: bool) -> str:
    """Why the row fails; empty where it doesn't."""
    value, note = float(row["value"]), str(row.get("note", "") or "")
    said = f": {note}" if note else ""
    if pd.isna(value):
        return f"undefined{said}"
    if not strict:
        shown, limit = _told_apart(value, wanted)
        return "" if wanted.holds(value) else f"{shown} is not {limit}"
    bound = float(row[wanted.bound])
    if pd.isna(bound):
        return f"no interval{said}"
    if wanted.holds(bound):
        return ""
    shown, limit = _told_apart(bound, wanted)
    return f"{value:.6g} with {wanted.bound} {shown}, which is not {limit}"


def _told_apart(value: float, wanted: Requirement) -> tuple[str, str]:
    """A value and the limit, in full where they would look alike when rounded."""
    shown = f"{value:.6g}"
    if float(shown) != float(f"{wanted.number:.6g}"):
        return shown, f"{wanted.sign} {wanted.number:g}"
    return repr(value), f"{wanted.sign} {wanted.number!r}"
