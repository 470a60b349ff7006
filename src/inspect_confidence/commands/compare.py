"""Paired differences between models, variants or methods on the same items."""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, combinations, compress, product
from typing import Any, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.arguments import name_list
from inspect_confidence.commands.analysis import (
    Settings,
    StudyResults,
    add_choices_to_variants,
    read_settings,
    study_parts,
)
from inspect_confidence.directions import Direction, direction_of
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.headlines import is_compatible, label_and_unnamed_parts, main_numbers
from inspect_confidence.judgments.read import Judgments, JudgmentSource, judgments_of
from inspect_confidence.metrics import METRICS, holm
from inspect_confidence.overview.numbers import format_number
from inspect_confidence.results import Condition, conditions_of
from inspect_confidence.studies import Headline, Resampling, Study, all_studies, study_of
from inspect_confidence.studies.estimate import field_values

COLUMNS = [
    *("task", "dataset", "a", "b", "contrast", "variant", "method", "condition", "metric", "role"),
    *("value_a", "value_b", "difference", "ci_low", "ci_high", "p", "p_holm", "p_distance"),
    *("family", "items", "verdict", "note"),
]
PRIMARY, EXPLORATORY = "primary", "exploratory"
"""Roles of a difference: in the family of tests that is adjusted, or beside it."""
MODELS, METHODS = "models", "methods"
"""Contrasts: of models or their variants by one method or scale, or of methods of one model."""


@dataclass(frozen=True)
class Contender:
    """Judgments of one model, variant and elicitation method, which is compared with others.

    Attributes:
        model: Name of the model, and its variant.
        method: Values of the study's columns that tell methods apart, such as the ends of a scale.
        judgments: Its judgments, as the study's `compare` takes them.
    """

    model: tuple[str, str]
    method: tuple[str, ...]
    judgments: pd.DataFrame

    @property
    def method_text(self) -> str:
        """Name of the method or scale; empty if the study has one only."""
        return "-".join(filter(None, self.method))  # joins the ends of a scale: 0-100

    @property
    def name(self) -> str:
        """Name in tables."""
        return " ".join(filter(None, (*self.model, self.method_text)))


def compare(
    a: JudgmentSource,
    b: JudgmentSource | None = None,
    *,
    metrics: str | Sequence[str] = (),
    models: str | Sequence[str] = (),
    study: str | None = None,
    headlines_only: bool = False,
    **settings: Unpack[Settings],
) -> pd.DataFrame:
    """Compute paired differences between models, variants or methods on common items.

    The differences of the primary metrics of a task between models, over all pairs and data sets,
    are one family of tests, in which p is adjusted by Holm's method; those between methods are
    another. All other differences are exploratory, and their p is not adjusted. With one pair and
    one primary metric nothing is adjusted; `items_needed` computes the power of that test.
    Judgments with values of the fields of `--by` also have the differences within each value, which
    are exploratory.

    Args:
        a: Judgments or paths. Without `b`, its contenders (each a model with a variant and a
            method) are compared pairwise.
        b: Judgments or paths; every contender of `a` is compared with every contender of `b`. If a
            task has the same two or more models in both, each is compared with itself only, unless
            `models` names several.
        metrics: One or more primary metrics; if empty, the first main number of each task (the
            first of `study.headlines`) that has a defined difference, if any has one.
        models: Models to compare: with one name, only pairs with this model; with several, only
            pairs of these models; if empty, all pairs.
        study: Name of the only study to compare; None compares all.
        headlines_only: Whether to leave out metrics of stated confidence that are neither named in
            `metrics` nor a main number of their study, which takes less time. No value depends on
            it.
        **settings: Keywords of `Settings`.

    Returns:
        A row for each pair and metric. `contrast` is `models` (or variants) or `methods`; `variant`
        and `method` are those of both sides, if they are the same; `role` is `primary` or
        `exploratory`. `difference` is a - b, with its 95% interval over resampled common items and
        the two-sided `p` of no difference, which is below .05 exactly if the interval excludes 0.
        `p_holm` is adjusted over the `family` primary differences of the task and contrast (NaN and
        0 for exploratory ones). `p_distance`, adjusted like them, is the p that both values are
        equally far from the best one, for metrics whose best value lies inside their range, as that
        of overconfidence does. `verdict` rests on `p_holm`, or on `p` if exploratory, and `note`
        tells of missing data. Contenders that differ in both model and method (or scale) are not
        compared, since their difference could not be attributed to either.

    Raises:
        InvalidArgument: No two contenders answered common items, a setting is invalid, there is no
            such study, or no difference is of a primary metric.
    """
    read_settings(settings)  # an invalid setting ends the command before logs are read
    metrics, models = name_list(metrics), name_list(models)
    studies = [known_study.name for known_study in all_studies()]
    if study is not None and study not in studies:
        raise InvalidArgument(f"study={study}: there is no such study. {nearest(study, studies)}")
    second = None if b is None else judgments_of(b)
    first = judgments_of(a)
    _check_models(models, [first, *([] if second is None else [second])])
    rows: list[dict[str, object]] = []
    for study_judgments in study_parts(first, settings):
        if study not in (None, study_judgments.study.name):
            continue
        resampling = study_judgments.resampling
        if headlines_only:
            main_metrics = {headline.metric for headline in main_numbers(study_judgments.study)}
            resampling = replace(resampling, metrics={*metrics, *main_metrics})
        rows += _study_rows(study_judgments, second, models, resampling)
    if not rows:
        frames = [*first.values(), *(second or {}).values()]
        if not any((frame["status"] == "ok").any() for frame in frames):
            raise InvalidArgument(
                "There is nothing to compare: no judgment was both read and graded; "
                "`inspect-confidence unread` says why."
            )
        if second is not None and set(first).isdisjoint(second):
            raise InvalidArgument(
                "There is nothing to compare: two paths are compared with each other, and these "
                f"have no task in common ({', '.join(first)}; {', '.join(second)}); give one path."
            )
        names = [part.study.name for part in study_parts(first, settings)]
        if study not in (None, *names):
            raise InvalidArgument(f"study={study}: there are judgments of {', '.join(names)} only.")
        raise InvalidArgument(
            "There is nothing to compare: no two models, variants or methods answered the same "
            "items; name logs or files of at least two, and the items with --column item=COLUMN."
        )
    frame = pd.DataFrame(rows).rename(columns={"first": "value_a", "second": "value_b"})
    # Differences within a value of a field of `--by` are exploratory.
    is_primary = _is_primary(frame, metrics) & (frame["by"] == "").to_numpy()
    adjusted = _adjust_by_family(frame, is_primary)
    adjusted["verdict"] = list(map(_verdict, adjusted.to_dict("records")))
    return adjusted[COLUMNS]


def _study_rows(
    first: StudyResults, second: Judgments | None, models: Sequence[str], resampling: Resampling
) -> Iterator[dict[str, object]]:
    """Yield a row for each difference of the selected pairs of a study.

    `first` has the study, and the judgments of the first source by task (`frames`), whose variants
    name the choices of the analysis already. Without a `second` source, contenders (models and
    methods) of the first are paired; with it, only tasks of both sources are compared. If these
    have the same two or more models of a task, each is compared with itself only, unless several
    `models` are named, as for `compare`. `resampling` has the metrics to compare.
    """
    study = first.study
    for task, frame in first.frames.items():
        second_frame = None
        if second is not None:
            if task not in second:
                continue
            second_frame = add_choices_to_variants(second[task], task, resampling)
        same_only = len(models) < 2 and _have_same_models(frame, second_frame)
        for dataset, a_side, b_side in _comparable_pairs(study, frame, second_frame):
            names = {a_side.model[0], b_side.model[0]}  # without the variants
            if _is_selected(names, models) and not (same_only and len(names) == 2):
                for row in _pair_rows(study, a_side, b_side, resampling):
                    yield {"task": task, "dataset": dataset, **row}


def _pair_rows(
    study: Study, a_side: Contender, b_side: Contender, resampling: Resampling
) -> Iterator[dict[str, object]]:
    """Yield a row for each difference of a pair: of all judgments, then within values of `--by`.

    The sides are contenders, each a model and variant with a method. `variant` and `method` of a
    row are those that both share; otherwise they are empty.
    """
    same_method = a_side.method == b_side.method
    a_variant, b_variant = a_side.model[1], b_side.model[1]  # `model` is a name and a variant
    names = {
        "a": a_side.name,
        "b": b_side.name,
        "contrast": MODELS if same_method else METHODS,
        "variant": a_variant if a_variant == b_variant else "",
        "method": a_side.method_text if same_method else "",
    }
    for group, a_rows, b_rows in _sides_by_value(a_side.judgments, b_side.judgments):
        for difference in study.compare(a_rows, b_rows, resampling):
            condition = Condition.read(difference.condition).but(by=group)
            yield {**names, **asdict(difference), "condition": str(condition), "by": group}


def _adjust_by_family(differences: pd.DataFrame, is_primary: NDArray[np.bool_]) -> pd.DataFrame:
    """Add the role, and p adjusted by Holm's method over the primary differences of each family.

    The pairs of models of a task are a family, and its pairs of methods are another: which model is
    better, and which method, are two questions.

    The adjusted p is `p_holm`, and `family` the number of p in the family; for exploratory
    differences they are NaN and 0. `p_distance`, the p that both sides are equally far from the
    best value, is replaced by its adjusted value for primary differences only. A p that is NaN
    stays NaN and is not counted.
    """
    roles = np.where(is_primary, PRIMARY, EXPLORATORY)
    adjusted = differences.assign(role=roles, p_holm=np.nan, family=0)
    for _, family in adjusted[is_primary].groupby(["task", "contrast"]):
        adjusted.loc[family.index, "p_holm"] = holm(family["p"])
        adjusted.loc[family.index, "p_distance"] = holm(family["p_distance"])
        adjusted.loc[family.index, "family"] = int(family["p"].notna().sum())
    return adjusted


def _sides_by_value(
    first: pd.DataFrame, second: pd.DataFrame
) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """Yield both sides' judgments: all of them (`by` is empty), then those of each common value.

    A value is one of the fields of `--by`, as `domain=law`; one that a side lacks is left out.
    """
    second_values = dict(field_values(second))  # whether each judgment has a value, by the value
    for by, is_chosen in field_values(first):
        if by in second_values:
            yield by, first[is_chosen], second[second_values[by]]


def _check_models(models: Sequence[str], sides: Sequence[Judgments]) -> None:
    """Refuse a selected model without judgments in any of the compared sources."""
    names: set[str] = set()
    for frame in chain.from_iterable(side.values() for side in sides):
        names.update(frame["model"].unique())
    for model in models:
        if model not in names:
            raise InvalidArgument(
                f"--model {model}: there are no judgments of it. {nearest(model, names)}"
            )


def _have_same_models(first: pd.DataFrame, second: pd.DataFrame | None) -> bool:
    """Return whether two sides have the same two or more models, as before and after a change."""
    if second is None:
        return False
    models = set(first["model"])
    return len(models) > 1 and models == set(second["model"])


def _is_selected(pair: Collection[str], models: Sequence[str]) -> bool:
    """Return whether a pair of models is among those that the user selected by `models`.

    With one name the pair must have it; with several, all names of the pair must be among them.
    Without a name every pair is selected. Variants of one model are a pair of one name.
    """
    if len(models) < 2:
        return not models or models[0] in pair
    return set(pair) <= set(models)


def _is_primary(rows: pd.DataFrame, metrics: Sequence[str]) -> NDArray[np.bool_]:
    """Return whether each difference is of a primary metric.

    Primary are the named metrics or, without any, the first headline of each task with a defined
    difference. `rows` have `task`, `metric`, `condition` and `difference`. A name in `metrics` that
    no row has is refused.
    """
    names = sorted(set(rows["metric"]))
    for metric in metrics:
        if metric not in METRICS:
            raise InvalidArgument(
                f"--metric {metric}: there is no such metric. {nearest(metric, METRICS)}"
            )
        if metric not in names:
            raise InvalidArgument(
                f"--metric {metric}: compare has no difference of it for these tasks, but of "
                f"{', '.join(names)}; --full shows any others."
            )
    if metrics:
        return rows["metric"].isin(metrics).to_numpy(bool)
    is_primary = np.zeros(len(rows), bool)
    defined = rows[rows["difference"].notna()]
    for task in rows["task"].unique():
        headline = _first_headline(defined, task) or _first_headline(rows, task)
        if headline:
            is_primary |= _is_of_headline(rows, headline)
    return is_primary


def _first_headline(rows: pd.DataFrame, task: str) -> Headline | None:
    """Return the first headline of a task that has a difference among the rows; None without any.

    Headlines are the main numbers of a study, each a metric in a condition.
    """
    for headline in study_of(task).headlines:
        if headline.task == task and _is_of_headline(rows, headline).any():
            return headline
    return None


def _is_primary_or_headline(rows: pd.DataFrame) -> pd.Series:
    """Return whether each difference of one task is primary or of a headline (main number)."""
    task = rows["task"].iloc[0]
    is_shown = rows["role"] == PRIMARY
    # Differences within a value of `--by`, which are never primary, are left out.
    is_whole = np.array(["by" not in condition for condition in conditions_of(rows)])
    for headline in main_numbers(study_of(task)):
        is_shown |= _is_of_headline(rows, headline) & is_whole
    return is_shown


def _is_of_headline(rows: pd.DataFrame, headline: Headline) -> NDArray[np.bool_]:
    """Return whether each row is a difference of a headline's metric in its condition.

    A headline is a main number of a study, in the condition `headline.where` and, of the parts in
    `headline.nearest`, at the value of the rows that is nearest. If no row has just this condition,
    as where rows are of one method and the headline of any, all rows that do not contradict it are
    chosen.
    """
    is_of_task = (rows["task"] == headline.task).to_numpy(bool)
    is_of_metric = is_of_task & (rows["metric"] == headline.metric).to_numpy(bool)
    conditions = conditions_of(rows)
    required = dict(headline.where)
    if headline.nearest:
        combinations = []
        for condition in compress(conditions, is_of_metric):
            if set(headline.nearest) <= set(condition):
                combinations.append({name: condition[name] for name in headline.nearest})
        required.update(*headline.nearest_values(combinations)[:1])
    is_equal = [condition == Condition(required) for condition in conditions]
    is_exact = is_of_metric & np.array(is_equal, bool)
    if is_exact.any():
        return np.asarray(is_exact)
    agrees = [is_compatible(condition, required) for condition in conditions]
    return np.asarray(is_of_metric & np.array(agrees, bool))


def metric_labels(rows: pd.DataFrame) -> list[str]:
    """Return a short label of each difference: its headline's, else the metric in words.

    Parts of the condition that the headline does not name follow, in brackets: `ECE (radius 1)`.
    """
    labels = []
    for key in zip(rows["task"], rows["metric"], conditions_of(rows), strict=True):
        label, parts = label_and_unnamed_parts(*key)
        unnamed_text = ", ".join(f"{name.replace('_', ' ')} {parts[name]}" for name in parts)
        labels.append(f"{label} ({unnamed_text})" if unnamed_text else label)
    return labels


def _comparable_pairs(
    study: Study, first: pd.DataFrame, second: pd.DataFrame | None
) -> Iterator[tuple[str, Contender, Contender]]:
    """Yield each data set with two contenders that may be compared.

    A contender is a model and variant with a method of elicitation; two of them share the model and
    variant, or the method. Both are of the judgments `first` if `second` is None; otherwise one is
    of each.
    """
    shared = set(first["dataset"]) & set(first["dataset"] if second is None else second["dataset"])
    for dataset in sorted(shared):
        contenders = _contenders(study, first[first["dataset"] == dataset])
        pairs: Iterable[tuple[Contender, Contender]] = combinations(contenders, 2)
        if second is not None:
            pairs = product(contenders, _contenders(study, second[second["dataset"] == dataset]))
        for a_side, b_side in pairs:
            if a_side.model == b_side.model or a_side.method == b_side.method:
                yield dataset, a_side, b_side


def _contenders(study: Study, frame: pd.DataFrame) -> list[Contender]:
    """Split judgments by model, variant and method into contenders, which are compared in pairs.

    `study.contenders` are the columns that make the method, such as the ends of a scale.
    """
    columns = ["model", "variant", *study.contenders]
    contenders = []
    for key, rows in frame.groupby(columns, dropna=False):  # a method may lack a part
        model, variant, *method = key
        contenders.append(
            Contender(
                model=(str(model), str(variant)),
                method=tuple(map(_method_part_text, method)),
                judgments=study.prepared(rows),  # as `study.compare` takes them
            )
        )
    return contenders


def _method_part_text(value: object) -> str:
    """Return a value of a column of the method as text; empty for NaN."""
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:g}"
    return str(value)


_NO_DIFFERENCE = "no difference beyond chance"


def verdict_words(row: Mapping[Hashable, Any]) -> str:
    """Return the verdict on a row of `compare` in words, without numbers: "a is better".

    The verdict is "undefined" if the difference is NaN. If p is, it is the first part of the row's
    note, with "no verdict" for "no interval". A metric for which neither high nor low is better
    gives "a is higher", and which side is nearer to the metric's best value, if it has one.
    """
    p = row["p_holm"] if row["role"] == PRIMARY else row["p"]  # the p that decides
    if np.isnan(row["difference"]):
        return "undefined"
    if np.isnan(p):
        reason = str(row["note"]).partition(";")[0]
        return reason.replace("no interval", "no verdict")
    if p >= 0.05:
        if row["p"] >= 0.05:
            return _NO_DIFFERENCE
        # Only the adjustment by Holm's method makes p too large.
        adjustment = f"adjustment for {row['family']} comparisons"
        return f"{_NO_DIFFERENCE} after {adjustment} ({_p_text(p)})"
    ahead, behind = ("a", "b") if row["difference"] > 0 else ("b", "a")
    direction = direction_of(row["metric"], Condition.read(row["condition"]))
    if direction.name in ("higher", "lower"):
        return f"{ahead if direction.name == 'higher' else behind} is better"
    return f"{ahead} is higher{_words_on_distance(row, direction) if direction.ordered else ''}"


def _words_on_distance(row: Mapping[Hashable, Any], direction: Direction) -> str:
    """Return a clause on which side is nearer to the best value, or that the test does not show it.

    The best value is `direction.target`, inside the range of the metric, as 0 of overconfidence;
    `p_distance` is the p that both sides are equally far from it.
    """
    if not row["p_distance"] < 0.05:  # it may be NaN
        return f"; it is not shown which is nearer to {direction.target:g}"
    distance_of_a, distance_of_b = direction.distance(np.array([row["value_a"], row["value_b"]]))
    return f"; {'a' if distance_of_a < distance_of_b else 'b'} is nearer to {direction.target:g}"


def _verdict(row: Mapping[Hashable, Any]) -> str:
    """Return the verdict in words; with the p in brackets, if there is one.

    If p is below .05, the size of the difference and its p follow "a is better", before a clause
    such as "; b is nearer to 0", which has the p of equal distances. Otherwise the words' own
    remark on adjustment is left out, which the brackets repeat. Only the p of primary differences
    is adjusted for the number of comparisons (`family`), which is 0 for exploratory ones.
    """
    words, is_primary = verdict_words(row), row["role"] == PRIMARY
    p = row["p_holm"] if is_primary else row["p"]
    if np.isnan(row["difference"]) or np.isnan(p):
        return words
    test_text = _p_text(row["p"]) if is_primary else f"exploratory, {_p_text(row['p'])}"
    if row["family"] > 1:
        test_text += f", {_p_text(p)} after adjustment for {row['family']} comparisons"
    if p >= 0.05:
        return f"{_NO_DIFFERENCE} ({test_text})"
    size = f" by {abs(row['difference']):.3g}"
    ahead, semicolon, nearer_to_best = words.partition(";")
    has_distance = semicolon and not np.isnan(row["p_distance"])
    distance_p = f" ({_p_text(row['p_distance'])})" if has_distance else ""
    return f"{ahead}{size} ({test_text}){semicolon}{nearer_to_best}{distance_p}"


def _p_text(p: float) -> str:
    """Return `p=0.021`, or `p<0.001`: resamples and Student's t do not tell smaller ones apart."""
    text = format_number("p_value", p)
    return f"p{text}" if text.startswith("<") else f"p={text}"


def main_differences(differences: pd.DataFrame, *, only_primary: bool = False) -> pd.DataFrame:
    """Return the differences that a screen shows, from the rows of `compare`.

    These are the primary ones; of a single pair in one task also its other headlines, unless
    `only_primary` is set. Contrasts of methods are shown only if there are none of models. If a
    study's headline is of one method or scale, such as 0-100, only that one is shown. Undefined
    differences are left out. Rows are ordered by pair, primary ones first; `a` and `b` are named
    without a `variant` and `method` that the two share.
    """
    rows = _of_main_conditions(differences, differences["role"] == PRIMARY)
    is_single_pair = len(rows[["task", "a", "b"]].drop_duplicates()) == 1
    if is_single_pair and not only_primary:
        of_task = differences[differences["task"] == rows["task"].iloc[0]]
        rows = _of_main_conditions(of_task, _is_primary_or_headline(of_task))
    pair = rows.groupby(["a", "b"], sort=False).ngroup()
    is_exploratory = rows["role"] == EXPLORATORY
    # By pair, and of each pair the primary differences first.
    return rows.iloc[np.lexsort([is_exploratory.to_numpy(), pair.to_numpy()])]


def _of_main_conditions(differences: pd.DataFrame, is_main: pd.Series) -> pd.DataFrame:
    """Return the defined differences of `is_main`, on the main method of their task.

    Differences of methods are left out if there are any of models. The main method (or scale) is
    that of the task's first headline (main number of the study); if no row has it, all methods
    stay. `a` and `b` are named without a variant and method that the two share, which are columns.
    """
    main = differences[is_main & differences["difference"].notna()]
    if (main["contrast"] == MODELS).any():
        main = main[main["contrast"] == MODELS]
    selected = []
    for task, task_rows in main.groupby("task", sort=False):
        headline = _first_headline(task_rows, str(task))
        # The condition {"scale": "0-100"} of a headline is 0-100 in the column `method`.
        main_methods = headline.where.values() if headline else ()
        on_main_method = task_rows[task_rows["method"].isin(main_methods)]
        selected.append(task_rows if on_main_method.empty else on_main_method)
    rows = pd.concat(selected) if selected else main
    return rows.assign(a=_short_names(rows, "a"), b=_short_names(rows, "b"))


def _short_names(rows: pd.DataFrame, side: str) -> list[str]:
    """Return names in the column `side` of differences without the variant and method of both.

    These are columns of their own: `gpt-4o 0-100` by the method `0-100` becomes `gpt-4o`.
    """
    names = []
    for name, variant, method in rows[[side, "variant", "method"]].itertuples(index=False):
        names.append(name.removesuffix(f" {method}").removesuffix(f" {variant}"))
    return names
