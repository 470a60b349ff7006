"""Inspect model provider `respondent`: simulated models that need no key and no network."""

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

from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.respondents.presets import PRESETS
from inspect_confidence.respondents.utterance import Respondent, Utterance, limits

_CHARACTERS_PER_TOKEN = 4


class RespondentAPI(ModelAPI):
    """Model provider that answers with simulated respondents of known parameters.

    The model's name is that of a preset; `-M key=value` changes its parameters. The item, draw and
    form are read from the user message's metadata, not from its wording, so that respondents also
    answer users' own prompts. Questions of other evals are read from the conversation.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **parameters: object,
    ) -> None:
        """Take Inspect's arguments, and parameters of the preset `model_name` (`-M key=value`)."""
        config = config or GenerateConfig()
        super().__init__(model_name, base_url, api_key, api_key_vars=[], config=config)
        self.respondent = respondent(model_name, parameters)

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Answer the last message; its metadata say what is asked (see the class).

        Inspect calls this. Tools are not used; without `logprobs` in `config` the reply has none.

        Raises:
            InvalidArgument: The respondent doesn't know the item or doesn't answer what is asked.
        """
        _rich_traceback_guard = True  # rich prints an error without Inspect's frames
        conversation = "\n\n".join(message.text for message in input)
        request = {**(input[-1].metadata or {}), "conversation": conversation}
        temperature = 1.0 if config.temperature is None else config.temperature
        try:
            reply = self.respondent.answer(str(request.get("form", "")), request, temperature)
        except KeyError as error:
            raise InvalidArgument(
                f"respondent/{self.model_name} does not know {error.args[0]!r}. Ask about an item "
                "of a data set that docs/respondents.md names, or use another model."
            ) from None
        except InvalidArgument as error:
            raise error.with_traceback(None) from None
        if reply is None:
            raise InvalidArgument(
                f"respondent/{self.model_name} doesn't answer what was asked; docs/respondents.md "
                "lists which respondent answers which task of inspect_confidence."
            )
        if not config.logprobs:
            reply = replace(reply, tokens=None)
        return _model_output(self.model_name, reply, sum(len(message.text) for message in input))


def respondent(name: str, parameters: dict[str, object]) -> Respondent:
    """Return the preset with a name, with changed parameters.

    Raises:
        InvalidArgument: The preset or a parameter doesn't exist, or a value is out of range.
    """
    if name not in PRESETS:
        raise InvalidArgument(f"There is no respondent/{name}. {nearest(name, PRESETS)}")
    preset = PRESETS[name]
    names = [field.name for field in fields(preset)]
    for key in parameters:
        if key not in names:
            raise InvalidArgument(f"respondent/{name} has no {key!r}. {nearest(key, names)}")
    for key, (low, high) in limits(preset).items():
        value = parameters.get(key, low)  # a parameter that is not changed passes
        if not isinstance(value, int | float) or not low <= value <= high:
            raise InvalidArgument(
                f"respondent/{name}: {key}={value} is not between {low:g} and {high:g}."
            )
    return replace(preset, **parameters)


def _model_output(model: str, reply: Utterance, characters_read: int) -> ModelOutput:
    """Return Inspect's output for a reply to a conversation of `characters_read` characters."""
    output = ModelOutput.from_content(model, reply.text, "max_tokens" if reply.cut else "stop")
    if reply.tokens is not None:
        logprobs = []
        for token in reply.tokens:
            top = [TopLogprob(token=text, logprob=log) for text, log in token.alternatives.items()]
            logprobs.append(Logprob(token=token.token, logprob=token.logprob, top_logprobs=top))
        output.choices[0].logprobs = Logprobs(content=logprobs)
    # `+ 1`: no call has 0 tokens.
    input_tokens = characters_read // _CHARACTERS_PER_TOKEN + 1
    output_tokens = len(reply.text) // _CHARACTERS_PER_TOKEN + 1
    output.usage = ModelUsage(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        total_tokens=input_tokens + output_tokens,
    )
    return output
