"""Studies of more items than are drawn one by one."""

import numpy as np
import pandas as pd
import pytest

from build import numbered
from inspect_confidence import summarize
from inspect_confidence.commands.summarize import summarize_with_draws
from inspect_confidence.results import Condition
from inspect_confidence.studies.compare import mean_differences, means_contrast, resample_contrast
from inspect_confidence.studies.study import Resampling

ITEMS = 4_100


def frame(model: str, levels: int) -> pd.DataFrame:
    """Two epochs of every item, each with a confidence of its own; an eighth are unread."""
    rng = np.random.default_rng(0)
    epochs = []
    for epoch in (1, 2):
        confidence = rng.integers(levels + 1, size=ITEMS) / levels
        rows = {
            "task": "any_eval",
            "model": model,
            "item": numbered("q", ITEMS),
            "epoch": epoch,
            "confidence": confidence,
            "correct": (rng.random(ITEMS) < confidence) * 1.0,
            "status": np.where(np.arange(ITEMS) % 8, "ok", "refusal"),
        }
        epochs.append(pd.DataFrame(rows))
    return pd.concat(epochs)


@pytest.mark.parametrize("levels", [4, 99_991])
def test_notes_say_that_groups_were_resampled(levels: int) -> None:
    """Of confidences in any fraction there are too many kinds of items to count."""
    results = summarize(frame("a", levels), resamples=50).set_index("metric")
    is_noted = results["note"].str.contains("resampled in 2,000 groups")
    assert is_noted["auroc"] == (levels > 4)
    assert not is_noted["accuracy"]  # Wilson's interval needs no resamples
    note = str(results.loc["auroc", "note"])
    assert "1026 refusal" in note  # of 513 items
    assert ("steps of 1/120" in note) == (levels > 4)


def test_models_on_the_same_items_share_their_resamples() -> None:
    """A rank's interval rests on it: two models that answer alike have one and the same draws."""
    two_models = pd.concat([frame("a", 10), frame("b", 10)], ignore_index=True)
    results, draws = summarize_with_draws(two_models, resamples=20)
    is_auroc = results["metric"].eq("auroc") & results["condition"].eq("method=recorded")
    first, second = (draws[place].draws for place in np.flatnonzero(is_auroc).tolist())
    np.testing.assert_array_equal(first, second)
    assert np.ptp(first) > 0


@pytest.mark.parametrize(("items", "is_noted"), [(ITEMS, True), (100, False)])
def test_a_mean_difference_says_that_groups_of_a_data_set_were_resampled(
    items: int, is_noted: bool
) -> None:
    """The other data set is small; a note on its resamples alone would be wrong of the mean."""
    parts = []
    for stream, n in enumerate((100, items)):
        first, second = np.random.default_rng(stream).random((2, n, 1))
        sides = [(first, np.arange(n)), (second, np.arange(n))]
        contrast = means_contrast([(Condition(), "brier")], sides, [n], n)
        parts.append(resample_contrast(contrast, Resampling(50), stream))
    assert ("resampled in 2,000 groups" in mean_differences(parts).test(0).reason) == is_noted
