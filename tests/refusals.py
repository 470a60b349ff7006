"""What is said of what can't be used."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inspect_confidence import InvalidArgument


def refused(use: Callable[..., object], *arguments: object, **keywords: object) -> str:
    """The one-line message of the error that a call ends in; fails, with the call, if it doesn't.

    The error is `InvalidArgument` or one of its kind, which `DataUnavailable` is.
    """
    try:
        use(*arguments, **keywords)
    except InvalidArgument as error:
        message = error.format_message()
        assert "\n" not in message
        return message
    pytest.fail(f"not refused: {arguments} {keywords}")
