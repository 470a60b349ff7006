"""FermiEval: intervals at nominal levels around order-of-magnitude answers."""

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import HeadlineMetric
from inspect_ai.viewer import (
    ScoreColorScale,
    TaskSamplesColumn,
    TaskSamplesSort,
    TaskSamplesView,
    ViewerConfig,
)

from inspect_confidence import __version__
from inspect_confidence._arguments import (
    choice,
    fingerprint,
    integer,
    integer_range,
    numbers,
    refuse_unknown,
    template,
)
from inspect_confidence.datasets.fermi import FermiItem, load_fermi
from inspect_confidence.prompts.fermi_eval import INTERVAL, INTERVAL_FIELDS
from inspect_confidence.scorers.interval import interval
from inspect_confidence.solvers.interval import ask_interval

METHODS = ("direct",)


@task
def fermi_eval(
    dataset: str = "scioly",
    items: str | int | None = None,
    split: str = "all",
    levels: str | list[float] = "80,90,95,99",
    method: str = "direct",
    exponents: str = "-50..50",
    seed: int = 0,
    prompt: str | None = None,
    system: str | None = None,
    **unknown: object,
) -> Task:
    """Ask for an interval of exponents of ten at each nominal level; one call an item and level.

    Args:
        dataset: `scioly` (Science Olympiad, downloaded once), `bundled`, or a csv or jsonl file
            with `question` and `exponent` columns.
        items: How many items, or a file with one id a line; all by default.
        split: `train` (which conformal adjustment calibrates on), `test` or `all`.
        levels: Nominal levels in percent.
        method: `direct`: the model states the interval.
        exponents: Items whose answer lies outside this range are left out.
        seed: Of the order of items and of their split.
        prompt: A file that replaces the wording; holds `{question}` and `{level}`.
        system: A file with a system message; none by default.
        **unknown: Refused.
    """
    refuse_unknown(unknown, [name for name in fermi_eval.__annotations__ if name != "unknown"])
    choice("method", method, METHODS)
    percents = numbers("levels", levels, above=0, below=100)
    wording = template("prompt", prompt, INTERVAL_FIELDS) if prompt else INTERVAL
    context = template("system", system, frozenset()) if system else None
    selection = load_fermi(
        dataset,
        items=items,
        split=choice("split", split, ("all", "train", "test")),
        exponents=integer_range("exponents", exponents),
        seed=integer("seed", seed),
    )
    return Task(
        dataset=MemoryDataset(
            [_sample(item, level) for item in selection.items for level in percents],
            name=selection.name,
        ),
        solver=ask_interval(wording, context),
        scorer=interval(),
        version="1-A",
        headline_metric=HeadlineMetric(scorer="interval", metric="coverage_gap"),
        metadata={
            **selection.facts(),
            "package_version": __version__,
            "prompt": fingerprint(wording),
            "system": fingerprint(context) if context else "",
            "calls_per_sample": 1,
            "prompt_characters": len(wording) + len(context or ""),
            "output_tokens_per_call": 16,
        },
        viewer=_viewer(),
    )


def _sample(item: FermiItem, level: float) -> Sample:
    return Sample(
        input=item.question,
        target=str(item.exponent),
        id=f"{item.id}@{level:g}",
        metadata={"item": item.id, "split": item.split, "level": level, "method": "direct"},
    )


def _viewer() -> ViewerConfig:
    columns = ("level", "truth", "lower", "upper", "covered", "interval_score", "format_ok")
    return ViewerConfig(
        task_samples_view=TaskSamplesView(
            name="Intervals",
            columns=[
                TaskSamplesColumn(id="sampleStatus"),
                TaskSamplesColumn(id="sampleId"),
                TaskSamplesColumn(id="epoch", visible=False),
                TaskSamplesColumn(id="input"),
                *(TaskSamplesColumn.score("interval", column) for column in columns),
                TaskSamplesColumn.score("interval", "width", visible=False),
                TaskSamplesColumn.score("interval", "reversed", visible=False),
                TaskSamplesColumn(id="target", visible=False),  # the truth has a column
                TaskSamplesColumn(id="error", visible=False),
            ],
            sort=[TaskSamplesSort.score("interval", "interval_score", dir="desc")],
            multiline=False,
            score_labels={
                "level": "Level (%)",
                "truth": "Truth",
                "lower": "Lower",
                "upper": "Upper",
                "covered": "Covered",
                "interval_score": "Interval score",
                "format_ok": "Readable",
                "width": "Width",
                "reversed": "Reversed",
            },
            score_color_scales={
                "covered": ScoreColorScale(palette="good-high", min=0, max=1),
                "interval_score": "good-low",
                "format_ok": ScoreColorScale(palette="good-high", min=0, max=1),
            },
            color_scales_enabled=True,
        )
    )
