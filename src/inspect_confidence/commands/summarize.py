"""Results of judgments, and the detailed rows behind figures."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from operator import attrgetter
from typing import Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.commands.analysis import (
    Settings,
    as_stream,
    compute_results,
    read_settings,
    study_parts,
)
from inspect_confidence.judgments.read import JudgmentSource
from inspect_confidence.judgments.streams import Stream
from inspect_confidence.metrics import METRICS
from inspect_confidence.results import (
    OTHER_DATASETS,
    OTHER_ITEMS,
    Key,
    Result,
    ResultTable,
    results_frame,
)
from inspect_confidence.studies import all_studies, all_tables
from inspect_confidence.studies.estimate import MEAN_NOTE
from inspect_confidence.studies.life_eval.judgments import HALF_OPEN
from inspect_confidence.studies.study import ResampledValue
from inspect_confidence.studies.unread import UNREAD_SHARE, answering_models


def summarize(
    source: JudgmentSource | Stream,
    *,
    metrics: Collection[str] | None = None,
    **settings: Unpack[Settings],
) -> pd.DataFrame:
    """Compute the results of all judgments, one row for each number.

    Args:
        source: Judgments (a frame, or frames by task), or paths that `read_judgments` takes. A
            store is read model by model if its study allows that.
        metrics: Metrics to compute, which takes less time than all; None computes all. The share
            of unread replies is always computed. No value depends on which metrics are computed.
        **settings: Keywords of `Settings`.

    Returns:
        A frame with the columns `task, model, dataset, condition, metric, value, ci_low, ci_high,
        n, note`, as docs/judgments.md describes them.

    Raises:
        InvalidArgument: The source or a setting is invalid, a metric is unknown, or paths have no
            judgments; an empty frame has no results.
    """
    if not isinstance(source, Stream):
        read_settings(settings)  # an invalid setting ends the command before logs are read
        source = as_stream(source, settings)
    return mark_item_sets(results_frame(compute_results(source, settings, metrics)))


def summarize_with_draws(
    source: JudgmentSource, **settings: Unpack[Settings]
) -> tuple[pd.DataFrame, dict[int, ResampledValue]]:
    """Compute the results of `summarize`, and the values of headline metrics over resamples.

    Ranks of models need these values. A resample takes the same items of all models that answered
    the same items. A single model has no rank, and therefore no values.

    Args:
        source: Judgments or paths, as `summarize` takes them.
        **settings: Keywords of `Settings`.

    Returns:
        The results, and by row the values of a headline metric over the resamples; rows that
        aren't resampled are absent.

    Raises:
        InvalidArgument: The source or a setting is invalid, or paths have no judgments.
    """
    headlines = chain.from_iterable(study.headlines for study in all_studies())
    headline_metrics = {(headline.task, headline.metric) for headline in headlines}
    names = {metric for _, metric in headline_metrics}
    draws_by_key: dict[object, ResampledValue] = {}

    def keep_draws(result: Result, value: ResampledValue) -> None:
        """Keep the values of a result over resamples, if it is a headline's and any is defined."""
        is_headline = (result.task, result.metric) in headline_metrics
        if is_headline and not np.isnan(value.draws).all():
            # A copy, because the draws of all metrics share one array.
            draws_by_key[_key(result)] = replace(value, draws=np.array(value.draws))

    results: list[Result] = []
    for part in study_parts(source, settings):
        results.extend(part.results())
        models = set(chain.from_iterable(frame["model"].unique() for frame in part.frames.values()))
        if len(models) > 1:
            # Intervals come from resamples of each model alone, as in `summarize`; ranks need
            # resamples that take the same items of all models. These results are not used.
            headline_part = replace(part, metrics=names)
            for _ in headline_part.results(keep_draws, part.study.is_for_headline):
                pass
    draws_by_row = {}
    for row, result in enumerate(results):
        if _key(result) in draws_by_key:
            draws_by_row[row] = draws_by_key[_key(result)]
    return mark_item_sets(results_frame(results)), draws_by_row


_key = attrgetter("task", "model", "dataset", "condition", "metric")
"""Result -> the values by which it is told from all others."""


_MIN_SHARE_OF_ITEMS = 0.9
"""Share of the largest n below which a number is said to rest on other items."""


_AVERAGED_SETS = re.compile(rf"(?:^|; ){MEAN_NOTE} ([^;]+)")
"""Pattern of a note's part that names the data sets of a mean."""


def _has_other_sets(notes: pd.Series, keys: Sequence[pd.Series]) -> NDArray[np.bool_]:
    """Return which notes are of a mean over other data sets than most means with the same keys.

    Of equally common lists of data sets the longest counts as that of most means, then the last by
    name. `notes` and `keys` have an entry for each row of results.
    """
    means: dict[int, tuple[tuple[object, ...], tuple[str, ...]]] = {}  # key and names, by position
    counts_by_key: dict[tuple[object, ...], Counter[tuple[str, ...]]] = {}
    for position, (note, *key) in enumerate(zip(notes, *keys, strict=True)):
        if averaged := _AVERAGED_SETS.search(note):
            names = tuple(sorted(averaged[1].split(", ")))
            means[position] = tuple(key), names
            counts_by_key.setdefault(tuple(key), Counter())[names] += 1
    is_other = np.zeros(len(notes), bool)
    for position, (mean_key, names) in means.items():
        ranked = [(n, len(sets), sets) for sets, n in counts_by_key[mean_key].items()]
        is_other[position] = names != max(ranked)[2]
    return is_other


def mark_item_sets(results: pd.DataFrame) -> pd.DataFrame:
    """Mark the notes of numbers that rest on other items, or data sets, than another model's.

    Two models are compared on the same items only if their n are alike: a model that answered 257
    of 400 items may have answered the easier ones. The note of a number whose n is below 90% of the
    largest n of the same task, data set, metric and condition (without variant and judge) begins
    with `OTHER_ITEMS`, which tables also print beside the number. So does the note of a mean over
    other data sets than most models have; of equally common sets the one with the most data sets
    counts.
    """
    table = ResultTable.from_frame(results)
    shared_conditions = [str(row.shared) for row in table]
    keys = [results[name] for name in ("task", "dataset", "metric")]
    keys.append(pd.Series(shared_conditions, results.index))
    is_number = results["value"].notna() & (results["metric"] != UNREAD_SHARE)
    # Means over models, whose n is the sum of theirs, are not compared.
    is_compared = is_number & results["model"].isin(answering_models(table))
    n = results["n"].where(is_compared)
    largest_n = n.groupby(keys).transform("max")
    has_other_sets = _has_other_sets(results["note"].where(is_compared, ""), keys)
    is_count = results["metric"].map(lambda name: METRICS[name].unit == "count").astype(bool)
    # The n of a count is not a sample size by which models could be compared.
    is_marked = has_other_sets | ((n < _MIN_SHARE_OF_ITEMS * largest_n) & ~is_count)
    if not is_marked.any():
        return results
    marked_rows = results[is_marked]
    notes = []
    columns = marked_rows["n"], largest_n[is_marked], marked_rows["note"], has_other_sets[is_marked]
    for count, largest, note, other_sets in zip(*columns, strict=True):
        text = f"{OTHER_ITEMS} other items: n = {count:,} beside {int(largest):,}"
        if other_sets:  # `note` names the data sets
            text = OTHER_DATASETS
        notes.append(f"{text}; {note}" if note else text)
    results = results.copy()
    results.loc[is_marked, "note"] = notes
    return results


def detail(source: JudgmentSource, **settings: Unpack[Settings]) -> pd.DataFrame:
    """Compute the detailed rows behind figures: bins, shares and curves.

    The rows have the columns of results, metrics of the same registry, and Wilson's intervals.
    `status_count` counts the replies of each model and data set by status.

    Args:
        source: Judgments or paths, as `summarize` takes them.
        **settings: Keywords of `Settings`. Resamples are used only if Wilson's interval doesn't
            apply; the default is 1,000, enough for a figure.

    Returns:
        A frame with the columns of results.

    Raises:
        InvalidArgument: The source or a setting is invalid, or paths have no judgments.
    """
    results: list[Result] = []
    for part in study_parts(source, {"resamples": 1_000, **settings}):
        results += _status_counts(part.frames)
        results += part.study.detail(part.frames, part.resampling)
    return results_frame(results)


_FIGURE_KEYS = ("language", "judge", "window")
"""Columns of judgments that distinguish figures of one model and data set."""


def _status_counts(frames: Mapping[str, pd.DataFrame]) -> Iterator[Result]:
    """Yield the number of replies with each status, by model, data set, variant and plot.

    Plots differ by language, judge and window (`_FIGURE_KEYS`). A reply from which several
    judgments come is counted once.
    """
    for task, judgments in frames.items():
        replies = all_tables()[task].replies(judgments)
        # Conditions omit the default window, `HALF_OPEN`; some replies have no judge.
        columns = [name for name in _FIGURE_KEYS if name in replies]
        figure_keys = replies[columns].astype(object).fillna("").replace(HALF_OPEN, "")
        keys = replies[["model", "dataset", "variant", "status"]].join(figure_keys)
        condition_names = ["variant", "status", *columns]
        for key, group in keys.groupby(list(keys.columns), sort=False):
            model, dataset, *values = map(str, key)
            condition = dict(zip(condition_names, values, strict=True))
            yield Key(task, model, dataset).result(
                condition, "status_count", len(group), n=len(group)
            )
