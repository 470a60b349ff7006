"""The scale study's tables, as people read them."""

from __future__ import annotations

import warnings
from itertools import product

import pandas as pd
import pytest

from build import copies_with, records_with, rows_with
from inspect_confidence.results import Condition
from inspect_confidence.studies import View
from inspect_confidence.studies.scale_variants.shown import scale_tables as views
from studies.frames import NAN, Row, result_row, scale_rows, scaled, value

GRANULARITY = ["0-5", "0-10", "0-20", "0-50", "0-100"]
BOUNDARY = ["20-100", "40-100", "60-100"]
NONSTANDARD = ["0-73", "14-86", "7-79", "3-38", "0-97"]


@pytest.fixture(scope="module")
def results() -> pd.DataFrame:
    """All thirteen scales and one more, on two data sets by two models, some out of range."""
    rows: list[Row] = []
    for model, dataset in product("mn", ("one", "two")):
        for seed, scale in enumerate([*GRANULARITY, *BOUNDARY, *NONSTANDARD, "1-7"]):
            rows += scale_rows(scale, 40, 4, seed, dataset=dataset, model=model)
    for row in rows[::11]:
        if row["status"] == "ok":
            row["raw"] = 2 * row["high"]
    return scaled(rows, resamples=300)


def by_title(results: pd.DataFrame) -> dict[str, View]:
    """The views by what stands before the model in their title."""
    return {view.title.rsplit(":", 1)[0]: view for view in views(results)}


EVERY = [*GRANULARITY, *BOUNDARY, *NONSTANDARD, "1-7"]
BY_SCALE = {
    "Table 2, granularity": GRANULARITY,
    "Table 3, boundary": ["0-100", *BOUNDARY],
    "Table 4, non-standard scales": ["0-100", "0-73", "14-86", "7-79"],
    "Table 5, odd bounds": ["0-100", "3-38", "0-97"],
    "Table 14, 60-100": ["0-100", "60-100"],
    "Table 15, 3-38": ["0-100", "3-38"],
    "Table 16, differences from 0-100": [one for one in EVERY if one != "0-100"],
}


def test_every_table_has_its_scales_in_order(results: pd.DataFrame) -> None:
    """The study's tables have both models, most of the mean; then each model's have all sets."""
    views_by_title = by_title(results)
    models_and_sets = list(product("mn", ("one", "two", "mean")))
    assert lines(views_by_title["Tables 1 and 8 to 10, scale 0-100"]) == models_and_sets
    assert lines(views_by_title["Table 12, M-ratio"]) == models_and_sets
    for title, scales in BY_SCALE.items():
        expected = list(product("mn", ("mean",), scales))
        assert lines(views_by_title[title], "scale") == expected, title
    for title, scales in (
        ("Table 11, ECE", GRANULARITY),
        ("Table 12, M-ratio", GRANULARITY),
        ("Table 13, accuracy", [*GRANULARITY, "spread (percentage points)"]),
        ("Table 17, out of range (%)", EVERY),
    ):
        assert list(views_by_title[title].table)[2:] == [*scales, "n"], title
    all_views = views(results)
    for title in ("Calibration and sensitivity", "Reports", "Tables 6 and 7, ECE by bins"):
        for model in "mn":
            (view,) = records_with(all_views, title=f"{title}: {model}")
            rows = list(map(tuple, view.table[["data set", "scale"]].to_numpy()))
            assert rows == list(product(("one", "two", "mean"), EVERY)), title


def lines(view: View, *more: str) -> list[tuple[str, ...]]:
    """What the lines of a table of all models are about."""
    names = ["model", "data set", *more]
    return list(map(tuple, view.table[names].to_numpy()))


def test_cells_are_the_scaled(results: pd.DataFrame) -> None:
    """A cell is the value and interval of its row of results, rounded."""
    tables = by_title(results)
    sure, m_afc = ";threshold=0.75", ";threshold=0.75;type1=m_afc"
    for title, column, metric, condition, digits in (
        ("Tables 1 and 8 to 10, scale 0-100", "its share", "top1_share", "", 2),
        ("Tables 1 and 8 to 10, scale 0-100", "ECE", "ece", "", 3),
        ("Table 3, boundary", "utilization", "utilization", "", 2),
        ("Table 4, non-standard scales", "multiples of 5", "round_rate", "", 3),
        ("Table 5, odd bounds", "out of range", "violation_rate", "", 3),
        ("Table 15, 3-38", "entropy (bits)", "entropy_bits", "", 2),
        ("Calibration and sensitivity", "type-2 d'", "type2_dprime", sure, 2),
        ("Calibration and sensitivity", "M-ratio", "m_ratio", m_afc, 2),
        ("Reports", "entropy (bits)", "entropy_bits", "", 2),
        ("Out of range", "clipped", "clip_rate", "", 3),
    ):
        for row in tables[title].table.to_dict("records"):
            full_condition = f"scale={row.get('scale', '0-100')}{condition}"
            key_columns = {"model": row.get("model", "n"), "dataset": row["data set"]}
            result = result_row(results, full_condition, metric, **key_columns)
            number, low, high = (
                f"{result[name]:.{digits}f}" for name in ("value", "ci_low", "ci_high")
            )
            ends: str = "" if pd.isna(result["ci_low"]) else f" [{low}, {high}]"
            expected_cell: str = "-" if pd.isna(result["value"]) else number + ends
            assert row[column] == expected_cell, (title, column, full_condition)
    bins = tables["Tables 6 and 7, ECE by bins"].table.iloc[0]
    scale = bins["scale"]
    for column, part in (("15 bins", "bins=15;"), ("10 of equal mass", "binning=equal_mass;")):
        result = result_row(
            results, f"{part}scale={scale}", "ece", dataset=bins["data set"], model="n"
        )
        assert bins[column].startswith(f"{result['value']:.3f} [")
    key_columns = {"model": "m", "dataset": "mean"}
    accuracy = tables["Table 13, accuracy"].table.iloc[0]
    assert accuracy["0-20"].startswith(
        f"{value(results, 'scale=0-20', 'accuracy', **key_columns):.2f} ["
    )
    spread = f"{value(results, '', 'accuracy_spread', **key_columns):.1f}"
    assert accuracy["spread (percentage points)"].startswith(spread)
    beyond = 100 * value(results, "scale=3-38", "violation_rate", **key_columns)
    assert 0 < beyond < 20
    assert tables["Table 17, out of range (%)"].table.iloc[0]["3-38"] == f"{beyond:.1f}"


def test_sensitivity_stands_beside_its_tests() -> None:
    """meta-d' and M-ratio with Holm's p, stars by it, and the difference from 0-100."""
    rows: list[Row] = []
    for seed, scale in enumerate(("0-100", "0-20", "60-100")):
        for dataset in ("one", "two"):
            rows += scale_rows(scale, 240, 4, seed, unreadable=0, dataset=dataset, model="m")
    for k, judgment in enumerate(rows):
        if judgment["high"] == 20:  # much more often right where it is sure
            judgment["correct"] = float((judgment["raw"] > 14) ^ (k % 4 == 0))
    results = scaled(rows, resamples=2_000)
    tables = by_title(results)
    starred = 0
    for row in tables["Table 16, differences from 0-100"].table.to_dict("records"):
        for heading, metric, condition in (
            ("meta-d'", "meta_d_ideal", "threshold=0.75"),
            ("M-ratio", "m_ratio", "threshold=0.75;type1=m_afc"),
        ):
            parts = {**Condition.read(condition), "scale": row["scale"]}
            test = str(Condition(parts, of=metric, versus="0-100"))
            key_columns = {"model": row["model"], "dataset": "mean"}
            p = value(results, test, "p_holm", **key_columns)
            assert row[f"p of {heading}"] == ("-" if pd.isna(p) else f"{p:.3f}")
            differs = value(results, test, "difference", **key_columns)
            assert row[f"difference of {heading}"].split(" ")[0] == (
                "-" if pd.isna(differs) else f"{differs:.3f}"
            )
            stars = " **" if p < 0.01 else " *" if p < 0.05 else ""
            assert row[heading].endswith(f"]{stars}") or pd.isna(p)
            starred += bool(stars)
    assert starred
    table = tables["Table 2, granularity"].table
    assert set(table[table["scale"] == "0-100"]["p of meta-d'"]) == {"-"}
    assert set(table) >= {"meta-d'", "p of meta-d'", "M-ratio", "p of M-ratio"}


def test_items_that_differ_are_flagged() -> None:
    """A column with how many items are not common, and a sentence, only where there are some."""
    rows = [*scale_rows("0-100", 30, 4, model="m"), *scale_rows("0-20", 30, 4, 1, model="m")]
    rows += [{**row, "epoch": 2, "uuid": f"{row['uuid']} again"} for row in rows]
    for view in views(scaled(rows, resamples=10)):
        assert "items not common" not in view.table
        assert "Items not common" not in view.caption
    fewer_items = scaled(
        [row for row in rows if row["high"] == 100 or row["item"] < "i020"], resamples=10
    )
    views_by_title = by_title(fewer_items)
    table = views_by_title["Table 2, granularity"].table
    counts = dict(zip(table["scale"], table["items not common"], strict=True))
    assert counts == {"0-20": "0", "0-100": "10"}
    assert list(views_by_title["Table 11, ECE"].table["items not common"]) == ["10"]
    assert "Items not common" in views_by_title["Table 11, ECE"].caption
    assert list(views_by_title["Reports"].table["items not common"]) == ["0", "10"]


def test_differences_carry_stars_after_holm(results: pd.DataFrame) -> None:
    """The last table of a model has every scale less 0-100, starred by Holm's p."""
    view = views(results)[-1]
    assert view.title == "Differences from 0-100: n"
    assert "0-100" not in set(view.table["scale"])
    for row in view.table.to_dict("records"):
        condition = f"of=accuracy;scale={row['scale']};versus=0-100"
        p = result_row(results, condition, "p_holm", dataset=row["data set"], model="n")["value"]
        stars = " **" if p < 0.01 else " *" if p < 0.05 else ""
        assert row["accuracy"].removesuffix(" †").endswith(f"]{stars}")


def test_stars_are_explained_where_a_scale_is_compared(results: pd.DataFrame) -> None:
    """The first table has 0-100 alone, from which no difference is tested; the second has all."""
    first, second = views(results)[:2]
    assert (first.title, second.title) == (
        "Tables 1 and 8 to 10, scale 0-100",
        "Table 2, granularity",
    )
    assert "Stars and p test" not in first.caption
    assert "Stars and p test the difference from 0-100" in second.caption


def test_the_caption_of_differences_says_which_constant_ones_have_an_interval() -> None:
    """The same answers to the same questions are as often right on two scales."""
    first = scale_rows("0-100", 40, 4, model="m", unreadable=0)
    second = [
        {**row, "high": 50, "raw": row["raw"] / 2, "uuid": f"{row['uuid']} b"} for row in first
    ]
    view = views(scaled([*first, *second], resamples=50))[-1]
    assert view.table["accuracy"].item().startswith("0.000 [")
    assert "A difference that is the same for all items has an interval only where" in view.caption


def cases() -> dict[str, list[Row]]:
    """Judgments that leave tables nearly or wholly empty."""
    two = [*scale_rows("0-100", items=12), *scale_rows("0-10", items=12, seed=1)]
    nothing = {"raw": NAN, "correct": NAN, "answer": "", "status": "refusal"}
    return {
        "two scales": two,
        "one item": rows_with(two, item="i003"),
        "all unreadable": copies_with(two, **nothing),
        "one scale unreadable": [row if row["high"] > 10 else {**row, **nothing} for row in two],
        "all withheld": copies_with(two, **{**nothing, "status": "content_filter"}),
        "no choices": copies_with(two, choices=NAN),
        "no choices, empty": copies_with(two, choices=""),
        "all right": copies_with(two, correct=1.0),
        "other scales alone": [{**row, "high": row["high"] + 1} for row in two],
    }


def test_every_table_is_of_texts(results: pd.DataFrame) -> None:
    """Whatever is missing, and without a warning; how much is unreadable is told."""
    for name, rows in cases().items():
        views_by_title = by_title(scaled(rows, resamples=20))
        assert ("Out of range" in views_by_title) is (name != "all withheld"), name
        assert name == "all withheld" or len(views_by_title["Out of range"].table) == 2, name
        for view in views_by_title.values():
            texts = view.table.map(lambda text: isinstance(text, str) and text != "nan")
            assert texts.all(axis=None), (name, view.title)
    # No table relies on what pandas is about to remove.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert views(results)


def test_views_of_little() -> None:
    """One scale alone has its tables, and so has a file of confidence and correct."""
    for name in ("two scales", "one item", "all unreadable", "no choices"):
        views_by_title = by_title(scaled(rows_with(cases()[name], high=100), resamples=20))
        few_titles = {"Out of range"}
        full = {"Tables 1 and 8 to 10, scale 0-100", "Reports", *few_titles}
        full.add("Tables 6 and 7, ECE by bins")
        assert (few_titles if name in ("all unreadable", "one item") else full) <= set(
            views_by_title
        ), name
        assert not any(title.startswith("Differences") for title in views_by_title), name
    rows = [{"item": n, "confidence": 0.6, "correct": n % 2} for n in range(8)]
    assert any("0.60" in view.table.to_string() for view in views(scaled(rows, resamples=50)))
