"""LifeEval and the question sets: judgments -> results, comparisons and tables."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from inspect_confidence.arguments import user_path
from inspect_confidence.datasets.records import read_records
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.references import bibtex
from inspect_confidence.results import Result
from inspect_confidence.studies.estimate import Family, draw, results_of
from inspect_confidence.studies.life_eval.judgments import (
    HALF_OPEN,
    STATED,
    completed_ages,
    completed_options,
    graded,
    read_age,
    read_options,
)
from inspect_confidence.studies.life_eval.numbers import (
    Answered,
    by_decade,
    compared,
    group_mean,
    groups_of,
    of_ages,
    of_options,
    slope_family,
    slope_of,
    stated_against_token,
)
from inspect_confidence.studies.life_eval.shown import (
    FIGURES,
    HEADLINES,
    calibration_tables,
    detail,
)
from inspect_confidence.studies.study import Difference, Resampling, Study, TaskTable, View, option

LIFE, SETS = "life_eval", "question_sets"

_NAN = float("nan")


def read_groups(name: str, value: object) -> dict[str, str]:
    """The group of each model from a csv or jsonl file with `model` and `group`.

    Raises:
        InvalidArgument: The file can't be used, or gives a model two groups.
    """
    path = user_path(name, value)
    groups: dict[str, str] = {}
    for row in read_records(path, ["model", "group"]):
        model, group = str(row["model"]), str(row["group"])
        if groups.setdefault(model, group) != group:
            raise InvalidArgument(f"{path.name}: {model} is in {groups[model]} and in {group}.")
    return groups


@dataclass(frozen=True)
class LifeOptions:
    """Options of LifeEval and the question sets.

    Attributes:
        groups: The group of each model, for means over models, from a csv or jsonl file with
            `model` and `group`; all are one group if None.
    """

    groups: Mapping[str, str] | None = option(None, read_groups)


def summarize(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """All results of the study.

    Args:
        frames: Judgments by task.
        resampling: How numbers are computed; without a convention answers are graded as the
            authors did, and all else is by the text.
    """
    found: list[Result] = []
    for task, frame in frames.items():
        rows = _completed(task, frame, resampling)
        window = rows["window"].replace(HALF_OPEN, "") if task == LIFE else ""
        rows = rows.assign(edge=window)
        by = ["dataset", "variant", "edge"]
        for (dataset, variant, edge), answered in rows.groupby(by, sort=False):
            run = Result(task, "", str(dataset), "", "", _NAN, _NAN, _NAN, 0, "")
            condition = {"variant": variant, "window": edge}
            found += _of_dataset(answered, run, condition, resampling)
    return found


def _completed(task: str, frame: pd.DataFrame, resampling: Resampling) -> pd.DataFrame:
    if task == LIFE:
        return completed_ages(frame)
    return graded(completed_options(frame), resampling.convention)


def _of_dataset(
    rows: pd.DataFrame, run: Result, condition: Mapping[str, object], resampling: Resampling
) -> list[Result]:
    """Every model by itself, then the mean of each group of models."""
    # All models' items, so that a resample of one is the same resample of another.
    units = pd.Index(rows["item"].unique())
    of_model = _of_ages if run.task == LIFE else _of_sources
    found: list[Result] = []
    answered: dict[str, Answered] = {}
    for model, mine in rows.groupby("model", sort=False):
        one = of_model(mine, units, condition, resampling)
        answered[str(model)] = one
        found += results_of(one.drawn, replace(run, model=str(model)))
        if run.task == SETS:
            its_own = replace(run, model=str(model))
            found += stated_against_token(mine, its_own, condition, resampling)
    for group, members in groups_of(list(answered), resampling.options(LifeOptions).groups).items():
        mean = group_mean({name: answered[name] for name in members}, condition)
        found += results_of(mean, replace(run, model=f"mean of {group}"))
    return found


def _of_ages(
    rows: pd.DataFrame, units: pd.Index, condition: Mapping[str, object], resampling: Resampling
) -> Answered:
    """One model's numbers over all radii and for each."""
    families = list(of_ages(rows, units, condition, resampling))
    for radius, some in rows.groupby("radius", sort=True):
        where = {**condition, "radius": radius}
        families += of_ages(some, units, where, resampling)
        families += by_decade(some, units, where)
    line = slope_of(rows)
    families.append(slope_family(line, rows, condition))
    return Answered(draw(families, np.zeros(len(units), np.int64), resampling), line)


def _of_sources(
    rows: pd.DataFrame, units: pd.Index, condition: Mapping[str, object], resampling: Resampling
) -> Answered:
    """One model's numbers by what it stated and by its tokens."""
    families: list[Family] = []
    for source, some in rows.groupby("source", sort=True):
        where = {**condition, "source": "" if source == STATED else source}
        families += of_options(some, units, where, resampling)
        kinds = some.groupby("kind", sort=True)
        for kind, of_kind in kinds if len(kinds) > 1 else ():
            families += of_options(of_kind, units, {**where, "kind": kind}, resampling)
    return Answered(draw(families, np.zeros(len(units), np.int64), resampling))


def compare(a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling) -> list[Difference]:
    """Differences of two contenders on the items that both answered readably.

    LifeEval: overall, for each radius, and of the hard-easy slope. Question sets: of all
    calibration metrics.
    """
    task = str(a["task"].iloc[0])
    one, other = (_completed(task, side, resampling) for side in (a, b))
    return compared(one, other, resampling)


def views(results: pd.DataFrame) -> list[View]:
    """The study's tables."""
    return calibration_tables(results)


LIFE_EVAL = Study(
    name="life_eval",
    title="LifeEval and the question sets: the hard-easy effect",
    tables=(
        TaskTable(
            task=LIFE,
            columns={
                "sex": "text",
                "age": "number",
                "radius": "number",
                "source": "text",
                "answer": "number",
                "confidence": "number",
                "score": "number",
                "mas": "number",
                "best_answer": "number",
                "table": "text",
                "window": "text",
            },
            required=("item", "age", "radius"),
            answers=(("confidence", "score"),),
            arguments_shown=frozenset(
                {"ages", "sexes", "radii", "items", "split", "table", "window"}
            ),
            compared_within=(),
            always_shown=frozenset({"prompts"}),
            defaults={"source": STATED},
            read=read_age,
        ),
        TaskTable(
            task=SETS,
            columns={
                "kind": "text",
                "given": "text",
                "source": "text",
                "choices": "number",
                "target": "text",
                "answer": "text",
                "probabilities": "text",
                "raw_sum": "number",
                "unseen_mass": "number",
                "confidence": "number",
                "correct": "number",
            },
            required=("item", "kind"),
            answers=(
                ("confidence", "correct"),
                ("confidence", "answer", "target"),
                ("probabilities", "answer", "target"),
            ),
            arguments_shown=frozenset({"dataset", "items", "split"}),
            compared_within=(),
            always_shown=frozenset({"prompts"}),
            defaults={"source": STATED},
            listwise=("item", "given"),
            read=read_options,
        ),
    ),
    contenders=("source",),
    summarize=summarize,
    compare=compare,
    views=views,
    detail=detail,
    figures=FIGURES,
    headlines=HEADLINES,
    options=LifeOptions,
    reference=bibtex("michael2026confidence"),
)
