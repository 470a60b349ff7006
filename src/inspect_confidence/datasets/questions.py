"""Questions with one right answer: MMLU, GSM8K, TruthfulQA, the bundled ones, a user's file."""

import functools
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources

from inspect_confidence.arguments import fingerprint, read_text, user_path
from inspect_confidence.datasets.cache import Source, cached, fetch
from inspect_confidence.datasets.own_questions import LETTERS, own_questions
from inspect_confidence.datasets.selection import Question, Selection, alternate, choose
from inspect_confidence.errors import InvalidArgument, nearest

GSM8K = Source(
    "qa/gsm8k_test.jsonl",
    "https://raw.githubusercontent.com/openai/grade-school-math/"
    "3101c7d5072418e28b9008a6636bde82a006892c/grade_school_math/data/test.jsonl",
    "3730d312f6e3440559ace48831e51066acaca737f6eabec99bccb9e4b3c39d14",
)
TRUTHFULQA = Source(
    "qa/truthfulqa_mc_task.json",
    # The repository has no releases; the checksum pins the file.
    "https://raw.githubusercontent.com/sylinrl/TruthfulQA/main/data/v1/mc_task.json",
    "b3799639bc76c939836d587de7d30b48d91012cb34be04806d33106ce06c162a",
)
MMLU = Source(
    "qa/mmlu/test-00000-of-00001.parquet",
    "https://huggingface.co/datasets/cais/mmlu/resolve/"
    "c30699e8356da336a370243923dbaf21066bb9fe/all/test-00000-of-00001.parquet",
    None,
)
MMLU_ROWS = Source(
    "qa/mmlu/test_all.csv",
    "",
    "5b2d07074a51223393d2e7570230fd9b90ee6b8958702575769b22f8e8e9ddfc",
)
"""The same rows in one csv file; read instead where somebody has put it into the cache folder."""

MMLU_ITEMS = 1_000
"""As many as the study asks; `items=` asks for more or fewer."""

BUNDLED = ("knowledge", "misconceptions", "word_problems")
"""The parts of the bundled questions, each a data set of its own too."""

_INSTEAD = "-T dataset=bundled"


@dataclass(frozen=True, kw_only=True)
class ChoiceItem(Question):
    """A question with choices, or with a number for an answer.

    Attributes:
        question: Its text.
        choices: What may be chosen, in the order shown; empty for a free answer.
        target: The right choice's letter, or the number as text.
        subject: Where the data set names one.
    """

    question: str
    choices: tuple[str, ...] = ()
    target: str
    subject: str = ""


def load_questions(
    dataset: object, *, items: object = None, split: str = "all", seed: int = 0
) -> Selection[ChoiceItem]:
    """Load, order and select questions.

    Args:
        dataset: `mmlu` (1,000 items, balanced over 57 subjects), `gsm8k`, `truthfulqa`, `bundled`
            or one of its parts, or a csv or jsonl file with `question` and `target`, and `choices`
            where there are any.
        items: None for all, a count, or a file of ids.
        split: `train`, `test` or `all`.
        seed: Of the order, of the split, and of TruthfulQA's order of choices.

    Raises:
        InvalidArgument: An argument or a row can't be used.
        DataUnavailable: The questions could not be downloaded.
    """
    name = str(dataset)
    group: Callable[[ChoiceItem], str] | None = None
    most = None
    if name == "mmlu":
        pool, version = list(_mmlu()), fingerprint(MMLU.url)
        group, most = (lambda item: item.subject), None if items is not None else MMLU_ITEMS
    elif name == "gsm8k":
        pool, version = list(_gsm8k()), fingerprint(GSM8K.sha256 or "")
    elif name == "truthfulqa":
        pool, version = list(_truthfulqa(seed)), fingerprint(f"{TRUTHFULQA.sha256} {seed}")
    elif name == "bundled" or name in BUNDLED:
        parts = BUNDLED if name == "bundled" else (name,)
        pool = [item for part in parts for item in bundled_part(part)]
        version = fingerprint("".join(map(_bundled_text, parts)))
    elif "." in name:
        path = user_path("dataset", dataset)
        pool = [ChoiceItem(**record) for record in own_questions(path)]
        version, name = fingerprint(read_text(path)), path.name
    else:
        known = ["mmlu", "gsm8k", "truthfulqa", "bundled", *BUNDLED, "a .csv or .jsonl file"]
        raise InvalidArgument(f"dataset={name} is not known. {nearest(name, known)}")
    ordered = alternate(pool, seed, most=most, group=group)
    excluded = Counter({"not drawn": len(pool) - len(ordered)})
    return Selection(name, choose(ordered, split, items), version, +excluded)


@functools.cache
def bundled_questions() -> Mapping[str, ChoiceItem]:
    """The questions written for this project, by id; each has its source or derivation."""
    return {item.id: item for part in BUNDLED for item in bundled_part(part)}


def bundled_part(part: str) -> Iterator[ChoiceItem]:
    """The questions of one part of the bundled ones."""
    for line in _bundled_text(part).splitlines():
        record = json.loads(line)
        choices = tuple(record.get("choices", ()))
        yield ChoiceItem(
            id=record["id"],
            question=record["question"],
            choices=choices,
            target=LETTERS[record["answer"]] if choices else str(record["answer"]),
            subject=record["subject"],
        )


def _bundled_text(part: str) -> str:
    folder = resources.files("inspect_confidence.datasets") / "bundled"
    return (folder / f"{part}.jsonl").read_text(encoding="utf-8")


def _gsm8k() -> Iterator[ChoiceItem]:
    text = fetch(GSM8K, instead=_INSTEAD).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines()):
        row = json.loads(line)
        answer = row["answer"].rsplit("####", 1)[1].strip().replace(",", "")
        yield ChoiceItem(id=f"gsm8k-{number:04d}", question=row["question"], target=answer)


def _truthfulqa(seed: int) -> Iterator[ChoiceItem]:
    """The multiple-choice questions; their first choice is the right one at the source."""
    rows = json.loads(fetch(TRUTHFULQA, instead=_INSTEAD).read_text(encoding="utf-8"))
    for number, row in enumerate(rows):
        name = f"truthfulqa-{number:04d}"
        choices = list(row["mc1_targets"])
        right = next(text for text, truth in row["mc1_targets"].items() if truth)
        random.Random(f"{seed} {name}").shuffle(choices)
        yield ChoiceItem(
            id=name,
            question=row["question"],
            choices=tuple(choices),
            target=LETTERS[choices.index(right)],
        )


def _mmlu() -> Iterator[ChoiceItem]:
    # Imported here because pandas takes a second, which other data sets should not cost.
    import pandas as pd  # noqa: PLC0415

    if (path := cached(MMLU_ROWS)) is None:
        table = pd.read_parquet(fetch(MMLU, instead=_INSTEAD))
        choices, answers = table["choices"].map(tuple), table["answer"].map(LETTERS.__getitem__)
    else:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        choices, answers = table[list("ABCD")].apply(tuple, axis=1), table["answer"]
    seen: Counter[str] = Counter()
    for subject, question, offered, answer in zip(
        table["subject"], table["question"], choices, answers, strict=True
    ):
        seen[subject] += 1
        yield ChoiceItem(
            id=f"mmlu-{subject}-{seen[subject]:04d}",
            question=question,
            choices=offered,
            target=answer,
            subject=subject,
        )
