"""What every task has: items chosen, wording of the user's own, and what it keeps in its log.

The log's facts are for `plan`, for judgments, and for telling variants apart.
"""

from collections.abc import Sequence
from pathlib import Path
from string import Formatter
from typing import TypedDict

from inspect_confidence import __version__, arguments
from inspect_confidence.datasets.selection import Item, Selection
from inspect_confidence.tasks.provenance import provenance


class Which(TypedDict):
    """Which items of a data set are asked, as its loader takes it."""

    items: str | int | None
    split: str
    seed: int


def which(items: str | int | None, split: object, seed: object) -> Which:
    """The arguments that all tasks have for their items; refuses a split or seed that is none."""
    known = arguments.choice("split", split, ("all", "train", "test"))
    return {"items": items, "split": known, "seed": arguments.integer("seed", seed)}


def own_prompt(prompt: str | None, ours: str) -> str | None:
    """The wording of the user's file, if there is one; it has the fields of ours."""
    return arguments.template("prompt", prompt, fields_of(ours)) if prompt else None


def fields_of(text: str) -> frozenset[str]:
    """What a template of ours is filled with."""
    return frozenset(field for _, field, _, _ in Formatter().parse(text) if field)


def system_message(system: str | None) -> str | None:
    """The text of the user's file with a system message, if there is one."""
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
    shown: str | None = None,
) -> dict[str, object]:
    """The metadata of a task.

    Args:
        selection: Of its items.
        wordings: Templates; what is read is estimated from the first.
        system: The system message.
        output_tokens: Of a call, about.
        prompts: Modules of `inspect_confidence.prompts` that the wordings come from; none of them
            in another package.
        files: What is read beside the selection's files.
        calls: Model calls a sample.
        read_again: Characters that a call reads beside question, wording and system message.
        shown: All that a typical call reads beside the question, where it isn't the first wording
            and the system message.
    """
    read = wordings[0] + (system or "") if shown is None else shown
    return {
        **selection.facts(),
        "package_version": __version__,
        "prompt": arguments.fingerprint("\n".join(wordings)),
        "system": arguments.fingerprint(system) if system else "",
        "calls_per_sample": calls,
        "prompt_characters": len(read) + read_again,
        "output_tokens_per_call": output_tokens,
        "provenance": provenance([*selection.files, *files], prompts),
    }
