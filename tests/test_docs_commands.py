"""The commands that the documentation quotes: they exist, with their options and arguments."""

import re

import click

from conftest import CHECKOUT
from inspect_confidence import _registry
from inspect_confidence.arguments import argument_names
from inspect_confidence.cli import main

TEXTS = [*sorted((CHECKOUT / "docs").glob("*.md")), CHECKOUT / "README.md"]


def quoted(beginning: str) -> list[tuple[str, str]]:
    """Every command that pages quote and that begins so: page and command."""
    found = []
    for page in TEXTS:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        # In lines of code, and between backticks, where a command may run on to the next line.
        outside = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
        lines = re.findall(r"^ {4}(?:\$ )?(.*)$", text, re.MULTILINE)
        for one in [*lines, *re.findall(r"`([^`]+)`", outside)]:
            if one.startswith(beginning):
                plain = one.split(" #")[0].split("|")[0]
                found.append((page.name, " ".join(plain.split())))
    return sorted(set(found))


def test_quoted_commands_exist() -> None:
    """Each is a command, and each option is one of its own."""
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


def test_quoted_tasks_exist() -> None:
    """Each task is there, and takes the arguments that it is given."""
    for page, line in quoted("inspect eval inspect_confidence/"):
        name = line.split()[2].removeprefix("inspect_confidence/")
        assert name in vars(_registry), (page, line)
        task = getattr(_registry, name)
        given = set(re.findall(r"-T (\w+)=", line))
        assert given <= set(argument_names(task)), (page, line)


def test_commands_are_found() -> None:
    """What looks for commands sees both forms of quoting."""
    texts = quoted("inspect-confidence ")
    assert ("index.md", "inspect-confidence report logs -o report") in texts
    assert ("index.md", "inspect-confidence summarize logs") in texts
    assert len(quoted("inspect eval inspect_confidence/")) > 20
