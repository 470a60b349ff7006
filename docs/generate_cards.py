"""Writes docs/cards.md: what each task asks, of which data, by which prompts and settings."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import chdir
from importlib import resources
from inspect import signature
from pathlib import Path
from typing import Any

from inspect_ai import Task

from inspect_confidence import _registry
from inspect_confidence.commands.plan import plan_run
from inspect_confidence.datasets import fermi, question_sets, questions
from inspect_confidence.datasets.cache import SOURCES, revision_of
from inspect_confidence.datasets.hub import PUBLISHED
from inspect_confidence.studies import all_tables, study_of

_HERE = Path(__file__).parent

_HEAD = """\
# Cards

What each task asks, of which data, by which prompts and settings: for a methods section, an audit,
or a look before a run. Written by `make docs` from the code itself. The same facts stand in the
metadata of every log, for the data and arguments of that run, and
[`reproduce`](reproduce.md) compares the two.

Calls and tokens are what `inspect-confidence plan` counts for the arguments named, which need no
download; it counts any others. A judge's calls are beside them. Hashes are sha256: of prompts, of
the module that holds the wording; of data, of the file's bytes, the first twelve digits here and
all of them in `datasets/sources.toml` and in logs.
"""

_DATA = """
## Data

Bundled files are written for this project and under its licence (MIT), but for the life table of
the United States' Social Security Administration (public domain) and the counts of the survey of
words. Others are downloaded once from the revision named, checked against their sha256, and never
passed on. Licences are to our knowledge those that the sources state, which you should check before
you share items; where questions come from exams or books, these have rights of their own. `-` under
sha256: nobody has published it, the revision pins the file; the log has it.

| data set | file | revision | sha256 | licence |
|---|---|---|---|---|
"""

ARGUMENTS: Mapping[str, Mapping[str, str]] = {
    "fermi_eval": {"dataset": "bundled"},
    "scale_variants": {"dataset": "bundled"},
    "wep_elicitation": {},
    "wep_choice": {},
    "life_eval": {},
    "question_sets": {},
    "hedge_markers": {"dataset": "bundled"},
    "judge_check": {},
    "with_confidence": {"task": "examples/quiz.py"},
}
"""Arguments of each task with which it needs no download."""

_PAGES = {
    "wep_elicitation": "wep_probes",
    "wep_choice": "wep_probes",
    "judge_check": "hedge_markers",
    "with_confidence": "any_eval",
}

LICENCES = {
    "scioly": "MIT, of the collection",
    "mmlu": "MIT",
    "gsm8k": "MIT",
    "truthfulqa": "Apache 2.0",
    "boolq": "CC BY-SA 3.0",
    "sciq": "CC BY-NC 3.0",
    "lsat_ar": "of the exam's publisher",
    "sat_en": "of the exam's publisher",
    "halueval": "MIT",
    "popqa": "MIT",
    "selfaware": "CC BY-SA 4.0",
    "simpleqa": "MIT",
    "ambignq": "CC BY-SA 3.0",
    "arc_challenge": "CC BY-SA 4.0",
    "superglue": "of its parts",
    "wnli": "of the Winograd schemas",
}
"""As each data set's source states it."""


def page() -> str:
    """The whole page."""
    return "\n".join([_HEAD, *map(card, ARGUMENTS), _DATA.strip("\n"), *_files(), *_bundled(), ""])


def card(name: str) -> str:
    """A task as a table."""
    made: Callable[..., Task] = getattr(_registry, name)
    arguments = ARGUMENTS[name]
    with chdir(_HERE.parent):
        built = made(**arguments)
        planned = _planned(name)
    facts: Mapping[str, Any] = built.metadata or {}
    known = facts.get("confidence", facts)["provenance"]
    prompts = "; ".join(f"`{file}` {digest}" for file, digest in known["prompts"].items())
    given = " ".join(f"-T {key}={value}" for key, value in arguments.items())
    rows = {
        "study": _study(name),
        "version": "the eval's own" if "confidence" in facts else f"{built.version}",
        "data by default": f"`{_default(made)}`",
        "prompts": prompts,
        "settings": _settings(built),
        f"`plan {' '.join(filter(None, [name, given]))}`": planned,
        "deviations": _deviations(_PAGES.get(name, name)),
    }
    lines = [f"| {key} | {value} |" for key, value in rows.items()]
    return "\n".join([f"## {name}", "", "| what | is |", "|---|---|", *lines, ""])


def _study(name: str) -> str:
    (table,) = (table for table in all_tables().values() if table.function == name)
    reference = study_of(table.task).reference
    title = re.search(r"title = (.*),", reference)
    arxiv = re.search(r"eprint = \{(.*?)\}", reference)
    said = title[1].replace("{", "").replace("}", "") if title else "none"
    return said + (f", [arXiv {arxiv[1]}](https://arxiv.org/abs/{arxiv[1]})" if arxiv else "")


def _default(made: Callable[..., Task]) -> str:
    """Of its argument for the data set, or of what stands for it."""
    parameters = signature(made).parameters
    (name,) = (one for one in ("dataset", "table", "parts", "task") if one in parameters)
    return f"{name}={parameters[name].default or '...'}"


def _settings(built: Task) -> str:
    set_to = built.config.model_dump(exclude_none=True)
    said = ", ".join(f"{name}={value}" for name, value in set_to.items())
    return f"{said}; all others the provider's" if said else "the provider's defaults"


def _planned(name: str) -> str:
    """Samples, calls and tokens, a line each."""
    said = plan_run(name, [f"{key}={value}" for key, value in ARGUMENTS[name].items()])
    lines = [" ".join(line.split()) for line in said.splitlines()]
    kept = ("samples:", "calls:", "tokens:", "judge:")
    kept_lines = (line.partition(" (4 characters")[0] for line in lines if line.startswith(kept))
    return "<br>".join(kept_lines)


def _deviations(page_name: str) -> str:
    text = (_HERE / f"{page_name}.md").read_text(encoding="utf-8")
    if "## Deviations from the study, and why\n" not in text:
        return "none, as there is no study"
    section = text.split("## Deviations from the study, and why\n")[1].split("\n## ")[0]
    count = len(re.findall(r"^- ", section, re.M))
    link = f"{page_name}.md#deviations-from-the-study-and-why"
    return f"{count}, [listed with their reasons]({link})"


def _files() -> Iterator[str]:
    """Downloaded files by data set, each once."""
    sets: Iterable[Mapping[str, Iterable[str]]] = (
        {"scioly": fermi.FILES["scioly"]},
        {name: questions.FILES[name] for name in ("mmlu", "gsm8k", "truthfulqa")},
        {name: (file,) for name, file in question_sets.ITEMS.items()},
        {one.name: one.files for one in PUBLISHED.values()},
    )
    seen = set()
    for name, files in ((name, files) for one in sets for name, files in one.items()):
        for file in files:
            if file not in seen:
                seen.add(file)
                source = SOURCES[file]
                digest = (source.sha256 or "-")[:12]
                revision = revision_of(source)[:12] or "-"
                yield f"| {name} | {file} | {revision} | {digest} | {LICENCES[name]} |"


def _bundled() -> Iterator[str]:
    """The package's own files."""
    folder = resources.files("inspect_confidence.datasets") / "bundled"
    for file in sorted(folder.iterdir(), key=lambda one: one.name):
        if file.name.endswith((".jsonl", ".csv")):
            digest = hashlib.sha256(file.read_bytes()).hexdigest()[:12]
            yield f"| bundled | {file.name} | - | {digest} | as above |"


if __name__ == "__main__":
    (_HERE / "cards.md").write_text(page(), encoding="utf-8")
