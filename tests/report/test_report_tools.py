"""The report of the example logs, by an HTML validator, axe-core and a browser."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from build import column_of
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
def tool_findings(
    tools: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> dict[str, Any]:
    """What the tools say of the whole report; with `--brief` of its layout only."""
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
    layout_only = ["layout"] if browser and request.config.getoption("--brief") else []
    done = subprocess.run(
        ["node", str(tools / "check_page.mjs"), str(page), *filter(None, [browser]), *layout_only],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    findings: dict[str, Any] = json.loads(done.stdout)
    return findings


@pytest.mark.thorough
def test_the_page_is_valid_accessible_and_requests_nothing(tool_findings: dict[str, Any]) -> None:
    """Valid, accessible, asking for nothing, and nothing sticks out or overlaps."""
    assert tool_findings["validator"] == []
    assert {
        view["view"]: view["violations"] for view in tool_findings["views"] if view["violations"]
    } == {}
    assert [view["requested"] for view in tool_findings["views"] if view["requested"]] == []


@pytest.mark.slow
def test_no_element_sticks_out_of_the_page_or_overlaps_another(
    tool_findings: dict[str, Any],
) -> None:
    """Nothing reaches beyond the page, and no picture's text is cut or lies on another."""
    if column_of(tool_findings["views"], "view") == ["jsdom"]:
        pytest.skip("no browser is here to lay the page out")
    assert {view["view"]: view["faults"] for view in tool_findings["views"] if view["faults"]} == {}
