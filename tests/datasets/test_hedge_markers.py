"""The hedge-marker study's questions: as published, in the hub's form, bundled, a user's own."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import resources
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from inspect_confidence import DataUnavailable
from inspect_confidence.datasets.cache import SOURCES
from inspect_confidence.datasets.hedge_markers import load_marker_questions
from inspect_confidence.datasets.questions import Question
from inspect_confidence.datasets.selection import Selection
from refusals import refused

BUNDLED = ("facts", "science", "commonsense")
SINGLE = ("popqa", "selfaware", "simpleqa", "halueval", "truthfulqa")


def by_id(selection: Selection[Question]) -> dict[str, Question]:
    """The items by name, each there once."""
    found = {item.id: item for item in selection.items}
    assert len(found) == len(selection.items)
    return found


def short(item: Question) -> tuple[str, set[str]]:
    """Question and accepted answers of an item without choices."""
    assert (item.kind, item.choices) == ("short", ())
    assert len(set(item.answers)) == len(item.answers)
    return item.question, set(item.answers)


def right(item: Question) -> str:
    """The right choice, found by its letter and by its text."""
    text, bracketed, letter = item.answers
    assert item.kind == "choices"
    assert bracketed == f"({letter})"
    assert item.choices["ABCDE".index(letter)] == text
    return text


def lines(path: Path) -> list[Any]:
    """The objects of a jsonl file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def table(path: Path) -> list[dict[str, str]]:
    """The rows of a csv file."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


# Short answers


def test_popqa_asks_six_relations_and_counts_the_others(published: Path) -> None:
    """Director to occupation; a subject such as `Z` is dropped; both are counted."""
    subset = json.loads((published / "qa" / "popqa_subset.json").read_text(encoding="utf-8"))
    rows = {f"popqa-{row['id']}": row for row in subset["dev"] + subset["test"]}
    starts = [f"Who was the {role} " for role in ("director of", "screenwriter for", "producer of")]
    starts += ["Who is the author of "]
    asked = {
        name
        for name, row in rows.items()
        if any(row["input"].startswith(start) for start in starts)
        or row["input"].endswith((" born?", "'s occupation?"))
    }
    tiny = {name for name in asked if rows[name]["input"][:-1].split(" of ")[-1] in "DFHKQZ"}
    tiny |= {name for name in asked if rows[name]["input"].endswith("for F?")}
    assert (len(rows), len(asked), len(tiny)) == (2000, 1168, 6)
    selection = load_marker_questions("popqa", split="test")
    found = by_id(selection)
    assert found.keys() == asked - tiny
    assert selection.excluded == {"another relation": 832, "an entity under 2 characters": 6}
    assert selection.name == "popqa"
    for name, item in found.items():
        assert short(item) == (rows[name]["input"], set(json.loads(rows[name]["output"])))
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
        found = by_id(load_marker_questions(name, split="test"))
        assert len(found) == len(rows) == count, name
        for number, row in enumerate(rows):
            item = found[f"{name}-{ids.format(**{**row, 'number': number})}"]
            texts = [text.strip() for text in accepted(row) if text.strip()]
            assert short(item) == (row[question], set(texts)), item
            assert item.answerable == row.get("answerable", True) == bool(item.answers), item
            assert name != "truthfulqa" or item.answers[0] == texts[0]
        unanswerable = sum(not item.answerable for item in found.values())
        assert unanswerable == (1032 if name == "selfaware" else 0), name


def test_ambignq_asks_each_reading(published: Path) -> None:
    """One answer where an annotator gave one; else all disambiguated questions of all of them."""
    rows = json.loads((published / "qa" / "ambigqa_dev_light.json").read_text("utf-8"))
    expected: dict[str, tuple[str, set[str]]] = {}
    for row in rows:
        notes = row["annotations"]
        single = [note["answer"] for note in notes if note["type"] == "singleAnswer"]
        if single:
            expected[f"ambignq-{row['id']}"] = (row["question"], set(map(str.strip, single[0])))
            continue
        pairs = [pair for note in notes for pair in note["qaPairs"]]
        for number, pair in enumerate(pairs):
            answers = set(map(str.strip, pair["answer"]))
            expected[f"ambignq-{row['id']}-{number}"] = (pair["question"], answers)
    # 1,000 of 2,002 questions have a single answer; the other 1,002 are 4,414 readings.
    assert len(expected) == 1000 + 4414
    found = by_id(load_marker_questions("ambignq", split="test", items=10_000))
    assert {name: short(item) for name, item in found.items()} == expected


# Choices


def test_mmlu_draws_5000_and_more_on_request(published: Path) -> None:
    """Of 14,042; a count goes beyond, its front being the same; the right choice is the row's."""
    rows = table(published / "qa" / "mmlu" / "test_all.csv")
    known: dict[str, dict[str, str]] = {}
    place: Counter[str] = Counter()
    for row in rows:
        place[row["subject"]] += 1
        known[f"mmlu-{row['subject']}-{place[row['subject']]:04d}"] = row
    selection = load_marker_questions("mmlu", split="test")
    assert len(by_id(selection)) == 5000
    assert selection.excluded == {"not drawn": len(rows) - 5000}
    for item in selection.items:
        row = known[item.id]
        assert item.question == row["question"]
        assert sorted(item.choices) == sorted(row[letter] for letter in "ABCD")
        assert item.answers[0] == row[row["answer"]]
        if len(item.answers) == 3:
            right(item)
    more = load_marker_questions("mmlu", split="test", items="6,000")
    assert list(more.items)[:5000] == list(selection.items)
    assert (len(more.items), more.excluded) == (6000, {})


def test_sciq_is_the_published_test_file(published: Path) -> None:
    """1,000 questions with four choices."""
    rows = table(published / "question_sets" / "items" / "sciq_test.csv")
    found = by_id(load_marker_questions("sciq", split="test"))
    assert len(found) == len(rows) == 1000
    for row in rows:
        item = found[f"sciq-{row['Question ID']}"]
        assert item.question == row["Question"]
        assert sorted(item.choices) == sorted(row[f"Option {letter}"] for letter in "ABCD")
        assert item.answers[0] == row[f"Option {row['Correct Answer Letter']}"]


def test_arc_has_three_to_five_choices(published: Path) -> None:
    """1,172 questions, labelled by letters or numbers at the source, always by letters here."""
    rows = {
        f"arc_challenge-{row['id']}": row
        for row in lines(published / "qa" / "arc_challenge_test.jsonl")
    }
    found = by_id(load_marker_questions("arc_challenge", split="test"))
    assert found.keys() == rows.keys()
    assert len(rows) == 1172
    assert Counter(len(item.choices) for item in found.values()) == {4: 1165, 3: 4, 5: 3}
    for name, row in rows.items():
        offered = {choice["label"]: choice["text"] for choice in row["question"]["choices"]}
        assert found[name].question == row["question"]["stem"]
        assert sorted(found[name].choices) == sorted(offered.values())
        assert found[name].answers[0] == offered[row["answerKey"]]


def test_superglue_asks_four_tasks_equally(published: Path) -> None:
    """All validation rows, test labels being secret; tasks take turns as long as they last."""
    files = {
        "boolq": lines(published / "qa" / "boolq_validation.jsonl"),
        "copa": lines(published / "qa" / "COPA_val.jsonl"),
        "wic": lines(published / "qa" / "WiC_val.jsonl"),
        "wsc": lines(published / "qa" / "WSC_val.jsonl"),
    }
    selection = load_marker_questions("superglue", split="test")
    found = by_id(selection)
    assert Counter(item.part for item in selection.items) == {
        task: len(rows) for task, rows in files.items()
    }
    assert {item.dataset for item in selection.items} == {"superglue"}
    for place in range(1, 100):
        parts = Counter(item.part for item in selection.items[: 4 * place])
        assert set(parts.values()) == {place}
    for task, rows in files.items():
        for row in rows:
            item = found[f"superglue-{task}-test-{row['idx']}"]
            if task == "copa":
                assert right(item) == row[f"choice{row['label'] + 1}"]
                assert sorted(item.choices) == sorted([row["choice1"], row["choice2"]])
            else:
                assert right(item) == {"true": "Yes", "false": "No"}[row["label"]]
                assert sorted(item.choices) == ["No", "Yes"]
            texts = {
                "boolq": ["passage", "question"],
                "copa": ["premise"],
                "wic": ["sentence1", "sentence2", "word"],
                "wsc": ["text"],
            }[task]
            assert all(row[text].strip() in item.question for text in texts)
    cause = found["superglue-copa-test-4"]
    assert cause.question == "The hamburger meat browned. What was the cause of this?"
    pronoun = found["superglue-wsc-test-0"].question
    assert pronoun.endswith('In this text, does "him" refer to "anyone"?')


@pytest.mark.usefixtures("published")
def test_choices_are_shuffled_by_the_seed_and_answers_follow() -> None:
    """One seed gives one order, whichever items are asked; each place is right as often."""
    first = load_marker_questions("science,arc_challenge", split="test", seed=3)
    again = load_marker_questions("science,arc_challenge", split="test", seed=3, items=40)
    assert list(again.items) == list(first.items)[:40]
    assert again.fingerprint == first.fingerprint
    other = load_marker_questions("science,arc_challenge", split="test", seed=4)
    assert other.fingerprint != first.fingerprint
    assert [item.id for item in other.items] != [item.id for item in first.items]
    known = by_id(other)
    assert known.keys() == by_id(first).keys()
    moved = [item.choices != known[item.id].choices for item in first.items]
    assert sum(moved) > 0.9 * len(moved)  # of 24 orders, one is the same
    four = [item for item in first.items if len(item.choices) == 4]
    assert all(right(item) == right(known[item.id]) for item in four)
    places = Counter(item.answers[2] for item in four)
    spread = 4 * (len(four) * 3 / 16) ** 0.5
    assert all(abs(places[letter] - len(four) / 4) < spread for letter in "ABCD")


# The hub's form


def put(folder: Path, name: str, rows: Iterable[Mapping[str, object]]) -> None:
    """A file of the hub in the cache folder."""
    path = folder / "qa" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(list(rows)).to_parquet(path, index=False)


def unpinned(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> Path:
    """The place of a source that from now on takes any bytes."""
    source = SOURCES[f"qa/{name}"]
    monkeypatch.setitem(SOURCES, source.name, replace(source, sha256=None))
    (folder / source.name).parent.mkdir(parents=True, exist_ok=True)
    return folder / source.name


POPQA_FIELDS = ("id", "subj", "prop", "obj", "question", "possible_answers")


def test_popqas_own_file(offline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    shown = {item.id: item.answers for item in selection.items}
    assert shown == {
        "popqa-1": ("Ai", 'A "B" C'),
        "popqa-5": ("nurse", "carer"),
        "popqa-6": ("Ulm",),
        "popqa-7": ("Jo",),
    }
    assert {item.split for item in selection.items} == {"test"}


def test_simpleqas_own_file(offline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenAI's csv, whose metadata are Python text."""
    path = unpinned(offline, monkeypatch, "simpleqa/simple_qa_test_set.csv")
    row = {"metadata": "{'topic': 'Art', 'urls': ['a', 'b']}", "problem": "Who?", "answer": "She"}
    pd.DataFrame([row]).to_csv(path, index=False)
    (item,) = load_marker_questions("simpleqa", split="test").items
    assert short(item) == ("Who?", {"She"})


def test_ambignqs_hub_form(offline: Path) -> None:
    """Annotations are lists side by side; train and validation are two files."""
    readings = {"question": ["a?", "b?"], "answer": [["two"], ["three", "one"]]}
    none: dict[str, list[object]] = {"question": [], "answer": []}
    both = {
        "type": ["multipleQAs", "singleAnswer"],
        "answer": [[], ["one", "1"]],
        "qaPairs": [readings, none],
    }
    several = {"type": ["multipleQAs"] * 2, "answer": [[], []], "qaPairs": [readings] * 2}
    for split, name in (("train", "train"), ("test", "validation")):
        rows = [
            {"id": f"{split}{number}", "question": "How many?", "annotations": notes}
            for number, notes in enumerate([both, several])
        ]
        put(offline, f"ambignq/{name}.parquet", rows)
    found = by_id(load_marker_questions("ambignq", split="all"))
    asked = {"0": ("How many?", {"one", "1"})} | {
        f"1-{number}": [("a?", {"two"}), ("b?", {"three", "one"})][number % 2]
        for number in range(4)
    }
    assert {name: (short(item), item.split) for name, item in found.items()} == {
        f"ambignq-{split}{name}": (shown, split)
        for split in ("train", "test")
        for name, shown in asked.items()
    }


def test_halueval_asks_whether_it_is_hallucinated(offline: Path) -> None:
    """Four parts by turns, answered yes or no; a summary is called a summary."""
    columns = {
        "qa_samples": ("question", "answer"),
        "dialogue_samples": ("dialogue_history", "response"),
        "summarization_samples": ("document", "summary"),
        "general": ("user_query", "chatgpt_response"),
    }
    for name, (given, said) in columns.items():
        rows = [
            {given: f" {name} {n}\n", said: f"said {n}", "hallucination": ("yes", "no")[n]}
            for n in range(2)
        ]
        put(offline, f"halueval/{name}.parquet", rows)
    selection = load_marker_questions("halueval", split="test")
    shown = {item.id: short(item) for item in selection.items}
    headings = {
        "qa": ("Question", "Response"),
        "dialogue": ("Dialogue", "Response"),
        "summarization": ("Document", "Summary"),
        "general": ("Question", "Response"),
    }
    assert shown == {
        f"halueval-{part}-{n:05d}": (
            f"{given}: {name} {n}\n{said}: said {n}\n"
            f"Does the {said.lower()} contain hallucination? (yes or no)",
            {("yes", "no")[n]},
        )
        for name, (part, (given, said)) in zip(columns, headings.items(), strict=True)
        for n in range(2)
    }
    assert {item.part for item in selection.items[:4]} == set(headings)
    assert all(item.answerable for item in selection.items)


def test_arcs_hub_form(offline: Path) -> None:
    """Texts and labels are two lists; a split is a file, and only the one that is asked is read."""
    rows = [
        {
            "id": f"Q{number}",
            "question": "Which?",
            "choices": {"text": ["w", "x", "y", "z"], "label": list(labels)},
            "answerKey": labels[number % 4],
        }
        for number, labels in enumerate(["ABCD", "1234"] * 4)
    ]
    put(offline, "arc_challenge/train.parquet", rows)
    found = by_id(load_marker_questions("arc_challenge", split="train"))
    assert len(found) == 8
    for number in range(8):
        item = found[f"arc_challenge-Q{number}"]
        assert (right(item), item.split) == ("wxyz"[number % 4], "train")
    with pytest.raises(DataUnavailable, match=r"ARC-Challenge/test-00000-of-00001\.parquet"):
        load_marker_questions("arc_challenge", split="all")


def test_wnlis_hub_form(offline: Path) -> None:
    """Entailment is yes."""
    for name in ("train", "validation"):
        rows = [
            {"sentence1": "It was he.", "sentence2": "He it was.", "label": label, "idx": label}
            for label in (0, 1)
        ]
        put(offline, f"wnli/{name}.parquet", rows)
    found = by_id(load_marker_questions("wnli", split="all"))
    assert {name: (right(item), item.split) for name, item in found.items()} == {
        "wnli-train-0": ("No", "train"),
        "wnli-train-1": ("Yes", "train"),
        "wnli-test-0": ("No", "test"),
        "wnli-test-1": ("Yes", "test"),
    }
    assert found["wnli-test-0"].question == (
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


def test_superglues_hub_form(offline: Path) -> None:
    """Each task a file, labels numbers, the pronoun's and its name's columns not nested."""
    for (task, row), name in product(SUPERGLUE_ROWS.items(), ("train", "validation")):
        rows = [{**row, "idx": number} for number in range(3)]
        put(offline, f"superglue/{task}_{name}.parquet", rows)
    selection = load_marker_questions("superglue", split="all")
    answers = {"boolq": "Yes", "copa": "He let go.", "wic": "No", "wsc": "Yes"}
    assert len(selection.items) == 24
    for item in selection.items:
        assert right(item) == answers[item.part]
    for turn in (selection.items[:8], selection.items[8:16]):
        assert len({(item.part, item.split) for item in turn}) == 8
    named = by_id(selection)
    assert named["superglue-boolq-train-0"].question == "It is.\n\nis it?"


def test_mmlu_and_sciq_train_on_the_hub(offline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MMLU's auxiliary rows, and SciQ's with its distractors."""
    rows: list[dict[str, object]] = [
        {
            "question": f"{n}?",
            "subject": "",
            "choices": [f"{n}{c}" for c in "wxyz"],
            "answer": n % 4,
        }
        for n in range(6000)
    ]
    put(offline, "mmlu/auxiliary_train-00000-of-00001.parquet", rows)
    selection = load_marker_questions("mmlu", split="train")
    assert (len(selection.items), selection.excluded) == (5000, {"not drawn": 1000})
    for item in selection.items:
        number = int(item.question[:-1])
        assert right(item) == f"{number}{'wxyz'[number % 4]}"
    row = {"question": "Q?", "correct_answer": "r", "support": ""}
    wrong = {
        f"distractor{place}": text
        for place, text in zip((3, 1, 2), ("c3", "c1", "c2"), strict=True)
    }
    train = "sciq/train-00000-of-00001.parquet"
    unpinned(offline, monkeypatch, train)
    put(offline, train, [{**row, **wrong}] * 2)
    for item in load_marker_questions("sciq", split="train").items:
        assert right(item) == "r"
        assert sorted(item.choices) == ["c1", "c2", "c3", "r"]


# Bundled, and what is common to all


def bundled_rows(name: str) -> list[Any]:
    """The rows of a bundled file."""
    path = resources.files("inspect_confidence.datasets") / "bundled" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_bundled_set_is_its_file(offline: Path) -> None:
    """208 items, half of them in each split, with no network."""
    for name in BUNDLED:
        rows = bundled_rows(name)
        selection = load_marker_questions(name, split="all")
        found = by_id(selection)
        assert (len(found), selection.name) == (208, name)
        assert Counter(item.split for item in found.values()) == {"train": 104, "test": 104}, name
        for row in rows:
            item = found[row["id"]]
            assert (item.question, item.split, item.dataset) == (
                row["question"],
                row["split"],
                name,
            )
            if "choices" in row:
                assert item.answers[0] == row["choices"][row["answer"]], name
                assert sorted(item.choices) == sorted(row["choices"]), name
            else:
                assert short(item)[1] == set(row["answers"]), name


@pytest.mark.usefixtures("offline")
def test_any_prefix_is_balanced_over_data_sets() -> None:
    """The bundled sets take turns, and within `all` the splits do."""
    for split in ["train", "test", "all"]:
        selection = load_marker_questions("bundled", split=split)
        assert selection.name == "bundled", split
        assert len(selection.items) == (624 if split == "all" else 312)
        assert split == "all" or {item.split for item in selection.items} == {split}
        for end in range(1, len(selection.items) + 1):
            counts = Counter(item.dataset for item in selection.items[:end])
            assert max(counts.values()) - min(counts[name] for name in BUNDLED) <= 1, split
        if split == "all":
            for one in BUNDLED:
                splits = [item.split for item in selection.items if item.dataset == one]
                assert all(
                    set(pair) == {"train", "test"} for pair in zip(*[iter(splits)] * 2, strict=True)
                ), split
        ten = load_marker_questions("bundled", split=split, items=10)
        assert list(ten.items) == list(selection.items)[:10], split
        assert ten.fingerprint == selection.fingerprint, split


@pytest.mark.usefixtures("published")
def test_several_data_sets_in_one_run() -> None:
    """Names are joined; a small set ends, the others go on; a list is as good as commas."""
    selection = load_marker_questions("popqa, truthfulqa,facts", split="all")
    assert selection.name == "popqa+truthfulqa+facts"
    assert Counter(item.dataset for item in selection.items) == {
        "popqa": 1162,
        "truthfulqa": 817,
        "facts": 208,
    }
    front = Counter(item.dataset for item in selection.items[:624])
    assert set(front.values()) == {208}
    again = load_marker_questions(["popqa", "truthfulqa", "facts"], split="all")
    assert list(again.items) == list(selection.items)
    assert again.fingerprint == selection.fingerprint
    other = load_marker_questions("popqa,truthfulqa,facts", split="all", seed=1)
    assert other.fingerprint == selection.fingerprint  # no choices: a seed changes the order only
    assert [item.id for item in other.items] != [item.id for item in selection.items]


@pytest.mark.usefixtures("offline")
def test_items_by_name_and_what_cant_be_had(offline: Path) -> None:
    """A file of ids of the split; else the value and the remedy, before a download."""
    train, test = (
        load_marker_questions("facts", split=name).items[0] for name in ("train", "test")
    )
    (offline / "ids.txt").write_text(f"{test.id}\n", "utf-8")
    assert load_marker_questions("facts", split="test", items="ids.txt").items == [test]
    (offline / "ids.txt").write_text(f"{train.id}\n", "utf-8")
    said = refused(load_marker_questions, "facts", split="test", items="ids.txt")
    assert "not in split=test" in said
    for dataset, split, says in [
        ("popqq", "test", "dataset=popqq is not known. Did you mean 'popqa'?"),
        ("facts,sciqq", "test", "dataset=sciqq is not known. Did you mean 'sciq'?"),
        ("", "test", "empty or names a data set twice"),
        ("facts,facts", "test", "empty or names a data set twice"),
        ("bundled,facts", "test", "empty or names a data set twice"),
        ("a .csv or .jsonl file", "test", "there is no file"),
        ("missing.csv", "test", "there is no file"),
        ("facts,missing.csv", "test", "there is no file"),
        ("facts", "dev", "split=dev is not known"),
        *[(name, "train", f"dataset={name} has no split=train") for name in SINGLE],
        ("facts,popqa", "train", "dataset=popqa has no split=train"),
    ]:
        said = refused(load_marker_questions, dataset, split=split)
        assert says in said, (dataset, split)
        assert "Could not get" not in said, (dataset, split)


# A user's own file


def own(folder: Path, *rows: Mapping[str, object], split: str = "all") -> Sequence[Question]:
    """The items of a jsonl file."""
    (folder / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return load_marker_questions("mine.jsonl", split=split).items


def test_answers_in_any_form(offline: Path) -> None:
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
        (item,) = own(offline, {"question": "Which?", "answers": answers})
        assert (item.answers, item.kind, item.dataset) == (read, "short", "mine")


def test_a_csv_with_everything(offline: Path) -> None:
    """Ids, splits, data sets and contexts are kept, what is missing is filled in."""
    written = pd.DataFrame(
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
    written.to_csv(offline / "mine.csv", index=False)
    selection = load_marker_questions("mine.csv", split="all")
    assert (selection.name, len(selection.items)) == ("mine.csv", 3)
    found = by_id(selection)
    first, second, third = (found[name] for name in ("first", "mine-0002", "0"))
    assert (first.answers, first.dataset, first.split) == (("Rome", "Roma"), "towns", "test")
    assert second.question == "Count.\n\nHow many?\nSay it."
    assert (second.answers, second.dataset, second.split) == (("42",), "sums", "train")
    assert (right(third), third.dataset) == ("I", "mine")
    assert third.split in ("train", "test")
    (train,) = load_marker_questions("mine.csv", split="train", items=1).items
    assert train.split == "train"


def test_rows_without_a_split_are_halved_in_each_data_set(offline: Path) -> None:
    """However many others have one; data sets take turns."""
    rows = [{"question": "?", "answers": "x", "dataset": "ab"[n % 2]} for n in range(40)]
    rows += [{"question": "?", "answers": "x", "dataset": "a", "split": "train"}] * 20
    items = own(offline, *rows)
    counts = Counter((item.dataset, item.split) for item in items)
    assert counts == {("a", "train"): 30, ("a", "test"): 10, ("b", "train"): 10, ("b", "test"): 10}
    assert all(one.dataset != two.dataset for one, two in pairwise(items[:40]))


def test_more_than_5000_rows_are_drawn_from(offline: Path) -> None:
    """At most 5,000 a split and data set."""
    rows = [{"question": "?", "answers": "x", "split": "test"}] * 5001
    rows += [{"question": "?", "answers": "x", "split": "train"}] * 10
    assert Counter(item.split for item in own(offline, *rows)) == {"test": 5000, "train": 10}
    assert load_marker_questions("mine.jsonl", split="all").excluded == {"not drawn": 1}
    assert load_marker_questions("mine.jsonl", split="train").excluded == {}


def test_a_letter_that_is_a_choice_is_no_accepted_answer(offline: Path) -> None:
    """Of blood groups the text is accepted, the letter only where it stands for itself."""
    choices = ["A", "B", "AB", "O"]
    seen = set()
    rows = [{"question": "?", "choices": choices, "target": "AB"} for _ in range(40)]
    for item in own(offline, *rows):
        letter = "ABCD"[item.choices.index("AB")]
        accepted = ("AB",) if letter in "AB" else ("AB", f"({letter})", letter)
        assert item.answers == accepted
        seen.add(letter)
    assert seen == set("ABCD")
