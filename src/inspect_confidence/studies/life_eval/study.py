"""LifeEval and the question sets: judgments -> results, comparisons and tables."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

import pandas as pd

from inspect_confidence.references import bibtex
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies.compare import TEST_METRICS
from inspect_confidence.studies.estimate import (
    ResampledEstimates,
    Statistics,
    clusters_of,
    condition_groups,
    ordered_units,
    resample,
    results_of,
)
from inspect_confidence.studies.life_eval import judgments, numbers, pooled, shown
from inspect_confidence.studies.life_eval.columns import (
    LIFE,
    LIFE_COLUMNS,
    OPTIONS_COLUMNS,
    SETS,
    STATED,
    TOKEN,
)
from inspect_confidence.studies.study import Difference, Resampling, Study, TaskTable


def summarize(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Return the results of both tasks, and of all their data sets together.

    Without a convention answers are graded as the authors did, and all other definitions are those
    of the paper.
    """
    results: list[Result] = []
    completed = {
        task: judgments.complete_judgments(task, frame, resampling.convention)
        for task, frame in frames.items()
    }
    for rows in completed.values():
        for key, condition, group in condition_groups(rows, ("dataset", "variant", "window")):
            results += _dataset_results(group, key, condition, resampling)
    return results + pooled.pooled_results(completed, resampling)


def _dataset_results(
    rows: pd.DataFrame, key: Key, condition: Condition, resampling: Resampling
) -> list[Result]:
    """Return a data set's results of each model, then the mean of each group of models.

    Those of a model end with the differences of stated confidence from that of the answer's token,
    if the model has judgments of the token's confidence.
    """
    # Units of all models, so that each resample has the same units for every model.
    units = ordered_units(rows)
    clusters = judgments.age_clusters(rows) if key.task == LIFE else clusters_of(rows)
    results: list[Result] = []
    by_model: dict[str, ResampledEstimates] = {}
    for name, model_rows in rows.groupby("model", sort=False):
        model = str(name)
        model_key = replace(key, model=model)
        statistics = _model_statistics(model_rows, units, condition, resampling)
        by_model[model] = resample(statistics, len(units), resampling, clusters=clusters)
        results += results_of(by_model[model], model_key)
        has_tokens = (model_rows["source"] == TOKEN).any()
        if has_tokens and resampling.requests_any(TEST_METRICS):
            results += numbers.stated_against_token(model_rows, model_key, condition, resampling)
    return results + list(numbers.group_results(rows, by_model, key, resampling))


def _model_statistics(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    """Yield a model's statistics by source of confidence, over all judgments and for each part.

    Parts of LifeEval are radii, those of a question set are kinds of questions, if there are
    several. A source other than the stated confidence is named in the condition.
    """
    is_life_eval = "radius" in rows
    part_column = "radius" if is_life_eval else "kind"
    for source, source_rows in rows.groupby("source", sort=True):
        source_condition = condition.but(source="" if source == STATED else source)
        yield from numbers.judgment_statistics(source_rows, units, source_condition, resampling)
        yield from numbers.extra_statistics(source_rows, units, source_condition, resampling)
        parts = list(source_rows.groupby(part_column, sort=True))
        if not is_life_eval and len(parts) == 1:
            continue
        for part, part_rows in parts:
            part_condition = source_condition.but(**{part_column: part})
            yield from numbers.judgment_statistics(part_rows, units, part_condition, resampling)
            if is_life_eval and source != TOKEN:  # answers of tokens are the stated ones
                yield from numbers.decade_means(part_rows, units, part_condition)
        if is_life_eval:
            yield numbers.hard_easy_statistics(source_rows, units, source_condition)


def compare(a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling) -> list[Difference]:
    """Return the differences of two models or variants on the items that both answered readably.

    LifeEval: overall, for each radius, and of the hard-easy slope. Question sets: of all
    calibration metrics.
    """
    task = str(a["task"].iloc[0])
    first, second = (
        judgments.complete_judgments(task, side, resampling.convention) for side in (a, b)
    )
    return numbers.compare_contenders(first, second, resampling)


LIFE_EVAL = Study(
    name="life_eval",
    title="LifeEval and the question sets: the hard-easy effect",
    question="Each model answers a question and states the probability that its answer is right. "
    "LifeEval asks for ages at death, and a life table gives the true probabilities; the "
    "question sets have options to choose from.",
    tables=(
        TaskTable(
            task=LIFE,
            columns=LIFE_COLUMNS,
            required=("item", "age", "radius"),
            answers=(("confidence", "sex", "answer"), ("confidence", "score")),
            arguments_shown=frozenset(
                {"ages", "sexes", "radii", "items", "split", "table", "window"}
            ),
            always_shown=frozenset({"prompts"}),
            conventions=frozenset({"text", "authors"}),
            read=judgments.read_age,
            varied=("radius", "sex"),
            replies=lambda rows: rows[rows["source"] != TOKEN],
            contradictions={
                ("age", "radius"): judgments.missing_ages,
                ("table", "sex", "age", "radius", "window"): judgments.table_problems,
            },
        ),
        TaskTable(
            task=SETS,
            columns=OPTIONS_COLUMNS,
            required=("item", "kind"),
            answers=(
                ("confidence", "correct"),
                ("confidence", "answer", "target"),
                ("probabilities", "answer", "target"),
            ),
            arguments_shown=frozenset({"dataset", "items", "split"}),
            always_shown=frozenset({"prompts"}),
            conventions=frozenset({"text", "authors"}),
            listwise=("item", "given"),
            read=judgments.read_options,
            varied=("kind", "given"),
            replies=lambda rows: rows[rows["source"] != TOKEN],
            stated=judgments.complete_without_probabilities,
            contradictions={
                ("answer", "choices", "probabilities"): judgments.option_contradictions,
                ("kind",): partial(judgments.unknown_values, "kind"),
                ("source",): partial(judgments.unknown_values, "source"),
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
    accuracy_names={"life_eval": "mean true probability"},
    clauses=shown.CLAUSES,
    options=numbers.LifeOptions,
    reference=bibtex("michael2026confidence"),
)
