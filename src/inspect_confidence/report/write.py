"""Judgments -> the report: a page, its figures and its tables."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Unpack

import numpy as np
import pandas as pd

from inspect_confidence.arguments import several
from inspect_confidence.commands.analysis import Settings
from inspect_confidence.commands.summarize import detail, summarize
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.read import Judgments, Paths, Source, judgments_of
from inspect_confidence.plots import shortened
from inspect_confidence.privacy import cleaned, cleaners, model_name
from inspect_confidence.redaction import scrub
from inspect_confidence.report import figures, tables
from inspect_confidence.report.figures import FIGURES, PAGE
from inspect_confidence.report.page import Page, Section, arranged, findings_of, rendered
from inspect_confidence.results import as_csv
from inspect_confidence.studies import all_studies
from inspect_confidence.studies.toolbox import extra_metric_views
from inspect_confidence.studies.unread import without_unread
from inspect_confidence.studies.workers import Progress
from inspect_confidence.writing import put, staged


def write_report(
    source: Source,
    directory: str | PathLike[str],
    *,
    logs: Paths | None = None,
    published: bool = False,
    baseline: str | None = None,
    formats: Sequence[str] | str = (),
    progress: Progress = iter,
    **settings: Unpack[Settings],
) -> Path:
    """Write the report of all judgments: `index.html`, and figures and tables beside it.

    The page needs nothing but itself; a little script of its own sorts and chooses, and all can be
    read without it. Beside it lie `results.csv` (every number; its column `row`
    is what the page's `data-row` attributes name) and `figures/`, each figure as svg, in further
    formats if asked for, and the rows that it draws as csv.

    Args:
        source: As `summarize` takes it.
        directory: Where to; made if it isn't there. Files of the same names are replaced.
        logs: Where the judgments were read from, for a paragraph a task on how the models were run;
            without it there is none.
        published: Whether the studies' published figures are shown beside the own ones.
        baseline: A model as the logs name it; the others' paired differences from it are shown.
        formats: Of figures beside svg: `png`, `pdf`, or both.
        progress: Wraps the list of figures while they are drawn, to show how far it is.
        **settings: How numbers are computed, as `Settings` says. With several workers, call this
            below `if __name__ == "__main__":` in a script, since each process imports it.

    Returns:
        The page's path.

    Raises:
        InvalidArgument: The source can't be used, holds no judgment, or lacks the baseline; or
            the directory can't be written to.
    """
    further = several("formats", formats, figures.FORMATS) if formats else []
    judged = judgments_of(source)
    models = list(dict.fromkeys(name for frame in judged.values() for name in frame["model"]))
    if not models:
        raise InvalidArgument("There is no judgment to report on.")
    if baseline is not None and baseline not in models:
        raise InvalidArgument(
            f"baseline={shortened(baseline, 80)}: there is no such model; the judgments are of "
            f"{', '.join(shortened(model_name(name), 80) for name in models)}."
        )
    place = Path(directory)
    earlier = figures.of_report(place)
    with staged(place, last=PAGE) as new:
        page = _page(judged, models, new, further, published, baseline, settings, progress)
        said = [] if logs is None else _settings(logs, judged)
        put(new / PAGE, rendered(replace(page, settings=said)))
        written = {file.name for file in (new / FIGURES).glob("*")}
    for file in earlier:
        if file.name not in written:
            file.unlink(missing_ok=True)
    return place / PAGE


def _page(
    judged: Judgments,
    models: Sequence[str],
    place: Path,
    formats: Sequence[str],
    published: bool,
    baseline: str | None,
    settings: Settings,
    progress: Progress,
) -> Page:
    """What the page is made of; its figures and its rows are written to the place."""
    results = summarize(judged, **settings)
    finer = detail(judged, **settings)
    rows, names = _scrubbed(pd.concat([results, finer], ignore_index=True), models)
    order = list(dict.fromkeys(names[model] for model in models))
    changes = tables.differences(judged, baseline, settings) if baseline else {}
    studies = [
        (study, _in_order(rows[rows["task"].isin(tasks)], order))
        for study in all_studies()
        if (tasks := {table.task for table in study.tables}) & judged.keys()
    ]
    own = {
        study.name: figures.planned(study, mine, place / FIGURES, formats, order)
        for study, mine in studies
    }
    # All at once: processes are started once.
    drawn = figures.drawn([*chain(*own.values())], settings.get("workers", 1), progress)
    sections = []
    for study, mine in studies:
        estimates = mine[mine.index < len(results)]
        known = without_unread(estimates)
        views = [
            view for view in [*study.views(known), *extra_metric_views(known)] if len(view.table)
        ]
        shown = [*map(tables.of_view, views), changes.get(study.name)]
        shown += [tables.beside(estimates)] if published else []
        lead, others, missing = arranged([drawn[one.name] for one in own[study.name]])
        sections.append(
            Section(
                study.name,
                study.title,
                sum(len(judged[table.task]) for table in study.tables if table.task in judged),
                findings_of(estimates, order, study.name),
                lead,
                tables.unread(estimates),
                tables.exclusions(mine[mine.index >= len(results)]),
                others,
                missing,
                [table for table in shown if table],
            )
        )
    put(place / "results.csv", as_csv(rows, "row"))
    return Page(
        results=rows.iloc[: len(results)],
        models=order,
        sections=sections,
        total=sum(map(len, judged.values())),
        resamples=settings.get("resamples", 10_000),
        notices=[shortened(scrub(notice), 300) for notice in judged.notices],
        metrics=set(rows["metric"]),
    )


def _in_order(rows: pd.DataFrame, models: Sequence[str]) -> pd.DataFrame:
    """Rows by model, in this order; those of no model, as means over models, come last."""
    place = {model: k for k, model in enumerate(models)}
    order = rows["model"].map(place).fillna(len(place)).to_numpy()
    return rows.iloc[np.argsort(order, kind="stable")]


def _scrubbed(rows: pd.DataFrame, models: Sequence[str]) -> tuple[pd.DataFrame, Mapping[str, str]]:
    """Rows and names of models without keys, addresses and local paths."""
    ways = cleaners([pd.DataFrame({"model": models}), rows])
    return cleaned(rows, ways, scrub), {name: ways["model"](name) for name in models}


def _settings(logs: Paths, judged: Judgments) -> list[str]:
    """How the models were run, a paragraph a task."""
    # Reading headers of logs needs Inspect, which takes seconds to import; judgments need none.
    from inspect_confidence.commands.cite import cite  # noqa: PLC0415

    return [shortened(text, 3_000) for text in cite(logs, judgments=judged).settings]
