"""The command line: from logs to judgments, results, comparisons, reports and exports."""

import functools
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import click

from inspect_confidence import __version__
from inspect_confidence.cli.options import (
    CSV,
    DIRECTORY,
    JSON,
    OUTPUT,
    PATHS,
    RECALIBRATED,
    REREAD,
    RESAMPLES,
    SEED,
    STRICT,
    computing,
    fails,
    how_to_read,
    note_loss,
    reading,
    recorded,
    recording,
)
from inspect_confidence.cli.terminal import (
    bar,
    followed,
    give,
    print_differences,
    print_found,
    print_headlines,
    print_needed,
    print_recalibrated,
    print_thresholds,
    print_unread,
    print_views,
    read,
    read_or_stream,
    study_named,
    summarized,
)
from inspect_confidence.export import FORMATS, RELATIONSHIPS
from inspect_confidence.printing import echo, inert, one_line
from inspect_confidence.versions import TASK_VERSIONS

if TYPE_CHECKING:
    from inspect_ai.util import DisplayType

    from inspect_confidence.commands.analysis import Settings


@click.command()
@reading
@REREAD
@JSON
@CSV
@click.option("--full", is_flag=True, help="Print all tables: the studies' and the toolbox's.")
@click.option("--study", metavar="NAME", help="Print one study's tables.")
@computing
def summarize(
    paths: Sequence[str],
    reread: bool,
    full: bool,
    study: str | None,
    as_json: bool,
    csv: Path | None,
    **settings: "Unpack[Settings]",
) -> None:
    """Print the numbers that stand for each study, with 95% intervals; or its tables."""
    from inspect_confidence.commands.analysis import resamplings

    resamplings(settings)  # a mistake shall not cost the reading of the logs
    named = study and study_named(study)
    tables = functools.partial(print_views, full=full, study=named)
    show = tables if full or study else print_headlines
    judgments = read_or_stream(paths, settings, reread=reread)
    give(summarized(judgments, settings), as_json, csv, show)


@click.command()
@reading
@DIRECTORY
@click.option("--published", is_flag=True, help="Show the studies' published figures beside.")
@click.option(
    "--baseline",
    metavar="MODEL",
    help="Show every model's paired differences from this one, named as in the logs.",
)
@click.option("--formats", default="", metavar="png,pdf", help="Of each figure, beside svg.")
@computing
def report(
    paths: Sequence[str],
    directory: Path,
    published: bool,
    baseline: str | None,
    formats: str,
    **settings: "Unpack[Settings]",
) -> None:
    """Write a page of all results, index.html, its figures and its tables to a folder."""
    from inspect_confidence.report import write_report

    settings["workers"] = os.cpu_count() or 1
    judgments = read(paths)
    with followed(judgments) as shown:
        page = write_report(
            *(judgments, directory),
            logs=paths,
            published=published,
            baseline=baseline,
            formats=formats,
            progress=functools.partial(shown.track, description="Drawing figures"),
            **settings,
        )
    echo(f"report written to {page}")


@click.command()
@click.argument("task", required=False)
@click.option("-T", "arguments", multiple=True, metavar="NAME=VALUE", help="A task argument.")
@click.option("--model", help="For the price and for the draws that it gives in a call.")
@click.option("--grader", metavar="MODEL", help="Of that role, for the price of its judgments.")
@click.option("--epochs", type=click.IntRange(min=1), help="The task's own by default, or 1.")
@click.option("--limit", type=click.IntRange(min=1), help="Of samples, as `inspect eval` takes it.")
@click.option(
    "--max-connections",
    type=click.IntRange(min=1),
    help="Calls under way at once, for the minutes; 10 by default.",
)
@click.option(
    "--temperature",
    type=float,
    help="As `inspect eval` takes it, to learn whether it is sent to the model.",
)
@click.option(
    "--model-cost-config",
    type=click.Path(exists=True, dir_okay=False),
    envvar="INSPECT_EVAL_MODEL_COST_CONFIG",
    help="YAML or JSON file with model prices, as `inspect eval` takes it.",
)
@click.option(
    "--detect", metavar="METRIC=SIZE", help="How many items a difference of two runs needs."
)
@click.option(
    "--width", metavar="METRIC=SIZE", help="How many items a 95% interval of that width needs."
)
@click.option(
    "--pilot",
    multiple=True,
    metavar="PATH",
    help="Logs or files whose items stand for those to come, for --detect and --width.",
)
@click.option(
    "--power", type=float, default=0.8, show_default=True, help="Share of runs that succeed."
)
@SEED
@recording
@JSON
def plan(
    task: str | None,
    arguments: Sequence[str],
    model: str | None,
    grader: str | None,
    epochs: int | None,
    limit: int | None,
    max_connections: int | None,
    temperature: float | None,
    model_cost_config: str | None,
    detect: str | None,
    width: str | None,
    pilot: Sequence[str],
    power: float,
    seed: int,
    as_json: bool,
) -> None:
    """Print what a run of TASK would ask and cost, without calling a model.

    TASK may be a file such as `run` takes: all its runs are priced, by model.
    With --detect or --width, print how many items it needs, by resampling the items of --pilot.
    """
    if task:
        from inspect_confidence.commands.plan import CONNECTIONS, plan_design, plan_run

        if task.endswith((".yaml", ".yml")):
            if arguments or model or grader or epochs or limit or temperature is not None:
                raise click.UsageError(f"{task} says what is asked; change it there.")
            said = plan_design(task, model_cost_config, connections=max_connections)
        else:
            connections = max_connections or CONNECTIONS
            said = plan_run(
                *(task, arguments, model, epochs, model_cost_config, grader),
                limit=limit,
                temperature=temperature,
                connections=connections,
            )
        echo(said, err=as_json)
    if not (detect or width):
        if not task:
            raise click.UsageError("Name a TASK, or say --detect or --width with a --pilot.")
        return
    if not pilot:
        raise click.UsageError("--detect and --width need a --pilot: logs or a file of answers.")
    from inspect_confidence.commands.items import items_needed

    found = items_needed(read(pilot), detect=detect, width=width, power=power, seed=seed)
    give(found, as_json, None, print_needed)


@click.command()
@click.argument("design", metavar="STUDY.yaml")
@click.option("--log-dir", metavar="DIR", help="Where logs go, if not where the file says.")
@click.option(
    "--display",
    type=click.Choice(["full", "rich", "plain", "log", "none"]),
    help="As Inspect shows a run; with none, a line for each run that ends.",
)
@click.option(
    "--retry-attempts",
    type=click.IntRange(min=0),
    metavar="N",
    help="How often failed runs are tried again; Inspect's default is 10.",
)
def run(
    design: str, log_dir: str | None, display: "DisplayType | None", retry_attempts: int | None
) -> None:
    """Ask all that a study file says: models x tasks x arguments x repeats.

    Runs that were interrupted go on where they stopped, and what is done is skipped. What it would
    cost is said by `plan STUDY.yaml`.
    """
    from inspect_confidence.commands.run import run_design

    if not run_design(design, logs=log_dir, display=display, retries=retry_attempts):
        click.get_current_context().exit(_FAILED)


@click.command()
@reading
@OUTPUT
def judgments(paths: Sequence[str], output: Path) -> None:
    """Write the judgments, one row each, to a csv or parquet file."""
    from inspect_confidence.judgments.files import check_suffix, write_file
    from inspect_confidence.privacy import cleaned, cleaners

    check_suffix(output)  # a mistake shall not cost the reading of the logs
    frames = read(paths)
    ways = cleaners(frames.values())
    write_file({task: cleaned(frame, ways) for task, frame in frames.items()}, output)
    echo(f"{sum(map(len, frames.values()))} judgments written to {output}")


@click.command()
@reading
@click.option(
    "-o",
    "--output",
    "store",
    required=True,
    metavar="STORE",
    help="A folder: new, empty, or a store.",
)
@click.option("--rebuild", is_flag=True, help="Read all logs again.")
def ingest(paths: Sequence[str], store: str, rebuild: bool) -> None:
    """Put the judgments of logs into a store, which commands read instead of the logs.

    Of logs that the store has, only those that changed are read.
    """
    from inspect_confidence.judgments.store import ingest as compute
    from inspect_confidence.redaction import without_keys

    executor = how_to_read()["executor"]
    done = compute(
        paths, store, executor=executor, rebuild=rebuild, recorded=recorded(), progress=bar
    )
    for notice in done.notices:
        echo(one_line(f"note: {without_keys(notice)}"), err=True)
    if done.unread:
        note_loss()
    echo(
        f"{done.read} log{'s' * (done.read != 1)} read, {done.known} known, {done.gone} gone: "
        f"{done.judgments:,} judgments in {store}"
    )


@click.command()
@reading
@click.option("--format", "form", required=True, type=click.Choice(FORMATS), help="What to write.")
@DIRECTORY
@computing
@click.option(
    "--organization",
    default="unknown",
    show_default=True,
    help="Who evaluated, as every-eval-ever records it.",
)
@click.option(
    "--relationship",
    type=click.Choice(RELATIONSHIPS),
    default="other",
    show_default=True,
    help="What they are to the model's developer.",
)
def export(
    paths: Sequence[str],
    form: str,
    directory: Path,
    organization: str,
    relationship: str,
    **settings: "Unpack[Settings]",
) -> None:
    """Write the results as tables, as a leaderboard, or for public collections of results."""
    from inspect_confidence.export import export as write

    for written in write(
        read(paths),
        form,
        directory,
        logs=paths,
        organization=organization,
        relationship=relationship,
        **settings,
    ):
        echo(written)


@click.command()
@click.argument("a", metavar="A")
@click.argument("b", metavar="[B]", required=False)
@recording
@STRICT
@JSON
@CSV
@computing
def compare(
    a: str, b: str | None, as_json: bool, csv: Path | None, **settings: "Unpack[Settings]"
) -> None:
    """Print paired differences between what is in A and what is in B, or within A alone.

    Models, variants and methods that answered the same items are compared on those items.
    """
    from inspect_confidence.commands.compare import compare as compute

    sides = [read([side]) for side in (a, b) if side]
    give(compute(*sides, **settings), as_json, csv, print_differences)


@click.command()
@reading
@REREAD
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Replies in the table; --json and --csv give all.",
)
@JSON
@CSV
def unread(paths: Sequence[str], reread: bool, limit: int, as_json: bool, csv: Path | None) -> None:
    """Print the replies that could not be read, after their share by task and model."""
    from inspect_confidence.commands.unread import shares
    from inspect_confidence.commands.unread import unread as find
    from inspect_confidence.privacy import shareable

    judgments = read(paths, reread=reread)
    found = find(paths, judgments=judgments)
    give(found, as_json, csv, lambda rows: print_unread(shareable(shares(judgments)), rows, limit))


@click.command()
@reading
@click.option(
    "--only",
    type=click.Choice(["bibtex", "settings"]),
    help="Only the references, or only the paragraphs on how judgments came about.",
)
def cite(paths: Sequence[str], only: str | None) -> None:
    """Print BibTeX of what the judgments rest on, and a paragraph a task on its settings."""
    from inspect_confidence.commands.cite import cite as compute

    found = compute(list(paths), judgments=read(paths))
    for name in found.unknown:
        echo(one_line(f"note: no reference is known for {name}; cite its source too."), err=True)
    shown = {"bibtex": found.bibtex, "settings": map(one_line, found.settings)}
    parts = [one for name, some in shown.items() if only in (None, name) for one in some]
    echo("\n\n".join(parts))


@click.command()
@click.argument("log", metavar="LOG")
def reproduce(log: str) -> None:
    """Print the command that makes a log's run again; on standard error what has changed since."""
    from inspect_confidence.commands.reproduce import reproduce as compute

    found = compute(log)
    echo(found.command)
    for line in found.changes:
        echo(f"changed: {line}", err=True)
    if not found.changes:
        echo("unchanged: recorded versions and hashes that can be compared", err=True)
    for line in found.not_compared:
        echo(f"not compared: {line}", err=True)
    for line in found.notices:
        echo(f"note: {line}", err=True)


@click.command()
@reading
@OUTPUT
@click.option(
    "--method",
    default="best",
    show_default=True,
    help="Of confidence: best by cross-validation, isotonic, platt, beta, temperature, histogram, "
    "venn_abers.",
)
@JSON
@RESAMPLES
@SEED
def recalibrate(
    paths: Sequence[str], output: Path, method: str, as_json: bool, resamples: int, seed: int
) -> None:
    """Fit maps of stated confidence and of intervals on train items; judge them on test items."""
    from inspect_confidence.commands.recalibrate import recalibrate as compute
    from inspect_confidence.privacy import shareable

    found = compute(read(paths), method=method, resamples=resamples, seed=seed)
    found.write(output)
    beside = (shareable(found.scores), shareable(found.offsets))
    give(found.judged, as_json, None, functools.partial(print_recalibrated, *beside))
    fitted = sum("refused" not in one for one in found.maps["maps"])
    echo(f"{fitted} of {len(found.maps['maps'])} maps written to {output}", err=as_json)


@click.command()
@reading
@click.option(
    "--risk",
    type=float,
    default=0.05,
    show_default=True,
    help="The greatest share of wrong answers among those given.",
)
@RECALIBRATED
@JSON
@CSV
def threshold(paths: Sequence[str], risk: float, as_json: bool, csv: Path | None) -> None:
    """Print from which confidence on answers may be given, and which share of them that is."""
    from inspect_confidence.commands.threshold import threshold as compute

    give(compute(read(paths), risk=risk), as_json, csv, print_thresholds)


_FAILED = 1
"""Exit code; errors of usage are 2, as click has them."""


@click.command()
@PATHS
@recording
@click.option(
    "--require",
    "requirements",
    multiple=True,
    required=True,
    metavar="REQUIREMENT",
    help="As 'ece<=0.10' or 'coverage>=0.85;level=90'; may be given several times.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Judge by the end of the 95% interval, not the value; fail where data were lost.",
)
@JSON
@computing
def check(
    paths: Sequence[str],
    requirements: Sequence[str],
    strict: bool,
    as_json: bool,
    **settings: "Unpack[Settings]",
) -> None:
    """Exit with 1 unless every matching result meets the requirements.

    A requirement is METRIC OP NUMBER[;key=value...]. Keys are parts of the condition, task, model
    and dataset; `key=` means that the part is absent.
    """
    from inspect_confidence.commands.check import check as compute
    from inspect_confidence.commands.check import read_requirement

    for requirement in requirements:  # a misspelt one shall not cost the reading of the logs
        read_requirement(requirement)
    judgments = read_or_stream(paths, settings, lost="not judged")
    results = summarized(judgments, settings)
    found = compute(results, requirements, strict=strict)
    give(found, as_json, None, print_found)
    if not found["passed"].all() or (strict and judgments.lost):
        click.get_current_context().exit(_FAILED)


@click.command()
@reading
@OUTPUT
@click.option(
    "--model", help="A model that groups the markers, as Inspect names it; else rules do."
)
@click.option("--prompts", default="ours", help="Whose wording the model reads: ours or study.")
def canonicalize(paths: Sequence[str], output: Path, model: str | None, prompts: str) -> None:
    """Write which form stands for each hedge marker, for the option `hedge_markers.markers`."""
    from inspect_confidence.commands.canonicalize import canonical_forms
    from inspect_confidence.studies.hedge_markers.forms import write_forms

    forms = canonical_forms(read(paths), model=model, prompts=prompts)
    write_forms(forms, output)
    echo(f"{len(forms)} markers, {len(set(forms.values()))} forms written to {output}")


class _Commands(click.Group):
    """Commands that say in a line what the system refuses, as a full disk or a file not its own."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _inert_errors():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> object:
        with _inert_errors():
            try:
                found = super().invoke(ctx)
                if fails(ctx):
                    ctx.exit(_FAILED)
                return found
            except BrokenPipeError:
                raise
            except OSError as error:
                raise click.ClickException(one_line(error)) from error


@contextmanager
def _inert_errors() -> Iterator[None]:
    """Errors that name what was typed, or what a log says, do nothing to a terminal."""
    try:
        yield
    except click.ClickException as error:
        vars(error)["message"] = inert(error.message)
        raise


_VERSIONS = f"""%(prog)s, version %(version)s
tasks: {", ".join(f"{task} {version}" for task, version in TASK_VERSIONS.items())}"""


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message=_VERSIONS)
def main() -> None:
    """Confidence of language models: judgments, results and reports from Inspect's logs.

    PATH is a log, a folder of logs (anywhere Inspect reads), a store that ingest wrote, or a csv or
    parquet file of judgments.
    """


COMMANDS = (
    *(canonicalize, check, cite, compare, export, ingest, judgments, plan, recalibrate),
    *(report, reproduce, run, summarize, threshold, unread),
)


for command in COMMANDS:
    main.add_command(command)
