"""Sentences on results: on each model over all studies, and on each study over all models."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import isnan

import numpy as np

from inspect_confidence.headlines import condition_values
from inspect_confidence.metrics import METRICS
from inspect_confidence.metrics.inference import SAME
from inspect_confidence.overview.matrix import (
    OVER_SETS,
    Line,
    LineKey,
    Matrix,
    MatrixCell,
    MatrixColumn,
    keys_of_lines,
    matrix_of,
)
from inspect_confidence.overview.numbers import format_with_interval
from inspect_confidence.overview.ranks import NO_COMMON_ITEM, undefined_ranks
from inspect_confidence.printing import counted, shortened
from inspect_confidence.results import OTHER_DATASETS, Condition, ResultRow, ResultTable
from inspect_confidence.studies import Clause, NumberInText, all_studies
from inspect_confidence.studies.notes import reason_in
from inspect_confidence.studies.unread import answering_models

_FIRST_TOPICS = ("calibration", "ranking")
_MAX_NAME_LENGTH = 60  # maximum number of characters of a name
_MAX_CLAUSES = 5  # maximum number of clauses of a sentence


@dataclass(frozen=True)
class SentencePart:
    """A piece of a sentence; `row` is the row of the results if the piece is a number."""

    text: str
    row: int | None = None


Sentence = Sequence[SentencePart]


def model_sentences(
    results: ResultTable, matrix: Matrix, max_clauses: int = _MAX_CLAUSES
) -> list[tuple[LineKey, Sentence]]:
    """Return a sentence on each line of the matrix for which a study has a clause.

    A clause is a text with gaps for the numbers of some metrics, such as "it is right {} of the
    time". Lines of the matrix are models with their variant and judge.
    """
    # The rows that clauses need, of the models of the matrix.
    metrics = {metric for clause in _ordered_clauses() for metric, _ in clause.numbers}
    models = {line.key.model for line in matrix.lines}
    rows = results.among("model", models).among("metric", metrics)
    clauses = _present_clauses(rows)  # repeated for each method, say, that occurs in the rows
    needed_numbers = set()
    for clause in clauses:
        for metric, condition in clause.numbers:
            needed_numbers.add((clause.task, metric, Condition(condition)))
    needed_rows = []
    for row in rows:  # `row.shared` is the condition without variant and judge
        if (row["task"], row["metric"], row.shared) in needed_numbers:
            needed_rows.append(row)
    # The same rows by line, task, metric and condition.
    line_keys = keys_of_lines(ResultTable(needed_rows))
    numbers: dict[tuple[LineKey, str, str, Condition], list[ResultRow]] = {}
    for row in needed_rows:
        key = (line_keys[row.index], row["task"], row["metric"], row.shared)
        numbers.setdefault(key, []).append(row)
    sentences: list[tuple[LineKey, Sentence]] = []
    for line in matrix.lines:
        if sentence := _line_sentence(line.key, clauses, numbers, max_clauses):
            sentences.append((line.key, sentence))
    return sentences


def _ordered_clauses() -> list[Clause]:
    """Return the clauses of all studies, those on calibration and ranking first."""
    clauses = chain.from_iterable(study.clauses for study in all_studies())
    order = {topic: k for k, topic in enumerate(_FIRST_TOPICS)}
    return sorted(clauses, key=lambda clause: order.get(clause.about, len(order)))


def _present_clauses(rows: ResultTable) -> list[Clause]:
    """Return the clauses of all studies, with the values of settings that occur in the rows.

    A clause is a text with gaps for the numbers of some metrics, such as "it is right {} of the
    time". A clause whose numbers may have any value of some settings (`each`), such as `method`, is
    repeated for each combination of their values. A condition is the settings of a number.
    """
    clauses = []
    for clause in _ordered_clauses():
        if not clause.each:
            clauses.append(clause)
            continue
        _, condition = clause.numbers[0]  # all numbers of the clause take the same values
        for parts in condition_values(rows, clause.task, condition, clause.each):
            clauses.append(clause.with_parts(parts))
    return clauses


NumberRows = Mapping[tuple[LineKey, str, str, Condition], Sequence[ResultRow]]
"""Rows of the results by line, task, metric and condition."""


def _line_sentence(
    key: LineKey, clauses: Sequence[Clause], numbers: NumberRows, max_clauses: int
) -> list[SentencePart]:
    """Return the sentence on a line of the matrix; empty if it has no clause.

    A clause is a text with gaps for numbers, such as "it is right {} of the time". On each topic
    the first clause whose numbers are all defined is taken. The numbers of a task are of one data
    set, the largest. Successive clauses with the same source (task, data set and n) share it: it
    follows the last of them in brackets. `numbers` has the rows of the results by line, task,
    metric and condition.
    """
    chosen: dict[str, tuple[Clause, Sequence[ResultRow]]] = {}  # clause and its numbers, by topic
    dataset_by_task: dict[str, str] = {}
    for clause in clauses:
        if clause.about in chosen or len(chosen) >= max_clauses:
            continue
        by_dataset = _rows_by_dataset(key, clause, numbers)
        dataset = dataset_by_task.get(clause.task, _largest_dataset(by_dataset))
        if dataset in by_dataset:
            dataset_by_task[clause.task] = dataset
            chosen[clause.about] = clause, by_dataset[dataset]
    # The text: clauses with numbers, and a source where the next clause has another one.
    parts: list[SentencePart] = []
    sources = [_source_text(rows) for _, rows in chosen.values()]
    for position, (clause, rows) in enumerate(chosen.values(), start=1):
        parts.extend(_clause_parts(clause, rows))
        source, is_last = sources[position - 1], position == len(sources)
        if is_last or sources[position] != source:
            parts.append(SentencePart(f" ({source})"))
        parts.append(SentencePart("." if is_last else "; "))
    return parts


def _rows_by_dataset(
    key: LineKey, clause: Clause, numbers: NumberRows
) -> dict[str, list[ResultRow]]:
    """Return the rows with a clause's numbers by data set, where all of them are defined.

    A clause such as "it states {} and is right {} of the time" has two numbers, named by metric and
    condition. `numbers` has the rows of the results by line of the matrix (`key`), task, metric and
    condition. A data set without one of the clause's numbers is left out.
    """
    by_dataset: dict[str, list[ResultRow]] = {}
    for metric, condition in clause.numbers:
        for row in numbers.get((key, clause.task, metric, Condition(condition)), ()):
            if not isnan(row.value):
                by_dataset.setdefault(row["dataset"], []).append(row)
    complete = len(clause.numbers)
    return {name: rows for name, rows in by_dataset.items() if len(rows) == complete}


def _largest_dataset(by_dataset: Mapping[str, Sequence[ResultRow]]) -> str:
    """Return the data set with most judgments; all sets together only if there is no other.

    `by_dataset` has the rows of the same numbers on each data set; of their counts of judgments the
    smallest is that of the data set. The name is empty without data sets.
    """
    single = [name for name in by_dataset if name not in OVER_SETS]
    return max(single or by_dataset, key=lambda name: _least_n(by_dataset[name]), default="")


def _least_n(rows: Sequence[ResultRow]) -> int:
    return min(row.n for row in rows)


def _source_text(rows: Sequence[ResultRow]) -> str:
    """Return the task, the data set and the number of judgments behind a clause.

    Numbers differ if accuracy, for example, also rests on judgments without a confidence. If the
    intervals are over fewer groups of judgments, their number follows: "n = 200 in 10 groups".
    """
    task, dataset = rows[0]["task"], rows[0]["dataset"]
    name = task if dataset in ("", task) else f"{task} on {shortened(dataset, _MAX_NAME_LENGTH)}"
    smallest_n, largest_n = _least_n(rows), max(row.n for row in rows)
    upper = f" to {largest_n:,}" if largest_n > smallest_n else ""
    return f"{name}, n = {smallest_n:,}{upper}{_groups_text(row.note for row in rows)}"


def _groups_text(notes: Iterable[str]) -> str:
    """Return " in 10 groups" if all intervals with groups are over as many of them; else ""."""
    counts = set(filter(None, map(_group_count, notes)))
    return f" in {counts.pop()} groups" if len(counts) == 1 else ""


def _group_count(note: str) -> str | None:
    """Return the number of groups of judgments that a number's interval is over, as its note says.

    Such a note is "interval over 10 groups of like prompts"; None if it names no groups.
    """
    match = re.search(r"\binterval over (\d+) ", note)
    return match[1] if match else None


def _clause_parts(clause: Clause, rows: Sequence[ResultRow]) -> Iterator[SentencePart]:
    """Yield the parts of a clause's text, in which each `{}` is the number of a row."""
    text = clause.text
    if not isinstance(text, str):  # a function that words the sentence by the numbers
        text = text(*(NumberInText(row.value, row.low, row.high, row.note) for row in rows))
    pieces = text.split("{}")  # one more than rows
    for piece, row in zip(pieces, rows, strict=False):
        yield SentencePart(piece)
        number, ends = format_with_interval(row["metric"], row.value, row.low, row.high, row.n)
        yield SentencePart(f"{number} [{ends}]" if ends else number, row.index)
    yield SentencePart(pieces[-1])


def short_findings(results: ResultTable, models: Sequence[str]) -> list[str]:
    """Return one short sentence on each model, with variant and judge if it has several of them.

    The sentence begins with these names and is the first clause that a study has for the numbers;
    models without one are left out.
    """
    matrix = matrix_of(results, models)
    findings = []
    for key, sentence in model_sentences(results, matrix, max_clauses=1):
        findings.append(f"{_describe_key(key)}: {''.join(part.text for part in sentence)}")
    return findings


@dataclass(frozen=True)
class _ComparisonWords:
    """Words for the best and the worst model of a column, and for the better and worse one of two.

    `{}` in the words stands for the target of the metric.
    """

    best: str
    worst: str
    better: str
    worse: str


_RankedNumbers = Sequence[tuple[Line, MatrixCell]]
"""Lines with their numbers in a column, the best first."""


_COMPARISON_WORDS = {
    "higher": _ComparisonWords("highest", "lowest", "higher", "lower"),
    "lower": _ComparisonWords("lowest", "highest", "lower", "higher"),
    "target": _ComparisonWords(
        "nearest to {}", "farthest from it", "nearer to {}", "farther from it"
    ),
}
"""Words by the name of the metric's direction."""


def column_sentence(matrix: Matrix, column_index: int, *, with_ranks: bool = True) -> Sentence:
    """Return a sentence on the best and the worst model in a column; empty if none has a number.

    It names best and worst only if rank intervals show a model to be worse than the best; of
    several that may be the best, none is called so. Otherwise it gives the lowest and the highest
    number, or one number if all models have the same. Task, data set and n are in brackets, after
    the heading, or after the numbers if the matrix has no ranks (`with_ranks` is false); the
    command that tests the differences follows then.
    """
    column = matrix.columns[column_index]
    numbers, left_out = _compared_numbers(_numbers_best_first(matrix, column_index))
    if not numbers:
        return []
    heading = column.heading[:1].upper() + column.heading[1:]
    source = _column_source(column, numbers)
    if with_ranks:
        heading, source_text = f"{heading} ({source})", ""
    else:
        has_interval = any(number.interval for _, number in numbers)
        source_text = f" ({source})" if has_interval else f" ({source}; no interval)"
    if len({(number.text, number.interval) for _, number in numbers}) == 1:
        return _equal_numbers_sentence(heading, numbers, f"{source_text}{left_out}")
    words = _words_of_comparison(column)
    test_text = _comparison_ending(numbers, column, words, with_ranks=with_ranks)
    (best_line, best_number), *other_numbers = numbers
    # A rank interval that begins above 1 shows that its model is not the best.
    has_worse_model = any(number.rank.low > 1 for _, number in other_numbers)
    if isnan(best_number.rank.low) or not has_worse_model:
        return _lowest_and_highest_sentence(heading, numbers, f"{source_text}{test_text}{left_out}")
    if len(_leaders(numbers)) > 1:
        tie_parts = _tie_parts(numbers, words)
        return [SentencePart(f"{heading}: "), *tie_parts, SentencePart(f"{left_out}.")]
    worst_line, worst_number = numbers[-1]
    return [
        SentencePart(f"{heading}: {words.best} for {_describe_key(best_line.key)}, "),
        _number_part(best_number),
        SentencePart(f"; {words.worst} for {_describe_key(worst_line.key)}, "),
        _number_part(worst_number),
        SentencePart(f"{test_text}{left_out}."),
    ]


def _compared_numbers(numbers: _RankedNumbers) -> tuple[_RankedNumbers, str]:
    """Return the numbers of a column that a sentence compares, and how many are left out, and why.

    Numbers without an interval, such as that of a model with one judgment, are left out if at least
    two others have one; then means over other data sets than most models have, if at least two
    others remain. The text is empty if none is left out.
    """
    left_out = ""
    for reason, is_kept in (
        ("without an interval", lambda number: number.interval),
        ("with other data sets", lambda number: OTHER_DATASETS not in number.note),
    ):
        remaining = [(line, number) for line, number in numbers if is_kept(number)]
        if 2 <= len(remaining) < len(numbers):
            left_out += f"; {counted(len(numbers) - len(remaining), 'model')} {reason} left out"
            numbers = remaining
    return numbers, left_out


def _words_of_comparison(column: MatrixColumn) -> _ComparisonWords:
    """Return the words for the best and worst models of a column, with its metric's target.

    Without a direction there are no ranks, and no sentence has these words: those of `lower` are
    returned.
    """
    direction = column.direction
    words = _COMPARISON_WORDS[direction.name if direction.ordered else "lower"]
    target = f"{direction.target:g}"
    return replace(words, best=words.best.format(target), better=words.better.format(target))


def _comparison_ending(
    numbers: _RankedNumbers, column: MatrixColumn, words: _ComparisonWords, *, with_ranks: bool
) -> str:
    """Return the clause on the test of a column's numbers, or on why they are not compared.

    Without ranks it names the command that tests them, if there is one.
    """
    if numbers[0][1].rank.note == NO_COMMON_ITEM:
        return "; not compared: no two models answered the same item"
    compare_text = _compare_text(numbers, column)
    if not with_ranks:
        return compare_text
    if any(OTHER_DATASETS in number.note for _, number in numbers):
        return "; not compared: the models have different data sets"
    return _test_text(numbers, words, compare_text)


def _equal_numbers_sentence(heading: str, numbers: _RankedNumbers, source_text: str) -> Sentence:
    """Return the sentence on a column whose models all have the same number and interval, or one.

    `heading` names the metric; `source_text` has task, data set and n, and numbers left out.
    """
    line, number = numbers[0]
    for_models = f"all {len(numbers)} models"
    if len(numbers) == 1:
        for_models = _describe_key(line.key)
    elif len(numbers) == 2:
        for_models = "both models"
    return [
        SentencePart(f"{heading}: "),
        _number_part(number),
        SentencePart(f" for {for_models}{source_text}."),
    ]


def _lowest_and_highest_sentence(heading: str, numbers: _RankedNumbers, ending: str) -> Sentence:
    """Return the sentence on the lowest and the highest number of a column of several models.

    `heading` names the metric; `ending` has source, test and numbers left out.
    """
    by_value = sorted(numbers, key=lambda line_and_number: line_and_number[1].value)
    (lowest_line, lowest_number), (highest_line, highest_number) = by_value[0], by_value[-1]
    start, separator = ("", ", ") if len(numbers) == 2 else ("from ", " to ")
    return [
        SentencePart(f"{heading}: {start}"),
        _number_part(lowest_number),
        SentencePart(f" for {_describe_key(lowest_line.key)}{separator}"),
        _number_part(highest_number),
        SentencePart(f" for {_describe_key(highest_line.key)}{ending}."),
    ]


def _column_source(column: MatrixColumn, numbers: _RankedNumbers) -> str:
    """Return the task, the data set if the column has another one, and the n of some numbers.

    The column's subheading is `mmlu, n = 60`, or `n = 60` without a data set to name. If the notes
    of all intervals over groups of judgments agree on their number, it follows: "in 10 groups".
    """
    dataset, ending, _ = column.subheading.rpartition(", n = ")
    joint = ", " if column.dataset in OVER_SETS else " on "
    has_own_name = ending and column.dataset != column.task
    name = f"{column.task}{joint}{dataset}" if has_own_name else column.task
    counts = [number.n for _, number in numbers]
    upper = f" to {max(counts):,}" if max(counts) > min(counts) else ""
    return f"{name}, n = {min(counts):,}{upper}{_groups_text(number.note for _, number in numbers)}"


def _compare_text(numbers: _RankedNumbers, column: MatrixColumn) -> str:
    """Return a clause on the command that tests the differences of a column's numbers.

    It is empty if only judges differ, or if fewer than two numbers rest on as many items, or groups
    of them, as a test needs, or if the metric's differences have no test.
    """
    if len({(line.key.model, line.key.variant) for line, _ in numbers}) == 1:
        return ""
    rule = METRICS[column.metric].interval.of_difference()
    is_enough = [_unit_count(number) >= rule.min_units for _, number in numbers]
    if rule.method == "none" or sum(is_enough) < 2:
        return ""
    # Numbers over all data sets are not compared, only those of each data set.
    by_dataset = " data set by data set" if column.dataset in OVER_SETS else ""
    return (
        f"; `compare` tests the {'difference' if len(numbers) == 2 else 'differences'}{by_dataset}"
    )


def _unit_count(number: MatrixCell) -> int:
    """Return the number of groups that a number's interval is over, else that of its judgments.

    The count is 0 for a number without an interval, whose difference has none either, unless that
    is because all its resamples are equal: their differences from another number's may vary.
    """
    reason = reason_in(number.note, "no interval")
    if reason and not reason.endswith(SAME):
        return 0
    return int(_group_count(number.note) or number.n)


def _numbers_best_first(matrix: Matrix, column_index: int) -> list[tuple[Line, MatrixCell]]:
    """Return the lines with a number in a column, and these numbers, from the best to the worst.

    They are sorted by value, the lowest first, if the metric has no direction.
    """
    numbers = []
    for line in matrix.lines:
        number = line.numbers[column_index]
        if number is not None and not isnan(number.value):
            numbers.append((line, number))
    values = np.array([number.value for _, number in numbers])
    direction = matrix.columns[column_index].direction
    losses = direction.loss(values) if direction.ordered else values
    return [numbers[position] for position in np.argsort(losses, kind="stable")]


def _number_part(number: MatrixCell) -> SentencePart:
    interval = f" [{number.interval}]" if number.interval else ""
    mark = f" {number.mark}" if number.mark else ""
    return SentencePart(f"{number.text}{interval}{mark}", number.row)


def _describe_key(key: LineKey) -> str:
    """Return the names of a line: model, variant and judge, without empty ones."""
    names = filter(None, (key.model, key.variant, key.judge))
    return ", ".join(shortened(name, _MAX_NAME_LENGTH) for name in names)


def _leaders(numbers: _RankedNumbers) -> _RankedNumbers:
    """Return the lines that no other is shown to be better than: their rank may be 1."""
    return [(line, number) for line, number in numbers if number.rank.low <= 1]


def _shown_worse(number: MatrixCell) -> int:
    """Return how many models are shown to be worse than the one with this number."""
    return int(number.rank.models - number.rank.high)


def _tie_parts(numbers: _RankedNumbers, words: _ComparisonWords) -> Iterator[SentencePart]:
    """Yield parts of a sentence on models that may be the best, and on those that are not.

    At least two may be the best, and at least one is shown to be worse than another.
    """
    leaders = _leaders(numbers)
    worse = [(line, number) for line, number in numbers if number.rank.low > 1]
    if len(leaders) <= _MAX_MODELS:
        yield SentencePart(f"it is not shown which is {words.best}, ")
        for position, (line, number) in enumerate(leaders, start=1):
            yield SentencePart(f"{_describe_key(line.key)}, ")
            yield _number_part(number)
            if position < len(leaders):
                yield SentencePart(", or " if position == len(leaders) - 1 else ", ")
    else:
        by_value = sorted(leaders, key=lambda leader: leader[1].value)
        (lowest_line, lowest_number), (highest_line, highest_number) = by_value[0], by_value[-1]
        yield SentencePart(f"it is not shown which of {len(leaders)} models is {words.best}, from ")
        yield _number_part(lowest_number)
        yield SentencePart(f" for {_describe_key(lowest_line.key)} to ")
        yield _number_part(highest_number)
        yield SentencePart(f" for {_describe_key(highest_line.key)}")
    than = "both" if len(leaders) == 2 else "each of them"
    if any(_shown_worse(number) < len(worse) for _, number in leaders):
        than = "one of them" if len(worse) == 1 else "at least one model"
    worst_line, worst_number = worse[-1]
    if len(worse) == 1:
        yield SentencePart(f"; {_describe_key(worst_line.key)}, ")
        yield _number_part(worst_number)
        yield SentencePart(f", is {words.worse} than {than}, beyond chance")
        return
    if worst_line is numbers[-1][0]:
        yield SentencePart(f"; {words.worst} for {_describe_key(worst_line.key)}, ")
        yield _number_part(worst_number)
    yield SentencePart(
        f"; each of the {len(worse)} others is {words.worse} than {than}, beyond chance"
    )


def _test_text(numbers: _RankedNumbers, words: _ComparisonWords, compare_text: str) -> str:
    """Return a clause on what the models' ranks show: whether the first one is better, or best.

    It is used if all other models, or none of them, may have rank 1 (else see `_tie_parts`). If
    fewer than two models have an interval of their rank, nothing is tested here, and the clause
    names the command that tests the differences (`compare_text`) if there is one.
    """
    is_pair = len(numbers) == 2
    _, best_number = numbers[0]
    other_best_ranks = [number.rank.low for _, number in numbers[1:]]  # ends of rank intervals
    if isnan(best_number.rank.low) or all(map(isnan, other_best_ranks)):
        if compare_text:
            has_interval = any(number.interval for _, number in numbers)
            return f"; {'' if has_interval else 'no interval, so '}not ranked here{compare_text}"
        return f"; {'the difference is' if is_pair else 'differences are'} not tested"
    if all(best_rank <= 1 for best_rank in other_best_ranks):
        return f"; it is not shown which is {words.better if is_pair else 'best'}"
    if is_pair:
        return "; the difference is beyond chance"
    other_models = f"each of the {len(other_best_ranks)} others"
    if _shown_worse(best_number) < len(other_best_ranks):
        return f"; {other_models} is {words.worse} than at least one model, beyond chance"
    return f"; the first is {words.better} than {other_models}, beyond chance"


def study_finding(
    results: ResultTable, study: str, uncompared_tasks: Collection[str] = ()
) -> Sentence:
    """Return one sentence on a study's results as parts; none if no headline number is defined.

    A single model is described by the study's clauses, such as "it is right {} of the time", if
    their numbers are defined. Otherwise the sentence gives the lowest and the highest value of the
    first headline number. `results` are of all studies, `study` is the name of one. Models of
    `uncompared_tasks` have no item in common: the sentence says that they are not compared.
    """
    tasks = chain.from_iterable(item.tasks for item in all_studies() if item.name == study)
    results = results.among("task", list(tasks))
    models = answering_models(results)
    ranks = undefined_ranks(results, uncompared_tasks)
    matrix = matrix_of(results, models, ranks, max_columns=1, studies=[study])
    if not matrix.columns:
        return []
    described = model_sentences(results, matrix) if len(matrix.lines) == 1 else []
    if described:
        key, sentence = described[0]
        return [SentencePart(f"{_describe_key(key)}: "), *sentence]
    return column_sentence(matrix, 0, with_ranks=False)


def unread_sentence(matrix: Matrix) -> Sentence:
    """Return a sentence on the models' shares of parse failures, from the matrix of a study.

    It names the three models with the largest shares; it is empty if the matrix has no shares. Of a
    model with several shares, as of two tasks, it names the largest as "up to".
    """
    has_shares = False
    # A line (a model), its number with the largest share, and whether it has several shares.
    failures: list[tuple[Line, MatrixCell, bool]] = []
    for line in matrix.lines:
        # Numbers of one task and data set show the same share, a row of the results.
        number_by_share: dict[int, MatrixCell] = {}
        for number in line.numbers:
            if number is not None and number.unread_row is not None:
                number_by_share[number.unread_row] = number
        if not number_by_share:
            continue
        has_shares = True
        largest = max(number_by_share.values(), key=_unread_share)
        if _unread_share(largest):
            failures.append((line, largest, len(number_by_share) > 1))
    if not has_shares:
        return []
    if not failures:
        without_reply = _describe_missing_replies(matrix)
        return [SentencePart(f"All replies could be read{without_reply}.")]
    failures.sort(key=lambda failure: -_unread_share(failure[1]))
    parts: list[SentencePart] = []
    for line, number, has_several in failures[:_MAX_MODELS]:
        parts.append(SentencePart(", " if parts else "Parse failures: "))
        if has_several:
            parts.append(SentencePart("up to "))
        parts += [
            SentencePart(number.unread, number.unread_row),
            SentencePart(f" of {_describe_key(line.key)}'s replies"),
        ]
    more = len(failures) - _MAX_MODELS
    return [*parts, SentencePart(f", and some of {more} others." if more > 0 else ".")]


_MAX_MODELS = 3  # maximum number of models in a sentence


def _describe_missing_replies(matrix: Matrix) -> str:
    """Return a clause on the failures that gave no reply, by model; empty without any."""
    texts = []
    for line in matrix.lines:
        # Texts such as "3 sample_error", each once; empty if no reply is missing.
        counts = dict.fromkeys(number.without_reply for number in line.numbers if number)
        counts.pop("", None)
        if counts:
            texts.append(f"{' and '.join(counts)} of {_describe_key(line.key)}")
    return f"; not counted, as there was no reply: {', '.join(texts)}" if texts else ""


def _unread_share(number: MatrixCell) -> float:
    return float(number.unread.rstrip("%"))


def study_sentences(matrix: Matrix) -> list[Sentence]:
    """Return up to three sentences on a study: on two numbers of its matrix, and on parse failures.

    The first number of every task comes before the second number of any task. Of a metric of a task
    only the first column has a sentence.
    """
    counts: Counter[str] = Counter()
    metrics: set[tuple[str, str]] = set()
    candidates: list[tuple[int, int]] = []  # earlier candidates of the task, and the column
    for column_index, column in enumerate(matrix.columns):
        if (column.task, column.metric) not in metrics:
            metrics.add((column.task, column.metric))
            candidates.append((counts[column.task], column_index))
            counts[column.task] += 1
    chosen = [column_index for _, column_index in sorted(candidates)[:2]]
    sentences = [column_sentence(matrix, column_index) for column_index in chosen]
    return list(filter(None, [*sentences, unread_sentence(matrix)]))
