"""What runs have used, as the headers of their logs say: tokens, dollars and time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from inspect_ai.log import EvalLog
from inspect_ai.model import ModelUsage, compute_model_cost

from inspect_confidence.commands.prices import price_of
from inspect_confidence.privacy import model_name

ASKED = "asked"
"""The role of the model that the study is about."""


@dataclass(frozen=True)
class Used:
    """Of a model in a role.

    Attributes:
        model: As it may be shown.
        role: `asked`, or what Inspect calls it, such as `grader`.
        tokens_in: Read, those from a provider's cache among them.
        tokens_out: Written, reasoning among them.
        dollars: As the log has it, else by `price_of`; None where neither knows them of all calls.
        priced: Where the price is from; empty for the log's own dollars and where there is none.
    """

    model: str
    role: str
    tokens_in: int
    tokens_out: int
    dollars: float | None
    priced: str


def usage_of(runs: Iterable[EvalLog]) -> list[Used]:
    """What runs have used, a row a model and role, the models asked first.

    The tokens of a model that has a role are the role's, those that are left its own. Calls that
    failed and replies from Inspect's cache are not in what logs say.
    """
    found: dict[tuple[str, str], list[ModelUsage]] = {}
    for run in runs:
        left = dict(run.stats.model_usage)
        roles: dict[str, str] = {}
        for role, played in (run.eval.model_roles or {}).items():
            models = [one.model for one in (played if isinstance(played, list) else [played])]
            roles |= dict.fromkeys(models, role)
            usage = run.stats.role_usage.get(role)
            if usage and len(models) == 1 and models[0] in left:
                found.setdefault((models[0], role), []).append(usage)
                left[models[0]] = _less(left[models[0]], usage)
        for model, usage in left.items():
            if usage.total_tokens > 0:
                role = ASKED if model == run.eval.model else roles.get(model, "other")
                found.setdefault((model, role), []).append(usage)
    rows = [_used(model, role, some) for (model, role), some in found.items()]
    return sorted(rows, key=lambda one: one.role != ASKED)


def seconds_of(runs: Iterable[EvalLog]) -> float:
    """Wall time in which at least one of the runs was under way."""
    spans = sorted(
        (datetime.fromisoformat(stats.started_at), datetime.fromisoformat(stats.completed_at))
        for stats in (run.stats for run in runs)
        if stats.started_at and stats.completed_at
    )
    seconds, until = 0.0, None
    for start, end in spans:
        begin = start if until is None else max(start, until)
        seconds += max((end - begin).total_seconds(), 0)
        until = end if until is None else max(until, end)
    return seconds


def usage_sentence(runs: Sequence[EvalLog]) -> str:
    """Tokens and dollars by model and role, and wall time; empty where logs have none."""
    rows = usage_of(runs)
    if not rows:
        return ""
    parts = [
        f"{one.model}{'' if one.role == ASKED else f' ({one.role})'} "
        f"{one.tokens_in:,} tokens in, {one.tokens_out:,} out"
        + (f", ${one.dollars:,.2f}" if one.dollars else "")
        for one in rows
    ]
    known = [one.dollars for one in rows if one.dollars]
    all_of_them = f"; ${sum(known):,.2f} in all" if len(known) > 1 else ""
    priced = dict.fromkeys(one.priced for one in rows if one.dollars and one.priced)
    by = f" ({'; '.join(priced)})" if priced else ""
    return f"Used: {'; '.join(parts)}{all_of_them}{by}; {_duration(seconds_of(runs))} of wall time."


def _less(whole: ModelUsage, part: ModelUsage) -> ModelUsage:
    """What is left of a model's tokens without those of a role."""
    taken = part.model_dump(exclude_none=True)
    return ModelUsage(
        **{
            name: amount - taken.get(name, 0)
            for name, amount in whole.model_dump(exclude_none=True).items()
        }
    )


def _used(model: str, role: str, usages: Sequence[ModelUsage]) -> Used:
    price = price_of(model)
    dollars = [
        compute_model_cost(price.cost, one) if one.total_cost is None and price else one.total_cost
        for one in usages
    ]
    known = [one for one in dollars if one is not None]
    listed = any(one.total_cost is None for one in usages)
    return Used(
        model_name(model),
        role,
        sum(
            one.input_tokens
            + (one.input_tokens_cache_read or 0)
            + (one.input_tokens_cache_write or 0)
            for one in usages
        ),
        sum(one.output_tokens for one in usages),
        sum(known) if len(known) == len(dollars) else None,
        price.source if price and listed else "",
    )


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    minutes = round(seconds / 60)
    return f"{minutes} minutes" if minutes < 120 else f"{minutes / 60:.1f} hours"
