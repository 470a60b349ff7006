"""The readers of task arguments, fed with everything that Inspect's command line makes of text.

It turns `80,90` into a list of text, `off` into False, `80` into a whole number, `1e3` into text
and an empty value into None.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.log import read_eval_log

import inspect_confidence.tasks
from conftest import run_respondent
from inspect_confidence import InvalidArgument
from inspect_confidence.arguments import (
    choice,
    fingerprint,
    integer,
    integer_range,
    numbers,
    refuse_unknown,
    standing,
    template,
    user_path,
)
from refusals import refused

TASK_FILES = Path(inspect_confidence.tasks.__file__).parent.resolve()
FIELDS = frozenset({"question", "level"})


# Names


def test_the_error_is_of_both_kinds_that_callers_may_expect() -> None:
    """Inspect's command line prints the one in a line, Python code expects the other."""
    assert issubclass(InvalidArgument, click.UsageError)
    assert issubclass(InvalidArgument, ValueError)


def test_a_known_name_passes() -> None:
    """Nothing is refused where there is nothing unknown."""
    passed: list[object] = [refuse_unknown({}, ["levels"])]  # type: ignore[func-returns-value]
    assert passed == [None]


def test_an_unknown_name_gets_the_nearest_known() -> None:
    """A mistyped argument's message has the name and the one that was meant."""
    said = refused(refuse_unknown, {"level": 80}, ["dataset", "levels", "seed"])
    assert said == "There is no task argument 'level'. Did you mean 'levels'?"


def test_an_unknown_name_without_a_near_one_gets_the_list() -> None:
    """A name that is like none of the known ones gets all of them, in alphabetical order."""
    said = refused(refuse_unknown, {"zzz": 1}, ["seed", "levels"])
    assert said == "There is no task argument 'zzz'. Known: levels, seed."


# One of a list of words


def test_choice_takes_the_word() -> None:
    """A known word is returned without the blanks around it."""
    for value in ["test", " test ", "test\n"]:
        assert choice("split", value, ("all", "test")) == "test"


def test_choice_refuses_anything_else() -> None:
    """A word that isn't there, or no word at all, is refused with its value and a known word."""
    for value in ["Test", "", False, True, None, 1, 0.5, ["test", "all"]]:
        said = refused(choice, "split", value, ("all", "test"))
        assert said.startswith(f"split={value} is not known.")
        assert "'test'" in said or "'all'" in said or "Known: all, test." in said, value


def test_choice_names_the_nearest() -> None:
    """A mistyped word gets the one that was meant."""
    assert "Did you mean 'test'?" in refused(choice, "split", "tets", ("all", "test"))


# Whole numbers


def test_integer_reads_every_form() -> None:
    """Numbers and their usual notations as text give the same whole number."""
    for value, number in [
        (3, 3),
        (-3, -3),
        (0, 0),
        (3.0, 3),
        ("3", 3),
        (" 3 ", 3),
        ("+3", 3),
        ("-3", -3),
        ("3.0", 3),
        ("1e3", 1000),
        ("1E3", 1000),
        ("2.5e2", 250),
        ("1,000", 1000),
        ("12,345,678", 12_345_678),
    ]:
        read = integer("seed", value)
        assert read == number
        assert type(read) is int, value


@given(st.integers(-(2**53), 2**53))
def test_integer_gives_back_what_was_written(number: int) -> None:
    """A whole number survives as itself, as a float, as text and as text with commas."""
    for form in (number, float(number), str(number), f"{number:,}"):
        assert integer("seed", form) == number


def test_integer_refuses_what_is_no_number() -> None:
    """Words, flags, nothing and infinity are refused with name, value and an example."""
    for value in [
        *("", "three", "1,0000", "10,00", "0x10", "1e", "inf", "-inf", "nan", "1e400"),
        *(False, True, None, [], [[3]], float("inf"), float("nan")),
    ]:
        said = refused(integer, "seed", value)
        shown = "" if value == [] else "[3]" if value == [[3]] else str(value)
        assert said.startswith(f"seed={shown} "), value
        reason, remedy = said.split("not a number")
        assert "whole" not in reason, value
        assert re.search(r"\d", remedy), value


def test_integer_refuses_a_list_that_is_no_number_with_commas() -> None:
    """Several numbers are refused as they were written, before Inspect split them."""
    split: list[list[object] | tuple[object, ...]] = [
        [3, 4],
        ["3", "4"],
        ["1", "00"],
        ["3", ""],
        ("a", "b"),
    ]
    for value in split:
        said = refused(integer, "seed", value)
        assert said.startswith(f"seed={','.join(map(str, value))} ")
        assert "not a number" in said, value


def test_integer_refuses_fractions() -> None:
    """A fraction isn't rounded in silence; the message has an example of a whole number."""
    for value in [2.5, "2.5", "25e-1", "-0.1"]:
        said = refused(integer, "seed", value)
        assert said.startswith(f"seed={value} ")
        _, remedy = said.split("not a whole number")
        assert re.search(r"\b\d+\b", remedy), value


def test_integer_takes_the_least() -> None:
    """The limit itself is allowed."""
    for value in [1, "1", 1.0, 2]:
        assert integer("items", value, least=1) >= 1


def test_integer_refuses_less_than_the_least() -> None:
    """A number below the limit is refused with the limit, and with what to give instead."""
    for value in [0, "0", -3, "-3", "-1e3"]:
        said = refused(integer, "items", value, least=1)
        assert said.startswith(f"items={value} ")
        assert "below 1" in said, value
        assert "1 or more" in said, value


def test_integer_keeps_the_digits_of_a_large_number() -> None:
    """A seed beyond 2 to the 53 isn't replaced by its neighbour."""
    for value in [
        *(2**53 + 1, str(2**53 + 1), f" +{2**53 + 1} ", f"{2**53 + 1:,}"),
        f"{2**53 + 1:,}".split(","),
    ]:
        assert integer("seed", value) == 2**53 + 1


def test_integer_reads_a_comma_that_inspect_has_split() -> None:
    """`-T items=1,000` arrives as a list of two texts and means a thousand."""
    for value, number in [
        (["1", "000"], 1000),
        (("12", "345", "678"), 12_345_678),
        (["-1", "000"], -1000),
        (["3"], 3),
    ]:
        assert integer("items", value) == number


# Lists of numbers


def test_numbers_reads_every_form() -> None:
    """Lists and text with commas give the same numbers, in the order in which they stand."""
    for value, read in [
        ("80,90", [80, 90]),
        ("90, 80", [90, 80]),
        ("80", [80]),
        ("80,", [80]),
        ("99.9,1e1", [99.9, 10]),
        (["80", "90"], [80, 90]),
        (["80", " 90"], [80, 90]),
        ([80, 90.5], [80, 90.5]),
        ((80, "90"), [80, 90]),
        (80, [80]),
        (80.5, [80.5]),
    ]:
        levels = numbers("levels", value, above=0, below=100)
        assert levels == read
        assert all(type(level) is float for level in levels), value


def test_numbers_names_the_part_that_is_none() -> None:
    """The message has the part that can't be read, not only the list, and an example."""
    for value, part in [
        ("80,x", "x"),
        ("80;90", "80;90"),
        ("80 90", "80 90"),
        (["80", "ninety"], "ninety"),
        ("nan", "nan"),
        ("inf", "inf"),
        (False, "False"),
        (True, "True"),
        (None, "None"),
        ([80, True], "True"),
        ([80, None], "None"),
        ([[80]], "[80]"),
    ]:
        said = refused(numbers, "levels", value, above=0, below=100)
        assert said.startswith(f"levels={part} ")
        _, remedy = said.split("not a number")
        assert re.search(r"\d", remedy), value


def test_numbers_excludes_both_limits() -> None:
    """A limit or anything beyond is refused with the limits."""
    for value in ["0", "100", "80,100", "-1", [80, 0], 101, 1e9, "1e3"]:
        said = refused(numbers, "levels", value, above=0, below=100)
        assert re.fullmatch(r"levels=\S+ is not between 0 and 100, both excluded\.", said), value


def test_numbers_takes_what_is_just_inside() -> None:
    """Numbers next to the limits are allowed."""
    for value in [[0.001, 99.999], "0.001,99.999"]:
        assert numbers("levels", value, above=0, below=100) == [0.001, 99.999]


def test_numbers_refuses_a_number_twice() -> None:
    """The same number in two notations counts as twice."""
    for value in ["80,80", "80,80.0", "80,8e1", [80, "80"]]:
        said = refused(numbers, "levels", value, above=0, below=100)
        assert said == f"levels={value} names a number twice."


def test_numbers_refuses_an_empty_list() -> None:
    """Nothing at all gets an example."""
    for value in ["", " ", ",", [], [""], ()]:
        said = refused(numbers, "levels", value, above=0, below=100)
        assert said == "levels is empty; give numbers such as levels=80,90.", value


# Ranges


@given(st.integers(), st.integers())
def test_range_gives_back_what_was_written(one: int, other: int) -> None:
    """Two whole numbers in ascending order are a range; in the other order they are refused."""
    low, high = min(one, other), max(one, other)
    assert integer_range("exponents", f"{low}..{high}") == (low, high)
    assert integer_range("exponents", f" {low:+} .. {high:+} ") == (low, high)
    if low < high:
        assert f"exponents={high}..{low}" in refused(integer_range, "exponents", f"{high}..{low}")


def test_range_refuses_anything_else() -> None:
    """What is no range gets name, value and an example."""
    for value in [
        *("", "5", "-5..", "..5", "-5...5", "-5-5", "1.0..2", "1e1..2e1", "a..b", "1..2..3"),
        *(5, 0.5, False, True, None, ["-5", "5"], (-5, 5)),
    ]:
        said = refused(integer_range, "exponents", value)
        assert said == f"exponents={value} is not a range of whole numbers such as -50..50."


# Files


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the user stands in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path))
    return tmp_path


def test_user_path_is_relative_to_the_user(home: Path) -> None:
    """A relative path starts where the user stands."""
    (home / "prompts").mkdir()
    (home / "prompts" / "p.txt").touch()
    assert user_path("prompt", "prompts/p.txt") == home / "prompts" / "p.txt"


def test_user_path_takes_an_absolute_path(
    home: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """An absolute path stays as it is, also as a Path."""
    file = tmp_path_factory.mktemp("elsewhere") / "p.txt"
    file.touch()
    assert user_path("prompt", str(file)) == user_path("prompt", file) == file


def test_user_path_knows_the_home_folder(
    home: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tilde that the shell left as it is means the home folder."""
    folder = tmp_path_factory.mktemp("user")
    (folder / "p.txt").touch()
    monkeypatch.setenv("HOME", str(folder))
    assert user_path("prompt", "~/p.txt") == folder / "p.txt"


def test_user_path_says_where_it_looked(home: Path) -> None:
    """A file that isn't there, or is a folder, is refused with the whole path and its start."""
    for value in ["p.txt", "a folder", False, 80, ["a", "b"]]:
        (home / "a folder").mkdir(exist_ok=True)
        said = refused(user_path, "prompt", value)
        assert said.startswith(f"prompt={value}: ")
        assert f"no file {home / str(value)}" in said
        assert "relative to where you stand" in said, value


def test_standing_is_the_working_directory(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside the tasks folder the working directory counts, whatever PWD says."""
    monkeypatch.setenv("PWD", "/")
    assert standing() == home


def test_standing_in_the_tasks_folder_is_the_shells(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While Inspect loads a task file, PWD still has the user's folder."""
    monkeypatch.chdir(TASK_FILES)
    assert standing() == home


def test_standing_behind_a_link_to_the_tasks_folder_is_the_shells(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A checkout's `tasks` is a link; Inspect goes through it into the real folder."""
    (home / "tasks").symlink_to(TASK_FILES)
    monkeypatch.chdir(home / "tasks")
    assert standing() == home


def test_standing_without_a_shell_is_the_working_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where PWD is not set, empty or gone, the tasks folder itself is the only one left."""
    for shell in [None, "", "/no/such/folder"]:
        monkeypatch.chdir(TASK_FILES)
        if shell is None:
            monkeypatch.delenv("PWD", raising=False)
        else:
            monkeypatch.setenv("PWD", shell)
        assert standing().resolve() == TASK_FILES, shell


def test_standing_in_a_folder_of_the_tasks_folders_name(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user's own folder called tasks is a folder like any other."""
    (home / "tasks").mkdir()
    monkeypatch.chdir(home / "tasks")
    assert standing() == home / "tasks"


# Templates


def test_template_returns_the_file_as_it_is(home: Path) -> None:
    """A prompt with its fields, also repeated, and with doubled braces is returned unchanged."""
    for text in [
        "{question} {level}",
        "{level}% {level}% of {question}\n",
        'Reply {{"lower": 1}} at {level}: {question}',
        "{{{question}}} {level}",
        "Größe: {question} {level}",
    ]:
        (home / "p.txt").write_text(text, encoding="utf-8")
        assert template("prompt", "p.txt", FIELDS) == text


def test_template_names_wanted_and_found_fields(home: Path) -> None:
    """A field that lacks or is too much is refused with both lists, and how to write braces."""
    for text, found in [
        ("{question}", "{question}"),
        ("{level}", "{level}"),
        ("no field", "none"),
        ("", "none"),
        ("{{question}} {level}", "{level}"),
        ("{question} {level} {unit}", "{level} {question} {unit}"),
        ("{question} {levels}", "{levels} {question}"),
        ("{} {level}", "{} {level}"),
        ("{question.text} {level}", "{level} {question.text}"),
        ("{ question } {level}", "{ question } {level}"),
    ]:
        (home / "p.txt").write_text(text, encoding="utf-8")
        said = refused(template, "prompt", "p.txt", FIELDS)
        assert said.startswith("prompt=p.txt: "), text
        _, of_the_file = said.split(" {level} {question}, ", maxsplit=1)
        assert re.search(rf"[a-z] {re.escape(found)}[;,.]", of_the_file)
        assert "{{ and }}" in of_the_file, text


def test_template_refuses_a_stray_brace(home: Path) -> None:
    """A brace that belongs to no field is refused with the way to write one."""
    for stray in ["{", "}", "{question", "question}"]:
        (home / "p.txt").write_text("{question} {level} " + stray, encoding="utf-8")
        said = refused(template, "prompt", "p.txt", FIELDS)
        assert said.startswith("prompt=p.txt: "), stray
        assert "{{ and }}" in said, stray


def test_template_without_fields_takes_none(home: Path) -> None:
    """Where a prompt has no field, a file that has one is refused."""
    (home / "plain.txt").write_text("Be brief.", encoding="utf-8")
    (home / "field.txt").write_text("Be {question}.", encoding="utf-8")
    assert template("prompt", "plain.txt", frozenset()) == "Be brief."
    said = refused(template, "prompt", "field.txt", frozenset())
    assert said.startswith("prompt=field.txt: ")
    assert re.search(r"\bnone\b.* \{question\}[;,.]", said)


def test_template_that_is_missing(home: Path) -> None:
    """A file that isn't there is refused with the path."""
    said = refused(template, "prompt", "p.txt", FIELDS)
    assert said.startswith("prompt=p.txt: ")
    assert f"no file {home / 'p.txt'}" in said


def test_template_that_is_not_utf_8(home: Path) -> None:
    """A prompt saved in another encoding is an argument error that names file and remedy."""
    (home / "p.txt").write_bytes("Größe {question} {level}".encode("latin-1"))
    said = refused(template, "prompt", "p.txt", FIELDS)
    assert str(home / "p.txt") in said
    assert "save it as UTF-8" in said


def test_template_with_a_byte_order_mark(home: Path) -> None:
    """The mark that Windows editors put first is no part of the prompt."""
    (home / "p.txt").write_text("{question} {level}", encoding="utf-8-sig")
    assert template("prompt", "p.txt", FIELDS) == "{question} {level}"


def test_template_with_a_format(home: Path) -> None:
    """A field with a format, which might not fit text, is refused before the run and shown."""
    for field in ["{question:d}", "{question:{width}}", "{question!r}"]:
        (home / "p.txt").write_text(f"{field} {{level}}", encoding="utf-8")
        said = refused(template, "prompt", "p.txt", FIELDS)
        assert said.startswith("prompt=p.txt: "), field
        assert field in said


def test_a_system_message_reaches_the_model_as_it_is(tmp_path: Path) -> None:
    """A system message has no fields: its braces, single or double, are braces."""
    for text in ['Reply as {"lower": 1}.', "A {{brace}} {question}, a } and a {"]:
        (tmp_path / "s.txt").write_text(text, encoding="utf-8")
        log = run_respondent(
            "calibrated", tmp_path / "logs", items=1, levels="90", system=str(tmp_path / "s.txt")
        )
        samples = read_eval_log(log.location).samples
        assert samples is not None, text
        assert samples[0].messages[0].role == "system", text
        assert samples[0].messages[0].text == text


# Fingerprints


def test_fingerprint_is_the_front_of_the_sha256() -> None:
    """The fingerprint is what `sha256sum` prints first for the text in UTF-8."""
    for text, start in [
        ("", "e3b0c44298fc"),  # the standard's own examples
        ("abc", "ba7816bf8f01"),
        ("Größe", hashlib.sha256(b"Gr\xc3\xb6\xc3\x9fe").hexdigest()[:12]),
    ]:
        assert fingerprint(text) == start
