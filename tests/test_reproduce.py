"""What a log keeps for whoever makes its run again, and the command that does."""

from __future__ import annotations

import hashlib
import shlex
import shutil
from collections.abc import Mapping
from contextlib import chdir
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st
from inspect_ai import eval
from inspect_ai._cli.main import inspect
from inspect_ai._util.config import parse_cli_args
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log, write_eval_log
from inspect_ai.model import GenerateConfig, ModelConfig, get_model

from build import column_of
from conftest import CHECKOUT
from inspect_confidence import InvalidArgument, __version__, _registry, read_judgments
from inspect_confidence.cli import main
from inspect_confidence.commands.command_line import write_argument
from inspect_confidence.commands.reproduce import reproduce
from inspect_confidence.datasets.cache import SOURCES
from inspect_confidence.prompts.confidence import PUBLISHED

PACKAGE = CHECKOUT / "src" / "inspect_confidence"
BUNDLED: list[tuple[str, Mapping[str, Any], list[str], list[str]]] = [
    ("fermi_eval", {"dataset": "bundled"}, ["fermi.jsonl"], ["fermi_eval"]),
    (
        "scale_variants",
        {"dataset": "bundled"},
        ["knowledge.jsonl", "misconceptions.jsonl", "word_problems.jsonl"],
        ["scale_variants"],
    ),
    ("wep_elicitation", {}, ["wep_contexts.jsonl"], ["wep_probes"]),
    ("wep_choice", {}, [], ["wep_probes"]),
    ("life_eval", {}, ["ssa_2022.csv"], ["life_eval"]),
    ("question_sets", {}, ["knowledge.jsonl"], ["question_sets"]),
    ("question_sets", {"dataset": "statements"}, ["statements.jsonl"], ["question_sets"]),
    ("hedge_markers", {"dataset": "facts"}, ["facts.jsonl"], ["hedge_markers", "judge"]),
    (
        "hedge_markers",
        {"dataset": "science,commonsense", "judge": "rules"},
        ["science.jsonl", "commonsense.jsonl", "markers.csv"],
        ["hedge_markers"],
    ),
    ("judge_check", {"parts": "pairs"}, ["judge_pairs.jsonl"], ["judge"]),
]
"""Task and arguments, bundled files that questions come from, and modules of prompts."""


def sha256(path: Path) -> str:
    """Of a file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def provenance(task: str, **arguments: Any) -> dict[str, Any]:
    """What a task's log keeps of its files, prompts and packages."""
    provenance_data: dict[str, Any] = getattr(_registry, task)(**arguments).metadata["provenance"]
    return provenance_data


@pytest.mark.parametrize(("task", "arguments", "files", "prompts"), BUNDLED)
def test_a_task_names_its_files_with_their_hashes(
    task: str, arguments: Mapping[str, Any], files: list[str], prompts: list[str]
) -> None:
    """Bundled data and prompts, hashed here by another library; versions of packages."""
    provenance_data = provenance(task, **arguments)
    folder = PACKAGE / "datasets" / "bundled"
    assert provenance_data["data"] == [
        {"file": f"bundled/{name}", "revision": "", "sha256": sha256(folder / name)}
        for name in files
    ]
    assert provenance_data["prompts"] == {
        f"prompts/{name}.py": sha256(PACKAGE / "prompts" / f"{name}.py") for name in prompts
    }
    assert provenance_data["packages"] == {
        name: version(name) for name in ("inspect_ai", "sentencex")
    }


@pytest.mark.parametrize(
    ("task", "arguments", "files"),
    [
        ("fermi_eval", {}, ["fermi/questions.json", "fermi/corrections.js"]),
        ("scale_variants", {"dataset": "gsm8k"}, ["qa/gsm8k_test.jsonl"]),
        ("question_sets", {"dataset": "sat_en"}, ["question_sets/items/sat_en.csv"]),
        (
            "life_eval",
            {"prompts": "authors"},
            ["bundled/ssa_2022.csv", "life_eval/life_eval_prompts.csv"],
        ),
        (
            "hedge_markers",
            {"dataset": "sciq", "split": "test", "judge": "rules", "prompts": "study"},
            [
                "question_sets/items/sciq_test.csv",
                "hedge_markers/prompts.py",
                "hedge_markers/utils.py",
                "bundled/markers.csv",
            ],
        ),
    ],
)
def test_downloads_are_named_with_the_hash_of_what_is_there(
    task: str, arguments: Mapping[str, Any], files: list[str], published: Path
) -> None:
    """The real files; those of a split that isn't asked for aren't there and aren't named."""
    files_recorded = provenance(task, **arguments)["data"]
    assert column_of(files_recorded, "file") == files
    for file_record in files_recorded:
        bundled = file_record["file"].startswith("bundled/")
        folder = PACKAGE / "datasets" if bundled else published
        assert file_record["sha256"] == sha256(folder / file_record["file"])
        assert (file_record["revision"] == "") == bundled


def made_again(line: str, folder: Path) -> EvalLog:
    """The log of a command as `inspect` runs it."""
    words = shlex.split(line)
    assert words[0] == "inspect"
    done = CliRunner().invoke(inspect, [*words[1:], "--log-dir", str(folder), "--display", "none"])
    assert done.exit_code == 0, done.output
    (info,) = list_eval_logs(str(folder))
    return read_eval_log(info)


def judgments_of_log(folder: Path) -> pd.DataFrame:
    """The judgments of a log, without the names that each run has of its own."""
    (frame,) = read_judgments(folder).values()
    run_columns = ["run", "uuid"]
    return (
        frame.drop(columns=run_columns)
        .sort_values(["item", "epoch", "draw"])
        .reset_index(drop=True)
    )


def test_the_printed_command_gives_the_same_judgments(tmp_path: Path) -> None:
    """Arguments, model arguments, range of samples, epochs and settings, run by Inspect itself."""
    first, repeated = tmp_path / "first", tmp_path / "again"
    (log,) = eval(
        "inspect_confidence/fermi_eval",
        model="respondent/tunnel",
        model_args={"seed": 5},
        task_args={
            "dataset": "bundled",
            "items": 4,
            "levels": [50, 90],
            "method": "tunnel",
            "draws": 3,
        },
        limit=(1, 5),
        epochs=2,
        temperature=0.5,
        stop_seqs=["END"],
        log_dir=str(first),
        display="none",
    )
    done = CliRunner().invoke(main, ["reproduce", log.location])
    assert done.exit_code == 0
    assert done.stdout == (
        "inspect eval inspect_confidence/fermi_eval --model respondent/tunnel -M seed=5 "
        "-T dataset=bundled -T items=4 -T 'levels=[50, 90]' -T method=tunnel -T draws=3 "
        "--limit 2-5 --epochs 2 --temperature 0.5 --stop-seqs END\n"
    )
    assert done.stderr == "unchanged: recorded versions and hashes that can be compared\n"
    repeated_log = made_again(done.stdout, repeated)
    assert repeated_log.eval.task_id != log.eval.task_id
    assert repeated_log.plan.config == log.plan.config
    assert len(judgments_of_log(first)) == 4 * 2 * 3
    pd.testing.assert_frame_equal(judgments_of_log(first), judgments_of_log(repeated))


@pytest.mark.slow
def test_a_judge_with_settings_and_an_eval_of_others(tmp_path: Path) -> None:
    """Roles keep their settings; a wrapped eval is named as the task that wraps it."""
    judge = get_model("respondent/judge", config=GenerateConfig(temperature=0.3), memoize=False)
    (log,) = eval(
        "inspect_confidence/hedge_markers",
        model="respondent/candid",
        model_roles={"grader": judge},
        task_args={"dataset": "facts", "items": 2, "draws": 2},
        sample_id=["facts-044"],
        log_dir=str(tmp_path / "first"),
        display="none",
    )
    line = reproduce(log.location).command
    repeated_log = made_again(line, tmp_path / "again")
    assert repeated_log.eval.model_roles == log.eval.model_roles
    pd.testing.assert_frame_equal(
        judgments_of_log(tmp_path / "first"), judgments_of_log(tmp_path / "again")
    )
    quiz = CHECKOUT / "examples" / "quiz.py"
    (log,) = eval(
        "inspect_confidence/with_confidence",
        model="respondent/candid",
        task_args={"task": str(quiz), "task_args": {"questions": 2}, "ways": ["stated", "words"]},
        log_dir=str(tmp_path / "quiz"),
        display="none",
    )
    reproduction = reproduce(log.location)
    assert not reproduction.changes
    assert not reproduction.notices
    assert reproduction.not_compared == [f"the eval itself, {log.eval.task}"]
    repeated_log = made_again(reproduction.command, tmp_path / "quiz again")
    assert repeated_log.eval.metadata == log.eval.metadata
    pd.testing.assert_frame_equal(
        judgments_of_log(tmp_path / "quiz"), judgments_of_log(tmp_path / "quiz again")
    )


@pytest.mark.parametrize(
    ("prompt", "ways", "scale"),
    [
        ("tian_2023", "stated", "0.0-1.0"),
        ("own", "alone", "0-20"),
        pytest.param("xiong_2024", "before", "0-100", marks=pytest.mark.slow),
    ],
)
def test_the_command_of_a_wording_asks_the_same_again_and_the_variant_names_it(
    prompt: str, ways: str, scale: str, home: Path
) -> None:
    """A published wording is compared with the installed one; a file's has its fingerprint."""
    wording = "{question} {answer} Sure, {low} to {high}?"
    (home / "own").write_text(wording)
    arguments: dict[str, Any] = {"ways": ways, "scale": scale}
    for folder, more in (("plain", {}), ("first", {"prompt": prompt})):
        with chdir(home):
            (log,) = eval(
                "inspect_confidence/with_confidence",
                model="respondent/candid",
                task_args={**arguments, **more},
                limit=2,
                log_dir=str(home / folder),
                display="none",
            )
    reproduction = reproduce(log.location)
    repeated_log = made_again(reproduction.command, home / "again")
    assert repeated_log.eval.metadata == log.eval.metadata
    assert not reproduction.changes
    eval_itself = f"the eval itself, {log.eval.task}"
    fingerprint = hashlib.sha256(wording.encode()).hexdigest()[:12]
    file = f"the wording of -T prompt (its fingerprint was {fingerprint})"
    assert reproduction.not_compared == ([file] if prompt == "own" else []) + [eval_itself]
    text = PUBLISHED[prompt].text if prompt != "own" else wording
    variant = f"prompt={prompt} {hashlib.sha256(text.encode()).hexdigest()[:12]}"
    rows = read_judgments([str(home / "plain"), str(home / "again")])["any_eval"]
    assert set(rows["variant"]) == {"prompt=default", variant}


@pytest.fixture(scope="module")
def source_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two questions and a wording of the user's, and the log of a run of them."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "mine.csv").write_text("id,question,exponent\na,How many?,2\nb,How far?,3\n")
    (folder / "asked.txt").write_text("{question} Give an interval at {level}%.")
    with chdir(folder):
        (log,) = eval(
            "inspect_confidence/fermi_eval",
            model="respondent/calibrated",
            task_args={"dataset": "mine.csv", "prompt": "asked.txt", "levels": 90},
            log_dir=str(folder),
            display="none",
        )
    Path(log.location).rename(folder / "own.eval")
    return folder


@pytest.fixture
def copied_log(source_folder: Path, home: Path) -> Path:
    """That log, and the files beside it, in the folder that the user stands in."""
    shutil.copytree(source_folder, home, dirs_exist_ok=True)
    return home / "own.eval"


def test_versions_and_hashes_that_differ_are_named(copied_log: Path, home: Path) -> None:
    """Versions and files of the package are compared; the user's files are not, nor opened."""
    assert reproduce(str(copied_log)).changes == []
    fingerprint = sha256(home / "mine.csv")[:12]
    for file in ("mine.csv", "asked.txt"):
        (home / file).unlink()
    log = read_eval_log(copied_log)
    assert log.eval.metadata
    wording = log.eval.metadata["prompt"]
    provenance = log.eval.metadata["provenance"]
    log.eval.metadata["package_version"] = "0.0.1"
    provenance["packages"]["sentencex"] = "0.9"
    provenance["packages"]["../sentencex"] = "1"
    provenance["prompts"] = {"prompts/fermi_eval.py": "0" * 64, "prompts/../cli.py": "0" * 64}
    provenance["data"] += [
        {"file": "bundled/fermi.jsonl", "revision": "", "sha256": "1" * 64},
        {"file": "fermi/questions.json", "revision": "", "sha256": "2" * 64},
        {"file": "bundled/../sources.toml", "revision": "", "sha256": "3" * 64},
    ]
    log.eval.task_version = "0-A"
    write_eval_log(log, copied_log)
    reproduction = reproduce(str(copied_log))
    bundled = sha256(PACKAGE / "datasets" / "bundled" / "fermi.jsonl")[:12]
    pinned = str(SOURCES["fermi/questions.json"].sha256)[:12]
    prompts = sha256(PACKAGE / "prompts" / "fermi_eval.py")[:12]
    assert sorted(reproduction.changes) == sorted(
        [
            f"inspect_confidence was 0.0.1, and is {__version__}",
            f"sentencex was 0.9, and is {version('sentencex')}",
            "../sentencex was 1, and is not installed",
            "the task's version was 0-A, and is 1-A",
            "the prompts' file prompts/fermi_eval.py has changed: sha256 000000000000, now "
            f"{prompts}",
            "the prompts' file prompts/../cli.py isn't in the package any more",
            f"the data file bundled/fermi.jsonl has changed: sha256 111111111111, now {bundled}",
            f"the data file fermi/questions.json has changed: sha256 222222222222, now {pinned}",
            "the data file bundled/../sources.toml isn't in the package any more",
        ]
    )
    assert reproduction.not_compared == [
        f"the user's data file mine.csv (sha256 was {fingerprint})",
        f"the wording of -T prompt (its fingerprint was {wording[:12]})",
    ]
    assert "-T dataset=mine.csv" in reproduction.command
    assert not reproduction.notices


@pytest.mark.parametrize("recorded", ["text", {"data": 3}, {"prompts": {"a": {}}}, {"data": [1]}])
def test_hashes_of_another_shape_are_not_read(copied_log: Path, recorded: object) -> None:
    """The command is printed, with a notice."""
    log = read_eval_log(copied_log)
    assert log.eval.metadata
    log.eval.metadata["provenance"] = recorded
    write_eval_log(log, copied_log)
    reproduction = reproduce(str(copied_log))
    assert "-T dataset=mine.csv" in reproduction.command
    assert reproduction.notices == ["the log's hashes of data files and prompts can't be read"]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text(), parts, max_size=3),
    max_leaves=6,
)


@given(VALUES)
@example("a, b")
@example("yes")
@example("007")
@example("a #b")
@example('["x"]')
@example("[]")
@example("@x")
@example("\t")
@example("\ud83d")
@example(1e20)
@example(["a, b", "c"])
@example({"a": "\U0001f600\n"})
def test_inspect_reads_an_argument_back_as_it_was(value: object) -> None:
    """Value and types, through a shell; only text with a comma can't be given, and says so."""
    argument = write_argument("x", value)
    assert argument.text.isprintable()
    inexpressible = isinstance(value, str) and "," in value
    assert argument.is_exact == (not inexpressible)
    (word,) = shlex.split(shlex.join([argument.text]))
    read = parse_cli_args([word])
    assert (repr(read) == repr({"x": value})) == argument.is_exact


def test_a_value_that_no_text_gives_has_a_notice(copied_log: Path) -> None:
    """The value is printed as it is nearest, and the notice names argument, value and remedy."""
    log = read_eval_log(copied_log)
    log.eval.task_args_passed = {"dataset": "a, b", "items": "007", "prompt": "\t"}
    log.eval.model_args = {"note": "x,y"}
    log.plan.config.stop_seqs = ["a,b", "c"]
    log.plan.config.system_message = "yes"
    log.eval.config.sample_id = ["a,b", "c"]
    write_eval_log(log, copied_log)
    reproduction = reproduce(str(copied_log))
    words = shlex.split(reproduction.command)
    assert {"dataset=a, b", "items='007'", 'prompt="\\t"', "note=x,y"} < {*words}
    assert words[words.index("--system-message") + 1] == "yes"
    assert "--stop-seqs" not in words
    assert "--sample-id" not in words
    notices = "\n".join(reproduction.notices)
    for part in (
        "-T dataset isn't exact: no text on a command line is read as 'a, b'; give it by "
        "--task-config FILE",
        "-M note isn't exact: no text on a command line is read as 'x,y'; give it by "
        "--model-config FILE",
        "stop_seqs can't be given as an option",
        "the samples' ids can't be given as an option",
    ):
        assert part in notices


def test_characters_that_a_terminal_does_not_show_have_a_notice(copied_log: Path) -> None:
    """Line breaks are printed as they are; a tab and an escape can't be."""
    log = read_eval_log(copied_log)
    log.plan.config.system_message = "first\nsecond"
    write_eval_log(log, copied_log)
    reproduction = reproduce(str(copied_log))
    assert not reproduction.notices
    assert "first\nsecond" in shlex.split(reproduction.command)
    log.plan.config.system_message = "a\tb"
    log.eval.model = "respondent/\x1b[2J"
    write_eval_log(log, copied_log)
    reproduction = reproduce(str(copied_log))
    assert reproduction.notices == [
        "system_message can't be given as an option: add it by --generate-config FILE",
        "the command isn't exact: characters that a terminal doesn't show are printed as codes",
    ]


def test_a_task_named_like_an_option_is_refused(copied_log: Path) -> None:
    """A command line would take it for an option."""
    log = read_eval_log(copied_log)
    log.eval.task = "inspect_confidence/with_confidence"
    log.eval.task_registry_name, log.eval.task_file = "--log-dir=x", None
    log.eval.metadata = {"confidence": {"package_version": __version__}}
    write_eval_log(log, copied_log)
    with pytest.raises(InvalidArgument, match=r"reads as an option; no command can run it"):
        reproduce(str(copied_log))


def test_secrets_stay_in_the_log(copied_log: Path) -> None:
    """Keys, addresses and headers of the model and of a role are named, not printed."""
    log = read_eval_log(copied_log)
    log.eval.model_base_url = "http://secret.example/v1"
    log.eval.model_args = {"api_key": "secret-1", "tier": "low"}
    role = ModelConfig(model="openai/judge", args={"auth_token": "secret-2"})
    log.eval.model_roles = {"grader": role}
    log.plan.config.extra_headers = {"x": "secret-3"}
    assert log.eval.metadata
    del log.eval.metadata["provenance"]
    write_eval_log(log, copied_log)
    reproduction = reproduce(str(copied_log))
    assert "secret" not in f"{reproduction.command} {reproduction.changes}"
    assert "secret-" not in f"{reproduction.notices}"
    assert "-M tier=low --model-role grader=openai/judge" in reproduction.command
    text = " ".join(reproduction.notices)
    for part in ("--model-base-url", "api_key", "grader", "no hashes"):
        assert part in text


def test_what_is_no_log_of_ours_is_refused(copied_log: Path, home: Path) -> None:
    """In one line that says what to do; another eval has a command of Inspect's."""
    (home / "broken.eval").write_text("no log")
    with pytest.raises(InvalidArgument, match=r"broken\.eval can't be read as a log .*; name one"):
        reproduce("broken.eval")
    log = read_eval_log(copied_log)
    log.eval.task = log.eval.task_registry_name = "other/quiz"
    log.eval.metadata = None
    write_eval_log(log, copied_log)
    done = CliRunner().invoke(main, ["reproduce", str(copied_log)])
    assert done.exit_code == 2
    assert "neither a task of this package" in done.stderr
