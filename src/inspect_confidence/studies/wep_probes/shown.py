"""Tables, figures and headlines of the study of words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isnan

import numpy as np
import pandas as pd

from inspect_confidence.printing import STARS_TEXT, stars
from inspect_confidence.results import Condition, Key, Result, ResultRow, ResultTable
from inspect_confidence.studies.bins import bin_shares
from inspect_confidence.studies.notes import join_notes
from inspect_confidence.studies.study import (
    Clause,
    FigureSpec,
    Headline,
    NumberInText,
    Resampling,
    View,
)
from inspect_confidence.studies.tables import (
    Column,
    TableSpec,
    join_title,
    views_with_lines,
)
from inspect_confidence.studies.wep_probes import words
from inspect_confidence.studies.wep_probes.words import ALL_SETTINGS, HUMAN, TASK, Sample

PEOPLE = "people surveyed"
"""Value of `model` in results of the people surveyed."""

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Ends of the lines and boxes of figures, and the median between."""
BINS = 20
"""Bins of 5 percentage points, as in the study's divergences."""


def detail(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Return bins and quantiles of the probabilities stated for each word, by models and people.

    A side is a model in a language and setting, or in all settings. Only words that the models were
    asked are shown of people, and only if the survey has them.
    """
    if TASK not in frames:
        return []
    frame = words.fill_missing_contexts(frames[TASK])
    results: list[Result] = []
    for side in _with_all_settings(words.sides_of(frame)):
        for word, word_values in side.words.items():
            condition = side.condition.but(word=word)
            results += _distribution(word_values.sample, side.key, condition, word_values.note)
    survey = resampling.options(words.WepOptions).people()
    key = Key(TASK, PEOPLE, "survey")
    for word in map(str, frame["word"].unique()):
        if word in survey:
            sample = words.sample_of_people(survey, word)
            results += _distribution(sample, key, Condition(word=word), "")
    return results


def _with_all_settings(sides: Sequence[words.Side]) -> Iterator[words.Side]:
    """Yield the sides, and those of models asked in one setting also as the setting `all`.

    Figures of all settings together then include these models. A model that was asked in several
    settings has a side `all` already; a condition without `setting` has no settings.
    """
    present = {(side.key, side.condition) for side in sides}
    for side in sides:
        yield side
        of_all = side.condition.but(setting=ALL_SETTINGS)
        if "setting" in side.condition and (side.key, of_all) not in present:
            yield replace(side, condition=of_all)


def _distribution(sample: Sample, key: Key, condition: Condition, note: str) -> Iterator[Result]:
    """Yield the share of values in each bin, with its interval, and the quantiles.

    `sample` has percentages, the results have shares. Both are NaN without values.
    """
    values = words.values_of(sample) / 100
    n = len(values)
    note = join_notes("" if n else "undefined: no readable judgment", note)
    unit_index = np.arange(n)  # each value is a unit of its own
    yield from bin_shares(key, condition, "value_share", values, unit_index, BINS, note)
    for q in QUANTILES:
        value = float(np.quantile(values, q)) if n else np.nan
        yield key.result(condition.but(q=q), "probability_quantile", value, n=n, note=note)


CONSISTENCY_SCORES = {
    "pairwise_consistency": "pairwise",
    "monotonicity_consistency": "monotonicity",
    "empirical_consistency": "empirical",
    "empirical_monotonicity_consistency": "empirical monotonicity",
}
"""Headings of the four scores of consistency."""
_HEADING_BY_SCORE = {**CONSISTENCY_SCORES, "choice_sensitivity": "sensitivity"}
_CONTRAST_COLUMNS = (
    Column("difference", "difference"),
    Column("p_value", "p", 3, interval=False),
    Column("t_statistic", "t", 3, interval=False),
    Column("degrees_of_freedom", "df", 0, interval=False),
    Column("cohens_d", "d", 3, interval=False),
)
_SLICE_FACTORS = ("scenario", "choice_set", "numbers")
_THETA_METRIC = "brunner_munzel_theta"
_HOLM_P = {"metric": "p_holm", "of": _THETA_METRIC}


def word_tables(results: pd.DataFrame) -> list[View]:
    """Return the tables of words to numbers and of numbers to words, model by model."""
    specs: list[TableSpec] = []
    for (model, variant), rows in ResultTable.from_frame(results).groups("model", "variant"):
        specs += _model_tables(join_title(model, variant), rows)
    return views_with_lines(specs)


def _model_tables(model: str, rows: ResultTable) -> Iterator[TableSpec]:
    """Yield the tables of comparisons, scores and contrasts; `model` is part of the titles."""
    elicited = rows.matching(task=TASK).having("versus")
    for (language, versus), compared in elicited.groups("language", "versus"):
        yield _comparison_table(f"{model}, {language}, against {versus}", compared)
    choices = rows.matching(task=_CHOICE_TASK)
    yield TableSpec(
        f"Consistency of words chosen for numbers: {model}",
        choices,
        lines=("baseline", "cot", *_SLICE_FACTORS),
        columns=[Column(metric, heading) for metric, heading in _HEADING_BY_SCORE.items()],
        caption="A model that always says the same is monotone and has no sensitivity.",
        interval_caption="95% Wilson intervals over groups of like prompts (same scenario, choices "
        "and numbers).",
        label=_score_label,
    )
    yield TableSpec(
        f"Contrasts: {model}",
        choices,
        lines=("cot", *_SLICE_FACTORS, "versus", "of"),
        columns=_CONTRAST_COLUMNS,
        caption="t and d are the study's, over units taken for independent, of which there are "
        "df + 1 pairs.",
        interval_caption="The interval of the difference and its p are clustered.",
        label=_contrast_label,
    )


def _comparison_table(title: str, rows: ResultTable) -> TableSpec:
    """Return the table of a comparison of words with a reference, with a row for each word.

    Each setting has four columns: theta of Brunner and Munzel's test, with stars for its adjusted
    p-value, the KL divergence, the difference of medians, and the number of contexts. That of a
    single setting is left out, because the table's column `n` has it.
    """
    columns: list[Column] = []
    settings = rows.having("word").values("setting")
    for setting in settings:
        condition = {"setting": setting}
        theta = Column(
            _THETA_METRIC, f"{setting} theta", where=condition, mark=stars, marked_by=_HOLM_P
        )
        kl = Column("kl_divergence", f"{setting} KL", interval=False, where=condition)
        median = Column(
            "median_difference", f"{setting} median", 0, interval=False, where=condition
        )
        columns += [theta, kl, median]
        if len(settings) > 1:
            columns.append(Column("own_values", f"{setting} n", 0, interval=False, where=condition))
    return TableSpec(
        title,
        rows,
        lines=("word",),
        columns=columns,
        caption=_comparison_caption(rows),
        interval_caption="Brackets are 95% intervals.",
    )


def _comparison_caption(rows: ResultTable) -> str:
    """Return the caption of a comparison; it explains stars only if any word was tested.

    The caption says how many values the reference has, which each word's row `reference_values`
    counts.
    """
    has_test = any(not isnan(row.value) for row in rows.matching(**_HOLM_P))
    reference_sizes = [int(row.value) for row in rows.matching(metric="reference_values")]
    smallest, largest = min(reference_sizes), max(reference_sizes)
    sizes = str(smallest) if smallest == largest else f"{smallest} to {largest}"
    counts = rows.matching(
        metric="words_that_differ", level="95", adjusted="holm", of=_THETA_METRIC
    )
    differ = ", ".join(f"{row['setting']} {_tested_share(row)}" for row in counts)
    stars_sentence = f"{STARS_TEXT} after Holm's adjustment over the words."
    return join_title(
        "theta is P(reference > model) + P(equal)/2.",
        stars_sentence if has_test else "",
        "KL in nats, 20 bins, 1e-10 in empty ones; median: reference less model, in percentage "
        f"points; n: contexts of the word, against {sizes} values of the reference.",
        f"Words that differ at 95%: {differ}.",
    )


def _tested_share(row: ResultRow) -> str:
    """Return how many of the tested words differ from the reference, as text."""
    if not row.record["n"]:
        return "not tested (too few contexts)"
    return f"{row.value:.0f} of {row.record['n']} tested"


def _score_label(line: Mapping[str, str]) -> Mapping[str, str]:
    """Return the first cells of a line of scores: whose replies, and which prompts.

    Replies are the model's, with or without reasoning, or random choices (`baseline`).
    """
    mode = {"with": "with reasoning", "without": "without reasoning", "": "both"}[line["cot"]]
    replies = {"": mode, "expected": "chance"}.get(line["baseline"], "ten random runs")
    return {"replies": replies, "condition": _prompt_label(line, _SLICE_FACTORS)}


def _contrast_label(line: Mapping[str, str]) -> Mapping[str, str]:
    """Return the first cells of a line of contrasts: the two conditions, and the score.

    The field `versus` is the second condition, which tells the contrasted factor: chain of thought,
    set of numbers or number of choices.
    """
    factor = {"with": "cot", "wide": "numbers"}.get(line["versus"], "choice_set")
    # The contrasted factor comes last: "height, without reasoning minus with".
    other_factors = [name for name in ("cot", *_SLICE_FACTORS) if name != factor]
    contrast = f"{_prompt_label(line, (*other_factors, factor))} minus {line['versus']}"
    return {"contrast": contrast, "score": _HEADING_BY_SCORE[line["of"]]}


def _prompt_label(line: Mapping[str, str], names: Sequence[str]) -> str:
    """Describe the prompts that a line is over by the factors in `names`; `all` without factors."""
    templates = {"choice_set": "{} choices", "cot": "{} reasoning"}
    labels = [templates.get(name, "{}").format(line[name]) for name in names if line[name]]
    return ", ".join(labels) or "all"


_CHOICE_TASK = "wep_choice"

_CONDITION_REFERENCES = {versus for _, versus in words.SETTING_PAIRS} | {"en"}
"""References that are settings, or the language English; not people, not other models."""


def is_score_by_choice_set(parts: Mapping[str, str]) -> bool:
    """Return whether a row is drawn in the figure of scores by reasoning and choice set.

    `parts` are those of the row's condition. The row is drawn if it pools all scenarios and sets of
    numbers, so that its condition names neither, and if it is a model's score or the expected
    (not simulated) score of random choices. `cot` says whether replies have reasoning.
    """
    is_by_choice_set = set(parts) <= {"cot", "choice_set", "baseline", "variant"}
    return is_by_choice_set and parts.get("baseline", "expected") == "expected"


_figure = partial(FigureSpec, task=TASK, by=("dataset", "variant"))
_against_people = partial(_figure, keep=lambda parts: parts.get("versus") == HUMAN)
_between_conditions = partial(
    _figure, keep=lambda parts: parts.get("versus") in _CONDITION_REFERENCES
)

FIGURES: Sequence[FigureSpec] = (
    _figure(
        plot="words",
        title="What words mean, to the model and to people",
        reads="The probabilities that the model (over all settings) and the people surveyed give "
        "to each word. Boxes hold the middle half of the values, lines the middle nine tenths; "
        "marks are medians. Words are in the order of the people's medians. Dotted lines separate "
        "words of high (60% or more), moderate (40% or more) and low probability.",
        metrics=("probability_quantile",),
        by=("model", "dataset", "variant", "language"),
        # A figure for each setting would be too many.
        keep=lambda parts: parts.get("setting", ALL_SETTINGS) == ALL_SETTINGS,
        beside=PEOPLE,
    ),
    _figure(
        plot="word_medians",
        title="What words mean, to all models and to people",
        reads="The median probability that each model (over all settings) and the people surveyed "
        "give to each word, with the middle half of their values. Words are in the order of the "
        "people's medians. The dashed line is at even odds.",
        reads_panels="Each language has a panel.",
        metrics=("probability_quantile",),
        by=("dataset",),
        keep=lambda parts: parts.get("setting", ALL_SETTINGS) == ALL_SETTINGS,
        beside=PEOPLE,
        leads=True,
    ),
    _figure(
        plot="word_medians",
        title="Words side by side, model by model and setting by setting",
        reads="The median probability that each model and the people surveyed give to each word, "
        "with the middle half of their values. Words are in the order of the people's medians. The "
        "dashed line is at even odds.",
        reads_panels="Each setting and language has a panel.",
        metrics=("probability_quantile",),
        by=("dataset",),
        beside=PEOPLE,
    ),
    _against_people(
        plot="divergence",
        title="How far the model's words lie from people's",
        reads="Wasserstein distance between the model's and the people's values, for each word and"
        " setting: the mean number of percentage points by which values must move to agree. "
        "Lighter cells are further apart. With few contexts the distance is above 0 even if the "
        "distributions agree.",
        metrics=("wasserstein",),
    ),
    _against_people(
        plot="divergence",
        title="Divergence from people",
        reads="Kullback-Leibler divergence of the model's binned probabilities from the people's, "
        "for each word and setting. Lighter cells are further apart. High values come from bins "
        "that people use and the model never uses; such bins are more frequent if few contexts "
        "were asked.",
        metrics=("kl_divergence",),
    ),
    _figure(
        plot="divergence_between",
        title="Divergence between people, models and languages",
        reads="Kullback-Leibler divergence of the model's binned probabilities from those of "
        "people, of another language or setting, or of another model; one table for each "
        "comparison. Stars are those of the tables: "
        f"{STARS_TEXT} of Brunner and Munzel's test, after Holm's adjustment over the words.",
        metrics=("kl_divergence", "p_holm"),
        keep=lambda parts: (
            "versus" in parts and parts.get("of", "brunner_munzel_theta") == _THETA_METRIC
        ),
    ),
    _against_people(
        plot="word_differences",
        title="Which words the model takes for more, or for less, than people do",
        reads="Probability that a person's value exceeds the model's. Right of the line people "
        "give the higher probability, left of the line the model does. Filled marks differ at the "
        "5% level after Holm's adjustment over the words.",
        intervals=("brunner_munzel_theta",),
        metrics=("brunner_munzel_theta", "p_holm"),
        by=("model", "dataset", "variant", "language"),
    ),
    _between_conditions(
        plot="word_differences",
        title="Gender and language, context by context",
        reads="Mean difference over the contexts that two conditions share. Right of the line the "
        "word has the higher probability in the second condition named above the panel, left of "
        "the line in the first. Filled marks differ at the 5% level after Holm's adjustment.",
        intervals=("paired_difference",),
        metrics=("paired_difference", "p_holm"),
    ),
    _between_conditions(
        plot="word_differences",
        title="Settings and languages compared",
        reads="Probability that a value of the second condition named above the panel exceeds a "
        "value of the first. On the line neither condition is higher. Filled marks differ at the "
        "5% level after Holm's adjustment over the words.",
        intervals=("brunner_munzel_theta",),
        metrics=("brunner_munzel_theta", "p_holm"),
    ),
    FigureSpec(
        plot="consistency",
        title="Consistency of the words chosen for numbers",
        reads="The four consistency scores over all prompts and by the number of words to choose "
        "from, with and without reasoning. Dashes are the expected scores of random choices. 1 is "
        "perfect.",
        intervals=tuple(CONSISTENCY_SCORES),
        task=_CHOICE_TASK,
        by=("dataset", "variant"),
        leads=True,
        metrics=tuple(CONSISTENCY_SCORES),
        keep=is_score_by_choice_set,
    ),
    FigureSpec(
        plot="consistency_slices",
        title="Consistency by scenario and by set of numbers",
        reads="The four consistency scores with and without reasoning, by scenario and by the "
        "spread of the numbers. The dashed line is the expected score of random choices.",
        intervals=tuple(CONSISTENCY_SCORES),
        task=_CHOICE_TASK,
        by=("dataset", "variant"),
        metrics=tuple(CONSISTENCY_SCORES),
        keep=lambda parts: (
            "versus" not in parts
            and "choice_set" not in parts
            and parts.get("baseline", "expected") == "expected"
        ),
    ),
)

_CONDITION_BY_HEADING: Mapping[str, Mapping[str, str]] = {
    heading: {
        "adjusted": "holm",
        "language": "en",
        "level": "95",
        "of": _THETA_METRIC,
        "setting": setting,
        "versus": HUMAN,
    }
    for heading, setting in (
        (", all settings", ALL_SETTINGS),
        (", concise contexts", "concise"),
    )
}

HEADLINES: Sequence[Headline] = (
    Headline(
        task=_CHOICE_TASK,
        metric="empirical_consistency",
        label="words that fit the numbers (share)",
        short="words that fit the numbers",
    ),
    Headline(
        task=_CHOICE_TASK,
        metric="pairwise_consistency",
        label="complements that mirror each other (share)",
        short="complements that mirror each other",
    ),
    Headline(_CHOICE_TASK, "monotonicity_consistency", "sequences without a wrong step (share)"),
    Headline(
        _CHOICE_TASK, "empirical_monotonicity_consistency", "steps in the right direction (share)"
    ),
    *(
        Headline(
            TASK,
            "words_that_differ",
            f"words that mean something else than to people{heading} (count, 95%, Holm)",
            where,
            f"words unlike people's{heading}",
        )
        for heading, where in _CONDITION_BY_HEADING.items()
    ),
)


def _describe_differing_words(count: NumberInText) -> str:
    """Return the clause on the number of words that differ from people's, of those tested.

    `{}` stands for the number, which is filled in later.
    """
    if count.value == 0:
        return "it is not shown to give any word another probability than people do: {} words"
    return "it is shown to give {} words another probability than people do"


CLAUSES: Sequence[Clause] = (
    *(
        Clause(
            TASK,
            "words",
            [("words_that_differ", where)],
            _describe_differing_words,
        )
        for where in _CONDITION_BY_HEADING.values()
    ),
    Clause(
        _CHOICE_TASK,
        "choice of words",
        [("empirical_consistency", {})],
        "its words fit the numbers {} of the time",
    ),
)
