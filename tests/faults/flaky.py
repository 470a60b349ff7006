"""A provider that fails: one call in so many, in each of the ways that providers have."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from random import Random
from threading import Lock
from typing import Any

from provider_server import ProviderServer, Request, Response, request_of
from runs import Answer

KINDS = (
    *("429", "429 after", "500", "timeout", "cut", "no choices", "null", "half", "length"),
    *("content_filter", "too many"),
)
"""How a call fails: by status (with and without a time to wait), by silence, in the middle of the
reply, and by a reply that isn't whole or isn't one."""
PATIENCE = 10
"""Seconds that a client waits for a reply."""


class Flaky(ProviderServer):
    """Answers, or fails a share of the prompts in a seeded way when they are first asked.

    Attributes:
        share: Of prompts that fail.
        failed: How often calls failed, by kind.
        answered: How often each prompt was answered whole.
        spoilt: Of prompts whose reply was spoilt the kind.
    """

    def __init__(
        self,
        answer: Answer,
        share: float = 0.2,
        kinds: tuple[str, ...] = KINDS,
        seed: int = 0,
        is_target: Callable[[Request], bool] = lambda request: True,
    ) -> None:
        super().__init__(answer)
        self.failed: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.spoilt: dict[str, str] = {}
        self.share, self._kinds, self._seed, self._is_target = share, kinds, seed, is_target
        self._met: Counter[str] = Counter()
        self._note = Lock()

    def response(self, path: str, raw: bytes) -> Response:
        """Fail, if it is this prompt's turn, or answer."""
        request = request_of(path, raw)
        if request is None or not self._is_target(request):
            return super().response(path, raw)
        with self._note:
            kind = self._kind(request)
            self.failed[kind] += bool(kind)
        if kind in ("429", "429 after", "500"):
            error = json.dumps({"error": {"message": f"on purpose: {kind}", "code": int(kind[:3])}})
            return Response(int(kind[:3]), error, {"retry-after": "1"} if "after" in kind else {})
        if kind == "timeout":
            time.sleep(PATIENCE + 1)
            return Response(200, "", cut=0)
        status, body = self.respond(path, raw)
        if kind == "cut":
            return Response(status, body, cut=len(body) // 2)
        with self._note:
            self.answered[request.prompt] += 1
            if kind:
                self.spoilt[request.prompt] = kind
        return Response(status, _spoilt(request, body, kind) if kind else body)

    def _kind(self, request: Request) -> str:
        """Of the failure that it is time for; the same prompt fails once at most."""
        self._met[request.prompt] += 1
        rng = Random(f"{self._seed} {request.prompt}")
        if self._met[request.prompt] > 1 or rng.random() >= self.share:
            return ""
        return rng.choice(self._kinds)


def _spoilt(request: Request, body: str, kind: str) -> str:
    """A whole reply made one that isn't, by kind."""
    if kind == "half":
        return body[: len(body) // 2]
    reply = json.loads(body)
    {"openai": _openai, "anthropic": _anthropic, "google": _google}[request.provider](reply, kind)
    return json.dumps(reply)


def _openai(reply: dict[str, Any], kind: str) -> None:
    choices = reply["choices"]
    if kind == "too many":
        choices.append({**choices[0], "index": len(choices)})
    if kind == "too few":
        choices.pop()
    if kind == "no choices":
        choices.clear()
    for choice in choices:
        if kind == "null":
            choice["message"]["content"] = None
        if kind in ("length", "content_filter"):
            choice["finish_reason"] = kind
            choice["message"]["content"] = _beginning(choice["message"]["content"], kind)


def _anthropic(reply: dict[str, Any], kind: str) -> None:
    blocks = reply["content"]
    if kind == "too many":
        blocks.append({"type": "text", "text": ""})
    if kind in ("no choices", "null"):
        blocks.clear()
    if kind in ("length", "content_filter"):
        reply["stop_reason"] = {"length": "max_tokens", "content_filter": "refusal"}[kind]
        blocks[0]["text"] = _beginning(blocks[0]["text"], kind)


def _google(reply: dict[str, Any], kind: str) -> None:
    candidates = reply["candidates"]
    if kind == "too many":
        candidates.append({**candidates[0], "index": len(candidates)})
    if kind == "no choices":
        candidates.clear()
    for candidate in candidates:
        if kind == "null":
            candidate["content"] = None
        if kind in ("length", "content_filter"):
            candidate["finishReason"] = {"length": "MAX_TOKENS", "content_filter": "SAFETY"}[kind]
            (part,) = candidate["content"]["parts"]
            part["text"] = _beginning(part["text"], kind)


def _beginning(text: str, kind: str) -> str:
    """What is there of a text that was cut off, or withheld."""
    return text[: len(text) // 2] if kind == "length" else ""
