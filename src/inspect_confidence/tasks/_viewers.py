"""How the log viewer shows the samples of a task."""

from collections.abc import Mapping, Sequence

from inspect_ai.viewer import (
    ScoreColorScale,
    TaskSamplesColumn,
    TaskSamplesSort,
    TaskSamplesView,
    ViewerConfig,
)

_SHARE = ScoreColorScale(palette="good-high", min=0, max=1)
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
}


def interval_viewer(scorer: str) -> ViewerConfig:
    """Samples of one level each: truth, bounds, coverage and score; the worst score first."""
    return _viewer(
        scorer,
        ("level", "truth", "lower", "upper", "covered", "interval_score", "format_ok"),
        ("width", "reversed"),
        worst="interval_score",
        labels=_LABELS,
    )


def levels_viewer(scorer: str, levels: Sequence[float]) -> ViewerConfig:
    """Samples of all levels: truth, and the widest level's bounds, coverage and score."""
    widest = f"{max(levels):g}"
    shown = [f"{name}_{widest}" for name in ("lower", "upper", "covered", "interval_score")]
    labels = {
        f"{name}_{level:g}": f"{label} {level:g}%"
        for level in levels
        for name, label in _LABELS.items()
    }
    return _viewer(
        scorer,
        ("truth", *shown, "format_ok"),
        ("draws", "unseen_mass", "tunnel_index"),
        worst=f"interval_score_{widest}",
        labels=_LABELS | labels,
    )


def _viewer(
    scorer: str,
    shown: Sequence[str],
    hidden: Sequence[str],
    *,
    worst: str,
    labels: Mapping[str, str],
) -> ViewerConfig:
    return ViewerConfig(
        task_samples_view=TaskSamplesView(
            name="Intervals",
            columns=[
                TaskSamplesColumn(id="sampleStatus"),
                TaskSamplesColumn(id="sampleId"),
                TaskSamplesColumn(id="epoch", visible=False),
                TaskSamplesColumn(id="input"),
                *(TaskSamplesColumn.score(scorer, name) for name in shown),
                *(TaskSamplesColumn.score(scorer, name, visible=False) for name in hidden),
                TaskSamplesColumn(id="target", visible=False),  # the truth has a column
                TaskSamplesColumn(id="error", visible=False),
            ],
            sort=[TaskSamplesSort.score(scorer, worst, dir="desc")],
            multiline=False,
            score_labels=dict(labels),
            score_color_scales={
                name: _SHARE if name.startswith(("covered", "format_ok")) else "good-low"
                for name in shown
                if name.startswith(("covered", "format_ok", "interval_score"))
            },
            color_scales_enabled=True,
        )
    )
