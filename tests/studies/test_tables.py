"""Tables of results: what each line rests on."""

from __future__ import annotations

from dataclasses import replace
from math import nan

import pandas as pd
import pytest

from inspect_confidence.printing import stars
from inspect_confidence.results import Key, ResultTable, results_frame
from inspect_confidence.studies.tables import (
    Cell,
    Column,
    TableSpec,
    columns_with_numbers,
    missing_numbers,
    views_with_lines,
)

KEY = Key("life_eval", "m", "d")
LOST = "31 of 100 judgments left out: 8 refused, 23 unparseable"


def counts_column(*numbers: tuple[str, int, int, str]) -> list[str]:
    """The column `n` of a table with a line a radius, of metric, n, asked and note."""
    rows = [
        KEY.result({"radius": 5}, metric, 0.5, n=n, asked=asked_count, note=note)
        for metric, n, asked_count, note in numbers
    ]
    columns = [Column("accuracy", "accuracy"), Column("ece", "ECE")]
    spec = TableSpec("T", ResultTable.from_frame(results_frame(rows)), ("radius",), columns)
    (view,) = views_with_lines([spec])
    return list(map(str, view.table["n"]))


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([("accuracy", 100, 100, ""), ("ece", 100, 100, "")], "100"),
        (
            [
                ("accuracy", 77, 100, "23 of 100 judgments left out: 23 refused"),
                ("ece", 69, 100, LOST),
            ],
            "69 to 77 of 100 (8 refused, 23 unparseable)",
        ),
        ([("accuracy", 69, 100, LOST + "; 35 items")], "69 of 100 (8 refused, 23 unparseable)"),
        # Of 15 contexts two have no number; the note counts the judgments of two epochs.
        (
            [("accuracy", 13, 15, "9 of 30 judgments left out: 9 echo; 15 items")],
            "13 of 15 (9 of 30 judgments: 9 echo)",
        ),
        ([("accuracy", 0, 1, "1 of 1 judgment left out: 1 echo")], "0 of 1 (1 echo)"),
        ([("accuracy", 1_500, 2_000, "")], "1,500 of 2,000"),
        # A number that the table doesn't show says nothing of it.
        ([("accuracy", 100, 100, ""), ("brier", 3, 100, "")], "100"),
    ],
)
def test_every_line_says_what_it_rests_on(
    numbers: list[tuple[str, int, int, str]], expected: str
) -> None:
    """How many judgments, of how many asked, and what became of the others."""
    assert counts_column(*numbers) == [expected]


@pytest.mark.parametrize(("low", "caption"), [(0.4, "95% intervals. Means."), (nan, "Means.")])
def test_a_caption_speaks_of_intervals_only_if_a_cell_has_one(low: float, caption: str) -> None:
    """The sentence on intervals precedes the caption; brackets in a label are no interval."""
    row = Key("life_eval", "model [x]", "d").result({}, "auroc", 0.5, (low, low + 0.2), n=30)
    spec = TableSpec(
        "T",
        ResultTable.from_frame(results_frame([row])),
        ("model",),
        [Column("auroc", "AUROC")],
        "Means.",
        interval_caption="95% intervals.",
    )
    assert spec.view().caption == caption


@pytest.mark.parametrize(
    ("p", "expected"), [(0.06, ""), (0.05, "*"), (0.02, "*"), (0.003, "**"), (nan, "")]
)
def test_stars_have_two_levels(p: float, expected: str) -> None:
    """One below .05, two below .01, with a border counted as below."""
    assert stars(p) == expected


def text_on_missing_numbers(columns: list[Column], *rows: tuple[str, float, float, str]) -> str:
    """The text of a table with a line a model, of metric, value, lower end and note each."""
    results = []
    for k, (metric, value, low, note) in enumerate(rows):
        key = Key("life_eval", f"m{k}", "d")
        results.append(key.result({}, metric, value, (low, low + 0.2), n=30, note=note))
    spec = TableSpec("T", ResultTable.from_frame(results_frame(results)), ("model",), columns)
    return spec.view().missing


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([("ece", 0.5, 0.4, "n items")], ""),
        ([("ece", nan, nan, "")], ""),  # there is no reason to tell
        (
            [("ece", nan, nan, "undefined: no judgment; 3 of 9 judgments left out: 3 refused")],
            "Undefined: ECE. Reason: no judgment.",
        ),
        ([("ece", nan, nan, "all left out")], "Undefined: ECE. Reason: all left out."),
        (
            [("ece", 0.5, nan, "no interval: too few"), ("ece", nan, nan, "undefined: no answer")],
            "Undefined: ECE in 1 of 2 lines. Reason: no answer. "
            "No interval: ECE in 1 of 2 lines. Reason: too few.",
        ),
        # The column is shown without intervals.
        ([("accuracy", 0.5, nan, "no interval: too few")], ""),
        (
            [("ece", nan, nan, f"undefined: reason {k}") for k in "abcdef"],
            " ".join(f"Undefined: ECE in 1 of 6 lines. Reason: reason {k}." for k in "abcd")
            + " 2 further reasons: see the notes in the results.",
        ),
        # Reasons that differ only in whole numbers are one, a threshold and a percentage are not.
        (
            [
                ("ece", nan, nan, f"undefined: {n} of 50 above 0.{k}, {k}%")
                for n, k in ((9, 5), (11, 5), (8, 7))
            ],
            "Undefined: ECE in 2 of 3 lines. Reason: 9 to 11 of 50 above 0.5, 5%. "
            "Undefined: ECE in 1 of 3 lines. Reason: 8 of 50 above 0.7, 7%.",
        ),
    ],
)
def test_a_table_says_why_numbers_and_intervals_are_missing(
    rows: list[tuple[str, float, float, str]], expected: str
) -> None:
    """Undefined numbers come first; the reason is the note's part that says so."""
    columns = [Column("ece", "ECE"), Column("accuracy", "accuracy", interval=False)]
    assert text_on_missing_numbers(columns, *rows) == expected


def test_a_caption_names_the_columns_whose_intervals_are_often_wider_than_needed() -> None:
    """ECE with an interval, not accuracy, and not an ECE that is shown without its interval."""
    table = ResultTable.from_frame(
        results_frame(
            [
                KEY.result({}, "accuracy", 0.5, (0.4, 0.6), n=30),
                KEY.result({}, "ece", 0.1, (0.0, 0.2), n=30),
                KEY.result({}, "smooth_ece", 0.1, n=9, note="no interval: few items"),
            ]
        )
    )
    columns = [Column("accuracy", "accuracy"), Column("ece", "ECE"), Column("smooth_ece", "smooth")]
    spec = TableSpec("T", table, ("model",), columns, interval_caption="95% intervals.")
    assert spec.view().caption == "95% intervals. Intervals often wider than 95% needs: ECE."
    without_interval = [*columns[:1], Column("ece", "ECE", interval=False)]
    assert replace(spec, columns=without_interval).view().caption == "95% intervals."


def test_lines_without_a_number_are_counted_below_the_table_with_their_reasons() -> None:
    """Eight lines: one has a number, two share a reason: of six reasons four are told."""
    notes = ["one set", "one set", "no item", "no marker", "no reply", "no judge", "no spread"]
    rows = [KEY.result({}, "accuracy", 0.5, n=9)]
    for k, note in enumerate(notes):
        rows.append(KEY.result({}, f"m{k}", nan, n=0, note=f"undefined: {note}; 3 items"))
    spec = TableSpec(
        "T",
        ResultTable.from_frame(results_frame(rows)),
        ("metric",),
        [Column("", "value")],
        counts_undefined=True,
    )
    view = spec.view()
    assert view.table.to_dict("records") == [{"metric": "accuracy", "value": "0.50", "n": "9"}]
    assert view.missing == (
        "Left out, as undefined: 7 of 8 lines (m0, m1, m2, m3, m4, m5, m6). Reasons: one set "
        "(2 lines); no item (1 line); no marker (1 line); no reply (1 line); 2 other reasons, in "
        "the notes of the results (2 lines)."
    )
    rows_without_number = ResultTable.from_frame(results_frame(rows[1:3]))
    view = replace(spec, rows=rows_without_number).view()
    assert list(view.table["value"]) == ["-", "-"]
    assert view.missing == "Undefined: m0, m1. Reason: one set."
    assert replace(spec, rows=ResultTable([])).view().table.empty


def test_a_table_without_any_number_is_left_out() -> None:
    """If all columns are dashes, a table of names and counts alone says nothing."""
    rows = [KEY.result({}, "ece", nan, n=0, asked=9, note="undefined: no answer")]
    table = ResultTable.from_frame(results_frame(rows))
    spec = TableSpec("T", table, ("model",), [Column("ece", "ECE")], layout=columns_with_numbers)
    assert views_with_lines([spec]) == []


def test_a_line_counts_the_judgments_of_the_shown_columns_only() -> None:
    """A column without any number is dropped, with its 9 of 9 judgments that were left out."""
    lost = "9 of 9 judgments left out: 9 without a value"
    rows = [
        KEY.result({}, "accuracy", 0.5, n=9),
        KEY.result({}, "ece", nan, n=0, asked=9, note=f"undefined: no answer; {lost}"),
    ]
    table = ResultTable.from_frame(results_frame(rows))
    columns = [Column("accuracy", "accuracy"), Column("ece", "ECE")]
    spec = TableSpec("T", table, ("model",), columns, layout=columns_with_numbers)
    (line,) = spec.view().table.to_dict("records")
    assert line == {"model": KEY.model, "accuracy": "0.50", "n": "9"}
    (line,) = replace(spec, layout=None).view().table.to_dict("records")
    assert line["n"] == "0 to 9 of 9 (9 without a value)"


def test_sentences_on_missing_intervals_name_the_metric_if_models_are_columns() -> None:
    """Four lines, of two metrics on two data sets; only one number lacks its interval."""
    missing = Cell("0.30", missing=("No interval", "few ages"))
    table = pd.DataFrame(
        {
            "data set": ["a", "a", "b", "b"],
            "measure": ["accuracy", "ECE"] * 2,
            "gpt": ["1", missing, "1", "2"],
            "llama": ["1", missing, "1", missing],
        },
        dtype=object,
    )
    assert missing_numbers(table) == (
        "No interval: ECE for gpt in 1 of 2 lines, ECE for llama. Reason: few ages."
    )


def test_reasons_with_different_least_numbers_of_items_are_one_sentence() -> None:
    """Two columns whose metrics need 20 and 300 items."""
    cells = [Cell("0.3", missing=("No interval", f"fewer than {n} items")) for n in (20, 300)]
    table = pd.DataFrame({"model": ["gpt"], "ECE": cells[:1], "bits": cells[1:]}, dtype=object)
    reason = "fewer items than the metric needs (20 to 300)"
    assert missing_numbers(table) == f"No interval: ECE, bits. Reason: {reason}."


def test_the_data_set_of_a_line_is_named_in_words() -> None:
    """A table without labels of its own has the parts of a line below their names."""
    rows = [KEY.result({"radius": 5}, "accuracy", 0.5, n=10)]
    columns = [Column("accuracy", "accuracy")]
    table = ResultTable.from_frame(results_frame(rows))
    (view,) = views_with_lines([TableSpec("T", table, ("model", "dataset", "radius"), columns)])
    assert list(view.table) == ["model", "data set", "radius", "accuracy", "n"]
