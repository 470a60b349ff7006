"""The readers of task arguments, fed with everything that Inspect's command line makes of text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import Task
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
    shell_folder,
    template,
    user_path,
)
from inspect_confidence.tasks.decisions import abstain
from inspect_confidence.tasks.fermi_eval import fermi_eval
from inspect_confidence.tasks.life_eval import life_eval
from inspect_confidence.tasks.wep_probes import wep_elicitation
from refusals import refused

TASK_FILES = Path(inspect_confidence.tasks.__file__).parent.resolve()
FIELDS = frozenset({"question", "level"})


# Names and words


def test_an_unknown_name_gets_the_nearest_known_or_the_list() -> None:
    """In alphabetical order; the error is of both kinds that Inspect and Python code expect."""
    assert issubclass(InvalidArgument, click.UsageError)
    assert issubclass(InvalidArgument, ValueError)
    refuse_unknown({}, ["levels"])
    for known_names, name, says in (
        (["dataset", "levels", "seed"], "level", "Did you mean 'levels'?"),
        (["seed", "levels"], "zzz", "Known: levels, seed."),
    ):
        message = refused(refuse_unknown, {name: 80}, known_names)
        assert message == f"There is no task argument '{name}'. {says}"


def test_choice() -> None:
    """A known word without the blanks around it; else the value and a known word, the nearest."""
    words = ("all", "test")
    for value in ["test", " test ", "test\n"]:
        assert choice("split", value, words) == "test"
    for wrong in ["Test", "", False, True, None, 1, 0.5, ["test", "all"]]:
        message = refused(choice, "split", wrong, words)
        assert message.startswith(f"split={wrong} is not known.")
        assert "'test'" in message or "'all'" in message or "Known: all, test." in message, wrong
    assert "Did you mean 'test'?" in refused(choice, "split", "tets", words)


# Whole numbers

LARGE = 2**53 + 1
WHOLE: list[tuple[object, int]] = [
    *[(3, 3), (-3, -3), (0, 0), (3.0, 3), ("3", 3), (" 3 ", 3), ("+3", 3), ("-3", -3), ("3.0", 3)],
    *[("1e3", 1000), ("1E3", 1000), ("2.5e2", 250), ("1,000", 1000), ("12,345,678", 12_345_678)],
    # Digits beyond what floats hold are kept.
    *[(LARGE, LARGE), (str(LARGE), LARGE), (f" +{LARGE} ", LARGE), (f"{LARGE:,}", LARGE)],
    # `-T items=1,000` arrives as a list of two texts and means a thousand.
    *[(["1", "000"], 1000), (("12", "345", "678"), 12_345_678), (["-1", "000"], -1000)],
    *[(["3"], 3), (f"{LARGE:,}".split(","), LARGE)],
]


def test_integer_reads_every_form() -> None:
    """Numbers and their usual notations as text give the same whole number."""
    for value, number in WHOLE:
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
        # Several numbers, as they were written before Inspect split them.
        *([3, 4], ["3", "4"], ["1", "00"], ["3", ""], ("a", "b")),
    ]:
        message = refused(integer, "seed", value)
        is_sequence = isinstance(value, list | tuple)
        value_text = ",".join(map(str, value)) if is_sequence else value  # type: ignore[arg-type]
        assert message.startswith(f"seed={value_text} "), value
        reason, remedy = message.split("not a number")
        assert "whole" not in reason, value
        assert re.search(r"\d", remedy), value


def test_integer_refuses_fractions_and_what_is_below_the_least() -> None:
    """Nothing is rounded in silence; the limit itself is allowed; each says what to give."""
    for value in [2.5, "2.5", "25e-1", "-0.1"]:
        message = refused(integer, "seed", value)
        assert message.startswith(f"seed={value} ")
        _, remedy = message.split("not a whole number")
        assert re.search(r"\b\d+\b", remedy), value
    for enough in [1, "1", 1.0, 2]:
        assert integer("items", enough, minimum=1) >= 1
    for value in [0, "0", -3, "-3", "-1e3"]:
        message = refused(integer, "items", value, minimum=1)
        assert message.startswith(f"items={value} ")
        assert "below 1" in message, value
        assert "1 or more" in message, value


# Lists of numbers


def test_numbers_reads_every_form() -> None:
    """Lists and text with commas give the same numbers, in the order in which they stand."""
    for value, read in [
        *[("80,90", [80, 90]), ("90, 80", [90, 80]), ("80", [80]), ("80,", [80])],
        *[("99.9,1e1", [99.9, 10]), (["80", "90"], [80, 90]), (["80", " 90"], [80, 90])],
        *[([80, 90.5], [80, 90.5]), ((80, "90"), [80, 90]), (80, [80]), (80.5, [80.5])],
        *[([0.001, 99.999], [0.001, 99.999]), ("0.001,99.999", [0.001, 99.999])],
    ]:
        levels = numbers("levels", value, above=0, below=100)
        assert levels == read
        for level in levels:
            assert type(level) is float, value


def test_conditions_are_the_numbers_that_prompts_and_ids_write() -> None:
    """A target of 0.9999999 would be written 1, whose penalty is infinite; ids are distinct."""
    for targets in ["0.9999999", "0.75,0.75000001"]:
        message = refused(abstain, dataset="knowledge", targets=targets)
        assert "not from 0 to below 1" in message or "names a target twice" in message
    (sample,) = abstain(dataset="knowledge", items=1, targets="0.12345678").dataset
    assert (sample.metadata or {})["confidence_target"] == 0.123457
    assert str(sample.id).endswith("@t=0.123457")


def test_blanks_around_a_word_change_nothing() -> None:
    """A word of an argument is the same word with blanks around it."""
    cases: list[tuple[Callable[..., Task], dict[str, str]]] = [
        (fermi_eval, {"dataset": "bundled", "method": "tunnel", "items": "2"}),
        (life_eval, {"sexes": "both", "window": "closed", "items": "2"}),
        (wep_elicitation, {"dataset": "bundled", "words": "survey", "items": "2"}),
    ]
    for build, arguments in cases:
        task = build(**arguments)
        padded = build(**{name: f" {word} " for name, word in arguments.items()})
        assert padded.metadata == task.metadata
        assert list(padded.dataset) == list(task.dataset)


def test_numbers_names_the_part_that_is_none() -> None:
    """The message has the part that can't be read, not only the list, and an example."""
    for value, part in [
        *[("80,x", "x"), ("80;90", "80;90"), ("80 90", "80 90"), (["80", "ninety"], "ninety")],
        *[("nan", "nan"), ("inf", "inf"), (False, "False"), (True, "True"), (None, "None")],
        *[([80, True], "True"), ([80, None], "None"), ([[80]], "[80]")],
    ]:
        message = refused(numbers, "levels", value, above=0, below=100)
        assert message.startswith(f"levels={part} ")
        _, remedy = message.split("not a number")
        assert re.search(r"\d", remedy), value


def test_numbers_refuses_limits_repetitions_and_nothing() -> None:
    """Both limits are excluded; two notations of a number are one; nothing gets an example."""
    for value in ["0", "100", "80,100", "-1", [80, 0], 101, 1e9, "1e3", 99.99999999]:
        message = refused(numbers, "levels", value, above=0, below=100)
        assert re.fullmatch(r"levels=\S+ is not between 0 and 100, both excluded\.", message), value
    for value in ["80,80", "80,80.0", "80,8e1", [80, "80"], "80,80.0000001"]:
        message = refused(numbers, "levels", value, above=0, below=100)
        assert message == f"levels={value} names a number twice."
    for value in ["", " ", ",", [], [""], ()]:
        message = refused(numbers, "levels", value, above=0, below=100)
        assert message == "levels is empty; give numbers such as levels=80,90.", value


# Ranges


@given(st.integers(), st.integers())
def test_range_gives_back_what_was_written(start: int, stop: int) -> None:
    """Two whole numbers in ascending order are a range; in the other order they are refused."""
    low, high = min(start, stop), max(start, stop)
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
        message = refused(integer_range, "exponents", value)
        assert message == f"exponents={value} is not a range of whole numbers such as -50..50."


# Files


def test_user_path(home: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Relative to where the user stands, absolute also as a Path, or with a tilde left as it is."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (home / "prompts").mkdir()
    for folder in (home / "prompts", elsewhere):
        (folder / "p.txt").touch()
    assert user_path("prompt", "prompts/p.txt") == home / "prompts" / "p.txt"
    file = elsewhere / "p.txt"
    assert user_path("prompt", str(file)) == user_path("prompt", file) == file
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(elsewhere))
        assert user_path("prompt", "~/p.txt") == file


def test_user_path_says_where_it_looked(home: Path) -> None:
    """A file that isn't there, or is a folder, is refused with the whole path and its start."""
    (home / "a folder").mkdir()
    for value in ["p.txt", "a folder", False, 80, ["a", "b"]]:
        message = refused(user_path, "prompt", value)
        assert message.startswith(f"prompt={value}: ")
        assert f"no file {home / str(value)}" in message
        assert "relative to the working directory" in message, value


def test_standing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory, whatever PWD says, but while Inspect loads a task file."""
    # It goes into the tasks folder for that, through a checkout's link too; PWD still has the
    # user's. A user's own folder called tasks is a folder like any other.
    (home / "link").mkdir()
    (home / "link" / "tasks").symlink_to(TASK_FILES)
    (home / "tasks").mkdir()
    for place, pwd, expected in (
        (home, "/", home),
        (TASK_FILES, str(home), home),
        (home / "link" / "tasks", str(home), home),
        (home / "tasks", str(home), home / "tasks"),
        *((TASK_FILES, gone, TASK_FILES) for gone in (None, "", "/no/such/folder")),
    ):
        monkeypatch.chdir(place)
        if pwd is None:
            monkeypatch.delenv("PWD")
        else:
            monkeypatch.setenv("PWD", pwd)
        folder = shell_folder().resolve() if expected is TASK_FILES else shell_folder()
        assert folder == expected, (place, pwd)


# Templates


def test_template_returns_the_file_as_it_is(home: Path) -> None:
    """With its fields, also repeated, and with doubled braces; but for the mark editors put."""
    for text in [
        *("{question} {level}", "{level}% {level}% of {question}\n", "{{{question}}} {level}"),
        *('Reply {{"lower": 1}} at {level}: {question}', "Größe: {question} {level}"),
    ]:
        for encoding in ("utf-8", "utf-8-sig"):
            (home / "p.txt").write_text(text, encoding=encoding)
            assert template("prompt", "p.txt", FIELDS) == text
    (home / "p.txt").write_text("Be brief.", "utf-8")
    assert template("prompt", "p.txt", frozenset()) == "Be brief."


def test_template_names_wanted_and_found_fields(home: Path) -> None:
    """A field that lacks or is too much is refused with both lists, and how to write braces."""
    for text, fields_text in [
        *[("{question}", "{question}"), ("{level}", "{level}"), ("no field", "none"), ("", "none")],
        *[("{{question}} {level}", "{level}"), ("{} {level}", "{} {level}")],
        ("{question} {level} {unit}", "{level} {question} {unit}"),
        ("{question} {levels}", "{levels} {question}"),
        ("{question.text} {level}", "{level} {question.text}"),
        ("{ question } {level}", "{ question } {level}"),
    ]:
        (home / "p.txt").write_text(text, encoding="utf-8")
        message = refused(template, "prompt", "p.txt", FIELDS)
        assert message.startswith("prompt=p.txt: "), text
        _, of_the_file = message.split(" {level} {question}, ", maxsplit=1)
        assert re.search(rf"[a-z] {re.escape(fields_text)}[;,.]", of_the_file)
        assert "{{ and }}" in of_the_file, text
    (home / "p.txt").write_text("Be {question}.", "utf-8")
    message = refused(template, "prompt", "p.txt", frozenset())
    assert message.startswith("prompt=p.txt: ")
    assert re.search(r"\bnone\b.* \{question\}[;,.]", message)


def test_template_refuses_what_cannot_be_filled_or_read(home: Path) -> None:
    """Stray braces, formats, which might not fit text, a missing file and another encoding."""
    for text, says in [
        *(
            (f"{{question}} {{level}} {x}", "{{ and }}")
            for x in ("{", "}", "{question", "question}")
        ),
        *((f"{x} {{level}}", x) for x in ("{question:d}", "{question:{width}}", "{question!r}")),
        (None, f"no file {home / 'p.txt'}"),
        (b"Gr\xf6\xdfe {question} {level}", f"{home / 'p.txt'}"),
        (b"Gr\xf6\xdfe {question} {level}", "save it as UTF-8"),
    ]:
        (home / "p.txt").unlink(missing_ok=True)
        if text is not None:
            (home / "p.txt").write_bytes(text.encode() if isinstance(text, str) else text)
        message = refused(template, "prompt", "p.txt", FIELDS)
        assert message.startswith("prompt=p.txt: ") or isinstance(text, bytes), message
        assert says in message, text


def test_a_system_message_reaches_the_model_as_it_is(tmp_path: Path) -> None:
    """A system message has no fields: its braces, single or double, are braces."""
    for text in ['Reply as {"lower": 1}.', "A {{brace}} {question}, a } and a {"]:
        place = tmp_path / "s.txt"
        place.write_text(text, encoding="utf-8")
        log = run_respondent("calibrated", tmp_path, items=1, levels="90", system=str(place))
        (sample, *_) = read_eval_log(log.location).samples or []
        assert (sample.messages[0].role, sample.messages[0].text) == ("system", text)


def test_fingerprint_is_the_front_of_the_sha256() -> None:
    """The fingerprint is what `sha256sum` prints first for the text in UTF-8."""
    for text, start in [
        ("", "e3b0c44298fc"),  # the standard's own examples
        ("abc", "ba7816bf8f01"),
        ("Größe", hashlib.sha256(b"Gr\xc3\xb6\xc3\x9fe").hexdigest()[:12]),
    ]:
        assert fingerprint(text) == start
