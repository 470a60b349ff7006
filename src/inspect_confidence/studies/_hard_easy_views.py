"""LifeEval's and the question sets' tables, from their results, and curves from judgments."""

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from inspect_confidence._results import with_parts
from inspect_confidence.studies._cell import cell, only
from inspect_confidence.studies._study import View

_PARTS = (
    *("variant", "window", "radius", "source", "kind", "age"),
    *("of", "versus", "threshold", "type1"),
)
_INTERVALS = "95% intervals: bootstrap over items, the slope's clustered; a dash is undefined."
_STUDY = (
    ("accuracy", "accuracy (%)", 2, 100),
    ("mean_confidence", "confidence (%)", 2, 100),
    ("ece", "ECE", 3, 1),
    ("round_rate", "rounded (%)", 2, 100),
)
_LIFE = (
    *_STUDY,
    ("overconfidence", "overconfidence", 3, 1),
    ("hard_easy_slope", "hard-easy slope", 3, 1),
    ("confidence_truth_correlation", "correlation with truth", 3, 1),
    ("maximum_achievable_score", "MAS (%)", 2, 100),
    ("optimal_answer_gap", "gap to best answer", 3, 1),
    ("n", "n", 0, 1),
)
_DISCRIMINATION = (
    ("overconfidence", "overconfidence", 3, 1),
    ("brier", "Brier", 3, 1),
    ("auroc", "AUROC", 3, 1),
    ("meta_d", "meta-d'", 2, 1),
    ("n", "n", 0, 1),
)

Column = tuple[str, str, int, int]
"""Metric, heading, digits after the point, factor."""


def calibration_tables(results: pd.DataFrame) -> list[View]:
    """The study's tables 2 to 4, then by radius, discrimination, tokens, and best ages.

    Args:
        results: Rows of the results table, of this study.
    """
    rows = with_parts(results, _PARTS)
    return [
        view
        for (variant, window), some in rows.groupby(["variant", "window"], sort=False)
        for view in _of_variant(some, _titled(str(variant), str(window)))
    ]


def best_age_curves(judgments: pd.DataFrame) -> pd.DataFrame:
    """Answers and best answers by age, sex and radius: what the best-age figure draws.

    Args:
        judgments: Of `life_eval`.

    Returns:
        A row a data set, window, model, variant, sex, radius and age: `answer` (mean over judgments
        that were read; NaN if there is none), `best_answer`, and `n`, the judgments read.
    """
    by = ["dataset", "window", "model", "variant", "sex", "radius", "age"]
    grouped = judgments.groupby([name for name in by if name in judgments], sort=False)
    return grouped.agg(
        answer=("answer", "mean"), best_answer=("best_answer", "first"), n=("answer", "count")
    ).reset_index()


def _titled(variant: str, window: str) -> str:
    said = " ".join(filter(None, (variant, f"{window} window" if window else "")))
    return f": {said}" if said else ""


def _of_variant(rows: pd.DataFrame, variant: str) -> Iterator[View]:
    plain = rows[(rows[["of", "threshold", "type1", "kind"]] == "").all(axis=1)]
    stated = plain[(plain["source"] == "") & (plain["age"] == "")]
    lives = stated[stated["task"] == "life_eval"]
    overall = lives[lives["radius"] == ""]
    if len(overall):
        table = _table(overall, ["model", "dataset"], _LIFE)
        yield View(f"Table 2, LifeEval{variant}", table, _caption(overall))
    together = stated[stated["radius"] == ""]
    yield View(f"Tables 3 and 4, all sets{variant}", _by_model(together), _caption(together))
    by_radius = lives[lives["radius"] != ""]
    if len(by_radius):
        table = _table(by_radius, ["model", "dataset", "radius"], [*_LIFE[:5], *_LIFE[6:]])
        yield View(f"LifeEval by radius{variant}", table, _caption(by_radius))
        yield View(
            f"Best age by decade and radius{variant}",
            _curves(plain[plain["age"] != ""]),
            "Mean answer with its 95% bootstrap interval / mean best answer, in years, over all "
            "that was asked. The best answer is the least whole age with the greatest true "
            "probability.",
        )
    sets = stated[stated["task"] == "question_sets"]
    if len(sets):
        table = _table(sets, ["dataset", "model"], _DISCRIMINATION)
        yield View(f"Discrimination{variant}", table, _INTERVALS)
    yield from _tokens(rows, variant)


def _tokens(rows: pd.DataFrame, variant: str) -> Iterator[View]:
    """ECE of what is stated and of the answer's token, and their difference."""
    eces = rows[(rows["metric"] == "ece") & (rows["task"] == "question_sets")]
    tokens = eces[(eces["source"] == "token") & eces["value"].notna()]
    if not len(tokens):
        return
    differences = rows[
        (rows["metric"] == "difference") & (rows["of"] == "ece") & (rows["versus"] == "token")
    ]
    lines = []
    for row in tokens.to_dict("records"):
        line = {"dataset": row["dataset"], "model": row["model"]}
        mine = [
            some[(some["dataset"] == row["dataset"]) & (some["model"] == row["model"])]
            for some in (eces[eces["source"] == ""], differences)
        ]
        line["stated"] = cell(only(mine[0]), 3)
        line["token"] = cell(row, 3)
        line["difference"] = cell(only(mine[1]), 3)
        lines.append(line)
    yield View(
        f"ECE, stated and by the answer's token{variant}",
        pd.DataFrame(lines, dtype=object),
        "The difference is over items that have both.",
    )


def _table(rows: pd.DataFrame, keys: Sequence[str], columns: Sequence[Column]) -> pd.DataFrame:
    lines = []
    for values, mine in rows.groupby(list(keys), sort=False):
        line: dict[str, Any] = dict(zip(keys, values, strict=True))
        for metric, heading, digits, factor in columns:
            line[heading] = cell(only(mine[mine["metric"] == metric]), digits, factor=factor)
        lines.append(line)
    table = pd.DataFrame(lines, dtype=object)
    return table[[name for name in table if name in keys or (table[name] != "-").any()]]


def _curves(rows: pd.DataFrame) -> pd.DataFrame:
    """Models and decades of age in rows, radii in columns."""
    lines = []
    for (dataset, model, age), mine in rows.groupby(["dataset", "model", "age"], sort=False):
        line = {"dataset": dataset, "model": model, "age": age}
        for radius in rows["radius"].unique():
            of_radius = mine[mine["radius"] == radius]
            best = of_radius.loc[of_radius["metric"] == "mean_best_answer", "value"]
            answer = only(of_radius[of_radius["metric"] == "mean_answer"])
            aim = f"/ {best.iloc[0]:.1f}" if len(best) else ""
            line[f"radius {radius}"] = cell(answer, 1, mark=aim)
        lines.append(line)
    return pd.DataFrame(lines, dtype=object)


def _by_model(rows: pd.DataFrame) -> pd.DataFrame:
    """Sets and metrics in rows, models in columns."""
    lines = []
    for dataset, mine in rows.groupby("dataset", sort=False):
        for metric, heading, digits, factor in _STUDY:
            chosen = mine[mine["metric"] == metric]
            line: dict[str, Any] = {"dataset": dataset, "measure": heading}
            for model in rows["model"].unique():
                line[model] = cell(only(chosen[chosen["model"] == model]), digits, factor=factor)
            lines.append(line)
    return pd.DataFrame(lines, dtype=object)


def _caption(rows: pd.DataFrame) -> str:
    """Intervals, and how ECE and rounded shares were computed."""
    notes = []
    for metric, name in (("ece", "ECE has"), ("round_rate", "Rounded are")):
        of_metric = rows.loc[(rows["metric"] == metric) & rows["value"].notna(), "note"]
        own = [note for note in of_metric if not note.startswith("unweighted")]
        if own:
            notes.append(f"{name} {own[0].split(';')[0]}.")
    return " ".join([*notes, _INTERVALS])
