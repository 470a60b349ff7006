"""A model for a judge: one call a question about a sentence, or one a sentence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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

from inspect_confidence.answers import Unreadable, judged
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judges.judgment import SentenceJudgment
from inspect_confidence.judges.schema import in_form
from inspect_confidence.judges.wording import JudgeWording

ROLE = "grader"


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
        self, question: str, sentence: str, replies: Sequence[str], where: Mapping[str, object]
    ) -> SentenceJudgment:
        """In 2 calls and one a reply, all at once; in one if `batch` is set."""
        about = {**where, "question": question, "sentence": sentence}
        if self.batch:
            return await self._at_once(about, replies)
        said, decided, *agreed = await collect(
            self._ask("markers", about),
            self._ask("decisiveness", about),
            *(self._ask("consistency", {**about, "reply": reply}) for reply in replies),
        )
        return SentenceJudgment(
            self._markers(said, sentence),
            decided if isinstance(decided, Unreadable) else judged.read_decisiveness(decided),
            [one if isinstance(one, Unreadable) else judged.read_agreement(one) for one in agreed],
        )

    async def _at_once(
        self, about: Mapping[str, object], replies: Sequence[str]
    ) -> SentenceJudgment:
        said = await self._ask("sentence", {**about, "each": list(replies)})
        if isinstance(said, Unreadable):
            return SentenceJudgment(said, said, [said] * len(replies))
        return SentenceJudgment(
            self._markers(said, str(about["sentence"])),
            judged.read_decisiveness(said),
            judged.read_agreements(said, len(replies)),
        )

    async def verdict(
        self, question: str, answers: Sequence[str], reply: str, where: Mapping[str, object]
    ) -> judged.Verdict | Unreadable:
        """In one call."""
        about = {"question": question, "reply": reply, "accepted": list(answers)}
        said = await self._ask("correctness", {**where, **about})
        return said if isinstance(said, Unreadable) else judged.read_verdict(said)

    def _markers(self, said: str | Unreadable, sentence: str) -> judged.Markers | Unreadable:
        if isinstance(said, Unreadable):
            return said
        return judged.read_markers(said, sentence, generalised=self.wording.is_study)

    async def _ask(self, form: str, about: Mapping[str, object]) -> str | Unreadable:
        """The judge's reply to a prompt; every failure of it is the instrument's."""
        text, system = self.wording.fill(form, about), self.wording.systems.get(form)
        asks = ChatMessageUser(content=text, metadata={**about, "form": f"judge_{form}"})
        messages: list[ChatMessage] = [
            *([ChatMessageSystem(content=system)] if system else []),
            asks,
        ]

        async def asked(schema: ResponseSchema | None) -> ModelOutput:
            config = GenerateConfig(temperature=0, response_schema=schema)
            return await get_model(role=ROLE).generate(messages, config=config)

        try:
            output = await in_form(form, self.wording.templates[form], asked)
        except LimitExceededError:
            raise
        except Exception as error:  # each provider has its own; the reply stays to be judged again
            return Unreadable("grader_failed", f"{form}: {error!r:.200}")
        return output.completion
