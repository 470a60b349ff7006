"""Tables, figures and headlines of FermiEval."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter

import pandas as pd

from inspect_confidence.results import Key, Result, ResultRow, ResultTable
from inspect_confidence.studies import tables
from inspect_confidence.studies.study import (
    QUESTIONS,
    Clause,
    FigureSpec,
    Headline,
    Resampling,
    View,
)
from inspect_confidence.studies.tables import Column, TableSpec

_INTERVAL_COLUMNS = (
    ("coverage", "coverage", 2),
    ("interval_score", "interval score", 1),
    ("mean_width", "width", 1),
    ("format_failure_rate", "parse failures", 2),
)
"""Metric, heading and digits of the columns with one value for each level."""
_ADJUSTMENT_PARTS = ("base", "scaling", "decoding")
"""Parts of the condition that tell adjusted intervals from those of the method itself."""
_OVER_LEVELS = (
    ("coverage_plateau", "Coverage plateau", 2),
    ("unseen_mass", "Unseen mass", 3),
    ("temperature_score", "Score-optimal temperature", 2),
    ("temperature_nll", "Maximum-likelihood temperature", 2),
    ("decoding_temperature", "Decoding temperature", 2),
    ("tunnel_index", "Tunnel Index (bits)", 3),
    ("decoding_entropy", "Decoding entropy (bits)", 3),
)
"""Metric, label and digits of the numbers over levels, which the caption lists."""


def interval_tables(results: pd.DataFrame) -> list[View]:
    """Return each model's tables by level, and one of interval scores against stated intervals."""
    # Without the Residual Tunnel Index by number of averaged traces.
    rows = ResultTable.from_frame(results).matching(traces="")
    specs: list[TableSpec] = []
    for (model, dataset, variant), model_rows in rows.groups("model", "dataset", "variant"):
        title = tables.join_title(model, dataset and f"on {dataset}", variant and f"({variant})")
        specs += _interval_tables_of_model(title, model_rows)
    return [*tables.views_with_lines(specs), *_reductions(rows)]


def _interval_tables_of_model(title: str, rows: ResultTable) -> Iterator[TableSpec]:
    """Yield one table with all columns for up to two methods, otherwise one for each metric.

    A line is a level, a column a metric of a method; an adjusted method is one of its own. Tables
    are of the test split if there is one. The last table has the caption.
    """
    split = "test" if rows.matching(split="test").rows else ""
    title += ", test split" if split else ""
    by_metric = _by_metric(rows, split)
    methods = {_method(row): row for row in by_metric.values()}
    # The metric `n`, the number of judgments, over all methods and levels.
    n_judgments = sum(int(row.value) for (_, _, metric), row in by_metric.items() if metric == "n")
    judgments = f"{n_judgments:,} judgments; " if n_judgments else ""
    caption_lines = [f"{judgments}95% intervals in brackets", *_caption_lines(by_metric)]
    caption = ".\n".join(caption_lines) + "."
    is_side_by_side = len(methods) <= 2
    columns_by_title: dict[str, list[Column]] = defaultdict(list)
    for metric, name, digits in _INTERVAL_COLUMNS:
        table_title = title if is_side_by_side else f"{title}: {name}"
        for method, row in methods.items():
            heading = f"{method} {name}" if is_side_by_side else method
            condition = {part: row[part] for part in ("method", *_ADJUSTMENT_PARTS)}
            columns_by_title[table_title].append(Column(metric, heading, digits, where=condition))
    # Lines in the order of levels.
    levels = rows.matching(split=split).having("level").sorted_by(lambda row: float(row["level"]))
    last_title = [*columns_by_title][-1]
    for table_title, columns in columns_by_title.items():
        yield TableSpec(
            table_title,
            levels,
            lines=("level",),
            columns=columns,
            caption=caption if table_title == last_title else "",
            label=lambda line: {"level": f"{line['level']}%"},
            layout=tables.columns_with_numbers,
        )


def _by_metric(rows: ResultTable, split: str) -> dict[tuple[str, str, str], ResultRow]:
    """Return the rows of a split by method, level and metric, such as ("direct", "90", "coverage").

    If the split lacks a metric over all levels, the row of all judgments stands for it.
    """
    by_metric: dict[tuple[str, str, str], ResultRow] = {}
    for row in rows:
        key = (_method(row), row["level"], row["metric"])
        is_over_all = not row["split"] and not row["level"]
        if row["split"] == split or (is_over_all and key not in by_metric):
            by_metric[key] = row
    return by_metric


def _method(row: ResultRow) -> str:
    """Return the name of a method with its base or its adjustment, such as `logprob(score)`."""
    adjustment = ",".join(row[name] for name in _ADJUSTMENT_PARTS if row[name])
    return f"{row['method']}({adjustment})" if adjustment else row["method"]


def _caption_lines(by_metric: Mapping[tuple[str, str, str], ResultRow]) -> Iterator[str]:
    """Yield the caption's lines on metrics that have no column, and on infinite intervals.

    These metrics (`_OVER_LEVELS`) are over all levels, except a decoding temperature that was
    chosen for one. `by_metric` are rows of results by method, level and metric.
    """
    for metric, label, digits in _OVER_LEVELS:
        for (method, level, name), row in by_metric.items():
            if name == metric:
                method_label = f"{method}, {level}%" if level else method
                rule = f", {row.note}" if metric == "decoding_temperature" else ""
                yield f"{label} ({method_label}): {tables.cell(row.record, digits)}{rule}"
    for (_, level, metric), row in by_metric.items():
        if metric == "conformal_offset" and math.isinf(row.value):
            yield f"{level}%: {row.note}"


def _reductions(rows: ResultTable) -> Iterator[View]:
    """Yield the table of each method's reduction of the interval score against stated intervals.

    Stated intervals are those of the method `direct`. Reductions are means over models, on the test
    split, of the scores that have a stated one; a mean that is infinite or undefined is a dash.
    There is no table without stated intervals or without other methods.
    """
    scores = [*rows.matching(split="test", metric="interval_score").having("level")]
    key_of = itemgetter("model", "dataset", "variant", "level")  # what compared scores share
    direct = {key_of(row): row.value for row in scores if row["method"] == "direct"}
    compared_rows = [row for row in scores if row["method"] != "direct"]
    if not direct or not compared_rows:
        return
    compared = []
    for row in compared_rows:
        direct_score = direct.get(key_of(row), math.nan)
        compared.append((f"{row['level']}%", _method(row), row.value, direct_score))
    scored = pd.DataFrame(compared, columns=["level", "method", "score", "direct"])
    scored["reduction"] = 100 * (1 - scored["score"] / scored["direct"])
    means = scored.groupby(["level", "method"], sort=False)["reduction"].mean().unstack("method")
    table = means.map(lambda value: f"{value:.0f}%" if math.isfinite(value) else "-").reset_index()
    models = len({row["model"] for row in compared_rows})
    yield View(
        "Reduction of the interval score against direct, test split",
        table,
        f"Mean over {models} model{'s' if models > 1 else ''}; negative where a method is worse.",
    )


_TASK = "fermi_eval"
_DIRECT = {"method": "direct"}
_USUAL_LEVEL = 90.0
"""Level of the main numbers, in percent; without it they have the nearest level of the results."""


def detail(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Return the share of questions whose true value has each exponent of ten, by data set.

    Each item counts once; items without a true value are left out. The rows are of no model, for
    which `QUESTIONS` stands.
    """
    results: list[Result] = []
    for dataset, rows in frames[_TASK].groupby("dataset", sort=False):
        key, truths = Key(_TASK, QUESTIONS, str(dataset)), rows.drop_duplicates("item")["truth"]
        for exponent, share in truths.value_counts(normalize=True).sort_index().items():
            condition = {"exponent": exponent}
            results.append(key.result(condition, "exponent_share", share, n=truths.count()))
    return results


_figure = partial(FigureSpec, task=_TASK)

_all_models = partial(_figure, by=("dataset",))

FIGURES: Sequence[FigureSpec] = (
    _all_models(
        plot="coverage_of_models",
        title="Nominal and observed coverage, all models",
        reads="How often each model's stated intervals contain the true value, at each level that "
        "was asked for. On the dashed line the share equals the level; below the line the model is"
        " overconfident.",
        intervals=("coverage",),
        metrics=("coverage",),
        keep=lambda parts: parts.get("method") == "direct",
        leads=True,
    ),
    _all_models(
        plot="coverage",
        title="Nominal and observed coverage",
        reads="How often intervals contain the true value, at each level that was asked for. On "
        "the dashed grey line the share equals the level; below the line the model is "
        "overconfident. Conformal or scaled intervals, if there are any, were adjusted on the "
        "train items. If there is a test split, all lines show it.",
        intervals=("coverage",),
        metrics=("coverage",),
    ),
    _all_models(
        plot="tunnel",
        title="The tunnel: stated and needed width",
        reads="Mean width of intervals in powers of ten, as stated and after conformal adjustment."
        " Adjusted intervals contain the true values of train items as often as the level says; on "
        "the test items, which are shown, the share differs by chance. In a tunnel the stated "
        "width hardly grows with the level while the adjusted width does. The coverage plateau is "
        "coverage divided by level, averaged over levels; a calibrated model has 1.",
        intervals=("mean_width",),
        metrics=("mean_width", "coverage_plateau"),
        keep=lambda parts: not (parts.get("scaling") or parts.get("decoding")),
    ),
    _all_models(
        plot="interval_score",
        title="Interval score",
        reads="Mean interval score, which counts both the width and the misses; lower is better. "
        "All methods share one axis. The axis is logarithmic if scores differ more than fivefold.",
        intervals=("interval_score",),
        metrics=("interval_score",),
    ),
    _figure(
        plot="tunnel_entropy",
        title="Tunnel Index by decoding entropy",
        reads="Each mark is a way of decoding, such as a temperature. Further right, a single "
        "reasoning trace is less sure of its answer. Further up, traces differ more from each "
        "other, so that one trace shows less of what the model would say. Both numbers add up to "
        "the entropy of the mean over traces.",
        intervals=("tunnel_index", "decoding_entropy"),
        metrics=("tunnel_index", "decoding_entropy"),
        by=("model", "dataset"),
        needs=2,
    ),
    _figure(
        plot="exponents",
        title="Exponents of the answers",
        reads="Share of the questions that were asked whose true value has each exponent of ten.",
        metrics=("exponent_share",),
        by=("dataset",),
    ),
)

_LEVEL = ("level",)
_NEAREST_LEVEL = {"level": _USUAL_LEVEL}
HEADLINES: Sequence[Headline] = (
    Headline(
        _TASK,
        "coverage_gap",
        "Coverage minus {level}%, stated intervals (share)",
        _DIRECT,
        short="coverage at {level}%, minus {level}%",
        each=_LEVEL,
        nearest=_NEAREST_LEVEL,
    ),
    Headline(_TASK, "coverage_plateau", "Coverage plateau of stated intervals (ratio)", _DIRECT),
    Headline(
        _TASK,
        "interval_score",
        "Interval score of stated {level}% intervals (powers of ten)",
        _DIRECT,
        each=_LEVEL,
        nearest=_NEAREST_LEVEL,
    ),
    Headline(
        _TASK,
        "mean_width",
        "Mean width of stated {level}% intervals (powers of ten)",
        _DIRECT,
        each=_LEVEL,
        nearest=_NEAREST_LEVEL,
    ),
    Headline(
        _TASK,
        "format_failure_rate",
        "Parse failures at {level}% (share)",
        _DIRECT,
        each=_LEVEL,
        nearest=_NEAREST_LEVEL,
    ),
)

CLAUSES: Sequence[Clause] = tuple(
    Clause(
        _TASK,
        "intervals",
        [("coverage", {"level": str(level), "method": "direct"})],
        f"its {level}% intervals contain the true value {{}} of the time",
    )
    # The levels in the order in which headlines choose one.
    for level in sorted(range(99, 0, -1), key=lambda level: abs(level - _USUAL_LEVEL))
)
