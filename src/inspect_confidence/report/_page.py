"""The page itself: what it is made of, and its template."""

from collections.abc import Sequence
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from inspect_confidence.report._figures import ReportFigure, ranges
from inspect_confidence.report._tables import Table, the_rows


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
