"""What is estimated of one data set's hedged answers: markers, faithfulness, accuracy."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.answers import REPLY_STATUSES
from inspect_confidence.metrics import cmfg_of, cmfg_sums, correlation_of, means_of
from inspect_confidence.results import Result
from inspect_confidence.studies.estimate import Family, Number, draw, results_of
from inspect_confidence.studies.hedge_markers.judgments import Sentences
from inspect_confidence.studies.intervals import constant, left_out
from inspect_confidence.studies.study import Resampling

FloatArray = NDArray[np.float64]

_NAN = float("nan")


def of_judge(rows: pd.DataFrame, resampling: Resampling) -> list[Result]:
    """Precision and recall of extraction, accuracies, and decisiveness against labels."""
    found: list[Result] = []
    for (model, variant), mine in rows.groupby(["model", "variant"], sort=False):
        units = pd.Index(mine["item"].unique())
        where = {"variant": variant}
        families = [
            _extraction(mine, units, where),
            _shares(mine, units, where),
            *_decisiveness(mine, units, where),
        ]
        run = Result("judge_check", str(model), "judge_check", "", "", _NAN, _NAN, _NAN, 0, "")
        drawn = draw(families, np.zeros(len(units), np.int64), resampling)
        found += results_of(drawn, run)
    return found


def _unit(rows: pd.DataFrame, units: pd.Index) -> NDArray[np.int64]:
    return units.get_indexer(pd.Index(rows["item"])).astype(np.int64)


def _extraction(rows: pd.DataFrame, units: pd.Index, where: dict[str, object]) -> Family:
    mine = rows[rows["form"] == "markers"]
    counts = mine[["found", "missed", "false"]].fillna(0).to_numpy(float)
    sums = np.zeros((len(units), 3))
    np.add.at(sums, _unit(mine, units), counts)
    note = left_out(mine["status"])

    def statistic(weights: FloatArray) -> FloatArray:
        found, missed, false = (weights @ sums).T
        bottom = np.column_stack([found + false, found + missed])
        return np.where(bottom > 0, found[:, None] / np.where(bottom > 0, bottom, 1), _NAN)

    n = int((mine["status"] == "ok").sum())
    names = ("extraction_precision", "extraction_recall")
    return Family([Number(where, name, n, note) for name in names], statistic)


def _shares(rows: pd.DataFrame, units: pd.Index, where: dict[str, object]) -> Family:
    failed = (rows["status"] != "ok").astype(float)
    values = np.column_stack([rows["agreed"], rows["verdict"], failed]).astype(float)
    counts = (~np.isnan(values)).sum(axis=0)
    names = ("agreement_accuracy", "verdict_accuracy", "grader_failure_rate")
    numbers = [Number(where, name, int(n)) for name, n in zip(names, counts, strict=True)]
    return Family(numbers, means_of(values, _unit(rows, units), len(units)))


def _decisiveness(rows: pd.DataFrame, units: pd.Index, where: dict[str, object]) -> list[Family]:
    """Against the medians of the people surveyed, and against our own labels of other sentences."""
    found = []
    for reference, chosen in (("survey", rows["word"] != ""), ("labels", rows["word"] == "")):
        mine = rows[(rows["form"] == "decisiveness") & chosen]
        stated, label = (mine[name].to_numpy(float) for name in ("decisiveness", "labelled"))
        unit, there = _unit(mine, units), ~np.isnan(stated)
        condition = {**where, "reference": reference}
        n, note = int(there.sum()), left_out(mine["status"])
        error = np.abs(stated - label)
        ranks, of_label = (
            pd.Series(np.where(there, part, np.nan)).rank().to_numpy(float)
            for part in (stated, label)
        )
        found.append(
            Family(
                [Number(condition, "decisiveness_error", n, note)],
                means_of(error[:, None], unit, len(units)),
            )
        )
        found.append(
            Family(
                [Number(condition, "decisiveness_rank_correlation", n, note)],
                correlation_of(ranks, of_label, unit, len(units)),
            )
        )
    return found


Condition = Mapping[str, object]

FAITHFUL = 0.75
"""Replies with at least this faithfulness are faithful, as in the study's code."""


def of_group(
    said: Sentences, convention: str | None, threshold: float, condition: Condition
) -> Iterator[Family]:
    """Everything that the judgments of one data set and split give.

    Args:
        said: Judgments of one group.
        convention: `authors` for the rules of the study's code.
        threshold: T.
        condition: What the judgments have in common.
    """
    yield from _replies(said, condition)
    yield from _sentences(said, condition)
    yield _conditional(said, convention, condition)
    yield from _markers(said, convention, threshold, condition)


def _replies(said: Sentences, condition: Condition) -> Iterator[Family]:
    replies = said.replies
    unit = replies["unit"].to_numpy(np.int64)
    columns = {
        "accuracy": replies["correct"],
        "punt_rate": replies["punt"],
        "faithfulness": replies["faithfulness"],
        "mean_internal_confidence": replies["confidence"],
        "mean_decisiveness": replies["decisiveness"],
        "sentences_per_reply": replies["sentences"],
    }
    values = np.column_stack([column.to_numpy(float) for column in columns.values()])
    counts = (~np.isnan(values)).sum(axis=0)
    numbers = [
        Number(condition, name, int(n), _left_out(len(replies) - int(n), len(replies)))
        for name, n in zip(columns, counts, strict=True)
    ]
    yield Family(numbers, means_of(values, unit, len(said.units)))
    lengths = replies["sentences"].to_numpy(float)
    squares = means_of(np.column_stack([lengths, lengths**2]), unit, len(said.units))

    def spread(weights: FloatArray) -> FloatArray:
        mean, square = squares(weights).T
        return np.asarray(np.sqrt(np.maximum(square - mean**2, 0)))

    yield Family([Number(condition, "sentences_per_reply_sd", int(counts[-1]))], spread)
    status = replies["status"]
    read = status.isin(["ok", "grader_failed"]) | replies["sentences"].notna()
    replied = (read | status.isin(REPLY_STATUSES)).to_numpy()
    failed = np.where(replied, ~read, _NAN)
    note = left_out(status.where(~replied, "ok"))
    yield Family(
        [Number(condition, "format_failure_rate", int(replied.sum()), note)],
        means_of(failed[:, None], unit, len(said.units)),
    )
    n = len(said.once)
    lost = {
        "cut off at their end, left out": replies["cut"].sum(),
        "empty draws left out": replies["empty_draws"].sum(),
    }
    said_too = [f"{count:.0f} {what}" for what, count in lost.items() if count > 0]
    note = "; ".join(["sentences", *said_too])
    yield Family([Number(condition, "n", n, note, (_NAN, _NAN))], constant(n))


def _left_out(missing: int, n: int) -> str:
    return f"{missing} of {n} replies left out" if missing else ""


def _sentences(said: Sentences, condition: Condition) -> Iterator[Family]:
    once = said.once
    unit = once["unit"].to_numpy(np.int64)
    known = once["n_markers"].to_numpy(float)
    n = int((~np.isnan(known)).sum())
    yield Family(
        [Number(condition, "hedges_per_sentence", n)],
        means_of(known[:, None], unit, len(said.units)),
    )
    yield _judge_failures(said, condition)


def _judge_failures(said: Sentences, condition: Condition) -> Family:
    """The share of judgments that the judge failed at: of sentences and of replies."""
    once, replies = said.once, said.replies[said.replies["sentences"] > 0]
    agreements = once[["consistent", "undecided", "inconsistent"]].fillna(0).sum(axis=1)
    lost = once["failed"].fillna(0)
    missing = once["n_markers"].isna().astype(float) + once["decisiveness"].isna()
    sums = np.zeros((len(said.units), 2))
    np.add.at(
        sums,
        once["unit"].to_numpy(np.int64),
        np.column_stack([lost + missing, agreements + lost + 2]),
    )
    verdicts = np.column_stack([replies["punt"].isna(), np.ones(len(replies))]).astype(float)
    np.add.at(sums, replies["unit"].to_numpy(np.int64), verdicts)
    failed, made = sums.sum(axis=0)
    note = f"{failed:.0f} of {made:.0f} judgments"

    def statistic(weights: FloatArray) -> FloatArray:
        top, bottom = (weights @ sums).T
        return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1), _NAN)

    return Family([Number(condition, "grader_failure_rate", int(made), note)], statistic)


def _conditional(said: Sentences, convention: str | None, condition: Condition) -> Family:
    """cMFG, from what each reply adds to the bins."""
    replies = said.replies
    rule = "authors" if convention == "authors" else "text"
    totals, counts = cmfg_sums(
        replies["faithfulness"].to_numpy(float),
        replies["confidence_with_both"].to_numpy(float),
        convention=rule,
    )
    bins = totals.shape[1]
    sums = np.zeros((len(said.units), 2 * bins))
    np.add.at(sums, replies["unit"].to_numpy(np.int64), np.hstack([totals, counts]))

    def statistic(weights: FloatArray) -> FloatArray:
        both = weights @ sums
        return cmfg_of(both[:, :bins], both[:, bins:], rule)

    used = int((counts.sum(axis=0) > 0).sum())
    note = f"{used} of {bins} bins hold replies"
    return Family([Number(condition, "cmfg", int(counts.sum()), note)], statistic)


def _markers(
    said: Sentences, convention: str | None, threshold: float, condition: Condition
) -> Iterator[Family]:
    """Each marker's internal confidence, its SD and its distance from decisiveness."""
    counted = said.counted(convention)
    markers = said.markers(counted, threshold)
    below = counted["standard"].nunique() - len(markers)
    note = f"{below} markers with fewer than {threshold:g} sentences left out" if below else ""
    if not markers:
        why = f"no marker has {threshold:g} sentences"
        yield Family([Number(condition, "mic", 0, why=why)], constant(_NAN))
        return
    replies = said.replies.set_index(["uuid", "dataset", "item", "epoch", "draw"])
    faithful = replies["faithfulness"].reindex(
        pd.MultiIndex.from_frame(counted[["uuid", "dataset", "item", "epoch", "draw"]])
    )
    kinds: dict[tuple[tuple[str, str], ...], NDArray[np.bool_]] = {
        (): np.ones(len(counted), bool),
        (("outcome", "correct"),): (counted["correct"] == 1).to_numpy(),
        (("outcome", "incorrect"),): (counted["correct"] == 0).to_numpy(),
        (("faithful", "yes"),): (faithful >= FAITHFUL).to_numpy(),
        (("faithful", "no"),): (faithful < FAITHFUL).to_numpy(),
    }
    for extra, chosen in kinds.items():
        where = {**condition, **dict(extra)}
        yield _mic(said, counted[chosen], markers, where, note if not extra else "")
    gap = (counted["decisiveness"] - counted["confidence"]).abs()
    yield _by_marker(said, counted, gap, markers, condition, "decisiveness_gap")


def _mic(
    said: Sentences, rows: pd.DataFrame, markers: Sequence[str], condition: Condition, note: str
) -> Family:
    """Means and standard deviations of confidence, by marker."""
    cells = said.cells(rows, markers)
    sizes = rows["standard"].value_counts()
    numbers = [
        Number({**condition, "marker": marker}, metric, int(sizes.get(marker, 0)), note)
        for metric in ("mic", "mic_sd")
        for marker in markers
    ]

    def statistic(weights: FloatArray) -> FloatArray:
        tables = cells.tables(weights, threshold=0)
        counts = tables.counts.sum(axis=1)
        n = counts.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(n > 0, counts @ tables.values / n, _NAN)
            square = np.where(n > 0, counts @ tables.values**2 / n, _NAN)
        return np.hstack([mean, np.sqrt(np.maximum(square - mean**2, 0))])

    return Family(numbers, statistic)


def _by_marker(
    said: Sentences,
    rows: pd.DataFrame,
    values: pd.Series,
    markers: Sequence[str],
    condition: Condition,
    metric: str,
) -> Family:
    """The mean of a value of sentences, by marker."""
    table = np.full((len(rows), len(markers)), _NAN)
    place = {marker: k for k, marker in enumerate(markers)}
    for row, (marker, value) in enumerate(zip(rows["standard"], values, strict=True)):
        if marker in place:
            table[row, place[marker]] = value
    counts = (~np.isnan(table)).sum(axis=0)
    numbers = [
        Number({**condition, "marker": marker}, metric, int(n))
        for marker, n in zip(markers, counts, strict=True)
    ]
    return Family(numbers, means_of(table, rows["unit"].to_numpy(np.int64), len(said.units)))
