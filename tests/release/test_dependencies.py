"""Floors of what the package needs: what its parts take, and how long versions are supported."""

from __future__ import annotations

import ast
import re
import sys
from datetime import UTC, datetime, timedelta
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

UNDECLARED = {
    "_typeshed": "names of types, never imported when the code runs",
    "inspect_evals": "SimpleQA's own grader; an error says how to install it",
}


def _imported_modules(path: Path) -> set[str]:
    """Return the first names of the modules that a Python file imports absolutely."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.add(node.module)
    return {module.partition(".")[0] for module in modules}


@pytest.mark.parametrize("folder", EXTRAS)
def test_every_imported_package_is_declared_for_its_folder(folder: str) -> None:
    """A fresh installation with the folder's extra has all that its files import."""
    scripts = [
        path for path in (CHECKOUT / folder).rglob("*.py") if "node_modules" not in path.parts
    ]
    imported = set().union(*map(_imported_modules, scripts))
    ours = {"inspect_confidence", *UNDECLARED}
    for place in {folder, "tests"}:  # scripts of docs/ read what tests/ record
        ours.update(
            path.stem for path in (CHECKOUT / place).rglob("*") if path.suffix in ("", ".py")
        )
    others = imported - ours - set(sys.stdlib_module_names)
    assert others, "the packages that the folder needs were found"

    declared = {*requirements(), *requirements(EXTRAS[folder])}
    declared_names = {canonicalize_name(name) for name in declared}
    installed = packages_distributions()
    for module in sorted(others):
        distributions = {canonicalize_name(name) for name in installed.get(module, [module])}
        assert distributions & declared_names, f"{module}, imported in {folder}/, is not declared"
