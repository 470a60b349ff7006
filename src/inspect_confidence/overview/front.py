"""What a page shows first, ready for its template."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from inspect_confidence.overview import sentences
from inspect_confidence.overview.matrix import Matrix, Ranks, Who, matrix_of
from inspect_confidence.plots import shortened

_LONGEST = 60
"""Characters of a name."""


@dataclass(frozen=True)
class Front:
    """The matrix, its sentences and the models' looks; names are short enough for a page.

    Attributes:
        looks: Number of colour and marker, by model.
        order: The lines' models, from the first to the last.
        said: A sentence of each line that there is something to say of.
    """

    matrix: Matrix
    looks: Mapping[str, int]
    order: Sequence[Who]
    said: Sequence[tuple[Who, sentences.Sentence]]


def front_of(
    results: pd.DataFrame, models: Sequence[str], ranks: Ranks | None = None
) -> Front | None:
    """What is shown first of results; None where no number that stands for a study is defined.

    Args:
        results: In the layout of results.
        models: That answered, in the order of lines and colours.
        ranks: As `matrix_of` takes them.
    """
    matrix = matrix_of(results, models, ranks)
    if not matrix.columns:
        return None
    lines = [replace(line, who=_short(line.who)) for line in matrix.lines]
    said = [(_short(who), parts) for who, parts in sentences.of_models(results, matrix)]
    looks = {shortened(model, _LONGEST): k for k, model in enumerate(models)}
    return Front(replace(matrix, lines=lines), looks, [line.who for line in lines], said)


def _short(who: Who) -> Who:
    return Who(*(shortened(one, _LONGEST) for one in (who.model, who.variant, who.judge)))
