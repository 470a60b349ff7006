"""Names of the ways in which an answer to any eval is followed by a decision."""

DECLINE, KEEP, PUSHBACK = "decline", "keep", "pushback"
"""`decline` is asked once for each confidence target, as `decline_0.75`."""


def decline_way(target: float) -> str:
    """Return the name of the request to withdraw an answer whose confidence is below a target.

    Example:
        >>> decline_way(0.75)
        'decline_0.75'
    """
    return f"{DECLINE}_{target:g}"


def target_of(method: str) -> float | None:
    """Return the confidence target in the name of a method, or None if it has none.

    Example:
        >>> target_of("decline_0.75"), target_of("keep")
        (0.75, None)
    """
    name, _, target = method.partition("_")
    return float(target) if name == DECLINE and target else None


def is_decision(method: str) -> bool:
    """Return whether a method asks for a decision, and not for a confidence."""
    return method in (KEEP, PUSHBACK) or target_of(method) is not None
