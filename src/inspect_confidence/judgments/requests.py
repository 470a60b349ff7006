"""Generation settings that a log's run had, and that were not sent to the model."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import (
    EvalLog,
    EvalSampleSummary,
    read_eval_log_sample,
    read_eval_log_sample_summaries,
)

from inspect_confidence.judgments.archives import models_by_role
from inspect_confidence.privacy import model_name, setting_text
from inspect_confidence.solvers.requests import SETTINGS, dropped_settings, unsent_settings

_MAX_SAMPLES_READ = 3
"""Number of samples that are searched for a request; by default Inspect keeps some in each."""
_UNUSED_PARTS = {"messages", "attachments", "store"}

GenerationSettings = Mapping[str, Any]


@dataclass(frozen=True)
class Unsent:
    """Settings that a run had and that no request to the model contained.

    Attributes:
        by_model: Names and values of the settings by model: the run's model and those in roles.
        recorded: Whether requests in the log show it; if not, it follows from Inspect's rule for
            the provider.
    """

    by_model: Mapping[str, GenerationSettings] = field(default_factory=dict)
    recorded: bool = True

    def settings_of(self, model: str) -> GenerationSettings:
        """Return the unsent settings of a model; empty if there are none."""
        return self.by_model.get(model, {})

    def notices(self) -> list[str]:
        """Return for each model a sentence on its settings that were not sent, secrets redacted."""
        source = "" if self.recorded else " (by Inspect's rule: the log has no request)"
        notices = []
        for model, settings in self.by_model.items():
            pairs = ", ".join(f"{name}={setting_text(value)}" for name, value in settings.items())
            unsent = f"set but not sent to {model_name(model)}: {pairs}"
            notices.append(f"{unsent}; the provider's own values hold{source}")
        return notices


def read_unsent(header: EvalLog, summaries: Iterable[EvalSampleSummary] | None = None) -> Unsent:
    """Return the settings that a run had and that no request contained.

    Up to three completed samples are searched for recorded requests, which show what was sent; the
    first one with a request to the run's model ends the search. Without such a request Inspect's
    rule for the provider decides. Samples are read only if the run has a setting that some provider
    leaves out.

    Args:
        header: Header of the log.
        summaries: Summaries of its samples; None reads them from the log.
    """
    model = header.eval.model
    config = header.plan.config.model_dump(exclude_none=True)
    # SETTINGS are those that some provider leaves out of its requests.
    if not SETTINGS & (config.keys() | _role_setting_names(header)):
        return Unsent()
    by_model: dict[str, GenerationSettings] = {}
    if summaries is None:
        summaries = read_eval_log_sample_summaries(header.location)
    for calls in islice(_recorded_calls(header.location, summaries), _MAX_SAMPLES_READ):
        for name in dict.fromkeys(call.model for call in calls):
            if name not in by_model:
                calls_of_model = [call for call in calls if call.model == name]
                by_model[name] = _unsent_settings_of_calls(calls_of_model)
        if model in by_model:
            break
    recorded = model in by_model
    if not recorded:
        by_model[model] = dropped_settings(model, config)
    return Unsent({name: settings for name, settings in by_model.items() if settings}, recorded)


def _role_setting_names(header: EvalLog) -> set[str]:
    """Return the names of generation settings that models in the run's roles have."""
    names: set[str] = set()
    for model in chain.from_iterable(models_by_role(header).values()):
        names |= model.config.model_dump(exclude_none=True).keys()
    return names


def _recorded_calls(
    location: str, summaries: Iterable[EvalSampleSummary]
) -> Iterator[list[ModelEvent]]:
    """Yield for each completed sample its model calls with a recorded request, perhaps none."""
    for summary in summaries:
        if not summary.completed:
            continue
        try:
            sample = read_eval_log_sample(
                location, summary.id, summary.epoch, exclude_fields=_UNUSED_PARTS
            )
        except Exception:  # a damaged sample has no request that could be read
            yield []
            continue
        yield [event for event in sample.events if isinstance(event, ModelEvent) and event.call]


def _unsent_settings_of_calls(calls: list[ModelEvent]) -> GenerationSettings:
    """Return the settings that these calls have and that no request of them contains.

    Only settings that some provider leaves out (`SETTINGS`) are looked at.
    """
    unsent: dict[str, Any] = {}
    sent: set[str] = set()
    for event in calls:  # Inspect's record of a call: settings, and the request as it was sent
        config = event.config.model_dump(exclude_none=True)
        request = event.call.request if event.call else {}
        unsent_by_call = unsent_settings(event.model, config, request)
        sent |= SETTINGS & config.keys() - unsent_by_call.keys()
        unsent = unsent_by_call | unsent  # of a setting with several values the first one counts
    return {name: value for name, value in unsent.items() if name not in sent}
