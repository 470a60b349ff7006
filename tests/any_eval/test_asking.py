"""The solver in somebody's own task, and how further answers are compared with the first."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import count, product
from operator import attrgetter, itemgetter
from pathlib import Path
from random import Random
from string import ascii_uppercase
from threading import Lock
from time import sleep
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    Content,
    ContentImage,
    ContentText,
    GenerateConfig,
)
from inspect_ai.model import ChatMessageUser as User
from inspect_ai.scorer import Scorer, answer, choice, exact, f1, includes, match, pattern
from inspect_ai.solver import Generate, Solver, TaskState, generate, multiple_choice, solver
from inspect_ai.tool import ToolCall

from any_eval.small import confidence_of, far_end, kind_of, kinds, metrics_of, sample_of, sums
from build import (
    attributes_of,
    column_of,
    entries_of,
    map_values,
    only_part_in,
    reply_to_each_choice,
    texts_with,
)
from inspect_confidence import ask_confidence, confidence, read_judgments, with_confidence
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.studies import Recorded
from provider_server import ProviderServer, Reply, Request, Token
from runs import ANTHROPIC, cached, connected, run_task, served

WAYS = ["stated", "alone", "p_true", "words", "consistency"]


def eval_content(log: EvalLog) -> list[object]:
    """What the eval itself has of each sample."""
    contents: list[object] = []
    for sample in log.samples or []:
        scores = map_values(attrgetter("value"), sample.scores or {})
        messages = list(map(attrgetter("role", "text"), sample.messages))
        contents.append([messages, sample.output.completion, scores.get("match")])
    return contents


def test_three_lines_in_a_task(tmp_path: Path) -> None:
    """`before` before the answer, all others after it, together; the eval is as it was."""
    plain, _ = served(sums(), tmp_path, far_end(), max_samples=1, epochs=2)
    task = sums(
        solver=[ask_confidence("before"), generate(), ask_confidence(WAYS, "0-20", draws=2)],
        scorer=[match(numeric=True), confidence()],
    )
    log, requests = served(task, tmp_path, far_end(stated=Reply("15")), max_samples=1, epochs=2)
    assert eval_content(log) == eval_content(plain)
    values, facts = confidence_of(log, "b", 2)
    expected = {"before": 0.6, "stated": 0.75, "p_true": 0.75, "consistency": 1.0, "correct": 0.0}
    assert entries_of(values, expected) == pytest.approx(expected)
    # 70 was said on a scale to 20: no confidence, and nothing that counts as one.
    assert math.isnan(values["alone"])
    assert (facts["alone"]["status"], values["alone_ok"]) == ("out_of_range", 1)
    assert (facts["before"]["high"], facts["stated"]["high"]) == (100, 20)
    assert kinds(requests) == {"before": 4, "": 4 + 4 * 2, **dict.fromkeys(WAYS[:4], 4)}
    first = list(map(kind_of, requests)).index("before")
    assert first == 0


def test_what_is_asked_too_early_says_so(tmp_path: Path) -> None:
    """Before the answer there is none to be sure of; no call is made for it."""
    task = sums(solver=[ask_confidence(), generate()], scorer=[match(), confidence()])
    log, requests = served(task, tmp_path, far_end())
    assert confidence_of(log)[1]["stated"]["status"] == "limit_reached"
    assert "no answer to be sure of" in confidence_of(log)[1]["stated"]["detail"]
    assert kinds(requests) == {"": 2}
    assert math.isnan(metrics_of(log)["mean_confidence"])


@pytest.mark.parametrize("by_hand", [True, False])
def test_the_evals_limits_are_not_eaten_by_asking(by_hand: bool, tmp_path: Path) -> None:
    """A call takes two tokens, a turn and two messages: enough for the answer alone."""
    limits = {"token_limit": 3, "turn_limit": 1, "message_limit": 2}
    steps = [ask_confidence("before"), generate(), ask_confidence(WAYS)]
    if by_hand:
        task = sums(solver=steps, scorer=[match(), confidence()], **limits)
    else:
        task = with_confidence(sums(**limits), ["before", *WAYS])
    log, _ = served(task, tmp_path, far_end())
    for sample in log.samples or []:
        assert (sample.limit, len(sample.messages)) == (None, 2)
        _, facts = confidence_of(log, str(sample.id))
        assert {facts[way]["status"] for way in ["before", *WAYS]} == {"ok"}


def test_a_conversation_is_asked_in_as_it_is(tmp_path: Path) -> None:
    """With its system message, ending in the eval's answer; `alone` has question and answer."""
    asked_so: list[ChatMessage] = [
        User(content="Be brief."),
        ChatMessageAssistant(content="Yes."),
        User(content="1?"),
    ]
    task = sums(dataset=[Sample(asked_so, target="2", id="a")])
    _, requests = served(with_confidence(task, "stated,alone"), tmp_path, far_end())
    by_kind = dict(zip(map(kind_of, requests), requests, strict=True))
    roles = column_of(by_kind["stated"].body["messages"], "role")
    assert roles == ["user", "assistant", "user", "assistant", "user"]
    assert by_kind["stated"].body["messages"][-2]["content"] == "2"
    (message,) = by_kind["alone"].body["messages"]
    assert "user: Be brief.\n\nassistant: Yes.\n\nuser: 1?" in message["content"]


def test_what_cannot_be_shown_is_not_asked(tmp_path: Path) -> None:
    """A picture isn't shown in a new conversation; in its own it is."""
    picture = "data:image/png;base64,iVBORw0KGgo="
    content: list[Content] = [ContentText(text="How many?"), ContentImage(image=picture)]
    task = sums(dataset=[Sample([User(content=content)], target="2", id="a")])
    log, requests = served(with_confidence(task, "stated,alone,before"), tmp_path, far_end())
    values, facts = confidence_of(log)
    assert values["stated"] == 0.8
    assert facts["alone"]["status"] == facts["before"]["status"] == "scoring_failed"
    assert kinds(requests) == {"": 1, "stated": 1}


def test_choices_after_z_are_shown_with_the_labels_of_inspect(tmp_path: Path) -> None:
    """All of 30 choices are shown in a new conversation: 26 letters, then the numbers 1 to 4."""
    towns = [f"town {number}" for number in range(30)]
    sample = Sample("Where?", choices=towns, target="A", id="a")
    task = sums(dataset=[sample], solver=multiple_choice(), scorer=choice())
    _, requests = served(with_confidence(task, "alone"), tmp_path, far_end())
    texts = dict(zip(map(kind_of, requests), requests, strict=True))
    labels: dict[str, list[str]] = {}
    for kind, request in texts.items():
        content = request.body["messages"][-1]["content"]
        labels[kind] = re.findall(r"^(\w)[.)] town \d+$", content, re.MULTILINE)
    assert labels["alone"] == labels[""] == [*ascii_uppercase, "1", "2", "3", "4"]


CITIES = Sample("Capital of France?", choices=["Rome", "Paris"], target="B", id="a")
CAPITAL = Sample("Capital of France?", target="Paris", id="a")
LONG = "It is a town of some size on the river Seine, and has been the capital for ever so long."
REFUSAL = "I'm sorry, but I can't answer that."


def test_an_answer_of_several_choices_is_not_compared_as_one(tmp_path: Path) -> None:
    """The reason does not deny that it names choices."""
    task = Task(
        [Sample("Which are odd?", choices=["1", "2", "3"], target=["A", "C"], id="a")],
        solver=multiple_choice(multiple_correct=True),
        scorer=choice(),
        name="quiz",
    )
    answers = far_end(own=Reply("ANSWER: A,C"))
    log, _ = served(with_confidence(task, "consistency", draws=1), tmp_path, answers)
    _, facts = confidence_of(log)
    reason = "the eval's answer is not one choice: several letters"
    assert facts["consistency"] == {"status": "scoring_failed", "detail": reason}


@pytest.mark.parametrize("letters", ["A,C", "A"])
def test_several_right_choices_have_no_confidence_of_one_letter(
    letters: str, tmp_path: Path
) -> None:
    """A limit of the instrument, not a reply that can't be read; the log's own field has it too."""
    task = Task(
        [Sample("Which are odd?", choices=["1", "2", "3"], target=["A", "C"], id="a")],
        solver=multiple_choice(multiple_correct=True),
        scorer=choice(),
        name="quiz",
    )
    tokens = [Token("ANSWER:", 0.0, {}), Token(" A", math.log(0.5), {" B": math.log(0.5)})]
    own = Reply(f"ANSWER: {letters}", logprobs=tokens)
    log, _ = served(with_confidence(task, "logprob"), tmp_path, far_end(own=own))
    values, facts = confidence_of(log)
    outcome = {"status": "scoring_failed", "detail": "several choices may be right"}
    assert facts["logprob"] == outcome
    assert math.isnan(values["logprob_ok"])
    recorded = Recorded(confidence=("output.logprobs",))
    with pytest.raises(InvalidArgument, match=r"several choices may be right"):
        read_judgments(tmp_path, recorded=recorded)


PARIS = "Paris (France)"


@solver
def shuffled_choices() -> Solver:
    """Somebody's own solver, which shuffles the choices and leaves the conversation as it was."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.choices.shuffle(Random(1))
        texts = attributes_of(state.choices, "value")
        lines = [f"{letter}) {text}" for letter, text in zip("ABC", texts, strict=True)]
        state.user_prompt.text = "\n".join([state.user_prompt.text, *lines])
        state = await generate(state)
        for place, letter in enumerate("ABC"):
            state.choices.mark_choice(place, state.output.completion.endswith(letter))
        return state

    return solve


@pytest.mark.parametrize("is_rewritten", [True, False])
def test_choices_are_shown_in_the_order_that_the_answers_letter_has(
    is_rewritten: bool, tmp_path: Path
) -> None:
    """Inspect's solver rewrites question and answer in the data set's order; others may not."""

    def names_paris(request: Request) -> Reply:
        (line,) = re.findall(rf"([ABC])\) {re.escape(PARIS)}", request.prompt)
        return Reply(f"ANSWER: {line}")

    inspects_own = multiple_choice(shuffle=Random(1))
    task = Task(
        [Sample("Capital?", choices=["Rome (Italy)", PARIS, "Bonn (Germany)"], target="B", id="a")],
        solver=inspects_own if is_rewritten else shuffled_choices(),
        scorer=choice(),
        name="quiz",
    )
    log, requests = served(
        with_confidence(task, ["alone", "p_true", "consistency", "pushback"], draws=1),
        tmp_path,
        far_end(own=names_paris, pushback=Reply(f"It is {PARIS}.")),
    )
    original_letter = names_paris(requests[0]).text[-1]
    assert original_letter != "B"
    shown_letter = "B" if is_rewritten else original_letter
    for kind in ("alone", "p_true"):
        (prompt,) = [request.prompt for request in requests if kind_of(request) == kind]
        assert f"\n{shown_letter}. {PARIS}\n" in prompt
        assert f"\nANSWER: {shown_letter}\n" in prompt
    values, facts = confidence_of(log)
    # Another text for the same choice is the same answer.
    assert (values["consistency"], values["moved"], values["correct_after"]) == (1, 0, 1)
    assert facts["pushback"]["by"] == "choice"


@pytest.mark.parametrize(
    ("sample", "scorer", "agreement", "first_reply", "further_replies", "expected"),
    [
        # The letter or the text of the choice; a reply that names none is lost.
        (CITIES, choice(), "auto", "ANSWER: B", ["ANSWER: B", "B) Paris", "ANSWER: A", "Hm."],
         ("choice", 2 / 3, 3, 1)),
        (CITIES, choice(), "text", "ANSWER: B", ["answer: b", "B"], ("text", 1 / 2, 2, 0)),
        (CAPITAL, exact(), "auto", "Paris", ["paris.", "Lyon", "Paris"], ("exact", 2 / 3, 3, 0)),
        # One word of three is right, and it is all of the answer: 2 * 1/3 * 1 / (1/3 + 1).
        (CAPITAL, f1(), "auto", "Paris", ["Paris", "Big Paris town"], ("f1", 3 / 4, 2, 0)),
        (CAPITAL, answer("word"), "scorer", "So.\nANSWER: Lyon",
         ["ANSWER: lyon", "ANSWER: Paris", "Lyon"], ("answer", 1 / 2, 2, 1)),
        (CAPITAL, pattern(r"is (\w+)"), "auto", "It is Lyon", ["is Lyon", "is X"],
         ("pattern", 1 / 2, 2, 0)),
        (CAPITAL, includes(), "auto", "**Paris.**", ["paris", "It is Paris"],
         ("text", 1 / 2, 2, 0)),
        # What isn't an answer is lost, not different.
        (CAPITAL, includes(), "auto", "Paris",
         ["Paris", "", REFUSAL, Reply("Paris", "content_filter"), "Lyon"], ("text", 1 / 2, 2, 3)),
        (CAPITAL, includes(), "auto", "Paris", ["", REFUSAL], "no_response"),
        (CAPITAL, includes(), "auto", REFUSAL, ["Paris", "Paris"], "refusal"),
        (CAPITAL, includes(), "auto", " ", ["Paris", "Paris"], "scoring_failed"),
        (CAPITAL, includes(), "auto", LONG, [LONG, "Paris"], "scoring_failed"),
        (CAPITAL, includes(), "text", LONG, [LONG, "Paris"], ("text", 1 / 2, 2, 0)),
        (CAPITAL, answer("word"), "auto", "Lyon", ["ANSWER: Lyon"], "scoring_failed"),
        (CITIES, choice(), "auto", "Neither.", ["ANSWER: B"], "scoring_failed"),
    ],
)  # fmt: skip
def test_what_makes_two_answers_the_same(
    sample: Sample,
    scorer: Scorer,
    agreement: str,
    first_reply: str,
    further_replies: Sequence[str | Reply],
    expected: tuple[str, float, int, int] | str,
    tmp_path: Path,
) -> None:
    """The rule, the share of answers like the first, those that count, and those lost."""
    replies = [
        reply if isinstance(reply, Reply) else Reply(reply)
        for reply in (first_reply, *further_replies)
    ]
    steps = multiple_choice() if sample.choices else generate()
    task = Task([sample], solver=steps, scorer=scorer)
    wrapped = with_confidence(task, "consistency", draws=len(further_replies), agreement=agreement)
    log, requests = served(wrapped, tmp_path, far_end(own=replies))
    values, facts = confidence_of(log)
    comparison = facts["consistency"]
    if isinstance(expected, str):
        assert math.isnan(values["consistency"])
        assert (comparison["status"], comparison["detail"] != "") == (expected, True)
    else:
        assert (comparison["by"], comparison["draws"], comparison["lost"]) == (
            expected[0],
            expected[2],
            expected[3],
        )
        assert values["consistency"] == pytest.approx(expected[1])
    count = kinds(requests)[""]
    assert count == 1 + (len(further_replies) if first_reply.strip() else 0)


def test_a_judge_compares_what_texts_cannot(tmp_path: Path) -> None:
    """By its own call for each answer; what it leaves open, or fails at, isn't compared."""
    verdicts = {"Ici.": "Yes", "Là.": "No", "Hm.": "Perhaps.", "Down.": ""}

    def compare(request: Request) -> Reply:
        verdict = verdicts[only_part_in(request.prompt, verdicts)]
        if not verdict:
            raise ConnectionError("down")
        assert request.body["temperature"] == 0
        return Reply(verdict)

    answers = [Reply(LONG), *map(Reply, verdicts)]
    task = sums(dataset=[CAPITAL], scorer=includes())
    wrapped = with_confidence(task, "consistency", draws=4, agreement="judge")
    with ProviderServer(far_end(own=answers, same=compare)) as server:
        roles = {"grader": connected(server)}
        log = run_task(wrapped, server, tmp_path, model_roles=roles)
    values, facts = confidence_of(log)
    comparison = facts["consistency"]
    assert values["consistency"] == 0.5
    assert (comparison["by"], comparison["draws"], comparison["lost"]) == ("judge", 2, 2)


@solver
def uses_a_tool() -> Solver:
    """A call and its result, then the answer."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        call = ToolCall(id="1", function="look", arguments={})
        state.messages += [
            ChatMessageAssistant(content="", tool_calls=[call]),
            ChatMessageTool(content="2", tool_call_id="1", function="look"),
        ]
        return await generate(state)

    return solve


def test_answers_with_tools_are_not_made_again(tmp_path: Path) -> None:
    """The work would have to be done anew, which epochs do."""
    task = with_confidence(sums(solver=uses_a_tool()), "consistency,stated")
    log, requests = served(task, tmp_path, far_end())
    facts = confidence_of(log)[1]
    assert "run the eval with epochs instead" in facts["consistency"]["detail"]
    assert (facts["consistency"]["status"], facts["stated"]["status"]) == ("scoring_failed", "ok")
    assert kinds(requests) == {"": 2, "stated": 2}


def test_many_draws_go_out_in_few_calls(tmp_path: Path) -> None:
    """Twenty in a call of OpenAI's, each in the eval's own words and settings."""
    task = sums(config=GenerateConfig(temperature=0.3, seed=7))
    log, requests = served(
        with_confidence(task, "consistency", draws=45), tmp_path, far_end(), limit=1
    )
    # In any order: they go out at once.
    draws_per_call = Counter(request.body.get("n") for request in requests)
    assert draws_per_call == {None: 1, 20: 2, 5: 1}
    assert set(attributes_of(requests, "prompt")) == {"1 + 1?"}
    settings = set(map(itemgetter("temperature", "seed"), attributes_of(requests, "body")))
    assert settings == {(0.3, 7)}
    assert confidence_of(log)[1]["consistency"]["draws"] == 45


class Crowded(ProviderServer):
    """Knows how many requests were there at once."""

    now = highest = 0
    _counting = Lock()

    def respond(self, path: str, raw: bytes) -> tuple[int, str]:
        """Slowly, so that those who come together meet."""
        with self._counting:
            self.now += 1
            self.highest = max(self.highest, self.now)
        sleep(0.3)
        try:
            return super().respond(path, raw)
        finally:
            with self._counting:
                self.now -= 1


def test_draws_and_ways_are_asked_together(tmp_path: Path) -> None:
    """A provider of one reply a call is called so often at once, for all ways."""
    with Crowded(far_end()) as server:
        wrapped = with_confidence(sums(), "stated,alone,consistency", draws=4)
        log = run_task(wrapped, server, tmp_path, ANTHROPIC, limit=1)
    assert log.status == "success", log.error
    assert (server.highest, len(server.requests)) == (6, 7)


@pytest.mark.parametrize("model", ["openai/gpt-4o-mini", ANTHROPIC])
def test_the_cache_keeps_draws_apart(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each draw of each epoch is a reply of its own; a second run makes no call."""
    texts = map(str, count())

    def next_numbers(request: Request) -> Any:
        batch = reply_to_each_choice(request, texts)
        return batch if len(batch) > 1 else batch[0]

    logs = []
    with (
        cached(monkeypatch, tmp_path / "cache"),
        ProviderServer(far_end(own=next_numbers)) as server,
    ):
        for _ in range(2):
            wrapped = with_confidence(sums(), "consistency,stated", draws=3)
            options: dict[str, Any] = {"epochs": 2, "limit": 1, "cache": True}
            logs.append(run_task(wrapped, server, tmp_path, model, **options))
            assert logs[-1].status == "success", logs[-1].error
            if len(logs) == 1:
                calls = len(server.requests)
        assert len(server.requests) == calls
    draws = [_draws(log, epoch) for log, epoch in product(logs, (1, 2))]
    assert draws[:2] == draws[2:]
    assert len({*draws[0], *draws[1]}) == 6


def _draws(log: EvalLog, epoch: int) -> list[str]:
    """The further answers that a sample keeps."""
    store = sample_of(log, "a", epoch).store
    (name,) = texts_with(store, "confidence")
    return column_of(store[name]["consistency"]["replies"], "text")
