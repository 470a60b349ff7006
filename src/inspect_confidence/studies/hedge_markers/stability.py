"""What is estimated over data sets: whether markers mean the same everywhere."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from inspect_confidence.metrics import (
    MarkerCells,
    MarkerTables,
    cmfg_of,
    cmfg_sums,
    marker_mae,
    marker_mae_sd,
    marker_rank_correlation,
    marker_trend,
    marker_variation,
)
from inspect_confidence.studies.estimate import Family, Number
from inspect_confidence.studies.hedge_markers.judgments import NO_HEDGE, Sentences

FloatArray = NDArray[np.float64]
Condition = Mapping[str, object]

_KINDS = ("spearman", "pearson")


@dataclass(frozen=True)
class Options:
    """Choices among definitions.

    Attributes:
        convention: `authors` for the rules of the study's code.
        threshold: T.
        ddof: Of the coefficients of variation.
        clamp: Of correlations before Fisher's transformation.
    """

    convention: str | None
    threshold: float
    ddof: int = 1
    clamp: float = 0.9999


def over_datasets(said: Sentences, options: Options, condition: Condition) -> Iterator[Family]:
    """The seven metrics of stability, with and without sentences that don't hedge."""
    counted = said.counted(options.convention)
    markers = said.markers(counted, options.threshold)
    variants = [("", markers)]
    if NO_HEDGE in markers:
        variants.append(("without", [marker for marker in markers if marker != NO_HEDGE]))
    for no_hedge, kept in variants:
        where = {**condition, "no_hedge": no_hedge}
        yield _stability(said, kept, options, where)
    if len(variants) > 1:
        yield _change(said, variants[0][1], options, condition)


def _stability(
    said: Sentences, markers: Sequence[str], options: Options, condition: Condition
) -> Family:
    names, forms = zip(*_forms(said, options, condition), strict=True)
    counted = said.counted(options.convention)
    cells = said.cells(counted, markers)
    weighed = said.cells(counted, markers, by_reply=True, threshold=options.threshold)
    accuracy, faithful = _accuracy(said), _cmfg(said, options.convention)
    n = len(counted)
    few = f"no marker has {options.threshold:g} sentences"
    numbers = [
        Number(where, metric, n, note, why=why if markers else few)
        for where, metric, note, why in names
    ]

    def statistic(weights: FloatArray) -> FloatArray:
        if not markers:
            return np.full((len(weights), len(forms)), np.nan)
        tables = _eligible(cells, weights, options)
        tables = replace(tables, by_reply=weighed.tables(weights).counts)
        context = _Context(tables, accuracy(weights), faithful(weights))
        return np.column_stack([form(context) for form in forms])

    return Family(numbers, statistic)


def _eligible(cells: MarkerCells, weights: FloatArray, options: Options) -> MarkerTables:
    """Tables in which the markers that reach T in the sample have a MIC, in every resample.

    By the authors, whose MAEs want T in the train split alone, T is asked of each resample.
    """
    if options.convention == "authors":
        return cells.tables(weights, options.threshold)
    sample = cells.tables(np.ones((1, weights.shape[1])), options.threshold)
    known = ~np.isnan(sample.mic[0])
    tables = cells.tables(weights, 0)
    return replace(tables, counts=tables.counts * known[..., None])


@dataclass(frozen=True)
class _Context:
    """What the forms need of one chunk of resamples."""

    tables: MarkerTables
    accuracy: FloatArray
    cmfg: FloatArray


Form = Callable[[_Context], FloatArray]
Named = tuple[Condition, str, str, str]


def _forms(said: Sentences, options: Options, condition: Condition) -> Iterator[tuple[Named, Form]]:
    splits = {split for _, split in said.groups}
    place = {group: k for k, group in enumerate(said.groups)}
    datasets = list(dict.fromkeys(dataset for dataset, _ in said.groups))
    both = [d for d in datasets if (d, "train") in place and (d, "test") in place]
    single = len(datasets) - len(both)
    note = f"{single} data sets with one split left out" if single else ""
    within = [(place[d, "train"], place[d, "test"]) for d in both]
    across = [(place[a, "train"], place[b, "test"]) for a in both for b in both if a != b]
    # The authors' code wants T sentences in the train split alone.
    rules = options.convention == "authors"
    for metric, pairs, needs in (
        ("id_mae", within, "no data set has a train and a test split"),
        ("cd_mae", across, "fewer than two data sets have a train and a test split"),
    ):
        why = needs if not pairs else "no marker is shared, or too few for a spread"
        for level in ("marker", "sentence", "response", "mean"):
            where = {**condition, "level": "" if level == "marker" else level}
            yield (where, metric, note, why), _mae(pairs, level, rules)
        where = {**condition, "of": metric}
        yield (where, "pooled_sd", note, why), _mae_sd(pairs, rules)
    for split in sorted(splits):
        mine = [k for k, group in enumerate(said.groups) if group[1] == split]
        where = {**condition, "split": split}
        few = "" if len(mine) > 1 else "one data set only"
        yield (
            (where, "m_avg_cv", "", few or "no marker is in enough data sets"),
            _cv(mine, "groups", options),
        )
        yield (where, "d_avg_cv", "", "no data set has two markers"), _cv(mine, "markers", options)
        for kind in _KINDS:
            how = {**where, "correlation": kind}
            few = (
                "fewer than two data sets"
                if len(mine) < 2
                else "no pair shares three markers whose MICs differ"
            )
            yield (how, "mrc", "", few), _mrc(mine, kind, options)
            few = (
                "fewer than three data sets"
                if len(mine) < 3
                else "no marker is in three of them, or all are alike"
            )
            for metric, name in (("mac", "accuracy"), ("mcc", "cmfg")):
                yield (how, metric, "", few), _trend(mine, kind, name, options)


def _mae(pairs: Sequence[tuple[int, int]], level: str, train_only: bool) -> Form:
    def form(context: _Context) -> FloatArray:
        return marker_mae(context.tables, pairs, level=level, train_only=train_only)  # type: ignore[arg-type]

    return form


def _mae_sd(pairs: Sequence[tuple[int, int]], train_only: bool) -> Form:
    def form(context: _Context) -> FloatArray:
        return marker_mae_sd(context.tables, pairs, train_only=train_only)

    return form


def _cv(groups: Sequence[int], over: str, options: Options) -> Form:
    def form(context: _Context) -> FloatArray:
        mic = (
            _shared(context.tables.mic[:, groups], options)
            if over == "groups"
            else (context.tables.mic[:, groups])
        )
        return marker_variation(mic, over=over, ddof=options.ddof)  # type: ignore[arg-type]

    return form


def _mrc(groups: Sequence[int], kind: str, options: Options) -> Form:
    def form(context: _Context) -> FloatArray:
        mic = _shared(context.tables.mic[:, groups], options)
        return marker_rank_correlation(mic, kind=kind, clamp=options.clamp)  # type: ignore[arg-type]

    return form


def _trend(groups: Sequence[int], kind: str, name: str, options: Options) -> Form:
    def form(context: _Context) -> FloatArray:
        mic = _shared(context.tables.mic[:, groups], options)
        of_group = getattr(context, name)[:, groups]
        return marker_trend(mic, of_group, kind=kind, clamp=options.clamp)  # type: ignore[arg-type]

    return form


def _shared(mic: FloatArray, options: Options) -> FloatArray:
    """By the authors, markers that all groups have; by the text, each pair's own."""
    if options.convention != "authors":
        return mic
    return np.where(_in_all(mic)[:, None, :], mic, np.nan)


def _in_all(mic: FloatArray) -> NDArray[np.bool_]:
    return np.asarray((~np.isnan(mic)).all(axis=1))


def _change(
    said: Sentences, markers: Sequence[str], options: Options, condition: Condition
) -> Family:
    """How much MRC changes without sentences that don't hedge."""
    counted = said.counted(options.convention)
    cells, without, n = said.cells(counted, markers), markers.index(NO_HEDGE), len(counted)
    splits = sorted({split for _, split in said.groups})
    groups = {s: [k for k, g in enumerate(said.groups) if g[1] == s] for s in splits}
    numbers = [
        Number({**condition, "split": split, "correlation": "spearman"}, "mrc_change", n)
        for split in splits
    ]

    def statistic(weights: FloatArray) -> FloatArray:
        tables = _eligible(cells, weights, options)
        columns = []
        for split in splits:
            mics = (tables.without(without).mic[:, groups[split]], tables.mic[:, groups[split]])
            less, whole = (
                marker_rank_correlation(_shared(mic, options), clamp=options.clamp) for mic in mics
            )
            columns.append(less - whole)
        return np.column_stack(columns)

    return Family(numbers, statistic)


def _accuracy(said: Sentences) -> Callable[[FloatArray], FloatArray]:
    """Accuracy of each group."""
    right = said.replies["correct"].to_numpy(float)
    sums = _by_group(said, np.column_stack([np.nan_to_num(right), ~np.isnan(right)]))

    def statistic(weights: FloatArray) -> FloatArray:
        top, bottom = (weights @ part for part in np.moveaxis(sums, 2, 0))
        return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1), np.nan)

    return statistic


def _cmfg(said: Sentences, convention: str | None) -> Callable[[FloatArray], FloatArray]:
    """CMFG of each group."""
    rule = "authors" if convention == "authors" else "text"
    held = said.replies["confidence_with_both"].to_numpy(float)
    faithful = said.replies["faithfulness"].to_numpy(float)
    totals, counts = cmfg_sums(faithful, held, convention=rule)
    bins = totals.shape[1]
    sums = _by_group(said, np.hstack([totals, counts]))

    def statistic(weights: FloatArray) -> FloatArray:
        found = [weights @ sums[:, g] for g in range(len(said.groups))]
        return np.column_stack([cmfg_of(one[:, :bins], one[:, bins:], rule) for one in found])

    return statistic


def _by_group(said: Sentences, values: FloatArray) -> FloatArray:
    """What each item adds to its group: of shape (items, groups, values)."""
    sums = np.zeros((len(said.units), len(said.groups), values.shape[1]))
    unit = said.replies["unit"].to_numpy(np.int64)
    np.add.at(sums, (unit, said.replies["group"].to_numpy(np.int64)), values)
    return sums
