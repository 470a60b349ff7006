"""Question sets: the study's five as published, the bundled ones, and a user's own file."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

from inspect_confidence.datasets.question_sets import (
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
        return {row["Question ID"]: row for row in csv.DictReader(file)}


def by_source(name: str) -> dict[str, SetQuestion]:
    """The items of a set by the study's question ID."""
    return {item.source_id: item for item in load_question_set(name).items}


def test_published_sets_are_whole(published: Path) -> None:
    """Every row is one question, named by its ID, in halves as near as can be."""
    for name, (file, count) in FILES.items():
        rows = rows_of(published / "question_sets" / "items" / f"{file}.csv")
        found = load_question_set(name)
        assert len(rows) == len(found.items) == count, name
        assert {item.id for item in found.items} == {f"{name}-{number}" for number in rows}
        assert {item.id for item in found.items} == {f"{name}-{i.source_id}" for i in found.items}
        splits = Counter(item.split for item in found.items)
        assert splits == {"train": count - count // 2, "test": count // 2}, name
        assert (found.name, found.excluded) == (name, {})
        assert [i.id for i in load_question_set(name, items=9).items] == [
            item.id for item in found.items[:9]
        ]


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


def test_passages_and_questions_are_apart(published: Path) -> None:
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
            passage, asked = rows[number][column].split("Q: ")
            assert item.context == passage.strip(), name
            assert asked.startswith(item.question), name
            rest = asked[len(item.question) :].strip()
            assert rest.startswith("Answer Choices:"), name
            for option in item.options:
                assert "".join(option.split()) in "".join(rest.split()), name


def test_halueval_asks_of_both_answers(published: Path) -> None:
    """1,000 questions with the right answer and the hallucinated one: 2,000 judgments."""
    rows = rows_of(published / "question_sets" / "items" / "halu_eval_qa.csv")
    found = by_source("halueval")
    assert sum(len(item.given) for item in found.values()) == 2000
    for number, item in found.items():
        row = rows[number]
        assert (item.kind, item.question, item.target) == ("given", row["Question"], "")
        assert item.context == row["knowledge"].strip()
        assert [(answer.name, answer.text, answer.right) for answer in item.given] == [
            ("r", row["right_answer"], True),
            ("h", row["hallucinated_answer"], False),
        ]


def test_study_prompts_are_the_published_ones(published: Path) -> None:
    """Each question's messages are those of its ID, and there is one for each call."""
    for name in [name for name in FILES if name != "boolq"]:
        rows = rows_of(published / "question_sets" / "prompts" / f"{FILES[name][0]}_prompts.csv")
        found = study_prompts(name)
        assert found == {
            key: (row["Full Prompt"], row["System Prompt"]) for key, row in rows.items()
        }, name
        wanted = {
            f"{number}_{given.name}" if given else number: (item, given)
            for number, item in by_source(name).items()
            for given in item.given or (None,)
        }
        assert set(found) == set(wanted), name
        for key, (item, given) in wanted.items():
            user = found[key][0]
            for text in (item.question, *item.options, given.text if given else ""):
                assert "".join(text.split()) in "".join(user.split()), name


def test_the_study_has_prompts_for_its_own_sets_only() -> None:
    """Others are refused, with those that there are."""
    for name in ("bundled", "statements", "mine.csv"):
        said = refused(study_prompts, name)
        assert f"prompts=authors: the study has no prompts for {name}, only for boolq" in said
        assert "use prompts=ours" in said


def test_bundled_sets() -> None:
    """168 questions with four options each, and 126 statements, with the files' answers."""
    options, statements = (
        {item.id: item for item in load_question_set(name).items}
        for name in ("bundled", "statements")
    )
    assert (len(options), len(statements)) == (168, 126)
    for name, item in options.items():
        known = bundled_questions()[name]
        assert (item.question, item.options, item.target) == (
            known.question,
            known.choices,
            known.target,
        )
        assert (item.kind, len(item.options)) == ("options", 4)
    assert {item.kind for item in statements.values()} == {"true_false"}
    assert {item.target for item in statements.values()} == {"True", "False"}
    assert not set(options) & set(statements)
    assert set(bundled_sets()) == {"bundled", "statements"}


# A user's own file


def own(home: Path, *rows: dict[str, object]) -> Selection[SetQuestion]:
    """Rows as a jsonl file, loaded."""
    (home / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return load_question_set("mine.jsonl")


def test_given_answers_and_verdicts(home: Path) -> None:
    """JSON booleans, words in any case, yes and no; 0 and false are answers."""
    for target, read in [
        *((True, "True"), (False, "False"), ("true", "True"), (" FALSE ", "False")),
        *(("Yes", "True"), ("no", "False")),
    ]:
        (item,) = own(home, {"question": "Is it?", "target": target}).items
        assert (item.kind, item.target, item.options, item.given) == ("true_false", read, (), ())
        (item,) = own(home, {"question": "Who?", "target": target, "answer": " I "}).items
        assert (item.kind, item.target, item.options) == ("given", "", ()), target
        ((given,),) = [item.given]
        assert (given.text, given.right) == ("I", read == "True")
    for answer in [0, False]:
        (item,) = own(home, {"question": "How many?", "target": True, "answer": answer}).items
        assert item.kind == "given", answer
        assert [given.text for given in item.given] == [str(answer)]


def test_a_csv_with_all_kinds(home: Path) -> None:
    """Ids, contexts and splits are kept, what is missing is filled in."""
    (home / "mine.csv").write_text(
        "id,question,context,choices,answer,target,split\n"
        'first,"Which, if any?",A text,"[""one, two"", ""three""]",,three,test\n'
        ",Is it?,,,,yes,train\n"
        'third,"Who?\nSay it.",,,you,False,\n',
        "utf-8",
    )
    found = load_question_set("mine.csv")
    assert (found.name, len(found.items)) == ("mine.csv", 3)
    items = {item.id: item for item in found.items}
    one, two, three = items["first"], items["mine-0002"], items["third"]
    assert (one.kind, one.options, one.target) == ("options", ("one, two", "three"), "B")
    assert (one.question, one.context, one.split) == ("Which, if any?", "A text", "test")
    assert (two.kind, two.target, two.split) == ("true_false", "True", "train")
    assert (three.kind, three.given[0].right, three.question) == ("given", False, "Who?\nSay it.")
    assert three.split in ("train", "test")
    before = found.fingerprint
    text = (home / "mine.csv").read_text("utf-8")
    (home / "mine.csv").write_text(text.replace("yes", "no"), "utf-8")
    assert load_question_set("mine.csv").fingerprint != before
