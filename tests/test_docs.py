"""The documentation: its pages, links, commands and generated parts."""

import re
from dataclasses import fields
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest
import yaml

from conftest import CHECKOUT
from inspect_confidence import _registry
from inspect_confidence.answers import STATUSES
from inspect_confidence.arguments import argument_names
from inspect_confidence.cli import main
from inspect_confidence.results import COLUMNS, SCHEMA_VERSION
from inspect_confidence.studies import (
    COMMON_COLUMNS,
    FigureSpec,
    Headline,
    Study,
    TaskTable,
    all_studies,
    all_tables,
)

DOCS = CHECKOUT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
TEXTS = [*PAGES, CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md"]
FROM_ELSEWHERE = {
    "contributing.md": CHECKOUT / "CONTRIBUTING.md",
    "changelog.md": CHECKOUT / "CHANGELOG.md",
    "notebook.md": DOCS / "notebook.ipynb",
}
"""Pages of the site that mkdocs makes of other files."""
TASK_PAGES = {
    "fermi_eval": ["fermi_eval"],
    "scale_variants": ["scale_variants"],
    "wep_probes": ["wep_probes"],
    "life_eval": ["life_eval", "question_sets"],
    "hedge_markers": ["hedge_markers"],
    "any_eval": ["any_eval"],
}
"""The pages of each study's tasks."""

LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$|^(?: {4}|\t).*$|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def read(path: Path) -> str:
    """The text of a page."""
    return path.read_text(encoding="utf-8")


def flat(text: str) -> str:
    """The text with all its lines joined."""
    return " ".join(text.split())


def script(name: str) -> ModuleType:
    """A script of docs/ as a module."""
    spec = spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def listed(entries: object) -> list[str]:
    """The pages that a navigation names, in order."""
    if isinstance(entries, str):
        return [entries]
    assert isinstance(entries, list | dict)
    parts = entries.values() if isinstance(entries, dict) else entries
    return [page for part in parts for page in listed(part)]


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub and mkdocs make them of plain words."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.M)
    return {re.sub(r"[^\w\- ]", "", one).strip().lower().replace(" ", "-") for one in headings}


def test_pages_and_navigation() -> None:
    """What mkdocs.yml lists is what there is, made of other files too, and built strictly."""
    navigation = listed(yaml.safe_load(read(CHECKOUT / "mkdocs.yml"))["nav"])
    assert sorted(navigation) == sorted([*(page.name for page in PAGES), *FROM_ELSEWHERE])
    assert all(path.exists() for path in FROM_ELSEWHERE.values())
    pytest.importorskip("mkdocs")
    pytest.importorskip("nbformat")
    hooks = script("hooks")
    made = {page: CHECKOUT / name for page, name in (hooks.PAGES | hooks.NOTEBOOKS).items()}
    assert made == FROM_ELSEWHERE
    link = "[a](../CONTRIBUTING.md) [b](judgments.md#results) [c](https://x.org/docs/) [d](#e)"
    assert hooks.site_links(link, "docs/faq.md") == (
        "[a](contributing.md) [b](judgments.md#results) [c](https://x.org/docs/) [d](#e)"
    )
    assert hooks.site_links("[a](docs/faq.md#b) [c](README.md)", "CONTRIBUTING.md") == (
        "[a](faq.md#b) [c](index.md)"
    )
    (line,) = [one for one in read(CHECKOUT / "Makefile").splitlines() if "mkdocs build" in one]
    assert "--strict" in line
    assert "--quiet" not in line


def test_links_resolve() -> None:
    """Every relative link leads to a file, and its anchor to a heading."""
    for page in TEXTS:
        for link in LINK.findall(FENCE.sub("", read(page))):
            if link.startswith(("http://", "https://")):
                continue
            name, _, anchor = link.partition("#")
            target = page.parent / name if name else page
            assert target.exists(), (page.name, link)
            assert not anchor or anchor in anchors(read(target)), (page.name, link)


def test_page_of_functions_is_up_to_date() -> None:
    """docs/api-metrics.md is what the docstrings give."""
    assert read(DOCS / "api-metrics.md") == script("generate_api").page()


def test_page_of_reading_is_up_to_date() -> None:
    """docs/reading.md is what the readers make of the labelled replies; it fails if they err."""
    assert read(DOCS / "reading.md") == script("generate_reading").page()


def test_pages_of_tasks_have_all_parts() -> None:
    """Each says what is asked, what it costs, how to read its tables, and in what it differs."""
    # Every figure of the report is told of where its task is explained.
    for study in all_studies():
        text = "\n".join(read(DOCS / f"{name}.md") for name in TASK_PAGES[study.name])
        for part in ("## Reading the table", "## Deviations from the study", "Calls", "tokens"):
            assert part.lower() in text.lower(), (study.name, part)
        for table in study.tables:
            assert f"inspect_confidence/{table.function} " in text, table.task
        for figure in study.figures:
            assert f"**{figure.title}**" in flat(text), figure.title


def test_page_of_judgments_names_every_column_and_status() -> None:
    """Judgments' and results' columns, statuses and the schema's version stand in judgments.md."""
    text = read(DOCS / "judgments.md")
    quoted = {word for cell in re.findall(r"`([^`]+)`", text) for word in re.split(r"[, ]+", cell)}
    columns = {name for table in all_tables().values() for name in table.columns}
    assert columns | set(COMMON_COLUMNS) | set(COLUMNS) | STATUSES <= quoted
    assert f"**schema version {SCHEMA_VERSION}**" in text


@pytest.mark.parametrize("record", [Study, TaskTable, FigureSpec, Headline])
def test_how_to_add_a_study_names_every_field(record: Any) -> None:
    """The tables of fields are whole."""
    text = read(DOCS / "add-a-study.md")
    table = text.split(f"| `{record.__name__}` | |\n")[1].split("\n\n")[0]
    for field in fields(record):
        assert f"`{field.name}`" in table


# Commands that pages quote

COMMANDS_IN = [*PAGES, CHECKOUT / "README.md"]


def quoted(beginning: str) -> list[tuple[str, str]]:
    """Every command that pages quote and that begins so: page and command."""
    found = []
    for page in COMMANDS_IN:
        text = read(page).replace("\\\n", " ")
        # In lines of code, and between backticks, where a command may run on to the next line.
        outside = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
        lines = re.findall(r"^ {4}(?:\$ )?(.*)$", text, re.MULTILINE)
        for one in [*lines, *re.findall(r"`([^`]+)`", outside)]:
            if one.startswith(beginning):
                plain = one.split(" #")[0].split("|")[0]
                found.append((page.name, " ".join(plain.split())))
    return sorted(set(found))


def test_quoted_commands_and_tasks_exist() -> None:
    """Each with options and arguments of its own; both forms of quoting are found."""
    for page, line in quoted("inspect-confidence "):
        name, *words = line.split()[1:]
        assert name in main.commands, (page, line)
        known = {
            option
            for parameter in main.commands[name].params
            if isinstance(parameter, click.Option)
            for option in parameter.opts
        }
        used = {word.split("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)}
        assert used <= known, (page, line)
    # Each task is there, and takes the arguments that it is given.
    for page, line in quoted("inspect eval inspect_confidence/"):
        name = line.split()[2].removeprefix("inspect_confidence/")
        assert name in vars(_registry), (page, line)
        task = getattr(_registry, name)
        given = set(re.findall(r"-T (\w+)=", line))
        assert given <= set(argument_names(task)), (page, line)
    # What looks for commands sees both forms of quoting.
    texts = quoted("inspect-confidence ")
    assert ("index.md", "inspect-confidence report logs -o report") in texts
    assert ("index.md", "inspect-confidence summarize logs") in texts
    assert len(quoted("inspect eval inspect_confidence/")) > 20
