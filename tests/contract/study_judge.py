"""A judge that is asked in the hedge study's own words and answers in its formats.

A prompt is known if it is one of the authors' file to the letter, but for what it is filled with.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from contract.hedge_markers import WORDS, Asked, Sentence, opinion
from provider_server import Reply, Request


def constants(folder: Path) -> dict[str, str]:
    """The texts of the authors' file by name, each as it stands there."""
    lines = ast.parse((folder / "hedge_markers" / "prompts.py").read_text("utf-8")).body
    assignments = [
        node
        for node in lines
        if isinstance(node, ast.Assign)
        if isinstance(node.targets[0], ast.Name)
    ]
    return {
        node.targets[0].id: node.value.value
        for node in assignments
        if isinstance(node.targets[0], ast.Name)
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    }


def prompts_of(texts: Mapping[str, str]) -> dict[str, str]:
    """Each of the judge's prompts, whole, as a pattern of what it is filled with.

    Filled by eye: the ends of the scale are 0.0 and 1.0, each example's rating its share of 1.0.
    """
    examples = (
        texts["GM12_FS_GM_PROB"].replace("{MAX*", "").replace("{MAX}", "1.0").replace("}", "")
    )
    rating = texts["GM1_PROB"].replace("{fs_prompt}", examples)
    whole = {
        "markers": (texts["EXTRACTION_PROMPT"], {"text": "sentence"}),
        "decisiveness": (
            rating.replace("{MIN}", "0.0").replace("{MAX}", "1.0"),
            {"text": "sentence"},
        ),
        "consistency": (texts["UNCERTAINTY_PROMPT"], {"context": "reply", "assertion": "sentence"}),
        "correctness": (texts["LLM_EVAL_PROMPT"], {"targets": "answers", "pred": "reply"}),
    }
    patterns = {}
    for form, (text, fields) in whole.items():
        patterns[form] = re.escape(text)
        for study_field, group in fields.items():
            field = re.escape("{" + study_field + "}")
            assert patterns[form].count(field) == 1
            patterns[form] = patterns[form].replace(field, f"(?P<{group}>.*)")
    return patterns


WRITTEN = {
    "yes": ["Yes", "yes.", "**Yes**", "Answer Yes or No: Yes"],
    "no": ["No", "**no**", "NO."],
    "n/a": ["N/A", "n/a", "**N/A**"],
    "correct": ["True", "true", "**True**\n"],
    "incorrect": ["False", "False.", "false"],
}


@dataclass
class StudyExaminer:
    """Judges as it thinks, in a format of the study's; `instead` may have it say otherwise."""

    sentences: Mapping[str, Sentence]
    patterns: Mapping[str, str]
    instead: Callable[[str, Mapping[str, str]], str | None] = lambda form, about: None
    asked: list[Asked] = field(default_factory=list)

    def __call__(self, request: Request) -> Reply:
        """The judgment that a prompt asks for, after the settings have been looked at."""
        ((form, match),) = [
            (name, match)
            for name, pattern in self.patterns.items()
            if (match := re.fullmatch(pattern, request.prompt))
        ]
        about = match.groupdict()
        self.asked.append((form, about))
        assert request.body.get("temperature") == 0
        assert "response_format" not in request.body
        has_system = form in ("consistency", "correctness")
        assert request.system == ("You are a helpful assistant." if has_system else None)
        override = self.instead(form, about)
        rng = Random(f"{form} {request.prompt}")
        return Reply(self._answer(rng, form, about) if override is None else override)

    def _answer(self, rng: Random, form: str, about: Mapping[str, str]) -> str:
        if form == "correctness":
            assert ast.literal_eval(about["answers"])
            return rng.choice(WRITTEN[verdict(about["reply"])])
        sentence = self.sentences[about["sentence"]]
        if form == "consistency":
            return rng.choice(WRITTEN[opinion(WORDS, sentence.text, about["reply"])])
        if form == "decisiveness":
            return rng.choice(["{}", "{}\n", "**{}**", "Rating: {}"]).format(sentence.decisiveness)
        marker_list = "; ".join(sentence.listed or sentence.markers)
        ends = ["{} ####", "Hedges: {} ####", "{}\n####", *(["{}"] if marker_list else [])]
        return rng.choice(ends).format(marker_list).strip()


def verdict(reply: str) -> str:
    """Whether an answer is right: nothing but its text decides."""
    return opinion(("correct", "incorrect"), reply)
