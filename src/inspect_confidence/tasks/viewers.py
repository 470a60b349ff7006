"""Specifications of how the log viewer shows the samples of each task."""

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
"""Both ends are bad, and the viewer has no palette for that: the darker, the more overconfident."""

_KEYS = """
level truth lower upper covered interval_score format_ok width reversed draws unseen_mass
tunnel_index low high raw confidence correct clipped violation probability choice right answer score
mas best_answer overconfidence sentences markers decisiveness faithfulness punt empty_draws cut
foreign judgments failed agreed verdict found missed false labelled raw_sum token_confidence
different_draws asked_again word setting confidence_target declined
keep bet correct_after moved confidence_before confidence_after frequency frequency_correct
"""
"""Keys of all scores, without their level."""

_LABELS = {key: key.replace("_", " ").capitalize() for key in _KEYS.split()} | {
    "level": "Level (%)",
    "confidence_target": "Target",
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
    "correct_after": _SHARE,
    "moved": "good-low",
    **dict.fromkeys(["faithfulness", "agreed", "verdict"], _SHARE),
    **dict.fromkeys(["confidence", "probability", "mas"], _AMOUNT),
    **dict.fromkeys(["confidence_before", "confidence_after"], _AMOUNT),
    **dict.fromkeys(["decisiveness", "labelled", "token_confidence"], _AMOUNT),
    **dict.fromkeys(["interval_score", "failed", "missed", "false"], "good-low"),
    "overconfidence": _SIGNED,
}


def _samples(
    name: str,
    visible: str,
    hidden: str,
    *,
    first: str,
    order: Literal["asc", "desc"] = "desc",
    target: bool = False,
    levels: Sequence[float] = (),
    multiline: bool = False,
) -> Callable[[str], ViewerConfig]:
    """Return a function of the scorer's name that specifies the list of a task's samples.

    Args:
        name: Name of the list.
        visible: Keys of the score that have a column.
        hidden: Keys whose columns can be switched on.
        first: Key by which the list is sorted.
        order: Order of the list.
        target: Whether the target has a column.
        levels: Levels that keys end in.
        multiline: Whether rows have several lines, for words.
    """
    suffixes = {"": ""}
    for level in levels:
        suffixes[f"_{level:g}"] = f" {level:g}%"
    # Also of keys without a column: the sample's panel shows them.
    labels: dict[str, str] = {}
    colors: dict[str, ScoreColorScale | Literal["good-low"]] = {}
    for suffix, level_label in suffixes.items():
        labels |= {key + suffix: label + level_label for key, label in _LABELS.items()}
        colors |= {key + suffix: color for key, color in _COLORS.items()}
    is_visible = dict.fromkeys(visible.split(), True) | dict.fromkeys(hidden.split(), False)

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
                        TaskSamplesColumn.score(scorer, key, visible=flag)
                        for key, flag in is_visible.items()
                    ),
                    TaskSamplesColumn(id="target", visible=target),
                    TaskSamplesColumn(id="error", visible=False),
                ],
                sort=[TaskSamplesSort.score(scorer, first, dir=order)],
                multiline=multiline,
                score_labels=labels,
                score_color_scales={key: colors[key] for key in is_visible if key in colors},
                color_scales_enabled=True,
            ),
        )

    return viewer


def levels_viewer(scorer: str, levels: Sequence[float]) -> ViewerConfig:
    """Specify a list of samples with all levels: truth, and the widest level's interval."""
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

abstain_viewer = _samples(
    "Answers under a confidence target",
    "confidence_target declined correct confidence format_ok",
    "raw",
    first="confidence_target",
    order="asc",
    target=True,
)

commitment_viewer = _samples(
    "Decisions on answers",
    "correct keep bet correct_after moved format_ok",
    "confidence_before confidence_after",
    first="correct",
    order="asc",
    target=True,
)

simple_qa_viewer = _samples(
    "Short answers",
    "declined correct raw confidence frequency format_ok",
    "frequency_correct draws low high clipped violation",
    first="confidence",
    target=True,
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
    plain: ViewerConfig | None, scorers: Sequence[str], methods: Sequence[str]
) -> ViewerConfig:
    """Add confidence and correctness to the eval's own view, or to a view of its scores."""
    columns = [TaskSamplesColumn.score("confidence", key) for key in ("correct", *methods)]
    labels = {"correct": "Correct"}
    for method in methods:
        labels[method] = method.replace("_", " ").capitalize()
    colors = {"correct": _SHARE, **dict.fromkeys(methods, _AMOUNT)}
    view = plain.task_samples_view if plain else None
    if plain and isinstance(view, TaskSamplesView):
        extended = view.model_copy(
            update={
                "columns": [*view.columns, *columns] if view.columns else view.columns,
                "score_labels": {**labels, **(view.score_labels or {})},
                "score_color_scales": {**colors, **(view.score_color_scales or {})},
            }
        )
        return plain.model_copy(update={"task_samples_view": extended})
    view = TaskSamplesView(
        name="Confidence",
        columns=[
            TaskSamplesColumn(id="sampleStatus"),
            TaskSamplesColumn(id="sampleId"),
            TaskSamplesColumn(id="epoch", visible=False),
            TaskSamplesColumn(id="input"),
            TaskSamplesColumn(id="target"),
            *(TaskSamplesColumn.score(name) for name in scorers),
            *columns,
        ],
        score_labels=labels,
        score_color_scales=colors,
        color_scales_enabled=True,
    )
    if plain:
        return plain.model_copy(update={"task_samples_view": view})
    return ViewerConfig(task_samples_view=view, sample_score_view=SampleScoreView(default="grid"))
