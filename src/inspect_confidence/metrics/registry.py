"""Registry of every number of the results, each declared where it is computed.

The decorator `metric` declares a function of arrays, here or in another package, and the function
that gives the same number of many count tables at once. `numbers` declares what a study computes
without such a function. Both are in `METRICS` from then on, in the order in which docs and reports
list them.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, Required, TypedDict, TypeVar, Unpack

from inspect_confidence.metrics.arrays import FloatArray

__all__ = [
    "BOOTSTRAP",
    "FEW_WRONG",
    "METRICS",
    "NO_ESTIMATE",
    "TABLE_FUNCTIONS",
    "WILSON",
    "About",
    "Clusters",
    "Interval",
    "Metric",
    "metric",
    "no_interval",
    "numbers",
]

INFINITY = float("inf")
UNREAD = "no readable judgment"
GROUPED = (
    f"{UNREAD}; in commands also if most judgments have a confidence that no other judgment has"
)
"""When metrics of judgments grouped by equal confidence are undefined."""

Method = Literal["bootstrap", "debiased", "score", "wilson", "own", "none"]


@dataclass(frozen=True)
class Interval:
    """Rule of a metric's 95% interval: the method, and the number of units that it needs.

    Attributes:
        method: A name in `inference.METHODS`.
        reason: With `none` why there is no interval, with `own` a description of the method.
        min_units: Least number of units with which a value has an interval.
        units: Plural noun for the units, such as "items".
        conservative: Cases in which the interval holds the true value in more than 95% of samples.
        is_wide: Whether these cases are frequent at any number of units, so that screens say it.
        conservative_difference: Such cases of the interval of a difference; empty if the same.
        ceiling: Greatest possible value, for the method `score`.
        biased: Whether the value lies above the true one on average, as an absolute difference
            does. In means and differences the distances of the limits are then added up, which is
            conservative.
        compares_outcomes: Whether the rarer of right and wrong answers decides how well the
            variance of the value is known, so that tails depend on `count_balanced_units`.
    """

    method: Method = "bootstrap"
    reason: str = ""
    min_units: int = 0
    units: str = "items"
    conservative: str = ""
    is_wide: bool = False
    conservative_difference: str = ""
    ceiling: float = 1.0
    biased: bool = False
    compares_outcomes: bool = False

    def over(self, clusters: "Clusters | None") -> "Interval":
        """Return this rule of a metric's interval, changed for resampling clusters of items.

        It stays the same without clusters, or if it gives no interval. Clusters that the user
        declares take the place of items. With clusters that the study defines, the least number of
        units is that of the clusters, `wilson` becomes `bootstrap`, and `debiased` gives no
        interval, as the bias cannot be estimated. If such clusters are like their neighbours
        (`are_ordered`), biased metrics and those with a method of their own, `own`, have none.
        """
        if clusters is None or self.method == "none":
            return self
        if clusters.are_declared:
            min_units = max(self.min_units, clusters.min_units)
            return replace(self, min_units=min_units, units=clusters.units)
        is_excluded = clusters.are_ordered and (self.method == "own" or self.biased)
        if self.method == "debiased" or is_excluded:
            return no_interval(
                f"{clusters.units} depend on each other, so that its bias cannot be estimated"
            )
        method = "bootstrap" if self.method == "wilson" else self.method
        return replace(self, method=method, min_units=clusters.min_units, units=clusters.units)

    def of_difference(self) -> "Interval":
        """Return the rule for the interval of a difference of two values with this rule.

        The methods `score`, `own` and `wilson` are for single values and become `bootstrap`, which
        needs at least 15 units in place of `own` and `wilson`. But `own` and `wilson` stay if the
        value is biased: the limits of both values are then combined, as resamples of the difference
        have its bias, too. The other methods stay. If differences have a remark of their own on
        where the interval is too wide (`conservative_difference`), it replaces that of the value.
        """
        rule = replace(self, conservative=self.conservative_difference or self.conservative)
        if self.method == "score":
            return replace(rule, method="bootstrap")
        if self.method not in ("own", "wilson") or self.biased:
            return rule
        # With `own` the reason describes that method.
        return replace(rule, method="bootstrap", reason="", min_units=max(self.min_units, 15))


@dataclass(frozen=True)
class Clusters:
    """Clusters of items that depend on each other, which are resampled instead of items.

    Attributes:
        units: Plural noun for the clusters, such as "documents".
        min_units: Least number of clusters of a value that has an interval.
        note: Note on every number, such as how many clusters are resampled.
        are_declared: Whether the user's data, or the data set, name the clusters.
        are_ordered: Whether the clusters lie along a line, in the order of their index, and are
            like their neighbours; intervals then come from `smooth_draws`.
        trend: A value of each cluster that the design fixes, for `smooth_draws`; None if none.
    """

    units: str
    min_units: int
    note: str = ""
    are_declared: bool = False
    are_ordered: bool = False
    trend: tuple[float, ...] | None = None


BOOTSTRAP = Interval(min_units=20)
DEBIASED = Interval("debiased", min_units=300)
FEW_WRONG = replace(
    BOOTSTRAP,
    conservative="at few wrong or few right answers, beside which half a pseudo-answer weighs much",
    conservative_difference="at few wrong or few right answers of either contender, beside which "
    "the pseudo-answers of both weigh much",
)
"""Rule of what compares the confidence of right answers with that of wrong ones."""
RANKED_OUTCOMES = replace(FEW_WRONG, compares_outcomes=True)
"""Rule of what ranks right answers against wrong ones by their confidence."""
FEW_LOSSES = replace(FEW_WRONG, method="score")
"""Rule of a mean loss over coverages, in which few wrong, or few right, answers weigh much."""
WILSON = Interval("wilson")
NO_ESTIMATE = Interval("none")
"""Rule of counts, tests and the like, which estimate nothing."""


def no_interval(reason: str) -> Interval:
    """Return the rule of a metric for which no method gives a valid interval, with the reason."""
    return Interval("none", reason)


@dataclass(frozen=True)
class Metric:
    """One number of the results table.

    Attributes:
        name: Its name in the `metric` column.
        definition: One sentence.
        undefined: When the value is NaN.
        low: Least possible value.
        high: Greatest possible value.
        unit: Unit of the value.
        direction: `higher`, `lower`, `target=x` (nearer to x is better) or `none`.
        source: Where the definition comes from.
        interval: Rule of its 95% interval.
        toolbox: Whether it belongs to the toolbox, and no study prints it.
    """

    name: str
    definition: str
    undefined: str
    low: float
    high: float
    unit: str = "share"
    direction: str = "none"
    source: str = "-"
    interval: Interval = BOOTSTRAP
    toolbox: bool = False


_metrics: dict[str, Metric] = {}

METRICS: Mapping[str, Metric] = _metrics
"""Every metric by its name."""

TableFunction = Callable[..., FloatArray]
"""Count tables of many resamples, and a metric's options -> a value for each resample."""

_table_functions: dict[str, TableFunction] = {}

TABLE_FUNCTIONS: Mapping[str, TableFunction] = _table_functions
"""The functions of count tables, by metric."""


class About(TypedDict, total=False):
    """Declaration of a metric; see `Metric`.

    By default it is a share without a direction. The unit gives the default range: shares,
    probabilities and their squares are in [0, 1], correlations in [-1, 1], d' anywhere, all else is
    at least 0.
    """

    undefined: Required[str]
    unit: str
    direction: str
    low: float
    high: float
    source: str
    interval: Interval
    toolbox: bool


_RANGES = {
    **dict.fromkeys(("share", "squared share", "probability"), (0.0, 1.0)),
    "correlation": (-1.0, 1.0),
    "d'": (-INFINITY, INFINITY),
}

Function = TypeVar("Function", bound=Callable[..., object])


def numbers(about: About, **definitions: str) -> None:
    """Register numbers of the results that have no function of their own.

    Args:
        about: Their common declaration: unit, range, interval and the like. The unit is `share` by
            default; the range is that of the unit, or from 0 to infinity if the unit has none.
        definitions: One sentence each, by their names in the `metric` column.

    Raises:
        ValueError: A name is registered already, with another declaration.
    """
    low, high = _RANGES.get(about.get("unit", "share"), (0.0, INFINITY))
    declaration: About = {"low": low, "high": high, **about}
    for name, definition in definitions.items():
        new = Metric(name, definition, **declaration)
        if _metrics.setdefault(name, new) != new:
            raise ValueError(f"There is another metric {name!r}: {_metrics[name].definition}")


def metric(
    name: str = "",
    definition: str = "",
    *,
    of_tables: TableFunction | None = None,
    **about: Unpack[About],
) -> Callable[[Function], Function]:
    """Register a function as a number of the results: a decorator, `@metric(...)` above it.

    The function is returned as it is, but its docstring gets the sections Returns (unit, range,
    when it is NaN) and Source if they are missing there.

    Args:
        name: Its name in the `metric` column; the function's name if empty.
        definition: One sentence for the table of metrics; the docstring's first line if empty.
        of_tables: The function that computes the metric of count tables, by the same options.
        about: The rest of the declaration. The source is by default the docstring's paragraph
            `Source: ...`.

    Raises:
        ValueError: The name is registered already, with another declaration.
    """
    return partial(
        _register_function, name=name, definition=definition, of_tables=of_tables, about=about
    )


def _register_function(
    function: Function, name: str, definition: str, of_tables: TableFunction | None, about: About
) -> Function:
    """Register a function as a metric, complete its docstring, and return the function.

    The name is by default the function's, and the definition the docstring's first line. The
    paragraph "Source: ..." up to a blank line, such as "Source: Brier (1950).", is the source if
    `about` has none. `about` has the fields of `Metric` that are declared, such as unit, low and
    interval; `of_tables` computes the metric of many count tables at once.
    """
    name = name or function.__name__
    text = inspect.getdoc(function) or ""
    source = re.search(r"^Source: (.+?)\.?$(?=\n\n|\Z)", text, re.MULTILINE | re.DOTALL)
    if source:
        about.setdefault("source", " ".join(source[1].split()))
    # This adds the metric to `_metrics`.
    numbers(about, **{name: definition or text.partition("\n")[0]})
    if of_tables is not None:
        _table_functions[name] = of_tables
    if text:
        function.__doc__ = _completed_docstring(text, _metrics[name])
    return function


def _completed_docstring(text: str, declared: Metric) -> str:
    """Return a docstring with the sections Returns and Source, from the declaration if missing."""
    if "\nReturns:" not in text:
        value = f"{declared.unit} in [{declared.low:g}, {declared.high:g}]"
        text = f"{text}\n\nReturns:\n    {value}. NaN: {declared.undefined}."
    if "\n\nSource:" not in text and declared.source != "-":
        text = f"{text}\n\nSource: {declared.source}."
    return text
