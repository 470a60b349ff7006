"""Names out of logs and files do nothing to a terminal, and nothing in a spreadsheet."""

from __future__ import annotations

import csv
import json
import unicodedata
from itertools import chain
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from export.judged import intervals
from inspect_confidence.printing import (
    INVISIBLE,
    escape_control,
    escape_invisible_json,
    excerpt,
    one_line,
    shortened,
)
from runs import printed

TITLE, CLEAR, TURNED = "\x1b]0;owned\x07", "\x1b[2J", "\u202e"
NAMES = (
    f"one{TITLE}{CLEAR}",
    f"two{TURNED}\x9b31m",
    '=HYPERLINK("http://x.example")',
    "a\nnote: b",
)


@pytest.fixture(scope="module")
def judgments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of models with such names, on a data set with such a name, one reply without an answer."""
    bounds = [(2.0, 4.0), (4.0, 6.0), (2.0, 3.5)]
    frame = pd.concat([intervals(name, bounds) for name in NAMES], ignore_index=True)
    frame = frame.assign(dataset=f"+1{CLEAR}")
    frame.loc[0, "lower"] = None
    file = tmp_path_factory.mktemp("hostile") / "judgments.parquet"
    frame.to_parquet(file)
    return file


def test_a_line_end_in_a_name_becomes_a_blank() -> None:
    """In a shortened name as on a line; other invisible characters are left out."""
    assert shortened("model a\nv\t2\u202e") == "model a v 2"


def test_an_excerpt_ends_after_a_word_or_an_address() -> None:
    """Wherever the cut falls: within, before or after an address, or in a text without one."""
    text = "see https://example.org/a?b=c for more"
    address_end = text.index(" for")
    for length in range(3, len(text)):
        ends = [end for end in (3, address_end, address_end + 4) if end <= length]
        end = address_end if 4 < length < address_end else ends[-1]
        assert excerpt(text, length) == f"{text[:end]}..."
    assert excerpt(text, len(text)) == text
    assert excerpt(f"(at {text[4:address_end]} twice", 12) == f"(at {text[4:address_end]}..."
    reason = "Max retries exceeded with url: questions.json (Caused by NameResolutionError)"
    assert excerpt(reason, reason.index("by")) == f"{reason[: reason.index(' by')]}..."
    assert excerpt(reason, reason.index("ed by")) == f"{reason[: reason.index(' (')]}..."


def test_an_excerpt_cuts_a_word_that_is_longer_than_half_of_it() -> None:
    """Else next to nothing would be left."""
    assert excerpt("a" * 1_000_000, 3) == "aaa..."
    assert excerpt("of " + "a" * 50, 10) == "of aaaaaaa..."


def acting_characters(text: str) -> set[str]:
    """The characters that would act on a terminal, among them the end of a line."""
    return {character for character in text if unicodedata.category(character) in INVISIBLE}


@pytest.mark.parametrize(
    "words",
    [
        ("summarize", "--resamples", 5),
        ("summarize", "--resamples", 5, "--full"),
        ("summarize", "--resamples", 5, "--json"),
        ("compare", "--resamples", 5),
        ("check", "--resamples", 5, "--require", f"coverage>=0.1;dataset=+1{CLEAR}"),
        ("check", "--resamples", 5, "--require", f"coverage>=0.1;dataset={TITLE}"),
        ("check", "--resamples", 5, "--require", f"{TITLE}"),
        ("unread",),
        ("cite",),
        (f"{TITLE}",),
        ("summarize", f"--{TITLE}"),
        ("summarize", f"/{TITLE}"),
        ("report", "-o", "/dev/null/x", "--baseline", f"{TITLE}"),
    ],
)
def test_nothing_printed_acts(judgments: Path, words: tuple[object, ...]) -> None:
    """Of names, of notices, and of errors about what was typed."""
    done = printed(words[0], judgments, *words[1:], code=None)
    assert done.output
    assert acting_characters(done.output) <= {"\n"}, words
    assert not any(line.startswith("note: b") for line in done.output.splitlines())
    if done.exit_code == 0:
        assert "\\x1b" in done.output or "\\u001b" in done.output


@pytest.mark.parametrize("name", ["summarize", "compare"])
def test_no_formula_is_live(judgments: Path, tmp_path: Path, name: str) -> None:
    """In the csv files of commands, as in those of `export`."""
    printed(name, judgments, "--resamples", 5, "--csv", tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(newline="", encoding="utf-8") as file:
        cells = list(chain.from_iterable(row.values() for row in csv.DictReader(file)))
    texts = [cell for cell in cells if not _is_number(cell)]
    assert "HYPERLINK" in " ".join(texts)
    assert not [text for text in texts if text.lstrip().startswith(("=", "+", "-", "@"))]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@given(st.text())
def test_any_text_is_inert(text: str) -> None:
    """Printed, on one line, and in JSON, which still holds the same."""
    for escaped in (escape_control(text), one_line(text)):
        assert acting_characters(escaped) <= {"\n"}
        escaped.encode()
    assert "\n" not in one_line(text)
    json_text = escape_invisible_json(json.dumps([text], ensure_ascii=False))
    assert not acting_characters(json_text)
    assert json.loads(json_text) == [text]
