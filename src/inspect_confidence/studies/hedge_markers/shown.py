"""Tables, figures and headlines of the hedge study."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from inspect_confidence.results import Result, ResultTable
from inspect_confidence.studies.bins import bin_shares
from inspect_confidence.studies.estimate import condition_groups
from inspect_confidence.studies.hedge_markers import judgments
from inspect_confidence.studies.hedge_markers.forms import (
    CHECK,
    DEFAULT_THRESHOLD,
    TASK,
    HedgeOptions,
)
from inspect_confidence.studies.hedge_markers.judgments import Sentences
from inspect_confidence.studies.hedge_markers.stability import ALL, STABILITY_METRICS
from inspect_confidence.studies.notes import join_notes
from inspect_confidence.studies.study import Clause, FigureSpec, Headline, Resampling, View
from inspect_confidence.studies.tables import Column, TableSpec, join_title, views_with_lines

MOST_FIGURE_MARKERS = 12
"""Number of markers that a figure has room for."""
BINS = 10
"""Bins of internal confidence, one for each tenth."""


def detail(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Return bins of internal confidence of the commonest markers, over all data sets.

    Only sentences count that enter marker internal confidence (`mic_rows`): those that were judged
    and, unless `resampling.convention` is `authors`, have one marker at most. A note counts the
    other sentences and the rarer markers.
    """
    if TASK not in frames:
        return []
    forms = resampling.options(HedgeOptions).markers
    rows = judgments.complete_hedges(frames[TASK], forms)
    results: list[Result] = []
    for key, condition, group in condition_groups(rows, ("model", "variant", "judge")):
        sentences = Sentences.from_frame(group)
        mic_rows = sentences.mic_rows(resampling.convention)
        markers = sentences.frequent_markers(mic_rows, threshold=0)  # all, the commonest first
        note = _left_out_note(sentences, mic_rows, markers[MOST_FIGURE_MARKERS:])
        for marker in markers[:MOST_FIGURE_MARKERS]:
            marker_rows = mic_rows[mic_rows["standard"] == marker]
            confidence = marker_rows["confidence"].to_numpy(float)
            unit_index = pd.factorize(marker_rows["unit"])[0]
            results += bin_shares(
                replace(key, dataset=ALL),
                condition.but(marker=marker),
                "confidence_share",
                values=confidence,
                unit_index=unit_index,
                bins=BINS,
                note=note,
            )
    return results


def _left_out_note(sentences: Sentences, mic_rows: pd.DataFrame, rarer: Sequence[str]) -> str:
    """Describe the sentences that no figure shows; empty if all are shown.

    `mic_rows` are the rows of marker internal confidences, `rarer` the markers without room in a
    figure.
    """
    rarer_sentences = int(mic_rows["standard"].isin(rarer).sum())
    total = len(sentences.sentence_rows)
    # Sentences that weren't judged have no row. Those of several markers have none either, except
    # by the authors' count.
    without_mic = total - len(mic_rows.drop_duplicates([*judgments.REPLY, "sentence"]))
    rare = f"{len(rarer)} rarer markers in {rarer_sentences} sentences left out"
    many = f"{without_mic} of {total} sentences, of several markers or not judged, left out"
    return join_notes(rare if rarer else "", many if without_mic else "")


_INTERVAL_CAPTION = "95% intervals over items."
_LEFT_OUT_CAPTION = (
    "Sentences with several markers, or not judged, count for no MIC; the notes in the results say "
    "how many."
)
_DATASET_COLUMNS = (
    Column("accuracy", "accuracy"),
    Column("punt_rate", "punts"),
    Column("faithfulness", "faithfulness"),
    Column("cmfg", "cMFG"),
    Column("mean_internal_confidence", "internal confidence"),
    Column("mean_decisiveness", "decisiveness"),
    Column("hedges_per_sentence", "hedges a sentence"),
    Column("sentences_per_reply", "sentences a reply"),
    Column("format_failure_rate", "parse failures"),
    Column("grader_failure_rate", "not judged"),
)
_STABILITY_ROWS = (
    *STABILITY_METRICS,
    "pooled_sd",
    "confidence_range",
    "sentences_per_marker",
    "sentences_per_marker_sd",
)
_PEOPLE = {"reference": "survey"}
_JUDGE_COLUMNS = (
    Column("extraction_precision", "precision of markers"),
    Column("extraction_recall", "recall of markers"),
    Column("agreement_accuracy", "agreement"),
    Column("verdict_accuracy", "verdicts"),
    Column("decisiveness_rank_correlation", "decisiveness, rank correlation", where=_PEOPLE),
    Column("decisiveness_error", "decisiveness, error", where=_PEOPLE),
    Column("grader_failure_rate", "not judged"),
)
_MOST_TABLE_MARKERS = 25


def hedge_tables(results: pd.DataFrame) -> list[View]:
    """Return tables of data sets, stability and markers by model, then of the check of judges."""
    rows = ResultTable.from_frame(results)
    study = rows.matching(task=TASK).groups("model", "variant", "judge")
    judges = TableSpec(
        "Judges",
        rows.matching(task=CHECK),
        lines=("model", "variant"),
        columns=_JUDGE_COLUMNS,
        caption="Decisiveness against the medians of the people surveyed.",
        interval_caption=_INTERVAL_CAPTION,
        label=lambda line: {"judge": join_title(*line.values())},  # model and variant in one cell
    )
    specs: list[TableSpec] = []
    for (model, variant, judge), model_rows in study:
        title = join_title(model, variant, judge and f"judged by {judge}")
        specs += _model_tables(title, model_rows)
    return views_with_lines([*specs, judges])


def _model_tables(model: str, rows: ResultTable) -> Iterator[TableSpec]:
    """Yield the tables of data sets, of stability and of markers; `model` is part of the titles.

    Stability has a column for each threshold T, the sentences that a marker needs.
    """
    thresholds = sorted(
        rows.among("metric", _STABILITY_ROWS).values("marker_threshold"), key=_threshold
    )
    # A marker that reaches a higher threshold also reaches the lowest, with the same numbers.
    lowest = rows.matching(marker_threshold=next(iter(thresholds), ""))
    yield TableSpec(
        f"Data sets: {model}",
        rows,
        ("dataset", "split"),
        _DATASET_COLUMNS,
        caption="n counts replies; for hedges a sentence, sentences; for not judged, judgments by "
        "the judge.",
        interval_caption=_INTERVAL_CAPTION,
    )
    yield _stability_table(model, rows, thresholds)
    # Rows over all sentences of a marker, not only those of correct or of faithful replies.
    yield _marker_table(model, lowest.matching(outcome="", faithful="").having("marker"))


def _stability_table(model: str, rows: ResultTable, thresholds: Sequence[str]) -> TableSpec:
    """Specify the table of the stability of markers, with a column for each threshold T.

    T is the number of sentences that a marker needs. A line is a metric with its condition.
    """
    columns = []
    for threshold in thresholds:
        heading = f"T={_threshold(threshold):g}" if len(thresholds) > 1 else "value"
        # The lines, not the column, name the metric.
        columns.append(Column("", heading, 3, where={"marker_threshold": threshold}))
    stability = rows.matching(dataset=ALL).among("metric", _STABILITY_ROWS)
    places = {metric: place for place, metric in enumerate(_STABILITY_ROWS)}
    return TableSpec(
        f"Stability of markers: {model}",
        # Rows over all markers come first.
        stability.sorted_by(lambda row: (row["no_hedge"], row["shared"], places[row["metric"]])),
        lines=("metric", "of", "level", "correlation", "shared", "no_hedge"),
        columns=columns,
        caption="Lower is better for id_mae, cd_mae and m_avg_cv, higher for mrc. id_mae and "
        "cd_mae aren't 0 for a stable model either: draws scatter. d_avg_cv is to be seen against "
        "the range of confidence. "
        "Correlations have no interval: MICs' own error weakens them. n counts the sentences of "
        "the markers that a number uses, of all sentences in its data sets and splits. "
        f"{_LEFT_OUT_CAPTION}",
        label=_stability_label,
        counts_undefined=True,
    )


def _marker_table(model: str, rows: ResultTable) -> TableSpec:
    """Specify the table of the commonest markers, with mean internal confidence (MIC) and its SD.

    Columns are data sets' splits. `rows` are results of markers; `model` is part of the title.
    """
    sizes = Counter[str]()
    for row in rows.matching(metric="mic"):
        sizes[row["marker"]] += row.record["n"]
    # Of equally common markers the first in the alphabet.
    commonest = sorted(sizes, key=lambda marker: (-sizes[marker], marker))[:_MOST_TABLE_MARKERS]
    columns: list[Column] = []
    for (dataset, split), _ in rows.groups("dataset", "split"):
        heading, condition = f"{dataset} {split}", {"dataset": dataset, "split": split}
        columns.append(Column("mic", heading, where=condition))
        columns.append(Column("mic_sd", f"{heading} SD", where=condition, interval=False))
    return TableSpec(
        f"Marker internal confidence: {model}",
        rows.among("marker", commonest).sorted_by(lambda row: commonest.index(row["marker"])),
        lines=("marker",),
        columns=columns,
        caption=f"The {_MOST_TABLE_MARKERS} commonest markers, each MIC with the standard "
        "deviation of its sentences. n counts sentences in a data set and split. "
        f"{_LEFT_OUT_CAPTION}",
        interval_caption=_INTERVAL_CAPTION,
        # The first cells of a line: its marker and the number of sentences.
        label=lambda line: {**line, "sentences": str(sizes[line["marker"]])},
    )


def _threshold(threshold: str) -> float:
    """Return T from the condition's text, which is empty for the default T."""
    return float(threshold or DEFAULT_THRESHOLD)


def _stability_label(line: Mapping[str, str]) -> Mapping[str, str]:
    """Return the first cells of a line of the table of stability: the metric, and its variety.

    `line` has the parts that tell lines apart: the metric, and those that the cell `of` lists, such
    as level and kind of correlation, unless they are empty. With `shared` a metric is over markers
    that some data sets share, not all; with `no_hedge` it leaves out sentences that do not hedge.
    """
    no_hedge = "without <no_hedge>" if line["no_hedge"] else ""
    shared = "shared by some" if line["shared"] else ""
    parts = (*(line[name] for name in ("of", "level", "correlation")), shared, no_hedge)
    return {"metric": line["metric"], "of": ", ".join(filter(None, parts))}


def _is_over_all_sentences(parts: Mapping[str, str]) -> bool:
    """Return whether a row is over all sentences of a marker, not only correct or faithful ones."""
    return "marker" in parts and parts.keys().isdisjoint({"outcome", "faithful"})


_figure = partial(FigureSpec, task=TASK, by=())

FIGURES: Sequence[FigureSpec] = (
    _figure(
        plot="mic_of_models",
        title="Internal confidence of each marker, all models",
        reads="Mean internal confidence of the sentences with each marker (<no_hedge>: sentences "
        "without a marker). Internal confidence is the share of further answers that agree with "
        "the sentence.",
        reads_panels="Each data set has a panel. A marker with a stable meaning has its marks at "
        "the same place in all panels.",
        intervals=("mic",),
        metrics=("mic",),
        keep=_is_over_all_sentences,
        leads=True,
    ),
    _figure(
        plot="mic",
        title="Marker internal confidence",
        reads="Mean internal confidence of the sentences with each marker (<no_hedge>: sentences "
        "without a marker): one row for each marker, one column for each data set and split. "
        "Internal confidence is the share of further answers that agree with the sentence. A "
        "marker with a stable meaning has one colour along its row.",
        metrics=("mic",),
        keep=_is_over_all_sentences,
    ),
    _figure(
        plot="mic_densities",
        title="Internal confidence behind each marker",
        reads="For each of the commonest markers: the share of its sentences in each tenth of "
        "internal confidence, over all data sets. A marker with a definite meaning has one narrow "
        "peak.",
        metrics=("confidence_share",),
        leads=True,
    ),
    _figure(
        plot="decisiveness_gap",
        title="What a marker says against what lies behind it",
        reads="Mean distance between a sentence's decisiveness, as a reader understands it, and "
        "the model's internal confidence, by marker. At 0 the wording agrees with the internal "
        "confidence.",
        intervals=("decisiveness_gap",),
        metrics=("decisiveness_gap",),
    ),
    _figure(
        plot="mic_spread",
        title="How far apart markers lie, data set by data set",
        reads="Ticks are the markers' internal confidences; curves are their density; dots are "
        "accuracies, stars cMFG. The second panel separates correct from incorrect replies, the "
        "third faithful from unfaithful ones. Several peaks are several levels of "
        "confidence that the markers tell apart.",
        metrics=("mic", "accuracy", "cmfg"),
    ),
    _figure(
        plot="mic_pairs",
        title="Internal confidence of markers where replies are right or wrong, faithful or not",
        reads="Each mark is a marker in a data set and split: its internal confidence in correct "
        "against incorrect replies, in faithful against unfaithful replies, and the distance of "
        "its wording from the internal confidence. On the dashed line both are equal; above the "
        "line the value is higher for correct (or faithful) replies.",
        metrics=("mic", "decisiveness_gap"),
    ),
    _figure(
        plot="marker_counts",
        title="How often markers are used",
        reads="Number of sentences with each marker, by data set and split. Numbers that rest on "
        "few sentences are uncertain.",
        metrics=("mic",),
        keep=_is_over_all_sentences,
    ),
)

HEADLINES: Sequence[Headline] = (
    Headline(TASK, "cmfg", "conditional mean faithful generation, test items", {"split": "test"}),
    Headline(
        task=TASK,
        metric="faithfulness",
        label="faithfulness, test items (share)",
        where={"split": "test"},
        short="faithfulness of hedges",
    ),
    Headline(
        TASK,
        "mrc",
        "agreement of data sets on the markers' order (rank correlation)",
        {"correlation": "spearman"},
        unit="sentence",
    ),
    Headline(
        TASK, "m_avg_cv", "how a marker's confidence varies over data sets (ratio)", unit="sentence"
    ),
    Headline(
        CHECK,
        "agreement_accuracy",
        "judge's decisions on agreement that equal the labels (share)",
        short="judge's decisions on agreement",
    ),
    Headline(CHECK, "verdict_accuracy", "judge's verdicts that equal the labels (share)"),
    Headline(CHECK, "extraction_precision", "precision of the judge's markers (share)"),
    Headline(CHECK, "extraction_recall", "recall of the judge's markers (share)"),
    Headline(
        CHECK,
        "decisiveness_rank_correlation",
        "judge against people on decisiveness (rank correlation)",
        {"reference": "survey"},
    ),
)

CLAUSES: Sequence[Clause] = (
    Clause(
        TASK,
        "hedges",
        [("faithfulness", {"split": "test"})],
        "its hedges match how consistent its answers are: faithfulness {}",
    ),
)
