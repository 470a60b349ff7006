"""The study of words of estimative probability: judgments -> results, comparisons and tables."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.metrics import means_of
from inspect_confidence.references import bibtex
from inspect_confidence.results import Result, encode_condition
from inspect_confidence.studies.compare import differences
from inspect_confidence.studies.study import Difference, Resampling, Study, TaskTable, View
from inspect_confidence.studies.wep_probes.choices import (
    clusters_of,
    numbers_to_words,
    ranked,
    units,
)
from inspect_confidence.studies.wep_probes.judgments import (
    read_sentence,
    read_statement,
)
from inspect_confidence.studies.wep_probes.shown import FIGURES, HEADLINES, detail, word_tables
from inspect_confidence.studies.wep_probes.words import WepOptions, stated, words_to_numbers

FloatArray = NDArray[np.float64]


def summarize(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """All results of the study.

    Args:
        frames: Judgments by task.
        resampling: How numbers are computed.
    """
    found: list[Result] = []
    if "wep_elicitation" in frames:
        found += words_to_numbers(stated(frames["wep_elicitation"]), resampling)
    if "wep_choice" in frames:
        found += numbers_to_words(frames["wep_choice"], resampling)
    return found


def compare(a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling) -> list[Difference]:
    """Differences of two contenders on the contexts, or prompts, that both answered readably.

    Words to numbers: the mean probability of each word. Numbers to words: the consistency scores.
    """
    if a["task"].iloc[0] == "wep_elicitation":
        sides = [_word_values(stated(side)) for side in (a, b)]
    else:
        sides = [_unit_values(side, resampling.convention) for side in (a, b)]
    by = ["condition", "metric", "item", "key"]
    together = sides[0].merge(sides[1], on=by, suffixes=("_a", "_b"))
    items = pd.Index(sorted(set(together["item"])))
    if not len(items):
        return []
    names = list(dict.fromkeys(zip(together["condition"], together["metric"], strict=True)))
    columns = {name: i for i, name in enumerate(names)}
    place = [columns[name] for name in zip(together["condition"], together["metric"], strict=True)]
    unit = items.get_indexer(pd.Index(together["item"])).astype(np.int64)
    means = []
    for side in ("value_a", "value_b"):
        values = np.full((len(together), len(names)), np.nan)
        values[np.arange(len(together)), place] = together[side]
        means.append((values, unit))

    def statistic(first: FloatArray | None, second: FloatArray | None) -> FloatArray:
        sides = [(m, w) for m, w in zip(means, (first, second), strict=True) if w is not None]
        values = np.vstack([m[0] for m, _ in sides])
        units_of = np.concatenate([m[1] + k * len(items) for k, (m, _) in enumerate(sides)])
        weights = np.hstack([w for _, w in sides])
        return means_of(values, units_of.astype(np.int64), weights.shape[1])(weights)

    counts = [
        int(n) for n in together.groupby(["condition", "metric"], sort=False)["item"].nunique()
    ]
    return differences(statistic, names, counts, len(items), resampling)


def _word_values(frame: pd.DataFrame) -> pd.DataFrame:
    read = frame[frame["status"] == "ok"]
    by = ["language", "setting", "context", "word"]
    means = read.groupby(by, as_index=False, sort=False)["probability"].mean()
    where = [
        encode_condition({"language": language, "setting": setting, "word": word})
        for language, setting, word in zip(
            means["language"], means["setting"], means["word"], strict=True
        )
    ]
    return pd.DataFrame(
        {
            "condition": where,
            "metric": "mean_probability",
            "item": means["context"],
            "key": means["setting"],
            "value": means["probability"],
        }
    )


def _unit_values(frame: pd.DataFrame, convention: str | None) -> pd.DataFrame:
    """Units of every score; the items are clusters of complementary sequences."""
    parts = []
    for metric, unit in units(ranked(frame, convention), convention).items():
        modes = ["with" if cot else "without" for cot in unit["cot"]]
        parts.append(
            pd.DataFrame(
                {
                    "condition": [f"cot={mode}" for mode in modes],
                    "metric": metric,
                    "item": clusters_of(unit),
                    "key": unit["key"],
                    "value": unit["value"],
                }
            ).dropna(subset="value")
        )
    return pd.concat(parts, ignore_index=True)


def views(results: pd.DataFrame) -> list[View]:
    """The study's tables, a group of them a model and variant."""
    return word_tables(results)


WEP_PROBES = Study(
    name="wep_probes",
    title="Words of estimative probability: words to numbers, and numbers to words",
    tables=(
        TaskTable(
            task="wep_elicitation",
            columns={
                "word": "text",
                "context": "text",
                "setting": "text",
                "language": "text",
                "probability": "number",
            },
            required=("item", "word", "setting", "language"),
            answers=(("probability",),),
            arguments_shown=frozenset(
                {"dataset", "items", "split", "settings", "languages", "words", "prompt", "system"}
            ),
            compared_within=(),
            read=read_statement,
        ),
        TaskTable(
            task="wep_choice",
            columns={
                "scenario": "text",
                "choice_set": "number",
                "numbers": "text",
                "point": "number",
                "interval": "text",
                "cot": "flag",
                "reply": "text",
                "choice": "text",
            },
            required=("item", "scenario", "choice_set", "numbers", "point", "interval"),
            answers=(("choice",),),
            arguments_shown=frozenset({"dataset", "items", "split", "cot", "prompt", "system"}),
            compared_within=(),
            read=read_sentence,
        ),
    ),
    contenders=(),
    summarize=summarize,
    compare=compare,
    views=views,
    detail=detail,
    figures=FIGURES,
    headlines=HEADLINES,
    options=WepOptions,
    reference=bibtex("tang2024estimative"),
)
