"""Questions that a model may decline: with choices, with a number or with words as the answer."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from inspect_confidence.arguments import choice, fingerprint, user_path
from inspect_confidence.datasets import hedge_markers, questions, records
from inspect_confidence.datasets.cache import version_of
from inspect_confidence.datasets.hub import PUBLISHED, simpleqa_verified
from inspect_confidence.datasets.questions import Question, bundled_part
from inspect_confidence.datasets.records import OwnRow
from inspect_confidence.datasets.selection import Selection, alternate, choose

SIMPLEQA, SIMPLEQA_VERIFIED = "simpleqa", "simpleqa_verified"
BUNDLED = "facts"
"""The bundled questions with a short answer in words."""
_VERIFIED_FILE = "qa/simpleqa/simpleqa_verified.parquet"
_FACTS = f"{BUNDLED}.jsonl"

_Reader = Callable[[], Iterator[Question]]

_WORD_ANSWER_SETS: Mapping[str, tuple[_Reader, tuple[str, ...]]] = {
    SIMPLEQA: (partial(PUBLISHED[SIMPLEQA].read, "test"), PUBLISHED[SIMPLEQA].files),
    SIMPLEQA_VERIFIED: (simpleqa_verified, (_VERIFIED_FILE,)),
    "selfaware": (partial(PUBLISHED["selfaware"].read, "test"), PUBLISHED["selfaware"].files),
    BUNDLED: (partial(bundled_part, BUNDLED), (_FACTS,)),
}
"""Data sets whose answers are words: the reader of their questions, and their source files."""

SHORT_ANSWERS = (SIMPLEQA, SIMPLEQA_VERIFIED, BUNDLED)
"""Data sets whose questions all have a short answer in words."""

DATASETS = (*questions.FILES, *_WORD_ANSWER_SETS)
"""Names of all data sets of the study."""


def load_decision_questions(
    dataset: object,
    *,
    items: object = None,
    split: str = "all",
    seed: int = 0,
    names: Sequence[str] = DATASETS,
) -> Selection[Question]:
    """Load, order and select the questions of a data set.

    A data set is one of `load_questions` (answers are letters or numbers), or `simpleqa`,
    `simpleqa_verified`, `selfaware` or `facts` (answers are words), or a csv or jsonl file: its
    rows have `question` and, by the kind of answer, `choices` and `target`, a number as `target`,
    or `answers` in words. Train and test items alternate in an order by seed.

    Args:
        dataset: Name of a data set, or path of a file.
        items: Number of items, or a file with one id a line.
        split: `train`, `test` or `all`.
        seed: Seed of the order of items.
        names: Names of data sets that are allowed.

    Raises:
        InvalidArgument: An argument or a row can't be used.
        DataUnavailable: The questions could not be downloaded.
    """
    files: Sequence[str | Path]
    if records.is_user_file(dataset):
        pool, version, name = records.own_items(dataset, ["question"], _question_of_user_row)
        files = (user_path("dataset", dataset),)
    else:
        name = choice("dataset", dataset, [*names, records.OWN_FILE])
        if name not in _WORD_ANSWER_SETS:
            return questions.load_questions(name, items=items, split=split, seed=seed)
        read, files = _WORD_ANSWER_SETS[name]  # the function that yields the questions
        pool = list(read())
        version = fingerprint(" ".join(map(_file_version, files)))
    return Selection(name, choose(alternate(pool, seed), split, items), version, files=files)


def _file_version(file: str) -> str:
    """Return a text that identifies a file's version: of the bundled file, the whole content."""
    return records.bundled_text(file) if file == _FACTS else version_of(file)


def _question_of_user_row(row: OwnRow) -> Question:
    """Return a user's question, with `answers` in words or a `target`; refuse one with neither."""
    if any(hedge_markers.own_answers(row)):
        return hedge_markers.own_question(row)
    if not row.text("target"):
        raise row.error("no answer is accepted; give `target`, or `answers` in words.")
    return questions.own_question(row)
