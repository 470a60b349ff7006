"""Sentences on results: on each model over all studies, and on each study over all models."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isnan, nan

import numpy as np

from inspect_confidence.headlines import condition_values
from inspect_confidence.overview.matrix import (
    OVER_SETS,
    Line,
    LineKey,
    Matrix,
    MatrixCell,
    keys_of_lines,
    matrix_of,
)
from inspect_confidence.overview.numbers import format_interval, format_number
from inspect_confidence.overview.ranks import Rank, Ranks
from inspect_confidence.printing import shortened
from inspect_confidence.results import Condition, ResultRow, ResultTable
from inspect_confidence.studies import Clause, NumberInText, all_studies
from inspect_confidence.studies.unread import answering_models

_FIRST = ("calibration", "ranking")
_LONGEST = 60
"""Maximum number of characters of a name."""
_MAX_CLAUSES = 5
"""Maximum number of clauses of a sentence."""


@dataclass(frozen=True)
class SentencePart:
    """A piece of a sentence; `row` is the row of the results if the piece is a number."""

    text: str
    row: int | None = None


Sentence = Sequence[SentencePart]


def model_sentences(
    results: ResultTable, matrix: Matrix, max_clauses: int = _MAX_CLAUSES
) -> list[tuple[LineKey, Sentence]]:
    """Return a sentence on each line of the matrix for which a study has a clause."""
    metrics = {metric for clause in _clauses() for metric, _ in clause.numbers}
    models = {line.key.model for line in matrix.lines}
    rows = results.among("model", models).among("metric", metrics)
    clauses = _present_clauses(rows)
    needed = set()
    for clause in clauses:
        for metric, condition in clause.numbers:
            needed.add((clause.task, metric, Condition(condition)))
    rows = ResultTable([row for row in rows if (row["task"], row["metric"], row.shared) in needed])
    keys = keys_of_lines(rows)
    numbers: dict[tuple[LineKey, str, str, Condition], list[ResultRow]] = {}
    for row in rows:
        key = (keys[row.index], row["task"], row["metric"], row.shared)
        numbers.setdefault(key, []).append(row)
    sentences: list[tuple[LineKey, Sentence]] = []
    for line in matrix.lines:
        if sentence := _sentence(line.key, clauses, numbers, max_clauses):
            sentences.append((line.key, sentence))
    return sentences


def _clauses() -> list[Clause]:
    """Return the clauses of all studies, those on calibration and ranking first."""
    clauses = chain.from_iterable(study.clauses for study in all_studies())
    order = {topic: k for k, topic in enumerate(_FIRST)}
    return sorted(clauses, key=lambda clause: order.get(clause.about, len(order)))


def _present_clauses(rows: ResultTable) -> list[Clause]:
    """Return the clauses; one with `each` is repeated for each combination of values.

    `each` of a clause names conditions. The clause is repeated for every combination of their
    values that occurs in the rows.
    """
    clauses = []
    for clause in _clauses():
        if not clause.each:
            clauses.append(clause)
            continue
        _, where = clause.numbers[0]
        for parts in condition_values(rows, clause.task, where, clause.each):
            clauses.append(clause.with_parts(parts))
    return clauses


NumberRows = Mapping[tuple[LineKey, str, str, Condition], Sequence[ResultRow]]
"""Rows of the results by line, task, metric and condition."""


def _sentence(
    key: LineKey, clauses: Sequence[Clause], numbers: NumberRows, max_clauses: int
) -> list[SentencePart]:
    """Return the sentence on a line; the numbers of a task are of one data set, the largest."""
    chosen: dict[str, tuple[Clause, Sequence[ResultRow]]] = {}
    dataset_by_task: dict[str, str] = {}
    for clause in clauses:
        if clause.about in chosen or len(chosen) >= max_clauses:
            continue
        by_dataset = _rows_by_dataset(key, clause, numbers)
        dataset = dataset_by_task.get(clause.task, _largest_dataset(by_dataset))
        if dataset in by_dataset:
            dataset_by_task[clause.task] = dataset
            chosen[clause.about] = clause, by_dataset[dataset]
    parts: list[SentencePart] = []
    sources = [_source(rows) for _, rows in chosen.values()]
    for place, (clause, rows) in enumerate(chosen.values()):
        parts.extend(_fill(clause, rows))
        following = sources[place + 1] if place + 1 < len(sources) else ""
        if following != sources[place]:
            parts.append(SentencePart(f" ({sources[place]})"))
        parts.append(SentencePart("; " if following else "."))
    return parts


def _rows_by_dataset(
    key: LineKey, clause: Clause, numbers: NumberRows
) -> dict[str, list[ResultRow]]:
    """Return the clause's rows by data set, for each data set that has all of its numbers."""
    by_dataset: dict[str, list[ResultRow]] = {}
    for metric, condition in clause.numbers:
        for row in numbers.get((key, clause.task, metric, Condition(condition)), ()):
            if not isnan(row.value):
                by_dataset.setdefault(row["dataset"], []).append(row)
    complete = len(clause.numbers)
    return {name: rows for name, rows in by_dataset.items() if len(rows) == complete}


def _largest_dataset(by_dataset: Mapping[str, Sequence[ResultRow]]) -> str:
    """Return the data set with most judgments; all sets together only if there is no other."""
    single = [name for name in by_dataset if name not in OVER_SETS]
    return max(single or by_dataset, key=lambda name: _judgments(by_dataset[name]), default="")


def _judgments(rows: Sequence[ResultRow]) -> int:
    return min(row.n for row in rows)


def _source(rows: Sequence[ResultRow]) -> str:
    """Return the task, the data set and the number of judgments behind a clause."""
    task, dataset = rows[0]["task"], rows[0]["dataset"]
    name = task if dataset in ("", task) else f"{task} on {shortened(dataset, _LONGEST)}"
    return f"{name}, n = {_judgments(rows):,}"


def _fill(clause: Clause, rows: Sequence[ResultRow]) -> Iterator[SentencePart]:
    text = clause.text
    if not isinstance(text, str):
        text = text(*(NumberInText(row.value, row.low, row.high) for row in rows))
    pieces = text.split("{}")
    for piece, row in zip(pieces, rows, strict=False):
        yield SentencePart(piece)
        number = format_number(row["metric"], row.value, row.n)
        yield SentencePart(f"{number}{format_interval(row)}", row.index)
    yield SentencePart(pieces[-1])


def _no_ranks(results: ResultTable) -> Ranks:
    """Return undefined ranks, for sentences that do not need them, as ranks take time."""
    return {row.index: Rank(nan) for row in results}


def first_findings(results: ResultTable, models: Sequence[str], limit: int) -> list[str]:
    """Return the first clause on each of the first models, each with the model's name, as text."""
    matrix = matrix_of(results, models, _no_ranks(results))
    findings = []
    for key, sentence in model_sentences(results, matrix, max_clauses=1)[:limit]:
        findings.append(f"{_key_text(key)}: {''.join(part.text for part in sentence)}")
    return findings


def column_sentence(matrix: Matrix, place: int, *, source: str = "") -> Sentence:
    """Return a sentence on the best and the worst model in a column, and on overlaps.

    Args:
        matrix: The matrix.
        place: Number of the column.
        source: Task, data set and n, which take the place of overlaps if the ranks are not those of
            paired differences.
    """
    defined = []
    for line in matrix.lines:
        number = line.numbers[place]
        if number is not None and not isnan(number.value):
            defined.append((line, number))
    column = matrix.columns[place]
    name = column.heading[:1].upper() + column.heading[1:]
    if not defined:
        return []
    if len(defined) == 1:
        line, number = defined[0]
        return [
            SentencePart(f"{name} of {_name(line)}: "),
            _number_part(number),
            SentencePart(f" ({source})." if source else "."),
        ]
    direction = column.direction
    values = np.array([number.value for _, number in defined])
    losses = direction.loss(values) if direction.ordered else values
    order = np.argsort(losses, kind="stable")
    first, last = defined[order[0]], defined[order[-1]]
    if len({number.text for _, number in defined}) == 1:
        names = "both models" if len(defined) == 2 else f"all {len(defined)} models"
        return [
            SentencePart(f"{name}: "),
            _number_part(first[1]),
            SentencePart(f" for {names}{f' ({source})' if source else ''}."),
        ]
    words = _ENDS.get(direction.name if direction.ordered else "none", _ENDS["none"])
    target = f"{direction.target:g}"
    return [
        SentencePart(f"{name}: {words[0].format(target)} for {_name(first[0])}, "),
        _number_part(first[1]),
        SentencePart(f"; {words[1].format(target)} for {_name(last[0])}, "),
        _number_part(last[1]),
        SentencePart(f" ({source})." if source else f"{_overlap(defined, first, words)}."),
    ]


_ENDS = {
    "higher": ("highest", "lowest", "higher"),
    "lower": ("lowest", "highest", "lower"),
    "target": ("nearest to {}", "farthest from it", "nearer"),
    "none": ("lowest", "highest", "lower"),
}
"""Words for the first and the last model, and for the first one of two, by direction."""


def _number_part(number: MatrixCell) -> SentencePart:
    interval = f" [{number.interval}]" if number.interval else ""
    return SentencePart(f"{number.text}{interval}", number.row)


def _name(line: Line) -> str:
    return _key_text(line.key)


def _key_text(key: LineKey) -> str:
    names = filter(None, (key.model, key.variant, key.judge))
    return ", ".join(shortened(name, _LONGEST) for name in names)


def _overlap(
    numbers: Sequence[tuple[Line, MatrixCell]],
    best: tuple[Line, MatrixCell],
    words: tuple[str, str, str],
) -> str:
    """Return a clause on what the ranks show: how many lines may be as good as the best one."""
    if isnan(best[1].rank.low):
        return ""
    ranked, overlaps = 0, 0
    for line, number in numbers:
        if line is not best[0] and not isnan(number.rank.low):
            ranked += 1
            overlaps += number.rank.low <= 1
    if not ranked:
        return ""
    if ranked == 1:
        if overlaps:
            return f"; n is too small to show which is {words[2]}"
        return "; the difference is beyond chance"
    if not overlaps:
        return f"; the first is {words[2]} than each of the {ranked} others, beyond chance"
    return (
        f"; for {overlaps} of the {ranked} others n is too small to show that the first is "
        + (words[2])
    )


def study_finding(results: ResultTable, study: str) -> Sentence:
    """Return one sentence on the results of a study; empty if no headline number is defined.

    It describes a single model by the study's clauses, and of several the best and the worst one by
    the first headline number.
    """
    tasks = [table.task for item in all_studies() if item.name == study for table in item.tables]
    results = results.among("task", tasks)
    models = answering_models(results)
    matrix = matrix_of(results, models, _no_ranks(results), max_columns=1, studies=[study])
    if not matrix.columns:
        return []
    if len(matrix.lines) == 1:
        for key, sentence in model_sentences(results, matrix):
            return [SentencePart(f"{_key_text(key)}: "), *sentence]
    column = matrix.columns[0]
    separator = ", " if column.subheading.startswith("n = ") else " on "
    return column_sentence(matrix, 0, source=f"{column.task}{separator}{column.subheading}")


def unread_sentence(matrix: Matrix) -> Sentence:
    """Return a sentence on the models' shares of parse failures, from the matrix of a study."""
    has_shares = False
    failures: list[tuple[Line, MatrixCell, bool]] = []
    for line in matrix.lines:
        numbers = {number.unread_row: number for number in line.numbers if number is not None}
        numbers.pop(None, None)
        has_shares = has_shares or bool(numbers)
        if any(map(_share, numbers.values())):
            failures.append((line, max(numbers.values(), key=_share), len(numbers) > 1))
    if not has_shares:
        return []
    if not failures:
        return [SentencePart("All replies could be read.")]
    failures.sort(key=lambda failure: -_share(failure[1]))
    parts: list[SentencePart] = []
    for line, number, has_several in failures[:_MAX_MODELS]:
        parts.append(SentencePart(", " if parts else "Parse failures: "))
        if has_several:
            parts.append(SentencePart("up to "))
        parts += [
            SentencePart(number.unread, number.unread_row),
            SentencePart(f" of {_name(line)}'s replies"),
        ]
    more = len(failures) - _MAX_MODELS
    return [*parts, SentencePart(f", and some of {more} others." if more > 0 else ".")]


_MAX_MODELS = 3
"""Maximum number of models in a sentence."""


def _share(number: MatrixCell) -> float:
    return float(number.unread.rstrip("%"))


def study_sentences(matrix: Matrix) -> list[Sentence]:
    """Return two or three sentences on a study, from the matrix of its numbers.

    The first number of every task comes before the second number of any task.
    """
    counts: Counter[str] = Counter()
    metrics: set[str] = set()
    candidates: list[tuple[int, int]] = []
    for place, column in enumerate(matrix.columns):
        if column.metric not in metrics:
            metrics.add(column.metric)
            candidates.append((counts[column.task], place))
            counts[column.task] += 1
    sentences = [column_sentence(matrix, place) for _, place in sorted(candidates)[:2]]
    return list(filter(None, [*sentences, unread_sentence(matrix)]))
