"""Arguments that all tasks share, and the facts that a task writes into its log.

The facts are for `plan`, for judgments, and for distinguishing variants.
"""

from collections.abc import Sequence
from pathlib import Path
from string import Formatter
from typing import TypedDict

from inspect_confidence import __version__, arguments
from inspect_confidence.datasets.selection import Item, Selection
from inspect_confidence.tasks.provenance import provenance


class ItemChoice(TypedDict):
    """Arguments of a data set's loader that choose its items."""

    items: str | int | None
    split: str
    seed: int


def item_choice(items: str | int | None, split: object, seed: object) -> ItemChoice:
    """Return the arguments that choose a task's items; refuse an invalid split or seed."""
    return {
        "items": items,
        "split": arguments.choice("split", split, ("all", "train", "test")),
        "seed": arguments.integer("seed", seed),
    }


def user_prompt(prompt: str | None, default: str) -> str | None:
    """Return the wording of the user's file, if any; it must have the fields of the default."""
    return arguments.template("prompt", prompt, fields_of(default)) if prompt else None


def fields_of(text: str) -> frozenset[str]:
    """Return the names of a template's fields."""
    return frozenset(field for _, field, _, _ in Formatter().parse(text) if field)


def system_message(system: str | None) -> str | None:
    """Return the text of the user's file with a system message, if any."""
    if not system:
        return None
    path = arguments.user_path("system", system)
    return arguments.read_text(path, largest=arguments.LARGEST_PROMPT)


def log_facts(
    selection: Selection[Item],
    wordings: Sequence[str],
    system: str | None,
    *,
    output_tokens: int,
    prompts: Sequence[str] = (),
    files: Sequence[str | Path] = (),
    calls: int = 1,
    read_again: int = 0,
    typical_text: str | None = None,
) -> dict[str, object]:
    """Return the metadata of a task.

    Args:
        selection: The task's items.
        wordings: Templates; the length of a prompt is estimated from the first.
        system: The system message.
        output_tokens: Approximate output tokens of a call.
        prompts: Modules of `inspect_confidence.prompts` that the wordings come from; empty for a
            task of another package.
        files: Data files, besides those of the selection.
        calls: Model calls per sample.
        read_again: Characters that a call reads besides question, wording and system message.
        typical_text: The text that a typical call reads besides the question; by default the
            first wording and the system message.
    """
    text = wordings[0] + (system or "") if typical_text is None else typical_text
    return {
        **selection.facts(),
        "package_version": __version__,
        "prompt": arguments.fingerprint("\n".join(wordings)),
        "system": arguments.fingerprint(system) if system else "",
        "calls_per_sample": calls,
        "prompt_characters": len(text) + read_again,
        "output_tokens_per_call": output_tokens,
        "provenance": provenance([*selection.files, *files], prompts),
    }
