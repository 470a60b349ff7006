"""The hedge-marker study's questions with choices: in the hub's form, or the same rows."""

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import StringIO
from typing import Any

from inspect_confidence.arguments import read_text
from inspect_confidence.datasets import marker_sources as sources
from inspect_confidence.datasets.cache import Source
from inspect_confidence.datasets.marker_row import Row
from inspect_confidence.datasets.own_questions import LETTERS
from inspect_confidence.datasets.question_sets import load_question_set
from inspect_confidence.datasets.questions import load_questions
from inspect_confidence.datasets.selection import Split

_RELATIONS = {
    "director": r"Who was the director of (.+)\?",
    "screenwriter": r"Who was the screenwriter for (.+)\?",
    "producer": r"Who was the producer of (.+)\?",
    "author": r"Who is the author of (.+)\?",
    "place of birth": r"In what city was (.+) born\?",
    "occupation": r"What is (.+)'s occupation\?",
}
"""The relations that the study asks, and how PopQA words them."""

SHORTEST_ENTITY = 2
"""Characters that a subject or object has at least."""


def popqa(split: Split) -> Iterator[Row]:
    """Questions from a relation between two entities; those of other relations left out."""
    path = sources.file_of(sources.POPQA)
    if path.suffix == ".tsv":
        rows: Iterable[Mapping[str, Any]] = csv.DictReader(
            StringIO(read_text(path), newline=""), delimiter="\t"
        )
    else:
        subset = json.loads(read_text(path))
        rows = map(_popqa_from_wording, [*subset["dev"], *subset["test"]])
    for row in rows:
        if row["prop"] not in _RELATIONS:
            left_out = "another relation"
        elif min(len(row["subj"]), len(row["obj"])) < SHORTEST_ENTITY:
            left_out = f"an entity under {SHORTEST_ENTITY} characters"
        else:
            left_out = ""
        yield Row(
            id=f"popqa-{row['id']}",
            split=split,
            dataset="popqa",
            question=row["question"],
            answers=_distinct(json.loads(row["possible_answers"])),
            left_out=left_out,
        )


def _popqa_from_wording(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row without relation and entities; the object is the first of the accepted answers."""
    relation, subject = "", ""
    for name, wording in _RELATIONS.items():
        if found := re.fullmatch(wording, row["input"]):
            relation, subject = name, found[1]
    return {
        "id": row["id"],
        "prop": relation,
        "subj": subject,
        "obj": json.loads(row["output"])[0],
        "question": row["input"],
        "possible_answers": row["output"],
    }


def selfaware(split: Split) -> Iterator[Row]:
    """Questions with an answer, and questions that nobody can answer."""
    rows = json.loads(read_text(sources.file_of(sources.SELFAWARE)))["example"]
    for row in rows:
        yield Row(
            id=f"selfaware-{row['question_id']:04d}",
            split=split,
            dataset="selfaware",
            question=row["question"],
            answers=_distinct(row["answer"] or ()),
            answerable=row["answerable"],
        )


def simpleqa(split: Split) -> Iterator[Row]:
    """OpenAI's file; its copy has the same columns."""
    for number, row in enumerate(_csv(sources.SIMPLEQA)):
        yield Row(
            id=f"simpleqa-{number:04d}",
            split=split,
            dataset="simpleqa",
            question=row["problem"],
            answers=(row["answer"],),
        )


def halueval(split: Split) -> Iterator[Row]:
    """The 1,000 questions of HaluEval's QA part that the calibration study drew from it."""
    for item in load_question_set("halueval").items:
        yield Row(
            id=item.id,
            split=split,
            dataset="halueval",
            question=item.question,
            answers=tuple(given.text for given in item.given if given.right),
        )


def truthfulqa(split: Split) -> Iterator[Row]:
    """The questions to be answered freely; every answer that counts as true."""
    for number, row in enumerate(_csv(sources.TRUTHFULQA)):
        yield Row(
            id=f"truthfulqa-generation-{number:04d}",
            split=split,
            dataset="truthfulqa",
            question=row["Question"],
            answers=_distinct([row["Best Answer"], *row["Correct Answers"].split(";")]),
        )


def ambignq(split: Split) -> Iterator[Row]:
    """Ambiguous questions as they were asked; the answer to any reading of one is accepted."""
    path = sources.file_of(sources.AMBIGNQ[split])
    hub = path.suffix == ".parquet"
    for row in parquet_rows(path) if hub else json.loads(read_text(path)):
        notes = row["annotations"]
        yield Row(
            id=f"ambignq-{row['id']}",
            split=split,
            dataset="ambignq",
            question=row["question"],
            answers=_distinct(_answers_in_columns(notes) if hub else _answers_in_rows(notes)),
        )


def _answers_in_rows(annotations: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Of the authors' form: an object for each annotation and each reading."""
    for note in annotations:
        yield from note.get("answer", ())
        for reading in note.get("qaPairs", ()):
            yield from reading["answer"]


def _answers_in_columns(annotations: Mapping[str, Any]) -> Iterator[str]:
    """Of the hub's form: the lists of all annotations side by side."""
    for answers, readings in zip(annotations["answer"], annotations["qaPairs"], strict=True):
        yield from answers
        for accepted in readings["answer"]:
            yield from accepted


def parquet_rows(path: object) -> list[dict[str, Any]]:
    """The rows of a parquet file, lists as arrays."""
    # Imported here because pandas takes a second, which other data sets should not cost.
    import pandas as pd  # noqa: PLC0415

    table = pd.read_parquet(str(path))
    columns = list(map(str, table.columns))
    return [dict(zip(columns, row, strict=True)) for row in table.itertuples(index=False)]


def _csv(source: Source) -> Iterator[dict[str, str]]:
    yield from csv.DictReader(StringIO(read_text(sources.file_of(source)), newline=""))


def _distinct(answers: Iterable[str]) -> tuple[str, ...]:
    """Answers without blanks around them, each once, in order."""
    return tuple(dict.fromkeys(text for answer in answers if (text := str(answer).strip())))


_YES_NO = ("Yes", "No")

_EVERY_ITEM = 10**9


def mmlu(split: Split) -> Iterator[Row]:
    """The test rows, and for `train` the auxiliary ones as the study has it."""
    if split == "test":
        for item in load_questions("mmlu", items=_EVERY_ITEM).items:
            yield Row(
                id=item.id,
                split=split,
                dataset="mmlu",
                question=item.question,
                choices=item.choices,
                right=LETTERS.index(item.target),
            )
    else:
        for number, row in enumerate(_rows(sources.MMLU_TRAIN)):
            yield Row(
                id=f"mmlu-auxiliary-{number:05d}",
                split=split,
                dataset="mmlu",
                question=row["question"],
                choices=tuple(row["choices"]),
                right=int(row["answer"]),
            )


def sciq(split: Split) -> Iterator[Row]:
    """The test rows as the calibration study published them, the training rows of the hub."""
    if split == "test":
        for item in load_question_set("sciq").items:
            yield Row(
                id=item.id,
                split=split,
                dataset="sciq",
                question=item.question,
                choices=item.options,
                right=LETTERS.index(item.target),
            )
    else:
        for number, row in enumerate(_rows(sources.SCIQ_TRAIN)):
            wrong = (row[f"distractor{place}"] for place in (1, 2, 3))
            yield Row(
                id=f"sciq-train-{number:05d}",
                split=split,
                dataset="sciq",
                question=row["question"],
                choices=(row["correct_answer"], *wrong),
            )


def arc_challenge(split: Split) -> Iterator[Row]:
    """Three to five choices each; the source names them by letters or by numbers."""
    for row in _rows(sources.ARC[split]):
        if isinstance(row["question"], str):
            question = row["question"]
            texts, labels = list(row["choices"]["text"]), list(row["choices"]["label"])
        else:
            question, choices = row["question"]["stem"], row["question"]["choices"]
            texts, labels = [[choice[key] for choice in choices] for key in ("text", "label")]
        yield Row(
            id=f"arc_challenge-{row['id']}",
            split=split,
            dataset="arc_challenge",
            question=question,
            choices=tuple(texts),
            right=labels.index(row["answerKey"]),
        )


def superglue(split: Split) -> Iterator[Row]:
    """Four tasks in our wording; SuperGLUE has none."""
    for task, worded in _WORDED.items():
        for row in _rows(sources.SUPERGLUE[task, split]):
            question, choices, right = worded({**row, **row.get("target", {})})
            yield Row(
                id=f"superglue-{task}-{split}-{row['idx']}",
                split=split,
                dataset="superglue",
                question=question,
                choices=choices,
                right=right,
                part=task,
            )


def wnli(split: Split) -> Iterator[Row]:
    """Two sentences each; the second may follow from the first."""
    for row in _rows(sources.WNLI[split]):
        yield Row(
            id=f"wnli-{split}-{row['idx']}",
            split=split,
            dataset="wnli",
            question=f"Premise: {row['sentence1'].strip()}\nHypothesis: {row['sentence2'].strip()}"
            "\nDoes the premise entail the hypothesis?",
            choices=_YES_NO,
            right=_no(row["label"]),
        )


_Worded = tuple[str, tuple[str, ...], int]
"""Question, choices, and the right one's place."""


def _boolq(row: Mapping[str, Any]) -> _Worded:
    question = row["question"].strip().removesuffix("?")
    return f"{row['passage'].strip()}\n\n{question}?", _YES_NO, _no(row["label"])


def _copa(row: Mapping[str, Any]) -> _Worded:
    asked = {"cause": "What was the cause of this?", "effect": "What happened as a result?"}
    question = f"{row['premise'].strip()} {asked[row['question']]}"
    return question, (row["choice1"], row["choice2"]), int(row["label"])


def _wic(row: Mapping[str, Any]) -> _Worded:
    question = (
        f"1. {row['sentence1'].strip()}\n2. {row['sentence2'].strip()}\n"
        f'Does the word "{row["word"]}" have the same meaning in both sentences?'
    )
    return question, _YES_NO, _no(row["label"])


def _wsc(row: Mapping[str, Any]) -> _Worded:
    question = (
        f"{row['text'].strip()}\n\n"
        f'In this text, does "{row["span2_text"]}" refer to "{row["span1_text"]}"?'
    )
    return question, _YES_NO, _no(row["label"])


_WORDED: Mapping[str, Callable[[Mapping[str, Any]], _Worded]] = {
    "boolq": _boolq,
    "copa": _copa,
    "wic": _wic,
    "wsc": _wsc,
}


def _no(label: object) -> int:
    """The right place in yes and no, from a label that is 1 or 0, true or false."""
    return {"1": 0, "true": 0, "0": 1, "false": 1}[str(label).lower()]


def _rows(source: Source) -> Iterator[Mapping[str, Any]]:
    path = sources.file_of(source)
    if path.suffix == ".parquet":
        yield from parquet_rows(path)
    else:
        yield from map(json.loads, read_text(path).removesuffix("\n").split("\n"))
