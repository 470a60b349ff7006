"""Which form stands for each hedge marker: by rules, or by a model."""

import asyncio
import json

import json_repair
from rich.text import Text

from inspect_confidence.arguments import choice
from inspect_confidence.datasets.marker_prompts import study_standards
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judges.markers import standard_marker
from inspect_confidence.judges.wording import STUDY, WORDINGS
from inspect_confidence.judgments.read import Source, judgments_of
from inspect_confidence.prompts.judge import STANDARDS


def canonical_forms(
    source: Source, *, model: str | None = None, prompts: str = "ours"
) -> dict[str, str]:
    """The form that stands for each marker in the judgments.

    Args:
        source: Judgments of `hedge_markers`, or paths.
        model: A model that groups them, in one call; else rules do.
        prompts: `ours` or `study`: whose wording the model reads.

    Returns:
        Every marker with its form. Markers that a model leaves out are grouped by rules.

    Raises:
        InvalidArgument: There are no judgments of hedge markers, the model can't be had or its
            reply is no object, or rules are to read the study's prompt.
        DataUnavailable: The study's prompt could not be downloaded.
    """
    study = choice("prompts", prompts, WORDINGS) == STUDY
    template = study_standards() if study else STANDARDS
    if study and model is None:
        raise InvalidArgument("prompts=study without a model: rules read no prompt; name a model.")
    frames = judgments_of(source)
    if "hedge_markers" not in frames:
        raise InvalidArgument("There are no judgments of hedge_markers to take markers from.")
    found = sorted(set(frames["hedge_markers"]["marker"]) - {"", "<no_hedge>"})
    forms = {marker: standard_marker(marker) for marker in found}
    return {**forms, **(_asked(found, model, template) if model and found else {})}


def _asked(markers: list[str], model: str, template: str) -> dict[str, str]:
    # Inspect takes seconds to import, and rules need none of it.
    from inspect_ai.model import GenerateConfig, get_model  # noqa: PLC0415

    prompt = template.format(markers=json.dumps(markers, ensure_ascii=False, indent=1))

    async def ask() -> str:
        return (await grouping.generate(prompt, config=GenerateConfig(temperature=0))).completion

    try:
        grouping = get_model(model)
    except Exception as error:  # of a name, a key or a package: by each provider another
        said = " ".join(Text.from_markup(str(error)).plain.split())
        raise InvalidArgument(
            f"--model {model} can't be used ({said}); name it as Inspect "
            "does, as openai/gpt-4o-mini, with the provider's key in the environment."
        ) from error
    reply = asyncio.run(ask())
    parsed = json_repair.loads(reply)
    if not isinstance(parsed, dict):
        raise InvalidArgument(f"{model} gave no JSON object of markers: {reply[:80]!r}")
    known = set(markers)
    # What is no text is grouped by rules, as what is left out is.
    return {
        str(marker): form.strip()
        for marker, form in parsed.items()
        if marker in known and isinstance(form, str) and form.strip()
    }
