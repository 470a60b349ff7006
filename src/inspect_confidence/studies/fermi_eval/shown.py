"""What the report shows of FermiEval."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from inspect_confidence.results import Result
from inspect_confidence.studies.study import FigureSpec, Headline, Resampling, View
from inspect_confidence.studies.tables import Cell, cell

Found = Mapping[tuple[str, str, str], Mapping[Any, Any]]
"""Rows of results by method, level and metric."""

_INTERVAL_COLUMNS = (
    ("coverage", "coverage", 2),
    ("interval_score", "interval score", 1),
    ("mean_width", "width", 1),
    ("format_failure_rate", "unreadable", 2),
)
_DETAILS = ("base", "scaling", "decoding")
_OVER_LEVELS = (
    ("coverage_plateau", "coverage plateau", 2),
    ("unseen_mass", "unseen mass", 3),
    ("temperature_score", "score-optimal temperature", 2),
    ("temperature_nll", "maximum-likelihood temperature", 2),
    ("decoding_temperature", "decoding temperature", 2),
    ("tunnel_index", "Tunnel Index (bits)", 3),
)


def interval_tables(results: pd.DataFrame) -> list[View]:
    """Levels in rows, methods in columns, by model; then the reductions over models.

    One table a model, or one a metric where there are more than two methods.

    Args:
        results: With the parts of their condition as columns, empty where a part is missing.
    """
    shown = [
        view
        for (model, dataset, variant), rows in results.groupby(
            ["model", "dataset", "variant"], sort=False
        )
        for view in _tables(_title(str(model), str(dataset), str(variant)), rows)
    ]
    return [*shown, *_reductions(results)]


def _title(model: str, dataset: str, variant: str) -> str:
    return model + (f" on {dataset}" if dataset else "") + (f" ({variant})" if variant else "")


def _tables(title: str, results: pd.DataFrame) -> Iterator[View]:
    split = "test" if (results["split"] == "test").any() else ""
    title += ", test split" if split else ""
    found = _found(results[results["split"].isin({split, ""})], split)
    methods = list(dict.fromkeys(method for method, _, _ in found))
    asked = f"{_asked(found):,} judgments; " if _asked(found) else ""
    caption = ".\n".join([f"{asked}95% intervals in brackets", *_captions(found)]) + "."
    if len(methods) <= 2:
        parts = [
            _columns(found, methods, column, f"{{}} {column[1]}") for column in _INTERVAL_COLUMNS
        ]
        yield View(title, pd.concat([_levels(found), *parts], axis=1), caption)
        return
    for column in _INTERVAL_COLUMNS:
        table = pd.concat([_levels(found), _columns(found, methods, column, "{}")], axis=1)
        last = column is _INTERVAL_COLUMNS[-1]
        yield View(f"{title}: {column[1]}", table, caption if last else "")


def _levels(found: Found) -> pd.DataFrame:
    levels = sorted({level for _, level, _ in found if level}, key=float)
    return pd.DataFrame({"level": [f"{level}%" for level in levels]})


def _columns(
    found: Found, methods: list[str], column: tuple[str, str, int], name: str
) -> pd.DataFrame:
    """A metric, a column a method; methods that don't have it are left out."""
    metric, _, digits = column
    levels = sorted({level for _, level, _ in found if level}, key=float)
    cells = {
        name.format(method): [_number(found, method, level, metric, digits) for level in levels]
        for method in methods
    }
    shown = {key: numbers for key, numbers in cells.items() if set(numbers) != {"-"}}
    return pd.DataFrame(shown, dtype=object)


def _found(results: pd.DataFrame, split: str) -> Found:
    """Rows by method, level and metric: of the split, or of all judgments where it has none."""
    found: dict[tuple[str, str, str], Mapping[Any, Any]] = {}
    for row in results.to_dict("records"):
        if row["traces"]:
            continue
        method = _method(row["method"], [row[name] for name in _DETAILS])
        key = (method, row["level"], row["metric"])
        if row["split"] == split or (not row["level"] and key not in found):
            found[key] = row
    return found


def _method(method: str, details: Iterable[str]) -> str:
    """A method with what it was based on or adjusted by: `logprob(score)`."""
    there = ",".join(detail for detail in details if detail)
    return f"{method}({there})" if there else method


def _captions(found: Found) -> Iterator[str]:
    for metric, label, digits in _OVER_LEVELS:
        for (method, level, name), row in found.items():
            if name == metric:
                where = f"{method}, {level}%" if level else method
                rule = f", {row['note']}" if metric == "decoding_temperature" else ""
                number = _number(found, method, level, metric, digits)
                yield f"{label} ({where}): {number}{rule}"
    for (_, level, metric), row in found.items():
        if metric == "conformal_offset" and math.isinf(row["value"]):
            yield f"{level}%: {row['note']}"


def _number(found: Found, method: str, level: str, metric: str, digits: int) -> Cell:
    return cell(found.get((method, level, metric)), digits)


def _asked(found: Found) -> int:
    return sum(int(row["value"]) for key, row in found.items() if key[2] == "n")


def _reductions(results: pd.DataFrame) -> Iterator[View]:
    """How much each method lowers the interval score of stated intervals, mean over models."""
    test = results[(results["split"] == "test") & (results["level"] != "")]
    scores = test[test["metric"] == "interval_score"]
    base = scores[scores["method"] == "direct"].set_index(["model", "dataset", "variant", "level"])
    others = scores[scores["method"] != "direct"]
    if base.empty or others.empty:
        return
    keys = pd.MultiIndex.from_frame(others[["model", "dataset", "variant", "level"]])
    direct = base["value"].reindex(keys).to_numpy()
    names = [
        _method(row["method"], [row[name] for name in _DETAILS])
        for row in others.to_dict("records")
    ]
    reduction = pd.DataFrame(
        {
            "level": others["level"] + "%",
            "method": names,
            "reduction": 100 * (1 - others["value"] / direct),
        }
    )
    means = reduction.groupby(["level", "method"], sort=False)["reduction"].mean().unstack("method")
    table = means.map(lambda value: f"{value:.0f}%" if math.isfinite(value) else "-").reset_index()
    models = others["model"].nunique()
    yield View(
        "Reduction of the interval score against direct, test split",
        table,
        f"Mean over {models} model{'s' if models > 1 else ''}; negative where a method is worse.",
    )


_TASK = "fermi_eval"
_DIRECT = {"method": "direct"}
_DIRECT_90 = {"level": "90", "method": "direct"}


def detail(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """None: estimates are all that the figures draw.

    Args:
        frames: Judgments by task.
        resampling: How numbers are computed.
    """
    return []


FIGURES: Sequence[FigureSpec] = (
    FigureSpec(
        plot="coverage",
        title="Nominal and observed coverage",
        reads=(
            "How often intervals hold the truth, with 95% intervals, at each level that was asked "
            "for; the dashed grey line is as often as they should, and below it the model is "
            "overconfident. Conformal and scaled intervals were adjusted on the train items; where "
            "there is a test split, all lines are of it."
        ),
        task=_TASK,
        metrics=("coverage",),
    ),
    FigureSpec(
        plot="tunnel",
        title="The tunnel: stated and needed width",
        reads=(
            "Mean width of intervals in powers of ten: as stated, and after conformal adjustment, "
            "which is the width it takes to hold the truth as often as the level says. A stated "
            "width that hardly grows with the level while the needed one does is the tunnel; the "
            "coverage plateau is coverage divided by level, averaged over levels, and 1 is "
            "calibrated."
        ),
        task=_TASK,
        metrics=("mean_width", "coverage_plateau"),
        keep=lambda parts: not (parts.get("scaling") or parts.get("decoding")),
    ),
    FigureSpec(
        plot="interval_score",
        title="Interval score",
        reads=(
            "Mean interval score with 95% intervals, which counts both width and misses; lower is "
            "better. All methods share one axis, which is logarithmic where scores differ more "
            "than fivefold."
        ),
        task=_TASK,
        metrics=("interval_score",),
    ),
)

HEADLINES: Sequence[Headline] = (
    Headline(_TASK, "coverage_gap", "Coverage less 90% of stated intervals (share)", _DIRECT_90),
    Headline(_TASK, "coverage_plateau", "Coverage plateau of stated intervals (ratio)", _DIRECT),
    Headline(
        _TASK,
        "interval_score",
        "Interval score of stated 90% intervals (powers of ten)",
        _DIRECT_90,
    ),
    Headline(_TASK, "mean_width", "Mean width of stated 90% intervals (powers of ten)", _DIRECT_90),
    Headline(_TASK, "format_failure_rate", "Unreadable replies at 90% (share)", _DIRECT_90),
)
