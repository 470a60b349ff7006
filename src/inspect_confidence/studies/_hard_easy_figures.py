"""What the report shows of LifeEval and the question sets."""

from collections.abc import Mapping, Sequence

import pandas as pd

from inspect_confidence._results import Result
from inspect_confidence.studies._detail_confidence import confidence_bins, type2_rates
from inspect_confidence.studies._detail_lives import details_of_lives
from inspect_confidence.studies._hard_easy_rows import (
    HALF_OPEN,
    completed_ages,
    completed_options,
    graded,
)
from inspect_confidence.studies._study import FigureSpec, Headline, Resampling

_LIFE, _SETS = "life_eval", "question_sets"


def detail(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Finer rows, which only figures draw.

    Both tasks have bins of confidence, LifeEval also what `details_of_lives` gives, question sets
    the type-2 rates of their sources of confidence. Bins are those of the ECE by the text,
    whatever the convention.

    Args:
        frames: Judgments by task.
        resampling: How numbers are computed.
    """
    found: list[Result] = []
    if _LIFE in frames:
        ages = completed_ages(frames[_LIFE])
        edge = ages["window"].replace(HALF_OPEN, "")
        ages = ages.assign(edge=edge, window=edge, correct=ages["score"])
        found += details_of_lives(ages, resampling)
        found += confidence_bins(ages, ["radius", "window"], resampling, own_top=True)
    if _SETS in frames:
        options = graded(completed_options(frames[_SETS]), resampling.convention)
        found += confidence_bins(options, ["source"], resampling, own_top=True)
        # Of an answer that is given, the confidence is itself the judgment: there is no type 2.
        found += type2_rates(options[options["kind"] != "given"], ["source"])
    return found


def _of_radius(parts: Mapping[str, str]) -> bool:
    return set(parts) <= {"radius", "variant", "window"}


def _of_one_age(parts: Mapping[str, str]) -> bool:
    """A year of age; a decade, of which `summarize` has means, is written from-to."""
    return "-" not in parts.get("age", "-")


def _whole(parts: Mapping[str, str]) -> bool:
    """Items, and the slope over all of them."""
    return "item" in parts or set(parts) <= {"variant", "window"}


FIGURES: Sequence[FigureSpec] = (
    FigureSpec(
        plot="hard_easy",
        title="Overconfidence by difficulty",
        reads="Each mark is a question; the further right, the less can be known about its answer. "
        "The line is fitted by least squares; its band spans the slope's 95% interval. A model "
        "whose confidence follows what can be known has a level line, one whose confidence doesn't "
        "change with the question a slope of 1.",
        task=_LIFE,
        metrics=("item_overconfidence", "hard_easy_slope"),
        by=("dataset", "variant", "window"),
        keep=_whole,
        needs=2,
    ),
    FigureSpec(
        plot="overconfidence",
        title="Overconfidence by radius",
        reads="Mean confidence less mean true probability, with 95% intervals, for windows of so "
        "many years on each side of the answer, and over all of them. Above 0 models are too "
        "confident; narrow windows are the hard questions.",
        task=_LIFE,
        metrics=("overconfidence",),
        by=("dataset", "variant", "window"),
        keep=_of_radius,
    ),
    FigureSpec(
        plot="confidence_truth",
        title="Stated confidence by true probability",
        reads="Answers are put in bins by their true probability; each point is the mean "
        "confidence in a bin, with its 95% interval. Points above the diagonal are too confident. "
        "Bars are the shares of judgments in the bins, each panel's largest at full height.",
        task=_LIFE,
        metrics=("truth_bin_probability", "truth_bin_confidence"),
        by=("model", "dataset", "variant", "window"),
        needs=2,
    ),
    FigureSpec(
        plot="reliability",
        title="Calibration by radius",
        reads="The mean true probability of the answers against the confidence in them, with 95% "
        "intervals. Points below the diagonal are too confident. Bars are the shares of judgments "
        "in the bins, each panel's largest at full height.",
        task=_LIFE,
        metrics=("bin_accuracy", "bin_confidence"),
        by=("model", "dataset", "variant", "window"),
        needs=2,
    ),
    FigureSpec(
        plot="best_age",
        title="Answers and best answers by age",
        reads="The ages at death that the model answers (pale lines with marks, means over "
        "epochs) and the answers that are most probably right (dashed), by the person's age, sex "
        "and the radius of the window. Where the two lines of a sex lie apart, the model could "
        "have answered better.",
        task=_LIFE,
        metrics=("mean_answer", "mean_best_answer"),
        by=("model", "dataset", "variant", "window"),
        keep=_of_one_age,
        needs=2,
    ),
    FigureSpec(
        plot="reliability",
        title="Calibration",
        reads="Accuracy against confidence in ten bins and one for full confidence, with 95% "
        "intervals: as stated, and by the probability of the answer's token where that is known. "
        "Points below the diagonal are too confident. Bars are the shares of judgments in the "
        "bins, each panel's largest at full height.",
        task=_SETS,
        metrics=("bin_accuracy", "bin_confidence"),
        needs=2,
    ),
    FigureSpec(
        plot="type2_roc",
        title="Telling right from wrong answers by confidence",
        reads="For each confidence as a threshold, the share of right answers that have as much, "
        "with its 95% interval, against the share of wrong ones that do. A curve in the upper left "
        "corner tells them apart, one on the diagonal doesn't; the area below it is AUROC.",
        task=_SETS,
        metrics=("type2_hit_rate", "type2_false_alarm_rate"),
        needs=2,
    ),
)

HEADLINES: Sequence[Headline] = (
    Headline(_LIFE, "hard_easy_slope", "LifeEval: hard-easy slope"),
    Headline(_LIFE, "overconfidence", "LifeEval: overconfidence (share)"),
    Headline(_LIFE, "ece", "LifeEval: expected calibration error (share)"),
    Headline(
        _LIFE,
        "confidence_truth_correlation",
        "LifeEval: correlation of confidence and true probability",
    ),
    Headline(_SETS, "ece", "Question sets: expected calibration error (share)"),
    Headline(_SETS, "auroc", "Question sets: type-2 AUROC (share)"),
)
