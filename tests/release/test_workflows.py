"""What runs on a stranger's pull request: pinned, without rights, and by targets that are there."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from build import column_of
from conftest import CHECKOUT

WORKFLOWS = sorted((CHECKOUT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z]+):", (CHECKOUT / "Makefile").read_text("utf-8"), re.MULTILINE))


_PERMISSIONS = (
    {"contents": "read"},
    {"id-token": "write"},
    {"pages": "write", "id-token": "write"},
)
"""Sets of rights that a job may have: to read, to publish the package, to publish the site."""


def steps(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    """All steps of all jobs."""
    return list(chain.from_iterable(column_of(workflow["jobs"].values(), "steps")))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_to_commits_and_jobs_have_no_further_rights(path: Path) -> None:
    """Each action is a commit with its version beside it; jobs read, or publish without a token."""
    text = path.read_text("utf-8")
    workflow = yaml.safe_load(text)
    action_versions = re.findall(r"uses: (.*)", text)
    assert len(action_versions) == sum("uses" in step for step in steps(workflow)) > 0
    for action in action_versions:
        assert re.fullmatch(r"\S+@[0-9a-f]{40}  # v[\d.]+", action)
    assert workflow["permissions"] == {}
    for name, job in workflow["jobs"].items():
        assert job["permissions"] in _PERMISSIONS, name
        weekly = "schedule" in job.get("if", "")
        assert job["timeout-minutes"] <= (360 if weekly else 60), name
    assert "secrets." not in text
    assert "pull_request_target" not in text


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_make_targets_and_paths_in_workflows_exist(path: Path) -> None:
    """The Makefile has each target, and the checkout each path."""
    workflow = yaml.safe_load(path.read_text("utf-8"))
    commands = "\n".join(step.get("run", "") for step in steps(workflow))
    targets = " ".join(re.findall(r"make (.*)", commands)).split()
    assert {word for word in targets if "=" not in word} <= TARGETS
    for name in re.findall(r"(?:tests|src)/[\w/.]+", commands):
        assert (CHECKOUT / name).exists(), name


def test_issue_forms_have_a_name_and_distinct_field_ids() -> None:
    """What GitHub asks of a form: name, description and body, ids that differ."""
    for path in (CHECKOUT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"):
        form = yaml.safe_load(path.read_text("utf-8"))
        if path.name == "config.yml":
            continue
        assert {"name", "description", "body"} <= set(form), path.name
        fields = pd.DataFrame(form["body"])
        assert len(fields), path.name
        assert fields["id"].is_unique, path.name
        assert fields["attributes"].str.get("label").astype(bool).all(), path.name
