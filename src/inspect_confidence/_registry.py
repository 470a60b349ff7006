"""What Inspect discovers when the package is installed: every decorated object, by import."""

from inspect_ai.model import ModelAPI, modelapi

from inspect_confidence.scorers.interval import interval
from inspect_confidence.solvers.interval import ask_interval
from inspect_confidence.tasks.fermi_eval import fermi_eval

__all__ = ["ask_interval", "fermi_eval", "interval", "respondent"]


@modelapi(name="respondent")
def respondent() -> type[ModelAPI]:
    """Simulated models with known psychometrics: `--model respondent/calibrated` and others."""
    from inspect_confidence.respondents.provider import RespondentAPI

    return RespondentAPI
