"""What is said of what can't be used."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inspect_confidence import InvalidArgument


def refused(use: Callable[..., object], *arguments: object, **named: object) -> str:
    """The one-line message of the error that a call ends in; fails, with the call, if it doesn't.

    The error is `InvalidArgument` or one of its kind, which `DataUnavailable` is.
    """
    try:
        use(*arguments, **named)
    except InvalidArgument as error:
        said = error.format_message()
        assert "\n" not in said
        return said
    pytest.fail(f"not refused: {arguments} {named}")
