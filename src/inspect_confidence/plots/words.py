"""Figures of words of probability: stated probabilities and chosen words, model against people."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.plots.cells import CellTable, cells
from inspect_confidence.plots.dots import Panel, dots, series_by
from inspect_confidence.plots.layout import (
    facets,
    panels,
    select_rows,
    share_ticks,
    tick_labels,
    tick_width,
    with_intervals,
)
from inspect_confidence.plots.style import INK, PAPER, mark, styled
from inspect_confidence.plots.text import first_names
from inspect_confidence.printing import shortened, stars
from inspect_confidence.results import conditions_of, with_parts
from inspect_confidence.studies.wep_probes.shown import (
    CONSISTENCY_SCORES,
    PEOPLE,
    is_score_by_choice_set,
)

_SETTINGS = ("concise", "extended", "female", "male")
_SETTING_PLACES = {name: place for place, name in enumerate((*_SETTINGS, "", "all"))}
_ALL_SETTINGS = {"all": "all settings"}


def _sorted_by_setting(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows by setting; the setting `all` is last."""
    places = rows["setting"].map(lambda name: _SETTING_PLACES.get(name, len(_SETTINGS)))
    return rows.iloc[np.argsort(places, kind="stable")]


_MODE_LABELS = {"without": "without reasoning", "with": "with reasoning", "": "both"}
_RANDOM = "random choices"


@styled
def consistency(rows: pd.DataFrame) -> Figure:
    """Draw the four consistency scores with 95% intervals, beside those of random choices.

    There are four panels for each model, data set and variant. Along x are all prompts, and the
    prompts of each number of choices. Scores with and without reasoning (the modes) have marks of
    their own; a score over both modes is drawn only in a panel without scores of single modes.
    Dashes are the expected scores of random choices.

    Args:
        rows: Results of `wep_choice`; its rows of the four scores are drawn, but for those of one
            scenario or set of numbers.
    """
    rows_of_modes = rows.loc[list(map(is_score_by_choice_set, conditions_of(rows)))]
    selected = select_rows(
        rows_of_modes,
        "wep_choice",
        list(CONSISTENCY_SCORES),
        parts=("cot", "choice_set", "baseline"),
    )
    groups = panels(selected, ("model", "dataset", "variant"))
    rows_by_title = {}
    for title, panel_rows in groups:
        for metric, score in CONSISTENCY_SCORES.items():
            of_metric = panel_rows[panel_rows["metric"] == metric]
            if len(of_metric):
                full_title = f"{title}\n{score}" if len(groups) > 1 else score
                rows_by_title[full_title] = of_metric
    drawn_modes = set(chain.from_iterable(map(_drawn_modes, rows_by_title.values())))
    names = [label for mode, label in _MODE_LABELS.items() if mode in drawn_modes]
    if (selected["baseline"] == "expected").any():
        names.append(_RANDOM)
    has_several = selected["choice_set"].nunique() > 1
    axis_label = "words to choose from" if has_several else ""
    titled = list(rows_by_title.items())
    return facets(titled, _draw_consistency, x=axis_label, y="score", shared="values", legend=names)


def rows_of_drawn_modes(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of `wep_choice` without the scores over both modes that figures leave out.

    A mode is a prompt with or without chain of thought (`cot`). A score over both is left out if
    the same model, data set and variant has it of a single mode. Rows of a baseline,
    such as chance, and undefined scores stay.
    """
    lines = with_parts(rows, ["variant", "cot", "baseline"])
    is_score = (lines["baseline"] == "") & lines["value"].notna()
    is_single = is_score & (lines["cot"] != "")
    keys = [lines[name] for name in ("model", "dataset", "variant", "metric")]
    is_left_out = is_score & ~is_single & is_single.groupby(keys).transform("any")
    return rows[~is_left_out.to_numpy()]


def _drawn_modes(rows: pd.DataFrame) -> list[str]:
    """Return the modes to draw: `without` and `with` reasoning, or "" (both) if it is the only one.

    The modes are values of the column `cot` of rows that are not a baseline.
    """
    present = set(rows.loc[rows["baseline"] == "", "cot"])
    return [mode for mode in _MODE_LABELS if mode in (present - {""} or present)]


def _draw_consistency(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw a panel's scores by choice set and mode, and dashes at the scores of random choices."""
    modes = _drawn_modes(rows)
    # Along x: an empty size, which is all prompts, then the numbers of choices.
    sizes = sorted(set(rows["choice_set"]), key=lambda size: float(size or 0))
    places = {size: place for place, size in enumerate(sizes)}
    rows = rows.assign(x=rows["choice_set"].map(places))
    scored = rows[rows["baseline"] == ""]
    for position, mode in enumerate(modes):
        mode_rows = scored[scored["cot"] == mode]
        x = mode_rows["x"].astype(float) + 0.2 * (position - (len(modes) - 1) / 2)
        label = _MODE_LABELS[mode]
        with_intervals(ax, x, mode_rows, linestyle="none", label=label, **mark(position))
    chance = rows[rows["baseline"] == "expected"]
    if len(chance):
        positions = chance["x"].to_numpy(float)
        expected = chance["value"].to_numpy(float)
        ax.hlines(
            expected, positions - 0.3, positions + 0.3, colors=INK, linestyles="--", label=_RANDOM
        )
    ax.set_xticks(range(len(sizes)), [size or "all" for size in sizes])
    ax.set(xlim=(-0.5, len(sizes) - 0.5), ylim=(-0.03, 1.05))
    share_ticks(ax, "y")
    ax.grid(visible=False, axis="x")


_ALL_PROMPTS = "all prompts"


@styled
def consistency_slices(rows: pd.DataFrame) -> Figure:
    """Draw the consistency scores by set of numbers and by scenario, with 95% intervals.

    There is one panel for each score, model, data set and variant; marks differ with and without
    reasoning. The dashed line is the expected score of random choices over all prompts. It is the
    same for each set of numbers and each scenario, in which the numbers of choices are as frequent.

    Args:
        rows: Results of `wep_choice`; its rows of the four scores are drawn.
    """
    parts = ("cot", "choice_set", "baseline", "numbers", "scenario")
    selected = select_rows(rows, "wep_choice", list(CONSISTENCY_SCORES), parts)
    selected = selected[
        (selected["choice_set"] == "") & selected["baseline"].isin(("", "expected"))
    ]
    slices = selected["scenario"].where(selected["numbers"] == "", selected["numbers"] + " numbers")
    selected = selected.assign(name=slices.replace("", _ALL_PROMPTS))
    names = [_ALL_PROMPTS, *dict.fromkeys(slices[slices != ""])]
    mode_labels = {mode: _MODE_LABELS[mode] for mode in _drawn_modes(selected)}
    panels_drawn = []
    groups = panels(selected, ("model", "dataset", "variant"), separator=", ")
    for title, panel_rows in groups:
        for metric, score in CONSISTENCY_SCORES.items():
            metric_rows = panel_rows[panel_rows["metric"] == metric]
            model_rows = metric_rows[metric_rows["baseline"] == ""]
            chance_rows = metric_rows[metric_rows["baseline"] != ""]
            if len(model_rows):
                expected = float(chance_rows["value"].iloc[0]) if len(chance_rows) else None
                series = series_by(model_rows, "cot", mode_labels)
                head = f"{title}\n{score}" if len(groups) > 1 else score
                panels_drawn.append(
                    Panel(head, "score", series=series, reference=expected, within=(0, 1))
                )
    return dots(panels_drawn, names, "slices")


def _model_tables(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return the rows of each table with its title: all rows without a title, or those of each run.

    A table has a column for each setting and language of each run (variant, model and data set). It
    is split if it has more than ten columns, unless each run has only one.
    """
    by_run = panels(rows, _RUN_COLUMNS, separator=", ", title_of_one=False)
    has_several = any(len(panels(run_rows, _TABLE_COLUMNS)) > 1 for _, run_rows in by_run)
    n_columns = len(panels(rows, (*_TABLE_COLUMNS, *_RUN_COLUMNS)))
    return by_run if has_several and n_columns > _MOST_COLUMNS else [("", rows)]


_DIVERGENCES = {
    "kl_divergence": "Kullback-Leibler divergence from people (nats)",
    "jensen_shannon": "Jensen-Shannon divergence from people (nats)",
    "wasserstein": "distance from people (percentage points)",
}
_TABLE_COLUMNS, _RUN_COLUMNS = ("setting", "language"), ("variant", "model", "dataset")
_MOST_WORDS, _MOST_COLUMNS = 40, 10


@styled
def divergence(rows: pd.DataFrame) -> Figure:
    """Draw a table of the divergence of each word from people, with settings in columns.

    There is one table for each metric, or for each metric and run (model, variant and data set) if
    there are many columns, in blocks of up to five columns. All tables of a metric have one scale
    of colours. Cells without a value are blank.

    Args:
        rows: Results of `wep_elicitation`; its rows of `kl_divergence`, `jensen_shannon` and
            `wasserstein` against people are drawn.
    """
    against = rows["condition"].map(lambda text: "versus=human" in text.split(";"))
    parts = ("setting", "language", "word")
    selected = select_rows(rows[against.astype(bool)], "wep_elicitation", list(_DIVERGENCES), parts)
    names, word_remark = first_names(list(dict.fromkeys(selected["word"])), _MOST_WORDS, "words")
    selected = _sorted_by_setting(selected).assign(p_value=np.nan)  # these tables have no stars
    selected["setting"] = selected["setting"].replace(_ALL_SETTINGS)
    tables = []
    for metric, title in _DIVERGENCES.items():
        of_metric = selected[selected["metric"] == metric]
        if of_metric.empty:
            continue
        limits = (0.0, float(of_metric["value"].max()) or 1.0)  # of the colours; 1 if all are 0
        write = "{:.1f}".format if metric == "wasserstein" else "{:.2f}".format
        for title_of_model, model_rows in _model_tables(of_metric):
            columns = panels(model_rows, (*_TABLE_COLUMNS, *_RUN_COLUMNS), separator=", ")
            full_title = f"{title_of_model}\n{title}" if title_of_model else title
            tables.append(_word_table(full_title, columns, names, word_remark, limits, write))
    return cells(tables)


def _word_table(
    title: str,
    titled_columns: list[tuple[str, pd.DataFrame]],
    words: list[str],
    word_remark: str,
    limits: tuple[float, float],
    write: Callable[[float], str],
) -> CellTable:
    """Return a table with a row for each word and up to ten columns, each with its title and rows.

    A cell has the word's first `value` in the column's rows, and stars for its `p_value`, which is
    NaN if there is no test; it is blank without a value. `limits` are the ends of the colours.
    """
    columns, column_remark = first_names(titled_columns, _MOST_COLUMNS, "columns")
    values, marks = [], []
    for _, column_rows in columns:
        by_word = column_rows.drop_duplicates("word").set_index("word").reindex(words)
        values.append(by_word["value"].to_numpy(float))
        marks.append(list(map(stars, by_word["p_value"])))
    return CellTable(
        title,
        np.column_stack(values),
        rows=words,
        columns=[label for label, _ in columns],
        write=write,
        remark=f"{word_remark}\n{column_remark}",
        limits=limits,
        stars=np.column_stack(marks),
    )


_COMPARISON_PARTS = ("language", "setting", "versus", "word", "of")
_COMPARISON_KEY = ["model", "dataset", "variant", "language", "setting", "versus", "word"]


@styled
def divergence_between(rows: pd.DataFrame) -> Figure:
    """Draw the Kullback-Leibler divergence of each word between two sources, with stars.

    There is one table for each model and reference (people, a language, a setting, another model),
    and one column for each language, setting, data set and variant. One star is p < .05, two
    are p < .01, of Brunner and Munzel's test after Holm's adjustment over the words.

    Args:
        rows: Results of `wep_elicitation`; its rows of `kl_divergence`, and of `p_holm` of
            `brunner_munzel_theta`, against any reference are drawn.
    """
    selected = select_rows(rows, "wep_elicitation", ["kl_divergence", "p_holm"], _COMPARISON_PARTS)
    selected = selected[selected["versus"] != ""]
    values = selected[selected["metric"] == "kl_divergence"]
    if values.empty:
        raise InvalidArgument("There is nothing to draw: no row has kl_divergence.")
    is_test = (selected["metric"] == "p_holm") & (selected["of"] == "brunner_munzel_theta")
    tests = selected[is_test].drop_duplicates(_COMPARISON_KEY)  # a row may be given twice
    tests = tests.rename(columns={"value": "p_value"})
    values = values.merge(tests[[*_COMPARISON_KEY, "p_value"]], "left", on=_COMPARISON_KEY)
    names, word_remark = first_names(list(dict.fromkeys(values["word"])), _MOST_WORDS, "words")
    tables = []
    limits = (0.0, float(values["value"].max()) or 1.0)  # of the colours; 1 if all are 0
    for (model, versus), of_reference in values.groupby(["model", "versus"], sort=False):
        title = f"{shortened(str(model))}\nagainst {shortened(str(versus))}"
        columns = panels(
            of_reference,
            ["language", "setting", "dataset", "variant"],
            always_in_title=["language", "setting"],
            separator=", ",
        )
        tables.append(_word_table(title, columns, names, word_remark, limits, "{:.1f}".format))
    return cells(tables)


_DIFFERENCE_METRICS = ("paired_difference", "median_difference", "brunner_munzel_theta")


@styled
def word_differences(rows: pd.DataFrame) -> Figure:
    """Draw the difference of each word from its reference, with 95% intervals.

    The reference is people, or another setting, language or model. There is one panel for each
    measure, comparison, model, data set, variant and language. Marks are filled if p < 0.05 after
    Holm's adjustment, and hollow otherwise. Differences of medians have no such p, so that theirs
    are hollow; without rows of `p_holm` all marks are filled.

    Args:
        rows: Results of `wep_elicitation`; its rows of `brunner_munzel_theta`,
            `paired_difference` and `median_difference` are drawn, those that are there.
    """
    selected = select_rows(rows, "wep_elicitation", _DIFFERENCE_METRICS, _COMPARISON_PARTS)
    sides = list(map(_compared_sides, selected.to_dict("records")))
    first, second, compared = zip(*sides, strict=True)
    selected = selected.assign(name=selected["word"], first=first, second=second, compared=compared)
    selected["filled"] = _are_significant(selected, rows)
    return dots(
        list(_difference_panels(_sorted_by_setting(selected))),
        list(dict.fromkeys(selected["word"])),
        "words",
    )


def _compared_sides(row: Mapping[Hashable, Any]) -> tuple[str, str, str]:
    """Return the names of both compared sides, and a title of their comparison.

    `row` is a row of results with the model's setting and language, and `versus`, the name of the
    reference: `human`, a setting such as `concise`, a language or a model.
    """
    setting = _ALL_SETTINGS.get(row["setting"], str(row["setting"]))
    first, second = shortened(str(row["model"]), 18), str(row["versus"])
    if second == "human":
        return "model", "people", setting
    if second in _SETTINGS:
        return setting, second, f"{setting} against {second}"
    if second == "en" and row["language"] != "en":  # a model in another language than English
        first = str(row["language"])
    second = shortened(second, 18)
    return first, second, f"{first} against {second}" + (f", {setting}" if setting else "")


def _difference_panels(selected: pd.DataFrame) -> Iterator[Panel]:
    """Yield a panel for each measure and comparison; its axis label says the direction.

    `selected` has the columns of `word_differences`: the names of both sides (`first`, `second`),
    and the title of their comparison (`compared`).
    """
    for metric in _DIFFERENCE_METRICS:
        of_metric = selected[selected["metric"] == metric]
        if of_metric.empty:
            continue
        is_theta = metric == "brunner_munzel_theta"  # a probability; others are differences
        keys = ("compared", "model", "dataset", "variant", "language")
        for title, panel_rows in panels(
            of_metric,
            keys,
            always_in_title=["compared"],
            value_text=lambda name, value: value if name == "compared" else shortened(value, 24),
            separator=", ",
        ):
            first, second = panel_rows[["first", "second"]].iloc[0]
            series = [("", panel_rows)]
            if is_theta:
                label = f"P({second} > {first})"
                yield Panel(title, label, series=series, reference=0.5, within=(-0.02, 1.02))
            else:
                label = f"{second} minus {first}, points"
                yield Panel(title, label, series=series, reference=0)


def _are_significant(selected: pd.DataFrame, rows: pd.DataFrame) -> list[bool]:
    """Return whether each selected difference has p < 0.05 after Holm's adjustment.

    A row of `p_holm` in `rows` names the metric that was tested as the part `of` of its column
    `condition`.
    Without any such row, all differences count as significant.
    """
    holm = rows[(rows["task"] == "wep_elicitation") & (rows["metric"] == "p_holm")]
    if holm.empty:
        return [True] * len(selected)
    significant = with_parts(holm[holm["value"] < 0.05], ["variant", *_COMPARISON_PARTS])
    significant_keys = set(significant[[*_COMPARISON_KEY, "of"]].itertuples(index=False, name=None))
    row_keys = selected[[*_COMPARISON_KEY, "metric"]].itertuples(index=False, name=None)
    return [key in significant_keys for key in row_keys]


_QUANTILES = ("0.05", "0.25", "0.5", "0.75", "0.95")
_PANEL_COLUMNS = ("model", "dataset", "variant", "language", "setting")
_ROW_HEIGHT, _LEGEND_ROWS = 0.32, 1.4  # inches; rows that the legend takes above the first word
_CATEGORY_BOUNDS = (0.6, 0.4)
"""Least medians of words of high and of moderate probability; other words are of low probability.

The study's figure of three categories names no bounds; these are the package's.
"""


@styled
def words(rows: pd.DataFrame) -> Figure:
    """Draw the probabilities that a model and people give to each word.

    There is one panel for each model, data set, variant, language and setting; the surveyed people
    are drawn in each panel. Boxes reach from the lower to the upper quartile, lines from the 5% to
    the 95% quantile; marks are at the median. Words are in the order of the people's medians, or of
    the model's if there are no people. Dotted lines separate words of high, moderate and low
    probability: with a median of at least 60%, of at least 40%, and below.

    Args:
        rows: What `detail` gives of `wep_elicitation`; its `probability_quantile` is drawn.
    """
    parts = ("language", "setting", "word", "q")
    selected = select_rows(rows, "wep_elicitation", ["probability_quantile"], parts)
    of_people = selected["model"] == PEOPLE
    people, of_models = selected[of_people], _without_repeated_settings(selected[~of_people])
    of_models["setting"] = of_models["setting"].replace(_ALL_SETTINGS)
    titled_rows = [(PEOPLE, of_models)]  # without a model one panel shows the people alone
    if len(of_models):
        titled_rows = panels(of_models, _PANEL_COLUMNS, separator=", ")
    titled, heights, widths, remarks = [], [], [], []
    for title, panel_rows in titled_rows:
        # From the most to the least likely word.
        names, remark = first_names(_words_by_median(people, panel_rows), _MOST_WORDS, "words")
        titled.append((title, (panel_rows, names)))
        heights.append(_ROW_HEIGHT * (len(names) + _LEGEND_ROWS))
        widths.append(tick_width(tick_labels(names)))
        remarks.append(remark)
    return facets(
        titled,
        lambda ax, rows_and_words: _draw_words(ax, people, *rows_and_words),  # for each panel
        x="stated probability",
        y="",
        columns=1,
        panel_inches=heights,
        shared="none",
        tick_inches=max(widths),
        remarks=remarks,
    )


@styled
def word_medians(rows: pd.DataFrame) -> Figure:
    """Draw medians that people and models give to each word, side by side, with quartiles.

    There is one panel for each setting, language, variant and data set. Its marks are the models
    and the surveyed people; lines reach from the lower to the upper quartile. All settings together
    are drawn only if there is no single setting.

    Args:
        rows: What `detail` gives of `wep_elicitation`; its `probability_quantile` is drawn.
    """
    parts = ("word", "q", "language", "setting")
    selected = select_rows(rows, "wep_elicitation", ["probability_quantile"], parts)
    key = [*_PANEL_COLUMNS, "word"]
    # A row for each word and source: the median as `value`, the quartiles as ends of an interval.
    column_by_q = {"0.5": "value", "0.25": "ci_low", "0.75": "ci_high"}
    quantiles = selected.drop_duplicates([*key, "q"]).set_index([*key, "q"])["value"]
    wide = quantiles.unstack().reindex(columns=list(column_by_q)).reset_index()
    wide = wide.rename(columns={**column_by_q, "word": "name"})
    of_people = wide["model"] == PEOPLE
    people, of_models = wide[of_people], _sorted_by_setting(wide[~of_people])
    single = of_models[of_models["setting"] != "all"]
    of_models = single if len(single) else of_models.assign(setting=_ALL_SETTINGS["all"])
    models = list(dict.fromkeys([*people["model"], *of_models["model"]]))
    titled = [("", of_models)]
    if len(of_models):  # else there are only people
        keys = ("setting", "language", "variant", "dataset")
        titled = panels(of_models, keys, separator=", ", title_of_one=False)
    panels_drawn = []
    for title, panel_rows in titled:
        all_rows = pd.concat([people, panel_rows])
        series = series_by(all_rows, "model", {model: shortened(model) for model in models})
        panels_drawn.append(
            Panel(title, "stated probability", series, reference=0.5, within=(0, 1), models=models)
        )
    by_people = selected["model"] == PEOPLE
    return dots(panels_drawn, _words_by_median(selected[by_people], selected[~by_people]), "words")


def _without_repeated_settings(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows without those over all settings that repeat a model's only setting.

    A run in a single setting has the same numbers under the setting `all`.
    """
    run = [name for name in _PANEL_COLUMNS if name != "setting"]
    settings = rows.groupby(run)["setting"].transform("nunique")
    n_settings = 2  # the only setting, and all of them
    return rows[(rows["setting"] != "all") | (settings != n_settings)].copy()


def _draw_words(ax: Axes, people: pd.DataFrame, of_model: pd.DataFrame, names: list[str]) -> None:
    """Draw the people's and the model's boxes in a row for each word, and lines between categories.

    `people` and `of_model` are rows of quantiles; `names` are the words, from the top to the foot.
    The categories are words of high, moderate and low probability, with a median of at least 0.6,
    of at least 0.4, and below.
    """
    asked_people = people[people["word"].isin(names)]
    # Name of the side, unit of its n, its rows, and its look. People are of no model's colour.
    people_look = {**mark(1), "color": INK}
    sides = [(PEOPLE, "", asked_people, people_look), ("model", " contexts", of_model, mark(0))]
    sides = [side for side in sides if len(side[2])]
    for position, (source, unit, rows, look) in enumerate(sides):
        # In the row of a word, people's boxes are above the model's.
        shift = 0.38 * (position - (len(sides) - 1) / 2)
        counts = " to ".join(map(str, sorted({rows["n"].min(), rows["n"].max()})))
        label = f"{source} ({counts}{unit})"
        _draw_boxes(ax, names, rows=rows, shift=shift, label=label, look=look)
    ax.set_xlim(-0.02, 1.05)
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
    ax.set_yticks(range(len(names)), tick_labels(names))
    ax.set_ylim(len(names) - 0.4, -0.6 - _LEGEND_ROWS)  # the legend is above the first word
    medians = _median_by_word(asked_people, of_model).reindex(names)
    n_words_above = {int((medians >= bound).sum()) for bound in _CATEGORY_BOUNDS}
    for n_words in sorted(n_words_above - {0, len(names)}):
        ax.axhline(n_words - 0.5, color=INK, linewidth=0.8, linestyle=":", zorder=1)
    ax.legend(loc="upper left", borderaxespad=0, handlelength=1, handletextpad=0.4)


def _quantile_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a table with words in rows and quantiles in columns."""
    wide = rows.pivot_table(index="word", columns="q", values="value", aggfunc="first", sort=False)
    return wide.reindex(columns=list(_QUANTILES))


def _words_by_median(people: pd.DataFrame, of_model: pd.DataFrame) -> list[str]:
    """Return the words from the most to the least likely, by medians of people or the model."""
    names = _median_by_word(people, of_model).sort_values(ascending=False, kind="stable").index
    return list(map(str, names))


def _median_by_word(people: pd.DataFrame, of_model: pd.DataFrame) -> "pd.Series[Any]":
    """Return the median of each word: that of people, or the model's if people lack the word.

    Words that the model lacks are left out, unless there is no model.
    """
    people_medians = _quantile_table(people)["0.5"]
    model_medians = _quantile_table(of_model)["0.5"]
    if len(model_medians):
        people_medians = people_medians[people_medians.index.isin(model_medians.index)]
    is_model_only = ~model_medians.index.isin(people_medians.index)
    medians: pd.Series[Any] = pd.concat([people_medians, model_medians[is_model_only]])
    return medians


def _draw_boxes(
    ax: Axes, names: list[str], rows: pd.DataFrame, shift: float, label: str, look: dict[str, Any]
) -> None:
    """Draw a box for each name from the quantiles in `rows`, and a mark at the median.

    `shift` is the distance down from the middle of the name's row; `look` has colour and marker.
    Boxes in the colour of text, those of people, are hatched.
    """
    table = _quantile_table(rows).reindex(names)
    low, first, median, third, high = table[list(_QUANTILES)].to_numpy(float).T
    y, color = np.arange(len(names)) + shift, look["color"]
    ax.hlines(y, low, high, color=color, linewidth=1.1)
    bar: dict[str, Any] = {"height": 0.3, "left": first, "edgecolor": color, "zorder": 2}
    ax.barh(y, third - first, facecolor=PAPER, **bar)  # hides the line within the box
    # The people's boxes are hatched, so that the two differ without their colour too.
    hatch = "/////" if color == INK else None
    ax.barh(y, third - first, facecolor=color, alpha=0.35, hatch=hatch, **bar)
    edge: dict[str, Any] = {"linestyle": "none", "markeredgecolor": PAPER}
    ax.plot(median, y, label=label, zorder=3, **edge, **look)
