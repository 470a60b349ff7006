"""One file a study, each exporting one `Study` record."""

from collections.abc import Mapping

from inspect_confidence.studies.fermi_eval.study import FERMI_EVAL
from inspect_confidence.studies.hedge_markers.study import HEDGE_MARKERS
from inspect_confidence.studies.life_eval.study import LIFE_EVAL
from inspect_confidence.studies.scale_variants.study import SCALE_VARIANTS
from inspect_confidence.studies.study import (
    COMMON_COLUMNS,
    Difference,
    FigureSpec,
    Headline,
    Kind,
    Resampling,
    SampleFacts,
    ScoreFacts,
    Study,
    TaskTable,
    View,
)
from inspect_confidence.studies.tables import Cell, cell
from inspect_confidence.studies.wep_probes.study import WEP_PROBES

STUDIES = (FERMI_EVAL, SCALE_VARIANTS, WEP_PROBES, LIFE_EVAL, HEDGE_MARKERS)

TABLES: Mapping[str, TaskTable] = {table.task: table for study in STUDIES for table in study.tables}
"""The judgments of every task, by its name."""

__all__ = [
    "COMMON_COLUMNS",
    "STUDIES",
    "TABLES",
    "Cell",
    "Difference",
    "FigureSpec",
    "Headline",
    "Kind",
    "Resampling",
    "SampleFacts",
    "ScoreFacts",
    "Study",
    "TaskTable",
    "View",
    "cell",
]
