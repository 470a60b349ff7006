"""Shared statistics of the studies, and a folder for each study with its `Study` record.

Studies of other packages come in by the entry point `inspect_confidence.studies`, whose value is
their record; docs/add-a-study.md shows one.
"""

import functools
from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.studies.any_eval.study import ANY_EVAL
from inspect_confidence.studies.columns import COMMON_COLUMNS, JudgmentColumn, Kind, Limit
from inspect_confidence.studies.decisions.study import DECISIONS
from inspect_confidence.studies.fermi_eval.study import FERMI_EVAL
from inspect_confidence.studies.hedge_markers.study import HEDGE_MARKERS
from inspect_confidence.studies.life_eval.study import LIFE_EVAL
from inspect_confidence.studies.scale_variants.study import SCALE_VARIANTS
from inspect_confidence.studies.study import (
    NOTHING_SAID,
    Clause,
    Difference,
    FigureSpec,
    Headline,
    NumberInText,
    Recorded,
    Resampling,
    SampleFacts,
    ScoreFacts,
    Study,
    TaskTable,
    View,
    option,
)
from inspect_confidence.studies.tables import (
    Cell,
    Column,
    ResultRow,
    ResultTable,
    TableSpec,
    cell,
    views_with_lines,
)
from inspect_confidence.studies.wep_probes.study import WEP_PROBES

__all__ = [
    "COMMON_COLUMNS",
    "ENTRY_POINTS",
    "NOTHING_SAID",
    "Cell",
    "Clause",
    "Column",
    "Difference",
    "FigureSpec",
    "Headline",
    "JudgmentColumn",
    "Kind",
    "Limit",
    "NumberInText",
    "Recorded",
    "Resampling",
    "ResultRow",
    "ResultTable",
    "SampleFacts",
    "ScoreFacts",
    "Study",
    "TableSpec",
    "TaskTable",
    "View",
    "all_studies",
    "all_tables",
    "cell",
    "is_own_task",
    "option",
    "study_of",
    "table_of",
    "table_of_others",
    "title_of",
    "views_with_lines",
]

ENTRY_POINTS = "inspect_confidence.studies"
"""The group under which other packages name their studies."""

_OWN = (FERMI_EVAL, SCALE_VARIANTS, WEP_PROBES, LIFE_EVAL, HEDGE_MARKERS, DECISIONS, ANY_EVAL)


@functools.cache
def all_studies() -> tuple[Study, ...]:
    """Return the studies of this package, then those of other packages by name.

    The studies are loaded at the first call, because a study of another package imports this
    module.

    Raises:
        InvalidArgument: Another package's study can't be loaded, or takes a name that is taken.
    """
    studies = list(_OWN)
    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda item: item.name):
        study = _loaded(entry)
        names = {name for item in studies for name in (item.name, *_tasks(item))}
        if clash := sorted(names & {study.name, *_tasks(study)}):
            raise InvalidArgument(
                f"{entry.value}: the name {clash[0]!r} of a study or task is taken; rename it, or "
                "uninstall that package."
            )
        studies.append(study)
    return tuple(studies)


@functools.cache
def all_tables() -> Mapping[str, TaskTable]:
    """Return the table of every task by its name."""
    return {table.task: table for study in all_studies() for table in study.tables}


def title_of(study: str) -> str:
    """Return a study's title up to its colon."""
    return next(item.title for item in all_studies() if item.name == study).split(":")[0]


def table_of(task: str) -> TaskTable:
    """Return the table of a task; for a task of another package, the table of all other evals."""
    tables = all_tables()
    return tables.get(task) or table_of_others()


def table_of_others() -> TaskTable:
    """Return the table of evals that have no table of their own."""
    return next(table for table in all_tables().values() if table.fallback)


def is_own_task(task: str) -> bool:
    """Return whether a study of this package has a task with this name."""
    return any(task in _tasks(study) for study in _OWN)


def study_of(task: str) -> Study:
    """Return the study that the task belongs to."""
    return next(study for study in all_studies() if task in _tasks(study))


def _loaded(entry: EntryPoint) -> Study:
    try:
        study = entry.load()
    except Exception as error:  # whatever another package raises while it is imported
        raise InvalidArgument(
            f"{entry.value}: this study can't be loaded ({error!r:.200}); mend or uninstall its "
            "package."
        ) from error
    if not isinstance(study, Study):
        raise InvalidArgument(
            f"{entry.value} is {type(study).__name__}, not a Study; the entry point names a record."
        )
    return study


def _tasks(study: Study) -> list[str]:
    return [table.task for table in study.tables]
