"""Which rows a figure draws."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer

from inspect_confidence._errors import InvalidArgument
from inspect_confidence._results import with_parts
from inspect_confidence.plots._style import shortened


def drawn(
    rows: pd.DataFrame, task: str | Sequence[str], metrics: Sequence[str], parts: Sequence[str]
) -> pd.DataFrame:
    """The rows of a task with one of the metrics, with the parts of their condition as columns.

    Args:
        rows: In the layout of results.
        task: Whose rows; several where a figure goes for all of them.
        metrics: Names in the registry.
        parts: Of the condition; `variant` is always there.

    Raises:
        InvalidArgument: No such row has a number.
    """
    tasks = [task] if isinstance(task, str) else list(task)
    mine = rows[rows["task"].isin(tasks) & rows["metric"].isin(metrics)]
    mine = mine[mine["value"].notna()]
    if mine.empty:
        raise InvalidArgument(
            f"There is nothing to draw: no row of {' or '.join(tasks)} has a value of "
            f"{', '.join(metrics)}. Give the frame that `summarize` or `detail` makes."
        )
    return with_parts(mine, ["variant", *parts])


def groups(rows: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each combination, with a title that tells it from the others.

    Args:
        rows: As `drawn` gives them.
        by: Columns; those that are the same in all rows stay out of the title.
    """
    varied = [name for name in by if rows[name].nunique() > 1] or list(by)[:1]
    for values, some in rows.groupby(list(by), sort=False):
        said = [str(value) for name, value in zip(by, values, strict=True) if name in varied]
        yield shortened(", ".join(filter(None, said)), 60), some


def with_intervals(
    axes: Axes, x: "pd.Series[float]", rows: pd.DataFrame, **look: object
) -> ErrorbarContainer:
    """Points with their 95% intervals; a point without an interval has none drawn.

    Args:
        axes: To draw on.
        x: Where each row stands.
        rows: With `value`, `ci_low` and `ci_high`.
        look: For matplotlib's `errorbar`.
    """
    value = rows["value"].to_numpy(float)
    finite = np.isfinite(value)
    low, high = (rows[name].to_numpy(float)[finite] for name in ("ci_low", "ci_high"))
    # An interval that is limited may leave out its value: its arm is then of no length.
    arms = np.clip([value[finite] - low, high - value[finite]], 0, None)
    arms = np.where(np.isfinite(arms), arms, 0)
    return axes.errorbar(
        np.asarray(x, float)[finite],
        value[finite],
        yerr=arms,
        **{"capsize": 2.5, "elinewidth": 1, **look},  # type: ignore[arg-type]
    )
