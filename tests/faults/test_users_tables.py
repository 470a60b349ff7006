"""Tables of users: read rightly, or refused in one line with line and column."""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from faults.ledger import held
from inspect_confidence import read_judgments, summarize
from inspect_confidence.studies import Recorded, all_tables
from refusals import refused
from runs import printed

FERMI = "item,level,lower,upper,truth\nq1,90,2,4,3\n"
PAIR = "item,confidence,correct\nq1,0.75,1\n"
SCALE = "item,low,high,raw,correct\nq1,0,100,85,1\n"
WORDS = "item,word,setting,language,probability\nq1,likely,concise,en,0.7\n"
LIFE = "item,age,radius,confidence,score\nq1,40,5,0.5,0.4\n"
SETS = "item,kind,confidence,correct\nq1,options,0.5,1\n"
HEDGES = "item,sentence,marker,confidence\nq1,1,maybe,0.5\n"


def write_table(folder: Path, text: str | bytes, name: str = "mine.csv") -> Path:
    """A file of a user's."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


REFUSED: dict[str, tuple[str | bytes, str]] = {
    "bounds the wrong way round": (FERMI + "q2,90,5,-2,3\n", "line 3: lower=5 is above upper=-2"),
    "a level of 900": (FERMI + "q2,900,2,3,3\n", "line 3: level=900 is not a percentage"),
    "a level of -90": (FERMI + "q2,-90,2,3,3\n", "line 3: level=-90 is not a percentage"),
    "a level that is a share": (FERMI + "q2,0.9,2,3,3\n", "levels are percentages: 90, not 0.9"),
    "a flag that is none": (
        "item,level,lower,upper,truth,reversed\nq1,90,2,3,3,perhaps\n",
        "line 2: 'perhaps' in the column 'reversed' is not true or false",
    ),
    "a word for a number": (
        FERMI + "q2,90,two,3,3\n",
        "line 3: 'two' in the column 'lower' is not",
    ),
    **{
        f"{text} for shares of integers": (
            f'item,method,probabilities,truth\nq1,logprob,"{text}",3\n',
            f"probabilities={text} is not a JSON object of integers and numbers from 0 to 1",
        )
        for text in ("[Infinity]", "[1e999, 2]", "[2]", "3", "null")
    },
    "words for two numbers": (
        FERMI + "q2,90,two,3,3\nq3,90,2,3,3\nq4,90,one,3,3\n",
        "'two' in the column 'lower' is not a number (1 more is like it: line 5); correct",
    ),
    "words for six numbers": (
        FERMI + "".join(f"q{k},90,{'two' if k % 2 else 'one'},3,3\n" for k in range(2, 8)),
        "line 3: 'one' in the column 'lower' is not a number (5 more are like it: lines 4, 5, 6, "
        "...); name another column by --column NAME=COLUMN, or correct its cells.",
    ),
    "two percentages for shares": (
        PAIR + "q2,75,1\nq3,0.5,1\nq4,80,1\n",
        "(1 more is like it: line 5); name their scale, as --confidence-scale 0-100, 0-10 or 1-5",
    ),
    "two rows without an item": (
        PAIR + ",0.5,1\n,0.75,1\n",
        "line 3: the column 'item' is empty (1 more is like it: line 4); name the question",
    ),
    "an infinite bound": (
        FERMI + "q2,90,2,inf,3\n",
        "line 3: the column 'upper' holds an infinite",
    ),
    "two infinite bounds": (
        FERMI + "q2,90,2,inf,3\nq3,90,2,inf,3\n",
        "holds an infinite number (1 more is like it: line 4); leave",
    ),
    "a number of 5,000 digits": (
        f"{FERMI}q2,90,2,{'9' * 5000},3\n",
        "in the column 'upper' is not a number",
    ),
    "nested probabilities": (
        f"item,method,probabilities,truth\nq1,logprob,{'[' * 90_000},3\n",
        "line 2: probabilities=[[[",
    ),
    "a percentage for a share": (PAIR + "q2,75,1\n", "line 3: confidence=75 is not in [0, 1]"),
    "a share below zero": (PAIR + "q2,-0.1,1\n", "line 3: confidence=-0.1 is not in [0, 1]"),
    "a share of rightness above one": (PAIR + "q2,0.5,2\n", "line 3: correct=2 is not in [0, 1]"),
    "a scale the wrong way round": (SCALE + "q2,100,0,5,1\n", "line 3: low=100 is above high=0"),
    "a probability above one": (WORDS + "q2,likely,concise,en,70\n", "line 3: probability=70"),
    "an age below zero": (LIFE + "q2,-4,5,0.5,0.4\n", "line 3: age=-4 is not 0 or more"),
    "half an option": (
        "item,kind,confidence,correct,choices\nq1,options,0.5,1,2.5\n",
        "line 2: choices=2.5 is not a whole number",
    ),
    "a confidence of a marker above one": (HEDGES + "q2,1,maybe,5\n", "line 3: confidence=5"),
    "a row that is there twice": (
        PAIR + PAIR.split("\n")[1],
        "line 3 is the same as line 2; leave",
    ),
    "a row that is there three times": (
        PAIR + PAIR.split("\n", 1)[1] * 2,
        "line 3 is the same as line 2, and 1 more repeats earlier rows; leave",
    ),
    "two rows that are there three times": (
        PAIR + "q2,0.5,0\n" + (PAIR.split("\n", 1)[1] + "q2,0.5,0\n") * 2,
        "line 4 is the same as line 2, and 3 more repeat earlier rows; leave",
    ),
    "a repetition with two answers": (
        "epoch," + PAIR.replace("\nq1", "\n1,q1") + "1,q1,0.2,1\n",
        "line 2 and line 3 are of the same repetition of item q1",
    ),
    "a column that is there twice": ("item," + PAIR.replace("q1", "q1,q1"), "two columns 'item'"),
    "a row with too many cells": (PAIR + "q2,0.5,1,1\n", "line 3 has 4 cells and the first line 3"),
    "every row with a cell too many": (PAIR.replace("0.75,1", "0.75,1,"), "line 2 has 4 cells"),
    "a column that lacks": (PAIR.replace("correct", "name"), "there is no column"),
    "latin-1": (PAIR.replace("q1", "Zoë").encode("latin-1"), "is not UTF-8"),
    "no row": (PAIR.split("\n", maxsplit=1)[0], "has no rows"),
    "nothing": ("", "has no rows"),
    "no text": (b"\x00\x01\x02", "holds zero bytes"),
    "an open quotation": (PAIR + '"q2,0.5,1\n', "EOF inside string"),
}
"""What can't be used, and what is said of it."""


def test_what_cannot_be_is_refused_with_line_and_column(tmp_path: Path) -> None:
    """In one line, before anything is computed."""
    for case, (text, says) in REFUSED.items():
        assert says in refused(read_judgments, write_table(tmp_path, text)), case


def test_rows_are_named_by_their_line_or_number(tmp_path: Path) -> None:
    """The line of an editor, after line ends in cells and blank lines; else the row's number."""
    text = PAIR + '\n"q2\n(a)",0.5,1\nq3,75,1\n'
    rows = [
        {"item": f"q{k}", "confidence": value, "correct": 1} for k, value in enumerate([0.5, 75])
    ]
    tables: dict[str, str | bytes] = {
        "mine.csv, line 6": text,
        "mine.csv.gz, line 6": gzip.compress(text.encode()),
        "mine.jsonl, line 3": "\n\n".join(map(json.dumps, rows)),
        "mine.json, row 2": json.dumps(rows),
        "mine.parquet, row 2": pd.DataFrame(rows).to_parquet(),
    }
    for place, content in tables.items():
        path = write_table(tmp_path, content, place.partition(",")[0])
        assert f"{place}: confidence=75 is not in [0, 1]" in refused(read_judgments, path)


def test_rows_of_several_models_are_named_by_the_line_of_the_file(tmp_path: Path) -> None:
    """Each line holds an answer of each model."""
    path = write_table(tmp_path, "item,a_conf,b_conf,correct\nq1,0.5,0.5,1\nq2,0.5,75,1\n")
    recorded = Recorded(columns={"confidence": "{model}_conf"})
    assert "line 3: confidence=75" in refused(read_judgments, path, recorded=recorded)


def test_every_column_of_every_table_has_its_limits(tmp_path: Path) -> None:
    """A number far below zero is refused in each limited column, by row and name."""
    for name, table in all_tables().items():
        limited = [label for label in table.limits if table.kinds[label] == "number"]
        needed = dict.fromkeys([*table.required, *table.answers[0]], 1.0)
        for column in limited:
            row: dict[str, Any] = {**needed, "task": name, "high": 2.0, "lower": 0.5, "level": 90}
            row["confidence_target"] = 0.5
            if "low" in table.names:
                row["low"] = 0.0
            path = tmp_path / "mine.csv"
            pd.DataFrame([row, {**row, "item": "other", column: -7.0}]).to_csv(path, index=False)
            assert f"line 3: {column}=-7 is not " in refused(read_judgments, path), (name, column)


def test_copies_count_once_and_draws_all(tmp_path: Path) -> None:
    """Where epochs tell repetitions apart; points of one sample are draws, alike or not."""
    text = "epoch," + PAIR.replace("\nq1", "\n1,q1") + "2,q1,0.75,1\n1,q1,0.75,1\n"
    judgments = read_judgments(write_table(tmp_path, text))
    assert judgments["any_eval"]["epoch"].tolist() == [1, 2]
    assert judgments.notices[0].endswith("1 row is a copy and was left out")
    draws = "item,method,point,truth\n" + "q1,sampling,3,3\n" * 2 + "q1,sampling,4,3\n"
    assert read_judgments(write_table(tmp_path, draws))["fermi_eval"]["draw"].tolist() == [0, 1, 2]
    # Without epochs other answers are repeated ones, and stay so when they are written.
    repeated = read_judgments(write_table(tmp_path, PAIR + "q1,0.5,0\n"))["any_eval"]
    repeated.to_csv(tmp_path / "again.csv", index=False)
    assert read_judgments(tmp_path / "again.csv")["any_eval"]["draw"].tolist() == [0, 1]


def test_words_for_true_and_false(tmp_path: Path) -> None:
    """In a column of flags, however they are written."""
    words = {"yes": True, "No": False, "TRUE": True, "0": False, "": None}
    rows = "".join(f"q{k},90,2,4,3,{word}\n" for k, word in enumerate(words))
    frame = read_judgments(write_table(tmp_path, "item,level,lower,upper,truth,reversed\n" + rows))
    assert frame["fermi_eval"]["reversed"].tolist() == list(words.values())


# What can be read

READ: dict[str, tuple[str | bytes, dict[str, list[Any]]]] = {
    "a byte order mark": ("\ufeff" + PAIR, {"item": ["q1"], "confidence": [0.75]}),
    "quoted line ends": (PAIR + '"q\n2",0.5,0\n', {"item": ["q\n2", "q1"]}),
    "line ends of Windows": (PAIR.replace("\n", "\r\n"), {"correct": [1.0]}),
    "columns of the user's own": (
        "note," + PAIR.replace("\nq1", '\n"a, b",q1'),
        {"item": ["q1"], "confidence": [0.75]},
    ),
    "empty cells": (PAIR + "q2,,1\n", {"status": ["ok", "invalid_response_format"]}),
    "NaN in words": (PAIR + "q2,NaN,1\n", {"status": ["ok", "invalid_response_format"]}),
    "no bound": (FERMI + "q2,90,,,3\n", {"status": ["ok", "no_response"]}),
    "one bound": (FERMI + "q2,90,2,,3\n", {"status": ["ok", "invalid_response_format"]}),
    "a row that ends early": (PAIR + "q2,0.5\n", {"status": ["ok", "scoring_failed"]}),
    "names that differ in case": (
        "model,item,confidence,correct\nGPT,q1,0.5,1\ngpt,q1,0.75,1\n",
        {"model": ["GPT", "gpt"], "confidence": [0.5, 0.75]},
    ),
    "a name that is NA": ("item,confidence,correct\nNA,0.5,1\n", {"item": ["NA"]}),
    "numbers for names": ("item,confidence,correct\n12,0.5,1\n", {"item": ["12"]}),
}


@pytest.mark.slow
def test_tables_are_read_or_refused(tmp_path: Path) -> None:
    """Csv and parquet: bytes, encodings, types, and values that can't be."""
    good = {}
    for case, (text, expected) in READ.items():
        (frame,) = read_judgments(write_table(tmp_path, text)).values()
        good[case] = all(frame[name].tolist() == values for name, values in expected.items())
    for case, (text, says) in REFUSED.items():
        done = printed("summarize", write_table(tmp_path, text), code=2)
        lines = done.stderr.strip().splitlines()
        good[f"{case}: refused"] = done.stdout == "" and says in " ".join(lines)
    for case, columns in _typed().items():
        frame = pd.DataFrame({"item": ["a", "b"], "confidence": [0.5, 0.75], **columns})
        frame.to_parquet(tmp_path / "mine.parquet")
        (read,) = read_judgments(tmp_path / "mine.parquet").values()
        good[f"parquet: {case}"] = read["correct"].tolist() == [1.0, 0.0]
    for case, columns in _mistyped().items():
        frame = pd.DataFrame({"item": ["a", "b"], "confidence": [0.5, 0.75], **columns})
        frame.to_parquet(tmp_path / "mine.parquet")
        good[f"parquet: {case}"] = "in the column 'correct' is not a grade" in refused(
            read_judgments, tmp_path / "mine.parquet"
        )
    wrong = held(
        *("tables", "csv and parquet files of users: encodings, types, impossible values", good),
        *("read correctly, or refused in one line with row and column", "nothing"),
    )
    assert not wrong


def _typed() -> dict[str, dict[str, Any]]:
    """Columns of other types that say 1 and 0."""
    right = pd.Series([1, 0])
    return {
        "whole numbers with gaps": {"correct": right.astype("Int64")},
        "truth values": {"correct": right.astype(bool)},
        "texts": {"correct": right.astype(str)},
        "categories": {"correct": right.astype(str).astype("category")},
        "halves": {"correct": right.astype("float32")},
        "lists beside": {"correct": right, "choices_shown": [["x", "y"], ["x"]]},
    }


def _mistyped() -> dict[str, dict[str, Any]]:
    """Columns of types that are no numbers."""
    return {
        "dates": {"correct": pd.to_datetime(["2026-01-01", "2026-01-02"])},
        "lists": {"correct": [[1], [0]]},
        "words": {"correct": ["good", "bad"]},
    }


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_million_rows(tmp_path: Path, ending: str) -> None:
    """In a minute of the processor, to the numbers that numpy gives; the one bad row is found."""
    rows, rng = 1_000_000, np.random.default_rng(0)
    sure, right = rng.integers(0, 101, rows) / 100, rng.integers(0, 2, rows)
    pairs = pd.DataFrame(
        {"item": np.arange(rows) % 2_000, "epoch": np.arange(rows) // 2_000 + 1}
        | {"confidence": sure, "correct": right}
    )
    lower = rng.integers(-5, 5, rows)
    spans = pairs[["item", "epoch"]].assign(
        level=90, lower=lower, upper=lower + 3, truth=rng.integers(-5, 5, rows)
    )
    good = {}
    for name, frame, column, bad in (
        ("any_eval", pairs, "confidence", 7.0),
        ("fermi_eval", spans, "level", 0.9),
    ):
        path = tmp_path / f"mine.{ending}"
        _write(frame, path)
        began = time.process_time()
        read_rows = read_judgments(path)[name]
        good[f"{name}: in a minute"] = time.process_time() - began < 60
        good[f"{name}: all rows"] = len(read_rows) == rows and set(read_rows["status"]) == {"ok"}
        good[f"{name}: as numpy has it"] = bool(
            np.isclose(read_rows[column].mean(), frame[column].mean(), rtol=1e-12)
        )
        _write(frame.assign(**{column: frame[column].where(frame.index != rows - 2, bad)}), path)
        message = refused(read_judgments, path)
        place = f"line {rows}" if ending == "csv" else f"row {rows - 1}"
        good[f"{name}: the bad row"] = f"{place}: {column}={bad:g} is not" in message
    wrong = held(
        *(
            "tables",
            f"{ending} files of 1,000,000 rows, one of them with an impossible value",
            good,
        ),
        *("read whole; the bad row is named", "nothing"),
    )
    assert not wrong


def _write(frame: pd.DataFrame, path: Path) -> None:
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path)


@pytest.mark.slow
def test_numbers_of_a_million_rows(tmp_path: Path) -> None:
    """What summarize says of them is what numpy says."""
    rows, rng = 1_000_000, np.random.default_rng(1)
    sure, right = rng.integers(0, 101, rows) / 100, rng.integers(0, 2, rows)
    frame = pd.DataFrame(
        {"item": np.arange(rows) % 2_000, "epoch": np.arange(rows) // 2_000 + 1}
        | {"confidence": sure, "correct": right}
    )
    frame.to_parquet(tmp_path / "mine.parquet")
    numbers = summarize(tmp_path / "mine.parquet", resamples=20).set_index("metric")["value"]
    expected = {
        "mean_confidence": sure.mean(),
        "accuracy": right.mean(),
        "brier": np.mean((sure - right) ** 2),
        "n": rows,
    }
    wrong = held(
        *("tables", "summarize of 1,000,000 rows"),
        {name: bool(np.isclose(numbers[name], value)) for name, value in expected.items()},
        *("the numbers of numpy", "nothing"),
    )
    assert not wrong
