"""What of each study is where: what the pages' tables name exists in a run on simulated models."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pandas as pd
import pytest

from conftest import CHECKOUT
from inspect_confidence import detail, summarize
from inspect_confidence.metrics import METRICS
from inspect_confidence.report.figures import plan_figures
from inspect_confidence.studies import all_studies
from inspect_confidence.tasks.fermi_eval import fermi_eval
from inspect_confidence.tasks.hedge_markers import hedge_markers, judge_check
from inspect_confidence.tasks.life_eval import life_eval
from inspect_confidence.tasks.question_sets import question_sets
from inspect_confidence.tasks.scale_variants import scale_variants
from inspect_confidence.tasks.wep_probes import wep_choice, wep_elicitation
from runs import responded

FIGURES: Mapping[str, set[int]] = {
    "fermi_eval": {2, 3, 4, 5, 6},
    "scale_variants": {1, 2, 3, 4, 5},
    "wep_probes": set(range(1, 9)),
    "life_eval": set(range(1, 11)),
    "hedge_markers": set(range(1, 18)),
}
"""Figures that each study has."""
TABLES: Mapping[str, set[int]] = {
    "fermi_eval": {2, 3},
    "scale_variants": set(range(1, 18)),
    "life_eval": set(range(1, 6)),
    "hedge_markers": set(range(1, 15)),
}
"""Numbered tables that each study has."""


def rows_of(study: str) -> list[list[str]]:
    """The cells of the page's tables of elements: in the study, here, what differs."""
    page = (CHECKOUT / "docs" / f"{study}.md").read_text("utf-8")
    section = page.split("## What of the study is where")[1].split("\n## ")[0]
    rows = []
    for block in section.split("\n\n"):
        lines = block.strip().split("\n")
        if lines[0].startswith("| in the study |"):
            rows += [
                [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]
            ]
    return rows


def numbered(study: str, kind: str) -> set[int]:
    """Numbers of figures or tables that the first column names, ranges included."""
    numbers: set[int] = set()
    for first, *_ in rows_of(study):
        for found in re.finditer(rf"{kind}s?\.? ([\d, toand]*\d)", first, re.IGNORECASE):
            for part in re.split(",|and", found[1]):
                ends = [int(text) for text in part.split("to")]
                numbers |= set(range(ends[0], ends[-1] + 1))
    return numbers


@pytest.mark.parametrize("study", sorted(FIGURES))
def test_every_figure_and_table_of_the_study_has_a_row(study: str) -> None:
    """With three cells each: where it is here, or what differs."""
    assert numbered(study, "fig") >= FIGURES[study]
    assert numbered(study, "table") >= TABLES.get(study, set())
    for row in rows_of(study):
        assert len(row) == 3, row
        assert any(row[1:]), row


@dataclass(frozen=True)
class _Run:
    """What simulated models gave of a study: metrics with a value, figures drawn, tables."""

    metrics: set[str]
    titles: set[str]


def _fermi(folder: Path) -> None:
    for method in ("direct", "tunnel", "sampling", "logprob", "traces"):
        if method in ("direct", "logprob"):
            task = fermi_eval(dataset="bundled", method=method, items=80)
        else:
            task = fermi_eval(dataset="bundled", method=method, items=80, draws=4)
        responded(task, "tunnel", folder)


def _scales(folder: Path) -> None:
    for dataset in ("knowledge", "misconceptions"):
        for model in ("metacognitive", "boastful", "candid"):
            responded(scale_variants(dataset=dataset, items=30), model, folder)


def _words(folder: Path) -> None:
    for model in ("boastful", "surveyed"):
        responded(wep_elicitation(languages="en,zh"), model, folder)
    responded(wep_choice(), "boastful", folder)


def _lives(folder: Path) -> None:
    for model in ("boastful", "candid"):
        responded(life_eval(), model, folder)
        responded(question_sets(), model, folder)


def _markers(folder: Path) -> None:
    for model in ("hedger", "boastful", "candid"):
        responded(hedge_markers(dataset="bundled", items=240, judge="rules"), model, folder)
    responded(judge_check(judge="rules"), "boastful", folder)
    responded(wep_elicitation(settings="concise"), "surveyed", folder)


RUNS: Mapping[str, Callable[[Path], None]] = {
    "fermi_eval": _fermi,
    "scale_variants": _scales,
    "wep_probes": _words,
    "life_eval": _lives,
    "hedge_markers": _markers,
}
OPTIONS = {"hedge_markers": {"hedge_markers.marker_thresholds": "2,10"}}


def _run(name: str, folder: Path) -> _Run:
    (study,) = [study for study in all_studies() if study.name == name]
    RUNS[name](folder / "logs")
    settings = {"resamples": 20, "options": OPTIONS.get(name, {})}
    results = summarize(folder / "logs", **settings)  # type: ignore[arg-type] # as given
    details = detail(folder / "logs", **settings)  # type: ignore[arg-type] # as given
    rows = pd.concat([results, details], ignore_index=True)
    figures = plan_figures(study, rows.assign(row=rows.index), folder / "figures", ())
    drawn = {figure.title for figure in figures if not figure.reason}
    tables = {view.title for view in study.views(results)}
    return _Run(set(rows.loc[rows["value"].notna(), "metric"]), drawn | tables)


@pytest.mark.slow
@pytest.mark.parametrize("study", sorted(RUNS))
def test_what_each_row_names_is_in_a_simulated_run(study: str, tmp_path: Path) -> None:
    """Every metric has a value, and every bold name is a figure that is drawn or a table."""
    run = _run(study, tmp_path)
    missing = []
    for first, here, _ in rows_of(study):
        for metric in METRICS.keys() & set(re.findall(r"`(\w+)`", here)):
            if metric not in run.metrics:
                missing.append((first, metric))
        for name in re.findall(r"\*\*([^*]+)\*\*", here):
            # MODEL stands for any model's name.
            pattern = re.escape(name).replace("OTHER\\ MODEL", ".+").replace("MODEL", ".+")
            if not any(re.search(pattern, title) for title in run.titles):
                missing.append((first, name))
    assert not missing, (missing, sorted(run.titles))


def test_a_row_names_what_it_points_to() -> None:
    """Nearly every row names a metric, a table, a figure, an argument or a page."""
    rows = list(chain.from_iterable(map(rows_of, FIGURES)))
    pointing = [row for row in rows if re.search(r"`|\*\*|\]\(|figure|panel|Table", row[1])]
    assert len(pointing) > 0.8 * len(rows)
