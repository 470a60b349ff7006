"""Extreme samples: every command gives a number or says why there is none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from build import copies_per_value, entries_of, numbered
from faults.ledger import held
from runs import printed
from studies.designs import every_judgment

COMMON = {"task", "model", "dataset", "item", "split", "epoch", "draw", "variant"}
OUTCOMES = {
    "scale_variants": ("correct",),
    "life_eval": ("score",),
    "question_sets": ("correct",),
    "hedge_markers": ("correct",),
    "any_eval": ("correct",),
}
"""Columns that say what is right."""

STATED = {
    "fermi_eval": ("lower", "upper"),
    "scale_variants": ("raw", "correct", "answer"),
    "life_eval": ("answer", "score", "confidence"),
    "question_sets": ("answer", "correct", "confidence"),
    "wep_elicitation": ("probability",),
    "wep_choice": ("choice",),
    "hedge_markers": ("decisiveness", "confidence", "correct"),
    "judge_check": ("found", "missed", "false", "decisiveness", "agreed", "verdict"),
    "any_eval": ("confidence", "correct"),
}
"""Columns that replies fill."""


@cache
def small(task: str) -> pd.DataFrame:
    """Some 12 items by each of two models."""
    if task == "any_eval":
        rng = np.random.default_rng(0)
        columns = {"confidence": rng.integers(9, size=12) / 8, "correct": rng.integers(2, size=12)}
        selected = pd.DataFrame({"task": task, "method": "stated", **columns})
        selected["item"] = numbered("i", 12)
    else:
        frames = every_judgment(["likely", "probably", "might"], {})
        selected = next(frame for frame in frames if frame["task"].iloc[0] == task)
        selected = selected[selected["model"] == selected["model"].iloc[0]].head(48)
    selected = selected[selected["method"] == "direct"] if task == "fermi_eval" else selected
    return pd.concat(copies_per_value(selected, "model", ("m", "n")), ignore_index=True)


def samples(task: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """The extreme samples of a task, by name."""
    whole = small(task)
    yield "one sample", whole.head(1)
    yield "one sample of each model", whole.groupby("model").head(1)
    yield "no sample", whole.head(0)
    yield "all missing", whole.assign(**dict.fromkeys(STATED[task], np.nan), status="refusal")
    first = {name: whole[name].iloc[0] for name in STATED[task] if name in whole}
    yield "all equal", whole.assign(**first)
    for name, value in (("all right", 1), ("all wrong", 0)):
        if task in OUTCOMES:
            yield name, whole.assign(**dict.fromkeys(OUTCOMES[task], value))
        elif task == "fermi_eval":
            low = whole["truth"] + (-1 if value else 1)
            yield name, whole.assign(lower=low, upper=low + 2)


def finished(*words: object) -> tuple[bool, str]:
    """Whether a command ended in numbers or in one line, without a crash or a warning."""
    try:
        done = printed(*words, code=None)
    except AssertionError as error:
        return False, str(error)[:300]
    text = done.stdout + done.stderr
    clear = done.exit_code in (0, 1) or "Error: " in done.stderr
    return clear and "Traceback" not in text and "Warning" not in text, text


def says_why(printed_json: str) -> bool:
    """Whether each number that is undefined has a note."""
    rows: list[Mapping[str, object]] = json.loads(printed_json)
    return all(row["value"] is not None or row["note"] for row in rows)


def commands(file: Path, folder: Path) -> Iterator[tuple[str, tuple[object, ...]]]:
    """What is called on a file of judgments, but for what draws figures."""
    options = ("--resamples", 20)
    yield "summarize", ("summarize", file, "--full", *options)
    yield "compare", ("compare", file, *options)
    yield "check", ("check", file, "--require", "ece<=0.1", "--strict", *options)
    yield "unread", ("unread", file)
    yield "cite", ("cite", file)
    yield "recalibrate", ("recalibrate", file, "-o", folder / "map.json", *options)
    yield "threshold", ("threshold", file)
    yield "judgments", ("judgments", file, "-o", folder / "judgments.csv")


def write_csv(frame: pd.DataFrame, folder: Path) -> Path:
    """The judgments as a csv file."""
    folder.mkdir(parents=True, exist_ok=True)
    frame.to_csv(folder / "mine.csv", index=False)
    return folder / "mine.csv"


@pytest.mark.slow
def test_every_command_ends_in_numbers_or_a_reason(tmp_path: Path) -> None:
    """Of every task's extreme samples; warnings are errors here."""
    outcomes, texts = {}, {}
    for task in STATED:
        for name, frame in samples(task):
            file = write_csv(frame, tmp_path / task / name)
            for command, words in commands(file, file.parent):
                case = f"{task}, {name}: {command}"
                outcomes[case], texts[case] = finished(*words)
            good, text = finished("summarize", file, "--json", "--resamples", 20)
            rows = text[text.find("[") : text.rfind("]") + 1] if name != "no sample" else "[]"
            outcomes[f"{task}, {name}: reasons"] = good and says_why(rows)
            texts[f"{task}, {name}: reasons"] = text
    wrong = held(
        *("extremes", "one sample, none, all missing, equal, right or wrong", outcomes),
        "a number, or the reason why there is none, in one line",
        "nothing",
    )
    assert wrong == [], entries_of(texts, wrong[:5])


@pytest.mark.slow
def test_pages_and_tables_of_extreme_samples(tmp_path: Path) -> None:
    """All tasks together in each extreme: report and export."""
    outcomes, texts = {}, {}
    frames_by_name: dict[str, list[pd.DataFrame]] = {}
    for task in STATED:
        for name, frame in samples(task):
            frames_by_name.setdefault(name, []).append(frame)
    options = ("--resamples", 20)
    for name, frames in frames_by_name.items():
        file = write_csv(pd.concat(frames, ignore_index=True), tmp_path / name)
        for command, words in {
            "report": ("report", file, "-o", file.parent / "page", *options),
            "tables": ("export", file, "--format", "markdown", "-o", file.parent / "t", *options),
        }.items():
            outcomes[f"{name}: {command}"], texts[f"{name}: {command}"] = finished(*words)
    wrong = held(
        *("extremes", "pages and tables of extreme samples", outcomes),
        "a page and tables, or the reason why there are none, in one line",
        "nothing",
    )
    assert wrong == [], entries_of(texts, wrong)


def test_one_judgment_is_summarized_with_reasons(tmp_path: Path) -> None:
    """The least there is, of any eval."""
    file = write_csv(small("any_eval").head(1), tmp_path)
    good, text = finished("summarize", file, "--json", "--resamples", 20)
    assert good, text
    assert says_why(text[text.find("[") : text.rfind("]") + 1])
