"""Canonical forms of hedge markers, found by rules or by a model."""

import asyncio
import json

import json_repair
from rich.text import Text

from inspect_confidence.arguments import choice
from inspect_confidence.datasets.marker_prompts import study_standards
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judges.markers import standard_marker
from inspect_confidence.judges.wording import STUDY, WORDINGS
from inspect_confidence.judgments.read import JudgmentSource, judgments_of
from inspect_confidence.prompts.judge import STANDARDS


def canonical_forms(
    source: JudgmentSource, *, model: str | None = None, prompts: str = "ours"
) -> dict[str, str]:
    """Return the canonical form of each marker (such as "probably") in the judgments.

    Args:
        source: Judgments of `hedge_markers`, or paths.
        model: Model that groups the markers in one call; by default rules group them.
        prompts: Wording of the model's prompt: `ours` (this package's) or `study` (the published
            one).

    Returns:
        The form of every marker. Markers that a model leaves out are grouped by rules.

    Raises:
        InvalidArgument: There are no judgments of hedge markers, the model is unavailable, its
            reply is not an object, or `prompts=study` is combined with rules.
        DataUnavailable: The study's prompt could not be downloaded.
    """
    study = choice("prompts", prompts, WORDINGS) == STUDY
    template = study_standards() if study else STANDARDS  # of the prompt that asks for forms
    if study and model is None:
        raise InvalidArgument(
            "prompts=study needs a model, since rules read no prompt; name one by --model."
        )
    frames = judgments_of(source)
    if "hedge_markers" not in frames:
        raise InvalidArgument(
            "There are no judgments of hedge_markers; name logs or files that have some."
        )
    # Neither text is a marker: they stand for failed judgments and for sentences without one.
    markers = sorted(set(frames["hedge_markers"]["marker"]) - {"", "<no_hedge>"})
    forms = {marker: standard_marker(marker) for marker in markers}
    if model and markers:
        forms |= _ask_for_forms(markers, model, template)
    return forms


def _ask_for_forms(markers: list[str], model: str, template: str) -> dict[str, str]:
    """Ask a model to group markers; return the canonical form of each that its reply groups.

    The reply is a JSON object such as `{"prob.": "probably"}`; `template` is the prompt. A model
    that is unavailable, and a reply of another form, are refused.
    """
    # Inspect takes seconds to import, and rules need none of it.
    from inspect_ai.model import GenerateConfig, get_model  # noqa: PLC0415

    try:
        grouping_model = get_model(model)
    except Exception as error:  # providers raise different errors for a name, a key or a package
        message = " ".join(Text.from_markup(str(error)).plain.split())
        raise InvalidArgument(
            f"--model {model} can't be used ({message}); name it as Inspect "
            "does, as openai/gpt-4o-mini, with the provider's key in the environment."
        ) from error
    prompt = template.format(markers=json.dumps(markers, ensure_ascii=False, indent=1))
    request = grouping_model.generate(prompt, config=GenerateConfig(temperature=0))
    reply = asyncio.run(request).completion
    parsed = json_repair.loads(reply)
    if not isinstance(parsed, dict):
        raise InvalidArgument(
            f"The reply of {model} is not a JSON object of markers ({reply[:80]!r}); try again, or "
            "leave out --model."
        )
    requested = set(markers)
    forms = {}
    for marker, form in parsed.items():
        # Values that are not text are grouped by rules, like markers that are left out.
        if marker in requested and isinstance(form, str) and form.strip():
            forms[str(marker)] = form.strip()
    return forms
