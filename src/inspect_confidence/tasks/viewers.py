"""How the log viewer shows the samples of a task: a specification each."""

from collections.abc import Callable, Sequence
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

_KEYS = """
level truth lower upper covered interval_score format_ok width reversed draws unseen_mass
tunnel_index low high raw confidence correct clipped violation probability choice right answer score
mas best_answer overconfidence sentences markers decisiveness faithfulness punt empty_draws cut
foreign judgments failed agreed verdict found missed false labelled raw_sum token_confidence
different_draws asked_again word setting
"""
"""Of every score, without their level."""

_LABELS = {key: key.replace("_", " ").capitalize() for key in _KEYS.split()} | {
    "level": "Level (%)",
    "format_ok": "Readable",
    "tunnel_index": "Tunnel Index (bits)",
    "low": "Scale from",
    "high": "Scale to",
    "raw": "Reported",
    "violation": "Out of range",
    "choice": "Place of the choice",
    "right": "Fits the numbers",
    "answer": "Answer (years)",
    "score": "True probability",
    "mas": "Highest achievable",
    "best_answer": "Best answer (years)",
    "punt": "No answer",
    "cut": "Cut off",
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

_COLORS: dict[str, ScoreColorScale | Literal["good-low"]] = {
    **dict.fromkeys(["covered", "format_ok", "correct", "right", "score"], _SHARE),
    **dict.fromkeys(["faithfulness", "agreed", "verdict"], _SHARE),
    **dict.fromkeys(["confidence", "probability", "mas"], _AMOUNT),
    **dict.fromkeys(["decisiveness", "labelled", "token_confidence"], _AMOUNT),
    **dict.fromkeys(["interval_score", "failed", "missed", "false"], "good-low"),
    "overconfidence": _SIGNED,
}


def _samples(
    name: str,
    shown: str,
    hidden: str,
    *,
    first: str,
    order: Literal["asc", "desc"] = "desc",
    target: bool = False,
    levels: Sequence[float] = (),
    multiline: bool = False,
) -> Callable[[str], ViewerConfig]:
    """The list of samples of a task, for a scorer of that name.

    It is sorted by the key `first`; `hidden` are further keys, for the list of columns to choose
    from; `levels` are those that keys end in; `multiline` makes rows of several lines, for words.
    """
    ends = {"": "", **{f"_{level:g}": f" {level:g}%" for level in levels}}
    # Also of keys that have no column of samples: they stand in the sample's panel.
    labels = {key + end: text + at for end, at in ends.items() for key, text in _LABELS.items()}
    colors = {key + end: color for end in ends for key, color in _COLORS.items()}
    visible = dict.fromkeys(shown.split(), True) | dict.fromkeys(hidden.split(), False)

    def viewer(scorer: str) -> ViewerConfig:
        return ViewerConfig(
            # A score has too many numbers for pills; as a table they can be sorted.
            sample_score_view=SampleScoreView(default="grid"),
            task_samples_view=TaskSamplesView(
                name=name,
                columns=[
                    TaskSamplesColumn(id="sampleStatus"),
                    TaskSamplesColumn(id="sampleId"),
                    TaskSamplesColumn(id="epoch", visible=False),
                    TaskSamplesColumn(id="input"),
                    *(
                        TaskSamplesColumn.score(scorer, key, visible=there)
                        for key, there in visible.items()
                    ),
                    TaskSamplesColumn(id="target", visible=target),
                    TaskSamplesColumn(id="error", visible=False),
                ],
                sort=[TaskSamplesSort.score(scorer, first, dir=order)],
                multiline=multiline,
                score_labels=labels,
                score_color_scales={key: colors[key] for key in visible if key in colors},
                color_scales_enabled=True,
            ),
        )

    return viewer


def levels_viewer(scorer: str, levels: Sequence[float]) -> ViewerConfig:
    """Samples of all levels: truth, and the widest level's bounds, coverage and score."""
    widest = f"{max(levels):g}"
    return _samples(
        "Intervals",
        f"truth lower_{widest} upper_{widest} covered_{widest} interval_score_{widest} format_ok",
        "draws unseen_mass tunnel_index",
        first=f"interval_score_{widest}",
        levels=levels,
    )(scorer)


interval_viewer = _samples(
    "Intervals",
    "level truth lower upper covered interval_score format_ok",
    "width reversed",
    first="interval_score",
)

stated_viewer = _samples(
    "Stated confidence",
    "low high raw confidence correct format_ok",
    "clipped violation",
    first="confidence",
    target=True,
)

probability_viewer = _samples(
    "Words to numbers",
    "word setting probability format_ok",
    "",
    first="probability",
    multiline=True,
)

choice_viewer = _samples(
    "Numbers to words", "choice right format_ok", "", first="right", order="asc", target=True
)

life_viewer = _samples(
    "LifeEval",
    "answer confidence score mas overconfidence format_ok",
    "best_answer",
    first="overconfidence",
    target=True,
)

option_viewer = _samples(
    "Question sets",
    "correct confidence token_confidence format_ok",
    "raw_sum",
    first="confidence",
    target=True,
)

hedge_viewer = _samples(
    "Hedge markers",
    "sentences markers confidence decisiveness faithfulness correct",
    "punt draws different_draws empty_draws cut foreign judgments failed asked_again format_ok",
    first="faithfulness",
    order="asc",
    target=True,
)

judge_viewer = _samples(
    "Judge",
    "agreed verdict found missed false decisiveness labelled",
    "format_ok",
    first="missed",
    target=True,
)


def with_confidence_viewer(
    plain: ViewerConfig | None, scorers: Sequence[str], ways: Sequence[str]
) -> ViewerConfig:
    """Confidence and correctness beside what the eval's own view shows, or its scores."""
    ours = [TaskSamplesColumn.score("confidence", key) for key in ("correct", *ways)]
    labels = {"correct": "Correct", **{way: way.replace("_", " ").capitalize() for way in ways}}
    colors = {"correct": _SHARE, **dict.fromkeys(ways, _AMOUNT)}
    view = plain.task_samples_view if plain else None
    if plain and isinstance(view, TaskSamplesView):
        seen = view.model_copy(
            update={
                "columns": [*view.columns, *ours] if view.columns else view.columns,
                "score_labels": {**labels, **(view.score_labels or {})},
                "score_color_scales": {**colors, **(view.score_color_scales or {})},
            }
        )
        return plain.model_copy(update={"task_samples_view": seen})
    seen = TaskSamplesView(
        name="Confidence",
        columns=[
            TaskSamplesColumn(id="sampleStatus"),
            TaskSamplesColumn(id="sampleId"),
            TaskSamplesColumn(id="epoch", visible=False),
            TaskSamplesColumn(id="input"),
            TaskSamplesColumn(id="target"),
            *(TaskSamplesColumn.score(name) for name in scorers),
            *ours,
        ],
        score_labels=labels,
        score_color_scales=colors,
        color_scales_enabled=True,
    )
    made = ViewerConfig(task_samples_view=seen, sample_score_view=SampleScoreView(default="grid"))
    return plain.model_copy(update={"task_samples_view": seen}) if plain else made
