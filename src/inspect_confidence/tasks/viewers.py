"""How the log viewer shows the samples of a task: a specification each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from inspect_ai.viewer import (
    SampleScoreView,
    ScoreColorScale,
    TaskSamplesColumn,
    TaskSamplesSort,
    TaskSamplesView,
    ViewerConfig,
)

_LABELS = {
    "level": "Level (%)",
    "truth": "Truth",
    "lower": "Lower",
    "upper": "Upper",
    "covered": "Covered",
    "interval_score": "Interval score",
    "format_ok": "Readable",
    "width": "Width",
    "reversed": "Reversed",
    "draws": "Draws",
    "unseen_mass": "Unseen mass",
    "tunnel_index": "Tunnel Index (bits)",
    "low": "Scale from",
    "high": "Scale to",
    "raw": "Reported",
    "confidence": "Confidence",
    "correct": "Correct",
    "clipped": "Clipped",
    "violation": "Out of range",
    "probability": "Probability",
    "choice": "Place of the choice",
    "right": "Fits the numbers",
    "answer": "Answer (years)",
    "score": "True probability",
    "mas": "Highest achievable",
    "best_answer": "Best answer (years)",
    "overconfidence": "Overconfidence",
    "sentences": "Sentences",
    "markers": "Markers",
    "decisiveness": "Decisiveness",
    "faithfulness": "Faithfulness",
    "punt": "No answer",
    "empty_draws": "Empty draws",
    "cut": "Cut off",
    "judgments": "Judgments",
    "failed": "Failed judgments",
    "agreed": "Agreement as labelled",
    "verdict": "Verdict as labelled",
    "found": "Markers found",
    "missed": "Markers missed",
    "false": "Markers too many",
    "labelled": "Decisiveness as labelled",
    "raw_sum": "Sum as stated",
    "token_confidence": "Confidence of the token",
}

_SHARE = ScoreColorScale(palette="good-high", min=0, max=1)
_AMOUNT = ScoreColorScale(palette="neutral", min=0, max=1)
"""A probability is neither good nor bad by itself."""

_SIGNED = ScoreColorScale(palette="neutral", min=-1, max=1)
"""Both ends are bad, for which the viewer has no palette: the darker, the more overconfident."""

_COLORS: Mapping[str, ScoreColorScale | Literal["good-low"]] = {
    **dict.fromkeys(("covered", "correct", "right", "score", "format_ok"), _SHARE),
    **dict.fromkeys(("faithfulness", "agreed", "verdict"), _SHARE),
    **dict.fromkeys(("confidence", "probability", "mas", "decisiveness", "labelled"), _AMOUNT),
    "token_confidence": _AMOUNT,
    "overconfidence": _SIGNED,
    **dict.fromkeys(("interval_score", "missed", "false", "failed"), "good-low"),
}


@dataclass(frozen=True)
class _Samples:
    """The list of samples of a task.

    Attributes:
        name: Of the view.
        shown: Keys of the score that have a column.
        hidden: Further keys, for the list of columns to choose from.
        first: The key that the list is sorted by.
        order: Whether its greatest or its least value comes first.
        target: Whether the sample's target is shown.
        levels: Nominal levels, where keys end in one.
    """

    name: str
    shown: Sequence[str]
    hidden: Sequence[str]
    first: str
    order: Literal["asc", "desc"] = "desc"
    target: bool = False
    levels: Sequence[float] = field(default=())

    def viewer(self, scorer: str) -> ViewerConfig:
        """The viewer of a task with that scorer."""
        columns = [
            *(TaskSamplesColumn.score(scorer, key) for key in self.shown),
            *(TaskSamplesColumn.score(scorer, key, visible=False) for key in self.hidden),
        ]
        return ViewerConfig(
            # A score has too many numbers for pills; as a table they can be sorted.
            sample_score_view=SampleScoreView(default="grid"),
            task_samples_view=TaskSamplesView(
                name=self.name,
                columns=[
                    TaskSamplesColumn(id="sampleStatus"),
                    TaskSamplesColumn(id="sampleId"),
                    TaskSamplesColumn(id="epoch", visible=False),
                    TaskSamplesColumn(id="input"),
                    *columns,
                    TaskSamplesColumn(id="target", visible=self.target),
                    TaskSamplesColumn(id="error", visible=False),
                ],
                sort=[TaskSamplesSort.score(scorer, self.first, dir=self.order)],
                multiline=False,
                score_labels=self._labels(),
                score_color_scales={
                    key: _COLORS[self._plain(key)]
                    for key in (*self.shown, *self.hidden)
                    if self._plain(key) in _COLORS
                },
                color_scales_enabled=True,
            ),
        )

    def _plain(self, key: str) -> str:
        """A key without its level."""
        ends = (f"_{level:g}" for level in self.levels)
        return next((key.removesuffix(end) for end in ends if key.endswith(end)), key)

    def _labels(self) -> dict[str, str]:
        """Also of keys at a level, which have no column but stand in the sample's panel."""
        at_level = {
            f"{key}_{level:g}": f"{label} {level:g}%"
            for level in self.levels
            for key, label in _LABELS.items()
        }
        return {**_LABELS, **at_level}


def levels_viewer(scorer: str, levels: Sequence[float]) -> ViewerConfig:
    """Samples of all levels: truth, and the widest level's bounds, coverage and score."""
    widest = f"{max(levels):g}"
    shown = [f"{key}_{widest}" for key in ("lower", "upper", "covered", "interval_score")]
    return _Samples(
        name="Intervals",
        shown=("truth", *shown, "format_ok"),
        hidden=("draws", "unseen_mass", "tunnel_index"),
        first=f"interval_score_{widest}",
        levels=levels,
    ).viewer(scorer)


interval_viewer = _Samples(
    name="Intervals",
    shown=("level", "truth", "lower", "upper", "covered", "interval_score", "format_ok"),
    hidden=("width", "reversed"),
    first="interval_score",
).viewer
"""Samples of one level each, the worst score first."""

stated_viewer = _Samples(
    name="Stated confidence",
    shown=("low", "high", "raw", "confidence", "correct", "format_ok"),
    hidden=("clipped", "violation"),
    first="confidence",
    target=True,
).viewer
"""Samples of one scale each, the surest first."""

probability_viewer = _Samples(
    name="Words to numbers",
    shown=("probability", "format_ok"),
    hidden=(),
    first="probability",
).viewer
"""Samples of one word each, the highest probability first."""

choice_viewer = _Samples(
    name="Numbers to words",
    shown=("choice", "right", "format_ok"),
    hidden=(),
    first="right",
    order="asc",
    target=True,
).viewer
"""Samples of one sentence each, choices that don't fit the numbers first."""

life_viewer = _Samples(
    name="LifeEval",
    shown=("answer", "confidence", "score", "mas", "overconfidence", "format_ok"),
    hidden=("best_answer",),
    first="overconfidence",
    target=True,
).viewer
"""Samples of one person each, the most overconfident first."""

option_viewer = _Samples(
    name="Question sets",
    shown=("correct", "confidence", "token_confidence", "format_ok"),
    hidden=("raw_sum",),
    first="confidence",
    target=True,
).viewer
"""Samples of one question each, the surest first."""

hedge_viewer = _Samples(
    name="Hedge markers",
    shown=("sentences", "markers", "confidence", "decisiveness", "faithfulness", "correct"),
    hidden=("punt", "draws", "empty_draws", "cut", "judgments", "failed", "format_ok"),
    first="faithfulness",
    order="asc",
    target=True,
).viewer
"""Samples of one question each, the least faithful first."""

judge_viewer = _Samples(
    name="Judge",
    shown=("agreed", "verdict", "found", "missed", "false", "decisiveness", "labelled"),
    hidden=("format_ok",),
    first="missed",
    target=True,
).viewer
"""Samples of one judgment each, those with missed markers first."""
