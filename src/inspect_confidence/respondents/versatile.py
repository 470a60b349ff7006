"""Simulated respondent to every task, composed of the respondents to single tasks."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.respondents.utterance import Respondent, Utterance, parameter

_FAILURES = ("fail_rate", "error_rate")
"""Names of the share of replies without an answer. The first name that a respondent has is used,
since a judge's `error_rate` is the share of verdicts that it reverses."""


@dataclass(frozen=True)
class Versatile:
    """Respondent that passes each request to the first of several respondents that answers it.

    Attributes:
        respondents: Respondents with their parameters; the seed and the error rate are replaced.
        seed: Seed of all respondents.
        error_rate: Share of replies without an answer of all respondents, in [0, 1].
    """

    respondents: tuple[Respondent, ...]
    seed: int = 0
    error_rate: float = parameter(0.0, 0, 1)

    def __post_init__(self) -> None:
        """Refuse respondents from the command line (`-M respondents=...`), which are texts."""
        if not isinstance(self.respondents, tuple):
            raise InvalidArgument(
                f"respondents={self.respondents} can't be given: a preset's respondents are fixed. "
                "Leave it out, or run them one by one."
            )

    def answer(self, form: str, request: Mapping[str, Any], temperature: float) -> Utterance | None:
        """Return the reply of the first respondent that answers the form; None if none does."""
        for respondent in self.respondents:
            reply = self._configured(respondent).answer(form, request, temperature)
            if reply is not None:
                return reply
        return None

    def _configured(self, respondent: Respondent) -> Respondent:
        """Return the respondent with the common seed and share of replies without an answer."""
        names = {field.name for field in fields(respondent)}
        # A judge's share is `fail_rate`, others' `error_rate`.
        failure_name = next(name for name in _FAILURES if name in names)
        shared: dict[str, Any] = {"seed": self.seed, failure_name: self.error_rate}
        return replace(respondent, **shared)
