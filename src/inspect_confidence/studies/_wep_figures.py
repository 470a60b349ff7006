"""What the report shows of the study of words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from inspect_confidence._errors import InvalidArgument
from inspect_confidence._results import Result, encode_condition
from inspect_confidence.datasets.wep_survey import surveyed_counts
from inspect_confidence.metrics import clustered_wilson_interval
from inspect_confidence.studies._intervals import left_out
from inspect_confidence.studies._study import FigureSpec, Headline, Resampling
from inspect_confidence.studies._wep_numbers import HUMAN, SETTING_PAIRS, TASK, sides_of
from inspect_confidence.studies._wep_words import Sample, people_of, sample_of

PEOPLE = "people surveyed"
"""What stands in `model` for what people say."""

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
BINS = 20

_NAN = float("nan")
_CHOICE = "wep_choice"


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
    frame = frames[TASK]
    outside = frame.loc[(frame["probability"] < 0) | (frame["probability"] > 1), "probability"]
    if len(outside):
        raise InvalidArgument(f"probability={outside.iloc[0]:g} is not in [0, 1]; 70% is 0.7.")
    context = frame["context"].where(frame["context"] != "", frame["item"])
    found: list[Result] = []
    for side in sides_of(frame.assign(context=context)):
        for word in side.words():
            rows = side.word(word)
            note = left_out(rows["status"])
            found += _distribution(sample_of(rows), side.run(), side.condition(word=word), note)
    survey = surveyed_counts() if resampling.survey is None else resampling.survey
    run = Result(TASK, PEOPLE, "survey", "", "", _NAN, _NAN, _NAN, 0, "")
    for word in map(str, frame["word"].unique()):
        sample = people_of(survey, word)
        if sample:
            found += _distribution(sample, run, {"word": word}, "")
    return found


def _distribution(
    sample: Sample, run: Result, condition: Mapping[str, object], note: str
) -> Iterator[Result]:
    """The share of values in each bin, with its interval, and the quantiles."""
    values = sample.values / 100
    n, nothing = len(values), "undefined: no readable judgment"
    run = replace(run, n=n, note=note if n else "; ".join(filter(None, (nothing, note))))
    # 0.15 * 20 may be a little below 3: what is that close to an edge is on it.
    place = np.floor(values * BINS + 1e-9).clip(0, BINS - 1)
    for k in range(BINS):
        name = f"{k / BINS:g}-{(k + 1) / BINS:g}"
        inside = (place == k).astype(float)
        low, high = clustered_wilson_interval(inside, np.ones(n))
        yield replace(
            run,
            condition=encode_condition({**condition, "bin": name}),
            metric="value_share",
            value=float(inside.mean()) if n else _NAN,
            ci_low=low,
            ci_high=high,
        )
    for q in QUANTILES:
        yield replace(
            run,
            condition=encode_condition({**condition, "q": q}),
            metric="probability_quantile",
            value=float(np.quantile(values, q)) if n else _NAN,
        )


_OTHERS = {versus for _, versus in SETTING_PAIRS} | {"en"}
"""What is compared with: settings and the language; not people, not other models."""


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
        reads="The probabilities that the model and the people surveyed give to each word: boxes "
        "hold the middle half, lines the middle nine tenths, marks the median. Words are in the "
        "order of the people's medians; where the two boxes of a word lie apart, the model means "
        "something else by it.",
        task=TASK,
        metrics=("probability_quantile",),
        by=("model", "dataset", "variant", "language", "setting"),
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
