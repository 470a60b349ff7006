"""The study of words of estimative probability: judgments -> results, comparisons and tables."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from inspect_confidence.references import bibtex
from inspect_confidence.results import Condition, Result
from inspect_confidence.studies.compare import differences, means_contrast
from inspect_confidence.studies.estimate import unit_indices
from inspect_confidence.studies.study import Difference, Resampling, Study, TaskTable
from inspect_confidence.studies.wep_probes import choices, shown, words
from inspect_confidence.studies.wep_probes.columns import CHOICE_COLUMNS, ELICITATION_COLUMNS


def summarize(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Return the results of both probes: words to numbers, and numbers to words."""
    results: list[Result] = []
    if "wep_elicitation" in frames:
        # A file may leave out the context: each item is then a context of its own.
        statements = words.fill_missing_contexts(frames["wep_elicitation"])
        results += words.words_to_numbers(statements, resampling)
    if "wep_choice" in frames:
        results += choices.numbers_to_words(frames["wep_choice"], resampling)
    return results


def compare(a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling) -> list[Difference]:
    """Return the differences on the contexts, or prompts, that both answered readably.

    Words to numbers: the mean probability of each word. Numbers to words: the consistency scores.
    """
    if a["task"].iloc[0] == "wep_elicitation":
        sides = [_word_values(words.fill_missing_contexts(side)) for side in (a, b)]
    else:
        sides = [_score_values(side, resampling.convention) for side in (a, b)]
    # Rows of both sides: `name` is condition and metric, `item` the resampled unit, and `key` names
    # a value within the item.
    joined = sides[0].merge(sides[1], on=["name", "item", "key"], suffixes=("_a", "_b"))
    column, names = pd.factorize(joined["name"].to_numpy())
    items = pd.Index(sorted(set(joined["item"])))
    unit_index, columns_of_sides = unit_indices(joined, items), []
    # For each side: its values, in the column of their name, and the position of their item.
    for side in ("value_a", "value_b"):
        values = np.full((len(joined), len(names)), np.nan)
        values[np.arange(len(joined)), column] = joined[side]
        columns_of_sides.append((values, unit_index))
    counts = joined.groupby("name", sort=False).size().tolist()
    contrast = means_contrast(list(names), columns_of_sides, counts, len(items))
    return differences(contrast, resampling)


def _word_values(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the mean probability of each word by context and setting, as rows to compare.

    `name` is the condition and metric, `item` the context, `key` the setting. Rows of two models or
    variants with the same three are compared, and items are resampled.
    """
    readable = frame[frame["status"] == "ok"]
    keys = ["language", "setting", "context", "word"]
    means = readable.groupby(keys, as_index=False, sort=False)["probability"].mean()
    names = [
        (Condition(language=row.language, setting=row.setting, word=row.word), "mean_probability")
        for row in means.itertuples()
    ]
    values = {"item": means["context"], "key": means["setting"], "value": means["probability"]}
    return pd.DataFrame({"name": names, **values})


def _score_values(frame: pd.DataFrame, convention: str | None) -> pd.DataFrame:
    """Return the values of all units of each score, with and without reasoning and altogether.

    A unit is what a score judges, such as a sequence of prompts; without a value it is left out.
    Its `name` is condition and score. Its `item` is a cluster of units: complementary sequences of
    one scenario, set of choices and kind of numbers; `key` names the unit in it. `convention` is
    `authors`, or None for the definitions of the study's text.
    """
    conditions = [Condition(), Condition(cot="without"), Condition(cot="with")]
    parts = []
    # A judgment without a prompt, whose sample could not be read, belongs to no unit.
    ranked_choices = choices.rank_choices(frame[frame["interval"] != ""], convention)
    for metric, units in choices.score_units(ranked_choices, convention).items():
        mode = units["cot"].map(choices.MODES)
        values = {"item": choices.unit_clusters(units), "key": mode + " " + units["key"]}
        scores = pd.DataFrame({**values, "value": units["value"]})
        for condition in conditions:  # an empty one is for both modes together
            rows = scores[mode == condition["cot"]] if condition else scores
            names = pd.Series([(condition, metric)] * len(rows), rows.index, dtype=object)
            parts.append(rows.assign(name=names).dropna(subset="value"))
    return pd.concat(parts, ignore_index=True)


WEP_PROBES = Study(
    name="wep_probes",
    title="Words of estimative probability: words to numbers, and numbers to words",
    question='Each model says which probability a word such as "likely" means in a short text, or '
    "which word fits how many of 20 numbers lie in an interval.",
    tables=(
        TaskTable(
            task="wep_elicitation",
            columns=ELICITATION_COLUMNS,
            required=("item", "word", "setting", "language"),
            answers=(("probability",),),
            arguments_shown=frozenset(
                {"dataset", "items", "split", "settings", "languages", "words", "prompt", "system"}
            ),
            read=words.read_statement,
            conventions=frozenset({"authors"}),
            varied=("word", "setting", "language"),
        ),
        TaskTable(
            task="wep_choice",
            columns=CHOICE_COLUMNS,
            required=("item", "scenario", "choice_set", "numbers", "point", "interval"),
            answers=(("choice",),),
            arguments_shown=frozenset({"dataset", "items", "split", "cot", "prompt", "system"}),
            read=choices.read_sentence,
            conventions=frozenset({"authors"}),
            varied=("scenario", "choice_set", "numbers", "point", "interval", "cot"),
            contradictions={
                ("scenario", "choice_set", "numbers", "point", "interval"): choices.unknown_prompts
            },
            replies=lambda rows: rows.assign(cot=rows["cot"].map(choices.MODES)),
        ),
    ),
    contenders=(),
    summarize=summarize,
    compare=compare,
    views=shown.word_tables,
    detail=shown.detail,
    figures=shown.FIGURES,
    headlines=shown.HEADLINES,
    clauses=shown.CLAUSES,
    options=words.WepOptions,
    reference=bibtex("tang2024estimative"),
)
