"""Prompts of a judge in the package's, the study's or a user's wording."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from inspect_confidence.datasets.marker_prompts import study_judge
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.prompts.judge import TEMPLATES, fingerprint_of

STUDY = "study"
"""Name of the study's prompts, as an argument and in judgments."""
WORDINGS = ("ours", STUDY)
"""Names of the prompts, as an argument: this package's or the study's."""


@dataclass(frozen=True)
class JudgeWording:
    """A judge's prompts.

    Attributes:
        templates: Templates by form: `markers`, `decisiveness`, `consistency`, `correctness`, and
            `sentence`, which the study doesn't have.
        name: Name of the wording: empty for the package's, `study`, or the fingerprint of a user's.
        systems: System messages by form.
        by_letter: Whether the reply to `correctness` is A, B or C: correct, incorrect, not
            attempted.
    """

    templates: Mapping[str, str]
    name: str = ""
    systems: Mapping[str, str] = field(default_factory=dict)
    by_letter: bool = False

    @property
    def is_study(self) -> bool:
        """Whether the prompts are the study's, which generalise markers and have no punt."""
        return self.name == STUDY

    def fill(self, form: str, facts: Mapping[str, Any]) -> str:
        """Return the prompt of a form, filled with facts.

        Without accepted answers the prompt says that the question has none. In the study's prompts,
        as in its code, the accepted answers are a Python list, and compared texts are in one line.

        Args:
            form: Form of the prompt.
            facts: Values of `question`, `sentence`, `reply`, `each` (the other replies), and
                `accepted` (the accepted answers), as far as the form needs them.
        """
        texts = {name: str(facts.get(name, "")) for name in ("question", "sentence", "reply")}
        accepted = list(facts.get("accepted", ()))
        answers = "; ".join(accepted) or "none: it can't be answered, and to say so is a punt"
        if self.is_study:
            answers = str(accepted or ["unanswerable"])
        if self.is_study and form == "consistency":
            texts = {name: _in_one_line(text) for name, text in texts.items()}
        replies = [f"[{k}] {reply}" for k, reply in enumerate(facts.get("each", ()), start=1)]
        return self.templates[form].format(**texts, answers=answers, replies="\n".join(replies))


def is_batched(prompts: Mapping[str, str] | str | None, batch: bool | None) -> bool:
    """Return whether one call contains all questions about a sentence.

    `batch` says so if it is set. Otherwise the package's prompts (None) are batched, and the
    study's are not. A user's templates are batched if `sentence`, that of a batch, is among them:
    without it, a batch would not use them.
    """
    if batch is not None:
        return batch
    return prompts != STUDY and (not prompts or "sentence" in prompts)


def judge_wording(
    prompts: Mapping[str, str] | str | None = None, *, batch: bool | None = None
) -> JudgeWording:
    """Return the package's wording, with a user's templates replaced, or the study's wording.

    Args:
        prompts: The user's templates by form, or `study`; None for the package's alone.
        batch: Whether the user wants all questions about a sentence in one call; only checked here.

    Raises:
        InvalidArgument: `batch` is set for the study's prompts.
        DataUnavailable: The study's prompts could not be downloaded.
    """
    if prompts != STUDY:
        replaced = prompts if isinstance(prompts, Mapping) else {}
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
