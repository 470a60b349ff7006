"""The registry of metrics, how a function gets into it, and what importing metrics costs."""

import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import chain

import numpy as np
import pytest
from numpy.typing import ArrayLike

from inspect_confidence import metrics
from inspect_confidence.metrics import (
    BOOTSTRAP,
    METRICS,
    TABLE_FUNCTIONS,
    About,
    Metric,
    metric,
    numbers,
)
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.tables import ConfidenceTables, confidence_table

INF = float("inf")
KEYWORD = inspect.Parameter.KEYWORD_ONLY


@pytest.fixture(autouse=True)
def restored(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is gone after it."""
    assert isinstance(METRICS, dict)
    assert isinstance(TABLE_FUNCTIONS, dict)
    for name in ("surprise", "surprises", "longest", "gap"):
        monkeypatch.setitem(METRICS, name, METRICS["n"])
        monkeypatch.delitem(METRICS, name)
    monkeypatch.setitem(TABLE_FUNCTIONS, "gap", len)
    monkeypatch.delitem(TABLE_FUNCTIONS, "gap")


def test_a_metric_is_a_function_with_a_decorator() -> None:
    """A metric of another package is in the registry, with what its docstring says."""

    @metric(undefined="no judgment", direction="lower", unit="bits", interval=BOOTSTRAP)
    def surprise(confidence: ArrayLike) -> float:
        """Mean surprise at the right answer.

        The mean of -log2(confidence).

        Source: Shannon (1948), in
        two lines.
        """
        return float(-np.log2(np.asarray(confidence, float)).mean())

    assert surprise([0.5, 0.25]) == 1.5
    assert METRICS["surprise"] == Metric(
        name="surprise",
        definition="Mean surprise at the right answer.",
        undefined="no judgment",
        low=0,
        high=INF,
        unit="bits",
        direction="lower",
        source="Shannon (1948), in two lines",
        interval=BOOTSTRAP,
    )
    assert [*METRICS][-1] == "surprise"
    docstring = inspect.getdoc(surprise)
    assert docstring is not None
    assert docstring.split("\n\n")[1:] == [
        "The mean of -log2(confidence).",
        "Source: Shannon (1948), in\ntwo lines.",
        "Returns:\n    bits in [0, inf]. NaN: no judgment.",
    ]


def test_numbers_without_a_function() -> None:
    """Several numbers are said at once; a share is one from 0 to 1 with a bootstrap interval."""
    numbers(About(undefined="never"), surprises="How many.", longest="The longest one.")
    assert METRICS["longest"] == Metric("longest", "The longest one.", "never", 0, 1)
    assert METRICS["longest"].interval == BOOTSTRAP
    ranges = {
        "probability": (0, 1),
        "squared share": (0, 1),
        "correlation": (-1, 1),
        "d'": (-INF, INF),
        "count": (0, INF),
    }
    for unit, expected in ranges.items():
        del METRICS["longest"]  # type: ignore[attr-defined]
        numbers(About(undefined="never", unit=unit), longest="The longest one.")
        assert (METRICS["longest"].low, METRICS["longest"].high) == expected, unit


def test_a_name_has_one_meaning() -> None:
    """The same said again is no error, another metric of the name is one that names it."""
    for _ in range(2):
        numbers(About(undefined="never"), surprises="How many.")
    with pytest.raises(ValueError, match="another metric 'surprises': How many"):
        numbers(About(undefined="never"), surprises="How many there are.")
    with pytest.raises(ValueError, match="another metric 'ece'"):
        metric("ece", "Mine.", undefined="never")(len)


def test_a_metric_is_paired_with_its_function_of_tables() -> None:
    """The docstring gets a range and a source; functions stay what they are."""

    def gap_of_tables(tables: ConfidenceTables, *, power: int = 1) -> FloatArray:
        distance = np.abs(tables.mass @ tables.values - tables.right.sum(axis=1))
        return np.asarray((distance / tables.total) ** power)

    @metric(undefined="no judgment", source="none", of_tables=gap_of_tables)
    def gap(confidence: ArrayLike, correct: ArrayLike, *, power: int = 1) -> float:
        """Distance of mean confidence from accuracy."""
        return float(gap_of_tables(confidence_table(confidence, correct), power=power)[0])

    judgments = [0.5, 1.0], [1, 0]
    assert gap(*judgments, power=2) == 0.0625
    assert TABLE_FUNCTIONS["gap"] is gap_of_tables
    assert inspect.getdoc(gap) == (
        "Distance of mean confidence from accuracy.\n\n"
        "Returns:\n    share in [0, 1]. NaN: no judgment.\n\nSource: none."
    )


def options_of(function: Callable[..., object]) -> list[inspect.Parameter]:
    """The arguments that a function takes by keyword alone."""
    parameters = inspect.signature(function).parameters.values()
    return [parameter for parameter in parameters if parameter.kind is KEYWORD]


@pytest.mark.parametrize("name", TABLE_FUNCTIONS)
def test_a_metric_and_its_function_of_tables_have_the_same_options(name: str) -> None:
    """Options are the arguments by keyword alone, with their defaults."""
    function = getattr(metrics, {"entropy_bits": "report_entropy"}.get(name, name))
    assert options_of(function) == options_of(TABLE_FUNCTIONS[name])


def test_entries_are_complete_and_possible() -> None:
    """Each has a sentence, a range, one of four directions, and a target within the range."""
    for name, entry in METRICS.items():
        assert entry.name == name
        assert entry.low < entry.high, name
        assert re.fullmatch(r"[A-Z][^\n]*\.", entry.definition), name
        assert all([entry.unit, entry.undefined, entry.source]), name
        pattern = r"higher|lower|none|target=(level|alpha/2|-?\d+(\.\d+)?)"
        assert re.fullmatch(pattern, entry.direction), name
        target = re.fullmatch(r"target=(-?[\d.]+)", entry.direction)
        assert target is None or entry.low <= float(target[1]) <= entry.high, name


def test_everything_exported_is_documented() -> None:
    """Each module's list names what is there, once over all, with a docstring if a function."""
    modules = list(filter(inspect.ismodule, vars(metrics).values()))
    exported = list(chain.from_iterable(getattr(module, "__all__", ()) for module in modules))
    assert len(exported) == len(set(exported)) > 100
    for name in exported:
        member = getattr(metrics, name)
        assert not inspect.isfunction(member) or member.__doc__, name


def test_metrics_need_neither_inspect_nor_pandas() -> None:
    """A fresh interpreter that computes a metric has loaded numpy but not the heavy packages."""
    code = (
        "import sys, inspect_confidence.metrics as m; m.coverage([0], [1], [0]);"
        "print(*sorted({'numpy', 'pandas', 'inspect_ai', 'statsmodels'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["numpy"]
