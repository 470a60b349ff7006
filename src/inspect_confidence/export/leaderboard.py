"""The leaderboard in Markdown and as a page."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined

from inspect_confidence import __version__
from inspect_confidence.export.material import FloatArray, Material
from inspect_confidence.export.tables import markdown_escaped, paragraph, table_of
from inspect_confidence.export.text import shortened, visible, write_text
from inspect_confidence.headlines import headline_rows
from inspect_confidence.metrics import METRICS, percentile_interval
from inspect_confidence.results import decode_condition, without
from inspect_confidence.studies import all_studies

_NAN = float("nan")


@dataclass(frozen=True)
class Direction:
    """How values of a metric are ordered.

    Attributes:
        name: `higher`, `lower`, `target` or `none`.
        target: Nearer to it is better; NaN where there is no target, or it isn't known.
    """

    name: str
    target: float = _NAN

    @property
    def text(self) -> str:
        """For people."""
        if self.name == "target":
            known = not np.isnan(self.target)
            return f"nearer to {self.target:g} is better" if known else "the target is not known"
        return "no direction" if self.name == "none" else f"{self.name} is better"

    def badness(self) -> Callable[[FloatArray], FloatArray] | None:
        """Value -> what is less the better it is; None where values have no order."""
        if self.name == "lower":
            return lambda values: values
        if self.name == "higher":
            return lambda values: -values
        if np.isnan(self.target):
            return None
        return self.distance

    def distance(self, values: FloatArray) -> FloatArray:
        """How far values lie from the target."""
        return np.asarray(np.abs(values - self.target))


def direction_of(metric: str, condition: str) -> Direction:
    """The direction of a metric under a condition, which may name the level that is its target.

    Example:
        >>> direction_of("coverage", "level=90")
        Direction(name='target', target=0.9)
        >>> direction_of("ece", "").name
        'lower'
    """
    return _direction(METRICS[metric].direction, decode_condition(condition))


def _direction(said: str, condition: Mapping[str, str]) -> Direction:
    name, _, target = said.partition("=")
    if name != "target":
        return Direction(name)
    if target not in ("level", "alpha/2"):
        return Direction(name, float(target))
    try:
        level = float(condition["level"])
    except (KeyError, ValueError):
        return Direction(name)
    # In percent first, so that 90 gives 0.9 and not its neighbour.
    return Direction(name, level / 100 if target == "level" else (100 - level) / 200)


_EQUAL = 1e-12
"""Values that differ by less differ by rounding."""

_STILL = "no rank interval: resampling the items doesn't move this number"
_UNDEFINED = "no rank interval: undefined in every resample"
_UNOBSERVED = "no rank interval: this number isn't resampled by items"


@dataclass(frozen=True)
class Rank:
    """A model's place.

    Attributes:
        rank: 1 and the number of models that are better; NaN where the value has no place.
        low: Best rank of the 95% interval; NaN where there is none.
        high: Worst rank.
        note: Why there is no rank or no interval, and what was left out.
    """

    rank: float
    low: float = _NAN
    high: float = _NAN
    note: str = ""


def ranks(
    values: FloatArray,
    intervals: Sequence[tuple[float, float]],
    draws: Sequence[FloatArray | None],
    direction: Direction,
) -> list[Rank]:
    """The rank of each model, with the percentile interval of its rank over resamples.

    Models that tie share the best of their ranks. A resample in which the value of any model is
    undefined has no ranks. A model without draws stays at its value.

    Args:
        values: Of the models; NaN where undefined.
        intervals: Of the values: those of numbers that resampling doesn't move.
        draws: Their values over the same resamples.
        direction: Of the metric.
    """
    badness = direction.badness()
    if badness is None:
        return [Rank(_NAN, note=f"not ranked: {direction.text}")] * len(values)
    there = [i for i, value in enumerate(values) if not np.isnan(value)]
    moved = {i: array for i in there if (array := _moving(draws[i], intervals[i])) is not None}
    resamples = next((len(array) for array in moved.values()), 0)
    columns = [badness(moved.get(i, np.full(resamples, values[i]))) for i in there]
    drawn = np.column_stack([*columns, np.empty((resamples, 0))])
    whole = drawn[~np.isnan(drawn).any(axis=1)]
    places, over = _places(badness(values[there])[None])[0], _places(whole)
    lost = resamples - len(whole)
    note = f"{lost} of {resamples} resamples, undefined for a model, left out" if lost else ""
    found = [Rank(_NAN, note="not ranked: undefined")] * len(values)
    for column, i in enumerate(there):
        if i in moved and len(whole):
            low, high = percentile_interval(over[:, column])
            found[i] = Rank(float(places[column]), low, high, note)
        else:
            found[i] = Rank(float(places[column]), note=note if i in moved else _why(draws[i]))
    return found


def _places(badness: FloatArray) -> FloatArray:
    """Ranks within rows: 1 and how many are better by more than rounding."""
    better = [(badness < column[:, None] - _EQUAL).sum(axis=1) for column in badness.T]
    return np.asarray(1 + np.array(better).reshape(badness.shape[::-1]).T, float)


def _moving(draws: FloatArray | None, interval: tuple[float, float]) -> FloatArray | None:
    """The draws, where they say how uncertain the value is.

    A number with an interval of another kind, as a regression's, is the same in all resamples, and
    so is one that rests on a single item, which has no interval.
    """
    if draws is None or np.isnan(draws).all():
        return None
    low, high = interval
    still = np.nanmin(draws) == np.nanmax(draws)
    return None if still and low != high else draws


def _why(draws: FloatArray | None) -> str:
    """Why a value has no rank interval."""
    if draws is None:
        return _UNOBSERVED
    return _UNDEFINED if np.isnan(draws).all() else _STILL


HEADER = ("rank", "rank, 95% interval", "model", "variant", "value [95% interval]", "n", "note")


@dataclass(frozen=True)
class Line:
    """A model in a table; `cells` are as text, under `HEADER`."""

    rank: Rank
    cells: Sequence[str]


@dataclass(frozen=True)
class Board:
    """The models by one number on one data set.

    Attributes:
        study: Title of the study.
        title: What the number is.
        where: Task, data set and condition.
        metric: Its name in the registry.
        definition: Its definition.
        direction: What is better.
        lines: Models by rank; those without one last.
    """

    study: str
    title: str
    where: str
    metric: str
    definition: str
    direction: str
    lines: Sequence[Line]


def boards(material: Material) -> list[Board]:
    """A table for each headline number, data set and condition; means over models have no rank."""
    results = material.results.reset_index(drop=True)
    rows = headline_rows(results[results["model"].isin(material.models())])
    shared = [without(text, "variant") for text in rows["condition"]]
    keys = ["study", "task", "label", "metric", "dataset", "shared"]
    grouped = rows.assign(shared=shared).groupby(keys, sort=False)
    return [_board(mine, [material.draws[row] for row in mine.index]) for _, mine in grouped]


def _board(rows: pd.DataFrame, draws: Sequence[FloatArray | None]) -> Board:
    first = rows.iloc[0]
    metric, condition = METRICS[str(first["metric"])], str(first["shared"])
    direction = direction_of(metric.name, condition)
    intervals = list(zip(rows["ci_low"], rows["ci_high"], strict=True))
    found = ranks(rows["value"].to_numpy(float), intervals, draws, direction)
    lines = [
        Line(rank, list(_cells(rank, row)))
        for rank, (_, row) in zip(found, rows.iterrows(), strict=True)
    ]
    titles = {study.name: study.title for study in all_studies()}
    dataset = shortened(str(first["dataset"]))
    where = [str(first["task"]), f"data set {dataset}", condition]
    return Board(
        study=titles[str(first["study"])],
        title=str(first["label"]),
        where=", ".join(filter(None, where)),
        metric=metric.name,
        definition=metric.definition,
        direction=direction.text,
        lines=sorted(lines, key=lambda line: (np.isnan(line.rank.rank), line.rank.rank)),
    )


def _cells(rank: Rank, row: "pd.Series[Any]") -> Iterator[str]:
    value, low, high = (float(str(row[name])) for name in ("value", "ci_low", "ci_high"))
    yield "-" if np.isnan(rank.rank) else f"{rank.rank:g}"
    yield "-" if np.isnan(rank.low) else f"{rank.low:g} to {rank.high:g}"
    yield shortened(str(row["model"]))
    yield shortened(str(row["variant"]))
    interval = "" if np.isnan(low) else f" [{low:.3g}, {high:.3g}]"
    yield "-" if np.isnan(value) else f"{value:.3g}{interval}"
    yield f"{row['n']}"
    yield "; ".join(filter(None, (rank.note, str(row["note"]))))


METHOD = (
    "A rank is 1 and the number of models that are better; models that tie share a rank. Its "
    "interval is that of the rank over {resamples} bootstrap resamples of the items. Models that "
    "answered the same items are resampled together, others by themselves; one without an interval "
    "of its rank counts at its value in those of others. Means over models are not ranked. Nothing "
    "corrects for the number of models: of many alike, one will be first."
)


def write_leaderboard(material: Material, directory: Path) -> list[Path]:
    """`leaderboard.md` and `leaderboard.html`."""
    found, method = boards(material), METHOD.format(resamples=f"{material.resamples:,}")
    return [
        write_text(directory / "leaderboard.md", _markdown(found, method)),
        write_text(directory / "leaderboard.html", _html(found, method)),
    ]


def _markdown(found: Sequence[Board], method: str) -> str:
    parts = ["# Leaderboard", paragraph(method)]
    study = ""
    for board in found:
        if board.study != study:
            study = board.study
            parts.append(f"## {markdown_escaped(study)}")
        cells = [line.cells for line in board.lines]
        parts += [
            f"### {markdown_escaped(board.title)}",
            paragraph(f"{board.where}. {board.metric}: {board.definition} {_said(board)}"),
            table_of(HEADER, cells, left=0),
        ]
    if not found:
        parts.append(NOTHING)
    return "\n\n".join(parts) + "\n"


NOTHING = "None of the numbers that stand for a study is in these results."


def _said(board: Board) -> str:
    return f"{board.direction[0].upper()}{board.direction[1:]}."


def _html(found: Sequence[Board], method: str) -> str:
    environment = Environment(
        loader=PackageLoader("inspect_confidence.export", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = visible
    environment.globals["said"] = _said
    sections = [(study, list(some)) for study, some in groupby(found, lambda one: one.study)]
    page = environment.get_template("leaderboard.html.j2")
    return page.render(
        sections=sections, header=HEADER, method=method, nothing=NOTHING, version=__version__
    )
