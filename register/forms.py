"""Print the fields that the form of Inspect's register asks for, for each task.

    python register/forms.py ADDRESS MAINTAINER...

ADDRESS is the repository's address, MAINTAINER a name on GitHub. Links lead to the commit that is
checked out. The repository's owner fills in the form.
"""

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]


def entries() -> dict[str, dict[str, Any]]:
    """Return the entry of each task, by its name."""
    files = sorted((ROOT / "register" / "inspect").glob("*/eval.yaml"))
    return {file.parent.name: yaml.safe_load(file.read_text("utf-8")) for file in files}


def line_of(task: str, path: str) -> int:
    """Return the line on which a file of this checkout defines a task.

    Raises:
        LookupError: The file defines no task of that name.
    """
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    defined = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    for node in defined:
        marks = {
            decorator.id for decorator in node.decorator_list if isinstance(decorator, ast.Name)
        }
        if node.name == task and "task" in marks:
            return node.lineno
    raise LookupError(f"{path} defines no task {task}")


def source_url(entry: dict[str, Any], address: str, commit: str) -> str:
    """Return the link to a task's definition at a full commit, as the form requires."""
    (task,) = entry["tasks"]
    line = line_of(task["name"], task["task_path"])
    return f"{address.removesuffix('/')}/blob/{commit}/{task['task_path']}#L{line}"


def form(entry: dict[str, Any], address: str, commit: str, maintainers: list[str]) -> str:
    """Return title and fields of the issue that registers a task."""
    fields = {
        "arXiv URL": entry["arxiv"],
        "Source URL": source_url(entry, address, commit),
        "Maintainers": "\n".join(f"@{maintainer}" for maintainer in maintainers),
    }
    sections = "\n\n".join(f"### {name}\n\n{text}" for name, text in fields.items())
    return f"[Register Submission] {entry['title']}\n\n{sections}\n"


def main(address: str, *maintainers: str) -> None:
    """Print the forms of all tasks."""
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    for entry in entries().values():
        sys.stdout.write(form(entry, address, commit, list(maintainers)) + "\n")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
