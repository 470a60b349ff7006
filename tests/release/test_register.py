"""What is sent to the registers: entries that are true, links to the task, what is open."""

from __future__ import annotations

import json
import re
from itertools import chain
from types import ModuleType

import pytest
import yaml
from inspect_ai.util import registry_create

from build import attributes_of, column_of, records_with
from conftest import CHECKOUT, script
from inspect_confidence import __version__
from inspect_confidence.versions import TASK_VERSIONS
from release.project import pyproject

PLACEHOLDERS = re.compile(r"\b(?:ADDRESS|COMMIT|MAINTAINER|OWNER)\b")


@pytest.fixture(scope="module")
def forms() -> ModuleType:
    """register/forms.py."""
    return script("forms", "register")


def test_every_task_has_an_entry_with_its_version_and_its_number_of_samples(
    forms: ModuleType,
) -> None:
    """With its version and a study that is cited; counts are those of the task, where it's here."""
    entries = forms.entries()
    assert set(entries) == set(TASK_VERSIONS)
    cited = (CHECKOUT / "src" / "inspect_confidence" / "references.bib").read_text("utf-8")
    for name, entry in entries.items():
        (task,) = entry["tasks"]
        assert task["name"] == name
        assert entry["version"] == TASK_VERSIONS[name]
        assert f"url = {{{entry['arxiv']}}}" in cited
        assert entry["title"]
        assert entry["description"]
        assert entry["tags"]
        if not entry["metadata"]["requires_internet"]:
            rules = {"judge": "rules"} if name == "judge_check" else {}
            built_task = registry_create("task", f"inspect_confidence/{name}", **rules)
            assert len(built_task.dataset) == task["dataset_samples"], name


def test_links_lead_to_the_line_that_defines_the_task(forms: ModuleType) -> None:
    """The line of a link is the task's definition, and a name that isn't there has none."""
    for name, entry in forms.entries().items():
        link = forms.source_url(entry, "https://example.org/a/b/", "0" * 40)
        match = re.fullmatch(r"https://example\.org/a/b/blob/0{40}/(src/\S+\.py)#L(\d+)", link)
        assert match, link
        lines = (CHECKOUT / match[1]).read_text("utf-8").splitlines()
        line = int(match[2])
        assert lines[line - 2 : line] == ["@task", f"def {name}("]
    with pytest.raises(LookupError, match="defines no task sample"):
        forms.line_of("sample", "src/inspect_confidence/tasks/composition.py")


def test_the_form_has_title_paper_source_and_maintainers(forms: ModuleType) -> None:
    """A title with the register's prefix; paper, source and maintainers."""
    form = forms.form(forms.entries()["life_eval"], "https://example.org/a/b", "1" * 40, ["one"])
    title, *fields = form.split("\n\n")
    assert title == "[Register Submission] LifeEval: Confidence in Ages at Death"
    assert fields[:2] == ["### arXiv URL", "https://arxiv.org/abs/2605.23909"]
    assert fields[2] == "### Source URL"
    assert fields[4:] == ["### Maintainers", "@one\n"]


@pytest.mark.slow
def test_the_registers_lint_finds_no_failure(forms: ModuleType) -> None:
    """All of its rules hold but those that pyproject.toml leaves out with a reason."""
    lint = pytest.importorskip("inspect_evals_lint", reason="inspect-evals-lint isn't installed")
    run = lint.lint_repository(CHECKOUT, lint.load_config(CHECKOUT))
    failures = []
    for package in run.packages:
        failures += records_with(package.diagnostics, status="fail")
    assert failures == []
    assert attributes_of(run.packages, "name") == ["inspect_confidence"]
    required = set(lint.REGISTER_CONFIG.eval_yaml_required_fields)
    for name, entry in forms.entries().items():
        assert required <= set(entry), name


def test_citation_codemeta_and_pyproject_agree(forms: ModuleType) -> None:
    """Version, licence, name and studies are the same wherever they are said."""
    project = pyproject()["project"]
    cited = yaml.safe_load((CHECKOUT / "CITATION.cff").read_text("utf-8"))
    assert cited["version"] == project["version"] == __version__
    assert (cited["license"], cited["title"]) == (project["license"], project["name"])
    meta = json.loads((CHECKOUT / "codemeta.json").read_text("utf-8"))
    assert (meta["version"], meta["name"]) == (project["version"], project["name"])
    assert meta["license"].endswith(f"/{project['license']}")
    assert meta["description"] == project["description"]
    studies = set(column_of(cited["references"], "url"))
    assert set(column_of(meta["referencePublication"], "url")) == studies
    assert set(column_of(forms.entries().values(), "arxiv")) == studies


def test_every_file_with_a_placeholder_is_listed_on_the_page() -> None:
    """docs/register.md names every file in which an address or a name is still to be filled in."""
    page = (CHECKOUT / "docs" / "register.md").read_text("utf-8")
    documented_files = set(re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE))
    groups = [
        *(CHECKOUT.glob("*.*"), (CHECKOUT / "docs").glob("*.md")),
        *((CHECKOUT / "register").rglob("*.*"), (CHECKOUT / ".github").rglob("*.*")),
    ]
    kinds = {".md", ".yml", ".yaml", ".json", ".toml", ".cff"}
    files_with_placeholders = set()
    for path in chain.from_iterable(groups):
        if path.suffix in kinds and PLACEHOLDERS.search(path.read_text("utf-8")):
            name = path.relative_to(CHECKOUT).as_posix()
            name = re.sub(r"^register/inspect/\w+/", "register/inspect/*/", name)
            files_with_placeholders.add(name)
    assert files_with_placeholders - {"docs/register.md"} == documented_files
