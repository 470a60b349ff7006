"""What is built and installed: the wheel, the links, the entry point, the generated pages."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

import inspect_confidence
from build import texts_starting
from conftest import CHECKOUT, Command, script, site_packages
from runs import inspect_printed


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of this checkout on a file system without symbolic links."""
    if not (CHECKOUT / ".git").exists():
        pytest.skip("this is no git checkout")
    folder = tmp_path_factory.mktemp("clone") / "plain"
    subprocess.run(
        ["git", "-c", "core.symlinks=false", "clone", "--quiet", CHECKOUT, folder], check=True
    )
    return folder


@pytest.mark.slow
def test_wheel_of_a_clone_without_links_runs(clone: Path, tmp_path: Path, command: Command) -> None:
    """The wheel holds every module once, and the task runs from it anywhere with its version."""
    assert (clone / "tasks").is_file()  # the link's target as text
    command("uv", "build", "--quiet", "--wheel", "--out-dir", tmp_path, clone)
    (wheel,) = tmp_path.glob("*.whl")
    home = site_packages(tmp_path / "env")
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        packed.extractall(home)
    for module in (clone / "src").rglob("*.py"):
        assert module.relative_to(clone / "src").as_posix() in names
    assert "inspect_confidence/py.typed" in names
    assert "inspect_confidence/datasets/bundled/fermi.jsonl" in names
    assert not texts_starting(names, ("tasks", "scorers", "src"))
    subprocess.run(
        [
            *(tmp_path / "env" / "bin" / "python", "-m", "inspect_ai", "eval"),
            *("inspect_confidence/fermi_eval", "--model", "respondent/tunnel"),
            *("-T", "dataset=bundled", "-T", "items=2", "--log-dir", "logs", "--display", "none"),
        ],
        cwd=tmp_path,
        check=True,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )
    (info,) = list_eval_logs(str(tmp_path / "logs"))
    log = read_eval_log(info.name)
    assert log.status == "success"
    assert log.eval.task == "inspect_confidence/fermi_eval"
    assert log.eval.packages["inspect_confidence"] == inspect_confidence.__version__
    assert log.eval.metadata is not None
    assert log.eval.metadata["package_version"] == inspect_confidence.__version__


def test_entry_point_loads_without_a_warning() -> None:
    """Inspect's entry point bears the package's name and its module imports cleanly."""
    (entry_point,) = {
        point
        for point in entry_points(group="inspect_ai")
        if point.value.startswith("inspect_confidence.")
    }
    assert entry_point.name == "inspect_confidence"
    script = f"import warnings; warnings.simplefilter('error'); import {entry_point.value}"
    subprocess.run([sys.executable, "-c", script], check=True, env=os.environ)


def test_list_tasks_finds_every_task(monkeypatch: pytest.MonkeyPatch) -> None:
    """`inspect list tasks` finds the tasks through the link."""
    monkeypatch.chdir(CHECKOUT)
    assert "tasks/fermi_eval.py@fermi_eval" in inspect_printed("list", "tasks", "tasks").stdout


def test_generated_pages_are_up_to_date() -> None:
    """docs/metrics.md is what the registry gives, docs/published.md ends with what is held."""
    generate = script("generate")
    assert (CHECKOUT / "docs" / "metrics.md").read_text(encoding="utf-8") == generate.metrics_page()
    # A heading stands above the metric that begins its table.
    assert set(generate.SUBJECTS) <= set(inspect_confidence.metrics.METRICS)
    published = (CHECKOUT / "docs" / "published.md").read_text(encoding="utf-8")
    assert published.split(generate.MARK)[1] == generate.published_tables()


def test_names_versions_and_links() -> None:
    """Everything in `__all__` is there, the version is said once, and links lead to the package."""
    for name in inspect_confidence.__all__:
        assert getattr(inspect_confidence, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        inspect_confidence.nothing  # noqa: B018 # the access is the test
    text = (CHECKOUT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{inspect_confidence.__version__}"' in text
    for name in ("tasks", "scorers"):
        assert (CHECKOUT / name).resolve() == CHECKOUT / "src" / "inspect_confidence" / name
