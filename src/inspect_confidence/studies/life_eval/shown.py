"""Tables, figures and headlines of LifeEval and the question sets."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from math import isnan

import numpy as np
import pandas as pd

from inspect_confidence.results import Condition, Key, Result, ResultRow, ResultTable
from inspect_confidence.studies import bins, estimate, tables
from inspect_confidence.studies.display import reliability_figure, type2_figure
from inspect_confidence.studies.life_eval import judgments
from inspect_confidence.studies.life_eval.columns import LIFE, SETS, STATED, TOKEN
from inspect_confidence.studies.life_eval.numbers import groups_of, with_outcomes
from inspect_confidence.studies.life_eval.pooled import ALL_SETS
from inspect_confidence.studies.notes import describe_left_out, join_notes, statuses_of_estimate
from inspect_confidence.studies.over_models import ALL_MODELS
from inspect_confidence.studies.study import (
    QUESTIONS,
    Clause,
    FigureSpec,
    Headline,
    Resampling,
    View,
    calibration_clauses,
)
from inspect_confidence.studies.tables import Column, TableSpec

_UNREADABLE_NOTE = "undefined: no readable judgment"
_NO_INTERVAL_NOTE = "no interval: neighbouring ages are alike, and a bin holds few"


def _truth_bin_results(rows: pd.DataFrame, key: Key, condition: Condition) -> Iterator[Result]:
    """Yield mean true probability and mean confidence in bins of true probability.

    Bins are over all radii (years within which an age counts as right), then by radius. There are
    no intervals: neighbouring ages are alike, and few ages in a bin are not neighbours. Without
    readable judgments there is one NaN for each metric.
    """
    metrics = ("truth_bin_probability", "truth_bin_confidence")
    present = (rows["confidence"] + rows["correct"]).notna()
    if not present.any():
        exclusions = join_notes(
            _UNREADABLE_NOTE, describe_left_out(statuses_of_estimate(rows, present))
        )
        for metric in metrics:
            yield key.result(condition, metric, np.nan, n=0, asked=len(rows), note=exclusions)
        return
    by_radius = list(rows.groupby("radius", sort=True))
    overall: list[tuple[object, pd.DataFrame]] = [("", rows)] if len(by_radius) > 1 else []
    for radius, group in [*overall, *by_radius]:  # an empty radius is no part of the condition
        radius_condition, readable = condition.but(radius=radius), group[present[group.index]]
        exclusions = describe_left_out(statuses_of_estimate(group, present[group.index]))
        for position, inside in readable.groupby(bins.bin_of(readable["correct"].to_numpy(float))):
            # By way of a text, as the type of a group's name is unknown.
            bin_condition = radius_condition.but(bin=bins.bin_name(int(str(position))))
            items = inside["item"].nunique()
            item_count = f"{items} items" if items < len(inside) else ""
            # Of the mean true probability nobody expects an interval: it is where the bin lies.
            notes = (exclusions, join_notes(_NO_INTERVAL_NOTE, exclusions, item_count))
            for metric, column, note in zip(metrics, ("correct", "confidence"), notes, strict=True):
                mean, n = inside[column].mean(), len(inside)
                yield key.result(bin_condition, metric, mean, n=n, asked=len(group), note=note)


def _age_results(rows: pd.DataFrame, key: Key, condition: Condition) -> Iterator[Result]:
    """Yield the mean answer and mean best answer (ages at death) at each radius, sex and age."""
    columns = ["radius", "sex", "age"]
    answer = rows["answer"].where(rows["score"].notna())  # without a score it does not count
    notes = _notes_by_group(rows, answer.notna(), columns)
    grouped = rows.assign(answer=answer).groupby(columns, sort=True)
    table = {
        "answer": grouped["answer"].mean(),
        "best_answer": grouped["best_answer"].mean(),
        "n": grouped["answer"].count(),
        "n_best": grouped["best_answer"].count(),
        "n_asked": grouped.size(),
    }
    for row in pd.DataFrame(table).reset_index().to_dict("records"):
        group = {name: row[name] for name in columns}
        n, n_best, n_asked = int(row["n"]), int(row["n_best"]), int(row["n_asked"])
        mean, best, at_age = row["answer"], row["best_answer"], condition.but(**group)
        note = join_notes("" if n else _UNREADABLE_NOTE, notes.get(tuple(group.values()), ""))
        yield key.result(at_age, "mean_answer", mean, n=n, asked=n_asked, note=note)
        note = "" if n_best else "undefined: no best answer known"
        yield key.result(at_age, "mean_best_answer", best, n=n_best, asked=n_asked, note=note)


def _item_results(rows: pd.DataFrame, key: Key, condition: Condition) -> Iterator[Result]:
    """Yield each item's mean overconfidence and mean confidence over epochs.

    An item is a description of a person, whose age at death is asked for. The condition of its
    overconfidence has its difficulty, 1 - the maximum achievable score (`mas`); that of its
    confidence the mean true probability of the answers (`truth`). An item without readable
    judgments has no row of confidence.
    """
    excess = (rows["confidence"] - rows["correct"]).where(rows["mas"].notna())
    notes = _notes_by_group(rows, excess.notna(), ["item"])
    for row in _means_by_item(rows, excess).to_dict("records"):
        n_asked, left_out = int(row["n_asked"]), notes.get((row["item"],), "")
        parts = {"item": row["item"], "radius": row["radius"]}
        difficulty, reason = "", "undefined: its maximum isn't known"
        if not np.isnan(row["mas"]):
            difficulty = f"{1 - row['mas']:.9g}"
            reason = "" if row["n"] else _UNREADABLE_NOTE
        yield key.result(
            condition.but(**parts, difficulty=difficulty),
            "item_overconfidence",
            row["excess"],
            n=int(row["n"]),
            asked=n_asked,
            note=join_notes(reason, left_out),
        )
        if not np.isnan(row["truth"]):
            yield key.result(
                condition.but(**parts, probability=f"{row['truth']:.9g}"),
                "item_confidence",
                row["confidence"],
                n=int(row["n_readable"]),
                asked=n_asked,
                note=left_out,
            )


def _means_by_item(rows: pd.DataFrame, excess: "pd.Series[float]") -> pd.DataFrame:
    """Return a row for each item with means over epochs, and counts of judgments.

    `excess` is the overconfidence of each judgment, whose mean rests on `n` judgments; confidence
    and true probability (`truth`) rest on `n_readable`, those that have both. `mas` is the item's
    maximum achievable score.
    """
    grouped = rows.assign(excess=excess).groupby("item", sort=False)
    is_readable = (rows["confidence"] + rows["correct"]).notna()
    readable = rows[["confidence", "correct"]].where(is_readable).groupby(rows["item"], sort=False)
    columns = {
        "radius": grouped["radius"].first(),
        "mas": grouped["mas"].first(),
        "excess": grouped["excess"].mean(),
        "n": grouped["excess"].count(),
        "n_asked": grouped.size(),
        "confidence": readable["confidence"].mean(),
        "truth": readable["correct"].mean(),
        "n_readable": readable["confidence"].count(),
    }
    return pd.DataFrame(columns).reset_index()


def _maximum_scores(ages: pd.DataFrame) -> Iterator[Result]:
    """Yield the maximum achievable score (`mas`) of each question, which depends on no model.

    A question is a sex, age and radius of a life table; the window says which ages count as right.
    """
    questions = ages[ages["mas"].notna() & (ages["sex"] != "")]  # a failed judgment may have none
    columns = ["dataset", "window", "radius", "sex", "age"]
    distinct = questions.sort_values(columns).drop_duplicates(columns)
    for question in distinct[[*columns, "mas"]].to_dict("records"):
        condition = Condition({name: question[name] for name in columns[1:]})
        key = Key(LIFE, QUESTIONS, str(question["dataset"]))
        yield key.result(condition, "maximum_achievable_score", question["mas"], n=1)


_bins_of_sets = partial(bins.confidence_bins, own_top=True)
_bins_of_lives = partial(_bins_of_sets, clusters=judgments.CLUSTERS.units)


def _bins_over_models(
    rows: pd.DataFrame, resampling: Resampling, make_bins: Callable[..., Iterator[Result]]
) -> Iterator[Result]:
    """Yield bins of stated confidence over the models of each group, each judgment with weight one.

    `make_bins(rows, condition_columns, resampling)` yields the bins of rows by these columns; it is
    called once for each group, whose name is in the column `models`. A `source` of confidence that
    is empty is the stated one.
    """
    stated_rows = rows[rows["source"].isin(("", STATED))]
    for group, members in groups_of(list(rows["model"].unique()), resampling).items():
        member_rows = stated_rows[stated_rows["model"].isin(members)]
        member_rows = member_rows.assign(model=ALL_MODELS, models=group)
        yield from make_bins(member_rows, ["models", "window"], resampling)


def _notes_by_group(
    rows: pd.DataFrame, present: "pd.Series[bool]", columns: Sequence[str]
) -> dict[tuple[object, ...], str]:
    """Return the note on left-out judgments of each group that has any.

    Groups are the values of `columns`; `present` says which judgments count.
    """
    statuses_by_group: dict[tuple[object, ...], list[str]] = defaultdict(list)
    # Plain lists: there are as many groups as items, and pandas takes a millisecond for each.
    for group, status in zip(
        zip(*(rows[column] for column in columns), strict=True),
        statuses_of_estimate(rows, present),
        strict=True,
    ):
        statuses_by_group[group].append(status)
    return {
        group: describe_left_out(group_statuses)
        for group, group_statuses in statuses_by_group.items()
        if set(group_statuses) != {"ok"}
    }


_INTERVAL_CAPTION = (
    "95% intervals: bootstrap over items, of LifeEval by the dependence of neighbouring ages "
    f"({judgments.CLUSTERS.min_units} ages at least)."
)
_COUNT_COLUMNS = (
    Column("accuracy", "asked", count="asked"),
    Column("accuracy", "answers", count="n"),
    Column("mean_confidence", "confidences", count="n"),
    Column("overconfidence", "both", count="n"),
)
_ACCURACY_HEADING = "accuracy (%)"
_TRUE_PROBABILITY = "true probability (%)"
"""Heading of the metric `accuracy` in LifeEval: the mean true probability of the answers."""
_MEASURE_COLUMNS = (
    Column("accuracy", _ACCURACY_HEADING, factor=100),
    Column("mean_confidence", "confidence (%)", factor=100),
    Column("ece", "ECE", 3),
    Column("round_rate", "rounded (%)", factor=100),
)
_STUDY_COLUMNS = (*_MEASURE_COLUMNS, *_COUNT_COLUMNS)
_LIFE_COLUMNS = (
    Column("accuracy", _TRUE_PROBABILITY, factor=100),
    *_MEASURE_COLUMNS[1:],
    Column("overconfidence", "overconfidence", 3),
    Column("hard_easy_slope", "hard-easy slope", 3),
    Column("confidence_truth_correlation", "correlation with truth", 3),
    Column("maximum_achievable_score", "MAS (%)", factor=100),
    Column("optimal_answer_gap", "gap to best answer", 3),
    *_COUNT_COLUMNS,
)
_DISCRIMINATION_COLUMNS = (
    Column("overconfidence", "overconfidence", 3),
    Column("brier", "Brier", 3),
    Column("auroc", "AUROC", 3),
    Column("meta_d", "meta-d'"),
    _COUNT_COLUMNS[0],
    _COUNT_COLUMNS[3],
)
_TOKEN_COLUMNS = (
    Column("ece", "stated", 3),
    Column("ece", "token", 3, where={"source": "token"}),
    Column("difference", "difference", 3, where={"of": "ece", "versus": "token"}),
    Column("ece", "asked", count="asked"),
    Column("ece", "n stated", count="n"),
    Column("ece", "n token", count="n", where={"source": "token"}),
    Column("difference", "n both", count="n", where={"of": "ece", "versus": "token"}),
)


def calibration_tables(results: pd.DataFrame) -> list[View]:
    """Return the tables of each variant and window.

    They are those that the paper numbers 2 to 4, then LifeEval by radius, best ages, measures of
    discrimination, and stated confidence beside that of tokens.
    """
    specs: list[TableSpec] = []
    for (variant, window), rows in ResultTable.from_frame(results).groups("variant", "window"):
        title = tables.join_title(variant, f"{window} window" if window else "")
        specs += _variant_tables(rows, title)
    return tables.views_with_lines(specs)


def _variant_tables(rows: ResultTable, variant: str) -> Iterator[TableSpec]:
    """Yield all tables of a variant and window; `variant` names both in titles, or is empty.

    A window says which ages count as right. Rows are of LifeEval, whose data sets are life tables,
    and of question sets. `TableSpec` calls `layout` with the finished table, and a caption that is
    a function with the rows that the table shows.
    """
    suffix = f": {variant}" if variant else ""
    lives, sets = rows.matching(task=LIFE), rows.matching(task=SETS)
    captioned = partial(TableSpec, caption=_caption, interval_caption=_INTERVAL_CAPTION)
    without_empty_columns = tables.columns_with_numbers
    yield captioned(
        f"Table 2, LifeEval{suffix}",
        lives,
        ("model", "dataset"),
        _LIFE_COLUMNS,
        layout=without_empty_columns,
    )
    by_dataset = ("dataset", "model")  # the order of lines
    yield captioned(
        f"Tables 3 and 4, all sets{suffix}",
        rows,
        by_dataset,
        _STUDY_COLUMNS,
        layout=partial(_models_in_columns, life_sets=lives.values("dataset")),
    )
    yield captioned(
        f"LifeEval by radius{suffix}",
        lives.having("radius"),
        ("model", "dataset", "radius"),
        _LIFE_COLUMNS,
        caption=lambda rows: f"{_caption(rows)} {_FEW_AGES_TEXT}",
        layout=without_empty_columns,
    )
    ages = _sorted_by_decade(lives.having("age"))
    yield TableSpec(
        f"Best age by decade and radius{suffix}",
        rows=ages,
        lines=("dataset", "model", "age"),
        columns=[*map(_best_age_column, sorted(ages.values("radius"), key=float))],
        caption=_age_caption,
    )
    yield captioned(
        f"Discrimination{suffix}",
        sets,
        by_dataset,
        _DISCRIMINATION_COLUMNS,
        layout=without_empty_columns,
    )
    yield TableSpec(
        f"ECE, stated and by the answer's token{suffix}",
        rows=sets,
        lines=by_dataset,
        columns=_TOKEN_COLUMNS,
        caption=_token_caption,
        layout=lambda table: table[table["token"] != "-"],  # lines with token probabilities
    )


def _sorted_by_decade(rows: ResultTable) -> ResultTable:
    """Return rows of decades of age, such as `20-29`, by data set, model, decade and radius.

    Ages of one radius need not be those of another, so that the order of results is no order of
    decades.
    """
    data_sets, models = rows.values("dataset"), rows.values("model")
    return rows.sorted_by(
        lambda row: (
            data_sets.index(row["dataset"]),
            models.index(row["model"]),
            int(row["age"].partition("-")[0]),
            float(row["radius"]),
        )
    )


def _best_age_column(radius: str) -> Column:
    """Return the column of mean answers of an age at death, in years, and of the best answers.

    An answer is right if the death is within the radius, so many years, of it. The best answer is
    the age for which this is most probable by the life table; it stands behind the mean answer.
    """
    return Column(
        metric="mean_answer",
        heading=f"radius {radius}",
        digits=1,
        where={"radius": radius},
        mark=lambda best: f"/ {best:.1f}",
        marked_by={"metric": "mean_best_answer"},
    )


def _models_in_columns(table: pd.DataFrame, life_sets: Collection[str]) -> pd.DataFrame:
    """Turn a table's rows of models into columns, data set by data set.

    The table has a row for each data set and model; each data set and measure becomes a row. In
    `life_sets`, the data sets of LifeEval, accuracy is called a true probability; over these and
    other sets together it is called both. Models without the set have "-" (`NOTHING`).
    """
    parts = []
    for dataset, dataset_lines in table.groupby("data set", sort=False):
        accuracy_name = _TRUE_PROBABILITY if dataset in life_sets else _ACCURACY_HEADING
        if dataset == ALL_SETS and len(life_sets):
            accuracy_name = f"accuracy or {_TRUE_PROBABILITY}"
        transposed = dataset_lines.set_index("model").drop(columns="data set").T
        transposed = transposed.reindex(columns=table["model"].unique(), fill_value=tables.NOTHING)
        transposed = transposed.rename(index={_ACCURACY_HEADING: accuracy_name})
        transposed.insert(0, "measure", transposed.index)
        transposed.insert(0, "data set", dataset)
        parts.append(transposed)
    return pd.concat(parts)


def _age_caption(rows: Sequence[ResultRow]) -> str:
    """Describe the table of ages, with its number of answers."""
    records = [row.record for row in rows if row["metric"] == "mean_answer"]
    n = sum(int(record["n"]) for record in records)
    n_asked = sum(int(record["asked"]) for record in records)
    return (
        f"Mean answer, of {n:,} read of {n_asked:,} asked / mean best answer, in years, over all "
        "that was asked. The best answer is the least whole age with the greatest true probability."
    )


def _token_caption(rows: Sequence[ResultRow]) -> str:
    """Describe the difference of stated and token ECE, and the left-out judgments."""
    sentence = "The difference is over items that have both."
    return " ".join(filter(None, [sentence, _left_out_caption(rows, "ece")]))


def _left_out_caption(rows: Sequence[ResultRow], *metrics: str) -> str:
    """Describe the left-out judgments of each line; empty if there are none.

    The notes are those of the first of `metrics` that the line has. A mean over models, whose note
    begins with "unweighted", is no line here.
    """
    by_line: dict[tuple[str, ...], str] = {}
    for metric in metrics:
        for row in rows:
            if row["metric"] == metric and not row.note.startswith("unweighted"):
                line = (row["model"], row["dataset"], row["radius"], row["source"])
                # Such as "3 of 40 judgments left out: 2 echo, 1 truncated".
                match = re.search(r"(\d+) of \d+ judgments? left out: ([^;]+)", row.note)
                by_line.setdefault(line, f"{match[1]} ({match[2]})" if match else "")
    descriptions = []
    for line_names, reasons in by_line.items():
        if reasons:
            descriptions.append(f"{', '.join(filter(None, line_names))}: {reasons}")
    return f"Left out: {'; '.join(descriptions)}." if descriptions else ""


def _caption(rows: Sequence[ResultRow]) -> str:
    """Describe true probability and left-out judgments, with the definitions of ECE and rounding.

    A definition is the first part of the notes of its metric; none if no value is defined.
    """
    sentences = []
    if any(row["task"] == LIFE for row in rows):
        sentences.append(_TRUE_PROBABILITY_TEXT)
    left_out_caption = _left_out_caption(rows, "overconfidence", "ece")
    for metric, name in (("ece", "ECE has"), ("round_rate", "Rounded are")):
        notes = [row.note for row in rows if row["metric"] == metric and not isnan(row.value)]
        # Notes of means over models begin otherwise than with the definition.
        model_notes = [note for note in notes if not note.startswith("unweighted")]
        if model_notes:
            sentences.append(f"{name} {model_notes[0].split(';')[0]}.")
    return " ".join(filter(None, [*sentences, left_out_caption]))


_TRUE_PROBABILITY_TEXT = (
    "True probability (LifeEval): the share of people of that age and sex who, by the life table, "
    "die within the radius of the answer."
)
_FEW_AGES_TEXT = (
    "Neighbouring ages are alike, so that the ages of one radius count as few independent ones: "
    "their intervals are wide, the more so the fewer ages are asked."
)


def detail(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Return finer rows, which only figures draw.

    Both tasks have bins of confidence, of each model and of each group of models, also over all
    data sets of both together. The outcome of an answer to LifeEval (`correct`) is its `score`, the
    true probability that the person dies in the window of ages around the answer. LifeEval also has
    bins of true probability, means by age and item, and the maximum achievable score by age;
    question sets the CORP curves (isotonic regression of outcomes on confidence) and type-2 rates
    (shares of right and of wrong answers from each confidence on) of their sources of confidence.
    Bins are those of the ECE as the paper describes it, whatever the convention.
    """
    results: list[Result] = []
    completed: list[pd.DataFrame] = []
    if LIFE in frames:
        ages = judgments.complete_ages(frames[LIFE])
        ages = ages.assign(correct=ages["score"])
        results += _life_detail(ages, resampling)
        completed.append(ages)
    if SETS in frames:
        options = judgments.complete_judgments(SETS, frames[SETS], resampling.convention)
        results += _bins_of_sets(options, ["source"], resampling)
        results += bins.corp_curve_rows(options, ["source"], resampling)
        results += _bins_over_models(options, resampling, _bins_of_sets)
        completed.append(options)
        # Confidence in a given answer is itself the judgment, so that type-2 rates are undefined.
        results += bins.type2_rates(options[options["kind"] != "given"], ["source"])
    results += _bins_over_sets_and_models(completed, resampling)
    return results


def _life_detail(ages: pd.DataFrame, resampling: Resampling) -> Iterator[Result]:
    """Yield the rows of LifeEval that only figures draw."""
    yield from _maximum_scores(ages)
    # Three kinds of rows are of stated confidence only, beside the answer's true probability.
    stated_rows = with_outcomes(ages[ages["source"] != TOKEN])
    for key, condition, group in estimate.condition_groups(
        stated_rows, ("dataset", "variant", "window", "model")
    ):
        yield from _truth_bin_results(group, key, condition)
        yield from _age_results(group, key, condition)
        yield from _item_results(group, key, condition)
    # Only another source than the stated confidence is part of a condition.
    sourced = ages.assign(source=ages["source"].replace(STATED, ""))
    # Bins at each radius, then over all radii.
    for condition_columns in (["radius", "source", "window"], ["source", "window"]):
        yield from _bins_of_lives(sourced, condition_columns, resampling)
    yield from _bins_over_models(sourced, resampling, _bins_of_lives)


_POOLED_COLUMNS = [
    *("model", "dataset", "variant", "window", "source", "status", "item", "confidence", "correct")
]


def _bins_over_sets_and_models(
    frames: Sequence[pd.DataFrame], resampling: Resampling
) -> Iterator[Result]:
    """Yield bins over all data sets and all models of a group together, group by group.

    Nothing is yielded unless there are several data sets. Each judgment has weight one. Judgments
    of LifeEval with the same radius are dependent within a decade of age, which counts as an item.
    """
    parts = [rows.assign(item=estimate.unit_names(rows))[_POOLED_COLUMNS] for rows in frames]
    if not parts:
        return
    rows = pd.concat(parts, ignore_index=True)
    if rows["dataset"].nunique() < 2:
        return
    # The data set tells apart items of the same name in two sets.
    item = rows["dataset"] + "/" + rows["item"]
    rows = rows.assign(task=SETS, dataset=ALL_SETS, item=item)
    yield from _bins_over_models(rows, resampling, _bins_of_sets)


_life_figure = partial(FigureSpec, task=LIFE, by=("dataset", "variant", "window"), needs=2)
_set_figure = partial(FigureSpec, task=SETS, tasks=(LIFE,), by=("window",), needs=2)
_curves_figure = partial(FigureSpec, task=SETS, by=("dataset", "variant"))

FIGURES: Sequence[FigureSpec] = (
    _set_figure(
        plot="calibration",
        title="Calibration by data set, all models",
        reads="Accuracy, or mean true probability, against stated confidence, over the judgments "
        "of all models or of each group of models, in ten bins and one for full confidence. Points "
        "below the diagonal are overconfident.",
        reads_panels='A panel "pooled" has the judgments of all data sets.',
        intervals=("bin_accuracy",),
        metrics=("bin_accuracy", "bin_confidence"),
        keep=lambda parts: "models" in parts,
    ),
    _set_figure(
        plot="over_sets",
        title="Overconfidence by data set",
        reads="Mean confidence minus accuracy of each model. Right of the line models are "
        "overconfident.",
        reads_panels='In a panel "pooled" every judgment has the same weight.',
        intervals=("overconfidence",),
        metrics=("overconfidence",),
        keep=lambda parts: set(parts) <= {"variant", "window"},
        leads=True,
    ),
    _set_figure(
        plot="over_sets",
        title="Accuracy by data set",
        reads="Accuracy of each model; in LifeEval the mean true probability of its answers. If "
        "the answers are given in the question, accuracy is the share of right ones and the same "
        "for all models.",
        intervals=("accuracy",),
        metrics=("accuracy",),
        keep=lambda parts: set(parts) <= {"variant", "window"},
    ),
    _set_figure(
        plot="over_sets",
        title="Expected calibration error by data set",
        reads="Expected calibration error of each model's stated confidence and, if log "
        "probabilities are known, of its answers' token probabilities. Further left is better.",
        intervals=("ece",),
        metrics=("ece",),
        keep=lambda parts: set(parts) <= {"source", "variant", "window"},
    ),
    _set_figure(
        plot="calibration",
        title="Calibration by data set",
        reads="Accuracy, or mean true probability, against confidence, in ten bins and one for "
        "full confidence: stated confidence and, if it is known, the probability of the answer's "
        "token. Points below the diagonal are overconfident.",
        intervals=("bin_accuracy",),
        metrics=("bin_accuracy", "bin_confidence"),
        by=("model", "variant", "window"),
        keep=lambda parts: not {"models", "radius", "kind"} & set(parts),
    ),
    _life_figure(
        plot="hard_easy",
        title="Overconfidence by difficulty",
        reads="Each mark is a question. The further right, the lower the greatest true probability"
        " that any answer has. The line is fitted by least squares; its band, if the slope has a "
        "95% interval, spans it. Confidence that follows this probability gives a level line; "
        "confidence that does not depend on the question gives a slope of 1.",
        metrics=("item_overconfidence", "hard_easy_slope"),
        # Items, and the slope over all of them.
        keep=lambda parts: "item" in parts or set(parts) <= {"variant", "window"},
    ),
    _life_figure(
        plot="overconfidence",
        title="Overconfidence by radius",
        reads="Mean confidence minus mean true probability, for windows of so many years on each "
        "side of the answer and over all windows. Above 0 the model is overconfident. Narrow "
        "windows are the hard questions.",
        intervals=("overconfidence",),
        metrics=("overconfidence",),
        keep=lambda parts: set(parts) <= {"radius", "variant", "window"},
        needs=1,
    ),
    _life_figure(
        plot="confidence_truth",
        title="Stated confidence by true probability",
        reads="Answers are in bins of their true probability; each point is the mean confidence in"
        " a bin. Points above the diagonal are overconfident. Bars are the shares of judgments in "
        "the bins; each panel's largest share has full height.",
        intervals=("truth_bin_confidence",),
        metrics=("truth_bin_probability", "truth_bin_confidence"),
    ),
    _life_figure(
        plot="reliability",
        title="Calibration by radius",
        reads="Mean true probability of the answers against the confidence in them. Points below "
        "the diagonal are overconfident. Bars are the shares of judgments in the bins; each "
        "panel's largest share has full height.",
        intervals=("bin_accuracy",),
        metrics=("bin_accuracy", "bin_confidence"),
        keep=lambda parts: "radius" in parts,
    ),
    _life_figure(
        plot="best_age",
        title="Answers and best answers by age",
        reads="Ages at death that the model answers (pale lines with marks, means over epochs) and"
        " the answers with the greatest true probability (dashed), by the person's age, sex and "
        "the radius of the window. If the two lines of a sex differ, another answer was more "
        "probable.",
        metrics=("mean_answer", "mean_best_answer"),
        # Years of age; a decade, of which `summarize` has means, is written from-to.
        keep=lambda parts: "-" not in parts.get("age", "-"),
    ),
    FigureSpec(
        plot="maximum_score",
        title="Highest achievable score by age",
        reads="The greatest true probability that any answer has, by the age reached, sex and "
        "radius. It depends on the life table only.",
        task=LIFE,
        metrics=("maximum_achievable_score",),
        by=("dataset", "window"),
        keep=lambda parts: "sex" in parts,
        needs=2,
    ),
    _life_figure(
        plot="confidence_scatter",
        title="Stated confidence and true probability",
        reads="Each mark is a question: its stated confidence (mean over epochs) against the true "
        "probability of the answer. Marks above the diagonal are overconfident. Rows of marks at "
        "one height are rounded confidences.",
        metrics=("item_confidence",),
    ),
    reliability_figure(
        _curves_figure,
        "Calibration",
        "Accuracy against confidence, in ten bins and one for full confidence: stated confidence "
        "and, if it is known, the probability of the answer's token. Points below the diagonal are "
        "overconfident.",
        "Bars are the shares of judgments in the bins; each panel's largest share has full height.",
        keep=lambda parts: "models" not in parts,
    ),
    type2_figure(_curves_figure),
)

HEADLINES: Sequence[Headline] = (
    Headline(
        LIFE, "hard_easy_slope", "LifeEval: hard-easy slope", short="LifeEval: hard-easy slope"
    ),
    Headline(
        LIFE,
        "overconfidence",
        "LifeEval: overconfidence (share)",
        short="LifeEval: overconfidence",
    ),
    Headline(LIFE, "ece", "LifeEval: ECE (share)", short="LifeEval: ECE"),
    Headline(
        LIFE,
        "confidence_truth_correlation",
        "LifeEval: correlation of confidence and true probability",
    ),
    Headline(SETS, "ece", "Question sets: ECE (share)", short="question sets: ECE"),
    Headline(SETS, "auroc", "Question sets: AUROC (share)", short="question sets: AUROC"),
)

CLAUSES: Sequence[Clause] = (
    *calibration_clauses(SETS, {}),
    Clause(
        LIFE,
        "lives",
        [("mean_confidence", {}), ("accuracy", {})],
        "it states {} for ages at death whose true probability is {}",
    ),
)
