"""Judgments -> the report: a page, its figures and its tables."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from inspect_confidence import __version__
from inspect_confidence._detail import detail
from inspect_confidence._errors import InvalidArgument
from inspect_confidence._judgments import Judgments, Paths
from inspect_confidence._secrets import scrub, scrub_condition, scrubbed_names
from inspect_confidence._spreadsheet import as_csv
from inspect_confidence._summarize import Source, judgments_of, summarize
from inspect_confidence.metrics import METRICS, Metric
from inspect_confidence.plots import shortened
from inspect_confidence.report._baseline import differences
from inspect_confidence.report._figures import ReportFigure, figures_of, ranges
from inspect_confidence.report._profile import profiles
from inspect_confidence.report._published import beside
from inspect_confidence.report._tables import Table, drawn, exclusions, tables_of
from inspect_confidence.studies import STUDIES, Study

_MANY = 20_000
"""Judgments from which on a second process is worth its start."""


@dataclass(frozen=True)
class Section:
    """A study in the page.

    Attributes:
        name: Its anchor.
        title: Above it.
        judgments: How many there are of it.
        exclusions: What could be read.
        figures: Of the study.
        tables: Of the study, then differences from a baseline and published figures.
    """

    name: str
    title: str
    judgments: int
    exclusions: Table | None
    figures: Sequence[ReportFigure]
    tables: Sequence[Table]


def write_report(
    source: Source,
    directory: str | PathLike[str],
    *,
    logs: Paths | None = None,
    published: bool = False,
    baseline: str | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    convention: str | None = None,
    workers: int | None = None,
) -> Path:
    """Write the report of all judgments: `index.html`, and figures and tables beside it.

    The page needs nothing but itself. Beside it lie `results.csv` (every number; its column `row`
    is what the page's `data-row` attributes name) and `figures/`, each figure as svg, png and pdf
    with the rows that it draws as csv.

    Args:
        source: As `summarize` takes it.
        directory: Where to; made if it isn't there. Files of the same names are replaced.
        logs: Where the judgments were read from, for a paragraph a task on how the models were run;
            without it there is none.
        published: Whether the studies' published figures are shown beside the own ones.
        baseline: A model as the logs name it; the others' paired differences from it are shown.
        resamples: Bootstrap resamples of the items for the 95% intervals.
        seed: Of the resampling.
        convention: `text` or `authors`, as in `summarize`.
        workers: Processes that work at once; by default as many as there are cores, where there
            are many judgments.

    Returns:
        The page's path.

    Raises:
        InvalidArgument: The source can't be used, holds no judgment, or lacks the baseline; or
            the directory can't be written to.
    """
    judged = judgments_of(source)
    total = sum(map(len, judged.values()))
    if not total:
        raise InvalidArgument("There is no judgment to report on.")
    if baseline is not None:
        _require(baseline, judged)
    workers = workers or (os.cpu_count() or 1 if total >= _MANY else 1)
    place = _made(directory)
    results = summarize(
        judged, resamples=resamples, seed=seed, convention=convention, workers=workers
    )
    rows = pd.concat([results, detail(judged, seed=seed, convention=convention)], ignore_index=True)
    rows, names = _scrubbed(rows, _models(judged))
    (place / "results.csv").write_text(as_csv(rows, "row"), encoding="utf-8")
    figures = place / "figures"
    figures.mkdir(exist_ok=True)
    changes = (
        differences(judged, baseline, resamples=resamples, seed=seed, convention=convention)
        if baseline
        else {}
    )
    sections = [
        _section(study, judged, rows, len(results), figures, workers, published, changes)
        for study in STUDIES
        if any(table.task in judged for table in study.tables)
    ]
    page = _page(
        title="Confidence report",
        version=__version__,
        made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        total=total,
        resamples=resamples,
        models=[shortened(names[name], 80) for name in _models(judged)],
        settings=[] if logs is None else _settings(logs, judged),
        notices=[shortened(scrub(notice), 300) for notice in judged.notices],
        profiles=list(profiles(rows.iloc[: len(results)], figures)),
        sections=sections,
        glossary=_glossary(rows),
    )
    target = place / "index.html"
    target.write_text(page, encoding="utf-8")
    return target


def _section(
    study: Study,
    judged: Mapping[str, pd.DataFrame],
    rows: pd.DataFrame,
    estimates: int,
    figures: Path,
    workers: int,
    published: bool,
    changes: Mapping[str, Table],
) -> Section:
    tasks = [table.task for table in study.tables]
    mine = rows[rows["task"].isin(tasks)]
    results = mine[mine.index < estimates]
    tables = list(tables_of(study, results))
    if study.name in changes:
        tables.append(changes[study.name])
    if published and (table := beside(results)) is not None:
        tables.append(table)
    return Section(
        study.name.replace("_", "-"),
        study.title,
        sum(len(judged[task]) for task in tasks if task in judged),
        exclusions(mine[mine.index >= estimates]),
        figures_of(study, mine, figures, workers),
        tables,
    )


def _scrubbed(rows: pd.DataFrame, models: Sequence[str]) -> tuple[pd.DataFrame, Mapping[str, str]]:
    """Rows and names of models without keys, addresses and local paths."""
    names = scrubbed_names([*models, *rows["model"]])
    clean = rows.assign(
        model=rows["model"].map(names),
        dataset=rows["dataset"].map(scrub),
        condition=rows["condition"].map(scrub_condition),
        note=rows["note"].map(scrub),
    )
    return clean, names


def _glossary(rows: pd.DataFrame) -> list[Metric]:
    """The metrics that the report has numbers of."""
    there = set(rows["metric"])
    return [metric for name, metric in METRICS.items() if name in there]


def _models(judged: Mapping[str, pd.DataFrame]) -> list[str]:
    return list(dict.fromkeys(name for frame in judged.values() for name in frame["model"]))


def _settings(logs: Paths, judged: Judgments) -> list[str]:
    """How the models were run, a paragraph a task."""
    # Reading headers of logs needs Inspect, which takes seconds to import; judgments need none.
    from inspect_confidence._cite import cite  # noqa: PLC0415

    return [shortened(text, 3_000) for text in cite(logs, judgments=judged).settings]


def _require(baseline: str, judged: Mapping[str, pd.DataFrame]) -> None:
    if baseline not in (models := _models(judged)):
        raise InvalidArgument(
            f"baseline={shortened(baseline, 80)}: there is no such model; the judgments are of "
            f"{', '.join(shortened(name, 80) for name in models)}."
        )


def _made(directory: str | PathLike[str]) -> Path:
    place = Path(directory)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidArgument(
            f"directory={place} can't be made ({error.strerror}); give another with -o."
        ) from error
    return place


def _page(**fields: object) -> str:
    """The page, everything in it escaped."""
    environment = Environment(
        loader=PackageLoader("inspect_confidence.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # The pictures are our own: text in them was escaped when they were drawn.
    environment.filters["picture"] = Markup
    environment.filters["ranges"] = ranges
    environment.globals["drawn"] = drawn
    return environment.get_template("report.html.jinja").render(fields)
