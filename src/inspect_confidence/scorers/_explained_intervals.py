"""A sentence for each score of an interval: its bounds, whether it covers, and its score."""

import math
from collections import Counter
from collections.abc import Sequence


def power(exponent: float) -> str:
    """A power of ten: `10^3.5`."""
    return f"10^{exponent:.4g}"


def stated_interval(level: float, lower: float, upper: float, truth: float, score: float) -> str:
    """An interval of exponents that the model stated, whether it covers, and its score.

    Example:
        >>> stated_interval(90, 3, 5, 4, 2)
        'Read 10^3 to 10^5 as the 90% interval; the truth 10^4 lies in it, so it counts as covered; its width is 2 and so is its interval score.'
    """  # noqa: E501 # the sentence is what the example shows
    read = f"Read {power(lower)} to {power(upper)} as the {level:g}% interval"
    return f"{read}; {_covered(lower, upper, truth)}; {_scored(lower, upper, score)}."


def drawn_interval(
    what: str, level: float, lower: float, upper: float, truth: float, score: float
) -> str:
    """An interval that was made of several draws, or of probabilities."""
    made = f"{what} make {power(lower)} to {power(upper)} the {level:g}% interval"
    return f"{made}; {_covered(lower, upper, truth)}; {_scored(lower, upper, score)}."


def _covered(lower: float, upper: float, truth: float) -> str:
    where = "above" if truth > upper else "below" if truth < lower else "in"
    counts = "covered" if where == "in" else "missed"
    return f"the truth {power(truth)} lies {where} it, so it counts as {counts}"


def _scored(lower: float, upper: float, score: float) -> str:
    width = upper - lower
    if math.isclose(score, width, abs_tol=1e-9):
        return f"its width is {width:.4g} and so is its interval score"
    return (
        f"its interval score {score:.4g} is its width {width:.4g} and a penalty of "
        f"{score - width:.4g} for the miss"
    )


def draws_read(statuses: Sequence[str]) -> str:
    """How many draws could be read, and what became of the others.

    Example:
        >>> draws_read(["ok", "ok", "refusal"])
        '2 of 3 replies could be read (1 refusal)'
        >>> draws_read(["ok", "ok"])
        'All 2 replies could be read'
        >>> draws_read([])
        'the model was not asked'
    """
    if not statuses:
        return "the model was not asked"
    lost = Counter(status for status in statuses if status != "ok")
    if not lost and len(statuses) > 1:
        return f"All {len(statuses)} replies could be read"
    others = ", ".join(f"{count} {status}" for status, count in lost.most_common())
    read = f"{len(statuses) - lost.total()} of {len(statuses)} replies could be read"
    return f"{read} ({others})" if others else read
