"""Shared statistics of the studies, and a folder for each study with its `Study` record.

Another package adds a study by the entry point `inspect_confidence.studies`, whose value is the
study's record; docs/add-a-study.md shows an example.
"""

import functools
from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from itertools import chain

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.printing import excerpt
from inspect_confidence.results import ResultRow, ResultTable
from inspect_confidence.studies.any_eval.study import ANY_EVAL
from inspect_confidence.studies.columns import COMMON_COLUMNS, JudgmentColumn, Kind, Limit
from inspect_confidence.studies.decisions.study import DECISIONS
from inspect_confidence.studies.fermi_eval.study import FERMI_EVAL
from inspect_confidence.studies.hedge_markers.study import HEDGE_MARKERS
from inspect_confidence.studies.life_eval.study import LIFE_EVAL
from inspect_confidence.studies.scale_variants.study import SCALE_VARIANTS
from inspect_confidence.studies.study import (
    SELF_DESCRIBING,
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
from inspect_confidence.studies.tables import Cell, Column, TableSpec, cell, views_with_lines
from inspect_confidence.studies.wep_probes.study import WEP_PROBES

__all__ = [
    "COMMON_COLUMNS",
    "ENTRY_POINTS",
    "SELF_DESCRIBING",
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

_PACKAGE_STUDIES = (
    FERMI_EVAL,
    SCALE_VARIANTS,
    WEP_PROBES,
    LIFE_EVAL,
    HEDGE_MARKERS,
    DECISIONS,
    ANY_EVAL,
)


@functools.cache
def all_studies() -> tuple[Study, ...]:
    """Return the studies of this package, then those of other packages, sorted by name.

    Studies of other packages are loaded at the first call, because they import this module.

    Raises:
        InvalidArgument: Another package's study can't be loaded, or its name or a task's name is
            taken.
    """
    studies = list(_PACKAGE_STUDIES)
    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda item: item.name):
        study = _load_study(entry)
        taken_names: set[str] = set()
        for item in studies:
            taken_names |= {item.name, *item.tasks}
        if clash := sorted(taken_names & {study.name, *study.tasks}):
            raise InvalidArgument(
                f"{entry.value}: the name {clash[0]!r} of a study or task is taken; rename it, or "
                "uninstall that package."
            )
        studies.append(study)
    return tuple(studies)


@functools.cache
def all_tables() -> Mapping[str, TaskTable]:
    """Return the table of every task by its name."""
    tables = chain.from_iterable(study.tables for study in all_studies())
    return {table.task: table for table in tables}


def title_of(study: str) -> str:
    """Return the title, up to its colon, of the study with this name, which must exist."""
    return next(item.title for item in all_studies() if item.name == study).split(":")[0]


def table_of(task: str) -> TaskTable:
    """Return the table of a task; of a task that no study has, the table of other evals."""
    return all_tables().get(task) or table_of_others()


def table_of_others() -> TaskTable:
    """Return the table of evals that no study describes."""
    return next(table for table in all_tables().values() if table.fallback)


def is_own_task(task: str) -> bool:
    """Return whether a study of this package has a task with this name."""
    return any(task in study.tasks for study in _PACKAGE_STUDIES)


def study_of(task: str) -> Study:
    """Return the study that the task belongs to; a study must have it."""
    return next(study for study in all_studies() if task in study.tasks)


def _load_study(entry: EntryPoint) -> Study:
    """Load a study of another package; `InvalidArgument` names it if it can't be loaded."""
    try:
        study = entry.load()
    except Exception as error:  # another package may raise anything while it is imported
        raise InvalidArgument(
            f"{entry.value}: this study can't be loaded ({excerpt(repr(error), 200)}); mend or "
            "uninstall its package."
        ) from error
    if not isinstance(study, Study):
        raise InvalidArgument(
            f"{entry.value}: the entry point names a {type(study).__name__}, but must name a Study."
        )
    return study
