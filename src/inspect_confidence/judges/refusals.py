"""A judge that its provider refuses: after the same refusal a few times it is asked no more."""

import logging
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar
from weakref import WeakKeyDictionary

import anyio
from inspect_ai.model import Model

_LOGGER = logging.getLogger(__name__)
Output = TypeVar("Output")

_REMEDIES = {
    401: "give it a valid key",
    403: "give its key the permission",
    404: "name a model that there is",
}
"""What mends a refusal of each status: trying again never does."""
_INVALID_KEY = "api key not valid"
"""In a status of 400, as Google says it."""
TIMES = 3
"""Refusals of one status, with no answer between them, after which a judge is let alone."""
_AGAIN = 60.0
"""Seconds after which it is asked again: a long run may outlast what was wrong."""


class JudgeRefused(Exception):
    """Why a judge isn't asked: one line with its name and the remedy."""


class _Door:
    """Lets calls of a judge through, until it has refused too often."""

    def __init__(self, name: str, scorer: str) -> None:
        self._name, self._scorer = name, scorer
        self._status, self._times = 0, 0
        self._shut_until, self._why = 0.0, ""
        self._under_way: set[anyio.CancelScope] = set()

    async def through(self, ask: Callable[[], Awaitable[Output]]) -> Output:
        """What the call gives; calls that wait for their turn when it is shut are called off."""
        if time.monotonic() < self._shut_until:
            raise JudgeRefused(self._why)
        with anyio.CancelScope() as scope:
            self._under_way.add(scope)
            try:
                answer = await ask()
            except Exception as error:
                self._count(error, scope)
                raise
            finally:
                self._under_way.discard(scope)
            self._times = 0
            return answer
        raise JudgeRefused(self._why)

    def _count(self, error: Exception, own: anyio.CancelScope) -> None:
        status = _refusal(error)
        self._times = self._times + 1 if status and status == self._status else bool(status)
        self._status = status
        if self._times < TIMES:
            return
        said = " ".join(str(error).split())[:120]
        self._why = f"the judge {self._name} refuses ({status}: {said})"
        if not self._shut_until:
            _LOGGER.warning(
                "%s and is asked no more; the replies are kept: %s, then judge them with "
                "`inspect score LOG --scorer inspect_confidence/%s`",
                self._why,
                _REMEDIES[status],
                self._scorer,
            )
        self._shut_until = time.monotonic() + _AGAIN
        for waiting in self._under_way - {own}:
            waiting.cancel()


_DOORS: WeakKeyDictionary[Model, _Door] = WeakKeyDictionary()


async def unless_refused(judge: Model, ask: Callable[[], Awaitable[Output]], scorer: str) -> Output:
    """What a call of a judge gives, which a scorer, of that name and action, asks.

    Raises:
        JudgeRefused: The judge's provider has refused a few calls in a row, for want of a valid
            key, of a permission or of such a model.
    """
    if judge not in _DOORS:
        _DOORS[judge] = _Door(str(judge), scorer)
    return await _DOORS[judge].through(ask)


def _refusal(error: Exception) -> int:
    """The status of a refusal that no repetition mends; 0 of any other error."""
    # Each provider's client has an exception of its own, with the status under either name.
    status = getattr(error, "status_code", getattr(error, "code", None))
    if status == 400 and _INVALID_KEY in str(error).lower():
        return 401
    return status if status in _REMEDIES else 0
