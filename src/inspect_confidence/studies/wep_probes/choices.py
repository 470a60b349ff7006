"""Numbers to words: the consistency scores by condition, chance beside them, and contrasts."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import comb
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.answers import first_letter
from inspect_confidence.datasets.wep_choices import COMPLEMENTS, POINTS, design
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.metrics import (
    choice_sensitivity,
    empirical_consistency,
    empirical_monotonicity_consistency,
    means_of,
    monotonicity_consistency,
    pairwise_consistency,
)
from inspect_confidence.prompts.wep_probes import CHOICES
from inspect_confidence.results import Result, encode_condition
from inspect_confidence.studies.estimate import Drawn, Family, Number, draw, results_of
from inspect_confidence.studies.intervals import left_out
from inspect_confidence.studies.study import Resampling

RISING = frozenset({"above_low", "between", "below_high"})
"""Intervals whose probability rises as the points move outwards."""

FACTORS = ["scenario", "choice_set", "numbers", "cot"]
PAIRS = {kind: pair for pair in COMPLEMENTS.items() for kind in pair}
LETTERLESS = 8.0
"""The rank that the study's figures imply for a reply that names no letter: below all choices."""

_RIGHT = {one.id: one.right for one in design()}


def ranked(frame: pd.DataFrame, convention: str | None) -> pd.DataFrame:
    """Choices with `rank`, `right` and `pair`; NaN where a choice could not be read.

    Args:
        frame: Judgments.
        convention: `text`: the choice as it was read. `authors`: the first letter of the reply (of
            what follows the last "I choose" in a chain of thought).
    """
    rows = frame.copy()
    rows["choice_set"] = rows["choice_set"].fillna(0).astype(int)
    rows["cot"] = [value is True for value in rows["cot"]]
    names = [
        f"{scenario}-{size}-{numbers}-{point:g}-{interval}"
        for scenario, size, numbers, point, interval in zip(
            *(rows[name] for name in ("scenario", "choice_set", "numbers", "point", "interval")),
            strict=True,
        )
    ]
    if strange := sorted(set(names) - set(_RIGHT)):
        raise InvalidArgument(
            f"There is no prompt {strange[0]} (scenario-choice_set-numbers-point-interval). "
            + nearest(strange[0], _RIGHT)
        )
    rows["right"] = [float(_RIGHT[name]) for name in names]
    if convention == "authors":
        ranks = [
            _authors_rank(reply, CHOICES[size], cot)
            for reply, size, cot in zip(rows["reply"], rows["choice_set"], rows["cot"], strict=True)
        ]
    else:
        ranks = [
            float(CHOICES[size].index(choice)) if choice in CHOICES[size] else np.nan
            for choice, size in zip(rows["choice"], rows["choice_set"], strict=True)
        ]
    rows["rank"] = ranks
    rows["pair"] = ["/".join(PAIRS[interval]) for interval in rows["interval"]]
    return rows


def _authors_rank(reply: str, choices: tuple[str, ...], cot: bool) -> float:
    if not reply:
        return np.nan
    letter = first_letter(reply, choices, chain_of_thought=cot)
    return LETTERLESS if letter is None else float(letter)


def units(rows: pd.DataFrame, convention: str | None) -> Mapping[str, pd.DataFrame]:
    """Every score's units with their `value`, factors, `pair` and `key`.

    A unit asked in several epochs has the mean of its values. `key` names a unit within its
    factors, so that units of two conditions can be paired.

    Args:
        rows: Ranked choices.
        convention: With `authors`, the three-choice pair (least likely, likeliest) isn't mirrored:
            the study's figures imply that it was not counted.
    """
    keys = [*FACTORS, "run", "epoch", "repeat", "interval"]
    points = sorted(POINTS["narrow"])
    # A file may hold a prompt several times without saying in which epoch.
    repeat = rows.groupby([*FACTORS, "run", "epoch", "interval", "point"]).cumcount()
    table = rows.assign(repeat=repeat).set_index([*keys, "point"])
    wide = {
        name: table[name].unstack("point").reindex(columns=points) for name in ("rank", "right")
    }
    index = wide["rank"].index.to_frame(index=False)
    ranks, right = (one.to_numpy(float) for one in wide.values())
    kinds = index["interval"].to_numpy(str)
    rises = np.isin(kinds, list(RISING))
    found = {
        "monotonicity_consistency": _long(index, {"": monotonicity_consistency.each(ranks, rises)}),
        "choice_sensitivity": _long(index, {"": choice_sensitivity.each(ranks)}),
        "empirical_consistency": _long(
            index,
            {
                f"{p:g}": empirical_consistency.each(ranks[:, i], right[:, i])
                for i, p in enumerate(points)
            },
        ),
        "empirical_monotonicity_consistency": _long(
            index,
            {
                f"{p:g}": empirical_monotonicity_consistency.each(
                    ranks[:, i], ranks[:, i + 1], right[:, i], right[:, i + 1]
                )
                for i, p in enumerate(points[:-1])
            },
        ),
        "pairwise_consistency": _pairs(index, ranks, convention),
    }
    return {name: _averaged(one) for name, one in found.items()}


def _pairs(index: pd.DataFrame, ranks: np.ndarray, convention: str | None) -> pd.DataFrame:
    firsts = np.flatnonzero(index["interval"].isin(COMPLEMENTS))
    place = {tuple(row): i for i, row in enumerate(index.itertuples(index=False, name=None))}
    seconds = [
        place.get((*key[:-1], COMPLEMENTS[key[-1]]), -1)
        for key in index.iloc[firsts].itertuples(index=False, name=None)
    ]
    missing = np.full((1, ranks.shape[1]), np.nan)
    others = np.vstack([ranks, missing])[seconds]
    size = index["choice_set"].to_numpy(float)[firsts]
    points = sorted(POINTS["narrow"])
    values = {}
    for i, point in enumerate(points):
        first, second = ranks[firsts, i], others[:, i]
        mirrored = pairwise_consistency.each(first, second, size)
        if convention == "authors":
            mirrored[(size == 3) & (first == 2) & (second == 0)] = 0
        values[f"{point:g}"] = mirrored
    return _long(index.iloc[firsts].reset_index(drop=True), values)


def _long(index: pd.DataFrame, values: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """A row a unit."""
    parts = [
        index.assign(key=index["interval"] + "@" + name, value=value)
        for name, value in values.items()
    ]
    together = pd.concat(parts, ignore_index=True)
    together["pair"] = ["/".join(PAIRS[interval]) for interval in together["interval"]]
    return together


def _averaged(unit: pd.DataFrame) -> pd.DataFrame:
    means = unit.groupby([*FACTORS, "pair", "key"], sort=True)["value"].mean()
    return means.reset_index()


def expected_by_chance(
    metric: str, choice_set: int, rows: pd.DataFrame, convention: str | None
) -> float:
    """A score's exact expectation if every choice were drawn at random, all equally likely.

    Args:
        metric: Which score.
        choice_set: How many choices there are, n.
        rows: Ranked choices of that set; the right ones decide how often a step should stay.
        convention: As in `units`.
    """
    n, points = choice_set, len(POINTS["narrow"])
    if metric == "pairwise_consistency" and convention == "authors" and n == 3:
        return 2 / 9
    if metric in ("pairwise_consistency", "empirical_consistency"):
        return 1 / n
    if metric == "choice_sensitivity":
        return float(1 - 1 / n ** (points - 1))
    if metric == "monotonicity_consistency":
        return float(comb(n + points - 1, points) / n**points)
    steps = _right_steps(rows)
    stays = float(np.mean(steps[~np.isnan(steps)] == 0))
    return stays / n + (1 - stays) * (n - 1) / (2 * n)


def _right_steps(rows: pd.DataFrame) -> np.ndarray:
    table = rows.pivot_table(
        index=["scenario", "numbers", "interval"], columns="point", values="right", aggfunc="first"
    )
    return np.sign(np.diff(table.to_numpy(float), axis=1))


FloatArray = NDArray[np.float64]
Slice = Mapping[str, Any]

TASK = "wep_choice"
RANDOM_RUNS = 10
"""As many as the study's baseline has."""

CONTRASTS = (
    ("choice_set", 5, 3),
    ("numbers", "narrow", "wide"),
    ("cot", False, True),
)
"""What is contrasted: five choices less three, narrow less wide, without less with reasoning."""

_NAN = float("nan")
_WRITTEN: Mapping[object, str] = {True: "with", False: "without"}


def numbers_to_words(frame: pd.DataFrame, resampling: Resampling) -> list[Result]:
    """All results of the choices."""
    results: list[Result] = []
    for key, judged in frame.groupby(["model", "variant", "dataset"], sort=False):
        model, variant, dataset = map(str, key)
        run = Result(TASK, model, dataset, "", "", _NAN, _NAN, _NAN, 0, "")
        rows = ranked(judged, resampling.convention)
        scored = units(rows, resampling.convention)
        results += results_of(_scores(scored, rows, {"variant": variant}, resampling), run)
        results += _chance(rows, {"variant": variant}, run, resampling)
        results += _contrasts(scored, rows, {"variant": variant}, run, resampling)
    return results


def _slices(rows: pd.DataFrame) -> Iterator[Slice]:
    """With and without reasoning, and each of these by one factor more; then both together."""
    modes = [{"cot": mode} for mode in sorted(rows["cot"].unique())]
    for mode in [*modes, *([{}] if len(modes) > 1 else [])]:
        yield mode
        for factor in ("scenario", "choice_set", "numbers"):
            for value in rows[factor].unique():
                yield {**mode, factor: value}


def _written(part: Slice) -> dict[str, object]:
    return {name: _WRITTEN[value] if name == "cot" else value for name, value in part.items()}


def _chosen(frame: pd.DataFrame, part: Slice) -> NDArray[np.bool_]:
    inside = np.ones(len(frame), bool)
    for factor, value in part.items():
        inside &= (frame[factor] == value).to_numpy()
    return inside


def clusters_of(frame: pd.DataFrame, without: str = "") -> list[str]:
    """Complementary sequences of one scenario, set of choices and set of numbers, together."""
    names = [name for name in ("scenario", "choice_set", "numbers") if name != without]
    return ["|".join(map(str, key)) for key in frame[[*names, "pair"]].itertuples(index=False)]


def _family(
    columns: list[tuple[Number, pd.DataFrame]], clusters: pd.Index
) -> tuple[Family, NDArray[np.int64]]:
    """Means of units' values as one family, over clusters within scenarios."""
    parts = []
    for i, (_, unit) in enumerate(columns):
        values = np.full((len(unit), len(columns)), np.nan)
        values[:, i] = unit["value"]
        parts.append(values)
    of = np.concatenate([clusters.get_indexer(pd.Index(unit["cluster"])) for _, unit in columns])
    statistic = means_of(np.vstack(parts), of.astype(np.int64), len(clusters))
    scenarios = np.array([name.split("|", 1)[0] for name in clusters])
    strata = np.unique(scenarios, return_inverse=True)[1].astype(np.int64)
    return Family([number for number, _ in columns], statistic), strata


def _scores(
    scored: Mapping[str, pd.DataFrame],
    rows: pd.DataFrame,
    condition: Mapping[str, object],
    resampling: Resampling,
) -> Drawn:
    columns = []
    for part in _slices(rows):
        left = left_out(rows["status"][_chosen(rows, part)])
        for metric, unit in scored.items():
            mine = unit[_chosen(unit, part)]
            read = int(mine["value"].notna().sum())
            lost = len(mine) - read
            note = f"{lost} of {len(mine)} units without all their choices left out" if lost else ""
            notes = "; ".join(filter(None, (note, left)))
            number = Number({**condition, **_written(part)}, metric, read, notes)
            columns.append((number, mine.assign(cluster=clusters_of(mine))))
    clusters = pd.Index(sorted({name for _, unit in columns for name in unit["cluster"]}))
    family, strata = _family(columns, clusters)
    return draw([family], strata, resampling)


def _chance(
    rows: pd.DataFrame, condition: Mapping[str, object], run: Result, resampling: Resampling
) -> Iterator[Result]:
    """Every score of random choices: its exact expectation, and ten random runs."""
    # Imported here because scipy.stats takes half a second, which every command would pay.
    from scipy.stats import t as student  # noqa: PLC0415

    asked = rows[rows["cot"] == rows["cot"].iloc[0]].drop_duplicates("item")
    rng = np.random.default_rng(resampling.seed)
    runs = []
    for _ in range(RANDOM_RUNS):
        sizes = asked["choice_set"].to_numpy()
        drawn = asked.assign(rank=np.floor(rng.uniform(size=len(asked)) * sizes), epoch=1.0)
        runs.append(units(drawn, resampling.convention))
    parts: list[Slice] = [{}, *({"choice_set": size} for size in asked["choice_set"].unique())]
    for part in parts:
        for metric, unit in runs[0].items():
            mine = unit[_chosen(unit, part)]
            of_size = {
                size: expected_by_chance(
                    metric, int(size), asked[asked["choice_set"] == size], resampling.convention
                )
                for size in mine["choice_set"].unique()
            }
            expected = float(mine["choice_set"].map(of_size).mean())
            where = {**condition, **part}
            yield replace(
                run,
                condition=encode_condition({**where, "baseline": "expected"}),
                metric=metric,
                value=expected,
                n=len(mine),
                note="exact expectation of equally likely choices",
            )
            values = [one[metric]["value"][_chosen(one[metric], part)].mean() for one in runs]
            mean, spread = float(np.mean(values)), float(np.std(values, ddof=1))
            reach = student.ppf(0.975, len(values) - 1) * spread / np.sqrt(len(values))
            yield replace(
                run,
                condition=encode_condition({**where, "baseline": "random"}),
                metric=metric,
                value=mean,
                ci_low=mean - reach,
                ci_high=mean + reach,
                n=len(mine),
                note=f"mean of {RANDOM_RUNS} random runs with its t interval",
            )


def _contrasts(
    scored: Mapping[str, pd.DataFrame],
    rows: pd.DataFrame,
    condition: Mapping[str, object],
    run: Result,
    resampling: Resampling,
) -> Iterator[Result]:
    modes = sorted(rows["cot"].unique())
    for factor, one, other in CONTRASTS:
        if not {one, other} <= set(rows[factor].unique()):
            continue
        within: list[Slice] = [{}]
        if factor == "cot":
            within += [{"scenario": scenario} for scenario in rows["scenario"].unique()]
        elif len(modes) > 1:
            within += [{"cot": mode} for mode in modes]
        names = [_WRITTEN.get(value, value) if factor == "cot" else value for value in (one, other)]
        for part in within:
            where = {**condition, **_written(part), factor: names[0], "versus": names[1]}
            for metric, unit in scored.items():
                mine = unit[_chosen(unit, part)]
                sides = [mine[mine[factor] == value] for value in (one, other)]
                paired = _paired(sides, factor)
                if len(paired):
                    yield from _tested(paired, {**where, "of": metric}, run, resampling)


def _paired(sides: list[pd.DataFrame], factor: str) -> pd.DataFrame:
    """Units of two conditions that agree in everything else, where both have a value."""
    by = [*(name for name in FACTORS if name != factor), "pair", "key"]
    first, second = (side.dropna(subset="value") for side in sides)
    together = first.merge(second, on=by, suffixes=("", "_versus"))
    return together.assign(
        cluster=clusters_of(together, without=factor), value_own=together["value"]
    )


def _tested(
    paired: pd.DataFrame,
    condition: Mapping[str, object],
    run: Result,
    resampling: Resampling,
) -> Iterator[Result]:
    # Imported here because scipy.stats takes half a second, which every command would pay.
    from scipy.stats import ttest_rel  # noqa: PLC0415

    first, second = (paired[name].to_numpy(float) for name in ("value_own", "value_versus"))
    n = len(paired)
    difference = paired.assign(value=first - second)
    clusters = pd.Index(sorted(set(paired["cluster"])))
    number = Number(condition, "difference", n, f"{n} pairs of units, {len(clusters)} clusters")
    family, strata = _family([(number, difference)], clusters)
    yield from results_of(draw([family], strata, resampling), run)
    spreads = [values.std(ddof=1) if n > 1 else _NAN for values in (first, second)]
    varies = n > 1 and np.ptp(first - second) > 0
    statistic, p = _NAN, _NAN
    if varies:
        test = ttest_rel(first, second)
        statistic, p = float(test.statistic), float(test.pvalue)
    typical = float(np.mean(spreads))
    d = float((first - second).mean()) / typical if typical > 0 else _NAN
    where = encode_condition(condition)
    same = "undefined: all differences are equal"
    flat = "undefined: neither side varies"
    for metric, value, note in (
        ("t_statistic", statistic, "paired over units, as the study tests" if varies else same),
        ("degrees_of_freedom", float(n - 1), ""),
        ("p_value", p, "of t; takes units for independent" if varies else same),
        ("cohens_d", d, "mean difference over the mean of both SDs" if typical > 0 else flat),
    ):
        yield replace(run, condition=where, metric=metric, value=value, n=n, note=note)
