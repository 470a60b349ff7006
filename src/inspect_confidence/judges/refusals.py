"""Protection against a judge whose provider refuses every call: it pauses after some refusals."""

import logging
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar
from weakref import WeakKeyDictionary

import anyio
from inspect_ai.model import Model

from inspect_confidence.printing import excerpt

_LOGGER = logging.getLogger(__name__)
OutputT = TypeVar("OutputT")

_REMEDIES = {
    401: "give it a valid key",
    403: "give its key the permission",
    404: "name a model that there is",
}
"""Remedy by status of a refusal that a repeated call can't cure."""
_INVALID_KEY = "api key not valid"
"""Google's message for an invalid key, with status 400."""
REFUSALS_UNTIL_PAUSE = 3
"""Number of consecutive refusals with the same status after which the judge is paused."""
_PAUSE_SECONDS = 60.0
"""Seconds until the judge is called again, since a long run may outlast the cause."""


class JudgeRefused(Exception):
    """The judge is paused; the message names the judge and the refusal in one line."""


class _Gate:
    """Passes calls on to a judge until its provider has refused too often."""

    def __init__(self, name: str, scorer: str) -> None:
        """Start with no refusal; the judge's name and the scorer of its calls are for messages."""
        self._judge_name, self._scorer = name, scorer
        self._last_status, self._consecutive_refusals = 0, 0
        # The end of the pause by time.monotonic(), in seconds; 0 before the first pause.
        self._paused_until, self._pause_reason = 0.0, ""
        self._running_scopes: set[anyio.CancelScope] = set()  # of the calls under way

    async def call(self, ask: Callable[[], Awaitable[OutputT]]) -> OutputT:
        """Return the result of `ask`, a call of the judge, unless the judge is paused.

        Raises:
            JudgeRefused: The judge is paused, or was paused by another call during this one.
        """
        if time.monotonic() < self._paused_until:
            raise JudgeRefused(self._pause_reason)
        with anyio.CancelScope() as scope:
            self._running_scopes.add(scope)
            try:
                answer = await ask()
            except Exception as error:
                self._count(error, scope)
                raise
            finally:
                self._running_scopes.discard(scope)
            self._consecutive_refusals = 0
            return answer
        # The scope was cancelled, because another call's refusal paused the judge (see `_count`).
        raise JudgeRefused(self._pause_reason)

    def _count(self, error: Exception, scope: anyio.CancelScope) -> None:
        """Count consecutive refusals with one HTTP status; at the third pause the judge.

        A refusal, such as for an invalid key, can't be cured by a repeated call; another error ends
        the count. Only the first pause is logged. Running calls are cancelled, except `scope`,
        which raises the error.
        """
        status = _refusal_status(error)  # 0 if the error is no refusal
        is_repeated = status != 0 and status == self._last_status
        self._consecutive_refusals = (
            self._consecutive_refusals + 1 if is_repeated else int(status != 0)
        )
        self._last_status = status
        if self._consecutive_refusals < REFUSALS_UNTIL_PAUSE:
            return
        message = excerpt(" ".join(str(error).split()), 120)
        self._pause_reason = f"the judge {self._judge_name} refuses ({status}: {message})"
        if not self._paused_until:
            _LOGGER.warning(
                "%s and is asked no more; the replies are kept: %s, then judge them with "
                "`inspect score LOG --scorer inspect_confidence/%s`",
                self._pause_reason,
                _REMEDIES[status],
                self._scorer,
            )
        self._paused_until = time.monotonic() + _PAUSE_SECONDS
        for call in self._running_scopes - {scope}:
            call.cancel()


_GATES: WeakKeyDictionary[Model, _Gate] = WeakKeyDictionary()


async def unless_refused(
    judge: Model, ask: Callable[[], Awaitable[OutputT]], scorer: str
) -> OutputT:
    """Call a judge unless its provider has refused the last calls, whichever scorer made them.

    Args:
        judge: Model that is called.
        ask: The call.
        scorer: Scorer, and any `--action`, with which `inspect score` judges the replies later. The
            warning, one for each judge, names that of the first call.

    Raises:
        JudgeRefused: The judge's provider refused several consecutive calls: the key is invalid,
            the permission is missing, or the model doesn't exist.
    """
    if judge not in _GATES:
        _GATES[judge] = _Gate(str(judge), scorer)
    return await _GATES[judge].call(ask)


def _refusal_status(error: Exception) -> int:
    """Return the status of a refusal that a repeated call can't cure, or 0 for other errors.

    The statuses are those of `_REMEDIES`. Some providers refuse an invalid key with 400, not 401.
    """
    # Each provider's client has its own exception, with the status under either name.
    status = getattr(error, "status_code", getattr(error, "code", None))
    if status == 400 and _INVALID_KEY in str(error).lower():
        return 401
    return status if status in _REMEDIES else 0
