"""Every figure fits one column: nothing is cut, and none of its texts meet."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, cycle, product
from math import inf, nan
from typing import Any

import pandas as pd
import pytest

from build import attributes_of, column_of, numbered
from inspect_confidence import plots
from inspect_confidence.metrics import METRICS
from inspect_confidence.scales import ALL
from inspect_confidence.studies import all_studies
from plots.drawing import Plot, Row, around, check_fits, frame, row

LONG = "openrouter/meta-llama/llama-3.3-70b-instruct:free, temperature=0.7, effort=high"
DATED = "openrouter/anthropic/claude-sonnet-4-5-20250929-preview"
WIDE = "W" * 200
HAN = "\u5927\u6982\u53ef\u80fd" * 12


def of_confidence(models: list[str], datasets: list[str], scales: list[str]) -> Iterator[Row]:
    """A few rows of every metric of the scale study, M-ratios infinite on the first scale."""
    worth = {"costs": "right 1, wrong -2, abstain 0"}
    for model, dataset, scale in product(models, datasets, scales):
        low, high = scale.split("-")
        numbers: list[tuple[dict[str, str], str, float]] = [
            ({"bin": "0.4-0.5"}, "bin_accuracy", 0.5),
            ({"bin": "0.4-0.5"}, "bin_confidence", 0.45),
            ({"bin": "0.9-1"}, "bin_accuracy", 0.75),
            ({"bin": "0.9-1"}, "bin_confidence", 0.95),
            ({"report": low}, "report_share", 0.255),
            ({"report": high}, "report_share", 1.0),
            ({"threshold": "0.45"}, "type2_hit_rate", 0.5),
            ({"threshold": "0.45"}, "type2_false_alarm_rate", 0.25),
            ({"threshold": "0.5", "type1": "m_afc"}, "m_ratio", inf if scale == scales[0] else 0.5),
            ({"threshold": "0.75", "type1": "m_afc"}, "m_ratio", 0.9),
            ({}, "ece", 0.123),
            ({"bins": "20"}, "ece", 0.234),
            ({"answered_from": "0.4", **worth}, "expected_utility", -0.1),
            ({"answered_from": "0.9", **worth}, "expected_utility", 0.25),
        ]
        for parts, metric, value in numbers:
            options: dict[str, Any] = {"n": 12345, "model": model, "dataset": dataset}
            condition = {"scale": scale, **parts}
            yield row("scale_variants", condition, metric, value, (0.2, 1.1), **options)


LEVELS = (80.0, 90.0, 95.0, 99.0)
MANY_LEVELS = (5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 97.5, 99, 99.9)
DONE: tuple[dict[str, str], ...] = (
    {},
    {"method": "conformal"},
    {"scaling": "score"},
    {"scaling": "nll"},
    {"decoding": "all_levels"},
    {"decoding": "per_level"},
)


def of_targets(models: list[str], datasets: list[str]) -> Iterator[Row]:
    """Payoff and accuracy of answers above targets."""
    for model, dataset, target in product(models, datasets, ("0", "0.5", "0.75", "0.9")):
        for metric, value in (("payoff", -123.25), ("accuracy_given_attempted", 0.5)):
            parts = {"confidence_target": target, "format": "open"}
            yield row("abstain", parts, metric, value, (0.1, 0.2), model=model, dataset=dataset)


def of_intervals(models: list[str], levels: tuple[float, ...], size: float) -> Iterator[Row]:
    """Three methods with all that is done to their intervals; conformal ones infinite but one."""
    for model, method in product(models, ("direct", "logprob", "traces")):
        for done, (k, level) in product(DONE, enumerate(levels)):
            parts = {"method": method, "split": "test", "level": f"{level:g}", **done}
            adjusted = parts["method"] == "conformal"
            if adjusted and method != "direct":
                parts["base"] = method
            value = inf if adjusted and k else size * (1 + k * k)
            yield row("fermi_eval", parts, "coverage", 0.5, (0.4, 0.6), model=model)
            for name in ("interval_score", "mean_width"):
                yield row("fermi_eval", parts, name, value, model=model)
        plateau = {"method": method, "split": "test"}
        yield row("fermi_eval", plateau, "coverage_plateau", 0.65, (0.5, 0.7), model=model)


def of_lives(models: list[str], datasets: list[str], radii: tuple[int, ...]) -> Iterator[Row]:
    """Rows of every metric that is drawn, of each model, data set and radius."""
    for model, (k, dataset) in product(models, enumerate(datasets)):
        options: dict[str, Any] = {"model": model, "dataset": dataset}
        yield row("life_eval", "", "hard_easy_slope", -0.123, (-0.456, 0.789), **options)
        for radius in radii:
            radius_part = {"radius": radius}
            yield row("life_eval", radius_part, "overconfidence", -0.25 * k, (-0.5, 0.6), **options)
            for name in ("truth_bin_probability", "truth_bin_confidence"):
                yield row(
                    "life_eval", {"bin": "0.4-0.5", **radius_part}, name, 0.45, n=1234567, **options
                )
            for age in (0, 110):
                item = {"difficulty": age / 111, "item": f"a{age}", **radius_part}
                yield row("life_eval", item, "item_overconfidence", age / 200, **options)
                for sex in ("female", "male"):
                    person = {"age": age, "sex": sex, **radius_part}
                    yield row("life_eval", person, "mean_answer", 79.5 + k, **options)
                    yield row("life_eval", person, "mean_best_answer", 100, **options)


def of_sets(models: list[str], datasets: list[str]) -> Iterator[Row]:
    """Rows over data sets, of what was stated and of tokens, and of the questions alone."""
    for model, dataset, source in product(models, datasets, ("stated", "token")):
        options: dict[str, Any] = {"model": model, "dataset": dataset}
        task, source_part = "question_sets", {"source": source}
        for k, name in product((4, 9), ("bin_accuracy", "bin_confidence")):
            yield row(
                task, {"bin": f"0.{k}-0.{k + 1}", **source_part}, name, k / 10, n=1234567, **options
            )
        yield row(
            task, {"source": source.replace("stated", "")}, "ece", 0.25, (0.2, 0.6), **options
        )
    for model, age, radius in product(models, (0, 110), RADII):
        item = {"item": f"a{age}", "probability": age / 111, "radius": radius}
        yield row("life_eval", item, "item_confidence", age / 200, model=model)
    for dataset, sex, age, radius in product(datasets, ("female", "male"), (0, 110), RADII):
        person = {"age": age, "sex": sex, "radius": radius}
        yield row("life_eval", person, "maximum_achievable_score", 0.5, dataset=dataset)


def of_traces(models: list[str], variants: list[str]) -> Iterator[Row]:
    """The Tunnel Index and decoding entropy by variant, and exponents of two data sets."""
    for model, variant in product(models, variants):
        condition = {"method": "traces", "variant": variant}
        for name in ("tunnel_index", "decoding_entropy"):
            yield row("fermi_eval", condition, name, 1.25, (1, 2.5), model=model)
    for dataset, k in product(("own", HAN), range(-50, 51)):
        share: dict[str, Any] = {"model": "no model", "dataset": dataset, "n": 12345}
        yield row("fermi_eval", {"exponent": k}, "exponent_share", 0.0125, **share)


def of_profile(model: str, dataset: str, label: str) -> pd.DataFrame:
    """Numbers of several studies, small, large, infinite and undefined."""
    values = cycle((0.5, -123.456, 1e9, inf, nan))
    rows = [
        row("life_eval", "", name, value, (value - 0.5, value * 1.5), model=model, dataset=dataset)
        for name, value in zip([*METRICS][::9], values, strict=False)
    ]
    studies = cycle((*attributes_of(all_studies(), "name"), label))
    return frame(*rows).assign(label=label, study=column_of(zip(studies, rows, strict=False), 0))


def of_words(words: list[str], models: list[str]) -> Iterator[Row]:
    """What is drawn of words and of numbers, for each model."""
    task = "wep_elicitation"
    quantiles = ("0.05", "0.25", "0.5", "0.75", "0.95")
    for (k, word), (j, q) in product(enumerate(words), enumerate(quantiles)):
        value = (k + 1 + j / 5) / (len(words) + 2)
        for model in ("people surveyed", *models):
            scope = {} if model == "people surveyed" else {"setting": "all", "language": "en"}
            condition = {"word": word, "q": q, **scope}
            yield row(
                task, condition, "probability_quantile", value, around(value, 0.1), model=model
            )
    settings = ("concise", "extended", "female", "male", "all")
    for model, word, setting in product(models, words, settings):
        against = {"language": "en", "setting": setting, "versus": "human", "word": word}
        for metric, value in (
            ("wasserstein", 12.34),
            ("kl_divergence", 12.34),
            ("brunner_munzel_theta", 0.5),
        ):
            yield row(task, against, metric, value, around(value, 0.1), model=model)
        for versus in ("concise", "extended"):
            versus_parts = {**against, "versus": versus}
            yield row(task, versus_parts, "brunner_munzel_theta", 0.9, (0.8, 1), model=model)
            yield row(task, versus_parts, "paired_difference", 20, (19.9, 20.1), model=model)
    scores = ("pairwise", "monotonicity", "empirical", "empirical_monotonicity")
    for model, name, cot, size in product(models, scores, ("with", "without"), ("", 3, 5, 9)):
        reasoning_condition: dict[str, object] = {"cot": cot, "choice_set": size}
        chance: dict[str, object] = {"baseline": "expected", "choice_set": size}
        for choice_condition, value in ((reasoning_condition, 1), (chance, 0.2)):
            interval = around(value, 0.1)
            yield row(
                "wep_choice", choice_condition, f"{name}_consistency", value, interval, model=model
            )
    for model, name, cot in product(models, scores, ("with", "without")):
        for part in ({"numbers": "narrow"}, {"numbers": "wide"}, {"scenario": words[0]}):
            yield row("wep_choice", {"cot": cot, **part}, f"{name}_consistency", 0.5, model=model)


def of_markers(markers: list[str], models: list[str], datasets: list[str]) -> Iterator[Row]:
    """What is drawn of hedge markers, for each model."""
    for model, marker in product(models, markers):
        condition = {"judge": "j", "marker": marker}
        for k in range(10):
            bins = {**condition, "bin": f"{k / 10:g}-{(k + 1) / 10:g}"}
            yield row("hedge_markers", bins, "confidence_share", 0.1, (0, 0.2), model=model)
        for name, split in product(datasets, ("train", "test")):
            options: dict[str, Any] = {"model": model, "dataset": name}
            parts = {**condition, "split": split}
            for metric in ("mic", "decisiveness_gap"):
                yield row("hedge_markers", parts, metric, 0.5, (0.4, 0.6), **options)
            for more in ({"outcome": "correct"}, {"outcome": "incorrect"}, {"faithful": "yes"}):
                yield row("hedge_markers", {**parts, **more}, "mic", len(marker) % 7 / 7, **options)
            for metric in ("accuracy", "cmfg"):
                parts = {"judge": "j", "split": split}
                yield row("hedge_markers", parts, metric, 0.5, **options)


WORDS = ["almost certain", "likely", "about even", "chances are slight", "almost no chance"]
LONG_WORDS = ["beyond any reasonable doubt at all", "with overwhelming likelihood", *WORDS]
LONG_SETS = ["simple_qa_verified", "natural-questions-open", "arc_challenge_2024", "popqa", "sciq"]
TWO = ["openai/gpt-5", DATED]
RADII = (1, 5, 10, 20)
SEVEN = numbered("provider/model-", 7)


def of_answers(models: list[str], datasets: list[str]) -> Iterator[Row]:
    """Accuracy, confidence and AUROC of each model and data set."""
    for (k, model), dataset in product(enumerate(models), datasets):
        options: dict[str, Any] = {"model": model, "dataset": dataset}
        for name, value in (("accuracy", 0.5 + k / 20), ("mean_confidence", 0.9)):
            interval = (value - 0.05, value + 0.05)
            yield row("any_eval", {"method": "recorded"}, name, value, interval, **options)
        for scale in ("0-5", "0-100"):
            yield row("scale_variants", {"scale": scale}, "auroc", 0.7, (0.6, 0.8), **options)


CASES: dict[str, tuple[tuple[str, ...], dict[str, pd.DataFrame]]] = {
    "confidence": (
        ("reliability", "report_histogram", "ece_bins", "type2_roc", "m_ratio", "utility"),
        {
            "one": frame(*of_confidence(["m"], ["own"], ["0-100"])),
            "thirteen": frame(*of_confidence(["m"], ["own"], [*map(str, ALL)])),
            "data sets": frame(
                *of_confidence(["m"], ["mmlu", "gsm8k", "trivia_qa", "x"], ["0-5", "0-100"])
            ),
            "long": frame(*of_confidence([LONG, WIDE], [HAN], ["0-12345", "0-1e6"])),
        },
    ),
    "intervals": (
        ("coverage", "interval_score", "tunnel"),
        {
            "usual": frame(*of_intervals(["m"], LEVELS, 2.5)),
            "levels": frame(*of_intervals(["m"], MANY_LEVELS, 7.5)),
            "long": frame(*of_intervals([LONG, WIDE], LEVELS, 123456789)),
        },
    ),
    "lives": (
        ("overconfidence", "confidence_truth", "best_age", "hard_easy"),
        {
            "one": frame(*of_lives(["m"], ["own"], (5,))),
            "radii": frame(*of_lives(["m"], ["own"], RADII)),
            "long": frame(*of_lives([LONG, WIDE], ["own", HAN], RADII)),
        },
    ),
    "sets": (
        ("calibration", "over_sets", "confidence_scatter", "maximum_score"),
        {
            "one": frame(*of_sets(["m"], ["own"])),
            "six": frame(*of_sets(SEVEN, numbered("set ", 6))),
            "long": frame(*of_sets([LONG, WIDE], ["own", HAN])),
        },
    ),
    "traces": (
        ("exponents", "tunnel_entropy"),
        {
            "one": frame(*of_traces(["m"], [""])),
            "temperatures": frame(*of_traces(["m"], ["temperature=0.5", "temperature=2"])),
            "long": frame(*of_traces([LONG, WIDE], [LONG, "x"])),
        },
    ),
    "answers of models": (
        ("says_and_right", "auroc_by_scale"),
        {
            "seven": frame(*of_answers(SEVEN, ["own"])),
            "long": frame(*of_answers([LONG, WIDE], ["own", HAN])),
        },
    ),
    "intervals of models": (
        ("coverage_of_models",),
        {
            "seven": frame(*of_intervals(SEVEN, LEVELS, 2.5)),
            "long": frame(*of_intervals([LONG, WIDE], MANY_LEVELS, 2.5)),
        },
    ),
    "targets of models": (
        ("decisions_by_target",),
        {
            "seven": frame(*of_targets(SEVEN, ["own"])),
            "long": frame(*of_targets([LONG, WIDE], ["own", HAN])),
        },
    ),
    "markers of models": (
        ("mic_of_models",),
        {
            "seven": frame(*of_markers(WORDS, SEVEN, ["popqa", "sciq"])),
            "long": frame(*of_markers(LONG_WORDS, [LONG, WIDE], LONG_SETS)),
        },
    ),
    "models": (("overconfidence", "hard_easy"), {"seven": frame(*of_lives(SEVEN, ["own"], RADII))}),
    "profile": (
        ("profile",),
        {
            "usual": of_profile("m", "own", "calibration error (share)"),
            "long": of_profile(LONG, LONG, "Agreement of data sets on the order (rank) " * 4),
            "wide": of_profile(LONG, HAN, "W" * 60),
        },
    ),
    "words": (
        (
            *("words", "word_medians", "divergence", "divergence_between", "word_differences"),
            *("consistency", "consistency_slices"),
        ),
        {
            "usual": frame(*of_words(WORDS, TWO[:1])),
            "pair": frame(*of_words(WORDS, ["respondent/boastful", "respondent/candid"])),
            "long": frame(*of_words(LONG_WORDS, TWO)),
            "wide": frame(*of_words([WIDE, HAN], [WIDE, LONG])),
        },
    ),
    "markers": (
        ("mic", "mic_densities", "mic_pairs", "mic_spread", "marker_counts", "decisiveness_gap"),
        {
            "usual": frame(*of_markers(WORDS, TWO[:1], ["popqa", "sciq"])),
            "long": frame(*of_markers(LONG_WORDS, TWO, LONG_SETS)),
            "short rows": frame(*of_markers(["a", "b"], TWO, LONG_SETS)),
            "wide": frame(*of_markers([WIDE, HAN], [WIDE, LONG], [HAN, WIDE])),
        },
    ),
}


def plots_of_groups() -> list[Any]:
    """Each plot with its group; all but the first of a group are slow."""
    parameters = []
    for group, (names, _) in CASES.items():
        parameters.append(pytest.param(names[0], group))
        for name in names[1:]:
            parameters.append(pytest.param(name, group, marks=pytest.mark.slow))
    return parameters


@pytest.mark.parametrize(("name", "group"), plots_of_groups())
def test_figures_fit_a_column_without_cut_or_overlapping_text(name: str, group: str) -> None:
    """As wide as a column, no text cut or over another, whatever names and numbers there are."""
    plot: Plot = getattr(plots, name)
    for case, rows in CASES[group][1].items():
        check_fits(plot(rows), case)


def test_every_exported_plot_has_a_case() -> None:
    """Every exported plot has a case."""
    plotted = chain.from_iterable(column_of(CASES.values(), 0))
    assert set(plotted) == {*plots.__all__} - {"COLOURS", "style"}
