"""Questions and statements written for this project: whole, balanced, right where code can tell."""

from __future__ import annotations

import ast
import json
import operator
import re
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from importlib import resources
from itertools import pairwise
from typing import Any

import pytest

from inspect_confidence.datasets.questions import BUNDLED, bundled_questions, load_questions

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


EVERYTHING = [(part, record) for part in BUNDLED for record in records(part)]
STATEMENTS = records("statements")
OTHERS = [
    record
    for file in FOLDER.iterdir()
    if file.name.endswith(".jsonl") and file.name != "statements.jsonl"
    for record in records(file.name.removesuffix(".jsonl"))
]


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


def mean_length(group: Sequence[Record]) -> float:
    """How many characters their questions have on average."""
    return sum(len(record["question"]) for record in group) / len(group)


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
    knowledge = Counter((row["subject"], row["difficulty"]) for row in records("knowledge"))
    subjects = {subject for subject, _ in knowledge}
    assert len(subjects) == 8
    assert set(knowledge) == {(subject, level) for subject in subjects for level in LEVELS}
    assert len(set(knowledge.values())) == 1  # equally many of each
    for part in BUNDLED:
        assert {record["difficulty"] for record in records(part)} == set(LEVELS)


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
            assert all(text == text.strip() != "" for text in choices), record["id"]
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
    checked = [record for record in STATEMENTS if record["subject"] == "mathematics"]
    assert len(checked) == 9
    for record in checked:
        assert holds(record["expression"]) is record["answer"], record["id"]


def test_items_equal_the_records_of_the_files() -> None:
    """By id: question, choices, the letter or the exact number, and the subject."""
    # Questions of knowledge name their basis, word problems their derivation.
    items = bundled_questions()
    assert len(items) == len(EVERYTHING)
    for part, record in EVERYTHING:
        item = items[record["id"]]
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
    parts = [load_questions(part) for part in BUNDLED]
    assert [selection.name for selection in parts] == list(BUNDLED)
    assert {i.id for selection in parts for i in selection.items} == {i.id for i in whole.items}
    assert len({whole.fingerprint, *(selection.fingerprint for selection in parts)}) == 4
    for selection in parts:
        halves = Counter(item.split for item in selection.items)
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
        assert all(type(record[key]) is str for key in (*keys[:4], "basis", *extra))
        question, basis = record["question"], record["basis"]
        assert re.fullmatch(r"[A-Z][^?]*\w[^?]*\?", question), record["id"]
        assert (question, basis) == (question.strip(), basis.strip()), record["id"]
        assert len(basis) >= 15, record["id"]


def test_statements_are_balanced_by_subject_difficulty_and_answer() -> None:
    """126 in all: three at each of three difficulties in each of fourteen subjects."""
    # Of the 42 of a difficulty, 21 are true, within a subject nearly half; in the file's order an
    # answer differs from the one before about as often as by chance.
    assert len(STATEMENTS) == 126
    cells = Counter((record["subject"], record["difficulty"]) for record in STATEMENTS)
    subjects = {subject for subject, _ in cells}
    assert len(subjects) == 14
    assert set(cells) == {(subject, level) for subject in subjects for level in LEVELS}
    assert set(cells.values()) == {3}
    for level in LEVELS:
        chosen = [record for record in STATEMENTS if record["difficulty"] == level]
        assert Counter(record["answer"] for record in chosen) == {True: 21, False: 21}, level
    true = Counter(record["subject"] for record in STATEMENTS if record["answer"])
    assert set(true.values()) == {4, 5}  # of nine
    changes = sum(before["answer"] != after["answer"] for before, after in pairwise(STATEMENTS))
    assert 45 <= changes <= 80  # 62.5 expected of 125, with a standard deviation of 5.6


def test_ids_and_questions_are_unique_in_all_bundled_files() -> None:
    """In all bundled files; no id breaks a sample's, no question has another's words."""
    # A statement's id is `st`, the subject, the difficulty and a number from 1 to 3.
    ids = [record["id"] for record in STATEMENTS]
    all_ids = ids + [record["id"] for _, record in EVERYTHING]
    assert len(set(all_ids)) == len(all_ids)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*-\d+", name) for name in all_ids)
    assert OTHERS
    assert not {record["id"] for record in OTHERS} & set(ids)
    for record in STATEMENTS:
        stem, number = record["id"].rsplit("-", 1)
        assert stem == f"st-{record['subject']}-{record['difficulty']}"
        assert number in {"1", "2", "3"}
    # A statement's aren't in any other bundled file either.
    for group in (STATEMENTS, [record for _, record in EVERYTHING]):
        texts = Counter(folded(record["question"]) for record in group)
        assert texts.most_common(1)[0][1] == 1
    other_questions = {folded(record["question"]) for record in OTHERS if "question" in record}
    assert not other_questions & {folded(record["question"]) for record in STATEMENTS}


def test_length_and_sweeping_words_do_not_tell_the_answer() -> None:
    """True and false questions are equally long within 10%, in all and at each difficulty."""
    # At most one question in ten has a negation or a sweeping word, and about equally many of these
    # are true and false.
    for levels in (LEVELS, *((level,) for level in LEVELS)):
        chosen = [record for record in STATEMENTS if record["difficulty"] in levels]
        true = mean_length([record for record in chosen if record["answer"]])
        false = mean_length([record for record in chosen if not record["answer"]])
        assert 0.9 <= true / false <= 1 / 0.9, levels
    cued = Counter(
        record["answer"] for record in STATEMENTS if _CUES.search(record["question"].casefold())
    )
    assert cued.total() <= len(STATEMENTS) / 10
    assert abs(cued[True] - cued[False]) <= 2
