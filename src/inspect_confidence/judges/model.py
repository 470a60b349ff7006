"""A model for a judge: one call a question about a sentence, or one a sentence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    ResponseSchema,
    get_model,
    model_roles,
)
from inspect_ai.util import LimitExceededError, collect

from inspect_confidence.answers import ParseFailure, judged, reply_failure
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judges.judgment import SentenceJudgment
from inspect_confidence.judges.refusals import JudgeRefused, unless_refused
from inspect_confidence.judges.schema import in_form
from inspect_confidence.judges.wording import JudgeWording
from inspect_confidence.redaction import failure
from inspect_confidence.replies import require_reply, stop_of

ROLE = "grader"
_AGAIN = "hedged --action overwrite"
"""How `inspect score` asks it again."""


def require_grader(asked: str = "judge=model", instead: str = "judge=rules") -> None:
    """Refuse to go on without a model in the role: the model under test would judge itself."""
    if ROLE not in model_roles():
        raise _no_grader(asked, instead)


def expect_grader(asked: str = "judge=model", instead: str = "judge=rules") -> None:
    """Refuse a command of Inspect's that names no model in any role, before the run begins.

    Roles are known in a run only, where an error has a traceback; a command has said them before.
    """
    command = click.get_current_context(silent=True)
    said = command.params if command else {}
    if "model_role" in said and not (said["model_role"] or said.get("run_config") or model_roles()):
        raise _no_grader(asked, instead)


def _no_grader(asked: str, instead: str) -> InvalidArgument:
    return InvalidArgument(
        f"{asked} needs a model in the role grader: add --model-role grader=NAME, or use "
        f"{instead}, which needs none."
    )


@dataclass(frozen=True)
class ModelJudge:
    """Asks the model in the role `grader`, at temperature 0.

    Attributes:
        wording: Its prompts.
        batch: Whether all about a sentence goes in one call.
    """

    wording: JudgeWording
    batch: bool = False

    async def sentence(
        self, question: str, sentence: str, replies: Sequence[str]
    ) -> SentenceJudgment:
        """In 2 calls and one a reply, all at once; in one if `batch` is set.

        What can't be read of the reply to that one is asked for again alone, once.
        """
        about = {"question": question, "sentence": sentence}
        asks = [
            ("markers", about),
            ("decisiveness", about),
            *(("consistency", {**about, "reply": reply}) for reply in replies),
        ]
        said = None
        if self.batch:
            said = await self._ask("sentence", {**about, "each": list(replies)})
        if isinstance(said, ParseFailure):  # there was no reply, and each ask alone would have none
            return SentenceJudgment(said, said, [said] * len(replies))
        found: list[Any] = [None] * len(asks)
        if said is not None:
            agreed = judged.read_agreements(said, len(replies))
            found = [self._markers(said, sentence), judged.read_decisiveness(said), *agreed]
        left = [k for k, one in enumerate(found) if one is None or isinstance(one, ParseFailure)]
        alone = await collect(*(self._alone(*asks[k]) for k in left))
        for k, one in zip(left, alone, strict=True):
            found[k] = one
        return SentenceJudgment(found[0], found[1], found[2:], len(left) if self.batch else 0)

    async def verdict(
        self, question: str, answers: Sequence[str], reply: str
    ) -> judged.Verdict | ParseFailure:
        """In one call."""
        about = {"question": question, "reply": reply, "accepted": list(answers)}
        said = await self._ask("correctness", about)
        return said if isinstance(said, ParseFailure) else judged.read_verdict(said)

    async def _alone(self, form: str, about: Mapping[str, object]) -> object:
        """One judgment by a prompt of its own."""
        said = await self._ask(form, about)
        if isinstance(said, ParseFailure):
            return said
        if form == "markers":
            return self._markers(said, str(about["sentence"]))
        is_number = form == "decisiveness"
        return judged.read_decisiveness(said) if is_number else judged.read_agreement(said)

    def _markers(self, said: str, sentence: str) -> judged.Markers | ParseFailure:
        return judged.read_markers(said, sentence, generalised=self.wording.is_study)

    async def _ask(self, form: str, about: Mapping[str, object]) -> str | ParseFailure:
        """The judge's reply to a prompt; every failure of it is the instrument's.

        The message says what is judged and no more: with `--cache` what was judged before, of this
        item or another, isn't asked again.
        """
        text, system = self.wording.fill(form, about), self.wording.systems.get(form)
        asks = ChatMessageUser(content=text, metadata={**about, "form": f"judge_{form}"})
        messages: list[ChatMessage] = [
            *([ChatMessageSystem(content=system)] if system else []),
            asks,
        ]

        async def asked(schema: ResponseSchema | None) -> ModelOutput:
            config = GenerateConfig(temperature=0, response_schema=schema)
            return require_reply(await get_model(role=ROLE).generate(messages, config=config))

        template = self.wording.templates[form]
        try:
            output = await unless_refused(
                get_model(role=ROLE), lambda: in_form(form, template, asked), _AGAIN
            )
        except LimitExceededError:
            raise
        except JudgeRefused as error:
            return ParseFailure("grader_failed", f"{form}: {error}")
        except Exception as error:  # each provider has its own; the reply stays to be judged again
            return ParseFailure("grader_failed", f"{form}: {failure(error, text)}")
        if unreadable := reply_failure(output.completion, stop_of(output.choices[0])):
            return ParseFailure("grader_failed", f"{form}: {unreadable.reason}")
        return output.completion
