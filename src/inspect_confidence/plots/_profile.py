"""A model's numbers over all studies, each on an axis of its own."""

import pandas as pd
from matplotlib.figure import Figure

from inspect_confidence._errors import InvalidArgument
from inspect_confidence._results import with_parts
from inspect_confidence.metrics import METRICS
from inspect_confidence.plots._fitting import wrapped
from inspect_confidence.plots._profile_axis import window
from inspect_confidence.plots._profile_row import NUMBERS, SIDE, Row, draw_row, row_of
from inspect_confidence.plots._style import FAINT, WIDTH, shortened, styled
from inspect_confidence.studies import STUDIES

_TOP, _HEADING = 0.06, 0.27  # inches
_BOLD = 0.85
"""Bold letters are wider than those that are measured."""
_TITLES = {study.name: study.title.split(":")[0] for study in STUDIES}


@styled
def profile(rows: pd.DataFrame) -> Figure:
    """One model's headline numbers: a label and the number in words, and beneath them its axis.

    An axis reaches over the metric's range, or over a round window where that has no end; the
    upright mark is the best value, an arrowhead says that higher, or lower, is better without end.
    Pale bars are 95% intervals. A number that is infinite is an arrowhead at the axis' end.

    Args:
        rows: Results of one model, with the column `label`: what each one is called. Where they
            have the column `study`, rows of a study stand together, under its name.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no row with a number, or the rows are of several models.
    """
    there = _checked(rows)
    reach = {
        metric: window(str(metric), some[list(NUMBERS)].to_numpy(float).ravel())
        for metric, some in there.groupby("metric")
    }
    there = there.assign(under=_under(there))
    parts: list[str | Row] = []
    for study, some in there.groupby("study", sort=False):
        parts += [_TITLES.get(str(study), str(study))] if study else []
        parts += [row_of(line, reach[line["metric"]]) for line in some.to_dict("records")]
    total = 2 * _TOP + sum(_HEADING if isinstance(one, str) else one.high for one in parts)
    figure = Figure(figsize=(WIDTH, total))
    top = total - _TOP
    for one in parts:
        if isinstance(one, str):
            _head(figure, one, top)
        else:
            draw_row(figure, one, top)
        top -= _HEADING if isinstance(one, str) else one.high
    return figure


def _head(figure: Figure, study: str, top: float) -> None:
    """A study's name, on a line over the whole width."""
    wide, total = figure.get_size_inches()
    (said,) = wrapped(shortened(study, 60), (wide - 2 * SIDE) * _BOLD, 9, most=1)
    figure.text(
        SIDE / wide, (top - 0.03) / total, said, va="top", fontsize=9, weight="bold", color=FAINT
    )


def _checked(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with the parts of their condition that are needed."""
    if not rows["value"].notna().any():
        raise InvalidArgument(
            "There is nothing to draw: no row has a value. Give results of one model."
        )
    if "label" not in rows:
        raise InvalidArgument("The rows have no column label. Add one: what each number is called.")
    models = [str(one) for one in rows["model"].unique()]
    if len(models) > 1:
        raise InvalidArgument(
            f"A profile is of one model; these are {len(models)}: {', '.join(models[:3])}. Keep "
            "the rows of one."
        )
    if unknown := [one for one in rows["metric"] if one not in METRICS]:
        raise InvalidArgument(f"metric={unknown[0]} is not in the metric registry.")
    there = with_parts(rows, ["variant", "level"])
    return there.assign(study=there["study"].fillna("") if "study" in there else "")


def _under(rows: pd.DataFrame) -> list[str]:
    """What stands under each label: task and data set, and the variant where a task has several."""
    several = rows.groupby("task")["variant"].transform("nunique") > 1
    parts = [
        (row["task"], row["dataset"], row["variant"] if more else "")
        for row, more in zip(rows.to_dict("records"), several, strict=True)
    ]
    return [", ".join(filter(None, map(str, one))) for one in parts]
