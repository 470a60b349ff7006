"""Published data sets of the hedge-marker study, in the Hugging Face hub's form or the authors'."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from inspect_confidence.datasets.question_sets import ITEMS, load_question_set
from inspect_confidence.datasets.questions import MMLU, Question, load_questions
from inspect_confidence.datasets.records import LETTERS, downloaded_records
from inspect_confidence.datasets.selection import Split, passage_cluster

SHORTEST_ENTITY = 2
"""Minimum number of characters of PopQA's subjects and objects."""

_RELATIONS = {
    "director": r"Who was the director of (.+)\?",
    "screenwriter": r"Who was the screenwriter for (.+)\?",
    "producer": r"Who was the producer of (.+)\?",
    "author": r"Who is the author of (.+)\?",
    "place of birth": r"In what city was (.+) born\?",
    "occupation": r"What is (.+)'s occupation\?",
}
"""PopQA's wordings of the relations that the study asks about."""

_LABELLED: Mapping[Split, str] = {"train": "train", "test": "validation"}
"""The hub's split names for data sets whose `test` split is absent or has no labels."""

_YES_NO = ("Yes", "No")

_POPQA = "qa/popqa/test.tsv"
_SELFAWARE = "qa/SelfAware.json"
_SIMPLEQA = "qa/simpleqa/simple_qa_test_set.csv"
_SIMPLEQA_VERIFIED = "qa/simpleqa/simpleqa_verified.parquet"
_TRUTHFULQA = "qa/TruthfulQA.csv"
_HALUEVAL = {
    "qa": ("qa_samples", "Question", "question", "Response", "answer"),
    "dialogue": ("dialogue_samples", "Dialogue", "dialogue_history", "Response", "response"),
    "summarization": ("summarization_samples", "Document", "document", "Summary", "summary"),
    "general": ("general", "Question", "user_query", "Response", "chatgpt_response"),
}
"""HaluEval's parts: the file, then two headings, each followed by its column."""
_MMLU_TRAIN = "qa/mmlu/auxiliary_train-00000-of-00001.parquet"
_SCIQ_TRAIN = "qa/sciq/train-00000-of-00001.parquet"
_AMBIGNQ = {split: f"qa/ambignq/{hub_split}.parquet" for split, hub_split in _LABELLED.items()}
_ARC = {split: f"qa/arc_challenge/{split}.parquet" for split in _LABELLED}
_WNLI = {split: f"qa/wnli/{hub_split}.parquet" for split, hub_split in _LABELLED.items()}


def _popqa(_: Split) -> Iterator[Question]:
    """Yield PopQA's questions on relations of two entities; the split is ignored.

    Questions that the study leaves out have the reason in `left_out`.
    """
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
    """Add the relation and entities that the question's wording tells.

    Args:
        row: Row with the columns `id`, `input` (the question) and `output` (the accepted answers
            as JSON, of which the first one is the object of the relation).

    Returns:
        The row with the columns of the original file; `prop` is empty for an unknown wording.
    """
    cells = {"id": row["id"], "question": row["input"], "possible_answers": row["output"]}
    for name, wording in _RELATIONS.items():
        if match := re.fullmatch(wording, row["input"]):
            obj = json.loads(row["output"])[0]
            return {**cells, "prop": name, "subj": match[1], "obj": obj}
    return {**cells, "prop": ""}


def _selfaware(_: Split) -> Iterator[Question]:
    """Yield SelfAware's questions, of which nobody can answer some; the split is ignored."""
    for row in downloaded_records(_SELFAWARE)["example"]:
        yield Question(
            id=f"selfaware-{row['question_id']:04d}",
            question=row["question"],
            answers=_distinct(row["answer"] or ()),
            answerable=row["answerable"],
        )


def _simpleqa(_: Split) -> Iterator[Question]:
    """Yield the questions of SimpleQA, which has no splits; the argument is ignored."""
    for number, row in enumerate(downloaded_records(_SIMPLEQA)):
        yield Question(
            id=f"simpleqa-{number:04d}", question=row["problem"], answers=(row["answer"],)
        )


def simpleqa_verified() -> Iterator[Question]:
    """Yield the questions of SimpleQA Verified, which no study here but `decisions` asks."""
    for number, row in enumerate(downloaded_records(_SIMPLEQA_VERIFIED)):
        yield Question(
            id=f"simpleqa_verified-{number:04d}", question=row["problem"], answers=(row["answer"],)
        )


def _halueval(_: Split) -> Iterator[Question]:
    """Yield HaluEval's questions whether a response or summary is made up; the split is ignored.

    A question shows two columns of a row, each under a title: the source, and the output to judge.
    """
    for part, (name, source_title, source, output_title, output) in _HALUEVAL.items():
        for number, row in enumerate(downloaded_records(_halueval_file(name))):
            yield Question(
                id=f"halueval-{part}-{number:05d}",
                question=f"{source_title}: {row[source].strip()}\n"
                f"{output_title}: {row[output].strip()}\n"
                f"Does the {output_title.lower()} contain hallucination? (yes or no)",
                answers=(row["hallucination"].strip().lower(),),
                part=part,
                fields={column: row[column].strip() for column in (source, output)},
            )


def _halueval_file(name: str) -> str:
    return f"qa/halueval/{name}.parquet"


def _truthfulqa(_: Split) -> Iterator[Question]:
    """Yield TruthfulQA's questions with all true answers; the argument, a split, is ignored."""
    for number, row in enumerate(downloaded_records(_TRUTHFULQA)):
        yield Question(
            id=f"truthfulqa-generation-{number:04d}",
            question=row["Question"],
            answers=_distinct([row["Best Answer"], *row["Correct Answers"].split(";")]),
        )


def _ambignq(split: Split) -> Iterator[Question]:
    """Yield unambiguous questions, and of an ambiguous question each reading of the annotators.

    A question is ambiguous if no annotator gave it a single answer; otherwise the first annotator's
    single answer is used.
    """
    for row in downloaded_records(_AMBIGNQ[split]):
        single, readings = _parse_annotations(row["annotations"])
        questions = [(row["question"], single[0])] if single else readings
        for number, (question, answers) in enumerate(questions):
            id_ending = "" if single else f"-{number}"
            yield Question(
                id=f"ambignq-{row['id']}{id_ending}", question=question, answers=_distinct(answers)
            )


def _parse_annotations(annotations: Any) -> tuple[list[Any], list[tuple[str, Any]]]:
    """Return the answers of annotators who gave a single one, and all readings of the question.

    A single answer is a list of spellings; a reading is a clearer question with its answers.
    """
    single: list[Any] = []
    readings: list[tuple[str, Any]] = []
    if isinstance(annotations, dict):  # the hub's form: parallel lists, one entry an annotation
        columns = annotations["type"], annotations["answer"], annotations["qaPairs"]
        for kind, answer, pairs in zip(*columns, strict=True):
            if kind == "singleAnswer":
                single.append(answer)
            readings.extend(zip(pairs["question"], pairs["answer"], strict=True))
        return single, readings
    for annotation in annotations:  # the authors' form: an object for each annotation and reading
        if annotation["type"] == "singleAnswer":
            single.append(annotation["answer"])
        for pair in annotation.get("qaPairs", ()):
            readings.append((pair["question"], pair["answer"]))
    return single, readings


def _mmlu(split: Split) -> Iterator[Question]:
    """Yield MMLU's test rows, or for `train` the auxiliary rows, as in the study."""
    if split == "test":
        # All items, not only 1,000; without `part`, by which items would be balanced.
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
    """Yield SciQ's test rows as the calibration study published them, or its training rows."""
    if split == "test":
        for item in load_question_set("sciq").items:
            yield Question(
                id=item.id, question=item.question, choices=item.options, target=item.target
            )
        return
    for number, row in enumerate(downloaded_records(_SCIQ_TRAIN)):
        wrong_choices = (row["distractor1"], row["distractor2"], row["distractor3"])
        # The right choice is first here, and shuffled with the others when it is asked.
        yield Question(
            id=f"sciq-train-{number:05d}",
            question=row["question"],
            choices=(row["correct_answer"], *wrong_choices),
            target="A",
        )


def _arc_challenge(split: Split) -> Iterator[Question]:
    """Yield ARC's questions with three to five choices, labelled by letters or by numbers."""
    for row in downloaded_records(_ARC[split]):
        if isinstance(row["question"], str):  # the hub's form; the original has objects
            question = row["question"]
            texts, labels = list(row["choices"]["text"]), list(row["choices"]["label"])
        else:
            question, choices = row["question"]["stem"], row["question"]["choices"]
            texts = [choice["text"] for choice in choices]
            labels = [choice["label"] for choice in choices]
        yield Question(
            id=f"arc_challenge-{row['id']}",
            question=question,
            choices=tuple(texts),
            target=LETTERS[labels.index(row["answerKey"])],
        )


def _wnli(split: Split) -> Iterator[Question]:
    """Yield WNLI's questions whether one sentence entails another."""
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
    """Yield questions of four tasks in this project's wording, since SuperGLUE has none."""
    for task in _SUPERGLUE:
        for row in downloaded_records(_superglue_file(task, split)):
            item = Question(
                id=f"superglue-{task}-{split}-{row['idx']}",
                # WSC's spans are in `target`.
                question=_question_text(task, {**row, **row.get("target", {})}),
                choices=_YES_NO,
                target="",
                part=task,
            )
            if task == "copa":
                choices = (row["choice1"], row["choice2"])
                yield replace(item, choices=choices, target=LETTERS[int(row["label"])])
                continue
            item = replace(item, target=_yes_no(row["label"]))
            if task == "boolq":
                passage, question = row["passage"].strip(), row["question"].strip()
                fields = {"passage": passage, "question": question}
                item = replace(item, cluster=passage_cluster(passage), fields=fields)
            yield item


_SUPERGLUE = ("boolq", "copa", "wic", "wsc")
_COPA = {"cause": "What was the cause of this?", "effect": "What happened as a result?"}


def _superglue_file(task: str, split: Split) -> str:
    return f"qa/superglue/{task}_{_LABELLED[split]}.parquet"


def _question_text(task: str, row: Mapping[str, Any]) -> str:
    """Return the question of a row of one of SuperGLUE's tasks: boolq, copa, wic or wsc."""
    match task:
        case "boolq":
            return f"{row['passage'].strip()}\n\n{row['question'].strip().removesuffix('?')}?"
        case "copa":
            question = _COPA[row["question"]]
            return f"{row['premise'].strip()} {question}"
        case "wic":
            question = f'Does the word "{row["word"]}" have the same meaning in both sentences?'
            return f"1. {row['sentence1'].strip()}\n2. {row['sentence2'].strip()}\n{question}"
    question = f'does "{row["span2_text"]}" refer to "{row["span1_text"]}"?'
    return f"{row['text'].strip()}\n\nIn this text, {question}"


def _yes_no(label: object) -> str:
    """Return the letter of the right choice from a label: 1 or true is yes, 0 or false is no."""
    return {"1": "A", "true": "A", "0": "B", "false": "B"}[str(label).lower()]


def _distinct(answers: Iterable[str]) -> tuple[str, ...]:
    """Return the answers in order, stripped, without empty ones and repetitions."""
    return tuple(dict.fromkeys(filter(None, map(str.strip, map(str, answers)))))


@dataclass(frozen=True)
class Published:
    """A published data set of the study.

    Attributes:
        name: Name of the data set.
        read: Reader of the questions of one split.
        files: Names of the sources of all splits.
        splits: Splits that the data set has.
    """

    name: str
    read: Callable[[Split], Iterator[Question]]
    files: tuple[str, ...]
    splits: tuple[Split, ...] = ("train", "test")

    def questions(self, split: str) -> Iterator[Question]:
        """Yield the data set's questions of one or `all` splits, choices in the source's order."""
        for name in self.splits:
            if split in ("all", name):
                for item in self.read(name):
                    yield replace(item, split=name, dataset=self.name)


_TEST_ONLY: tuple[Split, ...] = ("test",)

_HALUEVAL_FILES = tuple(_halueval_file(name) for name, *_ in _HALUEVAL.values())
_SUPERGLUE_FILES = tuple(_superglue_file(*part) for part in product(_SUPERGLUE, _LABELLED))

_DATA_SETS = (
    Published("popqa", _popqa, (_POPQA,), _TEST_ONLY),
    Published("selfaware", _selfaware, (_SELFAWARE,), _TEST_ONLY),
    Published("simpleqa", _simpleqa, (_SIMPLEQA,), _TEST_ONLY),
    Published("halueval", _halueval, _HALUEVAL_FILES, _TEST_ONLY),
    Published("mmlu", _mmlu, (_MMLU_TRAIN, MMLU)),
    Published("sciq", _sciq, (_SCIQ_TRAIN, ITEMS["sciq"])),
    Published("arc_challenge", _arc_challenge, tuple(_ARC.values())),
    Published("superglue", _superglue, _SUPERGLUE_FILES),
    Published("ambignq", _ambignq, tuple(_AMBIGNQ.values())),
    Published("truthfulqa", _truthfulqa, (_TRUTHFULQA,), _TEST_ONLY),
    Published("wnli", _wnli, tuple(_WNLI.values())),
)

PUBLISHED: Mapping[str, Published] = {dataset.name: dataset for dataset in _DATA_SETS}
"""The study's data sets by name. A data set without splits at its source is all `test`."""
