"""Rows of a user's own csv and jsonl files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_confidence import InvalidArgument
from inspect_confidence.datasets.records import Record, read_records

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), min_size=1)


def written(folder: Path, name: str, content: str | bytes) -> Path:
    """A file with this content, in UTF-8 where it is text."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def refusal(path: Path, *required: str) -> str:
    """What the reader says when it refuses a file."""
    with pytest.raises(InvalidArgument) as caught:
        read_records(path, required)
    said = caught.value.format_message()
    assert said.startswith((f"{path.name} ", f"{path.name}:", f"{path.name},", f"{path} "))
    return said


# csv


def test_csv_rows_are_text_by_column(tmp_path: Path) -> None:
    """The first row names the columns; everything is text, and other columns are kept."""
    path = written(tmp_path, "a.csv", "question,exponent,note\nHow far?,-3,x\nHow long?,4,\n")
    assert read_records(path, ["question", "exponent"]) == [
        {"question": "How far?", "exponent": "-3", "note": "x"},
        {"question": "How long?", "exponent": "4", "note": ""},
    ]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_csv_of_any_editor(tmp_path: Path, mark: str, end: str) -> None:
    """A byte order mark isn't part of the first column's name, and Windows' line ends are ends."""
    path = written(tmp_path, "a.csv", mark + end.join(["question,exponent", "Größe?,2", ""]))
    assert read_records(path, ["question"]) == [{"question": "Größe?", "exponent": "2"}]


def test_csv_keeps_line_ends_inside_quotes(tmp_path: Path) -> None:
    """Windows' line ends inside a quoted field are part of the text, as they were written."""
    path = written(tmp_path, "a.csv", 'q,n\r\n"one\r\nother",1\r\n')
    assert read_records(path, ["q"]) == [{"q": "one\r\nother", "n": "1"}]


def test_csv_quotes(tmp_path: Path) -> None:
    """Commas, line ends and doubled quotes inside quotes belong to the field."""
    path = written(
        tmp_path, "a.csv", 'question,exponent\n"How many, roughly,\nare ""there""?",7\nq,8\n'
    )
    assert read_records(path, ["question"]) == [
        {"question": 'How many, roughly,\nare "there"?', "exponent": "7"},
        {"question": "q", "exponent": "8"},
    ]


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5))
def test_csv_gives_back_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    """Any text that Python's csv writer wrote is read back."""
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("one", "other"), *rows])
    assert read_records(path, ["one"]) == [{"one": a, "other": b} for a, b in rows]


def test_csv_suffix_in_capitals(tmp_path: Path) -> None:
    """Windows programs write .CSV."""
    assert read_records(written(tmp_path, "A.CSV", "q\nx\n"), ["q"]) == [{"q": "x"}]


def test_csv_blank_lines_are_skipped(tmp_path: Path) -> None:
    """An empty line between rows or at the end is no row."""
    assert read_records(written(tmp_path, "a.csv", "q\nx\n\ny\n\n"), ["q"]) == [
        {"q": "x"},
        {"q": "y"},
    ]


def test_csv_with_an_open_quote(tmp_path: Path) -> None:
    """A quote that is never closed is refused rather than swallowing the rest of the file."""
    assert "can't be read" in refusal(written(tmp_path, "a.csv", 'q\n"x\ny\nz\n'), "q")


def test_csv_with_an_unquoted_comma(tmp_path: Path) -> None:
    """A row with more fields than the header is refused: its columns have shifted.

    Here the exponent would be 4, the question's second half.
    """
    path = written(tmp_path, "a.csv", "question,exponent\nq,1\nWhat is ten to the 3,4,5\n")
    said = refusal(path, "question", "exponent")
    assert "row 2" in said
    assert "quote commas" in said


# jsonl


def test_jsonl_rows_keep_their_types(tmp_path: Path) -> None:
    """Each line is an object; blank lines, between and at the end, are none."""
    path = written(tmp_path, "a.jsonl", '\n{"q": "x", "n": 1}\n  \n{"q": "y", "n": null}\n\n')
    assert read_records(path, ["q"]) == [{"q": "x", "n": 1}, {"q": "y", "n": None}]


def test_jsonl_without_a_last_line_end(tmp_path: Path) -> None:
    """The last line counts also where the file ends without a line end, or has Windows' ones."""
    path = written(tmp_path, "a.jsonl", '{"q": "x"}\r\n{"q": "y"}')
    assert read_records(path, ["q"]) == [{"q": "x"}, {"q": "y"}]


@given(st.lists(st.dictionaries(TEXT, TEXT | st.integers(), min_size=1), min_size=1, max_size=5))
def test_jsonl_gives_back_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Record]
) -> None:
    """Any objects that Python's json wrote are read back."""
    path = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    assert read_records(path, []) == rows


@pytest.mark.parametrize("line", ["[1]", '"text"', "7", "null", "true"])
def test_jsonl_line_that_is_no_object(tmp_path: Path, line: str) -> None:
    """A line of valid JSON that is no object is named."""
    said = refusal(written(tmp_path, "a.jsonl", f'{{"q": "x"}}\n{line}\n'), "q")
    assert said == "a.jsonl, line 2 is not an object."


@pytest.mark.parametrize("line", ["{", "{'q': 'x'}", "q,x", '{"q": "x"},', "nothing"])
def test_jsonl_line_that_is_no_json(tmp_path: Path, line: str) -> None:
    """A line that isn't JSON is refused with its number and what the parser misses in it."""
    with pytest.raises(json.JSONDecodeError) as expected:
        json.loads(line)
    said = refusal(written(tmp_path, "a.jsonl", f'{{"q": "x"}}\n{line}\n'), "q")
    assert "line 2" in said
    assert expected.value.msg in said


def test_jsonl_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    """The third line is called the third."""
    said = refusal(written(tmp_path, "a.jsonl", '{"q": "x"}\n{"q": "y"}\n{"q"\n'), "q")
    assert "line 3" in said


def test_jsonl_lines_are_counted_as_an_editor_does(tmp_path: Path) -> None:
    """A blank line before it doesn't change the number of a line."""
    said = refusal(written(tmp_path, "a.jsonl", '{"q": "x"}\n\n[1]\n'), "q")
    assert said == "a.jsonl, line 3 is not an object."


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085"])
def test_jsonl_text_with_a_unicode_line_separator(tmp_path: Path, separator: str) -> None:
    """Only a line feed ends a line: other separators stand in JSON text as they are."""
    row = {"q": f"one{separator}other"}
    path = written(tmp_path, "a.jsonl", json.dumps(row, ensure_ascii=False))
    assert read_records(path, ["q"]) == [row]


def test_jsonl_with_a_byte_order_mark(tmp_path: Path) -> None:
    """A byte order mark is skipped as in csv."""
    assert read_records(written(tmp_path, "a.jsonl", '\ufeff{"q": "x"}\n'), ["q"]) == [{"q": "x"}]


# Both


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "question,exponent\nx,1\ny,\n"),
        ("a.csv", "question,exponent\nx,1\ny\n"),
        ("a.jsonl", '{"question": "x", "exponent": 1}\n{"question": "y"}\n'),
        ("a.jsonl", '{"question": "x", "exponent": 1}\n{"question": "y", "exponent": null}\n'),
        ("a.jsonl", '{"question": "x", "exponent": 1}\n{"question": "y", "exponent": ""}\n'),
    ],
)
def test_a_missing_value_names_row_and_column(tmp_path: Path, name: str, content: str) -> None:
    """A row without a value is refused with its number, counted from the first row of data."""
    said = refusal(written(tmp_path, name, content), "question", "exponent")
    assert said == f"{name}, row 2: 'exponent' is missing."


@pytest.mark.parametrize("column", ["Question", " question", "questions"])
def test_a_missing_column_names_it(tmp_path: Path, column: str) -> None:
    """A column of a similar name isn't the column; the message has those that are there."""
    said = refusal(written(tmp_path, "a.csv", f"{column},exponent\nx,1\n"), "question")
    assert "no column 'question'" in said
    assert f" {column}, exponent" in said


def test_zero_and_false_are_values(tmp_path: Path) -> None:
    """An exponent of 0 isn't missing."""
    path = written(tmp_path, "a.jsonl", '{"exponent": 0, "flag": false}\n')
    assert read_records(path, ["exponent", "flag"]) == [{"exponent": 0, "flag": False}]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", ""),
        ("a.csv", "\n"),
        ("a.csv", "question,exponent\n"),
        ("a.jsonl", ""),
        ("a.jsonl", "\n \n"),
    ],
)
def test_an_empty_file(tmp_path: Path, name: str, content: str) -> None:
    """A file without a row, with or without a header, is refused."""
    assert refusal(written(tmp_path, name, content)) == f"{name} holds no rows."


@pytest.mark.parametrize("name", ["a.json", "a.tsv", "a.xlsx", "a.csv.gz", "csv", "a"])
def test_another_kind_of_file(tmp_path: Path, name: str) -> None:
    """Anything else than csv and jsonl is refused with the two kinds there are."""
    said = refusal(written(tmp_path, name, "question,exponent\nx,1\n"))
    assert said == f"{name}: a data set is a .csv or .jsonl file."


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_a_file_that_is_not_utf_8(tmp_path: Path, name: str, encoding: str) -> None:
    """A file in another encoding is refused with its path and the encoding that it should have."""
    content = "question,exponent\nGröße?,1\n" if name == "a.csv" else '{"q": "Größe?"}\n'
    path = written(tmp_path, name, content.encode(encoding))
    said = refusal(path)
    assert said.startswith(f"{path} is not UTF-8")
    assert "save it as UTF-8" in said
