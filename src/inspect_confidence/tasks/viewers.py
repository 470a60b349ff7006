"""Specifications of how the log viewer shows the samples of each task."""

from collections.abc import Mapping, Sequence
from functools import partial

from inspect_ai.viewer import (
    SampleScoreView,
    ScoreColorScale,
    TaskSamplesColumn,
    TaskSamplesSort,
    TaskSamplesView,
    ViewerConfig,
)

_SHARE = ScoreColorScale(palette="good-high", min=0, max=1)
_FAULT = ScoreColorScale(palette="good-low", min=0, max=1)
_AMOUNT = ScoreColorScale(palette="neutral", min=0, max=1)
"""A probability is neither good nor bad by itself."""

_EXCESS = ScoreColorScale(palette="neutral", min=0, max=0.5)
"""The darker, the more overconfident; no colour at 0 and below."""

_READABLE = ScoreColorScale(palette="diverging", min=0, max=2)
"""No colour at 1, so that only unreadable replies stand out, in red."""

_ORDERS = ScoreColorScale(palette="good-low", min=0, max=20)
"""Orders of magnitude; one miss at a high level costs hundreds, and must not fade all others."""

_LABELS = {
    "level": "Level (%)",
    "truth": "Truth",
    "lower": "Lower",
    "upper": "Upper",
    "covered": "Covered",
    "width": "Width",
    "interval_score": "Score",
    "reversed": "Reversed",
    "draws": "Draws",
    "unseen_mass": "Unseen mass",
    "tunnel_index": "Tunnel (bits)",
    "confidence_target": "Threshold",
    "declined": "Declined",
    "correct": "Correct",
    "confidence": "Confidence",
    "format_ok": "Readable",
    "keep": "Kept",
    "bet": "Bet",
    "correct_after": "Right after",
    "moved": "Moved",
    "confidence_before": "Conf. before",
    "confidence_after": "Conf. after",
    "raw": "Reported",
    "low": "Scale from",
    "high": "Scale to",
    "clipped": "Clipped",
    "violation": "Out of range",
    "frequency": "Frequency",
    "frequency_correct": "Freq. correct",
    "word": "Word",
    "setting": "Setting",
    "probability": "Probability",
    "choice": "Choice no.",
    "right": "Fits",
    "answer": "Age",
    "score": "True prob.",
    "mas": "Best prob.",
    "best_answer": "Best age",
    "overconfidence": "Overconf.",
    "token_confidence": "Token conf.",
    "raw_sum": "Stated sum",
    "sentences": "Sentences",
    "markers": "Markers",
    "decisiveness": "Decisiveness",
    "faithfulness": "Faithful",
    "punt": "No answer",
    "different_draws": "Distinct",
    "empty_draws": "Empty draws",
    "cut": "Cut off",
    "foreign": "Foreign",
    "judgments": "Judgments",
    "failed": "Failed",
    "asked_again": "Asked again",
    "agreed": "Pair ok",
    "verdict": "Answer ok",
    "found": "Found",
    "missed": "Missed",
    "false": "Extra",
    "labelled": "Labelled",
}
"""Headings of the keys of all scores, without their level. The viewer cuts longer ones."""

_COLORS = {
    **dict.fromkeys(["covered", "correct", "correct_after", "right"], _SHARE),
    **dict.fromkeys(["faithfulness", "agreed", "verdict"], _SHARE),
    **dict.fromkeys(["moved", "failed", "missed", "false"], _FAULT),
    **dict.fromkeys(["confidence", "confidence_before", "confidence_after"], _AMOUNT),
    **dict.fromkeys(["probability", "token_confidence", "frequency"], _AMOUNT),
    # Beside the confidence in the same colours, so that a difference shows.
    **dict.fromkeys(["score", "mas", "decisiveness", "labelled"], _AMOUNT),
    "interval_score": _ORDERS,
    "overconfidence": _EXCESS,
    "format_ok": _READABLE,
}


def _heading(label: str, *, is_sorted: bool = False) -> str:
    """Return a label with trailing spaces: the viewer makes a column as wide as its characters.

    Without them the marks of the filter and of the order cover the last letters.
    """
    return label.ljust(len(label) + (6 if is_sorted else 2))


def _headings_and_colors(
    levels: Sequence[float],
) -> tuple[dict[str, str], dict[str, ScoreColorScale]]:
    """Return the headings and the colours of scores' keys, alone and with a level: `covered_90`.

    They are those of all keys, since a sample's panel also shows keys without a column.
    """
    suffixes = {"": ""}  # endings of headings by endings of keys: " 90%" by "_90"
    for level in levels:
        suffixes[f"_{level:g}"] = f" {level:g}%"
    labels: dict[str, str] = {}
    colors: dict[str, ScoreColorScale] = {}
    for suffix, level_label in suffixes.items():
        labels |= {key + suffix: _heading(label + level_label) for key, label in _LABELS.items()}
        colors |= {key + suffix: color for key, color in _COLORS.items()}
    return labels, colors


def _view_of_samples(
    scorer: str,
    *,
    name: str,
    visible: str,
    hidden: str,
    order: str,
    answers: bool = False,
    levels: Sequence[float] = (),
    multiline: bool = False,
) -> ViewerConfig:
    """Specify the list of a task's samples: its columns, their headings and colours, its order.

    Args:
        scorer: Name of the scorer whose score has the keys.
        name: Name of the list.
        visible: Keys of the score that have a column, separated by blanks.
        hidden: Keys whose columns can be switched on. They are the last columns, because the
            viewer of inspect-ai 0.3.285 shows the columns of all keys.
        order: Keys by which the list is sorted; one that starts with `-` in descending order.
        answers: Whether target and answer have a column.
        levels: Levels in percent that keys end in, such as 90 for `covered_90`.
        multiline: Whether rows have several lines, for words.
    """
    sorting = [(key.lstrip("-"), key.startswith("-")) for key in order.split()]
    labels, colors = _headings_and_colors(levels)
    # A heading ends in blanks, which leave room for the viewer's marks; more if it is sorted by.
    labels |= {key: _heading(labels[key].strip(), is_sorted=True) for key, _ in sorting}
    visible_keys, hidden_keys = visible.split(), hidden.split()
    # Without an entry the viewer shows epochs, errors and limits if there are any.
    columns = [
        TaskSamplesColumn(id="sampleStatus"),
        TaskSamplesColumn(id="sampleId"),
        TaskSamplesColumn(id="input"),
        *(TaskSamplesColumn.score(scorer, key) for key in visible_keys),
        TaskSamplesColumn(id="target", visible=answers),
        TaskSamplesColumn(id="answer", visible=answers),
        TaskSamplesColumn(id="tokens", visible=False),
        TaskSamplesColumn(id="duration", visible=False),
        *(TaskSamplesColumn.score(scorer, key, visible=False) for key in hidden_keys),
    ]
    used_keys = [*visible_keys, *hidden_keys]
    view = TaskSamplesView(
        name=name,
        columns=columns,
        sort=[
            TaskSamplesSort.score(scorer, key, dir="desc" if descends else "asc")
            for key, descends in sorting
        ],
        multiline=multiline,
        score_labels=labels,
        score_color_scales={key: colors[key] for key in used_keys if key in colors},
        color_scales_enabled=True,
    )
    # A score has too many numbers for pills; as a table they can be sorted.
    panel = SampleScoreView(default="grid")
    return ViewerConfig(sample_score_view=panel, task_samples_view=view)


def levels_viewer(scorer: str, levels: Sequence[float]) -> ViewerConfig:
    """Specify a list of samples with all levels: truth, and the interval at the highest level.

    The worst intervals come first; columns of the other levels are hidden.
    """
    keys = ["lower", "upper", "covered", "interval_score"]
    highest, *lower_levels = sorted(levels, reverse=True)
    hidden: list[str] = []
    for level in lower_levels:
        hidden += [f"{key}_{level:g}" for key in keys]
    return _view_of_samples(
        scorer,
        name="Intervals",
        visible=" ".join(["truth", *(f"{key}_{highest:g}" for key in keys), "format_ok"]),
        hidden=" ".join(["draws", "unseen_mass", "tunnel_index", *hidden]),
        order=f"-interval_score_{highest:g}",
        levels=levels,
    )


interval_viewer = partial(
    _view_of_samples,
    name="Intervals",
    visible="level truth lower upper covered interval_score format_ok",
    hidden="width reversed draws",
    order="-interval_score",
)


def abstain_viewer(scorer: str, *, has_confidence: bool) -> ViewerConfig:
    """Specify a list of answers under a confidence target; wrong ones come first at each target."""
    confidence, hidden = ("confidence", "raw") if has_confidence else ("", "confidence raw")
    return _view_of_samples(
        scorer,
        name="Answers under a confidence target",
        visible=f"confidence_target declined correct {confidence} format_ok",
        hidden=hidden,
        order="confidence_target correct",
        answers=True,
    )


def commitment_viewer(scorer: str, *, has_confidence: bool, has_pushback: bool) -> ViewerConfig:
    """Specify a list of answers with the decisions on them; wrong ones that are kept come first."""
    keys = {
        "confidence_before": has_confidence,
        "moved": has_pushback,
        "correct_after": has_pushback,
        "confidence_after": has_confidence and has_pushback,
    }
    visible = ["correct", "keep", "bet"]
    hidden: list[str] = []
    for key, is_used in keys.items():
        (visible if is_used else hidden).append(key)
    return _view_of_samples(
        scorer,
        name="Decisions on answers",
        visible=" ".join([*visible, "format_ok"]),
        hidden=" ".join(hidden),
        order="correct -keep -bet",
        answers=True,
    )


simple_qa_viewer = partial(
    _view_of_samples,
    name="Short answers",
    visible="declined correct raw confidence frequency format_ok",
    hidden="frequency_correct draws low high clipped violation",
    order="correct -confidence",
    answers=True,
)

stated_viewer = partial(
    _view_of_samples,
    name="Stated confidence",
    visible="low high raw confidence correct format_ok",
    hidden="clipped violation",
    order="correct -confidence",
    answers=True,
)

probability_viewer = partial(
    _view_of_samples,
    name="Words to numbers",
    visible="word probability format_ok",
    hidden="setting",
    order="-probability",
    multiline=True,
)

choice_viewer = partial(
    _view_of_samples,
    name="Numbers to words",
    visible="right format_ok",
    hidden="choice",
    order="right",
    answers=True,
)

life_viewer = partial(
    _view_of_samples,
    name="LifeEval",
    visible="answer best_answer confidence score mas overconfidence format_ok",
    hidden="token_confidence",
    order="-overconfidence",
)

option_viewer = partial(
    _view_of_samples,
    name="Question sets",
    visible="correct confidence token_confidence format_ok",
    hidden="raw_sum",
    order="correct -confidence",
    answers=True,
)

hedge_viewer = partial(
    _view_of_samples,
    name="Hedge markers",
    visible="faithfulness confidence decisiveness correct markers sentences",
    hidden="format_ok punt failed judgments draws different_draws empty_draws cut foreign "
    "asked_again",
    order="faithfulness",
    answers=True,
)

judge_viewer = partial(
    _view_of_samples,
    name="Judge",
    visible="agreed verdict found missed false decisiveness labelled",
    hidden="format_ok",
    order="agreed verdict -missed",
    answers=True,
)


def with_confidence_viewer(
    eval_viewer: ViewerConfig | None,
    scorers: Sequence[str],
    keys: Sequence[str],
    flags: Sequence[str],
) -> ViewerConfig:
    """Add confidence and correctness to the eval's own views, or to a view of its scores.

    Args:
        eval_viewer: The eval's own settings of the viewer, with a view, a list of views, or none.
        scorers: Names of the eval's scorers.
        keys: Keys of the score of confidence that have a column.
        flags: Keys whose columns can be switched on, such as `stated_ok`.
    """
    columns = [TaskSamplesColumn.score("confidence", key) for key in ("correct", *keys)]
    hidden = [TaskSamplesColumn.score("confidence", flag, visible=False) for flag in flags]
    labels = {key: _heading(_LABELS.get(key, _words(key))) for key in ("correct", *keys)}
    labels |= {flag: _heading(_words(flag)) for flag in flags}
    colors = {**dict.fromkeys(keys, _AMOUNT), **dict.fromkeys(flags, _READABLE)}
    colors |= {key: _COLORS[key] for key in ("correct", *keys) if key in _COLORS}
    eval_view = eval_viewer.task_samples_view if eval_viewer else None
    if eval_viewer and eval_view:
        extend = partial(_extend_view, columns=[*columns, *hidden], labels=labels, colors=colors)
        is_single = isinstance(eval_view, TaskSamplesView)
        views = list(map(extend, [eval_view] if is_single else eval_view))
        extended = views[0] if is_single else views
        return eval_viewer.model_copy(update={"task_samples_view": extended})
    view = TaskSamplesView(
        name="Confidence",
        columns=[
            TaskSamplesColumn(id="sampleStatus"),
            TaskSamplesColumn(id="sampleId"),
            TaskSamplesColumn(id="input"),
            *(TaskSamplesColumn.score(name) for name in scorers),
            *columns,
            TaskSamplesColumn(id="target"),
            TaskSamplesColumn(id="answer"),
            TaskSamplesColumn(id="tokens", visible=False),
            TaskSamplesColumn(id="duration", visible=False),
            *hidden,
        ],
        score_labels=labels,
        score_color_scales=colors,
        color_scales_enabled=True,
    )
    if eval_viewer:
        return eval_viewer.model_copy(update={"task_samples_view": view})
    return ViewerConfig(task_samples_view=view, sample_score_view=SampleScoreView(default="grid"))


def _extend_view(
    view: TaskSamplesView,
    columns: Sequence[TaskSamplesColumn],
    labels: Mapping[str, str],
    colors: Mapping[str, ScoreColorScale],
) -> TaskSamplesView:
    """Return an eval's view with further columns, labels and colours; the eval's own ones win.

    Without columns of its own, the view keeps the viewer's default ones.
    """
    return view.model_copy(
        update={
            "columns": [*view.columns, *columns] if view.columns else view.columns,
            "score_labels": {**labels, **(view.score_labels or {})},
            "score_color_scales": {**colors, **(view.score_color_scales or {})},
        }
    )


def _words(key: str) -> str:
    """Return a key as a heading, with `_ok` as a word.

    Example:
        >>> _words("p_true"), _words("p_true_ok")
        ('P true', 'P true readable')
    """
    words = key.removesuffix("_ok").replace("_", " ").capitalize()
    return f"{words} readable" if key.endswith("_ok") else words
