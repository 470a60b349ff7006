"""The scale study's tables, as people read them."""

from __future__ import annotations

import warnings

import pandas as pd
import pytest

from inspect_confidence.studies import View
from inspect_confidence.studies.scale_variants.shown import scale_tables as views
from studies.test_scale_frames import NAN, Row, frozen, judged, one, results

__all__ = ["frozen"]

GRANULARITY = ["0-5", "0-10", "0-20", "0-50", "0-100"]
BOUNDARY = ["20-100", "40-100", "60-100"]
NONSTANDARD = ["0-73", "14-86", "7-79", "3-38", "0-97"]


@pytest.fixture(scope="module")
def found() -> pd.DataFrame:
    """All thirteen scales and one more, on two data sets."""
    return results(
        [
            row
            for dataset in ("one", "two")
            for seed, scale in enumerate([*GRANULARITY, *BOUNDARY, *NONSTANDARD, "1-7"])
            for row in judged(scale, items=40, choices=4, seed=seed, dataset=dataset, model="m")
        ],
        resamples=60,
    )


def by_title(found: pd.DataFrame) -> dict[str, View]:
    """The views by what stands before the model in their title."""
    return {view.title.rsplit(":", 1)[0]: view for view in views(found)}


@pytest.mark.parametrize(
    ("title", "scales"),
    [
        ("Table 1, baseline scale", ["0-100"]),
        ("Table 2, granularity", GRANULARITY),
        ("Table 3, boundary", ["0-100", *BOUNDARY]),
        ("Table 4, non-standard scales", ["0-100", *NONSTANDARD]),
        ("Table 5, reports on non-standard scales", ["0-100", *NONSTANDARD]),
        ("Other scales", ["1-7"]),
        ("Reports", [*GRANULARITY, *BOUNDARY, *NONSTANDARD, "1-7"]),
        ("ECE by bins", [*GRANULARITY, *BOUNDARY, *NONSTANDARD, "1-7"]),
        ("Out of range", [*GRANULARITY, *BOUNDARY, *NONSTANDARD, "1-7"]),
    ],
)
def test_every_table_has_its_scales_in_order(
    found: pd.DataFrame, title: str, scales: list[str]
) -> None:
    """The study's tables 1 to 5 and those beside them, a row a data set and scale, means last."""
    table = by_title(found)[title].table
    assert [tuple(row) for row in table[["data set", "scale"]].to_numpy()] == [
        (dataset, scale) for dataset in ("one", "two", "mean") for scale in scales
    ]
    assert all(view.title.endswith(": m") for view in views(found))


def test_cells_are_the_results(found: pd.DataFrame) -> None:
    """A cell is the value and interval of its row of results, rounded."""
    tables = by_title(found)
    for title, column, metric, condition, digits in (
        ("Table 2, granularity", "accuracy", "accuracy", "", 2),
        ("Table 2, granularity", "ECE", "ece", "", 3),
        ("Table 2, granularity", "type-2 d'", "type2_dprime", ";threshold=0.75", 2),
        ("Table 2, granularity", "M-ratio (m_afc)", "m_ratio", ";threshold=0.75;type1=m_afc", 2),
        ("Reports", "entropy (bits)", "entropy_bits", "", 2),
        ("Out of range", "clipped", "clip_rate", "", 3),
    ):
        for row in tables[title].table.to_dict("records"):
            where = f"scale={row['scale']}{condition}"
            result = one(found, where, metric, dataset=row["data set"])
            number, low, high = (
                f"{result[name]:.{digits}f}" for name in ("value", "ci_low", "ci_high")
            )
            wanted = "-" if pd.isna(result["value"]) else f"{number} [{low}, {high}]"
            assert row[column] == wanted, (title, column, where)
    bins = tables["ECE by bins"].table.iloc[0]
    scale = bins["scale"]
    for column, part in (("15 bins", "bins=15;"), ("10 of equal mass", "binning=equal_mass;")):
        result = one(found, f"{part}scale={scale}", "ece", dataset=bins["data set"])
        assert bins[column].startswith(f"{result['value']:.3f} [")


def test_differences_carry_stars_after_holm(found: pd.DataFrame) -> None:
    """The last table has every scale less 0-100, starred by Holm's p."""
    view = views(found)[-1]
    assert view.title == "Differences from 0-100: m"
    assert "0-100" not in set(view.table["scale"])
    for row in view.table.to_dict("records"):
        where = f"of=accuracy;scale={row['scale']};versus=0-100"
        p = one(found, where, "p_holm", dataset=row["data set"])["value"]
        stars = " **" if p < 0.01 else " *" if p < 0.05 else ""
        assert row["accuracy"].endswith(f"]{stars}")


def cases() -> dict[str, list[Row]]:
    """Judgments that leave tables nearly or wholly empty."""
    two = [*judged("0-100", items=12), *judged("0-10", items=12, seed=1)]
    nothing = {"raw": NAN, "correct": NAN, "answer": "", "status": "refusal"}
    return {
        "two scales": two,
        "one item": [row for row in two if row["item"] == "i003"],
        "all unreadable": [{**row, **nothing} for row in two],
        "one scale unreadable": [row if row["high"] > 10 else {**row, **nothing} for row in two],
        "all withheld": [{**row, **nothing, "status": "content_filter"} for row in two],
        "no choices": [{**row, "choices": NAN} for row in two],
        "no choices, empty": [{**row, "choices": ""} for row in two],
        "all right": [{**row, "correct": 1.0} for row in two],
        "other scales alone": [{**row, "high": row["high"] + 1} for row in two],
    }


@pytest.mark.parametrize("name", list(cases()))
def test_no_view_crashes(name: str) -> None:
    """Every table is made of texts, whatever is missing, and how much is unreadable is shown."""
    shown = by_title(results(cases()[name], resamples=30))
    assert ("Out of range" in shown) is (name != "all withheld")
    assert name == "all withheld" or len(shown["Out of range"].table) == 2
    for view in shown.values():
        assert view.table.map(lambda text: isinstance(text, str) and text != "nan").all(axis=None)


@pytest.mark.parametrize("name", ["two scales", "one item", "all unreadable", "no choices"])
def test_one_scale_alone_gives_its_tables(name: str) -> None:
    """One scale is enough for its tables; there is nothing to compare it with."""
    rows = [row for row in cases()[name] if row["high"] == 100]
    shown = by_title(results(rows, resamples=30))
    unread = {"Out of range"}
    full = {"Table 1, baseline scale", "Reports", "ECE by bins", "Out of range"}
    assert (unread if name in ("all unreadable", "one item") else full) <= set(shown)
    assert not any(title.startswith("Differences") for title in shown)


def test_tables_are_made_without_a_warning(found: pd.DataFrame) -> None:
    """No table relies on what pandas is about to remove."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert views(found)


def test_judgments_without_a_scale_are_shown_too() -> None:
    """A file of confidence and correct alone has a table of its numbers."""
    rows = [{"item": n, "confidence": 0.6, "correct": n % 2} for n in range(8)]
    assert any("0.60" in view.table.to_string() for view in views(results(rows, resamples=50)))
