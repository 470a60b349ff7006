"""Tests of the stand-in model server, through Inspect and the providers' own client libraries."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    ContentText,
    GenerateConfig,
    ModelOutput,
)
from inspect_ai.solver import generate, system_message

from build import attributes_of, record_table, requests_to
from provider_server import Finish, ProviderServer, Reply, Request, Token
from runs import ANTHROPIC, GOOGLE, OPENAI, connected, run_task

MODELS = [
    OPENAI,
    "anthropic/claude-3-haiku-20240307",  # asked for without streaming
    ANTHROPIC,  # asked for with streaming
    GOOGLE,
]
PROMPTS = ["What is 1 + 1?", "Où est-ce ?\nIci.", "cut", "withheld", "cut: empty"]
FINISHES: dict[str, Finish] = {"cut": "length", "withheld": "content_filter"}


def run(server: ProviderServer, model: str, log_dir: Path, **config: Any) -> EvalLog:
    """Ask the model the prompts, after a system message."""
    task = Task(
        dataset=[Sample(input=prompt, id=index) for index, prompt in enumerate(PROMPTS)],
        solver=[system_message("Be brief."), generate()],
        config=GenerateConfig(max_retries=0, **config),
    )
    return run_task(task, server, log_dir, model)


def outputs(log: EvalLog) -> list[ModelOutput]:
    """Model outputs of a successful log, in the order of `PROMPTS`."""
    assert log.status == "success", log.error
    assert log.samples is not None
    return attributes_of(sorted(log.samples, key=lambda sample: sample.id), "output")


@pytest.mark.parametrize("model", MODELS)
def test_texts_and_stop_reasons_arrive_both_ways(model: str, tmp_path: Path) -> None:
    """Prompts and system message reach the server, and its answers, also cut ones, the log."""

    def answer(request: Request) -> Reply:
        kind, _, empty = request.prompt.partition(": ")
        return Reply("" if empty else f"To: {request.prompt}", FINISHES.get(kind, "stop"))

    with ProviderServer(answer) as server:
        results = outputs(run(server, model, tmp_path))
    completions = attributes_of(results, "completion")
    assert completions == [*map("To: {}".format, PROMPTS[:4]), ""]
    reasons = attributes_of(results, "stop_reason")
    assert reasons == ["stop", "stop", "max_tokens", "content_filter", "max_tokens"]
    for result in results:
        assert result.usage
        assert result.usage.total_tokens > 0
    requests = record_table(requests_to(server))
    assert sorted(requests["prompt"]) == sorted(PROMPTS)
    assert set(requests["system"]) == {"Be brief."}
    assert set(attributes_of(requests_to(server), "provider")) == {model.partition("/")[0]}
    for request, replies in server.requests:
        assert replies == (answer(request),)
        assert bool(request.body.get("stream")) == (model == ANTHROPIC)
    assert server.errors == []


@pytest.mark.parametrize("model", MODELS)
def test_the_prompt_is_the_last_user_message(model: str) -> None:
    """Of several turns the last one of the user counts, with all its texts; no system is None."""
    messages: list[ChatMessage] = [
        ChatMessageUser(content="first"),
        ChatMessageAssistant(content="second"),
        ChatMessageUser(content=[ContentText(text="third"), ContentText(text="fourth")]),
    ]
    with ProviderServer(lambda _: Reply("fifth")) as server:
        generated = connected(server, model).generate(messages)
        assert asyncio.run(generated).completion == "fifth"
    [(request, _)] = server.requests
    assert (request.prompt, request.system) == ("third\nfourth", None)


def test_openai_logprobs_arrive_when_asked_for(tmp_path: Path) -> None:
    """Log probabilities reach the log with as many alternatives as asked for, likeliest first."""
    top = {"g": -9.0, "Yes": -0.1, "No": -2.5, "b": -5.0, "c": -6.0, "d": -7.0}
    reply = Reply("Yes!", logprobs=[Token("Yes", -0.1, top), Token("!", 0.0)])
    with ProviderServer(lambda _: reply) as server:
        output = outputs(run(server, OPENAI, tmp_path, logprobs=True, top_logprobs=5))[0]
        unasked = outputs(run(server, OPENAI, tmp_path))[0]
    assert unasked.choices[0].logprobs is None
    assert output.choices[0].logprobs is not None
    first, second = output.choices[0].logprobs.content
    assert (first.token, first.logprob) == ("Yes", -0.1)
    assert first.top_logprobs is not None
    likeliest = [("Yes", -0.1), ("No", -2.5), ("b", -5.0), ("c", -6.0), ("d", -7.0)]
    assert [(item.token, item.logprob) for item in first.top_logprobs] == likeliest
    assert (second.token, second.logprob, second.top_logprobs) == ("!", 0.0, [])


def test_openai_tool_calls_arrive() -> None:
    """Several in one reply, each with its arguments and an id of its own."""
    calls = [("look", {"at": "it"}), ("wait", {})]
    with ProviderServer(lambda _: Reply("Wait.", calls=calls)) as server:
        output = asyncio.run(connected(server, OPENAI).generate("Look."))
    tool_calls = output.message.tool_calls or []
    assert [(call.function, call.arguments) for call in tool_calls] == calls
    assert len(set(attributes_of(tool_calls, "id"))) == 2
    assert (output.completion, output.stop_reason) == ("Wait.", "tool_calls")


@pytest.mark.parametrize("model", [OPENAI, GOOGLE])
def test_several_choices_arrive(model: str, tmp_path: Path) -> None:
    """A sequence gives each of the choices asked for, a single reply all of them."""

    def answer(request: Request) -> Reply | list[Reply]:
        return list(map(Reply, "abc")) if request.prompt == PROMPTS[0] else Reply("same")

    with ProviderServer(answer) as server:
        different, identical, *_ = outputs(run(server, model, tmp_path, num_choices=3))
    assert attributes_of(different.choices, "message.text") == ["a", "b", "c"]
    assert attributes_of(identical.choices, "message.text") == ["same"] * 3
    assert {len(replies) for _, replies in server.requests} == {3}


@pytest.mark.parametrize(
    "model",
    [OPENAI, *(pytest.param(model, marks=pytest.mark.slow) for model in MODELS if model != OPENAI)],
)
def test_exceptions_are_500(model: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What `answer` raises is kept, fails the client with status 500, and is not printed."""

    def answer(request: Request) -> Reply:
        raise LookupError(f"nothing for {request.prompt}")

    with ProviderServer(answer) as server:
        log = run(server, model, tmp_path)
    assert log.status == "error"
    assert log.error is not None
    assert "ServerError" in log.error.message
    assert server.requests == []
    assert set(map(type, server.errors)) == {LookupError}
    assert capfd.readouterr().err == ""


def test_a_wrong_number_of_replies_is_an_error(tmp_path: Path) -> None:
    """A sequence that does not have one reply per choice is not cut or filled in silence."""
    with ProviderServer(lambda _: [Reply("a"), Reply("b")]) as server:
        assert run(server, OPENAI, tmp_path, num_choices=3).status == "error"
    assert str(server.errors[0]) == "2 replies to a request for 3"


def test_unknown_paths_are_not_found(capfd: pytest.CaptureFixture[str]) -> None:
    """A path the server does not know gives status 404 with a JSON error, and no output."""
    with ProviderServer(lambda _: Reply()) as server:
        for path, data in (("/", None), ("/v1/models", None), ("/v1/embeddings", b"{}")):
            with pytest.raises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(server.url + path, data)
            with caught.value as response:
                assert response.code == HTTPStatus.NOT_FOUND, path
                assert path in json.load(response)["error"]["message"]
    assert server.requests == []
    assert server.errors == []
    assert capfd.readouterr() == ("", "")
