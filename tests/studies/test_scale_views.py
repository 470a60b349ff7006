"""The scale study's tables, as people read them."""

from __future__ import annotations

import warnings
from itertools import product

import pandas as pd
import pytest

from inspect_confidence.studies import View
from inspect_confidence.studies.scale_variants.shown import scale_tables as views
from studies.frames import NAN, Row, judged, one, scaled

GRANULARITY = ["0-5", "0-10", "0-20", "0-50", "0-100"]
BOUNDARY = ["20-100", "40-100", "60-100"]
NONSTANDARD = ["0-73", "14-86", "7-79", "3-38", "0-97"]


@pytest.fixture(scope="module")
def found() -> pd.DataFrame:
    """All thirteen scales and one more, on two data sets."""
    return scaled(
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


def test_every_table_has_its_scales_in_order(found: pd.DataFrame) -> None:
    """The study's tables 1 to 5 and those beside them, a row a data set and scale, means last."""
    every = [*GRANULARITY, *BOUNDARY, *NONSTANDARD, "1-7"]
    shown = by_title(found)
    for title, scales in (
        ("Table 1, baseline scale", ["0-100"]),
        ("Table 2, granularity", GRANULARITY),
        ("Table 3, boundary", ["0-100", *BOUNDARY]),
        ("Table 4, non-standard scales", ["0-100", *NONSTANDARD]),
        ("Table 5, reports on non-standard scales", ["0-100", *NONSTANDARD]),
        ("Other scales", ["1-7"]),
        ("Reports", every),
        ("ECE by bins", every),
        ("Out of range", every),
    ):
        rows = [tuple(row) for row in shown[title].table[["data set", "scale"]].to_numpy()]
        wanted = list(product(("one", "two", "mean"), scales))
        assert rows == wanted, title
    assert all(view.title.endswith(": m") for view in views(found))


def test_cells_are_the_scaled(found: pd.DataFrame) -> None:
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
            wanted: str = "-" if pd.isna(result["value"]) else f"{number} [{low}, {high}]"
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


def test_every_table_is_of_texts(found: pd.DataFrame) -> None:
    """Whatever is missing, and without a warning; how much is unreadable is told."""
    for name, rows in cases().items():
        shown = by_title(scaled(rows, resamples=20))
        assert ("Out of range" in shown) is (name != "all withheld"), name
        assert name == "all withheld" or len(shown["Out of range"].table) == 2, name
        for view in shown.values():
            texts = view.table.map(lambda text: isinstance(text, str) and text != "nan")
            assert texts.all(axis=None), (name, view.title)
    # No table relies on what pandas is about to remove.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert views(found)


def test_views_of_little() -> None:
    """One scale alone has its tables, and so has a file of confidence and correct."""
    for name in ("two scales", "one item", "all unreadable", "no choices"):
        shown = by_title(scaled([row for row in cases()[name] if row["high"] == 100], resamples=20))
        few = {"Out of range"}
        full = {"Table 1, baseline scale", "Reports", "ECE by bins", *few}
        assert (few if name in ("all unreadable", "one item") else full) <= set(shown), name
        assert not any(title.startswith("Differences") for title in shown), name
    rows = [{"item": n, "confidence": 0.6, "correct": n % 2} for n in range(8)]
    assert any("0.60" in view.table.to_string() for view in views(scaled(rows, resamples=50)))
