"""Check of results against requirements, for pipelines that must fail if they don't hold."""

import math
import operator
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import pandas as pd

from inspect_confidence.arguments import name_list
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.metrics import METRICS
from inspect_confidence.results import COLUMNS as RESULT_COLUMNS
from inspect_confidence.results import KEY_PARTS, ResultTable
from inspect_confidence.studies import all_tables
from inspect_confidence.studies.notes import reason_in
from inspect_confidence.studies.unread import answering_models

_OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_REQUIREMENT_PATTERN = re.compile(
    r"\s*(?P<metric>\w+)(?:\.(?P<bound>\w+))?\s*(?P<sign><=|>=|<|>)(?P<number>[^;]*)(?P<parts>(?:;.*)?)"
)
"""Metric, end of the interval, sign, number and parts: `coverage.low >= 0.85;level=90`."""
_INTERVAL_ENDS = {"low": "ci_low", "high": "ci_high"}
"""Columns of the ends of the interval, by their names in a requirement."""

ESTIMATOR_PARTS = ("bins", "binning", "top_bin")
"""Parts of the condition that name another estimator of the same quantity."""

_EXACT_COUNTS = frozenset(
    {"n", "status_count", "items_not_common", "own_values", "reference_values"}
)
"""Metrics that count what the run has, without chance: both ends of the interval are the value."""

_EXAMPLE = "write it as 'ece<=0.10' or 'coverage>=0.85;level=90'"


@dataclass(frozen=True)
class Requirement:
    """Limit for the value of every matching row of results.

    Attributes:
        text: The requirement as the user wrote it.
        metric: A name from the metric registry.
        sign: `<=`, `>=`, `<` or `>`.
        number: The limit.
        parts: Required value by key (`level`, `model`), as the user wrote it; an empty value
            requires that the row lacks the key.
        interval_end: Column of the named end of the interval, `ci_low` or `ci_high`; empty if the
            requirement limits the value itself.
    """

    text: str
    metric: str
    sign: str
    number: float
    parts: Mapping[str, str]
    interval_end: str = ""

    @property
    def checked_end(self) -> str:
        """Column of the named end of the interval, else of the end that is nearest to failing."""
        if self.interval_end:
            return self.interval_end
        return "ci_high" if self.sign.startswith("<") else "ci_low"

    def holds(self, value: float) -> bool:
        """Return whether `value sign number` is true, as `0.08 <= 0.1`."""
        return _OPERATORS[self.sign](value, self.number)

    def matches(self, facts: Mapping[str, str]) -> bool:
        """Return whether a row of results has all required values.

        `facts` are the row's task, model, data set and parts of the condition, by name.
        """
        return all(self.part_applies(key, facts) for key in self.parts)

    def part_applies(self, key: str, facts: Mapping[str, str]) -> bool:
        """Return whether a row has the required value of one key, as the same text or number.

        An empty required value means that the row has no value of the key.
        A row's condition omits default values, such as `source=stated`, but a requirement may name
        them, since `compare` prints them. `key` is one of `parts`; `facts` are those of `matches`:
        the row's task, model, data set and parts of the condition.
        """
        required_text, fact = self.parts[key], facts.get(key, "")
        table = all_tables().get(facts["task"])  # None for an unknown task in a file of results
        if required_text and not fact and table:
            fact = table.defaults.get(key, "")
        # The text may be percent-encoded, if it is copied from a condition, or contain a literal
        # percent sign.
        decoded = unquote(required_text)
        number = _parse_finite_number(decoded)
        is_same_number = number is not None and number == _parse_finite_number(fact)
        return fact in (required_text, decoded) or is_same_number


def read_requirement(text: str) -> Requirement:
    """Read a requirement from its text.

    Raises:
        InvalidArgument: The text is not a requirement, or its metric is unknown.

    Example:
        >>> read_requirement("coverage >= 0.85; level=90; split=").parts
        {'level': '90', 'split': ''}
    """
    # The groups are the metric, an end of its interval, the sign, the number, and `;key=value`.
    match = _REQUIREMENT_PATTERN.fullmatch(text)
    if not match:
        raise InvalidArgument(f"{text!r} is not a requirement; {_EXAMPLE}.")
    metric, number = match["metric"], _parse_finite_number(match["number"])
    if number is None:
        limit = match["number"].strip()
        percent = _parse_finite_number(limit.removesuffix("%")) if limit.endswith("%") else None
        remedy = _EXAMPLE if percent is None else f"{limit} is {percent / 100:g}"
        raise InvalidArgument(
            f"{text!r} is not a requirement: {limit!r} is not a number; {remedy}."
        )
    if metric not in METRICS:
        raise InvalidArgument(f"{text}: there is no metric {metric!r}. {nearest(metric, METRICS)}")
    low, high = METRICS[metric].low, METRICS[metric].high
    if not low <= number <= high:
        is_percent = high == 1 and 1 < abs(number) <= 100
        remedy = f"; {number:g}% is {number / 100:g}" if is_percent else ""
        raise InvalidArgument(
            f"{text}: {metric} lies in [{low:g}, {high:g}], so that this is decided without "
            f"data{remedy}."
        )
    bound = match["bound"]
    if bound is not None and bound not in _INTERVAL_ENDS:
        raise InvalidArgument(
            f"{text}: {bound!r} is not an end of the interval; write {metric}.low or {metric}.high."
        )
    return Requirement(
        text=text.strip(),
        metric=metric,
        sign=match["sign"],
        number=number,
        parts=_parse_parts(text, match["parts"]),
        interval_end=_INTERVAL_ENDS.get(bound or "", ""),
    )


def _parse_parts(text: str, pairs: str) -> dict[str, str]:
    """Return the values by key of the `pairs` of a requirement, such as `;level=90;split=`.

    An empty value stands for a part that a condition lacks. `text` is the whole requirement, for
    errors.
    """
    parts: dict[str, str] = {}
    for part in filter(None, map(str.strip, pairs.split(";"))):
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals or not key:
            raise InvalidArgument(f"{text!r}: {part!r} is not of the form key=value; {_EXAMPLE}.")
        if key in parts:
            raise InvalidArgument(f"{text!r} names {key!r} twice; write two requirements instead.")
        parts[key] = value.strip()
    return parts


def _parse_finite_number(text: str) -> float | None:
    """Return the number of a text; None for other text, NaN and infinities."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


_MAX_VALUES_LISTED = 20
"""Number of values that an error lists at most."""

COLUMNS = (
    *("requirement", "task", "model", "dataset", "condition", "metric"),
    *("value", "ci_low", "ci_high", "n", "passed", "reason", "decision"),
)


def check(
    results: pd.DataFrame, requirements: str | Sequence[str], *, strict: bool = False
) -> pd.DataFrame:
    """Check results against requirements such as `ece<=0.10` or `coverage>=0.85;level=90`.

    A requirement is `METRIC[.low|.high] OP NUMBER[;key=value...]` with `<=`, `>=`, `<` or `>`; keys
    are parts of the condition, `task`, `model` and `dataset`, and `key=` means that the part is
    absent. `.low` and `.high` are the ends of the 95% interval. An undefined value fails.

    A requirement applies to every matching row of a model that answered; to means over models only
    if it names them by `model`. Of several estimators of one quantity it applies to the standard
    one (calibration error in ten bins of equal width), unless it names `bins` or `binning`.

    Args:
        results: Results of `summarize`.
        requirements: One or more requirements.
        strict: Check the end of the 95% interval that is nearest to failing (`ci_high` for an
            upper limit, `ci_low` for a lower one), unless a requirement names an end; a row without
            an interval fails. A count without chance, such as `n`, is checked by its value.

    Returns:
        A row for each requirement and matching row of results, with the columns of results except
        `note`, and `requirement`, `passed`, `reason` (empty for a row that passed) and `decision`:
        whether the 95% interval lies within the limit, beyond it, or contains it, or that the value
        is undefined.

    Raises:
        InvalidArgument: A requirement is invalid, no row of results matches it, or the frame lacks
            columns of results.

    Example:
        >>> row = ("life_eval", "m", "ssa-2022", "radius=5", "ece", 0.12, 0.08, 0.15, 200, "")
        >>> names = "task model dataset condition metric value ci_low ci_high n note".split()
        >>> verdicts = check(pd.DataFrame([row], columns=names), ["ece<=0.10;radius=5"])
        >>> verdicts[["passed", "reason"]].to_dict("records")
        [{'passed': False, 'reason': '0.12 is not <= 0.1'}]
    """
    parsed = list(map(read_requirement, name_list(requirements)))
    if not parsed:
        raise InvalidArgument("There is no requirement; write one such as 'ece<=0.10'.")
    for name in RESULT_COLUMNS:
        if name not in results and name != "asked":  # which files of older results lack
            raise InvalidArgument(
                f"The frame has no column {name!r}; give results, as summarize returns them."
            )
    table = ResultTable.from_frame(results)
    frames = []
    for requirement in parsed:
        rows = results.iloc[_matching_positions(requirement, table)]
        passed, reasons, decisions = [], [], []
        for row in rows.to_dict("records"):
            reason = _failure_reason(requirement, row, strict)
            passed.append(not reason)
            reasons.append(reason)
            decisions.append(_interval_decision(requirement, row))
        rows = rows.assign(requirement=requirement.text, passed=passed)
        frames.append(rows.assign(reason=reasons, decision=decisions))
    return pd.concat(frames, ignore_index=True)[list(COLUMNS)]


def _matching_positions(requirement: Requirement, results: ResultTable) -> list[int]:
    """Return the positions of rows with the requirement's metric and `parts`; refuse if none has.

    Parts are values by key, as `level=90`. Means over models match only if `model` is among the
    keys. Rows that estimate the metric in another than the standard way, such as with `bins=15`,
    match only if the keys name the way, or if no other row matches.
    """
    is_named = "model" in requirement.parts
    models = results.values("model") if is_named else answering_models(results)
    # By position, the task, model, data set and parts of the condition of a row of the metric.
    facts: dict[int, Mapping[str, str]] = {}
    for position, row in enumerate(results):
        if row["metric"] == requirement.metric and row["model"] in models:
            key = {name: row.record[name] for name in KEY_PARTS}
            facts[position] = {**row.condition, **key}
    if not facts:
        raise InvalidArgument(
            f"{requirement.text}: there is no result of {requirement.metric}. "
            f"{nearest('', set(results.values('metric')))}"  # lists them
        )
    matches = [position for position in facts if requirement.matches(facts[position])]
    if not matches:
        raise InvalidArgument(_no_match_error(requirement, list(facts.values())))
    unnamed_parts = set(ESTIMATOR_PARTS) - requirement.parts.keys()
    standard = [position for position in matches if unnamed_parts.isdisjoint(facts[position])]
    return standard or matches


def _interval_decision(requirement: Requirement, row: Mapping[Hashable, Any]) -> str:
    """Return whether a row's 95% interval is within the limit, beyond it, or contains it.

    A row without a value is undefined: more judgments would not decide it. Without an interval it
    is undecided.
    """
    if pd.isna(row["value"]):
        return "undefined"
    low, high = _interval_end(row, "ci_low"), _interval_end(row, "ci_high")
    if pd.isna(low) or pd.isna(high):
        return "undecided: no interval"
    low_holds, high_holds = requirement.holds(low), requirement.holds(high)
    if low_holds and high_holds:
        return "within the limit"
    if low_holds or high_holds:
        return "undecided"
    return "beyond the limit"


def _interval_end(row: Mapping[Hashable, Any], column: str) -> float:
    """Return an end of a row's 95% interval, NaN without one; the value of an exact count."""
    return float(row["value" if row["metric"] in _EXACT_COUNTS else column])


def _no_match_error(requirement: Requirement, candidates: Sequence[Mapping[str, str]]) -> str:
    """Describe why no row of the metric has the requirement's `parts`, by a part that fits none.

    `candidates` are the rows, each its task, model, data set and parts of the condition by name.
    """
    start = f"{requirement.text}: no result of {requirement.metric} has"
    for key, value in requirement.parts.items():
        if any(requirement.part_applies(key, row) for row in candidates):
            continue
        keys = set[str]().union(*candidates)
        if key not in keys:
            return f"{start} {key!r}. {nearest(key, keys)}"
        values = {row.get(key, "") for row in candidates}
        condition = f"{key}={value}" if value else f"no {key}"
        listed_values = ", ".join(sorted(name or "(none)" for name in values))
        is_short = len(values) <= _MAX_VALUES_LISTED
        existing = f"Existing values: {listed_values}." if is_short else nearest(value, values)
        return f"{start} {condition}. {existing}"
    parts = ", ".join(map("=".join, requirement.parts.items()))
    return f"{start} {parts} together; leave one of them out."


def _failure_reason(requirement: Requirement, row: Mapping[Hashable, Any], strict: bool) -> str:
    """Return why a row of results fails a requirement, a limit of its metric; empty if it holds.

    If the requirement names an end of the interval, this end is checked; else with `strict` the
    end nearest to failing, and otherwise the value.
    """
    value = float(row["value"])
    note = str(row.get("note", "") or "")  # a file of results may lack it
    if pd.isna(value):
        return _with_reason("undefined", note)
    if not strict and not requirement.interval_end:
        number, limit = _format_distinguishably(value, requirement)
        return "" if requirement.holds(value) else f"{number} is not {limit}"
    end = _interval_end(row, requirement.checked_end)
    if pd.isna(end):
        return _with_reason("no interval", note)
    if requirement.holds(end):
        return ""
    number, limit = _format_distinguishably(end, requirement)
    end_name = {"ci_low": "lower end", "ci_high": "upper end"}[requirement.checked_end]
    return f"the {end_name} {number} is not {limit}"


def _with_reason(kind: str, note: str) -> str:
    """Return what is missing with its reason: the note's part on it, else the whole note.

    `kind` is "undefined" or "no interval"; a note has parts such as "undefined: no errors". An
    empty note gives the kind alone.
    """
    part = reason_in(note, kind)
    reason = note if part is None else part
    return f"{kind}: {reason}" if reason else kind


def _format_distinguishably(value: float, requirement: Requirement) -> tuple[str, str]:
    """Return a value and the limit as texts, such as `0.12` and `<= 0.1`.

    They are in full precision if rounding to six digits makes them equal: a value that fails never
    looks like one that does not.
    """
    number = f"{value:.6g}"
    if float(number) != float(f"{requirement.number:.6g}"):
        return number, f"{requirement.sign} {requirement.number:g}"
    return repr(value), f"{requirement.sign} {requirement.number!r}"
