"""Stated confidence that judgments derive from a report on a scale."""

from __future__ import annotations

import numpy as np

from inspect_confidence.judgments.read import judgments_of
from inspect_confidence.studies.stated import complete_judgments
from studies.frames import frame


def test_a_report_far_outside_its_scale_gives_no_confidence() -> None:
    """On 0-100, 105 is within 5% of the width and is clipped; 106 is out of range."""
    rows = [
        {"item": str(raw), "low": 0, "high": 100, "raw": raw, "correct": 1.0, "status": "ok"}
        for raw in (50.0, 105.0, 106.0, -6.0)
    ]
    judgments = judgments_of({"any_eval": frame(rows, "any_eval")})["any_eval"]
    derived = complete_judgments(judgments).set_index("raw").loc[[50, 105, 106, -6]]
    np.testing.assert_array_equal(derived["confidence"], [0.5, 1, np.nan, np.nan])
    assert derived["status"].tolist() == ["ok", "ok", "out_of_range", "out_of_range"]
