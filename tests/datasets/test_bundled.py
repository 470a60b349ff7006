"""Questions and statements written for this project: whole, balanced, right where code can tell."""

from __future__ import annotations

import ast
import json
import operator
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from importlib import resources
from itertools import chain, product
from typing import Any

import pandas as pd
import pytest

from build import attributes_of, by_id, rows_with
from inspect_confidence.datasets.questions import (
    BUNDLED,
    Question,
    bundled_questions,
    load_questions,
)

Record = dict[str, Any]

FOLDER = resources.files("inspect_confidence.datasets") / "bundled"
LEVELS = ("easy", "medium", "hard")

_OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.FloorDiv: lambda dividend, divisor: Fraction(dividend // divisor),
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Fraction, Fraction], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_CUES = re.compile(
    r"\b(not|no|non|never|none|nothing|neither|nor|without|cannot|\w+n't"
    r"|always|only|every|all|any|must|exactly)\b"
)


def records(part: str) -> list[Record]:
    """The lines of a bundled file, with numbers as exact fractions of their decimals."""
    text = (FOLDER / f"{part}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line, parse_float=Fraction) for line in text.splitlines()]


def bundled_table(*parts: str) -> pd.DataFrame:
    """The lines of bundled files as rows."""
    return pd.DataFrame(chain.from_iterable(map(records, parts)))


EVERYTHING = bundled_table(*BUNDLED)
STATEMENTS = records("statements")
STATEMENT_TABLE = pd.DataFrame(STATEMENTS)
FILE_NAMES = {file.name for file in FOLDER.iterdir() if file.name.endswith(".jsonl")}
OTHERS = bundled_table(*(name.removesuffix(".jsonl") for name in FILE_NAMES - {"statements.jsonl"}))


def exact(node: ast.expr) -> Fraction:
    """The value of an arithmetic expression, in exact fractions; anything else is an error."""
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return Fraction(repr(number))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -exact(operand)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() as power)):
            assert power < 100
            return Fraction(exact(left) ** power)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](exact(left), exact(right))
    raise ValueError(f"no arithmetic: {ast.dump(node)}")


def holds(expression: str) -> bool:
    """Whether one comparison of two arithmetic expressions is true."""
    # The text is only parsed, never run: its syntax tree may hold numbers, `+ - * / // % **` (with
    # a plain number below 100 for the power) and a single comparison on top. Names, calls,
    # attributes and all else raise. Both sides are exact fractions, so that 0.6 is six tenths and
    # nothing is rounded.
    match ast.parse(expression, mode="eval").body:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
            return _COMPARISONS[type(op)](exact(left), exact(right))
    raise ValueError(f"no comparison: {expression}")


def folded(text: str) -> str:
    """A text by its letters and digits alone."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def mean_length(rows: pd.DataFrame) -> float:
    """How many characters their questions have on average."""
    return float(rows["question"].str.len().mean())


def test_the_evaluator_is_exact_and_accepts_one_comparison_only() -> None:
    """The oracle of the mathematics: exact decimals and large powers, and no names or calls."""
    assert exact(ast.parse("3.2 / (0.5 * 0.5) - 1", mode="eval").body) == Fraction(59, 5)
    assert exact(ast.parse("-(7 // 2) + 2 ** 3", mode="eval").body) == 5
    assert holds("0.1 + 0.2 == 0.3")
    assert holds("10 ** 20 + 1 > 10 ** 20")
    assert not holds("7 % 4 != 3")
    for text in ("1 + 1", "1 < 2 < 3", "1 in 2", "__import__('os')"):
        with pytest.raises(ValueError, match="no comparison"):
            holds(text)
    for text in ("abs(1) > 0", "x > 0", "True > 0", "'a' > 0", "(1).real > 0", "5 | 2 > 2"):
        with pytest.raises(ValueError, match="no arithmetic"):
            holds(text)
    with pytest.raises(AssertionError):
        holds("9 ** 100 > 1")


# Questions


def test_every_subject_has_equally_many_questions_of_each_difficulty() -> None:
    """At least 240 in all; eight subjects of knowledge, each at three difficulties."""
    assert len(EVERYTHING) >= 240
    knowledge = bundled_table("knowledge").value_counts(["subject", "difficulty"])
    subjects = knowledge.index.unique("subject")
    assert len(subjects) == 8
    assert set(knowledge.index) == set(product(subjects, LEVELS))
    assert knowledge.nunique() == 1  # equally many of each
    for part in BUNDLED:
        assert set(bundled_table(part)["difficulty"]) == set(LEVELS)


def test_choices_are_distinct_and_the_answer_is_one_of_them() -> None:
    """Four different choices, an index among them, and each letter right equally often."""
    # Who always picks the longest choice is right less than two times in five.
    for part in ("knowledge", "misconceptions"):
        letters: Counter[int] = Counter()
        longest = 0
        for record in records(part):
            choices = record["choices"]
            assert len(choices) == 4
            assert len({text.casefold().strip(" .") for text in choices}) == 4, record["id"]
            assert choices == list(map(str.strip, choices)), record["id"]
            assert "" not in choices, record["id"]
            assert type(record["answer"]) is int
            assert 0 <= record["answer"] < 4
            letters[record["answer"]] += 1
            longest += choices[record["answer"]] == max(choices, key=len)
        assert max(letters.values()) - min(letters.values()) <= 1, part
        assert longest / letters.total() < 0.4, part


def test_expressions_have_exactly_the_value_of_the_answer() -> None:
    """Word problems and statements of mathematics, without any rounding."""
    for record in records("word_problems"):
        value = exact(ast.parse(record["expression"], mode="eval").body)
        assert value == record["answer"], record["id"]
    checked = rows_with(STATEMENTS, subject="mathematics")
    assert len(checked) == 9
    for record in checked:
        assert holds(record["expression"]) is record["answer"], record["id"]


def test_items_equal_the_records_of_the_files() -> None:
    """By id: question, choices, the letter or the exact number, and the subject."""
    # Questions of knowledge name their basis, word problems their derivation.
    items = bundled_questions()
    assert len(items) == len(EVERYTHING)
    for part in BUNDLED:
        for record in records(part):
            check_item(items[record["id"]], record, part)


def check_item(item: Question, record: Record, part: str) -> None:
    """An item has the question, the answer and the subject of its record, which has a basis."""
    assert item.question == record["question"]
    assert item.part == record["subject"]
    if part == "word_problems":
        assert item.choices == ()
        assert Fraction(item.target) == record["answer"]
        assert len(record["expression"].strip()) >= 3, record["id"]
    else:
        assert item.choices == tuple(record["choices"])
        assert item.target == "ABCD"[record["answer"]]
        assert len(record["basis"].strip()) >= 15, record["id"]


def test_bundled_holds_exactly_the_items_of_its_parts() -> None:
    """`bundled` holds the items of its three parts, each in both halves, under its own name."""
    whole = load_questions("bundled")
    assert whole.name == "bundled"
    parts = list(map(load_questions, BUNDLED))
    assert attributes_of(parts, "name") == list(BUNDLED)
    items_of_parts = chain.from_iterable(attributes_of(parts, "items"))
    assert by_id(items_of_parts).keys() == by_id(whole.items).keys()
    fingerprints = {whole.fingerprint, *attributes_of(parts, "fingerprint")}
    assert len(fingerprints) == 4
    for selection in parts:
        halves = Counter(attributes_of(selection.items, "split"))
        assert abs(halves["train"] - halves["test"]) <= 1


# Statements


def test_statements_have_all_keys_one_question_and_a_basis() -> None:
    """The same keys in the same order, and an expression for mathematics alone."""
    # Each is one sentence with a question mark at its end, and has a basis that says something.
    keys = ["id", "subject", "difficulty", "question", "answer", "basis"]
    for record in STATEMENTS:
        extra = ["expression"] if record["subject"] == "mathematics" else []
        assert list(record) == keys + extra, record["id"]
        assert type(record["answer"]) is bool
        for key in (*keys[:4], "basis", *extra):
            assert type(record[key]) is str, (record["id"], key)
        question, basis = record["question"], record["basis"]
        assert re.fullmatch(r"[A-Z][^?]*\w[^?]*\?", question), record["id"]
        assert (question, basis) == (question.strip(), basis.strip()), record["id"]
        assert len(basis) >= 15, record["id"]


def test_statements_are_balanced_by_subject_difficulty_and_answer() -> None:
    """126 in all: three at each of three difficulties in each of fourteen subjects."""
    # Of the 42 of a difficulty, 21 are true, within a subject nearly half; in the file's order an
    # answer differs from the one before about as often as by chance.
    assert len(STATEMENTS) == 126
    cells = STATEMENT_TABLE.value_counts(["subject", "difficulty"])
    subjects = cells.index.unique("subject")
    assert len(subjects) == 14
    assert cells.to_dict() == dict.fromkeys(product(subjects, LEVELS), 3)
    for level in LEVELS:
        answers = STATEMENT_TABLE.loc[STATEMENT_TABLE["difficulty"] == level, "answer"]
        assert answers.value_counts().to_dict() == {True: 21, False: 21}, level
    true_counts = STATEMENT_TABLE.groupby("subject")["answer"].sum()
    assert set(true_counts) == {4, 5}  # of nine
    answers = STATEMENT_TABLE["answer"].astype(int)
    changes = (answers.diff().dropna() != 0).sum()
    assert 45 <= changes <= 80  # 62.5 expected of 125, with a standard deviation of 5.6


def test_ids_and_questions_are_unique_in_all_bundled_files() -> None:
    """In all bundled files; no id breaks a sample's, no question has another's words."""
    # A statement's id is `st`, the subject, the difficulty and a number from 1 to 3.
    all_ids = pd.concat([STATEMENT_TABLE["id"], EVERYTHING["id"]])
    assert all_ids.is_unique
    assert all_ids.str.fullmatch(r"[a-z]+(?:-[a-z]+)*-\d+").all()
    assert len(OTHERS)
    assert set(OTHERS["id"]).isdisjoint(STATEMENT_TABLE["id"])
    for record in STATEMENTS:
        stem, number = record["id"].rsplit("-", 1)
        assert stem == f"st-{record['subject']}-{record['difficulty']}"
        assert number in {"1", "2", "3"}
    # A statement's aren't in any other bundled file either.
    statement_texts = STATEMENT_TABLE["question"].map(folded)
    assert statement_texts.is_unique
    assert EVERYTHING["question"].map(folded).is_unique
    assert set(OTHERS["question"].dropna().map(folded)).isdisjoint(statement_texts)


def test_length_and_sweeping_words_do_not_tell_the_answer() -> None:
    """True and false questions are equally long within 10%, in all and at each difficulty."""
    # At most one question in ten has a negation or a sweeping word, and about equally many of these
    # are true and false.
    for levels in (LEVELS, *((level,) for level in LEVELS)):
        rows = STATEMENT_TABLE[STATEMENT_TABLE["difficulty"].isin(levels)]
        is_true = rows["answer"].astype(bool)
        ratio = mean_length(rows[is_true]) / mean_length(rows[~is_true])
        assert 0.9 <= ratio <= 1 / 0.9, levels
    has_cue = STATEMENT_TABLE["question"].str.casefold().map(_CUES.search).notna()
    cued = Counter(STATEMENT_TABLE.loc[has_cue, "answer"])
    assert cued.total() <= len(STATEMENTS) / 10
    assert abs(cued[True] - cued[False]) <= 2
