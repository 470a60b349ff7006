"""A simulated respondent to every task, made of those to one each."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.respondents.utterance import Respondent, Utterance, within

_FAILURES = ("fail_rate", "error_rate")
"""What a respondent calls its share of replies that hold no answer, the first that it has: a
judge's `error_rate` is the share of judgments that it reverses."""


@dataclass(frozen=True)
class Versatile:
    """Hands each form on to the first of several respondents that answers it.

    Attributes:
        respondents: They keep their own parameters but for the two below, which are theirs all.
        seed: Of all of them.
        error_rate: Share of replies that hold no answer, in [0, 1].
    """

    respondents: tuple[Respondent, ...]
    seed: int = 0
    error_rate: float = within(0.0, 0, 1)

    def __post_init__(self) -> None:
        if not isinstance(self.respondents, tuple):  # `-M respondents=...`
            raise InvalidArgument(
                f"respondents={self.respondents} can't be given: a preset's respondents are fixed. "
                "Leave it out, or run them one by one."
            )

    def answer(self, form: str, asked: Mapping[str, Any], temperature: float) -> Utterance | None:
        """The reply of the first respondent that answers the form."""
        for one in self.respondents:
            said = self._ours(one).answer(form, asked, temperature)
            if said is not None:
                return said
        return None

    def _ours(self, one: Respondent) -> Respondent:
        """The respondent with the seed and the error rate of all."""
        known = {field.name for field in fields(one)}
        failures = next(name for name in _FAILURES if name in known)
        shared: dict[str, Any] = {"seed": self.seed, failures: self.error_rate}
        return replace(one, **shared)
