"""Arguments that the tasks with JSON replies share: prompts and format."""

from collections.abc import Sequence
from dataclasses import dataclass

from inspect_ai.model import GenerateConfig

from inspect_confidence.arguments import boolean, choice
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.solvers.forms import system_message_of
from inspect_confidence.solvers.requests import TOKENS
from inspect_confidence.tasks.composition import SharedArguments


@dataclass(frozen=True)
class JsonPrompt:
    """The texts that a task with JSON replies asks with.

    Attributes:
        template: Template of the user message, if it replaces the package's.
        system: System message, if it replaces the package's.
        wordings: Texts whose fingerprint tells runs apart.
        typical_characters: Characters that a typical call reads besides the question.
    """

    template: str | None
    system: str | None
    wordings: Sequence[str]
    typical_characters: int


def study_prompt(system: str, revision: str) -> JsonPrompt:
    """Return the study's exact prompts: a sample's input is its user message.

    `revision` is the commit of the study's files, which identifies the wording.
    """
    return JsonPrompt(
        template="{input}", system=system, wordings=[revision], typical_characters=len(system)
    )


def json_prompt(
    shared: SharedArguments, *, message: str, directions: str, wordings: Sequence[str]
) -> JsonPrompt:
    """Return the prompts of a user's files (in `shared`), or else the package's.

    The other arguments are the package's: its user message without a question, its directions and
    its wordings. `plan` estimates tokens from the characters of both messages.
    """
    template, system = shared.template, shared.system
    system_message = system_message_of(directions, template, system) or ""
    return JsonPrompt(
        template,
        system,
        wordings=[template] if template else wordings,
        typical_characters=len(template or message) + len(system_message),
    )


def token_config(tokens: object) -> GenerateConfig:
    """Return the generation settings at temperature 0, with log probabilities if asked for."""
    if boolean("tokens", tokens):
        return TOKENS.merge(GenerateConfig(temperature=0))
    return GenerateConfig(temperature=0)


def is_exact(prompts: object, **changed: object) -> bool:
    """Return whether the study's exact prompts are used; refuse arguments that change them."""
    exact = choice("prompts", prompts, ("ours", "authors")) == "authors"
    for name, value in changed.items():
        if exact and value:
            raise InvalidArgument(
                f"prompts=authors with {name}={value}: the study's prompts are asked as they are; "
                f"leave {name} out, or use prompts=ours."
            )
    return exact


def is_schema(format: object) -> bool:  # the argument's name
    """Return whether the provider gets a schema of the reply."""
    return choice("format", format, ("example", "json_schema")) == "json_schema"
