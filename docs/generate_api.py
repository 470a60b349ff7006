"""Writes docs/api-metrics.md from the signatures and docstrings of metrics and figures."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from inspect_confidence import metrics, plots

_HEAD = """\
# Functions

What [`inspect_confidence.metrics`](#metrics) and [`inspect_confidence.plots`](#figures) export.
This page is generated from their docstrings by `make docs`; the numbers of the results table are in
[metrics.md](metrics.md).

    from inspect_confidence import metrics, plots
"""
_SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Example):\n", re.MULTILINE)
_ENTRY = re.compile(r"^(\*{0,2}\w+): ", re.MULTILINE)
_LISTS = ("Args", "Attributes", "Raises")
_LONGEST = 88
"""Characters of a signature that stands in one line."""


def page() -> str:
    """The whole page."""
    parts = [_HEAD]
    for title, module in (("Metrics", metrics), ("Figures", plots)):
        parts.append(f"## {title}\n\n{plain(inspect.cleandoc(module.__doc__ or ''))}\n")
        parts += members(module)
    return "\n".join(parts)


def members(module: ModuleType) -> Iterator[str]:
    """The functions and classes that a module exports, in the order of their names."""
    for name in sorted(getattr(module, "__all__", vars(module)), key=str.lower):
        member = getattr(module, name)
        if inspect.isfunction(member) or inspect.isclass(member):
            yield entry(f"{module.__name__.rsplit('.', 1)[1]}.{name}", member)


def entry(name: str, member: Any) -> str:
    """A function or a class: heading, signature, docstring, methods."""
    (node,) = ast.parse(inspect.getsource(inspect.unwrap(member))).body
    if hasattr(member, "__wrapped__") and isinstance(node, ast.FunctionDef):
        node.returns = ast.Name("float")
    said = [f"### {name}", f"```python\n{signature(node)}\n```", described(member)]
    if isinstance(node, ast.ClassDef):
        methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
        public = [one for one in methods if not one.name.startswith("_")]
        lines = [f"- `{one.name}`: {first_line(one)}" for one in public]
        said += ["Methods:\n\n" + "\n".join(lines)] if lines else []
    return "\n\n".join(part for part in said if part) + "\n"


def signature(node: ast.stmt) -> str:
    """As written in the source: types of arrays stay as short as they are there."""
    if isinstance(node, ast.ClassDef):
        return f"class {node.name}"
    assert isinstance(node, ast.FunctionDef)
    returns = ast.unparse(node.returns) if node.returns else "None"
    whole = f"{node.name}({ast.unparse(node.args)}) -> {returns}"
    if len(whole) <= _LONGEST:
        return whole
    lines = "".join(f"    {one},\n" for one in arguments(node.args))
    return f"{node.name}(\n{lines}) -> {returns}"


def arguments(args: ast.arguments) -> list[str]:
    """One by one."""
    split: list[str] = []
    for part in ast.unparse(args).split(", "):
        whole = not split or all(
            split[-1].count(opening) == split[-1].count(closing)
            for opening, closing in ("[]", "()")
        )
        split = [*split, part] if whole else [*split[:-1], f"{split[-1]}, {part}"]
    return split


def first_line(node: ast.FunctionDef) -> str:
    """The first sentence of a docstring."""
    return (ast.get_docstring(node) or "").split("\n\n")[0].replace("\n", " ")


def described(member: Any) -> str:
    """A docstring in markdown."""
    text, *rest = _SECTION.split(inspect.cleandoc(member.__doc__ or ""))
    parts = [plain(text.strip())]
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        # What follows a section without indentation is text again.
        inside, _, after = re.sub(r"\n(?=\S)", "\0", body, count=1).partition("\0")
        parts += [section(title, inspect.cleandoc(f"\n{inside}")), plain(after.strip())]
    return "\n\n".join(part for part in parts if part)


def section(title: str, body: str) -> str:
    """A section of a docstring in markdown."""
    if title == "Example":
        return f"```pycon\n{body}\n```"
    if title not in _LISTS:
        return f"{title}: {plain(body)}"
    return f"{title}:\n\n" + _ENTRY.sub(r"- `\1`: ", plain(body))


def plain(text: str) -> str:
    """Text in which an angle bracket is no markup."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else part.replace("<", "&lt;") for part in parts)


if __name__ == "__main__":
    (Path(__file__).parent / "api-metrics.md").write_text(page(), encoding="utf-8")
