"""Results as csv, JSON, Markdown and LaTeX: whole, and escape_formula whatever a name holds."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from itertools import chain
from pathlib import Path

import pandas as pd
import pytest
from markdown_it import MarkdownIt

from build import attributes_of, column_of, rows_with
from conftest import Command
from export.judged import HOSTILE, hostile_judgments, intervals
from inspect_confidence import InvalidArgument, summarize
from inspect_confidence.export import FORMATS, Format, export
from inspect_confidence.export.tables import latex_escaped as latex
from inspect_confidence.export.text import file_name
from inspect_confidence.judgments.files import read_file, write_judgments
from inspect_confidence.judgments.read import judgments_of
from inspect_confidence.results import escape_formula

RESAMPLES = 20
COMMANDS = {
    *("begin", "end", "centering", "caption", "small", "scriptsize", "setlength", "tabcolsep"),
    *("toprule", "midrule", "bottomrule", "textbackslash", "textasciitilde", "symbol"),
    *("textasciicircum", "textless", "textgreater", "textbar", "dots", "pm", "leq", "geq"),
    *("times", "infty"),
}


@pytest.fixture(scope="module")
def tables_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hostile judgments in the four formats."""
    folder = tmp_path_factory.mktemp("tables")
    for format in ("csv", "json", "markdown", "latex"):
        export(hostile_judgments(), format, folder, resamples=RESAMPLES)
    return folder


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\rx", "'\rx"),
        ("  \n=1", "'  \n=1"),
        ("\uff1d1", "'\uff1d1"),
        ("a=1", "a=1"),
        ("level=90", "level=90"),
        ("", ""),
    ],
)
def test_formulas_become_text(text: str, safe: str) -> None:
    """What a spreadsheet would compute has an apostrophe before it, nothing else changes."""
    assert escape_formula(text) == safe


def test_csv_and_json_read_back_equal(tables_folder: Path) -> None:
    """Names and numbers, a negative one among them; infinite are texts, missing null."""
    read = pd.read_csv(
        tables_folder / "results.csv", keep_default_na=False, na_values={"value": [""]}
    )
    assert set(read["model"]) == set(map(escape_formula, HOSTILE))
    gaps = read.loc[read["metric"] == "coverage_gap", "value"]
    assert gaps.dtype == float
    assert (gaps.round(12) == -0.4).all()  # half of the intervals hold the truth: 0.5 - 0.9
    assert "'-" not in (tables_folder / "results.csv").read_text("utf-8").replace("'=", "")
    rows = json.loads((tables_folder / "results.json").read_text("utf-8"))
    expected = summarize(hostile_judgments(), resamples=RESAMPLES)
    assert set(column_of(rows, "model")) == set(HOSTILE)
    assert len(rows) == len(expected)
    for row, value in zip(rows, expected["value"], strict=True):
        assert row["value"] == (None if math.isnan(value) else pytest.approx(value))


def test_infinite_numbers_are_texts_in_json(tmp_path: Path) -> None:
    """One train item is too few for an offset at 90%: the adjusted interval is infinite."""
    frame = intervals("one", [(2, 4), (2, 5)]).assign(split=["train", "test"])
    export(frame, "json", tmp_path, resamples=RESAMPLES)
    rows = json.loads((tmp_path / "results.json").read_text("utf-8"))
    offsets = column_of(rows_with(rows, metric="conformal_offset"), "value")
    assert offsets == ["Infinity"]


def test_markdown_tables_keep_their_columns(tables_folder: Path) -> None:
    """A parser finds no markup of a name's, and as many cells in each row as in the header."""
    text = (tables_folder / "tables.md").read_text("utf-8")
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    rows: list[int] = []
    tables = 0
    for token in tokens:
        if token.type == "table_open":
            tables, rows = tables + 1, []
        rows += [0] if token.type == "tr_open" else []
        if token.type in ("td_open", "th_open"):
            rows[-1] += 1
        if token.type == "table_close":
            assert len(set(rows)) == 1
            assert len(rows) > 1
    assert tables >= len(HOSTILE)
    children = chain.from_iterable(token.children or [] for token in tokens)
    kinds = set(attributes_of(children, "type"))
    assert kinds <= {"text", "text_special", "softbreak"}
    assert not set(attributes_of(tokens, "type")) & {"html_block", "bullet_list_open", "fence"}
    assert "\u202e" not in text
    assert "x" * 200 not in text


def command_counts(text: str) -> tuple[Counter[str], int, int]:
    """Commands of a LaTeX text, and the depth of braces: at the end and at its least."""
    counts: Counter[str] = Counter()
    depth = lowest = place = 0
    while place < len(text):
        if text[place] == "\\":
            word = re.compile(r"[A-Za-z]+|.", re.DOTALL).match(text, place + 1)
            assert word
            counts[word[0]] += 1
            place = word.end()
            continue
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        lowest = min(lowest, depth)
        place += 1
    return counts, depth, lowest


def test_latex_is_balanced_and_escaped(tables_folder: Path) -> None:
    """Braces and environments close, rows have their cells, each special character a command."""
    text = (tables_folder / "tables.tex").read_text("utf-8")
    body = "\n".join(line for line in text.split("\n") if not line.startswith("%"))
    counts, depth, lowest = command_counts(body)
    assert (depth, lowest) == (0, 0)
    assert {name for name in counts if name.isalpha()} <= COMMANDS
    assert re.findall(r"\\begin\{(\w+)\}", body).count("table") >= len(HOSTILE)
    assert re.findall(r"\\begin\{(\w+)\}", body) == re.findall(r"\\end\{(\w+)\}", body)[::-1] or (
        Counter(re.findall(r"\\begin\{(\w+)\}", body))
        == Counter(re.findall(r"\\end\{(\w+)\}", body))
    )
    for table in re.findall(r"\\begin\{tabular\}.*?\\end\{tabular\}", body, re.DOTALL):
        columns = len(re.findall(r"[lr]", table.split("{")[2].split("}")[0]))
        rows = [line for line in table.split("\n") if line.endswith(r" \\")]
        assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {columns - 1}
    assert not re.findall(r"(?<!\\)[#%]|[~^\u202e<>|\"]", body)
    assert "x" * 200 not in text
    assert latex(r"\{}$&#%_~^") == (
        r"\textbackslash{}\{\}\$\&\#\%\_\textasciitilde{}\textasciicircum{}"
    )


@pytest.mark.parametrize(
    "name", [*HOSTILE, "", ".", "..", "CON/..", "\x00", "a\\b", "\u00e9" * 300]
)
def test_file_names_are_short_plain_and_distinct(name: str) -> None:
    """They are short, plain, without a folder, and tell different names apart."""
    safe_name = file_name(name)
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}", safe_name)
    assert safe_name != file_name(f"{name}'")


@pytest.mark.parametrize("format", FORMATS)
def test_all_exported_files_lie_in_the_folder(tmp_path: Path, format: str) -> None:
    """Whatever models are called, all that is written lies in the folder that was named."""
    folder = tmp_path / "deep" / "out"
    paths = export(hostile_judgments(), format, folder, resamples=RESAMPLES)
    files_written = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert set(map(Path.resolve, paths)) == files_written
    for path in files_written:
        assert path.is_relative_to(folder), path


def test_bad_formats_relationships_and_folders_are_refused(tmp_path: Path) -> None:
    """The error names the value and what is known."""
    frame = intervals("one", [(2, 4)])
    with pytest.raises(InvalidArgument, match="format=xlsx is not known"):
        export(frame, "xlsx", tmp_path)
    with pytest.raises(InvalidArgument, match="relationship=friend is not known"):
        export(frame, "csv", tmp_path, relationship="friend")
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidArgument, match="is a file"):
        export(frame, "csv", tmp_path / "file")


CARRIAGE_RETURNS = ("a\rb", "c\r\nd", "e\nf", 'g"h', "i")


def frame_of_carriage_returns() -> pd.DataFrame:
    """Judgments of models whose names hold carriage returns."""
    return pd.concat([intervals(name, [(2, 4), (4, 6)]) for name in CARRIAGE_RETURNS])


def test_carriage_returns_in_csv_read_back_equal(tmp_path: Path) -> None:
    """A bare carriage return would end the row; line ends of the file stay plain."""
    frame = frame_of_carriage_returns()
    (path,) = export(frame, "csv", tmp_path, resamples=RESAMPLES)
    read = pd.read_csv(path, keep_default_na=False, na_values={"value": [""]})
    assert set(read["model"]) == set(CARRIAGE_RETURNS)
    assert len(read) == len(summarize(frame, resamples=RESAMPLES))
    assert read["value"].dtype == float
    assert path.read_bytes().count(b"\r\n") == (read["model"] == "c\r\nd").sum()


def test_judgments_with_carriage_returns_read_back_equal(tmp_path: Path) -> None:
    """What `write_judgments` writes, `read_file` reads, whatever a name holds."""
    before = judgments_of(frame_of_carriage_returns())
    write_judgments(before, tmp_path / "judgments.csv")
    after = read_file(tmp_path / "judgments.csv")
    pd.testing.assert_frame_equal(after["fermi_eval"], before["fermi_eval"])


@pytest.mark.slow
def test_a_registered_format_is_written_by_python_and_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    """A function of a module and its entry in `FORMATS`: Python and the command line write it."""
    (tmp_path / "counted.py").write_text(
        "def write(material, folder):\n"
        "    folder.mkdir(parents=True)\n"
        "    (folder / 'rows.txt').write_text(str(len(material.results)))\n"
        "    return [folder / 'rows.txt']\n"
    )
    (tmp_path / "run.py").write_text(
        "from inspect_confidence.export import FORMATS, Format\n"
        "FORMATS['count'] = Format('counted:write')\n"
        "from inspect_confidence.cli import main\n"
        "main()\n"
    )
    judgments = intervals("m", [(2.0, 4.0), (2.5, 5.0), (4.0, 6.0)])
    judgments.to_csv(tmp_path / "judgments.csv", index=False)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(FORMATS, "count", Format("counted:write"))
    (path,) = export(judgments, "count", tmp_path / "python", resamples=10)
    words = ("export", tmp_path / "judgments.csv", "--format", "count", "-o", tmp_path / "cli")
    command("python", tmp_path / "run.py", *words, "--resamples", "10")
    expected = str(len(summarize(judgments, resamples=10)))
    assert path.read_text() == (tmp_path / "cli" / "rows.txt").read_text() == expected
    assert int(expected) > 0
