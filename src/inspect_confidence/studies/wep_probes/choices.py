"""Numbers to words: the consistency scores by condition, those of random choices, and contrasts."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from inspect_confidence import metrics
from inspect_confidence.answers import first_letter
from inspect_confidence.datasets.wep_choices import COMPLEMENTS, POINTS, design
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.metrics.resample import wilson_limits
from inspect_confidence.metrics.word_choices import LEAST_CLUSTERS
from inspect_confidence.prompts.wep_probes import CHOICES
from inspect_confidence.results import NO_INTERVAL, Condition, Key, Result
from inspect_confidence.studies import estimate
from inspect_confidence.studies.estimate import Estimate, ResampledEstimates, Statistics
from inspect_confidence.studies.notes import describe_left_out, join_notes
from inspect_confidence.studies.study import Resampling, SampleFacts

RISING = frozenset({"above_low", "between", "below_high"})
"""Intervals whose probability rises as the points move outwards."""

MODES = {True: "with", False: "without"}
"""Names in conditions of replies with and without reasoning, by `cot`."""

FACTORS = ["scenario", "choice_set", "numbers", "cot"]
"""Columns that, beside interval and point, make a condition of the prompts."""
PAIRS = {kind: pair for pair in COMPLEMENTS.items() for kind in pair}
"""By interval: the interval and its complement."""
LETTERLESS = 8.0
"""The rank that the study's figures imply for a reply that names no letter: below all choices."""

_RIGHT_RANKS = {prompt.id: prompt.right for prompt in design()}
"""Rank of the right choice by prompt."""


def read_sentence(sample: SampleFacts) -> list[dict[str, Any]]:
    """Read the judgment of a sentence, the only one of its sample: the choice that completes it.

    If no choice was read, `choice` is empty, and `status` and `reason` say why.
    """
    names = ("item", "split", "scenario", "choice_set", "numbers", "point", "interval", "cot")
    score, status_and_reason = sample.read("word_choice")
    row = sample.metadata_columns(*names)
    row |= {"choice": score.answer or "", "reply": score.metadata.get("reply", "")}
    return [{**row, **status_and_reason}]


def rank_choices(frame: pd.DataFrame, convention: str | None) -> pd.DataFrame:
    """Add the `rank` of the choice among those offered, NaN if unread, and the `right` rank.

    Rank 0 is the likeliest word, such as "is almost certainly". With the convention `authors` the
    choice is the first letter of the reply (of what follows the last "I choose" in a chain of
    thought); otherwise it is the choice as it was read. Each judgment must have a prompt.

    Raises:
        InvalidArgument: A prompt is not one of the study's.
    """
    if unknown := unknown_prompts(frame):
        raise InvalidArgument(next(iter(unknown.values())))
    rows = frame.copy()
    rows["choice_set"] = rows["choice_set"].astype(int)  # each prompt has one
    rows["cot"] = [value is True for value in rows["cot"]]
    rows["right"] = [float(_RIGHT_RANKS[name]) for name in _prompt_names(rows)]
    rank_of = _rank_of_letter if convention == "authors" else _rank_of_choice
    offered = [CHOICES[size] for size in rows["choice_set"]]
    rows["rank"] = list(map(rank_of, rows.itertuples(), offered))
    return rows


def unknown_prompts(frame: pd.DataFrame) -> dict[int, str]:
    """Return why judgments have a prompt that the study does not have, by their position.

    A failed judgment without any prompt is left out: its sample was never written, or unreadable.
    """
    reasons = {}
    for position, name in enumerate(_prompt_names(frame)):
        is_empty = frame["interval"].iloc[position] == "" and frame["status"].iloc[position] != "ok"
        if name not in _RIGHT_RANKS and not is_empty:
            reasons[position] = (
                f"there is no prompt {name} (scenario-choice_set-numbers-point-interval). "
                + nearest(name, _RIGHT_RANKS)
            )
    return reasons


def _prompt_names(frame: pd.DataFrame) -> list[str]:
    """Return the id of each judgment's prompt, such as `height-5-narrow-0.05-above_low`.

    It is scenario, number of choices (0 if missing), kind of numbers, point and interval.
    """
    rows = frame.assign(choice_set=frame["choice_set"].fillna(0).astype(int)).itertuples()
    return [f"{r.scenario}-{r.choice_set}-{r.numbers}-{r.point:g}-{r.interval}" for r in rows]


def _rank_of_choice(row: Any, choices: Sequence[str]) -> float:
    """Return the rank of a judgment's choice; NaN if it is not among the choices, or unread."""
    return float(choices.index(row.choice)) if row.choice in choices else np.nan


def _rank_of_letter(row: Any, choices: Sequence[str]) -> float:
    """Return the rank of the first letter of a judgment's reply, as the study's code reads it.

    With a chain of thought it is the first letter after the last "I choose". The rank is NaN
    without a reply, and below all choices (`LETTERLESS`) if the reply names no letter.
    """
    if not row.reply:
        return np.nan
    letter = first_letter(row.reply, choices, chain_of_thought=row.cot)
    return LETTERLESS if letter is None else float(letter)


def score_units(
    rows: pd.DataFrame, convention: str | None, factors: Sequence[str] = FACTORS
) -> Mapping[str, pd.DataFrame]:
    """Return the units that each consistency score judges, by score.

    A prompt asks for the word that fits how many of 20 numbers lie in an interval, such as below a
    bound (`below_low`). The two bounds enclose the central share `point` (.05 to .95) of the
    numbers' distribution. A unit is a sequence of prompts that differ in their point alone, one of
    its points, a step from one point to the next, or a pair of complementary sequences (such as
    below and above a bound) at a point.

    A unit's row has its `value`, the mean over epochs of 1 (consistent) or 0, without epochs that
    lack a choice (NaN if all do); the `factors`; the `pair` of complementary intervals; and a `key`
    within these, such as `above_low@0.05`, by which units of two conditions can be paired.

    Args:
        rows: Judgments as `rank_choices` returns them.
        convention: `authors`, or None for the definitions of the text; it changes only which pairs
            are consistent.
        factors: Columns that tell conditions apart.
    """
    keys = [*factors, "run", "epoch", "repeat", "interval"]
    points = sorted(POINTS["narrow"])  # the other set of numbers has the same points
    # A file may hold a prompt several times without saying in which epoch.
    repeat = rows.groupby([*factors, "run", "epoch", "interval", "point"]).cumcount()
    table = rows.assign(repeat=repeat).set_index([*keys, "point"])
    # Ranks of the choices and of the right ones: a row for each sequence of prompts, described by
    # the same row of `sequences`, and a column for each point.
    wide_ranks = table["rank"].unstack("point").reindex(columns=points)
    sequences, ranks = wide_ranks.index.to_frame(index=False), wide_ranks.to_numpy(float)
    right_ranks = table["right"].unstack("point").reindex(columns=points).to_numpy(float)
    # Flags (1 consistent, 0 not, NaN unknown) of whole sequences, under an empty name.
    rises = np.isin(sequences["interval"].to_numpy(str), list(RISING))
    monotone = {"": metrics.monotonicity_flags(ranks, rises)}
    sensitive = {"": metrics.choice_sensitivity_flags(ranks)}
    # Flags of all sequences at a point, and of their steps from it to the next, by the point.
    right_by_point: dict[str, FloatArray] = {}
    step_by_point: dict[str, FloatArray] = {}
    for column, point in enumerate(points):
        choice, right = ranks[:, column], right_ranks[:, column]
        right_by_point[f"{point:g}"] = metrics.empirical_consistency_flags(choice, right)
        if column + 1 < len(points):
            next_choice, next_right = ranks[:, column + 1], right_ranks[:, column + 1]
            step_by_point[f"{point:g}"] = metrics.empirical_monotonicity_flags(
                choice, next_choice, right, next_right
            )
    # The first sequence of each pair; by point, whether the second one mirrors its choice.
    firsts, mirrored = _mirrored_flags(sequences, ranks, convention)
    mirrored_by_point = dict(zip(map("{:g}".format, points), mirrored, strict=True))
    return {
        "monotonicity_consistency": _unit_rows(sequences, monotone, factors),
        "choice_sensitivity": _unit_rows(sequences, sensitive, factors),
        "empirical_consistency": _unit_rows(sequences, right_by_point, factors),
        "empirical_monotonicity_consistency": _unit_rows(sequences, step_by_point, factors),
        "pairwise_consistency": _unit_rows(sequences.iloc[firsts], mirrored_by_point, factors),
    }


def _mirrored_flags(
    index: pd.DataFrame, ranks: FloatArray, convention: str | None
) -> tuple[IntArray, list[FloatArray]]:
    """Return the positions of the sequences that come first in a pair, and flags by point.

    A sequence has prompts on one interval, such as "below", at several points: shares of the
    numbers. A flag says whether the second sequence mirrors the first one's choice: whether the
    complementary prompt, such as "above" for "below", has the choice of the opposite rank. It is
    NaN if a rank or the second sequence is missing. By the convention `authors` least likely of
    three (rank 2) beside likeliest (0) is no mirror, as the study's figures imply.

    `index` has a row for each sequence, and the interval in its last column; `ranks` has the shape
    (sequences, points).
    """
    # `COMPLEMENTS` has the second interval of each pair by the first.
    firsts = np.flatnonzero(index["interval"].isin(COMPLEMENTS))
    keys = list(index.itertuples(index=False, name=None))
    position = {key: i for i, key in enumerate(keys)}
    # The row of each second sequence; -1, the row of NaN that is appended below, if it is missing.
    seconds = []
    for *condition, interval in (keys[first] for first in firsts):
        seconds.append(position.get((*condition, COMPLEMENTS[interval]), -1))
    second_ranks = np.vstack([ranks, np.full((1, ranks.shape[1]), np.nan)])[seconds]
    n_choices, mirrored_points = index["choice_set"].to_numpy(float)[firsts], []
    for first, second in zip(ranks[firsts].T, second_ranks.T, strict=True):  # point by point
        mirrored = metrics.pairwise_consistency_flags(first, second, n_choices)
        if convention == "authors":
            mirrored[(n_choices == 3) & (first == 2) & (second == 0)] = 0
        mirrored_points.append(mirrored)
    return firsts, mirrored_points


def _unit_rows(
    index: pd.DataFrame, values: Mapping[str, FloatArray], factors: Sequence[str]
) -> pd.DataFrame:
    """Return a row for each unit with its `pair`, `key` and `value`, the mean over epochs.

    An epoch whose value is NaN is left out; the mean is NaN if all are. `index` has a row for each
    sequence of prompts, which ask for the probability of an interval at several points: its
    factors, epoch and interval. `values` has a value for each of these rows, by the point's name
    (`0.05`), or one by the name "" for whole sequences. The key of a unit is its interval and this
    name, as `above_low@0.05` or `above_low@`; a pair is an interval and its complement.
    """
    parts = [
        index.assign(key=index["interval"] + "@" + name, value=value)
        for name, value in values.items()
    ]
    epochs = pd.concat(parts, ignore_index=True)  # a row for each unit and epoch
    epochs["pair"] = ["/".join(PAIRS[interval]) for interval in epochs["interval"]]
    return epochs.groupby([*factors, "pair", "key"], sort=True)["value"].mean().reset_index()


def expected_by_chance(
    metric: str, choice_set: int, rows: pd.DataFrame, convention: str | None
) -> float:
    """Return a score's exact expectation if all n choices were equally likely.

    It is NaN for `empirical_monotonicity_consistency` if no prompts are at neighbouring points.

    Args:
        metric: Name of the score.
        choice_set: Number n of words to choose from.
        rows: Ranked choices of this set; how often their right rank stays the same from one point
            to the next determines the expectation of `empirical_monotonicity_consistency`.
        convention: `authors`, or None for the definitions of the text.
    """
    n, points = choice_set, len(POINTS["narrow"])  # all sequences of prompts have these points
    if metric == "pairwise_consistency" and convention == "authors" and n == 3:
        return 2 / 9  # of 3 * 3 pairs 3 are mirrored; the authors don't count ranks (2, 0)
    if metric in ("pairwise_consistency", "empirical_consistency"):
        return 1 / n
    if metric == "choice_sensitivity":  # not the same choice at all points
        return float(1 - 1 / n ** (points - 1))
    if metric == "monotonicity_consistency":  # sequences that never fall, among all
        return float(comb(n + points - 1, points) / n**points)
    # The score left: whether choices move, from a point to the next, as the right ranks do.
    right = rows.pivot_table(
        index=["scenario", "numbers", "interval"], columns="point", values="right", aggfunc="first"
    )
    steps = np.diff(right.to_numpy(float), axis=1)
    known_steps = steps[~np.isnan(steps)]
    # Equal right ranks need equal choices (1/n); others need a choice above the other.
    share_of_ties = float((known_steps == 0).mean()) if len(known_steps) else np.nan
    return share_of_ties / n + (1 - share_of_ties) * (n - 1) / (2 * n)


Slice = Mapping[str, Any]
"""Values of factors that select prompts; empty for all prompts."""

RANDOM_RUNS = 10
"""Number of random runs, as in the study's baseline."""

CONTRASTS = (("choice_set", 5, 3), ("numbers", "narrow", "wide"), ("cot", False, True))
"""Contrasted levels: five choices less three, narrow less wide, without less with reasoning."""

CONTRAST_METRICS = "difference", "t_statistic", "degrees_of_freedom", "p_value", "cohens_d"
"""Metrics of a contrast."""

_ZERO_VARIANCE = 1e-18  # variances below this one are 0 but for rounding


def numbers_to_words(frame: pd.DataFrame, resampling: Resampling) -> list[Result]:
    """Return the results of words chosen for numbers, of each model, variant and data set.

    They are the consistency scores, those of random choices, and the differences of the scores
    between two levels of a factor, such as with and without reasoning. Judgments whose prompt is
    not known are only counted.
    """
    results: list[Result] = []
    for key, condition, choices in estimate.condition_groups(
        frame, ("model", "variant", "dataset")
    ):
        has_prompt = choices["interval"] != ""
        unknown = choices[~has_prompt]
        if len(unknown):  # such as samples that were never written
            note = join_notes(describe_left_out(unknown["status"]), "their prompts are not known")
            count = estimate.judgment_count(condition.but(prompt="unknown"), len(unknown), note)
            resampled = estimate.resample([count], unknown["item"].nunique(), resampling)
            results += estimate.results_of(resampled, key)
        rows = rank_choices(choices[has_prompt], resampling.convention)
        if rows.empty:
            continue
        scored = score_units(rows, resampling.convention)
        requested = {metric: unit for metric, unit in scored.items() if resampling.requests(metric)}
        if requested:
            results += estimate.results_of(
                _score_estimates(requested, rows, condition, resampling), key
            )
            results += _chance_results(requested.keys(), rows, key, condition, resampling)
        if resampling.requests_any(CONTRAST_METRICS):
            results += _contrast_results(scored, rows, key, condition)
    return results


def _slices(rows: pd.DataFrame) -> Iterator[Slice]:
    """Yield the slices to report, each as the factor values that select its judgments.

    They are those without (`{"cot": False}`) and with reasoning, if there are any, and both
    together (`{}`) if there are both. Each of these is followed by its parts by scenario, number of
    choices, and set of numbers, such as `{"cot": True, "scenario": "height"}`.
    """
    modes = [{"cot": mode} for mode in sorted(rows["cot"].unique())]
    for mode in [*modes, *([{}] if len(modes) > 1 else [])]:
        yield mode
        for factor in ("scenario", "choice_set", "numbers"):
            for value in sorted(rows[factor].unique()):
                yield {**mode, factor: value}


def _slice_condition(part: Slice) -> dict[str, object]:
    """Return the slice as parts of a condition."""
    return {name: MODES[value] if name == "cot" else value for name, value in part.items()}


def _is_in_slice(frame: pd.DataFrame, part: Slice) -> NDArray[np.bool_]:
    """Return which rows have the slice's values of factors; an empty slice has all rows."""
    inside = np.ones(len(frame), bool)
    for factor, value in part.items():
        inside &= (frame[factor] == value).to_numpy()
    return inside


def unit_clusters(frame: pd.DataFrame, excluded: str = "") -> list[str]:
    """Return the cluster of each unit, such as `height|5|narrow|below_low/above_low`.

    It is scenario, number of choices, set of numbers and pair of intervals. `excluded` names a
    factor to leave out: that of contrasts, where each row pairs units at two of its levels.
    """
    names = [name for name in ("scenario", "choice_set", "numbers") if name != excluded]
    columns = [frame[name].astype(str) for name in [*names, "pair"]]
    return ["|".join(key) for key in zip(*columns, strict=True)]


def _resampled_means(
    columns: Sequence[tuple[Estimate, pd.DataFrame]], resampling: Resampling
) -> ResampledEstimates:
    """Return the mean of units' values of each estimate, with its resamples.

    A unit is what a score judges, such as a sequence of prompts. Clusters of units are resampled,
    each within its scenario: the few scenarios are the study's choice and no sample. `columns` are
    the estimates, each with a row of `value` and `cluster` for each of its units; a cluster's name
    starts with the scenario, as in `height|...`.
    """
    all_units = pd.concat([units.assign(column=i) for i, (_, units) in enumerate(columns)])
    clusters = pd.Index(sorted(set(all_units["cluster"])))
    # A row for each unit of an estimate, with its value in the estimate's column; NaN, which means
    # leave out, in the others.
    values = np.full((len(all_units), len(columns)), np.nan)
    values[np.arange(len(all_units)), all_units["column"]] = all_units["value"]
    cluster_index = np.asarray(clusters.get_indexer(pd.Index(all_units["cluster"])), np.int64)
    scenarios = np.array([name.split("|", 1)[0] for name in clusters])
    strata = np.unique(scenarios, return_inverse=True)[1].astype(np.int64)
    means = Statistics(
        [described_estimate for described_estimate, _ in columns],
        metrics.means_of(values, cluster_index, len(clusters)),
    )
    return estimate.resample([means], strata, resampling)


@dataclass(frozen=True)
class _ClusteredMean:
    """The mean of units' values, with its variance over clusters within scenarios.

    The variance is the sum over scenarios of m/(m - 1) sum (z - mean z)^2, divided by the squared
    number of units; z is the sum of a cluster's differences from the mean, m the number of clusters
    of the scenario. If a scenario has one cluster only, all scenarios are taken as one.

    Attributes:
        value: Mean over units; NaN without values.
        variance: Variance of the mean; NaN without values.
        units: Number of units with a value.
        clusters: Number of clusters.
        freedom: Degrees of freedom, clusters minus scenarios.
    """

    value: float
    variance: float
    units: int
    clusters: int
    freedom: int

    @classmethod
    def from_units(cls, unit: pd.DataFrame) -> "_ClusteredMean":
        """Compute the mean of units from their `value`, `cluster` and `scenario`, without NaN.

        A cluster is of one scenario. The variance is that of a sample of clusters, drawn in each
        scenario (stratum) apart; 0 for a single cluster. Without values, mean and variance are NaN
        and all counts 0.
        """
        present = unit["value"].notna().to_numpy()
        values = unit["value"].to_numpy(float)[present]
        if not len(values):
            return cls(np.nan, np.nan, 0, 0, 0)
        # The cluster of each unit, and a unit of each cluster, whose scenario is the cluster's.
        _, first, cluster = np.unique(
            unit["cluster"].to_numpy(str)[present], return_index=True, return_inverse=True
        )
        scenario = unit["scenario"].to_numpy(str)[present][first]
        stratum = np.unique(scenario, return_inverse=True)[1]  # of each cluster
        # One cluster alone in its stratum has no variance: then all scenarios are one stratum.
        if (np.bincount(stratum) < 2).any():
            stratum = np.zeros(len(first), np.int64)
        size, value = np.bincount(stratum), float(values.mean())  # size: clusters of a stratum
        excess = np.bincount(cluster, values - value)  # sum of a cluster's differences from `value`
        distance = excess - (np.bincount(stratum, excess) / size)[stratum]
        # Of a sum over m clusters: m / (m - 1) times the sum of squared distances from their mean.
        # A single cluster, whose m - 1 is 0, has the distance 0 from itself.
        spread = np.bincount(stratum, distance**2) * size / np.maximum(size - 1, 1)
        variance = float(spread.sum() / len(values) ** 2)
        clusters = len(first)
        return cls(value, variance, len(values), clusters, freedom=clusters - len(size))

    @property
    def has_interval(self) -> bool:
        """Whether there are enough clusters for an interval."""
        return self.clusters >= LEAST_CLUSTERS

    @property
    def widening(self) -> float:
        """Square of the ratio of Student's t quantile to the normal one, at 95%.

        The variance of a mean is estimated from few clusters, with `freedom` (clusters less
        scenarios) degrees of freedom. Wilson's interval uses the normal quantile; with the variance
        multiplied by this ratio it is as wide as Student's.
        """
        # With 1e9 degrees of freedom, t is normal.
        return float((stdtrit(max(self.freedom, 1), 0.975) / stdtrit(1e9, 0.975)) ** 2)


def _wilson_intervals(means: Sequence[_ClusteredMean]) -> list[tuple[float, float]]:
    """Return Wilson's 95% interval of each mean at its effective number of units.

    That is the number of independent units that would give the mean's variance. As few clusters
    estimate the variance, `widening` gives the interval the width of Student's t. NaN without
    units.
    """
    limits = wilson_limits(
        np.array([mean.value for mean in means]),
        np.array([mean.variance * mean.widening for mean in means]),
        judgments=np.array([mean.units for mean in means], float),
        items=np.array([mean.clusters for mean in means], float),
    )
    return [(float(low), float(high)) for low, high in limits]


def _score_estimates(
    scored: Mapping[str, pd.DataFrame],
    rows: pd.DataFrame,
    condition: Condition,
    resampling: Resampling,
) -> ResampledEstimates:
    """Return every score in every slice, with its clustered Wilson interval.

    A slice is a part of the prompts, such as those of one scenario. `scored` are the units by
    score, as `score_units` returns them; `rows` are the judgments, for the counts in notes.
    Intervals need no resamples. Resamples are drawn only to rank models, if `resampling.observe` is
    set.
    """
    columns, means = [], []
    clustered = {
        metric: units.assign(cluster=unit_clusters(units)) for metric, units in scored.items()
    }
    for part in _slices(rows):
        left_out_note = describe_left_out(rows["status"][_is_in_slice(rows, part)])
        slice_condition = condition.but(**_slice_condition(part))
        for metric, units in clustered.items():
            slice_units = units[_is_in_slice(units, part)]
            mean = _ClusteredMean.from_units(slice_units)
            described = Estimate(
                slice_condition,
                metric,
                mean.units,
                note=_describe_units(metric, mean, len(slice_units), left_out_note),
                n_asked=len(slice_units),
                unit_count=mean.clusters,
            )
            columns.append((described, slice_units))
            means.append(mean)
    # All intervals in one call, which is faster.
    estimates = [
        replace(described, interval=interval)
        for (described, _), interval in zip(columns, _wilson_intervals(means), strict=True)
    ]
    if resampling.observe:
        return replace(_resampled_means(columns, resampling), estimates=estimates)
    return estimate.estimates_without_resamples(
        zip(estimates, (mean.value for mean in means), strict=True)
    )


def _describe_units(metric: str, mean: _ClusteredMean, n_units: int, left_out_note: str) -> str:
    """Describe how many of a score's units are left out, and over which clusters its interval is.

    A unit is a set of prompts, such as a sequence. `left_out_note`, on judgments that are left out,
    stands between the two descriptions.
    """
    incomplete = n_units - mean.units
    left_out = (
        f"{incomplete} of {n_units} sets of prompts left out: a prompt was not asked, or not read"
    )
    lacking = left_out if incomplete else ""
    rule = metrics.METRICS[metric].interval
    over = f"interval over {mean.clusters} {rule.units}" if mean.has_interval else ""
    return join_notes(lacking, left_out_note, over)


def _chance_results(
    score_names: Collection[str],
    rows: pd.DataFrame,
    key: Key,
    condition: Condition,
    resampling: Resampling,
) -> Iterator[Result]:
    """Yield the scores of random choices: the exact expectation, and the mean of random runs.

    They are for all prompts and for each number of choices. Only scores in `score_names` are
    yielded. `rows` are ranked judgments, at least one, whose prompts get random choices. A score
    without units, the parts of a sequence of prompts that it judges (`score_units`), is undefined.
    """
    convention = resampling.convention
    # Replies with and without reasoning (`cot`), and those of several epochs, have the same
    # prompts, of which one set is enough. `drawn` is the number of a random run.
    prompts = rows[rows["cot"] == rows["cot"].iloc[0]].drop_duplicates("item")
    random_scores = score_units(
        _random_choices(prompts, resampling.seed), convention, ["drawn", *FACTORS]
    )
    sets: list[Slice] = [{"choice_set": size} for size in sorted(prompts["choice_set"].unique())]
    for part in ({}, *sets):
        for metric, units in random_scores.items():
            if metric not in score_names:
                continue
            slice_units = units[_is_in_slice(units, part)]
            first_run = slice_units[slice_units["drawn"] == 0]
            n = len(first_run)  # all random runs have the same units
            # A unit has no value without all prompts it needs, such as two at neighbouring points.
            value = _mean_expectation(metric, first_run["choice_set"], prompts, convention)
            undefined_note = "undefined: no prompt stands beside another" if np.isnan(value) else ""
            note = join_notes(undefined_note, "exact expectation of equally likely choices")
            chance_condition = condition.but(baseline="expected", **part)
            yield key.result(chance_condition, metric, value, n=n, note=note)
            run_means = slice_units.groupby("drawn")["value"].mean().to_numpy(float)
            mean, interval = _mean_share_with_t_interval(run_means)
            note = f"mean of {RANDOM_RUNS} random runs"
            if np.isnan(mean):
                note = "undefined: no unit has all its choices"
            elif np.isnan(interval[0]):
                note = join_notes(note, "no interval: all runs have the same value")
            else:
                note += " with its t interval"
            chance_condition = chance_condition.but(baseline="random")
            yield key.result(chance_condition, metric, mean, interval, n=n, note=note)


def _mean_expectation(
    metric: str, sizes: "pd.Series[int]", prompts: pd.DataFrame, convention: str | None
) -> float:
    """Return a score's expectation under random choices, averaged over units; NaN without units.

    `sizes` has each unit's number of choices, 3 or 5. `prompts` are ranked judgments, of which
    those with as many choices count; `convention` is `authors`, or None for the definitions of the
    text.
    """
    expectations = {}
    for size in sizes.unique():
        prompts_of_size = prompts[prompts["choice_set"] == size]
        expectations[size] = expected_by_chance(metric, int(size), prompts_of_size, convention)
    return float(sizes.map(expectations).mean())


def _random_choices(prompts: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Return judgments of prompts with random ranks in each of ten runs, numbered in `drawn`."""
    runs = [prompts.assign(drawn=run) for run in range(RANDOM_RUNS)]
    choices = pd.concat(runs, ignore_index=True)
    uniform = np.random.default_rng(seed).uniform(size=len(choices))
    # Scores compare choices at neighbouring points of one epoch. A prompt may stem from any epoch,
    # as the random choices need it only once: all are put in one epoch.
    return choices.assign(rank=np.floor(uniform * choices["choice_set"]), epoch=1.0)


def _mean_share_with_t_interval(values: FloatArray) -> tuple[float, tuple[float, float]]:
    """Return the mean of shares with its 95% t interval, which is cut off at 0 and 1.

    It is NaN without values, and has no interval if all values are equal.
    """
    mean = float(np.mean(values)) if len(values) else np.nan
    if metrics.are_equal(values):
        return mean, NO_INTERVAL
    half_width = (
        stdtrit(len(values) - 1, 0.975) * float(np.std(values, ddof=1)) / np.sqrt(len(values))
    )
    return mean, (max(mean - half_width, 0.0), min(mean + half_width, 1.0))


def _contrast_results(
    scored: Mapping[str, pd.DataFrame], rows: pd.DataFrame, key: Key, condition: Condition
) -> Iterator[Result]:
    """Yield the contrasts of choice sets, numbers and reasoning (`CONTRASTS`) for each score.

    `scored` are the units of each score, such as sequences of prompts; units of one level of a
    factor are paired with like units of its other level. Contrasts are over all units, and within
    slices, which are parts of the prompts: each scenario for the contrast of reasoning (`cot`),
    otherwise the prompts with and those without reasoning. A contrast is left out if a level was
    not asked, or if in no pair both units have a value.
    """
    modes = sorted(rows["cot"].unique())
    for factor, level, versus_level in CONTRASTS:
        if not {level, versus_level} <= set(rows[factor].unique()):
            continue
        slices: list[Slice] = [{}]  # all pairs
        if factor == "cot":
            slices += [{"scenario": scenario} for scenario in sorted(rows["scenario"].unique())]
        elif len(modes) > 1:
            slices += [{"cot": mode} for mode in modes]
        versus = _slice_condition({factor: versus_level})[factor]
        paired = {}
        for metric, units in scored.items():
            units_of_level = units[units[factor] == level]
            units_of_versus = units[units[factor] == versus_level]
            paired[metric] = _pair_units(units_of_level, units_of_versus, factor)
        for part in slices:
            contrast_condition = condition.but(
                **_slice_condition({**part, factor: level}), versus=versus
            )
            for metric, pairs in paired.items():
                slice_pairs = pairs[_is_in_slice(pairs, part)]
                if slice_pairs["value"].notna().any():
                    yield from _test_results(slice_pairs, key, contrast_condition.but(of=metric))


def _pair_units(units: pd.DataFrame, versus: pd.DataFrame, factor: str) -> pd.DataFrame:
    """Pair the units of two levels of `factor` that are alike in all else; leave out others.

    `units` and `versus` have a row for each unit that a score judges (`score_units`), such as a
    sequence of prompts. Units are alike if the other factors, the `pair` of complementary intervals
    and `key`, the name within these, are equal. The column `value` becomes the difference, `units`
    less `versus`, NaN where either has no value; `cluster` names the cluster of the pair, without
    `factor`, whose two levels it joins.
    """
    keys = [*(name for name in FACTORS if name != factor), "pair", "key"]
    joined = units.merge(versus, on=keys, suffixes=("_own", "_versus"))
    return joined.assign(
        cluster=unit_clusters(joined, excluded=factor),
        value=joined["value_own"] - joined["value_versus"],
    )


def _test_results(pairs: pd.DataFrame, key: Key, condition: Condition) -> Iterator[Result]:
    """Yield the results of a contrast: the mean difference, its tests and its effect size.

    `pairs` are units as `_pair_units` joins them: `value` is the difference, NaN if a side has
    none. Interval and p-value are over clusters; t and Cohen's d are the study's, over units. There
    is no interval with too few clusters, or if all have the same difference.
    """
    paired, n_asked = pairs[pairs["value"].notna()], len(pairs)
    first, second = paired[["value_own", "value_versus"]].to_numpy(float).T
    mean = _ClusteredMean.from_units(paired)
    n, is_constant = mean.units, mean.variance < _ZERO_VARIANCE
    reason = "" if mean.has_interval else "too few clusters"
    if reason or is_constant:
        interval = NO_INTERVAL
        interval_note = f"no interval: {reason or 'all clusters differ alike'}"
    else:
        half_width = stdtrit(max(mean.freedom, 1), 0.975) * np.sqrt(mean.variance)
        interval = mean.value - half_width, mean.value + half_width
        interval_note = "t over clusters within scenarios"
    note = join_notes(f"{n} pairs of units, {mean.clusters} clusters", interval_note)
    yield key.result(condition, "difference", mean.value, interval, n=n, asked=n_asked, note=note)
    p_note = f"undefined: {reason}" if reason else "agrees with the interval, over clusters"
    for metric, (value, metric_note) in {
        "t_statistic": _paired_t(first - second),
        "degrees_of_freedom": (n - 1, ""),
        "p_value": (_p_value(mean), p_note),
        "cohens_d": _cohens_d(first, second),
    }.items():
        yield key.result(condition, metric, value, n=n, asked=n_asked, note=metric_note)


def _paired_t(differences: FloatArray) -> tuple[float, str]:
    """Return the t statistic of differences over units, and its note with the study's p-value.

    It is NaN if all differences are equal, as is a single one.
    """
    n = len(differences)
    if n < 2 or np.ptp(differences) == 0:
        return np.nan, "undefined: all differences are equal"
    t = np.sqrt(n) * differences.mean() / differences.std(ddof=1)
    p = 2 * stdtr(n - 1, -abs(t))  # distribution function of Student's t
    note = f"paired over units, as the study tests: p = {p:.4f}, which takes units for independent"
    return float(t), note


def _cohens_d(first: FloatArray, second: FloatArray) -> tuple[float, str]:
    """Return Cohen's d of values of the same units at two levels of a factor, and its note.

    The SDs are those of each level's values. It is NaN if neither varies or there is one unit.
    """
    mean_sd = (first.std(ddof=1) + second.std(ddof=1)) / 2 if len(first) > 1 else np.nan
    if not mean_sd > 0:
        reason = "neither side varies" if len(first) > 1 else "there is one unit"
        return np.nan, f"undefined: {reason}"
    return float((first - second).mean() / mean_sd), "mean difference over the mean of both SDs"


def _p_value(mean: _ClusteredMean) -> float:
    """Return the two-sided p-value of a mean difference of 0; NaN with too few clusters.

    It is that of Student's t over clusters. If all k clusters have the same difference, t is
    infinite, and p is that of the sign test: 2 / 2^k, or 1 for no difference.
    """
    if not mean.has_interval:
        return np.nan
    if mean.variance < _ZERO_VARIANCE:
        is_zero = abs(mean.value) < 1e-12  # up to rounding errors
        return 1.0 if is_zero else 2.0 ** (1 - mean.clusters)
    return float(2 * stdtr(mean.freedom, -abs(mean.value) / np.sqrt(mean.variance)))
