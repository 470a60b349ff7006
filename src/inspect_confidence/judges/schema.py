"""The form of a judge's reply, which a provider can be given instead of asked for."""

from collections.abc import Awaitable, Callable
from string import Formatter
from typing import TypeVar

from inspect_ai.model import ResponseSchema
from inspect_ai.util import JSONSchema

Output = TypeVar("Output")

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
_REFUSED = (400, 422)
"""What providers answer to a request whose form they don't take."""


def schema_of(form: str) -> ResponseSchema:
    """The form of the reply to one of the judge's prompts."""
    fields = _FIELDS[form]
    return ResponseSchema(
        name="judgment",
        json_schema=JSONSchema(
            type="object", properties=fields, required=list(fields), additionalProperties=False
        ),
        strict=True,
    )


async def in_form(
    form: str, template: str, ask: Callable[[ResponseSchema | None], Awaitable[Output]]
) -> Output:
    """What is answered to a request with a schema, or without one where schemas are refused.

    A template that neither names JSON nor shows a brace asks for another form of reply, and goes
    out without a schema.

    Inspect hands a schema to the providers that take one and leaves it out elsewhere. A model that
    its provider refuses one for has answered nothing, so that nothing is asked twice.
    """
    shown = "".join(text for text, *_ in Formatter().parse(template)).lower()
    if "json" not in shown and "{" not in shown:
        return await ask(None)
    try:
        return await ask(schema_of(form))
    except Exception as error:
        # Each provider's client has an exception of its own, with the status under either name.
        status = getattr(error, "status_code", getattr(error, "code", None))
        if status not in _REFUSED:
            raise
    return await ask(None)
