"""What eliciting costs beside Inspect's own generate task, and what judging costs in tokens."""

import json
from collections.abc import Callable, Mapping, Sequence
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import anyio
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog, recompute_metrics
from inspect_ai.model import GenerateConfig, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import generate

from inspect_confidence import _registry
from inspect_confidence.prompts.judge import TEMPLATES
from inspect_confidence.scales import ALL
from inspect_confidence.scorers.hedged import hedged
from inspect_confidence.tasks.hedge_markers import hedge_markers
from inspect_confidence.tasks.scale_variants import scale_variants
from measure import aligned, best, timing

SAMPLES, RUNS = 400, 3
JUDGED, ANSWERS = 30, ("Fyn", "Ely", "Lund", "Oslo")
HEDGES = ("probably", "perhaps", "possibly", "presumably", "certainly", "maybe")

Say = Callable[[Random], str]

REPLIES: Mapping[str, tuple[dict[str, Any], Say]] = {
    "fermi_eval": (
        {"dataset": "bundled"},
        lambda rng: f"[{rng.randint(-3, 3)}, {rng.randint(4, 9)}]",
    ),
    "scale_variants": (
        {"dataset": "bundled", "items": 30},
        lambda rng: f"Answer: {rng.choice('ABCD')}\nConfidence: {rng.randint(0, 100)}",
    ),
    "wep_elicitation": ({}, lambda rng: f"{rng.random():.2f}"),
    "wep_choice": ({"items": 40}, lambda rng: f"{rng.choice('ABC')}."),
    "life_eval": (
        {},
        lambda rng: f'{{"Answer": {rng.randint(60, 95)}, "Confidence": {rng.random():.2f}}}',
    ),
    "question_sets": (
        {"dataset": "bundled"},
        lambda rng: json.dumps(
            {"Reasoning": f"By {rng.random()}.", "Answer": "A"}
            | {letter: round(rng.random(), 2) for letter in "ABCD"}
        ),
    ),
    "judge_check": (
        {"parts": "pairs,answers", "batch_judgments": False},
        lambda rng: json.dumps({"verdict": "correct", "agreement": rng.choice(["yes", "no"])}),
    ),
}
"""Tasks with one call a sample, their arguments, and what an instant model says."""

TITLE = f"""\
A sample of a task with one call a sample, beside one of Inspect's `generate` with `match`
  {SAMPLES} samples, the same prompts and replies on both sides, from a model that answers at once
  bare: samples of an input and a target; same: those of the task, with their choices and metadata
  Milliseconds of processor time a sample, medians of {RUNS} runs by turns; ratios of ours to each
  are the medians of theirs. What a run takes once, to find the task's package, isn't in it.
  metrics: milliseconds of all of a log's metrics once: at the end of a run, and where Inspect shows
  them as it runs, which it doesn't here, once a second or less often."""

JUDGE_TITLE = f"""\
Tokens of a judge (respondent/judge, 4 characters each) of {JUDGED} hedged answers against 20 draws
  Draws are one of {len(ANSWERS)} answers in one of {len(HEDGES)} hedges. The log's numbers are the
  same in each row.
  text: a call each for markers, decisiveness, and every different draw
  claim: the same, draws that differ in their marker alone being judged once
  batch: claim, with all about a sentence in one call (the default)"""


CONNECTIONS, DELAY, ASKED = 20, 0.5, 200

CONNECTIONS_TITLE = f"""\
How busy a run keeps {CONNECTIONS} connections to a model that answers after {DELAY} s
  ideal: the calls of the model with the most calls, {CONNECTIONS} at a time without a pause
  A judge has {CONNECTIONS} connections of its own; `from s` is when its first call begins.
  Seconds of the clock on the wall; the first row is Inspect's `generate` with `match`.
  Target: 1.2 times the ideal."""


def run() -> str:
    """The three tables of this part."""
    head = ["task", "ours ms", "bare ms", "ratio", "same ms", "ratio", "metrics ms"]
    first = aligned(head, [_row(name) for name in REPLIES])
    return "\n\n".join(
        [TITLE, first, CONNECTIONS_TITLE, _connections_table(), JUDGE_TITLE, _judge_table()]
    )


def _row(name: str) -> list[str]:
    arguments, say = REPLIES[name]
    task: Task = getattr(_registry, name)(**arguments)
    samples = list(task.dataset)
    copies = [
        samples[k % len(samples)].model_copy(update={"id": f"s{k}"}, deep=True)
        for k in range(SAMPLES)
    ]
    prompts: list[str] = []
    _run(_with_samples(task, copies), say, prompts)
    inputs: list[dict[str, Any]] = [
        {"input": text, "target": "A", "id": f"s{k}"} for k, text in enumerate(prompts)
    ]
    bare = [Sample(**fields) for fields in inputs]
    filled = [
        sample.model_copy(update=update) for sample, update in zip(copies, inputs, strict=True)
    ]
    seconds_of_runs = []
    for _ in range(RUNS):
        variants = (_with_samples(task, copies), _generate(bare), _generate(filled))
        seconds_of_runs.append([_run(variant, say) for variant in variants])
    cells = [name]
    for k in range(3):
        times = [run_seconds[k] for run_seconds in seconds_of_runs]
        cells.append(f"{1000 * median(times) / SAMPLES:.1f}")
        if k:
            ratios = [run_seconds[0] / run_seconds[k] for run_seconds in seconds_of_runs]
            cells.append(f"{median(ratios):.2f}x")
    return [*cells, f"{_metrics(task, copies, say):.0f}"]


def _generate(samples: list[Sample]) -> Task:
    return Task(
        dataset=MemoryDataset(samples),
        solver=generate(),
        scorer=match(),
        config=GenerateConfig(temperature=0),
    )


def _metrics(task: Task, samples: Sequence[Sample], say: Say) -> float:
    """Milliseconds that all metrics of the samples' scores take."""
    log = _evaluated(_with_samples(task, samples), _instant(say, Random(0)), keep=True)
    return 1000 * best(lambda: recompute_metrics(log), 5).cpu


def _with_samples(task: Task, samples: Sequence[Sample]) -> Task:
    """The task with these samples, as a task of no package."""
    return Task(
        dataset=MemoryDataset(list(samples)),
        solver=task.solver,
        scorer=task.scorer,
        config=task.config,
        metadata=task.metadata,
        headline_metric=task.headline_metric,
        viewer=task.viewer,
    )


def _run(task: Task, say: Say, prompts: list[str] | None = None) -> float:
    """Seconds of processor time; the prompts are noted, if a list is given."""
    model = _instant(say, Random(0), prompts)
    with timing() as took:
        _evaluated(task, model)
    return took.cpu


def _instant(say: Say, rng: Random, prompts: list[str] | None = None) -> Model:
    def answer(input: list[Any], *_: object) -> ModelOutput:
        if prompts is not None:
            prompts.append("\n\n".join(message.text for message in input))
        return _output(say(rng))

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def _evaluated(task: Task, model: Model, keep: bool = False, **more: Any) -> EvalLog:
    with TemporaryDirectory() as folder:
        (log,) = eval(
            task, model=model, log_dir=folder, display="none", score_display=False, **more
        )
        if log.status != "success" or (keep and not log.samples):  # which are read when asked for
            raise RuntimeError(str(log.error))
    return log


def _output(text: str) -> ModelOutput:
    output = ModelOutput.from_content("mockllm/model", text)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


def _connections_table() -> str:
    arguments, say = REPLIES["scale_variants"]
    asked = scale_variants(**{**arguments, "items": ASKED // len(ALL)})
    hedging = hedge_markers("facts", items=ASKED // 20)
    bare = _generate([Sample(input=f"Question {k}", target="A") for k in range(ASKED)])
    few = hedge_markers("facts", items=2)
    rows = [
        _connections_row("generate", bare, _instant(say, Random(0))),
        _connections_row("scale_variants", asked, _instant(say, Random(0))),
        _connections_row(f"hedge_markers, {ASKED // 20} items", hedging, _speaker()),
        _connections_row("hedge_markers, 2 items", few, _speaker()),
    ]
    return aligned(["task", "calls", "of judge", "from s", "ideal s", "wall s", "ratio"], rows)


def _connections_row(name: str, task: Task, model: Model) -> list[str]:
    judge = get_model("respondent/judge", memoize=False)
    calls, judge_calls = _delay(model), _delay(judge)
    with timing() as took:
        _evaluated(task, model, model_roles={"grader": judge}, max_connections=CONNECTIONS)
    ideal = max(len(calls), len(judge_calls)) * DELAY / CONNECTIONS
    judge_start = f"{judge_calls[0] - calls[0]:.1f}" if judge_calls else "-"
    cells = [f"{len(calls)}", f"{len(judge_calls)}", judge_start]
    return [name, *cells, f"{ideal:.1f}", f"{took.wall:.1f}", f"{took.wall / ideal:.2f}x"]


def _delay(model: Model) -> list[float]:
    """Let a model answer after a delay; the list receives the second at which each call begins."""
    generate, calls = model.api.generate, list[float]()

    async def generate_later(**arguments: Any) -> Any:
        calls.append(perf_counter())
        await anyio.sleep(DELAY)
        return await generate(**arguments)

    vars(model.api)["generate"] = generate_later
    return calls


def _judge_table() -> str:
    rows, before = [], 0
    numbers: dict[str, float] = {}
    ways: Mapping[str, tuple[bool, dict[str, str]]] = {
        # A file's templates may ask how sure a draw is: each different text is judged.
        "text": (False, dict(TEMPLATES)),
        "claim": (False, {}),
        "batch": (True, {}),
    }
    for name, (batch, templates) in ways.items():
        task = hedge_markers("facts", items=JUDGED, batch_judgments=batch)
        task.scorer = [hedged("model", batch, templates)]
        roles = {"grader": get_model("respondent/judge")}
        log = _evaluated(task, _speaker(), keep=True, model_roles=roles)
        assert log.results
        assert log.stats.role_usage
        metrics = {key: metric.value for key, metric in log.results.scores[0].metrics.items()}
        if numbers and metrics != numbers:
            raise RuntimeError(f"{name} gives other numbers: {metrics}, {numbers}")
        numbers, usage = metrics, log.stats.role_usage["grader"]
        before = before or usage.input_tokens
        calls = sum(
            event.event == "model" and event.role == "grader"
            for sample in log.samples or []
            for event in sample.events
        )
        cells = (calls, usage.input_tokens, usage.output_tokens)
        rows.append([name, *(f"{n:,}" for n in cells), f"{usage.input_tokens / before:.0%}"])
    return aligned(["", "calls", "tokens in", "out", "of `text`"], rows)


def _speaker() -> Model:
    """Says one of the answers in one of the hedges, whatever it is asked; the same each time."""

    def answer(input: list[Any], *_: object) -> ModelOutput:
        about = input[-1].metadata
        rng = Random(f"{about['item']} {about['draw']}")
        return _output(f"It is {rng.choice(HEDGES)} {rng.choice(ANSWERS)}.")

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)
