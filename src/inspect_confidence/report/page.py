"""The page of a report: what is seen first, and a section a study."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pandas as pd
from markupsafe import Markup

from inspect_confidence import __version__
from inspect_confidence.export.text import templates
from inspect_confidence.metrics import METRICS
from inspect_confidence.overview import sentences
from inspect_confidence.overview.front import front_of
from inspect_confidence.overview.matrix import matrix_of
from inspect_confidence.report import figures, tables
from inspect_confidence.report.svg import with_classes

_OVERLAP = (
    "A model can rank below those whose intervals lie wholly on the better side of its own, and "
    "above those that lie wholly on the worse; nothing corrects for how many models there are."
)


@dataclass(frozen=True)
class Section:
    """A study in the page: `lead` and `findings` are open, all else is folded.

    `judgments` is how many there are of it, `exclusions` what could be read of them, `unread` what
    is said of the others.
    """

    name: str
    title: str
    judgments: int
    findings: Sequence[sentences.Sentence]
    lead: figures.ReportFigure | None
    unread: tables.Table | str
    exclusions: tables.Table | None
    figures: Sequence[figures.ReportFigure]
    missing: Sequence[tuple[str, str]]
    tables: Sequence[tables.Table]


@dataclass(frozen=True)
class Page:
    """What a page is made of.

    Attributes:
        models: In the order of lines and colours.
        total: Judgments.
        settings: How the models were run, a paragraph a task.
        notices: About the logs.
    """

    results: pd.DataFrame
    models: Sequence[str]
    sections: Sequence[Section]
    total: int
    resamples: int
    settings: Sequence[str] = ()
    notices: Sequence[str] = ()
    metrics: Iterable[str] = field(default_factory=set)


def findings_of(
    results: pd.DataFrame, models: Sequence[str], study: str
) -> list[sentences.Sentence]:
    """Two or three sentences on a study."""
    return sentences.of_study(matrix_of(results, models, most=20, studies=[study]))


def arranged(
    drawn: Sequence[figures.ReportFigure],
) -> tuple[figures.ReportFigure | None, list[figures.ReportFigure], list[tuple[str, str]]]:
    """The figure that leads, the others, and titles of those that aren't drawn with the reason.

    A reason that several figures of one title have is said once.
    """
    lead = next((one for one in drawn if one.leads and one.svg), None)
    others = [one for one in drawn if one.svg and one is not lead]
    missing = dict.fromkeys((one.title, one.reason) for one in drawn if not one.svg)
    return lead, others, list(missing)


def rendered(page: Page) -> str:
    """The page as HTML."""
    pages = templates("inspect_confidence.report", "templates")
    # The pictures are our own: text in them was escaped when they were drawn.
    pages.filters |= {"picture": Markup, "ranges": figures.ranges}
    sections, styles = _condensed(page.sections)
    return pages.get_template("report.html.jinja").render(
        title="Confidence report",
        version=__version__,
        made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        page=replace(page, sections=sections),
        front=front_of(page.results, page.models),
        how=_OVERLAP,
        styles=Markup(styles),
        glossary=[metric for name, metric in METRICS.items() if name in set(page.metrics)],
    )


def _condensed(sections: Sequence[Section]) -> tuple[list[Section], str]:
    """The sections, their pictures' styles as classes of one style sheet."""
    every = [one for section in sections for one in (section.lead, *section.figures) if one]
    shorter, styles = with_classes([one.svg for one in every])
    known = {one.name: replace(one, svg=svg) for one, svg in zip(every, shorter, strict=True)}
    changed = [
        replace(
            section,
            lead=known[section.lead.name] if section.lead else None,
            figures=[known[one.name] for one in section.figures],
        )
        for section in sections
    ]
    return changed, styles
