"""Judgments -> results, and the finer rows that only figures draw."""

from collections.abc import Iterator, Mapping
from typing import Unpack

import pandas as pd

from inspect_confidence.commands.analysis import (
    Settings,
    parts_of,
    resamplings,
    results_of,
    streamed,
)
from inspect_confidence.judgments.read import Source
from inspect_confidence.judgments.streams import Stream
from inspect_confidence.results import Key, Result, results_frame
from inspect_confidence.studies import all_tables
from inspect_confidence.studies.life_eval.judgments import HALF_OPEN


def summarize(source: Source | Stream, **settings: Unpack[Settings]) -> pd.DataFrame:
    """The results of all judgments: one row a number.

    Args:
        source: Judgments (a frame, or frames by task), or paths that `read_judgments` takes; of a
            store no more than a model is in memory where its study allows that.
        **settings: How they are computed, as `Settings` says.

    Returns:
        A frame with the columns `task, model, dataset, condition, metric, value, ci_low, ci_high,
        n, note`, as docs/judgments.md describes them.

    Raises:
        InvalidArgument: The source or a setting can't be used, or there is no judgment.
    """
    if not isinstance(source, Stream):
        resamplings(settings)  # a mistake shall not cost the reading of the logs
        source = streamed(source, settings)
    return results_frame(results_of(source, settings))


def detail(source: Source, **settings: Unpack[Settings]) -> pd.DataFrame:
    """The finer rows of all judgments: bins, shares and curves, which only figures draw.

    They have the layout of results, metrics of the same registry, and Wilson's intervals; plus
    `status_count`, how many replies of each model and data set have which status.

    Args:
        source: As `summarize` takes it.
        **settings: As `Settings` says. Resamples of the items serve where Wilson's interval
            doesn't apply; 1,000 are taken at most, enough for the width of a line.

    Returns:
        A frame with the columns of results.

    Raises:
        InvalidArgument: The source or a setting can't be used, or there is no judgment.
    """
    results: list[Result] = []
    for part in parts_of(source, {"resamples": 1_000, **settings}):
        results += _statuses(part.frames)
        results += part.study.detail(part.frames, part.resampling)
    return results_frame(results)


_TOLD_APART = ("language", "judge", "window")
"""Columns that tell figures of one model and data set apart."""


def _statuses(frames: Mapping[str, pd.DataFrame]) -> Iterator[Result]:
    """How many replies have which status, each once."""
    for task, judgments in frames.items():
        frame = all_tables()[task].replies(judgments)
        # The default window isn't in conditions; a judge stands in some rows of a reply only.
        there = [name for name in _TOLD_APART if name in frame]
        parts = frame[there].astype(object).fillna("").replace(HALF_OPEN, "")
        told = frame[["model", "dataset", "variant", "status"]].join(parts)
        for key, some in told.groupby(list(told.columns), sort=False):
            model, dataset, *values = map(str, key)
            condition = dict(zip(told.columns[2:], values, strict=True))
            yield Key(task, model, dataset).result(
                condition, "status_count", len(some), n=len(some)
            )
