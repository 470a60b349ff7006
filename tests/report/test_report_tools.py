"""The report of the example logs, by an HTML validator, axe-core and a browser."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from inspect_confidence.report import write_report

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples" / "logs"


@pytest.fixture(scope="module")
def tools() -> Path:
    """Where the tools are installed, from npm if they aren't yet."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("node and npm are not here")
    if not (HERE / "node_modules" / "axe-core").is_dir():
        done = subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"],
            cwd=HERE,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            pytest.skip(f"npm could not install the tools: {done.stderr[-300:]}")
    return HERE


@pytest.fixture(scope="module")
def found(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the tools say of the whole report."""
    page = write_report(
        EXAMPLES,
        tmp_path_factory.mktemp("examples"),
        logs=EXAMPLES,
        published=True,
        baseline="respondent/candid",
        resamples=200,
    )
    assert page.stat().st_size < 5_000_000
    browser = shutil.which("chromium") or shutil.which("google-chrome") or ""
    done = subprocess.run(
        ["node", str(tools / "check_page.mjs"), str(page), *filter(None, [browser])],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


@pytest.mark.thorough
def test_the_page(found: dict[str, Any]) -> None:
    """Valid, accessible, asking for nothing, and nothing sticks out or overlaps."""
    assert found["validator"] == []
    assert {one["view"]: one["violations"] for one in found["views"] if one["violations"]} == {}
    assert [one["requested"] for one in found["views"] if one["requested"]] == []


@pytest.mark.slow
def test_nothing_sticks_out_or_overlaps(found: dict[str, Any]) -> None:
    """Nothing reaches beyond the page, and no picture's text is cut or lies on another."""
    if [one["view"] for one in found["views"]] == ["jsdom"]:
        pytest.skip("no browser is here to lay the page out")
    assert {one["view"]: one["faults"] for one in found["views"] if one["faults"]} == {}
