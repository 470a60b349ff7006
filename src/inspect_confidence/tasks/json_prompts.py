"""What the tasks that ask for JSON have in common: whose wording, and in which form."""

from inspect_confidence.arguments import choice
from inspect_confidence.errors import InvalidArgument


def is_exact(prompts: object, **changed: object) -> bool:
    """Whether the study's exact prompts are asked for; refuses arguments that would change them."""
    exact = choice("prompts", prompts, ("ours", "authors")) == "authors"
    for name, value in changed.items():
        if exact and value:
            raise InvalidArgument(
                f"prompts=authors with {name}={value}: the study's prompts are asked as they are; "
                f"leave {name} out, or use prompts=ours."
            )
    return exact


def is_schema(format: object) -> bool:  # the argument's name
    """Whether the provider is to be given the form of the reply."""
    return choice("format", format, ("example", "json_schema")) == "json_schema"
