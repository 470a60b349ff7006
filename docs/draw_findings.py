"""Write the figures of docs/findings.md and print its sentences, from recorded answers.

    PYTHONPATH=tests python docs/draw_findings.py [FOLDER]

No model is called. FOLDER (../shared/data by default) holds the answers that docs/observatory.py
reads, and the battery's files of one track in `commitment`. tests/test_docs_findings.py compares
the sentences with the page.
"""

import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator, PercentFormatter
from observatory import Answers

from inspect_confidence import summarize
from inspect_confidence.judgments.read import Judgments, judgments_of
from inspect_confidence.plots.style import DASHED, MARKERS, SERIES, style
from inspect_confidence.results import Condition

IMAGES = Path(__file__).parent / "images"
RESAMPLES = 2_000
STATED = "method=recorded;scale=0-100"
"""Condition of the stated confidence in the recorded answers to MMLU."""
TRACK = "Meta_Cog_*.csv"
"""Files of the battery's track that this page shows."""
SAME_ROWS = "Gemma_3_1B"
"""A file of the track whose rows equal those of Gemma 3 12B."""


@dataclass(frozen=True)
class Finding:
    """A figure of recorded answers and the sentences about it.

    Attributes:
        name: The figure's file name without suffix.
        figure: The figure.
        sentences: Statements with numbers, as they stand on the page.
    """

    name: str
    figure: Figure
    sentences: tuple[str, ...]

    def save(self) -> None:
        """Write the figure to docs/images."""
        with style():
            self.figure.savefig(IMAGES / f"{self.name}.svg", metadata={"Date": None})


def estimates_of(parts: Iterable[pd.DataFrame], *metrics: str) -> pd.DataFrame:
    """Return the results of one task's judgments for these metrics."""
    rows = pd.concat(list(parts))
    task = str(rows["task"].iloc[0])
    judgments = Judgments(judgments_of({task: rows}), [])
    return summarize(judgments, metrics=metrics, resamples=RESAMPLES)


def metric_of_models(results: pd.DataFrame, metric: str, condition: str) -> pd.DataFrame:
    """Return a metric's value, interval and n, indexed by model, in ascending order of value."""
    is_chosen = (results["metric"] == metric) & (results["condition"] == condition)
    rows = results[is_chosen & (results["model"] != "mean of all models")]
    return rows.set_index("model")[["value", "ci_low", "ci_high", "n"]].sort_values("value")


def interval_text(row: pd.Series, scale: float = 1, digits: int = 2) -> str:
    """Return a value with its interval, such as "0.81 [0.74, 0.86]", times a scale."""
    value, *ends = (f"{scale * row[name]:.{digits}f}" for name in ("value", "ci_low", "ci_high"))
    return f"{value} [{', '.join(ends)}]"


def short_name(model: str) -> str:
    """Return a model's name without its maker and date."""
    return re.sub(r"@.*$", "", model.rsplit("/", 1)[-1])


def interval_plot(axes: Axes, rows: pd.DataFrame, colours: Sequence[str]) -> None:
    """Draw a value with its interval for each model, the largest on top."""
    places = np.arange(len(rows))
    axes.hlines(places, rows["ci_low"], rows["ci_high"], colors=colours)
    axes.scatter(rows["value"], places, c=colours, s=24, zorder=3)
    axes.set_yticks(range(len(rows)), [short_name(model) for model in rows.index])


def overconfidence_on_mmlu(mmlu: pd.DataFrame) -> Finding:
    """Compare mean stated confidence with accuracy, 16 models on MMLU."""
    rows = metric_of_models(mmlu, "overconfidence", STATED)
    is_claude = rows.index.str.contains("claude")
    claude, others = rows[is_claude], rows[~is_claude]
    figure = Figure((5.6, 3.9), layout="constrained")
    axes = figure.subplots()
    interval_plot(axes, rows, [SERIES[int(not claude)] for claude in is_claude])
    axes.axvline(0, **DASHED)
    axes.xaxis.set_major_locator(MultipleLocator(0.02))
    axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=""))
    axes.set(xlabel="mean stated confidence minus accuracy, points")
    axes.set_title("MMLU: Claude models in blue")
    low, high = rows.iloc[0], rows.iloc[-1]
    return Finding(
        "finding-overconfidence",
        figure,
        (
            f"The interval lies below zero for {(claude['ci_high'] < 0).sum()} of "
            f"{len(claude)} Claude models: their mean stated confidence is less than their "
            "accuracy.",
            f"The interval lies above zero for {(others['ci_low'] > 0).sum()} of the "
            f"{len(others)} other models.",
            f"The extremes are {short_name(rows.index[0])}, {interval_text(low, 100, 1)} points, "
            f"and {short_name(rows.index[-1])}, {interval_text(high, 100, 1)} points.",
        ),
    )


def accuracy_and_auroc(mmlu: pd.DataFrame) -> Finding:
    """Compare how often a model is right with how well its confidence tells when."""
    accuracy = metric_of_models(mmlu, "accuracy", STATED)
    auroc = metric_of_models(mmlu, "auroc", STATED)
    figure = Figure((5.2, 3.4), layout="constrained")
    axes = figure.subplots()
    right, rank = accuracy.loc[auroc.index], auroc
    axes.errorbar(
        right["value"],
        rank["value"],
        yerr=[rank["value"] - rank["ci_low"], rank["ci_high"] - rank["value"]],
        xerr=[right["value"] - right["ci_low"], right["ci_high"] - right["value"]],
        fmt="o",
        color=SERIES[0],
        elinewidth=0.8,
    )
    for model, offset in {"gpt-oss-20b": (-6, 8), "gemini-3-flash-preview": (-80, -12)}.items():
        (name,) = [name for name in auroc.index if short_name(name) == model]
        axes.annotate(
            model,
            (accuracy.loc[name, "value"], auroc.loc[name, "value"]),
            xytext=offset,
            textcoords="offset points",
        )
    axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.set(xlabel="accuracy", ylabel="AUROC of stated confidence", title="MMLU: 16 models")
    best = auroc.iloc[-1]
    by_name = {short_name(name): name for name in auroc.index}
    oss, flash = by_name["gpt-oss-20b"], by_name["gemini-3-flash-preview"]
    return Finding(
        "finding-auroc",
        figure,
        (
            f"The largest AUROC is {interval_text(best)} ({short_name(auroc.index[-1])}).",
            f"gpt-oss-20b is right in {accuracy.loc[oss, 'value']:.0%} of the questions and has "
            f"an AUROC of {interval_text(auroc.loc[oss])}; gemini-3-flash-preview is right in "
            f"{accuracy.loc[flash, 'value']:.0%} and has {interval_text(auroc.loc[flash])}.",
        ),
    )


def hard_and_easy_lives(lives: pd.DataFrame) -> Finding:
    """Compare stated with true probabilities, from the hardest question to the easiest."""
    radii = (1, 5, 10, 20)
    figure = Figure((5.2, 3.2), layout="constrained")
    axes = figure.subplots()
    by_radius = {
        radius: metric_of_models(lives, "overconfidence", f"radius={radius}") for radius in radii
    }
    models = sorted(by_radius[1].index)
    for place, model in enumerate(models):
        rows = pd.DataFrame({radius: by_radius[radius].loc[model] for radius in radii}).T
        axes.errorbar(
            np.arange(len(radii)) + 0.08 * (place - 1),
            rows["value"],
            yerr=[rows["value"] - rows["ci_low"], rows["ci_high"] - rows["value"]],
            color=SERIES[place],
            marker=MARKERS[place],
            label=model,
        )
    axes.axhline(0, **DASHED)
    axes.set_xticks(range(len(radii)), [f"±{radius}" for radius in radii])
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=""))
    axes.set(xlabel="interval of the question, years", ylabel="stated minus true, points")
    axes.set_title("LifeEval: three models")
    axes.legend(loc="upper right")
    hard, easy = by_radius[1].T["gpt-4o"], by_radius[20].T["gpt-4o"]
    slopes = metric_of_models(lives, "hard_easy_slope", "")
    return Finding(
        "finding-hard-easy",
        figure,
        (
            "Stated minus true probability of gpt-4o is "
            f"{interval_text(hard, 100, 0)} points for ±1 year and "
            f"{interval_text(easy, 100, 0)} points for ±20 years.",
            f"The hard-easy slope of {(slopes['ci_low'] > 0).sum()} of {len(slopes)} models has "
            "an interval above zero.",
        ),
    )


def words_of_gpt_4(words: pd.DataFrame) -> Finding:
    """Compare the probabilities that GPT-4 and 123 people give to words."""
    conditions = [Condition.read(text) for text in words["condition"]]
    rows = words.assign(
        word=[condition.get("word", "") for condition in conditions],
        versus=[condition.get("versus", "") for condition in conditions],
    )
    theta = rows[(rows["metric"] == "brunner_munzel_theta") & (rows["versus"] == "human")]
    theta = theta.set_index("word").sort_values("value", ascending=False)
    holm = rows[(rows["metric"] == "p_holm") & (rows["versus"] == "human")].set_index("word")
    differs = holm.loc[theta.index, "value"] < 0.05
    figure = Figure((5.2, 4.0), layout="constrained")
    axes = figure.subplots()
    interval_plot(axes, theta, [SERIES[int(is_different)] for is_different in differs])
    axes.axvline(0.5, **DASHED)
    axes.set(xlabel="P(a person's number > GPT-4's), ties as half", xlim=(0, 1))
    axes.set_title("GPT-4 and 123 people: differences in orange")
    is_higher = differs & (theta["value"] < 0.5)
    medians = rows[rows["metric"] == "median_probability"].set_index("word")["value"]
    difference = rows[rows["metric"] == "median_difference"].set_index("word")["value"]
    unlikely = medians["unlikely"]
    return Finding(
        "finding-words",
        figure,
        (
            f"For {differs.sum()} of {len(theta)} words GPT-4's numbers differ from people's: "
            f"for {is_higher.sum()} they are higher, for {differs.sum() - is_higher.sum()} lower",
            f"GPT-4's median for \"unlikely\" is {unlikely:.0%}; people's median is "
            f"{unlikely + difference['unlikely'] / 100:.0%}.",
        ),
    )


def withdrawn_answers(folder: Path) -> Finding:
    """Compare the shares of right and wrong answers that a model keeps when asked."""
    paths = [path for path in sorted(folder.glob(TRACK)) if SAME_ROWS not in path.name]
    results = summarize(paths, metrics=["withdraw_delta"], resamples=RESAMPLES)
    pattern = r"^Meta_Cog_|_?metacog$"
    names = results["model"].str.replace(pattern, "", regex=True).str.replace("_", " ")
    rows = metric_of_models(results.assign(model=names), "withdraw_delta", "")
    figure = Figure((5.6, 3.6), layout="constrained")
    axes = figure.subplots()
    interval_plot(axes, rows, [SERIES[0]] * len(rows))
    axes.axvline(0, **DASHED)
    axes.set(xlabel="right answers kept minus wrong answers kept, points")
    axes.set_title("KEEP or WITHDRAW, 90 questions")
    contains_zero = (rows["ci_low"] <= 0) & (rows["ci_high"] >= 0)
    return Finding(
        "finding-withdrawals",
        figure,
        (
            f"{rows.index[-1]} keeps more of its right answers than of its wrong ones, by "
            f"{interval_text(rows.iloc[-1], 1, 0)} points.",
            f"The intervals of {contains_zero.sum()} of {len(rows)} models include zero.",
        ),
    )


def findings(folder: Path) -> list[Finding]:
    """Return the page's findings."""
    answers = Answers(folder, [])
    mmlu = estimates_of(answers.atlas(), "overconfidence", "accuracy", "auroc")
    lives = estimates_of(answers.lives(), "overconfidence", "hard_easy_slope")
    of_words = ("brunner_munzel_theta", "p_holm", "median_probability", "median_difference")
    words = estimates_of(answers.words(), *of_words)
    with style():
        return [
            overconfidence_on_mmlu(mmlu),
            accuracy_and_auroc(mmlu),
            hard_and_easy_lives(lives),
            words_of_gpt_4(words),
            withdrawn_answers(folder / "commitment"),
        ]


if __name__ == "__main__":
    default_folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    for finding in findings(Path(sys.argv[1]) if len(sys.argv) > 1 else default_folder):
        finding.save()
        print(*finding.sentences, sep="\n")  # noqa: T201
