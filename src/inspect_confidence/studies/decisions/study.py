"""The study of decisions: its record, and its results."""

from collections.abc import Mapping

import pandas as pd

from inspect_confidence.results import Result
from inspect_confidence.studies.decisions.columns import (
    ABSTAIN,
    ABSTAIN_COLUMNS,
    COMMITMENT,
    COMMITMENT_COLUMNS,
    SIMPLE_QA,
    SIMPLE_QA_COLUMNS,
)
from inspect_confidence.studies.decisions.samples import (
    read_abstain,
    read_commitment,
    read_simple_qa,
)
from inspect_confidence.studies.limits import limits
from inspect_confidence.studies.study import Difference, Resampling, Study, TaskTable, View


def summarize(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Return the results of the three tasks."""
    return []


def compare(a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling) -> list[Difference]:
    """Return the differences of two contenders on the items that both were asked."""
    return []


def detail(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Return finer rows for the figures."""
    return []


def views(results: pd.DataFrame) -> list[View]:
    """Return the study's tables."""
    return []


_ARGUMENTS = frozenset({"dataset", "items", "split", "prompt", "system"})

DECISIONS = Study(
    name="decisions",
    title="Decisions: answering, declining and standing by an answer",
    tables=(
        TaskTable(
            task=ABSTAIN,
            columns=ABSTAIN_COLUMNS,
            required=("item", "confidence_target"),
            answers=(("correct",), ("answer", "target")),
            arguments_shown=_ARGUMENTS | {"targets", "format", "confidence"},
            read=read_abstain,
            defaults={"format": "open", "confidence_asked": "none"},
            varied=("confidence_target", "format"),
            limits=limits("confidence_target:share confidence:share correct:share choices:count"),
        ),
        TaskTable(
            task=SIMPLE_QA,
            columns=SIMPLE_QA_COLUMNS,
            required=("item", "confidence_source"),
            answers=(("confidence", "correct"), ("raw", "low", "high", "correct")),
            arguments_shown=_ARGUMENTS,
            read=read_simple_qa,
            varied=("confidence_source",),
            limits=limits("confidence:reported correct:share choices:count draws:count"),
            ordered=(("low", "high"),),
        ),
        TaskTable(
            task=COMMITMENT,
            columns=COMMITMENT_COLUMNS,
            required=("item",),
            answers=(("keep", "correct"), ("bet", "correct"), ("moved",)),
            arguments_shown=_ARGUMENTS | {"pushback"},
            read=read_commitment,
            defaults={"pushback": "none"},
            varied=("pushback",),
            limits=limits(
                "correct:share correct_after:share keep:share bet:share moved:share "
                "confidence_before:share confidence_after:share choices:count"
            ),
        ),
    ),
    contenders=(),
    summarize=summarize,
    compare=compare,
    views=views,
    detail=detail,
    figures=(),
    headlines=(),
    reference="",
)
