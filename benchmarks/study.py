"""All numbers of the scale study, from judgments to results."""

from unittest.mock import patch

import numpy as np
import pandas as pd

from inspect_confidence import summarize
from inspect_confidence.scales import ALL
from inspect_confidence.studies import compare
from measure import Timing, aligned, seconds, timing

ITEMS = 1_000
RESAMPLES = 10_000
BUDGET = 30

TITLE = f"""\
The scale study: {len(ALL)} scales x {ITEMS:,} items of 4 choices, {RESAMPLES:,} resamples
  all: summarize, from a frame of judgments to the results
  without tests: the same but for the paired tests of 12 scales against 0-100
  Reports are whole numbers, four in five of them multiples of 5: {{levels}} a scale.
  No peer; budget {BUDGET} s."""


def run() -> str:
    """The table of this part."""
    frame = judgments()
    summarize(frame, resamples=1)  # imports what it needs
    rows = [_row("all", *_summarized(frame))]
    with patch.object(compare, "differences_from_baseline", return_value={}):
        rows.append(_row("without tests", *_summarized(frame)))
    levels = frame.groupby(["low", "high"])["raw"].nunique()
    title = TITLE.format(levels=f"{levels.min()} to {levels.max()} values")
    return f"{title}\n\n{aligned(['', 'results', 'processor s', 'wall s'], rows)}"


def _summarized(frame: pd.DataFrame) -> tuple[int, Timing]:
    with timing() as took:
        results = summarize(frame, resamples=RESAMPLES)
    return len(results), took


def _row(name: str, results: int, took: Timing) -> list[str]:
    return [name, f"{results:,}", seconds(took.cpu), seconds(took.wall)]


def judgments() -> pd.DataFrame:
    """What a somewhat overconfident model might answer and report on every scale."""
    rng = np.random.default_rng(0)
    target = rng.integers(4, size=ITEMS)
    ease = rng.beta(4, 2, ITEMS)
    letters = np.array(list("ABCD"))
    frames = []
    for scale in ALL:
        wrong = rng.random(ITEMS) > ease
        share = ease + rng.normal(0.15, 0.1, ITEMS)
        exact = scale.low + share * (scale.high - scale.low)
        step = np.where(rng.random(ITEMS) < 0.8, 5, 1)
        frames.append(
            pd.DataFrame(
                {
                    "task": "scale_variants",
                    "model": "simulated",
                    "dataset": "simulated",
                    "item": [f"q{i}" for i in range(ITEMS)],
                    "low": scale.low,
                    "high": scale.high,
                    "raw": np.clip(step * np.round(exact / step), scale.low, scale.high),
                    "answer": letters[(target + wrong) % 4],
                    "target": letters[target],
                    "choices": 4,
                }
            )
        )
    return pd.concat(frames, ignore_index=True)
