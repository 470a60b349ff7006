"""The hedge-marker study's own prompts, from the authors' two files: read as data, never run."""

import ast
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from string import Formatter

from inspect_confidence.datasets.cache import fetch_text
from inspect_confidence.datasets.questions import Question
from inspect_confidence.datasets.records import LETTERS

PROMPTS, UTILS = "hedge_markers/prompts.py", "hedge_markers/utils.py"
_INSTEAD = "our own prompts, which need no download (prompts=ours, judge_prompts=ours)"

_BRANCHES = {"arc_challenge": "arc", "halueval": "hallueval"}
"""What the study calls data sets that we call otherwise."""


def study_systems() -> dict[str, str]:
    """The study's system messages, `standard` and `metacognitive`.

    Raises:
        DataUnavailable: The study's file could not be downloaded.
    """
    texts = _constants()
    return {"standard": texts["SYSTEM_PROMPT_1"], "metacognitive": texts["SYSTEM_PROMPT_2"]}


def study_standards() -> str:
    """The study's prompt that groups markers, a template with the field `markers`.

    Raises:
        DataUnavailable: The study's file could not be downloaded.
    """
    return _constants()["STANDARDIZATION_PROMPT"].replace("{expressions}", "{markers}")


def study_judge() -> tuple[dict[str, str], dict[str, str]]:
    """The study's judge's templates by what is asked, with our fields, and its system messages.

    Decisiveness is rated from 0.0 to 1.0 after the study's examples. Where the study has no system
    message there is none.

    Raises:
        DataUnavailable: A file of the study could not be downloaded.
    """
    texts = _constants()
    examples = re.sub(
        r"\{MAX(?:\*([0-9.]+))?\}", lambda of: str(float(of[1] or 1)), texts["GM12_FS_GM_PROB"]
    )
    templates = {
        "markers": texts["EXTRACTION_PROMPT"].format(text="{sentence}"),
        "decisiveness": texts["GM1_PROB"].format(
            MIN=0.0, MAX=1.0, fs_prompt=examples, text="{sentence}"
        ),
        "consistency": texts["UNCERTAINTY_PROMPT"].format(
            context="{reply}", assertion="{sentence}"
        ),
        "correctness": texts["LLM_EVAL_PROMPT"].format(targets="{answers}", pred="{reply}"),
    }
    evaluation = _function(_tree(UTILS), "llm_eval")
    (system,) = (
        ast.literal_eval(node.args[0])
        for node in ast.walk(evaluation)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "get_proprietary_response"
    )
    return templates, dict.fromkeys(("consistency", "correctness"), system)


@dataclass(frozen=True)
class StudyFormats:
    """How the study asks the questions of each of its data sets.

    Attributes:
        branches: Templates by data set, as the study's code has them, in its order: none where it
            asks the question as it is, else one for each choice, and those of the whole.
        ending: What every message ends with.
    """

    branches: Mapping[str, Sequence[str]]
    ending: str

    @property
    def message(self) -> str:
        """The user message, with the field `question`."""
        return "{question}" + self.ending.replace("{", "{{").replace("}", "}}")

    def has(self, item: Question) -> bool:
        """Whether a question has all that the study's format of its data set shows."""
        return self._whole(item) is not None

    def asked(self, item: Question) -> Question:
        """The question as the study words it, choices in the order given, and what it accepts.

        That is the choice's place, as `Choice 2`, where choices are numbered; the choice's text
        where they aren't. Of data sets that the study doesn't have both are accepted.
        """
        whole = self._whole(item)
        if whole is None:
            raise ValueError(f"{item.id} has no format of the study")
        text = whole.format(**self._shown(item))
        if not item.choices:
            return replace(item, question=text)
        place = LETTERS.index(item.target)
        right = item.choices[place]
        if "choices_str" not in _fields(whole):  # the question itself asks for yes or no
            answers: tuple[str, ...] = (right.lower(),)
        elif label := self._label(item):
            answers = (f"Choice {_labelled(label, place, '').strip(' .')}",)
            answers += () if self._branch(item) in self.branches else (right,)
        else:
            answers = (right,)
        return replace(item, question=text, choices=(), answers=answers, target="")

    def _branch(self, item: Question) -> str:
        name = item.part if item.dataset == "superglue" else item.dataset
        return _BRANCHES.get(name, name)

    def _templates(self, item: Question) -> Sequence[str]:
        """Of a data set that the study doesn't have: those of one with questions of its kind."""
        alike = "mmlu" if item.choices else "popqa"
        return self.branches.get(self._branch(item), self.branches[alike])

    def _whole(self, item: Question) -> str | None:
        if item.dataset == "superglue" and item.part not in self.branches:
            return None
        templates = self._templates(item)
        shown = self._shown(item).keys()
        return next((one for one in templates or ["{question}"] if _fields(one) <= shown), None)

    def _label(self, item: Question) -> str | None:
        parts = {"idx", "letter", "x", "choice"}
        return next((one for one in self._templates(item) if _fields(one) <= parts), None)

    def _shown(self, item: Question) -> dict[str, str]:
        """What there is to fill a template with."""
        question = item.question.strip()
        shown = {"question": question, "input_args": question, **item.fields}
        if item.choices:
            label = self._label(item) or "{x}"
            listed = (_labelled(label, place, text) for place, text in enumerate(item.choices))
            shown["choices_str"] = ", ".join(listed)
        return shown


def study_formats() -> StudyFormats:
    """The study's formats of questions.

    Raises:
        DataUnavailable: The study's file could not be downloaded.
    """
    tree = _tree(UTILS)
    branches: dict[str, list[str]] = {}
    for node in ast.walk(_function(tree, "get_data_df")):
        if isinstance(node, ast.If):
            names = [one.value for one in ast.walk(node.test) if isinstance(one, ast.Constant)]
            inside = [one for line in node.body for one in ast.walk(line)]
            texts = [one for one in inside if isinstance(one, ast.JoinedStr)]
            texts.sort(key=lambda one: one.lineno)
            branches.setdefault(str(names[0]) if names else "", [_template(one) for one in texts])
    (ending,) = (
        ast.literal_eval(node.right)
        for node in ast.walk(_function(tree, "get_hf_dataset"))
        if isinstance(node, ast.BinOp)
    )
    return StudyFormats(branches, ending)


def _constants() -> dict[str, str]:
    """The texts of the study's prompts by the names that they have there."""
    found = {}
    for node in _tree(PROMPTS).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            with suppress(ValueError):  # what isn't written out is no prompt
                found[node.targets[0].id] = ast.literal_eval(node.value)
    return found


def _tree(name: str) -> ast.Module:
    return ast.parse(fetch_text(name, instead=_INSTEAD))


def _function(tree: ast.Module, name: str) -> ast.FunctionDef:
    named = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return next(node for node in named if node.name == name)


def _template(text: ast.JoinedStr) -> str:
    """An f-string as a template whose fields are named after what fills them there."""
    return "".join(
        str(part.value).replace("{", "{{").replace("}", "}}")
        if isinstance(part, ast.Constant)
        else f"{{{_named(part)}}}"
        for part in text.values
    )


def _named(node: ast.AST) -> str:
    """The last name or key in an expression: `question` of `row["question"].strip()`."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    if isinstance(node, ast.Name):
        return node.id
    names = [name for child in ast.iter_child_nodes(node) if (name := _named(child))]
    return names[-1] if names else ""


def _fields(template: str) -> set[str]:
    return {field for _, field, _, _ in Formatter().parse(template) if field is not None}


def _labelled(label: str, place: int, text: str) -> str:
    """A choice with its number or letter."""
    return label.format(idx=place + 1, letter=LETTERS[place], x=text, choice=text)
