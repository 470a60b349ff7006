"""JSON schemas of a judge's replies, for providers that support them."""

from collections.abc import Awaitable, Callable
from string import Formatter
from typing import TypeVar

from inspect_ai.model import ResponseSchema
from inspect_ai.util import JSONSchema

ReplyT = TypeVar("ReplyT")

_MARKERS = JSONSchema(type="array", items=JSONSchema(type="string"))
_NUMBER = JSONSchema(type="number")
_AGREEMENT = JSONSchema(type="string", enum=["yes", "no", "n/a"])
_FIELDS = {
    "markers": {"markers": _MARKERS},
    "decisiveness": {"decisiveness": _NUMBER},
    "consistency": {"agreement": _AGREEMENT},
    "correctness": {"verdict": JSONSchema(type="string", enum=["correct", "incorrect", "punt"])},
    "sentence": {
        "markers": _MARKERS,
        "decisiveness": _NUMBER,
        "agreement": JSONSchema(type="array", items=_AGREEMENT),
    },
}
_SCHEMA_REFUSED = (400, 422)
"""Statuses with which providers reject a request with a schema."""


def schema_of(form: str) -> ResponseSchema:
    """Return the schema of the reply to a judge's prompt of a form, such as `markers`."""
    fields = _FIELDS[form]
    return ResponseSchema(
        name="judgment",
        json_schema=JSONSchema(
            type="object", properties=fields, required=list(fields), additionalProperties=False
        ),
        strict=True,
    )


async def request_in_schema(
    form: str, template: str, ask: Callable[[ResponseSchema | None], Awaitable[ReplyT]]
) -> ReplyT:
    """Request a reply with a schema; if the provider rejects schemas, request it without one.

    `ask` sends the request with a schema, or without one if it gets None.

    A template that neither mentions JSON nor has a brace asks for another form of reply, and is
    sent without a schema. Inspect passes a schema on only to providers that support schemas. A
    request that a provider rejects has no reply, so that no reply is requested twice.
    """
    text = "".join(literal for literal, *_ in Formatter().parse(template)).lower()
    if "json" not in text and "{" not in text:
        return await ask(None)
    try:
        return await ask(schema_of(form))
    except Exception as error:
        # Each provider's client has its own exception, with the status under either name.
        status = getattr(error, "status_code", getattr(error, "code", None))
        if status not in _SCHEMA_REFUSED:
            raise
    return await ask(None)
