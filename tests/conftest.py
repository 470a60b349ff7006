"""What the tests share: the checkout, the real data, and Inspect's own command line."""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as in commands; read when numpy is loaded
os.environ.pop("COLUMNS", None)  # output has 80 columns, whatever the terminal's width

import gc
import ssl
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import packages_distributions
from importlib.util import module_from_spec, spec_from_file_location
from itertools import chain
from pathlib import Path
from types import ModuleType
from unittest.mock import Mock

import pytest
from hypothesis import settings
from inspect_ai import eval
from inspect_ai.log import EvalLog

from build import attributes_of, column_of, path_or_skip
from inspect_confidence.datasets.cache import CACHE_VARIABLE
from inspect_confidence.tasks.fermi_eval import fermi_eval
from remote import Remote, serving
from runs import QUIET

CHECKOUT = Path(__file__).parents[1]

# The same examples in every run: what fails, fails for everybody.
settings.register_profile("seeded", derandomize=True, deadline=None)
settings.load_profile("seeded")

# Collections at the usual thresholds take a seventh of the time: few objects are in cycles.
gc.set_threshold(50_000, 20, 50)

Command = Callable[..., "subprocess.CompletedProcess[str]"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option of `make validate`."""
    selection = "of each slow test its first case, and no thorough ones"
    parser.addoption("--brief", action="store_true", help=selection)


@pytest.hookimpl(tryfirst=True)  # before -m chooses by what a test is marked with
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A thorough test is slow too; `--brief` has none, and the first case of other slow ones."""
    thorough = [item for item in items if item.get_closest_marker("thorough")]
    for item in thorough:
        item.add_marker("slow")
    if config.getoption("brief"):
        slow = [item for item in items if item.get_closest_marker("slow")]
        of_tests = [item for item in slow if item not in thorough]
        first = {item.nodeid.partition("[")[0]: item for item in reversed(of_tests)}
        deselected = [item for item in slow if item not in first.values()]
        config.hook.pytest_deselected(items=deselected)
        items[:] = [item for item in items if item not in deselected]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with the real data sets, laid out as the cache is."""
    return path_or_skip(CHECKOUT.parent / "shared" / "data")


@pytest.fixture(autouse=True, scope="module")
def frozen() -> Iterator[None]:
    """What is imported is kept from garbage collection, which statsmodels asks for at each call."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True, scope="session")
def installed() -> Iterator[None]:
    """Installed packages are listed once: Inspect does it at each run of a copy of the package."""
    name = "inspect_ai._util.package.packages_distributions"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(name, cache(packages_distributions), raising=False)
        yield


@pytest.fixture(autouse=True, scope="session")
def no_certificates() -> Iterator[None]:
    """No certificates are read: local servers have no TLS, and a client reads all at each run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl.SSLContext, "load_verify_locations", lambda *_, **__: None)
        yield


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the user stands in: paths in arguments are relative to it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path))
    return tmp_path


@pytest.fixture
def offline(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the user stands in is the cache of downloads too, and there is no network."""
    monkeypatch.setenv(CACHE_VARIABLE, str(home))
    monkeypatch.setattr("requests.Session.send", Mock(side_effect=ConnectionError("no network")))
    return home


@pytest.fixture
def remote(monkeypatch: pytest.MonkeyPatch) -> Iterator[Remote]:
    """A server that is reached without a proxy and closed afterwards."""
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    with serving() as state:
        yield state


@pytest.fixture
def published(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The real data sets, used as the cache of downloads."""
    monkeypatch.setenv(CACHE_VARIABLE, str(shared_data))
    return shared_data


@pytest.fixture
def command() -> Command:
    """Runs an installed command as a user would, in a folder, with extra environment variables."""

    def run(
        *words: object, cwd: Path = CHECKOUT, check: bool = True, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        program, *arguments = map(str, words)
        done = subprocess.run(
            [Path(sys.executable).parent / program, *arguments],
            cwd=cwd,
            env={**os.environ, "PWD": str(cwd), "NO_COLOR": "1", **variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    return run


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the figures that validations recorded: docs/validation.md shows them."""
    passed = terminalreporter.stats.get("passed", []) + terminalreporter.stats.get("failed", [])
    properties = chain.from_iterable(attributes_of(passed, "user_properties"))
    figures = column_of(properties, 1)
    if figures:
        terminalreporter.section("figures")
        terminalreporter.write_line("\n".join(sorted(figures)))


def run_respondent(name: str, log_dir: Path, /, epochs: int = 1, **arguments: object) -> EvalLog:
    """FermiEval on bundled items with a simulated respondent, in this process.

    `respondent_*` arguments are the respondent's parameters, `max_connections` is Inspect's, the
    others are the task's.
    """
    parameters = {}
    for key in list(arguments):
        if key.startswith("respondent_"):
            parameters[key.removeprefix("respondent_")] = arguments.pop(key)
    connections = arguments.pop("max_connections", None)
    (log,) = eval(
        fermi_eval(dataset="bundled", **arguments),  # type: ignore[arg-type] # read by the task
        model=f"respondent/{name}",
        model_args=parameters,
        log_dir=str(log_dir),
        epochs=epochs,
        **QUIET,
        max_connections=connections,  # type: ignore[arg-type]
    )
    assert log.status == "success", log.error
    return log


def site_packages(env: Path) -> Path:
    """The empty site-packages of a new environment that sees this one's dependencies."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", env], check=True)
    (home,) = env.glob("lib/python*/site-packages")
    # A plain path: the editable install of this checkout is not seen through it.
    (home / "dependencies.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
    return home


def script(name: str, folder: str = "docs") -> ModuleType:
    """A script of docs/, or of another folder, as a module."""
    spec = spec_from_file_location(name, CHECKOUT / folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def files(folder: Path) -> dict[str, bytes]:
    """What lies in a folder and below: content by name."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
