"""docs/findings.md states what the recorded answers give."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent


def test_every_sentence_with_numbers_follows_from_the_recorded_answers(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The script prints each sentence; the page has it to the letter."""
    monkeypatch.syspath_prepend(CHECKOUT / "docs")
    drawing = importlib.import_module("draw_findings")
    page = " ".join((CHECKOUT / "docs" / "findings.md").read_text("utf-8").split())
    findings = drawing.findings(shared_data)
    assert len(findings) == 5
    for finding in findings:
        assert f"(images/{finding.name}.svg)" in page
        for sentence in finding.sentences:
            assert sentence.removesuffix(".") in page
