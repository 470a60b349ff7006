"""What the report shows of the study of words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from inspect_confidence.datasets.wep_survey import surveyed_counts
from inspect_confidence.results import Condition, Key, Result, with_parts
from inspect_confidence.studies.bins import bin_shares
from inspect_confidence.studies.estimate import NAN, left_out, noted
from inspect_confidence.studies.study import FigureSpec, Headline, Resampling, View
from inspect_confidence.studies.tables import Cell, cell, only
from inspect_confidence.studies.wep_probes.words import (
    ALL_SETTINGS,
    HUMAN,
    SETTING_PAIRS,
    TASK,
    Sample,
    Side,
    people_of,
    sample_of,
    sides_of,
    stated,
)

PEOPLE = "people surveyed"
"""What stands in `model` for what people say."""

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
BINS = 20


def detail(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Bins and quantiles of the probabilities stated for each word, by models and by people.

    Args:
        frames: Judgments by task.
        resampling: How numbers are computed.

    Raises:
        InvalidArgument: A probability is not in [0, 1].
    """
    if TASK not in frames:
        return []
    frame = stated(frames[TASK])
    found: list[Result] = []
    for side in _with_all(sides_of(frame)):
        for word, rows in side.words().items():
            at, note = side.condition.but(word=word), left_out(rows["status"])
            found += _distribution(sample_of(rows), side.key, at, note)
    survey = surveyed_counts() if resampling.survey is None else resampling.survey
    key = Key(TASK, PEOPLE, "survey")
    for word in map(str, frame["word"].unique()):
        sample = people_of(survey, word)
        if sample:
            found += _distribution(sample, key, Condition(word=word), "")
    return found


def _with_all(sides: Sequence[Side]) -> Iterator[Side]:
    """The sides, and where a model was asked in one setting only that one as all of them too.

    What is drawn of all settings is then there for every model.
    """
    pooled = {
        (side.key, side.condition)
        for side in sides
        if side.condition.get("setting") == ALL_SETTINGS
    }
    for side in sides:
        yield side
        of_all = side.condition.but(setting=ALL_SETTINGS)
        if "setting" in side.condition and (side.key, of_all) not in pooled:
            yield replace(side, condition=of_all)


def _distribution(sample: Sample, key: Key, condition: Condition, note: str) -> Iterator[Result]:
    """The share of values in each bin, with its interval, and the quantiles."""
    values = sample.values / 100
    n = len(values)
    note = noted("" if n else "undefined: no readable judgment", note)
    yield from bin_shares(key, condition, "value_share", values, np.arange(n), BINS, note)
    for q in QUANTILES:
        value = float(np.quantile(values, q)) if n else NAN
        yield key.result(condition.but(q=q), "probability_quantile", value, n=n, note=note)


_SCORES = {
    "pairwise_consistency": "pairwise",
    "monotonicity_consistency": "monotonicity",
    "empirical_consistency": "empirical",
    "empirical_monotonicity_consistency": "empirical monotonicity",
    "choice_sensitivity": "sensitivity",
}
_PARTS = (
    *("language", "setting", "versus", "word", "variant", "of", "level", "adjusted", "baseline"),
    *("cot", "scenario", "choice_set", "numbers"),
)
_SLICES = ("scenario", "choice_set", "numbers")


def word_tables(results: pd.DataFrame) -> list[View]:
    """The tables of both probes, model by model.

    Args:
        results: Rows of the results table, of this study.
    """
    rows = with_parts(results, _PARTS)
    views: list[View] = []
    for (model, variant), mine in rows.groupby(["model", "variant"], sort=False):
        who = " ".join(filter(None, (str(model), str(variant))))
        words = mine[mine["task"] == "wep_elicitation"]
        for (language, versus), compared in words[words["versus"] != ""].groupby(
            ["language", "versus"], sort=False
        ):
            views.append(_against(f"{who}, {language}, against {versus}", compared))
        choices = mine[mine["task"] == "wep_choice"]
        if len(choices):
            views += [_consistency(who, choices), _contrasts(who, choices)]
    return views


def _against(title: str, rows: pd.DataFrame) -> View:
    """Words in rows; theta with its mark and the median difference of every setting."""
    values = rows[rows["word"] != ""]
    holm = {
        (row["setting"], row["word"]): row["value"]
        for row in values[
            (values["metric"] == "p_holm") & (values["of"] == "brunner_munzel_theta")
        ].to_dict("records")
    }
    settings = list(values["setting"].unique())
    lines = []
    for word, said in values.groupby("word", sort=False):
        line: dict[str, str | Cell] = {"word": str(word)}
        for setting in settings:
            line[f"{setting} theta"] = _theta(said, setting, holm.get((setting, word), 1.0))
            line[f"{setting} KL"] = _number(said, setting, "kl_divergence", 2)
            line[f"{setting} median"] = _number(said, setting, "median_difference", 0)
        lines.append(line)
    counts = rows[(rows["metric"] == "words_that_differ") & (rows["level"] == "95")]
    counts = counts[(counts["adjusted"] == "holm") & (counts["of"] == "brunner_munzel_theta")]
    differ = ", ".join(
        f"{row['setting']} {row['value']:.0f} of {row['n']}" for row in counts.to_dict("records")
    )
    return View(
        title,
        pd.DataFrame(lines, dtype=object),
        "theta is P(reference > model) + P(equal)/2 with its 95% interval; * ** *** differs at 90, "
        "95, 99% after Holm's adjustment over the words. KL in nats, 20 bins, 1e-10 in empty ones; "
        f"median: reference less model, in points. Words that differ at 95%: {differ}.",
    )


def _theta(rows: pd.DataFrame, setting: str, p: float) -> Cell:
    found = rows[(rows["setting"] == setting) & (rows["metric"] == "brunner_munzel_theta")]
    marks = "*" * sum(p < level + 1e-12 for level in (0.1, 0.05, 0.01))
    return cell(only(found), mark=marks)


def _number(rows: pd.DataFrame, setting: str, metric: str, digits: int) -> Cell:
    found = rows[(rows["setting"] == setting) & (rows["metric"] == metric)]
    return cell(only(found), digits, interval=False)


def _consistency(who: str, rows: pd.DataFrame) -> View:
    """Scores in columns; conditions in rows, chance last."""
    scored = rows[rows["metric"].isin(_SCORES) & (rows["of"] == "")]
    lines = []
    keys = ["baseline", "cot", *_SLICES]
    for key, some in scored.groupby(keys, sort=False):
        parts = dict(zip(keys, map(str, key), strict=True))
        mode = {"with": "with reasoning", "without": "without", "": "both"}[parts["cot"]]
        if parts["baseline"]:
            mode = "chance" if parts["baseline"] == "expected" else "ten random runs"
        line: dict[str, str | Cell] = {
            "replies": mode,
            "condition": _named(parts),
        }
        for row in some.to_dict("records"):
            line[_SCORES[row["metric"]]] = cell(row)
        lines.append(line)
    return View(
        f"Consistency of words chosen for numbers: {who}",
        pd.DataFrame(lines, dtype=object)[["replies", "condition", *_SCORES.values()]],
        "95% bootstrap intervals over 36 clusters of sequences, within scenarios. A model that "
        "always says the same is monotone and has no sensitivity.",
    )


def _contrasts(who: str, rows: pd.DataFrame) -> View:
    tested = rows[rows["of"] != ""]
    lines = []
    for _, some in tested.groupby("condition", sort=False):
        first = some.iloc[0]
        found = {row["metric"]: row for row in some.to_dict("records")}
        lines.append(
            {
                "contrast": _named({name: str(first[name]) for name in ("cot", *_SLICES)})
                + f" less {first['versus']}",
                "score": _SCORES[first["of"]],
                "difference": cell(found["difference"]),
                "t": cell(found["t_statistic"], 3, interval=False),
                "df": cell(found["degrees_of_freedom"], 0, interval=False),
                "d": cell(found["cohens_d"], 3, interval=False),
            }
        )
    return View(
        f"Contrasts: {who}",
        pd.DataFrame(lines, dtype=object),
        "t and d are the study's, over units taken for independent; the interval of the difference "
        "is clustered.",
    )


def _named(parts: dict[str, str]) -> str:
    shown = [value for name, value in _shown(parts)]
    return ", ".join(shown) or "all"


def _shown(parts: dict[str, str]) -> Iterator[tuple[str, str]]:
    written = {
        "choice_set": lambda value: f"{value} choices",
        "cot": lambda value: f"{value} reasoning",
    }
    for name in ("cot", *_SLICES):
        if parts.get(name) and not (name == "cot" and "baseline" in parts):
            yield name, written.get(name, str)(parts[name])


_CHOICE = "wep_choice"

_OTHERS = {versus for _, versus in SETTING_PAIRS} | {"en"}
"""What is compared with: settings and the language; not people, not other models."""


def _all_settings(parts: Mapping[str, str]) -> bool:
    """One figure a model and language; a figure for each setting would be too many."""
    return parts.get("setting", ALL_SETTINGS) == ALL_SETTINGS


def _against_people(parts: Mapping[str, str]) -> bool:
    return parts.get("versus") == HUMAN


def _between_conditions(parts: Mapping[str, str]) -> bool:
    return parts.get("versus") in _OTHERS


def _scored(parts: Mapping[str, str]) -> bool:
    """Scores by reasoning and choice set, and what random choices are expected to have."""
    return set(parts) <= {"cot", "choice_set", "baseline", "variant"} and (
        parts.get("baseline", "expected") == "expected"
    )


FIGURES: Sequence[FigureSpec] = (
    FigureSpec(
        plot="words",
        title="What words mean, to the model and to people",
        reads="The probabilities that the model, over all settings, and the people surveyed give "
        "to each word: boxes hold the middle half, lines the middle nine tenths, marks the median. "
        "Words are in the order of the people's medians; where the two boxes of a word lie apart, "
        "the model means something else by it.",
        task=TASK,
        metrics=("probability_quantile",),
        by=("model", "dataset", "variant", "language"),
        keep=_all_settings,
        beside=PEOPLE,
    ),
    FigureSpec(
        plot="divergence",
        title="How far the model's words lie from people's",
        reads="The Wasserstein distance of the model's distribution from the people's, for each "
        "word and setting: by how many percentage points values must be moved on average for the "
        "two to agree. The lighter a cell, the further apart; few contexts lie "
        "some way off even where the two agree.",
        task=TASK,
        metrics=("wasserstein",),
        keep=_against_people,
    ),
    FigureSpec(
        plot="divergence",
        title="Divergence from people",
        reads="The Kullback-Leibler divergence of the model's binned probabilities from the "
        "people's, for each word and setting. The lighter a cell, the further apart. High "
        "values come from bins that people use and the model never does, and there are more of "
        "those the fewer contexts were asked.",
        task=TASK,
        metrics=("kl_divergence",),
        keep=_against_people,
    ),
    FigureSpec(
        plot="word_differences",
        title="Which words the model takes for more, or for less, than people do",
        reads="How often a person's value exceeds the model's, with 95% intervals: right of the "
        "line people mean a higher probability than the model, left of it a lower one. Filled "
        "marks differ at the 5% level after Holm's adjustment over the words.",
        task=TASK,
        metrics=("brunner_munzel_theta", "p_holm"),
        by=("model", "dataset", "variant", "language"),
        keep=_against_people,
    ),
    FigureSpec(
        plot="word_differences",
        title="Gender and language, context by context",
        reads="The mean difference over contexts that two conditions share, with 95% intervals: "
        "right of the line the word means more in the second condition named above the panel, left "
        "of it more in the first. Filled marks differ at the 5% level after Holm's adjustment.",
        task=TASK,
        metrics=("paired_difference", "p_holm"),
        keep=_between_conditions,
    ),
    FigureSpec(
        plot="word_differences",
        title="Settings and languages compared",
        reads="How often a value of the second condition named above the panel exceeds one of the "
        "first, with 95% intervals; at the line neither is higher. Filled marks differ at the 5% "
        "level after Holm's adjustment over the words.",
        task=TASK,
        metrics=("brunner_munzel_theta", "p_holm"),
        keep=_between_conditions,
    ),
    FigureSpec(
        plot="consistency",
        title="Consistency of the words chosen for numbers",
        reads="The four consistency scores with 95% intervals, over all prompts and by the number "
        "of words to choose from, with and without reasoning. Dashes are the expected scores of "
        "random choices: a model that reads the numbers lies well above them, 1 being perfect.",
        task=_CHOICE,
        metrics=(
            "pairwise_consistency",
            "monotonicity_consistency",
            "empirical_consistency",
            "empirical_monotonicity_consistency",
        ),
        keep=_scored,
    ),
)

HEADLINES: Sequence[Headline] = (
    Headline(_CHOICE, "empirical_consistency", "words that fit the numbers (share)"),
    Headline(_CHOICE, "pairwise_consistency", "complements that mirror each other (share)"),
    Headline(_CHOICE, "monotonicity_consistency", "sequences without a wrong step (share)"),
    Headline(_CHOICE, "empirical_monotonicity_consistency", "steps in the right direction (share)"),
    Headline(
        TASK,
        "words_that_differ",
        "words that mean something else than to people (count, 95%, Holm)",
        {
            **{"adjusted": "holm", "language": "en", "level": "95"},
            **{"of": "brunner_munzel_theta", "setting": "all", "versus": HUMAN},
        },
    ),
)
