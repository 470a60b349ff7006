"""Writes the pictures of docs/measures.md to docs/images: a small one for each measure.

What they show is drawn by a seed or from a formula; numbers in them are computed by the package.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.stats import norm

from inspect_confidence import metrics
from inspect_confidence.plots.style import DASHED, FAINT, MARKERS, SERIES, style

IMAGES = Path(__file__).parent / "images"
SIZE = (4.2, 2.5)
_RIGHT, _WRONG = SERIES[0], SERIES[1]


def _axes() -> tuple[Figure, Axes]:
    figure = Figure(SIZE, layout="constrained")
    return figure, figure.subplots()


def ece() -> Figure:
    """Ten bins of a model that states more than it keeps: its error is the mean gap."""
    rng = np.random.default_rng(3)
    confidence = rng.beta(5, 1.6, 2_000)
    correct = rng.random(2_000) < 0.25 + 0.6 * confidence**1.5
    figure, axes = _axes()
    place = np.minimum((confidence * 10).astype(int), 9)
    for bin_number in np.unique(place):
        inside = place == bin_number
        x, y = confidence[inside].mean(), correct[inside].mean()
        axes.plot([x, x], [x, y], color=_WRONG, linewidth=3, alpha=0.5)
        axes.scatter(x, y, s=8 + 200 * inside.mean(), color=_RIGHT, zorder=3)
    axes.plot([0, 1], [0, 1], **DASHED)
    axes.set(xlabel="stated confidence", ylabel="share right", xlim=(0, 1), ylim=(0, 1))
    axes.set_title(f"ECE {metrics.ece(confidence, correct):.2f}: bars' mean length, by answers")
    return figure


def auroc() -> Figure:
    """Confidence in right and in wrong answers: how far the two lie apart."""
    rng = np.random.default_rng(5)
    right, wrong = rng.beta(6, 2, 400), rng.beta(3, 2.4, 200)
    confidence = np.concatenate([right, wrong])
    correct = np.repeat([1, 0], [400, 200])
    figure, axes = _axes()
    edges = np.linspace(0, 1, 21)
    for confidences, colour, name in ((right, _RIGHT, "right"), (wrong, _WRONG, "wrong")):
        share = np.histogram(confidences, edges)[0] / len(confidences)
        axes.stairs(share, edges, color=colour, label=f"{name} answers", fill=True, alpha=0.35)
        axes.stairs(share, edges, color=colour)
    axes.set(xlabel="stated confidence", ylabel="share of answers", xlim=(0, 1))
    axes.set_title(f"AUROC {metrics.auroc(confidence, correct):.2f}")
    axes.legend(loc="upper left")
    return figure


def meta_d() -> Figure:
    """Type-2 curves of one accuracy: what confidence could tell, and what it tells."""
    figure, axes = _axes()
    d_prime = 1.6
    for ratio, colour in ((1.0, _RIGHT), (0.5, _WRONG)):
        false_alarms, hits = _type2(ratio * d_prime)
        axes.plot(false_alarms, hits, color=colour, label=f"M-ratio {ratio:g}")
    axes.plot([0, 1], [0, 1], **DASHED, label="M-ratio 0")
    axes.set(xlabel="share of wrong answers above", ylabel="share of right answers above")
    axes.set_title("Confidence above a threshold, d' = 1.6")
    axes.legend(loc="lower right")
    return figure


def _type2(meta: float) -> tuple[np.ndarray, np.ndarray]:
    """Of an observer of two equally frequent choices without bias, for every threshold."""
    criterion = np.linspace(0, 6, 200)
    right, wrong = norm.sf(criterion - meta / 2), norm.sf(criterion + meta / 2)
    return wrong / wrong[0], right / right[0]


def coverage() -> Figure:
    """Intervals stated as 90% ones, and the truth."""
    rng = np.random.default_rng(11)
    error, half = rng.normal(0, 1, 24), rng.uniform(0.7, 1.6, 24)
    lower, upper = error - half, error + half
    figure, axes = _axes()
    for place, (low, high) in enumerate(zip(lower, upper, strict=True)):
        holds = low <= 0 <= high
        colour = _RIGHT if holds else _WRONG
        axes.plot([place, place], [low, high], color=colour, linewidth=2.2)
        axes.plot(place, error[place], MARKERS[0 if holds else 1], color=colour, markersize=3.5)
    axes.axhline(0, **DASHED)
    axes.set(xlabel="question", ylabel="distance to the truth", xticks=[])
    share = metrics.coverage(lower, upper, np.zeros(24))
    axes.set_title(f"Stated 90%; {share:.0%} hold the truth")
    return figure


def interval_score() -> Figure:
    """What an interval around 0 costs by where the truth is: width, and twenty times each miss."""
    figure, axes = _axes()
    truth = np.linspace(-4, 4, 161)
    for half, colour, name in ((1.0, _WRONG, "narrow"), (2.5, _RIGHT, "wide")):
        scores = [metrics.interval_score([-half], [half], [value], 90) for value in truth]
        axes.plot(truth, scores, color=colour, label=f"{name}: from {-half:g} to {half:g}")
    axes.set(xlabel="truth", ylabel="interval score at 90%")
    axes.set_title("Lower is better")
    axes.legend(loc="upper center")
    return figure


def conformal() -> Figure:
    """By how much intervals miss on one half of the questions, and the offset for the other."""
    rng = np.random.default_rng(17)
    error, half = rng.normal(0, 1.2, 400), rng.uniform(0.4, 1.6, 400)
    lower, upper, truth = error - half, error + half, np.zeros(400)
    train, test = slice(0, 200), slice(200, 400)
    offset = metrics.conformal_offset(lower[train], upper[train], truth[train], 90)
    before = metrics.coverage(lower[test], upper[test], truth[test])
    after = metrics.coverage(lower[test] - offset, upper[test] + offset, truth[test])
    missed = np.maximum(lower[train], -upper[train])
    figure, axes = _axes()
    axes.hist(missed, 30, color=_RIGHT, alpha=0.45)
    axes.axvline(0, color=FAINT, linewidth=1)
    axes.axvline(offset, color=_WRONG)
    axes.text(offset, axes.get_ylim()[1], f" offset {offset:.2f}", va="top", color=_WRONG)
    axes.set(xlabel="distance of the truth beyond the nearer bound", ylabel="train questions")
    axes.set_title(f"Test coverage {before:.0%}, widened {after:.0%}")
    return figure


def marker_confidence() -> Figure:
    """Agreement of repeated answers where a marker was said, in three data sets."""
    rng = np.random.default_rng(23)
    figure, axes = _axes()
    means = {"probably": (0.62, 0.58, 0.65), "I think": (0.8, 0.55, 0.33)}
    for place, of_sets in enumerate(means.values()):
        drawn_means = []
        for number, mean in enumerate(of_sets):
            x = place + (number - 1) * 0.22
            agreement = np.clip(rng.normal(mean, 0.1, 25), 0, 1)
            jitter = rng.uniform(-0.06, 0.06, 25)
            colour, marker = SERIES[number], MARKERS[number]
            axes.plot(x + jitter, agreement, marker, color=colour, markersize=2.5, alpha=0.45)
            axes.plot([x - 0.09, x + 0.09], [agreement.mean()] * 2, color=SERIES[number])
            drawn_means.append(agreement.mean())
        spread = np.std(drawn_means, ddof=1) / np.mean(drawn_means)
        axes.text(place, 0.03, f"CV {spread:.2f}", ha="center", color=FAINT)
    axes.set(ylabel="agreement of 20 more", ylim=(0, 1), xticks=range(2), xlim=(-0.5, 1.5))
    axes.set_xticklabels([f'"{marker}"' for marker in means])
    axes.set_title("Three data sets: the same meaning, and three")
    return figure


PICTURES: dict[str, Callable[[], Figure]] = {
    "ece": ece,
    "auroc": auroc,
    "meta_d": meta_d,
    "coverage": coverage,
    "interval_score": interval_score,
    "conformal": conformal,
    "marker_confidence": marker_confidence,
}
"""By name of the file, without `measure-` before it."""


def main() -> None:
    """Draw all of them; the same file each time."""
    IMAGES.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        with style():
            draw().savefig(IMAGES / f"measure-{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
