"""What of each study is where: each row's command, run on simulated models, has what it names."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai import Task, task_with
from inspect_ai.model import GenerateConfig

from conftest import CHECKOUT
from inspect_confidence.metrics import METRICS
from inspect_confidence.results import Condition
from inspect_confidence.tasks.fermi_eval import fermi_eval
from inspect_confidence.tasks.hedge_markers import hedge_markers, judge_check
from inspect_confidence.tasks.life_eval import life_eval
from inspect_confidence.tasks.question_sets import question_sets
from inspect_confidence.tasks.scale_variants import scale_variants
from inspect_confidence.tasks.wep_probes import wep_choice, wep_elicitation
from runs import parameters_of, printed, responded

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
            for line in lines[2:]:
                cells = re.split(r"(?<!\\)\|", line)[1:-1]
                rows.append(list(map(str.strip, cells)))
    return rows


def named_numbers(study: str, kind: str) -> set[int]:
    """Numbers of figures or tables that the first column names, ranges included."""
    numbers: set[int] = set()
    for first, *_ in rows_of(study):
        for match in re.finditer(rf"{kind}s?\.? ([\d, toand]*\d)", first, re.IGNORECASE):
            for part in re.split(",|and", match[1]):
                ends = list(map(int, part.split("to")))
                numbers |= set(range(ends[0], ends[-1] + 1))
    return numbers


@pytest.mark.parametrize("study", sorted(FIGURES))
def test_every_figure_and_table_of_the_study_has_a_row(study: str) -> None:
    """With three cells each: where it is here, or what differs."""
    assert named_numbers(study, "fig") >= FIGURES[study]
    assert named_numbers(study, "table") >= TABLES.get(study, set())
    for row in rows_of(study):
        assert len(row) == 3, row
        assert any(row[1:]), row


Options = tuple[str, ...]
"""Options of a command that analyses logs."""

SMALL = {
    "hedge_markers.marker_thresholds=10,20,50,100": "hedge_markers.marker_thresholds=2,3",
    "life_eval.groups": "life_eval.groups=groups.csv",
}
"""Values of options for runs of a few items, and of a user's file."""
ALWAYS: Mapping[str, Options] = {
    "hedge_markers": ("--option", SMALL["hedge_markers.marker_thresholds=10,20,50,100"])
}
"""Options without which a run of a few items has no marker that counts."""


def options_of(study: str, place: str) -> Options:
    """The options that a row tells the reader to add to the command."""
    options: list[str] = []
    for span in re.findall(r"`([^`]+)`", place):
        if span == "--common-items":
            options.append(span)
        if value := re.fullmatch(rf"(?:--option )?({study}\.\w+(?:=.+)?)", span):
            options += ["--option", SMALL.get(value[1], value[1])]
    return tuple(options)


def _fermi(folder: Path) -> None:
    small_run: dict[str, Any] = {"dataset": "bundled", "items": 24, "levels": "90,99"}
    for method in ("direct", "logprob"):
        responded(fermi_eval(method=method, **small_run), "tunnel", folder)
    for method in ("tunnel", "traces"):
        responded(fermi_eval(method=method, draws=3, **small_run), "tunnel", folder)
    for temperature in (0.5, 1.0):  # one of which the decoding temperature is
        task = fermi_eval(method="sampling", draws=3, **small_run)
        config = GenerateConfig(temperature=temperature)
        responded(task_with(task, config=config), "tunnel", folder)


def _scales(folder: Path) -> None:
    responded(scale_variants(dataset="knowledge", items=16), "metacognitive", folder)
    two: dict[str, Any] = {"items": 16, "scales": "0-100,20-100"}
    for model in ("boastful", "candid"):
        responded(scale_variants(dataset="knowledge", **two), model, folder)
    responded(scale_variants(dataset="misconceptions", **two), "metacognitive", folder)


def _words(folder: Path) -> None:
    words = "almost certain,likely,about even,unlikely"
    for model in ("boastful", "surveyed"):
        task = wep_elicitation(languages="en,zh", words=words, settings="concise,female,male")
        responded(task, model, folder)
    responded(wep_choice(), "boastful", folder)


def _lives(folder: Path) -> None:
    ages = ",".join(map(str, range(0, 100, 4)))
    for model in ("boastful", "candid"):
        responded(life_eval(ages=ages, tokens=True), model, folder)
        responded(question_sets(items=40), model, folder)


def _markers(folder: Path) -> None:
    systems = {"hedger": "standard", "boastful": "metacognitive", "candid": "unlimited"}
    for seed, (model, system) in enumerate(systems.items()):
        task = hedge_markers(dataset="bundled", items=90, judge="rules", draws=2, system=system)
        responded(task, model, folder, seed=seed)
    responded(judge_check(judge="rules", items=60), "boastful", folder)
    task = wep_elicitation(settings="concise", words="likely,unlikely", items=5)
    responded(task, "surveyed", folder)


@dataclass(frozen=True)
class _Study:
    """Tasks of a study, and runs of them that simulated models answer."""

    tasks: Sequence[Callable[..., Task]]
    respond: Callable[[Path], None]


STUDIES: Mapping[str, _Study] = {
    "fermi_eval": _Study([fermi_eval], _fermi),
    "scale_variants": _Study([scale_variants], _scales),
    "wep_probes": _Study([wep_elicitation, wep_choice], _words),
    "life_eval": _Study([life_eval, question_sets], _lives),
    "hedge_markers": _Study([hedge_markers, judge_check, wep_elicitation], _markers),
}


@pytest.mark.slow
@pytest.mark.parametrize("study", sorted(STUDIES))
def test_what_each_row_names_is_in_what_its_command_gives(
    study: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Metrics have a value, bold names stand above a figure or table, arguments are known ones.

    `report` gives rows without options; an option is given to `summarize`, once for all its rows.
    """
    monkeypatch.setattr(os, "cpu_count", lambda: 1)  # a process of its own costs more than it draws
    STUDIES[study].respond(home / "logs")
    (home / "groups.csv").write_text(
        "model,group\nrespondent/boastful,a\nrespondent/candid,b\n", "utf-8"
    )
    always = ALWAYS.get(study, ())
    common = ("logs", "--resamples", "20", *always)
    printed("report", *common, "--published", "-o", "report")
    page = html.unescape((home / "report" / "index.html").read_text("utf-8"))
    titles = re.findall(r"<h3>(.*?)</h3>", page)
    rows = pd.read_csv(home / "report" / "results.csv")
    results_by_options = {(): rows, always: rows}
    missing = []
    for first, place, _ in rows_of(study):
        options = options_of(study, place)
        if options not in results_by_options:
            shown = printed("summarize", *common, *options, "--json").stdout
            results_by_options[options] = pd.DataFrame(json.loads(shown))
        results = results_by_options[options]
        valued = set(results.loc[results["value"].notna(), "metric"])
        names = set(re.findall(r"`(\w+)`", place))
        missing += [(first, metric) for metric in METRICS.keys() & names - valued]
        for name in re.findall(r"\*\*([^*]+)\*\*", place):
            # MODEL stands for any model's name.
            pattern = re.escape(name).replace("OTHER\\ MODEL", ".+").replace("MODEL", ".+")
            if not any(re.search(pattern, title) for title in titles):
                missing.append((first, name))
        conditions = map(Condition.read, rows["condition"].fillna(""))
        known_names = set(chain(*map(parameters_of, STUDIES[study].tasks), *conditions))
        arguments = re.findall(r"`(?:-T )?(\w+)=", place)
        missing += [(first, argument) for argument in arguments if argument not in known_names]
    assert not missing, (missing, sorted(titles))


def test_a_row_names_what_it_points_to() -> None:
    """Nearly every row names a metric, a table, a figure, an argument or a page."""
    rows = list(chain.from_iterable(map(rows_of, FIGURES)))
    pointing = [row for row in rows if re.search(r"`|\*\*|\]\(|figure|panel|Table", row[1])]
    assert len(pointing) > 0.8 * len(rows)
