"""Replies that could not be read: their share by condition, whether it depends on it, in words.

Numbers rest on the replies that could be read. Where it hangs on the condition which ones these
are, a comparison of conditions may be one of formats.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray, divided
from inspect_confidence.metrics.resample import wilson_limits
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies.estimate import condition_groups
from inspect_confidence.studies.notes import noted, replied, tallied
from inspect_confidence.studies.study import Resampling, TaskTable
from inspect_confidence.studies.tables import Row, Rows

SHARE, DEPENDENCE = METRICS = ("unread_share", "unread_dependence")
ALL_DATASETS = "all"
"""What stands in `dataset` for a number over data sets."""

_LEAST, _MOST = 999, 2_000_000
"""Permutations at least, and values permuted from which on they are fewer than asked for."""


def unread(table: TaskTable, judgments: pd.DataFrame, resampling: Resampling) -> Iterator[Result]:
    """The share of unread replies of each model and variant, overall and by what was varied.

    With each thing that was varied, the data set among them, goes the p of its having no say in
    it. What gave no reply (a failure of the run or the instrument) is left out and counted.
    """
    rows = table.replies(judgments)
    asked = replied(rows["status"])
    rows = rows.assign(
        asked=asked,
        lost=asked & (rows["status"] != "ok"),
        unit=rows.groupby(["dataset", "item"]).ngroup(),
    )
    # Sorted throughout, so that the order of logs changes no permutation.
    for key, condition, mine in condition_groups(rows, ("model", "variant")):
        datasets = list(mine.groupby("dataset"))
        for name, some in datasets:
            where = replace(key, dataset=str(name))
            yield _overall(some, where, condition)
            for by in table.varied:
                yield from _varied(some, by, where, condition, resampling)
        if len(datasets) > 1:
            over = replace(key, dataset=ALL_DATASETS)
            yield _overall(mine, over, condition)
            yield from _varied(mine, "dataset", over, condition, resampling)


def _overall(rows: pd.DataFrame, key: Key, condition: Condition) -> Result:
    status = rows["status"]
    counts = [tallied(status[chosen]) for chosen in (rows["lost"], ~rows["asked"])]
    lost, none = (", ".join(f"{one[name]:,} {name}" for name in sorted(one)) for one in counts)
    (found,) = _shares(*_counts(rows, np.zeros(len(rows), np.int64)), key, [condition])
    return replace(found, note=noted(found.note, lost, none and f"without a reply: {none}"))


def _varied(
    rows: pd.DataFrame, by: str, key: Key, condition: Condition, resampling: Resampling
) -> Iterator[Result]:
    """By one thing that was varied; nothing where it wasn't."""
    code, levels = pd.factorize(rows[by].mask(rows[by] == ""), sort=True)
    if len(levels) < 2:
        return
    lost, asked = _counts(rows[code >= 0], code[code >= 0])
    if by != "dataset":  # whose shares are numbers of their own already
        yield from _shares(lost, asked, key, [condition.but(**{by: one}) for one in levels])
    resamples = min(resampling.resamples, max(_LEAST, _MOST // max(1, int((asked > 0).sum()))))
    p = metrics.unread_dependence(lost, asked, resamples=resamples, seed=resampling.seed)
    recurring = int(((asked > 0).sum(axis=1) > 1).sum())
    among = f"within {recurring} items" if recurring else f"of {len(asked)} whole items"
    note = f"{resamples:,} permutations {among}"
    if np.isnan(p):
        note = f"undefined: {_why(lost, asked)}"
    yield key.result(condition.but(by=by), DEPENDENCE, p, n=int(asked.sum()), note=note)


def _why(lost: FloatArray, asked: FloatArray) -> str:
    if (lost == asked).all():
        return "no reply was read"
    return "every reply was read" if not lost.any() else metrics.METRICS[DEPENDENCE].undefined


def _counts(rows: pd.DataFrame, code: Any) -> tuple[FloatArray, FloatArray]:
    """Unread replies, and replies, of each item (row) under each condition (column)."""
    unit = np.unique(rows["unit"], return_inverse=True)[1]
    shape = (int(unit.max(initial=-1)) + 1, int(code.max(initial=0)) + 1)
    cell = unit * shape[1] + code
    lost, asked = (
        np.bincount(cell, rows[name].astype(float), minlength=shape[0] * shape[1]).reshape(shape)
        for name in ("lost", "asked")
    )
    return np.asarray(lost, float), np.asarray(asked, float)


def _shares(
    lost: FloatArray, asked: FloatArray, key: Key, conditions: Sequence[Condition]
) -> Iterator[Result]:
    """A row a column, with Wilson's interval over items."""
    total = asked.sum(axis=0)
    share = divided(lost.sum(axis=0), total)
    variance = divided(np.square(lost - share * asked).sum(axis=0), np.square(total))
    items = (asked > 0).sum(axis=0).astype(float)
    limits = wilson_limits(share, variance, total, items)
    for where, value, ends, n in zip(conditions, share, limits, total, strict=True):
        note = "undefined: no reply" if np.isnan(value) else ""
        yield key.result(where, SHARE, value, ends, n=int(n), note=note)


def without_unread(results: pd.DataFrame) -> pd.DataFrame:
    """The results less those of this module: the rows that studies know."""
    return results[~results["metric"].isin(METRICS)]


@dataclass(frozen=True)
class Told:
    """What a reader must know of the unread replies of a model on a data set.

    Attributes:
        of: Task, model, data set and variant.
        record: The row of results with the share.
        share: The share and the statuses, in words.
        depends: On what it depends, and on what not, in words; empty where nothing was tested.
    """

    of: Sequence[str]
    record: Mapping[Any, Any]
    share: str
    depends: str

    @property
    def said(self) -> str:
        """Both as a sentence."""
        return f"Unread: {'; '.join(filter(None, (self.share, self.depends)))}."


def told(results: pd.DataFrame) -> tuple[list[Told], str]:
    """What is said of the unread replies of each model, and of all its p.

    Args:
        results: Of a study, in the layout of results.
    """
    rows = Rows.of(results[results["metric"].isin(METRICS)])
    tests = [one for one in rows.where(metric=DEPENDENCE) if not np.isnan(one.value)]
    adjusted = metrics.holm([one.value for one in tests])
    p = {_place(one): value for one, value in zip(tests, adjusted, strict=True)}
    found = []
    for of, mine in rows.each("task", "model", "dataset", "variant"):
        known = [
            (_NAMES.get(one["by"], one["by"]), p[_place(one)]) for one in mine if _place(one) in p
        ]
        for row in mine.where(metric=SHARE):
            if set(row.of) <= {"task", "model", "dataset", "metric", "variant"}:
                found.append(Told(of, row.record, _share(row), _depends(known)))
    return found, f"p after Holm's adjustment over {len(p)} tests." if len(p) > 1 else ""


_ALPHA = 0.05
_NAMES = {"choice_set": "choice set", "cot": "chain of thought", "dataset": "data set"}


def _place(row: Row) -> int:
    return int(row.record["row"])


def _share(row: Row) -> str:
    n, value = int(row.record["n"]), row.value
    share = "none" if value == 0 else "all" if value == 1 else f"{_percent(value)}%"
    why = f" ({row.note})" if row.note else ""
    return f"{share} of {n:,} repl{'y' if n == 1 else 'ies'}{why}" if n else f"no reply came{why}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}" if share >= 0.1 else f"{100 * share:.2g}"


def _depends(known: Sequence[tuple[str, float]]) -> str:
    on = [(by, p) for by, p in known if p < _ALPHA]
    off = [(by, p) for by, p in known if p >= _ALPHA]
    among = " or ".join(by for by, _ in on)
    said = [
        f"the share depends on {_listed(on, ' and ')}: comparisons by {among} may be comparisons "
        "of format"
    ] * bool(on)
    said += [f"no sign that it depends on {_listed(off, ' or ')}"] * bool(off)
    return "; ".join(said)


def _listed(some: Sequence[tuple[str, float]], joint: str) -> str:
    return joint.join(f"the {by} ({_p(p)})" for by, p in some)


def _p(p: float) -> str:
    digits = 2 if p >= 0.1 else 3
    return "p < .001" if p < 0.0005 else f"p = {p:.{digits}f}".replace("0.", ".", 1)
