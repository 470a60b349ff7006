"""Rows of a user's own csv and jsonl files."""

from __future__ import annotations

import csv
import json
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_confidence.datasets.records import Record, read_records
from refusals import refused

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), min_size=1)


def write_file(folder: Path, name: str, content: str | bytes) -> Path:
    """A file with this content, in UTF-8 where it is text."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


READ: list[tuple[str, str, list[Record]]] = [
    # The first row of a csv names the columns; everything is text, and other columns are kept.
    (
        "a.csv",
        "q,n,note\nHow far?,-3,x\nHow long?,4,\n",
        [{"q": "How far?", "n": "-3", "note": "x"}, {"q": "How long?", "n": "4", "note": ""}],
    ),
    # A byte order mark isn't part of the first column's name, and Windows' line ends are ends.
    *(
        ("a.csv", mark + end.join(["q,n", "Größe?,2", ""]), [{"q": "Größe?", "n": "2"}])
        for mark, end in product(["", "\ufeff"], ["\n", "\r\n"])
    ),
    # Line ends inside quotes are part of the text, as they were written; commas and quotes too.
    ("a.csv", 'q,n\r\n"one\r\nother",1\r\n', [{"q": "one\r\nother", "n": "1"}]),
    (
        "a.csv",
        'q,n\n"How many, roughly,\nare ""there""?",7\nq,8\n',
        [{"q": 'How many, roughly,\nare "there"?', "n": "7"}, {"q": "q", "n": "8"}],
    ),
    ("A.CSV", "q\nx\n", [{"q": "x"}]),
    # An empty line between rows or at the end is no row.
    ("a.csv", "q\nx\n\ny\n\n", [{"q": "x"}, {"q": "y"}]),
    # Each line of a jsonl is an object, whose values keep their types.
    (
        "a.jsonl",
        '\n{"q": "x", "n": 1}\n  \n{"q": "y", "n": null}\n\n',
        [{"q": "x", "n": 1}, {"q": "y", "n": None}],
    ),
    ("a.jsonl", '{"q": "x"}\r\n{"q": "y"}', [{"q": "x"}, {"q": "y"}]),
    ("a.jsonl", '\ufeff{"q": "x"}\n', [{"q": "x"}]),
    ("a.jsonl", '{"q": 0, "flag": false}\n', [{"q": 0, "flag": False}]),  # 0 isn't missing
    # Only a line feed ends a line: other separators stand in JSON text as they are.
    *(
        ("a.jsonl", f'{{"q": "one{mark}other"}}', [{"q": f"one{mark}other"}])
        for mark in "\u2028\u2029\u0085"
    ),
]


def test_csv_and_jsonl_of_any_editor_are_read(tmp_path: Path) -> None:
    """Those of any editor, each with the column that it must have."""
    for name, content, rows in READ:
        assert read_records(write_file(tmp_path, name, content), ["q"]) == rows, content


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5))
def test_rows_from_pythons_csv_writer_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    """Any text that Python's csv writer wrote is read back."""
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("one", "other"), *rows])
    assert read_records(path, ["one"]) == [{"one": a, "other": b} for a, b in rows]


@given(st.lists(st.dictionaries(TEXT, TEXT | st.integers(), min_size=1), min_size=1, max_size=5))
def test_objects_from_pythons_json_writer_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Record]
) -> None:
    """Any objects that Python's json wrote are read back."""
    path = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    assert read_records(path, []) == rows


REFUSED: list[tuple[str, str, str]] = [
    # A quote that is never closed is refused rather than swallowing the rest of the file.
    ("a.csv", 'q,n\n"x\ny\nz\n', "a.csv can't be read: "),
    # A row with more fields than the header: here n would be 4, the question's second half.
    ("a.csv", "q,n\nq,1\nWhat is ten to the 3,4,5\n", "a.csv, line 3: it has more fields than the"),
    ("a.csv", "q,n\nWhat is ten to the 3,4,5\n", "quote commas in text."),
    *(
        ("a.jsonl", f'{{"q": "x", "n": 1}}\n{line}\n', "a.jsonl, line 2 is not an object.")
        for line in ("[1]", '"text"', "7", "null", "true")
    ),
    # Lines are counted as an editor does.
    ("a.jsonl", '{"q": "x"}\n\n[1]\n', "a.jsonl, line 3 is not an object."),
    ("a.jsonl", '{"q": "x"}\n{"q": "y"}\n{"q"\n', "a.jsonl, line 3: "),
    # A row without a value is named by its first line.
    ("a.csv", "q,n\nx,1\ny,\n", "a.csv, line 3: 'n' is missing."),
    ("a.csv", 'q,n\n"x\nx",1\n\ny\n', "a.csv, line 5: 'n' is missing."),
    *(
        ("a.jsonl", f'{{"q": "x", "n": 1}}\n{line}\n', "a.jsonl, line 2: 'n' is missing.")
        for line in ('{"q": "y"}', '{"q": "y", "n": null}', '{"q": "y", "n": ""}')
    ),
    # A column of a similar name isn't the column; the message has those that are there.
    *(
        ("a.csv", f"{column},n\nx,1\n", f"a.csv has no column 'q'; it has: {column}, n.")
        for column in ("Q", " q", "qs")
    ),
    *(("a.csv", content, "a.csv holds no rows.") for content in ("", "\n", "q,n\n")),
    *(("a.jsonl", content, "a.jsonl holds no rows.") for content in ("", "\n \n")),
    *(
        (name, "q,n\nx,1\n", f"{name}: a data set is a .csv or .jsonl file.")
        for name in ("a.json", "a.tsv", "a.xlsx", "a.csv.gz", "csv", "a")
    ),
]


def test_bad_rows_and_encodings_are_refused_with_file_and_line(tmp_path: Path) -> None:
    """One error with the file, its row or line, and the encoding."""
    for name, content, says in REFUSED:
        message = refused(read_records, write_file(tmp_path, name, content), ["q", "n"])
        assert says in message, content
        assert message.startswith(name), content
    for line in ("{", "{'q': 'x'}", "q,x", '{"q": "x"},', "nothing"):
        with pytest.raises(json.JSONDecodeError) as expected:
            json.loads(line)
        path = write_file(tmp_path, "a.jsonl", f'{{"q": "x"}}\n{line}\n')
        assert refused(read_records, path, ["q"]) == f"a.jsonl, line 2: {expected.value.msg}."
    contents = {"a.csv": "q,n\nGröße?,1\n", "a.jsonl": '{"q": "Größe?"}\n'}
    for encoding, (name, content) in product(("latin-1", "utf-16"), contents.items()):
        path = write_file(tmp_path, name, content.encode(encoding))
        message = refused(read_records, path, [])
        assert message.startswith(f"{path} is not UTF-8"), encoding
        assert "save it as UTF-8" in message, encoding
