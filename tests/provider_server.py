"""A local HTTP server that stands in for the OpenAI, Anthropic and Google model APIs.

It speaks just enough of each protocol for Inspect to run through the real client libraries.
Base URLs: `server.url + "/v1"` for OpenAI, `server.url` for Anthropic and Google. Any string
serves as API key. Both APIs of OpenAI are served. Answered with an HTTP error: streaming by OpenAI
or Google, which Inspect asks for only when told to, and Inspect's test whether an OpenAI model
summarizes its reasoning, a request whose input is one text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, Literal, Self

Provider = Literal["openai", "anthropic", "google"]
Finish = Literal["stop", "length", "content_filter"]

_PATHS: dict[Provider, str] = {
    "openai": r"/v1/(chat/completions|responses)",
    "anthropic": r"/v1/messages",
    "google": r"/v1(beta|alpha)?/models/[^/:]+:generateContent",
}
_ANTHROPIC = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}
_GOOGLE = {"stop": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}


@dataclass(frozen=True)
class Token:
    """One generated token, its log probability, and those of the likeliest tokens there."""

    token: str
    logprob: float
    top: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Reply:
    """One choice to send back; `logprobs` reach only an OpenAI request that asked for them.

    `calls` are of tools, each a name and its arguments; only OpenAI's replies have them.
    """

    text: str = ""
    finish: Finish = "stop"
    logprobs: Sequence[Token] | None = None
    calls: Sequence[tuple[str, Mapping[str, Any]]] = ()


@dataclass(frozen=True)
class Response:
    """A response with headers of its own; after so many characters its connection is cut."""

    status: int
    body: str
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None


@dataclass(frozen=True)
class Request:
    """A generation request: the JSON body, with its last user and its system text picked out."""

    provider: Provider
    body: dict[str, Any]
    prompt: str
    system: str | None

    @property
    def turns(self) -> list[str]:
        """Texts of the conversation, of user and model, without system messages."""
        turns = self.body.get("messages") or self.body.get("contents") or []
        return [_text(turn) for turn in turns if turn["role"] not in ("system", "developer")]


class ProviderServer:
    """Answers the model requests of three providers on a random local port, while entered.

    Attributes:
        url: Address of the server, without a path.
        requests: Each answered request with the replies it was sent (one per choice), in the
            order of arrival, which is the order of the calls of `answer`.
        errors: What was raised while answering, each also reported to its client as HTTP 500.
    """

    def __init__(self, answer: Callable[[Request], Reply | Sequence[Reply]]) -> None:
        """Bind the port; requests are served once the context is entered.

        Args:
            answer: Makes the reply to a request. It is never called for two requests at once. A
                single reply serves for all the choices asked for, a sequence must have one each.
        """
        self.requests: list[tuple[Request, tuple[Reply, ...]]] = []
        self.errors: list[BaseException] = []
        self._answer = answer
        self._lock = Lock()
        self._server = _Server(self)
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        """Start serving."""
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        """Stop serving and free the port."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def respond(self, path: str, raw: bytes) -> tuple[int, str]:
        """Answer one POST request.

        Args:
            path: Path of the request, without its query.
            raw: Body of the request.

        Returns:
            Status and body of the response.
        """
        try:
            if isinstance(json.loads(raw).get("input"), str):
                return _error(400, "reasoning summaries are not supported")
            request = request_of(path, raw)
            if request is None:
                return _error(404, f"no such path: {path}")
            provider = request.provider
            if provider == "openai" and request.body.get("stream"):
                return _error(400, "streaming is not supported")
            with self._lock:
                replies = _choices(request, self._answer(request))
                self.requests.append((request, replies))
            encode = {"openai": _openai, "anthropic": _anthropic, "google": _google}[provider]
            return 200, encode(request.body, replies)
        except BaseException as error:  # pytest.fail() raises what is no Exception
            self.errors.append(error)
            return _error(500, f"{type(error).__name__}: {error}")

    def response(self, path: str, raw: bytes) -> Response:
        """The whole response to one POST request, as `respond` has it."""
        return Response(*self.respond(path, raw))


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, owner: ProviderServer) -> None:
        self.owner = owner
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that hung up."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        response = self.server.owner.response(self.path.partition("?")[0], raw)
        self._send(response.status, response.body, response.headers, response.cut)

    def do_GET(self) -> None:
        self._send(*_error(404, f"no such path: {self.path}"))

    def _send(
        self,
        status: int,
        body: str,
        headers: Mapping[str, str] | None = None,
        cut: int | None = None,
    ) -> None:
        self.send_response(status)
        kind = "application/json" if body.startswith("{") else "text/event-stream"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body.encode())))
        self.send_header("x-should-retry", "false")  # keeps the SDKs from retrying on their own
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body[:cut].encode())

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


def request_of(path: str, raw: bytes) -> Request | None:
    """The request that was posted to a path; None where no provider has such a path."""
    provider = next((name for name, form in _PATHS.items() if re.fullmatch(form, path)), None)
    return None if provider is None else _parse(provider, json.loads(raw))


def _error(status: int, message: str) -> tuple[int, str]:
    detail = {"type": "api_error", "code": status, "message": message, "status": "UNKNOWN"}
    return status, json.dumps({"type": "error", "error": detail})


def _parse(provider: Provider, body: dict[str, Any]) -> Request:
    turns = next(body[name] for name in ("messages", "contents", "input") if name in body)
    if provider == "openai":
        orders = [turn for turn in turns if turn["role"] in ("system", "developer")] or None
    else:
        orders = body.get("systemInstruction" if provider == "google" else "system")
    prompt = next((_text(turn) for turn in reversed(turns) if turn["role"] == "user"), "")
    return Request(provider, body, prompt, None if orders is None else _text(orders))


def _text(content: Any) -> str:
    """Text of messages, of one, of its content or of a part of it, in any of the protocols."""
    if isinstance(content, list):
        return "\n".join(map(_text, content))
    if isinstance(content, dict):
        return _text(content.get("content") or content.get("parts") or content.get("text"))
    return content or ""


def _choices(request: Request, answer: Reply | Sequence[Reply]) -> tuple[Reply, ...]:
    google = request.body.get("generationConfig", {})
    count = request.body.get("n") or google.get("candidateCount") or 1
    if isinstance(answer, Reply):
        return (answer,) * count
    if len(answer) != count:
        raise ValueError(f"{len(answer)} replies to a request for {count}")
    return tuple(answer)


def _openai(body: dict[str, Any], replies: Sequence[Reply]) -> str:
    if "input" in body:
        return _openai_response(body, replies[0])

    def entry(token: str, logprob: float) -> dict[str, Any]:
        return {"token": token, "logprob": logprob, "bytes": list(token.encode())}

    def position(token: Token) -> dict[str, Any]:
        ranked = sorted(token.top.items(), key=lambda item: -item[1])
        top = [entry(*item) for item in ranked[: body.get("top_logprobs") or 0]]
        return entry(token.token, token.logprob) | {"top_logprobs": top}

    def call(number: int, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        function = {"name": name, "arguments": json.dumps(arguments)}
        turn = len(body["messages"])  # no two calls of a conversation have the same id
        return {"id": f"call_{turn}_{number}", "type": "function", "function": function}

    choices = []
    for index, reply in enumerate(replies):
        message: dict[str, Any] = {"role": "assistant", "content": reply.text, "refusal": None}
        finish = "tool_calls" if reply.calls else reply.finish
        if reply.calls:
            message["tool_calls"] = [
                call(number, *tool_call) for number, tool_call in enumerate(reply.calls)
            ]
        logprobs = None
        if reply.logprobs is not None and body.get("logprobs"):
            logprobs = {"content": list(map(position, reply.logprobs)), "refusal": None}
        choice = {"index": index, "message": message, "finish_reason": finish}
        choices.append(choice | {"logprobs": logprobs})
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": body["model"]}
    usage = {"prompt_tokens": 1, "completion_tokens": len(replies)}
    usage["total_tokens"] = sum(usage.values())
    return json.dumps(head | {"choices": choices, "usage": usage})


def _openai_response(body: dict[str, Any], reply: Reply) -> str:
    """A reply in the form of OpenAI's responses API, which gives one choice."""
    content = {"type": "output_text", "text": reply.text, "annotations": []}
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    details: dict[str, Any] = {
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    head = {"id": "resp_1", "object": "response", "created_at": 0, "model": body["model"]}
    constants = {
        "status": "completed",
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
    }
    output = [message | {"content": [content]}]
    return json.dumps(head | constants | {"output": output, "usage": usage | details})


def _google(body: dict[str, Any], replies: Sequence[Reply]) -> str:
    candidates = []
    for index, reply in enumerate(replies):
        content = {"role": "model", "parts": [{"text": reply.text}]}
        finish = _GOOGLE[reply.finish]
        candidates.append({"index": index, "content": content, "finishReason": finish})
    usage = {"promptTokenCount": 1, "candidatesTokenCount": len(replies)}
    usage["totalTokenCount"] = sum(usage.values())
    return json.dumps({"candidates": candidates, "usageMetadata": usage})


def _anthropic(body: dict[str, Any], replies: Sequence[Reply]) -> str:
    """The message as JSON or, where the request asks for streaming, as server-sent events."""
    block = {"type": "text", "text": replies[0].text}
    end = {"stop_reason": _ANTHROPIC[replies[0].finish], "stop_sequence": None}
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"]}
    message |= {"content": [block], "usage": usage} | end
    if not body.get("stream"):
        return json.dumps(message)
    start = message | {"content": [], "stop_reason": None}
    delta = {"type": "text_delta", "text": block["text"]}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": block | {"text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": usage},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
