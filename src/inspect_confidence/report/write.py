"""Judgments -> the report: a page, its figures and its tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Unpack

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from inspect_confidence import __version__
from inspect_confidence.commands.analysis import Settings
from inspect_confidence.commands.summarize import detail, summarize
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.read import Judgments, Paths, Source, judgments_of
from inspect_confidence.metrics import METRICS, Metric
from inspect_confidence.plots import shortened
from inspect_confidence.privacy import scrub, scrubbed_conditions, scrubbed_names
from inspect_confidence.report.figures import (
    ReportFigure,
    drawn,
    planned,
    ranges,
    remove_figures,
    with_pictures,
)
from inspect_confidence.report.tables import (
    Table,
    beside,
    differences,
    exclusions,
    profiles,
    tables_of,
    the_rows,
)
from inspect_confidence.results import as_csv
from inspect_confidence.studies import Study, all_studies


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


def render(**fields: object) -> str:
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
    environment.globals["the_rows"] = the_rows
    return environment.get_template("report.html.jinja").render(fields)


def write_report(
    source: Source,
    directory: str | PathLike[str],
    *,
    logs: Paths | None = None,
    published: bool = False,
    baseline: str | None = None,
    **settings: Unpack[Settings],
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
        **settings: How numbers are computed, as `Settings` says. With several workers, call this
            below `if __name__ == "__main__":` in a script, since each process imports it.

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
    place = _made(directory)
    results = summarize(judged, **settings)
    finer = detail(judged, **settings)
    rows = pd.concat([results, finer], ignore_index=True)
    rows, names = _scrubbed(rows, _models(judged))
    figures = place / "figures"
    figures.mkdir(exist_ok=True)
    remove_figures(figures)
    changes = differences(judged, baseline, settings) if baseline else {}
    studies = [
        study for study in all_studies() if any(table.task in judged for table in study.tables)
    ]
    planned_of = {
        study.name: planned(study, rows[rows["task"].isin(_tasks(study))], figures)
        for study in studies
    }
    answered = {names[model] for model in _models(judged)}
    faces = list(profiles(rows.iloc[: len(results)], answered, figures))
    # All at once: processes are started once.
    pictures = drawn(
        [*chain(*planned_of.values()), *(one for _, one, _ in faces)], settings.get("workers", 1)
    )
    sections = [
        _section(
            study,
            judged,
            rows,
            len(results),
            with_pictures(planned_of[study.name], pictures),
            published,
            changes,
        )
        for study in studies
    ]
    page = render(
        title="Confidence report",
        version=__version__,
        made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        total=total,
        resamples=settings.get("resamples", 10_000),
        models=[shortened(names[name], 80) for name in _models(judged)],
        settings=[] if logs is None else _settings(logs, judged),
        notices=[shortened(scrub(notice), 300) for notice in judged.notices],
        profiles=[(name, with_pictures([one], pictures)[0], table) for name, one, table in faces],
        sections=sections,
        glossary=_glossary(rows),
    )
    target = place / "index.html"
    (place / "results.csv").write_text(as_csv(rows, "row"), encoding="utf-8")
    target.write_text(page, encoding="utf-8")
    return target


def _section(
    study: Study,
    judged: Mapping[str, pd.DataFrame],
    rows: pd.DataFrame,
    estimates: int,
    figures: Sequence[ReportFigure],
    published: bool,
    changes: Mapping[str, Table],
) -> Section:
    tasks = _tasks(study)
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
        figures,
        tables,
    )


def _tasks(study: Study) -> list[str]:
    return [table.task for table in study.tables]


def _scrubbed(rows: pd.DataFrame, models: Sequence[str]) -> tuple[pd.DataFrame, Mapping[str, str]]:
    """Rows and names of models without keys, addresses and local paths."""
    names = scrubbed_names([*models, *rows["model"]])
    clean = rows.assign(
        model=rows["model"].map(names),
        dataset=rows["dataset"].map(scrubbed_names(rows["dataset"])),
        condition=rows["condition"].map(scrubbed_conditions(rows["condition"])),
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
    from inspect_confidence.commands.cite import cite  # noqa: PLC0415

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
