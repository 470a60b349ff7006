"""The hedge-marker study's own prompts: what is taken from the authors' files, and how."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from string import Formatter

import pytest

from build import by_id, record_table
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


def test_system_messages_and_grouping_prompt_are_the_authors(published: Path) -> None:
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


def test_the_authors_files_are_never_imported(published: Path) -> None:
    """They would import torch, vllm and others that are nowhere."""
    before = set(sys.modules)
    study_formats(), study_judge()
    new = {name.partition(".")[0] for name in set(sys.modules) - before}
    assert not new & {"datasets", "google", "openai", "vllm", "termcolor", "src"}


def test_formats_are_strings_of_the_authors_file(published: Path, formats: StudyFormats) -> None:
    """Each is an f-string of the file, its fields apart: all of its own text, nothing else."""
    source = (published / "hedge_markers" / "utils.py").read_text("utf-8")
    texts = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            constants = [part.value for part in node.values if isinstance(part, ast.Constant)]
            texts.append("".join(map(str, constants)))
    for name in ("selfaware", "mmlu", "sciq", "arc", "wnli", "boolq", "rte", "hallueval"):
        assert formats.branches[name]
        for template in formats.branches[name]:
            parts = [text for text, *_ in Formatter().parse(template)]
            assert "".join(parts) in texts, name
    for name in ("popqa", "simpleqa", "truthfulqa", "ambignq"):
        assert formats.branches[name] == []
    assert formats.message.removeprefix("{question}") == "\nAnswer:"


def question(**fields: object) -> Question:
    """A question of a data set that the study has."""
    return Question(**{"id": "q", "question": " Which {metal}? ", **fields})  # type: ignore[arg-type]


METALS = ("lead", "cork, or wood", "tin")


def test_questions_have_the_studys_form_and_accepted_answers(formats: StudyFormats) -> None:
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
        study_form = formats.worded(item)
        assert (study_form.question, study_form.answers) == (text, answers), item.dataset
        assert study_form.choices == (), item.dataset
    yes_no = {"choices": ("Yes", "No"), "target": "B"}
    wnli = formats.worded(question(dataset="wnli", fields={"p": "P.", "h": "H."}, **yes_no))
    assert wnli.question.startswith("Premise: P.\nHypothesis: H.\n")
    assert wnli.question.endswith("(yes or no)")
    assert wnli.answers == ("no",)
    about = {"passage": "A passage.", "question": "is it"}
    boolq = formats.worded(question(dataset="superglue", part="boolq", fields=about, **yes_no))
    assert (boolq.question, boolq.answers) == ("A passage.\nis it", ("no",))
    summary = {"document": "A page.", "summary": "A line.", "question": "(ours)"}
    item = question(dataset="halueval", part="summarization", fields=summary, answers=("yes",))
    halueval = formats.worded(item)
    assert halueval.question.startswith("Document: A page.\nSummary: A line.\nDoes the summary ")
    assert halueval.answers == ("yes",)


@pytest.mark.parametrize(
    ("dataset", "added_text"),
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
def test_all_items_of_a_data_set_have_the_studys_form_in_our_order(
    formats: StudyFormats, dataset: str, added_text: str
) -> None:
    """All of a set's items can be asked, in the order in which ours are."""
    plain = load_marker_questions(dataset, split="test", items=40)
    formatted = load_marker_questions(dataset, split="test", items=40, formats=formats)
    assert list(by_id(formatted.items)) == list(by_id(plain.items))
    assert formatted.excluded == plain.excluded
    for plain_item, item in zip(plain.items, formatted.items, strict=True):
        assert item.question.startswith(plain_item.question.strip())
        assert added_text in item.question[len(plain_item.question.strip()) :]
        assert item.answers or not item.answerable
        right = item.answers[0] if item.answers else ""
        if right.startswith("Choice "):
            label = right.removeprefix("Choice ")
            chosen = plain_item.choices["ABCDE".index(plain_item.target)]
            assert f"{label}. {chosen}" in item.question


def test_tasks_without_a_format_of_the_study_are_counted(formats: StudyFormats) -> None:
    """SuperGLUE's BoolQ alone is asked."""
    selection = load_marker_questions("superglue", split="test", items=50, formats=formats)
    assert set(record_table(selection.items)["part"]) == {"boolq"}
    all_tasks = load_marker_questions("superglue", split="test", items=10**6)
    other_tasks = (record_table(all_tasks.items)["part"] != "boolq").sum()
    assert selection.excluded["no format of the study"] == other_tasks > 0


def test_arguments_that_exclude_each_other_are_refused(home: Path, published: Path) -> None:
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
