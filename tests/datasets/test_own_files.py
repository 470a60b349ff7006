"""A user's own questions: what all four kinds of question sets take and refuse alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from build import attributes_of, by_id, numbered
from inspect_confidence.datasets.decisions import load_decision_questions
from inspect_confidence.datasets.fermi import load_fermi
from inspect_confidence.datasets.hedge_markers import load_marker_questions
from inspect_confidence.datasets.question_sets import load_question_set
from inspect_confidence.datasets.questions import load_questions
from refusals import refused

Row = dict[str, Any]

GOOD: Mapping[str, tuple[Callable[..., Any], Row]] = {
    "numbers": (load_questions, {"question": "Good?", "target": 3}),
    "sets": (load_question_set, {"question": "Good?", "target": False}),
    "markers": (partial(load_marker_questions, split="all"), {"question": "Good?", "answers": "x"}),
    "fermi": (load_fermi, {"question": "Good?", "exponent": 1}),
}
"""By kind: its loader, and a row that it takes."""

WITH_CHOICES = ("numbers", "sets", "markers")


def write_rows(home: Path, *rows: Row) -> str:
    """The name of a jsonl file with these rows."""
    (home / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return "mine.jsonl"


def bad(
    kinds: tuple[str, ...], column: str, values: Iterable[object], says: str
) -> list[tuple[tuple[str, ...], Row, str]]:
    """Cases of values that a column can't have, with the value in what is said."""
    return [(kinds, {column: value}, says.format(value)) for value in values]


BAD: list[tuple[tuple[str, ...], Row, str]] = [
    # Kinds, what the row has in place of what a good one has, what is said
    *bad(tuple(GOOD), "split", ("dev", "Train", "1", "all"), "split '{}' is not train or test."),
    (tuple(GOOD), {"question": ""}, "'question' is missing."),
    (tuple(GOOD), {"question": None}, "'question' is missing."),
    (tuple(GOOD), {"question": " \t"}, "'question' is missing."),
    (("numbers", "sets"), {"target": ""}, "'target' is missing."),
    (("numbers", "sets"), {"target": None}, "'target' is missing."),
    (("numbers",), {"target": "Paris"}, "target 'Paris' is not a number; free answers are numbers"),
    (("numbers",), {"target": "1/0"}, "target '1/0' is not a number"),
    # A number whose commas aren't between thousands is not read as another number.
    *bad(
        ("numbers",),
        "target",
        ("3,5", "1,2,3", "12,34", "1_0", "1e99999999", "1E-99999"),
        "target '{}' is no",
    ),
    (("sets",), {"target": "Paris"}, "target 'Paris' is neither true nor false; other questions"),
    (("sets",), {"target": "1"}, "target '1' is neither true nor false"),
    (("sets",), {"target": 1}, "target '1' is neither true nor false"),
    (("sets",), {"target": "A", "answer": "it"}, "target 'A' is neither true nor false"),
    (("markers",), {"answers": None}, "no answer is accepted; give `answers`, or `choices` and"),
    (("markers",), {"answers": []}, "no answer is accepted"),
    (("markers",), {"answers": " "}, "no answer is accepted"),
    (("markers",), {"answers": ["x", ""]}, "answers hold ''"),
    (("markers",), {"answers": "x||y"}, "answers hold ''"),
    (("markers",), {"answers": {"a": 1}}, 'write ["one", "other"] or one|other'),
    (("markers",), {"answers": [["x"]]}, "answers hold ['x']"),
    (("markers",), {"answers": [None]}, "answers hold None"),
    *bad(
        *(("fermi",), "exponent"),
        ("7.5", "1e3", "10^3", "three", "~", "\u22123", "--3", "inf", "nan", True),
        "exponent '{}' is not a whole number.",
    ),
    (("fermi",), {"exponent": 1.5}, "exponent '1.5' is not a whole number."),
    *bad(("fermi",), "exponent", ([1], {"a": 1}), "'exponent' is a list or an object"),
    *bad(
        *(tuple(GOOD), "question", (["x"], {"a": "x"})),
        "'question' is a list or an object; give a text or a number",
    ),
    *bad(("numbers", "sets"), "target", ([3], {"a": 3}), "'target' is a list or an"),
    (("fermi",), {"exponent": float("nan")}, "exponent 'nan' is not a whole number."),
    # With choices
    (WITH_CHOICES, {"choices": ["x"], "target": "A"}, "1 choices; give 2 to 26"),
    (WITH_CHOICES, {"choices": ["x"] * 27, "target": "A"}, "27 choices; give 2 to 26"),
    (WITH_CHOICES, {"choices": ["x", "x"], "target": "A"}, "duplicated: ['x', 'x']"),
    (WITH_CHOICES, {"choices": "x||y", "target": "A"}, "a choice is empty or duplicated"),
    (WITH_CHOICES, {"choices": 5, "target": "A"}, 'write ["one", "other"] or one|other'),
    (WITH_CHOICES, {"choices": '{"a": 1}', "target": "A"}, "are not a list"),
    (WITH_CHOICES, {"choices": ["x", ["y"]], "target": "A"}, "are not a list of texts"),
    (WITH_CHOICES, {"choices": "[" * 5_000, "target": "A"}, "1 choices; give 2 to 26"),
    (("markers",), {"answers": None, "choices": "9" * 5_000, "target": "A"}, "1 choices; give 2"),
    (WITH_CHOICES, {"choices": ["x", "y"], "target": "C"}, "neither a letter from A to B nor one"),
    (WITH_CHOICES, {"choices": ["x", "y"], "target": "true"}, "neither a letter from A to B nor"),
    (WITH_CHOICES, {"choices": ["B", "A"], "target": "A"}, "a choice and the letter of another"),
    (WITH_CHOICES, {"choices": ["x", "y"], "target": ""}, "'target' is missing"),
    (
        ("sets",),
        {"choices": ["x", "y"], "target": "A", "answer": "x"},
        "choices and answer exclude each other; leave one empty.",
    ),
    (
        ("markers",),
        {"choices": ["x", "y"], "target": "A", "answers": "x"},
        "choices and answers exclude each other; leave one empty.",
    ),
]


def test_a_bad_row_is_one_error_with_file_and_line(home: Path) -> None:
    """What can't be used is an error that names the file, the line and the value."""
    for kinds, bad, says in BAD:
        for kind in kinds:
            load, good = GOOD[kind]
            kept_fields = {"question": "Bad?"} if "choices" in bad else good
            message = refused(load, write_rows(home, good, {**kept_fields, **bad}))
            assert message.startswith("mine.jsonl, line 2: "), (kind, bad)
            assert says in message, (kind, bad)


def without_columns(
    header: str, row: str, columns: Iterable[str]
) -> Iterator[tuple[str, str, str]]:
    """Files that lack a column each, and what is said of it."""
    for column in columns:
        names = header.replace(column.strip("'"), "text")
        content = f"{names}\n{row}\n"
        yield "a.csv", content, f"a.csv has no column {column}; it has: "
        yield "a.csv", content, names.replace(",", ", ") + "."


def test_a_bad_file_is_one_error(home: Path) -> None:
    """A file that can't be used as a whole is an error that names it."""
    for kind, (load, good) in GOOD.items():
        header, row = ",".join(good), ",".join(map(str, good.values()))
        first, *more = good
        # A file of markers needs no answers: it may have choices.
        other_columns = [f"'{more[0]}'"] if kind != "markers" else []
        for name, text, says in [
            ("a.csv", f"id,{header}\na,{row}\nb,{row}\na,{row}\n", ": 2 rows have the id 'a'"),
            ("a.csv", f"id,{header}\na-0002,{row}\n,{row}\n", ": 2 rows have the id 'a-0002'"),
            ("a.csv", f"{header}\n", "a.csv holds no rows"),
            ("a.csv", "", "a.csv holds no rows"),
            *without_columns(header, row, [f"'{first}'", *other_columns]),
            ("a.csv", f"{header}\nOne, two?,{row}\n", "line 2: it has more fields than the header"),
            ("a.csv", f"{header},{first}\n{row},One?\n", f"a.csv has 2 columns {first!r}; keep"),
            ("a.jsonl", '{"question": "One?", "target": true', "a.jsonl, line 1: "),
            ("a.jsonl", "[1]", "a.jsonl, line 1 is not an object."),
            (
                "a.jsonl",
                f'\n{{"question": {"9" * 5_000}}}',
                "a.jsonl, line 2: a number is too long",
            ),
            ("a.jsonl", '{"question": ' + "[" * 200_000, "line 1: a number is too long, or lists"),
            ("a.txt", header, "a.txt: a data set is a .csv or .jsonl file."),
        ]:
            (home / name).write_text(text, "utf-8")
            refusal = refused(load, name)
            assert refusal.startswith("a."), (kind, text)
            assert says in refusal, (kind, text)


def test_a_missing_file_or_an_unknown_name_is_one_error(home: Path) -> None:
    """The place that was looked at; of a mistyped set the nearest one, or all there are."""
    for kind, (load, _) in GOOD.items():
        message = refused(load, "mine.csv")
        assert message.startswith("dataset=mine.csv: "), kind
        assert f"no file {home / 'mine.csv'}" in message, kind
        message = refused(load, "bundeld")
        assert message == "dataset=bundeld is not known. Did you mean 'bundled'?", kind
        assert ".csv or .jsonl file" in refused(load, "xyz"), kind


def test_a_split_that_is_all_leaves_the_other_empty(home: Path) -> None:
    """Nothing is moved from the user's own half into the other one."""
    for kind, (load, good) in GOOD.items():
        name = write_rows(home, {**good, "split": "test"}, {**good, "split": "test"})
        assert len(load(name, split="test").items) == 2, kind
        assert refused(load, name, split="train").startswith("No item is left in split=train"), kind


def test_ids_and_splits_are_kept_and_fingerprints_follow_content(home: Path) -> None:
    """0 is an id; where there is none it is the file's name and the row; splits are kept."""
    # The fingerprint is of the content: a changed cell changes it, the file's name doesn't.
    for kind, (load, good) in GOOD.items():
        rows: list[Row] = [
            *({"id": 0}, {"id": "", "split": "test"}, {}, {"id": " x ", "split": "train"})
        ]
        selection = load(write_rows(home, *({**good, **row} for row in rows)))
        items = by_id(selection.items)
        assert set(items) == {"0", "mine-0002", "mine-0003", "x"}, kind
        assert (items["mine-0002"].split, items["x"].split) == ("test", "train"), kind
        assert set(attributes_of(items.values(), "split")) == {"train", "test"}, kind
        assert (selection.name, dict(selection.excluded)) == ("mine.jsonl", {}), kind
        text = (home / "mine.jsonl").read_text("utf-8")
        (home / "b.jsonl").write_text(text, "utf-8")
        (home / "c.jsonl").write_text(text.replace("Good", "Gut"), "utf-8")
        assert load("b.jsonl", items=1, seed=0).fingerprint == selection.fingerprint, kind
        assert load("c.jsonl").fingerprint != selection.fingerprint, kind


def test_choices_and_targets_in_any_form_are_read(home: Path) -> None:
    """Choices are a list, its JSON text or texts between bars; the target a letter or a text."""
    towns, many = ("Rome", "Paris"), tuple(numbered("no. ", 26))
    for kind, (choices, target, read, letter) in product(
        WITH_CHOICES,
        [
            (["Rome", "Paris"], "B", towns, "B"),
            (["Rome", "Paris"], "b", towns, "B"),
            ('["Rome", "Paris"]', "Rome", towns, "A"),
            ("Rome|Paris", "Paris", towns, "B"),
            ("Rome|Paris", "b", towns, "B"),
            (" Rome | Paris ", " Paris ", towns, "B"),
            ([1, 2, 3], 3, ("1", "2", "3"), "C"),
            (["A", "B"], "B", ("A", "B"), "B"),
            (["true", "false"], "false", ("true", "false"), "B"),
            (["True", "False"], True, ("True", "False"), "A"),
            ("|".join(many), "z", many, "Z"),
        ],
    ):
        row = {"question": "Which?", "choices": choices, "target": target}
        (item,) = GOOD[kind][0](write_rows(home, row)).items
        if kind == "markers":  # shuffled
            assert sorted(item.choices) == sorted(read), choices
            assert item.answers[0] == read["ABCDEFGHIJKLMNOPQRSTUVWXYZ".index(letter)], choices
        else:
            options = item.options if kind == "sets" else item.choices
            assert (options, item.target) == (read, letter), (kind, choices)


def test_a_cell_of_blanks_is_empty(home: Path) -> None:
    """Blanks, as a spreadsheet pads cells, are no choice, no answer and no split."""
    padding: Row = {"choices": " ", "answers": "\t", "split": "  "}
    for kind, (load, good) in GOOD.items():
        rows: list[Row] = [{"id": "a", **padding, **good}, {"id": "b", **good, "split": " test "}]
        items = by_id(load(write_rows(home, *rows)).items)
        assert (items["a"].split in ("train", "test"), items["b"].split) == (True, "test"), kind
        assert getattr(items["a"], "choices", ()) == (), kind
    (item,) = load_decision_questions(write_rows(home, {**padding, **GOOD["numbers"][1]})).items
    assert (item.target, item.answers) == ("3", ())


def test_an_answer_may_be_the_number_0(home: Path) -> None:
    """0 is an accepted answer, as in other cells, and not an empty one."""
    row = {"question": "How many moons has Venus?", "answers": 0}
    (item,) = load_decision_questions(write_rows(home, row)).items
    assert (item.answers, item.target) == (("0",), "")
