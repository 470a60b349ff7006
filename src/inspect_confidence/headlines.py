"""The numbers that stand for a model: which rows of the results they are."""

from typing import Any

import pandas as pd

from inspect_confidence.results import Condition, conditions_of
from inspect_confidence.studies import Headline, all_studies


def headline_rows(results: pd.DataFrame) -> pd.DataFrame:
    """The rows that stand for each model and variant, in the studies' order.

    Args:
        results: In the layout of results.

    Returns:
        Those rows, with their index, and the columns `label`, `variant`, `judge` and `study`.
    """
    decoded = conditions_of(results)
    variants = pd.Series([parts.get("variant", "") for parts in decoded], index=results.index)
    judges = pd.Series([parts.get("judge", "") for parts in decoded], index=results.index)
    texts = [str(parts.but(variant="", judge="")) for parts in decoded]
    said = pd.Series(texts, index=results.index, dtype=object)
    found = [
        results[_is(headline, results, said)].assign(label=headline.label, study=study.name)
        for study in all_studies()
        for headline in study.headlines
    ]
    there = [one for one in found if len(one)]
    if not there:
        return results.iloc[:0].assign(label="", study="", variant="", judge="")
    rows = pd.concat(there)
    return rows.assign(variant=variants.loc[rows.index], judge=judges.loc[rows.index])


def _is(headline: Headline, results: pd.DataFrame, said: "pd.Series[Any]") -> "pd.Series[bool]":
    wanted = str(Condition(headline.where))
    return (
        (results["task"] == headline.task)
        & (results["metric"] == headline.metric)
        & (said == wanted)
    )
