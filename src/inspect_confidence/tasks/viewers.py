"""How the log viewer shows the samples of a task: a specification each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from inspect_ai.viewer import (
    SampleScoreView,
    ScoreColorScale,
    TaskSamplesColumn,
    TaskSamplesSort,
    TaskSamplesView,
    ViewerConfig,
)

_SHARE = ScoreColorScale(palette="good-high", min=0, max=1)
_AMOUNT = ScoreColorScale(palette="neutral", min=0, max=1)
"""A probability is neither good nor bad by itself."""

_SIGNED = ScoreColorScale(palette="neutral", min=-1, max=1)
"""Both ends are bad, for which the viewer has no palette: the darker, the more overconfident."""


@dataclass(frozen=True)
class _Column:
    """How a score's number is shown.

    Attributes:
        label: Its heading.
        color: Of its cells, if they have one.
    """

    label: str
    color: ScoreColorScale | Literal["good-low"] | None = None


_COLUMNS = {
    "level": _Column("Level (%)"),
    "truth": _Column("Truth"),
    "lower": _Column("Lower"),
    "upper": _Column("Upper"),
    "covered": _Column("Covered", _SHARE),
    "interval_score": _Column("Interval score", "good-low"),
    "format_ok": _Column("Readable", _SHARE),
    "width": _Column("Width"),
    "reversed": _Column("Reversed"),
    "draws": _Column("Draws"),
    "unseen_mass": _Column("Unseen mass"),
    "tunnel_index": _Column("Tunnel Index (bits)"),
    "low": _Column("Scale from"),
    "high": _Column("Scale to"),
    "raw": _Column("Reported"),
    "confidence": _Column("Confidence", _AMOUNT),
    "correct": _Column("Correct", _SHARE),
    "clipped": _Column("Clipped"),
    "violation": _Column("Out of range"),
    "probability": _Column("Probability", _AMOUNT),
    "choice": _Column("Place of the choice"),
    "right": _Column("Fits the numbers", _SHARE),
    "answer": _Column("Answer (years)"),
    "score": _Column("True probability", _SHARE),
    "mas": _Column("Highest achievable", _AMOUNT),
    "best_answer": _Column("Best answer (years)"),
    "overconfidence": _Column("Overconfidence", _SIGNED),
    "sentences": _Column("Sentences"),
    "markers": _Column("Markers"),
    "decisiveness": _Column("Decisiveness", _AMOUNT),
    "faithfulness": _Column("Faithfulness", _SHARE),
    "punt": _Column("No answer"),
    "empty_draws": _Column("Empty draws"),
    "cut": _Column("Cut off"),
    "judgments": _Column("Judgments"),
    "failed": _Column("Failed judgments", "good-low"),
    "agreed": _Column("Agreement as labelled", _SHARE),
    "verdict": _Column("Verdict as labelled", _SHARE),
    "found": _Column("Markers found"),
    "missed": _Column("Markers missed", "good-low"),
    "false": _Column("Markers too many", "good-low"),
    "labelled": _Column("Decisiveness as labelled", _AMOUNT),
    "raw_sum": _Column("Sum as stated"),
    "token_confidence": _Column("Confidence of the token", _AMOUNT),
}
"""Of every key that a score has, without its level."""


@dataclass(frozen=True)
class _Samples:
    """The list of samples of a task.

    Attributes:
        name: Of the view.
        shown: Keys of the score that have a column, between spaces.
        hidden: Further keys, for the list of columns to choose from.
        first: The key that the list is sorted by.
        order: Whether its greatest or its least value comes first.
        target: Whether the sample's target is shown.
        levels: Nominal levels, where keys end in one.
    """

    name: str
    shown: str
    hidden: str
    first: str
    order: Literal["asc", "desc"] = "desc"
    target: bool = False
    levels: Sequence[float] = ()

    def viewer(self, scorer: str) -> ViewerConfig:
        """The viewer of a task with that scorer."""
        columns = _COLUMNS | {
            # Also of keys that have no column of samples: they stand in the sample's panel.
            f"{key}_{level:g}": _Column(f"{column.label} {level:g}%", column.color)
            for level in self.levels
            for key, column in _COLUMNS.items()
        }
        shown, hidden = self.shown.split(), self.hidden.split()
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
                    *(TaskSamplesColumn.score(scorer, key) for key in shown),
                    *(TaskSamplesColumn.score(scorer, key, visible=False) for key in hidden),
                    TaskSamplesColumn(id="target", visible=self.target),
                    TaskSamplesColumn(id="error", visible=False),
                ],
                sort=[TaskSamplesSort.score(scorer, self.first, dir=self.order)],
                multiline=False,
                score_labels={key: column.label for key, column in columns.items()},
                score_color_scales={
                    key: color for key in shown + hidden if (color := columns[key].color)
                },
                color_scales_enabled=True,
            ),
        )


def levels_viewer(scorer: str, levels: Sequence[float]) -> ViewerConfig:
    """Samples of all levels: truth, and the widest level's bounds, coverage and score."""
    widest = f"{max(levels):g}"
    return _Samples(
        "Intervals",
        f"truth lower_{widest} upper_{widest} covered_{widest} interval_score_{widest} format_ok",
        "draws unseen_mass tunnel_index",
        first=f"interval_score_{widest}",
        levels=levels,
    ).viewer(scorer)


interval_viewer = _Samples(
    "Intervals",
    "level truth lower upper covered interval_score format_ok",
    "width reversed",
    first="interval_score",
).viewer
"""Samples of one level each, the worst score first."""

stated_viewer = _Samples(
    "Stated confidence",
    "low high raw confidence correct format_ok",
    "clipped violation",
    first="confidence",
    target=True,
).viewer
"""Samples of one scale each, the surest first."""

probability_viewer = _Samples(
    "Words to numbers", "probability format_ok", "", first="probability"
).viewer
"""Samples of one word each, the highest probability first."""

choice_viewer = _Samples(
    "Numbers to words", "choice right format_ok", "", first="right", order="asc", target=True
).viewer
"""Samples of one sentence each, choices that don't fit the numbers first."""

life_viewer = _Samples(
    "LifeEval",
    "answer confidence score mas overconfidence format_ok",
    "best_answer",
    first="overconfidence",
    target=True,
).viewer
"""Samples of one person each, the most overconfident first."""

option_viewer = _Samples(
    "Question sets",
    "correct confidence token_confidence format_ok",
    "raw_sum",
    first="confidence",
    target=True,
).viewer
"""Samples of one question each, the surest first."""

hedge_viewer = _Samples(
    "Hedge markers",
    "sentences markers confidence decisiveness faithfulness correct",
    "punt draws empty_draws cut judgments failed format_ok",
    first="faithfulness",
    order="asc",
    target=True,
).viewer
"""Samples of one question each, the least faithful first."""

judge_viewer = _Samples(
    "Judge",
    "agreed verdict found missed false decisiveness labelled",
    "format_ok",
    first="missed",
    target=True,
).viewer
"""Samples of one judgment each, those with missed markers first."""
