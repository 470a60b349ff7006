"""Judges of answers in words: by rules, by this package's prompt, or by SimpleQA's grader."""

from importlib.metadata import version
from importlib.util import find_spec

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judges.judgment import Judge
from inspect_confidence.judges.model import ModelJudge
from inspect_confidence.judges.rules import RulesJudge
from inspect_confidence.judges.wording import JudgeWording, judge_wording

OURS, INSPECT_EVALS = "ours", "inspect_evals"
GRADERS = (OURS, INSPECT_EVALS)
"""Wordings of the grader: this package's, or SimpleQA's, which the package inspect_evals has."""


def default_grader() -> str:
    """Return the wording of the grader: SimpleQA's if inspect_evals is installed, else ours."""
    return INSPECT_EVALS if find_spec("inspect_evals") else OURS


def grader_wording(grader: str, *, is_verified: bool = False) -> JudgeWording:
    """Return the prompts of a judge of answers in words.

    SimpleQA's grader replaces only the prompt that asks whether an answer is right.

    Args:
        grader: `ours` (this package's prompts) or `inspect_evals` (SimpleQA's).
        is_verified: Whether SimpleQA's grader is that of SimpleQA Verified.

    Raises:
        InvalidArgument: inspect_evals is not installed.
    """
    if grader == OURS:
        return judge_wording()
    if not find_spec("inspect_evals"):
        raise InvalidArgument(
            "judge_prompts=inspect_evals needs that package: pip install inspect-evals, or use "
            "judge_prompts=ours."
        )
    # Imported here because most runs don't need that package, which isn't a dependency.
    from inspect_evals.simpleqa import grader_templates  # noqa: PLC0415

    name = "SIMPLEQA_VERIFIED" if is_verified else "SIMPLEQA"
    template = str(getattr(grader_templates, f"{name}_GRADER_TEMPLATE"))
    replacements = {
        "{instructions}": grader_templates.SIMPLEQA_GRADING_INSTRUCTIONS,
        "{criterion}": "{answers}",  # this package's names of fields
        "{answer}": "{reply}",
    }
    for old, new in replacements.items():
        template = template.replace(old, new)
    templates = {**judge_wording().templates, "correctness": template}
    label = f"{name.lower()} of inspect_evals {version('inspect-evals')}"
    return JudgeWording(templates, label, by_letter=True)  # it grades A, B or C


def answer_judge(judge: str, wording: JudgeWording, scorer: str) -> Judge:
    """Return the judge of answers in words: the model in the role `grader`, or rules.

    Args:
        judge: `model` or `rules`.
        wording: Prompts of the model.
        scorer: Name of the scorer that can repeat the judge's requests later, for a message.
    """
    return ModelJudge(wording, scorer=scorer) if judge == "model" else RulesJudge()
