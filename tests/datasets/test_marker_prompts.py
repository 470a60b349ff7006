"""The hedge-marker study's own prompts: what is taken from the authors' files, and how."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from string import Formatter

import pytest

from contract.study_judge import constants
from inspect_confidence.datasets.hedge_markers import load_marker_questions
from inspect_confidence.datasets.marker_prompts import (
    StudyFormats,
    study_formats,
    study_judge,
    study_standards,
    study_systems,
)
from inspect_confidence.datasets.questions import Question
from inspect_confidence.prompts.hedge_markers import STANDARD
from inspect_confidence.tasks.hedge_markers import hedge_markers
from runs import check_refusals


@pytest.fixture
def formats(published: Path) -> StudyFormats:
    """Those of the authors' file."""
    return study_formats()


def test_system_messages_and_grouping_are_the_authors(published: Path) -> None:
    """To the letter; the standard one is the one that we print too."""
    texts = constants(published)
    systems = study_systems()
    assert systems == {
        "standard": texts["SYSTEM_PROMPT_1"],
        "metacognitive": texts["SYSTEM_PROMPT_2"],
    }
    assert systems["standard"] == STANDARD
    whole = texts["STANDARDIZATION_PROMPT"].format(expressions="maybe {x}")
    assert study_standards().format(markers="maybe {x}") == whole


def test_the_authors_files_are_never_run(published: Path) -> None:
    """They would import torch, vllm and others that are nowhere."""
    before = set(sys.modules)
    study_formats(), study_judge()
    new = {name.partition(".")[0] for name in set(sys.modules) - before}
    assert not new & {"datasets", "google", "openai", "vllm", "termcolor", "src"}


def test_formats_are_strings_of_the_authors_file(published: Path, formats: StudyFormats) -> None:
    """Each is an f-string of the file, its fields apart: all of its own text, nothing else."""
    source = (published / "hedge_markers" / "utils.py").read_text("utf-8")
    written = [
        "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.JoinedStr)
    ]
    for name in ("selfaware", "mmlu", "sciq", "arc", "wnli", "boolq", "rte", "hallueval"):
        assert formats.branches[name]
        for template in formats.branches[name]:
            parts = [text for text, *_ in Formatter().parse(template)]
            assert "".join(parts) in written, name
    for name in ("popqa", "simpleqa", "truthfulqa", "ambignq"):
        assert formats.branches[name] == []
    assert formats.message.removeprefix("{question}") == "\nAnswer:"


def question(**given: object) -> Question:
    """A question of a data set that the study has."""
    return Question(**{"id": "q", "question": " Which {metal}? ", **given})  # type: ignore[arg-type]


METALS = ("lead", "cork, or wood", "tin")


def test_questions_in_the_studys_form(formats: StudyFormats) -> None:
    """By eye, with what is accepted; a question's own braces stay."""
    choices = {"choices": METALS, "target": "C"}
    cases = [
        (question(dataset="popqa", answers=("tin",)), "Which {metal}?", ("tin",)),
        (
            question(dataset="mmlu", **choices),
            "Which {metal}?\nChoices: 1. lead, 2. cork, or wood, 3. tin",
            ("Choice 3",),
        ),
        (
            question(dataset="arc_challenge", **choices),
            "Which {metal}?\nChoices: A. lead, B. cork, or wood, C. tin",
            ("Choice C",),
        ),
        (
            question(dataset="sciq", **choices),
            "Which {metal}?\nChoices: lead, cork, or wood, tin",
            ("tin",),
        ),
        (  # of a data set that the study doesn't have
            question(dataset="mine.csv", **choices),
            "Which {metal}?\nChoices: 1. lead, 2. cork, or wood, 3. tin",
            ("Choice 3", "tin"),
        ),
    ]
    for item, text, answers in cases:
        found = formats.asked(item)
        assert (found.question, found.answers, found.choices) == (text, answers, ()), item.dataset
    yes_no = {"choices": ("Yes", "No"), "target": "B"}
    wnli = formats.asked(question(dataset="wnli", fields={"p": "P.", "h": "H."}, **yes_no))
    assert wnli.question.startswith("Premise: P.\nHypothesis: H.\n")
    assert wnli.question.endswith("(yes or no)")
    assert wnli.answers == ("no",)
    about = {"passage": "A passage.", "question": "is it"}
    boolq = formats.asked(question(dataset="superglue", part="boolq", fields=about, **yes_no))
    assert (boolq.question, boolq.answers) == ("A passage.\nis it", ("no",))
    summary = {"document": "A page.", "summary": "A line.", "question": "(ours)"}
    item = question(dataset="halueval", part="summarization", fields=summary, answers=("yes",))
    halueval = formats.asked(item)
    assert halueval.question.startswith("Document: A page.\nSummary: A line.\nDoes the summary ")
    assert halueval.answers == ("yes",)


@pytest.mark.parametrize(
    ("dataset", "shown"),
    [
        ("popqa", ""),
        ("selfaware", "unanswerable"),
        ("simpleqa", ""),
        ("truthfulqa", ""),
        ("mmlu", "\nChoices: 1. "),
        ("sciq", "\nChoices: "),
        ("arc_challenge", "\nChoices: A. "),
        ("ambignq", ""),
        ("facts", ""),
        ("science", "\nChoices: 1. "),
    ],
)
def test_data_sets_in_the_studys_form(formats: StudyFormats, dataset: str, shown: str) -> None:
    """All of a set's items can be asked, in the order in which ours are."""
    ours = load_marker_questions(dataset, split="test", items=40)
    theirs = load_marker_questions(dataset, split="test", items=40, formats=formats)
    assert [one.id for one in theirs.items] == [one.id for one in ours.items]
    assert theirs.excluded == ours.excluded
    for mine, item in zip(ours.items, theirs.items, strict=True):
        assert item.question.startswith(mine.question.strip())
        assert shown in item.question[len(mine.question.strip()) :]
        assert item.answers or not item.answerable
        right = item.answers[0] if item.answers else ""
        if right.startswith("Choice "):
            label = right.removeprefix("Choice ")
            chosen = mine.choices["ABCDE".index(mine.target)]
            assert f"{label}. {chosen}" in item.question


def test_what_the_study_has_no_form_for_is_counted(formats: StudyFormats) -> None:
    """SuperGLUE's BoolQ alone is asked."""
    found = load_marker_questions("superglue", split="test", items=50, formats=formats)
    assert {item.part for item in found.items} == {"boolq"}
    every = load_marker_questions("superglue", split="test", items=10**6)
    others = sum(item.part != "boolq" for item in every.items)
    assert found.excluded["no format of the study"] == others > 0


def test_arguments_that_exclude_each_other(home: Path, published: Path) -> None:
    """One line each, before any call."""
    (home / "mine.txt").write_text("{question}", "utf-8")
    facts = {"dataset": "facts", "items": 3}
    cases: list[tuple[dict[str, object], str]] = [
        ({**facts, "prompts": "authors"}, "prompts=authors is not known"),
        ({**facts, "prompts": "study", "prompt": "mine.txt"}, "leave prompt out"),
        ({**facts, "judge_prompts": "stduy"}, "Did you mean 'study'?"),
        ({**facts, "judge_prompts": "study", "judge": "rules"}, "rules read no prompts"),
        (
            {**facts, "judge_prompts": "study", "batch_judgments": True},
            "judge_prompts=study with batch_judgments=true",
        ),
    ]
    check_refusals(hedge_markers, cases)
