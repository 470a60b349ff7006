"""The tables of the study of words of estimative probability, from its results."""

from collections.abc import Iterator

import pandas as pd

from inspect_confidence._results import with_parts
from inspect_confidence.studies._cell import Cell, cell, only
from inspect_confidence.studies._study import View

_SCORES = {
    "pairwise_consistency": "pairwise",
    "monotonicity_consistency": "monotonicity",
    "empirical_consistency": "empirical",
    "empirical_monotonicity_consistency": "empirical monotonicity",
    "choice_sensitivity": "sensitivity",
}
_PARTS = (
    *("language", "setting", "versus", "word", "variant", "of", "level", "adjusted", "baseline"),
    *("cot", "scenario", "choice_set", "numbers"),
)
_SLICES = ("scenario", "choice_set", "numbers")


def word_tables(results: pd.DataFrame) -> list[View]:
    """The tables of both probes, model by model.

    Args:
        results: Rows of the results table, of this study.
    """
    rows = with_parts(results, _PARTS)
    views: list[View] = []
    for (model, variant), mine in rows.groupby(["model", "variant"], sort=False):
        who = " ".join(filter(None, (str(model), str(variant))))
        words = mine[mine["task"] == "wep_elicitation"]
        for (language, versus), compared in words[words["versus"] != ""].groupby(
            ["language", "versus"], sort=False
        ):
            views.append(_against(f"{who}, {language}, against {versus}", compared))
        choices = mine[mine["task"] == "wep_choice"]
        if len(choices):
            views += [_consistency(who, choices), _contrasts(who, choices)]
    return views


def _against(title: str, rows: pd.DataFrame) -> View:
    """Words in rows; theta with its mark and the median difference of every setting."""
    values = rows[rows["word"] != ""]
    holm = {
        (row["setting"], row["word"]): row["value"]
        for row in values[
            (values["metric"] == "p_holm") & (values["of"] == "brunner_munzel_theta")
        ].to_dict("records")
    }
    settings = list(values["setting"].unique())
    lines = []
    for word, said in values.groupby("word", sort=False):
        line: dict[str, str | Cell] = {"word": str(word)}
        for setting in settings:
            line[f"{setting} theta"] = _theta(said, setting, holm.get((setting, word), 1.0))
            line[f"{setting} KL"] = _number(said, setting, "kl_divergence", 2)
            line[f"{setting} median"] = _number(said, setting, "median_difference", 0)
        lines.append(line)
    counts = rows[(rows["metric"] == "words_that_differ") & (rows["level"] == "95")]
    counts = counts[(counts["adjusted"] == "holm") & (counts["of"] == "brunner_munzel_theta")]
    differ = ", ".join(
        f"{row['setting']} {row['value']:.0f} of {row['n']}" for row in counts.to_dict("records")
    )
    return View(
        title,
        pd.DataFrame(lines, dtype=object),
        "theta is P(reference > model) + P(equal)/2 with its 95% interval; * ** *** differs at 90, "
        "95, 99% after Holm's adjustment over the words. KL in nats, 20 bins, 1e-10 in empty ones; "
        f"median: reference less model, in points. Words that differ at 95%: {differ}.",
    )


def _theta(rows: pd.DataFrame, setting: str, p: float) -> Cell:
    found = rows[(rows["setting"] == setting) & (rows["metric"] == "brunner_munzel_theta")]
    marks = "*" * sum(p < level + 1e-12 for level in (0.1, 0.05, 0.01))
    return cell(only(found), mark=marks)


def _number(rows: pd.DataFrame, setting: str, metric: str, digits: int) -> Cell:
    found = rows[(rows["setting"] == setting) & (rows["metric"] == metric)]
    return cell(only(found), digits, interval=False)


def _consistency(who: str, rows: pd.DataFrame) -> View:
    """Scores in columns; conditions in rows, chance last."""
    scored = rows[rows["metric"].isin(_SCORES) & (rows["of"] == "")]
    lines = []
    keys = ["baseline", "cot", *_SLICES]
    for key, some in scored.groupby(keys, sort=False):
        parts = dict(zip(keys, map(str, key), strict=True))
        mode = {"with": "with reasoning", "without": "without", "": "both"}[parts["cot"]]
        if parts["baseline"]:
            mode = "chance" if parts["baseline"] == "expected" else "ten random runs"
        line: dict[str, str | Cell] = {
            "replies": mode,
            "condition": _named(parts),
        }
        for row in some.to_dict("records"):
            line[_SCORES[row["metric"]]] = cell(row)
        lines.append(line)
    return View(
        f"Consistency of words chosen for numbers: {who}",
        pd.DataFrame(lines, dtype=object)[["replies", "condition", *_SCORES.values()]],
        "95% bootstrap intervals over 36 clusters of sequences, within scenarios. A model that "
        "always says the same is monotone and has no sensitivity.",
    )


def _contrasts(who: str, rows: pd.DataFrame) -> View:
    tested = rows[rows["of"] != ""]
    lines = []
    for _, some in tested.groupby("condition", sort=False):
        first = some.iloc[0]
        found = {row["metric"]: row for row in some.to_dict("records")}
        lines.append(
            {
                "contrast": _named({name: str(first[name]) for name in ("cot", *_SLICES)})
                + f" less {first['versus']}",
                "score": _SCORES[first["of"]],
                "difference": cell(found["difference"]),
                "t": cell(found["t_statistic"], 3, interval=False),
                "df": cell(found["degrees_of_freedom"], 0, interval=False),
                "d": cell(found["cohens_d"], 3, interval=False),
            }
        )
    return View(
        f"Contrasts: {who}",
        pd.DataFrame(lines, dtype=object),
        "t and d are the study's, over units taken for independent; the interval of the difference "
        "is clustered.",
    )


def _named(parts: dict[str, str]) -> str:
    shown = [value for name, value in _shown(parts)]
    return ", ".join(shown) or "all"


def _shown(parts: dict[str, str]) -> Iterator[tuple[str, str]]:
    written = {
        "choice_set": lambda value: f"{value} choices",
        "cot": lambda value: f"{value} reasoning",
    }
    for name in ("cot", *_SLICES):
        if parts.get(name) and not (name == "cot" and "baseline" in parts):
            yield name, written.get(name, str)(parts[name])
