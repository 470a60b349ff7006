"""Words under two conditions: differences with their intervals."""

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from inspect_confidence._results import with_parts
from inspect_confidence.plots._dots import Panel, dots
from inspect_confidence.plots._rows import drawn, groups
from inspect_confidence.plots._style import shortened, styled
from inspect_confidence.plots._word_settings import SETTINGS, settings_in_order

_METRICS = ("paired_difference", "median_difference", "brunner_munzel_theta")
_PARTS = ("language", "setting", "versus", "word", "of")
_KEYS = ("model", "dataset", "variant", "language", "setting", "versus", "word")


@styled
def word_differences(rows: pd.DataFrame) -> Figure:
    """Each word under a condition against its reference, with 95% intervals.

    A panel a measure and comparison. Filled marks have p < 0.05 after Holm's adjustment, where
    rows of `p_holm` are given; all marks are filled where none are.

    Args:
        rows: Results of `wep_elicitation`; its rows of `brunner_munzel_theta`,
            `paired_difference` and `median_difference` are drawn, those that are there.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    there = drawn(rows, "wep_elicitation", _METRICS, _PARTS)
    sides = [_sides(row) for row in there.to_dict("records")]
    there = there.assign(
        name=there["word"],
        first=[first for first, _, _ in sides],
        second=[second for _, second, _ in sides],
        compared=[_title(*side) for side in sides],
        filled=_filled(there, rows),
    )
    ordered = settings_in_order(there)
    return dots(list(_panels(ordered)), list(dict.fromkeys(there["word"])), "words")


def _sides(row: Mapping[Hashable, Any]) -> tuple[str, str, str]:
    """What is compared with what, and in which setting where that is not what differs."""
    setting = "all settings" if row["setting"] == "all" else str(row["setting"])
    versus = str(row["versus"])
    if versus == "human":
        return "model", "people", setting
    if versus in SETTINGS:
        return setting, versus, ""
    if versus == "en" and row["language"] != "en":
        return str(row["language"]), versus, setting
    return shortened(str(row["model"]), 18), shortened(versus, 18), setting


def _title(first: str, second: str, setting: str) -> str:
    if second == "people":
        return setting
    return f"{first} against {second}" + (f", {setting}" if setting else "")


def _panels(there: pd.DataFrame) -> Iterator[Panel]:
    for metric in _METRICS:
        mine = there[there["metric"] == metric]
        if mine.empty:
            continue
        theta = metric == "brunner_munzel_theta"
        several = [name for name in ("model", "dataset", "variant") if mine[name].nunique() > 1]
        if mine["language"].nunique() > 1:
            several.append("language")
        for _, some in groups(mine, ["compared", *several]):
            first, second = some[["first", "second"]].iloc[0]
            label = f"P({second} > {first})" if theta else f"{second} less {first}, points"
            also = [shortened(str(some[name].iloc[0]), 24) for name in several]
            named = ", ".join([str(some["compared"].iloc[0]), *filter(None, also)])
            within = (-0.02, 1.02) if theta else None
            yield Panel(named, label, [("", some)], 0.5 if theta else 0, within)


def _filled(there: pd.DataFrame, rows: pd.DataFrame) -> list[bool]:
    """Which rows differ after Holm's adjustment; all where no test is given."""
    holm = rows[(rows["task"] == "wep_elicitation") & (rows["metric"] == "p_holm")]
    if holm.empty:
        return [True] * len(there)
    found = with_parts(holm[holm["value"] < 0.05], ["variant", *_PARTS])
    marked = set(found[[*_KEYS, "of"]].itertuples(index=False, name=None))
    mine = there[[*_KEYS, "metric"]].itertuples(index=False, name=None)
    return [one in marked for one in mine]
