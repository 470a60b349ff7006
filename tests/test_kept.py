"""Results are kept between commands: equal to those computed anew, and only of equal judgments."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from inspect_confidence import detail, summarize
from inspect_confidence.commands.analysis import Settings
from inspect_confidence.judgments.cache import VARIABLE
from studies.frames import frame, judged

SAME: Settings = {"resamples": 50}
KEPT: Settings = {**SAME, "cached": True}


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def judgments() -> pd.DataFrame:
    """Of two epochs, some of them refusals."""
    rows = [row for epoch in (1, 2) for row in judged("0-10", 40, 5, 0, epoch=epoch)]
    return frame(rows, "scale_variants")


def test_what_is_kept_equals_what_is_computed(kept: Path) -> None:
    """To the last bit and type, whoever asks; it is what the second call gives."""
    rows = judgments()
    for compute in (summarize, detail):
        plain = compute(rows, **SAME)
        pd.testing.assert_frame_equal(compute(rows, **KEPT), plain, check_exact=True)
        pd.testing.assert_frame_equal(compute(rows, **KEPT), plain, check_exact=True)
    first, second = sorted(kept.iterdir(), key=lambda file: file.stat().st_mtime)
    pd.read_parquet(first).assign(note="from the cache").to_parquet(first, index=False)
    assert set(summarize(rows, **KEPT)["note"]) == {"from the cache"}
    assert set(summarize(rows, **SAME)["note"]) != {"from the cache"}
    second.write_bytes(b"cut")
    again = detail(rows, **KEPT)
    pd.testing.assert_frame_equal(again, detail(rows, **SAME), check_exact=True)


def test_what_changes_a_number_is_another_result(kept: Path) -> None:
    """Another judgment, status or setting; not the order of rows or how many processes work."""
    rows = judgments()
    summarize(rows, **KEPT)
    two: Settings = {**KEPT, "workers": 2}
    summarize(rows, **two)
    summarize(rows.iloc[::-1], **KEPT)
    assert len([*kept.iterdir()]) == 1
    other = rows.copy()
    other.loc[(other["status"] == "ok").idxmax(), "status"] = "refusal"
    ways: list[tuple[pd.DataFrame, Settings]] = [
        (rows, {"seed": 1}),
        (rows, {"thresholds": (0.5,)}),
        (rows, {"options": {"fermi_eval.penalty": 5}}),
        (other, {}),
    ]
    for number, (source, own) in enumerate(ways, 2):
        both: Settings = {**KEPT, **own}
        summarize(source, **both)
        assert len([*kept.iterdir()]) == number, own


def test_a_cache_that_cannot_be_written_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file in the folder's place, or the word `off`."""
    (tmp_path / "file").write_text("", "utf-8")
    for place in (str(tmp_path / "file"), "off"):
        monkeypatch.setenv(VARIABLE, place)
        assert len(summarize(judgments(), **KEPT))
