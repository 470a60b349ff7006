"""The published data sets of the hedge-marker study: in the hub's form, or the same rows."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from inspect_confidence.datasets.question_sets import ITEMS, load_question_set
from inspect_confidence.datasets.questions import MMLU, Question, load_questions
from inspect_confidence.datasets.records import LETTERS, downloaded_records
from inspect_confidence.datasets.selection import Split

SHORTEST_ENTITY = 2
"""Characters that a subject or object of PopQA has at least."""

_RELATIONS = {
    "director": r"Who was the director of (.+)\?",
    "screenwriter": r"Who was the screenwriter for (.+)\?",
    "producer": r"Who was the producer of (.+)\?",
    "author": r"Who is the author of (.+)\?",
    "place of birth": r"In what city was (.+) born\?",
    "occupation": r"What is (.+)'s occupation\?",
}
"""The relations that the study asks, and how PopQA words them."""

_LABELLED: Mapping[Split, str] = {"train": "train", "test": "validation"}
"""What the hub calls the splits of data sets whose `test` has no labels, or isn't there."""

_YES_NO = ("Yes", "No")

_POPQA = "qa/popqa/test.tsv"
_SELFAWARE = "qa/SelfAware.json"
_SIMPLEQA = "qa/simpleqa/simple_qa_test_set.csv"
_TRUTHFULQA = "qa/TruthfulQA.csv"
_HALUEVAL = {
    "qa": ("qa_samples", "Question", "question", "Response", "answer"),
    "dialogue": ("dialogue_samples", "Dialogue", "dialogue_history", "Response", "response"),
    "summarization": ("summarization_samples", "Document", "document", "Summary", "summary"),
    "general": ("general", "Question", "user_query", "Response", "chatgpt_response"),
}
"""HaluEval's parts: file, and what is shown of a row: two headings with their columns."""
_MMLU_TRAIN = "qa/mmlu/auxiliary_train-00000-of-00001.parquet"
_SCIQ_TRAIN = "qa/sciq/train-00000-of-00001.parquet"
_AMBIGNQ = {split: f"qa/ambignq/{named}.parquet" for split, named in _LABELLED.items()}
_ARC = {split: f"qa/arc_challenge/{split}.parquet" for split in _LABELLED}
_WNLI = {split: f"qa/wnli/{named}.parquet" for split, named in _LABELLED.items()}


def _popqa(_: Split) -> Iterator[Question]:
    """Questions from a relation between two entities; those of other relations left out."""
    rows = downloaded_records(_POPQA)
    if isinstance(rows, dict):  # a copy without columns for relation and entities
        rows = map(_popqa_from_wording, [*rows["dev"], *rows["test"]])
    for row in rows:
        left_out = "" if row["prop"] in _RELATIONS else "another relation"
        if not left_out and min(len(row["subj"]), len(row["obj"])) < SHORTEST_ENTITY:
            left_out = f"an entity under {SHORTEST_ENTITY} characters"
        yield Question(
            id=f"popqa-{row['id']}",
            question=row["question"],
            answers=_distinct(json.loads(row["possible_answers"])),
            left_out=left_out,
        )


def _popqa_from_wording(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row without relation and entities; the object is the first of the accepted answers."""
    rest = {"question": row["input"], "possible_answers": row["output"]}
    for name, wording in _RELATIONS.items():
        if found := re.fullmatch(wording, row["input"]):
            obj = json.loads(row["output"])[0]
            return {"id": row["id"], "prop": name, "subj": found[1], "obj": obj, **rest}
    return {"id": row["id"], "prop": "", **rest}


def _selfaware(_: Split) -> Iterator[Question]:
    """Questions with an answer, and questions that nobody can answer."""
    for row in downloaded_records(_SELFAWARE)["example"]:
        yield Question(
            id=f"selfaware-{row['question_id']:04d}",
            question=row["question"],
            answers=_distinct(row["answer"] or ()),
            answerable=row["answerable"],
        )


def _simpleqa(_: Split) -> Iterator[Question]:
    """OpenAI's file; its copy has the same columns."""
    for number, row in enumerate(downloaded_records(_SIMPLEQA)):
        yield Question(
            id=f"simpleqa-{number:04d}", question=row["problem"], answers=(row["answer"],)
        )


def _halueval(_: Split) -> Iterator[Question]:
    """Whether a response or summary contains hallucination, yes or no."""
    for part, (name, given, first, said, second) in _HALUEVAL.items():
        for number, row in enumerate(downloaded_records(_halueval_file(name))):
            yield Question(
                id=f"halueval-{part}-{number:05d}",
                question=f"{given}: {row[first].strip()}\n{said}: {row[second].strip()}\n"
                f"Does the {said.lower()} contain hallucination? (yes or no)",
                answers=(row["hallucination"].strip().lower(),),
                part=part,
                fields={column: row[column].strip() for column in (first, second)},
            )


def _halueval_file(name: str) -> str:
    return f"qa/halueval/{name}.parquet"


def _truthfulqa(_: Split) -> Iterator[Question]:
    """The questions to be answered freely; every answer that counts as true."""
    for number, row in enumerate(downloaded_records(_TRUTHFULQA)):
        yield Question(
            id=f"truthfulqa-generation-{number:04d}",
            question=row["Question"],
            answers=_distinct([row["Best Answer"], *row["Correct Answers"].split(";")]),
        )


def _ambignq(split: Split) -> Iterator[Question]:
    """Questions with one answer as they are, of ambiguous ones each reading that annotators wrote.

    A question is ambiguous if no annotator gave it a single answer.
    """
    for row in downloaded_records(_AMBIGNQ[split]):
        single, readings = _annotated(row["annotations"])
        asked = [(row["question"], single[0])] if single else readings
        for number, (question, answers) in enumerate(asked):
            place = "" if single else f"-{number}"
            yield Question(
                id=f"ambignq-{row['id']}{place}", question=question, answers=_distinct(answers)
            )


def _annotated(annotations: Any) -> tuple[list[Any], list[tuple[str, Any]]]:
    """Annotators' single answers, each a list, and the readings with their answers, in order."""
    if isinstance(annotations, dict):  # the hub's form: lists of all annotations side by side
        sides = zip(*(annotations[name] for name in ("type", "answer", "qaPairs")), strict=True)
        notes = [
            {"type": kind, "answer": answer, "readings": zip(*_sides(pairs), strict=True)}
            for kind, answer, pairs in sides
        ]
    else:  # the authors' form: an object for each annotation and each reading
        notes = [
            {**note, "readings": (_sides(pair) for pair in note.get("qaPairs", ()))}
            for note in annotations
        ]
    single = [note["answer"] for note in notes if note["type"] == "singleAnswer"]
    return single, [(question, answers) for note in notes for question, answers in note["readings"]]


def _sides(pairs: Mapping[str, Any]) -> tuple[Any, Any]:
    return pairs["question"], pairs["answer"]


def _mmlu(split: Split) -> Iterator[Question]:
    """The test rows, and for `train` the auxiliary ones as the study has it."""
    if split == "test":
        yield from (replace(item, part="") for item in load_questions("mmlu", items=10**9).items)
        return
    for number, row in enumerate(downloaded_records(_MMLU_TRAIN)):
        yield Question(
            id=f"mmlu-auxiliary-{number:05d}",
            question=row["question"],
            choices=tuple(row["choices"]),
            target=LETTERS[int(row["answer"])],
        )


def _sciq(split: Split) -> Iterator[Question]:
    """The test rows as the calibration study published them, the training rows of the hub."""
    if split == "test":
        for item in load_question_set("sciq").items:
            yield Question(
                id=item.id, question=item.question, choices=item.options, target=item.target
            )
    else:
        for number, row in enumerate(downloaded_records(_SCIQ_TRAIN)):
            wrong = (row[f"distractor{place}"] for place in (1, 2, 3))
            yield Question(
                id=f"sciq-train-{number:05d}",
                question=row["question"],
                choices=(row["correct_answer"], *wrong),
                target="A",
            )


def _arc_challenge(split: Split) -> Iterator[Question]:
    """Three to five choices each; the source names them by letters or by numbers."""
    for row in downloaded_records(_ARC[split]):
        if isinstance(row["question"], str):
            question = row["question"]
            texts, labels = list(row["choices"]["text"]), list(row["choices"]["label"])
        else:
            question, choices = row["question"]["stem"], row["question"]["choices"]
            texts, labels = [[choice[key] for choice in choices] for key in ("text", "label")]
        yield Question(
            id=f"arc_challenge-{row['id']}",
            question=question,
            choices=tuple(texts),
            target=LETTERS[labels.index(row["answerKey"])],
        )


def _wnli(split: Split) -> Iterator[Question]:
    """Two sentences each; the second may follow from the first."""
    for row in downloaded_records(_WNLI[split]):
        premise, hypothesis = row["sentence1"].strip(), row["sentence2"].strip()
        yield Question(
            id=f"wnli-{split}-{row['idx']}",
            question=f"Premise: {premise}\nHypothesis: {hypothesis}"
            "\nDoes the premise entail the hypothesis?",
            choices=_YES_NO,
            target=_yes_no(row["label"]),
            fields={"p": premise, "h": hypothesis},
        )


def _superglue(split: Split) -> Iterator[Question]:
    """Four tasks in our wording; SuperGLUE has none."""
    for task in _SUPERGLUE:
        for row in downloaded_records(_superglue_file(task, split)):
            two = task == "copa"
            apart = ("passage", "question") if task == "boolq" else ()
            yield Question(
                id=f"superglue-{task}-{split}-{row['idx']}",
                question=_worded(task, {**row, **row.get("target", {})}),
                choices=(row["choice1"], row["choice2"]) if two else _YES_NO,
                target=LETTERS[int(row["label"])] if two else _yes_no(row["label"]),
                part=task,
                fields={name: row[name].strip() for name in apart},
            )


_SUPERGLUE = ("boolq", "copa", "wic", "wsc")
_COPA = {"cause": "What was the cause of this?", "effect": "What happened as a result?"}


def _superglue_file(task: str, split: Split) -> str:
    return f"qa/superglue/{task}_{_LABELLED[split]}.parquet"


def _worded(task: str, row: Mapping[str, Any]) -> str:
    """The question of a row of SuperGLUE, spans of its text among its columns."""
    match task:
        case "boolq":
            return f"{row['passage'].strip()}\n\n{row['question'].strip().removesuffix('?')}?"
        case "copa":
            asked = _COPA[row["question"]]
            return f"{row['premise'].strip()} {asked}"
        case "wic":
            asked = f'Does the word "{row["word"]}" have the same meaning in both sentences?'
            return f"1. {row['sentence1'].strip()}\n2. {row['sentence2'].strip()}\n{asked}"
    asked = f'does "{row["span2_text"]}" refer to "{row["span1_text"]}"?'
    return f"{row['text'].strip()}\n\nIn this text, {asked}"


def _yes_no(label: object) -> str:
    """The right letter of yes and no, from a label that is 1 or 0, true or false."""
    return {"1": "A", "true": "A", "0": "B", "false": "B"}[str(label).lower()]


def _distinct(answers: Iterable[str]) -> tuple[str, ...]:
    """Answers without blanks around them, each once, in order."""
    return tuple(dict.fromkeys(text for answer in answers if (text := str(answer).strip())))


@dataclass(frozen=True)
class Published:
    """A data set of the study: how a split of it is read, and its sources' names, all splits."""

    name: str
    read: Callable[[Split], Iterator[Question]]
    files: tuple[str, ...]
    splits: tuple[Split, ...] = ("train", "test")

    def questions(self, split: str) -> Iterator[Question]:
        """Those of one split or of `all` that it has, choices in the source's order."""
        for one in self.splits:
            if split in ("all", one):
                for item in self.read(one):
                    yield replace(item, split=one, dataset=self.name)


_ONE: tuple[Split, ...] = ("test",)

PUBLISHED: Mapping[str, Published] = {
    one.name: one
    for one in (
        Published("popqa", _popqa, (_POPQA,), _ONE),
        Published("selfaware", _selfaware, (_SELFAWARE,), _ONE),
        Published("simpleqa", _simpleqa, (_SIMPLEQA,), _ONE),
        Published(
            "halueval",
            _halueval,
            tuple(_halueval_file(name) for name, *_ in _HALUEVAL.values()),
            _ONE,
        ),
        Published("mmlu", _mmlu, (_MMLU_TRAIN, MMLU)),
        Published("sciq", _sciq, (_SCIQ_TRAIN, ITEMS["sciq"])),
        Published("arc_challenge", _arc_challenge, tuple(_ARC.values())),
        Published(
            "superglue",
            _superglue,
            tuple(_superglue_file(task, split) for task in _SUPERGLUE for split in _LABELLED),
        ),
        Published("ambignq", _ambignq, tuple(_AMBIGNQ.values())),
        Published("truthfulqa", _truthfulqa, (_TRUTHFULQA,), _ONE),
        Published("wnli", _wnli, tuple(_WNLI.values())),
    )
}
"""The study's data sets. One that its source doesn't split is all `test`."""
