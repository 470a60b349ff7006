"""What the report shows of LifeEval and the question sets."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan

import numpy as np
import pandas as pd

from inspect_confidence.metrics import means_of
from inspect_confidence.results import Result, encode_condition
from inspect_confidence.studies.bins import confidence_bins, type2_rates
from inspect_confidence.studies.estimate import Family, Number, draw, results_of
from inspect_confidence.studies.intervals import left_out
from inspect_confidence.studies.life_eval.judgments import (
    HALF_OPEN,
    completed_ages,
    completed_options,
    graded,
)
from inspect_confidence.studies.life_eval.numbers import counted
from inspect_confidence.studies.study import FigureSpec, Headline, Resampling, View
from inspect_confidence.studies.tables import (
    NOTHING,
    Column,
    Row,
    Rows,
    TableSpec,
    built,
    columns_with_numbers,
    titled,
)

Condition = Mapping[str, object]

_BINS = 10
_EDGE = 1e-9  # a probability this near to an edge lies on it
_RESAMPLES = 1_000  # enough for the width of a line
_NAN = float("nan")
_NONE = (_NAN, _NAN)
_UNREAD = "undefined: no readable judgment"


def details_of_lives(rows: pd.DataFrame, resampling: Resampling) -> Iterator[Result]:
    """All rows of this file, for each model, data set, variant and window.

    Args:
        rows: Completed judgments of `life_eval`, with `edge`: the window where it isn't the
            default.
        resampling: Number, up to 1000, and seed of the bootstrap.
    """
    read = counted(rows)
    by = ["task", "dataset", "variant", "edge", "model"]
    for key, some in read.groupby(by, sort=False):
        task, dataset, variant, edge, model = map(str, key)
        run = Result(task, model, dataset, "", "", _NAN, _NAN, _NAN, 0, "")
        condition = {"variant": variant, "window": edge}
        yield from _truth_bins(some, run, condition, resampling)
        yield from _by_age(some, run, condition)
        yield from _by_item(some, run, condition)


def _truth_bins(
    rows: pd.DataFrame, run: Result, condition: Condition, resampling: Resampling
) -> list[Result]:
    """Mean confidence in bins of true probability, by radius and, if there are several, over all.

    Bins are [k/10, (k+1)/10), the last one closed. Intervals are a bootstrap over items.
    """
    there = (rows["confidence"] + rows["correct"]).notna()
    if not there.any():
        where = encode_condition(condition)
        said = (_UNREAD, left_out(_statuses(rows, there)))
        metrics = ("truth_bin_probability", "truth_bin_confidence")
        return [_row(run, where, metric, _NAN, 0, said) for metric in metrics]
    by_radius = list(rows.groupby("radius", sort=True))
    together: list[tuple[object, pd.DataFrame]] = [("", rows)] if len(by_radius) > 1 else []
    units = pd.Index(rows["item"].unique())
    families = [
        family
        for radius, some in [*together, *by_radius]
        for family in _bins(some, units, {**condition, "radius": radius})
    ]
    fewer = replace(resampling, resamples=min(resampling.resamples, _RESAMPLES))
    return results_of(draw(families, np.zeros(len(units), np.int64), fewer), run)


def _bins(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> list[Family]:
    """Means of true probability, which aren't resampled, and of confidence."""
    there = (rows["confidence"] + rows["correct"]).notna()
    read = rows[there]
    truth = read["correct"].to_numpy(float)
    place = np.minimum(np.floor(truth * _BINS + _EDGE), _BINS - 1)
    inside = place[:, None] == np.arange(_BINS)
    bins = np.flatnonzero(inside.any(axis=0))
    inside = inside[:, bins]
    values = [
        np.where(inside, one[:, None], _NAN) for one in (truth, read["confidence"].to_numpy(float))
    ]
    said = left_out(_statuses(rows, there))
    numbers: list[list[Number]] = [[], []]
    for k, one in enumerate(bins):
        where = {**condition, "bin": f"{one / _BINS:g}-{(one + 1) / _BINS:g}"}
        n = int(inside[:, k].sum())
        items = read["item"][inside[:, k]].nunique()
        alone = "one item: no interval" if items == 1 else ""
        note = "; ".join(filter(None, (alone, said, f"{items} items" if 1 < items < n else "")))
        numbers[0].append(Number(where, "truth_bin_probability", n, said, _NONE))
        interval = _NONE if alone else None
        numbers[1].append(Number(where, "truth_bin_confidence", n, note, interval))
    unit = units.get_indexer(pd.Index(read["item"])).astype(np.int64)
    return [
        Family(some, means_of(means, unit, len(units)))
        for some, means in zip(numbers, values, strict=True)
    ]


def _by_age(rows: pd.DataFrame, run: Result, condition: Condition) -> Iterator[Result]:
    """Mean answer and mean best answer at each age, for each sex and radius."""
    by = ["radius", "sex", "age"]
    answer = rows["answer"].where(rows["score"].notna())
    notes = _notes(rows, answer.notna(), by)
    grouped = rows.assign(answer=answer).groupby(by, sort=True)[["answer", "best_answer"]]
    means, counts = grouped.mean(), grouped.count()
    for key, values, sizes in zip(means.index, means.to_numpy(), counts.to_numpy(), strict=True):
        where = encode_condition({**condition, **dict(zip(by, key, strict=True))})
        left = (_UNREAD if not sizes[0] else "", notes.get(key, ""))
        yield _row(run, where, "mean_answer", values[0], sizes[0], left)
        unknown = "undefined: no best answer known" if not sizes[1] else ""
        yield _row(run, where, "mean_best_answer", values[1], sizes[1], (unknown,))


def _by_item(rows: pd.DataFrame, run: Result, condition: Condition) -> Iterator[Result]:
    """Mean overconfidence in each item, over epochs, with the item's difficulty."""
    excess = (rows["confidence"] - rows["correct"]).where(rows["mas"].notna())
    notes = _notes(rows, excess.notna(), ["item"])
    table = rows.assign(excess=excess).groupby("item", sort=False)
    excesses = table["excess"]
    found = pd.concat([table[["radius", "mas"]].first(), excesses.mean(), excesses.count()], axis=1)
    for item, radius, mas, value, n in found.itertuples(name=None):
        known = not np.isnan(mas)
        difficulty = f"{1 - mas:.9g}" if known else ""
        parts = {"item": item, "radius": radius, "difficulty": difficulty}
        where = encode_condition({**condition, **parts})
        why = "" if n else _UNREAD if known else "undefined: its maximum isn't known"
        yield _row(run, where, "item_overconfidence", value, n, (why, notes.get((item,), "")))


def _row(
    run: Result, condition: str, metric: str, value: float, n: int, notes: Sequence[str]
) -> Result:
    said = "; ".join(filter(None, notes))
    where = (run.task, run.model, run.dataset, condition)
    return Result(*where, metric, float(value), _NAN, _NAN, int(n), said)


def _notes(
    rows: pd.DataFrame, there: "pd.Series[bool]", by: Sequence[str]
) -> dict[tuple[object, ...], str]:
    """What is left out of each group that leaves anything out, by the group's values."""
    statuses: dict[tuple[object, ...], list[str]] = defaultdict(list)
    # Plain lists: there are as many groups as items, and pandas takes a millisecond for each.
    for key, status in zip(
        zip(*(rows[one] for one in by), strict=True), _statuses(rows, there), strict=True
    ):
        statuses[key].append(status)
    return {key: left_out(said) for key, said in statuses.items() if set(said) != {"ok"}}


def _statuses(rows: pd.DataFrame, there: "pd.Series[bool]") -> "pd.Series[str]":
    """What became of each judgment, where `ok` is one with a value."""
    status = rows["status"].where(rows["status"] != "ok", "without a value")
    return status.where(~there, "ok")


_INTERVALS = "95% intervals: bootstrap over items, the slope's clustered; a dash is undefined."
_STUDY = (
    Column("accuracy", "accuracy (%)", factor=100),
    Column("mean_confidence", "confidence (%)", factor=100),
    Column("ece", "ECE", 3),
    Column("round_rate", "rounded (%)", factor=100),
)
_LIVES = (
    *_STUDY,
    Column("overconfidence", "overconfidence", 3),
    Column("hard_easy_slope", "hard-easy slope", 3),
    Column("confidence_truth_correlation", "correlation with truth", 3),
    Column("maximum_achievable_score", "MAS (%)", factor=100),
    Column("optimal_answer_gap", "gap to best answer", 3),
    Column("n", "n", 0),
)
_DISCRIMINATION = (
    Column("overconfidence", "overconfidence", 3),
    Column("brier", "Brier", 3),
    Column("auroc", "AUROC", 3),
    Column("meta_d", "meta-d'"),
    Column("n", "n", 0),
)
_TOKENS = (
    Column("ece", "stated", 3),
    Column("ece", "token", 3, where={"source": "token"}),
    Column("difference", "difference", 3, where={"of": "ece", "versus": "token"}),
)


def calibration_tables(results: pd.DataFrame) -> list[View]:
    """The study's tables 2 to 4, then by radius, discrimination, tokens, and best ages.

    Args:
        results: Rows of the results table, of this study.
    """
    return built(
        spec
        for (variant, window), rows in Rows.of(results).each("variant", "window")
        for spec in _of_variant(rows, titled(variant, f"{window} window" if window else ""))
    )


def _of_variant(rows: Rows, variant: str) -> Iterator[TableSpec]:
    title = f"{{}}: {variant}".format if variant else str
    lives, sets = (rows.where(task=task) for task in (_LIFE, _SETS))
    yield TableSpec(
        title("Table 2, LifeEval"),
        *(lives, ("model", "dataset"), _LIVES, _caption),
        layout=columns_with_numbers,
    )
    yield TableSpec(
        title("Tables 3 and 4, all sets"),
        *(rows, ("dataset", "model"), _STUDY, _caption),
        layout=_by_model,
    )
    yield TableSpec(
        title("LifeEval by radius"),
        *(lives.having("radius"), ("model", "dataset", "radius"), _LIVES, _caption),
        layout=columns_with_numbers,
    )
    ages = lives.having("age")
    yield TableSpec(
        title("Best age by decade and radius"),
        *(ages, ("dataset", "model", "age"), [*map(_best_age, ages.values("radius"))]),
        "Mean answer with its 95% bootstrap interval / mean best answer, in years, over all that "
        "was asked. The best answer is the least whole age with the greatest true probability.",
    )
    yield TableSpec(
        title("Discrimination"),
        *(sets, ("dataset", "model"), _DISCRIMINATION, _INTERVALS),
        layout=columns_with_numbers,
    )
    yield TableSpec(
        title("ECE, stated and by the answer's token"),
        *(sets, ("dataset", "model"), _TOKENS, "The difference is over items that have both."),
        layout=lambda table: table[table["token"] != "-"],
    )


def _best_age(radius: str) -> Column:
    """Mean answers of a radius, with the best ones."""
    return Column(
        *("mean_answer", f"radius {radius}", 1),
        where={"radius": radius},
        mark=lambda best: f"/ {best:.1f}",
        marked_by={"metric": "mean_best_answer"},
    )


def _by_model(table: pd.DataFrame) -> pd.DataFrame:
    """Sets and measures in rows, models in columns."""
    parts = []
    for dataset, of_set in table.groupby("dataset", sort=False):
        turned = of_set.set_index("model").drop(columns="dataset").T
        turned = turned.reindex(columns=table["model"].unique(), fill_value=NOTHING)
        turned.insert(0, "measure", turned.index)
        turned.insert(0, "dataset", dataset)
        parts.append(turned)
    return pd.concat(parts)


def _caption(rows: Sequence[Row]) -> str:
    """Intervals, and how ECE and rounded shares were computed."""
    said = []
    for metric, name in (("ece", "ECE has"), ("round_rate", "Rounded are")):
        notes = [row.note for row in rows if row["metric"] == metric and not isnan(row.value)]
        own = [note for note in notes if not note.startswith("unweighted")]
        if own:
            said.append(f"{name} {own[0].split(';')[0]}.")
    return " ".join([*said, _INTERVALS])


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
