"""Hedge markers: their internal confidence, and how decisive they are."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import starmap

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inspect_confidence.plots.cells import CellTable, cells
from inspect_confidence.plots.dots import Panel, dots
from inspect_confidence.plots.layout import facets, panels, select_rows, tick_width
from inspect_confidence.plots.style import FAINT, SERIES, styled
from inspect_confidence.plots.text import first_names
from inspect_confidence.printing import shortened
from inspect_confidence.results import conditions_of
from inspect_confidence.studies.hedge_markers.forms import DEFAULT_THRESHOLD

_TASK = "hedge_markers"
_PANEL_COLUMNS = ("model", "variant", "judge", "marker_threshold")


def with_thresholds(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with their threshold T as text such as `T=10`, also if it is the default."""
    threshold = rows["marker_threshold"].replace("", f"{DEFAULT_THRESHOLD:g}")
    return rows.assign(marker_threshold="T=" + threshold)


@styled
def decisiveness_gap(rows: pd.DataFrame) -> Figure:
    """Draw by marker the mean distance of decisiveness (how sure words sound) from confidence.

    There is one panel for each model, variant, judge, threshold (sentences that a marker needs) and
    data set, and one mark with a 95% interval for each split. The 15 most frequent markers are
    drawn, in order of frequency.

    Args:
        rows: Results of `hedge_markers`; its rows of `decisiveness_gap` are drawn.
    """
    parts = ("split", "marker", "judge", "marker_threshold")
    selected = with_thresholds(select_rows(rows, _TASK, ["decisiveness_gap"], parts))
    selected = selected.assign(name=selected["marker"])
    sizes = selected.groupby("marker", sort=False)["n"].sum()
    names = list(map(str, sizes.sort_values(ascending=False, kind="stable").index))
    splits = list(dict.fromkeys(selected["split"]))
    panels_drawn = []
    for title, panel_rows in panels(selected, (*_PANEL_COLUMNS, "dataset"), separator=", "):
        series = []
        for split in splits:
            label = f"split {shortened(split, 12)}" if len(splits) > 1 else ""
            series.append((label, panel_rows[panel_rows["split"] == split]))
        panels_drawn.append(Panel(title, "mean distance", series=series, reference=0))
    return dots(panels_drawn, names, "rarer markers", most_names=15)


@styled
def mic_densities(rows: pd.DataFrame) -> Figure:
    """Draw the shares of each marker's sentences over bins of internal confidence.

    There is one panel for each model, variant, judge and data set, of which the title names those
    that differ. The markers go from the most to the least confident. All hills have one scale: a
    hill as high as the space between two markers contains all sentences in one bin.

    Args:
        rows: What `detail` gives of `hedge_markers`; its rows of `confidence_share` are drawn.
    """
    selected = select_rows(rows, _TASK, ["confidence_share"], parts=("judge", "marker", "bin"))
    edges = selected["bin"].str.split("-", expand=True).astype(float)  # of a bin such as 0.1-0.2
    selected = selected.assign(low=edges[0], high=edges[1]).sort_values("low", kind="stable")
    titled = panels(selected, ("model", "variant", "judge", "dataset"), separator=", ")
    titled_contents, remarks, heights, tick_inches = [], [], [], 0.0
    for title, panel_rows in titled:
        names, remark = _marker_labels(panel_rows)
        titled_contents.append((title, (panel_rows, names)))
        remarks.append(remark)
        heights.append(0.34 * len(names) + 0.3)
        tick_inches = max(tick_inches, tick_width(names.values()))
    return facets(
        titled_contents,
        lambda ax, rows_and_labels: _draw_histograms(ax, *rows_and_labels),  # once for each panel
        x="internal confidence (in brackets: sentences)",
        y="",
        columns=1,
        panel_inches=heights,
        shared="none",
        tick_inches=tick_inches,
        remarks=remarks,
    )


def _marker_labels(rows: pd.DataFrame) -> tuple[dict[str, str], str]:
    """Return labels of the 20 most frequent markers, and a remark on the others.

    Labels are by marker, the most confident first, such as `{"surely": "surely (12)"}` for a marker
    in 12 sentences. `rows` are bins of confidence from `low` to `high` with the share (`value`) of
    a marker's sentences; a marker's mean confidence is computed from the middles of the bins.
    """
    sizes = rows.groupby("marker")["n"].max().sort_values(ascending=False, kind="stable")
    commonest, remark = first_names(list(sizes.index), 20, "rarer markers")
    middles = rows["value"] * (rows["low"] + rows["high"]) / 2
    means = middles.groupby(rows["marker"]).sum()[commonest]
    labels = {}
    for marker in map(str, means.sort_values(ascending=False, kind="stable").index):
        labels[marker] = f"{shortened(marker, 18)} ({sizes[marker]})"
    return labels, remark


def _draw_histograms(ax: Axes, rows: pd.DataFrame, markers: Mapping[str, str]) -> None:
    """Draw a histogram for each marker, from the top down; `markers` are labels by marker.

    `rows` have the share of a marker's sentences (`value`) in a bin from `low` to `high`.
    """
    for place, marker in enumerate(markers):
        of_marker = rows[rows["marker"] == marker].drop_duplicates("bin")
        base = -float(place)
        edges = np.append(of_marker["low"].to_numpy(float), of_marker["high"].iloc[-1])
        top = base + 0.95 * of_marker["value"].to_numpy(float)
        ax.axhline(base, color=FAINT, linewidth=0.6)
        ax.stairs(top, edges, baseline=base, fill=True, color=SERIES[0], alpha=0.35)
        ax.stairs(top, edges, baseline=base, color=SERIES[0], linewidth=1.2)
    ax.set_yticks(-np.arange(len(markers)), list(markers.values()))
    ax.set(xlim=(0, 1), ylim=(-len(markers) + 0.9, 1.05))
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)


@styled
def mic(rows: pd.DataFrame) -> Figure:
    """Draw a table of marker internal confidence: markers in rows, data sets and splits in columns.

    There is one table for each model, variant, judge and threshold (sentences that a marker needs),
    in blocks of up to five columns. The most frequent markers are shown, from the most to the least
    confident on average. A cell is blank if the marker has too few sentences.

    Args:
        rows: Results of `hedge_markers`; its rows of `mic` over all sentences are drawn.
    """
    return cells(list(starmap(_mic_table, _panels_of_whole_markers(rows))))


def _panels_of_whole_markers(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return a title and the rows of `mic` for each model, variant, judge and threshold.

    `mic` is a marker's internal confidence; a threshold is how many sentences it needs. Only rows
    over all sentences of a marker are selected, not those of correct or faithful ones.
    """
    is_whole = []
    for condition in conditions_of(rows):
        is_whole.append("marker" in condition and not condition.keys() & {"outcome", "faithful"})
    parts = ("split", "marker", "judge", "marker_threshold")
    selected = select_rows(rows.loc[is_whole], _TASK, ["mic"], parts)
    return panels(with_thresholds(selected), _PANEL_COLUMNS, separator=", ")


def _mic_table(title: str, rows: pd.DataFrame) -> CellTable:
    """Return a table of internal confidences (MIC) of the 25 most frequent markers.

    Cells of a data set and split in which a marker has no MIC are blank.
    """
    sizes = rows.groupby("marker", sort=False)["n"].sum().sort_values(ascending=False)
    markers, remark = first_names(list(sizes.index), 25, "rarer markers")
    # Means over data sets, weighted by sentences: markers go from the most to the least confident.
    means = (rows["value"] * rows["n"]).groupby(rows["marker"]).sum() / sizes
    order = means[markers].sort_values(ascending=False, kind="stable").index
    wide = rows.pivot_table(
        index="marker", columns=["dataset", "split"], values="value", aggfunc="first"
    )
    columns = _dataset_splits(rows)
    table = _cell_table(
        title, wide.reindex(order), columns, marker_remark=remark, write="{:.2f}".format
    )
    return replace(table, limits=(0, 1))


def _dataset_splits(rows: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the pairs of data set and split; the splits of one data set are adjacent."""
    pairs: list[tuple[str, str]] = []
    for _, set_rows in rows.groupby("dataset", sort=False):
        pairs += dict.fromkeys(zip(set_rows["dataset"], set_rows["split"], strict=True))
    return pairs


def _cell_table(
    title: str,
    wide: pd.DataFrame,
    columns: Sequence[tuple[str, str]],
    marker_remark: str,
    write: Callable[[float], str],
) -> CellTable:
    """Return a table to draw, with a row for each marker and at most 12 columns.

    `wide` has values by marker (index), data set and split (columns), which `columns` puts in
    order; a NaN makes a blank cell. `marker_remark` is on markers that are not in `wide`.
    """
    shown_columns, column_remark = first_names(columns, 12, "columns")
    values = wide.reindex(columns=pd.MultiIndex.from_tuples(shown_columns)).to_numpy(float)
    headings = []
    for dataset, split in shown_columns:
        headings.append(" ".join(filter(None, (shortened(dataset, 13), shortened(split, 6)))))
    blank_remark = "blank: too few sentences" if np.isnan(values).any() else ""
    remark = f"{blank_remark}\n{marker_remark}\n{column_remark}"
    markers = list(map(str, wide.index))
    return CellTable(title, values, markers, columns=headings, write=write, remark=remark)


@styled
def marker_counts(rows: pd.DataFrame) -> Figure:
    """Draw the number of sentences with each marker, by data set and split.

    There is one table for each model, variant, judge and threshold (sentences that a marker needs),
    in blocks of up to five columns, with the markers in order of frequency. A cell is blank if the
    marker has too few sentences.

    Args:
        rows: Results of `hedge_markers`; `n` of its rows of `mic` over all sentences is drawn.
    """
    return cells(list(starmap(_count_table, _panels_of_whole_markers(rows))))


def _count_table(title: str, rows: pd.DataFrame) -> CellTable:
    """Return a table with the numbers of sentences of the 30 most frequent markers."""
    keys = ["dataset", "split"]
    wide = rows.pivot_table(index="marker", columns=keys, values="n", aggfunc="first", sort=False)
    order = wide.sum(axis=1).sort_values(ascending=False, kind="stable").index
    markers, remark = first_names(list(map(str, order)), 30, "rarer markers")
    columns = _dataset_splits(rows)
    return _cell_table(
        title, wide.reindex(markers), columns, marker_remark=remark, write="{:.0f}".format
    )
