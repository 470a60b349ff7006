"""Hedge markers: their internal confidence, how it is distributed, and how decisive they are."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import starmap
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.plots.cells import CellTable, cells
from inspect_confidence.plots.dots import Panel, dots, series_by
from inspect_confidence.plots.layout import facets, panels, select_rows, share_ticks, tick_width
from inspect_confidence.plots.style import DASHED, FAINT, INK, SERIES, point_looks, styled
from inspect_confidence.plots.text import first_names
from inspect_confidence.printing import counted, shortened
from inspect_confidence.studies.hedge_markers.forms import DEFAULT_THRESHOLD

_TASK = "hedge_markers"
_PANEL_COLUMNS = ("model", "variant", "judge", "marker_threshold")


def with_thresholds(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with their threshold T as text such as `T=10`, also if it is the default."""
    threshold = rows["marker_threshold"].replace("", f"{DEFAULT_THRESHOLD:g}")
    return rows.assign(marker_threshold="T=" + threshold)


def markers_by_frequency(rows: pd.DataFrame) -> list[str]:
    """Return the markers by their number of sentences over all rows, the commonest first."""
    sizes = rows.groupby("marker", sort=False)["n"].sum()
    return list(map(str, sizes.sort_values(ascending=False, kind="stable").index))


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
    labels = {split: f"split {shortened(split, 12)}" for split in selected["split"].unique()}
    if len(labels) == 1:  # a single split needs no legend
        labels = dict.fromkeys(labels, "")
    panels_drawn = []
    for title, panel_rows in panels(selected, (*_PANEL_COLUMNS, "dataset"), separator=", "):
        series = series_by(panel_rows, "split", labels)
        panels_drawn.append(Panel(title, "mean distance", series=series, reference=0))
    names = markers_by_frequency(selected)
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
    # A bin is named by its ends, such as 0.1-0.2.
    edges = selected["bin"].str.split("-", expand=True).astype(float)
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

    `rows` have the share of a marker's sentences (`value`) in each bin from `low` to `high`, in
    ascending order without gaps. A bin that is given twice is drawn once.
    """
    for place, marker in enumerate(markers):
        of_marker = rows[rows["marker"] == marker].drop_duplicates("bin")
        base = -float(place)  # markers are 1 apart, so that a share of 1 leaves a small gap
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


def select_whole_markers(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `mic`, a marker's internal confidence, over all its sentences.

    Rows of correct or faithful sentences alone are left out.
    """
    parts = ("split", "marker", "judge", "marker_threshold")
    return select_rows(rows, _TASK, ["mic"], parts, excluded_parts=("outcome", "faithful"))


def _panels_of_whole_markers(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return a title and the rows of `mic` for each model, variant, judge and threshold."""
    selected = with_thresholds(select_whole_markers(rows))
    return panels(selected, _PANEL_COLUMNS, separator=", ")


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
    return _cell_table(
        title,
        wide.reindex(order),
        _dataset_splits(rows),
        marker_remark=remark,
        write="{:.2f}".format,
        limits=(0, 1),
    )


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
    limits: tuple[float, float] | None = None,
) -> CellTable:
    """Return a table to draw, with a row for each marker and at most 12 columns.

    `wide` has values by marker (index), data set and split (columns), which `columns` puts in
    order; a NaN makes a blank cell. `marker_remark` is on markers that are not in `wide`; `limits`
    are as in `CellTable`.
    """
    shown_columns, column_remark = first_names(columns, 12, "columns")
    values = wide.reindex(columns=pd.MultiIndex.from_tuples(shown_columns)).to_numpy(float)
    headings = []
    for dataset, split in shown_columns:
        headings.append(" ".join(filter(None, (shortened(dataset, 13), shortened(split, 6)))))
    blank_remark = "blank: too few sentences" if np.isnan(values).any() else ""
    remark = f"{blank_remark}\n{marker_remark}\n{column_remark}"
    markers = list(map(str, wide.index))
    return CellTable(
        title, values, markers, columns=headings, write=write, remark=remark, limits=limits
    )


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
    """Return a table with the numbers of sentences of the 30 most frequent markers.

    The cell of a data set and split is blank if the marker has no row there.
    """
    keys = ["dataset", "split"]
    wide = rows.pivot_table(index="marker", columns=keys, values="n", aggfunc="first", sort=False)
    order = wide.sum(axis=1).sort_values(ascending=False, kind="stable").index
    markers, remark = first_names(list(map(str, order)), 30, "rarer markers")
    columns = _dataset_splits(rows)
    return _cell_table(
        title, wide.reindex(markers), columns, marker_remark=remark, write="{:.0f}".format
    )


_PARTS = ("split", "marker", "outcome", "faithful", *_PANEL_COLUMNS[2:])
_SIDES = {
    "": ("all", ""),
    "by correctness": ("correct", "incorrect"),
    "by faithfulness": ("yes", "no"),
}
"""Kinds of sentences by panel: those above its lines, and those below."""
_MOST_DATASETS, _MOST_SERIES = 24, 12


def _with_sides(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with the columns `side` and `name`, sorted by data set.

    A row of `mic`, a marker's mean internal confidence, is over its sentences in replies of one
    kind: by correctness (`outcome`), by faithfulness (`faithful`), or all. `side` is the kind, such
    as `correct` or `all`, which figures draw on one side of a line. In rows of other metrics it is
    the metric. `name` is the data set and split.
    """
    kind = rows["outcome"].where(rows["outcome"] != "", rows["faithful"])
    kind = kind.where(kind != "", "all")
    side = kind.where(rows["metric"] == "mic", rows["metric"])
    split = rows["split"].map(lambda split_name: shortened(split_name, 6))
    name = rows["dataset"].map(lambda dataset: shortened(dataset, 13)) + " " + split
    # Data sets stay in their order; the splits of one, which may be apart, become adjacent.
    places = pd.factorize(rows["dataset"])[0]
    return rows.assign(side=side, name=name.str.strip()).iloc[np.argsort(places, kind="stable")]


_MEAN_MARKERS = {"accuracy": "o", "cmfg": "*"}
_LEAST_SPREAD = 1e-9
_LEGEND = ("all, correct, faithful", "incorrect, unfaithful", "accuracy", "cMFG")


@styled
def mic_spread(rows: pd.DataFrame) -> Figure:
    """Draw markers' internal confidence in each data set, with its accuracy and cMFG.

    cMFG is the mean over bins of confidence of how well replies' decisiveness fits it. There is one
    panel over all sentences for each model, variant, judge and threshold (sentences that a marker
    needs). If rows have them, there is one panel by correctness and one by faithfulness of the
    reply, with correct and faithful replies above each line and the others below. A tick is a
    marker. Hills are kernel densities, each as high as its row, with a bandwidth of 0.15 standard
    deviations, or by Scott's rule if there are two sides, and of at least 0.01. Markers with one
    value in common have no hill.

    Args:
        rows: Results of `hedge_markers`; its rows of `mic` are drawn, and beside them those of
            `accuracy` and `cmfg`.
    """
    select_rows(rows, _TASK, ["mic"], parts=())  # raises if there is no `mic`, only the means
    selected = _repeat_means_by_threshold(
        with_thresholds(_with_sides(select_rows(rows, _TASK, ["mic", *_MEAN_MARKERS], _PARTS)))
    )
    titled, remarks, heights, tick_inches = [], [], [], 0.0
    for title, panel_rows in panels(selected, _PANEL_COLUMNS, separator=", "):
        names, remark = first_names(
            list(dict.fromkeys(panel_rows["name"])), _MOST_DATASETS, "data sets"
        )
        # Up to three panels: all sentences, by correctness, and by faithfulness. `sides` are the
        # kinds of sentences above and below each line.
        for sides_title, sides in _SIDES.items():
            if panel_rows["side"].isin(sides).any():
                titled.append((f"{title}\n{sides_title}", (panel_rows, names, sides)))
                remarks.append(remark)
                heights.append(0.42 * len(names) + 0.1)
                tick_inches = max(tick_inches, tick_width(names))
    looks: list[dict[str, Any]] = []  # for the legend: of both sides, and of both means
    for colour in SERIES[:2]:
        looks.append({"color": colour, "linewidth": 5, "alpha": 0.5})
    for marker in _MEAN_MARKERS.values():
        looks.append({"color": INK, "marker": marker, "linestyle": "none"})
    return facets(
        titled,
        lambda ax, content: _draw_hills(ax, *content),  # content: rows, names and sides
        x="internal confidence of markers",
        y="",
        columns=1,
        panel_inches=heights,
        shared="none",
        tick_inches=tick_inches,
        legend=_LEGEND,
        looks=looks,
        remarks=remarks,
    )


def _repeat_means_by_threshold(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with those of accuracy and cMFG repeated for each threshold of markers.

    A threshold is the number of sentences that a marker needs. It changes neither accuracy nor
    cMFG (how well decisiveness fits confidence), so that these two belong into each panel.
    """
    is_mean = rows["side"].isin(_MEAN_MARKERS)
    thresholds = rows.loc[~is_mean, "marker_threshold"].unique()
    copies = [rows[is_mean].assign(marker_threshold=threshold) for threshold in thresholds]
    return pd.concat([rows[~is_mean], *copies])


def _draw_hills(ax: Axes, rows: pd.DataFrame, names: Sequence[str], sides: tuple[str, str]) -> None:
    """Draw ticks, densities and means in one row for each name, for the kinds in `sides`.

    `rows` have `name`, `side` and `value`: a marker's confidence in sentences of the kind `side`,
    or a mean such as accuracy. The first of `sides` is above the row's line, the second below; the
    second may be empty. A density needs two values that differ.
    """
    has_two_sides = sides[1] != ""
    for place, name in enumerate(names):
        of_name, base = rows[rows["name"] == name], -float(place)
        ax.axhline(base, color=FAINT, linewidth=0.6)
        for k, side in enumerate(sides if has_two_sides else sides[:1]):
            values = of_name.loc[of_name["side"] == side, "value"].to_numpy(float)
            # In standard deviations; with two sides Scott's n ** -1/5 (a side may have no value).
            bandwidth = max(len(values), 1) ** -0.2 if has_two_sides else 0.15
            # Rows are 1 apart: two sides share the space between them.
            height = 0.42 if has_two_sides else 0.85
            _draw_side(ax, values, base, -height if k else height, bandwidth, SERIES[k])
        for metric, look in _MEAN_MARKERS.items():
            means = of_name.loc[of_name["side"] == metric, "value"].to_numpy(float)[:1]
            ax.plot(means, np.full(len(means), base), look, color=INK, zorder=3)
    ax.set_yticks(-np.arange(len(names)), names)
    ax.set(xlim=(-0.02, 1.02), ylim=(-len(names) + 0.45, 0.95 if not has_two_sides else 0.55))
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)


def _draw_side(
    ax: Axes, values: FloatArray, base: float, height: float, bandwidth: float, color: str
) -> None:
    """Draw ticks at the values and, if they differ, a hill, on one side of the line at `base`.

    The hill is a kernel density with a bandwidth in standard deviations, but of at least 0.01 on
    the axis, so that nearly equal values have a visible hill. Its `height` is below 0 if it points
    down.
    """
    ax.vlines(values, base, base + np.copysign(0.1, height), color=color, linewidth=1)
    spread = values.std(ddof=1) if len(values) > 1 else 0.0
    if spread > _LEAST_SPREAD:
        x, density = _density_hill(values, max(bandwidth, 0.01 / spread))
        top = base + height * density
        ax.fill_between(x, base, top, color=color, alpha=0.35, linewidth=0)


def _density_hill(values: FloatArray, bandwidth: float) -> tuple[FloatArray, FloatArray]:
    """Return points in [0, 1] and there a Gaussian kernel density of values, scaled to height 1.

    The bandwidth is in standard deviations of the values, of which at least two must differ.
    """
    # Imported here because scipy.stats takes half a second, which every command would pay.
    from scipy.stats import gaussian_kde  # noqa: PLC0415

    x = np.linspace(0, 1, 201)
    density = gaussian_kde(values, bandwidth)(x)
    return x, density / density.max()


_PAIR_TITLES = {
    ("correct", "incorrect"): "where correct (up) against incorrect",
    ("yes", "no"): "where faithful (up) against unfaithful",
    ("decisiveness_gap", "all"): "distance from decisiveness (up) against MIC",
}


@styled
def mic_pairs(rows: pd.DataFrame) -> Figure:
    """Draw each marker's internal confidence under one condition against another.

    There is one mark for each marker and data set, and up to three panels for each model, variant,
    judge and threshold (sentences that a marker needs): correct replies against incorrect ones,
    faithful against unfaithful ones, and the mean distance of decisiveness from internal confidence
    against internal confidence. On the dashed line both are equal.

    Args:
        rows: Results of `hedge_markers`; its rows of `mic` and `decisiveness_gap` are drawn.
    """
    selected = with_thresholds(
        _with_sides(select_rows(rows, _TASK, ["mic", "decisiveness_gap"], _PARTS))
    )
    # A row for each marker in a data set, with a column for each side, such as `correct`.
    key = [*_PANEL_COLUMNS, "name", "dataset", "split", "marker"]
    selected = selected.drop_duplicates([*key, "side"])  # a row may be given twice
    values = selected.set_index([*key, "side"])["value"]
    wide = values.unstack().reset_index()
    series, remark = first_names(list(dict.fromkeys(selected["name"])), _MOST_SERIES, "data sets")
    titled = list(_pair_panels(wide[wide["name"].isin(series)]))
    if not titled:
        raise InvalidArgument(
            "There is nothing to draw: no marker has a mic of correct and of incorrect replies, or "
            "of faithful and unfaithful ones, or a decisiveness_gap. Give what `summarize` makes."
        )
    looks = point_looks(len(series))
    return facets(
        titled,
        partial(_draw_pairs, looks=dict(zip(series, looks, strict=True))),
        x="internal confidence",
        y="",
        panel_inches=1.5,
        legend=series,
        looks=looks,
        remarks=lambda pairs: f"{counted(len(pairs), 'pair')}\n{remark}",
        most_lines=4,
    )


def _draw_pairs(ax: Axes, pairs: pd.DataFrame, looks: Mapping[str, dict[str, Any]]) -> None:
    """Draw a mark for each pair of confidences (`x`, `y`), in the look of its data set.

    `looks` are matplotlib's arguments by the column `name`. Pairs marked `free` need not be equal:
    their panel has no diagonal.
    """
    if not pairs["free"].any():
        ax.plot([0, 1], [0, 1], **DASHED, zorder=0)
    for name, look in looks.items():
        of_name = pairs[pairs["name"] == name]
        ax.plot(of_name["x"], of_name["y"], **look, markersize=3.5, alpha=0.8)
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    share_ticks(ax, "x", "y")


def _pair_panels(wide: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield each panel's title, and a row for each marker that has both values of the panel's pair.

    `wide` has a row for each marker, and a column for each side of a pair, such as `correct` and
    `incorrect`. The values become the columns `x` and `y`. `free` marks the pair whose values need
    not be equal, decisiveness gap and confidence in `all` sentences: its panel has no diagonal.
    """
    for title, panel_rows in panels(wide, _PANEL_COLUMNS, separator=", "):
        for (y, x), title_of_pair in _PAIR_TITLES.items():
            if {x, y} <= set(panel_rows.columns):
                defined = panel_rows[[x, y]].notna().all(axis=1)
                pairs = panel_rows[defined].assign(
                    x=panel_rows[x], y=panel_rows[y], free=x == "all"
                )
                if len(pairs):
                    yield f"{title}\n{title_of_pair}", pairs
