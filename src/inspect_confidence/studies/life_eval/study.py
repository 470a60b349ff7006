"""LifeEval and the question sets: judgments -> results, comparisons and tables."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pandas as pd

from inspect_confidence.metrics import HardEasySlope
from inspect_confidence.references import bibtex
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies.estimate import (
    ResampledEstimates,
    Statistics,
    condition_groups,
    resample,
    results_of,
    unit_names,
)
from inspect_confidence.studies.life_eval import judgments, numbers, pooled, shown
from inspect_confidence.studies.limits import limits
from inspect_confidence.studies.study import Difference, Resampling, Study, TaskTable, kinds

LIFE, SETS = "life_eval", "question_sets"


def summarize(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """The results of both tasks, and of all their data sets together.

    Without a convention answers are graded as the authors did, and all else is by the text.
    """
    found: list[Result] = []
    completed = {task: _completed(task, frame, resampling) for task, frame in frames.items()}
    for rows in completed.values():
        for key, condition, answered in condition_groups(rows, ("dataset", "variant", "window")):
            found += _of_dataset(answered, key, condition, resampling)
    return found + pooled.of_all_sets(completed, resampling)


def _completed(task: str, frame: pd.DataFrame, resampling: Resampling) -> pd.DataFrame:
    if task == LIFE:
        return judgments.completed_ages(frame)
    options = judgments.graded(judgments.completed_options(frame), resampling.convention)
    return options.assign(window="")


def _of_dataset(
    rows: pd.DataFrame, key: Key, condition: Condition, resampling: Resampling
) -> list[Result]:
    """Every model by itself, then the mean of each group of models."""
    # Of all models, so that a resample of one is the same resample of another.
    units = pd.Index(unit_names(rows).unique())
    clusters = judgments.CLUSTERS if key.task == LIFE else None
    found: list[Result] = []
    drawn: dict[str, ResampledEstimates] = {}
    lines: dict[Condition, dict[str, HardEasySlope]] = defaultdict(dict)
    for name, mine in rows.groupby("model", sort=False):
        who = replace(key, model=str(name))
        if key.task == LIFE:
            for source, some in mine.groupby("source"):
                lines[_sourced(condition, source)][who.model] = numbers.slope_of(some)
            estimands = [*_of_lives(mine, units, condition, resampling)]
        else:
            estimands = [*_of_sources(mine, units, condition, resampling)]
        drawn[who.model] = resample(estimands, len(units), resampling, clusters=clusters)
        found += results_of(drawn[who.model], who)
        if (mine["source"] == judgments.TOKEN).any():
            found += numbers.stated_against_token(mine, who, condition, resampling)
    groups = numbers.groups_of(list(drawn), resampling.options(numbers.LifeOptions).groups)
    for group, members in groups.items():
        theirs = {
            where: {name: line for name, line in some.items() if name in members}
            for where, some in lines.items()
        }
        shared = numbers.shared_items(rows, members)
        mean = numbers.group_mean({name: drawn[name] for name in members}, theirs, shared)
        found += results_of(mean, replace(key, model=f"mean of {group}"))
    return found


def _sourced(condition: Condition, source: object) -> Condition:
    """With the source of confidence, unless it is what was stated."""
    return condition.but(source="" if source == judgments.STATED else source)


def _of_lives(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    """One model's numbers by what it stated and by its tokens, over all radii and for each."""
    for source, mine in rows.groupby("source", sort=True):
        at = _sourced(condition, source)
        yield from numbers.of_judgments(mine, units, at, resampling)
        yield from numbers.toolbox(mine, units, at, resampling)
        for radius, some in mine.groupby("radius", sort=True):
            where = at.but(radius=radius)
            yield from numbers.of_judgments(some, units, where, resampling)
            if source != judgments.TOKEN:  # its answers are those that were stated
                yield from numbers.by_decade(some, units, where)
        yield numbers.slope(numbers.slope_of(mine), mine, at)


def _of_sources(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    """One model's numbers by what it stated and by its tokens."""
    for source, some in rows.groupby("source", sort=True):
        where = _sourced(condition, source)
        yield from numbers.of_judgments(some, units, where, resampling)
        yield from numbers.toolbox(some, units, where, resampling)
        by_kind = some.groupby("kind", sort=True)
        for kind, of_kind in by_kind if len(by_kind) > 1 else ():
            yield from numbers.of_judgments(of_kind, units, where.but(kind=kind), resampling)


def compare(a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling) -> list[Difference]:
    """Differences of two contenders on the items that both answered readably.

    LifeEval: overall, for each radius, and of the hard-easy slope. Question sets: of all
    calibration metrics.
    """
    task = str(a["task"].iloc[0])
    one, other = (_completed(task, side, resampling) for side in (a, b))
    return numbers.compared(one, other, resampling)


LIFE_EVAL = Study(
    name="life_eval",
    title="LifeEval and the question sets: the hard-easy effect",
    tables=(
        TaskTable(
            task=LIFE,
            columns=kinds(
                "sex:text age radius source:text answer confidence score mas best_answer "
                "unseen_mass table:text window:text"
            ),
            required=("item", "age", "radius"),
            answers=(("confidence", "sex", "answer"), ("confidence", "score")),
            arguments_shown=frozenset(
                {"ages", "sexes", "radii", "items", "split", "table", "window"}
            ),
            always_shown=frozenset({"prompts"}),
            defaults={"source": judgments.STATED},
            read=judgments.read_age,
            varied=("radius", "sex"),
            replies=lambda rows: rows[rows["source"] != judgments.TOKEN],
            limits=limits(
                "age:amount radius:amount answer:amount confidence:share score:share mas:share "
                "best_answer:amount unseen_mass:share"
            ),
        ),
        TaskTable(
            task=SETS,
            columns=kinds(
                "kind:text given:text source:text choices target:text answer:text "
                "probabilities:text raw_sum unseen_mass confidence correct"
            ),
            required=("item", "kind"),
            answers=(
                ("confidence", "correct"),
                ("confidence", "answer", "target"),
                ("probabilities", "answer", "target"),
            ),
            arguments_shown=frozenset({"dataset", "items", "split"}),
            always_shown=frozenset({"prompts"}),
            defaults={"source": judgments.STATED},
            listwise=("item", "given"),
            read=judgments.read_options,
            varied=("kind", "given"),
            replies=lambda rows: rows[rows["source"] != judgments.TOKEN],
            stated=judgments.stated_options,
            limits=limits(
                "choices:count probabilities:shares raw_sum:amount unseen_mass:share "
                "confidence:share correct:share"
            ),
            contradictions={
                ("answer", "choices", "probabilities"): judgments.option_contradictions
            },
        ),
    ),
    contenders=("source",),
    summarize=summarize,
    compare=compare,
    views=shown.calibration_tables,
    detail=shown.detail,
    figures=shown.FIGURES,
    headlines=shown.HEADLINES,
    clauses=shown.CLAUSES,
    options=numbers.LifeOptions,
    reference=bibtex("michael2026confidence"),
)
