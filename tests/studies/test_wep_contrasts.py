"""Numbers to words on frames made by hand: scores, contrasts, clusters, epochs and chance."""

from __future__ import annotations

import functools
from collections.abc import Callable
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from build import column_of, copies_with, map_values, records_by, texts_starting
from inspect_confidence import InvalidArgument, compare
from inspect_confidence.datasets.wep_choices import ChoicePrompt, design
from inspect_confidence.prompts.wep_probes import CHOICES
from inspect_confidence.studies.wep_probes.shown import _contrast_label
from studies.frames import NAN, Rows, frames_are_equal, keyed
from studies.frames import study_results as summarize

PC, MC, EC, EMC = (
    "pairwise_consistency",
    "monotonicity_consistency",
    "empirical_consistency",
    "empirical_monotonicity_consistency",
)
CS = "choice_sensitivity"
PAIRED = (("below_low", "above_low"), ("between", "outside"), ("below_high", "above_high"))
LEVELS = (0.05, 0.275, 0.5, 0.725, 0.95)

Choose = Callable[[ChoicePrompt, bool], int | str]


def choice_rows(choose: Choose, cot: tuple[bool, ...] = (False, True)) -> list[dict[str, Any]]:
    """Judgments of all prompts; a choice that is a text is the status of an unreadable reply."""
    rows = []
    for prompt in design():
        for mode in cot:
            place = choose(prompt, mode)
            rows.append(
                {
                    "task": "wep_choice",
                    "model": "m",
                    "item": prompt.id,
                    "scenario": prompt.scenario,
                    "choice_set": prompt.choice_set,
                    "numbers": prompt.numbers,
                    "point": prompt.point,
                    "interval": prompt.interval,
                    "cot": mode,
                    "choice": CHOICES[prompt.choice_set][place] if isinstance(place, int) else "",
                    "status": place if isinstance(place, str) else "ok",
                }
            )
    return rows


def noisy(seed: int, *, unread: float = 0.0) -> Choose:
    """The right choice or one beside it, now and then an unreadable one."""
    rng = np.random.default_rng(seed)

    def choose(prompt: ChoicePrompt, cot: bool) -> int | str:
        place = prompt.right + int(rng.choice([-1, 0, 0, 0, 1])) * (rng.uniform() < 0.9 - 0.4 * cot)
        spoilt = rng.uniform() < unread
        return "echo" if spoilt else int(np.clip(place, 0, prompt.choice_set - 1))

    return choose


def table(rows: list[dict[str, Any]], resamples: int = 30, **options: Any) -> Rows:
    """Results by decoded condition and metric."""
    return keyed(summarize(pd.DataFrame(rows), resamples=resamples, **options))


def row_at(rows: Rows, metric: str, **condition: str) -> dict[str, Any]:
    """The one row of a condition."""
    return rows[frozenset(condition.items()), metric]


def units(rows: list[dict[str, Any]], metric: str) -> dict[tuple[Any, ...], float]:
    """Values of the units of a score by their factors and what else tells them apart, in loops."""
    places: dict[tuple[Any, ...], int | None] = {}
    for row in rows:
        names = ("scenario", "choice_set", "numbers", "cot", "interval", "point")
        words = CHOICES[row["choice_set"]]
        place = words.index(row["choice"]) if row["choice"] else None
        places[itemgetter(*names)(row)] = place
    factors = ("scenario", "choice_set", "numbers", "interval", "point")
    right = map_values(attrgetter("right"), records_by(design(), *factors))
    values: dict[tuple[Any, ...], float] = {}
    for (scenario, size, numbers, cot, kind, point), place in places.items():
        key = (scenario, size, numbers, cot, kind, point)
        if metric == EC and place is not None:
            values[key] = place == right[scenario, size, numbers, kind, point]
        if metric == EMC and point < 0.95:
            later = LEVELS[LEVELS.index(point) + 1]
            next_place = places[scenario, size, numbers, cot, kind, later]
            if place is not None and next_place is not None:
                want = right[scenario, size, numbers, kind, later]
                want -= right[scenario, size, numbers, kind, point]
                values[key] = np.sign(next_place - place) == np.sign(want)
        if metric == PC and kind in dict(PAIRED):
            paired_place = places[scenario, size, numbers, cot, dict(PAIRED)[kind], point]
            if place is not None and paired_place is not None:
                values[key] = place + paired_place == size - 1
        if metric in (MC, CS) and point == 0.05:
            five = [places[scenario, size, numbers, cot, kind, p] for p in LEVELS]
            places_read = [prompt for prompt in five if prompt is not None]
            if len(places_read) == 5:
                falls = kind in ("above_low", "between", "below_high")
                ordered = sorted(places_read, reverse=falls)
                values[key] = places_read == ordered if metric == MC else len(set(places_read)) > 1
    return values


@functools.cache
def summarized(unread: float) -> tuple[list[dict[str, Any]], Rows]:
    """Noisy answers and their results."""
    rows = choice_rows(noisy(3, unread=unread))
    return rows, table(rows)


@pytest.mark.parametrize("unread", [0.0, 0.1])
def test_scores_and_contrasts_equal_loops_and_scipy(unread: float) -> None:
    """Score, t, df, d and difference of a contrast equal those of units built in loops."""
    rows, results = summarized(unread)
    contrasts: list[tuple[int, Any, Any, dict[str, str]]] = [
        (1, 5, 3, {"choice_set": "5", "versus": "3"}),
        (2, "narrow", "wide", {"numbers": "narrow", "versus": "wide"}),
        (3, False, True, {"cot": "without", "versus": "with"}),
    ]
    for metric in (PC, MC, EC, EMC, CS):
        unit_values = units(rows, metric)
        assert row_at(results, metric)["value"] == pytest.approx(
            np.mean(list(unit_values.values()))
        )
        assert row_at(results, metric)["n"] == len(unit_values)
        for place, first_level, second_level, contrast in contrasts:
            pairs = [
                (value, unit_values[(*key[:place], second_level, *key[place + 1 :])])
                for key, value in unit_values.items()
                if key[place] == first_level
                and (*key[:place], second_level, *key[place + 1 :]) in unit_values
            ]
            first, second = np.array(pairs, float).T
            test = ttest_rel(first, second)
            spread = (first.std(ddof=1) + second.std(ddof=1)) / 2
            for name, value in (
                ("difference", (first - second).mean()),
                ("t_statistic", test.statistic),
                ("degrees_of_freedom", len(pairs) - 1),
                ("cohens_d", (first - second).mean() / spread),
            ):
                row = row_at(results, name, of=metric, **contrast)
                assert row["value"] == pytest.approx(value), (metric, contrast, name)
                assert row["n"] == len(pairs), (metric, contrast)
            note = row_at(results, "t_statistic", of=metric, **contrast)["note"]
            assert f"p = {test.pvalue:.4f}, which takes units for independent" in note
            # One verdict: p and the interval rest on the same clusters.
            row = row_at(results, "difference", of=metric, **contrast)
            p = row_at(results, "p_value", of=metric, **contrast)["value"]
            assert (p < 0.05) == (row["ci_low"] > 0 or row["ci_high"] < 0), (metric, contrast)


def test_contrasts_within_scenarios_and_modes() -> None:
    """Reasoning is contrasted in each scenario, choices and numbers with and without it."""
    rows, results = summarized(0.0)
    unit_values = units(rows, EC)
    first = [v for k, v in unit_values.items() if k[0] == "score" and not k[3]]
    second = [v for k, v in unit_values.items() if k[0] == "score" and k[3]]
    condition = {"of": EC, "cot": "without", "versus": "with", "scenario": "score"}
    gap = float(np.mean(first) - np.mean(second))
    assert row_at(results, "difference", **condition)["value"] == pytest.approx(gap)
    first = [v for k, v in unit_values.items() if k[1] == 5 and k[3]]
    second = [v for k, v in unit_values.items() if k[1] == 3 and k[3]]
    condition = {"of": EC, "cot": "with", "versus": "3", "choice_set": "5"}
    gap = float(np.mean(first) - np.mean(second))
    assert row_at(results, "difference", **condition)["value"] == pytest.approx(gap)


@pytest.mark.parametrize(
    ("levels", "label"),
    [
        (
            {"cot": "without", "scenario": "height", "versus": "with"},
            "height, without reasoning minus with",
        ),
        (
            {"cot": "with", "numbers": "narrow", "versus": "wide"},
            "with reasoning, narrow minus wide",
        ),
        ({"choice_set": "5", "versus": "3"}, "5 choices minus 3"),
    ],
)
def test_the_contrasted_levels_stand_side_by_side(levels: dict[str, str], label: str) -> None:
    """Behind the part of the prompts within which they are contrasted."""
    absent = dict.fromkeys(("cot", "scenario", "choice_set", "numbers"), "")
    assert _contrast_label({**absent, **levels, "of": EC})["contrast"] == label


def test_the_right_and_the_same_word_everywhere() -> None:
    """Right choices score 1 but for mirrors; one word is monotone without sensitivity."""
    # The right choice everywhere scores 1, but for pairs that the ranges and edges don't mirror.
    # Contrasts of what never varies have no t and no d, and say why.
    rows = choice_rows(lambda prompt, _: prompt.right)
    results = table(rows)
    for metric in (MC, EC, EMC):
        row = row_at(results, metric)
        # Wilson's of 36 successes in 36: 36/(36 + 1.96^2).
        assert (row["value"], row["ci_high"]) == (1, 1)
        assert row["ci_low"] == pytest.approx(36 / (36 + 1.959964**2))
    unit_values = units(rows, PC)
    assert row_at(results, PC)["value"] == pytest.approx(np.mean(list(unit_values.values())))
    condition = {"of": EC, "choice_set": "5", "versus": "3"}
    for name in ("t_statistic", "cohens_d"):
        row = row_at(results, name, **condition)
        assert np.isnan(row["value"])
        assert row["note"].startswith("undefined: ")
    assert row_at(results, "p_value", **condition)["value"] == 1
    assert (
        "no interval: all clusters differ alike"
        in row_at(results, "difference", **condition)["note"]
    )
    # It is monotone without sensitivity; `maybe` mirrors itself in all pairs.
    results = table(choice_rows(lambda prompt, _: prompt.choice_set // 2, cot=(False,)))
    scores = [row_at(results, metric, cot="without")["value"] for metric in (PC, MC, CS)]
    assert scores == [1, 1, 0]


def test_duplicates_change_nothing() -> None:
    """Every judgment again, in the same or a second epoch, leaves values, intervals and n."""
    rows, once = summarized(0.1)
    for epoch in (1, 2):
        twice = table(rows + copies_with(rows, epoch=epoch))
        assert once.keys() == twice.keys()
        for key, row in once.items():
            for name in ("value", "ci_low", "ci_high", "n"):
                assert twice[key][name] == pytest.approx(row[name], nan_ok=True), (key, name)


def test_unreadable_and_unknown_prompts() -> None:
    """An echo takes a prompt, a pair, a sequence and two steps along; others are refused."""
    echoed_id = "height-3-narrow-0.275-above_low"
    rows = choice_rows(
        lambda prompt, _: "echo" if prompt.id == echoed_id else prompt.right, cot=(False,)
    )
    results = table(rows)
    for metric, units_left in ((EC, 359), (PC, 179), (MC, 71), (CS, 71), (EMC, 286)):
        row = row_at(results, metric, cot="without")
        assert row["n"] == units_left, metric
        assert "1 of 360 judgments left out: 1 echo" in row["note"]
    rows = choice_rows(lambda prompt, _: prompt.right, cot=(False,))[:1]
    wrongs: list[dict[str, Any]] = [{"choice_set": 4}, {"point": 0.3}, {"interval": "inside"}]
    for wrong in wrongs:
        with pytest.raises(InvalidArgument):
            table([*rows, {**rows[0], **wrong}])


def test_compare_leaves_out_judgments_without_a_prompt() -> None:
    """A sample that could not be read changes no difference; without any other there is none."""
    rows = choice_rows(noisy(1), cot=(False,)) + copies_with(
        choice_rows(noisy(2), cot=(False,)), model="b"
    )
    no_prompt = {"scenario": "", "numbers": "", "interval": "", "choice_set": NAN, "point": NAN}
    unreadable = {**rows[0], **no_prompt, "choice": "", "status": "scoring_failed"}
    expected = compare(pd.DataFrame(rows), resamples=30)
    assert expected["difference"].notna().all()
    assert frames_are_equal(compare(pd.DataFrame([*rows, unreadable]), resamples=30), expected)
    with pytest.raises(InvalidArgument, match="There is nothing to compare"):
        compare(pd.DataFrame([unreadable, *rows[360:]]), resamples=30)


def test_intervals_rest_on_36_clusters() -> None:
    """Where all of a cluster's units agree, the interval is that of 36 values within scenarios."""
    rng = np.random.default_rng(8)
    names: dict[tuple[str, ...], bool] = {}

    def choose(prompt: ChoicePrompt, _: bool) -> int:
        pair = next(kinds for kinds in PAIRED if prompt.interval in kinds)
        key = (prompt.scenario, str(prompt.choice_set), prompt.numbers, "/".join(pair))
        hit = names.setdefault(key, bool(rng.integers(2)))
        return prompt.right if hit else (prompt.right + 1) % prompt.choice_set

    results = table(choice_rows(choose, cot=(False,)), resamples=4_000)
    assert len(names) == 36
    row = row_at(results, EC, cot="without")
    hits = pd.Series(map_values(float, names))
    assert row["value"] == pytest.approx(hits.mean())
    variances = hits.groupby(level=0).agg(
        lambda scenario_hits: scenario_hits.var(ddof=0) / len(scenario_hits)
    )
    error = np.sqrt(variances.mean() / 3)
    assert row["ci_high"] - row["ci_low"] == pytest.approx(2 * 1.96 * error, rel=0.1)
    condition = {"of": EC, "choice_set": "5", "versus": "3"}
    assert "180 pairs of units, 18 clusters" in row_at(results, "difference", **condition)["note"]


@pytest.mark.slow
@settings(max_examples=4, deadline=None, derandomize=True)
@given(st.integers(0, 2**32), st.sampled_from([0.0, 0.3, 0.9]))
def test_intervals_hold_their_values(seed: int, unread: float) -> None:
    """Whatever two epochs say; one verdict, and p wherever there are clusters enough."""
    rows = choice_rows(noisy(seed, unread=unread))
    results = table(rows + copies_with(choice_rows(noisy(seed + 1, unread=unread)), epoch=2))
    for (condition, metric), row in results.items():
        if not np.isnan(row["ci_low"]):
            assert row["ci_low"] <= row["value"] <= row["ci_high"], (condition, metric)
        if metric == "difference":
            p = results[condition, "p_value"]["value"]
            assert np.isnan(p) == ("too few clusters" in row["note"])
            if not np.isnan(row["ci_low"]):
                assert (p < 0.05) == (row["ci_low"] > 0 or row["ci_high"] < 0), condition


def test_chance_stands_beside_the_scores() -> None:
    """Exact expectations have no interval; ten random runs hold them, near enough."""
    _, results = summarized(0.0)
    for metric, value in ((PC, 4 / 15), (EC, 4 / 15), (MC, (126 / 3125 + 21 / 243) / 2)):
        row = row_at(results, metric, baseline="expected")
        assert row["value"] == pytest.approx(value)
        assert np.isnan(row["ci_low"])
        random_runs = row_at(results, metric, baseline="random")
        assert random_runs["value"] == pytest.approx(
            value, abs=3 * (random_runs["ci_high"] - random_runs["value"])
        )


def test_random_runs_of_one_value_have_no_interval() -> None:
    """Random words of a sequence hardly ever agree: by this seed they change in every run."""
    rows = choice_rows(noisy(1), cot=(False,))
    key = ("choice_set", "numbers", "interval", "scenario")
    first = itemgetter(*key)(rows[0])
    rows = [row for row in rows if itemgetter(*key)(row) == first]
    random_runs = row_at(table(rows), CS, baseline="random")
    assert random_runs["value"] == 1
    assert np.isnan(random_runs["ci_low"])
    assert random_runs["note"].endswith("no interval: all runs have the same value")


def test_chance_of_a_part_of_the_prompts() -> None:
    """Where steps have no second prompt, chance is that of the steps that are left."""
    rows = choice_rows(noisy(1), cot=(False,))
    rows = [row for row in rows if row["numbers"] == "narrow" or row["point"] == 0.05]
    right = {
        (prompt.choice_set, prompt.interval, prompt.point): prompt.right
        for prompt in design()
        if prompt.numbers == "narrow"
    }
    expected = []
    for (size, kind, level), place in right.items():
        if level < 0.95:
            stays = place == right[size, kind, LEVELS[LEVELS.index(level) + 1]]
            expected.append(1 / size if stays else (size - 1) / (2 * size))
    row = row_at(table(rows), EMC, baseline="expected")
    assert row["value"] == pytest.approx(np.mean(expected))


def test_chance_of_one_prompt_says_what_it_lacks() -> None:
    """One prompt has no step and no whole unit; what is undefined says why, and nothing warns."""
    rows = choice_rows(noisy(1))[:1]
    results = table(rows)
    undefined = [row for row in results.values() if np.isnan(row["value"])]
    notes = column_of(undefined, "note")
    assert texts_starting(notes, "undefined: ") == notes
    expected = row_at(results, EMC, baseline="expected")
    assert np.isnan(expected["value"])
    assert "no prompt stands beside another" in expected["note"]
    random_runs = row_at(results, MC, baseline="random")
    assert np.isnan(random_runs["value"])
    assert "no unit has all its choices" in random_runs["note"]
