"""Tokens, dollars and time of runs, from the headers of their logs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from inspect_ai.log import EvalLog
from inspect_ai.model import ModelUsage, compute_model_cost

from inspect_confidence.commands.prices import price_of
from inspect_confidence.judgments.archives import models_by_role
from inspect_confidence.printing import counted
from inspect_confidence.privacy import model_name

ASKED_ROLE = "asked"
"""Role of the evaluated model."""


@dataclass(frozen=True)
class ModelTotal:
    """Total usage of a model in a role.

    Attributes:
        model: Redacted name of the model.
        role: `asked`, or a role in Inspect, such as `grader`.
        tokens_in: Input tokens, including those from a provider's cache.
        tokens_out: Output tokens, including reasoning.
        dollars: Cost in the log, or by `price_of`; None if the cost of a call is unknown.
        price_source: Source of the price; empty if the log has the cost, or there is no price.
    """

    model: str
    role: str
    tokens_in: int
    tokens_out: int
    dollars: float | None
    price_source: str


def usage_by_model(runs: Iterable[EvalLog]) -> list[ModelTotal]:
    """Return the total usage of runs by model and role, the evaluated models first.

    Tokens that a log records for a role count for the role if it has one model. The rest of a
    model's tokens counts as `asked` if the run evaluates it, else for its role (the last of
    several), or as `other`. Logs do not record failed calls and replies from Inspect's cache.
    """
    usages: dict[tuple[str, str], list[ModelUsage]] = {}  # by model and role
    for run in runs:
        remaining = dict(run.stats.model_usage)  # in any role; those of roles are subtracted
        roles: dict[str, str] = {}  # by model
        for role, configs in models_by_role(run).items():
            models = [config.model for config in configs]
            roles |= dict.fromkeys(models, role)
            usage = run.stats.role_usage.get(role)
            if usage and len(models) == 1 and models[0] in remaining:
                usages.setdefault((models[0], role), []).append(usage)
                remaining[models[0]] = _subtract(remaining[models[0]], usage)
        for model, usage in remaining.items():
            if usage.total_tokens > 0:
                role = ASKED_ROLE if model == run.eval.model else roles.get(model, "other")
                usages.setdefault((model, role), []).append(usage)
    rows = [_total_of_model(model, role, parts) for (model, role), parts in usages.items()]
    return sorted(rows, key=lambda row: row.role != ASKED_ROLE)


def active_seconds(runs: Iterable[EvalLog]) -> float:
    """Return the wall time in seconds during which at least one of the runs was active.

    Runs that lack their start or end, as those still going on, are left out.
    """
    spans: list[tuple[datetime, datetime]] = []
    for run in runs:
        start, end = run.stats.started_at, run.stats.completed_at
        if start and end:
            spans.append((datetime.fromisoformat(start), datetime.fromisoformat(end)))
    seconds, last_end = 0.0, None
    for started, completed in sorted(spans):
        counted_from = started if last_end is None else max(started, last_end)
        # A run that ends before an earlier one does adds nothing.
        seconds += max((completed - counted_from).total_seconds(), 0)
        last_end = completed if last_end is None else max(last_end, completed)
    return seconds


def usage_sentence(runs: Sequence[EvalLog], logs: Sequence[EvalLog] | None = None) -> str:
    """Describe tokens and dollars by model and role, and wall time; empty without usage.

    Dollars that are unknown or 0 are not written, nor added.

    Args:
        runs: Headers of the newest log of each run. The log of a retry has the tokens of samples
            that it takes from an earlier log, too.
        logs: Headers of all logs of the runs, for the time; by default `runs`.
    """
    rows = usage_by_model(runs)
    if not rows:
        return ""
    parts = "; ".join(map(_usage_text, rows))
    amounts = [row.dollars for row in rows if row.dollars]
    total = f"; ${sum(amounts):,.2f} in all" if len(amounts) > 1 else ""
    sources = dict.fromkeys(row.price_source for row in rows if row.dollars and row.price_source)
    listed_sources = f" ({'; '.join(sources)})" if sources else ""
    duration = _duration_text(active_seconds(runs if logs is None else logs))
    return f"Used: {parts}{total}{listed_sources}; {duration} of wall time."


def _usage_text(row: ModelTotal) -> str:
    role = "" if row.role == ASKED_ROLE else f" ({row.role})"
    dollars = f", ${row.dollars:,.2f}" if row.dollars else ""
    return f"{row.model}{role} {row.tokens_in:,} tokens in, {row.tokens_out:,} out{dollars}"


def _subtract(whole: ModelUsage, part: ModelUsage) -> ModelUsage:
    """Subtract the usage of a role from that of its model, count by count, and the cost.

    What the role's usage lacks is taken as 0.
    """
    subtracted = part.model_dump(exclude_none=True)
    amounts = whole.model_dump(exclude_none=True)
    remainder = {name: amount - subtracted.get(name, 0) for name, amount in amounts.items()}
    return ModelUsage(**remainder)


def _total_of_model(model: str, role: str, usages: Sequence[ModelUsage]) -> ModelTotal:
    """Return the sum of usages; a cost that a log lacks is computed from the model's price.

    The dollars are None if a cost is unknown.
    """
    price = price_of(model)
    tokens_in, price_source, costs = 0, "", []
    for usage in usages:
        tokens_in += usage.input_tokens
        tokens_in += usage.input_tokens_cache_read or 0
        tokens_in += usage.input_tokens_cache_write or 0
        cost = usage.total_cost
        if cost is None and price:
            cost = compute_model_cost(price.cost, usage)
            price_source = price.source
        if cost is not None:
            costs.append(cost)
    return ModelTotal(
        model=model_name(model),
        role=role,
        tokens_in=tokens_in,
        tokens_out=sum(usage.output_tokens for usage in usages),
        dollars=sum(costs) if len(costs) == len(usages) else None,
        price_source=price_source,
    )


def _duration_text(seconds: float) -> str:
    if seconds < 0.5:
        return "less than a second"
    if seconds < 120:
        return counted(round(seconds), "second")
    minutes = round(seconds / 60)
    return f"{minutes} minutes" if minutes < 120 else f"{minutes / 60:.1f} hours"
