"""The documentation: its pages, links, commands and generated parts."""

import doctest
import inspect
import re
from dataclasses import fields
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from build import attributes_of
from conftest import CHECKOUT, script
from inspect_confidence import _registry, metrics
from inspect_confidence.answers import STATUSES
from inspect_confidence.arguments import argument_names
from inspect_confidence.cli import main
from inspect_confidence.plots.style import style
from inspect_confidence.results import COLUMNS, SCHEMA_VERSION
from inspect_confidence.studies import (
    FigureSpec,
    Headline,
    JudgmentColumn,
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
    "decisions": ["decisions"],
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


def navigation_pages(entries: object) -> list[str]:
    """The pages that a navigation names, in order."""
    if isinstance(entries, str):
        return [entries]
    assert isinstance(entries, list | dict)
    parts = entries.values() if isinstance(entries, dict) else entries
    return list(chain.from_iterable(map(navigation_pages, parts)))


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub and mkdocs make them of plain words."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.M)
    return {
        re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings
    }


def test_pages_and_navigation() -> None:
    """What mkdocs.yml lists is what there is, made of other files too, and built strictly."""
    navigation = navigation_pages(yaml.safe_load(read(CHECKOUT / "mkdocs.yml"))["nav"])
    assert sorted(navigation) == sorted([*attributes_of(PAGES, "name"), *FROM_ELSEWHERE])
    for path in FROM_ELSEWHERE.values():
        assert path.exists()
    pytest.importorskip("mkdocs")
    pytest.importorskip("nbformat")
    hooks = script("hooks")
    files = {page: CHECKOUT / name for page, name in (hooks.PAGES | hooks.NOTEBOOKS).items()}
    assert files == FROM_ELSEWHERE
    link = "[a](../CONTRIBUTING.md) [b](judgments.md#results) [c](https://x.org/docs/) [d](#e)"
    assert hooks.site_links(link, "docs/faq.md") == (
        "[a](contributing.md) [b](judgments.md#results) [c](https://x.org/docs/) [d](#e)"
    )
    assert hooks.site_links("[a](docs/faq.md#b) [c](README.md)", "CONTRIBUTING.md") == (
        "[a](faq.md#b) [c](index.md)"
    )
    (line,) = re.findall(r"^.*mkdocs build.*$", read(CHECKOUT / "Makefile"), re.MULTILINE)
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


def test_page_of_functions_documents_every_public_module_of_metrics() -> None:
    """The site's page of functions has a directive for each module, in the registry's order."""
    assert "\n::: inspect_confidence.metrics.*\n" in read(DOCS / "api-metrics.md")
    pytest.importorskip("mkdocs")
    pytest.importorskip("nbformat")
    documented = re.findall(r"^::: (\S+)$", script("hooks").metrics_directives(), re.MULTILINE)
    public = [value for value in vars(metrics).values() if inspect.isfunction(value)]
    assert set(attributes_of(public, "__module__")) <= set(documented)
    assert documented[0] == "inspect_confidence.metrics.registry"


def test_page_of_reading_is_up_to_date() -> None:
    """docs/reading.md is what the readers make of the labelled replies; it fails if they err."""
    assert read(DOCS / "reading.md") == script("generate_reading").page()


def test_page_of_cards_is_up_to_date() -> None:
    """docs/cards.md is what tasks, prompts and pinned files are."""
    assert read(DOCS / "cards.md") == script("generate").cards_page()


def test_tables_of_columns_are_up_to_date() -> None:
    """docs/judgments.md has the columns of every task as their records declare them."""
    page = read(DOCS / "judgments.md")
    assert page == script("generate").with_column_tables(page)
    for task in all_tables():
        assert f"<!-- columns of {task} -->" in page


def test_page_of_reliability_is_up_to_date() -> None:
    """docs/reliability.md is what docs/faults.csv gives."""
    assert read(DOCS / "reliability.md") == script("generate").reliability_page()


def test_sums_and_pictures_of_measures() -> None:
    """The sums on the page come out, and each picture is the one its script draws."""
    done = doctest.testfile(str(DOCS / "measures.md"), module_relative=False)
    assert done.attempted >= 10
    assert done.failed == 0
    measures = re.findall(r"images/measure-(\w+)\.svg", read(DOCS / "measures.md"))
    drawing = script("draw_measures")
    assert measures == list(drawing.PICTURES)
    for name in measures:
        with style():
            sink = BytesIO()
            drawing.PICTURES[name]().savefig(sink, format="svg", metadata={"Date": None})
        # Of text only: the last digits of a path are those of the machine's arithmetic.
        picture = read(DOCS / "images" / f"measure-{name}.svg")
        assert re.findall(r"<text.*?</text>", sink.getvalue().decode()) == re.findall(
            r"<text.*?</text>", picture
        )


# What commands print

OUTPUT = script("generate_output")
PRINTED = [page for page in PAGES if OUTPUT.read_page(read(page)).blocks]
KEPT = {
    "benchmarks.md": ["timings", "timings of an earlier run"],
    "register.md": ["it names an address and a commit"],
    "scale.md": [
        "needs millions of judgments",
        *["needs a server of S3 and a Dask cluster"] * 2,
    ],
    "use.md": ["the atlas's files are not the package's"] * 4,
    "validation.md": ["figures of make thorough"] * 6,
}
"""Why some output isn't printed anew, block by block."""


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What runs the commands of pages, those that several begin with once."""
    return OUTPUT.Runner(tmp_path_factory.mktemp("output"))


@pytest.mark.slow
@pytest.mark.parametrize("page", PRINTED, ids=lambda page: page.stem)
def test_pages_show_what_commands_print(runner: Any, page: Path) -> None:
    """Each block of output is what its commands print now."""
    assert runner.page(read(page)) == read(page)


@pytest.mark.slow
def test_tutorial_makes_its_figure(runner: Any) -> None:
    """The page's code, run by its last command, leaves the file that the page speaks of."""
    page = read(DOCS / "tutorial.md")
    folder = runner.left(OUTPUT.read_page(page).blocks[-1], page)
    assert (folder / "figure.svg").read_text("utf-8").startswith("<?xml")


def test_output_is_printed_or_says_why_not() -> None:
    """No page shows output without commands but for what is named, and none is empty unseen."""
    page_by_name = {page.name: OUTPUT.read_page(read(page)) for page in PAGES}
    assert KEPT.keys() <= page_by_name.keys()
    for name, output_page in page_by_name.items():
        assert list(output_page.kept) == KEPT.get(name, []), name
        assert not output_page.unmarked, name
    assert len(PRINTED) >= 15
    for page in PRINTED:
        blocks = page_by_name[page.name].blocks
        fences = [block for block in blocks if not block.indent]
        for block in [*fences, blocks[-1]]:
            assert block.end > block.start, page.name


def test_commands_of_pages_are_read(tmp_path: Path) -> None:
    """Seen ones share a folder, a comment begins another; unseen ones have one of their own."""
    page = """\
```text title="mine.txt"
a  b
```
<!-- printed once: why -->
    $ no
    such

And then:

    $ cat mine.txt | \\
        tr a c > new.txt
    $ cat new.txt
    old

    older

Text.

<!-- printed at 90 columns after: -->
    $ ls; echo $COLUMNS
    $ echo "[$COLUMNS]" | cat
<!-- printed by:
echo one > one
echo; printf '\\033[1mbold\\033[0m \\n\\n two\\n\\n'; cat one; echo $COLUMNS
-->
```text
```
"""
    anew = OUTPUT.Runner(tmp_path).page(page)
    assert OUTPUT.read_page(page).kept == ["why"]
    assert "    $ no\n    such\n" in anew
    assert "    $ cat new.txt\n    c  b\n\nText." in anew
    assert "echo $COLUMNS\n    examples\n    mine.txt\n    90\n    $ echo" in anew
    assert "| cat\n    []\n<!--" in anew
    assert anew.endswith("```text\nbold\n\n two\n\none\n110\n```\n")
    assert OUTPUT.Runner(tmp_path / "other").page(anew) == anew
    assert OUTPUT.read_page("```text\n5%\n```\n").unmarked == ["5%"]
    with pytest.raises(ValueError, match="known: <!-- printed: "):
        OUTPUT.read_page("<!-- printed: ls -->")
    with pytest.raises(ValueError, match="below the comment: Text"):
        OUTPUT.read_page("<!-- printed by:\nls\n-->\nText")
    with pytest.raises(RuntimeError, match="grep a mine"):
        OUTPUT.Runner(tmp_path / "fails").page("    $ grep a mine\n")


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
    quoted = set(re.split(r"[, ]+", " ".join(re.findall(r"`([^`]+)`", text))))
    columns = set[str]().union(*attributes_of(all_tables().values(), "kinds"))
    assert columns | set(COLUMNS) | STATUSES <= quoted
    assert f"**schema version {SCHEMA_VERSION}**" in text


@pytest.mark.parametrize("record", [Study, TaskTable, JudgmentColumn, FigureSpec, Headline])
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
    commands = []
    for page in COMMANDS_IN:
        text = read(page).replace("\\\n", " ")
        # In lines of code, and between backticks, where a command may run on to the next line.
        outside = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
        lines = re.findall(r"^ {4}(?:\$ )?(.*)$", text, re.MULTILINE)
        for line in [*lines, *re.findall(r"`([^`]+)`", outside)]:
            if line.startswith(beginning):
                plain = line.split(" #")[0].split("|")[0]
                commands.append((page.name, " ".join(plain.split())))
    return sorted(set(commands))


def test_every_option_is_on_a_page() -> None:
    """In one of its spellings, so that a reader of the pages learns of it."""
    text = "\n".join(map(read, TEXTS))
    for command in main.commands.values():
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                spellings = "|".join(map(re.escape, parameter.opts))
                is_named = re.search(rf"(?<![\w-])({spellings})(?![\w-])", text)
                assert is_named, (command.name, parameter.opts)


def test_quoted_commands_and_tasks_exist() -> None:
    """Each with options and arguments of its own; both forms of quoting are found."""
    for page, line in quoted("inspect-confidence "):
        name, *words = line.split()[1:]
        assert name in main.commands, (page, line)
        options = set[str]()
        for parameter in main.commands[name].params:
            if isinstance(parameter, click.Option):
                options.update(parameter.opts)
        used = {word.split("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)}
        assert used <= options, (page, line)
    # Each task is there, and takes the arguments that it is given.
    for page, line in quoted("inspect eval inspect_confidence/"):
        name = line.split()[2].removeprefix("inspect_confidence/")
        assert name in vars(_registry), (page, line)
        task = getattr(_registry, name)
        arguments = set(re.findall(r"-T (\w+)=", line))
        assert arguments <= set(argument_names(task)), (page, line)
    # What looks for commands sees both forms of quoting.
    texts = quoted("inspect-confidence ")
    assert ("index.md", "inspect-confidence report logs -o report") in texts
    assert ("index.md", "inspect-confidence summarize logs") in texts
    assert len(quoted("inspect eval inspect_confidence/")) > 20
