"""Published figures beside own ones: which of them a choice of analysis brings, or loses."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from build import attributes_of
from inspect_confidence import summarize
from inspect_confidence.report.tables import Table, published_table


def _hedged() -> pd.DataFrame:
    """Sentences with two markers or none, in both splits of three data sets, 120 of each."""
    draws = np.random.default_rng(1)
    rows = []
    for dataset, split, item in product(("sciq", "mmlu", "wnli"), ("train", "test"), range(360)):
        marker = ("<no_hedge>", "probably", "perhaps")[item % 3]
        rows.append(
            {
                "task": "hedge_markers",
                "model": "m",
                "dataset": dataset,
                "split": split,
                "item": f"{split}{item}",
                "sentence": 1,
                "marker": marker,
                "n_markers": int(marker != "<no_hedge>"),
                "confidence": draws.uniform(),
                "decisiveness": draws.uniform(),
                "correct": float(draws.random() < 0.6),
                "punt": 0.0,
                "judge": "j",
                "status": "ok",
            }
        )
    return pd.DataFrame(rows)


def _published_lines(**options: str) -> set[tuple[str, ...]]:
    results = summarize(_hedged(), resamples=2, options=options)
    table = published_table(results)
    assert isinstance(table, Table)
    place = table.columns.index("from")
    lines = [tuple(attributes_of(line, "text")) for line in table.lines]
    return {line for line in lines if line[place] == "published"}


@pytest.mark.slow
def test_several_thresholds_keep_the_figures_of_the_studys_own_and_add_theirs() -> None:
    """What is printed for T = 10 stands beside own numbers whether more are asked for or not."""
    plain = _published_lines()
    several = _published_lines(**{"hedge_markers.marker_thresholds": "10,20,50,100"})
    assert len(plain) > 100
    added = {line for line in several - plain if "marker_threshold" in "".join(line)}
    assert plain <= several
    assert several - plain == added
    for threshold in (20, 50, 100):
        assert any(f"marker_threshold={threshold}" in "".join(line) for line in added)
