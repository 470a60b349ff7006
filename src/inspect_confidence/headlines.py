"""Headlines: the results that summarize a model."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from operator import attrgetter

from inspect_confidence.results import Condition, ResultRow, ResultTable
from inspect_confidence.studies import Headline, Study, all_studies, study_of
from inspect_confidence.studies.toolbox import means_as_headlines

_TASK_OR_UNIT = re.compile(r"^[^:()]*: | \(share\)")


def label_beside_task(label: str) -> str:
    """Return a headline's label without its task, which is named nearby, and without `(share)`.

    It begins with a capital letter.

    Example:
        >>> label_beside_task("LifeEval: expected calibration error (share)")
        'Expected calibration error'
    """
    label = _TASK_OR_UNIT.sub("", label)
    return label[:1].upper() + label[1:]


_ACRONYMS = frozenset(
    {
        *("auprc", "augrc", "aurc", "auroc", "cd", "cmfg", "corp", "ece", "hle", "id", "kl", "ks"),
        *("mac", "mae", "mcc", "mic", "mrc", "nll", "prr", "rms", "sd"),
    }
)
"""Parts of metrics' names that are written in capitals."""


def metric_label(metric: str) -> str:
    """Return the name of a metric in words, for one that no headline labels.

    Example:
        >>> metric_label("coverage_gap"), metric_label("rms_calibration_error")
        ('Coverage gap', 'RMS calibration error')
    """
    words = [word.upper() if word in _ACRONYMS else word for word in metric.split("_")]
    label = " ".join(words)
    return label[:1].upper() + label[1:]


def main_numbers(study: Study) -> list[Headline]:
    """Return a study's headlines, and accuracy and mean confidence where it has ECE.

    Both means come before the first headline of their task, condition and factors (`each`).
    """
    means = means_as_headlines(study)
    numbers: list[Headline] = []
    for headline in study.headlines:
        place = headline.task, headline.where, headline.each
        numbers += [mean for mean in means if (mean.task, mean.where, mean.each) == place]
        means = [mean for mean in means if mean not in numbers]
        numbers.append(headline)
    return numbers


def condition_label(metric: str, condition: Condition) -> str:
    """Return a label of a number with its condition. A field that `--by` split is named alone.

    Example:
        >>> condition_label("ece", Condition(scale="0-10", by="subject=law"))
        'ece, subject=law, scale=0-10'
    """
    parts = [metric]
    for name, value in condition.items():
        parts.append(value if name == "by" else f"{name}={value}")  # `by` is "FIELD=VALUE"
    return ", ".join(parts)


def label_and_unnamed_parts(
    task: str, metric: str, condition: Condition, *, short: bool = True
) -> tuple[str, Condition]:
    """Return the label of a number, and the parts of its condition that are not in the label.

    The label is that of the first headline (main number of the study) with this metric and no
    other value in its condition; values take the place of placeholders such as `{radius}`. A
    headline whose placeholders all have a value comes first. Without a headline it is the metric.
    With `short`, a headline's short name is taken where it has one.
    """
    complete, incomplete = [], []  # by whether all placeholders of a headline have a value
    for headline in main_numbers(study_of(task)):
        is_of_metric = (headline.task, headline.metric) == (task, metric)
        if not (is_of_metric and is_compatible(condition, headline.where)):
            continue
        # `headline.each` names the parts of the condition that are placeholders in the label.
        if set(headline.each) <= set(condition):
            complete.append(headline.with_parts({name: condition[name] for name in headline.each}))
        else:
            incomplete.append(headline)
    for headline in (*complete, *incomplete):
        label = (headline.short if short else "") or headline.label
        # A placeholder at the end that has no value, as in `ECE, {method}`, is left out.
        label = label.partition(", {")[0]
        if "{" not in label:  # every other placeholder has a value
            return label_beside_task(label), condition.but(**dict.fromkeys(headline.where, ""))
    return metric_label(metric), condition


def is_compatible(condition: Condition, required: Mapping[str, str]) -> bool:
    """Return whether a condition has the `required` values in every part that both have."""
    return all(required[name] == value for name, value in condition.items() if name in required)


def headline_rows(
    results: ResultTable, headlines: Callable[[Study], Iterable[Headline]] | None = None
) -> ResultTable:
    """Return the headlines (main numbers) of each model and variant, in the order of studies.

    They are rows of `results` whose `parts` also have the headline's `label`, its `short` name, the
    `unit` that n counts, and its `study`. The function `headlines` gives the headlines of a study;
    by default they are the study's own. Without results of any headline the table is empty.
    """
    # The headlines of each study on tasks that have results.
    by_study: dict[str, Sequence[Headline]] = {}
    tasks = set(results.values("task"))
    for study in all_studies():
        study_headlines = headlines(study) if headlines else study.headlines
        by_study[study.name] = [headline for headline in study_headlines if headline.task in tasks]
    metrics = {headline.metric for headline in chain.from_iterable(by_study.values())}
    rows = results.among("metric", metrics)
    # A number has a row for each model, data set, variant and judge; `shared` is the condition
    # without the last two.
    rows_by_number: dict[tuple[str, str, Condition], list[ResultRow]] = {}
    for row in rows:
        rows_by_number.setdefault((row["task"], row["metric"], row.shared), []).append(row)
    chosen = []
    for study_name, study_headlines in by_study.items():
        for headline in _present_headlines(rows, study_headlines):
            labels = {"label": headline.label, "short": headline.short, "study": study_name}
            labels["unit"] = headline.unit
            number = (headline.task, headline.metric, Condition(headline.where))
            chosen += [row.labelled(**labels) for row in rows_by_number.get(number, ())]
    return ResultTable(chosen)


def _present_headlines(rows: ResultTable, headlines: Iterable[Headline]) -> Iterator[Headline]:
    """Yield the headlines; one whose `each` names factors, such as the scale, is repeated.

    It is repeated for every combination of the factors' values that occurs in the rows; of a
    factor with a usual value (`nearest`), only for the value nearest to it. Adjacent headlines with
    the same task and factors, which also share the other parts of their condition (`where`), are
    repeated together: all of one combination come before those of the next.
    """
    for (task, part_names), group in groupby(headlines, key=attrgetter("task", "each")):
        group_headlines = list(group)
        if not part_names:
            yield from group_headlines
            continue
        first = group_headlines[0]
        for parts in first.nearest_values(condition_values(rows, task, first.where, part_names)):
            for headline in group_headlines:
                yield headline.with_parts(parts)


def condition_values(
    rows: ResultTable, task: str, where: Mapping[str, str], each: Sequence[str]
) -> list[dict[str, str]]:
    """Return the combinations of values that the parts `each` of a task's conditions have.

    They are in the order of the rows, each as a dict from part to value. `where` has the other
    parts of the conditions, except variant and judge, which may have any values.
    """
    combinations = []
    # `shared` is a row's condition without variant and judge.
    for condition in dict.fromkeys(row.shared for row in rows.matching(task=task)):
        parts = {name: condition[name] for name in each if name in condition}
        if len(parts) == len(each) and condition == {**where, **parts}:
            combinations.append(parts)
    return combinations
