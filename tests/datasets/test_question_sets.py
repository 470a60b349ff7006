"""Question sets: the study's five as published, the bundled ones, and a user's own file."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

from build import attributes_of, by_id, record_table, records_by, rows_by
from inspect_confidence.datasets.question_sets import (
    GivenAnswer,
    SetQuestion,
    bundled_sets,
    load_question_set,
    study_prompts,
)
from inspect_confidence.datasets.questions import bundled_questions
from inspect_confidence.datasets.selection import Selection
from refusals import refused

FILES = {
    "boolq": ("boolq_valid", 3270),
    "sciq": ("sciq_test", 1000),
    "lsat_ar": ("lsat_ar_test", 230),
    "sat_en": ("sat_en", 206),
    "halueval": ("halu_eval_qa", 1000),
}


def rows_of(path: Path) -> dict[str, dict[str, str]]:
    """A published file by question ID, read without the package."""
    with path.open(encoding="utf-8", newline="") as file:
        return rows_by(csv.DictReader(file), "Question ID")


def by_source(name: str) -> dict[str, SetQuestion]:
    """The items of a set by the study's question ID."""
    return records_by(load_question_set(name).items, "source_id")


def test_every_published_row_is_one_question_in_equal_halves(published: Path) -> None:
    """Every row is one question, named by its ID, in halves as near as can be."""
    for name, (file, count) in FILES.items():
        rows = rows_of(published / "question_sets" / "items" / f"{file}.csv")
        selection = load_question_set(name)
        assert len(rows) == len(selection.items) == count, name
        ids = list(by_id(selection.items))
        assert set(ids) == {f"{name}-{number}" for number in rows}
        assert ids == [f"{name}-{item.source_id}" for item in selection.items]
        splits = Counter(attributes_of(selection.items, "split"))
        assert splits == {"train": count - count // 2, "test": count // 2}, name
        assert (selection.name, selection.excluded) == (name, {})
        assert list(by_id(load_question_set(name, items=9).items)) == ids[:9]


def test_questions_options_and_targets_are_the_csvs(published: Path) -> None:
    """In the csv's order; of BoolQ true and false. BoolQ and SciQ have nothing to be read first."""
    for name, options in [("boolq", 0), ("sciq", 4), ("lsat_ar", 5), ("sat_en", 4)]:
        rows = rows_of(published / "question_sets" / "items" / f"{FILES[name][0]}.csv")
        letters = "ABCDE"[:options]
        for number, item in by_source(name).items():
            row = rows[number]
            assert item.options == tuple(row[f"Option {letter}"] for letter in letters), name
            assert item.target == row["Correct Answer Letter" if options else "Correct Answer"]
            assert item.target in (letters or ("True", "False")), name
            assert (item.kind, item.given) == ("options" if options else "true_false", ()), name
            if name in ("boolq", "sciq"):
                assert (item.question, item.context) == (row["Question"], "")


def test_passage_question_and_options_are_separated(published: Path) -> None:
    """What the csv has as one text is passage, question, and options that are said once."""
    for name, column in [("lsat_ar", "Question"), ("sat_en", "query")]:
        rows = rows_of(published / "question_sets" / "items" / f"{FILES[name][0]}.csv")
        for number, item in by_source(name).items():
            for text in (item.question, item.context):
                assert text, name
                assert text == text.strip(), name
                assert "Answer Choices:" not in text, name
                assert "Q: " not in text, name
            assert not item.question.endswith("the answer is"), name
            passage, question_text = rows[number][column].split("Q: ")
            assert item.context == passage.strip(), name
            assert question_text.startswith(item.question), name
            choices_text = question_text[len(item.question) :].strip()
            assert choices_text.startswith("Answer Choices:"), name
            for option in item.options:
                assert "".join(option.split()) in "".join(choices_text.split()), name


def test_questions_on_one_passage_are_one_cluster(published: Path) -> None:
    """LSAT and SAT have several questions a passage; questions without a passage have none."""
    for name in ("lsat_ar", "sat_en"):
        table = record_table(by_source(name).values())[["cluster", "context"]]
        clusters, passages = table["cluster"].unique(), table["context"].unique()
        assert len(clusters) == len(passages) < len(table) / 3, name
        assert len(table.drop_duplicates()) == len(passages), name
    assert set(attributes_of(by_source("boolq").values(), "cluster")) == {""}


def test_halueval_asks_for_the_right_and_the_hallucinated_answer(published: Path) -> None:
    """1,000 questions with the right answer and the hallucinated one: 2,000 judgments."""
    rows = rows_of(published / "question_sets" / "items" / "halu_eval_qa.csv")
    items_by_id = by_source("halueval")
    assert sum(len(item.given) for item in items_by_id.values()) == 2000
    for number, item in items_by_id.items():
        row = rows[number]
        assert (item.kind, item.question, item.target) == ("given", row["Question"], "")
        assert item.context == row["knowledge"].strip()
        right, wrong = item.given
        assert (right.name, right.text, right.right) == ("r", row["right_answer"], True)
        assert (wrong.name, wrong.text, wrong.right) == ("h", row["hallucinated_answer"], False)


def test_study_prompts_are_the_published_ones(published: Path) -> None:
    """Each question's messages are those of its ID, and there is one for each call."""
    for name in FILES.keys() - {"boolq"}:
        rows = rows_of(published / "question_sets" / "prompts" / f"{FILES[name][0]}_prompts.csv")
        prompts = study_prompts(name)
        assert prompts == {
            key: (row["Full Prompt"], row["System Prompt"]) for key, row in rows.items()
        }, name
        items_by_key: dict[str, tuple[SetQuestion, GivenAnswer | None]] = {}
        for number, item in by_source(name).items():
            items_by_key |= {f"{number}_{answer.name}": (item, answer) for answer in item.given}
            if not item.given:
                items_by_key[number] = (item, None)
        assert set(prompts) == set(items_by_key), name
        for key, (item, answer) in items_by_key.items():
            user = prompts[key][0]
            for text in (item.question, *item.options, answer.text if answer else ""):
                assert "".join(text.split()) in "".join(user.split()), name


def test_sets_without_study_prompts_are_refused() -> None:
    """Others are refused, with those that there are."""
    for name in ("bundled", "statements", "mine.csv"):
        message = refused(study_prompts, name)
        assert f"prompts=authors: the study has no prompts for {name}, only for boolq" in message
        assert "use prompts=ours" in message


def test_bundled_sets_have_168_questions_and_126_statements() -> None:
    """168 questions with four options each, and 126 statements, with the files' answers."""
    options = by_id(load_question_set("bundled").items)
    statements = by_id(load_question_set("statements").items)
    assert (len(options), len(statements)) == (168, 126)
    for name, item in options.items():
        question = bundled_questions()[name]
        assert (item.question, item.options, item.target) == (
            question.question,
            question.choices,
            question.target,
        )
        assert (item.kind, len(item.options)) == ("options", 4)
    table = record_table(statements.values())
    assert set(attributes_of(statements.values(), "kind")) == {"true_false"}
    assert set(table["target"]) == {"True", "False"}
    assert not set(options) & set(statements)
    assert set(bundled_sets()) == {"bundled", "statements"}


# A user's own file


def load_rows(home: Path, *rows: dict[str, object]) -> Selection[SetQuestion]:
    """Rows as a jsonl file, loaded."""
    (home / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return load_question_set("mine.jsonl")


def test_verdicts_in_any_form_and_given_answers_are_read(home: Path) -> None:
    """JSON booleans, words in any case, yes and no; 0 and false are answers."""
    for target, read in [
        *((True, "True"), (False, "False"), ("true", "True"), (" FALSE ", "False")),
        *(("Yes", "True"), ("no", "False")),
    ]:
        (item,) = load_rows(home, {"question": "Is it?", "target": target}).items
        assert (item.kind, item.target, item.options, item.given) == ("true_false", read, (), ())
        (item,) = load_rows(home, {"question": "Who?", "target": target, "answer": " I "}).items
        assert (item.kind, item.target, item.options) == ("given", "", ()), target
        ((given_answer,),) = [item.given]
        assert (given_answer.text, given_answer.right) == ("I", read == "True")
    for answer in [0, False]:
        (item,) = load_rows(home, {"question": "How many?", "target": True, "answer": answer}).items
        assert item.kind == "given", answer
        (given_answer,) = item.given
        assert given_answer.text == str(answer)


def test_ids_contexts_and_splits_of_a_csv_are_kept(home: Path) -> None:
    """Ids, contexts and splits are kept, what is missing is filled in."""
    (home / "mine.csv").write_text(
        "id,question,context,choices,answer,target,split\n"
        'first,"Which, if any?",A text,"[""one, two"", ""three""]",,three,test\n'
        ",Is it?,,,,yes,train\n"
        'third,"Who?\nSay it.",,,you,False,\n',
        "utf-8",
    )
    selection = load_question_set("mine.csv")
    assert (selection.name, len(selection.items)) == ("mine.csv", 3)
    items = by_id(selection.items)
    first, second, third = items["first"], items["mine-0002"], items["third"]
    assert (first.kind, first.options, first.target) == ("options", ("one, two", "three"), "B")
    assert (first.question, first.context, first.split) == ("Which, if any?", "A text", "test")
    assert (second.kind, second.target, second.split) == ("true_false", "True", "train")
    assert (third.kind, third.given[0].right, third.question) == ("given", False, "Who?\nSay it.")
    assert third.split in ("train", "test")
    before = selection.fingerprint
    text = (home / "mine.csv").read_text("utf-8")
    (home / "mine.csv").write_text(text.replace("yes", "no"), "utf-8")
    assert load_question_set("mine.csv").fingerprint != before
