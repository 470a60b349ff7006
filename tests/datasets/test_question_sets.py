"""Question sets: the study's five as published, the bundled ones, and a user's own file."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from unittest.mock import Mock

import pytest

from inspect_confidence import DataUnavailable, InvalidArgument
from inspect_confidence.datasets.cache import CACHE_VARIABLE
from inspect_confidence.datasets.question_sets import (
    ITEMS,
    PROMPTS,
    SetQuestion,
    bundled_sets,
    load_question_set,
    study_prompts,
)
from inspect_confidence.datasets.questions import bundled_questions
from inspect_confidence.datasets.selection import Selection

FILES = {
    "boolq": ("boolq_valid", 3270),
    "sciq": ("sciq_test", 1000),
    "lsat_ar": ("lsat_ar_test", 230),
    "sat_en": ("sat_en", 206),
    "halueval": ("halu_eval_qa", 1000),
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the user stands in, with no data in it and no network."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path))
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr("requests.Session.send", Mock(side_effect=ConnectionError("no network")))
    return tmp_path


@pytest.fixture
def published(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The published files, used as the cache."""
    monkeypatch.setenv(CACHE_VARIABLE, str(shared_data))
    return shared_data / "question_sets"


def rows_of(path: Path) -> dict[str, dict[str, str]]:
    """A published file by question ID, read without the package."""
    with path.open(encoding="utf-8", newline="") as file:
        return {row["Question ID"]: row for row in csv.DictReader(file)}


def by_source(name: str) -> dict[str, SetQuestion]:
    """The items of a set by the study's question ID."""
    return {item.source_id: item for item in load_question_set(name).items}


@pytest.mark.parametrize("name", FILES)
def test_published_sets_are_whole(published: Path, name: str) -> None:
    """Every row is one question, named by its ID, in halves as near as can be."""
    file, count = FILES[name]
    rows = rows_of(published / "items" / f"{file}.csv")
    found = load_question_set(name)
    assert len(rows) == len(found.items) == count
    assert {item.id for item in found.items} == {f"{name}-{number}" for number in rows}
    assert {item.id for item in found.items} == {f"{name}-{i.source_id}" for i in found.items}
    splits = Counter(item.split for item in found.items)
    assert splits == {"train": count - count // 2, "test": count // 2}
    assert (found.name, found.excluded) == (name, {})
    assert [i.id for i in load_question_set(name, items=9).items] == [
        item.id for item in found.items[:9]
    ]


def test_boolq_is_as_published(published: Path) -> None:
    """True and false are the csv's, and nothing is to be read first."""
    rows = rows_of(published / "items" / "boolq_valid.csv")
    for number, item in by_source("boolq").items():
        assert (item.question, item.target) == (
            rows[number]["Question"],
            rows[number]["Correct Answer"],
        )
        assert (item.kind, item.context, item.options, item.given) == ("true_false", "", (), ())


@pytest.mark.parametrize(("name", "options"), [("sciq", 4), ("lsat_ar", 5), ("sat_en", 4)])
def test_options_are_the_csvs(published: Path, name: str, options: int) -> None:
    """Options and letters are those of the csv, in its order."""
    rows = rows_of(published / "items" / f"{FILES[name][0]}.csv")
    letters = "ABCDE"[:options]
    for number, item in by_source(name).items():
        row = rows[number]
        assert item.options == tuple(row[f"Option {letter}"] for letter in letters)
        assert item.target == row["Correct Answer Letter"]
        assert item.target in letters
        assert (item.kind, item.given) == ("options", ())


@pytest.mark.parametrize(("name", "column"), [("lsat_ar", "Question"), ("sat_en", "query")])
def test_passages_and_questions_are_apart(published: Path, name: str, column: str) -> None:
    """What the csv has as one text is passage, question, and options that are said once."""
    rows = rows_of(published / "items" / f"{FILES[name][0]}.csv")
    for number, item in by_source(name).items():
        for text in (item.question, item.context):
            assert text
            assert text == text.strip()
            assert "Answer Choices:" not in text
            assert "Q: " not in text
        assert not item.question.endswith("the answer is")
        passage, asked = rows[number][column].split("Q: ")
        assert item.context == passage.strip()
        assert asked.startswith(item.question)
        rest = asked[len(item.question) :].strip()
        assert rest.startswith("Answer Choices:")
        for option in item.options:
            assert "".join(option.split()) in "".join(rest.split())


def test_sciq_questions_are_the_csvs(published: Path) -> None:
    """Whole, with nothing to be read first."""
    rows = rows_of(published / "items" / "sciq_test.csv")
    for number, item in by_source("sciq").items():
        assert (item.question, item.context) == (rows[number]["Question"], "")


def test_halueval_asks_of_both_answers(published: Path) -> None:
    """1,000 questions with the right answer and the hallucinated one: 2,000 judgments."""
    rows = rows_of(published / "items" / "halu_eval_qa.csv")
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


@pytest.mark.parametrize("name", [name for name in FILES if name != "boolq"])
def test_study_prompts_are_the_published_ones(published: Path, name: str) -> None:
    """Each question's messages are those of its ID, and there is one for each call."""
    rows = rows_of(published / "prompts" / f"{FILES[name][0]}_prompts.csv")
    found = study_prompts(name)
    assert found == {key: (row["Full Prompt"], row["System Prompt"]) for key, row in rows.items()}
    wanted = {
        f"{number}_{given.name}" if given else number: (item, given)
        for number, item in by_source(name).items()
        for given in item.given or (None,)
    }
    assert set(found) == set(wanted)
    for key, (item, given) in wanted.items():
        user = found[key][0]
        for text in (item.question, *item.options, given.text if given else ""):
            assert "".join(text.split()) in "".join(user.split())


@pytest.mark.parametrize("name", ["bundled", "statements", "mine.csv"])
def test_the_study_has_prompts_for_its_own_sets_only(name: str) -> None:
    """Others are refused, with those that there are."""
    with pytest.raises(InvalidArgument) as caught:
        study_prompts(name)
    message = caught.value.format_message()
    assert f"prompts=authors: the study has no prompts for {name}, only for boolq" in message
    assert "use prompts=ours" in message


@pytest.mark.parametrize("name", FILES)
def test_other_bytes_are_refused(home: Path, shared_data: Path, name: str) -> None:
    """A file in the cache of which one byte differs isn't used, and stays as it is."""
    content = bytearray((shared_data / ITEMS[name].name).read_bytes())
    content[-2] ^= 1
    copy = home / ITEMS[name].name
    copy.parent.mkdir(parents=True)
    copy.write_bytes(content)
    with pytest.raises(DataUnavailable) as caught:
        load_question_set(name)
    message = caught.value.format_message()
    assert "the file that is there has another sha256" in message
    assert "-T dataset=bundled" in message
    assert copy.read_bytes() == content


def test_missing_data_say_what_to_do(home: Path) -> None:
    """Without a network, questions and prompts are one error with address, place and remedy."""
    for name, source in ITEMS.items():
        with pytest.raises(DataUnavailable) as caught:
            load_question_set(name)
        message = caught.value.format_message()
        for part in (source.url, source.name, str(home), "no network", "-T dataset=bundled"):
            assert part in message
    for name, source in PROMPTS.items():
        with pytest.raises(DataUnavailable) as caught:
            study_prompts(name)
        message = caught.value.format_message()
        assert source.url in message
        assert "-T prompts=ours" in message


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


def test_unknown_names_are_refused(home: Path) -> None:
    """A mistyped set is an error with the nearest, a missing file one with its place."""
    for name, says in (
        ("sciqq", "dataset=sciqq is not known. Did you mean 'sciq'?"),
        ("mmlu", "dataset=mmlu is not known."),
        ("mine.csv", f"there is no file {home / 'mine.csv'}"),
    ):
        with pytest.raises(InvalidArgument) as caught:
            load_question_set(name)
        assert says in caught.value.format_message()


# A user's own file


def own(home: Path, *rows: dict[str, object]) -> Selection[SetQuestion]:
    """Rows as a jsonl file, loaded."""
    (home / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return load_question_set("mine.jsonl")


@pytest.mark.parametrize(
    ("target", "read"),
    [
        *((True, "True"), (False, "False"), ("true", "True"), (" FALSE ", "False")),
        *(("Yes", "True"), ("no", "False")),
    ],
)
def test_true_and_false_in_any_form(home: Path, target: object, read: str) -> None:
    """JSON booleans, words in any case, yes and no; with an answer it says whether it is right."""
    (item,) = own(home, {"question": "Is it?", "target": target}).items
    assert (item.kind, item.target, item.options, item.given) == ("true_false", read, (), ())
    (item,) = own(home, {"question": "Who?", "target": target, "answer": " I "}).items
    assert (item.kind, item.target, item.options) == ("given", "", ())
    ((given,),) = [item.given]
    assert (given.text, given.right) == ("I", read == "True")


@pytest.mark.parametrize(
    ("choices", "target", "letter"),
    [
        (["Rome", "Paris"], "B", "B"),
        ("Rome|Paris", "b", "B"),
        ('["Rome", "Paris"]', "Paris", "B"),
        (["true", "false"], "false", "B"),
        (["True", "False"], True, "A"),
        ([1, 2, 3], 3, "C"),
        ([str(number) for number in range(100, 126)], "Z", "Z"),
    ],
)
def test_targets_of_choices(home: Path, choices: object, target: object, letter: str) -> None:
    """With choices the target is a letter or a choice, also where choices are true and false."""
    (item,) = own(home, {"question": "Which?", "choices": choices, "target": target}).items
    assert (item.kind, item.target, item.given) == ("options", letter, ())


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


BAD_ROWS = [
    ({"target": "Paris"}, "target 'Paris' is neither true nor false; other questions need"),
    ({"target": "1"}, "target '1' is neither true nor false"),
    ({"target": 1}, "target '1' is neither true nor false"),
    ({"target": "A", "answer": "it"}, "target 'A' is neither true nor false"),
    ({"target": ""}, "'target' is missing"),
    ({"target": None}, "'target' is missing"),
    ({"target": True, "question": ""}, "'question' is missing"),
    (
        {"target": "A", "choices": ["x", "y"], "answer": "x"},
        "choices and answer exclude each other; leave one empty.",
    ),
    ({"target": "C", "choices": ["x", "y"]}, "neither a letter from A to B nor one of"),
    ({"target": "true", "choices": ["x", "y"]}, "neither a letter from A to B nor one of"),
    ({"target": "A", "choices": ["B", "A"]}, "a choice and the letter of another one"),
    ({"target": "A", "choices": ["x"]}, "1 choices; give 2 to 26"),
    ({"target": "A", "choices": [str(n) for n in range(27)]}, "27 choices; give 2 to 26"),
    ({"target": "A", "choices": ["x", "x"]}, "there twice: ['x', 'x']"),
    ({"target": "A", "choices": "x||y"}, "choices are empty"),
    ({"target": "A", "choices": 5}, 'write ["one", "other"] or one|other'),
    ({"target": "yes", "split": "dev"}, "split 'dev' is not train or test."),
]


@pytest.mark.parametrize(("row", "says"), BAD_ROWS)
def test_a_bad_row_is_one_error_with_file_and_row(
    home: Path, row: dict[str, object], says: str
) -> None:
    """What can't be used is an error that names the file, the row and the value."""
    with pytest.raises(InvalidArgument) as caught:
        own(home, {"question": "Good?", "target": False}, {"question": "Bad?", **row})
    message = caught.value.format_message()
    assert message.startswith("mine.jsonl, row 2: ")
    assert says in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.csv", "id,question,target\na,One?,yes\na,Two?,no\n", "the id 'a' stands there 2 times"),
        ("a.csv", "id,question,target\na-0002,One?,yes\n,Two?,no\n", "the id 'a-0002' stands"),
        ("a.csv", "question,target\n", "a.csv holds no rows"),
        ("a.csv", "", "a.csv holds no rows"),
        ("a.csv", "question\nOne?\n", "a.csv has no column 'target'; it has: question."),
        ("a.csv", "target\nyes\n", "a.csv has no column 'question'; it has: target."),
        ("a.csv", "question,target\nOne, two?,yes\n", "row 1 has more fields than the header"),
        ("a.csv", "question,target\nOne?\n", "row 1: 'target' is missing"),
        ("a.jsonl", '{"question": "One?", "target": true', "a.jsonl, line 1: "),
        ("a.jsonl", "[1]", "a.jsonl, line 1 is not an object"),
        ("a.txt", "question\tanswer", "a.txt: a data set is a .csv or .jsonl file."),
    ],
)
def test_a_bad_file_is_one_error(home: Path, name: str, text: str, says: str) -> None:
    """A file that can't be used as a whole is an error that names it."""
    (home / name).write_text(text, "utf-8")
    with pytest.raises(InvalidArgument) as caught:
        load_question_set(name)
    message = caught.value.format_message()
    assert message.startswith(name)
    assert says in message


@pytest.mark.parametrize("answer", [0, False])
def test_answers_of_zero_and_false_are_given(home: Path, answer: object) -> None:
    """In jsonl an answer may be a number or a boolean; 0 and false are answers."""
    (item,) = own(home, {"question": "How many?", "target": True, "answer": answer}).items
    assert item.kind == "given"
    assert [given.text for given in item.given] == [str(answer)]


def test_an_id_of_zero_is_an_id(home: Path) -> None:
    """In jsonl ids may be numbers, counted from 0."""
    rows = [{"id": n, "question": "Is it?", "target": True} for n in range(3)]
    assert {item.id for item in own(home, *rows).items} == {"0", "1", "2"}
