"""What the tasks that ask for JSON have in common: whose wording, and in which form."""

from inspect_confidence.arguments import choice
from inspect_confidence.errors import InvalidArgument

OURS, AUTHORS = "ours", "authors"
EXAMPLE, JSON_SCHEMA = "example", "json_schema"


def is_exact(prompts: object, **changed: object) -> bool:
    """Whether the study's exact prompts are asked for.

    Args:
        prompts: `ours` or `authors`.
        changed: Arguments that would change the exact prompts, None or False where they don't.

    Raises:
        InvalidArgument: Neither is asked for, or the exact prompts with a change.
    """
    exact = choice("prompts", prompts, (OURS, AUTHORS)) == AUTHORS
    for name, value in changed.items():
        if exact and value:
            raise InvalidArgument(
                f"prompts=authors with {name}={value}: the study's prompts are asked as they are; "
                f"leave {name} out, or use prompts=ours."
            )
    return exact


def is_schema(format: object) -> bool:  # the argument's name
    """Whether the provider is to be given the form of the reply.

    Raises:
        InvalidArgument: It is neither `example` nor `json_schema`.
    """
    return choice("format", format, (EXAMPLE, JSON_SCHEMA)) == JSON_SCHEMA
