"""FermiEval: intervals at nominal levels around order-of-magnitude answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver

from inspect_confidence import arguments
from inspect_confidence.datasets.fermi import FermiItem, load_fermi
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.prompts import fermi_eval as prompts
from inspect_confidence.scorers.interval import interval
from inspect_confidence.scorers.repeated import repeated_intervals, repeated_points
from inspect_confidence.scorers.tokens import token_distribution
from inspect_confidence.solvers.integer import ask_integer, ask_traces
from inspect_confidence.solvers.interval import ask_interval
from inspect_confidence.solvers.point import CALIBRATED, ask_point
from inspect_confidence.tasks.composition import composed, sample
from inspect_confidence.tasks.facts import log_facts, own_prompt, system_message, which
from inspect_confidence.tasks.viewers import interval_viewer, levels_viewer
from inspect_confidence.versions import TASK_VERSIONS


@dataclass(frozen=True)
class Method:
    """A way to elicit intervals; its solver is made of wording, system message and draws."""

    scorer: Callable[[], Scorer]
    solver: Callable[[str, str | None, int], Solver]
    prompt: str
    by_level: bool = False  # a sample is an item and level, or an item
    draws: int | None = None  # by default; None where there is always one
    calls: int = 1  # a draw
    output_tokens: int = 8
    read_again: int = 0  # characters of a call beside question and wording


METHODS: Mapping[str, Method] = {
    "direct": Method(
        interval,
        lambda prompt, system, draws: ask_interval(prompt, system),
        prompts.INTERVAL,
        by_level=True,
        output_tokens=16,
    ),
    "tunnel": Method(
        repeated_intervals,
        ask_interval,
        prompts.INTERVAL,
        by_level=True,
        draws=20,
        output_tokens=16,
    ),
    "sampling": Method(repeated_points, ask_point, prompts.POINT, draws=20),
    "logprob": Method(
        token_distribution,
        lambda prompt, system, draws: ask_integer(prompt, system),
        prompts.INTEGER,
        output_tokens=2,
    ),
    "traces": Method(
        token_distribution,
        lambda prompt, system, draws: ask_traces(prompt, prompts.TRACE_ANSWER, system, draws),
        prompts.TRACE,
        draws=10,
        calls=2,
        output_tokens=150,
        # The second call of two reads the trace, of 300 tokens at 4 characters, and what follows.
        read_again=(300 * 4 + len(prompts.TRACE_ANSWER)) // 2,
    ),
}


@task
def fermi_eval(
    dataset: str = "scioly",
    items: str | int | None = None,
    split: str = "all",
    levels: str | list[float] = "80,90,95,99",
    method: str = "direct",
    draws: int | None = None,
    exponents: str = "-50..50",
    seed: int = 0,
    prompt: str | None = None,
    system: str | None = None,
    **unknown: object,
) -> Task:
    """Ask for the order of magnitude of answers with its uncertainty; docs say how many calls.

    Args:
        dataset: `scioly` (Science Olympiad, downloaded once), `bundled`, or a csv or jsonl file
            with `question` and `exponent` columns.
        items: How many items, or a file with one id a line; all by default.
        split: `train` (which adjustments learn from), `test` or `all`.
        levels: Nominal levels in percent.
        method: `direct` (the model states the interval), `tunnel` (repeatedly), `sampling`
            (repeated point answers), `logprob` (token log probabilities of an integer) or
            `traces` (the same after each of several reasoning traces).
        draws: Repetitions an item: 20 for `tunnel` and `sampling`, 10 for `traces`.
        exponents: Items whose answer lies outside this range are left out.
        seed: Of the order of items and of their split.
        prompt: A file that replaces the wording; holds `{question}`, and `{level}` where the
            method asks for an interval.
        system: A file with a system message; none by default.
        **unknown: Refused.
    """
    arguments.refuse_unknown(unknown, arguments.argument_names(fermi_eval))
    chosen = METHODS[arguments.choice("method", method, list(METHODS))]
    times = _draws(method, chosen, draws)
    percents = _levels(levels)
    wording = own_prompt(prompt, chosen.prompt) or chosen.prompt
    context = system_message(system)
    selection = load_fermi(
        dataset,
        exponents=arguments.integer_range("exponents", exponents),
        **which(items, split, seed),
    )
    asked: list[dict[str, object]] = (
        [{"level": level} for level in percents] if chosen.by_level else [{"levels": percents}]
    )
    return composed(
        selection,
        [_sample(item, method, one) for item in selection.items for one in asked],
        chosen.solver(wording, context, times),
        chosen.scorer(),
        interval_viewer if chosen.by_level else partial(levels_viewer, levels=percents),
        headline="coverage_gap",
        version=TASK_VERSIONS["fermi_eval"],
        facts={
            **log_facts(
                selection,
                [wording],
                context,
                calls=times * chosen.calls,
                read_again=chosen.read_again,
                output_tokens=chosen.output_tokens,
                prompts=["fermi_eval"],
            ),
            "draws_per_sample": times if chosen.calls == 1 else 0,  # traces go on each by itself
            **({"calibrated_settings": CALIBRATED} if method == "sampling" else {}),
        },
        config=GenerateConfig(),
    )


def _levels(given: object) -> list[float]:
    """Nominal levels, of which a share is none."""
    percents = arguments.numbers("levels", given, above=0, below=100)
    if shares := [one for one in percents if one < 1]:
        raise InvalidArgument(
            f"levels={shares[0]:g} is below 1%; levels are percentages: 90, not 0.9."
        )
    return percents


def _draws(name: str, method: Method, draws: int | None) -> int:
    """How many draws an item takes; only methods that repeat take a number."""
    if draws is None:
        return method.draws or 1
    count = arguments.integer("draws", draws, minimum=1)
    if method.draws is None and count > 1:
        repeating = ", ".join(other for other in METHODS if METHODS[other].draws)
        raise InvalidArgument(f"draws={draws}: method={name} asks once; {repeating} repeat.")
    return count


def _sample(item: FermiItem, method: str, asked: dict[str, object]) -> Sample:
    suffix = f"@{asked['level']:g}" if "level" in asked else ""
    facts = {"method": method, **asked}
    return sample(item, item.question, str(item.exponent), facts, suffix=suffix)
