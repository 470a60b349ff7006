"""Floors of what the package needs: what its parts take, and how long versions are supported."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from importlib.resources import files

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
