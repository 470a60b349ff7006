"""Text that would act: names, replies, markers and files show it, and nothing does what it says."""

from __future__ import annotations

import csv
import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from itertools import chain
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest
import yaml

from build import column_of, texts_starting
from conftest import run_respondent
from export.judged import intervals
from faults.ledger import held
from inspect_confidence.export import FORMATS, export
from inspect_confidence.judgments.files import read_file, write_judgments
from inspect_confidence.printing import INVISIBLE
from inspect_confidence.report import write_report
from inspect_confidence.results import Condition
from report.pages import elements
from runs import printed

MARK = "1337"
TEXTS = {
    "HTML": f'"><img src=x onerror=alert({MARK})><b>',
    "script": f"</title></style><script>alert({MARK})</script><!--",
    "Markdown": f"|a|[x](javascript:alert({MARK}))\n# head ![y](http://{MARK}.example) `c` **b**",
    "LaTeX": f"\\input{{/etc/{MARK}}}\\write18{{id}}$\\def\\x{{}}% }}{{ & # ^ _ ~",
    "formula": f'=HYPERLINK("http://{MARK}.example")',
    "formula after a blank": f" \t@SUM({MARK})",
    "YAML": f"a: !!python/object/apply:os.system ['{MARK}']\n- &x *x\n---\n\"'",
    "terminal": f"\x1b]0;{MARK}\x07\x1b[2J\x1b[31m\x9b31m\r\b\x7f",
    "direction": f"\u202e{MARK}\u2066\u200f\u2028\ufeff",
    "NUL": f"a\x00b{MARK}",
    "path": f"../../../{MARK}/..\\..\\CON",
    "long": MARK + "x" * 10**7,
    "braces": f"{{{{ 7*7 }}}} {{% raw %}} {{0.__class__}} %s %(x)s [red]{MARK}[/red] :smile:",
}
SHORT_TEXTS = sorted(TEXTS.keys() - {"long"})

_NAMED = 5_000
"""Characters of a name, which stands in every row."""


def frames(text: str) -> dict[str, pd.DataFrame]:
    """Judgments of two tasks in which every text of others is this one, names a part of it."""
    whole, text = text, text[:_NAMED]
    bounds = [(2.0, 4.0), (2.5, 5.0), (4.0, 6.0), (5.0, 6.0)]
    judgments = intervals(text, bounds)
    variant = str(Condition(prompt=text))
    judgments = judgments.assign(dataset=text, variant=variant, reason=whole, status="ok")
    judgments.loc[judgments["item"] == "q0", "status"] = "refusal"
    judgments["item"] += text
    hedged = pd.DataFrame(
        {
            "task": "hedge_markers",
            "model": [text] * 4,
            "dataset": text,
            "item": [f"{k}{text}" for k in range(4)],
            "sentence": "0",
            "marker": text,
            "n_markers": 1.0,
            "confidence": [0.1, 0.4, 0.6, 0.9],
            "decisiveness": 0.5,
            "correct": [0.0, 1.0, 0.0, 1.0],
            "judge": text,
            "status": "ok",
        }
    )
    return {"fermi_eval": judgments.reset_index(drop=True), "hedge_markers": hedged}


def acts(text: str, allowed: str = "\n") -> bool:
    """Whether a terminal would do something."""
    return any(unicodedata.category(sign) in INVISIBLE for sign in {*text} - {*allowed})


def page_is_inert(path: Path) -> bool:
    """No element, attribute or address of a page came out of a text."""
    for element in elements(path):
        if element.tag in ("script", "style") and MARK in element.text:
            return False
        for name, value in element.attributes.items():
            if name.startswith("on") or re.match(r"\s*(?:javascript:|http)", value or ""):
                return name.startswith("xmlns") or MARK not in value
    return True


def cells_are_inert(text: str) -> bool:
    """No cell of a csv file is a formula."""
    csv.field_size_limit(10**9)
    rows = csv.reader(StringIO(text, newline=""))
    cells = chain.from_iterable(rows)
    formula = re.compile(r"\s*(?:[=+@]|-(?!inf$)\D)")
    return not any(map(formula.match, cells))


def markdown_is_inert(text: str) -> bool:
    """No element, link, picture or further cell."""
    plain = re.sub(r"\\.", "", text)
    lines = texts_starting(plain.splitlines(), "|")
    uneven = [line for line in lines if not line.endswith("|")]
    return not uneven and not re.search(r"<(?:img|script|b)\b|\]\(|`", plain)


def latex_is_inert(text: str) -> bool:
    """No command of a text's own."""
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    return not re.search(r"\\(?:input|write|def)\b", body)


def yaml_is_inert(text: str) -> bool:
    """Lists of entries, made of nothing but texts and numbers."""
    return set(map(type, yaml.safe_load(text))) <= {dict}


def picture_is_inert(text: str) -> bool:
    """Elements that draw, without handlers and without addresses of others."""
    for element in ElementTree.fromstring(text).iter():
        if element.tag.rsplit("}", 1)[-1] in ("script", "foreignObject", "img", "a"):
            return False
        if any(
            name.startswith("on")
            or (name.endswith("href") and not value.startswith(("#", "data:image/")))
            for name, value in element.attrib.items()
        ):
            return False
    return True


LOOKS: dict[str, Callable[[str], bool]] = {
    ".csv": cells_are_inert,
    ".md": markdown_is_inert,
    ".tex": latex_is_inert,
    ".yaml": yaml_is_inert,
    ".json": lambda text: bool(json.loads(text)),
    ".jsonl": lambda text: all(map(json.loads, text.splitlines())),
    ".svg": picture_is_inert,
}


def looked_at(folder: Path) -> Iterator[tuple[str, bool]]:
    """Each file below a folder, and whether nothing in it or in its name acts."""
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        portable = re.fullmatch(r"[\w.+/-]+", name, re.ASCII) is not None and len(path.name) < 200
        if path.is_file():
            raw = path.read_bytes()
            text = raw.decode()  # valid, whatever the text was
            good = page_is_inert(path) if path.suffix == ".html" else LOOKS[path.suffix](text)
            yield name, portable and good and (path.suffix == ".csv" or b"\x00" not in raw)


def all_frames(names: Sequence[str]) -> dict[str, pd.DataFrame]:
    """The frames of several texts, one model each."""
    frames_of_texts = [frames(TEXTS[name]) for name in names]
    joined = {}
    for task in frames_of_texts[0]:
        tables = column_of(frames_of_texts, task)
        joined[task] = pd.concat(tables, ignore_index=True)
    return joined


@pytest.mark.slow
@pytest.mark.parametrize("names", [SHORT_TEXTS, ["long"]])
def test_text_is_inert_in_every_file(tmp_path: Path, names: list[str]) -> None:
    """Page, tables, csv, parquet, Markdown, LaTeX, YAML, JSON, and names of files."""
    judgments = all_frames(names)
    outcomes: dict[str, bool] = {}
    for form in FORMATS:
        folder = tmp_path / form
        export(judgments, form, folder, resamples=5)
        outcomes |= {f"{form}: {file}": good for file, good in looked_at(folder)}
    write_report(judgments, tmp_path / "report", resamples=5)
    outcomes |= {f"report: {file}": good for file, good in looked_at(tmp_path / "report")}
    for ending in ("csv", "parquet"):
        file = tmp_path / f"judgments.{ending}"
        write_judgments(judgments, file)
        copy = read_file(file)["fermi_eval"]
        outcomes[f"judgments.{ending}"] = all(
            set(copy[name]) == set(judgments["fermi_eval"][name]) for name in ("model", "reason")
        )
    assert cells_are_inert((tmp_path / "judgments.csv").read_text("utf-8"))
    assert not [path for path in tmp_path.parent.iterdir() if MARK in path.name]
    fault = "A text of 10 MB" if names == ["long"] else f"{len(names)} kinds of text"
    happened = "the text as it is, or its characters' codes"
    assert held("hostile", f"{fault}, in every file", outcomes, happened, "nothing") == []


@pytest.mark.slow
def commands_naming_texts(file: Path) -> Iterator[tuple[object, ...]]:
    """Commands that name each text, cut to 999 characters, as an option or a metric."""
    for text in TEXTS.values():
        yield "summarize", file, "--option", f"{text[:999]}=1"
        yield "check", file, "--require", f"{text[:999]}<=1"


@pytest.mark.slow
def test_text_is_inert_on_a_terminal(tmp_path: Path) -> None:
    """Of every command that prints names, tables, notices and errors."""
    file = tmp_path / "judgments.parquet"
    outcomes: dict[str, bool] = {}
    write_judgments(all_frames(SHORT_TEXTS), file)
    for words in (
        ("summarize", file, "--resamples", 5),
        ("summarize", file, "--resamples", 5, "--json"),
        ("summarize", file, "--resamples", 5, "--full"),
        ("compare", file, file, "--resamples", 5),
        ("check", file, "--resamples", 5, "--require", "coverage>=0.1"),
        ("unread", file),
        ("cite", file),
        ("recalibrate", file, "-o", tmp_path / "maps.json", "--resamples", 5),
        ("threshold", file),
        ("canonicalize", file, "-o", tmp_path / "forms.json"),
        *commands_naming_texts(file),
    ):
        done = printed(*words, code=None)
        outcomes[f"{words[0]} {len(outcomes)}"] = bool(done.output) and not acts(done.output)
    happened = "its characters' codes"
    assert held("hostile", "Text on the terminal", outcomes, happened, "nothing") == []


@pytest.mark.slow
def test_names_of_files_are_inert(tmp_path: Path) -> None:
    """Logs that can't be read, inputs and outputs whose names would act."""
    run_respondent("calibrated", tmp_path / "logs", items=3, levels="90")
    (log,) = (tmp_path / "logs").iterdir()
    outcomes: dict[str, bool] = {}
    for name, text in TEXTS.items():
        part = text.replace("/", "_").replace("\x00", "")[:60]
        folder = tmp_path / f"f{part}"
        folder.mkdir()
        (folder / f"{part}.eval").write_bytes(log.read_bytes())
        (folder / f"damaged {part}.eval").write_bytes(log.read_bytes()[:300])
        for words in (
            ("summarize", folder, "--resamples", 5),
            ("judgments", folder, "-o", folder / f"{part}.csv"),
            ("export", folder, "--format", "csv", "-o", folder / part, "--resamples", 5),
            ("ingest", folder, "-o", folder / "store"),
            ("summarize", folder / f"none{part}"),
            ("judgments", folder, "-o", folder / "none" / f"{part}.csv"),
        ):
            done = printed(*words, code=None)
            outcomes[f"{name} {words[0]} {len(outcomes)}"] = not acts(done.output)
    happened = "the name with its characters' codes"
    assert held("hostile", "Names of files", outcomes, happened, "nothing") == []
