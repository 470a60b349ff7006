"""Questions with one right answer from MMLU, GSM8K, TruthfulQA, bundled sets or a user's file."""

import functools
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from operator import attrgetter
from typing import Literal

from inspect_confidence.arguments import choice, fingerprint
from inspect_confidence.datasets import records
from inspect_confidence.datasets.cache import SOURCES
from inspect_confidence.datasets.records import LETTERS, OwnRow, downloaded_records
from inspect_confidence.datasets.selection import Item, Selection, alternate, by_id, choose

GSM8K = "qa/gsm8k_test.jsonl"
TRUTHFULQA = "qa/truthfulqa_mc_task.json"
MMLU = "qa/mmlu/test-00000-of-00001.parquet"

MMLU_ITEMS = 1_000
"""Number of MMLU's items in the study, and the default of `items=`."""

BUNDLED = ("knowledge", "misconceptions", "word_problems")
"""Parts of the bundled questions; each part is also a data set."""


FILES: Mapping[str, tuple[str, ...]] = {
    "mmlu": (MMLU,),
    "gsm8k": (GSM8K,),
    "truthfulqa": (TRUTHFULQA,),
    "bundled": tuple(f"{part}.jsonl" for part in BUNDLED),
    **{part: (f"{part}.jsonl",) for part in BUNDLED},
}
"""Source files by data set."""


@dataclass(frozen=True, kw_only=True)
class Question(Item):
    """A question with choices, or with a free answer: a number, or words.

    Attributes:
        question: Text of the question without its choices.
        choices: Choices in the order of the prompt; empty for a free answer.
        target: Letter of the right choice, or the number as text; empty for answers in words.
        answers: Accepted answers in words: spellings of the answer, or the right choice's text and
            its letter as `(B)` and `B`. Empty if no answer exists.
        answerable: False if nobody can answer the question; a reply is then correct if it declines.
        dataset: Name of the data set, for runs with several data sets.
        part: Part of the data set: a subject, or one of SuperGLUE's tasks; empty without parts.
        left_out: Reason why the question is excluded; empty if it is asked.
        fields: Texts that the question was worded from, under the field names of the hedge-marker
            study's code, if that code words the question differently.
    """

    question: str
    choices: tuple[str, ...] = ()
    target: str = ""
    answers: tuple[str, ...] = ()
    answerable: bool = True
    dataset: str = ""
    part: str = ""
    left_out: str = ""
    fields: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def kind(self) -> Literal["short", "choices"]:
        """Kind of answer: `choices`, or `short` for a free answer."""
        return "choices" if self.choices else "short"


def load_questions(
    dataset: object, *, items: object = None, split: str = "all", seed: int = 0
) -> Selection[Question]:
    """Load, order and select questions with one right answer.

    A data set is `mmlu` (balanced over 57 subjects; 1,000 items unless `items` is given), `gsm8k`,
    `truthfulqa`, `bundled` or one of its parts, or a csv or jsonl file with the columns `question`,
    `target` and optionally `choices`. Train and test alternate in an order by `seed`, which also
    orders TruthfulQA's choices. `items` (a number, or a file of ids) and `split` select from the
    items in that order, as in `choose`.

    Raises:
        InvalidArgument: An argument or a row can't be used.
        DataUnavailable: The questions could not be downloaded.
    """
    if records.is_user_file(dataset):
        pool, version, name = records.own_items(dataset, ["question", "target"], own_question)
    else:
        name = choice("dataset", dataset, [*FILES, records.OWN_FILE])
        pool, version = _load_named(name, seed)
    group: Callable[[Question], str] | None = None
    limit = None
    if name == "mmlu":
        group = attrgetter("part")
        limit = MMLU_ITEMS if items is None else None
    ordered = alternate(pool, seed, limit=limit, group=group)
    excluded = Counter({"not drawn": len(pool) - len(ordered)})
    files = records.pool_files(dataset, FILES)
    # `+` drops reasons that exclude no item.
    return Selection(name, choose(ordered, split, items), version, +excluded, files)


def _load_named(name: str, seed: int) -> tuple[list[Question], str]:
    """Return the questions of a named data set, and the fingerprint of its files (and the seed)."""
    if name == "mmlu":
        return list(_mmlu()), fingerprint(SOURCES[MMLU].url)  # the url names a commit
    if name == "gsm8k":
        return list(_gsm8k()), fingerprint(SOURCES[GSM8K].sha256 or "")
    if name == "truthfulqa":  # the seed orders the choices
        version = fingerprint(f"{SOURCES[TRUTHFULQA].sha256} {seed}")
        return list(_truthfulqa(seed)), version
    # The bundled questions: all parts, or the part of this name.
    return _bundled(*BUNDLED) if name == "bundled" else _bundled(name)


@functools.cache
def bundled_questions() -> Mapping[str, Question]:
    """Return the questions written for this project, by id."""
    return by_id(chain.from_iterable(map(bundled_part, BUNDLED)))


def question_of(name: str) -> Question:
    """Return the question with an id, bundled or from MMLU, GSM8K or TruthfulQA.

    TruthfulQA's choices are in the order of seed 0, which may differ from the order in a run.

    Raises:
        KeyError: No question has this id.
        DataUnavailable: The data set could not be downloaded.
    """
    if name in bundled_questions():
        return bundled_questions()[name]
    return _published_by_id(name.split("-", 1)[0])[name]


@functools.cache
def _published_by_id(dataset: str) -> Mapping[str, Question]:
    if dataset not in ("mmlu", "gsm8k", "truthfulqa"):
        return {}
    return by_id(_load_named(dataset, seed=0)[0])


def _bundled(*parts: str) -> tuple[list[Question], str]:
    """Return the questions of bundled files, and the fingerprint of the files' texts."""
    version = fingerprint("".join(records.bundled_text(f"{part}.jsonl") for part in parts))
    return list(chain.from_iterable(map(bundled_part, parts))), version


def bundled_part(part: str) -> Iterator[Question]:
    """Yield the questions of a bundled file.

    A record's `answer` is the index of the right choice, or without `choices` a number; `answers`
    are the accepted answers in words.
    """
    for record in records.bundled_records(f"{part}.jsonl"):
        choices = tuple(record.get("choices", ()))
        yield Question(
            id=record["id"],
            split=record.get("split"),
            question=record["question"],
            answers=tuple(record.get("answers", ())),
            choices=choices,
            target=LETTERS[record["answer"]] if choices else str(record.get("answer", "")),
            part=record.get("subject", ""),
        )


def own_question(row: OwnRow) -> Question:
    """Return the question of a user's row, whose target is a letter, a choice or a number."""
    choices = row.choices()
    return Question(
        id=row.id,
        split=row.split,
        question=row.as_written("question"),
        choices=choices,
        target=row.letter(choices) if choices else _number_target(row),
        part=row.text("subject"),
    )


def _number_target(row: OwnRow) -> str:
    """Return the target of a user's row without commas; refuse a target that is not a number."""
    target = row.text("target")
    grouped = re.fullmatch(r"-?\d{1,3}(,\d{3})+(\.\d+)?", target)
    plain = target.replace(",", "") if grouped else target
    # Python takes 1_0 for 10, and would write out the digits of 1e99999.
    is_unusual = re.search(r"_|e[-+]?\d{5}", plain, re.IGNORECASE)
    try:
        Fraction("" if is_unusual else plain)  # raises an error for an empty text, too
    except (ValueError, ZeroDivisionError):
        raise row.error(
            f"target {target!r} is not a number; free answers are numbers, other questions need "
            "`choices`."
        ) from None
    return plain


def _gsm8k() -> Iterator[Question]:
    for number, row in enumerate(downloaded_records(GSM8K)):
        answer = row["answer"].rsplit("####", 1)[1].strip().replace(",", "")
        yield Question(id=f"gsm8k-{number:04d}", question=row["question"], target=answer)


def _truthfulqa(seed: int) -> Iterator[Question]:
    """Yield multiple-choice questions, choices shuffled: at the source the first one is right."""
    for number, row in enumerate(downloaded_records(TRUTHFULQA)):
        name = f"truthfulqa-{number:04d}"
        choices = list(row["mc1_targets"])
        right = next(text for text, truth in row["mc1_targets"].items() if truth)
        random.Random(f"{seed} {name}").shuffle(choices)
        yield Question(
            id=name,
            question=row["question"],
            choices=tuple(choices),
            target=LETTERS[choices.index(right)],
        )


def _mmlu() -> Iterator[Question]:
    """Yield the questions of MMLU, numbered within their subjects."""
    counts: Counter[str] = Counter()
    for row in downloaded_records(MMLU):
        subject = row["subject"]
        counts[subject] += 1
        # In the hub's form the choices are a list, and the answer is an index of the list.
        is_hub_form = "choices" in row
        yield Question(
            id=f"mmlu-{subject}-{counts[subject]:04d}",
            question=row["question"],
            choices=tuple(row["choices"] if is_hub_form else map(row.get, "ABCD")),
            target=LETTERS[row["answer"]] if is_hub_form else row["answer"],
            part=subject,
        )
