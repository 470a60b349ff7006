"""Order-of-magnitude questions: bundled, Science Olympiad's, and files of the user's own."""

from __future__ import annotations

import ast
import hashlib
import json
import math
import operator
import re
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from importlib import resources
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import inspect_confidence.tasks
from build import attributes_of, by_id, parse_jsonl, record_table
from inspect_confidence.datasets import fermi
from inspect_confidence.datasets.cache import SOURCES, Source
from inspect_confidence.datasets.fermi import FermiItem, corrected, load_fermi
from inspect_confidence.datasets.selection import Selection
from refusals import refused

Row = dict[str, Any]

PUBLISHED = 4_008


def exponent_of(value: Decimal | int) -> int:
    """The rule: m x 10^k with 1 <= m < 10 has the exponent k where m < 5, else k + 1."""
    value = Decimal(value)
    place = value.adjusted()
    return place if value.scaleb(-place) < 5 else place + 1


def simplified(question: str) -> str:
    """A question without case, blanks and punctuation."""
    return re.sub(r"\W+", "", question.lower())


def test_mantissas_below_5_round_down_and_others_up() -> None:
    """Mantissas below 5 go down and the others go up, on both sides of one."""
    for value, exponent in [
        ("1", 0),
        ("4.99", 0),
        ("5", 1),
        ("9.9", 1),
        ("10", 1),
        ("49", 1),
        ("0.05", -1),
        ("0.04", -2),
    ]:
        assert exponent_of(Decimal(value)) == exponent


# Bundled

OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def evaluated(node: ast.expr) -> float:
    """The value of an expression of numbers, + - * / ** and unary minus, and nothing else."""
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -evaluated(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return OPERATORS[type(op)](evaluated(left), evaluated(right))
    raise ValueError(ast.dump(node))


@pytest.fixture(scope="module")
def bundled_rows() -> list[Row]:
    """The bundled records, read here."""
    file = resources.files("inspect_confidence.datasets") / "bundled" / "fermi.jsonl"
    return parse_jsonl(file.read_text("utf-8"))


def test_bundled_records_are_whole_and_unique(bundled_rows: list[Row]) -> None:
    """At least 200 of 8 domains, none with a quarter of them; each with its texts, and an integer.

    No id stands twice, and no question, even in another case or punctuation.
    """
    texts = ["id", "domain", "question", "derivation", "basis"]
    table = pd.DataFrame(bundled_rows)
    assert len(table) >= 200
    assert table["domain"].nunique() >= 8
    assert table["domain"].value_counts(normalize=True).max() < 1 / 4
    assert set(table) == {*texts, "exponent"}
    assert (table[texts].apply(lambda column: column.str.strip()) != "").all(axis=None)
    assert set(map(type, table["exponent"].tolist())) == {int}
    assert table["id"].is_unique
    assert table["question"].map(simplified).is_unique


def test_bundled_exponents_follow_from_their_derivations(bundled_rows: list[Row]) -> None:
    """Each derivation, calculated here, gives its record's exponent by the rule."""
    # No value is so near to a border of the rule that a better constant would turn it: by the rule
    # it lies in [0.5, 5) x 10^exponent, here in [0.7, 3.5].
    for row in bundled_rows:
        value = Decimal(evaluated(ast.parse(row["derivation"], mode="eval").body))
        assert exponent_of(value) == row["exponent"], (row["id"], f"{value:.3e}")
        scaled = value.scaleb(-row["exponent"])
        assert Decimal("0.7") <= scaled <= Decimal("3.5"), (row["id"], f"{value:.3e}")


def test_the_evaluator_keeps_precedence_and_refuses_all_but_arithmetic() -> None:
    """It keeps precedence, parentheses and signs, and refuses all but arithmetic."""
    for text in ["__import__('os')", "f(1)", "x", "1 if 1 else 2", "True", "1 % 2"]:
        with pytest.raises(ValueError, match=r"\w+\("):
            evaluated(ast.parse(text, mode="eval").body)
    assert evaluated(ast.parse("-(1 + 2 * 3) ** 2 / 4e0 - -1", mode="eval").body) == -11.25


def test_bundled_is_loaded_whole_in_equal_halves_and_by_range(bundled_rows: list[Row]) -> None:
    """In two halves of the same number; of a range what is inside, both ends included, is left."""
    selection = load_fermi("bundled")
    rows = pd.DataFrame(bundled_rows).set_index("id")[["question", "exponent"]].sort_index()
    items = record_table(selection.items).set_index("id")
    pd.testing.assert_frame_equal(items[["question", "exponent"]].sort_index(), rows)
    assert selection.name == "bundled"
    assert dict(selection.excluded) == {}
    assert set(items["split"].value_counts(normalize=True)) == {0.5}
    # A narrower range leaves the items inside, both ends included, and counts the others.
    rows = rows[rows["exponent"].between(3, 6)]
    selection = load_fermi("bundled", exponents=(3, 6))
    items = record_table(selection.items)
    assert set(items["id"]) == set(rows.index)
    assert {3, 6} <= set(items["exponent"])
    assert dict(selection.excluded) == {"exponent out of range": len(bundled_rows) - len(rows)}
    message = refused(load_fermi, "bundled", exponents=(900, 901))
    assert message.startswith("No item is left in split=all")
    assert "check the data set" in message


# Science Olympiad


@pytest.fixture
def files(published: Path) -> tuple[list[Row], dict[str, Row]]:
    """Rows and corrections, read here; the script's second list has no part in it."""
    rows = json.loads((published / "fermi" / "questions.json").read_text("utf-8"))
    script = (published / "fermi" / "corrections.js").read_text("utf-8")
    first, _ = script.split("corrections_list", maxsplit=1)
    return rows, json.loads(first.removeprefix("corrections = "))


def key_of(row: Row) -> str:
    """A row's name among the corrections."""
    return f"{row['source']}, #{row['number']}" if "number" in row else str(row["source"])


PLACES = {"previous", "preceding", "last", "above", "prior"}
KINDS = ("question", "problem", "answer")
NUMBERS = {
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
}


def refers_elsewhere(question: str) -> bool:
    """Whether a question needs others: by their place before it, by number, or all of the test."""
    words = [word.lstrip("([\"'\u201c") for word in question.lower().split()]
    for place, (current, following) in enumerate(pairwise([*words, ""])):
        bare = following.rstrip(".,:;?!)]\"'\u2019\u201d")
        second_following = (
            words[place + 2] if following.isalnum() and place + 2 < len(words) else ""
        )
        singular = current.removesuffix("s")
        if (
            (
                current in PLACES
                and (following.startswith(KINDS) or second_following.startswith(KINDS))
            )
            or (singular in KINDS and bare in ("above", "before"))
            or (current in ("every", "meta") and re.split(r"\W", following)[0] == "question")
            or re.split(r"\W", current.replace("meta-", "meta"))[0] == "metaquestion"
            or (singular == "question" and (following.removeprefix("#")[:1].isdigit()))
            or (singular == "question" and bare in NUMBERS)
            or (current == "in" and following[:1] == "#" and following[1:2].isdigit())
        ):
            return True
    return False


@pytest.fixture
def pool(files: tuple[list[Row], dict[str, Row]]) -> tuple[pd.DataFrame, dict[str, int]]:
    """The usable questions and the counts of the others, derived anew as a table."""
    rows, corrections = files
    texts = []
    for place, row in enumerate(rows):
        correction = corrections.get(key_of(row), {})
        text = {
            "id": f"scioly-{place:04d}",
            "question": correction.get("question") or row["question"],
            "answer": str(correction.get("answer") or row["answer"]),
        }
        texts.append(text)
    table = pd.DataFrame(texts)
    table["question"] = table["question"].str.split().str.join(" ")
    counts: dict[str, int] = {}

    def leave_out(reason: str, mask: pd.Series[bool]) -> None:
        nonlocal table
        counts[reason] = int(mask.sum())
        table = table[~mask]

    leave_out("discarded at the source", table["question"].str.contains("DISCARD"))
    leave_out("too short to be a question", table["question"].str.len() < 15)
    leave_out("refers to another question", table["question"].map(refers_elsewhere))
    leave_out("answer is no whole number", ~table["answer"].str.removeprefix("-").str.isdecimal())
    table["letters"] = table["question"].str.casefold().map(simplified)
    answers = table.groupby("letters")["answer"].transform("nunique")
    leave_out("same question with different answers", answers > 1)
    leave_out("duplicate", table["letters"].duplicated())
    table["exponent"] = table["answer"].astype(int)
    return table, counts


@pytest.mark.slow
def test_scioly_size_and_halves(published: Path) -> None:
    """500 items to calibrate on and 500 to test on; a short run's halves differ by one at most."""
    selection = load_fermi("scioly")
    assert selection.name == "scioly"
    splits = record_table(selection.items)["split"]
    assert splits.value_counts().to_dict() == {"train": 500, "test": 500}
    for length in (1, 2, 99, 500, 999):
        halves = Counter(attributes_of(load_fermi("scioly", items=length).items, "split"))
        assert halves["train"] + halves["test"] == length
        assert abs(halves["train"] - halves["test"]) <= 1, length


def test_scioly_counts_add_up(pool: tuple[pd.DataFrame, dict[str, int]]) -> None:
    """Every published row is asked or counted under one reason, as derived anew here."""
    # Every exponent lies inside the range; the ends of a narrow one occur.
    for exponents in [(-50, 50), (-5, 5), (-5, -5), (0, 0), (-50, -1), (-999, 10**7)]:
        usable, counts = pool
        inside = usable["exponent"].between(*exponents)
        counts["exponent out of range"] = int((~inside).sum())
        counts["not drawn"] = max(int(inside.sum()) - 1_000, 0)
        selection = load_fermi("scioly", exponents=exponents)
        excluded = pd.Series(counts)
        assert dict(selection.excluded) == excluded[excluded > 0].to_dict(), exponents
        assert sum(selection.excluded.values()) + len(selection.items) == PUBLISHED, exponents
        item_exponents = record_table(selection.items)["exponent"]
        assert item_exponents.between(*exponents).all()
        assert exponents not in [(-5, 5), (-5, -5)] or set(exponents) <= set(item_exponents)


def test_scioly_items_are_usable_rows(pool: tuple[pd.DataFrame, dict[str, int]]) -> None:
    """Every item has the question and answer of its row after correction, as derived anew."""
    usable = pool[0].set_index("id")
    for seed in (0, 1):
        for item in load_fermi("scioly", seed=seed).items:
            assert usable.loc[item.id, "question"] == item.question
            assert usable.loc[item.id, "exponent"] == item.exponent


def test_scioly_narrow_range_has_every_item(
    pool: tuple[pd.DataFrame, dict[str, int]], caplog: pytest.LogCaptureFixture
) -> None:
    """Where a range has fewer than a thousand items, all are asked, and a warning says so."""
    usable, _ = pool
    expected = set(usable[usable["exponent"].between(-3, -2)]["id"])
    assert 0 < len(expected) < 1_000
    assert set(by_id(load_fermi("scioly", exponents=(-3, -2)).items)) == expected
    assert f"only {len(expected)} of 1000 items" in caplog.text
    caplog.clear()
    load_fermi("scioly")
    assert caplog.text == ""


def test_scioly_seed_draws_other_items(published: Path) -> None:
    """A seed gives the same items in the same order and halves; another seed draws others."""
    first, repeated = load_fermi("scioly", seed=0), load_fermi("scioly", seed=0)
    other_seed = load_fermi("scioly", seed=1)
    assert first.items == repeated.items
    shared = by_id(first.items).keys() & by_id(other_seed.items).keys()
    assert 0 < len(shared) < 500  # of 3,601, by chance 277
    assert first.fingerprint == other_seed.fingerprint


def questions_of(exponents: tuple[int, int]) -> set[str]:
    """The questions that are asked with exponents of a range."""
    return set(attributes_of(load_fermi("scioly", exponents=exponents).items, "question"))


def test_scioly_corrected_answers_have_the_right_exponent(
    files: tuple[list[Row], dict[str, Row]],
) -> None:
    """Answers that were published wrong have the exponent of what the question asks for."""
    for published_answer, question, value in [
        # 64 teams play 63 games
        (18, "How many distinct March Madness brackets are there?", 2**63),
        (
            8,
            "How many possible five-card hands can you deal with a standard 52-card deck?",
            math.comb(52, 5),
        ),
        # F(2n) = F(n) (2 F(n+1) - F(n)), with F(50) and F(51)
        (
            7,
            "What is the 100th Fibonacci number?",
            12_586_269_025 * (2 * 20_365_011_074 - 12_586_269_025),
        ),
    ]:
        rows = pd.DataFrame(files[0])
        answers = rows.loc[rows["question"].str.strip() == question, "answer"].tolist()
        right = exponent_of(value)
        assert answers == [published_answer]
        assert published_answer != right
        assert question in questions_of((right, right))
        assert question not in questions_of((published_answer, published_answer))


def test_a_corrected_scioly_question_has_its_power_sign(
    files: tuple[list[Row], dict[str, Row]],
) -> None:
    """A question that had lost its power sign has it, and the answer that was right all along."""
    # A correction that only asks to include the question above isn't a question.
    published_questions = pd.DataFrame(files[0])["question"].str.strip()
    assert "What is the sum of the numbers from 1 to 105 ?" in set(published_questions)
    right = exponent_of(sum(range(1, 10**5 + 1)))
    questions = questions_of((right, right))
    assert "What is the sum of the numbers from 1 to 10^5 ?" in questions
    assert "What is the sum of the numbers from 1 to 105 ?" not in questions
    assert "Include the answer to the question above?" not in questions_of((13, 13))


def test_a_scioly_question_corrected_to_13_characters_is_left_out(
    files: tuple[list[Row], dict[str, Row]],
) -> None:
    """A row corrected to `What is 2^12?`, of 13 characters, isn't asked, with either answer."""
    # The correction says 4; 4,096 is 3 by the rule, as published.
    rows, corrections = files
    name = "BirdSO In-Person Invitational 22-23, #5"
    assert corrections[name]["question"] == "What is 2^12?"
    place = list(map(key_of, rows)).index(name)
    assert corrected(rows[place], corrections)[2] == "too short to be a question"
    assert (rows[place]["answer"], corrections[name]["answer"]) == (exponent_of(2**12), "4")
    for exponent in (3, 4):
        items = load_fermi("scioly", exponents=(exponent, exponent)).items
        assert f"scioly-{place:04d}" not in by_id(items)


def test_scioly_asks_no_question_twice(published: Path) -> None:
    """Whatever the seed, in either half, even in another case or punctuation."""
    for seed in range(3):
        items = load_fermi("scioly", seed=seed).items
        assert len(by_id(items)) == 1_000
        assert record_table(items)["question"].map(simplified).is_unique


# Science Olympiad's rules, on rows made for them

LONG = "How many of them are there?"


def row(question: str = LONG, answer: object = 3, **more: object) -> Row:
    """A row as it is published."""
    return {"question": question, "answer": answer, "source": "Invitational 20-21", **more}


PLACES_AND_KINDS = product(
    ("previous", "Preceding", "last", "above", "prior"),
    ("question", "Problem", "answer", "questions"),
)
REASONS: dict[str | None, list[tuple[str, object]]] = {
    None: [
        *((LONG, 3), (LONG, -30), (LONG, "3"), ("How far is it?!", 3)),  # 15 characters
        ("How many questions are in such a test?", 3),
        ("How far above sea level is it? Answer in km.", 3),
        ("How many fans has the team ranked #1?", 3),
        ("How many lines can a #2 pencil draw?", 3),
        ("What was it last year? One question only.", 3),
        ("Which questions often come up, and how often?", 3),
    ],
    "too short to be a question": [("How far is it?", 3), ("How far    is it?\n", 3), ("", 3)],
    "discarded at the source": [("DISCARD", 3), (f"DISCARDD DISCARD {LONG}", 3)],
    "refers to another question": [
        *((f"How many more than in the {place} {kind}?", 3) for place, kind in PLACES_AND_KINDS),
        ("Using the Last Answer, how many are there?", 3),
        ("How many more than in question 6?", 3),
        ("How many more than in Question #6?", 3),
        ("How many more than in question fourteen?", 3),
        ("How many more than in question two?", 3),
        ("How many more than in the question above?", 3),
        ("What is the sum of the answers before this?", 3),
        ("How many more than in the last two questions?", 3),
        ("How many of the crayons in #9 would melt?", 3),
        ("What do you get for guessing every question?", 3),
        ("Meta-question: what is the sum?", 3),
        ("Meta question: what is the sum?", 3),
    ],
    "answer is no whole number": [(LONG, "~"), (LONG, 2.5), (LONG, ""), (LONG, None)],
}


def test_each_row_has_the_reason_for_leaving_it_out() -> None:
    """Each reason has its rows, and its neighbours that are used."""
    for reason, rows in REASONS.items():
        for question, answer in rows:
            assert corrected(row(question, answer), {})[2] == reason, (question, answer)


def test_empty_parts_of_a_correction_keep_the_published_text() -> None:
    """What a correction leaves empty stays as it was; rows are named with and without a number."""
    # One whose name only resembles the row's doesn't touch it.
    new_question, source = "How many of these are there?", "Invitational 20-21"
    for corrected_question, answered, question, answer in [
        ("", "", LONG, "3"),
        (new_question, "", new_question, "3"),
        ("", "0", LONG, "0"),
        ("How many\nof these?", "-4", "How many of these?", "-4"),
    ]:
        correction = {"question": corrected_question, "answer": answered}
        for name, published_row in ((source, row()), (f"{source}, #7", row(number=7))):
            correction_result = corrected(
                published_row, {name: correction, "Other": {"question": "x"}}
            )
            assert correction_result == (question, answer, None), (name, correction)
    for name in (source, f"{source}, #70", "20-21, #7"):
        correction_result = corrected(row(number=7), {name: {"question": "", "answer": "9"}})
        assert correction_result == (LONG, "3", None), name


def test_rows_left_out_are_counted_by_their_reason(
    offline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of twelve rows, four are asked, and each other one is counted under its reason."""
    rows = [
        row("How many ants are there?", 16),  # the first of two: asked
        row("How many Ants  are there\n", "16"),  # but for blanks, case and marks: a duplicate
        row("How many bees are there?", 12),  # two answers: neither is asked
        row("How many bees are there?", 13),
        row("How many cats are there?", 8),  # two answers, of which a correction unites: asked
        row("How many cats are there?", 9, number=5),
        row("How many dogs are there?", 99),  # out of range
        row("How many elks are there?", 6),  # asked
        row("Compute 7^", 12, number=9),  # corrected to a question: asked
        row("DISCARD", 1),
        row("Compute 8^", 1),
        row("How many eels are there?", "many"),
    ]
    corrections = {
        "Invitational 20-21, #5": {"question": "", "answer": "8"},
        "Invitational 20-21, #9": {"question": "What is seven to the 14th?", "answer": ""},
    }
    files = {
        fermi.QUESTIONS: json.dumps(rows),
        fermi.CORRECTIONS: f"corrections = {json.dumps(corrections)}\nothers = ['a', '{{']",
    }
    for name, text in files.items():
        (offline / name).parent.mkdir(exist_ok=True)
        (offline / name).write_text(text, encoding="utf-8")
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        monkeypatch.setitem(SOURCES, name, Source(name, "http://nowhere.invalid", sha256))
    selection = load_fermi("scioly")
    assert contents(selection) == {
        ("scioly-0000", "How many ants are there?", 16),
        ("scioly-0004", "How many cats are there?", 8),
        ("scioly-0007", "How many elks are there?", 6),
        ("scioly-0008", "What is seven to the 14th?", 12),
    }
    assert dict(selection.excluded) == {
        "duplicate": 2,
        "same question with different answers": 2,
        "exponent out of range": 1,
        "discarded at the source": 1,
        "too short to be a question": 1,
        "answer is no whole number": 1,
    }


# Files of the user's own


def contents(selection: Selection[FermiItem]) -> set[tuple[str, str, int]]:
    """Id, question and exponent of the items, whatever their order."""
    return {(item.id, item.question, item.exponent) for item in selection.items}


OWN = {
    "mine.csv": 'question,exponent\n"How many, roughly?",7\nHow far is it?,-2\n',
    "mine.jsonl": '{"question": "How many, roughly?", "exponent": 7}\n'
    '{"question": "How far is it?", "exponent": -2}\n',
}


def test_two_columns_are_enough_for_a_fermi_file(
    offline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two columns are enough: rows are numbered from one and split into halves."""
    # While Inspect loads a task, the file is looked for where the user stands, not where the task
    # file lies; from Python a Path works too, and only the file's name is shown.
    for name, text in OWN.items():
        (offline / name).write_text(text, encoding="utf-8")
        selection = load_fermi(name)
        assert contents(selection) == {
            ("mine-0001", "How many, roughly?", 7),
            ("mine-0002", "How far is it?", -2),
        }, name
        assert selection.name == name
        assert set(attributes_of(selection.items, "split")) == {"train", "test"}, name
        assert dict(selection.excluded) == {}, name
    monkeypatch.chdir(Path(inspect_confidence.tasks.__file__).parent)
    for name in OWN:
        assert len(load_fermi(name).items) == 2
    assert load_fermi(offline / "mine.csv").name == "mine.csv"


def test_an_unknown_fermi_set_is_refused_with_the_known_ones(offline: Path) -> None:
    """A word that is neither a set nor a file gets those there are, or the nearest."""
    for value in ("", False, None, 3, "folder/mine"):
        message = refused(load_fermi, value)
        assert message.startswith(f"dataset={value} is not known")
        for known_name in ("scioly", "bundled", ".csv", ".jsonl"):
            assert known_name in message, value
    assert refused(load_fermi, "Scioly").endswith("Did you mean 'scioly'?")


def test_ids_and_splits_of_a_fermi_file_are_kept(offline: Path) -> None:
    """Used where they have a value; then neither order nor halves are the file's."""
    (offline / "mine.csv").write_text(
        "note,id,question,exponent,split\n"
        "x,one,q1,1,test\nx,two,q2,2,test\nx,,q3,3,train\nx,four,q4,4,\n",
        encoding="utf-8",
    )
    items = by_id(load_fermi("mine.csv").items)
    assert set(items) == {"one", "two", "mine-0003", "four"}
    assert (items["one"].split, items["two"].split) == ("test", "test")
    assert items["mine-0003"].split == "train"
    assert items["four"].split in ("train", "test")
    assert "mine-0003" in by_id(load_fermi("mine.csv", split="train").items)
    assert {"one", "two"} <= by_id(load_fermi("mine.csv", split="test").items).keys()
    rows = [f"i{number},q{number},{number}" for number in range(12)]
    for name, order in (("a.csv", rows), ("b.csv", rows[::-1])):
        (offline / name).write_text("\n".join(["id,question,exponent", *order]), encoding="utf-8")
    assert load_fermi("a.csv", items=7).items == load_fermi("b.csv", items=7).items


def test_exponents_in_spreadsheet_notations_are_read(offline: Path) -> None:
    """In the notations of spreadsheets; those out of range are counted, even of many digits."""
    for value, exponent in [
        ("7", 7),
        ("+7", 7),
        (" -7 ", -7),
        ("7.0", 7),
        ("-7.00", -7),
        ("007", 7),
        ("0", 0),
    ]:
        (offline / "mine.csv").write_text(f"question,exponent\nq,{value}\n", encoding="utf-8")
        assert contents(load_fermi("mine.csv")) == {("mine-0001", "q", exponent)}
    (offline / "mine.csv").write_text(
        "question,exponent\nq,-51\nq,-50\nq,50\nq,51\nq,52\n", encoding="utf-8"
    )
    selection = load_fermi("mine.csv")
    assert set(record_table(selection.items)["exponent"]) == {-50, 50}
    assert dict(selection.excluded) == {"exponent out of range": 3}
    for value in ["1000000", "-1000000.0", "9" * 400, "-" + "9" * 4000]:
        (offline / "mine.csv").write_text(f"question,exponent\nq,1\nq,{value}\n", encoding="utf-8")
        assert dict(load_fermi("mine.csv").excluded) == {"exponent out of range": 1}, value
