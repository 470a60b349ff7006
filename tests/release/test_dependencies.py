"""Floors of what the package needs: what its parts take, and how long versions are supported."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.metadata import packages_distributions
from importlib.resources import files
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name
from packaging.version import Version

from build import column_of
from conftest import CHECKOUT
from release.project import lowest, pyproject, requirements

TWO_YEARS = timedelta(days=730)
PROVIDERS = {
    "openai": "validate_openai_client",
    "anthropic": "validate_anthropic_client",
    "google-genai": "validate_google_client",
}


def test_lowest_provider_versions_are_those_that_inspect_accepts() -> None:
    """Below the version that Inspect asks for a run would stop at its first call."""
    source = files("inspect_ai") / "model" / "_providers" / "providers.py"
    text = source.read_text("utf-8")
    for package, check in PROVIDERS.items():
        match = re.search(rf'def {check}\(.*?MIN_VERSION = "([\d.]+)"', text, re.DOTALL)
        assert match, check
        assert Version(lowest(requirements()[package])) >= Version(match[1]), package


def test_excluded_scientific_versions_are_over_two_years_old() -> None:
    """What a floor excludes came out two years ago or more; CONTRIBUTING has the floors."""
    text = (CHECKOUT / "CONTRIBUTING.md").read_text("utf-8")
    rows = re.findall(r"^\| (\w+) \| ([\d.]+) \| (\d{4}-\d\d-\d\d) \|$", text, re.MULTILINE)
    assert set(column_of(rows, 0)) == {"numpy", "scipy", "pandas", "matplotlib"}
    for name, floor, before in rows:
        assert lowest(requirements()[name]) == floor, name
        excluded = datetime.fromisoformat(before).replace(tzinfo=UTC)
        assert datetime.now(UTC) - excluded > TWO_YEARS, name


def test_classifiers_requires_python_and_workflow_name_the_same_pythons() -> None:
    """Classifiers, the lowest Python and the workflow name the same ones."""
    project = pyproject()["project"]
    versions = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    workflow = (CHECKOUT / ".github" / "workflows" / "tests.yml").read_text("utf-8")
    (matrix,) = re.findall(r"python: \[(.*)\]", workflow)
    assert re.findall(r"3\.\d+", matrix) == versions
    assert project["requires-python"] == f">={versions[0]}"


EXTRAS = {"src": "scale", "benchmarks": "bench", "docs": "docs", "tests": "test"}
"""The extra with what the Python files of a folder import beside the package's own needs."""

NEVER_IMPORTED = {"_typeshed"}
"""Modules of names of types, which no running code imports."""

OPTIONAL = {"src": {"inspect-evals"}}
"""Packages that a folder's files import only if they are there; an error says how to get them."""


def _imported_modules(path: Path) -> set[str]:
    """Return the first names of the modules that a Python file imports absolutely."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.add(node.module)
    return {module.partition(".")[0] for module in modules}


_installed_packages = cache(packages_distributions)


def _undeclared_modules(
    scripts: Iterable[Path], local: Collection[str], declared: Iterable[str]
) -> set[str]:
    """Return the modules that scripts import from packages that are not declared.

    `local` are the names of modules of this project; `declared` those of distributions.
    """
    imported = set().union(*map(_imported_modules, scripts)) - set(sys.stdlib_module_names)
    declared_names = set(map(canonicalize_name, declared))
    installed = _installed_packages()
    undeclared = set()
    for module in imported - set(local) - NEVER_IMPORTED - {"inspect_confidence"}:
        distributions = set(map(canonicalize_name, installed.get(module, [module])))
        if declared_names.isdisjoint(distributions):
            undeclared.add(module)
    return undeclared


def _scripts(folder: Path) -> list[Path]:
    """Return the Python files of a folder, apart from those of installed packages."""
    return [path for path in folder.rglob("*.py") if "node_modules" not in path.parts]


def _modules(folder: Path) -> set[str]:
    """Return the names of a folder's modules and packages, at any depth."""
    return {path.stem for path in folder.rglob("*") if path.suffix in ("", ".py")}


@pytest.mark.parametrize("folder", EXTRAS)
def test_every_imported_package_is_declared_for_its_folder(folder: str) -> None:
    """A fresh installation with the folder's extra has all that its files import."""
    scripts = _scripts(CHECKOUT / folder)
    local = _modules(CHECKOUT / folder) | _modules(CHECKOUT / "tests")  # docs/ reads test data
    assert _undeclared_modules(scripts, local, requirements()), "an extra is needed in any folder"

    declared = {*requirements(), *requirements(EXTRAS[folder]), *OPTIONAL.get(folder, ())}
    assert not _undeclared_modules(scripts, local, declared)


def test_make_lowest_installs_what_its_tests_import() -> None:
    """`make lowest` leaves out each test file that imports a package which it does not install."""
    makefile = (CHECKOUT / "Makefile").read_text("utf-8").replace("\\\n", " ")
    (oracles,) = re.findall(r"^ORACLES := (.*)$", makefile, re.MULTILINE)
    (recipe,) = re.findall(r"^lowest:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    (tools,) = re.findall(r"lowest\.txt\s+([^$]*) \$\(ORACLES\)", recipe)
    left_out = re.findall(r"--ignore (\S+)", recipe)
    scripts: list[Path] = []
    for name in set(re.findall(r"\btests/\S+", recipe)) - set(left_out):
        path = CHECKOUT / name
        scripts += [path] if path.is_file() else _scripts(path)
    assert left_out
    scripts = [path for path in scripts if str(path.relative_to(CHECKOUT)) not in left_out]

    declared = {*requirements(), *oracles.split(), *tools.split()}
    assert not _undeclared_modules(scripts, _modules(CHECKOUT / "tests"), declared)
