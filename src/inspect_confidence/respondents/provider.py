"""The Inspect model provider `respondent`: simulated models that need no key and no network."""

from dataclasses import fields, replace

from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    Logprob,
    Logprobs,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    TopLogprob,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from inspect_confidence.answers import TokenChoice
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.respondents.presets import PRESETS
from inspect_confidence.respondents.utterance import Respondent, Utterance, limits

_CHARACTERS_PER_TOKEN = 4


class RespondentAPI(ModelAPI):
    """Answers this project's elicitations from a latent belief with known parameters.

    The model's name is that of a preset; `-M key=value` changes its parameters. Which item, draw
    and form is asked for is read from the user message's metadata, not from its wording, so that
    respondents answer a user's own prompts too; what others' evals ask, from the conversation.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **parameters: object,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        self.respondent = respondent(model_name, parameters)

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Answer the last message."""
        conversation = "\n\n".join(message.text for message in input)
        asked = {**(input[-1].metadata or {}), "conversation": conversation}
        temperature = 1.0 if config.temperature is None else config.temperature
        try:
            said = self.respondent.answer(str(asked.get("form", "")), asked, temperature)
        except KeyError as error:
            raise InvalidArgument(
                f"respondent/{self.model_name} knows only the bundled items and the data sets that "
                f"docs/respondents.md names, not {error}; add -T dataset=bundled."
            ) from None
        if said is None:
            raise InvalidArgument(
                f"respondent/{self.model_name} doesn't answer what was asked; docs/respondents.md "
                "lists which respondent answers which task of inspect_confidence."
            )
        if not config.logprobs:
            said = replace(said, tokens=None)
        return _output(self.model_name, said, sum(len(message.text) for message in input))


def respondent(name: str, parameters: dict[str, object]) -> Respondent:
    """The preset of that name with changed parameters.

    Raises:
        InvalidArgument: There is no such preset or parameter, or a value can't be used.
    """
    if name not in PRESETS:
        raise InvalidArgument(f"There is no respondent/{name}. {nearest(name, PRESETS)}")
    preset = PRESETS[name]
    known = [field.name for field in fields(preset)]
    for key in parameters:
        if key not in known:
            raise InvalidArgument(f"respondent/{name} has no {key!r}. {nearest(key, known)}")
    for key, (least, most) in limits(preset).items():
        value = parameters.get(key, least)
        if not isinstance(value, int | float) or not least <= value <= most:
            raise InvalidArgument(
                f"respondent/{name}: {key}={value} is not between {least:g} and {most:g}."
            )
    return replace(preset, **parameters)


def _logprob(place: TokenChoice) -> Logprob:
    """A token with its alternatives, as a provider gives it."""
    top = [TopLogprob(token=token, logprob=log) for token, log in place.alternatives.items()]
    return Logprob(token=place.token, logprob=place.logprob, top_logprobs=top)


def _output(model: str, said: Utterance, characters_read: int) -> ModelOutput:
    output = ModelOutput.from_content(model, said.text, "max_tokens" if said.cut else "stop")
    if said.tokens is not None:
        output.choices[0].logprobs = Logprobs(content=list(map(_logprob, said.tokens)))
    read, written = (n // _CHARACTERS_PER_TOKEN + 1 for n in (characters_read, len(said.text)))
    output.usage = ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written)
    return output
