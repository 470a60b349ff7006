"""What a judge is asked: in our wording, the study's or a user's, filled with what is judged."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from inspect_confidence.datasets.marker_prompts import study_judge
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.prompts.judge import TEMPLATES, fingerprint_of

STUDY = "study"
"""What the study's prompts are called, as an argument and in judgments."""
WORDINGS = ("ours", STUDY)
"""Whose prompts are asked, as an argument."""


@dataclass(frozen=True)
class JudgeWording:
    """A judge's prompts.

    Attributes:
        templates: By what is asked: `markers`, `decisiveness`, `consistency`, `correctness`, and
            `sentence`, which the study hasn't got.
        name: Tells wordings apart: empty for ours, `study`, or the fingerprint of a user's.
        systems: System messages by what is asked.
    """

    templates: Mapping[str, str]
    name: str = ""
    systems: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_study(self) -> bool:
        """Whether it is the study's: markers are generalised, and a punt isn't told apart."""
        return self.name == STUDY

    def fill(self, form: str, about: Mapping[str, Any]) -> str:
        """The prompt about a `question`, `sentence`, `reply`, `each` other reply, or `accepted`.

        As in the study's code, its prompts have the accepted answers as a list in Python, and each
        text that is compared in one line.
        """
        texts = {name: str(about.get(name, "")) for name in ("question", "sentence", "reply")}
        accepted = list(about.get("accepted", ()))
        answers = "; ".join(accepted) or "none: it can't be answered, and to say so is a punt"
        if self.is_study:
            answers = str(accepted or ["unanswerable"])
        if self.is_study and form == "consistency":
            texts = {name: _in_one_line(text) for name, text in texts.items()}
        each = enumerate(about.get("each", ()), start=1)
        replies = "\n".join(f"[{number}] {text}" for number, text in each)
        return self.templates[form].format(**texts, answers=answers, replies=replies)


def is_batched(given: Mapping[str, str] | str | None, batch: bool | None) -> bool:
    """Whether all about a sentence is asked in one call.

    By default it is by our prompts, and by a user's where that one is among them: else theirs for
    markers, decisiveness and consistency would never be asked.
    """
    return (given != STUDY and (not given or "sentence" in given)) if batch is None else batch


def judge_wording(
    given: Mapping[str, str] | str | None = None, *, batch: bool | None = None
) -> JudgeWording:
    """Our wording, with a user's templates in the place of ours, or the study's for `study`.

    Args:
        given: Templates by what is asked, or `study`.
        batch: Whether all about a sentence is to be asked in one call; as in `is_batched`.

    Raises:
        InvalidArgument: The study's prompts are to be asked in one call.
        DataUnavailable: The study's prompts could not be downloaded.
    """
    if given != STUDY:
        replaced = given if isinstance(given, Mapping) else {}
        return JudgeWording({**TEMPLATES, **replaced}, fingerprint_of(replaced))
    if batch:
        raise InvalidArgument(
            "judge_prompts=study with batch_judgments=true: the study asks one thing at a time; "
            "leave one of them out."
        )
    templates, systems = study_judge()
    return JudgeWording(templates, STUDY, systems)


def _in_one_line(text: str) -> str:
    return text.strip().replace("\n\n", " ").replace("\n", " ")
