"""The hedge study's numbers: by loops over sentences, by hand, and by scipy; and its edges."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain, combinations, permutations, product
from math import inf, isnan, nan, sqrt, tanh
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr, spearmanr, ttest_rel

from build import (
    attributes_of,
    column_of,
    condition_values,
    frame_rows,
    slow_cases,
    texts_with,
    without_nan,
)
from inspect_confidence import compare
from inspect_confidence.commands.analysis import study_parts
from inspect_confidence.metrics import METRICS
from inspect_confidence.results import Condition, Result, change_variant
from inspect_confidence.studies.hedge_markers.study import HEDGE_MARKERS
from inspect_confidence.studies.study import ResampledValue
from studies.designs import checks
from studies.frames import study_results as summarize

NO_HEDGE = "<no_hedge>"

WORKED = """
A train 1 1 conceivably@14/15
A train 2 p probably@9/65 -@11/100 probably@10/75
A train 3 1 -@9/100 undoubtedly@20/95 perhaps@18/50
A train 4 1 conceivably+undoubtedly@11/25
A train 5 1 perhaps@18/40 undoubtedly@17/100
A train 6 0 conceivably@14/25 undoubtedly@18/100
A train 7 1 perhaps@18/50 probably@11/75 -@12/100
A test 1 0 undoubtedly@15/100 conceivably@13/25
A test 2 p undoubtedly@20/90
A test 3 0 conceivably@13/15 -@12/95
A test 4 1 conceivably@10/20 perhaps@13/50
A test 5 0 undoubtedly@19/100
A test 6 0 probably@10/70 probably@13/65 probably+perhaps@8/65
A test 7 1 -@7/95
A test 8 1 -@12/95
A test 9 empty
B train 1 1 perhaps@3/50 probably+undoubtedly@13/65
B train 2 1 undoubtedly@20/95 undoubtedly@17/95
B train 3 1 -@20/95
B train 4 p perhaps@8/45 undoubtedly@20/95
B train 5 1 conceivably+undoubtedly@3/25
B train 6 1 probably+conceivably@10/70
B train 7 1 conceivably@2/20 probably@13/65
B train 8 1 -@19/100
B train 9 p conceivably@2/25 perhaps@5/50
B train 10 1 -@20/100
B test 1 1 perhaps@7/50
B test 2 0 perhaps@3/40 probably+conceivably@15/70
B test 3 p -@17/100 undoubtedly@19/100 probably@11/65
B test 4 0 undoubtedly@19/90
B test 5 0 -@19/100 -@20/95 perhaps@2/50
B test 6 p probably@9/75
B test 7 p undoubtedly@20/100
C train 1 0 undoubtedly@20/90 undoubtedly@20/100
C train 2 0 -@14/95 perhaps@8/50 perhaps@6/45
C train 3 p probably@11/75 -@14/100 probably@13/75
C train 4 1 undoubtedly+conceivably@19/100 probably@12/75 -@16/100
C train 5 1 perhaps@8/45 conceivably@9/15
C test 1 0 undoubtedly+perhaps@20/95 undoubtedly@20/100
C test 2 0 perhaps@10/45
C test 3 1 -@14/100
C test 4 1 -@18/100 conceivably@9/15 perhaps@8/45
C test 5 1 probably@7/70 probably@13/65
C test 6 0 probably@12/70 conceivably@9/25 undoubtedly@20/100
C test 7 0 perhaps@11/40
C test 8 0 perhaps@?/40 -@0/0 probably@10/70
C test 9 1 conceivably@8/25
C test 10 1 -@0/100
"""
"""Three data sets, each with train and test; four markers and none; K = 20.

A reply a line: data set, split, item, right (1), wrong (0) or punt (p), then its sentences as
markers@agreeing draws/decisiveness in percent; `?` where the judge failed. At T = 2 `conceivably`
has no MIC in C's train, and by the text none in B's either; `perhaps` none in A's test by the text.
"""

SPLITS = ("train", "test")
SETS = tuple(product("ABC", SPLITS))
Group = tuple[str, str]
Frame = pd.DataFrame
HedgeKey = tuple[str, str, str]
"""Data set, condition and metric."""


@dataclass(frozen=True)
class Said:
    """A sentence, or a reply without one (`markers` is None)."""

    group: Group
    item: str
    right: float
    punt: float
    number: int
    markers: tuple[str, ...] | None
    agreeing: float = nan
    decided: float = nan
    epoch: int = 1

    @property
    def held(self) -> float:
        """Internal confidence."""
        return self.agreeing / 20

    @property
    def reply(self) -> tuple[Group, str, int]:
        """What tells replies apart."""
        return self.group, self.item, self.epoch


def parsed(text: str) -> list[Said]:
    """Sentences as in `WORKED`."""
    parsed_sentences = []
    for line in text.strip().splitlines():
        dataset, split, item, outcome, *sentences = line.split()
        group, right = (dataset, split), {"1": 1.0, "0": 0.0}.get(outcome, nan)
        if outcome == "empty":
            parsed_sentences.append(Said(group, f"{split}{item}", nan, nan, 1, None))
        for number, sentence in enumerate(sentences, start=1):
            markers, numbers_text = sentence.split("@")
            agreeing, decided = numbers_text.split("/")
            parsed_sentences.append(
                Said(
                    group,
                    f"{split}{item}",
                    right,
                    float(outcome == "p"),
                    number,
                    () if markers == "-" else tuple(markers.split("+")),
                    nan if agreeing == "?" else float(agreeing),
                    float(decided) / 100,
                )
            )
    return parsed_sentences


def frame_from_rows(sentences: Iterable[Said], model: str = "m") -> Frame:
    """Judgments as the task's table has them."""
    rows: list[dict[str, Any]] = []
    for sentence in sentences:
        (dataset, split), failed = sentence.group, isnan(sentence.agreeing)
        row: dict[str, Any] = {
            "task": "hedge_markers",
            "model": model,
            "dataset": dataset,
            "split": split,
            "item": sentence.item,
            "epoch": sentence.epoch,
            "status": "ok",
            "reason": "",
        }
        if sentence.markers is None:
            rows.append({**row, "status": "no_response", "reason": "the reply is empty"})
            continue
        row |= {
            "sentence": sentence.number,
            "text": f"Sentence {sentence.number}.",
            "n_markers": len(sentence.markers),
            "confidence": sentence.held,
            "consistent": nan if failed else sentence.agreeing,
            "undecided": nan if failed else 0,
            "inconsistent": 20 - sentence.agreeing,
            "failed": 20 * failed,
            "decisiveness": sentence.decided,
            "correct": sentence.right,
            "punt": sentence.punt,
            "draws": 20,
            "status": "grader_failed" if failed else "ok",
        }
        for marker in sentence.markers or (NO_HEDGE,):
            rows.append({**row, "marker": marker})
    return pd.DataFrame(rows)


def probably(group: Group, agreements: Iterable[float], decided: float = 0.7) -> list[Said]:
    """For each number of agreeing draws a right reply of one sentence with `probably`."""
    sentences = []
    for number, agreeing in enumerate(agreements):
        item = f"{group[1]}{number}"
        sentences.append(Said(group, item, 1.0, 0.0, 1, ("probably",), float(agreeing), decided))
    return sentences


def empty_replies(group: Group, count: int) -> list[Said]:
    """Replies without a sentence."""
    return [Said(group, f"empty {number}", nan, nan, 1, None) for number in range(count)]


def sentences_of(
    sentences: Iterable[Said], datasets: Iterable[str] = "ABC", splits: Iterable[str] = SPLITS
) -> list[Said]:
    """The sentences of these data sets and splits."""
    groups = list(product(datasets, splits))
    return [sentence for sentence in sentences if sentence.group in groups]


def spoken_sentences(sentences: Iterable[Said]) -> list[Said]:
    """The sentences, without replies that have none."""
    return [sentence for sentence in sentences if sentence.markers is not None]


def found_in(results: Frame) -> dict[HedgeKey, float]:
    """Values by data set, condition and metric, each once."""
    keys = list(zip(results["dataset"], results["condition"], results["metric"], strict=True))
    assert len(set(zip(results["model"], keys, strict=True))) == len(keys)
    return dict(zip(keys, map(float, results["value"]), strict=True))


def checked(
    frame: Frame, resamples: int = 50, convention: str | None = None, **options: Any
) -> Frame:
    """Results of which each is in its metric's range, or undefined with a reason."""
    prefixed = {f"hedge_markers.{name}": value for name, value in options.items()}
    results = summarize(frame, resamples=resamples, convention=convention, options=prefixed)
    assert len(results)
    # The choices given are the same in all rows here; what names them has a test of its own.
    conditions = results["condition"].map(partial(change_variant, variant=""))
    results = results.assign(condition=conditions)
    for row in results.to_dict("records"):
        metric = METRICS[row["metric"]]
        if isnan(row["value"]):
            assert row["note"].removeprefix("undefined: ") not in ("", row["note"]), row
            assert isnan(row["ci_low"])
            assert isnan(row["ci_high"])
        else:
            assert metric.low - 1e-9 <= row["value"] <= metric.high + 1e-9, row
            assert row["value"] < inf
            assert not row["note"].startswith("undefined:")
            assert isnan(row["ci_low"]) or row["ci_low"] <= row["ci_high"]
    found_in(results)
    return results


@cache
def worked_results(convention: str | None = None, threshold: float = 2) -> Frame:
    """The results of the worked example, which no test changes."""
    frame = frame_from_rows(parsed(WORKED))
    return checked(frame, convention=convention, marker_thresholds=(threshold,))


def result_row(results: Frame, metric: str, dataset: str = "all", condition: str = "") -> pd.Series:
    """The row of a number."""
    chosen = results[
        (results["metric"] == metric)
        & (results["dataset"] == dataset)
        & (results["condition"] == condition)
    ]
    assert len(chosen) == 1, (metric, dataset, condition)
    return chosen.iloc[0]


# The loops


def mean(values: Iterable[float]) -> float:
    """Of what isn't NaN; NaN of nothing."""
    defined = without_nan(values)
    return fmean(defined) if defined else nan


def spread(values: Sequence[float], ddof: int) -> float:
    """Standard deviation."""
    if len(values) <= ddof:
        return nan
    return float(np.std(values, ddof=ddof))


def correlation(x: Sequence[float], y: Sequence[float], kind: str) -> float:
    """By scipy, over what both have; NaN for fewer than three or a constant."""
    # Rounded lest scipy see no tie where sums of the same confidences differ in the last bit.
    pairs = np.round(np.column_stack([x, y]), 12)
    pairs = pairs[~np.isnan(pairs).any(axis=1)]
    if len(pairs) < 3 or (np.ptp(pairs, axis=0) == 0).any():
        return nan
    fit = spearmanr(*pairs.T) if kind == "spearman" else pearsonr(*pairs.T)
    return float(fit.statistic)


def fisher(values: Sequence[float], clamp: float) -> float:
    """Mean by Fisher's transformation."""
    defined = without_nan(values)
    return tanh(fmean(np.arctanh(np.clip(defined, -clamp, clamp)))) if defined else nan


@dataclass(frozen=True)
class Loops:
    """Every number of one model's sentences, one after the other."""

    said: Sequence[Said]
    threshold: float = 2
    authors: bool = False
    ddof: int = 1
    clamp: float = 0.9999

    @property
    def groups(self) -> list[Group]:
        """Data sets' splits."""
        return list(dict.fromkeys(attributes_of(self.said, "group")))

    def counted(self) -> list[tuple[Said, str]]:
        """Sentences with the marker that they count for."""
        rows: list[tuple[Said, str]] = []
        for sentence in self.said:
            if sentence.markers is None or isnan(sentence.held):
                continue
            if len(sentence.markers) <= 1 or self.authors:
                rows += product([sentence], sentence.markers or (NO_HEDGE,))
        return rows

    def counted_for(self, group: Group, marker: str) -> list[Said]:
        """The sentences of a group that count for a marker."""
        sentences = []
        for sentence, counted_marker in self.counted():
            if counted_marker == marker and sentence.group == group:
                sentences.append(sentence)
        return sentences

    def held(self, group: Group, marker: str) -> list[float]:
        """The confidences of a marker's sentences."""
        return attributes_of(self.counted_for(group, marker), "held")

    def markers(self) -> list[str]:
        """Those with a MIC somewhere."""
        all_markers = dict.fromkeys(column_of(self.counted(), 1))
        return [marker for marker in all_markers if not all(map(isnan, self.mics(marker)))]

    def mics(self, marker: str, groups: Sequence[Group] = ()) -> list[float]:
        """A marker's MIC in each group, in all by default."""
        return [self.mic(group, marker) for group in groups or self.groups]

    def mic(self, group: Group, marker: str, threshold: float | None = None) -> float:
        """NaN for fewer than T sentences."""
        confidences = self.held(group, marker)
        needed = self.threshold if threshold is None else threshold
        return fmean(confidences) if confidences and len(confidences) >= needed else nan

    def replies(self, group: Group) -> list[list[Said]]:
        """Sentences by reply."""
        by_reply: dict[object, list[Said]] = defaultdict(list)
        for sentence in self.said:
            if sentence.group == group:
                by_reply[sentence.reply].append(sentence)
        return list(by_reply.values())

    @staticmethod
    def faithfulness(reply: Sequence[Said]) -> float:
        """1 - mean |decisiveness - confidence|."""
        return 1 - mean(abs(sentence.decided - sentence.held) for sentence in reply)

    def cmfg(self, group: Group) -> float:
        """Over ten bins."""
        bins: dict[int, list[float]] = defaultdict(list)
        for reply in self.replies(group):
            confidence, faithful = (mean(attributes_of(reply, "held")), self.faithfulness(reply))
            if isnan(confidence) or (self.authors and (confidence in (0, 1) or faithful == 0)):
                continue
            if reply[0].punt == 1 and not self.authors:
                continue
            bins[min(int(confidence * 10 + 1e-9), 9)].append(faithful)
        if not bins:
            return nan
        return sum(map(fmean, bins.values())) / (10 if self.authors else len(bins))

    def accuracy(self, group: Group) -> float:
        """Of replies with a verdict; punts are wrong."""
        return mean(self.right(reply[0]) for reply in self.replies(group))

    @staticmethod
    def right(sentence: Said) -> float:
        """A punt is wrong, but where it is said to be right."""
        return 0.0 if sentence.punt == 1 and isnan(sentence.right) else sentence.right

    def numbers(self) -> dict[HedgeKey, float]:
        """By data set, condition and metric."""
        values: dict[HedgeKey, float] = {}
        for group in self.groups:
            self._of_group(group, values)
        markers = self.markers()
        self._over("", markers, values)
        if NO_HEDGE in markers:
            hedging_markers = [marker for marker in markers if marker != NO_HEDGE]
            self._over("no_hedge=without;", hedging_markers, values)
            less, whole = self.mrc(hedging_markers, "spearman"), self.mrc(markers, "spearman")
            values["all", "correlation=spearman", "mrc_change"] = less - whole
        return values

    def _of_group(self, group: Group, values: dict[HedgeKey, float]) -> None:
        dataset, split = group
        replies = self.replies(group)
        spoken = [reply for reply in replies if reply[0].markers is not None]
        sentences = list(chain.from_iterable(spoken))
        lengths = list(map(float, map(len, spoken)))
        hedges = [float(len(sentence.markers or ())) for sentence in sentences]
        plain = {
            "accuracy": self.accuracy(group),
            "punt_rate": mean(attributes_of(column_of(spoken, 0), "punt")),
            "faithfulness": mean(map(self.faithfulness, spoken)),
            "mean_internal_confidence": mean(
                mean(attributes_of(reply, "held")) for reply in spoken
            ),
            "mean_decisiveness": mean(mean(attributes_of(reply, "decided")) for reply in spoken),
            "sentences_per_reply": mean(lengths),
            "sentences_per_reply_sd": spread(lengths, 0) if lengths else nan,
            "format_failure_rate": 1 - len(spoken) / len(replies),
            "grader_failure_rate": self._judge_failed(spoken),
            "hedges_per_sentence": mean(hedges),
            "hedges_per_sentence_sd": spread(hedges, 0) if hedges else nan,
            "n": float(len(sentences)),
            "cmfg": self.cmfg(group),
        }
        for metric, value in plain.items():
            values[dataset, f"split={split}", metric] = value
        markers_with_mic = [m for m in self.markers() if not isnan(self.mic(group, m))]
        faithful = {reply[0].reply: self.faithfulness(reply) for reply in replies}
        kinds: dict[str, Callable[[Said], bool]] = {
            "{}": lambda sentence: True,
            "{};outcome=correct": lambda sentence: sentence.right == 1,
            "{};outcome=incorrect": lambda sentence: self.right(sentence) == 0,
            "faithful=yes;{}": lambda sentence: faithful[sentence.reply] >= 0.75 - 1e-9,
            "faithful=no;{}": lambda sentence: faithful[sentence.reply] < 0.75 - 1e-9,
        }
        for marker in markers_with_mic:
            template = f"marker={marker}{{}};split={split}"
            sentences_of_marker = self.counted_for(group, marker)
            for kind, chosen in kinds.items():
                confidences = attributes_of(filter(chosen, sentences_of_marker), "held")
                before, _, after = kind.partition("{}")
                condition = before + template.format(after)
                values[dataset, condition, "mic"] = mean(confidences)
                values[dataset, condition, "mic_sd"] = spread(confidences, 0)
            gap = 1 - self.faithfulness(sentences_of_marker)
            values[dataset, template.format(""), "decisiveness_gap"] = gap
        if not markers_with_mic:
            values[dataset, f"split={split}", "mic"] = nan

    @staticmethod
    def _judge_failed(spoken: Sequence[Sequence[Said]]) -> float:
        """Of 20 agreements, markers and decisiveness a sentence, and a verdict a reply."""
        failed = judgments = 0
        for reply in spoken:
            failed += isnan(reply[0].punt) + 20 * sum(map(isnan, attributes_of(reply, "held")))
            judgments += 1 + 22 * len(reply)
        return failed / judgments if judgments else nan

    def _over(self, prefix: str, markers: Sequence[str], values: dict[HedgeKey, float]) -> None:
        by_set: dict[str, set[str]] = defaultdict(set)
        for dataset, split in self.groups:
            by_set[dataset].add(split)
        complete_sets = [
            dataset for dataset, splits in by_set.items() if {"train", "test"} <= splits
        ]
        pairs = {
            "id_mae": list(zip(complete_sets, complete_sets, strict=True)),
            "cd_mae": list(permutations(complete_sets, 2)),
        }
        for metric, chosen in pairs.items():
            for level in ("marker", "sentence", "response", "mean"):
                level_part = "" if level == "marker" else f"level={level};"
                gaps = self._gaps(chosen, level, markers)
                value = mean(fmean(d) if d else nan for d in gaps)
                values["all", (level_part + prefix).rstrip(";"), metric] = value
                if level == "mean":
                    continue
                freedom, squares = 0, 0.0
                for distances in filter(None, gaps):
                    freedom += len(distances) - 1
                    squares += float(np.square(np.array(distances) - fmean(distances)).sum())
                pooled = sqrt(squares / freedom) if freedom else nan
                values["all", f"{level_part}{prefix}of={metric}", "pooled_sd"] = pooled
        self._over_sets(prefix, markers, values)

    def _gaps(
        self, pairs: Iterable[tuple[str, str]], level: str, markers: Sequence[str]
    ) -> list[list[float]]:
        """Distances by pair: of markers, of sentences, or of replies the means of theirs."""
        gap_lists = []
        for a, b in pairs:
            first, second = (a, "train"), (b, "test")
            of_marker: dict[str, list[float]] = {}
            of_reply: dict[object, list[float]] = defaultdict(list)
            between = []
            for marker in markers:
                mic = self.mic(first, marker)
                # By the authors' code T holds in the train split alone.
                second_mic = self.mic(second, marker, 0 if self.authors else None)
                if isnan(mic) or isnan(second_mic):
                    continue
                between.append(abs(mic - second_mic))
                of_marker[marker] = []
                for sentence in self.counted_for(second, marker):
                    of_marker[marker].append(abs(mic - sentence.held))
                    of_reply[sentence.reply].append(abs(mic - sentence.held))
            levels = {
                "marker": list(map(fmean, of_marker.values())),
                "sentence": list(chain.from_iterable(of_marker.values())),
                "response": list(map(fmean, of_reply.values())),
                "mean": between,
            }
            gap_lists.append(levels[level])
        return gap_lists

    @property
    def chosen(self) -> list[Group]:
        """Of each data set the train split, or the one split that it has."""
        group_by_dataset: dict[str, Group] = {}
        for dataset, split in self.groups:
            if split == "train" or dataset not in group_by_dataset:
                group_by_dataset[dataset] = dataset, split
        return list(group_by_dataset.values())

    def table(self, markers: Sequence[str], everywhere: bool) -> dict[str, list[float]]:
        """MICs of each marker over data sets, perhaps only of markers that all have."""
        rows = {}
        for marker in markers:
            mics = self.mics(marker, self.chosen)
            if not (everywhere and any(map(isnan, mics))):
                rows[marker] = mics
        return rows

    def mrc(self, markers: Sequence[str], kind: str) -> float:
        """Over pairs of data sets; by the authors of markers that all have."""
        columns = list(zip(*self.table(markers, self.authors).values(), strict=True))
        return fisher([correlation(x, y, kind) for x, y in combinations(columns, 2)], self.clamp)

    def _over_sets(
        self, prefix: str, markers: Sequence[str], values: dict[HedgeKey, float]
    ) -> None:
        groups, end = self.chosen, prefix.rstrip(";")
        columns = list(zip(*self.table(markers, everywhere=False).values(), strict=True))
        values["all", end, "d_avg_cv"] = self._variation(columns)
        ranges = []
        for group in groups:
            confidences = []
            for marker in markers:
                if not isnan(self.mic(group, marker)):
                    confidences += self.held(group, marker)
            ranges.append(self._range(confidences))
        values["all", end, "confidence_range"] = mean(ranges)
        sizes = []
        for group, marker in product(groups, self.table(markers, everywhere=True)):
            sizes.append(float(len(self.held(group, marker))))
        values["all", end, "sentences_per_marker"] = mean(sizes)
        values["all", end, "sentences_per_marker_sd"] = spread(sizes, self.ddof)
        for kind in ("pearson", "spearman"):
            values["all", f"correlation={kind};{prefix}".rstrip(";"), "mrc"] = self.mrc(
                markers, kind
            )
        of_group = {"mac": list(map(self.accuracy, groups)), "mcc": list(map(self.cmfg, groups))}
        for shared in ("", "shared=some"):
            rows = self.table(markers, everywhere=not shared)
            condition = (prefix + shared).rstrip(";")
            values["all", condition, "m_avg_cv"] = self._variation(list(rows.values()))
            for kind, (metric, numbers) in product(("pearson", "spearman"), of_group.items()):
                correlations = [correlation(row, numbers, kind) for row in rows.values()]
                condition_of_kind = f"correlation={kind};{condition}".rstrip(";")
                values["all", condition_of_kind, metric] = fisher(correlations, self.clamp)

    def _variation(self, lists: Iterable[Sequence[float]]) -> float:
        ratios = []
        for values in lists:
            defined = without_nan(values)
            if len(defined) > 1 and fmean(defined) > 0:
                ratios.append(spread(defined, self.ddof) / fmean(defined))
        return mean(ratios)

    @staticmethod
    def _range(confidences: Sequence[float]) -> float:
        """From the least value with 5% at or below it to the least with 95%."""
        if not confidences:
            return nan
        values = sorted(confidences)
        shares = np.arange(1, len(values) + 1) / len(values)
        low, high = np.searchsorted(shares, [0.05 - 1e-9, 0.95 - 1e-9])
        return float(values[high] - values[low])


def assert_same(results: Frame, expected: Mapping[HedgeKey, float]) -> None:
    """Each number is there once, and nothing else."""
    values = found_in(results)
    assert set(values) == set(expected)
    for key, value in expected.items():
        assert values[key] == pytest.approx(value, abs=1e-9, nan_ok=True), key


# The worked example


@pytest.mark.parametrize(
    ("convention", "threshold"),
    [
        *((None, 1), (None, 2), ("text", 3), ("authors", 2)),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in ((None, 3), ("text", 1), ("text", 2), ("authors", 1), ("authors", 3))
        ),
    ],
)
def test_worked_example(convention: str | None, threshold: float) -> None:
    """Every number of three data sets and four markers, in both conventions."""
    sentences = parsed(WORKED)
    loops = Loops(sentences, threshold, authors=convention == "authors")
    assert_same(worked_results(convention, threshold), loops.numbers())


def test_worked_example_tells_much_apart() -> None:
    """At T = 2 rank correlations aren't all 1, and the conventions differ where they can."""
    sentences = parsed(WORKED)
    text, authors = Loops(sentences).numbers(), Loops(sentences, authors=True).numbers()
    for kind in ("pearson", "spearman"):
        for metric in ("mrc", "mac", "mcc"):
            assert abs(text["all", f"correlation={kind}", metric]) < 0.999, (kind, metric)
    for metric in ("m_avg_cv", "d_avg_cv"):
        assert text["all", "", metric] != pytest.approx(authors["all", "", metric], abs=1e-3)
    shared = text["all", "shared=some", "m_avg_cv"]
    assert shared != pytest.approx(text["all", "", "m_avg_cv"], abs=1e-3)
    assert abs(text["all", "correlation=spearman", "mrc_change"]) > 1e-3
    for metric in ("id_mae", "cd_mae"):
        levels = [text["all", level, metric] for level in ("", "level=sentence", "level=response")]
        assert len(set(np.round(levels, 4))) == 3
        assert text["all", "", metric] != pytest.approx(authors["all", "", metric], abs=1e-3)
    different = [text[d, f"split={s}", "cmfg"] - authors[d, f"split={s}", "cmfg"] for d, s in SETS]
    assert min(map(abs, different)) > 1e-3
    loops = Loops(sentences)
    assert isnan(loops.mic(("C", "train"), "conceivably"))
    assert isnan(loops.mic(("A", "test"), "perhaps"))


def test_numbers_by_hand() -> None:
    """B's train split, added up on paper; T = 2, K = 20."""
    results = worked_results()
    # undoubtedly 20, 17, 20; perhaps 3, 8, 5; none 20, 19, 20; conceivably 2, 2 of 20
    hand = {"undoubtedly": 19 / 20, "perhaps": 16 / 60, NO_HEDGE: 59 / 60, "conceivably": 0.1}
    for marker, value in hand.items():
        row = result_row(results, "mic", "B", f"marker={marker};split=train")
        assert row["value"] == pytest.approx(value)
        assert row["n"] == (2 if marker == "conceivably" else 3)
        assert row["note"].startswith("1 marker with fewer than 2 sentences left out")
    # perhaps: .15, .4, .25 against .5, .45, .5
    gap = result_row(results, "decisiveness_gap", "B", "marker=perhaps;split=train")
    assert gap["value"] == pytest.approx((0.35 + 0.05 + 0.25) / 3)
    sd = result_row(results, "mic_sd", "B", "marker=perhaps;split=train")
    assert sd["value"] == pytest.approx(sqrt(19 / 1800))  # deviations -7/60, 8/60, -1/60
    accuracy = result_row(results, "accuracy", "B", "split=train")
    # Eight of ten are right, two are punts, which cMFG leaves out.
    assert (accuracy["value"], accuracy["n"], accuracy["note"]) == (0.8, 10, "")
    assert "; 2 punts left out" in result_row(results, "cmfg", "B", "split=train")["note"]
    # Of 15 sentences three have two markers and three none.
    hedges = result_row(results, "hedges_per_sentence", "B", "split=train")
    assert (hedges["value"], hedges["n"]) == (1, 15)
    length = result_row(results, "sentences_per_reply", "B", "split=train")
    assert (length["value"], length["n"]) == (1.5, 10)
    assert result_row(results, "sentences_per_reply_sd", "B", "split=train")["value"] == 0.5
    assert result_row(results, "punt_rate", "B", "split=train")["value"] == 0.2
    empty = result_row(results, "format_failure_rate", "A", "split=test")
    assert (empty["value"], empty["n"]) == (pytest.approx(1 / 9), 9)
    failed = result_row(results, "grader_failure_rate", "C", "split=test")
    assert (failed["value"], failed["n"]) == (pytest.approx(20 / (18 * 22 + 10)), 18 * 22 + 10)


FOUR = """
A train 1 1 probably@20/50
A train 2 1 perhaps@16/50 perhaps@16/50
A test 3 0 probably@6/50 perhaps@2/50 -@20/50
A test 4 p perhaps@6/50
B train 1 1 probably@12/50
B train 2 0 perhaps@4/50
B test 3 0 probably@10/50 perhaps@8/50 -@10/50
C train 1 0 probably@16/50
C train 2 0 perhaps@8/50
D test 1 0 probably@8/50
D test 2 1 -@12/50
"""


def test_four_data_sets_by_hand() -> None:
    """Of those with a train split that one, of D the test split; T = 1, punts and two sentences."""
    # probably: A 1, B .6, C .8, D .4, in all four. perhaps: A .8, B .2, C .4, none in D; <no_hedge>
    # in D alone. Accuracies 1, .5, 0 and .5.
    results = checked(frame_from_rows(parsed(FOUR)), marker_thresholds=(1,))
    # probably: mean .7, squares .09 + .01 + .01 + .09; perhaps: mean 1.4/3, squares .84 - 1.96/3.
    first, second = sqrt(0.2 / 3) / 0.7, sqrt((0.84 - 1.96 / 3) / 2) / (1.4 / 3)
    row = result_row(results, "m_avg_cv")
    assert row["value"] == pytest.approx(first)
    assert row["note"].startswith("1 marker in all 4 data sets")
    assert result_row(results, "m_avg_cv", condition="shared=some")["value"] == pytest.approx(
        (first + second) / 2
    )
    # Accuracies less their mean are .5 0 -.5 0: .15 - .05 = .1 of sqrt(.2 * .5); of the first
    # three, .5 0 -.5: (.8 - .4)/2 = .2 of sqrt((.84 - 1.96/3) * .5).
    mac = 0.1 / sqrt(0.2 * 0.5)
    row = result_row(results, "mac", condition="correlation=pearson")
    assert row["value"] == pytest.approx(mac)
    fisher_mean = fisher([mac, 0.2 / sqrt((0.84 - 1.96 / 3) * 0.5)], 0.9999)
    row = result_row(results, "mac", condition="correlation=pearson;shared=some")
    assert row["value"] == pytest.approx(fisher_mean)
    # One sentence with `probably` in each of four data sets.
    assert result_row(results, "sentences_per_marker")["value"] == 1
    assert result_row(results, "sentences_per_marker_sd")["value"] == 0
    # A .8 to 1, B .2 to .6, C .4 to .8, D .4 to .6.
    assert result_row(results, "confidence_range")["value"] == pytest.approx(
        (0.2 + 0.4 + 0.4 + 0.2) / 4
    )
    # The replies of A's test: .7 and .7 from A's MICs, mean .7, and .5; from B's .3 and .1, and .1;
    # of B's: from A's .5 and .4, mean .45; from B's .1 and .2. <no_hedge> has no MIC in a train.
    for metric, pooled in (("id_mae", [[0.7, 0.5], [0.15]]), ("cd_mae", [[0.2, 0.1], [0.45]])):
        value = result_row(results, metric, condition="level=response")["value"]
        assert value == pytest.approx(fmean(map(fmean, pooled)))
        spread_of = result_row(results, "pooled_sd", condition=f"level=response;of={metric}")[
            "value"
        ]
        assert spread_of == pytest.approx(spread(pooled[0], 1))
    # Of sentences, the first pair's three and the second's two: .7 .7 .5 and .1 .2.
    squares = (0.49 + 0.49 + 0.25 - 1.9**2 / 3) + 0.005
    pooled_sd = result_row(results, "pooled_sd", condition="level=sentence;of=id_mae")["value"]
    assert pooled_sd == pytest.approx(sqrt(squares / (2 + 1)))
    # A punt is wrong, and in no bin: [.4, .5) and nothing else, where all else is the one reply.
    accuracy = result_row(results, "accuracy", "A", "split=test")
    assert (accuracy["value"], accuracy["n"]) == (0, 2)
    # .3, .1 and 1 less .5: 1 - (.2 + .4 + .5)/3
    cmfg = result_row(results, "cmfg", "A", "split=test")
    assert (cmfg["value"], cmfg["n"]) == (pytest.approx(1 - 1.1 / 3), 1)


# Options


def test_options_and_files(tmp_path: Path) -> None:
    """The judge stands in conditions; forms in a file replace what rules say, whatever the case."""
    frame = frame_from_rows(parsed(WORKED))
    judge = np.where(frame["status"] == "no_response", "", "rules")
    results = checked(frame.assign(judge=judge), marker_thresholds=(2,))
    parts = results["condition"].map(Condition.read)
    assert (parts.map(lambda part: part["judge"]) == "rules").all()
    bare = parts.map(lambda part: str(part.but(judge="")))
    assert_same(results.assign(condition=bare), Loops(parsed(WORKED)).numbers())
    # Forms in a file replace what rules say, whatever the case; others follow the rules.
    path = tmp_path / "markers.json"
    path.write_text(json.dumps({"perhaps": "probably", "undoubtedly": "surely so"}))
    names = {"perhaps": "probably", "undoubtedly": "surely so"}
    sentences = parsed(WORKED)
    joined = []
    for sentence in sentences:
        markers = sentence.markers and tuple(map(names.get, sentence.markers, sentence.markers))
        joined.append(replace(sentence, markers=markers))
    frame = frame_from_rows(sentences)
    frame["marker"] = frame["marker"].replace({"perhaps": "Perhaps", "probably": "Probably, that"})
    results = checked(frame, marker_thresholds=(2,), markers=path)
    assert_same(results, Loops(joined).numbers())


@pytest.mark.parametrize(
    ("ddof", "clamp"), [(0, 0.9999), (1, 0.3), pytest.param(1, 0.999999, marks=pytest.mark.slow)]
)
def test_named_options(ddof: int, clamp: float) -> None:
    """The divisor of coefficients of variation, and the clamp of correlations."""
    sentences = parsed(WORKED)
    results = checked(
        frame_from_rows(sentences),
        marker_thresholds=(2,),
        ddof=ddof,
        correlation_clamp=clamp,
        resamples=2,
    )
    assert_same(results, Loops(sentences, ddof=ddof, clamp=clamp).numbers())


@pytest.mark.slow
def test_of_several_thresholds_each_has_the_numbers_that_it_has_alone() -> None:
    """T stands in the condition of a number that depends on it, unless it is the study's 10."""
    frame = pd.DataFrame()
    for epoch in range(1, 6):
        frame = pd.concat([frame, frame_from_rows(parsed(WORKED)).assign(epoch=epoch)])
    side_by_side = found_in(checked(frame, marker_thresholds=(2, 10, 100)))
    expected = {}
    for threshold in (2, 10, 100):
        alone = found_in(checked(frame, marker_thresholds=(threshold,)))
        for (dataset, condition, metric), value in alone.items():
            parts = Condition.read(condition)
            depends = dataset == "all" or metric in ("mic", "mic_sd", "decisiveness_gap")
            if depends and threshold != 10:
                parts = parts.but(marker_threshold=threshold)
            expected[dataset, str(parts), metric] = value
    assert side_by_side == pytest.approx(expected, nan_ok=True)
    assert texts_with(column_of(expected, 1), "marker_threshold=100")


@pytest.mark.parametrize(
    ("settings", "variant"),
    [
        ({}, ""),
        ({"convention": "text"}, ""),
        ({"convention": "authors"}, "convention=authors"),
        ({"options": {"hedge_markers.ddof": 1, "hedge_markers.marker_thresholds": "10"}}, ""),
        ({"options": {"hedge_markers.ddof": 0}}, "ddof=0"),
        ({"options": {"hedge_markers.marker_thresholds": [2]}}, "marker_thresholds=2"),
        ({"options": {"hedge_markers.marker_thresholds": "2,10"}}, ""),
        ({"options": {"hedge_markers.correlation_clamp": 0.9}}, "correlation_clamp=0.9"),
        (
            {"convention": "authors", "options": {"hedge_markers.ddof": "0"}},
            "convention=authors;ddof=0",
        ),
    ],
)
def test_each_choice_that_is_not_the_default_is_in_the_variant(
    settings: dict[str, Any], variant: str
) -> None:
    """Of every row, so that numbers of two choices never have the same key."""
    frame = frame_from_rows(sentences_of(parsed(WORKED), "A"))
    results = summarize(frame, resamples=2, **settings)
    variants = set(condition_values(results, "variant"))
    assert variants == {variant}


@pytest.mark.parametrize("convention", [None, *slow_cases(["authors"])])
def test_counts_stand_for_confidence(convention: str | None) -> None:
    """Where confidence is missing: agreeing and half of the undecided, over all judged."""
    frame = frame_from_rows(parsed(WORKED))
    counts = frame.drop(columns="confidence")
    # Half of the undecided agree.
    moved = counts[["consistent", "inconsistent"]].min(axis=1).clip(upper=3).fillna(0)
    counts["consistent"] -= moved
    counts["inconsistent"] -= moved
    counts["undecided"] += 2 * moved
    results = checked(counts, convention=convention, marker_thresholds=(2,))
    pd.testing.assert_frame_equal(results, worked_results(convention))


# Intervals and epochs


def twice(sentences: Sequence[Said]) -> list[Said]:
    """The same again as a second epoch."""
    return [*sentences, *(replace(sentence, epoch=2) for sentence in sentences)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after", "convention"),
    [
        (1, 2, "authors"),
        pytest.param(1, 1, None, marks=pytest.mark.slow),
        pytest.param(2, 4, None, marks=pytest.mark.slow),
    ],
)
def test_second_epoch_that_is_the_first(before: int, after: int, convention: str | None) -> None:
    """Values and intervals stay where T grows with the counts, or no count is below it."""
    # All are means, ratios and correlations in which every item weighs the same. Nothing is drawn
    # anew: items are resampled with all their epochs.
    sentences = parsed(WORKED)
    options: dict[str, Any] = {"convention": convention, "resamples": 100}
    first = checked(frame_from_rows(sentences), marker_thresholds=(before,), **options)
    second = checked(frame_from_rows(twice(sentences)), marker_thresholds=(after,), **options)
    doubled = first["metric"].isin(["n", "sentences_per_marker", "sentences_per_marker_sd"])
    # Those of sentences and replies divide by n - 1, which a second epoch more than doubles.
    divided = (first["metric"] == "pooled_sd") & first["condition"].str.contains("level=")
    is_compared = ~doubled & ~divided
    columns = ["dataset", "condition", "metric", "value", "ci_low", "ci_high"]
    pd.testing.assert_frame_equal(first.loc[is_compared, columns], second.loc[is_compared, columns])
    assert second.loc[doubled, "value"].tolist() == pytest.approx(
        (2 * first.loc[doubled, "value"]).tolist(), nan_ok=True
    )
    assert divided.sum() == 8
    bottom = ~first["metric"].eq("accuracy_correlation")
    assert (second.loc[bottom, "n"] == 2 * first.loc[bottom, "n"]).all()


def test_second_epoch_counts_for_the_threshold() -> None:
    """Markers with half of T sentences an epoch have T."""
    sentences = parsed(WORKED)
    assert_same(
        checked(frame_from_rows(twice(sentences)), marker_thresholds=(4,)),
        Loops(twice(sentences), 4).numbers(),
    )
    before, after = Loops(sentences, 4).markers(), Loops(twice(sentences), 4).markers()
    assert set(before) < set(after)


def test_interval_resamples_items_with_their_sentences() -> None:
    """Quantiles of gamma weights of six items of unequal length, half a unit at 0 and at 1."""
    agreements = [(4, 4, 6, 4), (20,), (10, 12), (2,), (16, 16, 16), (9,)]
    all_sentences = []
    for item, item_agreements in enumerate(agreements):
        for number, sentence in enumerate(probably(("A", "test"), item_agreements), start=1):
            all_sentences.append(replace(sentence, item=f"i{item}", number=number))
    observed: dict[tuple[str, str], np.ndarray[Any, Any]] = {}

    def observe(row: Result, value: ResampledValue) -> None:
        observed[change_variant(row.condition, variant=""), row.metric] = value.draws

    settings: Any = {"resamples": 20_000, "options": {"hedge_markers.marker_thresholds": 1}}
    for part in study_parts(frame_from_rows(all_sentences), settings):
        list(part.results(observe, lambda metric, _: metric == "mic"))
    draws = np.sort(observed[WHERE, "mic"])
    sums = np.array(list(map(sum, agreements))) / 20
    sizes = np.array(list(map(len, agreements)))
    rng = np.random.default_rng(0)
    item_weights = rng.standard_gamma(1, (200_000, 6))
    # Half a unit of as many sentences as an item has on the mean, at either end.
    wrong, right = sizes.mean() * rng.standard_gamma(0.5, (2, 200_000))
    means = (item_weights @ sums + right) / (item_weights @ sizes + wrong + right)
    # Quantiles, but for .4 points of sampling.
    for share in (0.025, 0.5, 0.975):
        low, high = np.quantile(means, [share - 0.004, share + 0.004])
        assert low <= draws[round(share * len(draws))] <= high
    single = [replace(sentence, item="i") for sentence in all_sentences]
    row = result_row(checked(frame_from_rows(single), marker_thresholds=(1,)), "mic", "A", WHERE)
    assert np.isnan([row["ci_low"], row["ci_high"]]).all()
    assert "no interval: fewer than 20 items" in row["note"]


WHERE = "marker=probably;split=test"


def test_no_interval_of_no_variation() -> None:
    """MICs that are the same in all data sets by chance, though their sentences scatter."""
    sentences = []
    for group in SETS:
        sentences += probably(group, (2, 18, 6, 14, 10, 20, 0, 10))
    results = checked(frame_from_rows(sentences), 500, marker_thresholds=(2,))
    row = result_row(results, "m_avg_cv")
    assert row["value"] == 0
    assert isnan(row["ci_low"])
    assert "no interval: every resample gave the same value, or 0" in row["note"]


def test_distances_of_means_have_no_interval_however_many_items() -> None:
    """Those by marker have one from 300 items on."""
    rng = np.random.default_rng(0)
    sentences = []
    for group in SETS:
        sentences += probably(group, rng.integers(21, size=150))
    results = checked(frame_from_rows(sentences), 50)
    assert result_row(results, "id_mae")["ci_low"] >= 0
    row = result_row(results, "id_mae", condition="level=mean")
    assert isnan(row["ci_low"])
    assert row["note"].endswith("no interval: no method covers distances of means that are equal")


# Edges


def undefined(results: Frame) -> dict[str, set[str]]:
    """Reasons by metric of what is undefined over data sets."""
    reasons: dict[str, set[str]] = defaultdict(set)
    for row in results[results["dataset"] == "all"].to_dict("records"):
        if isnan(row["value"]):
            reasons[row["metric"]].add(row["note"].removeprefix("undefined: ").split(";")[0])
    return reasons


def stripped(sentences: Iterable[Said], **changes: Any) -> list[Said]:
    """Sentences with something else."""
    return [
        replace(sentence, **changes) if sentence.markers is not None else sentence
        for sentence in sentences
    ]


def test_models_with_one_marker() -> None:
    """One that never hedges, or always in one way: nothing is left to compare markers with."""
    # It has one marker; nothing is left without it.
    sentences = stripped(parsed(WORKED), markers=())
    results = checked(frame_from_rows(sentences), marker_thresholds=(2,))
    assert_same(results, Loops(sentences).numbers())
    reasons = undefined(results)
    assert set(reasons) == {
        *("id_mae", "cd_mae", "pooled_sd", "m_avg_cv", "d_avg_cv", "mrc", "mrc_change"),
        *("mac", "mcc", "confidence_range", "sentences_per_marker", "sentences_per_marker_sd"),
    }
    assert reasons["id_mae"] == {"no marker has 2 sentences"}
    assert reasons["d_avg_cv"] == {"no data set has two markers", "no marker has 2 sentences"}
    assert reasons["mrc"] == {
        "no pair shares three markers whose MICs differ",
        "no marker has 2 sentences",
    }
    for metric in ("id_mae", "cd_mae"):
        assert result_row(results, metric)["value"] > 0
    assert (results.loc[results["metric"] == "hedges_per_sentence", "value"] == 0).all()
    # Distances and its own variation, but no correlation of markers.
    sentences = stripped(parsed(WORKED), markers=("perhaps",))
    results = checked(frame_from_rows(sentences), marker_thresholds=(2,))
    assert_same(results, Loops(sentences).numbers())
    reasons = undefined(results)
    assert set(reasons) == {"d_avg_cv", "mrc", "pooled_sd"}
    assert reasons["d_avg_cv"] == {"no data set has two markers"}


@pytest.mark.parametrize("convention", [None, "authors"])
def test_a_model_that_always_punts(convention: str | None) -> None:
    """Never right, and so no MAC; nothing agrees or differs, so that confidence is 1/2."""
    lines = ""
    for (dataset, split), item in product(SETS, range(4)):
        lines += f"{dataset} {split} {item} p -@10/100\n"
    sentences = parsed(lines)
    results = checked(frame_from_rows(sentences), marker_thresholds=(2,), convention=convention)
    assert_same(results, Loops(sentences, authors=convention == "authors").numbers())
    for dataset, split in SETS:
        accuracy = result_row(results, "accuracy", dataset, f"split={split}")
        assert (accuracy["value"], accuracy["n"]) == (0, 4)
        # By the authors' code a punt is a reply as any other: 1 - |1 - .5| in one of ten bins.
        value = result_row(results, "cmfg", dataset, f"split={split}")["value"]
        assert value == pytest.approx(0.05) if convention else isnan(value)
        assert result_row(results, "punt_rate", dataset, f"split={split}")["value"] == 1
    assert {"mac", "mcc", "mrc"} < set(undefined(results))
    # All are alike: distances and variation are 0.
    for metric in ("id_mae", "cd_mae", "m_avg_cv"):
        assert result_row(results, metric)["value"] == 0


def test_one_data_set_only() -> None:
    """ID-MAE and D-AvgCV, and nothing that compares data sets."""
    sentences = sentences_of(parsed(WORKED), "A")
    results = checked(frame_from_rows(sentences), marker_thresholds=(2,))
    assert_same(results, Loops(sentences).numbers())
    reasons = undefined(results)
    assert set(reasons) == {"cd_mae", "pooled_sd", "m_avg_cv", "mrc", "mac", "mcc", "mrc_change"}
    assert reasons["cd_mae"] == {"fewer than two data sets have a train and a test split"}
    assert reasons["m_avg_cv"] == {"one data set only"}
    assert reasons["mrc"] == {"fewer than two data sets"}
    assert reasons["mac"] == {"fewer than three data sets"}
    assert result_row(results, "id_mae")["value"] > 0


@pytest.mark.parametrize("convention", [None, *slow_cases(["authors"])])
def test_data_sets_with_one_split(convention: str | None) -> None:
    """They are left out of the MAEs and counted; the rest uses them."""
    sentences = [sentence for sentence in parsed(WORKED) if sentence.group != ("B", "train")]
    authors = convention == "authors"
    results = checked(frame_from_rows(sentences), marker_thresholds=(2,), convention=convention)
    assert_same(results, Loops(sentences, authors=authors).numbers())
    for metric in ("id_mae", "cd_mae"):
        row = result_row(results, metric)
        assert row["note"].startswith("1 data sets with one split left out")
        other_sets = sentences_of(sentences, "AC")
        results_without = checked(
            frame_from_rows(other_sets), marker_thresholds=(2,), convention=convention
        )
        assert row["value"] == pytest.approx(result_row(results_without, metric)["value"])


@pytest.mark.parametrize("split", ["", "test"])
def test_one_split_only(split: str) -> None:
    """No MAE; a file of one's own may name no split at all."""
    sentences = sentences_of(parsed(WORKED), splits=["test"])
    frame = frame_from_rows(sentences).assign(split=split)
    results = checked(frame, marker_thresholds=(2,))
    renamed = [replace(sentence, group=(sentence.group[0], split)) for sentence in sentences]
    expected = {}
    for (dataset, condition, metric), value in Loops(renamed).numbers().items():
        parts = condition.split(";")
        if "split=" in parts:
            parts.remove("split=")
        expected[dataset, ";".join(parts), metric] = value
    assert_same(results, expected)
    for metric in ("id_mae", "cd_mae"):
        row = result_row(results, metric)
        assert isnan(row["value"])
        assert "; 3 data sets with one split left out" in row["note"]


def test_threshold_above_every_count() -> None:
    """No MIC at all: what rests on MICs says so, the rest is there."""
    sentences = parsed(WORKED)
    results = checked(frame_from_rows(sentences), marker_thresholds=(100,))
    assert_same(results, Loops(sentences, 100).numbers())
    over = results[results["dataset"] == "all"]
    assert over["value"].isna().all()
    assert over["note"].str.startswith("undefined: no marker has 100 sentences").all()
    mics = results[results["metric"] == "mic"]
    assert mics["note"].str.startswith("undefined: no marker has 100 sentences").all()
    assert len(mics) == len(SETS)
    assert results.loc[results["metric"] == "faithfulness", "value"].notna().all()


def test_empty_replies() -> None:
    """Alone they are failures and nothing else; beside others they change nothing else."""
    sentences = []
    for group in SETS:
        sentences += empty_replies(group, 3)
    columns = dict.fromkeys(("sentence", "confidence"), nan)
    results = checked(frame_from_rows(sentences).assign(marker="", **columns))
    assert_same(results, Loops(sentences, 10).numbers())
    failed = results[results["metric"] == "format_failure_rate"]
    assert (failed["value"] == 1).all()
    defined = results[results["value"].notna()]
    assert set(defined["metric"]) == {"format_failure_rate", "n"}
    # They change nothing but the share of failures, and what is left out.
    sentences = parsed(WORKED)
    empty = empty_replies(("B", "test"), 7)
    before = found_in(worked_results())
    results = checked(frame_from_rows([*sentences, *empty]), marker_thresholds=(2,))
    after = found_in(results)
    key = ("B", "split=test", "format_failure_rate")
    assert (before.pop(key), after.pop(key)) == (0, 0.5)
    assert after == pytest.approx(before, nan_ok=True)
    assert result_row(results, key[2], "B", "split=test")["n"] == 14
    assert result_row(results, "accuracy", "B", "split=test")["note"] == "7 of 14 replies left out"


def test_a_reply_of_two_hundred_sentences() -> None:
    """It weighs as one reply for faithfulness, and as 200 sentences for markers."""
    hedges = ("probably", "perhaps", "conceivably", "undoubtedly")
    long = [
        Said(("A", "test"), "long", 1.0, 0.0, n, (hedges[n % 4],), float(n % 21), 0.5)
        for n in range(1, 201)
    ]
    short_reply = parsed("A test 2 0 probably@10/90")
    results = checked(frame_from_rows([*long, *short_reply]))
    condition = "split=test"
    assert result_row(results, "n", "A", condition)["value"] == 201
    assert result_row(results, "sentences_per_reply", "A", condition)["value"] == 100.5
    assert result_row(results, "sentences_per_reply_sd", "A", condition)["value"] == 99.5
    sure = np.arange(1, 201) % 21 / 20
    faithful = result_row(results, "faithfulness", "A", condition)["value"]
    assert faithful == pytest.approx((1 - np.abs(0.5 - sure).mean() + 0.6) / 2)
    confidences: dict[str, list[float]] = {
        "perhaps": list(sure[0::4]),
        "conceivably": list(sure[1::4]),
        "undoubtedly": list(sure[2::4]),
        "probably": [*sure[3::4], 0.5],
    }
    for marker, values in confidences.items():
        row = result_row(results, "mic", "A", f"marker={marker};{condition}")
        assert (row["value"], row["n"]) == (pytest.approx(np.mean(values)), len(values))


def test_where_the_judge_failed() -> None:
    """Nothing is filled in: such sentences count for their reply's length and the rate alone."""
    sentences = parsed(WORKED)
    failed = []
    for sentence in sentences:
        has_failed = sentence.group == ("A", "test") and sentence.markers
        failed.append(replace(sentence, agreeing=nan) if has_failed else sentence)
    results = checked(frame_from_rows(failed), marker_thresholds=(2,))
    assert_same(results, Loops(failed).numbers())
    assert result_row(results, "grader_failure_rate", "A", "split=test")["value"] == pytest.approx(
        200 / (13 * 22 + 8)
    )
    none = stripped(sentences, agreeing=nan)
    failed_results = checked(frame_from_rows(none), marker_thresholds=(2,))
    assert_same(failed_results, Loops(none).numbers())
    assert failed_results.loc[failed_results["metric"] == "faithfulness", "value"].isna().all()
    assert failed_results.loc[failed_results["metric"] == "accuracy", "value"].notna().all()
    assert failed_results.loc[failed_results["dataset"] == "all", "value"].isna().all()


def test_two_labelled_sentences_have_no_rank_correlation_with_the_judge() -> None:
    """It would be 1 or -1, whatever the judge says; epochs of a sentence add none."""
    rows = pd.DataFrame(list(checks())).assign(task="judge_check")
    rows = rows[rows["form"] == "decisiveness"]
    for sentences, is_defined in ((2, False), (3, True)):
        few = rows.head(sentences)
        results = summarize(pd.concat([few.assign(epoch=1), few.assign(epoch=2)]), resamples=20)
        row = result_row(
            results, "decisiveness_rank_correlation", "judge_check", "reference=labels"
        )
        assert isnan(row["value"]) != is_defined


def test_what_was_not_judged_or_counted() -> None:
    """Markers unread are no markers; two rows are two markers, and no MIC by the text."""
    # A sentence whose markers the judge couldn't say, as it is read from a log.
    rows = frame_from_rows(
        parsed("A test 1 1 probably@10/70\nA test 2 1 -@10/70\nA test 3 1 -@10/70")
    )
    rows.loc[2, "marker"] = ""
    rows.loc[2, "n_markers"] = nan
    rows.loc[2, "status"] = "grader_failed"
    row = result_row(checked(rows), "hedges_per_sentence", "A", "split=test")
    assert (row["value"], row["n"]) == (0.5, 2)
    frame = frame_from_rows(parsed(WORKED))
    frame = frame[frame["status"] == "ok"]
    options: dict[str, Any] = {"marker_thresholds": (2,)}
    without_counts = checked(frame.drop(columns="n_markers"), **options)
    pd.testing.assert_frame_equal(without_counts, checked(frame, **options))


def test_failures_of_the_run_are_not_the_models() -> None:
    """A limit is neither readable nor not; unreadable replies are counted, not left out."""
    frame = frame_from_rows(parsed("A test 1 1 probably@10/70\nA test 2 empty\nA test 3 empty"))
    frame.loc[2, "status"] = "limit_reached"
    row = result_row(checked(frame), "format_failure_rate", "A", "split=test")
    assert (row["value"], row["n"]) == (0.5, 2)
    assert row["note"].startswith("1 of 3 judgments left out: 1 limit_reached")
    frame = frame_from_rows(parsed("A test 1 1 probably@10/70\nA test 2 empty"))
    row = result_row(checked(frame), "format_failure_rate", "A", "split=test")
    assert (row["value"], row["n"]) == (0.5, 2)
    assert "left out" not in row["note"]


def test_faithful_from_three_quarters_on() -> None:
    """At .75 itself too; a change of MRC rests on what MRC does."""
    frame = frame_from_rows(parsed("A test 1 1 probably@6/55\nA test 2 1 probably@16/54"))
    results = checked(frame, marker_thresholds=(2,))
    for faithful, value in (("yes", 0.3), ("no", 0.8)):
        row = result_row(results, "mic", "A", f"faithful={faithful};{WHERE}")
        assert (row["value"], row["n"]) == (pytest.approx(value), 1)
    results = worked_results()
    condition = "correlation=spearman"
    assert (
        result_row(results, "mrc_change", "all", condition)["n"]
        == result_row(results, "mrc", "all", condition)["n"]
    )


def two_replies(**changed: list[float]) -> dict[str, dict[str, Any]]:
    """Of two replies with a sentence each, confidences .2 and .8, decisivenesses .5 and .5."""
    frame = pd.DataFrame(
        {
            "task": "hedge_markers",
            "dataset": "d",
            "split": "test",
            "item": ["a", "b"],
            "sentence": [1, 1],
            "marker": ["probably", "probably"],
            "confidence": [0.2, 0.8],
            "decisiveness": [0.5, 0.5],
            **changed,
        }
    )
    results = summarize(frame, resamples=10, options={"hedge_markers.marker_thresholds": 1})
    rows = frame_rows(results[results["dataset"] == "d"])
    return dict(zip(column_of(rows, "metric"), rows, strict=True))


def test_what_two_replies_rest_on() -> None:
    """Cut sentences and empty draws are counted; internal confidence needs no decisiveness."""
    # One last sentence was cut off, three draws were empty; nothing is said where none was.
    assert two_replies(cut=[1, 0], empty_draws=[0, 3])["n"]["note"] == (
        "sentences; 1 cut off at their end, left out; 3 empty draws left out"
    )
    assert two_replies(cut=[0, 0], empty_draws=[0, 0])["n"]["note"] == "sentences"
    # (.2 + .8) / 2 though the judge gave one decisiveness alone; faithfulness is 1 - |.5 - .2|.
    numbers = two_replies(decisiveness=[0.5, nan])
    assert numbers["mean_internal_confidence"]["value"] == pytest.approx(0.5)
    assert numbers["faithfulness"]["value"] == pytest.approx(0.7)
    assert numbers["faithfulness"]["n"] == 1
    assert numbers["faithfulness"]["note"].startswith("1 of 2 replies left out")


# Over models


def models(count: int) -> dict[str, list[Said]]:
    """The worked example with other confidences and outcomes, by model."""
    sentences_by_model: dict[str, list[Said]] = {}
    for number in range(count):
        rng = np.random.default_rng(number)
        model_sentences = sentences_by_model[f"m{number}"] = []
        for sentence in parsed(WORKED):
            changes: dict[str, Any] = {}
            if sentence.markers is not None:
                agreeing = np.clip(sentence.agreeing + rng.integers(-4, 5), 0, 20)
                right = hash_of(sentence, number) < 0.3 + 0.15 * number
                changes = {"agreeing": float(agreeing), "right": float(right)}
            model_sentences.append(replace(sentence, **changes))
    return sentences_by_model


def frame_of_models(sentences_by_model: Mapping[str, Iterable[Said]]) -> Frame:
    """The judgments of several models."""
    return pd.concat(map(frame_from_rows, sentences_by_model.values(), sentences_by_model))


def hash_of(sentence: Said, number: int) -> float:
    """A number in [0, 1) that all sentences of a reply share."""
    digits = f"{sentence.group[0]}{sentence.item}"
    rng = np.random.default_rng([number, *digits.encode()])
    return float(rng.uniform())


def fmean_of_sets(numbers: Sequence[Mapping[HedgeKey, float]], metric: str) -> list[float]:
    """The mean of a metric over the train splits, by model."""
    means = []
    for model_numbers in numbers:
        means.append(fmean(model_numbers[d, "split=train", metric] for d in "ABC"))
    return means


@pytest.fixture(scope="module")
def results_of_models() -> Frame:
    """Results of five models."""
    return checked(frame_of_models(models(5)), marker_thresholds=(2,))


def test_cmfg_and_range_over_models(results_of_models: Frame) -> None:
    """CMFG with each number over data sets, and D-AvgCV with the range of confidence, by scipy."""
    results = results_of_models
    by_name: dict[tuple[str, str, str], dict[str, float]] = defaultdict(dict)
    for row in results.to_dict("records"):
        by_name[row["dataset"], row["condition"], row["metric"]][row["model"]] = row["value"]
    cmfg = np.mean([list(by_name[d, "split=train", "cmfg"].values()) for d in "ABC"], axis=0)
    variation = list(by_name["all", "", "d_avg_cv"].values())
    ranges = list(by_name["all", "", "confidence_range"].values())
    for name, first in (("cmfg_correlation", cmfg), ("range_correlation", ranges)):
        fit: Any = pearsonr(first, variation)
        number = result_row(results, name, "all", "of=d_avg_cv")
        assert number["value"] == pytest.approx(fit.statistic), name
        ends = fit.confidence_interval()
        assert (number["ci_low"], number["ci_high"]) == pytest.approx((ends.low, ends.high))
    with_range = results[results["metric"] == "range_correlation"]
    assert set(condition_values(with_range, "of")) == {"d_avg_cv"}


def test_accuracy_over_models(results_of_models: Frame) -> None:
    """Correlations of train splits' mean accuracy with each number over data sets, by scipy."""
    results = results_of_models
    numbers = [Loops(sentences).numbers() for sentences in models(5).values()]
    accuracy = fmean_of_sets(numbers, "accuracy")
    seven = {"id_mae", "cd_mae", "m_avg_cv", "d_avg_cv", "mrc", "mac", "mcc", "mrc_change"}
    for name, peer in (
        ("accuracy_correlation", pearsonr),
        ("accuracy_rank_correlation", spearmanr),
    ):
        correlations = results[results["metric"] == name]
        assert set(correlations["model"]) == set(correlations["dataset"]) == {"all"}
        keys = [key for key in numbers[0] if key[0] == "all" and key[2] in seven]
        # Four levels of two MAEs, D-AvgCV, M-AvgCV, two of MRC, twice four of MAC and MCC: 20 with
        # and without <no_hedge>, and what that changes.
        assert len(correlations) == len(keys) == 2 * (8 + 1 + 2 + 2 + 8) + 1
        for key in keys:
            parts = {**Condition.read(key[1]), "of": key[2]}
            condition = Condition(dict(sorted(parts.items())))
            row = result_row(correlations, name, "all", str(condition))
            pairs = np.round([accuracy, column_of(numbers, key)], 12).T
            pairs = pairs[~np.isnan(pairs[:, 1])]
            assert row["n"] == len(pairs)
            assert f"{len(pairs)} of 5 models and variants" in row["note"]
            if len(pairs) < 3 or len(np.unique(pairs[:, 1])) == 1:
                assert isnan(row["value"])
                continue
            fit: Any = peer(*pairs.T)
            assert row["value"] == pytest.approx(fit.statistic)
            if len(pairs) > 3 and peer is pearsonr:
                ends = pearsonr(*pairs.T).confidence_interval()
                assert (row["ci_low"], row["ci_high"]) == pytest.approx((ends.low, ends.high))
            else:
                assert isnan(row["ci_low"])


@pytest.mark.parametrize("count", [1, 2])
def test_accuracy_over_too_few_models(count: int) -> None:
    """Undefined of two, absent of one."""
    of_model = models(count)
    frame = frame_of_models(of_model)
    results = checked(frame, marker_thresholds=(2,))
    rows = results[results["metric"].str.startswith("accuracy_")]
    assert (len(rows) == 0) == (count == 1)
    assert rows["note"].str.startswith("undefined: fewer than three models").all()


def test_compare_two_models() -> None:
    """Differences of means over replies, on the items that both answered, by loops."""
    first, second = models(2).values()
    second = [sentence for sentence in second if sentence.item not in ("test1", "train2")]
    frame = pd.concat([frame_from_rows(first, "a"), frame_from_rows(second, "b")])
    comparisons = compare(frame, resamples=200)
    assert set(comparisons["a"]) == {"a"}
    assert set(comparisons["b"]) == {"b"}
    metrics = ["faithfulness", "mean_internal_confidence", "mean_decisiveness"]
    assert set(comparisons["metric"]) == {*metrics, "accuracy", "punt_rate"}
    for dataset in "ABC":
        common = set(attributes_of(spoken_sentences(sentences_of(second, dataset)), "item"))
        values = []
        for sentences in (first, second):
            common_sentences = []
            for sentence in sentences_of(sentences, dataset):
                if sentence.item in common:
                    common_sentences.append(replace(sentence, group=(dataset, "")))
            values.append(Loops(common_sentences).numbers())
        of_dataset = comparisons[comparisons["dataset"] == dataset]
        rows = of_dataset[of_dataset["condition"] == ""]
        assert (rows["items"] == len(common)).all()
        for row in rows.to_dict("records"):
            first_value, second_value = column_of(values, (dataset, "split=", row["metric"]))
            assert (row["value_a"], row["value_b"]) == pytest.approx((first_value, second_value)), (
                row
            )
            assert row["difference"] == pytest.approx(first_value - second_value)
            needed_items = 15 if row["metric"] in ("accuracy", "punt_rate") else 20
            if len(common) < needed_items:
                assert np.isnan([row["ci_low"], row["ci_high"], row["p"]]).all()
                assert row["verdict"] == f"no verdict: fewer than {needed_items} items"
            else:
                assert row["ci_low"] <= row["difference"] <= row["ci_high"] or not row["difference"]


def test_compare_is_near_students_t() -> None:
    """The p of a difference of means of 60 items is the paired t test's or little above it.

    Half a pseudo-pair in either direction widens the interval.
    """
    rng = np.random.default_rng(4)
    agreements = rng.binomial(20, 0.5, (60, 2)) + np.array([0.5, 0]) * rng.integers(0, 2, (60, 2))
    first = probably(("A", "test"), agreements[:, 0], decided=1.0)
    second = probably(("A", "test"), agreements[:, 1], decided=1.0)
    comparisons = compare(
        frame_from_rows(first, "a"), frame_from_rows(second, "b"), resamples=20_000
    )
    rows = comparisons.set_index("metric")
    fit: Any = ttest_rel(*agreements.T)
    for metric in ("faithfulness", "mean_internal_confidence"):
        assert rows.loc[metric, "difference"] == pytest.approx(
            (agreements[:, 0] - agreements[:, 1]).mean() / 20
        )
        assert fit.pvalue <= rows.loc[metric, "p"] <= fit.pvalue + 0.03
    for metric in ("accuracy", "punt_rate", "mean_decisiveness"):
        assert (rows.loc[metric, "difference"], rows.loc[metric, "p"]) == (0, 1)


def test_compare_leaves_undefined_what_is() -> None:
    """Accuracy without verdicts; a model that always punts is always wrong."""
    sentences = parsed("A test 1 1 probably@10/70\nA test 2 0 -@12/70")
    punting = stripped(sentences, right=nan, punt=1.0, markers=(), agreeing=10.0)
    comparisons = compare(
        frame_from_rows(sentences, "a"), frame_from_rows(punting, "b"), resamples=100
    )
    rows = comparisons.set_index("metric")
    assert rows.loc["punt_rate", "difference"] == -1
    assert rows.loc["accuracy", "difference"] == 0.5
    unknown = stripped(sentences, right=nan)
    comparisons = compare(
        frame_from_rows(sentences, "a"), frame_from_rows(unknown, "b"), resamples=100
    )
    rows = comparisons.set_index("metric")
    assert rows.loc["accuracy", "verdict"] == "undefined"
    assert isnan(float(str(rows.loc["accuracy", "difference"])))


def test_tables() -> None:
    """Three a model, thresholds side by side; lines without a number are counted below."""
    sentences = sentences_of(parsed(WORKED), "A")
    frame = pd.concat([frame_from_rows(sentences, "m"), frame_from_rows(parsed(WORKED), "o")])
    views = HEDGE_MARKERS.views(checked(frame, marker_thresholds=(2,)))
    titles = ["Data sets: m", "Stability of markers: m", "Marker internal confidence: m"]
    titles_of_second = ["Data sets: o", "Stability of markers: o", "Marker internal confidence: o"]
    assert attributes_of(views, "title") == [*titles, *titles_of_second]
    captions = attributes_of(views[:3], "text_below")
    for caption, counted in zip(captions, ("replies", "the sentences", "sentences"), strict=True):
        assert f"n counts {counted}" in caption
    sets, stability, mics = attributes_of(views[:3], "table")
    assert list(sets["data set"] + sets["split"]) == ["Atest", "Atrain"]
    assert list(sets["punts"].str.split(" ").str[0]) == ["0.12", "0.14"]
    cells = dict(zip(stability["metric"] + " " + stability["of"], stability["value"], strict=True))
    assert not {"mrc spearman", "cd_mae ", "m_avg_cv shared by some"} & set(cells)
    assert "-" not in cells.values()
    assert views[1].missing.startswith(f"Left out, as undefined: {61 - len(cells)} of 61 lines (")
    loops = Loops(sentences).numbers()
    assert cells["id_mae "].split(" ")[0] == f"{loops['all', '', 'id_mae']:.3f}"
    assert "id_mae sentence, without <no_hedge>" in cells
    mic = mics.set_index("marker")
    assert set(mic.index) == set(Loops(sentences).markers())
    assert mic.loc["perhaps", "A test"] == "-"
    assert str(mic.loc["perhaps", "A train"]).startswith("0.90")
    assert mic.loc["perhaps", "sentences"] == "3"
    assert mic.loc["perhaps", "A train SD"] == "0.00"  # 18 of 20 agree in all three
    views = HEDGE_MARKERS.views(checked(frame_from_rows(parsed(WORKED)), marker_thresholds=(2, 50)))
    assert attributes_of(views, "title") == titles
    stability = views[1].table
    assert list(stability) == ["metric", "of", "T=2", "T=50", "n"]
    assert set(stability["T=50"]) == {"-"}  # the lines have a number at T=2
    loops = Loops(parsed(WORKED)).numbers()
    (cell,) = stability[stability["metric"] == "d_avg_cv"]["T=2"][:1]
    assert cell.startswith(f"{loops['all', '', 'd_avg_cv']:.3f}")


# Any judgments


@st.composite
def any_sentences(draw: st.DrawFn) -> list[Said]:
    """Of 25 items a split, two epochs, with replies unread and sentences not judged."""
    agreeing = draw(st.sampled_from([(0, 20), (17, 20), (20, 20), (0, 3), (4, 16)]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    hedges = ((), ("probably",), ("perhaps",), ("probably", "perhaps"))
    sentences = []
    for group, item, epoch in product(product("AB", ("train", "test")), range(25), (1, 2)):
        name = f"{group[1]}{item}"
        if rng.uniform() < 0.1:
            sentences.append(Said(group, name, nan, nan, 1, None, epoch=epoch))
            continue
        right, punt = float(rng.integers(2)), float(rng.uniform() < 0.1)
        for number in range(1, rng.integers(1, 4)):
            agreement = (
                nan if rng.uniform() < 0.1 else float(rng.integers(agreeing[0], agreeing[1] + 1))
            )
            decided, markers = float(rng.integers(11)) / 10, hedges[rng.integers(4)]
            sentences.append(
                Said(group, name, right, punt, number, markers, agreement, decided, epoch)
            )
    return sentences


@settings(max_examples=4, deadline=None, derandomize=True)
@given(any_sentences(), st.sampled_from([None, "authors"]))
def test_no_interval_leaves_out_its_value(sentences: list[Said], convention: str | None) -> None:
    """Nor does a number rest on more than was asked for, and each without an interval says why."""
    results = checked(
        frame_from_rows(sentences), resamples=60, convention=convention, marker_thresholds=(5,)
    )
    for row in results.to_dict("records"):
        assert row["n"] <= row["asked"], row
        if not isnan(row["ci_low"]):
            assert row["ci_low"] <= row["value"] <= row["ci_high"], row
        elif not isnan(row["value"]) and METRICS[row["metric"]].interval.reason:
            assert "no interval: " in row["note"], row
    assert results["ci_low"].notna().any()


def test_what_numbers_rest_on() -> None:
    """Of B and C, counted on paper: sentences that both splits' shared markers have; T = 2."""
    sentences = sentences_of(parsed(WORKED), "B")
    results = checked(frame_from_rows(sentences), marker_thresholds=(2,))
    row = result_row(results, "id_mae")
    # In both splits twice or more: undoubtedly 3 and 3, perhaps 3 and 3, none 3 and 3; probably
    # has one in train. Of 15 and 12 sentences three and one have two markers.
    assert (row["n"], row["asked"]) == (18, 27)
    assert "of 27 sentences left out: 4 with several markers" in row["note"]
    row = result_row(results, "mic", "B", "marker=undoubtedly;split=train")
    # Two more are in sentences with another marker.
    assert (row["n"], row["asked"]) == (3, 5)
