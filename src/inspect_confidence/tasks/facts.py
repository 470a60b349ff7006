"""What every task has: items chosen, a system message, and what it keeps in its log.

The log's facts are for `plan`, for judgments, and for telling variants apart.
"""

from typing import TypedDict

from inspect_confidence import __version__
from inspect_confidence.arguments import choice, fingerprint, integer, read_text, user_path
from inspect_confidence.datasets.selection import Item, Selection


class Which(TypedDict):
    """Which items of a data set are asked, as its loader takes it."""

    items: str | int | None
    split: str
    seed: int


def which(items: str | int | None, split: object, seed: object) -> Which:
    """The arguments that all tasks have for their items.

    Raises:
        InvalidArgument: There is no such split, or the seed is no whole number.
    """
    known = choice("split", split, ("all", "train", "test"))
    return {"items": items, "split": known, "seed": integer("seed", seed)}


def system_message(system: str | None) -> str | None:
    """The text of the user's file with a system message, if there is one.

    Raises:
        InvalidArgument: The file can't be read.
    """
    return read_text(user_path("system", system)) if system else None


def log_facts(
    selection: Selection[Item],
    wordings: list[str],
    system: str | None,
    *,
    output_tokens: int,
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
        calls: Model calls a sample.
        read_again: Characters that a call reads beside question, wording and system message.
        shown: All that a typical call reads beside the question, where it isn't the first wording
            and the system message.
    """
    return {
        **selection.facts(),
        "package_version": __version__,
        "prompt": fingerprint("\n".join(wordings)),
        "system": fingerprint(system) if system else "",
        "calls_per_sample": calls,
        "prompt_characters": read_again
        + (len(wordings[0]) + len(system or "") if shown is None else len(shown)),
        "output_tokens_per_call": output_tokens,
    }
