"""Page of a report: an overview, and a section for each study."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pandas as pd
from markupsafe import Markup

from inspect_confidence import __version__
from inspect_confidence.export.text import templates
from inspect_confidence.metrics import METRICS
from inspect_confidence.overview.front import front_of
from inspect_confidence.overview.ranks import RANKING, Ranks
from inspect_confidence.overview.sentences import Sentence
from inspect_confidence.printing import shortened
from inspect_confidence.report import figures, tables
from inspect_confidence.report.svg import with_classes
from inspect_confidence.results import ResultTable
from inspect_confidence.studies.unread import nearly_all_unread

_MOST_NAMED_MODELS = 2  # maximum number of models that a title names
_MAX_NAME_LENGTH = 60  # maximum number of characters of a name


@dataclass(frozen=True)
class StudySection:
    """Section of a study; `lead` and `findings` are open, the rest is folded.

    Attributes:
        name: Name of the study.
        title: Title of the study.
        question: What the models were asked; empty if the study does not say.
        judgments: Number of judgments.
        findings: Sentences on the study's results.
        lead: Main figure; None if it can't be drawn.
        unread: Sentence on the parse failures of a single model, or table for several models.
        exclusions: Table of the judgments' statuses.
        figures: Figures besides the main one.
        missing: Titles of figures that can't be drawn, with the reasons.
        tables: Tables of the study.
    """

    name: str
    title: str
    question: str
    judgments: int
    findings: Sequence[Sentence]
    lead: figures.ReportFigure | None
    unread: tables.Table | str
    exclusions: tables.Table | None
    figures: Sequence[figures.ReportFigure]
    missing: Sequence[tuple[str, str]]
    tables: Sequence[tables.Table]


@dataclass(frozen=True)
class Page:
    """Content of a page.

    Attributes:
        results: Table in the layout of results.
        models: Models in the order of lines and colours.
        ranks: Ranks of the headline numbers, by row of the results.
        sections: Sections of the studies.
        total: Number of judgments.
        resamples: Number of resamples of the intervals.
        settings: Settings of the runs, one paragraph for each task.
        notices: Notices about the logs.
        loss_notices: Those of them about logs that lack samples.
        metrics: Names of the metrics to define.
    """

    results: pd.DataFrame
    models: Sequence[str]
    ranks: Ranks
    sections: Sequence[StudySection]
    total: int
    resamples: int
    settings: Sequence[str] = ()
    notices: Sequence[str] = ()
    loss_notices: Sequence[str] = ()
    metrics: Iterable[str] = field(default_factory=set)


def arrange_figures(
    report_figures: Sequence[figures.ReportFigure],
) -> tuple[figures.ReportFigure | None, list[figures.ReportFigure], list[tuple[str, str]]]:
    """Return the main figure, the other figures, and the titles and reasons of missing figures.

    Missing figures with the same title and reason are listed once.
    """
    lead: figures.ReportFigure | None = None
    additional: list[figures.ReportFigure] = []
    missing: dict[tuple[str, str], None] = {}
    for figure in report_figures:
        if not figure.svg:
            missing[figure.title, figure.reason] = None
        elif figure.leads and lead is None:
            lead = figure
        else:
            additional.append(figure)
    return lead, additional, list(missing)


def render_page(page: Page) -> str:
    """Return the page as HTML."""
    pages = templates("inspect_confidence.report", "templates")
    # The pictures come from this package: their text was escaped when they were drawn.
    pages.filters |= {"picture": Markup, "ranges": figures.format_ranges}
    sections, styles = _share_styles(page.sections)
    unread_note = nearly_all_unread(page.results)
    if unread_note:  # one sentence in place of the same reason for every figure and table
        sections = [replace(section, missing=()) for section in sections]
    return pages.get_template("report.html.jinja").render(
        title=page_title(page.models, [section.title for section in sections]),
        version=__version__,
        created=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        page=replace(page, sections=sections),
        front=front_of(ResultTable.from_frame(page.results), page.models, page.ranks),
        has_numbers=bool(page.results["value"].notna().any()),
        unread_note=unread_note,
        ranking=RANKING,
        styles=Markup(styles),
        glossary=[metric for name, metric in METRICS.items() if name in set(page.metrics)],
    )


def page_title(models: Sequence[str], studies: Sequence[str]) -> str:
    """Return the title of a page on models and studies: their names, or how many there are.

    Example:
        >>> page_title(["a", "b"], ["FermiEval: intervals"])
        'Confidence of a and b: FermiEval'
        >>> page_title(["a", "b", "c"], ["FermiEval: intervals", "LifeEval: ages"])
        'Confidence of 3 models in 2 studies'
    """
    names = [shortened(model, _MAX_NAME_LENGTH) for model in models]
    subject = (
        " and ".join(names) if 1 <= len(names) <= _MOST_NAMED_MODELS else f"{len(names)} models"
    )
    if len(studies) == 1:
        return f"Confidence of {subject}: {studies[0].partition(':')[0]}"
    return f"Confidence of {subject} in {len(studies)} studies"


def _share_styles(sections: Sequence[StudySection]) -> tuple[list[StudySection], str]:
    """Return the sections with classes in place of their pictures' styles, and the style sheet."""
    report_figures: list[figures.ReportFigure] = []
    for section in sections:
        report_figures.extend(filter(None, (section.lead, *section.figures)))
    pictures, styles = with_classes([figure.svg for figure in report_figures])
    by_name = {}
    for figure, svg in zip(report_figures, pictures, strict=True):
        by_name[figure.name] = replace(figure, svg=svg)
    changed = []
    for section in sections:
        lead = by_name[section.lead.name] if section.lead else None
        additional = [by_name[figure.name] for figure in section.figures]
        changed.append(replace(section, lead=lead, figures=additional))
    return changed, styles
