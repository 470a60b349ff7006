"""Finer rows of the hedge study: distributions behind markers, which only figures draw."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from inspect_confidence._results import Result, encode_condition
from inspect_confidence.metrics import clustered_wilson_interval
from inspect_confidence.studies._hedge_rows import REPLY, completed_hedges, with_judges
from inspect_confidence.studies._hedge_sentences import Sentences
from inspect_confidence.studies._study import Resampling

MOST_MARKERS = 12
BINS = 10

_TASK = "hedge_markers"
_ALL = "all"
_NAN = float("nan")


def detail(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Bins of internal confidence of the commonest markers, over all data sets and splits.

    Args:
        frames: Judgments by task.
        resampling: How numbers are computed.

    Raises:
        InvalidArgument: A share lies outside [0, 1].
    """
    if _TASK not in frames:
        return []
    rows = with_judges(completed_hedges(frames[_TASK], resampling.markers))
    found: list[Result] = []
    for (model, variant, judge), said in rows.groupby(["model", "variant", "judge"], sort=False):
        run = Result(_TASK, str(model), _ALL, "", "", _NAN, _NAN, _NAN, 0, "")
        where = {"variant": variant, "judge": judge}
        found += _densities(Sentences.of(said), run, where, resampling.convention)
    return found


def _densities(
    said: Sentences, run: Result, condition: Mapping[str, object], convention: str | None
) -> Iterator[Result]:
    """The share of a marker's sentences in each bin, with Wilson's interval over items."""
    counted = said.counted(convention)
    markers = said.markers(counted, 0)
    note = _left_out(said, counted, markers[MOST_MARKERS:])
    for marker in markers[:MOST_MARKERS]:
        mine = counted[counted["standard"] == marker]
        unit = pd.factorize(mine["unit"])[0]
        trials = np.bincount(unit).astype(float)
        # 0.3 * 10 may be a little below 3: what is that close to an edge is on it.
        place = np.floor(mine["confidence"].to_numpy(float) * BINS + 1e-9).clip(0, BINS - 1)
        for k in range(BINS):
            inside = np.bincount(unit, place == k)
            low, high = clustered_wilson_interval(inside, trials)
            name = f"{k / BINS:g}-{(k + 1) / BINS:g}"
            yield replace(
                run,
                condition=encode_condition({**condition, "marker": marker, "bin": name}),
                metric="confidence_share",
                value=float(inside.sum() / len(mine)),
                ci_low=low,
                ci_high=high,
                n=len(mine),
                note=note,
            )


def _left_out(said: Sentences, counted: pd.DataFrame, rarer: Sequence[str]) -> str:
    """Which sentences aren't in the rows, for a note."""
    dropped = int(counted["standard"].isin(rarer).sum())
    lost = len(said.once) - len(counted.drop_duplicates([*REPLY, "sentence"]))
    told = [
        f"{len(rarer)} rarer markers in {dropped} sentences left out" if rarer else "",
        f"{lost} of {len(said.once)} sentences, of several markers or not judged, left out"
        if lost
        else "",
    ]
    return "; ".join(filter(None, told))
