"""The hedge-marker study's questions: as published, in the hub's form, bundled, a user's own."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import resources
from itertools import chain, product
from operator import itemgetter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from build import (
    attributes_of,
    by_id,
    column_of,
    entries_of,
    map_values,
    numbered,
    parse_jsonl,
    record_table,
    rows_by,
    rows_with,
)
from inspect_confidence import DataUnavailable
from inspect_confidence.datasets.cache import SOURCES
from inspect_confidence.datasets.hedge_markers import load_marker_questions
from inspect_confidence.datasets.questions import Question
from inspect_confidence.datasets.selection import Selection
from refusals import refused

BUNDLED = ("facts", "science", "commonsense")
SINGLE = ("popqa", "selfaware", "simpleqa", "halueval", "truthfulqa")
POPQA_STARTS = (
    "Who was the director of ",
    "Who was the screenwriter for ",
    "Who was the producer of ",
    "Who is the author of ",
)
POPQA_ENDS = (" born?", "'s occupation?")


def short_answers(item: Question) -> tuple[str, set[str]]:
    """Question and accepted answers of an item without choices."""
    assert (item.kind, item.choices) == ("short", ())
    assert len(set(item.answers)) == len(item.answers)
    return item.question, set(item.answers)


def right_choice(item: Question) -> str:
    """The right choice, found by its letter and by its text."""
    text, bracketed, letter = item.answers
    assert item.kind == "choices"
    assert bracketed == f"({letter})"
    assert item.choices["ABCDE".index(letter)] == text
    return text


def lines(path: Path) -> list[Any]:
    """The objects of a jsonl file."""
    return parse_jsonl(path.read_text(encoding="utf-8"))


def table(path: Path) -> list[dict[str, str]]:
    """The rows of a csv file."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


# Short answers


def test_popqa_asks_six_relations_and_counts_the_others(published: Path) -> None:
    """Director to occupation; a subject such as `Z` is dropped; both are counted."""
    subset = json.loads((published / "qa" / "popqa_subset.json").read_text(encoding="utf-8"))
    rows = {f"popqa-{row['id']}": row for row in subset["dev"] + subset["test"]}
    texts = pd.DataFrame.from_dict(rows, orient="index")["input"]
    asks_relation = texts.str.startswith(POPQA_STARTS) | texts.str.endswith(POPQA_ENDS)
    is_tiny = texts.str[:-1].str.split(" of ").str[-1].isin(list("DFHKQZ"))
    is_tiny = asks_relation & (is_tiny | texts.str.endswith("for F?"))
    assert (len(rows), asks_relation.sum(), is_tiny.sum()) == (2000, 1168, 6)
    selection = load_marker_questions("popqa", split="test")
    items_by_id = by_id(selection.items)
    assert items_by_id.keys() == set(texts.index[asks_relation & ~is_tiny])
    assert selection.excluded == {"another relation": 832, "an entity under 2 characters": 6}
    assert selection.name == "popqa"
    for name, item in items_by_id.items():
        assert short_answers(item) == (rows[name]["input"], set(json.loads(rows[name]["output"])))
        assert (item.dataset, item.split, item.answerable) == ("popqa", "test", True)


SHORT: Mapping[str, tuple[str, int, str, str, Callable[[Any], Iterable[str]]]] = {
    "selfaware": (
        "qa/SelfAware.json",
        3369,
        "{question_id:04d}",
        "question",
        lambda row: row["answer"] or (),
    ),
    "simpleqa": (
        "qa/simple_qa_test_set.csv",
        4326,
        "{number:04d}",
        "problem",
        lambda row: [row["answer"]],
    ),
    "truthfulqa": (
        "qa/TruthfulQA.csv",
        817,
        "generation-{number:04d}",
        "Question",
        lambda row: [row["Best Answer"], *row["Correct Answers"].split(";")],
    ),
}
"""By set: its file, how many rows, their ids, the question's column, and the accepted answers."""


def test_short_answers_are_those_of_the_published_files(published: Path) -> None:
    """Each row is an item, by its id or place, with its question and all accepted answers."""
    # Of SelfAware 1,032 accept none, so that declining is right; of TruthfulQA the best answer is
    # the first.
    for name, (file, count, ids, question, accepted) in SHORT.items():
        path = published / file
        rows: Any = table(path) if path.suffix == ".csv" else json.loads(path.read_text("utf-8"))
        rows = rows["example"] if name == "selfaware" else rows
        items_by_id = by_id(load_marker_questions(name, split="test").items)
        assert len(items_by_id) == len(rows) == count, name
        for number, row in enumerate(rows):
            item = items_by_id[f"{name}-{ids.format(**{**row, 'number': number})}"]
            texts = list(filter(None, map(str.strip, accepted(row))))
            assert short_answers(item) == (row[question], set(texts)), item
            assert item.answerable == row.get("answerable", True) == bool(item.answers), item
            assert name != "truthfulqa" or item.answers[0] == texts[0]
        unanswerable = attributes_of(items_by_id.values(), "answerable").count(False)
        assert unanswerable == (1032 if name == "selfaware" else 0), name


def test_ambignq_asks_each_reading(published: Path) -> None:
    """One answer where an annotator gave one; else all disambiguated questions of all of them."""
    rows = json.loads((published / "qa" / "ambigqa_dev_light.json").read_text("utf-8"))
    expected: dict[str, tuple[str, set[str]]] = {}
    for row in rows:
        notes = row["annotations"]
        single = column_of(rows_with(notes, type="singleAnswer"), "answer")
        if single:
            expected[f"ambignq-{row['id']}"] = (row["question"], set(map(str.strip, single[0])))
            continue
        pairs = chain.from_iterable(column_of(notes, "qaPairs"))
        for number, pair in enumerate(pairs):
            answers = set(map(str.strip, pair["answer"]))
            expected[f"ambignq-{row['id']}-{number}"] = (pair["question"], answers)
    # 1,000 of 2,002 questions have a single answer; the other 1,002 are 4,414 readings.
    assert len(expected) == 1000 + 4414
    items_by_id = by_id(load_marker_questions("ambignq", split="test", items=10_000).items)
    assert map_values(short_answers, items_by_id) == expected


# Choices


@pytest.mark.slow
def test_mmlu_draws_5000_and_more_on_request(published: Path) -> None:
    """Of 14,042; a count goes beyond, its front being the same; the right choice is the row's."""
    rows = table(published / "qa" / "mmlu" / "test_all.csv")
    rows_by_id: dict[str, dict[str, str]] = {}
    place: Counter[str] = Counter()
    for row in rows:
        place[row["subject"]] += 1
        rows_by_id[f"mmlu-{row['subject']}-{place[row['subject']]:04d}"] = row
    selection = load_marker_questions("mmlu", split="test")
    assert len(by_id(selection.items)) == 5000
    assert selection.excluded == {"not drawn": len(rows) - 5000}
    for item in selection.items:
        row = rows_by_id[item.id]
        assert item.question == row["question"]
        assert sorted(item.choices) == sorted(entries_of(row, "ABCD").values())
        assert item.answers[0] == row[row["answer"]]
        if len(item.answers) == 3:
            right_choice(item)
    more = load_marker_questions("mmlu", split="test", items="6,000")
    assert list(more.items)[:5000] == list(selection.items)
    assert (len(more.items), more.excluded) == (6000, {})


def test_sciq_is_the_published_test_file(published: Path) -> None:
    """1,000 questions with four choices."""
    rows = table(published / "question_sets" / "items" / "sciq_test.csv")
    items_by_id = by_id(load_marker_questions("sciq", split="test").items)
    assert len(items_by_id) == len(rows) == 1000
    for row in rows:
        item = items_by_id[f"sciq-{row['Question ID']}"]
        assert item.question == row["Question"]
        assert sorted(item.choices) == sorted(row[f"Option {letter}"] for letter in "ABCD")
        assert item.answers[0] == row[f"Option {row['Correct Answer Letter']}"]


def test_arc_has_three_to_five_choices(published: Path) -> None:
    """1,172 questions, labelled by letters or numbers at the source, always by letters here."""
    rows = {
        f"arc_challenge-{row['id']}": row
        for row in lines(published / "qa" / "arc_challenge_test.jsonl")
    }
    items_by_id = by_id(load_marker_questions("arc_challenge", split="test").items)
    assert items_by_id.keys() == rows.keys()
    assert len(rows) == 1172
    choice_counts = record_table(items_by_id.values())["choices"].str.len()
    assert choice_counts.value_counts().to_dict() == {4: 1165, 3: 4, 5: 3}
    for name, row in rows.items():
        offered = map_values(itemgetter("text"), rows_by(row["question"]["choices"], "label"))
        assert items_by_id[name].question == row["question"]["stem"]
        assert sorted(items_by_id[name].choices) == sorted(offered.values())
        assert items_by_id[name].answers[0] == offered[row["answerKey"]]


SUPERGLUE_TEXTS = {
    "boolq": ["passage", "question"],
    "copa": ["premise"],
    "wic": ["sentence1", "sentence2", "word"],
    "wsc": ["text"],
}
"""By task, the columns whose texts a question contains."""


def test_superglue_asks_four_tasks_equally(published: Path) -> None:
    """All validation rows, test labels being secret; tasks take turns as long as they last."""
    files = {
        "boolq": lines(published / "qa" / "boolq_validation.jsonl"),
        "copa": lines(published / "qa" / "COPA_val.jsonl"),
        "wic": lines(published / "qa" / "WiC_val.jsonl"),
        "wsc": lines(published / "qa" / "WSC_val.jsonl"),
    }
    selection = load_marker_questions("superglue", split="test")
    items_by_id = by_id(selection.items)
    items = record_table(selection.items)
    assert items["part"].value_counts().to_dict() == map_values(len, files)
    assert set(items["dataset"]) == {"superglue"}
    for place in range(1, 100):
        assert set(items["part"][: 4 * place].value_counts()) == {place}
    for task, rows in files.items():
        for row in rows:
            item = items_by_id[f"superglue-{task}-test-{row['idx']}"]
            if task == "copa":
                assert right_choice(item) == row[f"choice{row['label'] + 1}"]
                assert sorted(item.choices) == sorted([row["choice1"], row["choice2"]])
            else:
                assert right_choice(item) == {"true": "Yes", "false": "No"}[row["label"]]
                assert sorted(item.choices) == ["No", "Yes"]
            for column in SUPERGLUE_TEXTS[task]:
                assert row[column].strip() in item.question
    cause = items_by_id["superglue-copa-test-4"]
    assert cause.question == "The hamburger meat browned. What was the cause of this?"
    pronoun = items_by_id["superglue-wsc-test-0"].question
    assert pronoun.endswith('In this text, does "him" refer to "anyone"?')


@pytest.mark.usefixtures("published")
def test_choices_are_shuffled_by_the_seed_and_answers_follow() -> None:
    """One seed gives one order, whichever items are asked; each place is right as often."""
    first = load_marker_questions("science,arc_challenge", split="test", seed=3)
    repeated_selection = load_marker_questions(
        "science,arc_challenge", split="test", seed=3, items=40
    )
    assert list(repeated_selection.items) == list(first.items)[:40]
    assert repeated_selection.fingerprint == first.fingerprint
    other_seed = load_marker_questions("science,arc_challenge", split="test", seed=4)
    assert other_seed.fingerprint != first.fingerprint
    assert ids(other_seed) != ids(first)
    other_items = by_id(other_seed.items)
    assert other_items.keys() == by_id(first.items).keys()
    moved = [item.choices != other_items[item.id].choices for item in first.items]
    assert sum(moved) > 0.9 * len(moved)  # of 24 orders, one is the same
    letters = []
    for item in first.items:
        if len(item.choices) == 4:
            assert right_choice(item) == right_choice(other_items[item.id])
            letters.append(item.answers[2])
    shares = pd.Series(letters).value_counts(normalize=True)[list("ABCD")]
    spread = 4 * (3 / 16 / len(letters)) ** 0.5
    assert (shares - 1 / 4).abs().max() < spread


# The hub's form


def ids(selection: Selection[Question]) -> list[str]:
    """The ids of the items, in their order."""
    return attributes_of(selection.items, "id")


def put(folder: Path, name: str, columns: pd.DataFrame | Mapping[str, object]) -> None:
    """A file of the hub in the cache folder."""
    path = folder / "qa" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(columns).to_parquet(path, index=False)


def unpinned(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> Path:
    """The place of a source that from now on takes any bytes."""
    source = SOURCES[f"qa/{name}"]
    monkeypatch.setitem(SOURCES, source.name, replace(source, sha256=None))
    (folder / source.name).parent.mkdir(parents=True, exist_ok=True)
    return folder / source.name


POPQA_FIELDS = ("id", "subj", "prop", "obj", "question", "possible_answers")


def test_popqas_published_file_drops_other_relations_and_short_entities(
    offline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The relation is a column; a short subject or object is dropped, two characters are enough."""
    path = unpinned(offline, monkeypatch, "popqa/test.tsv")
    rows = [
        (1, "It", "director", "Ai", "Who was the director of It?", '["Ai", "A \\"B\\" C"]'),
        (2, "Z", "producer", "Someone", "Who was the producer of Z?", '["Someone"]'),
        (3, "Emma", "author", "J", "Who is the author of Emma?", '["J"]'),
        (4, "Utah", "capital", "Salt Lake City", "What is the capital of Utah?", '["SLC"]'),
        (5, "Emma", "occupation", "nurse", "What is Emma's occupation?", '["nurse", "carer"]'),
        (6, "Emma", "place of birth", "Ulm", "In what city was Emma born?", '["Ulm"]'),
        (7, "Emma", "screenwriter", "Jo", "Who was the screenwriter for Emma?", '["Jo"]'),
    ]
    pd.DataFrame(rows, columns=list(POPQA_FIELDS)).to_csv(path, sep="\t", index=False)
    selection = load_marker_questions("popqa", split="all")
    assert selection.excluded == {"another relation": 1, "an entity under 2 characters": 2}
    items = record_table(selection.items).set_index("id")
    assert items["answers"].to_dict() == {
        "popqa-1": ("Ai", 'A "B" C'),
        "popqa-5": ("nurse", "carer"),
        "popqa-6": ("Ulm",),
        "popqa-7": ("Jo",),
    }
    assert set(items["split"]) == {"test"}


def test_simpleqas_published_csv_is_read(offline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenAI's csv, whose metadata are Python text."""
    path = unpinned(offline, monkeypatch, "simpleqa/simple_qa_test_set.csv")
    row = {"metadata": "{'topic': 'Art', 'urls': ['a', 'b']}", "problem": "Who?", "answer": "She"}
    pd.DataFrame([row]).to_csv(path, index=False)
    (item,) = load_marker_questions("simpleqa", split="test").items
    assert short_answers(item) == ("Who?", {"She"})


def test_ambignqs_hub_form_gives_each_reading_in_two_splits(offline: Path) -> None:
    """Annotations are lists side by side; train and validation are two files."""
    readings = {"question": ["a?", "b?"], "answer": [["two"], ["three", "one"]]}
    none: dict[str, list[object]] = {"question": [], "answer": []}
    both_types = {
        "type": ["multipleQAs", "singleAnswer"],
        "answer": [[], ["one", "1"]],
        "qaPairs": [readings, none],
    }
    several = {"type": ["multipleQAs"] * 2, "answer": [[], []], "qaPairs": [readings] * 2}
    annotations = pd.Series([both_types, several])
    for split, name in (("train", "train"), ("test", "validation")):
        rows = pd.DataFrame({"id": [f"{split}0", f"{split}1"], "question": "How many?"})
        put(offline, f"ambignq/{name}.parquet", rows.assign(annotations=annotations))
    items_by_id = by_id(load_marker_questions("ambignq", split="all").items)
    expected = {
        "0": ("How many?", {"one", "1"}),
        "1-0": ("a?", {"two"}),
        "1-1": ("b?", {"three", "one"}),
        "1-2": ("a?", {"two"}),
        "1-3": ("b?", {"three", "one"}),
    }
    assert len(items_by_id) == 2 * len(expected)
    for split, (name, question) in product(("train", "test"), expected.items()):
        item = items_by_id[f"ambignq-{split}{name}"]
        assert (short_answers(item), item.split) == (question, split)


def test_halueval_asks_whether_it_is_hallucinated(offline: Path) -> None:
    """Four parts by turns, answered yes or no; a summary is called a summary."""
    columns = {
        "qa_samples": ("question", "answer"),
        "dialogue_samples": ("dialogue_history", "response"),
        "summarization_samples": ("document", "summary"),
        "general": ("user_query", "chatgpt_response"),
    }
    for name, (context_name, reply_name) in columns.items():
        texts = {context_name: [f" {name} 0\n", f" {name} 1\n"], reply_name: ["said 0", "said 1"]}
        put(offline, f"halueval/{name}.parquet", {**texts, "hallucination": ["yes", "no"]})
    selection = load_marker_questions("halueval", split="test")
    headings = {
        "qa": ("Question", "Response"),
        "dialogue": ("Dialogue", "Response"),
        "summarization": ("Document", "Summary"),
        "general": ("Question", "Response"),
    }
    items_by_id = by_id(selection.items)
    assert len(items_by_id) == 8
    files_and_parts = zip(columns, headings.items(), strict=True)
    for (name, (part, (context_name, reply_name))), n in product(files_and_parts, range(2)):
        assert short_answers(items_by_id[f"halueval-{part}-{n:05d}"]) == (
            f"{context_name}: {name} {n}\n{reply_name}: said {n}\n"
            f"Does the {reply_name.lower()} contain hallucination? (yes or no)",
            {("yes", "no")[n]},
        )
    items = record_table(selection.items)
    assert set(items["part"][:4]) == set(headings)
    assert items["answerable"].all()


def test_arcs_hub_form_is_read_one_split_at_a_time(offline: Path) -> None:
    """Texts and labels are two lists; a split is a file, and only the one that is asked is read."""
    labels = ["ABCD", "1234"] * 4
    columns = {
        "id": numbered("Q", 8),
        "question": "Which?",
        "choices": [{"text": list("wxyz"), "label": list(four)} for four in labels],
        "answerKey": list("A2C4A2C4"),
    }
    put(offline, "arc_challenge/train.parquet", columns)
    items_by_id = by_id(load_marker_questions("arc_challenge", split="train").items)
    assert len(items_by_id) == 8
    for number in range(8):
        item = items_by_id[f"arc_challenge-Q{number}"]
        assert (right_choice(item), item.split) == ("wxyz"[number % 4], "train")
    with pytest.raises(DataUnavailable, match=r"ARC-Challenge/test-00000-of-00001\.parquet"):
        load_marker_questions("arc_challenge", split="all")


def test_wnlis_hub_form_reads_entailment_as_yes(offline: Path) -> None:
    """Entailment is yes."""
    columns = {"sentence1": "It was he.", "sentence2": "He it was.", "label": [0, 1], "idx": [0, 1]}
    for name in ("train", "validation"):
        put(offline, f"wnli/{name}.parquet", columns)
    items_by_id = by_id(load_marker_questions("wnli", split="all").items)
    assert {name: (right_choice(item), item.split) for name, item in items_by_id.items()} == {
        "wnli-train-0": ("No", "train"),
        "wnli-train-1": ("Yes", "train"),
        "wnli-test-0": ("No", "test"),
        "wnli-test-1": ("Yes", "test"),
    }
    assert items_by_id["wnli-test-0"].question == (
        "Premise: It was he.\nHypothesis: He it was.\nDoes the premise entail the hypothesis?"
    )


SUPERGLUE_ROWS: dict[str, dict[str, object]] = {
    "boolq": {"question": "is it", "passage": "It is.", "label": 1},
    "copa": {
        "premise": "It fell.",
        "choice1": "He let go.",
        "choice2": "He sang.",
        "question": "cause",
        "label": 0,
    },
    "wic": {"word": "bank", "sentence1": "A bank.", "sentence2": "The banks.", "label": 0},
    "wsc": {
        "text": "Mark told Pete about himself.",
        "span1_index": 0,
        "span2_index": 4,
        "span1_text": "Mark",
        "span2_text": "himself",
        "label": 1,
    },
}


def test_superglues_hub_form_is_read_by_task_and_split(offline: Path) -> None:
    """Each task a file, labels numbers, the pronoun's and its name's columns not nested."""
    for (task, row), name in product(SUPERGLUE_ROWS.items(), ("train", "validation")):
        columns = {**row, "idx": range(3)}
        put(offline, f"superglue/{task}_{name}.parquet", columns)
    selection = load_marker_questions("superglue", split="all")
    answers = {"boolq": "Yes", "copa": "He let go.", "wic": "No", "wsc": "Yes"}
    assert len(selection.items) == 24
    for item in selection.items:
        assert right_choice(item) == answers[item.part]
    items = record_table(selection.items)
    for turn in (items[:8], items[8:16]):
        assert not turn.duplicated(["part", "split"]).any()
    items_by_id = by_id(selection.items)
    assert items_by_id["superglue-boolq-train-0"].question == "It is.\n\nis it?"


def test_train_rows_of_mmlu_and_sciq_have_their_right_choice(
    offline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MMLU's auxiliary rows, and SciQ's with its distractors."""
    columns = {
        "question": [f"{n}?" for n in range(6000)],
        "subject": "",
        "choices": [[f"{n}w", f"{n}x", f"{n}y", f"{n}z"] for n in range(6000)],
        "answer": [0, 1, 2, 3] * 1500,
    }
    put(offline, "mmlu/auxiliary_train-00000-of-00001.parquet", columns)
    selection = load_marker_questions("mmlu", split="train")
    assert (len(selection.items), selection.excluded) == (5000, {"not drawn": 1000})
    for item in selection.items:
        number = int(item.question[:-1])
        assert right_choice(item) == f"{number}{'wxyz'[number % 4]}"
    row = {"question": "Q?", "correct_answer": "r", "support": ""}
    wrong = {"distractor3": "c3", "distractor1": "c1", "distractor2": "c2"}
    train = "sciq/train-00000-of-00001.parquet"
    unpinned(offline, monkeypatch, train)
    put(offline, train, pd.DataFrame([{**row, **wrong}] * 2))
    for item in load_marker_questions("sciq", split="train").items:
        assert right_choice(item) == "r"
        assert sorted(item.choices) == ["c1", "c2", "c3", "r"]


# Bundled, and what is common to all


def bundled_rows(name: str) -> list[Any]:
    """The rows of a bundled file."""
    path = resources.files("inspect_confidence.datasets") / "bundled" / f"{name}.jsonl"
    return parse_jsonl(path.read_text(encoding="utf-8"))


def test_a_bundled_set_equals_its_file_in_equal_halves(offline: Path) -> None:
    """208 items, half of them in each split, with no network."""
    for name in BUNDLED:
        rows = bundled_rows(name)
        selection = load_marker_questions(name, split="all")
        items_by_id = by_id(selection.items)
        assert (len(items_by_id), selection.name) == (208, name)
        splits = record_table(selection.items)["split"]
        assert splits.value_counts().to_dict() == {"train": 104, "test": 104}, name
        for row in rows:
            item = items_by_id[row["id"]]
            assert (item.question, item.split, item.dataset) == (
                row["question"],
                row["split"],
                name,
            )
            if "choices" in row:
                assert item.answers[0] == row["choices"][row["answer"]], name
                assert sorted(item.choices) == sorted(row["choices"]), name
            else:
                assert short_answers(item)[1] == set(row["answers"]), name


@pytest.mark.usefixtures("offline")
def test_any_prefix_is_balanced_over_data_sets() -> None:
    """The bundled sets take turns, and within `all` the splits do."""
    for split in ["train", "test", "all"]:
        selection = load_marker_questions("bundled", split=split)
        assert selection.name == "bundled", split
        assert len(selection.items) == (624 if split == "all" else 312)
        items = record_table(selection.items)
        assert split == "all" or set(items["split"]) == {split}
        counts = pd.get_dummies(items["dataset"], dtype=int)[[*BUNDLED]].cumsum()
        assert (counts.max(axis=1) - counts.min(axis=1)).max() <= 1, split
        if split == "all":
            for _, rows in items.groupby("dataset"):
                first, second = rows["split"].to_numpy().reshape(-1, 2).T
                assert set(first) | set(second) == {"train", "test"}
                assert (first != second).all()
        ten = load_marker_questions("bundled", split=split, items=10)
        assert list(ten.items) == list(selection.items)[:10], split
        assert ten.fingerprint == selection.fingerprint, split


@pytest.mark.usefixtures("published")
def test_several_data_sets_take_turns_under_joined_names() -> None:
    """Names are joined; a small set ends, the others go on; a list is as good as commas."""
    selection = load_marker_questions("popqa, truthfulqa,facts", split="all")
    assert selection.name == "popqa+truthfulqa+facts"
    datasets = record_table(selection.items)["dataset"]
    counts = {"popqa": 1162, "truthfulqa": 817, "facts": 208}
    assert datasets.value_counts().to_dict() == counts
    assert set(datasets[:624].value_counts()) == {208}
    repeated_selection = load_marker_questions(["popqa", "truthfulqa", "facts"], split="all")
    assert list(repeated_selection.items) == list(selection.items)
    assert repeated_selection.fingerprint == selection.fingerprint
    other_seed = load_marker_questions("popqa,truthfulqa,facts", split="all", seed=1)
    # Without choices a seed changes the order only.
    assert other_seed.fingerprint == selection.fingerprint
    assert ids(other_seed) != ids(selection)


@pytest.mark.usefixtures("offline")
def test_ids_outside_the_split_and_unknown_sets_are_refused(offline: Path) -> None:
    """A file of ids of the split; else the value and the remedy, before a download."""
    (train,) = load_marker_questions("facts", split="train", items=1).items
    (test,) = load_marker_questions("facts", split="test", items=1).items
    (offline / "ids.txt").write_text(f"{test.id}\n", "utf-8")
    assert load_marker_questions("facts", split="test", items="ids.txt").items == [test]
    (offline / "ids.txt").write_text(f"{train.id}\n", "utf-8")
    message = refused(load_marker_questions, "facts", split="test", items="ids.txt")
    assert "not in split=test" in message
    for name in SINGLE:
        message = refused(load_marker_questions, name, split="train")
        assert f"dataset={name} has no split=train" in message
        assert "Could not get" not in message, name


@pytest.mark.parametrize(
    ("dataset", "split", "says"),
    [
        ("popqq", "test", "dataset=popqq is not known. Did you mean 'popqa'?"),
        ("facts,sciqq", "test", "dataset=sciqq is not known. Did you mean 'sciq'?"),
        ("", "test", "empty or names a data set twice"),
        ("facts,facts", "test", "empty or names a data set twice"),
        ("bundled,facts", "test", "empty or names a data set twice"),
        ("a .csv or .jsonl file", "test", "there is no file"),
        ("missing.csv", "test", "there is no file"),
        ("facts,missing.csv", "test", "there is no file"),
        ("facts", "dev", "split=dev is not known"),
        ("facts,popqa", "train", "dataset=popqa has no split=train"),
    ],
)
@pytest.mark.usefixtures("offline")
def test_an_unknown_data_set_or_split_is_refused_before_a_download(
    dataset: str, split: str, says: str
) -> None:
    """The message names the value and the remedy."""
    message = refused(load_marker_questions, dataset, split=split)
    assert says in message
    assert "Could not get" not in message


# A user's own file


def load_rows(folder: Path, *rows: Mapping[str, object], split: str = "all") -> Sequence[Question]:
    """The items of a jsonl file."""
    (folder / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return load_marker_questions("mine.jsonl", split=split).items


def test_accepted_answers_in_any_form_are_read(offline: Path) -> None:
    """A list, its JSON text, texts between bars, or a number."""
    for answers, read in [
        (["Rome", "Roma"], ("Rome", "Roma")),
        ("Rome| Roma ", ("Rome", "Roma")),
        ('["Rome", "Roma|x"]', ("Rome", "Roma|x")),
        ("[sic]", ("[sic]",)),
        (["Rome", "Rome"], ("Rome",)),
        (0, ("0",)),
        ([1, 2.5], ("1", "2.5")),
    ]:
        (item,) = load_rows(offline, {"question": "Which?", "answers": answers})
        assert (item.answers, item.kind, item.dataset) == (read, "short", "mine")


def test_ids_splits_data_sets_and_contexts_of_a_csv_are_kept(offline: Path) -> None:
    """Ids, splits, data sets and contexts are kept, what is missing is filled in."""
    frame = pd.DataFrame(
        {
            "id": ["first", "", "0"],
            "question": ["Which?", "How many?\nSay it.", "Who?"],
            "choices": ["", "", "you|I|they"],
            "target": ["", "", "B"],
            "answers": ["Rome|Roma", "42", ""],
            "dataset": ["towns", "sums", ""],
            "split": ["test", "train", ""],
            "context": ["", "Count.", ""],
        }
    )
    frame.to_csv(offline / "mine.csv", index=False)
    selection = load_marker_questions("mine.csv", split="all")
    assert (selection.name, len(selection.items)) == ("mine.csv", 3)
    items_by_id = by_id(selection.items)
    first, second, third = items_by_id["first"], items_by_id["mine-0002"], items_by_id["0"]
    assert (first.answers, first.dataset, first.split) == (("Rome", "Roma"), "towns", "test")
    assert second.question == "Count.\n\nHow many?\nSay it."
    assert (second.answers, second.dataset, second.split) == (("42",), "sums", "train")
    assert (right_choice(third), third.dataset) == ("I", "mine")
    assert third.split in ("train", "test")
    (train,) = load_marker_questions("mine.csv", split="train", items=1).items
    assert train.split == "train"


def test_rows_without_a_split_are_halved_in_each_data_set(offline: Path) -> None:
    """However many others have one; data sets take turns."""
    rows = [{"question": "?", "answers": "x", "dataset": "ab"[n % 2]} for n in range(40)]
    rows += [{"question": "?", "answers": "x", "dataset": "a", "split": "train"}] * 20
    items = record_table(load_rows(offline, *rows))
    counts = items.value_counts(["dataset", "split"]).to_dict()
    assert counts == {("a", "train"): 30, ("a", "test"): 10, ("b", "train"): 10, ("b", "test"): 10}
    front = items["dataset"][:40]
    assert (front != front.shift()).all()


def test_at_most_5000_rows_a_split_and_data_set_are_drawn(offline: Path) -> None:
    """At most 5,000 a split and data set."""
    rows = [{"question": "?", "answers": "x", "split": "test"}] * 5001
    rows += [{"question": "?", "answers": "x", "split": "train"}] * 10
    splits = record_table(load_rows(offline, *rows))["split"]
    assert splits.value_counts().to_dict() == {"test": 5000, "train": 10}
    assert load_marker_questions("mine.jsonl", split="all").excluded == {"not drawn": 1}
    assert load_marker_questions("mine.jsonl", split="train").excluded == {}


def test_a_letter_that_is_a_choice_is_no_accepted_answer(offline: Path) -> None:
    """Of blood groups the text is accepted, the letter only where it stands for itself."""
    choices = ["A", "B", "AB", "O"]
    letters = set()
    rows = [{"question": "?", "choices": choices, "target": "AB"}] * 40
    for item in load_rows(offline, *rows):
        letter = "ABCD"[item.choices.index("AB")]
        accepted = ("AB",) if letter in "AB" else ("AB", f"({letter})", letter)
        assert item.answers == accepted
        letters.add(letter)
    assert letters == set("ABCD")
