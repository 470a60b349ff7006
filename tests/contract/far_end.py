"""The far end of a run: it answers requests and knows, without a reader, what it said."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pandas as pd
import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog

from build import attributes_of, frame_rows, numbered, sample_table
from inspect_confidence import read_judgments, summarize
from inspect_confidence.studies import all_tables
from provider_server import Reply, Request
from runs import Values, log_metrics, values

SAYS_NOTHING = ("content_filter", "scoring_failed")
"""Statuses of what is no reply, and so no failure of one."""


class FarEnd(Protocol):
    """A stand-in for a model that decides what a reply means before it writes it.

    Attributes:
        withholds: Whether some replies are withheld. Inspect's cache keeps none of those.
    """

    withholds: bool

    def __call__(self, request: Request) -> Reply | Sequence[Reply]:
        """Answer, and keep what that means."""

    def judgments(self) -> list[dict[str, Any]]:
        """What the replies say, with the names of the columns that say it."""

    def log(self) -> dict[str, float]:
        """The log's own metrics, all of them."""

    def table(self) -> Values:
        """Numbers that stand in the results."""


Prepared = tuple[dict[str, Any], Callable[[Task], FarEnd]]
"""A task's arguments, and what answers its requests."""


@dataclass(frozen=True)
class Case:
    """A task as the contract checks it.

    Attributes:
        name: How a failing test calls it.
        task: The task's function.
        prepare: Writes what a run needs into the folder that the user stands in; gives the
            arguments of a short run and its far end.
        minimal: Arguments under which a sample is an item and a call.
        ok: A reply that can be read, whatever is asked.
        cut: The beginning of one.
        unreadable: A reply without an answer.
        fields: Of a wording of one's own.
        question_text: The question of a sample, as a wording of one's own shows it.
        field_texts: Of that question and the sample's metadata, what such a wording shows.
        headline: The metric that stands for the run.
        temperature: The task's own.
        condition: The condition of the results under which all judgments of `minimal` stand.
        system: Whether our wording has a system message.
        calls: Calls of a sample under `minimal`, without further draws.
        follow_up: Replies to further requests of a sample, by a part of their prompts.
    """

    name: str
    task: Callable[..., Task]
    prepare: Callable[[Path], Prepared]
    minimal: Mapping[str, Any] = field(default_factory=dict)
    ok: str = ""
    cut: str = ""
    unreadable: str = "It depends."
    fields: tuple[str, ...] = ("question",)
    question_text: Callable[[Sample], str] = lambda sample: str(sample.input)
    field_texts: Callable[[str, Mapping[str, Any]], tuple[str, ...]] = lambda text, facts: (text,)
    headline: str = "overconfidence"
    temperature: int | None = 0
    condition: str | None = ""
    system: bool = False
    calls: int = 1
    follow_up: Mapping[str, str] = field(default_factory=dict)

    def around(
        self, answer: Callable[[Request], Reply | Sequence[Reply]]
    ) -> Callable[[Request], Reply | Sequence[Reply]]:
        """The far end that answers questions so, and further requests as the task's case says."""

        def reply(request: Request) -> Reply | Sequence[Reply]:
            for part, text in self.follow_up.items():
                if part in request.prompt:
                    return Reply(text)
            return answer(request)

        return reply

    def __str__(self) -> str:
        """The name."""
        return self.name


def of_condition(condition: str, numbers: Mapping[str, float]) -> Values:
    """Numbers by condition and metric."""
    return {(condition, metric): value for metric, value in numbers.items()}


def defined(meanings: Iterable[object], name: str) -> list[Any]:
    """An attribute of the meanings that have it."""
    return [value for value in attributes_of(meanings, name) if value is not None]


def items_by_question(task: Task) -> dict[str, str]:
    """The item of each question of a task."""
    table = sample_table(task)
    return dict(zip(table["input"], table["item"], strict=True))


def failure_rate(statuses: Iterable[str]) -> float:
    """Of replies; NaN without one."""
    replied = [status != "ok" for status in statuses if status not in SAYS_NOTHING]
    return sum(replied) / len(replied) if replied else math.nan


def plain(value: Any) -> str:
    """A cell's text: numbers to nine decimals, a missing one as a dash, a list's in a row."""
    if isinstance(value, str) and value.startswith("["):
        value = json.loads(value)
    if isinstance(value, list):
        return " ".join(map(plain, value)) or "-"
    if isinstance(value, str):
        return value or "-"
    if value is None or pd.isna(value):
        return "-"
    return f"{float(value):.9f}".replace("-0.000000000", "0.000000000")


def plain_cells(row: Mapping[str, Any], columns: Iterable[str]) -> tuple[str, ...]:
    """The texts of a row's cells in these columns."""
    return tuple(plain(row[name]) for name in columns)


def check_judgments(frame: pd.DataFrame, expected: Sequence[Mapping[str, Any]]) -> None:
    """The judgments are these and no others, in any order, each in the columns that it names."""
    unmatched = frame_rows(frame)
    by_columns: dict[tuple[str, ...], list[Mapping[str, Any]]] = defaultdict(list)
    for row in expected:
        by_columns[tuple(sorted(row))].append(row)
    for columns in sorted(by_columns, key=len, reverse=True):
        expected_cells: Counter[tuple[str, ...]] = Counter()
        for row in by_columns[columns]:
            expected_cells[plain_cells(row, columns)] += 1
        unexpected = []
        for row in unmatched:
            cells = plain_cells(row, columns)
            expected_cells[cells] -= 1
            if expected_cells[cells] < 0:
                unexpected.append(row)
        missing = list(+expected_cells)
        assert not missing, (columns, missing[:3], unexpected[:3])
        unmatched = unexpected
    assert not unmatched, unmatched[:3]


def check(log: EvalLog, folder: Path, far_end: FarEnd) -> pd.DataFrame:
    """Judgments, the log's metrics and the results are those of what was meant; the judgments."""
    assert log_metrics(log) == pytest.approx(far_end.log(), abs=1e-9, nan_ok=True)
    frames = read_judgments(folder)
    ((name, frame),) = frames.items()
    assert set(frame) == set(all_tables()[name].kinds)
    check_judgments(frame, far_end.judgments())
    numbers = values(summarize(frames, resamples=5))
    for key, value in far_end.table().items():
        assert numbers[key] == pytest.approx(value, abs=1e-9, nan_ok=True), key
    return frame


def write_problems(path: Path) -> dict[str, tuple[str, str, Sequence[str]]]:
    """Write a csv file of 24 word problems and questions with three choices.

    Returns:
        A right answer, a wrong answer and the choices, if any, by question.
    """
    answers: dict[str, tuple[str, str, Sequence[str]]] = {}
    lines = ["id,question,choices,target"]
    for k in range(24):
        choices = numbered("plan ", 3) if k % 2 else []
        question = f"What is {k} plus {k} in all?"
        target = "ABC"[k % 3] if choices else str(2 * k)
        lines.append(f"own-{k},{question},{'|'.join(choices)},{target}")
        if choices:
            answers[question] = (choices[k % 3], choices[(k + 1) % 3], choices)
        else:
            answers[question] = (str(2 * k), str(2 * k + 7), ())
    path.write_text("\n".join(lines), "utf-8")
    return answers
