"""The studies' tables of results, for the terminal and for files."""

from collections.abc import Iterator, Sequence

import pandas as pd

from inspect_confidence.studies import Study, View, all_studies
from inspect_confidence.studies.toolbox import toolbox_views
from inspect_confidence.studies.unread import without_unread


def views_of(results: pd.DataFrame) -> Iterator[tuple[Study, Sequence[View]]]:
    """The tables of every study that has results.

    Args:
        results: In the layout of results.
    """
    results = without_unread(results)
    for study in all_studies():
        mine = results[results["task"].isin([table.task for table in study.tables])]
        if len(mine) and (views := [*study.views(mine), *toolbox_views(mine)]):
            yield study, views
