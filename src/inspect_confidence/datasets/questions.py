"""Questions with one right answer: MMLU, GSM8K, TruthfulQA, the bundled ones, a user's file."""

import functools
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from inspect_confidence.arguments import fingerprint
from inspect_confidence.datasets import records
from inspect_confidence.datasets.cache import SOURCES
from inspect_confidence.datasets.records import LETTERS, OwnRow, downloaded_records
from inspect_confidence.datasets.selection import Item, Selection, alternate, choose

GSM8K = "qa/gsm8k_test.jsonl"
TRUTHFULQA = "qa/truthfulqa_mc_task.json"
MMLU = "qa/mmlu/test-00000-of-00001.parquet"

MMLU_ITEMS = 1_000
"""As many as the study asks; `items=` asks for more or fewer."""

BUNDLED = ("knowledge", "misconceptions", "word_problems")
"""The parts of the bundled questions, each a data set of its own too."""


FILES: Mapping[str, tuple[str, ...]] = {
    "mmlu": (MMLU,),
    "gsm8k": (GSM8K,),
    "truthfulqa": (TRUTHFULQA,),
    "bundled": tuple(f"{part}.jsonl" for part in BUNDLED),
    **{part: (f"{part}.jsonl",) for part in BUNDLED},
}
"""What each data set is read from."""


@dataclass(frozen=True, kw_only=True)
class Question(Item):
    """A question with choices, or with a free answer: a number, or words.

    Attributes:
        question: All that is to be read, the choices excepted.
        choices: What may be chosen, in the order shown; empty for a free answer.
        target: The right choice's letter, or the number as text; empty where words are answered.
        answers: What is accepted of an answer in words: the answer in any of its forms, or the
            right choice's text and its letter as `(B)` and `B`. Empty where there is no answer.
        answerable: False where nobody can answer: right is then to decline, so that whether a reply
            is correct is judged as whether it is a punt.
        dataset: The data set that it is of, where a run may have several.
        part: Of the data set, where it has parts: a subject, or one of SuperGLUE's tasks.
        left_out: Why it isn't asked; empty where it is.
        fields: What the question was worded from, by the names that the hedge-marker study's code
            has for it, where that words it otherwise.
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
        """Whether there are choices."""
        return "choices" if self.choices else "short"


def load_questions(
    dataset: object, *, items: object = None, split: str = "all", seed: int = 0
) -> Selection[Question]:
    """Load, order and select questions, as `choose` and `alternate` do it.

    A data set is `mmlu` (1,000 items, balanced over 57 subjects), `gsm8k`, `truthfulqa`, `bundled`
    or one of its parts, or a csv or jsonl file with `question` and `target`, and `choices` where
    there are any. The seed is that of TruthfulQA's order of choices too.

    Raises:
        InvalidArgument: An argument or a row can't be used.
        DataUnavailable: The questions could not be downloaded.
    """
    known: dict[str, Callable[[], tuple[list[Question], str]]] = {
        "mmlu": lambda: (list(_mmlu()), fingerprint(SOURCES[MMLU].url)),
        "gsm8k": lambda: (list(_gsm8k()), fingerprint(SOURCES[GSM8K].sha256 or "")),
        "truthfulqa": lambda: (
            list(_truthfulqa(seed)),
            fingerprint(f"{SOURCES[TRUTHFULQA].sha256} {seed}"),
        ),
        "bundled": lambda: _bundled(*BUNDLED),
        **{part: functools.partial(_bundled, part) for part in BUNDLED},
    }
    name, pool, version = records.load_pool(dataset, known, ["question", "target"], _own)
    group: Callable[[Question], str] | None = None
    most = None
    if name == "mmlu":
        group, most = (lambda item: item.part), None if items is not None else MMLU_ITEMS
    ordered = alternate(pool, seed, most=most, group=group)
    excluded = Counter({"not drawn": len(pool) - len(ordered)})
    files = records.pool_files(dataset, FILES)
    return Selection(name, choose(ordered, split, items), version, +excluded, files)


@functools.cache
def bundled_questions() -> Mapping[str, Question]:
    """The questions written for this project, by id; each has its source or derivation."""
    return {item.id: item for part in BUNDLED for item in bundled_part(part)}


def question_of(name: str) -> Question:
    """The question of that id: a bundled one, or of MMLU, GSM8K or TruthfulQA.

    TruthfulQA's choices are in the order of seed 0, which may not be a run's.

    Raises:
        KeyError: There is no such id.
        DataUnavailable: The data set could not be downloaded.
    """
    if name in bundled_questions():
        return bundled_questions()[name]
    return _published(name.split("-", 1)[0])[name]


@functools.cache
def _published(dataset: str) -> Mapping[str, Question]:
    known = {"mmlu": _mmlu, "gsm8k": _gsm8k, "truthfulqa": lambda: _truthfulqa(0)}
    return {item.id: item for item in known.get(dataset, tuple)()}


def _bundled(*parts: str) -> tuple[list[Question], str]:
    version = fingerprint("".join(records.bundled_text(f"{part}.jsonl") for part in parts))
    return [item for part in parts for item in bundled_part(part)], version


def bundled_part(part: str) -> Iterator[Question]:
    """The questions of a bundled file."""
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


def _own(row: OwnRow) -> Question:
    """A user's question, its target a letter, a choice's text, or without choices a number."""
    choices = row.choices()
    return Question(
        id=row.id,
        split=row.split,
        question=row.as_written("question"),
        choices=choices,
        target=row.letter(choices) if choices else _number(row),
        part=row.text("subject"),
    )


def _number(row: OwnRow) -> str:
    target = row.text("target")
    grouped = re.fullmatch(r"-?\d{1,3}(,\d{3})+(\.\d+)?", target)
    plain = target.replace(",", "") if grouped else target
    try:
        Fraction(plain)
    except (ValueError, ZeroDivisionError):
        raise row.refused(
            f"target {target!r} is no number; free answers are numbers, other questions need "
            "`choices`."
        ) from None
    return plain


def _gsm8k() -> Iterator[Question]:
    for number, row in enumerate(downloaded_records(GSM8K)):
        answer = row["answer"].rsplit("####", 1)[1].strip().replace(",", "")
        yield Question(id=f"gsm8k-{number:04d}", question=row["question"], target=answer)


def _truthfulqa(seed: int) -> Iterator[Question]:
    """The multiple-choice questions; their first choice is the right one at the source."""
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
    seen: Counter[str] = Counter()
    for row in downloaded_records(MMLU):
        subject = row["subject"]
        seen[subject] += 1
        # In the hub's form choices are a list and the answer is its place in it.
        hub = "choices" in row
        yield Question(
            id=f"mmlu-{subject}-{seen[subject]:04d}",
            question=row["question"],
            choices=tuple(row["choices"] if hub else map(row.get, "ABCD")),
            target=LETTERS[row["answer"]] if hub else row["answer"],
            part=subject,
        )
