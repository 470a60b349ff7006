"""Overview at the top of a page, ready for its template."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from inspect_confidence.overview.matrix import LineKey, Matrix, MatrixCell, boards_of, matrix_of
from inspect_confidence.overview.ranks import Ranks
from inspect_confidence.overview.sentences import Sentence, model_sentences
from inspect_confidence.printing import shortened
from inspect_confidence.results import ResultTable

_MAX_NAME_LENGTH = 60  # maximum number of characters of a name


@dataclass(frozen=True)
class Front:
    """The matrix, its sentences and the models' markers; names are short enough for a page.

    Attributes:
        matrix: Headline numbers, with models as lines.
        boards: The matrix in parts of models that answered alike, as `boards_of` splits it.
        looks: Number of the colour and the marker, by model.
        order: Keys of the lines, in order.
        sentences: Sentences on the lines, by key; lines without numbers for a sentence have none.
    """

    matrix: Matrix
    boards: Sequence[Matrix]
    looks: Mapping[str, int]
    order: Sequence[LineKey]
    sentences: Sequence[tuple[LineKey, Sentence]]

    @property
    def cells(self) -> list[MatrixCell | None]:
        """Cells of all boards for the legend; None where a model was not asked."""
        cells: list[MatrixCell | None] = []
        for board in self.boards:
            for line in board.lines:
                cells += line.numbers
        return cells


def front_of(
    results: ResultTable, models: Sequence[str], ranks: Ranks | None = None, *, ranked: bool = False
) -> Front | None:
    """Return the overview of results; None if no headline number is defined.

    `models` are in the order of lines and colours. `ranks` are by row; if None, there are none.
    With `ranked`, the lines of each board are sorted by rank: a board is a part of the matrix whose
    models have numbers in the same columns.
    """
    matrix = matrix_of(results, models, ranks)
    if not matrix.columns:
        return None
    sentences = []
    for key, sentence in model_sentences(results, matrix):
        sentences.append((_shorten_names(key), sentence))
    lines = [replace(line, key=_shorten_names(line.key)) for line in matrix.lines]
    shortened_matrix = replace(matrix, lines=lines)
    return Front(
        matrix=shortened_matrix,
        boards=boards_of(shortened_matrix, ranked=ranked),
        # By model, the number of its colour and marker.
        looks={shortened(model, _MAX_NAME_LENGTH): number for number, model in enumerate(models)},
        order=[line.key for line in lines],
        sentences=sentences,
    )


def _shorten_names(key: LineKey) -> LineKey:
    """Return the key of a line with names of at most 60 characters."""
    return LineKey(
        shortened(key.model, _MAX_NAME_LENGTH),
        shortened(key.variant, _MAX_NAME_LENGTH),
        shortened(key.judge, _MAX_NAME_LENGTH),
    )
