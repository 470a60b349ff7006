"""Prints anew what the pages of docs/ show of commands, or those of the pages that are named.

What is run stands on the page, in one of two ways.

Seen: in an indented block that begins with `$ command`, each such line is run, and what it prints
is written below it. The blocks of a page are one after another in one folder. A comment directly
above a block begins a new folder, with commands of its own that the reader doesn't see, or none:

    <!-- printed after:
    inspect eval inspect_confidence/life_eval --model respondent/boastful
    -->
        $ inspect-confidence summarize logs

Unseen: a comment directly above a fence of `text` has all commands, the last of which prints what
is in the fence. Such a block shows a part of what stands in the terminal, so that its last command
cuts what the others have written:

    <!-- printed by:
    inspect eval inspect_confidence/life_eval --model respondent/boastful
    inspect-confidence summarize logs --study life_eval > shown
    sed -n 1,12p shown
    -->

`printed at 80 columns after:` and `printed at 80 columns by:` are of another width than COLUMNS,
the former up to the next such comment.
`<!-- printed once: why -->` above a block leaves it as it is.

Commands run with bash in a new folder that has `examples` and the page's fences with a title, as
files of that name. They are told that they print to a terminal, even where what they print is cut;
those seen that have a pipe are not, as it is for the reader. Only standard output is kept. What
begins with the same commands is run once.

Nothing is put in place of what differs between runs, such as times, days and names of logs: let
commands not print them.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from rich.text import Text

DOCS = Path(__file__).parent
COLUMNS = 110
"""Of the terminal that is printed to, where a page doesn't say another."""

_COMMENT = re.compile(r"<!-- printed(?: at (\d+) columns)? (by|after|once):(.*)")
_FENCE = re.compile(r"(`{3,})(\w*)(?: title=\"(.+)\")?")
_INDENT, _PROMPT = "    ", "    $ "
_OF_THE_USER = ("INSPECT_", "FORCE_COLOR", "NO_COLOR", "TTY_", "COLUMNS")
"""Variables begin so that change what is printed."""


class Command(NamedTuple):
    """A line for bash, and the columns of the terminal that it prints to: 0 where that is none."""

    line: str
    columns: int


class Block(NamedTuple):
    """What commands print: the last of them the page's lines from `start` up to `end`."""

    commands: tuple[Command, ...]
    start: int
    end: int
    indent: str


class Ran(NamedTuple):
    """A copy of the folder as commands left it, and what the last of them printed."""

    left: Path
    lines: list[str]


class Output(NamedTuple):
    """What a page says of output: what is printed anew, what isn't, and what nothing is said of."""

    blocks: list[Block]
    kept: list[str]
    unmarked: list[str]


def read_page(page: str) -> Output:
    """The page's blocks of output.

    Returns:
        Blocks to print, reasons for those that are left as they are, and the first line of each
        fence of `text` that has no mark.
    """
    lines = page.split("\n")
    output = Output([], [], [])
    session: tuple[Command, ...] = ()
    columns, position = COLUMNS, 0
    while position < len(lines):
        kind, reason = "", ""
        if marked := _COMMENT.match(lines[position]):
            end = next(k for k in range(position, len(lines)) if lines[k].endswith("-->"))
            width, kind, reason = int(marked[1] or COLUMNS), marked[2], marked[3]
            unseen = tuple(_command(line, width) for line in lines[position + 1 : end])
            position = end + 1
        elif lines[position].startswith("<!-- printed"):
            raise ValueError(f"not one of the comments that are known: {lines[position]}")
        if kind == "once":
            output.kept.append(reason.removesuffix("-->").strip())
        elif kind == "after":
            session, columns = unseen, width
        if fence := _FENCE.match(lines[position]):
            end = lines.index(fence[1], position + 1)
            if kind == "by":
                output.blocks.append(Block(unseen, position + 1, end, ""))
            elif fence[2] == "text" and not kind:
                output.unmarked.append(lines[position + 1])
            position = end + 1
        elif lines[position].startswith(_PROMPT):
            end = _end_of_indented(lines, position)
            if kind != "once":
                blocks = list(_seen(lines, position, end, session, columns))
                output.blocks.extend(blocks)
                session = blocks[-1].commands
            position = end
        elif kind:
            raise ValueError(f"no block stands directly below the comment: {lines[position]}")
        else:
            position += 1
    return output


def _command(line: str, columns: int) -> Command:
    # Runs print nothing here, so that one does for blocks of all widths.
    return Command(line, 0 if line.startswith("inspect eval ") else columns)


def _end_of_indented(lines: list[str], start: int) -> int:
    end = start
    while end < len(lines) and (lines[end].startswith(_INDENT) or not lines[end]):
        end += 1
    return _without_blanks(lines, start, end)


def _without_blanks(lines: list[str], start: int, end: int) -> int:
    while end > start and not lines[end - 1].strip():
        end -= 1
    return end


def _seen(
    lines: list[str], start: int, end: int, session: tuple[Command, ...], columns: int
) -> Iterator[Block]:
    """Of each `$ command` of an indented block."""
    prompts = [k for k in range(start, end) if lines[k].startswith(_PROMPT)]
    for prompt, after in zip(prompts, [*prompts[1:], end], strict=True):
        line, first = lines[prompt].removeprefix(_PROMPT), prompt + 1
        while line.endswith("\\"):
            line, first = line[:-1] + lines[first].strip(), first + 1
        session = (*session, _command(line, 0 if " | " in line else columns))
        yield Block(session, first, _without_blanks(lines, first, after), _INDENT)


class Runner:
    """Runs commands in a folder, each of them once after the same others."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._here = folder / "here"  # always the same, as a store names its logs by their folder
        self._at: tuple[object, ...] | None = None
        self._done: dict[tuple[object, ...], Ran] = {}

    def printed(self, block: Block, page: str) -> list[str]:
        """Lines that the block's last command prints, without styles and blanks around them."""
        lines = self._run(block.commands, _files(page)).lines
        return [block.indent + line if line else "" for line in lines]

    def left(self, block: Block, page: str) -> Path:
        """The folder as the block's commands left it."""
        return self._run(block.commands, _files(page)).left

    def page(self, page: str) -> str:
        """The page with all its blocks printed anew."""
        lines = page.split("\n")
        printed = [(block, self.printed(block, page)) for block in read_page(page).blocks]
        for block, anew in reversed(printed):
            lines[block.start : block.end] = anew
        return "\n".join(lines)

    def _run(self, commands: tuple[Command, ...], files: tuple[tuple[str, str], ...]) -> Ran:
        key = (commands, files)
        if key not in self._done:
            lines: list[str] = []
            if commands:
                before = (commands[:-1], files)
                self._run(*before)
                if self._at != before:
                    shutil.rmtree(self._here, ignore_errors=True)
                    shutil.copytree(self._done[before].left, self._here, symlinks=True)
                self._at = None
                lines = self._output(commands[-1])
            else:
                shutil.rmtree(self._here, ignore_errors=True)
                self._here.mkdir(parents=True)
                (self._here / "examples").symlink_to(DOCS.parent / "examples")
                for name, text in files:
                    (self._here / name).write_text(text, encoding="utf-8")
            copy = self._folder / str(len(self._done))
            shutil.copytree(self._here, copy, symlinks=True)
            self._done[key], self._at = Ran(copy, lines), key
        return self._done[key]

    def _output(self, command: Command) -> list[str]:
        environment = {k: v for k, v in os.environ.items() if not k.startswith(_OF_THE_USER)}
        terminal = {"TTY_COMPATIBLE": "1", "COLUMNS": str(command.columns), "TERM": "xterm"}
        settings = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}",
            "INSPECT_DISPLAY": "none",
            "LC_ALL": "C.UTF-8",
        }
        done = subprocess.run(
            ["bash", "-c", command.line],
            cwd=self._here,
            env=environment | settings | (terminal if command.columns else {}),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{command.line}\n{done.stdout}{done.stderr}")
        lines = [line.rstrip() for line in Text.from_ansi(done.stdout).plain.splitlines()]
        while lines and not lines[0]:
            del lines[0]
        return lines[: _without_blanks(lines, 0, len(lines))]


def _files(page: str) -> tuple[tuple[str, str], ...]:
    """Names and texts of the fences with a title."""
    fences = re.findall(r"^```\w+ title=\"(.+)\"\n(.*?)^```", page, re.M | re.DOTALL)
    return tuple(fences)


def main(names: list[str]) -> None:
    """Write the pages of these names, or all."""
    with TemporaryDirectory() as folder:
        runner = Runner(Path(folder))
        for path in sorted(DOCS.glob("*.md")):
            page = path.read_text(encoding="utf-8")
            if path.name in (names or [path.name]) and read_page(page).blocks:
                path.write_text(runner.page(page), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
