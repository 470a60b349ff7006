"""What the report shows of the study of words."""

from collections.abc import Mapping, Sequence

from inspect_confidence.studies._detail_words import PEOPLE
from inspect_confidence.studies._study import FigureSpec, Headline
from inspect_confidence.studies._wep_numbers import ALL_SETTINGS, HUMAN, SETTING_PAIRS, TASK

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
