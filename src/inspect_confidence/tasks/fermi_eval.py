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
from inspect_confidence.scorers.intervals import (
    interval,
    repeated_intervals,
    repeated_points,
    token_distribution,
)
from inspect_confidence.solvers.forms import (
    CALIBRATED,
    ask_integer,
    ask_interval,
    ask_point,
    ask_traces,
)
from inspect_confidence.tasks.composition import compose_task, log_facts, read_shared, sample
from inspect_confidence.tasks.viewers import interval_viewer, levels_viewer


@dataclass(frozen=True)
class IntervalMethod:
    """A method to elicit intervals; `solver` takes wording, system message and number of draws."""

    scorer: Callable[[], Scorer]
    solver: Callable[[str, str | None, int], Solver]
    prompt: str
    by_level: bool = False  # whether there is a sample for each level of an item
    draws: int | None = None  # the default; None if the method always has one draw
    calls: int = 1  # per draw
    output_tokens: int = 8
    read_again: int = 0  # characters of a call besides question and wording
    needs_logprobs: bool = False


METHODS: Mapping[str, IntervalMethod] = {
    "direct": IntervalMethod(
        interval,
        lambda prompt, system, draws: ask_interval(prompt, system),
        prompts.INTERVAL,
        by_level=True,
        output_tokens=16,
    ),
    "tunnel": IntervalMethod(
        repeated_intervals,
        ask_interval,
        prompts.INTERVAL,
        by_level=True,
        draws=20,
        output_tokens=16,
    ),
    "sampling": IntervalMethod(repeated_points, ask_point, prompts.POINT, draws=20),
    "logprob": IntervalMethod(
        token_distribution,
        lambda prompt, system, draws: ask_integer(prompt, system),
        prompts.INTEGER,
        output_tokens=2,
        needs_logprobs=True,
    ),
    "traces": IntervalMethod(
        token_distribution,
        lambda prompt, system, draws: ask_traces(prompt, prompts.TRACE_ANSWER, system, draws),
        prompts.TRACE,
        draws=10,
        calls=2,
        output_tokens=150,
        # The second of two calls reads the trace, 300 tokens of 4 characters, and the question.
        read_again=(300 * 4 + len(prompts.TRACE_ANSWER)) // 2,
        needs_logprobs=True,
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
    """Ask for the order of magnitude of answers, with its uncertainty.

    The answer is an exponent of ten. The number of calls depends on the method.

    Args:
        dataset: `scioly` (Science Olympiad, downloaded once), `bundled`, or a csv or jsonl file
            with `question` and `exponent` columns.
        items: Number of items, or a file with one id per line; all by default.
        split: `train` (for fitting adjustments), `test` or `all`.
        levels: Nominal levels in percent.
        method: `direct` (the model states the interval), `tunnel` (repeatedly), `sampling`
            (repeated point answers), `logprob` (token log probabilities of an integer) or
            `traces` (the same after each of several reasoning traces).
        draws: Repetitions per item: 20 for `tunnel` and `sampling`, 10 for `traces`.
        exponents: Range of answers; items with answers outside it are left out.
        seed: Seed of the order of items and of their split.
        prompt: A file that replaces the wording; it has `{question}`, and `{level}` if the
            method asks for an interval.
        system: A file with a system message; none by default.
        **unknown: Refused.
    """
    method = arguments.choice("method", method, list(METHODS))
    elicitation = METHODS[method]
    shared = read_shared(
        fermi_eval, unknown, items, split, seed, prompt, elicitation.prompt, system
    )
    n_draws = _draw_count(method, elicitation, draws)
    percents = _levels(levels)
    wording = shared.template or elicitation.prompt
    answer_range = arguments.integer_range("exponents", exponents)
    selection = load_fermi(dataset, exponents=answer_range, **shared.choice)
    # A sample for each item and level if the prompt names the level, else one for each item.
    conditions: list[dict[str, object]] = [{"levels": percents}]
    if elicitation.by_level:
        conditions = [{"level": level} for level in percents]
    samples = [_sample(item, method, facts) for item in selection.items for facts in conditions]
    # Settings (temperature) that differ between runs, of which calibration selects one.
    calibrated = {"calibrated_settings": CALIBRATED} if method == "sampling" else {}
    return compose_task(
        fermi_eval,
        samples,
        elicitation.solver(wording, shared.system, n_draws),
        elicitation.scorer(),
        interval_viewer if elicitation.by_level else partial(levels_viewer, levels=percents),
        headline="coverage_gap",
        facts=log_facts(
            selection,
            [wording],
            shared.system,
            calls=n_draws * elicitation.calls,
            read_again=elicitation.read_again,
            output_tokens=elicitation.output_tokens,
            prompts=["fermi_eval"],
            further={
                # Draws of one prompt may share a call, but not traces, which have two calls each.
                "draws_per_sample": n_draws if elicitation.calls == 1 else 0,
                "needs_logprobs": elicitation.needs_logprobs,
                **calibrated,
            },
        ),
        config=GenerateConfig(),
    )


def _levels(levels: object) -> list[float]:
    """Return nominal levels in percent; refuse shares."""
    percents = arguments.numbers("levels", levels, above=0, below=100)
    for level in percents:
        if level < 1:
            raise InvalidArgument(
                f"levels={level:g} is below 1%; levels are percentages: 90, not 0.9."
            )
    return percents


def _draw_count(name: str, method: IntervalMethod, draws: int | None) -> int:
    """Return the number of draws per item; refuse several for a method that does not repeat."""
    if draws is None:
        return method.draws or 1
    count = arguments.integer("draws", draws, minimum=1, maximum=arguments.MAX_DRAWS)
    if method.draws is None and count > 1:
        repeating = ", ".join(key for key in METHODS if METHODS[key].draws)
        raise InvalidArgument(f"draws={draws}: method={name} asks once; {repeating} repeat.")
    return count


def _sample(item: FermiItem, method: str, condition: dict[str, object]) -> Sample:
    suffix = f"@{condition['level']:g}" if "level" in condition else ""
    facts = {"method": method, **condition}
    return sample(item, item.question, str(item.exponent), facts, suffix=suffix)
