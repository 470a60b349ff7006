"""Prompts of the hedge-marker study, parsed from the authors' two Python files, never run."""

import ast
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from string import Formatter

from inspect_confidence.datasets.cache import fetch_text
from inspect_confidence.datasets.questions import Question
from inspect_confidence.datasets.records import LETTERS

PROMPTS, UTILS = "hedge_markers/prompts.py", "hedge_markers/utils.py"
_INSTEAD = "our own prompts, which need no download (prompts=ours, judge_prompts=ours)"

_BRANCHES = {"arc_challenge": "arc", "halueval": "hallueval"}
"""The study's names of data sets that have another name in this package."""


def study_systems() -> dict[str, str]:
    """Return the study's system messages, `standard` and `metacognitive`.

    Raises:
        DataUnavailable: The study's file could not be downloaded.
    """
    texts = _constants()
    return {"standard": texts["SYSTEM_PROMPT_1"], "metacognitive": texts["SYSTEM_PROMPT_2"]}


def study_standards() -> str:
    """Return the study's prompt that groups markers, a template with the field `markers`.

    Raises:
        DataUnavailable: The study's file could not be downloaded.
    """
    return _constants()["STANDARDIZATION_PROMPT"].replace("{expressions}", "{markers}")


def study_judge() -> tuple[dict[str, str], dict[str, str]]:
    """Return the templates and the system messages of the study's judge, by the judge's task.

    They are the constants of the study's file of prompts, by their names there. Templates use this
    package's field names. Decisiveness is rated from 0.0 to 1.0 with the study's examples. Tasks
    for which the study has no system message have none.

    Raises:
        DataUnavailable: A file of the study could not be downloaded.
    """
    texts = _constants()
    # The study's examples have fields such as {MAX*0.5}; MAX is 1.0.
    examples = re.sub(
        r"\{MAX(?:\*([0-9.]+))?\}",
        lambda field: str(float(field[1] or 1)),
        texts["GM12_FS_GM_PROB"],
    )
    # Each of the study's fields is filled with the name of this package's field.
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
    return templates, dict.fromkeys(("consistency", "correctness"), _system_of_judge())


def _system_of_judge() -> str:
    """Return the system message with which the study's function `llm_eval` asks a judge.

    It is the first argument of the only call of the model in that function.
    """
    systems = []
    for node in ast.walk(_find_function(_parse_study_file(UTILS), "llm_eval")):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "get_proprietary_response":
            systems.append(ast.literal_eval(node.args[0]))
    (system,) = systems
    return str(system)


@dataclass(frozen=True)
class StudyFormats:
    """The study's formats of questions, by data set.

    Attributes:
        branches: Templates by data set, in the order of the study's code: the template of a choice
            and those of the whole question. Empty if the question is asked unchanged.
        ending: Text at the end of every message.
    """

    branches: Mapping[str, Sequence[str]]
    ending: str

    @property
    def message(self) -> str:
        """Template of the user message, with the field `question`."""
        return "{question}" + self.ending.replace("{", "{{").replace("}", "}}")

    def has(self, item: Question) -> bool:
        """Return whether the question has all fields that the study's format needs."""
        return self._template(item) is not None

    def worded(self, item: Question) -> Question:
        """Return the question in the study's wording, with the answers that the study accepts.

        The accepted answer is the right choice's number, such as `Choice 2`, if choices are
        numbered (and its text too for data sets outside the study). It is the choice's text if they
        are not, in lower case if the question doesn't list them (yes or no). A question without
        choices keeps its answers.
        """
        template = self._template(item)
        if template is None:
            raise ValueError(f"{item.id} has no format of the study")
        text = template.format(**self._fillings(item))
        if not item.choices:
            return replace(item, question=text)
        right_index = LETTERS.index(item.target)
        right_text = item.choices[right_index]
        choice_template = self._choice_template(item)
        if "choices_str" not in _template_fields(template):
            answers = [right_text.lower()]  # the question itself asks for yes or no
        elif choice_template is None:
            answers = [right_text]
        else:
            label = _fill_choice_template(choice_template, right_index, "").strip(" .")
            answers = [f"Choice {label}"]
            if self._branch(item) not in self.branches:  # a data set outside the study
                answers.append(right_text)
        return replace(item, question=text, choices=(), answers=tuple(answers), target="")

    def _branch(self, item: Question) -> str:
        name = item.part if item.dataset == "superglue" else item.dataset
        return _BRANCHES.get(name, name)

    def _templates(self, item: Question) -> Sequence[str]:
        """Return the data set's templates, or those of a similar set if the study lacks it."""
        substitute = "mmlu" if item.choices else "popqa"
        return self.branches.get(self._branch(item), self.branches[substitute])

    def _template(self, item: Question) -> str | None:
        """Return the study's first template that the question can fill, or None without one."""
        if item.dataset == "superglue" and item.part not in self.branches:
            return None  # the study has no templates for this task (`part`) of SuperGLUE
        templates = self._templates(item) or ["{question}"]  # a data set that is asked unchanged
        return _first_fillable(templates, self._fillings(item).keys())

    def _choice_template(self, item: Question) -> str | None:
        """Return the template of a choice, or None if choices are not labelled."""
        return _first_fillable(self._templates(item), {"idx", "letter", "x", "choice"})

    def _fillings(self, item: Question) -> dict[str, str]:
        """Return the texts that fill a template, by field, such as `question` and `choices_str`."""
        question = item.question.strip()
        # The study's templates call the question by either name.
        fillings = {"question": question, "input_args": question, **item.fields}
        if item.choices:
            template = self._choice_template(item) or "{x}"  # the choice alone, without a label
            choices = []
            for index, text in enumerate(item.choices):
                choices.append(_fill_choice_template(template, index, text))
            fillings["choices_str"] = ", ".join(choices)
        return fillings


def _first_fillable(templates: Iterable[str], names: Set[str]) -> str | None:
    """Return the first template whose fields are all among the names; None if there is none."""
    for template in templates:
        if _template_fields(template) <= names:
            return template
    return None


def study_formats() -> StudyFormats:
    """Return the study's formats of questions, read from the text of the study's code.

    The code has a branch for each data set, with the templates as f-strings, and adds one ending to
    every message.

    Raises:
        DataUnavailable: The study's file could not be downloaded.
    """
    tree = _parse_study_file(UTILS)
    branches: dict[str, list[str]] = {}
    for node in ast.walk(_find_function(tree, "get_data_df")):
        if isinstance(node, ast.If):
            # The condition compares with the data set's name; its first branch counts.
            names = [part.value for part in ast.walk(node.test) if isinstance(part, ast.Constant)]
            parts = chain.from_iterable(map(ast.walk, node.body))
            f_strings = [part for part in parts if isinstance(part, ast.JoinedStr)]
            f_strings.sort(key=lambda f_string: f_string.lineno)
            name = str(names[0]) if names else ""
            branches.setdefault(name, list(map(_template_of_f_string, f_strings)))
    endings = []
    for node in ast.walk(_find_function(tree, "get_hf_dataset")):
        if isinstance(node, ast.BinOp):
            endings.append(ast.literal_eval(node.right))
    (ending,) = endings  # the code has a single sum of texts
    return StudyFormats(branches, ending)


def _constants() -> dict[str, str]:
    """Return the values of the constants in the study's file of prompts, by name."""
    constants = {}
    for node in _parse_study_file(PROMPTS).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            with suppress(ValueError):  # a value that isn't a literal is no prompt
                constants[node.targets[0].id] = ast.literal_eval(node.value)
    return constants


def _parse_study_file(name: str) -> ast.Module:
    return ast.parse(fetch_text(name, alternative=_INSTEAD))


def _find_function(tree: ast.Module, name: str) -> ast.FunctionDef:
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return next(function for function in functions if function.name == name)


def _template_of_f_string(text: ast.JoinedStr) -> str:
    """Return a template for `str.format`; a field has the last name of its expression."""
    pieces = []
    for part in text.values:
        if isinstance(part, ast.Constant):
            pieces.append(str(part.value).replace("{", "{{").replace("}", "}}"))
        else:
            pieces.append(f"{{{_last_name(part)}}}")
    return "".join(pieces)


def _last_name(node: ast.AST) -> str:
    """Return an expression's last name or key, `question` of `row["question"].strip()`, or ""."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    if isinstance(node, ast.Name):
        return node.id
    names = list(filter(None, map(_last_name, ast.iter_child_nodes(node))))
    return names[-1] if names else ""


def _template_fields(template: str) -> set[str]:
    return {field for _, field, _, _ in Formatter().parse(template) if field is not None}


def _fill_choice_template(template: str, index: int, text: str) -> str:
    """Return a choice as the study's template writes it, with its number or letter."""
    return template.format(idx=index + 1, letter=LETTERS[index], x=text, choice=text)
