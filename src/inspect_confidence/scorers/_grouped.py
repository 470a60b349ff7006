"""Means for each group of samples, which the log viewer shows side by side.

A scorer declares them for a key of its value, as `{"overconfidence": [...]}`: Inspect hands over
that key's numbers, those that are undefined left out, and shows them as a score of their own.
Inspect's `grouped` would reduce epochs first, and fails where a sample lacks the key.
"""

from inspect_ai.scorer import Metric, SampleScore, Value


def mean_by(key: str, label: str = "{}") -> Metric:
    """The mean of the samples that have the same value under a key of their metadata.

    Args:
        key: Of the samples' metadata; samples without it are in no group.
        label: What a group is called, with `{}` for the value.
    """

    def compute(scores: list[SampleScore]) -> Value:
        groups: dict[object, list[float]] = {}
        for one in scores:
            group = (one.sample_metadata or {}).get(key)
            if group not in (None, ""):
                groups.setdefault(group, []).append(one.score.as_float())
        found = {label.format(_name(group)): _mean(groups[group]) for group in _ordered(groups)}
        return found or float("nan")

    return compute


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _ordered(groups: dict[object, list[float]]) -> list[object]:
    """Numbers by size, words as they first came."""
    numbers = all(isinstance(group, int | float) for group in groups)
    return sorted(groups, key=lambda group: float(str(group))) if numbers else list(groups)


def _name(group: object) -> str:
    return f"{group:g}" if isinstance(group, float) else str(group)
