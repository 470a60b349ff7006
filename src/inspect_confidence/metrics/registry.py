"""What every number of the results is, said where it is computed: `metric` and `numbers`.

A metric is a function with the decorator `metric`, here or in another package; what a study
computes without such a function is said by `numbers`. Both are in `METRICS` from then on, in the
order in which docs and reports list them.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Literal, Protocol, Required, TypedDict, TypeVar, Unpack, cast

__all__ = [
    "BASIC",
    "BIAS_CORRECTED",
    "METRICS",
    "NO_ESTIMATE",
    "PERCENTILE",
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
GROUPED = f"{UNREAD}; in studies also where most judgments have a confidence of their own"
"""Of metrics of judgments in groups of equal confidence."""

Method = Literal[
    "percentile",
    "bias_corrected",
    "basic",
    "debiased",
    "skewness_corrected",
    "wilson",
    "own",
    "none",
]


@dataclass(frozen=True)
class Interval:
    """How a metric's 95% interval is made, and from where on it holds.

    Attributes:
        method: A name in `inference.METHODS`.
        why: Why there is none, or what its own method is.
        least: How many units a number must rest on; with fewer it has no interval.
        units: What these are.
        rarest: How many judgments the rarest `of` must have.
        of: The outcome, or the cell of the type-2 table.
    """

    method: Method = "bias_corrected"
    why: str = ""
    least: int = 0
    units: str = "items"
    rarest: int = 0
    of: str = "outcome"

    def over(self, clusters: "Clusters | None") -> "Interval":
        """The same where clusters of items are resampled, of which what is biased has too few."""
        if clusters is None or self.method == "none":
            return self
        if self.method in ("basic", "debiased"):
            return no_interval(f"{clusters.units} are resampled, which leaves its bias")
        made = replace(self, least=clusters.least, units=clusters.units, rarest=0)
        if self.method == "wilson":  # resampled then, as any mean
            return replace(made, rarest=MEAN.rarest, of=f"outcome ({clusters.units})")
        return made

    def of_difference(self) -> "Interval":
        """The rule of a difference of two such numbers, which resamples alone tell of."""
        if self.method not in ("own", "wilson"):
            return self
        return replace(self, method="skewness_corrected", why="", least=max(self.least, 15))


@dataclass(frozen=True)
class Clusters:
    """What is resampled where items depend on each other.

    Attributes:
        units: What they are, in the plural.
        least: How many a number with an interval rests on.
    """

    units: str
    least: int


PERCENTILE = Interval("percentile", least=30)
BIAS_CORRECTED = Interval(least=20)
BASIC = Interval("basic", least=300)
SKEWNESS_CORRECTED = Interval("skewness_corrected", least=30)
DEBIASED = Interval("debiased", least=300, rarest=10)
WILSON = Interval("wilson")
MEAN = Interval("percentile", least=20, rarest=8, of="outcome (items unlike the commonest)")
"""Of means of what can pile up at one value, as at the end of its range."""
NO_ESTIMATE = Interval("none")
"""Of counts, tests and the like, which estimate nothing."""


def no_interval(why: str) -> Interval:
    """Of a metric that no method gives an interval that covers."""
    return Interval("none", why)


@dataclass(frozen=True)
class Metric:
    """One number of the results table.

    Attributes:
        name: As in the `metric` column.
        definition: One sentence.
        undefined: When the value is NaN.
        low: Least possible value.
        high: Greatest possible value.
        unit: Of the value.
        direction: `higher`, `lower`, `target=x` (nearer to x is better) or `none`.
        source: Where the definition comes from.
        interval: How its 95% interval is made, and from where on it holds.
        toolbox: Whether it is of the toolbox, and no study's number.
    """

    name: str
    definition: str
    undefined: str
    low: float
    high: float
    unit: str = "share"
    direction: str = "none"
    source: str = "-"
    interval: Interval = BIAS_CORRECTED
    toolbox: bool = False


_metrics: dict[str, Metric] = {}

METRICS: Mapping[str, Metric] = _metrics
"""Every metric by its name."""


class About(TypedDict, total=False):
    """What is said of a metric at its function; see `Metric`.

    A share without a direction unless said otherwise. Shares, probabilities and their squares are
    in [0, 1], correlations in [-1, 1], d' anywhere, all else is at least 0.
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
    """Register numbers of the results that are no functions of their own.

    Args:
        about: What they have in common.
        definitions: One sentence each, by their names in the `metric` column.

    Raises:
        ValueError: Another metric has such a name.
    """
    low, high = _RANGES.get(about.get("unit", "share"), (0.0, INFINITY))
    about_all: About = {"low": low, "high": high, **about}
    for name, definition in definitions.items():
        made = Metric(name, definition, **about_all)
        if _metrics.setdefault(name, made) != made:
            raise ValueError(f"There is another metric {name!r}: {_metrics[name].definition}")


def metric(
    name: str = "", definition: str = "", **about: Unpack[About]
) -> Callable[[Function], Function]:
    """Register a function as a number of the results; the function stays what it is.

    Its docstring gets what it lacks of Returns (unit, range, what makes it NaN) and Source.

    Args:
        name: As in the `metric` column; that of the function if empty.
        definition: One sentence, where the number of the results is told of in other words than
            the function: by default the first line of its docstring.
        about: What else is said of it. The source is by default the docstring's paragraph
            `Source: ...`.

    Raises:
        ValueError: Another metric has that name.
    """

    def registered(function: Function) -> Function:
        text = inspect.getdoc(function) or ""
        source = re.search(r"^Source: (.+?)\.?$(?=\n\n|\Z)", text, re.MULTILINE | re.DOTALL)
        if source:
            about.setdefault("source", " ".join(source[1].split()))
        key = name or function.__name__
        numbers(about, **{key: definition or text.partition("\n")[0]})
        if text and inspect.isfunction(function):
            function.__doc__ = _completed(text, _metrics[key])
        return function

    return registered


def _completed(text: str, made: Metric) -> str:
    """A docstring with what the registry says and it doesn't."""
    if "\nReturns:" not in text:
        returned = f"{made.unit} in [{made.low:g}, {made.high:g}]. NaN: {made.undefined}."
        text = _inserted(text, "Returns", f"\n    {returned}")
    if "\n\nSource:" not in text and made.source != "-":
        text = _inserted(text, "Source", f" {made.source}.")
    return text


Core = TypeVar("Core", bound=Callable[..., Any])


class OfArrays(Protocol[Core]):
    """A metric of arrays, and `of` tables: a value for each of them."""

    of: Core

    def __call__(self, *arrays: Any, **named: Any) -> float:
        """The metric of the arrays."""


def with_arrays(make: Callable[..., Any]) -> Callable[[Core], OfArrays[Core]]:
    """Let a metric of tables take the arrays that these are made of; it becomes its `of`.

    Its arguments are those of `make` and the metric's options, in its docstring too.

    Args:
        make: Arrays -> a table of one row, or as many tables as the metric takes.
    """
    arrays = list(inspect.signature(make).parameters.values())

    def of_arrays(core: Core) -> OfArrays[Core]:
        taken = inspect.signature(core).parameters.values()
        options = [one for one in taken if one.kind is one.KEYWORD_ONLY]
        signature = inspect.Signature([*arrays, *options], return_annotation=float)

        @wraps(core)
        def front(*args: Any, **named: Any) -> float:
            given = signature.bind(*args, **named).arguments
            tables = make(*(given.pop(one.name) for one in arrays))
            return float(core(*(tables if isinstance(tables, tuple) else [tables]), **given)[0])

        core.__qualname__ += ".of"
        front.__doc__ = _described(core, make)
        vars(front).update(of=core, __signature__=signature)
        return cast(OfArrays[Core], front)

    return of_arrays


def _described(core: Callable[..., Any], make: Callable[..., Any]) -> str:
    """The core's docstring with `make`'s arguments in place of the tables, and its errors."""
    text, made = inspect.getdoc(core) or "", inspect.getdoc(make) or ""
    options = inspect.getfullargspec(core).kwonlyargs
    own = [one for one in _listed(text, "Args") if one.partition(":")[0].strip() in options]
    errors = _listed(text, "Raises")
    text = re.sub(r"\n\n(Args|Raises):(\n .*)+", "", text)
    for title, entries in (
        ("Args", [*_listed(made, "Args"), *own]),
        ("Raises", [*_listed(made, "Raises"), *errors]),
    ):
        text = _inserted(text, title, "\n".join(["", *entries])) if entries else text
    return text


def _listed(text: str, title: str) -> list[str]:
    """What a section of a docstring lists."""
    section = re.search(rf"^{title}:\n((?: .*\n?)+)", text, re.MULTILINE)
    return re.split(r"\n(?= {4}\w)", section[1].rstrip()) if section else []


_SECTIONS = ("Args", "Returns", "Raises", "Source", "Example")


def _inserted(text: str, title: str, said: str) -> str:
    """A docstring with a section more, before those that come later."""
    later = "|".join(_SECTIONS[_SECTIONS.index(title) + 1 :])
    place = re.search(rf"\n\n(?:{later}):", text)
    at = place.start() if place else len(text)
    return f"{text[:at]}\n\n{title}:{said}{text[at:]}"
