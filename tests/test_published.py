"""The studies' published figures: well-formed, true to their sources, and named as results are."""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from decimal import Decimal
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest

from build import copies_per_value
from inspect_confidence import published, summarize
from inspect_confidence.datasets.hub import PUBLISHED
from inspect_confidence.datasets.wep_survey import surveyed_counts
from inspect_confidence.metrics import METRICS
from inspect_confidence.published import COLUMNS, read_published
from inspect_confidence.results import COLUMNS as RESULT_COLUMNS
from inspect_confidence.results import Condition
from inspect_confidence.studies import all_tables
from inspect_confidence.tasks.hedge_markers import hedge_markers
from inspect_confidence.tasks.life_eval import life_eval
from inspect_confidence.tasks.question_sets import question_sets
from studies.designs import every_judgment
from studies.frames import without_choice
from studies.recorded import recorded_sentences, recorded_statements

NAMED = ["task", "dataset", "condition", "metric"]
KEY = ["model", *NAMED]
FIGURES = read_published()
LISTED = FIGURES["not_produced"] != ""
THETA = "brunner_munzel_theta"


def matching(**parts: str) -> pd.DataFrame:
    """Figures whose columns hold these texts."""
    chosen = [FIGURES[name].str.contains(text) for name, text in parts.items()]
    return FIGURES[np.logical_and.reduce(chosen)]


def names_of(rows: pd.DataFrame) -> set[tuple[str, ...]]:
    """What figures or results are called, but for model and data set."""
    return set(zip(rows["task"], rows["condition"], rows["metric"], strict=True))


def test_figures_are_well_formed() -> None:
    """Columns but `asked`, names and conditions are those of results; each stands once."""
    added = ["source", "definition", "not_produced"]
    assert list(FIGURES) == COLUMNS == [*RESULT_COLUMNS[:-2], *added]
    texts = FIGURES.select_dtypes(exclude=float)
    assert set(texts) == {*KEY, *added}
    assert set(map(type, texts.to_numpy().ravel())) == {str}
    assert set(FIGURES["task"]) <= set(all_tables())
    assert set(FIGURES["metric"][~LISTED]) <= set(METRICS)
    assert not (FIGURES[["dataset", "source"]] == "").any(axis=None)
    assert set(FIGURES["metric"][FIGURES["model"] == ""]) == {"items", "items_after_cleaning"}
    # Two tables may print a figure differently; one that they print alike is one row.
    assert not FIGURES.duplicated([*KEY, "source"]).any()
    assert not FIGURES.duplicated([*KEY, "value"])[FIGURES["task"] != "life_eval"].any()
    for text in FIGURES["condition"]:
        assert str(Condition(Condition.read(text))) == text


def test_numbers_are_possible() -> None:
    """Values and intervals lie in the metric's range, values within rounding of their interval."""
    for row in FIGURES[FIGURES["metric"].isin(METRICS)].itertuples():
        metric = METRICS[str(row.metric)]
        assert metric.low <= float(str(row.value)) <= metric.high, row
    inside = FIGURES.dropna(subset=["ci_low", "ci_high"])
    assert (
        len(inside)
        == FIGURES["ci_low"].count()
        == FIGURES["ci_high"].count()
        == 17 * (16 + 5) + 3 + 9 + 1
    )
    assert inside["ci_low"].between(-1, inside["value"] + 0.005).all()
    assert inside["ci_high"].between(inside["value"] - 0.005, 1).all()
    counts = FIGURES["n"].dropna()
    assert (counts > 0).all()
    assert (counts % 1 == 0).all()


def test_question_sets_as_recorded(shared_data: Path) -> None:
    """Tables 3 and 4 of the LifeEval study are those beside the data, and so are item counts."""
    kept_items = json.loads((shared_data / "question_sets" / "kept_items.json").read_text("utf-8"))
    kept_items["life_eval"] = json.loads(
        (shared_data / "life_eval" / "kept_items.json").read_text()
    )
    models = {"gpt-4o": "GPT-4o", "claude": "Claude-Sonnet-3.7", "Meta": "Llama-3.1-8B"}
    table = pd.read_csv(shared_data / "question_sets" / "published.csv")
    rows: list[Any] = table.to_dict("records")
    assert len(rows) == 18
    for row in rows:
        (model,) = (name for start, name in models.items() if row["model"].startswith(start))
        dataset = row["question_set"].lower().replace("-", "_").replace("lifeeval", "ssa-2022")
        value_by_metric = matching(dataset=dataset, model=model, source="Tables 3 and 4").set_index(
            "metric"
        )
        percent = [row["accuracy_pct"], row["confidence_pct"], row["rounded_pct"], 100 * row["ece"]]
        shares = value_by_metric["value"][["accuracy", "mean_confidence", "round_rate", "ece"]]
        assert (100 * shares).tolist() == pytest.approx(percent, abs=1e-9), row
        start = row["question_set"].lower().replace("-", "")
        (name,) = [name for name in kept_items if name.replace("_", "").startswith(start)]
        items = kept_items[name]
        assert set(value_by_metric["n"]) == {len(items)}


def test_words_as_recorded(shared_data: Path) -> None:
    """GPT-4's concise setting is the published table beside the data."""
    table = pd.read_csv(shared_data / "wep" / "published_human_vs_gpt-4_cnc.csv")
    rows: list[Any] = table.to_dict("records")
    assert len(rows) == 17
    for row in rows:
        word_rows = matching(
            model="^GPT-4$", condition=f"=concise;versus=human;word={row['word']}$"
        )
        values = word_rows.set_index("metric")["value"]
        assert (values[THETA], values["p_value"]) == (row["BM_Theta"], row["BM_P_Value"])
        assert values["median_difference"] == row["Median_Difference"]
        measures = (values["kl_divergence"], values["ks_statistic"])
        assert measures == (row["KL_Divergence"], row["KS_Statistic"])
        bounds = word_rows[word_rows["metric"] == THETA][["ci_low", "ci_high"]].to_numpy().ravel()
        assert bounds.tolist() == list(map(float, re.findall(r"[\d.]+", row["BM_CI"])))


def test_named_as_results(shared_data: Path) -> None:
    """Figures have the condition and metric of results from the same answers."""
    folder = shared_data / "wep"
    words = recorded_statements(folder / "cnc_gpt-4.csv", model="GPT-4")
    standard = recorded_sentences(folder / "choice_gpt-4_standard.txt", model="GPT-4", cot=False)
    reasoned = recorded_sentences(folder / "choice_gpt-4_cot.txt", model="GPT-4", cot=True)
    choices = without_choice(
        summarize(pd.concat([standard, reasoned]), resamples=20, convention="authors")
    )
    figure_rows = matching(model="^GPT-4$", condition="of=.*_consistency|language=en;.*=concise")
    assert len(figure_rows) == 17 * 5 + 1 + 60 + 6
    word_results = summarize(words, resamples=20)
    assert names_of(figure_rows) <= names_of(word_results) | names_of(choices)
    counts = figure_rows[figure_rows["metric"].isin(["degrees_of_freedom", "words_that_differ"])]
    merged = counts.merge(pd.concat([word_results, choices]), on=["condition", "metric"])
    # The study prints t(59) three times, which is a misprint for t(119).
    assert merged["value_x"].replace(59, 119).tolist() == merged["value_y"].tolist()
    assert len(merged) == 7
    constant = {"task": "fermi_eval", "model": "m", "dataset": "scioly", "method": "direct"}
    items = pd.DataFrame({"item": range(400), "split": 200 * ["train", "test"], **constant})
    items = items.assign(truth=items["item"] % 7.0, lower=1.0, upper=5.0)
    interval_requests = items.merge(pd.DataFrame({"level": [90.0, 95.0, 99.0]}), how="cross")
    figure_rows = matching(task="fermi_eval", condition="direct|conformal", not_produced="^$")
    assert len(figure_rows) == 3 + 1 + 18
    assert names_of(figure_rows) <= names_of(summarize(interval_requests, resamples=20))


# What `summarize` gives, of judgments over all that the studies varied


def produced() -> pd.DataFrame:
    """Numbers of made-up judgments, none of them undefined."""
    conditions = FIGURES["condition"].map(Condition.read).map(dict)
    figures = FIGURES.assign(
        marker=conditions.str.get("marker").fillna("<no_hedge>"),
        variant=conditions.str.get("variant").fillna(""),
    )[~LISTED]
    run = {
        str(task): set(task_rows["variant"]) - {""} for task, task_rows in figures.groupby("task")
    }
    frames = list(every_judgment(figures["marker"].unique(), run))
    results = [summarize(frame, resamples=2) for frame in frames]
    marker_frame = next(frame for frame in frames if set(frame["task"]) == {"hedge_markers"})
    rows_of_b = marker_frame[marker_frame["model"] == "b"]
    many = pd.concat(copies_per_value(rows_of_b, "epoch", range(10)))
    thresholds = {"hedge_markers.marker_thresholds": "10,20,50,100"}
    results.append(summarize(many, resamples=2, options=thresholds))
    return pd.concat(results).dropna(subset="value")


@pytest.fixture(scope="module")
def produced_names() -> set[tuple[str, ...]]:
    """Task, data set, condition and metric of each; of judges whichever it is."""
    rows = produced()
    conditions = [str(Condition.read(text).but(judge="")) for text in rows["condition"]]
    return set(rows.assign(condition=conditions)[NAMED].itertuples(index=False, name=None))


@pytest.mark.slow
def test_every_figure_is_produced_or_listed(produced_names: set[tuple[str, ...]]) -> None:
    """`summarize` has a number of each figure's name, or a reason stands beside it; never both."""
    summarized_names = set(FIGURES.loc[~LISTED, NAMED].itertuples(index=False, name=None))
    assert summarized_names - produced_names == set()
    listed_names = set(FIGURES.loc[LISTED, NAMED].itertuples(index=False, name=None))
    assert listed_names & produced_names == set()


def test_every_reason_is_of_a_figure() -> None:
    """Each line of the list stands beside a figure, in words."""
    reasons = pd.read_csv(str(resources.files(published) / "not_produced.csv"))
    assert set(reasons["reason"]) == set(FIGURES["not_produced"][LISTED])
    for row in reasons.fillna("").itertuples():
        rows = FIGURES[(FIGURES["task"] == row.task) & (FIGURES["metric"] == row.metric)]
        rows = rows[rows["condition"].str.contains(str(row.condition), regex=False)]
        assert (rows["not_produced"] == row.reason).any(), row


@pytest.mark.usefixtures("published")
def test_variants_are_arguments() -> None:
    """The settings in conditions are task arguments with values that tasks take."""
    figures = FIGURES[~LISTED]
    conditions = figures["condition"].map(Condition.read).map(dict)
    variants = figures.assign(variant=conditions.str.get("variant")).dropna(subset=["variant"])
    assert set(variants[["task", "variant"]].itertuples(index=False, name=None)) == {
        ("hedge_markers", "system=metacognitive"),
        ("hedge_markers", "system=unlimited"),
        ("life_eval", "prompts=authors"),
        ("question_sets", "prompts=authors"),
    }
    hedge_markers(dataset="bundled", system="metacognitive")
    hedge_markers(dataset="bundled", system="unlimited")
    life_eval(prompts="authors", items=2)
    question_sets(dataset="sciq", prompts="authors", items=2)


# All that the studies print, as transcribed beside the data

STUDIES = ("fermi_eval", "hedge_markers", "life_eval", "scale_variants", "wep_probes")
RENAMED = {
    "difference_ci_low": ("difference", "ci_low"),
    "difference_ci_high": ("difference", "ci_high"),
    "theta_ci_low": ("brunner_munzel_theta", "ci_low"),
    "theta_ci_high": ("brunner_munzel_theta", "ci_high"),
    "round_percent": ("round_rate", "value"),
    "violation_percent": ("violation_rate", "value"),
}
"""Metric and column here, where the metric isn't called as printed, but for its unit."""
FORMS = {
    "as far as I know": "as far as i know",
    "may be": "may",
    "not completely sure": "not entirely sure",
    "reasonably certain": "pretty sure",
    "to my knowledge": "as far as i know",
    "uncertain": "not sure",
}
"""The form that stands here for a marker as it is printed."""
OTHER_WAY_ROUND = {"ci_low": "ci_high", "ci_high": "ci_low", "value": "value"}


def numbers_of_table(source: str) -> set[str]:
    """The tables that a source names; none where it names something else."""
    match = re.search(r"Tables? ([\d, ]+)", source)
    return set(match[1].replace(" ", "").split(",")) if match else set()


def of_markers(metric: str, parts: dict[str, str]) -> dict[str, str]:
    """Parts of a condition of hedge markers as they are called here."""
    marker_parts = {"variant": unquote(parts["variant"])} if "variant" in parts else {}
    if "system" in parts:
        system = parts.pop("system")  # printed as "standard without the one-marker phrases"
        marker_parts["variant"] = f"system={'unlimited' if ' without ' in system else system}"
    if "marker" in parts:
        marker_parts["marker"] = FORMS.get(parts["marker"], parts["marker"])
    if "marker" in parts or metric.startswith("hedges_per_sentence"):
        marker_parts["split"] = PUBLISHED[parts["dataset"]].splits[0]
    return marker_parts


def result_of_figure(printed: dict[str, str]) -> tuple[str, str, Decimal, dict[str, str]]:
    """Metric, column, value and parts of the condition that a printed figure has here."""
    name, value = printed["metric"], Decimal(printed["value"])
    metric, column = RENAMED.get(name, (name.removesuffix("_percent"), "value"))
    if name.endswith("_percent"):
        value /= 100
    parts = dict(part.split("=", 1) for part in printed["condition"].split(";") if "=" in part)
    parts.pop("texts", "")  # stands in the definition
    if parts.get("marker_threshold") == "10":  # the study's T, which conditions leave out
        del parts["marker_threshold"]
    parts.pop("texts", "")  # stands in the definition
    parts |= of_markers(metric, parts)
    if metric in ("p_value", "words_that_differ"):
        parts["of"] = "brunner_munzel_theta"
    if metric == "words_that_differ":
        parts |= {"adjusted": "none", "level": "95"}
    if printed["condition"].startswith("pooled") or "source" in parts:
        parts |= {"dataset": "pooled", "variant": "prompts=authors"}
    if parts.get("source") == "token (less than)":
        parts["source"] = "token"
    if metric == "accuracy_correlation" and parts.pop("correlation") == "spearman":
        metric = "accuracy_rank_correlation"
    if parts.get("of") == "mrc":
        parts["correlation"] = "spearman"
    # Printed as the baseline less the scale: here the scale less the baseline.
    if metric == "difference" and parts["scale"] == "0-100":
        parts |= {"scale": parts["versus"], "versus": parts["scale"]}
        return metric, OTHER_WAY_ROUND[column], -value, parts
    # Printed as P(male > concise): here P(`versus` > own).
    if metric == "brunner_munzel_theta" and parts["versus"] == "concise":
        return metric, OTHER_WAY_ROUND[column], 1 - value, parts
    return metric, column, value, parts


def transcribed(shared_data: Path) -> list[dict[str, str]]:
    """All figures of the five studies that are written down beside the data."""
    rows: list[dict[str, str]] = []
    for study in STUDIES:
        with (shared_data / "published" / f"{study}.csv").open(
            encoding="utf-8", newline=""
        ) as file:
            rows += csv.DictReader(file)
    return rows


def test_all_that_is_printed_is_held(shared_data: Path) -> None:
    """1,806 figures of tables and texts: each has one row, with its value and table."""
    rows: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for row in FIGURES.itertuples():
        rows[str(row.model), str(row.metric)].append(row)
    printed = transcribed(shared_data)
    assert len(printed) == 1806
    for figure in printed:
        metric, column, value, parts = result_of_figure(figure)
        model = figure["model"].split(" (")[0].removeprefix("judge ").removeprefix("provider ")
        dataset, table = parts.pop("dataset", ""), numbers_of_table(figure["table"])
        matches = [
            row
            for row in rows[model, metric]
            if parts == Condition.read(row.condition)
            and dataset in ("", row.dataset)
            and float(value) == getattr(row, column)
            and table <= numbers_of_table(row.source)
            and figure["source"].split(",")[0].split(" (")[0] in row.source
        ]
        assert len(matches) == 1, (figure, matches)


def test_people_are_those_surveyed() -> None:
    """Quartiles that the study of markers prints are, to two digits, those of the survey here."""
    rows = FIGURES[FIGURES["metric"].str.startswith("human_")]
    assert len(rows) == 16 * 3
    percentile_by_name = {"human_iqr_low": 25, "human_median": 50, "human_iqr_high": 75}
    for row in rows.itertuples():
        counts = surveyed_counts()[str(row.condition).removeprefix("word=")]
        people = np.repeat(list(counts), list(counts.values()))
        # .225 is printed as .22
        assert np.percentile(people, percentile_by_name[str(row.metric)]) / 100 == pytest.approx(
            row.value, abs=0.005001
        )


TYPED = """
fermi_eval    GPT-4o-mini        method=direct               coverage       0.63 0.59 0.64
fermi_eval    GPT-4o-mini        method=logprob              coverage       0.85 0.89 0.90
fermi_eval    GPT-4o-mini        method=direct               interval_score 27.92 55.58 237.57
fermi_eval    GPT-4o-mini        method=conformal            interval_score 20.78 42.68 108.98
fermi_eval    GPT-4o-mini        method=logprob              interval_score 33.32 52.70 191.03
fermi_eval    Claude-3.5-Haiku   method=direct               interval_score 30.96 63.73 321.91
fermi_eval    Claude-3.5-Haiku   method=conformal            interval_score 21.57 43.62 122.24
fermi_eval    mean.of.models     method=direct               coverage       0.65
life_eval     DeepSeek-R1        variant                     hard_easy_slope 0.053
life_eval     Claude.Haiku.3     variant                     hard_easy_slope 0.996
life_eval     Claude-Sonnet-4    variant                     hard_easy_slope 0.327
life_eval     GPT-o3             variant                     hard_easy_slope 0.189
life_eval     Gemini-2.5-Pro     variant                     hard_easy_slope 0.092
life_eval     DeepSeek-V3        variant                     hard_easy_slope 0.782
life_eval     Gemini-2.5-Flash   variant                     hard_easy_slope 0.192
life_eval     Llama-3.1-70B      variant                     hard_easy_slope 0.874
life_eval     mean.of.chat       variant                     confidence_truth_correlation 0.48
wep_choice    GPT-4              choice_set.*of=empirical_c  t_statistic    -2.35
wep_choice    GPT-4              of=empirical_c.*scenario    t_statistic    -4.156 -2.823 -2.618
"""


def test_typed_by_hand() -> None:
    """Some figures, typed from another reading of the studies."""
    for line in TYPED.strip().splitlines():
        task, model, condition, metric, *values = line.split()
        rows = matching(task=task, model=f"^{model}$", condition=condition, metric=f"^{metric}$")
        assert rows["value"].tolist() == list(map(float, values)), line
