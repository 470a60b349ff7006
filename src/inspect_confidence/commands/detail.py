"""Judgments -> the finer rows that figures draw."""

from collections.abc import Iterator, Mapping
from os import PathLike

import pandas as pd

from inspect_confidence.arguments import choice, user_path
from inspect_confidence.commands.summarize import Source, judgments_of
from inspect_confidence.datasets.wep_survey import read_survey
from inspect_confidence.results import Result, encode_condition, results_frame
from inspect_confidence.studies import STUDIES, Resampling
from inspect_confidence.studies.life_eval.judgments import HALF_OPEN

_NAN = float("nan")


def detail(
    source: Source,
    *,
    resamples: int = 1_000,
    seed: int = 0,
    convention: str | None = None,
    survey: str | PathLike[str] | None = None,
) -> pd.DataFrame:
    """The finer rows of all judgments: bins, shares and curves, which only figures draw.

    They have the layout of results, metrics of the same registry, and Wilson's intervals; plus
    `status_count`, how many judgments of each model and data set have which status.

    Args:
        source: As `summarize` takes it.
        resamples: Bootstrap resamples of the items, where Wilson's interval doesn't apply; 1,000
            are taken at most, enough for the width of a line.
        seed: Of the resampling.
        convention: As in `summarize`.
        survey: As in `summarize`.

    Returns:
        A frame with the columns of results.

    Raises:
        InvalidArgument: The source can't be used, or holds no judgment.
    """
    frames = judgments_of(source)
    if convention is not None:
        choice("convention", convention, ("text", "authors"))
    people = read_survey(user_path("survey", survey)) if survey else None
    resampling = Resampling(resamples, seed=seed, convention=convention, survey=people)
    found: list[Result] = []
    for study in STUDIES:
        mine = {table.task: frames[table.task] for table in study.tables if table.task in frames}
        if any(map(len, mine.values())):
            found += [*_statuses(mine), *study.detail(mine, resampling)]
    return results_frame(found)


_TOLD_APART = ("language", "judge", "window")
"""Columns that tell figures of one model and data set apart."""


def _statuses(frames: Mapping[str, pd.DataFrame]) -> Iterator[Result]:
    """How many judgments have which status."""
    for task, frame in frames.items():
        # The default window isn't in conditions; a judge stands in some rows of a reply only.
        there = [name for name in _TOLD_APART if name in frame]
        parts = frame[there].astype(object).fillna("").replace(HALF_OPEN, "")
        told = frame[["model", "dataset", "variant", "status"]].join(parts)
        for key, some in told.groupby(list(told.columns), sort=False):
            model, dataset, *values = map(str, key)
            condition = encode_condition(dict(zip(told.columns[2:], values, strict=True)))
            count = len(some)
            yield Result(
                task, model, dataset, condition, "status_count", count, _NAN, _NAN, count, ""
            )
