"""Figures of the report: which panels are drawn, and what their captions name."""

import math
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from build import records_with
from inspect_confidence import plots, read_judgments, summarize, write_report
from inspect_confidence.plots.intervals import rows_of_drawn_splits
from inspect_confidence.plots.models import rows_of_first_split
from inspect_confidence.plots.words import rows_of_drawn_modes
from inspect_confidence.report.figures import ReportFigure, draw_figures, plan_figures
from inspect_confidence.studies import FigureSpec, all_studies
from inspect_confidence.studies.scale_variants.study import SCALE_VARIANTS
from plots.drawing import saved
from plots.test_plots_column import CASES

_CHOICES = {
    "mmlu": [4.0] * 200,
    "gsm8k": [np.nan] * 200,
    "truthfulqa": [float(2 + item % 5) for item in range(200)],
}


def _study_sets() -> pd.DataFrame:
    """Judgments of the study's three sets: four choices, free answers, and 2 to 6 choices."""
    draws = np.random.default_rng(4)
    rows = []
    for dataset, choices in _CHOICES.items():
        for high in (20, 100):
            for item in range(200):
                correct = float(draws.random() < 0.7)
                share = draws.normal(0.8 if correct else 0.6, 0.15)
                rows.append(
                    {
                        "task": "scale_variants",
                        "model": "m",
                        "dataset": dataset,
                        "item": f"q{item}",
                        "low": 0.0,
                        "high": float(high),
                        "raw": float(np.clip(np.rint(share * high), 0, high)),
                        "choices": choices[item],
                        "correct": correct,
                        "status": "ok",
                    }
                )
    return pd.DataFrame(rows)


def _figure(rows: pd.DataFrame, plot: str, folder: Path, reads_panels: str = "") -> ReportFigure:
    """The study's figure with this plot, drawn."""
    (spec,) = records_with(SCALE_VARIANTS.figures, plot=plot)
    specs = [replace(spec, reads_panels=reads_panels)]
    rows = rows.assign(row=rows.index)
    planned = plan_figures(replace(SCALE_VARIANTS, figures=specs), rows, folder, ())
    (figure,) = draw_figures(planned, 1).values()
    return figure


def test_m_ratio_of_choices_is_drawn_beside_sets_that_have_none(tmp_path: Path) -> None:
    """On the study's sets MMLU alone has M-ratio: it is drawn, and the others are named."""
    rows = summarize(_study_sets(), resamples=50)
    numbers = rows[(rows["metric"] == "m_ratio") & rows["condition"].str.contains("m_afc")]
    assert numbers["value"].notna().mean() <= 0.25
    figure = _figure(rows, "m_ratio", tmp_path)
    assert not figure.reason
    assert set(figure.rows["dataset"]) == {"mmlu"}
    assert "No number of: gsm8k; truthfulqa; mean." in figure.caption
    assert "M-ratio" in figure.svg
    assert "gsm8k" not in figure.svg


def test_a_caption_speaks_of_panels_only_if_there_are_several(tmp_path: Path) -> None:
    """One data set has one panel, which is not said to be that of a data set; three are."""
    rows = summarize(_study_sets(), resamples=50)
    sentence = "Each data set has a panel."
    for datasets, n_panels in ((["mmlu"], 1), (["mmlu", "gsm8k", "truthfulqa"], 3)):
        shown = rows[rows["dataset"].isin(datasets)]
        figure = _figure(shown, "ece_bins", tmp_path, reads_panels=sentence)
        assert figure.n_panels == n_panels
        assert (sentence in figure.caption) == (n_panels > 1)


def test_a_figure_without_any_number_says_why(tmp_path: Path) -> None:
    """No panel has a number: nothing is drawn, and the commonest reason stands there."""
    judgments = _study_sets()
    rows = summarize(judgments[judgments["dataset"] == "gsm8k"], resamples=50)
    figure = _figure(rows, "m_ratio", tmp_path)
    assert not figure.svg
    assert figure.reason.startswith(
        "Too little data: the figure needs 1 number and has none. Most frequent reason: "
    )


def _drawable_rows(spec: FigureSpec) -> pd.DataFrame:
    """Rows that the figure's plot can draw, from the cases of all plots, each with an interval."""
    cases = next(cases for plot_names, cases in CASES.values() if spec.plot in plot_names)
    rows = next(iter(cases.values()))
    if not rows["metric"].isin(spec.metrics).any():  # a plot that draws any one of some metrics
        rows = rows.assign(metric=spec.metrics[0])
    rows = rows[rows["metric"].isin(spec.metrics)]
    return rows.assign(ci_low=rows["value"] - 0.1, ci_high=rows["value"] + 0.1)


@pytest.mark.parametrize(
    "spec",
    list(chain.from_iterable(study.figures for study in all_studies())),
    ids=lambda spec: spec.title,
)
def test_a_caption_mentions_intervals_if_and_only_if_the_picture_shows_them(
    spec: FigureSpec,
) -> None:
    """A picture that changes when the intervals are removed has a caption that speaks of them."""
    rows = _drawable_rows(spec)
    draw = getattr(plots, spec.plot)
    without = rows.assign(ci_low=np.nan, ci_high=np.nan)
    shows_intervals = saved(draw(rows)) != saved(draw(without))
    assert shows_intervals == (bool(spec.intervals) or "95% interval" in spec.reads)


def test_pooled_panels_are_explained_only_beside_others() -> None:
    """A figure of one data set has no panel of all data sets together."""
    for study in all_studies():
        for spec in study.figures:
            assert "pooled" not in spec.reads


def test_the_numbers_of_a_figure_are_of_the_split_that_it_draws(tmp_path: Path) -> None:
    """All models are compared on all items, and adjusted intervals on the test split alone."""
    log = Path(__file__).parents[2] / "examples" / "logs" / "fermi_eval-candid.eval"
    judgments = read_judgments(str(log))
    estimates = summarize(judgments, resamples=20)
    coverage = estimates[estimates["metric"] == "coverage"]["condition"]
    assert 0 < coverage.str.contains("split=test").sum() < len(coverage)
    write_report(judgments, tmp_path, resamples=20)
    for name, is_test in (
        ("coverage-of-models-1", False),
        ("coverage-2", True),
        ("tunnel-3", True),
        ("interval-score-4", True),
    ):
        rows = pd.read_csv(tmp_path / "figures" / f"fermi-eval-{name}.csv")
        of_test = rows.loc[rows["value"].notna(), "condition"].str.contains("split=test")
        assert of_test.tolist() == [is_test] * len(of_test), name
        assert len(of_test)
    # Undefined numbers, which say why a figure lacks them, stay; so do numbers of a split alone.
    undefined = estimates.assign(value=math.nan)
    for select in (rows_of_first_split, rows_of_drawn_splits):
        assert len(select(undefined)) == len(undefined)
    alone = estimates[(estimates["metric"] == "coverage") & coverage.str.contains("split=test")]
    assert len(rows_of_drawn_splits(alone)) == len(alone)


def test_the_numbers_of_scores_are_of_the_modes_that_are_drawn(tmp_path: Path) -> None:
    """Without and with reasoning; both together only for a model without single modes."""
    log = Path(__file__).parents[2] / "examples" / "logs" / "wep_choice-candid.eval"
    judgments = read_judgments(str(log))["wep_choice"]
    scores = summarize({"wep_choice": judgments}, resamples=20)
    scores = scores[scores["metric"] == "pairwise_consistency"]
    is_both = ~scores["condition"].str.contains("cot=|baseline=")
    assert 0 < is_both.sum() < len(scores)
    assert rows_of_drawn_modes(scores).equals(scores[~is_both])
    assert rows_of_drawn_modes(scores[is_both]).equals(scores[is_both])
    write_report({"wep_choice": judgments}, tmp_path, resamples=20)
    (file,) = (tmp_path / "figures").glob("wep-choice-consistency-[0-9]*.csv")
    conditions = pd.read_csv(file).dropna(subset=["value"])["condition"].fillna("")
    assert conditions.str.contains("cot=|baseline=").all()
