"""Models in roles as judges: `grader`, and `extractor` for markers if a run names one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import click
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    ResponseSchema,
    get_model,
    model_roles,
)
from inspect_ai.util import LimitExceededError, collect

from inspect_confidence.answers import ParseFailure, reply_failure
from inspect_confidence.answers.judged import (
    Agreement,
    Markers,
    Verdict,
    read_agreement,
    read_agreements,
    read_decisiveness,
    read_grade_letter,
    read_markers,
    read_verdict,
)
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judges.judgment import SentenceJudgment
from inspect_confidence.judges.refusals import JudgeRefused, unless_refused
from inspect_confidence.judges.schema import request_in_schema
from inspect_confidence.judges.wording import JudgeWording
from inspect_confidence.redaction import failure
from inspect_confidence.replies import require_reply, stop_of

ROLE = "grader"
EXTRACTOR = "extractor"
"""Role of the model that lists markers; a run without it asks the grader for them."""
STOP_AT_ANSWER = "Answer:"
"""Text at which the study's extractor stops."""


def require_grader(setting: str = "judge=model", alternative: str = "judge=rules") -> None:
    """Raise an error in a run without a grader, in which the model would judge itself.

    The message names the `setting` that needs a grader and an `alternative` that needs none.

    Raises:
        InvalidArgument: No model has the role `grader`.
    """
    if ROLE not in model_roles():
        raise _missing_grader_error(setting, alternative)


def expect_grader(setting: str = "judge=model", alternative: str = "judge=rules") -> None:
    """Raise an error before a run if Inspect's command names no model in any role.

    Inside a run, where `require_grader` knows the roles, the error would have a traceback. The
    message names the `setting` that needs a grader and an `alternative` that needs none.

    Raises:
        InvalidArgument: The command has no model role.
    """
    if is_without_roles():
        raise _missing_grader_error(setting, alternative)


def expect_model() -> None:
    """Raise an error before a run if Inspect's command names no model.

    Inspect then runs with the model `none/none`, which answers nothing.

    Raises:
        InvalidArgument: The command has no `--model`.
    """
    parameters = _run_parameters()
    if "model" in parameters and not (parameters["model"] or parameters.get("run_config")):
        raise InvalidArgument("no model is named; add --model NAME, such as openai/gpt-4o-mini.")


def is_without_roles() -> bool:
    """Return whether a command of Inspect runs and names no model in any role."""
    parameters = _run_parameters()
    if not parameters:
        return False
    # A configuration file of the run (`run_config`) may name roles.
    return not (parameters["model_role"] or parameters.get("run_config") or model_roles())


def _run_parameters() -> dict[str, Any]:
    """Return the options of Inspect's command that runs an eval; empty without one, as in Python.

    An option may come from its variable of the environment, such as `INSPECT_EVAL_MODEL`.
    """
    command = click.get_current_context(silent=True)
    parameters = command.params if command else {}
    return parameters if "model_role" in parameters else {}


def extractor() -> Model | None:
    """Return the model in the role `extractor`, or None in a run that names none."""
    return get_model(role=EXTRACTOR) if EXTRACTOR in model_roles() else None


def _missing_grader_error(setting: str, alternative: str) -> InvalidArgument:
    """Return the error that a setting needs a grader, with an alternative that needs none."""
    return InvalidArgument(
        f"{setting} needs a model in the role grader: add --model-role grader=NAME, or use "
        f"{alternative}, which needs none."
    )


@dataclass(frozen=True)
class ModelJudge:
    """Judge that asks the model in the role `grader`, at temperature 0.

    A model in the role `extractor` lists the markers instead, in a call of its own for each
    sentence.

    Attributes:
        wording: Prompts of the judge.
        batch: Whether one call contains all questions about a sentence.
        scorer: Scorer that repeats the judge's requests by `inspect score`.
    """

    wording: JudgeWording
    batch: bool = False
    scorer: str = "hedged"

    async def sentence(
        self, question: str, sentence: str, replies: Sequence[str]
    ) -> SentenceJudgment:
        """Judge a sentence in one call if `batch` is set, else in two calls and one for each reply.

        Values that can't be read from the reply to a batch are requested again once, each in its
        own call. Calls run concurrently. A model in the role `extractor` is asked for the markers
        of a batch in place of the judge.
        """
        if not self.batch or extractor() is None:
            return await self._judge_sentence(question, sentence, replies)
        facts = {"question": question, "sentence": sentence}
        outcomes = await collect(
            self._judge_sentence(question, sentence, replies), self._request_value("markers", facts)
        )
        sentence_judgment = cast(SentenceJudgment, outcomes[0])
        return replace(sentence_judgment, markers=cast(Markers | ParseFailure, outcomes[1]))

    async def _judge_sentence(
        self, question: str, sentence: str, replies: Sequence[str]
    ) -> SentenceJudgment:
        """Judge a sentence; in a batch with an `extractor` model, its markers stay empty.

        In a batch one call asks for all values, and those that can't be read are requested again in
        single calls. If the call itself fails, all values are its failure, as single calls would
        fail, too.
        """
        facts = {"question": question, "sentence": sentence}
        # A request (form and facts) for each value of the judgment, and the values in the same
        # order; None if no call has asked for a value.
        requests = [("markers", facts), ("decisiveness", facts)]
        requests += [("consistency", {**facts, "reply": reply}) for reply in replies]
        values: list[Any] = [None] * len(requests)
        if self.batch:
            text = await self._request("sentence", {**facts, "each": list(replies)})
            if isinstance(text, ParseFailure):
                return SentenceJudgment(text, text, [text] * len(replies))
            agreements = read_agreements(text, len(replies))
            markers = () if extractor() else self._read_markers(text, sentence)
            values = [markers, read_decisiveness(text), *agreements]
        missing = [k for k, value in enumerate(values) if isinstance(value, ParseFailure | None)]
        answers = await collect(*(self._request_value(*requests[k]) for k in missing))
        for k, answer in zip(missing, answers, strict=True):
            values[k] = answer
        repeated = len(missing) if self.batch else 0
        return SentenceJudgment(values[0], values[1], agreement=values[2:], asked_again=repeated)

    async def verdict(
        self, question: str, answers: Sequence[str], reply: str
    ) -> Verdict | ParseFailure:
        """Judge in one call whether a reply is right: `correct`, `incorrect` or `punt`.

        Some wordings ask for these as letters. A failed call or an unreadable reply is a failure.
        """
        facts = {"question": question, "reply": reply, "accepted": list(answers)}
        text = await self._request("correctness", facts)
        if isinstance(text, ParseFailure):
            return text
        return read_grade_letter(text) if self.wording.by_letter else read_verdict(text)

    async def agreement(self, question: str, sentence: str, reply: str) -> Agreement | ParseFailure:
        """Judge in one call whether a reply says the same as a sentence; return any failure."""
        text = await self._request(
            "consistency", {"question": question, "sentence": sentence, "reply": reply}
        )
        return text if isinstance(text, ParseFailure) else read_agreement(text)

    async def _request_value(self, form: str, facts: Mapping[str, object]) -> object:
        """Request the value of one form, such as `markers`, in its own call; return any failure."""
        text = await self._request(form, facts)
        if isinstance(text, ParseFailure):
            return text
        if form == "markers":
            return self._read_markers(text, str(facts["sentence"]))
        is_number = form == "decisiveness"
        return read_decisiveness(text) if is_number else read_agreement(text)

    def _read_markers(self, text: str, sentence: str) -> Markers | ParseFailure:
        """Read the markers of a sentence from a judge's reply."""
        return read_markers(text, sentence, generalised=self.wording.is_study)

    async def _request(self, form: str, facts: Mapping[str, object]) -> str | ParseFailure:
        """Return the judge's reply to a prompt, or a failure `grader_failed`.

        The markers are requested from the model in the role `extractor`, if there is one; by the
        study's prompts their list ends at `STOP_AT_ANSWER`.

        `facts` are the texts that fill the prompt of the form. The message depends on nothing else,
        so that with `--cache` texts that were judged before, for any item, are not judged again.

        Raises:
            LimitExceededError: A limit of the run was exceeded.
        """
        judge = (extractor() if form == "markers" else None) or get_model(role=ROLE)
        stops = [STOP_AT_ANSWER] if form == "markers" and self.wording.is_study else None
        text, system = self.wording.fill(form, facts), self.wording.systems.get(form)
        messages: list[ChatMessage] = [ChatMessageSystem(content=system)] if system else []
        messages.append(ChatMessageUser(content=text, metadata={**facts, "form": f"judge_{form}"}))
        # `request` sends the messages with a schema of the reply, or without if that is refused.
        send = partial(_send, judge, messages, stops)
        request = partial(request_in_schema, form, self.wording.templates[form], send)
        rescore = f"{self.scorer} --action overwrite"  # how to score again, for the message
        try:
            output = await unless_refused(judge, request, rescore)
        except LimitExceededError:
            raise
        except JudgeRefused as error:
            return ParseFailure("grader_failed", f"{form}: {error}")
        except Exception as error:  # each provider has its own; the reply can be judged later
            return ParseFailure("grader_failed", f"{form}: {failure(error, text)}")
        if unreadable := reply_failure(output.completion, stop_of(output.choices[0])):
            return ParseFailure("grader_failed", f"{form}: {unreadable.reason}")
        return output.completion


async def _send(
    judge: Model,
    messages: list[ChatMessage],
    stops: list[str] | None,
    schema: ResponseSchema | None,
) -> ModelOutput:
    """Return a judge's reply at temperature 0, which ends at `stops` and has the form `schema`."""
    config = GenerateConfig(temperature=0, response_schema=schema, stop_seqs=stops)
    return require_reply(await judge.generate(messages, config=config))
