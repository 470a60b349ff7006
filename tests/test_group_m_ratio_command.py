"""M-ratio of the group of models: `summarize --group-m-ratio`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from build import copies_per_value, numbered
from inspect_confidence.cli import main
from inspect_confidence.commands.group_m_ratio import group_m_ratio
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics import hierarchical_m_ratio

MODELS = ("a", "b", "c", "d")


def two_choice_judgments(epochs: int = 1, items: int = 150) -> pd.DataFrame:
    """Judgments of four models, each on 0-3, a twentieth unreadable; epochs repeat the reply."""
    rng = np.random.default_rng(5)
    parts = []
    for model in MODELS:
        side = rng.integers(2, size=items)
        evidence = rng.normal(np.where(side == 1, 0.8, -0.8))
        rating = np.minimum(np.floor(2 * np.abs(evidence + rng.normal(0, 0.4, items))), 3)
        part = pd.DataFrame(
            {
                "model": model,
                "item": numbered("i", items),
                "raw": rating,
                "target": np.where(side == 1, "B", "A"),
                "answer": np.where(evidence > 0, "B", "A"),
                "status": np.where(rng.random(items) < 0.05, "refusal", "ok"),
            }
        )
        parts += copies_per_value(part, "epoch", range(1, epochs + 1))
    return pd.concat(parts, ignore_index=True).assign(
        task="scale_variants", dataset="d", low=0, high=3, choices=2
    )


def expected_counts(rows: pd.DataFrame) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Counts by right choice, model, and surest "A" ... surest "B"."""
    counts = np.zeros((2, len(MODELS), 8))
    for row in rows[rows["status"] == "ok"].to_dict("records"):
        place = 3 - int(row["raw"]) if row["answer"] == "A" else 4 + int(row["raw"])
        counts["AB".index(row["target"]), MODELS.index(row["model"]), place] += 1
    return counts


@pytest.mark.parametrize("epochs", [1, 2])
def test_group_and_models_are_those_of_the_counts(epochs: int) -> None:
    """Unreadable replies don't count, and an item counts once however many epochs it has."""
    counts = expected_counts(two_choice_judgments())
    group = hierarchical_m_ratio(counts[0], counts[1])
    rows = group_m_ratio({"scale_variants": two_choice_judgments(epochs)})
    assert rows["model"].tolist() == ["all models", *MODELS]
    first = rows.iloc[0]
    assert first[["m_ratio", "ci_low", "ci_high"]].tolist() == pytest.approx(
        [group.m_ratio, group.ci_low, group.ci_high]
    )
    assert rows["m_ratio"].tolist()[1:] == pytest.approx(group.units.tolist())
    assert first["n"] == counts.sum()
    assert first["condition"] == "scale=0-3"


def test_a_model_without_information_is_left_out_with_the_reason() -> None:
    """The group rests on the three others."""
    judgments = two_choice_judgments()
    judgments.loc[judgments["model"] == "a", "raw"] = 2
    rows = group_m_ratio({"scale_variants": judgments}).set_index("model")
    assert rows.loc["all models", "note"] == "1 of 4 models left out"
    assert np.isnan(rows["m_ratio"]["a"])
    assert "same rating" in str(rows.loc["a", "note"])


def test_questions_with_four_choices_are_refused() -> None:
    """They have no two stimuli."""
    judgments = two_choice_judgments().assign(choices=4)
    with pytest.raises(InvalidArgument, match="two choices"):
        group_m_ratio({"scale_variants": judgments})


def test_summarize_prints_the_group_and_each_model(tmp_path: Path) -> None:
    """With the interval of the group."""
    path = tmp_path / "judgments.csv"
    two_choice_judgments().to_csv(path, index=False)
    result = CliRunner().invoke(main, ["summarize", str(path), "--group-m-ratio"])
    assert result.exit_code == 0, result.output
    assert "M-ratio of the group of models" in result.output
    for model in ("all models", *MODELS):
        assert model in result.output
