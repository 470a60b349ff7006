"""Logs that name code, files, models and addresses: no command runs, opens or asks any of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.log._log import EvalMetricDefinition, EvalScorer
from inspect_ai.model import ModelConfig

from build import attributes_of
from faults.ledger import held
from inspect_confidence import InvalidArgument
from inspect_confidence.cli import COMMANDS
from inspect_confidence.export import FORMATS
from inspect_confidence.judgments.rescoring import create_scorer
from inspect_confidence.tasks.fermi_eval import fermi_eval
from inspect_confidence.tasks.hedge_markers import hedge_markers
from inspect_confidence.tasks.life_eval import life_eval
from runs import QUIET, printed

MODULE = "named_by_a_log"
CODE = """\
from pathlib import Path
from inspect_ai import Task, task
Path(__file__).with_name("canary").touch()

@task
def trap(**given):
    return Task()
"""


class Watch:
    """What this process does while it is watched, from Python's own audit events."""

    def __init__(self) -> None:
        self.folder: Path | None = None
        self.seen: list[str] = []
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.folder is None:
            return
        if event == "open" and str(arguments[0]).startswith(str(self.folder)):
            self.seen.append(f"opened {arguments[0]}")
        elif event == "import" and MODULE in str(arguments[0]):
            self.seen.append(f"imported {arguments[0]}")
        elif event in ("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.system"):
            self.seen.append(f"{event} {arguments[:2]}")

    @contextmanager
    def on(self, folder: Path) -> Iterator[list[str]]:
        """The events while a block runs: files of the folder, imports, processes, addresses."""
        self.folder, self.seen = folder, []
        try:
            yield self.seen
        finally:
            self.folder = None


@pytest.fixture(scope="module")
def watch() -> Watch:
    """A hook can't be removed, so there is one."""
    return Watch()


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A folder with what logs name; nothing of it may be touched."""
    folder = tmp_path / "trap"
    folder.mkdir()
    (folder / f"{MODULE}.py").write_text(CODE)
    (folder / "prompt.txt").write_text("{question}")
    rows = [f"{age},0.01,0.01" for age in range(119)]
    (folder / "lives.csv").write_text("\n".join(["age,male,female", *rows, "119,1,1\n"]))
    return folder


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A small log of three tasks each."""
    tasks = {
        "fermi_eval": ("calibrated", fermi_eval(dataset="bundled", items=2, levels="90")),
        "life_eval": ("actuary", life_eval(ages="30", sexes="male", radii="2,5")),
        "hedge_markers": (
            "candid",
            hedge_markers(dataset="facts", items=1, draws=2, judge="rules"),
        ),
    }
    logs_by_name = {}
    for name, (respondent, task) in tasks.items():
        folder = tmp_path_factory.mktemp(name)
        (log,) = eval(task, model=f"respondent/{respondent}", log_dir=str(folder), **QUIET)
        assert log.status == "success", log.error
        logs_by_name[name] = Path(log.location)
    return logs_by_name


def of_file(log: EvalLog, trap: Path) -> None:
    """The log is of with_confidence, and the wrapped eval is a file."""
    log.eval.task = log.eval.task_registry_name = "inspect_confidence/with_confidence"
    log.eval.task_args = log.eval.task_args_passed = {"task": f"{trap}/{MODULE}.py@trap"}
    log.eval.metadata = {**(log.eval.metadata or {}), "confidence": {"package_version": "0.1.0"}}


def of_task_file(log: EvalLog, trap: Path) -> None:
    """The task is in a file of its own."""
    of_file(log, trap)
    log.eval.task = log.eval.task_registry_name = "trap"
    log.eval.task_file = f"{trap}/{MODULE}.py"


def arguments(log: EvalLog, trap: Path) -> None:
    """The task's arguments, data set and provenance are files."""
    wording = {"prompt": f"{trap}/prompt.txt", "system": f"{trap}/prompt.txt"}
    log.eval.task_args = log.eval.task_args_passed = {**wording, "dataset": f"{trap}/lives.csv"}
    log.eval.dataset.location = f"{trap}/lives.csv"
    assert log.eval.metadata
    log.eval.metadata["provenance"] |= {
        "data": [{"file": f"{trap}/lives.csv", "revision": "", "sha256": "0"}],
        "prompts": {f"{trap}/{MODULE}.py": "0"},
        "packages": {MODULE: "1", f"{trap}": "1"},
    }


def model(log: EvalLog, trap: Path) -> None:
    """Model, roles and address are somebody's, and so is what reduces and measures scores."""
    log.eval.model, log.eval.model_base_url = "openai/trap", "http://127.0.0.1:9/v1"
    log.eval.model_args = {"api_key": "k", "model_path": str(trap)}
    role = ModelConfig(model="openai/trap", base_url="http://127.0.0.1:9/v1")
    log.eval.model_roles = {"grader": role}
    log.eval.metrics = [EvalMetricDefinition(name=f"{MODULE}/trap", options={})]
    log.eval.config.epochs_reducer = [f"{MODULE}/trap"]


def scored_by(name: str, **options: object) -> Callable[[EvalLog, Path], None]:
    """The log's scorer is another; `TRAP` in an option is the folder."""

    def craft(log: EvalLog, trap: Path) -> None:
        filled = {key: str(value).replace("TRAP", str(trap)) for key, value in options.items()}
        log.eval.scorers = [EvalScorer(name=name, options=filled)]

    return craft


def of_table(log: EvalLog, trap: Path) -> None:
    """The samples were asked about a life table in a file."""
    for sample in log.samples or []:
        sample.metadata["table"] = f"{trap}/lives.csv"


CRAFTED: dict[str, tuple[str, Callable[[EvalLog, Path], None]]] = {
    "wrapped file": ("fermi_eval", of_file),
    "task file": ("fermi_eval", of_task_file),
    "arguments": ("fermi_eval", arguments),
    "model": ("fermi_eval", model),
    "scorer is with_confidence": (
        "fermi_eval",
        scored_by("with_confidence", task=f"TRAP/{MODULE}.py@trap"),
    ),
    "scorer is a task": (
        "fermi_eval",
        scored_by("inspect_confidence/fermi_eval", dataset="bundled", prompt="TRAP/prompt.txt"),
    ),
    "scorer is a module": ("fermi_eval", scored_by(f"{MODULE}/trap")),
    "scorer asks for confidence": ("fermi_eval", scored_by("confidence", ways="stated")),
    "judge's prompts": (
        "hedge_markers",
        scored_by("hedged", judge="rules", judge_prompts="TRAP/prompt.txt"),
    ),
    "judge's study prompts": (
        "hedge_markers",
        scored_by("hedged", judge="rules", judge_prompts="study"),
    ),
    "judge by default": ("hedge_markers", scored_by("hedged")),
    "scorer's table": ("life_eval", scored_by("age_at_death", table="TRAP/lives.csv")),
    "sample's table": ("life_eval", of_table),
}


def commands(logs: Path, out: Path) -> Iterator[list[object]]:
    """Every command that reads logs, with what it needs."""
    options = ("--resamples", "10")
    for executor in ("none", "threads:2"):
        yield ["summarize", logs, "--reread", "--json", *options, "--executor", executor]
    yield ["summarize", logs, "--json", *options]
    yield ["unread", logs, "--reread", "--json"]
    yield ["check", logs, "--require", "coverage>=0.5", "--json", *options]
    yield ["compare", logs, "--json", *options]
    yield ["cite", logs]
    yield ["judgments", logs, "-o", out / "judgments.parquet"]
    yield ["ingest", logs, "-o", out / "store"]
    yield ["report", logs, "-o", out / "report", *options]
    for name in FORMATS:
        yield ["export", logs, "--format", name, "-o", out / name, *options]
    yield ["recalibrate", logs, "-o", out / "maps.json", *options]
    yield ["threshold", logs, "--json"]
    yield ["canonicalize", logs, "-o", out / "forms.json"]
    yield ["plan", "--detect", "accuracy=0.1", "--pilot", logs, "--json"]
    yield ["summarize", logs, "--judge-labels", logs, "--json", *options]
    for log in sorted(logs.glob("*.eval")):
        yield ["reproduce", log]


NO_LOGS_READ = {"run"}
"""Takes a study file."""


def watched(
    name: str, logs: dict[str, Path], trap: Path, tmp_path: Path, watch: Watch, used: set[str]
) -> dict[str, bool]:
    """Whether each command in `used`, or each of all if it is empty, touched nothing, by case."""
    base, craft = CRAFTED[name]
    folder, out = tmp_path / name, tmp_path / f"{name} out"
    folder.mkdir()
    out.mkdir()
    log = read_eval_log(str(logs[base]))
    craft(log, trap)
    write_eval_log(log, str(folder / "crafted.eval"))
    outcomes: dict[str, bool] = {}
    for words in commands(folder, out):
        if used and words[0] not in used:
            continue
        with watch.on(trap) as events:
            printed(*words, code=None)
        outcomes[" ".join([f"{name}:", *map(str, words)])] = not events
    return outcomes


@pytest.mark.parametrize(
    "name", ["wrapped file", "scorer is with_confidence", "judge's prompts", "sample's table"]
)
def test_a_log_is_read_again_and_reproduced_without_what_it_names(
    name: str, logs: dict[str, Path], trap: Path, tmp_path: Path, watch: Watch
) -> None:
    """The two commands that ran what a log named."""
    outcomes = watched(name, logs, trap, tmp_path, watch, {"reproduce", "unread"})
    assert len(outcomes) == 2
    assert all(outcomes.values()), outcomes
    assert not (trap / "canary").exists()


@pytest.mark.slow
def test_nothing_that_a_log_names_is_run_opened_or_asked(
    logs: dict[str, Path], trap: Path, tmp_path: Path, watch: Watch
) -> None:
    """Python's audit events see no file of the folder, no import, no process and no connection."""
    outcomes: dict[str, bool] = {}
    for name in CRAFTED:
        outcomes |= watched(name, logs, trap, tmp_path, watch, set())
    used = {case.split(": ")[1].split()[0] for case in outcomes}
    assert used == set(attributes_of(COMMANDS, "name")) - NO_LOGS_READ
    assert not (trap / "canary").exists()
    assert not held(
        "hostile",
        f"{len(CRAFTED)} logs that name code, files, models and addresses, read by "
        f"{len(used)} commands",
        outcomes,
        "nothing in them is imported, run, opened or asked; --reread keeps the judgments, says why",
        "nothing",
    )


def test_the_watch_sees_what_code_does(trap: Path, watch: Watch) -> None:
    """An import from the folder, and the file that it leaves, are seen."""
    sys.path.insert(0, str(trap))
    try:
        with watch.on(trap) as events:
            __import__(MODULE)
    finally:
        sys.path.remove(str(trap))
        sys.modules.pop(MODULE, None)
    assert (trap / "canary").exists()
    assert any(event.startswith("imported") for event in events)
    assert any(event.startswith("opened") for event in events)


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("with_confidence", {"task": "a.py"}, "which isn't one of inspect_confidence's"),
        ("fermi_eval", {}, "which isn't one of inspect_confidence's"),
        ("other/interval", {}, "which isn't one of inspect_confidence's"),
        ("confidence", {}, "which isn't one of inspect_confidence's"),
        ("interval", {"x": 1}, "option 'x' of the scorer interval is 1"),
        ("hedged", {}, "no option judge of the scorer hedged"),
        ("hedged", {"judge": "model"}, "option 'judge' of the scorer hedged is 'model'"),
        ("hedged", {"judge": "rules", "batch_judgments": 1}, "'batch_judgments' .* is 1"),
        ("hedged", {"judge": "rules", "judge_prompts": "a.txt"}, "'judge_prompts' .* is 'a.txt'"),
        ("age_at_death", {"table": "a.csv"}, "'table' .* is 'a.csv'"),
        ("age_at_death", {"window": ["closed"]}, "'window' .* is"),
    ],
)
def test_scorers_and_options_beyond_the_list_are_refused(
    name: str, options: dict[str, object], says: str
) -> None:
    """By name, before anything is made."""
    with pytest.raises(InvalidArgument, match=says):
        create_scorer(name, options)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("inspect_confidence/interval", {}),
        ("hedged", {"judge": "rules", "batch_judgments": None, "judge_prompts": None}),
        ("age_at_death", {"table": None, "window": "closed"}),
    ],
)
def test_own_scorers_are_created_from_a_log(name: str, options: dict[str, object]) -> None:
    """With the options that their tasks give."""
    assert callable(create_scorer(name, options))
